/* Close: from a rough configuration q0 to one on phi = 0, with the least change.
 *
 * Newton closes [G; held] x = [-phi; targets] with least-norm increments in scaled coordinates. Then the change d = q - q0 itself is
 * made least, and guesses are followed: y = least-norm solution of [G; held; w guesses] y = [G d - phi; ...], x = y - d; its fixed
 * point has d perpendicular to all motions that are left. Rows that depend on others only near the solution would spoil both,
 * so singular values below the present gap count as zero.
 *
 * So do equations. Mechanisms start as the model has it (start.h, place.c); what is here then takes rounding out, or comes back from a
 * place beside. */
#include "study/close.h"
#include "study/start.h"
#include "study/study.h"

#include "dense/dense.h"
#include "sparse/sparse.h"
#include "system/limits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_ROUNDS = 200, MOST_SETTLING = 60, MOST_STUCK = 8, MOST_DENSE = 60 };
/* entries up to which what dimensions miss by is spread over all rows by a dense matrix; beyond, rows that depend on others take it */
static const double most_spread = 1e6;
static const double guess_weight = 1e-4, longest_move = 0.35, closed = 1e-12, good_enough = 1e-9;

typedef struct assembly {
    const bl_system *sys;
    const bl_model *model; /* NULL: no conditions at all */
    bl_state *state;
    bl_eval eval;
    bl_arena arena; /* conditions of one round */
    bl_condition *condition;
    bl_index ncondition;
    bl_index upto, only;                 /* entries of `initial:` that count: those below upto, and of these only one when only >= 0 */
    const uint8_t *follows;              /* [np] rows left out; NULL: none */
    bl_index drivers, only_driver;       /* drivers that count, likewise */
    double *rhs;                         /* right-hand side and solution */
    double *matrix, *work;               /* dense rows and columns, workspace of the solver; made when they are needed */
    double *normal;                      /* [rows][rows] A A^T, then two columns of scratch */
    bool slight;                         /* a row has a slight gradient (limits.h): rows must not be made unit vectors */
    bl_index *at, most_rows, most_dense; /* [rows] scratch; rows there is room for in rhs, in the dense matrices */
    bl_pattern pattern;                  /* the same rows and columns */
    bl_index *ptr, *idx, most_entries;
    bl_index *group; /* [rows] the first row that comes from the same entry of `initial:`, or the row itself */
    double *value;
    double *square;                                       /* [np] of the gradients of rows */
    double *r, *r_end;                                    /* [np] residuals; those of a configuration that did not close */
    double *start, *kept, *best;                          /* [nq] start, positions kept, nearest to closing so far */
    double *change, *step;                                /* [nv] change since the start, last step of settling */
    double *way;                                          /* [nv] scratch: from one position to another */
    unsigned char *history, *kept_history, *best_history; /* what belongs to start, kept, best: counts of turns, kept rotations */
    bool anew;                                            /* positions are told by other numbers than at the start */
} assembly;

static void assembly_destroy(assembly *s) {
    bl_context *ctx = s->sys->ctx;
    bl_eval_destroy(s->sys, &s->eval);
    bl_arena_destroy(&s->arena);
    bl_free(ctx, s->matrix);
    bl_free(ctx, s->rhs);
    bl_free(ctx, s->group);
    bl_free(ctx, s->work);
    bl_free(ctx, s->normal);
    bl_free(ctx, s->at);
    bl_free(ctx, s->ptr);
    bl_free(ctx, s->value);
    bl_free(ctx, s->r);
    bl_free(ctx, s->history);
}

static bl_status assembly_create(assembly *s, const bl_system *sys, const bl_model *model, bl_state *state) {
    *s = (assembly){.sys = sys, .model = model, .state = state, .only = -1, .drivers = INT32_MAX, .only_driver = -1};
    s->arena.ctx = sys->ctx;
    s->upto = model ? model->ninitial : 0;
    BL_TRY(bl_eval_create(sys, BL_G | BL_SEEN, &s->eval));
    BL_TRY(BL_NEW(sys->ctx, s->r, 3 * (size_t)sys->np + 3 * (size_t)sys->nv + 3 * (size_t)sys->nq));
    s->r_end = s->r + sys->np;
    s->start = s->r_end + sys->np;
    s->kept = s->start + sys->nq;
    s->best = s->kept + sys->nq;
    s->change = s->best + sys->nq;
    s->step = s->change + sys->nv;
    s->way = s->step + sys->nv;
    s->square = s->way + sys->nv;
    BL_TRY(BL_NEW(sys->ctx, s->history, 3 * sys->history_bytes + 1));
    s->kept_history = s->history + sys->history_bytes;
    s->best_history = s->kept_history + sys->history_bytes;
    memcpy(s->start, state->q, (size_t)sys->nq * sizeof(double));
    memcpy(s->history, state->history, sys->history_bytes);
    return BL_OK;
}

