/* Power series of the motion: each step expands it about its start and follows the polynomial as far as the last coefficients allow, h =
 * (tolerance / |q_j|)^(1/j) for j = K - 1, K. Dense output is the polynomial. At the end of a step the equations are evaluated: the
 * difference of the polynomial's derivative and the rate is the error. */
#include "integrate/explicit.h"
#include "integrate/integrate_limits.h"

#include <math.h>
#include <string.h>

enum { LEAST_ORDER = 3, MOST_ORDER = 60 };

typedef struct series {
    int order;
    bool fixed;
    bl_expansion ex[2]; /* about the start of the last step, of the next one */
    int used[2];        /* highest power of each that is not rounding */
    double sharp[2];    /* time up to which accelerations and multipliers of each are within the tolerance; < 0: not computed yet */
    int now;
    bool made;      /* ex[now] belongs to (t, y) */
    double work[2]; /* work before the start of each */
    double *q, *v, *a, *z, *zd, *rate, *slope;
    double reach;         /* of ex[now] */
    double tried, missed; /* the first refused attempt of this step and its error; 0: none */
    bool at_floor;        /* its last coefficients are rounding, beside a singular configuration */
    double over, last;    /* then: a step over it; the last coefficient of positions */
    bool trusted;         /* the difference from the equations at the end is rounding */
} series;

/* The order of least cost per unit of time: a step costs one configuration (corrected, factored), solutions in proportion to the order and
 * sums to its square. The length of steps is proportional to (left x tolerance)^(1/K). */
int bl_series_order(double tolerance) {
    int best = LEAST_ORDER;
    double least = INFINITY, left = fmax(integrate_series_left * tolerance, integrate_series_finest);
    for (int k = LEAST_ORDER; k <= 40; k++) {
        double cost = bl_size_order_work(k) / pow(left, 1.0 / k);
        if (cost < least) {
            least = cost;
            best = k;
        }
    }
    return best;
}

/* independent coordinates follow their choice, which longer steps would outdate */
static int order_of(const bl_integrator *integ) {
    const bl_system *sys = integ->form->sys;
    bool all = integ->form->ny > sys->nq + sys->nv + sys->nz; /* work is the last */
    return bl_series_order(all ? integ->control.tolerance : integ->control.tolerance / integrate_series_left);
}

/* steps relative to those of order 15 at tolerance 1e-6: longer ones at these orders */
static double series_effort(double tolerance) { return fmin(0.8, 0.5 - 0.03 * log10(tolerance)); }

static bl_status series_create(bl_integrator *integ) {
    series *own;
    BL_TRY(BL_NEW(integ->ctx, own, 1));
    integ->own = own;
    const bl_value *value = integ->value;
    own->fixed = value[1].number == 1;
    own->order = value[0].given ? (int)value[0].number : order_of(integ);
    if (own->order < LEAST_ORDER || own->order > MOST_ORDER)
        return bl_fail(integ->ctx, BL_E_ARG, NULL, "integrator series: order must be from %d to %d, found %d", LEAST_ORDER, MOST_ORDER,
                       own->order);
    if (own->fixed && !(integ->control.step > 0))
        return bl_fail(integ->ctx, BL_E_ARG, NULL, "integrator series: steps=fixed needs a step above 0, found %g", integ->control.step);
    const bl_system *sys = integ->form->sys;
    for (int i = 0; i < 2; i++)
        BL_TRY(bl_expansion_create(sys, own->order, &own->ex[i]));
    return BL_OK;
}

/* coefficient j of x[n], of the columns from `first` on */
static double norm_of(const bl_integrator *integ, bl_index n, bl_index first, const double *x, int j) {
    const bl_system *sys = integ->form->sys;
    double norm = 0, absolute = integ->control.absolute / integ->control.tolerance;
    const double *top = x + (size_t)j * (size_t)n;
    for (bl_index i = 0; i < n; i++)
        norm = fmax(norm, fabs(top[i]) / fmax(fabs(x[i]), absolute > 0 ? absolute : sys->col[first + i].scale));
    return norm;
}

