/* Build: mass centres and orientations on a mechanism whose bodies stand apart. */
#include "coords/reference.h"

#include "coords/pulled.h"
#include "sparse/sparse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const bl_orientation *const orientations[] = {
#define BL_KIND(name) &bl_orientation_##name,
#include "coords/orientation_list.h"
#undef BL_KIND
};

static const bl_param params[] = {
    {"orientation", BL_P_CHOICE, 0, 0, "quaternion|matrix|angles", NULL,
     "in space: unit quaternions (four parameters, one row), the whole rotation matrix (nine, six rows) or angles (three, no rows); in the "
     "plane always one angle"},
    {"sequence", BL_P_CHOICE, 0, 0, "xyz|xzy|yxz|yzx|zxy|zyx|xyx|xzx|yxy|yzy|zxz|zyz", NULL,
     "of angles: the body's own axes they turn about, one after the other: Cardan angles, or Euler angles about the first axis again"},
    {0},
};

const bl_kind bl_coords_reference = {"reference", "mass centre and orientation of every body; all joints as equations", params, 0,
                                     BL_CAN_MASS | BL_CAN_TANGENT | BL_CAN_ENERGY};

/* ---- the system kind */

static bl_status work_create(const bl_system *sys, bl_eval *e) {
    const bl_centred *r = bl_ref(sys);
    bl_centred_work *w;
    BL_TRY(BL_NEW(sys->ctx, w, 1));
    e->own = w;
    size_t n = (size_t)r->inner->nv, nbody = (size_t)r->nbody, naxis = (size_t)r->kind->naxis, np = (size_t)r->kind->n;
    BL_TRY(bl_eval_create(r->inner, &w->inner));
    BL_TRY(BL_NEW(sys->ctx, w->x, 4 * n + 2 * nbody * naxis * np + nbody * naxis + 1));
    w->xd = w->x + n;
    w->xdd = w->xd + n;
    w->push = w->xdd + n;
    w->X = w->push + n;
    w->V = w->X + nbody * naxis * np;
    w->still = w->V + nbody * naxis * np;
    return BL_OK;
}

static void work_destroy(const bl_system *sys, bl_eval *e) {
    bl_centred_work *w = e->own;
    if (!w)
        return;
    bl_eval_destroy(bl_ref(sys)->inner, &w->inner);
    bl_free(sys->ctx, w->x);
    bl_free(sys->ctx, w);
    e->own = NULL;
}

static void row_name(const bl_system *sys, bl_index row, char *part, size_t npart, char *equation, size_t nequation) {
    const bl_centred *r = bl_ref(sys);
    if (row < r->inner->np) {
        bl_system_row_name(r->inner, row, part, npart, equation, nequation);
        return;
    }
    snprintf(part, npart, "body '%s'", r->m->model->body[r->row[row].owner].name);
    snprintf(equation, nequation, "%s", r->kind->row_names[r->row[row].part]);
}

static void col_name(const bl_system *sys, bl_index c, char *name, size_t nname) {
    const bl_centred *r = bl_ref(sys);
    const bl_col *col = &r->col[c];
    if (c >= r->nbody * r->per)
        bl_system_col_name(r->inner, r->inner_col[c], name, nname);
    else if (col->part < r->m->dim)
        snprintf(name, nname, "%s.%c", r->m->model->body[col->owner].name, "xyz"[col->part]);
    else
        snprintf(name, nname, "%s.%s", r->m->model->body[col->owner].name, r->kind->names[col->part - r->m->dim]);
}

static void load_name(const bl_system *sys, bl_index load, char *name, size_t nname) {
    bl_ref(sys)->inner->kind->load_name(bl_ref(sys)->inner, load, name, nname);
}

static const double LITTLE_ROOM = 0.5;

/* where parameters come near their limits all turns are taken into C; the spin stays. E at the start is orthogonal. */
static bl_status start_anew(const bl_system *sys, bl_state *state) {
    const bl_centred *r = bl_ref(sys);
    bool near = false;
    for (bl_index b = 0; r->kind->room && b < r->nbody; b++)
        near = near || r->kind->room(r->kind, state->q + b * r->per + r->m->dim) < LITTLE_ROOM;
    for (bl_index b = 0; near && b < r->nbody; b++) {
        double *o = state->q + b * r->per + r->m->dim, *v = state->v + b * r->per + r->m->dim, E[9], w[3] = {0}, axes[9], C[9];
        double *kept = (double *)(void *)(state->history + r->inner_history) + 9 * b;
        bl_orientation_spin(r->kind, o, E);
        for (int k = 0; k < 9; k++)
            w[k / 3] += E[k] * v[k % 3];
        bl_orientation_axes(r->kind, o, axes);
        bl_orientation_keep(kept, 3, axes);
        memcpy(C, r->kept, sizeof C);
        bl_orientation_keep(axes, 3, C); /* C r(start) = the axes now */
        bl_orientation_right(C);
        memcpy(kept, C, sizeof C);
        memcpy(o, r->start, 3 * sizeof *o);
        bl_orientation_spin(r->kind, o, E);
        memset(v, 0, 3 * sizeof *v);
        for (int k = 0; k < 9; k++)
            v[k % 3] += E[k] * w[k / 3];
    }
    return near ? BL_RESTART : BL_OK;
}

