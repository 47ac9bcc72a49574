/* The study of orderings: predictions against elimination on a dense table and sums by hand, small matrices worked out by hand, and the
 * forms of all orderings on scenes. */
#include "study/ordering.h"
#include "support/patterns.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- predictions */

/* Entries and operations of Gauss elimination with the given pivots, on a table of flags. */
static void dense_elimination(const bl_pattern *p, const bl_index *match, const bl_index *col, long *fill, double *flops) {
    enum { MOST = 32 };
    uint8_t a[MOST][MOST] = {{0}};
    bl_index n = p->ncol, position[MOST];
    for (bl_index k = 0; k < n; k++)
        position[col[k]] = k;
    for (bl_index j = 0; j < n; j++)
        for (bl_index e = p->ptr[j]; e < p->ptr[j + 1]; e++)
            a[position[match[p->idx[e]]]][position[j]] = 1;
    *fill = 0;
    *flops = 0;
    for (bl_index k = 0; k < n; k++) {
        bl_index right = 0;
        for (bl_index j = k + 1; j < n; j++)
            right += a[k][j];
        for (bl_index i = k + 1; i < n; i++)
            if (a[i][k]) {
                *flops += 1 + 2.0 * right;
                for (bl_index j = k + 1; j < n; j++)
                    a[i][j] |= a[k][j];
            }
    }
    for (bl_index i = 0; i < n; i++)
        for (bl_index j = 0; j < n; j++)
            *fill += a[i][j];
}

static void prediction__agrees_with_elimination_on_a_table(void **unused) {
    (void)unused;
    test_random random = {test_seed(3)};
    bl_context *ctx = test_context(NULL);
    for (int trial = 0; trial < 500; trial++) {
        bl_index n = 1 + test_random_below(&random, 30), match[32], col[32], rank, fill;
        double flops, expected_flops;
        long expected;
        bl_pattern p = test_pattern_random(ctx, &random, n, n, n + test_random_below(&random, 3 * n), true);
        test_shuffle(&random, n, col);
        assert_int_equal(bl_transversal(ctx, &p, match, &rank), BL_OK);
        assert_int_equal(rank, n);
        dense_elimination(&p, match, col, &expected, &expected_flops);
        assert_int_equal(bl_order_symbolic(ctx, &p, col, INT32_MAX, &fill, &flops), BL_OK);
        assert_int_equal(fill, expected);
        assert_true(flops == expected_flops);
        if (expected > n + 5) {
            assert_int_equal(bl_order_symbolic(ctx, &p, col, 4, &fill, &flops), BL_OK);
            assert_int_equal(fill, -1);
        }
        bl_pattern_free(ctx, &p);
    }
    test_context_end(ctx);
}

/* full first row, column and diagonal, order 5: head first fills everything, 10 divisions + 2 (16 + 9 + 4 + 1); head last fills nothing */
static void prediction__arrow_fills_all_or_nothing(void **unused) {
    (void)unused;
    static const bl_index row[] = {0, 1, 2, 3, 4, 0, 0, 0, 0, 1, 2, 3, 4}, col[] = {0, 0, 0, 0, 0, 1, 2, 3, 4, 1, 2, 3, 4};
    static const bl_index first[] = {0, 1, 2, 3, 4}, last[] = {1, 2, 3, 4, 0};
    bl_context *ctx = test_context(NULL);
    bl_pattern p;
    bl_index fill;
    double flops;
    assert_int_equal(bl_pattern_build(ctx, 5, 5, 13, row, col, &p, NULL), BL_OK);
    assert_int_equal(bl_order_symbolic(ctx, &p, first, 1000, &fill, &flops), BL_OK);
    assert_int_equal(fill, 25);
    assert_true(flops == 70);
    assert_int_equal(bl_order_symbolic(ctx, &p, last, 1000, &fill, &flops), BL_OK);
    assert_int_equal(fill, 13);
    assert_true(flops == 12);
    bl_pattern_free(ctx, &p);
    test_context_end(ctx);
}

/* x . . b   blocks of 1 and 2, a border of 1: inverses 2 + 16, the border through the blocks 2 + 8, its products with the three entries
 * x x x b   below the first block and in the band 6, Schur complement 2/3; entries of blocks 5, beside them 3, of the border 4
 * . x x .
 * c c . d */
