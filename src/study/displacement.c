/* The path of a displacement as a curve: its equations, their least-norm solutions, its direction, and one Runge-Kutta step along it.
 *
 *     E (x', s') = 0,    E = [ J  0 ; T  -(to - from) ]          J: rows of joints, T: gradients of the goals
 *
 * Of all solutions the one with s' = 1 and the least kinetic energy, scaled to |x'| = 1. E^T P = Q R by Householder reflections. */
#include "study/displacement.h"

#include "dense/dense.h"
#include "study/displacement_limits.h"
#include "system/system_limits.h"

#include <math.h>
#include <string.h>

enum { MOST_INVERSE = 6 };

static bl_index rows_of(const bl_displacement *d) { return d->rank + d->ncondition; }

bl_status bl_displacement_factor(bl_displacement *d, bool curve, bool masses) {
    bl_linkage *l = d->l;
    bl_index m = rows_of(d), n = l->n + (curve ? 1 : 0);
    for (bl_index i = 0; i < m; i++) {
        double *row = d->a + (size_t)i * (size_t)n;
        if (i < d->rank) {
            bl_linkage_put(l, &l->gradient[d->chosen[i]], l->scale[d->chosen[i]], masses, row, 1, 0);
        } else {
            const bl_goal *goal = &d->goal[d->condition[i - d->rank]];
            bl_gradient g;
            bl_linkage_quantity(l, &goal->what, &g);
            bl_linkage_put(l, &g, bl_linkage_unit(l, &goal->what), masses, row, 1, 0);
        }
        if (curve)
            row[l->n] = 0;
        if (curve && i >= d->rank) {
            const bl_goal *goal = &d->goal[d->condition[i - d->rank]];
            row[l->n] = -(goal->to - goal->from) * d->stretch / bl_linkage_unit(l, &goal->what);
        }
        BL_TRY(bl_check_finite(d->ctx, "displacement", NAN, n, row));
    }
    memset(d->order, 0, (size_t)m * sizeof *d->order);
    d->factors++;
    if (m > 0 && !bl_dense_qr_pivoted(n, m, d->a, d->order, d->tau, d->work, d->nwork))
        return bl_fail(d->ctx, BL_E_NUMERIC, NULL, "displacement: the QR factorization of the joint equations failed");
    return BL_OK;
}

static double pivot(const bl_displacement *d, bl_index n, bl_index i) { return fabs(d->a[(size_t)i * (size_t)(n + 1)]); }

double bl_displacement_new_part(bl_displacement *d, const double *row) {
    bl_index m = rows_of(d), n = d->l->n;
    double all = 0, left = 0;
    for (bl_index j = 0; j < n; j++)
        all += row[j] * row[j];
    memcpy(d->b, row, (size_t)n * sizeof *row);
    if (m > 0)
        bl_dense_qr_multiply(n, 1, m < n ? m : n, d->a, d->tau, true, d->b, d->work, d->nwork);
    for (bl_index j = m; j < n; j++)
        left += d->b[j] * d->b[j];
    return all > 0 ? sqrt(left / all) : 0;
}

/* inverse iteration on R R^T */
double bl_displacement_smallest(bl_displacement *d) {
    bl_index m = rows_of(d), n = d->l->n + 1;
    double size = 1;
    if (m == 0)
        return 1;
    if (!(pivot(d, n, m - 1) > 0))
        return 0;
    for (bl_index i = 0; i < m; i++)
        d->b[i] = i == m - 1;
    for (int round = 0; round < MOST_INVERSE; round++) {
        double square = 0;
        bl_dense_triangle_solve(BL_UPPER, true, m, 1, d->a, n, d->b, m);
        bl_dense_triangle_solve(BL_UPPER, false, m, 1, d->a, n, d->b, m);
        for (bl_index i = 0; i < m; i++)
            square += d->b[i] * d->b[i];
        size = sqrt(square);
        if (!(size > 0) || !isfinite(size))
            return 0;
        for (bl_index i = 0; i < m; i++)
            d->b[i] /= size;
    }
    return 1 / sqrt(size);
}

