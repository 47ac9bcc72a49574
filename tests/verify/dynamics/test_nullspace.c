/* Redundant orientation parameters eliminated beforehand, body by body, by the null space of their rows: the published scheme of central
 * differences with its digits and errors, and the same motion with and without the reduction, with it and with implicit methods. */
#include "integrate/integrate.h"
#include "support/scene.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const coordinates[] = {"reference", "reference:matrix"};
static const char *const reduce[] = {"index3:reduce=none", "index3:reduce=nullspace"};
static const char *const stabilized[] = {"ggl:reduce=none", "ggl:reduce=nullspace"};

/* IFToMM A01 in space: no inertia at all, but the only degree of freedom moves the mass */
static const char pendulum[] = "model: Simple pendulum\n"
                               "gravity: [0, -9.81, 0]\n"
                               "bodies: [{name: bob, mass: 1, center: [-1, 0, 0], inertia: [0, 0, 0]}]\n"
                               "joints: [{name: pivot, type: revolute, bodies: [ground, bob], at: [0, 0, 0], axis: [0, 0, 1]}]\n"
                               "probes: {P: {body: bob, at: [-1, 0, 0]}}\n";

enum { MOST_BODIES = 5, PER_BODY = 7, MOST_SAMPLES = 32 };

typedef struct record {
    int n, nbody;
    double t[MOST_SAMPLES], probe[MOST_SAMPLES][3], pose[MOST_SAMPLES][MOST_BODIES * PER_BODY];
    bl_run_summary summary;
    double force[MOST_SAMPLES][3]; /* of the first joint */
    int full, reduced;             /* unknowns, from the log; 0: not logged */
    bool nothing;                  /* it was logged */
} record;

static bl_status on_begin(void *user, const bl_run_info *info) {
    record *r = user;
    r->nbody = info->nbody;
    assert_true(r->nbody <= MOST_BODIES);
    return BL_OK;
}

static bl_status on_sample(void *user, const bl_sample *sample) {
    record *r = user;
    assert_true(r->n < MOST_SAMPLES);
    r->t[r->n] = sample->t;
    if (sample->probe)
        memcpy(r->probe[r->n], sample->probe, sizeof r->probe[0]);
    if (sample->reaction)
        memcpy(r->force[r->n], sample->reaction[0].force, sizeof r->force[0]);
    for (int b = 0; b < r->nbody; b++) {
        memcpy(r->pose[r->n] + PER_BODY * b, sample->body[b].position, 3 * sizeof(double));
        memcpy(r->pose[r->n] + PER_BODY * b + 3, sample->body[b].quaternion, 4 * sizeof(double));
    }
    r->n++;
    return BL_OK;
}

static void on_log(void *user, bl_log_level level, const char *message) {
    record *r = user;
    const char *count = strstr(message, "eliminated beforehand: ");
    (void)level;
    if (count)
        assert_int_equal(sscanf(count, "eliminated beforehand: %d unknowns become %d", &r->full, &r->reduced), 2);
    r->nothing = r->nothing || strstr(message, "nothing to reduce");
}

/* refused NULL: no failure is expected */
static record try_run(const char *scene, const bl_run_options *options, bl_status *refused) {
    record r = {0};
    bl_context *ctx = NULL;
    bl_model *model = NULL;
    bl_context_options how = {.log = on_log, .log_user = &r, .log_level = BL_LOG_INFO};
    bl_sink sink = {.user = &r, .begin = on_begin, .sample = on_sample};
    char file[512];
    snprintf(file, sizeof file, "%s/%s.yaml", SCENES, scene);
    assert_int_equal(bl_context_create(&how, &ctx), BL_OK);
    bl_status status = strcmp(scene, "pendulum") == 0 ? bl_model_read_text(ctx, "pendulum", pendulum, strlen(pendulum), NULL, 0, &model)
                                                      : bl_model_read(ctx, file, NULL, 0, &model);
    if (status == BL_OK)
        status = bl_simulate(ctx, model, options, &sink, 1, &r.summary);
    if (status != BL_OK && !refused)
        print_error("%s, %s, %s: %s\n", scene, options->coordinates, options->integrator, bl_context_error(ctx)->what);
    if (refused)
        *refused = status;
    else
        assert_int_equal(status, BL_OK);
    bl_model_destroy(model);
    test_context_end(ctx);
    return r;
}

static record run(const char *scene, const bl_run_options *options) { return try_run(scene, options, NULL); }

static double difference(const record *a, const record *b) {
    double worst = 0;
    assert_int_equal(a->n, b->n);
    for (int i = 0; i < a->n; i++)
        for (int k = 0; k < PER_BODY * a->nbody; k++)
            worst = fmax(worst, fabs(a->pose[i][k] - b->pose[i][k]));
    return worst;
}

