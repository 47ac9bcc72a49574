/* joint: what a joint forbids (primitives) and allows (freedoms), as data. A joint knows geometry, not
 * coordinates. To add one: copy revolute.c, add a line to joint_list.h. */
#ifndef BL_JOINT_H
#define BL_JOINT_H

#include "model/model.h"

typedef enum bl_prim_what {
    BL_COINCIDE, /* points a, b coincide */
    BL_SAME,     /* vectors a, b are equal */
    BL_DOT,      /* a . b = value */
    BL_PLANE,    /* (b - a) . c = value; a, b points, c a vector */
    BL_DISTANCE, /* |b - a| = value; var[0] >= 0: the variable is |b - a| and nothing is forbidden */
    BL_TRAVEL,   /* (b - a) . c = var[0] */
    BL_ANGLE,    /* var[0]: angle from vector a to vector b about vector c (all unit, a and b perpendicular to c when assembled) */
    BL_ANGLES,   /* var[0..2]: successive angles that turn frame (a, c) of the first body into frame (b, d) of the second:
                    about a, then about the negative carried second axis, then about the carried c. a = v_A, c = r_A, b = v_B, d = r_B,
                    each pair perpendicular unit vectors (multibody theory, spherical joint with angles) */
    BL_LINEAR    /* coef[0] var[0] + coef[1] var[1] (+ coef[2] var[2]) = value */
} bl_prim_what;

typedef struct bl_prim {
    bl_prim_what what;
    bl_mark a, b, c, d;
    double value, coef[3];
    bl_index var[3];  /* indices in the model's variables, -1 when unused */
    double zero;      /* ANGLE: the variable's value is the geometric angle minus this (so that it reads 0 when assembled) */
    const char *says; /* what the equation forbids, for messages: "along the axis" */
} bl_prim;

typedef enum bl_freedom_what { BL_TURN, BL_SLIDE, BL_BALL } bl_freedom_what;

/* In order from the first body to the second, in the first body's axes at the model configuration: each moves all that
 * follow it. A LINEAR primitive of the same joint still binds their variables (screw). */
typedef struct bl_freedom {
    bl_freedom_what what;
    double axis[3]; /* unit; unused by BALL */
    double at[3];   /* point on the axis, first body's axes */
    bl_index var;   /* variable that measures it, -1 */
} bl_freedom;

/* What a picture needs of a joint, in the model configuration and global axes. Side 0 belongs to the first body, side 1 to the second:
 * where the joint is not closed as drawn, they differ. */
enum { /* which of the directions below there are */
       BL_PICTURE_AXIS = 1,
       BL_PICTURE_AXIS_B = 2, /* held by the second body too */
       BL_PICTURE_REFERENCE = 4,
       BL_PICTURE_REFERENCE_B = 8,
       BL_PICTURE_PLANE = 16 /* the axis is the normal of a plane of the first body through at[0], in which at[1] stays */
};
typedef struct bl_joint_picture {
    uint32_t has; /* sum of BL_PICTURE_... */
    double at[2][3], axis[2][3], reference[2][3];
    bool bar;             /* a bar goes from at[0] to at[1] */
    bool free;            /* nothing is held, the distance is only measured */
    double length, pitch; /* of the bar; of a thread, in metres per turn; 0: none */
    bool relation;        /* no bodies: variable[1] = ratio variable[0] + a constant */
    bl_index variable[2];
    double ratio;
} bl_joint_picture;

enum { BL_MAX_PRIMS = 12, BL_MAX_FREEDOMS = 6 };

/* bits of bl_kind.gives: where the joint exists; it rubs on one axis, which its variables turn about or slide along */
enum { BL_IN_PLANE = 1, BL_IN_SPACE = 2, BL_RUBS = 4 };

typedef struct bl_joint_kind {
    bl_kind kind;
    uint8_t forbids_2d, forbids_3d; /* freedoms taken away (Gruebler-Kutzbach) */
    uint8_t nbody;                  /* 2, or 0 for relations of variables */
    char letter;                    /* in the names of groups: R, P, C, S, ... */
    const char *const *variables;   /* names after the dot, NULL-terminated; NULL: none. First letter 'a' of "angle..." marks angles */
    bool (*has_variables)(const bl_joint_def *); /* NULL: always; else whether this one has them (values are read by then) */
    bl_status (*primitives)(const bl_model *, const bl_joint_def *, bl_prim *out, bl_index *n);  /* out[BL_MAX_PRIMS] */
    bl_status (*freedoms)(const bl_model *, const bl_joint_def *, bl_freedom *out, bl_index *n); /* NULL: only closes loops */
    bl_status (*picture)(const bl_model *, const bl_joint_def *, bl_joint_picture *out);         /* out is cleared */
} bl_joint_kind;

#define BL_KIND(name) extern const bl_joint_kind bl_joint_##name;
#include "joint/joint_list.h"
#undef BL_KIND

/* All joint kinds, in list order. */
extern const bl_joint_kind *const bl_joint_kinds[];
extern const size_t bl_joint_kind_count;

/* Of any kind; clears *picture. */
bl_status bl_joint_draw(const bl_model *model, const bl_joint_def *def, bl_joint_picture *picture);

/* Freedoms a primitive takes away on its own; 0 for those that only define a variable. */
bl_index bl_prim_forbids(const bl_prim *prim, int dim);
/* Freedoms this joint takes away: the kind's count, less what its flags set free (a rod that only measures). */
bl_status bl_joint_forbids(const bl_model *model, const bl_joint_def *def, bl_index *count);

#endif
