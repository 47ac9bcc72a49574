/* Linear systems given by matrices, as constrained systems without constraints:
 *
 *     order 2:  q = d,  Q = load(t) - C d' - K d         order 1:  z = y,  A z' = f with A = M, f = A y + load(t)
 *
 * All matrices are constant and copied into every workspace once; products for Q and f use diagonals if there are few, else
 * rows. If M and K are symmetric there are energies, d'^T M d' / 2 and d^T K d / 2. */
#include "equations/matrices.h"
#include "dense/dense.h"
#include "dense/vectors_isa.h"
#include "equations/equations_limits.h"
#include "model/law_inputs.h"
#include "series/switches.h"
#include "sparse/sparse.h"
#include "system/expansion.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_DIAGONALS = 9 };

/* A matrix for y -= A x: few diagonals, value[d][i] in row i and column i + offset[d]; or rows */
typedef struct product {
    int ndiagonal;
    bl_index offset[MOST_DIAGONALS];
    bl_index *ptr, *idx; /* NULL: diagonals, or no entries */
    double *value;
} product;

typedef struct matrices {
    const bl_model *model;
    const bl_matrices *given;
    bl_col *col;
    bl_index *empty; /* [n + 1] columns of a matrix without entries */
    product K, C;    /* -A in K for order 1 */
    bool energy;
    const bl_vector_kernels *vectors;
    /* M = L U of order 1, as a band */
    double *band;
    bl_index *pivot;
    bl_index below, above;
    bl_index ninput;      /* maximum inputs of a law, including pieces */
    size_t work;          /* of the largest tape */
    bl_switches switches; /* of the laws of the load */
} matrices;

typedef struct workspace {
    double *in, *work; /* of a law's tape */
    void *block;       /* holds both */
} workspace;

static const matrices *own_of(const bl_system *sys) { return sys->own; }
static bl_pattern pattern_of(const bl_square *square, bl_index n) { return (bl_pattern){n, n, square->ptr, square->idx}; }

/* ---- products */

static double row_less(const product *A, bl_index n, bl_index i, double b, const double *x) {
    for (int d = 0; d < A->ndiagonal; d++) {
        bl_index j = i + A->offset[d];
        if (j >= 0 && j < n)
            b -= A->value[(size_t)d * (size_t)n + (size_t)i] * x[j];
    }
    return b;
}

/* y = b - A x with three diagonals: vectorized over the rows that have all of them. y is not b. */
static void subtract_three(const matrices *own, const double *b, const product *A, const double *x, double *y) {
    bl_index n = own->given->n, from = 0, to = n;
    const double *value[3], *moved[3];
    for (int d = 0; d < 3; d++) {
        from = -A->offset[d] > from ? -A->offset[d] : from;
        to = n - A->offset[d] < to ? n - A->offset[d] : to;
    }
    from = from < n ? from : n;
    to = to > from ? to : from;
    for (bl_index i = 0; i < from; i++)
        y[i] = row_less(A, n, i, b[i], x);
    for (int d = 0; d < 3 && to > from; d++) {
        value[d] = A->value + (size_t)d * (size_t)n + from;
        moved[d] = x + A->offset[d] + from;
    }
    if (to > from)
        own->vectors->subtract_three(to - from, b + from, value, moved, y + from);
    for (bl_index i = to; i < n; i++)
        y[i] = row_less(A, n, i, b[i], x);
}

/* y -= A x */
static void subtract(const product *A, bl_index n, const double *restrict x, double *restrict y) {
    for (int d = 0; d < A->ndiagonal; d++) {
        bl_index offset = A->offset[d], from = offset < 0 ? -offset : 0, to = offset > 0 ? n - offset : n;
        const double *restrict value = A->value + (size_t)d * (size_t)n, *restrict moved = x + offset;
        for (bl_index i = from; i < to; i++)
            y[i] -= value[i] * moved[i];
    }
    for (bl_index i = 0; A->ptr && i < n; i++) {
        double sum = 0;
        for (bl_index k = A->ptr[i]; k < A->ptr[i + 1]; k++)
            sum += A->value[k] * x[A->idx[k]];
        y[i] -= sum;
    }
}

