/* One step of any linear multistep formula or of any extended family (Cash 1980, 1983), with constant step h:
 *
 *     y = psi + c y',   psi = y_0 + sum w_i (y_i - y_0) + h sum f_i y'_i,
 *
 * y_i the value i steps before the newest, y_0. Weights are relative to y_0, so that a state of rest is preserved to the last bit. An
 * extended family does so three times: a first predictor, a second one a step ahead, and a corrector that uses the rates of both.
 *
 * The history is a list of values with their times, newest first. A formula needs values at t, t - h, t - 2h, ...: with constant h
 * these are in the list; after a step of another length (the end of the span, a step shortened because Newton failed) they are
 * interpolated by the polynomial of as many values as the order needs, so the order is kept. The list is long enough for h to double. */
#include "integrate/multistep.h"

#include "integrate/integrate_limits.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_NODES = 2 * BL_FORMULA_STEPS + 2, MOST_VALUES = BL_FORMULA_STEPS + 1, MOST_MEMBERS = BL_BDF_STEPS };

/* A solve for y at a later time: weights of earlier values and rates. */
typedef struct solve {
    int values;
    double w[MOST_VALUES], f[MOST_VALUES], c; /* c in units of h; 0: explicit */
} solve;

typedef struct member {
    bool extended;
    int reach; /* number of steps that the history must go back: values - 1 */
    solve first, second, last;
    double f_first, f_ahead; /* of the predictors' rates, in `last` */
} member;

typedef enum start_by { START_TRAPEZOIDAL, START_RAMP, START_RICHARDSON, START_EXACT } start_by;

typedef struct node {
    double t;
    double *y, *rate; /* rate NULL: not kept */
} node;

typedef struct multistep {
    bl_implicit implicit;
    start_by start;
    bool guess_last;
    int order, guess_values; /* upper bound */
    int guess_from;          /* number of values used for the guesses of this step */
    member full, trapezoid;
    member ramp[MOST_MEMBERS + 1];
    bool one_step;    /* uses rates at both ends of the step */
    bool uses_rates;  /* the formula itself uses past rates */
    bool keeps_rates; /* also of values before the newest two */
    bool wants_rate;  /* at the start */

    bl_index ny;
    node node[MOST_NODES]; /* newest first */
    int count, capacity;
    double *made[MOST_VALUES], *made_rate[MOST_VALUES]; /* interpolated values, by steps back */
    double *psi, *rate_new, *rate_start, *ahead, *ahead_rate, *predicted, *predicted_rate;

    bool complete;                      /* the formula itself has been used since the start */
    bool retry;                         /* the last attempt failed */
    bool exact_step, exact_before;      /* the attempt, the last accepted step, used a known value */
    bool both_rates, both_rates_before; /* .. has accurate rates at both its ends */
    double h_last;
    bool on_grid;          /* the attempt has the regular length */
    double grid_t, grid_h; /* times are grid_t + steps x grid_h, so that rounding does not accumulate */
    long grid_steps;
} multistep;

/* ---- formulas to weights */

/* coefficients p_0 .. p_values, oldest first, the last of the unknown: w_i = -p_{values-1-i} / p_values */
static void weights_of(int values, const long double *p, solve *out) {
    out->values = values;
    for (int i = 0; i < values; i++)
        out->w[i] = (double)(-p[values - 1 - i] / p[values]);
}

static void read_formula(const bl_formula *formula, member *out) {
    memset(out, 0, sizeof *out);
    int k = formula->k;
    weights_of(k, formula->a, &out->last);
    out->reach = k - 1;
    if (formula->shape == BL_FORMULA_MULTISTEP) {
        for (int i = 0; i < k; i++)
            out->last.f[i] = (double)(formula->b[k - 1 - i] / formula->a[k]);
        out->last.c = (double)(formula->b[k] / formula->a[k]);
        return;
    }
    out->extended = true;
    weights_of(k + 1, formula->p1, &out->first);
    weights_of(k + 1, formula->p2, &out->second); /* its first value is the predicted one */
    if (formula->p1[0] == 0)
        out->first.values = k;
    else
        out->reach = k;
    if (formula->p2[0] == 0)
        out->second.values = k;
    out->first.c = (double)(1 / formula->p1[k + 1]);
    out->second.c = (double)(1 / formula->p2[k + 1]);
    out->last.c = (double)(formula->g / formula->a[k]);
    out->f_first = (double)(formula->g_first / formula->a[k]);
    out->f_ahead = (double)(formula->g_ahead / formula->a[k]);
}

