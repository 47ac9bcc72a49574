/* One pass of Gauss-Seidel over contacts with friction. In the axes of a contact D = by_n^-1 e e^T + sum by_s_k^-1 t_k t_k^T,
 * e = n + g_k t_k, so that with r = u - (target, 0, 0)
 *
 *     sticking   change of P_k = -by_s_k (r_k - g_k r_n),   of P_n = -by_n r_n - g_k (change of P_k)
 *     sliding    P_k = -c_k / (1/by_s_k + alpha),   c_k = r_k - g_k r_n - P_k / by_s_k,   |P_t| = mu P_n
 *
 * alpha by Newton's method for 1/|P_t|, which is nearly linear in it (More and Sorensen 1983). */
#include "complement/cone.h"
#include "complement/cone_bodies.h"

#include <math.h>

static inline double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static inline void cross(const double *a, const double *b, double *c) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* an impulse and its moment about the mass center */
static inline void take(bl_cone_body *b, const double impulse[3], const double m[3]) {
    for (int k = 0; k < 3; k++)
        b->v[k] += b->by_mass * impulse[k];
    if (b->by_inertia >= 0) {
        for (int k = 0; k < 3; k++)
            b->w[k] += b->by_inertia * m[k];
        return;
    }
    const double *t = b->tensor;
    b->w[0] += t[0] * m[0] + t[3] * m[1] + t[4] * m[2];
    b->w[1] += t[3] * m[0] + t[1] * m[1] + t[5] * m[2];
    b->w[2] += t[4] * m[0] + t[5] * m[1] + t[2] * m[2];
}

static inline void push(bl_cone_body *b, const double r[3], const double impulse[3]) {
    double m[3];
    cross(r, impulse, m);
    take(b, impulse, m);
}

/* the same by bracketing, for contacts whose normal impulse depends strongly on the sliding direction: rare */
static void slide_bracketed(const bl_cone_contact *c, const double s[2], const double r[3], double P[3]) {
    const double e[3] = {1, c->g[0], c->g[1]}, by = 1 / c->by_n;
    double D[9], b[3];
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            D[3 * j + i] = by * e[i] * e[j] + (i == j && i > 0 ? s[i - 1] : 0);
    for (int i = 0; i < 3; i++)
        b[i] = r[i] - D[i] * P[0] - D[3 + i] * P[1] - D[6 + i] * P[2];
    bl_cone_local(D, b, c->mu, P);
}

/* P of a contact that opens or slides */
static void slide(const bl_cone_contact *c, const double r[3], double P[3]) {
    const double q = P[0] + c->g[0] * P[1] + c->g[1] * P[2], free_n = q - r[0] * c->by_n; /* P_n without friction */
    if (free_n <= 0 || c->mu <= 0) {
        P[0] = free_n > 0 ? free_n : 0;
        P[1] = P[2] = 0;
        return;
    }
    const double s[2] = {1 / c->by_s[0], 1 / c->by_s[1]};
    const double c0 = r[1] - c->g[0] * r[0] - s[0] * P[1], c1 = r[2] - c->g[1] * r[0] - s[1] * P[2], size = sqrt(c0 * c0 + c1 * c1);
    double limit = c->mu * (free_n - c->g[0] * P[1] - c->g[1] * P[2]), alpha = limit > 0 ? size / limit - 0.5 * (s[0] + s[1]) : 0;
    alpha = alpha > 0 ? alpha : 0;
    for (int k = 0; k < 12 && limit > 0 && size > 0; k++) {
        double d0 = 1 / (s[0] + alpha), d1 = 1 / (s[1] + alpha), p0 = -c0 * d0, p1 = -c1 * d1;
        double square = p0 * p0 + p1 * p1, length = sqrt(square), normal = free_n - c->g[0] * p0 - c->g[1] * p1;
        limit = c->mu * normal;
        if (fabs(length - limit) <= 1e-13 * limit) {
            P[0] = normal, P[1] = p0, P[2] = p1;
            return;
        }
        alpha += (length - limit) / limit * square / (p0 * p0 * d0 + p1 * p1 * d1);
        alpha = alpha > 0 ? alpha : 0;
    }
    slide_bracketed(c, s, r, P);
}

