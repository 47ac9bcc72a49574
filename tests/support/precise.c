/* Long double has 64 bits here; the library's double precision has 53. */
#include "support/precise.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const real GRAVITY = 9.81L;

/* ---- extrapolation */

enum { COLUMNS = 9 };                 /* rounding is amplified by each */
static const real TOLERANCE = 1e-17L; /* of a step */

/* the modified mid-point rule with 2 k steps; its error is a series in h^2 */
static void mid_point(int n, void (*f)(void *, real, const real *, real *), void *user, real t, real H, const real *y, const real *rate0,
                      int k, real *out) {
    real a[PRECISE_MOST], b[PRECISE_MOST], rate[PRECISE_MOST], h = H / (2 * k);
    memcpy(a, y, (size_t)n * sizeof *a);
    for (int i = 0; i < n; i++)
        b[i] = y[i] + h * rate0[i];
    for (int j = 1; j < 2 * k; j++) {
        f(user, t + j * h, b, rate);
        for (int i = 0; i < n; i++) {
            real next = a[i] + 2 * h * rate[i];
            a[i] = b[i];
            b[i] = next;
        }
    }
    f(user, t + H, b, rate);
    for (int i = 0; i < n; i++)
        out[i] = (a[i] + b[i] + h * rate[i]) / 2;
}

/* one step of H; the error that is left, or a large one */
static real extrapolate(int n, void (*f)(void *, real, const real *, real *), void *user, real t, real H, const real *y, real tolerance,
                        real *out) {
    static _Thread_local real table[COLUMNS][PRECISE_MOST];
    real rate0[PRECISE_MOST], error = 1;
    f(user, t, y, rate0);
    for (int k = 0; k < COLUMNS; k++) {
        real fresh[PRECISE_MOST];
        mid_point(n, f, user, t, H, y, rate0, k + 1, fresh);
        error = 0;
        for (int i = 0; i < n; i++) { /* Neville: table[j] is column j of the row before, then of this one */
            real value = fresh[i], last = value;
            for (int j = 1; j <= k; j++) {
                real ratio = (real)(k + 1) / (k + 1 - j), old = table[j - 1][i];
                table[j - 1][i] = last = value;
                value += (value - old) / (ratio * ratio - 1);
            }
            table[k][i] = out[i] = value;
            error = fmaxl(error, k ? fabsl(value - last) / (1 + fabsl(y[i])) : 1);
        }
        if (k >= 3 && error < tolerance)
            return error;
    }
    return error;
}

void precise_ode(int n, void (*f)(void *, real, const real *, real *), void *user, real t0, real t1, real *y, real tolerance, real *h) {
    real t = t0, out[PRECISE_MOST];
    if (*h <= 0)
        *h = (t1 - t0) / 8;
    while (t < t1) {
        int last = t + *h * 1.0001L >= t1;
        real H = last ? t1 - t : *h, error = extrapolate(n, f, user, t, H, y, tolerance, out);
        if (!(error < tolerance)) {
            *h = H * 0.6L;
            if (*h < 1e-12L * fmaxl(fabsl(t1), 1e-9L)) {
                fprintf(stderr, "precise: no step at t = %Lg, error %Lg\n", t, error);
                abort();
            }
            continue;
        }
        memcpy(y, out, (size_t)n * sizeof *y);
        t = last ? t1 : t + H;
        if (!last)
            *h = H * 1.15L;
    }
}

/* ---- dense equations, complete pivoting; unknowns that nothing determines become 0 */

enum { UNKNOWNS = 2 * PRECISE_ROWS };

static void exchange(real *a, real *b) {
    real kept = *a;
    *a = *b;
    *b = kept;
}

typedef struct elimination {
    int n, rank, row[UNKNOWNS], col[UNKNOWNS];
    real A[UNKNOWNS * UNKNOWNS];
} elimination;

