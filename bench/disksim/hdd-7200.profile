# A 3.5 inch SATA disk of 7200 rpm and 4 TB.
# Sources: data sheets of the WD Ultrastar DC HC310 and the HGST Ultrastar 7K4000 (rotational latency 4.16 ms,
# average seek 7.4 to 8.2 ms, sustained rate 160 to 255 MB/s outside).
kind = hdd
capacity = 4T
command = 0.1ms
interface = 550M        # SATA 6 Gb/s after its coding and framing
rpm = 7200
rate_outer = 220M
rate_inner = 110M       # the innermost tracks hold half as much
seek_track = 0.5ms
seek_average = 8ms
seek_full = 16ms
settle = 0.25ms
queue = 8               # NCQ takes 32; real disks gain less by it than the perfect choice among 32 would
patience = 1.5s
segments = 16
segment_bytes = 2Mi
read_on = 256Ki         # the least certain number: see README.md
read_ahead = 128Ki
metadata = 1
late = 1ms
