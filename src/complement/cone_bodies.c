/* The local matrix of a contact in axes in which its tangential part is diagonal once the normal impulse is eliminated, the passes, and the
 * separation of overlapping bodies. */
#include "complement/cone_groups.h"

#include "base/vector3.h"

#include <string.h>

/* T x of a body's inverse inertia */
static inline void turn_by(const bl_cone_body *b, const double x[3], double out[3]) {
    if (b->by_inertia >= 0) {
        for (int k = 0; k < 3; k++)
            out[k] = b->by_inertia * x[k];
        return;
    }
    const double *t = b->tensor, x0 = x[0], x1 = x[1], x2 = x[2];
    out[0] = t[0] * x0 + t[3] * x1 + t[4] * x2;
    out[1] = t[3] * x0 + t[1] * x1 + t[5] * x2;
    out[2] = t[4] * x0 + t[5] * x1 + t[2] * x2;
}

static void add_impulse(bl_cone_body *b, const double r[3], double sign, const double impulse[3]) {
    double moment[3], spin[3];
    cross3(r, impulse, moment);
    turn_by(b, moment, spin);
    for (int k = 0; k < 3; k++) {
        b->v[k] += sign * b->by_mass * impulse[k];
        b->w[k] += sign * spin[k];
    }
}

void bl_cone_contact_velocity(const bl_cone_body *body, const bl_cone_contact *c, double u[3]) {
    const bl_cone_body *a = body + c->body[0], *b = body + c->body[1];
    double ua[3], ub[3];
    cross3(a->w, c->r[0], ua);
    cross3(b->w, c->r[1], ub);
    for (int k = 0; k < 3; k++)
        u[k] = b->v[k] + ub[k] - a->v[k] - ua[k];
}

void bl_cone_contact_impulse(const bl_cone_contact *c, const double P[3], double impulse[3]) {
    for (int k = 0; k < 3; k++)
        impulse[k] = P[0] * c->n[k] + P[1] * c->t[0][k] + P[2] * c->t[1][k];
}

void bl_cone_contact_guess(const bl_cone_contact *c, const double impulse[3], double P[3]) {
    double normal = dot3(impulse, c->n), p = dot3(impulse, c->t[0]), q = dot3(impulse, c->t[1]), length = sqrt(p * p + q * q);
    double share = length > c->mu * normal ? c->mu * normal / length : 1;
    P[0] = normal > 0 ? normal : 0;
    P[1] = normal > 0 ? share * p : 0;
    P[2] = normal > 0 ? share * q : 0;
}

static void push(const bl_cone_groups *groups, bl_cone_body *body, const bl_cone_contact *c, const double impulse[3]) {
    if (bl_cone_is_joined(groups, c)) {
        bl_cone_joined_push(groups, body, c, impulse);
        return;
    }
    add_impulse(body + c->body[0], c->r[0], -1, impulse);
    add_impulse(body + c->body[1], c->r[1], 1, impulse);
}

static void apply(const bl_cone_groups *groups, bl_cone_body *body, bl_index n, const bl_cone_contact *contact, double (*P)[3]) {
    for (bl_index i = 0; i < n; i++) {
        double impulse[3];
        bl_cone_contact_impulse(contact + i, P[i], impulse);
        push(groups, body, contact + i, impulse);
    }
}

/* D along three directions x: x_i . (1/m + [r] T [r]^T) x_j = x_i . x_j / m + (r x x_i) . T (r x x_j), of both bodies; [6]: 00, 01, 02,
 * 11, 12, 22 */
static void local_matrix(const bl_cone_body *body, const bl_cone_contact *c, const double *n, const double *t, const double *s,
                         double D[6]) {
    const double mass = body[c->body[0]].by_mass + body[c->body[1]].by_mass;
    D[0] = D[3] = D[5] = mass;
    D[1] = D[2] = D[4] = 0;
    for (int side = 0; side < 2; side++) {
        const bl_cone_body *b = body + c->body[side];
        double arm[3][3], turned[3];
        if (b->by_mass == 0)
            continue;
        cross3(c->r[side], n, arm[0]);
        cross3(c->r[side], t, arm[1]);
        cross3(c->r[side], s, arm[2]);
        turn_by(b, arm[0], turned);
        D[0] += dot3(arm[0], turned);
        D[1] += dot3(arm[1], turned);
        D[2] += dot3(arm[2], turned);
        turn_by(b, arm[1], turned);
        D[3] += dot3(arm[1], turned);
        D[4] += dot3(arm[2], turned);
        turn_by(b, arm[2], turned);
        D[5] += dot3(arm[2], turned);
    }
}

static double inverse(double x) { return x > 0 ? 1 / x : 0; }