static bl_status find_conditions(assembly *s, bool positions) {
    s->ncondition = 0;
    if (s->upto == 0)
        return BL_OK;
    bl_arena_destroy(&s->arena);
    return bl_coords_conditions(s->sys, &s->eval, positions, &s->arena, &s->condition, &s->ncondition);
}

static bool counts(const assembly *s, const bl_condition *c, bool guesses) {
    bl_index entry = (bl_index)(c->entry - s->model->initial);
    return entry < s->upto && (s->only < 0 || entry == s->only) && (!c->entry->guess || guesses);
}

static bool row_counts(const assembly *s, bl_index row) {
    const bl_row *r = &s->sys->row[row];
    if (s->follows && s->follows[row])
        return false;
    return r->what != BL_ROW_DRIVER || (r->owner < s->drivers && (s->only_driver < 0 || r->owner == s->only_driver));
}

static bool has_guesses(const assembly *s) {
    for (bl_index i = 0; i < s->ncondition; i++)
        if (s->condition[i].entry->guess && counts(s, &s->condition[i], true))
            return true;
    return false;
}

/* room for all rows and entries; conditions nearly keep their number */
static bl_status make_room(assembly *s) {
    bl_context *ctx = s->sys->ctx;
    bl_index m = s->sys->np + s->ncondition, n = s->sys->nv, entries = s->sys->pat_G.ptr[n];
    for (bl_index i = 0; i < s->ncondition; i++)
        entries += s->condition[i].n;
    if (!s->rhs || m > s->most_rows) {
        bl_free(ctx, s->rhs);
        bl_free(ctx, s->group);
        s->rhs = NULL;
        s->group = NULL;
        s->most_rows = m;
        BL_TRY(BL_NEW(ctx, s->group, m + 1));
        BL_TRY(BL_NEW(ctx, s->rhs, (m > n ? m : n) + 1));
    }
    if (s->value && entries <= s->most_entries)
        return BL_OK;
    bl_free(ctx, s->ptr);
    bl_free(ctx, s->value);
    s->ptr = NULL;
    s->value = NULL;
    s->most_entries = entries;
    BL_TRY(BL_NEW(ctx, s->ptr, (size_t)n + 2 + (size_t)entries));
    s->idx = s->ptr + n + 2;
    return BL_NEW(ctx, s->value, entries + 1);
}

/* the rows and columns as dense matrix */
static bl_status make_dense(assembly *s) {
    bl_context *ctx = s->sys->ctx;
    bl_index m = s->pattern.nrow, n = s->pattern.ncol;
    if (!s->matrix || m > s->most_dense) {
        bl_free(ctx, s->matrix);
        bl_free(ctx, s->work);
        bl_free(ctx, s->normal);
        bl_free(ctx, s->at);
        s->matrix = s->work = s->normal = NULL;
        s->at = NULL;
        s->most_dense = s->most_rows;
        BL_TRY(BL_NEW(ctx, s->matrix, (size_t)s->most_dense * (size_t)n + 1));
        BL_TRY(BL_NEW(ctx, s->normal, ((size_t)s->most_dense + 2) * (size_t)s->most_dense + 1));
        BL_TRY(BL_NEW(ctx, s->at, s->most_dense + 1));
        BL_TRY(BL_NEW(ctx, s->work, bl_least_norm_work(s->most_dense, n) + 1));
    }
    memset(s->matrix, 0, (size_t)m * (size_t)n * sizeof(double));
    for (bl_index j = 0; j < n; j++)
        for (bl_index p = s->ptr[j]; p < s->ptr[j + 1]; p++)
            s->matrix[(size_t)j * (size_t)m + (size_t)s->idx[p]] += s->value[p];
    return BL_OK;
}

static double condition_scale(const bl_system *sys, const bl_condition *c) {
    double sum = 0;
    if (c->scale > 0)
        return c->scale;
    for (bl_index k = 0; k < c->n; k++) {
        double part = c->coef[k] * sys->col[c->col[k]].scale;
        sum += part * part;
    }
    return sum > 0 ? sqrt(sum) : 1;
}

