/* partition at one state: from (t, y) to positions on the constraints, R, velocities and accelerations, in the order in which they are
 * found. */
#include "formulation/formulation_limits.h"
#include "formulation/partition.h"
#include "kkt/rank_margin.h"
#include "kkt/spread.h"

#include "base/vectors.h"
#include "dense/dense.h"
#include "sparse/sparse.h"
#include "system/system_limits.h"

#include <math.h>
#include <string.h>

static bl_status refuse(bl_formulation *form, bl_status status, bl_index at) {
    bl_partition *own = form->own;
    own->refused = status;
    own->refused_t = form->at_e.t;
    own->refused_at = at;
    memcpy(own->refused_q, own->q, (size_t)form->sys->nq * sizeof(double));
    own->stage = 0;
    return status;
}

void bl_partition_move(bl_formulation *form, double t) {
    bl_partition *own = form->own;
    bl_formulation_move_to(form, t, own->q, own->v, own->z);
}

bl_status bl_partition_solve(bl_formulation *form, bool transposed, bl_index nrhs, double *x) {
    const bl_partition *own = form->own;
    if (own->r == 0 || nrhs == 0)
        return BL_OK;
    form->stats.solves += nrhs;
    return bl_linsol_solve(form->linsol, transposed, nrhs, x);
}

/* J R = -G_i with the values of G that J was made of */
bl_status bl_partition_directions(bl_formulation *form) {
    bl_partition *own = form->own;
    size_t r = (size_t)own->r;
    own->with_mass = false;
    if (own->parts)
        return bl_partition_parts_directions(form);
    memset(own->R, 0, r * (size_t)own->f * sizeof(double));
    for (bl_index k = 0; k < own->ni; k++)
        own->R[(size_t)own->i_col[k] * r + (size_t)own->i_row[k]] = -own->i_factor[k] * form->at_e.G[own->i_from[k]];
    BL_TRY(bl_partition_solve(form, false, own->f, own->R));
    own->largest_R = 0;
    for (size_t i = 0; i < r * (size_t)own->f; i++)
        if (!(fabs(own->R[i]) <= own->largest_R))
            own->largest_R = fabs(own->R[i]);
    return BL_OK;
}

/* S b */
bl_status bl_partition_drive(bl_formulation *form) {
    bl_partition *own = form->own;
    const bl_system *sys = form->sys;
    double *b = own->Sb;
    if (!(sys->facts & BL_RHEONOMIC))
        return BL_OK;
    BL_TRY(bl_system_eval(sys, &form->at_e, BL_B));
    for (bl_index i = 0; i < own->r; i++)
        b[i] = form->at_e.b[own->rows.kept[i]] * own->row_by[i];
    return bl_partition_solve(form, false, 1, b);
}

/* columns of R with unit scaled independent velocity, M times them, and R^T M R factored */
bl_status bl_partition_mass(bl_formulation *form) {
    bl_partition *own = form->own;
    const bl_system *sys = form->sys;
    size_t nv = (size_t)sys->nv, f = (size_t)own->f;
    if (own->with_mass)
        return BL_OK;
    BL_TRY(bl_system_eval(sys, &form->at_e, BL_M));
    if (own->parts) {
        bl_index without = -1;
        bl_status status = bl_partition_parts_mass(form, &without);
        own->with_mass = status == BL_OK;
        return status == BL_SINGULAR ? refuse(form, BL_SINGULAR, -2 - without) : status;
    }
    memset(own->full, 0, 2 * nv * f * sizeof(double)); /* MR lies behind */
    for (size_t k = 0; k < f; k++) {
        double *column = own->full + k * nv;
        const double *R = own->R + k * (size_t)own->r;
        for (bl_index i = 0; i < own->r; i++)
            column[own->dep[i]] = own->col_by[i] * R[i];
        column[own->ind[k]] = own->scale[own->ind[k]];
        bl_csc_multiply(&sys->pat_M, form->at_e.M, column, own->MR + k * nv);
        for (size_t l = 0; l <= k; l++)
            own->A[l * f + k] = bl_dot(nv, column, own->MR + l * nv);
    }
    for (size_t k = 0; k < f; k++)
        own->zdd[k] = own->A[k * f + k];
    bl_index bad = 0;
    bl_status status = bl_cholesky(own->f, own->A, &bad);
    for (size_t k = 0; k < f && status == BL_OK; k++)
        if (own->A[k * f + k] * own->A[k * f + k] < system_massless * own->zdd[k]) {
            status = BL_SINGULAR;
            bad = (bl_index)k;
        }
    if (status != BL_OK)
        return refuse(form, BL_SINGULAR, -2 - own->ind[bad]);
    own->with_mass = true;
    return BL_OK;
}

