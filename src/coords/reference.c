/* Build: mass centers and orientations, derived from a mechanism whose bodies share no entities. */
#include "coords/reference.h"
#include "coords/coords_limits.h"

#include "coords/derived_coords.h"
#include "sparse/sparse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const bl_param params[] = {
    {"orientation", BL_P_CHOICE, 0, 0, "quaternion|matrix|angles", NULL,
     "in space: unit quaternions (four parameters, one constraint equation), the rotation matrix (nine, six) or angles (three, none); in "
     "the plane always one angle"},
    {"sequence", BL_P_CHOICE, 0, 0, "xyz|xzy|yxz|yzx|zxy|zyx|xyx|xzx|yxy|yzy|zxz|zyz", NULL,
     "of angles: body axes of the three successive rotations; all different: Cardan angles, first axis again: Euler angles"},
    {"view", BL_P_CHOICE, 0, 0, "redundant|tangent", NULL,
     "of quaternion and matrix: velocities are rates of the parameters, with constraint equations, or angular velocities (six velocities "
     "per body, no constraint equations, constant mass matrix)"},
    {0},
};

/* ---- the system kind */

static bl_status work_create(const bl_system *sys, bl_eval *e) {
    const bl_reference_system *r = bl_ref(sys);
    bl_reference_work *w;
    BL_TRY(BL_NEW(sys->ctx, w, 1));
    e->own = w;
    bl_index n = r->on.inner->nv;
    BL_TRY(bl_eval_create(r->on.inner, 0, &w->inner));
    return BL_NEW_ARRAYS(sys->ctx, w->block, BL_ARRAY(w->x, n), BL_ARRAY(w->xd, n), BL_ARRAY(w->xdd, n), BL_ARRAY(w->Q_x, n),
                         BL_ARRAY(w->X, r->nslope), BL_ARRAY(w->V, r->nslope), BL_ARRAY(w->bias, r->nbody * r->naxis),
                         BL_ARRAY(w->expected, sys->nvariable), BL_ARRAY(w->turning, r->nbody));
}

static void work_destroy(const bl_system *sys, bl_eval *e) {
    bl_reference_work *w = e->own;
    if (!w)
        return;
    bl_eval_destroy(bl_ref(sys)->on.inner, &w->inner);
    bl_free(sys->ctx, w->block);
    bl_free(sys->ctx, w);
    e->own = NULL;
}

/* the body of a column or row, by bisection: bodies are in order */
static const bl_oriented *body_at(const bl_reference_system *r, bl_index at, bool row) {
    bl_index low = 0, high = r->nbody;
    while (high - low > 1) {
        bl_index middle = low + (high - low) / 2;
        *((row ? r->body[middle].row : r->body[middle].col) <= at ? &low : &high) = middle;
    }
    return &r->body[low];
}

static void row_name(const bl_system *sys, bl_index row, char *part, size_t npart, char *equation, size_t nequation) {
    const bl_reference_system *r = bl_ref(sys);
    if (row < r->on.inner->np) {
        bl_system_row_name(r->on.inner, row, part, npart, equation, nequation);
        return;
    }
    snprintf(part, npart, "body '%s'", r->on.m->model->body[r->on.row[row].owner].name);
    snprintf(equation, nequation, "%s", body_at(r, row, true)->kind->row_names[r->on.row[row].part]);
}

static void col_name(const bl_system *sys, bl_index c, char *name, size_t nname) {
    const bl_reference_system *r = bl_ref(sys);
    const bl_col *col = &r->on.col[c];
    if (c >= r->nbody_v)
        bl_system_col_name(r->on.inner, r->inner_col[c], name, nname);
    else if (col->part < r->on.m->dim)
        snprintf(name, nname, "%s.%c", r->on.m->model->body[col->owner].name, "xyz"[col->part]);
    else
        snprintf(name, nname, "%s.%s", r->on.m->model->body[col->owner].name, body_at(r, c, false)->kind->names[col->part - r->on.m->dim]);
}

