/* Build: a spanning tree of joints, derived from a mechanism whose bodies share no entities. */
#include "coords/relative.h"
#include "coords/coords_limits.h"

#include "base/vector3.h"
#include "coords/derived_coords.h"
#include "sparse/sparse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the system kind */

static bl_status work_create(const bl_system *sys, bl_eval *e) {
    const bl_tree *t = bl_tree_of(sys);
    bl_tree_work *w;
    BL_TRY(BL_NEW(sys->ctx, w, 1));
    e->own = w;
    bl_index n = t->on.inner->nv;
    BL_TRY(bl_eval_create(t->on.inner, 0, &w->inner));
    BL_TRY(BL_NEW_ARRAYS(sys->ctx, w->block, BL_ARRAY(w->x, n), BL_ARRAY(w->xd, n), BL_ARRAY(w->xdd, n), BL_ARRAY(w->Q_x, n),
                         BL_ARRAY(w->lambda, t->on.inner->np), BL_ARRAY(w->D, t->ntree), BL_ARRAY(w->u, t->ntree),
                         BL_ARRAY(w->lost, t->ntree), BL_ARRAY(w->Q, sys->nv), BL_ARRAY(w->expected, sys->nvariable),
                         BL_ARRAY(w->psi, t->nlink), BL_ARRAY(w->now, t->nlink), BL_ARRAY(w->S, t->ntree), BL_ARRAY(w->U, t->ntree),
                         BL_ARRAY(w->ball, t->nball)));
    BL_TRY(bl_tree_fast_create(t, &w->fast));
    for (bl_index i = 0; i < t->nlink; i++)
        w->now[i].m = t->on.m->model->body[t->link[i].body].mass;
    return BL_OK;
}

static bl_status work_room(const bl_system *sys, bl_eval *e, uint32_t fresh) {
    bl_tree_work *w = e->own;
    BL_TRY(bl_derived_room(sys, e, fresh));
    if (!(fresh & (BL_STAGE | (sys->nsignal ? BL_SIGNAL_X : 0))) || w->tangent)
        return BL_OK;
    bl_status status = bl_tree_tangent_create(sys, w);
    if (status != BL_OK)
        bl_tree_tangent_destroy(sys, w);
    return status;
}

static void work_destroy(const bl_system *sys, bl_eval *e) {
    bl_tree_work *w = e->own;
    if (!w)
        return;
    bl_eval_destroy(bl_tree_of(sys)->on.inner, &w->inner);
    bl_tree_tangent_destroy(sys, w);
    bl_tree_fast_destroy(bl_tree_of(sys), &w->fast);
    bl_free(sys->ctx, w->block);
    bl_free(sys->ctx, w);
    e->own = NULL;
}

static void row_name(const bl_system *sys, bl_index row, char *part, size_t npart, char *equation, size_t nequation) {
    const bl_tree *t = bl_tree_of(sys);
    bl_system_row_name(t->on.inner, t->inner_row[row], part, npart, equation, nequation);
}

static void col_name(const bl_system *sys, bl_index c, char *name, size_t nname) {
    const bl_tree *t = bl_tree_of(sys);
    const bl_model *model = t->on.m->model;
    if (c >= t->ntree) {
        bl_system_col_name(t->on.inner, t->on.copy[c - t->ntree].inner, name, nname);
        return;
    }
    const bl_tree_axis *axis = &t->axis[t->axis_of[c]];
    const bl_link *link = &t->link[axis->link];
    const char *owner = link->joint >= 0 ? model->joint[link->joint].name : model->body[link->body].name;
    if (axis->var >= 0)
        snprintf(name, nname, "%s", model->variable[axis->var].name);
    else if (axis->what == BL_BALL)
        snprintf(name, nname, "%s.turn_%c", owner, "xyz"[c - axis->col]);
    else
        snprintf(name, nname, "%s.%s_%d", owner, axis->what == BL_TURN ? "turn" : "slide", (int)(axis - t->axis - link->first) + 1);
}

static void relative_destroy(bl_system *sys) {
    bl_tree *t = sys->own;
    bl_tree_tangent_free(t, sys);
    bl_free(sys->ctx, t->into);
    bl_free(sys->ctx, t->M_slot);
    bl_free(sys->ctx, t->response_ptr);
    bl_derived_destroy(sys);
}

