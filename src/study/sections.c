/* Strains and section forces of beams, element by element, from the poses of their frames: the same in all coordinates. */
#include "study/sections.h"

#include "elastic/beam.h"

#include <math.h>
#include <string.h>

/* the element between frames 2 and 4 of "rod" is "rod.2-4" */
bl_status bl_sections_name(const bl_model *model, bl_arena *arena, bl_run_info *info) {
    bl_index n = 0;
    const char **name;
    for (bl_index i = 0; i < model->nelastic; i++)
        n += model->elastic[i].beam ? model->elastic[i].beam->nelement : 0;
    BL_TRY(BL_ARENA_NEW(arena, name, n));
    n = 0;
    for (bl_index i = 0; i < model->nelastic; i++) {
        const bl_beam_def *beam = model->elastic[i].beam;
        for (bl_index e = 0; beam && e < beam->nelement; e++)
            if (!(name[n++] =
                      bl_arena_printf(arena, "%s.%d-%d", model->elastic[i].name, (int)(e * beam->degree), (int)((e + 1) * beam->degree))))
                return BL_E_MEMORY;
    }
    info->nsection = n;
    info->section = name;
    return BL_OK;
}

static void turned(const double q[4], const double v[3], double out[3]) {
    const double *u = q + 1;
    double c[3] = {u[1] * v[2] - u[2] * v[1] + q[0] * v[0], u[2] * v[0] - u[0] * v[2] + q[0] * v[1],
                   u[0] * v[1] - u[1] * v[0] + q[0] * v[2]};
    for (int k = 0; k < 3; k++)
        out[k] = v[k] + 2 * (u[(k + 1) % 3] * c[(k + 2) % 3] - u[(k + 2) % 3] * c[(k + 1) % 3]);
}

/* local values of an element (elastic/beam.h): positions and directors of its nodes */
static void take_nodes(const bl_model *model, const bl_elastic_def *elastic, bl_index e, const bl_beam_element *element,
                       const bl_pose *body, double *x) {
    const bl_beam_def *beam = elastic->beam;
    int dim = model->dim, nnode = beam->degree + 1;
    for (int a = 0; a < nnode; a++) {
        bl_index frame = elastic->frame + e * beam->degree + a;
        const bl_beam_node *node = &beam->node[(size_t)e * (size_t)nnode + (size_t)a];
        const bl_pose *pose = &body[frame - 1];
        for (int i = 0; i < element->nvector; i++) {
            double local[3], now[3];
            for (int k = 0; k < 3; k++)
                local[k] = i == 0 ? node->at[k] - model->body[frame].center[k] : node->axes[bl_beam_axis(element, i)][k];
            turned(pose->quaternion, local, now);
            for (int k = 0; k < dim; k++)
                *x++ = (i == 0 ? pose->position[k] : 0) + now[k];
        }
    }
}

/* means over the element; shears and bending in the plane are those along d2 and about d3 */
static void measure(const bl_beam_element *element, const double *x, bl_section_sample *s) {
    static const int plane[] = {0, 1, 5};
    memset(s, 0, sizeof *s);
    for (int p = 0; p < element->npoint; p++) {
        double strain[BL_BEAM_STRAINS];
        bl_beam_strains(element, p, x, strain);
        for (int k = 0; k < element->nstrain; k++) {
            int at = element->dim == 3 ? k : plane[k];
            double share = strain[k] * element->weight[p] / element->length;
            (at < 3 ? s->strain : s->curvature)[at % 3] += share;
            (at < 3 ? s->force : s->moment)[at % 3] += element->stiffness[k] * share;
        }
    }
}

void bl_sections_measure(const bl_model *model, const bl_pose *body, bl_section_sample *section) {
    for (bl_index i = 0; i < model->nelastic; i++) {
        const bl_elastic_def *elastic = &model->elastic[i];
        for (bl_index e = 0; elastic->beam && e < elastic->beam->nelement; e++, section++) {
            bl_beam_element element;
            double x[BL_BEAM_LOCAL];
            memset(section, 0, sizeof *section);
            if (bl_beam_element_make(elastic->beam, model->dim, e, &element, x) != BL_OK)
                continue; /* not after a model that was read */
            take_nodes(model, elastic, e, &element, body, x);
            measure(&element, x, section);
        }
    }
}
