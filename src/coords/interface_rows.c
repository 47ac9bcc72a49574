/* Interfaces that average: the frame follows their n nodes in the sense of least squares. With xi_a the position of node a from the mean of
 * all, in the model configuration and in the axes d_k of the frame, sum |r_a - mean(r) - sum xi_ak d_k|^2 is least where
 *
 *     P + R c = sum r_a / n,     sum_a (xi_aj r_a . d_k - xi_ak r_a . d_j) = 0 for j < k,
 *
 * c the mean in the axes of the frame (P its point). Products of coordinates at most, like all quadratic rows. */
#include "coords/mechanism.h"

#include <stdio.h>
#include <string.h>

static bl_status mean_rows(bl_mechanism *m, const bl_mesh_body *mesh, bl_index frame, const bl_mesh_set *set, const double mean[3]) {
    bl_mark mark = bl_model_mark_point(m->model, frame, mean);
    bl_form f;
    bl_index arm;
    bl_form_clear(&f);
    BL_TRY(bl_form_mark(m, &mark, &f));
    BL_TRY(bl_direction_mark(m, &mark, &arm));
    for (int k = 0; k < m->dim; k++) {
        char meaning[48];
        snprintf(meaning, sizeof meaning, "mean %c of the nodes", "xyz"[k]);
        BL_TRY(bl_row_add(m, BL_ROW_RIGID, frame, -1, meaning, 0));
        for (bl_index i = 0; i < set->count; i++)
            BL_TRY(bl_row_linear(m, m->entity[m->seat[mesh->seat[set->item[i]]].entity].base + k, 1.0 / set->count, mesh->def->body));
        bl_index first = m->nlinear;
        for (bl_index i = 0; i < f.n[k]; i++)
            BL_TRY(bl_row_linear(m, f.entry[k][i], -f.coef[k][i], frame));
        if (m->nlinear == first)
            continue;
        m->linear[first].arm = arm; /* for reactions: a force on the frame at the mean */
        m->linear[first].part = (int8_t)k;
        m->linear[first].force = -1;
    }
    return BL_OK;
}

static bl_status turn_row(bl_mechanism *m, const bl_mesh_body *mesh, bl_index frame, const bl_mesh_set *set, const double mean[3], int j,
                          int k) {
    const bl_mark axis[2] = {{frame, true, {j == 0, j == 1, j == 2}}, {frame, true, {k == 0, k == 1, k == 2}}};
    bl_index d[2];
    char meaning[48];
    for (int i = 0; i < 2; i++)
        BL_TRY(bl_direction_mark(m, &axis[i], &d[i]));
    snprintf(meaning, sizeof meaning, "mean rotation of the nodes in %c%c", "xyz"[j], "xyz"[k]);
    BL_TRY(bl_row_add(m, BL_ROW_RIGID, frame, -1, meaning, 0));
    for (bl_index i = 0; i < set->count; i++) {
        bl_index node = set->item[i], dir;
        const double *x = mesh->solid->mesh.x[node];
        bl_form f;
        bl_form_clear(&f);
        BL_TRY(bl_mesh_node_form(m, mesh, node, &f));
        BL_TRY(bl_direction_of(m, &f, mesh->def->body, false, &dir));
        BL_TRY(bl_row_quad(m, dir, d[1], (x[j] - mean[j]) / set->count));
        BL_TRY(bl_row_quad(m, dir, d[0], -(x[k] - mean[k]) / set->count));
    }
    return BL_OK;
}

bl_status bl_interface_rows(bl_mechanism *m) {
    for (bl_index b = 0; b < m->model->nelastic; b++) {
        const bl_mesh_body *mesh = &m->mesh[b];
        for (bl_index n = 0; mesh->def && n < mesh->def->nframe; n++) {
            const bl_interface_def *interface = &mesh->def->interface[n];
            bl_index frame = mesh->def->frame + n;
            double mean[3] = {0, 0, 0};
            if (interface->rigid)
                continue;
            for (bl_index i = 0; i < interface->set->count; i++)
                for (int k = 0; k < 3; k++)
                    mean[k] += mesh->solid->mesh.x[interface->set->item[i]][k] / interface->set->count;
            BL_TRY(mean_rows(m, mesh, frame, interface->set, mean));
            for (int j = 0; j < m->dim; j++)
                for (int k = j + 1; k < m->dim; k++)
                    BL_TRY(turn_row(m, mesh, frame, interface->set, mean, j, k));
        }
    }
    return BL_OK;
}
