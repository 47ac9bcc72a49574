/* Beam: elastic, inextensible and shearless, 40 segments, force at the end that acts until t = pi (Hairer and Wanner IV.10). Eigenvalues
 * near the imaginary axis up to 6400. IVP test set; end value recomputed in extended precision.
 *
 *     C w = D v + th'^2,   th'' = C v + D w,   v_l = n^4 (th_(l-1) - 2 th_l + th_(l+1)) + n^2 (cos th_l Fy - sin th_l Fx)
 *
 * Implicit form: x = (th, th', w) keeps the matrices tridiagonal. */
#include "problem.h"

#include <math.h>
#include <string.h>

enum { N = 40 };

static void start(double *y) { memset(y, 0, 2 * N * sizeof *y); }

static void end_value(double *y) {
    memcpy(y,
           (const double[]){
#include "beam_wanted.inc"
           },
           2 * N * sizeof *y);
}

typedef struct geometry {
    double d[N], c[N], s[N], co[N], si[N], v[N], w[N]; /* c, s: cosine and sine of th_(l+1) - th_l */
    double Fx, Fy;
} geometry;

static double load(double t) {
    const double pi = 3.14159265358979323846;
    return t <= pi ? 1.5 * sin(t) * sin(t) : 0;
}

static void find_geometry(double t, const double *th, geometry *p) {
    const double n2 = (double)N * N, n4 = n2 * n2;
    p->Fx = -load(t), p->Fy = load(t);
    for (int l = 0; l < N; l++) {
        p->co[l] = cos(th[l]), p->si[l] = sin(th[l]);
        p->d[l] = l == 0 ? 1 : l == N - 1 ? 3 : 2;
        double before = l ? th[l - 1] : -th[0], after = l < N - 1 ? th[l + 1] : th[l];
        p->v[l] = n4 * (before - 2 * th[l] + after) + n2 * (p->co[l] * p->Fy - p->si[l] * p->Fx);
    }
    for (int l = 0; l < N - 1; l++) { /* by the addition theorems: no further sines */
        p->c[l] = p->co[l + 1] * p->co[l] + p->si[l + 1] * p->si[l];
        p->s[l] = p->si[l + 1] * p->co[l] - p->co[l + 1] * p->si[l];
    }
}

static double C_times(const geometry *p, const double *x, int l) {
    return p->d[l] * x[l] - (l ? p->c[l - 1] * x[l - 1] : 0) - (l < N - 1 ? p->c[l] * x[l + 1] : 0);
}

static double D_times(const geometry *p, const double *x, int l) {
    return (l < N - 1 ? p->s[l] * x[l + 1] : 0) - (l ? p->s[l - 1] * x[l - 1] : 0);
}

static void find_w(geometry *p, const double *thd) {
    double d[N], e[N];
    for (int l = 0; l < N; l++) {
        p->w[l] = D_times(p, p->v, l) + thd[l] * thd[l];
        d[l] = p->d[l], e[l] = -p->c[l];
    }
    ivp_tridiagonal(N, d, e, p->w);
}

static void force(double t, const double *q, const double *v, const double *z, double *Q, double *f) {
    (void)z, (void)f;
    geometry p;
    p.c[N - 1] = p.s[N - 1] = 0;
    find_geometry(t, q, &p);
    find_w(&p, v);
    for (int l = 0; l < N; l++)
        Q[l] = C_times(&p, p.v, l) + D_times(&p, p.w, l);
}

/* Rows l of C V + (dC) v + (dD) w (which = 0) and of D V + (dD) v - (dC) w (which = 1), V = dv/dth: five entries, columns l-2 .. l+2. */
static void rows(const geometry *p, int which, double row[N][5]) {
    const double n2 = (double)N * N, n4 = n2 * n2;
    for (int l = 0; l < N; l++) {
        double *r = row[l] + 2;
        memset(row[l], 0, sizeof row[l]);
        for (int k = -1; k <= 1; k++) { /* coefficient of v_(l+k), then its derivatives */
            int m = l + k;
            if (m < 0 || m >= N)
                continue;
            double x = which == 0 ? (k == 0 ? p->d[l] : k < 0 ? -p->c[l - 1] : -p->c[l]) : (k == 0 ? 0 : k < 0 ? -p->s[l - 1] : p->s[l]);
            if (x == 0)
                continue;
            if (m > 0)
                r[k - 1] += n4 * x;
            if (m < N - 1)
                r[k + 1] += n4 * x;
            r[k] += x * (n4 * (m == 0 ? -3 : m == N - 1 ? -1 : -2) - n2 * (p->si[m] * p->Fy + p->co[m] * p->Fx));
        }
        if (l < N - 1) { /* by th_(l+1) - th_l */
            double x = which == 0 ? p->s[l] * p->v[l + 1] + p->c[l] * p->w[l + 1] : p->c[l] * p->v[l + 1] - p->s[l] * p->w[l + 1];
            r[1] += x, r[0] -= x;
        }
        if (l > 0) { /* by th_l - th_(l-1) */
            double x =
                which == 0 ? p->s[l - 1] * p->v[l - 1] - p->c[l - 1] * p->w[l - 1] : -p->c[l - 1] * p->v[l - 1] - p->s[l - 1] * p->w[l - 1];
            r[0] += x, r[-1] -= x;
        }
    }
}

