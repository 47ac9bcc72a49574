/* material: stress from strain at one point, with a history. A kind is independent of elements and meshes. Theory:
 * docs/theory/materials.md.
 *
 * Components of symmetric tensors: [11, 22, 33, 12, 23, 13]; strains have engineering shear (2 e12), stresses s12. Every law is written in
 * three dimensions; in plane strain and axisymmetry some components are zero; in plane stress e33 and in bars e22 = e33 are found by
 * iteration (plane_stress.c) unless the kind has a closed form. To add one: copy elastic.c, add a line to material_list.h;
 * tests/conform/material then tests it. */
#ifndef BL_MATERIAL_H
#define BL_MATERIAL_H

#include "base/kind.h"

/* Argument of a law (bl_kind.needs, one bit or more) and result of a strain kind (one bit). */
enum {
    BL_OF_LINEAR = 1,    /* small strain */
    BL_OF_GREEN = 2,     /* E = (F^T F - 1)/2; stress: second Piola-Kirchhoff */
    BL_OF_LEFT = 4,      /* F itself, through b = F F^T; stress: Kirchhoff */
    BL_OF_LOGARITHM = 8, /* ln V, in global axes; stress: Kirchhoff */
    BL_OF_INCREMENT =
        16, /* sum of the strain increments of an objective rate, in axes that rotate with the point; stress: Cauchy, in these axes */
    BL_OF_GRADIENT = 32 /* grad u of a scalar field; "stress": k grad u, three components, the negative flux */
};
/* further abilities (bl_kind.gives, bl_material.gives; for a strain kind only BL_MATERIAL_UNSYMMETRIC) */
enum {
    BL_MATERIAL_HISTORY = 1,
    BL_MATERIAL_PLANE_STRESS =
        2, /* has a closed form for plane stress; others use iteration unless it is excluded. With BL_MATERIAL_LINEAR: for bars too */
    BL_MATERIAL_NO_PLANE_STRESS = 4,
    BL_MATERIAL_ENERGY = 8,      /* has a stored energy */
    BL_MATERIAL_LINEAR = 16,     /* stress = D strain with a constant D */
    BL_MATERIAL_DILATATION = 32, /* separates the pressure, which an element may compute from its mean dilatation */
    BL_MATERIAL_UNSYMMETRIC = 64 /* the tangent may be unsymmetric */
};

typedef enum bl_plane {
    BL_PLANE_NONE,
    BL_PLANE_STRAIN,
    BL_PLANE_STRESS,
    BL_PLANE_AXISYMMETRIC,
    BL_PLANE_BAR /* only stress 11, in axes along the bar; lateral strains are equal, since laws are isotropic */
} bl_plane;      /* none: space, or one dimension */

enum { BL_MATERIAL_HISTORY_MOST = 32, BL_MATERIAL_NUMBERS = 12 }; /* history: of strain and material together */

/* Rows {temperature, value, second value}, temperatures increasing: linear between them, constant outside. n 0: no table. */
typedef struct bl_by_temperature {
    bl_index n;
    const double (*row)[3];
} bl_by_temperature;

/* A material of a model, ready to use: `number` is specific to the kind and filled once by `prepare`. */
typedef struct bl_material {
    const struct bl_material_kind *kind;
    bl_plane plane;
    uint32_t gives; /* those of the kind that hold for these values: a conductivity that depends on u is not linear */
    double density, expansion, reference_temperature;
    double bulk;                        /* bulk modulus; slope of the pressure of BL_MATERIAL_DILATATION: p = bulk (dilatation - 1) */
    double capacity;                    /* OF_GRADIENT: density times specific heat */
    double number[BL_MATERIAL_NUMBERS]; /* lambda, mu, ... */
    bl_index nrow;                      /* rows of a hardening table; 0: none */
    const double (*row)[2];             /* [nrow] yield stress, equivalent plastic strain */
    bl_by_temperature elastic;          /* E and nu */
    bl_by_temperature expansion_by;     /* thermal strain a(T) (T - zero) - a(T0) (T0 - zero), T0 the reference temperature */
    double zero;
    bl_by_temperature conductivity; /* k(u) */
} bl_material;

/* A point: inputs, and outputs where the pointer is not NULL. */
typedef struct bl_material_point {
    double strain[6]; /* as the kind needs it, without thermal strain; output: strain 33 in plane stress, also 22 in bars */
    double F[9];      /* OF_LEFT: deformation gradient by rows; F33 = 1 in plane strain; output: F33 in plane stress, F22 = F33 in bars */
    double u, gradient[3]; /* OF_GRADIENT */
    double dilatation; /* v/V of the element; 0: J of the point (BL_MATERIAL_DILATATION). If given, the tangent lacks the term bulk J^2 1
                          (x) 1 of the pressure, which the element adds for its mean */
    const double *history; /* [kind->nhistory] in the last accepted state; NULL: all zero */
    /* out */
    double *stress;     /* [6]; OF_GRADIENT [3] */
    double *tangent;    /* [6][6]: derivative by the strain; OF_LEFT: spatial tangent of Kirchhoff stress: Oldroyd's rate of tau (J times
                           Truesdell's of Cauchy stress) is c : sym(grad u'). OF_GRADIENT: [3][3] by the gradient, then [3] by u */
    double *trial;      /* [kind->nhistory] present history; must not be `history`, is never read */
    double *energy;     /* stored, per reference volume */
    double *dissipated; /* since the start, per volume */
} bl_material_point;

/* A history variable available as an output field. */
typedef struct bl_history_shown {
    const char *name, *unit, *what; /* "equivalent_plastic_strain"; NULL: end of the list */
    bl_index at;                    /* index in the kind's history */
} bl_history_shown;

