/* The end of a recording: dead nodes are removed, the rest is ordered as constants, inputs, operations, and the dependencies
 * are stored: per output, the operations that a reverse sweep visits and the inputs it reaches. */
#include "series/tape_inner.h"
#include "series/taylor.h"

/* operands of a node; bl_tape_arity of them are used */
static void operands(const bl_tape_node *node, bl_index operand[3]) {
    operand[0] = node->a;
    operand[1] = node->b;
    operand[2] = node->c;
}

int bl_tape_chain(const bl_tape *tape, const bl_tape_node *node) {
    return node->op == BL_TAPE_POW && node->c ? bl_taylor_integer_power(tape->value[tape->node[node->b].a]) : 0;
}

/* number of auxiliary series that a node needs */
static bl_index extra_series(const bl_tape *tape, const bl_tape_node *node) {
    switch (node->op) {
    case BL_TAPE_SIN:
    case BL_TAPE_COS:
    case BL_TAPE_TAN:
    case BL_TAPE_SINH:
    case BL_TAPE_COSH:
    case BL_TAPE_TANH:
    case BL_TAPE_ATAN:
    case BL_TAPE_ATAN2:
    case BL_TAPE_TABLE:
    case BL_TAPE_TABLE_PIECE: return 1;
    case BL_TAPE_ASIN:
    case BL_TAPE_ACOS: return 2;
    case BL_TAPE_POW: return node->c ? bl_taylor_integer_power_extra(bl_tape_chain(tape, node)) : 2;
    default: return 0;
    }
}

/* The recurrence of a sine also computes the cosine: if both are on the tape, the later one uses that result. */
static bl_status place_extra(bl_tape *tape) {
    bl_index(*maker)[2]; /* of an operand, circular and hyperbolic: the node that computes the pair */
    BL_TRY(BL_NEW(tape->ctx, tape->extra, tape->nnode));
    BL_TRY(BL_NEW(tape->ctx, maker, tape->nnode));
    for (bl_index i = 0; i < tape->nnode; i++) {
        const bl_tape_node *node = &tape->node[i];
        bool circular = node->op == BL_TAPE_SIN || node->op == BL_TAPE_COS,
             hyperbolic = node->op == BL_TAPE_SINH || node->op == BL_TAPE_COSH;
        if (circular || hyperbolic) {
            bl_index *pair = &maker[node->a][hyperbolic];
            if (*pair > 0) {
                tape->extra[i] = -1 - tape->extra[*pair];
                continue;
            }
            *pair = i; /* an operation, so never 0 */
        }
        tape->extra[i] = tape->nextra;
        tape->nextra += extra_series(tape, node);
    }
    bl_free(tape->ctx, maker);
    return BL_OK;
}

/* ---- dead nodes */

static bl_status compact(bl_tape *tape, bl_index *map, bl_tape_node *fresh, double *value) {
    for (bl_index k = 0; k < tape->noutput; k++)
        map[tape->output[k]] = 1;
    for (bl_index i = tape->nnode - 1; i >= 0; i--) {
        bl_index operand[3];
        operands(&tape->node[i], operand);
        int arity = map[i] ? bl_tape_arity(tape->node[i].op) : 0;
        for (int j = 0; j < arity; j++)
            map[operand[j]] = 1;
    }
    bl_index count = 0;
    for (int pass = 0; pass < 3; pass++) {
        for (bl_index i = 0; i < tape->nnode; i++) {
            bl_tape_node node = tape->node[i];
            int wanted = node.op == BL_TAPE_CONST ? 0 : node.op == BL_TAPE_INPUT ? 1 : 2;
            if (!map[i] || wanted != pass)
                continue;
            if (pass == 0) {
                value[count] = tape->value[node.a];
                node.a = count;
            }
            int arity = bl_tape_arity(node.op);
            if (arity > 0)
                node.a = map[node.a] - 1;
            if (arity > 1)
                node.b = map[node.b] - 1;
            if (arity > 2)
                node.c = map[node.c] - 1;
            fresh[count++] = node;
            map[i] = count;
        }
        if (pass == 0)
            tape->nconst = count;
        if (pass == 1)
            tape->nused = count - tape->nconst;
    }
    for (bl_index k = 0; k < tape->noutput; k++)
        tape->output[k] = map[tape->output[k]] - 1;
    bl_free(tape->ctx, tape->node);
    bl_free(tape->ctx, tape->value);
    tape->node = fresh;
    tape->nnode = tape->node_room = count;
    tape->value = value;
    tape->nvalue = tape->value_room = tape->nconst;
    return BL_OK;
}

