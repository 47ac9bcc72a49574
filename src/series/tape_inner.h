/* Shared by the files of the tape. Not for other rooms. */
#ifndef BL_TAPE_INNER_H
#define BL_TAPE_INNER_H

#include "series/tape.h"

#include <math.h>

/* One instruction. Constants: a is the index in value[]. Inputs: a is the input. Tables: c is the table. Powers:
 * c is 1 when the exponent is constant. Operands an operation does not use are 0, so that reading them is harmless. */
typedef struct bl_tape_node {
    bl_tape_op op;
    bl_index a, b, c;
} bl_tape_node;

/* A step of the reverse sweep: the adjoint of `node` contributes to p and q. */
typedef struct bl_tape_edge {
    bl_index node, p, q;
} bl_tape_edge;

typedef struct bl_tape_lut {
    bl_index n;
    bl_tape_interpolation by;
    int order;             /* 0: the interpolation itself; 1, 2, 3: that derivative of it */
    double *x, *y, *slope; /* one block, owned by x */
} bl_tape_lut;

struct bl_tape {
    bl_context *ctx;
    bl_status status; /* first failure of the recording */
    bool finished;

    bl_tape_node *node; /* finished: constants, then inputs, then operations */
    bl_index nnode, node_room;
    double *value; /* of the constants */
    bl_index nvalue, value_room;
    bl_tape_lut *table;
    bl_index ntable, table_room;
    bl_index *output;
    bl_index noutput, output_room;
    bl_index ninput;  /* highest input recorded + 1 */
    bl_index *bucket; /* hash: node + 1, 0 is empty; only while recording */
    bl_index nbucket; /* a power of two */

    /* made by finish */
    bl_index nconst, nused; /* nodes 0..nconst-1 are constants, the next nused are inputs */
    bool smooth;
    unsigned char *depends; /* [noutput][ninput] */
    bl_tape_edge *edge;     /* per output, last node first */
    bl_index *edge_start;   /* [noutput + 1] */
    bl_index *touch;        /* per output, the input nodes that its derivatives reach */
    bl_index *touch_start;  /* [noutput + 1] */
    bl_index *extra;        /* [nnode] first extra series of a node; -1 - x: the node is extra series x of another */
    bl_index nextra;        /* total number of extra series */
};

/* The piece of a table at `at`: y + m s + c2 s^2 + c3 s^3 with s = at - x; beyond the ends m = c2 = c3 = 0. */
typedef struct bl_tape_piece {
    double x, y, m, c2, c3;
} bl_tape_piece;
bl_tape_piece bl_tape_piece_at(const bl_tape_lut *table, double at);
static inline double bl_tape_piece_value(const bl_tape_piece *p, double at) {
    double s = at - p->x;
    return p->m == 0 && p->c2 == 0 && p->c3 == 0 ? p->y : p->y + s * (p->m + s * (p->c2 + s * p->c3));
}
/* Whether a condition is a piece between its two sides: the branches are blended. */
static inline bool bl_tape_blends(const bl_tape *tape, const bl_tape_node *node, double condition) {
    return condition > 0 && condition < 1 && tape->node[node->a].op == BL_TAPE_PIECE;
}
/* ... in the given piece, after that many knots; 0: at `at`. */
bl_tape_piece bl_tape_piece_held(const bl_tape_lut *table, double piece, double at);
/* The number of the table with these data on this tape, added if new. */
bl_status bl_tape_table_add(bl_tape *tape, const bl_tape_lut *like, bl_index *which);
/* Records a table with n, by, order, x and y of `like` at a node. */
bl_index bl_tape_table_like(bl_tape *tape, bl_index at, const bl_tape_lut *like);

/* The integer exponent of a power whose series is computed by products, else 0. */
int bl_tape_chain(const bl_tape *tape, const bl_tape_node *node);

