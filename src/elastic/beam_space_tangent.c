/* Tangents of an element in space by rotations (docs/theory/beams.md, section 10), in four layers: second derivatives of the energy by
 * (u, psi, psi') at a point; by y and psi of the nodes; by their positions, frames xi and the rotation of the middle, which is then
 * folded into those of the nodes about it; and by d2, d3. Numbers of equations are those of that page. */
#include "elastic/beam_space_private.h"

enum { NODE = BL_SPACE_NODE, MOST = BL_BEAM_NODES, SLOTS = 2 * MOST };

/* ---- changes of the frames */

/* changes of a frame with d2, d3: of t1, t3, q, and of a and s divided by themselves */
typedef struct frame_change {
    double t1[3], t3[3], a, q, s;
} frame_change;

static void find_change(const bl_space_frame *f, const double *v, frame_change *c) {
    double w[3];
    bl_space_turning_at(f, v, w);
    for (int k = 0; k < 3; k++) {
        c->t1[k] = w[2] * f->t[1][k] - w[1] * f->t[2][k];
        c->t3[k] = w[1] * f->t[0][k] - w[0] * f->t[1][k];
    }
    c->a = -f->a * dot3(f->t[1], v);
    c->q = w[0] / f->s + dot3(f->t[1], v + 3);
    c->s = f->s * (w[0] * f->q - dot3(f->t[2], v + 3));
}

static void change_of_D(const bl_space_frame *f, const frame_change *c, bl_mat3 rate) {
    memset(rate, 0, sizeof(bl_mat3));
    rate[0][0] = f->D[0][0] * c->a;
    rate[1][1] = f->D[1][1] * c->s;
    rate[1][2] = f->D[1][2] * (c->a + c->s) - f->a * f->s * c->q;
    rate[2][2] = f->D[2][2] * c->a;
}

/* H[6][n] += derivative of the forces of a constant moment m by d2, d3 */
static void add_push_slope(const bl_space_frame *f, const double m[3], int n, double *H) {
    double by_xi[3] = {0};
    add_applied_transposed3(f->D, m, by_xi);
    for (int j = 0; j < 6; j++) {
        double unit[6] = {0}, rate[3] = {0};
        frame_change c;
        bl_mat3 D;
        unit[j] = 1;
        find_change(f, unit, &c);
        change_of_D(f, &c, D);
        add_applied_transposed3(D, m, rate);
        for (int k = 0; k < 3; k++) {
            H[k * n + j] += by_xi[0] * c.t3[k] + by_xi[2] * c.t1[k] + rate[0] * f->t[2][k] + rate[2] * f->t[0][k];
            H[(3 + k) * n + j] += by_xi[1] * c.t1[k] + rate[1] * f->t[0][k];
        }
    }
}

/* ---- derivatives of the strains at a point (B23), dGamma = Gu du + Gp dpsi, dK = Kp dpsi + Ks dpsi' */

typedef struct gradient {
    bl_mat3 E, Gu, Gp, Kp, Ks;
} gradient;

