/* Formulations by name, and what they share: evaluation points, linear solver, rank of the constraints. */
#include "formulation/formulation.h"
#include "formulation/formulation_limits.h"

#include "kkt/row_choice.h"

#include "dense/dense.h"
#include "order/order.h"
#include "sparse/sparse.h"
#include "system/system_limits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const bl_formulation_kind *const bl_formulation_kinds[] = {
#define BL_KIND(name) &bl_formulation_##name,
#include "formulation/formulation_list.h"
#undef BL_KIND
};
const size_t bl_formulation_kind_count = sizeof bl_formulation_kinds / sizeof bl_formulation_kinds[0];

enum { MOST_KINDS = 128 };

static const struct {
    uint32_t bit;
    const char *words;
} ability[] = {{BL_CAN_MASS, "a mass matrix"},         {BL_CAN_MSOLVE, "M^-1 x"},   {BL_CAN_TANGENT, "tangent matrices"},
               {BL_CAN_SERIES, "series coefficients"}, {BL_CAN_ENERGY, "energies"}, {BL_CAN_LOCAL, "local increments"}};

static void ability_words(uint32_t bits, char *text, size_t ntext) {
    size_t used = 0;
    snprintf(text, ntext, "none of these");
    for (size_t i = 0; i < sizeof ability / sizeof ability[0]; i++)
        if ((bits & ability[i].bit) && used < ntext)
            used += (size_t)snprintf(text + used, ntext - used, "%s%s", used ? ", " : "", ability[i].words);
}

/* names of the kinds that provide a bit and need no more than `can`; false: there are none */
static bool list_kinds(uint32_t gives, uint32_t can, char *text, size_t ntext) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < bl_formulation_kind_count; i++) {
        const bl_kind *kind = &bl_formulation_kinds[i]->kind;
        if ((kind->gives & gives) == gives && !(kind->needs & ~can) && used < ntext)
            used += (size_t)snprintf(text + used, ntext - used, "%s%s", used ? ", " : "", kind->name);
    }
    return used > 0;
}

static bl_status check_needs(const bl_system *sys, const bl_formulation_kind *kind) {
    char needs[160], gives[160], names[240];
    uint32_t missing = kind->kind.needs & ~sys->can;
    if (missing) {
        ability_words(missing, needs, sizeof needs);
        ability_words(sys->can, gives, sizeof gives);
        bl_fail(sys->ctx, BL_E_ABILITY, NULL, "formulation %s needs %s, the system provides %s", kind->kind.name, needs, gives);
        if (missing & BL_CAN_MSOLVE)
            bl_advise(sys->ctx, "use relative coordinates and a mechanism without closed loops, or another formulation");
        else
            bl_advise(sys->ctx, "formulations that need no more: %s",
                      list_kinds(0, sys->can, names, sizeof names) ? names : "none; natural, mixed and reference coordinates provide more");
        return BL_E_ABILITY;
    }
    if (!(sys->facts & BL_FLAT) && !(kind->kind.gives & BL_TAKES_CURVED)) {
        bl_fail(sys->ctx, BL_E_ABILITY, NULL,
                "formulation %s needs as many positions as velocities (q' = v), the system has %d positions and %d velocities",
                kind->kind.name, (int)sys->nq, (int)sys->nv);
        list_kinds(BL_TAKES_CURVED, UINT32_MAX, names, sizeof names);
        bl_advise(sys->ctx, "use one of %s, or the redundant view of the coordinates (view=redundant)", names);
        return BL_E_ABILITY;
    }
    if ((sys->facts & BL_PHI_OF_Z) && !(kind->kind.gives & BL_TAKES_PHI_OF_Z)) {
        bl_fail(sys->ctx, BL_E_ABILITY, NULL,
                "formulation %s needs constraints that do not depend on states beside the bodies, but a driver follows a state",
                kind->kind.name);
        list_kinds(BL_TAKES_PHI_OF_Z, sys->can, names, sizeof names);
        bl_advise(sys->ctx, "use one of %s, with a method for first-order equations", names);
        return BL_E_ABILITY;
    }
    if ((sys->facts & BL_VELOCITY_ROWS) && !(kind->kind.gives & BL_TAKES_VELOCITY_ROWS)) {
        char who[64], advice[280];
        list_kinds(BL_TAKES_VELOCITY_ROWS, sys->can, names, sizeof names);
        snprintf(who, sizeof who, "formulation %s", kind->kind.name);
        snprintf(advice, sizeof advice, "use one of %s", names);
        return bl_system_refuse_velocity_rows(sys, who, advice);
    }
    if (sys->nload && !(kind->kind.gives & BL_TAKES_LOADS)) {
        char joint[96];
        bl_system_load_name(sys, 0, joint, sizeof joint);
        bl_fail(sys->ctx, BL_E_ABILITY, NULL,
                "formulation %s needs laws that do not depend on reactions, but friction in %s or a law of its reaction does",
                kind->kind.name, joint);
        list_kinds(BL_TAKES_LOADS, UINT32_MAX, names, sizeof names);
        bl_advise(sys->ctx, "use one of %s, with a method for first-order equations", names);
        bl_blame(sys->ctx, joint, NULL, NAN);
        return BL_E_ABILITY;
    }
    return BL_OK;
}

