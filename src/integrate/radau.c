/* Radau IIA with 3, 5 or 7 stages, order 5, 9, 13, A- and L-stable: collocation at the Radau points, adaptive step and order (Hairer and
 * Wanner 1996, IV.8; 1999, Stiff differential equations solved by Radau methods). With Z_i = Y_i - y0 the stages are
 *
 *     (1/h) sum_j (A^-1)_ij B Z_j = F(t0 + c_i h, y0 + Z_i),   B y' = F(t, y),   y = (q, v, z)
 *
 * Velocities follow the positions, V_i = (1/h) sum_j (A^-1)_ij Zq_j, and are not unknowns. Simplified Newton in the eigenvectors of A^-1:
 * one real and (s-1)/2 complex systems of the size of (q, z). Step control predicts from two steps (Gustafsson 1992). */
#include "integrate/radau.h"

#include "integrate/first_order_form.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { S = BL_RADAU_STAGES, TABLES = 3, WAIT = 10 };

static const double SAFE = 0.9, SHRINK_MOST = 8, GROW_MOST = 8; /* of the step */
static const double KEEP_FROM = 1.0, KEEP_TO = 1.2;             /* ratios at which the step, and so the factors, are kept */
static const double ORDER_UP = 2e-3, ORDER_DOWN = 0.8;          /* contraction */
static const double RATIO_LEAST = 0.8, RATIO_MOST = 1.2;        /* of steps, for more stages */

typedef struct radau {
    bl_radau table[TABLES];
    int least, most, now; /* tables in use: (s - 3) / 2 */
    double renew;         /* contraction above which tangents are evaluated anew */
    bl_jacobian jacobian;

    bl_first_order at;
    bl_index n;                  /* nv + nz: length of x */
    double *Z[S], *Z_old[S];     /* [ny] increments of the stages; of the last accepted step */
    double *R[S];                /* [n] residuals, then updates in the eigenvectors, then updates */
    double *x;                   /* [2 n] right-hand sides of the solver */
    double *F0, *w, *err, *size; /* [ny] */
    double *y_old;               /* [ny] start of the last accepted step */

    bool shifted;
    int shifted_for; /* table */
    double shifted_h;
    double contraction, smoothed; /* of the last iteration; over steps, for the order */
    double ease;                  /* contraction / (1 - contraction), kept from step to step */
    int iterations;
    double hint; /* factor of the step after a failed iteration */
    bool singular;
    bl_index largest; /* column of the largest change in the last update */
    int held;         /* steps at this order */
    bool first, rejected, unexpected;
    double h, h_accepted, error_accepted;
    int old; /* table of Z_old, -1: none */
    double h_old;
} radau;

static bl_status radau_create(bl_integrator *integ) {
    radau *own;
    BL_TRY(BL_NEW(integ->ctx, own, 1));
    integ->own = own;
    int order = (int)integ->value[0].number;
    if (order != 0 && order != 5 && order != 9 && order != 13) {
        bl_fail(integ->ctx, BL_E_ARG, NULL, "integrator radau: order must be 5, 9 or 13, found %d", order);
        return bl_advise(integ->ctx, "use order 0, the default, to switch between them during the run"), BL_E_ARG;
    }
    own->least = order == 0 ? 0 : (order - 5) / 4;
    own->most = order == 0 ? TABLES - 1 : own->least;
    own->jacobian = (bl_jacobian)integ->value[1].number;
    own->renew = 1e-3;
    return BL_OK;
}

static int stages_most(const radau *own) { return 2 * own->most + 3; }

static const bl_radau *table_of(radau *own, int which) {
    if (own->table[which].s == 0)
        bl_radau_make(2 * which + 3, &own->table[which]);
    return &own->table[which];
}

static bl_status make_room(bl_integrator *integ) {
    enum { OWN = 6 };
    radau *own = integ->own;
    bl_array room[OWN + 3 * S + BL_FIRST_ORDER_ARRAYS];
    BL_TRY(bl_first_order_start(&own->at, integ, own->jacobian, room));
    bl_index ny = own->at.ny, n = own->n = own->at.nv + own->at.nz;
    size_t count = BL_FIRST_ORDER_ARRAYS + OWN;
    const bl_array more[OWN] = {BL_ARRAY(own->x, 2 * n), BL_ARRAY(own->F0, ny),   BL_ARRAY(own->w, ny),
                                BL_ARRAY(own->err, ny),  BL_ARRAY(own->size, ny), BL_ARRAY(own->y_old, ny)};
    memcpy(room + BL_FIRST_ORDER_ARRAYS, more, sizeof more);
    for (int i = 0; i < stages_most(own); i++) {
        room[count++] = BL_ARRAY(own->Z[i], ny);
        room[count++] = BL_ARRAY(own->Z_old[i], ny);
        room[count++] = BL_ARRAY(own->R[i], n);
    }
    return bl_integrator_arrays(integ, room, count);
}

