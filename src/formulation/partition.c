/* Coordinate partition with velocity projection. Of the velocities only the independent ones w are unknown:
 *
 *     v = R w + S b,   a = R w' + S c,   (R^T M R) w' = R^T (Q - M S c),   G R = 0
 *
 * and z' from the states (state_rates.c). Index 2 integrates (q, w). Index 3 corrects the positions by Newton's method in every evaluation
 * and integrates either the independent ones (the rest of q in y is only the first guess, so that it follows the branch) or, with
 * state=full, (q, v) projected onto the constraints in the metric of M, which does not depend on the choice of independent coordinates.
 * Garcia de Jalon and Bayo (1994), chapter 5. */
#include "formulation/partition.h"
#include "formulation/formulation_limits.h"

#include "sparse/sparse.h"

#include <math.h>
#include <string.h>

static bl_status partition_to_y(bl_formulation *form, const bl_state *state, double *y) {
    bl_partition *own = form->own;
    size_t nq = (size_t)form->sys->nq, bytes_q = nq * sizeof *y, bytes = (size_t)form->sys->nv * sizeof *y;
    size_t bytes_z = (size_t)form->sys->nz * sizeof *y;
    form->history = state->history;
    memcpy(y, state->q, bytes_q);
    if (own->all)
        memcpy(y + nq, state->v, bytes);
    for (bl_index k = 0; k < own->f && !own->all; k++)
        y[nq + (size_t)k] = state->v[own->ind[k]];
    if (bytes_z)
        memcpy(y + bl_partition_states(form), state->z, bytes_z);
    y[form->ny - 1] = *state->work;
    /* the same configuration with its corrected positions and velocities: results found there remain valid */
    if (own->stage > 0 && own->key_t == *state->t && memcmp(own->q, state->q, bytes_q) == 0 && memcmp(own->v, state->v, bytes) == 0 &&
        (bytes_z == 0 || memcmp(own->z, state->z, bytes_z) == 0))
        memcpy(own->key, y, (size_t)form->ny * sizeof *y);
    return BL_OK;
}

static void partition_forget(bl_formulation *form) {
    bl_partition *own = form->own;
    own->stage = 0;
}

static bl_status partition_from_y(bl_formulation *form, double t, const double *y, bl_state *state) {
    bl_partition *own = form->own;
    BL_TRY(bl_partition_go_to(form, t, y, false));
    *state->t = t;
    memcpy(state->q, own->q, (size_t)form->sys->nq * sizeof *y);
    memcpy(state->v, own->v, (size_t)form->sys->nv * sizeof *y);
    if (form->sys->nz)
        memcpy(state->z, own->z, (size_t)form->sys->nz * sizeof *y);
    *state->work = y[form->ny - 1];
    return BL_OK;
}

/* factors J at the configuration of at_e with new pivots; records their quality */
static bl_status new_pivots(bl_formulation *form) {
    bl_partition *own = form->own;
    BL_TRY(bl_partition_factor(form, true));
    /* a state that was accepted, or given, must not be refused later */
    own->level = fmin(own->level, own->fresh / (5 * formulation_suspect));
    own->rows_checked = own->fresh;
    double sigma = 0;
    if (own->r > 0)
        BL_TRY(bl_partition_smallest_sigma(form, &sigma));
    own->sigma = fmax(own->sigma, sigma);
    return BL_OK;
}

/* preferred: angles, distances and coordinates the user wants become independent before others */
static bl_status choose_among(bl_formulation *form, const bl_state *state, bool preferred) {
    bl_partition *own = form->own;
    const bl_system *sys = form->sys;
    bl_formulation_move_to(form, *state->t, state->q, state->v, state->z);
    BL_TRY(bl_system_eval(sys, &form->at_e, BL_G));
    BL_TRY(bl_partition_choose(form, preferred));
    memcpy(own->q, state->q, (size_t)sys->nq * sizeof(double));
    memcpy(own->v, state->v, (size_t)sys->nv * sizeof(double));
    memcpy(own->z, state->z, (size_t)sys->nz * sizeof(double));
    bl_partition_move(form, *state->t);
    BL_TRY(bl_system_eval(sys, &form->at_e, BL_G));
    BL_TRY(new_pivots(form));
    return bl_partition_directions(form);
}

