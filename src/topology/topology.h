/* topology: the model as a graph of bodies and joints, and the constraints of joints without any coordinates. */
#ifndef BL_TOPOLOGY_H
#define BL_TOPOLOGY_H

#include "joint/joint.h"

/* Pieces connected by joints: piece[nbody]; that of ground is 0, the others follow in the order of their first body. */
bl_status bl_topology_pieces(bl_context *ctx, const bl_model *model, bl_index *piece, bl_index *npiece);
/* Depth first through the joints, ground first, then a body of every other piece: order[nbody], parents before children; up[nbody]: the
 * joint by which each was reached, -1 for the first of a piece; bridge[njoint]: joints outside loops, the only connection of two parts.
 * Relations between variables do not count. */
bl_status bl_topology_bridges(bl_context *ctx, const bl_model *model, bl_index *order, bl_index *up, bool *bridge);
/* Mobility by counting (Gruebler-Kutzbach): 6 (in the plane 3) for each moving body minus what joints and drivers remove. */
bl_index bl_topology_count(const bl_model *model);
/* Freedoms of bodies with shapes beyond those of their frames, each counted as a body. */
bl_index bl_topology_shapes(const bl_model *model);
/* The same for velocities: further equations restrict them only, as in rolling. */
bl_index bl_topology_count_velocities(const bl_model *model);

/* ---- joints as equations on twists: row . (velocity of the mass center, angular velocity) of the moving bodies */

/* An equation owned by a joint, or by a driver (owner = njoint + driver). */
typedef struct bl_twist_row {
    bl_index owner;
    bl_index n;                 /* entries */
    bl_index *col;              /* (body - 1) x 6 (3 in the plane) + component */
    double *coef;               /* scaled: velocities in units of the length, the row to typical size 1 */
    double force[3], moment[3]; /* the same in terms of the relative motion at the joint: its reaction; both zero for relations between
                                   variables */
    double gap;                 /* violation in this configuration, equally scaled: row . increments = -gap closes it to first order */
    bool grounded;              /* it also acts on the ground */
    bool is_length;             /* gap x length is in m; otherwise gap is an angle, or a number */
    const char *meaning;
    bool slip;     /* it restricts velocities only */
    bl_index most; /* capacity for entries */
} bl_twist_row;

typedef struct bl_twists {
    const bl_model *model;
    bl_arena arena;
    double length;
    bool velocities; /* with the equations that restrict velocities only; set after creation */
    bl_index width;  /* columns */
    bl_index nrow, room;
    bl_twist_row *row; /* in order of owners */
    bl_index nmade;    /* rows with memory for entries, kept from one configuration to the next */
    double *scratch;   /* [width] */
    bl_index *touched; /* [nbody] */
} bl_twists;

/* All equations in the configuration of pose[nbody] (ground first). length: typical size of a body. *twists is zeroed by the call;
 * destroy also after failure. */
bl_status bl_twists_build(bl_context *ctx, const bl_model *model, const bl_pose *pose, double length, bl_twists *twists);
/* The same in two steps: what does not depend on the configuration, then the rows in any number of configurations. variable[nvariable]:
 * values of the variables, with revolutions, for the gaps of relations (NULL: those are 0). Rows of drivers have no gap. */
bl_status bl_twists_create(bl_context *ctx, const bl_model *model, double length, bl_twists *twists);
bl_status bl_twists_at(bl_twists *twists, const bl_pose *pose, const double *variable);
/* Appends a row: the rate of a variable, scaled like a driver's. */
bl_status bl_twists_add_variable(bl_twists *twists, const bl_pose *pose, bl_index variable, bl_index owner);
void bl_twists_destroy(bl_twists *twists);
/* Values of the variables in a configuration: value[nvariable], angles within half a revolution of `near` (NULL: of 0). */
void bl_twists_variables(const bl_twists *twists, const bl_pose *pose, const double *near, double *value);
/* A mark at the given poses (pose[nbody]), in global axes: position of a point, or the vector itself. */
void bl_mark_now(const bl_pose *pose, const bl_mark *mark, double out[3]);
/* All marks of a primitive at the given poses, without rates. */
void bl_prim_now(const bl_pose *pose, const bl_prim *prim, bl_prim_motion *at);
/* The largest response of any equation to body `body` rotating alone about the unit axis through its mass center: 0 if it is free to. */
double bl_twists_resist_turning(const bl_twists *twists, bl_index body, const double axis[3]);

/* ---- which equations follow from earlier ones */

typedef struct bl_dependency {
    bl_index owner;         /* joint, or njoint + driver */
    bl_index count, of;     /* number of its equations that follow from earlier ones, and of all its equations */
    double rest;            /* the largest independent part of one of them, relative to its size 1: not above the tolerance */
    double (*direction)[6]; /* [count] what is constrained twice: force and moment at the joint, the moment in units of force x length;
                               unit force, or unit moment without force; pure forces and moments separate where possible; all 0: a
                               relation */
    bl_index nother;
    bl_index *other;      /* other owners that take part, ascending */
    const char **meaning; /* [count] what its equations prevent */
    bool slip;            /* they restrict velocities only */
} bl_dependency;

typedef struct bl_dependencies {
    bl_arena arena;
    bl_index rank, ndependent; /* of positions: rank + ndependent = rows */
    bl_index nslip;            /* dependent rows that restrict velocities only; they come last */
    bl_index n;
    bl_dependency *dependency;
} bl_dependencies;

/* top[owners]: the body that joins the owner's block with the rest, or the ground; a floating piece has one of its bodies. No equation
 * depends on those of other blocks, nor on the motion of the top. */
bl_status bl_topology_tops(const bl_twists *twists, bl_index *top);
/* Adds row after row in order, after all others those that restrict velocities only (where the twists have them); a row is dependent if
 * less than `tolerance` of it is independent of those before. After failure nothing needs to be destroyed. */
bl_status bl_dependencies_find(const bl_twists *twists, double tolerance, bl_dependencies *found);
/* The same with owners in the order of order[n], others left out; dependencies are in that order. */
bl_status bl_dependencies_find_ordered(const bl_twists *twists, bl_index n, const bl_index *order, double tolerance,
                                       bl_dependencies *found);
void bl_dependencies_destroy(bl_dependencies *found);

#endif
