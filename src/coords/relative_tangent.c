/* Tangents of trees, exact: K, C, d(M a)/dq, d(G^T lambda)/dq, d(G v)/dq, derivatives of signals.
 *
 * Twists and wrenches are taken at one fixed point. A column k moves its subtree rigidly, S_j' = S_k x S_j, so that
 *
 *     dV = S_k x V + xi_k,     dA = S_k x A + alpha_k + xi_k x V
 *
 * hold for all links of the subtree with the same xi_k, alpha_k: sums over the subtree of a link (inertia, force, the map B of xi) give
 * every entry by a few products. Derivatives of forces come from the mechanism in blocks of two links each. The columns of a spherical
 * joint, which rotates by Exp(q), have additional derivatives of their own. */
#include "coords/relative.h"

#include "base/vector3.h"
#include "sparse/sparse.h"

#include <math.h>
#include <string.h>

struct bl_tree_tangent {
    double at[3]; /* point at which twists are taken */
    struct column {
        double S[6], xi[6], alpha[6], beta[6];
        double behind[6], behind_C[6];         /* change of the subtree's wrench with the column's displacement (rate) */
        double by_S[6], by_alpha[6], by_xi[6]; /* effect along the column of displacements above it */
    } * col;                                   /* [ntree] */
    struct subtree_sums {                      /* sums over the subtree of a link */
        double V[6], A[6];                     /* of the link alone */
        double m, h[3], J[6], B[36], F[6];     /* inertia, and the wrench it requires */
        double P[6], E[9];                     /* forces of the mechanism: wrench, and how its moment rotates: E u - P_f x s */
    } * link;                                  /* [nlink] */
    double (*slope)[6], (*turn)[3];            /* [inner nv] x for a unit twist; x' when everything rotates */
    double *K, *C, *D;                         /* [npair] blocks 6 x 6, 6 x 6, 6 x 3 by columns */
    bool *active;                              /* [npair] */
    double (*wrench)[6];                       /* [nnode] */
    void *block;                               /* allocation that contains the arrays */
};

bl_status bl_tree_tangent_create(const bl_system *sys, bl_tree_work *w) {
    const bl_tree *t = bl_tree_of(sys);
    size_t npair = (size_t)t->slopes->pair.ptr[t->slopes->nnode], nx = (size_t)t->on.inner->nv;
    struct bl_tree_tangent *g;
    BL_TRY(BL_NEW(sys->ctx, g, 1));
    w->tangent = g;
    return BL_NEW_ARRAYS(sys->ctx, g->block, BL_ARRAY(g->col, t->ntree), BL_ARRAY(g->link, t->nlink), BL_ARRAY(g->slope, nx),
                         BL_ARRAY(g->turn, nx), BL_ARRAY(g->K, 36 * npair), BL_ARRAY(g->C, 36 * npair), BL_ARRAY(g->D, 18 * npair),
                         BL_ARRAY(g->active, npair), BL_ARRAY(g->wrench, t->slopes->nnode));
}

void bl_tree_tangent_destroy(const bl_system *sys, bl_tree_work *w) {
    struct bl_tree_tangent *g = w->tangent;
    if (!g)
        return;
    bl_free(sys->ctx, g->block);
    bl_free(sys->ctx, g);
    w->tangent = NULL;
}

/* ---- twists and wrenches */

static inline double dot6(const double *a, const double *b) { return dot3(a, b) + dot3(a + 3, b + 3); }

static inline void add6(double factor, const double *x, double *y) {
    for (int k = 0; k < 6; k++)
        y[k] += factor * x[k];
}

/* y += factor (a x b) */
static inline void add_cross(double factor, const double *a, const double *b, double *y) {
    double c[3];
    cross3(a, b, c);
    for (int k = 0; k < 3; k++)
        y[k] += factor * c[k];
}

/* out += factor (S x T) of twists */
static void add_bracket(double factor, const double *S, const double *T, double *out) {
    add_cross(factor, S, T, out);
    add_cross(factor, S, T + 3, out + 3);
    add_cross(factor, S + 3, T, out + 3);
}

/* out += factor (S x* F) for a wrench F */
static void add_carried(double factor, const double *S, const double *F, double *out) {
    add_cross(factor, S, F, out);
    add_cross(factor, S + 3, F + 3, out);
    add_cross(factor, S, F + 3, out + 3);
}

