/* Cost of an ordering: entries and operations predicted from the pattern, and measured times.
 *
 * Prediction: left-looking elimination on patterns; the structure of column k is what its entries reach in the graph of L so far
 * (Gilbert and Peierls, SIAM J. Sci. Stat. Comput. 9, 1988); sum over k of 2 |L_i| for i in U_k, and |L_k| divisions.
 * Times: medians; the cost once per pattern is the first factorization minus a later one. */
#include "study/ordering.h"

#include "linsol/linsol.h"
#include "study/linear_limits.h"
#include "system/system_limits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_TIMES = 25 };
static const double SECONDS = 0.05; /* of repetitions for one median */

bl_status bl_ordered_run(bl_context *ctx, const bl_ordered_matrix *matrix, const char *spec, bl_ordering *out) {
    bl_order_input in = {.ctx = ctx,
                         .pattern = &matrix->pattern,
                         .row_mark = matrix->row_mark,
                         .col_mark = matrix->col_mark,
                         .bundle = matrix->bundle,
                         .nsample = matrix->nsample,
                         .sample = matrix->sample};
    return bl_order_run(&in, spec, out);
}

/* ---- prediction */

typedef struct symbolic {
    bl_index *match;      /* [n] column of each row */
    bl_index *position;   /* [n] of each column in the order */
    bl_index *mark;       /* [n] last column that reached a position */
    bl_index *stack, *at; /* [n] of the search */
    bl_index *start;      /* [n + 1] of the columns of L */
    bl_index *L, room;    /* positions below the diagonal */
} symbolic;

/* positions that the entry at `from` reaches: above k they count as U, below they become column k of L */
static bl_status reach(bl_context *ctx, symbolic *s, bl_index k, bl_index from, bl_index *nL, bl_index *nU, double *flops) {
    bl_index depth = 0;
    s->mark[from] = k;
    s->stack[0] = from;
    s->at[0] = from < k ? s->start[from] : 0;
    while (depth >= 0) {
        bl_index p = s->stack[depth];
        if (p < k && s->at[depth] < s->start[p + 1]) {
            bl_index next = s->L[s->at[depth]++];
            if (s->mark[next] == k)
                continue;
            s->mark[next] = k;
            s->stack[++depth] = next;
            s->at[depth] = next < k ? s->start[next] : 0;
            continue;
        }
        depth--;
        if (p < k) {
            (*nU)++;
            *flops += 2.0 * (s->start[p + 1] - s->start[p]);
        } else if (p > k) {
            BL_TRY(BL_RESERVE(ctx, s->L, s->room, *nL + 1));
            s->L[(*nL)++] = p;
        }
    }
    return BL_OK;
}

static bl_status eliminate(bl_context *ctx, const bl_pattern *pattern, const bl_index *col, bl_index most, symbolic *s, bl_index *fill,
                           double *flops) {
    bl_index n = pattern->ncol, rank, nL = 0, nU = 0;
    BL_TRY(bl_transversal(ctx, pattern, s->match, &rank));
    if (rank < n)
        return BL_OK;
    for (bl_index k = 0; k < n; k++) {
        s->position[col[k]] = k;
        s->mark[k] = -1;
    }
    double sum = 0;
    for (bl_index k = 0; k < n; k++) {
        s->start[k] = nL;
        for (bl_index e = pattern->ptr[col[k]]; e < pattern->ptr[col[k] + 1]; e++) {
            bl_index position = s->position[s->match[pattern->idx[e]]];
            if (s->mark[position] != k)
                BL_TRY(reach(ctx, s, k, position, &nL, &nU, &sum));
        }
        s->start[k + 1] = nL;
        sum += nL - s->start[k];
        if (nL > most - nU || sum > study_order_flops)
            return BL_OK;
    }
    *fill = nL + nU + n;
    *flops = sum;
    return BL_OK;
}

bl_status bl_order_symbolic(bl_context *ctx, const bl_pattern *pattern, const bl_index *col, bl_index most, bl_index *fill, double *flops) {
    symbolic s = {0};
    size_t n = (size_t)pattern->ncol;
    *fill = -1;
    *flops = NAN;
    bl_index *work;
    BL_TRY(BL_NEW(ctx, work, 6 * n + 1));
    s.match = work, s.position = work + n, s.mark = work + 2 * n, s.stack = work + 3 * n, s.at = work + 4 * n, s.start = work + 5 * n;
    bl_status status = eliminate(ctx, pattern, col, most, &s, fill, flops);
    bl_free(ctx, work);
    bl_free(ctx, s.L);
    return status;
}

