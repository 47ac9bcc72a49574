/* Forms: a drawing with the first and second derivatives of its equation, recorded once for all primitives of a kind; and its values.
 *
 * The derivative of the gap by a vector of a body is the force that the contact exerts along it, so that one rule gives the motion of the
 * bodies for gap and slip alike: with g_x the entries of vector x,
 *
 *     rate = g_d . (v_b - v_a) + M_B . w_B + M_A . w_A,     M_B = sum_j B_j x g_Bj,  M_A = sum_j A_j x g_Aj */
#include "joint/touch_form.h"

#include "base/vector3.h"

#include <math.h>
#include <string.h>

/* groups of outputs */
enum { VALUE, GRADIENT, HESSIAN, GAMMA, PLACE, REACH };

static int all_vectors(int dim) { return dim == 3 ? BL_TOUCH_VECTORS : 3; }

/* ---- recording */

/* What is collected while a form is made: nodes with their groups. */
typedef struct outputs {
    bl_context *ctx;
    bl_index n, room, group_room;
    bl_index *node;
    uint8_t *group;
} outputs;

static bl_status add(outputs *o, bl_index node, int group) {
    BL_TRY(BL_RESERVE(o->ctx, o->node, o->room, o->n + 1));
    BL_TRY(BL_RESERVE(o->ctx, o->group, o->group_room, o->n + 1));
    o->node[o->n] = node;
    o->group[o->n++] = (uint8_t)group;
    return BL_OK;
}

/* the equation on a tape: value, and coefficients of all vectors; -1: zero */
static bl_status equation(bl_touch_drawing *w, bl_prim_what what, int tangent, bl_index *value, bl_index *grad) {
    bl_index n = all_vectors(w->dim) * w->dim;
    double zero;
    for (bl_index i = 0; i < n; i++)
        grad[i] = -1;
    *value = what == BL_TOUCH ? w->gap : bl_tape_const(w->tape, 0);
    if (what == BL_SLIP) {
        bl_touch_slip(w, tangent, grad);
        for (bl_index i = 0; i < n; i++)
            if (bl_tape_known(w->tape, grad[i], &zero) && zero == 0)
                grad[i] = -1;
        return bl_tape_status(w->tape);
    }
    bl_tape_gradients d;
    BL_TRY(bl_tape_differentiate(w->tape, 1, value, &d));
    for (bl_index e = 0; e < d.start[1]; e++)
        for (bl_index i = 0; i < n; i++)
            if (w->input[i / w->dim] * w->dim + i % w->dim == d.input[e])
                grad[i] = d.node[e];
    bl_tape_gradients_destroy(w->tape, &d);
    return BL_OK;
}

/* vectors that any of the coefficients depends on, be it by a condition alone, and their compact numbers */
static void find_vectors(bl_touch_form *f, const bl_index *row, const uint8_t *use, bl_index nroot, int *compact) {
    bool used[BL_TOUCH_VECTORS] = {false};
    int all = all_vectors(f->dim);
    for (bl_index r = 0; r < nroot; r++)
        used[row[r] / f->dim] = true;
    for (int i = 0; i < all * f->dim; i++)
        used[i / f->dim] = used[i / f->dim] || use[i];
    for (int v = 0; v < all; v++) {
        compact[v] = f->nvector;
        if (used[v])
            f->vector[f->nvector++] = (int8_t)v;
    }
}

