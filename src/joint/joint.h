/* joint: what a joint constrains (primitives) and leaves free (degrees of freedom), as data. A joint contains geometry, not coordinates.
 * To add one: copy revolute.c, add a line to joint_list.h. */
#ifndef BL_JOINT_H
#define BL_JOINT_H

#include "joint/primitive.h"

typedef enum bl_joint_dof_what { BL_TURN, BL_SLIDE, BL_BALL } bl_joint_dof_what;

/* In order from the first body to the second, in the axes of the first body in the model configuration: each moves all that follow it. A
 * LINEAR primitive of the same joint may relate their variables (screw). */
typedef struct bl_joint_dof {
    bl_joint_dof_what what;
    double axis[3]; /* unit; unused by BALL */
    double at[3];   /* point on the axis, first body's axes */
    bl_index var;   /* variable that measures it, -1: none */
} bl_joint_dof;

/* What a picture needs of a joint, in the model configuration and global axes. Side 0 belongs to the first body, side 1 to the second:
 * they differ if the joint is not closed in the given configuration. */
enum { /* which of the directions below are set */
       BL_PICTURE_AXIS = 1,
       BL_PICTURE_AXIS_B = 2, /* also fixed in the second body */
       BL_PICTURE_REFERENCE = 4,
       BL_PICTURE_REFERENCE_B = 8,
       BL_PICTURE_PLANE = 16 /* the axis is the normal of a plane of the first body through at[0], on which the second moves */
};
typedef struct bl_joint_picture {
    uint32_t has; /* sum of BL_PICTURE_... */
    double at[2][3], axis[2][3], reference[2][3];
    bool bar;             /* a bar from at[0] to at[1] */
    bool free;            /* no constraint, the distance is only measured */
    double length, pitch; /* of the bar; of a thread, in meters per revolution; 0: none */
    bool relation;        /* no bodies: variable[1] = ratio variable[0] + a constant, both measured from variable[2] if that is not -1 */
    bl_index variable[3];
    double ratio;
    bl_curve curve; /* of the first body, about at[0], in the axes reference[0] and axis[0] x reference[0]; radius and x NULL: none */
} bl_joint_picture;

enum { BL_MAX_PRIMS = 12, BL_MAX_JOINT_DOF = 6 };

/* What a kind produces for one joint. */
typedef struct bl_joint_parts {
    bl_index nprim, ndof;
    bl_prim prim[BL_MAX_PRIMS];
    bl_joint_dof dof[BL_MAX_JOINT_DOF]; /* none if the kind only closes loops */
    bl_joint_picture picture;
} bl_joint_parts;
typedef struct bl_build bl_build; /* joint_build.h */

/* bits of bl_kind.gives: where the joint exists; whether it can have friction, which needs one axis of rotation or sliding */
enum { BL_IN_PLANE = 1, BL_IN_SPACE = 2, BL_RUBS = 4 };

typedef struct bl_joint_kind {
    bl_kind kind;
    uint8_t forbids_2d, forbids_3d; /* degrees of freedom removed (Gruebler-Kutzbach) */
    uint8_t slips_2d, slips_3d;     /* further equations, which restrict velocities only */
    uint8_t nbody;                  /* 2, or 0 for relations between variables */
    char letter;                    /* in the names of groups: R, P, C, S, ... */
    const char *const *variables;   /* names after the dot, NULL-terminated; NULL: none. First letter 'a' of "angle..." marks angles */
    bool (*has_variables)(const bl_joint_def *); /* NULL: always; otherwise whether this joint has them (values are read by then) */
    bool closes_only;                            /* has no degrees of freedom that could move a body of a tree: always represented by
                                                    equations */
    bl_status (*build)(bl_build *);              /* primitives, degrees of freedom and picture from the parameter values */
} bl_joint_kind;

#define BL_KIND(name) extern const bl_joint_kind bl_joint_##name;
#include "joint/joint_list.h"
#undef BL_KIND

/* Geometry of contacts: not joints of the file. */
extern const bl_joint_kind bl_joint_stop, bl_joint_gap, bl_joint_contact, bl_joint_percussion, bl_joint_rub;

/* All joint kinds, in list order. */
extern const bl_joint_kind *const bl_joint_kinds[];
extern const size_t bl_joint_kind_count;

/* All that the kind produces for a joint whose parameters and bodies have been read. */
bl_status bl_joint_make(const bl_model *model, const bl_joint_def *def, bl_joint_parts *parts);
bl_status bl_joint_draw(const bl_model *model, const bl_joint_def *def, bl_joint_picture *picture);

/* Creates the primitives and degrees of freedom of all joints, once, and stores them in the model (prim of the model, of joints and of
 * variables). All their parameters must have been read. */
bl_status bl_joints_resolve(bl_model *model);
/* First primitive of this kind; NULL: none. */
const bl_prim *bl_joint_prim(const bl_joint_def *def, bl_prim_what what);
/* Refuses models with joints that restrict velocities only, for a study that knows positions alone: names the first one. */
bl_status bl_joints_refuse_slip(bl_context *ctx, const bl_model *model, const char *study);
/* A point of the joint on its second body, where its reaction is reported; NULL: none. */
const bl_mark *bl_joint_point(const bl_joint_def *def);

/* Degrees of freedom this joint removes: the kind's count, less what its flags set free (a rod that only measures). */
bl_index bl_joint_forbids(const bl_model *model, const bl_joint_def *def);

#endif
