/* The basis of a coordinate partition: kept rows and dependent columns by elimination of the scaled
 * Jacobian at set-up (kkt/row_choice.h); later, single exchanges as in the simplex method keep |R| (columns) and |L| (rows) moderate. */
#include "formulation/formulation_limits.h"
#include "formulation/partition.h"
#include "kkt/spread.h"

#include "dense/dense.h"
#include "order/order.h"
#include "sparse/sparse.h"
#include "system/system_limits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_INVERTED = 64 }; /* larger inverses are not used */

/* exchanges continue until the largest entry is below; a goal of 1 would give a basis of locally largest volume */
static double goal(const bl_partition *own) { return 1 + 0.25 * (own->exchange - 1); }

void bl_partition_free(bl_formulation *form) {
    bl_partition *own = form->own;
    bl_context *ctx = form->ctx;
    bl_formulation_set_dropped(form, NULL, 0);
    bl_partition_parts_free(form); /* and R */
    bl_row_choice_free(ctx, &own->rows);
    bl_free(ctx, own->block);
    bl_free(ctx, own->matrices);
    bl_free(ctx, own->inverse);
    *own = (bl_partition){.index = own->index,
                          .state = own->state,
                          .by = own->by,
                          .dense = own->dense,
                          .exchange_given = own->exchange_given,
                          .nsample = own->nsample,
                          .G_samples = own->G_samples,
                          .hints = own->hints};
}

/* memory for a basis of rank r; nout: inactive rows */
static bl_status make_memory(bl_formulation *form, bl_index r, bl_index nout) {
    bl_partition *own = form->own;
    bl_context *ctx = form->ctx;
    const bl_system *sys = form->sys;
    size_t np = (size_t)sys->np, nv = (size_t)sys->nv, nq = (size_t)sys->nq, nnz = (size_t)sys->pat_G.ptr[sys->nv];
    size_t nr = (size_t)r, nf = nv - nr, nd = np - nr - (size_t)nout, nz = (size_t)sys->nz, ny = nq + nv + nz + 1;
    own->r = r;
    own->f = (bl_index)nf;
    BL_TRY(bl_row_choice_create(sys, &own->rows));
    BL_TRY(BL_NEW_ARRAYS(ctx, own->block, BL_ARRAY(own->factor, nnz), BL_ARRAY(own->values, nnz), BL_ARRAY(own->i_factor, nnz),
                         BL_ARRAY(own->q, nq), BL_ARRAY(own->v, nv), BL_ARRAY(own->a, nv), BL_ARRAY(own->z, nz),
                         BL_ARRAY(own->refused_q, nq), BL_ARRAY(own->scale, nv), BL_ARRAY(own->move, nv), BL_ARRAY(own->mu, np),
                         BL_ARRAY(own->Sc, nr), BL_ARRAY(own->x, nr), BL_ARRAY(own->row_by, nr), BL_ARRAY(own->col_by, nr),
                         BL_ARRAY(own->zdd, nf), BL_ARRAY(own->s, nd), BL_ARRAY(own->key, ny), BL_ARRAY(own->y, ny), BL_ARRAY(own->dep, nr),
                         BL_ARRAY(own->ind, nf), BL_ARRAY(own->col_slot, nv), BL_ARRAY(own->ptr, nr + 1), BL_ARRAY(own->idx, nnz),
                         BL_ARRAY(own->from, nnz), BL_ARRAY(own->i_from, nnz), BL_ARRAY(own->i_row, nnz), BL_ARRAY(own->i_col, nnz),
                         BL_ARRAY(own->is_independent, nv)));
    bool full = own->f <= own->dense;
    double matrices = full ? (double)nr * (double)nf + 2 * (double)nv * (double)nf + (double)nf * (double)nf : 0;
    if (matrices > formulation_full_entries) {
        bl_fail(ctx, BL_E_ABILITY, NULL,
                "partition uses full matrices of the degrees of freedom: %d of %d coordinates need %.1f GB, more than the limit of %.1f GB",
                (int)nf, (int)nv, 8e-9 * matrices, 8e-9 * formulation_full_entries);
        bl_advise(ctx, "remove the option dense of partition");
        return BL_E_ABILITY;
    }
    bool many = nr * nd > BL_MOST_L;
    size_t wide = full ? nf : 0;
    BL_TRY(BL_NEW_ARRAYS(ctx, own->matrices, BL_ARRAY(own->R, nr * wide), BL_ARRAY(own->Sb, nr), BL_ARRAY(own->full, 2 * nv * wide),
                         BL_ARRAY(own->A, wide * wide), BL_ARRAY(own->L, many ? 0 : nr * nd), BL_ARRAY(own->LL, many ? 0 : nd * nd),
                         BL_ARRAY(own->many, many ? 2 * nr + 3 * nd : 0)));
    own->width = (bl_index)wide;
    own->R = full ? own->R : NULL; /* else with the parts */
    own->MR = own->full + nv * wide;
    own->many = many ? own->many : NULL;
    if (form->many == 0 || r > MOST_INVERTED)
        return BL_OK;
    size_t rows = bl_dense_room(nv), columns = bl_dense_room(np);
    return BL_NEW_ARRAYS(ctx, own->inverse, BL_ARRAY(own->P, columns * rows), BL_ARRAY(own->Px, rows), BL_ARRAY(own->Py, columns));
}

