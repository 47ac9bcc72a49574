/* Meshes as a bl_system: q are the displacements that no support prescribes (and fields of second order in time), z fields of first order.
 *
 *     M q'' = Q = loads - internal forces - C q' - effects of supports,     A z' = f likewise
 *
 * Prescribed values enter as M_fg a_g, C_fg v_g and by the internal forces they cause: they are not constraint equations. */
#include "fem/assembly.h"
#include "fem/fields_private.h"

#include "base/crew.h"
#include "base/vectors.h"
#include "model/law_inputs.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static bl_fem *own_of(const bl_system *sys) { return sys->own; }

/* ---- evaluations */

static bl_status eval_create(const bl_system *sys, bl_eval *e) {
    const bl_fem *fem = own_of(sys);
    bl_fem_eval *p;
    size_t nfull = (size_t)fem->nfull, nnode = (size_t)fem->node0[fem->npart];
    BL_TRY(BL_NEW(sys->ctx, p, 1));
    e->own = p;
    int threads = bl_crew_threads(sys->crew);
    size_t laws = 3 * (size_t)fem->nlaw_input + fem->law_work;
    BL_TRY(BL_NEW(sys->ctx, p->element, threads));
    BL_TRY(BL_NEW(sys->ctx, p->block_energy, fem->nblock + 1));
    BL_TRY(BL_NEW(sys->ctx, p->u, 10 * nfull + 2 * nnode + (size_t)threads * (laws + fem->lane_room) + 1));
    p->v = p->u + nfull;
    p->a = p->v + nfull;
    p->f = p->a + nfull;
    p->load = p->f + nfull;
    p->inner = p->load + nfull;
    p->follower = p->inner + nfull;
    p->u_from = p->follower + nfull;
    p->u_to = p->u_from + nfull;
    p->rate = p->u_to + nfull;
    p->temperature = p->rate + nfull;
    p->temperature_rate = p->temperature + nnode;
    double *own = p->temperature_rate + nnode;
    for (int k = 0; k < threads; k++, own += laws + fem->lane_room) {
        p->element[k].law_in = own;
        p->element[k].law_work = own + 3 * (size_t)fem->nlaw_input;
        p->element[k].lane_K = own + laws;
    }
    p->law_in = p->element->law_in;
    p->law_work = p->element->law_work;
    return fem->moved ? bl_fem_moved_room(fem, p) : BL_OK;
}

static void eval_destroy(const bl_system *sys, bl_eval *e) {
    bl_fem_eval *p = e->own;
    if (p) {
        bl_free(sys->ctx, p->u);
        bl_free(sys->ctx, p->field_work);
        bl_free(sys->ctx, p->moved_block);
        bl_free(sys->ctx, p->block_energy);
        bl_free(sys->ctx, p->element);
    }
    bl_free(sys->ctx, p);
    e->own = NULL;
}

static bl_status fem_patterns(const bl_system *sys, uint32_t uses) {
    bl_fem *fem = own_of(sys);
    bl_system *system = fem->sys;
    bl_eval scratch = {0};
    if (!(uses & (BL_M | BL_STAGE | BL_FIELDS)))
        return BL_OK;
    bl_status status = eval_create(sys, &scratch);
    if (status == BL_OK && (uses & BL_M)) {
        status = bl_fem_make_M(fem, scratch.own);
        system->pat_M = fem->M_pattern;
        system->lends |= BL_M;
    }
    if (status == BL_OK && (uses & BL_STAGE)) {
        status = bl_fem_make_K(fem, scratch.own);
        system->pat_K = fem->pattern;
        system->pat_C = fem->C_pattern;
        system->lends |= fem->K ? BL_KC : 0;
    }
    if (status == BL_OK && (uses & BL_FIELDS))
        status = bl_fem_fields_make(fem, scratch.own);
    eval_destroy(sys, &scratch);
    return status;
}

static bl_status fem_room(const bl_system *sys, bl_eval *e, uint32_t fresh) {
    const bl_fem *fem = own_of(sys);
    if (fresh & BL_M) {
        e->M = fem->M;
        e->constant |= BL_M;
    }
    if ((fresh & BL_KC) && fem->K && !e->keeps) {
        e->C = fem->C;
        e->K = fem->K;
        e->constant |= BL_KC;
    } else if (fresh & BL_KC) {
        memcpy(e->C, fem->C, (size_t)fem->C_pattern.ptr[fem->n] * sizeof *e->C);
        if (fem->K) {
            memcpy(e->K, fem->K, (size_t)fem->pattern.ptr[fem->n] * sizeof *e->K);
            e->constant |= BL_KC;
        }
    }
    return fresh & BL_FIELDS ? bl_fem_fields_room(fem, e->own) : BL_OK;
}

/* ---- forces */

static void set_pieces(const bl_fem *fem, const bl_eval *e) {
    bl_fem_eval *p = e->own;
    p->pieces = fem->switches.n && e->history ? (const double *)(const void *)e->history : NULL;
    p->slow = e->slow;
}

