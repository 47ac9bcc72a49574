/* Power series of mechanisms with meshed bodies: energy, agreement with other methods, order, memory; laws without series are refused with
 * the reason. */
#include "coords/coords.h"
#include "study/simulation.h"
#include "study/study.h"
#include "support/every_way.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void expect(const char *what, double a, double b, double tolerance) {
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%s: %.15g, expected %.15g, off by %.3g of %.3g", what, a, b, fabs(a - b), tolerance);
}

/* Two soft bodies between rigid ones: a hinge on a rigid interface, one on an averaging interface, one inside an element; a spring. */
#define PLANE(damping)                                                                                                             \
    "dimension: 2\ngravity: [0, -9.81]\nmaterials: {m: {type: st_venant_kirchhoff, E: 3000, nu: 0.3, density: 2}}\n"               \
    "bodies:\n  - {name: a, mesh: {rectangle: {to: [1, 0.2], n: [2, 1]}, element: quad8}, material: m, plane: stress" damping      \
    ", interfaces: [{name: l, set: left}, {name: r, set: right, kind: average}]}\n"                                                \
    "  - {name: b, mesh: {rectangle: {from: [1, 0], to: [2, 0.2], n: [2, 1]}, element: quad4}, material: m, plane: strain" damping \
    ", interfaces: [{name: l, set: left}]}\n  - {name: c, mass: 1, rod: {from: [2, 0], to: [2, -1]}}\n"                            \
    "joints: [{type: revolute, bodies: [ground, a.l], at: [0, 0.1]}, {type: revolute, bodies: [a.r, b.l], at: [1, 0.1]},\n"        \
    "  {type: revolute, bodies: [b, c], at: [1.8, 0.07]}]\n"                                                                       \
    "forces: [{type: spring, bodies: [ground, b], at: [1.3, 1], to: [1.3, 0.06], stiffness: 40, damping: 1}]\n"                    \
    "probes: {P: {body: c, at: [2, -1]}, M: {body: a, at: [0.6, 0.15]}}\n"
#define SPACE(damping)                                                                                           \
    "gravity: [0, 0, -9.81]\nmaterials: {m: {type: st_venant_kirchhoff, E: 3000, nu: 0.3, density: 2}}\n"        \
    "bodies:\n  - {name: a, mesh: {box: {to: [1, 0.3, 0.2], n: [2, 1, 1]}, element: hexa8}, material: m" damping \
    ", interfaces: [{name: l, set: left}, {name: r, set: right, kind: average}]}\n"                              \
    "  - {name: c, mass: 1, center: [1.5, 0, 0], inertia: [0.1, 0.2, 0.3]}\n"                                    \
    "joints: [{type: revolute, bodies: [ground, a.l], at: [0, 0, 0], axis: [0, 1, 0]},\n"                        \
    "  {type: revolute, bodies: [a.r, c], at: [1.2, 0, 0], axis: [0.3, 0, 1]}]\n"                                \
    "probes: {P: {body: c, at: [2, 0, 0]}, M: {body: a, at: [0.6, 0.15, 0.1]}}\n"
static const char *const texts[] = {PLANE(""), PLANE(", damping: {mass: 0.4, stiffness: 0.002}"), SPACE(""),
                                    SPACE(", mass: lumped, damping: {mass: 0.4, stiffness: 0.002}")};
enum { MODELS = sizeof texts / sizeof *texts };

static test_ending finish(const char *text, const char *formulation, const char *integrator, double tolerance, double step, double until) {
    test_ending end;
    test_one_way(text,
                 &(bl_run_options){.formulation = formulation,
                                   .integrator = integrator,
                                   .coordinates = "natural",
                                   .tolerance = tolerance,
                                   .step = step,
                                   .until = until},
                 NULL, &end, NULL);
    return end;
}

