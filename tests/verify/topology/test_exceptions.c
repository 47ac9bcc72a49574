/* Exceptions to the mobility formula. Known results: Bennett (1903) and Bricard (1897) linkages have mobility 1 where counting gives -2 and
 * 0, a plane four-bar and a spherical one in space too; a Stewart platform has 6, one more for every leg with spherical joints at both ends
 * (Gogu 2005). Ranks are compared with singular values of the Jacobian in natural coordinates, a computation that shares nothing with the
 * equations on twists. */
#include "coords/coords.h"
#include "study/study.h"
#include "support/testing.h"

#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- models as text */

typedef struct text {
    char at[16384];
    size_t used;
} text;

static void put(text *t, const char *format, ...) BL_PRINTF(2, 3);
static void put(text *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    t->used += (size_t)vsnprintf(t->at + t->used, sizeof t->at - t->used, format, args);
    va_end(args);
    assert_true(t->used < sizeof t->at);
}

static void put_body(text *t, const char *name, const double *c) {
    put(t, "  - {name: %s, mass: 1, center: [%.17g, %.17g, %.17g], inertia: [1, 2, 2.5]}\n", name, c[0], c[1], c[2]);
}

/* n - 1 bodies b1, b2, ... between n revolute joints j1, j2, ... */
static void put_loop(text *t, int n, double (*at)[3], double (*axis)[3]) {
    put(t, "bodies:\n");
    for (int i = 1; i < n; i++) {
        char name[24];
        double c[3];
        snprintf(name, sizeof name, "b%d", i);
        for (int k = 0; k < 3; k++)
            c[k] = (at[i - 1][k] + at[i][k]) / 2;
        put_body(t, name, c);
    }
    put(t, "joints:\n");
    for (int i = 1; i <= n; i++) {
        char first[24] = "ground", second[24] = "ground";
        const double *p = at[i - 1], *u = axis[i - 1];
        if (i > 1)
            snprintf(first, sizeof first, "b%d", i - 1);
        if (i < n)
            snprintf(second, sizeof second, "b%d", i);
        put(t, "  - {name: j%d, type: revolute, bodies: [%s, %s], at: [%.17g, %.17g, %.17g], axis: [%.17g, %.17g, %.17g]}\n", i, first,
            second, p[0], p[1], p[2], u[0], u[1], u[2]);
    }
}

static bl_model *read_model(bl_context *ctx, const char *model_text) {
    bl_model *model = NULL;
    if (bl_model_read_text(ctx, "test.yaml", model_text, strlen(model_text), NULL, 0, &model) != BL_OK)
        fail_msg("%s\n%s", bl_context_error(ctx)->what, model_text);
    return model;
}

/* ---- a model and its structure */

typedef struct subject {
    bl_context *ctx;
    bl_model *model;
    bl_chain chain;
    bl_structure_report report;
    bl_structure_exceptions found;
} subject;

static void examine(subject *s) {
    bl_status status = bl_structure_of_model(s->ctx, s->model, NULL, &s->chain, &s->report, &s->found);
    if (status != BL_OK)
        fail_msg("%s", bl_context_error(s->ctx)->what);
    assert_int_equal(s->found.mobility_count, s->report.mobility);
    int repeated = 0, passive = 0;
    for (bl_index p = 0; p < s->chain.npair; p++) {
        repeated += s->chain.pair[p].repeated;
        passive += s->chain.pair[p].passive;
    }
    assert_int_equal(repeated, s->found.repeated);
    assert_int_equal(passive, s->found.passive);
    if (s->found.closed)
        assert_int_equal(s->found.mobility_count + repeated, s->found.mobility_rank);
}

static subject look(const char *model_text) {
    subject s = {.ctx = test_context(NULL)};
    s.model = read_model(s.ctx, model_text);
    examine(&s);
    return s;
}

static subject look_with(const char *model_text, const char *more) {
    static char all[20000];
    snprintf(all, sizeof all, "%s%s", model_text, more);
    return look(all);
}

static void forget(subject *s) {
    bl_structure_exceptions_destroy(s->ctx, &s->found);
    bl_structure_report_destroy(s->ctx, &s->report);
    bl_chain_destroy(s->ctx, &s->chain);
    bl_model_destroy(s->model);
    test_context_end(s->ctx);
}

static int amount_of(const subject *s, bl_exception_kind kind) {
    int amount = 0;
    for (bl_index i = 0; i < s->found.n; i++)
        amount += s->found.exception[i].kind == kind ? s->found.exception[i].amount : 0;
    return amount;
}

static const char *text_of(const subject *s, bl_exception_kind kind) {
    for (bl_index i = 0; i < s->found.n; i++)
        if (s->found.exception[i].kind == kind)
            return s->found.exception[i].text;
    return "";
}

static void assert_says(const subject *s, bl_exception_kind kind, const char *words) {
    if (!strstr(text_of(s, kind), words))
        fail_msg("'%s' does not say '%s'", text_of(s, kind), words);
}

/* groups as names of links: "c1|c2 coupler|c3" */
static void assert_groups(const subject *s, const char *expected) {
    char found[512] = "";
    for (bl_index g = 0; g < s->report.ngroup; g++)
        for (bl_index i = 0; i < s->report.group[g].nlink; i++) {
            strcat(found, i ? " " : g ? "|" : "");
            strcat(found, s->chain.link[s->report.group[g].link[i]]);
        }
    assert_string_equal(found, expected);
}

