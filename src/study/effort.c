/* Forces of actuators at one state. */
#include "study/effort.h"

#include "dense/dense.h"
#include "study/course.h"
#include "study/inverse_limits.h"
#include "study/motion_names.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- system without driver rows */

static void view_without_drivers(bl_effort *f) {
    const bl_system *sys = f->base.sys;
    const bl_pattern *G = &sys->pat_G;
    bl_index entries = 0;
    for (bl_index i = 0; i < sys->np; i++) {
        f->row_at[i] = sys->row[i].what == BL_ROW_DRIVER ? -1 : f->nkept;
        if (f->row_at[i] < 0)
            continue;
        f->row[f->nkept] = sys->row[i];
        f->kept[f->nkept++] = i;
    }
    bl_index *ptr = f->ptr, *idx = f->idx;
    for (bl_index j = 0; j < sys->nv; j++) {
        ptr[j] = entries;
        for (bl_index k = G->ptr[j]; k < G->ptr[j + 1]; k++)
            if (f->row_at[G->idx[k]] >= 0) {
                idx[entries] = f->row_at[G->idx[k]];
                f->from[entries++] = k;
            }
    }
    ptr[sys->nv] = entries;
    f->pattern = (bl_pattern){.nrow = f->nkept, .ncol = sys->nv, .ptr = ptr, .idx = idx};
    f->view = *sys;
    f->view.np = f->nkept;
    f->view.row = f->row;
    f->view.pat_G = f->pattern;
    f->view_e = (bl_eval){.have = BL_ALL, .G = f->G};
}

static bl_status update_view(bl_effort *f, bl_kkt *kkt) {
    bl_eval *e = &f->base.at_e;
    BL_TRY(bl_system_eval(f->base.sys, e, BL_G));
    for (bl_index k = 0; k < f->pattern.ptr[f->pattern.ncol]; k++)
        f->G[k] = e->G[f->from[k]];
    return bl_kkt_move_to(kkt, &f->view_e);
}

static bl_status update_rows(bl_effort *f) { return f->by_drivers ? bl_kkt_move_to(f->kkt, &f->base.at_e) : update_view(f, f->kkt); }

/* ---- the equation */

static double largest_scaled(const bl_effort *f, const double *x) {
    double most = 0;
    for (bl_index j = 0; j < f->base.sys->nv; j++)
        most = fmax(most, fabs(x[j]) * f->kkt->scale[j]);
    return most;
}

static bl_status multipliers(bl_effort *f, const double *force) {
    const bl_system *sys = f->base.sys;
    if (f->by_drivers)
        return bl_kkt_multipliers(f->kkt, force, f->lambda);
    BL_TRY(bl_kkt_multipliers(f->kkt, force, f->right));
    for (bl_index i = 0; i < sys->np; i++)
        f->lambda[i] = f->row_at[i] >= 0 ? f->right[f->row_at[i]] : 0;
    return BL_OK;
}

/* residual Q - M a (+ B u) - G^T lambda, relative to the largest term */
static double relative_residual(bl_effort *f, const double *force) {
    const bl_system *sys = f->base.sys;
    const bl_eval *e = &f->base.at_e;
    double most = fmax(largest_scaled(f, f->Ma), largest_scaled(f, e->Q));
    memset(f->back, 0, (size_t)f->kkt->n * sizeof(double));
    bl_csc_multiply_transposed(&sys->pat_G, e->G, f->lambda, f->back);
    most = fmax(most, largest_scaled(f, f->back));
    for (bl_index j = 0; j < sys->nv; j++)
        f->back[j] -= force[j];
    double rest = largest_scaled(f, f->back);
    return most > 0 ? rest / most : 0;
}

/* matrix[nu][f] = R^T B, right[f] = -R^T rest */
static void reduce(bl_effort *f) {
    size_t n = (size_t)f->kkt->n, free = (size_t)f->kkt->f;
    const bl_eval *e = &f->base.at_e;
    for (bl_index k = 0; k < f->nactuator; k++)
        bl_kkt_reduce_force(f->kkt, e->Q_u + (size_t)k * n, f->matrix + (size_t)k * free);
    bl_kkt_reduce_force(f->kkt, f->rest, f->right);
    for (size_t i = 0; i < free; i++)
        f->right[i] = -f->right[i];
}

