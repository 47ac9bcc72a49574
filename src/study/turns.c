/* Angles tracked over steps. With the rates f at x_j = cos(pi j / m) of the step, mapped to [-1, 1], and f = sum c_k T_k,
 *
 *     angle - angle at the start = h/2 sum C_k T_k,   C_k = (c_{k-1} - c_{k+1}) / 2k   (2 c_0 for k = 1),   C_0 so that it is 0 at -1
 *
 * (Clenshaw and Curtis 1960). m is doubled until the integral changes by much less than half a revolution. */
#include "study/turns.h"

#include "study/simulation.h"
#include "study/study_limits.h"

#include <math.h>
#include <string.h>

enum { POLYNOMIAL = 4, MOST = 64 }; /* intervals: minimum for methods with long steps, in which angles may rotate and return; maximum */
static const double PI = 3.14159265358979323846;

bl_status bl_turns_create(bl_simulation *sim) {
    bl_turns *turns = &sim->turns;
    turns->n = sim->sys->nangle;
    if (turns->n == 0)
        return BL_OK;
    size_t n = (size_t)turns->n;
    BL_TRY(BL_NEW_ARRAYS(sim->ctx, turns->block, BL_ARRAY(turns->rate, n), BL_ARRAY(turns->value, n), BL_ARRAY(turns->over, n),
                         BL_ARRAY(turns->node, n * (MOST + 1)), BL_ARRAY(turns->sum, n * (MOST + 2)), BL_ARRAY(turns->cosine, 2 * MOST)));
    for (int j = 0; j < 2 * MOST; j++)
        turns->cosine[j] = cos(PI * j / MOST);
    return BL_OK;
}

void bl_turns_destroy(bl_simulation *sim) {
    bl_free(sim->ctx, sim->turns.block);
    sim->turns = (bl_turns){0};
}

static double *angles_of(unsigned char *history) { return (double *)(void *)history; }

/* Stores the angles of the state, nearest to those of its history, in the history, and their rates in rate[n]. */
static bl_status read_angles(bl_simulation *sim, bl_state *state, double *rate) {
    const bl_index *angle = sim->sys->angle;
    bl_eval_at(&sim->eval, state);
    BL_TRY(bl_system_eval(sim->sys, &sim->eval, BL_VARIABLES));
    for (bl_index i = 0; i < sim->turns.n; i++) {
        angles_of(state->history)[angle[i]] = sim->eval.variable[angle[i]];
        rate[i] = sim->eval.variable_rate[angle[i]];
    }
    return BL_OK;
}

bl_status bl_turns_begin(bl_simulation *sim) {
    bl_turns *turns = &sim->turns;
    if (turns->n == 0)
        return BL_OK;
    BL_TRY(read_angles(sim, &sim->state, turns->rate));
    turns->bound = sim->sys->kind->turning(sim->sys, &sim->eval);
    turns->known = true;
    return BL_OK;
}

/* ---- rates over a step */

static double half_step(const bl_simulation *sim) { return 0.5 * (sim->integ->t - sim->integ->t_old); }

/* coefficients C of an angle from m + 1 points; returns its change over the step */
static double integrate(const bl_turns *turns, bl_index i, int m, double half, double *C) {
    double c[MOST + 3] = {0}, end = 0, start = 0;
    for (int k = 0; k <= m; k++) {
        double sum = 0;
        for (int j = 0; j <= m; j++)
            sum += (j == 0 || j == m ? 0.5 : 1) * turns->node[j * (MOST / m) * turns->n + i] * turns->cosine[j * k % (2 * m) * (MOST / m)];
        c[k] = half * sum * (k == 0 || k == m ? 1 : 2) / m;
    }
    for (int k = 1; k <= m + 1; k++) {
        C[k] = ((k == 1 ? 2 : 1) * c[k - 1] - c[k + 1]) / (2 * k);
        start += k % 2 ? C[k] : -C[k];
        end += C[k];
    }
    C[0] = start;
    return start + end;
}

/* The state at a time in the step, accurate enough for rates. */
static bl_status state_near(bl_simulation *sim, double t) {
    if (!sim->integ->kind->motion)
        return bl_simulation_dense(sim, t, &sim->at);
    memcpy(sim->at.history, sim->step_history, sim->sys->history_bytes);
    sim->integ->kind->motion(sim->integ, t, &sim->at);
    return BL_OK;
}

/* rates at those of m + 1 points that were not among the m / 2 + 1 before */
static bl_status fill(bl_simulation *sim, int m) {
    bl_turns *turns = &sim->turns;
    for (int j = 1; j < m; j += 2) {
        double t = sim->integ->t_old + half_step(sim) * (1 + turns->cosine[j * (MOST / m)]);
        BL_TRY(state_near(sim, t));
        BL_TRY(read_angles(sim, &sim->at, turns->node + (size_t)(j * (MOST / m)) * (size_t)turns->n));
    }
    return BL_OK;
}

