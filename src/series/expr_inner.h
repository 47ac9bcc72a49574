/* Shared by the files that parse expressions. Not for other rooms. */
#ifndef BL_EXPR_INNER_H
#define BL_EXPR_INNER_H

#include "series/expr.h"

typedef struct bl_expr_loop { /* of a sum or product that is being parsed */
    char name[64];
    double value;
    const struct bl_expr_loop *outer;
} bl_expr_loop;

typedef struct bl_expr_parser {
    bl_context *ctx;
    const char *text;
    size_t length, at;
    const bl_place *place;
    const bl_expr_scope *scope;
    bl_tape *tape;
    int depth;
    int dead; /* > 0: inside excluded branches */
    const bl_expr_loop *loops;
    bl_status status;
} bl_expr_parser;

/* ---- expr.c. On failure the status is set once and -1 returned, so that callers can write `return bl_expr_fail(...)`. */
bl_place bl_expr_place(const bl_expr_parser *p, size_t at);
bl_index bl_expr_stop(bl_expr_parser *p, bl_status status);
bl_index bl_expr_fail(bl_expr_parser *p, size_t at, const char *format, ...) BL_PRINTF(3, 4);
bl_index bl_expr_unexpected(bl_expr_parser *p, const char *wanted);
bl_index bl_expr_unknown(bl_expr_parser *p, size_t at, const char *word, const char *nearest);
void bl_expr_skip(bl_expr_parser *p); /* blanks */
bool bl_expr_accept(bl_expr_parser *p, const char *symbol);
size_t bl_expr_word(const bl_expr_parser *p); /* length of the word at the current position */
bl_index bl_expr_ternary(bl_expr_parser *p);  /* a complete expression */

/* ---- expr_arrays.c */
bool bl_expr_arrays(const bl_expr_parser *p);                              /* whether the scope has arrays */
bl_expr_name bl_expr_what(bl_expr_parser *p, size_t at, const char *word); /* BL_NAME_UNKNOWN: an error was reported */
bl_index bl_expr_element(bl_expr_parser *p, size_t at, const char *word);  /* name[index], after the '[' */
bl_index bl_expr_series(bl_expr_parser *p, size_t at, const char *word);   /* sum(j, from, to, term), after the '(' */

#endif
