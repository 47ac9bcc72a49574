/* Arithmetic text to a tape by recursive descent, one function per line of the grammar in expr.h. The first error stops the
 * parse; its column is that of the offending character. */
#include "series/expr_inner.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 200, LONGEST_WORD = 255, LONGEST_FILE = 1023, LONGEST_NUMBER = 399, MOST_ARGUMENTS = 16 };

typedef enum function_id {
    F_OP1,
    F_OP2,
    F_LOG10,
    F_MIN_MAX,
    F_MOD,
    F_HYPOT,
    F_IF,
    F_STEP,
    F_RAMP,
    F_SMOOTHSTEP,
    F_TABLE,
    F_CLAMP,
    F_DEADZONE,
    F_MEMORY
} function_id;

typedef struct function {
    const char *name;
    function_id id;
    bl_tape_op op;
    int least, most; /* arguments */
} function;

static const function functions[] = {
    {"sqrt", F_OP1, BL_TAPE_SQRT, 1, 1},
    {"exp", F_OP1, BL_TAPE_EXP, 1, 1},
    {"log", F_OP1, BL_TAPE_LOG, 1, 1},
    {"log10", F_LOG10, BL_TAPE_LOG, 1, 1},
    {"sin", F_OP1, BL_TAPE_SIN, 1, 1},
    {"cos", F_OP1, BL_TAPE_COS, 1, 1},
    {"tan", F_OP1, BL_TAPE_TAN, 1, 1},
    {"asin", F_OP1, BL_TAPE_ASIN, 1, 1},
    {"acos", F_OP1, BL_TAPE_ACOS, 1, 1},
    {"atan", F_OP1, BL_TAPE_ATAN, 1, 1},
    {"atan2", F_OP2, BL_TAPE_ATAN2, 2, 2},
    {"sinh", F_OP1, BL_TAPE_SINH, 1, 1},
    {"cosh", F_OP1, BL_TAPE_COSH, 1, 1},
    {"tanh", F_OP1, BL_TAPE_TANH, 1, 1},
    {"abs", F_OP1, BL_TAPE_ABS, 1, 1},
    {"sign", F_OP1, BL_TAPE_SIGN, 1, 1},
    {"min", F_MIN_MAX, BL_TAPE_MIN, 2, MOST_ARGUMENTS},
    {"max", F_MIN_MAX, BL_TAPE_MAX, 2, MOST_ARGUMENTS},
    {"floor", F_OP1, BL_TAPE_FLOOR, 1, 1},
    {"mod", F_MOD, BL_TAPE_FLOOR, 2, 2},
    {"hypot", F_HYPOT, BL_TAPE_SQRT, 2, 2},
    {"if", F_IF, BL_TAPE_IF, 3, 3},
    {"step", F_STEP, BL_TAPE_LESS, 1, 1},
    {"ramp", F_RAMP, BL_TAPE_MAX, 1, 1},
    {"smoothstep", F_SMOOTHSTEP, BL_TAPE_MAX, 5, 5},
    {"table", F_TABLE, BL_TAPE_TABLE, 1, 2},
    {"clamp", F_CLAMP, BL_TAPE_MAX, 3, 3},
    {"deadzone", F_DEADZONE, BL_TAPE_MAX, 2, 2},
    {"hysteresis", F_MEMORY, BL_TAPE_LESS, 3, 3},
    {"delay", F_MEMORY, BL_TAPE_LESS, 2, 2},
};
enum { NFUNCTION = sizeof functions / sizeof *functions };

static const struct {
    const char *name;
    double value;
} constants[] = {
    {"pi", 3.14159265358979323846},
    {"deg", 3.14159265358979323846 / 180},
    {"rpm", 2 * 3.14159265358979323846 / 60},
    {"mm", 1e-3},
};
enum { NCONSTANT = sizeof constants / sizeof *constants };

static bool is_keyword(const char *word) { return !strcmp(word, "and") || !strcmp(word, "or") || !strcmp(word, "not"); }

