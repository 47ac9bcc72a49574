/* All solutions of a small linear complementarity problem: for every set of positive entries A_bb z_b = -b_b, then the signs. Contacts with
 * friction may have none or several (Painleve), which has to be reported. */
#include "complement/complement_limits.h"
#include "complement/lcp_private.h"

#include <math.h>
#include <string.h>

/* z[n] of the workspace: the set's solution, if its signs are right */
static bool solves(bl_index n, unsigned set, bl_lcp_work *s) {
    bl_index count = 0;
    for (bl_index i = 0; i < n; i++)
        if (set >> i & 1U)
            s->subset[count++] = i;
    double size = 1, residual = bl_lcp_solve_subset(n, count, s, complement_pivot);
    for (bl_index i = 0; i < n; i++)
        size = fmax(size, fabs(s->z[i]));
    if (!(residual <= complement_sign * size))
        return false;
    for (bl_index i = 0; i < n; i++) {
        if (s->z[i] < -complement_sign * size)
            return false;
        s->z[i] = fmax(s->z[i], 0);
    }
    bl_lcp_complement(n, s, s->z, s->w);
    return bl_lcp_scaled_residual(n, s->z, s->w) <= complement_sign * size;
}

static bool known(bl_index n, bl_index count, const double *z, const double *one) {
    for (bl_index k = 0; k < count; k++) {
        double apart = 0, size = 1;
        for (bl_index i = 0; i < n; i++) {
            size = fmax(size, fabs(one[i]));
            apart = fmax(apart, fabs(z[(size_t)n * (size_t)k + (size_t)i] - one[i]));
        }
        if (apart <= complement_sign * size)
            return true;
    }
    return false;
}

bl_status bl_lcp_enumerate(bl_index n, const double *A, const double *b, bl_index most, double *z, bl_index *count, bl_lcp_work *s) {
    double size;
    *count = 0;
    if (n > BL_LCP_ENUMERATED)
        return bl_fail(s->ctx, BL_E_ARG, NULL, "complementarity problem: %d unknowns, more than %d, are too many to try all cases", (int)n,
                       BL_LCP_ENUMERATED);
    BL_TRY(bl_lcp_scale(n, A, b, s, &size));
    for (unsigned set = 0; set < 1U << n && *count < most; set++)
        if (solves(n, set, s) && !known(n, *count, z, s->z))
            memcpy(z + (size_t)n * (size_t)(*count)++, s->z, (size_t)n * sizeof *z);
    for (bl_index k = 0; k < *count; k++)
        for (bl_index i = 0; i < n; i++)
            z[(size_t)n * (size_t)k + (size_t)i] *= s->scale_z[i] * size;
    return BL_OK;
}