static void log_independent(bl_formulation *form) {
    const bl_partition *own = form->own;
    char text[400], name[96];
    size_t used = 0;
    bl_log_level level = form->repeated ? BL_LOG_DEBUG : BL_LOG_INFO;
    if (!bl_logs(form->ctx, level))
        return;
    text[0] = '\0';
    for (bl_index k = 0; k < own->f && used < sizeof text - 120; k++) {
        bl_system_col_name(form->sys, own->ind[k], name, sizeof name);
        int length = snprintf(text + used, sizeof text - used, "%s%s", k ? ", " : "", name);
        used += length > 0 ? (size_t)length : 0;
        if (used >= sizeof text - 120 && k + 1 < own->f)
            snprintf(text + used, sizeof text - used, ", and %d more", (int)(own->f - k - 1));
    }
    bl_log(form->ctx, level, "partition: independent coordinates%s: %s",
           own->by == BL_BY_QR    ? " by QR"
           : own->by == BL_BY_SVD ? " by singular values"
                                  : "",
           own->f ? text : "none, the motion is prescribed");
}

/* 0: decided by pivots; 1: angles and distances, in which motions are smoother; 2: wanted by the user */
static void preferences(const bl_system *sys, uint8_t *preference) {
    for (bl_index j = 0; j < sys->nv; j++)
        preference[j] = sys->col[j].what == BL_COL_ANGLE || sys->col[j].what == BL_COL_DISTANCE;
    for (bl_index k = 0; k < sys->nindependent; k++)
        preference[sys->independent[k]] = 2;
}

