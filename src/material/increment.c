/* Axes that rotate with a material point, and the law in these axes. */
#include "material/increment.h"

#include <math.h>

void bl_quaternion_product(const double a[4], const double b[4], double c[4]) {
    double p[4] = {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                   a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
    double norm = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    for (int k = 0; k < 4; k++)
        c[k] = p[k] / norm;
}

void bl_quaternion_matrix(const double q[4], double R[9]) {
    double w = q[0], x = q[1], y = q[2], z = q[3];
    R[0] = 1 - 2 * (y * y + z * z), R[1] = 2 * (x * y - w * z), R[2] = 2 * (x * z + w * y);
    R[3] = 2 * (x * y + w * z), R[4] = 1 - 2 * (x * x + z * z), R[5] = 2 * (y * z - w * x);
    R[6] = 2 * (x * z - w * y), R[7] = 2 * (y * z + w * x), R[8] = 1 - 2 * (x * x + y * y);
}

/* Shepperd's method (1978): divides by the largest of the four */
void bl_quaternion_of(const double R[9], double q[4]) {
    double trace = R[0] + R[4] + R[8], p[4];
    int largest = 0;
    for (int k = 1; k < 4; k++)
        if (R[4 * (k - 1)] > (largest ? R[4 * (largest - 1)] : trace))
            largest = k;
    if (largest == 0) {
        p[0] = 1 + trace;
        p[1] = R[7] - R[5], p[2] = R[2] - R[6], p[3] = R[3] - R[1];
    } else {
        int i = largest - 1, j = (i + 1) % 3, k = (i + 2) % 3;
        p[0] = R[3 * k + j] - R[3 * j + k];
        p[1 + i] = 1 + 2 * R[4 * i] - trace;
        p[1 + j] = R[3 * j + i] + R[3 * i + j];
        p[1 + k] = R[3 * k + i] + R[3 * i + k];
    }
    double norm = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    for (int k = 0; k < 4; k++)
        q[k] = p[k] / norm;
}

bl_status bl_increment_begin(const double F[9], const double *history, bl_increment *increment) {
    static const double none[BL_INCREMENT_HISTORY];
    const double *old = history ? history : none;
    double F_old[9], inverse[9];
    for (int k = 0; k < 9; k++)
        F_old[k] = old[BL_INCREMENT_F + k] + (k % 4 == 0);
    inverse3(F_old, inverse);
    multiply3(F, inverse, increment->f);
    increment->J = det3(F);
    for (int k = 0; k < 4; k++)
        increment->q[k] = old[BL_INCREMENT_Q + k] + (k == 0);
    bl_quaternion_matrix(increment->q, increment->Q);
    memcpy(increment->strain, old + BL_INCREMENT_STRAIN, sizeof increment->strain);
    increment->history = history ? history + BL_INCREMENT_HISTORY : NULL;
    return increment->J > 0 && isfinite(increment->J) ? BL_OK : BL_NOT_FINITE;
}

bl_status bl_increment_law(const bl_material *m, const bl_increment *increment, const double F[9], const double q[4],
                           const double thermal[6], double *trial, double stress[6], double *tangent, double *energy, double *dissipated) {
    bl_material solid = *m;
    bl_material_point p = {.history = increment->history,
                           .trial = trial ? trial + BL_INCREMENT_HISTORY : NULL,
                           .stress = stress,
                           .tangent = tangent,
                           .energy = energy,
                           .dissipated = dissipated};
    solid.plane = BL_PLANE_NONE;
    for (int k = 0; k < 6; k++)
        p.strain[k] = increment->strain[k] - thermal[k];
    BL_TRY(m->kind->point(&solid, &p));
    if (energy) /* per reference volume; not exact, see (M28) */
        *energy *= increment->J;
    if (!trial)
        return BL_OK;
    for (int k = 0; k < 9; k++)
        trial[BL_INCREMENT_F + k] = F[k] - (k % 4 == 0);
    for (int k = 0; k < 4; k++)
        trial[BL_INCREMENT_Q + k] = q[k] - (k == 0);
    memcpy(trial + BL_INCREMENT_STRAIN, increment->strain, sizeof increment->strain);
    return BL_OK;
}
