/* Accelerations of trees whose links hang by one turning axis or one ball each, under gravity alone: three passes, all at the joints'
 * own points (Featherstone 2008, chapter 7), vectors in global axes. With a' = -g at the ground gravity needs no forces.
 *
 *     outwards    R, w; al, a where q'' = 0
 *     inwards     p = what the link's mass asks for when it moves so; articulated inertia [A B; B^T M]: an axis takes off U U^T / D, a ball
 *                 leaves M - B^T A^-1 B alone
 *     outwards    q''
 *
 * Every vector is one register where registers hold four numbers. A and M are symmetric, B is kept by rows. */
#include "coords/relative_fast.h"

#include <math.h>

#define INLINE static inline __attribute__((always_inline))

#if defined(BL_ISA_avx2) || defined(BL_ISA_avx512)
typedef double vec __attribute__((vector_size(32), aligned(8), may_alias)); /* the last number is 0 */
typedef vec lane;
INLINE lane of(double s) { return (lane){s, s, s, s}; }
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
INLINE void add_to(vec a, bl_fast_vector *to) { store(add(load(to), a), to); }

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
INLINE void turned_inertia(const bl_fast_link *f, const vec *R, vec *A) {
    if (f->round) {
        vec e = times(R, f->e), x = mul(e, of(f->more));
        A[0] = mad(unit(0, f->across), e, first(x));
        A[1] = mad(unit(1, f->across), e, second(x));
        A[2] = mad(unit(2, f->across), e, third(x));
        return;
    }
    const vec RI[3] = {times(R, f->I), times(R, f->I + 3), times(R, f->I + 6)};
    A[0] = mad(mad(mul(RI[0], first(R[0])), RI[1], first(R[1])), RI[2], first(R[2]));
    A[1] = mad(mad(mul(RI[0], second(R[0])), RI[1], second(R[1])), RI[2], second(R[2]));
    A[2] = mad(mad(mul(RI[0], third(R[0])), RI[1], third(R[1])), RI[2], third(R[2]));
}

/* the ball turns its link by Exp(q) C; wr, bias: its angular velocity and what its rate is where q'' = 0, in the parent's axes T */
INLINE void turn_ball(bl_fast_now *l, const vec *T, const double *q, const double *v, const double *C, vec *R, vec *wr, vec *bias) {
    double f[4] = {0}, x = q[0] * q[0] + q[1] * q[1] + q[2] * q[2], along = q[0] * v[0] + q[1] * v[1] + q[2] * v[2];
    if (x > 0.5)
        bl_turn_series(x, f);
    else
        for (int k = BL_TURN_TERMS - 1; k >= 0; k--)
            for (int i = 0; i < 4; i++)
                f[i] = f[i] * x + bl_turn_term[k][i];
    double s = 1 - f[1] * x, c = 1 - f[0] * x; /* sin p / p, cos p */
    l->back = x > 0.5 ? (1 - s / (2 * f[0])) / x : (0.5 * f[0] - f[1]) / s;
    vec Q = make(q[0], q[1], q[2]), V = make(v[0], v[1], v[2]), once = cross(Q, V), twice = cross(Q, once), a = mul(Q, of(f[0]));
    *wr = mad(mad(V, once, of(f[0])), twice, of(f[1]));
    *bias = mad(mad(mul(once, of(along * f[2])), twice, of(along * f[3])), cross(V, once), of(f[1]));
    const vec small[3] = {add(mul(a, of(q[0])), make(c, s * q[2], -s * q[1])), add(mul(a, of(q[1])), make(-s * q[2], c, s * q[0])),
                          add(mul(a, of(q[2])), make(s * q[1], -s * q[0], c))};
    const vec turned[3] = {apply(T, small[0]), apply(T, small[1]), apply(T, small[2])};
    for (int k = 0; k < 3; k++)
        R[k] = times(turned, C + 3 * k);
}

