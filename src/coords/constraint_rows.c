/* Constraint equations that keep bodies rigid, represent joints, define variables, and drive them.
 *
 * A rigid body has constant scalar products of its basis directions (quadratic rows); its further points are affine combinations (linear
 * rows). Primitives are written once in terms of directions; a vector that two bodies share has one norm equation. */
#include "base/vector3.h"
#include "coords/mechanism.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bl_status bl_row_add(bl_mechanism *m, bl_row_what what, bl_index owner, bl_index partner, const char *meaning, double constant) {
    BL_TRY(BL_RESERVE(m->ctx, m->row, m->row_room, m->nrow + 1));
    BL_TRY(BL_RESERVE(m->ctx, m->row_constant, m->row_constant_room, m->nrow + 1));
    BL_TRY(BL_RESERVE(m->ctx, m->row_meaning, m->row_meaning_room, m->nrow + 1));
    BL_TRY(BL_RESERVE(m->ctx, m->row_relation, m->row_relation_room, m->nrow + 1));
    const bl_row *before = m->nrow ? &m->row[m->nrow - 1] : NULL;
    int part = before && before->owner == owner && before->what == what ? before->part + 1 : 0;
    m->row[m->nrow] =
        (bl_row){.what = (uint8_t)what, .law = BL_LAW_EQUAL, .part = (uint8_t)part, .owner = owner, .partner = partner, .scale = 1};
    m->row_constant[m->nrow] = constant;
    m->row_relation[m->nrow] = false;
    snprintf(m->row_meaning[m->nrow], sizeof m->row_meaning[0], "%s", meaning ? meaning : "");
    m->nrow++;
    return BL_OK;
}

bl_status bl_row_quad(bl_mechanism *m, bl_index a, bl_index b, double coef) {
    BL_TRY(BL_RESERVE(m->ctx, m->quad, m->quad_room, m->nquad + 1));
    m->quad[m->nquad++] = (struct bl_quad){m->nrow - 1, a, b, coef};
    return BL_OK;
}

bl_status bl_row_linear(bl_mechanism *m, bl_index entry, double coef, bl_index body) {
    BL_TRY(BL_RESERVE(m->ctx, m->linear, m->linear_room, m->nlinear + 1));
    m->linear[m->nlinear++] = (struct bl_linear){.row = m->nrow - 1, .entry = entry, .coef = coef, .body = body, .arm = -1};
    return BL_OK;
}

/* component k of the form of a mark, times sign */
static bl_status add_mark(bl_mechanism *m, const bl_mark *mark, const bl_form *f, int k, int sign) {
    bl_index dir, first = m->nlinear;
    BL_TRY(bl_direction_mark(m, mark, &dir));
    for (bl_index i = 0; i < f->n[k]; i++)
        BL_TRY(bl_row_linear(m, f->entry[k][i], sign * f->coef[k][i], mark->body));
    if (m->nlinear > first) {
        m->linear[first].arm = dir;
        m->linear[first].part = (int8_t)k;
        m->linear[first].force = (int8_t)sign;
    }
    return BL_OK;
}

static bool moves(const bl_mechanism *m, const bl_form *f) {
    for (int k = 0; k < m->dim; k++)
        for (bl_index i = 0; i < f->n[k]; i++)
            if (f->entry[k][i] < m->nfree)
                return true;
    return false;
}

/* ---- bodies */

/* the last joint that attaches one of the entities (b may be -1): the one to report if the equation cannot be satisfied */
static bl_index closing_joint(const bl_mechanism *m, bl_index a, bl_index b) {
    bl_index first = m->entity_joint[a], second = b < 0 ? -1 : m->entity_joint[b];
    return first > second ? first : second;
}

static bl_status gram_row(bl_mechanism *m, bl_index body, bl_index i, bl_index j) {
    const bl_basis *basis = &m->basis[body];
    bl_form fi, fj;
    BL_TRY(bl_form_basis(m, basis, i, &fi));
    BL_TRY(bl_form_basis(m, basis, j, &fj));
    bl_entity *ei = &m->entity[m->seat[basis->seat[i]].entity], *ej = &m->entity[m->seat[basis->seat[j]].entity];
    bool norm = i == j && ei->is_vector;
    if (norm && ei->norm_written)
        return BL_OK;
    if (!norm && !moves(m, &fi) && !moves(m, &fj))
        return BL_OK;
    char meaning[48];
    if (i == j)
        snprintf(meaning, sizeof meaning, norm ? "unit length of %.28s" : "distance to %.30s", ei->name);
    else
        snprintf(meaning, sizeof meaning, "angle of %.16s and %.16s", ei->name, ej->name);
    if (norm)
        ei->norm_written = true;
    bl_index joint = closing_joint(m, m->seat[basis->seat[i]].entity, m->seat[basis->seat[j]].entity);
    /* the vectors of a frame are nine parameters of its orientation: their rows can be eliminated node by node
     * (docs/theory/nullspace.md) */
    bool parameters = norm || (m->model->body[body].what == BL_BODY_FRAME && ei->is_vector && ej->is_vector);
    BL_TRY(bl_row_add(m, parameters ? BL_ROW_PARAM : BL_ROW_RIGID, body, joint, meaning, -dot3(basis->d[i], basis->d[j])));
    bl_index di, dj;
    BL_TRY(bl_direction_of(m, &fi, body, true, &di));
    BL_TRY(bl_direction_of(m, &fj, body, true, &dj));
    return bl_row_quad(m, di, dj, 1);
}