const bl_formulation_kind *bl_formulation_kind_of(const char *spec) {
    size_t length = strcspn(spec, ":");
    for (size_t i = 0; i < bl_formulation_kind_count; i++) {
        const char *name = bl_formulation_kinds[i]->kind.name;
        if (strlen(name) == length && strncmp(name, spec, length) == 0)
            return bl_formulation_kinds[i];
    }
    return NULL;
}

bl_status bl_formulation_create(const bl_system *sys, const char *spec, const char *linsol, const char *ordering, bl_formulation **out) {
    *out = NULL;
    bl_context *ctx = sys->ctx;
    const bl_kind *list[MOST_KINDS];
    size_t count = bl_formulation_kind_count < MOST_KINDS ? bl_formulation_kind_count : MOST_KINDS;
    for (size_t i = 0; i < count; i++)
        list[i] = &bl_formulation_kinds[i]->kind;
    const bl_kind *found = NULL;
    const char *options = NULL;
    BL_TRY(bl_kind_find(ctx, "formulation", list, count, spec, &found, &options));
    const bl_formulation_kind *kind = (const bl_formulation_kind *)(const void *)found; /* bl_kind is its first member */
    BL_TRY(check_needs(sys, kind));
    bl_formulation *form;
    BL_TRY(BL_NEW(ctx, form, 1));
    form->kind = kind;
    form->sys = sys;
    form->ctx = ctx;
    form->arena.ctx = ctx;
    form->rank_tolerance = system_rank;
    form->stage_of = kind->residual == bl_rate_stage_residual ? BL_STAGE_RATE : BL_STAGE_NONE;
    form->matrices = 1;
    bl_status status = bl_kind_options(ctx, &form->arena, &kind->kind, options, form->value);
    if (status == BL_OK && !(form->spec = bl_arena_text(&form->arena, spec, strlen(spec))))
        status = BL_E_MEMORY;
    if (status == BL_OK && linsol && !(form->linsol_spec = bl_arena_text(&form->arena, linsol, strlen(linsol))))
        status = BL_E_MEMORY;
    if (status == BL_OK && ordering && !(form->ordering_spec = bl_arena_text(&form->arena, ordering, strlen(ordering))))
        status = BL_E_MEMORY;
    form->at_e.keeps = true; /* until the caller knows that no method needs forces between two configurations */
    if (status == BL_OK)
        status = bl_eval_create(sys, kind->uses, &form->at_e);
    if (status == BL_OK)
        status = bl_loads_create(form);
    if (status != BL_OK) {
        bl_formulation_destroy(form);
        return status;
    }
    *out = form;
    return BL_OK;
}

void bl_formulation_destroy(bl_formulation *form) {
    if (!form)
        return;
    bl_formulation_drop_sampler(form);
    bl_free(form->ctx, form->ranked);
    if (form->kind->destroy)
        form->kind->destroy(form);
    bl_linsol_destroy(form->linsol);
    bl_rate_stage_destroy(form);
    bl_loads_destroy(form);
    bl_state_rates_destroy(form);
    bl_eval_destroy(form->sys, &form->at_e);
    bl_eval_destroy(form->sys, &form->at_c);
    bl_free(form->ctx, form->weight);
    bl_free(form->ctx, form->near_vector);
    bl_arena_destroy(&form->arena);
    bl_free(form->ctx, form);
}

