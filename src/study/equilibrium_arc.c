/* Paths by their length (docs/theory/equilibrium.md, Q10 to Q12): displacement u in scaled columns and load t since the last
 * equilibrium lie on a sphere,
 *
 *     |u|^2 / X^2 + (dt / T)^2 = ds^2,
 *
 * X and T being those of the first increment. Newton's method on the balance and the sphere; the matrix is factored once for the two
 * solutions that the border needs. Where dt/ds changes its sign the load has an extreme: a limit point. */
#include "study/equilibrium.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { TARGET = 5, MOST_FAILURES = 5, USUAL_PARTS = 10, LONGER = 4, MOST_ROOTS = 60 };
static const double TURN = 0.3;        /* radians between tangents: a step that turns more is followed by a shorter one */
static const double DIFFERENCE = 1e-5; /* of the span: for the derivative by the load */
static const double ON_SPHERE = 1e-7;  /* ds^2 */
static const double LOCATED = 1e-11;   /* share of the step to which limit points are found */

typedef struct arc {
    double X, T;            /* sizes of displacement and load */
    double ds, most;        /* step */
    double to_t;            /* dt/ds at the kept state, with its sign */
    double from_t, from_ds; /* ... at the start of the step, and its length, for parts of it */
    bool from_back;
} arc;

static double scaled_dot(const bl_statics *s, const double *x, const double *y) {
    double sum = 0;
    for (bl_index j = 0; j < s->n; j++)
        sum += x[j] / s->kkt->scale[j] * (y[j] / s->kkt->scale[j]);
    return sum;
}

/* load_rate = d(Q, f)/dt by central differences at the state; rows: G x = b dt */
static bl_status find_load_rate(bl_statics *s) {
    const bl_system *sys = s->sys;
    double t = *s->state.t, by = DIFFERENCE * (s->options.until - s->options.from);
    for (int side = -1; side <= 1; side += 2) {
        *s->state.t = t + side * by;
        bl_eval_at(&s->eval, &s->state);
        bl_status status = bl_system_eval(sys, &s->eval, (sys->nv ? BL_Q : 0) | (sys->nz ? BL_F : 0));
        *s->state.t = t;
        BL_TRY(status);
        for (bl_index j = 0; j < s->n; j++) {
            double value = (j < sys->nv ? s->eval.Q[j] : s->eval.f[j - sys->nv]) / (2 * by);
            s->load_rate[j] = side < 0 ? -value : s->load_rate[j] + value;
        }
    }
    bl_eval_at(&s->eval, &s->state);
    return bl_system_eval(sys, &s->eval, s->np ? BL_B | BL_G : 0);
}

/* the displacement per unit of load at the state, in x; factors there */
static bl_status find_tangent(bl_statics *s, double *x) {
    BL_TRY(find_load_rate(s));
    BL_TRY(bl_kkt_place(s->kkt, &s->eval));
    BL_TRY(bl_kkt_tangent(s->sys, &s->eval, s->state.lambda, s->H));
    s->tangents++;
    s->factored = false;
    BL_TRY(bl_kkt_factor(s->kkt, s->H, 0, NULL, 0));
    s->factored = true;
    return bl_kkt_solve(s->kkt, s->load_rate, s->np ? s->eval.b : NULL, x, NULL);
}

/* length of (x dt, dt) for dt = 1 */
static double length(const bl_statics *s, const arc *a, const double *x) {
    return sqrt(scaled_dot(s, x, x) / (a->X * a->X) + 1 / (a->T * a->T));
}

/* ---- one step */

/* displacement of the state since the place the step began at, in moved */
static bl_status since(bl_statics *s, const bl_state *begin) {
    const bl_system *sys = s->sys;
    BL_TRY(bl_system_local(sys, begin->q, s->state.q, s->moved));
    for (bl_index i = 0; i < sys->nz; i++)
        s->moved[sys->nv + i] = s->state.z[i] - begin->z[i];
    return BL_OK;
}

/* x for the balance and dt for the sphere, together: x = x_a + dt x_b */
static bl_status correct(bl_statics *s, const arc *a, const bl_state *begin, double ds, double *off) {
    double *x_a = s->x, *x_b = s->load_rate, dt = *s->state.t - *begin->t;
    BL_TRY(since(s, begin));
    *off = scaled_dot(s, s->moved, s->moved) / (a->X * a->X) + dt * dt / (a->T * a->T) - ds * ds;
    BL_TRY(find_load_rate(s));
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
    BL_TRY(bl_kkt_solve(s->kkt, s->load_rate, s->np ? s->eval.b : NULL, x_b, NULL));
    double along_a = 2 * scaled_dot(s, s->moved, x_a) / (a->X * a->X), along_b = 2 * scaled_dot(s, s->moved, x_b) / (a->X * a->X);
    double more = -(*off + along_a) / (along_b + 2 * dt / (a->T * a->T));
    for (bl_index j = 0; j < s->n; j++)
        x_a[j] += more * x_b[j];
    *s->state.t += more;
    BL_TRY(bl_check_finite(s->ctx, "displacements", *s->state.t, s->n, x_a));
    return isfinite(*s->state.t) ? BL_OK : BL_NO_CONVERGENCE;
}

