/* The fewest samples whose straight connections reproduce the rest, in one pass. The lines from an anchor (t0, y0) that pass every sample
 * so far within its tolerance e have, in every component, slopes in
 *     low = max (y - e - y0)/(t - t0),   high = min (y + e - y0)/(t - t0);
 * the next sample can end the line as long as its own slope is between them. Imai and Iri 1988, Polygonal approximations of a curve
 * (Computational Morphology, 71-86): a cone per component, cut by every sample. */
#include "report/report_private.h"

#include <math.h>
#include <string.h>

bl_status bl_thinner_create(bl_context *ctx, size_t ncomponent, const double *tolerance, long most, bl_thinner *thinner) {
    *thinner = (bl_thinner){.ctx = ctx, .ncomponent = ncomponent, .tolerance = tolerance, .most = most};
    BL_TRY(BL_NEW(ctx, thinner->kept, most));
    BL_TRY(BL_NEW(ctx, thinner->anchor, ncomponent));
    BL_TRY(BL_NEW(ctx, thinner->last, ncomponent));
    BL_TRY(BL_NEW(ctx, thinner->low, ncomponent));
    return BL_NEW(ctx, thinner->high, ncomponent);
}

void bl_thinner_destroy(bl_thinner *thinner) {
    bl_free(thinner->ctx, thinner->kept);
    bl_free(thinner->ctx, thinner->anchor);
    bl_free(thinner->ctx, thinner->last);
    bl_free(thinner->ctx, thinner->low);
    bl_free(thinner->ctx, thinner->high);
    *thinner = (bl_thinner){.ctx = thinner->ctx};
}

void bl_thinner_start(bl_thinner *thinner, double factor) {
    thinner->factor = factor;
    thinner->n = 0;
    thinner->full = false;
    thinner->last_sample = -1;
}

/* the newest sample becomes the anchor */
static void keep(bl_thinner *h) {
    if (h->n >= h->most) {
        h->full = true;
        return;
    }
    h->kept[h->n++] = h->last_sample;
    h->anchor_t = h->last_t;
    memcpy(h->anchor, h->last, h->ncomponent * sizeof *h->anchor);
    for (size_t c = 0; c < h->ncomponent; c++) {
        h->low[c] = -INFINITY;
        h->high[c] = INFINITY;
    }
}

static bool ends_line(const bl_thinner *h, double dt, const double *value) {
    if (dt == 0) { /* a jump is kept; without a change no sample is needed */
        for (size_t c = 0; c < h->ncomponent; c++)
            if (fabs(value[c] - h->anchor[c]) > h->factor * h->tolerance[c])
                return false;
        return true;
    }
    for (size_t c = 0; c < h->ncomponent; c++) {
        double slope = (value[c] - h->anchor[c]) / dt;
        if (!(slope >= h->low[c] && slope <= h->high[c]))
            return false;
    }
    return true;
}

static void cut_cone(bl_thinner *h, double dt, const double *value) {
    for (size_t c = 0; c < h->ncomponent && dt > 0; c++) {
        double e = h->factor * h->tolerance[c], rise = value[c] - h->anchor[c];
        h->low[c] = fmax(h->low[c], (rise - e) / dt);
        h->high[c] = fmin(h->high[c], (rise + e) / dt);
    }
}

void bl_thinner_take(bl_thinner *h, long k, double t, const double *value) {
    if (h->full)
        return;
    bool first = h->last_sample < 0;
    if (!first && h->last_sample != h->kept[h->n - 1] && !ends_line(h, t - h->anchor_t, value))
        keep(h);
    bool jump = !first && t == h->last_t && h->last_sample == h->kept[h->n - 1] && !ends_line(h, 0, value);
    h->last_sample = k;
    h->last_t = t;
    memcpy(h->last, value, h->ncomponent * sizeof *value);
    if (first || jump)
        keep(h);
    else
        cut_cone(h, t - h->anchor_t, value);
}

void bl_thinner_end(bl_thinner *h) {
    if (!h->full && h->last_sample >= 0 && h->kept[h->n - 1] != h->last_sample)
        keep(h);
}
