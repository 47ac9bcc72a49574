/* Andrews' squeezer mechanism: seven bodies, six constraints, index 3 (Hairer and Wanner VII.7). IVP test set, 0.03 s; end value
 * recomputed in extended precision. Explicit form: accelerations through the block-diagonal mass matrix and the 6 x 6 Schur
 * complement (drifts). Implicit form: Gear, Gupta and Leimkuhler, x = (q, v, lambda, mu). */
#include "problem.h"

#include <math.h>
#include <string.h>

enum { BETA, THETA, GAMMA, PHI, DELTA, OMEGA, EPSILON, NQ, NP = 6 };

static const double m1 = .04325, m2 = .00365, m3 = .02373, m4 = .00706, m5 = .07050, m6 = .00706, m7 = .05498;
static const double I1 = 2.194e-6, I2 = 4.410e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5, I6 = 5.667e-7, I7 = 1.912e-5;
static const double xa = -.06934, ya = -.00227, xb = -.03635, yb = .03273, xc = .014, yc = .072, c0 = 4530, l0 = .07785, mom = .033;
static const double d = .028, da = .0115, e = .02, ea = .01421, rr = .007, ra = .00092, ss = .035, sa = .01874, sb = .01043, sc = .018,
                    sd = .02, ta = .02308, tb = .00916, u = .04, ua = .01228, ub = .00449, zf = .02, zt = .04, fa = .01421;

static void start(double *y) {
    memset(y, 0, 14 * sizeof *y);
    memcpy(y,
           (const double[]){-0.0617138900142764496358948458001, 0, 0.455279819163070380255912382449, 0.222668390165885884674473185609,
                            0.487364979543842550225598953530, -0.222668390165885884674473185609, 1.23054744454982119249735015568},
           7 * sizeof *y);
}

static void end_value(double *y) {
    memcpy(y,
           (const double[]){15.810771195153706, -15.756371058411837, 0.04082224011964627, -0.534730116342079, 0.5244099658799539,
                            0.534730116342079, 1.0480807410419377, 1139.9203022591062, -1424.3792951775401, 11.032911910618099,
                            19.293374105031145, 0.5735699148294666, -19.293374105031162, 0.3231791492491184},
           14 * sizeof *y);
}

typedef struct trigonometry {
    double sb, cb, st, ct, sg, cg, sp, cp, sd, cd, so, co, se, ce; /* sines and cosines */
    double sbt, cbt, spd, cpd, soe, coe;                           /* of beta + Theta, Phi + delta, Omega + epsilon */
} trigonometry;

static void compute_trigonometry(const double *q, trigonometry *p) {
    p->sb = sin(q[BETA]), p->cb = cos(q[BETA]), p->st = sin(q[THETA]), p->ct = cos(q[THETA]), p->sg = sin(q[GAMMA]), p->cg = cos(q[GAMMA]);
    p->sp = sin(q[PHI]), p->cp = cos(q[PHI]), p->sd = sin(q[DELTA]), p->cd = cos(q[DELTA]), p->so = sin(q[OMEGA]), p->co = cos(q[OMEGA]);
    p->se = sin(q[EPSILON]), p->ce = cos(q[EPSILON]);
    p->sbt = p->sb * p->ct + p->cb * p->st, p->cbt = p->cb * p->ct - p->sb * p->st;
    p->spd = p->sp * p->cd + p->cp * p->sd, p->cpd = p->cp * p->cd - p->sp * p->sd;
    p->soe = p->so * p->ce + p->co * p->se, p->coe = p->co * p->ce - p->so * p->se;
}

/* codes that request force, mass and constraints separately do so in the same configuration: the last result is kept */
static void find_trigonometry(const double *q, trigonometry *p) {
    static double q_last[NQ];
    static trigonometry last;
    static bool known;
    if (!known || memcmp(q, q_last, sizeof q_last) != 0) {
        compute_trigonometry(q, &last);
        memcpy(q_last, q, sizeof q_last);
        known = true;
    }
    *p = last;
}

/* three 2 x 2 blocks (first diagonal entry, off-diagonal, second) and M33, which is between the first two blocks */
static void mass_at(const trigonometry *p, double block[3][3], double *M33) {
    double w = e - ea, z = zf - fa;
    block[0][0] = m1 * ra * ra + m2 * (rr * rr - 2 * da * rr * p->ct + da * da) + I1 + I2;
    block[0][1] = m2 * (da * da - da * rr * p->ct) + I2, block[0][2] = m2 * da * da + I2;
    *M33 = m3 * (sa * sa + sb * sb) + I3;
    block[1][0] = m4 * w * w + I4, block[1][1] = m4 * (w * w + zt * w * p->sp) + I4;
    block[1][2] = m4 * (zt * zt + 2 * zt * w * p->sp + w * w) + m5 * (ta * ta + tb * tb) + I4 + I5;
    block[2][0] = m6 * z * z + I6, block[2][1] = m6 * (z * z - u * z * p->so) + I6;
    block[2][2] = m6 * (z * z - 2 * u * z * p->so + u * u) + m7 * (ua * ua + ub * ub) + I6 + I7;
}

