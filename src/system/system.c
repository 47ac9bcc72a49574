/* Generic helpers: evaluation points, states, products with matrices, drift, names. An evaluation point and a state are one aligned block
 * each, so that kernels may vectorize and a snapshot is one copy. */
#include "system/system.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { ALIGN = 64 };

static size_t aligned(size_t bytes) { return (bytes + ALIGN - 1) / ALIGN * ALIGN; }

/* The first multiple of ALIGN in a fresh block, with the block's own address kept just below it. */
static void *aligned_block(bl_context *ctx, size_t bytes) {
    if (bytes > SIZE_MAX - 2 * ALIGN) {
        bl_fail(ctx, BL_E_MEMORY, NULL, "out of memory: cannot allocate %zu bytes", bytes);
        return NULL;
    }
    char *raw = bl_alloc(ctx, bytes + 2 * ALIGN, 1);
    if (!raw)
        return NULL;
    char *start = raw + (ALIGN - (uintptr_t)raw % ALIGN);
    if ((size_t)(start - raw) < sizeof(void *))
        start += ALIGN;
    memcpy(start - sizeof raw, &raw, sizeof raw);
    return start;
}

static void aligned_free(bl_context *ctx, void *start) {
    if (!start)
        return;
    void *raw;
    memcpy(&raw, (char *)start - sizeof raw, sizeof raw);
    bl_free(ctx, raw);
}

static size_t nonzeros(const bl_pattern *pattern) { return pattern->ptr ? (size_t)pattern->ptr[pattern->ncol] : 0; }

typedef struct system_block {
    bl_system sys;
    max_align_t own[];
} system_block;

bl_status bl_system_create(bl_context *ctx, const bl_system_kind *kind, size_t bytes, bl_system **out) {
    system_block *block = bl_alloc(ctx, sizeof *block + bytes, 1);
    *out = NULL;
    if (!block)
        return BL_E_MEMORY;
    block->sys = (bl_system){.kind = kind, .ctx = ctx, .own = block->own};
    *out = &block->sys;
    return BL_OK;
}

bl_status bl_system_made(bl_status status, bl_system **sys) {
    if (status != BL_OK) {
        bl_system_destroy(*sys);
        *sys = NULL;
    }
    return status;
}

void bl_system_destroy(bl_system *sys) {
    if (!sys)
        return;
    bl_free(sys->ctx, sys->misfit);
    if (sys->kind->destroy)
        sys->kind->destroy(sys);
    bl_free(sys->ctx, sys);
}

double bl_system_smallest(const bl_system *sys) {
    double smallest = INFINITY;
    for (bl_index j = 0; j < sys->nv; j++)
        smallest = fmin(smallest, sys->col[j].scale);
    return isfinite(smallest) && smallest > 0 ? smallest : 1;
}

/* ---- evaluation points */

/* every block of an evaluation point begins with the address of the one allocated before */
static void *linked_block(const bl_system *sys, size_t bytes, void *before) {
    char *block = bytes > SIZE_MAX - ALIGN ? NULL : aligned_block(sys->ctx, bytes + ALIGN);
    if (block)
        memcpy(block, &before, sizeof before);
    return block;
}

void bl_eval_destroy(const bl_system *sys, bl_eval *eval) {
    if (!eval->block)
        return;
    if (sys->kind->eval_destroy)
        sys->kind->eval_destroy(sys, eval);
    for (void *block = eval->block, *before; block; block = before) {
        memcpy(&before, block, sizeof before);
        aligned_free(sys->ctx, block);
    }
    memset(eval, 0, sizeof *eval);
}

static size_t drivers(const bl_system *sys) {
    size_t n = 0;
    for (bl_index i = 0; sys->row && i < sys->np; i++)
        if (sys->row[i].what == BL_ROW_DRIVER && (size_t)sys->row[i].owner >= n)
            n = (size_t)sys->row[i].owner + 1;
    return n;
}

