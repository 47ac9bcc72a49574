/* Measured motions of mechanisms. With R the admissible motions (null space of G) and C the derivatives of the measured quantities g,
 *
 *     positions       x = -G^+ phi + R z,   z minimizes |(C x - (y - g)) / s|,   repeated until x is rounding
 *     velocities      v = G^+ b + R z,      z minimizes |(C v - y') / s|
 *     accelerations   a = G^+ c + R z,      z minimizes |(C a - y'' + C' v) / s|
 *
 * C R are the rates of the measured quantities along R; C' v is their change along v, by differences of order 6. */
#include "study/recorded.h"

#include "dense/dense.h"
#include "study/inverse_limits.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double DIFFERENCE = 1e-2; /* of the scales: half the span of differences; error 1e-12, rounding 1e-14 */

static double noise_of(const bl_recorded *column) {
    double least = study_recorded_noise * (1 + fabs(column->curve.x[0]));
    return fmax(column->curve.noise, least);
}

/* columns are weighted by their noise if it is known for all of them */
static double weight_of(const bl_course *c, bl_index k) {
    for (bl_index i = 0; i < c->recording->ncolumn; i++)
        if (!(c->recording->column[i].curve.noise > 0))
            return 1;
    return 1 / noise_of(&c->recording->column[k]);
}

/* the measured quantities (rates false) or their rates along v, at the configuration of eval */
static bl_status measure(bl_course *c, const double *v, bool rates, double *out) {
    bl_eval *e = &c->eval;
    e->v = v;
    e->have &= BL_OF_POSITION | e->constant;
    BL_TRY(bl_system_eval(c->sys, e, BL_VARIABLES | BL_PROBES));
    for (bl_index k = 0; k < c->recording->ncolumn; k++) {
        const bl_recorded *m = &c->recording->column[k];
        const double *variable = rates ? e->variable_rate : e->variable, *probe = rates ? e->probe_rate : e->probe;
        out[k] = m->variable >= 0 ? variable[m->variable] : probe[3 * m->probe + m->part];
    }
    return BL_OK;
}

/* matrix[f][columns] = C R / s; the kkt is evaluated in the same configuration */
static bl_status derivatives(bl_course *c) {
    bl_index f = c->kkt->f, columns = c->recording->ncolumn;
    double *z = c->right; /* long enough */
    for (bl_index j = 0; j < f; j++) {
        memset(z, 0, (size_t)f * sizeof *z);
        z[j] = 1;
        bl_kkt_motion(c->kkt, z, c->y);
        double *column = c->matrix + (size_t)j * (size_t)columns;
        BL_TRY(measure(c, c->y, true, column));
        for (bl_index k = 0; k < columns; k++)
            column[k] *= weight_of(c, k);
    }
    return BL_OK;
}

/* z[f] in c->right that minimizes |matrix z - right|; overwrites the matrix */
static bl_status fit(bl_course *c, bl_index *rank) {
    bl_index f = c->kkt->f;
    *rank = 0;
    return f > 0 ? bl_least_norm(c->ctx, c->recording->ncolumn, f, c->matrix, study_recorded_rank, c->right, rank, c->work) : BL_OK;
}

/* x = least-norm solution of the constraints + R z, z from `wanted` minus the contribution of the first part */
static bl_status combine(bl_course *c, const double *rows, const double *wanted, double *x, bl_index *rank) {
    bl_index columns = c->recording->ncolumn;
    double *part = c->predicted; /* [n] */
    bl_kkt_least(c->kkt, rows, part);
    BL_TRY(derivatives(c));
    BL_TRY(measure(c, part, true, c->right));
    for (bl_index k = 0; k < columns; k++)
        c->right[k] = (wanted[k] - c->right[k]) * weight_of(c, k);
    BL_TRY(fit(c, rank));
    bl_kkt_motion(c->kkt, c->right, x);
    for (bl_index j = 0; j < c->kkt->n; j++)
        x[j] += part[j];
    return BL_OK;
}

