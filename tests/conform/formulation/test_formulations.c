/* Every formulation that provides a rate with every explicit integrator of fixed order: the same motion, with its order; states can be
 * stored and restored, counters count. */
#include "support/motion.h"
#include "support/testing.h"

#include <math.h>
#include <string.h>

/* a damped double pendulum with a redundant row, short enough not to be chaotic */
static test_points subject(void) {
    test_points def = test_double_pendulum();
    def.damping = 0.5;
    test_add_row(&def, (test_row){.what = ROW_DISTANCE, .a = 0, .b = 1, .factor = 2});
    return def;
}

static void end_of(const char *formulation, const char *integrator, double h, double *q) {
    bl_context *ctx = test_context(NULL);
    test_points def = subject();
    test_motion motion;
    bl_simulation_setup setup = {.formulation = formulation, .integrator = integrator, .t_end = 1, .step = h, .h_max = h, .tolerance = 1e6};
    test_motion_begin(&motion, ctx, &def, &setup);
    test_motion_run(&motion, 0.25, NULL, NULL);
    memcpy(q, motion.sim->state.q, 4 * sizeof *q);
    bl_run_summary summary = {0};
    bl_simulation_summary(motion.sim, &summary);
    assert_true(summary.evaluations >= summary.steps);
    assert_true(summary.solves > 0 && summary.factorizations > 0);
    assert_int_equal(motion.sim->form->dof, 2);
    assert_int_equal(motion.sim->form->redundant, 1);
    test_motion_end(&motion);
    test_context_end(ctx);
}

static double distance(const double *a, const double *b) {
    double largest = 0;
    for (int i = 0; i < 4; i++)
        largest = fmax(largest, fabs(a[i] - b[i]));
    return largest;
}

static void combinations__converge_to_one_motion_at_their_order(void **state) {
    (void)state;
    double exact[4];
    end_of("lagrange", "dopri45", 0.002, exact);
    for (size_t f = 0; f < bl_formulation_kind_count; f++)
        for (size_t k = 0; k < bl_integrator_kind_count; k++) {
            bool rates = (bl_formulation_kinds[f]->kind.gives & BL_CAN_RATE) && bl_formulation_kinds[f]->index > 0;
            bool fixed = (bl_integrator_kinds[k]->kind.needs & BL_CAN_RATE) && !(bl_integrator_kinds[k]->kind.gives & BL_VARIABLE_ORDER);
            bool fit = !(bl_integrator_kinds[k]->kind.needs & ~bl_formulation_kinds[f]->kind.gives);
            if (!rates || !fixed || !fit)
                continue;
            const char *formulation = bl_formulation_kinds[f]->kind.name, *integrator = bl_integrator_kinds[k]->kind.name;
            double coarse[4], fine[4];
            double h = bl_integrator_kinds[k] == &bl_integrator_moreau ? 0.01 : 0.02; /* one evaluation in the middle: shorter steps */
            end_of(formulation, integrator, h, coarse);
            end_of(formulation, integrator, h / 2, fine);
            double order = log2(distance(coarse, exact) / distance(fine, exact));
            print_message("%s, %s: error %.1e, order %.2f\n", formulation, integrator, distance(fine, exact), order);
            assert_true(distance(fine, exact) < 1e-4);
            if (bl_integrator_kinds[k]->kind.gives & BL_VARIABLE_ORDER)
                continue; /* starts with order 1 */
            /* above rounding, the error of `exact`, and the compliance of penalties */
            double floor = bl_formulation_kinds[f]->kind.gives & BL_COMPLIANT ? 1e-6 : 3e-12;
            if (distance(fine, exact) > floor)
                assert_true(order > bl_integrator_kinds[k]->order - 0.6);
        }
}

static void states__survive_the_way_to_y_and_back(void **state) {
    (void)state;
    for (size_t f = 0; f < bl_formulation_kind_count; f++) {
        if (bl_formulation_kinds[f]->index == 0 || !(bl_formulation_kinds[f]->kind.gives & BL_CAN_RATE))
            continue;
        bl_context *ctx = test_context(NULL);
        test_points def = subject();
        bl_system *sys;
        bl_state start, back;
        bl_formulation *form;
        assert_int_equal(test_points_create(ctx, &def, &sys, &start), BL_OK);
        assert_int_equal(bl_state_create(sys, 0, &back), BL_OK);
        assert_int_equal(bl_formulation_create(sys, bl_formulation_kinds[f]->kind.name, NULL, NULL, &form), BL_OK);
        assert_int_equal(form->kind->setup(form, &start), BL_OK);
        start.v[1] = 0.3; /* along the constraints */
        start.v[3] = -0.7;
        *start.work = 1.25;
        double *y = test_malloc((size_t)form->ny * sizeof *y), *rate = test_malloc((size_t)form->ny * sizeof *rate);
        assert_int_equal(form->kind->to_y(form, &start, y), BL_OK);
        assert_int_equal(form->kind->rate(form, 0, y, rate), BL_OK);
        assert_int_equal(form->kind->from_y(form, 0, y, &back), BL_OK);
        for (int i = 0; i < 4; i++) {
            assert_float_equal(back.q[i], start.q[i], 1e-15);
            assert_float_equal(back.v[i], start.v[i], 1e-15);
        }
        assert_true(*back.work == 1.25);
        /* the same state gives the same rate, whatever was evaluated in between */
        double *other = test_malloc((size_t)form->ny * sizeof *other), *again = test_malloc((size_t)form->ny * sizeof *again);
        memcpy(other, y, (size_t)form->ny * sizeof *y);
        other[1] += 1e-3;
        assert_int_equal(form->kind->rate(form, 0.1, other, again), BL_OK);
        assert_int_equal(form->kind->rate(form, 0, y, again), BL_OK);
        assert_memory_equal(rate, again, (size_t)form->ny * sizeof *rate);
        test_free(y);
        test_free(rate);
        test_free(other);
        test_free(again);
        bl_formulation_destroy(form);
        bl_state_destroy(sys, &start);
        bl_state_destroy(sys, &back);
        bl_system_destroy(sys);
        test_context_end(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(combinations__converge_to_one_motion_at_their_order),
        cmocka_unit_test(states__survive_the_way_to_y_and_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
