/* Element of a beam in space by rotations relative to its middle (docs/theory/beams.md, section 10; Crisfield and Jelenic 1999). With the
 * rotations R_a of the nodes and R_r of the middle, half way between the nodes I and J about it,
 *
 *     psi_a = log(R_r^T R_a),  psi = sum N_a psi_a,  y_a = R_r^T P_a,  u = sum N_a' y_a,
 *     Gamma = exp(psi)^T u - ( )_0,    K = T(psi) psi' - ( )_0.
 *
 * Derivatives are made in four layers: of the strains by (u, psi, psi') at a point; by (y_a, psi_a); by positions and small rotations phi
 * of the nodes in their own axes, R exp(phi); and by d2, d3, whose frame (Gram and Schmidt) has the rotations phi = G (dd2, dd3). */
#include "elastic/beam_space.h"

#include "elastic/elastic_limits.h"
#include "elastic/rotation_vector.h"

enum { NODE = 9, MOST = BL_BEAM_NODES, SLOTS = 2 * MOST }; /* values of a node: P, d2, d3; (y, psi) or (P, phi) of all nodes */

/* ---- frames of the nodes */

typedef struct frame {
    bl_mat3 t;      /* rows: the axes, t2 along d2, t3 in the plane of d2 and d3 */
    double a, q, s; /* d2 = a t2, d3 = q t2 + s t3 */
} frame;

/* phi = by_d2 dd2 + by_d3 dd3 */
typedef struct turning {
    bl_mat3 by[2];
} turning;

static void find_frame(const double *d2, const double *d3, frame *f) {
    f->a = norm3(d2);
    for (int k = 0; k < 3; k++)
        f->t[1][k] = d2[k] / f->a;
    f->q = dot3(f->t[1], d3);
    for (int k = 0; k < 3; k++)
        f->t[2][k] = d3[k] - f->q * f->t[1][k];
    f->s = norm3(f->t[2]);
    for (int k = 0; k < 3; k++)
        f->t[2][k] /= f->s;
    cross3(f->t[1], f->t[2], f->t[0]);
}

static void find_turning(const frame *f, turning *G) {
    for (int k = 0; k < 3; k++) {
        G->by[0][0][k] = f->t[2][k] / f->a;
        G->by[0][1][k] = -f->q / (f->a * f->s) * f->t[0][k];
        G->by[0][2][k] = -f->t[0][k] / f->a;
        G->by[1][0][k] = G->by[1][2][k] = 0;
        G->by[1][1][k] = f->t[0][k] / f->s;
    }
}

/* phi at rates v of d2, d3 */
static void turning_at(const turning *G, const double *v, double w[3]) {
    memset(w, 0, 3 * sizeof *w);
    add_applied(G->by[0], v, w);
    add_applied(G->by[1], v + 3, w);
}

/* rate of G at rates v of d2, d3 */
static void find_turning_rate(const frame *f, const turning *G, const double *v, turning *rate) {
    double w[3], da, dq, ds;
    turning_at(G, v, w);
    da = dot3(f->t[1], v);
    dq = w[0] * f->s + dot3(f->t[1], v + 3);
    ds = dot3(f->t[2], v + 3) - w[0] * f->q;
    double ratio = f->q / (f->a * f->s), change = dq / (f->a * f->s) - ratio * (da / f->a + ds / f->s);
    for (int k = 0; k < 3; k++) {
        double dt1 = w[2] * f->t[1][k] - w[1] * f->t[2][k], dt3 = w[1] * f->t[0][k] - w[0] * f->t[1][k];
        rate->by[0][0][k] = (dt3 - f->t[2][k] * da / f->a) / f->a;
        rate->by[0][1][k] = -ratio * dt1 - change * f->t[0][k];
        rate->by[0][2][k] = (f->t[0][k] * da / f->a - dt1) / f->a;
        rate->by[1][0][k] = rate->by[1][2][k] = 0;
        rate->by[1][1][k] = (dt1 - f->t[0][k] * ds / f->s) / f->s;
    }
}

