# A general-purpose cloud volume of 500 GB with burst credits.
# Source: Amazon EBS user guide on gp2 volumes (3 I/Os a second for each GiB, bursts of 3000 a second out of a bucket of 5.4
# million I/Os, 250 MiB/s, an I/O is at most 256 KiB, latency of a single-digit number of milliseconds). The bucket is full
# at the start: `-o credit_ios=0` shows the volume after it has run dry.
kind = ssd
capacity = 500G
interface = 262M
latency = 1ms
rate = 262M             # 250 MiB/s
iops = 1400             # 3 x 466 GiB
io_bytes = 256Ki
burst_rate = 262M
burst_iops = 3000
credit_ios = 5400k
read_ahead = 128Ki
metadata = 1
late = 1ms
