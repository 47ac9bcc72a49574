/* Elastic bodies: elements between frames. Their nodes are points and vectors fixed in the frames, hence directions D = F x like all marks:
 * an internal force g on D is F^T g, a stiffness H becomes F^T H F, and the consistent mass of the directions a constant matrix. */
#include "coords/derived_coords.h"

#include <string.h>

/* ---- set-up */

static bl_status beam_elements(bl_mechanism *m, const bl_elastic_def *def) {
    const bl_beam_def *beam = def->beam;
    m->elastic_damped = m->elastic_damped || beam->damping[0] != 0 || beam->damping[1] != 0;
    for (bl_index e = 0; e < beam->nelement; e++) {
        bl_elastic_element *element = &m->elastic[m->nelastic++];
        double start[BL_BEAM_LOCAL];
        if (bl_beam_element_make(beam, m->dim, e, &element->beam, start) != BL_OK)
            return bl_fail(m->ctx, BL_E_MODEL, &def->place, "beam '%s': element %d has no length", def->name, (int)e + 1);
        for (int a = 0; a < element->beam.nnode; a++) {
            bl_index body = def->frame + e * beam->degree + a;
            const bl_beam_node *node = &beam->node[e * element->beam.nnode + a];
            for (int i = 0; i < element->beam.nvector; i++) {
                bl_mark mark = {.body = body, .is_vector = i > 0};
                for (int k = 0; k < 3; k++)
                    mark.s[k] = i > 0 ? node->axes[i - 1][k] : node->at[k] - m->model->body[body].center[k];
                BL_TRY(bl_direction_mark(m, &mark, &element->dir[element->ndir++]));
            }
        }
    }
    return BL_OK;
}

bl_status bl_elastic_build(bl_mechanism *m) {
    bl_index count = 0;
    for (bl_index i = 0; i < m->model->nelastic; i++)
        count += m->model->elastic[i].beam ? m->model->elastic[i].beam->nelement : 0;
    BL_TRY(BL_ARENA_NEW(&m->arena, m->elastic, count));
    for (bl_index i = 0; i < m->model->nelastic; i++)
        if (m->model->elastic[i].beam)
            BL_TRY(beam_elements(m, &m->model->elastic[i]));
    return BL_OK;
}

bl_status bl_elastic_entries(bl_mechanism *m) {
    for (bl_elastic_element *e = m->elastic; e < m->elastic + m->nelastic; e++) {
        bl_index total = 0;
        for (bl_index d = 0; d < e->ndir; d++)
            total += m->form_ptr[(e->dir[d] + 1) * m->dim] - m->form_ptr[e->dir[d] * m->dim];
        BL_TRY(BL_ARENA_ARRAYS(&m->arena, BL_ARRAY(e->map_local, total), BL_ARRAY(e->map_entry, total), BL_ARRAY(e->map_coef, total),
                               BL_ARRAY(e->entry, total)));
        for (bl_index l = 0; l < e->ndir * m->dim; l++) {
            bl_index row = e->dir[l / m->dim] * m->dim + l % m->dim;
            for (bl_index i = m->form_ptr[row]; i < m->form_ptr[row + 1]; i++) {
                bl_index entry = m->form_entry[i], n = 0;
                if (entry >= m->nfree)
                    continue;
                while (n < e->nentry && e->entry[n] != entry)
                    n++;
                if (n == e->nentry)
                    e->entry[e->nentry++] = entry;
                e->map_local[e->nmap] = l;
                e->map_entry[e->nmap] = n;
                e->map_coef[e->nmap++] = m->form_coef[i];
            }
        }
    }
    return BL_OK;
}

bl_status bl_elastic_collect_K(bl_mechanism *m, bl_pairs *p) {
    for (const bl_elastic_element *e = m->elastic; e < m->elastic + m->nelastic; e++)
        for (bl_index r = 0; r < e->nentry; r++)
            for (bl_index c = 0; c < e->nentry; c++)
                BL_TRY(bl_pairs_add(p, e->entry[r], e->entry[c]));
    return BL_OK;
}

/* ---- mass and gravity */

bl_status bl_elastic_mass(bl_mechanism *m, bl_pairs *p, const bl_index *slot, bl_index *at, double *values) {
    for (const bl_elastic_element *e = m->elastic; e < m->elastic + m->nelastic; e++)
        for (bl_index i = 0; i < e->nmap; i++)
            for (bl_index j = 0; j < e->nmap; j++) {
                bl_index di = e->map_local[i] / m->dim, dj = e->map_local[j] / m->dim;
                int vector = (int)(di % e->beam.nvector);
                if (e->map_local[i] % m->dim != e->map_local[j] % m->dim || vector != dj % e->beam.nvector || e->beam.inertia[vector] == 0)
                    continue;
                double w = e->beam.inertia[vector] * e->beam.mass[di / e->beam.nvector][dj / e->beam.nvector];
                if (values)
                    values[slot[(*at)++]] += w * e->map_coef[i] * e->map_coef[j];
                else
                    BL_TRY(bl_pairs_add(p, e->entry[e->map_entry[i]], e->entry[e->map_entry[j]]));
            }
    return BL_OK;
}

