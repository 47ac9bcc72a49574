/* Arc-length continuation (docs/theory/equilibrium.md, Q10 to Q12): displacement u in scaled columns and load t since the last equilibrium
 * lie on a sphere,
 *
 *     |u|^2 / X^2 + (dt / T)^2 = ds^2,
 *
 * with X and T those of the first increment. Newton's method solves for balance and sphere; the matrix is factored once for the two
 * solutions of the bordered system. Where dt/ds changes its sign the load has an extreme value: a limit point. */
#include "study/equilibrium_private.h"
#include "study/statics_limits.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TARGET = 5, MOST_ROOTS = 60 };

typedef struct arc {
    double X, T;            /* sizes of displacement and load */
    double ds, most;        /* step */
    double to_t;            /* dt/ds at the kept state, with its sign */
    double from_t, from_ds; /* ... at the start of the last step, and its length, for parts of it */
    bool from_back;
} arc;

static double scaled_dot(const bl_statics *s, const double *x, const double *y) {
    double sum = 0;
    for (bl_index j = 0; j < s->n; j++)
        sum += x[j] / s->kkt->scale[j] * (y[j] / s->kkt->scale[j]);
    return sum;
}

/* the displacement per unit of load at the state, in x; factors the tangent there */
static bl_status find_tangent(bl_statics *s, double *x) {
    BL_TRY(bl_statics_load_rate(s));
    BL_TRY(bl_kkt_move_to(s->kkt, &s->eval));
    BL_TRY(bl_kkt_tangent(s->sys, &s->eval, s->state.lambda, s->H));
    s->tangents++;
    s->factored = false;
    BL_TRY(bl_kkt_factor(s->kkt, s->H, 0, NULL, 0));
    s->factored = true;
    return bl_kkt_solve(s->kkt, s->load_rate, s->np ? s->row_rate : NULL, x, NULL);
}

/* length of (x dt, dt) for dt = 1 */
static double length(const bl_statics *s, const arc *a, const double *x) {
    return sqrt(scaled_dot(s, x, x) / (a->X * a->X) + 1 / (a->T * a->T));
}

/* ---- one step */

/* displacement of the state since `begin`, in moved */
static bl_status since(bl_statics *s, const bl_state *begin) {
    const bl_system *sys = s->sys;
    BL_TRY(bl_system_local(sys, begin->q, s->state.q, s->moved));
    for (bl_index i = 0; i < sys->nz; i++)
        s->moved[sys->nv + i] = s->state.z[i] - begin->z[i];
    return BL_OK;
}

/* x for the balance and dt for the sphere, together: x = x_a + dt x_b */
static bl_status correct(bl_statics *s, const arc *a, const bl_state *begin, double ds, double *off) {
    double *x_a = s->x, *x_b = s->load_rate, dt = bl_statics_load(s, &s->state) - bl_statics_load(s, begin);
    BL_TRY(since(s, begin));
    *off = scaled_dot(s, s->moved, s->moved) / (a->X * a->X) + dt * dt / (a->T * a->T) - ds * ds;
    BL_TRY(bl_statics_load_rate(s));
    BL_TRY(bl_system_eval(s->sys, &s->eval, s->np ? BL_PHI : 0));
    BL_TRY(bl_kkt_tangent(s->sys, &s->eval, s->state.lambda, s->H));
    s->tangents++;
    s->factored = false;
    BL_TRY(bl_kkt_factor(s->kkt, s->H, 0, NULL, 0));
    s->factored = true;
    for (bl_index i = 0; i < s->np; i++)
        s->eval.phi[i] = -s->eval.phi[i];
    bl_status status = bl_kkt_solve(s->kkt, s->force, s->np ? s->eval.phi : NULL, x_a, s->np ? s->lambda : NULL);
    for (bl_index i = 0; i < s->np; i++)
        s->eval.phi[i] = -s->eval.phi[i];
    BL_TRY(status);
    BL_TRY(bl_kkt_solve(s->kkt, s->load_rate, s->np ? s->row_rate : NULL, x_b, NULL));
    double along_a = 2 * scaled_dot(s, s->moved, x_a) / (a->X * a->X), along_b = 2 * scaled_dot(s, s->moved, x_b) / (a->X * a->X);
    double more = -(*off + along_a) / (along_b + 2 * dt / (a->T * a->T));
    for (bl_index j = 0; j < s->n; j++)
        x_a[j] += more * x_b[j];
    double load = bl_statics_load(s, &s->state) + more;
    BL_TRY(bl_check_finite(s->ctx, "displacements", bl_statics_shown(s, load), s->n, x_a));
    if (!isfinite(load))
        return BL_NO_CONVERGENCE;
    bl_statics_set_load(s, &s->state, load);
    return BL_OK;
}

