/* Values of a tree: kinematics from the root to the leaves, wrenches back to the root; the mechanism does the rest. */
#include "coords/coords_limits.h"
#include "coords/relative.h"

#include "coords/derived_coords.h"

#include "base/vector3.h"
#include "coords/orientation.h"
#include "coords/turn.h"

#include <math.h>
#include <string.h>

enum { HAVE_X = BL_OWN_POSITION, HAVE_XD = BL_OWN_VELOCITY };

static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

/* terms of x^k: (-1)^k / (2 k + 2)!, (-1)^k / (2 k + 3)!, and those of the derivatives, (-1)^(k+1) (2 k + 2) / (2 k + 4)!, ... */
#define TERM(sign, a, b, c, d) \
    { sign 1.0 / (a), sign 1.0 / (b), -(sign c), -(sign d) }
const double bl_turn_term[BL_TURN_TERMS][4] = {
    TERM(+, 2, 6, 2.0 / 24, 2.0 / 120),
    TERM(-, 24, 120, 4.0 / 720, 4.0 / 5040),
    TERM(+, 720, 5040, 6.0 / 40320, 6.0 / 362880),
    TERM(-, 40320, 362880, 8.0 / 3628800, 8.0 / 39916800),
    TERM(+, 3628800, 39916800, 10.0 / 479001600, 10.0 / 6227020800),
    TERM(-, 479001600, 6227020800, 12.0 / 87178291200, 12.0 / 1307674368000),
    TERM(+, 87178291200, 1307674368000, 14.0 / 20922789888000, 14.0 / 355687428096000),
    TERM(-, 20922789888000, 355687428096000, 16.0 / 6402373705728000, 16.0 / 121645100408832000),
    TERM(+, 6402373705728000, 121645100408832000, 18.0 / 2432902008176640000, 18.0 / 51090942171709440000.0),
};
#undef TERM

/* (1 - cos p)/p^2, (p - sin p)/p^3 and their derivatives by p, divided by p; x = p^2 */
void bl_turn_series(double x, double f[4]) {
    if (x > 0.5) {
        double p = sqrt(x), s = sin(p), c = cos(p);
        f[0] = (1 - c) / x;
        f[1] = (p - s) / (x * p);
        f[2] = (p * s - 2 * (1 - c)) / (x * x);
        f[3] = (3 * s - p * c - 2 * p) / (x * x * p);
        return;
    }
    f[0] = f[1] = f[2] = f[3] = 0;
    for (int k = BL_TURN_TERMS - 1; k >= 0; k--)
        for (int i = 0; i < 4; i++)
            f[i] = f[i] * x + bl_turn_term[k][i];
}

/* columns of A, w = A(q) q' for a rotation Exp(q) */
static void turn_slope(const double *q, double *A) {
    double f[4], x = dot3(q, q);
    bl_turn_series(x, f);
    for (int j = 0; j < 3; j++) {
        double e[3] = {j == 0, j == 1, j == 2}, once[3], twice[3];
        cross3(q, e, once);
        cross3(q, once, twice);
        for (int c = 0; c < 3; c++)
            A[3 * j + c] = e[c] + f[0] * once[c] + f[1] * twice[c];
    }
}

/* dA/dt v for q' = v */
static void turn_bias(const double *q, const double *v, double *out) {
    double f[4], once[3], twice[3], back[3], along = dot3(q, v);
    bl_turn_series(dot3(q, q), f);
    cross3(q, v, once);
    cross3(q, once, twice);
    cross3(v, once, back);
    for (int c = 0; c < 3; c++)
        out[c] = f[2] * along * once[c] + f[3] * along * twice[c] + f[1] * back[c];
}

static void turn_by(const double *q, double *C) {
    double p = sqrt(dot3(q, q)), a[3];
    if (p == 0) {
        memcpy(C, identity, sizeof identity);
        return;
    }
    for (int c = 0; c < 3; c++)
        a[c] = q[c] / p;
    bl_turn_about(a, p, C);
}

/* ---- positions */

