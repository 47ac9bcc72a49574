/* part: the elements of one solid, independent of the numbering of unknowns. Input: nodal values and histories; output: nodal forces,
 * element matrices, trial histories. The owner of the unknowns (fem.h) assembles them. */
#ifndef BL_FEM_PART_H
#define BL_FEM_PART_H

#include "fem/law_isa.h"
#include "fem/linear_isa.h"
#include "fem/series_isa.h"
#include "model/model.h"

enum { BL_ELEMENT_UNKNOWNS = 3 * BL_ELEMENT_NODES };
enum { BL_FEM_COLORS = 64 }; /* at most; blocks of the last color may share nodes and run in one thread */
/* Elements that a thread processes at a time: at least BLOCK (about 10 us of work); large meshes are divided into BLOCKS, since successive
 * neighbors find their nodes in the cache. */
enum { BL_FEM_BLOCK = 32, BL_FEM_BLOCKS = 256 };

/* requested results of an element evaluation */
enum { BL_PART_FORCE = 1, BL_PART_TANGENT = 2, BL_PART_ENERGY = 4, BL_PART_STRESS = 8 };

/* shape functions at the points of a rule */
typedef struct bl_fem_rule {
    bl_index n;
    double *N;       /* [n][nnode] */
    double (*dN)[3]; /* [n][nnode] derivatives by coordinates of the reference element */
    const double (*at)[3];
    const double *weight;
    const double *T; /* [n][nnode] shape functions of temperatures: N, or of lower degree */
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
    double thickness; /* of bars: cross-sectional area */
    size_t history;   /* offset of its histories, [count][rule.n][nhistory] numbers */
    bl_index nhistory;
    /* Blocks of `in_block` elements in colors: blocks of one color have no node in common, so that threads may add to nodes, and sums do
     * not depend on the number of threads. Blocks of color c: block[color[c]] .. block[color[c + 1] - 1]. */
    bl_index in_block, nblock, ncolor, *color, *block;
    double hourglass; /* modulus of the hourglass stiffness (hourglass.h); 0: not needed */
    bool in_lanes;    /* evaluated eight at a time by linear_isa.h */
    bool by_law;      /* or by law_isa.h */
    bl_linear_rule linear;
} bl_fem_group;

typedef struct bl_fem_part {
    const bl_model *model;
    const bl_solid *solid;
    bl_arena arena;
    int dim, ncomponent; /* components of an unknown at a node: dim, or 1 */
    bl_index ngroup;
    bl_fem_group *group;
    size_t nhistory;   /* numbers in all histories */
    bool linear;       /* force = K u with a constant K */
    bool symmetric;    /* K is symmetric */
    bool polynomial;   /* stress is linear in a strain that is at most quadratic in u */
    bool green;        /* in Green's strain */
    bool discrete;     /* conserving forces between two configurations exist */
    bool bars;         /* all elements are bars */
    double length;     /* diagonal of the bounding box of the mesh */
    double *thickness; /* [elements of the mesh]; NULL: that of the solid */
    const bl_fem_series_kernels *series;
} bl_fem_part;

/* g: dN/dx; returns the determinant of the map. For bars, along the axis. */
static inline double bl_part_gradients(const bl_fem_part *part, int nnode, const double (*x)[3], const double (*dN)[3], double *g) {
    return part->bars ? bl_element_line(part->dim, nnode, x, dN, g, NULL) : bl_element_gradients(part->dim, nnode, x, dN, g);
}

bl_status bl_fem_part_create(bl_context *ctx, const bl_model *model, const bl_solid *solid, bl_fem_part *part);
void bl_fem_part_destroy(bl_fem_part *part);

/* Inputs, results and scratch of the evaluation of one element; one per thread. u, f: [nnode][ncomponent]. */
typedef struct bl_element_work {
    double t;
    double x[BL_ELEMENT_NODES][3];
    double u[BL_ELEMENT_UNKNOWNS], temperature[BL_ELEMENT_NODES], temperature_rate[BL_ELEMENT_NODES]; /* temperature and its rate */
    double u_from[BL_ELEMENT_UNKNOWNS], u_to[BL_ELEMENT_UNKNOWNS]; /* configurations of conserving forces */
    bool has_temperatures;                                         /* temperatures are given */
    double f[BL_ELEMENT_UNKNOWNS];
    double K[BL_ELEMENT_UNKNOWNS * BL_ELEMENT_UNKNOWNS]; /* by rows, their length is the number of the element's unknowns */
    double energy, dissipated;                           /* stored; dissipated since the start */
    double heating;                                      /* growth rate of both caused by changing temperatures */
    double stress[BL_ELEMENT_POINTS][6]; /* BL_PART_STRESS: Cauchy stress at each point, of bars in their own axes; flux of a field */
    /* likewise: strain (small or Green's; engineering shear), stored energy per volume, reference volume */
    double along[BL_ELEMENT_POINTS][2][3]; /* of bars: direction in the reference and in the present configuration */
    double strain[BL_ELEMENT_POINTS][6], point_energy[BL_ELEMENT_POINTS], volume[BL_ELEMENT_POINTS];
    /* scratch */
    double g[BL_ELEMENT_UNKNOWNS], B[6 * BL_ELEMENT_UNKNOWNS], CB[6 * BL_ELEMENT_UNKNOWNS];
    double divergence[4 * BL_ELEMENT_UNKNOWNS], mean[4 * BL_ELEMENT_UNKNOWNS]; /* averaged dilatation: solid.c */
    double *law_in, *law_work;                                                 /* for laws of the model */
    /* eight elements side by side; K: [nnode (nnode + 1)/2][dim][dim][8] of the largest element */
    double lane_x[BL_ELEMENT_UNKNOWNS * BL_LANES], lane_u[BL_ELEMENT_UNKNOWNS * BL_LANES], lane_f[BL_ELEMENT_UNKNOWNS * BL_LANES];
    double *lane_K;
} bl_element_work;

