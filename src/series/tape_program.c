/* Programs: a tape arranged for evaluating many outputs repeatedly.
 *
 * Each node has the set of groups that need it; nodes with the same set form a cell. An operand is needed by all groups that need its
 * result, so cells sorted by decreasing number of groups depend only on earlier cells; a cell is run for a wanted group unless one of its
 * groups is done already. Inside a cell nodes are sorted by level, and those of one level and operation form a batch: a loop without
 * branches, with contiguous results. Sine and cosine of the same angle are one operation; the powers 3/2, -3/2, -1/2 use square roots. */
#include "series/tape_inner.h"

#include <stdlib.h>
#include <string.h>

enum { SINE_COSINE = BL_TAPE_TABLE_PIECE + 1, POWER_3_2, POWER_M3_2, POWER_M1_2, BLEND };

typedef struct batch {
    int op;
    bl_index count, out; /* results work[out] ... ; sines then cosines */
    bl_index operand;    /* in operand[]: all a, then all b, then all c */
} batch;

typedef struct cell {
    uint32_t groups;
    bl_index first, end; /* batches */
} cell;

struct bl_tape_program {
    bl_context *ctx;
    bl_index nvalue, nconst, ncell, nbatch, noperand, noutput, ntable;
    double *value; /* of the constants */
    cell *cell;
    batch *batch;
    bl_index *operand;
    bl_index *output;       /* slot in work, by group, in the order of creation */
    bl_index first[32 + 1]; /* where the outputs of a group begin */
    uint32_t moving;        /* groups that are not constant */
    bl_tape_lut *table;
};

void bl_tape_program_destroy(bl_tape_program *program) {
    if (!program)
        return;
    bl_context *ctx = program->ctx;
    for (bl_index i = 0; program->table && i < program->ntable; i++)
        bl_free(ctx, program->table[i].x);
    bl_free(ctx, program->table);
    bl_free(ctx, program->value);
    bl_free(ctx, program->cell);
    bl_free(ctx, program->batch);
    bl_free(ctx, program->operand);
    bl_free(ctx, program->output);
    bl_free(ctx, program);
}

/* ---- layout */

typedef struct spot { /* a node to be assigned to a slot */
    uint32_t groups;
    bl_index level, node, twin; /* twin: the cosine that goes with a sine */
    int op;
} spot;

typedef struct layout {
    const bl_tape *tape;
    bl_tape_program *program;
    uint32_t *groups;       /* [nnode] */
    bl_index *level, *slot; /* [nnode] */
    spot *spot;
    bl_index nspot;
} layout;

static int bit_count(uint32_t bits) {
    int n = 0;
    for (; bits; bits &= bits - 1)
        n++;
    return n;
}

static int by_slot(const void *left, const void *right) {
    const spot *a = left, *b = right;
    int na = bit_count(a->groups), nb = bit_count(b->groups);
    if (na != nb)
        return na > nb ? -1 : 1;
    if (a->groups != b->groups)
        return a->groups < b->groups ? -1 : 1;
    if (a->level != b->level)
        return a->level < b->level ? -1 : 1;
    if (a->op != b->op)
        return a->op < b->op ? -1 : 1;
    return (a->node > b->node) - (a->node < b->node);
}

static void operands(const bl_tape_node *node, bl_index operand[3]) {
    operand[0] = node->a;
    operand[1] = node->b;
    operand[2] = node->c;
}

static void find_groups(layout *l, bl_index noutput, const bl_index *output, const uint8_t *group) {
    const bl_tape *tape = l->tape;
    for (bl_index k = 0; k < noutput; k++) {
        l->groups[output[k]] |= UINT32_C(1) << group[k];
        if (tape->node[output[k]].op != BL_TAPE_CONST)
            l->program->moving |= UINT32_C(1) << group[k];
    }
    for (bl_index i = tape->nnode - 1; i >= 0; i--) {
        bl_index operand[3];
        operands(&tape->node[i], operand);
        for (int j = 0; l->groups[i] && j < bl_tape_arity(tape->node[i].op); j++)
            l->groups[operand[j]] |= l->groups[i];
    }
}