/* x <- R (R^T M R)^-1 R^T M x, the part along the allowed motions */
static bl_status keep_allowed(bl_formulation *form, double *x) {
    bl_partition *own = form->own;
    size_t nv = (size_t)form->sys->nv;
    if (own->parts)
        return bl_partition_parts_keep_allowed(form, x);
    for (bl_index k = 0; k < own->f; k++)
        own->zdd[k] = bl_dot(nv, own->MR + (size_t)k * nv, x);
    bl_cholesky_solve(own->f, own->A, own->zdd);
    memset(x, 0, nv * sizeof *x);
    for (bl_index k = 0; k < own->f; k++) {
        const double *column = own->full + (size_t)k * nv;
        for (size_t i = 0; i < nv; i++)
            x[i] += column[i] * own->zdd[k];
    }
    return BL_OK;
}

/* J, and with state=full the projection onto the allowed motions, at the configuration of at_e */
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
        own->x[i] = -e->phi[own->rows.kept[i]] * own->row_by[i];
        if (!(fabs(own->x[i]) <= largest)) {
            largest = fabs(own->x[i]);
            *worst = own->rows.kept[i];
        }
    }
    BL_TRY(bl_partition_solve(form, false, 1, own->x));
    form->stats.newton_iterations++;
    for (bl_index i = 0; i < own->r; i++)
        if (!(fabs(own->x[i]) <= *size))
            *size = fabs(own->x[i]);
    bool flat = sys->facts & BL_FLAT;
    double *move = flat ? own->q : own->move; /* along vectors, or an increment to retract by */
    if (!flat)
        memset(move, 0, (size_t)sys->nv * sizeof *move);
    for (bl_index i = 0; i < own->r; i++)
        move[own->dep[i]] += own->col_by[i] * own->x[i];
    if (!own->least_change || own->f == 0 || !(*size > formulation_closed))
        return flat ? BL_OK : bl_system_retract(sys, own->q, move, own->q);
    if (!own->with_mass) {
        BL_TRY(bl_partition_directions(form));
        BL_TRY(bl_partition_mass(form));
    }
    double *along = own->a;
    memset(along, 0, (size_t)sys->nv * sizeof *along);
    for (bl_index i = 0; i < own->r; i++)
        along[own->dep[i]] = own->col_by[i] * own->x[i];
    BL_TRY(keep_allowed(form, along));
    for (bl_index j = 0; j < sys->nv; j++)
        move[j] -= along[j];
    return flat ? BL_OK : bl_system_retract(sys, own->q, move, own->q);
}

/* Positions onto phi = 0 from the guess in own->q. One factorization at the guess, corrections with it as long as they shrink fast. On
 * success G is evaluated and J factored at the result, or no farther from it than the method lets a place be from the constraints; near a
 * singular configuration, where that would be felt more, it has to be nearer. */
bl_status bl_partition_assemble(bl_formulation *form, double t) {
    const bl_system *sys = form->sys;
    bl_eval *e = &form->at_e;
    const bl_partition *own = form->own;
    double before = 0, size, slack = 0;
    bool fresh = true, moved = false;
    BL_TRY(prepare(form));
    if (form->slack > 0 && own->r > 0)
        slack = form->slack * fmin(1, form->linsol->stats.worst_pivot / own->level);
    for (int count = 0;; count++) {
        bl_index worst;
        BL_TRY(correct(form, &size, &worst));
        if (!(size <= formulation_far) || count >= formulation_newton)
            return refuse(form, isnan(size) ? BL_NOT_FINITE : BL_NO_CONVERGENCE, worst);
        if (size <= fmax(formulation_closed, slack))
            break;
        moved = true;
        double ratio = count ? size / before : 0;
        if (count && size < formulation_nearly_closed && ratio > formulation_amplified)
            break; /* rounding, amplified near a singular configuration */
        if (count && ratio >= 1)
            return refuse(form, BL_NO_CONVERGENCE, worst);
        /* what is left: with fresh factors the square, else the ratio of the corrections */
        if ((fresh && (size < formulation_square_closed || 10 * size * size < slack)) ||
            (count && ratio * size / (1 - ratio) < fmax(0.1 * formulation_closed, slack)))
            break;
        before = size;
        bl_partition_move(form, t);
        fresh = count && ratio > 0.1;
        if (fresh)
            BL_TRY(prepare(form));
        else
            BL_TRY(bl_system_eval(sys, e, BL_PHI));
    }
    if (!moved)
        return BL_OK;
    bl_partition_move(form, t);
    BL_TRY(bl_system_eval(sys, e, BL_G));
    return bl_partition_factor(form, false) == BL_OK ? BL_OK : refuse(form, BL_SINGULAR, -1);
}

