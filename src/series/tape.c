/* Recording of tapes. Constants are folded, x + 0, x * 1, x * 0 and the like are simplified so that derivatives stay sparse, and equal
 * nodes are found by hashing and shared. The first failure is kept: later calls return -1 and finish reports it. */
#include "series/tape_inner.h"

#include <string.h>

bl_status bl_tape_create(bl_context *ctx, bl_tape **tape) {
    BL_TRY(BL_NEW(ctx, *tape, 1));
    (*tape)->ctx = ctx;
    return BL_OK;
}

void bl_tape_destroy(bl_tape *tape) {
    if (!tape)
        return;
    bl_context *ctx = tape->ctx;
    for (bl_index i = 0; i < tape->ntable; i++)
        bl_free(ctx, tape->table[i].x);
    bl_free(ctx, tape->table);
    bl_free(ctx, tape->node);
    bl_free(ctx, tape->value);
    bl_free(ctx, tape->output);
    bl_free(ctx, tape->bucket);
    bl_free(ctx, tape->depends);
    bl_free(ctx, tape->edge);
    bl_free(ctx, tape->edge_start);
    bl_free(ctx, tape->touch);
    bl_free(ctx, tape->touch_start);
    bl_free(ctx, tape->extra);
    bl_free(ctx, tape);
}

/* The first failure is the one that finish reports. */
static bl_index give_up(bl_tape *tape, bl_status status) {
    if (tape->status == BL_OK)
        tape->status = status;
    return -1;
}

static bool ready(bl_tape *tape) {
    if (tape->finished)
        give_up(tape, bl_fail(tape->ctx, BL_E_ARG, NULL, "a finished tape cannot be extended"));
    return tape->status == BL_OK;
}

static bool valid(bl_tape *tape, bl_index node) {
    if (node >= 0 && node < tape->nnode)
        return true;
    give_up(tape, bl_fail(tape->ctx, BL_E_ARG, NULL, "node %d is not on the tape", (int)node));
    return false;
}

/* ---- sharing of equal nodes */

static uint64_t mix(uint64_t h, uint64_t word) {
    h = (h ^ word) * 0x9e3779b97f4a7c15u;
    return h ^ (h >> 29);
}

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t hash_node(const bl_tape_node *node, double value) {
    if (node->op == BL_TAPE_CONST)
        return mix(1, bits_of(value));
    uint64_t h = mix((uint64_t)node->op + 2, (uint64_t)node->a);
    return mix(mix(h, (uint64_t)node->b), (uint64_t)node->c);
}

static bl_status rehash(bl_tape *tape, bl_index size) {
    bl_index *bucket;
    BL_TRY(BL_NEW(tape->ctx, bucket, size));
    for (bl_index i = 0; i < tape->nnode; i++) {
        const bl_tape_node *node = &tape->node[i];
        uint64_t at = hash_node(node, node->op == BL_TAPE_CONST ? tape->value[node->a] : 0);
        while (bucket[at &= (uint64_t)size - 1])
            at++;
        bucket[at] = i + 1;
    }
    bl_free(tape->ctx, tape->bucket);
    tape->bucket = bucket;
    tape->nbucket = size;
    return BL_OK;
}

static bool same_node(const bl_tape *tape, bl_index i, const bl_tape_node *node, double value) {
    const bl_tape_node *old = &tape->node[i];
    if (old->op != node->op)
        return false;
    if (node->op == BL_TAPE_CONST)
        return bits_of(tape->value[old->a]) == bits_of(value);
    return old->a == node->a && old->b == node->b && old->c == node->c;
}

