/* Contacts with friction and a full matrix: Gauss-Seidel over exact contacts (Jourdan, Alart, Jean 1998), and an accelerated projected
 * gradient (Mazhar, Heyn, Negrut, Tasora 2015) for the convex problem with a given s = mu |u_t|, repeated until s fits (Acary, Cadoux,
 * Lemarechal, Malick 2011). */
#include "complement/cone.h"

#include <math.h>
#include <string.h>

static const double *block_of(const bl_cone_problem *c, bl_index i, bl_index j) {
    return c->D + 3 * ((size_t)c->n * 3 * (size_t)j + (size_t)i);
}

/* D_ii by columns */
static void own_block(const bl_cone_problem *c, bl_index i, double D[9]) {
    const double *from = block_of(c, i, i);
    for (size_t k = 0; k < 3; k++)
        memcpy(D + 3 * k, from + 3 * (size_t)c->n * k, 3 * sizeof *D);
}

static double size_of(const bl_cone_problem *c, bl_index i) {
    double D[9];
    own_block(c, i, D);
    return fmax(D[0], fmax(D[4], D[8]));
}

/* u += D_.i change */
static void push(const bl_cone_problem *c, bl_index i, const double change[3], double *u) {
    for (size_t k = 0; k < 3; k++) {
        const double *column = c->D + 3 * (size_t)c->n * (3 * (size_t)i + k);
        for (bl_index j = 0; j < 3 * c->n && change[k] != 0; j++)
            u[j] += column[j] * change[k];
    }
}

static void velocities(const bl_cone_problem *c, const double *P, double *u) {
    memcpy(u, c->u0, 3 * (size_t)c->n * sizeof *u);
    for (bl_index i = 0; i < c->n; i++)
        push(c, i, P + 3 * i, u);
}

double bl_cone_residual(const bl_cone_problem *c, const double *P, const double *u) {
    double worst = 0;
    for (bl_index i = 0; i < c->n; i++) {
        const double *p = P + 3 * i, *v = u + 3 * i;
        double size = size_of(c, i), r = size > 0 ? 1 / size : 1;
        double moved[3] = {p[0] - r * (v[0] + c->mu[i] * sqrt(v[1] * v[1] + v[2] * v[2])), p[1] - r * v[1], p[2] - r * v[2]};
        bl_cone_project(c->mu[i], moved);
        double sum = 0;
        for (int k = 0; k < 3; k++)
            sum += (p[k] - moved[k]) * (p[k] - moved[k]);
        worst = fmax(worst, sqrt(sum) / r);
    }
    return worst;
}

static void solve_contact(const bl_cone_problem *c, bl_index i, double *P, double *u) {
    double D[9], b[3], p[3], change[3];
    own_block(c, i, D);
    for (int k = 0; k < 3; k++) {
        b[k] = u[3 * i + k];
        for (int j = 0; j < 3; j++)
            b[k] -= D[3 * j + k] * P[3 * i + j];
    }
    bl_cone_local(D, b, c->mu[i], p);
    for (int k = 0; k < 3; k++) {
        change[k] = p[k] - P[3 * i + k];
        P[3 * i + k] = p[k];
    }
    push(c, i, change, u);
}

static bl_status sweeps(const bl_cone_problem *c, const bl_cone_options *options, double *P, double *u, bl_cone_result *result) {
    for (result->iterations = 0; result->iterations < options->most; result->iterations++) {
        for (bl_index i = 0; i < c->n; i++)
            solve_contact(c, result->iterations & 1 ? c->n - 1 - i : i, P, u);
        velocities(c, P, u); /* without the rounding of many changes */
        if ((result->residual = bl_cone_residual(c, P, u)) <= options->tolerance)
            return BL_OK;
    }
    return BL_NO_CONVERGENCE;
}

/* state of the gradient: P, the extrapolated point Y, products D Y and D P */
typedef struct gradient {
    double *Y, *P_new, *u_Y, *s; /* [3 n] each */
    double theta, step;
} gradient;

/* 1 / 2 P . (u + u0) + P . s: the convex objective */
static double objective(const bl_cone_problem *c, const double *P, const double *u, const double *s) {
    double sum = 0;
    for (bl_index j = 0; j < 3 * c->n; j++)
        sum += P[j] * (0.5 * (u[j] + c->u0[j]) + (j % 3 == 0 ? s[j / 3] : 0));
    return sum;
}