static void move_axis(const bl_tree *t, const bl_eval *e, bl_tree_work *w, const bl_tree_axis *axis, double *Q, double *o,
                      double (*point)[3]) {
    double old[9], at[3], C[9];
    const double *q = e->q + axis->col;
    bl_turn_times(Q, axis->at, at);
    for (int c = 0; c < 3; c++)
        (*point)[c] = at[c] += o[c]; /* present position of the axis */
    if (axis->what == BL_BALL) {
        double A[9], small[9];
        struct bl_ball *ball = &w->ball[axis->ball];
        memcpy(ball->frame, Q, sizeof ball->frame);
        turn_slope(q, A);
        for (int j = 0; j < 3; j++)
            bl_turn_times(Q, A + 3 * j, w->S[axis->col + j]);
        turn_by(q, small);
        bl_turn_times_matrix(small, bl_tree_ball(t, e, axis->ball), C);
    } else {
        double *S = w->S[axis->col], u[3], amount = axis->sign * (q[0] - axis->zero);
        bl_turn_times(Q, axis->axis, u);
        if (axis->what == BL_SLIDE) {
            for (int c = 0; c < 3; c++) {
                o[c] += amount * u[c];
                S[c] = 0;
                S[3 + c] = axis->sign * u[c];
            }
            return;
        }
        for (int c = 0; c < 3; c++)
            S[c] = axis->sign * u[c];
        bl_turn_about(axis->axis, amount, C);
    }
    memcpy(old, Q, sizeof old);
    bl_turn_times_matrix(old, C, Q);
    double turned[3];
    bl_turn_times(Q, axis->at, turned);
    for (int c = 0; c < 3; c++)
        o[c] = at[c] - turned[c];
}

/* inertia of a link in global axes */
static void turn_inertia(const double *R, const double *I, double *out) {
    if (I[3] == 0 && I[4] == 0 && I[5] == 0) {
        static const int a[6] = {0, 1, 2, 0, 1, 2}, b[6] = {0, 1, 2, 1, 2, 0};
        for (int k = 0; k < 6; k++)
            out[k] = I[0] * R[a[k]] * R[b[k]] + I[1] * R[3 + a[k]] * R[3 + b[k]] + I[2] * R[6 + a[k]] * R[6 + b[k]];
        return;
    }
    double full[9] = {I[0], I[3], I[5], I[3], I[1], I[4], I[5], I[4], I[2]}, RI[9];
    for (int j = 0; j < 3; j++)
        bl_turn_times(R, full + 3 * j, RI + 3 * j);
    static const int a[6] = {0, 1, 2, 0, 1, 2}, b[6] = {0, 1, 2, 1, 2, 0};
    for (int k = 0; k < 6; k++)
        out[k] = RI[a[k]] * R[b[k]] + RI[3 + a[k]] * R[3 + b[k]] + RI[6 + a[k]] * R[6 + b[k]];
}

void bl_tree_positions(const bl_system *sys, bl_eval *e) {
    const bl_tree *t = bl_tree_of(sys);
    bl_tree_work *w = e->own;
    static const double origin[3] = {0, 0, 0};
    if (e->have & HAVE_X)
        return;
    for (bl_index i = 0; i < t->nlink; i++) {
        const bl_link *link = &t->link[i];
        struct bl_link_now *l = &w->now[i];
        const double *Rp = link->parent < 0 ? identity : w->now[link->parent].R, *cp = link->parent < 0 ? origin : w->now[link->parent].c;
        double o[3], point[BL_MAX_JOINT_DOF][3];
        memcpy(l->R, Rp, sizeof l->R);
        memcpy(o, cp, sizeof o);
        for (bl_index k = 0; k < link->count; k++)
            move_axis(t, e, w, &t->axis[link->first + k], l->R, o, &point[k]);
        bl_turn_times(l->R, link->to_parent, l->c);
        for (int c = 0; c < 3; c++) {
            l->c[c] += o[c];
            l->d[c] = l->c[c] - cp[c];
        }
        for (bl_index k = 0; k < link->count; k++) {
            const bl_tree_axis *axis = &t->axis[link->first + k];
            double arm[3] = {l->c[0] - point[k][0], l->c[1] - point[k][1], l->c[2] - point[k][2]};
            if (axis->what == BL_BALL)
                memcpy(w->ball[axis->ball].arm, arm, sizeof arm);
            for (int j = 0; j < (axis->what == BL_BALL ? 3 : axis->what == BL_TURN); j++)
                cross3(w->S[axis->col + j], arm, w->S[axis->col + j] + 3);
        }
        turn_inertia(l->R, t->inertia + 6 * i, l->I);
    }
    w->articulated = w->has_x = false;
    e->have |= HAVE_X;
    e->have &= ~(uint32_t)HAVE_XD;
}

/* x of the mechanism, when something is requested from it */
static void set_inner_positions(const bl_system *sys, bl_eval *e) {
    const bl_tree *t = bl_tree_of(sys);
    bl_tree_work *w = e->own;
    int dim = t->on.m->dim;
    if (w->has_x)
        return;
    for (bl_index j = 0; j < t->on.inner->nv; j++)
        if (t->source[j] >= 0)
            w->x[j] = e->q[t->source[j]];
    for (bl_index i = 0; i < t->nlink; i++) {
        const bl_link *link = &t->link[i];
        const struct bl_link_now *l = &w->now[i];
        for (int c = 0; c < dim; c++)
            w->x[link->center + c] = l->c[c];
        for (int k = 0; k < (dim == 2 ? 1 : 3); k++)
            for (int c = 0; c < dim; c++)
                w->x[link->axis_col[k] + c] = l->R[3 * k + c];
    }
    w->inner.q = w->x;
    w->inner.have = w->inner.constant;
    w->has_x = true;
    w->has_xd = false;
}

