/* Derivatives as nodes of the same tape: forward accumulation of sparse gradients (Griewank, Walther: Evaluating Derivatives, 2008,
 * ch. 3 and 7), so that patterns follow from the structure, equal factors are shared and derivatives can be differentiated again.
 * Branches keep their condition: an infinite derivative in a branch not taken, or times a factor that is zero, has no effect. */
#include "series/tape_inner.h"

#include <string.h>

typedef struct entry {
    bl_index input, node;
} entry;

typedef struct gradients {
    bl_tape *tape;
    entry *pool;
    bl_index npool, pool_room;
    bl_index *first, *count; /* [nodes at the start] position of the gradient of a node in the pool */
} gradients;

/* ---- short names */

static bl_index constant(bl_tape *t, double value) { return bl_tape_const(t, value); }
static bl_index op1(bl_tape *t, bl_tape_op op, bl_index a) { return bl_tape_op1(t, op, a); }
static bl_index op2(bl_tape *t, bl_tape_op op, bl_index a, bl_index b) { return bl_tape_op2(t, op, a, b); }
static bl_index times(bl_tape *t, bl_index a, bl_index b) { return op2(t, BL_TAPE_MUL, a, b); }
static bl_index square(bl_tape *t, bl_index a) { return times(t, a, a); }

/* d times a factor that is infinite where `finite` is 0: there 0 if d = 0. Elsewhere d may pass through zero: the product is differentiated
 * again, and expanded, as it is. */
static bl_index guarded(bl_tape *t, bl_index d, bl_index factor, bl_index finite) {
    if (bl_tape_known(t, d, NULL))
        return times(t, d, factor);
    bl_index product = times(t, d, factor);
    return bl_tape_if(t, finite, product, bl_tape_if(t, d, product, constant(t, 0)));
}

/* ---- partial derivatives */

static bool may_be_infinite(const bl_tape *t, const bl_tape_node *node) {
    double n;
    switch (node->op) {
    case BL_TAPE_SQRT:
    case BL_TAPE_ASIN:
    case BL_TAPE_ACOS: return true;
    case BL_TAPE_POW: return !bl_tape_known(t, node->b, &n) || n < 1;
    default: return false;
    }
}

/* not zero where that derivative is finite */
static bl_index finite_where(bl_tape *t, const bl_tape_node *node, bl_index v) {
    if (node->op == BL_TAPE_SQRT)
        return v;
    if (node->op == BL_TAPE_POW)
        return node->a;
    return times(t, op2(t, BL_TAPE_SUB, constant(t, 1), node->a), op2(t, BL_TAPE_ADD, constant(t, 1), node->a));
}

/* n a^(n-1), computed from the value v where that is cheaper and as accurate */
static bl_index power_by_base(bl_tape *t, const bl_tape_node *node, bl_index v) {
    double n;
    if (!bl_tape_known(t, node->b, &n))
        return times(t, node->b, op2(t, BL_TAPE_POW, node->a, op2(t, BL_TAPE_SUB, node->b, constant(t, 1))));
    if (n < 1)
        return times(t, node->b, op2(t, BL_TAPE_DIV, v, node->a));
    return times(t, node->b, op2(t, BL_TAPE_POW, node->a, constant(t, n - 1)));
}

/* of a node v with one operand, with respect to it */
static bl_index partial(bl_tape *t, const bl_tape_node *node, bl_index v) {
    bl_index a = node->a, one = constant(t, 1);
    bl_tape_lut table;
    switch (node->op) {
    case BL_TAPE_NEG: return constant(t, -1);
    case BL_TAPE_SQRT: return op2(t, BL_TAPE_DIV, constant(t, 0.5), v);
    case BL_TAPE_EXP: return v;
    case BL_TAPE_LOG: return op2(t, BL_TAPE_DIV, one, a);
    case BL_TAPE_SIN: return op1(t, BL_TAPE_COS, a);
    case BL_TAPE_COS: return op1(t, BL_TAPE_NEG, op1(t, BL_TAPE_SIN, a));
    case BL_TAPE_TAN: return op2(t, BL_TAPE_ADD, one, square(t, v));
    case BL_TAPE_ASIN:
    case BL_TAPE_ACOS: {
        bl_index root = times(t, op2(t, BL_TAPE_SUB, one, a), op2(t, BL_TAPE_ADD, one, a));
        return op2(t, BL_TAPE_DIV, constant(t, node->op == BL_TAPE_ASIN ? 1 : -1), op1(t, BL_TAPE_SQRT, root));
    }
    case BL_TAPE_ATAN: return op2(t, BL_TAPE_DIV, one, op2(t, BL_TAPE_ADD, one, square(t, a)));
    case BL_TAPE_SINH: return op1(t, BL_TAPE_COSH, a);
    case BL_TAPE_COSH: return op1(t, BL_TAPE_SINH, a);
    case BL_TAPE_TANH: return op2(t, BL_TAPE_DIV, one, square(t, op1(t, BL_TAPE_COSH, a)));
    case BL_TAPE_ABS: return op1(t, BL_TAPE_SIGN, a);
    case BL_TAPE_TABLE:
        table = t->table[node->c]; /* a copy: the array may be reallocated */
        return table.order++ >= 3 ? constant(t, 0) : bl_tape_table_like(t, a, &table);
    default: return constant(t, 0); /* flat */
    }
}