static double contact_pass(bl_cone_body *body, const bl_cone_contact *c, double Q[3]) {
    bl_cone_body *a = body + c->body[0], *b = body + c->body[1];
    double ua[3], ub[3], u[3], impulse[3], back[3], P[3];
    cross(a->w, c->r[0], ua);
    cross(b->w, c->r[1], ub);
    for (int k = 0; k < 3; k++)
        u[k] = (b->v[k] - a->v[k]) + (ub[k] - ua[k]);
    const double r[3] = {dot(c->n, u) - c->target, dot(c->t[0], u), dot(c->t[1], u)};
    if (r[0] >= 0 && Q[0] == 0 && Q[1] == 0 && Q[2] == 0)
        return 0;
    const double d1 = -c->by_s[0] * (r[1] - c->g[0] * r[0]), d2 = -c->by_s[1] * (r[2] - c->g[1] * r[0]);
    P[0] = Q[0] - c->by_n * r[0] - c->g[0] * d1 - c->g[1] * d2;
    P[1] = Q[1] + d1;
    P[2] = Q[2] + d2;
    if (!(P[0] >= 0 && P[1] * P[1] + P[2] * P[2] <= c->mu * c->mu * P[0] * P[0])) {
        P[0] = Q[0], P[1] = Q[1], P[2] = Q[2];
        slide(c, r, P);
    }
    const double e0 = P[0] - Q[0], e1 = P[1] - Q[1], e2 = P[2] - Q[2];
    for (int k = 0; k < 3; k++) {
        impulse[k] = e0 * c->n[k] + e1 * c->t[0][k] + e2 * c->t[1][k];
        back[k] = -impulse[k];
        Q[k] = P[k];
    }
    if (a->by_mass > 0)
        push(a, c->r[0], back);
    if (b->by_mass > 0)
        push(b, c->r[1], impulse);
    return (e0 * e0 + e1 * e1 + e2 * e2) / (c->by_n * c->by_n);
}

/* the contacts of two runs in turn: they have other bodies as a rule, so that one is found while the other waits for its velocities */
static double two_runs(bl_cone_body *body, const bl_cone_run *run, int n, const bl_cone_contact *contact, double (*P)[3], bool back) {
    double most = 0;
    const bl_index longest = n > 1 && run[1].count > run[0].count ? run[1].count : run[0].count;
    for (bl_index m = 0; m < longest; m++) {
        const bl_index k = back ? longest - 1 - m : m;
        for (int j = 0; j < n; j++) {
            const bl_cone_run *of = run + (back ? n - 1 - j : j);
            if (k >= of->count)
                continue;
            double change = contact_pass(body, contact + of->first + k, P[of->first + k]);
            most = change > most ? change : most;
        }
    }
    return most;
}

static double pass(bl_cone_body *body, bl_index n, const bl_cone_contact *contact, const bl_cone_blocks *blocks, double (*P)[3],
                   bool back) {
    double most = 0;
    const bl_index nrun = blocks ? blocks->nrun : 0, pairs = (nrun + 1) / 2;
    for (bl_index m = 0; m < pairs; m++) {
        const bl_index k = 2 * (back ? pairs - 1 - m : m);
        double change = two_runs(body, blocks->run + k, k + 1 < nrun ? 2 : 1, contact, P, back);
        most = change > most ? change : most;
    }
    for (bl_index k = 0; k < n && !blocks; k++) {
        bl_index i = back ? n - 1 - k : k;
        double change = contact_pass(body, contact + i, P[i]);
        most = change > most ? change : most;
    }
    return most;
}