static start_by read_start(const bl_integrator *integ) {
    const bl_value *value = bl_integrator_values(integ, "start");
    const char *word = value ? value->text : NULL;
    if (word && !strcmp(word, "ramp"))
        return START_RAMP;
    if (word && !strcmp(word, "richardson"))
        return START_RICHARDSON;
    return word && !strcmp(word, "exact") ? START_EXACT : START_TRAPEZOIDAL;
}

bl_status bl_multistep_steps(bl_context *ctx, const bl_integrator_kind *kind, const bl_value *value, int most, int *k) {
    if (!(value->number >= 1 && value->number <= most))
        return bl_fail(ctx, BL_E_ARG, NULL, "%s: k must be an integer from 1 to %d, found %g", kind->kind.name, most, value->number);
    *k = (int)value->number;
    return BL_OK;
}

/* how many matrices a step needs: the distinct c of its solves */
static int distinct_matrices(const member *m) {
    if (!m->extended)
        return 1;
    bool second = m->second.c != m->first.c, last = m->last.c != m->first.c && m->last.c != m->second.c;
    return 1 + second + last;
}

bl_status bl_multistep_create(bl_integrator *integ) {
    multistep *own;
    BL_TRY(BL_NEW(integ->ctx, own, 1));
    integ->own = own;
    bl_formula formula;
    BL_TRY(integ->kind->formula(integ->kind, integ->ctx, integ->value, &formula));
    read_formula(&formula, &own->full);
    own->order = formula.order;
    own->guess_values = formula.shape == BL_FORMULA_EXTENDED ? formula.order : formula.order + 1;
    own->start = read_start(integ);
    if (own->start == START_EXACT && !integ->control.exact) {
        bl_fail(integ->ctx, BL_E_ABILITY, NULL, "%s: start=exact needs a known solution, which this model does not have",
                integ->kind->kind.name);
        bl_advise(integ->ctx, "use start=trapezoidal instead of start=exact");
        return BL_E_ABILITY;
    }
    if (own->start == START_RICHARDSON && integ->form->stage_of == BL_STAGE_MOTION && integ->form->sys->np > 0) {
        bl_fail(integ->ctx, BL_E_ABILITY, NULL, "%s: start=richardson averages values, which then violate the constraints",
                integ->kind->kind.name);
        bl_advise(integ->ctx, "use start=trapezoidal or start=ramp");
        return BL_E_ABILITY;
    }
    if (own->start == START_RAMP) {
        int most = (int)integ->value[0].number;
        bl_value value = integ->value[0];
        for (int k = 1; k <= most; k++) {
            value.number = k;
            BL_TRY(integ->kind->formula(integ->kind, integ->ctx, &value, &formula));
            read_formula(&formula, &own->ramp[k]);
        }
    }
    own->trapezoid = (member){.last = {.values = 1, .w = {1}, .f = {0.5}, .c = 0.5}};
    for (int i = 0; i < own->full.last.values; i++)
        if (own->full.last.f[i] != 0) {
            own->uses_rates = true;
            own->keeps_rates = own->keeps_rates || i > 0;
        }
    own->one_step = own->full.reach == 0 && own->uses_rates;
    bool ghost = own->start == START_RAMP && own->ramp[1].reach > 0;
    own->wants_rate =
        own->uses_rates || ghost || ((own->start == START_TRAPEZOIDAL || own->start == START_RICHARDSON) && own->full.reach > 0);
    int reach = own->full.reach;
    own->capacity = 2 * reach + 1 > own->order + 2 ? 2 * reach + 1 : own->order + 2;
    const bl_value *guess = bl_integrator_values(integ, "guess");
    own->guess_last = guess->number == 1;
    bl_newton_options options = {.early = 0.01};
    bl_newton_read(guess + 2, &options);
    options.tolerance = guess[1].number;
    if (integ->form->matrices < distinct_matrices(&own->full))
        integ->form->matrices = distinct_matrices(&own->full);
    return bl_implicit_create(&own->implicit, integ, &options);
}

void bl_multistep_destroy(bl_integrator *integ) { bl_implicit_destroy(&((multistep *)integ->own)->implicit); }

/* ---- start */

