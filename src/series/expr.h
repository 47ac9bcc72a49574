/* expr: arithmetic text to a tape.
 *
 * Grammar, loosest first: a ? b : c | or | and | not | < <= > >= == != | + - | * / | unary - | ^ (right).
 * Functions: sqrt exp log log10 sin cos tan asin acos atan atan2 sinh cosh tanh abs sign min max floor mod
 * hypot if(c,a,b) step(x) (0 for x<0, else 1) ramp(x) smoothstep(x,x0,y0,x1,y1) table(FILE) table(FILE, x)
 * table(FILE, x, linear) (or monotone, the default, or cubic; also without x).
 * clamp(x, low, high) deadzone(x, w) (0 for |x| < w, else x -+ w) hysteresis(x, low, high) (1 after x passed high, 0 after it passed low),
 * delay(x, time), the last two only where the scope has memory.
 * min and max take two or more. table(FILE) is evaluated at `x` if the scope has it as an input, else at `t`.
 * Constants: pi, deg (=pi/180), rpm (=2 pi/60), mm (=1e-3), inf is refused. Names may contain dots (j1.angle).
 *
 * If the scope has arrays: name[index], sum(j, from, to, term), prod(j, from, to, factor); indices and bounds are integers known when the
 * text is parsed. A branch excluded by a known condition (?:, if, and, or) is parsed without looking up its elements, so that
 * i > 1 ? u[i-1] : 0 is valid for i = 1. Sums are added in pairs: rounding errors grow with the logarithm of their length. */
#ifndef BL_EXPR_H
#define BL_EXPR_H

#include "series/tape.h"

typedef enum bl_expr_name { BL_NAME_UNKNOWN, BL_NAME_NUMBER, BL_NAME_ARRAY } bl_expr_name;

typedef struct bl_expr_scope {
    void *user;
    /* Sets *node for a name and returns BL_OK, or reports an error at `place` and returns its status.
     * BL_AGAIN: unknown; the parser then reports an unknown name and suggests `nearest` (may be NULL). */
    bl_status (*name)(void *user, bl_tape *tape, const char *name, const bl_place *place, bl_index *node, const char **nearest);
    /* Reads the two columns of a table file into arena memory; NULL: table() is refused. */
    bl_status (*table)(void *user, const char *file, const bl_place *place, bl_index *n, const double **x, const double **y);
    /* A function with a memory ("hysteresis", "delay") of nodes on the tape; NULL: such functions are refused. */
    bl_status (*memory)(void *user, bl_tape *tape, const char *function, const bl_index *argument, const bl_place *place, bl_index *node);
    /* ---- arrays; all NULL: arrays are refused with a message */
    bl_status (*element)(void *user, bl_tape *tape, const char *name, bl_index index, const bl_place *place, bl_index *node);
    /* The kind of a name, without recording a node. `nearest` as above. */
    bl_expr_name (*what)(void *user, const char *name, const char **nearest);
    size_t *terms; /* numbers and names parsed so far, once per pass of a loop; more than most_terms are refused */
    size_t most_terms;
} bl_expr_scope;

/* text[length] starts at `place`; error columns point at the offending character. Nesting deeper than 200 is refused. */
bl_status bl_expr_parse(bl_context *ctx, const char *text, size_t length, const bl_place *place, const bl_expr_scope *scope, bl_tape *tape,
                        bl_index *node);

/* True for words reserved in every expression (functions, constants, and or not, inf nan). */
bool bl_expr_reserved(const char *word);

#endif