INLINE void outwards(const bl_fast_link *f, const double *q, const double *v, const double *balls, const bl_fast_now *p, bl_fast_now *l) {
    vec Rp[3], T[3], R[3], w, al, wp = load(&p->w), alp = load(&p->al);
    load3(p->R, Rp);
    vec d = times(Rp, f->at);
    for (int k = 0; k < 3; k++)
        T[k] = times(Rp, f->C + 3 * k);
    if (f->ball < 0) {
        double rate = v[f->col], angle = q[f->col] - f->zero, c = cos(angle), s = sin(angle);
        R[0] = mad(mul(T[0], of(c)), T[1], of(s));
        R[1] = msub(mul(T[1], of(c)), T[0], of(s));
        R[2] = T[2];
        w = mad(wp, T[2], of(rate));
        al = mad(alp, cross(wp, T[2]), of(rate));
    } else {
        vec wr, bias;
        turn_ball(l, T, q + f->col, v + f->col, balls + 9 * f->ball, R, &wr, &bias);
        store3(T, l->T);
        wr = apply(T, wr);
        w = add(wp, wr);
        al = add(add(alp, cross(wp, wr)), apply(T, bias));
    }
    store3(R, l->R);
    store(d, &l->d);
    store(w, &l->w);
    store(al, &l->al);
    store(add(add(load(&p->a), cross(alp, d)), cross(wp, cross(wp, d))), &l->a);
    const vec zero = make(0, 0, 0);
    for (int k = 0; k < 3; k++)
        store(zero, &l->A[k]), store(zero, &l->B[k]), store(zero, &l->M[k]);
    store(zero, &l->p[0]);
    store(zero, &l->p[1]);
}

/* the link itself, to what hangs on it */
INLINE void own_mass(const bl_fast_link *f, bl_fast_now *l, vec *A, vec *B, vec *M, vec *p) {
    vec R[3], own[3], w = load(&l->w), al = load(&l->al), a = load(&l->a), rows[3];
    load3(l->R, R);
    vec mr = times(R, f->mr);
    turned_inertia(f, R, own);
    skew(mr, rows);
    p[0] = add(add(apply(own, al), cross(w, apply(own, w))), cross(mr, a));
    p[1] = add(mad(cross(al, mr), a, of(f->m)), cross(w, cross(w, mr)));
    for (int k = 0; k < 3; k++) {
        A[k] = add(own[k], load(&l->A[k]));
        B[k] = add(rows[k], load(&l->B[k]));
        M[k] = add(unit(k, f->m), load(&l->M[k]));
    }
    p[0] = add(p[0], load(&l->p[0]));
    p[1] = add(p[1], load(&l->p[1]));
}

/* First all is shifted to the parent's joint, then U U^T / D is taken off, so that nothing but that waits for the division. */
INLINE bool inwards_axis(const bl_fast_link *f, bl_fast_now *l, bl_fast_now *to) {
    vec A[3], B[3], M[3], p[2], u = load(&l->R[2]), d = load(&l->d);
    own_mass(f, l, A, B, M, p);
    vec Un = apply(A, u), Uf = apply(B, u), V = add(Un, cross(d, Uf));
    double D = dot(u, Un), by = l->D = 1 / D, push = l->push = -dot(u, p[0]) * by;
    store(V, &l->U[0]);
    store(Uf, &l->U[1]);
    if (!(D > 0) || !to)
        return D > 0;
    vec Z[3], Zt[3], n = mul(V, of(by)), g = mul(Uf, of(by));
    const lane n3[3] = {first(n), second(n), third(n)}, g3[3] = {first(g), second(g), third(g)};
    for (int k = 0; k < 3; k++)
        Z[k] = cross(d, B[k]);
    transpose(Z, Zt);
    lever(d, M, B); /* B + sk(d) M */
    /* A + sk(d) B^T - (B + sk(d) M) sk(d) */
    for (int k = 0; k < 3; k++) {
        add_to(msub(M[k], Uf, g3[k]), &to->M[k]);
        add_to(msub(B[k], Uf, n3[k]), &to->B[k]);
        add_to(msub(add(add(A[k], Zt[k]), cross(d, B[k])), V, n3[k]), &to->A[k]);
    }
    add_to(mad(add(p[0], cross(d, p[1])), V, of(push)), &to->p[0]);
    add_to(mad(p[1], Uf, of(push)), &to->p[1]);
    return true;
}