bl_status bl_formulation_analyze(bl_formulation *form, const bl_pattern *pattern, const bl_order_input *hints, bl_deficient wanted,
                                 double rank_tolerance) {
    bl_context *ctx = form->ctx;
    if (!form->linsol) {
        BL_TRY(bl_linsol_create(ctx, form->linsol_spec, &form->linsol));
    }
    form->linsol->many = form->many;
    form->linsol->brief = form->sampler_of || form->brief;
    form->linsol->rescales =
        form->sys && form->sys->np == 0; /* a steep law may make one matrix huge; constraints weaken at singular configurations */
    form->wanted = wanted;
    form->tolerance = rank_tolerance;
    uint32_t gives = form->linsol->kind->kind.gives;
    form->deficient = wanted;
    if (wanted == BL_MIN_NORM && !(gives & BL_LINSOL_MIN_NORM))
        form->deficient = BL_DROP;
    if (form->deficient == BL_DROP && !(gives & BL_LINSOL_DROP))
        form->deficient = BL_REFUSE;
    bl_ordering ordering = {0};
    bl_order_input in = hints ? *hints : (bl_order_input){0};
    in.ctx = ctx;
    in.pattern = pattern;
    form->linsol->hints = hints ? &form->hints : NULL;
    form->hints = in;
    bl_status status = form->ordering_spec ? bl_order_run(&in, form->ordering_spec, &ordering) : BL_OK;
    if (status == BL_OK)
        status = bl_linsol_analyze(form->linsol, pattern, form->ordering_spec ? &ordering : NULL, form->deficient, rank_tolerance);
    bl_ordering_free(ctx, &ordering);
    return status;
}

bl_status bl_formulation_update(bl_formulation *form, bl_linsol *solver, bool anew, const double *values) {
    if (!anew) {
        form->stats.refactors++;
        bl_status status = bl_linsol_refactor(solver, values);
        if (status != BL_SINGULAR)
            return status;
    }
    form->stats.factors++;
    bl_status status = bl_linsol_factor(solver, values);
    if (status == BL_OK && !anew)
        bl_context_clear_error(form->ctx); /* old pivots that are no longer good are not an error */
    return status;
}

bl_status bl_formulation_factor(bl_formulation *form, bool anew, const double *values) {
    bl_linsol *solver = form->linsol;
    bl_status status = bl_formulation_update(form, solver, anew, values);
    /* a solver without pivoting also fails on regular matrices */
    if (status != BL_SINGULAR || !(solver->kind->kind.needs & BL_LINSOL_SYMMETRIC) || solver->stats.ndependent > 0)
        return status;
    bool definite = solver->kind->kind.needs & BL_LINSOL_DEFINITE;
    bl_warn(form->ctx, form->at_e.t, NULL,
            definite ? "%s: the matrix is not positive definite, as %s requires; another linear solver is used from now on"
                     : "%s: a pivot is too small for %s, another linear solver is used from now on",
            form->kind->kind.name, solver->kind->kind.name);
    bl_order_input hints = form->hints;
    bool hinted = solver->hints;
    bl_linsol_destroy(form->linsol);
    form->linsol = NULL;
    form->linsol_spec = NULL;
    BL_TRY(bl_formulation_analyze(form, hints.pattern, hinted ? &hints : NULL, form->wanted, form->tolerance));
    status = bl_linsol_factor(form->linsol, values);
    if (status == BL_OK)
        bl_context_clear_error(form->ctx);
    return status;
}

void bl_formulation_forget(bl_formulation *form) {
    form->at_e.have = form->at_e.constant;
    form->at_c.have = form->at_c.constant;
    if (form->kind->forget)
        form->kind->forget(form);
    if (form->sampler)
        bl_formulation_forget(form->sampler);
}

void bl_formulation_move_to(bl_formulation *form, double t, const double *q, const double *v, const double *z) {
    bl_eval *e = &form->at_e;
    e->t = t;
    e->q = q;
    e->v = v;
    e->z = z;
    e->history = form->history;
    e->have = e->constant;
}

