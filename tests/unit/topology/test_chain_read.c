/* Links and pairs from text: all notations of one mechanism give the same chain; every error is reported with its line and column. */
#include "biela/structure.h"
#include "support/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* epicyclic train, cam and open link: pairs in the order of the upper triangle of the matrix */
static const int figure[][3] = {{1, 2, 4}, {1, 3, 1}, {1, 4, 1}, {2, 3, 1}, {3, 4, 2}, {4, 5, 3}};
enum { NPAIR = sizeof figure / sizeof figure[0] };

static const struct {
    const char *text, *format;
} same[] = {
    {"0 4 1 1 0\n4 0 1 0 0\n1 1 0 2 0\n1 0 2 0 3\n0 0 0 3 0\n", NULL},
    {"0 4 1 1 0\n4 0 1 0 0\n1 1 0 2 0\n1 0 2 0 3\n0 0 0 3 0", "matrix"},
    {"# a matrix\r\n\r\n  0,4,1,1,0 # the frame\r\n4,0,1,0,0\r\n1,1,0,2,0\r\n1,0,2,0,3\r\n0,0,0,3,0\r\n\r\n", NULL},
    {"\xef\xbb\xbf"
     "0;4;1;1;0\n4;0;1;0;0\n1;1;0;2;0\n1;0;2;0;3\n0;0;0;3;0\n",
     "matrix"},
    {"0.0e+00\t4.0\t1\t1\t0\n4 0 1 0 0\n1 , 1 , 0 , 2 , 0\n+1 0 2 0 3\n0 0 0 3 -0\n", NULL},
    {"[[0,4,1,1,0],[4,0,1,0,0],[1,1,0,2,0],[1,0,2,0,3],[0,0,0,3,0]]", NULL},
    {"[\n [0, 4, 1, 1, 0], # the frame\n [4, 0, 1, 0, 0],\n [1, 1, 0, 2, 0],\n [1, 0, 2, 0, 3],\n [0, 0, 0, 3, 0]\n]\n", "matrix"},
    {"{\"matrix\": [[0,4,1,1,0],[4,0,1,0,0],[1,1,0,2,0],[1,0,2,0,3],[0,0,0,3,0]], \"links\": 5}", NULL},
    {"1 2 4\n1 3 1\n1 4 1\n2 3 1\n3 4 2\n4 5 3\n", NULL},
    {"# pairs\n\n1 2 4 # driven\n1, 3, 1\n1;4;1\r\n2\t3\t1\n 3 4 2\n4 5 3", "pairs"},
    {"{\"links\": 5, \"pairs\": [[1,2,4],[1,3,1],[1,4,1],[2,3,1],[3,4,2],[4,5,3]]}", NULL},
    {"{\"pairs\":[[1,2,4],[1,3,1],[1,4,1],[2,3,1],[3,4,2],[4,5,3]]}", "pairs"},
    {"[[1,2,4],[1,3,1],[1,4,1],[2,3,1],[3,4,2],[4,5,3]]", NULL},
};

static void assert_figure(const bl_chain *chain) {
    assert_int_equal(chain->dim, 2);
    assert_int_equal(chain->nlink, 5);
    assert_int_equal(chain->npair, NPAIR);
    assert_null(chain->link);
    for (int p = 0; p < NPAIR; p++) {
        const bl_chain_pair *pair = &chain->pair[p];
        assert_int_equal(pair->link[0], figure[p][0] - 1);
        assert_int_equal(pair->link[1], figure[p][1] - 1);
        assert_int_equal(bl_pair_code(2, pair), figure[p][2]);
        assert_int_equal(pair->letter, pair->dof == 1 ? 'L' : 'X');
        assert_int_equal(pair->via[0], -1);
    }
}

