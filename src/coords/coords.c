/* Build: model -> constrained system in natural or mixed coordinates. */
#include "coords/coords_limits.h"
#include "coords/derived_coords.h"
#include "coords/mech_series.h"
#include "sparse/sparse.h"
#include "system/system_limits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANGLE_PARAM                                                                                                \
    {                                                                                                              \
        "angle", BL_P_CHOICE, 0, 0, "smooth|switching", NULL,                                                      \
            "equations that define angles: one smooth equation, or cosine and sine forms selected by conditioning" \
    }
static const bl_param params[] = {ANGLE_PARAM, {0}};
static const bl_param mixed_params[] = {
    ANGLE_PARAM,
    {"independent", BL_P_CHOICE, 0, 0, "given|groups", NULL,
     "default independent coordinates: none, or the variables that divide the mechanism into the smallest structural groups, "
     "which become coordinates"},
    {0},
};

/* ---- the system kind */

static bl_status work_create(const bl_system *sys, bl_eval *e) {
    const bl_mechanism *m = bl_mech(sys);
    bl_mech_work *w;
    BL_TRY(BL_NEW(sys->ctx, w, 1));
    e->own = w;
    bl_index nx = m->nx, nd = m->ndir * m->dim, nbody = m->model->nbody;
    BL_TRY(BL_NEW_ARRAYS(sys->ctx, w->block, BL_ARRAY(w->x, nx), BL_ARRAY(w->xd, nx), BL_ARRAY(w->D, nd), BL_ARRAY(w->Dd, nd),
                         BL_ARRAY(w->trig, m->nproduct), BL_ARRAY(w->tape_in, m->tape_in), BL_ARRAY(w->tape_out, m->tape_out),
                         BL_ARRAY(w->tape_d, m->tape_d + m->tape_in), BL_ARRAY(w->tape_work, m->tape_work), BL_ARRAY(w->rotation, nbody),
                         BL_ARRAY(w->xdd, nx), BL_ARRAY(w->seat_load, m->nseat), BL_ARRAY(w->share_load, m->nshare),
                         BL_ARRAY(w->core_load, 2 * m->core_most), BL_ARRAY(w->body_wrench, nbody), BL_ARRAY(w->row_lambda, m->nrow),
                         BL_ARRAY(w->switching, m->switches.work), BL_ARRAY(w->driven, 2 * m->model->ndriver),
                         BL_ARRAY(w->signal, m->model->nsignal), BL_ARRAY(w->gap, m->model->ncontact),
                         BL_ARRAY(w->outside, m->model->ncontact),
                         BL_ARRAY(w->contact_G, m->ncontact_row ? m->contact_ptr[m->ncontact_row] : 0),
                         BL_ARRAY(w->contact_lambda, m->ncontact_rub ? m->nrow : 0), BL_ARRAY(w->floating, m->floating_work)));
    w->m = m;
    BL_TRY(bl_elastic_room_create(m, &w->room));
    w->piece = m->no_pieces;
    memcpy(w->x, m->x_start, (size_t)nx * sizeof(double));
    return BL_OK;
}

static bl_status work_room(const bl_system *sys, bl_eval *e, uint32_t fresh) {
    const bl_mechanism *m = bl_mech(sys);
    if (fresh & BL_M)
        memcpy(e->M, m->M_values, (size_t)sys->pat_M.ptr[m->nfree] * sizeof(double));
    if (m->nfloating == 0)
        e->constant |= fresh & BL_M;
    return BL_OK;
}

static void work_destroy(const bl_system *sys, bl_eval *e) {
    bl_mech_work *w = e->own;
    if (!w)
        return;
    bl_free(sys->ctx, w->block);
    bl_free(sys->ctx, w->room.block);
    bl_free(sys->ctx, w);
    e->own = NULL;
}