/* A further entity of the body is an affine combination of its basis. The forces of these rows on the body cancel. */
static bl_status affine_rows(bl_mechanism *m, bl_index body, bl_index seat) {
    const bl_seat *at = &m->seat[seat];
    bl_entity *e = &m->entity[at->entity];
    bl_mark mark = {.body = body, .is_vector = e->is_vector, .s = {at->s[0], at->s[1], at->s[2]}};
    bl_form f;
    bl_form_clear(&f);
    BL_TRY(bl_form_in_basis(m, &mark, -1, &f));
    bl_form_entity(m, m->seat[seat].entity, 1, &f);
    if (e->is_vector)
        e->norm_written = true;
    if (!moves(m, &f))
        return BL_OK;
    for (int k = 0; k < m->dim; k++) {
        char meaning[48];
        snprintf(meaning, sizeof meaning, "%c of %.40s", "xyz"[k], e -> name);
        BL_TRY(bl_row_add(m, BL_ROW_RIGID, body, closing_joint(m, m->seat[seat].entity, -1), meaning, 0));
        for (bl_index i = 0; i < f.n[k]; i++)
            BL_TRY(bl_row_linear(m, f.entry[k][i], f.coef[k][i], body));
    }
    return BL_OK;
}

static bl_status body_rows(bl_mechanism *m, bl_index body) {
    const bl_basis *basis = &m->basis[body];
    bl_index own = 0; /* directions that are entities, not cross products */
    while (own < basis->n && basis->seat[own] >= 0)
        own++;
    /* distances and angles of point differences, then of vectors, then norms of vectors */
    for (bl_index i = 0; i < own; i++)
        for (bl_index j = i; j < own; j++)
            if (!m->entity[m->seat[basis->seat[i]].entity].is_vector)
                BL_TRY(gram_row(m, body, i, j));
    for (int norms = 0; norms < 2; norms++)
        for (bl_index i = 0; i < own; i++)
            for (bl_index j = i; j < own; j++)
                if (m->entity[m->seat[basis->seat[i]].entity].is_vector && (i == j) == (norms == 1))
                    BL_TRY(gram_row(m, body, i, j));
    for (bl_index i = m->first_seat[body]; i >= 0; i = m->seat[i].next) {
        if (i == basis->origin)
            continue;
        bool in_basis = false;
        for (bl_index k = 0; k < basis->n; k++)
            in_basis = in_basis || basis->seat[k] == i;
        if (!in_basis)
            BL_TRY(affine_rows(m, body, i));
    }
    return BL_OK;
}

/* ---- joints */

static bl_status add_product(bl_mechanism *m, bl_product *p) {
    BL_TRY(BL_RESERVE(m->ctx, m->product, m->product_room, m->nproduct + 1));
    p->row = m->nrow - 1;
    m->product[m->nproduct++] = *p;
    return BL_OK;
}

/* one factor of a scalar product: a mark, or the difference of two */
static bl_status factor_direction(bl_mechanism *m, const bl_prim *prim, const int8_t mark[2], bl_index *dir) {
    const bl_mark *to = &prim->mark[mark[1]];
    return mark[0] < 0 ? bl_direction_mark(m, to, dir) : bl_direction_between(m, &prim->mark[mark[0]], to, dir);
}

/* both factors of a scalar product */
static bl_status term_directions(bl_mechanism *m, const bl_prim *prim, const struct bl_prim_term *term, bl_index *u, bl_index *w) {
    BL_TRY(factor_direction(m, prim, term->factor[0], u));
    *w = *u;
    if (memcmp(term->factor[0], term->factor[1], sizeof term->factor[0]) != 0)
        BL_TRY(factor_direction(m, prim, term->factor[1], w));
    return BL_OK;
}

/* the law of the row just added, if its primitive belongs to a contact */
static void set_law(bl_mechanism *m, const bl_prim *prim) {
    bl_row *row = &m->row[m->nrow - 1];
    if (prim->one_sided)
        row->law = row->part > 0 || bl_prim_is_slip(prim) ? BL_LAW_FRICTION : BL_LAW_UNILATERAL;
}

