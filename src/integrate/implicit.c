/* First-order methods solve y = psi + c y'; here that becomes a stage. With q' = v (ggl: the path d of positions) and v' = a,
 *
 *     q = psi_q + c v,  v = psi_v + c a   =>   moving q by d moves v by d / c and a by d / c^2.
 *
 * The guess of v is turned into one of a, from which v and q are computed: so no digits are lost in differences of positions. Where
 * velocities have no separate equations (index 3) the guess of q is used. */
#include "integrate/implicit.h"
#include "integrate/integrate_limits.h"

#include <float.h>
#include <math.h>
#include <string.h>

bl_status bl_implicit_create(bl_implicit *implicit, bl_integrator *integ, const bl_newton_options *options) {
    implicit->integ = integ;
    return bl_newton_create(&implicit->newton, integ->form, options);
}

bl_status bl_implicit_create_adaptive(bl_implicit *implicit, bl_integrator *integ, const bl_value *newton) {
    bl_newton_options options = {.early = 0.1, .adaptive = true};
    bl_newton_read(newton, &options);
    options.rescue = false; /* a smaller step replaces it */
    return bl_implicit_create(implicit, integ, &options);
}

bl_status bl_implicit_start(bl_implicit *implicit) {
    bl_integrator *integ = implicit->integ;
    bl_formulation *form = integ->form;
    BL_TRY(bl_newton_start(&implicit->newton));
    bool rate = form->stage_of == BL_STAGE_RATE;
    bl_index nv = rate ? 0 : form->sys->nv, nz = rate ? form->ny : form->sys->nz;
    implicit->h_tangent = 0;
    implicit->t_tangent = NAN;
    if (implicit->block && implicit->ny == form->ny && implicit->nv == nv && implicit->nz == nz) {
        memset(implicit->ae, 0, (size_t)nv * sizeof *implicit->ae);
        return BL_OK;
    }
    implicit->ny = form->ny;
    implicit->nv = nv;
    implicit->nz = nz;
    return BL_NEW_ARRAYS(integ->ctx, implicit->block, BL_ARRAY(implicit->qe, rate ? 0 : form->sys->nq), BL_ARRAY(implicit->ve, nv),
                         BL_ARRAY(implicit->ae, nv), BL_ARRAY(implicit->ze, nz), BL_ARRAY(implicit->zde, nz),
                         BL_ARRAY(implicit->size, form->ny)); /* pages that are never written cost nothing */
}

void bl_implicit_destroy(bl_implicit *implicit) {
    bl_newton_destroy(&implicit->newton);
    if (implicit->integ)
        bl_free(implicit->integ->ctx, implicit->block);
    implicit->block = NULL;
}

bl_status bl_implicit_fixed_step(bl_implicit *implicit, bool accepted, int failures, bl_status status, double *h) {
    bl_newton *newton = &implicit->newton;
    if (!accepted && failures == 1)
        bl_newton_first_failure(newton);
    bl_status verdict = bl_step_control_fixed(implicit->integ, accepted, failures, status, h);
    return verdict == BL_E_NUMERIC && newton->last.status == status ? bl_newton_explain(newton) : verdict;
}

void bl_implicit_begin(bl_implicit *implicit, double h) {
    bl_newton *newton = &implicit->newton;
    bl_newton_new_step(newton); /* a shorter step is at another state */
    /* updates by a matrix far too stiff are small without being right; tangents evaluated where an iteration diverged belong to a state
     * that the motion does not reach */
    bool elsewhere = implicit->t_tangent == implicit->integ->t;
    if ((h > integrate_span * implicit->h_tangent || elsewhere) && !newton->form->linear)
        newton->tangent_known = false;
    implicit->t_tangent = NAN;
    implicit->tangents = newton->form->stats.tangents;
}

void bl_implicit_end(bl_implicit *implicit, double h, bl_status status) {
    if (implicit->newton.form->stats.tangents == implicit->tangents)
        return;
    implicit->h_tangent = h;
    implicit->t_tangent = status > 0 && implicit->newton.largest_update > 1 ? implicit->integ->t : NAN;
}