/* ---- assembly */

/* b[m] becomes the residual of the equations; returns the largest entry */
static double residual(bl_displacement *d, double s, double *b) {
    bl_linkage *l = d->l;
    double most = 0;
    for (bl_index i = 0; i < rows_of(d); i++) {
        if (i < d->rank) {
            b[i] = -l->gradient[d->chosen[i]].value / l->scale[d->chosen[i]];
        } else {
            const bl_goal *goal = &d->goal[d->condition[i - d->rank]];
            bl_gradient g;
            bl_linkage_quantity(l, &goal->what, &g);
            b[i] = (goal->from + s * (goal->to - goal->from) - g.value) / bl_linkage_unit(l, &goal->what);
        }
        most = fabs(b[i]) <= most ? most : fabs(b[i]);
    }
    return most;
}

/* least-norm solution x[n] of the equations factored for d->b[m], in d->b */
static bool solve_least(bl_displacement *d, bl_index n) {
    bl_index m = rows_of(d);
    double *y = d->b + n + m + 1;
    for (bl_index i = 0; i < m; i++)
        if (!(pivot(d, n, i) > study_way_pivot))
            return false;
    for (bl_index i = 0; i < m; i++)
        y[i] = d->b[d->order[i] - 1];
    bl_dense_triangle_solve(BL_UPPER, true, m, 1, d->a, n, y, m);
    memset(d->b, 0, (size_t)n * sizeof *d->b);
    memcpy(d->b, y, (size_t)m * sizeof *d->b);
    if (m > 0)
        bl_dense_qr_multiply(n, 1, m, d->a, d->tau, false, d->b, d->work, d->nwork);
    return true;
}

bool bl_displacement_least(bl_displacement *d, bool masses, const double *rhs, double *x) {
    bl_index n = d->l->n;
    memcpy(d->b, rhs, (size_t)rows_of(d) * sizeof *rhs);
    if (!solve_least(d, n))
        return false;
    if (masses)
        bl_linkage_from_masses(d->l, d->b);
    memcpy(x, d->b, (size_t)n * sizeof *x);
    return true;
}

bl_status bl_displacement_assemble(bl_displacement *d, bool curve, double *at, double *s, double *moved) {
    bl_linkage *l = d->l;
    bl_index n = l->n + (curve ? 1 : 0);
    double before = INFINITY;
    *moved = 0;
    if (rows_of(d) > n)
        return BL_NO_CONVERGENCE;
    for (int round = 0; round < study_way_iterations; round++) {
        bl_linkage_go(l, at);
        memcpy(at, l->at, l->size * sizeof *at);
        double gap = residual(d, *s, d->b);
        if (!isfinite(gap))
            return BL_NO_CONVERGENCE;
        if (gap < study_way_closed || (gap < study_way_closed_enough && gap > 0.2 * before))
            return BL_OK;
        if (round > 3 && gap > 0.5 * before)
            return BL_NO_CONVERGENCE;
        before = gap;
        BL_TRY(bl_displacement_factor(d, curve, false));
        if (!solve_least(d, n))
            return BL_NO_CONVERGENCE;
        double length = 0;
        for (bl_index j = 0; j < l->n; j++)
            length += d->b[j] * d->b[j];
        length = sqrt(length);
        *moved += length;
        if (!(length < 1)) /* a rotation of 1 rad is too large for a correction */
            return BL_NO_CONVERGENCE;
        bl_linkage_shift(l, at, d->b, at);
        *s += curve ? d->stretch * d->b[l->n] : 0;
    }
    return BL_NO_CONVERGENCE;
}

/* ---- the direction */

