/* Contacts with a side in a mechanism, one after another, every one exactly (cone_local.c). */
#include "complement/cone_groups.h"
#include "complement/complement_limits.h"
#include "complement/cone.h"

#include "base/vector3.h"

#include <math.h>
#include <string.h>

static int size_of(const bl_cone_group *g, bl_index part) {
    bl_index end = part + 1 < g->nbody ? g->first[part + 1] : g->n;
    return (int)(end - g->first[part]);
}

/* (v, w) of a body by its inverse mass and inertia */
static void move_alone(const bl_cone_body *b, const double x[6], double change[6]) {
    for (int k = 0; k < 3; k++)
        change[k] = b->by_mass * x[k];
    if (b->by_inertia >= 0) {
        for (int k = 0; k < 3; k++)
            change[3 + k] = b->by_inertia * x[3 + k];
        return;
    }
    const double *t = b->tensor, x0 = x[3], x1 = x[4], x2 = x[5];
    change[3] = t[0] * x0 + t[3] * x1 + t[4] * x2;
    change[4] = t[3] * x0 + t[1] * x1 + t[5] * x2;
    change[5] = t[4] * x0 + t[5] * x1 + t[2] * x2;
}

/* change[6] of a part of the group by a wrench on another */
static void move_part(const bl_cone_group *g, bl_index part, bl_index by, const double x[6], double change[6]) {
    int n = size_of(g, part), m = size_of(g, by);
    for (int k = 0; k < 6; k++)
        change[k] = 0;
    for (int j = 0; j < m; j++) {
        const double *column = g->D + (size_t)(g->first[by] + j) * (size_t)g->n + g->first[part];
        for (int k = 0; k < n; k++)
            change[k] += column[k] * x[j];
    }
}

static void wrench_of(const double r[3], double sign, const double impulse[3], double x[6]) {
    double moment[3];
    cross3(r, impulse, moment);
    for (int k = 0; k < 3; k++) {
        x[k] = sign * impulse[k];
        x[3 + k] = sign * moment[k];
    }
}

static void add_change(bl_cone_body *b, const double change[6]) {
    for (int k = 0; k < 3; k++) {
        b->v[k] += change[k];
        b->w[k] += change[3 + k];
    }
}

void bl_cone_joined_push(const bl_cone_groups *g, bl_cone_body *body, const bl_cone_contact *c, const double impulse[3]) {
    for (int side = 0; side < 2; side++) {
        bl_index i = c->body[side], group = g->group_of[i];
        double x[6], change[6];
        wrench_of(c->r[side], side ? 1 : -1, impulse, x);
        if (group < 0) {
            if (body[i].by_mass > 0) {
                move_alone(body + i, x, change);
                add_change(body + i, change);
            }
            continue;
        }
        const bl_cone_group *of = g->group + group;
        for (bl_index k = 0; k < of->nbody; k++) {
            move_part(of, k, g->part_of[i], x, change);
            add_change(body + of->body[k], change);
        }
    }
}

/* velocity at the contact that an impulse causes */
static void answer(const bl_cone_groups *g, const bl_cone_body *body, const bl_cone_contact *c, const double impulse[3], double u[3]) {
    u[0] = u[1] = u[2] = 0;
    for (int from = 0; from < 2; from++)
        for (int to = 0; to < 2; to++) {
            bl_index i = c->body[from], j = c->body[to];
            double x[6], change[6], across[3];
            wrench_of(c->r[from], from ? 1 : -1, impulse, x);
            if (g->group_of[i] >= 0 && g->group_of[i] == g->group_of[j])
                move_part(g->group + g->group_of[i], g->part_of[j], g->part_of[i], x, change);
            else if (i == j && g->group_of[i] < 0 && body[i].by_mass > 0)
                move_alone(body + i, x, change);
            else
                continue;
            cross3(change + 3, c->r[to], across);
            for (int k = 0; k < 3; k++)
                u[k] += (to ? 1 : -1) * (change[k] + across[k]);
        }
}