static void force_at(const trigonometry *p, const double *v, double *f) {
    double xd = sd * p->cg + sc * p->sg + xb, yd = sd * p->sg - sc * p->cg + yb;
    double l = sqrt((xd - xc) * (xd - xc) + (yd - yc) * (yd - yc)), F = -c0 * (l - l0) / l, Fx = F * (xd - xc), Fy = F * (yd - yc);
    double w = e - ea, z = zf - fa;
    f[0] = mom - m2 * da * rr * v[THETA] * (v[THETA] + 2 * v[BETA]) * p->st;
    f[1] = m2 * da * rr * v[BETA] * v[BETA] * p->st;
    f[2] = Fx * (sc * p->cg - sd * p->sg) + Fy * (sd * p->cg + sc * p->sg);
    f[3] = m4 * zt * w * v[DELTA] * v[DELTA] * p->cp;
    f[4] = -m4 * zt * w * v[PHI] * (v[PHI] + 2 * v[DELTA]) * p->cp;
    f[5] = -m6 * u * z * v[EPSILON] * v[EPSILON] * p->co;
    f[6] = m6 * u * z * v[OMEGA] * (v[OMEGA] + 2 * v[EPSILON]) * p->co;
}

static void phi_at(const trigonometry *p, double *g) {
    double X = rr * p->cb - d * p->cbt, Y = rr * p->sb - d * p->sbt;
    g[0] = X - ss * p->sg - xb, g[1] = Y + ss * p->cg - yb;
    g[2] = X - e * p->spd - zt * p->cd - xa, g[3] = Y + e * p->cpd - zt * p->sd - ya;
    g[4] = X - zf * p->coe - u * p->se - xa, g[5] = Y - zf * p->soe + u * p->ce - ya;
}

static void G_at(const trigonometry *p, double G[NP][NQ]) {
    memset(G, 0, NP * sizeof G[0]);
    for (int i = 0; i < NP; i += 2) {
        G[i][BETA] = -rr * p->sb + d * p->sbt, G[i][THETA] = d * p->sbt;
        G[i + 1][BETA] = rr * p->cb - d * p->cbt, G[i + 1][THETA] = -d * p->cbt;
    }
    G[0][GAMMA] = -ss * p->cg, G[1][GAMMA] = -ss * p->sg;
    G[2][PHI] = -e * p->cpd, G[3][PHI] = -e * p->spd;
    G[2][DELTA] = -e * p->cpd + zt * p->sd, G[3][DELTA] = -e * p->spd - zt * p->cd;
    G[4][OMEGA] = zf * p->soe, G[5][OMEGA] = -zf * p->coe;
    G[4][EPSILON] = zf * p->soe - u * p->ce, G[5][EPSILON] = -zf * p->coe - u * p->se;
}

static void curvature_at(const trigonometry *p, const double *v, double *c) {
    double b2 = v[BETA] * v[BETA], bt = v[BETA] + v[THETA], pd = v[PHI] + v[DELTA], oe = v[OMEGA] + v[EPSILON];
    double X = -rr * p->cb * b2 + d * p->cbt * bt * bt, Y = -rr * p->sb * b2 + d * p->sbt * bt * bt;
    double g2 = v[GAMMA] * v[GAMMA], d2 = v[DELTA] * v[DELTA], e2 = v[EPSILON] * v[EPSILON];
    c[0] = -(X + ss * p->sg * g2), c[1] = -(Y - ss * p->cg * g2);
    c[2] = -(X + e * p->spd * pd * pd + zt * p->cd * d2), c[3] = -(Y - e * p->cpd * pd * pd + zt * p->sd * d2);
    c[4] = -(X + zf * p->coe * oe * oe + u * p->se * e2), c[5] = -(Y + zf * p->soe * oe * oe - u * p->ce * e2);
}

static void force(double t, const double *q, const double *v, const double *z, double *Q, double *f) {
    (void)t, (void)z, (void)f;
    trigonometry p;
    find_trigonometry(q, &p);
    force_at(&p, v, Q);
}