static bl_status apply(const bl_system *sys, bl_eval *e, bl_op op, bl_index nrhs, const double *x, double *y) {
    size_t nv = (size_t)sys->nv;
    switch (op) {
    case BL_OP_MINV:
        bl_tree_positions(sys, e);
        BL_TRY(bl_tree_articulate(sys, e->own));
        for (bl_index k = 0; k < nrhs; k++)
            bl_tree_solve(sys, e->own, x + (size_t)k * nv, y + (size_t)k * nv);
        return BL_OK;
    case BL_OP_M:
        bl_tree_positions(sys, e);
        for (bl_index k = 0; k < nrhs; k++)
            bl_tree_multiply(sys, e->own, x + (size_t)k * nv, y + (size_t)k * nv);
        return BL_OK;
    case BL_OP_T:
    case BL_OP_TT: memmove(y, x, nv * (size_t)nrhs * sizeof *y); return BL_OK;
    case BL_OP_G:
    case BL_OP_GT:
        BL_TRY(bl_system_eval(sys, e, BL_G));
        for (bl_index k = 0; k < nrhs; k++) {
            bool back = op == BL_OP_GT;
            size_t in = back ? (size_t)sys->np : nv, out = back ? nv : (size_t)sys->np;
            memset(y + (size_t)k * out, 0, out * sizeof *y);
            (back ? bl_csc_multiply_transposed : bl_csc_multiply)(&sys->pat_G, e->G, x + (size_t)k * in, y + (size_t)k * out);
        }
        return BL_OK;
    default: break; /* K, C */
    }
    BL_TRY(bl_system_eval(sys, e, BL_KC));
    memset(y, 0, nv * (size_t)nrhs * sizeof *y);
    for (bl_index k = 0; k < nrhs; k++)
        bl_csc_multiply(&sys->pat_K, op == BL_OP_K ? e->K : e->C, x + (size_t)k * nv, y + (size_t)k * nv);
    return BL_OK;
}

static bl_status relative_demand(const bl_system *sys, bl_eval *e, const double *a, double *force) {
    return bl_tree_fast_demand(sys, e, a, force) ? BL_OK : BL_AGAIN;
}

/* M and K of a chain are full: they are built only when requested */
static bl_status relative_patterns(const bl_system *sys, uint32_t uses) {
    bl_tree *t = sys->own;
    bl_system *mine = t->sys;
    bl_status status = BL_OK;
    if ((uses & BL_M) && !sys->pat_M.ptr) {
        status = bl_tree_mass_build(t, mine);
        if (status != BL_OK) {
            bl_pattern_free(sys->ctx, &mine->pat_M);
            bl_free(sys->ctx, t->M_slot);
            t->M_slot = NULL;
        }
    }
    if (status == BL_OK && (uses & BL_W) && (sys->can & BL_CAN_MSOLVE) && !sys->pat_W.ptr) {
        status = bl_tree_response_build(t, mine);
        if (status != BL_OK) {
            bl_pattern_free(sys->ctx, &mine->pat_W);
            bl_free(sys->ctx, t->response_ptr);
            t->response_ptr = NULL;
        }
    }
    return status == BL_OK && (uses & (BL_STAGE | (sys->nsignal ? BL_SIGNAL_X : 0))) ? bl_tree_tangent_build(t, mine, uses) : status;
}

static const bl_system_kind relative_kind = {
    .kind = {"relative", "rigid bodies by the degrees of freedom of their joints", NULL, 0,
             BL_CAN_MASS | BL_CAN_MSOLVE | BL_CAN_TANGENT | BL_CAN_ENERGY},
    .eval = bl_tree_eval,
    .apply = apply,
    .demand = relative_demand,
    .accept = bl_tree_accept,
    .turning = bl_tree_turning,
    .eval_create = work_create,
    .eval_room = work_room,
    .patterns = relative_patterns,
    .eval_destroy = work_destroy,
    .hold = bl_derived_hold,
    .next_time = bl_derived_next_time,
    .jump = bl_derived_jump,
    .blend = bl_derived_blend,
    .event_name = bl_derived_event_name,
    .row_name = row_name,
    .col_name = col_name,
    .load_name = bl_derived_load_name,
    .destroy = relative_destroy,
};

/* ---- the tree */