static bl_status inverse_product(void *form, double *x) { /* (J J^T)^-1 x, or of J^T J: the eigenvalues are the same */
    BL_TRY(bl_partition_solve(form, false, 1, x));
    return bl_partition_solve(form, true, 1, x);
}

/* The smallest singular value of J (kkt/rank_margin.h); overwrites x and Sc. */
bl_status bl_partition_smallest_sigma(bl_formulation *form, double *sigma) {
    bl_partition *own = form->own;
    uint32_t bits = 2463534242u;
    for (bl_index i = 0; i < own->r; i++) {
        bits ^= bits << 13, bits ^= bits >> 17, bits ^= bits << 5;
        own->x[i] = (double)bits / 4294967296.0 + 0.5;
    }
    BL_TRY(bl_smallest_eigenvalue(inverse_product, form, own->r, INFINITY, own->x, sigma));
    *sigma = sqrt(*sigma);
    return BL_OK;
}

/* A configuration must not be singular. Small pivots raise the suspicion; new pivots, then singular values decide. */
static bl_status judge(bl_formulation *form) {
    bl_partition *own = form->own;
    if (own->judged || own->r == 0)
        return BL_OK;
    if (!(own->largest_R <= formulation_lost))
        return refuse(form, BL_NO_CONVERGENCE, -1);
    const bl_linsol_stats *stats = &form->linsol->stats;
    double share = own->index == 2 ? sqrt(bl_near_singular_share(form)) : 0, suspect = fmax(formulation_suspect, share);
    if (stats->worst_pivot < suspect * own->level) {
        if (bl_partition_factor(form, true) != BL_OK)
            return refuse(form, BL_SINGULAR, -1);
        BL_TRY(bl_partition_directions(form));
    }
    if (stats->worst_pivot < suspect * own->level) {
        double sigma;
        BL_TRY(bl_partition_smallest_sigma(form, &sigma));
        if (sigma < fmax(formulation_sigma, share) * own->sigma)
            return refuse(form, own->largest_R <= formulation_lost ? BL_SINGULAR : BL_NO_CONVERGENCE, -1);
    }
    own->judged = true;
    return BL_OK;
}

/* v nearest to the velocities v_all in the metric of M */
bl_status bl_partition_project_velocities(bl_formulation *form, const double *v_all) {
    bl_partition *own = form->own;
    const double *Sb = own->Sb;
    bool driven = form->sys->facts & BL_RHEONOMIC;
    BL_TRY(bl_partition_mass(form));
    memcpy(own->v, v_all, (size_t)form->sys->nv * sizeof *v_all);
    for (bl_index i = 0; i < own->r && driven; i++)
        own->v[own->dep[i]] -= own->scale[own->dep[i]] * Sb[i];
    BL_TRY(keep_allowed(form, own->v));
    for (bl_index i = 0; i < own->r && driven; i++)
        own->v[own->dep[i]] += own->scale[own->dep[i]] * Sb[i];
    return BL_OK;
}

