/* One elastic slider-crank and one elastic four-bar linkage, each described in several ways: by beams, meshes and floating frames. */
#include "biela/biela.h"
#include "biela/compare.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 4 };

typedef struct comparison {
    bl_context *ctx;
    bl_model *model[MOST];
    bl_index n;
    bl_compare_models_report report;
    bl_status status;
} comparison;

static void add_scene(comparison *c, const char *name) {
    char file[512];
    snprintf(file, sizeof file, "%s/%s.yaml", SCENES, name);
    if (bl_model_read(c->ctx, file, NULL, 0, &c->model[c->n++]) != BL_OK)
        fail_msg("%s: %s", name, bl_context_error(c->ctx)->what);
}

static void compare(comparison *c, const bl_compare_models_options *options) {
    c->report.size = sizeof c->report;
    c->status = bl_compare_models(c->ctx, (const bl_model *const *)c->model, c->n, options, &c->report);
}

static void end(comparison *c) {
    bl_compare_models_report_destroy(c->ctx, &c->report);
    for (bl_index k = 0; k < c->n; k++)
        bl_model_destroy(c->model[k]);
    test_context_end(c->ctx);
}

/* part NULL: any */
static const bl_compared *find(const comparison *c, bl_index model, bl_compared_kind kind, const char *name, const char *part) {
    const bl_compare_models_entry *e = &c->report.entry[model];
    for (bl_index i = 0; i < e->ncompared; i++)
        if (e->compared[i].kind == kind && strcmp(e->compared[i].name, name) == 0 && (!part || strcmp(e->compared[i].part, part) == 0))
            return &e->compared[i];
    fail_msg("%s is not compared", name);
    return NULL;
}

static void expect(const char *what, double value, double exact, double tolerance) {
    if (!(fabs(value - exact) <= tolerance))
        fail_msg("%s: %.12g instead of %.12g", what, value, exact);
}

/* the slider within 1e-5 m, the deflection of the rod within 1 % of its largest value */
static void elastic_slider_cranks__agree(void **state) {
    (void)state;
    comparison c = {.ctx = test_context(NULL)};
    add_scene(&c, "elastic_slider_crank");
    add_scene(&c, "slider_crank_directors");
    add_scene(&c, "slider_crank_meshed");
    add_scene(&c, "floating_crank");
    compare(&c, NULL);
    assert_int_equal(c.status, BL_OK);
    assert_int_equal(c.report.agreed, 3);
    for (bl_index k = 1; k < c.n; k++) {
        const bl_compared *bend = find(&c, k, BL_COMPARED_SIGNAL, "deflection", NULL);
        expect("slider", find(&c, k, BL_COMPARED_LENGTH, "guide.distance", NULL)->difference, 0, 1e-5);
        expect("deflection", bend->relative, 0, 0.01);
        assert_true(bend->scale >= 1.7906e-3 - 5e-6); /* the reference after a quarter of a turn */
        print_message("%s: deflection differs by %.3g %%\n", c.report.entry[k].model_name, 100 * bend->relative);
    }
    end(&c);
}

/* Rods of square section, one hinge tilted by 5 degrees, driven at constant speed: the crank's end leaves the plane, and hinges get
 * moments, only because rods bend and twist. Rigid ends of meshes resist warping and lateral contraction, which makes their short rods 1
 * to 3 % stiffer. */
static void elastic_four_bars__agree(void **state) {
    (void)state;
    comparison c = {.ctx = test_context(NULL)};
    add_scene(&c, "elastic_four_bar");
    add_scene(&c, "elastic_four_bar_meshed");
    add_scene(&c, "elastic_four_bar_floating");
    compare(&c, &(bl_compare_models_options){.run = &(bl_run_options){.until = 0.6}});
    assert_int_equal(c.status, BL_OK);
    assert_int_equal(c.report.agreed, 2);
    for (bl_index k = 0; k < c.n; k++) /* of the work of the driver, 0.31 J */
        expect("energy balance", c.report.entry[k].energy_error, 0, 1e-3 * 0.31);
    for (bl_index k = 1; k < c.n; k++) {
        const bl_compared *lift = find(&c, k, BL_COMPARED_SIGNAL, "lift", NULL), *moment = find(&c, k, BL_COMPARED_MOMENT, "C", NULL);
        expect("lift", lift->relative, 0, 0.01);
        expect("moment of the tilted hinge", moment->relative, 0, 0.03);
        print_message("%s: lift of %.3g m differs by %.3g %%, moment of %.3g N m by %.3g %%\n", c.report.entry[k].model_name, lift->scale,
                      100 * lift->relative, moment->scale, 100 * moment->relative);
    }
    end(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elastic_slider_cranks__agree),
        cmocka_unit_test(elastic_four_bars__agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
