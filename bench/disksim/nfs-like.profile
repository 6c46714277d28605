# A file server over gigabit Ethernet whose disks are never the limit: every request is a round trip, every file's first
# lookup is one, and the cable is shared.
# Sources: gigabit Ethernet carries 117 MB/s of TCP payload with 1500-byte frames (1460 of 1538 bytes on the wire, less the
# timestamps); the round trip with the server's own work is put at 0.5 ms.
kind = ssd
capacity = 100T
interface = 117M
latency = 0.5ms
rate = 117M
iops = 20k
read_ahead = 128Ki
metadata = 2            # each file, not each piece of an inode table
late = 0.3ms