static void eliminate(elimination *e) {
    int n = e->n;
    real *A = e->A, first = 0;
    for (int i = 0; i < n; i++)
        e->row[i] = e->col[i] = i;
    for (e->rank = 0; e->rank < n; e->rank++) {
        int k = e->rank, pr = k, pc = k, name;
        real most = 0;
        for (int i = k; i < n; i++)
            for (int j = k; j < n; j++)
                if (fabsl(A[i * n + j]) > most) {
                    most = fabsl(A[i * n + j]);
                    pr = i;
                    pc = j;
                }
        first = k ? first : most;
        if (most <= 1e-13L * first)
            break;
        for (int j = 0; j < n && pr != k; j++)
            exchange(&A[pr * n + j], &A[k * n + j]);
        for (int i = 0; i < n && pc != k; i++)
            exchange(&A[i * n + pc], &A[i * n + k]);
        name = e->row[pr], e->row[pr] = e->row[k], e->row[k] = name;
        name = e->col[pc], e->col[pc] = e->col[k], e->col[k] = name;
        for (int i = k + 1; i < n; i++) {
            A[i * n + k] /= A[k * n + k];
            for (int j = k + 1; j < n && A[i * n + k] != 0; j++)
                A[i * n + j] -= A[i * n + k] * A[k * n + j];
        }
    }
}

static void solve(const elimination *e, real *x) {
    int n = e->n;
    real y[UNKNOWNS];
    for (int i = 0; i < e->rank; i++) {
        y[i] = x[e->row[i]];
        for (int j = 0; j < i; j++)
            y[i] -= e->A[i * n + j] * y[j];
    }
    memset(x, 0, (size_t)n * sizeof *x);
    for (int i = e->rank - 1; i >= 0; i--) {
        for (int j = i + 1; j < e->rank; j++)
            y[i] -= e->A[i * n + j] * y[j];
        y[i] /= e->A[i * n + i];
        x[e->col[i]] = y[i];
    }
}

/* ---- points and axes */

/* Power series of the motion about the current configuration, order ORDER: with c = (k + 1)(k + 2), D and E the two differences of a row,
 *
 *     M c x_{k+2} + G_0^T l_k = Q_k - sum_{j < k} G_{k-j}^T l_j,     G_0 x_{k+2} = -sum_{i = 1 .. k+1} D_i . E_{k+2-i}
 *
 * by one elimination. Positions and velocities at the end of a step are projected with the elimination of the next expansion. */
enum { ORDER = 32, MOST = PRECISE_VECTORS * 3 };

typedef struct expansion {
    elimination lu;
    real x[ORDER + 1][MOST], lambda[ORDER][PRECISE_ROWS];
} expansion;

/* difference `which` (0: a - b, 1: c - d) of a row, coefficient k, part j */
static real difference(const precise_points *p, const expansion *at, const precise_row *row, int which, int k, int j) {
    int one = which ? row->c : row->a, two = which ? row->d : row->b;
    real plus = one < p->moving ? at->x[k][one * p->dim + j] : k == 0 ? p->x[one][j] : 0;
    real minus = two < 0 ? 0 : two < p->moving ? at->x[k][two * p->dim + j] : k == 0 ? p->x[two][j] : 0;
    return plus - minus;
}

/* out[] += by G_k^T l, or with l NULL the rows of G_k into A[nrow][n] */
static void slopes(const precise_points *p, const expansion *at, int k, const real *l, real *out, int stride) {
    for (int r = 0; r < p->nrow; r++) {
        const precise_row *row = &p->row[r];
        const int vector[4] = {row->a, row->b, row->c, row->d};
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < p->dim && vector[i] >= 0 && vector[i] < p->moving; j++) {
                real by = (i % 2 ? -1 : 1) * difference(p, at, row, i < 2, k, j);
                if (l)
                    out[vector[i] * p->dim + j] -= by * l[r];
                else
                    out[r * stride + vector[i] * p->dim + j] += by;
            }
    }
}

static void add_mass(const precise_points *p, const real *x, real *out) {
    for (int r = 0; r < p->nrod; r++) {
        const precise_rod *rod = &p->rod[r];
        int end[2] = {rod->a, rod->b};
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2 && end[i] < p->moving; j++)
                for (int k = 0; k < p->dim && end[j] < p->moving; k++)
                    out[end[i] * p->dim + k] += x[end[j] * p->dim + k] * (rod->a == rod->b ? rod->mass / 4
                                                                          : i == j         ? rod->mass / 3
                                                                                           : rod->mass / 6);
    }
}