bl_status bl_implicit_refused(bl_implicit *implicit, int failures, bl_status *status, double *h) {
    bl_integrator *integ = implicit->integ;
    double tried = *h;
    bool explained = implicit->newton.last.status == *status;
    if (*status == BL_SINGULAR && integ->form->sys && integ->form->sys->np == 0)
        *status = BL_NO_CONVERGENCE; /* no singular configuration to step over: the guess was too far off for a steep law */
    bl_status verdict = bl_step_shorten(integ, *status, failures, h);
    if (verdict != BL_OK) /* name the equation, where the iteration failed */
        return explained ? bl_newton_explain(&implicit->newton) : verdict;
    if (*status == BL_NO_CONVERGENCE)
        *h = 0.3 * tried;
    if (*status != BL_SINGULAR)
        integ->h_unshortened = 0;
    return BL_OK;
}

bl_status bl_implicit_rate(bl_implicit *implicit, double t, const double *y, double *rate) {
    bl_formulation *form = implicit->integ->form;
    return form->kind->rate(form, t, y, rate);
}

/* the same where positions are not a vector space: their increments by the scale of columns */
static double measure_increments(bl_implicit *implicit, const double *guess) {
    const bl_integrator *integ = implicit->integ;
    const bl_system *sys = integ->form->sys;
    const double *y = integ->y + sys->nq;
    double *size = implicit->size;
    guess += sys->nq;
    for (bl_index i = 0; i < sys->nv; i++)
        *size++ = sys->col[i].scale;
    for (bl_index i = 0; i < sys->nv + sys->nz; i++)
        *size++ = fmax(fmax(fabs(y[i]), fabs(guess[i])), sys->col[i].scale);
    return 1;
}

/* reference sizes for updates, and the largest guess relative to them */
static double measure(bl_implicit *implicit, const double *guess) {
    const bl_integrator *integ = implicit->integ;
    const bl_formulation *form = integ->form;
    const double *weight = form->weight, *y = integ->y;
    double base = 0;
    if (implicit->newton.linear) /* nothing is compared */
        return 0;
    if (form->stage_of == BL_STAGE_MOTION && !(form->sys->facts & BL_FLAT))
        return measure_increments(implicit, guess);
    for (bl_index i = 0; i < implicit->ny; i++) {
        /* velocities and algebraic states left out of the error norm must converge nevertheless: the next steps depend on them */
        double least = i >= implicit->nv && i < 2 * implicit->nv ? form->sys->col[i - implicit->nv].scale : weight[i];
        if (least == 0 && form->algebraic && i >= 2 * implicit->nv && i < 2 * implicit->nv + implicit->nz)
            least = form->sys->col[i - implicit->nv].scale;
        double size = least > 0 ? fmax(fmax(fabs(y[i]), fabs(guess[i])), least) : 0;
        implicit->size[i] = size;
        if (size > 0)
            base = fmax(base, fabs(guess[i]) / size);
    }
    return base;
}

static void guess_states(bl_implicit *implicit, double c, const double *psi, const double *guess) {
    for (bl_index i = 0; i < implicit->nz; i++) {
        implicit->ze[i] = guess[i];
        implicit->zde[i] = (guess[i] - psi[i]) / c;
    }
}

/* Where one update is the solution any guess will do: one without acceleration saves a product with the mass. */
static void guess_coasting(bl_implicit *implicit, double c, const double *psi) {
    bl_index nv = implicit->nv, nz = implicit->nz;
    const double *v = psi + nv;
    implicit->newton.vectors->add(nv, psi, c, v, implicit->qe);
    memcpy(implicit->ve, v, (size_t)nv * sizeof *v);
    memset(implicit->ae, 0, (size_t)nv * sizeof *implicit->ae);
    memcpy(implicit->ze, psi + 2 * nv, (size_t)nz * sizeof *psi);
    memset(implicit->zde, 0, (size_t)nz * sizeof *implicit->zde);
}

