/* Hardening linear in the plastic strain, or by a table. Since it is piecewise linear, the plastic multiplier is a quotient in each piece.
 */
#include "material/hardening.h"

#include <math.h>

static const double ROOT = 0.81649658092772603; /* sqrt(2/3) */

/* the piece that contains a: from row k to k + 1; the last one is constant and unbounded */
static bl_index piece_of(const bl_material *m, double a) {
    bl_index k = 0;
    while (k + 1 < m->nrow && a >= m->row[k + 1][1])
        k++;
    return k;
}

static double slope_of(const bl_material *m, bl_index k) {
    return k + 1 < m->nrow ? (m->row[k + 1][0] - m->row[k][0]) / (m->row[k + 1][1] - m->row[k][1]) : 0;
}

double bl_yield_stress(const bl_material *m, double a, double *slope) {
    bl_index k = m->nrow ? piece_of(m, a) : 0;
    double h = m->nrow ? slope_of(m, k) : m->number[BL_ISOTROPIC];
    if (slope)
        *slope = h;
    return m->nrow ? m->row[k][0] + h * (a - m->row[k][1]) : m->number[BL_YIELD] + h * a;
}

double bl_hardening_energy(const bl_material *m, double a) {
    double sum = 0;
    if (!m->nrow)
        return 0.5 * m->number[BL_ISOTROPIC] * a * a;
    for (bl_index k = 0; k < m->nrow && m->row[k][1] < a; k++) { /* trapezoids above the first yield stress */
        double end = k + 1 < m->nrow ? fmin(a, m->row[k + 1][1]) : a, width = end - m->row[k][1];
        sum += width * (m->row[k][0] - m->row[0][0] + 0.5 * slope_of(m, k) * width);
    }
    return sum;
}

double bl_flow(const bl_material *m, double norm, double a, double stiff, double *slope) {
    if (norm <= ROOT * bl_yield_stress(m, a, slope))
        return 0;
    if (!m->nrow)
        return (norm - ROOT * (m->number[BL_YIELD] + *slope * a)) / (stiff + 2 * *slope / 3);
    for (bl_index k = piece_of(m, a);; k++) {
        *slope = slope_of(m, k);
        double dg = (norm - ROOT * (m->row[k][0] + *slope * (a - m->row[k][1]))) / (stiff + 2 * *slope / 3);
        if (k + 1 >= m->nrow || a + ROOT * dg <= m->row[k + 1][1])
            return dg;
    }
}

bl_status bl_material_harden(bl_context *ctx, bl_material *m, bl_index n, const double (*row)[2], const bl_place *place) {
    if (n < 1 || row[0][1] != 0)
        return bl_fail(ctx, BL_E_MODEL, place, "hardening: the plastic strain of the first row must be 0");
    for (bl_index k = 0; k < n; k++) {
        if (!(row[k][0] > 0) || !isfinite(row[k][0]) || !isfinite(row[k][1]))
            return bl_fail(ctx, BL_E_MODEL, place, "hardening: the yield stress %g must be positive", row[k][0]);
        if (k > 0 && !(row[k][1] > row[k - 1][1]))
            return bl_fail(ctx, BL_E_MODEL, place, "hardening: plastic strains must increase, found %g after %g", row[k][1], row[k - 1][1]);
        if (k > 0 && !(row[k][0] >= row[k - 1][0])) {
            bl_fail(ctx, BL_E_MODEL, place, "hardening: the yield stress must not decrease, found %g followed by %g", row[k - 1][0],
                    row[k][0]);
            bl_advise(ctx, "softening has no unique solution: keep the yield stress constant there");
            return BL_E_MODEL;
        }
    }
    if (m->number[BL_KINEMATIC] != 0)
        return bl_fail(ctx, BL_E_MODEL, place, "a hardening table is isotropic and cannot be combined with kinematic hardening");
    m->number[BL_YIELD] = row[0][0];
    m->nrow = n;
    m->row = row;
    return BL_OK;
}
