/* The recursion of stabilized index 2 for two positions and one constraint, implemented a second time on complete series; also with the two
 * errors of the source (D. M. Benitez Pacheco, Aproximacion de soluciones analitico-numericas de ecuaciones algebraicas-diferenciales,
 * after Benhammouda 2018): the constant s_k of chapter 4, and the sign of the sum of M q in the program of chapter 5. */
#ifndef MSPPA_H
#define MSPPA_H

#include "support/power_series.h"

#include <string.h>

enum { MOST = 44 };
typedef double msppa_series[MOST];
typedef struct msppa {
    msppa_series u[2], v[2], lambda, mu, q[2];
    msppa_series M[3], f[2], g, G[2]; /* M: 11, 12, 22 */
} msppa;
typedef void msppa_problem(msppa *m, int order); /* M, f, g, G of u and v */
typedef struct msppa_mistakes {
    bool old_s, plus;
} msppa_mistakes;

static inline void msppa_robot(msppa *m, int order) {
    static msppa_series sum, sin1, cos1, sin2, cos2, sin12, cos12, a;
    bl_taylor_add(order, m->u[0], m->u[1], sum);
    bl_taylor_sincos(order, m->u[0], sin1, cos1);
    bl_taylor_sincos(order, m->u[1], sin2, cos2);
    bl_taylor_sincos(order, sum, sin12, cos12);
    for (int k = 0; k <= order; k++) {
        m->M[0][k] = 3 * cos2[k] + (k == 0 ? 5 : 0);
        m->M[1][k] = 1.5 * cos2[k] + (k == 0);
        m->M[2][k] = k == 0;
        m->g[k] = sin1[k] + sin12[k];
        m->G[0][k] = cos1[k] + cos12[k];
        m->G[1][k] = cos12[k];
    }
    bl_taylor_mul(order, m->v[0], m->G[0], m->f[0]);
    bl_taylor_mul(order, m->v[0], cos12, m->f[1]);
    bl_taylor_mul(order, m->u[0], cos2, a);
    for (int k = 0; k <= order; k++) {
        m->f[0][k] -= 3 * m->u[0][k];
        m->f[1][k] += m->u[0][k] - 1.5 * a[k];
    }
}

static inline void msppa_pendulum(msppa *m, int order) {
    static msppa_series xx, yy;
    bl_taylor_mul(order, m->u[0], m->u[0], xx);
    bl_taylor_mul(order, m->u[1], m->u[1], yy);
    for (int k = 0; k <= order; k++) {
        m->M[0][k] = m->M[2][k] = k == 0;
        m->M[1][k] = m->f[0][k] = 0;
        m->f[1][k] = k == 0 ? -9.81 : 0;
        m->g[k] = (xx[k] + yy[k] - (k == 0)) / 2;
        m->G[0][k] = m->u[0][k];
        m->G[1][k] = m->u[1][k];
    }
}

static inline void msppa_over_M(const msppa *m, const double *b, double *x) {
    double a = m->M[0][0], c = m->M[1][0], d = m->M[2][0], det = a * d - c * c;
    x[0] = (d * b[0] - c * b[1]) / det;
    x[1] = (a * b[1] - c * b[0]) / det;
}

static inline double msppa_G(const msppa *m, int k, double x, double y) { return m->G[0][k] * x + m->G[1][k] * y; }

/* u, v of order 0 are set */
static inline void msppa_expand(msppa *m, msppa_problem *problem, int order, msppa_mistakes wrong) {
    double push[2], with[2];
    problem(m, 0);
    for (int k = 1; k <= order; k++) {
        for (int i = 0; i < 2; i++)
            m->u[i][k] = m->v[i][k] = 0;
        problem(m, k);
        double s = wrong.old_s ? -m->g[k - 1] + msppa_G(m, 0, m->u[0][k - 1], m->u[1][k - 1]) : -m->g[k];
        double right = msppa_G(m, 0, m->v[0][k - 1], m->v[1][k - 1]) - k * s;
        for (int l = 0; l < k - 1; l++)
            right -= msppa_G(m, 0, m->G[0][k - 1 - l], m->G[1][k - 1 - l]) * m->mu[l];
        m->mu[k - 1] = right / msppa_G(m, 0, m->G[0][0], m->G[1][0]);
        for (int i = 0; i < 2; i++) {
            double sum = m->v[i][k - 1];
            for (int l = 0; l < k; l++)
                sum -= m->G[i][k - 1 - l] * m->mu[l];
            m->u[i][k] = sum / k;
        }
        problem(m, k);
        double force[2], r[2], sign = wrong.plus ? 1 : -1;
        for (int i = 0; i < 2; i++) {
            force[i] = m->f[i][k - 1];
            for (int l = 0; l < k - 1; l++)
                force[i] +=
                    -m->G[i][k - 1 - l] * m->lambda[l] + sign * (m->M[i][k - 1 - l] * m->q[0][l] + m->M[i + 1][k - 1 - l] * m->q[1][l]);
        }
        msppa_over_M(m, force, r);
        push[0] = m->G[0][0];
        push[1] = m->G[1][0];
        msppa_over_M(m, push, with);
        right = msppa_G(m, 0, r[0], r[1]);
        for (int l = 0; l < k; l++)
            right += k * msppa_G(m, k - l, m->v[0][l], m->v[1][l]);
        m->lambda[k - 1] = right / msppa_G(m, 0, with[0], with[1]);
        for (int i = 0; i < 2; i++) {
            m->q[i][k - 1] = r[i] - with[i] * m->lambda[k - 1];
            m->v[i][k] = m->q[i][k - 1] / k;
        }
    }
}

#endif