/* y = b - A x; y may be b */
static void subtract_from(const matrices *own, const double *b, const product *A, const double *x, double *y) {
    bl_index n = own->given->n;
    if (A->ndiagonal == 3 && b != y) {
        subtract_three(own, b, A, x, y);
        return;
    }
    if (b != y)
        memcpy(y, b, (size_t)n * sizeof *y);
    subtract(A, n, x, y);
}

static void product_free(bl_context *ctx, product *A) {
    bl_free(ctx, A->value);
    bl_free(ctx, A->ptr);
}

/* finds the diagonals that have entries; false: too many */
static bool find_diagonals(const bl_square *A, bl_index n, product *out) {
    for (bl_index j = 0; j < n; j++)
        for (bl_index k = A->ptr[j]; k < A->ptr[j + 1]; k++) {
            bl_index offset = j - A->idx[k];
            int d = 0;
            while (d < out->ndiagonal && out->offset[d] != offset)
                d++;
            if (d == MOST_DIAGONALS)
                return false;
            if (d == out->ndiagonal)
                out->offset[out->ndiagonal++] = offset;
        }
    return true;
}

/* factor A, ready for products */
static bl_status product_make(bl_context *ctx, const bl_square *A, bl_index n, double factor, product *out) {
    if (!A->ptr)
        return BL_OK;
    bl_index nonzeros = A->ptr[n];
    if (find_diagonals(A, n, out) && 2 * (size_t)nonzeros >= (size_t)out->ndiagonal * (size_t)n) {
        BL_TRY(BL_NEW(ctx, out->value, (size_t)out->ndiagonal * (size_t)n));
        for (bl_index j = 0; j < n; j++)
            for (bl_index k = A->ptr[j]; k < A->ptr[j + 1]; k++) {
                int d = 0;
                while (out->offset[d] != j - A->idx[k])
                    d++;
                out->value[(size_t)d * (size_t)n + (size_t)A->idx[k]] = factor * A->value[k];
            }
        return BL_OK;
    }
    /* rows */
    out->ndiagonal = 0;
    BL_TRY(BL_NEW(ctx, out->value, nonzeros));
    BL_TRY(BL_NEW(ctx, out->ptr, (size_t)n + 2 + (size_t)nonzeros));
    out->idx = out->ptr + n + 2;
    for (bl_index k = 0; k < nonzeros; k++)
        out->ptr[A->idx[k] + 2]++;
    for (bl_index i = 0; i < n; i++)
        out->ptr[i + 2] += out->ptr[i + 1];
    for (bl_index j = 0; j < n; j++)
        for (bl_index k = A->ptr[j]; k < A->ptr[j + 1]; k++) {
            bl_index at = out->ptr[A->idx[k] + 1]++;
            out->idx[at] = j;
            out->value[at] = factor * A->value[k];
        }
    return BL_OK;
}

/* x^T A x */
static double square_form(const bl_square *A, bl_index n, const double *x) {
    double sum[4] = {0}; /* four sums, to break the dependency chain of additions */
    for (bl_index j = 0; A->ptr && j < n; j++) {
        double column = 0;
        for (bl_index k = A->ptr[j]; k < A->ptr[j + 1]; k++)
            column += A->value[k] * x[A->idx[k]];
        sum[j % 4] += column * x[j];
    }
    return sum[0] + sum[1] + (sum[2] + sum[3]);
}

/* ---- laws of the load and of stops */

static const double *pieces_of(const unsigned char *history) { return (const double *)(const void *)history; }

static const double *history_of(const bl_eval *e) { return e->history ? pieces_of(e->history) : NULL; }

/* the tape of law k of the load; if it has switches, the piecewise one, whose last inputs are the pieces */
static const bl_tape *tape_of(const matrices *own, bl_index k) {
    const bl_tape *by_pieces = own->switches.law[k].tape;
    return by_pieces ? by_pieces : own->model->law[own->given->law[k].law].tape;
}

