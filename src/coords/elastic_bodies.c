/* Elastic bodies: elements between frames, or between the nodes of a mesh. They act on directions D = F x like all forces: an internal
 * force g on D is F^T g, a stiffness H becomes F^T H F, and the consistent mass of the directions is a constant matrix. What kinds of
 * elements differ in is in bl_elastic_kind. */
#include "coords/derived_coords.h"
#include "fem/part.h"

#include <stdio.h>
#include <string.h>

/* ---- set-up */

bl_status bl_elastic_build(bl_mechanism *m) {
    const bl_model *model = m->model;
    bl_index count = 0;
    m->elastic_series = m->elastic_discrete = true;
    BL_TRY(bl_mesh_directions(m));
    for (const bl_elastic_def *def = model->elastic; def < model->elastic + model->nelastic; def++)
        count += def->beam ? def->beam->nelement : def->what == BL_ELASTIC_MESH ? model->solid[def->solid].mesh.nelement : 0;
    BL_TRY(BL_ARENA_NEW(&m->arena, m->elastic, count));
    for (bl_index i = 0; i < model->nelastic; i++) {
        bl_index first = m->nelastic;
        if (model->elastic[i].beam)
            BL_TRY(bl_beam_elements(m, &model->elastic[i]));
        else if (model->elastic[i].what == BL_ELASTIC_MESH) /* those with shapes: floating_bodies.c */
            BL_TRY(bl_solid_elements(m, &m->mesh[i]));
        while (first < m->nelastic)
            m->elastic[first++].body = i;
    }
    for (const bl_elastic_element *e = m->elastic; e < m->elastic + m->nelastic; e++) {
        m->elastic_damped = m->elastic_damped || e->viscous || e->damping != 0;
        m->elastic_local = e->ndir * m->dim > m->elastic_local ? e->ndir * m->dim : m->elastic_local;
        m->elastic_series = m->elastic_series && (e->beam ? !e->beam->rotations : e->mesh->part->polynomial);
        m->elastic_discrete = m->elastic_discrete && (e->beam ? !e->beam->rotations : e->mesh->part->discrete);
    }
    return BL_OK;
}

/* what is not linear in Green's strain */
static void name_law(const bl_mesh_body *mesh, char *why, size_t nwhy, const char **advice) {
    const bl_solid *solid = mesh->solid;
    const bl_fem_group *group = mesh->part->group, *end = group + mesh->part->ngroup;
    while (group < end && !group->bbar && mesh->part->green && (group->material->gives & BL_MATERIAL_LINEAR))
        group++;
    *advice = "use the material st_venant_kirchhoff without bbar, or another integrator";
    if (group == end) {
        snprintf(why, nwhy, "%s has one integration point, and forces against hourglass modes", solid->name);
        *advice = "leave out `points`, or use another integrator";
    } else if (group->bbar) {
        snprintf(why, nwhy, "the dilatation of %s is averaged (bbar)", solid->name);
    } else {
        snprintf(why, nwhy, "the stress of %s is not linear in Green's strain (material %s, strain %s)", solid->name,
                 group->material->kind->kind.name, solid->strain->kind.name);
    }
}

/* the first body without power series, or without an exact discrete gradient */
static void name_body(const bl_mechanism *m, bool series, char *why, size_t nwhy, const char **advice) {
    for (bl_index i = 0; i < m->model->nelastic; i++) {
        const bl_elastic_def *def = &m->model->elastic[i];
        const bl_fem_part *part = m->mesh[i].part;
        if (def->beam && def->beam->rotations) {
            snprintf(why, nwhy, "beam '%s' interpolates rotations", def->name);
            *advice = series ? "write `interpolation: directors` in its `beam`, or use the integrator dop853"
                             : "write `interpolation: directors` in its `beam`, or use another implicit integrator";
        } else if (def->floating) {
            snprintf(why, nwhy, "the mass of '%s' depends on its shape (`coordinates: floating`)", def->name);
            *advice = series ? "use the integrator dop853 or an implicit one" : "use another implicit integrator, such as genalpha";
        } else if (part && !(series ? part->polynomial : part->discrete)) {
            name_law(&m->mesh[i], why, nwhy, advice);
        } else {
            continue;
        }
        return;
    }
}

void bl_elastic_not_analytic(const bl_mechanism *m, char *why, size_t nwhy, const char **advice) { name_body(m, true, why, nwhy, advice); }