/* Pairs sines and cosines of one angle that are needed by the same groups: pair[angle] holds the first one found. */
static void pair_up(layout *l, bl_index i, bl_index *pair, bl_index *twin) {
    const bl_tape_node *node = &l->tape->node[i];
    if (node->op != BL_TAPE_SIN && node->op != BL_TAPE_COS)
        return;
    bl_index other = pair[node->a] - 1;
    if (other < 0) {
        pair[node->a] = i + 1;
    } else if (l->groups[other] == l->groups[i] && l->tape->node[other].op != node->op) {
        twin[other] = i + 1;
        twin[i] = other + 1;
    }
}

static int operation(const bl_tape *tape, const bl_tape_node *node, bool paired) {
    double n;
    if (node->op == BL_TAPE_IF && tape->node[node->a].op == BL_TAPE_PIECE)
        return BLEND;
    if (node->op == BL_TAPE_POW && bl_tape_known(tape, node->b, &n) && (n == 1.5 || n == -1.5 || n == -0.5))
        return n == 1.5 ? POWER_3_2 : n == -1.5 ? POWER_M3_2 : POWER_M1_2;
    return paired ? SINE_COSINE : (int)node->op;
}

static bl_status find_spots(layout *l) {
    const bl_tape *tape = l->tape;
    bl_index *pair, *twin;
    BL_TRY(BL_NEW(tape->ctx, pair, 2 * (size_t)tape->nnode));
    twin = pair + tape->nnode;
    for (bl_index i = 0; i < tape->nnode; i++)
        if (l->groups[i])
            pair_up(l, i, pair, twin);
    for (bl_index i = 0; i < tape->nnode; i++) {
        const bl_tape_node *node = &tape->node[i];
        if (!l->groups[i] || node->op == BL_TAPE_CONST)
            continue;
        bl_index operand[3], level = 0;
        operands(node, operand);
        for (int j = 0; j < bl_tape_arity(node->op); j++)
            if (l->groups[operand[j]] == l->groups[i] && l->level[operand[j]] > level)
                level = l->level[operand[j]];
        l->level[i] = level + 1;
        if (twin[i] && node->op == BL_TAPE_COS)
            continue;
        spot *s = &l->spot[l->nspot++];
        *s = (spot){.groups = l->groups[i], .level = level + 1, .node = i, .twin = twin[i] - 1, .op = operation(tape, node, twin[i] != 0)};
    }
    bl_free(tape->ctx, pair);
    return BL_OK;
}

/* whether c of a node is the number of a table or the kind of a piece: it follows the operands */
static bool has_number(int op) { return op == BL_TAPE_TABLE || op == BL_TAPE_PIECE || op == BL_TAPE_TABLE_PIECE; }

static int operation_arity(int op) { return op == BLEND ? 3 : op >= SINE_COSINE ? 1 : bl_tape_arity((bl_tape_op)op); }

static bool same_batch(const spot *a, const spot *b) { return a->groups == b->groups && a->level == b->level && a->op == b->op; }

/* number of nodes of one batch from spot i */
static bl_index run_length(const layout *l, bl_index i) {
    bl_index n = 1;
    while (i + n < l->nspot && same_batch(&l->spot[i], &l->spot[i + n]))
        n++;
    return n;
}

static void place_constants(layout *l) {
    const bl_tape *tape = l->tape;
    bl_tape_program *p = l->program;
    for (bl_index i = 0; i < tape->nnode; i++)
        if (l->groups[i] && tape->node[i].op == BL_TAPE_CONST) {
            l->slot[i] = p->nvalue;
            p->value[p->nvalue++] = tape->value[tape->node[i].a];
        }
    p->nconst = p->nvalue;
}

