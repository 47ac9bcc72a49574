/* The bushing at random states, against displacements along the axes of the first body and the rotation vector taken from the rotation
 * matrix by its angle and axis: potential, its gradient, balance of both bodies, the power that dampers take, up to 175 degrees. */
#include "support/force_action.h"

#include "biela/biela.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CASES = 200 };

typedef struct bushing {
    int dim, turns;
    bl_index a, b;
    double axes[3][3], at[3], at_b[3], k[3], c[3], p[3], K[3], C[3], q[3];
} bushing;

static int put_list(char *text, size_t size, const char *key, int n, const double *x) {
    int used = snprintf(text, size, ", %s: [", key);
    for (int i = 0; i < n; i++)
        used += snprintf(text + used, size - (size_t)used, "%s%.17g", i ? ", " : "", x[i]);
    return used + snprintf(text + used, size - (size_t)used, "]");
}

/* a random bushing between two of three bodies, or one and ground, as text */
static void make(bushing *u, test_random *random, int dim, bool damped, char *text, size_t size) {
    *u = (bushing){.dim = dim, .turns = dim == 3 ? 3 : 1, .a = test_random_below(random, 3), .b = 3};
    double *x = u->axes[0], *y = u->axes[1], *z = u->axes[2], reference[3], d;
    test_random_direction(random, dim, x);
    do
        test_random_direction(random, dim, reference);
    while (fabs(test_dot(x, reference)) > 0.9);
    test_cross(x, reference, z);
    d = dim == 2 ? copysign(test_norm(z), z[2]) : test_norm(z);
    for (int k = 0; k < 3; k++)
        z[k] /= d;
    test_cross(z, x, y);
    test_random_vector(random, dim, 1, u->at);
    test_random_vector(random, dim, 1, u->at_b);
    for (int k = 0; k < 3; k++) {
        u->k[k] = k < dim ? 5 * test_random_unit(random) : 0;
        u->p[k] = k < dim ? test_random_symmetric(random) : 0;
        u->c[k] = damped && k < dim ? test_random_unit(random) : 0;
        u->K[k] = k < u->turns ? 5 * test_random_unit(random) : 0;
        u->q[k] = k < u->turns ? test_random_symmetric(random) : 0;
        u->C[k] = damped && k < u->turns ? test_random_unit(random) : 0;
    }
    static const char *const names[] = {"ground", "A", "B", "C"};
    int n = snprintf(text, size, "dimension: %d\nbodies:\n", dim);
    for (int i = 1; i < 4; i++)
        n += snprintf(text + n, size - (size_t)n, "  - {name: %s, mass: 1, center: %s, inertia: %s}\n", names[i],
                      dim == 3 ? "[0.3, -0.2, 0.5]" : "[0.3, -0.2]", dim == 3 ? "[1, 1, 1]" : "1");
    n += snprintf(text + n, size - (size_t)n, "forces:\n  - {type: bushing, bodies: [%s, %s]", names[u->a], names[u->b]);
    n += put_list(text + n, size - (size_t)n, "at", dim, u->at);
    n += put_list(text + n, size - (size_t)n, "at_b", dim, u->at_b);
    n += put_list(text + n, size - (size_t)n, "axis", dim, x);
    if (dim == 3)
        n += put_list(text + n, size - (size_t)n, "reference", dim, reference);
    n += put_list(text + n, size - (size_t)n, "stiffness", dim, u->k);
    n += put_list(text + n, size - (size_t)n, "damping", dim, u->c);
    n += put_list(text + n, size - (size_t)n, "preload", dim, u->p);
    n += put_list(text + n, size - (size_t)n, "rotational_stiffness", u->turns, u->K);
    n += put_list(text + n, size - (size_t)n, "rotational_damping", u->turns, u->C);
    n += put_list(text + n, size - (size_t)n, "rotational_preload", u->turns, u->q);
    snprintf(text + n, size - (size_t)n, "}\n");
}

/* displacements and rotation vector (in the plane: displacements, angle), by hand */
static void measure(const bushing *u, const test_force_state *s, double d[3], double angle[3]) {
    const double center[3] = {0.3, -0.2, u->dim == 3 ? 0.5 : 0}, zero[3] = {0};
    bl_mark a = {.body = u->a}, b = {.body = u->b};
    double pa[3], pb[3], v[3], x[3], R[3][3], axial[3];
    for (int k = 0; k < 3; k++) {
        a.s[k] = u->at[k] - (u->a ? center : zero)[k];
        b.s[k] = u->at_b[k] - center[k];
    }
    test_mark_motion(&a, &s->pose[u->a], pa, v);
    test_mark_motion(&b, &s->pose[u->b], pb, v);
    for (int k = 0; k < 3; k++)
        x[k] = pb[k] - pa[k];
    for (int i = 0; i < 3; i++) {
        double e[3], f[3];
        test_apply(s->pose[u->a].R, u->axes[i], e);
        d[i] = i < u->dim ? test_dot(e, x) : 0;
        for (int j = 0; j < 3; j++) {
            test_apply(s->pose[u->b].R, u->axes[j], f);
            R[i][j] = test_dot(e, f);
        }
    }
    for (int k = 0; k < 3; k++)
        axial[k] = (R[(k + 2) % 3][(k + 1) % 3] - R[(k + 1) % 3][(k + 2) % 3]) / 2;
    double sine = test_norm(axial), whole = atan2(sine, (R[0][0] + R[1][1] + R[2][2] - 1) / 2);
    for (int k = 0; k < 3; k++)
        angle[k] = sine > 0 ? axial[k] * whole / sine : 0;
    if (u->turns == 1) {
        angle[0] = angle[2];
        angle[1] = angle[2] = 0;
    }
}