void bl_cone_contact_prepare(const bl_cone_body *body, bl_cone_contact *c) {
    double first[3], second[3], D[6];
    perpendicular3(c->n, first);
    double by = 1 / norm3(first);
    for (int k = 0; k < 3; k++)
        first[k] *= by;
    cross3(c->n, first, second);
    local_matrix(body, c, c->n, first, second, D);
    c->by_n = inverse(D[0]);
    double g0 = D[1] * c->by_n, g1 = D[2] * c->by_n;
    double s00 = D[3] - D[1] * g0, s01 = D[4] - D[1] * g1, s11 = D[5] - D[2] * g1;
    /* axes of S */
    double half = 0.5 * (s00 - s11), mean = 0.5 * (s00 + s11), radius = sqrt(half * half + s01 * s01), cosine = 1, sine = 0;
    if (radius > 1e-14 * mean) {
        double x = half >= 0 ? radius + half : fabs(s01), y = half >= 0 ? s01 : s01 < 0 ? half - radius : radius - half;
        double length = 1 / sqrt(x * x + y * y);
        cosine = x * length, sine = y * length;
    }
    c->by_s[0] = inverse(mean + radius), c->by_s[1] = inverse(mean - radius);
    c->g[0] = cosine * g0 + sine * g1, c->g[1] = cosine * g1 - sine * g0;
    for (int k = 0; k < 3; k++) {
        c->t[0][k] = cosine * first[k] + sine * second[k];
        c->t[1][k] = cosine * second[k] - sine * first[k];
    }
}

/* ---- contacts of the same two bodies */

static void prepare_block(const bl_cone_body *body, bl_index n, const bl_cone_contact *c, bl_cone_block *block) {
    double arm[2][BL_CONE_LANES][3], turned[2][BL_CONE_LANES][3];
    const double mass = body[c->body[0]].by_mass + body[c->body[1]].by_mass;
    *block = (bl_cone_block){.body = {c->body[0], c->body[1]}};
    for (bl_index i = 0; i < n; i++) {
        for (int side = 0; side < 2; side++) {
            cross3(c[i].r[side], c[i].n, arm[side][i]);
            turn_by(body + c->body[side], arm[side][i], turned[side][i]);
            for (int k = 0; k < 3; k++)
                block->arm[side][k][i] = arm[side][i][k];
        }
        for (int k = 0; k < 3; k++)
            block->n[k][i] = c[i].n[k];
        for (bl_index j = 0; j <= i; j++)
            block->D[i][j] = block->D[j][i] = mass * dot3(c[i].n, c[j].n) + dot3(arm[0][i], turned[0][j]) + dot3(arm[1][i], turned[1][j]);
        block->by[i] = inverse(block->D[i][i]);
        block->target[i] = c[i].target;
    }
}

/* Runs that follow each other have a body in common more often than runs at this distance, and wait for each other. */
enum { APART = 8 };

void bl_cone_blocks_prepare(const bl_cone_body *body, bl_index n, const bl_cone_contact *contact, bl_cone_blocks *b) {
    b->nrun = b->nblock = 0;
    for (bl_index i = 0, count; i < n; i += count) {
        const bl_index *of = contact[i].body;
        for (count = 1; count < BL_CONE_LANES && i + count < n; count++)
            if (contact[i + count].body[0] != of[0] || contact[i + count].body[1] != of[1])
                break;
        b->run[b->nrun++] = (bl_cone_run){i, count, count > 1 ? b->nblock : -1};
        if (count > 1)
            prepare_block(body, count, contact + i, b->block + b->nblock++);
    }
    for (bl_index i = 0; i + 2 * APART <= b->nrun; i += 2 * APART) {
        bl_cone_run was[2 * APART];
        memcpy(was, b->run + i, sizeof was);
        for (int k = 0; k < 2 * APART; k++)
            b->run[i + k] = was[k / 2 + (k & 1 ? APART : 0)];
    }
}

/* ---- sweeps with momentum (Silcowitz-Hansen, Niebe, Erleben 2010): a sweep is the gradient step of the method of conjugate gradients by
 * Fletcher and Reeves, which starts again where sweeps change more than before. Velocities are linear in impulses: both move along the
 * same direction. */

typedef struct momentum {
    double (*last)[3], (*direction)[3], (*last_v)[6], (*direction_v)[6];
    double squares; /* of the last change, in the norm of the local matrices */
} momentum;

static momentum momentum_of(double *work, bl_index nbody, bl_index n) {
    momentum m = {.last = (double(*)[3])work};
    m.direction = m.last + n;
    m.last_v = (double(*)[6])(m.direction + n);
    m.direction_v = m.last_v + nbody;
    memset(m.direction, 0, (size_t)n * sizeof *m.direction);
    memset(m.direction_v, 0, (size_t)nbody * sizeof *m.direction_v);
    return m;
}

