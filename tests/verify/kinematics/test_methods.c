/* Driven mechanisms of many kinds: closed forms, Newton by groups and one Newton for all must agree to rounding; velocities and
 * accelerations are derivatives of the positions; and the simulation of the same driven model, which does not use groups, gives the same
 * motion. */
#include "support/driven.h"
#include "support/testing.h"

#include <math.h>
#include <string.h>

typedef struct driven_case {
    const char *name;
    double until, step; /* of the differences */
    bl_index ngroup, nclosed;
} driven_case;

static const driven_case cases[] = {
    {"four_bar", 2.3, 0.02, 2, 2},     {"slider_crank", 3, 0.02, 2, 2}, {"dyads", 2, 0.02, 7, 7},
    {"stephenson_two", 3, 0.02, 2, 1}, {"three_rrr", 3, 0.02, 4, 3},    {"tetrad", 3, 0.02, 2, 1},
    {"excavator", 6, 0.02, 4, 1},      {"pins", 7, 0.02, 6, 3},         {"spatial_slider_crank", 3, 0.02, 2, 0},
    {"robot_arm", 3, 0.01, 4, 0},      {"stewart", 3, 0.01, 1, 0},      {"rssr", 3, 0.02, 2, 0},
    {"bricard", 3, 0.02, 2, 0},        {"three_cranks", 3, 0.02, 3, 2},
};
enum { NCASE = sizeof cases / sizeof *cases, PLACES = 23 };

static void all_solvers__agree_and_rates_are_those_of_the_positions(void **state) {
    (void)state;
    for (int c = 0; c < NCASE; c++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model = driven_model(ctx, cases[c].name);
        bl_kinematics *k[DRIVEN_SOLVERS];
        for (int w = 0; w < DRIVEN_SOLVERS; w++)
            k[w] = driven_begin(ctx, model, driven_solver[w], false);
        bl_kinematics_summary summary = {0};
        bl_kinematics_summarize(k[0], &summary);
        assert_int_equal(summary.ngroup, cases[c].ngroup);
        assert_int_equal(summary.nclosed, cases[c].nclosed);
        driven_difference apart = {0}, differences = {0};
        for (int i = 1; i <= PLACES; i++) {
            double t = cases[c].until * i / PLACES;
            for (int w = 0; w < DRIVEN_SOLVERS; w++)
                driven_at(ctx, k[w], t, BL_ACCELERATIONS);
            for (int w = 1; w < DRIVEN_SOLVERS; w++)
                driven_compare(k[0], k[w], &apart);
            double drift, velocity_drift;
            bl_kinematics_drift(k[0], &drift, &velocity_drift);
            if (!(drift < 1e-12))
                fail_msg("%s at %g: drift %g", cases[c].name, t, drift);
            driven_differences(ctx, k[0], t, cases[c].step, &differences);
        }
        print_message("%-22s apart %.1e %.1e %.1e, differences %.1e %.1e\n", cases[c].name, apart.position, apart.velocity,
                      apart.acceleration, differences.velocity, differences.acceleration);
        assert_true(apart.position < 1e-12);
        assert_true(apart.velocity < 1e-11); /* the condition number of the configuration enters once more each */
        assert_true(apart.acceleration < 1e-10);
        /* h^6 and rounding / h */
        assert_true(differences.velocity < 1e-7);
        assert_true(differences.acceleration < 1e-7);
        for (int w = 0; w < DRIVEN_SOLVERS; w++)
            bl_kinematics_destroy(k[w]);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

/* ---- compared with the simulation */

typedef struct beside {
    bl_context *ctx;
    const char *name;
    bl_kinematics *k;
    const bl_model *model;
    double position, velocity, variable; /* largest differences */
    bl_index coupler;                    /* a link that may rotate about itself: left out; 0: none */
} beside;

static void wider(double *worst, double off) { *worst = off <= *worst ? *worst : off; }

static bl_status take_sample(void *user, const bl_sample *sample) {
    beside *b = user;
    driven_at(b->ctx, b->k, sample->t, BL_VELOCITIES);
    for (bl_index i = 1; i < b->model->nbody; i++) {
        const bl_body_motion *m = bl_kinematics_body(b->k, i);
        const bl_pose *pose = &sample->body[i - 1];
        for (int c = 0; c < 3; c++) {
            wider(&b->position, fabs(m->position[c] - pose->position[c]));
            wider(&b->velocity, fabs(m->velocity[c] - pose->velocity[c]));
            if (i != b->coupler)
                wider(&b->velocity, fabs(m->angular_velocity[c] - pose->angular_velocity[c]));
        }
    }
    for (bl_index v = 0; !b->coupler && v < b->model->nvariable; v++) { /* revolutions counted by both */
        double value[3];
        bl_kinematics_variable(b->k, v, value);
        wider(&b->variable, fabs(value[0] - sample->variable[v]));
        wider(&b->variable, fabs(value[1] - sample->variable_rate[v]));
    }
    return BL_OK;
}

static void simulation_of_the_driven_model__moves_alike(void **state) {
    (void)state;
    for (int c = 0; c < NCASE; c++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model = driven_model(ctx, cases[c].name);
        beside b = {.ctx = ctx, .name = cases[c].name, .model = model, .k = driven_begin(ctx, model, NULL, true)};
        b.coupler = strcmp(b.name, "rssr") == 0 ? 2 : 0;
        bl_sink sink = {.user = &b, .sample = take_sample};
        bl_run_options options = {.until = cases[c].until, .every = cases[c].until / 20, .tolerance = 1e-9};
        bl_status status = bl_simulate(ctx, model, &options, &sink, 1, NULL);
        if (status != BL_OK)
            fail_msg("%s: %s", b.name, bl_context_error(ctx)->what);
        print_message("%-22s beside the simulation: %.1e %.1e, variables %.1e\n", b.name, b.position, b.velocity, b.variable);
        assert_true(b.position < 1e-7);
        assert_true(b.velocity < 1e-6);
        assert_true(b.variable < 1e-6);
        bl_kinematics_destroy(b.k);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_solvers__agree_and_rates_are_those_of_the_positions),
                                       cmocka_unit_test(simulation_of_the_driven_model__moves_alike)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