/* H[6][n] += derivative of G^T m by d2, d3 */
static void add_turning_slope(const frame *f, const turning *G, const double m[3], int n, double *H) {
    const double as = f->a * f->s, along = m[0] / f->a, across = m[2] / f->a + m[1] * f->q / as, third = m[1] / f->s;
    for (int j = 0; j < 6; j++) {
        const double w[3] = {G->by[j / 3][0][j % 3], G->by[j / 3][1][j % 3], G->by[j / 3][2][j % 3]};
        double da = j < 3 ? f->t[1][j] : 0, dq = w[0] * f->s + (j < 3 ? 0 : f->t[1][j - 3]);
        double ds = (j < 3 ? 0 : f->t[2][j - 3]) - w[0] * f->q;
        double dalong = -along * da / f->a, dthird = -third * ds / f->s;
        double dacross = -across * da / f->a + m[1] / as * (dq - f->q * ds / f->s);
        for (int k = 0; k < 3; k++) {
            double dt1 = w[2] * f->t[1][k] - w[1] * f->t[2][k], dt3 = w[1] * f->t[0][k] - w[0] * f->t[1][k];
            H[k * n + j] += dalong * f->t[2][k] + along * dt3 - dacross * f->t[0][k] - across * dt1;
            H[(3 + k) * n + j] += dthird * f->t[0][k] + third * dt1;
        }
    }
}

/* ---- rotations relative to the middle */

typedef struct shape {
    frame node[MOST];
    int I, J;  /* nodes about the middle, or twice that in the middle */
    bl_mat3 r; /* rows: axes of the middle */
    double y[MOST][3], psi[MOST][3];
} shape;

static void relative(const bl_mat3 r, const bl_mat3 t, double psi[3]) {
    bl_mat3 M;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            M[i][j] = dot3(r[i], t[j]);
    rotation_vector(M, psi);
}

static void find_shape(const bl_beam_element *e, const double *x, shape *s) {
    s->I = (e->nnode - 1) / 2;
    s->J = e->nnode / 2;
    for (int a = 0; a < e->nnode; a++)
        find_frame(x + a * NODE + 3, x + a * NODE + 6, &s->node[a]);
    memcpy(s->r, s->node[s->I].t, sizeof s->r);
    memset(s->psi, 0, sizeof s->psi);
    if (s->I != s->J) {
        double c[BL_ROTATION_COEFFICIENTS], h[3];
        bl_mat3 E;
        relative(s->node[s->I].t, s->node[s->J].t, h);
        for (int k = 0; k < 3; k++) {
            h[k] *= 0.5;
            s->psi[s->J][k] = h[k];
            s->psi[s->I][k] = -h[k];
        }
        rotation_coefficients(h, c);
        rotation_of(h, c, E);
        memset(s->r, 0, sizeof s->r);
        add_transposed(E, s->node[s->I].t, s->r);
    }
    for (int a = 0; a < e->nnode; a++) {
        double from[3];
        for (int k = 0; k < 3; k++) {
            from[k] = x[a * NODE + k] - x[s->I * NODE + k];
            s->y[a][k] = 0;
        }
        add_applied(s->r, from, s->y[a]);
        if (a != s->I && a != s->J)
            relative(s->r, s->node[a].t, s->psi[a]);
    }
}

static double largest_turn(const bl_beam_element *e, const shape *s) {
    double most = 0;
    for (int a = 0; a < e->nnode; a++)
        most = fmax(most, dot3(s->psi[a], s->psi[a]));
    return s->I == s->J ? sqrt(most) : fmax(sqrt(most), 2 * norm3(s->psi[s->J]));
}

double bl_beam_space_turn(const bl_beam_element *e, const double *x) {
    shape s;
    find_shape(e, x, &s);
    return largest_turn(e, &s);
}

/* ---- strains at a point */

typedef struct section {
    double u[3], psi[3], slope[3], c[BL_ROTATION_COEFFICIENTS];
    bl_mat3 E, T;
    double strain[BL_BEAM_STRAINS]; /* with those of the model configuration */
    double force[BL_BEAM_STRAINS];  /* section forces, then moments */
} section;

static void interpolate(const bl_beam_element *e, int p, const double y[][3], const double psi[][3], double *u, double *at, double *slope) {
    for (int k = 0; k < 3; k++)
        u[k] = at[k] = slope[k] = 0;
    for (int a = 0; a < e->nnode; a++)
        for (int k = 0; k < 3; k++) {
            u[k] += e->dN[p][a] * y[a][k];
            at[k] += e->N[p][a] * psi[a][k];
            slope[k] += e->dN[p][a] * psi[a][k];
        }
}