bl_status bl_partition_choose(bl_formulation *form, bool preferred_last) {
    bl_partition *own = form->own;
    const bl_system *sys = form->sys;
    bl_context *ctx = form->ctx;
    bl_index *row_order = NULL, rank = 0, nout = 0;
    uint8_t *last = NULL, *inactive = NULL;
    void *block = NULL;
    bl_partition_free(form);
    bl_status status =
        BL_NEW_ARRAYS(ctx, block, BL_ARRAY(row_order, sys->np + sys->nv), BL_ARRAY(last, sys->nv), BL_ARRAY(inactive, sys->np));
    if (status == BL_OK) {
        preferences(sys, last);
        for (bl_index j = 0; j < sys->nv && sys->nindependent > 0; j++)
            last[j] = last[j] == 2; /* coordinates wanted by the user come before angles and distances */
        for (bl_index j = 0; j < sys->nv && !preferred_last; j++)
            last[j] = 0;
        status = bl_formulation_rank(form, last, row_order, row_order + sys->np, &rank);
    }
    if (status == BL_OK)
        status = bl_partition_columns(form, last, row_order, rank, row_order + sys->np);
    if (status == BL_OK)
        nout = bl_rows_inactive(sys, form->at_e.G, inactive, &(bool){false});
    if (status == BL_OK)
        status = make_memory(form, rank, nout);
    if (status == BL_OK) {
        memcpy(own->rows.inactive, inactive, (size_t)sys->np);
        bl_row_choice_keep(&own->rows, row_order, rank);
        for (bl_index j = rank; j < sys->nv; j++)
            own->is_independent[row_order[sys->np + j]] = 1;
        preferences(sys, last);
        for (bl_index j = 0; j < sys->nv; j++)
            own->scale[j] = sys->col[j].scale / (last[j] == 2 ? 9 : last[j] == 1 ? 3 : 1);
        /* integrating only independent coordinates pays when they are angles or distances; points on circles are better integrated
         * completely */
        bool preferred = true;
        for (bl_index j = 0; j < sys->nv; j++)
            preferred = preferred && (last[j] || !own->is_independent[j]);
        bool flat = sys->facts & BL_FLAT;                   /* else no position belongs to a single velocity */
        bool velocity_rows = sys->facts & BL_VELOCITY_ROWS; /* positions are no functions of the independent ones */
        own->all =
            own->index == 3 && (own->state == BL_STATE_FULL || (own->state == BL_STATE_AUTO && !(preferred && flat && !velocity_rows)));
        own->least_change = own->all;
        own->exchange = own->exchange_given > 0 ? own->exchange_given : own->all ? 4 : 1.5;
        form->ny = sys->nq + (own->all ? sys->nv : own->f) + sys->nz + 1;
        status = bl_formulation_count(form, row_order, rank, nout, BL_LOG_INFO);
        if (status == BL_OK)
            status = bl_partition_build(form);
    }
    if (status == BL_OK)
        log_independent(form);
    if (status == BL_OK && own->parts)
        bl_partition_parts_log(form);
    bl_free(ctx, block);
    return status;
}

bl_status bl_partition_follow(bl_formulation *form, const bl_formulation *of, const bl_state *state) {
    bl_partition *own = form->own;
    const bl_partition *other = of->own;
    const bl_system *sys = form->sys;
    if (!own->block || own->r != other->r || own->rows.nout != other->rows.nout) {
        bl_partition_free(form);
        BL_TRY(make_memory(form, other->r, other->rows.nout));
        form->dof = of->dof;
        form->dof_position = of->dof_position;
        form->redundant = of->redundant;
    }
    memcpy(own->rows.inactive, other->rows.inactive, (size_t)sys->np);
    if (other->G_samples && !own->G_samples) { /* orderings that use values */
        size_t count = (size_t)other->nsample * (size_t)sys->pat_G.ptr[sys->nv];
        BL_TRY(BL_NEW(form->ctx, own->G_samples, count));
        memcpy(own->G_samples, other->G_samples, count * sizeof *own->G_samples);
        own->nsample = other->nsample;
    }
    own->all = other->all;
    own->least_change = other->least_change;
    own->exchange = other->exchange;
    form->ny = of->ny;
    form->drifts = of->drifts;
    memcpy(own->rows.slot, other->rows.slot, (size_t)sys->np * sizeof *own->rows.slot);
    memcpy(own->is_independent, other->is_independent, (size_t)sys->nv);
    memcpy(own->scale, other->scale, (size_t)sys->nv * sizeof *own->scale);
    form->history = state->history;
    bl_formulation_move_to(form, *state->t, state->q, state->v, state->z);
    BL_TRY(bl_partition_build(form));
    BL_TRY(bl_system_eval(sys, &form->at_e, BL_G));
    bl_status status = bl_partition_factor(form, true); /* it allocates here rather than in a sample */
    own->level = other->level;
    own->sigma = other->sigma;
    return status < 0 ? status : BL_OK;
}