/* numbers the entries compactly and collects them as outputs */
static bl_status collect(bl_touch_form *f, bl_context *ctx, const bl_index *grad, const bl_index *row, const bl_tape_gradients *d,
                         const uint8_t *use, bl_index nroot, outputs *out) {
    int all = all_vectors(f->dim) * f->dim, compact[BL_TOUCH_VECTORS], dim = f->dim;
    find_vectors(f, row, use, nroot, compact);
    BL_TRY(BL_NEW(ctx, f->grad, nroot + 1));
    BL_TRY(BL_NEW(ctx, f->hess, d->start[nroot] + 1));
#define COMPACT(i) (compact[(i) / dim] * dim + (i) % dim)
    for (bl_index r = 0; r < nroot; r++) {
        BL_TRY(add(out, grad[row[r]], GRADIENT));
        f->grad[f->ngrad++] = (int16_t)COMPACT(row[r]);
        for (bl_index e = d->start[r]; e < d->start[r + 1]; e++)
            if (d->input[e] < all) {
                BL_TRY(add(out, d->node[e], HESSIAN));
                f->hess[f->nhess++] = (int16_t)(COMPACT(row[r]) * f->nvector * dim + COMPACT(d->input[e]));
            }
    }
#undef COMPACT
    return BL_OK;
}

static bl_status place_outputs(const bl_touch_drawing *w, outputs *out) {
    const bl_touch_vector *const vector[] = {&w->n, &w->t[0], &w->t[1], &w->p_b};
    BL_TRY(add(out, w->gap, PLACE));
    if (w->reach >= 0)
        BL_TRY(add(out, w->reach, REACH));
    for (int v = 0; v < 4; v++)
        for (int k = 0; k < 3; k++)
            BL_TRY(add(out, vector[v]->k[k], PLACE));
    return BL_OK;
}

/* derivative by the only input that counts; 0 if there is none */
static bl_status derivative(bl_tape *tape, bl_index node, bl_index input, bl_index *out) {
    bl_tape_gradients d;
    *out = bl_tape_const(tape, 0);
    BL_TRY(bl_tape_differentiate(tape, 1, &node, &d));
    for (bl_index e = 0; e < d.start[1]; e++)
        if (d.input[e] == input)
            *out = d.node[e];
    bl_tape_gradients_destroy(tape, &d);
    return bl_tape_status(tape);
}

/* along x + t x' instead of the second derivatives by all components */
static bl_status record_gamma(const bl_touch_form *f, const bl_touch_drawing *at_rest, outputs *out) {
    bl_index n = all_vectors(f->dim) * f->dim, grad[3 * BL_TOUCH_VECTORS], speed;
    bl_touch_drawing w = *at_rest;
    w.rates = n + BL_TOUCH_NUMBERS;
    w.time = 2 * n + BL_TOUCH_NUMBERS;
    bl_touch_draw(f->kind, f->dim, &w);
    BL_TRY(bl_tape_status(w.tape));
    if (f->what == BL_TOUCH)
        BL_TRY(derivative(w.tape, w.gap, w.time, &speed));
    else {
        bl_touch_slip(&w, f->tangent, grad);
        speed = bl_tape_const(w.tape, 0);
        for (bl_index i = 0; i < n; i++)
            speed = bl_tape_op2(w.tape, BL_TAPE_ADD, speed, bl_tape_op2(w.tape, BL_TAPE_MUL, grad[i], bl_tape_input(w.tape, w.rates + i)));
    }
    BL_TRY(derivative(w.tape, speed, w.time, &speed));
    return add(out, speed, GAMMA);
}

static bl_status record(bl_touch_form *f, bl_context *ctx, bl_tape *tape, outputs *out) {
    bl_index value, grad[3 * BL_TOUCH_VECTORS], row[3 * BL_TOUCH_VECTORS], root[3 * BL_TOUCH_VECTORS], nroot = 0;
    uint8_t use[BL_TOUCH_INPUTS] = {0};
    int n = all_vectors(f->dim) * f->dim;
    bl_touch_drawing w = {.tape = tape, .input = {0, 1, 2, 3, 4, 5, 6}};
    for (int i = 0; i <= 2 * n + BL_TOUCH_NUMBERS; i++)
        bl_tape_input(tape, i);
    for (int i = 0; i < BL_TOUCH_NUMBERS; i++)
        w.number[i] = bl_tape_input(tape, n + i);
    const bl_touch_drawing blank = w;
    bl_touch_draw(f->kind, f->dim, &w);
    BL_TRY(bl_tape_status(tape));
    f->ends = w.reach >= 0;
    BL_TRY(equation(&w, f->what, f->tangent, &value, grad));
    for (int i = 0; i < n; i++)
        if (grad[i] >= 0) {
            row[nroot] = i;
            root[nroot++] = grad[i];
        }
    BL_TRY(add(out, value, VALUE));
    bl_tape_gradients d;
    BL_TRY(bl_tape_differentiate(tape, nroot, root, &d));
    bl_status status = bl_tape_uses(tape, nroot, root, use);
    if (status == BL_OK)
        status = collect(f, ctx, grad, row, &d, use, nroot, out);
    bl_tape_gradients_destroy(tape, &d);
    BL_TRY(status);
    BL_TRY(record_gamma(f, &blank, out));
    return place_outputs(&w, out);
}

