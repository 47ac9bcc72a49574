/* Time stepping of contacts in a model: the scene, groups of bodies that joints connect, memory. */
#include "study/contact_steps_private.h"

#include "joint/joint.h"
#include "signal/signal.h"
#include "study/study_limits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DENSE = 100 }; /* columns of a mechanism up to which full matrices are faster than sparse ones */

/* ---- bodies that joints connect: groups that move together */

static bl_index root_of(bl_index *parent, bl_index b) {
    while (parent[b] != b)
        b = parent[b] = parent[parent[b]];
    return b;
}

/* parent[nbody]: of every body the first of those that joints connect with it, not over the ground */
static void connect(const bl_model *model, bl_index *parent) {
    bl_index relation = -1;
    for (bl_index b = 0; b < model->nbody; b++)
        parent[b] = b;
    for (bl_index j = 0; j < model->njoint; j++) {
        const bl_index *body = model->joint[j].body;
        if (body[0] > 0 && body[1] > 0)
            parent[root_of(parent, body[0])] = root_of(parent, body[1]);
        if (body[0] < 0) /* of variables: any joints */
            relation = j;
    }
    bl_index first = -1;
    for (bl_index j = 0; j < model->njoint && relation >= 0; j++)
        for (int k = 0; k < 2; k++)
            if (model->joint[j].body[k] > 0) {
                first = first < 0 ? model->joint[j].body[k] : first;
                parent[root_of(parent, model->joint[j].body[k])] = root_of(parent, first);
            }
}

/* a body that moves with the variable of a stop */
static bl_index body_of_stop(const bl_model *model, bl_index contact) {
    enum { VARIABLE }; /* joint/stop.c */
    const bl_joint_def *stop = &model->joint[model->njoint + contact];
    const bl_joint_def *joint = &model->joint[model->variable[stop->value[VARIABLE].ref].joint];
    return joint->body[1] > 0 ? joint->body[1] : joint->body[0];
}

static void add_block(bl_contact_steps *s, bl_index body, bl_index contact, int n, double lever) {
    s->block[s->nblock++] = (bl_contact_block){.body = body, .contact = contact, .first = s->nrow, .n = n, .lever = lever};
    s->nrow += n;
}

static bl_status find_blocks(bl_contact_steps *s) {
    const bl_model *model = s->model;
    bl_index nstop = bl_model_contacts_shown(model);
    BL_TRY(BL_ARENA_NEW(&s->arena, s->block, (size_t)model->nbody + (size_t)nstop));
    for (bl_index b = 1; b < model->nbody; b++)
        if (model->surfaces->handle[b].first >= 0)
            add_block(s, b, model->surfaces->handle[b].first, 6, model->surfaces->handle[b].lever);
    for (bl_index c = 0; c < nstop; c++)
        add_block(s, model->nbody + c, c, 1, 0);
    return BL_OK;
}

/* the groups of the blocks, with room for their matrices */
static bl_status make_groups(bl_contact_steps *s) {
    const bl_model *model = s->model;
    bl_index nbody = s->core.scene.nbody, *parent, *body, *first, *group_of, *part_of;
    bl_cone_group *group;
    size_t room = 0;
    if (s->nblock == 0)
        return BL_OK;
    BL_TRY(BL_ARENA_ARRAYS(&s->arena, BL_ARRAY(parent, model->nbody), BL_ARRAY(body, s->nblock), BL_ARRAY(first, s->nblock),
                           BL_ARRAY(group_of, nbody), BL_ARRAY(part_of, nbody), BL_ARRAY(group, s->nblock)));
    connect(model, parent);
    for (bl_index b = 0; b < nbody; b++)
        group_of[b] = part_of[b] = -1;
    bl_index at = 0;
    for (bl_index k = 0; k < s->nblock; k++) {
        if (group_of[s->block[k].body] >= 0)
            continue;
        bl_index member = s->block[k].n == 6 ? s->block[k].body : body_of_stop(model, s->block[k].contact), root = root_of(parent, member);
        bl_cone_group *g = &group[s->groups.n];
        *g = (bl_cone_group){.body = body + at, .first = first + at};
        for (bl_index i = k; i < s->nblock; i++) {
            bl_contact_block *b = &s->block[i];
            bl_index other = b->n == 6 ? b->body : body_of_stop(model, b->contact);
            if (root_of(parent, other) != root)
                continue;
            body[at + g->nbody] = b->body;
            first[at + g->nbody] = g->n;
            group_of[b->body] = b->group = s->groups.n;
            part_of[b->body] = g->nbody++;
            b->first_in_group = g->n;
            g->n += b->n;
        }
        at += g->nbody;
        room += (size_t)g->n * (size_t)g->n;
        s->groups.n++;
    }
    double *D;
    BL_TRY(BL_ARENA_NEW(&s->arena, D, room));
    for (bl_index g = 0; g < s->groups.n; g++) {
        group[g].D = D;
        D += (size_t)group[g].n * (size_t)group[g].n;
    }
    s->groups.group = group;
    s->groups.group_of = group_of;
    s->groups.part_of = part_of;
    return BL_OK;
}