static bl_status find_load(const bl_system *sys, const bl_eval *e, double *out) {
    const matrices *own = own_of(sys);
    const bl_matrices *given = own->given;
    const workspace *p = e->own;
    memcpy(out, given->load, (size_t)given->n * sizeof *out);
    for (bl_index k = 0; k < given->nlaw; k++) {
        const bl_law *law = &own->model->law[given->law[k].law];
        double value;
        bl_law_read(own->model, law, &(bl_instant){.t = e->t}, p->in);
        bl_switches_pieces(&own->switches, k, history_of(e), 0, p->in);
        bl_tape_eval(tape_of(own, k), p->in, &value, p->work);
        if (!isfinite(value)) {
            const char *name = own->model->variable[given->law[k].row].name;
            bl_fail(sys->ctx, BL_NOT_FINITE, &law->place, "the load of %s, %s, is %s at t = %.9g", name, law->text,
                    isnan(value) ? "not a number" : "infinite", e->t);
            bl_blame(sys->ctx, name, "load", e->t);
            return BL_NOT_FINITE;
        }
        out[given->law[k].row] += value;
    }
    return BL_OK;
}

/* ---- system interface */

/* forces without potential (load and damping) and their power: *driving is Q, or the load itself if it is constant and undamped */
static bl_status find_driving(const bl_system *sys, bl_eval *e, const double **driving) {
    const matrices *own = own_of(sys);
    bl_index n = own->given->n;
    bool constant = own->given->nlaw == 0 && own->C.ndiagonal == 0 && !own->C.ptr;
    *driving = constant ? own->given->load : e->Q;
    if (!constant) {
        BL_TRY(find_load(sys, e, e->Q));
        subtract(&own->C, n, e->v, e->Q);
    }
    e->power = own->vectors->dot(n, *driving, e->v);
    return BL_OK;
}

static bl_status eval_Q(const bl_system *sys, bl_eval *e) {
    const matrices *own = own_of(sys);
    const double *driving;
    BL_TRY(find_driving(sys, e, &driving));
    subtract_from(own, driving, &own->K, e->q, e->Q);
    return BL_OK;
}

static bl_status eval_f(const bl_system *sys, bl_eval *e) {
    const matrices *own = own_of(sys);
    bl_index n = own->given->n;
    BL_TRY(find_load(sys, e, e->f));
    subtract(&own->K, n, e->z, e->f);
    return BL_OK;
}

/* y' = M^-1 f; NaN if M is singular or too large to be stored as a band */
static bl_status eval_rates(const bl_system *sys, bl_eval *e) {
    const matrices *own = own_of(sys);
    bl_index n = own->given->n;
    BL_TRY(bl_system_eval(sys, e, BL_F));
    memcpy(e->variable_rate, e->f, (size_t)n * sizeof *e->f);
    if (own->band)
        bl_dense_lu_band_solve(n, own->below, own->above, own->band, own->pivot, e->variable_rate);
    else
        for (bl_index i = 0; i < n && !(sys->facts & BL_IDENTITY); i++)
            e->variable_rate[i] = NAN;
    return BL_OK;
}

static bl_status eval_variables(const bl_system *sys, bl_eval *e) {
    size_t bytes = (size_t)own_of(sys)->given->n * sizeof(double);
    memcpy(e->variable, sys->nq ? e->q : e->z, bytes);
    if (!sys->nq)
        return eval_rates(sys, e);
    memcpy(e->variable_rate, e->v, bytes);
    return BL_OK;
}

static bl_status eval_events(const bl_system *sys, bl_eval *e) {
    const matrices *own = own_of(sys);
    const bl_model *model = own->model;
    const workspace *p = e->own;
    BL_TRY(bl_system_eval(sys, e, BL_VARIABLES));
    const bl_instant now = {.t = e->t, .variable = e->variable, .rate = e->variable_rate};
    for (bl_index k = 0; k < model->nstop; k++) {
        const bl_law *law = &model->law[model->stop[k].law];
        bl_law_read(model, law, &now, p->in);
        bl_tape_eval(law->tape, p->in, &e->event[k], p->work);
    }
    return bl_check_finite(sys->ctx, "stop", e->t, model->nstop, e->event);
}

static bl_status matrices_eval(const bl_system *sys, bl_eval *e, uint32_t want) {
    const matrices *own = own_of(sys);
    const bl_matrices *m = own->given;
    if ((want & BL_Q) && sys->nq)
        BL_TRY(eval_Q(sys, e));
    if ((want & BL_F) && sys->nz)
        BL_TRY(eval_f(sys, e));
    if ((want & BL_ENERGY) && own->energy) {
        e->kinetic = 0.5 * square_form(&m->M, m->n, e->v);
        e->potential = 0.5 * square_form(&m->K, m->n, e->q);
    }
    if (want & BL_VARIABLES)
        BL_TRY(eval_variables(sys, e));
    if ((want & BL_EVENTS) && sys->nevent)
        BL_TRY(eval_events(sys, e));
    return BL_OK;
}

