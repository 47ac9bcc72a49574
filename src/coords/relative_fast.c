/* Accelerations of trees whose links hang by one turning axis or one ball each, under gravity alone: three passes, all at the joints'
 * own points (Featherstone 2008, chapter 7), global axes. With a' = -g at the ground gravity needs no forces.
 *
 *     outwards    R, w; al, a where q'' = 0; p = what the link's mass asks for when it moves so
 *     inwards     articulated inertia [A B; B^T M], p: an axis takes off U U^T / D; a ball leaves M - B^T A^-1 B alone
 *     outwards    q'' */
#include "coords/relative.h"

#include "base/vector3.h"
#include "coords/turn.h"

#include <math.h>
#include <string.h>

bl_status bl_tree_fast_build(bl_tree *t) {
    const bl_model *model = t->m->model;
    for (bl_index i = 0; i < t->nlink; i++)
        if (t->link[i].count != 1 || t->axis[t->link[i].first].what == BL_SLIDE)
            return BL_OK;
    bl_fast_link *fast = bl_arena_alloc(&t->arena, (size_t)t->nlink + 1, sizeof *fast);
    if (!fast)
        return BL_E_MEMORY;
    for (bl_index i = 0; i < t->nlink; i++) {
        const bl_link *link = &t->link[i];
        const bl_tree_axis *axis = &t->axis[link->first];
        bl_fast_link *f = &fast[i];
        const double *I = t->inertia + 6 * i;
        double m = model->body[link->body].mass, r[3];
        *f = (bl_fast_link){.parent = link->parent, .col = axis->col, .ball = axis->ball, .zero = axis->zero, .m = m, .round = -1};
        for (int c = 0; c < 3; c++) {
            f->axis[c] = axis->sign * axis->axis[c];
            r[c] = link->to_parent[c] - axis->at[c];
            f->mr[c] = m * r[c];
            /* both points from the parent's centre; f->at from the parent's own joint */
            f->at[c] = axis->at[c];
            if (link->parent >= 0)
                f->at[c] += t->link[link->parent].to_parent[c] - t->axis[t->link[link->parent].first].at[c];
        }
        double rr = dot3(r, r);
        for (int k = 0; k < 3; k++) {
            f->I[k] = I[k] + m * (rr - r[k] * r[k]);
            f->I[3 + k] = I[3 + k] - m * r[k] * r[(k + 1) % 3];
        }
        bool diagonal = f->I[3] == 0 && f->I[4] == 0 && f->I[5] == 0;
        for (int k = 0; k < 3 && diagonal; k++)
            if (f->I[(k + 1) % 3] == f->I[(k + 2) % 3])
                f->round = k; /* a body round about its own axis k */
    }
    t->fast = fast;
    return BL_OK;
}

static inline void symmetric(const double *s, const double *x, double *y) {
    y[0] = s[0] * x[0] + s[3] * x[1] + s[5] * x[2];
    y[1] = s[3] * x[0] + s[1] * x[1] + s[4] * x[2];
    y[2] = s[5] * x[0] + s[4] * x[1] + s[2] * x[2];
}

/* inertia at the joint in global axes */
static inline void turned_inertia(const bl_fast_link *f, const double *R, double *A) {
    const double *I = f->I;
    if (f->round >= 0) {
        const double *e = R + 3 * f->round, across = I[(f->round + 1) % 3], more = I[f->round] - across;
        double x = more * e[0], y = more * e[1], z = more * e[2];
        A[0] = across + x * e[0], A[1] = across + y * e[1], A[2] = across + z * e[2];
        A[3] = x * e[1], A[4] = y * e[2], A[5] = z * e[0];
        return;
    }
    double x[3], y[3], z[3]; /* columns of R I */
    for (int c = 0; c < 3; c++) {
        x[c] = R[c] * I[0] + R[3 + c] * I[3] + R[6 + c] * I[5];
        y[c] = R[c] * I[3] + R[3 + c] * I[1] + R[6 + c] * I[4];
        z[c] = R[c] * I[5] + R[3 + c] * I[4] + R[6 + c] * I[2];
    }
    for (int k = 0; k < 3; k++) {
        int n = (k + 1) % 3;
        A[k] = x[k] * R[k] + y[k] * R[3 + k] + z[k] * R[6 + k];
        A[3 + k] = x[k] * R[n] + y[k] * R[3 + n] + z[k] * R[6 + n];
    }
}

