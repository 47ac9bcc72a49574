/* The study of orderings on complete scenes and on the vehicle's matrix from a file: sizes and forms of these models in the literature on
 * mixed coordinates (blocks of 3 for open chains; borders of Bricard's mechanism by choice of the independent angle; block triangular form
 * and borders of the vehicle). */
#include "support/patterns.h"

#include "biela/biela.h"

#include <stdio.h>
#include <string.h>

typedef struct form {
    const char *ordering;
    bl_index border, band, nsize, size[8], count[8];
} form;

typedef struct known {
    const char *scene, *independent; /* NULL: the scene's own */
    bl_index rows, columns, nonzeros, dependent, rank;
    form forms[4];
} known;

static void expect_form(const bl_order_report *report, const form *f) {
    for (bl_index k = 0; k < report->nentry; k++) {
        const bl_order_entry *e = &report->entry[k];
        if (strcmp(e->name, f->ordering) != 0)
            continue;
        assert_int_equal(e->status, BL_OK);
        assert_int_equal(e->border, f->border);
        assert_int_equal(e->band, f->band);
        for (bl_index i = 0; i < f->nsize; i++) {
            assert_int_equal(e->size[i], f->size[i]);
            assert_int_equal(e->count[i], f->count[i]);
        }
        if (f->nsize > 0)
            assert_int_equal(e->nsize, f->nsize);
        return;
    }
    fail_msg("no ordering '%s'", f->ordering);
}

static void scene_has_its_forms(void **state) {
    const known *k = *state;
    char path[512];
    snprintf(path, sizeof path, "%s/%s.yaml", SCENES, k->scene);
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    bl_order_report report = {0};
    assert_int_equal(bl_model_read(ctx, path, NULL, 0, &model), BL_OK);
    bl_order_options options = {
        .coordinates = "mixed", .independent = &k->independent, .nindependent = k->independent != NULL, .repetitions = -1};
    assert_int_equal(bl_order_study(ctx, model, &options, &report), BL_OK);
    assert_int_equal(report.rows, k->rows);
    assert_int_equal(report.columns, k->columns);
    assert_int_equal(report.nonzeros, k->nonzeros);
    assert_int_equal(report.dependent_nonzeros, k->dependent);
    assert_int_equal(report.rank, k->rank);
    if (k->independent)
        assert_string_equal(report.independent[0], k->independent);
    for (int f = 0; f < 4 && k->forms[f].ordering; f++)
        expect_form(&report, &k->forms[f]);
    bl_order_report_destroy(ctx, &report);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* the file contains the pattern that follows from its rules; its orderings have the known forms */
static void vehicle__matrix_has_its_forms(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_pattern p = test_vehicle_pattern(ctx, VEHICLE_FULL, true);
    bl_order_report report = {0};
    assert_int_equal(bl_order_matrix(ctx, SCENES "/vehicle_jacobian.mtx", &(bl_order_options){.repetitions = -1}, &report), BL_OK);
    assert_int_equal(report.rows, 192);
    assert_int_equal(report.columns, 192);
    assert_int_equal(report.nonzeros, 798);
    assert_int_equal(report.rank, 192);
    assert_memory_equal(report.ptr, p.ptr, 193 * sizeof *p.ptr);
    assert_memory_equal(report.idx, p.idx, 798 * sizeof *p.idx);
    expect_form(&report, &(form){"btf", 0, 0, 5, {1, 2, 3, 18, 24}, {91, 1, 5, 2, 2}});
    expect_form(&report, &(form){"p5", 23, 23, 0, {0}, {0}});
    expect_form(&report, &(form){"mechanism", 16, 16, 3, {1, 2, 3}, {139, 5, 9}});
    bl_order_report_destroy(ctx, &report);
    bl_pattern_free(ctx, &p);
    test_context_end(ctx);
}

#define SCENE(k) \
    { #k "__has_its_forms", scene_has_its_forms, NULL, NULL, &k }

int main(void) {
    static known pendulum = {"five_bar_pendulum",
                             NULL,
                             30,
                             35,
                             203,
                             198,
                             30,
                             {{"btf", 0, 0, 1, {3}, {10}}, {"p5", 0, 0, 1, {3}, {10}}, {"mechanism", 0, 0, 1, {3}, {10}}}};
    static known tether = {
        "tether", NULL, 84, 112,
        661,      615,  84, {{"btf", 0, 0, 1, {3}, {28}}, {"p5", 0, 0, 1, {3}, {28}}, {"mechanism", 0, 0, 1, {3}, {28}}}};
    static known bricard_cut_1 = {
        "bricard_cut", "j1.angle", 36, 35, 209, 208, 34, {{"p5", 2, 4, 0, {0}, {0}}, {"mechanism", 2, 4, 3, {1, 2, 3}, {10, 2, 6}}}};
    static known bricard_cut_4 = {"bricard_cut", "j4.angle", 36, 35,
                                  209,           208,        34, {{"p5", 3, 5, 0, {0}, {0}}, {"mechanism", 3, 5, 0, {0}, {0}}}};
    static known bricard_3 = {"bricard", "j3.angle", 30, 29, 182, 181, 28, {{"p5", 2, 4, 0, {0}, {0}}, {"mechanism", 2, 4, 0, {0}, {0}}}};
    static known bricard_5 = {"bricard", "j5.angle", 30, 29, 182, 181, 28, {{"p5", 3, 5, 0, {0}, {0}}, {"mechanism", 3, 5, 0, {0}, {0}}}};
    const struct CMUnitTest tests[] = {
        SCENE(pendulum),
        SCENE(tether),
        SCENE(bricard_cut_1),
        SCENE(bricard_cut_4),
        SCENE(bricard_3),
        SCENE(bricard_5),
        cmocka_unit_test(vehicle__matrix_has_its_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
