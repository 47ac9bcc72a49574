/* From the text of the file to the JSON of a run: our allocations fail in turn, one of every call path that allocates (support/failing.h).
 * Nothing leaks or crashes, and the status is correct. tests/long fails every allocation. */
#include "biela/biela.h"
#include "support/failing.h"
#include "support/scene.h"

#include <stdio.h>
#include <string.h>

enum { SAMPLE = 25 }; /* allocations of each run besides one of each call path */
static test_paths paths;

static void swallow(void *user, const char *text, size_t length) {
    (void)text;
    *(size_t *)user += length;
}

typedef struct task {
    const char *text;
    bl_run_options options;
} task;

static bl_status whole_run(bl_context *ctx, void *user) {
    const task *t = user;
    bl_model *model = NULL;
    bl_sink sink = {0};
    size_t written = 0;
    bl_status status = bl_model_read_text(ctx, "run", t->text, strlen(t->text), NULL, 0, &model);
    if (status == BL_OK)
        status = bl_sink_json(ctx, swallow, &written, &sink);
    if (status == BL_OK)
        status = bl_simulate(ctx, model, &t->options, &sink, 1, NULL);
    if (status == BL_EVENT) /* the stop expression: a regular end */
        status = BL_OK;
    if (status == BL_OK)
        assert_true(written > 0);
    bl_sink_destroy(&sink);
    bl_model_destroy(model);
    return status;
}