/* (v, Q - M a, f - A zd) at y + dy */
static bl_status balance(bl_integrator *integ, double t, const double *dy, double *F) {
    radau *own = integ->own;
    bl_first_order_move_to(&own->at, 1, dy);
    memcpy(F, own->at.v, (size_t)own->at.nv * sizeof(double));
    return bl_balance_residual(&own->at, t, F + own->at.nv);
}

/* F(t, y + dy) = (v, Q, f) */
static bl_status right_side(bl_integrator *integ, double t, const double *dy, double *F) {
    bl_balance_rates(&((radau *)integ->own)->at, NULL);
    return balance(integ, t, dy, F);
}

static bl_status radau_start(bl_integrator *integ) {
    radau *own = integ->own;
    bl_formulation *form = integ->form;
    BL_TRY(make_room(integ));
    BL_TRY(form->kind->shift_setup(form, own->most + 2));
    own->now = own->least;
    own->shifted = false;
    own->first = true;
    own->rejected = own->unexpected = false;
    own->old = -1;
    own->held = 0;
    own->ease = 1;
    own->contraction = own->smoothed = own->renew;
    BL_TRY(form->kind->rate(form, integ->t, integ->y, own->err));
    BL_TRY(right_side(integ, integ->t, NULL, own->F0));
    bl_step_begin(integ, own->err, 0.25);
    return BL_OK;
}

static bl_status make_tangent(bl_integrator *integ) {
    radau *own = integ->own;
    own->shifted = false;
    return bl_balance_tangent(&own->at, own->err);
}

static bl_status make_shifts(bl_integrator *integ, const bl_radau *m, double h) {
    radau *own = integ->own;
    bl_formulation *form = integ->form;
    if (own->shifted && own->shifted_h == h && own->shifted_for == own->now)
        return BL_OK;
    own->shifted = false;
    BL_TRY(form->kind->shift(form, 0, m->real / h, 0));
    for (int p = 0; p < m->s / 2; p++)
        BL_TRY(form->kind->shift(form, p + 1, m->alpha[p] / h, -m->beta[p] / h));
    own->shifted = true;
    own->shifted_h = h;
    own->shifted_for = own->now;
    return BL_OK;
}

/* Lagrange polynomials of the nodes 0, c_1, .., c_s at theta, except that of 0 */
static void lagrange(const bl_radau *m, double theta, double *l) {
    for (int i = 0; i < m->s; i++) {
        l[i] = theta / m->c[i];
        for (int j = 0; j < m->s; j++)
            if (j != i)
                l[i] *= (theta - m->c[j]) / (m->c[i] - m->c[j]);
    }
}

/* extrapolates the polynomial of the last step */
static void guess(bl_integrator *integ, const bl_radau *m, double h) {
    radau *own = integ->own;
    bl_index nv = own->at.nv;
    for (int i = 0; i < m->s; i++) {
        double *Z = own->Z[i];
        memset(Z, 0, (size_t)own->at.ny * sizeof *Z);
        if (own->old < 0) { /* constant velocities */
            for (bl_index k = 0; k < nv; k++)
                Z[k] = m->c[i] * h * integ->y[nv + k];
            continue;
        }
        const bl_radau *old = &own->table[own->old];
        double l[S];
        lagrange(old, 1 + m->c[i] * h / own->h_old, l);
        l[old->s - 1] -= 1;
        for (int j = 0; j < old->s; j++) {
            const double *from = own->Z_old[j];
            for (bl_index k = 0; k < nv; k++)
                Z[k] += l[j] * from[k];
            for (bl_index k = 2 * nv; k < 2 * nv + own->at.nz; k++)
                Z[k] += l[j] * from[k];
        }
    }
}

/* to = (1/h) sum_j (A^-1)_ij from_j over n components */
static void differentiate(const bl_radau *m, int i, double h, double *const *from, bl_index offset, bl_index n, double *to) {
    const double *row = m->inverse[i];
    double by = 1 / h;
    for (bl_index k = 0; k < n; k++)
        to[k] = by * row[0] * from[0][offset + k];
    for (int j = 1; j < m->s; j++) {
        double x = by * row[j];
        const double *f = from[j] + offset;
        for (bl_index k = 0; k < n; k++)
            to[k] += x * f[k];
    }
}

