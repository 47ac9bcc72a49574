/* topology: the model as a graph of bodies and joints, and what joints forbid, apart from any coordinates. */
#ifndef BL_TOPOLOGY_H
#define BL_TOPOLOGY_H

#include "joint/joint.h"

/* Pieces connected by joints: piece[nbody]; that of ground is 0, the others follow in the order of their first body. */
bl_status bl_topology_pieces(const bl_model *model, bl_index *piece, bl_index *npiece);
/* Mobility by counting (Gruebler-Kutzbach): 6 (in the plane 3) for each moving body less what joints and drivers take away. */
bl_status bl_topology_count(const bl_model *model, bl_index *count);

/* ---- joints as equations on twists: row . (velocity of the mass centre, angular velocity) of the moving bodies */

/* An equation owned by a joint, or by a driver (owner = njoint + driver). */
typedef struct bl_twist_row {
    bl_index owner;
    bl_index n;                 /* entries */
    bl_index *col;              /* (body - 1) x 6 (3 in the plane) + component */
    double *coef;               /* scaled: velocities in units of the length, the whole to typical size 1 */
    double force[3], moment[3]; /* the same on the relative motion at the joint: what it pushes; both zero for relations of variables */
    const char *says;
} bl_twist_row;

typedef struct bl_twists {
    const bl_model *model;
    bl_arena arena;
    double length;
    bl_index width; /* columns */
    bl_index nrow, room;
    bl_twist_row *row; /* in order of owners */
} bl_twists;

/* All equations in the configuration of pose[nbody] (ground first). length: typical size of a body. *twists is zeroed by the call;
 * destroy also after failure. */
bl_status bl_twists_build(const bl_model *model, const bl_pose *pose, double length, bl_twists *twists);
void bl_twists_destroy(bl_twists *twists);
/* A mark now (pose[nbody]), in global axes: position of a point, or the vector itself. */
void bl_mark_now(const bl_pose *pose, const bl_mark *mark, double out[3]);
/* The largest response of any equation to body `body` turning alone about the unit axis through its mass centre: 0, it is free to. */
double bl_twists_resist_turning(const bl_twists *twists, bl_index body, const double axis[3]);

/* ---- which equations follow from earlier ones */

typedef struct bl_dependency {
    bl_index owner;         /* joint, or njoint + driver */
    bl_index count, of;     /* so many of its equations follow from earlier ones */
    double rest;            /* the most that is new in one of them, of its size 1: not above the tolerance */
    double (*direction)[6]; /* [count] what is forbidden twice: force and moment at the joint, the moment in units of force x length; unit
                                 force, or unit moment without force; pure ones apart where that can be; all 0: a relation */
    bl_index nother;
    bl_index *other; /* owners that take part, ascending, itself left out */
} bl_dependency;

typedef struct bl_dependencies {
    bl_arena arena;
    bl_index rank, ndependent; /* rank + ndependent = rows */
    bl_index n;
    bl_dependency *dependency;
} bl_dependencies;

/* Adds row after row in order; a row counts as dependent when less than `tolerance` of it is new. */
bl_status bl_dependencies_find(const bl_twists *twists, double tolerance, bl_dependencies *found);
/* The same with owners in the order of order[n], others left out; dependencies come in that order. */
bl_status bl_dependencies_find_ordered(const bl_twists *twists, bl_index n, const bl_index *order, double tolerance,
                                       bl_dependencies *found);
void bl_dependencies_destroy(bl_dependencies *found);

#endif
