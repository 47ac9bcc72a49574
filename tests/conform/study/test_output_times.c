/* Output does not influence the motion: whatever samples are requested, every scene takes the same steps with every kind of method, in
 * every kind of coordinates, and ends with the same bits. */
#include "model/model.h"
#include "support/scene.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_NUMBERS = 4000 };
#ifdef LONG
enum {
    SHARE = 100,
    MESH_STEPS = 60,
    LARGEST_MESH = 10000
}; /* fraction of the simulated time of a scene; for meshes a number of steps, up to this size */
#else
enum { SHARE = 1000, MESH_STEPS = 6, LARGEST_MESH = 800 };
#endif

/* scenes that these tests leave to tests/long */
static bool too_long(const bl_model *model) { return SHARE == 1000 && scene_has_large_elastic_bodies(model); }

/* the last sample of a run: positions, velocities, energies; not reactions, which are computed anew for every sample */
typedef struct last {
    bl_run_info copy;
    long samples;
    size_t n;
    double number[MOST_NUMBERS];
} last;

static bl_status begin(void *user, const bl_run_info *info) {
    ((last *)user)->copy = *info;
    return BL_OK;
}

static void keep(last *l, const double *x, bl_index n) {
    for (bl_index i = 0; x && i < n && l->n < MOST_NUMBERS; i++)
        l->number[l->n++] = x[i];
}

static bl_status sample(void *user, const bl_sample *s) {
    last *l = user;
    l->samples++;
    l->n = 0;
    keep(l, &s->t, 1);
    for (bl_index i = 0; i < l->copy.nbody; i++) {
        keep(l, s->body[i].position, 3);
        keep(l, s->body[i].velocity, 3);
        keep(l, s->body[i].angular_velocity, 3);
    }
    keep(l, s->variable, l->copy.nvariable);
    keep(l, s->variable_rate, l->copy.nvariable);
    keep(l, s->probe, 3 * l->copy.nprobe);
    keep(l, s->probe_rate, 3 * l->copy.nprobe);
    keep(l, &s->kinetic, 1);
    keep(l, &s->work, 1);
    return BL_OK;
}

static bl_status run(const bl_model *model, bl_context *ctx, const bl_run_options *options, last *l, bl_run_summary *summary) {
    *l = (last){0};
    *summary = (bl_run_summary){0};
    bl_sink sink = {.user = l, .begin = begin, .sample = sample, .want = BL_WANT_ALL & ~BL_WANT_FIELDS};
    return bl_simulate(ctx, model, options, &sink, 1, summary);
}

static const char *where(const last *a, const last *b) {
    static char text[200];
    for (size_t i = 0; i < a->n && i < b->n; i++)
        if (memcmp(&a->number[i], &b->number[i], sizeof(double)) != 0) {
            snprintf(text, sizeof text, " in number %zu of %zu: %.17g, else %.17g", i, a->n, b->number[i], a->number[i]);
            break;
        }
    return text;
}

/* Four requests for output. */
static void compare(bl_context *ctx, const bl_model *model, const char *what, const bl_run_options *way) {
    double until = way->until, at[] = {0.3 * until, 0.31 * until, until};
    bl_run_options asked[4] = {*way, *way, *way, *way};
    asked[0].at = at + 2, asked[0].nat = 1; /* only the end */
    asked[1].every = until / 37;
    asked[2].every_step = true;
    asked[3].at = at, asked[3].nat = 3;
    static last first, other;
    bl_run_summary a = {0}, b = {0};
    bl_status status = run(model, ctx, &asked[0], &first, &a);
    for (int k = 1; k < 4; k++) {
        bl_status again = run(model, ctx, &asked[k], &other, &b);
        if (again != status)
            fail_msg("%s: status %d, with other output %d", what, status, again);
        if (status < 0) /* refused, or inaccurate: then a sample may be impossible */
            continue;
        if (a.steps != b.steps || a.rejections != b.rejections || a.restarts != b.restarts || a.evaluations != b.evaluations ||
            a.repartitions != b.repartitions || a.t != b.t || a.h_smallest != b.h_smallest || a.h_largest != b.h_largest)
            fail_msg("%s, output %d: %ld steps, %ld rejected, %ld evaluations to t = %.17g, else %ld, %ld, %ld to %.17g", what, k, b.steps,
                     b.rejections, b.evaluations, b.t, a.steps, a.rejections, a.evaluations, a.t);
        if (first.n != other.n || memcmp(first.number, other.number, first.n * sizeof(double)) != 0)
            fail_msg("%s, output %d: the end differs%s", what, k, where(&first, &other));
    }
}

/* Robertson's kinetics and beams are stiff: explicit methods would need an enormous number of steps. */
static bool suits(const bl_model *model, const char *scene, const char *method) {
    if (model->nelastic)
        return !method || strcmp(method, "rk4") != 0;
    return !method || strcmp(scene, "robertson") != 0 || strstr(method, "_auto");
}

/* beams are as stiff as meshes: some steps of the method have to do */
static double span(bl_context *ctx, const bl_model *model, const char *integrator) {
    return model->nelastic ? scene_time_of_steps(ctx, model, integrator, MESH_STEPS) : model->settings.until / SHARE;
}

static void by_methods(bl_context *ctx, const bl_model *model, const char *scene, void *unused) {
    (void)unused;
#ifdef LONG
    static const char *const methods[] = {NULL, "dopri45", "dop853", "abm", "ndf_auto", "stiff_auto", "radau", "rk4", "genalpha"};
#else
    static const char *const methods[] = {NULL, "dop853", "ndf_auto", "rk4"};
#endif
    if (scene_has_meshes(model) || too_long(model))
        return;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        char what[200];
        if (!suits(model, scene, methods[i]))
            continue;
        snprintf(what, sizeof what, "%s by %s", scene, methods[i] ? methods[i] : "the default");
        double until = span(ctx, model, methods[i]);
        if (!(until > 0))
            continue;
        bl_run_options way = {.integrator = methods[i], .until = until, .step = until / 30};
        compare(ctx, model, what, &way);
    }
}