bl_status bl_fem_spread_at(const bl_fem *fem, const bl_eval *e) {
    set_pieces(fem, e);
    return bl_fem_spread(fem, e->t, e->q, e->v, e->z, e->own);
}

/* With supports at zero and no ties, nodal rates and forces are those of the unknowns. Vectors of all nodes, which are then never touched,
 * take no memory. */
static bool only_unknowns_move(const bl_fem *fem) { return !fem->supports_move && fem->ntie == 0; }

static bl_status spread_values(const bl_fem *fem, const bl_eval *e) {
    if (!only_unknowns_move(fem))
        return bl_fem_spread_at(fem, e);
    set_pieces(fem, e);
    bl_fem_spread_values(fem, e->q, e->z, e->own);
    return BL_OK;
}

/* loads on all nodes, as computed by find_loads */
static const double *loads_of(const bl_fem *fem, const bl_fem_eval *p) { return fem->loads_change ? p->load : fem->dead; }

static bl_status find_loads(const bl_fem *fem, double t, bl_fem_eval *p) {
    return fem->loads_change ? bl_fem_load_at(fem, t, p, p->load) : BL_OK;
}

static const double *numbers_of(const unsigned char *history) { return (const double *)(const void *)history; }

/* Internal forces depend on positions and time only, unless there are fields of first order. */
static uint32_t of_positions(const bl_system *sys) { return sys->nz == 0 ? (uint32_t)BL_OWN_POSITION : 0; }

/* What depends on positions and time only and is kept while velocities change (BL_OWN_POSITION): full vectors of internal forces and loads,
 * energies. */
static bl_status eval_inner(const bl_system *sys, bl_eval *e, bool tangent) {
    const bl_fem *fem = own_of(sys);
    bl_fem_eval *p = e->own;
    BL_TRY(find_loads(fem, e->t, p));
    uint32_t want = BL_PART_FORCE | BL_PART_ENERGY | (tangent ? BL_PART_TANGENT : 0);
    BL_TRY(bl_fem_inner(fem, e->t, want, numbers_of(e->history), NULL, p, p->inner, tangent ? e->K : NULL, &p->energy));
    if (fem->has_follower) {
        memset(p->follower, 0, (size_t)fem->nfull * sizeof *p->follower);
        BL_TRY(bl_fem_pressure(fem, e->t, p, p->follower, tangent ? e->K : NULL));
    }
    e->have |= of_positions(sys) | (tangent ? BL_KC : 0);
    return BL_OK;
}

/* internal forces of linear parts by a product with K, if it exists, instead of a loop over elements */
static bool by_matrix(const bl_fem *fem) { return fem->K && !fem->supports_move && !fem->has_temperatures; }

/* the two configurations of a discrete gradient; supports are at their present positions in both */
static void spread_between(const bl_fem *fem, const bl_eval *e, bl_fem_eval *p) {
    p->between = e->q_from && e->q_to;
    p->chi = e->dissipation;
    for (bl_index k = 0; p->between && k < fem->nfull; k++) {
        bl_index col = fem->column[k];
        bool moves = col >= 0 && col < fem->nv;
        p->u_from[k] = moves ? e->q_from[col] : p->u[k];
        p->u_to[k] = moves ? e->q_to[col] : p->u[k];
    }
    if (p->between) {
        bl_fem_tie_values(fem, p->u_from);
        bl_fem_tie_values(fem, p->u_to);
    }
}

static bl_status find_inner(const bl_system *sys, bl_eval *e, bool tangent) {
    const bl_fem *fem = own_of(sys);
    bl_fem_eval *p = e->own;
    if ((e->have & BL_OWN_POSITION) && !tangent)
        return BL_OK;
    spread_between(fem, e, p);
    if (!by_matrix(fem) || tangent || p->between) {
        bl_status status = eval_inner(sys, e, tangent);
        if (p->between)
            e->have &= ~(uint32_t)BL_OWN_POSITION; /* p->inner belongs to two configurations, not to this one */
        p->between = false;
        return status;
    }
    BL_TRY(find_loads(fem, e->t, p));
    if (fem->has_follower) {
        memset(p->follower, 0, (size_t)fem->nfull * sizeof *p->follower);
        p->film_constant_only = true;
        bl_status status = bl_fem_pressure(fem, e->t, p, p->follower, NULL);
        p->film_constant_only = false;
        BL_TRY(status);
    }
    memset(p->inner, 0, (size_t)fem->n * sizeof *p->inner); /* here by unknowns: all prescribed values are zero */
    bl_csc_multiply(&(bl_pattern){fem->n, fem->nv, fem->pattern.ptr, fem->pattern.idx}, fem->K, e->q, p->inner);
    bl_csc_multiply(&(bl_pattern){fem->n, fem->n - fem->nv, fem->pattern.ptr + fem->nv, fem->pattern.idx}, fem->K, e->z, p->inner);
    p->energy = (bl_fem_energy){.stored = 0.5 * bl_dot((size_t)fem->nv, e->q, p->inner)};
    e->have |= of_positions(sys);
    return BL_OK;
}