static void chain_read__takes_every_way_to_write_a_mechanism(void **unused) {
    (void)unused;
    for (size_t k = 0; k < sizeof same / sizeof same[0]; k++) {
        bl_context *ctx = test_context(NULL);
        bl_chain chain = {0};
        assert_int_equal(bl_chain_read_text(ctx, "text", same[k].text, strlen(same[k].text), same[k].format, &chain), BL_OK);
        assert_figure(&chain);
        assert_string_equal(chain.file, "text");
        bl_chain_destroy(ctx, &chain);
        test_context_end(ctx);
    }
}

/* the table of codes: 1 and 3 lower, the others higher; 3 and 4 have one input, 5 has two */
static void chain_read__codes_mean_degrees_of_freedom_and_inputs(void **unused) {
    (void)unused;
    static const int ndof[] = {1, 2, 1, 2, 2}, inputs[] = {0, 0, 1, 1, 2};
    const char *text = "1 2 1\n1 3 2\n1 4 3\n1 5 4\n1 6 5\n";
    bl_context *ctx = test_context(NULL);
    bl_chain chain = {0};
    assert_int_equal(bl_chain_read_text(ctx, NULL, text, strlen(text), NULL, &chain), BL_OK);
    for (int k = 0; k < 5; k++) {
        assert_int_equal(chain.pair[k].dof, ndof[k]);
        assert_int_equal(chain.pair[k].inputs, inputs[k]);
        assert_int_equal(bl_pair_code(2, &chain.pair[k]), k + 1);
    }
    bl_chain_destroy(ctx, &chain);
    test_context_end(ctx);
}

/* three rows of three numbers: a matrix, unless the caller specifies pairs */
static void chain_read__three_by_three_is_a_matrix(void **unused) {
    (void)unused;
    const char *matrix = "0 3 1\n3 0 2\n1 2 0\n", *pairs = "1 2 3\n2 3 2\n1 3 1\n";
    bl_context *ctx = test_context(NULL);
    bl_chain chain = {0};
    assert_int_equal(bl_chain_read_text(ctx, "m", matrix, strlen(matrix), NULL, &chain), BL_OK);
    assert_int_equal(chain.nlink, 3);
    assert_int_equal(chain.npair, 3);
    bl_chain_destroy(ctx, &chain);
    assert_int_equal(bl_chain_read_text(ctx, "p", pairs, strlen(pairs), "pairs", &chain), BL_OK);
    assert_int_equal(bl_pair_code(2, &chain.pair[1]), 2);
    bl_chain_destroy(ctx, &chain);
    assert_int_equal(bl_chain_read_text(ctx, "p", pairs, strlen(pairs), NULL, &chain), BL_E_MODEL);
    assert_non_null(strstr(bl_context_error(ctx)->advice, "specify the format if they are pairs"));
    test_context_end(ctx);
}