/* Least-norm solution by x = A^T (A A^T)^-1 b, much faster than by orthogonal factors, where the rows are clearly independent: no row,
 * made a unit vector, lies nearer than 1e-3 to the span of those before it. Else false, and nothing is changed. */
static bool solve_full_rank(assembly *s, bl_index m, bl_index n) {
    size_t rows = (size_t)m;
    double *normal = s->normal, *size = normal + rows * rows, *b = size + rows;
    bl_index *at = s->at;
    memset(normal, 0, rows * rows * sizeof *normal);
    for (bl_index j = 0; j < n; j++) {
        const double *column = s->matrix + (size_t)j * rows;
        bl_index k = 0;
        for (bl_index i = 0; i < m; i++)
            if (column[i] != 0)
                at[k++] = i;
        for (bl_index p = 0; p < k; p++)
            for (bl_index q = p; q < k; q++)
                normal[(size_t)at[p] * rows + (size_t)at[q]] += column[at[p]] * column[at[q]];
    }
    for (bl_index i = 0; i < m; i++) { /* rows that nothing can move keep out of the way */
        double square = normal[(size_t)i * (rows + 1)];
        size[i] = square > 0 ? 1 / sqrt(square) : 0;
    }
    for (bl_index j = 0; j < m; j++)
        for (bl_index i = j; i < m; i++)
            normal[(size_t)j * rows + (size_t)i] *= size[i] * size[j];
    for (bl_index i = 0; i < m; i++) {
        normal[(size_t)i * (rows + 1)] = 1;
        b[i] = s->rhs[i] * size[i];
    }
    if (bl_cholesky(m, normal, NULL) != BL_OK)
        return false;
    for (bl_index i = 0; i < m; i++)
        if (!(normal[(size_t)i * (rows + 1)] > BL_CLOSING_CLEAR))
            return false;
    bl_cholesky_solve(m, normal, b);
    for (bl_index i = 0; i < m; i++)
        b[i] *= size[i];
    for (bl_index j = 0; j < n; j++) {
        const double *column = s->matrix + (size_t)j * rows;
        s->rhs[j] = 0;
        for (bl_index i = 0; i < m; i++)
            s->rhs[j] += column[i] * b[i];
    }
    return true;
}

static void find_slight(assembly *s) {
    const bl_system *sys = s->sys;
    double least = BL_ROW_SLIGHT * sys->row_size;
    memset(s->square, 0, (size_t)sys->np * sizeof *s->square);
    for (bl_index j = 0; j < sys->nv; j++)
        for (bl_index p = s->ptr[j]; p < s->ptr[j + 1]; p++)
            if (s->idx[p] < sys->np)
                s->square[s->idx[p]] += s->value[p] * s->value[p];
    s->slight = false;
    for (bl_index i = 0; i < sys->np; i++)
        s->slight = s->slight || (s->square[i] > 0 && s->square[i] < least * least);
}

/* rows of G and of conditions, scaled, column by column; right-hand sides as below. A condition may name a column twice. */
static void make_rows(assembly *s, const double *r, bool guesses, const double *offset) {
    const bl_system *sys = s->sys;
    bl_index n = sys->nv, m = sys->np, *next = s->ptr + 1; /* next[j]: first free entry of column j, in the end its end */
    memset(s->ptr, 0, ((size_t)n + 2) * sizeof *s->ptr);
    for (bl_index j = 0; j < n; j++)
        next[j + 1] = sys->pat_G.ptr[j + 1] - sys->pat_G.ptr[j];
    for (bl_index i = 0; i < s->ncondition; i++)
        for (bl_index k = 0; counts(s, &s->condition[i], guesses) && k < s->condition[i].n; k++)
            next[s->condition[i].col[k] + 1]++;
    for (bl_index j = 0; j < n; j++)
        next[j + 1] += next[j];
    for (bl_index i = 0; i < sys->np; i++) {
        s->rhs[i] = r[i] / sys->row[i].scale;
        s->group[i] = i;
    }
    for (bl_index j = 0; j < n; j++)
        for (bl_index p = sys->pat_G.ptr[j]; p < sys->pat_G.ptr[j + 1]; p++) {
            bl_index row = sys->pat_G.idx[p];
            double g = row_counts(s, row) ? s->eval.G[p] / sys->row[row].scale : 0;
            s->idx[next[j]] = row;
            s->value[next[j]++] = g * sys->col[j].scale;
            s->rhs[row] += offset ? g * offset[j] : 0;
        }
    const bl_initial *before = NULL;
    for (bl_index i = 0; i < s->ncondition; i++) {
        const bl_condition *c = &s->condition[i];
        if (!counts(s, c, guesses))
            continue;
        s->group[m] = c->entry == before ? s->group[m - 1] : m;
        before = c->entry;
        double w = (c->entry->guess ? guess_weight : 1) / condition_scale(sys, c);
        s->rhs[m] = w * c->target;
        for (bl_index k = 0; k < c->n; k++) {
            bl_index j = c->col[k];
            s->idx[next[j]] = m;
            s->value[next[j]++] = w * c->coef[k] * sys->col[j].scale;
            s->rhs[m] += offset ? w * c->coef[k] * offset[j] : 0;
        }
        m++;
    }
    find_slight(s);
    s->pattern = (bl_pattern){.nrow = m, .ncol = n, .ptr = s->ptr, .idx = s->idx};
}

