/* Matrix Market files: every variant against a matrix written by hand, every mistake with its line, every prefix of a file. */
#include "sparse/sparse.h"
#include "support/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* a file that lives for one call */
static bl_status read_text(bl_context *ctx, const char *text, size_t bytes, bl_matrix *out) {
    char path[] = "/tmp/biela_mtx_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, bytes), (ssize_t)bytes);
    close(fd);
    bl_status status = bl_matrix_market_read(ctx, path, out);
    unlink(path);
    return status;
}

static double entry(const bl_matrix *m, bl_index row, bl_index col) {
    bl_index at = bl_pattern_find(&m->pattern, row, col);
    return at < 0 ? 0 : m->value ? m->value[at] : 1;
}

typedef struct example {
    const char *text;
    bl_index nrow, ncol, nnz;
    double dense[4][4];
} example;

static const example examples[] = {
    {"%%MatrixMarket matrix coordinate real general\n% a comment\n\n2 3 4\n1 1 1.5\n2 1 -2e0\n% another\n1 3 4.\n\n2 2 .5\n",
     2,
     3,
     4,
     {{1.5, 0, 4}, {-2, 0.5, 0}}},
    {"%%matrixmarket MATRIX Coordinate REAL Symmetric\r\n3 3 4\r\n1 1 2\r\n2 1 -1\r\n3 1 7\r\n3 3 5",
     3,
     3,
     6,
     {{2, -1, 7}, {-1, 0, 0}, {7, 0, 5}}},
    {"%%MatrixMarket matrix coordinate pattern general\n2 2 3\n1 2\n2 1\n2 2\n", 2, 2, 3, {{0, 1}, {1, 1}}},
    {"%%MatrixMarket matrix coordinate integer general\n2 2 3\n1 1 3\n1 1 4\n2 2 -1\n", 2, 2, 2, {{7, 0}, {0, -1}}},
    {"%%MatrixMarket matrix coordinate real general\n4 2 0\n", 4, 2, 0, {{0}}},
    {"%%MatrixMarket matrix coordinate real general\n0 0 0\n", 0, 0, 0, {{0}}},
};

static void matrix_market__reads_every_variant(void **unused) {
    (void)unused;
    for (size_t k = 0; k < sizeof examples / sizeof examples[0]; k++) {
        const example *e = &examples[k];
        bl_context *ctx = test_context(NULL);
        bl_matrix m;
        assert_int_equal(read_text(ctx, e->text, strlen(e->text), &m), BL_OK);
        assert_int_equal(m.pattern.nrow, e->nrow);
        assert_int_equal(m.pattern.ncol, e->ncol);
        assert_int_equal(m.pattern.ptr[e->ncol], e->nnz);
        for (bl_index i = 0; i < e->nrow; i++)
            for (bl_index j = 0; j < e->ncol; j++)
                assert_true(entry(&m, i, j) == e->dense[i][j]);
        bl_matrix_free(ctx, &m);
        test_context_end(ctx);
    }
}