/* fields are stored one after the other */
static size_t field_numbers(const bl_system *sys) {
    size_t n = 0;
    for (bl_index i = 0; i < sys->nfield; i++)
        n += (size_t)sys->field[i].items * (size_t)sys->field[i].components;
    return n;
}

static void set_field_pointers(const bl_system *sys, double *at, double **field) {
    for (bl_index i = 0; i < sys->nfield; i++) {
        field[i] = at;
        at += (size_t)sys->field[i].items * (size_t)sys->field[i].components;
    }
}

typedef struct room_part {
    uint32_t of; /* quantities it belongs to */
    size_t count, size;
    void *view; /* the pointer to set */
} room_part;

static bl_status lay_out(const bl_system *sys, const room_part *parts, size_t n, bl_eval *eval) {
    size_t bytes = 0, at = ALIGN;
    for (size_t i = 0; i < n; i++)
        bytes += aligned(parts[i].count * parts[i].size);
    char *block = linked_block(sys, bytes, eval->block);
    if (!block)
        return BL_E_MEMORY;
    eval->block = block;
    for (size_t i = 0; i < n; i++) {
        void *start = block + at;
        memcpy(parts[i].view, &start, sizeof start);
        at += aligned(parts[i].count * parts[i].size);
    }
    return BL_OK;
}

bl_status bl_eval_room(const bl_system *sys, uint32_t uses, bl_eval *eval) {
    uint32_t rows = sys->ncontact ? BL_G : 0; /* friction acts along rows of G, whatever is requested */
    uint32_t fresh = (uses | rows) & BL_ALL & ~eval->uses;
    if (fresh & BL_SEEN)
        fresh |= BL_SEEN & ~eval->uses;
    if (!fresh)
        return BL_OK;
    if (sys->kind->patterns)
        BL_TRY(sys->kind->patterns(sys, fresh));
    size_t nK = nonzeros(&sys->pat_K), nG = nonzeros(&sys->pat_G), nvariable = (size_t)sys->nvariable, nprobe = (size_t)sys->nprobe,
           njoint = (size_t)sys->njoint, number = sizeof(double);
    double *fields = NULL;
    const room_part all[] = {
        {BL_T, nonzeros(&sys->pat_T), number, &eval->T},
        {BL_M, nonzeros(&sys->pat_M), number, &eval->M},
        {BL_KC, nonzeros(&sys->pat_C), number, &eval->C},
        {BL_KC, nK, number, &eval->K},
        {BL_G, nG, number, &eval->G},
        {BL_W, nonzeros(&sys->pat_W), number, &eval->W},
        {BL_MA_X, nK, number, &eval->Ma_x},
        {BL_GTL_X, nK, number, &eval->GTl_x},
        {BL_GV_X, nG, number, &eval->Gv_x},
        {BL_SEEN, (size_t)sys->nevent, number, &eval->event},
        {BL_SEEN, nvariable, number, &eval->variable},
        {BL_SEEN, nvariable, number, &eval->variable_rate},
        {BL_SEEN, 3 * nprobe, number, &eval->probe},
        {BL_SEEN, 3 * nprobe, number, &eval->probe_rate},
        {BL_SEEN, (size_t)sys->nload, number, &eval->load_now},
        {BL_SEEN, drivers(sys), number, &eval->driver_force},
        {BL_SEEN, njoint, number, &eval->relation_force},
        {BL_SEEN, (size_t)sys->nbody, sizeof *eval->pose, &eval->pose},
        {BL_SEEN, njoint, sizeof *eval->wrench, &eval->wrench},
        {BL_SEEN, (size_t)sys->ncontact, sizeof *eval->contact, &eval->contact},
        {BL_FIELDS, (size_t)sys->nfield, sizeof *eval->field, &eval->field},
        {BL_FORCES, (size_t)sys->npush, sizeof *eval->push, &eval->push},
        {BL_FORCES, (size_t)sys->nspring, number, &eval->spring_length},
        {BL_FORCES, (size_t)sys->nspring, number, &eval->spring_tension},
        {BL_U, (size_t)sys->nu * ((size_t)sys->nv + (size_t)sys->nz), number, &eval->Q_u},
        {BL_SIGNALS, (size_t)sys->nsignal, number, &eval->signal},
        {BL_SIGNAL_RATE, (size_t)sys->nsignal, number, &eval->signal_rate},
        {BL_SIGNAL_X, nonzeros(&sys->pat_S), number, &eval->signal_x},
        {BL_SIGNAL_X, nonzeros(&sys->pat_S), number, &eval->signal_v},
        {BL_SIGNAL_X, (size_t)sys->nu * (size_t)sys->nsignal, number, &eval->signal_u},
        {BL_FIELDS, field_numbers(sys), number, &fields},
    };
    room_part some[sizeof all / sizeof *all];
    size_t n = 0;
    uint32_t lent = sys->lends & (eval->keeps ? ~(uint32_t)BL_KC : ~(uint32_t)0);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if ((all[i].of & fresh) && !(all[i].of & lent))
            some[n++] = all[i];
    if (n)
        BL_TRY(lay_out(sys, some, n, eval));
    if (fields)
        set_field_pointers(sys, fields, eval->field);
    if (sys->kind->eval_room)
        BL_TRY(sys->kind->eval_room(sys, eval, fresh));
    eval->uses |= fresh;
    eval->constant |= fresh & sys->zero;
    eval->have |= eval->constant; /* constants are valid at every state */
    return BL_OK;
}

