/* SPDX-License-Identifier: Apache-2.0 */
#include "image/color_kernel.h"

#include <math.h>

/* Pillow's way to HSV and back, 8 bits a channel, with its mixture of single and double precision. */

static inline uint8_t max3(uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t most = a > b ? a : b;
    return most > c ? most : c;
}

static inline uint8_t min3(uint8_t a, uint8_t b, uint8_t c)
{
    uint8_t least = a < b ? a : b;
    return least < c ? least : c;
}

/* Of a pixel that is not grey; high, low: its largest and smallest channel. */
static inline uint8_t hue_of(const uint8_t *rgb, uint8_t high, uint8_t low)
{
    float range = (float)(high - low), hue;
    float red = (float)(high - rgb[0]) / range, green = (float)(high - rgb[1]) / range;
    float blue = (float)(high - rgb[2]) / range;
    if (rgb[0] == high)
        hue = blue - green;
    else if (rgb[1] == high)
        hue = (float)(2.0 + (double)red - (double)blue);
    else
        hue = (float)(4.0 + (double)green - (double)red);
    double turns =
        (double)hue / 6.0 + 1.0; /* between 5/6 and 11/6: the remainder by 1 takes one away, or none */
    hue = (float)(turns >= 1.0 ? turns - 1.0 : turns);
    return (uint8_t)((double)hue * 255.0);
}

/* What depends on a hue alone: which of six sectors it lies in, and how far into it. */
struct sector {
    float into;
    unsigned number;
};

static void fill_sectors(struct sector sectors[256])
{
    for (int hue = 0; hue < 256; hue++) {
        double at = (double)((float)hue) * 6.0 / 255.0;
        unsigned number = (unsigned)at;
        sectors[hue].into = (float)(at - (double)number);
        sectors[hue].number = number % 6;
    }
}

/* Of a number ≥ 0, halves up. */
static inline uint8_t round_up(double value)
{
    int whole = (int)value;
    return (uint8_t)(whole + (value - whole >= 0.5));
}

static inline void put_color(struct sector sector, uint8_t saturation, uint8_t value, uint8_t *ret_rgb)
{
    float share = (float)((double)saturation / 255.0);
    float product = share * sector.into;
    uint8_t p = round_up((double)value * (1.0 - (double)share));
    uint8_t q = round_up((double)value * (1.0 - (double)product));
    uint8_t t = round_up((double)value * (1.0 - (double)share * (1.0 - (double)sector.into)));
    const uint8_t all[4] = {value, p, q, t};
    static const uint8_t choice[6][3] = {{0, 3, 1}, {2, 0, 1}, {1, 0, 3}, {1, 2, 0}, {3, 1, 0}, {0, 1, 2}};
    const uint8_t *which = choice[sector.number];
    ret_rgb[0] = all[which[0]];
    ret_rgb[1] = all[which[1]];
    ret_rgb[2] = all[which[2]];
}

void dls_color_turn_portable(uint8_t *row, size_t pixels, uint8_t shift)
{
    struct sector sectors[256];
    if (pixels == 0)
        return;
    fill_sectors(sectors);
    for (size_t x = 0; x < pixels; x++, row += 3) {
        uint8_t high = max3(row[0], row[1], row[2]), low = min3(row[0], row[1], row[2]);
        if (high == low)
            continue;
        uint8_t saturation = (uint8_t)((double)((float)(high - low) / (float)high) * 255.0);
        uint8_t hue = (uint8_t)(hue_of(row, high, low) + shift);
        if (saturation > 0)
            put_color(sectors[hue], saturation, high, row);
        else
            row[0] = row[1] = row[2] = high;
    }
}
