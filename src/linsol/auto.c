/* Chooses the kind with the least predicted cost of a refactorization and three solutions (or as many as announced). Kinds that can
 * forecast their cost from the pattern do so first; the cheapest one, those close to it, and the kinds for small matrices that cannot
 * forecast are factored with the first values, and operation counts of the factors decide. Nothing is timed, so the same input always gives
 * the same choice; `auto:measure` times the candidates instead. The choice is kept for matrices of the same order; it is replaced only if a
 * solver for symmetric matrices gets one that is not. Large symmetric matrices whose factors would not fit in memory, or would cost ten
 * times as much, are solved by conjugate gradients; if these do not converge, a direct solver is chosen after all. */
#include "linsol/linsol.h"
#include "linsol/linsol_limits.h"
#include "linsol/symmetric.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { KLU, DENSE, BLOCK, INVERSE, BAND, LDL, SUPERLU, MUMPS, CG, CANDIDATES };
enum { FEW = 3, ROUNDS = 5 };
/* Orders up to or from which a kind is a candidate. Small matrices of mechanisms have little fill: LDL and SuperLU were never the fastest
 * there (bench/README.md), and trying them would cost more than the steps of a short run. MUMPS takes long to load and to analyze, and is
 * no faster than LDL up to about 20 000 unknowns of a plate. */
enum { DENSE_UP_TO = 100, DENSE_SHARE = 5, DENSE_MOST = 1500, INVERSE_UP_TO = 64, INVERSE_SURE = 24 };
enum { FORECAST_FROM = 128, FILLED_FROM = 500, MUMPS_FROM = 50000 };
/* ratio by which forecasts may differ from the counts of factors; from ALONE_FROM on solvers need so much memory that they are tried one
 * after the other, and only the one with the least forecast is factored */
static const double CLOSE = 2;
enum { ALONE_FROM = 10000 };
/* Order from which on conjugate gradients are considered. Factors with more than linsol_factor_entries are not computed by default; below
 * that, the iteration must be predicted to be CHEAPER times cheaper, since its number of steps is only a guess and one factorization may
 * serve many solutions. */
enum { CG_FROM = 10000, FEW_ITERATIONS = 10 };
static const double CHEAPER = 10;

static const char *const names[CANDIDATES] = {[KLU] = "klu",
                                              [DENSE] = "dense",
                                              [BLOCK] = "block",
                                              [INVERSE] = "inverse",
                                              [BAND] = "band",
                                              [LDL] = "ldl",
                                              [SUPERLU] = "superlu:ordering=amd",
                                              [MUMPS] = "mumps",
                                              [CG] = "cg"};

typedef struct automatic {
    bool measure;
    const bl_pattern *pattern;
    bl_deficient deficient;
    double tolerance;
    bool iterates;                    /* cg is the only candidate */
    bool diverged;                    /* it was tried and did not converge */
    bool late;                        /* candidates are created when values are known, one after the other */
    bl_linsol *inner;                 /* the chosen solver; NULL: none yet */
    bl_linsol *candidate[CANDIDATES]; /* analyzed, until one is chosen; NULL: not suitable */
    double forecast[CANDIDATES];      /* ns; NAN: none, only its factors show the cost */
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
    drop_candidates(a);
    bl_linsol_destroy(a->inner);
}

static bl_status create(bl_linsol *solver, const bl_value *values) {
    automatic *a = solver->own;
    a->measure = values[0].number != 0;
    return BL_OK;
}

/* copies state and counters of the solver that did the work; returns its status */
static bl_status copy_state(bl_linsol *solver, const bl_linsol *inner, bl_status status) {
    solver->factored = inner->factored;
    solver->stats = inner->stats;
    return status;
}

/* ---- analysis */

static bool suited(const bl_linsol *solver, int k, const bl_pattern *pattern, bl_deficient deficient) {
    double n = pattern->ncol, nnz = pattern->ptr[pattern->ncol];
    const automatic *a = solver->own;
    if (a->iterates || k == CG)
        return a->iterates && k == CG;
    bool min_norm = deficient == BL_MIN_NORM, only_inverse = solver->many > FEW && n <= INVERSE_SURE && !a->measure;
    if (only_inverse && !min_norm)
        return k == INVERSE;
    if (solver->brief && !min_norm && n < FORECAST_FROM) /* all of them would be factored */
        return k == KLU;
    switch (k) {
    case KLU: return !min_norm;
    case DENSE: return n <= DENSE_UP_TO || (nnz * DENSE_SHARE >= n * n && n <= DENSE_MOST) || min_norm;
    case BLOCK: return true;
    case INVERSE: return !min_norm && n <= INVERSE_UP_TO && solver->many > FEW;
    case BAND: return !min_norm && n >= FORECAST_FROM;
    case MUMPS: return !min_norm && n >= MUMPS_FROM && !solver->brief;
    default: return !min_norm && n >= FILLED_FROM;
    }
}

