#include "support/hold.h"

#include "study/run.h"
#include "study/simulation.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Denavit-Hartenberg frames with lengths 2.5, 1.7, twists with a / sin alpha = b / sin beta (Bennett 1903) */
const char hold_bennett[] =
    "model: Bennett\n"
    "gravity: [0,0,-9.81]\n"
    "bodies:\n"
    "  - {name: b1, mass: 1, center: [0.7770124603383305, 0.9791586370343542, 0.0], inertia: [1,2,2.5]}\n"
    "  - {name: b2, mass: 1, center: [1.1501995814193435, 1.2169341058476206, -0.09887412832573743], inertia: [1,2,2.5]}\n"
    "  - {name: b3, mass: 1, center: [-0.47681287891898755, 0.2377754688132674, -0.09887412832573708], inertia: [1,2,2.5]}\n"
    "joints:\n"
    "  - {name: j1, type: revolute, bodies: [ground, b1], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  - {name: j2, type: revolute, bodies: [b1, b2], at: [1.554024920676661, 1.9583172740687085, 0.0], "
    "axis: [0.4422996437289516, -0.3509873899713574, 0.8253356149096783]}\n"
    "  - {name: j3, type: revolute, bodies: [b2, b3], at: [0.746374242162026, 0.4755509376265328, "
    "-0.19774825665147486], axis: [0.11632250391263238, -0.19328651775653677, 0.9742224577256715]}\n"
    "  - {name: j4, type: revolute, bodies: [b3, ground], at: [-1.700000000000001, 1.9984014443252818e-15, "
    "6.938893903907228e-16], axis: [3.3306690738754696e-16, 0.383956881908624, 0.9233510236280713]}\n"
    "initial: {j1.rate: 1}\n"
    "simulate: {until: 2}\n";

const char hold_jack[] = "model: Screw jack\n"
                         "gravity: [0,0,-9.81]\n"
                         "bodies:\n"
                         "  - {name: nut, cylinder: {from: [0,0,0], to: [0,0,0.1], radius: 0.05}, mass: 1}\n"
                         "  - {name: load, box: {center: [0,0,0.3], size: [0.2,0.2,0.2]}, mass: 10}\n"
                         "joints:\n"
                         "  - {name: base, type: revolute, bodies: [ground, nut], at: [0,0,0], axis: [0,0,1]}\n"
                         "  - {name: thread, type: screw, bodies: [nut, load], at: [0,0,0.1], axis: [0,0,1], pitch: 0.005}\n"
                         "  - {name: guide, type: prismatic, bodies: [ground, load], at: [0,0,0.3], axis: [0,0,1]}\n"
                         "initial: {base.rate: 10}\n"
                         "simulate: {until: 1}\n";

const char hold_gimbals[] = "model: Gyroscope in gimbals\n"
                            "gravity: [0,0,-9.81]\n"
                            "bodies:\n"
                            "  - {name: outer, mass: 1, center: [0,0,0], inertia: [0.02,0.02,0.03]}\n"
                            "  - {name: inner, mass: 0.5, center: [0,0,0], inertia: [0.01,0.01,0.015]}\n"
                            "  - {name: rotor, mass: 2, center: [0.02,0,0], inertia: [0.02,0.01,0.01]}\n"
                            "joints:\n"
                            "  - {name: A, type: revolute, bodies: [ground, outer], at: [0,0,0], axis: [0,0,1]}\n"
                            "  - {name: B, type: revolute, bodies: [outer, inner], at: [0,0,0], axis: [0,1,0]}\n"
                            "  - {name: C, type: revolute, bodies: [inner, rotor], at: [0,0,0], axis: [1,0,0]}\n"
                            "initial: {C.rate: 100}\n"
                            "simulate: {until: 1}\n";

enum { VARIABLES = 128 };

typedef struct subject {
    bl_context *ctx;
    bl_model *model;
    bl_system *sys;
    bl_state state;
} subject;

static const char *name_of(const hold_case *c, char *name, size_t room) {
    snprintf(name, room, "%s", c->scene ? c->scene : c->text);
    name[strcspn(name, "\n")] = '\0';
    return name;
}

/* false: these coordinates do not take it */
static bool subject_begin(subject *s, const hold_case *c, const char *coordinates) {
    char path[256];
    *s = (subject){.ctx = test_context(NULL)};
    snprintf(path, sizeof path, "%s/%s.yaml", SCENES, c->scene ? c->scene : "");
    bl_status status = c->scene ? bl_model_read(s->ctx, path, NULL, 0, &s->model)
                                : bl_model_read_text(s->ctx, "model", c->text, strlen(c->text), NULL, 0, &s->model);
    if (status != BL_OK)
        fail_msg("%s: %s", path, bl_context_error(s->ctx)->what);
    return bl_run_prepare(s->ctx, s->model, coordinates, &s->sys, &s->state) == BL_OK;
}

