/* Power series of equations. Two tapes run over series: one computes right-hand sides, masses and gradients from positions, velocities and
 * states; the other only the constraints, which are requested one order ahead, without the newest coefficient. */
#include "equations/plain.h"

#include "sparse/sparse.h"
#include "system/expansion.h"

#include <stdio.h>
#include <string.h>

typedef struct runner {
    bl_tape *tape;
    double *in, *out, *work; /* [inputs][order + 1], ... */
} runner;

typedef struct expansion {
    runner all, phi;           /* outputs of all: Q, f, M on its pattern, G on its pattern */
    bl_index nM, nG;           /* entries */
    bl_index *M_node, *G_node; /* outputs, -1: zero; [entries of the pattern] */
    int done, phi_done;        /* orders whose inputs are final */
} expansion;

static const bl_plain *own_of(const bl_system *sys) { return sys->own; }

/* ---- recording */

typedef struct recorder {
    const bl_plain *p;
    bl_context *ctx;
    bl_tape *tape;
    bl_index *inputs, *side; /* of the model's tape */
    bl_index nvariable;
} recorder;

/* the model's equations on a new tape with inputs t, q, v, z, pieces */
static bl_status splice(recorder *r) {
    const bl_system *sys = r->p->sys;
    const bl_equations *e = r->p->model->equations;
    bl_index npiece = r->p->switches.n, first_piece = 1 + 2 * sys->nv + sys->nz;
    BL_TRY(BL_NEW(r->ctx, r->inputs, 1 + 2 * (size_t)r->nvariable + (size_t)npiece));
    BL_TRY(BL_NEW(r->ctx, r->side, (size_t)bl_tape_outputs(e->tape) + 1));
    for (bl_index i = 0; i < first_piece + npiece; i++)
        bl_tape_input(r->tape, i);
    for (bl_index k = 0; k < npiece; k++)
        r->inputs[1 + 2 * r->nvariable + k] = bl_tape_input(r->tape, first_piece + k);
    r->inputs[0] = bl_tape_input(r->tape, 0);
    for (bl_index j = 0; j < sys->nv + sys->nz; j++) {
        bool second = j < sys->nv;
        bl_index variable = r->p->variable[j];
        r->inputs[1 + variable] = bl_tape_input(r->tape, 1 + (second ? j : sys->nv + j));
        r->inputs[1 + r->nvariable + variable] = second ? bl_tape_input(r->tape, 1 + sys->nv + j) : -1;
    }
    BL_TRY(bl_tape_status(r->tape));
    return bl_tape_splice(r->tape, bl_plain_tape(r->p), r->inputs, r->side);
}

static bl_status run_memory(const bl_system *sys, int order, runner *run) {
    size_t stride = (size_t)order + 1, inputs = 1 + 2 * (size_t)sys->nv + (size_t)sys->nz + (size_t)own_of(sys)->switches.n;
    BL_TRY(bl_tape_finish(run->tape));
    BL_TRY(BL_NEW(sys->ctx, run->in, inputs * stride));
    BL_TRY(BL_NEW(sys->ctx, run->out, (size_t)bl_tape_outputs(run->tape) * stride + 1));
    return BL_NEW(sys->ctx, run->work, bl_tape_series_work(run->tape, order) + 1);
}

/* outputs for the structurally nonzero entries of M and G */
static bl_status record_matrices(recorder *r, expansion *x) {
    const bl_plain *p = r->p;
    const bl_system *sys = p->sys;
    const bl_equations *e = p->model->equations;
    bl_index at = sys->nv + sys->nz;
    x->nM = sys->nv ? sys->pat_M.ptr[sys->nv] : 0;
    x->nG = sys->np ? sys->pat_G.ptr[sys->nv] : 0;
    BL_TRY(BL_NEW(r->ctx, x->M_node, (size_t)(x->nM + x->nG) + 1));
    x->G_node = x->M_node + x->nM;
    for (bl_index k = 0; k < x->nM + x->nG; k++)
        x->M_node[k] = -1;
    bl_index *column;
    BL_TRY(BL_NEW(r->ctx, column, (size_t)r->nvariable));
    for (bl_index j = 0; j < sys->nv + sys->nz; j++)
        column[p->variable[j]] = j;
    bl_status status = BL_OK;
    for (bl_index k = 0; k < e->nmass && status == BL_OK; k++) {
        bl_index i = column[e->mass[k].row], j = column[e->mass[k].column];
        if (i >= sys->nv)
            continue;
        x->M_node[bl_pattern_find(&sys->pat_M, i, j)] = x->M_node[bl_pattern_find(&sys->pat_M, j, i)] = at++;
        status = bl_tape_output(r->tape, r->side[r->nvariable + k]);
    }
    bl_free(r->ctx, column);
    BL_TRY(status);
    bl_tape_gradients d;
    BL_TRY(bl_tape_differentiate(r->tape, sys->np, r->side + r->nvariable + e->nmass, &d));
    for (bl_index i = 0; i < sys->np && status == BL_OK; i++)
        for (bl_index k = d.start[i]; k < d.start[i + 1] && status == BL_OK; k++) {
            bl_index j = d.input[k] - 1;
            if (j < 0 || j >= sys->nv)
                continue;
            x->G_node[bl_pattern_find(&sys->pat_G, i, j)] = at++;
            status = bl_tape_output(r->tape, d.node[k]);
        }
    bl_tape_gradients_destroy(r->tape, &d);
    return status;
}