bl_status bl_eval_create(const bl_system *sys, uint32_t uses, bl_eval *eval) {
    size_t n = (size_t)sys->nv + (size_t)sys->nz, np = (size_t)sys->np, number = sizeof(double);
    const room_part parts[] = {{BL_Q, n, number, &eval->Q},
                               {BL_F, (size_t)sys->nz, number, &eval->f},
                               {BL_FREE_ACC, n, number, &eval->a_free},
                               {BL_PHI, np, number, &eval->phi},
                               {BL_B, np, number, &eval->b},
                               {BL_C, np, number, &eval->c},
                               {BL_ALL, sys->history_bytes, 1, &eval->trial}};
    BL_TRY(lay_out(sys, parts, sizeof parts / sizeof *parts, eval));
    bl_status status = sys->kind->eval_create ? sys->kind->eval_create(sys, eval) : BL_OK;
    if (status == BL_OK)
        status = bl_eval_room(sys, uses & ~sys->zero, eval);
    if (status != BL_OK)
        bl_eval_destroy(sys, eval);
    else
        eval->have = eval->constant;
    return status;
}

void bl_eval_at(bl_eval *eval, const bl_state *state) {
    eval->t = *state->t;
    eval->q = state->q;
    eval->v = state->v;
    eval->z = state->z;
    eval->lambda = state->lambda;
    eval->u = state->u;
    eval->u_order = 0;
    eval->history = state->history;
    eval->have = eval->constant;
}

/* rows of drivers and gears have derivative 1 with respect to the variable they act on */
static void row_forces(const bl_system *sys, bl_eval *eval) {
    for (bl_index i = 0; sys->row && i < sys->np; i++)
        if (sys->row[i].what == BL_ROW_DRIVER)
            eval->driver_force[sys->row[i].owner] = -eval->lambda[i];
        else if (sys->row[i].what == BL_ROW_JOINT)
            eval->relation_force[sys->row[i].owner] = -eval->lambda[i];
}