static void find_velocities(bl_integrator *integ, const bl_radau *m, double h) {
    radau *own = integ->own;
    for (int i = 0; i < m->s; i++) {
        double *Zv = own->Z[i] + own->at.nv;
        differentiate(m, i, h, own->Z, 0, own->at.nv, Zv);
        for (bl_index k = 0; k < own->at.nv; k++)
            Zv[k] -= integ->y[own->at.nv + k];
    }
}

/* R of all stages */
static bl_status find_residuals(bl_integrator *integ, const bl_radau *m, double h) {
    radau *own = integ->own;
    for (int i = 0; i < m->s; i++) {
        bl_first_order_move_to(&own->at, 1, own->Z[i]);
        differentiate(m, i, h, own->Z, own->at.nv, own->at.nv, own->at.a);
        differentiate(m, i, h, own->Z, 2 * own->at.nv, own->at.nz, own->at.zd);
        BL_TRY(bl_balance_residual(&own->at, integ->t + m->c[i] * h, own->R[i]));
    }
    return BL_OK;
}

/* R <- matrix x R, over the stages */
static void transform(radau *own, int s, double matrix[S][S]) {
    double sum[S][32];
    enum { PIECE = 32 };
    for (bl_index from = 0; from < own->n; from += PIECE) {
        bl_index count = own->n - from < PIECE ? own->n - from : PIECE;
        for (int i = 0; i < s; i++) {
            for (bl_index k = 0; k < count; k++)
                sum[i][k] = matrix[i][0] * own->R[0][from + k];
            for (int j = 1; j < s; j++)
                for (bl_index k = 0; k < count; k++)
                    sum[i][k] += matrix[i][j] * own->R[j][from + k];
        }
        for (int i = 0; i < s; i++)
            memcpy(own->R[i] + from, sum[i], (size_t)count * sizeof(double));
    }
}

/* updates of (q, z) of all stages in R */
static bl_status find_updates(bl_integrator *integ, bl_radau *m, double h) {
    radau *own = integ->own;
    bl_formulation *form = integ->form;
    bl_index n = own->n;
    form->stats.newton_iterations++;
    BL_TRY(find_residuals(integ, m, h));
    transform(own, m->s, m->T_inverse);
    BL_TRY(form->kind->shift_solve(form, 0, own->R[0]));
    for (int p = 0; p < m->s / 2; p++) {
        double *re = own->R[2 * p + 1], *im = own->R[2 * p + 2], *x = own->x;
        for (bl_index k = 0; k < n; k++) {
            x[2 * k] = re[k];
            x[2 * k + 1] = im[k];
        }
        BL_TRY(form->kind->shift_solve(form, p + 1, x));
        for (bl_index k = 0; k < n; k++) {
            re[k] = x[2 * k];
            im[k] = x[2 * k + 1];
        }
    }
    transform(own, m->s, m->T);
    return BL_OK;
}

/* the largest of all, including NaN, and its column */
static inline void note(radau *own, double moved, bl_index column, double *worst) {
    if (!(moved <= *worst)) {
        *worst = moved;
        own->largest = column;
    }
}

/* applies the updates, velocities follow; returns the largest change of (q, v, z) in the norm of the error */
static double move(bl_integrator *integ, const bl_radau *m, double h) {
    radau *own = integ->own;
    bl_index nv = own->at.nv;
    const double *size = own->size;
    double worst = 0;
    for (int i = 0; i < m->s; i++) {
        const double *d = own->R[i];
        double *Zq = own->Z[i], *Zz = Zq + 2 * nv;
        for (bl_index k = 0; k < nv; k++) {
            Zq[k] += d[k];
            note(own, fabs(d[k]) * size[k], k, &worst);
        }
        for (bl_index k = 0; k < own->at.nz; k++) {
            Zz[k] += d[nv + k];
            note(own, fabs(d[nv + k]) * size[2 * nv + k], nv + k, &worst);
        }
    }
    for (int i = 0; i < m->s && nv > 0; i++) {
        double *Zv = own->Z[i] + nv;
        differentiate(m, i, h, own->Z, 0, nv, own->at.v);
        for (bl_index k = 0; k < nv; k++) {
            double now = own->at.v[k] - integ->y[nv + k], moved = fabs(now - Zv[k]) * size[nv + k];
            Zv[k] = now;
            note(own, moved, k, &worst);
        }
    }
    return worst;
}

