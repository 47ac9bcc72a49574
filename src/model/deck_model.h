/* deck: an analysis in steps, as described by .inp files of CalculiX and Abaqus: a model (mesh, materials, initial conditions) followed by
 * steps, each with an analysis, loads, supports and print requests. The time of a step begins at 0. */
#ifndef BL_DECK_MODEL_H
#define BL_DECK_MODEL_H

#include "model/model.h"

typedef enum bl_deck_analysis { BL_DECK_STATIC, BL_DECK_FREQUENCY, BL_DECK_DYNAMIC, BL_DECK_HEAT } bl_deck_analysis;

/* The quantities of *NODE PRINT and *EL PRINT. */
typedef enum bl_deck_quantity {
    BL_PRINT_U,    /* displacements */
    BL_PRINT_V,    /* velocities */
    BL_PRINT_RF,   /* internal forces of nodes, equal to the forces of supports and nodal loads */
    BL_PRINT_NT,   /* temperatures */
    BL_PRINT_RFL,  /* heat flow into nodes */
    BL_PRINT_S,    /* Cauchy stress at integration points */
    BL_PRINT_E,    /* strain: small, or Green's */
    BL_PRINT_PEEQ, /* equivalent plastic strain */
    BL_PRINT_ENER, /* stored energy per volume */
    BL_PRINT_HFL,  /* heat flux */
    BL_PRINT_ELSE, /* stored energy of elements */
    BL_PRINT_EVOL, /* volume of elements */
    BL_PRINTS
} bl_deck_quantity;

typedef struct bl_deck_print {
    bl_place place;
    bl_deck_quantity what;
    const char *set_name;
    const bl_mesh_set *set; /* of nodes or elements; NULL: none of its nodes is in the mesh */
    bl_index every;         /* increments; the last one of a step is always printed */
    bool items, totals;
} bl_deck_print;

/* One component of a set of nodes, prescribed in one step. */
typedef enum bl_deck_course {
    BL_DECK_RAMP,  /* from the current value to the target, in proportion to time */
    BL_DECK_AT,    /* at the target from the beginning of the step */
    BL_DECK_BY_LAW /* target times a law of time */
} bl_deck_course;
typedef struct bl_deck_support {
    bl_place place;
    const bl_mesh_set *set;
    const double *target; /* [set->count] NaN: the current value is held */
    int part;
    bl_deck_course course;
    bl_number_law law; /* BL_DECK_BY_LAW; for ramps: t divided by the duration of the step */
} bl_deck_support;

typedef struct bl_deck_step {
    bl_place place;
    bl_deck_analysis what;
    bool large;                                /* NLGEOM */
    bool perturbation;                         /* linear, about the state at the end of the previous step */
    bool direct;                               /* increments of the given size */
    bool steady;                               /* heat conduction without heat capacity */
    bool ramps;                                /* loads without an amplitude grow in proportion to time */
    double begins;                             /* total time at its beginning */
    double time, increment, shortest, longest; /* duration, first, smallest and largest increment; 0: not given */
    double alpha;                              /* dynamics: numerical damping, -1/3 to 0 */
    bl_index increments;                       /* maximum number */
    bl_index nmode;
    double lowest, highest; /* frequencies; highest 0: no limit */
    bl_solid solid;         /* the mesh is the model's */
    bl_index nsupport, nload, nprint, ntie;
    bl_deck_support *support;
    bl_solid_load *load;
    bl_deck_print *print;
    const bl_tie *tie;
} bl_deck_step;

struct bl_deck {
    bl_index nstep;
    bl_deck_step *step;
    const double *start, *start_rate; /* [nnode][components] initial values; NULL: 0 */
};

/* The model of a step: a copy that shares its data with the deck's model and is never destroyed. u[nnode][components]: values at the
 * beginning of the step, NULL: the initial values of the deck. Its own data is allocated from the arena. */
bl_status bl_deck_view(const bl_model *model, bl_index step, const double *u, bl_arena *arena, bl_model *view);

#endif
