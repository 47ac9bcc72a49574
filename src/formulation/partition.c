/* Coordinate partition with velocity projection. Of the velocities only the independent ones w are unknown:
 *
 *     v = R w + S b,   a = R w' + S c,   (R^T M R) w' = R^T (Q - M S c),   G R = 0
 *
 * Index 2 integrates (q, w). Index 3 closes the positions by Newton in every evaluation and integrates either what is independent
 * (the rest of q in y is only the first guess, so that it follows the branch) or, with state=full, (q, v) projected onto the constraints
 * in the metric of M, which does not feel which coordinates are independent. Garcia de Jalon and Bayo (1994), chapter 5. */
#include "formulation/partition.h"

#include "sparse/sparse.h"

#include <math.h>
#include <string.h>

enum { MOST_NEWTON = 15 };
static const double SINGULAR_AT = 1e-3;    /* worst pivot relative to the level that makes a place singular */
static const double SMALL_SIGMA = 0.03;   /* smallest singular value relative to its best that confirms it */
static const double BASIS_LOST = 100;      /* largest |R| above which the choice of coordinates, not the place, is at fault */
static const double FAR = 0.3;             /* a first correction above this (relative to the column scale) may reach another branch */
static const double CLOSED = 1e-13;        /* corrections below this are rounding */
static const double MASSLESS = 1e-14;      /* pivot / diagonal of R^T M R */

static bl_status refuse(bl_formulation *form, bl_status status, bl_index at) {
    bl_partition *own = form->own;
    own->refused = status;
    own->refused_t = form->at_e.t;
    own->refused_at = at;
    memcpy(own->refused_q, own->q, (size_t)form->sys->nv * sizeof(double));
    own->stage = 0;
    return status;
}

static void move(bl_formulation *form, double t) {
    bl_partition *own = form->own;
    bl_formulation_place(form, t, own->q, own->v);
}

static bl_status solve(bl_formulation *form, bool transposed, bl_index nrhs, double *x) {
    const bl_partition *own = form->own;
    if (own->r == 0 || nrhs == 0)
        return BL_OK;
    form->stats.solves += nrhs;
    return form->linsol->kind->solve(form->linsol, transposed, nrhs, x);
}

