/* What is said about a model before it runs: check, assembly of approximate starts, structure, orderings, pictures. An answer: mobilities,
 * redundancies, findings and what they are about; the assembled configuration; groups; the size of a picture. */
#include "limits/limits.h"

#include "biela/json.h"
#include "biela/structure.h"

#include <math.h>
#include <string.h>

static double hash_of(const char *text) {
    double hash = 0;
    for (size_t i = 0; text[i]; i++)
        hash = fmod(31 * hash + (unsigned char)text[i], 1e9);
    return hash;
}

/* ---- check */

static void ask_check(bl_context *ctx, const bl_model *model, const void *how, answer *a) {
    bl_check_report r = {0};
    bl_status status = bl_check(ctx, model, how, &r);
    if (answer_status(a, ctx, status)) {
        answer_exact(a, "mobility by counting", r.mobility_count);
        answer_exact(a, "mobility by rank", r.mobility_rank);
        answer_exact(a, "mobility at the start", r.mobility_start);
        answer_exact(a, "overconstraint", r.overconstraint);
        answer_exact(a, "idle", r.idle);
        answer_exact(a, "findings", r.nfinding);
        for (bl_index i = 0; i < r.nfinding; i++)
            answer_exact(a, r.finding[i].part, hash_of(r.finding[i].part) + 1e9 * r.finding[i].level);
    }
    bl_check_report_destroy(ctx, &r);
}

/* ---- assembly */

static void ask_start(bl_context *ctx, const bl_model *model, const void *how, answer *a) {
    answer_sink s;
    bl_sink sink = answer_sink_of(&s, a, 1e-7, BL_WANT_BODIES | BL_WANT_VARIABLES);
    bl_status status = bl_assemble(ctx, model, how, &sink, 1, NULL);
    answer_status(a, ctx, status);
    const bl_warning *warning;
    bl_index more, n = bl_context_warnings(ctx, &warning, &more);
    answer_exact(a, "warnings", n);
}

/* ---- structure and orderings */

static void ask_structure(bl_context *ctx, const bl_model *model, const void *how, answer *a) {
    (void)how;
    bl_chain chain = {0};
    bl_structure_report r = {0};
    bl_structure_exceptions e = {0};
    bl_structure_choices choices = {0};
    bl_status status = bl_structure_of_model(ctx, model, NULL, &chain, &r, &e);
    if (answer_status(a, ctx, status)) {
        answer_exact(a, "complete", r.complete);
        answer_exact(a, "groups", r.ngroup);
        for (bl_index i = 0; i < r.ngroup; i++) {
            answer_exact(a, "links", r.group[i].nlink);
            answer_exact(a, "locked", r.group[i].nlocked);
            answer_exact(a, "kind", hash_of(r.group[i].kind));
        }
        answer_exact(a, "left over", r.nremaining);
        answer_exact(a, "loops", r.nloop);
        answer_exact(a, "closed", e.closed);
        answer_exact(a, "mobility by rank", e.mobility_rank);
        answer_exact(a, "mobility at the start", e.mobility_start);
        answer_exact(a, "repeated", e.repeated);
        answer_exact(a, "passive", e.passive);
        answer_exact(a, "exceptions", e.n);
        for (bl_index i = 0; i < e.n; i++) {
            answer_exact(a, "kind of exception", e.exception[i].kind);
            answer_exact(a, "amount", e.exception[i].amount);
            answer_exact(a, "joints that take part", e.exception[i].nwith);
        }
        if (answer_status(a, ctx, bl_structure_inputs(ctx, &chain, &choices))) {
            answer_exact(a, "choices", choices.nchoice);
            answer_exact(a, "all choices", choices.all);
        }
    }
    bl_structure_choices_destroy(ctx, &choices);
    bl_structure_exceptions_destroy(ctx, &e);
    bl_structure_report_destroy(ctx, &r);
    bl_chain_destroy(ctx, &chain);
}

static void keep_order(bl_context *ctx, bl_status status, bl_order_report r, answer *a) {
    if (answer_status(a, ctx, status)) {
        answer_exact(a, "rank", r.rank);
        answer_exact(a, "structural rank", r.structural_rank);
        answer_exact(a, "nonzeros", r.dependent_nonzeros);
        for (bl_index i = 0; i < r.nentry; i++) {
            answer_exact(a, r.entry[i].name, r.entry[i].status);
            answer_exact(a, "blocks", r.entry[i].nblock);
            answer_exact(a, "border", r.entry[i].border);
            answer_exact(a, "fill", r.entry[i].klu.fill);
            answer_near(a, "operations", r.entry[i].klu.flops, 0);
        }
    }
    bl_order_report_destroy(ctx, &r);
}