static bl_status remove_dead(bl_tape *tape) {
    bl_context *ctx = tape->ctx;
    bl_index *map = NULL;
    bl_tape_node *fresh = NULL;
    double *value = NULL;
    bl_status status = BL_NEW(ctx, map, tape->nnode);
    if (status == BL_OK)
        status = BL_NEW(ctx, fresh, tape->nnode);
    if (status == BL_OK)
        status = BL_NEW(ctx, value, tape->nvalue);
    if (status == BL_OK)
        status = compact(tape, map, fresh, value);
    else {
        bl_free(ctx, fresh);
        bl_free(ctx, value);
    }
    bl_free(ctx, map);
    return status;
}

/* ---- dependencies */

/* mark: 1 where the value is needed, 3 where the derivative is needed too */
static bl_status trace(bl_tape *tape, bl_index output, unsigned char *mark, bl_index *edge_room, bl_index *touch_room) {
    bl_index nedge = tape->edge_start[output], ntouch = tape->touch_start[output];
    for (bl_index i = 0; i < tape->nnode; i++)
        mark[i] = 0;
    mark[tape->output[output]] = 3;
    for (bl_index i = tape->output[output]; i >= tape->nconst; i--) {
        const bl_tape_node *node = &tape->node[i];
        if (!mark[i])
            continue;
        if (node->op == BL_TAPE_INPUT) {
            tape->depends[(size_t)output * (size_t)tape->ninput + (size_t)node->a] = 1;
            if (mark[i] == 3) {
                BL_TRY(BL_RESERVE(tape->ctx, tape->touch, *touch_room, ntouch + 1));
                tape->touch[ntouch++] = i;
            }
            continue;
        }
        bl_index operand[3];
        operands(node, operand);
        int arity = bl_tape_arity(node->op), first = node->op == BL_TAPE_IF ? 1 : 0;
        for (int j = 0; j < arity; j++)
            mark[operand[j]] |= mark[i] == 3 && !bl_tape_flat(node->op) && j >= first ? 3 : 1;
        if (mark[i] == 3 && !bl_tape_flat(node->op)) {
            BL_TRY(BL_RESERVE(tape->ctx, tape->edge, *edge_room, nedge + 1));
            tape->edge[nedge++] = (bl_tape_edge){.node = i, .p = operand[first], .q = arity > 1 ? operand[first + 1] : operand[0]};
        }
    }
    tape->edge_start[output + 1] = nedge;
    tape->touch_start[output + 1] = ntouch;
    return BL_OK;
}

static bl_status trace_all(bl_tape *tape) {
    bl_context *ctx = tape->ctx;
    BL_TRY(BL_NEW(ctx, tape->edge_start, tape->noutput + 1));
    BL_TRY(BL_NEW(ctx, tape->touch_start, tape->noutput + 1));
    BL_TRY(BL_NEW(ctx, tape->depends, (size_t)tape->noutput * (size_t)tape->ninput));
    unsigned char *mark;
    BL_TRY(BL_NEW(ctx, mark, tape->nnode));
    bl_index edge_room = 0, touch_room = 0;
    bl_status status = BL_OK;
    for (bl_index k = 0; k < tape->noutput && status == BL_OK; k++)
        status = trace(tape, k, mark, &edge_room, &touch_room);
    bl_free(ctx, mark);
    return status;
}

bl_status bl_tape_finish(bl_tape *tape) {
    if (tape->status != BL_OK || tape->finished)
        return tape->status;
    bl_free(tape->ctx, tape->bucket);
    tape->bucket = NULL;
    tape->nbucket = 0;
    tape->status = remove_dead(tape);
    if (tape->status == BL_OK)
        tape->status = trace_all(tape);
    if (tape->status == BL_OK)
        tape->status = place_extra(tape);
    if (tape->status != BL_OK)
        return tape->status;
    tape->smooth = true;
    for (bl_index i = 0; i < tape->nnode; i++)
        tape->smooth = tape->smooth && (tape->node[i].op < BL_TAPE_ABS || tape->node[i].op > BL_TAPE_TABLE);
    tape->finished = true;
    return BL_OK;
}

/* ---- properties of a finished tape */

bl_index bl_tape_inputs(const bl_tape *tape) { return tape->ninput; }
bl_index bl_tape_outputs(const bl_tape *tape) { return tape->noutput; }
bool bl_tape_smooth(const bl_tape *tape) { return tape->finished && tape->smooth; }

bool bl_tape_depends(const bl_tape *tape, bl_index output, bl_index input) {
    if (!tape->finished || output < 0 || output >= tape->noutput || input < 0 || input >= tape->ninput)
        return false;
    return tape->depends[(size_t)output * (size_t)tape->ninput + (size_t)input] != 0;
}

bool bl_tape_constant(const bl_tape *tape, bl_index output, double *value) {
    return output >= 0 && output < tape->noutput && bl_tape_known(tape, tape->output[output], value);
}

size_t bl_tape_work(const bl_tape *tape) { return 4 * (size_t)tape->nnode; }

size_t bl_tape_series_work(const bl_tape *tape, int order) { return ((size_t)tape->nnode + (size_t)tape->nextra) * ((size_t)order + 1); }
