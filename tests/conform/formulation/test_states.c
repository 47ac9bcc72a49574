/* Every formulation with every integrator on mechanisms with constraints and first-order states: combinations run or are refused with a
 * reason; those that run converge to the motion in minimal coordinates, states included, at the order of the method. */
#include "support/motors.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *spec_of(const bl_integrator_kind *kind) {
    return kind == &bl_integrator_multistep ? "multistep:a=1/2;-2;3/2,b=0;0;1" : kind->kind.name;
}

/* kinds that choose their steps, or their order, themselves */
static bool chooses(const bl_integrator_kind *kind) {
    return (kind->kind.gives & BL_VARIABLE_ORDER) || (kind->kind.needs & BL_CAN_COEFFICIENT);
}

/* the error at the end of a run with equal steps; false: refused, with the message in why */
static bool errors_with(const motors *m, const motors_motion *exact, const char *formulation, const bl_integrator_kind *kind, double t_end,
                        double h, motors_error *error, int *order, char why[512]) {
    motors_run run;
    bl_simulation_setup setup = {
        .formulation = formulation, .integrator = spec_of(kind), .t_end = t_end, .step = h, .h_max = h, .tolerance = 1e6};
    if (chooses(kind)) /* h is a tolerance */
        setup = (bl_simulation_setup){.formulation = formulation, .integrator = spec_of(kind), .t_end = t_end, .tolerance = h};
    motors_open(m, &run);
    bl_status status = motors_begin(&run, &setup);
    if (status == BL_OK) {
        status = motors_advance(&run);
        if (status != BL_OK)
            fail_msg("%s, %s: t = %g: %s", formulation, setup.integrator, *run.sim->state.t, bl_context_error(run.ctx)->what);
        *error = motors_compare(m, exact, &run.sim->state);
        *order = run.sim->integ->order;
    } else {
        assert_int_equal(status, BL_E_ABILITY);
        snprintf(why, 512, "%s", bl_context_error(run.ctx)->what);
        assert_true(bl_context_error(run.ctx)->advice[0]);
    }
    motors_close(&run);
    return status == BL_OK;
}

static double order_of(double coarse, double fine, double floor, double least) { return fine > floor ? log2(coarse / fine) : least; }

/* errors with steps, or tolerances, of which the second is smaller */
static void expect_order(const bl_formulation_kind *formulation, const bl_integrator_kind *kind, bool constrained, motors_error coarse,
                         motors_error fine, int order) {
    const char *name[] = {formulation->kind.name, kind->kind.name};
    if (chooses(kind)) {
        print_message("%s, %s: errors q %.1e, v %.1e, z %.1e\n", name[0], name[1], fine.q, fine.v, fine.z);
        assert_true(fine.q < 1e-6 && fine.v < 1e-6 && fine.z < 1e-6);
        return;
    }
    /* above rounding, and what penalties are compliant */
    double floor = formulation->kind.gives & BL_COMPLIANT ? 1e-9 : 1e-11, least = order - 0.6;
    double of_q = order_of(coarse.q, fine.q, floor, least), of_v = order_of(coarse.v, fine.v, floor, least),
           of_z = order_of(coarse.z, fine.z, floor, least);
    print_message("%s, %s: errors q %.1e, v %.1e, z %.1e, orders %.2f, %.2f, %.2f of %d\n", name[0], name[1], fine.q, fine.v, fine.z, of_q,
                  of_v, of_z, order);
    assert_true(fine.q < 1e-3 && fine.v < 2e-3 && fine.z < 3e-3);
    /* index 3 reduces methods that look ahead to order 2, and less where signs change, with states or without */
    bool reduced = constrained && formulation->index == 3 && !(formulation->kind.gives & BL_CAN_RATE) && order > 2;
    if (!reduced)
        assert_true(of_q >= least && of_v >= least && of_z >= least);
}

/* Runs all formulations with all integrators; counts those that run. refused: judges the others. */
static int expect_orders(const motors *m, bool constrained,
                         void (*refused)(const bl_formulation_kind *, const bl_integrator_kind *, const char *why)) {
    motors_motion exact;
    double t_end = 0.5;
    int runs = 0;
    motors_reference(m, t_end, 20000, &exact);
    for (size_t f = 0; f < bl_formulation_kind_count; f++)
        for (size_t k = 0; k < bl_integrator_kind_count; k++) {
            const bl_formulation_kind *formulation = bl_formulation_kinds[f];
            const bl_integrator_kind *kind = bl_integrator_kinds[k];
            const char *name = formulation->kind.name;
            motors_error coarse, fine;
            int order;
            char why[512];
            if (constrained && formulation->index == 0)
                continue; /* they refuse constraints, whatever the states */
            if (!errors_with(m, &exact, name, kind, t_end, chooses(kind) ? 1e-5 : 0.01, &coarse, &order, why)) {
                refused(formulation, kind, why);
                continue;
            }
            runs++;
            assert_true(errors_with(m, &exact, name, kind, t_end, chooses(kind) ? 1e-8 : 0.005, &fine, &order, why));
            expect_order(formulation, kind, constrained, coarse, fine, order);
        }
    print_message("%d combinations run\n", runs);
    return runs;
}

static void never_for_states(const bl_formulation_kind *formulation, const bl_integrator_kind *kind, const char *why) {
    if (strstr(why, "state") && kind != &bl_integrator_edmc2)
        fail_msg("%s, %s: %s", formulation->kind.name, kind->kind.name, why);
}

static void combinations__converge_with_states_and_constraints(void **state) {
    (void)state;
    assert_true(expect_orders(&motors_pendulum, true, never_for_states) >= 340);
    assert_true(expect_orders(&motors_bead, true, never_for_states) >= 340);
}

static void combinations__converge_with_states_alone(void **state) {
    (void)state;
    assert_true(expect_orders(&motors_coil, false, never_for_states) >= 390);
    assert_true(expect_orders(&motors_angles, false, never_for_states) >= 385);
}

static void by_name(const bl_formulation_kind *formulation, const bl_integrator_kind *kind, const char *why) {
    bool fits = !(kind->kind.needs & ~formulation->kind.gives), rates = formulation->residual == bl_rate_stage_residual;
    if (fits && rates && !(kind->kind.gives & BL_SECOND_ORDER) && !strstr(why, "algebraic state: i"))
        fail_msg("%s, %s: %s", formulation->kind.name, kind->kind.name, why);
}

/* Rates do not determine algebraic states: refused by name. Stages do. */
static void algebraic_states__converge_or_are_refused_by_name(void **state) {
    (void)state;
    assert_true(expect_orders(&motors_algebraic, true, by_name) >= 80);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(combinations__converge_with_states_and_constraints),
                                       cmocka_unit_test(combinations__converge_with_states_alone),
                                       cmocka_unit_test(algebraic_states__converge_or_are_refused_by_name)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
