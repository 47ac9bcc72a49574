/* Chooses among dense, klu, block and inverse. All that may win are factored once with the first values, and the one with the least
 * predicted cost of a refactorisation and three solutions (or as many as are announced) stays: the prediction counts operations of the
 * factors at hand, so the same input always gives the same choice. Where the inverse is sure to win nobody else is asked. `auto:measure`
 * looks at the clock instead. The choice holds as long as the order of the matrix does. */
#include "linsol/linsol.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { CANDIDATES = 4, INVERSE = 3, FEW = 3, ROUNDS = 5 };
enum { DENSE_UP_TO = 100, DENSE_SHARE = 5, DENSE_MOST = 1500, BLOCK_MOST = 4000, INVERSE_UP_TO = 64, INVERSE_SURE = 24 };

static const char *const names[CANDIDATES] = {"klu", "dense", "block", [INVERSE] = "inverse"};

typedef struct automatic {
    bool measure;
    bl_index entries;                 /* of the matrix */
    bl_linsol *inner;                 /* the chosen one, NULL before */
    bl_linsol *candidate[CANDIDATES]; /* analysed, until one is chosen; NULL: not suited */
} automatic;

static const bl_param auto_params[] = {
    {"measure", BL_P_FLAG, 0, 0, NULL, NULL, "time the candidates on the first values instead of counting operations"},
    {0},
};

static void drop_candidates(automatic *a) {
    for (int k = 0; k < CANDIDATES; k++) {
        bl_linsol_destroy(a->candidate[k]);
        a->candidate[k] = NULL;
    }
}

static void destroy(bl_linsol *solver) {
    automatic *a = solver->own;
    if (!a)
        return;
    drop_candidates(a);
    bl_linsol_destroy(a->inner);
    bl_free(solver->ctx, a);
}

static bl_status create(bl_linsol *solver, const char *options) {
    bl_value values[BL_MAX_PARAMS];
    bl_arena arena = {.ctx = solver->ctx};
    bool bare = options && strcmp(options, "measure") == 0; /* auto:measure says enough */
    bl_status status = bl_kind_options(solver->ctx, &arena, &solver->kind->kind, bare ? NULL : options, values);
    bl_arena_destroy(&arena);
    BL_TRY(status);
    automatic *a;
    BL_TRY(BL_NEW(solver->ctx, a, 1));
    solver->own = a;
    a->measure = bare || values[0].number != 0;
    return BL_OK;
}

/* what the caller looks at, from whoever did the work */
static bl_status mirror(bl_linsol *solver, const bl_linsol *inner, bl_status status) {
    solver->factored = inner->factored;
    solver->stats = inner->stats;
    return status;
}

/* ---- analysis */

static bool suited(const bl_linsol *solver, int k, const bl_pattern *pattern, bl_deficient deficient) {
    double n = pattern->ncol, nnz = pattern->ptr[pattern->ncol];
    bool sure = solver->many > FEW && n <= INVERSE_SURE && deficient != BL_MIN_NORM && !((automatic *)solver->own)->measure;
    if (k == INVERSE)
        return deficient != BL_MIN_NORM && n <= INVERSE_UP_TO && solver->many > FEW;
    if (sure)
        return false;
    if (strcmp(names[k], "klu") == 0)
        return deficient != BL_MIN_NORM;
    if (strcmp(names[k], "block") == 0)
        return n <= BLOCK_MOST; /* the ordering takes longer than it is worth */
    return n <= DENSE_UP_TO || (nnz * DENSE_SHARE >= n * n && n <= DENSE_MOST) || deficient == BL_MIN_NORM;
}

static bl_status analyse(bl_linsol *solver, const bl_pattern *pattern, const struct bl_ordering *ordering, bl_deficient deficient,
                         double rank_tolerance) {
    automatic *a = solver->own;
    bl_linsol *inner = a->inner;
    static const uint32_t wanted[] = {BL_LINSOL_REFUSE, BL_LINSOL_DROP, BL_LINSOL_MIN_NORM};
    BL_TRY(bl_linsol_check(solver, pattern, deficient, rank_tolerance));
    drop_candidates(a);
    a->entries = pattern->ptr[pattern->ncol];
    if (inner) {
        inner->forgets = solver->forgets;
        inner->hints = solver->hints;
    }
    if (inner && inner->stats.n == pattern->ncol && (inner->kind->kind.gives & wanted[deficient]))
        return mirror(solver, inner, inner->kind->analyse(inner, pattern, ordering, deficient, rank_tolerance));
    bl_linsol_destroy(inner);
    a->inner = NULL;
    solver->uses = NULL;
    for (int k = 0; k < CANDIDATES; k++) {
        if (!suited(solver, k, pattern, deficient))
            continue;
        bl_linsol **candidate = &a->candidate[k];
        BL_TRY(bl_linsol_create(solver->ctx, names[k], candidate));
        (*candidate)->forgets = solver->forgets;
        (*candidate)->hints = solver->hints;
        bl_status status = (*candidate)->kind->analyse(*candidate, pattern, ordering, deficient, rank_tolerance);
        if (status == BL_E_ABILITY) { /* block: no blocks found */
            bl_linsol_destroy(*candidate);
            *candidate = NULL;
            bl_context_clear_error(solver->ctx);
        } else {
            BL_TRY(status);
        }
    }
    return BL_OK;
}

