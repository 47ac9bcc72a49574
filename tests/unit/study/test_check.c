/* The study check: mobilities and redundancies reasoned by hand, findings by their words. */
#include "biela/biela.h"
#include "support/testing.h"

#include <stdio.h>
#include <string.h>

/* ---- helpers */

typedef struct checked {
    bl_context *ctx;
    bl_model *model;
    bl_check_report report;
} checked;

static void read_text(checked *c, const char *text) {
    memset(c, 0, sizeof *c);
    c->ctx = test_context(NULL);
    if (bl_model_read_text(c->ctx, "test.yaml", text, strlen(text), NULL, 0, &c->model) != BL_OK)
        fail_msg("%s", bl_context_error(c->ctx)->what);
}

static void check_text(checked *c, const char *text) {
    read_text(c, text);
    if (bl_check(c->ctx, c->model, NULL, &c->report) != BL_OK)
        fail_msg("%s", bl_context_error(c->ctx)->what);
}

static void end(checked *c) {
    bl_check_report_destroy(c->ctx, &c->report);
    bl_model_destroy(c->model);
    test_context_end(c->ctx);
}

/* the finding of that part whose text contains the words; fails with all findings when there is none */
static const bl_finding *expect(const checked *c, int level, const char *part, const char *words) {
    for (bl_index i = 0; i < c->report.nfinding; i++) {
        const bl_finding *f = &c->report.finding[i];
        if ((int)f->level == level && !strcmp(f->part, part) && strstr(f->text, words))
            return f;
    }
    for (bl_index i = 0; i < c->report.nfinding; i++)
        print_message("%d %s: %s\n", (int)c->report.finding[i].level, c->report.finding[i].part, c->report.finding[i].text);
    fail_msg("no finding of %s with '%s'", part, words);
    return NULL;
}

static void mobility_is(const checked *c, int count, int rank, int overconstraint, int idle) {
    assert_int_equal(c->report.mobility_count, count);
    assert_int_equal(c->report.mobility_rank, rank);
    assert_int_equal(c->report.overconstraint, overconstraint);
    assert_int_equal(c->report.idle, idle);
    assert_int_equal(count + overconstraint - idle, rank);
}

/* ---- scenes */

/* count by hand: 3 or 6 for each body less what its joints forbid */
static const struct scene {
    const char *name;
    int count, rank, overconstraint, idle;
} scenes[] = {
    {"pendulum", 1, 1, 0, 0},             /* 3 - 2 */
    {"double_pendulum", 2, 2, 0, 0},      /* 6 - 4 */
    {"four_bar", 1, 1, 0, 0},             /* 9 - 8 */
    {"slider_crank", 1, 1, 0, 0},         /* 9 - 8 */
    {"n_four_bar", 1, 1, 0, 0},           /* N = 2: 15 - 14 */
    {"andrews", 1, 1, 0, 0},              /* 21 - 20 */
    {"five_bar_pendulum", 5, 5, 0, 0},    /* 30 - 25 */
    {"w3_chain", 5, 5, 0, 0},             /* 30 - 25 */
    {"tether", 28, 28, 0, 0},             /* 60 - 5 - 27 */
    {"heavy_top", 3, 3, 0, 0},            /* 6 - 3 */
    {"flyball_governor", 4, 4, 0, 0},     /* 24 - 20 */
    {"spatial_slider_crank", 1, 1, 0, 0}, /* 18 - 5 - 3 - 4 - 5 */
    {"bricard", 0, 1, 1, 0},              /* 30 - 30; it moves: one constraint must be redundant */
    {"bricard_cut", 0, 1, 1, 0},
    {"vehicle", 26, 10, 0, 16}, /* 126 - 32 x 3 - 2 x 2; 16 slender rods spin between balls; 10 as published */
};

static void check__every_scene_has_the_mobility_counted_by_hand(void **state) {
    (void)state;
    static const char *const kinds[] = {"natural", "mixed", "mixed:angle=switching"};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        for (size_t k = 0; k < 3; k++) {
            char file[512];
            checked c = {.ctx = test_context(NULL)};
            snprintf(file, sizeof file, "%s/%s.yaml", SCENES, scenes[i].name);
            assert_int_equal(bl_model_read(c.ctx, file, NULL, 0, &c.model), BL_OK);
            bl_run_options options = {.coordinates = kinds[k]};
            if (bl_check(c.ctx, c.model, &options, &c.report) != BL_OK)
                fail_msg("%s: %s", scenes[i].name, bl_context_error(c.ctx)->what);
            if (c.report.mobility_rank != scenes[i].rank)
                print_message("%s in %s\n", scenes[i].name, kinds[k]);
            mobility_is(&c, scenes[i].count, scenes[i].rank, scenes[i].overconstraint, scenes[i].idle);
            assert_int_equal(c.report.mobility_start, scenes[i].rank);
            assert_int_equal(c.report.coordinates - c.report.rank, scenes[i].rank);
            assert_int_equal(c.report.rows - c.report.rank, c.report.redundant);
            for (bl_index f = 0; f < c.report.nfinding; f++) /* nothing in the scenes deserves a warning */
                if (c.report.finding[f].level == BL_FINDING_WARNING)
                    fail_msg("%s: %s: %s", scenes[i].name, c.report.finding[f].part, c.report.finding[f].text);
            end(&c);
        }
}

