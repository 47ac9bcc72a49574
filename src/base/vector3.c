/* Eigenvalues of symmetric 3 x 3 matrices. */
#include "base/vector3.h"

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
