/* SPDX-License-Identifier: Apache-2.0 */
#include "hdd_geometry.h"

#include <math.h>

void hdd_geometry_init(struct hdd_geometry *geometry, const struct sim_profile *profile)
{
    double track = 0;

    geometry->revolution = 60 / profile->rpm;
    geometry->capacity = profile->capacity;
    for (int i = 0; i < HDD_ZONES; i++) {
        double rate = profile->rate_outer + (profile->rate_inner - profile->rate_outer) * i / (HDD_ZONES - 1);
        geometry->track_bytes[i] = rate * geometry->revolution;
        geometry->first_track[i] = track;
        track += profile->capacity / HDD_ZONES / geometry->track_bytes[i];
    }
    geometry->first_track[HDD_ZONES] = track;

    /* seek(x) = base + root·√x + linear·x with x the share of all tracks, through the three published points:
     * x → 0 (next track), x = 1/3 (the mean distance of random seeks) and x = 1. */
    double average = profile->seek_average - profile->seek_track;
    double full = profile->seek_full - profile->seek_track;
    double root = sqrt(1.0 / 3);
    geometry->seek_base = profile->seek_track;
    geometry->seek_linear = (average - full * root) / (1.0 / 3 - root);
    geometry->seek_root = full - geometry->seek_linear;
}

static int zone_of(const struct hdd_geometry *geometry, double address)
{
    int zone = (int)(address / geometry->capacity * HDD_ZONES);
    return zone < 0 ? 0 : zone >= HDD_ZONES ? HDD_ZONES - 1 : zone;
}

/* In tracks from the edge; the fraction is the angle. */
static double position(const struct hdd_geometry *geometry, double address)
{
    int zone = zone_of(geometry, address);
    double start = geometry->capacity * zone / HDD_ZONES;
    return geometry->first_track[zone] + (address - start) / geometry->track_bytes[zone];
}

double hdd_rate(const struct hdd_geometry *geometry, double address)
{
    return geometry->track_bytes[zone_of(geometry, address)] / geometry->revolution;
}

double hdd_seek(const struct hdd_geometry *geometry, double from, double to)
{
    double tracks = fabs(floor(position(geometry, to)) - floor(position(geometry, from)));

    if (tracks == 0)
        return 0;
    double share = tracks / geometry->first_track[HDD_ZONES];
    return geometry->seek_base + geometry->seek_root * sqrt(share) + geometry->seek_linear * share;
}

double hdd_rotation(const struct hdd_geometry *geometry, double address, double time)
{
    double there = position(geometry, address);
    double here = time / geometry->revolution;
    double turn = (there - floor(there)) - (here - floor(here));

    return (turn < 0 ? turn + 1 : turn) * geometry->revolution;
}