static void tangent(double t, const double *q, const double *v, const double *zz, ivp_matrix *K, ivp_matrix *C) {
    (void)t, (void)zz;
    trigonometry p;
    find_trigonometry(q, &p);
    double w = e - ea, z = zf - fa;
    double a = m2 * da * rr, b = m4 * zt * w, c = m6 * u * z;
    ivp_add(K, 0, THETA, -a * v[THETA] * (v[THETA] + 2 * v[BETA]) * p.ct);
    ivp_add(K, 1, THETA, a * v[BETA] * v[BETA] * p.ct);
    ivp_add(K, 3, PHI, -b * v[DELTA] * v[DELTA] * p.sp);
    ivp_add(K, 4, PHI, b * v[PHI] * (v[PHI] + 2 * v[DELTA]) * p.sp);
    ivp_add(K, 5, OMEGA, c * v[EPSILON] * v[EPSILON] * p.so);
    ivp_add(K, 6, OMEGA, -c * v[OMEGA] * (v[OMEGA] + 2 * v[EPSILON]) * p.so);
    ivp_add(C, 0, BETA, -2 * a * v[THETA] * p.st), ivp_add(C, 0, THETA, -2 * a * (v[THETA] + v[BETA]) * p.st);
    ivp_add(C, 1, BETA, 2 * a * v[BETA] * p.st);
    ivp_add(C, 3, DELTA, 2 * b * v[DELTA] * p.cp);
    ivp_add(C, 4, PHI, -2 * b * (v[PHI] + v[DELTA]) * p.cp), ivp_add(C, 4, DELTA, -2 * b * v[PHI] * p.cp);
    ivp_add(C, 5, EPSILON, -2 * c * v[EPSILON] * p.co);
    ivp_add(C, 6, OMEGA, 2 * c * (v[OMEGA] + v[EPSILON]) * p.co), ivp_add(C, 6, EPSILON, 2 * c * v[OMEGA] * p.co);
    /* spring: f3 = F(l) (r . r'), r = (xd - xc, yd - yc), r' = dr/dgamma, r'' = (xb, yb) - (xd, yd) */
    double xd = sd * p.cg + sc * p.sg + xb, yd = sd * p.sg - sc * p.cg + yb, rx = xd - xc, ry = yd - yc;
    double sx = sc * p.cg - sd * p.sg, sy = sd * p.cg + sc * p.sg, l2 = rx * rx + ry * ry, l = sqrt(l2), along = rx * sx + ry * sy;
    double F = -c0 * (l - l0) / l, F_by_l = -c0 * l0 / l2;
    ivp_add(K, 2, GAMMA, F_by_l * along * along / l + F * (sx * sx + sy * sy + rx * (xb - xd) + ry * (yb - yd)));
}

static void mass(const double *q, ivp_matrix *M) {
    trigonometry p;
    double block[3][3], M33;
    find_trigonometry(q, &p);
    mass_at(&p, block, &M33);
    static const int at[3] = {BETA, PHI, OMEGA};
    for (int i = 0; i < 3; i++) {
        ivp_add(M, at[i], at[i], block[i][0]), ivp_add(M, at[i] + 1, at[i], block[i][1]);
        ivp_add(M, at[i], at[i] + 1, block[i][1]), ivp_add(M, at[i] + 1, at[i] + 1, block[i][2]);
    }
    ivp_add(M, GAMMA, GAMMA, M33);
}

static void constraint(double t, const double *q, double *phi) {
    (void)t;
    trigonometry p;
    find_trigonometry(q, &p);
    phi_at(&p, phi);
}

static void gradient(double t, const double *q, ivp_matrix *m) {
    (void)t;
    trigonometry p;
    double G[NP][NQ];
    find_trigonometry(q, &p);
    G_at(&p, G);
    static const unsigned char there[3][NQ] = {{1, 1, 1, 0, 0, 0, 0}, {1, 1, 0, 1, 1, 0, 0}, {1, 1, 0, 0, 0, 1, 1}};
    for (int i = 0; i < NP; i++)
        for (int j = 0; j < NQ; j++)
            if (there[i / 2][j])
                ivp_add(m, i, j, G[i][j]);
}

static void curvature(double t, const double *q, const double *v, double *c) {
    (void)t;
    trigonometry p;
    find_trigonometry(q, &p);
    curvature_at(&p, v, c);
}

static void mass_solve(double block[3][3], double M33, double *x) {
    static const int at[3] = {BETA, PHI, OMEGA};
    for (int i = 0; i < 3; i++) {
        double det = block[i][0] * block[i][2] - block[i][1] * block[i][1], first = x[at[i]], second = x[at[i] + 1];
        x[at[i]] = (block[i][2] * first - block[i][1] * second) / det;
        x[at[i] + 1] = (block[i][0] * second - block[i][1] * first) / det;
    }
    x[GAMMA] /= M33;
}