/* Number of operands of an operation; constants and inputs have none. */
static inline int bl_tape_arity(bl_tape_op op) {
    switch (op) {
    case BL_TAPE_CONST:
    case BL_TAPE_INPUT: return 0;
    case BL_TAPE_ADD:
    case BL_TAPE_SUB:
    case BL_TAPE_MUL:
    case BL_TAPE_DIV:
    case BL_TAPE_POW:
    case BL_TAPE_ATAN2:
    case BL_TAPE_MIN:
    case BL_TAPE_MAX:
    case BL_TAPE_LESS:
    case BL_TAPE_LESS_EQUAL:
    case BL_TAPE_EQUAL:
    case BL_TAPE_AND:
    case BL_TAPE_OR:
    case BL_TAPE_PIECE:
    case BL_TAPE_TABLE_PIECE: return 2;
    case BL_TAPE_IF: return 3;
    default: return 1;
    }
}

/* Operations whose derivative is zero wherever it exists. */
static inline bool bl_tape_flat(bl_tape_op op) {
    return op == BL_TAPE_SIGN || (op >= BL_TAPE_FLOOR && op <= BL_TAPE_NOT) || op == BL_TAPE_PIECE;
}

/* Operations that are not smooth for smooth operands; conditions (if, and) are as smooth as their operands. */
static inline bool bl_tape_rough(bl_tape_op op) { return (op >= BL_TAPE_ABS && op <= BL_TAPE_LESS_EQUAL) || op == BL_TAPE_TABLE; }

/* All operations of one or two operands. min and max return NaN if either operand is NaN. */
static inline double bl_tape_scalar(bl_tape_op op, double a, double b) {
    switch (op) {
    case BL_TAPE_ADD: return a + b;
    case BL_TAPE_SUB: return a - b;
    case BL_TAPE_MUL: return a * b;
    case BL_TAPE_DIV: return a / b;
    case BL_TAPE_POW: return pow(a, b);
    case BL_TAPE_NEG: return -a;
    case BL_TAPE_SQRT: return sqrt(a);
    case BL_TAPE_EXP: return exp(a);
    case BL_TAPE_LOG: return log(a);
    case BL_TAPE_SIN: return sin(a);
    case BL_TAPE_COS: return cos(a);
    case BL_TAPE_TAN: return tan(a);
    case BL_TAPE_ASIN: return asin(a);
    case BL_TAPE_ACOS: return acos(a);
    case BL_TAPE_ATAN: return atan(a);
    case BL_TAPE_ATAN2: return atan2(a, b);
    case BL_TAPE_SINH: return sinh(a);
    case BL_TAPE_COSH: return cosh(a);
    case BL_TAPE_TANH: return tanh(a);
    case BL_TAPE_ABS: return fabs(a);
    case BL_TAPE_SIGN: return a > 0 ? 1.0 : a < 0 ? -1.0 : a == 0 ? 0.0 : a;
    case BL_TAPE_MIN: return a <= b || a != a ? a : b;
    case BL_TAPE_MAX: return a >= b || a != a ? a : b;
    case BL_TAPE_FLOOR: return floor(a);
    case BL_TAPE_LESS: return a < b;
    case BL_TAPE_LESS_EQUAL: return a <= b;
    case BL_TAPE_EQUAL: return a == b;
    case BL_TAPE_AND: return a != 0 && b != 0;
    case BL_TAPE_OR: return a != 0 || b != 0;
    case BL_TAPE_NOT: return a == 0;
    case BL_TAPE_CONST:
    case BL_TAPE_INPUT:
    case BL_TAPE_IF:
    case BL_TAPE_TABLE:
    case BL_TAPE_PIECE:
    case BL_TAPE_TABLE_PIECE: break;
    }
    return NAN;
}

/* BL_TAPE_PIECE */
static inline double bl_tape_held_value(bl_index what, double a, double piece) {
    double side = piece > 1 ? 1 : piece < -1 ? -1 : piece;
    if (a != a)
        return a;
    switch ((bl_tape_piece_what)what) {
    case BL_PIECE_SIGN: return piece == 0 ? bl_tape_scalar(BL_TAPE_SIGN, a, 0) : side;
    case BL_PIECE_POSITIVE: return piece == 0 ? a > 0 : 0.5 * side + 0.5;
    case BL_PIECE_NOT_NEGATIVE: return piece == 0 ? a >= 0 : 0.5 * side + 0.5;
    case BL_PIECE_FLOOR: return floor(piece == 0 ? a : piece);
    case BL_PIECE_TABLE: break;
    }
    return NAN;
}

#endif