/* longest step that it allows */
static double reach_of(const bl_integrator *integ, bl_index n, bl_index first, const double *x, int j) {
    double norm = norm_of(integ, n, first, x, j);
    return norm > 0 ? pow(integrate_series_last * integ->control.tolerance / norm, 1.0 / j) : INFINITY;
}

/* longest step that the last two coefficients of the polynomial of this order allow */
static double reach_of_order(const bl_integrator *integ, int order) {
    const series *own = integ->own;
    const bl_expansion *ex = &own->ex[own->now];
    const bl_system *sys = integ->form->sys;
    double reach = INFINITY;
    for (int j = order - 1; j <= order; j++)
        reach = fmin(reach, fmin(reach_of(integ, sys->nv, 0, ex->v, j - 1), reach_of(integ, sys->nz, sys->nv, ex->z, j)));
    return reach;
}

/* Before and behind a singular configuration at a time T away the true motion is smooth, but its rounding error is not: q_k = A / T^k with
 * A of the size of rounding. Steps that shrink with T would lead into the configuration; those of the coefficients of positions, whose A is
 * below the tolerance, lead over it. Rates at the end are no guide there: they contain A / T^2.
 * A layer of a stiff motion looks alike in positions, but is no rounding in velocities, where its size is K A / T. */
static bl_status find_rounding_floor(bl_integrator *integ) {
    series *own = integ->own;
    const bl_system *sys = integ->form->sys;
    bl_expansion *ex = &own->ex[own->now];
    const double *q = ex->q;
    int K = own->order;
    own->at_floor = false;
    if (sys->np == 0 || K < 8)
        return BL_OK;
    double last = norm_of(integ, sys->nv, 0, q, K), before = norm_of(integ, sys->nv, 0, q, K - 4);
    double T = pow(before / last, 0.25), A = last * pow(T, K), tolerance = integ->control.tolerance, over = 1 + integrate_series_beyond;
    double adaptive = fmin(integrate_series_floor, fmax(tolerance, integrate_series_floor_least));
    own->at_floor = T > 0 && isfinite(T) && (own->fixed ? A < integrate_series_floor_fixed : fmax(A, K * A / T) < adaptive);
    own->over = over * T;
    own->last = last;
    if (!own->at_floor)
        return BL_OK;
    own->reach = fmax(own->reach, T * fmin(over, A < tolerance ? pow(tolerance / A, 1.0 / K) : over));
    /* without the powers that are rounding the polynomial may be valid farther on, well beyond the configuration */
    for (int k = K - 1; k >= LEAST_ORDER && !own->fixed; k--) {
        double reach = reach_of_order(integ, k);
        if (reach > own->reach) {
            own->reach = reach;
            own->used[own->now] = k;
        }
    }
    return own->used[own->now] < K ? bl_system_series(sys, ex, own->used[own->now], BL_ENERGY) : BL_OK;
}

/* names the coordinate whose last coefficient is not finite, or the largest */
static bl_status not_finite(const bl_integrator *integ, const bl_expansion *ex) {
    const bl_system *sys = integ->form->sys;
    const double *v = ex->v + (size_t)(ex->order - 1) * (size_t)sys->nv, *z = ex->z + (size_t)ex->order * (size_t)sys->nz;
    bl_index worst = 0;
    double most = -1;
    for (bl_index i = 0; i < sys->nv + sys->nz; i++) {
        double size = fabs(i < sys->nv ? v[i] : z[i - sys->nv]);
        if (!(size <= most)) {
            worst = i;
            most = isnan(size) ? INFINITY : size;
        }
    }
    char name[96] = "";
    bl_system_col_name(sys, worst, name, sizeof name);
    bl_fail(integ->ctx, BL_NOT_FINITE, NULL, "the power series of %s has coefficients that are not finite", name);
    bl_advise(integ->ctx, BL_ADVICE_NOT_FINITE);
    bl_blame(integ->ctx, name, "power series", integ->t);
    return BL_NOT_FINITE;
}

