/* tape: a list of elementary operations, recorded once.
 *
 * Forces and expressions are tapes. A tape runs over numbers, gives exact first derivatives, and runs
 * over truncated power series; nodes are numbered in the order of recording and refer only to earlier
 * ones. Recording allocates; running does not. */
#ifndef BL_TAPE_H
#define BL_TAPE_H

#include "base/base.h"

typedef enum bl_tape_op {
    BL_TAPE_CONST,
    BL_TAPE_INPUT,
    BL_TAPE_ADD,
    BL_TAPE_SUB,
    BL_TAPE_MUL,
    BL_TAPE_DIV,
    BL_TAPE_POW,
    BL_TAPE_NEG,
    BL_TAPE_SQRT,
    BL_TAPE_EXP,
    BL_TAPE_LOG,
    BL_TAPE_SIN,
    BL_TAPE_COS,
    BL_TAPE_TAN,
    BL_TAPE_ASIN,
    BL_TAPE_ACOS,
    BL_TAPE_ATAN,
    BL_TAPE_ATAN2,
    BL_TAPE_SINH,
    BL_TAPE_COSH,
    BL_TAPE_TANH,
    /* not smooth everywhere */
    BL_TAPE_ABS,
    BL_TAPE_SIGN,
    BL_TAPE_MIN,
    BL_TAPE_MAX,
    BL_TAPE_FLOOR,
    BL_TAPE_LESS,
    BL_TAPE_LESS_EQUAL,
    BL_TAPE_EQUAL,
    BL_TAPE_AND,
    BL_TAPE_OR,
    BL_TAPE_NOT,   /* 0 or 1 */
    BL_TAPE_IF,    /* a != 0 ? b : c */
    BL_TAPE_TABLE, /* interpolation in table `c` at a */
    /* with a given branch (pieces.h): smooth */
    BL_TAPE_PIECE,      /* the bl_tape_piece_what `c` of a in the piece b */
    BL_TAPE_TABLE_PIECE /* piece b of table `c` at a */
} bl_tape_op;

/* Operations that switch: the sign of a, whether a > 0, whether a >= 0, the floor of a; the interval of a table. */
typedef enum bl_tape_piece_what {
    BL_PIECE_SIGN,
    BL_PIECE_POSITIVE,
    BL_PIECE_NOT_NEGATIVE,
    BL_PIECE_FLOOR,
    BL_PIECE_TABLE
} bl_tape_piece_what;

typedef struct bl_tape bl_tape;

bl_status bl_tape_create(bl_context *ctx, bl_tape **tape);
void bl_tape_destroy(bl_tape *tape);

/* Recording returns the node's number; after a failed allocation it returns -1 and every later call
 * does too, so that a recording needs one check: bl_tape_finish. Constants are folded; equal nodes are shared. */
bl_index bl_tape_const(bl_tape *tape, double value);
bl_index bl_tape_input(bl_tape *tape, bl_index which); /* inputs are numbered from 0 by the recorder */
bl_index bl_tape_op1(bl_tape *tape, bl_tape_op op, bl_index a);
bl_index bl_tape_op2(bl_tape *tape, bl_tape_op op, bl_index a, bl_index b);
bl_index bl_tape_if(bl_tape *tape, bl_index condition, bl_index then, bl_index otherwise);
/* Interpolates (x, y)[n], x increasing; constant beyond the ends; copies the data. */
typedef enum bl_tape_interpolation {
    BL_TABLE_MONOTONE, /* cubic Hermite, as monotone as the data (Fritsch, Carlson); slopes are continuous */
    BL_TABLE_LINEAR,   /* straight between neighbors; values are continuous */
    BL_TABLE_CUBIC     /* spline through all rows, not-a-knot ends; second derivatives are continuous */
} bl_tape_interpolation;
bl_index bl_tape_table(bl_tape *tape, bl_index at, bl_tape_interpolation by, bl_index n, const double *x, const double *y);
/* The interpolation named `word`; -1: none. */
int bl_tape_interpolation_of(const char *word);
/* The same with the branch given by the node `piece` (pieces.h). table: a node from bl_tape_table. */
bl_index bl_tape_held(bl_tape *tape, bl_tape_piece_what what, bl_index a, bl_index piece);
bl_index bl_tape_table_held(bl_tape *tape, bl_index table, bl_index piece);
/* Records node i of `other`, whose earlier nodes are map[] on this tape; not an input. */
bl_index bl_tape_copy_node(bl_tape *tape, const bl_tape *other, bl_index i, const bl_index *map);
/* Records `other` on `tape`, with node inputs[k] as its input k; outputs[] receives the nodes of its outputs. */
bl_status bl_tape_splice(bl_tape *tape, const bl_tape *other, const bl_index *inputs, bl_index *outputs);
/* Records what node `root` of `other`, which need not be finished, depends on, with the same inputs. */
bl_status bl_tape_extract(bl_tape *tape, const bl_tape *other, bl_index root, bl_index *node);
bl_status bl_tape_output(bl_tape *tape, bl_index node);
bool bl_tape_known(const bl_tape *tape, bl_index node, double *value); /* true: the node is a constant; value may be NULL */
bl_status bl_tape_status(const bl_tape *tape);                         /* BL_OK, or why recording failed */

