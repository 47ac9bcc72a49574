/* Linear solvers by name, and the phases of all of them: order of calls, counters, messages. */
#include "linsol/linsol.h"

#include <stdio.h>
#include <string.h>

#define BL_KIND(name) &bl_linsol_##name,
const bl_linsol_kind *const bl_linsol_kinds[] = {
#include "linsol/linsol_list.h"
};
#undef BL_KIND
const size_t bl_linsol_kind_count = sizeof bl_linsol_kinds / sizeof bl_linsol_kinds[0];

#define BL_KIND(name) &bl_linsol_##name.kind,
static const bl_kind *const names[] = {
#include "linsol/linsol_list.h"
};
#undef BL_KIND

bl_status bl_linsol_create(bl_context *ctx, const char *spec, bl_linsol **out) {
    *out = NULL;
    const bl_kind *kind;
    const char *options;
    BL_TRY(bl_kind_find(ctx, "linear solver", names, bl_linsol_kind_count, spec ? spec : "auto", &kind, &options));
    size_t at = 0;
    while (names[at] != kind)
        at++;
    return bl_linsol_of_kind(ctx, bl_linsol_kinds[at], options, out);
}

bl_status bl_linsol_of_kind(bl_context *ctx, const bl_linsol_kind *kind, const char *options, bl_linsol **out) {
    bl_linsol *solver;
    bl_value values[BL_MAX_PARAMS];
    *out = NULL;
    BL_TRY(BL_NEW(ctx, solver, 1));
    solver->ctx = solver->texts.ctx = ctx;
    solver->kind = kind;
    bl_status status = bl_kind_options(ctx, &solver->texts, &kind->kind, options, values);
    if (status == BL_OK && !(solver->own = bl_alloc(ctx, 1, kind->size)))
        status = BL_E_MEMORY;
    if (status == BL_OK && kind->create)
        status = kind->create(solver, values);
    if (status != BL_OK) {
        bl_linsol_destroy(solver);
        return status;
    }
    *out = solver;
    return BL_OK;
}

void bl_linsol_destroy(bl_linsol *solver) {
    if (!solver)
        return;
    if (solver->own && solver->kind->destroy)
        solver->kind->destroy(solver);
    bl_free(solver->ctx, solver->own);
    bl_arena_destroy(&solver->texts);
    bl_free(solver->ctx, solver);
}

/* ---- phases */

static bl_status check(bl_linsol *solver, const bl_pattern *pattern, bl_deficient deficient, double rank_tolerance) {
    bl_context *ctx = solver->ctx;
    const char *name = solver->kind->kind.name;
    static const char *const policy[] = {"refuse", "drop", "minimum norm"};
    if (pattern->nrow != pattern->ncol)
        return bl_fail(ctx, BL_E_ARG, NULL, "%s: the matrix is %d x %d, not square", name, pattern->nrow, pattern->ncol);
    if (solver->product && !(solver->kind->kind.gives & BL_LINSOL_PRODUCT)) {
        bl_fail(ctx, BL_E_ABILITY, NULL, "%s needs a matrix, but only products with it are available", name);
        bl_advise(ctx, "choose the linear solver cg or minres");
        return BL_E_ABILITY;
    }
    if (!(rank_tolerance >= 0 && rank_tolerance < 1))
        return bl_fail(ctx, BL_E_ARG, NULL, "%s: rank tolerance %g is not in [0, 1)", name, rank_tolerance);
    if (!bl_linsol_treats(solver->kind, deficient)) {
        bl_fail(ctx, BL_E_ABILITY, NULL, "%s does not support the policy '%s' for dependent rows", name, policy[deficient]);
        char able[128];
        size_t used = 0;
        able[0] = '\0';
        for (size_t i = 0; i < bl_linsol_kind_count; i++)
            if (bl_linsol_treats(bl_linsol_kinds[i], deficient) && used < sizeof able)
                used += (size_t)snprintf(able + used, sizeof able - used, "%s%s", used ? ", " : "", bl_linsol_kinds[i]->kind.name);
        bl_advise(ctx, "linear solvers that can: %s", able);
        return BL_E_ABILITY;
    }
    return BL_OK;
}

bl_status bl_linsol_analyze(bl_linsol *solver, const bl_pattern *pattern, const struct bl_ordering *ordering, bl_deficient deficient,
                            double rank_tolerance) {
    BL_TRY(check(solver, pattern, deficient, rank_tolerance));
    const bl_linsol_stats *old = &solver->stats;
    solver->stats = (bl_linsol_stats){
        .n = pattern->ncol, .factors = old->factors, .refactors = old->refactors, .solves = old->solves, .iterations = old->iterations};
    solver->factored = false;
    return solver->kind->analyze(solver, pattern, ordering, deficient, rank_tolerance);
}

bl_status bl_linsol_factor(bl_linsol *solver, const double *values) {
    solver->factored = false;
    solver->stats.factors++;
    BL_TRY(solver->kind->factor(solver, values));
    solver->factored = true;
    return BL_OK;
}

bl_status bl_linsol_refactor(bl_linsol *solver, const double *values) {
    if (!solver->factored)
        return bl_fail(solver->ctx, BL_SINGULAR, NULL, "%s: refactor without a factorization", solver->kind->kind.name);
    solver->factored = false;
    solver->stats.refactors++;
    BL_TRY(solver->kind->refactor(solver, values));
    solver->factored = true;
    return BL_OK;
}

bl_status bl_linsol_update(bl_linsol *solver, const double *values) {
    bool tried = solver->factored;
    bl_status status = tried ? bl_linsol_refactor(solver, values) : BL_SINGULAR;
    if (status != BL_SINGULAR)
        return status;
    status = bl_linsol_factor(solver, values);
    if (status == BL_OK && tried)
        bl_context_clear_error(solver->ctx); /* decayed pivots are not a failure */
    return status;
}

bl_status bl_linsol_solve(bl_linsol *solver, bool transposed, bl_index nrhs, double *x) {
    if (!solver->factored)
        return bl_fail(solver->ctx, BL_E_ARG, NULL, "%s: solve without a factorization", solver->kind->kind.name);
    solver->stats.solves += nrhs;
    return solver->kind->solve(solver, transposed, nrhs, x);
}

/* ---- properties known from a factorization */

const double *bl_linsol_inverse_columns(const bl_linsol *solver) {
    return solver->factored && solver->kind->inverse ? solver->kind->inverse(solver) : NULL;
}

int bl_linsol_sign(const bl_linsol *solver) { return solver->factored && solver->kind->sign ? solver->kind->sign(solver) : 0; }

bl_index bl_linsol_negative(const bl_linsol *solver) {
    return solver->factored && solver->kind->negative ? solver->kind->negative(solver) : -1;
}

int bl_parity(bl_index n, const bl_index *order, bl_index *seen) {
    int parity = 1;
    memset(seen, 0, (size_t)n * sizeof *seen);
    for (bl_index i = 0; i < n; i++)
        for (bl_index j = i; !seen[j]; j = order[j]) {
            seen[j] = 1;
            parity = order[j] == i ? parity : -parity; /* a cycle of length l is l - 1 exchanges */
        }
    return parity;
}