static void row_name(const bl_system *sys, bl_index r, char *part, size_t npart, char *equation, size_t nequation) {
    const bl_mechanism *m = bl_mech(sys);
    const bl_model *model = m->model;
    const bl_row *row = &m->row[r];
    if ((row->what == BL_ROW_RIGID || row->what == BL_ROW_PARAM) && row->partner >= 0) /* shared joints have no equations of their own */
        snprintf(part, npart, "body '%s' at joint '%s'", model->body[row->owner].name, model->joint[row->partner].name);
    else if (row->what == BL_ROW_RIGID || row->what == BL_ROW_PARAM)
        snprintf(part, npart, "body '%s'", model->body[row->owner].name);
    else if (row->what == BL_ROW_DRIVER)
        snprintf(part, npart, "driver of %s", model->variable[model->driver[row->owner].variable].name);
    else
        snprintf(part, npart, "%s '%s'", model->joint[row->owner].kind->kind.name, model->joint[row->owner].name);
    snprintf(equation, nequation, "%s", m->row_meaning[r]);
}

static void col_name(const bl_system *sys, bl_index c, char *name, size_t nname) {
    const bl_mechanism *m = bl_mech(sys);
    const bl_col *col = &m->col[c];
    if (col->what == BL_COL_POINT || col->what == BL_COL_VECTOR) {
        snprintf(name, nname, "%s.%c", m->entity[col->owner].name, "xyz"[col->part]);
    } else if (col->what == BL_COL_SHAPE) {
        const bl_floating_body *b = &m->floating[col->owner];
        snprintf(name, nname, "%s.%s", m->model->elastic[b->elastic].name, b->f.def->name[c - b->first]);
    } else {
        snprintf(name, nname, "%s", m->model->variable[col->owner].name);
    }
}

static void load_name(const bl_system *sys, bl_index load, char *name, size_t nname) {
    const bl_mechanism *m = bl_mech(sys);
    const bl_model *model = m->model;
    for (bl_index c = 0; c < model->ncontact && load >= m->first_contact_load; c++)
        if (m->contact[c].load == load)
            snprintf(name, nname, "contact '%s'", model->contact[c].name);
    if (load >= m->first_contact_load)
        return;
    const bl_joint_def *joint = &model->joint[m->normal[load].joint];
    snprintf(name, nname, "%s '%s'", joint->kind->kind.name, joint->name);
}

/* tables that are needed only during building */
static void free_build_tables(bl_mechanism *m) {
    bl_hash_free(m->ctx, &m->seats.table);
    bl_hash_free(m->ctx, &m->points.table);
    bl_hash_free(m->ctx, &m->directions);
}

static void mechanism_destroy(bl_system *sys) {
    bl_mechanism *m = sys->own;
    bl_context *ctx = sys->ctx;
    bl_pattern_free(ctx, &sys->pat_G);
    bl_pattern_free(ctx, &sys->pat_M);
    bl_pattern_free(ctx, &sys->pat_K);
    for (bl_index i = 0; i < m->nload; i++)
        bl_tape_destroy(m->load[i].record.tape);
    bl_signal_laws_destroy(m);
    bl_pattern_free(ctx, &sys->pat_S);
    bl_switches_destroy(ctx, &m->switches);
    void *blocks[] = {m->entity,       m->seat,        m->form_ptr, m->form_entry, m->form_coef, m->part, m->row,  m->row_constant,
                      m->row_relation, m->row_meaning, m->quad,     m->linear,     m->product,   m->G_op, m->K_op, m->share};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        bl_free(ctx, blocks[i]);
    free_build_tables(m);
    bl_mesh_bodies_destroy(m);
    bl_arena_destroy(&m->arena);
}

static const bl_system_kind mechanism_kind = {
    .kind = {"mechanism", "rigid bodies in natural or mixed coordinates", NULL, 0, BL_CAN_MASS | BL_CAN_TANGENT | BL_CAN_ENERGY},
    .eval = bl_mech_eval,
    .power = bl_floating_power,
    .demand = bl_floating_demand,
    .accept = bl_mech_accept,
    .turning = bl_mech_turning,
    .series = bl_mech_series_next,
    .expansion_create = bl_mech_series_create,
    .expansion_destroy = bl_mech_series_destroy,
    .not_analytic = bl_mech_not_analytic,
    .not_discrete = bl_elastic_not_discrete,
    .hold = bl_law_pieces_hold,
    .next_time = bl_law_pieces_next_time,
    .jump = bl_law_pieces_jump,
    .blend = bl_law_pieces_blend,
    .event_name = bl_law_pieces_name,
    .eval_create = work_create,
    .eval_room = work_room,
    .eval_destroy = work_destroy,
    .row_name = row_name,
    .col_name = col_name,
    .load_name = load_name,
    .destroy = mechanism_destroy,
};