/* the mechanism keeps turns and signs by what it knows of x */
static bl_status reference_accept(const bl_system *sys, bl_eval *e, bl_state *state) {
    const bl_centred *r = bl_ref(sys);
    bl_centred_work *w = e->own;
    BL_TRY(bl_system_eval(sys, e, BL_PHI));
    bl_state inner = *state;
    inner.q = w->x;
    w->inner.v = w->xd;
    BL_TRY(bl_system_eval(sys, e, BL_POSE));
    w->inner.history = state->history;
    BL_TRY(r->inner->kind->accept(r->inner, &w->inner, &inner));
    return start_anew(sys, state);
}

static void reference_destroy(bl_system *sys) {
    bl_centred *r = sys->own;
    bl_context *ctx = sys->ctx;
    bl_pattern_free(ctx, &sys->pat_G);
    bl_pattern_free(ctx, &sys->pat_M);
    bl_pattern_free(ctx, &sys->pat_K);
    if (r) {
        if (r->inner)
            bl_system_destroy(r->inner);
        bl_free(ctx, r->G_slot);
        bl_free(ctx, r->K_slot);
        bl_free(ctx, r->M_slot);
        bl_arena_destroy(&r->arena);
        bl_free(ctx, r);
    }
    bl_free(ctx, sys);
}

static const bl_system_kind reference_kind = {
    .kind = {"reference", "rigid bodies by mass centre and orientation", NULL, 0, BL_CAN_MASS | BL_CAN_TANGENT | BL_CAN_ENERGY},
    .eval = bl_reference_eval,
    .accept = reference_accept,
    .eval_create = work_create,
    .eval_destroy = work_destroy,
    .row_name = row_name,
    .col_name = col_name,
    .load_name = load_name,
    .destroy = reference_destroy,
};

/* ---- columns */

static bl_status find_sources(bl_centred *r) {
    const bl_mechanism *m = r->m;
    bl_index nx = r->inner->nv, naxis = r->kind->naxis;
    r->source = bl_arena_alloc(&r->arena, (size_t)nx + 1, sizeof *r->source);
    r->axes = bl_arena_alloc(&r->arena, (size_t)(r->nbody * naxis) + 1, sizeof *r->axes);
    if (!r->source || !r->axes)
        return BL_E_MEMORY;
    for (bl_index j = 0; j < nx; j++)
        r->source[j].col = -1;
    for (bl_index b = 0; b < r->nbody; b++) {
        const bl_basis *basis = &m->basis[r->body[b]];
        bl_index centre = m->entity[m->seat[basis->origin].entity].base;
        for (int k = 0; k < m->dim; k++)
            r->source[centre + k] = (bl_source){.col = b * r->per + k, .body = -1};
        for (int k = 0; k < naxis; k++) {
            bl_index col = m->entity[m->seat[basis->seat[k / m->dim]].entity].base + k % m->dim;
            r->axes[b * naxis + k] = col;
            r->source[col] = (bl_source){.col = b * r->per + m->dim, .body = b, .part = k};
        }
    }
    bl_index next = r->nbody * r->per; /* points of rods, then variables, in the mechanism's order */
    for (bl_index j = 0; j < nx; j++)
        if (r->source[j].col < 0)
            r->source[j] = (bl_source){.col = next++, .body = -1};
    return BL_OK;
}