/* v = R w + S b */
static bl_status expand_velocities(bl_formulation *form, const double *w) {
    bl_partition *own = form->own;
    const double *Sb = own->Sb;
    bool driven = form->sys->facts & BL_RHEONOMIC;
    for (bl_index i = 0; i < own->r; i++)
        own->x[i] = driven ? Sb[i] : 0;
    for (bl_index k = 0; k < own->f && !own->parts; k++) {
        const double *column = own->R + (size_t)k * (size_t)own->r;
        double wk = w[k] / own->scale[own->ind[k]];
        for (bl_index i = 0; i < own->r; i++)
            own->x[i] += column[i] * wk;
        own->v[own->ind[k]] = w[k];
    }
    for (bl_index k = 0; k < own->f && own->parts; k++) {
        own->zdd[k] = w[k] / own->scale[own->ind[k]];
        own->v[own->ind[k]] = w[k];
    }
    if (own->parts)
        BL_TRY(bl_partition_parts_expand(form, own->zdd, own->x));
    for (bl_index i = 0; i < own->r && own->parts && driven; i++)
        own->x[i] += Sb[i];
    for (bl_index i = 0; i < own->r; i++)
        own->v[own->dep[i]] = own->col_by[i] * own->x[i];
    return BL_OK;
}

/* q, J, R from the positions in y */
static bl_status take_positions(bl_formulation *form, double t, const double *y) {
    bl_partition *own = form->own;
    memcpy(own->q, y, (size_t)form->sys->nq * sizeof *y);
    bl_partition_move(form, t);
    if (own->index == 3) {
        BL_TRY(bl_partition_assemble(form, t));
    } else {
        BL_TRY(bl_system_eval(form->sys, &form->at_e, BL_G));
        if (bl_partition_factor(form, false) != BL_OK)
            return refuse(form, BL_SINGULAR, -1);
    }
    return bl_partition_directions(form);
}

/* A long step may have left the coordinates chosen at its start behind: others, where y does not depend on the choice. */
static bl_status take_positions_otherwise(bl_formulation *form, double t, const double *y, bl_status refused) {
    bl_partition *own = form->own;
    memcpy(own->q, y, (size_t)form->sys->nq * sizeof *y);
    bl_partition_move(form, t);
    BL_TRY(bl_system_eval(form->sys, &form->at_e, BL_G));
    bl_status status = bl_partition_choose_again(form);
    if (status > 0)
        return refused;
    BL_TRY(status);
    return take_positions(form, t, y);
}

/* Other states at the configuration of the key: only forces and rates are new. */
static void take_states(bl_formulation *form, const double *z) {
    bl_partition *own = form->own;
    bl_eval *e = &form->at_e;
    size_t bytes = (size_t)form->sys->nz * sizeof *z;
    if (bytes == 0 || memcmp(own->z, z, bytes) == 0)
        return;
    memcpy(own->z, z, bytes);
    memcpy(own->key + bl_partition_states(form), z, bytes);
    own->stage = 1;
    e->have &= e->constant | (BL_OF_POSITION & ~BL_OWN_POSITION); /* the builder's own may depend on states as they do on positions */
}

/* stage 1: q, J, R, v from (t, y). strict: for integration, singular configurations are refused. */
bl_status bl_partition_go_to(bl_formulation *form, double t, const double *y, bool strict) {
    bl_partition *own = form->own;
    const bl_system *sys = form->sys;
    const double *z = y + bl_partition_states(form);
    size_t bytes = (size_t)form->ny * sizeof *y, before = sys->nz ? (size_t)(z - y) * sizeof *y : bytes;
    if (sys->facts & BL_PHI_OF_Z) /* positions follow the states */
        before += (size_t)sys->nz * sizeof *y;
    bool there = own->stage > 0 && own->key_t == t && own->key_slack <= form->slack;
    if (there && memcmp(own->key, y, before) == 0) { /* the work has no effect */
        take_states(form, z);
        return strict ? judge(form) : BL_OK;
    }
    own->stage = 0;
    own->judged = false;
    if (sys->nz)
        memcpy(own->z, z, (size_t)sys->nz * sizeof *z);
    bl_status status = take_positions(form, t, y);
    bool lost = status == BL_SINGULAR || status == BL_NO_CONVERGENCE || (status == BL_OK && !(own->largest_R <= formulation_lost));
    if (lost && own->all)
        status = take_positions_otherwise(form, t, y, status);
    BL_TRY(status);
    if (strict)
        BL_TRY(judge(form));
    BL_TRY(bl_partition_drive(form));
    BL_TRY(own->all ? bl_partition_project_velocities(form, y + sys->nq) : expand_velocities(form, y + sys->nq));
    memcpy(own->key, y, bytes);
    own->key_t = t;
    own->key_slack = form->slack;
    own->stage = 1;
    return BL_OK;
}