void bl_coords_mark(const bl_system *sys, const bl_eval *eval, const bl_mark *mark, double at[3], double rate[3]) {
    /* evaluations of derived coordinates begin with that of the mechanism */
    bl_pose_mark(sys->kind == &mechanism_kind ? eval : eval->own, mark, at, rate);
}

/* ---- steps of building */

static bl_status collect_variables(bl_mechanism *m) {
    const bl_model *model = m->model;
    BL_TRY(BL_ARENA_ARRAYS(&m->arena, BL_ARRAY(m->gauge, model->nvariable), BL_ARRAY(m->wanted, model->nvariable),
                           BL_ARRAY(m->first_seat, model->nbody), BL_ARRAY(m->last_seat, model->nbody), BL_ARRAY(m->basis, model->nbody),
                           BL_ARRAY(m->unshared, model->nbody), BL_ARRAY(m->framed, model->nbody),
                           BL_ARRAY(m->needs_equations, model->nprim + 1)));
    for (bl_index b = 0; b < model->nbody; b++)
        m->first_seat[b] = m->last_seat[b] = -1;
    for (bl_index b = 1; b < model->nbody; b++)
        m->unshared[b] = m->choice->body[b].how != BL_COORDS_NATURAL;
    for (bl_index v = 0; v < model->nvariable; v++) {
        const bl_variable *variable = &model->variable[v];
        m->gauge[v] = (bl_gauge){.joint = variable->joint, .prim = variable->prim, .part = variable->part, .entry = -1};
    }
    return BL_OK;
}

static void want_variable(bl_mechanism *m, bl_index v) {
    const bl_prim *prim = m->gauge[v].prim;
    m->wanted[v] = true;
    for (int k = 0; prim->what == BL_ANGLES && k < 3; k++) /* the three are coordinates together */
        m->wanted[prim->var[k]] = true;
}

static bl_status want_variables(bl_mechanism *m) {
    const bl_model *model = m->model;
    for (bl_index d = 0; d < model->ndriver; d++) {
        const bl_driver *driver = &model->driver[d];
        want_variable(m, driver->variable);
        const bl_law *law = &model->law[driver->law];
        for (bl_index i = 0; i < law->ninput; i++)
            if (law->input[i].what != BL_SYM_TIME && law->input[i].what != BL_SYM_PARAMETER && law->input[i].what != BL_SYM_SIGNAL) {
                bl_fail(m->ctx, BL_E_MODEL, &law->place,
                        "the driver of %s depends on a variable; it may depend on t, parameters, inputs and states only",
                        model->variable[driver->variable].name);
                bl_advise(m->ctx, "to couple variables use a gear joint or a force");
                return BL_E_MODEL;
            }
    }
    for (const bl_prim *prim = model->prim; prim < model->prim + model->nprim; prim++)
        for (int k = 0; bl_prim_is_relation(prim) && k < 3; k++)
            if (prim->var[k] >= 0 && prim->coef[k] != 0)
                want_variable(m, prim->var[k]);
    for (bl_index l = 0; l < m->nload; l++) {
        const bl_record *r = &m->load[l].record;
        for (bl_index i = 0; i < r->nvar; i++)
            want_variable(m, r->var[i]);
        for (bl_index i = 0; i < r->ninput; i++)
            if (r->input[i].what == BL_SYM_VARIABLE || r->input[i].what == BL_SYM_RATE)
                want_variable(m, r->input[i].ref);
    }
    for (bl_index l = 0; l < m->nsignal; l++) {
        const bl_record *r = &m->signal[l].load.record;
        for (bl_index i = 0; i < r->ninput; i++)
            if (r->input[i].what == BL_SYM_VARIABLE || r->input[i].what == BL_SYM_RATE)
                want_variable(m, r->input[i].ref);
    }
    for (bl_index i = 0; m->mixed && i < model->nmeasure; i++)
        want_variable(m, model->measure[i]);
    for (bl_index i = 0; m->mixed && i < model->nindependent; i++) {
        bl_index v = bl_model_variable(model, model->independent[i]);
        if (v >= 0)
            want_variable(m, v);
    }
    if (m->choice->inputs && model->nindependent == 0)
        BL_TRY(bl_mech_find_inputs(m));
    for (bl_index i = 0; i < m->ninput; i++)
        want_variable(m, m->input[i]);
    return BL_OK;
}

