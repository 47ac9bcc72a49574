/* Accelerations of trees whose links each have one revolute or one spherical joint, with gravity as the only force: three passes, all at
 * the joints' own points (Featherstone 2008, chapter 7), vectors in global axes. With a' = -g at the ground gravity needs no forces.
 *
 *     outwards    R, w; al, a where q'' = 0
 *     inwards     p = the wrench that the link's mass requires for this motion; articulated inertia [A B; B^T M]: a revolute joint
 *                 subtracts U U^T / D, a spherical joint leaves only M - B^T A^-1 B
 *     outwards    q''
 *
 * Every vector is one register if registers hold four numbers. A and M are symmetric, B is stored by rows. */
#include "coords/relative_fast.h"

#include <math.h>

#define INLINE static inline __attribute__((always_inline))

#if defined(BL_ISA_avx2) || defined(BL_ISA_avx512)
typedef double vec __attribute__((vector_size(32), aligned(8), may_alias)); /* the last number is 0 (padding) */
typedef vec lane;
INLINE lane of(double s) { return (lane){s, s, s, s}; } /* s in every lane */
INLINE vec load(const bl_fast_vector *a) { return *(const vec *)a; }
INLINE void store(vec a, bl_fast_vector *to) { *(vec *)to = a; }
INLINE vec make(double x, double y, double z) { return (vec){x, y, z, 0}; }
INLINE vec unit(int k, double s) { return k == 0 ? (vec){1, 0, 0, 0} * s : k == 1 ? (vec){0, 1, 0, 0} * s : (vec){0, 0, 1, 0} * s; }
INLINE vec add(vec a, vec b) { return a + b; }
INLINE vec sub(vec a, vec b) { return a - b; }
INLINE vec mul(vec a, lane s) { return a * s; }
INLINE vec mad(vec c, vec a, lane s) { return c + a * s; }
INLINE vec msub(vec c, vec a, lane s) { return c - a * s; }
INLINE lane first(vec a) { return __builtin_shufflevector(a, a, 0, 0, 0, 0); }
INLINE lane second(vec a) { return __builtin_shufflevector(a, a, 1, 1, 1, 1); }
INLINE lane third(vec a) { return __builtin_shufflevector(a, a, 2, 2, 2, 2); }
INLINE vec yzx(vec a) { return __builtin_shufflevector(a, a, 1, 2, 0, 3); }
INLINE vec cross(vec a, vec b) { return yzx(a * yzx(b) - yzx(a) * b); }
INLINE double dot(vec a, vec b) {
    vec x = a * b;
    return x[0] + x[1] + x[2];
}
/* a . b + c . d */
INLINE double dots(vec a, vec b, vec c, vec d) {
    vec x = a * b + c * d;
    return x[0] + x[1] + x[2];
}
INLINE double part(vec a, int k) { return a[k]; }
INLINE void transpose(const vec *a, vec *t) {
    vec low = __builtin_shufflevector(a[0], a[1], 0, 4, 2, 6), high = __builtin_shufflevector(a[0], a[1], 1, 5, 3, 7), last = a[2];
    t[0] = __builtin_shufflevector(low, last, 0, 1, 4, 7);
    t[1] = __builtin_shufflevector(high, last, 0, 1, 5, 7);
    t[2] = __builtin_shufflevector(low, last, 2, 3, 6, 7);
}
/* rows of sk(r) */
INLINE void skew(vec r, vec *rows) {
    const vec zero = {0, 0, 0, 0};
    vec back = -r;
    rows[0] = __builtin_shufflevector(__builtin_shufflevector(r, back, 0, 6, 1, 3), zero, 4, 1, 2, 7); /* 0 -z y */
    rows[1] = __builtin_shufflevector(__builtin_shufflevector(r, back, 2, 0, 4, 3), zero, 0, 4, 2, 7); /* z 0 -x */
    rows[2] = __builtin_shufflevector(__builtin_shufflevector(r, back, 5, 0, 2, 3), zero, 0, 1, 4, 7); /* -y x 0 */
}
#else
typedef struct vec {
    double x, y, z;
} vec;
typedef double lane;
INLINE lane of(double s) { return s; }
INLINE vec load(const bl_fast_vector *a) { return (vec){a->x[0], a->x[1], a->x[2]}; }
INLINE void store(vec a, bl_fast_vector *to) { to->x[0] = a.x, to->x[1] = a.y, to->x[2] = a.z; }
INLINE vec make(double x, double y, double z) { return (vec){x, y, z}; }
INLINE vec unit(int k, double s) { return (vec){k == 0 ? s : 0, k == 1 ? s : 0, k == 2 ? s : 0}; }
INLINE vec add(vec a, vec b) { return (vec){a.x + b.x, a.y + b.y, a.z + b.z}; }
INLINE vec sub(vec a, vec b) { return (vec){a.x - b.x, a.y - b.y, a.z - b.z}; }
INLINE vec mul(vec a, lane s) { return (vec){a.x * s, a.y * s, a.z * s}; }
INLINE vec mad(vec c, vec a, lane s) { return (vec){c.x + a.x * s, c.y + a.y * s, c.z + a.z * s}; }
INLINE vec msub(vec c, vec a, lane s) { return (vec){c.x - a.x * s, c.y - a.y * s, c.z - a.z * s}; }
INLINE lane first(vec a) { return a.x; }
INLINE lane second(vec a) { return a.y; }
INLINE lane third(vec a) { return a.z; }
INLINE vec cross(vec a, vec b) { return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
INLINE double dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
INLINE double dots(vec a, vec b, vec c, vec d) { return dot(a, b) + dot(c, d); }
INLINE double part(vec a, int k) { return k == 0 ? a.x : k == 1 ? a.y : a.z; }
INLINE void transpose(const vec *a, vec *t) {
    t[0] = (vec){a[0].x, a[1].x, a[2].x};
    t[1] = (vec){a[0].y, a[1].y, a[2].y};
    t[2] = (vec){a[0].z, a[1].z, a[2].z};
}
INLINE void skew(vec r, vec *rows) {
    rows[0] = (vec){0, -r.z, r.y};
    rows[1] = (vec){r.z, 0, -r.x};
    rows[2] = (vec){-r.y, r.x, 0};
}
#endif

INLINE void load3(const bl_fast_vector *a, vec *to) { to[0] = load(a), to[1] = load(a + 1), to[2] = load(a + 2); }
INLINE void store3(const vec *a, bl_fast_vector *to) { store(a[0], to), store(a[1], to + 1), store(a[2], to + 2); }

/* sum over k of R[k] x[k] */
INLINE vec times(const vec *R, const double *x) { return mad(mad(mul(R[0], of(x[0])), R[1], of(x[1])), R[2], of(x[2])); }
INLINE vec apply(const vec *R, vec x) { return mad(mad(mul(R[0], first(x)), R[1], second(x)), R[2], third(x)); }

/* to += rows of sk(d) S, S symmetric */
INLINE void lever(vec d, const vec *S, vec *to) {
    lane x = first(d), y = second(d), z = third(d);
    to[0] = msub(mad(to[0], S[2], y), S[1], z);
    to[1] = msub(mad(to[1], S[0], z), S[2], x);
    to[2] = msub(mad(to[2], S[1], x), S[0], y);
}

/* inertia at the joint in global axes */
INLINE void turned_inertia(bool round, const bl_fast_mass *f, const vec *R, vec *A) {
    if (round) {
        vec e = times(R, f->e), x = mul(e, of(f->more));
        A[0] = mad(unit(0, f->across), e, first(x));
        A[1] = mad(unit(1, f->across), e, second(x));
        A[2] = mad(unit(2, f->across), e, third(x));
        return;
    }
    const double *I = f->I, columns[9] = {I[0], I[3], I[5], I[3], I[1], I[4], I[5], I[4], I[2]};
    const vec RI[3] = {times(R, columns), times(R, columns + 3), times(R, columns + 6)};
    A[0] = mad(mad(mul(RI[0], first(R[0])), RI[1], first(R[1])), RI[2], first(R[2]));
    A[1] = mad(mad(mul(RI[0], second(R[0])), RI[1], second(R[1])), RI[2], second(R[2]));
    A[2] = mad(mad(mul(RI[0], third(R[0])), RI[1], third(R[1])), RI[2], third(R[2]));
}

/* a spherical joint rotates its link by Exp(q) C; wr, bias: its angular velocity and its rate where q'' = 0, in the parent's axes T */
INLINE void turn_ball(bl_fast_ball *ball, const vec *T, const double *q, const double *v, const double *C, vec *R, vec *wr, vec *bias) {
    double f[4] = {0}, x = q[0] * q[0] + q[1] * q[1] + q[2] * q[2], along = q[0] * v[0] + q[1] * v[1] + q[2] * v[2];
    if (x > 0.5)
        bl_turn_series(x, f);
    else
        for (int k = BL_TURN_TERMS - 1; k >= 0; k--)
            for (int i = 0; i < 4; i++)
                f[i] = f[i] * x + bl_turn_term[k][i];
    double s = 1 - f[1] * x, c = 1 - f[0] * x; /* sin p / p, cos p */
    ball->back = x > 0.5 ? (1 - s / (2 * f[0])) / x : (0.5 * f[0] - f[1]) / s;
    store3(T, ball->T);
    vec Q = make(q[0], q[1], q[2]), V = make(v[0], v[1], v[2]), once = cross(Q, V), twice = cross(Q, once), a = mul(Q, of(f[0]));
    *wr = mad(mad(V, once, of(f[0])), twice, of(f[1]));
    *bias = mad(mad(mul(once, of(along * f[2])), twice, of(along * f[3])), cross(V, once), of(f[1]));
    const vec small[3] = {add(mul(a, of(q[0])), make(c, s * q[2], -s * q[1])), add(mul(a, of(q[1])), make(-s * q[2], c, s * q[0])),
                          add(mul(a, of(q[2])), make(s * q[1], -s * q[0], c))};
    const vec turned[3] = {apply(T, small[0]), apply(T, small[1]), apply(T, small[2])};
    for (int k = 0; k < 3; k++)
        R[k] = times(turned, C + 3 * k);
}

/* axes and motion of a link where q'' = 0 */
typedef struct moving {
    vec R[3], w, al, a;
} moving;

INLINE moving moving_of(const bl_fast_motion *l, vec u) {
    return (moving){{load(&l->R[0]), load(&l->R[1]), u}, load(&l->w), load(&l->al), load(&l->a)};
}

/* from the motion of the parent to that of the link */
INLINE void outwards(const bl_fast_link *f, const bl_fast_joint *joint, const double *q, const double *v, const double *balls,
                     const bl_fast_work *work, bl_index i, moving *m) {
    vec T[3], wp = m->w, alp = m->al, d = times(m->R, joint->at);
    for (int k = 0; k < 3; k++)
        T[k] = times(m->R, joint->C + 3 * k);
    m->a = add(add(m->a, cross(alp, d)), cross(wp, cross(wp, d)));
    if (f->ball < 0) {
        double rate = v[f->col], angle = q[f->col] - joint->zero, c = cos(angle), s = sin(angle);
        m->R[0] = mad(mul(T[0], of(c)), T[1], of(s));
        m->R[1] = msub(mul(T[1], of(c)), T[0], of(s));
        m->R[2] = T[2];
        m->w = mad(wp, T[2], of(rate));
        m->al = mad(alp, cross(wp, T[2]), of(rate));
    } else {
        vec wr, bias;
        turn_ball(&work->ball[f->ball], T, q + f->col, v + f->col, balls + 9 * f->ball, m->R, &wr, &bias);
        wr = apply(T, wr);
        m->w = add(wp, wr);
        m->al = add(add(alp, cross(wp, wr)), apply(T, bias));
    }
    store(m->R[2], &work->response[i].u);
    store(d, &work->response[i].d);
}

INLINE void keep(const moving *m, bl_fast_motion *to) {
    store(m->R[0], &to->R[0]);
    store(m->R[1], &to->R[1]);
    store(m->w, &to->w);
    store(m->al, &to->al);
    store(m->a, &to->a);
}

/* wrench and inertia of a link with its subtree */
typedef struct loaded {
    vec A[3], B[3], M[3], p[2];
} loaded;

/* of the link itself */
INLINE void own_mass(bool round, const bl_fast_mass *f, const moving *l, loaded *x) {
    vec w = l->w, al = l->al, a = l->a, mr = times(l->R, f->mr);
    turned_inertia(round, f, l->R, x->A);
    skew(mr, x->B);
    x->p[0] = add(add(apply(x->A, al), cross(w, apply(x->A, w))), cross(mr, a));
    x->p[1] = add(mad(cross(al, mr), a, of(f->m)), cross(w, cross(w, mr)));
    for (int k = 0; k < 3; k++)
        x->M[k] = unit(k, f->m);
}

INLINE void add_load(const loaded *more, loaded *x) {
    for (int k = 0; k < 3; k++) {
        x->A[k] = add(x->A[k], more->A[k]);
        x->B[k] = add(x->B[k], more->B[k]);
        x->M[k] = add(x->M[k], more->M[k]);
    }
    x->p[0] = add(x->p[0], more->p[0]);
    x->p[1] = add(x->p[1], more->p[1]);
}

INLINE loaded load_at(const bl_fast_load *at) {
    loaded x = {.p = {load(&at->p[0]), load(&at->p[1])}};
    load3(at->A, x.A);
    load3(at->B, x.B);
    load3(at->M, x.M);
    return x;
}

INLINE void store_load(const loaded *x, bl_fast_load *at) {
    store3(x->A, at->A);
    store3(x->B, at->B);
    store3(x->M, at->M);
    store(x->p[0], &at->p[0]);
    store(x->p[1], &at->p[1]);
}

/* x, at the link's joint, becomes the load on the parent at its own joint: everything is shifted first and U U^T / D subtracted last, so
 * that nothing else waits for the division. */
INLINE bool inwards_axis(bl_fast_response *l, loaded *x) {
    vec u = load(&l->u), d = load(&l->d), Un = apply(x->A, u), Uf = apply(x->B, u), V = add(Un, cross(d, Uf));
    double D = dot(u, Un), by = l->D = 1 / D, push = l->push = -dot(u, x->p[0]) * by;
    store(V, &l->U[0]);
    store(Uf, &l->U[1]);
    vec Z[3], Zt[3], n = mul(V, of(by)), g = mul(Uf, of(by));
    const lane n3[3] = {first(n), second(n), third(n)}, g3[3] = {first(g), second(g), third(g)};
    for (int k = 0; k < 3; k++)
        Z[k] = cross(d, x->B[k]);
    transpose(Z, Zt);
    lever(d, x->M, x->B); /* B + sk(d) M */
    /* A + sk(d) B^T - (B + sk(d) M) sk(d) */
    for (int k = 0; k < 3; k++) {
        x->A[k] = msub(add(add(x->A[k], Zt[k]), cross(d, x->B[k])), V, n3[k]);
        x->M[k] = msub(x->M[k], Uf, g3[k]);
        x->B[k] = msub(x->B[k], Uf, n3[k]);
    }
    x->p[0] = mad(add(x->p[0], cross(d, x->p[1])), V, of(push));
    x->p[1] = mad(x->p[1], Uf, of(push));
    return D > 0;
}

/* al = -A^-1 (p + B a) */
INLINE bool inwards_ball(const bl_fast_response *l, bl_fast_ball *ball, loaded *x) {
    vec d = load(&l->d), C[3] = {cross(x->A[1], x->A[2]), cross(x->A[2], x->A[0]), cross(x->A[0], x->A[1])};
    double det = dot(x->A[0], C[0]);
    for (int k = 0; k < 3; k++)
        C[k] = mul(C[k], of(1 / det));
    const vec *B = x->B, G[3] = {apply(B, C[0]), apply(B, C[1]), apply(B, C[2])};
    vec h = apply(C, x->p[0]), F = sub(x->p[1], apply(B, h)), b[3] = {make(0, 0, 0), make(0, 0, 0), make(0, 0, 0)};
    store3(G, ball->G);
    store(h, &ball->h);
    const lane B3[3][3] = {
        {first(B[0]), first(B[1]), first(B[2])}, {second(B[0]), second(B[1]), second(B[2])}, {third(B[0]), third(B[1]), third(B[2])}};
    for (int k = 0; k < 3; k++)
        x->M[k] = msub(msub(msub(x->M[k], G[0], B3[k][0]), G[1], B3[k][1]), G[2], B3[k][2]);
    lever(d, x->M, b);
    for (int k = 0; k < 3; k++) {
        x->A[k] = cross(d, b[k]);
        x->B[k] = b[k];
    }
    x->p[0] = cross(d, F);
    x->p[1] = F;
    return det > 0;
}

/* alpha and a of the parent become those of the link */
INLINE void accelerate(const bl_fast_link *f, const double *q, const bl_fast_response *l, const bl_fast_ball *balls, vec *acc,
                       double *acceleration) {
    vec up = acc[0], ap = acc[1], a = add(ap, cross(up, load(&l->d)));
    acc[1] = a;
    if (f->ball < 0) {
        double more = acceleration[f->col] = l->push - l->D * dots(load(&l->U[0]), up, load(&l->U[1]), ap);
        acc[0] = mad(up, load(&l->u), of(more));
        return;
    }
    const bl_fast_ball *b = &balls[f->ball];
    vec Ga = make(dot(load(&b->G[0]), a), dot(load(&b->G[1]), a), dot(load(&b->G[2]), a));
    vec al = sub(sub(make(0, 0, 0), load(&b->h)), Ga), rest = sub(al, up);
    acc[0] = al;
    vec in = make(dot(load(&b->T[0]), rest), dot(load(&b->T[1]), rest), dot(load(&b->T[2]), rest));
    vec Q = make(q[f->col], q[f->col + 1], q[f->col + 2]), once = cross(Q, in);
    vec out = mad(msub(in, once, of(0.5)), cross(Q, once), of(b->back));
    for (int c = 0; c < 3; c++)
        acceleration[f->col + c] = part(out, c);
}

/* the ground, accelerated upwards instead of gravity */
INLINE moving ground_under(const double *gravity) {
    const vec zero = make(0, 0, 0);
    return (moving){{make(1, 0, 0), make(0, 1, 0), make(0, 0, 1)}, zero, zero, make(-gravity[0], -gravity[1], -gravity[2])};
}

/* a link whose parent is not the previous link starts from its parent */
INLINE void begin_branch(const bl_fast_link *link, const bl_fast_work *work, const moving *ground, moving *m) {
    bl_index up = link->parent;
    if (!link->next)
        *m = up < 0 ? *ground : moving_of(&work->motion[up], load(&work->response[up].u));
}

static bool run(const bl_fast_tree *tree, const double *gravity, const double *q, const double *v, const double *balls,
                const bl_fast_work *work, double *acceleration) {
    const bl_fast_link *link = tree->link;
    const vec zero = make(0, 0, 0);
    const moving ground = ground_under(gravity);
    moving m = ground;
    for (bl_index i = 0; i < tree->n; i++) {
        begin_branch(&link[i], work, &ground, &m);
        outwards(&link[i], &tree->joint[i], q, v, balls, work, i, &m);
        keep(&m, &work->motion[i]);
    }
    const loaded none = {{zero, zero, zero}, {zero, zero, zero}, {zero, zero, zero}, {zero, zero}};
    loaded x = none, own;
    for (bl_index k = 0; k < tree->nfork; k++)
        store_load(&none, &work->fork[k].load);
    for (bl_index i = tree->n - 1; i >= 0; i--) {
        const bl_fast_link *f = &link[i];
        m = moving_of(&work->motion[i], load(&work->response[i].u));
        own_mass(f->round, &tree->mass[i], &m, &own);
        if (i + 1 == tree->n || !link[i + 1].next)
            x = own;
        else
            add_load(&own, &x);
        if (f->fork >= 0) {
            loaded others = load_at(&work->fork[f->fork].load);
            add_load(&others, &x);
        }
        if (!(f->ball < 0 ? inwards_axis(&work->response[i], &x) : inwards_ball(&work->response[i], &work->ball[f->ball], &x)))
            return false;
        if (!f->next && f->parent >= 0) {
            bl_fast_load *to = &work->fork[link[f->parent].fork].load;
            loaded others = load_at(to);
            add_load(&x, &others);
            store_load(&others, to);
        }
    }
    vec acc[2] = {zero, zero};
    for (bl_index i = 0; i < tree->n; i++) {
        if (!link[i].next) {
            const bl_fast_fork *from = link[i].parent < 0 ? NULL : &work->fork[link[link[i].parent].fork];
            acc[0] = from ? load(&from->acc[0]) : zero;
            acc[1] = from ? load(&from->acc[1]) : zero;
        }
        accelerate(&link[i], q, &work->response[i], work->ball, acc, acceleration);
        if (link[i].fork >= 0) {
            store(acc[0], &work->fork[link[i].fork].acc[0]);
            store(acc[1], &work->fork[link[i].fork].acc[1]);
        }
    }
    return true;
}

/* wrench that the link's own mass requires for this motion, at its joint */
INLINE void own_wrench(const bl_fast_link *link, const bl_fast_mass *f, const moving *l, vec p[2]) {
    vec w = l->w, al = l->al, a = l->a;
    if (link->straight) { /* w x I w = more (e . w) w x e, and w x e is used again */
        vec e = times(l->R, f->e), we = cross(w, e);
        p[0] = mad(mad(mad(mul(al, of(f->across)), e, of(f->more * dot(e, al))), we, of(f->more * dot(e, w))), cross(e, a), of(f->reach));
        p[1] = mad(mul(a, of(f->m)), add(cross(al, e), cross(w, we)), of(f->reach));
        return;
    }
    vec mr = times(l->R, f->mr), Ial, Iw;
    if (link->round) {
        vec e = times(l->R, f->e);
        Ial = mad(mul(al, of(f->across)), e, of(f->more * dot(e, al)));
        Iw = mad(mul(w, of(f->across)), e, of(f->more * dot(e, w)));
    } else {
        vec A[3];
        turned_inertia(false, f, l->R, A);
        Ial = apply(A, al);
        Iw = apply(A, w);
    }
    p[0] = add(add(Ial, cross(w, Iw)), cross(mr, a));
    p[1] = add(mad(cross(al, mr), a, of(f->m)), cross(w, cross(w, mr)));
}

/* forces required for given accelerations: one pass outwards with q'', one inwards with the wrenches. Revolute joints only. */
static void demand(const bl_fast_tree *tree, const double *gravity, const double *q, const double *v, const double *a,
                   const bl_fast_work *work, double *force) {
    const bl_fast_link *link = tree->link;
    const vec zero = make(0, 0, 0);
    const moving ground = ground_under(gravity);
    moving m = ground;
    for (bl_index i = 0; i < tree->n; i++) {
        vec p[2];
        begin_branch(&link[i], work, &ground, &m);
        outwards(&link[i], &tree->joint[i], q, v, NULL, work, i, &m);
        m.al = mad(m.al, m.R[2], of(a[link[i].col]));
        if (link[i].fork >= 0)
            keep(&m, &work->motion[i]);
        own_wrench(&link[i], &tree->mass[i], &m, p);
        store(p[0], &work->response[i].U[0]);
        store(p[1], &work->response[i].U[1]);
    }
    for (bl_index k = 0; k < tree->nfork; k++) {
        store(zero, &work->fork[k].load.p[0]);
        store(zero, &work->fork[k].load.p[1]);
    }
    vec x[2] = {zero, zero};
    for (bl_index i = tree->n - 1; i >= 0; i--) {
        const bl_fast_response *l = &work->response[i];
        bool alone = i + 1 == tree->n || !link[i + 1].next;
        x[0] = alone ? load(&l->U[0]) : add(x[0], load(&l->U[0]));
        x[1] = alone ? load(&l->U[1]) : add(x[1], load(&l->U[1]));
        if (link[i].fork >= 0) {
            x[0] = add(x[0], load(&work->fork[link[i].fork].load.p[0]));
            x[1] = add(x[1], load(&work->fork[link[i].fork].load.p[1]));
        }
        force[link[i].col] = dot(load(&l->u), x[0]);
        x[0] = add(x[0], cross(load(&l->d), x[1]));
        if (!link[i].next && link[i].parent >= 0) {
            bl_fast_load *to = &work->fork[link[link[i].parent].fork].load;
            store(add(load(&to->p[0]), x[0]), &to->p[0]);
            store(add(load(&to->p[1]), x[1]), &to->p[1]);
        }
    }
}

const bl_fast_kernels BL_ISA_NAME(bl_fast_kernels) = {run, demand};
