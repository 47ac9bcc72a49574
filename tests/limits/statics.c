/* Equilibria, load paths with their critical points, input decks. An answer: how the study ends, the equilibrium, what it says about
 * stability; along a path its critical points and its end, not the increments. */
#include "limits/limits.h"

#include "biela/deck.h"
#include "biela/equilibrium.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double WITHIN = 1e-6; /* of positions, reactions and critical loads; equilibria are found to 1e-10 */

/* ---- equilibria */

typedef struct kept {
    answer *to;
    bool path;
    answer_sink sink;
    bl_sink inner;
    bl_sample last;
} kept;

static bl_status begin(void *user, const bl_run_info *info) { return ((kept *)user)->inner.begin(&((kept *)user)->sink, info); }

/* single equilibria with their soft motions */
static bl_status keep(void *user, const bl_sample *sample) {
    kept *k = user;
    const bl_equilibrium_point *p = sample->equilibrium;
    if (k->path)
        return BL_OK;
    answer_exact(k->to, "unstable", p->unstable);
    answer_exact(k->to, "neutral", p->neutral);
    answer_exact(k->to, "conservative", p->conservative);
    for (bl_index i = 0; i < p->nsoft; i++)
        answer_near(k->to, "stiffness", p->soft[i].stiffness, 1e-5 * fabs(p->soft[i].stiffness) + 1e-9);
    return k->inner.sample(&k->sink, sample);
}

static void ask_rest(bl_context *ctx, const bl_model *model, const void *how, answer *a) {
    const bl_equilibrium_options *o = how;
    kept k = {.to = a, .path = o->parameter || o->until > o->from};
    k.inner = answer_sink_of(&k.sink, a, WITHIN, 0);
    bl_sink sink = {.user = &k, .begin = begin, .sample = keep, .want = BL_WANT_BODIES | BL_WANT_VARIABLES | BL_WANT_REACTIONS};
    bl_equilibrium_summary found = {0};
    bl_status status = bl_equilibrium(ctx, model, o, &sink, 1, NULL, &found);
    answer_status(a, ctx, status);
    if (status == BL_OK && !k.path)
        answer_exact(a, "found", (double)found.found);
    answer_exact(a, "unstable at the end", found.unstable);
    answer_exact(a, "critical points", found.npoint);
    answer_exact(a, "branches", found.branches);
    double span = fabs(o->until - o->from);
    for (bl_index i = 0; i < found.npoint && i < BL_MOST_CRITICAL; i++) {
        answer_exact(a, "kind of critical point", found.point[i].what);
        answer_near(a, "critical load", found.point[i].t, WITHIN * fmax(span, 1));
    }
    if (status == BL_OK && found.t >= o->from) /* paths that fail or return below their start end where a step ends */
        answer_near(a, "last load", found.t, WITHIN * fmax(span, 1));
}

/* ---- decks */

static bl_status keep_table(void *user, const bl_deck_table *table) {
    answer *a = user;
    double largest = 0;
    char name[48];
    snprintf(name, sizeof name, "%s of step %d", table->what, (int)table->step);
    answer_exact(a, name, table->nrow);
    for (bl_index i = 0; i < table->nrow * table->ncolumn; i++)
        largest = fmax(largest, fabs(table->value[i]));
    for (bl_index i = 0; i < table->nrow * table->ncolumn; i++)
        answer_near(a, name, table->value[i], 1e-5 * largest + 1e-12);
    return BL_OK;
}

static void ask_deck(bl_context *ctx, const bl_model *model, const void *how, answer *a) {
    (void)how;
    bl_deck_sink sink = {.user = a, .table = keep_table};
    bl_deck_summary summary = {0};
    bl_status status = bl_run_deck(ctx, model, NULL, &sink, &summary);
    answer_status(a, ctx, status);
    answer_exact(a, "steps", summary.steps);
    answer_near(a, "time", summary.t, 1e-12);
}

/* ---- models */

