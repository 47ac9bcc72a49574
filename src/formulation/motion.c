/* Rows, memory, patterns and y of the equations of motion as they stand. */
#include "formulation/motion.h"

#include "sparse/sparse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double LARGEST_L = 5;  /* dropped rows larger than this in terms of kept ones: other rows are kept */
static const double CHECK_AT = 0.3; /* they are looked at when pivots fell to this share */
/* the same for stages, where other rows cost a restart of the method: two digits of the multipliers are given away first */
static const double LARGEST_L_STAGE = 50;

static void free_memory(bl_formulation *form) {
    bl_motion *own = form->own;
    bl_context *ctx = form->ctx;
    for (int k = 0; k < BL_MOST_MATRICES; k++)
        if (own->solver[k] != form->linsol)
            bl_linsol_destroy(own->solver[k]);
    bl_linsol_destroy(form->linsol);
    form->linsol = NULL;
    bl_linsol_destroy(own->still_solver);
    bl_motion_shift_free(form);
    bl_motion_reduce_free(form);
    bl_motion_index2_free(form);
    bl_formulation_chosen(form, NULL, 0);
    if (!own->pattern_lent)
        bl_pattern_free(ctx, &own->pattern);
    if (!own->still_lent)
        bl_pattern_free(ctx, &own->still);
    bl_free(ctx, own->place);
    bl_free(ctx, own->row_factor);
    bl_free(ctx, own->row_mass);
    bl_free(ctx, own->slot);
    bl_free(ctx, own->values);
    bl_free(ctx, own->difference);
    bl_free(ctx, own->free_diagonal);
    bl_free(ctx, own->q);
    bl_free(ctx, own->algebraic);
    bl_free(ctx, own->by_position.colour);
    bl_free(ctx, own->by_velocity.colour);
    bl_free(ctx, own->still_M);
    bl_free(ctx, own->still_values);
    bl_free(ctx, own->least);
    memset(own, 0, sizeof *own);
}

void bl_motion_forget(bl_formulation *form) {
    bl_motion *own = form->own;
    own->placed = own->tangent_known = false;
    for (int k = 0; k < BL_MOST_MATRICES; k++)
        own->valid[k] = false;
}

void bl_motion_destroy(bl_formulation *form) {
    if (!form->own)
        return;
    free_memory(form);
    bl_free(form->ctx, form->own);
    form->own = NULL;
}

/* ---- rows */

/* Rows that give way may all be kept where every place that counts is on the constraints. Off them redundant rows are independent, and
 * their springs hold the mechanism; so does a row that is off by the digits of the dimensions. Raw rows are the published method: all of
 * them. */
static bool keeps_redundant(const bl_motion *own) {
    return own->way.penalty > 0 && (!own->way.rate || own->way.each_place || own->way.raw);
}

/* which rows are kept, at the place of at_e; most: not more than these (off the constraints redundant rows look independent) */
static bl_status choose_rows(bl_formulation *form, bl_index most) {
    bl_motion *own = form->own;
    const bl_system *sys = form->sys;
    bl_index np = own->np, rank = 0, *order = NULL;
    BL_TRY(BL_NEW(form->ctx, own->place, 2 * (size_t)np));
    BL_TRY(BL_NEW(form->ctx, own->row_factor, np));
    own->kept = own->place + np;
    for (bl_index i = 0; i < np; i++)
        own->row_factor[i] = 1 / sys->row[i].scale;
    if (np > 0) {
        BL_TRY(BL_NEW(form->ctx, order, (size_t)np + (size_t)own->nv));
        bl_status status = bl_formulation_rank(form, NULL, order, order + np, &rank);
        rank = rank < most ? rank : most;
        if (status == BL_OK)
            status = bl_formulation_log_rank(form, order, rank, most == np ? BL_LOG_INFO : BL_LOG_DEBUG);
        form->freedoms = own->nv - rank;
        form->redundant = np - rank;
        if (keeps_redundant(own) && !(sys->closure > 0))
            rank = np;
        for (bl_index i = 0; i < np; i++)
            own->place[order[i]] = i < rank ? 0 : -1;
        bl_free(form->ctx, order);
        BL_TRY(status);
    }
    own->r = rank;
    own->nd = np - rank;
    own->dropped = own->kept + rank;
    bl_index kept = 0, dropped = 0;
    for (bl_index i = 0; i < np; i++) {
        bool keep = own->place[i] >= 0;
        *(keep ? &own->kept[kept] : &own->dropped[dropped]) = i;
        own->place[i] = keep ? kept++ : -1 - dropped++;
    }
    bl_formulation_chosen(form, own->place, rank);
    if (np == 0) {
        form->freedoms = own->nv;
        form->redundant = 0;
    }
    return BL_OK;
}