static void meshes_by_methods(bl_context *ctx, const bl_model *model, const char *scene, void *user) {
#ifdef LONG
    static const char *const methods[] = {NULL, "dopri45", "dop853", "ndf_auto", "radau", "trbdf2", "hht:0.1", "bdf:2", "energy_momentum"};
#else
    static const char *const methods[] = {NULL, "dop853", "ndf_auto", "hht:0.1"};
#endif
    if (!scene_has_meshes(model) || scene_mesh_size(model) > LARGEST_MESH)
        return;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        char what[200];
        double until = scene_time_of_steps(ctx, model, methods[i], MESH_STEPS);
        if (!(until > 0))
            continue; /* a stationary field, a body without inertia, a method that cannot take a step of the scene */
        snprintf(what, sizeof what, "%s by %s", scene, methods[i] ? methods[i] : "the default");
        compare(ctx, model, what, &(bl_run_options){.integrator = methods[i], .until = until});
        ++*(long *)user;
    }
}

static void in_coordinates(bl_context *ctx, const bl_model *model, const char *scene, void *unused) {
    (void)unused;
#ifdef LONG
    static const char *const kinds[] = {"natural", "mixed", "reference", "reference:angles", "reference:view=tangent", "relative"};
    static const char *const formulations[] = {NULL, "lagrange", "null_space", "penalty"};
#else
    static const char *const kinds[] = {"mixed", "reference", "relative"};
    static const char *const formulations[] = {NULL, "lagrange"};
#endif
    if (scene_has_meshes(model) || too_long(model))
        return;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (size_t k = 0; k < sizeof formulations / sizeof *formulations; k++) {
            char what[200];
            snprintf(what, sizeof what, "%s in %s by %s", scene, kinds[i], formulations[k] ? formulations[k] : "the default");
            bl_run_options way = {.coordinates = kinds[i], .formulation = formulations[k], .until = span(ctx, model, NULL)};
            compare(ctx, model, what, &way);
        }
}

static void output__changes_no_step_of_any_method(void **state) {
    (void)state;
    scene_each(by_methods, NULL);
}

static void output__changes_no_step_of_meshes(void **state) {
    (void)state;
    long runs = 0;
    scene_each(meshes_by_methods, &runs);
    assert_true(runs > 0);
}

static void output__changes_no_step_in_any_coordinates(void **state) {
    (void)state;
    scene_each(in_coordinates, NULL);
}

/* Peaucellier's inversor passes a folded rhombus, where a sample could select other coordinates for the following steps. */
static const char peaucellier[] =
    "dimension: 2\ngravity: [0, -9.81]\n"
    "parameters: {f: 0.6, L: 3, s: 1.2, p: =2*cos(f/2), q: =(L^2-s^2)/p, m: =(p+q)/2, k: =sqrt(L^2-m^2), ux: =cos(f/2), uy: =sin(f/2)}\n"
    "points:\n  O: [0, 0]\n  C: [1, 0]\n  P: [=p*ux, =p*uy]\n  Q: [=q*ux, =q*uy]\n"
    "  A: [=m*ux-k*uy, =m*uy+k*ux]\n  B: [=m*ux+k*uy, =m*uy-k*ux]\n"
    "bodies:\n- {name: oa, rod: {from: O, to: A}, mass: 1}\n- {name: ob, rod: {from: O, to: B}, mass: 1}\n"
    "- {name: ap, rod: {from: A, to: P}, mass: 1}\n- {name: aq, rod: {from: A, to: Q}, mass: 1}\n"
    "- {name: bp, rod: {from: B, to: P}, mass: 1}\n- {name: bq, rod: {from: B, to: Q}, mass: 1}\n"
    "- {name: cp, rod: {from: C, to: P}, mass: 1}\n"
    "joints:\n- {type: revolute, bodies: [ground, oa], at: O}\n- {type: revolute, bodies: [ground, ob], at: O}\n"
    "- {type: revolute, bodies: [ground, cp], at: C}\n- {type: revolute, bodies: [oa, ap], at: A}\n"
    "- {type: revolute, bodies: [oa, aq], at: A}\n- {type: revolute, bodies: [ob, bp], at: B}\n"
    "- {type: revolute, bodies: [ob, bq], at: B}\n"
    "- {type: revolute, bodies: [ap, bp], at: P}\n- {type: revolute, bodies: [ap, cp], at: P}\n"
    "- {type: revolute, bodies: [aq, bq], at: Q}\n"
    "probes: {Q: {body: aq, at: Q}}\nsimulate: {until: 2}\n";

static void peaucellier__steps_alike_at_small_tolerances(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    assert_int_equal(bl_model_read_text(ctx, "peaucellier", peaucellier, strlen(peaucellier), NULL, 0, &model), BL_OK);
    static const char *const kinds[] = {"natural", "mixed", "reference", "relative"};
    for (int i = 0; i < 4; i++)
        for (double tolerance = 1e-6; tolerance > 1e-10; tolerance *= 1e-3) {
            bl_run_options way = {.coordinates = kinds[i], .until = 2, .tolerance = tolerance};
            compare(ctx, model, kinds[i], &way);
        }
    bl_model_destroy(model);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(output__changes_no_step_of_any_method),
        cmocka_unit_test(output__changes_no_step_of_meshes),
        cmocka_unit_test(output__changes_no_step_in_any_coordinates),
        cmocka_unit_test(peaucellier__steps_alike_at_small_tolerances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