static void tangent(double t, const double *q, const double *v, const double *z, ivp_matrix *dx, ivp_matrix *dv) {
    (void)z;
    geometry p;
    double A[N][5], R[N][5];
    p.c[N - 1] = p.s[N - 1] = 0;
    find_geometry(t, q, &p);
    find_w(&p, v);
    rows(&p, 0, A);
    rows(&p, 1, R);
    double lower[N], pivot[N]; /* C = L diag(1 / pivot) L^T */
    pivot[0] = 1 / p.d[0];
    for (int m = 1; m < N; m++) {
        lower[m] = -p.c[m - 1] * pivot[m - 1];
        pivot[m] = 1 / (p.d[m] + lower[m] * p.c[m - 1]);
    }
    for (int l = 0; l < N; l++) {                                  /* row l of D C^-1 = (C^-1 D^T e_l)^T, C is symmetric */
        double x[N] = {0}, padded[N + 4] = {0}, *row = padded + 2; /* columns beyond the ends get zeros */
        if (l < N - 1)
            x[l + 1] = p.s[l];
        if (l > 0)
            x[l - 1] = -p.s[l - 1];
        for (int m = l > 1 ? l : 1; m < N; m++)
            x[m] -= lower[m] * x[m - 1];
        x[N - 1] *= pivot[N - 1];
        for (int m = N - 2; m >= 0; m--)
            x[m] = x[m] * pivot[m] - lower[m + 1] * x[m + 1];
        for (int m = 0; m < N; m++)
            for (int k = 0; k < 5; k++)
                padded[m + k] += x[m] * R[m][k];
        for (int k = l < 2 ? -l : -2; k <= 2 && l + k < N; k++)
            row[l + k] += A[l][2 + k];
        for (int m = 0; m < N; m++) {
            ivp_add(dx, l, m, row[m]);
            ivp_add(dv, l, m, 2 * x[m] * v[m]);
        }
    }
}

static void implicit_start(double *x, double *xd) { /* at rest without load everything is 0 */
    memset(x, 0, 3 * N * sizeof *x);
    memset(xd, 0, 3 * N * sizeof *xd);
}

static void residual(double t, const double *x, const double *xd, double *r) {
    geometry p;
    const double *th = x, *thd = x + N, *w = x + 2 * N;
    p.c[N - 1] = p.s[N - 1] = 0;
    find_geometry(t, th, &p);
    for (int l = 0; l < N; l++) {
        r[l] = xd[l] - thd[l];
        r[N + l] = xd[N + l] - C_times(&p, p.v, l) - D_times(&p, w, l);
        r[2 * N + l] = C_times(&p, w, l) - D_times(&p, p.v, l) - thd[l] * thd[l];
    }
}

static void residual_jacobian(double t, const double *x, const double *xd, double c, ivp_matrix *J) {
    (void)xd;
    geometry p;
    double A[N][5], R[N][5];
    p.c[N - 1] = p.s[N - 1] = 0;
    find_geometry(t, x, &p);
    memcpy(p.w, x + 2 * N, sizeof p.w);
    rows(&p, 0, A);
    rows(&p, 1, R);
    for (int l = 0; l < N; l++) {
        ivp_add(J, l, l, c), ivp_add(J, l, N + l, -1), ivp_add(J, N + l, N + l, c);
        for (int k = -2; k <= 2; k++)
            if (l + k >= 0 && l + k < N)
                ivp_add(J, N + l, l + k, -A[l][2 + k]), ivp_add(J, 2 * N + l, l + k, -R[l][2 + k]);
        ivp_add(J, 2 * N + l, N + l, -2 * x[N + l]), ivp_add(J, 2 * N + l, 2 * N + l, p.d[l]);
        if (l > 0)
            ivp_add(J, 2 * N + l, 2 * N + l - 1, -p.c[l - 1]), ivp_add(J, N + l, 2 * N + l - 1, p.s[l - 1]);
        if (l < N - 1)
            ivp_add(J, 2 * N + l, 2 * N + l + 1, -p.c[l]), ivp_add(J, N + l, 2 * N + l + 1, -p.s[l]);
    }
}

static const double size[] = {
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
};

const ivp ivp_beam = {.name = "beam",
                      .scene = "beam",
                      .what = "elastic beam, stiff and oscillatory",
                      .nq = N,
                      .t_end = 5,
                      .split = 3.14159265358979323846,
                      .size = size,
                      .start = start,
                      .end_value = end_value,
                      .force = force,
                      .tangent = tangent,
                      .nx = 3 * N,
                      .implicit_start = implicit_start,
                      .residual = residual,
                      .residual_jacobian = residual_jacobian,
                      .nalgebraic = N};
