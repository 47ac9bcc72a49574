/* A tape over truncated power series: every operation is a recurrence of taylor.h. Auxiliary series of a recurrence (cos for
 * sin) are stored after the nodes' series. */
#include "series/tape_inner.h"
#include "series/taylor.h"

#include <string.h>

/* y + s (m + s (c2 + s c3)), s = u - x; extra holds the outer parenthesis */
static double table_next(const bl_tape_lut *table, double piece, const double *u, double *extra, int k) {
    bl_tape_piece p = bl_tape_piece_held(table, piece, u[0]);
    double s = u[0] - p.x;
    if (p.m == 0 && p.c2 == 0 && p.c3 == 0)
        return k == 0 ? p.y : 0;
    if (k == 0) {
        extra[0] = p.m + s * (p.c2 + s * p.c3);
        return bl_tape_piece_value(&p, u[0]);
    }
    extra[k] = u[k] * (p.c2 + 2 * s * p.c3) + p.c3 * bl_taylor_convolve(u, u, 1, k - 1, k);
    return s * extra[k] + bl_taylor_convolve(u, extra, 1, k, k);
}

/* min and max take the side that wins first; sides equal so far have equal coefficients */
static double extreme_next(bool largest, const double *a, const double *b, int k) {
    int j = 0;
    while (j < k && a[j] == b[j])
        j++;
    bool first = largest ? a[j] >= b[j] : a[j] <= b[j];
    return first || a[j] != a[j] ? a[k] : b[k];
}

static double abs_next(const double *u, int k) {
    int j = bl_taylor_leading(u, k);
    return j > k ? 0 : bl_tape_scalar(BL_TAPE_SIGN, u[j], 0) * u[k];
}

/* coefficient k of an operation; constants and inputs are set by the callers */
static void next(const bl_tape *tape, bl_index i, int k, int stride, double *work) {
    const bl_tape_node *node = &tape->node[i];
    double *y = work + (size_t)i * (size_t)stride;
    double *extra = work + (size_t)(tape->nnode + tape->extra[i]) * (size_t)stride;
    const double *a = work + (size_t)node->a * (size_t)stride, *b = work + (size_t)node->b * (size_t)stride;
    switch (node->op) {
    case BL_TAPE_CONST:
    case BL_TAPE_INPUT: break;
    case BL_TAPE_ADD: y[k] = a[k] + b[k]; break;
    case BL_TAPE_SUB: y[k] = a[k] - b[k]; break;
    case BL_TAPE_MUL:
        if (node->a < tape->nconst)
            y[k] = a[0] * b[k];
        else if (node->b < tape->nconst)
            y[k] = a[k] * b[0];
        else
            bl_taylor_mul_next(a, b, y, k);
        break;
    case BL_TAPE_DIV:
        if (node->b < tape->nconst)
            y[k] = a[k] / b[0];
        else
            bl_taylor_div_next(a, b, y, k);
        break;
    case BL_TAPE_POW: {
        int n = bl_tape_chain(tape, node);
        if (n)
            bl_taylor_integer_power_next(a, n, y, extra, stride, k);
        else if (node->c)
            bl_taylor_pow_next(a, b[0], y, k);
        else
            bl_taylor_power_next(a, b, y, extra, extra + stride, k);
        break;
    }
    case BL_TAPE_NEG: y[k] = -a[k]; break;
    case BL_TAPE_SQRT: bl_taylor_sqrt_next(a, y, k); break;
    case BL_TAPE_EXP: bl_taylor_exp_next(a, y, k); break;
    case BL_TAPE_LOG: bl_taylor_log_next(a, y, k); break;
    case BL_TAPE_SIN: bl_taylor_sincos_next(a, y, extra, k); break;
    case BL_TAPE_COS: bl_taylor_sincos_next(a, extra, y, k); break;
    case BL_TAPE_TAN: bl_taylor_tan_next(a, y, extra, k); break;
    case BL_TAPE_ASIN: bl_taylor_asin_next(a, y, extra, extra + stride, k); break;
    case BL_TAPE_ACOS: bl_taylor_acos_next(a, y, extra, extra + stride, k); break;
    case BL_TAPE_ATAN: bl_taylor_atan_next(a, y, extra, k); break;
    case BL_TAPE_ATAN2: bl_taylor_atan2_next(a, b, y, extra, k); break;
    case BL_TAPE_SINH: bl_taylor_sinhcosh_next(a, y, extra, k); break;
    case BL_TAPE_COSH: bl_taylor_sinhcosh_next(a, extra, y, k); break;
    case BL_TAPE_TANH: bl_taylor_tanh_next(a, y, extra, k); break;
    case BL_TAPE_ABS: y[k] = abs_next(a, k); break;
    case BL_TAPE_MIN: y[k] = extreme_next(false, a, b, k); break;
    case BL_TAPE_MAX: y[k] = extreme_next(true, a, b, k); break;
    case BL_TAPE_SIGN:
    case BL_TAPE_FLOOR:
    case BL_TAPE_LESS:
    case BL_TAPE_LESS_EQUAL:
    case BL_TAPE_EQUAL:
    case BL_TAPE_AND:
    case BL_TAPE_OR:
    case BL_TAPE_NOT: y[k] = k == 0 ? bl_tape_scalar(node->op, a[0], b[0]) : 0; break;
    case BL_TAPE_IF: {
        double otherwise = work[(size_t)node->c * (size_t)stride + (size_t)k];
        y[k] = bl_tape_blends(tape, node, a[0]) ? a[0] * b[k] + (1 - a[0]) * otherwise : a[0] != 0 ? b[k] : otherwise;
        break;
    }
    case BL_TAPE_TABLE: y[k] = table_next(&tape->table[node->c], 0, a, extra, k); break;
    case BL_TAPE_PIECE: y[k] = k == 0 ? bl_tape_held_value(node->c, a[0], b[0]) : 0; break;
    case BL_TAPE_TABLE_PIECE: y[k] = table_next(&tape->table[node->c], b[0], a, extra, k); break;
    }
}