static bl_status matrices_power(const bl_system *sys, bl_eval *e) {
    const double *driving;
    return sys->nq ? find_driving(sys, e, &driving) : BL_OK;
}

static void copy_values(const bl_square *from, bl_index n, double factor, double *to) {
    for (bl_index k = 0; from->ptr && k < from->ptr[n]; k++)
        to[k] = factor * from->value[k];
}

static bl_status matrices_eval_create(const bl_system *sys, bl_eval *e) {
    const matrices *own = own_of(sys);
    workspace *p;
    BL_TRY(BL_NEW(sys->ctx, p, 1));
    e->own = p;
    return BL_NEW_ARRAYS(sys->ctx, p->block, BL_ARRAY(p->in, own->ninput), BL_ARRAY(p->work, own->work + own->switches.work));
}

static bl_status matrices_eval_room(const bl_system *sys, bl_eval *e, uint32_t fresh) {
    const bl_matrices *m = own_of(sys)->given;
    if ((fresh & BL_M) && m->order == 2)
        copy_values(&m->M, m->n, 1, e->M);
    if (fresh & BL_KC) {
        copy_values(m->order == 2 ? &m->C : &m->M, m->n, 1, e->C);
        copy_values(m->order == 2 ? &m->K : &m->A, m->n, m->order == 2 ? 1 : -1, e->K);
    }
    e->constant |= fresh & (BL_M | BL_KC | BL_MA_X);
    return BL_OK;
}

static void matrices_eval_destroy(const bl_system *sys, bl_eval *e) {
    workspace *p = e->own;
    if (p)
        bl_free(sys->ctx, p->block);
    bl_free(sys->ctx, p);
}

/* ---- power series: everything is linear except the load, whose laws run as tapes */

typedef struct expansion {
    double *load;  /* [order + 1][n] */
    double *given; /* [order + 1][n] load - C v, whose power is integrated to work */
    double *in, *out, *work;
    void *block; /* holds the arrays */
} expansion;

static bl_status matrices_expansion_create(const bl_system *sys, bl_expansion *ex) {
    const matrices *own = own_of(sys);
    size_t n = (size_t)own->given->n, count = (size_t)ex->order + 1, work = 1;
    expansion *x;
    for (bl_index k = 0; k < own->given->nlaw; k++) {
        size_t needs = bl_tape_series_work(tape_of(own, k), ex->order);
        work = work > needs ? work : needs;
    }
    BL_TRY(BL_NEW(sys->ctx, x, 1));
    ex->own = x;
    return BL_NEW_ARRAYS(sys->ctx, x->block, BL_ARRAY(x->load, count * n), BL_ARRAY(x->given, count * n),
                         BL_ARRAY(x->in, count * (size_t)own->ninput), BL_ARRAY(x->out, count), BL_ARRAY(x->work, work));
}

static void matrices_expansion_destroy(const bl_system *sys, bl_expansion *ex) {
    expansion *x = ex->own;
    bl_free(sys->ctx, x->block);
    bl_free(sys->ctx, x);
    ex->own = NULL;
}

static void expand_load(const matrices *own, bl_expansion *ex) {
    expansion *x = ex->own;
    const bl_matrices *given = own->given;
    size_t n = (size_t)given->n, count = (size_t)ex->order + 1;
    memset(x->load, 0, count * n * sizeof *x->load);
    memcpy(x->load, given->load, n * sizeof *x->load);
    for (bl_index k = 0; k < given->nlaw; k++) {
        const bl_law *law = &own->model->law[given->law[k].law];
        bl_law_read_series(own->model, law, &(bl_instant){.t = ex->t}, ex->order, x->in);
        bl_switches_pieces(&own->switches, k, ex->history ? pieces_of(ex->history) : NULL, ex->order, x->in);
        bl_tape_series(tape_of(own, k), ex->order, x->in, x->out, x->work);
        for (size_t j = 0; j < count; j++)
            x->load[j * n + (size_t)given->law[k].row] += x->out[j];
    }
}

