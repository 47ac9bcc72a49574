/* Rows, memory and patterns for the full equations of motion. */
#include "formulation/motion.h"

#include "sparse/sparse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void free_memory(bl_formulation *form) {
    bl_motion *own = form->own;
    bl_context *ctx = form->ctx;
    for (int k = 0; k < BL_MOST_MATRICES; k++)
        if (own->solver[k] != form->linsol)
            bl_linsol_destroy(own->solver[k]);
    bl_linsol_destroy(form->linsol);
    form->linsol = NULL;
    bl_motion_shift_free(form);
    bl_motion_reduce_free(form);
    if (!own->pattern_lent)
        bl_pattern_free(ctx, &own->pattern);
    bl_free(ctx, own->slot);
    bl_free(ctx, own->values_block);
    bl_free(ctx, own->difference);
    bl_free(ctx, own->free_diagonal);
    bl_free(ctx, own->block);
    bl_free(ctx, own->by_position.color);
    bl_free(ctx, own->by_velocity.color);
    bl_index1_free(form);
    *own = (bl_motion){0};
}

void bl_motion_forget(bl_formulation *form) {
    bl_motion *own = form->own;
    own->point_known = own->tangent_known = own->at.made = false;
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

/* ---- the pattern of a stage */

static void add_constraints(const bl_formulation *form, bl_pairs *p) {
    bl_motion *own = form->own;
    const bl_pattern *G = &form->sys->pat_G;
    for (bl_index j = 0; j < own->nv; j++)
        for (bl_index k = G->ptr[j]; k < G->ptr[j + 1]; k++) {
            bl_index row = own->at.rows.slot[G->idx[k]];
            own->slot_GT[k] = own->slot_G[k] = -1;
            if (own->stabilized)
                own->slot_Gmu[k] = own->slot_Gv[k] = own->slot_Gv_x[k] = -1;
            if (row < 0)
                continue;
            own->slot_GT[k] = bl_pairs_add(p, j, own->ol + row);
            bool resting = own->stabilized && bl_motion_at_velocity(form, G->idx[k]); /* mu is zero */
            own->slot_G[k] = resting ? -1 : bl_pairs_add(p, own->ol + row, j);
            if (own->stabilized) {
                own->slot_Gmu[k] = resting ? -1 : bl_pairs_add(p, own->ow + j, own->om + row);
                own->slot_Gv[k] = bl_pairs_add(p, own->om + row, own->ow + j);
                own->slot_Gv_x[k] = bl_pairs_add(p, own->om + row, j);
            }
        }
}

static void add_matrix(bl_pairs *p, const bl_pattern *pattern, bl_index ncol, bl_index first_shifted, bl_index shift, bl_index *slot) {
    for (bl_index j = 0; j < ncol; j++)
        for (bl_index k = pattern->ptr[j]; k < pattern->ptr[j + 1]; k++)
            slot[k] = bl_pairs_add(p, pattern->idx[k], j < first_shifted ? j + shift : j);
}

static bool same_pattern(const bl_pattern *a, const bl_pattern *b) { return a->ptr == b->ptr && a->idx == b->idx; }

/* Without constraints, where K has entries wherever M and C have some, a stage uses the pattern of K: no list of entries is needed, which
 * would take the most memory in a run of a mesh. *done: it does. */
static bl_status take_pattern_of_K(bl_formulation *form, bool *done) {
    bl_motion *own = form->own;
    const bl_system *sys = form->sys;
    const bl_pattern *M = &sys->pat_M, *C = &sys->pat_C, *K = &sys->pat_K;
    *done = false;
    if (own->np > 0 || own->held || own->options.reduce || own->nv == 0 || form->nx != own->n)
        return BL_OK;
    bool own_M = !same_pattern(M, K), own_C = !same_pattern(C, K);
    size_t nM = own_M ? (size_t)M->ptr[own->nv] : 0, nC = own_C ? (size_t)C->ptr[own->n] : 0;
    BL_TRY(BL_NEW(form->ctx, own->slot, nM + nC + 1));
    own->slot_M = own_M ? own->slot : NULL;
    own->slot_C = own_C ? own->slot + nM : NULL;
    *done = (!own_M || bl_pattern_within(M, own->nv, K, own->slot_M)) && (!own_C || bl_pattern_within(C, own->n, K, own->slot_C));
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
    size_t nG = own->np ? (size_t)sys->pat_G.ptr[own->nv] : 0, nmove = own->stabilized ? 2 * (size_t)own->nv : 0;
    size_t ncorner = own->options.at.penalty > 0 ? (size_t)own->r : 0, more = own->stabilized ? nG : 0;
    size_t nrest = own->stabilized && own->velocity_rows ? (size_t)own->r : 0;
    const struct {
        bl_index **slot;
        size_t count;
    } part[] = {{&own->slot_M, nM},       {&own->slot_C, nC},           {&own->slot_K, nK},      {&own->slot_GT, nG},
                {&own->slot_G, nG},       {&own->slot_Gmu, more},       {&own->slot_Gv, more},   {&own->slot_Gv_x, more},
                {&own->slot_move, nmove}, {&own->slot_corner, ncorner}, {&own->slot_rest, nrest}};
    enum { PARTS = sizeof part / sizeof *part };
    own->nslot = 0;
    for (int k = 0; k < PARTS; k++)
        own->nslot += part[k].count;
    BL_TRY(BL_NEW(ctx, own->slot, own->nslot + 1));
    bl_index *at = own->slot; /* one after the other: they are numbered together */
    for (int k = 0; k < PARTS; at += part[k++].count)
        *part[k].slot = at;
    bl_pairs p;
    BL_TRY(bl_pairs_begin(ctx, own->nslot, &p));
    add_matrix(&p, &sys->pat_M, own->nv, own->nv, own->ow, own->slot_M);
    if (!own->held) {
        add_matrix(&p, &sys->pat_C, own->n, own->nv, own->ow, own->slot_C);
        add_matrix(&p, &sys->pat_K, own->n, 0, 0, own->slot_K);
    }
    if (own->np)
        add_constraints(form, &p);
    for (bl_index i = 0; i < (own->stabilized ? own->nv : 0); i++) {
        own->slot_move[i] = bl_pairs_add(&p, own->ow + i, i);
        own->slot_move[own->nv + i] = bl_pairs_add(&p, own->ow + i, own->ow + i);
    }
    for (size_t k = 0; k < ncorner; k++)
        own->slot_corner[k] = bl_pairs_add(&p, own->ol + (bl_index)k, own->ol + (bl_index)k);
    for (size_t k = 0; k < nrest; k++) {
        bool resting = bl_motion_at_velocity(form, own->at.rows.kept[k]);
        own->slot_rest[k] = resting ? bl_pairs_add(&p, own->ol + (bl_index)k, own->om + (bl_index)k) : -1;
    }
    return bl_pairs_end(&p, form->nx, &own->pattern, own->nslot, own->slot);
}

/* ---- memory */

/* Number of unknowns from which the values of a matrix that is factored once are not kept in addition to the solver's factors. */
enum { MANY = 10000 };

static bl_status make_memory(bl_formulation *form) {
    bl_motion *own = form->own;
    own->vectors = BL_ISA_PICK(form->ctx, bl_vector_kernels);
    const bl_system *sys = form->sys;
    size_t nv = (size_t)own->nv, nq = (size_t)sys->nq, nz = (size_t)own->nz, n = (size_t)own->n, np = (size_t)own->np;
    size_t nM = (size_t)sys->pat_M.ptr[own->nv], nC = own->held ? 0 : (size_t)sys->pat_C.ptr[own->n],
           nK = own->held ? 0 : (size_t)sys->pat_K.ptr[own->n];
    size_t nG = np ? (size_t)sys->pat_G.ptr[own->nv] : 0, nnz = own->pattern.ptr && !own->reduce ? (size_t)own->pattern.ptr[form->nx] : 0;
    /* values that never change are used in place */
    bool steady_M = nM && (sys->facts & BL_M_CONST), steady_K = nK && (sys->facts & BL_CK_CONST) && np == 0 && !form->at_e.keeps;
    own->values_brief = form->linear && form->nx >= MANY && !own->held;
    nnz = own->values_brief ? 0 : nnz;
    BL_TRY(BL_NEW_ARRAYS(form->ctx, own->values_block, BL_ARRAY(own->values, nnz), BL_ARRAY(own->M, steady_M ? 0 : nM),
                         BL_ARRAY(own->C, steady_K ? 0 : nC), BL_ARRAY(own->K, steady_K ? 0 : nK), BL_ARRAY(own->G_e, nG),
                         BL_ARRAY(own->G_c, nG), BL_ARRAY(own->Gv_x, nG)));
    own->M = steady_M ? form->at_e.M : own->M;
    own->C = steady_K ? form->at_e.C : own->C;
    own->K = steady_K ? form->at_e.K : own->K;
    BL_TRY(BL_NEW_ARRAYS(form->ctx, own->block, BL_ARRAY(own->q, nq), BL_ARRAY(own->v, nv), BL_ARRAY(own->a, nv), BL_ARRAY(own->qc, nq),
                         BL_ARRAY(own->kept_q, nq), BL_ARRAY(own->vc, nv), BL_ARRAY(own->z, nz), BL_ARRAY(own->zd, nz),
                         BL_ARRAY(own->moved, nv), BL_ARRAY(own->lambda, np), BL_ARRAY(own->mu, np), BL_ARRAY(own->Q, nv),
                         BL_ARRAY(own->f, nz), BL_ARRAY(own->R, n), BL_ARRAY(own->R0, n), BL_ARRAY(own->step, n),
                         BL_ARRAY(own->right, own->options.at.penalty > 0 ? form->nx : 0)));
    return BL_OK;
}

static bl_status set_up(bl_formulation *form, const bl_state *state, bl_index most) {
    bl_motion *own = form->own;
    const bl_system *sys = form->sys;
    bl_motion_options options = own->options; /* they are freed */
    bool without;
    /* explicit steps: neither matrix is formed, nor its pattern */
    bool held = form->held && sys->np == 0 && sys->nz == 0 && !(sys->facts & BL_Q_OF_V);
    BL_TRY(bl_motion_free_wanted(form, &without));
    held = held || without;
    bool velocity_rows = sys->np > 0 && (sys->facts & BL_VELOCITY_ROWS);
    uint32_t of_velocities = (options.stabilized && sys->np > 0) || velocity_rows ? BL_GV_X : 0;
    uint32_t tangents = held ? 0 : BL_KC | (sys->facts & BL_M_CONST ? 0 : BL_MA_X) | (sys->np ? BL_GTL_X : 0) | of_velocities;
    BL_TRY(bl_eval_room(sys, tangents, &form->at_e));
    if (tangents && (!sys->pat_K.ptr || !sys->pat_C.ptr))
        return bl_fail(form->ctx, BL_E_ABILITY, NULL, "formulation %s needs the patterns of tangent matrices, the system provides none",
                       form->kind->kind.name);
    free_memory(form);
    own->options = options;
    own->held = held;
    own->free = without;
    own->stabilized = options.stabilized && sys->np > 0;
    own->velocity_rows = velocity_rows;
    if (sys->np > 0 && !form->at_c.block)
        BL_TRY(bl_eval_create(sys, BL_T | BL_G | of_velocities, &form->at_c));
    BL_TRY(bl_index1_choose(form, state, &options.at, most));
    own->at.set_up = set_up;
    own->algebraic = sys->np > 0 ? bl_state_rates_algebraic(form) : NULL;
    own->nv = own->at.nv;
    own->nz = own->at.nz;
    own->n = own->nv + own->nz;
    own->np = own->at.np;
    own->r = own->at.rows.r;
    own->ow = own->stabilized ? own->n : 0;
    own->ol = own->stabilized ? own->n + own->nv : own->n;
    own->om = own->ol + own->r;
    form->nx = own->om + (own->stabilized ? own->r : 0);
    form->x_velocity = own->ow;
    form->x_lambda = own->ol;
    form->nlambda = own->r;
    form->lambda_anew = options.at.penalty > 0 && form->redundant > 0;
    form->stage_of = BL_STAGE_MOTION;
    form->drifts_between = sys->np > 0;
    own->levels = sys->np == 0 && own->nv > 0 && !(sys->facts & (BL_M_CONST | BL_IDENTITY));
    uint32_t constant = BL_M_CONST | BL_CK_CONST;
    form->linear = sys->np == 0 && (sys->facts & constant) == constant;
    if (form->matrices < 1)
        form->matrices = 1;
    /* where constraints hold for positions only, errors of velocities are one order lower: they are left out of the error norm */
    BL_TRY(bl_full_state_weigh(form, own->np == 0 || own->stabilized));
    BL_TRY(build_pattern(form));
    if (options.reduce)
        BL_TRY(bl_motion_reduce_setup(form, most == own->np && !form->repeated ? BL_LOG_INFO : BL_LOG_DEBUG));
    BL_TRY(make_memory(form));
    return bl_index1_make(form);
}

bl_status bl_motion_setup(bl_formulation *form, const bl_state *state, const bl_motion_options *options) {
    if (!form->own) {
        bl_motion *fresh;
        BL_TRY(BL_NEW(form->ctx, fresh, 1));
        form->own = fresh;
    }
    bl_motion *own = form->own;
    own->options = *options;
    own->options.at.stage = true;
    return set_up(form, state, form->sys->np);
}

bl_status bl_motion_review(bl_formulation *form, const bl_state *state) {
    bl_motion *own = form->own;
    own->point_known = false;
    return bl_index1_review(form, state);
}

/* ---- names */

void bl_motion_equation(const bl_formulation *form, bl_index row, char *part, size_t npart, char *equation, size_t nequation) {
    const bl_motion *own = form->own;
    snprintf(part, npart, "%s", "");
    if (row >= own->ol) {
        bl_index k = row < own->om ? row - own->ol : row - own->om;
        bl_system_row_name(form->sys, own->at.rows.kept[k], part, npart, equation, nequation);
        if (row >= own->om && own->stabilized) {
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