/* ---- velocities, and accelerations where q'' = 0 */

static void velocities(const bl_system *sys, bl_eval *e) {
    const bl_tree *t = bl_tree_of(sys);
    bl_tree_work *w = e->own;
    if (e->have & HAVE_XD)
        return;
    for (bl_index i = 0; i < t->nlink; i++) {
        const bl_link *link = &t->link[i];
        struct bl_link_now *l = &w->now[i];
        double out[3], twice[3];
        if (link->parent < 0) {
            memset(l->w, 0, sizeof l->w);
            memset(l->v, 0, sizeof l->v);
            memset(l->al, 0, sizeof l->al);
            memset(l->a, 0, sizeof l->a);
        } else {
            const struct bl_link_now *p = &w->now[link->parent];
            memcpy(l->w, p->w, sizeof l->w);
            memcpy(l->al, p->al, sizeof l->al);
            cross3(p->w, l->d, out);
            cross3(p->w, out, twice);
            for (int c = 0; c < 3; c++)
                l->v[c] = p->v[c] + out[c];
            cross3(p->al, l->d, out);
            for (int c = 0; c < 3; c++)
                l->a[c] = p->a[c] + out[c] + twice[c];
        }
        for (bl_index k = 0; k < link->count; k++) {
            const bl_tree_axis *axis = &t->axis[link->first + k];
            double w_rel[3] = {0, 0, 0}, v_rel[3] = {0, 0, 0}, bias[3] = {0, 0, 0};
            int n = axis->what == BL_BALL ? 3 : 1;
            for (int j = 0; j < n; j++) {
                const double *S = w->S[axis->col + j], rate = e->v[axis->col + j];
                for (int c = 0; c < 3; c++) {
                    w_rel[c] += rate * S[c];
                    v_rel[c] += rate * S[3 + c];
                }
            }
            /* a += 2 w x v_rel + w_rel x v_rel (+ bias x arm),  al += w x w_rel (+ bias) */
            double spin[3] = {2 * l->w[0] + w_rel[0], 2 * l->w[1] + w_rel[1], 2 * l->w[2] + w_rel[2]};
            cross3(spin, v_rel, out);
            cross3(l->w, w_rel, twice);
            for (int c = 0; c < 3; c++) {
                l->a[c] += out[c];
                l->al[c] += twice[c];
                l->w[c] += w_rel[c];
                l->v[c] += v_rel[c];
            }
            if (axis->what == BL_BALL) {
                const struct bl_ball *ball = &w->ball[axis->ball];
                turn_bias(e->q + axis->col, e->v + axis->col, bias);
                bl_turn_times(ball->frame, bias, bias);
                cross3(bias, ball->arm, out);
                for (int c = 0; c < 3; c++) {
                    l->al[c] += bias[c];
                    l->a[c] += out[c];
                }
            }
        }
    }
    w->has_xd = false;
    e->have |= HAVE_XD;
}

/* rates of x: of centers and axes from a twist (w, v), second rates of the axes also from (al, a) */
static void rates_of_x(const bl_system *sys, const bl_tree_work *w, bool second, double *x) {
    const bl_tree *t = bl_tree_of(sys);
    int dim = t->on.m->dim;
    for (bl_index i = 0; i < t->nlink; i++) {
        const bl_link *link = &t->link[i];
        const struct bl_link_now *l = &w->now[i];
        for (int c = 0; c < dim; c++)
            x[link->center + c] = second ? l->a[c] : l->v[c];
        for (int k = 0; k < (dim == 2 ? 1 : 3); k++) {
            double rate[3], out[3], more[3];
            cross3(l->w, l->R + 3 * k, rate);
            if (second) {
                cross3(l->w, rate, out);
                cross3(l->al, l->R + 3 * k, more);
            }
            for (int c = 0; c < dim; c++)
                x[link->axis_col[k] + c] = second ? out[c] + more[c] : rate[c];
        }
    }
}

static void set_inner_velocities(const bl_system *sys, bl_eval *e) {
    const bl_tree *t = bl_tree_of(sys);
    bl_tree_work *w = e->own;
    if (w->has_xd)
        return;
    for (bl_index j = 0; j < t->on.inner->nv; j++)
        if (t->source[j] >= 0)
            w->xd[j] = e->v[t->source[j]];
    rates_of_x(sys, w, false, w->xd);
    w->inner.v = w->xd;
    w->inner.have &= BL_OF_POSITION | w->inner.constant;
    w->has_xd = true;
}

/* ---- wrenches */

