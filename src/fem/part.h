/* part: the elements of one solid without coordinates. Nodal values and histories in; nodal forces, element matrices, trial histories out.
 * Who owns the unknowns (fem.h, later mechanisms) decides where they go. */
#ifndef BL_FEM_PART_H
#define BL_FEM_PART_H

#include "fem/law_isa.h"
#include "fem/linear_isa.h"
#include "model/model.h"

enum { BL_ELEMENT_UNKNOWNS = 3 * BL_ELEMENT_NODES };
enum { BL_FEM_COLORS = 64 }; /* at most; blocks of the last one may share nodes, and are not shared out */
/* Elements that one thread takes at a time: at least BLOCK (some 10 us of work), of large meshes one in BLOCKS of them, since neighbors
 * that follow each other find their nodes in the cache. */
enum { BL_FEM_BLOCK = 32, BL_FEM_BLOCKS = 256 };

/* what an evaluation of elements is asked for */
enum { BL_PART_FORCE = 1, BL_PART_TANGENT = 2, BL_PART_ENERGY = 4, BL_PART_STRESS = 8 };

/* shape functions at the points of a rule */
typedef struct bl_fem_rule {
    bl_index n;
    double *N;       /* [n][nnode] */
    double (*dN)[3]; /* [n][nnode] by reference coordinates */
    const double (*at)[3];
    const double *weight;
    const double *T; /* [n][nnode] functions of temperatures; N, or those of lower degree */
} bl_fem_rule;

/* elements of one kind with one material */
typedef struct bl_fem_group {
    const bl_element_kind *kind;
    const bl_material *material;
    bl_index count;
    bl_index *element;    /* [count] numbers in the mesh */
    const bl_index *node; /* [count][nnode] */
    bl_fem_rule rule, mass_rule;
    bool bbar;
    double thickness; /* of bars their area */
    size_t history;   /* where its histories begin: [count][rule.n][nhistory] numbers */
    bl_index nhistory;
    /* Blocks of `in_block` elements in colors: blocks of one color have no node in common, so that threads may add to nodes, and sums do
     * not depend on their number. Blocks of color c: block[color[c]] .. block[color[c + 1] - 1]. */
    bl_index in_block, nblock, ncolor, *color, *block;
    double hourglass; /* modulus that holds what one point does not see (hourglass.h); 0: nothing has to */
    bool in_lanes;    /* eight elements at a time, linear_isa.h */
    bool by_law;      /* or law_isa.h */
    bl_linear_rule linear;
} bl_fem_group;

typedef struct bl_fem_part {
    const bl_model *model;
    const bl_solid *solid;
    bl_arena arena;
    int dim, ncomponent; /* components of an unknown at a node: dim, or 1 */
    bl_index ngroup;
    bl_fem_group *group;
    size_t nhistory;   /* numbers of all histories */
    bool linear;       /* force = K u with a constant K */
    bool symmetric;    /* K is */
    bool discrete;     /* forces between two places are known */
    bool bars;         /* all elements are */
    double length;     /* diagonal of the mesh's box */
    double *thickness; /* [elements of the mesh], NULL: the solid's for all */
} bl_fem_part;

/* dN/dx, and the size of the map; of bars along them */
static inline double bl_part_gradients(const bl_fem_part *part, int nnode, const double (*x)[3], const double (*dN)[3], double *g) {
    return part->bars ? bl_element_line(part->dim, nnode, x, dN, g, NULL) : bl_element_gradients(part->dim, nnode, x, dN, g);
}

bl_status bl_fem_part_create(bl_context *ctx, const bl_model *model, const bl_solid *solid, bl_fem_part *part);
void bl_fem_part_destroy(bl_fem_part *part);