/* when parameters come near their limits all rotations are absorbed into C; the spin is kept. E at the start is orthogonal. */
static bl_status reset_parameters(const bl_system *sys, bl_state *state) {
    const bl_reference_system *r = bl_ref(sys);
    const bl_oriented *end = r->body + r->nbody;
    bool reset = false;
    for (const bl_oriented *b = r->body; b < end && r->nkept > 0; b++)
        reset = reset || (b->kept >= 0 && b->kind->room(b->kind, state->q + b->o_q) < coords_room_left);
    for (const bl_oriented *b = r->body; reset && b < end; b++) {
        if (b->kept < 0)
            continue;
        double *o = state->q + b->o_q, *v = state->v + b->o, E[9], w[3] = {0}, axes[9], C[9];
        double *kept = (double *)(void *)(state->history + r->on.inner_history) + 9 * b->kept;
        bl_orientation_spin(b->kind, o, E);
        for (int k = 0; k < 9; k++)
            w[k / 3] += E[k] * v[k % 3];
        bl_orientation_axes(b->kind, o, axes);
        bl_orientation_rotate(kept, 3, axes);
        memcpy(C, b->used->kept, sizeof C);
        bl_orientation_rotate(axes, 3, C); /* C r(start) = the present axes */
        bl_orientation_orthonormalize(C);
        memcpy(kept, C, sizeof C);
        memcpy(o, b->used->start, 3 * sizeof *o);
        bl_orientation_spin(b->kind, o, E);
        memset(v, 0, 3 * sizeof *v);
        for (int k = 0; k < 9; k++)
            v[k % 3] += E[k] * w[k / 3];
    }
    return reset ? BL_RESTART : BL_OK;
}

/* the mechanism updates revolutions and signs from x */
static bl_status reference_accept(const bl_system *sys, bl_eval *e, bl_state *state) {
    const bl_reference_system *r = bl_ref(sys);
    bl_reference_work *w = e->own;
    bl_state inner = *state;
    if (!e->unseen) {
        bl_reference_move_to(sys, e);
        inner.q = w->x;
    }
    if (!e->unseen && bl_mech_has_turned(r->on.inner, &inner)) {
        BL_TRY(bl_system_eval(sys, e, BL_POSE));
        BL_TRY(r->on.inner->kind->accept(r->on.inner, &w->inner, &inner));
    }
    bl_reference_normalize(sys, state->q);
    return reset_parameters(sys, state);
}

static void reference_destroy(bl_system *sys) {
    bl_reference_system *r = sys->own;
    bl_free(sys->ctx, r->G_slot);
    bl_free(sys->ctx, r->K_slot);
    bl_free(sys->ctx, r->M_slot);
    bl_derived_destroy(sys);
}

static const bl_system_kind reference_kind = {
    .kind = {"reference", "rigid bodies by mass center and orientation", NULL, 0, BL_CAN_MASS | BL_CAN_TANGENT | BL_CAN_ENERGY},
    .eval = bl_reference_eval,
    .retract = bl_reference_retract,
    .local = bl_reference_local,
    .accept = reference_accept,
    .turning = bl_reference_turning,
    .eval_create = work_create,
    .eval_room = bl_derived_room,
    .eval_destroy = work_destroy,
    .hold = bl_derived_hold,
    .next_time = bl_derived_next_time,
    .jump = bl_derived_jump,
    .blend = bl_derived_blend,
    .event_name = bl_derived_event_name,
    .row_name = row_name,
    .col_name = col_name,
    .load_name = bl_derived_load_name,
    .destroy = reference_destroy,
};

/* ---- columns */

/* the only parameter on which component k of the axes depends; -1: several */
static int only_parameter(const bl_orientation *kind, bl_index k) {
    int only = -1;
    for (const bl_bilinear *t = kind->axes; t && t->coef != 0; t++)
        if (t->k == k) {
            if (t->b >= 0 || only >= 0)
                return -1;
            only = t->a;
        }
    return only;
}