/* ---- the published scheme */

/* largest error of a component of the probe, every 0.5 s */
static double error_of(const record *r, const scene_case *reference, int components) {
    double worst = 0;
    int compared = 0;
    for (bl_index row = 0; row < reference->nrow; row++)
        for (int i = 0; i < r->n; i++)
            if (fabs(reference->t[row] - r->t[i]) < 1e-9) {
                compared++;
                for (int k = 0; k < components; k++)
                    worst = fmax(worst, fabs(r->probe[i][k] - reference->value[row * reference->ncolumn + k]));
            }
    assert_int_equal(compared, 21);
    return worst;
}

static void dimcd__has_the_published_errors_and_order(void **state) {
    (void)state;
    static const struct {
        const char *scene;
        int matrix, components;
        double error[3]; /* h = 0.02, 0.01, 0.005 */
        /* with the multipliers of the parameters' rows, which the paper does not have: 12, 17, 65, 90; one joint row of Bricard's mechanism
         * is dropped here, but not in the paper */
        int unknowns[2];
    } table[] = {{"pendulum", 0, 2, {2.340e-2, 5.817e-3, 1.452e-3}, {13, 11}},
                 {"pendulum", 1, 2, {2.340e-2, 5.817e-3, 1.452e-3}, {23, 11}},
                 {"bricard", 0, 3, {1.0917e-3, 2.7285e-4, 6.821e-5}, {69, 59}},
                 {"bricard", 1, 3, {1.1882e-3, 2.9696e-4, 7.423e-5}, {119, 59}}};
    record first = {0};
    for (int k = 0; k < 4; k++) {
        scene_case *cases;
        bl_index n = scene_cases_read(table[k].scene, &cases);
        double error[3];
        for (int i = 0; i < 3; i++) {
            bl_run_options options = {.coordinates = coordinates[table[k].matrix],
                                      .formulation = reduce[1],
                                      .integrator = "dimcd",
                                      .step = 0.02 / (1 << i),
                                      .until = 10,
                                      .every = 0.5};
            record r = run(table[k].scene, &options);
            error[i] = error_of(&r, &cases[0], table[k].components);
            assert_float_equal(error[i], table[k].error[i], 6e-4 * table[k].error[i]);
            double iterations = (double)r.summary.newton_iterations / (double)r.summary.steps;
            assert_true(iterations > 2.5 && iterations <= 4);
            assert_int_equal(r.full, table[k].unknowns[0]);
            assert_int_equal(r.reduced, table[k].unknowns[1]);
            if (k == 0 && i == 1)
                first = r;
            if (k == 1 && i == 1) /* both parametrizations of a plane motion are the same */
                assert_true(difference(&first, &r) < 1e-9);
        }
        print_message("%s, %s: errors %.4e %.4e %.4e\n", table[k].scene, coordinates[table[k].matrix], error[0], error[1], error[2]);
        assert_float_equal(log2(error[0] / error[1]), 2, 0.02);
        assert_float_equal(log2(error[1] / error[2]), 2, 0.01);
        scene_cases_free(cases, n);
    }
}

static void dimcd__gives_the_published_digits(void **state) {
    (void)state;
    static const struct {
        const char *scene;
        int matrix, components;
        double t, at[3];
    } expected[] = {{"pendulum", 0, 2, 1, {0.98634002526, -0.16472205246, 0}},
                    {"pendulum", 0, 2, 5, {-0.94172609988, -0.33638066653, 0}},
                    {"pendulum", 0, 2, 10, {-0.26927000723, -0.96306472431, 0}},
                    {"bricard", 0, 3, 1, {0.27331212009, -0.88654089196, -0.46265024251}},
                    {"bricard", 0, 3, 10, {0.99925009303, -0.99999971903, -0.00074962579}},
                    {"bricard", 1, 3, 1, {0.27331025633, -0.88654062613, -0.46265075189}},
                    {"bricard", 1, 3, 10, {0.99924880953, -0.99999971807, -0.00075090833}}};
    for (size_t e = 0; e < sizeof expected / sizeof *expected; e++)
        for (int reduced = 0; reduced < 2; reduced++) {
            bl_run_options options = {.coordinates = coordinates[expected[e].matrix],
                                      .formulation = reduce[reduced],
                                      .integrator = "dimcd",
                                      .step = 0.01,
                                      .until = expected[e].t,
                                      .every = expected[e].t};
            record r = run(expected[e].scene, &options);
            for (int k = 0; k < expected[e].components; k++)
                assert_float_equal(r.probe[r.n - 1][k], expected[e].at[k], 1e-8);
        }
}

