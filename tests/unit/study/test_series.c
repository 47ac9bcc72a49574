/* The study of a motion as a power series: names, orders, C text that computes the same, and what it refuses. */
#include "biela/biela.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/testing.h"

#include <cmocka.h>

static bl_model *read_text(bl_context *ctx, const char *text) {
    bl_model *model = NULL;
    if (bl_model_read_text(ctx, "text", text, strlen(text), NULL, 0, &model) != BL_OK)
        fail_msg("%s", bl_context_error(ctx)->what);
    return model;
}

static bl_model *read_scene(bl_context *ctx, const char *name) {
    char file[512];
    bl_model *model = NULL;
    snprintf(file, sizeof file, "%s/%s.yaml", SCENES, name);
    if (bl_model_read(ctx, file, NULL, 0, &model) != BL_OK)
        fail_msg("%s", bl_context_error(ctx)->what);
    return model;
}

static const bl_series_component *find(const bl_series_report *report, bl_series_what what, const char *name) {
    for (bl_index i = 0; i < report->ncomponent; i++)
        if (report->component[i].what == what && strstr(report->component[i].name, name))
            return &report->component[i];
    fail_msg("no %s of %s", bl_series_what_text(what), name);
    return NULL;
}

static void robot__has_every_component_by_name(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_scene(ctx, "two_link_robot");
    bl_series_report report = {0};
    assert_int_equal(bl_series_study(ctx, model, NULL, &report), BL_OK);
    assert_int_equal(report.order, BL_SERIES_USUAL_ORDER);
    assert_int_equal(report.ncomponent, 6);
    assert_string_equal(report.formulation, "index2");
    assert_string_equal(report.coordinates, "equations");
    /* sin t, -2 sin t; without singularities, but rounding leads to neighboring motions, which have some */
    const bl_series_component *u = find(&report, BL_SERIES_POSITION, "u2"), *v = find(&report, BL_SERIES_VELOCITY, "u1");
    assert_int_equal(u->order, 8);
    assert_int_equal(v->order, 8);
    assert_true(fabs(u->coefficient[3] - 1.0 / 3) < 1e-15 && fabs(v->coefficient[4] - 1.0 / 24) < 1e-15);
    assert_true(u->radius > 1.5 && report.radius > 1.5);
    const bl_series_component *lambda = find(&report, BL_SERIES_LAMBDA, "line"), *mu = find(&report, BL_SERIES_MU, "line");
    assert_int_equal(lambda->order, 7);
    assert_int_equal(mu->order, 7);
    assert_true(fabs(lambda->coefficient[0] - 1) < 1e-15 && mu->coefficient[0] == 0 && isnan(mu->radius));
    bl_series_report_destroy(ctx, &report);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* u' = u^2 from 1: 1/(1 - t), every coefficient 1, a pole at 1 */
static void states__have_their_pole(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_text(ctx, "equations:\n  states:\n    - {name: u, start: 1, rate: =u^2}\n");
    bl_series_report report = {0};
    assert_int_equal(bl_series_study(ctx, model, &(bl_series_options){.order = 5}, &report), BL_OK);
    assert_int_equal(report.ncomponent, 1);
    assert_string_equal(report.formulation, "plain");
    for (int k = 0; k <= 5; k++)
        assert_true(fabs(report.component[0].coefficient[k] - 1) < 1e-14);
    assert_true(fabs(report.radius - 1) < 1e-6);
    bl_series_report_destroy(ctx, &report);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* let go from the horizontal, length 1: a pole at sqrt(2/g) K(1/2) = 0.8372, whatever the given order */
static void pendulum__radius_is_that_of_its_pole(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_scene(ctx, "pendulum");
    static const char *const formulation[] = {"index2", "lagrange", "partition"};
    for (int f = 0; f < 3; f++)
        for (int order = 2; order <= 60; order += 29) {
            bl_series_report report = {0};
            bl_series_options options = {.formulation = formulation[f], .order = order};
            assert_int_equal(bl_series_study(ctx, model, &options, &report), BL_OK);
            assert_true(fabs(report.radius - 0.8372) < 0.01);
            assert_int_equal(report.component[0].order, order);
            assert_int_equal(find(&report, BL_SERIES_VELOCITY, "P.x")->order, f == 0 ? order : order - 1);
            bl_series_report_destroy(ctx, &report);
        }
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* ---- C */

static void to_file(void *user, const char *text, size_t length) { fwrite(text, 1, length, user); }

static void c_text__computes_the_polynomials(void **state) {
    (void)state;
    if (system("cc --version >/dev/null 2>&1") != 0)
        skip(); /* no compiler here */
    bl_context *ctx = test_context(NULL);
    /* a name that would end a comment, states, constraints that no velocity has */
    bl_model *model = read_text(ctx, "model: 'a */ b \\'\nequations:\n  states:\n    - {name: x, start: 0.6, mass: 1, force: 0}\n"
                                     "    - {name: y, start: -0.8, mass: 1, force: -9.81}\n"
                                     "  constraints:\n    - {name: rod, value: =x^2 + y^2 - 1}\n");
    bl_series_report report = {0};
    assert_int_equal(bl_series_study(ctx, model, &(bl_series_options){.order = 60}, &report), BL_OK);
    char folder[] = "/tmp/biela_series_XXXXXX", path[64], command[256], line[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/f.c", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(bl_series_write_c(ctx, &report, to_file, file), BL_OK);
    fprintf(file, "#include <stdio.h>\nint main(void) {\n    double out[6];\n    motion(0.2, out, out + 2, NULL, out + 4, out + 5);\n"
                  "    motion(0.2, NULL, NULL, NULL, NULL, NULL);\n"
                  "    for (int i = 0; i < 6; i++)\n        printf(\"%%.17g\\n\", out[i]);\n    return 0;\n}\n");
    fclose(file);
    snprintf(command, sizeof command, "cc -std=c99 -Wall -Wextra -Werror -o %s/f %s/f.c", folder, folder);
    assert_int_equal(system(command), 0);
    snprintf(command, sizeof command, "%s/f", folder);
    file = popen(command, "r");
    assert_non_null(file);
    for (bl_index i = 0; i < report.ncomponent; i++) {
        const bl_series_component *c = &report.component[i];
        double value = 0;
        for (int k = c->order; k >= 0; k--)
            value = c->coefficient[k] + 0.2 * value;
        assert_non_null(fgets(line, sizeof line, file));
        if (!(fabs(strtod(line, NULL) - value) <= 1e-13 * fmax(1, fabs(value))))
            fail_msg("%s: %s, expected %.17g", c->name, line, value);
    }
    assert_int_equal(pclose(file), 0);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    bl_series_report_destroy(ctx, &report);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* ---- what is refused */

static void refused(bl_context *ctx, const bl_model *model, const bl_series_options *options, bl_status status, const char *words) {
    bl_series_report report = {0};
    assert_int_equal(bl_series_study(ctx, model, options, &report), status);
    if (!strstr(bl_context_error(ctx)->what, words))
        fail_msg("'%s' does not say '%s'", bl_context_error(ctx)->what, words);
    assert_null(report.own);
    bl_series_report_destroy(ctx, &report);
    bl_context_clear_error(ctx);
}

static void bad_input__is_refused_with_a_reason(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_scene(ctx, "two_link_robot");
    static const int orders[] = {-1, 1, 61, 2000000000};
    for (int i = 0; i < 4; i++)
        refused(ctx, model, &(bl_series_options){.order = orders[i]}, BL_E_ARG, "order of a series must be 2 to 60");
    refused(ctx, model, &(bl_series_options){.formulation = "ggl"}, BL_E_ABILITY, "series");
    refused(ctx, model, &(bl_series_options){.formulation = "plain"}, BL_E_ABILITY, "without constraints");
    refused(ctx, model, &(bl_series_options){.formulation = "index22"}, BL_E_ARG, "index22");
    bl_series_report report = {0};
    assert_int_equal(bl_series_study(ctx, NULL, NULL, &report), BL_E_ARG);
    assert_int_equal(bl_series_study(ctx, model, NULL, NULL), BL_E_ARG);
    report = (bl_series_report){0};
    assert_int_equal(bl_series_write_c(ctx, &report, to_file, stderr), BL_E_ARG);
    bl_model_destroy(model);

    model = read_scene(ctx, "friction_slider_crank");
    refused(ctx, model, NULL, BL_E_ABILITY, "not analytic");
    bl_model_destroy(model);
    model = read_scene(ctx, "pendulum");
    refused(ctx, model, &(bl_series_options){.coordinates = "relative"}, BL_E_ABILITY, "cannot be expanded in a power series");
    bl_model_destroy(model);
    /* sqrt has no derivative at 0 */
    model = read_text(ctx, "equations:\n  states:\n    - {name: u, start: 0, rate: =sqrt(u) + 1}\n");
    refused(ctx, model, NULL, BL_E_NUMERIC, "not finite");
    bl_model_destroy(model);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(robot__has_every_component_by_name),   cmocka_unit_test(states__have_their_pole),
        cmocka_unit_test(pendulum__radius_is_that_of_its_pole), cmocka_unit_test(c_text__computes_the_polynomials),
        cmocka_unit_test(bad_input__is_refused_with_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