/* C v of the unknowns of second order; out[n] */
static void damping_forces(const bl_fem *fem, const double *v, double *out) {
    memset(out, 0, (size_t)fem->n * sizeof *out);
    bl_csc_multiply(&(bl_pattern){fem->n, fem->nv, fem->C_pattern.ptr, fem->C_pattern.idx}, fem->C, v, out);
}

/* Loads minus internal forces of the unknowns; returns the power of loads. */
static double forces_of_unknowns(const bl_fem *fem, bl_eval *e, bool matrix) {
    const bl_fem_eval *p = e->own;
    const double *load = loads_of(fem, p);
    double power = 0;
    for (bl_index k = 0; k < fem->nfull; k++) {
        bl_index col = fem->column[k];
        if (col < 0)
            continue;
        double force = load[k] + (fem->has_follower ? p->follower[k] : 0);
        power += col < fem->nv ? force * e->v[col] : 0;
        e->Q[col] = force - p->inner[matrix ? col : k];
    }
    return power;
}

/* the same from forces on all nodes, with moving supports and ties */
static bl_status forces_of_nodes(const bl_fem *fem, bl_eval *e, bool matrix, double *power) {
    bl_fem_eval *p = e->own;
    const double *load = loads_of(fem, p);
    memset(p->f, 0, (size_t)fem->nfull * sizeof *p->f);
    if (fem->npair && !e->slow)
        bl_fem_support_forces(fem, p, p->rate, p->f);
    for (bl_index k = 0; k < fem->nfull; k++) {
        p->f[k] = load[k] + (fem->has_follower ? p->follower[k] : 0) - p->f[k];
        if (fem->column[k] >= 0 || fem->column[k] < -fem->ngiven)
            *power += p->f[k] * p->v[k];
        else if (fem->supports_move)
            *power += p->inner[k] * p->v[k];
        p->f[k] -= matrix ? 0 : p->inner[k];
    }
    bl_fem_tie_forces(fem, p->f);
    for (bl_index k = 0; k < fem->nfull; k++)
        if (fem->column[k] >= 0)
            e->Q[fem->column[k]] = p->f[k] - (matrix ? p->inner[fem->column[k]] : 0);
    return BL_OK;
}

/* Q and f: loads minus internal forces of all unknowns (e->Q has n entries). Power without a potential: the kinetic energy is that of free
 * nodes, the stored energy that of all elements. Therefore moving supports supply the internal force on them times their velocity, minus
 * the inertia and damping forces they cause at free nodes; changing temperatures supply heat. */
static bl_status eval_forces(const bl_system *sys, bl_eval *e, bool tangent) {
    const bl_fem *fem = own_of(sys);
    bl_fem_eval *p = e->own;
    BL_TRY(spread_values(fem, e));
    BL_TRY(find_inner(sys, e, tangent));
    bool matrix = by_matrix(fem) && !tangent && !e->q_from;
    double power = only_unknowns_move(fem) ? forces_of_unknowns(fem, e, matrix) : 0;
    if (!only_unknowns_move(fem))
        BL_TRY(forces_of_nodes(fem, e, matrix, &power));
    power += p->energy.heating;
    if (fem->damped && !e->slow) {
        damping_forces(fem, e->v, p->f);
        for (bl_index j = 0; j < fem->nv; j++)
            e->Q[j] -= p->f[j];
        power -= bl_dot((size_t)fem->nv, e->v, p->f);
    }
    e->power = sys->nv ? power : 0;
    if (sys->nz)
        memcpy(e->f, e->Q + sys->nv, (size_t)sys->nz * sizeof *e->f);
    e->have |= BL_Q | BL_F;
    return BL_OK;
}

/* Power of loads and damping if supports are fixed and no load follows the deformation: no element is evaluated. */
static bl_status fem_power(const bl_system *sys, bl_eval *e) {
    const bl_fem *fem = own_of(sys);
    bl_fem_eval *p = e->own;
    set_pieces(fem, e);
    BL_TRY(find_loads(fem, e->t, p));
    const double *load = loads_of(fem, p);
    e->power = 0;
    for (bl_index k = 0; k < fem->nfull; k++)
        if (fem->column[k] >= 0 && fem->column[k] < fem->nv)
            e->power += load[k] * e->v[fem->column[k]];
    if (fem->damped && !e->slow) {
        damping_forces(fem, e->v, p->f);
        e->power -= bl_dot((size_t)fem->nv, e->v, p->f);
    }
    return BL_OK;
}

/* v . M v / 2 */
static double kinetic(const bl_fem *fem, const double *v) {
    const bl_pattern *M = &fem->M_pattern;
    double twice = 0;
    for (bl_index j = 0; j < fem->nv; j++) {
        double sum = 0;
        for (bl_index k = M->ptr[j]; k < M->ptr[j + 1]; k++)
            sum += fem->M[k] * v[M->idx[k]];
        twice += v[j] * sum;
    }
    return 0.5 * twice;
}