static const struct {
    const char *text, *format;
    int line, column;
    const char *says;
} mistakes[] = {
    {"", NULL, 1, 1, "empty"},
    {"\n  \r\n# nothing\n", NULL, 1, 1, "empty"},
    {"[]", NULL, 1, 1, "empty"},
    {"{\"links\": 3, \"pairs\": []}", NULL, 1, 1, "empty"},
    /* not square */
    {"0 3 1 0\n3 0 1 0\n", NULL, 1, 1, "not square: 2 rows of 4"},
    {"0 3\n3 0\n0 0\n", "matrix", 1, 1, "not square: 3 rows of 2"},
    {"0 3 0 1\n3 0 1 0\n0 1 0\n1 0 1 0\n", NULL, 3, 1, "row 3 of the matrix has 3 numbers, but row 1 has 4"},
    {"[[0,3],[3,0,1]]", NULL, 1, 9, "row 2 of the matrix has 3 numbers, but row 1 has 2"},
    {"1 2 3\n2 3 1\n3 4 1\n4 1 1\n", "matrix", 1, 1, "not square"},
    /* not symmetric */
    {"0 3 0 1\n3 0 1 0\n0 1 0 1\n1 0 2 0\n", NULL, 4, 5, "not symmetric: row 4, column 3 has 2, but row 3, column 4 has 1"},
    {"0,0,0\n3,0,1\n0,1,0\n", NULL, 2, 1, "not symmetric"},
    /* codes */
    {"0 3 0\n3 0 6\n0 6 0\n", NULL, 2, 5, "6 is not a valid code of a pair"},
    {"0 -1\n-1 0\n", NULL, 1, 3, "-1 is not a valid code of a pair"},
    {"1 2 3\n2 3 1\n3 4 0\n4 1 1\n", NULL, 3, 5, "0 is not a valid code of a pair"},
    {"1 2 3\n2 3 1\n3 4 7\n4 1 1\n", NULL, 3, 5, "7 is not a valid code of a pair"},
    /* diagonal */
    {"0 3 0 1\n3 1 1 0\n0 1 0 1\n1 0 1 0\n", NULL, 2, 3, "link 2 is paired with itself"},
    {"1 2 3\n2 2 1\n", "pairs", 2, 3, "link 2 is paired with itself"},
    /* numbers */
    {"0 3\n3 x\n", NULL, 2, 3, "'x' is not a number"},
    {"0 1.5\n1.5 0\n", NULL, 1, 3, "1.5 is not an integer"},
    {"0 nan\nnan 0\n", NULL, 1, 3, "not a number"},
    {"0 inf\n1 0\n", NULL, 1, 3, "not a number"},
    {"0 .inf\n1 0\n", NULL, 1, 3, "not a number"},
    {"0 1e300\n1 0\n", NULL, 1, 3, "out of range"},
    {"0 99999999999\n1 0\n", NULL, 1, 3, "out of range"},
    {"0,,3\n", NULL, 1, 3, "expected a number, found ','"},
    {"0,3,\n3,0\n", NULL, 1, 5, "found the end of the line"},
    {",0,3\n", NULL, 1, 1, "expected a number, found ','"},
    {"\xc3\xa9 0\n", NULL, 1, 1, "is not a number"},
    {"0 \xc3\xa9\n", NULL, 1, 3, "is not a number"},
    {"a,b\n0,3\n3,0\n", NULL, 1, 1, "'a' is not a number"},
    {"\"0\" 3\n3 0\n", NULL, 1, 1, "expected a number"},
    /* links without pairs */
    {"0 3 0\n3 0 0\n0 0 0\n", NULL, 3, 1, "link 3 is isolated"},
    {"0 0 0\n0 0 1\n0 1 0\n", NULL, 1, 1, "no link is paired with link 1"},
    {"0\n", NULL, 1, 1, "no link is paired with link 1"},
    {"1 2 3\n2 4 1\n", NULL, 2, 3, "link 3 of 4 is isolated"},
    {"{\"links\": 6, \"pairs\": [[1,2,3],[2,3,1]]}", NULL, 1, 11, "link 4 of 6 is isolated"},
    {"2 3 1\n3 4 1\n", NULL, 1, 1, "no link is paired with link 1"},
    {"1 1000000 3\n", NULL, 1, 3, "link 2 of 1000000 is isolated"},
    {"1 2000000 3\n", NULL, 1, 3, "2000000 links are too many (at most 1000000)"},
    {"{\"links\": 2000000000, \"pairs\": [[1,2,3]]}", NULL, 1, 11, "2000000000 links are too many"},
    /* numbers of links */
    {"1 2 3\n0 3 1\n", "pairs", 2, 1, "there is no link 0"},
    {"1 2 3\n-3 3 1\n", "pairs", 2, 1, "there is no link -3"},
    {"{\"links\": 3,\n \"pairs\": [[1,2,3],\n [2,4,1]]}", NULL, 3, 5, "there is no link 4: \"links\" is 3"},
    {"{\"links\": 3, \"matrix\": [[0,3],[3,0]]}", NULL, 1, 11, "\"links\" is 3, but the matrix has 2 rows"},
    /* duplicate pairs */
    {"1 2 3\n2 3 1\n3 4 1\n2 1 1\n", NULL, 4, 1, "links 1 and 2 are paired already in line 1"},
    {"1 2 3\n2 3 1\n3 2 1\n1 2 1\n", NULL, 3, 1, "links 2 and 3 are paired already in line 2"},
    /* shapes */
    {"1 2 3\n2 3 1\n3 4\n4 1 1\n", NULL, 3, 3, "a pair needs three numbers, i j code, found 2"},
    {"1 2 3\n2 3 1 9\n3 4 1\n4 1 1\n", "pairs", 2, 7, "a pair needs three numbers, i j code, found 4"},
    {"{\"pairs\": [[1,2,3]]}", "matrix", 1, 1, "the file contains \"pairs\", not \"matrix\""},
    /* JSON */
    {"{\"links\": 3}", NULL, 1, 1, "\"pairs\" is missing"},
    {"{}", NULL, 1, 1, "\"pairs\" is missing"},
    {"{\"link\": 3}", NULL, 1, 3, "unknown key 'link'"},
    {"{\"links\": 3, \"links\": 3}", NULL, 1, 15, "\"links\" is given twice"},
    {"{\"pairs\": [[1,2,3]], \"pairs\": [[1,2,3]]}", NULL, 1, 23, "\"matrix\" or \"pairs\" is given twice"},
    {"{\"links\": 0, \"pairs\": [[1,2,3]]}", NULL, 1, 11, "must be at least 1, for the frame"},
    {"{links: 3}", NULL, 1, 2, "expected a key in quotes, found 'links'"},
    {"{\"links\" 3}", NULL, 1, 10, "expected a colon, found '3'"},
    {"{\"links", NULL, 1, 8, "expected a closing quote, found the end of the file"},
    {"[[0,3],[3,0]", NULL, 1, 13, "expected a comma or ], found the end of the file"},
    {"[[0,3],[3,0]] 1", NULL, 1, 15, "unexpected text after the end"},
    {"[[0,3],[3,[0]]]", NULL, 1, 11, "expected a number, found '['"},
    {"[0,3]", NULL, 1, 2, "expected '[' (a row of numbers), found '0'"},
    {"[[0,3],[]]", NULL, 1, 9, "expected a number, found ']'"},
    {"[[0,true],[3,0]]", NULL, 1, 5, "'true' is not a number"},
    {"[[0 3],[3 0]]", NULL, 1, 5, "expected a comma or ], found '3'"},
    {"{\"links\": 3,}", NULL, 1, 13, "expected a key in quotes, found '}'"},
};

