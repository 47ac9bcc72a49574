/* Fields of meshes whose nodes are moved by other coordinates. Stresses of a body that deforms little relative to a frame are linear in its
 * displacements there; with a law that is not, they follow from displacements so small that it is: sigma = sigma(s u) / s, then turned by
 * the rotation R of the frame, R sigma R^T. */
#include "fem/fem_limits.h"
#include "fem/fields_private.h"

#include <math.h>

bl_status bl_fem_moved_room(const bl_fem *fem, bl_fem_eval *p) {
    BL_TRY(BL_NEW(fem->ctx, p->moved, fem->npart));
    for (bl_index part = 0; part < fem->npart; part++)
        p->moved[part] = (bl_fem_moved){.u = p->u_to + fem->full0[part], .v = p->v + fem->full0[part], .strain = p->u + fem->full0[part]};
    return BL_OK;
}

bl_fem_moved *bl_fem_moved_nodes(const bl_system *sys, const bl_eval *e, bl_index mesh) {
    const bl_fem *fem = sys->own;
    const bl_fem_eval *p = e->own;
    bl_index part = 0; /* these are sorted */
    while (fem->part[part].solid != &fem->model->solid[mesh])
        part++;
    return &p->moved[part];
}

double bl_fem_moved_scale(const bl_fem *fem, bl_fem_eval *p, bl_index part) {
    double most = 0;
    if (!p->moved || !p->moved[part].in_frame || fem->part[part].linear)
        return 1;
    double *u = p->moved[part].strain;
    bl_index n = fem->full0[part + 1] - fem->full0[part];
    for (bl_index i = 0; i < n; i++)
        most = fmax(most, fabs(u[i]));
    double scale = most > 0 ? fem_field_small * fem->part[part].length / most : 1;
    for (bl_index i = 0; i < n; i++)
        u[i] *= scale;
    return scale;
}

/* components 11, 22, 33, 12, 23, 13 or the first four */
static void turn(const double R[3][3], int components, double scale, double *s) {
    const double S[3][3] = {{s[0], s[3], components == 6 ? s[5] : 0},
                            {s[3], s[1], components == 6 ? s[4] : 0},
                            {components == 6 ? s[5] : 0, components == 6 ? s[4] : 0, s[2]}};
    static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}};
    for (int c = 0; c < components; c++) {
        s[c] = 0;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                s[c] += R[at[c][0]][i] * S[i][j] * R[at[c][1]][j] / scale;
    }
}

void bl_fem_moved_stresses(const bl_fem *fem, const bl_eval *e, bl_index part, double scale) {
    const bl_fem_fields *f = fem->fields;
    const bl_fem_eval *p = e->own;
    if (!p->moved || !p->moved[part].in_frame)
        return;
    for (bl_index i = 0; i < f->n; i++) {
        double *value = e->field[i];
        bl_field_what of = f->own[i].of;
        int components = f->field[i].components;
        if (f->own[i].part != part)
            continue;
        for (bl_index k = 0; k < f->field[i].items; k++, value += components)
            if (of == BL_FIELD_STRESS || of == BL_FIELD_CELL_STRESS)
                turn((const double(*)[3])p->moved[part].turn, components, scale, value);
            else if (of == BL_FIELD_VON_MISES || of == BL_FIELD_CELL_VON_MISES)
                *value /= scale;
    }
}
