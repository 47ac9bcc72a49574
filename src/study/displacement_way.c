/* Along the path of a displacement: steps with error control, dead points and bifurcations located between them, targets met exactly. */
#include "study/displacement.h"

#include "kinematics/kinematics_limits.h"
#include "study/displacement_limits.h"

#include <math.h>
#include <string.h>

enum { MOST_HALVINGS = 60 };

/* The less s changes, the less accurate are motions of least energy: steps must not follow rounding errors. */
static double tolerance(const bl_displacement *d) {
    double factor = fabs(d->slope) > 0 ? study_way_loosens * d->stretch / fabs(d->slope) : INFINITY;
    return d->free > 0 ? fmin(study_way_follows * fmax(1, factor), study_way_predicts) : study_way_predicts;
}

/* the trial becomes the present configuration */
static void adopt(bl_displacement *d) {
    memcpy(d->base, d->trial, d->l->size * sizeof *d->base);
    memcpy(d->direction, d->tried, (size_t)d->l->n * sizeof *d->direction);
    d->s = d->trial_s;
    d->slope = d->trial_slope;
    d->steps++;
    bl_linkage_go(d->l, d->base);
}

static bl_status take(bl_displacement *d) {
    bl_index rank = 0;
    adopt(d);
    BL_TRY(bl_linkage_choose(d->l, d->chosen, &rank));
    if (rank == d->rank)
        return BL_OK;
    /* the rank changed: compared with the rank at the start */
    d->end = rank < d->rank ? BL_WAY_BRANCHES : BL_WAY_STUCK;
    return BL_OK;
}

static bool good(bl_displacement *d, double h) {
    bl_index worst = 0;
    double open = bl_linkage_gap(d->l, &worst), most = fmax(kinematics_unclosed, d->l->closure > 0 ? d->l->open_most : 0);
    if (open > most)
        d->hinge = d->l->row[worst].joint;
    return d->error <= tolerance(d) && d->correction <= fmax(study_way_corrects * h, 10 * d->error) && open <= most;
}

/* BL_AGAIN: try a shorter step */
static bl_status attempt(bl_displacement *d, double h) {
    bl_status status = bl_displacement_reach(d, h);
    if (status > 0)
        return BL_AGAIN;
    BL_TRY(status);
    return good(d, h) ? BL_OK : BL_AGAIN;
}

/* ---- dead points, where s has an extreme value */

/* The trial at h is beyond a dead point: the trial becomes the dead point, at *h. */
static bl_status find_dead_point(bl_displacement *d, double *h) {
    double low = 0, high = *h, at_low = d->slope, at_high = d->trial_slope, best = *h, least = INFINITY;
    for (int round = 0; round < MOST_HALVINGS && high - low > study_way_dead_located * study_way_shortest; round++) {
        double middle = round % 3 == 2 ? (low + high) / 2 : (low * at_high - high * at_low) / (at_high - at_low);
        if (!(middle > low && middle < high))
            middle = (low + high) / 2;
        if (middle == low || middle == high)
            break;
        bl_status status = bl_displacement_reach(d, middle);
        if (status < 0)
            return status;
        if (status > 0) { /* so near that it cannot be assembled: that is near enough */
            high = middle;
            continue;
        }
        if (d->trial_slope > 0) {
            low = middle;
            at_low = d->trial_slope;
        } else {
            high = middle;
            at_high = d->trial_slope;
        }
        if (fabs(d->trial_slope) < least) {
            least = fabs(d->trial_slope);
            best = middle;
        }
        if (least <= study_way_extreme * d->stretch)
            break;
    }
    *h = best;
    return bl_displacement_reach(d, best);
}

/* ---- bifurcations, where branches meet */

typedef struct sharpness {
    double value, behind, ahead; /* smallest singular value, and its rate before and beyond the configuration */
} sharpness;

static bl_status smallest_at(bl_displacement *d, const double *at, const double *x, double far, double *value) {
    bl_linkage *l = d->l;
    for (bl_index j = 0; j < l->n; j++)
        d->x[j] = far * x[j];
    bl_linkage_shift(l, at, d->x, d->first);
    bl_linkage_go(l, d->first);
    BL_TRY(bl_displacement_factor(d, true, false));
    *value = bl_displacement_smallest(d);
    return BL_OK;
}

static bl_status find_sharpness(bl_displacement *d, const double *at, const double *x, sharpness *out) {
    double behind, ahead;
    BL_TRY(smallest_at(d, at, x, -study_way_beside, &behind));
    BL_TRY(smallest_at(d, at, x, study_way_beside, &ahead));
    BL_TRY(smallest_at(d, at, x, 0, &out->value));
    out->behind = (out->value - behind) / study_way_beside;
    out->ahead = (ahead - out->value) / study_way_beside;
    return BL_OK;
}

/* intersection of the tangents at both ends of an interval h */
static double meet_at(double h, const sharpness *a, const sharpness *b) {
    return (b->value - b->ahead * h - a->value) / (a->behind - b->ahead);
}

