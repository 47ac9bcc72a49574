/* Fields of meshes whose nodes are moved by other coordinates. Stresses of a body that deforms little relative to a frame are linear in its
 * shapes: those of every shape are computed once, combined and turned by the rotation R of the frame, R sigma R^T. With a law that is not
 * linear they follow from displacements so small that it is: sigma = sigma(s u) / s. */
#include "fem/fem_limits.h"
#include "fem/fields_private.h"

#include <math.h>
#include <string.h>

bl_status bl_fem_moved_room(const bl_fem *fem, bl_fem_eval *p) {
    size_t shapes = 0;
    for (bl_index part = 0; part < fem->npart; part++)
        shapes += (size_t)fem->shapes[part].n;
    double *amplitude;
    BL_TRY(BL_NEW_ARRAYS(fem->ctx, p->moved_block, BL_ARRAY(p->moved, fem->npart), BL_ARRAY(amplitude, shapes)));
    for (bl_index part = 0; part < fem->npart; amplitude += fem->shapes[part++].n) {
        bl_index at = fem->full0[part];
        p->moved[part] = (bl_fem_moved){.u = p->u_to + at, .v = p->v + at, .strain = p->u + at, .amplitude = amplitude};
    }
    return BL_OK;
}

bl_fem_moved *bl_fem_moved_nodes(const bl_system *sys, const bl_eval *e, bl_index mesh) {
    const bl_fem_eval *p = e->own;
    (void)sys;
    return &p->moved[mesh];
}

/* ---- stresses of shapes */

static size_t node_numbers(const bl_fem *fem, bl_index part) {
    return (size_t)fem->part[part].solid->mesh.nnode * (size_t)bl_tensor_components(&fem->part[part]);
}

static size_t cell_numbers(const bl_fem *fem, bl_index part) {
    return (size_t)fem->part[part].solid->mesh.nelement * (size_t)bl_tensor_components(&fem->part[part]);
}

/* displacements of a shape in p->u, scaled where the law is not linear; returns the factor */
static double set_shape(const bl_fem *fem, bl_fem_eval *p, bl_index part, bl_index m) {
    size_t n = (size_t)(fem->full0[part + 1] - fem->full0[part]);
    const double *shape = fem->shapes[part].displacement + (size_t)m * n;
    double *u = p->u + fem->full0[part], most = 0;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(shape[i]));
    double scale = fem->part[part].linear || most == 0 ? 1 : fem_field_small * fem->part[part].length / most;
    for (size_t i = 0; i < n; i++)
        u[i] = scale * shape[i];
    return scale;
}

static bl_status make_part(bl_fem *fem, bl_fem_eval *p, bl_index part) {
    const bl_fem_fields *f = fem->fields;
    struct bl_fem_stresses *s = &fem->stresses[part];
    size_t nodes = bl_fem_smooths(f, part) ? node_numbers(fem, part) : 0, cells = 0, shapes = (size_t)fem->shapes[part].n;
    if (bl_fem_has_field(f, part, BL_FIELD_CELL_STRESS) || bl_fem_has_field(f, part, BL_FIELD_CELL_VON_MISES))
        cells = cell_numbers(fem, part);
    if (shapes == 0 || nodes + cells == 0)
        return BL_OK;
    double *work;
    if (nodes > 0)
        BL_TRY(BL_NEW(fem->ctx, s->nodes, shapes * nodes));
    if (cells > 0)
        BL_TRY(BL_NEW(fem->ctx, s->cells, shapes * cells));
    BL_TRY(BL_NEW(fem->ctx, work, bl_mass_work(fem->part[part].solid->mesh.nnode, 6)));
    bl_status status = BL_OK;
    for (bl_index m = 0; status == BL_OK && m < fem->shapes[part].n; m++) {
        double scale = set_shape(fem, p, part, m), *on_nodes = nodes ? s->nodes + (size_t)m * nodes : NULL,
               *on_cells = cells ? s->cells + (size_t)m * cells : NULL;
        status = bl_go_on(fem->ctx);
        if (status == BL_OK)
            status = bl_fem_stresses_at(fem, p, part, on_nodes, on_cells, work);
        for (size_t i = 0; i < nodes; i++)
            on_nodes[i] /= scale;
        for (size_t i = 0; i < cells; i++)
            on_cells[i] /= scale;
    }
    bl_free(fem->ctx, work);
    return status;
}

bl_status bl_fem_moved_make(bl_fem *fem, bl_fem_eval *p) {
    if (fem->stresses)
        return BL_OK;
    BL_TRY(BL_NEW(fem->ctx, fem->stresses, fem->npart));
    bl_status status = BL_OK;
    for (bl_index part = 0; status == BL_OK && part < fem->npart; part++)
        status = make_part(fem, p, part);
    if (status != BL_OK)
        bl_fem_moved_destroy(fem);
    return status;
}

void bl_fem_moved_destroy(bl_fem *fem) {
    for (bl_index part = 0; fem->stresses && part < fem->npart; part++) {
        bl_free(fem->ctx, fem->stresses[part].nodes);
        bl_free(fem->ctx, fem->stresses[part].cells);
    }
    bl_free(fem->ctx, fem->stresses);
    fem->stresses = NULL;
}

/* ---- of a body */

/* components 11, 22, 33, 12, 23, 13 or the first four */
static void turn(const double R[3][3], int components, double *s) {
    bool space = components == 6;
    const double S[3][3] = {{s[0], s[3], space ? s[5] : 0}, {s[3], s[1], space ? s[4] : 0}, {space ? s[5] : 0, space ? s[4] : 0, s[2]}};
    static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}};
    for (int c = 0; c < components; c++) {
        s[c] = 0;
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                s[c] += R[at[c][0]][i] * S[i][j] * R[at[c][1]][j];
    }
}

static void combine(const bl_fem *fem, const bl_fem_moved *moved, bl_index part, size_t n, const double *basis, double *out) {
    int components = bl_tensor_components(&fem->part[part]);
    if (!out)
        return;
    memset(out, 0, n * sizeof *out);
    for (bl_index m = 0; m < fem->shapes[part].n; m++)
        for (size_t i = 0; i < n; i++)
            out[i] += moved->amplitude[m] * basis[(size_t)m * n + i];
    for (size_t i = 0; i < n; i += (size_t)components)
        turn((const double(*)[3])moved->turn, components, out + i);
}

void bl_fem_moved_stresses(const bl_fem *fem, const bl_fem_eval *p, bl_index part, double *nodes, double *cells) {
    const bl_fem_moved *moved = &p->moved[part];
    combine(fem, moved, part, node_numbers(fem, part), fem->stresses[part].nodes, nodes);
    combine(fem, moved, part, cell_numbers(fem, part), fem->stresses[part].cells, cells);
}