/* ---- the scene */

static void body_of(const bl_model *model, bl_index b, bool joined, bl_stepping_body *to) {
    const bl_body *from = &model->body[b];
    *to = (bl_stepping_body){.joined = joined, .mass = joined || b == 0 ? 0 : from->mass, .turn = {1}};
    for (int k = 0; k < 3; k++)
        to->inertia[k] = from->inertia[k][k];
    to->inertia[3] = from->inertia[0][1];
    to->inertia[4] = from->inertia[0][2];
    to->inertia[5] = from->inertia[1][2];
    memcpy(to->at, from->center, sizeof to->at);
}

static void set_law(const bl_surfaces *s, int16_t *pair, bl_index a, bl_index b, bl_index law) {
    pair[(size_t)s->ngroup * (size_t)a + (size_t)b] = pair[(size_t)s->ngroup * (size_t)b + (size_t)a] = (int16_t)law;
}

/* laws of pairs of groups, the last one that applies; pairs of bodies that a joint connects touch only where the file says so */
static bl_status make_laws(const bl_contact_steps *s, int16_t **pair, bl_stepping_law **law) {
    const bl_surfaces *from = s->model->surfaces;
    size_t n = (size_t)from->ngroup;
    BL_TRY(BL_NEW(s->ctx, *pair, n * n));
    BL_TRY(BL_NEW(s->ctx, *law, (size_t)from->nlaw + 1));
    for (size_t i = 0; i < n * n; i++)
        (*pair)[i] = -1;
    for (bl_index k = 0; k < from->nlaw; k++) {
        const bl_surface_law *l = &from->law[k];
        (*law)[k] = (bl_stepping_law){.friction = l->friction, .restitution = l->restitution, .apart = l->without != NULL};
        if (!l->without)
            set_law(from, *pair, l->group[0], l->group[1], k);
        for (bl_index i = 0; l->without && i < from->nown; i++) {
            if (l->without[from->own_body[i]])
                continue;
            if (l->group[0] >= 0)
                set_law(from, *pair, l->group[0], i, k);
            for (bl_index j = 0; l->group[0] < 0 && j <= i; j++)
                if (!l->without[from->own_body[j]])
                    set_law(from, *pair, i, j, k);
        }
    }
    return BL_OK;
}

static int compare_pairs(const void *a, const void *b) {
    const bl_index *x = a, *y = b;
    return x[0] != y[0] ? (x[0] > y[0]) - (x[0] < y[0]) : (x[1] > y[1]) - (x[1] < y[1]);
}

static bl_status find_apart(const bl_contact_steps *s, bl_index (**apart)[2], bl_index *n) {
    const bl_model *model = s->model;
    *n = 0;
    BL_TRY(BL_NEW(s->ctx, *apart, model->njoint));
    for (bl_index j = 0; j < model->njoint; j++) {
        const bl_index *body = model->joint[j].body;
        if (body[0] < 0)
            continue;
        (*apart)[*n][0] = body[0] < body[1] ? body[0] : body[1];
        (*apart)[(*n)++][1] = body[0] < body[1] ? body[1] : body[0];
    }
    qsort(*apart, (size_t)*n, sizeof **apart, compare_pairs);
    return BL_OK;
}

