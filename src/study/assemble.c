/* Assemble: from a rough configuration to one that satisfies the constraints, with the least change.
 *
 * Newton on [G; held] x = [-phi; targets] with the minimum-norm increment in scaled coordinates. Guesses of `initial:` are
 * followed as well as the constraints allow: they enter the same least squares with a small weight, and a
 * last round without them restores the constraints. */
#include "study/study.h"

#include "sparse/sparse.h"

#include <math.h>
#include <string.h>

enum { MOST_ROUNDS = 60, GUESS_ROUNDS = 20 };
static const double guess_weight = 1e-4, longest_move = 0.35, closed = 1e-12;

typedef struct assembly {
    const bl_system *sys;
    bl_state *state;
    bl_eval eval;
    bl_arena arena;          /* conditions of one round */
    bl_condition *condition;
    bl_index ncondition;
    double *matrix, *rhs, *work;
    bl_index most_rows;
    double *step;            /* velocities: the last correction */
} assembly;

static void assembly_destroy(assembly *s) {
    bl_context *ctx = s->sys->ctx;
    bl_eval_destroy(s->sys, &s->eval);
    bl_arena_destroy(&s->arena);
    bl_free(ctx, s->matrix);
    bl_free(ctx, s->rhs);
    bl_free(ctx, s->work);
}

static bl_status find_conditions(assembly *s, bool positions) {
    bl_arena_destroy(&s->arena);
    return bl_coords_conditions(s->sys, &s->eval, positions, &s->arena, &s->condition, &s->ncondition);
}

/* room for all rows; made once, conditions keep their number */
static bl_status make_room(assembly *s) {
    bl_context *ctx = s->sys->ctx;
    bl_index m = s->sys->np + s->ncondition, n = s->sys->nv, big = m > n ? m : n;
    if (s->matrix && m <= s->most_rows)
        return BL_OK;
    bl_free(ctx, s->matrix);
    bl_free(ctx, s->rhs);
    bl_free(ctx, s->work);
    s->matrix = s->rhs = s->work = NULL;
    s->most_rows = m;
    BL_TRY(BL_NEW(ctx, s->matrix, (size_t)m * (size_t)n + 1));
    BL_TRY(BL_NEW(ctx, s->rhs, big + 1));
    return BL_NEW(ctx, s->work, bl_least_norm_work(m, n) + 1);
}

static double condition_scale(const bl_system *sys, const bl_condition *c) {
    double sum = 0;
    for (bl_index k = 0; k < c->n; k++)
        sum += c->coef[k] * c->coef[k] * sys->col[c->col[k]].scale * sys->col[c->col[k]].scale;
    return sum > 0 ? sqrt(sum) : 1;
}

/* Least-norm solution x (in s->rhs) of [G; conditions] x = [r; targets], rows and columns scaled. */
static bl_status solve(assembly *s, const double *r, bool guesses) {
    const bl_system *sys = s->sys;
    bl_index n = sys->nv, m = sys->np, rank = 0;
    BL_TRY(make_room(s));
    for (bl_index i = 0; i < s->ncondition; i++)
        m += !s->condition[i].entry->guess || guesses;
    memset(s->matrix, 0, (size_t)m * (size_t)n * sizeof(double));
    memset(s->rhs, 0, (size_t)(m > n ? m : n) * sizeof(double));
    for (bl_index j = 0; j < n; j++)
        for (bl_index p = sys->pat_G.ptr[j]; p < sys->pat_G.ptr[j + 1]; p++)
            s->matrix[j * m + sys->pat_G.idx[p]] = s->eval.G[p] * sys->col[j].scale / sys->row[sys->pat_G.idx[p]].scale;
    for (bl_index i = 0; i < sys->np; i++)
        s->rhs[i] = r[i] / sys->row[i].scale;
    bl_index row = sys->np;
    for (bl_index i = 0; i < s->ncondition; i++) {
        const bl_condition *c = &s->condition[i];
        if (c->entry->guess && !guesses)
            continue;
        double w = (c->entry->guess ? guess_weight : 1) / condition_scale(sys, c);
        for (bl_index k = 0; k < c->n; k++)
            s->matrix[c->col[k] * m + row] += w * c->coef[k] * sys->col[c->col[k]].scale;
        s->rhs[row++] = w * c->target;
    }
    BL_TRY(bl_least_norm(sys->ctx, m, n, s->matrix, guesses ? 1e-12 : 1e-9, s->rhs, &rank, s->work));
    for (bl_index j = 0; j < n; j++)
        s->rhs[j] *= sys->col[j].scale;
    return bl_check_finite(sys->ctx, "assembly", *s->state->t, n, s->rhs);
}

