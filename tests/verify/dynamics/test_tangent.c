/* The tangent view of reference coordinates: angular velocities instead of rates of parameters. The motions are those of natural
 * coordinates in every formulation that accepts more positions than velocities, methods keep their order, parameters remain rotations, and
 * unsuitable methods are refused with a reason. Exact solutions of free bodies and the published heavy top are in test_rotation.c. */
#include "support/testing.h"

#include "biela/biela.h"
#include "coords/coords.h"
#include "study/run.h"
#include "study/simulation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const views[] = {"reference:view=tangent", "reference:matrix,view=tangent"};
enum { MOST_BODIES = 8 };

/* two bodies on a driven joint, with springs and friction: it contains every kind of quantity */
static const char *const machine =
    "gravity: [0.3, -9.81, 0.7]\n"
    "bodies: [{name: a, mass: 1, center: [1,0,0], inertia: [0.3,0.5,0.6]}, {name: b, mass: 2, center: [2,1,0], inertia: [0.4,0.7,0.5]}]\n"
    "joints: [{name: j, type: revolute, bodies: [ground, a], at: [0,0,0], axis: [0,0,1]},\n"
    " {name: k, type: universal, bodies: [a, b], at: [2,0,0], axis: [1,0,0], axis_b: [0,0,1]}]\n"
    "drivers: [{variable: j.angle, value: =0.5*sin(3*t)}]\nforces: [{type: friction, variable: k.angle1, viscous: 0.4},\n"
    " {type: spring, bodies: [b, ground], at: [2,1,1], to: [3,3,0], stiffness: 30, length: 1, damping: 0.5}]\n";

typedef struct end {
    bl_pose pose[MOST_BODIES];
    bl_wrench reaction[MOST_BODIES];
    bl_index n, njoint;
    double last; /* later samples are skipped; 0: none */
    double energy, drift, velocity_drift;
} end;

static bl_status begin(void *user, const bl_run_info *info) {
    end *e = user;
    e->n = info->nbody;
    e->njoint = info->njoint;
    assert_true(e->n <= MOST_BODIES && e->njoint <= MOST_BODIES);
    return BL_OK;
}

static bl_status keep(void *user, const bl_sample *sample) {
    end *e = user;
    if (e->last > 0 && sample->t > e->last + 1e-9)
        return BL_OK;
    memcpy(e->pose, sample->body, (size_t)e->n * sizeof *e->pose);
    memcpy(e->reaction, sample->reaction, (size_t)e->njoint * sizeof *e->reaction);
    e->energy = fmax(e->energy, fabs(sample->energy_error));
    e->drift = fmax(e->drift, sample->drift);
    e->velocity_drift = fmax(e->velocity_drift, sample->velocity_drift);
    return BL_OK;
}

static bl_model *model_of(bl_context *ctx, const char *scene) {
    bl_model *model = NULL;
    char file[512];
    snprintf(file, sizeof file, "%s/%s.yaml", SCENES, scene ? scene : "");
    bl_status status =
        scene ? bl_model_read(ctx, file, NULL, 0, &model) : bl_model_read_text(ctx, "machine", machine, strlen(machine), NULL, 0, &model);
    if (status != BL_OK)
        fail_msg("%s", bl_context_error(ctx)->what);
    return model;
}

/* scene NULL: the machine */
static end run_to(const char *scene, const bl_run_options *options, double last, bl_run_summary *summary) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = model_of(ctx, scene);
    end e = {.last = last};
    bl_sink sink = {.user = &e, .begin = begin, .sample = keep};
    if (bl_simulate(ctx, model, options, &sink, 1, summary) != BL_OK)
        fail_msg("%s, %s, %s: %s", scene, options->coordinates, options->formulation, bl_context_error(ctx)->what);
    bl_model_destroy(model);
    test_context_end(ctx);
    return e;
}

static end run(const char *scene, const bl_run_options *options, bl_run_summary *summary) { return run_to(scene, options, 0, summary); }