/* the ball turns its link by Exp(q) C; wr, bias: its angular velocity and what its rate is where q'' = 0, in the parent's axes */
static void turn_ball(bl_fast_now *l, const double *q, const double *v, const double *C, double *turn, double *wr, double *bias) {
    double f[4], once[3], twice[3], back[3], small[9], x = dot3(q, q), along = dot3(q, v);
    bl_turn_series(x, f);
    double s = 1 - f[1] * x; /* sin p / p */
    l->back = x > 0.5 ? (1 - s / (2 * f[0])) / x : (0.5 * f[0] - f[1]) / s;
    cross3(q, v, once);
    cross3(q, once, twice);
    cross3(v, once, back);
    for (int c = 0; c < 3; c++) {
        wr[c] = v[c] + f[0] * once[c] + f[1] * twice[c];
        bias[c] = along * (f[2] * once[c] + f[3] * twice[c]) + f[1] * back[c];
    }
    double c = 1 - f[0] * x, a = f[0] * q[0], b = f[0] * q[1], d = f[0] * q[2];
    small[0] = c + a * q[0], small[1] = a * q[1] + s * q[2], small[2] = a * q[2] - s * q[1];
    small[3] = a * q[1] - s * q[2], small[4] = c + b * q[1], small[5] = b * q[2] + s * q[0];
    small[6] = a * q[2] + s * q[1], small[7] = b * q[2] - s * q[0], small[8] = c + d * q[2];
    bl_turn_times_matrix(small, C, turn);
}

static inline void outwards(const bl_tree *t, const bl_eval *e, const bl_fast_link *f, const bl_fast_now *restrict p,
                            bl_fast_now *restrict l) {
    double turn[9];
    bl_turn_times(p->R, f->at, l->d);
    const double *d = l->d, *O = p->O, *wp = p->w;
    double a[3], al[3];
    for (int c = 0; c < 3; c++)
        a[c] = p->a[c] + O[c] * d[0] + O[3 + c] * d[1] + O[6 + c] * d[2];
    if (f->ball < 0) {
        double rate = e->v[f->col], more[3];
        bl_turn_times(p->R, f->axis, l->u);
        cross3(wp, l->u, more);
        for (int c = 0; c < 3; c++) {
            l->w[c] = wp[c] + rate * l->u[c];
            al[c] = p->al[c] + rate * more[c];
        }
        bl_turn_about(f->axis, e->q[f->col] - f->zero, turn);
    } else {
        double wr[3], bias[3], more[3];
        turn_ball(l, e->q + f->col, e->v + f->col, bl_tree_ball(t, e, f->ball), turn, wr, bias);
        bl_turn_times(p->R, wr, wr);
        bl_turn_times(p->R, bias, bias);
        cross3(wp, wr, more);
        for (int c = 0; c < 3; c++) {
            l->w[c] = wp[c] + wr[c];
            al[c] = p->al[c] + more[c] + bias[c];
        }
    }
    bl_turn_times_matrix(p->R, turn, l->R);
    const double *w = l->w, *R = l->R;
    memcpy(l->a, a, sizeof a);
    memcpy(l->al, al, sizeof al);
    /* O = sk(al) + w w^T - |w|^2, by columns: what points of the link accelerate by */
    double xx = w[0] * w[0], yy = w[1] * w[1], zz = w[2] * w[2], xy = w[0] * w[1], yz = w[1] * w[2], zx = w[2] * w[0];
    double *o = l->O;
    o[0] = -yy - zz, o[1] = xy + al[2], o[2] = zx - al[1];
    o[3] = xy - al[2], o[4] = -xx - zz, o[5] = yz + al[0];
    o[6] = zx + al[1], o[7] = yz - al[0], o[8] = -xx - yy;
    double mr[3], Ia[3], Iw[3], gyro[3], pull[3];
    bl_turn_times(R, f->mr, mr);
    turned_inertia(f, R, l->A);
    symmetric(l->A, al, Ia);
    symmetric(l->A, w, Iw);
    cross3(w, Iw, gyro);
    cross3(mr, a, pull);
    for (int c = 0; c < 3; c++) {
        l->p[c] = Ia[c] + gyro[c] + pull[c];
        l->p[3 + c] = f->m * a[c] + o[c] * mr[0] + o[3 + c] * mr[1] + o[6 + c] * mr[2];
    }
    double *B = l->B, *M = l->M;
    B[0] = B[4] = B[8] = M[3] = M[4] = M[5] = 0;
    B[1] = -mr[2], B[2] = mr[1], B[3] = mr[2], B[5] = -mr[0], B[6] = -mr[1], B[7] = mr[0];
    M[0] = M[1] = M[2] = f->m;
}

