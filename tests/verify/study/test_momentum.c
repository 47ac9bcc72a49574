/* Parts without connection to the ground conserve their momenta, whatever acts inside them: accurate runs get no warnings, coarse ones a
 * warning with a time; parts connected to the ground are not checked. */
#include "support/testing.h"

#include "biela/biela.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct outcome {
    bl_status status;
    double began; /* of a warning about momentum; NaN: none */
    char words[512];
} outcome;

static outcome run(const char *text, const bl_run_options *options) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    outcome o = {.began = NAN};
    if (bl_model_read_text(ctx, "momentum", text, strlen(text), NULL, 0, &model) != BL_OK)
        fail_msg("%s", bl_context_error(ctx)->what);
    o.status = bl_simulate(ctx, model, options, NULL, 0, NULL);
    const bl_warning *warning;
    bl_index more, n = bl_context_warnings(ctx, &warning, &more);
    snprintf(o.words, sizeof o.words, "%s", o.status ? bl_context_error(ctx)->what : n > 0 ? warning[0].text : "");
    for (bl_index i = 0; i < n; i++)
        if (strstr(warning[i].text, "momentum") && isnan(o.began)) {
            o.began = warning[i].time;
            snprintf(o.words, sizeof o.words, "%s", warning[i].text);
        }
    bl_model_destroy(model);
    test_context_end(ctx);
    return o;
}

/* three bodies on crossed revolute joints, a spring inside, tumbling in space; more: further forces */
static const char *chain(const char *gravity, const char *more) {
    static char text[2048];
    snprintf(text, sizeof text,
             "gravity: %s\n"
             "bodies: [{name: a, mass: 1, center: [0,0,0], inertia: [0.02,0.03,0.04]}, {name: b, mass: 2, center: [1,0,0], inertia: "
             "[0.05,0.03,0.02]},\n"
             "         {name: c, mass: 1.5, center: [2,0.3,0], inertia: [0.02,0.06,0.05]}]\n"
             "joints: [{name: A, type: revolute, bodies: [a, b], at: [0.5,0,0], axis: [0,0,1]},\n"
             "         {name: B, type: revolute, bodies: [b, c], at: [1.5,0,0], axis: [0,1,0]}]\n"
             "forces: [{type: spring, body_a: a, body_b: c, at: [0,0,0], to: [2,0.3,0], stiffness: 20, length: 1.5}%s]\n"
             "initial: {A.rate: 4, B.rate: -3, a: {velocity: [0.3, 0.1, -0.2], angular_velocity: [1, 5, 2]}}\n",
             gravity, more);
    return text;
}

static const char *const coordinates[] = {"natural", "mixed", "reference", "reference:angles", "relative"};

static void free_chain__keeps_its_momenta(void **unused) {
    (void)unused;
    static const char *const integrators[] = {NULL, "dopri45", "dop853", "abm", "rk4", "genalpha"};
    for (int c = 0; c < 5; c++)
        for (int i = 0; i < 6; i++)
            for (int g = 0; g < 2; g++) {
                bl_run_options options = {.coordinates = coordinates[c], .integrator = integrators[i], .until = 1};
                outcome o = run(chain(g ? "[0, 0, -9.81]" : "[0, 0, 0]", ""), &options);
                if (o.status != BL_OK || !isnan(o.began))
                    fail_msg("%s, %s: %g, %s", coordinates[c], integrators[i] ? integrators[i] : "auto", o.began, o.words);
            }
}

/* Steps of a sixth of a revolution of the fastest body: with velocities of joints or angles the Runge-Kutta method does not conserve
 * momentum. (In natural coordinates, where momentum is linear and angular momentum bilinear, less than a tenth is lost: fixed steps
 * guarantee nothing.) */
static void coarse_steps__lose_it_and_say_so(void **unused) {
    (void)unused;
    static const struct {
        const char *coordinates;
        double step;
    } cases[] = {{"reference", 0.2}, {"reference", 0.3}, {"reference:angles", 0.3}, {"relative", 0.2}};
    for (int c = 0; c < 4; c++) {
        bl_run_options options = {.coordinates = cases[c].coordinates, .integrator = "rk4", .step = cases[c].step, .until = 6};
        outcome o = run(chain("[0, 0, 0]", ""), &options);
        if (!(o.began >= 0 && o.began < 6) || !strstr(o.words, "'a'"))
            fail_msg("%s: nothing said, %s", cases[c].coordinates, o.words);
    }
}

