/* The expression parser: values by hand, positions of errors, advice, limits, random texts against an evaluator of its own. */
#include "support/testing.h"

#include "base/base.h"
#include "series/expr.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- a scope with t, x, j1.angle as inputs 0, 1, 2, a parameter k = 5, and one table */

typedef struct names {
    bool without_x;
} names;

static bl_status find_name(void *user, bl_tape *tape, const char *name, const bl_place *place, bl_index *node, const char **nearest) {
    static const char *const known[] = {"t", "x", "j1.angle", "k"};
    const names *scope = user;
    (void)place;
    for (bl_index i = 0; i < 4; i++)
        if (!strcmp(name, known[i]) && !(i == 1 && scope && scope->without_x)) {
            *node = i == 3 ? bl_tape_const(tape, 5) : bl_tape_input(tape, i);
            return BL_OK;
        }
    *nearest = bl_nearest(name, known, 4);
    return BL_AGAIN;
}

static const double rows_x[] = {0, 1, 2, 3}, rows_y[] = {0, 1, 4, 9};

static bl_status find_table(void *user, const char *file, const bl_place *place, bl_index *n, const double **x, const double **y) {
    (void)user;
    (void)place;
    *n = strcmp(file, "cam profile.csv") == 0 ? 4 : 2;
    if (strcmp(file, "bad.csv") == 0)
        *n = 0;
    *x = rows_x;
    *y = rows_y;
    return BL_OK;
}

static const bl_expr_scope scope = {.name = find_name, .table = find_table};
static const double inputs[3] = {0.25, 1.5, -2};

static bl_status parse(bl_context *ctx, const char *text, const bl_expr_scope *in, double *value) {
    bl_tape *tape = NULL;
    bl_index node;
    bl_place place = {"model.yaml", 7, 11};
    double work[4000], all[3];
    bl_status status = bl_tape_create(ctx, &tape);
    if (status == BL_OK) {
        status = bl_expr_parse(ctx, text, strlen(text), &place, in, tape, &node);
        assert_int_equal(node >= 0, status == BL_OK);
    }
    if (status == BL_OK)
        status = bl_tape_output(tape, node);
    if (status == BL_OK)
        status = bl_tape_finish(tape);
    if (status == BL_OK && value) {
        assert_true(bl_tape_work(tape) <= 4000);
        memcpy(all, inputs, sizeof all);
        bl_tape_eval(tape, all, value, work);
    }
    bl_tape_destroy(tape);
    return status;
}

