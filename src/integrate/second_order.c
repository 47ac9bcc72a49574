/* Shared by methods of second order.
 *
 * Dense output: the methods have order 2, so a cubic through positions and velocities of both ends (error h^4, its derivative h^3) loses
 * nothing. Accelerations are not used: those of the alpha methods belong to shifted times, and with constraints they may oscillate. The
 * velocity is the derivative of the position, so that events of both agree. */
#include "integrate/second_order.h"

#include "integrate/integrate_limits.h"

#include <math.h>
#include <string.h>

bl_status bl_second_range(bl_context *ctx, const bl_integrator_kind *kind, const char *name, double value, double least, double most,
                          const char *advice) {
    if (value >= least && value <= most)
        return BL_OK;
    if (isinf(most))
        bl_fail(ctx, BL_E_ARG, NULL, "integrator %s: %s = %g is out of range, it must be at least %g", kind->kind.name, name, value, least);
    else
        bl_fail(ctx, BL_E_ARG, NULL, "integrator %s: %s = %g is out of range, it must be between %g and %g", kind->kind.name, name, value,
                least, most);
    if (advice)
        bl_advise(ctx, "%s", advice);
    return BL_E_ARG;
}

bl_status bl_second_create(bl_integrator *integ, size_t own) {
    static const bl_value none[BL_SECOND_NEWTON + 3];
    bl_second *s = integ->own = bl_alloc(integ->ctx, 1, own);
    if (!s)
        return BL_E_MEMORY;
    s->integ = integ;
    BL_TRY(integ->kind->formula(integ->kind, integ->ctx, integ->value, &s->formula));
    const bl_value *value = bl_integrator_values(integ, "guess");
    value = value ? value : none;
    s->guess_last = value[BL_SECOND_GUESS].number != 0;
    bl_newton_options options = {.tolerance = value[BL_SECOND_TOLERANCE].number, .early = 0.01};
    bl_newton_read(value + BL_SECOND_NEWTON, &options);
    return bl_implicit_create(&s->implicit, integ, &options);
}

bl_status bl_second_start(bl_integrator *integ, const bl_array *more, size_t nmore) {
    enum { OWN = 10, MORE = 6 };
    bl_second *s = integ->own;
    const bl_system *sys = integ->form->sys;
    BL_TRY(bl_implicit_start(&s->implicit));
    bl_index nv = s->nv = sys->nv, nz = s->nz = sys->nz;
    s->nq = sys->nq;
    bl_array room[OWN + MORE] = {BL_ARRAY(s->a, nv),
                                 BL_ARRAY(s->a_new, nv),
                                 BL_ARRAY(s->increment, nv),
                                 BL_ARRAY(s->part, nv),
                                 BL_ARRAY(s->zd, nz),
                                 BL_ARRAY(s->zd_new, nz),
                                 BL_ARRAY(s->zd_old, nz),
                                 BL_ARRAY(s->zd_end, nz),
                                 BL_ARRAY(s->y_old, integ->ny),
                                 BL_ARRAY(s->start, 2 * nv + nz)};
    for (size_t i = 0; i < nmore && i < MORE; i++)
        room[OWN + i] = more[i];
    BL_TRY(bl_integrator_arrays(integ, room, OWN + nmore));
    double *rate = integ->y_new; /* not in use between steps */
    BL_TRY(bl_implicit_rate(&s->implicit, integ->t, integ->y, rate));
    rate += s->nq;
    memcpy(s->a, rate, (size_t)nv * sizeof *rate);
    memcpy(s->zd, rate + nv, (size_t)nz * sizeof *rate);
    s->power_t = integ->t;
    s->power = rate[nv + nz];
    integ->h_next = integ->control.step;
    return BL_OK;
}

bl_status bl_second_start_alone(bl_integrator *integ) { return bl_second_start(integ, NULL, 0); }

double bl_second_step(bl_second *s, double h) {
    bl_integrator *integ = s->integ;
    integ->t_new = integ->t + h;
    s->h = fabs(h - integ->control.step) <= 2 * integrate_last_step * h ? integ->control.step : h;
    return s->h;
}

void bl_second_stage(bl_second *s) {
    bl_implicit *implicit = &s->implicit;
    s->stage = (bl_stage){.cc = 1,
                          .cz = 1,
                          .qe = implicit->qe,
                          .ve = implicit->ve,
                          .ae = implicit->ae,
                          .ze = implicit->ze,
                          .zde = implicit->zde,
                          .qc = s->integ->y_new,
                          .vc = s->integ->y_new + s->nq};
}

bl_status bl_second_solve(bl_second *s, const double **d, const double **w, const double **dz) {
    bl_newton_new_step(&s->implicit.newton);
    return bl_implicit_second(&s->implicit, &s->stage, d, w, dz);
}