static bl_status find_sources(bl_reference_system *r) {
    const bl_mechanism *m = r->on.m;
    bl_index nx = r->on.inner->nv;
    bl_index *axes;
    BL_TRY(BL_ARENA_ARRAYS(&r->on.arena, BL_ARRAY(r->source, nx), BL_ARRAY(r->on.copy, nx), BL_ARRAY(axes, r->nbody * r->naxis)));
    for (bl_index j = 0; j < nx; j++)
        r->source[j].col = -1;
    for (bl_index i = 0; i < r->nbody; i++) {
        bl_oriented *b = &r->body[i];
        const bl_basis *basis = &m->basis[b->body];
        bl_index center = m->entity[m->seat[basis->origin].entity].base, n = b->kind->n;
        b->axes = axes + i * r->naxis;
        for (int k = 0; k < m->dim; k++)
            r->source[center + k] = (bl_source){.col = b->col + k, .q = b->q + k, .body = -1, .n = 1};
        for (bl_index k = 0; k < r->naxis; k++) {
            b->axes[k] = m->entity[m->seat[basis->seat[k / m->dim]].entity].base + k % m->dim;
            int only = only_parameter(b->kind, k), first = only < 0 ? 0 : only;
            r->source[b->axes[k]] =
                (bl_source){.col = b->o + first, .body = i, .part = k, .n = only < 0 ? n : 1, .slope = b->slope + k * n + first};
        }
    }
    bl_index next = 0; /* copied columns, in the mechanism's order */
    for (bl_index j = 0; j < nx; j++)
        if (r->source[j].col < 0) {
            r->source[j] = (bl_source){.col = r->nbody_v + next, .q = r->nbody_q + next, .body = -1, .n = 1};
            next++;
        }
    for (bl_index j = 0; j < nx; j++)
        if (r->source[j].body < 0)
            r->on.copy[r->on.ncopy++] = (struct bl_copy){.inner = j, .q = r->source[j].q, .v = r->source[j].col};
    return BL_OK;
}

static bl_status describe(bl_reference_system *r, bl_system *sys) {
    const bl_mechanism *m = r->on.m;
    BL_TRY(BL_ARENA_ARRAYS(&r->on.arena, BL_ARRAY(r->on.row, sys->np), BL_ARRAY(r->on.col, sys->nv), BL_ARRAY(r->inner_col, sys->nv)));
    if (r->on.inner->np > 0)
        memcpy(r->on.row, r->on.inner->row, (size_t)r->on.inner->np * sizeof *r->on.row);
    for (bl_index j = 0; j < r->on.inner->nv; j++) {
        r->on.col[r->source[j].col] = r->on.inner->col[j];
        r->inner_col[r->source[j].col] = j;
    }
    for (const bl_oriented *b = r->body; b < r->body + r->nbody; b++) {
        for (int k = 0; k < b->kind->nrow; k++)
            r->on.row[b->row + k] =
                (bl_row){.what = BL_ROW_PARAM, .law = BL_LAW_EQUAL, .part = (uint8_t)k, .owner = b->body, .partner = -1, .scale = 1};
        for (int k = 0; k < m->dim + b->kind->n; k++)
            r->on.col[b->col + k] = (bl_col){.what = k < m->dim           ? BL_COL_POINT
                                                     : b->kind->nrow == 0 ? BL_COL_ANGLE
                                                                          : BL_COL_VECTOR,
                                             .order = 2,
                                             .part = (uint8_t)k,
                                             .owner = b->body,
                                             .bundle = m->nentity + b->body + 1,
                                             .scale = k < m->dim ? m->length : 1};
    }
    return BL_OK;
}

/* ---- patterns: every inner entry contributes to its column, or to all parameters of a body */

static bl_status collect_G(bl_reference_system *r, bl_pairs *p) {
    const bl_pattern *pat = &r->on.inner->pat_G;
    for (bl_index j = 0; j < r->on.inner->nv; j++)
        for (bl_index k = pat->ptr[j]; k < pat->ptr[j + 1]; k++) {
            r->G_ptr[k] = p->n;
            for (bl_index i = 0; i < r->source[j].n; i++)
                BL_TRY(bl_pairs_add(p, pat->idx[k], r->source[j].col + i));
        }
    for (const bl_oriented *b = r->body; b < r->body + r->nbody; b++)
        for (int k = 0; k < b->kind->nrow; k++)
            for (int i = 0; i < b->kind->n; i++)
                BL_TRY(bl_pairs_add(p, b->row + k, b->o + i));
    return BL_OK;
}

/* a full block of the parameters of a body */
static bl_status collect_block(const bl_oriented *b, bl_pairs *p) {
    for (int i = 0; i < b->kind->n; i++)
        for (int j = 0; j < b->kind->n; j++)
            BL_TRY(bl_pairs_add(p, b->o + i, b->o + j));
    return BL_OK;
}