static const char folding[] =
    "model: folding\ndimension: 2\ngravity: [0, 0]\nparameters: {P: 0}\npoints: {A: [0, 0], B: [0.6, 0.8], C: [1.2, 0]}\n"
    "bodies: [{name: crank, rod: {from: A, to: B}, mass: 1}, {name: rod, rod: {from: B, to: C}, mass: 1},\n"
    "         {name: piston, points: [{at: C, mass: 1}]}]\n"
    "joints: [{name: A, type: revolute, bodies: [ground, crank], at: A}, {name: B, type: revolute, bodies: [crank, rod], at: B},\n"
    "         {name: C, type: revolute, bodies: [rod, piston], at: C},\n"
    "         {name: S, type: prismatic, bodies: [ground, piston], at: C, axis: [1, 0]}]\n"
    "forces: [{type: rotational_spring, variable: S.distance, stiffness: 10}, {type: force, body: piston, force: [=-P, 0]}]\n";
/* pulled away without bound, and a wheel that may be anywhere */
static const char runaway[] = "dimension: 2\nbodies: [{name: a, mass: 1, center: [1, 0], inertia: 1}]\n"
                              "joints: [{name: j, type: prismatic, bodies: [ground, a], at: [0, 0], at_b: [1, 0], axis: [1, 0]}]\n"
                              "forces: [{type: force, body: a, force: [2, 0]}]\n";
static const char wheel[] = "dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: a, mass: 1, center: [0, 0], inertia: 1},\n"
                            "         {name: b, rod: {from: [0, 0], to: [1, 0]}, mass: 1}]\n"
                            "joints: [{name: j, type: revolute, bodies: [ground, a], at: [0, 0]},\n"
                            "         {name: k, type: revolute, bodies: [a, b], at: [0, 0]}]\n";
/* a force that grows faster than its spring near q = 1: stable at 0 only */
static const char softening[] = "dimension: 2\nparameters: {P: 0}\nbodies: [{name: a, mass: 1, center: [6, 0], inertia: 1}]\n"
                                "joints: [{name: j, type: prismatic, bodies: [ground, a], at: [0, 0], at_b: [6, 0], axis: [1, 0]}]\n"
                                "forces: [{type: rotational_spring, variable: j.distance, torque: '=-(x-6) + (x-6)^2 + P'}]\n";

static const char upright[] = /* exactly upright: pushed off */
    "dimension: 2\ngravity: [0, -9.81]\nbodies: [{name: rod, rod: {from: [0, 0], to: [0, 1]}, mass: 1}]\n"
    "joints: [{name: A, type: revolute, bodies: [ground, rod], at: [0, 0]}]\n"
    "forces: [{type: rotational_spring, variable: A.angle, stiffness: 4}]\n";

/* one cube, bent, cooled and vibrating; a plate of two triangles under heat */
#define CUBE                                                                                                                            \
    "*NODE, NSET=NALL\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,0,0,1\n6,1,0,1\n7,1,1,1\n8,0,1,1\n9,2,0,0\n10,2,1,0\n11,2,0,1\n12,2,1,1\n" \
    "*ELEMENT, TYPE=C3D8, ELSET=EALL\n1,1,2,3,4,5,6,7,8\n2,2,9,10,3,6,11,12,7\n*NSET, NSET=LEFT\n1,4,5,8\n*NSET, NSET=RIGHT\n9,10,11,12\n"
static const char deck_bars[] =
    "*NODE, NSET=NALL\n1, 0, 0, 0\n2, 5, 0, 5\n3, 0, 0, 10\n*ELEMENT, TYPE=T3D2, ELSET=EALL\n1, 1, 2\n2, 2, 3\n"
    "*MATERIAL, NAME=M\n*ELASTIC\n1000., .3\n*SOLID SECTION, ELSET=EALL, MATERIAL=M\n.5\n*BOUNDARY\n1, 1, 3\n3, 1, 3\n"
    "*STEP\n*STATIC\n*CLOAD\n2, 1, 10.\n*NODE PRINT, NSET=NALL\nU\n*END STEP\n";
static const char deck_static[] = CUBE
    "*MATERIAL, NAME=M\n*ELASTIC\n2.E5, .3\n*PLASTIC\n200., 0.\n300., .1\n*DENSITY\n7.8E-9\n*SOLID SECTION, ELSET=EALL, MATERIAL=M\n"
    "*BOUNDARY\nLEFT, 1, 3\n*STEP, INC=100\n*STATIC\n.5, 1.\n*CLOAD\nRIGHT, 1, 60.\n*NODE PRINT, NSET=RIGHT\nU\n*EL PRINT, ELSET=EALL\nS, "
    "PEEQ\n*END STEP\n*STEP, INC=100\n*STATIC\n1., 1.\n*CLOAD\nRIGHT, 1, 20.\n*NODE PRINT, NSET=RIGHT\nU\n*NODE PRINT, NSET=LEFT\nRF\n"
    "*END STEP\n";