static void find_section(const bl_beam_element *e, int p, const shape *s, section *at) {
    interpolate(e, p, s->y, s->psi, at->u, at->psi, at->slope);
    rotation_coefficients(at->psi, at->c);
    rotation_of(at->psi, at->c, at->E);
    rotation_tangent(-1, at->psi, at->c, at->T);
    memset(at->strain, 0, sizeof at->strain);
    add_applied_transposed(at->E, at->u, at->strain);
    add_applied(at->T, at->slope, at->strain + 3);
    for (int k = 0; k < BL_BEAM_STRAINS; k++)
        at->force[k] = e->stiffness[k] * (at->strain[k] - e->start[p][k]);
}

void bl_beam_space_strains(const bl_beam_element *e, int point, const double *x, double *strain) {
    shape s;
    section at;
    find_shape(e, x, &s);
    find_section(e, point, &s, &at);
    for (int k = 0; k < BL_BEAM_STRAINS; k++)
        strain[k] = at.strain[k] - e->start[point][k];
}

double bl_beam_space_energy(const bl_beam_element *e, const double *x) {
    double sum = 0;
    shape s;
    find_shape(e, x, &s);
    for (int p = 0; p < e->npoint; p++) {
        section at;
        find_section(e, p, &s, &at);
        for (int k = 0; k < BL_BEAM_STRAINS; k++)
            sum += 0.5 * e->weight[p] * at.force[k] * (at.strain[k] - e->start[p][k]);
    }
    return largest_turn(e, &s) < elastic_most_turn ? sum : NAN;
}

/* Derivatives of the strains: dGamma = Gu du + Gp dpsi, dK = Kp dpsi + T dpsi'. */
typedef struct gradient {
    bl_mat3 Gu, Gp, Kp, Ks;
} gradient;

static void find_gradient(const section *at, gradient *g) {
    bl_mat3 cross = {{0}};
    memset(g->Gu, 0, sizeof g->Gu);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            g->Gu[i][j] = at->E[j][i];
    add_cross(1, at->strain, cross);
    product(cross, at->T, g->Gp);
    rotation_tangent_slope(-1, at->psi, at->c, at->slope, g->Kp);
    memcpy(g->Ks, at->T, sizeof g->Ks);
}

/* ---- changes of y and psi with positions and small rotations of the nodes: dy = P dP + y phi_r, dpsi = own phi + ref phi_r, where phi_r
 * is the rotation of the middle, A[0] phi_I + A[1] phi_J */

typedef struct jacobian {
    bl_mat3 P, y[MOST], own[MOST], ref[MOST], A[2];
    double kappa, kappa1; /* A = (1 -+ kappa [psi_J]) / 2, dkappa = kappa1 psi . dpsi */
} jacobian;

typedef struct inverse { /* coefficients of L = T^-1 at a node */
    double e, e1;
} inverse;

static void find_jacobian(const bl_beam_element *e, const shape *s, inverse *L, jacobian *j) {
    double c[BL_ROTATION_COEFFICIENTS];
    memcpy(j->P, s->r, sizeof j->P);
    for (int a = 0; a < e->nnode; a++) {
        rotation_coefficients(s->psi[a], c);
        L[a].e = rotation_inverse(c, &L[a].e1);
        memset(j->y[a], 0, sizeof j->y[a]);
        add_cross(1, s->y[a], j->y[a]);
        identity(j->own[a]);
        add_cross(0.5, s->psi[a], j->own[a]);
        add_crosses(L[a].e, s->psi[a], s->psi[a], j->own[a]);
        for (int k = 0; k < 3; k++)
            for (int l = 0; l < 3; l++)
                j->ref[a][k][l] = -j->own[a][l][k];
    }
    rotation_coefficients(s->psi[s->J], c);
    j->kappa = c[1] / (1 + c[0]);
    j->kappa1 = rotation_first(c, 1) / (1 + c[0]) + j->kappa * j->kappa;
    for (int side = 0; side < 2; side++) {
        memset(j->A[side], 0, sizeof j->A[side]);
        for (int k = 0; k < 3; k++)
            j->A[side][k][k] = 0.5;
        add_cross((side ? 0.5 : -0.5) * j->kappa, s->psi[s->J], j->A[side]);
    }
}

/* rates of all that, and of y, psi */
typedef struct motion {
    turning rate[MOST];
    double y[MOST][3], psi[MOST][3], wr[3];
    jacobian j;
} motion;

