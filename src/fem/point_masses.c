/* Point masses carried by nodes (bl_point_mass): with u = sum by_a u_a, they add the matrix m by_a^T by_b between nodes a and b, and the
 * weight m by_a^T g. */
#include "fem/assembly.h"

#include "sparse/sparse.h"

static bl_index part_of(const bl_fem *fem, const bl_point_mass *mass) {
    bl_index p = 0;
    while (fem->part[p].solid != &fem->model->solid[mass->solid])
        p++;
    return p;
}

bl_index bl_fem_carriers(const bl_fem *fem, bl_index k, bl_index *node) {
    const bl_point_mass *mass = &fem->model->mass[k];
    for (bl_index a = 0; node && a < mass->nnode; a++)
        node[a] = fem->node0[part_of(fem, mass)] + mass->node[a];
    return mass->nnode;
}

bool bl_fem_masses_couple(const bl_fem *fem, bl_index part) {
    for (bl_index k = 0; k < fem->model->nmass; k++)
        if (fem->model->mass[k].nnode > 1 && part_of(fem, &fem->model->mass[k]) == part)
            return true;
    return false;
}

static void add_pair(const bl_fem *fem, const bl_point_mass *mass, double m, bl_index a, bl_index b, const bl_pattern *pattern,
                     double *values) {
    bl_index p = part_of(fem, mass), nc = fem->part[p].ncomponent;
    const bl_index *row = fem->column + fem->full0[p] + mass->node[a] * nc, *col = fem->column + fem->full0[p] + mass->node[b] * nc;
    for (bl_index i = 0; i < nc; i++)
        for (bl_index j = 0; j < nc; j++) {
            double sum = 0;
            for (bl_index k = 0; k < nc; k++)
                sum += mass->by[a][3 * k + i] * mass->by[b][3 * k + j];
            if (sum != 0 && row[i] >= 0 && col[j] >= 0)
                values[bl_pattern_find(pattern, row[i], col[j])] += m * sum;
        }
}

void bl_fem_add_masses(const bl_fem *fem, bl_index part, double factor, const bl_pattern *pattern, double *values) {
    for (bl_index k = 0; k < fem->model->nmass; k++) {
        const bl_point_mass *mass = &fem->model->mass[k];
        if (part_of(fem, mass) != part)
            continue;
        for (bl_index b = 0; b < mass->nnode; b++)
            for (bl_index a = 0; a < mass->nnode; a++)
                add_pair(fem, mass, factor * mass->mass, a, b, pattern, values);
    }
}

/* f += by^T m a of the mass */
static void add_force(const bl_fem *fem, const bl_point_mass *mass, const double a[3], double *f) {
    bl_index p = part_of(fem, mass), nc = fem->part[p].ncomponent;
    for (bl_index n = 0; n < mass->nnode; n++)
        for (bl_index i = 0; i < nc; i++)
            for (bl_index k = 0; k < nc; k++)
                f[fem->full0[p] + mass->node[n] * nc + i] += mass->by[n][3 * k + i] * mass->mass * a[k];
}

void bl_fem_mass_inertia(const bl_fem *fem, const double *a, const double *v, double *f) {
    for (bl_index m = 0; m < fem->model->nmass; m++) {
        const bl_point_mass *mass = &fem->model->mass[m];
        bl_index p = part_of(fem, mass), nc = fem->part[p].ncomponent;
        double own[3] = {0}, damping = v ? fem->part[p].solid->damping_mass : 0;
        for (bl_index n = 0; n < mass->nnode; n++)
            for (bl_index i = 0; i < nc; i++) {
                bl_index at = fem->full0[p] + mass->node[n] * nc + i;
                for (bl_index k = 0; k < nc; k++)
                    own[k] += mass->by[n][3 * k + i] * (a[at] + (v ? damping * v[at] : 0));
            }
        add_force(fem, mass, own, f);
    }
}

void bl_fem_mass_weight(const bl_fem *fem, double *f) {
    for (bl_index m = 0; m < fem->model->nmass; m++)
        add_force(fem, &fem->model->mass[m], fem->model->gravity, f);
}