static bl_status matrices_series(const bl_system *sys, bl_expansion *ex, int k, uint32_t want) {
    const matrices *own = own_of(sys);
    expansion *x = ex->own;
    bl_index n = own->given->n;
    size_t at = (size_t)k * (size_t)n, bytes = (size_t)n * sizeof(double);
    if (k == 0 && (want & (BL_Q | BL_F)))
        expand_load(own, ex);
    if (want & BL_Q) {
        memcpy(x->given + at, x->load + at, bytes);
        subtract(&own->C, n, ex->v + at, x->given + at);
        memcpy(ex->Q, x->given + at, bytes);
        subtract(&own->K, n, ex->q + at, ex->Q);
    }
    if (want & BL_F) {
        memcpy(ex->f, x->load + at, bytes);
        subtract(&own->K, n, ex->z + at, ex->f);
    }
    if ((want & BL_M) && k == 0)
        copy_values(&own->given->M, n, 1, ex->M);
    else if (want & BL_M)
        memset(ex->M, 0, (size_t)sys->pat_M.ptr[n] * sizeof *ex->M);
    if (!(want & BL_ENERGY))
        return BL_OK;
    memset(ex->work, 0, (2 * (size_t)ex->order + 1) * sizeof *ex->work);
    int last = k - 2;
    for (int j = 0; sys->nv && j <= 2 * last - 2; j++)
        for (int i = j < last ? 0 : j - last + 1; i <= j && i < last; i++)
            ex->work[j + 1] += own->vectors->dot(n, x->given + (size_t)i * (size_t)n, ex->v + (size_t)(j - i) * (size_t)n) / (j + 1);
    return BL_OK;
}

static void matrices_not_analytic(const bl_system *sys, char *why, size_t nwhy, const char **advice) {
    (void)sys, (void)advice;
    snprintf(why, nwhy, "a load uses a function that is not analytic everywhere (for example abs, min, max or a table)");
}

/* ---- switches of the load, which depend only on time */

typedef struct law_source {
    const bl_system *sys;
    const bl_eval *e;
} law_source;

static void law_inputs(void *user, bl_index l, double *in) {
    const law_source *at = user;
    const matrices *own = own_of(at->sys);
    bl_law_read(own->model, &own->model->law[own->given->law[l].law], &(bl_instant){.t = at->e->t}, in);
}

static bl_status matrices_hold(const bl_system *sys, bl_eval *e, bl_state *state) {
    if (!e) {
        memset(state->history, 0, (size_t)own_of(sys)->switches.n * sizeof(double));
        return BL_OK;
    }
    workspace *p = e->own;
    bl_switches_hold(&own_of(sys)->switches, law_inputs, &(law_source){sys, e}, *state->t, (double *)(void *)state->history, p->work);
    return BL_OK;
}

static bl_status matrices_jump(const bl_system *sys, bl_eval *e, bl_state *state, bl_index event) {
    workspace *p = e->own;
    bool changed = bl_switches_jump(&own_of(sys)->switches, law_inputs, &(law_source){sys, e}, *state->t, (double *)(void *)state->history,
                                    event, p->work);
    return changed ? BL_OK : BL_AGAIN;
}

static bl_status matrices_next_time(const bl_system *sys, const bl_state *state, double *t) {
    *t = bl_switches_next_time(&own_of(sys)->switches, pieces_of(state->history));
    return BL_OK;
}

static void matrices_col_name(const bl_system *sys, bl_index col, char *name, size_t nname) {
    snprintf(name, nname, "%s", own_of(sys)->model->variable[col].name);
}

static void matrices_destroy(bl_system *sys) {
    matrices *own = sys->own;
    bl_context *ctx = sys->ctx;
    bl_free(ctx, own->col);
    bl_free(ctx, own->empty);
    bl_free(ctx, own->band);
    bl_free(ctx, own->pivot);
    product_free(ctx, &own->K);
    product_free(ctx, &own->C);
    bl_switches_destroy(ctx, &own->switches);
}

