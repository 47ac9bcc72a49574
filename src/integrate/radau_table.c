/* Radau IIA coefficients in long double. Nodes: zeros of P_s - P_(s-1) on [0, 1]. A_ij: integral of the j-th Lagrange polynomial from 0 to
 * c_i, by Gauss quadrature. Eigenvalues of A^-1: zeros of the denominator of the (s-1, s) Pade approximation of exp (Hairer and Wanner
 * IV.3), eigenvectors by inverse iteration. Error estimate: weights of order s, f(y0) weighted by 1 / real (Hairer and Wanner IV.8). */
#include "integrate/radau.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <string.h>

enum { S = BL_RADAU_STAGES, GAUSS = 4 };
typedef long double real;
typedef long double complex number;

/* nodes and eigenvalues to 30 digits, from their polynomials */
static const struct definition {
    real c[S], lone, pair[BL_RADAU_PAIRS][2];
} definitions[] = {
    {.c = {0.155051025721682190180271592529L, 0.644948974278317809819728407471L, 1},
     .lone = 3.63783425274449573220841851358L,
     .pair = {{2.68108287362775213389579074321L, 3.05043019924741056942637762479L}}},
    {.c = {0.0571041961145176821931211925541L, 0.276843013638123827680045997686L, 0.583590432368916820056697668663L,
           0.860240135656219447847912918875L, 1},
     .lone = 6.28670475172927664517315334187L,
     .pair = {{5.70095329867178941917021536897L, 3.21026560030854988842501065297L},
              {3.6556943254635722582432079601L, 6.54373689936007729402107150939L}}},
    {.c = {0.0293164271597848919720502769132L, 0.148078599668484291849976852496L, 0.336984690281154299097052972081L,
           0.558671518771550132081393341806L, 0.769233862030054500916883360116L, 0.92694567131974111485187396582L, 1},
     .lone = 8.9368327884052163373020969133L,
     .pair = {{8.51183482510294572305062092495L, 3.28101362432505883003594252704L},
              {7.14105521918764010577498142572L, 6.62304592263927597062055811591L},
              {4.37869356150680600252334919269L, 10.1696932837950116273183544188L}}},
};
/* Gauss's four points on [-1, 1] are exact for degree 7 */
static const real gauss[GAUSS][2] = {{-0.861136311594052575223946488893L, 0.347854845137453857373063949222L},
                                     {-0.339981043584856264802665759103L, 0.652145154862546142626936050778L},
                                     {0.339981043584856264802665759103L, 0.652145154862546142626936050778L},
                                     {0.861136311594052575223946488893L, 0.347854845137453857373063949222L}};

static void find_A(int s, const real *c, real A[S][S]) {
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) {
            A[i][j] = 0;
            for (int g = 0; g < GAUSS; g++) {
                real l = c[i] * gauss[g][1] / 2, x = c[i] * (1 + gauss[g][0]) / 2;
                for (int k = 0; k < s; k++)
                    if (k != j)
                        l *= (x - c[k]) / (c[j] - c[k]);
                A[i][j] += l;
            }
        }
}

/* b[n][m] <- a^-1 b by Gauss-Jordan with partial pivoting; a is overwritten. */
static void solve(int n, number a[S][S], int m, number b[S][S]) {
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++)
            if (cabsl(a[i][k]) > cabsl(a[p][k]))
                p = i;
        for (int j = 0; j < S; j++) {
            number of_a = a[k][j], of_b = b[k][j];
            a[k][j] = a[p][j];
            a[p][j] = of_a;
            b[k][j] = b[p][j];
            b[p][j] = of_b;
        }
        if (cabsl(a[k][k]) < LDBL_EPSILON)
            a[k][k] = LDBL_EPSILON;
        for (int i = 0; i < n; i++) {
            number l = i == k ? 0 : a[i][k] / a[k][k];
            for (int j = k; j < n; j++)
                a[i][j] -= l * a[k][j];
            for (int j = 0; j < m; j++)
                b[i][j] -= l * b[k][j];
        }
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            b[i][j] /= a[i][i];
}

static void invert(int n, real A[S][S], real inverse[S][S]) {
    number a[S][S] = {0}, b[S][S] = {0};
    for (int i = 0; i < n; i++) {
        b[i][i] = 1;
        for (int j = 0; j < n; j++)
            a[i][j] = A[i][j];
    }
    solve(n, a, n, b);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            inverse[i][j] = creall(b[i][j]);
}

/* An eigenvector for the eigenvalue 1 / z by inverse iteration: the matrix is singular up to rounding, so two rounds are enough. */
static void find_eigenvector(int s, real inverse[S][S], number z, number *x) {
    number b[S][S] = {0};
    for (int i = 0; i < s; i++)
        b[i][0] = 1;
    for (int round = 0; round < 2; round++) {
        number a[S][S] = {0};
        for (int i = 0; i < s; i++)
            for (int j = 0; j < s; j++)
                a[i][j] = inverse[i][j] - (i == j ? z : 0);
        solve(s, a, 1, b);
        number last = b[s - 1][0];
        for (int i = 0; i < s; i++)
            x[i] = b[i][0] /= last;
    }
}

/* Weights u_i = bhat_i - b_i with sum u_i c_i^k = -1 / first for k = 0, else 0, are u_i = -(1 / first) l_i(0) of the Lagrange polynomials;
 * then sum u_i h f_i = sum (u A^-1)_i Z_i. */
static void find_error(int s, const real *c, real inverse[S][S], real *error) {
    for (int i = 0; i < s; i++) {
        error[i] = 0;
        for (int j = 0; j < s; j++) {
            real l = 1;
            for (int k = 0; k < s; k++)
                if (k != j)
                    l *= -c[k] / (c[j] - c[k]);
            error[i] -= l * inverse[j][i];
        }
    }
}

void bl_radau_make(int s, bl_radau *table) {
    const struct definition *d = &definitions[(s - 3) / 2];
    real A[S][S], inverse[S][S], T[S][S], T_inverse[S][S], error[S];
    memset(table, 0, sizeof *table);
    table->s = s;
    find_A(s, d->c, A);
    invert(s, A, inverse);
    for (int p = -1; p < (s - 1) / 2; p++) { /* first the real one */
        number x[S];
        find_eigenvector(s, inverse, p < 0 ? d->lone : d->pair[p][0] + d->pair[p][1] * I, x);
        for (int i = 0; i < s; i++) {
            if (p < 0)
                T[i][0] = creall(x[i]);
            else {
                T[i][2 * p + 1] = creall(x[i]);
                T[i][2 * p + 2] = cimagl(x[i]);
            }
        }
        if (p >= 0) {
            table->alpha[p] = (double)d->pair[p][0];
            table->beta[p] = (double)d->pair[p][1];
        }
    }
    invert(s, T, T_inverse);
    find_error(s, d->c, inverse, error);
    table->real = (double)d->lone;
    for (int i = 0; i < s; i++) {
        table->c[i] = (double)d->c[i];
        table->error[i] = (double)error[i];
        for (int j = 0; j < s; j++) {
            table->A[i][j] = (double)A[i][j];
            table->inverse[i][j] = (double)inverse[i][j];
            table->T[i][j] = (double)T[i][j];
            table->T_inverse[i][j] = (double)T_inverse[i][j];
        }
    }
}