bl_status bl_system_eval(const bl_system *sys, bl_eval *eval, uint32_t want) {
    uint32_t missing = want & ~eval->have;
    if (!missing)
        return BL_OK;
    if (missing & BL_ALL & ~eval->uses) {
        BL_TRY(bl_eval_room(sys, missing, eval));
        missing &= ~eval->have;
    }
    if (missing)
        BL_TRY(sys->kind->eval(sys, eval, missing));
    for (bl_index i = 0; sys->misfit && (missing & BL_PHI) && i < sys->np; i++)
        eval->phi[i] -= sys->misfit[i];
    if (missing & BL_WRENCH)
        row_forces(sys, eval);
    eval->have |= missing;
    return BL_OK;
}

bl_status bl_system_apply(const bl_system *sys, bl_eval *eval, bl_op op, bl_index nrhs, const double *x, double *y) {
    return (sys->kind->apply ? sys->kind->apply : bl_system_multiply)(sys, eval, op, nrhs, x, y);
}

bl_status bl_system_multiply(const bl_system *sys, bl_eval *eval, bl_op op, bl_index nrhs, const double *x, double *y) {
    bool flat_T = (op == BL_OP_T || op == BL_OP_TT) && (sys->facts & BL_FLAT);
    if (flat_T) {
        memmove(y, x, (size_t)sys->nv * (size_t)nrhs * sizeof *y);
        return BL_OK;
    }
    const bl_pattern *pattern = NULL;
    double *const *values = NULL; /* allocated when first requested */
    uint32_t want = 0;
    switch (op) {
    case BL_OP_M: pattern = &sys->pat_M, values = &eval->M, want = BL_M; break;
    case BL_OP_G:
    case BL_OP_GT: pattern = &sys->pat_G, values = &eval->G, want = BL_G; break;
    case BL_OP_K: pattern = &sys->pat_K, values = &eval->K, want = BL_KC; break;
    case BL_OP_C: pattern = &sys->pat_C, values = &eval->C, want = BL_KC; break;
    case BL_OP_T:
    case BL_OP_TT: pattern = &sys->pat_T, values = &eval->T, want = BL_T; break;
    case BL_OP_MINV: break;
    }
    BL_TRY(bl_eval_room(sys, want, eval));
    if (!pattern || !pattern->ptr) {
        bl_fail(sys->ctx, BL_E_ABILITY, NULL, "coordinates %s provide neither this product nor its matrix", sys->kind->kind.name);
        return BL_E_ABILITY;
    }
    BL_TRY(bl_system_eval(sys, eval, want));
    bool transposed = op == BL_OP_GT || op == BL_OP_TT;
    size_t nx = (size_t)(transposed ? pattern->nrow : pattern->ncol), ny = (size_t)(transposed ? pattern->ncol : pattern->nrow);
    memset(y, 0, ny * (size_t)nrhs * sizeof *y);
    for (bl_index k = 0; k < nrhs; k++, x += nx, y += ny) {
        if (transposed)
            bl_csc_multiply_transposed(pattern, *values, x, y);
        else
            bl_csc_multiply(pattern, *values, x, y);
    }
    return BL_OK;
}

bl_status bl_system_demand(const bl_system *sys, bl_eval *eval, const double *a, double *force) {
    if (sys->kind->demand) {
        bl_status status = sys->kind->demand(sys, eval, a, force);
        if (status != BL_AGAIN)
            return status;
    }
    BL_TRY(bl_system_eval(sys, eval, BL_Q));
    BL_TRY(bl_system_apply(sys, eval, BL_OP_M, 1, a, force));
    for (bl_index j = 0; j < sys->nv; j++)
        force[j] -= eval->Q[j];
    return BL_OK;
}

bl_status bl_system_retract(const bl_system *sys, const double *q, const double *x, double *q_new) {
    if (sys->kind->retract)
        return sys->kind->retract(sys, q, x, q_new);
    for (bl_index i = 0; i < sys->nq; i++)
        q_new[i] = q[i] + x[i];
    return BL_OK;
}

bl_status bl_system_local(const bl_system *sys, const double *q, const double *q_new, double *x) {
    return bl_system_local_near(sys, q, q_new, NULL, x);
}