static void run__survives_every_failing_allocation(void **unused) {
    (void)unused;
    static const char pendulum[] =
        "dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: bar, rod: {from: [0,0], to: [1,0]}, mass: 3}]\n"
        "joints: [{name: j, type: revolute, bodies: [ground, bar], at: [0,0]}]\nprobes: {P: {body: bar, at: [1,0]}}\n"
        "simulate: {until: 0.3, stop: P.y + 0.3}\n";
    static const char driven[] =
        "bodies: [{name: a, mass: 1, center: [1,0,0], inertia: [1,1,1]}, {name: b, mass: 2, center: [2,1,0], inertia: [1,2,2]}]\n"
        "joints: [{name: j, type: revolute, bodies: [ground, a], at: [0,0,0], axis: [0,0,1]},"
        " {name: k, type: universal, bodies: [a, b], at: [2,0,0], axis: [1,0,0], axis_b: [0,0,1]}]\n"
        "drivers: [{variable: j.angle, value: =sin(t)}]\nforces: [{type: friction, variable: k.angle1, viscous: 0.1}]\n"
        "simulate: {until: 0.1}\n";
    static const char matrices[] =
        "parameters: {a: 3}\nmatrices: {M: [[2, 0.3], [0.3, 1]], K: [[60, -20], [-20, 40]], load: [=sin(a*t), 0],\n"
        "  initial: {positions: 0.1}}\nsimulate: {until: 0.1, step: 0.02, stop: d1 + 1}\n";
    static const char heat[] =
        "matrices: {size: 3, M: {tridiagonal: {lower: 1, diagonal: 4}}, A: {tridiagonal: {lower: 1, diagonal: -2}},\n"
        "  initial: =i}\nsimulate: {until: 0.1, step: 0.02}\n";
    static const char equations[] =
        "equations:\n  states: [{name: u, count: 2, start: =i, acceleration: \"=-u[i] + w\"}, {name: w, algebraic: =w^3 + w - 1}]\n"
        "  constraints: [{value: \"=u[1]^2 + u[2] - 2.9 - 0.1*t\"}]\nsimulate: {until: 0.1, step: 0.02, stop: \"u[1] - 5\"}\n";
    static const char rubbing[] = /* redundant in space: determined loads are also computed */
        "gravity: [0, -9.81, 0]\nbodies: [{name: a, rod: {from: [0,0,0], to: [0,1,0]}, mass: 1},\n"
        "  {name: b, rod: {from: [0,1,0], to: [1,1,0]}, mass: 1}, {name: c, rod: {from: [1,1,0], to: [1,0,0]}, mass: 1}]\n"
        "joints: [{name: A, type: revolute, bodies: [ground, a], at: [0,0,0], axis: [0,0,1]},\n"
        "  {name: B, type: revolute, bodies: [a, b], at: [0,1,0], axis: [0,0,1]},\n"
        "  {name: C, type: revolute, bodies: [b, c], at: [1,1,0], axis: [0,0,1]},\n"
        "  {name: D, type: revolute, bodies: [c, ground], at: [1,0,0], axis: [0,0,1], cut: true}]\n"
        "forces: [{type: joint_friction, joint: A, coefficient: 0.2, radius: 0.05, arm: 0.1}]\ninitial: {A.rate: 1}\n"
        "simulate: {until: 0.02}\n";
    static const char tree[] = /* 21 degrees of freedom: relative coordinates, chosen automatically */
        "points: [{repeat: {count: 8, index: i, do: [{name: P$i, at: [=i, 0, 0]}]}}]\n"
        "bodies: [{repeat: {count: 7, index: i, from: 1, do: [{name: b$i, mass: 1, center: [=i, 0, 0], inertia: [1, 1, 1]}]}}]\n"
        "joints: [{name: j1, type: spherical, bodies: [ground, b1], at: P0},\n"
        "  {repeat: {count: 6, index: i, from: 2, do: [{name: j$i, type: spherical, bodies: [b$(i-1), b$i], at: P$(i-1)}]}}]\n"
        "simulate: {until: 1e-3}\n";
    static const char mixture[] = /* a loop: two natural bodies and one oriented by angles */
        "gravity: [0, 0, -9.81]\nbodies: [{name: a, mass: 1, center: [1,0,0], inertia: [1,1,1]},\n"
        "  {name: b, mass: 1, center: [2,1,0], inertia: [1,1,1], coordinates: 'reference:angles'},\n"
        "  {name: c, rod: {from: [2,2,0], to: [0,2,0]}, mass: 1}]\n"
        "joints: [{name: j, type: revolute, bodies: [ground, a], at: [0,0,0], axis: [0,0,1]},\n"
        "  {name: k, type: universal, bodies: [a, b], at: [2,0,0], axis: [0,0,1], axis_b: [0,1,0]},\n"
        "  {name: l, type: spherical, bodies: [b, c], at: [2,2,0]},\n"
        "  {name: m, type: revolute, bodies: [ground, c], at: [0,2,0], axis: [0,0,1]}]\n"
        "initial: {j.rate: 1}\nsimulate: {until: 0.05}\n";
    static const char motor[] = /* states beside constraints, their rates coupled */
        "equations:\n  states: [{name: x, start: 1, mass: 2, force: =-y*i}, {name: y, start: 0, mass: 2, force: =x*i},\n"
        "    {name: i, start: 0, order: 1, mass: 2, force: =1 - i - s}, {name: s, start: 0, order: 1, mass: 1, force: =x - s}]\n"
        "  mass: [{row: i, column: s, value: 0.5}]\n  constraints: [{value: =x^2 + y^2 - 1}, {value: =2*x^2 + 2*y^2 - 2}]\n"
        "simulate: {until: 0.05, step: 0.01}\n";
    task tasks[] = {
        {motor, {0}},
        {motor, {.formulation = "partition", .integrator = "series"}},
        {motor, {.formulation = "partition:dense=0,state=independent", .integrator = "radau"}},
        {motor, {.formulation = "index2"}},
        {motor, {.formulation = "null_space", .integrator = "rk4"}},
        {motor, {.formulation = "ali3p", .integrator = "newmark"}},
        {motor, {.formulation = "ggl", .integrator = "ndf_auto"}},
        {mixture, {.tolerance = 1e-3}},
        {tree, {.tolerance = 1e-3}},
        {driven, {.coordinates = "reference:angles,sequence=zxz"}},
        {driven, {.coordinates = "reference:view=tangent"}},
        {driven, {.coordinates = "reference:view=tangent", .integrator = "genalpha:rho=0.8", .formulation = "index3", .step = 0.05}},
        {driven,
         {.coordinates = "reference:matrix,view=tangent", .formulation = "auglag:project=stage", .integrator = "rk4", .step = 0.05}},
        {rubbing, {.formulation = "partition"}},
        {rubbing, {.formulation = "null_space", .integrator = "rk4", .step = 0.01}},
        {equations, {.integrator = "bdf:2"}},
        {equations, {.integrator = "bdf:2", .formulation = "index3"}},
        {matrices, {.integrator = "newmark"}},
        {matrices, {.integrator = "dopri45", .absolute = 1e-8}},
        {heat, {.integrator = "bdf:2"}},
        {pendulum, {.formulation = "partition"}},
        {pendulum, {.formulation = "lagrange", .integrator = "rk4", .step = 0.01}},
        {driven, {.coordinates = "mixed", .linsol = "block"}},
        {pendulum, {.formulation = "partition", .integrator = "series"}},
        {pendulum, {.formulation = "lagrange", .integrator = "series:order=8"}},
    };
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++)
        assert_true(test_failing_paths(&paths, whole_run, &tasks[i], SAMPLE) > 100);
}