/* factors the matrix at x_0 and projects x_0 and x_1 onto the rows */
static void points_project(const precise_points *p, expansion *at) {
    int n = p->moving * p->dim, all = n + p->nrow;
    elimination *lu = &at->lu;
    real rhs[UNKNOWNS] = {0};
    lu->n = all;
    memset(lu->A, 0, sizeof lu->A);
    for (int j = 0; j < n; j++) {
        real unit[MOST] = {0}, column[MOST] = {0};
        unit[j] = 1;
        add_mass(p, unit, column);
        for (int i = 0; i < n; i++)
            lu->A[i * all + j] = column[i];
    }
    slopes(p, at, 0, NULL, lu->A + n * all, all);
    for (int r = n; r < all; r++)
        for (int j = 0; j < n; j++)
            lu->A[j * all + r] = lu->A[r * all + j];
    eliminate(lu);
    for (int r = 0; r < p->nrow; r++) {
        rhs[n + r] = p->row[r].value;
        for (int j = 0; j < p->dim; j++)
            rhs[n + r] -= difference(p, at, &p->row[r], 0, 0, j) * difference(p, at, &p->row[r], 1, 0, j);
    }
    solve(lu, rhs);
    for (int i = 0; i < n; i++)
        at->x[0][i] += rhs[i];
    memset(rhs, 0, sizeof rhs);
    add_mass(p, at->x[1], rhs);
    solve(lu, rhs);
    memcpy(at->x[1], rhs, (size_t)n * sizeof *rhs);
}

static void points_expand(const precise_points *p, expansion *at) {
    int n = p->moving * p->dim;
    for (int k = 0; k + 2 <= ORDER; k++) {
        real rhs[UNKNOWNS] = {0}, c = (k + 1) * (k + 2);
        for (int r = 0; r < p->nrod && k == 0; r++)
            for (int i = 0; i < 2; i++) {
                int end = i ? p->rod[r].b : p->rod[r].a;
                if (end < p->moving)
                    rhs[end * p->dim + 1] -= p->rod[r].mass * GRAVITY / 2;
            }
        for (int l = 0; l < k; l++)
            slopes(p, at, k - l, at->lambda[l], rhs, 0);
        for (int r = 0; r < p->nrow; r++)
            for (int i = 1; i <= k + 1; i++)
                for (int j = 0; j < p->dim; j++)
                    rhs[n + r] -= c * difference(p, at, &p->row[r], 0, i, j) * difference(p, at, &p->row[r], 1, k + 2 - i, j);
        solve(&at->lu, rhs);
        for (int i = 0; i < n; i++)
            at->x[k + 2][i] = rhs[i] / c;
        memcpy(at->lambda[k], rhs + n, (size_t)p->nrow * sizeof *rhs);
    }
}

void precise_points_to(precise_points *p, real t) {
    static _Thread_local expansion at;
    int d = p->dim, n = p->moving * d;
    for (;;) {
        for (int i = 0; i < n; i++) {
            at.x[0][i] = p->x[i / d][i % d];
            at.x[1][i] = p->v[i / d][i % d];
        }
        points_project(p, &at);
        if (t > p->t)
            points_expand(p, &at);
        real h = t - p->t;
        for (int k = ORDER - 1; k <= ORDER; k++)
            for (int i = 0; i < n; i++)
                h = at.x[k][i] == 0 ? h : fminl(h, powl(1e-21L / fabsl(at.x[k][i]), 1.0L / k));
        int last = t > p->t ? ORDER : 0;
        bool done = h >= t - p->t;
        for (int i = 0; i < n; i++) {
            real x = 0, v = 0;
            for (int k = last; k >= 0; k--) {
                v = v * h + x;
                x = x * h + at.x[k][i];
            }
            p->x[i / d][i % d] = x;
            p->v[i / d][i % d] = last ? v : at.x[1][i];
        }
        if (last == 0)
            return;
        p->t = done ? t : p->t + h;
    }
}

real precise_points_drift(const precise_points *p) {
    real most = 0;
    for (int r = 0; r < p->nrow; r++) {
        const precise_row *row = &p->row[r];
        real sum = -row->value;
        for (int k = 0; k < p->dim; k++)
            sum += (p->x[row->a][k] - (row->b < 0 ? 0 : p->x[row->b][k])) * (p->x[row->c][k] - (row->d < 0 ? 0 : p->x[row->d][k]));
        most = fmaxl(most, fabsl(sum));
    }
    return most;
}