/* It falls, then rises, as if it came near zero in between: a smooth minimum is flatter. */
static bool touches(double h, const sharpness *a, const sharpness *b) {
    if (!(a->behind < 0 && b->ahead > 0))
        return false;
    return a->value + a->behind * meet_at(h, a, b) < study_way_touching * fmax(a->value, b->value);
}

/* The trial at the length h between the four configurations near a singular one, by cubic interpolation. */
static void interpolate(bl_displacement *d, double h) {
    bl_linkage *l = d->l;
    size_t size = 7 * (size_t)l->model->nbody;
    memcpy(d->trial, d->side[0], l->size * sizeof *d->trial); /* revolution counts */
    memset(d->trial, 0, size * sizeof *d->trial);
    memset(d->tried, 0, (size_t)l->n * sizeof *d->tried);
    d->trial_s = d->trial_slope = 0;
    for (int i = 0; i < 4; i++) {
        const double *x = d->side[i] + l->size + 2;
        double weight = 1;
        for (int j = 0; j < 4; j++)
            weight *= j == i ? 1 : (h - d->side_h[j]) / (d->side_h[i] - d->side_h[j]);
        for (size_t c = 0; c < size; c++)
            d->trial[c] += weight * d->side[i][c];
        for (bl_index j = 0; j < l->n; j++)
            d->tried[j] += weight * x[j];
        d->trial_s += weight * d->side[i][l->size];
        d->trial_slope += weight * d->side[i][l->size + 1];
    }
}

/* With a sign, the smallest singular value is smooth: interpolates it through four configurations around *at, not so near that assembly
 * would fail or change the branch. *found: its zero agrees with *at. */
static bl_status narrow(bl_displacement *d, double *at, bool *found) {
    bl_linkage *l = d->l;
    double *h = d->side_h, value[4], sum = 0;
    const double first = *at > 2.5 * study_way_around ? -2 : *at > 1.5 * study_way_around ? -1 : 1;
    *found = false;
    for (int i = 0; i < 4; i++) {
        double far = first + i + (first < 0 && first + i >= 0 ? 1 : 0);
        h[i] = *at + far * study_way_around;
        bl_status status = bl_displacement_reach(d, h[i]);
        if (status != BL_OK)
            return status < 0 ? status : BL_OK;
        BL_TRY(smallest_at(d, d->trial, d->tried, 0, &value[i]));
        value[i] = far < 0 ? value[i] : -value[i];
        memcpy(d->side[i], d->trial, l->size * sizeof *d->trial);
        d->side[i][l->size] = d->trial_s;
        d->side[i][l->size + 1] = d->trial_slope;
        memcpy(d->side[i] + l->size + 2, d->tried, (size_t)l->n * sizeof *d->tried);
    }
    for (int i = 0; i < 4; i++) {
        double term = h[i];
        for (int j = 0; j < 4; j++)
            term *= j == i ? 1 : -value[j] / (value[i] - value[j]);
        sum += term;
    }
    *found = fabs(sum - *at) < study_way_around / 4;
    *at = *found ? sum : *at;
    return BL_OK;
}

/* Base and trial at h are regular. *found: between them, at *at, branches meet. Else the trial is unchanged. */
static bl_status find_branches(bl_displacement *d, double h, double *at, bool *found) {
    double low = 0, high = h;
    sharpness a, b, c;
    *found = false;
    BL_TRY(find_sharpness(d, d->base, d->direction, &a));
    BL_TRY(find_sharpness(d, d->trial, d->tried, &b));
    a.behind = a.ahead; /* rates inside the interval */
    b.ahead = b.behind;
    if (!touches(h, &a, &b))
        return BL_OK;
    while (touches(high - low, &a, &b) && high - low > 5 * study_way_around) {
        double middle = (low + high) / 2;
        bl_status status = bl_displacement_reach(d, middle);
        if (status < 0)
            return status;
        if (status > 0)
            break; /* so near that it cannot be assembled */
        BL_TRY(find_sharpness(d, d->trial, d->tried, &c));
        *(c.behind < 0 ? &low : &high) = middle;
        *(c.behind < 0 ? &a : &b) = c;
    }
    if (touches(high - low, &a, &b)) {
        *at = fmin(fmax(low + meet_at(high - low, &a, &b), low), high);
        BL_TRY(narrow(d, at, found));
    }
    return *found ? BL_OK : bl_displacement_reach(d, h);
}

/* ---- given values of s */