static void find_motion(const bl_beam_element *e, const shape *s, const turning *G, const jacobian *j, const double *v, motion *m) {
    double w[MOST][3];
    for (int a = 0; a < e->nnode; a++)
        turning_at(&G[a], v + a * NODE + 3, w[a]);
    memset(m->wr, 0, sizeof m->wr);
    add_applied(j->A[0], w[s->I], m->wr);
    add_applied(j->A[1], w[s->J], m->wr);
    memset(m->y, 0, sizeof m->y);
    memset(m->psi, 0, sizeof m->psi);
    for (int a = 0; a < e->nnode; a++) {
        double from[3];
        for (int k = 0; k < 3; k++)
            from[k] = v[a * NODE + k] - v[s->I * NODE + k];
        add_applied(j->P, from, m->y[a]);
        add_applied(j->y[a], m->wr, m->y[a]);
        add_applied(j->own[a], w[a], m->psi[a]);
        add_applied(j->ref[a], m->wr, m->psi[a]);
    }
}

static void find_motion_slopes(const bl_beam_element *e, const shape *s, const turning *G, const inverse *L, const jacobian *j,
                               const double *v, motion *m) {
    bl_mat3 turn = {{0}};
    add_cross(-1, m->wr, turn);
    product(turn, j->P, m->j.P);
    for (int a = 0; a < e->nnode; a++) {
        find_turning_rate(&s->node[a], &G[a], v + a * NODE + 3, &m->rate[a]);
        memset(m->j.y[a], 0, sizeof m->j.y[a]);
        add_cross(1, m->y[a], m->j.y[a]);
        rotation_rate(s->psi[a], m->psi[a], 0.5, 0, L[a].e, L[a].e1, m->j.own[a]);
        for (int k = 0; k < 3; k++)
            for (int l = 0; l < 3; l++)
                m->j.ref[a][k][l] = -m->j.own[a][l][k];
    }
    for (int side = 0; side < 2; side++) {
        double half = side ? 0.5 : -0.5, rate = j->kappa1 * dot3(s->psi[s->J], m->psi[s->J]);
        memset(m->j.A[side], 0, sizeof m->j.A[side]);
        add_cross(half * rate, s->psi[s->J], m->j.A[side]);
        add_cross(half * j->kappa, m->psi[s->J], m->j.A[side]);
    }
}

/* ---- forces */

/* adds the section forces of rates; returns the power lost per length */
static double add_viscous(const bl_beam_element *e, int p, const motion *m, const gradient *g, section *at) {
    double u[3], psi[3], slope[3], rate[BL_BEAM_STRAINS] = {0}, lost = 0;
    interpolate(e, p, m->y, m->psi, u, psi, slope);
    add_applied(g->Gu, u, rate);
    add_applied(g->Gp, psi, rate);
    add_applied(g->Kp, psi, rate + 3);
    add_applied(g->Ks, slope, rate + 3);
    for (int k = 0; k < BL_BEAM_STRAINS; k++) {
        at->force[k] += e->viscosity[k] * rate[k];
        lost += e->viscosity[k] * rate[k] * rate[k];
    }
    return lost;
}

/* derivatives of the energy by y and psi */
typedef struct loads {
    double y[MOST][3], psi[MOST][3];
} loads;

static void add_loads(const bl_beam_element *e, int p, const section *at, const gradient *g, loads *to) {
    double u[3] = {0}, psi[3] = {0}, slope[3] = {0};
    add_applied_transposed(g->Gu, at->force, u);
    add_applied_transposed(g->Gp, at->force, psi);
    add_applied_transposed(g->Kp, at->force + 3, psi);
    add_applied_transposed(g->Ks, at->force + 3, slope);
    for (int a = 0; a < e->nnode; a++)
        for (int k = 0; k < 3; k++) {
            to->y[a][k] += e->weight[p] * e->dN[p][a] * u[k];
            to->psi[a][k] += e->weight[p] * (e->N[p][a] * psi[k] + e->dN[p][a] * slope[k]);
        }
}

/* moments of the nodes about their own axes, and that of the middle, which is among them */
static void find_moments(const bl_beam_element *e, const shape *s, const jacobian *j, const loads *l, double m[][3], double middle[3]) {
    memset(middle, 0, 3 * sizeof *middle);
    for (int a = 0; a < e->nnode; a++) {
        memset(m[a], 0, sizeof m[a]);
        add_applied_transposed(j->own[a], l->psi[a], m[a]);
        add_applied_transposed(j->ref[a], l->psi[a], middle);
        add_applied_transposed(j->y[a], l->y[a], middle);
    }
    add_applied_transposed(j->A[0], middle, m[s->I]);
    add_applied_transposed(j->A[1], middle, m[s->J]);
}

