/* Samples: values of G at several consistent configurations, for orderings that choose blocks which stay regular during the motion. From
 * the start the mechanism is moved along its degrees of freedom, one random direction at a time, and its positions are corrected. */
#include "formulation/partition.h"

#include "order/order.h"

#include <math.h>
#include <string.h>

enum { DIRECTIONS = 6, MOVES = 3 };
static const double LENGTH = 0.25; /* of a move, in scaled coordinates: Newton's method must not reach another branch */

/* own->G_samples holds one row of values of G for each configuration whose positions could be corrected */
static bl_status collect(bl_formulation *form, const bl_state *state) {
    bl_partition *own = form->own;
    const bl_system *sys = form->sys;
    size_t nv = (size_t)sys->nv, nnz = (size_t)sys->pat_G.ptr[nv];
    uint64_t seed = 0x9E3779B97F4A7C15u; /* fixed: the same model gives the same order */
    BL_TRY(BL_NEW(form->ctx, own->G_samples, (size_t)(DIRECTIONS * MOVES + 1) * nnz));
    memcpy(own->G_samples, form->at_e.G, nnz * sizeof(double));
    own->nsample = 1;
    for (int d = 0; d < DIRECTIONS; d++) {
        memcpy(own->q, state->q, (size_t)sys->nq * sizeof(double));
        bl_partition_move(form, *state->t);
        for (int step = 0; step < MOVES; step++) {
            if (bl_partition_assemble(form, *state->t) != BL_OK || bl_partition_directions(form) != BL_OK)
                break; /* an end of the range, or a singular configuration: use the samples found so far */
            if (step > 0)
                memcpy(own->G_samples + (size_t)own->nsample++ * nnz, form->at_e.G, nnz * sizeof(double));
            double largest = 0;
            memset(own->a, 0, nv * sizeof(double));
            for (bl_index k = 0; k < own->f; k++) {
                seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
                double w = (double)(seed >> 11) * 0x1p-52 - 1;
                own->a[own->ind[k]] = w * own->scale[own->ind[k]];
                own->zdd[k] = w;
                for (bl_index i = 0; i < own->r && !own->parts; i++)
                    own->a[own->dep[i]] += w * own->scale[own->dep[i]] * own->R[(size_t)k * (size_t)own->r + (size_t)i];
            }
            if (own->parts) {
                BL_TRY(bl_partition_parts_expand(form, own->zdd, own->x));
                for (bl_index i = 0; i < own->r; i++)
                    own->a[own->dep[i]] = own->scale[own->dep[i]] * own->x[i];
            }
            for (size_t j = 0; j < nv; j++)
                largest = fmax(largest, fabs(own->a[j]) / sys->col[j].scale);
            for (size_t j = 0; largest > 0 && j < nv; j++)
                own->a[j] *= LENGTH / largest;
            BL_TRY(bl_system_retract(sys, own->q, own->a, own->q));
            bl_partition_move(form, *state->t);
        }
    }
    return BL_OK;
}

bl_status bl_partition_survey(bl_formulation *form, const bl_state *state) {
    bl_partition *own = form->own;
    if (own->G_samples || own->f == 0 || own->r == 0 || !(form->linsol->kind->kind.needs & BL_LINSOL_SAMPLES))
        return BL_OK;
    bl_formulation_stats stats = form->stats; /* set-up does not count as work of the run */
    BL_TRY(collect(form, state));
    form->stats = stats;
    own->stage = 0;
    memcpy(own->q, state->q, (size_t)form->sys->nq * sizeof(double));
    bl_partition_move(form, *state->t);
    BL_TRY(bl_system_eval(form->sys, &form->at_e, BL_G));
    return bl_partition_build(form);
}

/* marks and samples of J for the present choice of rows and columns; NULL when there are none */
bl_status bl_partition_hints(bl_formulation *form, struct bl_order_input *hints) {
    bl_partition *own = form->own;
    const bl_system *sys = form->sys;
    size_t nnz = (size_t)own->pattern.ptr[own->r], all = (size_t)sys->pat_G.ptr[sys->nv];
    *hints = (bl_order_input){.ctx = form->ctx};
    BL_TRY(BL_NEW_ARRAYS(form->ctx, own->hints, BL_ARRAY(own->sample, (size_t)own->nsample * nnz), BL_ARRAY(own->bundle, own->r),
                         BL_ARRAY(own->marks, 2 * (size_t)own->r)));
    for (bl_index i = 0; i < own->r; i++) {
        own->marks[i] = sys->row[own->rows.kept[i]].what;
        own->marks[own->r + i] = sys->col[own->dep[i]].what;
        own->bundle[i] = sys->col[own->dep[i]].bundle;
    }
    for (size_t s = 0; s < (size_t)own->nsample; s++)
        for (size_t k = 0; k < nnz; k++)
            own->sample[s * nnz + k] = own->factor[k] * own->G_samples[s * all + (size_t)own->from[k]];
    hints->row_mark = own->marks;
    hints->col_mark = own->marks + own->r;
    hints->bundle = own->bundle;
    hints->nsample = own->nsample;
    hints->sample = own->nsample ? own->sample : NULL;
    return BL_OK;
}