/* degrees of freedom by singular values of G in natural coordinates, in the model configuration; only for models without drivers */
static int freedoms_by_svd(bl_context *ctx, const bl_model *model) {
    bl_system *sys = NULL;
    bl_state state = {0};
    bl_eval eval = {0};
    assert_int_equal(bl_coords_build(ctx, model, "natural", &sys), BL_OK);
    assert_int_equal(bl_state_create(sys, 0, &state), BL_OK);
    assert_int_equal(bl_eval_create(sys, BL_ALL, &eval), BL_OK);
    assert_int_equal(bl_coords_initial(sys, &state), BL_OK);
    assert_int_equal(bl_assemble_positions(sys, model, &state), BL_OK);
    bl_eval_at(&eval, &state);
    assert_int_equal(bl_system_eval(sys, &eval, BL_G), BL_OK);
    bl_index m = sys->np, n = sys->nv, least = m < n ? m : n;
    double *a = calloc((size_t)m * (size_t)n + 1, sizeof *a), *value = calloc((size_t)least + 1, sizeof *value);
    double *rest = calloc((size_t)least + 1, sizeof *rest);
    for (bl_index j = 0; j < n; j++)
        for (bl_index p = sys->pat_G.ptr[j]; p < sys->pat_G.ptr[j + 1]; p++)
            a[(size_t)j * (size_t)m + (size_t)sys->pat_G.idx[p]] = eval.G[p] * sys->col[j].scale / sys->row[sys->pat_G.idx[p]].scale;
    assert_int_equal(least > 0 ? LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'N', 'N', m, n, a, m, value, NULL, 1, NULL, 1, rest) : 0, 0);
    int rank = 0;
    while (rank < least && value[rank] > 1e-9 * value[0])
        rank++;
    free(a);
    free(value);
    free(rest);
    bl_eval_destroy(sys, &eval);
    bl_state_destroy(sys, &state);
    bl_system_destroy(sys);
    return (int)n - rank;
}

/* mobility by rank at the start of the model without its last lines (drivers) */
static void assert_svd(const char *undriven, int mobility) {
    subject s = look(undriven);
    assert_int_equal(s.found.mobility_start, mobility);
    assert_int_equal(freedoms_by_svd(s.ctx, s.model), mobility);
    forget(&s);
}

/* ---- linkages that move because of their dimensions only */

static const char bricard[] = "bodies:\n"
                              "  - {name: b1, mass: 1, center: [0.5, 0, 0], inertia: [1, 1, 2]}\n"
                              "  - {name: b2, mass: 1, center: [1, -0.5, 0], inertia: [1, 1, 2]}\n"
                              "  - {name: b3, mass: 1, center: [1, -1, 0.5], inertia: [1, 1, 2]}\n"
                              "  - {name: b4, mass: 1, center: [0.5, -1, 1], inertia: [1, 1, 2]}\n"
                              "  - {name: b5, mass: 1, center: [0, -0.5, 1], inertia: [1, 1, 2]}\n"
                              "joints:\n"
                              "  - {name: j1, type: revolute, bodies: [ground, b1], at: [0, 0, 0], axis: [0, 1, 0]}\n"
                              "  - {name: j2, type: revolute, bodies: [b1, b2], at: [1, 0, 0], axis: [0, 0, 1]}\n"
                              "  - {name: j3, type: revolute, bodies: [b2, b3], at: [1, -1, 0], axis: [1, 0, 0]}\n"
                              "  - {name: j4, type: revolute, bodies: [b3, b4], at: [1, -1, 1], axis: [0, 1, 0]}\n"
                              "  - {name: j5, type: revolute, bodies: [b4, b5], at: [0, -1, 1], axis: [0, 0, 1]}\n"
                              "  - {name: j6, type: revolute, bodies: [b5, ground], at: [0, 0, 1], axis: [1, 0, 0]}\n";

static void bricard__driven_inside_is_one_group_of_five(void **state) {
    (void)state;
    assert_svd(bricard, 1);
    subject s = look_with(bricard, "drivers: [{variable: j3.angle, value: =t}]\n");
    assert_int_equal(s.found.mobility_count, 0);
    assert_int_equal(s.found.mobility_rank, 1);
    assert_true(s.report.complete);
    assert_groups(&s, "b1 b2 b3 b4 b5");
    assert_int_equal(amount_of(&s, BL_EXCEPTION_GEOMETRY), 1);
    forget(&s);
}

static void bricard__driven_at_the_frame_leaves_a_group_of_four(void **state) {
    (void)state;
    subject s = look_with(bricard, "drivers: [{variable: j6.angle, value: =t}]\n");
    assert_true(s.report.complete);
    assert_groups(&s, "b5|b1 b2 b3 b4");
    forget(&s);
    s = look(bricard);
    assert_false(s.report.complete); /* its degree of freedom has no input */
    assert_int_equal(s.report.nremaining, 5);
    forget(&s);
}

/* Denavit-Hartenberg frames around the loop: lengths a, b, twists with a / sin alpha = b / sin beta, and
 * tan(theta / 2) tan(phi / 2) = sin((alpha + beta) / 2) / sin((beta - alpha) / 2) (Bennett 1903) */
