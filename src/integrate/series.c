/* Power series of the motion itself: each step expands it about its start and follows the polynomial as far as the last
 * coefficients allow, h = (tolerance / |q_j|)^(1/j) for j = K - 1, K. Dense output is the polynomial. At the end of a step the
 * equations are looked at: what the polynomial's derivative misses of the rate is the error. */
#include "integrate/explicit.h"

#include <math.h>
#include <string.h>

enum { LEAST_ORDER = 3, MOST_ORDER = 60 };

typedef struct series {
    int order;
    bool fixed;
    bl_expansion ex[2]; /* about the start of the last step, of the next one */
    int now;
    bool made;                                 /* ex[now] belongs to (t, y) */
    double work[2];                            /* done before the place of each */
    double *q, *v, *a, *z, *zd, *rate, *slope; /* one block */
    double reach;                              /* of ex[now] */
} series;

/* The order of least cost per unit of time: a step costs a place (closed, factored), solutions in proportion to the order
 * and sums in proportion to its square; it reaches as far as tolerance^(1/K). */
static int best_order(double tolerance) {
    int best = LEAST_ORDER;
    double least = INFINITY;
    for (int k = LEAST_ORDER; k <= 40; k++) {
        double cost = (8 + k + 0.03 * k * k) / pow(tolerance, 1.0 / k);
        if (cost < least) {
            least = cost;
            best = k;
        }
    }
    return best;
}

static bl_status series_create(bl_integrator *integ) {
    series *own;
    BL_TRY(BL_NEW(integ->ctx, own, 1));
    integ->own = own;
    const bl_value *value = integ->value;
    own->fixed = value[1].number == 1;
    own->order = value[0].given ? (int)value[0].number : best_order(integ->control.tolerance);
    if (own->order < LEAST_ORDER || own->order > MOST_ORDER)
        return bl_fail(integ->ctx, BL_E_ARG, NULL, "series: order must be from %d to %d, not %d", LEAST_ORDER, MOST_ORDER, own->order);
    if (own->fixed && !(integ->control.step > 0))
        return bl_fail(integ->ctx, BL_E_ARG, NULL, "series: steps=fixed needs a step");
    const bl_system *sys = integ->form->sys;
    for (int i = 0; i < 2; i++)
        BL_TRY(bl_expansion_create(sys, own->order, &own->ex[i]));
    return BL_OK;
}

static bl_status make_room(bl_integrator *integ) {
    series *own = integ->own;
    const bl_system *sys = integ->form->sys;
    size_t nv = (size_t)sys->nv, nz = (size_t)sys->nz, ny = (size_t)integ->ny;
    double *block = bl_resize(integ->ctx, own->q, 3 * nv + 2 * nz + 2 * ny + 1, sizeof *block);
    if (!block)
        return BL_E_MEMORY;
    own->q = block;
    own->v = own->q + nv;
    own->a = own->v + nv;
    own->z = own->a + nv;
    own->zd = own->z + nz;
    own->rate = own->zd + nz;
    own->slope = own->rate + ny;
    return BL_OK;
}

/* how far coefficient j lets a step go; x[n], of the columns from `first` on */
static double reach_of(const bl_integrator *integ, bl_index n, bl_index first, const double *x, int j) {
    const bl_system *sys = integ->form->sys;
    double norm = 0;
    const double *top = x + (size_t)j * (size_t)n;
    for (bl_index i = 0; i < n; i++)
        norm = fmax(norm, fabs(top[i]) / fmax(fabs(x[i]), sys->col[first + i].scale));
    return norm > 0 ? pow(integ->control.tolerance / norm, 1.0 / j) : INFINITY;
}

static bl_status expand(bl_integrator *integ) {
    series *own = integ->own;
    bl_expansion *ex = &own->ex[own->now];
    const bl_system *sys = integ->form->sys;
    BL_TRY(integ->form->kind->expand(integ->form, integ->t, integ->y, ex));
    own->work[own->now] = integ->y[integ->ny - 1];
    own->reach = INFINITY;
    for (int j = own->order - 1; j <= own->order; j++)
        own->reach = fmin(own->reach, fmin(reach_of(integ, sys->nv, 0, ex->v, j - 1), reach_of(integ, sys->nz, sys->nv, ex->z, j)));
    if (isnan(own->reach) || own->reach == 0)
        return BL_NOT_FINITE;
    own->made = true;
    return BL_OK;
}

static double wished(const bl_integrator *integ) {
    const series *own = integ->own;
    if (own->fixed)
        return integ->control.step;
    return fmin(own->reach, bl_step_largest(integ));
}

