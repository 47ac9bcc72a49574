/* Eigenvalues of symmetric 3 x 3 matrices; rotations nearest to matrices. */
#include "base/vector3.h"

#include <string.h>

/* cyclic Jacobi rotations, which converge in a few sweeps */
void eigen3(double A[3][3], double V[3][3]) {
    for (int i = 0; V && i < 3; i++)
        for (int j = 0; j < 3; j++)
            V[i][j] = i == j;
    for (int sweep = 0; sweep < 30; sweep++) {
        double size = fabs(A[0][0]) + fabs(A[1][1]) + fabs(A[2][2]);
        if (fabs(A[0][1]) + fabs(A[0][2]) + fabs(A[1][2]) <= 1e-17 * size)
            break;
        for (int p = 0; p < 2; p++)
            for (int q = p + 1; q < 3; q++) {
                if (A[p][q] == 0)
                    continue;
                double theta = (A[q][q] - A[p][p]) / (2 * A[p][q]);
                double t = (theta < 0 ? -1 : 1) / (fabs(theta) + hypot(theta, 1)), c = 1 / hypot(t, 1), s = t * c;
                for (int k = 0; k < 3; k++) {
                    double x = A[p][k], y = A[q][k];
                    A[p][k] = c * x - s * y;
                    A[q][k] = s * x + c * y;
                }
                for (int k = 0; k < 3; k++) {
                    double x = A[k][p], y = A[k][q];
                    A[k][p] = c * x - s * y;
                    A[k][q] = s * x + c * y;
                }
                for (int k = 0; V && k < 3; k++) {
                    double x = V[k][p], y = V[k][q];
                    V[k][p] = c * x - s * y;
                    V[k][q] = s * x + c * y;
                }
            }
    }
}

/* ---- rotations */

enum { POLAR_STEPS = 60 };

double cofactors3(const double A[3][3], double C[3][3]) {
    for (int k = 0; k < 3; k++)
        cross3(A[(k + 1) % 3], A[(k + 2) % 3], C[k]);
    return dot3(A[0], C[0]);
}

static double size_of(const double A[3][3]) {
    double sum = 0;
    for (int j = 0; j < 3; j++)
        sum += dot3(A[j], A[j]);
    return sqrt(sum);
}

/* R = (R + R^-T)/2, repeated, from A with a scale (Higham 1986); the plane has a closed form */
void polar3(int dim, const double A[3][3], double R[3][3]) {
    memset(R, 0, 9 * sizeof(double));
    for (int k = 0; k < 3; k++)
        R[k][k] = 1;
    if (dim == 2) {
        double c = A[0][0] + A[1][1], s = A[1][0] - A[0][1], size = sqrt(c * c + s * s);
        if (!(size > 0))
            return;
        R[0][0] = R[1][1] = c / size;
        R[1][0] = s / size;
        R[0][1] = -R[1][0];
        return;
    }
    double now[3][3], C[3][3], change = 1;
    if (!(cofactors3(A, C) > 0))
        return;
    memcpy(now, A, sizeof now);
    for (int step = 0; step < POLAR_STEPS && change > 1e-15; step++) {
        double det = cofactors3((const double(*)[3])now, C);
        double scale = change > 0.1 ? sqrt(size_of((const double(*)[3])C) / (det * size_of((const double(*)[3])now))) : 1, size = 0;
        change = 0;
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) {
                double next = 0.5 * (scale * now[j][k] + C[j][k] / (det * scale));
                change += (next - now[j][k]) * (next - now[j][k]);
                size += next * next;
                now[j][k] = next;
            }
        change = sqrt(change / size);
    }
    memcpy(R, now, sizeof now);
}
