/* Laws that read declared reactions: facts by hand. The integral of the reaction of a body's only joint, with gravity, is its momentum; a
 * force in proportion to a reaction that it changes itself is solved for, R = m g / (1 - k). */
#include "support/every_way.h"
#include "support/signals.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const coordinates[] = {"natural", "mixed", "reference", "relative"};

/* states: impulse of the bearing along x and y, and the force of a load cell with the time constant 1e-3 s */
static void impulses__are_the_momentum(void **unused) {
    (void)unused;
    static const char *const formulations[] = {"partition", "lagrange", "projection", "baumgarte", "matrix_r", "null_space"};
    static const char *const integrators[] = {"dopri45", "dop853", "abm", "radau"};
    for (size_t c = 0; c < 4; c++)
        for (size_t f = 0; f < sizeof formulations / sizeof *formulations; f++) {
            const char *integrator = integrators[(c + f) % 4];
            test_signal_run run = {
                .text = "dimension: 2\ngravity: [0, -9.81]\nreactions: [A.fx, A.fy]\nstates:\n"
                        "  - {name: px, start: 0, rate: =reaction.A.fx}\n  - {name: py, start: 0, rate: '=reaction.A.fy - 2*9.81'}\n"
                        "  - {name: cell, start: 4.905, rate: '=(reaction.A.fy - cell)/1e-3'}\n"
                        "bodies: [{name: rod, rod: {from: [0, 0], to: [1, 0]}, mass: 2}]\n"
                        "joints: [{name: A, type: revolute, bodies: [ground, rod], at: [0, 0]}]\nprobes: {C: {body: rod, at: [0.5, 0]}}\n",
                .coordinates = coordinates[c],
                .formulation = formulations[f],
                .integrator = integrator,
                .tolerance = 1e-10,
                .name = {"px", "py", "A.angle", "A.angle_rate", "cell"},
                .at = {0.3, 0.7, 1.1},
                .nat = 3};
            test_signal_expect(&run);
            for (int i = 0; i < 3; i++) {
                const double *x = run.value[i];
                test_signal_near(&run, i, 0, -2 * 0.5 * sin(x[2]) * x[3], 1e-7);
                test_signal_near(&run, i, 1, 2 * 0.5 * cos(x[2]) * x[3], 1e-7);
                /* R_y = m g + m y'', y = sin(a)/2, a'' = -3/2 g cos(a); the cell lags by some 1e-3 of its rate */
                double acceleration = -1.5 * 9.81 * cos(x[2]);
                test_signal_near(&run, i, 4, 2 * (9.81 + 0.5 * (cos(x[2]) * acceleration - sin(x[2]) * x[3] * x[3])), 0.3);
            }
        }
}

/* a slider on a rail: R - k R = m g, pulled by 0.1 R */
static void check_loop(const test_ending *e, void *user) {
    double k = *(const double *)user, R = 3 * 9.81 / (1 - k), a = 0.1 * R / 3;
    test_close(e, "the distance", e->variable[0], a * e->t * e->t / 2, 1e-9 * fabs(a));
    test_close(e, "the rate", e->rate[0], a * e->t, 1e-9 * fabs(a));
    test_close(e, "the reaction", e->reaction[0].force[1], R, 1e-8 * fabs(R));
    test_close(e, "the energy error", e->energy_error, 0, 1e-7 * R * R);
    test_no_warning(e);
}

static void forces_that_change_their_reaction__are_solved_for(void **unused) {
    (void)unused;
    static const double gains[] = {0, 0.5, -2, 0.9, 3};
    for (size_t i = 0; i < sizeof gains / sizeof *gains; i++) {
        char text[512];
        double k = gains[i];
        snprintf(text, sizeof text,
                 "dimension: 2\ngravity: [0, -9.81]\nreactions: [j.fy]\nbodies: [{name: a, mass: 3, center: [0, 0], inertia: 1}]\n"
                 "joints: [{name: j, type: prismatic, bodies: [ground, a], at: [0, 0], axis: [1, 0]}]\n"
                 "forces: [{type: force, body: a, at: [0, 0], force: [=0.1*reaction.j.fy, '=%g*reaction.j.fy']}]\n",
                 -k);
        test_every_way(text, &(bl_run_options){.until = 0.5, .tolerance = 1e-9}, NULL, check_loop, &k);
    }
}

