/* The family of index 1: rows, memory, choice of rows during a run, messages (index1.h). */
#include "formulation/index1.h"
#include "formulation/formulation_limits.h"

#include "dense/dense.h"
#include "kkt/spread.h"
#include "sparse/sparse.h"

#include <math.h>
#include <string.h>

void bl_index1_free(bl_formulation *form) {
    bl_index1 *own = form->own;
    bl_context *ctx = form->ctx;
    bl_formulation_set_dropped(form, NULL, 0);
    if (own->solver && own->solver->free)
        own->solver->free(form);
    bl_index2_free(form);
    if (own->options.stage)
        bl_linsol_destroy(own->linsol);
    bl_kkt_matrix_free(&own->matrix);
    bl_row_choice_free(ctx, &own->rows);
    bl_free(ctx, own->solver_block);
    bl_free(ctx, own->row_mass);
    bl_free(ctx, own->block);
    *own = (bl_index1){.matrix_only = own->matrix_only};
}

void bl_index1_destroy(bl_formulation *form) {
    if (!form->own)
        return;
    bl_index1_free(form);
    bl_free(form->ctx, form->own);
    form->own = NULL;
}

void bl_index1_forget(bl_formulation *form) {
    bl_index1 *own = form->own;
    own->made = false;
}

/* ---- rows */

/* Compliant constraints may all be kept where every configuration that counts satisfies them. Elsewhere redundant rows are independent, and
 * their springs lock the mechanism; so does a row violated by the rounding of typed dimensions. Raw rows are the published method: all are
 * kept. */
static bool keeps_redundant(const bl_index1 *own) {
    return own->options.penalty > 0 && (own->options.stage || own->options.each_stage || own->options.raw);
}

/* chooses the kept rows at the configuration of at_e; most: upper bound of their number (off the constraints redundant rows look
 * independent) */
static bl_status choose_rows(bl_formulation *form, bl_index most) {
    bl_index1 *own = form->own;
    bl_index np = own->np, rank = 0, *order;
    BL_TRY(bl_row_choice_create(form->sys, &own->rows));
    bl_formulation_set_dropped(form, own->rows.slot, 0);
    form->dof = own->nv;
    form->redundant = 0;
    form->dof_position = own->nv;
    if (np == 0 && own->options.stage)
        return BL_OK;
    bl_row_choice_note(form->sys, form->at_e.G, &own->rows);
    BL_TRY(BL_NEW(form->ctx, order, (size_t)np + (size_t)own->nv));
    bl_status status = bl_formulation_rank(form, NULL, order, order + np, &rank);
    rank = rank < most ? rank : most;
    if (status == BL_OK)
        status = bl_formulation_count(form, order, rank, own->rows.nout, most == np ? BL_LOG_INFO : BL_LOG_DEBUG);
    if (keeps_redundant(own) && !(form->sys->closure > 0))
        bl_row_choice_keep_active(&own->rows);
    else
        bl_row_choice_keep(&own->rows, order, rank);
    bl_free(form->ctx, order);
    bl_formulation_set_dropped(form, own->rows.slot, rank);
    return status;
}

/* Masses in which penalties are measured, for scaled rows. A row g alone moves the mass 1 / (g M^-1 g^T); the diagonal of M makes it at
 * most n times too small (M <= n diag M, n coupled columns). Held by alpha such masses it yields 1 / alpha of its free motion, whatever its
 * unit and whatever it couples: lead screws and nuts, gears of grams and tonnes. Its load may come from anywhere in the mechanism, so it is
 * held by at least alpha times the heaviest coordinate. Coordinates without mass resist nothing and are skipped. Where redundant rows are
 * kept, and in stages, the heaviest coordinate is used for all rows: it decides how they share loads. */
static bl_status row_masses(bl_formulation *form) {
    bl_index1 *own = form->own;
    const bl_system *sys = form->sys;
    bl_eval *e = &form->at_e;
    BL_TRY(bl_system_eval(sys, e, BL_M));
    BL_TRY(BL_NEW(form->ctx, own->row_mass, own->np));
    bool alike = own->options.stage || (own->rows.nd == 0 && form->redundant > 0);
    own->heaviest = 0;
    for (bl_index j = 0; j < sys->nv; j++) {
        bl_index diagonal = bl_pattern_find(&sys->pat_M, j, j);
        double mass = diagonal < 0 ? 0 : e->M[diagonal];
        own->heaviest = fmax(own->heaviest, mass);
        for (bl_index k = own->np ? sys->pat_G.ptr[j] : 0; own->np && !alike && mass > 0 && k < sys->pat_G.ptr[j + 1]; k++) {
            double g = e->G[k] * own->rows.by[sys->pat_G.idx[k]];
            own->row_mass[sys->pat_G.idx[k]] += g * g / mass;
        }
    }
    own->heaviest = own->heaviest > 0 ? own->heaviest : 1;
    for (bl_index i = 0; i < own->np; i++)
        own->row_mass[i] = own->row_mass[i] > 0 ? fmax(1 / own->row_mass[i], own->heaviest) : own->heaviest;
    return BL_OK;
}