static bl_status describe(bl_centred *r, bl_system *sys) {
    const bl_mechanism *m = r->m;
    r->row = bl_arena_alloc(&r->arena, (size_t)sys->np + 1, sizeof *r->row);
    r->col = bl_arena_alloc(&r->arena, (size_t)sys->nv + 1, sizeof *r->col);
    r->inner_col = bl_arena_alloc(&r->arena, (size_t)sys->nv + 1, sizeof *r->inner_col);
    if (!r->row || !r->col || !r->inner_col)
        return BL_E_MEMORY;
    if (r->inner->np > 0)
        memcpy(r->row, r->inner->row, (size_t)r->inner->np * sizeof *r->row);
    for (bl_index j = 0; j < r->inner->nv; j++) {
        r->col[r->source[j].col] = r->inner->col[j];
        r->inner_col[r->source[j].col] = j;
    }
    for (bl_index b = 0; b < r->nbody; b++) {
        for (int k = 0; k < r->kind->nrow; k++)
            r->row[r->inner->np + b * r->kind->nrow + k] =
                (bl_row){.what = BL_ROW_PARAM, .law = BL_LAW_EQUAL, .part = (uint8_t)k, .owner = r->body[b], .partner = -1, .scale = 1};
        for (int k = 0; k < r->per; k++)
            r->col[b * r->per + k] = (bl_col){.what = k < m->dim           ? BL_COL_POINT
                                                      : r->kind->nrow == 0 ? BL_COL_ANGLE
                                                                           : BL_COL_VECTOR,
                                              .order = 2,
                                              .part = (uint8_t)k,
                                              .owner = r->body[b],
                                              .scale = k < m->dim ? m->length : 1};
    }
    return BL_OK;
}

/* ---- patterns: every inner entry goes to its column, or to all parameters of a body */

static bl_index width(const bl_centred *r, bl_index inner) { return r->source[inner].body < 0 ? 1 : r->kind->n; }

static bl_status collect_G(bl_centred *r, bl_pairs *p) {
    const bl_pattern *pat = &r->inner->pat_G;
    for (bl_index j = 0; j < r->inner->nv; j++)
        for (bl_index k = pat->ptr[j]; k < pat->ptr[j + 1]; k++) {
            r->G_ptr[k] = p->n;
            for (bl_index i = 0; i < width(r, j); i++)
                BL_TRY(bl_pairs_add(p, pat->idx[k], r->source[j].col + i));
        }
    for (bl_index b = 0; b < r->nbody; b++)
        for (int k = 0; k < r->kind->nrow; k++)
            for (int i = 0; i < r->kind->n; i++)
                BL_TRY(bl_pairs_add(p, r->inner->np + b * r->kind->nrow + k, b * r->per + r->m->dim + i));
    return BL_OK;
}

static bl_status collect_K(bl_centred *r, bl_pairs *p) {
    const bl_pattern *pat = &r->inner->pat_K;
    for (bl_index j = 0; j < r->inner->nv; j++)
        for (bl_index k = pat->ptr[j]; k < pat->ptr[j + 1]; k++) {
            r->K_ptr[k] = p->n;
            bl_index i = pat->idx[k];
            for (bl_index a = 0; a < width(r, i); a++)
                for (bl_index b = 0; b < width(r, j); b++)
                    BL_TRY(bl_pairs_add(p, r->source[i].col + a, r->source[j].col + b));
        }
    for (bl_index b = 0; b < r->nbody; b++)
        for (int i = 0; i < r->kind->n; i++)
            for (int j = 0; j < r->kind->n; j++)
                BL_TRY(bl_pairs_add(p, b * r->per + r->m->dim + i, b * r->per + r->m->dim + j));
    return BL_OK;
}

static bool of_rod(const bl_centred *r, bl_index inner) { return r->source[inner].body < 0 && r->source[inner].col >= r->nbody * r->per; }

static bl_status collect_M(bl_centred *r, bl_pairs *p) {
    for (bl_index b = 0; b < r->nbody; b++) {
        for (int k = 0; k < r->m->dim; k++)
            BL_TRY(bl_pairs_add(p, b * r->per + k, b * r->per + k));
        for (int i = 0; i < r->kind->n; i++)
            for (int j = 0; j < r->kind->n; j++)
                BL_TRY(bl_pairs_add(p, b * r->per + r->m->dim + i, b * r->per + r->m->dim + j));
    }
    const bl_pattern *pat = &r->inner->pat_M;
    for (bl_index j = 0; j < r->inner->nv; j++)
        for (bl_index k = pat->ptr[j]; k < pat->ptr[j + 1]; k++)
            if (of_rod(r, j))
                BL_TRY(bl_pairs_add(p, r->source[pat->idx[k]].col, r->source[j].col));
    return BL_OK;
}

static bl_status build_pattern(bl_centred *r, bl_status (*collect)(bl_centred *, bl_pairs *), bl_index nrow, bl_index ncol,
                               bl_pattern *pattern, bl_index **slot) {
    bl_context *ctx = r->arena.ctx;
    bl_pairs p = {.ctx = ctx};
    bl_status status = collect(r, &p);
    if (status == BL_OK)
        status = BL_NEW(ctx, *slot, p.n + 1);
    if (status == BL_OK)
        status = bl_pattern_build(ctx, nrow, ncol, p.n, p.row, p.col, pattern, *slot);
    bl_pairs_free(&p);
    return status;
}