/* near the end of their range preferred coordinates cannot drive the others: then pivots alone decide, and later exchanges */
static bl_status choose_at(bl_formulation *form, const bl_state *state) {
    bl_status status = choose_among(form, state, true);
    const bl_partition *own = form->own;
    bool lost = status > 0 || (status == BL_OK && !(own->largest_R <= formulation_lost));
    return lost ? choose_among(form, state, false) : status;
}

static bl_status massless(bl_formulation *form) {
    bl_partition *own = form->own;
    char name[96];
    bl_system_col_name(form->sys, -2 - own->refused_at, name, sizeof name);
    return bl_formulation_blame_massless(form, name, own->refused_t);
}

static bl_status read_values(bl_formulation *form) {
    bl_partition *fresh;
    if (form->own)
        return BL_OK;
    BL_TRY(BL_NEW(form->ctx, fresh, 1));
    form->own = fresh;
    fresh->index = (bl_index)form->value[0].number;
    fresh->state = (int)form->value[1].number;
    fresh->exchange_given = form->value[2].given ? form->value[2].number : 0;
    fresh->by = (int)form->value[3].number;
    fresh->dense = (bl_index)form->value[4].number;
    if (fresh->index != 2 && fresh->index != 3)
        return bl_fail(form->ctx, BL_E_ARG, NULL, "partition: index must be 2 or 3, found %d", (int)fresh->index);
    if (form->value[2].given && !(fresh->exchange_given >= 1.2))
        return bl_fail(form->ctx, BL_E_ARG, NULL, "partition: exchange must be at least 1.2, found %g", fresh->exchange_given);
    return BL_OK;
}

/* copies the choices of another partition, at a state, instead of a set-up */
static bl_status partition_follow(bl_formulation *form, const bl_formulation *of, const bl_state *state) {
    BL_TRY(read_values(form));
    BL_TRY(bl_partition_follow(form, of, state));
    bl_partition *own = form->own;
    memcpy(own->q, state->q, (size_t)form->sys->nq * sizeof(double));
    memcpy(own->v, state->v, (size_t)form->sys->nv * sizeof(double));
    memcpy(own->z, state->z, (size_t)form->sys->nz * sizeof(double));
    return bl_state_rates_setup(form);
}

static bl_status partition_setup(bl_formulation *form, const bl_state *state) {
    BL_TRY(read_values(form));
    form->history = state->history;
    if (form->repeated) { /* samples of other active rows */
        bl_partition *old = form->own;
        bl_free(form->ctx, old->G_samples);
        old->G_samples = NULL;
        old->nsample = 0;
    }
    BL_TRY(choose_at(form, state));
    form->drifts = form->sys->np > 0 && ((bl_partition *)form->own)->index == 2;
    bl_partition *own = form->own;
    BL_TRY(bl_state_rates_setup(form));
    BL_TRY(bl_partition_survey(form, state));
    if (own->r > 0 && !form->linsol->factored)
        BL_TRY(new_pivots(form));
    BL_TRY(bl_partition_directions(form));
    bl_status status = bl_partition_mass(form);
    return status == BL_SINGULAR && own->refused_at <= -2 ? massless(form) : status;
}

static bl_status partition_rate(bl_formulation *form, double t, const double *y, double *rate) {
    bl_partition *own = form->own;
    bl_index nq = form->sys->nq;
    BL_TRY(bl_partition_go_to(form, t, y, true));
    BL_TRY(bl_partition_accelerate(form));
    BL_TRY(bl_position_rate(form, own->v, rate));
    if (own->all)
        memcpy(rate + nq, own->a, (size_t)form->sys->nv * sizeof *rate);
    for (bl_index k = 0; k < own->f && !own->all; k++)
        rate[nq + k] = own->a[own->ind[k]];
    rate[form->ny - 1] = own->power;
    return form->sys->nz ? bl_partition_state_rates(form, rate + bl_partition_states(form)) : BL_OK;
}

static bl_status check_dropped(bl_formulation *form, const bl_state *state, bool *again) {
    bl_partition *own = form->own;
    bl_index violated = -1, rank = own->r;
    if (own->rows.nd > 0 && !own->warned)
        BL_TRY(bl_formulation_violated(form, own->rows.slot, &violated));
    *again = violated >= 0;
    if (!*again)
        return BL_OK;
    BL_TRY(choose_at(form, state));
    own->warned = own->r == rank;
    form->stats.repartitions++;
    bl_formulation_warn_violated(form, violated, own->warned);
    return BL_OK;
}