double bl_beam_space_force(const bl_beam_element *e, const double *x, const double *v, double *f) {
    double lost = 0, moment[MOST][3], middle[3];
    turning G[MOST];
    inverse L[MOST];
    loads l = {{{0}}, {{0}}};
    jacobian j;
    motion m;
    shape s;
    find_shape(e, x, &s);
    find_jacobian(e, &s, L, &j);
    for (int a = 0; a < e->nnode; a++)
        find_turning(&s.node[a], &G[a]);
    if (v)
        find_motion(e, &s, G, &j, v, &m);
    for (int p = 0; p < e->npoint; p++) {
        section at;
        gradient g;
        find_section(e, p, &s, &at);
        find_gradient(&at, &g);
        if (v)
            lost += e->weight[p] * add_viscous(e, p, &m, &g, &at);
        add_loads(e, p, &at, &g, &l);
    }
    find_moments(e, &s, &j, &l, moment, middle);
    memset(f, 0, (size_t)bl_beam_local(e) * sizeof *f);
    for (int a = 0; a < e->nnode; a++, f += NODE) {
        add_applied_transposed(j.P, l.y[a], f);
        add_applied_transposed(G[a].by[0], moment[a], f + 3);
        add_applied_transposed(G[a].by[1], moment[a], f + 6);
    }
    return largest_turn(e, &s) < elastic_most_turn ? lost : NAN;
}

/* ---- second derivatives at a point */

/* by (u, psi, psi') twice; none by u and psi' */
typedef struct point_hessian {
    bl_mat3 uu, up, pu, pp, ps, sp, ss;
} point_hessian;

/* out += left^T diag(C) right */
static void add_weighted(const bl_mat3 left, const double *C, const bl_mat3 right, bl_mat3 out) {
    bl_mat3 scaled;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            scaled[i][j] = C[i] * right[i][j];
    add_transposed(left, scaled, out);
}

static void add_stiffness(const gradient *left, const double *C, const gradient *right, point_hessian *h) {
    add_weighted(left->Gu, C, right->Gu, h->uu);
    add_weighted(left->Gu, C, right->Gp, h->up);
    add_weighted(left->Gp, C, right->Gu, h->pu);
    add_weighted(left->Gp, C, right->Gp, h->pp);
    add_weighted(left->Kp, C + 3, right->Kp, h->pp);
    add_weighted(left->Kp, C + 3, right->Ks, h->ps);
    add_weighted(left->Ks, C + 3, right->Kp, h->sp);
    add_weighted(left->Ks, C + 3, right->Ks, h->ss);
}

static void add_both(const bl_mat3 A, bl_mat3 to, bl_mat3 transposed) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            to[i][j] += A[i][j];
            transposed[j][i] += A[i][j];
        }
}

/* second derivative of m . T psi' by psi */
static void add_bending_slope(const section *at, const double *m, bl_mat3 out) {
    const double *psi = at->psi, *v = at->slope, *c = at->c;
    double mv = dot3(m, v), mp = dot3(m, psi), vp = dot3(v, psi), k1[3], sum[3];
    const double D2 = rotation_first(c, 2), D3 = rotation_first(c, 3);
    cross3(v, m, k1); /* m . (psi x v) = psi . k1; m . (psi x (psi x v)) = mp vp - |psi|^2 mv, by psi: m vp + v mp - 2 psi mv */
    double one = dot3(psi, k1), two = mp * vp - dot3(psi, psi) * mv;
    for (int k = 0; k < 3; k++)
        sum[k] = D3 * (m[k] * vp + v[k] * mp - 2 * psi[k] * mv) - D2 * k1[k];
    add_outer(1, sum, psi, out);
    add_outer(1, psi, sum, out);
    add_outer(c[3], m, v, out);
    add_outer(c[3], v, m, out);
    add_outer(rotation_second(c, 3) * two - rotation_second(c, 2) * one, psi, psi, out);
    for (int k = 0; k < 3; k++)
        out[k][k] += D3 * two - D2 * one - 2 * c[3] * mv;
}