/* ---- the pattern of a stage */

typedef struct pairs {
    bl_index n, *row, *col;
} pairs;

static bl_index add_pair(pairs *p, bl_index row, bl_index col) {
    p->row[p->n] = row;
    p->col[p->n] = col;
    return p->n++;
}

static void add_constraints(const bl_formulation *form, pairs *p) {
    bl_motion *own = form->own;
    const bl_pattern *G = &form->sys->pat_G;
    for (bl_index j = 0; j < own->nv; j++)
        for (bl_index k = G->ptr[j]; k < G->ptr[j + 1]; k++) {
            bl_index row = own->place[G->idx[k]];
            own->slot_GT[k] = own->slot_G[k] = -1;
            if (own->stabilised)
                own->slot_Gmu[k] = own->slot_Gv[k] = own->slot_Gv_x[k] = -1;
            if (row < 0)
                continue;
            own->slot_GT[k] = add_pair(p, j, own->ol + row);
            own->slot_G[k] = add_pair(p, own->ol + row, j);
            if (own->stabilised) {
                own->slot_Gmu[k] = add_pair(p, own->ow + j, own->om + row);
                own->slot_Gv[k] = add_pair(p, own->om + row, own->ow + j);
                own->slot_Gv_x[k] = add_pair(p, own->om + row, j);
            }
        }
}

static void add_matrix(pairs *p, const bl_pattern *pattern, bl_index ncol, bl_index first_shifted, bl_index shift, bl_index *slot) {
    for (bl_index j = 0; j < ncol; j++)
        for (bl_index k = pattern->ptr[j]; k < pattern->ptr[j + 1]; k++)
            slot[k] = add_pair(p, pattern->idx[k], j < first_shifted ? j + shift : j);
}

static bool same_pattern(const bl_pattern *a, const bl_pattern *b) { return a->ptr == b->ptr && a->idx == b->idx; }

/* slot[k]: where entry k of `part`, columns 0 .. ncol - 1, stands in `whole`; false: not all do */
static bool find_slots(const bl_pattern *part, bl_index ncol, const bl_pattern *whole, bl_index *slot) {
    for (bl_index j = 0; j < ncol; j++)
        for (bl_index k = part->ptr[j], at = whole->ptr[j]; k < part->ptr[j + 1]; k++, at++) {
            while (at < whole->ptr[j + 1] && whole->idx[at] < part->idx[k])
                at++;
            if (at == whole->ptr[j + 1] || whole->idx[at] != part->idx[k])
                return false;
            slot[k] = at;
        }
    return true;
}

/* Without constraints, where K has entries wherever M and C have some, its pattern is that of a stage: no list of entries is made, which
 * would be the largest thing in a run of a mesh. *done: so it is. */
static bl_status take_pattern_of_K(bl_formulation *form, bool *done) {
    bl_motion *own = form->own;
    const bl_system *sys = form->sys;
    const bl_pattern *M = &sys->pat_M, *C = &sys->pat_C, *K = &sys->pat_K;
    *done = false;
    if (own->np > 0 || own->held || own->way.reduce || own->nv == 0 || form->nx != own->n)
        return BL_OK;
    bool own_M = !same_pattern(M, K), own_C = !same_pattern(C, K);
    size_t nM = own_M ? (size_t)M->ptr[own->nv] : 0, nC = own_C ? (size_t)C->ptr[own->n] : 0;
    BL_TRY(BL_NEW(form->ctx, own->slot, nM + nC + 1));
    own->slot_M = own_M ? own->slot : NULL;
    own->slot_C = own_C ? own->slot + nM : NULL;
    *done = (!own_M || find_slots(M, own->nv, K, own->slot_M)) && (!own_C || find_slots(C, own->n, K, own->slot_C));
    if (*done) {
        own->pattern = *K;
        own->pattern_lent = true;
        return BL_OK;
    }
    bl_free(form->ctx, own->slot);
    own->slot = own->slot_M = own->slot_C = NULL;
    return BL_OK;
}