static void wanted_at(bl_course *c, double t, int order) {
    for (bl_index k = 0; k < c->recording->ncolumn; k++) {
        double out[3];
        bl_smoothed_at(&c->recording->column[k].curve, t, out);
        c->value[k] = out[order];
    }
}

static double size_of(const bl_course *c, const double *x) {
    double most = 0;
    for (bl_index j = 0; j < c->sys->nv; j++)
        most = fmax(most, fabs(x[j]) / c->kkt->scale[j]);
    return most;
}

/* computes the correction of positions, c->x, and applies it to the trial state; *size: of the correction, *rank: of the measurements */
static bl_status correct(bl_course *c, double most, double *size, bl_index *rank) {
    const bl_system *sys = c->sys;
    bl_state *s = &c->trial;
    bl_eval_at(&c->eval, s);
    BL_TRY(bl_kkt_move_to(c->kkt, &c->eval));
    BL_TRY(bl_system_eval(sys, &c->eval, BL_PHI));
    for (bl_index i = 0; i < sys->np; i++)
        c->eval.c[i] = -c->eval.phi[i];
    wanted_at(c, *s->t, 0);
    BL_TRY(measure(c, s->v, false, c->right));
    for (bl_index k = 0; k < c->recording->ncolumn; k++)
        c->value[k] -= c->right[k];
    c->eval.have &= ~(uint32_t)BL_C;
    BL_TRY(combine(c, c->eval.c, c->value, c->x, rank));
    *size = size_of(c, c->x);
    if (!isfinite(*size))
        return BL_NO_CONVERGENCE;
    for (bl_index j = 0; j<sys->nv && * size> most; j++)
        c->x[j] *= most / *size;
    return bl_system_retract(sys, s->q, c->x, s->q);
}

static bl_status settle(bl_course *c, int iterations, double most, bl_index *rank) {
    double before = INFINITY;
    for (int k = 0; k < iterations; k++) {
        double size;
        BL_TRY(correct(c, most, &size, rank));
        if (size <= study_recorded_closed || (size <= study_recorded_flat && size > 0.3 * before))
            return BL_OK;
        before = size;
    }
    return BL_NO_CONVERGENCE;
}

bl_status bl_recorded_close(bl_course *c) {
    bl_index rank;
    size_t bytes = (size_t)c->sys->nq * sizeof(double);
    double *predicted = c->scratch;
    memcpy(predicted, c->predicted, bytes);
    bl_status status = settle(c, (int)study_recorded_iterations, INFINITY, &rank);
    memcpy(c->predicted, predicted, bytes);
    return status;
}

/* change of the measured rates along v, C' v, into out */
static bl_status curvature(bl_course *c, double *out) {
    static const double formula[3] = {45.0 / 60, -9.0 / 60, 1.0 / 60};
    const bl_system *sys = c->sys;
    bl_state *s = &c->trial;
    bl_index columns = c->recording->ncolumn;
    double size = size_of(c, s->v), h = size > 0 ? DIFFERENCE / size : 0;
    double *q = c->scratch;
    memset(out, 0, (size_t)columns * sizeof *out);
    for (int k = 1; k <= 3 && h > 0; k++)
        for (int side = -1; side <= 1; side += 2) {
            for (bl_index j = 0; j < sys->nv; j++)
                c->x[j] = side * k * h / 3 * s->v[j];
            BL_TRY(bl_system_retract(sys, s->q, c->x, q));
            c->eval.q = q;
            c->eval.have = c->eval.constant;
            bl_status status = measure(c, s->v, true, c->right);
            c->eval.q = s->q;
            c->eval.have = c->eval.constant;
            BL_TRY(status);
            for (bl_index i = 0; i < columns; i++)
                out[i] += side * formula[k - 1] * c->right[i] / (h / 3);
        }
    return BL_OK;
}