/* published: Jacobian of the five-bar pendulum 198, of the tether 661, of Bricard 209 (cut loop), 181 (shared) nonzeros; rows and rank by
 * the dimensions of those models */
static void check__jacobians_have_the_published_sizes(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int coordinates, rows, rank, nonzeros, dependent;
    } known[] = {{"five_bar_pendulum", 35, 30, 30, 203, 198},
                 {"tether", 112, 84, 84, 661, 615},
                 {"bricard", 29, 30, 28, 182, 181},
                 {"bricard_cut", 35, 36, 34, 209, 208}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char file[512];
        checked c = {.ctx = test_context(NULL)};
        snprintf(file, sizeof file, "%s/%s.yaml", SCENES, known[i].name);
        assert_int_equal(bl_model_read(c.ctx, file, NULL, 0, &c.model), BL_OK);
        bl_run_options options = {.coordinates = "mixed"};
        assert_int_equal(bl_check(c.ctx, c.model, &options, &c.report), BL_OK);
        assert_int_equal(c.report.coordinates, known[i].coordinates);
        assert_int_equal(c.report.rows, known[i].rows);
        assert_int_equal(c.report.rank, known[i].rank);
        assert_int_equal(c.report.nonzeros, known[i].nonzeros);
        assert_int_equal(c.report.dependent_columns_nonzeros, known[i].dependent);
        end(&c);
    }
}

static void check__bricard_names_the_joint_that_closes_it(void **state) {
    (void)state;
    checked c = {.ctx = test_context(NULL)};
    assert_int_equal(bl_model_read(c.ctx, SCENES "/bricard.yaml", NULL, 0, &c.model), BL_OK);
    assert_int_equal(bl_check(c.ctx, c.model, NULL, &c.report), BL_OK);
    expect(&c, BL_FINDING_NOTE, "revolute 'j6'", "1 of its 5 constraints is redundant with j1, j2, j3, j4 and j5");
    expect(&c, BL_FINDING_NOTE, "mobility", "0 by counting + 1 redundant constraint = 1");
    end(&c);
}

/* ---- small models */

#define FOUR_BAR_BODIES                                     \
    "bodies:\n"                                             \
    "  - {name: crank, rod: {from: A, to: B}, mass: 1}\n"   \
    "  - {name: coupler, rod: {from: B, to: C}, mass: 1}\n" \
    "  - {name: rocker, rod: {from: C, to: D}, mass: 1}\n"
#define FOUR_BAR_JOINTS(axis)                                                   \
    "joints:\n"                                                                 \
    "  - {name: A, type: revolute, bodies: [ground, crank], at: A" axis "}\n"   \
    "  - {name: B, type: revolute, bodies: [crank, coupler], at: B" axis "}\n"  \
    "  - {name: C, type: revolute, bodies: [coupler, rocker], at: C" axis "}\n" \
    "  - {name: D, type: revolute, bodies: [ground, rocker], at: D" axis "}\n"

/* 18 - 20 by counting, 1 in truth: out of the plane one translation and two tilts are forbidden by A, B, C already */
static void check__four_bar_in_space_has_three_redundancies(void **state) {
    (void)state;
    checked c;
    check_text(&c, "points: {A: [0,0,0], B: [0,1,0], C: [2,2,0], D: [3,0,0]}\n" FOUR_BAR_BODIES FOUR_BAR_JOINTS(", axis: [0,0,1]"));
    mobility_is(&c, -2, 1, 3, 0);
    expect(&c, BL_FINDING_NOTE, "revolute 'D'",
           "3 of its 5 constraints are redundant with A, B and C: moving along z, turning about x and y");
    end(&c);
    /* the same in the plane through x and (0 1 1): directions turn with it */
    check_text(&c, "points: {A: [0,0,0], B: [0,1,1], C: [2,2,2], D: [3,0,0]}\n" FOUR_BAR_BODIES FOUR_BAR_JOINTS(", axis: [0,-1,1]"));
    mobility_is(&c, -2, 1, 3, 0);
    expect(&c, BL_FINDING_NOTE, "revolute 'D'", "moving along (0 0.707 -0.707), turning about x and (0 0.707 0.707)");
    end(&c);
}

/* Two wishbones and an upright, every hinge a pair of revolutes on one line (a frame in the given configuration by hand): 18 - 4 x 5 - 2 x
 * 3 = -8, and one steering and one stroke degree of freedom remain: 3 bodies, wishbones turn (2), the two balls hold the upright but for
 * the turn about their line (6 + 2 - 6 = 2). Each second hinge is redundant: 10 redundancies. */