/* whether the joint is closed in the model configuration: only then its degrees of freedom describe all relative positions */
static bool assembled(const bl_mechanism *m, bl_index joint) {
    const bl_model *model = m->model;
    for (bl_index p = 0; p < model->joint[joint].nprim; p++) {
        const bl_prim *prim = &model->joint[joint].prim[p];
        bl_prim_motion at = {.turning = {NULL, NULL}};
        bool is_length;
        for (int i = 0; i < bl_prim_marks(prim); i++)
            for (int k = 0; k < 3; k++)
                at.mark[i].r[k] = prim->mark[i].s[k] + (prim->mark[i].is_vector ? 0 : model->body[prim->mark[i].body].center[k]);
        double off = bl_prim_gap(prim, &at, &is_length);
        if (off / (is_length ? m->size : 1) > coords_same)
            return false;
    }
    return true;
}

static bl_status add_axis(bl_tree *t, bl_link *link, const bl_joint_dof *f, const double *at, double sign) {
    bl_tree_axis *axis = &t->axis[t->naxis++];
    *axis = (bl_tree_axis){.what = f->what, .sign = sign, .col = t->ntree, .ball = -1, .var = f->var, .link = (bl_index)(link - t->link)};
    memcpy(axis->axis, f->axis, sizeof axis->axis);
    memcpy(axis->at, at, sizeof axis->at);
    if (f->what == BL_BALL)
        axis->ball = t->nball++;
    int n = f->what == BL_BALL ? 3 : 1;
    t->ntree += n;
    link->count++;
    link->ncol += n;
    return BL_OK;
}

/* a link attached to `parent` by a joint (-1: floating) */
static bl_status add_link(bl_tree *t, bl_index body, bl_index parent_body, bl_index joint) {
    const bl_model *model = t->on.m->model;
    static const double origin[3] = {0, 0, 0};
    const double *from = parent_body > 0 ? model->body[parent_body].center : origin;
    bl_link *link = &t->link[t->nlink];
    *link = (bl_link){.body = body, .parent = t->link_of[parent_body], .joint = joint, .first = t->naxis, .col = t->ntree, .sign = 1};
    t->link_of[body] = t->nlink++;
    for (int k = 0; k < 3; k++) {
        link->rest[k] = model->body[body].center[k];
        link->to_parent[k] = link->rest[k] - from[k];
    }
    if (joint < 0) {
        bl_joint_dof f[BL_MAX_JOINT_DOF] = {0};
        bl_index n = 0;
        for (int k = 0; k < model->dim; k++) {
            f[n] = (bl_joint_dof){.what = BL_SLIDE, .var = -1};
            f[n++].axis[k] = 1;
        }
        f[n++] = (bl_joint_dof){.what = model->dim == 2 ? BL_TURN : BL_BALL, .axis = {0, 0, 1}, .var = -1};
        for (bl_index k = 0; k < n; k++)
            BL_TRY(add_axis(t, link, &f[k], link->to_parent, 1));
        return BL_OK;
    }
    const bl_joint_def *def = &model->joint[joint];
    bool forward = def->body[1] == body;
    const double *first = def->body[0] > 0 ? model->body[def->body[0]].center : origin;
    link->sign = forward ? 1 : -1;
    for (bl_index i = 0; i < def->ndof; i++) {
        const bl_joint_dof *now = &def->dof[forward ? i : def->ndof - 1 - i];
        double at[3];
        for (int k = 0; k < 3; k++)
            at[k] = now->at[k] + first[k] - from[k];
        BL_TRY(add_axis(t, link, now, at, now->what != BL_BALL && !forward ? -1 : 1));
    }
    /* the reaction is reported at the joint's point on its second body */
    const bl_mark *point = bl_joint_point(def);
    if (point)
        memcpy(link->at, point->s, sizeof link->at);
    return BL_OK;
}

static bool can_be_in_tree(const bl_joint_def *def) {
    return !def->cut && !def->kind->closes_only && def->body[0] >= 0 && def->body[1] >= 0;
}

/* the next body that no joint of the tree carries: floating ones first, then any that is left; -1: none. *from: bodies before it have
 * links. */
static bl_index next_root(const bl_tree *t, const bl_coords_choice *choice, bool any, bl_index *from) {
    for (; *from < t->on.m->model->nbody; ++*from)
        if (t->link_of[*from] < 0 && t->on.m->framed[*from] && (any || choice->body[*from].how == BL_COORDS_REFERENCE))
            return *from;
    return -1;
}