static bl_status build_patterns(bl_centred *r, bl_system *sys) {
    bl_index nG = r->inner->pat_G.ptr[r->inner->nv], nK = r->inner->pat_K.ptr[r->inner->nv], n = sys->nv;
    r->G_ptr = bl_arena_alloc(&r->arena, (size_t)nG + 1, sizeof *r->G_ptr);
    r->K_ptr = bl_arena_alloc(&r->arena, (size_t)nK + 1, sizeof *r->K_ptr);
    r->rod_slot = bl_arena_alloc(&r->arena, (size_t)r->inner->pat_M.ptr[r->inner->nv] + 1, sizeof *r->rod_slot);
    if (!r->G_ptr || !r->K_ptr || !r->rod_slot)
        return BL_E_MEMORY;
    BL_TRY(build_pattern(r, collect_G, sys->np, n, &sys->pat_G, &r->G_slot));
    BL_TRY(build_pattern(r, collect_K, n, n, &sys->pat_K, &r->K_slot));
    BL_TRY(build_pattern(r, collect_M, n, n, &sys->pat_M, &r->M_slot));
    sys->pat_C = sys->pat_K;
    const bl_index *slot = r->M_slot + r->nbody * (r->m->dim + r->kind->n * r->kind->n);
    for (bl_index j = 0; j < r->inner->nv; j++)
        for (bl_index k = r->inner->pat_M.ptr[j]; k < r->inner->pat_M.ptr[j + 1]; k++)
            r->rod_slot[k] = of_rod(r, j) ? *slot++ : -1;
    bl_index products = 0;
    for (bl_index j = 0; j < r->inner->nv; j++)
        products += (r->inner->pat_G.ptr[j + 1] - r->inner->pat_G.ptr[j]) * width(r, j);
    r->row_slot = r->G_slot + products;
    products = 0;
    for (bl_index j = 0; j < r->inner->nv; j++)
        for (bl_index k = r->inner->pat_K.ptr[j]; k < r->inner->pat_K.ptr[j + 1]; k++)
            products += width(r, j) * width(r, r->inner->pat_K.idx[k]);
    r->block = r->K_slot + products;
    return BL_OK;
}

/* ---- what stands beside the system */

static bl_status reference_initial(const bl_system *sys, bl_state *state) {
    const bl_centred *r = bl_ref(sys);
    bl_state inner = {0};
    bl_status status = bl_state_create(r->inner, 0, &inner);
    if (status == BL_OK)
        status = bl_coords_initial(r->inner, &inner);
    if (status == BL_OK) {
        memset(state->v, 0, (size_t)sys->nv * sizeof(double));
        *state->t = 0;
        *state->work = 0;
        memcpy(state->history, inner.history, r->inner_history);
        for (bl_index j = 0; j < r->inner->nv; j++)
            if (r->source[j].body < 0)
                state->q[r->source[j].col] = inner.q[j];
        for (bl_index b = 0; b < r->nbody; b++) {
            memcpy(state->q + b * r->per + r->m->dim, r->start, (size_t)r->kind->n * sizeof(double));
            if (r->kind->room)
                memcpy(state->history + r->inner_history + (size_t)b * sizeof r->kept, r->kept, sizeof r->kept);
        }
    }
    bl_state_destroy(r->inner, &inner);
    return status;
}

/* conditions on x become conditions on q by the slope of the axes */
static bl_status reference_conditions(const bl_system *sys, bl_eval *e, bool positions, bl_arena *arena, bl_condition **out, bl_index *n) {
    const bl_centred *r = bl_ref(sys);
    bl_centred_work *w = e->own;
    BL_TRY(bl_system_eval(sys, e, BL_PHI | BL_POSE)); /* brings the inner place up to date */
    BL_TRY(bl_mech_conditions(r->inner, &w->inner, positions, arena, out, n));
    int np = r->kind->n, naxis = r->kind->naxis;
    for (bl_index i = 0; i < *n; i++) {
        bl_condition *c = &(*out)[i];
        bl_index count = 0;
        bl_index *col = bl_arena_alloc(arena, (size_t)(c->n * np) + 1, sizeof *col);
        double *coef = bl_arena_alloc(arena, (size_t)(c->n * np) + 1, sizeof *coef);
        if (!col || !coef)
            return BL_E_MEMORY;
        for (bl_index k = 0; k < c->n; k++) {
            const bl_source *from = &r->source[c->col[k]];
            for (int a = 0; a < (from->body < 0 ? 1 : np); a++) {
                double slope = from->body < 0 ? 1 : w->X[(from->body * naxis + from->part) * np + a];
                bl_index at = 0;
                while (at < count && col[at] != from->col + a)
                    at++;
                if (at == count) {
                    col[count] = from->col + a;
                    coef[count++] = 0;
                }
                coef[at] += c->coef[k] * slope;
            }
        }
        c->n = count;
        c->col = col;
        c->coef = coef;
    }
    return BL_OK;
}