/* the state onto the path and the sphere of radius ds around `begin` */
static bl_status onto_path(bl_statics *s, const arc *a, const bl_state *begin, double ds) {
    double off = 0;
    s->iterations = 0;
    s->step = 0;
    BL_TRY(bl_statics_evaluate(s));
    for (;;) {
        BL_TRY(bl_go_on(s->ctx));
        if (s->iterations == s->options.iterations)
            return BL_NO_CONVERGENCE;
        s->iterations++;
        s->found.iterations++;
        BL_TRY(correct(s, a, begin, ds, &off));
        BL_TRY(bl_statics_move(s, s->x, 1));
        BL_TRY(bl_statics_evaluate(s));
        if (bl_statics_balanced(s) && fabs(off) <= study_arc_on_sphere * ds * ds)
            return BL_OK;
    }
}

/* the state becomes that of `begin` moved by s->x and dt */
static bl_status predict(bl_statics *s, const bl_state *begin, double dt) {
    bl_state_copy(s->sys, &s->state, begin);
    memcpy(s->lambda, s->state.lambda, (size_t)s->np * sizeof *s->lambda);
    bl_statics_set_load(s, &s->state, bl_statics_load(s, begin) + dt);
    return bl_statics_move(s, s->x, 1);
}

/* From `begin` by s->x and dt, the prediction of a step of length ds, then onto path and sphere. */
static bl_status step_by(bl_statics *s, const arc *a, const bl_state *begin, double dt, double ds) {
    BL_TRY(predict(s, begin, dt));
    return onto_path(s, a, begin, ds);
}

/* ... whose tangent is `tangent` per unit of load */
static bl_status step_from(bl_statics *s, const arc *a, const bl_state *begin, const double *tangent, double to_t, double ds) {
    for (bl_index j = 0; j < s->n; j++)
        s->x[j] = tangent[j] * to_t * ds;
    return step_by(s, a, begin, to_t * ds, ds);
}

/* dt/ds of the tangent at the state, in the direction of the step from `begin`; the tangent in x */
static bl_status direction(bl_statics *s, const arc *a, const bl_state *begin, double *x, double *to_t) {
    BL_TRY(find_tangent(s, x));
    BL_TRY(since(s, begin));
    double on = scaled_dot(s, x, s->moved) / (a->X * a->X) + (bl_statics_load(s, &s->state) - bl_statics_load(s, begin)) / (a->T * a->T);
    *to_t = (on < 0 ? -1 : 1) / length(s, a, x);
    return BL_OK;
}

/* ---- limit points: where dt/ds vanishes between two equilibria */

/* the equilibrium at a share of the current step, and dt/ds there; nearer to `low` where that cannot be reached */
static bl_status part_with_direction(bl_statics *s, const arc *a, double low, double *share, double *to_t) {
    bl_status status = BL_OK;
    for (int k = 0; k < study_path_failures; k++, *share = (low + *share) / 2) {
        status = step_from(s, a, &s->from, s->last_tangent, a->from_t, *share * a->from_ds);
        if (status == BL_OK)
            status = direction(s, a, &s->from, s->tangent, to_t);
        if (status <= 0 || status == BL_STOPPED)
            return status;
        bl_context_clear_error(s->ctx);
    }
    return status;
}