static void put_bennett(text *t, double a, double b, double alpha, double theta) {
    double beta = asin(b * sin(alpha) / a), pi = acos(-1), at[4][3], axis[4][3];
    double phi = 2 * atan(sin((alpha + beta) / 2) / sin((beta - alpha) / 2) / tan(theta / 2));
    double length[4] = {a, b, a, b}, twist[4] = {alpha, beta, alpha, beta}, angle[4] = {theta, phi, 2 * pi - theta, 2 * pi - phi};
    double T[3][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
    for (int i = 0; i < 4; i++) {
        double c = cos(angle[i]), s = sin(angle[i]), ca = cos(twist[i]), sa = sin(twist[i]), next[3][4];
        double D[4][4] = {{c, -s * ca, s * sa, length[i] * c}, {s, c * ca, -c * sa, length[i] * s}, {0, sa, ca, 0}, {0, 0, 0, 1}};
        for (int k = 0; k < 3; k++) {
            at[i][k] = T[k][3];
            axis[i][k] = T[k][2];
            for (int j = 0; j < 4; j++)
                next[k][j] = T[k][0] * D[0][j] + T[k][1] * D[1][j] + T[k][2] * D[2][j] + T[k][3] * D[3][j];
        }
        memcpy(T, next, sizeof T);
    }
    for (int k = 0; k < 3; k++)
        for (int j = 0; j < 4; j++)
            assert_true(fabs(T[k][j] - (k == j)) < 1e-12); /* closed */
    put_loop(t, 4, at, axis);
}

static void bennett__moves_with_three_repeated_equations(void **state) {
    (void)state;
    text t = {0};
    put_bennett(&t, 2.5, 1.7, 0.6, 0.9);
    assert_svd(t.at, 1);
    subject s = look_with(t.at, "drivers: [{variable: j1.angle, value: =t}]\n");
    assert_int_equal(s.found.mobility_count, -2);
    assert_int_equal(s.found.mobility_rank, 1);
    assert_int_equal(amount_of(&s, BL_EXCEPTION_GEOMETRY), 3);
    assert_true(s.report.complete);
    assert_groups(&s, "b1|b2 b3");
    forget(&s);
}

static void four_bar_in_space__says_parallel_axes(void **state) {
    (void)state;
    text t = {0};
    double at[4][3] = {{0, 0, 0}, {0.3, 0.9, 0.2}, {2, 1.5, -0.1}, {2.5, 0, 0.3}}, axis[4][3];
    for (int i = 0; i < 4; i++)
        memcpy(axis[i], (double[3]){0, 0, 1}, sizeof axis[i]);
    put_loop(&t, 4, at, axis);
    assert_svd(t.at, 1);
    subject s = look_with(t.at, "drivers: [{variable: j1.angle, value: =t}]\n");
    assert_int_equal(s.found.mobility_count, -2);
    assert_int_equal(s.found.repeated, 3);
    assert_true(s.report.complete);
    assert_groups(&s, "b1|b2 b3");
    assert_says(&s, BL_EXCEPTION_GEOMETRY, "parallel axes");
    forget(&s);
}

static void spherical_four_bar__says_axes_through_one_point(void **state) {
    (void)state;
    text t = {0};
    double axis[4][3] = {{1, 0, 0.3}, {0.2, 1, 0.5}, {-0.7, 0.4, 1}, {-0.2, -0.9, 0.6}}, at[4][3];
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 3; k++)
            at[i][k] = (i + 1) * axis[i][k];
    put_loop(&t, 4, at, axis);
    assert_svd(t.at, 1);
    subject s = look_with(t.at, "drivers: [{variable: j4.angle, value: =t}]\n");
    assert_int_equal(s.found.mobility_rank, 1);
    assert_true(s.report.complete);
    assert_groups(&s, "b3|b1 b2");
    assert_says(&s, BL_EXCEPTION_GEOMETRY, "axes through one point");
    forget(&s);
}

/* two sets of three parallel revolute joints: 0 by counting (Sarrus 1853) */
static void sarrus__moves_in_a_straight_line(void **state) {
    (void)state;
    text t = {0};
    double at[6][3] = {{0, -1, 0}, {0, -1.5, 0.6}, {0, -1, 1.2}, {1, 0, 1.2}, {1.5, 0, 0.6}, {1, 0, 0}}, axis[6][3];
    for (int i = 0; i < 6; i++)
        memcpy(axis[i], (double[3]){i < 3, i >= 3, 0}, sizeof axis[i]);
    put_loop(&t, 6, at, axis);
    assert_svd(t.at, 1);
    subject s = look_with(t.at, "drivers: [{variable: j1.angle, value: =t}]\n");
    assert_int_equal(s.found.mobility_count, 0);
    assert_int_equal(s.found.mobility_rank, 1);
    assert_groups(&s, "b1|b2 b3 b4 b5");
    forget(&s);
}

/* ---- in the plane */

static const char three_cranks[] = "dimension: 2\n"
                                   "bodies:\n"
                                   "  - {name: c1, mass: 1, center: [0.1, 0.2], inertia: 1}\n"
                                   "  - {name: c2, mass: 1, center: [1.1, 0.2], inertia: 1}\n"
                                   "  - {name: c3, mass: 1, center: [2.1, 0.2], inertia: 1}\n"
                                   "  - {name: coupler, mass: 1, center: [1.2, 0.4], inertia: 1}\n"
                                   "joints:\n"
                                   "  - {name: B1, type: revolute, bodies: [c1, coupler], at: [0.2, 0.4]}\n"
                                   "  - {name: B2, type: revolute, bodies: [c2, coupler], at: [1.2, 0.4]}\n"
                                   "  - {name: B3, type: revolute, bodies: [c3, coupler], at: [2.2, 0.4]}\n"
                                   "  - {name: A1, type: revolute, bodies: [ground, c1], at: [0, 0]}\n"
                                   "  - {name: A2, type: revolute, bodies: [ground, c2], at: [1, 0]}\n"
                                   "  - {name: A3, type: revolute, bodies: [ground, c3], at: [2, 0]}\n";