/* mass that moves with the position of a node */
static double share_of(const bl_beam_element *beam, int node) {
    double sum = 0;
    for (int b = 0; b < beam->nnode; b++)
        sum += beam->inertia[0] * beam->mass[node][b];
    return sum;
}

void bl_elastic_gravity(bl_mechanism *m) {
    for (const bl_elastic_element *e = m->elastic; e < m->elastic + m->nelastic; e++)
        for (int a = 0; a < e->beam.nnode; a++)
            for (int k = 0; k < m->dim; k++) {
                bl_index row = e->dir[a * e->beam.nvector] * m->dim + k;
                double weight = share_of(&e->beam, a) * m->model->gravity[k];
                for (bl_index i = m->form_ptr[row]; i < m->form_ptr[row + 1]; i++) {
                    if (m->form_entry[i] < m->nfree)
                        m->Q_gravity[m->form_entry[i]] += weight * m->form_coef[i];
                    else
                        m->potential_constant -= weight * m->form_coef[i] * m->x_start[m->form_entry[i]];
                }
            }
}

/* ---- evaluation */

static void gather(const bl_mechanism *m, const bl_elastic_element *e, const double *D, double *x) {
    for (bl_index d = 0; d < e->ndir; d++)
        memcpy(x + d * m->dim, D + e->dir[d] * m->dim, (size_t)m->dim * sizeof *x);
}

/* at other coordinates q; fixed entries are taken from w->x */
static void gather_at(const bl_mechanism *m, const bl_elastic_element *e, const bl_mech_work *w, const double *q, double *x) {
    for (bl_index l = 0; l < e->ndir * m->dim; l++) {
        bl_index row = e->dir[l / m->dim] * m->dim + l % m->dim;
        x[l] = 0;
        for (bl_index i = m->form_ptr[row]; i < m->form_ptr[row + 1]; i++)
            x[l] += m->form_coef[i] * (m->form_entry[i] < m->nfree ? q[m->form_entry[i]] : w->x[m->form_entry[i]]);
    }
}

static void add_matrix(const bl_elastic_element *e, const double *H, double *K) {
    int n = bl_beam_local(&e->beam);
    for (bl_index i = 0; i < e->nmap; i++) {
        const double *row = H + e->map_local[i] * n;
        const bl_index *slot = e->K_slot + e->map_entry[i] * e->nentry;
        for (bl_index j = 0; j < e->nmap; j++)
            K[slot[e->map_entry[j]]] += e->map_coef[i] * e->map_coef[j] * row[e->map_local[j]];
    }
}

/* f += factor M x for one element */
static void add_inertia(const bl_beam_element *beam, double factor, const double *x, double *f) {
    for (int a = 0; a < beam->nnode; a++)
        for (int b = 0; b < beam->nnode; b++)
            for (int i = 0; i < beam->nvector; i++)
                for (int k = 0; k < beam->dim; k++)
                    f[(a * beam->nvector + i) * beam->dim + k] +=
                        factor * beam->inertia[i] * beam->mass[a][b] * x[(b * beam->nvector + i) * beam->dim + k];
}

/* H += factor M */
static void add_inertia_matrix(const bl_beam_element *beam, double factor, double *H) {
    int n = bl_beam_local(beam);
    for (int a = 0; a < beam->nnode; a++)
        for (int b = 0; b < beam->nnode; b++)
            for (int i = 0; i < beam->nvector; i++)
                for (int k = 0; k < beam->dim; k++)
                    H[((a * beam->nvector + i) * beam->dim + k) * n + (b * beam->nvector + i) * beam->dim + k] +=
                        factor * beam->inertia[i] * beam->mass[a][b];
}

/* damping by mass: f += a M v; returns the power lost */
static double mass_damping(const bl_beam_element *beam, const double *v, double *f) {
    double drag[BL_BEAM_LOCAL] = {0}, lost = 0;
    if (beam->damping == 0)
        return 0;
    add_inertia(beam, beam->damping, v, drag);
    for (int i = 0; i < bl_beam_local(beam); i++) {
        f[i] += drag[i];
        lost += drag[i] * v[i];
    }
    return lost;
}

static void eval_between(const bl_system *sys, const bl_elastic_element *e, bl_eval *eval, uint32_t want, double *f, double *K) {
    double x0[BL_BEAM_LOCAL], x1[BL_BEAM_LOCAL];
    const bl_mechanism *m = bl_mech(sys);
    gather_at(m, e, eval->own, eval->q_from, x0);
    gather_at(m, e, eval->own, eval->q_to, x1);
    bl_beam_between(&e->beam, x0, x1, eval->dissipation, f, want & BL_KC ? K : NULL);
}

