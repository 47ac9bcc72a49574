/* Forms: every mark is a constant linear form of the full coordinates, so directions, their rates and forces on them use one sparse
 * table: D = F x, D' = F x', and a force g on D gives the generalized force F^T g. */
#include "base/vector3.h"
#include "coords/coords_limits.h"
#include "coords/mechanism.h"

#include <math.h>
#include <string.h>

void bl_form_clear(bl_form *f) { memset(f->n, 0, sizeof f->n); }

static bl_status add_term(bl_context *ctx, bl_form *f, int k, bl_index entry, double coef) {
    if (coef == 0)
        return BL_OK;
    for (bl_index i = 0; i < f->n[k]; i++)
        if (f->entry[k][i] == entry) {
            double sum = f->coef[k][i] + coef;
            if (fabs(sum) <= coords_canceled * fabs(coef)) { /* cancellation: the term is dropped to keep the pattern sparse */
                bl_index last = --f->n[k];
                f->entry[k][i] = f->entry[k][last];
                sum = f->coef[k][last];
            }
            f->coef[k][i] = sum;
            return BL_OK;
        }
    if (f->n[k] == BL_FORM_TERMS)
        return bl_fail(ctx, BL_E_MODEL, NULL, "a point or vector of a body depends on more than %d coordinates", BL_FORM_TERMS);
    bl_index i = f->n[k]++;
    f->entry[k][i] = entry;
    f->coef[k][i] = coef;
    return BL_OK;
}

void bl_form_entity(const bl_mechanism *m, bl_index entity, double coef, bl_form *f) {
    for (int k = 0; k < m->dim; k++)
        add_term(m->ctx, f, k, m->entity[entity].base + k, coef);
}

bl_status bl_form_add(bl_context *ctx, bl_form *f, double coef, const bl_form *g) {
    for (int k = 0; k < 3; k++)
        for (bl_index i = 0; i < g->n[k]; i++)
            BL_TRY(add_term(ctx, f, k, g->entry[k][i], coef * g->coef[k][i]));
    return BL_OK;
}

void bl_form_scale(bl_form *f, double coef) {
    for (int k = 0; k < 3; k++)
        for (bl_index i = 0; i < f->n[k]; i++)
            f->coef[k][i] *= coef;
}

/* direction k of a basis */
bl_status bl_form_basis(const bl_mechanism *m, const bl_basis *basis, bl_index k, bl_form *f) {
    bl_form_clear(f);
    if (basis->seat[k] >= 0) {
        const bl_seat *seat = &m->seat[basis->seat[k]];
        bl_form_entity(m, seat->entity, 1, f);
        if (!m->entity[seat->entity].is_vector)
            bl_form_entity(m, m->seat[basis->origin].entity, -1, f);
        return BL_OK;
    }
    bl_form g; /* axis x (earlier direction): a constant matrix times its components */
    BL_TRY(bl_form_basis(m, basis, basis->cross_of[k], &g));
    const double *w = basis->cross_axis;
    const double cross[3][3] = {{0, -w[2], w[1]}, {w[2], 0, -w[0]}, {-w[1], w[0], 0}};
    for (int i = 0; i < m->dim; i++)
        for (int j = 0; j < m->dim; j++)
            for (bl_index t = 0; t < g.n[j]; t++)
                BL_TRY(add_term(m->ctx, f, i, g.entry[j][t], cross[i][j] * g.coef[j][t]));
    return BL_OK;
}

/* xi_k of s in the basis; 0 where it contributes only rounding errors */
static double basis_coordinate(const bl_mechanism *m, const bl_basis *basis, bl_index k, bool is_vector, const double s[3]) {
    double xi = dot3(basis->dual[k], s), length = sqrt(dot3(basis->d[k], basis->d[k]));
    return fabs(xi) * length < coords_dropped * (is_vector ? 1 : m->size) ? 0 : xi;
}

bl_status bl_form_in_basis(const bl_mechanism *m, const bl_mark *mark, double coef, bl_form *f) {
    const bl_basis *basis = &m->basis[mark->body];
    double s[3];
    if (bl_mesh_of(m, mark->body))
        return bl_mesh_form(m, mark, coef, f);
    for (int c = 0; c < 3; c++)
        s[c] = mark->s[c] - (mark->is_vector ? 0 : m->seat[basis->origin].s[c]);
    if (!mark->is_vector)
        bl_form_entity(m, m->seat[basis->origin].entity, coef, f);
    for (bl_index k = 0; k < basis->n; k++) {
        double xi = basis_coordinate(m, basis, k, mark->is_vector, s);
        if (xi == 0)
            continue;
        bl_form d;
        BL_TRY(bl_form_basis(m, basis, k, &d));
        BL_TRY(bl_form_add(m->ctx, f, coef * xi, &d));
    }
    return BL_OK;
}

bl_status bl_form_mark(const bl_mechanism *m, const bl_mark *mark, bl_form *f) {
    if (mark->body == 0) {
        for (int k = 0; k < m->dim; k++)
            BL_TRY(add_term(m->ctx, f, k, m->one, mark->s[k]));
        return BL_OK;
    }
    double sign = 1;
    bl_index seat = bl_plan_find_seat(m, mark->body, mark->is_vector, mark->s, &sign);
    if (seat >= 0) { /* the mark is an entity itself: sparsest form */
        bl_form_entity(m, m->seat[seat].entity, sign, f);
        return BL_OK;
    }
    return bl_form_in_basis(m, mark, 1, f);
}