/* whichever crank is driven, the others are a dyad with the coupler and a separate link */
static void three_parallel_cranks__repeat_one_equation(void **state) {
    (void)state;
    assert_svd(three_cranks, 1);
    const char *expected[3] = {"c1|c2 coupler|c3", "c2|c1 coupler|c3", "c3|c1 coupler|c2"};
    for (int driven = 1; driven <= 3; driven++) {
        char driver[80];
        snprintf(driver, sizeof driver, "drivers: [{variable: A%d.angle, value: =t}]\n", driven);
        subject s = look_with(three_cranks, driver);
        assert_int_equal(s.found.mobility_count, 0);
        assert_int_equal(s.found.mobility_rank, 1);
        assert_int_equal(s.found.repeated, 1);
        assert_true(s.report.complete);
        assert_groups(&s, expected[driven - 1]);
        assert_says(&s, BL_EXCEPTION_GEOMETRY, "equal and parallel");
        forget(&s);
    }
}

static void body_on_two_pins__is_redundant_whatever_the_dimensions(void **state) {
    (void)state;
    static const char model[] = "dimension: 2\n"
                                "bodies:\n"
                                "  - {name: a, mass: 1, center: [0.5, 0.5], inertia: 1}\n"
                                "  - {name: b, mass: 1, center: [1.5, 0.4], inertia: 1}\n"
                                "joints:\n"
                                "  - {name: O, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
                                "  - {name: P, type: revolute, bodies: [ground, a], at: [1, 1]}\n"
                                "  - {name: B, type: revolute, bodies: [a, b], at: [1, 1.3]}\n";
    assert_svd(model, 1);
    subject s = look_with(model, "drivers: [{variable: B.angle, value: =t}]\n");
    assert_int_equal(amount_of(&s, BL_EXCEPTION_REDUNDANT), 1);
    assert_int_equal(amount_of(&s, BL_EXCEPTION_GEOMETRY), 0);
    assert_true(s.report.complete);
    assert_groups(&s, "a|b");
    forget(&s);
}

static void three_links_on_one_pin__make_two_pairs(void **state) {
    (void)state;
    static const char model[] = "dimension: 2\n"
                                "bodies:\n"
                                "  - {name: a, mass: 1, center: [0.5, 0.5], inertia: 1}\n"
                                "  - {name: b, mass: 1, center: [1.5, 0.4], inertia: 1}\n"
                                "  - {name: c, mass: 1, center: [1, 1.5], inertia: 1}\n"
                                "  - {name: d, mass: 1, center: [1.5, 2.5], inertia: 1}\n"
                                "  - {name: e, mass: 1, center: [2.5, 0.5], inertia: 1}\n"
                                "joints:\n"
                                "  - {name: O, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
                                "  - {name: ab, type: revolute, bodies: [a, b], at: [1, 1]}\n"
                                "  - {name: bc, type: revolute, bodies: [b, c], at: [1, 1]}\n"
                                "  - {name: ac, type: revolute, bodies: [a, c], at: [1, 1]}\n"
                                "  - {name: be, type: revolute, bodies: [b, e], at: [2, 0.5]}\n"
                                "  - {name: E, type: revolute, bodies: [ground, e], at: [3, 0]}\n"
                                "  - {name: T, type: revolute, bodies: [d, c], at: [1, 2.5]}\n"
                                "  - {name: U, type: revolute, bodies: [ground, d], at: [2, 2.5]}\n";
    assert_svd(model, 1); /* 15 - 16 by counting, but 3 links on a pin make 2 pairs */
    subject s = look_with(model, "drivers: [{variable: O.angle, value: =t}]\n");
    assert_int_equal(amount_of(&s, BL_EXCEPTION_MULTIPLE), 2);
    assert_says(&s, BL_EXCEPTION_MULTIPLE, "3 links meet on one pin, which needs 2 pairs");
    assert_true(s.report.complete);
    assert_groups(&s, "a|b e|c d");
    forget(&s);
}

/* a ring between crank and coupler, all on one pin, may rotate freely */
static void ring_on_a_pin__is_passive(void **state) {
    (void)state;
    static const char model[] = "dimension: 2\n"
                                "bodies:\n"
                                "  - {name: a, mass: 1, center: [0.2, 0.5], inertia: 1}\n"
                                "  - {name: ring, mass: 1, center: [0.3, 1], inertia: 1}\n"
                                "  - {name: b, mass: 1, center: [1, 1.2], inertia: 1}\n"
                                "  - {name: c, mass: 1, center: [2, 0.7], inertia: 1}\n"
                                "joints:\n"
                                "  - {name: A, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
                                "  - {name: B1, type: revolute, bodies: [a, ring], at: [0.3, 1]}\n"
                                "  - {name: B2, type: revolute, bodies: [ring, b], at: [0.3, 1]}\n"
                                "  - {name: C, type: revolute, bodies: [b, c], at: [2, 1.4]}\n"
                                "  - {name: D, type: revolute, bodies: [ground, c], at: [2.2, 0]}\n";
    assert_svd(model, 2);
    subject s = look_with(model, "drivers: [{variable: A.angle, value: =t}]\n");
    assert_int_equal(s.found.passive, 1);
    assert_true(s.report.complete);
    assert_groups(&s, "a|ring|b c");
    assert_says(&s, BL_EXCEPTION_PASSIVE, "link 'ring'");
    forget(&s);
}

