/* Spy figures read back by an XML parser: every entry once, every block outlined, names escaped; files appear only when they are
 * complete. */
#include "biela/biela.h"
#include "support/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char figure[64];

static void expect_svg(bl_index nrow, bl_index ncol, bl_index entries, bl_index blocks) {
    char command[1024];
    snprintf(command, sizeof command, "python3 '%s/unit/output/check_svg.py' '%s' %d %d %d %d", TESTS, figure, (int)nrow, (int)ncol,
             (int)entries, (int)blocks);
    assert_int_equal(system(command), 0);
}

static void spy__shows_every_entry_and_block_of_a_scene(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    bl_order_report report = {0};
    assert_int_equal(bl_model_read(ctx, SCENES "/bricard_cut.yaml", NULL, 0, &model), BL_OK);
    assert_int_equal(bl_order_study(ctx, model, &(bl_order_options){.coordinates = "mixed", .repetitions = -1}, &report), BL_OK);
    for (bl_index k = 0; k < report.nentry; k++) {
        const bl_order_entry *e = &report.entry[k];
        bl_index entries = 0;
        if (e->status == BL_E_ABILITY) { /* nd, built without METIS: there is nothing to draw */
            assert_int_equal(bl_order_figure(ctx, &report, k, figure), BL_E_ARG);
            continue;
        }
        assert_int_equal(bl_order_figure(ctx, &report, k, figure), BL_OK);
        if (e->nrow == report.rows)
            entries = report.dependent_nonzeros;
        for (bl_index i = 0; e->nrow < report.rows && i < report.dependent_nonzeros; i++)
            for (bl_index r = 0; r < e->nrow; r++)
                entries += report.idx[i] == e->row[r];
        expect_svg(e->nrow, e->ncol, entries, e->nblock);
    }
    unlink(figure);
    assert_int_equal(bl_order_figure(ctx, &report, report.nentry, figure), BL_E_ARG);
    assert_int_equal(bl_order_figure(ctx, &report, 0, "/nowhere/figure.svg"), BL_E_FILE);
    assert_int_not_equal(access(figure, F_OK), 0);
    bl_order_report_destroy(ctx, &report);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* 3000 rows are drawn in cells of 3: one square per cell, and a name that has to be escaped */
static void spy__draws_large_matrices_in_cells(void **unused) {
    (void)unused;
    enum { N = 3000 };
    bl_index ptr[N + 1], idx[N], order[N];
    for (bl_index k = 0; k < N; k++) {
        ptr[k] = idx[k] = order[k] = k;
    }
    ptr[N] = N;
    bl_order_entry entry = {.name = "a<b & \"c\"", .nrow = N, .ncol = N, .row = order, .col = order, .bandwidth = -1};
    bl_order_report report = {.rows = N,
                              .columns = N,
                              .nonzeros = N,
                              .dependent_columns = N,
                              .dependent_nonzeros = N,
                              .ptr = ptr,
                              .idx = idx,
                              .nentry = 1,
                              .entry = &entry};
    bl_context *ctx = test_context(NULL);
    assert_int_equal(bl_order_figure(ctx, &report, 0, figure), BL_OK);
    expect_svg(N / 3, N / 3, N / 3, 0);
    unlink(figure);
    entry.status = BL_SINGULAR;
    assert_int_equal(bl_order_figure(ctx, &report, 0, figure), BL_E_ARG);
    test_context_end(ctx);
}

int main(void) {
    snprintf(figure, sizeof figure, "/tmp/biela_spy_%ld.svg", (long)getpid());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spy__shows_every_entry_and_block_of_a_scene),
        cmocka_unit_test(spy__draws_large_matrices_in_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