/* ---- derivatives recorded on the same tape, before it is finished */

/* Entries start[k] .. start[k+1]-1 belong to root k: its derivative with respect to input[e], ascending, is node[e]. Structural
 * zeros are left out. */
typedef struct bl_tape_gradients {
    bl_index *start, *input, *node;
} bl_tape_gradients;
bl_status bl_tape_differentiate(bl_tape *tape, bl_index nroot, const bl_index *root, bl_tape_gradients *out);
void bl_tape_gradients_destroy(const bl_tape *tape, bl_tape_gradients *made); /* zeroed is fine */
/* Adds to use[inputs] how the roots depend on each input. */
enum { BL_USES_INPUT = 1, BL_USES_ROUGHLY = 2 /* through an operation that is not smooth everywhere */ };
bl_status bl_tape_uses(const bl_tape *tape, bl_index nroot, const bl_index *root, uint8_t *use);

/* ---- the end of a recording */

/* Removes dead nodes, fixes sizes; the tape is read-only and shareable afterwards. Fails if recording did. */
bl_status bl_tape_finish(bl_tape *tape);

bl_index bl_tape_inputs(const bl_tape *tape); /* highest input recorded + 1, even if unused */
bl_index bl_tape_outputs(const bl_tape *tape);
bool bl_tape_smooth(const bl_tape *tape);                                   /* no operation that is not smooth everywhere */
bool bl_tape_depends(const bl_tape *tape, bl_index output, bl_index input); /* by structure */
bool bl_tape_constant(const bl_tape *tape, bl_index output, double *value); /* true: value does not depend on inputs */
/* For a node that evaluates a table (its knots: series/pieces.h): the highest derivative that is continuous at a knot: 0 only the value (a
 * kink), 1, 2; -1: the value jumps (nodes that are derivatives of tables); 3: the pieces on both sides are the same. */
int bl_tape_knot_smooth(const bl_tape *tape, bl_index node, bl_index knot);

/* Doubles of workspace for each kind of evaluation; the caller owns one workspace per thread. */
size_t bl_tape_work(const bl_tape *tape); /* eval, jacobian */
size_t bl_tape_series_work(const bl_tape *tape, int order);

/* out[noutput] from in[ninput]. */
void bl_tape_eval(const bl_tape *tape, const double *in, double *out, double *work);
/* Also d_out[noutput][ninput], row by row (reverse sweep per output). */
void bl_tape_jacobian(const bl_tape *tape, const double *in, double *out, double *d_out, double *work);
/* out[noutput][order+1] from in[ninput][order+1]: coefficients of powers of the expansion variable.
 * Non-smooth operations follow the branch of the leading coefficients (abs, min, max: of the first that decide). */
void bl_tape_series(const bl_tape *tape, int order, const double *in, double *out, double *work);
/* Only coefficient k, from 0..k of in, after 0..k-1 were computed in the same work: for recurrences that feed out back to in. */
void bl_tape_series_next(const bl_tape *tape, int order, int k, const double *in, double *out, double *work);

/* The same for many expansions of one order: computes only what the wanted outputs need; inputs and outputs are accessed in place.
 * wanted[noutput]; NULL: all. The finished tape must outlive it. */
typedef struct bl_tape_recurrence bl_tape_recurrence;
bl_status bl_tape_recurrence_create(bl_context *ctx, const bl_tape *tape, int order, const bool *wanted, bl_tape_recurrence **out);
void bl_tape_recurrence_destroy(bl_tape_recurrence *run);
double *bl_tape_recurrence_in(bl_tape_recurrence *run, bl_index input);               /* [order + 1], zeros at first; NULL: not used */
const double *bl_tape_recurrence_out(const bl_tape_recurrence *run, bl_index output); /* [order + 1] */
void bl_tape_recurrence_next(bl_tape_recurrence *run, int k);                         /* coefficient k, as bl_tape_series_next */

/* ---- programs: many outputs in groups, requested as sets; common subexpressions are computed once */

typedef struct bl_tape_program bl_tape_program;
/* Output k is node output[k] of a tape that is still being recorded, and belongs to group[k] < 32. The tape is not needed afterwards. */
bl_status bl_tape_program_create(const bl_tape *tape, bl_index noutput, const bl_index *output, const uint8_t *group,
                                 bl_tape_program **out);
void bl_tape_program_destroy(bl_tape_program *program);
size_t bl_tape_program_work(const bl_tape_program *program);              /* doubles; one workspace per thread */
void bl_tape_program_start(const bl_tape_program *program, double *work); /* once for each workspace */
/* Computes the groups with bits in `want`; those in `done` were computed before in this workspace from the same inputs. */
void bl_tape_program_run(const bl_tape_program *program, const double *in, uint32_t want, uint32_t done, double *work);
/* out[] = the outputs of a group in the order of creation. Returns their number. */
bl_index bl_tape_program_take(const bl_tape_program *program, int group, const double *work, double *out);
bool bl_tape_program_constant(const bl_tape_program *program, int group); /* nothing of the group depends on inputs */

#endif