static bl_status limit_point(bl_statics *s, const arc *a, double to_low, double to_high) {
    double low = 0, high = 1, share = 0, to_t = to_low, nearest = INFINITY;
    int side = 0;
    bl_status status = BL_OK;
    /* dt/ds is smooth: false position by the Illinois method */
    for (int k = 0; k < MOST_ROOTS && high - low > study_limit_located; k++) {
        share = (low * to_high - high * to_low) / (to_high - to_low);
        if (!(share > low && share < high))
            share = (low + high) / 2;
        status = part_with_direction(s, a, low, &share, &to_t);
        if (status == BL_OK && fabs(to_t) < nearest) {
            nearest = fabs(to_t);
            bl_state_copy(s->sys, &s->best, &s->state);
        }
        if (status != BL_OK || fabs(to_t) * a->T < study_limit_level) /* the load is extreme up to 1e-18 of the step */
            break;
        if ((to_t > 0) == (to_low > 0)) {
            low = share;
            to_low = to_t;
            to_high = side < 0 ? to_high / 2 : to_high;
            side = -1;
        } else {
            high = share;
            to_high = to_t;
            to_low = side > 0 ? to_low / 2 : to_low;
            side = 1;
        }
    }
    if (status > 0 && status != BL_STOPPED && nearest < INFINITY) { /* the tangent is singular there: the nearest one reached */
        bl_context_clear_error(s->ctx);
        bl_state_copy(s->sys, &s->state, &s->best);
        status = bl_statics_evaluate(s);
    }
    if (status > 0 && status != BL_STOPPED) {
        bl_warn(s->ctx, s->found.t, NULL, "the load has an extreme value near %s = %.6g that could not be located", s->load_name,
                s->found.t);
        return BL_OK;
    }
    BL_TRY(status);
    return bl_statics_note(s, BL_LIMIT_POINT, s->tangent);
}

/* ---- singular configurations and branching points */

/* a share of the chord from `low` to `high`, two states of the current step; then onto the path at the same distance from its start */
static bl_status between(bl_statics *s, const bl_state *low, const bl_state *high, double share, bool onto) {
    const arc *a = s->path;
    BL_TRY(bl_system_local(s->sys, low->q, high->q, s->x));
    for (bl_index i = 0; i < s->sys->nz; i++)
        s->x[s->sys->nv + i] = high->z[i] - low->z[i];
    for (bl_index j = 0; j < s->n; j++)
        s->x[j] *= share;
    BL_TRY(predict(s, low, share * (bl_statics_load(s, high) - bl_statics_load(s, low))));
    if (!onto)
        return bl_statics_evaluate(s);
    BL_TRY(since(s, &s->from));
    double dt = bl_statics_load(s, &s->state) - bl_statics_load(s, &s->from);
    return onto_path(s, a, &s->from, sqrt(scaled_dot(s, s->moved, s->moved) / (a->X * a->X) + dt * dt / (a->T * a->T)));
}

static bl_status part_of_step(bl_statics *s, double share) {
    const arc *a = s->path;
    if (share == 0) {
        bl_state_copy(s->sys, &s->state, &s->from);
        BL_TRY(bl_statics_evaluate(s));
    } else {
        BL_TRY(step_from(s, a, &s->from, s->last_tangent, a->from_t, share * a->from_ds));
    }
    if (!s->full) {
        double unused;
        BL_TRY(share == 0 ? find_tangent(s, s->tangent) : direction(s, a, &s->from, s->tangent, &unused));
    }
    return bl_statics_judge(s);
}

/* ---- the path */

