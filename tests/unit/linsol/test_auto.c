/* The choice of auto: on patterns where the answer is known, the same every time, and by measured times only when requested. */
#include "linsol/linsol.h"
#include "support/matrices.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 160 };

static char message_seen[256];

static void keep_message(void *user, bl_log_level level, const char *message) {
    (void)user, (void)level;
    if (strncmp(message, "auto:", 5) == 0)
        snprintf(message_seen, sizeof message_seen, "%s", message);
}

static bl_context *create_logging_context(void) {
    bl_context *ctx = NULL;
    message_seen[0] = '\0';
    assert_int_equal(bl_context_create(&(bl_context_options){.log = keep_message, .log_level = BL_LOG_INFO}, &ctx), BL_OK);
    return ctx;
}

/* the kind chosen for a matrix a[n*n] and `many` right-hand sides (0: unknown); brief: only a few matrices will be factored. The message
 * about the choice stays in `message_seen`. */
static const char *choice_of(const char *spec, bl_index many, bool brief, bl_index n, const double *a) {
    bl_context *ctx = create_logging_context();
    test_matrix matrix = test_matrix_from(ctx, n, a, NULL);
    bl_linsol *solver;
    assert_int_equal(bl_linsol_create(ctx, spec, &solver), BL_OK);
    assert_null(solver->uses);
    solver->many = many;
    solver->brief = brief;
    assert_int_equal(bl_linsol_analyze(solver, &matrix.pattern, NULL, BL_REFUSE, 1e-9), BL_OK);
    assert_int_equal(bl_linsol_factor(solver, matrix.values), BL_OK);
    const char *uses = solver->uses;
    assert_non_null(uses);
    double x[MOST], b[MOST];
    for (bl_index i = 0; i < n; i++)
        x[i] = b[i] = 1 + i % 3;
    assert_int_equal(bl_linsol_solve(solver, false, 1, x), BL_OK);
    assert_true(test_matrix_residual(&matrix, false, x, b) <= 100 * DBL_EPSILON * n);
    bl_linsol_destroy(solver);
    test_matrix_free(&matrix);
    test_context_end(ctx);
    return uses; /* names are constants */
}

static const char *choice_for(const char *spec, bl_index many, bl_index n, const double *a) { return choice_of(spec, many, false, n, a); }

static const char *choice(const char *spec, bl_index n, const double *a) { return choice_for(spec, 0, n, a); }

/* three unknowns after three unknowns, each from those before: what an open chain of bodies gives */
static void fill_chain(bl_index n, double *a, test_random *random) {
    memset(a, 0, (size_t)n * (size_t)n * sizeof *a);
    for (bl_index i = 0; i < n; i++)
        for (bl_index j = i / 3 * 3 > 3 ? i / 3 * 3 - 3 : 0; j < n && j < i / 3 * 3 + 3; j++)
            a[i + j * n] = (i == j ? 3 : 0) + 0.5 * test_random_symmetric(random);
}

static void fill_full(bl_index n, double *a, test_random *random) {
    for (bl_index k = 0; k < n * n; k++)
        a[k] = test_random_symmetric(random) + (k % (n + 1) == 0 ? 2 : 0);
}

static void one_unknown__is_dense_or_block(void **unused) {
    (void)unused;
    const char *uses = choice("auto", 1, &(double){3});
    assert_true(strcmp(uses, "dense") == 0 || strcmp(uses, "block") == 0);
}

static void open_chain__is_block_triangular(void **unused) {
    (void)unused;
    test_random random = {test_seed(601)};
    static double a[MOST * MOST];
    for (bl_index n = 12; n <= 120; n *= 2) {
        fill_chain(n, a, &random);
        assert_string_equal(choice("auto", n, a), "block");
    }
}

