/* Momenta of elastic bodies. With the mass matrix w_ij of the directions x_i of an element (the same for each component), of which some are
 * positions and the others vectors,
 *
 *     p = sum_(positions i) sum_j w_ij v_j,      L = sum_i x_i x sum_j w_ij v_j,
 *
 * since a translation moves positions alone and a rotation all directions. */
#include "coords/derived_coords.h"

#include "base/vector3.h"

#include <math.h>
#include <string.h>

/* Adds an element to its body, whose `center` is the point about which moments are taken and whose `first` are those of the mass. */
static void add_element(const bl_mechanism *m, const bl_mech_work *w, const bl_elastic_element *e, double first[3],
                        bl_elastic_momenta *to) {
    for (bl_index i = 0; i < e->ndir; i++) {
        double r[3] = {0}, p[3] = {0}, L[3], share = 0;
        bool position = e->kind->is_position(e, i);
        for (int k = 0; k < m->dim; k++)
            r[k] = w->D[e->dir[i] * m->dim + k] - (position ? to->center[k] : 0);
        for (bl_index j = 0; j < e->ndir; j++) {
            double mass = e->kind->inertia(e, i, j), product = 0;
            for (int k = 0; mass != 0 && k < m->dim; k++) {
                p[k] += mass * w->Dd[e->dir[j] * m->dim + k];
                product += r[k] * (w->D[e->dir[j] * m->dim + k] - (position ? to->center[k] : 0));
            }
            share += position ? mass : 0;
            to->inertia += 2 * mass * product;
        }
        cross3(r, p, L);
        for (int k = 0; k < 3; k++) {
            first[k] += share * r[k];
            to->p[k] += position ? p[k] : 0;
            to->spin[k] += L[k];
        }
        to->mass += share;
        to->size += position ? norm3(p) : 0;
        to->size_spin += norm3(L);
    }
}

void bl_momenta_to_center(bl_elastic_momenta *to, const double first[3]) {
    double shift[3], moved[3], square = 0;
    for (int k = 0; k < 3; k++) {
        shift[k] = to->mass > 0 ? first[k] / to->mass : 0;
        square += shift[k] * shift[k];
    }
    cross3(shift, to->p, moved);
    for (int k = 0; k < 3; k++) {
        to->center[k] += shift[k];
        to->spin[k] -= moved[k];
    }
    to->inertia = fmax(0, to->inertia - 2 * to->mass * square);
}

void bl_coords_momenta(const bl_system *sys, const bl_eval *eval, bl_elastic_momenta *of) {
    const bl_derived *on = sys->own;               /* of a mechanism itself only the kind of coordinates, the first member, may be read */
    if (on->coords->bodies != BL_COORDS_NATURAL) { /* evaluations of derived coordinates begin with that of the mechanism */
        eval = eval->own;
        sys = on->inner;
    }
    const bl_mechanism *m = bl_mech(sys);
    bl_mech_work *w = eval->own;
    const bl_model *model = m->model;
    for (bl_index b = 0; b < model->nelastic; b++) {
        of[b] = (bl_elastic_momenta){0};
        memcpy(of[b].center, eval->pose[bl_elastic_body(&model->elastic[b])].position, sizeof of[b].center);
    }
    const bl_elastic_element *e = m->elastic, *end = m->elastic + m->nelastic;
    while (e < end) { /* elements of a body follow each other */
        bl_elastic_momenta *to = &of[e->body];
        double first[3] = {0};
        for (bl_index body = e->body; e < end && e->body == body; e++)
            add_element(m, w, e, first, to);
        bl_momenta_to_center(to, first);
    }
    bl_floating_momenta(m, w, of);
}