/* largest difference of positions, orientations and velocities; of reactions, relative to the largest */
static double apart(const end *x, const end *y, double *reactions) {
    double most = 0, force = 0, size = 1;
    for (bl_index b = 0; b < x->n; b++) {
        const bl_pose *p = &x->pose[b], *q = &y->pose[b];
        for (int c = 0; c < 3; c++) {
            most = fmax(most, fabs(p->position[c] - q->position[c]));
            most = fmax(most, fabs(p->velocity[c] - q->velocity[c]) / 10);
            most = fmax(most, fabs(p->angular_velocity[c] - q->angular_velocity[c]) / 100);
        }
        for (int c = 0; c < 4; c++)
            most = fmax(most, fabs(p->quaternion[c] - q->quaternion[c]));
    }
    for (bl_index j = 0; j < x->njoint; j++)
        for (int c = 0; c < 3; c++) {
            size = fmax(size, fmax(fabs(x->reaction[j].force[c]), fabs(x->reaction[j].moment[c])));
            force = fmax(force, fabs(x->reaction[j].force[c] - y->reaction[j].force[c]));
            force = fmax(force, fabs(x->reaction[j].moment[c] - y->reaction[j].moment[c]));
        }
    if (reactions)
        *reactions = force / size;
    return most;
}

/* tolerance 1e-10 in a few hundred steps */
static void motions__are_those_of_natural_coordinates_in_every_formulation(void **state) {
    (void)state;
    static const struct {
        const char *scene;
        double until;
    } subjects[] = {{NULL, 0.5}, {"heavy_top", 0.05}, {"flyball_governor", 0.02}, {"spatial_slider_crank", 0.2}};
    static const struct {
        const char *spec;
        double allowed; /* penalties are compliant */
    } kinds[] = {{"partition", 2e-8},
                 {"partition:index=3,state=independent", 2e-8},
                 {"partition:index=2", 2e-8},
                 {"lagrange", 2e-8},
                 {"baumgarte", 2e-8},
                 {"projection", 2e-8},
                 {"projection:identity,stage", 2e-8},
                 {"correction", 2e-8},
                 {"null_space", 2e-8},
                 {"range_space", 2e-8},
                 {"matrix_r", 2e-8},
                 {"penalty", 1e-5},
                 {"auglag:project=stage", 2e-8}};
    for (size_t s = 0; s < sizeof subjects / sizeof *subjects; s++) {
        bl_run_options options = {.coordinates = "natural",
                                  .formulation = "partition",
                                  .until = subjects[s].until,
                                  .every = subjects[s].until,
                                  .tolerance = 1e-10};
        end natural = run(subjects[s].scene, &options, NULL);
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            double reactions;
            options.coordinates = views[k % 2];
            options.formulation = kinds[k].spec;
            end e = run(subjects[s].scene, &options, NULL);
            double most = apart(&natural, &e, &reactions);
            if (!(most < kinds[k].allowed && reactions < 50 * kinds[k].allowed))
                fail_msg("%s in %s, %s: apart by %.2g, reactions by %.2g", subjects[s].scene, options.coordinates, kinds[k].spec, most,
                         reactions);
        }
    }
}