/* columns named in `independent:`; natural coordinates ignore variables that are not coordinates */
static bl_status find_independent(bl_mechanism *m, bl_system *sys) {
    const bl_model *model = m->model;
    BL_TRY(BL_ARENA_NEW(&m->arena, m->independent, (size_t)(model->nindependent + m->ninput)));
    for (bl_index i = 0; i < m->ninput; i++)
        if (m->gauge[m->input[i]].entry >= 0 && m->gauge[m->input[i]].entry < m->nfree)
            m->independent[m->nindependent++] = m->gauge[m->input[i]].entry;
    bl_index *named;
    BL_TRY(BL_ARENA_NEW(&m->arena, named, (size_t)model->nindependent + 1));
    BL_TRY(bl_derived_named(sys, model, named));
    for (bl_index i = 0; i < model->nindependent; i++) {
        bl_index found = named[i], variable = bl_model_variable(model, model->independent[i]);
        if (variable >= 0) {
            if (m->gauge[variable].entry >= 0 && m->gauge[variable].entry < m->nfree)
                m->independent[m->nindependent++] = m->gauge[variable].entry;
            continue;
        }
        if (found >= 0) {
            m->independent[m->nindependent++] = found;
            continue;
        }
        if (m->choice->count[BL_COORDS_NATURAL] + 1 < model->nbody) /* the derived coordinates of the other bodies look for it, too */
            continue;
        const bl_place *place = model->independent_place ? &model->independent_place[i] : NULL;
        bl_fail(m->ctx, BL_E_MODEL, place, "independent: '%s' is neither a variable nor a coordinate of a shared point or vector",
                model->independent[i]);
        bl_advise(m->ctx, "name a joint variable (j1.angle) or a component of a named point that bodies share (B.x)");
        return BL_E_MODEL;
    }
    return BL_OK;
}

/* angles that are not coordinates are known modulo full revolutions */
static bl_status find_angles(bl_mechanism *m, bl_system *sys) {
    BL_TRY(BL_ARENA_NEW(&m->arena, m->angle, (size_t)m->model->nvariable + 1));
    for (bl_index i = 0; i < m->model->nvariable; i++)
        if (m->model->variable[i].is_angle && m->gauge[i].entry < 0)
            m->angle[m->nangle++] = i;
    sys->angle = m->angle;
    sys->nangle = m->nangle;
    return BL_OK;
}

static void measure_tapes(bl_mechanism *m) {
    for (bl_index i = 0; i < m->model->nlaw; i++) {
        const bl_law *law = &m->model->law[i];
        size_t work = bl_tape_work(law->tape), series = bl_tape_series_work(law->tape, 2);
        work = work > series ? work : series;
        if (work > m->tape_work)
            m->tape_work = work;
        if (3 * law->ninput > m->tape_in)
            m->tape_in = 3 * law->ninput;
    }
}

