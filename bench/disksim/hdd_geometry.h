/* SPDX-License-Identifier: Apache-2.0 */
/* Where an address lies on a spinning disk: tracks, angles, and how long the arm takes. */
#ifndef DLS_DISKSIM_HDD_GEOMETRY_H
#define DLS_DISKSIM_HDD_GEOMETRY_H

#include "profile.h"

#define HDD_ZONES 24

struct hdd_geometry {
    double revolution; /* seconds */
    double capacity;
    /* Zones of equal capacity; within a zone every track holds as many bytes. The surfaces of a cylinder
     * count as one track. */
    double track_bytes[HDD_ZONES];
    double first_track[HDD_ZONES + 1];
    double seek_base, seek_root, seek_linear;
};

void hdd_geometry_init(struct hdd_geometry *geometry, const struct sim_profile *profile);
/* Bytes a second under the head. */
double hdd_rate(const struct hdd_geometry *geometry, double address);
/* Seconds from the track of one address to that of another. */
double hdd_seek(const struct hdd_geometry *geometry, double from, double to);
/* Seconds from `time` until the address comes under the head. */
double hdd_rotation(const struct hdd_geometry *geometry, double address, double time);

#endif