/* errors of two step sizes compared with a run of 1e-12, at the end of steps and inside (every): ratio 2^order */
static void methods__keep_their_order(void **state) {
    (void)state;
    static const struct {
        const char *integrator, *formulation;
        double step, order;
        bool inside;
    } kinds[] = {{"rk4", "partition", 0.01, 4, false},
                 {"rk4", "lagrange", 0.01, 4, false},
                 {"bdf:2", "lagrange", 0.005, 2, false},
                 {"trapezoidal", "lagrange", 0.01, 2, false},
                 {"genalpha:rho=0.8", "index3", 0.01, 2, false},
                 {"genalpha:rho=0.8", "index3", 0.01, 2, true},
                 {"genalpha:rho=0.8,jacobian=colored", "ggl", 0.01, 2, false},
                 {"hht:0.1", "index3", 0.01, 2, false},
                 {"wbz:-0.1", "ggl", 0.01, 2, false},
                 {"newmark", "ggl", 0.01, 2, true},
                 {"newmark", "ali3p", 0.01, 2, false}};
    const double off_grid = 0.3037;
    bl_run_options options = {.coordinates = "natural", .formulation = "partition", .until = 0.4, .every = 0.4, .tolerance = 1e-12};
    end at_end = run(NULL, &options, NULL);
    options.every = off_grid;
    end between = run_to(NULL, &options, off_grid, NULL);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int v = 0; v < 2; v++) {
            double error[2];
            for (int half = 0; half < 2; half++) {
                bl_run_options fixed = {.coordinates = views[v],
                                        .formulation = kinds[k].formulation,
                                        .integrator = kinds[k].integrator,
                                        .until = 0.4,
                                        .every = kinds[k].inside ? off_grid : 0.4,
                                        .tolerance = 1e-10,
                                        .step = kinds[k].step / (1 + half),
                                        .projection_tolerance = -1};
                end e = run_to(NULL, &fixed, kinds[k].inside ? off_grid : 0.4, NULL);
                error[half] = apart(kinds[k].inside ? &between : &at_end, &e, NULL);
            }
            double order = log2(error[0] / error[1]);
            print_message("%s, %s, %s: %.2e, %.2e, order %.2f\n", kinds[k].integrator, kinds[k].formulation, views[v], error[0], error[1],
                          order);
            assert_true(fabs(order - kinds[k].order) < 0.35);
        }
}

/* Bruls and Cardona (2010) find order 2 on the heavy top; its rotations are linear in the increments, which are more accurate than
 * vectors */
static void group_steps__beat_vectors_on_the_heavy_top(void **state) {
    (void)state;
    bl_run_options options = {.coordinates = "reference:view=tangent", .until = 0.1, .every = 0.1, .tolerance = 1e-12};
    end exact = run("heavy_top", &options, NULL);
    double error[3];
    for (int k = 0; k < 3; k++) {
        bl_run_options fixed = {.coordinates = k == 2 ? "reference" : views[0],
                                .formulation = "index3",
                                .integrator = "genalpha:rho=0.8",
                                .until = 0.1,
                                .every = 0.1,
                                .step = k == 1 ? 1e-4 : 2e-4};
        end e = run("heavy_top", &fixed, NULL);
        error[k] = apart(&exact, &e, NULL);
    }
    print_message("heavy top: %.2e, half the step %.2e, vectors %.2e\n", error[0], error[1], error[2]);
    assert_true(fabs(log2(error[0] / error[1]) - 2) < 0.1);
    assert_true(error[2] > 5 * error[0]);
}

/* no constraints at all: the stages of plain */
static void free_bodies__take_implicit_steps(void **state) {
    (void)state;
    static const char *const text = "bodies: [{name: b, mass: 2, center: [0,0,0], inertia: [1,2,3]}]\n"
                                    "initial: {b: {angular_velocity: [1.7, 0.1, 1]}}\n";
    static const char *const methods[] = {"newmark", "genalpha:rho=0.9", "hht:0.05"};
    for (int m = 0; m < 3; m++) {
        end seen[3] = {{.n = 0}};
        for (int k = 0; k < 3; k++) { /* two steps, then practically exact */
            bl_context *ctx = test_context(NULL);
            bl_model *model;
            bl_sink sink = {.user = &seen[k], .begin = begin, .sample = keep};
            assert_int_equal(bl_model_read_text(ctx, "free", text, strlen(text), NULL, 0, &model), BL_OK);
            bl_run_options options = {.coordinates = views[m % 2], .until = 2, .every = 2, .tolerance = 1e-12};
            if (k < 2) {
                options.integrator = methods[m];
                options.formulation = "plain";
                options.step = k ? 0.01 : 0.02;
            }
            if (bl_simulate(ctx, model, &options, &sink, 1, NULL) != BL_OK)
                fail_msg("%s: %s", methods[m], bl_context_error(ctx)->what);
            bl_model_destroy(model);
            test_context_end(ctx);
        }
        double error = apart(&seen[2], &seen[0], NULL), half = apart(&seen[2], &seen[1], NULL);
        print_message("%s: %.2e, %.2e\n", methods[m], error, half);
        assert_true(fabs(log2(error / half) - 2) < 0.1);
    }
}

