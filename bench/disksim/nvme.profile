# An NVMe SSD with PCIe 3.0 x4, as far as FUSE goes: above some 2 GB/s or 60 000 reads a second the emulator itself is the
# limit, and says so by being late.
# Source: data sheet of the Samsung 970 EVO Plus (3500 MB/s sequential; 4 KiB random reads 19 000 a second at depth 1,
# 600 000 at depth 128 on four queues).
kind = ssd
capacity = 1T
interface = 3500M
latency = 51us          # with the command on the link: 19 000 a second at depth 1
rate = 3500M
iops = 600k
read_ahead = 128Ki
metadata = 1
late = 0.2ms