static const char deck_large[] =
    CUBE "*MATERIAL, NAME=M\n*ELASTIC\n1000., .3\n*SOLID SECTION, ELSET=EALL, MATERIAL=M\n"
         "*EQUATION\n2\n10, 3, 1., 9, 3, -1.\n*BOUNDARY\nLEFT, 1, 3\n*STEP, NLGEOM, INC=100\n*STATIC\n.25, 1.\n"
         "*CLOAD\nRIGHT, 3, 10.\n*NODE PRINT, NSET=RIGHT\nU\n*EL PRINT, ELSET=EALL\nS, E, ENER\n*END STEP\n";
static const char deck_modes[] = CUBE "*MATERIAL, NAME=M\n*ELASTIC\n2.E5, .3\n*DENSITY\n7.8E-9\n*SOLID SECTION, ELSET=EALL, MATERIAL=M\n"
                                      "*BOUNDARY\nLEFT, 1, 3\n*STEP\n*FREQUENCY\n4\n*END STEP\n*STEP, INC=100\n*DYNAMIC\n1.E-5, 1.E-4\n"
                                      "*CLOAD\nRIGHT, 3, 1.\n*NODE PRINT, NSET=RIGHT, FREQUENCY=5\nU, V\n*END STEP\n";
static const char deck_large_dynamic[] =
    CUBE "*MATERIAL, NAME=M\n*ELASTIC\n1000., .3\n*DENSITY\n1.\n*SOLID SECTION, ELSET=EALL, MATERIAL=M\n"
         "*BOUNDARY\nLEFT, 1, 3\n*STEP, NLGEOM, INC=100\n*DYNAMIC\n.02, .2\n*CLOAD\nRIGHT, 3, 10.\n"
         "*NODE PRINT, NSET=RIGHT, FREQUENCY=5\nU\n*END STEP\n";
static const char deck_heat[] =
    CUBE "*MATERIAL, NAME=M\n*CONDUCTIVITY\n50.\n*DENSITY\n1.\n*SPECIFIC HEAT\n10.\n*SOLID SECTION, ELSET=EALL, MATERIAL=M\n"
         "*INITIAL CONDITIONS, TYPE=TEMPERATURE\nNALL, 20.\n*STEP, INC=100\n*HEAT TRANSFER\n.1, 1.\n*BOUNDARY\nLEFT, 11, 11, 100.\n"
         "*DFLUX\nEALL, BF, 5.\n*NODE PRINT, NSET=NALL, FREQUENCY=5\nNT\n*EL PRINT, ELSET=EALL, FREQUENCY=10\nHFL\n*END STEP\n";

static const char slope[] = "dimension: 2\nparameters: {R: 0.2, a: 0.3, k: 20, m: 3}\ngravity: [=-9.81*sin(a), =-9.81*cos(a)]\n"
                            "bodies: [{name: wheel, mass: =m, center: [0, =R], inertia: =0.5*m*R^2}]\n"
                            "joints: [{name: roll, type: rolling, bodies: [ground, wheel], disc: =R}]\n"
                            "forces: [{type: spring, bodies: [ground, wheel], at: [3, =R], to: [0, =R], stiffness: =k, length: 3}]\n";

static const char column[] = "dimension: 2\nbodies:\n  - {name: rod, beam: {from: [0, 0], to: [0, 1], elements: 6},\n"
                             "     stiffness: {EA: 1e7, GA: 1e7, EI: 1}, mass_per_length: {rhoA: 1, rhoI: 1e-4}}\n"
                             "joints: [{name: clamp, type: fixed, bodies: [ground, rod], at: [0, 0]}]\n"
                             "forces: [{type: force, body: rod, at: [0, 1], force: [0.01, -4]}]\n"
                             "probes: {tip: {body: rod, at: [0, 1]}}\n";