/* positions, and how velocities and accelerations follow their increments */
static void take_motion(const bl_implicit *implicit, double c, const double *x, const double *w, double *y, double *rate) {
    const bl_vector_kernels *vectors = implicit->newton.vectors;
    bl_index nv = implicit->nv;
    double by_c = 1 / c;
    vectors->add(nv, implicit->qe, 1, x, y);
    vectors->add(nv, implicit->ve, by_c, w, y + nv);
    if (w == x)
        memcpy(rate, y + nv, (size_t)nv * sizeof *rate);
    else
        vectors->add(nv, implicit->ve, by_c, x, rate);
    vectors->add(nv, implicit->ae, by_c * by_c, w, rate + nv);
}

static void take_states(const bl_implicit *implicit, double c, const double *dz, double *z, double *zd) {
    for (bl_index i = 0; i < implicit->nz; i++) {
        z[i] = implicit->ze[i] + dz[i];
        zd[i] = implicit->zde[i] + dz[i] / c;
    }
}

bl_stage bl_implicit_stage(double t, double c, double *q, double *v, double *a, double *z, double *zd) {
    double by_c = 1 / c;
    return (bl_stage){.te = t,
                      .tc = t,
                      .ce = 1,
                      .cv = by_c,
                      .ca = 1 / (c * c),
                      .cc = 1,
                      .cvc = by_c,
                      .cz = 1,
                      .czd = by_c,
                      .qe = q,
                      .ve = v,
                      .ae = a,
                      .qc = q,
                      .vc = v,
                      .ze = z,
                      .zde = zd};
}

static bl_stage first_stage(const bl_implicit *at, double t, double c) {
    return bl_implicit_stage(t, c, at->qe, at->ve, at->ae, at->ze, at->zde);
}

bl_status bl_implicit_first(bl_implicit *implicit, double t, double c, const double *psi, double *y, double *rate) {
    bl_formulation *form = implicit->integ->form;
    bl_index nv = implicit->nv, nz = implicit->nz;
    double *qe = implicit->qe, *ve = implicit->ve, *ae = implicit->ae;
    double base = measure(implicit, y);
    bool linear = implicit->newton.linear;
    /* velocities with separate equations keep their digits */
    bool by_velocity = form->x_velocity > 0 || form->nlambda == 0;
    for (bl_index i = 0; i < nv && !linear; i++) {
        ae[i] = by_velocity ? (y[nv + i] - psi[nv + i]) / c : ((y[i] - psi[i]) / c - psi[nv + i]) / c;
        ve[i] = psi[nv + i] + c * ae[i];
        qe[i] = psi[i] + c * ve[i];
    }
    if (linear)
        guess_coasting(implicit, c, psi);
    else
        guess_states(implicit, c, psi + 2 * nv, y + 2 * nv);
    bl_stage stage = first_stage(implicit, t, c);
    stage.coasting = linear;
    implicit->t = t;
    implicit->c = c;
    BL_TRY(bl_newton_solve(&implicit->newton, &stage, implicit->size, base));
    const double *x = implicit->newton.x, *w = x + form->x_velocity;
    take_motion(implicit, c, x, w, y, rate);
    take_states(implicit, c, x + nv, y + 2 * nv, rate + 2 * nv);
    if (form->stage_of == BL_STAGE_RATE)
        return BL_OK;
    bl_index work = 2 * nv + nz;
    if (form->kind->settle) {
        BL_TRY(form->kind->settle(form, &stage, x, y, y + nv, rate + nv));
        memcpy(rate, y + nv, (size_t)nv * sizeof *rate);
    }
    BL_TRY(form->kind->power(form, &stage, x, &rate[work]));
    y[work] = psi[work] + c * rate[work];
    return BL_OK;
}

/* psi + v leaves q unchanged and subtracts v / c from rates; the residual then gives the response. Where velocities have separate equations
 * (ggl) they are unchanged, and the row d = w + G^T mu gets the shift of positions: no constraint has to compensate v / c. */
static void shift_psi(bl_implicit *implicit, double sign, const double *v) {
    bl_index nv = implicit->nv, nz = implicit->nz;
    double by_c = sign / implicit->c;
    bool apart = implicit->newton.form->x_velocity > 0;
    for (bl_index i = 0; i < nv; i++) {
        implicit->ve[i] -= apart ? 0 : by_c * v[i];
        implicit->ae[i] -= by_c * (v[nv + i] + (apart ? 0 : v[i] / implicit->c));
    }
    for (bl_index i = 0; i < nz; i++)
        implicit->zde[i] -= by_c * v[2 * nv + i];
}