static void texts__have_their_values(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    const double T = 0.25, X = 1.5, A = -2, PI = 3.14159265358979323846;
    const struct {
        const char *text;
        double value;
    } cases[] = {
        {"1", 1},
        {" .5 ", 0.5},
        {"5.", 5},
        {"1.5e-3", 1.5e-3},
        {"2E+2", 200},
        {"1e-400", 0},
        {"1+2*3", 7},
        {"(1+2)*3", 9},
        {"10-4-3", 3},
        {"16/4/2", 2},
        {"2*3/4", 1.5},
        {"7-2+1", 6},
        {"-2^2", -4},
        {"(-2)^2", 4},
        {"2^-1", 0.5},
        {"2^3^2", 512},
        {"2^-2^2", 0.0625},
        {"-x^2", -2.25},
        {"- -3", 3},
        {"+3", 3},
        {"2*-3", -6},
        {"2 - -+3", 5},
        {"1<2", 1},
        {"2<=2", 1},
        {"3>4", 0},
        {"3>=3", 1},
        {"1==2", 0},
        {"1!=2", 1},
        {"1+1==2", 1},
        {"not 1 == 2", 1},
        {"not not 5", 1},
        {"1 and 0 or 1", 1},
        {"0 or 0 and 1", 0},
        {"not 0 and 0", 0},
        {"2 and 3", 1},
        {"1 ? 2 : 3", 2},
        {"0 ? 2 : 0 ? 3 : 4", 4},
        {"x > 1 ? t : -t", T},
        {"x > 2 or t < 1 ? 10 : 20", 10},
        {"(1<2) == (3<4)", 1},
        {"pi", PI},
        {"180*deg", PI},
        {"60*rpm", 2 * PI},
        {"250*mm", 0.25},
        {"k*x", 7.5},
        {"j1.angle + t", A + T},
        {"sqrt(2)", sqrt(2)},
        {"sqrt(x)", sqrt(X)},
        {"exp(x)", exp(X)},
        {"log(x)", log(X)},
        {"log10(1000)", 3},
        {"log10(x)", log10(X)},
        {"sin(x)", sin(X)},
        {"cos(x)", cos(X)},
        {"tan(x)", tan(X)},
        {"asin(t)", asin(T)},
        {"acos(t)", acos(T)},
        {"atan(x)", atan(X)},
        {"atan2(t, j1.angle)", atan2(T, A)},
        {"sinh(x)", sinh(X)},
        {"cosh(x)", cosh(X)},
        {"tanh(x)", tanh(X)},
        {"abs(j1.angle)", 2},
        {"sign(j1.angle)", -1},
        {"sign(0)", 0},
        {"min(x, t)", T},
        {"max(x, t, 7, 2)", 7},
        {"floor(j1.angle - t)", -3},
        {"mod(7, 3)", 1},
        {"mod(j1.angle, 3)", 1},
        {"mod(-x, 1)", 0.5},
        {"hypot(3*x, 4*x)", 7.5},
        {"if(x, t, k)", T},
        {"if(x<1, t, k)", 5},
        {"step(x)", 1},
        {"step(j1.angle)", 0},
        {"step(0)", 1},
        {"ramp(x)", 1.5},
        {"ramp(j1.angle)", 0},
        {"smoothstep(x, 1, 10, 2, 20)", 15},
        {"smoothstep(t, 1, 10, 2, 20)", 10},
        {"smoothstep(9, 1, 10, 2, 20)", 20},
        {"smoothstep(t, 0, 0, 1, 1)", T * T * (3 - 2 * T)},
        {"smoothstep(t, 1, 1, 0, 0)", T * T * (3 - 2 * T)},
        {"table(cam profile.csv, 2)", 4},
        {"table( \"cam profile.csv\" , x)", 2.25},
        {"table(cam profile.csv)", 2.25},
        {"table('cam profile.csv') * 2", 4.5},
        {"table(cam profile.csv, x, monotone)", 2.25},
        {"table(cam profile.csv, monotone )", 2.25},
        {"sin (x)\n + 1", sin(X) + 1},
        {"x^0", 1},
        {"0*log(j1.angle)", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double value = NAN;
        if (parse(ctx, cases[i].text, &scope, &value) != BL_OK)
            fail_msg("%s: %s", cases[i].text, bl_context_error(ctx)->what);
        if (!(fabs(value - cases[i].value) <= 4e-16 * fabs(cases[i].value)))
            fail_msg("%s = %.17g, expected %.17g", cases[i].text, value, cases[i].value);
    }
    names none = {true}; /* without x, a table without argument is read at t */
    bl_expr_scope laws = {.user = &none, .name = find_name, .table = find_table};
    double value = NAN;
    assert_int_equal(parse(ctx, "table(two rows)", &laws, &value), BL_OK);
    assert_true(value == 0.25);
    test_context_end(ctx);
}

static void errors__name_the_character_and_the_cure(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    const struct {
        const char *text;
        int column; /* offset from the start */
        const char *what, *advice;
    } cases[] = {
        {"", 0, "empty", ""},
        {"   ", 0, "empty", ""},
        {"1 +", 3, "the end", ""},
        {"1 + * 2", 4, "'*'", ""},
        {"(1 + 2", 6, "')'", "column 11"},
        {"1 2", 2, "operator", ""},
        {"2x", 1, "operator", "'*'"},
        {"x x", 2, "operator", ""},
        {"1)", 1, "')'", ""},
        {"0x10", 1, "operator", ""},
        {"1.2.3", 3, "operator", ""},
        {"1e400", 0, "finite", ""},
        {"3 + 1e999", 4, "finite", ""},
        {"inf", 0, "finite", ""},
        {"2*NaN", 2, "finite", ""},
        {"-Infinity", 1, "finite", ""},
        {"1 < 2 < 3", 6, "chain", "and"},
        {"x == 1 != t", 7, "chain", "and"},
        {"x = 1", 2, "'='", "'=='"},
        {"x && t", 2, "'&'", "'and'"},
        {"x || t", 2, "'|'", "'or'"},
        {"!x", 0, "'!'", "'not'"},
        {"2**3", 2, "'*'", "'^'"},
        {"2^", 2, "the end", ""},
        {"sinn(x)", 0, "unknown function 'sinn'", "'sin"},
        {"1 + sqr(x)", 4, "unknown function 'sqr'", "sqrt"},
        {"pi(2)", 0, "not a function", ""},
        {"j1.angl", 0, "unknown name 'j1.angl'", "'j1.angle'"},
        {"3*j2.angle", 2, "unknown name", "'j1.angle'"},
        {"qqqqqqq", 0, "unknown name", ""},
        {"sin", 0, "arguments", ""},
        {"sin()", 0, "1 argument, found 0", ""},
        {"1+sin(x, 2)", 2, "1 argument, found 2", ""},
        {"atan2(1)", 0, "2 arguments, found 1", ""},
        {"min(1)", 0, "at least 2 arguments, found 1", ""},
        {"if(1, 2)", 0, "3 arguments, found 2", ""},
        {"sin(x", 5, "','", ""},
        {"sin(x y)", 6, "','", ""},
        {"x ? 1", 5, "':'", ""},
        {"x ? 1 2", 6, "':'", ""},
        {"and 1", 0, "'and'", ""},
        {"1 + not x", 4, "'not'", ""},
        {"x $ 2", 2, "'$'", ""},
        {"smoothstep(x, 1, 2, 1, 3)", 0, "x0 and x1 that differ", ""},
        {"table()", 6, "file name", ""},
        {"table('a)", 6, "no closing quote", ""},
        {"2*table(a, 1, 2)", 14, "linear, monotone", ""},
        {"table(a, x, linaer)", 12, "linear, monotone", "linear"},
        {"table(a, x, linear, 2)", 12, "linear, monotone", ""},
        {"table(a, x", 10, "')'", ""},
        {"1+table(bad.csv, x)", 8, "no rows", ""},
        {"\xc3\xa9\xc3\xa9 + x", 0, "unknown name", ""},
        {"k*\xc3\xa9 x", 2, "unknown name", ""},
        {"max(1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17)", 0, "at most 16", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bl_context_clear_error(ctx);
        bl_status status = parse(ctx, cases[i].text, &scope, NULL);
        const bl_error *error = bl_context_error(ctx);
        if (status != BL_E_MODEL || error->status != status)
            fail_msg("'%s' gave status %d", cases[i].text, (int)status);
        if (strcmp(error->file, "model.yaml") || error->line != 7 || error->column != 11 + cases[i].column)
            fail_msg("'%s': %s, at offset %d, expected %d", cases[i].text, error->what, error->column - 11, cases[i].column);
        if (!strstr(error->what, cases[i].what) || !strstr(error->advice, cases[i].advice))
            fail_msg("'%s': %s | %s", cases[i].text, error->what, error->advice);
    }
    /* columns count characters, not bytes */
    assert_int_equal(parse(ctx, "\"\xc3\xa9\"", &scope, NULL), BL_E_MODEL);
    assert_int_equal(parse(ctx, "table(\xc3\xa9\xc3\xa9, zz)", &scope, NULL), BL_E_MODEL);
    assert_int_equal(bl_context_error(ctx)->column, 11 + 10);
    /* without tables, without names, without a scope, without a position */
    bl_expr_scope poor = {.name = find_name};
    assert_int_equal(parse(ctx, "x + table(a)", &poor, NULL), BL_E_MODEL);
    assert_int_equal(bl_context_error(ctx)->column, 11 + 4);
    bl_expr_scope nameless = {.table = find_table};
    assert_int_equal(parse(ctx, "table(a)", &nameless, NULL), BL_E_MODEL);
    double value = 0;
    assert_int_equal(parse(ctx, "1 + t", NULL, NULL), BL_E_MODEL);
    assert_int_equal(parse(ctx, "1 + 1", NULL, &value), BL_OK);
    assert_true(value == 2);
    test_context_end(ctx);
}

static void nesting__is_limited(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    static char text[200000];
    for (int depth = 150; depth <= 20000; depth += depth < 250 ? 1 : 9000) {
        size_t n = 0;
        for (int i = 0; i < depth; i++)
            text[n++] = '(';
        text[n++] = '1';
        for (int i = 0; i < depth; i++)
            text[n++] = ')';
        text[n] = '\0';
        double value = 0;
        bl_status status = parse(ctx, text, &scope, &value);
        assert_int_equal(status, depth < 200 ? BL_OK : BL_E_MODEL); /* the outermost level counts too */
        if (status != BL_OK)
            assert_non_null(strstr(bl_context_error(ctx)->what, "nested"));
    }
    const char *const towers[] = {"2^", "1?1:", "not ", "sin("};
    for (int k = 0; k < 4; k++) {
        size_t n = 0;
        for (int i = 0; i < 20000; i++)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s", towers[k]);
        snprintf(text + n, sizeof text - n, "1");
        assert_int_equal(parse(ctx, text, &scope, NULL), BL_E_MODEL);
        assert_non_null(strstr(bl_context_error(ctx)->what, "nested"));
    }
    size_t n = 0; /* length alone is no nesting */
    for (int i = 0; i < 20000; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "-+1-");
    snprintf(text + n, sizeof text - n, "0");
    double value = 0;
    assert_int_equal(parse(ctx, text, &scope, &value), BL_OK);
    assert_true(value == 19998); /* -1 and then - -+1 */
    test_context_end(ctx);
}

static void reserved_words__are_reported(void **state) {
    (void)state;
    const char *const yes[] = {"pi", "deg", "rpm", "mm", "and", "or", "not", "sin", "table", "if", "inf", "NaN", "Infinity"};
    const char *const no[] = {"t", "x", "pie", "Pi", "AND", "sine", "in", "infx", ""};
    for (size_t i = 0; i < sizeof yes / sizeof *yes; i++)
        assert_true(bl_expr_reserved(yes[i]));
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        assert_false(bl_expr_reserved(no[i]));
}

/* ---- random texts: grown together with their value, by plain C and not by the tape */

typedef struct grower {
    test_random random;
    char text[4000];
    size_t n;
    bool odd; /* an intermediate value was not finite: x * 0 and 0 / x fold to 0 where C gives NaN */
} grower;

static double note(grower *g, double value) {
    g->odd = g->odd || !isfinite(value);
    return value;
}

static void put(grower *g, const char *word) {
    g->n += (size_t)snprintf(g->text + g->n, sizeof g->text - g->n, "%s%s", word, test_random_below(&g->random, 4) ? "" : " ");
}

/* level 0 or, 1 and, 2 not, 3 comparison, 4 sum, 5 product, 6 unary, 7 power, 8 primary: text that binds at least so tightly */
static double grow(grower *g, int level, int depth) {
    int choice = test_random_below(&g->random, 10);
    if (depth <= 0 || (level == 8 && choice < 4)) {
        int leaf = test_random_below(&g->random, 5);
        char digits[40];
        double value = (double)test_random_below(&g->random, 64) / 8;
        snprintf(digits, sizeof digits, "%.3f", value);
        put(g, leaf == 0 ? "t" : leaf == 1 ? "x" : leaf == 2 ? "j1.angle" : leaf == 3 ? "pi" : digits);
        return leaf < 3 ? inputs[leaf] : leaf == 3 ? 3.14159265358979323846 : value;
    }
    double a, b, c;
    if (level < 8 && choice < 5)
        return grow(g, level + 1, depth);
    switch (level) {
    case 0: a = grow(g, 1, depth - 1), put(g, " or "), b = grow(g, 1, depth - 1); return a != 0 || b != 0;
    case 1: a = grow(g, 2, depth - 1), put(g, " and "), b = grow(g, 2, depth - 1); return a != 0 && b != 0;
    case 2: put(g, "not "), a = grow(g, 2, depth - 1); return !(a != 0);
    case 3:
        a = grow(g, 4, depth - 1);
        put(g, choice < 7 ? "<" : choice < 8 ? ">=" : "!=");
        b = grow(g, 4, depth - 1);
        return choice < 7 ? a < b : choice < 8 ? a >= b : a != b;
    case 4: /* left associative: the left side may be a sum again */
        a = grow(g, 4, depth - 1);
        put(g, choice < 7 ? "+" : "-");
        b = grow(g, 5, depth - 1);
        return choice < 7 ? a + b : a - b;
    case 5:
        a = grow(g, 5, depth - 1);
        put(g, choice < 7 ? "*" : "/");
        b = grow(g, 6, depth - 1);
        return note(g, choice < 7 ? a * b : a / b);
    case 6: put(g, "-"); return -grow(g, 6, depth - 1);
    case 7:
        a = grow(g, 8, depth - 1);
        put(g, "^");
        b = grow(g, 6, 0); /* a leaf: towers overflow */
        return note(g, pow(a, b));
    default: break;
    }
    switch (test_random_below(&g->random, 6)) {
    case 0: put(g, "sin("), a = grow(g, 0, depth - 1), put(g, ")"); return sin(a);
    case 1: put(g, "abs("), a = grow(g, 0, depth - 1), put(g, ")"); return fabs(a);
    case 2: put(g, "max("), a = grow(g, 0, depth - 1), put(g, ","), b = grow(g, 0, depth - 1), put(g, ")"); return a >= b || a != a ? a : b;
    case 3:
        put(g, "if("), a = grow(g, 0, depth - 1), put(g, ","), b = grow(g, 0, depth - 1), put(g, ",");
        c = grow(g, 0, depth - 1), put(g, ")");
        return a != 0 ? b : c;
    case 4:
        put(g, "("), a = grow(g, 0, depth - 1), put(g, "?"), b = grow(g, 0, depth - 1), put(g, ":");
        c = grow(g, 0, depth - 1), put(g, ")");
        return a != 0 ? b : c;
    default: put(g, "("), a = grow(g, 0, depth - 1), put(g, ")"); return a;
    }
}

static void random_texts__agree_with_plain_c(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    grower g = {.random = {test_seed(21)}};
    int compared = 0;
    for (int trial = 0; trial < 4000; trial++) {
        g.n = 0;
        g.odd = false;
        g.text[0] = '\0';
        double expected = grow(&g, 0, 7), value = NAN;
        if (g.n >= sizeof g.text - 1)
            continue;
        if (parse(ctx, g.text, &scope, &value) != BL_OK)
            fail_msg("%s: %s", g.text, bl_context_error(ctx)->what);
        if (g.odd)
            continue;
        compared++;
        if (!(fabs(value - expected) <= 1e-12 * fmax(1, fabs(expected))))
            fail_msg("%s = %.17g, expected %.17g", g.text, value, expected);
    }
    assert_true(compared > 2000);
    test_context_end(ctx);
}

static void random_bytes__never_break_the_parser(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    test_random random = {test_seed(22)};
    static const char *const pieces[] = {"(", ")", "1", "x", "+",    "-",    "^", "sin(", ",",    "table(",
                                         "'", "?", ":", "<", "and ", "not ", ".", "e9",   "\xff", " "};
    for (int trial = 0; trial < 20000; trial++) {
        char text[200];
        size_t n = 0;
        for (int i = test_random_below(&random, 30); i >= 0; i--)
            n += (size_t)snprintf(text + n, sizeof text - n, "%s", pieces[test_random_below(&random, 20)]);
        bl_status status = parse(ctx, text, &scope, NULL);
        assert_true(status == BL_OK || status == BL_E_MODEL);
        if (status == BL_E_MODEL) {
            int column = bl_context_error(ctx)->column;
            assert_true(column >= 11 && column <= 11 + (int)n);
        }
    }
    test_context_end(ctx);
}

static bl_status parse_much(bl_context *ctx, void *user) {
    (void)user;
    return parse(ctx, "if(x>1 and t<2, table(cam profile.csv), smoothstep(x,0,1,2,3)) + sin(t)*cos(j1.angle)^7 - hypot(x, 3)/log10(k+t)",
                 &scope, NULL);
}

static void parsing__survives_failing_allocations(void **state) {
    (void)state;
    assert_true(test_failing_allocations(parse_much, NULL) > 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts__have_their_values),
        cmocka_unit_test(errors__name_the_character_and_the_cure),
        cmocka_unit_test(nesting__is_limited),
        cmocka_unit_test(reserved_words__are_reported),
        cmocka_unit_test(random_texts__agree_with_plain_c),
        cmocka_unit_test(random_bytes__never_break_the_parser),
        cmocka_unit_test(parsing__survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