/* A force without a reaction partner, a spring or a joint to the ground: momenta change, without warnings. */
static void what_touches_the_ground__is_not_judged(void **unused) {
    (void)unused;
    static const char *const more[] = {", {type: force, body: b, force: [30, 0, 10]}", ", {type: torque, body: c, torque: [0, 3, 0]}",
                                       ", {type: spring, body_a: b, at: [1,0,0], to: [1,2,0], stiffness: 50, length: 1}"};
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 5; c += 2) {
            outcome o = run(chain("[0, 0, 0]", more[k]), &(bl_run_options){.coordinates = coordinates[c], .until = 1});
            if (o.status != BL_OK || !isnan(o.began))
                fail_msg("%s, %s: %s", more[k], coordinates[c], o.words);
        }
    /* with a partner it is internal again: conserved, and no warning */
    outcome o =
        run(chain("[0, 0, 0]",
                  ", {type: force, body: b, against: c, force: [3, 0, 1]}, {type: torque, body: a, against: c, torque: [0, 0.3, 0]}"),
            &(bl_run_options){.until = 1});
    if (o.status != BL_OK || !isnan(o.began))
        fail_msg("%s", o.words);
}

/* ---- elastic bodies */

/* A soft body with a rigid one on a joint behind it, and a spring inside; %s: gravity, more about the soft body, further sections. */
static const char beam_2d[] =
    "dimension: 2\n%sbodies:\n  - {name: soft, beam: {along: [[0, 0], [1, 0], [1, 1]], elements: 2, degree: 2},"
    " stiffness: {EA: 200, GA: 100, EI: 1}, mass_per_length: {rhoA: 1, rhoI: 0.02}%s}\n"
    "  - {name: hard, mass: 0.5, center: [1.4, 1.2], inertia: 0.1}\njoints: [{type: revolute, bodies: [soft.to, hard], at: [1, 1]}]\n"
    "forces: [{type: spring, bodies: [soft.from, hard], at: [0, 0], to: [1.4, 1.2], stiffness: 1, length: 1.5}]\n"
    "initial: {soft.from: {velocity: [1, -2], angular_velocity: 4}}\n%s";
static const char beam_3d[] =
    "%sbodies:\n  - {name: soft, beam: {from: [0, 0, 0], to: [1, 0, 0], elements: 2, degree: 2},"
    " stiffness: {EA: 200, GA: 100, EI: 1, GJ: 1}, mass_per_length: {rhoA: 1, rhoI: 0.02}%s}\n"
    "  - {name: hard, mass: 0.5, center: [1.4, 0.2, 0.1], inertia: [0.1, 0.05, 0.1]}\n"
    "joints: [{type: spherical, bodies: [soft.to, hard], at: [1, 0, 0]}]\n"
    "forces: [{type: spring, bodies: [soft.from, hard], at: [0, 0, 0], to: [1.4, 0.2, 0.1], stiffness: 1, length: 1.5}]\n"
    "initial: {soft.from: {velocity: [1, -2, 0.5], angular_velocity: [0.5, 1, 4]}}\n%s";
static const char mesh_2d[] =
    "dimension: 2\n%smaterials: {m: {type: st_venant_kirchhoff, E: 40, nu: 0.3, density: 1}}\nbodies:\n"
    "  - {name: soft, mesh: {rectangle: {to: [2, 1], n: [3, 2]}, element: quad4}, material: m, plane: stress%s,"
    " interfaces: [{name: r, set: right, kind: average}]}\n  - {name: hard, mass: 1, center: [3, 0.5], inertia: 0.3}\n"
    "joints: [{type: revolute, bodies: [soft.r, hard], at: [2.3, 0.5]}]\n"
    "forces: [{type: spring, bodies: [soft, hard], at: [0.4, 0.3], to: [3, 1], stiffness: 2, length: 2}]\n"
    "initial: {soft: {velocity: [1, -2], angular_velocity: 3}}\n%s";
static const char mesh_3d[] =
    "%smaterials: {m: {type: st_venant_kirchhoff, E: 40, nu: 0.3, density: 1}}\nbodies:\n"
    "  - {name: soft, mesh: {box: {to: [2, 1, 0.7], n: [2, 1, 1]}, element: hexa20}, material: m%s, interfaces: [{name: r, set: right}]}\n"
    "  - {name: hard, mass: 1, center: [3, 0.5, 0.4], inertia: [0.3, 0.2, 0.4]}\n"
    "joints: [{type: revolute, bodies: [soft.r, hard], at: [2.3, 0.5, 0.2], axis: [0.2, 1, 0.3]}]\n"
    "forces: [{type: spring, bodies: [soft, hard], at: [0.4, 0.3, 0.2], to: [3, 1, 0], stiffness: 2, length: 2}]\n"
    "initial: {soft: {velocity: [1, -2, 0.5], angular_velocity: [0.5, 1, 2.5]}}\n%s";