static bl_status eval_energy(const bl_system *sys, bl_eval *e) {
    const bl_fem *fem = own_of(sys);
    bl_fem_eval *p = e->own;
    e->kinetic = e->potential = e->dissipated = 0;
    if (sys->nv == 0)
        return BL_OK;
    e->kinetic = fem->M ? kinetic(fem, e->v) : 0;
    BL_TRY(spread_values(fem, e));
    BL_TRY(find_inner(sys, e, false));
    e->potential = p->energy.stored;
    e->dissipated = p->energy.dissipated;
    return BL_OK;
}

/* ---- probes, events */

static bl_status eval_probes(const bl_system *sys, bl_eval *e) {
    const bl_fem *fem = own_of(sys);
    const bl_model *model = fem->model;
    bl_fem_eval *p = e->own;
    BL_TRY(bl_fem_spread_at(fem, e));
    for (bl_index k = 0; k < sys->nprobe; k++) {
        const bl_solid_probe *probe = &model->solid_probe[k];
        bl_index part = 0, nn = 1, at = 0;
        while (fem->part[part].solid != &model->solid[probe->solid])
            part++;
        const bl_mesh *mesh = &fem->part[part].solid->mesh;
        const bl_index *node = &probe->node;
        double N[BL_ELEMENT_NODES] = {1};
        if (probe->node < 0) {
            const bl_mesh_block *block = bl_mesh_block_of(mesh, probe->element, &at);
            nn = block->kind->nnode;
            node = block->node + (size_t)at * (size_t)nn;
            block->kind->functions(probe->xi, N, NULL);
        }
        int nc = fem->part[part].ncomponent;
        bool moves = fem->part[part].solid->strain;
        for (int c = 0; c < 3; c++) {
            double value = 0, rate = 0;
            for (bl_index a = 0; a < nn; a++) {
                bl_index full = fem->full0[part] + node[a] * nc + c;
                value += N[a] * ((moves ? mesh->x[node[a]][c] : 0) + (c < nc ? p->u[full] : 0));
                rate += c < nc ? N[a] * p->v[full] : 0;
            }
            e->probe[3 * k + c] = value;
            e->probe_rate[3 * k + c] = rate;
        }
    }
    return BL_OK;
}

static bl_status eval_events(const bl_system *sys, bl_eval *e) {
    const bl_fem *fem = own_of(sys);
    const bl_model *model = fem->model;
    bl_fem_eval *p = e->own;
    BL_TRY(bl_system_eval(sys, e, BL_PROBES));
    for (bl_index k = 0; k < model->nstop; k++) {
        const bl_law *law = &model->law[model->stop[k].law];
        bl_law_read(model, law, &(bl_instant){.t = e->t, .probe = e->probe, .probe_rate = e->probe_rate}, p->law_in);
        bl_tape_eval(law->tape, p->law_in, &e->event[k], p->law_work);
    }
    return bl_check_finite(sys->ctx, "stop", e->t, model->nstop, e->event);
}

/* ---- products without a matrix: for linear bodies, K x is the sum of element forces at x */

/* the internal forces are K u */
static bool is_linear_body(const bl_fem *fem) {
    bool linear = fem->linear && !fem->has_temperatures && fem->n == fem->nv;
    for (bl_index p = 0; p < fem->npart && linear; p++)
        linear = fem->part[p].solid->strain != NULL;
    return linear;
}

static bl_status fem_apply(const bl_system *sys, bl_eval *e, bl_op op, bl_index nrhs, const double *x, double *y) {
    const bl_fem *fem = own_of(sys);
    bl_fem_eval *p = e->own;
    if (op != BL_OP_K || fem->K || !is_linear_body(fem))
        return bl_system_multiply(sys, e, op, nrhs, x, y);
    e->have &= ~(uint32_t)BL_OWN_POSITION; /* the vectors of the evaluation are overwritten */
    for (bl_index c = 0; c < nrhs; c++, x += fem->n, y += fem->n) {
        bl_fem_spread_values(fem, x, NULL, p);
        bl_fem_tie_values(fem, p->u);
        BL_TRY(bl_fem_inner(fem, e->t, BL_PART_FORCE, NULL, NULL, p, p->inner, NULL, NULL));
        bl_fem_tie_forces(fem, p->inner);
        for (bl_index k = 0; k < fem->nfull; k++)
            if (fem->column[k] >= 0)
                y[fem->column[k]] = p->inner[k];
    }
    return BL_OK;
}