/* s->rhs = least-norm solution x of [G; conditions] x = [r; targets] (+ the same applied to `offset`), rows and columns scaled */
static bl_status solve(assembly *s, const double *r, bool guesses, const double *offset, double tolerance) {
    const bl_system *sys = s->sys;
    bl_index n = sys->nv, rank = 0;
    bool solved = false;
    BL_TRY(make_room(s));
    memset(s->rhs, 0, (size_t)(s->most_rows > n ? s->most_rows : n) * sizeof(double));
    make_rows(s, r, guesses, offset);
    bool sparse = s->pattern.nrow > MOST_DENSE && !(sys->closure > 0) && !s->slight; /* else singular values decide */
    if (sparse)
        BL_TRY(bl_close_determined(sys->ctx, &s->pattern, s->value, s->group, s->rhs, &solved));
    if (sparse && !solved)
        BL_TRY(bl_close_sparse(sys->ctx, &s->pattern, s->value, s->rhs, &solved));
    bool large = (double)s->pattern.nrow * (double)n > most_spread;
    if (!solved && (sparse || large))
        BL_TRY(bl_close_independent(sys->ctx, &s->pattern, s->value, tolerance, sys->row_size, s->rhs, &solved));
    if (!solved) {
        BL_TRY(make_dense(s));
        tolerance = bl_rank_relative((size_t)s->pattern.nrow * (size_t)n, s->matrix, sys->row_size, tolerance);
        if (s->slight || bl_rank_tolerance(sys->closure) > BL_CLOSING_CLEAR || !solve_full_rank(s, s->pattern.nrow, n))
            BL_TRY(bl_least_norm(sys->ctx, s->pattern.nrow, n, s->matrix, tolerance, s->rhs, &rank, s->work));
    }
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
        double miss = counts(s, c, false) ? fabs(c->target) / condition_scale(sys, c) : 0;
        if (miss > largest) {
            largest = miss;
            *worst = sys->np + i;
        }
    }
    return largest;
}

static double relative_length(const bl_system *sys, const double *x) {
    double largest = 0;
    for (bl_index j = 0; j < sys->nv; j++)
        largest = fmax(largest, fabs(x[j]) / sys->col[j].scale);
    return largest;
}

/* ---- positions */

/* what may stay open; more, spread by least squares, where dimensions agree only to the closure */
static double open_most(const assembly *s) { return s->sys->closure > 0 ? bl_misfit_most(s->sys->closure) : good_enough; }

static bl_status refuse_not_finite(const assembly *s) {
    const bl_system *sys = s->sys;
    char part[96] = "", equation[128] = "";
    bl_index row = 0;
    while (row < sys->np && isfinite(s->r[row]))
        row++;
    if (row == sys->np)
        return bl_fail(sys->ctx, BL_E_NUMERIC, NULL, "assembly: a condition of the start is not finite");
    bl_system_row_name(sys, row, part, sizeof part, equation, sizeof equation);
    bl_fail(sys->ctx, BL_E_NUMERIC, NULL, "assembly: %s, %s: not finite at the start", part, equation);
    bl_advise(sys->ctx, "a driver, an expression or a length has no value there");
    bl_blame(sys->ctx, part, equation, *s->state->t);
    return BL_E_NUMERIC;
}