/* three hinges of a door: any further one on the same line follows from the first */
static void door__hinges_on_one_line(void **state) {
    (void)state;
    text t = {0};
    put(&t, "bodies:\n");
    put_body(&t, "door", (double[3]){0.5, 0.5, 0.5});
    put(&t, "joints:\n");
    for (int i = 1; i <= 3; i++)
        put(&t, "  - {name: h%d, type: revolute, bodies: [ground, door], at: [0, 0, %d], axis: [0, 0, 1]}\n", i, i);
    assert_svd(t.at, 1);
    subject s = look_with(t.at, "drivers: [{variable: h2.angle, value: =t}]\n");
    assert_int_equal(s.found.mobility_count, -9);
    assert_int_equal(s.found.mobility_rank, 1);
    assert_true(s.report.complete);
    assert_says(&s, BL_EXCEPTION_GEOMETRY, "all axes on one line");
    forget(&s);
}

/* ---- gears: wheels on arms, all variables known */

static const char wheels[] = "dimension: 2\n"
                             "bodies:\n"
                             "  - {name: sun, mass: 1, center: [0, 0], inertia: 1}\n"
                             "  - {name: carrier, mass: 1, center: [0.2, 0], inertia: 1}\n"
                             "  - {name: p1, mass: 1, center: [1, 0], inertia: 1}\n"
                             "  - {name: p2, mass: 1, center: [-1, 0], inertia: 1}\n"
                             "joints:\n"
                             "  - {name: C, type: revolute, bodies: [ground, carrier], at: [0, 0]}\n"
                             "  - {name: S, type: revolute, bodies: [carrier, sun], at: [0, 0]}\n"
                             "  - {name: c1, type: revolute, bodies: [carrier, p1], at: [1, 0]}\n"
                             "  - {name: c2, type: revolute, bodies: [carrier, p2], at: [-1, 0]}\n"
                             "  - {name: g1, type: gear, first: S.angle, second: c1.angle, ratio: -2}\n"
                             "  - {name: g2, type: gear, first: S.angle, second: c2.angle, ratio: -2}\n";
static const char turned[] = "drivers: [{variable: C.angle, value: =t}, {variable: S.angle, value: =2*t}]\n";

static void gear__is_one_equation(void **state) {
    (void)state;
    assert_svd(wheels, 2); /* 12 - 8 - 2 */
    subject s = look_with(wheels, turned);
    assert_int_equal(s.found.mobility_count, 2);
    assert_int_equal(s.found.mobility_rank, 2);
    assert_true(s.report.complete);
    assert_groups(&s, "carrier|sun|p1|p2");
    assert_int_equal(amount_of(&s, BL_EXCEPTION_ROLLING), 2); /* how each of them is counted */
    assert_says(&s, BL_EXCEPTION_ROLLING, "one equation between the motions of sun and p1 on carrier");
    forget(&s);
}

static void gears_around__repeat_when_ratios_agree(void **state) {
    (void)state;
    text t = {0};
    put(&t, "%s  - {name: g3, type: gear, first: c1.angle, second: c2.angle, ratio: 1}\n", wheels);
    assert_svd(t.at, 2);
    subject s = look_with(t.at, turned);
    assert_int_equal(s.found.repeated, 1);
    assert_true(s.report.complete);
    assert_groups(&s, "carrier|sun|p1|p2");
    assert_says(&s, BL_EXCEPTION_ROLLING, "the ratios agree");
    forget(&s);
    t.used = 0; /* inconsistent ratios: only the carrier rotates, and the driven sun has one input too many */
    put(&t, "%s  - {name: g3, type: gear, first: c1.angle, second: c2.angle, ratio: 3}\n", wheels);
    assert_svd(t.at, 1);
}

/* ---- in space */

static void put_rssr(text *t, const char *coupler) {
    put(t, "bodies:\n");
    put_body(t, "crank", (double[3]){0.2, 0.1, 0});
    put(t, "%s", coupler);
    put_body(t, "rocker", (double[3]){2, 0.5, 1});
    put(t, "joints:\n"
           "  - {name: A, type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}\n"
           "  - {name: B, type: spherical, bodies: [crank, coupler], at: [0.4, 0.2, 0]}\n"
           "  - {name: C, type: spherical, bodies: [coupler, rocker], at: [1.6, 0.8, 1]}\n"
           "  - {name: D, type: revolute, bodies: [ground, rocker], at: [2, 0, 1], axis: [1, 0, 0.2]}\n");
}

static void rssr__is_solved_up_to_the_turn_of_its_coupler(void **state) {
    (void)state;
    static const char *const coupler[2] = {"  - {name: coupler, mass: 1, center: [1, 0.5, 0.5], inertia: [1, 2, 2.5]}\n",
                                           "  - {name: coupler, rod: {from: [0.4, 0.2, 0], to: [1.6, 0.8, 1]}, mass: 1}\n"};
    for (int slender = 0; slender < 2; slender++) {
        text t = {0};
        put_rssr(&t, coupler[slender]);
        if (!slender)
            assert_svd(t.at, 2); /* the spin of a slender coupler is not a coordinate */
        subject s = look_with(t.at, "drivers: [{variable: A.angle, value: =t}]\n");
        assert_int_equal(s.found.mobility_count, 2);
        assert_int_equal(s.found.mobility_rank, 2);
        assert_int_equal(s.found.passive, 1);
        assert_int_equal(s.report.inputs, 1);
        assert_true(s.report.complete);
        assert_groups(&s, "crank|coupler rocker");
        assert_says(&s, BL_EXCEPTION_PASSIVE, "link 'coupler' can rotate about itself");
        forget(&s);
        s = look(t.at); /* without input: one degree of freedom is missing, not two */
        assert_int_equal(s.report.nremain, 1);
        assert_int_equal(s.report.remain[0].amount, 1);
        forget(&s);
    }
}

