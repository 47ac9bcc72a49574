/* Elements of beams: the directions of a node are its position and its directors, fixed in a frame. */
#include "coords/mechanism.h"
#include "elastic/elastic_limits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* beyond half a turn the shorter way is the opposite one (elastic/elastic_limits.h) */
static bl_status blame(const bl_elastic_element *e, double t, const double *x) {
    const double degrees = 180 / acos(-1.0);
    char part[96];
    snprintf(part, sizeof part, "beam '%.60s', element %d", e->def->name, (int)e->number + 1);
    bl_fail(e->ctx, BL_NOT_FINITE, NULL, "%s: its nodes are turned by %.1f degrees relative to each other, more than %.0f, at t = %.9g",
            part, bl_beam_turn(e->beam, x) * degrees, elastic_most_turn * degrees, t);
    bl_advise(e->ctx, "use more elements, or take shorter time steps or smaller load increments");
    bl_blame(e->ctx, part, "rotation", t);
    return BL_NOT_FINITE;
}

/* not for values that are not finite, which are found by all */
static bool is_turned_too_far(const bl_beam_element *beam, const double *x, double result) {
    return isnan(result) && bl_beam_turn(beam, x) >= elastic_most_turn;
}

static bl_status eval_beam(const bl_elastic_element *e, double t, uint32_t want, bool between, double chi, bl_elastic_room *room) {
    const bl_beam_element *beam = e->beam;
    const double *v = e->viscous ? room->v : NULL;
    if (want & BL_Q) {
        room->lost = bl_beam_force(beam, room->x, v, room->f);
        if (is_turned_too_far(beam, room->x, room->lost))
            return blame(e, t, room->x);
        if (between) {
            double elastic[BL_BEAM_LOCAL], conserving[BL_BEAM_LOCAL];
            bl_beam_force(beam, room->x, NULL, elastic);
            bl_beam_between(beam, room->from, room->to, chi, conserving, NULL);
            for (int i = 0; i < bl_beam_local(beam); i++)
                room->f[i] += conserving[i] - elastic[i];
        }
    }
    if (want & BL_ENERGY) {
        room->energy = bl_beam_energy(beam, room->x);
        if (is_turned_too_far(beam, room->x, room->energy))
            return blame(e, t, room->x);
    }
    if (want & BL_KC) {
        bl_beam_tangent(beam, room->x, v, room->K, room->C);
        if (between) {
            double skip[BL_BEAM_LOCAL];
            bl_beam_between(beam, room->from, room->to, chi, skip, room->K);
        }
    }
    return BL_OK;
}

static double beam_inertia(const bl_elastic_element *e, bl_index i, bl_index j) {
    const bl_beam_element *beam = e->beam;
    int vector = (int)(i % beam->nvector);
    return vector == j % beam->nvector ? beam->inertia[vector] * beam->mass[i / beam->nvector][j / beam->nvector] : 0;
}

static bool is_position(const bl_elastic_element *e, bl_index i) { return i % e->beam->nvector == 0; }

static size_t series_room(const bl_elastic_element *e, int order) { return bl_beam_series_room(e->beam, order); }

static void series_take(const bl_elastic_element *e, int order, int k, const double *x, double *keep) {
    bl_beam_series_take(e->beam, order, k, x, keep);
}

static void series_force(const bl_elastic_element *e, int order, int k, double *keep, double *f) {
    bl_beam_series_force(e->beam, order, k, keep, f);
}

static void series_viscous(const bl_elastic_element *e, int order, int k, const double *v, double *keep, double *f) {
    bl_beam_series_viscous(e->beam, order, k, v, keep, f);
}

static const bl_elastic_kind beam_kind = {.eval = eval_beam,
                                          .inertia = beam_inertia,
                                          .is_position = is_position,
                                          .series_room = series_room,
                                          .series_take = series_take,
                                          .series_force = series_force,
                                          .series_viscous = series_viscous};

bl_status bl_beam_elements(bl_mechanism *m, const bl_elastic_def *def) {
    const bl_beam_def *beam = def->beam;
    bl_beam_element *own;
    bl_index *dir;
    BL_TRY(BL_ARENA_ARRAYS(&m->arena, BL_ARRAY(own, beam->nelement), BL_ARRAY(dir, beam->nelement * BL_BEAM_VECTORS * BL_BEAM_NODES)));
    for (bl_index k = 0; k < beam->nelement; k++, own++) {
        bl_elastic_element *element = &m->elastic[m->nelastic++];
        double start[BL_BEAM_LOCAL];
        if (bl_beam_element_make(beam, m->dim, k, own, start) != BL_OK)
            return bl_fail(m->ctx, BL_E_MODEL, &def->place, "beam '%s': element %d has no length", def->name, (int)k + 1);
        *element = (bl_elastic_element){.kind = &beam_kind,
                                        .beam = own,
                                        .ctx = m->ctx,
                                        .def = def,
                                        .number = k,
                                        .dir = dir,
                                        .damping = own->damping,
                                        .viscous = own->viscous};
        for (int a = 0; a < own->nnode; a++) {
            bl_index body = def->frame + k * beam->degree + a;
            const bl_beam_node *node = &beam->node[k * own->nnode + a];
            for (int i = 0; i < own->nvector; i++) {
                bl_mark mark = {.body = body, .is_vector = i > 0};
                for (int c = 0; c < 3; c++)
                    mark.s[c] = i > 0 ? node->axes[bl_beam_axis(own, i)][c] : node->at[c] - m->model->body[body].center[c];
                BL_TRY(bl_direction_mark(m, &mark, &element->dir[element->ndir++]));
            }
        }
        dir += element->ndir;
    }
    return BL_OK;
}