/* Relative to the largest entry of R^T B: entries that are small compared with the actuator forces themselves count as zero. */
static double rank_tolerance(const bl_effort *f) {
    size_t n = (size_t)f->kkt->n, free = (size_t)f->kkt->f;
    double own = 0, most = 0;
    for (bl_index k = 0; k < f->nactuator; k++) {
        double weight = sqrt(f->actuator[k].weight);
        own = fmax(own, largest_scaled(f, f->base.at_e.Q_u + (size_t)k * n) / weight);
        for (size_t i = 0; i < free; i++)
            most = fmax(most, fabs(f->kept_matrix[(size_t)k * free + i]) / weight);
    }
    return most > 0 ? fmax(study_effort_rank, study_effort_rank * own / most) : 1;
}

/* u of least weighted norm with R^T B u = right */
static bl_status least_forces(bl_effort *f) {
    bl_context *ctx = f->base.ctx;
    bl_index free = f->kkt->f, nu = f->nactuator;
    f->rank = 0;
    memset(f->u, 0, (size_t)nu * sizeof(double));
    if (free == 0 || nu == 0)
        return BL_OK;
    memcpy(f->kept_matrix, f->matrix, (size_t)nu * (size_t)free * sizeof(double));
    for (bl_index k = 0; k < nu; k++)
        for (bl_index i = 0; i < free; i++)
            f->matrix[(size_t)k * (size_t)free + (size_t)i] /= sqrt(f->actuator[k].weight);
    BL_TRY(bl_least_norm(ctx, free, nu, f->matrix, rank_tolerance(f), f->right, &f->rank, f->work));
    for (bl_index k = 0; k < nu; k++)
        f->u[k] = f->right[k] / sqrt(f->actuator[k].weight);
    return BL_OK;
}

/* Keeps limits, where there are any and more actuators than needed. */
static bl_status bound(bl_effort *f) {
    bool over = false, possible;
    f->beyond = false;
    for (bl_index k = 0; k < f->nactuator; k++)
        over = over || fabs(f->u[k]) > f->actuator[k].limit;
    if (!f->bounded || !over || f->singular)
        return BL_OK;
    double *weight = f->work, *limit = weight + f->nactuator;
    for (bl_index k = 0; k < f->nactuator; k++) {
        weight[k] = f->actuator[k].weight;
        limit[k] = f->actuator[k].limit;
    }
    BL_TRY(bl_least_bounded(f->base.ctx, f->kkt->f, f->nactuator, f->kept_matrix, weight, limit, f->u, &possible));
    f->beyond = !possible;
    return BL_OK;
}

/* callback of loads.c: Q is evaluated for the current normal loads */
static bl_status solve(bl_formulation *form, double *a, double *lambda) {
    bl_effort *f = (bl_effort *)form;
    const bl_system *sys = form->sys;
    bl_eval *e = &form->at_e;
    size_t n = (size_t)f->kkt->n;
    if (f->by_drivers) {
        for (size_t j = 0; j < n; j++)
            f->rest[j] = e->Q[j] - f->Ma[j];
        BL_TRY(multipliers(f, f->rest));
    } else {
        for (size_t j = 0; j < n; j++) {
            f->rest[j] = e->Q[j] - f->Ma[j];
            for (bl_index k = 0; k < f->nactuator; k++)
                f->rest[j] -= e->Q_u[(size_t)k * n + j] * f->held[k];
        }
        reduce(f);
        BL_TRY(least_forces(f));
        f->singular = f->rank < f->rank_most;
        BL_TRY(bound(f));
        memcpy(f->held, f->u, (size_t)f->nactuator * sizeof(double));
        e->have &= ~(uint32_t)(BL_Q | BL_FORCES | BL_WRENCH | BL_LOADS);
        BL_TRY(bl_system_eval(sys, e, BL_Q));
        for (size_t j = 0; j < n; j++)
            f->rest[j] = e->Q[j] - f->Ma[j];
        BL_TRY(multipliers(f, f->rest));
    }
    memcpy(a, f->a, (size_t)sys->nv * sizeof(double));
    if (lambda != f->lambda)
        memcpy(lambda, f->lambda, (size_t)sys->np * sizeof(double));
    return BL_OK;
}