static bl_status collect_K(bl_reference_system *r, bl_pairs *p) {
    const bl_pattern *pat = &r->on.inner->pat_K;
    for (bl_index j = 0; j < r->on.inner->nv; j++)
        for (bl_index k = pat->ptr[j]; k < pat->ptr[j + 1]; k++) {
            const bl_source *left = &r->source[pat->idx[k]], *right = &r->source[j];
            r->K_ptr[k] = p->n;
            for (bl_index a = 0; a < left->n; a++)
                for (bl_index b = 0; b < right->n; b++)
                    BL_TRY(bl_pairs_add(p, left->col + a, right->col + b));
        }
    for (const bl_oriented *b = r->body; b < r->body + r->nbody; b++)
        BL_TRY(collect_block(b, p));
    return BL_OK;
}

static bool is_copied(const bl_reference_system *r, bl_index inner) {
    return r->source[inner].body < 0 && r->source[inner].col >= r->nbody_v;
}

static bl_status collect_M(bl_reference_system *r, bl_pairs *p) {
    for (const bl_oriented *b = r->body; b < r->body + r->nbody; b++) {
        for (int k = 0; k < r->on.m->dim; k++)
            BL_TRY(bl_pairs_add(p, b->col + k, b->col + k));
        BL_TRY(collect_block(b, p));
    }
    const bl_pattern *pat = &r->on.inner->pat_M;
    for (bl_index j = 0; j < r->on.inner->nv; j++)
        for (bl_index k = pat->ptr[j]; k < pat->ptr[j + 1]; k++)
            if (is_copied(r, j))
                BL_TRY(bl_pairs_add(p, r->source[pat->idx[k]].col, r->source[j].col));
    return BL_OK;
}

static bl_status build_pattern(bl_reference_system *r, bl_status (*collect)(bl_reference_system *, bl_pairs *), bl_index nrow,
                               bl_index ncol, bl_pattern *pattern, bl_index **slot) {
    bl_pairs p = {.ctx = r->on.arena.ctx};
    bl_status status = collect(r, &p);
    if (status == BL_OK)
        status = bl_pairs_build(&p, nrow, ncol, pattern, slot);
    bl_pairs_free(&p);
    return status;
}

static bl_status build_patterns(bl_reference_system *r, bl_system *sys) {
    bl_index nG = r->on.inner->pat_G.ptr[r->on.inner->nv], nK = r->on.inner->pat_K.ptr[r->on.inner->nv], n = sys->nv;
    bl_index nM = r->on.inner->pat_M.ptr[r->on.inner->nv];
    BL_TRY(BL_ARENA_ARRAYS(&r->on.arena, BL_ARRAY(r->G_ptr, nG), BL_ARRAY(r->K_ptr, nK), BL_ARRAY(r->copied_slot, nM)));
    BL_TRY(build_pattern(r, collect_G, sys->np, n, &sys->pat_G, &r->G_slot));
    BL_TRY(build_pattern(r, collect_K, n, n, &sys->pat_K, &r->K_slot));
    BL_TRY(build_pattern(r, collect_M, n, n, &sys->pat_M, &r->M_slot));
    sys->pat_C = sys->pat_K;
    /* blocks of bodies: first in M, after the products in G and K */
    bl_index *M_slot = r->M_slot, *G_slot = r->G_slot, *K_slot = r->K_slot;
    const bl_pattern *pat = &r->on.inner->pat_K;
    for (bl_index j = 0; j < r->on.inner->nv; j++) {
        G_slot += (r->on.inner->pat_G.ptr[j + 1] - r->on.inner->pat_G.ptr[j]) * r->source[j].n;
        for (bl_index k = pat->ptr[j]; k < pat->ptr[j + 1]; k++)
            K_slot += r->source[j].n * r->source[pat->idx[k]].n;
    }
    for (bl_oriented *b = r->body; b < r->body + r->nbody; b++) {
        int np = b->kind->n;
        b->M_slot = M_slot;
        b->K_slot = K_slot;
        b->row_slot = G_slot;
        M_slot += r->on.m->dim + np * np;
        K_slot += np * np;
        G_slot += b->kind->nrow * np;
    }
    for (bl_index j = 0; j < r->on.inner->nv; j++)
        for (bl_index k = r->on.inner->pat_M.ptr[j]; k < r->on.inner->pat_M.ptr[j + 1]; k++)
            r->copied_slot[k] = is_copied(r, j) ? *M_slot++ : -1;
    return BL_OK;
}