static void keep(momentum *m, bl_index nbody, const bl_cone_body *body, bl_index n, double (*P)[3]) {
    memcpy(m->last, P, (size_t)n * sizeof *P);
    for (bl_index i = 0; i < nbody; i++) {
        memcpy(m->last_v[i], body[i].v, sizeof body[i].v);
        memcpy(m->last_v[i] + 3, body[i].w, sizeof body[i].w);
    }
}

/* x += beta direction; direction = beta direction + (x before that - last) */
static void follow_entry(double beta, double *x, double last, double *direction) {
    double step = beta * *direction;
    *direction = step + *x - last;
    *x += step;
}

static void follow(momentum *m, bl_index nbody, bl_cone_body *body, bl_index n, const bl_cone_contact *contact, double (*P)[3]) {
    double squares = 0;
    for (bl_index i = 0; i < n; i++) {
        const double d[3] = {P[i][0] - m->last[i][0], P[i][1] - m->last[i][1], P[i][2] - m->last[i][2]};
        squares += dot3(d, d) / contact[i].by_n;
    }
    double beta = m->squares > 0 && squares < m->squares ? squares / m->squares : 0;
    m->squares = squares;
    for (bl_index i = 0; i < n; i++)
        for (int k = 0; k < 3; k++)
            follow_entry(beta, P[i] + k, m->last[i][k], m->direction[i] + k);
    for (bl_index i = 0; i < nbody; i++)
        for (int k = 0; k < 3; k++) {
            follow_entry(beta, body[i].v + k, m->last_v[i][k], m->direction_v[i] + k);
            follow_entry(beta, body[i].w + k, m->last_v[i][3 + k], m->direction_v[i] + 3 + k);
        }
}

/* one pass over all: those of free bodies, those of mechanisms, in this order or back */
static double pass_all(const bl_cone_kernels *kernels, bl_cone_body *body, bl_index n, const bl_cone_contact *contact, double (*P)[3],
                       const bl_cone_sweeps *s, bool normal, bool back) {
    bl_cone_pass *pass = normal ? kernels->normal_pass : kernels->pass;
    bl_index alone = n - s->njoined;
    if (s->njoined == 0)
        return pass(body, n, contact, s->blocks, P, back);
    double first = back ? 0 : pass(body, alone, contact, s->blocks, P, false);
    double joined = bl_cone_joined_pass(s->groups, body, s->njoined, contact + alone, P + alone, back, normal, s->tolerance);
    return fmax(joined, back ? pass(body, alone, contact, s->blocks, P, true) : first);
}

/* Sweeps forward and back, which is a symmetric preconditioner, with momentum where there is work for it, until velocities change by less
 * than the tolerance or `most` sweeps are done. */
static bool sweep(const bl_cone_kernels *kernels, bool normal, bl_index nbody, bl_cone_body *body, bl_index n,
                  const bl_cone_contact *contact, double (*P)[3], int most, bl_cone_sweeps *s) {
    momentum m = {0};
    if (s->work)
        m = momentum_of(s->work, nbody, n);
    while (s->done < most) {
        if (s->work)
            keep(&m, nbody, body, n, P);
        double forward = pass_all(kernels, body, n, contact, P, s, normal, false);
        s->change = sqrt(fmax(forward, pass_all(kernels, body, n, contact, P, s, normal, true)));
        s->done += 2;
        if (s->change <= s->tolerance)
            return true;
        if (s->work && s->done < most) /* the last sweep keeps impulses in their cones */
            follow(&m, nbody, body, n, contact, P);
    }
    return false;
}

bl_status bl_cone_bodies_solve(const bl_context *ctx, bl_index nbody, bl_cone_body *body, bl_index n, const bl_cone_contact *contact,
                               double (*P)[3], bl_cone_sweeps *s) {
    const bl_cone_kernels *kernels = BL_ISA_PICK(ctx, bl_cone_kernels);
    s->done = 0;
    s->change = 0;
    if (n == 0)
        return BL_OK;
    apply(s->groups, body, n, contact, P);
    sweep(kernels, true, nbody, body, n, contact, P, s->normal, s);
    return sweep(kernels, false, nbody, body, n, contact, P, s->done + s->most - s->normal, s) ? BL_OK : BL_NO_CONVERGENCE;
}

void bl_cone_bodies_separate(const bl_context *ctx, bl_cone_body *body, bl_index n, const bl_cone_contact *contact, double (*P)[3],
                             const bl_cone_sweeps *s) {
    const bl_cone_kernels *kernels = BL_ISA_PICK(ctx, bl_cone_kernels);
    memset(P, 0, (size_t)n * sizeof *P);
    for (bl_index i = 0; s->blocks && i < s->blocks->nrun; i++) {
        const bl_cone_run *run = s->blocks->run + i;
        for (bl_index k = 0; run->block >= 0 && k < run->count; k++)
            s->blocks->block[run->block].target[k] = contact[run->first + k].target;
    }
    for (int k = 0; k < s->most; k++)
        pass_all(kernels, body, n, contact, P, s, true, k & 1);
}