static void check__doubled_hinges_are_redundant(void **state) {
    (void)state;
    checked c;
    check_text(&c, "bodies:\n"
                   "  - {name: lower, box: {center: [0, 0.25, 0], size: [0.4, 0.5, 0.02]}, mass: 2}\n"
                   "  - {name: upper, box: {center: [0, 0.3, 0.3], size: [0.3, 0.4, 0.02]}, mass: 1}\n"
                   "  - {name: upright, box: {center: [0, 0.5, 0.15], size: [0.05, 0.05, 0.4]}, mass: 5}\n"
                   "joints:\n"
                   "  - {name: l1, type: revolute, bodies: [ground, lower], at: [0.2, 0, 0], axis: [1, 0, 0]}\n"
                   "  - {name: l2, type: revolute, bodies: [ground, lower], at: [-0.2, 0, 0], axis: [1, 0, 0]}\n"
                   "  - {name: u1, type: revolute, bodies: [ground, upper], at: [0.15, 0.1, 0.3], axis: [1, 0, 0]}\n"
                   "  - {name: u2, type: revolute, bodies: [ground, upper], at: [-0.15, 0.1, 0.3], axis: [1, 0, 0]}\n"
                   "  - {name: lb, type: spherical, bodies: [lower, upright], at: [0, 0.5, 0]}\n"
                   "  - {name: ub, type: spherical, bodies: [upper, upright], at: [0, 0.5, 0.3]}\n");
    mobility_is(&c, -8, 2, 10, 0);
    expect(&c, BL_FINDING_WARNING, "revolute 'l2'",
           "redundant: l1 already prevents every motion that it prevents; the reactions are not unique");
    expect(&c, BL_FINDING_WARNING, "revolute 'u2'", "redundant: u1 already prevents every motion that it prevents");
    end(&c);
}

static void check__floating_bodies_are_noted(void **state) {
    (void)state;
    checked c;
    check_text(&c, "gravity: [0, 0, -9.81]\n"
                   "bodies:\n"
                   "  - {name: a, mass: 1, center: [0,0,0], inertia: [1,1,1]}\n"
                   "  - {name: b, mass: 1, center: [1,0,0], inertia: [1,1,1]}\n"
                   "  - {name: c, mass: 1, center: [2,0,0], inertia: [1,1,1]}\n"
                   "  - {name: d, mass: 1, center: [4,0,0], inertia: [1,1,1]}\n"
                   "joints:\n"
                   "  - {name: j1, type: revolute, bodies: [ground, a], at: [0,0,0], axis: [0,1,0]}\n"
                   "  - {name: j2, type: spherical, bodies: [b, c], at: [1.5, 0, 0]}\n"
                   "forces:\n"
                   "  - {type: spring, bodies: [ground, b], at: [1, 0, 1], to: [1, 0, 0], stiffness: 10, length: 1}\n");
    mobility_is(&c, 16, 16, 0, 0); /* 24 - 5 - 3 */
    const bl_finding *b = expect(&c, BL_FINDING_NOTE, "body 'b'", "and 1 more body: no joint connects them to ground");
    assert_null(strstr(b->text, "free fall"));
    expect(&c, BL_FINDING_NOTE, "body 'd'", "no joint connects it to ground; no force acts but gravity: free fall");
    end(&c);
}

static void check__massless_bodies_and_motions_are_warned_of(void **state) {
    (void)state;
    checked c;
    check_text(&c, "bodies:\n"
                   "  - {name: a, mass: 1, center: [0,0,0], inertia: [1,1,1]}\n"
                   "  - {name: b, mass: 0, center: [1,0,0]}\n"
                   "joints:\n"
                   "  - {name: j1, type: revolute, bodies: [ground, a], at: [0,0,0], axis: [0,1,0]}\n"
                   "  - {name: j2, type: fixed, bodies: [a, b], at: [0.5, 0, 0]}\n");
    mobility_is(&c, 1, 1, 0, 0);
    expect(&c, BL_FINDING_WARNING, "body 'b'", "has no mass, and neither joints nor forces need it");
    end(&c);
    /* held by a spring, it has a coordinate that moves no mass */
    check_text(&c, "bodies:\n"
                   "  - {name: a, mass: 1, center: [0,0,0], inertia: [1,1,1]}\n"
                   "  - {name: b, mass: 0, center: [1,0,0]}\n"
                   "joints:\n"
                   "  - {name: j1, type: revolute, bodies: [ground, a], at: [0,0,0], axis: [0,1,0]}\n"
                   "  - {name: j2, type: revolute, bodies: [a, b], at: [0.5, 0, 0], axis: [0,0,1]}\n"
                   "forces:\n"
                   "  - {type: spring, bodies: [ground, b], at: [2,1,0], to: [1,0.3,0], stiffness: 100, length: 0.5}\n");
    mobility_is(&c, 2, 2, 0, 0);
    expect(&c, BL_FINDING_WARNING, "body 'b'", "can turn about z without moving any mass");
    assert_int_equal(c.report.nfinding, 1);
    end(&c);
    /* the slider between: a can move while b stays where it is */
    check_text(&c, "dimension: 2\n"
                   "bodies:\n"
                   "  - {name: a, mass: 0, center: [0,0], inertia: 0}\n"
                   "  - {name: b, mass: 1, center: [1,0], inertia: 0}\n"
                   "joints:\n"
                   "  - {name: j1, type: prismatic, bodies: [ground, a], at: [0,0], axis: [1,0]}\n"
                   "  - {name: j2, type: prismatic, bodies: [a, b], at: [1,0], axis: [1,0]}\n");
    expect(&c, BL_FINDING_WARNING, "body 'a'", "can move along x without moving any mass");
    end(&c);
}