static bl_index unary(bl_expr_parser *p);

/* ---- positions and errors */

/* columns count characters, so the continuation bytes of UTF-8 are skipped */
bl_place bl_expr_place(const bl_expr_parser *p, size_t at) {
    bl_place place = *p->place;
    for (size_t i = 0; i < at && i < p->length; i++)
        place.column += ((unsigned char)p->text[i] & 0xc0u) != 0x80u;
    return place;
}

/* Sets the status once and returns -1, so that callers can write `return bl_expr_fail(...)`. */
bl_index bl_expr_stop(bl_expr_parser *p, bl_status status) {
    if (p->status == BL_OK)
        p->status = status;
    return -1;
}

bl_index bl_expr_fail(bl_expr_parser *p, size_t at, const char *format, ...) {
    if (p->status != BL_OK)
        return -1;
    char what[400];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    bl_place place = bl_expr_place(p, at);
    return bl_expr_stop(p, bl_fail(p->ctx, BL_E_MODEL, &place, "%s", what));
}

static bool enter(bl_expr_parser *p) {
    if (p->depth >= DEEPEST) {
        bl_expr_fail(p, p->at, "the expression is nested more than %d deep", DEEPEST);
        return false;
    }
    p->depth++;
    return true;
}

/* ---- characters and words */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
static bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || ((unsigned char)c & 0x80u); }
static bool in_name(char c) { return starts_name(c) || is_digit(c) || c == '.'; }

static char peek(const bl_expr_parser *p, size_t ahead) { return p->at + ahead < p->length ? p->text[p->at + ahead] : '\0'; }

void bl_expr_skip(bl_expr_parser *p) {
    while (p->at < p->length && is_space(p->text[p->at]))
        p->at++;
}

bool bl_expr_accept(bl_expr_parser *p, const char *symbol) {
    bl_expr_skip(p);
    size_t n = strlen(symbol);
    if (p->length - p->at < n || memcmp(p->text + p->at, symbol, n) != 0)
        return false;
    p->at += n;
    return true;
}

size_t bl_expr_word(const bl_expr_parser *p) {
    size_t n = 0;
    if (p->at < p->length && starts_name(p->text[p->at]))
        while (p->at + n < p->length && in_name(p->text[p->at + n]))
            n++;
    return n;
}

static bool accept_word(bl_expr_parser *p, const char *word) {
    bl_expr_skip(p);
    size_t n = strlen(word);
    if (bl_expr_word(p) != n || memcmp(p->text + p->at, word, n) != 0)
        return false;
    p->at += n;
    return true;
}

/* Reports that something else than `wanted` was found. */
bl_index bl_expr_unexpected(bl_expr_parser *p, const char *wanted) {
    bl_expr_skip(p);
    size_t n = bl_expr_word(p);
    if (p->at >= p->length)
        return bl_expr_fail(p, p->at, "expected %s, found the end of the expression", wanted);
    if (n == 0)
        n = 1;
    if (n > 60)
        n = 60;
    bl_expr_fail(p, p->at, "expected %s, found '%.*s'", wanted, (int)n, p->text + p->at);
    static const struct {
        const char *found, *instead;
    } habits[] = {{"&&", "and"}, {"||", "or"}, {"!", "not"}, {"**", "^"}, {"*", "^"}, {"=", "=="}, {"%", "mod(a, b)"}};
    for (size_t i = 0; i < sizeof habits / sizeof *habits; i++) {
        size_t m = strlen(habits[i].found);
        if (p->length - p->at >= m && !memcmp(p->text + p->at, habits[i].found, m)) {
            bl_advise(p->ctx, "write '%s' instead", habits[i].instead);
            break;
        }
    }
    return -1;
}

static void did_you_mean(bl_expr_parser *p, const char *word) {
    if (word)
        bl_advise(p->ctx, "did you mean '%s'?", word);
}

/* ---- leaves */