/* The balance of a run at 1e-10: energy, with what is lost in damping, within the errors of all steps. */
static void energy__is_kept_and_work_counted(void **unused) {
    (void)unused;
    static const char *const formulations[] = {"partition", "lagrange", "index2"}, *const coordinates[] = {"natural", "mixed"};
    for (int i = 0; i < MODELS; i++)
        for (int f = 0; f < 3; f++) {
            test_ending end;
            test_one_way(texts[i],
                         &(bl_run_options){.formulation = formulations[f],
                                           .integrator = "series",
                                           .coordinates = coordinates[f % 2],
                                           .tolerance = 1e-10,
                                           .until = 1},
                         NULL, &end, NULL);
            double turned = end.kinetic + fabs(end.potential) + fabs(end.work) + 1;
            expect("balance", end.energy_error, 0, 1e-10 * (double)end.summary.steps * turned);
            expect("constraints", end.drift, 0, 1e-9);
            test_no_warning(&end);
        }
}

static void motions__are_those_of_other_methods(void **unused) {
    (void)unused;
    static const struct { const char *formulation, *integrator; } others[] = {{"lagrange", "dop853"}, {"partition", "radau"}};
    for (int i = 0; i < MODELS; i++) {
        test_ending series = finish(texts[i], "partition", "series", 1e-12, 0, 0.3);
        for (int o = 0; o < 2; o++) {
            test_ending other = finish(texts[i], others[o].formulation, others[o].integrator, 1e-12, 0, 0.3);
            for (int p = 0; p < 2; p++)
                for (int k = 0; k < 3; k++) {
                    expect(others[o].integrator, series.probe[p][k], other.probe[p][k], 1e-10);
                    expect(others[o].integrator, series.probe_rate[p][k], other.probe_rate[p][k], 1e-8); /* they vibrate at 100 rad/s */
                }
        }
    }
}

/* Fixed steps with powers to K: velocities are known to K - 1, by index2 to K, and errors fall like h^(K-1), h^K. */
static void errors__fall_with_the_order(void **unused) {
    (void)unused;
    static const char *const formulations[] = {"lagrange", "index2"};
    for (int i = 0; i < 2 * MODELS; i++) {
        const char *text = texts[i / 2], *formulation = formulations[i % 2];
        test_ending exact = finish(text, "lagrange", "series", 1e-13, 0, 0.1);
        for (int order = 4; order <= 6; order++) {
            char integrator[64];
            double error[2];
            snprintf(integrator, sizeof integrator, "series:steps=fixed,order=%d", order);
            for (int half = 0; half < 2; half++) {
                test_ending end = finish(text, formulation, integrator, 0, 0.1 / (half ? 800 : 400), 0.1);
                error[half] = 0;
                for (int p = 0; p < 2; p++)
                    for (int k = 0; k < 3; k++)
                        error[half] = fmax(error[half], fabs(end.probe[p][k] - exact.probe[p][k]));
            }
            double rate = log2(error[0] / error[1]);
            if (error[1] > 1e-11 && !(rate > order + i % 2 - 1.3))
                fail_msg("model %d, %s, order %d: errors %.3g, %.3g: rate %.2f", i / 2, formulation, order, error[0], error[1], rate);
        }
    }
}

/* Small deflections of a bar of one element with nu = 0, as a mass on a spring: m = rho A L / 3, k = E A / L, in closed form. */
static void a_bar__vibrates_as_it_must(void **unused) {
    (void)unused;
    test_ending end = finish("dimension: 2\nmaterials: {m: {type: st_venant_kirchhoff, E: 300, nu: 0, density: 3}}\n"
                             "bodies: [{name: b, mesh: {rectangle: {to: [1, 1], n: [1, 1]}, element: quad4}, material: m, plane: strain,"
                             " interfaces: [{name: l, set: left}, {name: r, set: right}]}]\n"
                             "joints: [{type: fixed, bodies: [ground, b.l], at: [0, 0]}, {name: s, type: prismatic, bodies: [ground, b.r],"
                             " at: [1, 0], axis: [1, 0]}]\nforces: [{type: force, body: b.r, at: [1, 0], force: [3e-7, 0]}]\n"
                             "probes: {P: {body: b.r, at: [1, 0]}}\n",
                             "partition", "series", 1e-12, 0, 1.5);
    double stiffness = 300, w = sqrt(stiffness / 1), u = 3e-7 / stiffness;
    expect("vibration", end.probe[0][0] - 1, u * (1 - cos(w * 1.5)), 1e-6 * u); /* strains of 2e-9 bend the law by as much */
}