static bl_status build_pattern(bl_formulation *form) {
    bl_motion *own = form->own;
    const bl_system *sys = form->sys;
    bl_context *ctx = form->ctx;
    bool done;
    if (own->free)
        return bl_motion_free_setup(form);
    BL_TRY(take_pattern_of_K(form, &done));
    if (done)
        return BL_OK;
    size_t nM = (size_t)sys->pat_M.ptr[own->nv], nC = own->held ? 0 : (size_t)sys->pat_C.ptr[own->n],
           nK = own->held ? 0 : (size_t)sys->pat_K.ptr[own->n];
    size_t nG = own->np ? (size_t)sys->pat_G.ptr[own->nv] : 0, nmove = own->stabilised ? 2 * (size_t)own->nv : 0;
    size_t ncorner = own->way.penalty > 0 ? (size_t)own->r : 0;
    size_t most = nM + nC + nK + 5 * nG + nmove + ncorner + (size_t)own->n;
    BL_TRY(BL_NEW(ctx, own->slot, most));
    own->slot_M = own->slot;
    own->slot_C = own->slot_M + nM;
    own->slot_K = own->slot_C + nC;
    own->slot_GT = own->slot_K + nK;
    own->slot_G = own->slot_GT + nG;
    own->slot_Gmu = own->slot_G + nG;
    own->slot_Gv = own->slot_Gmu + nG;
    own->slot_Gv_x = own->slot_Gv + nG;
    own->slot_move = own->slot_Gv_x + nG;
    own->slot_corner = own->slot_move + nmove;
    pairs p = {0};
    bl_index *place = NULL;
    BL_TRY(BL_NEW(ctx, p.row, 3 * most));
    p.col = p.row + most;
    place = p.col + most;
    add_matrix(&p, &sys->pat_M, own->nv, own->nv, own->ow, own->slot_M);
    if (!own->held) {
        add_matrix(&p, &sys->pat_C, own->n, own->nv, own->ow, own->slot_C);
        add_matrix(&p, &sys->pat_K, own->n, 0, 0, own->slot_K);
    }
    if (own->np)
        add_constraints(form, &p);
    for (bl_index i = 0; i < (own->stabilised ? own->nv : 0); i++) {
        own->slot_move[i] = add_pair(&p, own->ow + i, i);
        own->slot_move[own->nv + i] = add_pair(&p, own->ow + i, own->ow + i);
    }
    for (size_t k = 0; k < ncorner; k++)
        own->slot_corner[k] = add_pair(&p, own->ol + (bl_index)k, own->ol + (bl_index)k);
    bl_status status = bl_pattern_build(ctx, form->nx, form->nx, p.n, p.row, p.col, &own->pattern, place);
    own->nslot = nM + nC + nK + 5 * nG + nmove + ncorner;
    for (size_t k = 0; k < own->nslot && status == BL_OK; k++) {
        bool unused = !own->stabilised && k >= nM + nC + nK + 2 * nG && k < nM + nC + nK + 5 * nG;
        if (!unused && own->slot[k] >= 0)
            own->slot[k] = place[own->slot[k]];
    }
    bl_free(ctx, p.row);
    return status;
}

/* ---- memory */

static double *take(double **from, size_t count) {
    double *start = *from;
    *from += count;
    return start;
}

/* Unknowns from which on the values of a matrix that is factored once are not kept beside what the solver keeps of them. */
enum { MANY = 10000 };