/* products in registers beat substitutions that wait for each other; the n^3 of the inverse must be paid, though */
static void many_right_hand_sides__ask_for_the_inverse_of_small_matrices(void **unused) {
    (void)unused;
    test_random random = {test_seed(603)};
    static double a[MOST * MOST];
    for (bl_index n = 3; n <= 24; n *= 2) {
        fill_chain(n, a, &random);
        assert_string_equal(choice_for("auto", 16, n, a), "inverse");
        assert_string_not_equal(choice_for("auto", 0, n, a), "inverse");
    }
    fill_full(60, a, &random);
    assert_string_equal(choice_for("auto", 1000, 60, a), "inverse");
    assert_string_not_equal(choice_for("auto", 4, 60, a), "inverse");
    fill_chain(120, a, &random);
    assert_string_equal(choice_for("auto", 1000, 120, a), "block");
}

/* finding the best would mean factoring with all of them, which is not worth it for a few matrices */
static void few_matrices__are_not_searched_for(void **unused) {
    (void)unused;
    test_random random = {test_seed(604)};
    static double a[MOST * MOST];
    for (bl_index n = 3; n <= 96; n *= 2) {
        fill_chain(n, a, &random);
        assert_string_equal(choice_of("auto", 0, true, n, a), "klu");
        assert_null(strstr(message_seen, "block"));
        fill_full(n, a, &random);
        assert_string_equal(choice_of("auto", 0, true, n, a), "klu");
    }
    fill_chain(150, a, &random); /* forecasts are cheap */
    assert_string_equal(choice_of("auto", 0, true, 150, a), choice_for("auto", 0, 150, a));
}

/* elimination of a full matrix by tables costs more than by loops */
static void full_matrix__is_dense(void **unused) {
    (void)unused;
    test_random random = {test_seed(602)};
    static double a[MOST * MOST];
    for (bl_index n = 40; n <= MOST; n *= 2) {
        fill_full(n, a, &random);
        assert_string_equal(choice("auto", n, a), "dense");
    }
}

/* a band of one beside the diagonal and full last rows and columns: neither full nor a chain */
static void arrow__is_sparse(void **unused) {
    (void)unused;
    test_random random = {test_seed(603)};
    static double a[MOST * MOST];
    bl_index n = MOST;
    memset(a, 0, sizeof a);
    for (bl_index i = 0; i < n; i++)
        for (bl_index j = 0; j < n; j++)
            if (abs(i - j) <= 1 || i >= n - 2 || j >= n - 2)
                a[i + j * n] = test_random_symmetric(&random) + (i == j ? 3 : 0);
    assert_string_not_equal(choice("auto", n, a), "dense");
}

static void choice__is_logged_with_its_numbers_and_repeats(void **unused) {
    (void)unused;
    test_random random = {test_seed(604)};
    static double a[MOST * MOST];
    char first[sizeof message_seen];
    fill_chain(30, a, &random);
    choice("auto", 30, a);
    assert_non_null(strstr(message_seen, "block for a matrix of order 30"));
    assert_non_null(strstr(message_seen, "predicted"));
    memcpy(first, message_seen, sizeof first);
    for (int again = 0; again < 5; again++) {
        choice("auto", 30, a);
        assert_string_equal(message_seen, first);
    }
}

/* the one chosen has the least of the times in the message */
static void measure__records_times_and_takes_the_least(void **unused) {
    (void)unused;
    test_random random = {test_seed(605)};
    static double a[MOST * MOST];
    const char *specs[] = {"auto:measure", "auto:measure=true"};
    for (size_t k = 0; k < 2; k++) {
        fill_chain(60, a, &random);
        const char *uses = choice(specs[k], 60, a);
        assert_non_null(strstr(message_seen, "measured"));
        const char *names[] = {"klu ", "dense ", "block "};
        double least = INFINITY, chosen = INFINITY;
        const char *list = strstr(message_seen, "update:");
        assert_non_null(list);
        for (size_t i = 0; i < 3; i++) {
            const char *at = strstr(list, names[i]);
            assert_non_null(at);
            double time = strtod(at + strlen(names[i]), NULL);
            assert_true(time > 0);
            least = fmin(least, time);
            if (strncmp(uses, names[i], strlen(uses)) == 0)
                chosen = time;
        }
        assert_true(chosen == least);
    }
}