/* From `begin`, whose tangent is `tangent` per unit of load, by ds: predicted, then onto path and sphere. */
static bl_status step_from(bl_statics *s, const arc *a, const bl_state *begin, const double *tangent, double to_t, double ds) {
    double off = 0, dt = to_t * ds;
    bl_state_copy(s->sys, &s->state, begin);
    memcpy(s->lambda, s->state.lambda, (size_t)s->np * sizeof *s->lambda);
    for (bl_index j = 0; j < s->n; j++)
        s->x[j] = tangent[j] * dt;
    *s->state.t += dt;
    BL_TRY(bl_statics_move(s, s->x, 1));
    s->iterations = 0;
    s->step = 0;
    BL_TRY(bl_statics_look(s));
    for (;;) {
        BL_TRY(bl_go_on(s->ctx));
        if (s->iterations == s->options.iterations)
            return BL_NO_CONVERGENCE;
        s->iterations++;
        s->found.iterations++;
        BL_TRY(correct(s, a, begin, ds, &off));
        BL_TRY(bl_statics_move(s, s->x, 1));
        BL_TRY(bl_statics_look(s));
        if (bl_statics_balanced(s) && fabs(off) <= ON_SPHERE * ds * ds)
            return BL_OK;
    }
}

/* dt/ds of the tangent at the state, going on as the step from `begin` did; the tangent in x */
static bl_status direction(bl_statics *s, const arc *a, const bl_state *begin, double *x, double *to_t) {
    BL_TRY(find_tangent(s, x));
    BL_TRY(since(s, begin));
    double on = scaled_dot(s, x, s->moved) / (a->X * a->X) + (*s->state.t - *begin->t) / (a->T * a->T);
    *to_t = (on < 0 ? -1 : 1) / length(s, a, x);
    return BL_OK;
}

/* ---- limit points: where dt/ds vanishes between two equilibria */

