/* Mechanisms with constraints, motors and controllers in all formulations: the motor of studies K9 by its closed form, a controlled double
 * pendulum with a redundant equation on which all agree, cranks that pass singular configurations while a current flows. */
#include "support/motors.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* all that take constraints, with the options that change what they integrate */
static const char *const formulations[] = {"lagrange",
                                           "lagrange:mass=matrix",
                                           "partition",
                                           "partition:index=2",
                                           "partition:state=full",
                                           "partition:state=independent",
                                           "partition:dense=0",
                                           "partition:dense=0,state=independent",
                                           "partition:independent=qr",
                                           "partition:independent=svd",
                                           "index3",
                                           "ggl",
                                           "index2",
                                           "baumgarte",
                                           "projection",
                                           "projection:weight=identity",
                                           "projection:at=stage",
                                           "correction",
                                           "penalty",
                                           "auglag",
                                           "auglag:project=step",
                                           "auglag:project=stage",
                                           "ali3p",
                                           "matrix_r",
                                           "matrix_r:basis=qr",
                                           "matrix_r:basis=svd",
                                           "range_space",
                                           "null_space"};
enum { FORMULATIONS = sizeof formulations / sizeof *formulations };

static uint32_t gives(const char *formulation) { return bl_formulation_kind_of(formulation)->kind.gives; }

/* runs to t_end and leaves the simulation open; fails the test with the library's words */
static void run_to(motors_run *run, const motors *m, const bl_simulation_setup *setup) {
    motors_open(m, run);
    bl_status status = motors_begin(run, setup);
    if (status == BL_OK)
        status = motors_advance(run);
    if (status != BL_OK)
        fail_msg("%s, %s, %s: %s", m->name, setup->formulation, setup->integrator, bl_context_error(run->ctx)->what);
}

static double rate_of(const bl_state *s) { return s->q[0] * s->v[1] - s->q[1] * s->v[0]; }

/* ---- K9 */

static void closed_form__has_the_published_values(void **state) {
    (void)state;
    static const double known[][3] = {{0.05, 4.7331520066, 11.5580366575}, {1, 72.7758067629, 4.7632274936}};
    for (int k = 0; k < 2; k++) {
        double rate, current;
        motors_motion m;
        motors_exact(0.01, 0.01, known[k][0], &rate, &current);
        assert_true(fabs(rate - known[k][1]) < 6e-11 && fabs(current - known[k][2]) < 6e-11);
        motors_reference(&motors_shaft, known[k][0], 100000, &m);
        assert_true(fabs(m.q[0] * m.v[1] - m.q[1] * m.v[0] - rate) < 1e-10 && fabs(m.z[0] - current) < 1e-11);
    }
}

static void motor__follows_its_closed_form_in_every_formulation(void **state) {
    (void)state;
    for (int f = 0; f < FORMULATIONS; f++) {
        /* by the method of highest order that the formulation supports, and one without its rates */
        uint32_t can = gives(formulations[f]);
        const char *integrator = can & BL_CAN_RATE ? "dop853" : can & BL_CAN_STAGE ? "ndf_auto" : "series";
        double tolerance = can & BL_CAN_RATE ? 1e-11 : 1e-9;
        motors_run run;
        run_to(&run, &motors_shaft,
               &(bl_simulation_setup){.formulation = formulations[f], .integrator = integrator, .t_end = 1, .tolerance = tolerance});
        double rate, current, found = rate_of(&run.sim->state);
        motors_exact(0.01, 0.01, 1, &rate, &current);
        print_message("%s, %s: rate %.10f, current %.10f\n", formulations[f], integrator, found, run.sim->state.z[0]);
        double most = can & BL_CAN_STAGE && !(can & BL_CAN_RATE) ? 2e-6 : can & BL_COMPLIANT ? 3e-8 : 2e-9;
        assert_true(fabs(found - rate) < most * rate && fabs(run.sim->state.z[0] - current) < most * current);
        if (strstr(formulations[f], "independent")) /* the point turns: coordinates are exchanged, states stay behind them */
            assert_true(strstr(formulations[f], "state") == NULL || run.sim->form->stats.repartitions > 10);
        motors_close(&run);
    }
}

static bl_status keep_last(void *user, const bl_sample *sample) {
    double *last = user;
    const double *x = sample->variable, *v = sample->variable_rate;
    last[0] = x[0] * v[1] - x[1] * v[0];
    last[1] = x[2];
    return BL_OK;
}