static void prediction__of_blocks_by_hand(void **unused) {
    (void)unused;
    static const bl_index row[] = {0, 1, 3, 1, 2, 3, 1, 2, 0, 1, 3}, col[] = {0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 3};
    bl_index order[] = {0, 1, 2, 3}, block[] = {0, 1, 3};
    bl_ordering ordering = {.nrow = 4, .ncol = 4, .row = order, .col = order, .block = block, .nblock = 2, .border = 1, .band = 1};
    bl_context *ctx = test_context(NULL);
    bl_pattern p;
    bl_index fill;
    double flops;
    assert_int_equal(bl_pattern_build(ctx, 4, 4, 11, row, col, &p, NULL), BL_OK);
    assert_int_equal(bl_order_block_flops(ctx, &p, &ordering, &fill, &flops), BL_OK);
    assert_int_equal(fill, 5 + 3 + 4);
    assert_true(fabs(flops - (18 + 10 + 6 + 2.0 / 3)) < 1e-12);
    bl_pattern_free(ctx, &p);
    test_context_end(ctx);
}

/* ---- matrices from files */

typedef struct ordered {
    bl_context *ctx;
    bl_order_report report;
    char path[64];
} ordered;

static void write_file(const char *text, char path[64]) {
    snprintf(path, 64, "/tmp/biela_order_XXXXXX");
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

static void order_text(ordered *o, const char *text) {
    memset(o, 0, sizeof *o);
    o->ctx = test_context(NULL);
    write_file(text, o->path);
    if (bl_order_matrix(o->ctx, o->path, &(bl_order_options){.repetitions = 1}, &o->report) != BL_OK)
        fail_msg("%s", bl_context_error(o->ctx)->what);
    unlink(o->path);
}

static void end(ordered *o) {
    bl_order_report_destroy(o->ctx, &o->report);
    test_context_end(o->ctx);
}

static const bl_order_entry *entry_of(const bl_order_report *report, const char *name) {
    for (bl_index k = 0; k < report->nentry; k++)
        if (strcmp(report->entry[k].name, name) == 0)
            return &report->entry[k];
    fail_msg("no ordering '%s'", name);
    return NULL;
}

static bl_index blocks_of(const bl_order_entry *entry, bl_index size) {
    for (bl_index k = 0; k < entry->nsize; k++)
        if (entry->size[k] == size)
            return entry->count[k];
    return 0;
}

static void expect_measured(const bl_order_cost *cost) {
    assert_non_null(cost->solver);
    assert_true(cost->analyze >= 0 && cost->factor > 0 && cost->refactor > 0 && cost->solve > 0);
    assert_true(isfinite(cost->analyze + cost->factor + cost->refactor + cost->solve));
}

#define REAL "%%MatrixMarket matrix coordinate real general\n"

/* one row of its own and two that need each other */
static void study__finds_blocks_of_a_small_matrix(void **unused) {
    (void)unused;
    ordered o;
    order_text(&o, REAL "3 3 6\n1 1 2\n1 3 1\n2 2 1\n3 1 1\n3 2 1\n3 3 1\n");
    const bl_order_report *r = &o.report;
    assert_int_equal(r->rows, 3);
    assert_int_equal(r->columns, 3);
    assert_int_equal(r->nonzeros, 6);
    assert_int_equal(r->rank, 3);
    assert_int_equal(r->structural_rank, 3);
    const bl_order_entry *btf = entry_of(r, "btf");
    assert_int_equal(btf->status, BL_OK);
    assert_int_equal(btf->nblock, 2);
    assert_int_equal(blocks_of(btf, 1), 1);
    assert_int_equal(blocks_of(btf, 2), 1);
    assert_int_equal(btf->border + btf->band, 0);
    assert_string_equal(btf->cost.solver, "block");
    assert_string_equal(btf->klu.solver, "klu");
    expect_measured(&btf->cost);
    expect_measured(&btf->klu);
    const bl_order_entry *natural = entry_of(r, "natural");
    assert_int_equal(natural->bandwidth, 2);
    assert_null(natural->block);
    assert_string_equal(natural->cost.solver, "klu");
    end(&o);
}

/* the third column is empty; then: two equal rows */
static void study__reports_singular_matrices(void **unused) {
    (void)unused;
    ordered o;
    order_text(&o, REAL "3 3 4\n1 1 1\n2 2 1\n3 1 1\n3 2 1\n");
    assert_int_equal(o.report.rank, 2);
    assert_int_equal(o.report.structural_rank, 2);
    for (bl_index k = 0; k < o.report.nentry; k++)
        assert_null(o.report.entry[k].cost.solver);
    end(&o);
    order_text(&o, REAL "2 2 4\n1 1 1\n1 2 3\n2 1 1\n2 2 3\n");
    assert_int_equal(o.report.rank, 1);
    assert_int_equal(o.report.structural_rank, 2);
    for (bl_index k = 0; k < o.report.nentry; k++)
        assert_null(o.report.entry[k].cost.solver);
    end(&o);
}

/* rows 1 and 2 are the same: one of them stays out of what is factored; square orderings see the two others */
static void study__factors_the_independent_rows_of_a_tall_matrix(void **unused) {
    (void)unused;
    ordered o;
    order_text(&o, REAL "3 2 5\n1 1 1\n1 2 2\n2 1 1\n2 2 2\n3 2 5\n");
    assert_int_equal(o.report.rank, 2);
    const bl_order_entry *natural = entry_of(&o.report, "natural"), *amd = entry_of(&o.report, "amd");
    assert_int_equal(natural->nrow, 3);
    expect_measured(&natural->cost);
    assert_int_equal(natural->cost.fill, 3);
    assert_int_equal(amd->nrow, 2);
    assert_true(amd->row[0] + amd->row[1] == 2 || amd->row[0] + amd->row[1] == 3);
    assert_true(amd->row[0] == 2 || amd->row[1] == 2);
    end(&o);
}

static void study__takes_empty_wide_and_pattern_matrices(void **unused) {
    (void)unused;
    ordered o;
    order_text(&o, REAL "0 0 0\n");
    assert_int_equal(o.report.rank, 0);
    end(&o);
    order_text(&o, REAL "4 4 0\n");
    assert_int_equal(o.report.structural_rank, 0);
    end(&o);
    order_text(&o, REAL "2 4 3\n1 1 1\n2 4 1\n2 1 1\n");
    assert_int_equal(o.report.rank, 2);
    end(&o);
    order_text(&o, "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 5\n1 1\n2 2\n3 3\n2 1\n3 2\n");
    assert_int_equal(o.report.nonzeros, 7);
    assert_int_equal(o.report.rank, 3);
    expect_measured(&entry_of(&o.report, "amd")->cost);
    end(&o);
}

static void study__refuses_wrong_words(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_order_report report = {0};
    const char *wrong = "p55", *names[] = {"j1.angel"};
    char path[64];
    write_file(REAL "1 1 1\n1 1 1\n", path);
    assert_int_equal(bl_order_matrix(ctx, path, &(bl_order_options){.ordering = &wrong, .nordering = 1}, &report), BL_E_ARG);
    assert_non_null(strstr(bl_context_error(ctx)->advice, "p5"));
    assert_int_equal(bl_order_matrix(ctx, path, &(bl_order_options){.coordinates = "mixed"}, &report), BL_E_ARG);
    unlink(path);
    bl_model *model;
    assert_int_equal(bl_model_read(ctx, SCENES "/bricard.yaml", NULL, 0, &model), BL_OK);
    bl_order_options options = {.coordinates = "mixed", .independent = names, .nindependent = 1};
    assert_int_equal(bl_order_study(ctx, model, &options, &report), BL_E_ARG);
    assert_non_null(strstr(bl_context_error(ctx)->advice, "'j1.angle'"));
    names[0] = "j1.angle";
    options.coordinates = "natural";
    assert_int_equal(bl_order_study(ctx, model, &options, &report), BL_E_ARG);
    assert_non_null(strstr(bl_context_error(ctx)->advice, "mixed"));
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* ---- models */

/* every entry is a pair of permutations, of the form it claims */
static void study__forms_of_all_orderings_hold_on_scenes(void **unused) {
    (void)unused;
    static const char *const scenes[] = {"four_bar", "bricard", "bricard_cut", "tether", "vehicle", "andrews", "n_four_bar", "heavy_top"};
    for (size_t s = 0; s < sizeof scenes / sizeof scenes[0]; s++) {
        bl_context *ctx = test_context(NULL);
        char path[512];
        snprintf(path, sizeof path, "%s/%s.yaml", SCENES, scenes[s]);
        bl_model *model;
        bl_order_report report = {0};
        assert_int_equal(bl_model_read(ctx, path, NULL, 0, &model), BL_OK);
        assert_int_equal(bl_order_study(ctx, model, &(bl_order_options){.repetitions = 1}, &report), BL_OK);
        assert_int_equal(report.dependent_columns, report.rank);
        assert_int_equal(report.structural_rank, report.rank);
        bl_pattern p = {report.rows, report.dependent_columns, report.ptr, report.idx};
        for (bl_index k = 0; k < report.nentry; k++) {
            const bl_order_entry *e = &report.entry[k];
            if (e->status == BL_E_ABILITY && strcmp(e->name, "nd") == 0)
                continue; /* built without METIS */
            if (e->status != BL_OK)
                fail_msg("%s, %s: %s", scenes[s], e->name, e->note);
            expect_measured(&e->cost);
            assert_true(e->cost.flops >= 0);
            assert_true(e->klu.fill >= e->ncol);
            test_permutation(e->ncol, e->col);
            if (e->nrow == report.rows)
                test_permutation(e->nrow, e->row);
            if (e->block && e->nrow == report.rows) /* those that order the independent rows only have their own test */
                test_block_form(&p, &(bl_ordering){.nrow = e->nrow,
                                                   .ncol = e->ncol,
                                                   .row = (bl_index *)e->row,
                                                   .col = (bl_index *)e->col,
                                                   .block = (bl_index *)e->block,
                                                   .nblock = e->nblock,
                                                   .border = e->border,
                                                   .band = e->band});
        }
        bl_order_report_destroy(ctx, &report);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

/* ---- memory */

static bl_status whole_study(bl_context *ctx, void *user) {
    bl_model *model = NULL;
    bl_order_report report = {0};
    (void)user;
    bl_status status = bl_model_read(ctx, SCENES "/bricard.yaml", NULL, 0, &model);
    const char *orderings[] = {"natural", "amd", "mechanism"}, *independent[] = {"j2.angle"};
    bl_order_options options = {.ordering = orderings, .nordering = 3, .independent = independent, .nindependent = 1, .repetitions = 1};
    if (status == BL_OK)
        status = bl_order_study(ctx, model, &options, &report);
    bl_order_report_destroy(ctx, &report);
    bl_model_destroy(model);
    return status;
}

static bl_status whole_matrix(bl_context *ctx, void *user) {
    bl_order_report report = {0};
    bl_status status = bl_order_matrix(ctx, user, &(bl_order_options){.repetitions = 1}, &report);
    if (status == BL_OK)
        status = bl_order_figure(ctx, &report, report.nentry - 1, "/dev/null");
    bl_order_report_destroy(ctx, &report);
    return status;
}

static void study__gives_memory_back_when_an_allocation_fails(void **unused) {
    (void)unused;
    char path[64];
    write_file(REAL "5 4 9\n1 1 2\n1 3 1\n2 2 1\n3 1 1\n3 2 1\n3 3 1\n4 4 3\n5 4 2\n5 1 1\n", path);
    test_failing_allocations(whole_matrix, path);
    unlink(path);
    test_failing_allocations(whole_study, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prediction__agrees_with_elimination_on_a_table),
        cmocka_unit_test(prediction__arrow_fills_all_or_nothing),
        cmocka_unit_test(prediction__of_blocks_by_hand),
        cmocka_unit_test(study__finds_blocks_of_a_small_matrix),
        cmocka_unit_test(study__reports_singular_matrices),
        cmocka_unit_test(study__factors_the_independent_rows_of_a_tall_matrix),
        cmocka_unit_test(study__takes_empty_wide_and_pattern_matrices),
        cmocka_unit_test(study__refuses_wrong_words),
        cmocka_unit_test(study__forms_of_all_orderings_hold_on_scenes),
        cmocka_unit_test(study__gives_memory_back_when_an_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