/* History of kinds that have one: all zero at the start; the last entry is the dissipated work, the one before it strain 33, the initial
 * value of the plane stress iteration. */
typedef struct bl_material_kind {
    bl_kind kind;
    bl_index nhistory; /* entries */
    /* From the values of the kind's table (E, nu, ...) into material->number; refuses invalid values with their file position.
     * Called by bl_material_prepare, which fills kind, plane and gives before. */
    bl_status (*prepare)(bl_context *, const bl_value *value, bl_material *material);
    /* BL_NO_CONVERGENCE: an iteration of the law failed; BL_NOT_FINITE: J <= 0 or the like. Pure, without allocation. For space and plane
     * strain; also for plane stress with BL_MATERIAL_PLANE_STRESS, where it sets strain[2] or F[8]. */
    bl_status (*point)(const bl_material *, bl_material_point *);
    /* sqrt of the largest (d stress / d strain) / density in the undeformed state: wave speed, for critical time steps; infinite without
     * density. OF_GRADIENT: sqrt(k/c), for strings sqrt(T/density). */
    double (*stiffness)(const bl_material *);
    const bl_history_shown *shown; /* NULL: none */
} bl_material_kind;

#define BL_KIND(name) extern const bl_material_kind bl_material_##name;
#include "material/material_list.h"
#undef BL_KIND
extern const bl_material_kind *const bl_material_kinds[];
extern const size_t bl_material_kind_count;

/* value[]: in the order of the kind's parameters; not kept. */
bl_status bl_material_prepare(bl_context *, const bl_material_kind *, const bl_value *value, bl_plane, bl_material *material);

/* Sets the yield stress of `plastic` and `multiplicative_plastic` as a function of the equivalent plastic strain by a table, linear between
 * its rows [stress, strain], constant beyond the last: instead of `yield` and `hardening`. Strains increase from 0, stresses do not
 * decrease. The rows must outlive the material; place: file position for messages. */
bl_status bl_material_harden(bl_context *, bl_material *material, bl_index n, const double (*row)[2], const bl_place *place);

/* ---- by_temperature.c: parameters that depend on temperature. The rows must outlive the material; place: file position for messages. */

typedef enum bl_temperature_number { BL_ELASTIC_BY, BL_EXPANSION_BY, BL_CONDUCTIVITY_BY } bl_temperature_number;
bl_status bl_material_by_temperature(bl_context *, bl_material *material, bl_temperature_number which, bl_index n, const double (*row)[3],
                                     const bl_place *place);
/* The material at a temperature: itself if its law does not depend on temperature, else a copy. */
const bl_material *bl_material_at_temperature(const bl_material *, double T, bl_material *copy);
double bl_material_thermal_strain(const bl_material *, double T);
static inline bool bl_material_expands(const bl_material *m) { return m->expansion != 0 || m->expansion_by.n > 0; }
/* Value k of a row (0 or 1) at T; slope by T may be NULL. */
double bl_temperature_value(const bl_by_temperature *, double T, int k, double *slope);

/* ---- for kinds and their users */

/* Fills the isotropic D[6][6] of Lame's constants. */
void bl_isotropic(double lambda, double mu, double D[36]);
/* The point with stress 33 = 0 (bars: 22 = 33 = 0), by iteration on strain 33 (or F33) and static condensation, for kinds without a closed
 * form. */
bl_status bl_material_plane_stress(const bl_material *, bl_material_point *);
/* The law with the material's plane: called by elements with small strains and by scalar fields. In plane stress components 33, 23, 13 of
 * stress and tangent are 0, in bars all except 11. */
bl_status bl_material_at(const bl_material *, bl_material_point *);

/* ---- strains: from F to the argument of a law, and from its stress to the Kirchhoff stress and its spatial tangent */

typedef struct bl_strain_kind {
    bl_kind kind;      /* gives: one bit BL_OF_..., and BL_MATERIAL_UNSYMMETRIC if the tangent is unsymmetric */
    bl_index nhistory; /* its own entries, before those of the material; all zero at the start */
    bool small;        /* geometry and gradients are those of the reference configuration */
    /* Kirchhoff stress tau[6] and spatial tangent c[6][6] (may be NULL) at F, with history and trial of strain and material together
     * (either may be NULL). In plane stress F33 (in bars, where F is diagonal, F22 and F33) is not an input but an output, set for large
     * strains. thermal[6]: strain subtracted before the law is evaluated, isotropic except for `linear` and `green`. energy, dissipated:
     * per reference volume, may be NULL. BL_NOT_FINITE: J <= 0. */
    bl_status (*at)(const bl_material *, double F[9], const double thermal[6], double dilatation, const double *history, double *trial,
                    double tau[6], double *c, double *energy, double *dissipated);
    /* NULL: the stress rotates with the point, and c is the complete derivative. Else the additional change by a spin omega = curl(u')/2 of
     * the last increment: tau' = c : sym(grad u') + spin omega + grad u' tau + tau grad u'^T. spin[6][3] */
    bl_status (*spin)(const bl_material *, const double F[9], const double thermal[6], const double *history, double spin[18]);
} bl_strain_kind;

#define BL_KIND(name) extern const bl_strain_kind bl_strain_##name;
#include "material/strain_list.h"
#undef BL_KIND
extern const bl_strain_kind *const bl_strain_kinds[];
extern const size_t bl_strain_kind_count;

/* NULL if the two can be combined, else the reason why not. strain NULL: none, for laws of a gradient. */
const char *bl_material_refuses(const bl_material_kind *, const bl_strain_kind *, bl_plane);
/* The tangent is symmetric. strain NULL: none. */
bool bl_material_symmetric(const bl_material *, const bl_strain_kind *);

#endif