bl_status bl_implicit_filter(bl_implicit *implicit, double *v) {
    bl_newton *newton = &implicit->newton;
    bl_formulation *form = newton->form;
    if (form->stage_of == BL_STAGE_RATE)
        return form->kind->solve(form, v); /* I - c f_y itself */
    bl_index nv = implicit->nv, nz = implicit->nz, apart = form->x_velocity;
    bl_stage stage = first_stage(implicit, implicit->t, implicit->c);
    shift_psi(implicit, 1, v);
    bl_status status = form->kind->residual(form, &stage, newton->x, newton->r);
    shift_psi(implicit, -1, v);
    BL_TRY(status);
    for (bl_index i = 0; apart > 0 && i < nv; i++)
        newton->r[apart + i] += v[i];
    BL_TRY(form->kind->solve(form, newton->r));
    const double *d = newton->r, *w = d + apart;
    for (bl_index i = 0; i < nv; i++) {
        v[nv + i] = (w[i] - (apart > 0 ? 0 : v[i])) / implicit->c;
        v[i] = d[i];
    }
    memcpy(v + 2 * nv, d + nv, (size_t)nz * sizeof *v);
    return BL_OK;
}

/* k_q = g + c k_v leaves (M + c C + c^2 K) k_v = R - c K g; the matrix of a stage is that of d = c k_v, rows of states are unchanged. */
bl_status bl_implicit_invert(bl_formulation *form, double c, const double *g, double *R, double *k) {
    if (form->stage_of == BL_STAGE_RATE) {
        memcpy(k, R, (size_t)form->nx * sizeof *k);
        return form->kind->solve(form, k);
    }
    bl_index nv = form->sys->nv, nz = form->sys->nz;
    double *kq = k, *kv = k + nv, *kz = kv + nv;
    for (bl_index i = 0; i < nv; i++)
        kq[i] = c * g[i];
    form->kind->subtract(form, NULL, kq, R);
    for (bl_index i = 0; i < nv; i++)
        R[i] *= c;
    BL_TRY(form->kind->solve(form, R));
    for (bl_index i = 0; i < nv; i++) {
        kv[i] = R[i] / c;
        kq[i] = g[i] + R[i];
    }
    memcpy(kz, R + nv, (size_t)nz * sizeof *kz);
    return BL_OK;
}

bl_status bl_implicit_rounding(bl_implicit *implicit, double *noise) {
    bl_newton *newton = &implicit->newton;
    const bl_formulation *form = newton->form;
    const double *y = implicit->integ->y;
    bl_index nv = implicit->nv, nz = implicit->nz;
    bl_stage stage = first_stage(implicit, implicit->t, implicit->c);
    double *d = newton->x_try;
    BL_TRY(bl_newton_rounding(newton, &stage, d));
    for (bl_index i = 0; i < implicit->ny; i++)
        noise[i] = DBL_EPSILON * fabs(y[i]);
    if (form->stage_of == BL_STAGE_MOTION && !(form->sys->facts & BL_FLAT))
        return BL_OK;
    for (bl_index i = 0; i < nv; i++) {
        noise[i] += fabs(d[i]);
        noise[nv + i] += fabs(d[form->x_velocity + i]) / implicit->c;
    }
    for (bl_index i = 0; i < nz; i++)
        noise[2 * nv + i] += fabs(d[nv + i]);
    return BL_OK;
}

bl_status bl_implicit_second(bl_implicit *implicit, const bl_stage *stage, const double **d, const double **w, const double **dz) {
    bl_integrator *integ = implicit->integ;
    double base = measure(implicit, integ->y);
    BL_TRY(bl_newton_solve(&implicit->newton, stage, implicit->size, base));
    *d = implicit->newton.x;
    *w = implicit->newton.x + integ->form->x_velocity;
    *dz = implicit->newton.x + implicit->nv;
    return BL_OK;
}

bl_status bl_implicit_power(bl_implicit *implicit, const bl_stage *stage, double *power) {
    bl_formulation *form = implicit->integ->form;
    return form->kind->power(form, stage, implicit->newton.x, power);
}