static void add_inertia(const struct subtree_sums *l, const double *S, double *out) {
    const double *J = l->J, *u = S, *s = S + 3;
    out[0] += J[0] * u[0] + J[3] * u[1] + J[5] * u[2];
    out[1] += J[3] * u[0] + J[1] * u[1] + J[4] * u[2];
    out[2] += J[5] * u[0] + J[4] * u[1] + J[2] * u[2];
    add_cross(1, l->h, s, out);
    add_cross(1, u, l->h, out + 3);
    for (int c = 0; c < 3; c++)
        out[3 + c] += l->m * s[c];
}

/* y += A x, A 6 x n by columns */
static void add_block(const double *A, int n, const double *x, double *y) {
    for (int j = 0; j < n; j++)
        add6(x[j], A + 6 * j, y);
}

/* ---- a rotation Exp(q): w = A(q) q' */

/* f0 = (1 - cos p)/p^2, f1 = (p - sin p)/p^3; f[2..3] and f[4..5]: once and twice d/dp, divided by p; x = p^2 */
static void exponential_factors(double x, double f[6]) {
    memset(f, 0, 6 * sizeof *f);
    if (x > 6) {
        double p = sqrt(x), s = sin(p), c = cos(p), x2 = x * x, x3 = x2 * x;
        f[0] = (1 - c) / x;
        f[1] = (p - s) / (x * p);
        f[2] = s / (x * p) - 2 * (1 - c) / x2;
        f[3] = 3 * s / (x2 * p) - (c + 2) / x2;
        f[4] = c / x2 - 5 * s / (x2 * p) + 8 * (1 - c) / x3;
        f[5] = (7 * c + 8) / x3 - 15 * s / (x3 * p) + s / (x2 * p);
        return;
    }
    double even = 1.0 / 2, odd = 1.0 / 6, power[3] = {1, 0, 0}; /* x^k and its derivatives: d/dp / p = 2 d/dx */
    for (int k = 0; k < 18; k++) {
        for (int d = 0; d < 3; d++)
            f[2 * d] += even * power[d], f[2 * d + 1] += odd * power[d];
        even /= -(2.0 * k + 3) * (2.0 * k + 4);
        odd /= -(2.0 * k + 4) * (2.0 * k + 5);
        power[2] = power[2] * x + 4 * power[1];
        power[1] = power[1] * x + 2 * power[0];
        power[0] *= x;
    }
}

/* out = dA[w] v: derivative of A(q) v along w */
static void exponential_slope(const double *q, const double *f, const double *w, const double *v, double *out) {
    double qv[3], wv[3], along = dot3(q, w);
    cross3(q, v, qv);
    cross3(w, v, wv);
    for (int c = 0; c < 3; c++)
        out[c] = f[2] * along * qv[c] + f[0] * wv[c];
    add_cross(f[3] * along, q, qv, out);
    add_cross(f[1], w, qv, out);
    add_cross(f[1], q, wv, out);
}

/* out += derivative of dA[v] v along the axis m */
static void exponential_curvature(const double *q, const double *f, int m, const double *v, double *out) {
    double e[3] = {m == 0, m == 1, m == 2}, qv[3], ev[3], s = dot3(q, v);
    cross3(q, v, qv);
    cross3(e, v, ev);
    for (int c = 0; c < 3; c++)
        out[c] += (f[4] * q[m] * s + f[2] * v[m]) * qv[c] + f[2] * s * ev[c];
    add_cross(f[5] * q[m] * s + f[3] * v[m], q, qv, out);
    add_cross(f[3] * s, e, qv, out);
    add_cross(f[3] * s, q, ev, out);
    add_cross(f[3] * q[m], v, qv, out);
    add_cross(f[1], v, ev, out);
}

typedef struct ball_now {
    double f[6], point[3]; /* point: from the center of the joint to the point of the twists */
    const double *frame, *q;
} ball_now;

static void ball_at(const bl_tree_work *w, const bl_eval *e, const bl_tree_axis *axis, bl_index link, ball_now *b) {
    const struct bl_ball *ball = &w->ball[axis->ball];
    b->q = e->q + axis->col;
    b->frame = ball->frame;
    for (int c = 0; c < 3; c++)
        b->point[c] = w->tangent->at[c] - (w->now[link].c[c] - ball->arm[c]);
    exponential_factors(dot3(b->q, b->q), b->f);
}

