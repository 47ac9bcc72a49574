/* Forces of drivers and gears as results of their own, against results by hand, in every kind of coordinates and formulation.
 *
 * A rod of length l and mass m, driven by angle(t) about its end, needs the moment m l^2/3 angle'' + m g (l/2) cos(angle). Its power is
 * positive where it does work on the mechanism; the integral of it is the gain of energy. */
#include "model/model.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const kinds[] = {"natural", "mixed", "reference", "reference:matrix", "reference:angles", "reference:view=tangent",
                                    "relative"};
static const char *const formulations[] = {"partition",   "partition:index=2", "lagrange", "null_space",
                                           "range_space", "matrix_r",          "ggl",      "index3"};
enum { NKIND = sizeof kinds / sizeof *kinds, NFORMULATION = sizeof formulations / sizeof *formulations };

typedef struct taken {
    bl_run_info info; /* its arrays live as long as the run */
    char driver[16];
    double ratio;
    int n;
    double t[64], force[64][2], power[64][2], relation[64], rate[64][2], energy[64], work[64];
} taken;

static bl_status begin(void *user, const bl_run_info *info) {
    taken *k = user;
    k->info = *info;
    snprintf(k->driver, sizeof k->driver, "%s", info->ndriver > 0 ? info->driver[0] : "");
    k->ratio = info->ngear > 0 ? info->gear_ratio[0] : 0;
    return BL_OK;
}

static bl_status sample(void *user, const bl_sample *s) {
    taken *k = user;
    assert_true(k->n < 64);
    k->t[k->n] = s->t;
    for (bl_index i = 0; i < k->info.ndriver; i++) {
        k->force[k->n][i] = s->driver_force[i];
        k->rate[k->n][i] = s->variable_rate[k->info.driver_variable[i]];
        k->power[k->n][i] = s->driver_force[i] * k->rate[k->n][i];
    }
    if (k->info.ngear > 0)
        k->relation[k->n] = s->relation_force[k->info.gear[0]];
    k->energy[k->n] = s->kinetic + s->potential;
    k->work[k->n++] = s->work;
    return BL_OK;
}

/* false: the combination is refused */
static bool run(bl_context *ctx, const char *text, const bl_run_options *options, taken *k) {
    bl_model *model;
    *k = (taken){0};
    bl_sink sink = {.user = k, .begin = begin, .sample = sample};
    if (bl_model_read_text(ctx, "model", text, strlen(text), NULL, 0, &model) != BL_OK)
        fail_msg("%s", bl_context_error(ctx)->what);
    bl_status status = bl_simulate(ctx, model, options, &sink, 1, NULL);
    bl_model_destroy(model);
    if (status == BL_E_ABILITY || status == BL_E_ARG)
        return false;
    if (status != BL_OK)
        fail_msg("%s, %s: %s", options->coordinates, options->formulation, bl_context_error(ctx)->what);
    return true;
}

#define FOR_ALL(way, dimension)                                                        \
    for (int c_ = 0; c_ < NKIND; c_++)                                                 \
        for (int f_ = 0; f_ < NFORMULATION; f_++)                                      \
            if (dimension == 3 || !strchr(kinds[c_], ':'))                             \
                for (bl_run_options *way = &(bl_run_options){.coordinates = kinds[c_], \
                                           .formulation = formulations[f_],            \
                                           .integrator = f_ >= 6 ? "ndf_auto" : NULL,  \
                                           .until = 1,                                 \
                                           .every = 1.0 / 16};                         \
                     way; way = NULL)

/* value 0.5 + t + 0.4 sin 3 t; the rod is along x where the angle is 0 */
static double angle(double t, int order) {
    return order == 0 ? 0.5 + t + 0.4 * sin(3 * t) : order == 1 ? 1 + 1.2 * cos(3 * t) : -3.6 * sin(3 * t);
}