static bl_status limit_point(bl_statics *s, const arc *a, double to_low, double to_high) {
    double low = 0, high = 1, share = 0, to_t = to_low, *x = s->tangent;
    int side = 0;
    bl_status status = BL_OK;
    /* dt/ds is smooth, and so is its inverse square root on either side: false position, Illinois' way */
    for (int k = 0; k < MOST_ROOTS && high - low > LOCATED; k++) {
        share = (low * to_high - high * to_low) / (to_high - to_low);
        if (!(share > low && share < high))
            share = (low + high) / 2;
        status = step_from(s, a, &s->from, s->last_tangent, a->from_t, share * a->from_ds);
        if (status == BL_OK)
            status = direction(s, a, &s->from, x, &to_t);
        if (status != BL_OK || to_t == 0)
            break;
        if (fabs(to_t) * a->T < 1e-9) /* the load is the extreme to 1e-18 of the step */
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
    if (status < 0 || status == BL_STOPPED)
        return status;
    bl_context_clear_error(s->ctx);
    bl_statics_note(s, BL_LIMIT_POINT, *s->state.t, x);
    return BL_OK;
}

/* ---- branching points */

static bl_status part_of_step(bl_statics *s, double share) {
    const arc *a = s->path;
    if (share == 0) {
        bl_state_copy(s->sys, &s->state, &s->from);
        BL_TRY(bl_statics_look(s));
    } else {
        BL_TRY(step_from(s, a, &s->from, s->last_tangent, a->from_t, share * a->from_ds));
    }
    if (!s->kkt->dense) {
        double unused;
        BL_TRY(share == 0 ? find_tangent(s, s->tangent) : direction(s, a, &s->from, s->tangent, &unused));
    }
    return bl_statics_judge(s);
}

/* ---- the path */

static bl_status start(bl_statics *s, arc *a) {
    double span = s->options.until - s->options.from;
    a->T = span / (s->options.increments > 0 ? s->options.increments : USUAL_PARTS);
    bl_status status = bl_statics_look(s);
    if (status == BL_OK)
        status = find_tangent(s, s->tangent);
    if (status == BL_SINGULAR) {
        status = bl_statics_refuse_free(s);
        return status == BL_SINGULAR ? bl_statics_fail(s, status, "begin the path where the tangent is regular") : status;
    }
    BL_TRY(status);
    a->X = bl_statics_length(s, s->tangent) * a->T;
    if (!(a->X > 0)) {
        bl_fail(s->ctx, BL_E_MODEL, NULL, "nothing moves with the load: no force depends on t at t = %.9g", *s->state.t);
        bl_advise(s->ctx, "write loads as expressions of t, =1000*t for example");
        return BL_E_MODEL;
    }
    a->ds = sqrt(2);
    a->most = (s->options.increments > 0 ? 1 : LONGER) * a->ds;
    a->to_t = 1 / length(s, a, s->tangent);
    return BL_OK;
}

/* from a place behind the end of the path to its end */
static bl_status finish(bl_statics *s) {
    bl_equilibrium_summary found = s->found;
    *s->state.t = s->options.until;
    bl_status status = bl_statics_settle(s);
    if (status < 0 || status == BL_STOPPED)
        return status;
    if (status == BL_OK)
        return bl_statics_accept(s);
    bl_context_clear_error(s->ctx); /* the one behind the end will do */
    s->found = found;
    return bl_statics_accept(s);
}

/* what the step passed */
static bl_status critical_points(bl_statics *s, arc *a, bl_index unstable, int sign, double to_t) {
    bool limit = (to_t > 0) != (a->from_t > 0);
    bool changed =
        unstable >= 0 && s->unstable >= 0 ? (s->unstable - unstable) % 2 != 0 || (!limit && s->unstable != unstable) : sign * s->sign < 0;
    bool path = s->sys->facts & BL_HISTORY && !(s->sys->facts & BL_TURNS_ONLY);
    bool known = (unstable >= 0 && s->unstable >= 0) || sign * s->sign != 0;
    bool branching = known && changed != limit && !path;
    if (!limit && !branching)
        return BL_OK;
    if (limit)
        BL_TRY(limit_point(s, a, a->from_t, to_t));
    if (branching)
        BL_TRY(bl_statics_branching(s, part_of_step, unstable, sign));
    bl_state_copy(s->sys, &s->state, &s->kept);
    BL_TRY(bl_statics_look(s));
    return find_tangent(s, s->tangent);
}

static bl_status one(bl_statics *s, arc *a, bool *over) {
    const bl_system *sys = s->sys;
    double to_t = 0, from = s->options.from, until = s->options.until;
    BL_TRY(step_from(s, a, &s->kept, s->tangent, a->to_t, a->ds));
    *over = *s->state.t >= until;
    bl_index unstable = s->unstable;
    int sign = s->sign;
    long iterations = s->iterations;
    bl_state_copy(sys, &s->from, &s->kept);
    if (*over)
        return finish(s);
    memcpy(s->last_tangent, s->tangent, (size_t)s->n * sizeof *s->tangent);
    BL_TRY(direction(s, a, &s->from, s->tangent, &to_t));
    double turn =
        acos(fmin(1, fmax(-1, (scaled_dot(s, s->tangent, s->last_tangent) / (a->X * a->X) + 1 / (a->T * a->T)) * a->to_t * to_t)));
    BL_TRY(bl_statics_look(s));
    BL_TRY(bl_statics_accept(s));
    a->from_t = a->to_t;
    a->from_ds = a->ds;
    BL_TRY(critical_points(s, a, unstable, sign, to_t));
    a->to_t = to_t;
    double by = fmin(sqrt((double)TARGET / (double)iterations), turn > 0 ? TURN / turn : 2);
    a->ds = fmin(a->most, a->ds * fmin(2, fmax(0.5, by)));
    *over = *s->kept.t < from - (until - from);
    if (*over)
        bl_warn(s->ctx, *s->kept.t, NULL, "the path goes back to t = %.6g, and ends there", *s->kept.t);
    return BL_OK;
}

bl_status bl_statics_arc(bl_statics *s, bl_statics_visit *visit, void *user) {
    arc a = {0};
    int failures = 0;
    bool over = false;
    BL_TRY(start(s, &a));
    s->path = &a;
    while (!over) {
        BL_TRY(bl_go_on(s->ctx));
        if (s->found.found >= s->options.points)
            return bl_fail(s->ctx, BL_E_NUMERIC, NULL, "the path has %ld points at t = %.9g and goes on", s->found.found, s->found.t);
        long found = s->found.found;
        bl_status status = one(s, &a, &over);
        if (status < 0 || status == BL_STOPPED)
            return status;
        if (status != BL_OK && s->found.found == found) {
            s->found.refused++;
            over = false;
            if (++failures == MOST_FAILURES)
                return bl_statics_fail(s, status, "take shorter increments (--increments), or look at what happens there");
            a.ds /= 2;
            bl_context_clear_error(s->ctx);
            continue;
        }
        BL_TRY(status);
        failures = 0;
        BL_TRY(visit(s, user));
    }
    return BL_OK;
}
