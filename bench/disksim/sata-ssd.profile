# A SATA SSD.
# Source: data sheet of the Samsung 870 EVO (560 MB/s sequential; 4 KiB random reads 13 000 a second at depth 1, 98 000 at
# depth 32).
kind = ssd
capacity = 1T
interface = 550M
latency = 66us          # with the 10 us of one command on the link: 13 000 a second at depth 1
rate = 550M             # what is left of SATA 6 Gb/s
iops = 98k
read_ahead = 128Ki
metadata = 1
late = 0.2ms