static void add_length(precise_points *p, int a, int b, real length) { p->row[p->nrow++] = (precise_row){a, b, a, b, length * length}; }

static void add_rod(precise_points *p, int a, int b, real length, real mass) {
    add_length(p, a, b, length);
    p->rod[p->nrod++] = (precise_rod){a, b, mass};
}

precise_points precise_pendulum(void) {
    precise_points p = {.dim = 2, .n = 2, .moving = 1, .x = {{-1, 0}, {0, 0}}};
    add_length(&p, 0, 1, 1);
    p.rod[p.nrod++] = (precise_rod){0, 0, 1};
    return p;
}

precise_points precise_double_pendulum(void) {
    real a1 = acosl(-1) / 3, a2 = acosl(-1) / 6, l2 = 0.8L, x = sinl(a1), y = -cosl(a1);
    precise_points p = {.dim = 2, .n = 3, .moving = 2, .x = {{x + l2 * sinl(a2), y - l2 * cosl(a2)}, {x, y}, {0, 0}}};
    add_rod(&p, 1, 2, 1, 1);
    add_rod(&p, 0, 1, l2, 0.5L);
    return p;
}

/* C, B move; A, D do not */
precise_points precise_four_bar(void) {
    real crank = 0.2L, coupler = 0.5L, rocker = 0.4L, base = 0.5L, d2 = base * base + crank * crank;
    real along = (coupler * coupler - rocker * rocker + d2) / (2 * d2), across = sqrtl(coupler * coupler / d2 - along * along);
    precise_points p = {.dim = 2, .n = 4, .moving = 2};
    p.x[0][0] = along * base + across * crank;
    p.x[0][1] = crank - along * crank + across * base;
    p.x[1][1] = crank;
    p.x[3][0] = base;
    add_rod(&p, 1, 2, crank, 0.5L);
    add_rod(&p, 0, 1, coupler, 1);
    add_rod(&p, 0, 3, rocker, 0.8L);
    /* B at 12 rad/s; C: (C - B) . (C' - B') = 0, (C - D) . C' = 0 */
    real bx = -12 * crank, rx = p.x[0][0] - p.x[1][0], ry = p.x[0][1] - p.x[1][1], sx = p.x[0][0] - base, sy = p.x[0][1];
    real pull = rx * bx, det = rx * sy - ry * sx;
    p.v[1][0] = bx;
    p.v[0][0] = pull * sy / det;
    p.v[0][1] = -pull * sx / det;
    return p;
}

/* P3, P2, P4, P5 and the axes of joints 2 to 5 move; P1, P6 and the axes of joints 1 and 6 do not. P3 comes first: the probe. */
precise_points precise_bricard(void) {
    enum { P3, P2, P4, P5, U2, U3, U4, U5, P1, P6, U1, U6 };
    static const int joint[] = {P1, P2, P3, P4, P5, P6}, axis[] = {U1, U2, U3, U4, U5, U6};
    precise_points p = {.dim = 3,
                        .n = 12,
                        .moving = 8,
                        .x = {[P1] = {0, 0, 0},
                              [P2] = {1, 0, 0},
                              [P3] = {1, -1, 0},
                              [P4] = {1, -1, 1},
                              [P5] = {0, -1, 1},
                              [P6] = {0, 0, 1},
                              [U1] = {0, 1, 0},
                              [U2] = {0, 0, 1},
                              [U3] = {1, 0, 0},
                              [U4] = {0, 1, 0},
                              [U5] = {0, 0, 1},
                              [U6] = {1, 0, 0}}};
    for (int i = 0; i < 5; i++) {
        add_rod(&p, joint[i], joint[i + 1], 1, 1);
        p.row[p.nrow++] = (precise_row){axis[i], -1, joint[i + 1], joint[i], 0};
        p.row[p.nrow++] = (precise_row){axis[i + 1], -1, joint[i + 1], joint[i], 0};
        p.row[p.nrow++] = (precise_row){axis[i], -1, axis[i + 1], -1, 0};
        if (i < 4)
            add_length(&p, axis[i + 1], -1, 1);
    }
    return p;
}

