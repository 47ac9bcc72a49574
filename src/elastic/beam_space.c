/* Element of a beam in space by rotations relative to its middle (docs/theory/beams.md, section 10; Crisfield and Jelenic 1999): energy
 * and forces. With the rotations R_a of the nodes and R_r of the middle, half way between the nodes I and J about it,
 *
 *     psi_a = log(R_r^T R_a),  psi = sum N_a psi_a,  y_a = R_r^T P_a,  u = sum N_a' y_a,
 *     Gamma = exp(psi)^T u - ( )_0,    K = T(psi) psi' - ( )_0.
 *
 * d2 and d3 enter by the frame that Gram and Schmidt make of them. */
#include "elastic/beam_space_private.h"
#include "elastic/elastic_limits.h"

enum { NODE = BL_SPACE_NODE };

/* ---- frames of the nodes */

/* (B19) */
static void find_frame(const double *d2, const double *d3, bl_space_frame *f) {
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

void bl_space_turning_at(const bl_space_frame *f, const double *v, double w[3]) {
    const double xi[3] = {dot3(f->t[2], v), dot3(f->t[0], v + 3), dot3(f->t[0], v)};
    memset(w, 0, 3 * sizeof *w);
    add_applied3(f->D, xi, w);
}

/* forces on d2, d3 of the moment m about the axes */
static void push(const bl_space_frame *f, const double m[3], double *force) {
    double by_xi[3] = {0};
    add_applied_transposed3(f->D, m, by_xi);
    for (int k = 0; k < 3; k++) {
        force[k] += by_xi[0] * f->t[2][k] + by_xi[2] * f->t[0][k];
        force[3 + k] += by_xi[1] * f->t[0][k];
    }
}

/* ---- rotations relative to the middle */

static void relative(const bl_mat3 r, const bl_mat3 t, double psi[3]) {
    bl_mat3 M;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            M[i][j] = dot3(r[i], t[j]);
    rotation_vector(M, psi);
}

/* (B16) */
void bl_space_find_shape(const bl_beam_element *e, const double *x, bl_space_shape *s) {
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
        add_transposed3(E, s->node[s->I].t, s->r);
    }
    for (int a = 0; a < e->nnode; a++) {
        double from[3];
        for (int k = 0; k < 3; k++) {
            from[k] = x[a * NODE + k] - x[s->I * NODE + k];
            s->y[a][k] = 0;
        }
        add_applied3(s->r, from, s->y[a]);
        if (a != s->I && a != s->J)
            relative(s->r, s->node[a].t, s->psi[a]);
    }
}

void bl_space_find_inverse(const bl_beam_element *e, const bl_space_shape *s, bl_space_inverse *L) {
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

static double largest_turn(const bl_beam_element *e, const bl_space_shape *s) {
    double most = 0;
    for (int a = 0; a < e->nnode; a++)
        most = fmax(most, dot3(s->psi[a], s->psi[a]));
    return s->I == s->J ? sqrt(most) : fmax(sqrt(most), 2 * norm3(s->psi[s->J]));
}

double bl_beam_space_turn(const bl_beam_element *e, const double *x) {
    bl_space_shape s;
    bl_space_find_shape(e, x, &s);
    return largest_turn(e, &s);
}

/* ---- strains at a point */

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

/* (B17) */
void bl_space_find_section(const bl_beam_element *e, int p, const bl_space_shape *s, bl_space_section *at) {
    interpolate(e, p, s->y, s->psi, at->u, at->psi, at->slope);
    rotation_coefficients(at->psi, at->c);
    rotation_apply(at->psi, -at->c[1], at->c[2], at->u, at->strain);
    rotation_apply(at->psi, -at->c[2], at->c[3], at->slope, at->strain + 3);
    for (int k = 0; k < BL_BEAM_STRAINS; k++)
        at->force[k] = e->stiffness[k] * (at->strain[k] - e->start[p][k]);
}

void bl_beam_space_strains(const bl_beam_element *e, int point, const double *x, double *strain) {
    bl_space_shape s;
    bl_space_section at;
    bl_space_find_shape(e, x, &s);
    bl_space_find_section(e, point, &s, &at);
    for (int k = 0; k < BL_BEAM_STRAINS; k++)
        strain[k] = at.strain[k] - e->start[point][k];
}

double bl_beam_space_energy(const bl_beam_element *e, const double *x) {
    double sum = 0;
    bl_space_shape s;
    bl_space_find_shape(e, x, &s);
    for (int p = 0; p < e->npoint; p++) {
        bl_space_section at;
        bl_space_find_section(e, p, &s, &at);
        for (int k = 0; k < BL_BEAM_STRAINS; k++)
            sum += 0.5 * e->weight[p] * at.force[k] * (at.strain[k] - e->start[p][k]);
    }
    return largest_turn(e, &s) < elastic_most_turn ? sum : NAN;
}

/* ---- forces */

/* (B20) with rates */
void bl_space_find_motion(const bl_beam_element *e, const bl_space_shape *s, const bl_space_inverse *L, const double *v,
                          bl_space_motion *m) {
    double sum[3], difference[3], across[3];
    for (int a = 0; a < e->nnode; a++)
        bl_space_turning_at(&s->node[a], v + a * NODE + 3, m->w[a]);
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
        add_applied3(s->r, from, m->y[a]);
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

/* (B23) with rates; T psi' = psi' - c_2 psi x psi' + c_3 psi x (psi x psi') changes with psi too */
void bl_space_find_rates(const bl_beam_element *e, int p, const bl_space_motion *m, const bl_space_section *at, bl_space_rates *r) {
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

double bl_space_add_viscous(const bl_beam_element *e, const bl_space_rates *r, bl_space_section *at) {
    double lost = 0;
    for (int k = 0; k < BL_BEAM_STRAINS; k++) {
        at->force[k] += e->viscosity[k] * r->strain[k];
        lost += e->viscosity[k] * r->strain[k] * r->strain[k];
    }
    return lost;
}

/* (B21) */
void bl_space_add_loads(const bl_beam_element *e, int p, const bl_space_section *at, bl_space_loads *to) {
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

/* (B22) */
void bl_space_find_moments(const bl_beam_element *e, const bl_space_shape *s, const bl_space_inverse *L, const bl_space_loads *l,
                           double m[][3], double middle[3]) {
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
    double lost = 0, moment[BL_BEAM_NODES][3], middle[3];
    bl_space_inverse L;
    bl_space_loads l = {{{0}}, {{0}}};
    bl_space_motion m;
    bl_space_shape s;
    bl_space_find_shape(e, x, &s);
    bl_space_find_inverse(e, &s, &L);
    if (v)
        bl_space_find_motion(e, &s, &L, v, &m);
    for (int p = 0; p < e->npoint; p++) {
        bl_space_section at;
        bl_space_rates r;
        bl_space_find_section(e, p, &s, &at);
        if (v) {
            bl_space_find_rates(e, p, &m, &at, &r);
            lost += e->weight[p] * bl_space_add_viscous(e, &r, &at);
        }
        bl_space_add_loads(e, p, &at, &l);
    }
    bl_space_find_moments(e, &s, &L, &l, moment, middle);
    memset(f, 0, (size_t)bl_beam_local(e) * sizeof *f);
    for (int a = 0; a < e->nnode; a++, f += NODE) {
        add_applied_transposed3(s.r, l.y[a], f);
        push(&s.node[a], moment[a], f + 3);
    }
    return largest_turn(e, &s) < elastic_most_turn ? lost : NAN;
}