bl_status bl_displacement_direction(bl_displacement *d, const double *ref) {
    bl_linkage *l = d->l;
    bl_index n = l->n + 1, m = rows_of(d);
    double along = 0, length = 0, alone = 0;
    BL_TRY(bl_displacement_factor(d, true, true));
    /* projection of e_s on the null space of the equations; where that vanishes and one motion is left, this motion */
    memset(d->b, 0, (size_t)n * sizeof *d->b);
    d->b[l->n] = 1;
    bl_dense_qr_multiply(n, 1, m, d->a, d->tau, true, d->b, d->work, d->nwork);
    for (bl_index j = m; j < n; j++)
        alone += d->b[j] * d->b[j];
    if (m == n - 1)
        d->b[m] = d->b[m] < 0 ? -1 : 1;
    else if (sqrt(alone) < study_way_level) {
        if (!ref)
            return BL_SINGULAR;
        memcpy(d->tried, ref, (size_t)l->n * sizeof *ref);
        d->trial_slope = 0;
        return BL_OK;
    }
    memset(d->b, 0, (size_t)m * sizeof *d->b);
    bl_dense_qr_multiply(n, 1, m, d->a, d->tau, false, d->b, d->work, d->nwork);
    bl_linkage_from_masses(l, d->b);
    for (bl_index j = 0; j < l->n; j++) {
        length += d->b[j] * d->b[j];
        along += ref ? d->b[j] * ref[j] : 0;
    }
    length = sqrt(length);
    if (!(length > 0))
        return BL_SINGULAR;
    double sign = (ref ? along < 0 : d->b[l->n] < 0) ? -1 : 1;
    for (bl_index j = 0; j < l->n; j++)
        d->tried[j] = sign * d->b[j] / length;
    d->trial_slope = sign * d->stretch * d->b[l->n] / length;
    return BL_OK;
}

/* ---- one step: Dormand and Prince (1980), order 5 with an error of order 4 */

static const double rk[7][6] = {{0},
                                {1. / 5},
                                {3. / 40, 9. / 40},
                                {44. / 45, -56. / 15, 32. / 9},
                                {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
                                {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
                                {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}};
static const double rk_error[7] = {71. / 57600, 0, -71. / 16695, 71. / 1920, -17253. / 339200, 22. / 525, -1. / 40};

/* k[stage] = rates of the coordinates of bodies, followed by that of s */
static bl_status stage(bl_displacement *d, int i, const double *ref) {
    BL_TRY(bl_displacement_direction(d, ref));
    bl_linkage_rate(d->l, d->tried, d->k[i]);
    d->k[i][d->l->size] = d->trial_slope;
    return BL_OK;
}

bl_status bl_displacement_reach(bl_displacement *d, double h) {
    bl_linkage *l = d->l;
    size_t bodies = 7 * (size_t)l->model->nbody;
    bl_linkage_go(l, d->base);
    bl_linkage_rate(l, d->direction, d->k[0]);
    d->k[0][l->size] = d->slope;
    for (int i = 1; i < 7; i++) {
        memcpy(d->trial, d->base, l->size * sizeof *d->trial);
        d->trial_s = d->s;
        for (int j = 0; j < i; j++) {
            for (size_t c = 0; c < bodies; c++)
                d->trial[c] += h * rk[i][j] * d->k[j][c];
            d->trial_s += h * rk[i][j] * d->k[j][l->size];
        }
        bl_linkage_go(l, d->trial);
        memcpy(d->trial, l->at, l->size * sizeof *d->trial);
        BL_TRY(stage(d, i, d->direction));
    }
    d->error = 0;
    for (size_t c = 0; c < bodies; c++) {
        double sum = 0;
        for (int i = 0; i < 7; i++)
            sum += rk_error[i] * d->k[i][c];
        d->error = fmax(d->error, fabs(h * sum) / (c % 7 < 3 ? l->length : 0.5));
    }
    BL_TRY(bl_displacement_assemble(d, true, d->trial, &d->trial_s, &d->correction));
    return bl_displacement_direction(d, d->direction);
}
