/* Meshes as systems: threads, histories, refusals with a reason, failing memory. */
#include "base/crew.h"
#include "support/solid_run.h"
#include "support/solids.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- threads */

static solid_run with_threads(const char *text, int threads, const char *integrator) {
    solid_run run = {.options = {.threads = threads, .integrator = integrator}};
    solid_run_text(&run, text);
    return run;
}

static void threads__give_the_same_bits(void **state) {
    (void)state;
    static const struct {
        const char *text, *integrator;
    } cases[] = {
        {"dimension: 3\nmaterials: {m: {type: elastic, E: 1, nu: 0.3, density: 1}}\n"
         "bodies: [{name: b, mesh: {box: {to: [3, 1, 1], n: [16, 6, 6]}, element: hexa8, distort: [0.2, 3]}, material: m, mass: lumped}]\n"
         "supports: [{set: left, all: 0}]\nloads: [{set: right, traction: [0, 0, -0.01]}]\nprobes: {p: {at: [3, 1, 1]}}\n"
         "simulate: {until: 0.2, every: 0.05}\n",
         "central"},
        {"dimension: 2\nmaterials: {m: {type: plastic, E: 1000, nu: 0.3, density: 1, yield: 1, hardening: 50}}\n"
         "bodies: [{name: b, mesh: {rectangle: {to: [4, 1], n: [24, 8]}, element: quad4, distort: [0.2, 3]}, material: m,\n"
         "          plane: strain, bbar: true}]\n"
         "supports: [{set: left, all: 0}]\nloads: [{set: right, traction: [2, -0.2]}]\nprobes: {p: {at: [4, 1]}}\n"
         "simulate: {until: 0.2, every: 0.05, step: 0.02}\n",
         "hht:0.1"}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        solid_run one = with_threads(cases[c].text, 1, cases[c].integrator);
        for (int threads = 2; threads <= 5; threads += threads == 2 ? 1 : 2) {
            solid_run many = with_threads(cases[c].text, threads, cases[c].integrator);
            assert_int_equal(many.samples, one.samples);
            assert_memory_equal(many.value, one.value, 3 * (size_t)one.samples * sizeof(double));
            assert_memory_equal(many.potential, one.potential, (size_t)one.samples * sizeof(double));
            solid_run_end(&many);
        }
        solid_run_end(&one);
    }
}

typedef struct count {
    int done[1000];
    bl_index fails_at;
} count;

static bl_status do_item(void *user, int worker, bl_index item) {
    count *c = user;
    (void)worker;
    c->done[item]++;
    return item == c->fails_at || item == c->fails_at + 7 ? BL_SINGULAR : BL_OK;
}

static void crew__does_every_item_once_and_names_the_first_that_fails(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    for (int threads = 1; threads <= 4; threads++) {
        bl_crew *crew;
        assert_int_equal(bl_crew_create(ctx, threads, &crew), BL_OK);
        assert_int_equal(bl_crew_threads(crew), threads);
        for (int round = 0; round < 50; round++) {
            count c = {.fails_at = -100};
            bl_index failed = -1;
            assert_int_equal(bl_crew_run(crew, 1000, do_item, &c, &failed), BL_OK);
            for (int k = 0; k < 1000; k++)
                assert_int_equal(c.done[k], 1);
            memset(&c, 0, sizeof c);
            c.fails_at = 13 * round;
            assert_int_equal(bl_crew_run(crew, 1000, do_item, &c, &failed), BL_SINGULAR);
            assert_int_equal(failed, c.fails_at);
        }
        bl_crew_destroy(crew);
    }
    bl_crew *crew;
    assert_int_equal(bl_crew_create(ctx, 0, &crew), BL_E_ARG);
    assert_null(crew);
    test_context_end(ctx);
}

/* ---- histories */