/* scaled multipliers of the kept rows: J^T mu = (Q - M a)_d; rows of M are its columns */
bl_status bl_partition_multipliers(bl_formulation *form, const double *Q) {
    bl_partition *own = form->own;
    const bl_pattern *M = &form->sys->pat_M;
    const double *value = form->at_e.M, *a = own->a;
    for (bl_index i = 0; i < own->r; i++) {
        bl_index j = own->dep[i];
        double left = Q[j];
        for (bl_index k = M->ptr[j]; k < M->ptr[j + 1]; k++)
            left -= value[k] * a[M->idx[k]];
        own->mu[i] = left * own->col_by[i];
    }
    return bl_partition_solve(form, true, 1, own->mu);
}

/* products with L, a solve each: J^T L = G_d^T of the dropped rows in the dependent columns */
static bl_status multiply_dropped(void *of, bool transposed, const double *x, double *y) {
    bl_formulation *form = of;
    bl_partition *own = form->own;
    const bl_system *sys = form->sys;
    double *rhs = own->many;
    if (transposed) {
        memcpy(rhs, x, (size_t)own->r * sizeof *x);
        BL_TRY(bl_partition_solve(form, false, 1, rhs));
        memset(y, 0, (size_t)own->rows.nd * sizeof *y);
    } else
        memset(rhs, 0, (size_t)own->r * sizeof *rhs);
    for (bl_index p = 0; p < own->r; p++) {
        bl_index j = own->dep[p];
        for (bl_index k = sys->pat_G.ptr[j]; k < sys->pat_G.ptr[j + 1]; k++) {
            bl_index row = sys->pat_G.idx[k], d = -1 - own->rows.slot[row];
            double g = form->at_e.G[k] * own->scale[j] / sys->row[row].scale;
            if (d < 0 || d >= own->rows.nd)
                continue;
            if (transposed)
                y[d] += g * rhs[p];
            else
                rhs[p] += g * x[d];
        }
    }
    if (transposed)
        return BL_OK;
    BL_TRY(bl_partition_solve(form, true, 1, rhs));
    memcpy(y, rhs, (size_t)own->r * sizeof *y);
    return BL_OK;
}

/* multipliers of least sum of (lambda_i scale_i)^2: mu - N (N^T N)^-1 N^T mu, N = [-L; I] spans the left null space of G */
static bl_status spread(bl_formulation *form, double *lambda) {
    bl_partition *own = form->own;
    const bl_system *sys = form->sys;
    size_t r = (size_t)own->r, nd = (size_t)own->rows.nd;
    if (own->many) {
        BL_TRY(bl_kkt_spread_many(form, own->rows.nd, own->r, multiply_dropped, own->s, own->mu, own->many + r));
    } else if (nd > 0) {
        BL_TRY(bl_partition_dropped_rows(form));
        BL_TRY(bl_kkt_spread(own->rows.nd, own->r, 0, own->L, own->LL, own->s, own->mu));
    }
    for (size_t i = 0; i < r; i++)
        lambda[own->rows.kept[i]] = own->mu[i] / sys->row[own->rows.kept[i]].scale;
    for (size_t k = 0; k < nd; k++)
        lambda[own->rows.dropped[k]] = own->s[k] / sys->row[own->rows.dropped[k]].scale;
    for (size_t k = nd; k < nd + (size_t)own->rows.nout; k++)
        lambda[own->rows.dropped[k]] = 0;
    return BL_OK;
}

bl_status bl_partition_all_multipliers(bl_formulation *form, double *lambda) {
    BL_TRY(bl_partition_multipliers(form, form->at_e.Q));
    return spread(form, lambda);
}