/* generalized forces on x: wrenches at the links, added to those already there, and copied columns */
static void gather(const bl_system *sys, bl_tree_work *w, const double *Q_x) {
    const bl_tree *t = bl_tree_of(sys);
    int dim = t->on.m->dim;
    for (bl_index i = 0; i < t->nlink; i++) {
        const bl_link *link = &t->link[i];
        struct bl_link_now *l = &w->now[i];
        for (int c = 0; c < dim; c++)
            l->F[c] += Q_x[link->center + c];
        for (int k = 0; k < (dim == 2 ? 1 : 3); k++) {
            double g[3] = {Q_x[link->axis_col[k]], Q_x[link->axis_col[k] + 1], dim == 2 ? 0 : Q_x[link->axis_col[k] + 2]}, moment[3];
            cross3(l->R + 3 * k, g, moment);
            for (int c = 0; c < 3; c++)
                l->N[c] += moment[c];
        }
    }
}

void bl_tree_transfer_wrenches(const bl_tree *t, bl_tree_work *w, double *out) {
    for (bl_index i = t->nlink - 1; i >= 0; i--) {
        const bl_link *link = &t->link[i];
        struct bl_link_now *l = &w->now[i];
        for (bl_index a = link->col; a < link->col + link->ncol; a++)
            out[a] += dot3(w->S[a], l->N) + dot3(w->S[a] + 3, l->F);
        if (link->parent >= 0) {
            struct bl_link_now *p = &w->now[link->parent];
            double moment[3];
            cross3(l->d, l->F, moment);
            for (int c = 0; c < 3; c++) {
                p->F[c] += l->F[c];
                p->N[c] += l->N[c] + moment[c];
            }
        }
    }
}

static void clear_wrenches(const bl_tree *t, bl_tree_work *w) {
    for (bl_index i = 0; i < t->nlink; i++) {
        memset(w->now[i].N, 0, sizeof w->now[i].N);
        memset(w->now[i].F, 0, sizeof w->now[i].F);
    }
}

static inline void times_I(const double *I, const double *x, double *y) {
    y[0] = I[0] * x[0] + I[3] * x[1] + I[5] * x[2];
    y[1] = I[3] * x[0] + I[1] * x[1] + I[4] * x[2];
    y[2] = I[5] * x[0] + I[4] * x[1] + I[2] * x[2];
}

/* minus the wrench that the link's mass requires for (al, a) */
static void subtract_inertia(struct bl_link_now *l, const double *al, const double *a) {
    double Ia[3], Iw[3], gyro[3];
    times_I(l->I, al, Ia);
    times_I(l->I, l->w, Iw);
    cross3(l->w, Iw, gyro);
    for (int c = 0; c < 3; c++) {
        l->N[c] -= Ia[c] + gyro[c];
        l->F[c] -= l->m * a[c];
    }
}

/* components along the columns of a force on the coordinates of the mechanism */
static void pull_force(const bl_system *sys, bl_tree_work *w, const double *Q_x, double *out) {
    const bl_tree *t = bl_tree_of(sys);
    memset(out, 0, (size_t)sys->nv * sizeof *out);
    clear_wrenches(t, w);
    gather(sys, w, Q_x);
    for (bl_index j = 0; j < t->on.inner->nv; j++)
        if (t->source[j] >= 0)
            out[t->source[j]] += Q_x[j];
    bl_tree_transfer_wrenches(t, w, out);
}

static void eval_Q(const bl_system *sys, bl_eval *e) {
    const bl_tree *t = bl_tree_of(sys);
    bl_tree_work *w = e->own;
    clear_wrenches(t, w);
    memset(e->Q, 0, (size_t)sys->nv * sizeof(double));
    if (t->only_gravity) {
        const double *g = t->on.m->model->gravity;
        for (bl_index i = 0; i < t->nlink; i++)
            for (int c = 0; c < t->on.m->dim; c++)
                w->now[i].F[c] = w->now[i].m * g[c];
        e->power = 0;
    } else {
        gather(sys, w, w->inner.Q);
        e->power = w->inner.power;
        for (bl_index j = 0; j < t->on.inner->nv; j++)
            if (t->source[j] >= 0)
                e->Q[t->source[j]] += w->inner.Q[j];
    }
    for (bl_index i = 0; i < t->nlink; i++)
        subtract_inertia(&w->now[i], w->now[i].al, w->now[i].a);
    bl_tree_transfer_wrenches(t, w, e->Q);
}

/* ---- constraint equations */

