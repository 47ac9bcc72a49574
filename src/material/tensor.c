/* Eigenvalues of a symmetric 3 x 3 tensor by cyclic Jacobi rotations (Golub and Van Loan, Matrix Computations, 8.5): slower than the
 * trigonometric formula, but accurate for double and triple eigenvalues. Converges quadratically, in three to five sweeps. */
#include "material/tensor.h"

#include <math.h>

/* rotates the plane (p, q) so that a_pq = 0, unless it is negligible */
static void rotate(double A[9], double V[9], int p, int q, double negligible) {
    int r = 3 - p - q;
    double apq = A[3 * p + q];
    if (fabs(apq) <= negligible)
        return;
    double theta = (A[4 * q] - A[4 * p]) / (2 * apq);
    double t = copysign(1, theta) / (fabs(theta) + sqrt(theta * theta + 1)), c = 1 / sqrt(t * t + 1), s = t * c, tau = s / (1 + c);
    double arp = A[3 * r + p], arq = A[3 * r + q];
    A[4 * p] -= t * apq;
    A[4 * q] += t * apq;
    A[3 * p + q] = A[3 * q + p] = 0;
    A[3 * r + p] = A[3 * p + r] = arp - s * (arq + tau * arp);
    A[3 * r + q] = A[3 * q + r] = arq + s * (arp - tau * arq);
    for (int k = 0; k < 3; k++) {
        double vp = V[3 * k + p], vq = V[3 * k + q];
        V[3 * k + p] = vp - s * (vq + tau * vp);
        V[3 * k + q] = vq + s * (vp - tau * vq);
    }
}

void bl_eigen3(const double s[6], double value[3], double V[9]) {
    enum { SWEEPS = 30 }; /* never reached with finite numbers */
    static const double one[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    double A[9], largest = 0;
    stress_matrix(s, A);
    memcpy(V, one, sizeof one);
    for (int k = 0; k < 6; k++)
        largest = fmax(largest, fabs(s[k]));
    double negligible = 0x1p-56 * largest;
    for (int sweep = 0; sweep < SWEEPS && fmax(fabs(A[1]), fmax(fabs(A[2]), fabs(A[5]))) > negligible; sweep++) {
        rotate(A, V, 0, 1, negligible);
        rotate(A, V, 0, 2, negligible);
        rotate(A, V, 1, 2, negligible);
    }
    for (int k = 0; k < 3; k++)
        value[k] = A[4 * k];
}