static bl_status record(const bl_system *sys, int order, expansion *x, bool constraints) {
    const bl_plain *p = own_of(sys);
    const bl_equations *e = p->model->equations;
    runner *run = constraints ? &x->phi : &x->all;
    BL_TRY(bl_tape_create(sys->ctx, &run->tape));
    recorder r = {.p = p, .ctx = sys->ctx, .tape = run->tape, .nvariable = p->model->nvariable};
    bl_status status = splice(&r);
    for (bl_index i = 0; i < sys->np && constraints && status == BL_OK; i++)
        status = bl_tape_output(r.tape, r.side[r.nvariable + e->nmass + i]);
    for (bl_index j = 0; j < sys->nv + sys->nz && !constraints && status == BL_OK; j++)
        status = bl_tape_output(r.tape, r.side[p->variable[j]]);
    if (status == BL_OK && !constraints)
        status = record_matrices(&r, x);
    bl_free(sys->ctx, r.inputs);
    bl_free(sys->ctx, r.side);
    return status == BL_OK ? run_memory(sys, order, run) : status;
}

bl_status bl_plain_expansion_create(const bl_system *sys, bl_expansion *ex) {
    expansion *x;
    BL_TRY(BL_NEW(sys->ctx, x, 1));
    ex->own = x;
    BL_TRY(record(sys, ex->order, x, false));
    return sys->np ? record(sys, ex->order, x, true) : BL_OK;
}

void bl_plain_expansion_destroy(const bl_system *sys, bl_expansion *ex) {
    expansion *x = ex->own;
    runner *const run[] = {&x->all, &x->phi};
    for (int i = 0; i < 2; i++) {
        bl_tape_destroy(run[i]->tape);
        bl_free(sys->ctx, run[i]->in);
        bl_free(sys->ctx, run[i]->out);
        bl_free(sys->ctx, run[i]->work);
    }
    bl_free(sys->ctx, x->M_node);
    bl_free(sys->ctx, x);
    ex->own = NULL;
}

void bl_plain_not_analytic(const bl_system *sys, char *why, size_t nwhy, const char **advice) {
    (void)advice;
    snprintf(why, nwhy, "%s",
             sys->ncontact ? "equations with contacts have no power series"
             : sys->facts & BL_SMOOTH
                 ? "the mass of a first-order state is not constant"
                 : "an equation uses a function that is not analytic everywhere (for example abs, min, max or a table)");
}

/* ---- one order */

/* coefficient k of the inputs; q, v, z may be NULL: zero */
static void set_inputs(const bl_system *sys, const bl_expansion *ex, runner *run, int k, const double *q, const double *v,
                       const double *z) {
    size_t stride = (size_t)ex->order + 1, at = (size_t)k;
    const double *const from[] = {q, v, z};
    const bl_index count[] = {sys->nv, sys->nv, sys->nz};
    run->in[at] = k == 0 ? ex->t : k == 1;
    at += stride;
    for (int i = 0; i < 3; i++)
        for (bl_index j = 0; j < count[i]; j++, at += stride)
            run->in[at] = from[i] ? from[i][(size_t)k * (size_t)count[i] + (size_t)j] : 0;
    const bl_plain *p = own_of(sys);
    const double *piece = bl_plain_pieces(p, ex->history);
    for (bl_index j = 0; j < p->switches.n; j++, at += stride)
        run->in[at] = k == 0 ? piece[j] : 0;
}