/* ---- Andrews' squeezer, as the test set for initial value problem solvers writes it */

static void andrews_rows(const real *q, real *g, real (*G)[7]) {
    const real xa = -.06934L, ya = -.00227L, xb = -.03635L, yb = .03273L, d = .028L, e = .02L, rr = .007L, ss = .035L, u = .04L, zf = .02L,
               zt = .04L;
    real b = q[0], bt = q[0] + q[1], c = q[2], pd = q[3] + q[4], del = q[4], oe = q[5] + q[6], ep = q[6];
    real X = rr * cosl(b) - d * cosl(bt), Y = rr * sinl(b) - d * sinl(bt);
    real Xb = -rr * sinl(b) + d * sinl(bt), Yb = rr * cosl(b) - d * cosl(bt), Xt = d * sinl(bt), Yt = -d * cosl(bt);
    g[0] = X - ss * sinl(c) - xb;
    g[1] = Y + ss * cosl(c) - yb;
    g[2] = X - e * sinl(pd) - zt * cosl(del) - xa;
    g[3] = Y + e * cosl(pd) - zt * sinl(del) - ya;
    g[4] = X - zf * cosl(oe) - u * sinl(ep) - xa;
    g[5] = Y - zf * sinl(oe) + u * cosl(ep) - ya;
    memset(G, 0, 6 * sizeof *G);
    for (int i = 0; i < 6; i += 2) {
        G[i][0] = Xb;
        G[i][1] = Xt;
        G[i + 1][0] = Yb;
        G[i + 1][1] = Yt;
    }
    G[0][2] = -ss * cosl(c);
    G[1][2] = -ss * sinl(c);
    G[2][3] = -e * cosl(pd);
    G[3][3] = -e * sinl(pd);
    G[2][4] = G[2][3] + zt * sinl(del);
    G[3][4] = G[3][3] - zt * cosl(del);
    G[4][5] = zf * sinl(oe);
    G[5][5] = -zf * cosl(oe);
    G[4][6] = G[4][5] - u * cosl(ep);
    G[5][6] = G[5][5] - u * sinl(ep);
}

/* -(G' v): centripetal terms of each direction in the rows */
static void andrews_curvature(const real *q, const real *v, real *c) {
    const real d = .028L, e = .02L, rr = .007L, ss = .035L, u = .04L, zf = .02L, zt = .04L;
    real bt = q[0] + q[1], pd = q[3] + q[4], oe = q[5] + q[6];
    real wb = v[0] * v[0], wbt = (v[0] + v[1]) * (v[0] + v[1]), wc = v[2] * v[2], wpd = (v[3] + v[4]) * (v[3] + v[4]), wd = v[4] * v[4];
    real woe = (v[5] + v[6]) * (v[5] + v[6]), we = v[6] * v[6];
    real X = rr * cosl(q[0]) * wb - d * cosl(bt) * wbt, Y = rr * sinl(q[0]) * wb - d * sinl(bt) * wbt;
    c[0] = X - ss * sinl(q[2]) * wc;
    c[1] = Y + ss * cosl(q[2]) * wc;
    c[2] = X - e * sinl(pd) * wpd - zt * cosl(q[4]) * wd;
    c[3] = Y + e * cosl(pd) * wpd - zt * sinl(q[4]) * wd;
    c[4] = X - zf * cosl(oe) * woe - u * sinl(q[6]) * we;
    c[5] = Y - zf * sinl(oe) * woe + u * cosl(q[6]) * we;
}

