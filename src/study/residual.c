/* The motion between steps against the equations. With u(t) the dense output of a step of length h, the defect
 *
 *     d = u' - f(t, u),     e' = J e + d,  e(0) = 0:     what it makes of the step is e(h) = h d, less where modes are stiff.
 *
 * A pole of f inside the step is seen by it wherever the method looked, since u' is bounded. */
#include "study/residual.h"

#include "study/simulation.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Looked at are, with two rates each, the first few steps of adaptive methods and one of PERIOD later; and steps where the mean rate
 * changed by more than SIGN of the component: FIRST of them (of adaptive methods, whose errors are controlled, one of EVERY), one of PERIOD
 * steps, and one that changed RECORD times as much as any that was in order. That is 1 % of the rates of adaptive methods, nothing of
 * fixed steps of a hundredth of the fastest period. Fixed steps over which a rate differs from the mean rate by QUARTER are looked at
 * closer, with GRID rates; so are ALERT steps after one that is not in order. */
enum { PERIOD = 64, FIRST = 32, EVERY = 4, GRID = 10, ALERT = 2 };
/* Rates that looks may take: so many numbers in all, some 0.1 s where matrices are sparse, which nobody notices, and this share of the
 * evaluations of the steps: a large implicit step is little more than one solution, and so is a rate. Records may take more. When the
 * warning is out and only a pole is left to be found, a record is then one among all that were looked at, in order or not. */
static const double UNNOTICED = 1 << 20, SHARE = 1.0 / 16;
static const double SIGN = 0.01, RECORD = 1.5, QUARTER = 0.25;
/* Fixed steps do not resolve the motion where a step is off by HALF of itself, and that is LARGE of the component. */
static const double HALF = 0.5, LARGE = 0.1;
/* Of adaptive ones the tolerance promises h d below about itself; said where one step is off by more than all the steps so far may be, of
 * MANY at least, or LARGE of the component, or COARSE tolerances. */
static const double MANY = BL_BALANCE_MANY, COARSE = 10;
static const double SMALL = 1e-6;  /* of a typical size: smaller components are not judged by themselves */
static const double APART = 5e-4;  /* of the step, for differences of the dense output */
static const double ROUNDED = 1e4; /* roundings of the time that must be less than that */
/* Of the tolerance: how far places may stay off the constraints. What that does to a rate is less than what the error of the dense output
 * does, for which MANY tolerances are allowed. */
static const double OFF = 0.1;
static const double SLIGHT = 1e-3; /* of the components, for differences of the rate */
/* Where |f| is so many times its mean over the step a pole may be near: beside one it is more than 2.8 times. */
static const double PEAK = 2;
/* Where |f| grows with the power -p of the distance while its place is narrowed down, f has no integral from p = 1 on; p = 1/2 has one. */
static const double POLE = 0.75;
enum { NARROW = 40, SEARCHES = 32 };
static const double GOLDEN = 0.6180339887498949;
/* of adaptive methods: the middle, and a place that no symmetric pair of stages shares */
static const double PLACES[] = {0.5, 0.6180339887498949};
static const double SPREAD[] = {0.05, 0.6180339887498949, 0.95}; /* of fixed steps */

void bl_residual_destroy(bl_simulation *sim) {
    bl_free(sim->ctx, sim->residual.y);
    sim->residual.y = NULL;
}

bl_status bl_residual_begin(bl_simulation *sim) {
    bl_residual *r = &sim->residual;
    const bl_formulation *form = sim->form;
    const bl_system *sys = sim->sys;
    if (r->room < form->ny) {
        double *y = bl_resize(sim->ctx, r->y, 11 * (size_t)form->ny, sizeof *y);
        if (!y)
            return BL_E_MEMORY;
        r->y = y;
        r->room = form->ny;
    }
    size_t ny = (size_t)(r->ny = form->ny);
    r->slope = r->y + ny;
    r->most = r->slope + ny;
    r->weight = r->most + ny;
    for (int k = 0; k < 7; k++)
        r->work[k] = r->weight + (size_t)(k + 1) * ny;
    r->form = form;
    r->repartitions = form->stats.repartitions;
    r->t = NAN;
    bool fixed = isnan(sim->balance.tolerance), whole = form->stage_of == BL_STAGE_MOTION;
    for (bl_index i = 0; i < form->ny; i++) {
        bool velocity = i >= sys->nq && i < sys->nq + sys->nv, judged = i >= sys->nq && i < form->ny - 1;
        /* states without a rate have none that could be compared */
        judged = judged && (form->algebraic == 0 || (whole && velocity));
        r->weight[i] = !judged ? 0 : form->weight[i] > 0 ? form->weight[i] : fixed && whole && velocity ? sys->col[i - sys->nq].scale : 0;
        r->slope[i] = r->most[i] = 0; /* of positions it stays so */
    }
    return BL_OK;
}