/* RSSR: 18 - 5 - 3 - 3 - 5 = 2, one of them the coupler spinning between its balls */
static void check__spin_of_a_slender_rod_is_an_idle_degree_of_freedom(void **state) {
    (void)state;
    static const char rssr[] = "points: {A: [0,0,0], B: [0,1,0], C: [2,2,1], D: [2,0,1]}\n"
                               "parameters: {axial: 0}\n"
                               "bodies:\n"
                               "  - {name: crank, rod: {from: A, to: B}, mass: 1}\n"
                               "  - {name: coupler, rod: {from: B, to: C, axial: =axial}, mass: 1}\n"
                               "  - {name: rocker, rod: {from: C, to: D}, mass: 1}\n"
                               "joints:\n"
                               "  - {name: A, type: revolute, bodies: [ground, crank], at: A, axis: [0,0,1]}\n"
                               "  - {name: B, type: spherical, bodies: [crank, coupler], at: B}\n"
                               "  - {name: C, type: spherical, bodies: [coupler, rocker], at: C}\n"
                               "  - {name: D, type: revolute, bodies: [ground, rocker], at: D, axis: [1,0,0]}\n";
    checked c;
    check_text(&c, rssr);
    mobility_is(&c, 2, 1, 0, 1);
    expect(&c, BL_FINDING_NOTE, "body 'coupler'", "can spin about its own axis");
    expect(&c, BL_FINDING_NOTE, "mobility", "2 by counting - 1 idle degree of freedom = 1");
    end(&c);
    /* with inertia about its axis the spin is a coordinate */
    memset(&c, 0, sizeof c);
    c.ctx = test_context(NULL);
    bl_override axial = {"axial", 1e-3};
    assert_int_equal(bl_model_read_text(c.ctx, "rssr", rssr, strlen(rssr), &axial, 1, &c.model), BL_OK);
    assert_int_equal(bl_check(c.ctx, c.model, NULL, &c.report), BL_OK);
    mobility_is(&c, 2, 2, 0, 0);
    assert_int_equal(c.report.nfinding, 0);
    end(&c);
}

/* a parallelogram with all bars on one line: it may leave as parallelogram or as antiparallelogram */
static void check__flat_parallelogram_starts_in_a_singular_configuration(void **state) {
    (void)state;
    checked c;
    check_text(&c, "dimension: 2\npoints: {A: [0,0], B: [1,0], C: [3,0], D: [2,0]}\n" FOUR_BAR_BODIES FOUR_BAR_JOINTS(""));
    mobility_is(&c, 1, 1, 0, 0);
    assert_int_equal(c.report.mobility_start, 2);
    assert_int_equal(c.report.redundant, 0);
    expect(&c, BL_FINDING_WARNING, "starting position", "singular: 2 degrees of freedom here, 1 nearby");
    end(&c);
}

/* n_four_bar with its cranks along x: mobility jumps from 1 to N + 1 there (IFToMM A02) */
static void check__flat_n_four_bar_jumps_from_1_to_n_plus_1(void **state) {
    (void)state;
    static const char text[] = "dimension: 2\nparameters: {N: 4}\n"
                               "points: [{repeat: {count: =N+1, index: i, do: [{name: A$i, at: [=i, 0]}, {name: B$i, at: [=i+1, 0]}]}}]\n"
                               "bodies:\n"
                               "  - repeat: {count: =N+1, index: i, do: [{name: crank$i, rod: {from: A$i, to: B$i}, mass: 1}]}\n"
                               "  - repeat: {count: =N, index: i, do: [{name: coupler$i, rod: {from: B$i, to: B$(i+1)}, mass: 1}]}\n"
                               "joints:\n"
                               "  - repeat: {count: =N+1, index: i, do: [\n"
                               "      {name: A$i, type: revolute, bodies: [ground, crank$i], at: A$i}]}\n"
                               "  - repeat: {count: =N, index: i, do: [\n"
                               "      {name: B$i, type: revolute, bodies: [crank$i, coupler$i], at: B$i},\n"
                               "      {name: C$i, type: revolute, bodies: [coupler$i, crank$(i+1)], at: B$(i+1)}]}\n";
    checked c;
    check_text(&c, text);
    mobility_is(&c, 1, 1, 0, 0);
    assert_int_equal(c.report.mobility_start, 5);
    end(&c);
}