static bl_status make(bl_touch_form *f, bl_context *ctx) {
    outputs out = {.ctx = ctx};
    bl_tape *tape = NULL;
    bl_status status = bl_tape_create(ctx, &tape);
    if (status == BL_OK)
        status = record(f, ctx, tape, &out);
    if (status == BL_OK)
        status = bl_tape_program_create(tape, out.n, out.node, out.group, &f->program);
    if (status == BL_OK && bl_tape_program_work(f->program) > BL_TOUCH_WORK)
        status = bl_fail(ctx, BL_E_ABILITY, NULL, "the geometry of %s is too long: %d numbers", f->kind->name,
                         (int)bl_tape_program_work(f->program));
    bl_tape_destroy(tape);
    bl_free(ctx, out.node);
    bl_free(ctx, out.group);
    return status;
}

static void destroy(bl_context *ctx, bl_touch_form *f) {
    bl_tape_program_destroy(f->program);
    bl_free(ctx, f->grad);
    bl_free(ctx, f->hess);
    bl_free(ctx, f);
}

void bl_touch_forget(bl_model *model) {
    while (model->touch) {
        bl_touch_form *f = model->touch;
        model->touch = f->next;
        destroy(model->ctx, f);
    }
}

bl_status bl_touch_attach(bl_model *model, bl_prim *prim) {
    bl_touch_form *f = model->touch;
    int tangent = prim->what == BL_SLIP ? prim->tangent : 0;
    while (f && !(f->kind == prim->touch && f->what == prim->what && f->dim == model->dim && f->tangent == tangent))
        f = f->next;
    if (!f) {
        BL_TRY(BL_NEW(model->ctx, f, 1));
        *f = (bl_touch_form){.kind = prim->touch, .what = prim->what, .dim = model->dim, .tangent = tangent};
        bl_status status = make(f, model->ctx);
        if (status != BL_OK) {
            destroy(model->ctx, f);
            return status;
        }
        f->next = model->touch;
        model->touch = f;
    }
    prim->form = f;
    return BL_OK;
}

bl_status bl_touch_record(const bl_prim *prim, bl_tape *tape, bl_index *value, bl_index *grad) {
    const bl_touch_form *f = prim->form;
    bl_index all[3 * BL_TOUCH_VECTORS];
    bl_touch_drawing w = {.tape = tape};
    memset(w.input, -1, sizeof w.input);
    for (int v = 0; v < f->nvector; v++)
        w.input[f->vector[v]] = (int8_t)v;
    for (int i = 0; i < BL_TOUCH_NUMBERS; i++)
        w.number[i] = bl_tape_const(tape, prim->number[i]);
    bl_touch_draw(f->kind, f->dim, &w);
    BL_TRY(bl_tape_status(tape));
    BL_TRY(equation(&w, f->what, f->tangent, value, all));
    for (int i = 0; i < f->nvector * f->dim; i++)
        grad[i] = all[f->vector[i / f->dim] * f->dim + i % f->dim];
    return BL_OK;
}