/* The largest change of a mean rate since the step before, as what it does to the step, relative to the component; only of changes by half
 * of the rate. y of the end of the step is kept. */
static double change(bl_simulation *sim) {
    bl_residual *r = &sim->residual;
    const double *y = sim->integ->y;
    double h = *sim->state.t - sim->t_from, largest = 0;
    bool known = r->t == sim->t_from && h > 0, compare = known && r->sloped;
    double by_h = known ? 1 / h : 0, *restrict old = r->y, *restrict slopes = r->slope, *restrict most = r->most;
    for (bl_index i = sim->sys->nq; i < r->ny - 1; i++) {
        double slope = by_h * (y[i] - old[i]), off = h * fabs(slope - slopes[i]), size = fabs(y[i]), least = SMALL * r->weight[i];
        most[i] = size = size > most[i] ? size : most[i];
        size = size > least ? size : least;
        if (compare && off > largest * size && r->weight[i] > 0)
            largest = off / size;
        slopes[i] = slope;
        old[i] = y[i];
    }
    r->sloped = known;
    r->t = *sim->state.t;
    return largest;
}

/* dense output at a time, and the rate there */
static bl_status dense(bl_simulation *sim, double t, double *y) {
    memcpy(sim->at.history, sim->step_history, sim->sys->history_bytes);
    bl_turns_expect(sim, t, sim->at.history);
    sim->form->history = sim->at.history;
    return sim->integ->kind->dense(sim->integ, t, y);
}

static bl_status rate_at(bl_simulation *sim, double t, double *y, double *rate) {
    BL_TRY(dense(sim, t, y));
    sim->form->slack = isnan(sim->balance.tolerance) ? 0 : OFF * sim->balance.tolerance;
    bl_status status = sim->form->kind->rate(sim->form, t, y, rate);
    sim->form->slack = 0;
    BL_TRY(status);
    for (bl_index i = 0; i < sim->residual.ny; i++)
        if (!isfinite(rate[i]))
            return BL_NOT_FINITE;
    return BL_OK;
}

/* How much of a defect d at (t, u), with its rate f, stays where modes are stiff: 1 / |J e| for e = h d + h^2/2 J d, at most 1. */
static bl_status soften(bl_simulation *sim, double t, double h, const double *u, double *f, const double *d, double *share) {
    bl_residual *r = &sim->residual;
    double *e = r->work[4], *y = r->work[5], *rate = r->work[6], stiff = 0, size = 0;
    memcpy(e, d, (size_t)r->ny * sizeof *e);
    for (bl_index i = 0; i < r->ny; i++)
        e[i] *= h;
    *share = 1;
    BL_TRY(sim->form->kind->rate(sim->form, t, u, f)); /* on the constraints, since differences are taken */
    for (int k = 0; k < 2; k++) {
        double slight = 1;
        for (bl_index i = 0; i < r->ny - 1; i++) {
            double typical = fmax(fabs(u[i]), sim->form->weight[i] > 0 ? sim->form->weight[i] : r->weight[i]);
            if (fabs(e[i]) * slight > SLIGHT * typical && typical > 0)
                slight = SLIGHT * typical / fabs(e[i]);
        }
        for (bl_index i = 0; i < r->ny; i++)
            y[i] = u[i] + slight * e[i];
        BL_TRY(sim->form->kind->rate(sim->form, t, y, rate));
        for (bl_index i = 0; i < r->ny; i++) {
            double moved = (rate[i] - f[i]) / slight;
            if (k == 0) {
                e[i] = h * d[i] + 0.5 * h * moved;
            } else if (r->weight[i] > 0) {
                stiff = fmax(stiff, fabs(moved) / r->weight[i]);
                size = fmax(size, fabs(d[i]) / r->weight[i]);
            }
        }
    }
    *share = stiff > size ? size / stiff : 1;
    return BL_OK;
}

typedef struct defect {
    double t, size, share; /* where; what it does to the step, of the component; relative to the rate */
    bl_index i;            /* of which component; -1: none is too large */
    bl_index peak;         /* component whose rate may have a pole, near peak_at; -1: none */
    double peak_at;
    bool infinite; /* the rate is */
} defect;