bl_status bl_recorded_rates(bl_course *c) {
    const bl_system *sys = c->sys;
    bl_state *s = &c->trial;
    size_t n = (size_t)sys->nv * sizeof(double);
    double *bend = c->work; /* [columns], no longer needed when the least squares use the workspace */
    bl_index rank = 0;
    memcpy(c->zero, c->predicted, n); /* kept for the caller */
    bl_eval_at(&c->eval, s);
    BL_TRY(bl_kkt_move_to(c->kkt, &c->eval));
    c->singular = c->kkt->r < c->rank_most;
    bl_status status = BL_OK;
    if (!c->singular) {
        status = bl_system_eval(sys, &c->eval, BL_B);
        wanted_at(c, *s->t, 1);
        if (status == BL_OK)
            status = combine(c, c->eval.b, c->value, c->x, &rank);
        if (status == BL_OK && rank + c->idle < c->kkt->f)
            c->singular = true;
    }
    if (status == BL_OK && !c->singular) {
        memcpy(s->v, c->x, n);
        status = curvature(c, bend);
        wanted_at(c, *s->t, 2);
        for (bl_index k = 0; k < c->recording->ncolumn; k++)
            c->value[k] -= bend[k];
        bl_eval_at(&c->eval, s);
        if (status == BL_OK)
            status = bl_system_eval(sys, &c->eval, BL_C);
        if (status == BL_OK)
            status = bl_kkt_move_to(c->kkt, &c->eval);
        if (status == BL_OK)
            status = combine(c, c->eval.c, c->value, c->x, &rank);
        if (status == BL_OK)
            memcpy(c->trial_a, c->x, n);
    }
    memcpy(c->predicted, c->zero, n);
    memset(c->zero, 0, n);
    bl_eval_at(&c->eval, s);
    BL_TRY(status);
    BL_TRY(measure(c, s->v, false, c->right));
    wanted_at(c, *s->t, 0);
    for (bl_index k = 0; k < c->recording->ncolumn; k++) {
        double off = fabs(c->right[k] - c->value[k]);
        if (off > c->off) {
            c->off = off;
            c->off_at = k;
        }
    }
    return BL_OK;
}

/* motions that the measurements do not determine, [count][n] */
static bl_status unseen_motions(bl_course *c, double **motions, bl_index *count) {
    bl_index f = c->kkt->f, columns = c->recording->ncolumn, rank;
    size_t n = (size_t)c->kkt->n;
    double *basis = NULL;
    bl_status status = BL_NEW(c->ctx, basis, (size_t)f * (size_t)f + 1);
    *count = 0;
    if (status == BL_OK)
        status = derivatives(c);
    if (status == BL_OK)
        status = bl_null_space(c->ctx, columns, f, c->matrix, study_recorded_rank, basis, &rank);
    if (status == BL_OK)
        status = BL_NEW(c->ctx, *motions, n * (size_t)(f - rank) + 1);
    for (bl_index k = 0; status == BL_OK && k < f - rank; k++)
        bl_kkt_motion(c->kkt, basis + (size_t)k * (size_t)f, *motions + (size_t)k * n);
    if (status == BL_OK)
        *count = f - rank;
    bl_free(c->ctx, basis);
    return status;
}

bl_status bl_recorded_begin(bl_course *c, const char *lacks) {
    bl_index rank = 0, count = 0;
    double *motions = NULL;
    memset(c->trial.v, 0, (size_t)c->sys->nv * sizeof(double));
    bl_status status = settle(c, (int)study_recorded_begin, study_recorded_first_step, &rank);
    if (status == BL_NO_CONVERGENCE) {
        bl_fail(c->ctx, BL_E_NUMERIC, NULL, "cannot assemble the mechanism with the values in the first row of the table %s, at t = %.9g s",
                c->recording->file, *c->trial.t);
        bl_advise(c->ctx, "check that the table belongs to this mechanism, and give `initial:` values close to its first row");
        return BL_E_NUMERIC;
    }
    BL_TRY(status);
    bl_eval_at(&c->eval, &c->trial);
    BL_TRY(bl_kkt_move_to(c->kkt, &c->eval));
    status = unseen_motions(c, &motions, &count);
    if (status == BL_OK && count > 0)
        status = bl_course_judge(c, count, motions, lacks);
    bl_free(c->ctx, motions);
    BL_TRY(status);
    return bl_recorded_rates(c);
}