/* b += sk(d) M, M full */
static inline void lever(const double *d, const double *M, double *b) {
    b[0] += d[1] * M[5] - d[2] * M[3], b[1] += d[1] * M[4] - d[2] * M[1], b[2] += d[1] * M[2] - d[2] * M[4];
    b[3] += d[2] * M[0] - d[0] * M[5], b[4] += d[2] * M[3] - d[0] * M[4], b[5] += d[2] * M[5] - d[0] * M[2];
    b[6] += d[0] * M[3] - d[1] * M[0], b[7] += d[0] * M[1] - d[1] * M[3], b[8] += d[0] * M[4] - d[1] * M[5];
}

static inline void hand_down(const double *d, const double *p, double *to) {
    double moment[3];
    cross3(d, p + 3, moment);
    for (int c = 0; c < 3; c++) {
        to[c] += p[c] + moment[c];
        to[3 + c] += p[3 + c];
    }
}

static inline bool inwards_axis(bl_fast_now *restrict l, bl_fast_now *restrict to) {
    const double *u = l->u, *d = l->d;
    double *A = l->A, *B = l->B, *M = l->M, *U = l->U, *p = l->p;
    symmetric(A, u, U);
    for (int c = 0; c < 3; c++)
        U[3 + c] = B[c] * u[0] + B[3 + c] * u[1] + B[6 + c] * u[2];
    double D = dot3(u, U);
    if (!(D > 0))
        return false;
    double f = l->D = 1 / D, push = l->push = -dot3(u, p) * f;
    if (!to)
        return true;
    double n[6], b[9], S[6];
    for (int k = 0; k < 6; k++)
        n[k] = f * U[k];
    S[0] = M[0] - n[3] * U[3], S[1] = M[1] - n[4] * U[4], S[2] = M[2] - n[5] * U[5];
    S[3] = M[3] - n[3] * U[4], S[4] = M[4] - n[4] * U[5], S[5] = M[5] - n[5] * U[3];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            B[3 * r + c] = b[3 * r + c] = B[3 * r + c] - n[r] * U[3 + c];
    lever(d, S, b);
    for (int k = 0; k < 6; k++)
        to->M[k] += S[k];
    for (int k = 0; k < 9; k++)
        to->B[k] += b[k];
    /* A - n U^T + sk(d) B^T - b sk(d) */
    to->A[0] += A[0] - n[0] * U[0] + d[1] * B[2] - d[2] * B[1] - b[1] * d[2] + b[2] * d[1];
    to->A[1] += A[1] - n[1] * U[1] + d[2] * B[3] - d[0] * B[5] - b[5] * d[0] + b[3] * d[2];
    to->A[2] += A[2] - n[2] * U[2] + d[0] * B[7] - d[1] * B[6] - b[6] * d[1] + b[7] * d[0];
    to->A[3] += A[3] - n[0] * U[1] + d[1] * B[5] - d[2] * B[4] - b[2] * d[0] + b[0] * d[2];
    to->A[4] += A[4] - n[1] * U[2] + d[2] * B[6] - d[0] * B[8] - b[3] * d[1] + b[4] * d[0];
    to->A[5] += A[5] - n[2] * U[0] + d[0] * B[1] - d[1] * B[0] - b[7] * d[2] + b[8] * d[1];
    for (int k = 0; k < 6; k++)
        p[k] += push * U[k];
    hand_down(d, p, to->p);
    return true;
}