static bl_status make_batches(layout *l) {
    const bl_tape *tape = l->tape;
    bl_tape_program *p = l->program;
    bl_index nbatch = 0, ncell = 0, noperand = 0;
    for (bl_index i = 0, n; i < l->nspot; i += n) {
        n = run_length(l, i);
        nbatch++;
        ncell += i == 0 || l->spot[i].groups != l->spot[i - 1].groups;
        noperand += n * ((l->spot[i].op == BL_TAPE_INPUT ? 1 : operation_arity(l->spot[i].op)) + has_number(l->spot[i].op));
    }
    BL_TRY(BL_NEW(p->ctx, p->batch, nbatch));
    BL_TRY(BL_NEW(p->ctx, p->cell, ncell));
    BL_TRY(BL_NEW(p->ctx, p->operand, noperand));
    for (bl_index i = 0, n; i < l->nspot; i += n) {
        const spot *first = &l->spot[i];
        n = run_length(l, i);
        if (i == 0 || first->groups != l->spot[i - 1].groups)
            p->cell[p->ncell++] = (cell){.groups = first->groups, .first = p->nbatch, .end = p->nbatch};
        p->batch[p->nbatch++] = (batch){.op = first->op, .count = n, .out = p->nvalue, .operand = p->noperand};
        p->cell[p->ncell - 1].end = p->nbatch;
        bool two = first->op == SINE_COSINE;
        for (bl_index k = 0; k < n; k++) {
            const spot *s = first + k;
            bl_index node = s->node, twin = s->twin;
            l->slot[node] = p->nvalue + k;
            if (two)
                l->slot[twin] = p->nvalue + n + k;
        }
        p->nvalue += two ? 2 * n : n;
        int count = first->op == BL_TAPE_INPUT ? 1 : operation_arity(first->op);
        for (int j = 0; j < count; j++)
            for (bl_index k = 0; k < n; k++) {
                bl_index operand[3];
                operands(&tape->node[first[k].node], operand);
                p->operand[p->noperand++] = first->op == BL_TAPE_INPUT ? operand[0] : l->slot[operand[j]];
            }
        for (bl_index k = 0; has_number(first->op) && k < n; k++)
            p->operand[p->noperand++] = tape->node[first[k].node].c;
    }
    return BL_OK;
}

static bl_status copy_tables(layout *l) {
    const bl_tape *tape = l->tape;
    bl_tape_program *p = l->program;
    BL_TRY(BL_NEW(p->ctx, p->table, tape->ntable));
    for (; p->ntable < tape->ntable; p->ntable++) {
        const bl_tape_lut *from = &tape->table[p->ntable];
        bl_tape_lut *to = &p->table[p->ntable];
        BL_TRY(BL_NEW(p->ctx, to->x, 3 * (size_t)from->n));
        memcpy(to->x, from->x, 3 * (size_t)from->n * sizeof *to->x); /* x, y and slopes are one block */
        to->n = from->n;
        to->by = from->by;
        to->order = from->order;
        to->y = to->x + to->n;
        to->slope = to->y + to->n;
    }
    return BL_OK;
}

static bl_status lay_out(layout *l, bl_index noutput, const bl_index *output, const uint8_t *group) {
    const bl_tape *tape = l->tape;
    bl_tape_program *p = l->program;
    bl_context *ctx = tape->ctx;
    BL_TRY(BL_NEW(ctx, l->groups, tape->nnode));
    BL_TRY(BL_NEW(ctx, l->level, 2 * (size_t)tape->nnode));
    l->slot = l->level + tape->nnode;
    BL_TRY(BL_NEW(ctx, l->spot, tape->nnode));
    BL_TRY(BL_NEW(ctx, p->value, tape->nvalue));
    BL_TRY(BL_NEW(ctx, p->output, noutput));
    find_groups(l, noutput, output, group);
    BL_TRY(find_spots(l));
    qsort(l->spot, (size_t)l->nspot, sizeof *l->spot, by_slot);
    place_constants(l);
    BL_TRY(make_batches(l));
    BL_TRY(copy_tables(l));
    for (int g = 0; g < 32; g++) {
        p->first[g] = p->noutput;
        for (bl_index k = 0; k < noutput; k++)
            if (group[k] == g)
                p->output[p->noutput++] = l->slot[output[k]];
    }
    p->first[32] = p->noutput;
    return BL_OK;
}

bl_status bl_tape_program_create(const bl_tape *tape, bl_index noutput, const bl_index *output, const uint8_t *group,
                                 bl_tape_program **out) {
    bl_context *ctx = tape->ctx;
    *out = NULL;
    BL_TRY(tape->status);
    for (bl_index k = 0; k < noutput; k++)
        if (output[k] < 0 || output[k] >= tape->nnode || group[k] >= 32)
            return bl_fail(ctx, BL_E_ARG, NULL, "output %d of a program is not on the tape", (int)k);
    layout l = {.tape = tape};
    BL_TRY(BL_NEW(ctx, l.program, 1));
    l.program->ctx = ctx;
    bl_status status = lay_out(&l, noutput, output, group);
    bl_free(ctx, l.groups);
    bl_free(ctx, l.level);
    bl_free(ctx, l.spot);
    if (status == BL_OK)
        *out = l.program;
    else
        bl_tape_program_destroy(l.program);
    return status;
}

