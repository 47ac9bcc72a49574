/* material: stress from strain at one point, with a history. A kind knows no element and no mesh.
 *
 * Components of symmetric tensors: [11, 22, 33, 12, 23, 13]; strains hold shear angles (2 e12), stresses s12. Every law is written in
 * three dimensions; plane strain and axisymmetry leave components zero, plane stress finds e33 (plane_stress.c) unless the kind has a form of
 * its own. To add one: copy elastic.c, add a line to material_list.h; tests/conform/material then tests it. */
#ifndef BL_MATERIAL_H
#define BL_MATERIAL_H

#include "base/kind.h"

/* What a law is a function of (bl_kind.needs, one bit), and what strain kinds give. */
enum {
    BL_OF_LINEAR = 1,     /* small strain */
    BL_OF_GREEN = 2,      /* E = (F^T F - 1)/2; stress: second Piola-Kirchhoff */
    BL_OF_LEFT = 4,       /* b = F F^T - 1 is not used: the law takes F; stress: Kirchhoff */
    BL_OF_LOGARITHM = 8,  /* ln V, in global axes; stress: Kirchhoff */
    BL_OF_INCREMENT = 16, /* of an objective rate; stress: Cauchy */
    BL_OF_GRADIENT = 32   /* grad u of a scalar field; "stress": flux, three components */
};
/* further abilities (bl_kind.gives) */
enum {
    BL_MATERIAL_HISTORY = 1,
    BL_MATERIAL_PLANE_STRESS = 2, /* has a form of its own for plane stress; others go by iteration where they may */
    BL_MATERIAL_NO_PLANE_STRESS = 4,
    BL_MATERIAL_ENERGY = 8,      /* has a stored energy */
    BL_MATERIAL_LINEAR = 16,     /* stress = D strain with a constant D */
    BL_MATERIAL_DILATATION = 32, /* splits off the pressure, which an element may take from its mean dilatation */
    BL_MATERIAL_UNSYMMETRIC = 64 /* the tangent may be */
};

typedef enum bl_plane {
    BL_PLANE_NONE,
    BL_PLANE_STRAIN,
    BL_PLANE_STRESS,
    BL_PLANE_AXISYMMETRIC
} bl_plane; /* none: space, or one dimension */

enum { BL_MATERIAL_HISTORY_MOST = 32, BL_MATERIAL_NUMBERS = 12 };
enum { BL_MATERIAL_BULK = 1 }; /* number[] of kinds with BL_MATERIAL_DILATATION: the bulk modulus */

/* One material of a model, ready to use: numbers are the kind's own, made once by `prepare`. */
typedef struct bl_material {
    const struct bl_material_kind *kind;
    bl_plane plane;
    double density, expansion, reference_temperature;
    double number[BL_MATERIAL_NUMBERS]; /* lambda, mu, ... */
} bl_material;

/* A point: what is known comes in, what is wanted goes out where it is not NULL. */
typedef struct bl_material_point {
    double strain[6];      /* by the kind's need; thermal strain taken off */
    double F[9];           /* OF_LEFT: deformation gradient, rows one after the other; F33 = 1 in plane strain, found in plane stress */
    double u, gradient[3]; /* OF_GRADIENT */
    double dilatation;     /* v/V of the element; 0: the point's own J (BL_MATERIAL_DILATATION) */
    const double *history; /* [kind->nhistory] at the last accepted place; NULL: none yet, all zero */
    /* out */
    double *stress;  /* [6]; flux [3] */
    double *tangent; /* [6][6]: derivative by the strain; OF_LEFT: spatial tangent of Kirchhoff stress, tau changes by c : sym(grad du) in
                        the rate of Truesdell (Oldroyd). OF_GRADIENT: [3][3] by the gradient, then [3] by u */
    double *trial;   /* [kind->nhistory] history here; may not be `history` */
    double *energy;  /* stored, per volume of the reference */
    double *dissipated; /* since the beginning, per volume; of kinds with history it is their last history number */
} bl_material_point;

typedef struct bl_material_kind {
    bl_kind kind;
    bl_index nhistory; /* numbers */
    /* From the values of the kind's table (E, nu, ...) into material->number; refuses what makes no sense, with the place of the value. */
    bl_status (*prepare)(bl_context *, const bl_value *value, bl_material *material);
    /* BL_NO_CONVERGENCE: an iteration of the law did not end; BL_NOT_FINITE: J <= 0 and the like. No allocation, pure. */
    bl_status (*point)(const bl_material *, bl_material_point *);
    /* sqrt of the largest (d stress / d strain) / density at rest: speed of waves, for critical steps. OF_GRADIENT: sqrt(k/c). */
    double (*stiffness)(const bl_material *);
} bl_material_kind;

#define BL_KIND(name) extern const bl_material_kind bl_material_##name;
#include "material/material_list.h"
#undef BL_KIND
extern const bl_material_kind *const bl_material_kinds[];
extern const size_t bl_material_kind_count;

/* ---- for kinds and their users */

/* Fills the isotropic D[6][6] of Lame's numbers. */
void bl_isotropic(double lambda, double mu, double D[36]);
/* The point with stress 33 = 0, by iteration on strain 33 (or F33) and condensation, for kinds without a form of their own. */
bl_status bl_material_plane_stress(const bl_material *, bl_material_point *);
/* The law with the material's plane: the one function that elements call. In plane stress components 33, 23, 13 of stress and tangent are 0. */
bl_status bl_material_at(const bl_material *, bl_material_point *);

/* ---- strains: from F to what a law wants, and from its stress to Kirchhoff's and its spatial tangent */

typedef struct bl_strain_kind {
    bl_kind kind;      /* gives: one bit BL_OF_... */
    bl_index nhistory; /* numbers of its own, before the material's: F of the last accepted place and the stress there, of increments */
    bool small;        /* neither geometry nor gradients move */
    /* Kirchhoff stress tau[6] and spatial tangent c[6][6] (NULL: not wanted) at F, with history and trial of strain and material together;
     * F0: of the last accepted place stands in the history. energy, dissipated: per reference volume, may be NULL. */
    bl_status (*at)(const bl_material *, const double F[9], const double thermal[6], double dilatation, const double *history,
                    double *trial, double tau[6], double *c, double *energy, double *dissipated);
} bl_strain_kind;

#define BL_KIND(name) extern const bl_strain_kind bl_strain_##name;
#include "material/strain_list.h"
#undef BL_KIND
extern const bl_strain_kind *const bl_strain_kinds[];
extern const size_t bl_strain_kind_count;

/* NULL when the two go together, else why they do not. */
const char *bl_material_refuses(const bl_material_kind *, const bl_strain_kind *, bl_plane);

#endif