/* moments in space: a beam on a spindle, whose bending moment a state integrates */
static void moments_in_space__have_their_axes(void **unused) {
    (void)unused;
    for (size_t c = 0; c < 4; c++) {
        test_signal_run run = {
            .text = "gravity: [0, 0, -9.81]\nreactions: [A.mx, A.my, A.fz]\nstates:\n  - {name: lx, start: 0, rate: =reaction.A.mx}\n"
                    "  - {name: ly, start: 0, rate: =reaction.A.my}\n  - {name: pz, start: 0, rate: =reaction.A.fz}\n"
                    "bodies: [{name: rod, mass: 2, center: [0.5, 0, 0], inertia: [0.01, 0.3, 0.3]}]\n"
                    "joints: [{name: A, type: revolute, bodies: [ground, rod], at: [0, 0, 0], axis: [0, 0, 1]}]\n"
                    "initial: {A.rate: 2}\n",
            .coordinates = coordinates[c],
            .tolerance = 1e-10,
            .name = {"lx", "ly", "pz"},
            .at = {0.4, 1.3},
            .nat = 2};
        test_signal_expect(&run);
        for (int i = 0; i < 2; i++) { /* about the origin: M = (y, -x) m g of the center at (cos, sin)/2, 2 t rad */
            double t = run.at[i], load = 2 * 9.81 * 0.5;
            test_signal_near(&run, i, 0, load * (1 - cos(2 * t)) / 2, 1e-7);
            test_signal_near(&run, i, 1, -load * sin(2 * t) / 2, 1e-7);
            test_signal_near(&run, i, 2, 2 * 9.81 * t, 1e-7);
        }
    }
}

#define RAIL                                                                   \
    "dimension: 2\nbodies: [{name: a, mass: 3, center: [0, 0], inertia: 1}]\n" \
    "joints: [{name: j, type: prismatic, bodies: [ground, a], at: [0, 0], axis: [1, 0]}]\n"

static void wrong_uses__are_refused(void **unused) {
    (void)unused;
    test_refused(RAIL "forces: [{type: force, body: a, at: [0, 0], force: [=~reaction.j.fy, 0]}]\n", "is not declared",
                 "reactions: [j.fy]");
    test_refused(RAIL "reactions: [~j.fz]\n", "no reaction 'j.fz'", "fx, fy or mz");
    test_refused(RAIL "reactions: [~k.fx]\n", "no reaction 'k.fx'", NULL);
    test_refused(RAIL "reactions: [j.fx, ~j.fx]\n", "listed twice", NULL);
    test_refused(RAIL "reactions: [j.fy]\nheld: {n: 0}\nevents: [{when: ~reaction.j.fy - 1, set: {n: 1}}]\n", "cannot be used here",
                 "filter");
    test_refused(RAIL "reactions: [j.fy]\ndrivers: [{variable: j.distance, value: =~reaction.j.fy}]\n", "cannot be used here", NULL);
    test_signal_run run = {.text = RAIL "gravity: [0, -9.81]\nreactions: [j.fy]\n"
                                        "forces: [{type: force, body: a, at: [0, 0], force: [=reaction.j.fy, 0]}]\n",
                           .formulation = "index3",
                           .integrator = "hht",
                           .step = 1e-3,
                           .name = {"j.distance"},
                           .at = {0.1},
                           .nat = 1};
    assert_int_equal(test_signal_execute(&run), BL_E_ABILITY);
    assert_non_null(strstr(run.message, "a law of its reaction"));
    /* R = m g + R: no solution */
    run = (test_signal_run){.text = RAIL "gravity: [0, -9.81]\nreactions: [j.fy]\n"
                                         "forces: [{type: force, body: a, at: [0, 0], force: [0, =-reaction.j.fy]}]\n",
                            .name = {"j.distance"},
                            .at = {0.1},
                            .nat = 1};
    assert_int_equal(test_signal_execute(&run), BL_E_NUMERIC);
    assert_non_null(strstr(run.message, "raises the reaction"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impulses__are_the_momentum),
        cmocka_unit_test(forces_that_change_their_reaction__are_solved_for),
        cmocka_unit_test(moments_in_space__have_their_axes),
        cmocka_unit_test(wrong_uses__are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