static bl_status start(bl_statics *s, arc *a) {
    double span = s->options.until - s->options.from;
    a->T = span / (s->options.increments > 0 ? s->options.increments : study_path_parts);
    bl_status status = bl_statics_evaluate(s);
    if (status == BL_OK)
        status = bl_statics_branch_begin(s);
    if (status == BL_OK)
        status = find_tangent(s, s->tangent);
    if (status == BL_SINGULAR) {
        status = bl_statics_refuse_free(s);
        return status == BL_SINGULAR ? bl_statics_fail(s, status, "begin the path where the tangent is regular") : status;
    }
    BL_TRY(status);
    a->X = bl_statics_length(s, s->tangent) * a->T;
    if (!(a->X > 0) && bl_statics_length(s, s->load_rate) == 0 && !s->family) {
        bl_fail(s->ctx, BL_E_MODEL, NULL, "the load has no effect: no force depends on t at t = %.9g", *s->state.t);
        bl_advise(s->ctx, "write loads as expressions of t, =1000*t for example, or name a parameter: --path P=0:1000");
        return BL_E_MODEL;
    }
    a->X = fmax(a->X, study_arc_displacement * sqrt((double)s->kkt->f)); /* a straight column does not move until it buckles */
    a->ds = sqrt(2);
    a->most = (s->options.increments > 0 ? 1 : study_path_longer) * a->ds;
    a->to_t = 1 / length(s, a, s->tangent);
    return BL_OK;
}

/* The load at which the path ends in its present direction; infinite: it turns back before its start. */
static double end_ahead(const bl_statics *s, const arc *a) {
    return a->to_t > 0 ? s->options.until : s->branch ? s->options.from : -INFINITY;
}

/* The last step ends at the load of the end: beyond it the model may have no meaning. *there: the state is that equilibrium, a->ds its arc
 * length; false: the path turns before, or bends too much, and the step is taken by arc length. */
static bl_status reach_end(bl_statics *s, arc *a, bool *there) {
    double begun = bl_statics_load(s, &s->kept), end = end_ahead(s, a), dt = end - begun, ds = dt / a->to_t;
    *there = false;
    if (!(ds > 0 && ds <= a->ds))
        return BL_OK;
    bl_state_copy(s->sys, &s->state, &s->kept);
    memcpy(s->lambda, s->state.lambda, (size_t)s->np * sizeof *s->lambda);
    for (bl_index j = 0; j < s->n; j++)
        s->x[j] = dt * s->tangent[j];
    bl_statics_set_load(s, &s->state, end);
    bl_status status = bl_statics_move(s, s->x, 1);
    if (status == BL_OK)
        status = bl_statics_settle(s);
    if (status == BL_OK)
        status = since(s, &s->kept);
    if (status < 0 || status == BL_STOPPED)
        return status;
    bl_context_clear_error(s->ctx);
    double off = 0;
    for (bl_index j = 0; status == BL_OK && j < s->n; j++)
        off += pow((s->moved[j] - dt * s->tangent[j]) / s->kkt->scale[j] / a->X, 2);
    *there = status == BL_OK && off <= ds * ds; /* corrected by less than its length */
    if (*there)
        a->ds = sqrt(scaled_dot(s, s->moved, s->moved) / (a->X * a->X) + dt * dt / (a->T * a->T));
    return BL_OK;
}

/* from a state beyond the end of the path to its end */
static bl_status finish(bl_statics *s, double load) {
    bl_equilibrium_summary found = s->found;
    bl_state_copy(s->sys, &s->best, &s->state);
    bl_statics_set_load(s, &s->state, load);
    bl_status status = bl_statics_settle(s);
    if (status < 0 || status == BL_STOPPED)
        return status;
    if (status != BL_OK) { /* use the equilibrium beyond the end */
        bl_context_clear_error(s->ctx);
        s->found = found;
        bl_state_copy(s->sys, &s->state, &s->best);
        BL_TRY(bl_statics_evaluate(s));
    }
    return bl_statics_accept(s);
}