static void ask_order(bl_context *ctx, const bl_model *model, const void *how, answer *a) {
    bl_order_report r = {0};
    bl_status status = bl_order_study(ctx, model, how, &r);
    keep_order(ctx, status, r, a);
}

/* six rows of five columns, one of them the sum of two others */
static void ask_order_of_file(bl_context *ctx, const bl_model *model, const void *how, answer *a) {
    (void)model, (void)how;
    bl_order_report r = {0};
    bl_status status = bl_order_matrix(ctx, TESTS "/limits/dependent_rows.mtx", &(bl_order_options){.repetitions = -1}, &r);
    keep_order(ctx, status, r, a);
}

/* ---- pictures */

static void ask_picture(bl_context *ctx, const bl_model *model, const void *how, answer *a) {
    (void)how;
    bl_json json = {.ctx = ctx};
    if (answer_status(a, ctx, bl_model_scene(ctx, model, &json)))
        answer_exact(a, "picture", hash_of(json.text));
    bl_json_destroy(&json);
}

/* ---- models */

#define RODS4                                                                                                           \
    "bodies:\n  - {name: crank, rod: {from: A, to: B}, mass: 1}\n  - {name: coupler, rod: {from: B, to: C}, mass: 1}\n" \
    "  - {name: rocker, rod: {from: C, to: D}, mass: 1}\njoints:\n"
#define REVOLUTES(axis)                                                         \
    "  - {name: A, type: revolute, bodies: [ground, crank], at: A" axis "}\n"   \
    "  - {name: B, type: revolute, bodies: [crank, coupler], at: B" axis "}\n"  \
    "  - {name: C, type: revolute, bodies: [coupler, rocker], at: C" axis "}\n" \
    "  - {name: D, type: revolute, bodies: [ground, rocker], at: D" axis "}\n"
static const char in_space[] = "points: {A: [0,0,0], B: [0,1,0], C: [2,2,0], D: [3,0,0]}\n" RODS4 REVOLUTES(", axis: [0,0,1]");
static const char flat[] = "dimension: 2\npoints: {A: [0, 0], B: [0.2, 0], C: [0.7, 0], D: [0.5, 0]}\n" RODS4 REVOLUTES("");
/* a coarse sketch: the rocker is drawn 5 cm off, and an angle is requested */
static const char sketch[] = "dimension: 2\npoints: {A: [0, 0], B: [0.2, 0.1], C: [0.6, 0.5], D: [0.5, 0]}\n" RODS4
                             "  - {name: A, type: revolute, bodies: [ground, crank], at: A}\n"
                             "  - {name: B, type: revolute, bodies: [crank, coupler], at: B}\n"
                             "  - {name: C, type: revolute, bodies: [coupler, rocker], at: C, at_b: [0.63, 0.47]}\n"
                             "  - {name: D, type: revolute, bodies: [ground, rocker], at: D}\ninitial: {A.angle: 0.3, A.rate: 2}\n";
static const char guess[] = "dimension: 2\npoints: {A: [0, 0], B: [0.2, 0.1], C: [0.6, 0.5], D: [0.5, 0]}\n" RODS4 REVOLUTES(
    "") "initial: {A.angle: {value: 1, guess: true}, C.angle: {value: 0.5, guess: true}}\n";
static const char impossible[] = "dimension: 2\npoints: {A: [0, 0], B: [0.2, 0.1], C: [0.6, 0.5], D: [0.5, 0]}\n" RODS4 REVOLUTES(
    "") "initial: {A.angle: 3, D.angle: -2}\n";
static const char dead[] = /* a slider at its dead point, asked to move */
    "dimension: 2\npoints: {A: [0, 0], B: [0.2, 0], C: [0.7, 0]}\nbodies:\n  - {name: crank, rod: {from: A, to: B}, mass: 1}\n"
    "  - {name: rod, rod: {from: B, to: C}, mass: 1}\n  - {name: slider, mass: 1, center: C, inertia: 0.01}\njoints:\n"
    "  - {name: A, type: revolute, bodies: [ground, crank], at: A}\n  - {name: B, type: revolute, bodies: [crank, rod], at: B}\n"
    "  - {name: C, type: revolute, bodies: [rod, slider], at: C}\n"
    "  - {name: guide, type: prismatic, bodies: [ground, slider], at: C, axis: [1, 0]}\ninitial: {guide.rate: 1}\n";