static bl_status refuse_floating(const bl_tree *t, bl_index body) {
    const bl_body *b = &t->on.m->model->body[body];
    bl_context *ctx = t->on.arena.ctx;
    bl_fail(ctx, BL_E_MODEL, &b->coordinates_at,
            "body '%s' cannot be relative: no joint (not cut, and closed in the given configuration) connects it to ground "
            "or to a reference or relative body",
            b->name);
    bl_advise(ctx, "set coordinates: reference for it, so that it floats, or change the coordinates of the body it is attached to");
    return BL_E_MODEL;
}

static bl_status grow_tree(bl_tree *t, const bl_coords_choice *choice) {
    const bl_model *model = t->on.m->model;
    size_t nbody = (size_t)model->nbody;
    bl_index *ptr, *at;
    BL_TRY(BL_ARENA_ARRAYS(&t->on.arena, BL_ARRAY(t->link, nbody), BL_ARRAY(t->axis, nbody * BL_MAX_JOINT_DOF), BL_ARRAY(t->link_of, nbody),
                           BL_ARRAY(t->in_tree, bl_model_joints(model)), BL_ARRAY(ptr, nbody + 2),
                           BL_ARRAY(at, 2 * (size_t)model->njoint)));
    for (bl_index b = 0; b < model->nbody; b++)
        t->link_of[b] = -1;
    /* joints of every body, in order */
    for (bl_index j = 0; j < model->njoint; j++)
        for (int k = 0; k < 2 && can_be_in_tree(&model->joint[j]); k++)
            ptr[model->joint[j].body[k] + 2]++;
    for (bl_index b = 0; b < model->nbody; b++)
        ptr[b + 2] += ptr[b + 1]; /* ptr[b + 1]: next index for body b, finally its end */
    for (bl_index j = 0; j < model->njoint; j++)
        for (int k = 0; k < 2 && can_be_in_tree(&model->joint[j]); k++)
            at[ptr[model->joint[j].body[k] + 1]++] = j;
    bl_index floating[2] = {1, 1};
    /* breadth first: short chains keep the equations of loops short */
    for (bl_index reached = -1; reached < t->nlink; reached++) {
        bl_index body = reached < 0 ? 0 : t->link[reached].body;
        for (bl_index k = ptr[body]; k < ptr[body + 1]; k++) {
            bl_index j = at[k];
            const bl_joint_def *def = &model->joint[j];
            bl_index other = def->body[0] == body ? def->body[1] : def->body[0];
            if (other == 0 || other == body || t->link_of[other] >= 0 || !t->on.m->framed[other] ||
                choice->body[other].how != BL_COORDS_RELATIVE || !assembled(t->on.m, j))
                continue;
            t->in_tree[j] = true;
            BL_TRY(add_link(t, other, body, j));
        }
        if (reached + 1 < t->nlink)
            continue;
        bl_index root = next_root(t, choice, false, &floating[0]); /* a body that no joint of the tree carries floats */
        if (root < 0) {
            root = next_root(t, choice, true, &floating[1]);
            if (root >= 0 && choice->body[root].from_body)
                return refuse_floating(t, root);
        }
        if (root >= 0)
            BL_TRY(add_link(t, root, 0, -1));
    }
    return BL_OK;
}

/* ---- columns and rows */

/* an inner column is component `part` of the twelve of a link: center, axes */
static void assign_column(bl_tree *t, bl_index inner, bl_index link, int part) {
    t->source[inner] = -1;
    t->at_link[inner] = link;
    t->at_part[inner] = part;
}