/* what the section forces add, as the gradients change */
static void add_curvature(const section *at, point_hessian *h) {
    const double *n = at->force, *m = at->force + 3;
    double across[3];
    bl_mat3 cross = {{0}}, turned, mixed = {{0}}, slope;
    add_cross(1, n, cross);
    product(cross, at->T, turned); /* [n] T */
    add_product(-1, at->E, turned, mixed);
    add_both(mixed, h->up, h->pu);
    memset(cross, 0, sizeof cross);
    add_crosses(1, n, at->strain, cross);
    product(cross, at->T, turned); /* [n] [Gamma] T */
    add_transposed(at->T, turned, h->pp);
    cross3(n, at->strain, across);
    rotation_tangent_slope(1, at->psi, at->c, across, slope);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            h->pp[i][j] += slope[i][j];
    add_bending_slope(at, m, h->pp);
    rotation_tangent_slope(1, at->psi, at->c, m, slope);
    add_both(slope, h->sp, h->ps);
}

/* rates of the gradients */
static void find_gradient_rate(const bl_beam_element *e, int p, const motion *m, const section *at, const gradient *g, gradient *rate) {
    const double *psi = at->psi, *v = at->slope, *c = at->c;
    double u[3], dpsi[3], dv[3], w[3] = {0}, stretch[3] = {0}, pv[3], ppv[3], rv[3], twice[3];
    bl_mat3 cross = {{0}};
    interpolate(e, p, m->y, m->psi, u, dpsi, dv);
    add_applied(at->T, dpsi, w);
    add_cross(-1, w, cross);
    product(cross, g->Gu, rate->Gu);
    rotation_rate(psi, dpsi, -c[2], -rotation_first(c, 2), c[3], rotation_first(c, 3), rate->Ks);
    add_applied(g->Gu, u, stretch);
    add_applied(g->Gp, dpsi, stretch);
    memset(cross, 0, sizeof cross);
    add_cross(1, stretch, cross);
    product(cross, at->T, rate->Gp);
    memset(cross, 0, sizeof cross);
    add_cross(1, at->strain, cross);
    add_product(1, cross, rate->Ks, rate->Gp);
    /* Kp is linear in psi'; then its change with psi */
    rotation_tangent_slope(-1, psi, c, dv, rate->Kp);
    const double along = dot3(psi, dpsi), D2 = rotation_first(c, 2), D3 = rotation_first(c, 3);
    double one[3], other[3];
    cross3(psi, v, pv);
    cross3(psi, pv, ppv);
    cross3(dpsi, v, rv);
    cross3(dpsi, pv, twice);
    cross3(psi, rv, one);
    for (int k = 0; k < 3; k++) {
        other[k] = along * (rotation_second(c, 3) * ppv[k] - rotation_second(c, 2) * pv[k]) - D2 * rv[k] + D3 * (twice[k] + one[k]);
        one[k] = D3 * ppv[k] - D2 * pv[k];
    }
    add_outer(1, other, psi, rate->Kp);
    add_outer(1, one, dpsi, rate->Kp);
    add_cross(along * D2, v, rate->Kp);
    add_cross(-along * D3, pv, rate->Kp);
    add_crosses(-along * D3, psi, v, rate->Kp);
    add_cross(-c[3], rv, rate->Kp);
    add_crosses(-c[3], dpsi, v, rate->Kp);
}

/* ---- matrices of an element, in blocks */

typedef struct blocks {
    bl_mat3 at[SLOTS + 1][SLOTS + 1]; /* of y_a (or P_a), psi_a (or phi_a) of the nodes in turn, and at the end the middle */
} blocks;

static void clear(int n, blocks *b) {
    for (int i = 0; i <= n; i++)
        memset(b->at[i], 0, (size_t)(n + 1) * sizeof(bl_mat3));
}

static void add_scaled(double factor, const bl_mat3 A, bl_mat3 out) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[i][j] += factor * A[i][j];
}

static void spread(const bl_beam_element *e, int p, const point_hessian *h, blocks *H) {
    for (int a = 0; a < e->nnode; a++)
        for (int b = 0; b < e->nnode; b++) {
            const double N = e->weight[p] * e->N[p][a], dN = e->weight[p] * e->dN[p][a], other = e->N[p][b], slope = e->dN[p][b];
            add_scaled(dN * slope, h->uu, H->at[2 * a][2 * b]);
            add_scaled(dN * other, h->up, H->at[2 * a][2 * b + 1]);
            add_scaled(N * slope, h->pu, H->at[2 * a + 1][2 * b]);
            add_scaled(N * other, h->pp, H->at[2 * a + 1][2 * b + 1]);
            add_scaled(N * slope, h->ps, H->at[2 * a + 1][2 * b + 1]);
            add_scaled(dN * other, h->sp, H->at[2 * a + 1][2 * b + 1]);
            add_scaled(dN * slope, h->ss, H->at[2 * a + 1][2 * b + 1]);
        }
}

