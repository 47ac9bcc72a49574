/* Compile: patterns, and the lists of operations that fill their values. Patterns are built once, values are computed many times.
 *
 * With D = F x the quadratic row  sum coef a.b  has the gradient  sum coef (F_a^T b + F_b^T a): a list of G[slot] += w D[source]. Its
 * second derivative is constant: a list of K[slot] += w lambda[row]. */
#include "coords/coords_limits.h"
#include "coords/derived_coords.h"
#include "sparse/sparse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bl_index form_begin(const bl_mechanism *m, bl_index d, int k) { return m->form_ptr[d * m->dim + k]; }
static bl_index form_end(const bl_mechanism *m, bl_index d, int k) { return m->form_ptr[d * m->dim + k + 1]; }

/* ---- product rows: the entries they depend on */

static bl_status product_entries(bl_mechanism *m, bl_product *p) {
    bl_index total = p->nscalar;
    for (bl_index d = 0; d < p->ndir; d++)
        total += form_end(m, p->dir[d], m->dim - 1) - form_begin(m, p->dir[d], 0);
    BL_TRY(BL_ARENA_ARRAYS(&m->arena, BL_ARRAY(p->map_local, total), BL_ARRAY(p->map_entry, total), BL_ARRAY(p->map_coef, total),
                           BL_ARRAY(p->entry, total)));
    for (bl_index l = 0; l < p->ndir * m->dim + p->nscalar; l++) {
        bool scalar = l >= p->ndir * m->dim;
        bl_index d = scalar ? 0 : p->dir[l / m->dim];
        bl_index begin = scalar ? 0 : form_begin(m, d, l % m->dim), end = scalar ? 1 : form_end(m, d, l % m->dim);
        for (bl_index i = begin; i < end; i++) {
            bl_index entry = scalar ? p->scalar[l - p->ndir * m->dim] : m->form_entry[i], e = 0;
            if (entry >= m->nfree)
                continue;
            while (e < p->nentry && p->entry[e] != entry)
                e++;
            if (e == p->nentry)
                p->entry[p->nentry++] = entry;
            p->map_local[p->nmap] = l;
            p->map_entry[p->nmap] = e;
            p->map_coef[p->nmap++] = scalar ? 1 : m->form_coef[i];
        }
    }
    return BL_OK;
}

/* ---- G */

static int by_slot(const void *a, const void *b) {
    const struct bl_G_op *x = a, *y = b;
    if (x->slot != y->slot)
        return x->slot < y->slot ? -1 : 1;
    return x->source < y->source ? -1 : x->source > y->source;
}

static bl_status quad_side(bl_mechanism *m, bl_pairs *p, bl_index *room, const struct bl_quad *q, bl_index a, bl_index b) {
    for (int k = 0; k < m->dim; k++)
        for (bl_index i = form_begin(m, a, k); i < form_end(m, a, k); i++) {
            if (m->form_entry[i] >= m->nfree)
                continue;
            BL_TRY(BL_RESERVE(m->ctx, m->G_op, *room, m->nG_op + 1));
            m->G_op[m->nG_op++] = (struct bl_G_op){p->n, b * m->dim + k, q->coef * m->form_coef[i]};
            BL_TRY(bl_pairs_add(p, q->row, m->form_entry[i]));
        }
    return BL_OK;
}

static bl_status collect_G(bl_mechanism *m, bl_pairs *p, bl_index *room) {
    for (bl_index t = 0; t < m->nquad; t++) {
        BL_TRY(quad_side(m, p, room, &m->quad[t], m->quad[t].a, m->quad[t].b));
        BL_TRY(quad_side(m, p, room, &m->quad[t], m->quad[t].b, m->quad[t].a));
    }
    for (bl_index t = 0; t < m->nlinear; t++)
        if (m->linear[t].entry < m->nfree)
            BL_TRY(bl_pairs_add(p, m->linear[t].row, m->linear[t].entry));
    for (bl_index i = 0; i < m->nproduct; i++)
        for (bl_index e = 0; e < m->product[i].nentry; e++)
            BL_TRY(bl_pairs_add(p, m->product[i].row, m->product[i].entry[e]));
    return BL_OK;
}