/* a driver that holds the spin leaves nothing passive */
static void rssr__driven_turn_is_not_passive(void **state) {
    (void)state;
    text t = {0};
    put(&t, "bodies:\n");
    put_body(&t, "crank", (double[3]){0.2, 0.1, 0});
    put_body(&t, "coupler", (double[3]){1, 0.5, 0.5});
    put_body(&t, "rocker", (double[3]){2, 0.5, 1});
    put(&t, "joints:\n"
            "  - {name: A, type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}\n"
            "  - {name: B, type: universal, bodies: [crank, coupler], at: [0.4, 0.2, 0], axis: [0, 0, 1], axis_b: [1, -2, 0]}\n"
            "  - {name: C, type: spherical, bodies: [coupler, rocker], at: [1.6, 0.8, 1]}\n"
            "  - {name: D, type: revolute, bodies: [ground, rocker], at: [2, 0, 1], axis: [1, 0, 0.2]}\n");
    assert_svd(t.at, 1);
    subject s = look_with(t.at, "drivers: [{variable: A.angle, value: =t}]\n");
    assert_int_equal(s.found.passive, 0);
    assert_true(s.report.complete);
    forget(&s);
}

/* legs: 'R' rods that only measure, 'S' or 'U' cylinder and piston with a spherical or universal joint at the base and a spherical joint on
 * top */
static void put_stewart(text *t, char legs, bool driven) {
    static const double foot[6] = {0.1, 1.9, 2.3, 4.0, 4.4, 6.1}, head[6] = {0.9, 1.2, 2.9, 3.3, 5.1, 5.4};
    double p[6][3], q[6][3], u[6][3];
    for (int i = 0; i < 6; i++) {
        double length = 0;
        memcpy(p[i], (double[3]){2 * cos(foot[i]), 2 * sin(foot[i]), 0}, sizeof p[i]);
        memcpy(q[i], (double[3]){0.1 + cos(head[i]), 0.05 + 1.1 * sin(head[i]), 1.8 + 0.1 * sin(5 * head[i])}, sizeof q[i]);
        for (int k = 0; k < 3; k++)
            length += (q[i][k] - p[i][k]) * (q[i][k] - p[i][k]);
        for (int k = 0; k < 3; k++)
            u[i][k] = (q[i][k] - p[i][k]) / sqrt(length);
    }
    put(t, "bodies:\n");
    put_body(t, "platform", (double[3]){0.1, 0, 1.8});
    for (int i = 0; i < 6 && legs != 'R'; i++)
        for (int part = 0; part < 2; part++) {
            char name[24];
            double c[3];
            snprintf(name, sizeof name, "%s%d", part ? "piston" : "cylinder", i + 1);
            for (int k = 0; k < 3; k++)
                c[k] = p[i][k] + (part ? 0.7 : 0.3) * (q[i][k] - p[i][k]);
            put_body(t, name, c);
        }
    put(t, "joints:\n");
    for (int i = 0; i < 6; i++) {
        if (legs == 'R') {
            put(t,
                "  - {name: leg%d, type: rod, bodies: [ground, platform], at: [%.17g, %.17g, %.17g], "
                "to: [%.17g, %.17g, %.17g], free: true}\n",
                i + 1, p[i][0], p[i][1], p[i][2], q[i][0], q[i][1], q[i][2]);
            continue;
        }
        double w[3] = {u[i][1], -u[i][0], 0}, size = hypot(w[0], w[1]); /* two axes perpendicular to the leg and to each other */
        double v[3] = {u[i][1] * w[2] - u[i][2] * w[1], u[i][2] * w[0] - u[i][0] * w[2], u[i][0] * w[1] - u[i][1] * w[0]};
        put(t, "  - {name: foot%d, type: %s, bodies: [ground, cylinder%d], at: [%.17g, %.17g, %.17g]", i + 1,
            legs == 'S' ? "spherical" : "universal", i + 1, p[i][0], p[i][1], p[i][2]);
        if (legs == 'U')
            put(t, ", axis: [%.17g, %.17g, %.17g], axis_b: [%.17g, %.17g, %.17g]", w[0] / size, w[1] / size, w[2] / size, v[0], v[1], v[2]);
        put(t,
            "}\n  - {name: leg%d, type: prismatic, bodies: [cylinder%d, piston%d], at: [%.17g, %.17g, %.17g], "
            "axis: [%.17g, %.17g, %.17g]}\n",
            i + 1, i + 1, i + 1, p[i][0], p[i][1], p[i][2], u[i][0], u[i][1], u[i][2]);
        put(t, "  - {name: top%d, type: spherical, bodies: [piston%d, platform], at: [%.17g, %.17g, %.17g]}\n", i + 1, i + 1, q[i][0],
            q[i][1], q[i][2]);
    }
    put(t, driven ? "drivers:\n" : "");
    for (int i = 0; i < 6 && driven; i++) {
        double length = sqrt(pow(q[i][0] - p[i][0], 2) + pow(q[i][1] - p[i][1], 2) + pow(q[i][2] - p[i][2], 2));
        put(t, "  - {variable: leg%d.distance, value: %.17g}\n", i + 1, legs == 'R' ? length : 0);
    }
}

