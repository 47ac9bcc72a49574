/* Gaps of joints: their violation in a configuration, also far from closed. */
#include "biela/biela.h"
#include "support/testing.h"
#include "topology/topology.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* the largest gap of the joint if its second body is rotated by `angle` about the axis through the joint */
static double gap_turned(const char *type, const double axis[3], double angle) {
    static const double at[3] = {0.3, -0.2, 0.5};
    static const char bodies[] = "bodies: [{name: a, mass: 1, sphere: {center: [0, 0, 0], radius: 1}}, "
                                 "{name: b, mass: 1, sphere: {center: [1, 0, 0], radius: 1}}]\n";
    char text[512];
    bl_model *model = NULL;
    bl_context *ctx = test_context(NULL);
    int n = snprintf(text, sizeof text, "%sjoints: [{type: %s, bodies: [a, b], at: [0.3, -0.2, 0.5]", bodies, type);
    if (strcmp(type, "fixed") != 0)
        n += snprintf(text + n, sizeof text - (size_t)n, ", axis: [%g, %g, %g]", axis[0], axis[1], axis[2]);
    snprintf(text + n, sizeof text - (size_t)n, "}]\n");
    assert_int_equal(bl_model_read_text(ctx, "pair.yaml", text, strlen(text), NULL, 0, &model), BL_OK);
    bl_pose pose[3] = {{.quaternion = {1}}, {.quaternion = {1}}, {.quaternion = {1}}};
    double size = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    double u[3] = {axis[0] / size, axis[1] / size, axis[2] / size}, d[3] = {1 - at[0], -at[1], -at[2]}, along = 0;
    for (int k = 0; k < 3; k++) {
        pose[2].quaternion[0] = cos(angle / 2);
        pose[2].quaternion[k + 1] = sin(angle / 2) * u[k];
        along += u[k] * d[k];
    }
    double across[3] = {u[1] * d[2] - u[2] * d[1], u[2] * d[0] - u[0] * d[2], u[0] * d[1] - u[1] * d[0]};
    for (int k = 0; k < 3; k++) /* Rodrigues' formula */
        pose[2].position[k] = at[k] + along * u[k] + cos(angle) * (d[k] - along * u[k]) + sin(angle) * across[k];
    bl_twists twists;
    double most = 0;
    assert_int_equal(bl_twists_build(model->ctx, model, pose, 1, &twists), BL_OK);
    for (bl_index i = 0; i < twists.nrow; i++)
        most = fmax(most, fabs(twists.row[i].gap));
    bl_twists_destroy(&twists);
    bl_model_destroy(model);
    test_context_end(ctx);
    return most;
}

static void turns_that_joints_forbid__are_open_by_their_angle(void **state) {
    (void)state;
    static const double z[3] = {0, 0, 1}, skew[3] = {0.4, -0.7, 0.2};
    static const double angles[] = {0, 1e-9, 0.3, 1, 1.6, 2.5, 3.1, 3.14159265358979323846, -0.3, -2, -3.14159265358979323846};
    for (size_t i = 0; i < sizeof angles / sizeof *angles; i++) {
        double open = fabs(angles[i]), most = 1e-14 + 1e-15 * open;
        assert_true(fabs(gap_turned("fixed", z, angles[i]) - open) < most); /* its common vector is z */
        assert_true(fabs(gap_turned("prismatic", skew, angles[i]) - open) < most);
        assert_true(fabs(gap_turned("prismatic", z, angles[i]) - open) < most);
        assert_true(gap_turned("cylindrical", skew, angles[i]) < 1e-14);
        assert_true(gap_turned("revolute", skew, angles[i]) < 1e-14);
    }
    /* about another axis: tilted, 180 degrees is the largest gap */
    assert_true(fabs(gap_turned("fixed", (double[]){1, 0, 0}, pi) - pi) < 1e-14);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(turns_that_joints_forbid__are_open_by_their_angle)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