/* The critical points found in this step in the order in which the path passes them. */
static bl_status sort_seeds(bl_statics *s, const arc *a, bl_index first) {
    double far[BL_MOST_CRITICAL];
    for (bl_index k = first; k < s->nseed; k++) {
        const bl_state *at = &s->seed[k].state;
        double dt = (bl_statics_load(s, at) - bl_statics_load(s, &s->from)) / a->T;
        BL_TRY(bl_system_local(s->sys, s->from.q, at->q, s->moved));
        for (bl_index i = 0; i < s->sys->nz; i++)
            s->moved[s->sys->nv + i] = at->z[i] - s->from.z[i];
        double here = scaled_dot(s, s->moved, s->moved) / (a->X * a->X) + dt * dt;
        bl_statics_seed seed = s->seed[k];
        bl_critical_point point = s->found.point[k];
        bl_index to = k;
        for (; to > first && far[to - 1] > here; to--) {
            far[to] = far[to - 1];
            s->seed[to] = s->seed[to - 1];
            s->found.point[to] = s->found.point[to - 1];
        }
        far[to] = here;
        s->seed[to] = seed;
        s->found.point[to] = point;
    }
    return BL_OK;
}

/* locates critical points inside the step */
static bl_status critical_points(bl_statics *s, arc *a, bl_index unstable, int sign, double to_t) {
    bool limit = (to_t > 0) != (a->from_t > 0);
    bool changed =
        unstable >= 0 && s->unstable >= 0 ? (s->unstable - unstable) % 2 != 0 || (!limit && s->unstable != unstable) : sign * s->sign < 0;
    bool path = s->sys->facts & BL_HISTORY && !(s->sys->facts & BL_REVOLUTIONS_ONLY);
    bool known = (unstable >= 0 && s->unstable >= 0) || sign * s->sign != 0;
    bool branching = known && changed != limit && !path;
    bl_index before = s->nseed;
    BL_TRY(bl_statics_branch_watch(s, between));
    if (!limit && !branching && s->nseed == before)
        return bl_statics_branch_begin(s);
    if (limit)
        BL_TRY(limit_point(s, a, a->from_t, to_t));
    if (branching)
        BL_TRY(bl_statics_branching(s, part_of_step, unstable, sign));
    BL_TRY(sort_seeds(s, a, before));
    bl_state_copy(s->sys, &s->state, &s->kept);
    BL_TRY(bl_statics_evaluate(s));
    BL_TRY(bl_statics_branch_begin(s));
    return find_tangent(s, s->tangent);
}

/* Whether a step that can be shortened passes more than one critical point: more than one motion lost or gained stability, or a limit point
 * did not change their number by its own one. */
static bl_status passes_several(bl_statics *s, const arc *a, bl_index unstable, bool limit, bool *is) {
    *is = false;
    if (!s->full || unstable < 0 || a->ds < study_path_least_step * a->most)
        return BL_OK;
    bool unnamed = s->unnamed;
    s->unnamed = true;
    BL_TRY(bl_statics_evaluate(s));
    bl_status status = bl_statics_judge(s);
    s->unnamed = unnamed;
    long change = labs((long)(s->unstable - unstable));
    *is = s->unstable >= 0 && (change > 1 || (limit && change == 0));
    s->unstable = *is ? unstable : s->unstable;
    return status;
}

static bl_status one(bl_statics *s, arc *a, bool *over) {
    const bl_system *sys = s->sys;
    double to_t = 0, from = s->options.from, until = s->options.until;
    bool there;
    BL_TRY(reach_end(s, a, &there));
    if (!there)
        BL_TRY(step_from(s, a, &s->kept, s->tangent, a->to_t, a->ds));
    double load = bl_statics_load(s, &s->state), begun = bl_statics_load(s, &s->kept);
    bool back = s->branch && load <= from && begun > from;
    *over = there || load >= until || back;
    bl_index unstable = s->unstable;
    int sign = s->sign;
    long iterations = s->iterations;
    bl_state_copy(sys, &s->from, &s->kept);
    if (*over && !there)
        return finish(s, back ? from : until);
    bool many;
    memcpy(s->last_tangent, s->tangent, (size_t)s->n * sizeof *s->tangent);
    bl_status status = direction(s, a, &s->from, s->tangent, &to_t);
    if (status == BL_OK)
        status = passes_several(s, a, unstable, (to_t > 0) != (a->to_t > 0), &many);
    if (status != BL_OK || many) {
        memcpy(s->tangent, s->last_tangent, (size_t)s->n * sizeof *s->tangent);
        return status != BL_OK ? status : BL_AGAIN;
    }
    double turn =
        acos(fmin(1, fmax(-1, (scaled_dot(s, s->tangent, s->last_tangent) / (a->X * a->X) + 1 / (a->T * a->T)) * a->to_t * to_t)));
    if (!s->known) /* otherwise evaluated and judged here */
        BL_TRY(bl_statics_evaluate(s));
    s->near.needed = *over;
    BL_TRY(bl_statics_accept(s));
    a->from_t = a->to_t;
    a->from_ds = a->ds;
    BL_TRY(critical_points(s, a, unstable, sign, to_t));
    a->to_t = to_t;
    double by = fmin(sqrt((double)TARGET / (double)iterations), turn > 0 ? study_path_turn / turn : 2);
    a->ds = fmin(a->most, a->ds * fmin(2, fmax(0.5, by)));
    if (there)
        return BL_OK;
    *over = bl_statics_load(s, &s->kept) < from - (until - from);
    if (*over)
        bl_warn(s->ctx, s->found.t, NULL, "the path returned to a load of %.6g, far below its start, and ends there", s->found.t);
    return BL_OK;
}