/* twist of a spherical joint with the local spin */
static void ball_twist(const ball_now *b, const double *spin, double *out) {
    for (int c = 0; c < 3; c++)
        out[c] = b->frame[c] * spin[0] + b->frame[3 + c] * spin[1] + b->frame[6 + c] * spin[2];
    cross3(out, b->point, out + 3);
}

/* ---- kinematics: xi, alpha, beta of every column; v or a NULL: zero */

static const double zero[3] = {0, 0, 0};

static void column_slopes(struct column *k, const ball_now *ball, int m, const double *v, const double *a, const double *before,
                          const double *V, const double *A) {
    for (int c = 0; c < 6; c++)
        k->xi[c] = k->alpha[c] = k->beta[c] = 0;
    if (ball) {
        double e[3] = {m == 0, m == 1, m == 2}, spin[3], more[3];
        exponential_slope(ball->q, ball->f, e, v, spin);
        ball_twist(ball, spin, k->xi);
        exponential_slope(ball->q, ball->f, v, e, more);
        for (int c = 0; c < 3; c++)
            more[c] += spin[c];
        ball_twist(ball, more, k->beta);
        exponential_slope(ball->q, ball->f, e, a, spin);
        exponential_curvature(ball->q, ball->f, m, v, spin);
        ball_twist(ball, spin, k->alpha);
        add_bracket(1, before, k->xi, k->alpha);
    }
    add_bracket(-1, k->S, V, k->xi);
    add_bracket(-1, k->S, A, k->alpha);
    add_bracket(-1, k->xi, V, k->alpha);
    add_bracket(1, before, k->S, k->beta);
    add_bracket(-1, k->S, V, k->beta);
}

static void find_kinematics(const bl_system *sys, const bl_eval *e, const double *v, const double *a) {
    const bl_tree *t = bl_tree_of(sys);
    bl_tree_work *w = e->own;
    struct bl_tree_tangent *g = w->tangent;
    static const double none[6] = {0};
    for (bl_index i = 0; i < t->nlink; i++) {
        const bl_link *link = &t->link[i];
        double V[6], A[6], before[6], own[6];
        memcpy(V, link->parent < 0 ? none : g->link[link->parent].V, sizeof V);
        memcpy(A, link->parent < 0 ? none : g->link[link->parent].A, sizeof A);
        for (bl_index x = link->first; x < link->first + link->count; x++) {
            const bl_tree_axis *axis = &t->axis[x];
            bool turns = axis->what == BL_BALL;
            int n = turns ? 3 : 1;
            ball_now ball;
            memcpy(before, V, sizeof V);
            memset(own, 0, sizeof own);
            for (int m = 0; m < n; m++) {
                add6(v ? v[axis->col + m] : 0, g->col[axis->col + m].S, own);
                add6(a ? a[axis->col + m] : 0, g->col[axis->col + m].S, A);
            }
            add_bracket(1, before, own, A);
            add6(1, own, V);
            const double *rate = v ? v + axis->col : zero;
            if (turns) {
                double spin[3], bias[6];
                ball_at(w, e, axis, i, &ball);
                exponential_slope(ball.q, ball.f, rate, rate, spin);
                ball_twist(&ball, spin, bias);
                add6(1, bias, A);
            }
            for (int m = 0; m < n; m++)
                column_slopes(&g->col[axis->col + m], turns ? &ball : NULL, m, rate, a ? a + axis->col : zero, before, V, A);
        }
        memcpy(g->link[i].V, V, sizeof V);
        memcpy(g->link[i].A, A, sizeof A);
    }
}

/* twists and inertias at one point; no forces yet */
static void set_twists(const bl_system *sys, bl_tree_work *w) {
    const bl_tree *t = bl_tree_of(sys);
    struct bl_tree_tangent *g = w->tangent;
    memset(g->at, 0, sizeof g->at);
    for (bl_index i = 0; i < t->nlink; i++)
        for (int c = 0; c < 3; c++)
            g->at[c] += w->now[i].c[c] / (double)t->nlink;
    for (bl_index c = 0; c < t->ntree; c++) {
        const struct bl_link_now *l = &w->now[t->slopes->link_of[c]];
        double back[3] = {g->at[0] - l->c[0], g->at[1] - l->c[1], g->at[2] - l->c[2]};
        memcpy(g->col[c].S, w->S[c], sizeof g->col[c].S);
        add_cross(1, w->S[c], back, g->col[c].S + 3);
    }
}