static bl_status series_start(bl_integrator *integ) {
    series *own = integ->own;
    bl_step_control *control = &integ->control;
    BL_TRY(make_room(integ));
    own->made = false;
    if (control->h_max == 0)
        control->h_max = 0.1 * (control->t_end - integ->t);
    if (integ->h_next == 0)
        integ->h_next = control->step > 0 ? control->step : INFINITY;
    return BL_OK;
}

/* the step that the coefficients allow; the very first is no longer than asked for */
static bl_status series_ready(bl_integrator *integ) {
    series *own = integ->own;
    if (!own->made)
        BL_TRY(expand(integ));
    double wish = wished(integ);
    if (!own->fixed && own->reach < fmax(bl_step_smallest(integ->t), 1e-25 * fabs(integ->control.t_end))) /* a singularity of the motion */
        return BL_REJECTED;
    integ->h_next = integ->stats.steps == 0 ? fmin(wish, integ->h_next) : wish;
    return BL_OK;
}

/* y of the polynomial of expansion `which` at s behind its place, and, when asked for, its slope */
static bl_status evaluate(const bl_integrator *integ, int which, double s, double *y, double *slope) {
    const series *own = integ->own;
    bl_formulation *form = integ->form;
    const bl_expansion *ex = &own->ex[which];
    double t = ex->t + s, work = 0;
    bl_state state = {.t = &t, .q = own->q, .v = own->v, .z = own->z, .work = &work, .history = (unsigned char *)form->history};
    bl_expansion_at(form->sys, ex, own->order, s, own->q, own->v, slope ? own->a : NULL, own->z, slope ? own->zd : NULL, &work);
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

static bl_status series_attempt(bl_integrator *integ, double h, double *error) {
    series *own = integ->own;
    bl_formulation *form = integ->form;
    integ->t_new = integ->t + h;
    BL_TRY(evaluate(integ, own->now, h, integ->y_new, own->slope));
    BL_TRY(form->kind->rate(form, integ->t_new, integ->y_new, own->rate));
    if (!bl_all_finite(integ->ny, own->rate))
        return BL_NOT_FINITE;
    /* the work needs no looking at */
    for (bl_index i = 0; i < integ->ny; i++)
        own->slope[i] -= own->rate[i];
    own->slope[integ->ny - 1] = 0;
    *error = own->fixed ? 0 : h * bl_error_norm(integ, own->slope, integ->y_new) / (own->order * integ->control.tolerance);
    return BL_OK;
}

static bl_status series_next_step(bl_integrator *integ, bool accepted, double error, int failures, bl_status status, double *h) {
    series *own = integ->own;
    if (!accepted) {
        if (status != BL_REJECTED || *h <= bl_step_smallest(integ->t))
            return bl_step_shorten(integ, status, failures, h);
        *h *= fmax(0.2, 0.9 * pow(error, -1.0 / own->order));
        return BL_OK;
    }
    return BL_OK;
}

static void series_accept(bl_integrator *integ) {
    series *own = integ->own;
    memcpy(integ->y, integ->y_new, (size_t)integ->ny * sizeof(double));
    integ->t = integ->t_new;
    own->now = !own->now;
    own->made = false;
}

static bl_status series_dense(const bl_integrator *integ, double t, double *y) {
    const series *own = integ->own;
    return evaluate(integ, !own->now, t - own->ex[!own->now].t, y, NULL);
}

static void series_destroy(bl_integrator *integ) {
    series *own = integ->own;
    if (!own)
        return;
    for (int i = 0; i < 2; i++)
        bl_expansion_destroy(integ->form->sys, &own->ex[i]);
    bl_free(integ->ctx, own->q);
    bl_free(integ->ctx, own);
    integ->own = NULL;
}

static const bl_param params[] = {
    {.name = "order", .type = BL_P_INTEGER, .flags = BL_POSITIVE, .help = "highest power; else chosen for least cost at the tolerance"},
    {.name = "steps", .type = BL_P_CHOICE, .choices = "adaptive|fixed", .help = "from the decay of the coefficients, or as given"},
    {.type = BL_P_END}};

const bl_integrator_kind bl_integrator_series = {
    .kind = {.name = "series",
             .help = "power series of the motion, order and step by tolerance; for smooth mechanisms",
             .params = params,
             .needs = BL_CAN_COEFFICIENT,
             .gives = BL_ADAPTIVE | BL_DENSE},
    .order = 16,
    .dense_order = 15,
    .create = series_create,
    .start = series_start,
    .ready = series_ready,
    .attempt = series_attempt,
    .next_step = series_next_step,
    .accept = series_accept,
    .dense = series_dense,
    .destroy = series_destroy,
};
