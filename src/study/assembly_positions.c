/* Assembly: from a rough configuration q0 to one on phi = 0, with the least change.
 *
 * Newton's method solves G x = -phi with least-norm increments in scaled coordinates. Then the change d = q - q0 itself is minimized:
 * y = least-norm solution of G y = G d - phi, x = y - d; at its fixed point d is perpendicular to the null space of G. Rows that become
 * dependent only near the solution would spoil both, so singular values below the present gap count as zero.
 *
 * Models given as equations are assembled here. Mechanisms start from their joints (start.h, start_state.c); for them this file only
 * removes rounding, or assembles again from a neighboring configuration. */
#include "study/assembly_private.h"
#include "study/start.h"
#include "study/study.h"

#include "dense/dense.h"
#include "sparse/sparse.h"
#include "study/study_limits.h"
#include "system/system_limits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_DENSE = 60 };

typedef struct assembly {
    const bl_system *sys;
    bl_state *state;
    bl_eval eval;
    const uint8_t *follows;                               /* [np] redundant rows, left out; NULL: none */
    bool undriven;                                        /* driver rows are left out */
    bool velocities;                                      /* of velocities, else of positions: rows at velocity level are left out */
    double *rhs;                                          /* [max(np, nv)] right-hand side and solution */
    double *value;                                        /* scaled entries of G, on its pattern */
    double *matrix, *work;                                /* dense G and workspace of the solver; allocated when first needed */
    double *normal;                                       /* [np][np] G G^T, then two columns of scratch */
    bl_index *at;                                         /* [np] scratch */
    bool slight;                                          /* a row has a small gradient (limits.h): rows must not be normalized */
    double *square;                                       /* [np] squared lengths of the rows */
    double *r, *r_end;                                    /* [np] residuals; those of a configuration that was not assembled */
    double *start, *kept, *best;                          /* [nq] start, positions kept, smallest gap so far */
    double *change, *step;                                /* [nv] change since the start, last step of settling */
    double *path;                                         /* [nv] scratch: displacement between two configurations */
    unsigned char *history, *kept_history, *best_history; /* of start, kept, best: revolution counts, reference rotations */
    bool reparametrized;                                  /* positions have been replaced by other numbers since the start */
    void *block, *dense_block;
} assembly;

static void assembly_destroy(assembly *s) {
    bl_eval_destroy(s->sys, &s->eval);
    bl_free(s->sys->ctx, s->block);
    bl_free(s->sys->ctx, s->dense_block);
}

static bl_status assembly_create(assembly *s, const bl_system *sys, bl_state *state) {
    *s = (assembly){.sys = sys, .state = state};
    BL_TRY(bl_eval_create(sys, BL_G | BL_SEEN, &s->eval));
    BL_TRY(BL_NEW_ARRAYS(sys->ctx, s->block, BL_ARRAY(s->r, sys->np), BL_ARRAY(s->r_end, sys->np), BL_ARRAY(s->square, sys->np),
                         BL_ARRAY(s->rhs, sys->np > sys->nv ? sys->np : sys->nv), BL_ARRAY(s->value, sys->pat_G.ptr[sys->nv]),
                         BL_ARRAY(s->start, sys->nq), BL_ARRAY(s->kept, sys->nq), BL_ARRAY(s->best, sys->nq), BL_ARRAY(s->change, sys->nv),
                         BL_ARRAY(s->step, sys->nv), BL_ARRAY(s->path, sys->nv), BL_ARRAY(s->history, sys->history_bytes),
                         BL_ARRAY(s->kept_history, sys->history_bytes), BL_ARRAY(s->best_history, sys->history_bytes)));
    memcpy(s->start, state->q, (size_t)sys->nq * sizeof(double));
    memcpy(s->history, state->history, sys->history_bytes);
    return BL_OK;
}