static const bl_system_kind matrices_kind = {
    .kind = {.name = "matrices", .help = "a linear system given by matrices"},
    .eval = matrices_eval,
    .power = matrices_power,
    .eval_create = matrices_eval_create,
    .eval_room = matrices_eval_room,
    .eval_destroy = matrices_eval_destroy,
    .series = matrices_series,
    .expansion_create = matrices_expansion_create,
    .expansion_destroy = matrices_expansion_destroy,
    .not_analytic = matrices_not_analytic,
    .hold = matrices_hold,
    .next_time = matrices_next_time,
    .jump = matrices_jump,
    .col_name = matrices_col_name,
    .destroy = matrices_destroy,
};

/* ---- build */

static double entry(const bl_square *A, bl_index row, bl_index col) {
    bl_pattern pattern = {.ptr = A->ptr, .idx = A->idx};
    bl_index at = bl_pattern_find(&pattern, row, col);
    return at >= 0 ? A->value[at] : 0;
}

/* to within equations_symmetric of the largest entry */
static bool symmetric(const bl_square *A, bl_index n) {
    double largest = 0;
    for (bl_index k = 0; A->ptr && k < A->ptr[n]; k++)
        largest = fmax(largest, fabs(A->value[k]));
    for (bl_index j = 0; A->ptr && j < n; j++)
        for (bl_index k = A->ptr[j]; k < A->ptr[j + 1]; k++)
            if (fabs(A->value[k] - entry(A, j, A->idx[k])) > equations_symmetric * largest)
                return false;
    return true;
}

static bool is_identity(const bl_square *A, bl_index n) {
    for (bl_index j = 0; j < n; j++)
        if (A->ptr[j + 1] != A->ptr[j] + 1 || A->idx[A->ptr[j]] != j || A->value[A->ptr[j]] != 1)
            return false;
    return true;
}

static bool is_diagonal(const bl_square *A, bl_index n) {
    for (bl_index j = 0; j < n; j++)
        if (A->ptr[j + 1] > A->ptr[j] + 1 || (A->ptr[j + 1] > A->ptr[j] && A->idx[A->ptr[j]] != j))
            return false;
    return true;
}

/* M of order 1, factored once; omitted if it is singular or its band too wide */
static bl_status factor_band(bl_context *ctx, matrices *own) {
    const bl_square *M = &own->given->M;
    bl_index n = own->given->n;
    for (bl_index j = 0; j < n; j++)
        for (bl_index k = M->ptr[j]; k < M->ptr[j + 1]; k++) {
            bl_index off = M->idx[k] - j;
            own->below = off > own->below ? off : own->below;
            own->above = -off > own->above ? -off : own->above;
        }
    size_t height = 2 * (size_t)own->below + (size_t)own->above + 1;
    if ((double)height * (double)n > equations_band)
        return BL_OK;
    BL_TRY(BL_NEW(ctx, own->band, height * (size_t)n));
    BL_TRY(BL_NEW(ctx, own->pivot, n));
    for (bl_index j = 0; j < n; j++)
        for (bl_index k = M->ptr[j]; k < M->ptr[j + 1]; k++)
            own->band[(size_t)j * height + (size_t)(own->below + own->above + M->idx[k] - j)] = M->value[k];
    if (!bl_dense_lu_band(n, own->below, own->above, own->band, own->pivot)) {
        bl_free(ctx, own->band);
        own->band = NULL;
    }
    return BL_OK;
}

static void measure(const bl_tape *tape, bl_index ninput, matrices *own) {
    size_t work = bl_tape_work(tape);
    own->ninput = ninput > own->ninput ? ninput : own->ninput;
    own->work = work > own->work ? work : own->work;
}

static bl_status make_columns(bl_context *ctx, matrices *own, bl_system *sys) {
    const bl_matrices *m = own->given;
    BL_TRY(BL_NEW(ctx, own->col, m->n));
    BL_TRY(BL_NEW(ctx, own->empty, m->n + 1));
    for (bl_index j = 0; j < m->n; j++) {
        uint8_t order = (uint8_t)m->order;
        if (order == 1 && m->M.ptr[j] == m->M.ptr[j + 1])
            order = 0; /* algebraic */
        own->col[j] = (bl_col){.what = order == 2 ? BL_COL_DISTANCE : BL_COL_STATE, .order = order, .owner = j, .scale = m->scale[j]};
    }
    sys->col = own->col;
    return BL_OK;
}