/* al = -A^-1 (p + B a): B becomes A^-1 B, p its upper half A^-1 p */
INLINE bool inwards_ball(const bl_fast_link *f, bl_fast_now *l, bl_fast_now *to) {
    vec A[3], B[3], M[3], p[2], d = load(&l->d);
    own_mass(f, l, A, B, M, p);
    vec C[3] = {cross(A[1], A[2]), cross(A[2], A[0]), cross(A[0], A[1])};
    double det = dot(A[0], C[0]);
    if (!(det > 0))
        return false;
    for (int k = 0; k < 3; k++)
        C[k] = mul(C[k], of(1 / det));
    const vec G[3] = {apply(B, C[0]), apply(B, C[1]), apply(B, C[2])};
    vec h = apply(C, p[0]);
    store3(G, l->B);
    store(h, &l->p[0]);
    if (!to)
        return true;
    vec F = sub(p[1], apply(B, h)), b[3] = {make(0, 0, 0), make(0, 0, 0), make(0, 0, 0)};
    const lane B3[3][3] = {
        {first(B[0]), first(B[1]), first(B[2])}, {second(B[0]), second(B[1]), second(B[2])}, {third(B[0]), third(B[1]), third(B[2])}};
    for (int k = 0; k < 3; k++)
        M[k] = msub(msub(msub(M[k], G[0], B3[k][0]), G[1], B3[k][1]), G[2], B3[k][2]);
    lever(d, M, b);
    for (int k = 0; k < 3; k++) {
        add_to(M[k], &to->M[k]);
        add_to(b[k], &to->B[k]);
        add_to(cross(d, b[k]), &to->A[k]);
    }
    add_to(cross(d, F), &to->p[0]);
    add_to(F, &to->p[1]);
    return true;
}

INLINE void accelerate(const bl_fast_link *f, const double *q, const bl_fast_now *p, bl_fast_now *l, double *acceleration) {
    vec up = load(&p->acc[0]), a = add(load(&p->acc[1]), cross(up, load(&l->d)));
    store(a, &l->acc[1]);
    if (f->ball < 0) {
        double more = acceleration[f->col] = l->push - l->D * dots(load(&l->U[0]), up, load(&l->U[1]), load(&p->acc[1]));
        store(mad(up, load(&l->R[2]), of(more)), &l->acc[0]);
        return;
    }
    vec Ga = make(dot(load(&l->B[0]), a), dot(load(&l->B[1]), a), dot(load(&l->B[2]), a));
    vec al = sub(sub(make(0, 0, 0), load(&l->p[0])), Ga), rest = sub(al, up);
    store(al, &l->acc[0]);
    vec in = make(dot(load(&l->T[0]), rest), dot(load(&l->T[1]), rest), dot(load(&l->T[2]), rest));
    vec Q = make(q[f->col], q[f->col + 1], q[f->col + 2]), once = cross(Q, in);
    vec out = mad(msub(in, once, of(0.5)), cross(Q, once), of(l->back));
    for (int c = 0; c < 3; c++)
        acceleration[f->col + c] = part(out, c);
}

static bool run(bl_index n, const bl_fast_link *link, const double *gravity, const double *q, const double *v, const double *balls,
                bl_fast_now *now, double *acceleration) {
    bl_fast_now ground = {.R = {{{1, 0, 0, 0}}, {{0, 1, 0, 0}}, {{0, 0, 1, 0}}}, .a = {{-gravity[0], -gravity[1], -gravity[2], 0}}};
    for (bl_index i = 0; i < n; i++)
        outwards(&link[i], q, v, balls, link[i].parent < 0 ? &ground : &now[link[i].parent], &now[i]);
    for (bl_index i = n - 1; i >= 0; i--) {
        bl_fast_now *to = link[i].parent < 0 ? NULL : &now[link[i].parent];
        if (!(link[i].ball < 0 ? inwards_axis(&link[i], &now[i], to) : inwards_ball(&link[i], &now[i], to)))
            return false;
    }
    for (bl_index i = 0; i < n; i++)
        accelerate(&link[i], q, link[i].parent < 0 ? &ground : &now[link[i].parent], &now[i], acceleration);
    return true;
}

const bl_fast_kernels BL_ISA_NAME(bl_fast_kernels) = {run};