static bl_index number(bl_expr_parser *p) {
    size_t start = p->at;
    char digits[LONGEST_NUMBER + 1];
    while (is_digit(peek(p, 0)))
        p->at++;
    if (peek(p, 0) == '.')
        p->at++;
    while (is_digit(peek(p, 0)))
        p->at++;
    size_t sign = peek(p, 1) == '+' || peek(p, 1) == '-' ? 2 : 1;
    if ((peek(p, 0) == 'e' || peek(p, 0) == 'E') && is_digit(peek(p, sign))) {
        p->at += sign;
        while (is_digit(peek(p, 0)))
            p->at++;
    }
    size_t n = p->at - start;
    if (n > LONGEST_NUMBER)
        return bl_expr_fail(p, start, "a number must have at most %d characters", LONGEST_NUMBER);
    memcpy(digits, p->text + start, n);
    digits[n] = '\0';
    char *point = strchr(digits, '.'); /* strtod expects the decimal point of the locale */
    if (point)
        *point = localeconv()->decimal_point[0];
    double value = strtod(digits, NULL);
    if (!isfinite(value))
        return bl_expr_fail(p, start, "%.40s is not a finite number", digits);
    if (starts_name(peek(p, 0)) || peek(p, 0) == '.') {
        bl_expr_unexpected(p, "an operator after the number");
        if (starts_name(peek(p, 0)))
            bl_advise(p->ctx, "write '*' between factors");
        return -1;
    }
    return bl_tape_const(p->tape, value);
}

static bool same_word(const char *word, const char *other) { /* other in lower case */
    size_t i = 0;
    for (; word[i] && other[i]; i++)
        if ((word[i] >= 'A' && word[i] <= 'Z' ? word[i] - 'A' + 'a' : word[i]) != other[i])
            return false;
    return word[i] == other[i];
}

static bool infinite_word(const char *word) { return same_word(word, "inf") || same_word(word, "infinity") || same_word(word, "nan"); }

static const function *function_of(const char *word) {
    for (size_t i = 0; i < NFUNCTION; i++)
        if (!strcmp(functions[i].name, word))
            return &functions[i];
    return NULL;
}

bool bl_expr_reserved(const char *word) {
    for (size_t i = 0; i < NCONSTANT; i++)
        if (!strcmp(constants[i].name, word))
            return true;
    return is_keyword(word) || function_of(word) != NULL || infinite_word(word);
}

bl_index bl_expr_unknown(bl_expr_parser *p, size_t at, const char *word, const char *nearest) {
    const char *known[NCONSTANT + NFUNCTION];
    bl_expr_fail(p, at, "unknown name '%s'", word);
    for (size_t i = 0; i < NCONSTANT; i++)
        known[i] = constants[i].name;
    for (size_t i = 0; i < NFUNCTION; i++)
        known[NCONSTANT + i] = functions[i].name;
    did_you_mean(p, nearest ? nearest : bl_nearest(word, known, NCONSTANT + NFUNCTION));
    return -1;
}

static bl_index name(bl_expr_parser *p, size_t at, const char *word) {
    for (const bl_expr_loop *l = p->loops; l; l = l->outer)
        if (!strcmp(l->name, word))
            return bl_tape_const(p->tape, l->value);
    for (size_t i = 0; i < NCONSTANT; i++)
        if (!strcmp(constants[i].name, word))
            return bl_tape_const(p->tape, constants[i].value);
    if (is_keyword(word)) {
        p->at = at;
        return bl_expr_unexpected(p, "a number, a name or '('");
    }
    if (infinite_word(word))
        return bl_expr_fail(p, at, "'%s' cannot be used: numbers must be finite", word);
    const function *f = function_of(word);
    if (f)
        return bl_expr_fail(p, at, "function '%s' needs arguments in parentheses: %s(...)", word, word);
    if (bl_expr_arrays(p)) {
        bl_expr_name what = bl_expr_what(p, at, word);
        if (what == BL_NAME_ARRAY) {
            bl_expr_fail(p, at, "'%s' is an array", word);
            bl_advise(p->ctx, "write an element of it: %s[1] or %s[i]", word, word);
        }
        if (what != BL_NAME_NUMBER)
            return -1;
        if (p->dead)
            return bl_tape_const(p->tape, 0);
    }
    bl_place place = bl_expr_place(p, at);
    const char *nearest = NULL;
    bl_index node = -1;
    bl_status status = p->scope && p->scope->name ? p->scope->name(p->scope->user, p->tape, word, &place, &node, &nearest) : BL_AGAIN;
    if (status == BL_AGAIN)
        return bl_expr_unknown(p, at, word, nearest);
    return status == BL_OK ? node : bl_expr_stop(p, status);
}