bl_status bl_system_local_near(const bl_system *sys, const double *q, const double *q_new, const double *near, double *x) {
    if (sys->kind->local)
        return sys->kind->local(sys, q, q_new, near, x);
    for (bl_index i = 0; i < sys->nq; i++)
        x[i] = q_new[i] - q[i];
    return BL_OK;
}

/* ---- states */

bl_status bl_state_create(const bl_system *sys, size_t integrator_bytes, bl_state *state) {
    memset(state, 0, sizeof *state);
    struct {
        double **view;
        size_t count;
    } part[] = {
        {&state->t, 1},
        {&state->work, 1},
        {&state->q, (size_t)sys->nq},
        {&state->v, (size_t)sys->nv},
        {&state->z, (size_t)sys->nz},
        {&state->lambda, (size_t)sys->np},
        {&state->u, (size_t)sys->nu},
    };
    enum { NPART = sizeof part / sizeof part[0] };
    size_t bytes = 0;
    for (size_t i = 0; i < NPART; i++)
        bytes += aligned(part[i].count * sizeof(double));
    size_t armed = bytes, history = armed + aligned((size_t)sys->nevent), integrator = history + aligned(sys->history_bytes);
    if (integrator_bytes > SIZE_MAX / 2)
        return bl_fail(sys->ctx, BL_E_MEMORY, NULL, "out of memory: cannot allocate %zu bytes", integrator_bytes);
    bytes = integrator + aligned(integrator_bytes);
    char *block = aligned_block(sys->ctx, bytes);
    if (!block)
        return BL_E_MEMORY;
    state->block = block;
    state->bytes = bytes;
    size_t at = 0;
    for (size_t i = 0; i < NPART; i++) {
        *part[i].view = (double *)(block + at);
        at += aligned(part[i].count * sizeof(double));
    }
    for (bl_index k = 0; k < sys->nu; k++)
        state->u[k] = sys->held[k].value;
    state->armed = (signed char *)(block + armed);
    state->history = (unsigned char *)(block + history);
    state->integrator = (unsigned char *)(block + integrator);
    return BL_OK;
}

void bl_state_destroy(const bl_system *sys, bl_state *state) {
    if (!state->block)
        return;
    aligned_free(sys->ctx, state->block);
    memset(state, 0, sizeof *state);
}

void bl_state_copy(const bl_system *sys, bl_state *to, const bl_state *from) {
    (void)sys;
    /* the integrator's part is last: states of different integrators share the rest */
    memmove(to->block, from->block, to->bytes < from->bytes ? to->bytes : from->bytes);
}

/* ---- products */

void bl_csc_multiply(const bl_pattern *pattern, const double *values, const double *x, double *y) {
    const bl_index *ptr = pattern->ptr, *idx = pattern->idx;
    for (bl_index j = 0; j < pattern->ncol; j++) {
        double xj = x[j];
        for (bl_index k = ptr[j]; k < ptr[j + 1]; k++)
            y[idx[k]] += values[k] * xj;
    }
}

void bl_csc_multiply_transposed(const bl_pattern *pattern, const double *values, const double *x, double *y) {
    const bl_index *ptr = pattern->ptr, *idx = pattern->idx;
    for (bl_index j = 0; j < pattern->ncol; j++) {
        double sum = 0;
        for (bl_index k = ptr[j]; k < ptr[j + 1]; k++)
            sum += values[k] * x[idx[k]];
        y[j] += sum;
    }
}

/* ---- checks and names */

void bl_contact_find_rows(const bl_row *row, bl_index nrow, bl_index first, bl_index n, bl_contact *contact) {
    for (bl_index i = 0; i < n; i++) {
        contact[i].normal = contact[i].slip[0] = contact[i].slip[1] = -1;
        contact[i].nslip = 0;
    }
    for (bl_index r = 0; r < nrow; r++) {
        bl_contact *c = row[r].law == BL_LAW_EQUAL ? NULL : &contact[row[r].owner - first];
        if (c && row[r].law == BL_LAW_UNILATERAL)
            c->normal = r;
        else if (c && c->nslip < 2)
            c->slip[c->nslip++] = r;
    }
}