/* out += left^T H right, in positions, rotations and that of the middle */
static void add_pulled(int nnode, const blocks *H, const jacobian *left, const jacobian *right, blocks *out) {
    const int n = 2 * nnode;
    for (int b = 0; b < nnode; b++) {
        bl_mat3 by[SLOTS][3]; /* H right, by P_b, phi_b, and what node b contributes by the middle */
        for (int i = 0; i < n; i++) {
            product(H->at[i][2 * b], right->P, by[i][0]);
            product(H->at[i][2 * b + 1], right->own[b], by[i][1]);
            product(H->at[i][2 * b], right->y[b], by[i][2]);
            add_product(1, H->at[i][2 * b + 1], right->ref[b], by[i][2]);
        }
        for (int k = 0; k < 3; k++) {
            const int column = k < 2 ? 2 * b + k : n;
            for (int a = 0; a < nnode; a++) {
                add_transposed(left->P, by[2 * a][k], out->at[2 * a][column]);
                add_transposed(left->own[a], by[2 * a + 1][k], out->at[2 * a + 1][column]);
                add_transposed(left->y[a], by[2 * a][k], out->at[n][column]);
                add_transposed(left->ref[a], by[2 * a + 1][k], out->at[n][column]);
            }
        }
    }
}

/* derivatives of the forces on positions and rotations for constant loads of y and psi; middle: moment of the middle */
static void add_held(const bl_beam_element *e, const shape *s, const inverse *L, const jacobian *j, const loads *l, const double *middle,
                     blocks *out) {
    const int n = 2 * e->nnode;
    bl_mat3 slope, part;
    for (int a = 0; a < e->nnode; a++) {
        const double *g = l->y[a], *mu = l->psi[a];
        bl_mat3 cross = {{0}};
        add_cross(1, g, cross);
        product(cross, j->P, part);
        add_both(part, out->at[n][2 * a], out->at[2 * a][n]);
        add_product(1, cross, j->y[a], out->at[n][n]);
        rotation_slope(s->psi[a], mu, -0.5, 0, L[a].e, L[a].e1, slope);
        add_product(1, slope, j->own[a], out->at[2 * a + 1][2 * a + 1]);
        add_product(1, slope, j->ref[a], out->at[2 * a + 1][n]);
        rotation_slope(s->psi[a], mu, 0.5, 0, L[a].e, L[a].e1, slope);
        add_product(-1, slope, j->own[a], out->at[n][2 * a + 1]);
        add_product(-1, slope, j->ref[a], out->at[n][n]);
    }
    rotation_slope(s->psi[s->J], middle, -j->kappa, -j->kappa1, 0, 0, slope); /* of 2 A[1]^T middle; A[0]: the opposite */
    for (int side = 0; side < 2; side++) {
        const int row = 2 * (side ? s->J : s->I) + 1;
        add_product(side ? 0.5 : -0.5, slope, j->own[s->J], out->at[row][2 * s->J + 1]);
        add_product(side ? 0.5 : -0.5, slope, j->ref[s->J], out->at[row][n]);
    }
}

/* columns of I and J += those of `from` by the middle, times A */
static void fold_columns(int nnode, const shape *s, const bl_mat3 A[2], const blocks *from, blocks *to) {
    const int n = 2 * nnode;
    for (int i = 0; i <= n; i++) {
        add_product(1, from->at[i][n], A[0], to->at[i][2 * s->I + 1]);
        add_product(1, from->at[i][n], A[1], to->at[i][2 * s->J + 1]);
    }
}

/* and rows, likewise */
static void fold_rows(int nnode, const shape *s, const bl_mat3 A[2], blocks *b) {
    const int n = 2 * nnode;
    for (int i = 0; i < n; i++) {
        add_transposed(A[0], b->at[n][i], b->at[2 * s->I + 1][i]);
        add_transposed(A[1], b->at[n][i], b->at[2 * s->J + 1][i]);
    }
}