static void andrews_rate(void *user, real t, const real *y, real *rate) {
    (void)user;
    (void)t;
    const real m1 = .04325L, m2 = .00365L, m3 = .02373L, m4 = .00706L, m5 = .07050L, m6 = .00706L, m7 = .05498L;
    const real I1 = 2.194e-6L, I2 = 4.410e-7L, I3 = 5.255e-6L, I4 = 5.667e-7L, I5 = 1.169e-5L, I6 = 5.667e-7L, I7 = 1.912e-5L;
    const real xb = -.03635L, yb = .03273L, xc = .014L, yc = .072L, c0 = 4530, l0 = .07785L, mom = .033L, da = .0115L, rr = .007L,
               ra = .00092L, sa = .01874L, sb = .01043L, sc = .018L, sd = .02L, ta = .02308L, tb = .00916L, u = .04L, ua = .01228L,
               ub = .00449L, zt = .04L, w = .02L - .01421L, z = .02L - .01421L;
    const real *q = y, *v = y + 7;
    real sT = sinl(q[1]), cT = cosl(q[1]), sP = sinl(q[3]), cP = cosl(q[3]), sO = sinl(q[5]), cO = cosl(q[5]), sg = sinl(q[2]),
         cg = cosl(q[2]);
    enum { N = 13 };
    static _Thread_local elimination lu;
    real *A = lu.A, x[UNKNOWNS] = {0}, g[6], G[6][7];
    memset(A, 0, N * N * sizeof *A);
    lu.n = N;
    real M[7][7] = {{0}};
    M[0][0] = m1 * ra * ra + m2 * (rr * rr - 2 * da * rr * cT + da * da) + I1 + I2;
    M[1][0] = M[0][1] = m2 * (da * da - da * rr * cT) + I2;
    M[1][1] = m2 * da * da + I2;
    M[2][2] = m3 * (sa * sa + sb * sb) + I3;
    M[3][3] = m4 * w * w + I4;
    M[4][3] = M[3][4] = m4 * (w * w + zt * w * sP) + I4;
    M[4][4] = m4 * (zt * zt + 2 * zt * w * sP + w * w) + m5 * (ta * ta + tb * tb) + I4 + I5;
    M[5][5] = m6 * z * z + I6;
    M[6][5] = M[5][6] = m6 * (z * z - u * z * sO) + I6;
    M[6][6] = m6 * (z * z - 2 * u * z * sO + u * u) + m7 * (ua * ua + ub * ub) + I6 + I7;
    real xd = sd * cg + sc * sg + xb, yd = sd * sg - sc * cg + yb, L = hypotl(xd - xc, yd - yc), F = -c0 * (L - l0) / L;
    real Fx = F * (xd - xc), Fy = F * (yd - yc);
    x[0] = mom - m2 * da * rr * v[1] * (v[1] + 2 * v[0]) * sT;
    x[1] = m2 * da * rr * v[0] * v[0] * sT;
    x[2] = Fx * (sc * cg - sd * sg) + Fy * (sd * cg + sc * sg);
    x[3] = m4 * zt * w * v[4] * v[4] * cP;
    x[4] = -m4 * zt * w * v[3] * (v[3] + 2 * v[4]) * cP;
    x[5] = -m6 * u * z * v[6] * v[6] * cO;
    x[6] = m6 * u * z * v[5] * (v[5] + 2 * v[6]) * cO;
    andrews_rows(q, g, G);
    andrews_curvature(q, v, x + 7);
    const real by = 1e-4L; /* scales the rows, so that all pivots have about one size */
    for (int i = 0; i < 7; i++)
        for (int j = 0; j < 7; j++)
            A[i * N + j] = M[i][j];
    for (int r = 0; r < 6; r++) {
        x[7 + r] *= by;
        for (int j = 0; j < 7; j++)
            A[(7 + r) * N + j] = A[j * N + 7 + r] = by * G[r][j];
    }
    eliminate(&lu);
    solve(&lu, x);
    memcpy(rate, v, 7 * sizeof *rate);
    memcpy(rate + 7, x, 7 * sizeof *rate);
}

precise_andrews precise_andrews_start(void) {
    return (precise_andrews){.y = {-0.0617138900142764496358948458001L, 0, 0.455279819163070380255912382449L,
                                   0.222668390165885884674473185609L, 0.487364979543842550225598953530L, -0.222668390165885884674473185609L,
                                   1.23054744454982119249735015568L}};
}

void precise_andrews_to(precise_andrews *p, real t) {
    precise_ode(14, andrews_rate, NULL, p->t, t, p->y, TOLERANCE, &p->h);
    p->t = t;
}

real precise_andrews_drift(const precise_andrews *p) {
    real g[6], G[6][7], most = 0;
    andrews_rows(p->y, g, G);
    for (int i = 0; i < 6; i++)
        most = fmaxl(most, fabsl(g[i]));
    return most;
}