static bl_status compile_G(bl_mechanism *m, bl_system *sys) {
    bl_pairs p = {.ctx = m->ctx};
    bl_index *slot = NULL, room = 0, n = 0;
    bl_status status = collect_G(m, &p, &room);
    if (status == BL_OK)
        status = bl_pairs_build(&p, m->nrow, m->nfree, &sys->pat_G, &slot);
    if (status == BL_OK && !(m->G_constant = bl_arena_alloc(&m->arena, (size_t)sys->pat_G.ptr[m->nfree], sizeof *m->G_constant)))
        status = BL_E_MEMORY;
    if (status == BL_OK) {
        bl_index at = m->nG_op; /* pairs follow in the order in which they were collected */
        for (bl_index i = 0; i < m->nG_op; i++)
            m->G_op[i].slot = slot[m->G_op[i].slot];
        for (bl_index t = 0; t < m->nlinear; t++)
            if (m->linear[t].entry < m->nfree)
                m->G_constant[slot[at++]] += m->linear[t].coef;
        for (bl_index i = 0; i < m->nproduct && status == BL_OK; i++) {
            bl_product *product = &m->product[i];
            product->G_slot = bl_arena_alloc(&m->arena, (size_t)product->nentry, sizeof *product->G_slot);
            if (!product->G_slot)
                status = BL_E_MEMORY;
            for (bl_index e = 0; status == BL_OK && e < product->nentry; e++)
                product->G_slot[e] = slot[at++];
        }
        /* equal operations are merged, their weights added */
        if (m->nG_op)
            qsort(m->G_op, (size_t)m->nG_op, sizeof *m->G_op, by_slot);
        for (bl_index i = 0; i < m->nG_op; i++) {
            if (n && m->G_op[n - 1].slot == m->G_op[i].slot && m->G_op[n - 1].source == m->G_op[i].source)
                m->G_op[n - 1].w += m->G_op[i].w;
            else
                m->G_op[n++] = m->G_op[i];
        }
        m->nG_op = n;
    }
    bl_free(m->ctx, slot);
    bl_pairs_free(&p);
    return status;
}

/* ---- K: second derivatives of constraint equations, derivatives of loads */

static bl_status collect_K(bl_mechanism *m, bl_pairs *p, bl_index *room) {
    for (bl_index t = 0; t < m->nquad; t++) {
        const struct bl_quad *q = &m->quad[t];
        for (int k = 0; k < m->dim; k++)
            for (bl_index i = form_begin(m, q->a, k); i < form_end(m, q->a, k); i++)
                for (bl_index j = form_begin(m, q->b, k); j < form_end(m, q->b, k); j++) {
                    bl_index ei = m->form_entry[i], ej = m->form_entry[j];
                    if (ei >= m->nfree || ej >= m->nfree)
                        continue;
                    double w = q->coef * m->form_coef[i] * m->form_coef[j];
                    BL_TRY(BL_RESERVE(m->ctx, m->K_op, *room, m->nK_op + 2));
                    m->K_op[m->nK_op++] = (struct bl_K_op){p->n, q->row, w};
                    BL_TRY(bl_pairs_add(p, ei, ej));
                    m->K_op[m->nK_op++] = (struct bl_K_op){p->n, q->row, w};
                    BL_TRY(bl_pairs_add(p, ej, ei));
                }
    }
    for (bl_index i = 0; i < m->nproduct; i++)
        for (bl_index r = 0; r < m->product[i].nentry; r++)
            for (bl_index c = 0; c < m->product[i].nentry; c++)
                BL_TRY(bl_pairs_add(p, m->product[i].entry[r], m->product[i].entry[c]));
    for (bl_index i = 0; i < m->nload; i++)
        for (bl_index r = 0; r < m->load[i].nentry; r++)
            for (bl_index c = 0; c < m->load[i].nentry; c++)
                BL_TRY(bl_pairs_add(p, m->load[i].entry[r], m->load[i].entry[c]));
    BL_TRY(bl_elastic_collect_K(m, p));
    return bl_floating_collect(m, p);
}

static bl_status take_slots(bl_mechanism *m, bl_index n, const bl_index *slot, bl_index *at, bl_index **out) {
    BL_TRY(BL_ARENA_NEW(&m->arena, *out, (size_t)n * (size_t)n));
    for (bl_index i = 0; i < n * n; i++)
        (*out)[i] = slot[(*at)++];
    return BL_OK;
}

