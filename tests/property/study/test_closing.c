/* Random loops with a gap: whatever the gap, the assembly closes them, keeps lengths, and changes no more than necessary: the change is
 * perpendicular to every remaining motion in the scalar product of the mass (first-order condition of the least change), in every kind of
 * coordinates. */
#include "coords/coords.h"
#include "dense/dense.h"
#include "sparse/sparse.h"
#include "study/study.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 10 };

/* A loop of n bars from joint 0 to joint n, both on ground, with n - 1 joints between; the end of the last bar is off by gap. */
static size_t write_loop(test_random *random, int dim, int n, double gap, char *text, size_t room) {
    double at[MOST + 1][3] = {{0}}, off[3];
    for (int i = 0; i <= n; i++) {
        double angle = 3.3 * i / n;
        at[i][0] = cos(angle) + 0.15 * test_random_symmetric(random);
        at[i][1] = sin(angle) + 0.15 * test_random_symmetric(random);
        at[i][2] = dim == 3 ? 0.3 * test_random_symmetric(random) : 0;
    }
    for (int k = 0; k < 3; k++)
        off[k] = k < dim ? gap * test_random_symmetric(random) : 0;
    const char *joint = dim == 3 ? "spherical" : "revolute";
    size_t used = (size_t)snprintf(text, room, "dimension: %d\npoints:\n", dim);
    for (int i = 0; i <= n + 1; i++) { /* the last: where bar n begins in the given configuration */
        const double *p = at[i <= n ? i : n - 1];
        double d[3] = {0, 0, 0};
        for (int k = 0; i > n && k < 3; k++)
            d[k] = off[k];
        used += (size_t)snprintf(text + used, room - used, dim == 3 ? "  P%d: [%.17g, %.17g, %.17g]\n" : "  P%d: [%.17g, %.17g]\n", i,
                                 p[0] + d[0], p[1] + d[1], p[2] + d[2]);
    }
    used += (size_t)snprintf(text + used, room - used, "bodies:\n");
    for (int i = 1; i <= n; i++)
        used += (size_t)snprintf(text + used, room - used, "  - {name: b%d, rod: {from: P%d, to: P%d}, mass: 1}\n", i,
                                 i < n ? i - 1 : n + 1, i);
    used += (size_t)snprintf(text + used, room - used, "joints:\n  - {name: j0, type: %s, bodies: [ground, b1], at: P0}\n", joint);
    for (int i = 1; i < n; i++)
        used += (size_t)snprintf(text + used, room - used, "  - {name: j%d, type: %s, bodies: [b%d, b%d], at: P%d, at_b: P%d}\n", i, joint,
                                 i, i + 1, i, i < n - 1 ? i : n + 1);
    used += (size_t)snprintf(text + used, room - used, "  - {name: j%d, type: %s, bodies: [b%d, ground], at: P%d}\n", n, joint, n, n);
    return used;
}

static double *motions(const bl_system *sys, bl_eval *e, bl_index *rank) {
    double *G = calloc((size_t)sys->np * (size_t)sys->nv + 1, sizeof *G);
    double *basis = calloc((size_t)sys->nv * (size_t)sys->nv + 1, sizeof *basis);
    for (bl_index j = 0; j < sys->nv; j++)
        for (bl_index p = sys->pat_G.ptr[j]; p < sys->pat_G.ptr[j + 1]; p++)
            G[j * sys->np + sys->pat_G.idx[p]] = e->G[p] * sys->col[j].scale / sys->row[sys->pat_G.idx[p]].scale;
    assert_int_equal(bl_null_space(sys->ctx, sys->np, sys->nv, G, 1e-9, basis, rank), BL_OK);
    free(G);
    return basis;
}

static void turn(const double q[4], const double s[3], double out[3]) {
    double t[3] = {2 * (q[2] * s[2] - q[3] * s[1]), 2 * (q[3] * s[0] - q[1] * s[2]), 2 * (q[1] * s[1] - q[2] * s[0])};
    out[0] = s[0] + q[0] * t[0] + q[2] * t[2] - q[3] * t[1];
    out[1] = s[1] + q[0] * t[1] + q[3] * t[0] - q[1] * t[2];
    out[2] = s[2] + q[0] * t[2] + q[1] * t[1] - q[2] * t[0];
}