/* Simplified Newton. BL_NO_CONVERGENCE: too slow, own->hint proposes a step. */
static bl_status iterate(bl_integrator *integ, bl_radau *m, double h) {
    radau *own = integ->own;
    double tolerance = integ->control.tolerance, old = 0, old_ratio = 0, norm;
    double enough = fmax(10 * DBL_EPSILON / tolerance, fmin(0.03, 10 * sqrt(tolerance)));
    int most = 7 + (m->s - 3) * 5 / 2;
    own->ease = pow(fmax(own->ease, DBL_EPSILON), 0.8);
    own->contraction = own->renew;
    for (int it = 1; it <= most; it++) {
        own->iterations = it;
        BL_TRY(find_updates(integ, m, h));
        norm = move(integ, m, h);
        if (!isfinite(norm))
            return BL_NOT_FINITE;
        if (it > 1) {
            double ratio = norm / old;
            own->contraction = it == 2 ? ratio : sqrt(ratio * old_ratio);
            old_ratio = ratio;
            /* the first updates also correct the guess: the contraction they show may be too pessimistic */
            bool early = it == 2 && own->at.tangent_fresh;
            if (own->contraction >= (early ? 2 : 0.99)) {
                own->hint = 0.5;
                return BL_NO_CONVERGENCE;
            }
            own->ease = own->contraction < 0.99 ? own->contraction / (1 - own->contraction) : 100;
            double left = own->ease * norm * pow(own->contraction, most - 1 - it) / enough;
            if (left >= 1 && it < most && !early) {
                own->hint = 0.8 * pow(fmax(1e-4, fmin(20, left)), -1.0 / (4 + most - 1 - it));
                return BL_NO_CONVERGENCE;
            }
        }
        old = fmax(norm, DBL_EPSILON);
        if (own->ease * norm <= enough || integ->form->linear || norm == 0)
            return BL_OK;
    }
    own->hint = 0.5;
    return BL_NO_CONVERGENCE;
}

/* err of F + B w, whose parts nearly cancel. The B that a formulation keeps is that of its tangent: where B depends on y, its change since
 * then would look like an error, so B w is evaluated together with F, and w keeps only the part of the positions. */
static bl_status error_at(bl_integrator *integ, const double *dy) {
    radau *own = integ->own;
    bl_formulation *form = integ->form;
    double *F = own->size; /* not in use after the iteration */
    if (own->at.moving)
        BL_TRY(balance(integ, integ->t, dy, F));
    else if (dy)
        BL_TRY(right_side(integ, integ->t, dy, F));
    else
        F = own->F0;
    return form->kind->shift_error(form, F, own->w, own->err);
}

static bl_status estimate(bl_integrator *integ, const bl_radau *m, double h, double *error) {
    radau *own = integ->own;
    bl_index nv = own->at.nv, n = 2 * nv + own->at.nz;
    for (bl_index k = 0; k < n; k++) {
        double sum = 0;
        for (int i = 0; i < m->s; i++)
            sum += m->error[i] * own->Z[i][k];
        own->w[k] = sum / h;
    }
    if (own->at.moving) { /* a = -w and zd = -w represent it in the balance */
        for (bl_index k = 0; k < nv; k++)
            own->at.a[k] = -own->w[nv + k];
        for (bl_index k = 0; k < own->at.nz; k++)
            own->at.zd[k] = -own->w[2 * nv + k];
        memset(own->w + nv, 0, (size_t)(nv + own->at.nz) * sizeof(double));
    }
    BL_TRY(error_at(integ, NULL));
    *error = bl_error_norm(integ, own->err, integ->y_new) / integ->control.tolerance;
    if (*error < 1 || !(own->first || own->rejected))
        return BL_OK;
    /* a stiff component that has not decayed yet makes the estimate too large: once more with it removed */
    BL_TRY(error_at(integ, own->err));
    *error = bl_error_norm(integ, own->err, integ->y_new) / integ->control.tolerance;
    return BL_OK;
}

/* work of forces without a potential: by the same collocation */
static bl_status find_work(bl_integrator *integ, const bl_radau *m, double h) {
    radau *own = integ->own;
    bl_formulation *form = integ->form;
    double power[S];
    if (own->at.rate || !(form->sys->can & BL_CAN_ENERGY))
        return BL_OK;
    bl_index work = 2 * own->at.nv + own->at.nz;
    for (int i = 0; i < m->s; i++) {
        bl_first_order_move_to(&own->at, 1, own->Z[i]);
        bl_stage stage = bl_balance_stage(&own->at, integ->t + m->c[i] * h);
        BL_TRY(form->kind->power(form, &stage, own->at.zero, &power[i]));
    }
    for (int i = 0; i < m->s; i++) {
        own->Z[i][work] = 0;
        for (int j = 0; j < m->s; j++)
            own->Z[i][work] += h * m->A[i][j] * power[j];
    }
    return BL_OK;
}