/* four sums, so that the additions need not wait for each other; always in the same order */
static double dot(size_t n, const double *x, const double *y) {
    double sum[4] = {0};
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (size_t c = 0; c < 4; c++)
            sum[c] += x[i + c] * y[i + c];
    for (; i < n; i++)
        sum[0] += x[i] * y[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* J R = -G_i with the values of G that J was made of */
static bl_status find_directions(bl_formulation *form) {
    bl_partition *own = form->own;
    size_t r = (size_t)own->r;
    own->with_mass = false;
    memset(own->R, 0, r * (size_t)own->f * sizeof(double));
    for (bl_index k = 0; k < own->ni; k++)
        own->R[(size_t)own->i_col[k] * r + (size_t)own->i_row[k]] = -own->i_factor[k] * form->at_e.G[own->i_from[k]];
    BL_TRY(solve(form, false, own->f, own->R));
    own->largest_R = 0;
    for (size_t i = 0; i < r * (size_t)own->f; i++)
        if (!(fabs(own->R[i]) <= own->largest_R))
            own->largest_R = fabs(own->R[i]);
    return BL_OK;
}

/* S b in the column behind R */
static bl_status find_drive(bl_formulation *form) {
    bl_partition *own = form->own;
    const bl_system *sys = form->sys;
    double *b = own->R + (size_t)own->f * (size_t)own->r;
    if (!(sys->facts & BL_RHEONOMIC))
        return BL_OK;
    BL_TRY(bl_system_eval(sys, &form->at_e, BL_B));
    for (bl_index i = 0; i < own->r; i++)
        b[i] = form->at_e.b[own->kept[i]] / sys->row[own->kept[i]].scale;
    return solve(form, false, 1, b);
}

/* columns of R with unit scaled independent velocity, M times them, and R^T M R factored */
static bl_status reduced_mass(bl_formulation *form) {
    bl_partition *own = form->own;
    const bl_system *sys = form->sys;
    size_t nv = (size_t)sys->nv, f = (size_t)own->f;
    if (own->with_mass)
        return BL_OK;
    BL_TRY(bl_system_eval(sys, &form->at_e, BL_M));
    memset(own->full, 0, 2 * nv * f * sizeof(double)); /* MR lies behind */
    for (size_t k = 0; k < f; k++) {
        double *column = own->full + k * nv;
        const double *R = own->R + k * (size_t)own->r;
        for (bl_index i = 0; i < own->r; i++)
            column[own->dep[i]] = own->scale[own->dep[i]] * R[i];
        column[own->ind[k]] = own->scale[own->ind[k]];
        bl_csc_multiply(&sys->pat_M, form->at_e.M, column, own->MR + k * nv);
        for (size_t l = 0; l <= k; l++)
            own->A[l * f + k] = dot(nv, column, own->MR + l * nv);
    }
    for (size_t k = 0; k < f; k++)
        own->zdd[k] = own->A[k * f + k];
    bl_index bad = 0;
    bl_status status = bl_cholesky(own->f, own->A, &bad);
    for (size_t k = 0; k < f && status == BL_OK; k++)
        if (own->A[k * f + k] * own->A[k * f + k] < MASSLESS * own->zdd[k]) {
            status = BL_SINGULAR;
            bad = (bl_index)k;
        }
    if (status != BL_OK)
        return refuse(form, BL_SINGULAR, -2 - own->ind[bad]);
    own->with_mass = true;
    return BL_OK;
}

/* x <- R (R^T M R)^-1 R^T M x, the part along the allowed motions */
static void keep_allowed(bl_formulation *form, double *x) {
    bl_partition *own = form->own;
    size_t nv = (size_t)form->sys->nv;
    for (bl_index k = 0; k < own->f; k++)
        own->zdd[k] = dot(nv, own->MR + (size_t)k * nv, x);
    bl_cholesky_solve(own->f, own->A, own->zdd);
    memset(x, 0, nv * sizeof *x);
    for (bl_index k = 0; k < own->f; k++) {
        const double *column = own->full + (size_t)k * nv;
        for (size_t i = 0; i < nv; i++)
            x[i] += column[i] * own->zdd[k];
    }
}

/* J, and with state=full the projection onto the allowed motions, at the place of at_e */
static bl_status prepare(bl_formulation *form) {
    bl_partition *own = form->own;
    BL_TRY(bl_system_eval(form->sys, &form->at_e, BL_PHI | BL_G));
    own->with_mass = false;
    return bl_partition_factor(form, false) == BL_OK ? BL_OK : refuse(form, BL_SINGULAR, -1);
}

/* own->q += -J^-1 phi, dependent columns only, or the least change in the metric of M. *size: largest change / scale;
 * *worst: row of the largest phi. */
static bl_status correct(bl_formulation *form, double *size, bl_index *worst) {
    bl_partition *own = form->own;
    const bl_system *sys = form->sys;
    const bl_eval *e = &form->at_e;
    double largest = 0;
    *size = 0;
    *worst = -1;
    for (bl_index i = 0; i < own->r; i++) {
        own->x[i] = -e->phi[own->kept[i]] / sys->row[own->kept[i]].scale;
        if (!(fabs(own->x[i]) <= largest)) {
            largest = fabs(own->x[i]);
            *worst = own->kept[i];
        }
    }
    BL_TRY(solve(form, false, 1, own->x));
    form->stats.newton_iterations++;
    for (bl_index i = 0; i < own->r; i++)
        if (!(fabs(own->x[i]) <= *size))
            *size = fabs(own->x[i]);
    for (bl_index i = 0; i < own->r; i++)
        own->q[own->dep[i]] += own->scale[own->dep[i]] * own->x[i];
    if (!own->least_change || own->f == 0 || !(*size > CLOSED))
        return BL_OK;
    if (!own->with_mass) {
        BL_TRY(find_directions(form));
        BL_TRY(reduced_mass(form));
    }
    double *along = own->a;
    memset(along, 0, (size_t)sys->nv * sizeof *along);
    for (bl_index i = 0; i < own->r; i++)
        along[own->dep[i]] = own->scale[own->dep[i]] * own->x[i];
    keep_allowed(form, along);
    for (bl_index j = 0; j < sys->nv; j++)
        own->q[j] -= along[j];
    return BL_OK;
}

/* Positions onto phi = 0 from the guess in own->q. One factorisation at the guess, corrections with it as long as they shrink fast. On
 * success G is evaluated and J factored at the result. */
static bl_status close_positions(bl_formulation *form, double t) {
    const bl_system *sys = form->sys;
    bl_eval *e = &form->at_e;
    double before = 0, size;
    bool fresh = true, moved = false;
    BL_TRY(prepare(form));
    for (int count = 0;; count++) {
        bl_index worst;
        BL_TRY(correct(form, &size, &worst));
        if (!(size <= FAR) || count == MOST_NEWTON)
            return refuse(form, isnan(size) ? BL_NOT_FINITE : BL_NO_CONVERGENCE, worst);
        if (size <= CLOSED)
            break;
        moved = true;
        double ratio = count ? size / before : 0;
        if (count && size < 1e-10 && ratio > 0.3)
            break; /* rounding, amplified near a singular position */
        if (count && ratio >= 1)
            return refuse(form, BL_NO_CONVERGENCE, worst);
        /* what is left: with fresh factors the square, else the ratio of the corrections */
        if ((fresh && size < 1e-9) || (count && ratio * size / (1 - ratio) < 0.1 * CLOSED))
            break;
        before = size;
        move(form, t);
        fresh = count && ratio > 0.1;
        if (fresh)
            BL_TRY(prepare(form));
        else
            BL_TRY(bl_system_eval(sys, e, BL_PHI));
    }
    if (!moved)
        return BL_OK;
    move(form, t);
    BL_TRY(bl_system_eval(sys, e, BL_G));
    return bl_partition_factor(form, false) == BL_OK ? BL_OK : refuse(form, BL_SINGULAR, -1);
}

/* Estimate of the smallest singular value of J by inverse iteration; spoils x and Sc. */
static bl_status smallest_singular_value(bl_formulation *form, double *sigma) {
    bl_partition *own = form->own;
    uint32_t bits = 2463534242u;
    double norm = 0;
    for (bl_index i = 0; i < own->r; i++) {
        bits ^= bits << 13, bits ^= bits >> 17, bits ^= bits << 5;
        own->x[i] = (double)bits / 4294967296.0 + 0.5;
    }
    for (int k = 0; k < 3; k++) {
        double before = 0, after = 0;
        for (bl_index i = 0; i < own->r; i++)
            before += own->x[i] * own->x[i];
        BL_TRY(solve(form, false, 1, own->x));
        BL_TRY(solve(form, true, 1, own->x));
        for (bl_index i = 0; i < own->r; i++)
            after += own->x[i] * own->x[i];
        norm = sqrt(after / before);
        for (bl_index i = 0; i < own->r; i++)
            own->x[i] /= sqrt(after);
    }
    *sigma = norm > 0 && isfinite(norm) ? 1 / sqrt(norm) : 0;
    return BL_OK;
}

/* A place must not be singular. Small pivots raise the suspicion; new pivots, then singular values decide. */
static bl_status judge(bl_formulation *form) {
    bl_partition *own = form->own;
    if (own->judged || own->r == 0)
        return BL_OK;
    if (!(own->largest_R <= BASIS_LOST))
        return refuse(form, BL_NO_CONVERGENCE, -1);
    const bl_linsol_stats *stats = &form->linsol->stats;
    if (stats->worst_pivot < SINGULAR_AT * own->level) {
        if (bl_partition_factor(form, true) != BL_OK)
            return refuse(form, BL_SINGULAR, -1);
        BL_TRY(find_directions(form));
    }
    if (stats->worst_pivot < SINGULAR_AT * own->level) {
        double sigma;
        BL_TRY(smallest_singular_value(form, &sigma));
        if (sigma < SMALL_SIGMA * own->sigma)
            return refuse(form, own->largest_R <= BASIS_LOST ? BL_SINGULAR : BL_NO_CONVERGENCE, -1);
    }
    own->judged = true;
    return BL_OK;
}

/* v nearest to the velocities v_all in the metric of M */
static bl_status project_velocities(bl_formulation *form, const double *v_all) {
    bl_partition *own = form->own;
    const double *Sb = own->R + (size_t)own->f * (size_t)own->r;
    bool driven = form->sys->facts & BL_RHEONOMIC;
    BL_TRY(reduced_mass(form));
    memcpy(own->v, v_all, (size_t)form->sys->nv * sizeof *v_all);
    for (bl_index i = 0; i < own->r && driven; i++)
        own->v[own->dep[i]] -= own->scale[own->dep[i]] * Sb[i];
    keep_allowed(form, own->v);
    for (bl_index i = 0; i < own->r && driven; i++)
        own->v[own->dep[i]] += own->scale[own->dep[i]] * Sb[i];
    return BL_OK;
}

/* v = R w + S b */
static bl_status expand_velocities(bl_formulation *form, const double *w) {
    bl_partition *own = form->own;
    const double *Sb = own->R + (size_t)own->f * (size_t)own->r;
    bool driven = form->sys->facts & BL_RHEONOMIC;
    for (bl_index i = 0; i < own->r; i++)
        own->x[i] = driven ? Sb[i] : 0;
    for (bl_index k = 0; k < own->f; k++) {
        const double *column = own->R + (size_t)k * (size_t)own->r;
        double wk = w[k] / own->scale[own->ind[k]];
        for (bl_index i = 0; i < own->r; i++)
            own->x[i] += column[i] * wk;
        own->v[own->ind[k]] = w[k];
    }
    for (bl_index i = 0; i < own->r; i++)
        own->v[own->dep[i]] = own->scale[own->dep[i]] * own->x[i];
    return BL_OK;
}

/* stage 1: q, J, R, v from (t, y). strict: for integration, singular places are refused. */
static bl_status go_to(bl_formulation *form, double t, const double *y, bool strict) {
    bl_partition *own = form->own;
    const bl_system *sys = form->sys;
    size_t bytes = (size_t)form->ny * sizeof *y;
    if (own->stage > 0 && own->key_t == t && memcmp(own->key, y, bytes) == 0)
        return strict ? judge(form) : BL_OK;
    own->stage = 0;
    own->judged = false;
    memcpy(own->q, y, (size_t)sys->nv * sizeof *y);
    move(form, t);
    if (own->index == 3) {
        BL_TRY(close_positions(form, t));
    } else {
        BL_TRY(bl_system_eval(sys, &form->at_e, BL_G));
        if (bl_partition_factor(form, false) != BL_OK)
            return refuse(form, BL_SINGULAR, -1);
    }
    BL_TRY(find_directions(form));
    if (strict)
        BL_TRY(judge(form));
    BL_TRY(find_drive(form));
    BL_TRY(own->all ? project_velocities(form, y + sys->nv) : expand_velocities(form, y + sys->nv));
    memcpy(own->key, y, bytes);
    own->key_t = t;
    own->stage = 1;
    return BL_OK;
}

/* scaled multipliers of the kept rows: J^T mu = (Q - M a)_d */
static bl_status multipliers(bl_formulation *form) {
    bl_partition *own = form->own;
    const bl_system *sys = form->sys;
    bl_eval *e = &form->at_e;
    for (bl_index i = 0; i < own->r; i++)
        own->mu[i] = e->Q[own->dep[i]];
    for (bl_index j = 0; j < sys->nv; j++)
        for (bl_index k = sys->pat_M.ptr[j]; k < sys->pat_M.ptr[j + 1]; k++) {
            bl_index place = own->col_place[sys->pat_M.idx[k]];
            if (place >= 0)
                own->mu[place] -= e->M[k] * own->a[j];
        }
    for (bl_index i = 0; i < own->r; i++)
        own->mu[i] *= own->scale[own->dep[i]];
    return solve(form, true, 1, own->mu);
}

/* stage 2: accelerations and power */
static bl_status accelerate(bl_formulation *form) {
    bl_partition *own = form->own;
    const bl_system *sys = form->sys;
    bl_eval *e = &form->at_e;
    size_t nv = (size_t)sys->nv;
    if (own->stage == 2)
        return BL_OK;
    form->stats.evaluations++;
    BL_TRY(bl_system_eval(sys, e, BL_M | BL_Q | BL_C));
    BL_TRY(reduced_mass(form));
    for (bl_index i = 0; i < own->r; i++)
        own->Sc[i] = e->c[own->kept[i]] / sys->row[own->kept[i]].scale;
    BL_TRY(solve(form, false, 1, own->Sc));
    /* w' from the forces left after S c */
    memset(own->a, 0, nv * sizeof(double));
    for (bl_index i = 0; i < own->r; i++)
        own->a[own->dep[i]] = own->scale[own->dep[i]] * own->Sc[i];
    for (bl_index k = 0; k < own->f; k++)
        own->zdd[k] = dot(nv, own->full + (size_t)k * nv, e->Q) - dot(nv, own->MR + (size_t)k * nv, own->a);
    bl_cholesky_solve(own->f, own->A, own->zdd);
    for (bl_index k = 0; k < own->f; k++) {
        const double *column = own->full + (size_t)k * nv;
        for (size_t i = 0; i < nv; i++)
            own->a[i] += column[i] * own->zdd[k];
    }
    for (size_t i = 0; i < nv; i++)
        if (!isfinite(own->a[i]))
            return refuse(form, BL_NOT_FINITE, (bl_index)i);
    own->power = e->power;
    if (sys->facts & BL_RHEONOMIC) {
        BL_TRY(multipliers(form));
        for (bl_index i = 0; i < own->r; i++)
            own->power -= own->mu[i] / sys->row[own->kept[i]].scale * e->b[own->kept[i]];
    }
    own->stage = 2;
    return BL_OK;
}

/* ---- slots */

static bl_status partition_to_y(bl_formulation *form, const bl_state *state, double *y) {
    bl_partition *own = form->own;
    size_t nv = (size_t)form->sys->nv, bytes = nv * sizeof *y;
    form->history = state->history;
    memcpy(y, state->q, bytes);
    if (own->all)
        memcpy(y + nv, state->v, bytes);
    for (bl_index k = 0; k < own->f && !own->all; k++)
        y[nv + (size_t)k] = state->v[own->ind[k]];
    y[form->ny - 1] = *state->work;
    /* the same place under its closed positions and velocities: what was found there stays valid */
    if (own->stage > 0 && own->key_t == *state->t && memcmp(own->q, state->q, bytes) == 0 && memcmp(own->v, state->v, bytes) == 0)
        memcpy(own->key, y, (size_t)form->ny * sizeof *y);
    return BL_OK;
}

static bl_status partition_from_y(bl_formulation *form, double t, const double *y, bl_state *state) {
    bl_partition *own = form->own;
    size_t bytes = (size_t)form->sys->nv * sizeof *y;
    BL_TRY(go_to(form, t, y, false));
    *state->t = t;
    memcpy(state->q, own->q, bytes);
    memcpy(state->v, own->v, bytes);
    *state->work = y[form->ny - 1];
    return BL_OK;
}

/* J factored at the place of at_e with new pivots; remembers how good they are */
static bl_status new_pivots(bl_formulation *form) {
    bl_partition *own = form->own;
    BL_TRY(bl_partition_factor(form, true));
    /* a place that was accepted, or given, must remain possible */
    own->level = fmin(own->level, own->fresh / (5 * SINGULAR_AT));
    own->rows_checked = own->fresh;
    double sigma = 0;
    if (own->r > 0)
        BL_TRY(smallest_singular_value(form, &sigma));
    own->sigma = fmax(own->sigma, sigma);
    return BL_OK;
}

static bl_status choose_at(bl_formulation *form, const bl_state *state) {
    bl_partition *own = form->own;
    const bl_system *sys = form->sys;
    bl_formulation_place(form, *state->t, state->q, state->v);
    BL_TRY(bl_system_eval(sys, &form->at_e, BL_G));
    BL_TRY(bl_partition_choose(form));
    own = form->own;
    memcpy(own->q, state->q, (size_t)sys->nv * sizeof(double));
    memcpy(own->v, state->v, (size_t)sys->nv * sizeof(double));
    move(form, *state->t);
    BL_TRY(bl_system_eval(sys, &form->at_e, BL_G));
    return new_pivots(form);
}

static bl_status massless(bl_formulation *form) {
    bl_partition *own = form->own;
    char name[96];
    bl_system_col_name(form->sys, -2 - own->refused_at, name, sizeof name);
    bl_fail(form->ctx, BL_E_MODEL, NULL, "a motion allowed by the constraints moves no mass: that of %s", name);
    bl_advise(form->ctx, "give mass or inertia to the bodies that can move alone, or hold them");
    bl_blame(form->ctx, name, "equation of motion", own->refused_t);
    return BL_E_MODEL;
}

static bl_status partition_setup(bl_formulation *form, const bl_state *state) {
    if (!form->own) {
        bl_partition *fresh;
        BL_TRY(BL_NEW(form->ctx, fresh, 1));
        form->own = fresh;
        fresh->index = (bl_index)form->value[0].number;
        fresh->state = (int)form->value[1].number;
        fresh->exchange_given = form->value[2].given ? form->value[2].number : 0;
        if (fresh->index != 2 && fresh->index != 3)
            return bl_fail(form->ctx, BL_E_ARG, NULL, "partition: index must be 2 or 3, not %d", (int)fresh->index);
        if (form->value[2].given && !(fresh->exchange_given >= 1.2))
            return bl_fail(form->ctx, BL_E_ARG, NULL, "partition: exchange must be at least 1.2, not %g", fresh->exchange_given);
    }
    form->history = state->history;
    BL_TRY(choose_at(form, state));
    form->drifts = form->sys->np > 0 && ((bl_partition *)form->own)->index == 2;
    BL_TRY(find_directions(form));
    bl_partition *own = form->own;
    bl_status status = reduced_mass(form);
    return status == BL_SINGULAR && own->refused_at <= -2 ? massless(form) : status;
}

static bl_status partition_rate(bl_formulation *form, double t, const double *y, double *rate) {
    bl_partition *own = form->own;
    bl_index nv = form->sys->nv;
    BL_TRY(go_to(form, t, y, true));
    BL_TRY(accelerate(form));
    memcpy(rate, own->v, (size_t)nv * sizeof *rate);
    if (own->all)
        memcpy(rate + nv, own->a, (size_t)nv * sizeof *rate);
    for (bl_index k = 0; k < own->f && !own->all; k++)
        rate[nv + k] = own->a[own->ind[k]];
    rate[form->ny - 1] = own->power;
    return BL_OK;
}

static bl_status check_dropped(bl_formulation *form, const bl_state *state, bool *again) {
    bl_partition *own = form->own;
    bl_index violated = -1, rank = own->r;
    if (own->nd > 0 && !own->warned)
        BL_TRY(bl_formulation_violated(form, own->row_place, &violated));
    *again = violated >= 0;
    if (!*again)
        return BL_OK;
    BL_TRY(choose_at(form, state));
    own->warned = own->r == rank;
    form->stats.repartitions++;
    bl_formulation_warn_violated(form, violated, own->warned);
    return BL_OK;
}

static bl_status partition_review(bl_formulation *form, const bl_state *state) {
    bl_partition *own = form->own;
    bool changed = false, rows = false;
    partition_to_y(form, state, own->y);
    BL_TRY(go_to(form, *state->t, own->y, false));
    BL_TRY(check_dropped(form, state, &changed));
    if (changed)
        return BL_RESTART;
    if (own->r == 0)
        return BL_OK;
    double worst = form->linsol->stats.worst_pivot;
    if (worst > own->rows_checked)
        own->rows_checked = worst;
    if (worst < 0.5 * own->rows_checked) {
        own->rows_checked = worst;
        BL_TRY(bl_partition_exchange_rows(form, &rows));
    }
    BL_TRY(bl_partition_exchange_columns(form, &changed));
    if (changed || rows) {
        form->stats.repartitions++;
        if (new_pivots(form) != BL_OK) { /* the exchange met a singular basis: choose by complete pivoting */
            BL_TRY(choose_at(form, state));
            return BL_RESTART;
        }
        return changed && !own->all ? BL_RESTART : BL_OK;
    }
    if (worst < 0.1 * own->fresh) { /* the pivot order grew stale */
        BL_TRY(bl_partition_factor(form, true));
        own->stage = 0;
    }
    return BL_OK;
}

static bl_status partition_project(bl_formulation *form, bl_state *state, double tolerance) {
    bl_partition *own = form->own;
    size_t bytes = (size_t)form->sys->nv * sizeof(double);
    (void)tolerance; /* always to rounding */
    form->stats.projections++;
    form->history = state->history;
    own->stage = 0;
    memcpy(own->q, state->q, bytes);
    move(form, *state->t);
    own->least_change = true;
    bl_status status = close_positions(form, *state->t);
    own->least_change = own->all;
    BL_TRY(status);
    BL_TRY(find_directions(form));
    BL_TRY(find_drive(form));
    BL_TRY(project_velocities(form, state->v));
    memcpy(state->q, own->q, bytes);
    memcpy(state->v, own->v, bytes);
    return BL_OK;
}

/* multipliers of least sum of (lambda_i scale_i)^2: mu - N (N^T N)^-1 N^T mu, N = [-L; I] spans the left null space of G */
static bl_status partition_accelerations(bl_formulation *form, const bl_state *state, double *a, double *lambda) {
    bl_partition *own = form->own;
    const bl_system *sys = form->sys;
    size_t r = (size_t)own->r, nd = (size_t)own->nd;
    partition_to_y(form, state, own->y);
    BL_TRY(go_to(form, *state->t, own->y, false));
    BL_TRY(accelerate(form));
    memcpy(a, own->a, (size_t)sys->nv * sizeof *a);
    BL_TRY(multipliers(form));
    BL_TRY(bl_partition_dropped_rows(form));
    for (size_t k = 0; k < nd; k++) {
        const double *column = own->L + k * r;
        double sum = 0;
        for (size_t i = 0; i < r; i++)
            sum += column[i] * own->mu[i];
        own->s[k] = sum;
        for (size_t l = k; l < nd; l++) {
            const double *other = own->L + l * r;
            double dot = l == k;
            for (size_t i = 0; i < r; i++)
                dot += column[i] * other[i];
            own->LL[k * nd + l] = dot;
        }
    }
    if (nd > 0) {
        BL_TRY(bl_cholesky(own->nd, own->LL, NULL));
        bl_cholesky_solve(own->nd, own->LL, own->s);
        for (size_t k = 0; k < nd; k++)
            for (size_t i = 0; i < r; i++)
                own->mu[i] -= own->L[k * r + i] * own->s[k];
    }
    for (size_t i = 0; i < r; i++)
        lambda[own->kept[i]] = own->mu[i] / sys->row[own->kept[i]].scale;
    for (size_t k = 0; k < nd; k++)
        lambda[own->dropped[k]] = own->s[k] / sys->row[own->dropped[k]].scale;
    return BL_OK;
}

static bl_status partition_explain(bl_formulation *form) {
    bl_partition *own = form->own;
    const bl_system *sys = form->sys;
    char part[96] = "", equation[128] = "";
    bl_index row = own->refused_at;
    double t = own->refused_t;
    switch (own->refused) {
    case BL_NOT_FINITE:
        bl_system_col_name(sys, own->refused_at, part, sizeof part);
        bl_fail(form->ctx, BL_E_NUMERIC, NULL, "the acceleration of %s is not a finite number at t = %.9g", part, t);
        bl_blame(form->ctx, part, "equation of motion", t);
        return BL_E_NUMERIC;
    case BL_NO_CONVERGENCE:
        bl_fail(form->ctx, BL_E_NUMERIC, NULL, "the positions do not close near t = %.9g: the mechanism may be at the end of its reach", t);
        break;
    case BL_SINGULAR:
        if (own->refused_at <= -2)
            return massless(form);
        if (sys->np > 0 && row < 0) { /* the row of the smallest pivot */
            bl_index *order, rank = 0;
            BL_TRY(BL_NEW(form->ctx, order, sys->np + sys->nv));
            bl_formulation_place(form, t, own->refused_q, own->v);
            bl_status status = bl_system_eval(sys, &form->at_e, BL_G);
            if (status == BL_OK)
                status = bl_formulation_rank(form, NULL, order, order + sys->np, &rank, NULL);
            if (status == BL_OK && own->r > 0)
                row = order[(rank < own->r ? rank : own->r - 1)];
            bl_free(form->ctx, order);
            own->stage = 0;
            BL_TRY(status);
        }
        bl_fail(form->ctx, BL_E_NUMERIC, NULL, "singular position at t = %.9g that cannot be stepped over: constraints lose their independence",
                t);
        break;
    default: return BL_OK;
    }
    if (row >= 0)
        bl_system_row_name(sys, row, part, sizeof part, equation, sizeof equation);
    bl_blame(form->ctx, part, equation, t);
    return BL_E_NUMERIC;
}

static void partition_destroy(bl_formulation *form) {
    if (!form->own)
        return;
    bl_partition_free(form);
    bl_free(form->ctx, form->own);
    form->own = NULL;
}

static const bl_param partition_params[] = {
    {.name = "index", .type = BL_P_INTEGER, .fallback = 3, .flags = BL_POSITIVE,
     .help = "3: dependent positions from the constraints in every evaluation; 2: all positions integrated"},
    {.name = "state", .type = BL_P_CHOICE, .choices = "auto|full|independent",
     .help = "what index 3 integrates: all coordinates, the independent ones, or (auto) those when all are angles, distances or wanted"},
    {.name = "exchange", .type = BL_P_NUMBER, .flags = BL_POSITIVE,
     .help = "coordinates are exchanged when a dependent velocity passes this many times an independent one; 1.5, state=full 4"},
    {.type = BL_P_END}};

const bl_formulation_kind bl_formulation_partition = {
    .kind = {.name = "partition", .help = "independent coordinates by velocity projection, index 3 or 2", .params = partition_params,
             .needs = BL_CAN_MASS, .gives = BL_CAN_RATE},
    .index = 3,
    .redundant = "rows chosen by rank, dropped ones named; multipliers of minimum norm",
    .singular = "stepped over (index 2: at moderate tolerances)",
    .setup = partition_setup,
    .to_y = partition_to_y,
    .from_y = partition_from_y,
    .rate = partition_rate,
    .review = partition_review,
    .project = partition_project,
    .accelerations = partition_accelerations,
    .explain = partition_explain,
    .destroy = partition_destroy,
};
