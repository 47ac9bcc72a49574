/* Masses on meshes. A mass on a set of nodes follows their mean motion through a rigid massless arm (small rotations): with the center c
 * of the nodes, d_a = x_a - c, and the arm r from c to the mass,
 *
 *     u = 1/n sum u_a + w x r,     J w = 1/n sum d_a x u_a,     J = 1/n sum (d_a.d_a I - d_a d_a^T),
 *
 * the rigid motion nearest to that of the nodes, which can still deform. The transpose distributes forces on the mass to the nodes. */
#include "model/model_limits.h"
#include "model/reader.h"

#include <math.h>
#include <string.h>

static void cross_matrix(const double d[3], double out[3][3]) {
    const double m[3][3] = {{0, -d[2], d[1]}, {d[2], 0, -d[0]}, {-d[1], d[0], 0}};
    memcpy(out, m, sizeof m);
}

static void multiply(double a[3][3], double b[3][3], double out[3][3]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
}

/* by cofactors; false: singular. In planar models only the moment about z is used. */
static bool invert(double J[3][3], int dim, double out[3][3]) {
    double size = J[0][0] + J[1][1] + J[2][2], det = 0;
    memset(out, 0, 9 * sizeof(double));
    if (dim == 2) {
        out[2][2] = 1 / J[2][2];
        return J[2][2] > 0;
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
            out[j][i] = J[a][c] * J[b][d] - J[a][d] * J[b][c];
        }
    for (int j = 0; j < 3; j++)
        det += J[0][j] * out[j][0];
    for (int k = 0; k < 9; k++)
        out[k / 3][k % 3] /= det;
    return det > model_nodes_thin * size * size * size;
}

static void center(const bl_mesh *mesh, bl_index n, const bl_index *node, double c[3]) {
    memset(c, 0, 3 * sizeof *c);
    for (bl_index a = 0; a < n; a++)
        for (int k = 0; k < 3; k++)
            c[k] += mesh->x[node[a]][k] / n;
}

static void moments(const bl_mesh *mesh, bl_index n, const bl_index *node, const double c[3], double J[3][3]) {
    memset(J, 0, 9 * sizeof(double));
    for (bl_index a = 0; a < n; a++) {
        double d[3] = {mesh->x[node[a]][0] - c[0], mesh->x[node[a]][1] - c[1], mesh->x[node[a]][2] - c[2]};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                J[i][j] += ((i == j ? d[0] * d[0] + d[1] * d[1] + d[2] * d[2] : 0) - d[i] * d[j]) / n;
    }
}

bl_status bl_masses_arm(bl_reader *r, const bl_mesh *mesh, const double arm[3], const char *set, bl_point_mass *mass) {
    bool offset = arm[0] != 0 || arm[1] != 0 || arm[2] != 0;
    bl_index n = mass->nnode;
    double c[3], J[3][3], inverse[3][3], R[3][3], RJ[3][3];
    double(*by)[9] = bl_arena_alloc(&r->model->arena, (size_t)n, sizeof *by);
    if (!by)
        return BL_E_MEMORY;
    mass->by = (const double(*)[9])by;
    center(mesh, n, mass->node, c);
    moments(mesh, n, mass->node, c, J);
    if (offset && !invert(J, r->model->dim, inverse)) {
        bl_fail(r->ctx, BL_E_MODEL, &mass->place,
                "the nodes of '%s' are on one line or coincide, so they do not define the rotation of the arm to the mass", set);
        bl_advise(r->ctx, "use a set that extends in every direction perpendicular to the arm, or omit 'offset'");
        return BL_E_MODEL;
    }
    cross_matrix(arm, R);
    if (offset)
        multiply(R, inverse, RJ);
    for (bl_index a = 0; a < n; a++) {
        const double *x = mesh->x[mass->node[a]], d[3] = {x[0] - c[0], x[1] - c[1], x[2] - c[2]};
        double D[3][3], turn[3][3] = {{0}};
        cross_matrix(d, D);
        if (offset)
            multiply(RJ, D, turn); /* w x r = -r x w */
        for (int k = 0; k < 9; k++)
            by[a][k] = ((k % 4 == 0) - turn[k / 3][k % 3]) / n;
    }
    return BL_OK;
}