/* ---- tables */

/* FILE of table(FILE, x): quoted, or everything up to ',' or ')' */
static bool file_name(bl_expr_parser *p, char file[LONGEST_FILE + 1]) {
    bl_expr_skip(p);
    size_t start = p->at, end;
    char quote = peek(p, 0);
    if (quote == '"' || quote == '\'') {
        for (start = ++p->at; p->at < p->length && peek(p, 0) != quote;)
            p->at++;
        end = p->at;
        if (p->at >= p->length) {
            bl_expr_fail(p, start - 1, "the file name has no closing quote");
            return false;
        }
        p->at++;
    } else {
        while (p->at < p->length && peek(p, 0) != ',' && peek(p, 0) != ')')
            p->at++;
        for (end = p->at; end > start && is_space(p->text[end - 1]);)
            end--;
    }
    size_t n = end - start;
    if (n == 0 || n > LONGEST_FILE) {
        bl_expr_fail(p, start, n ? "the file name must have at most %d characters" : "table needs a file name", LONGEST_FILE);
        return false;
    }
    memcpy(file, p->text + start, n);
    file[n] = '\0';
    return true;
}

/* The argument of table(FILE): the own x of a force, else the time. */
static bl_index table_argument(bl_expr_parser *p, size_t at) {
    static const char *const candidates[] = {"x", "t"};
    bl_place place = bl_expr_place(p, at);
    for (int i = 0; i < 2 && p->scope->name; i++) {
        const char *nearest = NULL;
        bl_index node = -1;
        bl_status status = p->scope->name(p->scope->user, p->tape, candidates[i], &place, &node, &nearest);
        if (status == BL_OK && !bl_tape_known(p->tape, node, NULL)) /* a parameter named x does not count */
            return node;
        if (status != BL_OK && status != BL_AGAIN)
            return bl_expr_stop(p, status);
    }
    bl_expr_fail(p, at, "table(FILE) needs an argument here, because neither x nor t can be used");
    bl_advise(p->ctx, "write table(FILE, argument)");
    return -1;
}

/* Accepts the name of an interpolation followed by ')'; -1: there is none. */
static int interpolation(bl_expr_parser *p) {
    char word[32];
    bl_expr_skip(p);
    size_t start = p->at, n = bl_expr_word(p);
    if (n == 0 || n >= sizeof word)
        return -1;
    memcpy(word, p->text + start, n);
    word[n] = '\0';
    p->at += n;
    bl_expr_skip(p);
    int by = peek(p, 0) == ')' ? bl_tape_interpolation_of(word) : -1;
    if (by < 0)
        p->at = start;
    return by;
}

static bl_index no_interpolation(bl_expr_parser *p) {
    static const char *const words[] = {"linear", "monotone", "cubic"};
    size_t start = p->at, n = bl_expr_word(p);
    char word[32] = "";
    if (n < sizeof word)
        memcpy(word, p->text + start, n);
    bl_expr_fail(p, start, "the interpolation of a table must be linear, monotone (the default) or cubic");
    const char *nearest = n > 0 && n < sizeof word ? bl_nearest(word, words, 3) : NULL;
    if (nearest)
        bl_advise(p->ctx, "did you mean '%s'?", nearest);
    return -1;
}

