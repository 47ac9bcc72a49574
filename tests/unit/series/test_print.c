/* C text of tapes: compiled by the system's compiler, it computes what the tape does. */
#include "support/tape_print.h"
#include "support/testing.h"

#include "base/base.h"
#include "series/expr.h"
#include "series/tape.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double rows_x[] = {-1, 0, 1, 2.5, 3, 4, 7.25}, rows_y[] = {2, 0, 1, 4, 4.5, -1, 2};

static bl_status find_name(void *user, bl_tape *tape, const char *name, const bl_place *place, bl_index *node, const char **nearest) {
    (void)user;
    (void)place;
    (void)nearest;
    if (name[1] || name[0] < 'x' || name[0] > 'z')
        return BL_AGAIN;
    *node = bl_tape_input(tape, name[0] - 'x');
    return BL_OK;
}

static bl_status find_table(void *user, const char *file, const bl_place *place, bl_index *n, const double **x, const double **y) {
    (void)user;
    (void)place;
    *n = file[0] == 'f' ? 7 : 1;
    *x = rows_x;
    *y = rows_y;
    return BL_OK;
}

static const char *const texts[] = {
    "x + y - z*x/y",
    "x^y + z^7 - (-x)^2",
    "-sqrt(abs(x)) + exp(y) - log(z^2)",
    "sin(x) + cos(y) + tan(z) + atan2(x, y)",
    "asin(x/9) + acos(y/9) + atan(z)",
    "sinh(x) + cosh(y) + tanh(z)",
    "sign(x) + floor(y) + min(x, y) + max(y, z)",
    "x < y and y <= z or x == z ? -1.5e-300 : 1e300",
    "not (x > 0) or z != y",
    "table(f, x) + table(g, y)",
    "table(f, x*y)",
    "table(f, x, linear) + table(g, y, cubic)",
    "table(f, x*y, cubic) - table(f, x*y, monotone)",
    "3",
    "y",
    "2 - -1e22*x",
    "log(0)",
    "mod(x, 0.3) + smoothstep(y, 1, 2, 3, 4)",
    "sqrt(-1) + x",
};
enum { NTEXT = sizeof texts / sizeof *texts };

static bl_status build(bl_context *ctx, bl_tape **tape) {
    bl_expr_scope scope = {.name = find_name, .table = find_table};
    BL_TRY(bl_tape_create(ctx, tape));
    for (int i = 0; i < NTEXT; i++) {
        bl_index node;
        BL_TRY(bl_expr_parse(ctx, texts[i], strlen(texts[i]), NULL, &scope, *tape, &node));
        BL_TRY(bl_tape_output(*tape, node));
    }
    return bl_tape_finish(*tape);
}

enum { NPOINT = 8 };
static const double points[NPOINT][3] = {{0.3, 1.7, -2.2}, {-1, 2.5, 3},     {4, 4, 4},     {8, -3, 0.5},
                                         {0, 1, 0},        {2.9, -0.5, 7.3}, {-5, 0, 1e-9}, {1e9, 3, 2}};

static void printed_text__computes_what_the_tape_does(void **state) {
    (void)state;
    if (system("cc --version >/dev/null 2>&1") != 0)
        skip(); /* no compiler here */
    bl_context *ctx = test_context(NULL);
    bl_arena arena = {.ctx = ctx};
    bl_tape *tape = NULL;
    char *text = NULL, folder[] = "/tmp/biela_print_XXXXXX", path[64], command[256];
    assert_int_equal(build(ctx, &tape), BL_OK);
    assert_int_equal(test_tape_print(tape, &arena, &text), BL_OK);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/f.c", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file,
            "#include <math.h>\n#include <stdio.h>\nstatic void f(const double *in, double *out) {\n%s}\n"
            "int main(void) {\n    double in[3], out[%d];\n"
            "    while (scanf(\"%%lf %%lf %%lf\", in, in + 1, in + 2) == 3) {\n        f(in, out);\n"
            "        for (int i = 0; i < %d; i++)\n            printf(\"%%a\\n\", out[i]);\n    }\n    return 0;\n}\n",
            text, NTEXT, NTEXT);
    fclose(file);
    snprintf(command, sizeof command, "cc -std=c99 -Wall -Wextra -Werror -ffp-contract=off -O1 -o %s/f %s/f.c -lm", folder, folder);
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof path, "%s/in", folder);
    file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < NPOINT; i++)
        fprintf(file, "%a %a %a\n", points[i][0], points[i][1], points[i][2]);
    fclose(file);
    snprintf(command, sizeof command, "%s/f < %s/in", folder, folder);
    file = popen(command, "r");
    assert_non_null(file);
    double *work = calloc(bl_tape_work(tape), sizeof *work), out[NTEXT];
    for (int i = 0; i < NPOINT; i++) {
        bl_tape_eval(tape, points[i], out, work);
        for (int k = 0; k < NTEXT; k++) {
            char line[64];
            assert_non_null(fgets(line, sizeof line, file));
            double value = strtod(line, NULL);
            /* the same operations in the same order; compilers fold library calls of constants with correct rounding */
            if (!(value == out[k] || (isnan(value) && isnan(out[k])) || fabs(value - out[k]) <= 4e-16 * fabs(out[k])))
                fail_msg("%s at point %d: printed %.17g, tape %.17g", texts[k], i, value, out[k]);
        }
    }
    assert_int_equal(pclose(file), 0);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    free(work);
    bl_tape_destroy(tape);
    bl_arena_destroy(&arena);
    test_context_end(ctx);
}

static void unfinished_tapes__are_not_printed(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_arena arena = {.ctx = ctx};
    bl_tape *tape;
    char *text;
    assert_int_equal(bl_tape_create(ctx, &tape), BL_OK);
    assert_int_equal(test_tape_print(tape, &arena, &text), BL_E_ARG);
    assert_null(text);
    bl_tape_destroy(tape);
    test_context_end(ctx);
}

static bl_status print_all(bl_context *ctx, void *user) {
    (void)user;
    bl_arena arena = {.ctx = ctx};
    bl_tape *tape = NULL;
    char *text = NULL;
    bl_status status = build(ctx, &tape);
    if (status == BL_OK)
        status = test_tape_print(tape, &arena, &text);
    assert_int_equal(text != NULL, status == BL_OK);
    bl_tape_destroy(tape);
    bl_arena_destroy(&arena);
    return status;
}

static void printing__survives_failing_allocations(void **state) {
    (void)state;
    assert_true(test_failing_allocations(print_all, NULL) > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(printed_text__computes_what_the_tape_does),
        cmocka_unit_test(unfinished_tapes__are_not_printed),
        cmocka_unit_test(printing__survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