/* squared[nrow]: squares of the gradients of linear and quadratic rows, fixed entities counted as if they moved */
static void squared_gradients(const bl_mechanism *m, double *squared) {
    for (bl_index k = 0; k < m->nlinear; k++) {
        bl_index entity = m->entry_entity[m->linear[k].entry];
        double part = m->linear[k].coef * (entity >= 0 && m->entity[entity].is_vector ? 1 : m->length);
        squared[m->linear[k].row] += entity >= 0 ? part * part : 0;
    }
    for (bl_index k = 0; k < m->nquad; k++) {
        double length[2] = {0, 0}, moves[2] = {0, 0}; /* of both directions, squared: a . db + b . da */
        const bl_index dir[2] = {m->quad[k].a, m->quad[k].b};
        for (int i = 0; i < 2; i++)
            for (int c = 0; c < m->dim; c++) {
                double value = 0;
                for (bl_index p = m->form_ptr[m->dim * dir[i] + c]; p < m->form_ptr[m->dim * dir[i] + c + 1]; p++) {
                    bl_index entity = m->entry_entity[m->form_entry[p]];
                    double part = m->form_coef[p] * (entity >= 0 && m->entity[entity].is_vector ? 1 : m->length);
                    value += m->form_coef[p] * m->x_start[m->form_entry[p]];
                    moves[i] += entity >= 0 ? part * part / m->dim : 0;
                }
                length[i] += value * value;
            }
        squared[m->quad[k].row] += m->quad[k].coef * m->quad[k].coef * (length[0] * moves[1] + length[1] * moves[0]);
    }
}

/* equations are scaled by their gradient in the model configuration, unless it is very small (system_limits.h) */
static bl_status scale_rows(bl_mechanism *m, bl_system *sys) {
    bl_eval e = {0};
    sys->row_size = m->length;
    double *zero = bl_alloc(m->ctx, (size_t)m->nfree + (size_t)m->nrow + 1, sizeof *zero), *squared = zero ? zero + m->nfree : NULL;
    bl_status status = zero ? bl_eval_create(sys, BL_G, &e) : BL_E_MEMORY;
    if (status == BL_OK) {
        e.q = m->x_start;
        e.v = zero;
        status = bl_mech_eval(sys, &e, BL_G);
    }
    if (status == BL_OK) {
        double *norm = m->row_norm;
        for (bl_index j = 0; j < m->nfree; j++)
            for (bl_index p = sys->pat_G.ptr[j]; p < sys->pat_G.ptr[j + 1]; p++)
                norm[sys->pat_G.idx[p]] += e.G[p] * e.G[p] * m->col[j].scale * m->col[j].scale;
        squared_gradients(m, squared);
        for (bl_index r = 0; r < m->nrow; r++) {
            norm[r] = sqrt(norm[r]);
            if (norm[r] < system_row_slight * sqrt(squared[r]))
                norm[r] = sqrt(squared[r]);
            if (norm[r] < system_row_nothing * m->length * fmin(1, m->length)) /* all points belong to one rigid group */
                norm[r] = m->length;
            /* in units of a coordinate: equations between points are lengths, equations between vectors and angles are numbers */
            m->row[r].scale = norm[r] > 0 ? norm[r] / m->length : 1;
            bl_index contact = m->contact ? m->contact_of_row[r] / 3 : -1;
            if (contact >= 0 && m->contact_of_row[r] >= 0 && m->model->contact[contact].touch) /* parts out of reach, as parallel edges */
                m->row[r].scale = fmin(m->row[r].scale, coords_contact_steep);
        }
        status = bl_loads_find_conservative(m, e.own);
    }
    for (bl_index l = 0; l < m->nload; l++)
        sys->power_of_u = sys->power_of_u || m->load[l].potential_varies;
    bl_eval_destroy(sys, &e);
    bl_free(m->ctx, zero);
    return status;
}

static uint32_t event_needs(const bl_mechanism *m) {
    uint32_t needs = m->model->nstop || m->switches.nevent ? BL_VARIABLES | BL_PROBES | BL_POSE : 0;
    for (bl_index c = 0; c < m->model->ncontact; c++)
        needs |= (m->contact[c].ends ? BL_POSE : 0) | (m->contact_product[c] < 0 ? BL_PHI : 0);
    return needs;
}