static bl_status make_core(bl_contact_steps *s) {
    const bl_model *model = s->model;
    const bl_surfaces *from = model->surfaces;
    bl_index nstop = bl_model_contacts_shown(model), nbody = model->nbody + nstop, (*apart)[2] = NULL, napart = 0;
    bl_stepping_body *body = NULL;
    bl_stepping_bound *bound = NULL;
    bl_stepping_law *law = NULL;
    int16_t *pair = NULL;
    bl_status status = BL_NEW(s->ctx, body, nbody);
    if (status == BL_OK)
        status = BL_NEW(s->ctx, bound, nstop);
    if (status == BL_OK)
        status = make_laws(s, &pair, &law);
    if (status == BL_OK)
        status = find_apart(s, &apart, &napart);
    for (bl_index b = 0; status == BL_OK && b < nbody; b++)
        if (b < model->nbody)
            body_of(model, b, from->handle[b].joined, &body[b]);
        else
            body[b] = (bl_stepping_body){.joined = true, .turn = {1}};
    for (bl_index c = 0; status == BL_OK && c < nstop; c++)
        bound[c] = (bl_stepping_bound){
            .body = model->nbody + c, .side = 1, .restitution = model->contact[c].restitution, .size = bl_system_smallest(s->inner)};
    bl_stepping_scene scene = {.plane = model->dim == 2,
                               .gravity = {model->gravity[0], model->gravity[1], model->gravity[2]},
                               .nbody = nbody,
                               .nshape = from->nshape,
                               .ngroup = from->ngroup,
                               .nlaw = from->nlaw,
                               .body = body,
                               .shape = from->shape,
                               .pair = pair,
                               .law = law,
                               .nbound = nstop,
                               .bound = bound,
                               .napart = napart,
                               .apart = (const bl_index(*)[2])apart};
    if (status == BL_OK)
        status = bl_stepping_create(s->ctx, &scene, NULL, &s->core);
    bl_free(s->ctx, body);
    bl_free(s->ctx, bound);
    bl_free(s->ctx, law);
    bl_free(s->ctx, pair);
    bl_free(s->ctx, apart);
    return status;
}

/* ---- memory */

static bl_status refuse_coordinates(const bl_contact_steps *s, bl_index body) {
    bl_fail(s->ctx, BL_E_ABILITY, &s->model->body[body].place,
            "`contact: stepping` moves free bodies by their position and rotation, which the coordinates of '%s' do not allow",
            s->model->body[body].name);
    bl_advise(s->ctx, "use coordinates natural or reference");
    return BL_E_ABILITY;
}

/* rows of G by rows: entries of row r are row_slot[row_ptr[r] ...] */
static bl_status list_rows(bl_contact_steps *s) {
    const bl_pattern *G = &s->inner->pat_G;
    bl_index n = G->ptr[G->ncol], *next;
    BL_TRY(BL_ARENA_ARRAYS(&s->arena, BL_ARRAY(s->row_ptr, G->nrow + 1), BL_ARRAY(s->row_slot, n), BL_ARRAY(s->row_col, n),
                           BL_ARRAY(next, G->nrow)));
    for (bl_index p = 0; p < n; p++)
        s->row_ptr[G->idx[p] + 1]++;
    for (bl_index r = 0; r < G->nrow; r++)
        next[r] = s->row_ptr[r + 1] += s->row_ptr[r];
    for (bl_index r = 0; r < G->nrow; r++)
        next[r] = s->row_ptr[r];
    for (bl_index j = 0; j < G->ncol; j++)
        for (bl_index p = G->ptr[j]; p < G->ptr[j + 1]; p++) {
            s->row_slot[next[G->idx[p]]] = p;
            s->row_col[next[G->idx[p]]++] = j;
        }
    return BL_OK;
}

/* the columns of free bodies are those that their poses determine */
static bl_status find_columns(bl_contact_steps *s) {
    const bl_system *sys = s->inner;
    bl_mechanism_part *part = &s->part;
    double *v = s->sum_a;
    for (bl_index j = 0; j < sys->nv; j++)
        v[j] = NAN;
    for (bl_index b = 0; b < s->model->nbody; b++)
        s->pose[b].quaternion[0] = 1;
    if (s->nown)
        bl_coords_write(sys, s->own, s->pose, s->angle, s->seen.q, v);
    BL_TRY(BL_ARENA_ARRAYS(&s->arena, BL_ARRAY(part->index, sys->nv), BL_ARRAY(part->column, sys->nv), BL_ARRAY(part->row, sys->np)));
    for (bl_index j = 0; j < sys->nv; j++) {
        part->index[j] = isnan(v[j]) ? part->n : -1;
        if (isnan(v[j]))
            part->column[part->n++] = j;
    }
    return BL_OK;
}

