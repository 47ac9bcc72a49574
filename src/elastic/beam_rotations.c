/* Element of a plane beam by rotations (docs/theory/beams.md; Reissner 1972, Simo and Vu-Quoc 1986). With the angle theta = sum N_a alpha_a
 * of nodes whose d1 has the angle alpha_a, t = (cos theta, sin theta) and n = (-sin theta, cos theta),
 *
 *     Gamma_1 = t . P' - (t . P')_0,    Gamma_2 = n . P' - (n . P')_0,    K = theta' - theta'_0.
 *
 * At a point these are functions of P', theta and theta' alone, so derivatives are made there and spread to the nodes. d1 enters by its
 * angle only: f = dU/dalpha dalpha/dd1. */
#include "elastic/beam_rotations.h"

#include <math.h>
#include <string.h>

enum { NODE = 4 }; /* local values of a node: P, d1 */

/* ---- angles of the nodes, and strains at a point */

typedef struct angles {
    double first[2];                /* d1 of the first node, of unit length */
    double turn[BL_BEAM_NODES];     /* angle from the first node */
    double by[BL_BEAM_NODES][2];    /* dalpha/dd1 = (-d_y, d_x) / |d|^2 */
    double rate[BL_BEAM_NODES];     /* of alpha, at rates v */
    double drift[BL_BEAM_NODES][2]; /* derivative of this rate by d1 */
} angles;

/* second derivative of the angle of d, times v; by: its first derivative */
static void second(const double *by, const double *v, double *out) {
    double xx = -2 * by[0] * by[1], xy = by[0] * by[0] - by[1] * by[1]; /* 2 d_x d_y / |d|^4, (d_y^2 - d_x^2) / |d|^4 */
    out[0] = xx * v[0] + xy * v[1];
    out[1] = xy * v[0] - xx * v[1];
}

static void find_turns(const bl_beam_element *e, const double *x, angles *at) {
    const double *d = x + 2;
    double size = hypot(d[0], d[1]);
    at->first[0] = d[0] / size;
    at->first[1] = d[1] / size;
    at->turn[0] = 0;
    for (int a = 1; a < e->nnode; a++, d += NODE)
        at->turn[a] = at->turn[a - 1] + atan2(d[0] * d[NODE + 1] - d[1] * d[NODE], d[0] * d[NODE] + d[1] * d[NODE + 1]);
}

/* v (NULL: none): rates of x */
static void find_slopes(const bl_beam_element *e, const double *x, const double *v, angles *at) {
    for (int a = 0; a < e->nnode; a++) {
        const double *d = x + a * NODE + 2;
        double square = d[0] * d[0] + d[1] * d[1];
        at->by[a][0] = -d[1] / square;
        at->by[a][1] = d[0] / square;
        if (!v)
            continue;
        const double *rate = v + a * NODE + 2;
        at->rate[a] = at->by[a][0] * rate[0] + at->by[a][1] * rate[1];
        second(at->by[a], rate, at->drift[a]);
    }
}

typedef struct section {
    double t[2], n[2];
    double strain[3];        /* with those of the model configuration */
    double force[3];         /* section forces */
    double turning, rate[3]; /* rates of theta and of the strains */
} section;

static void find_section(const bl_beam_element *e, int p, const double *x, const angles *at, section *s) {
    double theta = 0, slope[2] = {0, 0}, bending = 0;
    for (int a = 0; a < e->nnode; a++, x += NODE) {
        theta += e->N[p][a] * at->turn[a];
        bending += e->dN[p][a] * at->turn[a];
        slope[0] += e->dN[p][a] * x[0];
        slope[1] += e->dN[p][a] * x[1];
    }
    double c = cos(theta), sine = sin(theta);
    s->t[0] = c * at->first[0] - sine * at->first[1];
    s->t[1] = c * at->first[1] + sine * at->first[0];
    s->n[0] = -s->t[1];
    s->n[1] = s->t[0];
    s->strain[0] = s->t[0] * slope[0] + s->t[1] * slope[1];
    s->strain[1] = s->n[0] * slope[0] + s->n[1] * slope[1];
    s->strain[2] = bending;
}

/* section forces at rates v (NULL: none); returns the power lost per length */
static double find_force(const bl_beam_element *e, int p, const double *v, const angles *at, section *s) {
    double slope[2] = {0, 0}, lost = 0;
    for (int k = 0; k < 3; k++)
        s->force[k] = e->stiffness[k] * (s->strain[k] - e->start[p][k]);
    if (!v)
        return 0;
    s->turning = s->rate[2] = 0;
    for (int a = 0; a < e->nnode; a++, v += NODE) {
        s->turning += e->N[p][a] * at->rate[a];
        s->rate[2] += e->dN[p][a] * at->rate[a];
        slope[0] += e->dN[p][a] * v[0];
        slope[1] += e->dN[p][a] * v[1];
    }
    s->rate[0] = s->t[0] * slope[0] + s->t[1] * slope[1] + s->strain[1] * s->turning;
    s->rate[1] = s->n[0] * slope[0] + s->n[1] * slope[1] - s->strain[0] * s->turning;
    for (int k = 0; k < 3; k++) {
        s->force[k] += e->viscosity[k] * s->rate[k];
        lost += e->viscosity[k] * s->rate[k] * s->rate[k];
    }
    return lost;
}