static void steps__allocate_nothing(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    bl_system *sys;
    bl_state state = {0};
    bl_simulation *sim;
    assert_int_equal(bl_model_read_text(ctx, "text", texts[1], strlen(texts[1]), NULL, 0, &model), BL_OK);
    assert_int_equal(bl_coords_build(ctx, model, "natural", &sys), BL_OK);
    assert_int_equal(bl_state_create(sys, 0, &state), BL_OK);
    assert_int_equal(bl_coords_initial(sys, &state), BL_OK);
    bl_simulation_setup setup = {.formulation = "lagrange", .integrator = "series", .t_end = 1, .tolerance = 1e-8};
    assert_int_equal(bl_simulation_create(sys, &state, &setup, &sim), BL_OK);
    for (int k = 0; k < 3; k++)
        assert_int_equal(bl_simulation_advance(sim), BL_OK);
    size_t calls = bl_context_memory(ctx).calls;
    for (int k = 0; k < 20; k++)
        assert_int_equal(bl_simulation_advance(sim), BL_OK);
    assert_int_equal(bl_context_memory(ctx).calls, calls);
    bl_simulation_destroy(sim);
    bl_state_destroy(sys, &state);
    bl_system_destroy(sys);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void refuse(const char *law, const char *more, const char *integrator, const char *what, const char *advice) {
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    char text[900];
    snprintf(text, sizeof text,
             "dimension: 2\nmaterials: {m: {type: %s, density: 1}}\nbodies:\n"
             "  - {name: soft, mesh: {rectangle: {to: [2, 1], n: [2, 1]}, element: quad4}, material: m, plane: strain%s,"
             " interfaces: [{name: l, set: left}]}\njoints: [{type: revolute, bodies: [ground, soft.l], at: [0, 0]}]\n",
             law, more);
    if (bl_model_read_text(ctx, "text", text, strlen(text), NULL, 0, &model) != BL_OK)
        fail_msg("%s\n%s", bl_context_error(ctx)->what, text);
    assert_int_equal(bl_simulate(ctx, model, &(bl_run_options){.integrator = integrator, .until = 0.1}, NULL, 0, NULL), BL_E_ABILITY);
    const bl_error *error = bl_context_error(ctx);
    if (!strstr(error->what, what) || !strstr(error->advice, advice))
        fail_msg("%s (%s)\n%s", error->what, error->advice, text);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void laws_without_series__are_refused_by_name(void **unused) {
    (void)unused;
    static const char *const integrators[] = {"series", "energy_momentum"};
    for (int i = 0; i < 2; i++) {
        refuse("neo_hookean, E: 1, nu: 0.3", "", integrators[i], "soft", "st_venant_kirchhoff");
        refuse("hencky, E: 1, nu: 0.3", "", integrators[i], "hencky", "st_venant_kirchhoff");
        refuse("nearly_incompressible, E: 1, nu: 0.49", ", bbar: true", integrators[i], "bbar", "st_venant_kirchhoff");
        refuse("elastic, E: 1, nu: 0.3", ", coordinates: floating, modes: 2", integrators[i], "floating", "integrator");
    }
    refuse("st_venant_kirchhoff, E: 1, nu: 0.3", ", points: 1", "energy_momentum", "hourglass", "points");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy__is_kept_and_work_counted), cmocka_unit_test(motions__are_those_of_other_methods),
        cmocka_unit_test(errors__fall_with_the_order),      cmocka_unit_test(a_bar__vibrates_as_it_must),
        cmocka_unit_test(steps__allocate_nothing),          cmocka_unit_test(laws_without_series__are_refused_by_name)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