static void chain_read__tells_the_place_of_a_mistake(void **unused) {
    (void)unused;
    for (size_t k = 0; k < sizeof mistakes / sizeof mistakes[0]; k++) {
        bl_context *ctx = test_context(NULL);
        bl_chain chain = {0};
        bl_status status = bl_chain_read_text(ctx, "bad", mistakes[k].text, strlen(mistakes[k].text), mistakes[k].format, &chain);
        const bl_error *error = bl_context_error(ctx);
        if (status != BL_E_MODEL || error->line != mistakes[k].line || error->column != mistakes[k].column ||
            !strstr(error->what, mistakes[k].says))
            fail_msg("%zu: '%s': %s:%d:%d: %s", k, mistakes[k].text, error->file, error->line, error->column, error->what);
        assert_string_equal(error->file, "bad");
        assert_null(chain.own);
        test_context_end(ctx);
    }
}

/* text truncated or changed anywhere: a chain, or an error with a location; under the sanitizers nothing else */
static void chain_read__survives_every_prefix_and_byte(void **unused) {
    (void)unused;
    for (size_t k = 0; k < sizeof same / sizeof same[0]; k++)
        for (size_t n = 0; n <= strlen(same[k].text); n++)
            for (int change = -1; change < 8; change++) {
                char text[256];
                bl_context *ctx = test_context(NULL);
                bl_chain chain = {0};
                size_t bytes = strlen(same[k].text);
                memcpy(text, same[k].text, bytes);
                if (change < 0)
                    bytes = n;
                else if (n < bytes)
                    text[n] = "\0\xff[}\"#9-"[change];
                char *exact = malloc(bytes ? bytes : 1); /* not terminated */
                memcpy(exact, text, bytes);
                bl_status status = bl_chain_read_text(ctx, "cut", exact, bytes, same[k].format, &chain);
                if (status != BL_OK) {
                    assert_int_equal(status, BL_E_MODEL);
                    assert_true(bl_context_error(ctx)->line >= 1 && bl_context_error(ctx)->what[0]);
                }
                bl_chain_destroy(ctx, &chain);
                free(exact);
                test_context_end(ctx);
            }
}