static double normal_contact(bl_cone_body *body, const bl_cone_contact *c, double Q[3]) {
    bl_cone_body *a = body + c->body[0], *b = body + c->body[1];
    double ua[3], ub[3], u[3], impulse[3], back[3];
    cross(a->w, c->r[0], ua);
    cross(b->w, c->r[1], ub);
    for (int k = 0; k < 3; k++)
        u[k] = (b->v[k] - a->v[k]) + (ub[k] - ua[k]);
    double now = Q[0] - c->by_n * (dot(c->n, u) - c->target);
    now = now > 0 ? now : 0;
    const double change = now - Q[0];
    if (change == 0)
        return 0;
    Q[0] = now;
    for (int k = 0; k < 3; k++) {
        impulse[k] = change * c->n[k];
        back[k] = -impulse[k];
    }
    if (a->by_mass > 0)
        push(a, c->r[0], back);
    if (b->by_mass > 0)
        push(b, c->r[1], impulse);
    return change * change / (c->by_n * c->by_n);
}

/* normal impulses of a block: each in turn and back, the others following by D; two rounds nearly solve it */
static double block_pass(bl_cone_body *body, const bl_cone_block *c, bl_index count, double (*Q)[3]) {
    enum { LANES = BL_CONE_LANES };
    bl_cone_body *a = body + c->body[0], *b = body + c->body[1];
    double u[LANES], P[LANES] = {0}, e[LANES], force[3], back[3], moment[2][3];
    for (int l = 0; l < LANES; l++) {
        double moved = c->n[0][l] * (b->v[0] - a->v[0]) + c->n[1][l] * (b->v[1] - a->v[1]) + c->n[2][l] * (b->v[2] - a->v[2]);
        double first = c->arm[0][0][l] * a->w[0] + c->arm[0][1][l] * a->w[1] + c->arm[0][2][l] * a->w[2];
        double second = c->arm[1][0][l] * b->w[0] + c->arm[1][1][l] * b->w[1] + c->arm[1][2][l] * b->w[2];
        u[l] = moved + (second - first) - c->target[l];
    }
    for (bl_index l = 0; l < count; l++)
        P[l] = Q[l][0];
    if (P[0] == 0 && P[1] == 0 && P[2] == 0 && P[3] == 0 && u[0] >= 0 && u[1] >= 0 && u[2] >= 0 && u[3] >= 0)
        return 0;
    for (int round = 0; round < 2; round++)
        for (int m = 0; m < LANES; m++) {
            const int i = round ? LANES - 1 - m : m;
            double now = P[i] - c->by[i] * u[i];
            now = now > 0 ? now : 0;
            const double change = now - P[i];
            P[i] = now;
            for (int l = 0; l < LANES; l++)
                u[l] += c->D[i][l] * change;
        }
    double most = 0;
    for (int l = 0; l < LANES; l++)
        e[l] = P[l];
    for (bl_index l = 0; l < count; l++) {
        e[l] = P[l] - Q[l][0];
        Q[l][0] = P[l];
        const double change = e[l] * c->D[l][l];
        most = change * change > most ? change * change : most;
    }
    for (int k = 0; k < 3; k++) {
        force[k] = (c->n[k][0] * e[0] + c->n[k][1] * e[1]) + (c->n[k][2] * e[2] + c->n[k][3] * e[3]);
        back[k] = -force[k];
        for (int side = 0; side < 2; side++) {
            const double *arm = c->arm[side][k];
            moment[side][k] = (arm[0] * e[0] + arm[1] * e[1]) + (arm[2] * e[2] + arm[3] * e[3]);
        }
        moment[0][k] = -moment[0][k];
    }
    if (a->by_mass > 0)
        take(a, back, moment[0]);
    if (b->by_mass > 0)
        take(b, force, moment[1]);
    return most;
}

static double normal_pass(bl_cone_body *body, bl_index n, const bl_cone_contact *contact, const bl_cone_blocks *blocks, double (*P)[3],
                          bool back) {
    double most = 0;
    const bl_index count = blocks ? blocks->nrun : n;
    for (bl_index k = 0; k < count; k++) {
        const bl_index i = back ? count - 1 - k : k;
        const bl_cone_run *run = blocks ? blocks->run + i : NULL;
        const bl_index at = run ? run->first : i;
        double change = run && run->block >= 0 ? block_pass(body, blocks->block + run->block, run->count, P + at)
                                               : normal_contact(body, contact + at, P[at]);
        most = change > most ? change : most;
    }
    return most;
}

const bl_cone_kernels BL_ISA_NAME(bl_cone_kernels) = {pass, normal_pass};