/* An elimination: the same increments except for rounding. */
static void reduction__changes_rounding_only(void **state) {
    (void)state;
    static const char *const scenes[] = {"pendulum", "bricard"}, *const integrators[] = {"dimcd", "central"};
    for (int s = 0; s < 2; s++)
        for (int c = 0; c < 2; c++)
            for (int i = 0; i < 2; i++)
                for (int whole = 0; whole < 2; whole++) {
                    record r[2];
                    for (int k = 0; k < 2; k++) {
                        bl_run_options options = {.coordinates = coordinates[c],
                                                  .formulation = reduce[k],
                                                  .integrator = integrators[i],
                                                  .step = 0.01,
                                                  .until = whole ? 10 : 0.01,
                                                  .every = whole ? 0.5 : 0.01};
                        r[k] = run(scenes[s], &options);
                    }
                    double off = difference(&r[0], &r[1]);
                    print_message("%s, %s, %s, %s: %.2e\n", scenes[s], coordinates[c], integrators[i], whole ? "10 s" : "one step", off);
                    assert_true(off < (whole ? 1e-10 : 2e-14));
                    assert_int_equal(r[0].summary.steps, r[1].summary.steps);
                    assert_int_equal(r[0].full, 0);
                }
}

/* ---- beyond: implicit methods */

/* Newton's iteration stops at rounding. The trapezoidal rule has no damping, and index 3 amplifies its rounding from step to step, that of
 * the fast top most: 1e-8 after 200 steps, so it is compared early. */
static void move_alike(const char *const *way) {
    static const struct {
        const char *scene;
        double step, until;
    } scenes[] = {{"bricard", 0.005, 1}, {"heavy_top", 0.001, 0.2}, {"spatial_slider_crank", 0.002, 0.5}};
    static const char *const integrators[] = {"trapezoidal", "genalpha", "bdf:2", "hht"};
    for (int s = 0; s < 3; s++)
        for (int c = 0; c < 2; c++)
            for (int i = 0; i < 4; i++) {
                record r[2];
                double until = i == 0 && s == 1 ? 0.05 : scenes[s].until;
                for (int k = 0; k < 2; k++) {
                    bl_run_options options = {.coordinates = coordinates[c],
                                              .formulation = way[k],
                                              .integrator = integrators[i],
                                              .step = scenes[s].step,
                                              .until = until,
                                              .every = until / 10};
                    r[k] = run(scenes[s].scene, &options);
                }
                double off = difference(&r[0], &r[1]);
                print_message("%s, %s, %s: %d unknowns become %d, apart by %.2e; iterations %ld, %ld\n", scenes[s].scene, coordinates[c],
                              integrators[i], r[1].full, r[1].reduced, off, r[0].summary.newton_iterations, r[1].summary.newton_iterations);
                assert_true(off < 2e-11);
                assert_int_equal(r[0].summary.steps, r[1].summary.steps);
                /* a row for each of four parameters, six for nine; with stabilization also for their velocities */
                int bodies = r[1].nbody, gone = bodies * (c ? 6 : 1) * (way == stabilized ? 2 : 1);
                assert_int_equal(r[1].full - r[1].reduced, 2 * gone);
            }
}

static void implicit_methods__move_alike_reduced_and_full(void **state) {
    (void)state;
    move_alike(reduce);
}

static void stabilized_methods__move_alike_reduced_and_full(void **state) {
    (void)state;
    move_alike(stabilized);
}

/* All methods that use stages of second order, with several matrices, histories and orders: the same motion, the same refusals. */
static void every_method_with(const char *const *form, int least) {
    int ran = 0;
    for (size_t k = 0; k < bl_integrator_kind_count; k++) {
        const bl_integrator_kind *kind = bl_integrator_kinds[k];
        const char *spec = kind == &bl_integrator_multistep ? "multistep:a=1/2;-2;3/2,b=0;0;1" : kind->kind.name;
        if (!(kind->kind.needs & BL_CAN_STAGE))
            continue;
        bl_status status[2];
        record r[2];
        for (int way = 0; way < 2; way++) {
            bl_run_options options = {.coordinates = coordinates[k % 2],
                                      .formulation = form[way],
                                      .integrator = spec,
                                      .step = kind->kind.gives & BL_ADAPTIVE ? 0 : 0.005,
                                      .until = 0.2,
                                      .every = 0.02};
            r[way] = try_run("bricard", &options, &status[way]);
        }
        assert_int_equal(status[0], status[1]);
        if (status[0] != BL_OK)
            continue;
        double off = difference(&r[0], &r[1]);
        print_message("%s, %s: %ld steps, apart by %.2e\n", spec, coordinates[k % 2], r[1].summary.steps, off);
        assert_true(off < 1e-10);
        assert_int_equal(r[0].summary.steps, r[1].summary.steps);
        ran++;
    }
    assert_true(ran >= least);
}

static void every_method__moves_alike_reduced_and_full(void **state) {
    (void)state;
    every_method_with(reduce, 20);
}