/* reciprocal sizes of the Newton norm, in units of the tolerance */
static void measure(bl_integrator *integ, const double *end) {
    radau *own = integ->own;
    const double *weight = integ->form->weight;
    for (bl_index k = 0; k < own->at.ny; k++) {
        double size = fmax(fmax(fabs(integ->y[k]), fabs(integ->y[k] + end[k])), weight[k]);
        own->size[k] = weight[k] > 0 ? 1 / (size * integ->control.tolerance) : 0;
    }
}

static bl_status solve_stages(bl_integrator *integ, bl_radau *m, double h) {
    radau *own = integ->own;
    bl_status status = make_shifts(integ, m, h);
    own->singular = status == BL_SINGULAR;
    if (own->singular) {
        own->hint = 0.5;
        return BL_NO_CONVERGENCE;
    }
    BL_TRY(status);
    guess(integ, m, h);
    find_velocities(integ, m, h);
    measure(integ, own->Z[m->s - 1]);
    return iterate(integ, m, h);
}

static bl_status radau_attempt(bl_integrator *integ, double h, double *error) {
    radau *own = integ->own;
    bl_radau *m = (bl_radau *)table_of(own, own->now);
    own->h = h;
    own->hint = 0.5; /* if the formulation refuses; the iteration sets a better one */
    integ->t_new = integ->t + h;
    if (!own->at.tangent_known)
        BL_TRY(make_tangent(integ));
    bl_status status = solve_stages(integ, m, h);
    if (status == BL_NO_CONVERGENCE && !own->at.tangent_fresh) { /* the step may be right and the tangents old */
        BL_TRY(make_tangent(integ));
        status = solve_stages(integ, m, h);
    }
    if (status != BL_OK) {
        own->unexpected = true;
        return status;
    }
    BL_TRY(find_work(integ, m, h));
    const double *end = own->Z[m->s - 1];
    for (bl_index k = 0; k < own->at.ny; k++)
        integ->y_new[k] = integ->y[k] + end[k];
    BL_TRY(estimate(integ, m, h, error));
    if (!(*error <= 1))
        return BL_OK;
    return right_side(integ, integ->t_new, end, own->w); /* for the next estimate; a refusal there refuses the step */
}

/* More stages when the iteration contracts fast and the step is steady, fewer when it is slow (Hairer and Wanner 1999). An iteration that
 * ends with its first update, as on linear equations, shows no contraction: there is nothing faster. */
static void choose_order(radau *own, double ratio) {
    int now = own->now;
    own->held++;
    own->smoothed = fmin(10, fmax(own->contraction, 0.5 * own->smoothed));
    if (own->smoothed <= ORDER_UP && ratio > RATIO_LEAST && ratio < RATIO_MOST && own->held > WAIT)
        now = own->now < own->most ? own->now + 1 : own->most;
    if (own->smoothed >= ORDER_DOWN || own->unexpected)
        now = own->now > own->least ? own->now - 1 : own->least;
    own->unexpected = false;
    if (now != own->now) {
        own->now = now;
        own->held = 0;
    }
}

/* no step is short enough for the iteration */
static bl_status give_up(bl_integrator *integ) {
    const radau *own = integ->own;
    char name[96] = "";
    if (!own->at.rate && !own->singular)
        bl_system_col_name(integ->form->sys, own->largest, name, sizeof name);
    if (own->singular)
        bl_fail(integ->ctx, BL_E_NUMERIC, NULL, "the iteration matrix is singular at t = %.9g", integ->t);
    else
        bl_fail(integ->ctx, BL_E_NUMERIC, NULL, "Newton's iteration did not converge at t = %.9g%s%s", integ->t,
                name[0] ? ": largest update in " : "", name);
    bl_advise(integ->ctx, "%s",
              own->singular ? "look for equations that determine no unknown, or a singular configuration"
                            : "the equations may have no solution beyond this time; otherwise try a larger tolerance");
    bl_blame(integ->ctx, name, "", integ->t);
    return BL_E_NUMERIC;
}