static bl_status make_memory(bl_formulation *form) {
    bl_motion *own = form->own;
    own->vectors = BL_ISA_PICK(form->ctx, bl_vector_kernels);
    const bl_system *sys = form->sys;
    size_t nv = (size_t)own->nv, nq = (size_t)sys->nq, nz = (size_t)own->nz, n = (size_t)own->n, np = (size_t)own->np;
    size_t nM = (size_t)sys->pat_M.ptr[own->nv], nC = own->held || (own->way.rate && !nz) ? 0 : (size_t)sys->pat_C.ptr[own->n],
           nK = own->held || own->way.rate ? 0 : (size_t)sys->pat_K.ptr[own->n];
    size_t nG = np ? (size_t)sys->pat_G.ptr[own->nv] : 0, nnz = own->pattern.ptr && !own->reduce ? (size_t)own->pattern.ptr[form->nx] : 0;
    /* values that never change are read where they stand */
    bool steady_M = nM && (sys->facts & BL_M_CONST), steady_K = nK && (sys->facts & BL_CK_CONST) && np == 0 && !form->at_e.keeps;
    size_t nA = nz ? nC : 0;
    own->values_brief = form->linear && form->nx >= MANY && !own->held;
    nnz = own->values_brief ? 0 : nnz;
    BL_TRY(BL_NEW(form->ctx, own->values, nnz + (steady_M ? 0 : nM) + (steady_K ? 0 : nC + nK) + nA + 3 * nG));
    double *at = own->values + nnz;
    own->M = steady_M ? form->at_e.M : take(&at, nM);
    own->C = steady_K ? form->at_e.C : take(&at, nC);
    own->A = take(&at, nA);
    own->K = steady_K ? form->at_e.K : take(&at, nK);
    own->G_e = take(&at, nG);
    own->G_c = take(&at, nG);
    own->Gv_x = take(&at, nG);
    BL_TRY(BL_NEW(form->ctx, own->q, 3 * nq + 4 * nv + 2 * nz + 2 * np + 5 * n));
    at = own->q;
    take(&at, nq);
    own->v = take(&at, nv);
    own->a = take(&at, nv);
    own->qc = take(&at, nq);
    own->kept_q = take(&at, nq);
    own->vc = take(&at, nv);
    own->z = take(&at, nz);
    own->zd = take(&at, nz);
    own->moved = take(&at, nv);
    own->lambda = take(&at, np);
    own->mu = take(&at, np);
    own->Q = take(&at, n);
    own->f = own->Q + nv;
    own->R = take(&at, n);
    own->R0 = take(&at, n);
    own->step = take(&at, n);
    return BL_OK;
}

/* constant A, and which of its rows are zero, at the place of at_e */
static bl_status look_at_A(bl_formulation *form) {
    bl_motion *own = form->own;
    const bl_system *sys = form->sys;
    bl_index found = 0;
    form->algebraic = 0;
    BL_TRY(BL_NEW(form->ctx, own->algebraic, own->nz));
    if (own->nz == 0 || (sys->facts & BL_IDENTITY))
        return BL_OK;
    bl_status status = bl_system_eval(sys, &form->at_e, BL_KC);
    if (status != BL_OK)
        return status;
    memcpy(own->A, form->at_e.C, (size_t)sys->pat_C.ptr[own->n] * sizeof(double));
    for (bl_index i = 0; i < own->nz; i++)
        own->algebraic[i] = true;
    for (bl_index j = own->nv; j < own->n; j++)
        for (bl_index k = sys->pat_C.ptr[j]; k < sys->pat_C.ptr[j + 1]; k++)
            if (sys->pat_C.idx[k] >= own->nv && own->A[k] != 0)
                own->algebraic[sys->pat_C.idx[k] - own->nv] = false;
    for (bl_index i = 0; i < own->nz; i++)
        found += own->algebraic[i];
    form->algebraic = found;
    return BL_OK;
}

bl_status bl_motion_setup(bl_formulation *form, const bl_state *state, bool stabilised) {
    return bl_motion_setup_as(form, state, &(bl_motion_way){.stabilised = stabilised});
}

/* Masses that penalties are counted in, of scaled rows. A row g alone moves the mass 1 / (g M^-1 g^T), by the diagonal of M at most n
 * times too small (M <= n diag M, n coupled columns): held by alpha of them it gives 1 / alpha of what it would if it were not there,
 * whatever its unit and whatever it couples: spindles and nuts, gears of grams and tonnes. Its load may come from anywhere in the
 * mechanism, so it is held by alpha of the heaviest coordinate at least. Coordinates without mass resist nothing, and are passed over.
 * Where redundant rows are kept, and in stages, the heaviest coordinate serves all rows alike: it decides how they share loads. */