/* P_new = project(Y - step (u_Y + s)), the step halved until the objective is below its quadratic bound there */
static void descend(const bl_cone_problem *c, gradient *g, double *u) {
    double at_Y = objective(c, g->Y, g->u_Y, g->s);
    for (int tries = 0; tries < 60; tries++) {
        double bound = at_Y;
        for (bl_index i = 0; i < c->n; i++) {
            double *p = g->P_new + 3 * i, slope[3];
            for (int k = 0; k < 3; k++) {
                slope[k] = g->u_Y[3 * i + k] + (k == 0 ? g->s[i] : 0);
                p[k] = g->Y[3 * i + k] - g->step * slope[k];
            }
            bl_cone_project(c->mu[i], p);
            for (int k = 0; k < 3; k++) {
                double moved = p[k] - g->Y[3 * i + k];
                bound += moved * (slope[k] + moved / (2 * g->step));
            }
        }
        velocities(c, g->P_new, u);
        if (objective(c, g->P_new, u, g->s) <= bound + 1e-14 * fabs(bound))
            return;
        g->step *= 0.5;
    }
}

static void begin_gradient(const bl_cone_problem *c, gradient *g, const double *P, const double *u) {
    memcpy(g->Y, P, 3 * (size_t)c->n * sizeof *P);
    memcpy(g->u_Y, u, 3 * (size_t)c->n * sizeof *u);
    g->theta = 1;
}

/* one accelerated step; momentum restarts where it points uphill (O'Donoghue and Candes 2015) */
static void advance(const bl_cone_problem *c, gradient *g, double *P, double *u) {
    double uphill = 0, theta = 0.5 * (sqrt(g->theta * g->theta * (g->theta * g->theta + 4)) - g->theta * g->theta);
    descend(c, g, u);
    for (bl_index j = 0; j < 3 * c->n; j++)
        uphill += (g->u_Y[j] + (j % 3 == 0 ? g->s[j / 3] : 0)) * (g->P_new[j] - P[j]);
    double momentum = uphill > 0 ? 0 : g->theta * (1 - g->theta) / (g->theta * g->theta + theta);
    g->theta = uphill > 0 ? 1 : theta;
    for (bl_index j = 0; j < 3 * c->n; j++) {
        g->Y[j] = g->P_new[j] + momentum * (g->P_new[j] - P[j]);
        P[j] = g->P_new[j];
    }
    velocities(c, g->Y, g->u_Y);
    g->step *= 1.1;
}

static bl_status gradient_steps(const bl_cone_problem *c, const bl_cone_options *options, double *P, double *u, double *work,
                                bl_cone_result *result) {
    size_t m = 3 * (size_t)c->n;
    gradient g = {.Y = work, .P_new = work + m, .u_Y = work + 2 * m, .s = work + 3 * m, .step = 0};
    double largest = 0;
    for (bl_index i = 0; i < c->n; i++)
        largest = fmax(largest, size_of(c, i));
    g.step = largest > 0 ? 1 / largest : 1;
    begin_gradient(c, &g, P, u);
    for (result->iterations = 0; result->iterations < options->most; result->iterations++) {
        if (result->iterations % 10 == 0) { /* the opening that sliding adds, from the last velocities */
            for (bl_index i = 0; i < c->n; i++)
                g.s[i] = c->mu[i] * sqrt(u[3 * i + 1] * u[3 * i + 1] + u[3 * i + 2] * u[3 * i + 2]);
        }
        advance(c, &g, P, u);
        if ((result->residual = bl_cone_residual(c, P, u)) <= options->tolerance) {
            result->iterations++;
            return BL_OK;
        }
    }
    return BL_NO_CONVERGENCE;
}

bl_status bl_cone_solve(const bl_cone_problem *c, const bl_cone_options *options, double *P, double *u, double *work,
                        bl_cone_result *result) {
    for (bl_index i = 0; i < c->n; i++)
        bl_cone_project(c->mu[i], P + 3 * i);
    velocities(c, P, u);
    *result = (bl_cone_result){.residual = bl_cone_residual(c, P, u)};
    for (bl_index j = 0; j < 3 * c->n; j++)
        if (!isfinite(u[j]))
            return BL_NOT_FINITE;
    if (result->residual <= options->tolerance)
        return BL_OK;
    switch (options->method) {
    case BL_CONE_GRADIENT: return gradient_steps(c, options, P, u, work, result);
    case BL_CONE_SWEEPS: break;
    }
    return sweeps(c, options, P, u, result);
}