static void every_stabilized_method__moves_alike_reduced_and_full(void **state) {
    (void)state;
    every_method_with(stabilized, 15);
}

/* If steps follow an error estimate, their number and the motion are the same. */
static void adaptive_methods__take_the_same_steps(void **state) {
    (void)state;
    record r[2];
    for (int c = 0; c < 4; c++) {
        const char *const *way = c < 2 ? reduce : stabilized;
        for (int k = 0; k < 2; k++) {
            bl_run_options options = {
                .coordinates = coordinates[c % 2], .formulation = way[k], .integrator = "ndf_auto", .until = 1, .every = 0.1};
            r[k] = run("bricard", &options);
        }
        print_message("ndf_auto, %s, %s: %ld and %ld steps, apart by %.2e\n", coordinates[c % 2], way[1], r[0].summary.steps,
                      r[1].summary.steps, difference(&r[0], &r[1]));
        assert_int_equal(r[0].summary.steps, r[1].summary.steps);
        assert_true(difference(&r[0], &r[1]) < 1e-9);
    }
}

/* Unit vectors of natural coordinates are blocks too; a plane mechanism without any has nothing to reduce, which is not an error. */
static void other_coordinates__reduce_what_they_have(void **state) {
    (void)state;
    record r[2];
    for (int k = 0; k < 2; k++) {
        bl_run_options options = {
            .coordinates = "natural", .formulation = reduce[k], .integrator = "dimcd", .step = 0.01, .until = 2, .every = 0.5};
        r[k] = run("bricard", &options);
    }
    assert_true(difference(&r[0], &r[1]) < 1e-11);
    assert_true(r[1].full > r[1].reduced && r[1].reduced > 0 && !r[1].nothing);
    bl_run_options options = {
        .coordinates = "natural", .formulation = reduce[1], .integrator = "dimcd", .step = 0.01, .until = 0.1, .every = 0.1};
    record plane = run("four_bar", &options);
    assert_true(plane.nothing && plane.full == 0);
}

/* ---- results */

/* Multipliers of the parameters are found at samples as before. A pendulum released at rest from the horizontal is pulled toward its pivot
 * by 3 m g cos(angle to the vertical) = 3 g |y|. */
static void reactions__are_those_of_the_whole_system(void **state) {
    (void)state;
    for (int c = 0; c < 2; c++) {
        record r[2];
        for (int k = 0; k < 2; k++) {
            bl_run_options options = {
                .coordinates = coordinates[c], .formulation = reduce[k], .integrator = "dimcd", .step = 0.001, .until = 1, .every = 0.25};
            r[k] = run("pendulum", &options);
        }
        for (int i = 0; i < r[1].n; i++) {
            double expected = 3 * 9.81 * -r[1].probe[i][1], pull = 0;
            for (int k = 0; k < 3; k++) {
                assert_float_equal(r[0].force[i][k], r[1].force[i][k], 1e-9);
                pull -= r[1].force[i][k] * r[1].probe[i][k];
            }
            assert_float_equal(pull, expected, 2e-4);
        }
    }
}

static bl_status a_short_run(bl_context *ctx, void *user) {
    bl_model *model = NULL;
    const char *const *how = user;
    bl_run_options options = {
        .coordinates = "reference:matrix", .formulation = how[0], .integrator = how[1], .step = 0.01, .until = 0.02, .every = 0.02};
    bl_status status = bl_model_read_text(ctx, "pendulum", pendulum, strlen(pendulum), NULL, 0, &model);
    if (status == BL_OK)
        status = bl_simulate(ctx, model, &options, NULL, 0, NULL);
    bl_model_destroy(model);
    return status;
}

static void failing_allocations__are_survived(void **state) {
    (void)state;
    const char *how[2][2] = {{reduce[1], "dimcd"}, {stabilized[1], "bdf:2"}};
    for (int k = 0; k < 2; k++) {
        assert_true(test_failing_allocations(a_short_run, how[k]) > 50);
        assert_true(test_failing_once(a_short_run, how[k]) > 50);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dimcd__has_the_published_errors_and_order),
        cmocka_unit_test(dimcd__gives_the_published_digits),
        cmocka_unit_test(reduction__changes_rounding_only),
        cmocka_unit_test(implicit_methods__move_alike_reduced_and_full),
        cmocka_unit_test(every_method__moves_alike_reduced_and_full),
        cmocka_unit_test(stabilized_methods__move_alike_reduced_and_full),
        cmocka_unit_test(every_stabilized_method__moves_alike_reduced_and_full),
        cmocka_unit_test(adaptive_methods__take_the_same_steps),
        cmocka_unit_test(other_coordinates__reduce_what_they_have),
        cmocka_unit_test(reactions__are_those_of_the_whole_system),
        cmocka_unit_test(failing_allocations__are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