static void matrix_market__reports_the_line_of_a_mistake(void **unused) {
    (void)unused;
    static const struct {
        const char *text;
        int line;
        const char *says;
    } wrong[] = {
        {"", 1, "empty"},
        {"1 1 1\n", 1, "not a Matrix Market file"},
        {"%%MatrixMarket matrix coordinate real\n", 1, "not a Matrix Market file"},
        {"%%MatrixMarket vector coordinate real general\n", 1, "'vector' is not a readable object"},
        {"%%MatrixMarket matrix array real general\n", 1, "'array' is not a readable format"},
        {"%%MatrixMarket matrix coordinate complex general\n", 1, "'complex' is not a readable field"},
        {"%%MatrixMarket matrix coordinate real hermitian\n", 1, "'hermitian' is not a readable symmetry"},
        {"%%MatrixMarket matrix coordinate real general\n% only this\n", 2, "missing"},
        {"%%MatrixMarket matrix coordinate real general\n2 2\n", 2, "three numbers"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 x\n", 2, "not an integer"},
        {"%%MatrixMarket matrix coordinate real general\n2 2.5 1\n", 2, "not an integer"},
        {"%%MatrixMarket matrix coordinate real general\n-2 2 1\n", 2, "negative"},
        {"%%MatrixMarket matrix coordinate real general\n2000000000 2 1\n", 2, "the number is too large"},
        {"%%MatrixMarket matrix coordinate real general\n2 99999999999999999999 1\n", 2, "out of range"},
        {"%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n", 2, "square"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n\n1 1\n", 4, "three numbers: row, column, value"},
        {"%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 1 1\n", 3, "two numbers"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 one\n", 3, "not a number"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 nan\n", 3, "not finite"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1e999\n", 3, "not finite"},
        {"%%MatrixMarket matrix coordinate real general\n1 1 2\n1 1 1e308\n1 1 1e308\n", 4, "not finite"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n0 1 1\n", 3, "outside the matrix of 2 x 2"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 3 1\n", 3, "outside the matrix of 2 x 2"},
        {"%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n", 3, "above the diagonal"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n", 3, "ends after 1 of 2"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1\n2 2 1\n", 4, "after the last"},
        {"%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1 1 1 1\n", 3, "too many"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        bl_context *ctx = test_context(NULL);
        bl_matrix m;
        assert_int_equal(read_text(ctx, wrong[k].text, strlen(wrong[k].text), &m), BL_E_MODEL);
        const bl_error *error = bl_context_error(ctx);
        if (error->line != wrong[k].line || !strstr(error->what, wrong[k].says))
            fail_msg("case %zu: line %d, '%s'; expected line %d, '%s'", k, error->line, error->what, wrong[k].line, wrong[k].says);
        test_context_end(ctx);
    }
}

static void matrix_market__refuses_what_is_no_file(void **unused) {
    (void)unused;
    static const char *const paths[] = {"/tmp", "/nowhere/matrix.mtx"};
    for (size_t k = 0; k < 2; k++) {
        bl_context *ctx = test_context(NULL);
        bl_matrix m;
        assert_int_equal(bl_matrix_market_read(ctx, paths[k], &m), BL_E_FILE);
        test_context_end(ctx);
    }
}

/* a file cut anywhere, or with one byte changed, is read or refused, never more */
static void matrix_market__survives_damage(void **unused) {
    (void)unused;
    test_random random = {test_seed(7)};
    for (size_t k = 0; k < 4; k++)
        for (int trial = 0; trial < 300; trial++) {
            char text[256];
            size_t bytes = strlen(examples[k].text);
            memcpy(text, examples[k].text, bytes);
            if (trial % 2)
                bytes = (size_t)test_random_below(&random, (int)bytes);
            else
                text[test_random_below(&random, (int)bytes)] = (char)test_random_below(&random, 256);
            bl_context *ctx = test_context(NULL);
            bl_matrix m;
            bl_status status = read_text(ctx, text, bytes, &m);
            assert_true(status == BL_OK || status == BL_E_MODEL || status == BL_E_MEMORY);
            if (status == BL_OK)
                bl_matrix_free(ctx, &m);
            test_context_end(ctx);
        }
}

static bl_status read_and_free(bl_context *ctx, void *user) {
    const example *e = user;
    bl_matrix m;
    bl_status status = read_text(ctx, e->text, strlen(e->text), &m);
    if (status == BL_OK)
        bl_matrix_free(ctx, &m);
    return status;
}

static void matrix_market__gives_memory_back_when_an_allocation_fails(void **unused) {
    (void)unused;
    for (size_t k = 0; k < sizeof examples / sizeof examples[0]; k++)
        test_failing_allocations(read_and_free, (void *)&examples[k]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrix_market__reads_every_variant),
        cmocka_unit_test(matrix_market__reports_the_line_of_a_mistake),
        cmocka_unit_test(matrix_market__refuses_what_is_no_file),
        cmocka_unit_test(matrix_market__survives_damage),
        cmocka_unit_test(matrix_market__gives_memory_back_when_an_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