static const char doubled[] = "bodies:\n  - {name: lower, box: {center: [0, 0.25, 0], size: [0.4, 0.5, 0.02]}, mass: 2}\n"
                              "  - {name: upper, box: {center: [0, 0.3, 0.3], size: [0.3, 0.4, 0.02]}, mass: 1}\n"
                              "  - {name: upright, box: {center: [0, 0.5, 0.15], size: [0.05, 0.05, 0.4]}, mass: 5}\njoints:\n"
                              "  - {name: l1, type: revolute, bodies: [ground, lower], at: [0.2, 0, 0], axis: [1, 0, 0]}\n"
                              "  - {name: l2, type: revolute, bodies: [ground, lower], at: [-0.2, 0, 0], axis: [1, 0, 0]}\n"
                              "  - {name: u1, type: revolute, bodies: [ground, upper], at: [0.15, 0.1, 0.3], axis: [1, 0, 0]}\n"
                              "  - {name: u2, type: revolute, bodies: [ground, upper], at: [-0.15, 0.1, 0.3], axis: [1, 0, 0]}\n"
                              "  - {name: lb, type: spherical, bodies: [lower, upright], at: [0, 0.5, 0]}\n"
                              "  - {name: ub, type: spherical, bodies: [upper, upright], at: [0, 0.5, 0.3]}\n";
static const char massless[] =
    "bodies:\n  - {name: a, mass: 1, center: [0,0,0], inertia: [1,1,1]}\n  - {name: b, mass: 0, center: [1,0,0]}\n"
    "joints:\n  - {name: j1, type: revolute, bodies: [ground, a], at: [0,0,0], axis: [0,1,0]}\n"
    "  - {name: j2, type: revolute, bodies: [a, b], at: [0.5, 0, 0], axis: [0,0,1]}\nforces:\n"
    "  - {type: spring, bodies: [ground, b], at: [2,1,0], to: [1,0.3,0], stiffness: 100, length: 0.5}\n";
static const char rssr[] = "points: {A: [0,0,0], B: [0,1,0], C: [2,2,1], D: [2,0,1]}\n" RODS4
                           "  - {name: A, type: revolute, bodies: [ground, crank], at: A, axis: [0,0,1]}\n"
                           "  - {name: B, type: spherical, bodies: [crank, coupler], at: B}\n"
                           "  - {name: C, type: spherical, bodies: [coupler, rocker], at: C}\n"
                           "  - {name: D, type: revolute, bodies: [ground, rocker], at: D, axis: [0,0,1]}\n";
static const char twins[] = "bodies:\n  - {name: a, box: {center: [0, 0, 0], size: [1, 1, 1]}, mass: 1}\njoints:\n"
                            "  - {name: j1, type: revolute, bodies: [ground, a], at: [0.5, 0, 0], axis: [0, 0, 1]}\n"
                            "  - {name: j2, type: revolute, bodies: [ground, a], at: [0.5, 0, 0], axis: [0, 0, 1]}\n";
/* Bricard's linkage with a digit too few in one point, accepted and not */
#define BRICARD(digits)                                                                                                \
    "points: {P1: [0, 0, 0], P2: [1, 0, 0], P3: [1, -1, 0], P4: [1, -1, " digits "], P5: [0, -1, 1], P6: [0, 0, 1]}\n" \
    "bodies:\n  - {name: r1, rod: {from: P1, to: P2}, mass: 1}\n  - {name: r2, rod: {from: P2, to: P3}, mass: 1}\n"    \
    "  - {name: r3, rod: {from: P3, to: P4}, mass: 1}\n  - {name: r4, rod: {from: P4, to: P5}, mass: 1}\n"             \
    "  - {name: r5, rod: {from: P5, to: P6}, mass: 1}\njoints:\n"                                                      \
    "  - {name: j1, type: revolute, bodies: [ground, r1], at: P1, axis: [0, 1, 0]}\n"                                  \
    "  - {name: j2, type: revolute, bodies: [r1, r2], at: P2, axis: [0, 0, 1]}\n"                                      \
    "  - {name: j3, type: revolute, bodies: [r2, r3], at: P3, axis: [1, 0, 0]}\n"                                      \
    "  - {name: j4, type: revolute, bodies: [r3, r4], at: P4, axis: [0, 1, 0]}\n"                                      \
    "  - {name: j5, type: revolute, bodies: [r4, r5], at: P5, axis: [0, 0, 1]}\n"                                      \
    "  - {name: j6, type: revolute, bodies: [r5, ground], at: P6, axis: [1, 0, 0]}\n"
static const char coarse[] = BRICARD("1.0001");
static const char accepted[] = BRICARD("1.0001") "closure: 1e-4\n";