/* ---- one degree of freedom on a branch */

/* C of the change-point four-bar and its derivatives by s: C = (B + D)/2 + sqrt(2) cos(s/2) n, B = (cos s, sin s), D = (2, 0), n the unit
 * vector across D - B; with the distance r = sqrt(5 - 4 cos s), C = (B + D)/2 + k w, k = sqrt(2) cos(s/2) / r, w across D - B */
static void change_point_C(real s, real C[3][2]) {
    real c = cosl(s), n = sinl(s), r2 = 5 - 4 * c, r2d = 4 * n, r2dd = 4 * c;
    real a = sqrtl(2) * cosl(s / 2), ad = -sqrtl(2) * sinl(s / 2) / 2, add = -a / 4;
    /* i = r2^(-1/2) */
    real i = 1 / sqrtl(r2), id = -0.5L * i / r2 * r2d, idd = -0.5L * i / r2 * r2dd + 0.75L * i / (r2 * r2) * r2d * r2d;
    real k = a * i, kd = ad * i + a * id, kdd = add * i + 2 * ad * id + a * idd;
    /* D - B = (2 - c, -n); across, to the left: (n, 2 - c) */
    real w[3][2] = {{n, 2 - c}, {c, n}, {-n, c}}, half[3][2] = {{(c + 2) / 2, n / 2}, {-n / 2, c / 2}, {-c / 2, -n / 2}};
    for (int j = 0; j < 2; j++) {
        C[0][j] = half[0][j] + k * w[0][j];
        C[1][j] = half[1][j] + kd * w[0][j] + k * w[1][j];
        C[2][j] = half[2][j] + kdd * w[0][j] + 2 * kd * w[1][j] + k * w[2][j];
    }
}

static real dot2(const real *a, const real *b) { return a[0] * b[0] + a[1] * b[1]; }

/* mu s'' + mu' s'^2 / 2 + V' = 0, mu the sum of m/3 (P'.P' + P'.Q' + Q'.Q') over rods from P to Q */
static void branch_rate(void *user, real t, const real *y, real *rate) {
    const precise_branch *p = user;
    (void)t;
    rate[0] = y[1];
    if (p->N > 0) {
        rate[1] = GRAVITY * ((p->N + 1) / 2.0L + p->N) / ((p->N + 1) / 3.0L + p->N) * sinl(y[0]);
        return;
    }
    real s = y[0], C[3][2], B[3][2] = {{cosl(s), sinl(s)}, {-sinl(s), cosl(s)}, {-cosl(s), -sinl(s)}};
    change_point_C(s, C);
    real mu = (dot2(B[1], B[1]) + 1.5L * (dot2(B[1], B[1]) + dot2(B[1], C[1]) + dot2(C[1], C[1])) + 1.5L * dot2(C[1], C[1])) / 3;
    real mud = (2 * dot2(B[1], B[2]) + 1.5L * (2 * dot2(B[1], B[2]) + dot2(B[2], C[1]) + dot2(B[1], C[2]) + 2 * dot2(C[1], C[2])) +
                3 * dot2(C[1], C[2])) /
               3;
    real Vd = GRAVITY / 2 * (B[1][1] + 1.5L * (B[1][1] + C[1][1]) + 1.5L * C[1][1]);
    rate[1] = -(mud * y[1] * y[1] / 2 + Vd) / mu;
}

precise_branch precise_branch_start(int N) {
    if (N > 0)
        return (precise_branch){.N = N, .y = {0, 1}};
    return (precise_branch){.y = {acosl(-1) / 2, 3}};
}

void precise_branch_to(precise_branch *p, real t) {
    precise_ode(2, branch_rate, p, p->t, t, p->y, TOLERANCE, &p->h);
    p->t = t;
}

void precise_branch_probe(const precise_branch *p, real *x, real *v) {
    real s = p->y[0], C[3][2];
    if (p->N > 0) {
        x[0] = sinl(s);
        x[1] = cosl(s);
        v[0] = cosl(s) * p->y[1];
        v[1] = -sinl(s) * p->y[1];
        return;
    }
    change_point_C(s, C);
    for (int j = 0; j < 2; j++) {
        x[j] = C[0][j];
        v[j] = C[1][j] * p->y[1];
    }
}