static bl_status row_masses(bl_formulation *form) {
    bl_motion *own = form->own;
    const bl_system *sys = form->sys;
    const bl_eval *e = &form->at_e;
    BL_TRY(BL_NEW(form->ctx, own->row_mass, own->np));
    bool alike = !own->way.rate || (own->nd == 0 && form->redundant > 0);
    for (bl_index j = 0; j < sys->nv && own->np > 0 && !alike; j++) {
        double mass = 0;
        for (bl_index k = sys->pat_M.ptr[j]; k < sys->pat_M.ptr[j + 1]; k++)
            mass = sys->pat_M.idx[k] == j ? e->M[k] : mass;
        for (bl_index k = sys->pat_G.ptr[j]; k < sys->pat_G.ptr[j + 1] && mass > 0; k++) {
            double g = e->G[k] * own->row_factor[sys->pat_G.idx[k]];
            own->row_mass[sys->pat_G.idx[k]] += g * g / mass;
        }
    }
    for (bl_index i = 0; i < own->np; i++)
        own->row_mass[i] = own->row_mass[i] > 0 ? fmax(1 / own->row_mass[i], own->heaviest) : own->heaviest;
    return BL_OK;
}

static double heaviest(const bl_system *sys, const bl_eval *e) {
    double mass = 0;
    for (bl_index j = 0; j < sys->nv; j++)
        for (bl_index k = sys->pat_M.ptr[j]; k < sys->pat_M.ptr[j + 1]; k++)
            if (sys->pat_M.idx[k] == j)
                mass = fmax(mass, e->M[k]);
    return mass > 0 ? mass : 1;
}

static bl_status set_up(bl_formulation *form, const bl_state *state, const bl_motion_way *way, bl_index most) {
    const bl_system *sys = form->sys;
    bl_context *ctx = form->ctx;
    /* explicit steps: neither matrix is made, nor its pattern */
    bool held = form->held && sys->np == 0 && sys->nz == 0 && !(sys->facts & BL_Q_OF_V) && !way->rate, without = false;
    if (!way->rate)
        BL_TRY(bl_motion_free_wanted(form, &without));
    held = held || without;
    bool none = held || (way->rate && sys->nz == 0);
    uint32_t tangents = none ? 0 : BL_KC | (sys->facts & BL_M_CONST ? 0 : BL_MA_X) | (sys->np ? BL_GTL_X : 0);
    BL_TRY(bl_eval_room(sys, tangents, &form->at_e));
    if (tangents && (!sys->pat_K.ptr || !sys->pat_C.ptr))
        return bl_fail(ctx, BL_E_ABILITY, NULL, "formulation %s needs the patterns of tangent matrices, the system gives none",
                       form->kind->kind.name);
    if (!form->own) {
        bl_motion *fresh;
        BL_TRY(BL_NEW(ctx, fresh, 1));
        form->own = fresh;
    }
    bl_motion_way as = *way; /* it may lie in what is freed */
    free_memory(form);
    bl_motion *own = form->own;
    own->way = as;
    own->held = held;
    own->free = without;
    own->nv = sys->nv;
    own->nz = sys->nz;
    own->n = sys->nv + sys->nz;
    own->np = sys->np;
    own->stabilised = as.stabilised && sys->np > 0;
    if (sys->np > 0 && !form->at_c.block)
        BL_TRY(bl_eval_create(sys, BL_T | BL_G | (own->stabilised ? BL_GV_X : 0), &form->at_c));
    form->history = state->history;
    bl_formulation_place(form, *state->t, state->q, state->v);
    form->at_e.z = state->z;
    BL_TRY(bl_system_eval(sys, &form->at_e, BL_M | (sys->np ? BL_G : 0)));
    own->heaviest = heaviest(sys, &form->at_e);
    BL_TRY(choose_rows(form, most));
    if (as.penalty > 0)
        BL_TRY(row_masses(form));
    form->gives = as.penalty > 0 && as.rate && own->r > 0 ? pow((as.raw ? own->heaviest : 1) / as.penalty, as.times) : 0;
    own->ow = own->stabilised ? own->n : 0;
    own->ol = own->stabilised ? own->n + own->nv : own->n;
    own->om = own->ol + own->r;
    if (!as.rate) { /* else the stages are of y */
        form->nx = own->om + (own->stabilised ? own->r : 0);
        form->x_velocity = own->ow;
        form->x_lambda = own->ol;
        form->nlambda = own->r;
        form->lambda_anew = as.penalty > 0 && form->redundant > 0;
    }
    form->stage_of = as.rate ? BL_STAGE_RATE : BL_STAGE_MOTION;
    form->drifts = as.drifts && sys->np > 0;
    form->drifts_between = sys->np > 0 && !as.rate;
    own->levels = !as.rate && sys->np == 0 && sys->nz == 0 && !(sys->facts & (BL_M_CONST | BL_IDENTITY));
    uint32_t constant = BL_M_CONST | BL_CK_CONST;
    form->linear = sys->np == 0 && !as.rate && (sys->facts & constant) == constant;
    if (form->matrices < 1)
        form->matrices = 1;
    /* where only positions are held by the constraints, velocities carry errors of one order less: they stay out of the error norm */
    BL_TRY(bl_whole_weigh(form, own->np == 0 || own->stabilised || as.rate));
    if (!as.rate)
        BL_TRY(build_pattern(form));
    if (as.reduce)
        BL_TRY(bl_motion_reduce_setup(form, most == own->np ? BL_LOG_INFO : BL_LOG_DEBUG));
    BL_TRY(make_memory(form));
    BL_TRY(look_at_A(form));
    return bl_motion_still_setup(form);
}