static const char driven_flat[] = "dimension: 2\npoints: {A: [0, 0], B: [0.2, 0], C: [0.7, 0], D: [0.5, 0]}\n" RODS4 REVOLUTES(
    "") "drivers: [{variable: A.angle, value: =t}]\nsimulate: {until: 1}\n";
static const char nearly_dead[] =
    "dimension: 2\npoints: {A: [0, 0], B: [0.2, 1e-6], C: [0.7, 0]}\nbodies:\n  - {name: crank, rod: {from: A, to: B}, mass: 1}\n"
    "  - {name: rod, rod: {from: B, to: C}, mass: 1}\n  - {name: slider, mass: 1, center: C, inertia: 0.01}\njoints:\n"
    "  - {name: A, type: revolute, bodies: [ground, crank], at: A}\n  - {name: B, type: revolute, bodies: [crank, rod], at: B}\n"
    "  - {name: C, type: revolute, bodies: [rod, slider], at: C}\n"
    "  - {name: guide, type: prismatic, bodies: [ground, slider], at: C, axis: [1, 0]}\ninitial: {guide.rate: 1}\n";

#define CHECK(of) \
    { .name = "check " #of, .text = of, .ask = ask_check }
#define START(of) \
    { .name = "assemble " #of, .text = of, .ask = ask_start }
#define STRUCTURE(of) \
    { .name = "structure " #of, .text = of, .ask = ask_structure }

/* a rod between balls: no inertia about its own axis */
static const char slender[] =
    "bodies: [{name: a, rod: {from: [0, 0, 0], to: [1, 0, 0]}, mass: 1}, {name: b, rod: {from: [1, 0, 0], to: [2, 0.5, 0]}, mass: 1}]\n"
    "joints:\n  - {name: s, type: spherical, bodies: [ground, a], at: [0, 0, 0]}\n"
    "  - {name: t, type: spherical, bodies: [a, b], at: [1, 0, 0]}\n";

static const limit_case cases[] = {
    {.name = "check slender rods", .text = slender, .ask = ask_check, .how = &(const bl_run_options){.coordinates = "reference"}},
    {.name = "order a matrix from a file", .ask = ask_order_of_file},
    CHECK(in_space),
    CHECK(flat),
    CHECK(doubled),
    CHECK(massless),
    CHECK(rssr),
    CHECK(twins),
    CHECK(driven_flat),
    CHECK(coarse),
    CHECK(accepted),
    {.name = "check bricard", .scene = "bricard", .ask = ask_check},
    {.name = "check planar_3rrr", .scene = "planar_3rrr", .ask = ask_check, .how = &(const bl_run_options){.coordinates = "reference"}},
    {.name = "check n_four_bar", .scene = "n_four_bar", .ask = ask_check, .how = &(const bl_run_options){.coordinates = "relative"}},
    {.name = "check vehicle", .scene = "vehicle", .ask = ask_check},
    {.name = "check hexapod", .scene = "hexapod", .ask = ask_check, .is_long = true},
    START(sketch),
    START(guess),
    START(impossible),
    START(dead),
    START(nearly_dead),
    START(accepted),
    {.name = "assemble hexapod", .scene = "hexapod", .ask = ask_start, .is_long = true},
    {.name = "assemble vehicle", .scene = "vehicle", .ask = ask_start},
    {.name = "assemble hanging_chain",
     .scene = "hanging_chain",
     .ask = ask_start,
     .how = &(const bl_run_options){.coordinates = "reference"}},
    STRUCTURE(in_space),
    STRUCTURE(flat),
    STRUCTURE(doubled),
    STRUCTURE(rssr),
    STRUCTURE(twins),
    {.name = "structure bricard", .scene = "bricard", .ask = ask_structure},
    {.name = "structure jansen_leg", .scene = "jansen_leg", .ask = ask_structure},
    {.name = "structure n_four_bar", .scene = "n_four_bar", .ask = ask_structure},
    {.name = "structure planar_3rrr", .scene = "planar_3rrr", .ask = ask_structure},
    {.name = "order bricard", .scene = "bricard", .ask = ask_order, .how = &(const bl_order_options){.repetitions = -1}},
    {.name = "order n_four_bar", .scene = "n_four_bar", .ask = ask_order, .how = &(const bl_order_options){.repetitions = -1}},
    {.name = "picture of bricard", .scene = "bricard", .ask = ask_picture},
    {.name = "picture of vehicle", .scene = "vehicle", .ask = ask_picture},
};

limit_cases limit_cases_checks(void) { return LIMIT_CASES(cases); }