/* constants are written once, as complete series */
static void constants(const bl_tape *tape, int stride, double *work) {
    for (bl_index i = 0; i < tape->nconst; i++) {
        double *y = work + (size_t)i * (size_t)stride;
        memset(y, 0, (size_t)stride * sizeof *y);
        y[0] = tape->value[tape->node[i].a];
    }
}

static void copy(const double *from, double *to, int first, int last) {
    for (int k = first; k <= last; k++)
        to[k] = from[k];
}

/* coefficients first..last of an operation */
static void operation(const bl_tape *tape, bl_index i, int first, int last, int order, double *work) {
    size_t stride = (size_t)order + 1;
    bl_index extra = tape->extra[i];
    if (extra >= 0)
        for (int k = first; k <= last; k++)
            next(tape, i, k, order + 1, work);
    else /* computed by its twin */
        copy(work + (size_t)(tape->nnode - 1 - extra) * stride, work + (size_t)i * stride, first, last);
}

static void run(const bl_tape *tape, int first, int last, int order, const double *in, double *out, double *work) {
    size_t stride = (size_t)order + 1;
    if (tape->finished) {
        if (first == 0)
            constants(tape, order + 1, work);
        for (bl_index i = tape->nconst; i < tape->nconst + tape->nused; i++)
            copy(in + (size_t)tape->node[i].a * stride, work + (size_t)i * stride, first, last);
        for (bl_index i = tape->nconst + tape->nused; i < tape->nnode; i++)
            operation(tape, i, first, last, order, work);
    }
    for (bl_index m = 0; m < tape->noutput; m++)
        if (tape->finished)
            copy(work + (size_t)tape->output[m] * stride, out + (size_t)m * stride, first, last);
        else
            for (int k = first; k <= last; k++)
                out[(size_t)m * stride + (size_t)k] = NAN;
}

/* The same for one order. Cheap operations are done here, without a function call. */
void bl_tape_series_next(const bl_tape *tape, int order, int k, const double *in, double *out, double *work) {
    size_t stride = (size_t)order + 1, at = (size_t)k;
    if (k == 0 || !tape->finished) {
        run(tape, k, k, order, in, out, work);
        return;
    }
    bl_index i = tape->nconst;
    for (; i < tape->nconst + tape->nused; i++)
        work[(size_t)i * stride + at] = in[(size_t)tape->node[i].a * stride + at];
    double *y = work + (size_t)i * stride + at;
    for (; i < tape->nnode; i++, y += stride) {
        const bl_tape_node *node = &tape->node[i];
        const double *a = work + (size_t)node->a * stride, *b = work + (size_t)node->b * stride;
        switch (node->op) {
        case BL_TAPE_ADD: *y = a[at] + b[at]; break;
        case BL_TAPE_SUB: *y = a[at] - b[at]; break;
        case BL_TAPE_NEG: *y = -a[at]; break;
        case BL_TAPE_MUL:
            if (node->a < tape->nconst)
                *y = a[0] * b[at];
            else if (node->b < tape->nconst)
                *y = a[at] * b[0];
            else
                bl_taylor_mul_next(a, b, y - at, k);
            break;
        default: operation(tape, i, k, k, order, work); break;
        }
    }
    for (bl_index m = 0; m < tape->noutput; m++)
        out[(size_t)m * stride + at] = work[(size_t)tape->output[m] * stride + at];
}

void bl_tape_series(const bl_tape *tape, int order, const double *in, double *out, double *work) {
    run(tape, 0, order, order, in, out, work);
}

/* ---- order by order, for many expansions */

/* how a node is computed; all others by operation() */
typedef enum how { ADD, SUBTRACT, NEGATE, SCALE, MULTIPLY, SQUARE, OTHER } how;

typedef struct march {
    how how;
    bl_index node;
    double *y;
    const double *a, *b; /* SCALE: a is the constant */
} march;