/* A branch that passes a known critical point has joined another path. Marks critical points that were found before. */
static bool met_again(bl_statics *s, const arc *a, bl_index first) {
    bool met = false;
    for (bl_index k = first; k < s->nseed; k++)
        for (bl_index i = 0; i < k; i++) {
            bl_state *here = &s->seed[k].state, *there = &s->seed[i].state;
            if (fabs(bl_statics_load(s, here) - bl_statics_load(s, there)) > study_path_same * a->T ||
                bl_system_local(s->sys, there->q, here->q, s->moved) != BL_OK ||
                sqrt(scaled_dot(s, s->moved, s->moved)) > study_path_same * a->X)
                continue;
            s->seed[k].again = s->seed[k].visited = met = true;
        }
    return met;
}

/* reports the critical points, which are also equilibria of the path */
static bl_status visit_critical(bl_statics *s, bl_statics_visit *visit, void *user) {
    for (bl_index k = 0; k < s->nseed; k++) {
        bl_statics_seed *seed = &s->seed[k];
        if (seed->visited)
            continue;
        seed->visited = true;
        s->now = seed;
        bl_state_copy(s->sys, &s->from, &s->kept);
        bl_state_copy(s->sys, &s->kept, &seed->state);
        bl_status status = visit(s, user);
        bl_state_copy(s->sys, &s->kept, &s->from);
        s->now = NULL;
        BL_TRY(status);
    }
    return BL_OK;
}

/* from the kept state along s->tangent to the end */
static bl_status follow(bl_statics *s, arc *a, bl_statics_visit *visit, void *user) {
    int failures = 0;
    bool over = false;
    while (!over) {
        BL_TRY(bl_go_on(s->ctx));
        if (s->found.found >= s->options.points)
            return bl_fail(s->ctx, BL_E_NUMERIC, NULL, "the path reached its limit of %ld points at %s = %.9g before its end",
                           s->found.found, s->load_name, s->found.t);
        long found = s->found.found;
        bl_index seeds = s->nseed;
        bl_status status = one(s, a, &over);
        if (status < 0 || status == BL_STOPPED)
            return status;
        if (status != BL_OK && s->found.found == found) {
            s->found.refused++;
            over = false;
            failures += status != BL_AGAIN;
            if (failures >= study_path_failures)
                return bl_statics_fail(s, status, "take shorter increments (--increments), or check the model near this load");
            a->ds /= 2;
            bl_context_clear_error(s->ctx);
            continue;
        }
        BL_TRY(status);
        failures = 0;
        over = over || (s->branch && met_again(s, a, seeds));
        BL_TRY(visit_critical(s, visit, user));
        BL_TRY(visit(s, user));
    }
    return BL_OK;
}

/* ---- branches */