static bl_status compile_K(bl_mechanism *m, bl_system *sys) {
    bl_pairs p = {.ctx = m->ctx};
    bl_index *slot = NULL, room = 0;
    bl_status status = collect_K(m, &p, &room);
    if (status == BL_OK)
        status = bl_pairs_build(&p, m->nfree, m->nfree, &sys->pat_K, &slot);
    bl_index at = m->nK_op;
    for (bl_index i = 0; status == BL_OK && i < m->nK_op; i++)
        m->K_op[i].slot = slot[i];
    for (bl_index i = 0; status == BL_OK && i < m->nproduct; i++)
        status = take_slots(m, m->product[i].nentry, slot, &at, &m->product[i].K_slot);
    for (bl_index i = 0; status == BL_OK && i < m->nload; i++)
        status = take_slots(m, m->load[i].nentry, slot, &at, &m->load[i].K_slot);
    for (bl_index i = 0; status == BL_OK && i < m->nelastic; i++)
        status = take_slots(m, m->elastic[i].nentry, slot, &at, &m->elastic[i].K_slot);
    for (bl_index i = 0; status == BL_OK && i < m->nfloating; i++)
        status = take_slots(m, m->floating[i].nentry, slot, &at, &m->floating[i].K_slot);
    sys->pat_C = sys->pat_K;
    bl_free(m->ctx, slot);
    bl_pairs_free(&p);
    return status;
}

/* ---- mass and gravity: M = sum S_ab F_a^T F_b */

static bl_status body_forms(const bl_mechanism *m, const bl_basis *basis, bl_form f[4]) {
    bl_form_clear(&f[0]);
    bl_form_entity(m, m->seat[basis->origin].entity, 1, &f[0]);
    for (bl_index k = 0; k < basis->n; k++)
        BL_TRY(bl_form_basis(m, basis, k, &f[k + 1]));
    return BL_OK;
}

/* The first pass collects positions (values NULL), the second adds values in the same order. */
static bl_status mass_pass(bl_mechanism *m, bl_pairs *p, const bl_index *slot, double *values) {
    bl_index at = 0;
    for (bl_index b = 1; b < m->model->nbody; b++) {
        const bl_basis *basis = &m->basis[b];
        bl_form f[4];
        if (bl_mesh_of(m, b)) /* its elements have the mass */
            continue;
        BL_TRY(body_forms(m, basis, f));
        for (bl_index i = 0; i <= basis->n; i++)
            for (bl_index j = 0; j <= basis->n; j++)
                for (int k = 0; k < m->dim; k++)
                    for (bl_index r = 0; r < f[i].n[k]; r++)
                        for (bl_index c = 0; c < f[j].n[k]; c++) {
                            bl_index er = f[i].entry[k][r], ec = f[j].entry[k][c];
                            double w = basis->moment[i][j] * f[i].coef[k][r] * f[j].coef[k][c];
                            if (basis->moment[i][j] == 0 || er >= m->nfree || ec >= m->nfree)
                                continue;
                            if (values)
                                values[slot[at++]] += w;
                            else
                                BL_TRY(bl_pairs_add(p, er, ec));
                        }
    }
    return bl_elastic_mass(m, p, slot, &at, values);
}

/* with bodies with shapes: masses of all others, for products without the blocks of M that those change */
static bl_status list_M(bl_mechanism *m, const bl_pattern *pattern) {
    bl_index n = 0;
    for (bl_index i = 0; i < pattern->ptr[m->nfree]; i++)
        n += m->M_values[i] != 0;
    BL_TRY(BL_ARENA_NEW(&m->arena, m->M_rest, n));
    for (bl_index j = 0; j < m->nfree; j++)
        for (bl_index i = pattern->ptr[j]; i < pattern->ptr[j + 1]; i++)
            if (m->M_values[i] != 0)
                m->M_rest[m->nM_rest++] = (struct bl_entry){pattern->idx[i], j, m->M_values[i]};
    return BL_OK;
}

