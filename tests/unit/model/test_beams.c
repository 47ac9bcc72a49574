/* Beams in model files: constants of cross sections against closed values and another series, the axis and directors of straight beams,
 * corners and arcs, names of nodes, the node that a point means, and every refusal. In the texts of refusals '~' marks the position to
 * which the message must point. */
#include "support/testing.h"

#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static bl_model *read_text(bl_context *ctx, const char *text) {
    bl_model *model = NULL;
    bl_status status = bl_model_read_text(ctx, "beams.yaml", text, strlen(text), NULL, 0, &model);
    if (status != BL_OK)
        print_error("%s\n%d:%d: %s\n", text, bl_context_error(ctx)->line, bl_context_error(ctx)->column, bl_context_error(ctx)->what);
    assert_int_equal(status, BL_OK);
    return model;
}

static void assert_near(double value, double wanted, double relative) {
    if (!(fabs(value - wanted) <= relative * fabs(wanted)))
        print_error("%.17g instead of %.17g\n", value, wanted);
    assert_true(fabs(value - wanted) <= relative * fabs(wanted));
}

static void assert_point(const double *value, const double *wanted) {
    for (int k = 0; k < 3; k++)
        assert_true(fabs(value[k] - wanted[k]) <= 1e-14);
}

/* ---- sections */

/* stiffnesses of a beam with E = 1, G = 1: A, k2 A, k3 A, J, I2, I3 */
static void constants(const char *section, double value[6], double mass[3]) {
    char text[512];
    bl_context *ctx = test_context(NULL);
    snprintf(
        text, sizeof text,
        "bodies: [{name: rod, beam: {from: [0, 0, 0], to: [1, 0, 0], elements: 1, section: {%s}}, material: {E: 1, G: 1, density: 2}}]\n",
        section);
    bl_model *model = read_text(ctx, text);
    memcpy(value, model->elastic[0].beam->stiffness, 6 * sizeof *value);
    memcpy(mass, model->elastic[0].beam->mass, 3 * sizeof *mass);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* The stress function expanded across the other side of the rectangle: the same number by another series. */
static double rectangle_torsion(double a, double b) {
    double sum = 0;
    for (int n = 200001; n > 0; n -= 2)
        sum += tanh(n * pi * b / (2 * a)) / pow(n, 5);
    return b * a * a * a * (1.0 / 3 - 64 / pow(pi, 5) * (a / b) * sum);
}

static void sections__have_their_closed_values(void **state) {
    (void)state;
    double S[6], m[3];
    constants("rectangle: [0.3, 0.2]", S, m); /* height along d2 */
    assert_near(S[0], 0.06, 1e-15);
    assert_near(S[1], 0.05, 1e-15);
    assert_near(S[2], 0.05, 1e-15);
    assert_near(S[4], 0.3 * 0.008 / 12, 1e-14);
    assert_near(S[5], 0.2 * 0.027 / 12, 1e-14);
    assert_near(m[0], 0.12, 1e-15);
    assert_near(m[1], 2 * 0.2 * 0.027 / 12, 1e-14); /* y2^2 */
    assert_near(m[2], 2 * 0.3 * 0.008 / 12, 1e-14);
    constants("circle: 0.2", S, m);
    assert_near(S[0], pi * 0.01, 1e-15);
    assert_near(S[1], pi * 0.01 * 6 / 7, 1e-15);
    assert_near(S[3], pi * 1e-4 / 2, 1e-14);
    assert_near(S[4], pi * 1e-4 / 4, 1e-14);
    assert_near(S[5], S[4], 0);
    constants("tube: [0.2, 0.1]", S, m);
    assert_near(S[0], pi * 0.0075, 1e-15);
    assert_near(S[3], pi / 2 * (1e-4 - 6.25e-6), 1e-14);
    assert_near(S[5], pi / 4 * (1e-4 - 6.25e-6), 1e-14);
    constants("tube: [0.2, 0.19998]", S, m); /* thin: half of the area */
    assert_near(S[1], S[0] / 2, 1e-7);
    constants("i: [0.2, 0.1, 0.006, 0.01]", S, m);
    double web = 0.18 * 0.006, flange = 0.1 * 0.01;
    assert_near(S[0], web + 2 * flange, 1e-14);
    assert_near(S[5], 0.006 * pow(0.18, 3) / 12 + 2 * (0.1 * 1e-6 / 12 + flange * 0.095 * 0.095), 1e-13); /* parallel axes */
    assert_near(S[4], 0.18 * pow(0.006, 3) / 12 + 2 * 0.01 * 1e-3 / 12, 1e-13);
    assert_near(S[3], (2 * 0.1 * 1e-6 + 0.19 * pow(0.006, 3)) / 3, 1e-13);
    constants("A: 3, I: [4, 5], J: 6, shear: [0.5, 0.25]", S, m);
    assert_near(S[1], 1.5, 0);
    assert_near(S[2], 0.75, 0);
    assert_near(S[3], 6, 0);
    assert_near(S[4], 4, 0);
    assert_near(S[5], 5, 0);
    assert_near(m[1], 10, 0);
    constants("rectangle: [1, 1], shear: 1, J: =1/6", S, m); /* constants of a shape may be replaced */
    assert_near(S[1], 1, 0);
    assert_near(S[3], 1.0 / 6, 1e-15);
}

static void torsion_of_rectangles__is_the_sum_of_two_series(void **state) {
    (void)state;
    static const double ratio[] = {1, 1.001, 1.5, 2, 4, 10, 100};
    double S[6], m[3];
    char text[64];
    constants("rectangle: [1, 1]", S, m);
    assert_near(S[3], 0.1405770, 2e-7); /* published */
    constants("rectangle: [12.7e-3, 3.175e-3]", S, m);
    assert_near(S[3], 12.7e-3 * pow(3.175e-3, 3) * 0.280813, 2e-6); /* Timoshenko's table: 0.281 */
    for (size_t i = 0; i < sizeof ratio / sizeof *ratio; i++) {
        double turned[6];
        snprintf(text, sizeof text, "rectangle: [%.17g, 0.01]", 0.01 * ratio[i]);
        constants(text, S, m);
        snprintf(text, sizeof text, "rectangle: [0.01, %.17g]", 0.01 * ratio[i]);
        constants(text, turned, m);
        assert_near(S[3], turned[3], 0);
        assert_near(S[3], rectangle_torsion(0.01 * ratio[i], 0.01), 1e-12 * ratio[i] * ratio[i] + 1e-12);
        assert_true(S[3] <= S[4] + S[5]);
    }
}

/* ---- axes */

#define FLAT "dimension: 2\n"
#define PLAIN_2 ", stiffness: {EA: 1, GA: 2, EI: 3}, mass_per_length: {rhoA: 4, rhoI: 5}}"
#define PLAIN_3 ", stiffness: {EA: 1, GA: [2, 3], GJ: 4, EI: [5, 6]}, mass_per_length: {rhoA: 7, rhoI: [8, 9]}}"

/* directors of every node are orthonormal and d1 x d2 = d3; elements in succession share nodes */
static void check_nodes(const bl_model *model, const bl_elastic_def *e) {
    const bl_beam_def *def = e->beam;
    for (bl_index i = 0; i < def->nelement * (def->degree + 1); i++) {
        const double(*d)[3] = def->node[i].axes;
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++) {
                double dot = d[a][0] * d[b][0] + d[a][1] * d[b][1] + d[a][2] * d[b][2];
                assert_true(fabs(dot - (a == b)) < 1e-14);
            }
        double det = d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) + d[0][1] * (d[1][2] * d[2][0] - d[1][0] * d[2][2]) +
                     d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0]);
        assert_true(det > 0);
        const bl_body *frame = &model->body[e->frame + i / (def->degree + 1) * def->degree + i % (def->degree + 1)];
        assert_true(memcmp(frame->center, def->node[i].at, sizeof frame->center) == 0 || fabs(frame->center[0]) > 0);
        assert_point(frame->center, def->node[i].at);
        assert_int_equal(frame->what, BL_BODY_FRAME);
    }
}