double bl_index1_compliance(const bl_index1 *own, bl_index k, double penalty) {
    double factor = own->rows.by[own->rows.kept[k]];
    return own->options.raw ? factor * factor / penalty : 1 / (own->row_mass[own->rows.kept[k]] * penalty);
}

/* ---- set-up */

bl_status bl_index1_choose(bl_formulation *form, const bl_state *state, const bl_index1_options *options, bl_index most) {
    bl_index1 *own = form->own;
    const bl_system *sys = form->sys;
    own->options = *options;
    own->nv = sys->nv;
    own->nz = sys->nz;
    own->np = sys->np;
    form->drifts = options->drifts && sys->np > 0;
    form->history = state->history;
    bl_formulation_move_to(form, *state->t, state->q, state->v, state->z);
    BL_TRY(bl_system_eval(sys, &form->at_e, (sys->np ? BL_G : 0) | (options->stage ? BL_M : 0)));
    BL_TRY(choose_rows(form, most));
    BL_TRY(bl_state_rates_setup(form));
    form->compliance = 0;
    if (!(options->penalty > 0))
        return BL_OK;
    BL_TRY(row_masses(form));
    if (!options->stage && own->rows.r > 0)
        form->compliance = pow((options->raw ? own->heaviest : 1) / options->penalty, options->times);
    return BL_OK;
}

bl_status bl_index1_make(bl_formulation *form) {
    bl_index1 *own = form->own;
    size_t nv = (size_t)own->nv, nq = (size_t)form->sys->nq, np = (size_t)own->np, nd = (size_t)own->rows.nd;
    size_t r = (size_t)own->rows.r, n = nv + r, compliant = own->options.penalty > 0 ? n : 0;
    bool many = n * nd > BL_MOST_L;
    BL_TRY(BL_NEW_ARRAYS(form->ctx, own->block, BL_ARRAY(own->x, n), BL_ARRAY(own->right, compliant), BL_ARRAY(own->carried, compliant),
                         BL_ARRAY(own->q, nq), BL_ARRAY(own->v, nv), BL_ARRAY(own->refused_q, nq), BL_ARRAY(own->refused_z, own->nz),
                         BL_ARRAY(own->made_q, nq), BL_ARRAY(own->target, np), BL_ARRAY(own->L, many ? 0 : nd * n),
                         BL_ARRAY(own->LL, many ? 0 : nd * nd), BL_ARRAY(own->s, np - r), BL_ARRAY(own->many, many ? n + 3 * nd + r : 0)));
    own->many = many ? own->many : NULL;
    own->solver = own->options.solver ? own->options.solver : &bl_index1_sparse;
    own->first_row = own->nv;
    return own->solver->make(form);
}

/* A coordinate held by neither M nor G, at the configuration of at_e (evaluated): the one left over by complete pivoting of [M; G]. -1:
 * none, or the system is too large to search. */
static bl_status find_massless(bl_formulation *form, bl_index *col) {
    const bl_system *sys = form->sys;
    bl_index nv = sys->nv, m = nv + sys->np, rank = 0, *order;
    double *a, largest = 0;
    void *block = NULL;
    *col = -1;
    if ((double)m * nv > formulation_massless_entries)
        return BL_OK;
    BL_TRY(bl_system_eval(sys, &form->at_e, BL_M | (sys->np ? BL_G : 0)));
    BL_TRY(BL_NEW_ARRAYS(form->ctx, block, BL_ARRAY(a, (size_t)m * (size_t)nv), BL_ARRAY(order, (size_t)m + (size_t)nv)));
    for (bl_index j = 0; j < nv; j++)
        for (bl_index k = sys->pat_M.ptr[j]; k < sys->pat_M.ptr[j + 1]; k++) {
            double *entry = &a[(size_t)j * (size_t)m + (size_t)sys->pat_M.idx[k]];
            *entry = sys->col[sys->pat_M.idx[k]].scale * form->at_e.M[k] * sys->col[j].scale;
            largest = fmax(largest, fabs(*entry));
        }
    for (bl_index j = 0; j < nv; j++) {
        for (bl_index i = 0; i < nv && largest > 0; i++)
            a[(size_t)j * (size_t)m + (size_t)i] /= largest;
        for (bl_index k = sys->np ? sys->pat_G.ptr[j] : 0; sys->np && k < sys->pat_G.ptr[j + 1]; k++)
            a[(size_t)j * (size_t)m + (size_t)(nv + sys->pat_G.idx[k])] =
                form->at_e.G[k] * sys->col[j].scale / sys->row[sys->pat_G.idx[k]].scale;
    }
    bl_rank_reveal(m, nv, a, NULL, NULL, NULL, form->rank_tolerance, order, order + m, &rank, NULL);
    if (rank < nv)
        *col = order[m + rank];
    bl_free(form->ctx, block);
    return BL_OK;
}