static bl_status expand(bl_integrator *integ) {
    series *own = integ->own;
    bl_expansion *ex = &own->ex[own->now];
    BL_TRY(integ->form->kind->expand(integ->form, integ->t, integ->y, ex));
    own->work[own->now] = integ->y[integ->ny - 1];
    own->used[own->now] = own->order;
    own->sharp[own->now] = -1;
    own->reach = reach_of_order(integ, own->order);
    if (isnan(own->reach) || own->reach == 0)
        return not_finite(integ, ex);
    BL_TRY(find_rounding_floor(integ));
    own->made = true;
    return BL_OK;
}

static double proposed_step(const bl_integrator *integ) {
    const series *own = integ->own;
    double h = integ->control.step;
    if (own->fixed) /* rounding must not be followed where it becomes visible */
        return own->at_floor && own->last * pow(h, own->order) > integrate_series_rounding ? fmin(h, own->over) : h;
    return fmin(own->reach, bl_step_largest(integ));
}

static bl_status series_start(bl_integrator *integ) {
    series *own = integ->own;
    const bl_step_control *control = &integ->control;
    bl_index nv = integ->form->sys->nv, nz = integ->form->sys->nz, ny = integ->ny;
    BL_TRY(BL_INTEGRATOR_ARRAYS(integ, BL_ARRAY(own->q, nv), BL_ARRAY(own->v, nv), BL_ARRAY(own->a, nv), BL_ARRAY(own->z, nz),
                                BL_ARRAY(own->zd, nz), BL_ARRAY(own->rate, ny), BL_ARRAY(own->slope, ny)));
    own->made = false;
    if (integ->h_next == 0)
        integ->h_next = control->step > 0 ? control->step : INFINITY;
    return BL_OK;
}

/* the step that the coefficients allow; the first is no longer than requested */
static bl_status series_ready(bl_integrator *integ) {
    series *own = integ->own;
    if (!own->made)
        BL_TRY(expand(integ));
    own->tried = own->missed = 0;
    own->trusted = own->at_floor;
    double proposed = proposed_step(integ);
    if (!own->fixed &&
        own->reach < fmax(bl_step_smallest(integ->t), integrate_shortest * fabs(integ->control.t_end))) /* a singularity of the motion */
        return BL_REJECTED;
    integ->h_next = integ->stats.steps == 0 ? fmin(proposed, integ->h_next) : proposed;
    return BL_OK;
}

/* y of the polynomial of expansion `which` at s after its start, and, when requested, its slope */
static bl_status evaluate(const bl_integrator *integ, int which, double s, double *y, double *slope) {
    const series *own = integ->own;
    bl_formulation *form = integ->form;
    const bl_expansion *ex = &own->ex[which];
    double t = ex->t + s, work = 0;
    bl_state state = {.t = &t, .q = own->q, .v = own->v, .z = own->z, .work = &work, .history = (unsigned char *)form->history};
    bl_expansion_at(form->sys, ex, own->used[which], s, own->q, own->v, slope ? own->a : NULL, own->z, slope ? own->zd : NULL, &work);
    work += own->work[which];
    BL_TRY(form->kind->to_y(form, &state, y));
    if (!slope)
        return BL_OK;
    bl_state rates = state;
    rates.q = own->v;
    rates.v = own->a;
    rates.z = own->zd;
    return form->kind->to_y(form, &rates, slope);
}

/* whether rounding may be the cause; the shorter a step over the configuration, the nearer its end */
static bool is_rounding(const bl_integrator *integ, double h, double error) {
    return error * integ->control.tolerance * h / fmax(h, integ->stats.h_largest) < integrate_series_rounding;
}