bl_status bl_partition_choose_again(bl_formulation *form) {
    bl_partition *own = form->own;
    const bl_system *sys = form->sys;
    bl_index *row_order, rank = 0;
    BL_TRY(BL_NEW(form->ctx, row_order, sys->np + sys->nv));
    /* off the constraints: rows violated by their misfit would move the configuration, so the same ones are kept */
    bl_status status = sys->closure > 0 ? bl_formulation_rank_kept(form, NULL, row_order, row_order + sys->np, &rank)
                                        : bl_formulation_rank(form, NULL, row_order, row_order + sys->np, &rank);
    if (status == BL_OK && rank != own->r)
        status = BL_SINGULAR;
    if (status == BL_OK)
        bl_row_choice_keep(&own->rows, row_order, rank);
    for (bl_index j = 0; j < sys->nv && status == BL_OK; j++)
        own->is_independent[row_order[sys->np + j]] = j >= rank;
    bl_free(form->ctx, row_order);
    BL_TRY(status);
    form->stats.repartitions++;
    return bl_partition_build(form);
}

bl_status bl_partition_build(bl_formulation *form) {
    bl_partition *own = form->own;
    const bl_system *sys = form->sys;
    const bl_pattern *G = &sys->pat_G;
    bl_index dep = 0, ind = 0;
    bl_row_choice_number(&own->rows);
    bl_formulation_set_dropped(form, own->rows.slot, own->r);
    for (bl_index j = 0; j < sys->nv; j++) {
        if (!own->is_independent[j])
            own->dep[own->col_slot[j] = dep++] = j;
        else {
            own->col_slot[j] = -1 - ind;
            own->ind[ind++] = j;
        }
    }
    /* kept and dep ascend, so the entries of a column of J ascend as those of G do */
    bl_index nnz = 0, ni = 0;
    own->ptr[0] = 0;
    for (bl_index j = 0; j < sys->nv; j++) {
        for (bl_index k = G->ptr[j]; k < G->ptr[j + 1]; k++) {
            bl_index row = own->rows.slot[G->idx[k]];
            if (row < 0)
                continue;
            double factor = own->scale[j] / sys->row[G->idx[k]].scale;
            if (own->col_slot[j] >= 0) {
                own->idx[nnz] = row;
                own->from[nnz] = k;
                own->factor[nnz++] = factor;
            } else {
                own->i_row[ni] = row;
                own->i_col[ni] = -1 - own->col_slot[j];
                own->i_from[ni] = k;
                own->i_factor[ni++] = factor;
            }
        }
        if (own->col_slot[j] >= 0)
            own->ptr[own->col_slot[j] + 1] = nnz;
    }
    own->ni = ni;
    for (bl_index i = 0; i < own->r; i++) {
        own->row_by[i] = 1 / sys->row[own->rows.kept[i]].scale;
        own->col_by[i] = own->scale[own->dep[i]];
    }
    if (own->f > own->dense)
        BL_TRY(bl_partition_parts_build(form));
    own->pattern = (bl_pattern){.nrow = own->r, .ncol = own->r, .ptr = own->ptr, .idx = own->idx};
    own->stage = 0;
    own->factored = false;
    /* error weights: velocities with a time scale of one second; dependent positions of index 3 are only first guesses */
    double *weight = bl_resize(form->ctx, form->weight, (size_t)form->ny, sizeof *weight);
    if (!weight)
        return BL_E_MEMORY;
    form->weight = weight;
    bool guesses = own->index == 3 && !own->all && (sys->facts & BL_FLAT) && !(sys->facts & BL_VELOCITY_ROWS);
    for (bl_index i = 0; i < sys->nq; i++)
        weight[i] = guesses && !own->is_independent[i] ? 0 : bl_system_q_scale(sys, i);
    for (bl_index k = 0; k < sys->nv; k++)
        if (own->all)
            weight[sys->nq + k] = sys->col[k].scale;
        else if (k < own->f)
            weight[sys->nq + k] = sys->col[own->ind[k]].scale;
    for (bl_index i = 0; i < sys->nz; i++)
        weight[bl_partition_states(form) + i] = sys->col[sys->nv + i].scale;
    /* The work of forces is not controlled. That of drivers oscillates besides a motion that may be slow or prescribed, and steps that are
     * right for the motion alone would be too long for it: its scale is the kinetic energy at unit speed. */
    bool driven = own->f == 0 || (sys->facts & BL_RHEONOMIC);
    weight[form->ny - 1] = 0;
    if (driven)
        BL_TRY(bl_system_eval(sys, &form->at_e, BL_M));
    for (bl_index j = 0; driven && j < sys->nv; j++) {
        bl_index k = bl_pattern_find(&sys->pat_M, j, j);
        weight[form->ny - 1] += k < 0 ? 0 : 0.5 * form->at_e.M[k] * sys->col[j].scale * sys->col[j].scale;
    }
    if (own->r == 0)
        return BL_OK;
    bl_order_input hints;
    BL_TRY(bl_partition_hints(form, &hints));
    return bl_formulation_analyze(form, &own->pattern, &hints, BL_REFUSE, form->rank_tolerance * system_rank_kept);
}