/* two bars stretched between fixed pivots: one degree of freedom by rank, but B can only move to first order */
static void check__stretched_bars_lead_nowhere(void **state) {
    (void)state;
    static const char bars[] = "dimension: 2\nparameters: {h: 0}\npoints: {A: [0,0], B: [1,=h], C: [2,0]}\n"
                               "bodies:\n"
                               "  - {name: left, rod: {from: A, to: B}, mass: 1}\n"
                               "  - {name: right, rod: {from: B, to: C}, mass: 1}\n"
                               "joints:\n"
                               "  - {name: A, type: revolute, bodies: [ground, left], at: A}\n"
                               "  - {name: B, type: revolute, bodies: [left, right], at: B}\n"
                               "  - {name: C, type: revolute, bodies: [right, ground], at: C}\n";
    checked c;
    check_text(&c, bars);
    assert_int_equal(c.report.mobility_start, 1);
    expect(&c, BL_FINDING_WARNING, "starting position", "no other position can be reached");
    end(&c);
    memset(&c, 0, sizeof c);
    c.ctx = test_context(NULL);
    bl_override raised = {"h", 1};
    assert_int_equal(bl_model_read_text(c.ctx, "triangle", bars, strlen(bars), &raised, 1, &c.model), BL_OK);
    assert_int_equal(bl_check(c.ctx, c.model, NULL, &c.report), BL_OK);
    mobility_is(&c, 0, 0, 0, 0); /* 6 - 6: a triangle */
    expect(&c, BL_FINDING_WARNING, "mobility", "nothing can move");
    end(&c);
}

static void check__all_fixed_has_nothing_to_rank(void **state) {
    (void)state;
    checked c;
    check_text(&c, "dimension: 2\nbodies: [{name: beam, rod: {from: [0,0], to: [2,0]}, mass: 3}]\n"
                   "joints: [{name: wall, type: fixed, bodies: [ground, beam], at: [0,0]}]\n");
    mobility_is(&c, 0, 0, 0, 0);
    assert_int_equal(c.report.coordinates, 0);
    expect(&c, BL_FINDING_WARNING, "mobility", "nothing can move");
    end(&c);
}

#define FOUR_BAR_2D "dimension: 2\npoints: {A: [0,0], B: [0,1], C: [2,2], D: [3,0]}\n" FOUR_BAR_BODIES FOUR_BAR_JOINTS("")

static void check__drivers_count_and_redundant_ones_are_named(void **state) {
    (void)state;
    checked c;
    check_text(&c, FOUR_BAR_2D "drivers:\n  - {variable: A.angle, value: =t}\n");
    mobility_is(&c, 0, 0, 0, 0);
    expect(&c, BL_FINDING_NOTE, "mobility", "the drivers determine the complete motion");
    end(&c);
    check_text(&c, FOUR_BAR_2D "drivers:\n  - {variable: A.angle, value: =0*t}\n  - {variable: D.angle, value: =0*t}\n");
    mobility_is(&c, -1, 0, 1, 0);
    expect(&c, BL_FINDING_WARNING, "driver of D.angle", "A, B, C, D and the driver of A.angle already determine this variable");
    end(&c);
}

/* slider-crank pulled by its slider out of the dead point: there crank and coupler can move to first order, and the driver adds no
 * independent row */
static void check__dead_point_of_a_driven_slider_is_singular(void **state) {
    (void)state;
    checked c;
    check_text(&c, "dimension: 2\npoints: {A: [0,0], B: [1,0], C: [3,0]}\n"
                   "bodies:\n"
                   "  - {name: crank, rod: {from: A, to: B}, mass: 1}\n"
                   "  - {name: rod, rod: {from: B, to: C}, mass: 1}\n"
                   "  - {name: slider, mass: 1, center: C, inertia: 1}\n"
                   "joints:\n"
                   "  - {name: A, type: revolute, bodies: [ground, crank], at: A}\n"
                   "  - {name: B, type: revolute, bodies: [crank, rod], at: B}\n"
                   "  - {name: C, type: revolute, bodies: [rod, slider], at: C}\n"
                   "  - {name: guide, type: prismatic, bodies: [ground, slider], at: C, axis: [1,0]}\n"
                   "drivers: [{variable: guide.distance, value: =-t^2}]\n");
    mobility_is(&c, 0, 0, 0, 0);
    assert_int_equal(c.report.mobility_start, 1);
    expect(&c, BL_FINDING_WARNING, "starting position", "singular: 1 degree of freedom here, 0 nearby");
    end(&c);
}