bl_status bl_order_block_flops(bl_context *ctx, const bl_pattern *pattern, const bl_ordering *ordering, bl_index *fill, double *flops) {
    bl_index n = pattern->ncol, inner = n - ordering->border, *block_of;
    BL_TRY(BL_NEW(ctx, block_of, n)); /* of each row; -1: band */
    for (bl_index k = 0; k < n; k++)
        block_of[ordering->row[k]] = -1;
    double nb = ordering->border, sum = 2.0 / 3 * nb * nb * nb, entries = nb * (double)n, off = 0;
    for (bl_index k = 0; k < ordering->nblock; k++) {
        double s = ordering->block[k + 1] - ordering->block[k];
        sum += 2 * s * s * s + 2 * s * s * nb;
        entries += s * s;
        for (bl_index p = ordering->block[k]; p < ordering->block[k + 1]; p++)
            block_of[ordering->row[p]] = k;
    }
    for (bl_index p = 0, k = 0; p < inner; p++) { /* entries beside the blocks and in band rows */
        while (p >= ordering->block[k + 1])
            k++;
        for (bl_index e = pattern->ptr[ordering->col[p]]; e < pattern->ptr[ordering->col[p] + 1]; e++)
            off += block_of[pattern->idx[e]] != k;
    }
    bl_free(ctx, block_of);
    entries += off;
    *fill = entries < INT32_MAX ? (bl_index)entries : -1;
    *flops = sum + 2 * off * nb;
    return BL_OK;
}

/* ---- measurement */

static double median(double *times, int n) {
    bl_sort_numbers(times, (size_t)n);
    return n % 2 ? times[n / 2] : (times[n / 2 - 1] + times[n / 2]) / 2;
}

typedef enum phase { ONCE, FIRST, FACTOR, REFACTOR, SOLVE, NPHASE } phase;

typedef struct bench {
    const bl_order_problem *problem;
    const char *spec, *solver_spec;
    bl_linsol *solver;
    double *x;
    double seconds[NPHASE]; /* medians */
} bench;

static bl_status begin(bench *b) {
    bl_context *ctx = b->problem->ctx;
    const bl_ordered_matrix *square = &b->problem->square;
    bl_ordering ordering = {0};
    bl_linsol_destroy(b->solver);
    b->solver = NULL;
    bl_status status = bl_ordered_run(ctx, square, b->spec, &ordering);
    if (status == BL_OK)
        status = bl_linsol_create(ctx, b->solver_spec, &b->solver);
    if (status == BL_OK)
        status = bl_linsol_analyze(b->solver, &square->pattern, &ordering, BL_REFUSE, system_rank * system_rank_kept);
    bl_ordering_free(ctx, &ordering);
    return status;
}

static bl_status once(bench *b, phase what) {
    switch (what) {
    case ONCE: return begin(b);
    case FIRST:
    case FACTOR: return bl_linsol_factor(b->solver, b->problem->value);
    case REFACTOR: return bl_linsol_refactor(b->solver, b->problem->value);
    case SOLVE:
        for (bl_index i = 0; i < b->problem->square.pattern.ncol; i++)
            b->x[i] = 1;
        return bl_linsol_solve(b->solver, false, 1, b->x);
    case NPHASE: break;
    }
    return BL_OK;
}

/* phases from..to one after the other, until their medians are reliable */
static bl_status measure(bench *b, phase from, phase to) {
    double times[NPHASE][MOST_TIMES], total = 0;
    bl_index asked = b->problem->repetitions;
    int n = 0, most = asked > 0 && asked < MOST_TIMES ? (int)asked : MOST_TIMES;
    for (; n < most && (asked > 0 || n == 0 || total < SECONDS || (n < 3 && total < 10 * SECONDS)); n++)
        for (phase what = from; what <= to; what++) {
            double start = bl_clock_seconds();
            BL_TRY(once(b, what));
            total += times[what][n] = bl_clock_seconds() - start;
        }
    for (phase what = from; what <= to; what++)
        b->seconds[what] = median(times[what], n);
    return BL_OK;
}