/* results of an evaluation depend only on the history and the displacements, and it does not change the history */
static void evaluation__leaves_the_history_alone(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    solid_case c = {.element = bl_element_kind_by_name("quad4"),
                    .strain = &bl_strain_linear,
                    .material = &bl_material_plastic,
                    .plane = BL_PLANE_STRAIN,
                    .cells = 3,
                    .distort = 0.1,
                    .name = "plastic"};
    bl_model *model;
    bl_system *sys;
    solid_build(ctx, &c, &model, &sys);
    bl_state state0;
    assert_int_equal(bl_state_create(sys, 0, &state0), BL_OK);
    bl_eval e = {0};
    assert_int_equal(bl_eval_create(sys, BL_Q | BL_KC, &e), BL_OK);
    test_random random = {5};
    double *Q = calloc((size_t)sys->nv, sizeof *Q), *other = calloc((size_t)sys->nv, sizeof *other);
    unsigned char *history = malloc(sys->history_bytes);
    for (bl_index j = 0; j < sys->nv; j++)
        state0.q[j] = 0.1 * test_random_symmetric(&random); /* far beyond yield */
    bl_eval_at(&e, &state0);
    assert_int_equal(bl_system_eval(sys, &e, BL_Q), BL_OK);
    memcpy(Q, e.Q, (size_t)sys->nv * sizeof *Q);
    memcpy(history, state0.history, sys->history_bytes);
    for (int k = 0; k < 5; k++) { /* evaluate elsewhere */
        for (bl_index j = 0; j < sys->nv; j++)
            other[j] = 0.3 * test_random_symmetric(&random);
        bl_eval_at(&e, &state0);
        e.q = other;
        assert_int_equal(bl_system_eval(sys, &e, BL_Q | BL_KC), BL_OK);
    }
    bl_eval_at(&e, &state0);
    assert_int_equal(bl_system_eval(sys, &e, BL_Q), BL_OK);
    assert_memory_equal(e.Q, Q, (size_t)sys->nv * sizeof *Q);
    assert_memory_equal(state0.history, history, sys->history_bytes);
    /* once accepted, the history is that of these displacements, and the forces do not change */
    assert_int_equal(sys->kind->accept(sys, &e, &state0), BL_OK);
    assert_memory_not_equal(state0.history, history, sys->history_bytes);
    bl_eval_at(&e, &state0);
    assert_int_equal(bl_system_eval(sys, &e, BL_Q), BL_OK);
    for (bl_index j = 0; j < sys->nv; j++)
        assert_true(fabs(e.Q[j] - Q[j]) <= 1e-9 * (1 + fabs(Q[j])));
    free(Q);
    free(other);
    free(history);
    bl_eval_destroy(sys, &e);
    bl_state_destroy(sys, &state0);
    bl_system_destroy(sys);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* ---- supports that move: a bar carried along rigidly feels no force, whatever the law */

static void supports__that_move_carry_a_body_along(void **state) {
    (void)state;
    solid_run run = {.options = {.integrator = "radau", .tolerance = 1e-9}};
    solid_run_text(&run, "dimension: 2\nmaterials: {m: {type: elastic, E: 1000, nu: 0.3, density: 1}}\n"
                         "bodies: [{name: b, mesh: {rectangle: {to: [2, 1], n: [3, 2]}, element: quad4}, material: m, plane: stress}]\n"
                         "supports: [{set: left, x: =t^2, y: =0.1*t^3}, {set: right, x: =t^2, y: =0.1*t^3}]\n"
                         "loads: [{acceleration: [2, =0.6*t]}]\n" /* what the motion needs */
                         "probes: {p: {at: [0.66666666666666663, 0.5]}}\nsimulate: {until: 1, every: 0.5}\n");
    assert_true(fabs(solid_run_probe(&run, 2, 0, 0) - 0.66666666666666663 - 1) < 1e-7);
    assert_true(fabs(solid_run_probe(&run, 2, 0, 1) - 0.5 - 0.1) < 1e-7);
    if (!(run.summary.largest_energy_error < 1e-6))
        fail_msg("energy error %.3g", run.summary.largest_energy_error);
    solid_run_end(&run);
}

/* ---- refusals */

static void bad_models__are_refused_with_a_reason(void **state) {
    (void)state;
#define HEAD                                                                                                                       \
    "dimension: 2\n"                                                                                                               \
    "materials: {m: {type: elastic, E: 1000, nu: 0.3, density: 1}, i: {type: nearly_incompressible, E: 1, nu: 0.4, density: 1},\n" \
    "            c: {type: conducting, conductivity: 1, density: 1}}\n"
#define MESH "mesh: {rectangle: {to: [2, 1], n: [2, 2]}, element: quad4}"
    static const struct {
        const char *text, *says;
    } cases[] = {
        {HEAD "bodies: [{name: b, " MESH ", plane: stress}]", "b needs 'material' or 'sections'"},
        {HEAD "bodies: [{name: b, " MESH ", material: x, plane: stress}]", "there is no material 'x'"},
        {HEAD "bodies: [{name: b, " MESH ", material: c, plane: stress}]", "is for scalar fields, but"},
        {HEAD "bodies: [{name: b, " MESH ", material: m}]", "needs `plane: strain`"},
        {HEAD "bodies: [{name: b, " MESH ", material: m, plane: stress, strain: left}]", "small strains"},
        {HEAD "bodies: [{name: b, " MESH ", material: m, plane: stress, bbar: true}]", "cannot be used with plane stress"},
        {"dimension: 2\nmaterials: {m: {type: neo_hookean, E: 1, nu: 0.4}}\n"
         "bodies: [{name: b, " MESH ", material: m, plane: strain, strain: left, bbar: true}]",
         "needs a material law with separate pressure"},
        {"dimension: 1\nmaterials: {m: {type: elastic, E: 1, nu: 0.4}}\n"
         "bodies: [{name: b, mesh: {segment: {to: 1, n: 2}, element: segment2}, material: m, bbar: true}]",
         "cannot be used with bars"},
        {HEAD "bodies: [{name: b, " MESH ", material: m, plane: stress, points: 9}]", "no quadrature rule with 9 points"},
        {HEAD "bodies: [{name: b, mesh: {element: quad4}, material: m, plane: stress}]", "needs a generator"},
        {HEAD "bodies: [{name: b, mesh: {rectangle: {to: [2, 1], n: [2, 2]}, element: hexa8}, material: m, plane: stress}]",
         "cannot be meshed with elements of type hexa8"},
        {HEAD "bodies: [{name: b, mesh: {rectangle: {to: [2, 1], n: [20000, 20000]}, element: quad4}, material: m, plane: stress}]",
         "400000000 elements"},
        {HEAD "bodies: [{name: b, " MESH ", material: m, plane: stress}, {name: c, mass: 1}]",
         "a body of a mechanism rotates by any angle"},
        {HEAD "bodies: [{name: b, " MESH ", material: m, plane: stress}]\nsupports: [{set: up, x: 0}]", "no set of nodes 'up'"},
        {HEAD "bodies: [{name: b, " MESH ", material: m, plane: stress}]\nsupports: [{set: left}]", "a support needs components"},
        {HEAD "bodies: [{name: b, " MESH ", material: m, plane: stress}]\nsupports: [{set: left, z: 0}]", "no component z"},
        {HEAD "bodies: [{name: b, " MESH ", material: m, plane: stress}]\nloads: [{set: left, flux: 1}]", "not a load of a body"},
        {HEAD "bodies: [{name: b, " MESH ", material: m, plane: stress}]\nloads: [{traction: [1, 0]}]", "needs a set of faces"},
        {HEAD "bodies: [{name: b, " MESH ", material: m, plane: stress}]\nloads: [{set: left, pressure: 1}]", "follows the deformed face"},
        {HEAD "bodies: [{name: b, " MESH ", material: m, plane: stress}]\nprobes: {p: {at: [5, 5]}}", "is outside"},
        {HEAD "bodies: [{name: b, " MESH ", material: m, plane: stress}]\nprobes: {p: {node: 99}}", "no node 99"},
        {HEAD "bodies: [{name: b, " MESH ", material: m, plane: stress}]\ninitial: {b: {mode: 99}}",
         "it has 18 modes, mode 99 is requested"},
        {HEAD "bodies: [{name: b, " MESH ", material: m, plane: stress}]\nsupports: [{set: all, all: 0}]", "no set of nodes 'all'"},
        {HEAD "fields: [{name: u, " MESH ", material: m}]", "is for bodies, but"},
        {HEAD "fields: [{name: u, " MESH ", material: c, equation: diffusion}]\ninitial: {u: {rate: 1}}", "has no initial rate"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        solid_run run = {.options = {.until = 1, .integrator = "newmark", .step = 0.1}};
        bl_status status = solid_run_try(&run, cases[k].text);
        if (status != BL_E_MODEL || !strstr(run.why, cases[k].says))
            fail_msg("status %d, '%s' does not say '%s':\n%s", (int)status, run.why, cases[k].says, cases[k].text);
        solid_run_end(&run);
    }
}

/* the power computed alone equals the power computed with the forces */
static void power__is_known_without_elements(void **state) {
    (void)state;
    static const char text[] = HEAD "bodies: [{name: b, " MESH ", material: m, plane: strain, damping: {mass: 2, stiffness: 0.01}}]\n"
                                    "supports: [{set: left, all: 0}, {set: bottom, y: 0}]\n"
                                    "loads: [{set: right, traction: [1, =3*t]}, {set: all, acceleration: [0, -9.81]}]\n";
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    bl_system *sys;
    bl_state at;
    bl_eval e = {0};
    assert_int_equal(bl_model_read_text(ctx, "power", text, sizeof text - 1, NULL, 0, &model), BL_OK);
    assert_int_equal(bl_fem_build(ctx, model, &sys), BL_OK);
    assert_true(sys->facts & BL_POWER_OF_V);
    assert_int_equal(bl_state_create(sys, 0, &at), BL_OK);
    *at.t = 0.7;
    assert_int_equal(bl_eval_create(sys, BL_Q, &e), BL_OK);
    test_random random = {17};
    for (bl_index j = 0; j < sys->nv; j++) {
        at.q[j] = 0.01 * test_random_symmetric(&random);
        at.v[j] = test_random_symmetric(&random);
    }
    bl_eval_at(&e, &at);
    assert_int_equal(bl_system_eval(sys, &e, BL_Q), BL_OK);
    double with_forces = e.power;
    assert_true(fabs(with_forces) > 1e-3);
    bl_eval_at(&e, &at);
    assert_int_equal(sys->kind->power(sys, &e), BL_OK);
    assert_true(fabs(e.power - with_forces) <= 1e-12 * fabs(with_forces));
    bl_eval_destroy(sys, &e);
    bl_state_destroy(sys, &at);
    bl_system_destroy(sys);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void free_body__has_no_equilibrium(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    const char *text = HEAD "bodies: [{name: b, " MESH ", material: m, plane: stress}]\nloads: [{set: right, traction: [0, 1]}]\n";
    assert_int_equal(bl_model_read_text(ctx, "free", text, strlen(text), NULL, 0, &model), BL_OK);
    assert_int_equal(bl_equilibrium(ctx, model, NULL, NULL, 0, NULL, NULL), BL_E_NUMERIC);
    assert_non_null(strstr(bl_context_error(ctx)->what, "3 motions without stiffness"));
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* ---- memory */

static bl_status whole_run(bl_context *ctx, void *user) {
    const char *text = user;
    bl_model *model = NULL;
    bl_status status = bl_model_read_text(ctx, "solid", text, strlen(text), NULL, 0, &model);
    if (status == BL_OK)
        status = bl_simulate(ctx, model, &(bl_run_options){.until = 0.02}, NULL, 0, NULL);
    bl_model_destroy(model);
    return status;
}

static void failing_memory__is_survived(void **state) {
    (void)state;
    static char solid[] =
        HEAD "bodies: [{name: b, " MESH ", material: i, plane: strain, strain: left, bbar: true, damping: {stiffness: 0.001}}]\n"
             "supports: [{set: left, all: 0, x: \"=t < 0.01 ? t : 0.01\"}]\nloads: [{set: right, traction: [0, =x*t]},\n"
             "        {set: top, pressure: 0.01}]\n"
             "probes: {p: {at: [2, 1]}}\nsimulate: {integrator: hht:0.1, step: 0.01}\n";
    static char field[] = HEAD "fields: [{name: u, " MESH ", material: c, equation: diffusion}]\nsupports: [{set: left, value: =t}]\n"
                               "loads: [{set: right, film: [1, 2]}]\nsimulate: {integrator: trbdf2}\n";
    assert_true(test_failing_allocations(whole_run, solid) > 20);
    assert_true(test_failing_allocations(whole_run, field) > 20);
    static char bars[] =
        "dimension: 3\nmaterials: {m: {type: st_venant_kirchhoff, E: 1, density: 1}}\n"
        "bodies: [{name: b, mesh: {nodes: [[0, 0, 0], [1, 1, 1], [2, 0, 1]], elements: [[1, 2], [2, 3]], element: segment2,\n"
        "          sets: {ends: 'y < 0.5'}}, material: m, area: 1, strain: green, sections: [{set: all, material: m, area: 2}]}]\n"
        "supports: [{set: ends, all: 0}]\nsimulate: {integrator: hht:0.1, step: 0.01}\n";
    assert_true(test_failing_allocations(whole_run, bars) > 20);
}

/* ---- probes as a list, with repeats */

static void probes__may_be_a_list(void **state) {
    (void)state;
    static const char text[] = "dimension: 1\nmaterials: {m: {type: conducting, conductivity: 1, density: 1}}\n"
                               "fields: [{name: u, mesh: {segment: {to: 1, n: 4}, element: segment2}, material: m, equation: wave}]\n"
                               "supports: [{set: left, value: 0}]\ninitial: {u: {value: =x}}\n"
                               "probes:\n  - repeat: {count: 5, index: i, from: 1, do: [{name: p$i, node: =i}]}\n"
                               "  - {name: between, at: [0.3]}\nsimulate: {until: 1e-9, step: 1e-9, integrator: newmark}\n";
    const double start = 0;
    solid_run run = {.options = {.at = &start, .nat = 1}};
    solid_run_text(&run, text);
    assert_int_equal(run.nprobe, 6);
    for (int k = 0; k < 5; k++)
        assert_true(fabs(solid_run_probe(&run, 0, k, 0) - 0.25 * k) < 1e-15);
    assert_true(fabs(solid_run_probe(&run, 0, 5, 0) - 0.3) < 1e-15);
    solid_run_end(&run);
}

/* ---- energy balance */

/* A plate held between two walls and heated by 10 K stores E (alpha T)^2/2 per volume: 0.005 J. The bar beside it is cold and at rest, and
 * adds nothing to the balance. Vibrations across and steps of 0.01 s leave 1e-5 of it. */
static void cold_bar__beside_a_heated_plate_adds_no_energy(void **state) {
    (void)state;
    static const char text[] =
        "dimension: 2\nmaterials: {m: {type: elastic, E: 1000, nu: 0.3, density: 1, expansion: 1e-3},\n"
        "            c: {type: elastic, E: 1000, nu: 0.3, density: 1}}\n"
        "bodies:\n  - {name: plate, mesh: {rectangle: {to: [1, 0.1], n: [9, 1]}, element: quad4}, material: m, plane: stress}\n"
        "  - {name: bar, mesh: {segment: {from: [0, 2], to: [1, 2], n: 1}, element: segment2}, material: c, area: 0.1}\n"
        "supports:\n  - {body: plate, set: bottom, y: 0}\n  - {body: plate, set: left, x: 0}\n  - {body: plate, set: right, x: 0}\n"
        "  - {body: bar, set: left, all: 0}\n  - {body: bar, set: right, y: 0}\n"
        "loads: [{body: plate, temperature: =10*t}]\nsimulate: {until: 1, step: 0.01, integrator: hht}\n";
    const double end = 1;
    solid_run run = {.options = {.at = &end, .nat = 1}};
    solid_run_text(&run, text);
    assert_true(fabs(run.potential[0] - 0.005) < 1e-4 * 0.005);
    assert_true(fabs(run.error[0]) < 1e-4 * 0.005);
    solid_run_end(&run);
}

/* ---- scales */

/* Tolerances follow the size of what is computed, not that of the mesh: the largest value at a node. */
static void scales__follow_the_start(void **state) {
    (void)state;
    static const struct {
        const char *text;
        double want;
    } cases[] = {
        {"materials: {c: {type: conducting, conductivity: 1, density: 1}}\n"
         "fields: [{name: u, mesh: {rectangle: {to: [0.001, 0.001], n: [4, 4]}, element: quad4}, material: c, equation: diffusion}]\n"
         "supports: [{set: left, value: 0}]\ninitial: {u: {value: =300*x/0.001}}\n",
         300},
        {"materials: {m: {type: elastic, E: 1, nu: 0, density: 1}}\n"
         "bodies: [{name: b, mesh: {rectangle: {to: [1, 1], n: [4, 4]}, element: quad4}, material: m, plane: strain}]\n"
         "supports: [{set: left, all: 0}]\ninitial: {b: {displacement: [0, =-1e-5*x]}}\n",
         1e-5},
        {"materials: {m: {type: elastic, E: 1, nu: 0, density: 1}}\n"
         "bodies: [{name: b, mesh: {rectangle: {to: [1, 1], n: [4, 4]}, element: quad4}, material: m, plane: strain}]\n"
         "supports: [{set: left, all: 0}]\ninitial: {b: {mode: 2, amplitude: 0.02}}\n",
         0.02},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[1000];
        bl_context *ctx = test_context(NULL);
        bl_model *model;
        bl_system *sys;
        snprintf(text, sizeof text, "dimension: 2\n%s", cases[k].text);
        assert_int_equal(bl_model_read_text(ctx, "solid", text, strlen(text), NULL, 0, &model), BL_OK);
        assert_int_equal(bl_fem_build(ctx, model, &sys), BL_OK);
        for (bl_index i = 0; i < sys->nv + sys->nz; i++)
            if (fabs(sys->col[i].scale - cases[k].want) > 1e-12 * cases[k].want)
                fail_msg("case %zu: scale %g, not %g", k, sys->col[i].scale, cases[k].want);
        bl_system_destroy(sys);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probes__may_be_a_list),
        cmocka_unit_test(cold_bar__beside_a_heated_plate_adds_no_energy),
        cmocka_unit_test(scales__follow_the_start),
        cmocka_unit_test(threads__give_the_same_bits),
        cmocka_unit_test(crew__does_every_item_once_and_names_the_first_that_fails),
        cmocka_unit_test(evaluation__leaves_the_history_alone),
        cmocka_unit_test(supports__that_move_carry_a_body_along),
        cmocka_unit_test(bad_models__are_refused_with_a_reason),
        cmocka_unit_test(free_body__has_no_equilibrium),
        cmocka_unit_test(failing_memory__is_survived),
        cmocka_unit_test(power__is_known_without_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