static bool row_counts(const assembly *s, bl_index row) {
    const bl_row *r = &s->sys->row[row];
    return !(s->follows && s->follows[row]) && !(s->undriven && r->what == BL_ROW_DRIVER) && (s->velocities || r->level == BL_AT_POSITION);
}

/* the scaled rows of G as dense matrix */
static bl_status make_dense(assembly *s) {
    const bl_pattern *G = &s->sys->pat_G;
    size_t m = (size_t)G->nrow, n = (size_t)G->ncol;
    if (!s->dense_block)
        BL_TRY(BL_NEW_ARRAYS(s->sys->ctx, s->dense_block, BL_ARRAY(s->matrix, m * n), BL_ARRAY(s->normal, (m + 2) * m), BL_ARRAY(s->at, m),
                             BL_ARRAY(s->work, bl_least_norm_work(G->nrow, G->ncol))));
    memset(s->matrix, 0, m * n * sizeof(double));
    for (size_t j = 0; j < n; j++)
        for (bl_index p = G->ptr[j]; p < G->ptr[j + 1]; p++)
            s->matrix[j * m + (size_t)G->idx[p]] = s->value[p];
    return BL_OK;
}

/* Least-norm solution by x = A^T (A A^T)^-1 b, much faster than by orthogonal factors, where the rows are clearly independent: the distance
 * of every normalized row from the span of those before it exceeds system_assembly_clear. Else false, and nothing is changed. */
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
    for (bl_index i = 0; i < m; i++) { /* zero rows are left out */
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
        if (!(normal[(size_t)i * (rows + 1)] > system_assembly_clear))
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

/* scaled rows of G; right-hand sides as in solve */
static void make_rows(assembly *s, const double *r, const double *offset) {
    const bl_system *sys = s->sys;
    const bl_pattern *G = &sys->pat_G;
    double least = system_row_slight * sys->row_size;
    memset(s->rhs, 0, (size_t)(sys->np > sys->nv ? sys->np : sys->nv) * sizeof *s->rhs);
    memset(s->square, 0, (size_t)sys->np * sizeof *s->square);
    for (bl_index i = 0; i < sys->np; i++)
        s->rhs[i] = r[i] / sys->row[i].scale;
    for (bl_index j = 0; j < sys->nv; j++)
        for (bl_index p = G->ptr[j]; p < G->ptr[j + 1]; p++) {
            bl_index row = G->idx[p];
            double g = row_counts(s, row) ? s->eval.G[p] / sys->row[row].scale : 0;
            s->value[p] = g * sys->col[j].scale;
            s->rhs[row] += offset ? g * offset[j] : 0;
            s->square[row] += s->value[p] * s->value[p];
        }
    s->slight = false;
    for (bl_index i = 0; i < sys->np; i++)
        s->slight = s->slight || (s->square[i] > 0 && s->square[i] < least * least);
}

/* s->rhs = least-norm solution x of G x = r (+ G applied to `offset`), rows and columns scaled */
static bl_status solve(assembly *s, const double *r, const double *offset, double tolerance) {
    const bl_system *sys = s->sys;
    const bl_pattern *G = &sys->pat_G;
    bl_index rank = 0;
    bool solved = false;
    make_rows(s, r, offset);
    bool sparse = sys->np > MOST_DENSE && !(sys->closure > 0) && !s->slight; /* else singular values determine the rank */
    if (sparse)
        BL_TRY(bl_assembly_sparse(sys->ctx, G, s->value, s->rhs, &solved));
    size_t entries = (size_t)sys->np * (size_t)sys->nv;
    if (!solved && (sparse || (double)entries > study_most_spread))
        BL_TRY(bl_assembly_independent(sys->ctx, G, s->value, tolerance, sys->row_size, s->rhs, &solved));
    if (!solved) {
        BL_TRY(make_dense(s));
        tolerance = bl_rank_relative(entries, s->matrix, sys->row_size, tolerance);
        if (s->slight || bl_rank_tolerance(sys->closure) > system_assembly_clear || !solve_full_rank(s, sys->np, sys->nv))
            BL_TRY(bl_least_norm(sys->ctx, sys->np, sys->nv, s->matrix, tolerance, s->rhs, &rank, s->work));
    }
    for (bl_index j = 0; j < sys->nv; j++)
        s->rhs[j] *= sys->col[j].scale;
    return bl_check_finite(sys->ctx, "assembly", *s->state->t, sys->nv, s->rhs);
}

static double relative_length(const bl_system *sys, const double *x) {
    double largest = 0;
    for (bl_index j = 0; j < sys->nv; j++)
        largest = fmax(largest, fabs(x[j]) / sys->col[j].scale);
    return largest;
}

/* ---- positions */

/* largest gap accepted; larger, and spread by least squares, where dimensions agree only to the closure tolerance */
static double largest_gap(const assembly *s) { return s->sys->closure > 0 ? bl_misfit_most(s->sys->closure) : study_closed_enough; }

static bl_status refuse_not_finite(const assembly *s) {
    const bl_system *sys = s->sys;
    char part[96] = "", equation[128] = "";
    bl_index row = 0;
    while (row + 1 < sys->np && isfinite(s->r[row]))
        row++;
    bl_system_row_name(sys, row, part, sizeof part, equation, sizeof equation);
    bl_fail(sys->ctx, BL_E_NUMERIC, NULL, "assembly: the equation of %s (%s) is not a finite number at the start", part, equation);
    bl_advise(sys->ctx, "check the drivers, expressions and lengths in it: one of them has no finite value there");
    bl_blame(sys->ctx, part, equation, *s->state->t);
    return BL_E_NUMERIC;
}

/* phi and G at the state; the system updates its revolution counts */
static bl_status evaluate(assembly *s, double *gap, bl_index *worst) {
    const bl_system *sys = s->sys;
    bl_eval_at(&s->eval, s->state);
    bl_status status = sys->kind->accept ? sys->kind->accept(sys, &s->eval, s->state) : BL_OK;
    if (status != BL_OK && status != BL_RESTART)
        return status;
    if (status == BL_RESTART) { /* the same configuration expressed by other numbers */
        s->reparametrized = true;
        bl_eval_at(&s->eval, s->state);
    }
    BL_TRY(bl_system_eval(sys, &s->eval, BL_PHI | BL_G));
    for (bl_index i = 0; i < sys->np; i++)
        s->r[i] = row_counts(s, i) ? -s->eval.phi[i] : 0;
    *gap = bl_system_drift(sys, s->r, worst);
    return isfinite(*gap) ? BL_OK : refuse_not_finite(s);
}

static void go_back(assembly *s, const double *q, const unsigned char *history) {
    memcpy(s->state->q, q, (size_t)s->sys->nq * sizeof(double));
    memcpy(s->state->history, history, s->sys->history_bytes);
}

/* moves by x, shortened to a length over which the linearization is still valid; *part: the fraction taken */
static bl_status move(assembly *s, double *x, double longest, double *part) {
    const bl_system *sys = s->sys;
    double far = relative_length(sys, x);
    *part = far > longest ? longest / far : 1;
    for (bl_index j = 0; j < sys->nv; j++)
        x[j] *= *part;
    return bl_system_retract(sys, s->state->q, x, s->state->q);
}

/* Driver values far away are approached in equal parts, while the other gaps are closed completely: scales down r. */
static double set_pace(assembly *s) {
    const bl_system *sys = s->sys;
    double far = study_longest_move;
    for (bl_index i = 0; i < sys->np; i++)
        if (sys->row[i].what == BL_ROW_DRIVER)
            far = fmax(far, fabs(s->r[i]) / sys->row[i].scale);
    double pace = study_longest_move / far;
    for (bl_index i = 0; pace < 1 && i < sys->np; i++)
        s->r[i] *= sys->row[i].what == BL_ROW_DRIVER ? pace : 1;
    return pace;
}

static bl_status newton(assembly *s, double *gap, bl_index *worst) {
    double before = INFINITY, least = INFINITY, part = 1, sharper = 1;
    int stuck = 0;
    for (int round = 0; round < study_assembly_rounds; round++) {
        BL_TRY(evaluate(s, gap, worst));
        if (*gap < study_closed)
            return BL_OK;
        if (*gap < least) {
            least = *gap;
            memcpy(s->best, s->state->q, (size_t)s->sys->nq * sizeof(double));
            memcpy(s->best_history, s->state->history, s->sys->history_bytes);
        }
        bool progress = *gap < before * (1 - 0.1 * part);
        stuck = progress ? 0 : stuck + 1;
        if (stuck > 2 && least < largest_gap(s)) /* rounding, or dimensions that do not agree exactly */
            break;
        if (stuck > study_assembly_stuck)
            break;
        if (!progress && round)
            sharper *= 0.03; /* the missing correction may belong to small singular values */
        before = *gap;
        double pace = set_pace(s);
        BL_TRY(solve(s, s->r, NULL, fmax(bl_rank_tolerance(s->sys->closure), sharper * fmin(study_assembly_rank, *gap))));
        BL_TRY(move(s, s->rhs, study_longest_move, &part));
        part *= pace;
    }
    return BL_NO_CONVERGENCE;
}

/* BL_NO_CONVERGENCE, with no error recorded: the gaps cannot be closed; the state is the one with the smallest *gap, at row *worst. */
static bl_status close_gap(assembly *s, double *gap, bl_index *worst) {
    bl_status status = newton(s, gap, worst);
    if (status != BL_NO_CONVERGENCE)
        return status;
    go_back(s, s->best, s->best_history);
    BL_TRY(evaluate(s, gap, worst));
    return *gap < largest_gap(s) ? BL_OK : BL_NO_CONVERGENCE;
}

/* x[nv] = displacement from the start */
static bl_status since_start(const assembly *s, double *x) {
    if (!s->reparametrized)
        return bl_system_local(s->sys, s->start, s->state->q, x);
    memset(x, 0, (size_t)s->sys->nv * sizeof *x);
    return BL_OK;
}

/* the quantity that settle minimizes: squared scaled distance from the start */
static double squared_distance(const assembly *s) {
    double away = 0;
    if (since_start(s, s->path) != BL_OK)
        return INFINITY;
    for (bl_index j = 0; j < s->sys->nv; j++) {
        double part = s->path[j] / s->sys->col[j].scale;
        away += part * part;
    }
    return away;
}

/* Fraction of the next step to take, from the effect of the last one on it (Barzilai and Borwein 1988): s.s / s.(x_old - x_new) for the
 * move s; the curvature of the constraints makes a full step too long or too short. */
static double relaxation(const assembly *s) {
    double ss = 0, sy = 0;
    if (bl_system_local(s->sys, s->kept, s->state->q, s->path) != BL_OK)
        return 1;
    for (bl_index j = 0; j < s->sys->nv; j++) {
        double scale = s->sys->col[j].scale * s->sys->col[j].scale, moved = s->path[j];
        ss += moved * moved / scale;
        sy += moved * (s->step[j] - s->rhs[j]) / scale;
    }
    return sy > 0 ? fmin(fmax(ss / sy, 0.05), 5) : 1;
}

/* From an assembled configuration to the assembled one nearest to the start: Gauss-Newton moves along the constraints, each followed by
 * assembly, and shortened where the distance does not fall. */
static bl_status settle(assembly *s, double *gap, bl_index *worst) {
    const bl_system *sys = s->sys;
    BL_TRY(evaluate(s, gap, worst));
    bool moved = false;
    double least = squared_distance(s), longest = study_longest_move, part;
    if (least < study_settled_distance) /* the first Newton step was already the least change, to second order */
        return BL_OK;
    for (int round = 0; round < study_settled_rounds && longest > study_settled_shortest; round++) {
        BL_TRY(since_start(s, s->change));
        BL_TRY(solve(s, s->r, s->change, fmax(system_least_change_rank, bl_rank_tolerance(sys->closure))));
        for (bl_index j = 0; j < sys->nv; j++)
            s->rhs[j] -= s->change[j];
        double length = relative_length(sys, s->rhs), take = moved ? relaxation(s) : 1;
        if (length < study_settled_step)
            break;
        memcpy(s->step, s->rhs, (size_t)sys->nv * sizeof(double));
        memcpy(s->kept, s->state->q, (size_t)sys->nq * sizeof(double));
        memcpy(s->kept_history, s->state->history, sys->history_bytes);
        for (bl_index j = 0; j < sys->nv; j++)
            s->rhs[j] *= take;
        BL_TRY(move(s, s->rhs, longest, &part));
        bl_status status = close_gap(s, gap, worst);
        double now = status == BL_OK ? squared_distance(s) : INFINITY;
        if (status != BL_OK && status != BL_NO_CONVERGENCE)
            return status;
        moved = now <= least + 100 * study_closed * sqrt(least); /* error left by the assembly */
        if (moved) {
            least = now;
            longest = fmin(2 * longest, study_longest_move);
        } else {
            longest = 0.3 * fmin(longest, take * length);
            go_back(s, s->kept, s->kept_history);
            BL_TRY(evaluate(s, gap, worst));
        }
    }
    return BL_OK;
}

/* ---- error messages */

static bl_status blame_row(const assembly *s, bl_index worst, double gap, const char *what) {
    bl_context *ctx = s->sys->ctx;
    char part[96] = "", equation[128] = "";
    bl_system_row_name(s->sys, worst, part, sizeof part, equation, sizeof equation);
    bl_fail(ctx, BL_E_NUMERIC, NULL, "%s: %s cannot be satisfied near the given start (gap %.3g; %s)", what, part, gap, equation);
    bl_advise(ctx, "check the initial values of the states in it");
    bl_blame(ctx, part, equation, *s->state->t);
    return BL_E_NUMERIC;
}

/* Least squares spread the remaining gap over all rows of a loop. Of the rows that stay open the message names the one with the widest gap
 * in the given configuration. */
static bl_status find_culprit(assembly *s, double gap, bl_index *worst) {
    const bl_system *sys = s->sys;
    double widest = 0, start_gap = 0;
    bl_index row = -1, any = 0;
    memcpy(s->r_end, s->r, (size_t)sys->np * sizeof *s->r);
    go_back(s, s->start, s->history);
    BL_TRY(evaluate(s, &start_gap, &any));
    for (bl_index i = 0; i < sys->np; i++)
        if (fabs(s->r_end[i]) > 0.01 * gap * sys->row[i].scale && fabs(s->r[i]) > widest * sys->row[i].scale) {
            widest = fabs(s->r[i]) / sys->row[i].scale;
            row = i;
        }
    *worst = row >= 0 ? row : *worst;
    return BL_OK;
}

/* turns a positive status, which means nothing to the caller of an assembly, into an error */
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
        return final(sys, bl_start_state(sys, model, state));
    double gap = 0;
    bl_index worst = 0;
    bl_status status = assembly_create(&s, sys, state);
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

/* Assembles without the rows marked as redundant: cheaper, because independent rows can be solved by normal equations. *all: every gap is
 * closed; else the state is unchanged. */
static bl_status close_without(assembly *s, const uint8_t *follows, bool *all) {
    double gap = 0;
    bl_index worst = 0;
    s->follows = follows;
    bl_status status = close_gap(s, &gap, &worst);
    s->follows = NULL;
    if (status == BL_OK)
        status = evaluate(s, &gap, &worst);
    *all = status == BL_OK && gap < study_closed;
    if (!*all)
        go_back(s, s->start, s->history);
    if (status == BL_NO_CONVERGENCE)
        return BL_OK;
    return status;
}

static bl_status close_nearby(const bl_system *sys, bl_state *state, bool undriven, const uint8_t *follows) {
    assembly s;
    double gap = 0;
    bl_index worst = 0;
    bool done = false;
    bl_status status = assembly_create(&s, sys, state);
    s.undriven = undriven;
    if (status == BL_OK && follows && !(sys->closure > 0))
        status = close_without(&s, follows, &done);
    if (status == BL_OK && !done)
        status = close_gap(&s, &gap, &worst);
    assembly_destroy(&s);
    return status;
}

bl_status bl_assemble_nearby(const bl_system *sys, bl_state *state) { return close_nearby(sys, state, false, NULL); }

bl_status bl_assemble_beside(const bl_system *sys, const uint8_t *follows, bl_state *state) {
    return close_nearby(sys, state, false, follows);
}

bl_status bl_assemble_undriven(const bl_system *sys, bl_state *state) { return close_nearby(sys, state, true, NULL); }

/* ---- velocities */

/* G, b and r = b - G v at the state, the largest entry of r, and of v */
static bl_status evaluate_velocities(assembly *s, double *gap, bl_index *worst, double *size) {
    const bl_system *sys = s->sys;
    bl_eval_at(&s->eval, s->state);
    BL_TRY(bl_system_eval(sys, &s->eval, BL_G | BL_B));
    memcpy(s->r, s->eval.b, (size_t)sys->np * sizeof *s->r);
    for (bl_index j = 0; j < sys->nv; j++)
        for (bl_index p = sys->pat_G.ptr[j]; p < sys->pat_G.ptr[j + 1]; p++)
            s->r[sys->pat_G.idx[p]] -= s->eval.G[p] * s->state->v[j];
    *gap = bl_system_drift(sys, s->r, worst);
    *size = relative_length(sys, s->state->v);
    return BL_OK;
}

/* the least change of velocities that satisfies G v = b; not applied */
static bl_status correct_velocities(assembly *s) {
    s->velocities = true;
    return solve(s, s->r, NULL, fmax(system_assembly_rank, bl_rank_tolerance(s->sys->closure)));
}

/* Velocities on G v = b with the least change; the second solution removes rounding. */
static bl_status close_velocities(assembly *s, double *gap, bl_index *worst) {
    double size = 0;
    for (int round = 0; round < 4; round++) {
        BL_TRY(evaluate_velocities(s, gap, worst, &size));
        if (*gap == 0 || (round > 1 && *gap <= study_velocities_closed * (1 + size)))
            return BL_OK;
        if (round == 3)
            break;
        BL_TRY(correct_velocities(s));
        for (bl_index j = 0; j < s->sys->nv; j++)
            s->state->v[j] += s->rhs[j];
    }
    return *gap <= largest_gap(s) * (1 + size) ? BL_OK : BL_NO_CONVERGENCE;
}

bl_status bl_assembly_polish(const bl_system *sys, bl_state *state) {
    assembly s;
    bl_index worst = 0;
    double gap = 0, size = 0;
    bl_status status = assembly_create(&s, sys, state);
    for (int round = 0; round < 2 && status == BL_OK && sys->np > 0; round++) {
        status = evaluate_velocities(&s, &gap, &worst, &size);
        if (status != BL_OK || gap <= study_gap_rounding * (1 + size))
            break;
        status = correct_velocities(&s);
        /* a row whose entries are rounding alone, normalized, would require an arbitrarily large correction */
        if (status != BL_OK || relative_length(sys, s.rhs) > study_closed_enough * (1 + size))
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
    bl_status status = assembly_create(&s, sys, state);
    if (status == BL_OK)
        status = close_velocities(&s, &gap, &worst);
    if (status == BL_NO_CONVERGENCE)
        status = blame_row(&s, worst, gap, "initial velocities");
    assembly_destroy(&s);
    return final(sys, status);
}