static bl_rows_ask rank_ask(const bl_formulation *form, double tolerance) {
    return (bl_rows_ask){.sys = form->sys, .G = form->at_e.G, .tolerance = tolerance};
}

bl_status bl_formulation_rank(bl_formulation *form, const uint8_t *col_last, bl_index *row_order, bl_index *col_order, bl_index *rank) {
    double closure = form->sys->closure;
    size_t m = (size_t)form->sys->np, n = (size_t)form->sys->nv;
    const bl_formulation *of = form->sampler_of;
    if (of && of->ranked) { /* found by the sampled formulation, at the same configuration or an equivalent one */
        *rank = of->ranked[0];
        memcpy(row_order, of->ranked + 1, m * sizeof *row_order);
        memcpy(col_order, of->ranked + 1 + m, n * sizeof *col_order);
        return BL_OK;
    }
    if (!form->ranked)
        BL_TRY(BL_NEW(form->ctx, form->ranked, 1 + m + n));
    bl_rows_ask ask = rank_ask(form, fmax(form->rank_tolerance, bl_rank_tolerance(closure)));
    ask.col_last = col_last;
    BL_TRY(bl_rows_choose(&ask, row_order, col_order, rank));
    if (closure > 0 && form->rank_most > 0 && *rank > form->rank_most)
        *rank = form->rank_most;
    form->ranked[0] = *rank;
    memcpy(form->ranked + 1, row_order, m * sizeof *row_order);
    memcpy(form->ranked + 1 + m, col_order, n * sizeof *col_order);
    return BL_OK;
}

bl_status bl_formulation_rank_kept(bl_formulation *form, const uint8_t *col_last, bl_index *row_order, bl_index *col_order,
                                   bl_index *rank) {
    bl_rows_ask ask = rank_ask(form, form->rank_tolerance);
    ask.col_last = col_last;
    ask.slot = form->slot;
    return bl_rows_choose(&ask, row_order, col_order, rank);
}

void bl_formulation_set_dropped(bl_formulation *form, const bl_index *slot, bl_index rank) {
    form->slot = slot;
    if (slot && form->rank_most == 0)
        form->rank_most = rank;
}

bl_status bl_formulation_rebase(bl_formulation *form) {
    const bl_system *sys = form->sys;
    bl_eval *e = &form->at_e;
    if (!sys->misfit || !form->slot)
        return BL_OK;
    BL_TRY(bl_system_eval(sys, e, BL_PHI));
    for (bl_index i = 0; i < sys->np; i++)
        if (form->slot[i] < 0) {
            sys->misfit[i] += e->phi[i];
            e->phi[i] = 0;
        }
    form->at_c.have &= ~(uint32_t)BL_PHI;
    form->rebased = true;
    return BL_OK;
}

double bl_formulation_drift(const bl_formulation *form, const double *phi, double *misfit) {
    const bl_system *sys = form->sys;
    double kept = 0, off = 0;
    if (misfit)
        *misfit = 0;
    if (!sys->misfit || !form->slot)
        return bl_system_drift(sys, phi, NULL);
    for (bl_index i = 0; i < sys->np; i++) {
        double size = fabs(phi[i]) / sys->row[i].scale, total = fabs(phi[i] + sys->misfit[i]) / sys->row[i].scale;
        off = fmax(off, total);
        if (isnan(size) || (form->slot[i] >= 0 && size > kept))
            kept = size;
    }
    if (misfit)
        *misfit = off;
    return kept;
}

double bl_formulation_kept_drift(const bl_formulation *form, const double *phi) {
    const bl_system *sys = form->sys;
    double kept = 0;
    for (bl_index i = 0; i < sys->np; i++) {
        double size = fabs(phi[i]) / sys->row[i].scale;
        if (isnan(size) || ((!form->slot || form->slot[i] >= 0) && size > kept))
            kept = size;
    }
    return kept;
}