/* sum of weight u . w = value^degree, or the same power of a variable that is a coordinate */
static bl_status scalar_product_row(bl_mechanism *m, bl_index joint, const bl_prim *prim, const bl_prim_product *form) {
    bool variable = prim->var[0] >= 0, square = form->degree == 2;
    double constant = variable ? 0 : square ? -prim->value * prim->value : -prim->value;
    bl_index u, w;
    BL_TRY(bl_row_add(m, variable ? BL_ROW_VARIABLE : BL_ROW_JOINT, joint, -1, prim->meaning, constant));
    set_law(m, prim);
    if (!variable || !square) {
        for (int i = 0; i < form->n; i++) {
            BL_TRY(term_directions(m, prim, &form->term[i], &u, &w));
            BL_TRY(bl_row_quad(m, u, w, form->term[i].weight));
        }
        return variable ? bl_row_linear(m, m->gauge[prim->var[0]].entry, -1, -1) : BL_OK;
    }
    BL_TRY(term_directions(m, prim, &form->term[0], &u, &w));
    bl_product p = {.ndir = u == w ? 1 : 2, .dir = {u, w}, .nscalar = 1, .scalar = {m->gauge[prim->var[0]].entry}, .nterm = {2}};
    bl_factor value = {.what = BL_F_VALUE, .slot = {0}};
    p.term[0][0] = (bl_term){.coef = 1, .nfactor = 1, .factor = {{.what = BL_F_DOT, .slot = {0, p.ndir - 1}}}};
    p.term[0][1] = (bl_term){.coef = -1, .nfactor = 2, .factor = {value, value}};
    return add_product(m, &p);
}

static bl_status angle_rows(bl_mechanism *m, bl_index joint, const bl_prim *prim) {
    for (bl_index k = 0; k < (prim->what == BL_ANGLES ? 3 : 1); k++) {
        bl_product p = {0};
        BL_TRY(prim->what == BL_ANGLES ? bl_product_angles(m, prim, k, &p) : bl_product_angle(m, joint, prim, &m->gauge[prim->var[0]], &p));
        BL_TRY(bl_row_add(m, BL_ROW_VARIABLE, joint, -1, prim->meaning, 0));
        BL_TRY(add_product(m, &p));
    }
    return BL_OK;
}

static bl_status relation_row(bl_mechanism *m, bl_index joint, const bl_prim *prim) {
    BL_TRY(bl_row_add(m, BL_ROW_JOINT, joint, -1, prim->meaning, -prim->value));
    set_law(m, prim);
    m->row_relation[m->nrow - 1] = true;
    m->row[m->nrow - 1].level = bl_prim_is_slip(prim) ? BL_AT_VELOCITY : BL_AT_POSITION;
    for (int k = 0; k < 3; k++)
        if (prim->var[k] >= 0 && prim->coef[k] != 0)
            BL_TRY(bl_row_linear(m, m->gauge[prim->var[k]].entry, prim->coef[k], -1));
    return BL_OK;
}

static bl_status function_row(bl_mechanism *m, bl_index joint, const bl_prim *prim) {
    bl_product p = {0};
    BL_TRY(bl_row_add(m, BL_ROW_JOINT, joint, -1, prim->meaning, -prim->value));
    set_law(m, prim);
    m->row_relation[m->nrow - 1] = bl_prim_is_relation(prim);
    m->row[m->nrow - 1].level = bl_prim_is_slip(prim) ? BL_AT_VELOCITY : BL_AT_POSITION;
    BL_TRY(bl_function_row(m, prim, &p));
    return add_product(m, &p);
}

/* Points and vectors that coincide have no equations here: they are shared, or handled by closure_rows. */
static bl_status primitive_rows(bl_mechanism *m, bl_index joint, const bl_prim *prim) {
    const bl_prim_product *form = bl_prim_product_of(prim);
    if (prim->what == BL_LINEAR || prim->what == BL_RATE)
        return relation_row(m, joint, prim);
    if (prim->what == BL_FUNCTION || prim->what == BL_ON_CURVE || prim->what == BL_ON_FACE || prim->touch)
        return function_row(m, joint, prim);
    if (prim->var[0] >= 0 && !m->wanted[prim->var[0]])
        return BL_OK; /* it defines a variable that is not a coordinate */
    if (form)
        return scalar_product_row(m, joint, prim, form);
    return prim->what == BL_ANGLE || prim->what == BL_ANGLES ? angle_rows(m, joint, prim) : BL_OK;
}

/* Two vectors coincide: the first has no component perpendicular to the second, whose body has axes. Two equations remove two degrees of
 * freedom; b = -a is a second solution, but far away. */