/* where frame i lies along a beam of equal elements, from 0 to 1; Gauss-Lobatto points, at which P_degree' = 0 between the ends */
static double fraction_at(const bl_beam_def *def, bl_index i) {
    static const int zero[4][4] = {{0}, {-1, 1}, {-1, 0, 1}, {-1, -1, 1, 1}};
    int k = (int)(i % def->degree);
    double xi = zero[def->degree][k] * (def->degree == 3 && k > 0 ? sqrt(0.2) : 1);
    return ((double)(i / def->degree) + 0.5 * (1 + xi)) / (double)def->nelement;
}

static void straight_beams__are_frames_in_a_row(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_text(ctx, FLAT "points: {A: [1, 1], B: [4, 5]}\nbodies:\n- {name: a, mass: 1, center: [0, 0], inertia: 1}\n"
                                          "- {name: rod, beam: {from: A, to: B, elements: 2, degree: 3}" PLAIN_2 "\n"
                                          "- {name: b, mass: 1, center: [0, 0], inertia: 1}\n");
    assert_int_equal(model->nbody, 1 + 1 + 7 + 1);
    assert_int_equal(model->nelastic, 1);
    const bl_elastic_def *e = &model->elastic[0];
    assert_int_equal(e->frame, 2);
    assert_int_equal(e->nframe, 7);
    assert_int_equal(bl_model_elastic(model, "rod"), 0);
    assert_int_equal(bl_model_elastic(model, "a"), -1);
    assert_int_equal(bl_model_body(model, "rod"), -1);
    assert_int_equal(bl_model_body(model, "rod.0"), 2);
    assert_int_equal(bl_model_body(model, "rod.6"), 8);
    assert_int_equal(bl_model_body(model, "rod.from"), 2);
    assert_int_equal(bl_model_body(model, "rod.to"), 8);
    assert_int_equal(bl_model_body(model, "b"), 9);
    check_nodes(model, e);
    static const double stiffness[6] = {1, 2, 0, 0, 0, 3}, mass[3] = {4, 5, 0}, d1[3] = {0.6, 0.8, 0}, d2[3] = {-0.8, 0.6, 0};
    assert_memory_equal(e->beam->stiffness, stiffness, sizeof stiffness);
    assert_memory_equal(e->beam->mass, mass, sizeof mass);
    for (bl_index i = 0; i < 7; i++) {
        const bl_body *body = &model->body[2 + i];
        assert_point(body->center, (const double[3]){1 + 3 * fraction_at(e->beam, i), 1 + 4 * fraction_at(e->beam, i), 0});
        assert_true(body->mass == 0);
        assert_null(body->coordinates);
        assert_int_equal(body->ncarry, 2);
        assert_false(body->carry[0].is_vector);
        assert_point(body->carry[0].s, (const double[3]){0});
        assert_point(body->carry[1].s, d1);
        assert_true(body->carry[1].is_vector);
        assert_int_equal(body->carry[1].body, 2 + i);
    }
    assert_point(e->beam->node[5].axes[1], d2);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void directors__follow_up_and_twist(void **state) {
    (void)state;
    static const struct {
        const char *to, *more;
        double d2[3];
    } cases[] = {
        {"[2, 0, 0]", "", {0, 0, 1}},
        {"[0, 2, 0]", "", {0, 0, 1}},
        {"[0, 0, 2]", "", {0, 1, 0}},
        {"[2, 0, 1]", "", {0, 1, 0}},
        {"[1, 1, 0]", "", {0, 0, 1}},
        {"[2, 0, 0]", ", up: [5, 3, 4]", {0, 0.6, 0.8}},
        {"[2, 0, 0]", ", up: [0, 1, 0]", {0, 1, 0}},
        {"[2, 0, 0]", ", twist: =pi/2", {0, -1, 0}},
        {"[2, 0, 0]", ", up: [0, 1, 0], twist: =30*deg", {0, 0.86602540378443864676, 0.5}},
        {"[2, 0, 0]", ", up: [0, 1, 0], interpolation: directors", {0, 1, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        bl_context *ctx = test_context(NULL);
        snprintf(text, sizeof text, "bodies: [{name: rod, beam: {from: [0, 0, 0], to: %s, elements: 3%s}" PLAIN_3 "]\n", cases[i].to,
                 cases[i].more);
        bl_model *model = read_text(ctx, text);
        check_nodes(model, &model->elastic[0]);
        for (bl_index n = 0; n < 9; n++)
            assert_point(model->elastic[0].beam->node[n].axes[1], cases[i].d2);
        bool directors = strstr(cases[i].more, "directors");
        assert_int_equal(model->body[4].ncarry, directors ? 4 : 3);
        for (int k = 0; k < (directors ? 3 : 2); k++) /* the frame carries those on which elements depend: by rotations d2 and d3 */
            assert_point(model->body[4].carry[1 + k].s, model->elastic[0].beam->node[4].axes[directors ? k : k + 1]);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

static void interpolation__is_of_rotations_by_default(void **state) {
    (void)state;
    static const struct {
        const char *head, *to, *more, *stiffness;
        bool rotations;
    } cases[] = {
        {FLAT, "from: [0, 0], to: [1, 0]", "", "stiffness: {EA: 1, GA: 1, EI: 1}", true},
        {FLAT, "from: [0, 0], to: [1, 0]", ", interpolation: rotations", "stiffness: {EA: 1, GA: 1, EI: 1}", true},
        {FLAT, "from: [0, 0], to: [1, 0]", ", interpolation: directors", "stiffness: {EA: 1, GA: 1, EI: 1}", false},
        {"", "from: [0, 0, 0], to: [1, 0, 0]", "", "stiffness: {EA: 1, GA: 1, EI: 1, GJ: 1}", true},
        {"", "from: [0, 0, 0], to: [1, 0, 0]", ", interpolation: rotations", "stiffness: {EA: 1, GA: 1, EI: 1, GJ: 1}", true},
        {"", "from: [0, 0, 0], to: [1, 0, 0]", ", interpolation: directors", "stiffness: {EA: 1, GA: 1, EI: 1, GJ: 1}", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        bl_context *ctx = test_context(NULL);
        snprintf(text, sizeof text, "%sbodies: [{name: rod, beam: {%s, elements: 3%s}, %s, mass_per_length: {rhoA: 1, rhoI: 1}}]\n",
                 cases[i].head, cases[i].to, cases[i].more, cases[i].stiffness);
        bl_model *model = read_text(ctx, text);
        assert_int_equal(model->elastic[0].beam->rotations, cases[i].rotations);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

static void corners__are_one_frame_with_two_sets_of_directors(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model =
        read_text(ctx, "bodies: [{name: rod, beam: {along: [[0, 0, 0], [3, 0, 0], [3, 1, 0], [3, 1, 2]], elements: [2, 1, 1], degree: 1,\n"
                       "  up: [0, 0, 1]}" PLAIN_3 "]\n");
    const bl_elastic_def *e = &model->elastic[0];
    const bl_beam_node *node = e->beam->node;
    check_nodes(model, e);
    assert_int_equal(e->nframe, 5);
    assert_point(node[3].at, (const double[3]){3, 0, 0}); /* end of the second element, beginning of the third */
    assert_point(node[4].at, (const double[3]){3, 0, 0});
    assert_point(node[3].axes[0], (const double[3]){1, 0, 0});
    assert_point(node[4].axes[0], (const double[3]){0, 1, 0});
    assert_point(node[4].axes[1], (const double[3]){0, 0, 1});
    assert_point(node[6].axes[0], (const double[3]){0, 0, 1}); /* the rotation from y to z takes z to -y */
    assert_point(node[6].axes[1], (const double[3]){0, -1, 0});
    assert_point(model->body[e->frame + 2].carry[1].s, (const double[3]){0, 0, 1}); /* d2, of the first element that has it */
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void elements__are_distributed_by_length(void **state) {
    (void)state;
    static const struct {
        const char *along, *elements;
        bl_index wanted[3];
    } cases[] = {
        {"[[0, 0], [10, 0], [10, 5], [15, 5]]", "8", {4, 2, 2}},      {"[[0, 0], [10, 0], [10, 0.01], [20, 0.01]]", "9", {4, 1, 4}},
        {"[[0, 0], [1, 0], [1, 1], [2, 1]]", "3", {1, 1, 1}},         {"[[0, 0], [0.01, 0], [0.01, 0.01], [9, 0.01]]", "3", {1, 1, 1}},
        {"[[0, 0], [1, 0], [1, 1], [2, 1]]", "[3, 1, 2]", {3, 1, 2}}, {"[[0, 0], [9, 0], [9, 0.01], [9.01, 0.01]]", "5", {3, 1, 1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[512];
        bl_context *ctx = test_context(NULL);
        snprintf(text, sizeof text, FLAT "bodies: [{name: rod, beam: {along: %s, elements: %s, degree: 1}" PLAIN_2 "]\n", cases[i].along,
                 cases[i].elements);
        bl_model *model = read_text(ctx, text);
        const bl_beam_def *def = model->elastic[0].beam;
        bl_index first = 0;
        for (int p = 0; p < 3; p++) { /* a piece: elements with the same direction */
            bl_index end = first;
            while (end < def->nelement && fabs(def->node[2 * end].axes[0][0] - def->node[2 * first].axes[0][0]) < 0.5)
                end++;
            assert_int_equal(end - first, cases[i].wanted[p]);
            first = end;
        }
        assert_int_equal(first, def->nelement);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

/* A node at the fraction s of the angle; d1 is perpendicular to the radius, d2 turns with it. */
static void check_arc(const bl_model *model, const double center[3], double radius, double angle) {
    const bl_elastic_def *e = &model->elastic[0];
    const bl_beam_def *def = e->beam;
    const double *begin = def->node[0].at;
    check_nodes(model, e);
    for (bl_index i = 0; i < def->nelement * (def->degree + 1); i++) {
        const bl_beam_node *node = &def->node[i];
        bl_index number = i / (def->degree + 1) * def->degree + i % (def->degree + 1);
        double a[3], b[3], chord = 0, out = 0, along = 0, size = 0;
        for (int k = 0; k < 3; k++) {
            a[k] = node->at[k] - center[k];
            b[k] = node->at[k] - begin[k];
            size += a[k] * a[k];
            along += a[k] * node->axes[0][k];
            chord += b[k] * b[k];
            out += node->axes[1][k] * def->node[0].axes[1][k];
        }
        assert_near(sqrt(size), radius, 1e-14);
        assert_true(fabs(along) < 1e-14 * radius);
        double turned = angle * fraction_at(def, number);
        assert_true(fabs(sqrt(chord) - 2 * radius * sin(turned / 2)) < 1e-13 * radius);
        (void)out;
    }
}

static void arcs__have_nodes_on_the_circle(void **state) {
    (void)state;
    static const struct {
        int dim;
        const char *arc;
        double center[3], radius, angle, d1[3];
    } cases[] = {
        {2, "{from: [1, 0], to: [0, 1], center: [0, 0]}", {0, 0, 0}, 1, 0.5, {0, 1, 0}},
        {2, "{from: [0, 1], to: [1, 0], center: [0, 0]}", {0, 0, 0}, 1, 0.5, {1, 0, 0}},
        {2, "{from: [1, 0], to: [-1, 0], through: [0, 1]}", {0, 0, 0}, 1, 1, {0, 1, 0}},
        {2, "{from: [1, 0], to: [-1, 0], through: [0, -1]}", {0, 0, 0}, 1, 1, {0, -1, 0}},
        {2, "{from: [1, 0], to: [0, -1], through: [0, 1]}", {0, 0, 0}, 1, 1.5, {0, 1, 0}},
        {3,
         "{from: [0, 0, 0], to: [\"=100*sin(pi/4)\", \"=100*(1-cos(pi/4))\", 0], center: [0, 100, 0]}",
         {0, 100, 0},
         100,
         0.25,
         {1, 0, 0}},
        {3, "{from: [1, 2, 3], to: [1, 5, 6], center: [1, 5, 3]}", {1, 5, 3}, 3, 0.5, {0, 0, 1}},
        {3, "{from: [1, 2, 3], to: [1, 8, 3], through: [1, 5, 6]}", {1, 5, 3}, 3, 1, {0, 0, 1}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int degree = 1; degree <= 3; degree++) {
            char text[512];
            bl_context *ctx = test_context(NULL);
            snprintf(text, sizeof text, "dimension: %d\nbodies: [{name: ring, beam: {arc: %s, elements: 4, degree: %d}%s]\n", cases[i].dim,
                     cases[i].arc, degree, cases[i].dim == 2 ? PLAIN_2 : PLAIN_3);
            bl_model *model = read_text(ctx, text);
            check_arc(model, cases[i].center, cases[i].radius, cases[i].angle * pi);
            assert_point(model->elastic[0].beam->node[0].axes[0], cases[i].d1);
            bl_model_destroy(model);
            test_context_end(ctx);
        }
}

/* Without twist about the axis: d2 makes the same angle with the plane of the arc everywhere. A center given with six digits is enough. */
static void directors_on_arcs__turn_with_the_tangent(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model =
        read_text(ctx, "bodies: [{name: ring, beam: {arc: {from: [1, 0, 0], to: [0.707107, 0.707107, 0], center: [0, 0, 0]}, elements: 5,\n"
                       "  up: [0.6, 0, 0.8]}" PLAIN_3 "]\n");
    const bl_beam_def *def = model->elastic[0].beam;
    check_nodes(model, &model->elastic[0]);
    for (bl_index i = 0; i < 15; i++) {
        const double *d2 = def->node[i].axes[1], *d1 = def->node[i].axes[0];
        assert_true(fabs(d2[2] - def->node[0].axes[1][2]) < 1e-14);
        assert_true(fabs(d2[0] * d1[1] - d2[1] * d1[0] - 0.6) < 1e-6); /* outward */
    }
    const double last[3] = {0.707107, 0.707107, 0};
    assert_memory_equal(def->node[14].at, last, sizeof last);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* ---- names and points */

static void points__choose_the_nodes_of_beams(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_text(
        ctx, FLAT
        "points: {A: [0, 0], M: [0.5, 0], B: [1, 0], C: [1, 1]}\n"
        "bodies:\n- {name: rod, beam: {from: A, to: B, elements: 2}" PLAIN_2 "\n- {name: arm, beam: {from: B, to: C, elements: 1}" PLAIN_2
        "\n"
        "- {name: a, mass: 1, center: [2, 0], inertia: 1}\n"
        "joints:\n- {name: j1, type: revolute, bodies: [ground, rod], at: A}\n- {name: j2, type: revolute, bodies: [rod, arm], at: B}\n"
        "- {name: j3, type: rod, bodies: [rod, a], at: M, to: [2, 0]}\n- {name: j4, type: fixed, bodies: [rod.3, a], at: [2, 0]}\n"
        "- {name: j5, type: point_on_line, bodies: [rod, arm], at: C, through: M, axis: [1, 0]}\n"
        "- {name: j6, type: revolute, bodies: [a, arm.to], at: [2, 0]}\n"
        "forces:\n- {type: force, body: rod, at: M, force: [0, 1]}\n- {type: spring, bodies: [rod, arm], at: M, to: C, stiffness: 1}\n"
        "- {type: spring, body_b: arm, at: M, to: C, stiffness: 1}\n- {type: torque, body: rod.to, torque: 1}\n"
        "- {type: bushing, bodies: [rod, arm], at: B, stiffness: 1}\n"
        "probes: {P: {body: rod, at: M}, Q: {body: rod.from}, R: {body: rod.1, at: C}}\n"
        "initial: {B: {velocity: [0, 1]}, rod.4: {velocity: [1, 0]}}\n"
        "events: [{at: 0.5, percussion: {body: rod, at: M, impulse: [0, 1]}}]\n");
    static const bl_index joint[6][2] = {{0, 1}, {5, 6}, {3, 9}, {4, 9}, {3, 8}, {9, 8}};
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 2; k++)
            assert_int_equal(model->joint[i].body[k], joint[i][k]);
    const bl_force_def *f = model->force;
    assert_int_equal(f[0].value[0].ref, 3);
    assert_int_equal(f[1].value[0].ref, 3);
    assert_int_equal(f[1].value[1].ref, 8);
    assert_int_equal(f[2].value[1].ref, 8);
    assert_int_equal(f[3].value[0].ref, 5);
    assert_int_equal(f[4].value[0].ref, 5);
    assert_int_equal(f[4].value[1].ref, 6);
    assert_int_equal(model->probe[0].mark.body, 3);
    assert_int_equal(model->probe[1].mark.body, 1);
    assert_int_equal(model->probe[2].mark.body, 2);
    assert_point(model->probe[2].mark.s, (const double[3]){0.75, 1, 0}); /* rigidly fixed to the node */
    assert_int_equal(model->initial[0].mark.body, 6);                    /* of joint j2, second body */
    assert_int_equal(model->initial[1].mark.body, 5);
    assert_int_equal(model->joint[model->njoint].body[1], 3); /* the percussion */
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void contacts__act_on_the_nodes_of_beams(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_text(
        ctx, FLAT "bodies: [{name: rod, beam: {from: [0, 1], to: [1, 1], elements: 2}" PLAIN_2 "]\n"
                  "contacts: [{between: [ground, rod], shapes: [{plane: {at: [0, 0], normal: [0, 1]}}, {point: {at: [1, 1]}}]}]\n");
    assert_int_equal(model->contact[0].body[1], 5);
    bl_model_destroy(model);
    model = read_text(ctx, FLAT
                      "bodies: [{name: rod, beam: {from: [0, 1], to: [1, 1], elements: 2}" PLAIN_2
                      ", {name: b, disc: {center: [3, 3], radius: 1}, mass: 1}]\n"
                      "simulate: {contact: stepping}\n"
                      "contacts:\n- {between: [ground, all], except: [rod], shapes: [{plane: {at: [0, 0], normal: [0, 1]}}]}\n"
                      "- {between: [ground, rod], shapes: [{plane: {at: [0, 0], normal: [0, 1]}}, {disc: {at: [0.5, 1], radius: 0.1}}]}\n"
                      "- {between: all}\n");
    const bl_surfaces *s = model->surfaces;
    for (bl_index b = 1; b < 6; b++)
        assert_int_equal(s->law[0].without[b], 1);
    assert_int_equal(s->law[0].without[6], 0);
    for (bl_index b = 1; b < 6; b++) /* frames have no shapes of their own, whether excepted or not */
        assert_int_equal(s->law[2].without[b], 1);
    assert_int_equal(s->shape[s->nshape - 1].body == 3 || s->shape[s->nshape - 2].body == 3, 1);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void masses__belong_to_nodes(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_text(
        ctx, FLAT "bodies: [{name: rod, beam: {from: [0, 0], to: [1, 0], elements: 2, degree: 1, section: {rectangle: [0.01, 0.02]}},\n"
                  "  material: {E: 2e11, nu: 0.3}, damping: {mass: 0.1, stiffness: 1e-4},\n"
                  "  masses: [{at: [1, 0], mass: 2, inertia: 0.5}, {at: rod.to, mass: 1}, {at: rod.1, mass: 4}]}]\n");
    const bl_beam_def *def = model->elastic[0].beam;
    assert_near(model->body[3].mass, 3, 0);
    assert_near(model->body[3].inertia[2][2], 0.5, 0);
    assert_near(model->body[2].mass, 4, 0);
    assert_near(def->damping[0], 0.1, 0);
    assert_near(def->damping[1], 1e-4, 0);
    assert_near(def->outline[0], 0.01, 0);
    assert_near(def->stiffness[1], 2e11 / 2.6 * 2e-4 * 5 / 6, 1e-15);
    assert_true(def->mass[0] == 0);
    bl_model_destroy(model);
    model =
        read_text(ctx, "materials: {steel: {type: elastic, E: 2e11, nu: 0.25, density: 8000}}\n"
                       "bodies:\n- repeat: {count: 3, index: i, from: 1, do: [{name: rod$i, material: steel,\n"
                       "    beam: {from: [0, 0, =i], to: [1, 0, =i], elements: 2, section: {circle: 0.1}},\n"
                       "    masses: [{at: rod$i.to, mass: 1, inertia: [1, 2, 2.5]}]}]}\n"
                       "joints:\n- repeat: {count: 3, index: i, from: 1, do: [{type: fixed, bodies: [ground, rod$i], at: [0, 0, =i]}]}\n");
    assert_int_equal(model->nbody, 16);
    assert_int_equal(model->joint[2].body[1], 11);
    assert_near(model->body[15].inertia[1][1], 2, 0);
    assert_near(model->elastic[2].beam->mass[0], 8000 * pi * 0.0025, 1e-15);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* ---- refusals */

typedef struct refusal {
    const char *text, *what, *advice;
} refusal;

#define SECTION ", section: {circle: 0.01}"
#define STEEL ", material: {E: 1, nu: 0, density: 1}}"
#define LINE_2 "from: [0, 0], to: [1, 0]"
#define LINE_3 "from: [0, 0, 0], to: [1, 0, 0]"
#define ROD_2(rest) FLAT "bodies: [{name: rod, beam: {" LINE_2 ", elements: 2" SECTION rest
#define WITH_SECTION(text) FLAT "bodies: [{name: rod, beam: {" LINE_2 ", elements: 2, section: " text "}" STEEL "]\n"
#define IN_SPACE(text) "bodies: [{name: rod, beam: {" LINE_3 ", elements: 2, section: " text "}" STEEL "]\n"
#define WITH_BEAM(text) FLAT "bodies: [{name: rod, beam: {" text SECTION "}" STEEL "]\n"
#define WITH_MATERIAL(text) ROD_2("}, material: " text "}]\n")
#define WITH_JOINT(text) ROD_2("}" STEEL "]\njoints: [" text "]\n")

static const refusal refusals[] = {
    /* the axis */
    {WITH_BEAM("from: [1, 2], to: ~[1, 2], elements: 2"), "beam 'rod' has no length: two of its points in succession are the same, (1, 2)",
     "apart"},
    {WITH_BEAM("along: [[0, 0], [1, 0], ~[1, 0]], elements: 2"), "has no length", NULL},
    {WITH_BEAM("along: ~[[0, 0]], elements: 2"), "two points or more, found 1", NULL},
    {WITH_BEAM("along: [[0, 0], [1, 0], ~[0.5, 0]], elements: 2"), "turns back upon itself at (1, 0)", "two beams"},
    {WITH_BEAM("from: [0, 0], ~form: [0, 0], to: [1, 0], elements: 2"), "unknown key 'form' in beam", "'from'"},
    {FLAT "bodies: [{name: rod, beam: {" LINE_2 ", elements: 1" SECTION "}, ~color: red, material: {E: 1, nu: 0, density: 1}}]\n",
     "unknown key 'color' in a beam", "accepted keys: name, beam, material, stiffness, mass_per_length, damping, masses"},
    {FLAT "bodies: [{name: rod, beam: ~{elements: 2" SECTION "}" STEEL "]\n", "has no axis", "'along'"},
    {WITH_BEAM("from: [0, 0], to: [1, 0], along: ~[[0, 0], [1, 0]], elements: 2"), "described twice: by 'from, to' and by 'along'", NULL},
    {WITH_BEAM("arc: ~{from: [0, 0], to: [1, 0]}, elements: 2"), "either its 'center' or a third point", "through"},
    {WITH_BEAM("arc: ~{from: [0, 0], to: [2, 0], center: [1, 0]}, elements: 2"), "ambiguous", "through"},
    {WITH_BEAM("arc: {from: [0, 0], to: [2, 0], center: ~[1.1, 1]}, elements: 2"), "the center of the arc is 1.4866", "radius"},
    {WITH_BEAM("arc: {from: [0, 0], to: [2, 0], through: ~[1, 0]}, elements: 2"), "on one line", "`from` and `to`"},
    {WITH_BEAM("arc: {from: [0, 0], to: [2, 0], through: ~[0, 0]}, elements: 2"), "has no length", NULL},
    {WITH_BEAM("arc: {from: [0, 0], to: ~[0, 0], center: [1, 0]}, elements: 2"), "has no length", NULL},
    {WITH_BEAM(LINE_2 ", elements: ~0"), "elements must be from 1 to", NULL},
    {WITH_BEAM(LINE_2 ", elements: ~1e6"), "elements must be from 1 to 49999, found 1000000", NULL},
    {WITH_BEAM(LINE_2 ", elements: ~2.5"), "elements must be an integer", NULL},
    {FLAT "bodies: [{name: rod, beam: ~{" LINE_2 SECTION "}" STEEL "]\n", "beam needs 'elements'", NULL},
    {WITH_BEAM("along: [[0, 0], [1, 0], [1, 1]], elements: ~1"), "has 2 straight pieces, so it needs at least as many elements", NULL},
    {WITH_BEAM("along: [[0, 0], [1, 0], [1, 1]], elements: ~[1, 2, 3]"), "a list of 2, found 3", NULL},
    {WITH_BEAM("along: [[0, 0], [1, 0], [1, 1]], elements: [30000, ~30000]"), "more than 49999 elements", NULL},
    {WITH_BEAM(LINE_2 ", elements: 2, degree: ~4"), "degree must be from 1 to 3, found 4", NULL},
    {WITH_BEAM(LINE_2 ", elements: 2, degree: ~0"), "degree must be from 1 to 3, found 0", NULL},
    {WITH_BEAM(LINE_2 ", elements: 2, interpolation: ~angles"), "interpolation: unknown value 'angles'", "rotations"},
    {WITH_BEAM(LINE_2 ", elements: 2, up: ~[0, 1]"), "'up' can only be used in spatial models", NULL},
    {WITH_BEAM(LINE_2 ", elements: 2, twist: ~1"), "'twist' can only be used in spatial models", NULL},
    {"bodies: [{name: rod, beam: {" LINE_3 ", elements: 2, up: ~[-2, 0, 0]" SECTION "}" STEEL "]\n", "up is parallel to the axis",
     "across"},
    {"bodies: [{name: rod, beam: {" LINE_3 ", elements: 2, up: ~[0, 0, 0]" SECTION "}" STEEL "]\n", "zero vector", NULL},
    /* the section */
    {WITH_SECTION("{rectangle: [~0, 1]}"), "rectangle must be positive, found 0", NULL},
    {WITH_SECTION("{rectangle: [1, ~-1]}"), "rectangle must be positive, found -1", NULL},
    {WITH_SECTION("{rectangle: ~1}"), "rectangle must be [height, width]", NULL},
    {WITH_SECTION("{circle: ~-1}"), "circle must be positive", NULL},
    {WITH_SECTION("{tube: [1, ~1]}"), "inner diameter of the tube, 1, is not smaller", "[outer, inner]"},
    {WITH_SECTION("{i: [0.2, 0.1, ~0.2, 0.01]}"), "web of the section", "thicknesses"},
    {WITH_SECTION("{i: [0.2, 0.1, 0.01, ~0.1]}"), "do not fit", NULL},
    {WITH_SECTION("{circle: 1, tube: ~[2, 1]}"), "described twice, as circle and as tube", NULL},
    {WITH_SECTION("{circle: 1, A: ~1}"), "described twice, as circle and by 'A'", NULL},
    {WITH_SECTION("~{shear: 1}"), "the section of beam 'rod' has no shape", "rectangle"},
    {WITH_SECTION("{~circel: 1}"), "unknown key 'circel'", "'circle'"},
    {WITH_SECTION("~{A: 1}"), "a section needs 'I'", NULL},
    {WITH_SECTION("{A: ~0, I: 1}"), "A must be positive", NULL},
    {WITH_SECTION("{A: 1, I: ~[1, 2]}"), "I must be one number in the plane", NULL},
    {WITH_SECTION("{A: 1, I: 1, J: ~1}"), "'J' of a section can only be used in spatial models", NULL},
    {WITH_SECTION("{circle: 1, shear: ~0}"), "shear must be positive", NULL},
    {IN_SPACE("~{A: 1, I: 1}"), "needs 'J'", NULL},
    {IN_SPACE("{A: 1, I: [1, ~-2], J: 1}"), "I must be positive, found -2", NULL},
    {IN_SPACE("{A: 1, I: [1, 2], J: ~3.1}"), "no section can have the torsion constant J = 3.1: it is larger than I2 + I3 = 3", NULL},
    {FLAT "bodies: [~{name: rod, beam: {" LINE_2 ", elements: 2, section: {circle: 1e-170}}" STEEL "]\n", "too large or too small", NULL},
    /* material, stiffness, mass */
    {WITH_MATERIAL("{E: ~-1, nu: 0}"), "E must be positive", NULL},
    {WITH_MATERIAL("{E: 1, nu: ~-1}"), "nu must be above -1 and at most 0.5, found -1", NULL},
    {WITH_MATERIAL("{E: 1, nu: ~0.6}"), "nu must be above -1 and at most 0.5, found 0.6", NULL},
    {WITH_MATERIAL("~{E: 1}"), "needs 'nu' (Poisson's ratio) or 'G'", NULL},
    {WITH_MATERIAL("{E: 1, nu: 0, G: ~1}"), "not both", NULL},
    {WITH_MATERIAL("~{E: 1, nu: 0}"), "beam 'rod' has no mass", "density"},
    {WITH_MATERIAL("~{E: 1, nu: 0, density: 0}"), "beam 'rod' has no mass", NULL},
    {WITH_MATERIAL("{E: 1, nu: 0, density: ~-1}"), "density must not be negative", NULL},
    {WITH_MATERIAL("{E: 1, ~Nu: 0, density: 1}"), "unknown key 'Nu'", "'nu'"},
    {WITH_MATERIAL("~steel"), "there is no material 'steel'", "materials"},
    {"materials: {jelly: {type: neo_hooke, E: 1}}\n" WITH_MATERIAL("~jelly"), "needs a material of type elastic", NULL},
    {FLAT "bodies: [~{name: rod, beam: {" LINE_2 ", elements: 2" SECTION "}}]\n", "beam 'rod' needs 'material'", NULL},
    {FLAT "bodies: [~{name: rod, beam: {" LINE_2 ", elements: 2}}]\n", "neither a section nor stiffnesses", NULL},
    {ROD_2("}, stiffness: ~{EA: 1, GA: 1, EI: 1}}]\n"), "described twice, by 'section' and by 'stiffness'", NULL},
    {ROD_2("}, mass_per_length: ~{rhoA: 1, rhoI: 1}, material: {E: 1, nu: 0}}]\n"), "belongs to 'stiffness'", "density"},
    {FLAT "bodies: [~{name: rod, beam: {" LINE_2 ", elements: 2}, stiffness: {EA: 1, GA: 1, EI: 1}}]\n", "has no mass", "mass_per_length"},
    {FLAT "bodies: [{name: rod, beam: {" LINE_2 ", elements: 2}, stiffness: {EA: 1, GA: ~0, EI: 1}}]\n", "GA must be positive", NULL},
    {FLAT "bodies: [{name: rod, beam: {" LINE_2 ", elements: 2}, stiffness: {EA: 1, GA: 1, EI: 1, ~GJ: 1}}]\n", "unknown key 'GJ'", NULL},
    {FLAT "bodies: [{name: rod, beam: {" LINE_2
          ", elements: 2}, stiffness: {EA: 1, GA: 1, EI: 1}, mass_per_length: {rhoA: 1, rhoI: ~-1}}]\n",
     "rhoI must not be negative", NULL},
    {FLAT "bodies: [{name: rod, beam: {" LINE_2 ", elements: 2}, stiffness: {EA: 1, GA: 1, EI: 1}, mass_per_length: ~{rhoA: 1}}]\n",
     "mass_per_length needs 'rhoI'", NULL},
    {ROD_2("}, damping: {mass: ~-1}" STEEL "]\n"), "mass must not be negative", NULL},
    {ROD_2("}, masses: [{at: ~[0.3, 0], mass: 1}]" STEEL "]\n"), "beam 'rod' has no node at (0.3, 0)", NULL},
    {ROD_2("}, masses: [{at: [0, 0], mass: ~-1}]" STEEL "]\n"), "mass must not be negative", NULL},
    {ROD_2("}, masses: [{at: [0, 0], mass: 1, inertia: ~-1}]" STEEL "]\n"), "inertia must not be negative", NULL},
    {"dimension: ~1\nbodies: [{name: rod, beam: {from: [0], to: [1], elements: 2" SECTION "}" STEEL "]\n", "dimension must be 2 or 3",
     NULL},
    {"materials: ~{steel: {E: 1}}\nbodies: [{name: rod, mass: 0}]\n", "only be used in models with meshes or beams", NULL},
    /* names */
    {FLAT "bodies: [{name: rod, mass: 0}, {name: ~rod, beam: {" LINE_2 ", elements: 2" SECTION "}" STEEL "]\n", "already a body 'rod'",
     NULL},
    {ROD_2("}" STEEL ", {name: ~rod, mass: 0}]\n"), "already a beam 'rod'", NULL},
    {ROD_2("}" STEEL ", {name: ~rod.3, mass: 0}]\n"), "already a body 'rod.3'", NULL},
    {WITH_JOINT("{type: revolute, bodies: [ground, ~rod], at: [0.3, 0]}"),
     "beam 'rod' has no node at (0.3, 0): the nearest are rod.1 at (0.25, 0), 0.05 m away, and rod.2",
     "choose the number of elements so that a node lies there, split the beam with `along`, or name a node (rod.1)"},
    {WITH_JOINT("{type: fixed, bodies: [ground, ~rod]}"), "bodies: 'rod' is a beam, and no point says which of its nodes is meant",
     "name a node: rod.0 to rod.4, of which the ends are also called rod.from and rod.to"},
    {WITH_JOINT("{type: revolute, bodies: [rod, ~rod], at: [0, 0]}"), "connects body 'rod.0' with itself", NULL},
    {WITH_JOINT("{type: revolute, bodies: [ground, ~rot], at: [0, 0]}"), "there is no body 'rot'", "'rod'"},
    {ROD_2("}" STEEL "]\nforces: [{type: torque, body: ~rod, torque: 1}]\n"), "'rod' is a beam", "name a node"},
    {ROD_2("}" STEEL "]\nprobes: {P: {body: ~rod}}\n"), "'rod' is a beam", NULL},
    {ROD_2("}" STEEL "]\ninitial: {~rod: {angular_velocity: 1}}\n"), "'rod' is a beam", NULL},
    {FLAT "bodies: [{name: ring, beam: {along: [[0, 0], [1, 0], [1, 1], [0, 0]], elements: 3}" PLAIN_2
          "]\nprobes: {P: {body: ~ring, at: [0, 0]}}\n",
     "beam 'ring' has two nodes at (0, 0): ring.0 and ring.6", "name one of them"},
};

static void bad_beams__are_refused_with_position_reason_and_advice(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        char text[2048];
        int line = 1, column = 1, at_line = 0, at_column = 0;
        size_t n = 0;
        for (const char *s = refusals[i].text; *s; s++) {
            if (*s == '~') {
                at_line = line;
                at_column = column;
                continue;
            }
            column = *s == '\n' ? 1 : column + 1;
            line += *s == '\n';
            text[n++] = *s;
        }
        text[n] = '\0';
        bl_context *ctx = test_context(NULL);
        bl_model *model = NULL;
        bl_status status = bl_model_read_text(ctx, "bad.yaml", text, n, NULL, 0, &model);
        const bl_error *error = bl_context_error(ctx);
        bool fine = status == BL_E_MODEL && strstr(error->what, refusals[i].what) && error->line == at_line && error->column == at_column &&
                    (!refusals[i].advice || strstr(error->advice, refusals[i].advice));
        if (!fine)
            print_error("%s\n%d:%d (expected %d:%d): %s\nexpected: %s\nhint: %s\n", text, error->line, error->column, at_line, at_column,
                        error->what, refusals[i].what, error->advice);
        assert_true(fine);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

/* Nodes of all beams together are bounded, by the share of the reader. */
static void nodes__are_bounded_in_total(void **state) {
    (void)state;
    const char *text = FLAT "bodies:\n- repeat: {count: 3, index: i, do: [{name: rod$i, beam: {" LINE_2 ", elements: 45000},"
                            "  stiffness: {EA: 1, GA: 1, EI: 1}, mass_per_length: {rhoA: 1, rhoI: 1}}]}\n";
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    assert_int_equal(bl_model_read_text(ctx, "x", text, strlen(text), NULL, 0, &model), BL_E_MODEL);
    assert_non_null(strstr(bl_context_error(ctx)->what, "more than 200000 nodes in total"));
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sections__have_their_closed_values),
        cmocka_unit_test(torsion_of_rectangles__is_the_sum_of_two_series),
        cmocka_unit_test(straight_beams__are_frames_in_a_row),
        cmocka_unit_test(directors__follow_up_and_twist),
        cmocka_unit_test(interpolation__is_of_rotations_by_default),
        cmocka_unit_test(corners__are_one_frame_with_two_sets_of_directors),
        cmocka_unit_test(elements__are_distributed_by_length),
        cmocka_unit_test(arcs__have_nodes_on_the_circle),
        cmocka_unit_test(directors_on_arcs__turn_with_the_tangent),
        cmocka_unit_test(points__choose_the_nodes_of_beams),
        cmocka_unit_test(contacts__act_on_the_nodes_of_beams),
        cmocka_unit_test(masses__belong_to_nodes),
        cmocka_unit_test(bad_beams__are_refused_with_position_reason_and_advice),
        cmocka_unit_test(nodes__are_bounded_in_total),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