bl_status bl_partition_spread(bl_formulation *form, const bl_state *state, double *lambda) {
    bl_partition *own = form->own;
    const bl_system *sys = form->sys;
    for (bl_index k = 0; k < own->rows.nd; k++)
        if (lambda[own->rows.dropped[k]] != 0)
            return BL_SINGULAR; /* of another choice of rows */
    form->history = state->history;
    own->stage = 0;
    memcpy(own->q, state->q, (size_t)sys->nq * sizeof(double));
    memcpy(own->v, state->v, (size_t)sys->nv * sizeof(double));
    memcpy(own->z, state->z, (size_t)sys->nz * sizeof(double));
    bl_partition_move(form, *state->t);
    BL_TRY(bl_system_eval(sys, &form->at_e, BL_G));
    if (bl_partition_factor(form, false) != BL_OK || form->linsol->stats.worst_pivot < formulation_suspect * own->level)
        return BL_SINGULAR;
    for (bl_index i = 0; i < own->r; i++)
        own->mu[i] = lambda[own->rows.kept[i]] * sys->row[own->rows.kept[i]].scale;
    return spread(form, lambda);
}

bl_status bl_partition_add_motion(bl_formulation *form, const double *Q, double *a) {
    bl_partition *own = form->own;
    size_t nv = (size_t)form->sys->nv;
    if (own->parts)
        return bl_partition_parts_add_motion(form, Q, a);
    for (bl_index k = 0; k < own->f; k++)
        own->zdd[k] = bl_dot(nv, own->full + (size_t)k * nv, Q) - bl_dot(nv, own->MR + (size_t)k * nv, a);
    bl_cholesky_solve(own->f, own->A, own->zdd);
    for (bl_index k = 0; k < own->f; k++) {
        const double *column = own->full + (size_t)k * nv;
        double w = own->zdd[k];
        for (size_t i = 0; i < nv; i++)
            a[i] += column[i] * w;
    }
    return BL_OK;
}

/* a from w', which follows from the forces left after S c */
static bl_status expand_accelerations(bl_formulation *form, const double *Q) {
    bl_partition *own = form->own;
    memset(own->a, 0, (size_t)form->sys->nv * sizeof(double));
    for (bl_index i = 0; i < own->r; i++)
        own->a[own->dep[i]] = own->col_by[i] * own->Sc[i];
    return bl_partition_add_motion(form, Q, own->a);
}

static bl_status solve_loaded(bl_formulation *form, double *a, double *lambda) {
    BL_TRY(expand_accelerations(form, form->at_e.Q));
    memcpy(a, ((bl_partition *)form->own)->a, (size_t)form->sys->nv * sizeof *a);
    return bl_partition_all_multipliers(form, lambda);
}

bl_status bl_partition_meet(bl_formulation *form, const double *Q) {
    BL_TRY(bl_partition_solve(form, false, 1, ((bl_partition *)form->own)->Sc));
    return expand_accelerations(form, Q);
}

/* stage 2: accelerations and power */
bl_status bl_partition_accelerate(bl_formulation *form) {
    bl_partition *own = form->own;
    const bl_system *sys = form->sys;
    bl_eval *e = &form->at_e;
    size_t nv = (size_t)sys->nv;
    if (own->stage == 2)
        return BL_OK;
    form->stats.evaluations++;
    BL_TRY(bl_system_eval(sys, e, BL_M | BL_Q | BL_C | (sys->nz ? BL_F : 0)));
    BL_TRY(bl_partition_mass(form));
    for (bl_index i = 0; i < own->r; i++)
        own->Sc[i] = e->c[own->rows.kept[i]] * own->row_by[i];
    BL_TRY(bl_partition_solve(form, false, 1, own->Sc));
    BL_TRY(sys->nload == 0 ? expand_accelerations(form, e->Q) : bl_loads_settle(form, solve_loaded));
    for (size_t i = 0; i < nv; i++)
        if (!isfinite(own->a[i]))
            return refuse(form, BL_NOT_FINITE, (bl_index)i);
    own->power = sys->nload ? bl_loads_power(form) : e->power;
    if (sys->nload == 0 && (sys->facts & BL_RHEONOMIC)) {
        BL_TRY(bl_partition_multipliers(form, form->at_e.Q));
        for (bl_index i = 0; i < own->r; i++)
            own->power -= own->mu[i] * own->row_by[i] * e->b[own->rows.kept[i]];
    }
    own->stage = 2;
    return BL_OK;
}

bl_status bl_partition_state_rates(bl_formulation *form, double *zd) {
    bl_index bad = -1;
    bl_status status = bl_state_rates_find(form, zd, &bad);
    return status > 0 ? refuse(form, status, bad) : status;
}
