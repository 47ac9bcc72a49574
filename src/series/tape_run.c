/* Running a tape over numbers, and its first derivatives: one forward sweep computes the values and the partial derivatives of
 * every operation, one reverse sweep per output accumulates them (Griewank, Walther: Evaluating Derivatives, 2008, ch. 3). */
#include "series/tape_inner.h"

#include <string.h>

static void load(const bl_tape *tape, const double *in, double *v) {
    bl_index nconst = tape->nconst, first = nconst + tape->nused;
    if (nconst > 0)
        memcpy(v, tape->value, (size_t)nconst * sizeof *v);
    for (bl_index i = nconst; i < first; i++)
        v[i] = in[tape->node[i].a];
}

static void not_finished(const bl_tape *tape, bl_index count, double *out) {
    for (bl_index i = 0; i < count * tape->noutput; i++)
        out[i] = NAN;
}

static inline double run(const bl_tape *tape, const bl_tape_node *node, const double *v) {
    if (node->op < BL_TAPE_IF)
        return bl_tape_scalar(node->op, v[node->a], v[node->b]);
    if (node->op == BL_TAPE_IF)
        return bl_tape_blends(tape, node, v[node->a]) ? v[node->a] * v[node->b] + (1 - v[node->a]) * v[node->c]
               : v[node->a] != 0                      ? v[node->b]
                                                      : v[node->c];
    if (node->op == BL_TAPE_PIECE)
        return bl_tape_held_value(node->c, v[node->a], v[node->b]);
    bl_tape_piece piece = bl_tape_piece_held(&tape->table[node->c], node->op == BL_TAPE_TABLE ? 0 : v[node->b], v[node->a]);
    return bl_tape_piece_value(&piece, v[node->a]);
}

void bl_tape_eval(const bl_tape *tape, const double *in, double *out, double *work) {
    if (!tape->finished) {
        not_finished(tape, 1, out);
        return;
    }
    load(tape, in, work);
    for (bl_index i = tape->nconst + tape->nused; i < tape->nnode; i++)
        work[i] = run(tape, &tape->node[i], work);
    for (bl_index k = 0; k < tape->noutput; k++)
        out[k] = work[tape->output[k]];
}

/* b a^(b-1); computed from the value v = a^b unless that underflowed or overflowed */
static double power_base(double a, double b, double v) {
    if (b == 0)
        return 0;
    return isnormal(v) ? b * (v / a) : b * pow(a, b - 1);
}

/* Partial derivatives of a node with value v by its operands (of `if`: by its branches). A zero is never multiplied, so
 * that an infinite derivative in a branch not taken, or times a factor that is exactly zero, has no effect. */
static void partials(const bl_tape *tape, const bl_tape_node *node, const double *value, double v, double d[2]) {
    double a = value[node->a], b = value[node->b], h;
    d[0] = d[1] = 0;
    switch (node->op) {
    case BL_TAPE_ADD: d[0] = d[1] = 1; break;
    case BL_TAPE_SUB:
        d[0] = 1;
        d[1] = -1;
        break;
    case BL_TAPE_MUL:
        d[0] = b;
        d[1] = a;
        break;
    case BL_TAPE_DIV:
        d[0] = 1 / b;
        d[1] = -v / b;
        break;
    case BL_TAPE_POW:
        d[0] = power_base(a, b, v);
        if (!node->c)
            d[1] = a == 0 && b > 0 ? 0 : v * log(a);
        break;
    case BL_TAPE_NEG: d[0] = -1; break;
    case BL_TAPE_SQRT: d[0] = 0.5 / v; break;
    case BL_TAPE_EXP: d[0] = v; break;
    case BL_TAPE_LOG: d[0] = 1 / a; break;
    case BL_TAPE_SIN: d[0] = cos(a); break;
    case BL_TAPE_COS: d[0] = -sin(a); break;
    case BL_TAPE_TAN: d[0] = 1 + v * v; break;
    case BL_TAPE_ASIN: d[0] = 1 / sqrt((1 - a) * (1 + a)); break;
    case BL_TAPE_ACOS: d[0] = -1 / sqrt((1 - a) * (1 + a)); break;
    case BL_TAPE_ATAN: d[0] = 1 / (1 + a * a); break;
    case BL_TAPE_ATAN2:
        h = hypot(a, b);
        d[0] = b / h / h;
        d[1] = -(a / h / h);
        break;
    case BL_TAPE_SINH: d[0] = cosh(a); break;
    case BL_TAPE_COSH: d[0] = sinh(a); break;
    case BL_TAPE_TANH: d[0] = 1 / (cosh(a) * cosh(a)); break; /* 1 - v^2 cancels for large a */
    case BL_TAPE_ABS: d[0] = bl_tape_scalar(BL_TAPE_SIGN, a, 0); break;
    case BL_TAPE_MIN: d[a <= b || a != a ? 0 : 1] = 1; break;
    case BL_TAPE_MAX: d[a >= b || a != a ? 0 : 1] = 1; break;
    case BL_TAPE_IF:
        d[a != 0 ? 0 : 1] = 1;
        if (bl_tape_blends(tape, node, a)) {
            d[0] = a;
            d[1] = 1 - a;
        }
        break;
    case BL_TAPE_TABLE:
    case BL_TAPE_TABLE_PIECE: {
        bl_tape_piece p = bl_tape_piece_held(&tape->table[node->c], node->op == BL_TAPE_TABLE ? 0 : b, a);
        h = a - p.x;
        if (p.m != 0 || p.c2 != 0 || p.c3 != 0)
            d[0] = p.m + h * (2 * p.c2 + 3 * p.c3 * h);
        break;
    }
    default: break; /* flat */
    }
}

void bl_tape_jacobian(const bl_tape *tape, const double *in, double *out, double *d_out, double *work) {
    bl_index nnode = tape->nnode, ninput = tape->ninput;
    if (!tape->finished) {
        not_finished(tape, 1, out);
        not_finished(tape, ninput, d_out);
        return;
    }
    double *v = work, *d = v + nnode, *adjoint = d + 2 * (size_t)nnode;
    load(tape, in, v);
    for (bl_index i = tape->nconst + tape->nused; i < nnode; i++) {
        v[i] = run(tape, &tape->node[i], v);
        partials(tape, &tape->node[i], v, v[i], d + 2 * (size_t)i);
    }
    for (bl_index i = 0; i < nnode; i++)
        adjoint[i] = 0;
    for (bl_index k = 0; k < tape->noutput; k++) {
        double *row = d_out + (size_t)k * (size_t)ninput;
        for (bl_index j = 0; j < ninput; j++)
            row[j] = 0;
        out[k] = v[tape->output[k]];
        adjoint[tape->output[k]] = 1;
        for (bl_index e = tape->edge_start[k]; e < tape->edge_start[k + 1]; e++) {
            const bl_tape_edge *edge = &tape->edge[e];
            double w = adjoint[edge->node];
            const double *dn = d + 2 * (size_t)edge->node;
            adjoint[edge->node] = 0;
            if (w == 0)
                continue;
            if (dn[0] != 0)
                adjoint[edge->p] += w * dn[0];
            if (dn[1] != 0)
                adjoint[edge->q] += w * dn[1];
        }
        for (bl_index e = tape->touch_start[k]; e < tape->touch_start[k + 1]; e++) {
            row[tape->node[tape->touch[e]].a] = adjoint[tape->touch[e]];
            adjoint[tape->touch[e]] = 0;
        }
        adjoint[tape->output[k]] = 0; /* an output without edges */
    }
}
