/* Delayed values: delay(x, T) is x at t - T, and x at the start before that. At knots, at most T / 64 apart, and at every event, the value
 * of x is stored. A step never crosses a knot shifted by T: there the polynomial through the neighboring knots changes, of degree 7 at most
 * and never across a jump. The effect of an event returns after T, smoother by one order: it is treated as an event a few times. */
#include "signal/composite.h"
#include "signal/signal_limits.h"

#include <math.h>
#include <string.h>

enum { PER_DELAY = 64, LEVELS = 7, POINTS = BL_DELAY_ORDER + 1 };

static bl_delay_head *head_of(double *number, const bl_delay *d) { return (bl_delay_head *)(void *)(number + d->first); }
static const bl_delay_head *head_at(const double *number, const bl_delay *d) {
    return (const bl_delay_head *)(const void *)(number + d->first);
}
static bl_knot *knot_of(const bl_delay_head *head, double k) {
    bl_knot *ring = (bl_knot *)(void *)(uintptr_t)(head + 1);
    return &ring[(long)fmod(k, BL_DELAY_KNOTS)];
}

bl_status bl_delays_build(bl_composite *c) {
    const bl_model *model = c->model;
    size_t n = (sizeof(bl_delay_head) + BL_DELAY_KNOTS * sizeof(bl_knot)) / sizeof(double);
    BL_TRY(BL_ARENA_NEW(&c->arena, c->delay, (size_t)model->nsignal + 1));
    for (bl_index i = 0; i < model->nsignal; i++)
        if (model->signal[i].what == BL_SIGNAL_DELAY) {
            c->delay_of[i] = c->ndelay;
            c->delay[c->ndelay++] = (bl_delay){.signal = i, .first = c->ndouble};
            c->ndouble += (bl_index)n;
        }
    return BL_OK;
}

/* ---- the polynomial */

double bl_delay_value(const bl_composite *c, const double *number, bl_index delay, double t, double *rate) {
    const bl_delay_head *h = head_at(number, &c->delay[delay]);
    double x = h->width > 0 ? (t - h->from) / h->width : 0, value = 0, slope = 0;
    for (int j = BL_DELAY_ORDER; j >= 0; j--) {
        slope = slope * x + value;
        value = value * x + h->c[j];
    }
    if (rate)
        *rate = h->width > 0 ? slope / h->width : 0;
    return value;
}

void bl_delay_series(const bl_composite *c, const double *number, bl_index delay, double t, int order, size_t stride, double *out) {
    const bl_delay_head *h = head_at(number, &c->delay[delay]);
    double a[POINTS], x = h->width > 0 ? (t - h->from) / h->width : 0, unit = 1;
    memcpy(a, h->c, sizeof a);
    for (int k = 0; k < POINTS; k++) /* shift to x */
        for (int j = BL_DELAY_ORDER - 1; j >= k; j--)
            a[j] += x * a[j + 1];
    for (int k = 0; k <= order; k++) {
        out[(size_t)k * stride] = k < POINTS ? a[k] * unit : 0;
        unit = h->width > 0 ? unit / h->width : 0;
    }
}

/* knots first .. last of the polynomial on the interval after knot k: up to POINTS of them, none beyond a knot where it is not smooth */
static void choose(const bl_delay_head *h, double k, double *first, double *last) {
    double oldest = fmax(h->count - BL_DELAY_KNOTS, 0);
    *first = k;
    *last = k + 1;
    for (bool more = true; more && *last - *first < BL_DELAY_ORDER;) {
        bool left = *first > oldest && knot_of(h, *first)->level < 0, right = *last + 1 < h->count && knot_of(h, *last)->level < 0;
        bool lower = left && (!right || k - *first < *last - k - 1);
        more = left || right;
        if (lower)
            --*first;
        else if (right)
            ++*last;
    }
}

/* divided differences, then powers of (t - from) / width */
static void fit(bl_delay_head *h, double k, double delay) {
    double first, last, x[POINTS], y[POINTS];
    choose(h, k, &first, &last);
    int n = (int)(last - first) + 1;
    h->from = knot_of(h, k)->t + delay;
    h->width = knot_of(h, k + 1)->t - knot_of(h, k)->t;
    for (int i = 0; i < n; i++) {
        const bl_knot *knot = knot_of(h, first + i);
        x[i] = (knot->t + delay - h->from) / h->width;
        y[i] = first + i <= k ? knot->after : knot->before; /* they differ at the ends alone */
    }
    for (int j = 1; j < n; j++)
        for (int i = n - 1; i >= j; i--)
            y[i] = (y[i] - y[i - 1]) / (x[i] - x[i - j]);
    memset(h->c, 0, sizeof h->c);
    for (int i = n - 1; i >= 0; i--) {
        for (int j = n - 1 - i; j > 0; j--)
            h->c[j] = h->c[j - 1] - x[i] * h->c[j];
        h->c[0] = y[i] - x[i] * h->c[0];
    }
}