/* gradient of an equation of the mechanism on one link, as force and moment at its center */
static void row_wrench(const bl_tree *t, const bl_tree_work *w, const struct bl_row_part *part, const double *G, double *N, double *F) {
    const struct bl_link_now *l = &w->now[part->link];
    double g[12] = {0};
    for (bl_index k = part->first; k < part->first + part->count; k++)
        g[t->row_part_component[k]] += G[t->row_part_entry[k]];
    memcpy(F, g, 3 * sizeof *F);
    N[0] = N[1] = N[2] = 0;
    for (int k = 0; k < 3; k++) {
        double moment[3];
        cross3(l->R + 3 * k, g + 3 + 3 * k, moment);
        for (int c = 0; c < 3; c++)
            N[c] += moment[c];
    }
}

static void eval_G(const bl_system *sys, bl_eval *e) {
    const bl_tree *t = bl_tree_of(sys);
    const bl_tree_work *w = e->own;
    const double *inner = w->inner.G;
    memset(e->G, 0, (size_t)sys->pat_G.ptr[sys->nv] * sizeof(double));
    for (bl_index p = 0; p < t->on.inner->pat_G.ptr[t->on.inner->nv]; p++)
        if (t->G_copy[p] >= 0)
            e->G[t->G_copy[p]] += inner[p];
    for (bl_index i = 0; i < t->nrow_part; i++) {
        const struct bl_row_part *part = &t->row_part[i];
        double N[3], F[3], moment[3];
        row_wrench(t, w, part, inner, N, F);
        const bl_index *slot = t->into + part->into;
        for (bl_index k = part->link; k >= 0; k = t->link[k].parent) {
            for (bl_index a = t->link[k].col; a < t->link[k].col + t->link[k].ncol; a++)
                e->G[*slot++] += dot3(w->S[a], N) + dot3(w->S[a] + 3, F);
            cross3(w->now[k].d, F, moment);
            for (int c = 0; c < 3; c++)
                N[c] += moment[c];
        }
    }
}

static void pick_rows(const bl_system *sys, const double *inner, double *out) {
    const bl_tree *t = bl_tree_of(sys);
    for (bl_index r = 0; r < sys->np; r++)
        out[r] = inner[t->inner_row[r]];
}

static void eval_c(const bl_system *sys, bl_eval *e) {
    const bl_tree *t = bl_tree_of(sys);
    bl_tree_work *w = e->own;
    const bl_pattern *pat = &t->on.inner->pat_G;
    pick_rows(sys, w->inner.c, e->c);
    rates_of_x(sys, w, true, w->xdd);
    for (bl_index j = 0; j < t->on.inner->nv; j++)
        for (bl_index p = pat->ptr[j]; t->source[j] < 0 && p < pat->ptr[j + 1]; p++)
            if (t->row_of[pat->idx[p]] >= 0)
                e->c[t->row_of[pat->idx[p]]] -= w->inner.G[p] * w->xdd[j];
}

static void eval_energy(const bl_system *sys, bl_eval *e) {
    const bl_tree *t = bl_tree_of(sys);
    const bl_tree_work *w = e->own;
    const bl_pattern *pat = &t->on.inner->pat_M;
    const double *g = t->on.m->model->gravity, *masses = bl_derived_masses(&t->on, &w->inner);
    e->potential = t->only_gravity ? t->on.m->potential_constant : w->inner.potential;
    e->kinetic = 0;
    for (bl_index i = 0; i < t->nlink; i++) {
        const struct bl_link_now *l = &w->now[i];
        double Iw[3];
        times_I(l->I, l->w, Iw);
        e->kinetic += 0.5 * (l->m * dot3(l->v, l->v) + dot3(l->w, Iw));
        for (int c = 0; t->only_gravity && c < t->on.m->dim; c++)
            e->potential -= l->m * g[c] * l->c[c];
    }
    for (bl_index j = 0; j < t->on.inner->nv; j++)
        for (bl_index p = pat->ptr[j]; p < pat->ptr[j + 1]; p++)
            if (bl_tree_rod_entry(t, pat->idx[p], j))
                e->kinetic += 0.5 * w->xd[pat->idx[p]] * masses[p] * w->xd[j];
}

/* ---- reactions of the tree's joints: from the balance of their subtrees */

/* Forces on the joint's own variables are not reactions: subtracts the smallest moment (force) that does their work along every axis. */
static void remove_drive(const bl_tree *t, const bl_tree_work *w, const bl_link *link, bl_joint_dof_what what, double *out) {
    double u[3][3], rest[3][3], force[3], found[3] = {0, 0, 0};
    int n = 0;
    for (bl_index k = 0; k < link->count && n < 3; k++) {
        const bl_tree_axis *axis = &t->axis[link->first + k];
        bl_index entry = axis->var >= 0 ? t->on.m->gauge[axis->var].entry : -1;
        if (axis->what != what)
            continue;
        memcpy(u[n], w->S[axis->col] + (what == BL_TURN ? 0 : 3), sizeof u[n]);
        force[n++] = entry >= 0 ? w->inner.Q[entry] : 0;
    }
    for (int i = 0; i < n; i++) { /* Gram-Schmidt: each new direction supplies what is missing along its axis */
        memcpy(rest[i], u[i], sizeof rest[i]);
        for (int j = 0; j < i; j++) {
            double along = dot3(rest[i], rest[j]);
            for (int c = 0; c < 3; c++)
                rest[i][c] -= along * rest[j][c];
        }
        double length = sqrt(dot3(rest[i], rest[i]));
        if (length < coords_singular_joint)
            return; /* undefined at a singular configuration of the joint's own angles */
        for (int c = 0; c < 3; c++)
            rest[i][c] /= length;
        double missing = (force[i] - dot3(found, u[i])) / length;
        for (int c = 0; c < 3; c++)
            found[c] += missing * rest[i][c];
    }
    for (int c = 0; c < 3; c++)
        out[c] -= found[c];
}