bl_status bl_partition_factor(bl_formulation *form, bool anew) {
    bl_partition *own = form->own;
    if (own->r == 0)
        return BL_OK;
    const double *G = form->at_e.G;
    bl_index nnz = own->ptr[own->r];
    anew = anew || !own->factored;
    bool same = !anew; /* true after an exchange, where pivots were chosen at this configuration */
    for (bl_index k = 0; k < nnz; k++) {
        double value = own->factor[k] * G[own->from[k]];
        same = same && value == own->values[k];
        own->values[k] = value;
    }
    if (same)
        return BL_OK;
    own->factored = false;
    long factors = form->stats.factors;
    BL_TRY(bl_formulation_factor(form, anew, own->values));
    own->factored = true;
    if (form->stats.factors > factors) {
        own->fresh = form->linsol->stats.worst_pivot;
        own->level = fmax(own->level, own->fresh);
    }
    return BL_OK;
}

/* ---- exchanges */

/* largest entry of x[n] and its index */
static double largest_entry(size_t n, const double *x, size_t *where) {
    double best = 0;
    *where = 0;
    for (size_t i = 0; i < n; i++)
        if (fabs(x[i]) > best) {
            best = fabs(x[i]);
            *where = i;
        }
    return best;
}

/* x_d = R w solved for w_k instead of x_p */
static void pivot_tableau(bl_index r, bl_index f, double *R, bl_index p, bl_index k) {
    double *column_k = R + (size_t)k * (size_t)r, inverse = 1 / column_k[p];
    for (bl_index l = 0; l < f; l++) {
        double *column = R + (size_t)l * (size_t)r;
        if (l == k || column[p] == 0)
            continue;
        double factor = column[p] * inverse;
        for (bl_index i = 0; i < r; i++)
            if (i != p)
                column[i] -= column_k[i] * factor;
        column[p] = -factor;
    }
    for (bl_index i = 0; i < r; i++)
        column_k[i] *= inverse;
    column_k[p] = inverse;
}

void bl_partition_log_exchange(bl_formulation *form, bl_index p, bl_index k) {
    const bl_partition *own = form->own;
    char in[96], out[96];
    bl_system_col_name(form->sys, own->dep[p], in, sizeof in);
    bl_system_col_name(form->sys, own->ind[k], out, sizeof out);
    bl_log(form->ctx, BL_LOG_DEBUG, "partition: %s becomes independent instead of %s at t = %.6g", in, out, form->at_e.t);
}

bl_status bl_partition_exchange_columns(bl_formulation *form, bool *changed) {
    bl_partition *own = form->own;
    if (own->parts)
        return bl_partition_parts_exchange(form, goal(own), changed);
    size_t n = (size_t)own->r * (size_t)own->f, where;
    *changed = false;
    if (own->largest_R <= own->exchange)
        return BL_OK;
    int most = 2 * own->f + 10;
    own->stage = 0; /* R becomes the tableau */
    for (int count = 0; count < most && largest_entry(n, own->R, &where) > goal(own); count++) {
        bl_index p = (bl_index)(where % (size_t)own->r), k = (bl_index)(where / (size_t)own->r);
        bl_partition_log_exchange(form, p, k);
        pivot_tableau(own->r, own->f, own->R, p, k);
        own->is_independent[own->dep[p]] = 1;
        own->is_independent[own->ind[k]] = 0;
        bl_index column = own->dep[p];
        own->dep[p] = own->ind[k];
        own->ind[k] = column;
        *changed = true;
    }
    if (*changed)
        BL_TRY(bl_formulation_rebase(form));
    return *changed ? bl_partition_build(form) : BL_OK;
}

