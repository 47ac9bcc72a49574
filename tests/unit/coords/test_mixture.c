/* Bodies with coordinates of their own: columns and rows of a mixture, the spanning tree, what is refused and where, failed allocations. */
#include "coords/coords.h"
#include "study/study.h"
#include "support/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct built {
    bl_context *ctx;
    bl_model *model;
    bl_system *sys;
} built;

static bl_status build(bl_context *ctx, const char *text, const char *coordinates, built *b) {
    *b = (built){.ctx = ctx};
    BL_TRY(bl_model_read_text(ctx, "test.yaml", text, strlen(text), NULL, 0, &b->model));
    return bl_coords_build(ctx, b->model, coordinates, &b->sys);
}

static void forget(built *b) {
    if (b->sys)
        bl_system_destroy(b->sys);
    bl_model_destroy(b->model);
}

/* names of all columns, separated by blanks */
static void columns(const bl_system *sys, char *text, size_t room) {
    text[0] = '\0';
    for (bl_index j = 0; j < sys->nv; j++) {
        char name[96];
        bl_system_col_name(sys, j, name, sizeof name);
        snprintf(text + strlen(text), room - strlen(text), "%s%s", j ? " " : "", name);
    }
}

static void expect_columns(const char *text, const char *coordinates, bl_index nrow, const char *want) {
    bl_context *ctx = test_context(NULL);
    built b;
    char got[2048];
    if (build(ctx, text, coordinates, &b) != BL_OK)
        fail_msg("%s: %s", coordinates, bl_context_error(ctx)->what);
    columns(b.sys, got, sizeof got);
    assert_string_equal(got, want);
    assert_int_equal(b.sys->np, nrow);
    forget(&b);
    test_context_end(ctx);
}

/* rods from A over B and C to D, in the plane; the coordinates of each */
static const char *chain(char *text, size_t room, const char *a, const char *b, const char *c, const char *joints) {
    snprintf(text, room,
             "dimension: 2\ngravity: [0, -9.81]\npoints: {A: [0, 0], B: [1, 1], C: [2, 1], D: [3, 0]}\nbodies:\n"
             "  - {name: a, rod: {from: A, to: B}, mass: 1%s}\n"
             "  - {name: b, rod: {from: B, to: C}, mass: 1%s}\n"
             "  - {name: c, rod: {from: C, to: D}, mass: 1%s}\n"
             "joints:\n"
             "  - {name: jA, type: revolute, bodies: [ground, a], at: A}\n"
             "  - {name: jB, type: revolute, bodies: [a, b], at: B}\n"
             "  - {name: jC, type: revolute, bodies: [b, c], at: C}\n%s",
             a, b, c, joints);
    return text;
}
#define NATURAL ", coordinates: natural"
#define REFERENCE ", coordinates: reference"
#define RELATIVE ", coordinates: relative"

static void mixture__natural_neighbors_share_what_others_meet_by_rows(void **unused) {
    (void)unused;
    char text[2048];
    /* two lengths; C of b on c, two rows: 7 - 4 = 3 degrees of freedom */
    expect_columns(chain(text, sizeof text, NATURAL, NATURAL, "", ""), "reference", 4, "c.x c.y c.angle B.x B.y C.x C.y");
    expect_columns(chain(text, sizeof text, "", "", REFERENCE, ""), "natural", 4, "c.x c.y c.angle B.x B.y C.x C.y");
    /* in the middle: one length on each side, four rows at its ends; natural bodies do not share points across it */
    expect_columns(chain(text, sizeof text, "", REFERENCE, "", ""), "natural", 6, "b.x b.y b.angle B.x B.y C.x C.y c.center.x c.center.y");
    /* all natural, after all */
    expect_columns(chain(text, sizeof text, NATURAL, NATURAL, NATURAL, ""), "relative", 3, "B.x B.y C.x C.y c.center.x c.center.y");
}