static bl_status fem_diagonal(const bl_system *sys, bl_eval *e, bl_op op, double *diagonal) {
    const bl_fem *fem = own_of(sys);
    bl_fem_eval *p = e->own;
    if (op == BL_OP_M && fem->M)
        for (bl_index j = 0; j < fem->n; j++) {
            diagonal[j] = 0;
            for (bl_index k = fem->M_pattern.ptr[j]; k < fem->M_pattern.ptr[j + 1]; k++)
                diagonal[j] += fem->M_pattern.idx[k] == j ? fem->M[k] : 0;
        }
    else if (op == BL_OP_K && is_linear_body(fem) && fem->ntie == 0) {
        e->have &= ~(uint32_t)BL_OWN_POSITION;
        memset(p->u, 0, (size_t)fem->nfull * sizeof *p->u);
        BL_TRY(bl_fem_diagonal(fem, e->t, p, p->inner));
        for (bl_index k = 0; k < fem->nfull; k++)
            if (fem->column[k] >= 0)
                diagonal[fem->column[k]] = p->inner[k];
    } else {
        bl_fail(sys->ctx, BL_E_ABILITY, NULL, "matrix=free works only for linear bodies without ties and temperatures");
        bl_advise(sys->ctx, "remove matrix=free: the stiffness matrix is then assembled");
        return BL_E_ABILITY;
    }
    return BL_OK;
}

static bl_status fem_eval(const bl_system *sys, bl_eval *e, uint32_t want) {
    const bl_fem *fem = own_of(sys);
    bool tangent = (want & BL_KC) && (!fem->K || e->q_from);
    if ((want & (BL_Q | BL_F)) || tangent)
        BL_TRY(eval_forces(sys, e, tangent));
    if (want & BL_ENERGY)
        BL_TRY(eval_energy(sys, e));
    if (want & BL_PROBES)
        BL_TRY(eval_probes(sys, e));
    if ((want & BL_EVENTS) && sys->nevent)
        BL_TRY(eval_events(sys, e));
    if (want & BL_FIELDS)
        BL_TRY(bl_fem_fields_eval(fem, e));
    return BL_OK;
}

/* ---- history */

static bl_status fem_accept(const bl_system *sys, bl_eval *e, bl_state *state) {
    const bl_fem *fem = own_of(sys);
    bl_fem_eval *p = e->own;
    double *trial = (double *)(void *)e->trial;
    if (fem->nhistory == bl_switches_kept(&fem->switches))
        return BL_OK;
    BL_TRY(bl_fem_spread_at(fem, e));
    if (fem->has_temperatures)
        BL_TRY(bl_fem_load_at(fem, e->t, p, p->load));
    BL_TRY(bl_fem_inner(fem, e->t, BL_PART_FORCE, numbers_of(state->history), trial, p, p->f, NULL, NULL));
    size_t kept = bl_switches_kept(&fem->switches); /* switches change only at events */
    memcpy((double *)(void *)state->history + kept, trial + kept, (fem->nhistory - kept) * sizeof *trial);
    return BL_OK;
}

/* ---- names */

static void fem_col_name(const bl_system *sys, bl_index col, char *name, size_t nname) {
    const bl_fem *fem = own_of(sys);
    for (bl_index p = 0; p < fem->npart; p++) {
        bl_index nc = fem->part[p].ncomponent;
        for (bl_index k = fem->full0[p]; k < fem->full0[p + 1]; k++)
            if (fem->column[k] == col) {
                const bl_mesh *mesh = &fem->part[p].solid->mesh;
                bl_index node = (k - fem->full0[p]) / nc;
                int label = (int)(mesh->label ? mesh->label[node] : node + 1);
                if (fem->part[p].solid->strain)
                    snprintf(name, nname, "%s, node %d, %c", fem->part[p].solid->name, label, "xyz"[(k - fem->full0[p]) % nc]);
                else
                    snprintf(name, nname, "%s, node %d", fem->part[p].solid->name, label);
                return;
            }
    }
    snprintf(name, nname, "unknown %d", (int)col + 1);
}

static void fem_destroy(bl_system *sys) {
    bl_fem *fem = sys->own;
    bl_context *ctx = sys->ctx;
    for (bl_index p = 0; p < fem->npart; p++)
        bl_fem_part_destroy(&fem->part[p]);
    bl_free(ctx, (void *)fem->pattern.ptr);
    bl_free(ctx, (void *)fem->pattern.idx);
    bl_free(ctx, fem->M);
    bl_free(ctx, fem->C);
    bl_free(ctx, fem->K);
    bl_free(ctx, fem->shape);
    bl_fem_fields_destroy(fem);
    bl_fem_moved_destroy(fem);
    bl_switches_destroy(ctx, &fem->switches);
    bl_arena_destroy(&fem->arena);
}

static double fem_rounded(const bl_system *sys, const bl_eval *e) { return bl_fem_rounded(own_of(sys), e->own); }

static const bl_system_kind fem_kind = {
    .kind = {.name = "nodes", .help = "meshes: displacements and fields of nodes, except those prescribed by supports"},
    .eval = fem_eval,
    .power = fem_power,
    .apply = fem_apply,
    .diagonal = fem_diagonal,
    .accept = fem_accept,
    .hold = bl_fem_hold,
    .jump = bl_fem_jump,
    .next_time = bl_fem_next_time,
    .eval_create = eval_create,
    .eval_room = fem_room,
    .eval_destroy = eval_destroy,
    .patterns = fem_patterns,
    .series = bl_fem_series,
    .expansion_create = bl_fem_expansion_create,
    .expansion_destroy = bl_fem_expansion_destroy,
    .not_analytic = bl_fem_not_analytic,
    .rounded = fem_rounded,
    .col_name = fem_col_name,
    .motion_name = bl_fem_motion_name,
    .destroy = fem_destroy,
};