/* phi, G and conditions at the state; the system keeps count of turns */
static bl_status look(assembly *s, double *gap, bl_index *worst) {
    const bl_system *sys = s->sys;
    bl_eval_at(&s->eval, s->state);
    bl_status status = sys->kind->accept ? sys->kind->accept(sys, &s->eval, s->state) : BL_OK;
    if (status != BL_OK && status != BL_RESTART)
        return status;
    if (status == BL_RESTART) { /* the same place by other numbers */
        s->anew = true;
        bl_eval_at(&s->eval, s->state);
    }
    BL_TRY(bl_system_eval(sys, &s->eval, BL_PHI | BL_G));
    BL_TRY(find_conditions(s, true));
    for (bl_index i = 0; i < sys->np; i++)
        s->r[i] = row_counts(s, i) ? -s->eval.phi[i] : 0;
    *gap = violation(s, s->r, worst);
    return isfinite(*gap) ? BL_OK : refuse_not_finite(s);
}

static void go_back(assembly *s, const double *q, const unsigned char *history) {
    memcpy(s->state->q, q, (size_t)s->sys->nq * sizeof(double));
    memcpy(s->state->history, history, s->sys->history_bytes);
}

/* by x, cut to a length after which the linear equations still mean something; *part: which part of it */
static bl_status move(assembly *s, double *x, double longest, double *part) {
    const bl_system *sys = s->sys;
    double far = relative_length(sys, x);
    *part = far > longest ? longest / far : 1;
    for (bl_index j = 0; j < sys->nv; j++)
        x[j] *= *part;
    return bl_system_retract(sys, s->state->q, x, s->state->q);
}

/* Exact values and drivers far away are approached in equal parts, while the rest is closed wholly: scales down r and targets. */
static double set_pace(assembly *s) {
    const bl_system *sys = s->sys;
    double far = longest_move;
    for (bl_index i = 0; i < s->ncondition; i++)
        if (counts(s, &s->condition[i], false))
            far = fmax(far, fabs(s->condition[i].target) / condition_scale(sys, &s->condition[i]));
    for (bl_index i = 0; i < sys->np; i++)
        if (sys->row[i].what == BL_ROW_DRIVER)
            far = fmax(far, fabs(s->r[i]) / sys->row[i].scale);
    double pace = longest_move / far;
    for (bl_index i = 0; pace < 1 && i < s->ncondition; i++)
        s->condition[i].target *= pace;
    for (bl_index i = 0; pace < 1 && i < sys->np; i++)
        s->r[i] *= sys->row[i].what == BL_ROW_DRIVER ? pace : 1;
    return pace;
}

static bl_status newton(assembly *s, double *gap, bl_index *worst) {
    double before = INFINITY, least = INFINITY, part = 1, sharper = 1;
    int stuck = 0;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        BL_TRY(look(s, gap, worst));
        if (*gap < closed)
            return BL_OK;
        if (*gap < least) {
            least = *gap;
            memcpy(s->best, s->state->q, (size_t)s->sys->nq * sizeof(double));
            memcpy(s->best_history, s->state->history, s->sys->history_bytes);
        }
        bool progress = *gap < before * (1 - 0.1 * part);
        stuck = progress ? 0 : stuck + 1;
        if (stuck > 2 && least < open_most(s)) /* rounding, or what dimensions miss by */
            break;
        if (stuck > MOST_STUCK)
            break;
        if (!progress && round)
            sharper *= 0.03; /* small singular values may be what is missing */
        before = *gap;
        double pace = set_pace(s);
        BL_TRY(solve(s, s->r, false, NULL, fmax(bl_rank_tolerance(s->sys->closure), sharper * fmin(1e-3, *gap))));
        BL_TRY(move(s, s->rhs, longest_move, &part));
        part *= pace;
    }
    return BL_NO_CONVERGENCE;
}

/* BL_NO_CONVERGENCE, with nothing recorded: it does not close; the state is the nearest to closing, *gap and *worst say how far. */
static bl_status close_gap(assembly *s, double *gap, bl_index *worst) {
    bl_status status = newton(s, gap, worst);
    if (status != BL_NO_CONVERGENCE)
        return status;
    go_back(s, s->best, s->best_history);
    BL_TRY(look(s, gap, worst));
    return *gap < open_most(s) ? BL_OK : BL_NO_CONVERGENCE;
}

/* x[nv] = the way from the start */
static bl_status since_start(const assembly *s, double *x) {
    if (!s->anew)
        return bl_system_local(s->sys, s->start, s->state->q, x);
    memset(x, 0, (size_t)s->sys->nv * sizeof *x);
    return BL_OK;
}