static bl_status log_redundant(bl_formulation *form, const bl_index *row_order, bl_index rank, bl_log_level level) {
    const bl_system *sys = form->sys;
    enum { MOST_NAMED = 20 };
    bl_index *named, shown = 0;
    uint8_t *inactive;
    void *block = NULL;
    BL_TRY(BL_NEW_ARRAYS(form->ctx, block, BL_ARRAY(named, sys->np - rank), BL_ARRAY(inactive, sys->np)));
    bl_rows_inactive(sys, form->at_e.G, inactive, &(bool){false});
    bl_rows_ask ask = rank_ask(form, fmax(form->rank_tolerance, bl_rank_tolerance(sys->closure)));
    bl_status status = bl_rows_redundant(&ask, rank, named);
    if (status > 0) /* the rule does not find them: those left out */
        memcpy(named, row_order + rank, (size_t)(sys->np - rank) * sizeof *named);
    for (bl_index i = 0; i < sys->np - rank && status >= 0; i++) {
        if (inactive[named[i]])
            continue;
        if (shown++ == MOST_NAMED) {
            bl_log(form->ctx, level, "%s: and %d more redundant equations", form->kind->kind.name, (int)(form->redundant - MOST_NAMED));
            break;
        }
        char part[96], equation[128];
        bl_system_row_name(sys, named[i], part, sizeof part, equation, sizeof equation);
        bl_log(form->ctx, level, "%s: redundant: %s, %s", form->kind->kind.name, part, equation);
    }
    bl_free(form->ctx, block);
    return status < 0 ? status : BL_OK;
}

bl_status bl_formulation_count(bl_formulation *form, const bl_index *row_order, bl_index rank, bl_index nout, bl_log_level level) {
    const bl_system *sys = form->sys;
    bl_index at_position = 0; /* rows of velocities never displace others: the kept ones have the rank of all at that level */
    for (bl_index i = 0; i < rank; i++)
        at_position += sys->row[row_order[i]].level == BL_AT_POSITION;
    form->dof = sys->nv - rank;
    form->dof_position = sys->nv - at_position;
    form->redundant = sys->np - nout - rank;
    level = form->repeated ? BL_LOG_DEBUG : level;
    bl_log(form->ctx, level, "%s: %d coordinates, %d constraint equations of rank %d, %d degrees of freedom", form->kind->kind.name,
           (int)sys->nv, (int)(sys->np - nout), (int)rank, (int)form->dof);
    if (form->dof_position > form->dof)
        bl_log(form->ctx, level, "%s: %d degrees of freedom of positions, %d of velocities", form->kind->kind.name, (int)form->dof_position,
               (int)form->dof);
    return form->redundant > 0 && bl_logs(form->ctx, level) ? log_redundant(form, row_order, rank, level) : BL_OK;
}

/* largest violation of kept rows, and the dropped one violated by most */
typedef struct violation {
    double kept, largest;
    bl_index row;
} violation;

static void note_violation(const bl_system *sys, const bl_index *slot, bl_index i, double value, violation *of) {
    double size = fabs(value) / sys->row[i].scale;
    if (slot[i] >= 0)
        of->kept = fmax(of->kept, size);
    else if (size > of->largest) {
        of->largest = size;
        of->row = i;
    }
}

/* (G v - b)_i at the evaluation point */
static double excess_speed(const bl_system *sys, const bl_eval *e, bl_index i) {
    double sum = -e->b[i];
    for (bl_index j = 0; j < sys->nv; j++)
        for (bl_index k = sys->pat_G.ptr[j]; k < sys->pat_G.ptr[j + 1]; k++)
            sum += sys->pat_G.idx[k] == i ? e->G[k] * e->v[j] : 0;
    return sum;
}

static bl_status violated_velocity(bl_formulation *form, const bl_index *slot, violation *of) {
    const bl_system *sys = form->sys;
    bool some = false;
    for (bl_index i = 0; i < sys->np && !some; i++)
        some = slot[i] < 0 && sys->row[i].level == BL_AT_VELOCITY;
    if (!some)
        return BL_OK;
    BL_TRY(bl_system_eval(sys, &form->at_e, BL_G | BL_B));
    for (bl_index i = 0; i < sys->np; i++) /* index 3 holds neither those of positions nor what depends on them */
        if (slot[i] >= 0 || sys->row[i].level == BL_AT_VELOCITY)
            note_violation(sys, slot, i, excess_speed(sys, &form->at_e, i), of);
    return BL_OK;
}

