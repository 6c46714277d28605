# A 2.5 inch portable disk of 5400 rpm and 2 TB behind a USB 3 bridge that speaks Bulk-Only Transport: one command at a time.
# Sources: specification of the Hitachi Travelstar 5K320 (seeks: 1 ms to the next track, 12 ms on average, 20 ms full stroke;
# rotational latency 5.5 ms). No data sheet of a portable disk states its rates: 130 MB/s outside is what this class of
# disks is sold for.
kind = hdd
capacity = 2T
command = 0.3ms         # the bridge's protocol on top of the disk's own 0.1 ms
interface = 400M        # USB 3, 5 Gb/s, after its coding and protocol
rpm = 5400
rate_outer = 130M
rate_inner = 60M
seek_track = 1ms
seek_average = 12ms
seek_full = 20ms
settle = 0.3ms
queue = 1               # the bridge passes no queue on
patience = 1.5s
segments = 16
segment_bytes = 1Mi
read_on = 256Ki         # the least certain number: see README.md
read_ahead = 128Ki
metadata = 1
late = 1ms
