/* The ordering for mechanisms with regard to values: a diagonal block that is structurally regular may lose rank in some configuration.
 * Given the matrix in several configurations (samples), the worth of a block is its smallest pivot over all of them, with rows scaled by
 * their largest entry and complete pivoting; zero if the determinant changes its sign. Among the rows and columns of a rule those of
 * largest worth are chosen; a block below the threshold is never used, but the next candidate, and finally the border. Without samples it
 * is identical to mechanism. */
#include "order/mechanism_rules.h"

#include "sparse/sparse.h"

#include <math.h>

enum { P_ANGLES, P_CLOSURES, P_LITERAL, P_THRESHOLD };
static const bl_param params[] = {
    [P_ANGLES] = {"angles", BL_P_FLAG, 0, 0, NULL, NULL, "angles and distances start in the border"},
    [P_CLOSURES] = {"closures", BL_P_FLAG, 0, 0, NULL, NULL, "equations that close loops start in the band"},
    [P_LITERAL] = {"literal", BL_P_FLAG, 0, 0, NULL, NULL, "two rows with the same three columns give a 1x1 block and two border columns"},
    [P_THRESHOLD] = {"threshold", BL_P_NUMBER, BL_POSITIVE, 1e-3, NULL, NULL, "smallest pivot of a diagonal block, rows scaled to 1"},
    {0},
};

typedef struct samples {
    const bl_pattern *pattern;
    bl_index n;
    const double *value; /* [n][nnz] */
    double *largest;     /* [n][nrow] */
} samples;

/* smallest pivot of a small matrix by elimination with complete pivoting, with the sign of the determinant */
static double smallest_pivot(bl_index n, double a[3][3]) {
    double smallest = INFINITY;
    bool negative = false;
    for (bl_index k = 0; k < n; k++) {
        bl_index row = k, col = k;
        for (bl_index i = k; i < n; i++)
            for (bl_index j = k; j < n; j++)
                if (fabs(a[i][j]) > fabs(a[row][col])) {
                    row = i;
                    col = j;
                }
        double pivot = a[row][col];
        smallest = fmin(smallest, fabs(pivot));
        if (pivot == 0)
            return 0;
        negative ^= (pivot < 0) ^ (row != k) ^ (col != k);
        for (bl_index j = 0; j < n; j++) {
            double swap = a[k][j];
            a[k][j] = a[row][j];
            a[row][j] = swap;
        }
        for (bl_index i = 0; i < n; i++) {
            double swap = a[i][k];
            a[i][k] = a[i][col];
            a[i][col] = swap;
        }
        for (bl_index i = k + 1; i < n; i++)
            for (bl_index j = n; j-- > k;)
                a[i][j] -= a[i][k] / pivot * a[k][j];
    }
    return negative ? -smallest : smallest;
}

static double worth(void *user, bl_index size, const bl_index *row, const bl_index *col) {
    const samples *s = user;
    bl_index nnz = s->pattern->ptr[s->pattern->ncol], at[3][3];
    double low = INFINITY, high = -INFINITY;
    for (bl_index i = 0; i < size; i++)
        for (bl_index j = 0; j < size; j++)
            at[i][j] = bl_pattern_find(s->pattern, row[i], col[j]);
    for (bl_index k = 0; k < s->n; k++) {
        const double *value = s->value + (size_t)k * (size_t)nnz, *largest = s->largest + (size_t)k * (size_t)s->pattern->nrow;
        double a[3][3];
        for (bl_index i = 0; i < size; i++)
            for (bl_index j = 0; j < size; j++)
                a[i][j] = at[i][j] >= 0 && largest[row[i]] > 0 ? value[at[i][j]] / largest[row[i]] : 0;
        double pivot = smallest_pivot(size, a);
        low = fmin(low, pivot);
        high = fmax(high, pivot);
    }
    return low > 0 ? low : high < 0 ? -high : 0; /* a change of sign passes through zero */
}

static bl_status scale_rows(bl_context *ctx, samples *s) {
    const bl_pattern *p = s->pattern;
    for (bl_index k = 0; k < s->n; k++) {
        const double *value = s->value + (size_t)k * (size_t)p->ptr[p->ncol];
        double *largest = s->largest + (size_t)k * (size_t)p->nrow;
        for (bl_index j = 0; j < p->ncol; j++)
            for (bl_index e = p->ptr[j]; e < p->ptr[j + 1]; e++) {
                if (!isfinite(value[e]))
                    return bl_fail(ctx, BL_NOT_FINITE, NULL, "mechanism_robust: sample %d is not finite in row %d, column %d", k, p->idx[e],
                                   j);
                largest[p->idx[e]] = fmax(largest[p->idx[e]], fabs(value[e]));
            }
    }
    return BL_OK;
}

static bl_status mechanism_robust_order(const bl_order_input *in, bl_ordering *out) {
    samples s = {.pattern = in->pattern, .n = in->sample ? in->nsample : 0, .value = in->sample};
    bl_mechanism_rules rules = {.angles = in->value[P_ANGLES].number != 0,
                                .closures = in->value[P_CLOSURES].number != 0,
                                .literal = in->value[P_LITERAL].number != 0,
                                .threshold = in->value[P_THRESHOLD].number,
                                .user = &s};
    if (s.n <= 0)
        return bl_mechanism_order(in, &rules, out);
    rules.worth = worth;
    BL_TRY(BL_ARENA_NEW(in->arena, s.largest, (size_t)s.n * (size_t)in->pattern->nrow));
    BL_TRY(scale_rows(in->ctx, &s));
    return bl_mechanism_order(in, &rules, out);
}

const bl_order_kind bl_order_mechanism_robust = {
    .kind = {.name = "mechanism_robust",
             .help = "mechanism, with blocks that keep their rank in the sampled configurations",
             .params = params,
             .gives = BL_ORDER_RECTANGULAR | BL_ORDER_BLOCKS | BL_ORDER_BORDER},
    .order = mechanism_robust_order,
};