static bl_status make_room(bl_integrator *integ, multistep *own) {
    bl_index ny = own->ny = integ->ny;
    int values = own->full.reach + 1, rates = own->keeps_rates ? own->capacity : 2;
    bl_array room[7 + 2 * MOST_NODES + 2 * MOST_VALUES] = {
        BL_ARRAY(own->psi, ny),        BL_ARRAY(own->rate_new, ny),  BL_ARRAY(own->rate_start, ny),    BL_ARRAY(own->ahead, ny),
        BL_ARRAY(own->ahead_rate, ny), BL_ARRAY(own->predicted, ny), BL_ARRAY(own->predicted_rate, ny)};
    size_t n = 7;
    for (int i = 0; i < own->capacity; i++)
        room[n++] = BL_ARRAY(own->node[i].y, ny);
    for (int i = 0; i < rates; i++)
        room[n++] = BL_ARRAY(own->node[i].rate, ny);
    for (int i = 0; i < values; i++)
        room[n++] = BL_ARRAY(own->made[i], ny);
    for (int i = 0; i < values && own->keeps_rates; i++)
        room[n++] = BL_ARRAY(own->made_rate[i], ny);
    return bl_integrator_arrays(integ, room, n);
}

bl_status bl_multistep_start(bl_integrator *integ) {
    multistep *own = integ->own;
    size_t bytes = (size_t)integ->ny * sizeof(double);
    BL_TRY(bl_implicit_start(&own->implicit));
    BL_TRY(make_room(integ, own));
    own->count = 1;
    own->node[0].t = own->grid_t = integ->t;
    own->grid_h = integ->h_next = integ->control.step;
    own->grid_steps = 0;
    own->h_last = 0;
    own->complete = own->retry = own->exact_before = own->both_rates_before = false;
    memcpy(own->node[0].y, integ->y, bytes);
    memset(own->rate_start, 0, bytes);
    if (own->wants_rate)
        BL_TRY(bl_implicit_rate(&own->implicit, integ->t, integ->y, own->rate_start));
    memcpy(own->node[0].rate, own->rate_start, bytes);
    return BL_OK;
}

/* ---- the history at other times */

/* values with their times, and their weights in the polynomial through them */
typedef struct points {
    int n;
    double t[MOST_NODES], w[MOST_NODES];
    const double *x[MOST_NODES];
} points;

static void add_point(points *p, double t, const double *x) {
    p->t[p->n] = t;
    p->x[p->n++] = x;
}

static void weigh(points *p, double at) {
    for (int i = 0; i < p->n; i++) {
        p->w[i] = 1;
        for (int j = 0; j < p->n; j++)
            if (j != i)
                p->w[i] *= (at - p->t[j]) / (p->t[i] - p->t[j]);
    }
}

/* out = x_0 + sum w_i (x_i - x_0); the sum of the w_i is 1 up to rounding */
static void combine(bl_index ny, int n, const double *const *x, const double *w, double *out) {
    memcpy(out, x[0], (size_t)ny * sizeof *out);
    for (int i = 1; i < n; i++) {
        const double *restrict newest = x[0], *restrict old = x[i];
        double *restrict sum = out;
        for (bl_index j = 0; j < ny && w[i] != 0; j++)
            sum[j] += w[i] * (old[j] - newest[j]);
    }
}

/* the value (or rate) at t, between nodes, by the polynomial through the nearest order + 1 of them */
static void interpolate(const multistep *own, double t, bool rate, double *out) {
    int n = own->order + 1 < own->count ? own->order + 1 : own->count, from = 0;
    while (from < own->count && own->node[from].t > t)
        from++;
    from -= (n + 1) / 2;
    from = from < 0 ? 0 : from > own->count - n ? own->count - n : from;
    points near = {0};
    for (const node *at = own->node + from; near.n < n; at++)
        add_point(&near, at->t, rate ? at->rate : at->y);
    weigh(&near, t);
    combine(own->ny, n, near.x, near.w, out);
}

static double time_rounding(const multistep *own, double h) {
    return 16 * DBL_EPSILON * fmax(fmax(fabs(own->node[0].t), fabs(own->grid_t)), fabs(h));
}

/* length of the history, in steps of h */
static double steps_back(const multistep *own, double h) {
    return (own->node[0].t - own->node[own->count - 1].t + time_rounding(own, h)) / h;
}

/* y[i] and, where f[i] is not 0, rate[i]: the history at t - i h. Before the start: the extrapolated value y_start + (t - t_start)
 * y'_start */