/* Internal forces f = dW/du and their tangent at u. history: of the element's points in the last accepted state; trial: receives the new
 * one (NULL: not requested). BL_NOT_FINITE: the element is inverted; BL_NO_CONVERGENCE: the stress iteration of a material failed; *point:
 * at which point. */
bl_status bl_part_solid(const bl_fem_part *part, const bl_fem_group *group, uint32_t want, const double *history, double *trial,
                        bl_element_work *w, bl_index *point);
/* The same between two configurations w->u_from and w->u_to: forces whose work is the difference of the stored energy (Simo and Tarnow
 * 1992), with dissipation parameter chi; tangent by the mid-configuration, du = d u_to / 2. For parts with `discrete`. */
bl_status bl_part_solid_between(const bl_fem_part *part, const bl_fem_group *group, uint32_t want, double chi, bl_element_work *w,
                                bl_index *point);
/* Viscous forces f = int F b D E' dV of the strain rate at velocities v (E' = dE/dt: none in a rigid motion), with derivatives by
 * displacements w->K and by velocities C (NULL: not requested), and the power lost. For parts with `discrete`, in large strains. */
bl_status bl_part_solid_viscous(const bl_fem_part *part, const bl_fem_group *group, double b, const double *v, bl_element_work *w,
                                double *C, double *lost);
/* Power series (part_series.c) of a solid in the plane or in space with `polynomial` in Green's strain, neither bars nor axisymmetric:
 * room[bl_part_series_room] keeps what lower orders left. Begin once, with the element's reference coordinates in w->x; take coefficients
 * of the displacements in turn, k = 0, 1, ...; then the forces of order k, once those up to k are taken. viscous: with forces of the strain
 * rate, as above, of rates v of order k, which are taken in turn, too. */
size_t bl_part_series_room(const bl_fem_part *part, const bl_fem_group *group, int order, bool viscous);
bl_status bl_part_series_begin(const bl_fem_part *part, const bl_fem_group *group, int order, bool viscous, bl_element_work *w,
                               double *room);
void bl_part_series_take(const bl_fem_part *part, const bl_fem_group *group, int order, bool viscous, int k, const double *u, double *room);
void bl_part_series_force(const bl_fem_part *part, const bl_fem_group *group, int order, bool viscous, int k, double *room, double *f);
void bl_part_series_viscous(const bl_fem_part *part, const bl_fem_group *group, int order, int k, double b, const double *v, double *room,
                            double *f);
/* w->g: gradients by reference coordinates at point k of the rule (of one point against hourglass modes: their means); returns its volume,
 * of axisymmetric bodies without the circumference. Not for bars. */
double bl_part_point(const bl_fem_part *part, const bl_fem_group *group, bl_index k, bl_element_work *w);
/* Both for bars; called by the two above. */
bl_status bl_part_bar(const bl_fem_part *part, const bl_fem_group *group, uint32_t want, const double *history, double *trial,
                      bl_element_work *w, bl_index *point);
bl_status bl_part_bar_between(const bl_fem_part *part, const bl_fem_group *group, uint32_t want, double chi, bl_element_work *w,
                              bl_index *point);
/* Eight successive elements of a group with `by_law`, from w->lane_x and lane_u into lane_f and lane_K; the first `count` lanes are used.
 * history, trial: of the first element. energy: stored and dissipated are added. On failure *lane and *point are set. */
bl_status bl_part_solid_lanes(const bl_fem_part *part, const bl_fem_group *group, const bl_fem_laws *kernels, uint32_t want, int count,
                              const double *history, double *trial, bl_element_work *w, double energy[2], int *lane, bl_index *point);
bl_status bl_part_scalar(const bl_fem_part *part, const bl_fem_group *group, uint32_t want, bl_element_work *w, bl_index *point);
/* m[nnode][nnode] = int rho N_a N_b dV (for a field of order 1 with its capacity), or the diagonal m[nnode] of the lumped matrix */
void bl_part_mass(const bl_fem_part *part, const bl_fem_group *group, bl_element_work *w, double *m, bool lumped);

/* f[nnode][ncomponent] += nodal forces of a load that depends on position at most (nodal_loads.c); follower loads and temperatures:
 * nothing */
bl_status bl_part_dead_load(const bl_fem_part *part, const bl_solid_load *load, double *f);

/* Temperature at point k of the rule of an element; the reference temperature if none is given. */
static inline double bl_part_temperature(const bl_fem_group *group, const bl_element_work *w, bl_index k) {
    const double *N = group->rule.T + (size_t)k * group->kind->nnode;
    double T = 0;
    for (int a = 0; w->has_temperatures && a < group->kind->nnode; a++)
        T += N[a] * w->temperature[a];
    return w->has_temperatures ? T : group->material->reference_temperature;
}

/* The group's material at the temperature of a point. */
static inline const bl_material *bl_part_material(const bl_fem_group *group, const bl_element_work *w, bl_index k, bl_material *copy) {
    bool depends = group->material->elastic.n > 0;
    return depends ? bl_material_at_temperature(group->material, bl_part_temperature(group, w, k), copy) : group->material;
}

/* Value of a law at position x and time t; u: value of the scalar field there. */
double bl_part_law(const bl_model *model, const bl_number_law *law, double t, const double x[3], double u, double *slope_u,
                   bl_element_work *w);

#endif