bl_status bl_motion_setup_as(bl_formulation *form, const bl_state *state, const bl_motion_way *way) {
    return set_up(form, state, way, form->sys->np);
}

/* Whether kept rows may have grown dependent since they were last looked at: by pivots where rates are made of them, else whenever an
 * iteration asked for new tangents. */
static bool review_due(bl_formulation *form) {
    bl_motion *own = form->own;
    if (!own->way.rate) {
        bool moved = form->stats.tangents != own->tangents_checked;
        own->tangents_checked = form->stats.tangents;
        return moved;
    }
    own->checked = fmax(own->checked, own->worst);
    if (own->worst > CHECK_AT * own->checked)
        return false;
    own->checked = own->worst;
    return true;
}

/* other rows when dropped ones turn out to be needed, or when the kept ones grew dependent */
bl_status bl_motion_review(bl_formulation *form, const bl_state *state) {
    bl_motion *own = form->own;
    bl_index violated = -1, rank = own->r;
    double largest = 0;
    own->level = fmax(own->level, own->worst);
    own->placed = false;
    if (own->nd == 0)
        return BL_OK;
    form->history = state->history;
    bl_formulation_place(form, *state->t, state->q, state->v);
    form->at_e.z = state->z;
    if (!own->warned)
        BL_TRY(bl_formulation_violated(form, own->place, &violated));
    if (violated < 0) {
        if (!review_due(form))
            return BL_OK;
        bl_status status = bl_motion_combine(form, &largest);
        if (status < 0)
            return status;
        if (status == BL_OK && largest <= (own->way.rate ? LARGEST_L : LARGEST_L_STAGE))
            return BL_OK;
        bl_formulation_place(form, *state->t, state->q, state->v);
        form->at_e.z = state->z;
        BL_TRY(bl_formulation_rebase(form));
    }
    bool warned = own->warned, rate = own->way.rate;
    BL_TRY(set_up(form, state, &own->way, violated >= 0 ? form->sys->np : rank));
    own->warned = warned || (violated >= 0 && own->r == rank);
    form->stats.repartitions++;
    if (violated < 0)
        return rate ? BL_OK : BL_RESTART; /* y means the same, multipliers of stages do not */
    bl_formulation_warn_violated(form, violated, own->r == rank);
    return BL_RESTART;
}

/* ---- names */

void bl_motion_equation(const bl_formulation *form, bl_index row, char *part, size_t npart, char *equation, size_t nequation) {
    const bl_motion *own = form->own;
    snprintf(part, npart, "%s", "");
    if (row >= own->ol) {
        bl_index k = row < own->om ? row - own->ol : row - own->om;
        bl_system_row_name(form->sys, own->kept[k], part, npart, equation, nequation);
        if (row >= own->om && own->stabilised) {
            size_t used = strlen(equation);
            snprintf(equation + used, nequation - used, " (velocities)");
        }
        return;
    }
    char name[96];
    bl_index col = row < own->n ? row : row - own->n;
    bl_system_col_name(form->sys, col, name, sizeof name);
    snprintf(equation, nequation, row >= own->n ? "velocity of %s" : row >= own->nv ? "rate of %s" : "equilibrium along %s", name);
}