static bl_status find_columns(bl_tree *t, bl_system *sys) {
    const bl_mechanism *m = t->on.m;
    bl_index nx = t->on.inner->nv;
    BL_TRY(BL_ARENA_ARRAYS(&t->on.arena, BL_ARRAY(t->source, nx), BL_ARRAY(t->on.copy, nx), BL_ARRAY(t->at_link, nx),
                           BL_ARRAY(t->at_part, nx), BL_ARRAY(t->axis_of, t->ntree)));
    for (bl_index j = 0; j < nx; j++) {
        t->source[j] = -2;
        t->at_link[j] = -1;
    }
    for (bl_index i = 0; i < t->nlink; i++) {
        bl_link *link = &t->link[i];
        const bl_basis *basis = &m->basis[link->body];
        link->center = m->entity[m->seat[basis->origin].entity].base;
        for (int c = 0; c < m->dim; c++)
            assign_column(t, link->center + c, i, c);
        for (int k = 0; k < (m->dim == 2 ? 1 : 3); k++) {
            link->axis_col[k] = m->entity[m->seat[basis->seat[k]].entity].base;
            for (int c = 0; c < m->dim; c++)
                assign_column(t, link->axis_col[k] + c, i, 3 + 3 * k + c);
        }
    }
    for (bl_index k = 0; k < t->naxis; k++)
        if (t->axis[k].var >= 0 && m->gauge[t->axis[k].var].entry >= 0)
            t->source[m->gauge[t->axis[k].var].entry] = t->axis[k].col;
    sys->nv = t->ntree;
    for (bl_index j = 0; j < nx; j++)
        if (t->source[j] == -2) {
            t->on.copy[t->on.ncopy++] = (struct bl_copy){.inner = j, .q = sys->nv, .v = sys->nv};
            t->source[j] = sys->nv++;
        }
    sys->nq = sys->nv;
    BL_TRY(BL_ARENA_NEW(&t->on.arena, t->on.col, sys->nv));
    for (bl_index k = 0; k < t->naxis; k++)
        for (int j = 0; j < (t->axis[k].what == BL_BALL ? 3 : 1); j++) {
            bool turns = t->axis[k].what != BL_SLIDE;
            t->axis_of[t->axis[k].col + j] = k;
            t->on.col[t->axis[k].col + j] = (bl_col){.what = turns ? BL_COL_ANGLE : BL_COL_DISTANCE,
                                                     .order = 2,
                                                     .part = (uint8_t)j,
                                                     .owner = t->axis[k].var,
                                                     .bundle = t->axis[k].what == BL_BALL ? m->nentity + k + 1 : 0,
                                                     .scale = turns ? 1 : m->length};
        }
    for (bl_index c = t->ntree; c < sys->nv; c++)
        t->on.col[c] = t->on.inner->col[t->on.copy[c - t->ntree].inner];
    return BL_OK;
}

static bool is_tree_row(const bl_tree *t, bl_index inner) {
    const bl_row *row = &t->on.inner->row[inner];
    if (row->what != BL_ROW_JOINT && row->what != BL_ROW_CLOSURE && row->what != BL_ROW_VARIABLE)
        return false;
    return row->owner >= 0 && t->in_tree[row->owner] && !t->on.m->row_relation[inner];
}

static bl_status find_rows(bl_tree *t, bl_system *sys) {
    bl_index np = t->on.inner->np;
    BL_TRY(BL_ARENA_ARRAYS(&t->on.arena, BL_ARRAY(t->row_of, np), BL_ARRAY(t->inner_row, np), BL_ARRAY(t->on.row, np)));
    for (bl_index r = 0; r < np; r++) {
        t->row_of[r] = is_tree_row(t, r) ? -1 : sys->np;
        if (t->row_of[r] < 0)
            continue;
        t->on.row[sys->np] = t->on.inner->row[r];
        t->inner_row[sys->np++] = r;
    }
    return BL_OK;
}

static bl_status signal_columns(const bl_system *sys, bl_index inner, bl_status (*visit)(void *, bl_index), void *user) {
    const bl_tree *t = bl_tree_of(sys);
    if (t->source[inner] >= 0)
        return visit(user, t->source[inner]);
    for (bl_index k = t->at_link[inner]; k >= 0; k = t->link[k].parent)
        for (bl_index a = t->link[k].col; a < t->link[k].col + t->link[k].ncol; a++)
            BL_TRY(visit(user, a));
    return BL_OK;
}

/* ---- scales, independent columns, initial state */

static bl_status relative_initial(const bl_system *sys, bl_state *state) {
    const bl_tree *t = bl_tree_of(sys);
    BL_TRY(bl_derived_initial(sys, state));
    double *ball = (double *)(void *)(state->history + t->on.inner_history);
    for (bl_index k = 0; k < t->nball; k++)
        for (int i = 0; i < 9; i++)
            ball[9 * k + i] = i % 4 == 0;
    for (bl_index k = 0; k < t->naxis; k++)
        state->q[t->axis[k].col] = t->axis[k].zero;
    return BL_OK;
}

