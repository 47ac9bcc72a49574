/* Sweep and prune along the axis in which the shapes are spread most (Baraff 1992). Planes are compared with every shape. */
#include "contact/sweep.h"
#include "contact/contact_limits.h"

#include "base/vector3.h"

#include <string.h>

bl_status bl_sweep_create(bl_context *ctx, bl_index nshape, const bl_contact_shape *shape, bl_index ngroup, const int16_t *law,
                          const uint8_t *fixed, bl_sweep *s) {
    *s = (bl_sweep){.ctx = ctx, .nshape = nshape, .shape = shape, .ngroup = ngroup, .law = law, .fixed = fixed, .rebuilt = 0};
    size_t n = (size_t)nshape;
    BL_TRY(BL_NEW_ARRAYS(ctx, s->block, BL_ARRAY(s->low, n), BL_ARRAY(s->high, n), BL_ARRAY(s->order, n), BL_ARRAY(s->plane, n),
                         BL_ARRAY(s->start, n + 1), BL_ARRAY(s->sorted[0], n), BL_ARRAY(s->sorted[1], n), BL_ARRAY(s->sorted[2], n),
                         BL_ARRAY(s->sorted[3], n), BL_ARRAY(s->sorted[4], n), BL_ARRAY(s->sorted[5], n)));
    bl_index moving = 0;
    for (bl_index i = 0; i < nshape; i++)
        if (shape[i].what == BL_CONTACT_PLANE)
            s->plane[s->nplane++] = i;
        else
            s->order[moving++] = i;
    BL_TRY(BL_RESERVE(ctx, s->pair, s->pair_room, 8 * nshape + 8));
    BL_TRY(BL_RESERVE(ctx, s->old, s->old_room, 8 * nshape + 8));
    return BL_RESERVE(ctx, s->found, s->found_room, 8 * nshape + 8);
}

void bl_sweep_destroy(bl_sweep *s) {
    bl_free(s->ctx, s->pair);
    bl_free(s->ctx, s->old);
    bl_free(s->ctx, s->found);
    bl_free(s->ctx, s->block);
    *s = (bl_sweep){0};
}

/* whether every shape is within its enlarged bounds */
static bool inside(const bl_sweep *s, const bl_contact_solid *solid, const double *margin) {
    double low[3], high[3];
    for (bl_index i = 0; i < s->nshape; i++) {
        bl_contact_bounds(solid + i, margin[i], low, high);
        for (int k = 0; k < 3; k++)
            if (!(low[k] >= s->low[i][k] && high[k] <= s->high[i][k]))
                return false;
    }
    return true;
}

static void enlarge(bl_sweep *s, const bl_contact_solid *solid, const double *margin) {
    double sum[3] = {0}, square[3] = {0}, most = -1;
    for (bl_index i = 0; i < s->nshape; i++) {
        double size = bl_contact_size(s->shape + i);
        bl_contact_bounds(solid + i, contact_bounds_margin * margin[i] + contact_bounds_size * (isfinite(size) ? size : 0), s->low[i],
                          s->high[i]);
        for (int k = 0; k < 3 && s->shape[i].what != BL_CONTACT_PLANE; k++) {
            sum[k] += solid[i].frame.at[k];
            square[k] += solid[i].frame.at[k] * solid[i].frame.at[k];
        }
    }
    double count = fmax(1, (double)(s->nshape - s->nplane));
    for (int k = 0; k < 3; k++) {
        double spread = square[k] - sum[k] * sum[k] / count;
        if (spread > most * 1.5) {
            most = spread;
            s->axis = k;
        }
    }
}

/* insertion: the order of the last search is nearly right */
static void sort(bl_sweep *s) {
    bl_index n = s->nshape - s->nplane;
    for (bl_index i = 1; i < n; i++) {
        bl_index moved = s->order[i], j = i;
        double low = s->low[moved][s->axis];
        for (; j > 0 && (s->low[s->order[j - 1]][s->axis] > low || (s->low[s->order[j - 1]][s->axis] == low && s->order[j - 1] > moved));
             j--)
            s->order[j] = s->order[j - 1];
        s->order[j] = moved;
    }
    for (bl_index i = 0; i < n; i++)
        for (int k = 0; k < 3; k++) {
            int axis = (s->axis + k) % 3;
            s->sorted[2 * k][i] = s->low[s->order[i]][axis];
            s->sorted[2 * k + 1][i] = s->high[s->order[i]][axis];
        }
}