/* The number of the node, which is recorded if new. value is used for constants only. */
static bl_index record(bl_tape *tape, bl_tape_node node, double value) {
    bl_context *ctx = tape->ctx;
    if (2 * (tape->nnode + 1) > tape->nbucket) {
        bl_status status = rehash(tape, tape->nbucket ? 2 * tape->nbucket : 64);
        if (status != BL_OK)
            return give_up(tape, status);
    }
    uint64_t at = hash_node(&node, value), mask = (uint64_t)tape->nbucket - 1;
    while (tape->bucket[at &= mask]) {
        if (same_node(tape, tape->bucket[at] - 1, &node, value))
            return tape->bucket[at] - 1;
        at++;
    }
    bl_status status = BL_RESERVE(ctx, tape->node, tape->node_room, tape->nnode + 1);
    if (status == BL_OK && node.op == BL_TAPE_CONST) {
        status = BL_RESERVE(ctx, tape->value, tape->value_room, tape->nvalue + 1);
        if (status == BL_OK) {
            node.a = tape->nvalue;
            tape->value[tape->nvalue++] = value;
        }
    }
    if (status != BL_OK)
        return give_up(tape, status);
    tape->node[tape->nnode] = node;
    tape->bucket[at] = tape->nnode + 1;
    return tape->nnode++;
}

/* ---- recording */

bl_index bl_tape_const(bl_tape *tape, double value) { return ready(tape) ? record(tape, (bl_tape_node){.op = BL_TAPE_CONST}, value) : -1; }

bl_index bl_tape_input(bl_tape *tape, bl_index which) {
    if (!ready(tape))
        return -1;
    if (which < 0)
        return give_up(tape, bl_fail(tape->ctx, BL_E_ARG, NULL, "input %d of a tape is negative", (int)which));
    bl_index node = record(tape, (bl_tape_node){.op = BL_TAPE_INPUT, .a = which}, 0);
    if (node >= 0 && which >= tape->ninput)
        tape->ninput = which + 1;
    return node;
}

bool bl_tape_known(const bl_tape *tape, bl_index node, double *value) {
    if (node < 0 || node >= tape->nnode || tape->node[node].op != BL_TAPE_CONST)
        return false;
    if (value)
        *value = tape->value[tape->node[node].a];
    return true;
}

bl_status bl_tape_status(const bl_tape *tape) { return tape->status; }

static bool boolean_valued(bl_tape_op op) { return op >= BL_TAPE_LESS && op <= BL_TAPE_NOT; }

bl_index bl_tape_op1(bl_tape *tape, bl_tape_op op, bl_index a) {
    if (!ready(tape) || !valid(tape, a))
        return -1;
    if (bl_tape_arity(op) != 1 || op == BL_TAPE_TABLE)
        return give_up(tape, bl_fail(tape->ctx, BL_E_ARG, NULL, "operation %d does not take one operand", (int)op));
    double x;
    if (bl_tape_known(tape, a, &x))
        return bl_tape_const(tape, bl_tape_scalar(op, x, 0));
    const bl_tape_node *inner = &tape->node[a];
    if (op == BL_TAPE_NEG && inner->op == BL_TAPE_NEG)
        return inner->a;
    if (op == BL_TAPE_NEG && inner->op == BL_TAPE_SUB)
        return bl_tape_op2(tape, BL_TAPE_SUB, inner->b, inner->a);
    if (op == BL_TAPE_NOT && inner->op == BL_TAPE_NOT && boolean_valued(tape->node[inner->a].op))
        return inner->a;
    if (op == BL_TAPE_ABS && inner->op == BL_TAPE_ABS)
        return a;
    return record(tape, (bl_tape_node){.op = op, .a = a}, 0);
}

/* x^n: small integer powers become products, valid for any base; others stay powers. */
static bl_index power(bl_tape *tape, bl_index a, bl_index b) {
    double n;
    if (!bl_tape_known(tape, b, &n))
        return record(tape, (bl_tape_node){.op = BL_TAPE_POW, .a = a, .b = b}, 0);
    if (n == 0)
        return bl_tape_const(tape, 1);
    if (n == 1)
        return a;
    if (n == 0.5)
        return bl_tape_op1(tape, BL_TAPE_SQRT, a);
    if (n == -1)
        return bl_tape_op2(tape, BL_TAPE_DIV, bl_tape_const(tape, 1), a);
    bl_index square = n == 2 || n == 3 || n == 4 ? bl_tape_op2(tape, BL_TAPE_MUL, a, a) : -1;
    if (n == 2)
        return square;
    if (n == 3 || n == 4)
        return square < 0 ? -1 : bl_tape_op2(tape, BL_TAPE_MUL, square, n == 3 ? a : square);
    return record(tape, (bl_tape_node){.op = BL_TAPE_POW, .a = a, .b = b, .c = 1}, 0);
}

