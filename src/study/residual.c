/* Checks the motion between steps against the equations. With u(t) the dense output of a step of length h, the defect is
 *
 *     d = u' - f(t, u),     e' = J e + d,  e(0) = 0:     its effect on the step is e(h) = h d, less where modes are stiff.
 *
 * It detects a pole of f inside the step wherever the stages of the method are, since u' is bounded. */
#include "study/residual.h"

#include "study/simulation.h"
#include "study/study_limits.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Checked with two rates each are the first few steps of adaptive methods and one in PERIOD later; and steps where the mean rate changed by
 * more than study_residual_sign of the component: FIRST of them (of adaptive methods, whose errors are controlled, one in EVERY), one in
 * PERIOD steps, and any that changed study_residual_record times as much as all that passed. That is 1 % of the rates of adaptive methods,
 * and nothing for fixed steps of a hundredth of the fastest period. Fixed steps in which a rate differs from the mean rate by
 * study_residual_uneven are checked with GRID rates; so are ALERT steps after one that failed. */
enum { PERIOD = 64, FIRST = 32, EVERY = 4, GRID = 10, ALERT = 2 };
/* Evaluations that checks may use: so many numbers in total, about 0.1 s where matrices are sparse, and this share of the evaluations of
 * the steps: a large implicit step is little more than one solution, and so is a rate. Records may use more. After the warning, when only a
 * pole remains to be found, a record must exceed all steps checked, passed or not. */
static const double UNNOTICED = 1 << 20, SHARE = 1.0 / 16;
/* Adaptive methods: the tolerance bounds h d by about itself. Reported where the error of one step exceeds the sum allowed for all steps so
 * far, of study_balance_many at least, or study_residual_large of the component, or study_residual_coarse tolerances. */
static const double APART = 5e-4;  /* of the step, for differences of the dense output */
static const double SLIGHT = 1e-3; /* of the components, for differences of the rate */
enum { NARROW = 40, SEARCHES = 32 };
static const double GOLDEN = 0.6180339887498949;
/* adaptive methods: the middle, and a point that belongs to no symmetric pair of stages */
static const double POINTS[] = {0.5, 0.6180339887498949};
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
    bool fixed = isnan(sim->balance.tolerance), of_motion = form->stage_of == BL_STAGE_MOTION;
    for (bl_index i = 0; i < form->ny; i++) {
        bool velocity = i >= sys->nq && i < sys->nq + sys->nv, judged = i >= sys->nq && i < form->ny - 1;
        /* algebraic states have no rate that could be compared */
        judged = judged && (form->algebraic == 0 || (of_motion && velocity));
        r->weight[i] = !judged                          ? 0
                       : form->weight[i] > 0            ? form->weight[i]
                       : fixed && of_motion && velocity ? sys->col[i - sys->nq].scale
                                                        : 0;
        r->slope[i] = r->most[i] = 0; /* 0 for positions throughout */
    }
    return BL_OK;
}