static void clear_forces(const bl_tree *t, struct bl_tree_tangent *g) {
    for (bl_index i = 0; i < t->nlink; i++) {
        struct subtree_sums none = {0};
        memcpy(none.V, g->link[i].V, sizeof none.V);
        memcpy(none.A, g->link[i].A, sizeof none.A);
        g->link[i] = none;
    }
}

static void subtract_inertia(const bl_tree *t, bl_tree_work *w) {
    struct bl_tree_tangent *g = w->tangent;
    static const int first[6] = {0, 1, 2, 0, 1, 2}, second[6] = {0, 1, 2, 1, 2, 0};
    for (bl_index i = 0; i < t->nlink; i++) {
        struct subtree_sums *l = &g->link[i];
        const struct bl_link_now *now = &w->now[i];
        double arm[3] = {now->c[0] - g->at[0], now->c[1] - g->at[1], now->c[2] - g->at[2]}, square = dot3(arm, arm), momentum[6] = {0};
        l->m = now->m;
        for (int k = 0; k < 6; k++)
            l->J[k] = now->I[k] + now->m * ((k < 3 ? square : 0) - arm[first[k]] * arm[second[k]]);
        for (int c = 0; c < 3; c++)
            l->h[c] = now->m * arm[c];
        add_inertia(l, l->V, momentum);
        add_inertia(l, l->A, l->F);
        add_carried(1, l->V, momentum, l->F);
        for (int j = 0; j < 6; j++) {
            double unit[6] = {0}, turned[6] = {0}, moved[6] = {0}, *B = l->B + 6 * j;
            unit[j] = 1;
            add_bracket(1, unit, l->V, turned);
            add_inertia(l, turned, B);
            add_carried(1, unit, momentum, B);
            add_inertia(l, unit, moved);
            add_carried(1, l->V, moved, B);
        }
    }
}

/* forces on x, as wrenches at the links */
static void add_forces(const bl_tree *t, bl_tree_work *w, double factor, const double *Q_x) {
    struct bl_tree_tangent *g = w->tangent;
    int dim = t->on.m->dim;
    for (bl_index i = 0; i < t->nlink; i++) {
        const bl_link *link = &t->link[i];
        const struct bl_link_now *now = &w->now[i];
        struct subtree_sums *l = &g->link[i];
        for (int k = -1; k < (dim == 2 ? 1 : 3); k++) {
            double f[3] = {0}, r[3];
            for (int c = 0; c < dim; c++)
                f[c] = factor * Q_x[(k < 0 ? link->center : link->axis_col[k]) + c];
            for (int c = 0; c < 3; c++)
                r[c] = k < 0 ? now->c[c] - g->at[c] : now->R[3 * k + c];
            add_cross(1, r, f, l->P);
            for (int c = 0; c < 3 && k < 0; c++)
                l->P[3 + c] += f[c];
            double along = dot3(r, f);
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++)
                    l->E[3 * a + b] += r[a] * f[b] - (a == b ? along : 0);
        }
    }
}