/* relative to the component, of adaptive methods */
static double allowed(const bl_simulation *sim) {
    double tolerance = sim->balance.tolerance;
    return fmin(tolerance * fmax(MANY, (double)sim->residual.steps), fmax(LARGE, COARSE * tolerance));
}

/* what is left of a defect that would be too large where modes are stiff */
static bl_status reduce(bl_simulation *sim, double t, double h, double limit, bool relative, defect *found) {
    bl_residual *r = &sim->residual;
    const double *u = r->work[0], *d = r->work[2], *size = r->work[3];
    bool fixed = isnan(sim->balance.tolerance);
    double share = -1;
    for (bl_index i = sim->sys->nq; i < r->ny - 1; i++) {
        if (r->weight[i] == 0)
            continue;
        double step = h * fabs(d[i]) / fmax(r->most[i], fixed ? SMALL * r->weight[i] : r->weight[i]), part = fabs(d[i]) / size[i];
        if (step <= limit || step <= found->size || (relative && part <= HALF))
            continue;
        if (share < 0)
            BL_TRY(soften(sim, t, h, u, r->work[1], d, &share));
        if (step * share > limit && step * share > found->size)
            *found = (defect){.t = t, .size = step * share, .share = part, .i = i};
    }
    return BL_OK;
}

static void note_infinite(bl_status status, double t, defect *found) {
    if (status == BL_NOT_FINITE)
        *found = (defect){.t = t, .infinite = true, .i = found->i};
}

/* adaptive methods: the derivative of the dense output, by differences of fourth order, against the rate */
static bl_status defect_at(bl_simulation *sim, double t, double h, defect *found) {
    bl_residual *r = &sim->residual;
    double *u = r->work[0], *f = r->work[1], *d = r->work[2], *size = r->work[3], apart = APART * h;
    static const double weight[] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    memset(d, 0, (size_t)r->ny * sizeof *d);
    for (int k = 0; k < 4; k++) {
        BL_TRY(dense(sim, t + (k < 2 ? k - 2 : k - 1) * apart, u));
        for (bl_index i = sim->sys->nq; i < r->ny; i++)
            d[i] += weight[k] / apart * u[i];
    }
    bl_status status = rate_at(sim, t, u, f);
    note_infinite(status, t, found);
    BL_TRY(status);
    for (bl_index i = sim->sys->nq; i < r->ny; i++) {
        size[i] = fmax(fabs(d[i]), fabs(f[i]));
        d[i] -= f[i];
    }
    return reduce(sim, t, h, allowed(sim), false, found);
}

/* Fixed steps, whose dense output is only there to be looked at: the mean rate of the step against the mean of f over it. */
static bl_status defect_over(bl_simulation *sim, double from, double h, defect *found) {
    bl_residual *r = &sim->residual;
    double *u = r->work[0], *f = r->work[1], *d = r->work[2], *size = r->work[3], *most = r->work[4], *where = r->work[5], largest = 0;
    memcpy(d, r->slope, (size_t)r->ny * sizeof *d);
    memset(size, 0, (size_t)r->ny * sizeof *size);
    memset(most, 0, (size_t)r->ny * sizeof *most);
    for (int k = 0; k < GRID; k++) {
        double t = from + h * (k + 0.5) / GRID;
        bl_status status = rate_at(sim, t, u, f);
        note_infinite(status, t, found);
        BL_TRY(status);
        for (bl_index i = sim->sys->nq; i < r->ny - 1; i++) {
            d[i] -= f[i] / GRID;
            size[i] += fabs(f[i]) / GRID;
            where[i] = fabs(f[i]) > most[i] ? t : where[i];
            most[i] = fmax(most[i], fabs(f[i]));
        }
    }
    bl_index peak = -1;
    double at = 0;
    for (bl_index i = sim->sys->nq; i < r->ny - 1; i++) {
        double slope = fabs(r->slope[i]), step = h * fmax(most[i], slope) / fmax(r->most[i], SMALL * r->weight[i]);
        bool peaks = most[i] > PEAK * size[i] || slope > PEAK * most[i]; /* inside, or at an end */
        if (r->weight[i] > 0 && peaks && step > fmax(SIGN, largest)) {
            largest = step;
            peak = i;
            at = where[i];
        }
        size[i] = fmax(size[i], slope);
    }
    BL_TRY(reduce(sim, from + h * (GRID - 0.5) / GRID, h, LARGE, true, found));
    found->peak = peak;
    found->peak_at = at;
    return BL_OK;
}