void bl_second_work_of(bl_second *s, double t, double power) {
    bl_integrator *integ = s->integ;
    double t0 = integ->t, h = s->h, apart = t - s->power_t;
    s->power_t_new = t;
    s->power_new = power;
    s->line_slope = fabs(apart) > 1e-3 * h ? (power - s->power) / apart : 0;
    s->line = power + (t0 - t) * s->line_slope;
    integ->y_new[integ->ny - 1] = integ->y[integ->ny - 1] + h * (s->line + 0.5 * h * s->line_slope);
}

bl_status bl_second_work(bl_second *s, double t) {
    bl_stage stage = s->stage;
    double power = 0;
    stage.te = t;
    stage.w_other = 0;
    BL_TRY(bl_implicit_power(&s->implicit, &stage, &power));
    bl_second_work_of(s, t, power);
    return BL_OK;
}

void bl_second_follow(bl_second *s, double to_v, double to_a, double to_zd, const double *w, const double *dz) {
    double *v1 = s->integ->y_new + s->nq, *z1 = v1 + s->nv;
    for (bl_index i = 0; i < s->nv && w; i++) {
        v1[i] += to_v * w[i];
        s->a_new[i] += to_a * w[i];
    }
    for (bl_index i = 0; i < s->nz; i++) {
        z1[i] += dz[i];
        s->zd_new[i] += to_zd * dz[i];
    }
}

bl_status bl_second_next_step(bl_integrator *integ, bool accepted, double error, int failures, bl_status status, double *h) {
    (void)error;
    return bl_implicit_fixed_step(&((bl_second *)integ->own)->implicit, accepted, failures, status, h);
}

void bl_second_accept(bl_integrator *integ) {
    bl_second *s = integ->own;
    size_t nz = (size_t)s->nz * sizeof(double);
    memcpy(s->zd_old, s->zd, nz);
    memcpy(s->zd_end, s->zd_new, nz);
    memcpy(s->zd, s->zd_new, nz);
    double *a = s->a;
    s->a = s->a_new;
    s->a_new = a;
    s->power_t = s->power_t_new;
    s->power = s->power_new;
    s->line_kept = s->line;
    s->line_slope_kept = s->line_slope;
    bl_integrator_advance(integ, s->y_old);
    integ->order = s->formula.order;
}

bl_status bl_second_move(bl_second *s, const double *q, double factor, const double *x, double *q_new) {
    const bl_system *sys = s->integ->form->sys;
    if (sys->facts & BL_FLAT) {
        for (bl_index i = 0; i < s->nv; i++)
            q_new[i] = q[i] + factor * x[i];
        return BL_OK;
    }
    for (bl_index i = 0; i < s->nv; i++)
        s->part[i] = factor * x[i];
    return bl_system_retract(sys, q, s->part, q_new);
}

bl_status bl_second_dense(const bl_integrator *integ, double t, double *y) {
    const bl_second *s = integ->own;
    const bl_system *sys = integ->form->sys;
    bl_index nq = s->nq, nv = s->nv, nz = s->nz;
    bool flat = sys->facts & BL_FLAT;
    const double *y0 = s->y_old, *y1 = integ->y_new;
    double h = s->h, x = (t - integ->t_old) / h, r = 1 - x;
    double a0 = r * r * (1 + 2 * x), b0 = h * x * r * r, a1 = x * x * (3 - 2 * x), b1 = -h * x * x * r;
    double slope = 6 * x * r / h, c0 = r * (1 - 3 * x), c1 = x * (3 * x - 2);
    for (bl_index i = 0; i < nv && flat; i++) {
        double v0 = y0[nv + i], v1 = y1[nv + i];
        y[i] = a0 * y0[i] + b0 * v0 + a1 * y1[i] + b1 * v1;
        y[nv + i] = slope * (y1[i] - y0[i]) + c0 * v0 + c1 * v1;
    }
    if (!flat) {
        for (bl_index i = 0; i < nv; i++)
            s->part[i] = 0.5 * h * (y0[nq + i] + y1[nq + i]);
        BL_TRY(bl_system_local_near(sys, y0, y1, s->part, s->increment));
        for (bl_index i = 0; i < nv; i++) {
            double v0 = y0[nq + i], v1 = y1[nq + i];
            s->part[i] = b0 * v0 + a1 * s->increment[i] + b1 * v1;
            y[nq + i] = slope * s->increment[i] + c0 * v0 + c1 * v1;
        }
        BL_TRY(bl_system_retract(sys, y0, s->part, y));
    }
    for (bl_index i = 0; i < nz; i++) {
        bl_index k = nq + nv + i;
        y[k] = a0 * y0[k] + b0 * s->zd_old[i] + a1 * y1[k] + b1 * s->zd_end[i];
    }
    y[nq + nv + nz] = y0[nq + nv + nz] + h * x * (s->line_kept + 0.5 * h * x * s->line_slope_kept);
    return BL_OK;
}

void bl_second_destroy(bl_integrator *integ) { bl_implicit_destroy(&((bl_second *)integ->own)->implicit); }