static bl_index table(bl_expr_parser *p, size_t at) {
    char file[LONGEST_FILE + 1];
    if (!p->scope || !p->scope->table)
        return bl_expr_fail(p, at, "table(...) cannot be used here");
    bl_expr_skip(p);
    bl_place place = bl_expr_place(p, p->at);
    if (!file_name(p, file))
        return -1;
    int by = -1;
    bool more = bl_expr_accept(p, ",");
    if (more && (by = interpolation(p)) >= 0)
        more = false; /* table(FILE, linear) */
    bl_index argument = more ? bl_expr_ternary(p) : table_argument(p, at);
    if (p->status != BL_OK)
        return -1;
    if (more && bl_expr_accept(p, ",") && (by = interpolation(p)) < 0)
        return no_interpolation(p);
    if (bl_expr_accept(p, ","))
        return bl_expr_fail(p, at, "table takes at most 3 arguments: file, argument and interpolation; found more");
    if (!bl_expr_accept(p, ")"))
        return bl_expr_unexpected(p, "')' after the arguments of table");
    bl_index n = 0;
    const double *x = NULL, *y = NULL;
    bl_status status = p->scope->table(p->scope->user, file, &place, &n, &x, &y);
    if (status != BL_OK)
        return bl_expr_stop(p, status);
    bl_index node = bl_tape_table(p->tape, argument, by < 0 ? BL_TABLE_MONOTONE : (bl_tape_interpolation)by, n, x, y);
    if (node < 0 && bl_tape_status(p->tape) == BL_E_ARG) {
        bl_error error = *bl_context_error(p->ctx);
        return bl_expr_stop(p, bl_fail(p->ctx, BL_E_MODEL, &place, "%.200s: %.200s", file, error.what));
    }
    return node;
}

/* ---- functions */

static bl_index op1(bl_expr_parser *p, bl_tape_op op, bl_index a) { return bl_tape_op1(p->tape, op, a); }
static bl_index op2(bl_expr_parser *p, bl_tape_op op, bl_index a, bl_index b) { return bl_tape_op2(p->tape, op, a, b); }
static bl_index constant(bl_expr_parser *p, double value) { return bl_tape_const(p->tape, value); }

/* y0 + (y1 - y0) u^2 (3 - 2u), u = (x - x0) / (x1 - x0) limited to 0..1 */
static bl_index smoothstep(bl_expr_parser *p, const bl_index a[5]) {
    bl_index u = op2(p, BL_TAPE_DIV, op2(p, BL_TAPE_SUB, a[0], a[1]), op2(p, BL_TAPE_SUB, a[3], a[1]));
    u = op2(p, BL_TAPE_MIN, op2(p, BL_TAPE_MAX, u, constant(p, 0)), constant(p, 1));
    bl_index cubic = op2(p, BL_TAPE_SUB, constant(p, 3), op2(p, BL_TAPE_MUL, constant(p, 2), u));
    cubic = op2(p, BL_TAPE_MUL, op2(p, BL_TAPE_MUL, u, u), cubic);
    return op2(p, BL_TAPE_ADD, a[2], op2(p, BL_TAPE_MUL, op2(p, BL_TAPE_SUB, a[4], a[2]), cubic));
}

/* max(x - w, 0) + min(x + w, 0) */
static bl_index deadzone(bl_expr_parser *p, bl_index x, bl_index w) {
    bl_index above = op2(p, BL_TAPE_MAX, op2(p, BL_TAPE_SUB, x, w), constant(p, 0));
    return op2(p, BL_TAPE_ADD, above, op2(p, BL_TAPE_MIN, op2(p, BL_TAPE_ADD, x, w), constant(p, 0)));
}

static bl_index with_memory(bl_expr_parser *p, size_t at, const function *f, const bl_index *a) {
    bl_place place = bl_expr_place(p, at);
    bl_index node = -1;
    if (!p->scope || !p->scope->memory) {
        bl_expr_fail(p, at, "%s cannot be used here", f->name);
        bl_advise(p->ctx, "it has a memory: use it in laws of forces, states and controllers");
        return -1;
    }
    bl_status status = p->scope->memory(p->scope->user, p->tape, f->name, a, &place, &node);
    return status == BL_OK ? node : bl_expr_stop(p, status);
}