static const bl_coords_slots reference_slots = {reference_initial, reference_conditions};

static bl_status choose_sequence(bl_centred *r, const bl_value *asked) {
    bl_context *ctx = r->arena.ctx;
    bool given = asked->given && r->m->dim == 3; /* in the plane one angle, whatever turns in space */
    if (given && !r->chosen.sequence) {
        bl_fail(ctx, BL_E_ARG, NULL, "reference: a sequence says how angles turn, not %s", r->chosen.name);
        bl_advise(ctx, "reference:angles,sequence=%s", asked->text);
        return BL_E_ARG;
    }
    if (given && !(r->chosen.sequence = bl_arena_text(&r->arena, asked->text, strlen(asked->text))))
        return BL_E_MEMORY;
    if (r->kind->start)
        memcpy(r->start, r->kind->start, (size_t)r->kind->n * sizeof(double));
    if (!r->kind->room)
        return BL_OK;
    double axes[9];
    r->kind->start_of(r->kind, r->start);
    bl_orientation_axes(r->kind, r->start, axes);
    for (int k = 0; k < 9; k++)
        r->kept[k] = axes[3 * (k % 3) + k / 3];
    return BL_OK;
}

static bl_status build(bl_centred *r, bl_system *sys, const bl_model *model, const bl_value *value) {
    BL_TRY(bl_mech_build(sys->ctx, model, false, false, true, &r->inner));
    r->m = bl_mech(r->inner);
    const char *name = model->dim == 2 ? "angle" : value[0].text;
    for (size_t i = 0; i < sizeof orientations / sizeof *orientations; i++)
        if (!name || strcmp(orientations[i]->name, name) == 0) {
            r->chosen = *orientations[i];
            break;
        }
    r->kind = &r->chosen;
    BL_TRY(choose_sequence(r, &value[1]));
    r->body = bl_arena_alloc(&r->arena, (size_t)model->nbody, sizeof *r->body);
    if (!r->body)
        return BL_E_MEMORY;
    for (bl_index b = 1; b < model->nbody; b++)
        if (r->m->framed[b])
            r->body[r->nbody++] = b;
    r->per = model->dim + r->kind->n;
    sys->nq = sys->nv = r->inner->nv - r->nbody * (r->kind->naxis - r->kind->n);
    sys->np = r->inner->np + r->nbody * r->kind->nrow;
    sys->nbody = r->inner->nbody;
    sys->njoint = r->inner->njoint;
    sys->nvariable = r->inner->nvariable;
    sys->nprobe = r->inner->nprobe;
    sys->nevent = r->inner->nevent;
    sys->nload = r->inner->nload;
    sys->load_open = r->inner->load_open;
    r->inner_history = r->inner->history_bytes;
    sys->history_bytes = r->inner_history + (r->kind->room ? (size_t)r->nbody * sizeof r->kept : 0);
    sys->can = reference_kind.kind.gives;
    sys->facts = (r->inner->facts & ~(uint32_t)(BL_M_CONST | BL_PHI_QUADRATIC)) | (r->kind->n > 1 ? BL_Q_OF_V : BL_M_CONST);
    BL_TRY(find_sources(r));
    BL_TRY(describe(r, sys));
    sys->row = r->row;
    sys->col = r->col;
    BL_TRY(build_patterns(r, sys));
    BL_TRY(bl_pulled_scale_rows(sys, r->m->length, r->row));
    return bl_pulled_independent(sys, model, &r->arena);
}

bl_status bl_reference_build(bl_context *ctx, const bl_model *model, const bl_value *value, bl_system **out) {
    bl_system *sys;
    bl_centred *r;
    *out = NULL;
    BL_TRY(BL_NEW(ctx, sys, 1));
    sys->ctx = ctx;
    sys->kind = &reference_kind;
    if (BL_NEW(ctx, r, 1) != BL_OK) {
        bl_free(ctx, sys);
        return BL_E_MEMORY;
    }
    sys->own = r;
    r->slots = &reference_slots;
    r->arena.ctx = ctx;
    bl_status status = build(r, sys, model, value);
    if (status != BL_OK) {
        reference_destroy(sys);
        return status;
    }
    *out = sys;
    return BL_OK;
}