static bl_status same_rows(bl_mechanism *m, bl_index joint, const bl_prim *prim) {
    const bl_mark *first = m->unshared[prim->b.body] ? &prim->a : &prim->b, *second = m->unshared[prim->b.body] ? &prim->b : &prim->a;
    double across[2][3], other[3] = {fabs(second->s[0]) < 0.6, fabs(second->s[0]) >= 0.6, 0};
    cross3(second->s, other, across[0]);
    double length = sqrt(dot3(across[0], across[0]));
    for (int c = 0; c < 3; c++)
        across[0][c] /= length;
    cross3(second->s, across[0], across[1]);
    for (int k = 0; k < 2; k++) {
        bl_mark mark = *second;
        memcpy(mark.s, across[k], sizeof mark.s);
        bl_index a, b;
        BL_TRY(bl_row_add(m, BL_ROW_CLOSURE, joint, -1, prim->meaning, 0));
        BL_TRY(bl_direction_mark(m, first, &a));
        BL_TRY(bl_direction_mark(m, &mark, &b));
        BL_TRY(bl_row_quad(m, a, b, 1));
    }
    return BL_OK;
}

/* a cut joint is closed component by component */
static bl_status closure_rows(bl_mechanism *m, bl_index joint, const bl_prim *prim) {
    if (m->dim == 2 && prim->what == BL_SAME) { /* one degree of freedom, one equation: b has no component perpendicular to a */
        bl_mark across = prim->b;
        across.s[0] = -prim->b.s[1];
        across.s[1] = prim->b.s[0];
        bl_index a, b;
        BL_TRY(bl_row_add(m, BL_ROW_CLOSURE, joint, -1, prim->meaning, 0));
        BL_TRY(bl_direction_mark(m, &prim->a, &a));
        BL_TRY(bl_direction_mark(m, &across, &b));
        return bl_row_quad(m, a, b, 1);
    }
    if (prim->what == BL_SAME && (m->unshared[prim->a.body] || m->unshared[prim->b.body]))
        return same_rows(m, joint, prim);
    for (int k = 0; k < m->dim; k++) {
        char meaning[48];
        snprintf(meaning, sizeof meaning, "%s of %c", prim->what == BL_SAME ? "same direction" : "coincidence", "xyz"[k]);
        BL_TRY(bl_row_add(m, BL_ROW_CLOSURE, joint, -1, meaning, 0));
        for (int side = 0; side < 2; side++) {
            const bl_mark *mark = side ? &prim->a : &prim->b;
            bl_form f;
            bl_form_clear(&f);
            BL_TRY(bl_form_mark(m, mark, &f));
            BL_TRY(add_mark(m, mark, &f, k, side ? -1 : 1));
        }
    }
    return BL_OK;
}

bl_status bl_rows_build(bl_mechanism *m) {
    const bl_model *model = m->model;
    BL_TRY(BL_ARENA_NEW(&m->arena, m->entity_joint, m->nentity));
    for (bl_index e = 0; e < m->nentity; e++)
        m->entity_joint[e] = -1;
    for (bl_index h = 0; h < m->nshare; h++) {
        bl_index *last = &m->entity_joint[m->seat[m->share[h].seat_a].entity];
        *last = m->share[h].joint > *last ? m->share[h].joint : *last;
    }
    for (bl_index i = 1; i < model->nbody; i++) {
        BL_TRY(bl_go_on(m->ctx));
        if (!m->framed[i] && !bl_mesh_of(m, i)) /* axes of bodies that share nothing are kept rigid by the derived coordinates */
            BL_TRY(body_rows(m, i));
        BL_TRY(bl_floating_rows(m, i));
    }
    BL_TRY(bl_interface_rows(m));
    for (bl_index j = 0; j < bl_model_joints(model); j++)
        for (bl_index p = 0; p < model->joint[j].nprim; p++)
            BL_TRY(primitive_rows(m, j, &model->joint[j].prim[p]));
    for (bl_index j = 0; j < bl_model_joints(model); j++)
        for (bl_index p = 0; p < model->joint[j].nprim; p++) {
            const bl_prim *prim = &model->joint[j].prim[p];
            if ((prim->what == BL_COINCIDE || prim->what == BL_SAME) && !bl_plan_shares(m, j, prim))
                BL_TRY(closure_rows(m, j, prim));
        }
    BL_TRY(BL_ARENA_NEW(&m->arena, m->driver_row, model->ndriver));
    for (bl_index d = 0; d < model->ndriver; d++) {
        m->driver_row[d] = m->nrow;
        BL_TRY(bl_row_add(m, BL_ROW_DRIVER, d, model->variable[model->driver[d].variable].joint, "driven value", 0));
        BL_TRY(bl_row_linear(m, m->gauge[model->driver[d].variable].entry, 1, -1));
    }
    return BL_OK;
}