static bl_index apply(bl_expr_parser *p, size_t at, const function *f, const bl_index *a, int n) {
    bl_index node = a[0];
    double value;
    switch (f->id) {
    case F_OP1: return op1(p, f->op, a[0]);
    case F_OP2: return op2(p, f->op, a[0], a[1]);
    case F_LOG10:
        if (bl_tape_known(p->tape, a[0], &value))
            return constant(p, log10(value));
        return op2(p, BL_TAPE_DIV, op1(p, BL_TAPE_LOG, a[0]), constant(p, log(10)));
    case F_MIN_MAX:
        for (int i = 1; i < n; i++)
            node = op2(p, f->op, node, a[i]);
        return node;
    case F_MOD:
        node = op1(p, BL_TAPE_FLOOR, op2(p, BL_TAPE_DIV, a[0], a[1]));
        return op2(p, BL_TAPE_SUB, a[0], op2(p, BL_TAPE_MUL, a[1], node));
    case F_HYPOT:
        node = op2(p, BL_TAPE_ADD, op2(p, BL_TAPE_MUL, a[0], a[0]), op2(p, BL_TAPE_MUL, a[1], a[1]));
        return op1(p, BL_TAPE_SQRT, node);
    case F_IF: return bl_tape_if(p->tape, a[0], a[1], a[2]);
    case F_STEP: return op2(p, BL_TAPE_LESS_EQUAL, constant(p, 0), a[0]);
    case F_RAMP: return op2(p, BL_TAPE_MAX, a[0], constant(p, 0));
    case F_SMOOTHSTEP:
        if (a[1] == a[3] && a[1] >= 0)
            return bl_expr_fail(p, at, "smoothstep(x, x0, y0, x1, y1) needs x0 and x1 that differ");
        return smoothstep(p, a);
    case F_CLAMP: return op2(p, BL_TAPE_MIN, op2(p, BL_TAPE_MAX, a[0], a[1]), a[2]);
    case F_DEADZONE: return deadzone(p, a[0], a[1]);
    case F_MEMORY: return with_memory(p, at, f, a);
    case F_TABLE: break;
    }
    return -1;
}

/* Parses with `next`, without looking up names if a known condition excludes the branch. */
static bl_index branch(bl_expr_parser *p, bl_index (*next)(bl_expr_parser *), bl_index condition, bool wanted) {
    double value;
    if (bl_tape_status(p->tape) != BL_OK)
        return bl_expr_stop(p, bl_tape_status(p->tape));
    bool out = bl_expr_arrays(p) && bl_tape_known(p->tape, condition, &value) && (value != 0) != wanted;
    p->dead += out;
    bl_index node = next(p);
    p->dead -= out;
    return node;
}

static bl_index call(bl_expr_parser *p, size_t at, const char *word) {
    const function *f = function_of(word);
    if (!f && (!strcmp(word, "sum") || !strcmp(word, "prod")))
        return bl_expr_series(p, at, word);
    if (!f) {
        const char *names[NFUNCTION];
        for (size_t i = 0; i < NFUNCTION; i++)
            names[i] = functions[i].name;
        bl_expr_fail(p, at, bl_expr_reserved(word) ? "'%s' is not a function" : "unknown function '%s'", word);
        did_you_mean(p, bl_nearest(word, names, NFUNCTION));
        return -1;
    }
    if (f->id == F_TABLE)
        return table(p, at);
    bl_index argument[MOST_ARGUMENTS];
    int count = 0;
    if (!bl_expr_accept(p, ")")) {
        do {
            if (count == MOST_ARGUMENTS)
                return bl_expr_fail(p, at, "%s takes at most %d arguments", word, f->most);
            argument[count] =
                f->id == F_IF && (count == 1 || count == 2) ? branch(p, bl_expr_ternary, argument[0], count == 1) : bl_expr_ternary(p);
            count++;
            if (p->status != BL_OK)
                return -1;
        } while (bl_expr_accept(p, ","));
        if (!bl_expr_accept(p, ")"))
            return bl_expr_unexpected(p, "',' or ')'");
    }
    if (count < f->least || count > f->most) {
        if (f->most == MOST_ARGUMENTS)
            return bl_expr_fail(p, at, "%s takes at least %d arguments, found %d", word, f->least, count);
        return bl_expr_fail(p, at, "%s takes %d argument%s, found %d", word, f->least, f->least == 1 ? "" : "s", count);
    }
    return apply(p, at, f, argument, count);
}