bl_status bl_partition_dropped_rows(bl_formulation *form) {
    bl_partition *own = form->own;
    const bl_system *sys = form->sys;
    if (own->rows.nd == 0 || own->r == 0)
        return BL_OK;
    size_t r = (size_t)own->r;
    memset(own->L, 0, r * (size_t)own->rows.nd * sizeof(double));
    for (bl_index p = 0; p < own->r; p++) {
        bl_index j = own->dep[p];
        for (bl_index k = sys->pat_G.ptr[j]; k < sys->pat_G.ptr[j + 1]; k++) {
            bl_index slot = own->rows.slot[sys->pat_G.idx[k]];
            if (slot < 0 && -1 - slot < own->rows.nd)
                own->L[(size_t)(-1 - slot) * r + (size_t)p] = form->at_e.G[k] * own->scale[j] / sys->row[sys->pat_G.idx[k]].scale;
        }
    }
    form->stats.solves += own->rows.nd;
    return bl_linsol_solve(form->linsol, true, own->rows.nd, own->L);
}

/* With many dropped rows: keeps other rows where the elimination selects others with the same columns. */
static bl_status choose_rows_again(bl_formulation *form, bool *changed) {
    bl_partition *own = form->own;
    const bl_system *sys = form->sys;
    bl_index *row_order, rank = 0;
    BL_TRY(BL_NEW(form->ctx, row_order, sys->np + sys->nv));
    bl_status status = bl_formulation_rank(form, own->is_independent, row_order, row_order + sys->np, &rank);
    for (bl_index i = 0; i < rank && status == BL_OK && rank == own->r; i++)
        *changed = *changed || own->rows.slot[row_order[i]] < 0;
    for (bl_index j = rank; j < sys->nv && *changed; j++) /* y keeps its meaning: the columns stay */
        *changed = own->is_independent[row_order[sys->np + j]];
    if (status == BL_OK && *changed)
        status = bl_formulation_rebase(form);
    if (status == BL_OK && *changed)
        bl_row_choice_keep(&own->rows, row_order, rank);
    bl_free(form->ctx, row_order);
    BL_TRY(status);
    return *changed ? bl_partition_build(form) : BL_OK;
}

bl_status bl_partition_exchange_rows(bl_formulation *form, bool *changed) {
    bl_partition *own = form->own;
    *changed = false;
    if (own->rows.nd == 0 || own->r == 0)
        return BL_OK;
    if (own->many)
        return choose_rows_again(form, changed);
    BL_TRY(bl_partition_dropped_rows(form));
    size_t n = (size_t)own->r * (size_t)own->rows.nd, where;
    if (largest_entry(n, own->L, &where) <= own->exchange)
        return BL_OK;
    BL_TRY(bl_formulation_rebase(form)); /* rows kept from now on must not force a jump */
    int most = 2 * own->rows.nd + 10;
    for (int count = 0; count < most && largest_entry(n, own->L, &where) > goal(own); count++) {
        bl_index p = (bl_index)(where % (size_t)own->r), k = (bl_index)(where / (size_t)own->r);
        pivot_tableau(own->r, own->rows.nd, own->L, p, k);
        bl_index row = own->rows.kept[p];
        own->rows.slot[row] = -1;
        own->rows.slot[own->rows.dropped[k]] = 0;
        own->rows.kept[p] = own->rows.dropped[k];
        own->rows.dropped[k] = row;
        *changed = true;
    }
    if (*changed)
        bl_log(form->ctx, BL_LOG_DEBUG, "partition: other redundant equations are kept from t = %.6g on", form->at_e.t);
    return *changed ? bl_partition_build(form) : BL_OK;
}