/* a run in which another formulation, created during the run, leads past a singular configuration */
static void handover__survives_every_failing_allocation(void **unused) {
    (void)unused;
    static const char change_point[] =
        "dimension: 2\ngravity: [0, -9.81]\n"
        "points: {A: [0, 0], B: [-0.8, 0.6], C: [\"=0.6 + 0.3/sqrt(8.2)*sqrt(0.8)\", \"=0.3 + 1.4/sqrt(8.2)*sqrt(0.8)\"], D: [2, 0]}\n"
        "bodies: [{name: crank, rod: {from: A, to: B}, mass: 1}, {name: coupler, rod: {from: B, to: C}, mass: 1.5},"
        " {name: rocker, rod: {from: C, to: D}, mass: 1.5}]\n"
        "joints: [{name: A, type: revolute, bodies: [ground, crank], at: A}, {name: B, type: revolute, bodies: [crank, coupler], at: B},"
        " {name: C, type: revolute, bodies: [coupler, rocker], at: C}, {name: D, type: revolute, bodies: [ground, rocker], at: D}]\n"
        "initial: {A.rate: 6}\nsimulate: {until: 0.2, tolerance: 1e-6}\n";
    static const char *const kinds[] = {"lagrange", "penalty", "null_space"};
    for (int k = 0; k < 3; k++) {
        task t = {change_point, {.formulation = kinds[k], .integrator = "dopri45"}};
        bl_context *ctx = test_context(NULL);
        bl_model *model = NULL;
        bl_run_summary summary = {0};
        assert_int_equal(bl_model_read_text(ctx, "run", t.text, strlen(t.text), NULL, 0, &model), BL_OK);
        assert_int_equal(bl_simulate(ctx, model, &t.options, NULL, 0, &summary), BL_OK);
        assert_int_equal(summary.handovers, 1);
        bl_model_destroy(model);
        test_context_end(ctx);
        assert_true(test_failing_paths(&paths, whole_run, &t, SAMPLE) > 100);
    }
}

/* ---- implicit methods */

typedef struct implicit_task {
    const bl_model *model; /* of a context that does not fail */
    bl_run_options options;
} implicit_task;

static bl_status implicit_run(bl_context *ctx, void *user) {
    const implicit_task *t = user;
    bl_sink sink = {0};
    size_t written = 0;
    bl_status status = bl_sink_json(ctx, swallow, &written, &sink);
    if (status == BL_OK)
        status = bl_simulate(ctx, t->model, &t->options, &sink, 1, NULL);
    bl_sink_destroy(&sink);
    return status;
}

/* redundant constraints (Bricard), and a linear system of matrices */
static void implicit_runs__survive_every_failing_allocation(void **unused) {
    (void)unused;
    static const char matrices[] =
        "matrices: {M: {diagonal: [2, 1]}, C: [[0.1, 0], [0, 0]], K: [[6, -2], [-2, 4]], load: [0, =10*cos(t)]}\n";
    static const char *const method[] = {"bdf:3", "mendf:2", "genalpha:0.8", "ndf_auto", "stiff_auto", "radau", "trbdf2", "rosenbrock23"};
    static const char *const formulation[] = {"index3", "ggl", "plain"};
    bl_context *ctx = test_context(NULL);
    bl_model *bricard, *linear;
    assert_int_equal(bl_model_read(ctx, SCENES "/bricard.yaml", NULL, 0, &bricard), BL_OK);
    assert_int_equal(bl_model_read_text(ctx, "matrices", matrices, strlen(matrices), NULL, 0, &linear), BL_OK);
    for (size_t m = 0; m < sizeof method / sizeof *method; m++)
        for (int f = 0; f < 3; f++) {
            bool unconstrained = !strcmp(method[m], "radau") || !strcmp(method[m], "rosenbrock23");
            if (f < 2 && (unconstrained || m % 2 != (size_t)f))
                continue; /* not for these formulations; each other method with one of them */
            implicit_task t = {
                .model = f == 2 ? linear : bricard,
                .options = {.formulation = formulation[f], .integrator = method[m], .until = 0.03, .step = 0.01, .every = 0.02}};
            assert_true(test_failing_paths(&paths, implicit_run, &t, SAMPLE) > 20);
        }
    /* rates, and the complete rate, integrated implicitly */
    static const char *const pair[][2] = {{"radau", "lagrange"},
                                          {"ndf_auto", "partition"},
                                          {"rosenbrock23", "partition"},
                                          {"trapezoidal_auto", "lagrange"},
                                          {"bs23", "lagrange"},
                                          {"trbdf2", "ggl"},
                                          {"bdf:2", "lagrange"},
                                          {"rk4", "baumgarte"},
                                          {"rk4", "projection:identity,stage"},
                                          {"dopri45", "correction:1"},
                                          {"rk4", "penalty"},
                                          {"dopri45", "auglag:project=stage"},
                                          {"bdf:2", "auglag"},
                                          {"trapezoidal", "ali3p"},
                                          {"genalpha", "ali3p"}};
    for (size_t k = 0; k < sizeof pair / sizeof *pair; k++) {
        implicit_task t = {.model = bricard,
                           .options = {.formulation = pair[k][1], .integrator = pair[k][0], .until = 0.02, .step = 0.01, .every = 0.02}};
        assert_true(test_failing_paths(&paths, implicit_run, &t, SAMPLE) > 20);
    }
    bl_model_destroy(linear);
    bl_model_destroy(bricard);
    test_context_end(ctx);
}