/* ---- the grammar, tightest first */

static bl_index primary(bl_expr_parser *p) {
    bl_expr_skip(p);
    size_t at = p->at;
    if (p->scope && p->scope->terms && ++*p->scope->terms > p->scope->most_terms)
        return bl_expr_fail(p, at, "the equations have more than %zu terms", p->scope->most_terms);
    if (is_digit(peek(p, 0)) || (peek(p, 0) == '.' && is_digit(peek(p, 1))))
        return number(p);
    if (bl_expr_accept(p, "(")) {
        bl_index node = bl_expr_ternary(p);
        if (p->status != BL_OK)
            return -1;
        if (bl_expr_accept(p, ")"))
            return node;
        bl_expr_unexpected(p, "')'");
        bl_advise(p->ctx, "the '(' in column %d is not closed", bl_expr_place(p, at).column);
        return -1;
    }
    size_t n = bl_expr_word(p);
    if (n == 0)
        return bl_expr_unexpected(p, "a number, a name or '('");
    if (n > LONGEST_WORD)
        return bl_expr_fail(p, at, "a name must have at most %d characters", LONGEST_WORD);
    char word[LONGEST_WORD + 1];
    memcpy(word, p->text + at, n);
    word[n] = '\0';
    p->at += n;
    if (!is_keyword(word) && bl_expr_accept(p, "("))
        return call(p, at, word);
    return !is_keyword(word) && bl_expr_accept(p, "[") ? bl_expr_element(p, at, word) : name(p, at, word);
}

static bl_index power(bl_expr_parser *p) {
    bl_index base = primary(p);
    if (p->status != BL_OK || !bl_expr_accept(p, "^"))
        return base;
    if (!enter(p))
        return -1;
    bl_index exponent = unary(p); /* right associative; 2^-1 works */
    p->depth--;
    return p->status == BL_OK ? op2(p, BL_TAPE_POW, base, exponent) : -1;
}

static bl_index unary(bl_expr_parser *p) {
    bool minus = false;
    for (;;) {
        if (bl_expr_accept(p, "-"))
            minus = !minus;
        else if (!bl_expr_accept(p, "+"))
            break;
    }
    bl_index node = power(p);
    return p->status == BL_OK && minus ? op1(p, BL_TAPE_NEG, node) : node;
}

static bl_index product(bl_expr_parser *p) {
    bl_index node = unary(p);
    while (p->status == BL_OK) {
        bool times = bl_expr_accept(p, "*");
        if (!times && !bl_expr_accept(p, "/"))
            break;
        bl_index right = unary(p);
        if (p->status == BL_OK)
            node = op2(p, times ? BL_TAPE_MUL : BL_TAPE_DIV, node, right);
    }
    return node;
}

static bl_index sum(bl_expr_parser *p) {
    bl_index node = product(p);
    while (p->status == BL_OK) {
        bool plus = bl_expr_accept(p, "+");
        if (!plus && !bl_expr_accept(p, "-"))
            break;
        bl_index right = product(p);
        if (p->status == BL_OK)
            node = op2(p, plus ? BL_TAPE_ADD : BL_TAPE_SUB, node, right);
    }
    return node;
}

static const char *const comparisons[] = {"<=", ">=", "==", "!=", "<", ">"};
enum { NCOMPARISON = sizeof comparisons / sizeof *comparisons };

static int accept_comparison(bl_expr_parser *p) {
    for (int i = 0; i < NCOMPARISON; i++)
        if (bl_expr_accept(p, comparisons[i]))
            return i;
    return -1;
}