/* leaves NULL if it cannot solve such matrices or this build does not include it */
static bl_status add_candidate(bl_linsol *solver, int k, const struct bl_ordering *ordering) {
    automatic *a = solver->own;
    bl_linsol **candidate = &a->candidate[k];
    bl_status status = bl_linsol_create(solver->ctx, names[k], candidate);
    if (status == BL_OK) {
        (*candidate)->rescales = solver->rescales;
        (*candidate)->hints = solver->hints;
        (*candidate)->brief = solver->brief;
        (*candidate)->accuracy = solver->accuracy;
        (*candidate)->product = solver->product;
        (*candidate)->product_user = solver->product_user;
        status = bl_linsol_analyze(*candidate, a->pattern, ordering, a->deficient, a->tolerance);
    }
    if (status != BL_E_ABILITY)
        return status;
    bl_linsol_destroy(*candidate);
    *candidate = NULL;
    bl_context_clear_error(solver->ctx);
    return BL_OK;
}

static bl_status add_candidates(bl_linsol *solver, const struct bl_ordering *ordering) {
    automatic *a = solver->own;
    for (int k = 0; k < CANDIDATES; k++)
        if (suited(solver, k, a->pattern, a->deficient) && !a->candidate[k])
            BL_TRY(add_candidate(solver, k, ordering));
    return BL_OK;
}

/* ns per product of a factorization with much fill: MUMPS works on full blocks */
static double price_of_products(bl_index n) {
#ifdef BIELA_MUMPS
    if (n >= MUMPS_FROM)
        return 0.1;
#else
    (void)n;
#endif
    return 0.65;
}

/* Whether an iteration should replace a factorization, whose entries and products are counted on the graph of nodes before any direct
 * solver allocates memory. */
static bl_status weigh_iteration(bl_linsol *solver, const struct bl_ordering *ordering) {
    automatic *a = solver->own;
    double n = a->pattern->ncol, entries, products, solves = solver->many > FEW ? solver->many : FEW;
    if (n < CG_FROM || a->deficient != BL_REFUSE || a->measure || a->diverged || solver->brief)
        return BL_OK;
    bl_status status = bl_symmetric_fill(solver->ctx, a->pattern, &entries, &products);
    if (status == BL_E_ABILITY) { /* not symmetric */
        bl_context_clear_error(solver->ctx);
        return BL_OK;
    }
    BL_TRY(status);
    double nnz = a->pattern->ptr[a->pattern->ncol], price = price_of_products(a->pattern->ncol);
    double direct = 6 * nnz + 15 * n + 8 * entries + price * products + solves * (15 * n + 2.2 * entries);
    double least = 3 * nnz + solves * FEW_ITERATIONS * 0.35 * nnz; /* lower bound for any iteration */
    if (entries <= linsol_factor_entries && direct <= CHEAPER * least)
        return BL_OK;
    BL_TRY(add_candidate(solver, CG, ordering));
    if (!a->candidate[CG])
        return BL_OK;
    double iterated = a->candidate[CG]->kind->cost(a->candidate[CG], (bl_index)solves);
    a->iterates = entries > linsol_factor_entries || direct > CHEAPER * iterated;
    if (a->iterates)
        bl_log(solver->ctx, BL_LOG_INFO,
               "auto: factors of a matrix of order %.0f would have %.2g entries (predicted ns per update: %.2g, cg %.2g)", n, entries,
               direct, iterated);
    return BL_OK;
}

static bl_status take_diagonal(bl_linsol *solver) {
    automatic *a = solver->own;
    BL_TRY(bl_linsol_of_kind(solver->ctx, &bl_linsol_diagonal, NULL, &a->inner));
    solver->uses = a->inner->kind->kind.name;
    return copy_state(solver, a->inner, bl_linsol_analyze(a->inner, a->pattern, NULL, a->deficient, a->tolerance));
}