static bl_index add(bl_tape *tape, bl_index a, bl_index b) {
    double x;
    if (bl_tape_known(tape, a, &x) && x == 0)
        return b;
    if (bl_tape_known(tape, b, &x) && x == 0)
        return a;
    if (tape->node[b].op == BL_TAPE_NEG)
        return bl_tape_op2(tape, BL_TAPE_SUB, a, tape->node[b].a);
    if (tape->node[a].op == BL_TAPE_NEG)
        return bl_tape_op2(tape, BL_TAPE_SUB, b, tape->node[a].a);
    return record(tape, (bl_tape_node){.op = BL_TAPE_ADD, .a = a < b ? a : b, .b = a < b ? b : a}, 0);
}

static bl_index subtract(bl_tape *tape, bl_index a, bl_index b) {
    double x;
    if (a == b)
        return bl_tape_const(tape, 0);
    if (bl_tape_known(tape, b, &x) && x == 0)
        return a;
    if (bl_tape_known(tape, a, &x) && x == 0)
        return bl_tape_op1(tape, BL_TAPE_NEG, b);
    if (tape->node[b].op == BL_TAPE_NEG)
        return bl_tape_op2(tape, BL_TAPE_ADD, a, tape->node[b].a);
    return record(tape, (bl_tape_node){.op = BL_TAPE_SUB, .a = a, .b = b}, 0);
}

static bl_index multiply(bl_tape *tape, bl_index a, bl_index b) {
    double x;
    if (bl_tape_known(tape, a, NULL)) { /* put the constant second */
        bl_index other = a;
        a = b;
        b = other;
    }
    if (bl_tape_known(tape, b, &x)) {
        if (x == 0)
            return bl_tape_const(tape, 0);
        if (x == 1)
            return a;
        if (x == -1)
            return bl_tape_op1(tape, BL_TAPE_NEG, a);
        bl_index inner = tape->node[a].a;
        if (tape->node[a].op == BL_TAPE_NEG)
            return bl_tape_op2(tape, BL_TAPE_MUL, inner, bl_tape_const(tape, -x));
    }
    if (tape->node[a].op == BL_TAPE_NEG && tape->node[b].op == BL_TAPE_NEG)
        return bl_tape_op2(tape, BL_TAPE_MUL, tape->node[a].a, tape->node[b].a);
    if (a == b && tape->node[a].op == BL_TAPE_SUB && tape->node[a].a > tape->node[a].b) /* share (x - y)^2 and (y - x)^2 */
        a = b = record(tape, (bl_tape_node){.op = BL_TAPE_SUB, .a = tape->node[a].b, .b = tape->node[a].a}, 0);
    if (a < 0)
        return -1;
    return record(tape, (bl_tape_node){.op = BL_TAPE_MUL, .a = a < b ? a : b, .b = a < b ? b : a}, 0);
}

static bl_index divide(bl_tape *tape, bl_index a, bl_index b) {
    double x;
    if (bl_tape_known(tape, a, &x) && x == 0)
        return bl_tape_const(tape, 0);
    if (bl_tape_known(tape, b, &x)) {
        int exponent;
        if (x == 1)
            return a;
        if (x == -1)
            return bl_tape_op1(tape, BL_TAPE_NEG, a);
        if (fabs(frexp(x, &exponent)) == 0.5 && isnormal(1 / x)) /* power of two: the same result without a division */
            return bl_tape_op2(tape, BL_TAPE_MUL, a, bl_tape_const(tape, 1 / x));
    }
    return record(tape, (bl_tape_node){.op = BL_TAPE_DIV, .a = a, .b = b}, 0);
}

