/* Component modes, see dense.h. */
#include "dense/dense.h"

#include <string.h>

typedef struct interior {
    bl_index n;
    bl_index *at; /* [n] numbers in the complete component */
    double *K, *M, *value, *work;
    bl_index *iwork;
} interior;

/* interior unknowns and their matrices */
static void take_interior(bl_index n, const double *K, const double *M, bl_index nb, const bl_index *boundary, interior *in) {
    in->n = 0;
    for (bl_index i = 0; i < n; i++) {
        bool outer = false;
        for (bl_index b = 0; b < nb; b++)
            outer = outer || boundary[b] == i;
        if (!outer)
            in->at[in->n++] = i;
    }
    size_t m = (size_t)in->n;
    for (size_t j = 0; j < m; j++)
        for (size_t i = 0; i < m; i++) {
            size_t from = (size_t)in->at[j] * (size_t)n + (size_t)in->at[i];
            in->K[j * m + i] = K[from];
            in->M[j * m + i] = M[from];
        }
}

/* columns of T */
static bl_status find_columns(bl_context *ctx, bl_index n, const double *K, bl_index nb, const bl_index *boundary, bl_index nmode,
                              interior *in, double *T) {
    size_t m = (size_t)in->n, rows = (size_t)n;
    double *L = in->K + m * m, *x = in->value; /* L: a copy that is factored */
    memset(T, 0, rows * (size_t)(nb + nmode) * sizeof *T);
    memcpy(L, in->K, m * m * sizeof *L);
    if (m > 0 && !bl_dense_llt(in->n, L))
        return bl_fail(ctx, BL_SINGULAR, NULL, "component modes: with its boundary fixed, the component can still move without resistance");
    for (bl_index b = 0; b < nb; b++) { /* -K_ii^-1 K_ib */
        double *column = T + (size_t)b * rows;
        for (size_t i = 0; i < m; i++)
            x[i] = -K[(size_t)boundary[b] * rows + (size_t)in->at[i]];
        if (m > 0)
            bl_dense_llt_solve(in->n, L, x);
        for (size_t i = 0; i < m; i++)
            column[in->at[i]] = x[i];
        column[boundary[b]] = 1;
    }
    if (nmode > 0 && !bl_dense_eigen_pair(in->n, in->K, in->M, in->value, in->work, bl_dense_eigen_work(in->n), in->iwork))
        return bl_fail(ctx, BL_SINGULAR, NULL, "component modes: the mass inside the component is not positive definite");
    for (bl_index k = 0; k < nmode; k++)
        for (size_t i = 0; i < m; i++)
            T[(size_t)(nb + k) * rows + (size_t)in->at[i]] = in->K[(size_t)k * m + i];
    return BL_OK;
}

bl_status bl_dense_component(bl_context *ctx, bl_index n, const double *K, const double *M, bl_index nb, const bl_index *boundary,
                             bl_index nmode, double *T) {
    interior in = {0};
    size_t m = (size_t)n;
    if (nb < 0 || nb > n || nmode < 0 || nmode > n - nb)
        return bl_fail(ctx, BL_E_ARG, NULL, "component modes: %d boundary unknowns and %d modes are too many for %d unknowns", (int)nb,
                       (int)nmode, (int)n);
    BL_TRY(BL_NEW(ctx, in.K, 3 * m * m + m + bl_dense_eigen_work(n) + 1));
    in.M = in.K + 2 * m * m;
    in.value = in.M + m * m;
    in.work = in.value + m;
    bl_status status = BL_NEW(ctx, in.at, 6 * m + 4);
    if (status == BL_OK) {
        in.iwork = in.at + m;
        take_interior(n, K, M, nb, boundary, &in);
        status = find_columns(ctx, n, K, nb, boundary, nmode, &in, T);
    }
    bl_free(ctx, in.K);
    bl_free(ctx, in.at);
    return status;
}