static bl_status run_bench(bench *b, bl_order_cost *cost) {
    BL_TRY(BL_NEW(b->problem->ctx, b->x, b->problem->square.pattern.ncol));
    BL_TRY(measure(b, ONCE, FIRST));
    BL_TRY(measure(b, FACTOR, SOLVE));
    cost->analyze = b->seconds[ONCE] + fmax(0, b->seconds[FIRST] - b->seconds[FACTOR]);
    cost->factor = b->seconds[FACTOR];
    cost->refactor = b->seconds[REFACTOR];
    cost->solve = b->seconds[SOLVE];
    cost->solver = b->solver->kind->kind.name;
    if (strcmp(cost->solver, "klu") == 0) /* numerical pivoting may cause more fill than predicted */
        cost->fill = (bl_index)b->solver->stats.fill;
    return BL_OK;
}

static void add_note(bl_order_entry *entry, const char *text) {
    size_t used = strlen(entry->note);
    snprintf(entry->note + used, sizeof entry->note - used, "%s%s", used ? "; " : "", text);
}

/* only a lack of memory ends the study; everything else is reported in the entry */
static bl_status time_solver(const bl_order_problem *problem, const char *spec, const char *solver, bl_order_cost *cost,
                             bl_order_entry *entry) {
    bench b = {.problem = problem, .spec = spec, .solver_spec = solver};
    bl_order_cost measured = *cost;
    bl_status status = run_bench(&b, &measured);
    bl_linsol_destroy(b.solver);
    bl_free(problem->ctx, b.x);
    if (status == BL_OK)
        *cost = measured;
    else if (status != BL_E_MEMORY) {
        add_note(entry, bl_context_error(problem->ctx)->what[0] ? bl_context_error(problem->ctx)->what : bl_status_text(status));
        bl_context_clear_error(problem->ctx);
    }
    return status == BL_E_MEMORY ? status : BL_OK;
}

static bool has_solver(const char *name) {
    for (size_t i = 0; i < bl_linsol_kind_count; i++)
        if (strcmp(bl_linsol_kinds[i]->kind.name, name) == 0)
            return true;
    return false;
}

bl_status bl_order_costs(const bl_order_problem *problem, const char *spec, bl_order_entry *entry) {
    static const bl_order_cost nothing = {NULL, -1, NAN, NAN, NAN, NAN, NAN};
    const bl_pattern *square = &problem->square.pattern;
    bl_context *ctx = problem->ctx;
    entry->cost = entry->klu = nothing;
    if (!square->ptr || square->ncol == 0)
        return BL_OK;
    bl_ordering ordering = {0};
    bl_order_cost block = nothing;
    bl_status status = bl_ordered_run(ctx, &problem->square, spec, &ordering);
    bool blocks = status == BL_OK && ordering.block && ordering.row && ordering.border == ordering.band;
    if (status == BL_OK)
        status = bl_order_symbolic(ctx, square, ordering.col, (int64_t)study_order_fill, &entry->klu.fill, &entry->klu.flops);
    if (status == BL_OK && blocks)
        status = bl_order_block_flops(ctx, square, &ordering, &block.fill, &block.flops);
    bl_ordering_free(ctx, &ordering);
    if (status != BL_OK && status != BL_E_MEMORY) {
        add_note(entry, bl_context_error(ctx)->what);
        bl_context_clear_error(ctx);
        return BL_OK;
    }
    BL_TRY(status);
    bool affordable = entry->klu.fill >= 0;
    if (!affordable)
        add_note(entry, "too much fill-in: not factored");
    if (affordable && problem->repetitions >= 0)
        BL_TRY(time_solver(problem, spec, "klu", &entry->klu, entry));
    entry->cost = entry->klu;
    if (!blocks || !has_solver("block"))
        return BL_OK;
    if (square->ncol > study_order_blocked || block.fill < 0 || (double)block.fill > study_order_fill || block.flops > study_order_flops) {
        if (!affordable)
            entry->cost = block; /* as predicted */
        add_note(entry, "too large for the block solver: not measured");
        return BL_OK;
    }
    if (problem->repetitions >= 0)
        BL_TRY(time_solver(problem, spec, "block", &block, entry));
    if (block.solver || problem->repetitions < 0)
        entry->cost = block;
    return BL_OK;
}