static void driven_pendulum__needs_the_moment_by_hand(void **state) {
    (void)state;
    static const char plane[] = "dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: a, rod: {from: [0, 0], to: [0.8, 0]}, mass: 2}]\n"
                                "joints: [{name: J, type: revolute, bodies: [ground, a], at: [0, 0]}]\n"
                                "drivers: [{name: motor, variable: J.angle, value: =0.5+t+0.4*sin(3*t)}]\n";
    static const char space[] =
        "gravity: [0, 0, -9.81]\nbodies: [{name: a, rod: {from: [0, 0, 0], to: [0.8, 0, 0], axial: 0.01}, mass: 2}]\n"
        "joints: [{name: J, type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, -1, 0]}]\n"
        "drivers: [{name: motor, variable: J.angle, value: =0.5+t+0.4*sin(3*t)}]\n";
    bl_context *ctx = test_context(NULL);
    const double m = 2, l = 0.8, g = 9.81;
    int done = 0;
    for (int dim = 2; dim <= 3; dim++)
        FOR_ALL(way, dim) {
            taken k;
            if (!run(ctx, dim == 2 ? plane : space, way, &k))
                continue;
            done++;
            assert_int_equal(k.info.ndriver, 1);
            assert_string_equal(k.driver, "motor");
            for (int i = 0; i < k.n; i++) {
                double t = k.t[i], wanted = m * l * l / 3 * angle(t, 2) + m * g * l / 2 * cos(angle(t, 0));
                /* the motion is prescribed: methods that integrate it too (index 1 and 2, ggl, index3) have an error of the angle of one
                 * tolerance (1e-6), and of the moment of that times m g l */
                if (!(fabs(k.force[i][0] - wanted) <= 1e-6 * m * g * l))
                    fail_msg("%s, %s, t = %g: moment %.12g, by hand %.12g", way->coordinates, way->formulation, t, k.force[i][0], wanted);
                if (strcmp(way->formulation, "partition") == 0 && !(fabs(k.force[i][0] - wanted) <= 1e-10))
                    fail_msg("%s, %s, t = %g: moment %.15g, by hand %.15g", way->coordinates, way->formulation, t, k.force[i][0], wanted);
                /* likewise, of 2.2 rad/s; velocities of index 3 methods have an order less, and are not in the error norm */
                assert_true(fabs(k.rate[i][0] - angle(t, 1)) <= (strcmp(way->formulation, "index3") == 0 ? 1e-4 : 2.2e-6));
            }
            /* The work of the driver equals the gain of energy; power by Simpson's rule, 16 pieces: error (3/16)^4 / 180 of the amplitude
             * of the power at the third frequency, 20 W at most */
            double integral = 0;
            for (int i = 0; i < k.n; i++)
                integral += k.power[i][0] * (i == 0 || i == k.n - 1 ? 1 : i % 2 ? 4 : 2) / 48.0;
            assert_int_equal(k.n, 17);
            double gain = k.energy[16] - k.energy[0];
            assert_true(fabs(integral - gain) <= pow(3.0 / 16, 4) / 180 * 20);
            /* The work is accurate to a tolerance of the energy exchanged; ndf_auto does not control it: its steps, of a tenth of a second
             * at order 5, follow the angle to 1e-6, and the power, of twice the frequency, to 2^5 times that, in several steps. */
            if (!(fabs(k.work[16] - gain) <= (way->integrator ? 64 : 1) * 1e-6 * m * g * l))
                fail_msg("%s, %s: work %.9g, gain %.9g", way->coordinates, way->formulation, k.work[16], gain);
        }
    assert_true(done > 40);
    test_context_end(ctx);
}

/* Two wheels on fixed axes, second = -2 first: a moment T on the first, and the second held by a driver: the driver holds T / 2, since 0 =
 * T phi1' + D phi2' for every motion: D = T / 2. The gear transmits T (back) to the first and -D to the second. */
