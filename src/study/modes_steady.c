/* Steady motions (docs/theory/modes.md, section 8): the chart zeta consists of cyclic coordinates, which move but must not appear in the
 * equations (their columns of d eta' / d zeta vanish, likewise for drivers), and the shape, which is constant. Newton's method finds it,
 *
 *     eta'(shape; speeds) = 0,     zeta'(shape; speeds) = 0 of the shape.
 *
 * Where rows restrict velocities alone, coordinates may follow from the others without an influence on them, as the place of a wheel does:
 * they are cyclic, and may move at any rate. */
#include "study/modes_private.h"

#include "study/linear_limits.h"
#include "study/study.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
static const double PART = 0.83; /* rad, or scales of columns: distance to the phase used for comparison */
enum { PHASES = 6, ROUNDS = 6 };

typedef struct steady {
    bl_modes_own *own;
    bl_linearize *l;
    const bl_modes_ask *ask;
    size_t f, fp;         /* speeds, coordinates */
    double *rate;         /* [f] prescribed speeds */
    double *noise;        /* [f] rounding errors of their rates */
    bool *absent;         /* [fp] the equations do not depend on it, except for those of coordinates that are absent themselves */
    bool *cyclic;         /* [fp] not part of the shape: absent, and it moves or only follows */
    bool *drifts;         /* [f] speeds of cyclic coordinates, which may accelerate */
    double size;          /* of entries of d eta' / d zeta */
    double *A, *b;        /* least squares of Newton's step */
    double *kept, *value; /* matrices; [2 fp] values of the coordinates */
    double *work;
    bool frozen; /* equations depend on a coordinate that moves, which --anyway permits */
    bl_direction driven;
    bl_arena arena;
} steady;

