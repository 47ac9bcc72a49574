/* From the file's text to the JSON of a run: every allocation of ours failed in turn. Nothing leaks or crashes, the status says why. */
#include "biela/biela.h"
#include "support/testing.h"

#include <string.h>

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
    if (status == BL_EVENT) /* the stop expression: a good end */
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
    task tasks[] = {
        {equations, {.integrator = "bdf:2"}},
        {equations, {.integrator = "bdf:2", .formulation = "index3"}},
        {matrices, {.integrator = "newmark"}},
        {matrices, {.integrator = "dopri45", .absolute = 1e-8}},
        {heat, {.integrator = "bdf:2"}},
        {pendulum, {.formulation = "partition"}},
        {pendulum, {.formulation = "lagrange", .integrator = "rk4", .step = 0.01}},
        {driven, {.coordinates = "mixed", .linsol = "block"}},
    };
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++)
        assert_true(test_failing_allocations(whole_run, &tasks[i]) > 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(run__survives_every_failing_allocation)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
