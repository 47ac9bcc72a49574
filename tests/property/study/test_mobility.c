/* Random mechanisms of all joint kinds. Trees have the mobility that counting gives, whatever their geometry; with further joints that
 * close loops the two mobilities differ by the redundant constraints, found by another method (body twists) than the rank itself. */
#include "biela/biela.h"
#include "support/testing.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *type;
    int forbids;
} kinds[] = {{"spherical", 3}, {"revolute", 5}, {"prismatic", 5}, {"cylindrical", 4},   {"universal", 4},     {"planar", 3},
             {"fixed", 6},     {"rod", 1},      {"screw", 5},     {"point_on_line", 2}, {"point_on_plane", 1}};
enum { NKIND = sizeof kinds / sizeof *kinds };

static size_t vector(test_random *random, char *text, size_t room) {
    return (size_t)snprintf(text, room, "[%.6f, %.6f, %.6f]", test_random_symmetric(random), test_random_symmetric(random),
                            test_random_symmetric(random));
}

static size_t write_joint(test_random *random, int number, int kind, int first, int second, char *text, size_t room) {
    char body[16] = "ground";
    if (first > 0)
        snprintf(body, sizeof body, "b%d", first);
    size_t used = (size_t)snprintf(text, room, "  - {name: j%d, type: %s, bodies: [%s, b%d], at: ", number, kinds[kind].type, body, second);
    used += vector(random, text + used, room - used);
    if (!strcmp(kinds[kind].type, "rod")) {
        used += (size_t)snprintf(text + used, room - used, ", to: ");
        used += vector(random, text + used, room - used);
    } else if (strcmp(kinds[kind].type, "spherical") && strcmp(kinds[kind].type, "fixed")) {
        used += (size_t)snprintf(text + used, room - used, ", axis: ");
        used += vector(random, text + used, room - used);
    }
    if (!strcmp(kinds[kind].type, "screw"))
        used += (size_t)snprintf(text + used, room - used, ", pitch: 0.3");
    return used + (size_t)snprintf(text + used, room - used, "%s}\n", test_random_below(random, 3) ? "" : ", cut: true");
}

/* loops = 0: a tree */
static void try_mechanism(test_random *random, int loops) {
    static char text[16384];
    int n = 1 + test_random_below(random, 6), count = 6 * n, joints = 0;
    size_t used = (size_t)snprintf(text, sizeof text, "gravity: [0, 0, -9.81]\nbodies:\n");
    for (int i = 1; i <= n; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "  - {name: b%d, mass: 1, inertia: [0.1, 0.2, 0.25], center: ", i);
        used += vector(random, text + used, sizeof text - used);
        used += (size_t)snprintf(text + used, sizeof text - used, "}\n");
    }
    used += (size_t)snprintf(text + used, sizeof text - used, "joints:\n");
    for (int i = 1; i <= n + loops; i++) {
        int kind = test_random_below(random, NKIND), second = i <= n ? i : 1 + test_random_below(random, n);
        int first = test_random_below(random, second);
        count -= kinds[kind].forbids;
        used += write_joint(random, ++joints, kind, first, second, text + used, sizeof text - used);
    }
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    bl_check_report report = {0};
    bl_run_options options = {.coordinates = test_random_below(random, 2) ? "natural" : "mixed"};
    if (bl_model_read_text(ctx, "random.yaml", text, used, NULL, 0, &model) != BL_OK || bl_check(ctx, model, &options, &report) != BL_OK)
        fail_msg("%s\n%s", bl_context_error(ctx)->what, text);
    if (report.mobility_count != count || report.idle != 0 || (loops == 0 && report.overconstraint != 0) ||
        report.mobility_rank != count + report.overconstraint || report.mobility_rank < 0)
        fail_msg("counted %d, told %d; by rank %d, overconstraint %d, idle %d\n%s", count, (int)report.mobility_count,
                 (int)report.mobility_rank, (int)report.overconstraint, (int)report.idle, text);
    bl_check_report_destroy(ctx, &report);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void mobility__of_random_trees_is_counted_right(void **state) {
    (void)state;
    test_random random = {test_seed(21)};
    for (int round = 0; round < 150; round++)
        try_mechanism(&random, 0);
}

static void mobility__of_random_loops_agrees_with_their_redundancy(void **state) {
    (void)state;
    test_random random = {test_seed(22)};
    for (int round = 0; round < 150; round++)
        try_mechanism(&random, 1 + test_random_below(&random, 3));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mobility__of_random_trees_is_counted_right),
        cmocka_unit_test(mobility__of_random_loops_agrees_with_their_redundancy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