static bl_status massless(bl_formulation *form, double t) {
    char name[96] = "";
    bl_index col;
    bl_context_clear_error(form->ctx);
    BL_TRY(find_massless(form, &col));
    if (col >= 0)
        bl_system_col_name(form->sys, col, name, sizeof name);
    return bl_formulation_blame_massless(form, col >= 0 ? name : NULL, t);
}

static bl_status set_up(bl_formulation *form, const bl_state *state, bl_index most) {
    bl_index1 *own = form->own;
    bl_index1_options options = own->options; /* the next line frees them */
    bl_index1_free(form);
    BL_TRY(bl_full_state_weigh(form, true));
    BL_TRY(bl_index1_choose(form, state, &options, most));
    own->set_up = set_up;
    BL_TRY(bl_index1_make(form));
    bl_status status = bl_index1_factor(form);
    if (status == BL_SINGULAR && own->recursion) { /* the matrix of the rows squares small entries */
        bl_context_clear_error(form->ctx);
        own->matrix_only = true;
        return set_up(form, state, most);
    }
    bl_recursion_accept(form);
    own->level = own->checked = own->quality;
    return status == BL_SINGULAR ? massless(form, *state->t) : status;
}

bl_status bl_index1_setup(bl_formulation *form, const bl_state *state, const bl_index1_options *options) {
    if (!form->own) {
        bl_index1 *fresh;
        BL_TRY(BL_NEW(form->ctx, fresh, 1));
        form->own = fresh;
    }
    ((bl_index1 *)form->own)->options = *options;
    form->stage_of = BL_STAGE_RATE;
    return set_up(form, state, form->sys->np);
}

/* ---- other rows during a run */

/* Whether kept rows may have become dependent since the last check: by the quality of factors where rates use them, else whenever an
 * iteration requested new tangents. */
static bool review_due(bl_formulation *form) {
    bl_index1 *own = form->own;
    if (own->options.stage) {
        bool moved = form->stats.tangents != own->tangents_checked;
        own->tangents_checked = form->stats.tangents;
        return moved;
    }
    own->checked = fmax(own->checked, own->quality);
    if (own->quality > formulation_rows_check * own->checked)
        return false;
    own->checked = own->quality;
    return true;
}

/* chooses other rows when dropped ones turn out to be needed, or when the kept ones have become nearly dependent */
bl_status bl_index1_review(bl_formulation *form, const bl_state *state) {
    bl_index1 *own = form->own;
    bl_index violated = -1, rank = own->rows.r;
    bool stage = own->options.stage;
    own->level = fmax(own->level, own->quality);
    bl_recursion_accept(form);
    if (own->rows.nd == 0)
        return BL_OK;
    form->history = state->history;
    bl_formulation_move_to(form, *state->t, state->q, state->v, state->z);
    if (!own->warned)
        BL_TRY(bl_formulation_violated(form, own->rows.slot, &violated));
    if (violated < 0) {
        double largest = 0;
        if (!review_due(form))
            return BL_OK;
        bl_status status = bl_index1_combine(form, &largest);
        if (status < 0)
            return status;
        if (status == BL_OK && largest <= (stage ? formulation_rows_exchange_stage : formulation_rows_exchange))
            return BL_OK;
        bl_formulation_move_to(form, *state->t, state->q, state->v, state->z);
        BL_TRY(bl_formulation_rebase(form));
    }
    bool warned = own->warned;
    BL_TRY(own->set_up(form, state, violated >= 0 ? form->sys->np : rank));
    own->warned = warned || (violated >= 0 && own->rows.r == rank);
    form->stats.repartitions++;
    if (violated < 0)
        return stage ? BL_RESTART : BL_OK; /* y keeps its meaning, multipliers of stages do not */
    bl_formulation_warn_violated(form, violated, own->rows.r == rank);
    return BL_RESTART;
}

/* ---- messages */

bl_status bl_index1_explain(bl_formulation *form) {
    bl_index1 *own = form->own;
    if (bl_loads_refused(form))
        return bl_loads_explain(form);
    if (!own)
        return BL_OK;
    if (own->refused == BL_NOT_FINITE && own->refused_at >= 0)
        return bl_formulation_blame_not_finite(form, own->refused_at, own->refused_t);
    if (own->refused != BL_SINGULAR)
        return BL_OK;
    if (own->level > 0 && own->rows.r > 0) /* it was regular before */
        return bl_formulation_blame_singular(form, own->refused_t, own->refused_q, own->v, own->refused_z, own->rows.r, own->massless);
    bl_fail(form->ctx, BL_E_NUMERIC, NULL,
            own->np ? "accelerations are not determined at t = %.9g: constraints become dependent, or a motion moves no mass"
                    : "the mass matrix is singular at t = %.9g: accelerations are not determined",
            own->refused_t);
    bl_advise(form->ctx, "give mass or inertia to all bodies that can move");
    bl_blame(form->ctx, NULL, NULL, own->refused_t);
    return BL_E_NUMERIC;
}