static void gather(const multistep *own, double h, int values, const double *f, const double **y, const double **rate) {
    double close = time_rounding(own, h);
    int at = 0;
    for (int i = 0; i < values; i++) {
        double t = own->node[0].t - i * h;
        while (at < own->count - 1 && own->node[at].t > t + close)
            at++;
        const node *found = &own->node[at];
        bool exact = i == 0 || fabs(found->t - t) <= close;
        y[i] = exact ? found->y : own->made[i];
        rate[i] = exact ? found->rate : own->made_rate[i];
        if (exact)
            continue;
        if (found->t > t) {
            for (bl_index j = 0; j < own->ny; j++)
                own->made[i][j] = found->y[j] + (t - found->t) * own->rate_start[j];
            rate[i] = own->rate_start;
            continue;
        }
        interpolate(own, t, false, own->made[i]);
        if (f[i] != 0)
            interpolate(own, t, true, own->made_rate[i]);
    }
}

/* ---- one step */

/* largest |a - b| relative to the size of components, for those that count */
static double distance(const bl_integrator *integ, const double *a, const double *b) {
    const double *weight = integ->form->weight;
    double largest = 0;
    for (bl_index i = 0; i < integ->ny; i++)
        if (weight[i] > 0)
            largest = fmax(largest, fabs(a[i] - b[i]) / fmax(fabs(integ->y[i]), weight[i]));
    return largest;
}

/* Number of values from which Newton's guess is extrapolated: as many as would have predicted the newest value best. Beside a steep change
 * only the newest itself: a polynomial through it may lead to another solution of the step's equations. */
static int best_guess_values(const bl_integrator *integ, multistep *own) {
    bool any = own->implicit.newton.linear; /* one update is the solution, from any guess */
    int most = own->guess_last || own->retry || any ? 1 : own->guess_values, best = 1;
    if (most == 1)
        return 1;
    double least = INFINITY;
    points past = {0};
    while (past.n < most && past.n + 1 < own->count) {
        add_point(&past, own->node[past.n + 1].t, own->node[past.n + 1].y);
        weigh(&past, own->node[0].t);
        combine(own->ny, past.n, past.x, past.w, own->psi);
        double off = distance(integ, own->psi, own->node[0].y);
        if (!(off < least))
            break;
        least = off;
        best = past.n;
    }
    return best;
}

/* Newton's guess at t_new by extrapolation of the history; given a `newest` value at t_new: at t_new + h, including it */
static void carry_on(const bl_integrator *integ, const multistep *own, const double *newest, double h, double *guess) {
    points past = {0};
    if (newest)
        add_point(&past, integ->t_new, newest);
    for (int i = 0; i < own->count && past.n < own->guess_from; i++)
        add_point(&past, own->node[i].t, own->node[i].y);
    weigh(&past, newest ? integ->t_new + h : integ->t_new);
    combine(own->ny, past.n, past.x, past.w, guess);
}

static void add_rate(bl_index ny, double factor, const double *restrict rate, double *restrict psi) {
    for (bl_index j = 0; j < ny; j++)
        psi[j] += factor * rate[j];
}

/* past values and rates, in one pass where there are two and one of them: most of the cost of a step of a linear system */
static void make_psi(const multistep *own, const solve *s, double h, const double *const *y, const double *const *rate, double *psi) {
    bl_index ny = own->ny;
    if (s->values == 2 && s->f[0] != 0 && s->f[1] == 0) {
        own->implicit.newton.vectors->interpolate(ny, s->w[1], h * s->f[0], y[0], y[1], rate[0], psi);
        return;
    }
    combine(ny, s->values, y, s->w, psi);
    for (int i = 0; i < s->values; i++)
        if (s->f[i] != 0)
            add_rate(ny, h * s->f[i], rate[i], psi);
}

/* y and y' of one solve; y holds the guess. psi includes the rates of predictors */
static bl_status solve_for(multistep *own, const solve *s, double t, double h, const double *psi, double *y, double *rate) {
    bl_newton_new_step(&own->implicit.newton); /* the stages of a step are far apart: each may have its own tangents */
    if (s->c != 0)
        return bl_implicit_first(&own->implicit, t, h * s->c, psi, y, rate);
    memcpy(y, psi, (size_t)own->ny * sizeof *y);
    return bl_implicit_rate(&own->implicit, t, y, rate);
}