static void check__contradictory_drivers_are_the_error_of_the_assembly(void **state) {
    (void)state;
    static const char *const second[] = {"=t", "0.1"}; /* contradicts the velocities; the positions */
    for (int i = 0; i < 2; i++) {
        char text[1024];
        checked c;
        snprintf(text, sizeof text, "%s%s%s}\n", FOUR_BAR_2D "drivers:\n  - {variable: A.angle, value: =0*t}\n",
                 "  - {variable: D.angle, value: ", second[i]);
        read_text(&c, text);
        assert_int_equal(bl_check(c.ctx, c.model, NULL, &c.report), BL_E_NUMERIC);
        const bl_error *error = bl_context_error(c.ctx);
        assert_string_equal(error->part, "driver of D.angle");
        assert_int_equal(error->line, 14);
        assert_null(c.report.finding);
        end(&c);
    }
}

static void check__twins_and_laws_with_corners_are_found(void **state) {
    (void)state;
    checked c;
    check_text(&c, "bodies:\n"
                   "  - {name: door, box: {center: [0.5,0,1], size: [1, 0.05, 2]}, mass: 20}\n"
                   "  - {name: knob, sphere: {center: [1,0,1], radius: 0.05}, mass: 1}\n"
                   "joints:\n"
                   "  - {name: hinge, type: revolute, bodies: [ground, door], at: [0,0,0.3], axis: [0,0,1]}\n"
                   "  - {name: k1, type: spherical, bodies: [door, knob], at: [1,0,1]}\n"
                   "  - {name: k2, type: spherical, bodies: [knob, door], at: [1,0,1]}\n"
                   "forces:\n"
                   "  - {name: wind, type: torque, body: door, torque: [0, 0, \"=abs(hinge.angle)\"]}\n");
    mobility_is(&c, 1, 4, 3, 0);
    expect(&c, BL_FINDING_WARNING, "spherical 'k2'", "connects the same bodies at the same point as 'k1'");
    expect(&c, BL_FINDING_NOTE, "force wind", "'abs(hinge.angle)' is not smooth everywhere");
    assert_int_equal(c.report.finding[0].level, BL_FINDING_WARNING); /* warnings come first */
    end(&c);
}

/* gears: two wheels, each with one degree of freedom, coupled by one relation; a second relation between them follows or locks */
static void check__relations_of_variables_take_part(void **state) {
    (void)state;
    static const char wheels[] = "bodies:\n"
                                 "  - {name: a, cylinder: {from: [0,0,0], to: [0,0,0.1], radius: 0.1}, mass: 1}\n"
                                 "  - {name: b, cylinder: {from: [0.3,0,0], to: [0.3,0,0.1], radius: 0.2}, mass: 1}\n"
                                 "joints:\n"
                                 "  - {name: ja, type: revolute, bodies: [ground, a], at: [0,0,0], axis: [0,0,1]}\n"
                                 "  - {name: jb, type: revolute, bodies: [ground, b], at: [0.3,0,0], axis: [0,0,1]}\n"
                                 "  - {name: mesh, type: gear, first: ja.angle, second: jb.angle, ratio: -0.5}\n";
    char text[1024];
    checked c;
    check_text(&c, wheels);
    mobility_is(&c, 1, 1, 0, 0); /* 12 - 10 - 1 */
    assert_int_equal(c.report.nfinding, 0);
    end(&c);
    snprintf(text, sizeof text, "%s  - {name: back, type: gear, first: jb.angle, second: ja.angle, ratio: -2}\n", wheels);
    check_text(&c, text);
    mobility_is(&c, 0, 1, 1, 0);
    expect(&c, BL_FINDING_WARNING, "gear 'back'", "redundant: ");
    end(&c);
}

/* ---- robustness */

/* ---- methods that the model names */

static bl_status check_settings(const char *settings, bl_error *error, bl_status *ran) {
    char text[512];
    checked c;
    snprintf(text, sizeof text,
             "dimension: 2\nbodies: [{name: a, mass: 1, center: [1, 0], inertia: 1}]\n"
             "joints: [{name: j, type: revolute, bodies: [ground, a], at: [0, 0]}]\n"
             "simulate: {until: 0.01, step: 0.005, %s}\n",
             settings);
    read_text(&c, text);
    bl_status status = bl_check(c.ctx, c.model, NULL, &c.report);
    *error = *bl_context_error(c.ctx);
    if (ran)
        *ran = bl_simulate(c.ctx, c.model, NULL, NULL, 0, NULL);
    end(&c);
    return status;
}