/* M and G with the columns of the mechanism, and the rows in which those have entries, as a system for bl_kkt */
static bl_status make_part(bl_contact_steps *s) {
    const bl_system *sys = s->inner;
    bl_mechanism_part *part = &s->part;
    const bl_pattern *M = &sys->pat_M, *G = &sys->pat_G;
    bl_index *number, *ptr_M, *idx_M, *ptr_G, *idx_G, nM = M->ptr[M->ncol], nG = G->ptr[G->ncol], np = 0;
    bl_row *row;
    bl_col *col;
    BL_TRY(BL_ARENA_ARRAYS(&s->arena, BL_ARRAY(number, sys->np), BL_ARRAY(ptr_M, part->n + 1), BL_ARRAY(idx_M, nM),
                           BL_ARRAY(ptr_G, part->n + 1), BL_ARRAY(idx_G, nG), BL_ARRAY(part->slot_M, nM), BL_ARRAY(part->slot_G, nG),
                           BL_ARRAY(part->M, nM), BL_ARRAY(part->G, nG), BL_ARRAY(row, sys->np), BL_ARRAY(col, part->n)));
    for (bl_index j = 0; j < part->n; j++)
        for (bl_index p = G->ptr[part->column[j]]; p < G->ptr[part->column[j] + 1]; p++)
            number[G->idx[p]] = 1;
    for (bl_index r = 0; r < sys->np; r++) {
        row[np] = sys->row[r];
        part->row[np] = r;
        np += number[r];
        number[r] = np - 1;
    }
    nM = nG = 0;
    for (bl_index j = 0; j < part->n; j++) {
        bl_index from = part->column[j];
        col[j] = sys->col[from];
        for (bl_index p = M->ptr[from]; p < M->ptr[from + 1]; p++)
            if (part->index[M->idx[p]] >= 0) {
                idx_M[nM] = part->index[M->idx[p]];
                part->slot_M[nM++] = p;
            }
        for (bl_index p = G->ptr[from]; p < G->ptr[from + 1]; p++) {
            idx_G[nG] = number[G->idx[p]];
            part->slot_G[nG++] = p;
        }
        ptr_M[j + 1] = nM;
        ptr_G[j + 1] = nG;
    }
    part->of = (bl_system){.ctx = s->ctx,
                           .nv = part->n,
                           .nq = part->n,
                           .np = np,
                           .pat_M = {part->n, part->n, ptr_M, idx_M},
                           .pat_K = {part->n, part->n, ptr_M, idx_M},
                           .pat_G = {np, part->n, ptr_G, idx_G},
                           .row = row,
                           .col = col,
                           .row_size = sys->row_size,
                           .closure = sys->closure};
    return BL_ARENA_NEW(&s->arena, part->lambda, np);
}

static bl_status make_mechanism(bl_contact_steps *s) {
    const bl_system *sys = s->inner;
    size_t nv = (size_t)sys->nv, np = (size_t)sys->np, n = (size_t)s->nrow;
    if (s->nblock == 0)
        return BL_OK;
    BL_TRY(bl_state_create(sys, 0, &s->all));
    BL_TRY(bl_state_create(sys, 0, &s->open));
    BL_TRY(bl_eval_create(sys, BL_G | BL_PHI, &s->rows));
    BL_TRY(bl_eval_create(sys, BL_M | BL_G | BL_B, &s->mass));
    BL_TRY(bl_eval_create(sys, BL_WRENCH | BL_SEEN | BL_Q, &s->reactions));
    BL_TRY(BL_ARENA_ARRAYS(&s->arena, BL_ARRAY(s->step_a, nv), BL_ARRAY(s->step_lambda, np), BL_ARRAY(s->sum_lambda, np)));
    BL_TRY(find_columns(s));
    size_t columns = (size_t)s->part.n;
    BL_TRY(BL_ARENA_ARRAYS(&s->arena, BL_ARRAY(s->B, n * columns), BL_ARRAY(s->answer, n * columns), BL_ARRAY(s->x, columns),
                           BL_ARRAY(s->before, n), BL_ARRAY(s->after, n)));
    BL_TRY(make_part(s));
    BL_TRY(list_rows(s));
    return bl_kkt_create(&s->part.of, &(bl_kkt_setup){.dense_most = DENSE}, &s->kkt);
}