static bl_status step_with(bl_integrator *integ, multistep *own, const member *m, double h) {
    const double *y[MOST_VALUES + 1], *rate[MOST_VALUES + 1], **past = y + 1;
    bl_index ny = own->ny;
    size_t bytes = (size_t)ny * sizeof(double);
    double t = integ->t_new;
    gather(own, h, m->reach + 1, m->last.f, past, rate);
    own->guess_from = best_guess_values(integ, own);
    if (m->extended) {
        /* predictor of y(t + h), then with it as newest value of y(t + 2 h) */
        combine(ny, m->first.values, past, m->first.w, own->psi);
        carry_on(integ, own, NULL, h, own->predicted);
        BL_TRY(solve_for(own, &m->first, t, h, own->psi, own->predicted, own->predicted_rate));
        y[0] = own->predicted;
        combine(ny, m->second.values, y, m->second.w, own->psi);
        carry_on(integ, own, own->predicted, h, own->ahead);
        BL_TRY(solve_for(own, &m->second, t + h, h, own->psi, own->ahead, own->ahead_rate));
    }
    make_psi(own, &m->last, h, past, rate, own->psi);
    if (m->extended) {
        add_rate(ny, h * m->f_ahead, own->ahead_rate, own->psi);
        if (m->f_first != 0)
            add_rate(ny, h * m->f_first, own->predicted_rate, own->psi);
    }
    if (m->extended && !own->guess_last && !own->retry)
        memcpy(integ->y_new, own->predicted, bytes);
    else if (!own->implicit.newton.linear || m->last.c == 0) /* else no guess is read */
        carry_on(integ, own, NULL, h, integ->y_new);
    return solve_for(own, &m->last, t, h, own->psi, integ->y_new, own->rate_new);
}

/* A step of the trapezoidal rule in 1, 2, .. parts, extrapolated: the error is a series in the square of their length (Gragg 1965), of
 * which each row takes one term. Error h^(2 rows + 1), as the formula needs to show its order. */
static bl_status step_extrapolated(bl_integrator *integ, multistep *own, double h) {
    int rows = own->order > 3 ? own->order / 2 : 1;
    bl_index ny = own->ny;
    size_t bytes = (size_t)ny * sizeof(double);
    for (int m = 1; m <= rows; m++) {
        double part = h / m, *y = own->made[m - 1], *rate = own->predicted_rate;
        memcpy(y, own->node[0].y, bytes);
        memcpy(rate, own->node[0].rate, bytes);
        for (int i = 1; i <= m; i++) {
            memcpy(own->psi, y, bytes);
            add_rate(ny, 0.5 * part, rate, own->psi);
            BL_TRY(solve_for(own, &own->trapezoid.last, i == m ? integ->t_new : integ->t + i * part, part, own->psi, y, rate));
        }
    }
    for (int column = 1; column < rows; column++)
        for (int m = rows - 1; m >= column; m--) {
            double ratio = (double)(m + 1) / (m + 1 - column), factor = 1 / (ratio * ratio - 1), *y = own->made[m];
            const double *coarser = own->made[m - 1];
            for (bl_index j = 0; j < ny; j++)
                y[j] += factor * (y[j] - coarser[j]);
        }
    memcpy(integ->y_new, own->made[rows - 1], bytes);
    return bl_implicit_rate(&own->implicit, integ->t_new, integ->y_new, own->rate_new);
}

/* Changes that the run loop made to y (corrected positions, projections without restart) replace the newest value; differences of rounding
 * do not, so that the history is exactly that of the formula. */
static void take_newest(const bl_integrator *integ, multistep *own) {
    double *newest = own->node[0].y;
    if (memcmp(newest, integ->y, (size_t)own->ny * sizeof *newest) == 0)
        return;
    for (bl_index i = 0; i < own->ny; i++)
        if (fabs(integ->y[i] - newest[i]) > integrate_history_kept * fmax(fabs(newest[i]), integ->form->weight[i])) {
            memcpy(newest, integ->y, (size_t)own->ny * sizeof *newest);
            return;
        }
}

bl_status bl_multistep_attempt(bl_integrator *integ, double h, double *error) {
    multistep *own = integ->own;
    *error = 0;
    take_newest(integ, own);
    /* the last step covers the rest: up to rounding the same length, so that the same matrices can be used */
    own->on_grid = fabs(h - own->grid_h) <= time_rounding(own, h);
    if (own->on_grid)
        h = own->grid_h;
    integ->t_new = own->on_grid ? own->grid_t + (double)(own->grid_steps + 1) * own->grid_h : integ->t + h;
    if (h != own->h_last)
        bl_newton_forget_rate(&own->implicit.newton);
    own->h_last = h;
    own->exact_step = false;
    own->both_rates = own->one_step;
    double back = steps_back(own, h);
    if (back >= own->full.reach)
        return step_with(integ, own, &own->full, h);
    switch (own->start) {
    case START_EXACT:
        own->exact_step = true;
        BL_TRY(integ->control.exact(integ->control.exact_user, integ->t_new, integ->y_new));
        return bl_implicit_rate(&own->implicit, integ->t_new, integ->y_new, own->rate_new);
    case START_RICHARDSON: own->both_rates = true; return step_extrapolated(integ, own, h);
    case START_RAMP: {
        int most = (int)integ->value[0].number, k = back < most ? (int)back + 1 : most;
        return step_with(integ, own, &own->ramp[k], h);
    }
    default: return step_with(integ, own, &own->trapezoid, h);
    }
}

