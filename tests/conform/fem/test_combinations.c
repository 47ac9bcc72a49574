/* A sample of the table of all combinations of meshes (tests/long/test_combinations.c runs all of it): cells drawn by a seed, each of which
 * runs and agrees with the other methods of its problem, or is refused with a reason. BIELA_SEED draws others. */
#include "support/combinations.h"

#include <stdio.h>
#include <string.h>

enum { PROBLEMS = 16, CELLS = 4 };

static void fail_cell(const combination *c, int method, int jacobian, const char *why) {
    char name[200], text[3000];
    combination_name(c, name, sizeof name);
    combination_model(c, method, jacobian, text, sizeof text);
    fail_msg("%s, %s, jacobian %s: %s\n`biela %s` on\n%s", name, combination_method_name(method), combination_jacobian_name(jacobian), why,
             strcmp(combination_method_name(method), "equilibrium") ? "run" : "equilibrium", text);
}

/* the next drawn combination that the model accepts; refusals must have a reason */
static void draw(test_random *random, combination_problem *p) {
    for (;;) {
        combination c = combination_at((long)(test_random_bits(random) % (uint64_t)combination_count()));
        bl_status status = combination_open(p, &c);
        if (status == BL_OK)
            return;
        if ((status != BL_E_MODEL && status != BL_E_ABILITY) || !p->why[0])
            fail_cell(&c, 0, 0, "refused without words");
        combination_close(p);
    }
}

static void drawn_cells__run_or_are_refused_with_a_reason(void **state) {
    (void)state;
    test_random random = {test_seed(1)};
    long runs = 0, refused = 0;
    for (int n = 0; n < PROBLEMS; n++) {
        combination_problem p;
        char why[512];
        draw(&random, &p);
        if (!combination_reference(&p))
            fail_cell(&p.c, 0, 0, p.why);
        for (int k = 0; k < CELLS; k++) {
            int method = test_random_below(&random, combination_methods());
            int jacobian = method < combination_methods() - 1 ? test_random_below(&random, COMBINATION_JACOBIANS) : 0;
            for (int j = 0; j <= jacobian; j += jacobian > 1 ? jacobian : 1) { /* also the first one, for comparison */
                combination_result result = combination_cell(&p, method, j, why, sizeof why, NULL);
                if (result == COMBINATION_WRONG || (result == COMBINATION_REFUSED && !why[0]))
                    fail_cell(&p.c, method, j, why);
                runs += result == COMBINATION_RUNS;
                refused += result == COMBINATION_REFUSED;
            }
        }
        combination_close(&p);
    }
    print_message("%ld cells ran, %ld were refused\n", runs, refused);
    assert_true(runs > PROBLEMS);
}

static void jacobians__are_the_same_matrix(void **state) {
    (void)state;
    test_random random = {test_seed(2)};
    for (int n = 0; n < 2 * PROBLEMS; n++) {
        combination_problem p;
        char why[512];
        draw(&random, &p);
        if (!combination_tangents(&p, combination_consistent(&p.c), why, sizeof why))
            fail_cell(&p.c, 0, 0, why);
        combination_close(&p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drawn_cells__run_or_are_refused_with_a_reason),
        cmocka_unit_test(jacobians__are_the_same_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