static void subject_end(subject *s) {
    bl_state_destroy(s->sys, &s->state);
    bl_system_destroy(s->sys);
    bl_model_destroy(s->model);
    test_context_end(s->ctx);
}

static bl_status run(subject *s, double until, const char *formulation, const char *integrator, double tolerance, double *end,
                     long *steps) {
    bl_simulation_setup setup = {.formulation = formulation, .integrator = integrator, .t_end = until, .tolerance = tolerance};
    bl_simulation *sim;
    bl_context_clear_warnings(s->ctx);
    bl_status status = bl_simulation_create(s->sys, &s->state, &setup, &sim);
    if (status != BL_OK)
        return status;
    while (status == BL_OK && *sim->state.t < until)
        status = bl_simulation_advance(sim);
    *steps = sim->integ->stats.steps;
    bl_sample sample;
    if (status == BL_OK)
        status = bl_simulation_sample(sim, until, &sample);
    for (bl_index i = 0; status == BL_OK && i < s->model->nvariable && i < VARIABLES; i++)
        end[i] = sample.variable[i];
    bl_simulation_destroy(sim);
    return status;
}

/* by a method of high order that shares no step with those under test */
static void find_reference(const hold_case *c, double *end) {
    subject s;
    char name[80];
    long steps;
    if (!subject_begin(&s, c, "natural"))
        fail_msg("%s: %s", name_of(c, name, sizeof name), bl_context_error(s.ctx)->what);
    const char *const methods[][2] = {{"partition", "series"}, {"partition", "dop853"}, {"lagrange", "dop853"}, {"plain", "radau:13"}};
    bl_status status = BL_E_ABILITY;
    for (size_t i = s.sys->np ? 0 : 3; i < 4 && status != BL_OK; i++)
        status = run(&s, c->until, methods[i][0], methods[i][1], 1e-13, end, &steps);
    if (status != BL_OK)
        fail_msg("%s: %s", name_of(c, name, sizeof name), bl_context_error(s.ctx)->what);
    subject_end(&s);
}

static int rounding_warnings(const subject *s) {
    const bl_warning *warning;
    bl_index n = bl_context_warnings(s->ctx, &warning, NULL);
    int found = 0;
    for (bl_index i = 0; i < n; i++)
        found += strstr(warning[i].text, "cannot meet the tolerance") != NULL;
    return found;
}

int test_implicit_faults(const hold_case *c, const char *coordinates, const char *const *methods, const double *tolerances) {
    subject s;
    int faults = 0;
    char name[80];
    double reference[VARIABLES], end[VARIABLES];
    long steps;
    name_of(c, name, sizeof name);
    if (!subject_begin(&s, c, coordinates)) {
        subject_end(&s);
        return 0;
    }
    find_reference(c, reference);
    for (size_t m = 0; methods[m]; m++)
        for (size_t k = 0; tolerances[k] > 0; k++) {
            double tolerance = tolerances[k], worst = 0;
            if (c->singular && tolerance < 1e-9)
                continue;
            bl_status status = run(&s, c->until, s.sys->np ? "ggl" : "plain", methods[m], tolerance, end, &steps);
            if (status != BL_OK) {
                print_message("%s, %s, %s, %g: %s\n", name, coordinates, methods[m], tolerance, bl_context_error(s.ctx)->what);
                faults++;
                continue;
            }
            for (bl_index i = 0; i < s.model->nvariable && i < VARIABLES; i++)
                worst = fmax(worst, fabs(end[i] - reference[i]) / fmax(1, fabs(reference[i])));
            int warned = rounding_warnings(&s);
            if (!(worst <= 10 * (double)steps * tolerance) || warned > (tolerance < 1e-9)) {
                print_message("%s, %s, %s, %g: off by %g after %ld steps, %d warnings\n", name, coordinates, methods[m], tolerance, worst,
                              steps, warned);
                faults++;
            }
        }
    subject_end(&s);
    return faults;
}

void test_implicit_holds(const hold_case *c, const char *coordinates, const char *const *methods, const double *tolerances) {
    assert_int_equal(test_implicit_faults(c, coordinates, methods, tolerances), 0);
}