/* the second body rotated from the first by an angle of at most `most` about any axis */
static void rotate(const bushing *u, test_random *random, double most, test_force_state *s) {
    double axis[3] = {0, 0, 1}, R[3][3];
    if (u->dim == 3)
        test_random_direction(random, 3, axis);
    test_turn(axis, most * test_random_symmetric(random), R);
    test_multiply(s->pose[u->a].R, R, s->pose[u->b].R);
}

/* the state a time t later, with constant velocities and angular velocities */
static void later(const test_force_state *s, double t, test_force_state *out) {
    *out = *s;
    for (int i = 1; i < 4; i++) {
        double speed = test_norm(s->pose[i].w), axis[3], R[3][3];
        for (int k = 0; k < 3; k++) {
            axis[k] = speed > 0 ? s->pose[i].w[k] / speed : k == 0;
            out->pose[i].p[k] += t * s->pose[i].v[k];
        }
        test_turn(axis, speed * t, R);
        test_multiply(R, s->pose[i].R, out->pose[i].R);
    }
}

static double energy(const bushing *u, const double d[3], const double angle[3]) {
    double V = 0;
    for (int k = 0; k < 3; k++)
        V += u->k[k] * d[k] * d[k] / 2 - u->p[k] * d[k] + u->K[k] * angle[k] * angle[k] / 2 - u->q[k] * angle[k];
    return V;
}

static void check(test_random *random, int dim, bool damped, double most) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    bushing u;
    test_force_state s, moved;
    test_action got;
    bl_record r;
    char text[4096];
    double d[3], angle[3], rate = 0, lost = 0, h = 1e-4;
    make(&u, random, dim, damped, text, sizeof text);
    if (bl_model_read_text(ctx, "bushing", text, strlen(text), NULL, 0, &model) != BL_OK)
        fail_msg("%s\n%s", bl_context_error(ctx)->what, text);
    test_force_state_random(model, random, &s);
    rotate(&u, random, most, &s);
    assert_int_equal(bl_force_record(model->ctx, model, &model->force[0], NULL, 0, -1, &r), BL_OK);
    assert_true(bl_tape_smooth(r.tape));
    test_act(&r, &s, &got);
    measure(&u, &s, d, angle);
    assert_near(got.potential, energy(&u, d, angle), 1e-12 * (1 + fabs(got.potential)));
    if (u.a > 0)
        test_balanced(&got, 100);
    if (!damped)
        test_force_gradient(&r, &s, 1e-6);
    if (most < 2.5)
        test_force_jacobian(&r, &s);
    /* power = -dV/dt - c d'^2 - C a'^2; differences of order 4 */
    double value[4][6], V[4];
    for (int i = 0; i < 4; i++) {
        double dd[3], aa[3];
        later(&s, (i < 2 ? i - 2 : i - 1) * h, &moved);
        measure(&u, &moved, dd, aa);
        V[i] = energy(&u, dd, aa);
        memcpy(value[i], dd, sizeof dd);
        memcpy(value[i] + 3, aa, sizeof aa);
    }
    rate = (V[0] - 8 * V[1] + 8 * V[2] - V[3]) / (12 * h);
    for (int k = 0; k < 6; k++) {
        double x = (value[0][k] - 8 * value[1][k] + 8 * value[2][k] - value[3][k]) / (12 * h);
        lost += (k < 3 ? u.c[k] : u.C[k - 3]) * x * x;
    }
    assert_near(test_power(&got, &s), -rate - lost, 1e-6 * (1 + fabs(rate) + lost));
    bl_tape_destroy(r.tape);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void bushing__acts_by_displacements_and_the_rotation_vector(void **unused) {
    (void)unused;
    test_random random = {test_seed(31)};
    for (int c = 0; c < CASES; c++)
        check(&random, 2 + c % 2, c % 4 < 2, c % 3 == 0 ? 1e-6 : c % 3 == 1 ? 1.5 : 3.05);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(bushing__acts_by_displacements_and_the_rotation_vector)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