/* ---- motions that no actuator can produce */

bl_status bl_effort_unreached(bl_effort *f, bl_index *count, char *names, size_t size) {
    bl_context *ctx = f->base.ctx;
    bl_index free = f->kkt->f, nu = f->by_drivers ? 0 : f->nactuator, rank = 0;
    size_t n = (size_t)f->kkt->n;
    double *transposed = NULL, *basis = NULL, *motion = NULL;
    names[0] = '\0';
    bl_status status = BL_NEW(ctx, transposed, (size_t)nu * (size_t)free + 1);
    if (status == BL_OK)
        status = BL_NEW(ctx, basis, (size_t)free * (size_t)free + 1);
    for (bl_index k = 0; k < nu && status == BL_OK; k++)
        for (bl_index i = 0; i < free; i++)
            transposed[(size_t)i * (size_t)nu + (size_t)k] = f->kept_matrix[(size_t)k * (size_t)free + (size_t)i];
    if (status == BL_OK && nu > 0)
        status = bl_null_space(ctx, nu, free, transposed, rank_tolerance(f), basis, &rank);
    for (bl_index i = 0; i < free && nu == 0 && status == BL_OK; i++)
        basis[(size_t)i * (size_t)free + (size_t)i] = 1;
    if (status == BL_OK)
        status = BL_NEW(ctx, motion, n * (size_t)(free - rank) + 1);
    for (bl_index k = 0; k < free - rank && status == BL_OK; k++)
        bl_kkt_motion(f->kkt, basis + (size_t)k * (size_t)free, motion + (size_t)k * n);
    if (status == BL_OK)
        status = bl_motions_apart(f->model, f->base.sys, &f->base.at_e, free - rank, motion, names, size);
    bl_free(ctx, motion);
    bl_free(ctx, basis);
    bl_free(ctx, transposed);
    *count = free - rank;
    return status;
}

static bl_status refuse(bl_effort *f) {
    bl_context *ctx = f->base.ctx;
    char names[256];
    bl_index count;
    BL_TRY(bl_effort_unreached(f, &count, names, sizeof names));
    bl_fail(ctx, BL_E_ABILITY, NULL, "%d motion%s without actuator: %s", (int)count, count == 1 ? "" : "s", names);
    bl_advise(ctx, "the other forces do not produce this motion (%.2g of the largest force is missing); give an actuator for it",
              f->residual);
    bl_blame(ctx, NULL, NULL, f->base.at_e.t);
    return BL_E_ABILITY;
}

/* ---- one state */

static bl_status begin_state(bl_effort *f, const bl_state *state, const double *a) {
    bl_eval *e = &f->base.at_e;
    const bl_system *sys = f->base.sys;
    bl_eval_at(e, state);
    e->u = f->held;
    e->lambda = f->lambda;
    f->a = a;
    memset(f->held, 0, (size_t)(sys->nu > 0 ? sys->nu : 1) * sizeof(double));
    BL_TRY(update_rows(f));
    BL_TRY(bl_system_apply(sys, e, BL_OP_M, 1, a, f->Ma));
    return sys->nu > 0 ? bl_system_eval(sys, e, BL_U) : BL_OK;
}

static bl_status solve_state(bl_effort *f) {
    bl_eval *e = &f->base.at_e;
    const bl_system *sys = f->base.sys;
    if (f->base.loads) {
        bl_status status = bl_loads_settle(&f->base, solve);
        return bl_loads_refused(&f->base) ? bl_loads_explain(&f->base) : status;
    }
    BL_TRY(bl_system_eval(sys, e, BL_Q));
    BL_TRY(bl_check_finite(f->base.ctx, "forces", e->t, sys->nv, e->Q));
    return solve(&f->base, f->back, f->lambda);
}

/* velocities conjugate to the actuator forces */
static bl_status find_rates(bl_effort *f) {
    const bl_system *sys = f->base.sys;
    bl_eval *e = &f->base.at_e;
    BL_TRY(bl_system_eval(sys, e, BL_VARIABLES));
    for (bl_index k = 0; k < f->nactuator; k++) {
        double rate = 0;
        for (bl_index j = 0; j < sys->nv && f->actuator[k].variable < 0; j++)
            rate += e->Q_u[(size_t)k * (size_t)f->kkt->n + (size_t)j] * e->v[j];
        f->rate[k] = f->actuator[k].variable >= 0 ? e->variable_rate[f->actuator[k].variable] : rate;
    }
    return BL_OK;
}