double bl_system_drift(const bl_system *sys, const double *phi, bl_index *worst) {
    double largest = 0;
    bl_index where = -1;
    for (bl_index i = 0; i < sys->np; i++) {
        double scale = sys->row && sys->row[i].scale > 0 ? sys->row[i].scale : 1;
        double size = fabs(phi[i]) / scale;
        if (!(size <= largest)) { /* NaN too */
            largest = size;
            where = i;
            if (isnan(size))
                break;
        }
    }
    if (worst)
        *worst = where;
    return largest;
}

bool bl_system_rolls(const bl_system *sys) {
    for (bl_index r = 0; r < sys->np; r++)
        if (sys->row[r].level == BL_AT_VELOCITY && sys->row[r].law == BL_LAW_EQUAL)
            return true;
    return false;
}

bl_status bl_system_refuse_velocity_rows(const bl_system *sys, const char *who, const char *advice) {
    char part[96] = "", equation[128] = "";
    bl_index row = 0;
    while (row + 1 < sys->np && sys->row[row].level != BL_AT_VELOCITY)
        row++;
    bl_system_row_name(sys, row, part, sizeof part, equation, sizeof equation);
    bl_fail(sys->ctx, BL_E_ABILITY, NULL, "%s needs constraints of positions, but %s restricts velocities only (%s)", who,
            part[0] ? part : "one of them", equation);
    bl_advise(sys->ctx, "%s", advice);
    bl_blame(sys->ctx, part, equation, NAN);
    return BL_E_ABILITY;
}

void bl_system_row_name(const bl_system *sys, bl_index row, char *part, size_t npart, char *equation, size_t nequation) {
    if (npart)
        part[0] = '\0';
    if (nequation)
        equation[0] = '\0';
    if (row < 0 || row >= sys->np)
        return;
    if (sys->kind->row_name)
        sys->kind->row_name(sys, row, part, npart, equation, nequation);
    else
        snprintf(equation, nequation, "constraint row %d", row);
}

void bl_system_col_name(const bl_system *sys, bl_index col, char *name, size_t nname) {
    if (nname)
        name[0] = '\0';
    if (col < 0 || col >= sys->nv + sys->nz)
        return;
    if (sys->kind->col_name)
        sys->kind->col_name(sys, col, name, nname);
    else
        snprintf(name, nname, "column %d", col);
}

void bl_system_load_name(const bl_system *sys, bl_index load, char *name, size_t nname) {
    if (nname)
        name[0] = '\0';
    if (load < 0 || load >= sys->nload)
        return;
    if (sys->kind->load_name)
        sys->kind->load_name(sys, load, name, nname);
    else
        snprintf(name, nname, "load %d", load);
}

bl_index bl_first_not_finite(bl_index n, const double *x) {
    int bad = 0; /* a loop without branches first: nearly always all are finite */
    for (bl_index i = 0; i < n; i++)
        bad |= !(fabs(x[i]) <= DBL_MAX);
    bl_index i = 0;
    while (bad && fabs(x[i]) <= DBL_MAX)
        i++;
    return bad ? i : -1;
}

bl_status bl_check_finite(bl_context *ctx, const char *what, double t, bl_index n, const double *x) {
    bl_index i = bl_first_not_finite(n, x);
    if (i < 0)
        return BL_OK;
    char equation[64];
    snprintf(equation, sizeof equation, "entry %d", i);
    bl_fail(ctx, BL_NOT_FINITE, NULL, "%s: entry %d is %s", what, i, isnan(x[i]) ? "not a number" : "infinite");
    bl_advise(ctx, BL_ADVICE_NOT_FINITE);
    bl_blame(ctx, what, equation, t);
    return BL_NOT_FINITE;
}