/* ---- running */

size_t bl_tape_program_work(const bl_tape_program *program) { return (size_t)program->nvalue + 1; }

void bl_tape_program_start(const bl_tape_program *program, double *work) {
    memcpy(work, program->value, (size_t)program->nconst * sizeof *work);
}

bool bl_tape_program_constant(const bl_tape_program *program, int group) { return !(program->moving >> group & 1); }

bl_index bl_tape_program_take(const bl_tape_program *program, int group, const double *work, double *out) {
    const bl_index *slot = program->output + program->first[group];
    bl_index n = program->first[group + 1] - program->first[group];
    for (bl_index k = 0; k < n; k++)
        out[k] = work[slot[k]];
    return n;
}

static void run_batch(const bl_tape_program *program, const batch *step, const double *in, double *restrict v) {
    bl_index n = step->count;
    const bl_index *restrict a = program->operand + step->operand, *restrict b = a + n, *restrict c = b + n;
    double *out = v + step->out;
#define EACH(expression)             \
    for (bl_index k = 0; k < n; k++) \
        out[k] = (expression);       \
    break
    switch (step->op) {
    case BL_TAPE_INPUT: EACH(in[a[k]]);
    case BL_TAPE_ADD: EACH(v[a[k]] + v[b[k]]);
    case BL_TAPE_SUB: EACH(v[a[k]] - v[b[k]]);
    case BL_TAPE_MUL: EACH(v[a[k]] * v[b[k]]);
    case BL_TAPE_DIV: EACH(v[a[k]] / v[b[k]]);
    case BL_TAPE_NEG: EACH(-v[a[k]]);
    case BL_TAPE_SQRT: EACH(sqrt(v[a[k]]));
    case BL_TAPE_EXP: EACH(exp(v[a[k]]));
    case BL_TAPE_POW: EACH(pow(v[a[k]], v[b[k]]));
    case POWER_3_2: EACH(v[a[k]] * sqrt(v[a[k]]));
    case POWER_M3_2: EACH(1 / (v[a[k]] * sqrt(v[a[k]])));
    case POWER_M1_2: EACH(1 / sqrt(v[a[k]]));
    case BL_TAPE_IF: EACH(v[a[k]] != 0 ? v[b[k]] : v[c[k]]);
    case BLEND:
        for (bl_index k = 0; k < n; k++) {
            double side = v[a[k]];
            out[k] = side == 1 ? v[b[k]] : side == 0 ? v[c[k]] : side * v[b[k]] + (1 - side) * v[c[k]];
        }
        break;
    case SINE_COSINE:
        for (bl_index k = 0; k < n; k++) {
            double angle = v[a[k]];
            out[k] = sin(angle);
            out[n + k] = cos(angle);
        }
        break;
    case BL_TAPE_TABLE:
        for (bl_index k = 0; k < n; k++) {
            bl_tape_piece piece = bl_tape_piece_at(&program->table[b[k]], v[a[k]]);
            out[k] = bl_tape_piece_value(&piece, v[a[k]]);
        }
        break;
    case BL_TAPE_PIECE: EACH(bl_tape_held_value(c[k], v[a[k]], v[b[k]]));
    case BL_TAPE_TABLE_PIECE:
        for (bl_index k = 0; k < n; k++) {
            bl_tape_piece piece = bl_tape_piece_held(&program->table[c[k]], v[b[k]], v[a[k]]);
            out[k] = bl_tape_piece_value(&piece, v[a[k]]);
        }
        break;
    default:
        if (bl_tape_arity((bl_tape_op)step->op) == 1)
            b = a;
        EACH(bl_tape_scalar((bl_tape_op)step->op, v[a[k]], v[b[k]]));
    }
#undef EACH
}

void bl_tape_program_run(const bl_tape_program *program, const double *in, uint32_t want, uint32_t done, double *work) {
    for (bl_index i = 0; i < program->ncell; i++) {
        const cell *c = &program->cell[i];
        if (!(c->groups & want) || (c->groups & done))
            continue;
        for (bl_index k = c->first; k < c->end; k++)
            run_batch(program, &program->batch[k], in, work);
    }
}
