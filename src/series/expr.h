/* expr: arithmetic text to a tape.
 *
 * Grammar, loosest first: a ? b : c | or | and | not | < <= > >= == != | + - | * / | unary - | ^ (right).
 * Functions: sqrt exp log log10 sin cos tan asin acos atan atan2 sinh cosh tanh abs sign min max floor mod
 * hypot if(c,a,b) step(x) (0 for x<0, else 1) ramp(x) smoothstep(x,x0,y0,x1,y1) table(FILE) table(FILE, x)
 * table(FILE, x, linear) (or monotone, the default, or cubic; also without x).
 * min and max take two or more. table(FILE) is read at `x` when the scope has it as a function, else at `t`.
 * Constants: pi, deg (=pi/180), rpm (=2 pi/60), mm (=1e-3), inf is refused. Names may contain dots (j1.angle).
 *
 * Where the scope has arrays: name[index], sum(j, from, to, term), prod(j, from, to, factor); indices and bounds are whole numbers
 * known when the text is read. Then a branch that a known condition leaves out (?:, if, and, or) is read without being looked up,
 * so that i > 1 ? u[i-1] : 0 is fine for i = 1. Sums are added in pairs: rounding grows with the logarithm of their length. */
#ifndef BL_EXPR_H
#define BL_EXPR_H

#include "series/tape.h"

typedef enum bl_expr_name { BL_NAME_UNKNOWN, BL_NAME_NUMBER, BL_NAME_ARRAY } bl_expr_name;

typedef struct bl_expr_scope {
    void *user;
    /* Sets *node for a name and returns BL_OK, or records an error (place given) and returns its status.
     * Return BL_AGAIN for "not mine": then the parser reports an unknown name with `nearest` (may be NULL). */
    bl_status (*name)(void *user, bl_tape *tape, const char *name, const bl_place *place, bl_index *node, const char **nearest);
    /* Reads the two columns of a table file into arena memory; NULL: table() is refused. */
    bl_status (*table)(void *user, const char *file, const bl_place *place, bl_index *n, const double **x, const double **y);
    /* ---- arrays; all NULL: refused with a message */
    bl_status (*element)(void *user, bl_tape *tape, const char *name, bl_index index, const bl_place *place, bl_index *node);
    /* What a name is, without a node for it. `nearest` as above. */
    bl_expr_name (*what)(void *user, const char *name, const char **nearest);
    size_t *terms; /* numbers and names read so far, in loops again and again; more than most_terms are refused */
    size_t most_terms;
} bl_expr_scope;

/* text[length] starts at `place`; error columns point at the offending character. Nesting deeper than 200 is refused. */
bl_status bl_expr_parse(bl_context *ctx, const char *text, size_t length, const bl_place *place, const bl_expr_scope *scope, bl_tape *tape,
                        bl_index *node);

/* True for words that mean something in every expression (functions, constants, and or not, inf nan), so that nothing else may
 * have such a name. */
bool bl_expr_reserved(const char *word);

#endif