static void put(int n, int row, int column, const bl_mat3 A, double *K) {
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++)
            K[(row + k) * n + column + l] += A[k][l];
}

/* K += the blocks in the vectors of the nodes: rotations become left and right; positions: also columns of positions */
static void expand(int nnode, const blocks *b, const turning *left, const turning *right, bool positions, double *K) {
    const int n = NODE * nnode;
    for (int a = 0; a < nnode; a++)
        for (int c = 0; c < nnode; c++) {
            bl_mat3 part;
            if (positions)
                put(n, a * NODE, c * NODE, b->at[2 * a][2 * c], K);
            for (int d = 0; d < 2; d++) {
                const int row = a * NODE + 3 + 3 * d, column = c * NODE + 3 + 3 * d;
                product(b->at[2 * a][2 * c + 1], right[c].by[d], part);
                put(n, a * NODE, column, part, K);
                if (positions) {
                    memset(part, 0, sizeof part);
                    add_transposed(left[a].by[d], b->at[2 * a + 1][2 * c], part);
                    put(n, row, c * NODE, part, K);
                }
                product(b->at[2 * a + 1][2 * c + 1], right[c].by[d], part);
                for (int other = 0; other < 2; other++) {
                    bl_mat3 both = {{0}};
                    add_transposed(left[a].by[other], part, both);
                    put(n, a * NODE + 3 + 3 * other, column, both, K);
                }
            }
        }
}

void bl_beam_space_tangent(const bl_beam_element *e, const double *x, const double *v, double *K, double *C) {
    const int nnode = e->nnode, n = bl_beam_local(e);
    const bool viscous = v || C;
    double moment[MOST][3], middle[3];
    turning G[MOST];
    inverse L[MOST];
    loads l = {{{0}}, {{0}}};
    blocks H, Hv, elastic, damping;
    jacobian j;
    motion m;
    shape s;
    find_shape(e, x, &s);
    find_jacobian(e, &s, L, &j);
    for (int a = 0; a < nnode; a++)
        find_turning(&s.node[a], &G[a]);
    if (v) {
        find_motion(e, &s, G, &j, v, &m);
        find_motion_slopes(e, &s, G, L, &j, v, &m);
    }
    clear(2 * nnode, &H);
    clear(2 * nnode, &elastic);
    if (viscous) {
        clear(2 * nnode, &Hv);
        clear(2 * nnode, &damping);
    }
    for (int p = 0; p < e->npoint; p++) {
        section at;
        gradient g, rate;
        point_hessian h = {.uu = {{0}}}, hv = {.uu = {{0}}};
        find_section(e, p, &s, &at);
        find_gradient(&at, &g);
        add_stiffness(&g, e->stiffness, &g, &h);
        if (v) {
            add_viscous(e, p, &m, &g, &at);
            find_gradient_rate(e, p, &m, &at, &g, &rate);
            add_stiffness(&g, e->viscosity, &rate, &h);
        }
        add_loads(e, p, &at, &g, &l);
        add_curvature(&at, &h);
        spread(e, p, &h, &H);
        if (viscous) {
            add_stiffness(&g, e->viscosity, &g, &hv);
            spread(e, p, &hv, &Hv);
        }
    }
    find_moments(e, &s, &j, &l, moment, middle);
    add_pulled(nnode, &H, &j, &j, &elastic);
    add_held(e, &s, L, &j, &l, middle, &elastic);
    if (viscous)
        add_pulled(nnode, &Hv, &j, &j, &damping);
    if (v) {
        add_pulled(nnode, &Hv, &j, &m.j, &elastic);
        fold_columns(nnode, &s, m.j.A, &damping, &elastic);
    }
    fold_columns(nnode, &s, j.A, &elastic, &elastic);
    fold_rows(nnode, &s, j.A, &elastic);
    memset(K, 0, (size_t)(n * n) * sizeof *K);
    expand(nnode, &elastic, G, G, true, K);
    for (int a = 0; a < nnode; a++)
        add_turning_slope(&s.node[a], &G[a], moment[a], n, K + (a * NODE + 3) * (n + 1));
    if (!viscous)
        return;
    fold_columns(nnode, &s, j.A, &damping, &damping);
    fold_rows(nnode, &s, j.A, &damping);
    if (v)
        expand(nnode, &damping, G, m.rate, false, K);
    if (C) {
        memset(C, 0, (size_t)(n * n) * sizeof *C);
        expand(nnode, &damping, G, G, true, C);
    }
}