/* what is made least: how far guesses are missed, then how far it is from the start */
static double misfit(const assembly *s) {
    double away = 0, missed = 0;
    if (since_start(s, s->way) != BL_OK)
        return INFINITY;
    for (bl_index j = 0; j < s->sys->nv; j++) {
        double part = s->way[j] / s->sys->col[j].scale;
        away += part * part;
    }
    if (!has_guesses(s))
        return away;
    for (bl_index i = 0; i < s->ncondition; i++) {
        const bl_condition *c = &s->condition[i];
        double miss = c->entry->guess && counts(s, c, true) ? c->target / condition_scale(s->sys, c) : 0;
        missed += miss * miss;
    }
    return missed + guess_weight * guess_weight * away;
}

/* How much of the next step to take, from what the last one did to it (Barzilai and Borwein 1988): s.s / s.(x_old - x_new) for the
 * move s; the curvature of the constraints makes a whole step too long or too short. */
static double relaxation(const assembly *s) {
    double ss = 0, sy = 0;
    if (bl_system_local(s->sys, s->kept, s->state->q, s->way) != BL_OK)
        return 1;
    for (bl_index j = 0; j < s->sys->nv; j++) {
        double scale = s->sys->col[j].scale * s->sys->col[j].scale, moved = s->way[j];
        ss += moved * moved / scale;
        sy += moved * (s->step[j] - s->rhs[j]) / scale;
    }
    return sy > 0 ? fmin(fmax(ss / sy, 0.05), 5) : 1;
}

/* From a closed configuration to the closed one that follows the guesses and lies nearest to the start: Gauss-Newton moves along the
 * constraints, closed again, shorter ones where they do not pay. */
static bl_status settle(assembly *s, double *gap, bl_index *worst) {
    const bl_system *sys = s->sys;
    BL_TRY(look(s, gap, worst));
    bool guesses = has_guesses(s), moved = false;
    double least = misfit(s), longest = longest_move, part;
    if (!guesses && least < 1e-12) /* the first Newton step is least already, to second order */
        return BL_OK;
    for (int round = 0; round < MOST_SETTLING && longest > 1e-9; round++) {
        BL_TRY(since_start(s, s->change));
        BL_TRY(solve(s, s->r, guesses, s->change, fmax(BL_SETTLING_RANK, bl_rank_tolerance(sys->closure))));
        for (bl_index j = 0; j < sys->nv; j++)
            s->rhs[j] -= s->change[j];
        double length = relative_length(sys, s->rhs), take = moved ? relaxation(s) : 1;
        if (length < 1e-10)
            break;
        memcpy(s->step, s->rhs, (size_t)sys->nv * sizeof(double));
        memcpy(s->kept, s->state->q, (size_t)sys->nq * sizeof(double));
        memcpy(s->kept_history, s->state->history, sys->history_bytes);
        for (bl_index j = 0; j < sys->nv; j++)
            s->rhs[j] *= take;
        BL_TRY(move(s, s->rhs, longest, &part));
        bl_status status = close_gap(s, gap, worst);
        double now = status == BL_OK ? misfit(s) : INFINITY;
        if (status != BL_OK && status != BL_NO_CONVERGENCE)
            return status;
        moved = now <= least + 100 * closed * sqrt(least); /* closing leaves that much open */
        if (moved) {
            least = now;
            longest = fmin(2 * longest, longest_move);
        } else {
            longest = 0.3 * fmin(longest, take * length);
            go_back(s, s->kept, s->kept_history);
            BL_TRY(look(s, gap, worst));
        }
    }
    return BL_OK;
}

/* ---- what is to blame */

static bl_status blame_row(const assembly *s, bl_index worst, double gap, const char *what) {
    const bl_system *sys = s->sys;
    const bl_model *model = s->model;
    const bl_row *row = &sys->row[worst];
    bl_context *ctx = sys->ctx;
    char part[96] = "", equation[128] = "";
    bl_system_row_name(sys, worst, part, sizeof part, equation, sizeof equation);
    bl_index joint = row->what == BL_ROW_RIGID || row->what == BL_ROW_PARAM ? row->partner : row->owner;
    if (joint >= 0) {
        bl_fail(ctx, BL_E_NUMERIC, &model->joint[joint].place, "%s: joint '%s' does not close (gap %.3g; %s, %s)", what,
                model->joint[joint].name, gap, part, equation);
        bl_advise(ctx, "check the lengths around this joint; redundant joints fit only exact dimensions (all digits, or expressions); "
                       "or start nearer to the wanted configuration");
    } else {
        bl_fail(ctx, BL_E_NUMERIC, NULL, "%s: %s cannot be met (gap %.3g; %s)", what, part, gap, equation);
        bl_advise(ctx,
                  model && model->equations ? "check the starts of the states it holds together" : "check the points given for this body");
    }
    bl_blame(ctx, joint >= 0 ? model->joint[joint].name : part, equation, *s->state->t);
    return BL_E_NUMERIC;
}