/* integral of change . velocity over a bar of mass 1: linear along it, so from its ends */
static double bar_product(const bl_model *model, const bl_pose *pose, bl_index body, bl_index n) {
    double change[2][3], velocity[2][3];
    for (int end = 0; end < 2; end++) {
        const double *drawn = model->point[end ? body : body < n ? body - 1 : n + 1].at, *c = model->body[body].center;
        const double *w = pose->angular_velocity;
        double s[3] = {drawn[0] - c[0], drawn[1] - c[1], drawn[2] - c[2]}, now[3];
        turn(pose->quaternion, s, now);
        for (int k = 0; k < 3; k++) {
            int i = (k + 1) % 3, j = (k + 2) % 3;
            change[end][k] = pose->position[k] + now[k] - drawn[k];
            velocity[end][k] = pose->velocity[k] + w[i] * now[j] - w[j] * now[i];
        }
    }
    double sum = 0;
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++)
                sum += change[i][k] * velocity[j][k] * (i == j ? 2 : 1) / 6;
    return sum;
}

static void try_loop(test_random *random, int dim, const char *coordinates) {
    static char text[8192];
    int n = 4 + test_random_below(random, 5);
    double gap = 0.4 * test_random_unit(random);
    size_t bytes = write_loop(random, dim, n, gap, text, sizeof text);
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    bl_system *sys = NULL;
    bl_state state = {0};
    bl_eval e = {0};
    assert_int_equal(bl_model_read_text(ctx, "loop.yaml", text, bytes, NULL, 0, &model), BL_OK);
    assert_int_equal(bl_coords_build(ctx, model, coordinates, &sys), BL_OK);
    assert_int_equal(bl_state_create(sys, 0, &state), BL_OK);
    assert_int_equal(bl_coords_initial(sys, &state), BL_OK);
    if (bl_assemble_positions(sys, model, &state) != BL_OK)
        fail_msg("gap %g: %s\n%s", gap, bl_context_error(ctx)->what, text);
    assert_int_equal(bl_eval_create(sys, BL_ALL, &e), BL_OK);
    bl_eval_at(&e, &state);
    assert_int_equal(bl_system_eval(sys, &e, BL_PHI | BL_G), BL_OK);
    assert_true(bl_system_drift(sys, e.phi, NULL) < 1e-11);
    bl_index rank = 0;
    double *basis = motions(sys, &e, &rank);
    assert_int_equal(rank, sys->np);
    double *motion = calloc((size_t)sys->nv + 1, sizeof *motion);
    for (bl_index k = 0; k < sys->nv - rank; k++) {
        for (bl_index j = 0; j < sys->nv; j++)
            motion[j] = basis[k * sys->nv + j] * sys->col[j].scale;
        bl_eval_at(&e, &state);
        e.v = motion;
        assert_int_equal(bl_system_eval(sys, &e, BL_POSE), BL_OK);
        double along = 0;
        for (bl_index b = 1; b < model->nbody; b++)
            along += bar_product(model, &e.pose[b], b, n);
        if (!(fabs(along) < 1e-5)) /* the position of a minimum is known to half the digits */
            fail_msg("%s, gap %g, %d bars: the change has a part %g along a motion", coordinates, gap, n, along);
    }
    free(basis);
    free(motion);
    bl_eval_destroy(sys, &e);
    bl_state_destroy(sys, &state);
    bl_system_destroy(sys);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void closing__random_loops_close_with_the_least_change(void **state) {
    (void)state;
    test_random random = {test_seed(11)};
    static const char *const kinds[] = {"natural", "mixed", "reference", "relative", "natural", "reference:angles"};
    for (int round = 0; round < 150; round++) {
        try_loop(&random, 2, kinds[round % 6]);
        try_loop(&random, 3, kinds[round % 6]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(closing__random_loops_close_with_the_least_change)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