bl_status bl_formulation_violated(bl_formulation *form, const bl_index *slot, bl_index *violated) {
    const bl_system *sys = form->sys;
    double least = bl_misfit_most(sys->closure);
    violation of[2] = {{0, least, -1}, {0, least, -1}}; /* positions, velocities */
    BL_TRY(bl_system_eval(sys, &form->at_e, BL_PHI));
    for (bl_index i = 0; i < sys->np; i++)
        note_violation(sys, slot, i, form->at_e.phi[i] + (sys->misfit && slot[i] < 0 ? sys->misfit[i] : 0), &of[0]);
    if (sys->facts & BL_VELOCITY_ROWS)
        BL_TRY(violated_velocity(form, slot, &of[1]));
    *violated = -1;
    for (int k = 1; k >= 0; k--)
        if (of[k].row >= 0 && of[k].largest >= formulation_contradicted * of[k].kept)
            *violated = of[k].row;
    if (*violated >= 0)
        form->rank_most = 0;
    return BL_OK;
}

void bl_formulation_warn_violated(bl_formulation *form, bl_index row, bool contradiction) {
    char part[96], equation[128];
    bl_system_row_name(form->sys, row, part, sizeof part, equation, sizeof equation);
    bl_warn(form->ctx, form->at_e.t, part,
            contradiction
                ? "%s: redundant constraints contradict each other from t = %.6g: %s, %s is violated"
                : "%s: a constraint equation dropped as redundant is no longer redundant at t = %.6g: %s, %s; equations are chosen anew",
            form->kind->kind.name, form->at_e.t, part, equation);
}

bl_status bl_formulation_blame_not_finite(bl_formulation *form, bl_index col, double t) {
    char part[96] = "";
    bl_system_col_name(form->sys, col, part, sizeof part);
    bool motion = col < form->sys->nv;
    bl_fail(form->ctx, BL_E_NUMERIC, NULL, "the %s of %s is not a finite number at t = %.9g", motion ? "acceleration" : "rate", part, t);
    bl_advise(form->ctx, BL_ADVICE_NOT_FINITE);
    bl_blame(form->ctx, part, motion ? "equation of motion" : "rate", t);
    return BL_E_NUMERIC;
}

bl_status bl_formulation_weakest_row(bl_formulation *form, double t, const double *q, const double *v, const double *z, bl_index r,
                                     bl_index *row) {
    bl_index *order, rank = 0;
    *row = -1;
    BL_TRY(BL_NEW(form->ctx, order, form->sys->np + form->sys->nv));
    bl_formulation_move_to(form, t, q, v, z);
    bl_status status = bl_system_eval(form->sys, &form->at_e, BL_G);
    if (status == BL_OK)
        status = bl_formulation_rank(form, NULL, order, order + form->sys->np, &rank);
    if (status == BL_OK && r > 0)
        *row = order[rank < r ? rank : r - 1];
    bl_free(form->ctx, order);
    return status;
}

bl_status bl_formulation_blame_singular(bl_formulation *form, double t, const double *q, const double *v, const double *z, bl_index r,
                                        bool massless) {
    char part[96] = "", equation[128] = "";
    bl_index row;
    BL_TRY(bl_formulation_weakest_row(form, t, q, v, z, r, &row));
    if (row >= 0)
        bl_system_row_name(form->sys, row, part, sizeof part, equation, sizeof equation);
    bl_fail(form->ctx, BL_E_NUMERIC, NULL,
            massless ? BL_SINGULAR_MESSAGE "%.9g: a motion that the constraints allow there moves no mass"
                     : BL_SINGULAR_MESSAGE "%.9g: the constraints become dependent",
            t);
    bl_advise(form->ctx, BL_ADVICE_PASS ": formulation %s cannot step over it", form->kind->kind.name);
    bl_blame(form->ctx, part, equation, t);
    return BL_E_NUMERIC;
}

bl_status bl_formulation_blame_massless(bl_formulation *form, const char *coordinate, double t) {
    bl_fail(form->ctx, BL_E_MODEL, NULL,
            coordinate ? "a motion allowed by the constraints moves no mass: that of %s"
                       : "a motion allowed by the constraints moves almost no mass%s",
            coordinate ? coordinate : "");
    bl_advise(form->ctx, "give mass or inertia to the bodies that can move alone, or constrain them");
    bl_blame(form->ctx, coordinate, "equation of motion", t);
    return BL_E_MODEL;
}