/* ---- choice */

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* least of some rounds, each of about 20 microseconds, ns; x[n] */
static double measured(bl_linsol *s, const double *values, bl_index solves, double *x) {
    double least = INFINITY;
    long count = 1;
    for (int round = -1; round < ROUNDS; round++) {
        double begin = now();
        for (long k = 0; k < count; k++) {
            if (s->kind->refactor(s, values) != BL_OK)
                return INFINITY;
            for (int c = 0; c < solves; c++) {
                memset(x, 0, (size_t)s->stats.n * sizeof *x);
                s->kind->solve(s, false, 1, x);
            }
        }
        double used = (now() - begin) / (double)count;
        if (round < 0)
            count = (long)fmax(1, fmin(1000, 2e4 / (used + 1)));
        else
            least = fmin(least, used);
    }
    return least;
}

/* chosen: index of the winner, whose values are factored */
static bl_status choose(bl_linsol *solver, const double *values, int *chosen) {
    automatic *a = solver->own;
    double cost[CANDIDATES], *x = NULL;
    bl_index solves = solver->many > FEW ? solver->many : FEW;
    if (a->measure)
        BL_TRY(BL_NEW(solver->ctx, x, solver->stats.n));
    *chosen = -1;
    for (int k = 0; k < CANDIDATES; k++) {
        bl_linsol *s = a->candidate[k];
        if (!s || !s->factored)
            continue;
        cost[k] = a->measure ? measured(s, values, solves, x) : s->kind->cost(s, solves);
        if (*chosen < 0 || cost[k] < cost[*chosen])
            *chosen = k;
    }
    bl_free(solver->ctx, x);
    char why[96];
    size_t used = 0;
    why[0] = '\0';
    for (int k = 0; k < CANDIDATES && used < sizeof why; k++)
        if (a->candidate[k] && a->candidate[k]->factored)
            used += (size_t)snprintf(why + used, sizeof why - used, "%s%s %.0f", used ? ", " : "", names[k], cost[k]);
    bl_log(solver->ctx, BL_LOG_INFO, "auto: %s for a matrix of order %d with %d entries (%s ns per update: %s)", names[*chosen],
           (int)solver->stats.n, (int)a->entries, a->measure ? "measured" : "predicted", why);
    return BL_OK;
}

/* The first one that can decides about rank; the others are only asked to do the same faster. */
static bl_status factor_candidates(bl_linsol *solver, const double *values) {
    automatic *a = solver->own;
    bool first = true;
    for (int k = 0; k < CANDIDATES; k++) {
        bl_linsol *s = a->candidate[k];
        if (!s)
            continue;
        bl_status status = s->kind->factor(s, values);
        if (status == BL_E_MEMORY || (first && status != BL_OK))
            return mirror(solver, s, status);
        if (status != BL_OK)
            bl_context_clear_error(solver->ctx); /* it is only left out */
        first = false;
    }
    int chosen;
    BL_TRY(choose(solver, values, &chosen));
    a->inner = a->candidate[chosen];
    a->candidate[chosen] = NULL;
    drop_candidates(a);
    solver->uses = a->inner->kind->kind.name;
    return mirror(solver, a->inner, BL_OK);
}

/* ---- the slots */

static bl_status factor(bl_linsol *solver, const double *values) {
    automatic *a = solver->own;
    if (!a->inner)
        return factor_candidates(solver, values);
    return mirror(solver, a->inner, a->inner->kind->factor(a->inner, values));
}

static bl_status refactor(bl_linsol *solver, const double *values) {
    bl_linsol *inner = ((automatic *)solver->own)->inner;
    if (!inner)
        return bl_fail(solver->ctx, BL_SINGULAR, NULL, "auto: refactor without a factorisation");
    return mirror(solver, inner, inner->kind->refactor(inner, values));
}

static bl_status solve(bl_linsol *solver, bool transposed, bl_index nrhs, double *x) {
    bl_linsol *inner = ((automatic *)solver->own)->inner;
    if (!inner)
        return bl_fail(solver->ctx, BL_E_ARG, NULL, "auto: solve without a factorisation");
    solver->stats.solves += nrhs;
    return inner->kind->solve(inner, transposed, nrhs, x);
}

static double cost(const bl_linsol *solver, bl_index nrhs) {
    const bl_linsol *inner = ((const automatic *)solver->own)->inner;
    return inner ? inner->kind->cost(inner, nrhs) : NAN;
}

static const double *inverse(const bl_linsol *solver) {
    const bl_linsol *inner = ((const automatic *)solver->own)->inner;
    return inner && inner->kind->inverse ? inner->kind->inverse(inner) : NULL;
}

const bl_linsol_kind bl_linsol_auto = {
    .kind = {.name = "auto",
             .help = "klu, dense, block or inverse, whichever has the least predicted cost for the first values",
             .params = auto_params,
             .gives = BL_LINSOL_REFUSE | BL_LINSOL_DROP | BL_LINSOL_MIN_NORM | BL_LINSOL_TRANSPOSED},
    .create = create,
    .analyse = analyse,
    .factor = factor,
    .refactor = refactor,
    .solve = solve,
    .destroy = destroy,
    .cost = cost,
    .inverse = inverse,
};