static void gear__passes_moments_by_its_ratio(void **state) {
    (void)state;
    static const char plane[] = "dimension: 2\nbodies:\n- {name: a, disc: {center: [0, 0], radius: 0.1}, mass: 1}\n"
                                "- {name: b, disc: {center: [1, 0], radius: 0.2}, mass: 3}\n"
                                "joints:\n- {name: A, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
                                "- {name: B, type: revolute, bodies: [ground, b], at: [1, 0]}\n"
                                "- {name: G, type: gear, first: A.angle, second: B.angle, ratio: -2}\n"
                                "forces: [{type: torque, body: a, torque: 5}]\n";
    static const char space[] = "bodies:\n- {name: a, cylinder: {from: [0, 0, 0], to: [0, 0, 0.1], radius: 0.1}, mass: 1}\n"
                                "- {name: b, cylinder: {from: [1, 0, 0], to: [1, 0, 0.1], radius: 0.2}, mass: 3}\n"
                                "joints:\n- {name: A, type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                                "- {name: B, type: revolute, bodies: [ground, b], at: [1, 0, 0], axis: [0, 0, 1]}\n"
                                "- {name: G, type: gear, first: A.angle, second: B.angle, ratio: -2}\n"
                                "forces: [{type: torque, body: a, torque: [0, 0, 5]}]\n";
    bl_context *ctx = test_context(NULL);
    const double Ia = 1 * 0.01 / 2, Ib = 3 * 0.04 / 2, T = 5, ratio = -2;
    for (int dim = 2; dim <= 3; dim++)
        FOR_ALL(way, dim) {
            char text[2000];
            taken k;
            /* held */
            snprintf(text, sizeof text, "%sdrivers: [{variable: B.angle, value: 0}]\n", dim == 2 ? plane : space);
            if (run(ctx, text, way, &k))
                for (int i = 0; i < k.n; i++) {
                    assert_int_equal(k.info.ngear, 1);
                    if (!(fabs(k.force[i][0] - T / 2) <= 1e-9) || !(fabs(k.relation[i] + T / 2) <= 1e-9))
                        fail_msg("%s, %s: driver %.15g, gear %.15g", way->coordinates, way->formulation, k.force[i][0], k.relation[i]);
                    assert_true(fabs(-k.ratio * k.relation[i] + T) <= 1e-9); /* on the first: it balances T */
                }
            /* free: a'' = T / (Ia + ratio^2 Ib), and the gear drives the second with Ib ratio a'' */
            if (run(ctx, dim == 2 ? plane : space, way, &k))
                for (int i = 0; i < k.n; i++) {
                    double wanted = Ib * ratio * T / (Ia + ratio * ratio * Ib);
                    /* partition satisfies the constraints; others have an error of a tolerance, times inertia and the square of 40 rad/s */
                    bool exact = strcmp(way->formulation, "partition") == 0;
                    if (!(fabs(k.relation[i] - wanted) <= (exact ? 1e-9 : 1e-6 * Ib * 40 * 40)))
                        fail_msg("%s, %s: gear %.15g, by hand %.15g", way->coordinates, way->formulation, k.relation[i], wanted);
                }
        }
    test_context_end(ctx);
}

/* A driven four-bar with a pendulum on its coupler: energies of 50 J. The work of the driver is in the error norm, so the balance of all
 * samples holds to ten tolerances of that, whatever the error of the slow pendulum motion. */
static void work_of_drivers__is_as_right_as_the_motion(void **state) {
    (void)state;
    static const char text[] = "dimension: 2\ngravity: [0, -9.81]\nbodies:\n"
                               "- {name: crank, rod: {from: [0, 0], to: [0.3, 0.2]}, mass: 1}\n"
                               "- {name: coupler, rod: {from: [0.3, 0.2], to: [1.2, 0.6]}, mass: 2}\n"
                               "- {name: rocker, rod: {from: [1.2, 0.6], to: [1, -0.2]}, mass: 1.5}\n"
                               "- {name: bob, rod: {from: [0.75, 0.4], to: [0.75, -0.4]}, mass: 1}\n"
                               "joints:\n- {name: A, type: revolute, bodies: [ground, crank], at: [0, 0]}\n"
                               "- {name: B, type: revolute, bodies: [crank, coupler], at: [0.3, 0.2]}\n"
                               "- {name: C, type: revolute, bodies: [coupler, rocker], at: [1.2, 0.6]}\n"
                               "- {name: D, type: revolute, bodies: [rocker, ground], at: [1, -0.2]}\n"
                               "- {name: P, type: revolute, bodies: [coupler, bob], at: [0.75, 0.4]}\n"
                               "drivers: [{variable: A.angle, value: \"=6*t + 0.5*sin(3*t)\"}]\n";
    bl_context *ctx = test_context(NULL);
    for (int c = 0; c < NKIND; c++)
        for (double tolerance = 1e-6; tolerance > 1e-9; tolerance *= 1e-2) {
            taken k;
            if (strchr(kinds[c], ':'))
                continue;
            bl_run_options way = {.coordinates = kinds[c], .until = 3, .every = 0.05, .tolerance = tolerance};
            assert_true(run(ctx, text, &way, &k));
            for (int i = 0; i < k.n; i++) {
                double off = k.energy[i] - k.energy[0] - k.work[i];
                if (!(fabs(off) <= 10 * tolerance * 50))
                    fail_msg("%s, %g: the balance is off by %.2g J at t = %g", kinds[c], tolerance, off, k.t[i]);
            }
        }
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(driven_pendulum__needs_the_moment_by_hand),
        cmocka_unit_test(gear__passes_moments_by_its_ratio),
        cmocka_unit_test(work_of_drivers__is_as_right_as_the_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