static bl_status series_attempt(bl_integrator *integ, double h, double *error) {
    series *own = integ->own;
    bl_formulation *form = integ->form;
    integ->t_new = integ->t + h;
    BL_TRY(evaluate(integ, own->now, h, integ->y_new, own->slope));
    if (!bl_all_finite(integ->ny, integ->y_new))
        return not_finite(integ, &own->ex[own->now]);
    BL_TRY(form->kind->rate(form, integ->t_new, integ->y_new, own->rate));
    if (!bl_all_finite(integ->ny, own->rate))
        return BL_NOT_FINITE;
    /* the work is not checked */
    for (bl_index i = 0; i < integ->ny; i++)
        own->slope[i] -= own->rate[i];
    own->slope[integ->ny - 1] = 0;
    *error = own->fixed ? 0 : h * bl_error_norm(integ, own->slope, integ->y_new) / (own->used[own->now] * integ->control.tolerance);
    integ->compared = !own->fixed;
    if (own->trusted && is_rounding(integ, h, *error)) {
        integ->compared = *error <= 1;
        *error = 0;
    }
    return BL_OK;
}

static bl_status series_next_step(bl_integrator *integ, bool accepted, double error, int failures, bl_status status, double *h) {
    series *own = integ->own;
    if (!accepted) {
        if (status != BL_REJECTED || *h <= bl_step_smallest(integ->t))
            return bl_step_shorten(integ, status, failures, h);
        /* An error that a much higher power of the step should have reduced is not due to the polynomial: it is rounding, beside a singular
         * configuration. Shorter and shorter steps would lead into it; that of the coefficients leads over it. */
        if (own->tried > 0 && error > 0.5 * own->missed && is_rounding(integ, *h, error)) {
            own->trusted = true;
            *h = own->tried;
            return BL_OK;
        }
        if (own->tried == 0) {
            own->tried = *h;
            own->missed = error;
        }
        *h *= fmax(0.2, 0.9 * pow(error, -1.0 / own->used[own->now]));
        return BL_OK;
    }
    return BL_OK;
}

static void series_accept(bl_integrator *integ) {
    series *own = integ->own;
    bl_integrator_advance(integ, NULL);
    integ->order = own->used[own->now];
    if (own->fixed)
        integ->error = NAN;
    own->now = !own->now;
    own->made = false;
}

static bl_status series_dense(const bl_integrator *integ, double t, double *y) {
    const series *own = integ->own;
    return evaluate(integ, !own->now, t - own->ex[!own->now].t, y, NULL);
}

static void series_motion(const bl_integrator *integ, double t, bl_state *state) {
    const series *own = integ->own;
    const bl_expansion *ex = &own->ex[!own->now];
    *state->t = t;
    bl_expansion_at(integ->form->sys, ex, own->used[!own->now], t - ex->t, state->q, state->v, NULL, state->z, NULL, state->work);
    *state->work += own->work[!own->now];
}

/* largest component of coefficient k of accelerations, of multipliers (as moments on dimensionless rows) */
static double acceleration_size(const bl_system *sys, const bl_expansion *ex, int k) {
    const double *v = ex->v + (size_t)(k + 1) * (size_t)sys->nv;
    double size = 0;
    for (bl_index i = 0; i < sys->nv; i++)
        size = fmax(size, fabs(v[i]) / sys->col[i].scale);
    return (k + 1) * size;
}

static double multiplier_size(const bl_system *sys, const bl_expansion *ex, int k) {
    const double *lambda = ex->lambda + (size_t)k * (size_t)sys->np;
    double size = 0;
    for (bl_index i = 0; i < sys->np; i++)
        size = fmax(size, fabs(lambda[i]) * sys->row[i].scale);
    return size;
}

/* Second derivatives lose two orders: beyond this time the last two terms of accelerations or multipliers are larger than allowed, relative
 * to the largest component, or its change over the step by the first terms. The remainder is a fifth of that on the scenes, several times
 * as much for a rod at the bottom of its swing. */