static bl_status compile_M(bl_mechanism *m, bl_system *sys) {
    bl_pairs p = {.ctx = m->ctx};
    bl_index *slot = NULL;
    bl_status status = mass_pass(m, &p, NULL, NULL);
    bl_index at = p.n;
    if (status == BL_OK)
        status = bl_floating_collect(m, &p);
    if (status == BL_OK)
        status = bl_pairs_build(&p, m->nfree, m->nfree, &sys->pat_M, &slot);
    if (status == BL_OK && !(m->M_values = bl_arena_alloc(&m->arena, (size_t)sys->pat_M.ptr[m->nfree], sizeof *m->M_values)))
        status = BL_E_MEMORY;
    if (status == BL_OK)
        status = mass_pass(m, &p, slot, m->M_values);
    for (bl_index i = 0; status == BL_OK && i < m->nfloating; i++)
        status = take_slots(m, m->floating[i].nentry, slot, &at, &m->floating[i].M_slot);
    if (status == BL_OK && m->nfloating > 0)
        status = list_M(m, &sys->pat_M);
    bl_free(m->ctx, slot);
    bl_pairs_free(&p);
    return status;
}

static bl_status compile_gravity(bl_mechanism *m) {
    BL_TRY(BL_ARENA_NEW(&m->arena, m->Q_gravity, m->nfree));
    for (bl_index b = 1; b < m->model->nbody; b++) {
        const bl_basis *basis = &m->basis[b];
        bl_form f[4];
        if (bl_mesh_of(m, b)) /* its elements have the mass */
            continue;
        BL_TRY(body_forms(m, basis, f));
        for (bl_index i = 0; i <= basis->n; i++)
            for (int k = 0; k < m->dim; k++)
                for (bl_index r = 0; r < f[i].n[k]; r++) {
                    double w = basis->moment[0][i] * m->model->gravity[k] * f[i].coef[k][r];
                    bl_index e = f[i].entry[k][r];
                    if (e < m->nfree)
                        m->Q_gravity[e] += w;
                    else
                        m->potential_constant -= w * m->x_start[e];
                }
    }
    bl_elastic_gravity(m);
    return BL_OK;
}

/* ---- columns */

/* The extent of a body with more points than this is found by sweeps, in time proportional to its points, not to pairs of them. */
enum { MOST_PAIRED = 64, SWEEPS = 4 };

/* the point of a body farthest from a given one (both are seats), in body axes */
static double farthest(const bl_mechanism *m, bl_index body, bl_index from, bl_index *found) {
    double far = 0;
    *found = from;
    for (bl_index i = m->first_seat[body]; i >= 0; i = m->seat[i].next) {
        double d2 = 0;
        for (int k = 0; k < 3 && !m->entity[m->seat[i].entity].is_vector; k++)
            d2 += (m->seat[i].s[k] - m->seat[from].s[k]) * (m->seat[i].s[k] - m->seat[from].s[k]);
        if (sqrt(d2) > far) {
            far = sqrt(d2);
            *found = i;
        }
    }
    return far;
}

/* Largest distance between two points of a body. With many points: from one to the farthest, from there to the farthest, and so on,
 * which gives at least half of it and usually all. */
static double extent(const bl_mechanism *m, bl_index body) {
    double far = 0;
    bl_index npoint = 0, at = -1, found;
    for (bl_index i = m->first_seat[body]; i >= 0; i = m->seat[i].next)
        if (!m->entity[m->seat[i].entity].is_vector) {
            npoint++;
            at = i;
        }
    if (npoint > MOST_PAIRED) {
        for (int sweep = 0; sweep < SWEEPS; sweep++, at = found)
            far = fmax(far, farthest(m, body, at, &found));
        return far;
    }
    for (bl_index i = m->first_seat[body]; i >= 0; i = m->seat[i].next)
        if (!m->entity[m->seat[i].entity].is_vector)
            far = fmax(far, farthest(m, body, i, &found));
    return far;
}

static double typical_length(const bl_mechanism *m) {
    double sum = 0;
    bl_index count = 0;
    for (bl_index b = 1; b < m->model->nbody; b++) {
        double far = extent(m, b);
        if (far > coords_same * m->size) { /* not only rounding */
            sum += far;
            count++;
        }
    }
    return count ? sum / count : m->size;
}