static void tree_wrenches(const bl_system *sys, bl_eval *e) {
    const bl_tree *t = bl_tree_of(sys);
    bl_tree_work *w = e->own;
    const double *Q_x = w->inner.Q;
    if (sys->np > 0) {
        memset(w->Q_x, 0, (size_t)t->on.inner->nv * sizeof(double));
        bl_csc_multiply_transposed(&t->on.inner->pat_G, w->inner.G, w->lambda, w->Q_x);
        for (bl_index j = 0; j < t->on.inner->nv; j++)
            w->Q_x[j] = w->inner.Q[j] - w->Q_x[j];
        Q_x = w->Q_x;
    }
    clear_wrenches(t, w);
    gather(sys, w, Q_x);
    for (bl_index i = 0; i < t->nlink; i++) {
        const bl_link *link = &t->link[i];
        struct bl_link_now *l = &w->now[i];
        /* accelerations of the link: those where q'' = 0, and the contribution of q'' along the chain */
        double acc[6] = {0};
        if (link->parent >= 0) {
            const double *up = w->now[link->parent].acc;
            double turned[3];
            cross3(up, l->d, turned);
            for (int c = 0; c < 3; c++) {
                acc[c] = up[c];
                acc[3 + c] = up[3 + c] + turned[c];
            }
        }
        for (bl_index a = link->col; a < link->col + link->ncol; a++)
            for (int k = 0; k < 6; k++)
                acc[k] += e->a[a] * w->S[a][k];
        memcpy(l->acc, acc, sizeof acc);
        double al[3], lin[3];
        for (int c = 0; c < 3; c++) {
            al[c] = l->al[c] + acc[c];
            lin[c] = l->a[c] + acc[3 + c];
        }
        subtract_inertia(l, al, lin);
    }
    memset(w->Q, 0, (size_t)sys->nv * sizeof(double));
    bl_tree_transfer_wrenches(t, w, w->Q);
    for (bl_index i = 0; i < t->nlink; i++) {
        const bl_link *link = &t->link[i];
        const struct bl_link_now *l = &w->now[i];
        if (link->joint < 0)
            continue;
        bl_wrench *out = &e->wrench[link->joint];
        double N[3], F[3], at[3], arm[3], moment[3];
        for (int c = 0; c < 3; c++) {
            F[c] = -l->F[c]; /* on this link */
            N[c] = -l->N[c];
        }
        const struct bl_link_now *second = link->sign > 0 ? l : link->parent >= 0 ? &w->now[link->parent] : NULL;
        bl_turn_times(second ? second->R : identity, link->at, at);
        for (int c = 0; c < 3; c++)
            arm[c] = l->c[c] - at[c] - (second ? second->c[c] : 0);
        cross3(arm, F, moment);
        for (int c = 0; c < 3; c++)
            N[c] += moment[c];
        remove_drive(t, w, link, BL_TURN, N);
        remove_drive(t, w, link, BL_SLIDE, F); /* forces on sliding variables act through that point */
        for (int c = 0; c < 3; c++) {
            out->force[c] = link->sign * F[c];
            out->moment[c] = link->sign * N[c];
        }
    }
}

/* ---- complete evaluation */

/* impulses are balanced without them */
static void no_forces(const bl_tree *t, bl_eval *e) {
    bl_tree_work *w = e->own;
    if (!e->impulsive)
        return;
    memset(w->inner.Q, 0, (size_t)t->on.inner->nv * sizeof(double));
    w->inner.have &= ~(uint32_t)BL_Q;
}

/* multipliers of the mechanism inside */
static void inner_multipliers(const bl_system *sys, const bl_eval *e) {
    const bl_tree *t = bl_tree_of(sys);
    bl_tree_work *w = e->own;
    memset(w->lambda, 0, (size_t)t->on.inner->np * sizeof(double));
    for (bl_index r = 0; r < sys->np; r++)
        w->lambda[t->inner_row[r]] = e->lambda[r];
    w->inner.lambda = w->lambda;
}