static bl_status build(bl_mechanism *m, bl_system *sys) {
    const bl_model *model = m->model;
    BL_TRY(collect_variables(m));
    BL_TRY(bl_loads_record(m));
    BL_TRY(bl_signal_laws_record(m));
    BL_TRY(bl_law_pieces_record(m));
    BL_TRY(want_variables(m));
    BL_TRY(bl_floating_plan(m));
    BL_TRY(bl_plan_entities(m));
    BL_TRY(bl_rows_build(m));
    BL_TRY(bl_loads_build(m));
    BL_TRY(bl_elastic_build(m));
    BL_TRY(bl_signal_laws_build(m, sys));
    BL_TRY(bl_pushes_build(m, sys));
    BL_TRY(bl_wrench_build(m));
    BL_TRY(bl_contact_rows_number(m, sys));
    BL_TRY(bl_compile(m, sys));
    BL_TRY(bl_contact_rows_build(m, sys));
    BL_TRY(find_angles(m, sys));
    measure_tapes(m);
    m->event_needs = event_needs(m);
    sys->nq = sys->nv = m->nfree;
    sys->np = m->nrow;
    sys->nbody = model->nbody;
    sys->njoint = bl_model_joints(model);
    sys->nvariable = model->nvariable;
    sys->nprobe = model->nprobe;
    sys->contact_event = model->nstop + m->switches.nevent;
    sys->nevent = sys->contact_event + bl_contact_events(model);
    sys->event = m->event;
    m->first_piece = model->nvariable + 4 * model->nbody + m->nfree;
    sys->history_bytes = sizeof(double) * ((size_t)m->first_piece + bl_switches_kept(&m->switches));
    sys->contact_at = m->contact_at = sys->history_bytes;
    sys->history_bytes += (size_t)model->ncontact * sizeof(bl_contact_state);
    sys->row = m->row;
    sys->col = m->col;
    sys->can = mechanism_kind.kind.gives;
    sys->facts = BL_FLAT | BL_M_CONST | BL_HISTORY | BL_REVOLUTIONS_ONLY | (model->ndriver ? BL_RHEONOMIC : 0) |
                 (m->nproduct ? 0 : BL_PHI_QUADRATIC);
    sys->nu = m->nheld;
    sys->held = m->held;
    sys->nsignal = m->nsignal;
    sys->nload = m->nnormal + m->ncontact_load;
    sys->load_open = m->normal_open;
    sys->facts |= (sys->nload ? BL_Q_OF_LAMBDA : 0) | (model->ncontact ? BL_INEQUALITIES : 0);
    for (bl_index r = 0; r < m->nrow; r++)
        sys->facts |= m->row[r].level == BL_AT_VELOCITY ? BL_VELOCITY_ROWS : 0;
    sys->zero = (m->nfloating ? 0 : BL_MA_X) | (sys->np ? 0 : BL_GTL_X | BL_GV_X);
    bool smooth = !m->switching && m->nnormal == 0 && (m->switches.nlaw == 0 || m->switches.analytic);
    for (bl_index k = 0; k < m->nheld; k++)
        smooth = smooth && !m->held[k].at; /* a curve without derivatives */
    for (bl_index i = 0; i < m->nproduct; i++)
        smooth = smooth && (!m->product[i].function || bl_function_row_analytic(m->product[i].function));
    bool follows = bl_model_driver_of_state(model, NULL) >= 0; /* phi of order k + 2 would need the states of that order */
    for (bl_index l = 0; l < m->nload; l++) {
        sys->facts |= (m->load[l].reads_velocity ? BL_Q_OF_V : 0) | (m->load[l].reads_time ? BL_Q_OF_T : 0);
    }
    bool elastic = m->nelastic > 0 || m->nfloating > 0;
    sys->facts |= (m->elastic_damped || m->nfloating ? BL_Q_OF_V : 0) | (elastic ? BL_FINE | BL_ELASTIC : 0);
    sys->facts &= m->nfloating ? ~(uint32_t)BL_M_CONST : ~(uint32_t)0;
    sys->facts |= smooth ? BL_SMOOTH : 0;
    sys->can |= smooth && !follows && !m->elastic_damped && m->elastic_series && m->nfloating == 0 ? BL_CAN_SERIES : 0;
    BL_TRY(BL_ARENA_NEW(&m->arena, m->row_norm, m->nrow));
    BL_TRY(scale_rows(m, sys));
    bool discrete = m->elastic_discrete && m->nfloating == 0;
    bool lossless = !m->elastic_damped && m->ncontact_rub == 0 && m->nheld == 0; /* but for bodies with shapes */
    for (bl_index l = 0; l < m->nload; l++) {
        discrete = discrete && m->load[l].discrete;
        lossless = lossless && m->load[l].conservative;
    }
    sys->can |= discrete ? BL_CAN_DISCRETE : 0;
    sys->facts |= lossless ? BL_POWER_OF_V : 0;
    BL_TRY(find_independent(m, sys));
    sys->independent = m->independent;
    sys->nindependent = m->nindependent;
    return BL_OK;
}