static const char shapes[] =
    "%smaterials: {m: {type: elastic, E: 1500, nu: 0.3, density: 1}}\nbodies:\n"
    "  - {name: soft, mesh: {box: {to: [2, 0.5, 0.3], n: [4, 1, 1]}, element: hexa20}, material: m, coordinates: floating, modes: 4%s,"
    " interfaces: [{name: l, set: left}, {name: r, set: right}]}\n"
    "  - {name: hard, mass: 1, center: [3, 0.5, 0.2], inertia: [0.3, 0.2, 0.4]}\n"
    "joints: [{type: spherical, bodies: [soft.r, hard], at: [2, 0.25, 0.1]}]\n"
    "forces: [{type: spring, bodies: [soft.l, hard], at: [0, 0.25, 0], to: [3, 0.5, 0.4], stiffness: 2, length: 2}]\n"
    "initial: {soft.l: {velocity: [1, -2, 0.5], angular_velocity: [0.5, 1, 2]}}\n%s";
static const char *const elastic[] = {beam_2d, beam_3d, mesh_2d, mesh_3d, shapes};
enum { ELASTIC = sizeof elastic / sizeof *elastic };

static const char *elastic_pair(int which, const char *gravity, const char *soft, const char *more) {
    static char text[2048];
    snprintf(text, sizeof text, elastic[which], gravity, soft, more);
    return text;
}

static void free_elastic_bodies__keep_their_momenta(void **unused) {
    (void)unused;
    static const char *const integrators[] = {NULL, "dop853", "genalpha"};
    for (int e = 0; e < ELASTIC; e++)
        for (int c = 0; c < 5; c += 2)
            for (int i = 0; i < 3; i++) {
                const char *gravity = e == 0 || e == 2 ? "gravity: [0, -9.81]\n" : "gravity: [0, 0, -9.81]\n";
                bl_run_options options = {
                    .coordinates = coordinates[c], .integrator = integrators[i], .until = 0.5, .step = i == 2 ? 2e-3 : 0};
                outcome o = run(elastic_pair(e, i == 1 ? gravity : "", "", ""), &options);
                if (o.status != BL_OK || !isnan(o.began))
                    fail_msg("model %d, %s, %s: %g, %s", e, coordinates[c], integrators[i] ? integrators[i] : "auto", o.began, o.words);
            }
}

/* Backward Euler of a twentieth of a revolution loses angular momentum: those that lose a tenth of it say so. */
static void coarse_steps_of_elastic_bodies__lose_it_and_say_so(void **unused) {
    (void)unused;
    static const struct {
        int which;
        const char *coordinates;
    } cases[] = {{0, "natural"}, {0, "reference"}, {1, "natural"}, {2, "natural"}, {2, "relative"}, {3, "reference"}, {4, "reference"}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        bl_run_options options = {.coordinates = cases[k].coordinates, .integrator = "bdf:1", .step = 0.1, .until = 3};
        outcome o = run(elastic_pair(cases[k].which, "", "", ""), &options);
        if (!(o.began >= 0 && o.began < 3) || !strstr(o.words, "'soft'"))
            fail_msg("model %d, %s: nothing said, %s", cases[k].which, cases[k].coordinates, o.words);
    }
}

/* Damping by mass brakes rigid motions, loads on a mesh act from outside; damping by stiffness is internal. */
static void what_acts_on_elastic_bodies_from_outside__is_not_judged(void **unused) {
    (void)unused;
    static const struct {
        int which;
        const char *soft, *more;
    } cases[] = {{0, ", damping: {mass: 2}", ""},
                 {2, ", damping: {mass: 2}", ""},
                 {2, "", "loads: [{body: soft, set: top, traction: [1, 2]}]\n"},
                 {0, ", damping: {stiffness: 0.01}", ""},
                 {2, ", damping: {stiffness: 0.01}", ""},
                 {4, ", damping: {mass: 2, stiffness: 0.01}", ""}}; /* of shapes it acts on their amplitudes alone */
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        outcome o = run(elastic_pair(cases[k].which, "", cases[k].soft, cases[k].more), &(bl_run_options){.until = 0.5});
        if (o.status != BL_OK || !isnan(o.began))
            fail_msg("model %d%s, %s: %s", cases[k].which, cases[k].soft, cases[k].more, o.words);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(free_chain__keeps_its_momenta),
                                       cmocka_unit_test(coarse_steps__lose_it_and_say_so),
                                       cmocka_unit_test(what_touches_the_ground__is_not_judged),
                                       cmocka_unit_test(free_elastic_bodies__keep_their_momenta),
                                       cmocka_unit_test(coarse_steps_of_elastic_bodies__lose_it_and_say_so),
                                       cmocka_unit_test(what_acts_on_elastic_bodies_from_outside__is_not_judged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