bl_status bl_effort_rank(bl_effort *f, const bl_state *state, const double *a) {
    bl_eval *e = &f->base.at_e;
    BL_TRY(begin_state(f, state, a));
    BL_TRY(bl_system_eval(f->base.sys, e, BL_Q));
    if (!f->by_drivers) {
        memcpy(f->rest, e->Q, (size_t)f->kkt->n * sizeof(double));
        reduce(f);
        BL_TRY(least_forces(f));
        f->rank_most = f->rank > f->rank_most ? f->rank : f->rank_most;
    }
    return BL_OK;
}

bl_status bl_effort_at(bl_effort *f, const bl_state *state, const double *a) {
    bl_eval *e = &f->base.at_e;
    const bl_system *sys = f->base.sys;
    BL_TRY(begin_state(f, state, a));
    BL_TRY(solve_state(f));
    for (bl_index j = 0; j < sys->nv; j++)
        f->rest[j] = e->Q[j] - f->Ma[j];
    f->residual = relative_residual(f, f->rest);
    BL_TRY(find_rates(f));
    for (bl_index k = 0; k < f->nactuator && f->by_drivers; k++)
        for (bl_index i = 0; i < sys->np; i++)
            if (sys->row[i].what == BL_ROW_DRIVER && sys->row[i].owner == f->actuator[k].driver)
                f->u[k] = -f->lambda[i];
    f->rank_most = f->rank > f->rank_most ? f->rank : f->rank_most;
    if (f->singular) {
        for (bl_index k = 0; k < f->nactuator; k++)
            f->u[k] = NAN;
        return BL_OK;
    }
    return f->residual <= study_effort_balanced ? BL_OK : refuse(f);
}

/* error of accelerations along the motions that are free without drivers: R^T M R z = R^T (Q + B u - M a); x = R z */
static bl_status acceleration_error(bl_effort *f, bl_kkt *kkt, double *mass, double *x, double *y) {
    const bl_system *sys = f->base.sys;
    size_t free = (size_t)kkt->f;
    double *z = y + kkt->n, *right = z + free;
    bl_index rank;
    for (size_t k = 0; k < free; k++) {
        memset(z, 0, free * sizeof *z);
        z[k] = 1;
        bl_kkt_motion(kkt, z, x);
        BL_TRY(bl_system_apply(sys, &f->base.at_e, BL_OP_M, 1, x, y));
        bl_kkt_reduce_force(kkt, y, mass + k * free);
    }
    memcpy(y, f->rest, (size_t)kkt->n * sizeof *y);
    memset(f->back, 0, (size_t)sys->np * sizeof(double));
    for (bl_index i = 0; i < sys->np; i++)
        f->back[i] = sys->row[i].what == BL_ROW_DRIVER ? -f->lambda[i] : 0;
    bl_csc_multiply_transposed(&sys->pat_G, f->base.at_e.G, f->back, y);
    bl_kkt_reduce_force(kkt, y, right);
    BL_TRY(bl_least_norm(f->base.ctx, kkt->f, kkt->f, mass, study_effort_rank * study_effort_rank, right, &rank, mass + free * free));
    bl_kkt_motion(kkt, right, x);
    return BL_OK;
}

bl_status bl_effort_check(bl_effort *f) {
    bl_context *ctx = f->base.ctx;
    const bl_system *sys = f->base.sys;
    f->shift = 0;
    if (!f->kkt->dense || f->singular)
        return BL_OK;
    if (f->by_drivers && !f->freed)
        BL_TRY(bl_kkt_create(&f->view, &(bl_kkt_setup){.dense_most = (bl_index)study_course_dense}, &f->freed));
    bl_kkt *kkt = f->by_drivers ? f->freed : f->kkt;
    if (f->by_drivers)
        BL_TRY(update_view(f, kkt));
    size_t n = (size_t)kkt->n, free = (size_t)kkt->f;
    if (free == 0)
        return BL_OK;
    double *mass = NULL, *x = NULL, most = 0, off = 0;
    bl_status status = BL_NEW(ctx, mass, free * free + bl_least_norm_work((bl_index)free, (bl_index)free));
    if (status == BL_OK)
        status = BL_NEW(ctx, x, 2 * n + 2 * free);
    if (status == BL_OK)
        status = acceleration_error(f, kkt, mass, x, x + n);
    for (bl_index j = 0; j < sys->nv && status == BL_OK; j++) {
        most = fmax(most, fabs(f->a[j]) / kkt->scale[j]);
        off = fmax(off, fabs(x[j]) / kkt->scale[j]);
    }
    f->shift = off / fmax(most, 1);
    bl_free(ctx, x);
    bl_free(ctx, mass);
    return status;
}