static void options__that_make_no_sense_are_refused(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_linsol *solver;
    assert_int_equal(bl_linsol_create(ctx, "auto:quick", &solver), BL_E_ARG);
    assert_null(solver);
    test_context_end(ctx);
}

/* the pattern may change while the order stays; another order starts anew */
static void choice__holds_until_the_order_changes(void **unused) {
    (void)unused;
    test_random random = {test_seed(606)};
    static double a[MOST * MOST];
    bl_context *ctx = create_logging_context();
    bl_linsol *solver;
    assert_int_equal(bl_linsol_create(ctx, NULL, &solver), BL_OK);
    assert_string_equal(solver->kind->kind.name, "auto");
    fill_chain(30, a, &random);
    test_matrix chain = test_matrix_from(ctx, 30, a, NULL);
    fill_full(30, a, &random);
    test_matrix full = test_matrix_from(ctx, 30, a, NULL);
    fill_full(80, a, &random);
    test_matrix larger = test_matrix_from(ctx, 80, a, NULL);
    assert_int_equal(bl_linsol_analyze(solver, &chain.pattern, NULL, BL_REFUSE, 1e-9), BL_OK);
    assert_int_equal(bl_linsol_factor(solver, chain.values), BL_OK);
    assert_string_equal(solver->uses, "block");
    message_seen[0] = '\0';
    assert_int_equal(bl_linsol_analyze(solver, &full.pattern, NULL, BL_REFUSE, 1e-9), BL_OK);
    assert_int_equal(bl_linsol_factor(solver, full.values), BL_OK);
    assert_string_equal(solver->uses, "block");
    assert_string_equal(message_seen, "");
    assert_int_equal(bl_linsol_analyze(solver, &larger.pattern, NULL, BL_REFUSE, 1e-9), BL_OK);
    assert_null(solver->uses);
    double x[80] = {1};
    assert_int_equal(bl_linsol_solve(solver, false, 1, x), BL_E_ARG);
    assert_int_equal(bl_linsol_factor(solver, larger.values), BL_OK);
    assert_string_equal(solver->uses, "dense");
    bl_linsol_destroy(solver);
    test_matrix_free(&chain);
    test_matrix_free(&full);
    test_matrix_free(&larger);
    test_context_end(ctx);
}

static void minimum_norm__chooses_among_those_that_give_it(void **unused) {
    (void)unused;
    test_random random = {test_seed(607)};
    bl_context *ctx = create_logging_context();
    for (int trial = 0; trial < 20; trial++) {
        test_kkt kkt = test_kkt_random(ctx, &random, 20, 8, 6);
        bl_linsol *solver;
        assert_int_equal(bl_linsol_create(ctx, "auto", &solver), BL_OK);
        assert_int_equal(bl_linsol_analyze(solver, &kkt.matrix.pattern, NULL, BL_MIN_NORM, 1e-9), BL_OK);
        assert_int_equal(bl_linsol_factor(solver, kkt.matrix.values), BL_OK);
        assert_true(strcmp(solver->uses, "dense") == 0 || strcmp(solver->uses, "block") == 0);
        assert_int_equal(solver->stats.rank, 26);
        bl_linsol_destroy(solver);
        test_kkt_free(&kkt);
    }
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_unknown__is_dense_or_block),
        cmocka_unit_test(open_chain__is_block_triangular),
        cmocka_unit_test(many_right_hand_sides__ask_for_the_inverse_of_small_matrices),
        cmocka_unit_test(few_matrices__are_not_searched_for),
        cmocka_unit_test(full_matrix__is_dense),
        cmocka_unit_test(arrow__is_sparse),
        cmocka_unit_test(choice__is_logged_with_its_numbers_and_repeats),
        cmocka_unit_test(measure__records_times_and_takes_the_least),
        cmocka_unit_test(options__that_make_no_sense_are_refused),
        cmocka_unit_test(choice__holds_until_the_order_changes),
        cmocka_unit_test(minimum_norm__chooses_among_those_that_give_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