bl_status bl_touch_record_rows(const bl_touch_kind *kind, int dim, const double number[BL_TOUCH_NUMBERS], bl_tape *tape, bl_index *gap,
                               bl_index *reach, bl_index row[3][3 * BL_TOUCH_VECTORS]) {
    bl_touch_drawing w = {.tape = tape, .input = {0, 1, 2, 3, 4, 5, 6}};
    bl_index none;
    for (int i = 0; i < BL_TOUCH_NUMBERS; i++)
        w.number[i] = bl_tape_const(tape, number[i]);
    bl_touch_draw(kind, dim, &w);
    BL_TRY(bl_tape_status(tape));
    *reach = w.reach;
    BL_TRY(equation(&w, BL_TOUCH, 0, gap, row[0]));
    for (int k = 0; k < dim - 1; k++)
        BL_TRY(equation(&w, BL_SLIP, k, &none, row[1 + k]));
    return BL_OK;
}

/* ---- values */

void bl_touch_fill(bl_prim *prim, int dim, const bl_touch_kind *kind, const double number[BL_TOUCH_NUMBERS], const bl_mark *point,
                   const bl_mark (*axis)[3]) {
    prim->touch = kind;
    prim->axes = dim == 3 ? 3 : 1;
    memcpy(prim->number, number, sizeof prim->number);
    for (int side = 0; side < 2; side++) {
        prim->mark[side] = point[side];
        memcpy(prim->mark + 2 + side * prim->axes, axis[side], (size_t)prim->axes * sizeof **axis);
    }
}

int bl_touch_vectors(const bl_prim *prim, const int8_t **which) {
    *which = prim->form->vector;
    return prim->form->nvector;
}

/* the numbers of a primitive behind its vectors */
static void fill_numbers(const bl_prim *prim, double *in) {
    double *number = in + all_vectors(prim->form->dim) * prim->form->dim;
    memcpy(number, prim->number, sizeof prim->number);
    if (prim->touch->locate)
        prim->touch->locate(prim, in, number + BL_TOUCH_LOCAL);
}

static void run(const bl_prim *prim, const double *x, const double *rate, uint32_t want, double *work) {
    const bl_touch_form *f = prim->form;
    double in[BL_TOUCH_INPUTS] = {0};
    int rates = all_vectors(f->dim) * f->dim + BL_TOUCH_NUMBERS;
    for (int v = 0; v < f->nvector; v++)
        memcpy(in + f->vector[v] * f->dim, x + v * f->dim, (size_t)f->dim * sizeof *in);
    for (int v = 0; v < f->nvector && rate; v++)
        memcpy(in + rates + f->vector[v] * f->dim, rate + v * f->dim, (size_t)f->dim * sizeof *in);
    fill_numbers(prim, in);
    bl_tape_program_start(f->program, work);
    bl_tape_program_run(f->program, in, want, 0, work);
}

double bl_touch_gamma(const bl_prim *prim, const double *x, const double *rate) {
    double work[BL_TOUCH_WORK], gamma;
    run(prim, x, rate, 1u << GAMMA, work);
    bl_tape_program_take(prim->form->program, GAMMA, work, &gamma);
    return gamma;
}

void bl_touch_eval(const bl_prim *prim, const double *x, double *value, double *grad, double *hess) {
    const bl_touch_form *f = prim->form;
    double work[BL_TOUCH_WORK], out[9 * BL_TOUCH_VECTORS * BL_TOUCH_VECTORS];
    size_t n = (size_t)(f->nvector * f->dim);
    *value = 0;
    if (!grad && !hess && f->what == BL_SLIP)
        return;
    run(prim, x, NULL, 1u << VALUE | (grad ? 1u << GRADIENT : 0) | (hess ? 1u << HESSIAN : 0), work);
    bl_tape_program_take(f->program, VALUE, work, value);
    if (grad) {
        memset(grad, 0, n * sizeof *grad);
        bl_tape_program_take(f->program, GRADIENT, work, out);
        for (bl_index i = 0; i < f->ngrad; i++)
            grad[f->grad[i]] = out[i];
    }
    if (hess) {
        memset(hess, 0, n * n * sizeof *hess);
        bl_tape_program_take(f->program, HESSIAN, work, out);
        for (bl_index i = 0; i < f->nhess; i++)
            hess[f->hess[i]] = out[i];
    }
}