/* and, or: simplified if one side is constant */
static bl_index logic(bl_tape *tape, bl_tape_op op, bl_index a, bl_index b) {
    double x;
    if (bl_tape_known(tape, a, NULL)) {
        bl_index other = a;
        a = b;
        b = other;
    }
    if (bl_tape_known(tape, b, &x)) {
        bool decides = (op == BL_TAPE_OR) == (x != 0);
        if (decides)
            return bl_tape_const(tape, op == BL_TAPE_OR);
        if (boolean_valued(tape->node[a].op))
            return a;
    }
    if (a == b && boolean_valued(tape->node[a].op))
        return a;
    return record(tape, (bl_tape_node){.op = op, .a = a < b ? a : b, .b = a < b ? b : a}, 0);
}

bl_index bl_tape_op2(bl_tape *tape, bl_tape_op op, bl_index a, bl_index b) {
    if (!ready(tape) || !valid(tape, a) || !valid(tape, b))
        return -1;
    if (bl_tape_arity(op) != 2)
        return give_up(tape, bl_fail(tape->ctx, BL_E_ARG, NULL, "operation %d does not take two operands", (int)op));
    double x, y;
    if (bl_tape_known(tape, a, &x) && bl_tape_known(tape, b, &y))
        return bl_tape_const(tape, bl_tape_scalar(op, x, y));
    switch (op) {
    case BL_TAPE_ADD: return add(tape, a, b);
    case BL_TAPE_SUB: return subtract(tape, a, b);
    case BL_TAPE_MUL: return multiply(tape, a, b);
    case BL_TAPE_DIV: return divide(tape, a, b);
    case BL_TAPE_POW: return power(tape, a, b);
    case BL_TAPE_AND:
    case BL_TAPE_OR: return logic(tape, op, a, b);
    case BL_TAPE_MIN:
    case BL_TAPE_MAX:
        if (a == b)
            return a;
        break;
    case BL_TAPE_EQUAL:
        if (a > b)
            return record(tape, (bl_tape_node){.op = op, .a = b, .b = a}, 0);
        break;
    default: break;
    }
    return record(tape, (bl_tape_node){.op = op, .a = a, .b = b}, 0);
}

bl_index bl_tape_if(bl_tape *tape, bl_index condition, bl_index then, bl_index otherwise) {
    if (!ready(tape) || !valid(tape, condition) || !valid(tape, then) || !valid(tape, otherwise))
        return -1;
    double x;
    if (bl_tape_known(tape, condition, &x))
        return x != 0 ? then : otherwise;
    if (then == otherwise)
        return then;
    if (tape->node[condition].op == BL_TAPE_NOT) /* equivalent, and keeps a piece as the condition itself */
        return bl_tape_if(tape, tape->node[condition].a, otherwise, then);
    return record(tape, (bl_tape_node){.op = BL_TAPE_IF, .a = condition, .b = then, .c = otherwise}, 0);
}

bl_index bl_tape_table(bl_tape *tape, bl_index at, bl_tape_interpolation by, bl_index n, const double *x, const double *y) {
    return bl_tape_table_like(tape, at, &(bl_tape_lut){.n = n, .by = by, .x = (double *)x, .y = (double *)y});
}

bl_index bl_tape_table_like(bl_tape *tape, bl_index at, const bl_tape_lut *like) {
    if (!ready(tape) || !valid(tape, at))
        return -1;
    bl_index which;
    bl_status status = bl_tape_table_add(tape, like, &which);
    if (status != BL_OK)
        return give_up(tape, status);
    double u;
    if (bl_tape_known(tape, at, &u)) {
        bl_tape_piece p = bl_tape_piece_at(&tape->table[which], u);
        return bl_tape_const(tape, bl_tape_piece_value(&p, u));
    }
    return record(tape, (bl_tape_node){.op = BL_TAPE_TABLE, .a = at, .c = which}, 0);
}

bl_index bl_tape_held(bl_tape *tape, bl_tape_piece_what what, bl_index a, bl_index piece) {
    double x;
    if (!ready(tape) || !valid(tape, a) || !valid(tape, piece))
        return -1;
    if (bl_tape_known(tape, a, &x))
        return bl_tape_const(tape, bl_tape_held_value(what, x, 0));
    return record(tape, (bl_tape_node){.op = BL_TAPE_PIECE, .a = a, .b = piece, .c = (bl_index)what}, 0);
}

