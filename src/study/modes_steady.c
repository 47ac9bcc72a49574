/* Steady motions (docs/theory/modes.md, section 8): the chart zeta consists of cyclic coordinates, which move but must not appear in the
 * equations (their columns of d zeta'' / d zeta vanish, likewise for drivers), and the shape, which is constant. Newton's method finds it,
 *
 *     zeta''(shape; speeds) = 0. */
#include "study/modes_private.h"

#include "study/linear_limits.h"
#include "study/study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double PART = 0.83; /* rad, or scales of columns: distance to the phase used for comparison */
enum { PHASES = 6 };

typedef struct steady {
    bl_modes_own *own;
    bl_linearize *l;
    const bl_modes_ask *ask;
    size_t f;
    double *rate;         /* [f] prescribed rates of the chart */
    bool *cyclic;         /* [f] cyclic: not part of the shape */
    double size;          /* of entries of d zeta'' / d zeta */
    double *A, *b;        /* least squares of Newton's step */
    double *kept, *value; /* [2 f f] matrices; [2 f] values of the chart */
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
    size_t f = s->f = (size_t)l->f;
    BL_TRY(BL_ARENA_ARRAYS(&s->arena, BL_ARRAY(s->rate, f), BL_ARRAY(s->A, f * f), BL_ARRAY(s->b, f), BL_ARRAY(s->kept, 2 * f * f),
                           BL_ARRAY(s->value, 2 * f), BL_ARRAY(s->work, bl_least_norm_work(l->f, l->f)), BL_ARRAY(s->cyclic, f)));
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

/* size of d zeta'' / d zeta: its own entries, rates times damping, and squares of rates */
static void measure(steady *s) {
    bl_linearize *l = s->l;
    double fastest = largest(s->f, l->rate), drivers = 0;
    for (bl_index j = 0; j < l->n; j++)
        drivers = fmax(drivers, fabs(l->state.v[j]) / l->kkt->scale[j]);
    fastest = fmax(fastest, drivers);
    s->size = fmax(largest(s->f * s->f, l->stiff), fmax(fastest * largest(s->f * s->f, l->damp), fastest * fastest));
}

static bl_status classify(steady *s) {
    bl_linearize *l = s->l;
    double fastest = 0;
    measure(s);
    for (bl_index j = 0; j < l->n; j++)
        fastest = fmax(fastest, fabs(l->state.v[j]) / l->kkt->scale[j]);
    for (size_t k = 0; k < s->f; k++) {
        char name[128];
        bool moves = fabs(l->rate[k]) > study_steady_rest * fastest;
        s->cyclic[k] = moves && largest(s->f, l->stiff + k * s->f) <= study_cyclic * s->size;
        s->rate[k] = moves ? l->rate[k] : 0;
        if (!moves || s->cyclic[k])
            continue;
        s->frozen = s->ask->options->anyway;
        if (s->frozen)
            continue;
        bl_linearize_name(l, (bl_index)k, false, name, sizeof name);
        return refuse_unsteady(s, name, l->rate[k]);
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
    memset(d->x, 0, (3 * (size_t)l->n + (size_t)l->np + s->f) * sizeof *d->x);
    if (status == BL_OK && rate != 0)
        status = bl_linearize_solve_motion(l, p, NULL, d->x);
    bl_free(l->ctx, p);
    BL_TRY(status);
    if (rate != 0)
        BL_TRY(bl_linearize_along(l, d, NULL));
    for (size_t k = 0; k < s->f; k++)
        feels = fmax(feels, s->cyclic[k] ? 0 : fabs(d->second[k]));
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

/* at l->state, which is assembled: sets the rates of the chart, then differentiates */
static bl_status differentiate(steady *s) {
    bl_linearize *l = s->l;
    BL_TRY(bl_linearize_at(l, &l->state, false));
    BL_TRY(bl_linearize_keep_chart(l));
    BL_TRY(bl_linearize_set_rates(l, s->rate));
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

/* largest zeta'' of the shape relative to the accelerations involved; *worst: which coordinate */
static double imbalance(const steady *s, size_t *worst) {
    const bl_linearize *l = s->l;
    double off = 0, size = 0;
    for (bl_index j = 0; j < l->n; j++)
        size = fmax(size, fmax(fabs(l->a[j]) / l->kkt->scale[j], pow(l->state.v[j] / l->kkt->scale[j], 2)));
    *worst = 0;
    for (size_t k = 0; k < s->f; k++)
        if (!s->cyclic[k] && fabs(l->second[k]) > off) {
            off = fabs(l->second[k]);
            *worst = k;
        }
    return size > 0 ? off / size : 0;
}

/* Newton step x[n] of the shape with the least change; *step: its size in scaled columns */
static bl_status newton(steady *s, double *x, double *step) {
    bl_linearize *l = s->l;
    size_t f = s->f, m = 0;
    bl_index rank;
    for (size_t k = 0; k < f; k++)
        m += !s->cyclic[k];
    for (size_t k = 0, column = 0; k < f; k++)
        for (size_t i = 0, row = 0; !s->cyclic[k] && i < f; i++) {
            if (!s->cyclic[i])
                s->A[column * m + row++] = l->stiff[k * f + i];
            column += i == f - 1;
        }
    for (size_t i = 0, row = 0; i < f; i++)
        if (!s->cyclic[i])
            s->b[row++] = -l->second[i];
    if (m > 0)
        BL_TRY(bl_least_norm(l->ctx, (bl_index)m, (bl_index)m, s->A, study_steady_rank, s->b, &rank, s->work));
    memset(x, 0, (size_t)l->n * sizeof *x);
    for (size_t k = 0, column = 0; k < f; k++)
        for (bl_index j = 0; !s->cyclic[k] && j <= l->n; j++) {
            if (j == l->n)
                column++;
            else
                x[j] += s->b[column] * l->direction[k].x[j];
        }
    *step = 0;
    for (bl_index j = 0; j < l->n; j++)
        *step = fmax(*step, fabs(x[j]) / l->kkt->scale[j]);
    return BL_OK;
}

static bl_status refuse_unsettled(const steady *s, size_t worst, double off) {
    char name[128];
    bl_linearize_name(s->l, (bl_index)worst, false, name, sizeof name);
    bl_fail(s->l->ctx, BL_E_NUMERIC, NULL,
            "found no steady motion near the start: %s accelerates by %.3g per second^2 (%.3g of the accelerations involved)", name,
            s->l->second[worst], off);
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
    size_t f = s->f;
    double *now = s->value + f;
    for (bl_index j = 0; j < l->n; j++)
        x[j] = time * l->state.v[j];
    BL_TRY(bl_system_retract(l->sys, l->state.q, x, l->state.q));
    *l->state.t += time;
    BL_TRY(assemble(s));
    for (int round = 0; round < 2; round++) {
        BL_TRY(bl_linearize_at(l, &l->state, false));
        BL_TRY(bl_linearize_keep_chart(l));
        BL_TRY(bl_linearize_values(l, now));
        for (size_t k = 0; k < f; k++)
            now[k] = s->cyclic[k] ? 0 : s->value[k] - now[k];
        BL_TRY(bl_linearize_solve_motion(l, NULL, now, x));
        BL_TRY(bl_system_retract(l->sys, l->state.q, x, l->state.q));
        BL_TRY(assemble(s));
    }
    BL_TRY(bl_linearize_at(l, &l->state, false));
    BL_TRY(bl_linearize_keep_chart(l));
    return bl_linearize_set_rates(l, s->rate);
}

static bl_status compare_phase(steady *s, double *x) {
    bl_linearize *l = s->l;
    size_t f = s->f, ff = f * f;
    double speed = 0;
    for (bl_index j = 0; j < l->n; j++)
        speed = fmax(speed, fabs(l->state.v[j]) / l->kkt->scale[j]);
    memcpy(s->kept, l->stiff, ff * sizeof *s->kept);
    memcpy(s->kept + ff, l->damp, ff * sizeof *s->kept);
    BL_TRY(bl_linearize_values(l, s->value));
    for (int k = 0; k < PHASES; k++)
        BL_TRY(move_on(s, PART / speed / PHASES, x));
    BL_TRY(differentiate(s));
    double off = 0, rates = fmax(largest(ff, s->kept + ff), speed);
    for (size_t i = 0; i < ff; i++)
        off = fmax(off, fmax(fabs(s->kept[i] - l->stiff[i]) / s->size, fabs(s->kept[ff + i] - l->damp[i]) / rates));
    for (size_t k = 0; k < f; k++)
        off = fmax(off, s->cyclic[k] ? 0 : fabs(l->second[k]) / s->size);
    if (off <= study_steady_same)
        return BL_OK;
    for (size_t k = 0; k < f; k++)
        if (s->cyclic[k]) {
            char name[128];
            bl_linearize_name(l, (bl_index)k, false, name, sizeof name);
            return refuse_unsteady(s, name, s->rate[k]);
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

static void name_cyclic(const steady *s, char *text, size_t size) {
    const bl_linearize *l = s->l;
    size_t used = 0;
    text[0] = '\0';
    for (size_t k = 0; k < s->f && used < size; k++) {
        char name[128];
        if (!s->cyclic[k])
            continue;
        bl_linearize_name(l, (bl_index)k, true, name, sizeof name);
        used += (size_t)snprintf(text + used, size - used, "%s%s = %.9g", used ? ", " : "", name, l->rate[k]);
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
    for (size_t k = 0; k < s->f; k++)
        if (s->cyclic[k]) {
            memset(l->stiff + k * s->f, 0, s->f * sizeof *l->stiff);
            memset(l->direction[k].second, 0, s->f * sizeof *l->stiff);
        }
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
    BL_TRY(classify(s));
    BL_TRY(check_drivers(s));
    if (search && !s->frozen) {
        if (bl_modes_begin_from(own, &l->state)) /* with the speeds of the start */
            BL_TRY(differentiate(s));
        BL_TRY(find_shape(s));
        BL_TRY(classify(s));
        BL_TRY(check_drivers(s));
    }
    report->residual = imbalance(s, &worst);
    if (report->residual > study_out_of_balance && !anyway) {
        char name[128];
        bl_linearize_name(l, (bl_index)worst, false, name, sizeof name);
        bl_fail(l->ctx, BL_E_NUMERIC, NULL, "not a steady motion at t = %.9g s: %s accelerates by %.3g per second^2", *l->state.t, name,
                l->second[worst]);
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

bl_status bl_modes_settle(bl_modes_own *own, const bl_modes_ask *ask, bl_modes_report *report) {
    steady s = {.own = own, .l = own->lin, .ask = ask, .arena.ctx = own->ctx};
    bl_status status = settle(&s, report);
    bl_arena_destroy(&s.arena);
    return status;
}