static bl_status mech_initial(const bl_system *sys, bl_state *state) {
    const bl_mechanism *m = bl_mech(sys);
    memcpy(state->q, m->x_start, (size_t)m->nfree * sizeof(double));
    memset(state->v, 0, (size_t)m->nfree * sizeof(double));
    *state->t = 0;
    *state->work = 0;
    double *history = (double *)(void *)state->history;
    memset(history, 0, sys->history_bytes);
    for (bl_index b = 0; b < sys->nbody; b++)
        history[sys->nvariable + 4 * b] = 1;
    /* variables that are coordinates start from the geometry */
    bl_eval e = {0};
    bl_status status = bl_mech_measure(sys, state, &e);
    if (status == BL_OK) {
        for (bl_index v = 0; v < sys->nvariable; v++) {
            if (m->gauge[v].entry >= 0)
                state->q[m->gauge[v].entry] = e.variable[v];
            history[v] = e.variable[v];
        }
        memcpy(history + sys->nvariable + 4 * sys->nbody, state->q, (size_t)m->nfree * sizeof(double));
    }
    bl_eval_destroy(sys, &e);
    return status;
}

static bl_status keep_held(bl_mechanism *m, const bl_held *held) {
    bl_held *own;
    BL_TRY(BL_ARENA_NEW(&m->arena, own, m->nheld));
    if (m->nheld)
        memcpy(own, held, (size_t)m->nheld * sizeof *own);
    m->held = own;
    return BL_OK;
}

bl_status bl_mech_build(bl_context *ctx, const bl_coords_choice *choice, bl_system **out) {
    BL_TRY(bl_system_create(ctx, &mechanism_kind, sizeof(bl_mechanism), out));
    bl_mechanism *m = (*out)->own;
    m->coords = &bl_coords_natural;
    m->ctx = m->arena.ctx = ctx;
    m->model = choice->model;
    m->dim = choice->model->dim;
    m->choice = choice;
    m->nheld = choice->nheld;
    m->mixed = choice->mixed;
    m->switching = choice->switching;
    bl_status status = keep_held(m, choice->held);
    if (status == BL_OK)
        status = build(m, *out);
    m->choice = NULL;
    return bl_system_made(status, out);
}

/* ---- natural and mixed */

enum { ANGLE, INDEPENDENT }; /* parameters */

static bl_status choose_natural(bl_context *ctx, const bl_value *value, bl_coords_choice *choice, bl_body_choice *body) {
    (void)ctx, (void)body;
    choice->switching = value[ANGLE].number == 1;
    return BL_OK;
}

static bl_status choose_mixed(bl_context *ctx, const bl_value *value, bl_coords_choice *choice, bl_body_choice *body) {
    choice->mixed = true;
    choice->inputs = value[INDEPENDENT].number == 1;
    return choose_natural(ctx, value, choice, body);
}

static const bl_kind body_natural = {"natural", "points and unit vectors, shared with other natural bodies", NULL, 0, 0};