/* ---- data */

typedef struct inside {
    bl_context *ctx;
    bl_model *model;
    bl_system *sys;
    bl_state state;
} inside;

static inside set_up(const char *scene, const char *coordinates) {
    inside in = {.ctx = test_context(NULL)};
    in.model = model_of(in.ctx, scene);
    if (bl_run_prepare(in.ctx, in.model, coordinates, &in.sys, &in.state) != BL_OK)
        fail_msg("%s: %s", coordinates, bl_context_error(in.ctx)->what);
    return in;
}

static void tear_down(inside *in) {
    bl_state_destroy(in->sys, &in->state);
    bl_system_destroy(in->sys);
    bl_model_destroy(in->model);
    test_context_end(in->ctx);
}

/* six velocities per body, no rows of parameters, a constant block diagonal mass matrix; the redundant view differs by its rows only */
static void systems__have_six_velocities_a_body(void **state) {
    (void)state;
    for (int v = 0; v < 2; v++) {
        inside in = set_up(NULL, views[v]), other = set_up(NULL, v ? "reference:matrix" : "reference");
        const bl_system *sys = in.sys;
        bl_index numbers = v ? 9 : 4, rows = v ? 6 : 1, variables = other.sys->nv - 2 * (3 + numbers);
        assert_int_equal(sys->nq, other.sys->nv);
        assert_int_equal(sys->nv, 12 + variables);
        assert_int_equal(sys->np, other.sys->np - 2 * rows);
        assert_false(sys->facts & BL_FLAT);
        assert_true(sys->facts & BL_M_CONST);
        assert_int_equal(sys->pat_T.nrow, sys->nq);
        assert_int_equal(sys->pat_T.ncol, sys->nv);
        bl_eval e = {0};
        assert_int_equal(bl_eval_create(sys, BL_ALL, &e), BL_OK);
        bl_eval_at(&e, &in.state);
        assert_int_equal(bl_system_eval(sys, &e, BL_M), BL_OK);
        static const double diagonal[12] = {1, 1, 1, 0.3, 0.5, 0.6, 2, 2, 2, 0.4, 0.7, 0.5};
        for (bl_index j = 0; j < sys->nv; j++)
            for (bl_index k = sys->pat_M.ptr[j]; k < sys->pat_M.ptr[j + 1]; k++)
                assert_true(e.M[k] == (sys->pat_M.idx[k] == j && j < 12 ? diagonal[j] : 0));
        bl_eval_destroy(sys, &e);
        tear_down(&in);
        tear_down(&other);
    }
}

/* in the plane an angle is both */
static void planes__have_one_view(void **state) {
    (void)state;
    inside in = set_up("four_bar", "reference:view=tangent"), other = set_up("four_bar", "reference");
    assert_true(in.sys->facts & BL_FLAT);
    assert_int_equal(in.sys->nq, other.sys->nq);
    assert_int_equal(in.sys->np, other.sys->np);
    tear_down(&in);
    tear_down(&other);
}

/* after every step; the method does not restart because of it */
static void parameters__stay_rotations_without_a_restart(void **state) {
    (void)state;
    static const char *const methods[] = {"dopri45", "rk4", "bdf:2"};
    for (int m = 0; m < 6; m++) {
        inside in = set_up(NULL, views[m % 2]);
        bl_simulation *sim;
        bl_simulation_setup setup = {.formulation = "lagrange",
                                     .integrator = methods[m / 2],
                                     .t_end = 0.5,
                                     .tolerance = 1e-5,
                                     .step = 0.02,
                                     .projection_tolerance = -1};
        assert_int_equal(bl_simulation_create(in.sys, &in.state, &setup, &sim), BL_OK);
        double worst = 0;
        bl_index per = m % 2 ? 12 : 7;
        while (*sim->state.t < setup.t_end) {
            assert_int_equal(bl_simulation_advance(sim), BL_OK);
            for (int b = 0; b < 2; b++) {
                const double *o = sim->state.q + b * per + 3;
                for (int i = 0; i < (per == 12 ? 3 : 1); i++)
                    for (int j = 0; j <= i; j++) {
                        double sum = i == j ? -1 : 0;
                        for (int c = 0; c < (per == 12 ? 3 : 4); c++)
                            sum += o[3 * i + c] * o[3 * j + c];
                        worst = fmax(worst, fabs(sum));
                    }
            }
        }
        bl_run_summary summary = {0};
        bl_simulation_summary(sim, &summary);
        assert_true(worst < 4e-15);
        assert_int_equal(summary.restarts, 0);
        assert_true(summary.steps > 10);
        bl_simulation_destroy(sim);
        tear_down(&in);
    }
}