/* Everything about one element that an evaluation needs and makes; one per thread. u, f: [nnode][ncomponent]. */
typedef struct bl_element_work {
    double t;
    double x[BL_ELEMENT_NODES][3];
    double u[BL_ELEMENT_UNKNOWNS], temperature[BL_ELEMENT_NODES], warming[BL_ELEMENT_NODES]; /* with its rate */
    double u_from[BL_ELEMENT_UNKNOWNS], u_to[BL_ELEMENT_UNKNOWNS];                           /* between two places */
    bool warm;                                                                               /* temperatures are given */
    double f[BL_ELEMENT_UNKNOWNS];
    double K[BL_ELEMENT_UNKNOWNS * BL_ELEMENT_UNKNOWNS]; /* rows one after the other, as long as the element has unknowns */
    double energy, dissipated;                           /* stored; lost for good since the beginning */
    double heating;                                      /* with them: growth of both by the rates of temperatures alone */
    double stress[BL_ELEMENT_POINTS][6]; /* BL_PART_STRESS: at every point Cauchy's, of bars in their own axes; of a field the flux */
    /* likewise: strain (small, or Green's; shear angles), stored energy per volume, volume of the reference */
    double along[BL_ELEMENT_POINTS][2][3]; /* of bars: their direction, in the reference and at present */
    double strain[BL_ELEMENT_POINTS][6], point_energy[BL_ELEMENT_POINTS], volume[BL_ELEMENT_POINTS];
    /* scratch */
    double g[BL_ELEMENT_UNKNOWNS], B[6 * BL_ELEMENT_UNKNOWNS], CB[6 * BL_ELEMENT_UNKNOWNS];
    double widened[4 * BL_ELEMENT_UNKNOWNS], mean[4 * BL_ELEMENT_UNKNOWNS]; /* of dilatations: solid.c */
    double *law_in, *law_work;                                              /* of the model's laws */
    /* eight elements side by side; K: [nnode (nnode + 1)/2][dim][dim][8] of the largest element */
    double lane_x[BL_ELEMENT_UNKNOWNS * BL_LANES], lane_u[BL_ELEMENT_UNKNOWNS * BL_LANES], lane_f[BL_ELEMENT_UNKNOWNS * BL_LANES];
    double *lane_K;
} bl_element_work;

/* Inner forces f = dW/du and their tangent at u. history: of the element's points at the last accepted place, trial: there goes the new one
 * (NULL: not wanted). BL_NOT_FINITE: an element turned inside out; BL_NO_CONVERGENCE: a material did not settle; *point says where. */
bl_status bl_part_solid(const bl_fem_part *part, const bl_fem_group *group, uint32_t want, const double *history, double *trial,
                        bl_element_work *w, bl_index *point);
/* The same between two places, w->u_from and w->u_to: forces whose work is the difference of the stored energy (Simo and Tarnow 1992), with
 * a share chi of dissipation; tangent by a place in the middle that moves half as far as u_to. For parts that say `discrete`. */
bl_status bl_part_solid_between(const bl_fem_part *part, const bl_fem_group *group, uint32_t want, double chi, bl_element_work *w,
                                bl_index *point);
/* Both of bars, which the two above hand on. */
bl_status bl_part_bar(const bl_fem_part *part, const bl_fem_group *group, uint32_t want, const double *history, double *trial,
                      bl_element_work *w, bl_index *point);
bl_status bl_part_bar_between(const bl_fem_part *part, const bl_fem_group *group, uint32_t want, double chi, bl_element_work *w,
                              bl_index *point);
/* Eight elements that follow each other, of groups that say `by_law`, from w->lane_x and lane_u into lane_f and lane_K: the first `count`
 * lanes. history, trial: of the first element. energy: stored and dissipated are added. Where it fails: *lane, *point. */
bl_status bl_part_solid_lanes(const bl_fem_part *part, const bl_fem_group *group, const bl_fem_laws *kernels, uint32_t want, int count,
                              const double *history, double *trial, bl_element_work *w, double energy[2], int *lane, bl_index *point);
bl_status bl_part_scalar(const bl_fem_part *part, const bl_fem_group *group, uint32_t want, bl_element_work *w, bl_index *point);
/* m[nnode][nnode] = int rho N_a N_b (of a field of order 1: its capacity), or the diagonal m[nnode] of the lumped one; total: their mass */
void bl_part_mass(const bl_fem_part *part, const bl_fem_group *group, bl_element_work *w, double *m, bool lumped);

/* Temperature at point k of the rule of an element; that of the reference where none is given. */
static inline double bl_part_temperature(const bl_fem_group *group, const bl_element_work *w, bl_index k) {
    const double *N = group->rule.T + (size_t)k * group->kind->nnode;
    double T = 0;
    for (int a = 0; w->warm && a < group->kind->nnode; a++)
        T += N[a] * w->temperature[a];
    return w->warm ? T : group->material->reference_temperature;
}

/* The group's material at the temperature of a point. */
static inline const bl_material *bl_part_material(const bl_fem_group *group, const bl_element_work *w, bl_index k, bl_material *room) {
    bool depends = group->material->elastic.n > 0;
    return depends ? bl_material_at_temperature(group->material, bl_part_temperature(group, w, k), room) : group->material;
}

/* Value of a law at a place and time; u of a scalar field there. */
double bl_part_law(const bl_model *model, const bl_number_law *law, double t, const double x[3], double u, double *slope_u,
                   bl_element_work *w);

#endif
