/* Multipliers with the least sum of squares. Dropped rows are combinations L of kept ones, so lambda = (mu - L s, s) exerts the same forces
 * as mu on the kept rows alone, for any s; the least one has
 *
 *     (I + L^T L) s = L^T mu.
 *
 * With few dropped rows L is formed; with many only its products are used, each a solve with the factored matrix, and the equations
 * are solved by conjugate gradients: no eigenvalue is below 1, and rows are kept such that entries of L are small. */
#include "kkt/spread.h"
#include "kkt/kkt_limits.h"

#include "base/vectors.h"
#include "dense/dense.h"

#include <math.h>
#include <string.h>

bl_status bl_kkt_spread(bl_index nd, bl_index n, bl_index first, const double *L, double *LL, double *s, double *x) {
    for (bl_index k = 0; k < nd; k++) {
        const double *l = L + (size_t)k * (size_t)n;
        double sum = 0;
        for (bl_index i = first; i < n; i++)
            sum += l[i] * x[i];
        s[k] = sum;
        for (bl_index j = k; j < nd; j++) {
            const double *other = L + (size_t)j * (size_t)n;
            double product = j == k;
            for (bl_index i = first; i < n; i++)
                product += l[i] * other[i];
            LL[(size_t)k * (size_t)nd + (size_t)j] = product;
        }
    }
    BL_TRY(bl_cholesky(nd, LL, NULL));
    bl_cholesky_solve(nd, LL, s);
    for (bl_index k = 0; k < nd; k++)
        for (bl_index i = first; i < n; i++)
            x[i] -= L[(size_t)k * (size_t)n + (size_t)i] * s[k];
    return BL_OK;
}

bl_status bl_kkt_spread_many(void *of, bl_index nd, bl_index r, bl_dropped_product product, double *s, double *mu, double *work) {
    double *rest = work, *along = rest + nd, *image = along + nd, *kept = image + nd;
    memset(s, 0, (size_t)nd * sizeof *s);
    BL_TRY(product(of, true, mu, rest));
    memcpy(along, rest, (size_t)nd * sizeof *along);
    double size = bl_dot((size_t)nd, rest, rest), least = size, end = kkt_spread_exact * kkt_spread_exact * size;
    int idle = 0;
    for (bl_index k = 0; k < 2 * nd && size > end && idle < 10; k++) {
        BL_TRY(product(of, false, along, kept));
        BL_TRY(product(of, true, kept, image));
        for (bl_index i = 0; i < nd; i++)
            image[i] += along[i];
        double curve = bl_dot((size_t)nd, along, image);
        if (!(curve > 0) || !isfinite(curve))
            return BL_SINGULAR;
        double step = size / curve, before = size;
        for (bl_index i = 0; i < nd; i++) {
            s[i] += step * along[i];
            rest[i] -= step * image[i];
        }
        size = bl_dot((size_t)nd, rest, rest);
        idle = size < least ? 0 : idle + 1; /* no progress: rounding */
        least = fmin(least, size);
        for (bl_index i = 0; i < nd; i++)
            along[i] = rest[i] + size / before * along[i];
    }
    BL_TRY(product(of, false, s, kept));
    for (bl_index i = 0; i < r; i++)
        mu[i] -= kept[i];
    return BL_OK;
}