const bl_coords_kind bl_coords_natural = {
    .kind = {"natural", "points and unit vectors shared between bodies; variables only if forces or drivers need them", params, 0,
             BL_CAN_MASS | BL_CAN_TANGENT | BL_CAN_ENERGY},
    .bodies = BL_COORDS_NATURAL,
    .of_body = &body_natural,
    .choose = choose_natural,
    .build = bl_mech_build,
    .price = bl_natural_price,
    .initial = mech_initial,
    .set_positions = bl_mech_set_positions,
    .set_velocities = bl_mech_set_velocities,
    .can_write = bl_mech_can_write,
    .write = bl_mech_write,
};

const bl_coords_kind bl_coords_mixed = {
    .kind = {"mixed", "natural, plus the variables that are measured or requested as independent", mixed_params, 0,
             BL_CAN_MASS | BL_CAN_TANGENT | BL_CAN_ENERGY},
    .bodies = BL_COORDS_NATURAL,
    .choose = choose_mixed,
    .build = bl_mech_build, /* its systems are those of natural coordinates */
    .price = bl_natural_price,
};

/* ---- by name */

#define BL_KIND(name) &bl_coords_##name,
const bl_coords_kind *const bl_coords_kinds[] = {
#include "coords/coords_list.h"
};
#undef BL_KIND
const size_t bl_coords_kind_count = sizeof bl_coords_kinds / sizeof *bl_coords_kinds;

bl_status bl_coords_build(bl_context *ctx, const bl_model *model, const char *spec, bl_system **out) {
    return bl_coords_build_held(ctx, model, spec, NULL, 0, out);
}

bl_status bl_coords_build_held(bl_context *ctx, const bl_model *model, const char *spec, const bl_held *held, bl_index nheld,
                               bl_system **out) {
    return bl_coords_build_signals(ctx, model, spec, held, nheld, NULL, 0, out);
}

bl_status bl_coords_build_signals(bl_context *ctx, const bl_model *model, const char *spec, const bl_held *held, bl_index nheld,
                                  const bl_index *signal, bl_index nsignal, bl_system **out) {
    *out = NULL;
    if (!spec)
        spec = model->settings.coordinates ? model->settings.coordinates : "natural";
    bl_coords_choice choice;
    bl_status status = bl_coords_choose(ctx, model, spec, &choice);
    choice.held = held;
    choice.nheld = nheld;
    choice.signal = signal;
    choice.nsignal = nsignal;
    const bl_coords_kind *builder = &bl_coords_natural;
    for (size_t k = 0; k < bl_coords_kind_count; k++)
        if (choice.count[bl_coords_kinds[k]->bodies] > 0)
            builder = bl_coords_kinds[k];
    if (status == BL_OK)
        status = builder->build(ctx, &choice, out);
    if (status == BL_OK) {
        bl_coords_count(model, &(*out)->size);
        choice.kind->price(&(*out)->size);
    }
    bl_coords_choice_free(&choice);
    return status;
}

static const bl_coords_kind *kind_of(const bl_system *sys) { return *(const bl_coords_kind *const *)sys->own; }

bl_status bl_coords_initial(const bl_system *sys, bl_state *state) { return kind_of(sys)->initial(sys, state); }

bl_status bl_coords_set_positions(const bl_system *sys, const bl_body_states *at, bl_state *state) {
    return kind_of(sys)->set_positions(sys, at, state);
}

bl_status bl_coords_set_velocities(const bl_system *sys, const bl_body_states *at, bl_state *state) {
    return kind_of(sys)->set_velocities(sys, at, state);
}

bl_index bl_coords_can_write(const bl_system *sys, const uint8_t *chosen) {
    bl_index none = 1;
    if (kind_of(sys)->can_write)
        return kind_of(sys)->can_write(sys, chosen);
    while (none < sys->nbody && !chosen[none])
        none++;
    return none < sys->nbody ? none : -1;
}

void bl_coords_write(const bl_system *sys, const uint8_t *chosen, const bl_pose *pose, const double *angle, double *q, double *v) {
    kind_of(sys)->write(sys, chosen, pose, angle, q, v);
}
