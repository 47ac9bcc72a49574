/* Power series of elastic bodies: coefficients of the internal forces of elements from those of their directions D = F x (products only,
 * bl_elastic_kind), and forces of damping from those of the rates. Work is lost in the latter. */
#include "coords/mech_series.h"

#include <string.h>

static bool is_damped(const bl_elastic_element *e) { return e->viscous || e->damping != 0; }

bl_status bl_elastic_series_create(const bl_mechanism *m, int order, double ***keep) {
    bl_elastic_room room = {0};
    BL_TRY(BL_NEW(m->ctx, *keep, (size_t)m->nelastic + 1));
    BL_TRY(bl_elastic_room_create(m, &room));
    bl_status status = BL_OK;
    for (bl_index i = 0; i < m->nelastic && status == BL_OK; i++) {
        const bl_elastic_element *e = &m->elastic[i];
        status = BL_NEW(m->ctx, (*keep)[i], e->kind->series_room(e, order));
        if (status == BL_OK && e->kind->series_begin)
            status = e->kind->series_begin(e, order, &room, (*keep)[i]);
    }
    bl_free(m->ctx, room.block);
    return status;
}

void bl_elastic_series_destroy(const bl_mechanism *m, double **keep) {
    for (bl_index i = 0; keep && i < m->nelastic; i++)
        bl_free(m->ctx, keep[i]);
    bl_free(m->ctx, keep);
}

void bl_elastic_series_take(const bl_mechanism *m, bl_mech_series *s, int k) {
    double x[BL_ELASTIC_LOCAL];
    for (bl_index i = 0; i < m->nelastic; i++) {
        const bl_elastic_element *e = &m->elastic[i];
        bl_elastic_gather(m, e, s->D, x);
        e->kind->series_take(e, s->order, k, x, s->elastic[i]);
    }
}

/* forces of damping, and the power that they take */
static void push_damping(const bl_mechanism *m, bl_mech_series *s, bl_index i, int k, const double *v, double *Q) {
    const bl_elastic_element *e = &m->elastic[i];
    double rate[BL_ELASTIC_LOCAL] = {0}, f[BL_ELASTIC_LOCAL] = {0};
    double *work = s->work_force + (size_t)k * (size_t)s->work_room, *without = s->force_no_potential + (size_t)k * (size_t)s->work_room;
    for (bl_index j = 0; j < e->nmap; j++)
        rate[e->map_local[j]] += e->map_coef[j] * v[e->entry[e->map_entry[j]]];
    if (e->viscous)
        e->kind->series_viscous(e, s->order, k, rate, s->elastic[i], f);
    bl_elastic_add_inertia(e, m->dim, e->damping, rate, f, NULL);
    for (bl_index j = 0; j < e->nmap; j++) {
        bl_index entry = e->entry[e->map_entry[j]];
        double force = e->map_coef[j] * f[e->map_local[j]];
        Q[entry] -= force;
        work[s->work_of[entry]] -= force;
        without[s->work_of[entry]] -= force;
    }
}

void bl_elastic_series_push(const bl_mechanism *m, bl_mech_series *s, int k, const double *v, double *Q) {
    double f[BL_ELASTIC_LOCAL];
    for (bl_index i = 0; i < m->nelastic; i++) {
        const bl_elastic_element *e = &m->elastic[i];
        e->kind->series_force(e, s->order, k, s->elastic[i], f);
        for (bl_index j = 0; j < e->nmap; j++)
            Q[e->entry[e->map_entry[j]]] -= e->map_coef[j] * f[e->map_local[j]];
        if (is_damped(e))
            push_damping(m, s, i, k, v, Q);
    }
}

void bl_elastic_series_list(const bl_mechanism *m, bl_mech_series *s) {
    for (const bl_elastic_element *e = m->elastic; e < m->elastic + m->nelastic; e++)
        for (bl_index j = 0; is_damped(e) && j < e->nentry; j++)
            if (s->work_of[e->entry[j]] < 0)
                s->work_entry[s->work_of[e->entry[j]] = s->nwork++] = e->entry[j];
}