void bl_elastic_eval(const bl_system *sys, bl_eval *eval, uint32_t want) {
    const bl_mechanism *m = bl_mech(sys);
    const bl_mech_work *w = eval->own;
    for (const bl_elastic_element *e = m->elastic; e < m->elastic + m->nelastic; e++) {
        double x[BL_BEAM_LOCAL], v[BL_BEAM_LOCAL], f[BL_BEAM_LOCAL], K[BL_BEAM_LOCAL * BL_BEAM_LOCAL], C[BL_BEAM_LOCAL * BL_BEAM_LOCAL];
        bool viscous = e->beam.viscosity[0] != 0, damped = viscous || e->beam.damping != 0;
        gather(m, e, w->D, x);
        if (damped)
            gather(m, e, w->Dd, v);
        if (want & BL_Q) {
            double lost = bl_beam_force(&e->beam, x, viscous ? v : NULL, f);
            if (eval->q_from) {
                double elastic[BL_BEAM_LOCAL], between[BL_BEAM_LOCAL];
                bl_beam_force(&e->beam, x, NULL, elastic);
                eval_between(sys, e, eval, 0, between, NULL);
                for (int i = 0; i < bl_beam_local(&e->beam); i++)
                    f[i] += between[i] - elastic[i];
            }
            if (damped)
                lost += mass_damping(&e->beam, v, f);
            eval->power -= lost;
            for (bl_index i = 0; i < e->nmap; i++)
                eval->Q[e->entry[e->map_entry[i]]] -= e->map_coef[i] * f[e->map_local[i]];
        }
        if (want & BL_ENERGY)
            eval->potential += bl_beam_energy(&e->beam, x);
        if (want & BL_KC) {
            bl_beam_tangent(&e->beam, x, viscous ? v : NULL, K, damped ? C : NULL);
            if (eval->q_from)
                eval_between(sys, e, eval, want, f, K);
            add_matrix(e, K, eval->K);
            if (damped) {
                add_inertia_matrix(&e->beam, e->beam.damping, C);
                add_matrix(e, C, eval->C);
            }
        }
    }
}

void bl_elastic_balance(const bl_mechanism *m, const bl_mech_work *w, bool impulsive, const void *user, bl_elastic_push push) {
    for (const bl_elastic_element *e = m->elastic; e < m->elastic + m->nelastic; e++) {
        double x[BL_BEAM_LOCAL], v[BL_BEAM_LOCAL], a[BL_BEAM_LOCAL], f[BL_BEAM_LOCAL] = {0};
        if (!impulsive) {
            gather(m, e, w->D, x);
            gather(m, e, w->Dd, v);
            bl_beam_force(&e->beam, x, v, f);
            mass_damping(&e->beam, v, f);
        }
        for (bl_index l = 0; l < e->ndir * m->dim; l++) {
            bl_index row = e->dir[l / m->dim] * m->dim + l % m->dim;
            a[l] = 0;
            for (bl_index i = m->form_ptr[row]; i < m->form_ptr[row + 1]; i++)
                a[l] += m->form_coef[i] * w->xdd[m->form_entry[i]];
        }
        add_inertia(&e->beam, 1, a, f);
        for (bl_index d = 0; d < e->ndir; d++) {
            double g[3] = {0, 0, 0}, share = d % e->beam.nvector == 0 ? share_of(&e->beam, (int)(d / e->beam.nvector)) : 0;
            for (int k = 0; k < m->dim; k++)
                g[k] = f[d * m->dim + k] - (impulsive ? 0 : share * m->model->gravity[k]);
            push(user, m->part[e->dir[d]][0].body, e->dir[d], g);
        }
    }
}

/* ---- power series */

bl_status bl_elastic_series_create(const bl_mechanism *m, int order, double ***room) {
    BL_TRY(BL_NEW(m->ctx, *room, (size_t)m->nelastic + 1));
    for (bl_index i = 0; i < m->nelastic; i++)
        BL_TRY(BL_NEW(m->ctx, (*room)[i], bl_beam_series_room(&m->elastic[i].beam, order)));
    return BL_OK;
}

void bl_elastic_series_destroy(const bl_mechanism *m, double **room) {
    for (bl_index i = 0; room && i < m->nelastic; i++)
        bl_free(m->ctx, room[i]);
    bl_free(m->ctx, room);
}

void bl_elastic_series_take(const bl_mechanism *m, double *const *room, int order, int k, const double *D) {
    for (bl_index i = 0; i < m->nelastic; i++) {
        double x[BL_BEAM_LOCAL];
        gather(m, &m->elastic[i], D, x);
        bl_beam_series_take(&m->elastic[i].beam, order, k, x, room[i]);
    }
}

void bl_elastic_series_push(const bl_mechanism *m, double *const *room, int order, int k, double *Q) {
    for (bl_index i = 0; i < m->nelastic; i++) {
        const bl_elastic_element *e = &m->elastic[i];
        double f[BL_BEAM_LOCAL];
        bl_beam_series_force(&e->beam, order, k, room[i], f);
        for (bl_index j = 0; j < e->nmap; j++)
            Q[e->entry[e->map_entry[j]]] -= e->map_coef[j] * f[e->map_local[j]];
    }
}