/* Integrals from m + 1 points: whether they changed little and agree with the angles at the end of the step. */
static bool is_settled(bl_simulation *sim, int m) {
    bl_turns *turns = &sim->turns;
    bool all = true;
    for (bl_index i = 0; i < turns->n; i++) {
        double over = integrate(turns, i, m, half_step(sim), turns->sum + (size_t)i * (MOST + 2));
        double off = remainder(angles_of(sim->state.history)[sim->sys->angle[i]] - turns->value[i] - over, 2 * PI);
        all = all && fabs(over - turns->over[i]) < study_turns_settled && fabs(off) < 2 * study_turns_settled;
        turns->over[i] = over;
    }
    return all;
}

/* Integrates the rates over the step with as many points as needed. A state that cannot be evaluated ends the refinement. */
static bl_status integrate_rates(bl_simulation *sim) {
    bl_turns *turns = &sim->turns;
    bl_formulation_stats counted = sim->form->stats; /* this work is not counted */
    int least = sim->integ->kind->kind.gives & BL_POLYNOMIAL ? POLYNOMIAL : 2, m = 1;
    is_settled(sim, m);
    turns->degree = m;
    bool done = false;
    bl_status status = BL_OK;
    while (!done && m < MOST && status == BL_OK) {
        status = fill(sim, 2 * m);
        if (status == BL_OK) {
            m *= 2;
            done = is_settled(sim, m) && m >= least;
            turns->degree = m;
        }
    }
    sim->form->stats = counted;
    if (status < 0)
        return status;
    if (!done && !turns->warned) {
        bl_warn(sim->ctx, sim->integ->t_old, NULL,
                "full revolutions of angles may be miscounted: their rates vary too fast over a step of %.3g s; use smaller steps",
                sim->integ->t - sim->integ->t_old);
        turns->warned = true;
    }
    return BL_OK;
}

/* a bound of the rates over the step: at its ends and, for methods with long steps, in between */
static bl_status bound_rates(bl_simulation *sim, double *most) {
    bl_turns *turns = &sim->turns;
    double (*turning)(const bl_system *, bl_eval *) = sim->sys->kind->turning;
    bl_eval_at(&sim->eval, &sim->state);
    double end = turning(sim->sys, &sim->eval);
    *most = fmax(turns->bound, end);
    turns->bound = end;
    for (int j = 1;
         j < POLYNOMIAL && (sim->integ->kind->kind.gives & BL_POLYNOMIAL) && 2 * half_step(sim) * *most < (PI / (1 + study_turns_margin));
         j++) {
        BL_TRY(state_near(sim, sim->integ->t_old + half_step(sim) * (1 + turns->cosine[j * (MOST / POLYNOMIAL)])));
        bl_eval_at(&sim->eval, &sim->at);
        *most = fmax(*most, turning(sim->sys, &sim->eval));
    }
    return BL_OK;
}

bl_status bl_turns_follow(bl_simulation *sim) {
    bl_turns *turns = &sim->turns;
    const bl_index *angle = sim->sys->angle;
    size_t n = (size_t)turns->n;
    turns->degree = 0;
    if (n == 0)
        return BL_OK;
    double h = 2 * half_step(sim), most, *start = turns->node + MOST * n, *end = turns->node;
    bool far = sim->integ->kind->kind.gives & BL_POLYNOMIAL;
    BL_TRY(bound_rates(sim, &most));
    if (h * most < (PI / (1 + study_turns_margin))) {
        turns->known = false;
        return BL_OK;
    }
    if (turns->known) {
        memcpy(start, turns->rate, n * sizeof *start);
    } else {
        BL_TRY(state_near(sim, sim->integ->t_old));
        BL_TRY(read_angles(sim, &sim->at, start));
        for (bl_index i = 0; i < turns->n; i++)
            angles_of(sim->state.history)[angle[i]] = angles_of(sim->at.history)[angle[i]];
    }
    for (bl_index i = 0; i < turns->n; i++)
        turns->value[i] = angles_of(sim->state.history)[angle[i]];
    BL_TRY(read_angles(sim, &sim->state, end));
    for (bl_index i = 0; i < turns->n; i++)
        far = far || !(h * fmax(fabs(start[i]), fabs(end[i])) < (PI / (1 + study_turns_margin)));
    memcpy(turns->rate, end, n * sizeof *end);
    turns->known = true;
    if (!far)
        return BL_OK;
    BL_TRY(integrate_rates(sim));
    for (bl_index i = 0; i < turns->n; i++) {
        double *now = &angles_of(sim->state.history)[angle[i]], more = round((turns->value[i] + turns->over[i] - *now) / (2 * PI));
        *now += isfinite(more) ? 2 * PI * more : 0;
    }
    return BL_OK;
}

void bl_turns_expect(const bl_simulation *sim, double t, unsigned char *history) {
    const bl_turns *turns = &sim->turns;
    if (turns->degree == 0)
        return;
    double x = (t - sim->integ->t_old) / half_step(sim) - 1;
    for (bl_index i = 0; i < turns->n; i++) {
        const double *C = turns->sum + (size_t)i * (MOST + 2);
        double b1 = 0, b2 = 0;
        for (int k = turns->degree + 1; k > 0; k--) { /* Clenshaw */
            double b = C[k] + 2 * x * b1 - b2;
            b2 = b1;
            b1 = b;
        }
        double value = turns->value[i] + C[0] + x * b1 - b2;
        if (isfinite(value))
            angles_of(history)[sim->sys->angle[i]] = value;
    }
}
