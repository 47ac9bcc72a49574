/* exceptions: where the rank of a model's equations differs from their number, and why. Private to this room and the study of structure. */
#ifndef BL_TOPOLOGY_EXCEPTIONS_H
#define BL_TOPOLOGY_EXCEPTIONS_H

#include "topology/groups.h"
#include "topology/topology.h"

typedef struct bl_exceptions_input {
    const bl_model *model;
    double length;        /* typical size of a body */
    const bl_pose *start; /* [nbody] closed */
    const bl_pose *place; /* closed, beside the start where that is singular; else the same pointer */
    bool stuck;           /* equations depend at the start, and no other position was found */
    bool large;           /* too large a model to look for one */
    double tolerance;     /* relative, of ranks */
} bl_exceptions_input;

/* Fills repeated and passive of pair[njoint] (the chain's, made from the model) and *exceptions; destroy it also after failure. */
bl_status bl_exceptions_find(bl_context *ctx, const bl_exceptions_input *in, const bl_chain *chain, bl_chain_pair *pair,
                             bl_structure_exceptions *exceptions);

/* Where the model does not close: mobility by counting, and the present error in words; the error is cleared. */
bl_status bl_exceptions_open(bl_context *ctx, const bl_chain *chain, bl_structure_exceptions *exceptions);

/* ---- the parts of it */

/* Links that move together as one body while all others stand, and how. */
enum { BL_PASSIVE_LINKS = 4 };
typedef struct bl_passive {
    bl_index nlink, link[BL_PASSIVE_LINKS];
    double twist[6]; /* velocity of the first link's mass centre (in lengths), angular velocity */
    bl_index pair;   /* where it counts */
} bl_passive;
/* order[npair]: which pairs come first. Free *passive, also after failure. */
bl_status bl_passive_find(bl_context *ctx, const bl_twists *twists, const bl_pose *pose, const bl_chain *chain, const bl_index *order,
                          double tolerance, bl_index *n, bl_passive **passive);

/* The axis of a joint that turns about one axis, slides along it, or both; neither: it has none. */
typedef struct bl_joint_axis {
    bool turns, slides;
    double along[3], at[3];
} bl_joint_axis;
void bl_joint_axis_now(const bl_model *model, const bl_pose *pose, bl_index joint, bl_joint_axis *out);
/* What is special about a loop of joints: "parallel axes, ..."; NULL: nothing that has a name. */
bl_status bl_geometry_name(bl_arena *arena, const bl_model *model, const bl_pose *pose, double length, bl_index n, const bl_index *joint,
                           const char **name);

/* Revolute or spherical joints on one pin: k links make k - 1 pairs. */
typedef struct bl_pin {
    bool surplus;    /* joints before it on the same pin connect its links already */
    bool same_point; /* one of these joins the same links at the same point */
    bl_index nlink;  /* links they connect */
    bl_index first;  /* the joint that comes first on the pin */
} bl_pin;
/* pin[njoint], zeroed before; order[njoint]: who comes first. */
bl_status bl_pins_find(bl_arena *arena, const bl_model *model, const bl_pose *pose, double length, const bl_index *order, bl_pin *pin);

typedef struct bl_exceptions_found {
    const bl_exceptions_input *in;
    const bl_chain *chain;
    const bl_dependencies *lasting; /* of joints, then drivers */
    const bl_twists *shaken;        /* where no mark fits any more */
    const bl_pin *pin;              /* [njoint] */
    bl_index npassive;
    const bl_passive *passive;
    int rank_start, rank_place; /* of joints and drivers together */
} bl_exceptions_found;
/* The list of exceptions in words; storage from the arena. */
bl_status bl_exceptions_word(bl_arena *arena, const bl_exceptions_found *found, bl_structure_exceptions *exceptions);

#endif