/* ---- creation */

static bl_status make_room(bl_effort *f) {
    const bl_system *sys = f->base.sys;
    bl_context *ctx = f->base.ctx;
    size_t n = (size_t)(sys->nv + sys->nz), np = (size_t)sys->np, nu = (size_t)f->nactuator, entries = (size_t)sys->pat_G.ptr[sys->nv];
    size_t most = n > nu ? n : nu, work = bl_least_norm_work((bl_index)n, (bl_index)nu), held = sys->nu > 0 ? (size_t)sys->nu : 1;
    most = most > np ? most : np;
    work = work > 2 * nu ? work : 2 * nu;
    size_t reduced = f->by_drivers ? 0 : n * nu;
    return BL_NEW_ARRAYS(ctx, f->block, BL_ARRAY(f->u, nu), BL_ARRAY(f->rate, nu), BL_ARRAY(f->lambda, np), BL_ARRAY(f->G, entries),
                         BL_ARRAY(f->Ma, n), BL_ARRAY(f->rest, n), BL_ARRAY(f->back, n > np ? n : np), BL_ARRAY(f->held, held),
                         BL_ARRAY(f->matrix, reduced), BL_ARRAY(f->kept_matrix, reduced), BL_ARRAY(f->right, most), BL_ARRAY(f->work, work),
                         BL_ARRAY(f->kept, np), BL_ARRAY(f->row_at, np), BL_ARRAY(f->from, entries), BL_ARRAY(f->ptr, sys->nv + 1),
                         BL_ARRAY(f->idx, entries), BL_ARRAY(f->row, np));
}

bl_status bl_effort_create(const bl_system *sys, const bl_model *model, const bl_actuator *actuator, bl_index nactuator, bool bounded,
                           bl_effort **out) {
    bl_effort *f;
    *out = NULL;
    BL_TRY(BL_NEW(sys->ctx, f, 1));
    *out = f;
    f->base.ctx = sys->ctx;
    f->base.sys = sys;
    f->model = model;
    f->actuator = actuator;
    f->nactuator = nactuator;
    f->bounded = bounded;
    f->by_drivers = sys->nu == 0 && model->ndriver > 0;
    BL_TRY(make_room(f));
    BL_TRY(bl_eval_create(sys, BL_Q | BL_G | BL_C | BL_SEEN | (sys->nu ? BL_U : 0), &f->base.at_e));
    BL_TRY(bl_loads_create(&f->base));
    view_without_drivers(f);
    bl_index most = f->by_drivers ? 0 : (bl_index)study_course_dense;
    if (most && sys->nv + sys->nz > most) {
        bl_fail(sys->ctx, BL_E_ABILITY, NULL,
                "actuators other than drivers are limited to systems of %d unknowns; these coordinates have %d", most,
                (int)(sys->nv + sys->nz));
        bl_advise(sys->ctx, "choose coordinates with fewer unknowns (relative), or drivers as actuators");
        return BL_E_ABILITY;
    }
    return bl_kkt_create(f->by_drivers ? sys : &f->view, &(bl_kkt_setup){.dense_most = most}, &f->kkt);
}

void bl_effort_destroy(bl_effort *f) {
    if (!f)
        return;
    bl_context *ctx = f->base.ctx;
    bl_kkt_destroy(f->kkt);
    bl_kkt_destroy(f->freed);
    bl_loads_destroy(&f->base);
    bl_eval_destroy(f->base.sys, &f->base.at_e);
    bl_free(ctx, f->block);
    bl_free(ctx, f);
}