/* Narrows down, by sections, where the rate of component i is largest around t: it becomes that place. *power: p as above, INFINITY where
 * f is not finite. */
static bl_status search(bl_simulation *sim, bl_index i, double from, double h, double *t, double *power) {
    double *u = sim->residual.work[0], *f = sim->residual.work[1], value[2] = {-1, -1}, first = 0, width = 0;
    double low = fmax(from, *t - h / GRID), high = fmin(from + h, *t + h / GRID);
    *power = 0;
    for (int k = 0; k < NARROW && high - low > 64 * DBL_EPSILON * fabs(high); k++) {
        double wide = high - low, at[2] = {high - GOLDEN * wide, low + GOLDEN * wide};
        for (int m = 0; m < 2; m++) {
            if (value[m] >= 0)
                continue;
            bl_status status = rate_at(sim, at[m], u, f);
            if (status == BL_NOT_FINITE) {
                *t = at[m];
                *power = INFINITY;
                return BL_OK;
            }
            BL_TRY(status);
            value[m] = fabs(f[i]);
        }
        bool left = value[0] > value[1];
        double other = value[left ? 1 : 0]; /* the larger one may be near by chance */
        *t = at[left ? 0 : 1];
        if (k == NARROW / 8) {
            first = other;
            width = wide;
        }
        if (k >= NARROW / 4)
            *power = log(other / first) / log(width / wide);
        if (k >= NARROW / 4 && *power < 0.5 * POLE)
            return BL_OK;
        value[left ? 1 : 0] = value[left ? 0 : 1];
        value[left ? 0 : 1] = -1;
        *(left ? &high : &low) = at[left ? 1 : 0];
    }
    return BL_OK;
}

static bl_status judge(bl_simulation *sim, const defect *found, double from, double h, bool record) {
    bl_residual *r = &sim->residual;
    double power = found->infinite ? INFINITY : 0, t = found->t;
    if (found->peak >= 0 && (r->searched < SEARCHES || record)) {
        r->searched++;
        t = found->peak_at;
        BL_TRY(search(sim, found->peak, from, h, &t, &power));
    }
    if (power >= POLE) {
        bl_fail(sim->ctx, BL_E_NUMERIC, NULL, "the equations become infinite at t = %.9g: the step from %.9g to %.9g led over it", t, from,
                from + h);
        bl_advise(sim->ctx,
                  "look for a law with a pole there, a division by what changes its sign; or take a smaller step where numbers grow "
                  "without bound");
        bl_blame(sim->ctx, NULL, NULL, t);
        return BL_E_NUMERIC;
    }
    if (r->warned || found->i < 0)
        return BL_OK;
    r->warned = true;
    if (isnan(sim->balance.tolerance))
        bl_warn(sim->ctx, from, NULL,
                "steps of %.3g s do not resolve the motion: one is off by %.2g of itself, %.2g of a velocity; take smaller ones", h,
                found->share, found->size);
    else
        bl_warn(sim->ctx, from, NULL,
                "between steps the motion contradicts the equations: the step of %.3g s is off by %.2g, more than a tolerance of %.2g "
                "explains (%.2g); compare with a smaller tolerance or another method",
                h, found->size, sim->balance.tolerance, allowed(sim));
    return BL_OK;
}

/* fixed steps: whether rates inside differ from the mean rate so much that more of them are worth it */
static bl_status uneven(bl_simulation *sim, double from, double h, defect *found, bool *is) {
    bl_residual *r = &sim->residual;
    double *u = r->work[0], *f = r->work[1];
    *is = false;
    for (size_t k = 0; k < sizeof SPREAD / sizeof *SPREAD && !*is; k++) {
        double t = from + SPREAD[k] * h;
        bl_status status = rate_at(sim, t, u, f);
        note_infinite(status, t, found);
        BL_TRY(status);
        for (bl_index i = sim->sys->nq; i < r->ny - 1; i++) {
            double off = fabs(f[i] - r->slope[i]), size = fmax(fabs(f[i]), fabs(r->slope[i]));
            *is = *is || (r->weight[i] > 0 && off > QUARTER * size && h * off > SIGN * fmax(r->most[i], SMALL * r->weight[i]));
        }
    }
    return BL_OK;
}

