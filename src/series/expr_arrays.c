/* Arrays and loops in expressions: name[index], sum and prod, whose indices and bounds are known when the text is read. */
#include "series/expr_inner.h"

#include <math.h>
#include <string.h>

bool bl_expr_arrays(const bl_expr_parser *p) { return p->scope && p->scope->element; }

/* BL_NAME_UNKNOWN: reported */
bl_expr_name bl_expr_what(bl_expr_parser *p, size_t at, const char *word) {
    const char *nearest = NULL;
    bl_expr_name what = p->scope->what(p->scope->user, word, &nearest);
    if (what == BL_NAME_UNKNOWN)
        bl_expr_unknown(p, at, word, nearest);
    return what;
}

/* an integer that is already known */
static bool known_integer(bl_expr_parser *p, size_t at, bl_index node, const char *what, const char *word, double *value) {
    if (bl_tape_status(p->tape) != BL_OK) /* out of memory */
        bl_expr_stop(p, bl_tape_status(p->tape));
    if (p->status != BL_OK || p->dead)
        return p->status == BL_OK;
    if (!bl_tape_known(p->tape, node, value)) {
        bl_expr_fail(p, at, "%s %s must be known before the run: use only numbers, parameters and indices", what, word);
        return false;
    }
    if (*value == floor(*value) && fabs(*value) < 1e9)
        return true;
    bl_expr_fail(p, at, "%s %s must be an integer, found %g", what, word, *value);
    return false;
}

/* after the '[' */
bl_index bl_expr_element(bl_expr_parser *p, size_t at, const char *word) {
    if (!bl_expr_arrays(p)) {
        bl_expr_fail(p, at, "'%s[' cannot be used here: arrays are only available in 'equations'", word);
        return -1;
    }
    bl_expr_name what = bl_expr_what(p, at, word);
    if (what == BL_NAME_NUMBER)
        return bl_expr_fail(p, at, "'%s' is not an array", word);
    if (what == BL_NAME_UNKNOWN)
        return -1;
    bl_expr_skip(p);
    size_t start = p->at;
    double index = 0;
    bl_index node = bl_expr_ternary(p);
    if (p->status != BL_OK || !known_integer(p, start, node, "the index of", word, &index))
        return -1;
    if (!bl_expr_accept(p, "]"))
        return bl_expr_unexpected(p, "']'");
    if (p->dead)
        return bl_tape_const(p->tape, 0);
    bl_place place = bl_expr_place(p, start);
    bl_status status = p->scope->element(p->scope->user, p->tape, word, (bl_index)index, &place, &node);
    return status == BL_OK ? node : bl_expr_stop(p, status);
}

static bool loop_name(bl_expr_parser *p, bl_expr_loop *l) {
    bl_expr_skip(p);
    size_t n = bl_expr_word(p), at = p->at;
    if (n == 0) {
        bl_expr_unexpected(p, "the name of an index");
        return false;
    }
    if (n >= sizeof l->name) {
        bl_expr_fail(p, at, "the name of an index must have at most %zu characters", sizeof l->name - 1);
        return false;
    }
    memcpy(l->name, p->text + at, n);
    l->name[n] = '\0';
    const char *nearest;
    bool taken = bl_expr_reserved(l->name) || p->scope->what(p->scope->user, l->name, &nearest) != BL_NAME_UNKNOWN;
    for (const bl_expr_loop *outer = p->loops; outer; outer = outer->outer)
        taken = taken || !strcmp(outer->name, l->name);
    if (taken || strchr(l->name, '.')) {
        bl_expr_fail(p, at, taken ? "'%s' cannot be an index: the name is already used" : "'%s' cannot be an index: it contains a period",
                     l->name);
        return false;
    }
    p->at += n;
    return true;
}

/* Pairwise summation: part[k] holds a sum of 2^k terms while bit k of the count is set. */
typedef struct pairs {
    bl_tape_op op;
    bl_index part[40];
    unsigned long count;
} pairs;

static void add_term(bl_expr_parser *p, pairs *s, bl_index term) {
    int k = 0;
    for (unsigned long bits = s->count; bits & 1; bits >>= 1, k++)
        term = bl_tape_op2(p->tape, s->op, s->part[k], term);
    s->part[k] = term;
    s->count++;
}

static bl_index all_terms(bl_expr_parser *p, const pairs *s) {
    bl_index node = -1;
    int k = 0;
    for (unsigned long bits = s->count; bits; bits >>= 1, k++)
        if (bits & 1)
            node = node < 0 ? s->part[k] : bl_tape_op2(p->tape, s->op, s->part[k], node);
    return s->count ? node : bl_tape_const(p->tape, s->op == BL_TAPE_MUL);
}

/* sum(j, from, to, term), after the '(' */
bl_index bl_expr_series(bl_expr_parser *p, size_t at, const char *word) {
    if (!bl_expr_arrays(p)) {
        bl_expr_fail(p, at, "'%s' cannot be used here: it is only available in 'equations'", word);
        return -1;
    }
    bl_expr_loop l = {.outer = p->loops};
    pairs s = {.op = word[0] == 's' ? BL_TAPE_ADD : BL_TAPE_MUL};
    double bound[2] = {0, 0};
    if (!loop_name(p, &l))
        return -1;
    for (int k = 0; k < 2; k++) {
        if (!bl_expr_accept(p, ","))
            return bl_expr_unexpected(p, "','");
        bl_expr_skip(p);
        size_t start = p->at;
        bl_index node = bl_expr_ternary(p);
        if (!known_integer(p, start, node, "a bound of", word, &bound[k]))
            return -1;
    }
    if (!bl_expr_accept(p, ","))
        return bl_expr_unexpected(p, "','");
    size_t body = p->at;
    bool empty = p->dead || bound[1] < bound[0];
    p->dead += empty;
    p->loops = &l;
    for (l.value = bound[0]; p->status == BL_OK && (empty || l.value <= bound[1]); l.value++) {
        p->at = body;
        bl_index term = bl_expr_ternary(p);
        if (empty)
            break;
        if (p->status == BL_OK)
            add_term(p, &s, term);
    }
    p->loops = l.outer;
    p->dead -= empty;
    if (p->status != BL_OK)
        return -1;
    if (!bl_expr_accept(p, ")"))
        return bl_expr_unexpected(p, "')' after the term");
    return all_terms(p, &s);
}