static bl_status radau_next_step(bl_integrator *integ, bool accepted, double error, int failures, bl_status status, double *h) {
    radau *own = integ->own;
    double smallest = bl_step_smallest(integ->t), largest = bl_step_largest(integ);
    int s = 2 * own->now + 3, most = 7 + (s - 3) * 5 / 2;
    if (!accepted) {
        if (!own->at.tangent_fresh)
            own->at.tangent_known = false;
        if (status != BL_REJECTED && status != BL_NO_CONVERGENCE)
            return bl_step_shorten(integ, status, failures, h);
        if (*h <= smallest) /* there is no shorter one */
            return status == BL_NO_CONVERGENCE ? give_up(integ) : bl_step_shorten(integ, status, failures, h);
        own->rejected = true;
        if (status == BL_NO_CONVERGENCE) {
            *h *= own->hint;
            if (own->now > own->least && failures > 1)
                own->now--, own->held = 0;
        } else if (own->first) {
            *h *= 0.1;
        } else {
            double factor = fmin(SAFE, SAFE * (1 + 2 * most) / (own->iterations + 2 * most));
            *h /= fmax(1 / SHRINK_MOST, fmin(GROW_MOST, pow(error, 1.0 / (s + 1)) / factor));
        }
        *h = fmax(*h, smallest);
        return BL_OK;
    }
    /* the step that would have just been accepted, shorter after many iterations */
    double factor = fmin(SAFE, SAFE * (1 + 2 * most) / (own->iterations + 2 * most)), power = 1.0 / (s + 1);
    double divide = fmax(1 / GROW_MOST, fmin(SHRINK_MOST, pow(error, power) / factor));
    if (!own->first) { /* and as the errors of the last two steps predict */
        double predicted = own->h_accepted / *h * pow(error * error / own->error_accepted, power) / SAFE;
        divide = fmax(divide, fmax(1 / GROW_MOST, fmin(SHRINK_MOST, predicted)));
    }
    double ratio_before = own->first ? 1 : *h / own->h_accepted;
    own->h_accepted = *h;
    own->error_accepted = fmax(1e-2, error);
    double next = fmin(largest, fmax(smallest, *h / divide));
    if (own->rejected)
        next = fmin(next, *h);
    own->at.tangent_known = own->contraction <= own->renew || integ->form->linear;
    own->at.tangent_fresh = false;
    choose_order(own, ratio_before);
    double ratio = next / *h;
    if (own->at.tangent_known && ratio >= KEEP_FROM && ratio <= KEEP_TO)
        next = *h;
    own->first = own->rejected = false;
    *h = next;
    return BL_OK;
}

static void radau_accept(bl_integrator *integ) {
    radau *own = integ->own;
    bl_integrator_advance(integ, own->y_old);
    for (int i = 0; i < 2 * own->now + 3; i++) {
        double *kept = own->Z_old[i];
        own->Z_old[i] = own->Z[i];
        own->Z[i] = kept;
    }
    double *F = own->F0;
    own->F0 = own->w;
    own->w = F;
    own->old = own->now;
    integ->order = 4 * own->now + 5;
    own->h_old = own->h;
}

static bl_status radau_dense(const bl_integrator *integ, double t, double *y) {
    const radau *own = integ->own;
    const bl_radau *m = &own->table[own->old];
    double l[S];
    lagrange(m, (t - integ->t_old) / own->h_old, l);
    memcpy(y, own->y_old, (size_t)own->at.ny * sizeof *y);
    for (int i = 0; i < m->s; i++)
        for (bl_index k = 0; k < own->at.ny; k++)
            y[k] += l[i] * own->Z_old[i][k];
    return BL_OK;
}

static const bl_param params[] = {
    {.name = "order", .type = BL_P_INTEGER, .help = "5, 9 or 13; 0: switches between them during the run"},
    BL_JACOBIAN_PARAM,
    {0},
};

const bl_integrator_kind bl_integrator_radau = {
    .kind = {.name = "radau",
             .help = "Radau IIA collocation, order 5, 9, 13, L-stable, adaptive step and order: stiff and oscillatory problems",
             .params = params,
             .needs = BL_CAN_STAGE | BL_CAN_SHIFT,
             .gives = BL_ADAPTIVE | BL_DENSE | BL_VARIABLE_ORDER},
    .order = 5,
    .dense_order = 2,
    .create = radau_create,
    .start = radau_start,
    .attempt = radau_attempt,
    .next_step = radau_next_step,
    .accept = radau_accept,
    .dense = radau_dense,
};