static double sharp_to(const bl_integrator *integ, const bl_expansion *ex) {
    static double (*const size_of[2])(const bl_system *, const bl_expansion *, int) = {acceleration_size, multiplier_size};
    const bl_system *sys = integ->form->sys;
    double reach = INFINITY, small = integrate_series_motion * integ->control.tolerance, h = integ->t - ex->t;
    for (int i = 0; i < 2; i++) {
        double size = fmax(size_of[i](sys, ex, 0), fmax(h * size_of[i](sys, ex, 1), h * h * size_of[i](sys, ex, 2)));
        for (int k = ex->v_order - 2; k < ex->v_order; k++) {
            double last = size_of[i](sys, ex, k);
            if (last > 0)
                reach = fmin(reach, pow(small * size / last, 1.0 / k));
        }
    }
    return reach;
}

static bl_status series_dense_motion(const bl_integrator *integ, double t, double *a, double *lambda) {
    series *own = integ->own;
    int which = !own->now;
    const bl_expansion *ex = &own->ex[which];
    if (own->sharp[which] < 0) /* rounding beside a singular configuration is no guide */
        own->sharp[which] = own->at_floor || own->used[which] < own->order || ex->v_order < 4 ? 0 : sharp_to(integ, ex);
    if (!(t - ex->t <= own->sharp[which]))
        return BL_REJECTED;
    bl_expansion_at(integ->form->sys, ex, own->order, t - ex->t, NULL, NULL, a, NULL, NULL, NULL);
    bl_expansion_multipliers(integ->form->sys, ex, own->order, t - ex->t, lambda);
    return BL_OK;
}

/* A mode of rate lambda and amplitude A has the coefficients A lambda^k / k!: powers of its matrix at no cost. The step (tolerance / A x k!
 * / lambda^k)^(1/k) that they allow is h lambda; here for an amplitude of SMALL tolerances. */
static bool series_fast(const bl_integrator *integ, double *w, double *Jw, bool *known, double limit[2]) {
    enum { SMALL = 100 };
    const series *own = integ->own;
    bl_formulation *form = integ->form;
    const bl_expansion *ex = &own->ex[!own->now];
    size_t nv = (size_t)form->sys->nv, nz = (size_t)form->sys->nz, k = (size_t)own->used[!own->now] - 1;
    double work = 0, t = integ->t, power = 0.25 / SMALL;
    (void)Jw;
    *known = false;
    if (own->fixed || integ->t_old == integ->t || own->at_floor)
        return false;
    bl_state state = {
        .t = &t, .q = ex->q + k * nv, .v = ex->v + k * nv, .z = ex->z + k * nz, .work = &work, .history = (unsigned char *)form->history};
    if (form->kind->to_y(form, &state, w) != BL_OK)
        return false;
    for (size_t j = 2; j <= k + 1; j++)
        power *= (double)j;
    limit[0] = limit[1] = pow(power, 1.0 / (double)(k + 1));
    return true;
}

static void series_destroy(bl_integrator *integ) {
    series *own = integ->own;
    for (int i = 0; i < 2; i++)
        bl_expansion_destroy(integ->form->sys, &own->ex[i]);
}

static const bl_param params[] = {
    {.name = "order", .type = BL_P_INTEGER, .flags = BL_POSITIVE, .help = "highest power; default: the one of least cost at the tolerance"},
    {.name = "steps",
     .type = BL_P_CHOICE,
     .choices = "adaptive|fixed",
     .help = "step from the decay of the coefficients, or the given step"},
    {.type = BL_P_END}};

const bl_integrator_kind bl_integrator_series = {
    .kind = {.name = "series",
             .help = "power series of the motion, order and step by tolerance; for smooth mechanisms",
             .params = params,
             .needs = BL_CAN_COEFFICIENT,
             .gives = BL_ADAPTIVE | BL_DENSE | BL_POLYNOMIAL},
    .order = 16,
    .dense_order = 15,
    .create = series_create,
    .start = series_start,
    .ready = series_ready,
    .attempt = series_attempt,
    .next_step = series_next_step,
    .accept = series_accept,
    .dense = series_dense,
    .motion = series_motion,
    .dense_motion = series_dense_motion,
    .fast = series_fast,
    .effort = series_effort,
    .stages = 6, /* about as much */
    .held = {5, 5},
    .destroy = series_destroy,
};