/* largest violation of rows and held conditions; *worst: row, or np + condition */
static double violation(const assembly *s, const double *r, bl_index *worst) {
    const bl_system *sys = s->sys;
    double largest = bl_system_drift(sys, r, worst);
    for (bl_index i = 0; i < s->ncondition; i++) {
        const bl_condition *c = &s->condition[i];
        double miss = fabs(c->target) / condition_scale(sys, c);
        if (!c->entry->guess && miss > largest) {
            largest = miss;
            *worst = sys->np + i;
        }
    }
    return largest;
}

static bl_status blame(const assembly *s, const bl_model *model, bl_index worst, double gap, const char *what) {
    const bl_system *sys = s->sys;
    char part[96] = "", equation[128] = "";
    if (worst >= sys->np) {
        const bl_initial *entry = s->condition[worst - sys->np].entry;
        bl_fail(sys->ctx, BL_E_NUMERIC, &entry->place, "%s: this initial value cannot be met (misses by %.3g)", what, gap);
        bl_advise(sys->ctx, "it contradicts the joints or another exact value; mark one of them guess: true");
        return BL_E_NUMERIC;
    }
    bl_system_row_name(sys, worst, part, sizeof part, equation, sizeof equation);
    const bl_row *row = &sys->row[worst];
    const bl_place *place = NULL;
    bl_index joint = row->what == BL_ROW_RIGID || row->what == BL_ROW_PARAM ? row->partner : row->what == BL_ROW_DRIVER ? -1 : row->owner;
    if (joint >= 0)
        place = &model->joint[joint].place;
    if (joint >= 0)
        bl_fail(sys->ctx, BL_E_NUMERIC, place, "%s: joint '%s' does not close (gap %.3g; %s, %s)", what, model->joint[joint].name, gap, part, equation);
    else
        bl_fail(sys->ctx, BL_E_NUMERIC, place, "%s: %s cannot be met (gap %.3g; %s)", what, part, gap, equation);
    bl_advise(sys->ctx, "check the lengths around this joint, or give a starting configuration nearer to the wanted one");
    bl_blame(sys->ctx, joint >= 0 ? model->joint[joint].name : part, equation, *s->state->t);
    return BL_E_NUMERIC;
}

static bl_status move(assembly *s, const double *x) {
    const bl_system *sys = s->sys;
    if (sys->kind->retract)
        BL_TRY(sys->kind->retract(sys, s->state->q, x, s->state->q));
    else
        for (bl_index j = 0; j < sys->nv; j++)
            s->state->q[j] += x[j];
    s->eval.have = 0;
    return BL_OK;
}

static double relative_length(const bl_system *sys, const double *x) {
    double largest = 0;
    for (bl_index j = 0; j < sys->nv; j++)
        largest = fmax(largest, fabs(x[j]) / sys->col[j].scale);
    return largest;
}

static bl_status close_positions(assembly *s, const bl_model *model) {
    const bl_system *sys = s->sys;
    bl_index worst = 0;
    double before = INFINITY, gap = 0;
    int stuck = 0;
    bool guesses = false;
    for (bl_index i = 0; i < model->ninitial; i++)
        guesses = guesses || model->initial[i].guess;
    double *minus = NULL;
    BL_TRY(BL_NEW(sys->ctx, minus, sys->np + 1));
    bl_status status = BL_OK;
    for (int round = 0; status == BL_OK && round < MOST_ROUNDS; round++) {
        bool guessing = guesses && round < GUESS_ROUNDS;
        bl_eval_at(&s->eval, s->state);
        status = bl_system_eval(sys, &s->eval, BL_PHI | BL_G);
        if (status == BL_OK)
            status = find_conditions(s, true);
        if (status != BL_OK)
            break;
        gap = violation(s, s->eval.phi, &worst);
        if (!guessing && gap < closed)
            break;
        stuck = gap > 0.9 * before ? stuck + 1 : 0;
        if (!guessing && (stuck > 6 || (stuck > 2 && gap < 1e-9))) /* rounding, or it cannot be closed */
            break;
        before = gap;
        for (bl_index i = 0; i < sys->np; i++)
            minus[i] = -s->eval.phi[i];
        status = solve(s, minus, guessing);
        double far = status == BL_OK ? relative_length(sys, s->rhs) : 0;
        for (bl_index j = 0; far > longest_move && j < sys->nv; j++)
            s->rhs[j] *= longest_move / far; /* Newton from afar goes in short moves, or it ends on another branch */
        if (status == BL_OK)
            status = move(s, s->rhs);
    }
    bl_free(sys->ctx, minus);
    BL_TRY(status);
    return gap < 1e-9 ? BL_OK : blame(s, model, worst, gap, "assembly");
}