void bl_beam_rotations_strains(const bl_beam_element *e, int point, const double *x, double *strain) {
    angles at;
    section s;
    find_turns(e, x, &at);
    find_section(e, point, x, &at, &s);
    for (int k = 0; k < 3; k++)
        strain[k] = s.strain[k] - e->start[point][k];
}

double bl_beam_rotations_energy(const bl_beam_element *e, const double *x) {
    double sum = 0;
    angles at;
    find_turns(e, x, &at);
    for (int p = 0; p < e->npoint; p++) {
        section s;
        find_section(e, p, x, &at, &s);
        for (int k = 0; k < 3; k++)
            sum += 0.5 * e->weight[p] * e->stiffness[k] * (s.strain[k] - e->start[p][k]) * (s.strain[k] - e->start[p][k]);
    }
    return sum;
}

/* ---- forces */

double bl_beam_rotations_force(const bl_beam_element *e, const double *x, const double *v, double *f) {
    double lost = 0, moment[BL_BEAM_NODES] = {0};
    angles at;
    memset(f, 0, (size_t)bl_beam_local(e) * sizeof *f);
    find_turns(e, x, &at);
    find_slopes(e, x, v, &at);
    for (int p = 0; p < e->npoint; p++) {
        section s;
        find_section(e, p, x, &at, &s);
        lost += e->weight[p] * find_force(e, p, v, &at, &s);
        double by_theta = e->weight[p] * (s.force[0] * s.strain[1] - s.force[1] * s.strain[0]), bending = e->weight[p] * s.force[2];
        for (int a = 0; a < e->nnode; a++) {
            double w = e->weight[p] * e->dN[p][a];
            f[a * NODE] += w * (s.force[0] * s.t[0] + s.force[1] * s.n[0]);
            f[a * NODE + 1] += w * (s.force[0] * s.t[1] + s.force[1] * s.n[1]);
            moment[a] += e->N[p][a] * by_theta + e->dN[p][a] * bending;
        }
    }
    for (int a = 0; a < e->nnode; a++)
        for (int k = 0; k < 2; k++)
            f[a * NODE + 2 + k] = moment[a] * at.by[a][k];
    return lost;
}

/* ---- tangents */

/* Matrix in the positions and angles of two nodes: between positions, of a position by an angle and conversely, between angles. */
typedef struct block {
    double PP[2][2], Pa[2], aP[2], aa;
} block;

typedef block blocks[BL_BEAM_NODES][BL_BEAM_NODES];

/* The same at a point, between P', theta, and apart from them theta' */
typedef struct at_point {
    double PP[2][2], Pt[2], tP[2], tt, bending;
} at_point;

static void spread(const bl_beam_element *e, int p, const at_point *h, blocks to) {
    for (int a = 0; a < e->nnode; a++)
        for (int b = 0; b < e->nnode; b++) {
            const double N = e->N[p][a], dN = e->dN[p][a], other = e->N[p][b], slope = e->dN[p][b];
            block *m = &to[a][b];
            for (int k = 0; k < 2; k++) {
                m->PP[k][0] += dN * slope * h->PP[k][0];
                m->PP[k][1] += dN * slope * h->PP[k][1];
                m->Pa[k] += dN * other * h->Pt[k];
                m->aP[k] += N * slope * h->tP[k];
            }
            m->aa += N * other * h->tt + dN * slope * h->bending;
        }
}

/* K in the vectors of the nodes: an angle becomes dalpha/dd1 */
static void expand(const bl_beam_element *e, const angles *at, blocks from, double *K) {
    const int n = NODE * e->nnode;
    for (int a = 0; a < e->nnode; a++)
        for (int b = 0; b < e->nnode; b++) {
            const block *m = &from[a][b];
            const double *left = at->by[a], *right = at->by[b];
            for (int k = 0; k < 2; k++) {
                double *position = K + (a * NODE + k) * n + b * NODE, *director = position + 2 * n;
                for (int l = 0; l < 2; l++) {
                    position[l] = m->PP[k][l];
                    position[2 + l] = m->Pa[k] * right[l];
                    director[l] = left[k] * m->aP[l];
                    director[2 + l] = left[k] * m->aa * right[l];
                }
            }
        }
}

