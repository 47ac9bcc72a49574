/* deck: a run in steps, as .inp files of CalculiX and Abaqus describe it: model (mesh, materials, what holds from the beginning) and steps
 * that follow one another, each with an analysis, loads, supports and what it prints. Times of a step begin at 0. */
#ifndef BL_DECK_MODEL_H
#define BL_DECK_MODEL_H

#include "model/model.h"

typedef enum bl_deck_analysis { BL_DECK_STATIC, BL_DECK_FREQUENCY, BL_DECK_DYNAMIC, BL_DECK_HEAT } bl_deck_analysis;

/* What *NODE PRINT and *EL PRINT name. */
typedef enum bl_deck_quantity {
    BL_PRINT_U,    /* displacements */
    BL_PRINT_V,    /* velocities */
    BL_PRINT_RF,   /* inner forces of nodes: what supports and nodal loads exert */
    BL_PRINT_NT,   /* temperatures */
    BL_PRINT_RFL,  /* heat that flows in at nodes */
    BL_PRINT_S,    /* Cauchy stress at points */
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
    bl_index every;         /* increments; the last one of a step in any case */
    bool items, totals;
} bl_deck_print;

/* One component of some nodes, prescribed in one step. */
typedef enum bl_deck_course {
    BL_DECK_RAMP,  /* from where they are to the target, in proportion to time */
    BL_DECK_AT,    /* at the target from the beginning on */
    BL_DECK_BY_LAW /* target times a law of time */
} bl_deck_course;
typedef struct bl_deck_support {
    bl_place place;
    const bl_mesh_set *set;
    const double *target; /* [set->count] NaN: where they are */
    int part;
    bl_deck_course course;
    bl_number_law law; /* BL_DECK_BY_LAW; of ramps: t over the time of the step */
} bl_deck_support;

typedef struct bl_deck_step {
    bl_place place;
    bl_deck_analysis what;
    bool large;                                /* NLGEOM */
    bool perturbation;                         /* about the end of the step before */
    bool direct;                               /* increments as they are given */
    bool steady;                               /* heat without capacity */
    bool ramps;                                /* what has no amplitude grows in proportion to time */
    double begins;                             /* total time */
    double time, increment, shortest, longest; /* longest, shortest: 0: not said */
    double alpha;                              /* of dynamics: numerical damping, -1/3 to 0 */
    bl_index increments;                       /* at most */
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
    const double *start, *start_rate; /* [nnode][components] at the beginning; NULL: 0 */
};

/* The model of a step: a copy that shares everything with the deck's and is never destroyed. u[nnode][components]: where the nodes are when
 * the step begins, NULL: at the deck's start. What it needs of its own is from the arena. */
bl_status bl_deck_view(const bl_model *model, bl_index step, const double *u, bl_arena *arena, bl_model *view);

#endif
