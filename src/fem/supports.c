/* Inertia and damping forces of moving supports: with rates g' and g'' of prescribed components
 *
 *     f = M_fg g'' + C_fg g',   C = alpha M + beta K (reference configuration),     for fields of first order  A_fg g'.
 *
 * M_fg and C_fg are constant: pairs of components, built once. Tied components move with those they depend on. */
#include "fem/assembly.h"

#include <string.h>

static bool is_moving(const bl_fem *fem, bl_index full) {
    bl_index column = fem->column[full];
    return column < -fem->ngiven || (column < 0 && fem->given[-1 - column].value.law >= 0);
}

typedef struct coupled_element {
    bl_index part;
    const bl_fem_group *group;
    bl_index e;
    int n;
    bl_index full[BL_ELEMENT_UNKNOWNS]; /* indices of its components in full vectors */
} coupled_element;

/* false: none of its components is moved by a support */
static bool take_element(const bl_fem *fem, bl_index p, const bl_fem_group *group, bl_index e, coupled_element *element) {
    int nn = group->kind->nnode, nc = fem->part[p].ncomponent;
    const bl_index *node = group->node + (size_t)e * (size_t)nn;
    bool any = false;
    *element = (coupled_element){.part = p, .group = group, .e = e, .n = nn * nc};
    for (int k = 0; k < element->n; k++) {
        element->full[k] = fem->full0[p] + node[k / nc] * nc + k % nc;
        any = any || is_moving(fem, element->full[k]);
    }
    return any;
}

static bl_index pairs_of(const bl_fem *fem, const coupled_element *element) {
    bl_index n = 0;
    for (int l = 0; l < element->n; l++)
        n += is_moving(fem, element->full[l]) ? element->n : 0;
    return n;
}

/* called for each element with a component moved by a support */
typedef bl_status visit_element(bl_fem *fem, const coupled_element *element, bl_fem_eval *eval);
static bl_status visit(bl_fem *fem, bl_fem_eval *eval, visit_element *what) {
    coupled_element element;
    for (bl_index p = 0; p < fem->npart; p++)
        for (bl_index g = 0; fem->part[p].solid->order > 0 && g < fem->part[p].ngroup; g++)
            for (bl_index e = 0; e < fem->part[p].group[g].count; e++)
                if (take_element(fem, p, &fem->part[p].group[g], e, &element))
                    BL_TRY(what(fem, &element, eval));
    return BL_OK;
}

static bl_status count_pairs(bl_fem *fem, const coupled_element *element, bl_fem_eval *eval) {
    (void)eval;
    fem->npair += pairs_of(fem, element);
    return BL_OK;
}

/* K in the reference configuration, n x n */
static bl_status stiffness_of(const bl_fem *fem, const coupled_element *element, bl_element_work *w) {
    const bl_fem_part *part = &fem->part[element->part];
    bl_index point;
    memset(w->u, 0, (size_t)element->n * sizeof *w->u);
    return part->solid->strain ? bl_part_solid(part, element->group, BL_PART_FORCE | BL_PART_TANGENT, NULL, NULL, w, &point)
                               : bl_part_scalar(part, element->group, BL_PART_FORCE | BL_PART_TANGENT, w, &point);
}

static bl_status add_pairs(bl_fem *fem, const coupled_element *element, bl_fem_eval *eval) {
    const bl_solid *solid = fem->part[element->part].solid;
    bl_element_work *w = eval->element;
    int nn = element->group->kind->nnode, nc = fem->part[element->part].ncomponent;
    double mass[BL_ELEMENT_NODES * BL_ELEMENT_NODES];
    bool stiff = solid->order == 2 && solid->damping_stiffness != 0;
    bl_fem_gather(fem, element->part, element->group, element->e, eval, w);
    bl_part_mass(&fem->part[element->part], element->group, w, w->K, solid->lumped);
    memcpy(mass, w->K, (size_t)(solid->lumped ? nn : nn * nn) * sizeof *mass);
    if (stiff)
        BL_TRY(stiffness_of(fem, element, w));
    for (int l = 0; l < element->n; l++) {
        if (!is_moving(fem, element->full[l]))
            continue;
        for (int k = 0; k < element->n; k++) {
            int a = k / nc, b = l / nc;
            double m = k % nc != l % nc ? 0 : solid->lumped ? (a == b ? mass[a] : 0) : mass[a * nn + b];
            double c = solid->order == 1 ? m : solid->damping_mass * m;
            if (stiff)
                c += solid->damping_stiffness * w->K[(size_t)k * (size_t)element->n + (size_t)l];
            if (m != 0 || c != 0)
                fem->pair[fem->npair++] = (bl_fem_pair){element->full[k], element->full[l], solid->order == 2 ? m : 0, c};
        }
    }
    return BL_OK;
}

bl_status bl_fem_couple(bl_fem *fem, bl_fem_eval *eval) {
    bool law = false;
    for (bl_index g = 0; g < fem->ngiven; g++)
        law = law || fem->given[g].value.law >= 0;
    if (!law)
        return BL_OK;
    BL_TRY(visit(fem, eval, count_pairs));
    BL_TRY(BL_ARENA_NEW(&fem->arena, fem->pair, (size_t)fem->npair + 1));
    fem->npair = 0;
    return visit(fem, eval, add_pairs);
}

void bl_fem_support_forces(const bl_fem *fem, const bl_fem_eval *p, double *rate, double *f) {
    memset(rate, 0, (size_t)fem->nfull * sizeof *rate);
    for (bl_index g = 0; g < fem->ngiven; g++)
        rate[fem->given[g].at] = p->v[fem->given[g].at];
    bl_fem_tie_values(fem, rate);
    for (bl_index k = 0; k < fem->npair; k++) {
        const bl_fem_pair *pair = &fem->pair[k];
        f[pair->row] += pair->mass * p->a[pair->col] + pair->damping * rate[pair->col];
    }
    bl_fem_mass_inertia(fem, p->a, rate, f);
}