/* sums over the subtree of each link, and what the columns need of them */
static void sum_subtrees(const bl_tree *t, struct bl_tree_tangent *g) {
    for (bl_index i = t->nlink - 1; i >= 0; i--) {
        const bl_link *link = &t->link[i];
        const struct subtree_sums *l = &g->link[i];
        double W[6];
        for (int k = 0; k < 6; k++)
            W[k] = l->F[k] - l->P[k];
        for (bl_index c = link->col; c < link->col + link->ncol; c++) {
            struct column *k = &g->col[c];
            const double *u = k->S, *s = k->S + 3;
            /* its own displacement: the wrench of inertia rotates with it, that of the forces only through its points */
            memset(k->behind, 0, sizeof k->behind);
            add_carried(1, k->S, l->F, k->behind);
            add_cross(1, l->P + 3, s, k->behind);
            memset(k->by_S, 0, sizeof k->by_S);
            add_cross(1, l->F, u, k->by_S);
            add_cross(1, l->F + 3, s, k->by_S);
            add_cross(1, l->F + 3, u, k->by_S + 3);
            add_cross(1, u, l->P + 3, k->by_S + 3);
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++) {
                    k->behind[a] -= l->E[3 * a + b] * u[b];
                    k->by_S[a] -= l->E[3 * b + a] * u[b];
                }
            add_carried(1, k->S, W, k->by_S); /* the column itself rotates with displacements above it */
            add_inertia(l, k->alpha, k->behind);
            add_block(l->B, 6, k->xi, k->behind);
            memset(k->behind_C, 0, sizeof k->behind_C);
            add_inertia(l, k->beta, k->behind_C);
            add_block(l->B, 6, k->S, k->behind_C);
            memset(k->by_alpha, 0, sizeof k->by_alpha);
            add_inertia(l, k->S, k->by_alpha);
            for (int j = 0; j < 6; j++)
                k->by_xi[j] = dot6(l->B + 6 * j, k->S);
        }
        if (link->parent < 0)
            continue;
        struct subtree_sums *p = &g->link[link->parent];
        p->m += l->m;
        for (int k = 0; k < 3; k++)
            p->h[k] += l->h[k];
        for (int k = 0; k < 6; k++) {
            p->J[k] += l->J[k];
            p->F[k] += l->F[k];
            p->P[k] += l->P[k];
        }
        for (int k = 0; k < 36; k++)
            p->B[k] += l->B[k];
        for (int k = 0; k < 9; k++)
            p->E[k] += l->E[k];
    }
}

/* ---- derivatives that the mechanism provides, in blocks of two nodes */

/* x of a link for a unit twist; rates of x rotate when everything rotates */
static void find_slopes(const bl_tree *t, bl_tree_work *w, bool moving) {
    struct bl_tree_tangent *g = w->tangent;
    int dim = t->on.m->dim;
    for (bl_index j = 0; j < t->on.inner->nv; j++)
        if (t->source[j] >= 0)
            g->slope[j][0] = 1; /* the others remain zero */
    for (bl_index i = 0; i < t->nlink; i++) {
        const bl_link *link = &t->link[i];
        const struct bl_link_now *now = &w->now[i];
        for (int k = -1; k < (dim == 2 ? 1 : 3); k++) {
            bl_index j = k < 0 ? link->center : link->axis_col[k];
            double r[3], rate[3] = {0};
            for (int c = 0; c < 3; c++)
                r[c] = k < 0 ? now->c[c] - g->at[c] : now->R[3 * k + c];
            for (int c = 0; c < dim && moving; c++)
                rate[c] = w->xd[j + c];
            for (int c = 0; c < dim; c++) { /* (u x r)_c = u . (r x e_c) */
                double e[3] = {c == 0, c == 1, c == 2};
                cross3(r, e, g->slope[j + c]);
                for (int b = 0; b < 3; b++)
                    g->slope[j + c][3 + b] = k < 0 && b == c;
                cross3(rate, e, g->turn[j + c]);
            }
        }
    }
}

/* blocks of all pairs; false: all zero */
static bool find_blocks(const bl_tree *t, struct bl_tree_tangent *g, const double *K, const double *C) {
    const struct bl_tree_slopes *s = t->slopes;
    const bl_pattern *pat = &t->on.inner->pat_K;
    bl_index npair = s->pair.ptr[s->nnode];
    bool any = false;
    memset(g->active, 0, (size_t)npair * sizeof *g->active);
    for (bl_index j = 0; j < t->on.inner->nv; j++)
        for (bl_index p = pat->ptr[j]; p < pat->ptr[j + 1]; p++) {
            double k = K[p], c = C ? C[p] : 0;
            if (k == 0 && c == 0)
                continue;
            bl_index pair = s->pair_of[p];
            const double *left = g->slope[pat->idx[p]];
            double *into_K = g->K + 36 * pair, *into_C = g->C + 36 * pair, *into_D = g->D + 18 * pair;
            if (!g->active[pair]) {
                memset(into_K, 0, 36 * sizeof *into_K);
                memset(into_C, 0, 36 * sizeof *into_C);
                memset(into_D, 0, 18 * sizeof *into_D);
                g->active[pair] = any = true;
            }
            for (int b = 0; b < 6; b++)
                add6(k * g->slope[j][b], left, into_K + 6 * b);
            for (int b = 0; b < 6 && c != 0; b++)
                add6(c * g->slope[j][b], left, into_C + 6 * b);
            for (int b = 0; b < 3 && c != 0; b++)
                add6(c * g->turn[j][b], left, into_D + 6 * b);
        }
    return any;
}

