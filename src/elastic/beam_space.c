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
    double a, q, s; /* d2 = t2 / a, d3 = q t2 + t3 / s */
    bl_mat3 D;      /* phi = D xi, xi = (t3 . dd2, t1 . dd3, t1 . dd2) */
} frame;

static void find_frame(const double *d2, const double *d3, frame *f) {
    f->a = 1 / norm3(d2);
    for (int k = 0; k < 3; k++)
        f->t[1][k] = d2[k] * f->a;
    f->q = dot3(f->t[1], d3);
    for (int k = 0; k < 3; k++)
        f->t[2][k] = d3[k] - f->q * f->t[1][k];
    f->s = 1 / norm3(f->t[2]);
    for (int k = 0; k < 3; k++)
        f->t[2][k] *= f->s;
    cross3(f->t[1], f->t[2], f->t[0]);
    memset(f->D, 0, sizeof f->D);
    f->D[0][0] = f->a;
    f->D[1][1] = f->s;
    f->D[1][2] = -f->q * f->a * f->s;
    f->D[2][2] = -f->a;
}

/* phi at rates v of d2, d3 */
static void turning_at(const frame *f, const double *v, double w[3]) {
    const double xi[3] = {dot3(f->t[2], v), dot3(f->t[0], v + 3), dot3(f->t[0], v)};
    memset(w, 0, 3 * sizeof *w);
    add_applied(f->D, xi, w);
}

/* forces on d2, d3 of the moment m about the axes */
static void push(const frame *f, const double m[3], double *force) {
    double by_xi[3] = {0};
    add_applied_transposed(f->D, m, by_xi);
    for (int k = 0; k < 3; k++) {
        force[k] += by_xi[0] * f->t[2][k] + by_xi[2] * f->t[0][k];
        force[3 + k] += by_xi[1] * f->t[0][k];
    }
}

/* changes of a frame with d2, d3: of t1, t3, q, and of a and s divided by themselves */
typedef struct frame_change {
    double t1[3], t3[3], a, q, s;
} frame_change;

static void find_change(const frame *f, const double *v, frame_change *c) {
    double w[3];
    turning_at(f, v, w);
    for (int k = 0; k < 3; k++) {
        c->t1[k] = w[2] * f->t[1][k] - w[1] * f->t[2][k];
        c->t3[k] = w[1] * f->t[0][k] - w[0] * f->t[1][k];
    }
    c->a = -f->a * dot3(f->t[1], v);
    c->q = w[0] / f->s + dot3(f->t[1], v + 3);
    c->s = f->s * (w[0] * f->q - dot3(f->t[2], v + 3));
}

static void change_of_D(const frame *f, const frame_change *c, bl_mat3 rate) {
    memset(rate, 0, sizeof(bl_mat3));
    rate[0][0] = f->D[0][0] * c->a;
    rate[1][1] = f->D[1][1] * c->s;
    rate[1][2] = f->D[1][2] * (c->a + c->s) - f->a * f->s * c->q;
    rate[2][2] = f->D[2][2] * c->a;
}

