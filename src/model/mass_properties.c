/* Mass properties: sum, rotation, principal moments. Parallel axis theorem: I += m (d.d E - d d^T). */
#include "model/reader.h"

#include "base/vector3.h"

#include <math.h>
#include <string.h>

static void steiner(double mass, const double d[3], double about[3][3]) {
    double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            about[i][j] += mass * ((i == j ? square : 0) - d[i] * d[j]);
}

void bl_inertia_add(bl_inertia *sum, const bl_inertia *part) {
    double mass = sum->mass + part->mass, center[3], from_sum[3], from_part[3];
    double share = mass > 0 ? part->mass / mass : 0.5;
    for (int k = 0; k < 3; k++) {
        center[k] = sum->center[k] + share * (part->center[k] - sum->center[k]);
        from_sum[k] = sum->center[k] - center[k];
        from_part[k] = part->center[k] - center[k];
    }
    steiner(sum->mass, from_sum, sum->about);
    steiner(part->mass, from_part, sum->about);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            sum->about[i][j] += part->about[i][j];
    sum->mass = mass;
    memcpy(sum->center, center, sizeof center);
}

void bl_inertia_turn(const double local[3][3], const double axes[3][3], double out[3][3]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0;
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++)
                    sum += axes[a][i] * local[a][b] * axes[b][j];
            out[i][j] = out[j][i] = sum;
        }
}

void bl_inertia_principal(const double about[3][3], double moment[3]) {
    double a[3][3], largest = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            largest = fmax(largest, fabs(about[i][j]));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            a[i][j] = largest > 0 ? about[i][j] / largest : 0;
    eigen3(a, NULL);
    for (int k = 0; k < 3; k++)
        moment[k] = largest * a[k][k];
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < 2; k++)
            if (moment[k] > moment[k + 1]) {
                double swap = moment[k];
                moment[k] = moment[k + 1];
                moment[k + 1] = swap;
            }
}