/* derivative of a node v from those of its operands, -1: it does not depend on the input */
static bl_index chain(bl_tape *t, const bl_tape_node *node, bl_index v, bl_index da, bl_index db) {
    bl_index a = node->a, b = node->b, left, right;
    switch (node->op) {
    case BL_TAPE_ADD: return da < 0 ? db : db < 0 ? da : op2(t, BL_TAPE_ADD, da, db);
    case BL_TAPE_SUB: return da < 0 ? op1(t, BL_TAPE_NEG, db) : db < 0 ? da : op2(t, BL_TAPE_SUB, da, db);
    case BL_TAPE_MUL:
        left = da < 0 ? -1 : times(t, da, b);
        right = db < 0 ? -1 : times(t, a, db);
        return left < 0 ? right : right < 0 ? left : op2(t, BL_TAPE_ADD, left, right);
    case BL_TAPE_DIV: /* (da - v db) / b */
        if (db < 0 && bl_tape_known(t, b, NULL))
            return op2(t, BL_TAPE_DIV, da, b);
        left = db < 0 ? da : da < 0 ? op1(t, BL_TAPE_NEG, times(t, v, db)) : op2(t, BL_TAPE_SUB, da, times(t, v, db));
        return times(t, left, op2(t, BL_TAPE_DIV, constant(t, 1), b));
    case BL_TAPE_POW:
        left = da < 0                     ? -1
               : may_be_infinite(t, node) ? guarded(t, da, power_by_base(t, node, v), finite_where(t, node, v))
                                          : times(t, da, power_by_base(t, node, v));
        if (db < 0)
            return left;
        right = guarded(t, v, times(t, op1(t, BL_TAPE_LOG, a), db), a); /* 0^b stays 0 */
        return left < 0 ? right : op2(t, BL_TAPE_ADD, left, right);
    case BL_TAPE_ATAN2: /* (b da - a db) / (a^2 + b^2) */
        left = da < 0 ? constant(t, 0) : times(t, b, da);
        right = db < 0 ? constant(t, 0) : times(t, a, db);
        return op2(t, BL_TAPE_DIV, op2(t, BL_TAPE_SUB, left, right), op2(t, BL_TAPE_ADD, square(t, a), square(t, b)));
    case BL_TAPE_MIN:
    case BL_TAPE_MAX:
        left = node->op == BL_TAPE_MIN ? op2(t, BL_TAPE_LESS_EQUAL, a, b) : op2(t, BL_TAPE_LESS_EQUAL, b, a);
        return bl_tape_if(t, left, da < 0 ? constant(t, 0) : da, db < 0 ? constant(t, 0) : db);
    case BL_TAPE_TABLE_PIECE: {                /* pieces are held constant */
        bl_tape_lut table = t->table[node->c]; /* a copy: the array may be reallocated */
        if (da < 0 || table.order++ >= 3)
            return constant(t, 0);
        right = bl_tape_table_like(t, a, &table);
        return right < 0 ? -1 : times(t, da, bl_tape_table_held(t, right, b));
    }
    case BL_TAPE_IF: return bl_tape_if(t, a, da < 0 ? constant(t, 0) : da, db < 0 ? constant(t, 0) : db);
    default:
        if (may_be_infinite(t, node))
            return guarded(t, da, partial(t, node, v), finite_where(t, node, v));
        return times(t, da, partial(t, node, v));
    }
}

/* ---- gradients */

static bl_status push(gradients *g, bl_index input, bl_index node) {
    double value;
    BL_TRY(bl_tape_status(g->tape));
    if (bl_tape_known(g->tape, node, &value) && value == 0)
        return BL_OK;
    BL_TRY(BL_RESERVE(g->tape->ctx, g->pool, g->pool_room, g->npool + 1));
    g->pool[g->npool++] = (entry){input, node};
    return BL_OK;
}

static bl_status gradient_of(gradients *g, bl_index i) {
    bl_tape_node node = g->tape->node[i];
    g->first[i] = g->npool;
    if (node.op == BL_TAPE_INPUT)
        BL_TRY(push(g, node.a, constant(g->tape, 1)));
    int arity = bl_tape_arity(node.op);
    if (arity > 0 && !bl_tape_flat(node.op)) {
        bl_index p = node.op == BL_TAPE_IF ? node.b : node.a, q = node.op == BL_TAPE_IF ? node.c : arity > 1 ? node.b : -1;
        bl_index at = g->first[p], end = at + g->count[p], other = q < 0 ? 0 : g->first[q], other_end = q < 0 ? 0 : other + g->count[q];
        while (at < end || other < other_end) { /* both lists ascend */
            bl_index left = at < end ? g->pool[at].input : INT32_MAX, right = other < other_end ? g->pool[other].input : INT32_MAX;
            bl_index da = left <= right ? g->pool[at++].node : -1, db = right <= left ? g->pool[other++].node : -1;
            BL_TRY(push(g, left < right ? left : right, chain(g->tape, &node, i, da, db)));
        }
    }
    g->count[i] = g->npool - g->first[i];
    return bl_tape_status(g->tape);
}