static int16_t law_of(const bl_sweep *s, bl_index i, bl_index j) {
    const bl_contact_shape *a = s->shape + i, *b = s->shape + j;
    if (a->body == b->body || (s->fixed[a->body] && s->fixed[b->body]))
        return -1;
    return s->law[(size_t)s->ngroup * (size_t)a->group + (size_t)b->group];
}

static bl_status add(bl_sweep *s, bl_index i, bl_index j) {
    if (law_of(s, i, j) < 0)
        return BL_OK;
    BL_TRY(BL_RESERVE(s->ctx, s->found, s->found_room, s->npair + 1));
    s->found[s->npair][0] = i < j ? i : j;
    s->found[s->npair++][1] = i < j ? j : i;
    return BL_OK;
}

static bl_status search(bl_sweep *s, const bl_contact_solid *solid) {
    bl_index n = s->nshape - s->nplane;
    const double *low = s->sorted[0], *high = s->sorted[1], *low1 = s->sorted[2], *high1 = s->sorted[3], *low2 = s->sorted[4],
                 *high2 = s->sorted[5];
    s->npair = 0;
    for (bl_index i = 0; i < n; i++)
        for (bl_index j = i + 1; j < n && low[j] <= high[i]; j++)
            if ((low1[j] <= high1[i]) & (low1[i] <= high1[j]) & (low2[j] <= high2[i]) & (low2[i] <= high2[j]))
                BL_TRY(add(s, s->order[i], s->order[j]));
    for (bl_index p = 0; p < s->nplane; p++) {
        const bl_contact_frame *f = &solid[s->plane[p]].frame;
        const double *normal = f->axes + 6, at = dot3(normal, f->at);
        for (bl_index i = 0; i < n; i++) {
            double height = -at;
            for (int k = 0; k < 3; k++)
                height += fmin(normal[k] * s->low[s->order[i]][k], normal[k] * s->high[s->order[i]][k]);
            if (height <= 0)
                BL_TRY(add(s, s->order[i], s->plane[p]));
        }
    }
    return BL_OK;
}

/* found pairs into ascending order: by the first shape in one pass, then the few of each by the second */
static void arrange(bl_sweep *s) {
    memset(s->start, 0, ((size_t)s->nshape + 1) * sizeof *s->start);
    for (bl_index k = 0; k < s->npair; k++)
        s->start[s->found[k][0] + 1]++;
    for (bl_index i = 0; i < s->nshape; i++)
        s->start[i + 1] += s->start[i];
    for (bl_index k = 0; k < s->npair; k++)
        s->pair[s->start[s->found[k][0]]++] = (bl_contact_pair){.one = s->found[k][0], .other = s->found[k][1]};
    for (bl_index k = 1; k < s->npair; k++) {
        bl_index other = s->pair[k].other, at = k;
        for (; at > 0 && s->pair[at - 1].one == s->pair[k].one && s->pair[at - 1].other > other; at--)
            s->pair[at].other = s->pair[at - 1].other;
        s->pair[at].other = other;
    }
}

/* what the old pairs remember, both lists ascending */
static void remember(bl_sweep *s, bl_index nold) {
    bl_index o = 0;
    for (bl_index k = 0; k < s->npair; k++) {
        bl_contact_pair *p = s->pair + k;
        while (o < nold && (s->old[o].one < p->one || (s->old[o].one == p->one && s->old[o].other < p->other)))
            o++;
        if (o < nold && s->old[o].one == p->one && s->old[o].other == p->other)
            *p = s->old[o];
        else
            p->law = law_of(s, p->one, p->other);
    }
}

bl_status bl_sweep_update(bl_sweep *s, const bl_contact_solid *solid, const double *margin) {
    if (s->rebuilt > 0 && inside(s, solid, margin))
        return BL_OK;
    bl_index nold = s->npair, room = s->old_room;
    bl_contact_pair *kept = s->pair;
    s->rebuilt++;
    enlarge(s, solid, margin);
    sort(s);
    BL_TRY(search(s, solid));
    s->pair = s->old, s->old = kept; /* exchanged: both have their own room */
    s->old_room = s->pair_room, s->pair_room = room;
    BL_TRY(BL_RESERVE(s->ctx, s->pair, s->pair_room, s->npair));
    arrange(s);
    remember(s, nold);
    return BL_OK;
}