static bl_status eval_wrenches(const bl_system *sys, bl_eval *e) {
    const bl_tree *t = bl_tree_of(sys);
    bl_tree_work *w = e->own;
    if (t->alone) { /* all reactions are of tree joints */
        BL_TRY(bl_system_eval(t->on.inner, &w->inner, BL_Q));
        no_forces(t, e);
        tree_wrenches(sys, e);
        return BL_OK;
    }
    inner_multipliers(sys, e);
    rates_of_x(sys, w, true, w->xdd); /* for links the mechanism provides only the loads of its own equations */
    for (bl_index j = 0; j < t->on.inner->nv; j++)
        if (t->source[j] >= t->ntree) /* the others balance the loads of what they share */
            w->xdd[j] = e->a[t->source[j]];
    w->inner.a = w->xdd;
    w->inner.have &= ~(uint32_t)BL_WRENCH;
    BL_TRY(bl_system_eval(t->on.inner, &w->inner, BL_WRENCH | BL_Q | BL_G));
    memcpy(e->wrench, w->inner.wrench, (size_t)sys->njoint * sizeof *e->wrench);
    no_forces(t, e);
    tree_wrenches(sys, e);
    return BL_OK;
}

/* angles that q counts itself */
static void expect_angles(const bl_system *sys, bl_eval *e) {
    const bl_tree *t = bl_tree_of(sys);
    bl_tree_work *w = e->own;
    bl_mech_work *inner = w->inner.own;
    inner->expected = w->expected;
    if (e->history)
        memcpy(w->expected, e->history, (size_t)sys->nvariable * sizeof(double));
    bl_derived_expect(t->on.counted, t->on.ncounted, e->q, w->expected);
    if (t->nsummed == 0)
        return;
    for (bl_index i = 0; i < t->nlink; i++) {
        const bl_link *link = &t->link[i];
        w->psi[i] = link->parent >= 0 ? w->psi[link->parent] : 0;
        for (const bl_tree_axis *axis = t->axis + link->first; axis < t->axis + link->first + link->count; axis++)
            w->psi[i] += axis->what == BL_TURN ? axis->sign * axis->axis[2] * (e->q[axis->col] - axis->zero) : 0;
    }
    bl_derived_expect(t->summed, t->nsummed, w->psi, w->expected);
}

double bl_tree_turning(const bl_system *sys, bl_eval *e) {
    bl_tree_work *w = e->own;
    bl_tree_positions(sys, e);
    velocities(sys, e);
    set_inner_positions(sys, e);
    set_inner_velocities(sys, e);
    return bl_mech_turning(bl_tree_of(sys)->on.inner, &w->inner);
}