static void run_order(const bl_expansion *ex, const runner *run, int k) {
    bl_tape_series_next(run->tape, ex->order, k, run->in, run->out, run->work);
}

/* everything of order k; lower orders are known */
static void take_order(const bl_system *sys, bl_expansion *ex, int k) {
    expansion *x = ex->own;
    set_inputs(sys, ex, &x->all, k, ex->q, ex->v, ex->z);
    run_order(ex, &x->all, k);
    x->done = k;
}

/* phi_k without q_k: the newest coefficient is left out, older ones are final */
static void series_phi(const bl_system *sys, bl_expansion *ex, int k) {
    expansion *x = ex->own;
    for (; x->phi_done < k - 1; x->phi_done++) {
        set_inputs(sys, ex, &x->phi, x->phi_done + 1, ex->q, NULL, NULL);
        run_order(ex, &x->phi, x->phi_done + 1);
    }
    set_inputs(sys, ex, &x->phi, k, NULL, NULL, NULL);
    run_order(ex, &x->phi, k);
    for (bl_index i = 0; i < sys->np; i++)
        ex->phi[i] = x->phi.out[(size_t)i * ((size_t)ex->order + 1) + (size_t)k];
}

/* sum over l < k of series_{k-l} x_l, x_l at [l n] times (l + 1) where it is a derivative */
static double convolve(const double *series, int k, const double *x, size_t n, bool derivative) {
    double sum = 0;
    for (int l = 0; l < k; l++)
        sum += series[k - l] * (derivative ? (l + 1) * x[(size_t)(l + 1) * n] : x[(size_t)l * n]);
    return sum;
}

static void series_Q(const bl_system *sys, bl_expansion *ex, int k) {
    const expansion *x = ex->own;
    size_t stride = (size_t)ex->order + 1, nv = (size_t)sys->nv, np = (size_t)sys->np;
    for (bl_index j = 0; j < sys->nv; j++)
        ex->Q[j] = x->all.out[(size_t)j * stride + (size_t)k];
    for (bl_index j = 0; j < sys->nv && np; j++)
        for (bl_index i = sys->pat_G.ptr[j]; i < sys->pat_G.ptr[j + 1]; i++)
            if (x->G_node[i] >= 0)
                ex->Q[j] -= convolve(x->all.out + (size_t)x->G_node[i] * stride, k, ex->lambda + sys->pat_G.idx[i], np, false);
    for (bl_index j = 0; j < sys->nv && !(sys->facts & BL_M_CONST); j++)
        for (bl_index i = sys->pat_M.ptr[j]; i < sys->pat_M.ptr[j + 1]; i++)
            if (x->M_node[i] >= 0)
                ex->Q[sys->pat_M.idx[i]] -= convolve(x->all.out + (size_t)x->M_node[i] * stride, k, ex->v + j, nv, true);
}

static void take_values(const expansion *x, bl_index n, const bl_index *node, size_t stride, int k, double *values) {
    for (bl_index i = 0; i < n; i++)
        values[i] = node[i] < 0 ? 0 : x->all.out[(size_t)node[i] * stride + (size_t)k];
}

bl_status bl_plain_series(const bl_system *sys, bl_expansion *ex, int k, uint32_t want) {
    expansion *x = ex->own;
    size_t stride = (size_t)ex->order + 1;
    bool begins = k == 0 && (want & (BL_Q | BL_F | BL_G | BL_M));
    if (begins)
        x->done = x->phi_done = -1;
    if ((want & (BL_Q | BL_F | BL_G | BL_M)) && (x->done < k || (want & (BL_Q | BL_F))))
        take_order(sys, ex, k);
    if (want & BL_Q)
        series_Q(sys, ex, k);
    for (bl_index j = 0; j < sys->nz && (want & BL_F); j++)
        ex->f[j] = x->all.out[(size_t)(sys->nv + j) * stride + (size_t)k];
    if (want & BL_G)
        take_values(x, x->nG, x->G_node, stride, k, ex->G);
    if (want & BL_M)
        take_values(x, x->nM, x->M_node, stride, k, ex->M);
    if (want & BL_PHI)
        series_phi(sys, ex, k);
    if (want & BL_ENERGY)
        memset(ex->work, 0, stride * sizeof *ex->work);
    return BL_OK;
}