static void find_gradient(const bl_space_section *at, gradient *g) {
    bl_mat3 cross = {{0}};
    rotation_of(at->psi, at->c, g->E);
    rotation_tangent(-1, at->psi, at->c, g->Ks);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            g->Gu[i][j] = g->E[j][i];
    add_cross3(1, at->strain, cross);
    product3(cross, g->Ks, g->Gp);
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
    add_transposed3(left, scaled, out);
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
static void add_bending_slope(const bl_space_section *at, const double *m, bl_mat3 out) {
    const double *psi = at->psi, *v = at->slope, *c = at->c;
    double mv = dot3(m, v), mp = dot3(m, psi), vp = dot3(v, psi), k1[3], sum[3];
    const double D2 = rotation_first(c, 2), D3 = rotation_first(c, 3);
    cross3(v, m, k1); /* m . (psi x v) = psi . k1; m . (psi x (psi x v)) = mp vp - |psi|^2 mv, by psi: m vp + v mp - 2 psi mv */
    double one = dot3(psi, k1), two = mp * vp - dot3(psi, psi) * mv;
    for (int k = 0; k < 3; k++)
        sum[k] = D3 * (m[k] * vp + v[k] * mp - 2 * psi[k] * mv) - D2 * k1[k];
    add_outer3(1, sum, psi, out);
    add_outer3(1, psi, sum, out);
    add_outer3(c[3], m, v, out);
    add_outer3(c[3], v, m, out);
    add_outer3(rotation_second(c, 3) * two - rotation_second(c, 2) * one, psi, psi, out);
    for (int k = 0; k < 3; k++)
        out[k][k] += D3 * two - D2 * one - 2 * c[3] * mv;
}

/* what the section forces add, as the gradients change */
static void add_curvature(const bl_space_section *at, const gradient *g, point_hessian *h) {
    const double *n = at->force, *m = at->force + 3;
    double across[3];
    bl_mat3 cross = {{0}}, turned, mixed = {{0}}, slope;
    add_cross3(1, n, cross);
    product3(cross, g->Ks, turned); /* [n] T */
    add_product3(-1, g->E, turned, mixed);
    add_both(mixed, h->up, h->pu);
    memset(cross, 0, sizeof cross);
    add_crosses3(1, n, at->strain, cross);
    product3(cross, g->Ks, turned); /* [n] [Gamma] T */
    add_transposed3(g->Ks, turned, h->pp);
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
static void find_gradient_rate(const bl_space_section *at, const bl_space_rates *r, const gradient *g, gradient *rate) {
    const double *psi = at->psi, *v = at->slope, *c = at->c, *dpsi = r->psi;
    double w[3], pv[3], ppv[3], rv[3], twice[3], one[3], other[3];
    bl_mat3 cross = {{0}};
    rotation_apply(psi, -c[2], c[3], dpsi, w);
    add_cross3(-1, w, cross);
    product3(cross, g->Gu, rate->Gu);
    rotation_rate(psi, dpsi, -c[2], -rotation_first(c, 2), c[3], rotation_first(c, 3), rate->Ks);
    memset(cross, 0, sizeof cross);
    add_cross3(1, r->strain, cross);
    product3(cross, g->Ks, rate->Gp);
    memset(cross, 0, sizeof cross);
    add_cross3(1, at->strain, cross);
    add_product3(1, cross, rate->Ks, rate->Gp);
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
    add_outer3(1, other, psi, rate->Kp);
    add_outer3(1, one, dpsi, rate->Kp);
    add_cross3(along * D2, v, rate->Kp);
    add_cross3(-along * D3, pv, rate->Kp);
    add_crosses3(-along * D3, psi, v, rate->Kp);
    add_cross3(-c[3], rv, rate->Kp);
    add_crosses3(-c[3], dpsi, v, rate->Kp);
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

/* changes of y and psi (B20): dy = P dP + y phi_r, dpsi = own xi + ref phi_r, phi_r = A[0] xi_I + A[1] xi_J
 * the rotation of the middle */
typedef struct jacobian {
    bl_mat3 P, y[MOST], own[MOST], ref[MOST], A[2];
} jacobian;

static void set_opposite(const bl_mat3 L, bl_mat3 ref) {
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++)
            ref[k][l] = -L[l][k];
}

static void find_jacobian(const bl_beam_element *e, const bl_space_shape *s, const bl_space_inverse *L, jacobian *j) {
    bl_mat3 M;
    memcpy(j->P, s->r, sizeof j->P);
    memset(j->y, 0, sizeof j->y);
    for (int a = 0; a < e->nnode; a++) {
        add_cross3(1, s->y[a], j->y[a]);
        identity3(M);
        add_cross3(0.5, s->psi[a], M);
        add_crosses3(L->e[a], s->psi[a], s->psi[a], M);
        product3(M, s->node[a].D, j->own[a]);
        set_opposite(M, j->ref[a]);
    }
    for (int side = 0; side < 2; side++) {
        memset(M, 0, sizeof M);
        for (int k = 0; k < 3; k++)
            M[k][k] = 0.5;
        add_cross3((side ? 0.5 : -0.5) * L->kappa, s->psi[s->J], M);
        product3(M, s->node[side ? s->J : s->I].D, j->A[side]);
    }
}

/* its rate; D: those of the frames */
static void find_jacobian_rate(const bl_beam_element *e, const bl_space_shape *s, const bl_space_inverse *L, const bl_space_motion *m,
                               const bl_mat3 *D, jacobian *j) {
    bl_mat3 M = {{0}};
    add_cross3(-1, m->middle, M);
    product3(M, s->r, j->P);
    memset(j->y, 0, sizeof j->y);
    for (int a = 0; a < e->nnode; a++) {
        add_cross3(1, m->y[a], j->y[a]);
        identity3(M);
        add_cross3(0.5, s->psi[a], M);
        add_crosses3(L->e[a], s->psi[a], s->psi[a], M);
        product3(M, D[a], j->own[a]);
        rotation_rate(s->psi[a], m->psi[a], 0.5, 0, L->e[a], L->e1[a], M);
        add_product3(1, M, s->node[a].D, j->own[a]);
        set_opposite(M, j->ref[a]);
    }
    for (int side = 0; side < 2; side++) {
        const int node = side ? s->J : s->I;
        const double half = side ? 0.5 : -0.5;
        memset(M, 0, sizeof M);
        for (int k = 0; k < 3; k++)
            M[k][k] = 0.5;
        add_cross3(half * L->kappa, s->psi[s->J], M);
        product3(M, D[node], j->A[side]);
        memset(M, 0, sizeof M);
        add_cross3(half * L->kappa1 * dot3(s->psi[s->J], m->psi[s->J]), s->psi[s->J], M);
        add_cross3(half * L->kappa, m->psi[s->J], M);
        add_product3(1, M, s->node[node].D, j->A[side]);
    }
}

/* out += left^T H right, by positions, xi and the rotation of the middle */
static void add_pulled(int nnode, const blocks *H, const jacobian *left, const jacobian *right, blocks *out) {
    const int n = 2 * nnode;
    for (int b = 0; b < nnode; b++) {
        bl_mat3 by[SLOTS][3]; /* H right, by P_b, phi_b, and what node b contributes by the middle */
        for (int i = 0; i < n; i++) {
            product3(H->at[i][2 * b], right->P, by[i][0]);
            product3(H->at[i][2 * b + 1], right->own[b], by[i][1]);
            product3(H->at[i][2 * b], right->y[b], by[i][2]);
            add_product3(1, H->at[i][2 * b + 1], right->ref[b], by[i][2]);
        }
        for (int k = 0; k < 3; k++) {
            const int column = k < 2 ? 2 * b + k : n;
            for (int a = 0; a < nnode; a++) {
                add_transposed3(left->P, by[2 * a][k], out->at[2 * a][column]);
                add_transposed3(left->own[a], by[2 * a + 1][k], out->at[2 * a + 1][column]);
                add_transposed3(left->y[a], by[2 * a][k], out->at[n][column]);
                add_transposed3(left->ref[a], by[2 * a + 1][k], out->at[n][column]);
            }
        }
    }
}

/* rows of a node: out += factor D^T slope dpsi_a, where node a may be another one */
static void add_by_psi(double factor, const bl_mat3 D, const bl_mat3 slope, const jacobian *j, int a, int column, bl_mat3 *row, int n) {
    bl_mat3 turned = {{0}};
    add_transposed3(D, slope, turned);
    add_product3(factor, turned, j->own[a], row[column]);
    add_product3(factor, turned, j->ref[a], row[n]);
}

/* derivatives of the forces by positions and xi for constant loads of y and psi; middle: moment of the middle */
static void add_held(const bl_beam_element *e, const bl_space_shape *s, const bl_space_inverse *L, const jacobian *j,
                     const bl_space_loads *l, const double *middle, blocks *out) {
    const int n = 2 * e->nnode;
    bl_mat3 slope, part;
    for (int a = 0; a < e->nnode; a++) {
        const double *g = l->y[a], *mu = l->psi[a];
        bl_mat3 cross = {{0}};
        add_cross3(1, g, cross);
        product3(cross, j->P, part);
        add_both(part, out->at[n][2 * a], out->at[2 * a][n]);
        add_product3(1, cross, j->y[a], out->at[n][n]);
        rotation_slope(s->psi[a], mu, -0.5, 0, L->e[a], L->e1[a], slope); /* of L^T mu, the moment of the node */
        add_by_psi(1, s->node[a].D, slope, j, a, 2 * a + 1, out->at[2 * a + 1], n);
        rotation_slope(s->psi[a], mu, 0.5, 0, L->e[a], L->e1[a], slope); /* of L mu, less which is that of the middle */
        add_product3(-1, slope, j->own[a], out->at[n][2 * a + 1]);
        add_product3(-1, slope, j->ref[a], out->at[n][n]);
    }
    rotation_slope(s->psi[s->J], middle, -L->kappa, -L->kappa1, 0, 0, slope); /* of 2 A_J^T middle; A_I: the opposite */
    add_by_psi(-0.5, s->node[s->I].D, slope, j, s->J, 2 * s->J + 1, out->at[2 * s->I + 1], n);
    add_by_psi(0.5, s->node[s->J].D, slope, j, s->J, 2 * s->J + 1, out->at[2 * s->J + 1], n);
}

/* columns of I and J += those of `from` by the middle, times A */
static void fold_columns(int nnode, const bl_space_shape *s, const bl_mat3 A[2], const blocks *from, blocks *to) {
    const int n = 2 * nnode;
    for (int i = 0; i <= n; i++) {
        add_product3(1, from->at[i][n], A[0], to->at[i][2 * s->I + 1]);
        add_product3(1, from->at[i][n], A[1], to->at[i][2 * s->J + 1]);
    }
}

/* and rows, likewise */
static void fold_rows(int nnode, const bl_space_shape *s, const bl_mat3 A[2], blocks *b) {
    const int n = 2 * nnode;
    for (int i = 0; i < n; i++) {
        add_transposed3(A[0], b->at[n][i], b->at[2 * s->I + 1][i]);
        add_transposed3(A[1], b->at[n][i], b->at[2 * s->J + 1][i]);
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

/* sums over the points: loads of y and psi, H their derivatives, with those of viscous forces at the motion m (NULL: none), and Hv those of
 * viscous forces by the rates of y and psi (NULL: not requested) */
static void add_points(const bl_beam_element *e, const bl_space_shape *s, const bl_space_motion *m, bl_space_loads *l, blocks *H,
                       blocks *Hv) {
    clear(2 * e->nnode, H);
    if (Hv)
        clear(2 * e->nnode, Hv);
    for (int p = 0; p < e->npoint; p++) {
        bl_space_section at;
        bl_space_rates r;
        gradient g, rate;
        point_hessian h = {.uu = {{0}}}, hv = {.uu = {{0}}};
        bl_space_find_section(e, p, s, &at);
        find_gradient(&at, &g);
        add_stiffness(&g, e->stiffness, &g, &h);
        if (m) {
            bl_space_find_rates(e, p, m, &at, &r);
            bl_space_add_viscous(e, &r, &at);
            find_gradient_rate(&at, &r, &g, &rate);
            add_stiffness(&g, e->viscosity, &rate, &h);
        }
        bl_space_add_loads(e, p, &at, l);
        add_curvature(&at, &g, &h);
        spread(e, p, &h, H);
        if (Hv) {
            add_stiffness(&g, e->viscosity, &g, &hv);
            spread(e, p, &hv, Hv);
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
    bl_space_inverse L;
    bl_space_loads l = {{{0}}, {{0}}};
    blocks H, Hv, elastic, damping;
    jacobian j, j_rate;
    bl_space_motion m;
    bl_space_shape s;
    bl_space_find_shape(e, x, &s);
    bl_space_find_inverse(e, &s, &L);
    find_jacobian(e, &s, &L, &j);
    for (int a = 0; a < nnode; a++)
        along[a] = (directions){s.node[a].t[0], s.node[a].t[2]};
    if (v) {
        bl_space_find_motion(e, &s, &L, v, &m);
        for (int a = 0; a < nnode; a++) {
            find_change(&s.node[a], v + a * NODE + 3, &change[a]);
            change_of_D(&s.node[a], &change[a], D_rate[a]);
            along_rate[a] = (directions){change[a].t1, change[a].t3};
        }
        find_jacobian_rate(e, &s, &L, &m, (const bl_mat3 *)D_rate, &j_rate);
    }
    clear(2 * nnode, &elastic);
    clear(2 * nnode, &damping);
    add_points(e, &s, v ? &m : NULL, &l, &H, viscous ? &Hv : NULL);
    bl_space_find_moments(e, &s, &L, &l, moment, middle);
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