static bl_status compile_columns(bl_mechanism *m) {
    BL_TRY(BL_ARENA_NEW(&m->arena, m->col, m->nfree));
    double length = m->length = typical_length(m);
    for (bl_index i = 0; i < m->nentity; i++) {
        const bl_entity *e = &m->entity[i];
        for (int k = 0; e->into < 0 && !e->fixed && k < m->dim; k++)
            m->col[e->base + k] = (bl_col){.what = e->is_vector ? BL_COL_VECTOR : BL_COL_POINT,
                                           .order = 2,
                                           .part = (uint8_t)k,
                                           .owner = i,
                                           .bundle = i + 1,
                                           .scale = e->is_vector ? 1 : length};
    }
    for (bl_index v = 0; v < m->model->nvariable; v++)
        if (m->gauge[v].entry >= 0) {
            bool angle = m->model->variable[v].is_angle;
            m->col[m->gauge[v].entry] =
                (bl_col){.what = angle ? BL_COL_ANGLE : BL_COL_DISTANCE, .order = 2, .owner = v, .scale = angle ? 1 : length};
        }
    for (bl_index i = 0; i < m->nfloating; i++)
        for (bl_index k = 0; k < m->floating[i].f.n; k++)
            m->col[m->floating[i].first + k] =
                (bl_col){.what = BL_COL_SHAPE, .order = 2, .owner = i, .scale = m->floating[i].f.def->scale[k]};
    return BL_OK;
}

/* directions that every evaluation needs; the others are needed for reactions only */
static bl_status compile_hot(bl_mechanism *m) {
    bool *hot;
    BL_TRY(BL_ARENA_ARRAYS(&m->arena, BL_ARRAY(hot, m->ndir), BL_ARRAY(m->hot, m->ndir)));
    for (bl_index t = 0; t < m->nquad; t++)
        hot[m->quad[t].a] = hot[m->quad[t].b] = true;
    for (bl_index i = 0; i < m->nproduct; i++)
        for (bl_index d = 0; d < m->product[i].ndir; d++)
            hot[m->product[i].dir[d]] = true;
    for (bl_index i = 0; i < m->nload; i++)
        for (bl_index k = 0; k < m->load[i].record.nmark; k++)
            hot[m->load[i].mark_dir[k]] = true;
    for (bl_index i = 0; i < m->nsignal; i++)
        for (bl_index k = 0; k < m->signal[i].load.record.nmark; k++)
            hot[m->signal[i].load.mark_dir[k]] = true;
    for (bl_index i = 0; i < m->nelastic; i++)
        for (bl_index d = 0; d < m->elastic[i].ndir; d++)
            hot[m->elastic[i].dir[d]] = true;
    for (bl_index i = 0; i < m->nfloating; i++)
        for (bl_index d = 0; d < m->floating[i].ndir; d++)
            hot[m->floating[i].dir[d]] = true;
    for (bl_index d = 0; d < m->ndir; d++)
        if (hot[d])
            m->hot[m->nhot++] = d;
    for (bl_index d = 0, n = m->nhot; d < m->ndir; d++)
        if (!hot[d])
            m->hot[n++] = d;
    BL_TRY(BL_ARENA_ARRAYS(&m->arena, BL_ARRAY(m->pair, (size_t)(m->nhot * m->dim)), BL_ARRAY(m->wide, (size_t)(m->nhot * m->dim))));
    for (bl_index h = 0; h < m->nhot * m->dim; h++) {
        bl_index row = m->hot[h / m->dim] * m->dim + h % m->dim, at = m->form_ptr[row], n = m->form_ptr[row + 1] - at, last = at + (n == 2);
        if (n == 1 || n == 2)
            m->pair[m->npair++] =
                (struct bl_pair){row, m->form_entry[at], m->form_entry[last], m->form_coef[at], n == 2 ? m->form_coef[last] : 0};
        else
            m->wide[m->nwide++] = row;
    }
    return BL_OK;
}

bl_status bl_compile(bl_mechanism *m, bl_system *sys) {
    for (bl_index i = 0; i < m->nproduct; i++)
        BL_TRY(product_entries(m, &m->product[i]));
    BL_TRY(bl_elastic_entries(m));
    BL_TRY(bl_floating_entries(m));
    BL_TRY(compile_hot(m));
    BL_TRY(compile_G(m, sys));
    BL_TRY(compile_K(m, sys));
    BL_TRY(compile_M(m, sys));
    BL_TRY(compile_gravity(m));
    return compile_columns(m);
}