static void stewart_platform__is_one_group(void **state) {
    (void)state;
    static const char legs[] = "RUS";
    for (int i = 0; legs[i]; i++) {
        text t = {0};
        put_stewart(&t, legs[i], false);
        assert_svd(t.at, legs[i] == 'S' ? 12 : 6);
        t.used = 0;
        put_stewart(&t, legs[i], true);
        subject s = look(t.at);
        assert_int_equal(s.found.mobility_rank, legs[i] == 'S' ? 12 : 6);
        assert_int_equal(s.found.passive, legs[i] == 'S' ? 6 : 0);
        assert_int_equal(s.found.repeated, 0);
        assert_true(s.report.complete);
        assert_int_equal(s.report.ngroup, 1); /* no leg can be solved without the platform */
        assert_int_equal(s.report.group[0].nlink, legs[i] == 'R' ? 1 : 13);
        if (legs[i] == 'S')
            assert_says(&s, BL_EXCEPTION_PASSIVE, "links 'cylinder1' and 'piston1' can rotate together");
        forget(&s);
    }
}

static void robot_arm__is_a_chain_of_driven_links(void **state) {
    (void)state;
    static const int axis[6] = {2, 1, 1, 0, 1, 0};
    text t = {0};
    put(&t, "bodies:\n");
    for (int i = 1; i <= 6; i++) {
        char name[24];
        snprintf(name, sizeof name, "l%d", i);
        put_body(&t, name, (double[3]){i - 0.5, 0, 0});
    }
    put(&t, "joints:\n");
    for (int i = 1; i <= 6; i++)
        put(&t, "  - {name: q%d, type: revolute, bodies: [%s%.0d, l%d], at: [%d, 0, 0], axis: [%d, %d, %d]}\n", i, i == 1 ? "ground" : "l",
            i - 1, i, i - 1, axis[i - 1] == 0, axis[i - 1] == 1, axis[i - 1] == 2);
    assert_svd(t.at, 6);
    put(&t, "drivers:\n");
    for (int i = 1; i <= 6; i++)
        put(&t, "  - {variable: q%d.angle, value: =t}\n", i);
    subject s = look(t.at);
    assert_int_equal(s.found.n, 0);
    assert_groups(&s, "l1|l2|l3|l4|l5|l6");
    forget(&s);
}

/* ---- exceptions in the starting position only */

static const char folded[] = "dimension: 2\n"
                             "bodies:\n"
                             "  - {name: a, mass: 1, center: [0.5, 0], inertia: 1}\n"
                             "  - {name: b, mass: 1, center: [2, 0], inertia: 1}\n"
                             "  - {name: c, mass: 1, center: [2.5, 0], inertia: 1}\n"
                             "joints:\n"
                             "  - {name: A, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
                             "  - {name: B, type: revolute, bodies: [a, b], at: [1, 0]}\n"
                             "  - {name: C, type: revolute, bodies: [b, c], at: [3, 0]}\n"
                             "  - {name: D, type: revolute, bodies: [ground, c], at: [2, 0]}\n";

/* a parallelogram flat on its frame: two degrees of freedom there, one elsewhere; the driver is at rest, so it cannot lead out of it */
static void flat_parallelogram__is_a_singular_start_only(void **state) {
    (void)state;
    assert_svd(folded, 2);
    subject s = look_with(folded, "drivers: [{variable: A.angle, value: 0}]\n");
    assert_int_equal(s.found.mobility_rank, 1);
    assert_int_equal(s.found.mobility_start, 2);
    assert_int_equal(s.found.repeated, 0);
    assert_int_equal(amount_of(&s, BL_EXCEPTION_SINGULAR), 1);
    assert_says(&s, BL_EXCEPTION_SINGULAR, "mobility 2 there, 1 near it");
    assert_true(s.report.complete);
    assert_groups(&s, "a|b c");
    forget(&s);
}

static const char stretched[] = "dimension: 2\n"
                                "bodies:\n"
                                "  - {name: crank, mass: 1, center: [0.5, 0], inertia: 1}\n"
                                "  - {name: rod, mass: 1, center: [2, 0], inertia: 1}\n"
                                "  - {name: slider, mass: 1, center: [3, 0], inertia: 1}\n"
                                "joints:\n"
                                "  - {name: A, type: revolute, bodies: [ground, crank], at: [0, 0]}\n"
                                "  - {name: B, type: revolute, bodies: [crank, rod], at: [1, 0]}\n"
                                "  - {name: C, type: revolute, bodies: [rod, slider], at: [3, 0]}\n"
                                "  - {name: P, type: prismatic, bodies: [ground, slider], at: [3, 0], axis: [1, 0]}\n";

static void stretched_slider_crank__is_a_dead_point_of_the_driven_slider(void **state) {
    (void)state;
    assert_svd(stretched, 1);
    subject s = look_with(stretched, "drivers: [{variable: P.distance, value: 0}]\n");
    assert_int_equal(s.found.mobility_start, 1);
    assert_says(&s, BL_EXCEPTION_SINGULAR, "a dead point");
    assert_int_equal(amount_of(&s, BL_EXCEPTION_INPUT), 0);
    assert_groups(&s, "slider|crank rod");
    forget(&s);
    s = look_with(stretched, "drivers: [{variable: A.angle, value: 0}]\n");
    assert_int_equal(s.found.n, 0); /* driven at the crank nothing is special */
    forget(&s);
}