static double largest(size_t n, const double *x) {
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

static bl_status make(steady *s) {
    bl_linearize *l = s->l;
    size_t f = s->f = (size_t)l->f, fp = s->fp = (size_t)l->fp, rows = f + fp;
    BL_TRY(BL_ARENA_ARRAYS(&s->arena, BL_ARRAY(s->rate, f), BL_ARRAY(s->noise, f), BL_ARRAY(s->A, rows * fp), BL_ARRAY(s->b, rows),
                           BL_ARRAY(s->kept, rows * rows), BL_ARRAY(s->value, 2 * fp),
                           BL_ARRAY(s->work, bl_least_norm_work((bl_index)rows, l->fp)), BL_ARRAY(s->absent, fp), BL_ARRAY(s->cyclic, fp),
                           BL_ARRAY(s->drifts, f)));
    return bl_linearize_room(l, &s->arena, &s->driven);
}

/* ---- refusals */

static bl_status refuse_unsteady(const steady *s, const char *name, double rate) {
    bl_context *ctx = s->l->ctx;
    bl_fail(ctx, BL_E_ABILITY, NULL, "not a steady motion: the equations depend on %s, which changes at %.6g per second", name, rate);
    bl_advise(ctx,
              "modes exist for steady motions only (periodic ones have Floquet multipliers, not available); --anyway freezes this instant");
    bl_blame(ctx, NULL, name, *s->l->state.t);
    return BL_E_ABILITY;
}

/* ---- cyclic coordinates */

static double fastest(const bl_linearize *l) {
    double most = 0;
    for (bl_index j = 0; j < l->n; j++)
        most = fmax(most, fabs(l->state.v[j]) / l->kkt->scale[j]);
    return most;
}

/* rounding of the rates of speeds: of positions, times the stiffest entry of each row */
static void find_noise(steady *s) {
    const bl_linearize *l = s->l;
    memset(s->noise, 0, s->f * sizeof *s->noise);
    for (size_t i = 0; i < s->fp; i++) {
        double far = 0; /* of the motion along coordinate i, in scales of columns */
        for (bl_index j = 0; j < l->n; j++)
            far = fmax(far, fabs(l->direction[i].x[j]) / l->kkt->scale[j]);
        for (size_t k = 0; k < s->f && far > 0; k++)
            s->noise[k] = fmax(s->noise[k], study_steady_noise * DBL_EPSILON * fabs(l->stiff[i * s->f + k]) / far);
    }
}

/* size of d eta' / d zeta: its own entries, rates times damping, and squares of rates */
static void measure(steady *s) {
    const bl_linearize *l = s->l;
    double rate = fmax(largest(s->f, l->rate), fastest(l));
    s->size = fmax(largest(s->f * s->fp, l->stiff), fmax(rate * largest(s->f * s->f, l->damp), rate * rate));
    find_noise(s);
}

static double rate_of(const bl_linearize *l, size_t k) { return l->pair[k] >= 0 ? l->rate[l->pair[k]] : l->coordinate_rate[k]; }

/* Coordinates on which nothing depends, then those on which only they depend: what follows from others is no part of the equations. */
static void find_absent(steady *s) {
    const bl_linearize *l = s->l;
    double rate = fastest(l);
    bool more = true;
    memset(s->absent, 0, s->fp * sizeof *s->absent);
    while (more) {
        more = false;
        for (size_t k = 0; k < s->fp; k++) {
            double feels = largest(s->f, l->stiff + k * s->f) / s->size;
            for (size_t i = 0; i < s->fp; i++)
                if (l->pair[i] < 0 && !s->absent[i])
                    feels = fmax(feels, fabs(l->flow[k * s->fp + i]) / rate);
            bool absent = feels <= study_cyclic;
            more = more || absent != s->absent[k];
            s->absent[k] = absent;
        }
    }
}

/* final: the search, which may change the shape, is over */
static bl_status classify(steady *s, bool final) {
    bl_linearize *l = s->l;
    double fast = fastest(l);
    measure(s);
    find_absent(s);
    memset(s->drifts, 0, s->f * sizeof *s->drifts);
    memcpy(s->rate, l->rate, s->f * sizeof *s->rate);
    for (size_t k = 0; k < s->fp; k++) {
        char name[128];
        bool paired = l->pair[k] >= 0, moves = fabs(rate_of(l, k)) > study_steady_rest * fast;
        s->cyclic[k] = s->absent[k] && (moves || !paired);
        if (paired && !moves)
            s->rate[l->pair[k]] = 0;
        if (paired && s->cyclic[k])
            s->drifts[l->pair[k]] = l->whole == l->kkt;
        if (s->cyclic[k])
            continue;
        bl_linearize_name(l, (bl_index)k, false, name, sizeof name);
        if (l->item[k].momentary) {
            bl_fail(l->ctx, BL_E_ABILITY, NULL, "the motion cannot be linearized: the equations depend on %s of a rotating body", name);
            bl_advise(l->ctx, "describe rotating bodies by joint variables: a body that rotates freely has no angles of its own");
            return BL_E_ABILITY;
        }
        if (!moves || (!paired && !final))
            continue;
        s->frozen = s->ask->options->anyway;
        if (!s->frozen)
            return refuse_unsteady(s, name, rate_of(l, k));
    }
    return BL_OK;
}

/* rates of drivers at a neighboring time */
static bl_status driven_rates(void *user, double t, double *out) {
    bl_linearize *l = user;
    bl_eval_at(&l->beside, &l->state);
    l->beside.t += t;
    BL_TRY(bl_system_eval(l->sys, &l->beside, BL_B));
    memcpy(out, l->beside.b, (size_t)l->np * sizeof *out);
    return BL_OK;
}

/* second rates of the shape must not depend on the position of a driver, and the driver must not accelerate */
static bl_status check_driver(steady *s, bl_index row, const bl_driver *driver) {
    bl_linearize *l = s->l;
    const char *name = l->model->variable[driver->variable].name;
    bl_direction *d = &s->driven;
    double *p;
    BL_TRY(bl_system_eval(l->sys, &l->eval, BL_B));
    double rate = l->eval.b[row], feels = 0;
    BL_TRY(BL_NEW(l->ctx, p, 2 * (size_t)l->np));
    bl_status status = bl_difference(driven_rates, l, l->span, l->np, p, p + l->np);
    double second = p[row];
    memset(p, 0, (size_t)l->np * sizeof *p);
    p[row] = 1;
    bl_linearize_clear(l, d);
    if (status == BL_OK && rate != 0)
        status = bl_linearize_solve_position(l, p, NULL, d->x);
    bl_free(l->ctx, p);
    BL_TRY(status);
    if (rate != 0)
        BL_TRY(bl_linearize_along(l, d, NULL));
    for (size_t k = 0; k < s->f; k++)
        feels = fmax(feels, s->drifts[k] ? 0 : fabs(d->second[k]));
    for (size_t k = 0; k < s->fp; k++)
        feels = fmax(feels, s->cyclic[k] ? 0 : fabs(d->rate[k]) * fastest(l));
    if (feels > study_cyclic * s->size)
        return refuse_unsteady(s, name, rate);
    if (fabs(second) <= study_cyclic * fmax(rate * rate, fabs(rate) / l->span))
        return BL_OK;
    bl_fail(l->ctx, BL_E_ABILITY, NULL, "not a steady motion: driver '%s' accelerates %s by %.6g per second^2", driver->name, name, second);
    bl_advise(l->ctx, "use a driver with a constant rate, or freeze this instant with --anyway");
    return BL_E_ABILITY;
}

static bl_status check_drivers(steady *s) {
    const bl_system *sys = s->l->sys;
    for (bl_index i = 0; i < sys->np && !s->ask->options->anyway; i++)
        if (sys->row[i].what == BL_ROW_DRIVER)
            BL_TRY(check_driver(s, i, &s->l->model->driver[sys->row[i].owner]));
    return BL_OK;
}

/* ---- the shape */

/* at l->state, which is assembled: sets the speeds, then differentiates */
static bl_status differentiate(steady *s) {
    bl_linearize *l = s->l;
    BL_TRY(bl_linearize_at(l, &l->state, false));
    BL_TRY(bl_linearize_keep_chart(l));
    BL_TRY(bl_linearize_set_speeds(l, s->rate));
    BL_TRY(bl_linearize_at(l, &l->state, false));
    return bl_linearize_differentiate(l);
}

static bl_status assemble(steady *s) {
    bl_linearize *l = s->l;
    const bl_system *sys = l->sys;
    if (sys->np) {
        bl_status status = bl_assemble_nearby(sys, &l->state);
        if (status > 0)
            return bl_fail(l->ctx, BL_E_NUMERIC, NULL, "cannot assemble the mechanism in the search for a steady motion");
        BL_TRY(status);
    }
    if (!sys->kind->accept)
        return BL_OK;
    bl_eval_at(&l->beside, &l->state);
    BL_TRY(bl_system_eval(sys, &l->beside, BL_Q));
    bl_status status = sys->kind->accept(sys, &l->beside, &l->state);
    return status == BL_RESTART ? BL_OK : status;
}

/* What is not steady, of speeds (k < f) and of coordinates that only follow; *rate: its rate. Relative to the accelerations involved. */
static double off_balance(const steady *s, size_t k, double size, double speed, double *rate) {
    const bl_linearize *l = s->l;
    bool is_speed = k < s->f;
    *rate = is_speed ? l->second[k] : l->coordinate_rate[k - s->f];
    bool counts = is_speed ? !s->drifts[k] : l->pair[k - s->f] < 0 && !s->cyclic[k - s->f];
    if (!counts || !(size > 0))
        return 0;
    return fmax(0, is_speed ? fabs(*rate) - s->noise[k] : fabs(*rate) * speed) / size;
}

/* the largest of these; *worst: which */
static double imbalance(const steady *s, size_t *worst) {
    const bl_linearize *l = s->l;
    double off = 0, size = 0, speed = fastest(l), rate;
    for (bl_index j = 0; j < l->n; j++)
        size = fmax(size, fmax(fabs(l->a[j]) / l->kkt->scale[j], pow(l->state.v[j] / l->kkt->scale[j], 2)));
    *worst = 0;
    for (size_t k = 0; k < s->f + s->fp; k++) {
        double by = off_balance(s, k, size, speed, &rate);
        if (by > off) {
            off = by;
            *worst = k;
        }
    }
    return off;
}

/* divides the rows of A[rows][columns], by columns, and b by their largest entries: light members have larger ones than the others */
static void equilibrate(size_t rows, size_t columns, double *A, double *b) {
    for (size_t i = 0; i < rows; i++) {
        double most = 0;
        for (size_t k = 0; k < columns; k++)
            most = fmax(most, fabs(A[k * rows + i]));
        for (size_t k = 0; k < columns && most > 0; k++)
            A[k * rows + i] /= most;
        b[i] /= most > 0 ? most : 1;
    }
}

/* Newton step x[n] of the shape with the least change; *step: its size in scaled columns */
static bl_status newton(steady *s, double *x, double *step) {
    bl_linearize *l = s->l;
    size_t f = s->f, fp = s->fp, rows = 0, columns = 0;
    bl_index rank;
    for (size_t i = 0; i < f + fp; i++) {
        bool of_speed = i < f;
        if (of_speed ? s->drifts[i] : l->pair[i - f] >= 0 || s->cyclic[i - f])
            continue;
        s->b[rows++] = -(of_speed ? l->second[i] : l->coordinate_rate[i - f]);
    }
    for (size_t k = 0; k < fp; k++) {
        size_t row = 0;
        if (s->cyclic[k])
            continue;
        for (size_t i = 0; i < f; i++)
            if (!s->drifts[i])
                s->A[columns * rows + row++] = l->stiff[k * f + i];
        for (size_t i = 0; i < fp; i++)
            if (l->pair[i] < 0 && !s->cyclic[i])
                s->A[columns * rows + row++] = l->flow[k * fp + i];
        columns++;
    }
    equilibrate(rows, columns, s->A, s->b);
    if (rows > 0 && columns > 0)
        BL_TRY(bl_least_norm(l->ctx, (bl_index)rows, (bl_index)columns, s->A, study_steady_rank, s->b, &rank, s->work));
    memset(x, 0, (size_t)l->n * sizeof *x);
    for (size_t k = 0, column = 0; k < fp; k++) {
        if (s->cyclic[k])
            continue;
        for (bl_index j = 0; j < l->n; j++)
            x[j] += s->b[column] * l->direction[k].x[j];
        column++;
    }
    *step = 0;
    for (bl_index j = 0; j < l->n; j++)
        *step = fmax(*step, fabs(x[j]) / l->kkt->scale[j]);
    return BL_OK;
}

/* "A.angle", "accelerates by 1 per second^2"; of coordinates that only follow "hitch.angle", "changes by 1 per second" */
static void name_worst(const steady *s, size_t worst, char *name, size_t size, char *how, size_t how_size) {
    const bl_linearize *l = s->l;
    bool pairs = l->whole == l->kkt, is_speed = worst < s->f;
    double rate;
    off_balance(s, worst, 1, 1, &rate);
    if (is_speed && !pairs)
        bl_linearize_speed_name(l, (bl_index)worst, name, size);
    else
        bl_linearize_name(l, (bl_index)(is_speed ? worst : worst - s->f), false, name, size);
    snprintf(how, how_size, "%s by %.3g per second%s", is_speed && pairs ? "accelerates" : "changes", rate, is_speed ? "^2" : "");
}

static bl_status refuse_unsettled(const steady *s, size_t worst, double off) {
    char name[128], how[64];
    name_worst(s, worst, name, sizeof name, how, sizeof how);
    bl_fail(s->l->ctx, BL_E_NUMERIC, NULL, "found no steady motion near the start: %s %s (%.3g of the accelerations involved)", name, how,
            off);
    bl_advise(s->l->ctx, "start closer to it (`initial:`), or check whether a steady motion exists at these speeds");
    bl_blame(s->l->ctx, NULL, name, *s->l->state.t);
    return BL_E_NUMERIC;
}

static bl_status find_shape(steady *s) {
    bl_linearize *l = s->l;
    double *x, step = INFINITY, before = INFINITY;
    size_t worst;
    bl_status status = BL_NEW(l->ctx, x, l->n);
    for (int k = 0; k < study_steady_steps && status == BL_OK && step > study_steady_settled && imbalance(s, &worst) > study_steady_exact;
         k++) {
        status = bl_go_on(l->ctx);
        if (status == BL_OK)
            status = newton(s, x, &step);
        if (status != BL_OK || (k > 3 && step < study_steady_rounding && step >= before / 2)) /* rounding is reached */
            break;
        double by = step > study_steady_longest ? study_steady_longest / step : 1;
        for (bl_index j = 0; j < l->n; j++)
            x[j] *= by;
        before = step;
        status = bl_system_retract(l->sys, l->state.q, x, l->state.q);
        if (status == BL_OK)
            status = assemble(s);
        if (status == BL_OK)
            status = differentiate(s);
    }
    bl_free(l->ctx, x);
    BL_TRY(status);
    double off = imbalance(s, &worst);
    return off <= study_steady_exact || (off <= study_out_of_balance && step <= study_steady_last) ? BL_OK
                                                                                                   : refuse_unsettled(s, worst, off);
}

/* ---- another phase: derivatives that vanish in one phase may not vanish in others */

/* moves on by `time` along the motion with the shape unchanged */
static bl_status move_on(steady *s, double time, double *x) {
    bl_linearize *l = s->l;
    size_t fp = s->fp;
    double *now = s->value + fp;
    for (bl_index j = 0; j < l->n; j++)
        x[j] = time * l->state.v[j];
    BL_TRY(bl_system_retract(l->sys, l->state.q, x, l->state.q));
    *l->state.t += time;
    BL_TRY(assemble(s));
    for (int round = 0; round < ROUNDS; round++) {
        BL_TRY(bl_linearize_at(l, &l->state, false));
        BL_TRY(bl_linearize_keep_chart(l));
        BL_TRY(bl_linearize_values(l, now));
        for (size_t k = 0; k < fp; k++) {
            bool angle = l->item[k].what == BL_CHART_TOUCH;
            now[k] = s->cyclic[k] ? 0 : angle ? remainder(s->value[k] - now[k], 2 * PI) : s->value[k] - now[k];
        }
        if (round > 1 && !(largest(fp, now) > study_steady_settled * largest(fp, s->value)))
            break;
        BL_TRY(bl_linearize_solve_position(l, NULL, now, x));
        BL_TRY(bl_system_retract(l->sys, l->state.q, x, l->state.q));
        BL_TRY(assemble(s));
    }
    BL_TRY(bl_linearize_at(l, &l->state, false));
    BL_TRY(bl_linearize_keep_chart(l));
    return bl_linearize_set_speeds(l, s->rate);
}

/* a block of rows at both phases, relative to a size; rows of coordinates that are speeds, or cyclic, do not count */
static double differs(const steady *s, size_t columns, bool of_speeds, const double *a, const double *b, double size) {
    size_t rows = of_speeds ? s->f : s->fp;
    double off = 0;
    for (size_t k = 0; k < columns; k++)
        for (size_t i = 0; i < rows; i++)
            if (of_speeds || (s->l->pair[i] < 0 && !s->cyclic[i]))
                off = fmax(off, fabs(a[k * rows + i] - b[k * rows + i]) / size);
    return off;
}

static bl_status compare_phase(steady *s, double *x) {
    bl_linearize *l = s->l;
    size_t f = s->f, fp = s->fp;
    double speed = fastest(l), rate;
    double *stiff = s->kept, *damp = stiff + f * fp, *flow = damp + f * f, *lift = flow + fp * fp;
    memcpy(stiff, l->stiff, f * fp * sizeof *stiff);
    memcpy(damp, l->damp, f * f * sizeof *damp);
    memcpy(flow, l->flow, fp * fp * sizeof *flow);
    memcpy(lift, l->lift, f * fp * sizeof *lift);
    BL_TRY(bl_linearize_values(l, s->value));
    for (int k = 0; k < PHASES; k++)
        BL_TRY(move_on(s, PART / speed / PHASES, x));
    BL_TRY(differentiate(s));
    double rates = fmax(largest(f * f, damp), speed), off = differs(s, fp, true, stiff, l->stiff, s->size);
    off = fmax(off, differs(s, f, true, damp, l->damp, rates));
    off = fmax(off, differs(s, fp, false, flow, l->flow, fmax(largest(fp * fp, flow), speed)));
    off = fmax(off, differs(s, f, false, lift, l->lift, fmax(largest(f * fp, lift), 1)));
    for (size_t k = 0; k < f + fp; k++)
        off = fmax(off, off_balance(s, k, s->size, speed, &rate));
    if (off <= study_steady_same)
        return BL_OK;
    for (size_t k = 0; k < fp; k++)
        if (s->cyclic[k] && fabs(rate_of(l, k)) > study_steady_rest * speed) {
            char name[128];
            bl_linearize_name(l, (bl_index)k, false, name, sizeof name);
            return refuse_unsteady(s, name, rate_of(l, k));
        }
    for (bl_index i = 0; i < l->np; i++)
        if (l->sys->row[i].what == BL_ROW_DRIVER && l->eval.b[i] != 0)
            return refuse_unsteady(s, l->model->variable[l->model->driver[l->sys->row[i].owner].variable].name, l->eval.b[i]);
    return refuse_unsteady(s, "the time", 1);
}

static bl_status check_phase(steady *s) {
    bl_linearize *l = s->l;
    bl_state kept = {0};
    double *x = NULL;
    bl_status status = bl_state_create(l->sys, 0, &kept);
    if (status == BL_OK)
        status = BL_NEW(l->ctx, x, l->n);
    if (status == BL_OK) {
        bl_state_copy(l->sys, &kept, &l->state);
        status = compare_phase(s, x);
        bl_state_copy(l->sys, &l->state, &kept);
    }
    if (status == BL_OK)
        status = differentiate(s);
    bl_state_destroy(l->sys, &kept);
    bl_free(l->ctx, x);
    return status;
}

/* rates that stay constant: of cyclic coordinates, and speeds that are no rates */
static void name_cyclic(const steady *s, char *text, size_t size) {
    const bl_linearize *l = s->l;
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < s->f && used < size; i++) {
        char name[128];
        bool named = true;
        for (size_t k = 0; k < s->fp; k++)
            if (l->pair[k] == (bl_index)i)
                named = s->cyclic[k];
        if (!named || fabs(l->rate[i]) <= (l->whole == l->kkt ? 0 : study_steady_rest * fastest(l)))
            continue;
        bl_linearize_speed_name(l, (bl_index)i, name, sizeof name);
        used += (size_t)snprintf(text + used, size - used, "%s%s = %.9g", used ? ", " : "", name, l->rate[i]);
    }
    for (bl_index i = 0; i < l->np && used < size; i++)
        if (l->sys->row[i].what == BL_ROW_DRIVER && l->eval.b && (l->eval.have & BL_B) && l->eval.b[i] != 0) {
            const bl_driver *d = &l->model->driver[l->sys->row[i].owner];
            used += (size_t)snprintf(text + used, size - used, "%s%s_rate = %.9g (driven)", used ? ", " : "",
                                     l->model->variable[d->variable].name, l->eval.b[i]);
        }
}