/* effect of a displacement of column c (of_rate: of its rate) on the nodes coupled with a node; a link without columns passes it on */
static void push_pairs(const bl_tree *t, struct bl_tree_tangent *g, bl_index c, bl_index node, bool of_rate) {
    const struct bl_tree_slopes *s = t->slopes;
    static const double unit[6] = {1}, none[6] = {0};
    bool copied = node >= t->nlink;
    const double *S = copied ? unit : g->col[c].S, *xi = copied ? none : g->col[c].xi, *u = copied ? none : g->col[c].S;
    for (bl_index p = s->pair.ptr[node]; p < s->pair.ptr[node + 1]; p++) {
        bl_index to = s->pair.idx[p] < t->nlink ? s->carry[s->pair.idx[p]] : s->pair.idx[p];
        if (!g->active[p] || to < 0)
            continue;
        double *out = g->wrench[to];
        add_block((of_rate ? g->C : g->K) + 36 * p, 6, S, out);
        if (!of_rate) {
            add_block(g->C + 36 * p, 6, xi, out);
            add_block(g->D + 18 * p, 3, u, out);
        }
    }
}

/* wrenches at the nodes of all rows of column c due to its displacement (of_rate: its rate), transferred to the root */
static void wrenches_of(const bl_system *sys, struct bl_tree_tangent *g, bl_index c, bool of_rate) {
    const bl_tree *t = bl_tree_of(sys);
    const struct bl_tree_slopes *s = t->slopes;
    bl_index first = sys->pat_K.ptr[c], end = sys->pat_K.ptr[c + 1];
    for (bl_index p = first; p < end; p++) {
        bl_index a = sys->pat_K.idx[p];
        if (a < t->ntree)
            memset(g->wrench[s->link_of[a]], 0, sizeof *g->wrench);
        if (s->copy_of[a] >= 0)
            memset(g->wrench[s->copy_of[a]], 0, sizeof *g->wrench);
    }
    bl_index own = c < t->ntree ? s->link_of[c] : -1;
    for (bl_index k = 0; own >= 0 && k < s->subtree[own]; k++)
        push_pairs(t, g, c, s->walk[s->at[own] + k], of_rate);
    if (s->copy_of[c] >= 0)
        push_pairs(t, g, c, s->copy_of[c], of_rate);
    for (bl_index p = end - 1; p >= first; p--) { /* columns are in the order of links: children first */
        bl_index a = sys->pat_K.idx[p], i = a < t->ntree ? s->link_of[a] : -1;
        if (i < 0 || a != t->link[i].col || t->link[i].parent < 0 || s->carry[t->link[i].parent] < 0)
            continue;
        add6(1, g->wrench[i], g->wrench[s->carry[t->link[i].parent]]);
    }
}

/* ---- entries */

static void add_blocks(const bl_system *sys, struct bl_tree_tangent *g, bool of_rate, double *out) {
    const bl_tree *t = bl_tree_of(sys);
    const struct bl_tree_slopes *s = t->slopes;
    for (bl_index c = 0; c < sys->nv; c++) {
        wrenches_of(sys, g, c, of_rate);
        for (bl_index p = sys->pat_K.ptr[c]; p < sys->pat_K.ptr[c + 1]; p++) {
            bl_index a = sys->pat_K.idx[p];
            if (a < t->ntree)
                out[p] += dot6(g->col[a].S, g->wrench[s->link_of[a]]);
            if (s->copy_of[a] >= 0)
                out[p] += g->wrench[s->copy_of[a]][0];
        }
    }
}

/* columns of a spherical joint rotate each other: S_a' . wrench */
static double ball_entry(const bl_eval *e, const bl_tree *t, bl_index a, bl_index b) {
    const bl_tree_work *w = e->own;
    const bl_tree_axis *axis = &t->axis[t->slopes->axis_of[a]];
    const struct subtree_sums *l = &w->tangent->link[t->slopes->link_of[a]];
    ball_now ball;
    double along[3] = {0}, unit[3] = {0}, spin[3], S[6];
    along[b - axis->col] = unit[a - axis->col] = 1;
    ball_at(w, e, axis, t->slopes->link_of[a], &ball);
    exponential_slope(ball.q, ball.f, along, unit, spin);
    ball_twist(&ball, spin, S);
    return dot6(S, l->F) - dot6(S, l->P);
}