/* marks all nodes that the roots depend on */
static void mark_cone(const bl_tape *tape, bl_index n, bl_index nroot, const bl_index *root, uint8_t *needed) {
    for (bl_index k = 0; k < nroot; k++)
        needed[root[k]] = 1;
    for (bl_index i = n - 1; i >= 0; i--) {
        const bl_tape_node *node = &tape->node[i];
        int arity = needed[i] ? bl_tape_arity(node->op) : 0;
        if (arity > 0)
            needed[node->a] = 1;
        if (arity > 1)
            needed[node->b] = 1;
        if (arity > 2)
            needed[node->c] = 1;
    }
}

static bl_status copy_out(const gradients *g, bl_index nroot, const bl_index *root, bl_tape_gradients *out) {
    bl_context *ctx = g->tape->ctx;
    bl_index total = 0;
    for (bl_index k = 0; k < nroot; k++)
        total += g->count[root[k]];
    BL_TRY(BL_NEW(ctx, out->start, nroot + 1));
    BL_TRY(BL_NEW(ctx, out->input, total));
    BL_TRY(BL_NEW(ctx, out->node, total));
    for (bl_index k = 0; k < nroot; k++) {
        bl_index at = out->start[k];
        for (bl_index e = 0; e < g->count[root[k]]; e++) {
            out->input[at + e] = g->pool[g->first[root[k]] + e].input;
            out->node[at + e] = g->pool[g->first[root[k]] + e].node;
        }
        out->start[k + 1] = at + g->count[root[k]];
    }
    return BL_OK;
}

bl_status bl_tape_differentiate(bl_tape *tape, bl_index nroot, const bl_index *root, bl_tape_gradients *out) {
    bl_context *ctx = tape->ctx;
    memset(out, 0, sizeof *out);
    BL_TRY(tape->status);
    bl_index n = tape->nnode;
    gradients g = {.tape = tape};
    uint8_t *needed = NULL;
    bl_status status = BL_NEW(ctx, needed, n);
    for (bl_index k = 0; status == BL_OK && k < nroot; k++)
        if (root[k] < 0 || root[k] >= n)
            status = bl_fail(ctx, BL_E_ARG, NULL, "node %d is not on the tape", (int)root[k]);
    if (status == BL_OK)
        status = BL_NEW(ctx, g.first, n);
    if (status == BL_OK)
        status = BL_NEW(ctx, g.count, n);
    if (status == BL_OK)
        mark_cone(tape, n, nroot, root, needed);
    for (bl_index i = 0; i < n && status == BL_OK; i++)
        if (needed[i])
            status = gradient_of(&g, i);
    if (status == BL_OK)
        status = copy_out(&g, nroot, root, out);
    if (status != BL_OK)
        bl_tape_gradients_destroy(tape, out);
    bl_free(ctx, needed);
    bl_free(ctx, g.first);
    bl_free(ctx, g.count);
    bl_free(ctx, g.pool);
    return status;
}

void bl_tape_gradients_destroy(const bl_tape *tape, bl_tape_gradients *made) {
    bl_free(tape->ctx, made->start);
    bl_free(tape->ctx, made->input);
    bl_free(tape->ctx, made->node);
    memset(made, 0, sizeof *made);
}

/* ---- dependence on inputs */

bl_status bl_tape_uses(const bl_tape *tape, bl_index nroot, const bl_index *root, uint8_t *use) {
    enum { VALUE = 1, ROUGH = 2 };
    uint8_t *needed;
    BL_TRY(BL_NEW(tape->ctx, needed, tape->nnode));
    for (bl_index k = 0; k < nroot; k++)
        if (root[k] >= 0 && root[k] < tape->nnode)
            needed[root[k]] = VALUE;
    for (bl_index i = tape->nnode - 1; i >= 0; i--) {
        const bl_tape_node *node = &tape->node[i];
        if (!needed[i])
            continue;
        if (node->op == BL_TAPE_INPUT)
            use[node->a] |= needed[i] & ROUGH ? BL_USES_INPUT | BL_USES_ROUGHLY : BL_USES_INPUT;
        uint8_t mark = bl_tape_rough(node->op) ? VALUE | ROUGH : needed[i];
        int arity = bl_tape_arity(node->op);
        if (arity > 0)
            needed[node->a] |= mark;
        if (arity > 1)
            needed[node->b] |= mark;
        if (arity > 2)
            needed[node->c] |= mark;
    }
    bl_free(tape->ctx, needed);
    return BL_OK;
}