/* The largest change of a mean rate since the previous step, times h, relative to the component. Stores y of the end of the step. */
static double change(bl_simulation *sim) {
    bl_residual *r = &sim->residual;
    const double *y = sim->integ->y;
    double h = *sim->state.t - sim->t_from, largest = 0;
    bool known = r->t == sim->t_from && h > 0, compare = known && r->sloped;
    double by_h = known ? 1 / h : 0, *restrict old = r->y, *restrict slopes = r->slope, *restrict most = r->most;
    for (bl_index i = sim->sys->nq; i < r->ny - 1; i++) {
        double slope = by_h * (y[i] - old[i]), off = h * fabs(slope - slopes[i]), size = fabs(y[i]),
               least = study_residual_small * r->weight[i];
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
    sim->form->slack = isnan(sim->balance.tolerance) ? 0 : study_residual_off * sim->balance.tolerance;
    bl_status status = sim->form->kind->rate(sim->form, t, y, rate);
    sim->form->slack = 0;
    BL_TRY(status);
    for (bl_index i = 0; i < sim->residual.ny; i++)
        if (!isfinite(rate[i]))
            return BL_NOT_FINITE;
    return BL_OK;
}

/* The share of a defect d at (t, u), with its rate f, that remains where modes are stiff: |d| / |J e| for e = h d + h^2/2 J d, at most
 * 1. */
static bl_status soften(bl_simulation *sim, double t, double h, const double *u, double *f, const double *d, double *share) {
    bl_residual *r = &sim->residual;
    double *e = r->work[4], *y = r->work[5], *rate = r->work[6], stiff = 0, size = 0;
    memcpy(e, d, (size_t)r->ny * sizeof *e);
    for (bl_index i = 0; i < r->ny; i++)
        e[i] *= h;
    *share = 1;
    BL_TRY(sim->form->kind->rate(sim->form, t, u, f)); /* with the constraints satisfied exactly, for the differences below */
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
    double t, size, share; /* time; effect on the step, relative to the component; relative to the rate */
    bl_index i;            /* of which component; -1: none is too large */
    bl_index peak;         /* component whose rate may have a pole, near peak_at; -1: none */
    double peak_at;
    bool infinite; /* the rate is not finite */
} defect;

/* allowed effect of a defect relative to the component, for adaptive methods */
static double allowed(const bl_simulation *sim) {
    double tolerance = sim->balance.tolerance;
    return fmin(tolerance * fmax(study_balance_many, (double)sim->residual.steps),
                fmax(study_residual_large, study_residual_coarse * tolerance));
}

/* stores a defect that is too large, also after the reduction where modes are stiff */
static bl_status reduce(bl_simulation *sim, double t, double h, double limit, bool relative, defect *found) {
    bl_residual *r = &sim->residual;
    const double *u = r->work[0], *d = r->work[2], *size = r->work[3];
    bool fixed = isnan(sim->balance.tolerance);
    double share = -1;
    for (bl_index i = sim->sys->nq; i < r->ny - 1; i++) {
        if (r->weight[i] == 0)
            continue;
        double step = h * fabs(d[i]) / fmax(r->most[i], fixed ? study_residual_small * r->weight[i] : r->weight[i]),
               part = fabs(d[i]) / size[i];
        if (step <= limit || step <= found->size || (relative && part <= study_residual_half))
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

/* adaptive methods: compares the derivative of the dense output, by differences of fourth order, with the rate */
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

/* Fixed steps, whose dense output serves samples only: compares the mean rate of the step with the mean of f over it. */
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
        double slope = fabs(r->slope[i]), step = h * fmax(most[i], slope) / fmax(r->most[i], study_residual_small * r->weight[i]);
        bool peaks = most[i] > study_residual_peak * size[i] || slope > study_residual_peak * most[i]; /* inside, or at an end */
        if (r->weight[i] > 0 && peaks && step > fmax(study_residual_sign, largest)) {
            largest = step;
            peak = i;
            at = where[i];
        }
        size[i] = fmax(size[i], slope);
    }
    BL_TRY(reduce(sim, from + h * (GRID - 0.5) / GRID, h, study_residual_large, true, found));
    found->peak = peak;
    found->peak_at = at;
    return BL_OK;
}

/* Locates the largest rate of component i around t by golden sections; t becomes that time. If |f| grows like the distance to the power -p,
 * *power is p; f is not integrable from p = 1 on. INFINITY: f is not finite. */
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
        double other = value[left ? 1 : 0]; /* the larger one may be close by chance */
        *t = at[left ? 0 : 1];
        if (k == NARROW / 8) {
            first = other;
            width = wide;
        }
        if (k >= NARROW / 4)
            *power = log(other / first) / log(width / wide);
        if (k >= NARROW / 4 && *power < 0.5 * study_residual_pole)
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
    if (power >= study_residual_pole) {
        bl_fail(sim->ctx, BL_E_NUMERIC, NULL, "the equations become infinite at t = %.9g s, inside the step from %.9g to %.9g s", t, from,
                from + h);
        bl_advise(
            sim->ctx,
            "check for a law with a pole there, such as a division by an expression that changes sign; or use smaller steps if values "
            "grow without bound");
        bl_blame(sim->ctx, NULL, NULL, t);
        return BL_E_NUMERIC;
    }
    if (r->warned || found->i < 0)
        return BL_OK;
    r->warned = true;
    if (isnan(sim->balance.tolerance))
        bl_warn(
            sim->ctx, from, NULL,
            "steps of %.3g s do not resolve the motion: the error of one step is %.2g of its change, %.2g of a velocity; use smaller steps",
            h, found->share, found->size);
    else
        bl_warn(
            sim->ctx, from, NULL,
            "the motion between steps does not satisfy the equations: the error of a step of %.3g s is %.2g, more than the tolerance of "
            "%.2g explains (%.2g); compare with a smaller tolerance or another method",
            h, found->size, sim->balance.tolerance, allowed(sim));
    return BL_OK;
}