/* ---- build */

static void measure_laws(bl_fem *fem) {
    for (bl_index l = 0; l < fem->model->nlaw; l++) {
        const bl_law *law = &fem->model->law[l];
        size_t work = bl_tape_work(law->tape), series = bl_tape_series_work(law->tape, 2);
        fem->nlaw_input = law->ninput > fem->nlaw_input ? law->ninput : fem->nlaw_input;
        fem->law_work = work > fem->law_work ? work : fem->law_work;
        fem->law_work = series > fem->law_work ? series : fem->law_work;
    }
    for (bl_index s = 0; s < fem->switches.nlaw; s++) {
        const bl_pieces *law = &fem->switches.law[s];
        if (!law->tape)
            continue;
        size_t work = bl_tape_work(law->tape), series = bl_tape_series_work(law->tape, 2);
        bl_index inputs = law->ninput + law->count;
        fem->nlaw_input = inputs > fem->nlaw_input ? inputs : fem->nlaw_input;
        fem->law_work = work > fem->law_work ? work : fem->law_work;
        fem->law_work = series > fem->law_work ? series : fem->law_work;
    }
    fem->law_work = fem->switches.work > fem->law_work ? fem->switches.work : fem->law_work;
    fem->nlaw_input++;
}

/* parts, second order in time first */
static bl_status make_parts(bl_fem *fem) {
    const bl_model *model = fem->model;
    size_t n = (size_t)model->nsolid;
    BL_TRY(BL_ARENA_ARRAYS(&fem->arena, BL_ARRAY(fem->part, n), BL_ARRAY(fem->node0, n + 1), BL_ARRAY(fem->full0, n + 1),
                           BL_ARRAY(fem->history0, n)));
    fem->nhistory = bl_switches_kept(&fem->switches);
    fem->linear = fem->symmetric = true;
    for (int second = 1; second >= 0; second--)
        for (bl_index s = 0; s < model->nsolid; s++) {
            const bl_solid *solid = &model->solid[s];
            if ((solid->order == 2) != second)
                continue;
            bl_index p = fem->npart++;
            bl_fem_part *part = &fem->part[p];
            BL_TRY(bl_fem_part_create(fem->ctx, model, solid, part));
            fem->node0[p + 1] = fem->node0[p] + solid->mesh.nnode;
            fem->full0[p + 1] = fem->full0[p] + solid->mesh.nnode * part->ncomponent;
            fem->history0[p] = fem->nhistory;
            fem->nhistory += part->nhistory;
            fem->linear = fem->linear && part->linear;
            fem->symmetric = fem->symmetric && part->symmetric;
            fem->stiffness_damping = fem->stiffness_damping || solid->damping_stiffness != 0;
            fem->damped = fem->damped || (solid->order == 2 && (solid->damping_mass != 0 || solid->damping_stiffness != 0));
        }
    fem->nfull = fem->full0[fem->npart];
    for (bl_index p = 0; p < fem->npart; p++)
        for (bl_index g = 0; g < fem->part[p].ngroup; g++) {
            const bl_fem_group *group = &fem->part[p].group[g];
            size_t nn = group->kind->nnode, dim = (size_t)fem->part[p].dim;
            size_t room = (nn * (nn + 1) / 2 * dim * dim + 2 * (size_t)group->rule.n * nn * dim) * BL_LANES;
            fem->nblock = group->nblock > fem->nblock ? group->nblock : fem->nblock;
            fem->lane_room = (group->in_lanes || group->by_law) && room > fem->lane_room ? room : fem->lane_room;
        }
    return BL_OK;
}

static void count_second_order(bl_fem *fem) {
    for (bl_index p = 0; p < fem->npart; p++)
        if (fem->part[p].solid->order == 2)
            fem->nv = fem->first[fem->node0[p + 1]];
}

/* the largest initial value of a law at the nodes; values that are not finite are refused elsewhere */
static double largest_at_nodes(const bl_fem *fem, const bl_solid *solid, const bl_number_law *law, bl_fem_eval *eval) {
    double most = 0;
    for (bl_index k = 0; k < (law->law < 0 ? 1 : solid->mesh.nnode); k++) {
        double value = fabs(bl_fem_law(fem, law, 0, solid->mesh.x[k], 0, eval));
        most = isfinite(value) ? fmax(most, value) : most;
    }
    return most;
}

