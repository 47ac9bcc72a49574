/* A driven chain of dyads keeps its structure if joints are doubled: all equations of the second joint follow from those of the first, so
 * it has no effect, and the construction is recovered. */
#include "base/base.h"
#include "biela/biela.h"
#include "support/testing.h"

#include <stdio.h>
#include <string.h>

typedef struct text {
    char at[16384];
    size_t used;
} text;

static void put(text *t, const char *format, ...) BL_PRINTF(2, 3);
static void put(text *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    t->used += (size_t)vsnprintf(t->at + t->used, sizeof t->at - t->used, format, args);
    va_end(args);
    assert_true(t->used < sizeof t->at);
}

static void put_dyads(text *t, uint64_t seed, int ndyad, bool doubled) {
    test_random random = {seed};
    text joints = {0};
    double at[32][2] = {{0, 0}, {0.4, 0.9}};
    put(t, "dimension: 2\nbodies:\n  - {name: l1, mass: 1, center: [0.2, 0.5], inertia: 1}\n");
    put(&joints, "  - {name: in, type: revolute, bodies: [ground, l1], at: [0, 0]}\n");
    for (int d = 0; d < ndyad; d++) { /* links l(2d+2) from an earlier link, l(2d+3) from ground */
        int from = 1 + test_random_below(&random, 2 * d + 1);
        double p[2] = {at[from][0] + 0.1 * test_random_symmetric(&random), at[from][1] + 0.1 * test_random_symmetric(&random)};
        double q[2] = {p[0] + 1 + 0.3 * test_random_symmetric(&random), p[1] + 0.5 + 0.3 * test_random_symmetric(&random)};
        double g[2] = {q[0] + 1 + 0.3 * test_random_symmetric(&random), q[1] - 1.5 + 0.3 * test_random_symmetric(&random)};
        int a = 2 * d + 2, b = 2 * d + 3;
        put(t, "  - {name: l%d, mass: 1, center: [%.17g, %.17g], inertia: 1}\n", a, (p[0] + q[0]) / 2, (p[1] + q[1]) / 2);
        put(t, "  - {name: l%d, mass: 1, center: [%.17g, %.17g], inertia: 1}\n", b, (g[0] + q[0]) / 2, (g[1] + q[1]) / 2);
        memcpy(at[a], q, sizeof q);
        memcpy(at[b], q, sizeof q);
        const double *pin[3] = {p, q, g};
        int first[3] = {from, a, 0}, second[3] = {a, b, b};
        for (int k = 0; k < 3; k++)
            for (int twice = 0; twice <= (doubled && test_random_below(&random, 3) == 0); twice++) {
                char ground[24] = "ground", name[24];
                snprintf(name, sizeof name, "l%d", first[k]);
                put(&joints, "  - {name: j%d_%d_%d, type: revolute, bodies: [%s, l%d], at: [%.17g, %.17g]}\n", d, k, twice,
                    first[k] ? name : ground, second[k], pin[k][0], pin[k][1]);
            }
    }
    put(t, "joints:\n%sdrivers: [{variable: in.angle, value: 0}]\n", joints.at);
}

static int redundant(const bl_structure_exceptions *found) {
    int amount = 0;
    for (bl_index i = 0; i < found->n; i++)
        amount += found->exception[i].kind == BL_EXCEPTION_REDUNDANT ? found->exception[i].amount : 0;
    return amount;
}

static void doubled_joints__do_not_change_the_groups(void **state) {
    (void)state;
    uint64_t seed = test_seed(8);
    for (int round = 0; round < 40; round++) {
        int ndyad = 1 + round % 6;
        text t = {0};
        bl_context *ctx = test_context(NULL);
        bl_model *model = NULL;
        bl_chain chain = {0};
        bl_structure_report report = {0};
        bl_structure_exceptions found = {0};
        put_dyads(&t, seed + (uint64_t)round, ndyad, true);
        assert_int_equal(bl_model_read_text(ctx, "test.yaml", t.at, t.used, NULL, 0, &model), BL_OK);
        assert_int_equal(bl_structure_of_model(ctx, model, NULL, &chain, &report, &found), BL_OK);
        int doubles = (int)chain.npair - (1 + 3 * ndyad);
        assert_int_equal(found.repeated, 2 * doubles);
        assert_int_equal(redundant(&found), 2 * doubles);
        assert_true(report.complete);
        assert_int_equal(report.ngroup, 1 + ndyad); /* the crank, and every dyad on its own */
        for (bl_index g = 1; g < report.ngroup; g++) {
            assert_string_equal(report.group[g].kind, "dyad");
            assert_string_equal(report.group[g].form, "RRR");
        }
        bl_structure_exceptions_destroy(ctx, &found);
        bl_structure_report_destroy(ctx, &report);
        bl_chain_destroy(ctx, &chain);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doubled_joints__do_not_change_the_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
