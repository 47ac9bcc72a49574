/* fem: meshed bodies and scalar fields as a system (system.h) without constraint equations. Supports are eliminated: prescribed values
 * enter Q. The users of a system know nothing about elements. */
#ifndef BL_FEM_H
#define BL_FEM_H

#include "model/model.h"
#include "system/system.h"

/* The model must have solids and outlive the system. */
bl_status bl_fem_build(bl_context *ctx, const bl_model *model, bl_system **sys);
/* The initial state given in the model file, at t = 0. If it is a mode, the study that computes modes sets it. */
bl_status bl_fem_initial(const bl_system *sys, bl_state *state);
/* Keeps the fields named in `choice`, separated by commas; NULL or "all": all of them, "none": none. To be called before any evaluation. */
bl_status bl_fem_choose_fields(bl_system *sys, const char *choice);

/* ---- meshes whose nodes are moved by other coordinates (bodies of mechanisms): a system without unknowns, whose fields are those of
 * meshes alone except for reactions and accelerations. bl_field.mesh counts the meshes given here. */

/* Shapes by which a body deforms a little relative to a frame; n 0: it has none. */
typedef struct bl_fem_shapes {
    bl_index n;
    const double *displacement; /* [n][nnode][dim], along the axes of the frame */
} bl_fem_shapes;

/* shapes[n]; what it refers to must outlive the system */
bl_status bl_fem_build_moved(bl_context *ctx, const bl_model *model, bl_index n, const bl_solid *const *solid, const bl_fem_shapes *shapes,
                             bl_system **sys);
/* Arrays of an evaluation that has room for BL_FIELDS, to be filled before the fields are evaluated; [nnode][dim] */
typedef struct bl_fem_moved {
    double *u, *v;  /* displacements from the model configuration, and velocities, along global axes */
    double *strain; /* displacements from which stresses follow; not of bodies with shapes, whose stresses are linear in these: */
    double *amplitude, turn[3][3]; /* [shapes] their amplitudes; the axes of the frame are the columns of turn */
} bl_fem_moved;
bl_fem_moved *bl_fem_moved_nodes(const bl_system *sys, const bl_eval *e, bl_index mesh);

/* ---- nodes and integration points one by one, for tables. Nodal arrays: [nnode][components] of a solid, prescribed ones included */

bl_index bl_fem_components(const bl_system *sys, bl_index solid);
/* Values and rates in the state of e. v may be NULL. */
bl_status bl_fem_nodes(const bl_system *sys, bl_eval *e, bl_index solid, double *u, double *v);
/* Internal forces of the nodes: in equilibrium, what supports, loads and ties exert on them. */
bl_status bl_fem_node_forces(const bl_system *sys, bl_eval *e, bl_index solid, double *f);
/* Unknowns of the state from values and rates (NULL: 0) of all nodes. */
void bl_fem_set_nodes(const bl_system *sys, bl_index solid, const double *u, const double *v, bl_state *state);

typedef struct bl_fem_point {
    double volume;         /* in the reference configuration */
    double stress[6];      /* Cauchy stress; the flux of a scalar field */
    double strain[6];      /* small strain or Green's, with engineering shear */
    double energy;         /* stored, per volume */
    const double *at;      /* coordinates in the reference element */
    bool tensor;           /* the quadrature rule is a tensor product */
    const double *history; /* of strain and material; NULL: none */
} bl_fem_point;
/* The variable of that name in the history of a point; 0 if the material has none. */
double bl_fem_shown(const bl_material *material, const bl_strain_kind *strain, const bl_fem_point *point, const char *name);
/* Offset in bytes of the histories of points in that of a state; the pieces of switching laws are stored before them. */
size_t bl_fem_points_history(const bl_system *sys);
/* item: index in the set (NULL: in the mesh); material: that of the element */
typedef bl_status bl_fem_visit(void *user, bl_index item, const bl_material *material, bl_index n, const bl_fem_point *point);
/* Visits the integration points of the elements of a set, one kind of element after the other. */
bl_status bl_fem_points(const bl_system *sys, bl_eval *e, bl_index solid, const bl_mesh_set *set, bl_fem_visit *visit, void *user);

#endif
