/* Diagonal matrices (lumped masses): division. Chosen by `auto` and not in the list of kinds, since users need not name it. Rank is missing
 * only where an entry is zero. */
#include "linsol/linsol.h"

#include <math.h>
#include <string.h>

typedef struct diagonal {
    bl_deficient deficient;
    double *inverse; /* [n] 1 / entry, 0: the row is dropped */
    bl_index *zeros; /* [n], allocated if there are any */
} diagonal;

static void destroy(bl_linsol *solver) {
    diagonal *s = solver->own;
    bl_free(solver->ctx, s->inverse);
    bl_free(solver->ctx, s->zeros);
    *s = (diagonal){0};
}

bool bl_linsol_is_diagonal(const bl_pattern *pattern) {
    if (pattern->ptr[pattern->ncol] != pattern->ncol)
        return false;
    bool diagonal_only = true;
    for (bl_index j = 0; j < pattern->ncol && diagonal_only; j++)
        diagonal_only = pattern->ptr[j] == j && pattern->idx[j] == j;
    return diagonal_only;
}

static bl_status analyze(bl_linsol *solver, const bl_pattern *pattern, const struct bl_ordering *ordering, bl_deficient deficient,
                         double rank_tolerance) {
    diagonal *s = solver->own;
    (void)ordering, (void)rank_tolerance;
    if (!bl_linsol_is_diagonal(pattern))
        return bl_fail(solver->ctx, BL_E_ABILITY, NULL, "diagonal: the matrix of order %d is not diagonal", pattern->ncol);
    destroy(solver);
    s->deficient = deficient;
    return BL_NEW(solver->ctx, s->inverse, pattern->ncol);
}

static bl_status factor(bl_linsol *solver, const double *values) {
    diagonal *s = solver->own;
    bl_linsol_stats *stats = &solver->stats;
    bl_index n = stats->n, zeros = 0;
    for (bl_index i = 0; i < n; i++) {
        double size = fabs(values[i]);
        if (!isfinite(size))
            return bl_fail(solver->ctx, BL_NOT_FINITE, NULL, "diagonal: entry %d is not finite", (int)i);
        zeros += !(size > 0);
        s->inverse[i] = size > 0 ? 1 / values[i] : 0;
    }
    stats->rank = n - zeros;
    stats->ndependent = zeros;
    stats->fill = n;
    stats->worst_pivot = zeros == 0 && n > 0 ? 1 : 0; /* of scaled rows */
    if (zeros > 0) {
        if (!s->zeros)
            BL_TRY(BL_NEW(solver->ctx, s->zeros, n));
        bl_index at = 0;
        for (bl_index i = 0; i < n; i++)
            if (s->inverse[i] == 0)
                s->zeros[at++] = i;
        stats->dependent = s->zeros;
    }
    if (zeros > 0 && s->deficient == BL_REFUSE) {
        bl_fail(solver->ctx, BL_SINGULAR, NULL, "matrix of order %d has rank %d: row %d is zero", (int)n, (int)stats->rank,
                (int)s->zeros[0]);
        bl_advise(solver->ctx, "drop dependent rows, or request the minimum norm");
        return BL_SINGULAR;
    }
    return BL_OK;
}

/* only factor may change the set of zeros, since its list may need memory */
static bl_status refactor(bl_linsol *solver, const double *values) {
    diagonal *s = solver->own;
    bl_index n = solver->stats.n, changed = 0;
    for (bl_index i = 0; i < n; i++)
        changed += !isfinite(values[i]) || (values[i] != 0) != (s->inverse[i] != 0);
    if (changed > 0)
        return bl_fail(solver->ctx, BL_SINGULAR, NULL, "diagonal: %d entries have become zero, nonzero or not finite", (int)changed);
    for (bl_index i = 0; i < n; i++)
        s->inverse[i] = values[i] != 0 ? 1 / values[i] : 0;
    return BL_OK;
}

static bl_status solve(bl_linsol *solver, bool transposed, bl_index nrhs, double *x) {
    const diagonal *s = solver->own;
    bl_index n = solver->stats.n;
    (void)transposed;
    for (bl_index c = 0; c < nrhs; c++, x += n)
        for (bl_index i = 0; i < n; i++)
            x[i] *= s->inverse[i];
    return BL_OK;
}

static double cost(const bl_linsol *solver, bl_index nrhs) { return 0.5 * solver->stats.n * (1 + nrhs); }

static bl_index negative(const bl_linsol *solver) {
    const diagonal *s = solver->own;
    bl_index count = 0;
    for (bl_index i = 0; i < solver->stats.n; i++)
        count += s->inverse[i] < 0;
    return count;
}

static int sign(const bl_linsol *solver) { return solver->stats.ndependent ? 0 : negative(solver) % 2 ? -1 : 1; }

const bl_linsol_kind bl_linsol_diagonal = {
    .kind = {.name = "diagonal",
             .help = "division, for diagonal matrices",
             .gives = BL_LINSOL_REFUSE | BL_LINSOL_DROP | BL_LINSOL_MIN_NORM | BL_LINSOL_TRANSPOSED},
    .size = sizeof(diagonal),
    .destroy = destroy,
    .analyze = analyze,
    .factor = factor,
    .refactor = refactor,
    .solve = solve,
    .cost = cost,
    .sign = sign,
    .negative = negative,
};