static bl_status signal_columns(const bl_system *sys, bl_index inner, bl_status (*visit)(void *, bl_index), void *user) {
    const bl_source *from = &bl_ref(sys)->source[inner];
    for (bl_index i = 0; i < from->n; i++)
        BL_TRY(visit(user, from->col + i));
    return BL_OK;
}

/* ---- initial state and orientations */

static bl_status reference_initial(const bl_system *sys, bl_state *state) {
    const bl_reference_system *r = bl_ref(sys);
    BL_TRY(bl_derived_initial(sys, state));
    for (const bl_oriented *b = r->body; b < r->body + r->nbody; b++) {
        memcpy(state->q + b->o_q, b->used->start, (size_t)bl_orientation_stored(b->kind) * sizeof(double));
        if (b->kept >= 0)
            memcpy(state->history + r->on.inner_history + (size_t)b->kept * sizeof b->used->kept, b->used->kept, sizeof b->used->kept);
    }
    return BL_OK;
}

/* the requested orientation, created once */
static bl_status find_orientation(bl_reference_system *r, const bl_body_choice *asked, bl_index *out) {
    const bl_orientation *kind = asked->orientation;
    const char *sequence = asked->sequence ? asked->sequence : kind->sequence;
    for (*out = 0; *out < r->nused; ++*out) {
        const bl_orientation *has = &r->used[*out].kind;
        if (has->names == kind->names && has->axes_of == kind->axes_of && (!sequence || strcmp(has->sequence, sequence) == 0))
            return BL_OK;
    }
    bl_used_orientation *used = &r->used[r->nused++];
    used->kind = *kind;
    if (sequence && !(used->kind.sequence = bl_arena_text(&r->on.arena, sequence, strlen(sequence))))
        return BL_E_MEMORY;
    if (kind->start)
        memcpy(used->start, kind->start, (size_t)bl_orientation_stored(kind) * sizeof(double));
    if (!kind->room)
        return BL_OK;
    double axes[9];
    kind->start_of(&used->kind, used->start);
    bl_orientation_axes(&used->kind, used->start, axes);
    for (int k = 0; k < 9; k++)
        used->kept[k] = axes[3 * (k % 3) + k / 3];
    return BL_OK;
}

enum { MOST_USED = 4 + 12 + 1 }; /* every sequence of angles, and every view of the others, is one */

/* bodies with axes, and their data */
static bl_status find_bodies(bl_reference_system *r, const bl_coords_choice *choice) {
    const bl_model *model = r->on.m->model;
    BL_TRY(BL_ARENA_ARRAYS(&r->on.arena, BL_ARRAY(r->body, model->nbody), BL_ARRAY(r->used, MOST_USED)));
    r->naxis = model->dim == 2 ? 2 : 9;
    bl_index row = r->on.inner->np;
    for (bl_index i = 1; i < model->nbody; i++) {
        bl_index used;
        if (!r->on.m->framed[i])
            continue;
        BL_TRY(find_orientation(r, &choice->body[i], &used));
        const bl_orientation *kind = &r->used[used].kind;
        r->body[r->nbody++] = (bl_oriented){.kind = kind,
                                            .used = &r->used[used],
                                            .body = i,
                                            .col = r->nbody_v,
                                            .o = r->nbody_v + model->dim,
                                            .q = r->nbody_q,
                                            .o_q = r->nbody_q + model->dim,
                                            .row = row,
                                            .slope = r->nslope,
                                            .kept = kind->room ? r->nkept++ : -1};
        r->nbody_v += model->dim + kind->n;
        r->nbody_q += model->dim + bl_orientation_stored(kind);
        r->nslope += r->naxis * kind->n;
        row += kind->nrow;
    }
    return BL_OK;
}

/* in the plane the angle of a body is a coordinate and counts revolutions itself */
static bl_status count_angles(bl_reference_system *r, bl_system *sys) {
    bl_index *psi_of;
    bool *done;
    BL_TRY(BL_ARENA_ARRAYS(&r->on.arena, BL_ARRAY(psi_of, sys->nbody), BL_ARRAY(done, sys->nvariable),
                           BL_ARRAY(r->on.counted, sys->nvariable)));
    for (bl_index i = 0; i < sys->nbody; i++)
        psi_of[i] = i == 0 ? -1 : -2;
    for (const bl_oriented *b = r->body; b < r->body + r->nbody && r->on.m->dim == 2; b++)
        psi_of[b->body] = b->o_q;
    return bl_derived_count(sys, psi_of, done, r->on.counted, &r->on.ncounted);
}