static void mixture__bodies_turn_in_their_own_ways(void **unused) {
    (void)unused;
    static const char text[] =
        "bodies:\n"
        "  - {name: a, mass: 1, center: [0, 0, 0], inertia: [1, 1, 1], coordinates: 'reference:angles,sequence=zxz'}\n"
        "  - {name: b, mass: 1, center: [1, 0, 0], inertia: [1, 1, 1]}\n"
        "  - {name: c, mass: 1, center: [2, 0, 0], inertia: [1, 1, 1], coordinates: 'reference:matrix'}\n"
        "  - {name: d, mass: 1, center: [3, 0, 0], inertia: [1, 1, 1], coordinates: reference}\n";
    expect_columns(text, "reference", 1 + 6 + 1,
                   "a.x a.y a.z a.angle1 a.angle2 a.angle3 b.x b.y b.z b.e0 b.e1 b.e2 b.e3 "
                   "c.x c.y c.z c.r1x c.r1y c.r1z c.r2x c.r2y c.r2z c.r3x c.r3y c.r3z d.x d.y d.z d.e0 d.e1 d.e2 d.e3");
    /* bodies without a choice have the orientation of the model */
    expect_columns(text, "reference:angles", 6,
                   "a.x a.y a.z a.angle1 a.angle2 a.angle3 b.x b.y b.z b.angle1 b.angle2 b.angle3 "
                   "c.x c.y c.z c.r1x c.r1y c.r1z c.r2x c.r2y c.r2z c.r3x c.r3y c.r3z d.x d.y d.z d.angle1 d.angle2 d.angle3");
    bl_context *ctx = test_context(NULL);
    built b;
    char part[64], equation[64];
    assert_int_equal(build(ctx, text, "reference", &b), BL_OK);
    for (bl_index r = 0; r < 8; r++) { /* rows depend on the orientation of the body */
        bl_system_row_name(b.sys, r, part, sizeof part, equation, sizeof equation);
        assert_string_equal(part, r == 0 ? "body 'b'" : r == 7 ? "body 'd'" : "body 'c'");
        assert_true((strcmp(equation, "unit quaternion") == 0) == (r == 0 || r == 7));
    }
    forget(&b);
    test_context_end(ctx);
}

/* it is not carried by its joint, whose rows appear; bodies attached to it remain attached */
static void mixture__reference_bodies_of_a_tree_float(void **unused) {
    (void)unused;
    char text[2048];
    expect_columns(chain(text, sizeof text, "", "", "", ""), "relative", 0, "jA.angle jB.angle jC.angle");
    expect_columns(chain(text, sizeof text, "", REFERENCE, "", ""), "relative", 2, "jA.angle b.slide_1 b.slide_2 b.turn_3 jC.angle");
    expect_columns(chain(text, sizeof text, REFERENCE, RELATIVE, RELATIVE, ""), "natural", 2,
                   "a.slide_1 a.slide_2 a.turn_3 jB.angle jC.angle");
    /* also if the floating body follows the one attached to it */
    expect_columns(chain(text, sizeof text, NATURAL, RELATIVE, REFERENCE, ""), "natural", 3,
                   "c.slide_1 c.slide_2 c.turn_3 jC.angle B.x B.y");
}

static void tree__is_the_one_without_the_cut_joints(void **unused) {
    (void)unused;
    static const char *const cut[] = {", cut: true", ""};
    static const char *const want[] = {"jA.angle jB.angle jC.angle", "jA.angle jD.angle jB.angle"};
    char text[2048], more[512];
    for (int i = 0; i < 2; i++) {
        bl_context *ctx = test_context(NULL);
        built b;
        char got[256], part[64], equation[64];
        /* breadth first, the loop would be closed at jC; jD is cut in the first case */
        snprintf(more, sizeof more, "  - {name: jD, type: revolute, bodies: [ground, c], at: D%s}\n", cut[i]);
        assert_int_equal(build(ctx, chain(text, sizeof text, "", "", "", more), "relative", &b), BL_OK);
        columns(b.sys, got, sizeof got);
        assert_string_equal(got, want[i]);
        assert_int_equal(b.sys->np, 2);
        for (bl_index r = 0; r < 2; r++) {
            bl_system_row_name(b.sys, r, part, sizeof part, equation, sizeof equation);
            assert_string_equal(part, i ? "revolute 'jC'" : "revolute 'jD'");
        }
        forget(&b);
        test_context_end(ctx);
    }
}