/* Least squares spread what is left over all rows of a loop; of the rows that stay open the one is meant that was open widest at
 * the start: where the model is drawn apart. */
static bl_status find_culprit(assembly *s, double gap, bl_index *worst) {
    const bl_system *sys = s->sys;
    double widest = 0, start_gap = 0;
    bl_index row = -1, any = 0;
    memcpy(s->r_end, s->r, (size_t)sys->np * sizeof *s->r);
    go_back(s, s->start, s->history);
    BL_TRY(look(s, &start_gap, &any));
    for (bl_index i = 0; i < sys->np; i++)
        if (fabs(s->r_end[i]) > 0.01 * gap * sys->row[i].scale && fabs(s->r[i]) > widest * sys->row[i].scale) {
            widest = fabs(s->r[i]) / sys->row[i].scale;
            row = i;
        }
    *worst = row >= 0 ? row : *worst;
    return BL_OK;
}

/* a positive status has no meaning to whom asked for an assembly */
static bl_status final(const bl_system *sys, bl_status status) {
    if (status <= 0)
        return status;
    bl_error kept = *bl_context_error(sys->ctx);
    bl_fail(sys->ctx, BL_E_NUMERIC, NULL, "%s", kept.status == status ? kept.what : bl_status_text(status));
    return BL_E_NUMERIC;
}

static bool is_mechanism(const bl_model *model) { return model && !model->equations && !model->matrices; }

bl_status bl_assemble_positions(const bl_system *sys, const bl_model *model, bl_state *state) {
    assembly s;
    if (is_mechanism(model))
        return final(sys, bl_place_mechanism(sys, model, state));
    double gap = 0;
    bl_index worst = 0;
    bl_status status = assembly_create(&s, sys, model, state);
    if (status == BL_OK) {
        status = close_gap(&s, &gap, &worst);
        if (status == BL_OK)
            status = settle(&s, &gap, &worst);
        if (status == BL_NO_CONVERGENCE) {
            status = find_culprit(&s, gap, &worst);
            status = status == BL_OK ? blame_row(&s, worst, gap, "assembly") : status;
        }
    }
    assembly_destroy(&s);
    return final(sys, status);
}

/* Without the rows that follow from others, which closes those too, or nothing has changed. Rows that are independent are solved for by
 * their normal equations. */
static bl_status close_without(assembly *s, const uint8_t *follows, bool *all) {
    double gap = 0;
    bl_index worst = 0;
    s->follows = follows;
    bl_status status = close_gap(s, &gap, &worst);
    s->follows = NULL;
    if (status == BL_OK)
        status = look(s, &gap, &worst);
    *all = status == BL_OK && gap < closed;
    if (!*all)
        go_back(s, s->start, s->history);
    if (status == BL_NO_CONVERGENCE)
        return BL_OK;
    return status;
}

static bl_status close_nearby(const bl_system *sys, bl_state *state, bl_index drivers, const uint8_t *follows) {
    assembly s;
    double gap = 0;
    bl_index worst = 0;
    bool done = false;
    bl_status status = assembly_create(&s, sys, NULL, state);
    s.drivers = drivers;
    if (status == BL_OK && follows && !(sys->closure > 0))
        status = close_without(&s, follows, &done);
    if (status == BL_OK && !done)
        status = close_gap(&s, &gap, &worst);
    assembly_destroy(&s);
    return status;
}

bl_status bl_assemble_nearby(const bl_system *sys, bl_state *state) { return close_nearby(sys, state, INT32_MAX, NULL); }

bl_status bl_assemble_beside(const bl_system *sys, const uint8_t *follows, bl_state *state) {
    return close_nearby(sys, state, INT32_MAX, follows);
}

bl_status bl_assemble_undriven(const bl_system *sys, bl_state *state) { return close_nearby(sys, state, 0, NULL); }