/* a and lambda from M a + G^T lambda = f, G a = c */
static void solve(const double *q, const double *v, double *a, double *lambda) {
    trigonometry p;
    double block[3][3], M33, G[NP][NQ], X[NP][NQ], S[NP][NP];
    find_trigonometry(q, &p);
    mass_at(&p, block, &M33);
    G_at(&p, G);
    force_at(&p, v, a);
    curvature_at(&p, v, lambda);
    mass_solve(block, M33, a);
    memcpy(X, G, sizeof X);
    for (int i = 0; i < NP; i++) {
        mass_solve(block, M33, X[i]); /* rows of G M^-1 */
        double sum = 0;
        for (int j = 0; j < NQ; j++)
            sum += G[i][j] * a[j];
        lambda[i] = sum - lambda[i];
    }
    for (int i = 0; i < NP; i++)
        for (int k = 0; k <= i; k++) {
            double sum = 0;
            for (int j = 0; j < NQ; j++)
                sum += G[i][j] * X[k][j];
            S[i][k] = sum;
        }
    for (int i = 0; i < NP; i++) { /* Cholesky */
        for (int k = 0; k < i; k++) {
            for (int l = 0; l < k; l++)
                S[i][k] -= S[i][l] * S[k][l];
            S[i][k] /= S[k][k];
            S[i][i] -= S[i][k] * S[i][k];
            lambda[i] -= S[i][k] * lambda[k];
        }
        S[i][i] = sqrt(S[i][i]);
        lambda[i] /= S[i][i];
    }
    for (int i = NP - 1; i >= 0; i--) {
        for (int k = i + 1; k < NP; k++)
            lambda[i] -= S[k][i] * lambda[k];
        lambda[i] /= S[i][i];
    }
    for (int i = 0; i < NP; i++)
        for (int j = 0; j < NQ; j++)
            a[j] -= X[i][j] * lambda[i];
}

static void explicit_rate(double t, const double *y, double *rate) {
    (void)t;
    double lambda[NP];
    memcpy(rate, y + NQ, NQ * sizeof *rate);
    solve(y, y + NQ, rate + NQ, lambda);
}

static void implicit_start(double *x, double *xd) {
    memset(x, 0, 26 * sizeof *x);
    memset(xd, 0, 26 * sizeof *xd);
    start(x);
    solve(x, x + NQ, xd + NQ, x + 2 * NQ);
}

static void residual(double t, const double *x, const double *xd, double *r) {
    (void)t;
    const double *q = x, *v = x + NQ, *lambda = x + 2 * NQ, *mu = x + 2 * NQ + NP, *a = xd + NQ;
    trigonometry p;
    double block[3][3], M33, G[NP][NQ], f[NQ];
    find_trigonometry(q, &p);
    mass_at(&p, block, &M33);
    G_at(&p, G);
    force_at(&p, v, f);
    static const int at[3] = {BETA, PHI, OMEGA};
    for (int i = 0; i < 3; i++) {
        r[NQ + at[i]] = block[i][0] * a[at[i]] + block[i][1] * a[at[i] + 1] - f[at[i]];
        r[NQ + at[i] + 1] = block[i][1] * a[at[i]] + block[i][2] * a[at[i] + 1] - f[at[i] + 1];
    }
    r[NQ + GAMMA] = M33 * a[GAMMA] - f[GAMMA];
    phi_at(&p, r + 2 * NQ);
    for (int j = 0; j < NQ; j++)
        r[j] = xd[j] - v[j];
    for (int i = 0; i < NP; i++) {
        double sum = 0;
        for (int j = 0; j < NQ; j++) {
            r[j] += G[i][j] * mu[i];
            r[NQ + j] += G[i][j] * lambda[i];
            sum += G[i][j] * v[j];
        }
        r[2 * NQ + NP + i] = sum;
    }
}

/* the crank angle of the mechanism is zero at the start */
static void read_mechanism(const char *name, double value, double rate, double *y) {
    if (strcmp(name, "crank.angle") == 0) {
        y[BETA] = value - 0.0617138900142764496358948458001;
        y[NQ + BETA] = rate;
    }
}

static const double size[] = {1, 1, 1, 1, 1, 1, 1, 1000, 1000, 1000, 1000, 1000, 1000, 1000};

const ivp ivp_andrews = {.name = "andrews",
                         .scene = "andrews_equations",
                         .mechanism = "andrews",
                         .read_mechanism = read_mechanism,
                         .what = "seven bodies, index 3",
                         .nq = NQ,
                         .np = NP,
                         .t_end = 0.03,
                         .size = size,
                         .least = 1e-3,
                         .start = start,
                         .end_value = end_value,
                         .force = force,
                         .tangent = tangent,
                         .mass = mass,
                         .constraint = constraint,
                         .gradient = gradient,
                         .curvature = curvature,
                         .explicit_rate = explicit_rate,
                         .nx = 2 * NQ + 2 * NP,
                         .implicit_start = implicit_start,
                         .residual = residual,
                         .nalgebraic = 2 * NP};