/* H[6][n] += derivative of the forces of a constant moment m by d2, d3 */
static void add_push_slope(const frame *f, const double m[3], int n, double *H) {
    double by_xi[3] = {0};
    add_applied_transposed(f->D, m, by_xi);
    for (int j = 0; j < 6; j++) {
        double unit[6] = {0}, rate[3] = {0};
        frame_change c;
        bl_mat3 D;
        unit[j] = 1;
        find_change(f, unit, &c);
        change_of_D(f, &c, D);
        add_applied_transposed(D, m, rate);
        for (int k = 0; k < 3; k++) {
            H[k * n + j] += by_xi[0] * c.t3[k] + by_xi[2] * c.t1[k] + rate[0] * f->t[2][k] + rate[2] * f->t[0][k];
            H[(3 + k) * n + j] += by_xi[1] * c.t1[k] + rate[1] * f->t[0][k];
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

/* coefficients of changes of psi: L = T^-1 = 1 + [psi]/2 + e [psi]^2, de = e1 psi . dpsi; and of the middle between I and J,
 * phi_r = A_I phi_I + A_J phi_J, A = (1 -+ kappa [psi_J]) / 2, dkappa = kappa1 psi_J . dpsi_J */
typedef struct inverse {
    double e[MOST], e1[MOST], kappa, kappa1;
} inverse;

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

static void find_inverse(const bl_beam_element *e, const shape *s, inverse *L) {
    double c[BL_ROTATION_COEFFICIENTS];
    rotation_coefficients(s->psi[s->J], c);
    L->kappa = c[1] / (1 + c[0]);
    L->kappa1 = rotation_first(c, 1) / (1 + c[0]) + L->kappa * L->kappa;
    L->e[s->I] = L->e[s->J] = rotation_inverse(c, &L->e1[s->J]);
    L->e1[s->I] = L->e1[s->J];
    for (int a = 0; a < e->nnode; a++)
        if (a != s->I && a != s->J) {
            rotation_coefficients(s->psi[a], c);
            L->e[a] = rotation_inverse(c, &L->e1[a]);
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
    rotation_apply(at->psi, -at->c[1], at->c[2], at->u, at->strain);
    rotation_apply(at->psi, -at->c[2], at->c[3], at->slope, at->strain + 3);
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

/* ---- forces */

/* rates of y and psi, and of the rotations of the nodes and of the middle */
typedef struct motion {
    double y[MOST][3], psi[MOST][3], w[MOST][3], middle[3];
} motion;

static void find_motion(const bl_beam_element *e, const shape *s, const inverse *L, const double *v, motion *m) {
    double sum[3], difference[3], across[3];
    for (int a = 0; a < e->nnode; a++)
        turning_at(&s->node[a], v + a * NODE + 3, m->w[a]);
    for (int k = 0; k < 3; k++)
        difference[k] = m->w[s->J][k] - m->w[s->I][k];
    cross3(s->psi[s->J], difference, across);
    for (int k = 0; k < 3; k++)
        m->middle[k] = 0.5 * (m->w[s->I][k] + m->w[s->J][k] + L->kappa * across[k]);
    for (int a = 0; a < e->nnode; a++) {
        double from[3];
        for (int k = 0; k < 3; k++)
            from[k] = v[a * NODE + k] - v[s->I * NODE + k];
        cross3(s->y[a], m->middle, m->y[a]);
        add_applied(s->r, from, m->y[a]);
        for (int k = 0; k < 3; k++) {
            difference[k] = m->w[a][k] - m->middle[k];
            sum[k] = m->w[a][k] + m->middle[k];
        }
        rotation_apply(s->psi[a], 0, L->e[a], difference, m->psi[a]); /* L w_a - L^T w_r */
        cross3(s->psi[a], sum, across);
        for (int k = 0; k < 3; k++)
            m->psi[a][k] += 0.5 * across[k];
    }
}

/* rates of the strains; at: those of u, psi, psi' */
typedef struct rates {
    double u[3], psi[3], slope[3], strain[BL_BEAM_STRAINS];
} rates;

static void find_rates(const bl_beam_element *e, int p, const motion *m, const section *at, rates *r) {
    const double *psi = at->psi, *c = at->c;
    double turn[3], part[3], across[3], twice[3];
    interpolate(e, p, m->y, m->psi, r->u, r->psi, r->slope);
    rotation_apply(psi, -c[1], c[2], r->u, r->strain);
    rotation_apply(psi, -c[2], c[3], r->psi, turn);
    cross3(at->strain, turn, part);
    for (int k = 0; k < 3; k++)
        r->strain[k] += part[k];
    rotation_apply(psi, -c[2], c[3], r->slope, r->strain + 3);
    const double along = dot3(psi, r->psi);
    cross3(psi, at->slope, across);
    cross3(psi, across, twice);
    for (int k = 0; k < 3; k++)
        r->strain[3 + k] += along * (rotation_first(c, 3) * twice[k] - rotation_first(c, 2) * across[k]);
    cross3(r->psi, across, twice);
    cross3(r->psi, at->slope, across);
    cross3(psi, across, part);
    for (int k = 0; k < 3; k++)
        r->strain[3 + k] += c[3] * (twice[k] + part[k]) - c[2] * across[k];
}

/* adds the section forces of rates; returns the power lost per length */
static double add_viscous(const bl_beam_element *e, const rates *r, section *at) {
    double lost = 0;
    for (int k = 0; k < BL_BEAM_STRAINS; k++) {
        at->force[k] += e->viscosity[k] * r->strain[k];
        lost += e->viscosity[k] * r->strain[k] * r->strain[k];
    }
    return lost;
}

/* derivatives of the energy by y and psi */
typedef struct loads {
    double y[MOST][3], psi[MOST][3];
} loads;

static void add_loads(const bl_beam_element *e, int p, const section *at, loads *to) {
    const double *psi = at->psi, *v = at->slope, *n = at->force, *m = at->force + 3, *c = at->c;
    double u[3], by_psi[3], slope[3], across[3];
    rotation_apply(psi, c[1], c[2], n, u);
    rotation_apply(psi, c[2], c[3], m, slope);
    cross3(n, at->strain, across);
    rotation_apply(psi, c[2], c[3], across, by_psi);
    /* derivative of m . T psi' by psi: m . (psi x v) = psi . across, m . (psi x (psi x v)) = mp vp - |psi|^2 mv */
    const double mv = dot3(m, v), mp = dot3(m, psi), vp = dot3(v, psi);
    cross3(v, m, across);
    const double along = rotation_first(c, 3) * (mp * vp - dot3(psi, psi) * mv) - rotation_first(c, 2) * dot3(psi, across);
    for (int k = 0; k < 3; k++)
        by_psi[k] += along * psi[k] - c[2] * across[k] + c[3] * (m[k] * vp + v[k] * mp - 2 * psi[k] * mv);
    for (int a = 0; a < e->nnode; a++) {
        const double N = e->weight[p] * e->N[p][a], dN = e->weight[p] * e->dN[p][a];
        for (int k = 0; k < 3; k++) {
            to->y[a][k] += dN * u[k];
            to->psi[a][k] += N * by_psi[k] + dN * slope[k];
        }
    }
}

/* moments of the nodes about their own axes, and that of the middle, which is among them */
static void find_moments(const bl_beam_element *e, const shape *s, const inverse *L, const loads *l, double m[][3], double middle[3]) {
    double across[3], twice[3];
    memset(middle, 0, 3 * sizeof *middle);
    for (int a = 0; a < e->nnode; a++) {
        const double *mu = l->psi[a];
        cross3(s->psi[a], mu, across);
        cross3(s->psi[a], across, twice);
        for (int k = 0; k < 3; k++) {
            m[a][k] = mu[k] - 0.5 * across[k] + L->e[a] * twice[k];
            middle[k] -= mu[k] + 0.5 * across[k] + L->e[a] * twice[k];
        }
        cross3(l->y[a], s->y[a], across);
        for (int k = 0; k < 3; k++)
            middle[k] += across[k];
    }
    cross3(s->psi[s->J], middle, across);
    for (int k = 0; k < 3; k++) {
        m[s->I][k] += 0.5 * (middle[k] + L->kappa * across[k]);
        m[s->J][k] += 0.5 * (middle[k] - L->kappa * across[k]);
    }
}

double bl_beam_space_force(const bl_beam_element *e, const double *x, const double *v, double *f) {
    double lost = 0, moment[MOST][3], middle[3];
    inverse L;
    loads l = {{{0}}, {{0}}};
    motion m;
    shape s;
    find_shape(e, x, &s);
    find_inverse(e, &s, &L);
    if (v)
        find_motion(e, &s, &L, v, &m);
    for (int p = 0; p < e->npoint; p++) {
        section at;
        rates r;
        find_section(e, p, &s, &at);
        if (v) {
            find_rates(e, p, &m, &at, &r);
            lost += e->weight[p] * add_viscous(e, &r, &at);
        }
        add_loads(e, p, &at, &l);
    }
    find_moments(e, &s, &L, &l, moment, middle);
    memset(f, 0, (size_t)bl_beam_local(e) * sizeof *f);
    for (int a = 0; a < e->nnode; a++, f += NODE) {
        add_applied_transposed(s.r, l.y[a], f);
        push(&s.node[a], moment[a], f + 3);
    }
    return largest_turn(e, &s) < elastic_most_turn ? lost : NAN;
}

/* ---- tangents: derivatives of the strains, dGamma = Gu du + Gp dpsi, dK = Kp dpsi + Ks dpsi' */

typedef struct gradient {
    bl_mat3 E, Gu, Gp, Kp, Ks;
} gradient;

static void find_gradient(const section *at, gradient *g) {
    bl_mat3 cross = {{0}};
    rotation_of(at->psi, at->c, g->E);
    rotation_tangent(-1, at->psi, at->c, g->Ks);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            g->Gu[i][j] = g->E[j][i];
    add_cross(1, at->strain, cross);
    product(cross, g->Ks, g->Gp);
    rotation_tangent_slope(-1, at->psi, at->c, at->slope, g->Kp);
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
static void add_curvature(const section *at, const gradient *g, point_hessian *h) {
    const double *n = at->force, *m = at->force + 3;
    double across[3];
    bl_mat3 cross = {{0}}, turned, mixed = {{0}}, slope;
    add_cross(1, n, cross);
    product(cross, g->Ks, turned); /* [n] T */
    add_product(-1, g->E, turned, mixed);
    add_both(mixed, h->up, h->pu);
    memset(cross, 0, sizeof cross);
    add_crosses(1, n, at->strain, cross);
    product(cross, g->Ks, turned); /* [n] [Gamma] T */
    add_transposed(g->Ks, turned, h->pp);
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
static void find_gradient_rate(const section *at, const rates *r, const gradient *g, gradient *rate) {
    const double *psi = at->psi, *v = at->slope, *c = at->c, *dpsi = r->psi;
    double w[3], pv[3], ppv[3], rv[3], twice[3], one[3], other[3];
    bl_mat3 cross = {{0}};
    rotation_apply(psi, -c[2], c[3], dpsi, w);
    add_cross(-1, w, cross);
    product(cross, g->Gu, rate->Gu);
    rotation_rate(psi, dpsi, -c[2], -rotation_first(c, 2), c[3], rotation_first(c, 3), rate->Ks);
    memset(cross, 0, sizeof cross);
    add_cross(1, r->strain, cross);
    product(cross, g->Ks, rate->Gp);
    memset(cross, 0, sizeof cross);
    add_cross(1, at->strain, cross);
    add_product(1, cross, rate->Ks, rate->Gp);
    /* Kp is linear in psi'; then its change with psi */
    rotation_tangent_slope(-1, psi, c, r->slope, rate->Kp);
    const double along = dot3(psi, dpsi), D2 = rotation_first(c, 2), D3 = rotation_first(c, 3);
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

/* changes of y and psi: dy = P dP + y phi_r, dpsi = own xi + ref phi_r, where phi_r = A[0] xi_I + A[1] xi_J is the rotation of the middle */
typedef struct jacobian {
    bl_mat3 P, y[MOST], own[MOST], ref[MOST], A[2];
} jacobian;

static void set_opposite(const bl_mat3 L, bl_mat3 ref) {
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++)
            ref[k][l] = -L[l][k];
}

static void find_jacobian(const bl_beam_element *e, const shape *s, const inverse *L, jacobian *j) {
    bl_mat3 M;
    memcpy(j->P, s->r, sizeof j->P);
    memset(j->y, 0, sizeof j->y);
    for (int a = 0; a < e->nnode; a++) {
        add_cross(1, s->y[a], j->y[a]);
        identity(M);
        add_cross(0.5, s->psi[a], M);
        add_crosses(L->e[a], s->psi[a], s->psi[a], M);
        product(M, s->node[a].D, j->own[a]);
        set_opposite(M, j->ref[a]);
    }
    for (int side = 0; side < 2; side++) {
        memset(M, 0, sizeof M);
        for (int k = 0; k < 3; k++)
            M[k][k] = 0.5;
        add_cross((side ? 0.5 : -0.5) * L->kappa, s->psi[s->J], M);
        product(M, s->node[side ? s->J : s->I].D, j->A[side]);
    }
}

/* its rate; D: those of the frames */
static void find_jacobian_rate(const bl_beam_element *e, const shape *s, const inverse *L, const motion *m, const bl_mat3 *D, jacobian *j) {
    bl_mat3 M = {{0}};
    add_cross(-1, m->middle, M);
    product(M, s->r, j->P);
    memset(j->y, 0, sizeof j->y);
    for (int a = 0; a < e->nnode; a++) {
        add_cross(1, m->y[a], j->y[a]);
        identity(M);
        add_cross(0.5, s->psi[a], M);
        add_crosses(L->e[a], s->psi[a], s->psi[a], M);
        product(M, D[a], j->own[a]);
        rotation_rate(s->psi[a], m->psi[a], 0.5, 0, L->e[a], L->e1[a], M);
        add_product(1, M, s->node[a].D, j->own[a]);
        set_opposite(M, j->ref[a]);
    }
    for (int side = 0; side < 2; side++) {
        const int node = side ? s->J : s->I;
        const double half = side ? 0.5 : -0.5;
        memset(M, 0, sizeof M);
        for (int k = 0; k < 3; k++)
            M[k][k] = 0.5;
        add_cross(half * L->kappa, s->psi[s->J], M);
        product(M, D[node], j->A[side]);
        memset(M, 0, sizeof M);
        add_cross(half * L->kappa1 * dot3(s->psi[s->J], m->psi[s->J]), s->psi[s->J], M);
        add_cross(half * L->kappa, m->psi[s->J], M);
        add_product(1, M, s->node[node].D, j->A[side]);
    }
}

/* out += left^T H right, by positions, xi and the rotation of the middle */
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

/* rows of a node: out += factor D^T slope dpsi_a, where node a may be another one */
static void add_by_psi(double factor, const bl_mat3 D, const bl_mat3 slope, const jacobian *j, int a, int column, bl_mat3 *row, int n) {
    bl_mat3 turned = {{0}};
    add_transposed(D, slope, turned);
    add_product(factor, turned, j->own[a], row[column]);
    add_product(factor, turned, j->ref[a], row[n]);
}

/* derivatives of the forces by positions and xi for constant loads of y and psi; middle: moment of the middle */
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
        rotation_slope(s->psi[a], mu, -0.5, 0, L->e[a], L->e1[a], slope); /* of L^T mu, the moment of the node */
        add_by_psi(1, s->node[a].D, slope, j, a, 2 * a + 1, out->at[2 * a + 1], n);
        rotation_slope(s->psi[a], mu, 0.5, 0, L->e[a], L->e1[a], slope); /* of L mu, less which is that of the middle */
        add_product(-1, slope, j->own[a], out->at[n][2 * a + 1]);
        add_product(-1, slope, j->ref[a], out->at[n][n]);
    }
    rotation_slope(s->psi[s->J], middle, -L->kappa, -L->kappa1, 0, 0, slope); /* of 2 A_J^T middle; A_I: the opposite */
    add_by_psi(-0.5, s->node[s->I].D, slope, j, s->J, 2 * s->J + 1, out->at[2 * s->I + 1], n);
    add_by_psi(0.5, s->node[s->J].D, slope, j, s->J, 2 * s->J + 1, out->at[2 * s->J + 1], n);
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

/* the directions of xi in d2 and d3, or their rates */
typedef struct directions {
    const double *t1, *t3;
} directions;

/* K += the blocks in the vectors of the nodes: xi becomes its directions; positions: also columns of positions */
static void expand(int nnode, const blocks *b, const directions *left, const directions *right, bool positions, double *K) {
    const int n = NODE * nnode;
    for (int a = 0; a < nnode; a++)
        for (int c = 0; c < nnode; c++) {
            const bl_mat3 *PP = &b->at[2 * a][2 * c], *Px = PP + 1, *xP = &b->at[2 * a + 1][2 * c], *xx = xP + 1;
            const directions *l = &left[a], *r = &right[c];
            double *to = K + a * NODE * n + c * NODE, by[3][6];
            for (int k = 0; k < 3; k++, to += n)
                for (int i = 0; i < 3; i++) {
                    if (positions)
                        to[i] += (*PP)[k][i];
                    to[3 + i] += (*Px)[k][0] * r->t3[i] + (*Px)[k][2] * r->t1[i];
                    to[6 + i] += (*Px)[k][1] * r->t1[i];
                    by[k][i] = (*xx)[k][0] * r->t3[i] + (*xx)[k][2] * r->t1[i];
                    by[k][3 + i] = (*xx)[k][1] * r->t1[i];
                }
            for (int k = 0; k < 3; k++, to += n) {
                double *third = to + 3 * n;
                for (int i = 0; i < 3 && positions; i++) {
                    to[i] += l->t3[k] * (*xP)[0][i] + l->t1[k] * (*xP)[2][i];
                    third[i] += l->t1[k] * (*xP)[1][i];
                }
                for (int i = 0; i < 6; i++) {
                    to[3 + i] += l->t3[k] * by[0][i] + l->t1[k] * by[2][i];
                    third[3 + i] += l->t1[k] * by[1][i];
                }
            }
        }
}

void bl_beam_space_tangent(const bl_beam_element *e, const double *x, const double *v, double *K, double *C) {
    const int nnode = e->nnode, n = bl_beam_local(e);
    const bool viscous = v || C;
    double moment[MOST][3], middle[3];
    directions along[MOST], along_rate[MOST];
    frame_change change[MOST];
    bl_mat3 D_rate[MOST];
    inverse L;
    loads l = {{{0}}, {{0}}};
    blocks H, Hv, elastic, damping;
    jacobian j, j_rate;
    motion m;
    shape s;
    find_shape(e, x, &s);
    find_inverse(e, &s, &L);
    find_jacobian(e, &s, &L, &j);
    for (int a = 0; a < nnode; a++)
        along[a] = (directions){s.node[a].t[0], s.node[a].t[2]};
    if (v) {
        find_motion(e, &s, &L, v, &m);
        for (int a = 0; a < nnode; a++) {
            find_change(&s.node[a], v + a * NODE + 3, &change[a]);
            change_of_D(&s.node[a], &change[a], D_rate[a]);
            along_rate[a] = (directions){change[a].t1, change[a].t3};
        }
        find_jacobian_rate(e, &s, &L, &m, (const bl_mat3 *)D_rate, &j_rate);
    }
    clear(2 * nnode, &H);
    clear(2 * nnode, &elastic);
    if (viscous) {
        clear(2 * nnode, &Hv);
        clear(2 * nnode, &damping);
    }
    for (int p = 0; p < e->npoint; p++) {
        section at;
        gradient g, g_rate;
        rates r;
        point_hessian h = {.uu = {{0}}}, hv = {.uu = {{0}}};
        find_section(e, p, &s, &at);
        find_gradient(&at, &g);
        add_stiffness(&g, e->stiffness, &g, &h);
        if (v) {
            find_rates(e, p, &m, &at, &r);
            add_viscous(e, &r, &at);
            find_gradient_rate(&at, &r, &g, &g_rate);
            add_stiffness(&g, e->viscosity, &g_rate, &h);
        }
        add_loads(e, p, &at, &l);
        add_curvature(&at, &g, &h);
        spread(e, p, &h, &H);
        if (viscous) {
            add_stiffness(&g, e->viscosity, &g, &hv);
            spread(e, p, &hv, &Hv);
        }
    }
    find_moments(e, &s, &L, &l, moment, middle);
    add_pulled(nnode, &H, &j, &j, &elastic);
    add_held(e, &s, &L, &j, &l, middle, &elastic);
    if (viscous)
        add_pulled(nnode, &Hv, &j, &j, &damping);
    if (v) {
        add_pulled(nnode, &Hv, &j, &j_rate, &elastic);
        fold_columns(nnode, &s, j_rate.A, &damping, &elastic);
    }
    fold_columns(nnode, &s, j.A, &elastic, &elastic);
    fold_rows(nnode, &s, j.A, &elastic);
    memset(K, 0, (size_t)(n * n) * sizeof *K);
    expand(nnode, &elastic, along, along, true, K);
    for (int a = 0; a < nnode; a++)
        add_push_slope(&s.node[a], moment[a], n, K + (a * NODE + 3) * (n + 1));
    if (!viscous)
        return;
    fold_columns(nnode, &s, j.A, &damping, &damping);
    fold_rows(nnode, &s, j.A, &damping);
    if (v)
        expand(nnode, &damping, along, along_rate, false, K);
    if (C) {
        memset(C, 0, (size_t)(n * n) * sizeof *C);
        expand(nnode, &damping, along, along, true, C);
    }
}