/* Typical size of a part's unknowns: from initial values, supports and loads; otherwise its length. */
static double scale_of(const bl_fem *fem, bl_index p, bl_fem_eval *eval) {
    const bl_solid *solid = fem->part[p].solid;
    if (solid->scale > 0)
        return solid->scale;
    const bl_fem_part *part = &fem->part[p];
    double largest = solid->start_mode > 0 ? fabs(solid->start_amplitude) : 0, rate = 0, stiff = 0;
    for (int c = 0; c < part->ncomponent; c++) {
        largest = fmax(largest, largest_at_nodes(fem, solid, &solid->start[c], eval));
        rate = fmax(rate, largest_at_nodes(fem, solid, &solid->start_rate[c], eval));
    }
    for (bl_index g = 0; g < part->ngroup; g++) {
        const bl_material *m = part->group[g].material;
        double speed = m->kind->stiffness(m);
        stiff = fmax(stiff, isfinite(speed) ? m->density * speed * speed : 0);
        if (speed > 0)
            largest = fmax(largest, rate * part->length / speed);
    }
    double load = 0;
    for (bl_index k = fem->full0[p]; k < fem->full0[p + 1]; k++)
        load += fabs(fem->dead[k]);
    for (bl_index s = 0; s < fem->nshape; s++)
        for (bl_index k = 0; k < fem->shape[s].n; k++)
            load += fabs(fem->shape[s].value[k]);
    if (stiff > 0 && load > 0) {
        double cross_section = bl_mesh_volume(&solid->mesh) * solid->thickness / part->length;
        largest = fmax(largest, load * part->length / (stiff * cross_section));
    }
    for (bl_index g = 0; g < fem->ngiven; g++)
        if (fem->given[g].at >= fem->full0[p] && fem->given[g].at < fem->full0[p + 1] && fem->given[g].value.law < 0)
            largest = fmax(largest, fabs(fem->given[g].base + fem->given[g].factor * fem->given[g].value.number));
    return largest > 0 && isfinite(largest) ? largest : solid->strain ? part->length : 1;
}

static bl_status make_columns(bl_fem *fem, bl_system *sys, bl_fem_eval *eval) {
    bl_col *col;
    bl_index *empty;
    BL_TRY(BL_ARENA_ARRAYS(&fem->arena, BL_ARRAY(col, fem->n), BL_ARRAY(empty, (size_t)fem->nv + 1)));
    for (bl_index p = 0; p < fem->npart; p++) {
        double scale = scale_of(fem, p, eval);
        bl_index nc = fem->part[p].ncomponent;
        for (bl_index k = fem->full0[p]; k < fem->full0[p + 1]; k++)
            if (fem->column[k] >= 0) {
                bl_index node = fem->node0[p] + (k - fem->full0[p]) / nc;
                bool second = fem->part[p].solid->order == 2;
                col[fem->column[k]] = (bl_col){.what = second ? BL_COL_POINT : BL_COL_STATE,
                                               .order = fem->part[p].solid->order,
                                               .part = (uint8_t)((k - fem->full0[p]) % nc),
                                               .owner = node,
                                               .bundle = nc > 1 ? node + 1 : 0,
                                               .scale = scale};
            }
    }
    sys->col = col;
    sys->pat_G = (bl_pattern){0, fem->nv, empty, empty};
    return BL_OK;
}

static bl_status build(bl_fem *fem, bl_system *sys) {
    bl_eval scratch = {0};
    BL_TRY(bl_fem_switches(fem));
    BL_TRY(make_parts(fem));
    BL_TRY(bl_fem_number(fem));
    count_second_order(fem);
    if (fem->n == 0 && !fem->model->deck) /* steps of decks may still request stresses */
        return bl_fail(fem->ctx, BL_E_MODEL, &fem->model->solid[0].place, "supports prescribe all nodes: there is nothing to solve for");
    measure_laws(fem);
    bl_fem_warn(fem);
    bl_status status = eval_create(sys, &scratch);
    if (status == BL_OK)
        status = bl_fem_loads(fem, scratch.own);
    if (status == BL_OK)
        status = make_columns(fem, sys, scratch.own);
    if (status == BL_OK)
        status = bl_fem_couple(fem, scratch.own);
    fem->linear = fem->linear && !fem->nonlinear_follower;
    if (status == BL_OK && fem->damped)
        status = bl_fem_make_C(fem, scratch.own);
    eval_destroy(sys, &scratch);
    BL_TRY(status);
    fem->loads_change = fem->nshape > 0 || fem->nvariable_load > 0 || fem->has_temperatures;
    sys->nq = sys->nv = fem->nv;
    sys->nz = fem->n - fem->nv;
    sys->nprobe = fem->model->nprobe;
    sys->nevent = fem->model->nstop;
    sys->history_bytes = fem->nhistory * sizeof(double);
    bool discrete = sys->nz == 0 && !fem->has_temperatures;
    for (bl_index p = 0; p < fem->npart; p++)
        discrete = discrete && fem->part[p].discrete;
    sys->can = BL_CAN_MASS | BL_CAN_TANGENT | (sys->nz == 0 ? BL_CAN_ENERGY : 0) | (discrete ? BL_CAN_DISCRETE : 0) |
               (bl_fem_has_series(fem) ? BL_CAN_SERIES : 0);
    bool moving = false, diagonal = sys->nz == 0 && fem->ntie == 0;
    for (bl_index g = 0; g < fem->ngiven; g++)
        moving = moving || fem->given[g].value.law >= 0;
    for (bl_index p = 0; p < fem->npart; p++)
        diagonal = diagonal && fem->part[p].solid->lumped && !bl_fem_masses_couple(fem, p);
    sys->facts =
        BL_FLAT | BL_M_CONST | BL_FINE | (fem->linear ? BL_CK_CONST : 0) |
        (fem->nhistory > bl_switches_kept(&fem->switches) ? BL_HISTORY : BL_SMOOTH) | (fem->damped ? BL_Q_OF_V : 0) |
        (fem->time_loads || moving || fem->has_temperatures ? BL_Q_OF_T : 0) | (fem->symmetric && !fem->has_pressure ? BL_K_SYMMETRIC : 0) |
        (diagonal ? BL_M_DIAGONAL : 0) |
        (sys->nv && only_unknowns_move(fem) && !fem->has_follower && !fem->nvariable_load && !fem->has_temperatures ? BL_POWER_OF_V : 0);
    sys->zero = BL_MA_X | BL_GTL_X | BL_GV_X;
    sys->rounded = bl_fem_rounded(fem, NULL);
    return bl_fem_fields_define(fem);
}