/* drift of index 1 is removed along rotations */
static void projections__move_along_turns(void **state) {
    (void)state;
    for (int v = 0; v < 2; v++) {
        bl_run_summary summary = {0};
        bl_run_options options = {.coordinates = views[v],
                                  .formulation = "lagrange",
                                  .integrator = "rk4",
                                  .step = 0.01,
                                  .until = 1,
                                  .every = 0.1,
                                  .projection_tolerance = 1e-11};
        end e = run("spatial_slider_crank", &options, &summary);
        assert_true(summary.projections > 0);
        assert_true(e.drift < 1e-11 && e.velocity_drift < 1e-11);
    }
}

/* mobility and redundant rows do not depend on the view */
static void checks__find_the_same_mobility(void **state) {
    (void)state;
    static const char *const scenes[] = {"spatial_slider_crank", "flyball_governor", "heavy_top", "bricard"};
    for (int s = 0; s < 4; s++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model = model_of(ctx, scenes[s]);
        bl_check_report natural = {0}, tangent = {0};
        assert_int_equal(bl_check(ctx, model, &(bl_run_options){.coordinates = "natural"}, &natural), BL_OK);
        assert_int_equal(bl_check(ctx, model, &(bl_run_options){.coordinates = views[s % 2]}, &tangent), BL_OK);
        assert_int_equal(natural.mobility_rank, tangent.mobility_rank);
        bl_check_report_destroy(ctx, &natural);
        bl_check_report_destroy(ctx, &tangent);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

/* ---- messages */

static void refusals__say_what_would_do(void **state) {
    (void)state;
    static const struct {
        const char *coordinates, *formulation, *integrator, *what, *advice;
    } cases[] = {
        {"reference:view=tangent", "ggl", "bdf:2", "needs as many positions as velocities", "redundant view"},
        {"reference:view=tangent", "index3", "wilson", "needs as many positions as velocities", "genalpha"},
        {"reference:view=tangent", "index3", "energy_momentum", "needs as many positions as velocities", "genalpha"},
        {"reference:view=tangent", "index3", "central", "needs as many positions as velocities", "lagrange"},
        {"reference:angles,view=tangent", NULL, NULL, "has no tangent view", "reference:quaternion,view=tangent"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model = model_of(ctx, NULL);
        bl_run_options options = {.coordinates = cases[k].coordinates,
                                  .formulation = cases[k].formulation,
                                  .integrator = cases[k].integrator,
                                  .until = 0.1,
                                  .step = 0.01};
        assert_true(bl_simulate(ctx, model, &options, NULL, 0, NULL) < 0);
        const bl_error *error = bl_context_error(ctx);
        if (!strstr(error->what, cases[k].what) || !strstr(error->advice, cases[k].advice))
            fail_msg("'%s' (%s)", error->what, error->advice);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motions__are_those_of_natural_coordinates_in_every_formulation),
        cmocka_unit_test(methods__keep_their_order),
        cmocka_unit_test(group_steps__beat_vectors_on_the_heavy_top),
        cmocka_unit_test(free_bodies__take_implicit_steps),
        cmocka_unit_test(systems__have_six_velocities_a_body),
        cmocka_unit_test(planes__have_one_view),
        cmocka_unit_test(parameters__stay_rotations_without_a_restart),
        cmocka_unit_test(projections__move_along_turns),
        cmocka_unit_test(checks__find_the_same_mobility),
        cmocka_unit_test(refusals__say_what_would_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