void bl_elastic_not_discrete(const bl_system *sys, char *why, size_t nwhy, const char **advice) {
    name_body(bl_mech(sys), false, why, nwhy, advice);
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

bl_status bl_elastic_room_create(const bl_mechanism *m, bl_elastic_room *room) {
    size_t local = (size_t)m->elastic_local, solids = m->model->nsolid > 0;
    return BL_NEW_ARRAYS(m->ctx, room->block, BL_ARRAY(room->x, local), BL_ARRAY(room->v, local), BL_ARRAY(room->a, local),
                         BL_ARRAY(room->from, local), BL_ARRAY(room->to, local), BL_ARRAY(room->f, local), BL_ARRAY(room->K, local * local),
                         BL_ARRAY(room->C, local * local), BL_ARRAY(room->solid, solids));
}

/* ---- mass and gravity */

static double inertia(const bl_elastic_element *e, bl_index i, bl_index j) { return e->kind->inertia(e, i, j); }

bl_status bl_elastic_mass(bl_mechanism *m, bl_pairs *p, const bl_index *slot, bl_index *at, double *values) {
    for (const bl_elastic_element *e = m->elastic; e < m->elastic + m->nelastic; e++)
        for (bl_index i = 0; i < e->nmap; i++)
            for (bl_index j = 0; j < e->nmap; j++) {
                if (e->map_local[i] % m->dim != e->map_local[j] % m->dim)
                    continue;
                double w = inertia(e, e->map_local[i] / m->dim, e->map_local[j] / m->dim);
                if (w == 0)
                    continue;
                if (values)
                    values[slot[(*at)++]] += w * e->map_coef[i] * e->map_coef[j];
                else
                    BL_TRY(bl_pairs_add(p, e->entry[e->map_entry[i]], e->entry[e->map_entry[j]]));
            }
    return BL_OK;
}

/* mass that moves with a direction, if that is a position */
static double share_of(const bl_elastic_element *e, bl_index i) {
    double sum = 0;
    for (bl_index j = 0; j < e->ndir && e->kind->is_position(e, i); j++)
        sum += inertia(e, i, j);
    return sum;
}

/* a constant force on a direction */
static void add_dead(bl_mechanism *m, bl_index dir, const double *force) {
    for (int k = 0; k < m->dim; k++)
        for (bl_index i = m->form_ptr[dir * m->dim + k]; i < m->form_ptr[dir * m->dim + k + 1]; i++) {
            if (m->form_entry[i] < m->nfree)
                m->Q_gravity[m->form_entry[i]] += force[k] * m->form_coef[i];
            else
                m->potential_constant -= force[k] * m->form_coef[i] * m->x_start[m->form_entry[i]];
        }
}

void bl_elastic_gravity(bl_mechanism *m) {
    for (const bl_elastic_element *e = m->elastic; e < m->elastic + m->nelastic; e++)
        for (bl_index d = 0; d < e->ndir; d++) {
            double share = share_of(e, d), weight[3];
            for (int k = 0; k < 3; k++)
                weight[k] = share * m->model->gravity[k];
            if (share != 0)
                add_dead(m, e->dir[d], weight);
        }
    for (bl_index b = 0; b < m->model->nelastic; b++)
        for (bl_index i = 0; m->mesh[b].load && i < m->mesh[b].solid->mesh.nnode; i++)
            add_dead(m, m->mesh[b].dir[i], m->mesh[b].load + i * m->dim);
}

/* ---- evaluation */

void bl_elastic_gather(const bl_mechanism *m, const bl_elastic_element *e, const double *D, double *x) {
    for (bl_index d = 0; d < e->ndir; d++)
        memcpy(x + d * m->dim, D + e->dir[d] * m->dim, (size_t)m->dim * sizeof *x);
}

/* at other coordinates q; fixed entries are taken from `fixed` */
static void gather_at(const bl_mechanism *m, const bl_elastic_element *e, const double *q, const double *fixed, double *x) {
    for (bl_index l = 0; l < e->ndir * m->dim; l++) {
        bl_index row = e->dir[l / m->dim] * m->dim + l % m->dim;
        x[l] = 0;
        for (bl_index i = m->form_ptr[row]; i < m->form_ptr[row + 1]; i++)
            x[l] += m->form_coef[i] * (m->form_entry[i] < m->nfree ? q : fixed)[m->form_entry[i]];
    }
}

static void add_matrix(const bl_elastic_element *e, int dim, const double *H, double *K) {
    bl_index n = e->ndir * dim;
    for (bl_index i = 0; i < e->nmap; i++) {
        const double *row = H + e->map_local[i] * n;
        const bl_index *slot = e->K_slot + e->map_entry[i] * e->nentry;
        for (bl_index j = 0; j < e->nmap; j++)
            K[slot[e->map_entry[j]]] += e->map_coef[i] * e->map_coef[j] * row[e->map_local[j]];
    }
}

void bl_elastic_add_inertia(const bl_elastic_element *e, int dim, double factor, const double *x, double *f, double *H) {
    bl_index n = e->ndir * dim;
    for (bl_index i = 0; i < e->ndir; i++)
        for (bl_index j = 0; j < e->ndir; j++) {
            double w = factor * inertia(e, i, j);
            for (int k = 0; w != 0 && k < dim; k++) {
                if (f)
                    f[i * dim + k] += w * x[j * dim + k];
                if (H)
                    H[(i * dim + k) * n + j * dim + k] += w;
            }
        }
}

/* damping by mass: f += a M v; returns the power lost */
static double mass_damping(const bl_elastic_element *e, int dim, bl_elastic_room *room) {
    double lost = 0;
    if (e->damping == 0)
        return 0;
    memset(room->a, 0, (size_t)(e->ndir * dim) * sizeof *room->a);
    bl_elastic_add_inertia(e, dim, e->damping, room->v, room->a, NULL);
    for (bl_index i = 0; i < e->ndir * dim; i++) {
        room->f[i] += room->a[i];
        lost += room->a[i] * room->v[i];
    }
    return lost;
}

bl_status bl_elastic_eval(const bl_system *sys, bl_eval *eval, uint32_t want) {
    const bl_mechanism *m = bl_mech(sys);
    bl_mech_work *w = eval->own;
    bl_elastic_room *room = &w->room;
    want &= BL_Q | BL_KC | BL_ENERGY;
    for (const bl_elastic_element *e = m->elastic; want && e < m->elastic + m->nelastic; e++) {
        bool between = eval->q_from && (want & (BL_Q | BL_KC)), damped = e->viscous || e->damping != 0;
        bl_elastic_gather(m, e, w->D, room->x);
        if (damped)
            bl_elastic_gather(m, e, w->Dd, room->v);
        if (between) {
            gather_at(m, e, eval->q_from, w->x, room->from);
            gather_at(m, e, eval->q_to, w->x, room->to);
        }
        BL_TRY(e->kind->eval(e, eval->t, want, between, eval->dissipation, room));
        if (want & BL_Q) {
            eval->power -= room->lost + mass_damping(e, m->dim, room);
            for (bl_index i = 0; i < e->nmap; i++)
                eval->Q[e->entry[e->map_entry[i]]] -= e->map_coef[i] * room->f[e->map_local[i]];
        }
        if (want & BL_ENERGY)
            eval->potential += room->energy;
        if (want & BL_KC) {
            add_matrix(e, m->dim, room->K, eval->K);
            if (damped) {
                bl_elastic_add_inertia(e, m->dim, e->damping, NULL, NULL, room->C);
                add_matrix(e, m->dim, room->C, eval->C);
            }
        }
    }
    return BL_OK;
}

void bl_elastic_balance(const bl_mechanism *m, bl_mech_work *w, bool impulsive, const void *user, bl_elastic_push push) {
    bl_elastic_room *room = &w->room;
    for (const bl_elastic_element *e = m->elastic; e < m->elastic + m->nelastic; e++) {
        memset(room->f, 0, (size_t)(e->ndir * m->dim) * sizeof *room->f);
        if (!impulsive) {
            bl_elastic_gather(m, e, w->D, room->x);
            bl_elastic_gather(m, e, w->Dd, room->v);
            e->kind->eval(e, 0, BL_Q, false, 0, room); /* at a state that was evaluated before */
            mass_damping(e, m->dim, room);
        }
        gather_at(m, e, w->xdd, w->xdd, room->x);
        bl_elastic_add_inertia(e, m->dim, 1, room->x, room->f, NULL);
        for (bl_index d = 0; d < e->ndir; d++) {
            double g[3] = {0, 0, 0}, share = share_of(e, d);
            for (int k = 0; k < m->dim; k++)
                g[k] = room->f[d * m->dim + k] - (impulsive ? 0 : share * m->model->gravity[k]);
            push(user, m->part[e->dir[d]][0].body, e->dir[d], g);
        }
    }
    for (bl_index b = 0; b < m->model->nelastic && !impulsive; b++)
        for (bl_index i = 0; m->mesh[b].load && i < m->mesh[b].solid->mesh.nnode; i++) {
            double g[3] = {0, 0, 0};
            for (int k = 0; k < m->dim; k++)
                g[k] = -m->mesh[b].load[i * m->dim + k];
            push(user, m->part[m->mesh[b].dir[i]][0].body, m->mesh[b].dir[i], g);
        }
}