/* ---- the table of directions */

static bool same_form(const bl_mechanism *m, bl_index dir, const bl_form *f) {
    for (int k = 0; k < m->dim; k++) {
        bl_index begin = m->form_ptr[dir * m->dim + k], n = m->form_ptr[dir * m->dim + k + 1] - begin;
        if (n != f->n[k])
            return false;
        for (bl_index i = 0; i < n; i++)
            if (m->form_entry[begin + i] != f->entry[k][i] || m->form_coef[begin + i] != f->coef[k][i])
                return false;
    }
    return true;
}

static void sort_terms(bl_form *f) {
    for (int k = 0; k < 3; k++)
        for (bl_index i = 1; i < f->n[k]; i++)
            for (bl_index j = i; j > 0 && f->entry[k][j] < f->entry[k][j - 1]; j--) {
                bl_index e = f->entry[k][j];
                double c = f->coef[k][j];
                f->entry[k][j] = f->entry[k][j - 1], f->coef[k][j] = f->coef[k][j - 1];
                f->entry[k][j - 1] = e, f->coef[k][j - 1] = c;
            }
}

static bool same_part(const bl_part *a, const bl_part *b) {
    return a->body == b->body && (a->body < 0 || (a->form == b->form && a->sign == b->sign && a->is_vector == b->is_vector));
}

static uint64_t key_of(const bl_mechanism *m, const bl_form *f) {
    uint64_t key = BL_HASH_START;
    for (int k = 0; k < m->dim; k++) {
        key = bl_hash_mix(key, (uint64_t)f->n[k]);
        for (bl_index i = 0; i < f->n[k]; i++)
            key = bl_hash_number(bl_hash_mix(key, (uint64_t)f->entry[k][i]), f->coef[k][i]);
    }
    return key;
}

bl_status bl_direction(bl_mechanism *m, const bl_form *form, const bl_part part[2], bl_index *dir) {
    bl_form f = *form;
    sort_terms(&f);
    uint64_t key = key_of(m, &f);
    for (bl_index d = bl_hash_find(&m->directions, key); d >= 0; d = bl_hash_next(&m->directions, d))
        if (same_form(m, d, &f) && same_part(&m->part[d][0], &part[0]) && same_part(&m->part[d][1], &part[1])) {
            *dir = d;
            return BL_OK;
        }
    bl_index d = m->ndir, at = m->ndir ? m->form_ptr[d * m->dim] : 0, add = f.n[0] + f.n[1] + f.n[2];
    BL_TRY(BL_RESERVE(m->ctx, m->part, m->part_room, d + 1));
    BL_TRY(BL_RESERVE(m->ctx, m->form_ptr, m->form_ptr_room, (d + 1) * m->dim + 1));
    BL_TRY(BL_RESERVE(m->ctx, m->form_entry, m->form_entry_room, at + add));
    BL_TRY(BL_RESERVE(m->ctx, m->form_coef, m->form_coef_room, at + add));
    BL_TRY(bl_hash_put(m->ctx, &m->directions, key));
    m->form_ptr[d * m->dim] = at;
    for (int k = 0; k < m->dim; k++) {
        for (bl_index i = 0; i < f.n[k]; i++, at++) {
            m->form_entry[at] = f.entry[k][i];
            m->form_coef[at] = f.coef[k][i];
        }
        m->form_ptr[d * m->dim + k + 1] = at;
    }
    m->part[d][0] = part[0];
    m->part[d][1] = part[1];
    if (m->part[d][0].body >= 0 && m->part[d][0].form < 0)
        m->part[d][0].form = d;
    m->ndir = d + 1;
    *dir = d;
    return BL_OK;
}

bl_status bl_direction_mark(bl_mechanism *m, const bl_mark *mark, bl_index *dir) {
    bl_form f;
    bl_form_clear(&f);
    BL_TRY(bl_form_mark(m, mark, &f));
    return bl_direction_of(m, &f, mark->body, mark->is_vector, dir);
}

bl_status bl_direction_of(bl_mechanism *m, const bl_form *f, bl_index body, bool is_vector, bl_index *dir) {
    bl_form sorted = *f;
    sort_terms(&sorted);
    for (bl_index d = bl_hash_find(&m->directions, key_of(m, &sorted)); d >= 0; d = bl_hash_next(&m->directions, d))
        if (m->part[d][0].body == body && m->part[d][0].form == d && m->part[d][0].is_vector == is_vector && m->part[d][1].body < 0 &&
            same_form(m, d, &sorted)) {
            *dir = d;
            return BL_OK;
        }
    const bl_part part[2] = {{body, is_vector, 1, -1}, {-1, false, 0, -1}};
    return bl_direction(m, &sorted, part, dir);
}

bl_status bl_direction_between(bl_mechanism *m, const bl_mark *a, const bl_mark *b, bl_index *dir) {
    bl_index da, db;
    BL_TRY(bl_direction_mark(m, a, &da));
    BL_TRY(bl_direction_mark(m, b, &db));
    bl_form f, g;
    bl_form_clear(&f);
    bl_form_clear(&g);
    BL_TRY(bl_form_mark(m, b, &f));
    BL_TRY(bl_form_mark(m, a, &g));
    BL_TRY(bl_form_add(m->ctx, &f, -1, &g));
    const bl_part part[2] = {{b->body, b->is_vector, 1, db}, {a->body, a->is_vector, -1, da}};
    return bl_direction(m, &f, part, dir);
}
