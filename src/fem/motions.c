/* Names of rigid motions for messages: u = a + w x r of one part, the others at rest. */
#include "fem/assembly.h"
#include "fem/fem_limits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 6 }; /* translations and rotations */

/* displacement of a node by motion k of dim translations and 1 or 3 rotations, about the center c of the part */
static void rigid(int dim, int k, const double x[3], const double c[3], double size, double u[3]) {
    double r[3] = {(x[0] - c[0]) / size, (x[1] - c[1]) / size, (x[2] - c[2]) / size};
    u[0] = u[1] = u[2] = 0;
    if (k < dim) {
        u[k] = 1;
        return;
    }
    int axis = dim == 2 ? 2 : k - dim, i = (axis + 1) % 3, j = (axis + 2) % 3;
    u[i] = -r[j];
    u[j] = r[i];
}

/* solves a x = b, a symmetric positive definite, by elimination */
static bool solve(int n, double a[MOST][MOST], double b[MOST]) {
    for (int k = 0; k < n; k++) {
        if (!(a[k][k] > 0))
            return false;
        for (int i = k + 1; i < n; i++) {
            double f = a[i][k] / a[k][k];
            for (int j = k; j < n; j++)
                a[i][j] -= f * a[k][j];
            b[i] -= f * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++)
            b[k] -= a[k][j] * b[j];
        b[k] /= a[k][k];
    }
    return true;
}

static double entry(const bl_fem *fem, const double *x, bl_index full) { return fem->column[full] >= 0 ? x[fem->column[full]] : 0; }

/* the rigid motion nearest to x on a part, b[translations, rotations]; false: x is not rigid. Nodes without elements do not count. */
static bool fit(const bl_fem *fem, bl_index p, const double *x, const double c[3], double size, double b[MOST]) {
    const bl_fem_part *part = &fem->part[p];
    int dim = part->dim, n = part->solid->plane == BL_PLANE_AXISYMMETRIC ? dim : dim == 3 ? 6 : dim == 2 ? 3 : 1;
    double a[MOST][MOST] = {{0}}, all = 0, remainder = 0;
    memset(b, 0, MOST * sizeof *b);
    for (int pass = 0; pass < 2; pass++) {
        for (bl_index g = 0; g < part->ngroup; g++)
            for (size_t k = 0; k < (size_t)part->group[g].count * part->group[g].kind->nnode; k++) {
                bl_index node = part->group[g].node[k];
                double u[MOST][3], left[3] = {0};
                for (int m = 0; m < n; m++)
                    rigid(dim, m, part->solid->mesh.x[node], c, size, u[m]);
                for (int i = 0; i < dim; i++) {
                    left[i] = entry(fem, x, fem->full0[p] + node * dim + i);
                    for (int m = 0; m < n; m++) {
                        for (int l = 0; pass == 0 && l < n; l++)
                            a[m][l] += u[m][i] * u[l][i];
                        if (pass == 0)
                            b[m] += u[m][i] * left[i];
                        else
                            left[i] -= b[m] * u[m][i];
                    }
                    *(pass == 0 ? &all : &remainder) += left[i] * left[i];
                }
            }
        if (pass == 0 && !solve(n, a, b))
            return false;
    }
    return all > 0 && remainder < fem_rigid * all;
}

/* "(0.6, 0.8, 0)", or "x" for a coordinate axis */
static void direction(int dim, const double d[3], char *text, size_t size) {
    double norm = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    for (int k = 0; k < 3; k++)
        if (fabs(d[k]) > (1 - 1e-9) * norm) {
            snprintf(text, size, "%c", "xyz"[k]);
            return;
        }
    double unit[3];
    for (int k = 0; k < 3; k++)
        unit[k] = fabs(d[k]) > 1e-9 * norm ? d[k] / norm : 0;
    if (dim == 2)
        snprintf(text, size, "(%.3g, %.3g)", unit[0], unit[1]);
    else
        snprintf(text, size, "(%.3g, %.3g, %.3g)", unit[0], unit[1], unit[2]);
}

static void describe(const bl_fem_part *part, const double b[MOST], const double c[3], double size, char *text, size_t room) {
    const char *name = part->solid->name;
    char along[48];
    int dim = part->dim;
    double velocity[3] = {b[0], dim > 1 ? b[1] : 0, dim > 2 ? b[2] : 0}, spin[3] = {0};
    if (dim == 2)
        spin[2] = b[2] / size;
    for (int k = 0; dim == 3 && k < 3; k++)
        spin[k] = b[3 + k] / size;
    double ww = spin[0] * spin[0] + spin[1] * spin[1] + spin[2] * spin[2],
           vv = velocity[0] * velocity[0] + velocity[1] * velocity[1] + velocity[2] * velocity[2];
    if (ww * size * size < fem_rigid_spin * vv) {
        direction(dim, velocity, along, sizeof along);
        snprintf(text, room, "%.60s can translate along %s", name, along);
        return;
    }
    double at[3]; /* point of the axis nearest to the center: c + w x v / w^2 */
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        at[i] = c[i] + (spin[j] * velocity[k] - spin[k] * velocity[j]) / ww;
        at[i] = fabs(at[i]) < 1e-9 * size ? 0 : at[i];
    }
    if (dim == 2) {
        snprintf(text, room, "%.60s can rotate about (%.4g, %.4g)", name, at[0], at[1]);
        return;
    }
    double slide = fabs(spin[0] * velocity[0] + spin[1] * velocity[1] + spin[2] * velocity[2]);
    direction(dim, spin, along, sizeof along);
    snprintf(text, room, "%.60s can rotate about the axis along %s through (%.4g, %.4g, %.4g)%s", name, along, at[0], at[1], at[2],
             slide > fem_rigid_slide * sqrt(ww * vv) ? " and translate along it" : "");
}

bool bl_fem_motion_name(const bl_system *sys, const double *x, char *text, size_t room) {
    const bl_fem *fem = sys->own;
    bl_index moving = -1;
    for (bl_index p = 0; p < fem->npart; p++)
        for (bl_index k = fem->full0[p]; k < fem->full0[p + 1]; k++)
            if (entry(fem, x, k) != 0) {
                if (moving >= 0 && moving != p)
                    return false;
                moving = p;
            }
    if (moving < 0 || !fem->part[moving].solid->strain || fem->ntie)
        return false;
    const bl_fem_part *part = &fem->part[moving];
    double c[3] = {0}, b[MOST], n = (double)part->solid->mesh.nnode;
    for (bl_index i = 0; i < part->solid->mesh.nnode; i++)
        for (int k = 0; k < 3; k++)
            c[k] += part->solid->mesh.x[i][k] / n;
    if (!fit(fem, moving, x, c, part->length, b))
        return false;
    describe(part, b, c, part->length, text, room);
    return true;
}