/* K (and C) of inertia and of the points of the forces */
static void fill_entries(const bl_system *sys, const bl_eval *e, double *K, double *C) {
    const bl_tree *t = bl_tree_of(sys);
    const struct column *col = ((bl_tree_work *)e->own)->tangent->col;
    for (bl_index b = 0; b < sys->nv; b++)
        for (bl_index p = sys->pat_K.ptr[b]; p < sys->pat_K.ptr[b + 1]; p++) {
            bl_index a = sys->pat_K.idx[p];
            bl_relation r = (bl_relation)t->slopes->relation[p];
            if (r == BL_APART) {
                K[p] = 0;
                if (C)
                    C[p] = 0;
            } else if (r == BL_BELOW) {
                K[p] = dot6(col[a].by_S, col[b].S) + dot6(col[a].by_alpha, col[b].alpha) + dot6(col[a].by_xi, col[b].xi);
                if (C)
                    C[p] = dot6(col[a].by_alpha, col[b].beta) + dot6(col[a].by_xi, col[b].S);
            } else {
                K[p] = dot6(col[a].S, col[b].behind) + (r == BL_SAME_BALL ? ball_entry(e, t, a, b) : 0);
                if (C)
                    C[p] = dot6(col[a].S, col[b].behind_C);
            }
        }
}

static void eval_KC(const bl_system *sys, bl_eval *e) {
    const bl_tree *t = bl_tree_of(sys);
    bl_tree_work *w = e->own;
    find_kinematics(sys, e, e->v, NULL);
    clear_forces(t, w->tangent);
    subtract_inertia(t, w);
    add_forces(t, w, 1, w->inner.Q);
    sum_subtrees(t, w->tangent);
    fill_entries(sys, e, e->K, e->C);
    if (find_blocks(t, w->tangent, w->inner.K, w->inner.C)) {
        add_blocks(sys, w->tangent, false, e->K);
        add_blocks(sys, w->tangent, true, e->C);
    }
}

static void eval_Ma_x(const bl_system *sys, bl_eval *e) {
    const bl_tree *t = bl_tree_of(sys);
    bl_tree_work *w = e->own;
    find_kinematics(sys, e, NULL, e->a);
    clear_forces(t, w->tangent);
    subtract_inertia(t, w);
    sum_subtrees(t, w->tangent);
    fill_entries(sys, e, e->Ma_x, NULL);
    if (t->on.m->nfloating && find_blocks(t, w->tangent, w->inner.Ma_x, NULL))
        add_blocks(sys, w->tangent, false, e->Ma_x);
}

static void eval_GTl_x(const bl_system *sys, bl_eval *e) {
    const bl_tree *t = bl_tree_of(sys);
    bl_tree_work *w = e->own;
    find_kinematics(sys, e, NULL, NULL);
    clear_forces(t, w->tangent);
    memset(w->Q_x, 0, (size_t)t->on.inner->nv * sizeof(double));
    bl_csc_multiply_transposed(&t->on.inner->pat_G, w->inner.G, w->lambda, w->Q_x);
    add_forces(t, w, -1, w->Q_x);
    sum_subtrees(t, w->tangent);
    fill_entries(sys, e, e->GTl_x, NULL);
    if (find_blocks(t, w->tangent, w->inner.GTl_x, NULL))
        add_blocks(sys, w->tangent, false, e->GTl_x);
}