static bl_index comparison(bl_expr_parser *p) {
    bl_index left = sum(p), node = -1;
    int which = p->status == BL_OK ? accept_comparison(p) : -1;
    if (which < 0)
        return left;
    bl_index right = sum(p);
    if (p->status != BL_OK)
        return -1;
    switch (comparisons[which][0]) {
    case '<': node = op2(p, which == 0 ? BL_TAPE_LESS_EQUAL : BL_TAPE_LESS, left, right); break;
    case '>': node = op2(p, which == 1 ? BL_TAPE_LESS_EQUAL : BL_TAPE_LESS, right, left); break;
    default:
        node = op2(p, BL_TAPE_EQUAL, left, right);
        if (comparisons[which][0] == '!')
            node = op1(p, BL_TAPE_NOT, node);
        break;
    }
    bl_expr_skip(p);
    size_t at = p->at;
    if (accept_comparison(p) >= 0) {
        bl_expr_fail(p, at, "comparisons cannot be chained");
        bl_advise(p->ctx, "combine them with 'and': a < b and b < c");
    }
    return node;
}

static bl_index negation(bl_expr_parser *p) {
    if (!accept_word(p, "not"))
        return comparison(p);
    if (!enter(p))
        return -1;
    bl_index node = negation(p);
    p->depth--;
    return p->status == BL_OK ? op1(p, BL_TAPE_NOT, node) : -1;
}

static bl_index conjunction(bl_expr_parser *p) {
    bl_index node = negation(p);
    while (p->status == BL_OK && accept_word(p, "and")) {
        bl_index right = branch(p, negation, node, true);
        if (p->status == BL_OK)
            node = op2(p, BL_TAPE_AND, node, right);
    }
    return node;
}

static bl_index disjunction(bl_expr_parser *p) {
    bl_index node = conjunction(p);
    while (p->status == BL_OK && accept_word(p, "or")) {
        bl_index right = branch(p, conjunction, node, false);
        if (p->status == BL_OK)
            node = op2(p, BL_TAPE_OR, node, right);
    }
    return node;
}

bl_index bl_expr_ternary(bl_expr_parser *p) {
    if (!enter(p))
        return -1;
    bl_index node = disjunction(p);
    if (p->status == BL_OK && bl_expr_accept(p, "?")) {
        bl_index then = branch(p, bl_expr_ternary, node, true);
        if (p->status == BL_OK && !bl_expr_accept(p, ":"))
            bl_expr_unexpected(p, "':'");
        bl_index otherwise = p->status == BL_OK ? branch(p, bl_expr_ternary, node, false) : -1;
        node = p->status == BL_OK ? bl_tape_if(p->tape, node, then, otherwise) : -1;
    }
    p->depth--;
    return node;
}

static void unexpected_end(bl_expr_parser *p) {
    bool name = starts_name(peek(p, 0));
    bl_expr_unexpected(p, "an operator or the end of the expression");
    if (name)
        bl_advise(p->ctx, "write '*' between factors: =30*deg");
}

bl_status bl_expr_parse(bl_context *ctx, const char *text, size_t length, const bl_place *place, const bl_expr_scope *scope, bl_tape *tape,
                        bl_index *node) {
    static const bl_place nowhere = {NULL, 1, 1};
    bl_expr_parser p = {.ctx = ctx, .text = text, .length = length, .place = place ? place : &nowhere, .scope = scope, .tape = tape};
    *node = -1;
    bl_expr_skip(&p);
    if (p.at >= length) {
        bl_expr_fail(&p, 0, "the expression is empty");
        return p.status;
    }
    bl_index result = bl_expr_ternary(&p);
    bl_expr_skip(&p);
    if (p.status == BL_OK && p.at < length)
        unexpected_end(&p);
    if (p.status == BL_OK)
        p.status = bl_tape_status(tape);
    if (p.status == BL_OK)
        *node = result;
    return p.status;
}