static void independent__names_columns_of_reference_bodies(void **unused) {
    (void)unused;
    char text[2048];
    bl_context *ctx = test_context(NULL);
    built b;
    assert_int_equal(build(ctx, chain(text, sizeof text, "", "", REFERENCE, "independent: [c.angle, B.x, jA.angle]\n"), "natural", &b),
                     BL_OK);
    assert_int_equal(b.sys->nindependent, 2); /* the variable is not a coordinate here */
    assert_int_equal(b.sys->independent[0], 2);
    assert_int_equal(b.sys->independent[1], 3);
    forget(&b);
    assert_int_equal(build(ctx, chain(text, sizeof text, "", "", REFERENCE, "independent: [c.angel]\n"), "natural", &b), BL_E_MODEL);
    assert_non_null(strstr(bl_context_error(ctx)->what, "c.angel"));
    assert_int_equal(bl_context_error(ctx)->line, 12);
    forget(&b);
    test_context_end(ctx);
}

/* ---- errors: where, why, what to do */

static void mixture__refuses_what_does_not_fit(void **unused) {
    (void)unused;
    /* the coordinates of body b are in line 3; ~ marks their column */
    static const struct {
        const char *before, *word, *after, *coordinates, *what, *advice;
    } refusal[] = {
        {"center: [1, 0, 0], inertia: [1, 1, 1], coordinates: ", "mixed", "}", "natural", "unknown coordinates 'mixed' of a body",
         "natural, relative or reference"},
        {"center: [1, 0, 0], inertia: [1, 1, 1], coordinates: ", "'natural:switching'", "}", "natural", "takes no options", ""},
        {"center: [1, 0, 0], inertia: [1, 1, 1], coordinates: ", "'reference:euler'", "}", "natural", "euler", ""},
        {"center: [1, 0, 0], inertia: [1, 1, 1], coordinates: ", "'reference:matrix,sequence=xyz'", "}", "natural",
         "not to orientation matrix", "reference:angles,sequence=xyz"},
        {"center: [1, 0, 0], inertia: [1, 1, 1], coordinates: ", "reference", ", carry: [{point: [2, 0, 0]}]}", "natural",
         "carry needs natural coordinates", "remove carry"},
        {"center: [1, 0, 0], inertia: [1, 1, 1], coordinates: ", "'reference:matrix'", "}", "relative", "its orientation cannot be chosen",
         "reference without an orientation"},
        {"center: [1, 0, 0], inertia: [1, 1, 1], coordinates: ", "relative", "}", "natural", "no joint", "coordinates: reference"},
        {"rod: {from: [1, 0, 0], to: [2, 0, 0]}, coordinates: ", "reference", "}", "natural", "cannot have an orientation", "axial"},
    };
    for (size_t i = 0; i < sizeof refusal / sizeof *refusal; i++) {
        char text[1024], line[256];
        int column = snprintf(line, sizeof line, "  - {name: b, mass: 1, %s", refusal[i].before) + 1;
        snprintf(
            text, sizeof text,
            "bodies:\n  - {name: a, mass: 1, center: [0, 0, 0], inertia: [1, 1, 1]}\n%s%s%s\n"
            "joints:\n  - {type: spherical, bodies: [ground, a], at: [0, 0, 0]}\n  - {type: spherical, bodies: [a, b], at: [1, 0, 0]}\n"
            "  - {type: spherical, bodies: [b, ground], at: [2, 0, 0]%s}\n",
            line, refusal[i].word, refusal[i].after, strcmp(refusal[i].word, "relative") == 0 ? ", cut: true" : "");
        bl_context *ctx = test_context(NULL);
        built b;
        assert_int_equal(build(ctx, text, refusal[i].coordinates, &b), BL_E_MODEL);
        const bl_error *error = bl_context_error(ctx);
        if (!strstr(error->what, refusal[i].what) || !strstr(error->what, "body 'b'") || !strstr(error->advice, refusal[i].advice))
            fail_msg("%s: %s (%s)", refusal[i].word, error->what, error->advice);
        assert_int_equal(error->line, 3);
        assert_int_equal(error->column, column);
        forget(&b);
        test_context_end(ctx);
    }
}

/* ---- the choice is logged */

static void keep_message(void *user, bl_log_level level, const char *message) {
    (void)level;
    if (strstr(message, "coordinates"))
        snprintf(user, 160, "%s", message);
}