static void check__refuses_methods_that_do_not_exist_or_fit(void **unused) {
    (void)unused;
    static const struct {
        const char *settings, *what, *advice;
    } wrong[] = {{"integrator: dopri54", "there is no integrator 'dopri54'", "dopri45"},
                 {"formulation: partitoin", "there is no formulation 'partitoin'", "partition"},
                 {"linsol: klo", "there is no linear solver 'klo'", "klu"},
                 {"ordering: amdd", "there is no ordering 'amdd'", "amd"},
                 {"integrator: 'radau:7'", "order must be 5, 9 or 13, found 7", ""},
                 {"integrator: hht, formulation: lagrange", "needs the equations of motion themselves", "index3"},
                 {"integrator: dopri45, formulation: ggl", "integrator dopri45 needs the rate", "lagrange"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        bl_error error;
        assert_int_equal(check_settings(wrong[i].settings, &error, NULL), BL_E_MODEL);
        assert_non_null(strstr(error.what, wrong[i].what));
        assert_non_null(strstr(error.advice, wrong[i].advice));
        assert_int_equal(error.line, 4);
    }
}

typedef struct kind_names {
    char name[64][32];
    int n;
} kind_names;

static void keep_name(void *user, const bl_choice *choice) {
    kind_names *names = user;
    snprintf(names->name[names->n++ % 64], 32, "%s", choice->name);
}

static void check__accepts_every_pair_of_methods_that_runs(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    kind_names integrators = {.n = 0}, formulations = {.n = 0};
    assert_int_equal(bl_list(ctx, "integrators", keep_name, &integrators), BL_OK);
    assert_int_equal(bl_list(ctx, "formulations", keep_name, &formulations), BL_OK);
    assert_true(integrators.n > 20 && integrators.n < 64 && formulations.n > 10 && formulations.n < 64);
    int runs = 0, refused_by_both = 0, refused_by_run = 0;
    for (int i = 0; i < integrators.n; i++)
        for (int f = 0; f < formulations.n; f++) {
            char settings[96];
            bl_error error;
            bl_status ran;
            snprintf(settings, sizeof settings, "integrator: %s, formulation: %s", integrators.name[i], formulations.name[f]);
            bl_status found = check_settings(settings, &error, &ran);
            if (ran == BL_OK && found != BL_OK)
                fail_msg("%s runs, but check says: %s", settings, error.what);
            runs += ran == BL_OK;
            refused_by_both += ran != BL_OK && found != BL_OK;
            refused_by_run += ran != BL_OK && found == BL_OK;
        }
    print_message("%d pairs run, %d are refused by check and run, %d by a run alone\n", runs, refused_by_both, refused_by_run);
    test_context_end(ctx);
}

static void check__bad_arguments_are_refused(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_check_report report = {0};
    assert_int_equal(bl_check(ctx, NULL, NULL, &report), BL_E_ARG);
    test_context_end(ctx);
}

static bl_status check_once(bl_context *ctx, void *user) {
    const char *text = user;
    bl_model *model = NULL;
    bl_check_report report = {0};
    bl_status status = bl_model_read_text(ctx, "test.yaml", text, strlen(text), NULL, 0, &model);
    if (status == BL_OK)
        status = bl_check(ctx, model, NULL, &report);
    bl_check_report_destroy(ctx, &report);
    bl_model_destroy(model);
    return status;
}

static void check__gives_back_memory_when_allocation_fails(void **state) {
    (void)state;
    static char flat[] = "dimension: 2\npoints: {A: [0,0], B: [1,0], C: [3,0], D: [2,0]}\n" FOUR_BAR_BODIES FOUR_BAR_JOINTS("");
    static char space[] = "points: {A: [0,0,0], B: [0,1,0], C: [2,2,0], D: [3,0,0]}\n" FOUR_BAR_BODIES FOUR_BAR_JOINTS(
        ", axis: [0,0,1]") "drivers:\n  - {variable: A.angle, value: =t}\n";
    static char floating[] = "bodies:\n"
                             "  - {name: a, mass: 1, center: [0,0,0], inertia: [1,1,1]}\n"
                             "  - {name: b, mass: 0, center: [0,0,0]}\n";
    assert_true(test_failing_allocations(check_once, flat) > 20);
    assert_true(test_failing_allocations(check_once, space) > 20);
    assert_true(test_failing_allocations(check_once, floating) > 20);
}

/* ---- equations of velocities */

static void redundant_slip__is_named_by_joint_and_equation(void **unused) {
    (void)unused;
    static const char cart[] =
        "gravity: [0, 0, -9.81]\nbodies:\n  - {name: frame, mass: 6, center: [0.08, 0, 0.12], inertia: [0.1, 0.15, 0.2]}\n"
        "  - {name: wheel_l, mass: 0.5, center: [0, 0.2, 0.1], inertia: [0.0014, 0.0025, 0.0014]}\n"
        "  - {name: wheel_r, mass: 0.5, center: [0, -0.2, 0.1], inertia: [0.0014, 0.0025, 0.0014]}\njoints:\n"
        "  - {name: roll_l, type: rolling, bodies: [ground, wheel_l], disc: 0.1, axis: [0, 1, 0]}\n"
        "  - {name: roll_r, type: rolling, bodies: [ground, wheel_r], disc: 0.1, axis: [0, 1, 0]}\n"
        "  - {name: axle_l, type: revolute, bodies: [frame, wheel_l], at: [0, 0.2, 0.1], axis: [0, 1, 0]}\n"
        "  - {name: axle_r, type: revolute, bodies: [frame, wheel_r], at: [0, -0.2, 0.1], axis: [0, 1, 0]}\n"
        "  - {name: caster, type: point_on_plane, bodies: [ground, frame], at: [0.25, 0, 0], axis: [0, 0, 1]}\n";
    static const char *const kinds[] = {"natural", "reference", "relative"};
    for (int k = 0; k < 3; k++) {
        checked c;
        read_text(&c, cart);
        c.report.size = sizeof c.report;
        assert_int_equal(bl_check(c.ctx, c.model, &(bl_run_options){.coordinates = kinds[k]}, &c.report), BL_OK);
        assert_int_equal(c.report.redundant, 1);
        assert_int_equal(c.report.overconstraint, 0); /* of positions */
        assert_int_equal(c.report.mobility_position, 5);
        assert_int_equal(c.report.mobility_rank, 2);
        expect(&c, BL_FINDING_NOTE, "rolling 'roll_r'",
               "slipping on the plane, second direction: roll_l, axle_l and axle_r already prevent it");
        expect(&c, BL_FINDING_NOTE, "mobility", "5 degrees of freedom of positions, 2 of velocities");
        end(&c);
    }
}

/* the height of an axle that is guided, and a slip that two drivers determine: positions come first, drivers next, slip last */
static void repeated_gap_and_slip__are_separate(void **unused) {
    (void)unused;
    checked c;
    check_text(&c, "dimension: 2\nbodies:\n  - {name: wheel, mass: 2, center: [0, 0.2], inertia: 0.04}\n"
                   "  - {name: frame, mass: 10, center: [0, 0.2], inertia: 1}\njoints:\n"
                   "  - {name: roll, type: rolling, bodies: [ground, wheel], disc: 0.2}\n"
                   "  - {name: axle, type: revolute, bodies: [frame, wheel], at: [0, 0.2]}\n"
                   "  - {name: guide, type: prismatic, bodies: [ground, frame], at: [0, 0.2], axis: [1, 0]}\n"
                   "drivers: [{variable: axle.angle, value: =-5*t}, {variable: guide.distance, value: =t}]\n");
    assert_int_equal(c.report.redundant, 2);
    assert_int_equal(c.report.overconstraint, 1);
    expect(&c, BL_FINDING_WARNING, "rolling 'roll'",
           "slipping on the plane: axle, guide, the driver of axle.angle and the driver of guide.distance already "
           "prevent it; the mechanism locks where a driver disagrees");
    expect(&c, BL_FINDING_NOTE, "prismatic 'guide'", "1 of its 2 constraints is redundant with roll and axle: moving along y");
    end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check__every_scene_has_the_mobility_counted_by_hand),
        cmocka_unit_test(check__jacobians_have_the_published_sizes),
        cmocka_unit_test(check__bricard_names_the_joint_that_closes_it),
        cmocka_unit_test(check__four_bar_in_space_has_three_redundancies),
        cmocka_unit_test(check__doubled_hinges_are_redundant),
        cmocka_unit_test(check__floating_bodies_are_noted),
        cmocka_unit_test(check__massless_bodies_and_motions_are_warned_of),
        cmocka_unit_test(check__spin_of_a_slender_rod_is_an_idle_degree_of_freedom),
        cmocka_unit_test(check__flat_parallelogram_starts_in_a_singular_configuration),
        cmocka_unit_test(check__flat_n_four_bar_jumps_from_1_to_n_plus_1),
        cmocka_unit_test(check__stretched_bars_lead_nowhere),
        cmocka_unit_test(check__all_fixed_has_nothing_to_rank),
        cmocka_unit_test(check__drivers_count_and_redundant_ones_are_named),
        cmocka_unit_test(check__dead_point_of_a_driven_slider_is_singular),
        cmocka_unit_test(check__contradictory_drivers_are_the_error_of_the_assembly),
        cmocka_unit_test(check__twins_and_laws_with_corners_are_found),
        cmocka_unit_test(check__relations_of_variables_take_part),
        cmocka_unit_test(check__refuses_methods_that_do_not_exist_or_fit),
        cmocka_unit_test(check__accepts_every_pair_of_methods_that_runs),
        cmocka_unit_test(check__bad_arguments_are_refused),
        cmocka_unit_test(check__gives_back_memory_when_allocation_fails),
        cmocka_unit_test(redundant_slip__is_named_by_joint_and_equation),
        cmocka_unit_test(repeated_gap_and_slip__are_separate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
