/* Adomian polynomials of an expression: its tape run over power series. Adomian: A review of the decomposition method in applied
 * mathematics, J. Math. Anal. Appl. 135 (1988) 501-544; that they are Taylor coefficients: docs/theory/series.md, (S21). */
#include "biela/series.h"

#include "series/expr.h"

#include <math.h>
#include <string.h>

enum { LARGEST_ORDER = 100000 };

typedef struct unknowns {
    const char *const *name;
    bl_index n;
} unknowns;

static bl_status find_unknown(void *user, bl_tape *tape, const char *name, const bl_place *place, bl_index *node, const char **nearest) {
    const unknowns *u = user;
    (void)place;
    for (bl_index i = 0; i < u->n; i++)
        if (!strcmp(u->name[i], name)) {
            *node = bl_tape_input(tape, i);
            return BL_OK;
        }
    *nearest = bl_nearest(name, u->name, (size_t)u->n);
    return BL_AGAIN;
}

static bl_status check(bl_context *ctx, const char *text, const unknowns *unknown, int order, const double *u, const double *A) {
    if (!text || !A || unknown->n < 0 || (unknown->n > 0 && (!unknown->name || !u)))
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_adomian: text, names, coefficients and the result array must be given");
    if (order < 0 || order > LARGEST_ORDER)
        return bl_fail(ctx, BL_E_ARG, NULL, "Adomian polynomials: order %d must be from 0 to %d", order, LARGEST_ORDER);
    for (bl_index i = 0; i < unknown->n; i++) {
        const char *name = unknown->name[i];
        if (!name || !*name)
            return bl_fail(ctx, BL_E_ARG, NULL, "Adomian polynomials: unknown %d has no name", (int)i + 1);
        if (bl_expr_reserved(name))
            return bl_fail(ctx, BL_E_ARG, NULL,
                           "Adomian polynomials: '%.60s' cannot be the name of an unknown: it is reserved in expressions", name);
        for (bl_index j = 0; j < i; j++)
            if (!strcmp(name, unknown->name[j]))
                return bl_fail(ctx, BL_E_ARG, NULL, "Adomian polynomials: the name '%.60s' is given twice", name);
    }
    return BL_OK;
}

static bl_status record(bl_context *ctx, const char *text, unknowns *unknown, bl_tape *tape) {
    bl_expr_scope scope = {.user = unknown, .name = find_unknown};
    bl_place place = {"nonlinearity", 1, 1}; /* needs a file name for its column to be printed */
    bl_index node;
    BL_TRY(bl_expr_parse(ctx, text, strlen(text), &place, &scope, tape, &node));
    BL_TRY(bl_tape_output(tape, node));
    return bl_tape_finish(tape);
}

bl_status bl_adomian(bl_context *ctx, const char *text, const char *const *name, bl_index n, int order, const double *u, double *A) {
    unknowns unknown = {name, n};
    bl_tape *tape = NULL;
    double *work = NULL;
    BL_TRY(check(ctx, text, &unknown, order, u, A));
    bl_status status = bl_tape_create(ctx, &tape);
    if (status == BL_OK)
        status = record(ctx, text, &unknown, tape);
    if (status == BL_OK)
        status = BL_NEW(ctx, work, bl_tape_series_work(tape, order));
    if (status == BL_OK) {
        bl_tape_series(tape, order, u, A, work);
        for (int k = 0; k <= order && status == BL_OK; k++)
            if (!isfinite(A[k]))
                status = bl_fail(ctx, BL_NOT_FINITE, NULL, "Adomian polynomial %d of '%.200s' is not finite", k, text);
    }
    bl_free(ctx, work);
    bl_tape_destroy(tape);
    return status;
}
