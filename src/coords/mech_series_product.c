/* Product rows (angles of mixed coordinates) as power series: each is recorded as a tape with its gradient. */
#include "coords/mech_series.h"

#include <string.h>

static bl_index add(bl_tape *t, bl_index a, bl_index b) { return bl_tape_op2(t, BL_TAPE_ADD, a, b); }
static bl_index multiply(bl_tape *t, bl_index a, bl_index b) { return bl_tape_op2(t, BL_TAPE_MUL, a, b); }

static bl_index record_factor(bl_tape *t, const bl_product *p, int dim, const bl_factor *f) {
    const bl_index *slot = f->slot;
    bl_index node = -1;
    if (f->what == BL_F_DOT) {
        node = bl_tape_const(t, 0);
        for (int k = 0; k < dim; k++)
            node = add(t, node, multiply(t, bl_tape_input(t, slot[0] * dim + k), bl_tape_input(t, slot[1] * dim + k)));
        return node;
    }
    if (f->what == BL_F_TRIPLE) {
        node = bl_tape_const(t, 0);
        for (int k = 0; k < 3; k++) {
            int i = (k + 1) % 3, j = (k + 2) % 3;
            bl_index one = multiply(t, bl_tape_input(t, slot[0] * dim + i), bl_tape_input(t, slot[1] * dim + j));
            bl_index other = multiply(t, bl_tape_input(t, slot[0] * dim + j), bl_tape_input(t, slot[1] * dim + i));
            node = add(t, node, multiply(t, bl_tape_op2(t, BL_TAPE_SUB, one, other), bl_tape_input(t, slot[2] * dim + k)));
        }
        return node;
    }
    node = bl_tape_input(t, p->ndir * dim + slot[0]);
    if (f->what == BL_F_VALUE)
        return node;
    node = add(t, node, bl_tape_const(t, p->phase[slot[0]]));
    return bl_tape_op1(t, f->what == BL_F_SIN ? BL_TAPE_SIN : BL_TAPE_COS, node);
}

static bl_status differentiate(bl_tape *t, bl_index node, bl_index local, bl_index *grad) {
    bl_tape_gradients d;
    BL_TRY(bl_tape_differentiate(t, 1, &node, &d));
    for (bl_index i = 0; i < local; i++)
        grad[i] = -1;
    for (bl_index e = 0; e < d.start[1]; e++)
        grad[d.input[e]] = d.node[e];
    bl_tape_gradients_destroy(t, &d);
    return BL_OK;
}

static bl_status record(const bl_mechanism *m, const bl_product *p, int form, bl_series_tape *out) {
    bl_tape *t = out->made;
    bl_index local = p->ndir * m->dim + p->nscalar;
    for (bl_index i = 0; i < local; i++) /* all inputs, in order */
        bl_tape_input(t, i);
    bl_index sum = bl_tape_const(t, p->constant[form]), grad[BL_LOCAL];
    for (bl_index i = 0; !p->function && i < p->nterm[form]; i++) {
        const bl_term *term = &p->term[form][i];
        bl_index node = bl_tape_const(t, term->coef);
        for (bl_index j = 0; j < term->nfactor; j++)
            node = multiply(t, node, record_factor(t, p, m->dim, &term->factor[j]));
        sum = add(t, sum, node);
    }
    BL_TRY(bl_tape_status(t));
    BL_TRY(p->function ? bl_function_row_record(p->function, t, &sum, grad) : differentiate(t, sum, local, grad));
    BL_TRY(bl_tape_output(t, sum));
    BL_TRY(BL_NEW(m->ctx, out->out_local, (size_t)local + 1));
    out->nout = 1;
    for (bl_index i = 0; i < local; i++)
        if (grad[i] >= 0) {
            out->out_local[out->nout++ - 1] = i;
            BL_TRY(bl_tape_output(t, grad[i]));
        }
    return bl_tape_finish(t);
}

bl_status bl_series_product_create(const bl_mechanism *m, const bl_product *p, bool second_form, int order, bl_series_tape *t) {
    size_t stride = (size_t)order + 1, local = (size_t)(p->ndir * m->dim + p->nscalar);
    BL_TRY(bl_tape_create(m->ctx, &t->made));
    BL_TRY(record(m, p, second_form, t));
    t->tape = t->made;
    BL_TRY(BL_NEW(m->ctx, t->in, local * stride));
    BL_TRY(BL_NEW(m->ctx, t->out, (size_t)t->nout * stride));
    return BL_NEW(m->ctx, t->work, bl_tape_series_work(t->tape, order));
}

static void set_inputs(const bl_mechanism *m, const bl_product *p, bl_series_tape *t, int order, int k, const double *D, const double *x) {
    size_t stride = (size_t)order + 1;
    double *in = t->in + k;
    for (bl_index d = 0; d < p->ndir; d++)
        for (int c = 0; c < m->dim; c++, in += stride)
            *in = D ? D[p->dir[d] * m->dim + c] : 0;
    for (bl_index s = 0; s < p->nscalar; s++, in += stride)
        *in = x ? x[p->scalar[s]] : 0;
}

/* A speed s = sum_r G_r x_r': phi is its integral, phi_k = s_{k-1} / k, whose coefficient of x_k is that of G_0; all else is known. */
static double integral_of_speed(const bl_series_tape *t, int order, int k) {
    size_t stride = (size_t)order + 1;
    double sum = 0;
    for (bl_index i = 1; i < t->nout; i++) {
        const double *slope = t->out + (size_t)i * stride, *x = t->in + (size_t)t->out_local[i - 1] * stride;
        for (int j = 1; j < k; j++)
            sum += slope[j] * (k - j) * x[k - j];
    }
    return sum / k;
}

double bl_series_product_phi(const bl_mechanism *m, const bl_product *p, bl_series_tape *t, int order, int k) {
    if (m->row[p->row].level == BL_AT_VELOCITY)
        return k > 1 ? integral_of_speed(t, order, k) : 0;
    set_inputs(m, p, t, order, k, NULL, NULL);
    bl_tape_series_next(t->tape, order, k, t->in, t->out, t->work);
    return t->out[k];
}

void bl_series_product_take(const bl_mechanism *m, const bl_product *p, bl_series_tape *t, int order, int k, const double *D,
                            const double *x) {
    set_inputs(m, p, t, order, k, D, x);
    bl_tape_series_next(t->tape, order, k, t->in, t->out, t->work);
}

void bl_series_product_push(const bl_product *p, const bl_series_tape *t, int order, int k, bl_index np, const double *lambda, double *Q) {
    for (bl_index i = 1; i < t->nout; i++) {
        const double *slope = t->out + (size_t)i * ((size_t)order + 1);
        double sum = 0;
        for (int l = 0; l < k; l++)
            sum += lambda[l * np + p->row] * slope[k - l];
        for (bl_index j = 0; j < p->nmap; j++)
            if (p->map_local[j] == t->out_local[i - 1])
                Q[p->entry[p->map_entry[j]]] -= p->map_coef[j] * sum;
    }
}

void bl_series_product_G(const bl_product *p, const bl_series_tape *t, int order, int k, double *G) {
    for (bl_index i = 1; i < t->nout; i++)
        for (bl_index j = 0; j < p->nmap; j++)
            if (p->map_local[j] == t->out_local[i - 1])
                G[p->G_slot[p->map_entry[j]]] += p->map_coef[j] * t->out[(size_t)i * ((size_t)order + 1) + (size_t)k];
}