/* ---- knots */

static void add_knot(bl_delay_head *h, double t, double before, double after, double level) {
    *knot_of(h, h->count) = (bl_knot){t, before, after, level};
    h->count++;
    h->last = t;
}

void bl_delays_begin(const bl_composite *c, const bl_eval *e, double *number) {
    for (bl_index i = 0; i < c->ndelay; i++) { /* the laws of delays may contain other delays */
        bl_delay_head *h = head_of(number, &c->delay[i]);
        h->c[0] = c->model->signal[c->delay[i].signal].value;
    }
    for (bl_index i = 0; i < c->ndelay; i++) {
        const bl_signal_def *signal = &c->model->signal[c->delay[i].signal];
        bl_delay_head *h = head_of(number, &c->delay[i]);
        double value = bl_composite_law(c, e, signal->law);
        h->count = 0;
        h->active = -1;
        h->spacing = signal->delay / PER_DELAY;
        h->width = 0;
        h->c[0] = value;
        add_knot(h, e->t, value, value, 0);
    }
}

static double end_of_interval(const bl_composite *c, const double *number, bl_index i) {
    const bl_delay_head *h = head_at(number, &c->delay[i]);
    return h->active + 1 < h->count ? knot_of(h, h->active + 1)->t + c->model->signal[c->delay[i].signal].delay : INFINITY;
}

double bl_delays_next_time(const bl_composite *c, const double *number) {
    double first = INFINITY;
    for (bl_index i = 0; i < c->ndelay; i++) {
        const bl_delay_head *h = head_at(number, &c->delay[i]);
        first = fmin(first, fmin(h->last + h->spacing, end_of_interval(c, number, i)));
    }
    return first;
}

void bl_delays_before(const bl_composite *c, const bl_eval *e, double *before) {
    for (bl_index i = 0; i < c->ndelay; i++)
        before[i] = bl_composite_law(c, e, c->model->signal[c->delay[i].signal].law);
}

static bl_status refuse(const bl_composite *c, const bl_signal_def *signal, double t) {
    bl_context *ctx = c->arena.ctx;
    bl_fail(ctx, BL_E_MODEL, &signal->place, "too many events within a delay of %g s at t = %.9g: %d values are not enough to follow them",
            signal->delay, t, BL_DELAY_KNOTS);
    bl_advise(ctx, "use a shorter delay, or fewer events");
    return BL_E_MODEL;
}

bl_status bl_delays_after(const bl_composite *c, const bl_eval *e, double *number, const double *before, bool changed, double next_action,
                          bool *restart) {
    double together = signal_together * fabs(e->t), kind = changed ? 0 : -1; /* of the knots stored here */
    *restart = false;
    for (bl_index i = 0; i < c->ndelay; i++) { /* intervals that begin now */
        const bl_signal_def *signal = &c->model->signal[c->delay[i].signal];
        bl_delay_head *h = head_of(number, &c->delay[i]);
        double level = -1;
        while (end_of_interval(c, number, i) <= e->t + together) {
            h->active++;
            const bl_knot *knot = knot_of(h, h->active);
            level = knot->level >= 0 ? knot->level + 1 : level;
        }
        if (h->count - fmax(h->active - POINTS, 0) >= BL_DELAY_KNOTS - 1)
            return refuse(c, signal, e->t);
        if (h->active >= 0 && h->active + 1 < h->count)
            fit(h, h->active, signal->delay);
        if (!(level >= 0 && level < LEVELS))
            continue;
        kind = kind < 0 ? level : fmin(kind, level);
        *restart = true;
    }
    bl_composite_work *w = e->own;
    bl_composite_signals(c, e, w->signal); /* delayed values may have jumped */
    for (bl_index i = 0; i < c->ndelay; i++) {
        const bl_signal_def *signal = &c->model->signal[c->delay[i].signal];
        bl_delay_head *h = head_of(number, &c->delay[i]);
        bool due = h->last + h->spacing <= e->t + together;
        if (kind < 0 && !due)
            continue;
        add_knot(h, e->t, before[i], bl_composite_law(c, e, signal->law), kind);
        h->spacing = signal->delay / PER_DELAY;
        if (next_action > e->t && (next_action - e->t) / POINTS < h->spacing) /* enough knots for the polynomial between two events */
            h->spacing = (next_action - e->t) / POINTS;
    }
    return BL_OK;
}