bl_index bl_tape_table_held(bl_tape *tape, bl_index table, bl_index piece) {
    if (!ready(tape) || !valid(tape, table) || !valid(tape, piece))
        return -1;
    bl_tape_node node = tape->node[table];
    if (node.op != BL_TAPE_TABLE)
        return table; /* evaluated at a constant */
    return record(tape, (bl_tape_node){.op = BL_TAPE_TABLE_PIECE, .a = node.a, .b = piece, .c = node.c}, 0);
}

bl_index bl_tape_copy_node(bl_tape *tape, const bl_tape *other, bl_index i, const bl_index *map) {
    bl_tape_node node = other->node[i];
    bool reads_table = node.op == BL_TAPE_TABLE || node.op == BL_TAPE_TABLE_PIECE;
    const bl_tape_lut *table = reads_table ? &other->table[node.c] : NULL;
    if (table) {
        bl_index plain = bl_tape_table_like(tape, map[node.a], table);
        return node.op == BL_TAPE_TABLE || plain < 0 ? plain : bl_tape_table_held(tape, plain, map[node.b]);
    }
    if (node.op == BL_TAPE_PIECE)
        return bl_tape_held(tape, (bl_tape_piece_what)node.c, map[node.a], map[node.b]);
    switch (bl_tape_arity(node.op)) {
    case 0: return node.op == BL_TAPE_INPUT ? bl_tape_input(tape, node.a) : bl_tape_const(tape, other->value[node.a]);
    case 1: return bl_tape_op1(tape, node.op, map[node.a]);
    case 2: return bl_tape_op2(tape, node.op, map[node.a], map[node.b]);
    default: return bl_tape_if(tape, map[node.a], map[node.b], map[node.c]);
    }
}

bl_status bl_tape_extract(bl_tape *tape, const bl_tape *other, bl_index root, bl_index *node) {
    bl_index *map = NULL;
    *node = -1;
    if (!ready(tape))
        return tape->status;
    bl_status status = other->status;
    if (status == BL_OK)
        status = BL_NEW(tape->ctx, map, (size_t)root + 1);
    if (status != BL_OK) {
        give_up(tape, status);
        return status;
    }
    for (bl_index i = 0; i <= root && tape->status == BL_OK; i++)
        map[i] = bl_tape_copy_node(tape, other, i, map);
    *node = tape->status == BL_OK ? map[root] : -1;
    bl_free(tape->ctx, map);
    return tape->status;
}

bl_status bl_tape_output(bl_tape *tape, bl_index node) {
    if (!ready(tape) || !valid(tape, node))
        return tape->status;
    bl_status status = BL_RESERVE(tape->ctx, tape->output, tape->output_room, tape->noutput + 1);
    if (status != BL_OK) {
        give_up(tape, status);
        return status;
    }
    tape->output[tape->noutput++] = node;
    return BL_OK;
}

bl_status bl_tape_splice(bl_tape *tape, const bl_tape *other, const bl_index *inputs, bl_index *outputs) {
    if (!ready(tape))
        return tape->status;
    bl_index *map = NULL;
    bl_status status = other->status;
    if (status == BL_OK)
        status = BL_NEW(tape->ctx, map, other->nnode);
    if (status != BL_OK) {
        give_up(tape, status);
        return status;
    }
    for (bl_index i = 0; i < other->nnode && tape->status == BL_OK; i++) {
        bool input = other->node[i].op == BL_TAPE_INPUT;
        map[i] = input ? inputs[other->node[i].a] : bl_tape_copy_node(tape, other, i, map);
    }
    for (bl_index k = 0; k < other->noutput; k++) {
        outputs[k] = tape->status == BL_OK ? map[other->output[k]] : -1;
        if (tape->status == BL_OK)
            valid(tape, outputs[k]);
    }
    bl_free(tape->ctx, map);
    return tape->status;
}
