/* Thins the points of a curve: each bucket of samples keeps its first, last, lowest and highest point, in their order, so
 * that the drawn line is the same to the pixel, including peaks (Jugel, Jerzak, Hackenbroich, Markl: M4, a visualization-oriented time
 * series data aggregation, VLDB 2014). Plane curves also keep the extremes of x. One pass; memory only for the points kept. */
#include "output/plot_private.h"

#include <math.h>

enum { FIRST, LAST, LOWEST, HIGHEST, LEFTMOST, RIGHTMOST, GAP, KEPT };

static void empty(bl_points *p) {
    for (int k = 0; k < KEPT; k++)
        p->kept[k].at = -1;
    p->in_bucket = 0;
}

void bl_points_begin(bl_points *p, bl_context *ctx, long total, long most, bool plane) {
    *p = (bl_points){.ctx = ctx, .plane = plane, .total = total, .low = INFINITY, .high = -INFINITY, .bucket_size = 1};
    if (total > most) {
        long buckets = most / (plane ? 6 : 4);
        p->bucket_size = (total + buckets - 1) / (buckets > 0 ? buckets : 1);
    }
    empty(p);
}

static bl_status put(bl_points *p, double x, double y) {
    if (p->room < p->n + 1) {
        bl_index room = p->room ? 2 * p->room : 1024;
        double *xy = bl_resize(p->ctx, p->xy, 2 * (size_t)room, sizeof *xy);
        if (!xy)
            return BL_E_MEMORY;
        p->xy = xy;
        p->room = room;
    }
    p->xy[2 * p->n] = x;
    p->xy[2 * p->n + 1] = y;
    p->n++;
    return BL_OK;
}

/* appends the points kept, in order, each once */
static bl_status close_bucket(bl_points *p) {
    for (long last = -1;;) {
        int next = -1;
        for (int k = 0; k < KEPT; k++)
            if (p->kept[k].at > last && (next < 0 || p->kept[k].at < p->kept[next].at))
                next = k;
        if (next < 0)
            break;
        BL_TRY(put(p, p->kept[next].x, p->kept[next].y));
        last = p->kept[next].at;
    }
    empty(p);
    return BL_OK;
}

bl_status bl_points_add(bl_points *p, double x, double y) {
    const struct bl_kept now = {p->samples++, x, y};
    if (!isfinite(x) || !isfinite(y)) {
        if (p->kept[GAP].at < 0)
            p->kept[GAP] = (struct bl_kept){now.at, NAN, NAN};
    } else {
        p->low = fmin(p->low, y);
        p->high = fmax(p->high, y);
        if (p->kept[FIRST].at < 0)
            for (int k = FIRST; k <= (p->plane ? RIGHTMOST : HIGHEST); k++)
                p->kept[k] = now;
        p->kept[LAST] = now;
        if (y < p->kept[LOWEST].y)
            p->kept[LOWEST] = now;
        if (y > p->kept[HIGHEST].y)
            p->kept[HIGHEST] = now;
        if (p->plane && x < p->kept[LEFTMOST].x)
            p->kept[LEFTMOST] = now;
        if (p->plane && x > p->kept[RIGHTMOST].x)
            p->kept[RIGHTMOST] = now;
    }
    return ++p->in_bucket >= p->bucket_size ? close_bucket(p) : BL_OK;
}

bl_status bl_points_end(bl_points *p) { return p->in_bucket > 0 ? close_bucket(p) : BL_OK; }

void bl_points_destroy(bl_points *p) {
    bl_free(p->ctx, p->xy);
    p->xy = NULL;
    p->n = p->room = 0;
}
