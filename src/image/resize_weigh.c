/* SPDX-License-Identifier: Apache-2.0 */
#include "image/resize_weigh.h"

static inline double bilinear(double x)
{
    x = x < 0 ? -x : x;
    return x < 1.0 ? 1.0 - x : 0.0;
}

/* Keys's cubic with a = -1/2. */
static inline double bicubic(double x)
{
    x = x < 0 ? -x : x;
    if (x < 1.0)
        return (1.5 * x - 2.5) * x * x + 1;
    if (x < 2.0)
        return (((x - 5) * x + 8) * x - 4) * -0.5;
    return 0.0;
}

void dls_weigh_portable(const struct dls_scale *scale, struct dls_weighed *weighed)
{
    double center[DLS_LANES], sum[DLS_LANES] = {0};
    for (int l = 0; l < DLS_LANES; l++) {
        center[l] = scale->offset + (weighed->x[l] + 0.5) * scale->scale;
        int32_t from = (int32_t)(center[l] - scale->support + 0.5);
        int32_t to = (int32_t)(center[l] + scale->support + 0.5);
        from = from < 0 ? 0 : from;
        to = to > scale->in ? scale->in : to;
        weighed->start[l] = from;
        weighed->length[l] = to - from;
    }
    int32_t longest = dls_longest(weighed);
    double *work = weighed->work;
    for (int32_t t = 0; t < longest; t++)
        for (int l = 0; l < DLS_LANES; l++) {
            double at = ((double)(weighed->start[l] + t) - center[l] + 0.5) * scale->inverse;
            double weight = scale->filter == DLS_FILTER_BICUBIC ? bicubic(at) : bilinear(at);
            weight = t < weighed->length[l] ? weight : 0.0;
            work[t * DLS_LANES + l] = weight;
            sum[l] += weight;
        }
    for (int32_t t = 0; t < longest; t++)
        for (int l = 0; l < DLS_LANES; l++) {
            double weight = work[t * DLS_LANES + l] / sum[l] * (1 << DLS_WEIGHT_BITS);
            weighed->weights[t * DLS_LANES + l] = (int32_t)(weight < 0 ? weight - 0.5 : weight + 0.5);
        }
}
