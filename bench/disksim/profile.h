/* SPDX-License-Identifier: Apache-2.0 */
/* What a disk can do, as numbers. Read from a small text file, one `name = value` a line, `#` starts a
 * comment. */
#ifndef DLS_DISKSIM_PROFILE_H
#define DLS_DISKSIM_PROFILE_H

#include <stdbool.h>
#include <stddef.h>

enum sim_kind { SIM_HDD, SIM_SSD };

/* Bytes, seconds, bytes a second. */
struct sim_profile {
    enum sim_kind kind;
    double capacity;
    double span;      /* bytes of the disk that the data are spread over; 0: they lie packed at its start */
    double extent;    /* bytes that stay together when they are spread */
    double command;   /* overhead of one command */
    double interface; /* rate of the cable */
    /* hdd */
    double rpm;
    double rate_outer, rate_inner;              /* off the platter, at the first and the last address */
    double seek_track, seek_average, seek_full; /* to the next track, over a third of them, over all */
    double settle;                              /* that the drive allows for when it plans a seek */
    double queue;                               /* waiting commands the drive chooses among */
    double patience;                            /* no command waits longer for its turn */
    double segments, segment_bytes;             /* of the look-ahead buffer */
    double read_on; /* bytes a known stream is read on for before the arm leaves it */
    /* ssd */
    double latency;
    double rate, iops;
    double io_bytes; /* a request counts as one I/O for each of these; 0: as one */
    double burst_rate,
        burst_iops; /* while there are credits, which run out at these and come back at rate and iops; */
    double credit_bytes, credit_ios; /* at the start, and at most; 0: no bursts */
    /* both: what a host does with it */
    double read_ahead; /* bytes the kernel reads ahead, at most 128 Ki */
    double metadata;   /* 1: first touches of inodes (512 at a time) and directories cost a read; 2: of each
                          inode */
    double late;       /* a reply later than this, and than a tenth of its own time, is late */
};

/* Reads `file` over the defaults in *ret_profile. The error names file and line. */
int sim_profile_read(const char *file, struct sim_profile *ret_profile);
/* Reads NAME.profile from beside the program or from where it is installed; a name with '/' in it is a file.
 */
int sim_profile_find(const char *name, struct sim_profile *ret_profile);
/* Changes some: "span=150G,queue=32". */
int sim_profile_change(struct sim_profile *profile, const char *changes);
/* 0, or -EINVAL where the numbers make no disk. */
int sim_profile_check(const struct sim_profile *profile);

#endif