/* Finds a length below h at which s is `until`; the trial is assembled at exactly this s. */
static bl_status land(bl_displacement *d, double until, double h) {
    double low = 0, high = h, s_low = d->s, s_high = d->trial_s, close = d->free > 0 ? study_way_lands : study_way_lands_determined;
    for (int round = 0; round < MOST_HALVINGS; round++) {
        double middle = round % 4 == 3 ? (low + high) / 2 : low + (high - low) * (until - s_low) / (s_high - s_low);
        if (!(middle > low && middle < high))
            middle = (low + high) / 2;
        bl_status status = bl_displacement_reach(d, middle);
        if (status != BL_OK)
            return status;
        double rest = fabs(until - d->trial_s);
        if (rest <= close * fabs(d->trial_slope) || rest <= study_way_rounding || high - low < study_way_shortest)
            break;
        if (d->trial_s < until) {
            low = middle;
            s_low = d->trial_s;
        } else {
            high = middle;
            s_high = d->trial_s;
        }
    }
    d->trial_s = until;
    BL_TRY(bl_displacement_assemble(d, false, d->trial, &d->trial_s, &d->correction));
    return bl_displacement_direction(d, d->direction);
}

static double longest_step(const bl_displacement *d) {
    double most = 0;
    for (bl_index j = 0; j < d->l->n; j++)
        most = fmax(most, fabs(d->direction[j]));
    return study_way_farthest / most;
}

static void next_length(bl_displacement *d, double h) {
    double grow = d->error > 0 ? 0.9 * pow(tolerance(d) / d->error, 0.2) : 4;
    d->h = h * fmin(fmax(grow, 0.2), 4);
}

/* The trial at h is accurate; s has passed an extreme value before it. */
static bl_status at_dead_point(bl_displacement *d, double until, double h) {
    BL_TRY(find_dead_point(d, &h));
    if (d->trial_s > until && land(d, until, h) == BL_OK)
        return take(d);
    bool near = 1 - d->trial_s <= study_way_same && until == 1;
    BL_TRY(take(d));
    if (near) {
        d->s = 1;
        return BL_OK;
    }
    d->end = BL_WAY_DEAD_POINT;
    return BL_OK;
}

/* Branches meet `at` ahead of the base, between the configurations of `narrow`. */
static bl_status at_branches(bl_displacement *d, double until, double at) {
    double before = at - 2 * study_way_around;
    if (before > 0) {
        BL_TRY(bl_displacement_reach(d, before));
        if (d->trial_s >= until) {
            BL_TRY(land(d, until, before));
            return take(d);
        }
    }
    interpolate(d, at);
    for (int round = 0; round < 10 && d->trial_s > until + study_way_branches_to && d->trial_slope > 0; round++) {
        at -= (d->trial_s - until) / d->trial_slope;
        interpolate(d, at);
    }
    adopt(d);
    if (fabs(d->s - until) <= study_way_branches_to)
        d->s = until;
    else
        d->end = BL_WAY_BRANCHES;
    return BL_OK;
}

static bl_status one_step(bl_displacement *d, double until) {
    double h = fmin(d->h, longest_step(d));
    bl_status status = attempt(d, h);
    while (status == BL_AGAIN) {
        d->rejected++;
        h *= d->error > tolerance(d) && d->error < 1 ? fmin(fmax(0.9 * pow(tolerance(d) / d->error, 0.2), 0.1), 0.5) : 0.5;
        if (h < study_way_shortest) {
            d->end = BL_WAY_STUCK;
            return BL_OK;
        }
        BL_TRY(bl_go_on(d->ctx));
        status = attempt(d, h);
    }
    BL_TRY(status);
    d->hinge = -1;
    d->crawled = h < study_way_crawls ? d->crawled + 1 : 0;
    d->idle = fabs(d->slope) < study_way_idles * d->stretch ? d->idle + h : 0;
    if (d->crawled > study_way_crawling || d->idle > study_way_runs_away) {
        d->end = BL_WAY_STUCK;
        return BL_OK;
    }
    double error = d->error, at = h;
    bool found = false;
    BL_TRY(find_branches(d, h, &at, &found));
    if (found)
        return at_branches(d, until, at);
    if (d->trial_slope <= 0)
        return at_dead_point(d, until, h);
    d->error = error;
    next_length(d, h);
    if (d->trial_s >= until) {
        status = land(d, until, h);
        if (status > 0) { /* cannot be assembled at this s from here: approach it */
            d->h = h / 4;
            if (d->h < study_way_shortest)
                d->end = BL_WAY_STUCK;
            return BL_OK;
        }
        BL_TRY(status);
    }
    return take(d);
}

bl_status bl_displacement_advance(bl_displacement *d, double until) {
    while (d->end == BL_WAY_OPEN && d->s < until) {
        BL_TRY(bl_go_on(d->ctx));
        if (d->steps > study_way_steps) {
            bl_fail(d->ctx, BL_E_NUMERIC, NULL,
                    "the requested values are too far away: not reached in %g steps of up to %g rad or body lengths", study_way_steps,
                    study_way_farthest);
            bl_advise(d->ctx, "move in several parts, or not as far");
            return BL_E_NUMERIC;
        }
        BL_TRY(one_step(d, until));
    }
    if (d->end == BL_WAY_OPEN && d->s >= 1)
        d->end = BL_WAY_DONE;
    return BL_OK;
}