/* the largest entry of D for velocities of points that the sides could have: below it directions are measured */
static double mobility(const bl_cone_groups *g, const bl_cone_body *body, const bl_cone_contact *c) {
    double most = 0;
    for (int side = 0; side < 2; side++) {
        bl_index i = c->body[side];
        most = fmax(most, body[i].by_mass);
        if (g->group_of[i] < 0)
            continue;
        const bl_cone_group *of = g->group + g->group_of[i];
        for (bl_index k = 0; k < of->nbody; k++)
            for (int m = 0; m < (size_of(of, k) < 3 ? 1 : 3); m++)
                most = fmax(most, of->D[(size_t)(of->first[k] + m) * (size_t)(of->n + 1)]);
    }
    return most;
}

void bl_cone_joined_prepare(const bl_cone_groups *g, const bl_cone_body *body, bl_cone_contact *c, double D[9]) {
    double least = complement_immobile * mobility(g, body, c);
    perpendicular3(c->n, c->t[0]);
    double by = 1 / norm3(c->t[0]);
    for (int k = 0; k < 3; k++)
        c->t[0][k] *= by;
    cross3(c->n, c->t[0], c->t[1]);
    const double *axis[3] = {c->n, c->t[0], c->t[1]};
    for (int j = 0; j < 3; j++) {
        double u[3];
        answer(g, body, c, axis[j], u);
        for (int i = 0; i < 3; i++)
            D[3 * j + i] = dot3(axis[i], u);
    }
    const double size[3] = {D[0], D[4], D[8]};
    for (int i = 0; i < 3; i++) /* symmetric to the last bit; rounding is no motion */
        for (int j = 0; j <= i; j++)
            D[3 * j + i] = D[3 * i + j] = size[i] > least && size[j] > least ? 0.5 * (D[3 * j + i] + D[3 * i + j]) : 0;
    c->by_n = D[0] > 0 ? 1 / D[0] : 0;
}

/* P of one contact and its change as an impulse in space; returns the change of velocity, squared */
static double solve_contact(const bl_cone_groups *g, bl_cone_body *body, const bl_cone_contact *c, const double D[9], double P[3],
                            bool normal, double rest) {
    double u[3], impulse[3], b[3], was[3] = {P[0], P[1], P[2]};
    if (!(D[0] > 0))
        return 0;
    bl_cone_contact_velocity(body, c, u);
    const double *axis[3] = {c->n, c->t[0], c->t[1]};
    if (normal) {
        P[0] = fmax(0, P[0] - c->by_n * (dot3(c->n, u) - c->target));
    } else {
        for (int i = 0; i < 3; i++)
            b[i] = dot3(axis[i], u) - (i == 0 ? c->target : 0) - D[i] * P[0] - D[3 + i] * P[1] - D[6 + i] * P[2];
        for (int i = 1; i < 3; i++) /* where neither side can move, small speeds are errors of the step */
            b[i] = D[4 * i] == 0 && fabs(b[i]) <= rest ? 0 : b[i];
        bl_cone_local(D, b, c->mu, P);
    }
    double square = 0;
    for (int k = 0; k < 3; k++) {
        impulse[k] = 0;
        for (int i = 0; i < 3; i++)
            impulse[k] += (P[i] - was[i]) * axis[i][k];
        square += (P[k] - was[k]) * (P[k] - was[k]);
    }
    if (square > 0)
        bl_cone_joined_push(g, body, c, impulse);
    return square * D[0] * D[0];
}

double bl_cone_joined_pass(const bl_cone_groups *g, bl_cone_body *body, bl_index n, const bl_cone_contact *contact, double (*P)[3],
                           bool back, bool normal, double rest) {
    double most = 0;
    for (bl_index k = 0; k < n; k++) {
        bl_index i = back ? n - 1 - k : k;
        most = fmax(most, solve_contact(g, body, contact + i, g->local[i], P[i], normal, rest));
    }
    return most;
}