/* the equations do not depend on cyclic coordinates: removes rounding errors */
static void clear_cyclic(steady *s) {
    bl_linearize *l = s->l;
    for (size_t k = 0; k < s->fp; k++) {
        if (!s->cyclic[k])
            continue;
        memset(l->stiff + k * s->f, 0, s->f * sizeof *l->stiff);
        memset(l->direction[k].second, 0, s->f * sizeof *l->stiff);
        for (size_t i = 0; i < s->fp; i++)
            if (!s->cyclic[i])
                l->flow[k * s->fp + i] = l->direction[k].rate[i] = 0;
    }
    double small = study_steady_flow * fastest(l);
    for (size_t i = 0; i < s->fp * s->fp; i++) /* else each integral would drive the others by them */
        if (fabs(l->flow[i]) <= small)
            l->flow[i] = l->direction[i / s->fp].rate[i % s->fp] = 0;
}

static bl_status settle(steady *s, bl_modes_report *report) {
    bl_modes_own *own = s->own;
    bl_linearize *l = s->l;
    bool anyway = s->ask->options->anyway, search = s->ask->at == BL_MODES_AT_STEADY;
    size_t worst;
    BL_TRY(bl_linearize_at(l, &own->start, false));
    BL_TRY(bl_linearize_chart(l, own->io.first, own->io.nfirst));
    BL_TRY(make(s));
    BL_TRY(bl_linearize_differentiate(l));
    BL_TRY(classify(s, !search));
    BL_TRY(check_drivers(s));
    if (search && !s->frozen) {
        if (bl_modes_begin_from(own, &l->state)) /* with the speeds of the start */
            BL_TRY(differentiate(s));
        BL_TRY(find_shape(s));
        BL_TRY(classify(s, true));
        BL_TRY(check_drivers(s));
    }
    report->residual = imbalance(s, &worst);
    if (report->residual > study_out_of_balance && !anyway) {
        char name[128], how[64];
        name_worst(s, worst, name, sizeof name, how, sizeof how);
        bl_fail(l->ctx, BL_E_NUMERIC, NULL, "not a steady motion at t = %.9g s: %s %s", *l->state.t, name, how);
        bl_advise(l->ctx, "use --at steady to find a steady motion, or --anyway to freeze this instant");
        bl_blame(l->ctx, NULL, name, *l->state.t);
        return BL_E_NUMERIC;
    }
    report->acceleration = s->frozen || report->residual > study_out_of_balance ? largest(s->f, l->second) : 0;
    if (!anyway && s->f > 0 && !own->trusted)
        BL_TRY(check_phase(s));
    clear_cyclic(s);
    if (l->np)
        BL_TRY(bl_system_eval(l->sys, &l->eval, BL_B));
    name_cyclic(s, report->cyclic, sizeof report->cyclic);
    return BL_OK;
}