static bl_status partition_review(bl_formulation *form, const bl_state *state) {
    bl_partition *own = form->own;
    bool changed = false, rows = false;
    partition_to_y(form, state, own->y);
    BL_TRY(bl_partition_go_to(form, *state->t, own->y, false));
    BL_TRY(check_dropped(form, state, &changed));
    if (changed)
        return BL_RESTART;
    if (own->r == 0)
        return BL_OK;
    double worst = form->linsol->stats.worst_pivot;
    if (worst > own->rows_checked)
        own->rows_checked = worst;
    if (worst < sqrt(formulation_rows_check) * own->rows_checked) {
        own->rows_checked = worst;
        BL_TRY(bl_partition_exchange_rows(form, &rows));
    }
    BL_TRY(bl_partition_exchange_columns(form, &changed));
    if (changed || rows) {
        form->stats.repartitions++;
        bl_status status = new_pivots(form);
        if (status < 0)
            return status;
        if (status > 0) { /* the exchange led to a singular basis: choose by complete pivoting */
            BL_TRY(bl_formulation_rebase(form));
            BL_TRY(choose_at(form, state));
            return BL_RESTART;
        }
        return changed && !own->all ? BL_RESTART : BL_OK;
    }
    if (worst < formulation_rows_stale * own->fresh) { /* the pivots are no longer good */
        BL_TRY(bl_partition_factor(form, true));
        own->stage = 0;
    }
    return BL_OK;
}

static bl_status partition_project(bl_formulation *form, bl_state *state, double tolerance) {
    bl_partition *own = form->own;
    size_t bytes = (size_t)form->sys->nq * sizeof(double);
    (void)tolerance; /* always to rounding */
    form->stats.projections++;
    form->history = state->history;
    own->stage = 0;
    memcpy(own->q, state->q, bytes);
    memcpy(own->z, state->z, (size_t)form->sys->nz * sizeof(double));
    bl_partition_move(form, *state->t);
    own->least_change = true;
    bl_status status = bl_partition_assemble(form, *state->t);
    own->least_change = own->all;
    BL_TRY(status);
    BL_TRY(bl_partition_directions(form));
    BL_TRY(bl_partition_drive(form));
    BL_TRY(bl_partition_project_velocities(form, state->v));
    memcpy(state->q, own->q, bytes);
    memcpy(state->v, own->v, (size_t)form->sys->nv * sizeof(double));
    return BL_OK;
}

static bl_status partition_accelerations(bl_formulation *form, const bl_state *state, double *a, double *lambda) {
    bl_partition *own = form->own;
    partition_to_y(form, state, own->y);
    BL_TRY(bl_partition_go_to(form, *state->t, own->y, false));
    BL_TRY(bl_partition_accelerate(form));
    if (form->sys->nload) {
        bl_loads_take(form, a, lambda);
        return BL_OK;
    }
    memcpy(a, own->a, (size_t)form->sys->nv * sizeof *a);
    return bl_partition_all_multipliers(form, lambda);
}

static bl_status partition_explain(bl_formulation *form) {
    bl_partition *own = form->own;
    const bl_system *sys = form->sys;
    char part[96] = "", equation[128] = "";
    bl_index row = own->refused_at;
    double t = own->refused_t;
    if (bl_loads_refused(form))
        return bl_loads_explain(form);
    switch (own->refused) {
    case BL_NOT_FINITE: return bl_formulation_blame_not_finite(form, own->refused_at, t);
    case BL_NO_CONVERGENCE:
        bl_fail(form->ctx, BL_E_NUMERIC, NULL, "the mechanism cannot be closed near t = %.9g: it may be at the end of its range of motion",
                t);
        bl_advise(form->ctx, "end the run before with a stop expression, or check what drives the mechanism at this time");
        break;
    case BL_SINGULAR:
        if (own->refused_at <= -2)
            return massless(form);
        if (sys->np > 0 && row < 0) {
            own->stage = 0;
            BL_TRY(bl_formulation_weakest_row(form, t, own->refused_q, own->v, own->z, own->r, &row));
        }
        bl_fail(form->ctx, BL_E_NUMERIC, NULL,
                "singular configuration at t = %.9g that cannot be stepped over: the constraints become dependent", t);
        bl_advise(form->ctx, "start beside the singular configuration, or end the run before it with a stop expression");
        break;
    default: return BL_OK;
    }
    if (row >= 0)
        bl_system_row_name(sys, row, part, sizeof part, equation, sizeof equation);
    bl_blame(form->ctx, part, equation, t);
    return BL_E_NUMERIC;
}

