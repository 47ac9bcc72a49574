/* Whether a motion is periodic: variables and rates return to those of the first sample, up to full revolutions. Samples show where they
 * come close, the course itself whether they return exactly; energies of one period are equidistant sums, the best quadrature for periodic
 * powers. */
#include "study/inverse_limits.h"
#include "study/inverse_private.h"

#include <math.h>
#include <string.h>

enum { REFINEMENTS = 12, NODES = 256 };

static double distance(const bl_inverse_run *r, const double *variable, const double *rate, double *scale) {
    bl_index n = r->sys->nvariable;
    double most = 0;
    for (bl_index i = 0; i < n; i++) {
        double d = variable[i] - r->first[i];
        d = r->moved->variable[i].is_angle ? remainder(d, 2 * acos(-1)) : d;
        double w = rate[i] - r->first[n + i];
        scale[i] = fmax(scale[i], fabs(d));
        scale[n + i] = fmax(scale[n + i], fabs(rate[i]));
        most = fmax(most, scale[i] > 0 ? fabs(d) / scale[i] : 0);
        most = fmax(most, scale[n + i] > 0 ? fabs(w) / scale[n + i] : 0);
    }
    return most;
}

/* the closest returns so far, by time */
static void add_candidate(bl_inverse_run *r, bl_return found) {
    bl_index worst = 0;
    for (bl_index k = 1; k < r->ncandidate; k++)
        worst = r->candidate[k].near > r->candidate[worst].near ? k : worst;
    if (r->ncandidate >= study_period_candidates) {
        if (r->candidate[worst].near <= found.near)
            return;
        r->ncandidate--;
        memmove(r->candidate + worst, r->candidate + worst + 1, (size_t)(r->ncandidate - worst) * sizeof *r->candidate);
    }
    r->candidate[r->ncandidate++] = found;
}

bl_status bl_inverse_watch(bl_inverse_run *r) {
    bl_eval *e = &r->effort->base.at_e;
    bl_index n = r->sys->nvariable;
    if (n == 0)
        return BL_OK;
    BL_TRY(bl_system_eval(r->sys, e, BL_VARIABLES));
    if (!r->candidate) {
        if (!(r->candidate = bl_arena_alloc(&r->run.arena, (size_t)study_period_candidates, sizeof *r->candidate)))
            return BL_E_MEMORY;
        memcpy(r->first, e->variable, (size_t)n * sizeof(double));
        memcpy(r->first + n, e->variable_rate, (size_t)n * sizeof(double));
        r->near[1] = r->near[2] = 0;
        r->near_t[1] = r->near_t[2] = e->t;
        return BL_OK;
    }
    memmove(r->near, r->near + 1, 2 * sizeof(double));
    memmove(r->near_t, r->near_t + 1, 2 * sizeof(double));
    r->near[2] = distance(r, e->variable, e->variable_rate, r->scale);
    r->near_t[2] = e->t;
    if (r->near_t[0] > r->begin && r->near[1] < r->near[0] && r->near[1] <= r->near[2])
        add_candidate(r, (bl_return){r->near_t[1], r->near[1], r->near_t[0], r->near_t[2]});
    return BL_OK;
}

/* Refines the time of a return by Newton's method on the squared distance of the variables. */
static bl_status arrive(bl_inverse_run *r, const bl_return *near, double *found) {
    double t = near->t;
    bl_index n = r->sys->nvariable;
    bl_eval *e = &r->course->eval;
    *found = NAN;
    for (int k = 0; k < REFINEMENTS; k++) {
        double along = 0, square = 0;
        BL_TRY(bl_course_move(r->course, t));
        bl_eval_at(e, &r->course->state);
        BL_TRY(bl_system_eval(r->sys, e, BL_VARIABLES));
        if (distance(r, e->variable, e->variable_rate, r->scale) < study_period_same)
            *found = t;
        for (bl_index i = 0; i < n; i++) {
            double d = e->variable[i] - r->first[i], s = r->scale[n + i] > 0 ? r->scale[n + i] : 1;
            d = r->moved->variable[i].is_angle ? remainder(d, 2 * acos(-1)) : d;
            along += d * e->variable_rate[i] / (s * s);
            square += e->variable_rate[i] * e->variable_rate[i] / (s * s);
        }
        double step = square > 0 ? along / square : 0;
        if (!(fabs(step) > study_period_located * (1 + fabs(t))) || !(t - step > near->from && t - step <= near->to))
            return BL_OK;
        t -= step;
    }
    return BL_OK;
}

static bl_status energies(bl_inverse_run *r, double period) {
    for (bl_index i = 0; i < r->nactuator; i++)
        r->found.actuator[i].energy_per_period = 0;
    for (int k = 0; k < NODES; k++) {
        BL_TRY(bl_course_move(r->course, r->begin + period * k / NODES));
        BL_TRY(bl_effort_at(r->effort, &r->course->state, r->course->a));
        for (bl_index i = 0; i < r->nactuator; i++)
            r->found.actuator[i].energy_per_period += r->effort->u[i] * r->effort->rate[i] * period / NODES;
    }
    return BL_OK;
}

bl_status bl_inverse_period(bl_inverse_run *r) {
    if (r->candidate && r->near[2] <= r->near[1] && r->near_t[0] > r->begin)
        add_candidate(r, (bl_return){r->near_t[2], r->near[2], r->near_t[1], r->near_t[2]}); /* the run ends there */
    if (r->recording || r->found.singular > 0)
        return BL_OK;
    for (bl_index k = 0; k < r->ncandidate; k++) {
        double t;
        BL_TRY(arrive(r, &r->candidate[k], &t));
        if (isnan(t) || !(t > r->begin))
            continue;
        r->found.period = t - r->begin;
        return energies(r, t - r->begin);
    }
    return BL_OK;
}