static bl_status settle_in(bl_modes_own *own, const bl_modes_ask *ask, bool turning, bl_modes_report *report) {
    steady s = {.own = own, .l = own->lin, .ask = ask, .arena.ctx = own->ctx};
    own->lin->turning = turning;
    bl_status status = settle(&s, report);
    bl_arena_destroy(&s.arena);
    return status;
}

/* fixed axes; where the equations depend on positions in these, axes that turn with the bodies; if that is in vain too, the first answer */
bl_status bl_modes_settle(bl_modes_own *own, const bl_modes_ask *ask, bl_modes_report *report) {
    bl_status status = settle_in(own, ask, false, report);
    if ((status != BL_E_ABILITY && status != BL_E_NUMERIC) || !own->lin->rotates)
        return status;
    bl_context_clear_error(own->ctx);
    bl_status turned = settle_in(own, ask, true, report);
    if ((turned != BL_E_ABILITY && turned != BL_E_NUMERIC) || (turned == BL_E_NUMERIC && status == BL_E_ABILITY))
        return turned;
    bl_log(own->ctx, BL_LOG_INFO, "in axes that turn with the bodies: %s", bl_context_error(own->ctx)->what);
    bl_context_clear_error(own->ctx);
    return settle_in(own, ask, false, report);
}