static void eval_Gv_x(const bl_system *sys, bl_eval *e) {
    const bl_tree *t = bl_tree_of(sys);
    bl_tree_work *w = e->own;
    const struct bl_tree_tangent *g = w->tangent;
    const bl_pattern *pat = &t->on.inner->pat_G;
    memset(e->Gv_x, 0, (size_t)sys->pat_G.ptr[sys->nv] * sizeof(double));
    for (bl_index p = 0; p < pat->ptr[t->on.inner->nv]; p++)
        if (t->G_copy[p] >= 0)
            e->Gv_x[t->G_copy[p]] += w->inner.Gv_x[p];
    find_kinematics(sys, e, e->v, NULL);
    for (bl_index i = 0; i < t->nrow_part; i++) {
        const struct bl_row_part *part = &t->row_part[i];
        const bl_link *link = &t->link[part->link];
        double by_S[6] = {0}, by_xi[6] = {0};
        for (bl_index k = part->first; k < part->first + part->count; k++) {
            bl_index component = t->row_part_component[k];
            bl_index j = component < 3 ? link->center + component : link->axis_col[component / 3 - 1] + component % 3;
            double G = w->inner.G[t->row_part_entry[k]];
            add6(w->inner.Gv_x[t->row_part_entry[k]], g->slope[j], by_S);
            add6(G, g->slope[j], by_xi);
            for (int c = 0; c < 3; c++)
                by_S[c] += G * g->turn[j][c];
        }
        const bl_index *slot = t->into + part->into;
        for (bl_index k = part->link; k >= 0; k = t->link[k].parent)
            for (bl_index a = t->link[k].col; a < t->link[k].col + t->link[k].ncol; a++)
                e->Gv_x[*slot++] += dot6(by_S, g->col[a].S) + dot6(by_xi, g->col[a].xi);
    }
}

/* s(x, x'): a column moves the links beyond it by its twist S, and their rates rotate and change by xi */
static void eval_signal_x(const bl_system *sys, bl_eval *e) {
    const bl_tree *t = bl_tree_of(sys);
    const bl_tree_work *w = e->own;
    const struct bl_tree_tangent *g = w->tangent;
    const bl_pattern *pat = &t->on.inner->pat_S;
    size_t n = (size_t)sys->pat_S.ptr[sys->nsignal];
    memset(e->signal_x, 0, n * sizeof(double));
    memset(e->signal_v, 0, n * sizeof(double));
    find_kinematics(sys, e, e->v, NULL);
    for (bl_index p = 0; p < pat->ptr[sys->nsignal]; p++) {
        bl_index j = pat->idx[p];
        const bl_index *slot = t->on.S_slot + t->on.S_ptr[p];
        double by_x = w->inner.signal_x[p], by_v = w->inner.signal_v[p], by_S[6] = {0}, by_xi[6] = {0};
        if (t->source[j] >= 0) {
            e->signal_x[*slot] += by_x;
            e->signal_v[*slot] += by_v;
            continue;
        }
        add6(by_x, g->slope[j], by_S);
        add6(by_v, g->slope[j], by_xi);
        for (int c = 0; c < 3; c++)
            by_S[c] += by_v * g->turn[j][c];
        for (bl_index k = t->at_link[j]; k >= 0; k = t->link[k].parent)
            for (bl_index a = t->link[k].col; a < t->link[k].col + t->link[k].ncol; a++, slot++) {
                e->signal_x[*slot] += dot6(by_S, g->col[a].S) + dot6(by_xi, g->col[a].xi);
                e->signal_v[*slot] += dot6(by_xi, g->col[a].S);
            }
    }
}

bl_status bl_tree_tangents(const bl_system *sys, bl_eval *e, uint32_t want) {
    const bl_tree *t = bl_tree_of(sys);
    bl_tree_work *w = e->own;
    bl_eval *in = &w->inner;
    uint32_t ask = want & (BL_KC | BL_GV_X | BL_GTL_X);
    if (want & BL_KC)
        ask |= BL_Q;
    if (want & (BL_GTL_X | BL_GV_X))
        ask |= BL_G;
    if (want & BL_GTL_X) {
        memset(w->lambda, 0, (size_t)t->on.inner->np * sizeof(double));
        for (bl_index r = 0; r < sys->np; r++)
            w->lambda[t->inner_row[r]] = e->lambda[r];
        in->lambda = w->lambda;
        in->have &= ~(uint32_t)BL_GTL_X;
    }
    if (ask)
        BL_TRY(bl_system_eval(t->on.inner, in, ask));
    set_twists(sys, w);
    find_slopes(t, w, want & (BL_KC | BL_GV_X | BL_SIGNAL_X));
    if (want & BL_KC)
        eval_KC(sys, e);
    if (want & BL_MA_X)
        eval_Ma_x(sys, e);
    if (want & BL_GTL_X)
        eval_GTl_x(sys, e);
    if (want & BL_GV_X)
        eval_Gv_x(sys, e);
    if ((want & BL_SIGNAL_X) && sys->nsignal)
        eval_signal_x(sys, e);
    return BL_OK;
}