static void chain_read__reads_files_and_refuses_what_is_none(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_chain chain = {0};
    char path[] = "/tmp/biela_chain_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, same[0].text, strlen(same[0].text)), (ssize_t)strlen(same[0].text));
    close(fd);
    assert_int_equal(bl_chain_read(ctx, path, NULL, &chain), BL_OK);
    assert_figure(&chain);
    assert_string_equal(chain.file, path);
    bl_chain_destroy(ctx, &chain);
    unlink(path);
    assert_int_equal(bl_chain_read(ctx, path, NULL, &chain), BL_E_FILE);
    assert_int_equal(bl_chain_read(ctx, "/tmp", NULL, &chain), BL_E_FILE);
    assert_int_equal(bl_chain_read_text(ctx, "x", "0 3\n3 0\n", 8, "table", &chain), BL_E_ARG);
    assert_int_equal(bl_chain_read_text(ctx, "x", "0 3\n3 0\n", (size_t)1 << 40, NULL, &chain), BL_E_MODEL);
    test_context_end(ctx);
}

typedef struct sample {
    const char *text, *format;
} sample;

static bl_status read_sample(bl_context *ctx, void *user) {
    const sample *one = user;
    bl_chain chain = {0};
    bl_status status = bl_chain_read_text(ctx, "text", one->text, strlen(one->text), one->format, &chain);
    bl_chain_destroy(ctx, &chain);
    return status;
}

static void chain_read__survives_every_failing_allocation(void **unused) {
    (void)unused;
    for (size_t k = 0; k < sizeof same / sizeof same[0]; k++) {
        sample one = {same[k].text, same[k].format};
        assert_true(test_failing_allocations(read_sample, &one) >= 4);
        test_failing_once(read_sample, &one);
    }
}

/* 10 000 links: dyads, each attached to the last one */
static void chain_read__long_lists_are_read_fast(void **unused) {
    (void)unused;
    enum { LINKS = 10000 };
    char *text = malloc(LINKS * 64);
    size_t used = (size_t)sprintf(text, "1 2 3\n");
    for (int i = 3; i + 1 <= LINKS; i += 2)
        used += (size_t)sprintf(text + used, "%d %d 1\n%d %d 1\n%d 1 1\n", i - 1, i, i, i + 1, i + 1);
    bl_context *ctx = test_context(NULL);
    bl_chain chain = {0};
    clock_t start = clock();
    assert_int_equal(bl_chain_read_text(ctx, "long", text, used, NULL, &chain), BL_OK);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    print_message("a list of %d pairs is read in %.1f ms\n", (int)chain.npair, 1e3 * seconds);
    assert_int_equal(chain.nlink, LINKS);
    assert_true(seconds < 1);
    bl_chain_destroy(ctx, &chain);
    free(text);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chain_read__takes_every_way_to_write_a_mechanism),
        cmocka_unit_test(chain_read__codes_mean_degrees_of_freedom_and_inputs),
        cmocka_unit_test(chain_read__three_by_three_is_a_matrix),
        cmocka_unit_test(chain_read__tells_the_place_of_a_mistake),
        cmocka_unit_test(chain_read__survives_every_prefix_and_byte),
        cmocka_unit_test(chain_read__reads_files_and_refuses_what_is_none),
        cmocka_unit_test(chain_read__survives_every_failing_allocation),
        cmocka_unit_test(chain_read__long_lists_are_read_fast),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