static bl_status start(assembly *s, const bl_system *sys, bl_state *state) {
    s->sys = sys;
    s->state = state;
    s->arena.ctx = sys->ctx;
    return bl_eval_create(sys, &s->eval);
}

bl_status bl_assemble_positions(const bl_system *sys, const bl_model *model, bl_state *state) {
    assembly s = {0};
    bl_status status = start(&s, sys, state);
    if (status == BL_OK)
        status = close_positions(&s, model);
    if (status == BL_OK && sys->kind->accept) {
        bl_eval_at(&s.eval, state);
        status = sys->kind->accept(sys, &s.eval, state);
    }
    assembly_destroy(&s);
    return status;
}

static bl_status close_velocities(assembly *s, const bl_model *model) {
    const bl_system *sys = s->sys;
    bl_eval_at(&s->eval, s->state);
    BL_TRY(bl_system_eval(sys, &s->eval, BL_G | BL_B));
    BL_TRY(find_conditions(s, false));
    bool still = s->ncondition == 0, guesses = false;
    for (bl_index i = 0; i < sys->np; i++)
        still = still && s->eval.b[i] == 0;
    memset(s->state->v, 0, (size_t)sys->nv * sizeof(double));
    if (still)
        return BL_OK;
    for (bl_index i = 0; i < s->ncondition; i++)
        guesses = guesses || s->condition[i].entry->guess;
    double *r = NULL;
    BL_TRY(BL_NEW(sys->ctx, r, sys->np + 1));
    bl_status status = BL_OK;
    /* with guesses first, then without: the second round corrects what the weights left; one more polishes rounding */
    for (int round = guesses ? 0 : 1; status == BL_OK && round < 3; round++) {
        memcpy(r, s->eval.b, (size_t)sys->np * sizeof *r);
        for (bl_index j = 0; j < sys->nv; j++)
            for (bl_index p = sys->pat_G.ptr[j]; p < sys->pat_G.ptr[j + 1]; p++)
                r[sys->pat_G.idx[p]] -= s->eval.G[p] * s->state->v[j];
        for (bl_index i = 0; i < s->ncondition; i++) {
            bl_condition *c = &s->condition[i];
            for (bl_index k = 0; round && k < c->n; k++)
                c->target -= c->coef[k] * s->step[c->col[k]];
        }
        status = solve(s, r, round == 0);
        for (bl_index j = 0; status == BL_OK && j < sys->nv; j++) {
            s->state->v[j] += s->rhs[j];
            s->step[j] = s->rhs[j];
        }
    }
    if (status == BL_OK) { /* what remains after the last round */
        memcpy(r, s->eval.b, (size_t)sys->np * sizeof *r);
        for (bl_index j = 0; j < sys->nv; j++)
            for (bl_index p = sys->pat_G.ptr[j]; p < sys->pat_G.ptr[j + 1]; p++)
                r[sys->pat_G.idx[p]] -= s->eval.G[p] * s->state->v[j];
        for (bl_index i = 0; i < s->ncondition; i++)
            for (bl_index k = 0; k < s->condition[i].n; k++)
                s->condition[i].target -= s->condition[i].coef[k] * s->step[s->condition[i].col[k]];
        bl_index worst = 0;
        double gap = violation(s, r, &worst), size = 1 + relative_length(sys, s->state->v);
        if (gap > 1e-9 * size)
            status = blame(s, model, worst, gap, "initial velocities");
    }
    bl_free(sys->ctx, r);
    return status;
}

bl_status bl_assemble_velocities(const bl_system *sys, const bl_model *model, bl_state *state) {
    assembly s = {0};
    bl_status status = start(&s, sys, state);
    if (status == BL_OK)
        status = BL_NEW(sys->ctx, s.step, sys->nv + 1);
    if (status == BL_OK)
        status = close_velocities(&s, model);
    bl_free(sys->ctx, s.step);
    assembly_destroy(&s);
    return status;
}