static void partition_destroy(bl_formulation *form) {
    if (!form->own)
        return;
    bl_partition_free(form);
    bl_partition *own = form->own;
    bl_free(form->ctx, own->G_samples);
    bl_free(form->ctx, own->hints);
    bl_free(form->ctx, form->own);
    form->own = NULL;
}

static const bl_param partition_params[] = {
    {.name = "index",
     .type = BL_P_INTEGER,
     .fallback = 3,
     .flags = BL_POSITIVE,
     .help = "3: dependent positions from the constraints in every evaluation; 2: all positions integrated"},
    {.name = "state",
     .type = BL_P_CHOICE,
     .choices = "auto|full|independent",
     .help = "what index 3 integrates: all coordinates, or the independent ones; "
             "auto: the latter when all of them are angles, distances or preferred in the model"},
    {.name = "exchange",
     .type = BL_P_NUMBER,
     .flags = BL_POSITIVE,
     .help =
         "coordinates are exchanged when a dependent velocity exceeds this many times an independent one; default 1.5, with state=full 4"},
    {.name = "independent",
     .type = BL_P_CHOICE,
     .choices = "gauss|qr|svd",
     .help =
         "how independent coordinates are chosen: complete pivoting, QR with column pivoting, or those that move most in the null space by "
         "singular values; those preferred in the model come first"},
    {.name = "dense",
     .type = BL_P_INTEGER,
     .flags = BL_NOT_NEGATIVE,
     .fallback = BL_PARTITION_DENSE,
     .help = "parts of the mechanism with more degrees of freedom than this are solved by one sparse system instead of a full mass matrix"},
    {.type = BL_P_END}};

/* A sparse system at the guess and at the corrected configuration, and J at both, relative to the cost of lagrange: for a rate, for an
 * expansion. Instructions on plane chains of 24 to 32 rods. */
static const double SPARSE_RATE = 3.5, SPARSE_EXPAND = 2;

static double partition_cost(const bl_size *size, int order) {
    double couples = (double)size->dof * size->bodies, full = size->full ? couples : 0;
    double dense = order ? size->expand[1] + size->entry[1] * couples : size->rate[1] + size->entry[0] * couples;
    double sparse = order ? SPARSE_EXPAND * size->expand[0] : SPARSE_RATE * (size->rate[0] + size->entry[0] * full);
    return (size->dof <= BL_PARTITION_DENSE ? dense : sparse) * (order ? bl_size_order_share(order) : 1);
}

const bl_formulation_kind bl_formulation_partition = {
    .kind = {.name = "partition",
             .help = "independent coordinates by velocity projection, index 3 or 2",
             .params = partition_params,
             .needs = BL_CAN_MASS,
             .gives = BL_CAN_RATE | BL_CAN_STAGE | BL_CAN_SHIFT | BL_CAN_COEFFICIENT | BL_TAKES_LOADS | BL_TAKES_CURVED |
                      BL_TAKES_PHI_OF_Z | BL_TAKES_VELOCITY_ROWS},
    .uses = BL_USES_MATRICES,
    .index = 3,
    .redundant = "equations chosen by rank, dropped ones named; multipliers of minimum norm",
    .singular = "stepped over (index 2: at moderate tolerances)",
    .setup = partition_setup,
    .to_y = partition_to_y,
    .from_y = partition_from_y,
    .rate = partition_rate,
    .cost = partition_cost,
    .expand = bl_partition_expand,
    .review = partition_review,
    .project = partition_project,
    .accelerations = partition_accelerations,
    .spread = bl_partition_spread,
    .forget = partition_forget,
    .follow = partition_follow,
    .explain = partition_explain,
    BL_RATE_STAGE_SLOTS,
    .destroy = partition_destroy,
};