/* ---- velocities */

/* r = b - G v, targets less what v gives already */
static void remaining(assembly *s, const double *added) {
    const bl_system *sys = s->sys;
    memcpy(s->r, s->eval.b, (size_t)sys->np * sizeof *s->r);
    for (bl_index j = 0; j < sys->nv; j++)
        for (bl_index p = sys->pat_G.ptr[j]; p < sys->pat_G.ptr[j + 1]; p++)
            s->r[sys->pat_G.idx[p]] -= s->eval.G[p] * s->state->v[j];
    for (bl_index i = 0; i < sys->np; i++)
        s->r[i] = row_counts(s, i) ? s->r[i] : 0;
    for (bl_index i = 0; i < s->ncondition; i++)
        for (bl_index k = 0; k < s->condition[i].n; k++)
            s->condition[i].target -= s->condition[i].coef[k] * added[s->condition[i].col[k]];
}

/* Least velocities on G v = b with the held values; guesses enter a first solution, which the next ones correct. Equations come with
 * velocities, which change least. */
static bl_status close_velocities(assembly *s, double *gap, bl_index *worst) {
    const bl_system *sys = s->sys;
    if (!s->model || !s->model->equations)
        memset(s->state->v, 0, (size_t)sys->nv * sizeof(double));
    bl_eval_at(&s->eval, s->state);
    BL_TRY(bl_system_eval(sys, &s->eval, BL_G | BL_B));
    BL_TRY(find_conditions(s, false));
    memset(s->change, 0, (size_t)sys->nv * sizeof(double));
    remaining(s, s->change);
    bool guesses = has_guesses(s);
    *gap = violation(s, s->r, worst);
    double size = 0;
    for (int round = guesses ? 0 : 1; round < 4; round++) {
        if (round && (*gap == 0 || (round > 2 && *gap <= 1e-13 * (1 + size)))) /* the second solution polishes rounding */
            return BL_OK;
        BL_TRY(solve(s, s->r, round == 0, NULL, fmax(round == 0 ? BL_SETTLING_RANK : BL_CLOSING_RANK, bl_rank_tolerance(sys->closure))));
        for (bl_index j = 0; j < sys->nv; j++)
            s->state->v[j] += s->rhs[j];
        memcpy(s->change, s->rhs, (size_t)sys->nv * sizeof(double));
        remaining(s, s->change);
        *gap = violation(s, s->r, worst);
        size = relative_length(sys, s->state->v);
    }
    return *gap <= open_most(s) * (1 + size) ? BL_OK : BL_NO_CONVERGENCE;
}

bl_status bl_close_polish(const bl_system *sys, const bl_model *model, bl_state *state) {
    assembly s;
    bl_index worst = 0;
    bool few = sys->np <= MOST_DENSE;
    bl_status status = assembly_create(&s, sys, few ? model : NULL, state);
    for (int round = 0; round < 2 && status == BL_OK && sys->np > 0; round++) {
        bl_eval_at(&s.eval, state);
        status = bl_system_eval(sys, &s.eval, BL_G | BL_B);
        if (status == BL_OK)
            status = find_conditions(&s, false);
        if (status != BL_OK)
            break;
        remaining(&s, state->v);
        if (violation(&s, s.r, &worst) <= (few ? 0 : 1e-15) * (1 + relative_length(sys, state->v)))
            break;
        status = solve(&s, s.r, false, NULL, fmax(BL_CLOSING_RANK, bl_rank_tolerance(sys->closure)));
        /* rows that no column can move are rounding alone; made unit vectors they ask for anything */
        if (status != BL_OK || relative_length(sys, s.rhs) > good_enough * (1 + relative_length(sys, state->v)))
            break;
        for (bl_index j = 0; j < sys->nv; j++)
            state->v[j] += s.rhs[j];
    }
    assembly_destroy(&s);
    return status;
}

bl_status bl_assemble_velocities(const bl_system *sys, const bl_model *model, bl_state *state) {
    assembly s;
    double gap = 0;
    bl_index worst = 0;
    if (is_mechanism(model))
        return final(sys, bl_move_mechanism(sys, model, state));
    bl_status status = assembly_create(&s, sys, model, state);
    if (status == BL_OK)
        status = close_velocities(&s, &gap, &worst);
    if (status == BL_NO_CONVERGENCE)
        status = blame_row(&s, worst, gap, "initial velocities");
    assembly_destroy(&s);
    return final(sys, status);
}