static const char lever[] = "dimension: 3\nbodies:\n  - {name: rod, beam: {from: [0, 0, 0], to: [1, 0, 0], elements: 3},\n"
                            "     stiffness: {EA: 1e6, GA: 1e6, EI: 1, GJ: 1}, mass_per_length: {rhoA: 1, rhoI: 1e-4}}\n"
                            "joints: [{name: clamp, type: fixed, bodies: [ground, rod], at: [0, 0, 0]}]\n"
                            "forces: [{type: force, body: rod, at: [1, 0, 0], force: [0, 0.5, -1]}]\n"
                            "probes: {tip: {body: rod, at: [1, 0, 0]}}\n";

#define REST(...) \
    .ask = ask_rest, .how = &(const bl_equilibrium_options) { __VA_ARGS__ }

static const limit_case cases[] = {
    {.name = "rest of upright_rod", .scene = "upright_rod", REST(.plain = true)},
    {.name = "rest of upright_rod, any", .scene = "upright_rod", REST(.any = true, .plain = true)},
    {.name = "rest of upright_rod, starts", .scene = "upright_rod", REST(.any = true, .starts = 12)},
    {.name = "rest of hanging_chain", .scene = "hanging_chain", REST(.plain = true)},
    {.name = "rest of hanging_chain, natural", .scene = "hanging_chain", REST(.coordinates = "natural")},
    {.name = "rest of hanging_rods", .scene = "hanging_rods", REST(.coordinates = "reference")},
    {.name = "rest of four_bar", .scene = "four_bar", REST(.plain = true)},
    {.name = "rest of four_bar, held", .scene = "four_bar", REST(.hold = (const char *const[]){"A.angle"}, .nhold = 1)},
    {.name = "rest of ziegler_column", .scene = "ziegler_column", REST(.any = true)},
    {.name = "rest on a slope", .text = slope, REST(.plain = true)},
    {.name = "rest of a wheel", .text = wheel, REST(.plain = true)},
    {.name = "rest of what runs away", .text = runaway, REST(.plain = true)},
    {.name = "rest of a softening spring, starts", .text = softening, REST(.starts = 6)},
    {.name = "rest of a thin rod", .scene = "cantilever_elastica", .set = {{"n", 8}, {"stiff", 1e7}}, REST(.plain = true)},
    {.name = "rest of a column that bends", .text = column, REST(.plain = true)},
    {.name = "rest of a lever in space that bends", .text = lever, REST(.plain = true)},
    {.name = "rest of many loops", .scene = "n_four_bar", .set = {{"N", 310}}, REST(.coordinates = "natural"), .is_long = true},
    {.name = "rest of what stands upright", .text = upright, REST(.plain = true)},
    {.name = "path of upright_rod",
     .scene = "upright_rod",
     .set = {{"k", 6}},
     REST(.parameter = "k", .from = 6, .until = 4.8, .branches = true)},
    {.name = "path of von_mises_truss", .scene = "von_mises_truss", REST(.parameter = "P", .from = 0, .until = 5)},
    {.name = "path of the steep truss",
     .scene = "von_mises_truss",
     .set = {{"height", 3}},
     REST(.parameter = "P", .from = 0, .until = 2600)},
    {.name = "path of the steep truss, branches",
     .scene = "von_mises_truss",
     .set = {{"height", 3}},
     REST(.parameter = "P", .from = 0, .until = 1000, .branches = true)},
    {.name = "path of a folding mechanism", .text = folding, REST(.parameter = "P", .from = 0, .until = 20)},
    {.name = "path of a softening spring", .text = softening, REST(.parameter = "P", .from = 0, .until = 1)},
    {.name = "deck, bars", .text = deck_bars, .ask = ask_deck},
    {.name = "deck, plastic", .text = deck_static, .ask = ask_deck},
    {.name = "deck, large displacements", .text = deck_large, .ask = ask_deck},
    {.name = "deck, modes and dynamics", .text = deck_modes, .ask = ask_deck},
    {.name = "deck, large displacements in motion", .text = deck_large_dynamic, .ask = ask_deck},
    {.name = "deck, heat", .text = deck_heat, .ask = ask_deck},
};

limit_cases limit_cases_statics(void) { return LIMIT_CASES(cases); }