/* sum over the strains of factor g r^T, g their derivatives and r those of the section forces; half: of the derivatives of the rates */
static void add_strain(const double *gP, double gt, const double *rP, double rt, double factor, at_point *h) {
    for (int k = 0; k < 2; k++) {
        h->PP[k][0] += factor * gP[k] * rP[0];
        h->PP[k][1] += factor * gP[k] * rP[1];
        h->Pt[k] += factor * gP[k] * rt;
        h->tP[k] += factor * gt * rP[k];
    }
    h->tt += factor * gt * rt;
}

/* g of the strains, of Gamma_1 and Gamma_2: by P' t and n, by theta Gamma_2 and -Gamma_1; their second derivatives likewise */
static void point_tangent(const bl_beam_element *e, int p, const section *s, bool rates, at_point *h) {
    const double w = e->weight[p], *A = s->strain, *n = s->force, *c = e->viscosity;
    *h = (at_point){.bending = w * e->stiffness[2]};
    add_strain(s->t, A[1], s->t, A[1], w * e->stiffness[0], h);
    add_strain(s->n, -A[0], s->n, -A[0], w * e->stiffness[1], h);
    for (int k = 0; k < 2; k++) {
        double mixed = w * (n[0] * s->n[k] - n[1] * s->t[k]);
        h->Pt[k] += mixed;
        h->tP[k] += mixed;
    }
    h->tt -= w * (n[0] * A[0] + n[1] * A[1]);
    if (!rates)
        return;
    const double along[2] = {s->turning * s->n[0], s->turning * s->n[1]}, across[2] = {-s->turning * s->t[0], -s->turning * s->t[1]};
    add_strain(s->t, A[1], along, s->rate[1], w * c[0], h);
    add_strain(s->n, -A[0], across, -s->rate[0], w * c[1], h);
}

static void point_viscous(const bl_beam_element *e, int p, const section *s, at_point *h) {
    const double w = e->weight[p], *A = s->strain;
    *h = (at_point){.bending = w * e->viscosity[2]};
    add_strain(s->t, A[1], s->t, A[1], w * e->viscosity[0], h);
    add_strain(s->n, -A[0], s->n, -A[0], w * e->viscosity[1], h);
}

/* The force of an angle acts on d1 along dalpha/dd1, which turns with d1. */
static void add_turning(const bl_beam_element *e, const angles *at, const double *moment, double *K) {
    const int n = NODE * e->nnode;
    static const double one[2][2] = {{1, 0}, {0, 1}};
    for (int a = 0; a < e->nnode; a++)
        for (int l = 0; l < 2; l++) {
            double column[2];
            second(at->by[a], one[l], column);
            for (int k = 0; k < 2; k++)
                K[(a * NODE + 2 + k) * n + a * NODE + 2 + l] += moment[a] * column[k];
        }
}

/* ... and the rate of an angle at a given v depends on d1 too. */
static void add_drift(const bl_beam_element *e, const angles *at, blocks viscous, double *K) {
    const int n = NODE * e->nnode;
    for (int a = 0; a < e->nnode; a++)
        for (int b = 0; b < e->nnode; b++)
            for (int k = 0; k < 2; k++)
                for (int l = 0; l < 2; l++) {
                    double *to = K + (a * NODE + k) * n + b * NODE + 2 + l;
                    to[0] += viscous[a][b].Pa[k] * at->drift[b][l];
                    to[2 * n] += at->by[a][k] * viscous[a][b].aa * at->drift[b][l];
                }
}

void bl_beam_rotations_tangent(const bl_beam_element *e, const double *x, const double *v, double *K, double *C) {
    blocks elastic, viscous;
    double moment[BL_BEAM_NODES] = {0};
    angles at;
    memset(elastic, 0, sizeof elastic);
    memset(viscous, 0, sizeof viscous);
    find_turns(e, x, &at);
    find_slopes(e, x, v, &at);
    for (int p = 0; p < e->npoint; p++) {
        section s;
        at_point h;
        find_section(e, p, x, &at, &s);
        find_force(e, p, v, &at, &s);
        point_tangent(e, p, &s, v != NULL, &h);
        spread(e, p, &h, elastic);
        for (int a = 0; a < e->nnode; a++)
            moment[a] += e->weight[p] * (e->N[p][a] * (s.force[0] * s.strain[1] - s.force[1] * s.strain[0]) + e->dN[p][a] * s.force[2]);
        if (!v && !C)
            continue;
        point_viscous(e, p, &s, &h);
        spread(e, p, &h, viscous);
    }
    expand(e, &at, elastic, K);
    add_turning(e, &at, moment, K);
    if (v)
        add_drift(e, &at, viscous, K);
    if (C)
        expand(e, &at, viscous, C);
}