/* al = -A^-1 (p + B a): B becomes A^-1 B, p its upper half A^-1 p */
static inline bool inwards_ball(bl_fast_now *restrict l, bl_fast_now *restrict to) {
    const double *A = l->A, *d = l->d;
    double *B = l->B, *M = l->M, *p = l->p, C[6], G[9], h[3];
    C[0] = A[1] * A[2] - A[4] * A[4], C[1] = A[2] * A[0] - A[5] * A[5], C[2] = A[0] * A[1] - A[3] * A[3];
    C[3] = A[5] * A[4] - A[3] * A[2], C[4] = A[3] * A[5] - A[4] * A[0], C[5] = A[3] * A[4] - A[5] * A[1];
    double det = A[0] * C[0] + A[3] * C[3] + A[5] * C[5];
    if (!(det > 0))
        return false;
    for (int k = 0; k < 6; k++)
        C[k] /= det;
    for (int c = 0; c < 3; c++) {
        G[c] = C[0] * B[c] + C[3] * B[3 + c] + C[5] * B[6 + c];
        G[3 + c] = C[3] * B[c] + C[1] * B[3 + c] + C[4] * B[6 + c];
        G[6 + c] = C[5] * B[c] + C[4] * B[3 + c] + C[2] * B[6 + c];
    }
    symmetric(C, p, h);
    if (to) {
        double b[9] = {0}, S[6], F[6] = {0};
        for (int k = 0; k < 3; k++) {
            int n = (k + 1) % 3;
            S[k] = M[k] - (B[k] * G[k] + B[3 + k] * G[3 + k] + B[6 + k] * G[6 + k]);
            S[3 + k] = M[3 + k] - (B[k] * G[n] + B[3 + k] * G[3 + n] + B[6 + k] * G[6 + n]);
            F[3 + k] = p[3 + k] - (B[k] * h[0] + B[3 + k] * h[1] + B[6 + k] * h[2]);
        }
        lever(d, S, b);
        for (int k = 0; k < 6; k++)
            to->M[k] += S[k];
        for (int k = 0; k < 9; k++)
            to->B[k] += b[k];
        to->A[0] += b[2] * d[1] - b[1] * d[2];
        to->A[1] += b[3] * d[2] - b[5] * d[0];
        to->A[2] += b[7] * d[0] - b[6] * d[1];
        to->A[3] += b[0] * d[2] - b[2] * d[0];
        to->A[4] += b[4] * d[0] - b[3] * d[1];
        to->A[5] += b[8] * d[1] - b[7] * d[2];
        hand_down(d, F, to->p);
    }
    memcpy(B, G, sizeof G);
    memcpy(p, h, sizeof h);
    return true;
}

/* acc = (al, a) of the link */
static inline void accelerate(const bl_eval *e, const bl_fast_link *f, const bl_fast_now *restrict p, bl_fast_now *restrict l,
                              double *acceleration) {
    double a[3], turned[3];
    const double *up = p->acc, *U = l->U, *B = l->B;
    cross3(up, l->d, turned);
    for (int c = 0; c < 3; c++)
        l->acc[3 + c] = a[c] = up[3 + c] + turned[c];
    if (f->ball < 0) {
        double q = acceleration[f->col] = l->push - l->D * (dot3(U, up) + dot3(U + 3, a));
        for (int c = 0; c < 3; c++)
            l->acc[c] = up[c] + q * l->u[c];
        return;
    }
    double in[3], once[3], twice[3], rest[3];
    const double *q = e->q + f->col;
    for (int c = 0; c < 3; c++) {
        l->acc[c] = -l->p[c] - dot3(B + 3 * c, a);
        rest[c] = l->acc[c] - up[c];
    }
    for (int c = 0; c < 3; c++)
        in[c] = dot3(p->R + 3 * c, rest);
    cross3(q, in, once);
    cross3(q, once, twice);
    for (int c = 0; c < 3; c++)
        acceleration[f->col + c] = in[c] - 0.5 * once[c] + l->back * twice[c];
}

bl_status bl_tree_fast(const bl_system *sys, const bl_eval *e, double *acceleration) {
    const bl_tree *t = bl_tree_of(sys);
    bl_fast_now *now = ((bl_tree_work *)e->own)->fast, ground = {.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    for (int c = 0; c < t->m->dim; c++)
        ground.a[c] = -t->m->model->gravity[c];
    for (bl_index i = 0; i < t->nlink; i++)
        outwards(t, e, &t->fast[i], t->fast[i].parent < 0 ? &ground : &now[t->fast[i].parent], &now[i]);
    for (bl_index i = t->nlink - 1; i >= 0; i--) {
        bl_fast_now *to = t->fast[i].parent < 0 ? NULL : &now[t->fast[i].parent];
        if (!(t->fast[i].ball < 0 ? inwards_axis : inwards_ball)(&now[i], to))
            return BL_SINGULAR;
    }
    for (bl_index i = 0; i < t->nlink; i++)
        accelerate(e, &t->fast[i], t->fast[i].parent < 0 ? &ground : &now[t->fast[i].parent], &now[i], acceleration);
    return BL_OK;
}