static void second_driver__gives_what_is_determined(void **state) {
    (void)state;
    static const char model[] = "dimension: 2\n"
                                "bodies:\n"
                                "  - {name: a, mass: 1, center: [0.2, 0.5], inertia: 1}\n"
                                "  - {name: b, mass: 1, center: [1, 1.2], inertia: 1}\n"
                                "  - {name: c, mass: 1, center: [2, 0.7], inertia: 1}\n"
                                "joints:\n"
                                "  - {name: A, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
                                "  - {name: B, type: revolute, bodies: [a, b], at: [0.3, 1]}\n"
                                "  - {name: C, type: revolute, bodies: [b, c], at: [2, 1.4]}\n"
                                "  - {name: D, type: revolute, bodies: [ground, c], at: [2.2, 0]}\n"
                                "drivers: [{variable: A.angle, value: 0}, {variable: D.angle, value: 0}]\n";
    subject s = look(model);
    assert_int_equal(s.found.repeated, 0); /* too many inputs are a result of counting */
    assert_int_equal(amount_of(&s, BL_EXCEPTION_INPUT), 1);
    assert_false(s.report.complete);
    forget(&s);
}

static void open_model__falls_back_on_counting(void **state) {
    (void)state;
    static const char model[] = "dimension: 2\n"
                                "bodies:\n"
                                "  - {name: a, mass: 1, center: [0.5, 0], inertia: 1}\n"
                                "joints:\n"
                                "  - {name: A, type: revolute, bodies: [ground, a], at: [0, 0]}\n"
                                "  - {name: r, type: rod, bodies: [ground, a], at: [3, 3], to: [1, 0.5], length: 0.1}\n";
    subject s = look(model);
    assert_false(s.found.closed);
    assert_int_equal(s.found.n, 1);
    assert_int_equal(s.found.exception[0].kind, BL_EXCEPTION_OPEN);
    assert_says(&s, BL_EXCEPTION_OPEN, "joint 'r' does not close");
    assert_true(s.report.complete);
    assert_int_equal(bl_context_error(s.ctx)->status, BL_OK);
    forget(&s);
}

/* ---- memory */

static bl_status structure_once(bl_context *ctx, void *user) {
    const char *model_text = user;
    bl_model *model = NULL;
    bl_chain chain = {0};
    bl_structure_report report = {0};
    bl_structure_exceptions found = {0};
    bl_status status = bl_model_read_text(ctx, "test.yaml", model_text, strlen(model_text), NULL, 0, &model);
    if (status == BL_OK)
        status = bl_structure_of_model(ctx, model, NULL, &chain, &report, &found);
    bl_structure_exceptions_destroy(ctx, &found);
    bl_structure_report_destroy(ctx, &report);
    bl_chain_destroy(ctx, &chain);
    bl_model_destroy(model);
    return status;
}

static void structure_of_model__survives_every_failing_allocation(void **state) {
    (void)state;
    text t = {0};
    put(&t, "%sdrivers: [{variable: A1.angle, value: =t}]\n", three_cranks);
    assert_true(test_failing_allocations(structure_once, t.at) > 100);
    t.used = 0;
    put_rssr(&t, "  - {name: coupler, mass: 1, center: [1, 0.5, 0.5], inertia: [1, 2, 2.5]}\n");
    assert_true(test_failing_once(structure_once, t.at) > 50);
    t.used = 0;
    put(&t, "%sdrivers: [{variable: A.angle, value: 0}]\n", folded);
    assert_true(test_failing_once(structure_once, t.at) > 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bricard__driven_inside_is_one_group_of_five),
        cmocka_unit_test(bricard__driven_at_the_frame_leaves_a_group_of_four),
        cmocka_unit_test(bennett__moves_with_three_repeated_equations),
        cmocka_unit_test(four_bar_in_space__says_parallel_axes),
        cmocka_unit_test(spherical_four_bar__says_axes_through_one_point),
        cmocka_unit_test(three_parallel_cranks__repeat_one_equation),
        cmocka_unit_test(body_on_two_pins__is_redundant_whatever_the_dimensions),
        cmocka_unit_test(three_links_on_one_pin__make_two_pairs),
        cmocka_unit_test(sarrus__moves_in_a_straight_line),
        cmocka_unit_test(ring_on_a_pin__is_passive),
        cmocka_unit_test(door__hinges_on_one_line),
        cmocka_unit_test(gear__is_one_equation),
        cmocka_unit_test(gears_around__repeat_when_ratios_agree),
        cmocka_unit_test(rssr__is_solved_up_to_the_turn_of_its_coupler),
        cmocka_unit_test(rssr__driven_turn_is_not_passive),
        cmocka_unit_test(stewart_platform__is_one_group),
        cmocka_unit_test(robot_arm__is_a_chain_of_driven_links),
        cmocka_unit_test(flat_parallelogram__is_a_singular_start_only),
        cmocka_unit_test(stretched_slider_crank__is_a_dead_point_of_the_driven_slider),
        cmocka_unit_test(second_driver__gives_what_is_determined),
        cmocka_unit_test(open_model__falls_back_on_counting),
        cmocka_unit_test(structure_of_model__survives_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