static void mixture__is_reported(void **unused) {
    (void)unused;
    char text[2048], said[160] = "";
    bl_context_options options = {.log = keep_message, .log_user = said, .log_level = BL_LOG_INFO};
    bl_context *ctx;
    built b;
    assert_int_equal(bl_context_create(&options, &ctx), BL_OK);
    assert_int_equal(build(ctx, chain(text, sizeof text, NATURAL, REFERENCE, RELATIVE, ""), "natural", &b), BL_OK);
    assert_string_equal(said, "coordinates of bodies: 1 natural, 1 reference, 1 relative");
    said[0] = '\0';
    forget(&b);
    assert_int_equal(build(ctx, chain(text, sizeof text, NATURAL, "", NATURAL, ""), "natural", &b), BL_OK);
    assert_string_equal(said, "");
    forget(&b);
    bl_context_destroy(ctx);
}

/* ---- memory */

static bl_status whole_life(bl_context *ctx, void *user) {
    built b;
    bl_state state = {0};
    bl_eval e = {0};
    bl_status status = build(ctx, user, NULL, &b);
    if (status == BL_OK)
        status = bl_state_create(b.sys, 0, &state);
    if (status == BL_OK)
        status = bl_coords_initial(b.sys, &state);
    if (status == BL_OK)
        status = bl_assemble_positions(b.sys, b.model, &state);
    if (status == BL_OK)
        status = bl_eval_create(b.sys, BL_ALL, &e);
    if (status == BL_OK) {
        bl_eval_at(&e, &state);
        status = bl_system_eval(b.sys, &e, BL_PHI | BL_G | BL_Q | BL_C | BL_KC | BL_POSE | BL_VARIABLES | BL_PROBES | BL_ENERGY);
    }
    if (b.sys) {
        bl_eval_destroy(b.sys, &e);
        bl_state_destroy(b.sys, &state);
    }
    forget(&b);
    return status;
}

static void mixture__survives_every_failing_allocation(void **unused) {
    (void)unused;
#define SPATIAL                                                                                                     \
    "gravity: [0, 0, -9.81]\nbodies:\n"                                                                             \
    "  - {name: a, mass: 1, center: [1, 0, 0], inertia: [1, 1, 1], coordinates: %s}\n"                              \
    "  - {name: b, mass: 1, center: [2, 1, 0], inertia: [1, 1, 1], coordinates: %s}\n"                              \
    "  - {name: c, rod: {from: [2, 2, 0], to: [0, 2, 0]}, mass: 1}\n"                                               \
    "joints:\n  - {name: j, type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}\n"                 \
    "  - {name: k, type: universal, bodies: [a, b], at: [2, 0, 0], axis: [0, 0, 1], axis_b: [0, 1, 0]}\n"           \
    "  - {name: l, type: spherical, bodies: [b, c], at: [2, 2, 0]}\n"                                               \
    "  - {name: m, type: revolute, bodies: [ground, c], at: [0, 2, 0], axis: [0, 0, 1]}\n"                          \
    "forces: [{type: rotational_spring, variable: j.angle, stiffness: 2}]\nprobes: {P: {body: b, at: [2, 1, 1]}}\n" \
    "initial: {j.angle: 0.1}\ncoordinates: %s\n"
    static const char *const says[][3] = {{"natural", "'reference:angles,sequence=zxz'", "reference"},
                                          {"reference", "relative", "mixed"},
                                          {"relative", "reference", "natural"}};
    for (size_t i = 0; i < sizeof says / sizeof *says; i++) {
        char text[2048];
        snprintf(text, sizeof text, SPATIAL, says[i][0], says[i][1], says[i][2]);
        bl_context *ctx = test_context(NULL);
        if (whole_life(ctx, text) != BL_OK)
            fail_msg("%s: %s", says[i][0], bl_context_error(ctx)->what);
        test_context_end(ctx);
        assert_true(test_failing_allocations(whole_life, text) > 100);
        assert_true(test_failing_once(whole_life, text) > 100);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mixture__natural_neighbors_share_what_others_meet_by_rows),
        cmocka_unit_test(mixture__bodies_turn_in_their_own_ways),
        cmocka_unit_test(mixture__reference_bodies_of_a_tree_float),
        cmocka_unit_test(tree__is_the_one_without_the_cut_joints),
        cmocka_unit_test(independent__names_columns_of_reference_bodies),
        cmocka_unit_test(mixture__refuses_what_does_not_fit),
        cmocka_unit_test(mixture__is_reported),
        cmocka_unit_test(mixture__survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