static bl_status build(bl_system *sys, const bl_coords_choice *choice) {
    const bl_model *model = choice->model;
    bl_reference_system *r = sys->own;
    BL_TRY(bl_derived_build(sys, &bl_coords_reference, choice));
    BL_TRY(find_bodies(r, choice));
    sys->np = r->on.inner->np;
    for (const bl_oriented *b = r->body; b < r->body + r->nbody; b++)
        sys->np += b->kind->nrow;
    sys->nv = r->on.inner->nv - r->nbody * (model->dim + r->naxis) + r->nbody_v;
    sys->nq = sys->nv - r->nbody_v + r->nbody_q;
    sys->history_bytes = r->on.inner_history + (size_t)r->nkept * sizeof r->used->kept;
    sys->can = reference_kind.kind.gives;
    bool curved = sys->nq > sys->nv, constant = true;
    for (const bl_oriented *b = r->body; b < r->body + r->nbody; b++)
        constant = constant && (b->kind->n == 1 || b->kind->rate);
    sys->can |= curved ? BL_CAN_LOCAL : 0;
    sys->facts = (r->on.inner->facts & ~(uint32_t)(BL_M_CONST | BL_PHI_QUADRATIC | BL_POWER_OF_V | (curved ? BL_FLAT : 0))) |
                 (model->dim == 3 ? BL_Q_OF_V : 0) | (constant && r->on.m->nfloating == 0 ? BL_M_CONST : 0);
    BL_TRY(find_sources(r));
    BL_TRY(describe(r, sys));
    sys->row = r->on.row;
    sys->col = r->on.col;
    BL_TRY(build_patterns(r, sys));
    BL_TRY(bl_derived_signals(sys, signal_columns));
    if (curved)
        BL_TRY(bl_reference_tangent_build(r, sys));
    BL_TRY(count_angles(r, sys));
    return bl_derived_finish(sys);
}

static bl_status reference_build(bl_context *ctx, const bl_coords_choice *choice, bl_system **out) {
    BL_TRY(bl_system_create(ctx, &reference_kind, sizeof(bl_reference_system), out));
    return bl_system_made(build(*out, choice), out);
}

/* ---- the kind of coordinates */

enum { ORIENTATION, SEQUENCE, VIEW }; /* parameters */

static bl_status choose_orientation(bl_context *ctx, const bl_value *value, bl_coords_choice *choice, bl_body_choice *c) {
    if (choice->model->dim == 2) { /* one angle, whatever the orientation in space */
        c->orientation = &bl_orientation_angle;
        return BL_OK;
    }
    c->chosen = value[ORIENTATION].given || value[SEQUENCE].given || value[VIEW].given;
    c->orientation = bl_orientation_named(value[ORIENTATION].text);
    c->sequence = value[SEQUENCE].given ? value[SEQUENCE].text : NULL;
    if (c->sequence && !c->orientation->sequence) {
        bl_fail(ctx, BL_E_ARG, NULL, "reference: sequence applies to angles, not to orientation %s", c->orientation->name);
        bl_advise(ctx, "use reference:angles,sequence=%s", c->sequence);
        return BL_E_ARG;
    }
    if (value[VIEW].number != 1)
        return BL_OK;
    if (!c->orientation->tangent) {
        bl_fail(ctx, BL_E_ARG, NULL, "reference: orientation %s has no tangent view, because its parameters are not redundant",
                c->orientation->name);
        bl_advise(ctx, "use reference:quaternion,view=tangent");
        return BL_E_ARG;
    }
    c->orientation = c->orientation->tangent;
    return BL_OK;
}

const bl_coords_kind bl_coords_reference = {
    .kind = {"reference", "mass center and orientation of every body; all joints as equations", params, 0,
             BL_CAN_MASS | BL_CAN_TANGENT | BL_CAN_ENERGY},
    .bodies = BL_COORDS_REFERENCE,
    .of_body = &bl_coords_reference.kind,
    .choose = choose_orientation,
    .build = reference_build,
    .price = bl_reference_price,
    .initial = reference_initial,
    .set_positions = bl_reference_set_positions,
    .set_velocities = bl_reference_set_velocities,
    .can_write = bl_reference_can_write,
    .write = bl_reference_write,
};