static bl_status analyze(bl_linsol *solver, const bl_pattern *pattern, const struct bl_ordering *ordering, bl_deficient deficient,
                         double rank_tolerance) {
    automatic *a = solver->own;
    bl_linsol *inner = a->inner;
    drop_candidates(a);
    a->pattern = pattern;
    a->deficient = deficient;
    a->tolerance = rank_tolerance;
    if (inner) {
        inner->rescales = solver->rescales;
        inner->hints = solver->hints;
        inner->product = solver->product;
        inner->product_user = solver->product_user;
    }
    bool diagonal = inner && inner->kind == &bl_linsol_diagonal;
    if (inner && inner->stats.n == pattern->ncol && bl_linsol_treats(inner->kind, deficient) &&
        (!diagonal || bl_linsol_is_diagonal(pattern)))
        return copy_state(solver, inner, bl_linsol_analyze(inner, pattern, ordering, deficient, rank_tolerance));
    bl_linsol_destroy(inner);
    a->inner = NULL;
    solver->uses = NULL;
    a->iterates = solver->product;
    a->diverged = false;
    if (!a->iterates && pattern->ncol >= FORECAST_FROM && bl_linsol_is_diagonal(pattern)) /* lumped masses: nothing to choose */
        return take_diagonal(solver);
    if (!a->iterates)
        BL_TRY(weigh_iteration(solver, ordering));
    if (!a->iterates) {
        bl_linsol_destroy(a->candidate[CG]);
        a->candidate[CG] = NULL;
    }
    a->late = !a->iterates && !ordering && !a->measure && pattern->ncol >= ALONE_FROM;
    return a->late ? BL_OK : add_candidates(solver, ordering);
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
            if (bl_linsol_refactor(s, values) != BL_OK)
                return INFINITY;
            for (int c = 0; c < solves; c++) {
                memset(x, 0, (size_t)s->stats.n * sizeof *x);
                bl_linsol_solve(s, false, 1, x);
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
    char costs[160];
    size_t used = 0;
    costs[0] = '\0';
    for (int k = 0; k < CANDIDATES && used < sizeof costs; k++)
        if (a->candidate[k] && a->candidate[k]->factored)
            used += (size_t)snprintf(costs + used, sizeof costs - used, "%s%s %.0f", used ? ", " : "", a->candidate[k]->kind->kind.name,
                                     cost[k]);
    bl_log(solver->ctx, BL_LOG_INFO, "auto: %s for a matrix of order %d with %d entries (%s ns per update: %s)",
           a->candidate[*chosen]->kind->kind.name, (int)solver->stats.n, (int)a->pattern->ptr[a->pattern->ncol],
           a->measure ? "measured" : "predicted", costs);
    return BL_OK;
}

/* forecasts of the candidates, for matrices large enough */
static bl_status make_forecasts(bl_linsol *solver, const double *values) {
    automatic *a = solver->own;
    bl_index solves = solver->many > FEW ? solver->many : FEW;
    for (int k = 0; k < CANDIDATES; k++) {
        bl_linsol *s = a->candidate[k];
        a->forecast[k] = NAN;
        if (s && s->kind->forecast && !a->measure && a->pattern->ncol >= FORECAST_FROM)
            BL_TRY(s->kind->forecast(s, values, solves, &a->forecast[k]));
        if (s && a->forecast[k] == INFINITY) {
            bl_linsol_destroy(s);
            a->candidate[k] = NULL;
        }
    }
    return BL_OK;
}

/* The candidate with the least forecast; they are created one after the other, and the others are not kept. */
static bl_status make_best(bl_linsol *solver, const double *values) {
    automatic *a = solver->own;
    bl_index solves = solver->many > FEW ? solver->many : FEW;
    int best = -1;
    for (int k = 0; k < CANDIDATES; k++) {
        a->forecast[k] = NAN;
        if (!suited(solver, k, a->pattern, a->deficient))
            continue;
        BL_TRY(add_candidate(solver, k, NULL));
        bl_linsol *s = a->candidate[k];
        if (!s)
            continue;
        double nanoseconds = INFINITY;
        if (s->kind->forecast)
            BL_TRY(s->kind->forecast(s, values, solves, &nanoseconds));
        bool better = nanoseconds < INFINITY && (best < 0 || nanoseconds < a->forecast[best]);
        int worse = better ? best : k;
        if (worse >= 0) {
            bl_linsol_destroy(a->candidate[worse]);
            a->candidate[worse] = NULL;
        }
        best = better ? k : best;
        a->forecast[k] = nanoseconds;
    }
    return BL_OK;
}

/* Factors the candidates with forecasts up to CLOSE times the least of those not tried yet, and in the first round those without one. If
 * klu is a candidate, it decides about rank; others that fail are left out. *status: of the last one that failed, BL_OK: none. */
static bl_status factor_round(bl_linsol *solver, const double *values, bool *tried, bl_linsol **failed, bl_status *status) {
    automatic *a = solver->own;
    double least = INFINITY, ratio = a->pattern->ncol < ALONE_FROM ? CLOSE : 1; /* of a forecast to the least, at most */
    for (int k = 0; k < CANDIDATES; k++)
        if (a->candidate[k] && !tried[k])
            least = fmin(least, a->forecast[k]); /* ignores NAN */
    for (int k = 0; k < CANDIDATES; k++) {
        bl_linsol *s = a->candidate[k];
        /* klu finds pivots of less fill than its forecast assumes: up to FILLED_FROM unknowns a trial costs little */
        bool worth_trying = !(a->forecast[k] > ratio * least) || (k == KLU && a->pattern->ncol < FILLED_FROM);
        if (!s || tried[k] || !worth_trying)
            continue;
        tried[k] = true;
        s->budget = least < INFINITY ? CLOSE * least : 0;
        bl_status own = bl_linsol_factor(s, values);
        if (own == BL_OK)
            continue;
        *failed = s;
        *status = own;
        if (own == BL_E_MEMORY || k == KLU)
            return own;
        bl_context_clear_error(solver->ctx);
    }
    return BL_OK;
}

/* trial solution with the first matrix: does it converge? */
static bl_status try_iteration(bl_linsol *solver, const double *values) {
    automatic *a = solver->own;
    bl_linsol *cg = a->candidate[CG];
    double *x = NULL;
    bl_status status = bl_linsol_factor(cg, values);
    if (status == BL_OK)
        status = BL_NEW(solver->ctx, x, solver->stats.n);
    for (bl_index i = 0; status == BL_OK && i < solver->stats.n; i++)
        x[i] = 1 + i % 7;
    cg->accuracy = solver->accuracy;
    if (status == BL_OK)
        status = bl_linsol_solve(cg, false, 1, x);
    bl_free(solver->ctx, x);
    cg->stats.solves = cg->stats.iterations = 0; /* count only those of the caller */
    return status;
}

/* Gives up the iteration: a direct solver is chosen. */
static bl_status give_up_iteration(bl_linsol *solver) {
    automatic *a = solver->own;
    bl_log(solver->ctx, BL_LOG_INFO, "auto: the iteration fails for the matrix of order %d: %s", (int)solver->stats.n,
           bl_context_error(solver->ctx)->what);
    bl_context_clear_error(solver->ctx);
    drop_candidates(a);
    bl_linsol_destroy(a->inner);
    a->inner = NULL;
    a->iterates = false;
    a->diverged = true;
    return add_candidates(solver, NULL);
}

/* the cheapest of the factored candidates */
static bl_status take_best(bl_linsol *solver, const double *values) {
    automatic *a = solver->own;
    int chosen;
    BL_TRY(choose(solver, values, &chosen));
    a->inner = a->candidate[chosen];
    a->candidate[chosen] = NULL;
    a->inner->budget = 0; /* no alternative any more */
    drop_candidates(a);
    solver->uses = a->inner->kind->kind.name;
    return copy_state(solver, a->inner, BL_OK);
}

static bl_status factor_candidates(bl_linsol *solver, const double *values) {
    automatic *a = solver->own;
    if (a->iterates) {
        bl_status status = solver->product ? bl_linsol_factor(a->candidate[CG], values) : try_iteration(solver, values);
        if (status == BL_OK)
            return take_best(solver, values);
        if (solver->product || status == BL_E_MEMORY || status == BL_STOPPED || status == BL_NOT_FINITE)
            return copy_state(solver, a->candidate[CG], status);
        BL_TRY(give_up_iteration(solver));
    }
    bool tried[CANDIDATES] = {0}, found = false, untried = true;
    bl_linsol *failed = NULL;
    bl_status status = BL_OK;
    if (a->late) {
        BL_TRY(make_best(solver, values));
        for (int k = 0; k < CANDIDATES; k++)
            found = found || a->candidate[k];
        if (!found) { /* no candidate succeeded */
            a->late = false;
            BL_TRY(add_candidates(solver, NULL));
        }
        found = false;
    }
    if (!a->late)
        BL_TRY(make_forecasts(solver, values));
    while (!found && untried) {
        bl_status failure = factor_round(solver, values, tried, &failed, &status);
        if (failure != BL_OK)
            return copy_state(solver, failed, failure);
        untried = false;
        for (int k = 0; k < CANDIDATES; k++) {
            found = found || (a->candidate[k] && a->candidate[k]->factored);
            untried = untried || (a->candidate[k] && !tried[k]);
        }
        if (!found && !untried && a->late) { /* the best one failed: try all others */
            a->late = false;
            BL_TRY(add_candidates(solver, NULL));
            BL_TRY(make_forecasts(solver, values));
            untried = true;
        }
    }
    if (!found) { /* its message was cleared: produce it again */
        if (!failed)
            return bl_fail(solver->ctx, BL_SINGULAR, NULL, "auto: no linear solver can factor the matrix of order %d", solver->stats.n);
        return copy_state(solver, failed, bl_linsol_factor(failed, values));
    }
    return take_best(solver, values);
}

/* the chosen solver is not suitable for these values (ldl: no pivoting, symmetric matrices only): klu takes over */
static bl_status replace(bl_linsol *solver, const double *values) {
    automatic *a = solver->own;
    bl_context_clear_error(solver->ctx);
    bl_linsol_destroy(a->inner);
    a->inner = NULL;
    BL_TRY(add_candidate(solver, KLU, NULL));
    bl_linsol *inner = a->inner = a->candidate[KLU];
    a->candidate[KLU] = NULL;
    solver->uses = inner->kind->kind.name;
    bl_log(solver->ctx, BL_LOG_INFO, "auto: klu, since the matrix of order %d is no longer suitable for the solver chosen first",
           (int)solver->stats.n);
    return copy_state(solver, inner, bl_linsol_factor(inner, values));
}

/* ---- the slots */

static bl_status factor(bl_linsol *solver, const double *values) {
    automatic *a = solver->own;
    bool iterated = a->inner && a->iterates && !solver->product;
    if (iterated && a->diverged)
        BL_TRY(give_up_iteration(solver));
    if (!a->inner)
        return factor_candidates(solver, values);
    bl_status status = bl_linsol_factor(a->inner, values);
    if ((status == BL_SINGULAR || status == BL_E_ABILITY) && iterated) {
        BL_TRY(give_up_iteration(solver));
        return factor_candidates(solver, values);
    }
    if ((status == BL_SINGULAR || status == BL_E_ABILITY) && (a->inner->kind->kind.needs & BL_LINSOL_SYMMETRIC))
        return replace(solver, values);
    return copy_state(solver, a->inner, status);
}

static bl_status refactor(bl_linsol *solver, const double *values) {
    const automatic *a = solver->own;
    bl_linsol *inner = a->inner;
    if (a->iterates && a->diverged)
        return bl_fail(solver->ctx, BL_SINGULAR, NULL, "auto: the iteration did not converge, a direct solver is needed");
    return copy_state(solver, inner, bl_linsol_refactor(inner, values));
}

static bl_status solve(bl_linsol *solver, bool transposed, bl_index nrhs, double *x) {
    automatic *a = solver->own;
    bl_linsol *inner = a->inner;
    inner->accuracy = solver->accuracy;
    bl_status status = bl_linsol_solve(inner, transposed, nrhs, x);
    a->diverged = a->diverged || (a->iterates && status == BL_NO_CONVERGENCE && !solver->product);
    solver->stats = inner->stats;
    return status;
}

static double cost(const bl_linsol *solver, bl_index nrhs) {
    const bl_linsol *inner = ((const automatic *)solver->own)->inner;
    return inner ? inner->kind->cost(inner, nrhs) : NAN;
}

static const double *inverse(const bl_linsol *solver) { return bl_linsol_inverse_columns(((const automatic *)solver->own)->inner); }
static int sign(const bl_linsol *solver) { return bl_linsol_sign(((const automatic *)solver->own)->inner); }
static bl_index negative(const bl_linsol *solver) { return bl_linsol_negative(((const automatic *)solver->own)->inner); }

const bl_linsol_kind bl_linsol_auto = {
    .kind = {.name = "auto",
             .help = "chooses the solver with the least predicted cost for the first values",
             .params = auto_params,
             .gives = BL_LINSOL_REFUSE | BL_LINSOL_DROP | BL_LINSOL_MIN_NORM | BL_LINSOL_TRANSPOSED | BL_LINSOL_PRODUCT},
    .size = sizeof(automatic),
    .create = create,
    .destroy = destroy,
    .analyze = analyze,
    .factor = factor,
    .refactor = refactor,
    .solve = solve,
    .cost = cost,
    .inverse = inverse,
    .sign = sign,
    .negative = negative,
};