/* coordinates of the tree count revolutions themselves; in the plane every link does, along its chain */
static bl_status count_angles(bl_tree *t, bl_system *sys) {
    bool *done;
    bl_index *psi_of;
    BL_TRY(BL_ARENA_ARRAYS(&t->on.arena, BL_ARRAY(done, sys->nvariable), BL_ARRAY(psi_of, sys->nbody),
                           BL_ARRAY(t->on.counted, sys->nvariable), BL_ARRAY(t->summed, sys->nvariable)));
    for (bl_index k = 0; k < t->naxis; k++)
        if (t->axis[k].what == BL_TURN && t->axis[k].var >= 0) {
            t->on.counted[t->on.ncounted++] = (bl_counted){.variable = t->axis[k].var, .a = -1, .b = t->axis[k].col, .sign = 1};
            done[t->axis[k].var] = true;
        }
    for (bl_index i = 0; i < sys->nbody; i++)
        psi_of[i] = i == 0 ? -1 : t->link_of[i] < 0 ? -2 : t->link_of[i];
    return bl_derived_count(sys, psi_of, done, t->summed, &t->nsummed);
}

static bl_status find_inertia(bl_tree *t) {
    BL_TRY(BL_ARENA_NEW(&t->on.arena, t->inertia, 6 * t->nlink));
    for (bl_index i = 0; i < t->nlink; i++) {
        const double(*I)[3] = t->on.m->model->body[t->link[i].body].inertia;
        double six[6] = {I[0][0], I[1][1], I[2][2], I[0][1], I[1][2], I[2][0]};
        memcpy(t->inertia + 6 * i, six, sizeof six);
    }
    return BL_OK;
}

static bl_status build(bl_tree *t, bl_system *sys, const bl_coords_choice *choice) {
    BL_TRY(bl_derived_build(sys, &bl_coords_relative, choice));
    BL_TRY(grow_tree(t, choice));
    for (bl_index k = 0; k < t->naxis; k++)
        t->axis[k].zero = t->axis[k].var >= 0 ? t->on.variable[t->axis[k].var] : 0;
    BL_TRY(find_columns(t, sys));
    BL_TRY(find_rows(t, sys));
    BL_TRY(find_inertia(t));
    t->only_gravity = t->on.m->nload == 0 && t->on.m->model->ncontact == 0 && sys->nv == t->ntree;
    if (t->only_gravity)
        BL_TRY(bl_tree_fast_build(t));
    t->alone = sys->np == 0 && sys->nv == t->ntree && t->on.inner->nload == 0;
    for (bl_index j = 0; j < choice->model->njoint; j++)
        t->alone = t->alone && t->in_tree[j];
    sys->history_bytes = t->on.inner_history + 9 * sizeof(double) * (size_t)t->nball;
    sys->can = relative_kind.kind.gives & (sys->nv == t->ntree ? ~0u : ~(uint32_t)BL_CAN_MSOLVE);
    sys->facts = (t->on.inner->facts & ~(uint32_t)(BL_M_CONST | BL_PHI_QUADRATIC | BL_POWER_OF_V)) | BL_Q_OF_V;
    sys->zero = sys->np ? 0 : BL_GTL_X | BL_GV_X;
    BL_TRY(bl_tree_count_above(t, sys));
    sys->row = t->on.row;
    sys->col = t->on.col;
    BL_TRY(bl_tree_rows_build(t, sys));
    BL_TRY(bl_derived_signals(sys, signal_columns));
    BL_TRY(count_angles(t, sys));
    return bl_derived_finish(sys);
}

static bl_status relative_build(bl_context *ctx, const bl_coords_choice *choice, bl_system **out) {
    BL_TRY(bl_system_create(ctx, &relative_kind, sizeof(bl_tree), out));
    bl_tree *t = (*out)->own;
    t->sys = *out;
    return bl_system_made(build(t, *out, choice), out);
}

const bl_coords_kind bl_coords_relative = {
    .kind = {"relative",
             "degrees of freedom of the joints of a spanning tree; O(n) dynamics of trees, loops closed by constraint equations", NULL, 0,
             BL_CAN_MASS | BL_CAN_MSOLVE | BL_CAN_TANGENT | BL_CAN_ENERGY},
    .bodies = BL_COORDS_RELATIVE,
    .of_body = &bl_coords_relative.kind,
    .build = relative_build,
    .price = bl_relative_price,
    .initial = relative_initial,
    .set_positions = bl_tree_set_positions,
    .set_velocities = bl_tree_set_velocities,
};
