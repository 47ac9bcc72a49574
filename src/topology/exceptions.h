/* exceptions: where the rank of a model's equations differs from their number, and why. Private to this room and the structure study. */
#ifndef BL_TOPOLOGY_EXCEPTIONS_H
#define BL_TOPOLOGY_EXCEPTIONS_H

#include "topology/groups.h"
#include "topology/topology.h"

typedef struct bl_exceptions_input {
    const bl_model *model;
    double length;          /* typical size of a body */
    const bl_pose *start;   /* [nbody] assembled */
    const bl_pose *regular; /* assembled, near the start if that is singular; otherwise the same pointer */
    bool stuck;             /* equations are dependent at the start, and no other position was found */
    bool large;             /* the model is too large to search for one */
    double tolerance;       /* relative, of ranks */
} bl_exceptions_input;

/* Fills repeated and passive of pair[njoint] (of the chain made from the model) and *exceptions; destroy it also after failure. */
bl_status bl_exceptions_find(bl_context *ctx, const bl_exceptions_input *in, const bl_chain *chain, bl_chain_pair *pair,
                             bl_structure_exceptions *exceptions);

/* If the model cannot be assembled: mobility by counting, and the text of the present error; the error is cleared. */
bl_status bl_exceptions_open(bl_context *ctx, const bl_chain *chain, bl_structure_exceptions *exceptions);

/* ---- parts of the search */

/* Links that move together as one body while all others are fixed, and their motion. */
enum { BL_PASSIVE_LINKS = 4 };
typedef struct bl_passive {
    bl_index nlink, link[BL_PASSIVE_LINKS];
    double twist[6]; /* velocity of the first link's mass center (in lengths), angular velocity */
    bl_index pair;   /* pair at which it is counted */
} bl_passive;
/* order[npair]: priority of the pairs. Free *passive, also after failure. */
bl_status bl_passive_find(bl_context *ctx, const bl_twists *twists, const bl_pose *pose, const bl_chain *chain, const bl_index *order,
                          double tolerance, bl_index *n, bl_passive **passive);

/* The axis of a joint that rotates about one axis, slides along it, or both; neither: no axis. */
typedef struct bl_joint_axis {
    bool turns, slides;
    double along[3], at[3];
} bl_joint_axis;
void bl_joint_axis_now(const bl_model *model, const bl_pose *pose, bl_index joint, bl_joint_axis *out);
/* What is special about a loop of joints: "parallel axes, ..."; NULL: nothing known. */
bl_status bl_geometry_name(bl_arena *arena, const bl_model *model, const bl_pose *pose, double length, bl_index n, const bl_index *joint,
                           const char **name);

/* Revolute or spherical joints on one pin: k links need k - 1 pairs. */
typedef struct bl_pin {
    bool surplus;    /* earlier joints on the same pin already connect its links */
    bool same_point; /* one of these joins the same links at the same point */
    bl_index nlink;  /* links they connect */
    bl_index first;  /* the joint that comes first on the pin */
} bl_pin;
/* pin[njoint], zeroed before; order[njoint]: priority of the joints. */
bl_status bl_pins_find(bl_arena *arena, const bl_model *model, const bl_pose *pose, double length, const bl_index *order, bl_pin *pin);

typedef struct bl_exceptions_found {
    const bl_exceptions_input *in;
    const bl_chain *chain;
    const bl_dependencies *permanent; /* of joints, then drivers */
    const bl_twists *random;          /* in a random configuration, where no marks coincide */
    const bl_pin *pin;                /* [njoint] */
    bl_index npassive;
    const bl_passive *passive;
    int rank_start, rank_regular; /* of joints and drivers together */
} bl_exceptions_found;
/* The list of exceptions with their texts; memory of the arena. */
bl_status bl_exceptions_describe(bl_arena *arena, const bl_exceptions_found *found, bl_structure_exceptions *exceptions);

#endif