/* ---- the scene with the smallest mesh, from its file to all kinds of output that stay in memory */

typedef struct smallest {
    char name[256];
    bl_index size;
} smallest;

static void find_smallest(bl_context *ctx, const bl_model *model, const char *name, void *user) {
    smallest *s = user;
    (void)ctx;
    if (!scene_has_meshes(model) || (s->size > 0 && scene_mesh_size(model) >= s->size))
        return;
    s->size = scene_mesh_size(model);
    snprintf(s->name, sizeof s->name, "%s/%s.yaml", SCENES, name);
}

static bl_status mesh_run(bl_context *ctx, void *user) {
    const task *t = user; /* text: the file */
    bl_model *model = NULL;
    bl_sink sink = {0};
    size_t written = 0;
    bl_status status = bl_model_read(ctx, t->text, NULL, 0, &model);
    if (status == BL_OK)
        status = bl_sink_json(ctx, swallow, &written, &sink);
    if (status == BL_OK)
        status = bl_simulate(ctx, model, &t->options, &sink, 1, NULL);
    bl_sink_destroy(&sink);
    bl_model_destroy(model);
    return status;
}

static void mesh__survives_every_failing_allocation(void **unused) {
    (void)unused;
    static const char *const methods[] = {NULL, "hht:0.1", "bdf:2", "radau", "dop853"};
    smallest s = {0};
    scene_each(find_smallest, &s);
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    assert_int_equal(bl_model_read(ctx, s.name, NULL, 0, &model), BL_OK);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        task t = {s.name, {.integrator = methods[m], .until = scene_time_of_steps(ctx, model, methods[m], 3)}};
        t.options.every = t.options.until / 2;
        assert_true(t.options.until > 0);
        assert_true(test_failing_paths(&paths, mesh_run, &t, SAMPLE) > 20);
    }
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* ---- power series: of a mechanism with redundant rows, of equations, stepped and reported */

static bl_status series_study(bl_context *ctx, void *user) {
    const implicit_task *t = user;
    bl_series_report report = {0};
    size_t written = 0;
    bl_series_options options = {.formulation = t->options.formulation, .coordinates = t->options.coordinates, .order = 4};
    bl_status status = bl_series_study(ctx, t->model, &options, &report);
    if (status == BL_OK)
        status = bl_series_write_c(ctx, &report, swallow, &written);
    bl_series_report_destroy(ctx, &report);
    return status;
}

static void series__survive_every_failing_allocation(void **unused) {
    (void)unused;
    static const char *const scene[] = {SCENES "/bricard.yaml", SCENES "/two_link_robot.yaml"};
    static const char *const formulation[] = {"index2", "partition"};
    bl_context *ctx = test_context(NULL);
    for (int m = 0; m < 2; m++) {
        bl_model *model;
        assert_int_equal(bl_model_read(ctx, scene[m], NULL, 0, &model), BL_OK);
        for (int f = 0; f < 2; f++) {
            implicit_task t = {.model = model,
                               .options = {.formulation = formulation[f], .integrator = "series:order=6", .until = 0.05, .every = 0.05}};
            assert_true(test_failing_paths(&paths, implicit_run, &t, SAMPLE) > 20);
            if (m == 0)
                t.options.coordinates = "mixed";
            assert_true(test_failing_paths(&paths, series_study, &t, SAMPLE) > 20);
        }
        bl_model_destroy(model);
    }
    test_context_end(ctx);
}

int main(void) {
    paths.random.state = test_seed(20261116);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(run__survives_every_failing_allocation),          cmocka_unit_test(handover__survives_every_failing_allocation),
        cmocka_unit_test(implicit_runs__survive_every_failing_allocation), cmocka_unit_test(mesh__survives_every_failing_allocation),
        cmocka_unit_test(series__survive_every_failing_allocation),
    };
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    test_paths_print(&paths);
    return failures;
}