/* what a user gets without asking for methods: explicit ones, and implicit ones where a coil without inductance makes them pay */
static void defaults__follow_the_motor(void **state) {
    (void)state;
    static const struct {
        const char *coil;
        double tolerance, most;
        bool stiff;
    } cases[] = {{"0.01", 1e-6, 3e-6, false}, {"0.01", 1e-9, 3e-9, false}, {"1e-6", 1e-6, 1e-4, true}};
    for (int k = 0; k < 3; k++) {
        char text[2048];
        bl_context *ctx = test_context(NULL);
        bl_model *model;
        bl_run_summary summary = {0};
        double last[2], rate, current;
        bl_sink sink = {.user = last, .sample = keep_last};
        const char *cut = strstr(motors_shaft.text, "/0.01}");
        snprintf(text, sizeof text, "%.*s/%s%s", (int)(cut - motors_shaft.text), motors_shaft.text, cases[k].coil, cut + 5);
        assert_int_equal(bl_model_read_text(ctx, "text.yaml", text, strlen(text), NULL, 0, &model), BL_OK);
        bl_run_options options = {.tolerance = cases[k].tolerance, .until = 1};
        bl_status status = bl_simulate(ctx, model, &options, &sink, 1, &summary);
        if (status != BL_OK)
            fail_msg("%s", bl_context_error(ctx)->what);
        motors_exact(0.01, strtod(cases[k].coil, NULL), 1, &rate, &current);
        print_message("coil %s: %ld steps, %ld evaluations, rate off by %.1e, current by %.1e\n", cases[k].coil, summary.steps,
                      summary.evaluations, last[0] - rate, last[1] - current);
        assert_true(fabs(last[0] - rate) < cases[k].most * rate && fabs(last[1] - current) < cases[k].most * current);
        /* explicit steps would be limited to 3 L / R */
        assert_true(!cases[k].stiff || summary.steps < 100000);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

/* a voltage that is switched at a time, and one that is reduced at a speed: events stop steps, and states go on from there */
static void switched_motor__follows_its_closed_form(void **state) {
    (void)state;
    static const struct {
        const char *voltage;
        double first, second, at; /* volts before and after the time; 0: when the rate is 40 */
    } cases[] = {{"(t <= 0.5 ? 12 : -12)", 12, -12, 0.5}, {"(speed < 40 ? 12 : 6)", 12, 6, 0}};
    for (int k = 0; k < 2; k++) {
        char text[2048];
        double rate = 0, current = 0, at = cases[k].at;
        for (double low = 0, high = 1; cases[k].at == 0 && high - low > 1e-16; high = rate < 40 ? high : at, low = rate < 40 ? at : low) {
            at = 0.5 * (low + high);
            rate = current = 0;
            motors_exact_from(12, at, &rate, &current);
        }
        rate = current = 0;
        motors_exact_from(cases[k].first, at, &rate, &current);
        motors_exact_from(cases[k].second, 1 - at, &rate, &current);
        const char *cut = strstr(motors_shaft.text, "rate: =(12 -"), *rest = strchr(cut, '}');
        snprintf(text, sizeof text, "%.*srate: '=(%s - i - 0.1*speed)/0.01'%s", (int)(cut - motors_shaft.text), motors_shaft.text,
                 cases[k].voltage, rest);
        motors m = motors_shaft;
        m.text = text;
        for (int f = 0; f < FORMULATIONS; f++) {
            uint32_t can = gives(formulations[f]);
            const char *const integrators[] = {"dopri45", "series", "radau", "ndf_auto"};
            for (int i = 0; i < 4; i++) {
                uint32_t needs = bl_integrator_kind_of(integrators[i])->kind.needs;
                bool stages = can & BL_CAN_STAGE && !(can & BL_CAN_RATE);
                if ((needs & ~can) || (i == 3 && !stages))
                    continue;
                motors_run run;
                run_to(&run, &m,
                       &(bl_simulation_setup){.formulation = formulations[f], .integrator = integrators[i], .t_end = 1, .tolerance = 1e-9});
                double most = stages ? 5e-6 : 3e-8;
                if (!(fabs(rate_of(&run.sim->state) - rate) < most * fabs(rate) &&
                      fabs(run.sim->state.z[0] - current) < most * fabs(current)))
                    fail_msg("%s, %s, %s: rate %.10g, should be %.10g, current %.10g, should be %.10g", cases[k].voltage, formulations[f],
                             integrators[i], rate_of(&run.sim->state), rate, run.sim->state.z[0], current);
                motors_close(&run);
            }
        }
    }
}

/* ---- the controlled double pendulum */

static void controlled_pendulum__is_the_same_in_every_formulation(void **state) {
    (void)state;
    motors_motion exact;
    double t_end = 2;
    motors_reference(&motors_pendulum, t_end, 200000, &exact);
    for (int f = 0; f < FORMULATIONS; f++) {
        uint32_t can = gives(formulations[f]);
        bool stages = can & BL_CAN_STAGE && !(can & BL_CAN_RATE);
        const char *const integrators[] = {"dop853", "radau", "series", "ndf_auto"};
        for (int k = 0; k < 4; k++) {
            uint32_t needs = bl_integrator_kind_of(integrators[k])->kind.needs;
            if ((needs & ~can) || (k == 3 && !stages))
                continue;
            motors_run run;
            run_to(&run, &motors_pendulum,
                   &(bl_simulation_setup){
                       .formulation = formulations[f], .integrator = integrators[k], .t_end = t_end, .tolerance = stages ? 1e-10 : 1e-12});
            motors_error e = motors_compare(&motors_pendulum, &exact, &run.sim->state);
            print_message("%s, %s: errors q %.1e, v %.1e, z %.1e\n", formulations[f], integrators[k], e.q, e.v, e.z);
            /* multistep errors add up; compliant constraints give way by the reciprocal of their penalty */
            double most = stages ? 2e-7 : can & BL_COMPLIANT ? 5e-9 : 5e-10;
            assert_true(e.q < most && e.v < most && e.z < most);
            assert_int_equal(run.sim->form->redundant, 1);
            motors_close(&run);
        }
    }
}

/* samples between steps are those of the motion, states included, and do not change it */
static void samples__show_states_and_change_nothing(void **state) {
    (void)state;
    for (int f = 0; f < FORMULATIONS; f++) {
        uint32_t can = gives(formulations[f]);
        bool stages = can & BL_CAN_STAGE && !(can & BL_CAN_RATE);
        const char *const integrators[] = {"dopri45", "series", "radau", "ndf_auto"};
        for (int k = 0; k < 4; k++) {
            uint32_t needs = bl_integrator_kind_of(integrators[k])->kind.needs;
            if ((needs & ~can) || (k == 3 && !stages))
                continue;
            bl_simulation_setup setup = {.formulation = formulations[f], .integrator = integrators[k], .t_end = 1, .tolerance = 1e-8};
            motors_run run, alone;
            motors_error worst = {0};
            run_to(&alone, &motors_pendulum, &setup);
            motors_open(&motors_pendulum, &run);
            assert_int_equal(motors_begin(&run, &setup), BL_OK);
            for (int i = 1; i <= 20;) {
                assert_int_equal(bl_simulation_advance(run.sim), BL_OK);
                for (; i <= 20 && 0.049 * i <= *run.sim->state.t; i++) {
                    const bl_state *now;
                    bl_sample sample;
                    motors_motion exact;
                    motors_reference(&motors_pendulum, 0.049 * i, 2000, &exact);
                    assert_int_equal(bl_simulation_state(run.sim, 0.049 * i, &now), BL_OK);
                    motors_error e = motors_compare(&motors_pendulum, &exact, now);
                    worst = (motors_error){fmax(worst.q, e.q), fmax(worst.v, e.v), fmax(worst.z, e.z)};
                    assert_int_equal(bl_simulation_sample(run.sim, 0.049 * i, &sample), BL_OK);
                    assert_true(fabs(sample.variable[4] - exact.z[0]) <= e.z + 1e-14);
                }
            }
            assert_int_equal(motors_advance(&run), BL_OK);
            print_message("%s, %s: samples off by q %.1e, v %.1e, z %.1e\n", formulations[f], integrators[k], worst.q, worst.v, worst.z);
            double most = stages ? 5e-5 : 2e-6; /* inside its steps radau has the order of its stages only */
            assert_true(worst.q < most && worst.v < most && worst.z < most);
            const bl_state *a = &run.sim->state, *b = &alone.sim->state;
            assert_memory_equal(a->q, b->q, 4 * sizeof(double));
            assert_memory_equal(a->v, b->v, 4 * sizeof(double));
            assert_memory_equal(a->z, b->z, 3 * sizeof(double));
            motors_close(&run);
            motors_close(&alone);
        }
    }
}

/* ---- through singular configurations */

static void cranks__pass_singular_configurations_with_a_current(void **state) {
    (void)state;
    long handovers = 0;
    for (int f = 0; f < FORMULATIONS; f++) {
        uint32_t can = gives(formulations[f]);
        bool stages = can & BL_CAN_STAGE && !(can & BL_CAN_RATE);
        const char *integrator = can & BL_CAN_RATE ? "dopri45" : stages ? "ndf_auto" : "series";
        motors_run run;
        run_to(&run, &motors_parallelogram,
               &(bl_simulation_setup){.formulation = formulations[f], .integrator = integrator, .t_end = 1, .tolerance = 1e-8});
        const bl_state *s = &run.sim->state;
        double rate, current, found = rate_of(s), apart = fmax(fabs(s->q[1] - s->q[3]), fabs(s->q[1] - s->q[5]));
        motors_exact(0.03, 0.01, 1, &rate, &current);
        print_message("%s, %s: rate off by %.1e, current by %.1e, cranks apart by %.1e, %ld handovers\n", formulations[f], integrator,
                      found - rate, s->z[0] - current, apart, run.sim->singular.handovers);
        double most = stages || strstr(formulations[f], "auglag:project=stage") ? 5e-6 : 2e-8;
        assert_true(fabs(found - rate) < most * rate && fabs(s->z[0] - current) < most * current);
        assert_true(apart < 1e-8);
        handovers += run.sim->singular.handovers;
        motors_close(&run);
    }
    assert_true(handovers > 0); /* the state went to another formulation and back */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_form__has_the_published_values),
        cmocka_unit_test(motor__follows_its_closed_form_in_every_formulation),
        cmocka_unit_test(defaults__follow_the_motor),
        cmocka_unit_test(switched_motor__follows_its_closed_form),
        cmocka_unit_test(controlled_pendulum__is_the_same_in_every_formulation),
        cmocka_unit_test(samples__show_states_and_change_nothing),
        cmocka_unit_test(cranks__pass_singular_configurations_with_a_current),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