/* where in the plane angles are coordinates, which count full revolutions: in them a different number for each body is written */
static void find_angles(bl_contact_steps *s) {
    bl_index nbody = s->model->nbody;
    for (bl_index b = 0; b < nbody; b++) {
        s->angle_at[b] = -1;
        s->pose[b].quaternion[0] = 1;
        s->angle[b] = (double)b + 0.5;
    }
    if (s->model->dim == 2)
        bl_coords_write(s->inner, s->own, s->pose, s->angle, s->seen.q, s->seen.v);
    for (bl_index i = 0; i < s->inner->nq && s->model->dim == 2; i++)
        if (s->seen.q[i] >= 1.5 && s->seen.q[i] < (double)nbody && s->seen.q[i] - floor(s->seen.q[i]) == 0.5)
            s->angle_at[(bl_index)s->seen.q[i]] = i;
}

static bl_status make(bl_contact_steps *s) {
    const bl_model *model = s->model;
    size_t n = (size_t)model->nbody;
    s->nshown = bl_model_contacts_shown(model) + model->surfaces->nlaw;
    BL_TRY(BL_ARENA_ARRAYS(&s->arena, BL_ARRAY(s->own, n), BL_ARRAY(s->angle, n), BL_ARRAY(s->angle_at, n), BL_ARRAY(s->pose, n),
                           BL_ARRAY(s->sample, s->nshown), BL_ARRAY(s->sum_a, s->inner->nv), BL_ARRAY(s->weight, s->nshown),
                           BL_ARRAY(s->rub, s->nshown)));
    for (bl_index k = 0; k < s->nshown; k++)
        s->sample[k].gap = NAN; /* before the first step */
    for (bl_index b = 1; b < model->nbody; b++) {
        s->own[b] = !model->surfaces->handle[b].joined;
        s->nown += s->own[b];
    }
    bl_index other = s->nown ? bl_coords_can_write(s->inner, s->own) : -1;
    if (other >= 0)
        return refuse_coordinates(s, other);
    BL_TRY(find_blocks(s));
    if (s->nrow > study_contact_handles)
        return bl_fail(s->ctx, BL_E_ABILITY, NULL,
                       "contacts act on %d velocities of mechanisms, more than the %.0f that time stepping takes", (int)s->nrow,
                       study_contact_handles);
    BL_TRY(make_core(s));
    BL_TRY(make_groups(s));
    BL_TRY(bl_state_create(s->inner, 0, &s->seen));
    if (s->nown)
        find_angles(s);
    BL_TRY(make_mechanism(s));
    s->pushed = s->inner->npush > 0;
    BL_TRY(bl_eval_create(s->inner, BL_SEEN | BL_FORCES, &s->look));
    s->impulses = (bl_impulses){.user = s,
                                .alone = s->nown == model->nbody - 1 && s->sys->nz == 0 && !s->pushed,
                                .begin = bl_contact_steps_begin,
                                .strike = bl_contact_steps_strike,
                                .finish = bl_contact_steps_finish};
    return BL_OK;
}

bl_status bl_contact_steps_create(bl_context *ctx, const bl_model *model, const bl_system *sys, bl_contact_steps **out) {
    bl_contact_steps *s;
    *out = NULL;
    BL_TRY(BL_NEW(ctx, s, 1));
    s->ctx = s->arena.ctx = ctx;
    s->model = model;
    s->sys = sys;
    s->inner = bl_signal_inner(sys);
    bl_status status = make(s);
    if (status == BL_OK)
        *out = s;
    else
        bl_contact_steps_destroy(s);
    return status;
}

void bl_contact_steps_destroy(bl_contact_steps *s) {
    if (!s)
        return;
    bl_kkt_destroy(s->kkt);
    bl_eval_destroy(s->inner, &s->rows);
    bl_eval_destroy(s->inner, &s->mass);
    bl_eval_destroy(s->inner, &s->look);
    bl_eval_destroy(s->inner, &s->reactions);
    bl_state_destroy(s->inner, &s->all);
    bl_state_destroy(s->inner, &s->open);
    bl_state_destroy(s->inner, &s->seen);
    bl_stepping_destroy(&s->core);
    bl_arena_destroy(&s->arena);
    bl_free(s->ctx, s);
}