static bl_status add_law(bl_context *ctx, matrices *own, const bl_law *law) {
    uint8_t *role;
    BL_TRY(BL_NEW(ctx, role, (size_t)law->ninput + 1));
    for (bl_index k = 0; k < law->ninput; k++)
        role[k] = law->input[k].what == BL_SYM_TIME ? BL_INPUT_TIME : BL_INPUT_CONSTANT;
    bl_status status = bl_switches_add(ctx, &own->switches, law->tape, -1, law->ninput, role);
    bl_free(ctx, role);
    BL_TRY(status);
    const bl_pieces *pieces = &own->switches.law[own->switches.nlaw - 1];
    measure(pieces->tape ? pieces->tape : law->tape, law->ninput + pieces->count, own);
    return BL_OK;
}

static bl_status make(bl_context *ctx, matrices *own, bl_system *sys) {
    const bl_matrices *m = own->given;
    bl_index n = m->n;
    BL_TRY(make_columns(ctx, own, sys));
    bool second = m->order == 2, smooth = true;
    for (bl_index k = 0; k < m->nlaw; k++)
        BL_TRY(add_law(ctx, own, &own->model->law[m->law[k].law]));
    for (bl_index k = 0; k < own->model->nstop; k++) {
        const bl_law *stop = &own->model->law[own->model->stop[k].law];
        measure(stop->tape, stop->ninput, own);
    }
    smooth = m->nlaw == 0 || own->switches.analytic;
    sys->history_bytes = bl_switches_kept(&own->switches) * sizeof(double);
    const bl_square none = {.ptr = own->empty, .idx = own->empty};
    const bl_square *K = second ? &m->K : &m->A, *C = second ? &m->C : &m->M, *M = second ? &m->M : &none;
    sys->nq = sys->nv = second ? n : 0;
    sys->nz = second ? 0 : n;
    sys->nvariable = n;
    sys->nevent = own->model->nstop;
    sys->pat_M = pattern_of(M, n);
    sys->pat_C = pattern_of(C->ptr ? C : &none, n);
    sys->pat_K = pattern_of(K->ptr ? K : &none, n);
    sys->pat_G = (bl_pattern){0, sys->nv, own->empty, own->empty};
    own->energy = second && symmetric(&m->M, n) && symmetric(&m->K, n);
    sys->can = BL_CAN_MASS | BL_CAN_TANGENT | (own->energy ? BL_CAN_ENERGY : 0) | (smooth ? BL_CAN_SERIES : 0);
    sys->facts = BL_FLAT | BL_POWER_OF_V | BL_M_CONST | BL_CK_CONST | (second && m->C.ptr ? BL_Q_OF_V : 0) | (m->nlaw ? BL_Q_OF_T : 0) |
                 (smooth ? BL_SMOOTH : 0) | (is_identity(&m->M, n) ? BL_IDENTITY : 0) |
                 (second && is_diagonal(&m->M, n) ? BL_M_DIAGONAL : 0);
    if (own->energy)
        sys->facts |= BL_K_SYMMETRIC;
    if (!second && (sys->facts & BL_IDENTITY))
        sys->facts |= BL_A_IDENTITY;
    sys->zero = BL_MA_X | BL_GTL_X | BL_GV_X;
    BL_TRY(product_make(ctx, K, n, second ? 1 : -1, &own->K));
    if (second)
        BL_TRY(product_make(ctx, C, n, 1, &own->C));
    return second || (sys->facts & BL_IDENTITY) ? BL_OK : factor_band(ctx, own);
}

bl_status bl_matrices_build(bl_context *ctx, const bl_model *model, bl_system **out) {
    BL_TRY(bl_system_create(ctx, &matrices_kind, sizeof(matrices), out));
    matrices *own = (*out)->own;
    own->vectors = BL_ISA_PICK(ctx, bl_vector_kernels);
    own->model = model;
    own->given = model->matrices;
    return bl_system_made(make(ctx, own, *out), out);
}

bl_status bl_matrices_initial(const bl_system *sys, bl_state *state) {
    const bl_matrices *m = own_of(sys)->given;
    size_t bytes = (size_t)m->n * sizeof(double);
    memcpy(sys->nq ? state->q : state->z, m->position, bytes);
    if (sys->nq)
        memcpy(state->v, m->velocity, bytes);
    return BL_OK;
}
