/* Products with K without K, its diagonal, and runs whose solver needs nothing else. */
#include "fem/fem.h"
#include "support/solid_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const bodies[] = {
    "dimension: 2\nmaterials: {m: {type: elastic, E: 1000, nu: 0.3, density: 2}}\n"
    "bodies: [{name: b, mesh: {rectangle: {to: [2, 1], n: [9, 5]}, element: quad4, distort: [0.2, 5]}, material: m, plane: strain}]\n"
    "supports: [{set: left, all: 0}, {set: right, y: 0}]\nloads: [{set: top, traction: [1, 0]}]\nprobes: {p: {at: [2, 1]}}\n",
    "dimension: 2\nmaterials: {m: {type: elastic, E: 1000, nu: 0.3, density: 2}}\n"
    "bodies: [{name: b, mesh: {rectangle: {to: [2, 1], n: [5, 3]}, element: quad8, distort: [0.2, 5]}, material: m, plane: stress,\n"
    "          bbar: false, mass: lumped}]\n"
    "supports: [{set: left, all: 0}, {set: right, y: 0}]\nloads: [{set: top, traction: [1, 0]}]\nprobes: {p: {at: [2, 1]}}\n",
    "dimension: 2\nmaterials: {m: {type: elastic, E: 1000, nu: 0.4, density: 2}}\n"
    "bodies: [{name: b, mesh: {rectangle: {to: [2, 1], n: [5, 3]}, element: quad4, distort: [0.2, 5]}, material: m,\n"
    "          plane: axisymmetric, bbar: true}]\n"
    "supports: [{set: left, all: 0}, {set: right, y: 0}]\nloads: [{set: top, traction: [1, 0]}]\nprobes: {p: {at: [2, 1]}}\n",
    "dimension: 3\nmaterials: {m: {type: elastic, E: 1000, nu: 0.3, density: 2}}\n"
    "bodies: [{name: b, mesh: {box: {to: [2, 1, 1], n: [5, 3, 3]}, element: hexa8, distort: [0.2, 5]}, material: m}]\n"
    "supports: [{set: left, all: 0}, {set: right, y: 0}]\nloads: [{set: top, traction: [1, 0, 0]}]\nprobes: {p: {at: [2, 1, 1]}}\n",
};
enum { BODIES = sizeof bodies / sizeof *bodies };

static void products__are_those_of_the_matrix(void **state) {
    (void)state;
    for (int b = 0; b < BODIES; b++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model;
        bl_system *with, *without;
        bl_eval one, other;
        bl_state at;
        memset(&one, 0, sizeof one);
        memset(&other, 0, sizeof other);
        assert_int_equal(bl_model_read_text(ctx, "body", bodies[b], strlen(bodies[b]), NULL, 0, &model), BL_OK);
        assert_int_equal(bl_fem_build(ctx, model, &with), BL_OK);
        assert_int_equal(bl_fem_build(ctx, model, &without), BL_OK);
        assert_int_equal(bl_state_create(with, 0, &at), BL_OK);
        assert_int_equal(bl_eval_create(with, BL_KC | BL_M, &one), BL_OK);
        assert_int_equal(bl_eval_create(without, BL_M, &other), BL_OK);
        bl_eval_at(&one, &at);
        bl_eval_at(&other, &at);
        size_t n = (size_t)with->nv;
        double *x = calloc(7 * n, sizeof *x), *y = x + 2 * n, *z = y + 2 * n, *d = z + 2 * n;
        test_random random = {23};
        for (size_t i = 0; i < 2 * n; i++)
            x[i] = test_random_symmetric(&random);
        assert_int_equal(bl_system_apply(with, &one, BL_OP_K, 2, x, y), BL_OK);
        assert_int_equal(bl_system_apply(without, &other, BL_OP_K, 2, x, z), BL_OK);
        assert_null(without->pat_K.ptr); /* nothing was made */
        double size = 0, apart = 0;
        for (size_t i = 0; i < 2 * n; i++) {
            size = fmax(size, fabs(y[i]));
            apart = fmax(apart, fabs(y[i] - z[i]));
        }
        assert_true(apart <= 1e-13 * size);
        assert_int_equal(without->kind->diagonal(without, &other, BL_OP_K, d), BL_OK);
        for (bl_index j = 0; j < with->nv; j++)
            for (bl_index k = with->pat_K.ptr[j]; k < with->pat_K.ptr[j + 1]; k++)
                if (with->pat_K.idx[k] == j)
                    assert_true(fabs(one.K[k] - d[j]) <= 1e-13 * d[j]);
        assert_int_equal(without->kind->diagonal(without, &other, BL_OP_M, d), BL_OK);
        double mass = 0;
        for (size_t i = 0; i < n; i++)
            mass += d[i];
        assert_true(mass > 0);
        free(x);
        bl_eval_destroy(with, &one);
        bl_eval_destroy(without, &other);
        bl_state_destroy(with, &at);
        bl_system_destroy(with);
        bl_system_destroy(without);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

static void motions__are_those_with_a_matrix(void **state) {
    (void)state;
    static const char *const integrators[] = {"newmark", "hht:0.1", "trapezoidal"};
    for (int b = 0; b < BODIES; b++)
        for (size_t k = 0; k < sizeof integrators / sizeof *integrators; k++) {
            static const char *const solvers[] = {"ldl", "cg:matrix=free,tolerance=1e-13", "minres:matrix=free,tolerance=1e-13"};
            double end[3][3];
            for (int s = 0; s < 3; s++) {
                solid_run run = {.options = {.until = 0.2, .step = 0.02, .every = 0.2, .integrator = integrators[k], .linsol = solvers[s]}};
                solid_run_text(&run, bodies[b]);
                for (int c = 0; c < 3; c++)
                    end[s][c] = solid_run_probe(&run, run.samples - 1, 0, c);
                solid_run_end(&run);
            }
            for (int c = 0; c < 3; c++)
                assert_true(fabs(end[1][c] - end[0][c]) <= 1e-10 && fabs(end[2][c] - end[0][c]) <= 1e-10);
        }
}

static void other_systems__are_refused_with_a_reason(void **state) {
    (void)state;
    static const char *const damped =
        "dimension: 2\nmaterials: {m: {type: elastic, E: 1000, nu: 0.3, density: 2}}\n"
        "bodies: [{name: b, mesh: {rectangle: {to: [2, 1], n: [5, 3]}, element: quad4}, material: m, plane: strain, damping: {mass: 1}}]\n"
        "supports: [{set: left, all: 0}]\nprobes: {p: {at: [2, 1]}}\n";
    solid_run run = {.options = {.until = 0.1, .step = 0.05, .integrator = "newmark", .linsol = "cg:matrix=free"}};
    assert_int_equal(solid_run_try(&run, damped), BL_E_ABILITY);
    assert_non_null(strstr(run.why, "damping"));
    solid_run_end(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products__are_those_of_the_matrix),
        cmocka_unit_test(motions__are_those_with_a_matrix),
        cmocka_unit_test(other_systems__are_refused_with_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