/* one of the vectors, and its rates */
static bl_mark_motion vector_at(const bl_prim_motion *at, int vector) {
    if (vector > 0)
        return at->mark[1 + vector];
    bl_mark_motion d = {.r = {0}};
    const bl_mark_motion *a = &at->mark[0], *b = &at->mark[1];
    for (int k = 0; k < 3; k++)
        d.r[k] = b->r[k] - a->r[k];
    for (int k = 0; at->turning[0] && k < 3; k++) {
        d.rate[k] = b->rate[k] - a->rate[k];
        d.centripetal[k] = b->centripetal[k] - a->centripetal[k];
    }
    return d;
}

void bl_touch_read(const bl_prim *prim, int part, const bl_prim_motion *at, bl_prim_reading *out) {
    enum { MOST = 3 * BL_TOUCH_VECTORS };
    const bl_touch_form *f = prim->form;
    int n = f->nvector * f->dim;
    double x[MOST], rate[MOST], second[MOST], grad[MOST];
    (void)part;
    for (int v = 0; v < f->nvector; v++) {
        bl_mark_motion vector = vector_at(at, f->vector[v]);
        memcpy(x + v * f->dim, vector.r, (size_t)f->dim * sizeof *x);
        memcpy(rate + v * f->dim, vector.rate, (size_t)f->dim * sizeof *x);
        memcpy(second + v * f->dim, vector.centripetal, (size_t)f->dim * sizeof *x);
    }
    bl_touch_eval(prim, x, &out->value, grad, NULL);
    for (int v = 0; v < f->nvector; v++) {
        double g[3] = {0, 0, 0}, u[3] = {0, 0, 0}, moment[3];
        memcpy(g, grad + v * f->dim, (size_t)f->dim * sizeof *g);
        memcpy(u, x + v * f->dim, (size_t)f->dim * sizeof *u);
        if (f->vector[v] == 0) {
            memcpy(out->force, g, sizeof g);
            continue;
        }
        cross3(u, g, moment);
        for (int k = 0; k < 3; k++) { /* moment on w_B - w_A, the rest of M_A with the first body */
            out->moment[k] += f->vector[v] > prim->axes ? moment[k] : 0;
            out->carried[k] += moment[k];
        }
    }
    if (!at->turning[0])
        return;
    out->centripetal = bl_touch_gamma(prim, x, rate);
    for (int r = 0; r < n; r++) {
        out->rate += grad[r] * rate[r];
        out->centripetal += grad[r] * second[r];
    }
}

bool bl_touch_ends(const bl_prim *prim) { return prim->form && prim->form->ends; }

/* results of one group where the marks are */
static void results(const bl_prim *prim, const bl_prim_motion *at, int group, double *out) {
    const bl_touch_form *f = prim->form;
    double in[BL_TOUCH_INPUTS] = {0}, work[BL_TOUCH_WORK];
    for (int v = 0; v < all_vectors(f->dim); v++) {
        bl_mark_motion vector = vector_at(at, v);
        memcpy(in + v * f->dim, vector.r, (size_t)f->dim * sizeof *in);
    }
    fill_numbers(prim, in);
    bl_tape_program_start(f->program, work);
    bl_tape_program_run(f->program, in, 1u << group, 0, work);
    bl_tape_program_take(f->program, group, work, out);
}

double bl_touch_reach(const bl_prim *prim, const bl_prim_motion *at) {
    double reach = INFINITY;
    if (bl_touch_ends(prim))
        results(prim, at, REACH, &reach);
    return reach;
}

void bl_touch_at(const bl_prim *prim, const bl_prim_motion *at, bl_touch_place *out) {
    double found[13];
    results(prim, at, PLACE, found);
    out->gap = found[0];
    memcpy(out->n, found + 1, sizeof out->n);
    memcpy(out->t, found + 4, sizeof out->t);
    memcpy(out->from_b, found + 10, sizeof out->from_b);
    out->reach = bl_touch_reach(prim, at);
}