bl_status bl_tree_eval(const bl_system *sys, bl_eval *e, uint32_t want) {
    const bl_tree *t = bl_tree_of(sys);
    bl_tree_work *w = e->own;
    bl_eval *in = &w->inner;
    const uint32_t signals = sys->nsignal ? BL_SIGNALS | BL_SIGNAL_X | BL_SIGNAL_RATE : 0;
    const uint32_t same =
        BL_PHI | BL_G | BL_B | BL_C | BL_ENERGY | BL_POSE | BL_EVENTS | BL_VARIABLES | BL_PROBES | BL_FORCES | BL_U | BL_FIELDS | signals;
    const uint32_t tangents = BL_KC | BL_MA_X | BL_GTL_X | BL_GV_X | (signals & BL_SIGNAL_X);
    const uint32_t of_velocity = BL_Q | BL_C | BL_ENERGY | BL_POSE | BL_WRENCH | BL_VARIABLES | BL_PROBES | BL_FREE_ACC | BL_KC | BL_GV_X |
                                 BL_LOADS | BL_FORCES | BL_U | BL_CONTACTS | BL_FIELDS | signals;
    want &= ~e->have;
    if (want & BL_CONTACTS)
        want |= BL_POSE | BL_VARIABLES; /* the inner system shows them */
    const uint32_t reads = want | (want & BL_EVENTS ? t->on.m->event_needs : 0);
    if (want & BL_W)
        want |= BL_G & ~e->have;
    if (want == BL_FREE_ACC && t->fast.link && t->only_gravity) {
        e->power = 0;
        return bl_tree_fast(sys, e, e->a_free);
    }
    if (want & BL_FREE_ACC)
        want |= BL_Q & ~e->have;
    uint32_t ask = (want & same) | (t->on.m->nfloating ? BL_M : 0);
    if (want & BL_C)
        ask |= BL_G;
    if (t->only_gravity)
        ask &= ~(uint32_t)BL_ENERGY; /* known here */
    else
        ask |= want & BL_Q;
    in->t = e->t;
    in->history = e->history;
    in->load = e->load;
    in->impulsive = e->impulsive;
    in->u = e->u;
    in->u_rate = e->u_rate;
    in->u_order = e->u_order;
    bl_tree_positions(sys, e);
    if (reads & BL_VARIABLES)
        expect_angles(sys, e);
    if (reads & of_velocity)
        velocities(sys, e);
    if (ask || (want & (BL_WRENCH | BL_LOADS | tangents))) {
        set_inner_positions(sys, e);
        if (reads & of_velocity)
            set_inner_velocities(sys, e);
    }
    if ((want & BL_Q) && sys->nload > 0)
        in->have &= ~(uint32_t)BL_Q; /* loads may have changed */
    if (sys->nu)
        in->have &= ~(uint32_t)(BL_Q | BL_KC | BL_ENERGY | BL_U | BL_EVENTS | signals | BL_PHI | BL_B |
                                BL_C); /* held numbers may have changed too */
    in->have &= ~(uint32_t)BL_FORCES;
    if (t->on.m->nfloating && (want & BL_MA_X)) { /* of copied columns */
        for (bl_index j = 0; j < t->on.inner->nv; j++)
            w->xdd[j] = t->source[j] >= 0 ? e->a[t->source[j]] : 0;
        in->a = w->xdd;
        in->have &= ~(uint32_t)BL_MA_X;
        ask |= BL_MA_X;
    }
    if (ask)
        BL_TRY(bl_system_eval(t->on.inner, in, ask));
    if (want & BL_M)
        bl_tree_mass(sys, e);
    if (want & BL_PHI)
        pick_rows(sys, in->phi, e->phi);
    if (want & BL_G)
        eval_G(sys, e);
    if (want & BL_W) {
        BL_TRY(bl_tree_response(sys, e));
        e->have |= BL_G;
    }
    if (want & BL_B)
        pick_rows(sys, in->b, e->b);
    if (want & BL_C)
        eval_c(sys, e);
    if (want & BL_Q)
        eval_Q(sys, e);
    if (want & BL_FREE_ACC) {
        BL_TRY(bl_tree_articulate(sys, w));
        bl_tree_solve(sys, w, e->Q, e->a_free);
        e->have |= BL_Q;
    }
    if (want & BL_ENERGY)
        eval_energy(sys, e);
    bl_derived_copy_results(sys, e, in, want);
    if (want & tangents)
        BL_TRY(bl_tree_tangents(sys, e, want));
    if ((want & BL_WRENCH) || ((want & BL_LOADS) && t->on.m->nnormal > 0))
        BL_TRY(eval_wrenches(sys, e));
    else if (want & BL_LOADS) /* those of contacts are multipliers */
        inner_multipliers(sys, e);
    if (want & BL_LOADS)
        bl_normal_loads_of(t->on.inner, in, e->wrench, e->load_now);
    for (bl_index k = 0; (want & BL_U) && k < sys->nu; k++)
        pull_force(sys, w, in->Q_u + k * t->on.inner->nv, e->Q_u + k * sys->nv);
    return BL_OK;
}

/* ---- accepted steps: revolutions of variables, and reset of spherical joints */

bl_status bl_tree_accept(const bl_system *sys, bl_eval *e, bl_state *state) {
    const bl_tree *t = bl_tree_of(sys);
    bl_tree_work *w = e->own;
    bl_state inner = *state;
    if (!e->unseen) {
        bl_tree_positions(sys, e);
        set_inner_positions(sys, e);
        inner.q = w->x;
    }
    if (!e->unseen && bl_mech_has_turned(t->on.inner, &inner)) {
        expect_angles(sys, e);
        velocities(sys, e);
        set_inner_velocities(sys, e);
        w->inner.t = e->t;
        w->inner.history = state->history;
        BL_TRY(t->on.inner->kind->accept(t->on.inner, &w->inner, &inner));
    }
    bool large = false;
    for (bl_index k = 0; k < t->naxis; k++) {
        const double *q = state->q + t->axis[k].col;
        large = large || (t->axis[k].what == BL_BALL && dot3(q, q) > coords_large_turn * coords_large_turn);
    }
    if (!large)
        return BL_OK;
    for (bl_index k = 0; k < t->naxis; k++) {
        const bl_tree_axis *axis = &t->axis[k];
        if (axis->what != BL_BALL)
            continue;
        double *q = state->q + axis->col, *v = state->v + axis->col, small[9], A[9], C[9];
        double *kept = (double *)(void *)(state->history + t->on.inner_history) + 9 * axis->ball;
        turn_by(q, small);
        turn_slope(q, A);
        bl_turn_times_matrix(small, kept, C);
        bl_orientation_orthonormalize(C);
        memcpy(kept, C, sizeof C);
        bl_turn_times(A, v, v);
        memset(q, 0, 3 * sizeof *q);
    }
    return BL_RESTART;
}