bl_status bl_multistep_next_step(bl_integrator *integ, bool accepted, double error, int failures, bl_status status, double *h) {
    multistep *own = integ->own;
    (void)error;
    own->retry = !accepted;
    double tried = *h;
    BL_TRY(bl_implicit_fixed_step(&own->implicit, accepted, failures, status, h));
    if (!accepted)
        return BL_OK;
    /* after shorter steps h grows again as fast as the history allows: it must reach far enough back without extrapolation */
    int reach = own->full.reach;
    if (own->complete && tried < *h) {
        *h = fmin(*h, 2 * tried);
        if (reach > 0 && steps_back(own, *h) < reach)
            *h = (own->node[0].t - own->node[own->count - 1].t) / reach;
    }
    return BL_OK;
}

void bl_multistep_accept(bl_integrator *integ) {
    multistep *own = integ->own;
    double h = own->h_last;
    integ->order = own->order;
    own->complete = own->complete || steps_back(own, h) >= own->full.reach;
    own->exact_before = own->exact_step;
    own->both_rates_before = own->both_rates;
    if (own->on_grid) {
        own->grid_steps++;
    } else {
        own->grid_t = integ->t_new;
        own->grid_steps = 0;
    }
    /* the oldest value is overwritten; where few rates are kept, the rate of the second newest */
    int last = own->count < own->capacity ? own->count : own->capacity - 1;
    double *rate = own->keeps_rates ? own->node[last].rate : own->node[1].rate, *y = own->node[last].y;
    memmove(own->node + 1, own->node, (size_t)last * sizeof *own->node);
    if (!own->keeps_rates && last > 1)
        own->node[2].rate = NULL;
    own->node[0] = (node){.t = integ->t_new, .y = y, .rate = own->rate_new};
    own->rate_new = rate;
    own->count = last + 1;
    memcpy(y, integ->y_new, (size_t)own->ny * sizeof *y);
    bl_integrator_advance(integ, NULL);
}

/* ---- dense output */

/* The polynomial through the newest order + 1 values; with fewer, soon after a start, its slope at the end is the rate there:
 * p = q + (y' - q'(t_0)) P / P'(t_0), q through the values, P the product of all (t - t_i). */
bl_status bl_multistep_dense(const bl_integrator *integ, double t, double *y) {
    const multistep *own = integ->own;
    if (own->exact_before)
        return integ->control.exact(integ->control.exact_user, t, y);
    if (own->both_rates_before) {
        const node *a = &own->node[1], *b = &own->node[0];
        bl_cubic(own->ny, (t - a->t) / (b->t - a->t), b->t - a->t, a->y, a->rate, b->y, b->rate, y);
        return BL_OK;
    }
    points newest = {0};
    for (int i = 0; i < own->count && newest.n <= own->order; i++)
        add_point(&newest, own->node[i].t, own->node[i].y);
    weigh(&newest, t);
    if (newest.n > own->order) {
        combine(own->ny, newest.n, newest.x, newest.w, y);
        return BL_OK;
    }
    const double *at = newest.t;
    double product = t - at[0]; /* P(t) / P'(t_0) */
    for (int i = 1; i < newest.n; i++)
        product *= (t - at[i]) / (at[0] - at[i]);
    for (int i = 1; i < newest.n; i++) {
        /* the part of x_i in q'(t_0), 1 / (t_i - t_0) prod (t_0 - t_j) / (t_i - t_j); that of x_0 follows, as weights are relative to it */
        double slope = 1 / (at[i] - at[0]);
        for (int j = 1; j < newest.n; j++)
            if (j != i)
                slope *= (at[0] - at[j]) / (at[i] - at[j]);
        newest.w[i] -= product * slope;
    }
    combine(own->ny, newest.n, newest.x, newest.w, y);
    add_rate(own->ny, product, own->node[0].rate, y);
    return BL_OK;
}