static bl_status create(bl_context *ctx, const bl_model *model, bl_system **out, bl_fem **fem) {
    BL_TRY(bl_system_create(ctx, &fem_kind, sizeof(bl_fem), out));
    *fem = (*out)->own;
    (*fem)->ctx = (*fem)->arena.ctx = ctx;
    (*fem)->model = model;
    (*fem)->kernels = BL_ISA_PICK(ctx, bl_fem_linear);
    (*fem)->law_kernels = BL_ISA_PICK(ctx, bl_fem_laws);
    (*fem)->sys = *out;
    return BL_OK;
}

bl_status bl_fem_build(bl_context *ctx, const bl_model *model, bl_system **out) {
    bl_fem *fem;
    BL_TRY(create(ctx, model, out, &fem));
    return bl_system_made(build(fem, *out), out);
}

static bl_status build_moved(bl_fem *fem, bl_index n, const bl_solid *const *solid, const bl_fem_shapes *shapes) {
    bl_model *view; /* of these meshes alone */
    bl_solid *all;
    bl_fem_shapes *own;
    BL_TRY(BL_ARENA_ARRAYS(&fem->arena, BL_ARRAY(view, 1), BL_ARRAY(all, n), BL_ARRAY(own, n)));
    for (bl_index i = 0; i < n; i++) {
        all[i] = *solid[i];
        all[i].order = 2; /* parts in this order */
        own[i] = shapes[i];
    }
    fem->shapes = own;
    *view = *fem->model;
    view->nsolid = n;
    view->solid = all;
    fem->model = view;
    fem->moved = true;
    BL_TRY(make_parts(fem));
    measure_laws(fem);
    return bl_fem_fields_define(fem);
}

bl_status bl_fem_build_moved(bl_context *ctx, const bl_model *model, bl_index n, const bl_solid *const *solid, const bl_fem_shapes *shapes,
                             bl_system **out) {
    bl_fem *fem;
    BL_TRY(create(ctx, model, out, &fem));
    return bl_system_made(build_moved(fem, n, solid, shapes), out);
}

bl_status bl_fem_initial(const bl_system *sys, bl_state *state) {
    const bl_fem *fem = own_of(sys);
    bl_eval scratch = {0};
    bl_status status = eval_create(sys, &scratch);
    for (bl_index p = 0; status == BL_OK && p < fem->npart; p++) {
        const bl_solid *solid = fem->part[p].solid;
        bl_index nc = fem->part[p].ncomponent;
        for (bl_index k = fem->full0[p]; k < fem->full0[p + 1]; k++) {
            bl_index col = fem->column[k], node = (k - fem->full0[p]) / nc, c = (k - fem->full0[p]) % nc;
            if (col < 0)
                continue;
            double value = bl_fem_law(fem, &solid->start[c], 0, solid->mesh.x[node], 0, scratch.own);
            double rate = col < fem->nv ? bl_fem_law(fem, &solid->start_rate[c], 0, solid->mesh.x[node], 0, scratch.own) : 0;
            if (!isfinite(value) || !isfinite(rate)) {
                const bl_number_law *law = isfinite(value) ? &solid->start_rate[c] : &solid->start[c];
                const char *what = !solid->strain    ? isfinite(value) ? "the initial rate" : "the initial value"
                                   : isfinite(value) ? "the initial velocity"
                                                     : "the initial displacement";
                status = bl_fem_constant_failure(fem, bl_fem_refuse_law(fem, law, what, p, solid->mesh.x[node], 0));
                break;
            }
            if (col < fem->nv) {
                state->q[col] = value;
                state->v[col] = rate;
            } else
                state->z[col - fem->nv] = value;
        }
    }
    eval_destroy(sys, &scratch);
    return status;
}