/* fixed steps: whether rates inside differ so much from the mean rate that a finer check is worthwhile */
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
            *is = *is || (r->weight[i] > 0 && off > study_residual_uneven * size &&
                          h * off > study_residual_sign * fmax(r->most[i], study_residual_small * r->weight[i]));
        }
    }
    return BL_OK;
}

static bl_status find_defect(bl_simulation *sim, double from, double h, defect *found) {
    if (isnan(sim->balance.tolerance)) {
        bool closer;
        BL_TRY(uneven(sim, from, h, found, &closer));
        return closer ? defect_over(sim, from, h, found) : BL_OK;
    }
    for (size_t k = 0; k < sizeof POINTS / sizeof *POINTS; k++)
        BL_TRY(defect_at(sim, from + POINTS[k] * h, h, found));
    defect over = {.i = -1};
    bl_status status = found->i >= 0 ? defect_over(sim, from, h, &over) : BL_OK;
    note_infinite(status, over.t, found);
    found->peak = found->i >= 0 ? over.peak : -1;
    found->peak_at = over.peak_at;
    return status;
}

/* Checks a step; times where the rate cannot be evaluated are skipped. */
static bl_status examine(bl_simulation *sim, bool record, bool *passes) {
    double from = sim->t_from, h = *sim->state.t - from;
    defect found = {.i = -1, .peak = -1};
    bl_formulation *kept, *viewer = sim->form->sampler;
    long factors = viewer ? viewer->stats.factors : 0;
    BL_TRY(bl_simulation_view_begin(sim, &kept));
    bl_formulation_stats counted = sim->form->stats;
    factors = sim->form == kept ? counted.factors : sim->form == viewer ? factors : 0;
    bl_status status = sim->form->ny == sim->residual.ny ? find_defect(sim, from, h, &found) : BL_SINGULAR;
    bool judged = found.infinite || (status == BL_OK && (found.i >= 0 || found.peak >= 0));
    *passes = !found.infinite && found.i < 0;
    if (judged || (status != BL_OK && status != BL_E_MEMORY)) /* lack of memory is reported */
        bl_context_clear_error(sim->ctx);
    if (judged)
        status = judge(sim, &found, from, h, record);
    long factored = sim->form->stats.factors - factors;
    sim->residual.rates += sim->form->stats.evaluations - counted.evaluations;
    bl_simulation_count_samples(sim, sim->form, &counted);
    bl_simulation_view_end(sim, kept);
    kept->stats.factors += factored; /* new pivots of the viewer may allocate: counted */
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
        r->t = NAN; /* another formulation is active, or the step was cut at an event */
        return BL_OK;
    }
    /* the method compares its polynomial at the end of the step, where the error is largest: it is more accurate inside */
    if (sim->integ->compared)
        return BL_OK;
    /* the warning was given, and rates that are linear with constant coefficients have no poles */
    if (r->warned && form->linear && !(form->sys->facts & BL_Q_OF_T))
        return BL_OK;
    bool adaptive = !isnan(sim->balance.tolerance);
    double sign = change(sim);
    bool visible = (*sim->state.t - sim->t_from) * APART > study_residual_rounded * DBL_EPSILON * fabs(*sim->state.t);
    bool cheap = (double)r->rates < UNNOTICED / r->ny + SHARE * (double)form->stats.evaluations;
    bool above = sign > study_residual_record * (r->warned && !cheap ? r->seen : r->passed);
    bool alert = r->alert-- > 0, spared = adaptive && !alert && r->steps < r->checked + EVERY;
    bool record = (sign > study_residual_sign || alert) && (above || (cheap && !spared && r->checks < FIRST + r->steps / PERIOD));
    bool scheduled = adaptive && ((r->steps & (r->steps - 1)) == 0 || r->steps >= r->checked + PERIOD);
    if (!r->sloped || !visible || !(record || scheduled))
        return BL_OK;
    bool passes;
    r->checked = r->steps;
    r->checks++;
    r->seen = fmax(r->seen, sign);
    BL_TRY(examine(sim, above, &passes));
    if (!passes)
        r->alert = ALERT;
    else
        r->passed = fmax(r->passed, sign);
    return BL_OK;
}