static bl_status look(bl_simulation *sim, double from, double h, defect *found) {
    if (isnan(sim->balance.tolerance)) {
        bool closer;
        BL_TRY(uneven(sim, from, h, found, &closer));
        return closer ? defect_over(sim, from, h, found) : BL_OK;
    }
    for (size_t k = 0; k < sizeof PLACES / sizeof *PLACES; k++)
        BL_TRY(defect_at(sim, from + PLACES[k] * h, h, found));
    defect over = {.i = -1};
    bl_status status = found->i >= 0 ? defect_over(sim, from, h, &over) : BL_OK;
    note_infinite(status, over.t, found);
    found->peak = found->i >= 0 ? over.peak : -1;
    found->peak_at = over.peak_at;
    return status;
}

/* One of the steps that are looked at; a place where no rate can be had is left alone. */
static bl_status examine(bl_simulation *sim, bool record, bool *fine) {
    double from = sim->t_from, h = *sim->state.t - from;
    defect found = {.i = -1, .peak = -1};
    bl_formulation *kept, *viewer = sim->form->sampler;
    long factors = viewer ? viewer->stats.factors : 0;
    BL_TRY(bl_simulation_view_begin(sim, &kept));
    bl_formulation_stats counted = sim->form->stats;
    factors = sim->form == kept ? counted.factors : sim->form == viewer ? factors : 0;
    bl_status status = sim->form->ny == sim->residual.ny ? look(sim, from, h, &found) : BL_SINGULAR;
    bool judged = found.infinite || (status == BL_OK && (found.i >= 0 || found.peak >= 0));
    *fine = !found.infinite && found.i < 0;
    if (judged || (status != BL_OK && status != BL_E_MEMORY)) /* that one is told */
        bl_context_clear_error(sim->ctx);
    if (judged)
        status = judge(sim, &found, from, h, record);
    long factored = sim->form->stats.factors - factors;
    sim->residual.rates += sim->form->stats.evaluations - counted.evaluations;
    bl_simulation_count_samples(sim, sim->form, &counted);
    bl_simulation_view_end(sim, kept);
    kept->stats.factors += factored; /* new choices and pivots of the viewer may allocate: counted */
    if (status == BL_OK || (status < 0 && judged && status == BL_E_NUMERIC) || status == BL_E_MEMORY)
        return status;
    bl_context_clear_error(sim->ctx);
    return BL_OK;
}

bl_status bl_residual_step(bl_simulation *sim) {
    bl_residual *r = &sim->residual;
    bl_formulation *form = sim->form;
    if (r->form != form || r->repartitions != form->stats.repartitions || r->ny != form->ny)
        BL_TRY(bl_residual_begin(sim));
    r->steps++;
    if (sim->singular.handed_over || sim->nsliding > 0 || sim->let_go || *sim->state.t != sim->integ->t) {
        r->t = NAN; /* others lead, or the step was cut short */
        return BL_OK;
    }
    /* a polynomial compared at the end of its step, where its error is largest, looks better everywhere inside */
    if (sim->integ->compared)
        return BL_OK;
    /* the warning is out, and rates that are linear with constant numbers have no poles */
    if (r->warned && form->linear && !(form->sys->facts & BL_Q_OF_T))
        return BL_OK;
    bool adaptive = !isnan(sim->balance.tolerance);
    double sign = change(sim);
    bool visible = (*sim->state.t - sim->t_from) * APART > ROUNDED * DBL_EPSILON * fabs(*sim->state.t);
    bool cheap = (double)r->rates < UNNOTICED / r->ny + SHARE * (double)form->stats.evaluations;
    bool above = sign > RECORD * (r->warned && !cheap ? r->seen : r->passed);
    bool alert = r->alert-- > 0, spared = adaptive && !alert && r->steps < r->looked + EVERY;
    bool record = (sign > SIGN || alert) && (above || (cheap && !spared && r->looks < FIRST + r->steps / PERIOD));
    bool scheduled = adaptive && ((r->steps & (r->steps - 1)) == 0 || r->steps >= r->looked + PERIOD);
    if (!r->sloped || !visible || !(record || scheduled))
        return BL_OK;
    bool fine;
    r->looked = r->steps;
    r->looks++;
    r->seen = fmax(r->seen, sign);
    BL_TRY(examine(sim, above, &fine));
    if (!fine)
        r->alert = ALERT;
    else
        r->passed = fmax(r->passed, sign);
    return BL_OK;
}