struct bl_tape_recurrence {
    bl_context *ctx;
    const bl_tape *tape;
    int order;
    bl_index count;
    march *step;
    double *work; /* bl_tape_series_work doubles */
};

/* finds the nodes that the wanted outputs need; if a series is computed by a twin, all nodes are taken */
static void mark_needed(const bl_tape *tape, const bool *wanted, bool *need) {
    for (bl_index m = 0; m < tape->noutput; m++)
        need[tape->output[m]] = need[tape->output[m]] || !wanted || wanted[m];
    bool all = false;
    for (bl_index i = tape->nnode - 1; i >= tape->nconst + tape->nused; i--) {
        const bl_tape_node *node = &tape->node[i];
        int arity = need[i] ? bl_tape_arity(node->op) : 0;
        all = all || (need[i] && tape->extra[i] < 0);
        need[node->a] = need[node->a] || arity > 0;
        need[node->b] = need[node->b] || arity > 1;
        if (arity > 2)
            need[node->c] = true;
    }
    for (bl_index i = 0; all && i < tape->nnode; i++)
        need[i] = true;
}

static march march_of(const bl_tape *tape, bl_index i, size_t stride, double *work) {
    const bl_tape_node *node = &tape->node[i];
    march s = {.how = OTHER, .node = i, .y = work + (size_t)i * stride};
    s.a = work + (size_t)node->a * stride;
    s.b = work + (size_t)node->b * stride;
    switch (node->op) {
    case BL_TAPE_ADD: s.how = ADD; break;
    case BL_TAPE_SUB: s.how = SUBTRACT; break;
    case BL_TAPE_NEG: s.how = NEGATE; break;
    case BL_TAPE_MUL:
        s.how = node->a < tape->nconst || node->b < tape->nconst ? SCALE : node->a == node->b ? SQUARE : MULTIPLY;
        if (node->a >= tape->nconst && s.how == SCALE) {
            s.a = work + (size_t)node->b * stride;
            s.b = work + (size_t)node->a * stride;
        }
        break;
    default: break;
    }
    return s;
}

bl_status bl_tape_recurrence_create(bl_context *ctx, const bl_tape *tape, int order, const bool *wanted, bl_tape_recurrence **out) {
    bl_tape_recurrence *run;
    bool *need = NULL;
    *out = NULL;
    if (!tape->finished)
        return bl_fail(ctx, BL_E_ARG, NULL, "a tape must be finished before it runs");
    BL_TRY(BL_NEW(ctx, run, 1));
    run->ctx = ctx;
    run->tape = tape;
    run->order = order;
    bl_status status = BL_NEW(ctx, run->step, (size_t)tape->nnode + 1);
    if (status == BL_OK)
        status = BL_NEW(ctx, run->work, bl_tape_series_work(tape, order) + 1);
    if (status == BL_OK)
        status = BL_NEW(ctx, need, (size_t)tape->nnode + 1);
    if (status == BL_OK) {
        mark_needed(tape, wanted, need);
        constants(tape, order + 1, run->work);
        for (bl_index i = tape->nconst + tape->nused; i < tape->nnode; i++)
            if (need[i])
                run->step[run->count++] = march_of(tape, i, (size_t)order + 1, run->work);
        *out = run;
    } else {
        bl_tape_recurrence_destroy(run);
    }
    bl_free(ctx, need);
    return status;
}

void bl_tape_recurrence_destroy(bl_tape_recurrence *run) {
    if (!run)
        return;
    bl_free(run->ctx, run->step);
    bl_free(run->ctx, run->work);
    bl_free(run->ctx, run);
}

double *bl_tape_recurrence_in(bl_tape_recurrence *run, bl_index input) {
    const bl_tape *tape = run->tape;
    for (bl_index i = tape->nconst; i < tape->nconst + tape->nused; i++)
        if (tape->node[i].a == input)
            return run->work + (size_t)i * ((size_t)run->order + 1);
    return NULL;
}

const double *bl_tape_recurrence_out(const bl_tape_recurrence *run, bl_index output) {
    return run->work + (size_t)run->tape->output[output] * ((size_t)run->order + 1);
}

void bl_tape_recurrence_next(bl_tape_recurrence *run, int k) {
    for (bl_index i = 0; i < run->count; i++) {
        const march *s = &run->step[i];
        const double *a = s->a, *b = s->b;
        double *y = s->y;
        switch (s->how) {
        case ADD: y[k] = a[k] + b[k]; break;
        case SUBTRACT: y[k] = a[k] - b[k]; break;
        case NEGATE: y[k] = -a[k]; break;
        case SCALE: y[k] = a[0] * b[k]; break;
        case MULTIPLY: y[k] = bl_taylor_convolve(a, b, 0, k, k); break;
        case SQUARE: bl_taylor_mul_next(a, a, y, k); break;
        case OTHER: operation(run->tape, s->node, k, k, run->order, run->work); break;
        }
    }
}