/* The first step off the path: across it, along the motion without stiffness; shortened as long as it leads back to the path. */
static bl_status leave(bl_statics *s, arc *a, const bl_statics_seed *seed, int side, const double *across) {
    const double *x = across, dt = across[s->n];
    double ds = a->most / study_path_longer;
    for (int k = 0; k < 2 * study_path_failures; k++, ds /= 2) {
        for (bl_index j = 0; j < s->n; j++)
            s->x[j] = side * ds * x[j];
        bl_status status = step_by(s, a, &seed->state, side * ds * dt, ds);
        if (status < 0 || status == BL_STOPPED)
            return status;
        bl_context_clear_error(s->ctx);
        if (status != BL_OK)
            continue;
        BL_TRY(since(s, &seed->state));
        double moved = bl_statics_load(s, &s->state) - bl_statics_load(s, &seed->state);
        double along = side * (scaled_dot(s, s->moved, x) / (a->X * a->X) + moved * dt / (a->T * a->T));
        a->ds = ds;
        if (along > study_path_off * sqrt(fmax(0, ds * ds - along * along)))
            return BL_OK;
    }
    return BL_NO_CONVERGENCE;
}

/* across[n + 1]: the motion without stiffness minus its part along the path, of length 1; false: it is tangent to the path */
static bool find_across(const bl_statics *s, const arc *a, const bl_statics_seed *seed, double *across) {
    double XX = a->X * a->X, TT = a->T * a->T, *u = seed->along, dt = seed->along[s->n];
    double length = scaled_dot(s, u, u) / XX + dt * dt / TT, part = length > 0 ? scaled_dot(s, seed->x, u) / XX / length : 0;
    for (bl_index j = 0; j < s->n; j++)
        across[j] = seed->x[j] - part * u[j];
    across[s->n] = -part * dt;
    double size = sqrt(scaled_dot(s, across, across) / XX + across[s->n] * across[s->n] / TT);
    for (bl_index j = 0; j <= s->n && size > 0; j++)
        across[j] /= size;
    return size > study_arc_across * sqrt(scaled_dot(s, seed->x, seed->x) / XX);
}

static bl_status branch_off(bl_statics *s, arc *a, bl_index k, int side, bl_statics_visit *visit, void *user) {
    double *across;
    BL_TRY(BL_NEW(s->ctx, across, s->n + 1));
    bl_status status = find_across(s, a, &s->seed[k], across) ? leave(s, a, &s->seed[k], side, across) : BL_NO_CONVERGENCE;
    bl_free(s->ctx, across);
    if (status > 0 && status != BL_STOPPED) {
        bl_warn(s->ctx, s->found.point[k].t, NULL, "found no branch that leaves the path at its branching point %s = %.9g", s->load_name,
                s->found.point[k].t);
        bl_context_clear_error(s->ctx);
        return BL_OK;
    }
    BL_TRY(status);
    s->branch = ++s->found.branches;
    s->near.needed = true;
    BL_TRY(bl_statics_accept(s));
    BL_TRY(visit(s, user));
    bl_state_copy(s->sys, &s->from, &s->seed[k].state);
    BL_TRY(direction(s, a, &s->from, s->tangent, &a->to_t));
    BL_TRY(bl_statics_evaluate(s));
    BL_TRY(bl_statics_branch_begin(s));
    return follow(s, a, visit, user);
}

bl_status bl_statics_arc(bl_statics *s, bl_statics_visit *visit, void *user) {
    arc a = {0};
    BL_TRY(start(s, &a));
    s->path = &a;
    BL_TRY(follow(s, &a, visit, user));
    double end = s->found.t;
    for (bl_index k = 0; s->options.branches && k < s->nseed; k++)
        for (int side = 1; s->seed[k].what == BL_BRANCHING_POINT && !s->seed[k].again && side >= -1; side -= 2) {
            bl_status status = branch_off(s, &a, k, side, visit, user);
            if (status != BL_E_NUMERIC) {
                BL_TRY(status);
                continue;
            }
            bl_warn(s->ctx, s->found.t, NULL, "branch %d ends: %s", s->branch, bl_context_error(s->ctx)->what);
            bl_context_clear_error(s->ctx);
        }
    s->found.t = end;
    return BL_OK;
}
