/* fem: meshed bodies and scalar fields as a constrained system without rows. Supports are eliminated: what they prescribe enters Q.
 * Right of the waist nobody knows elements. */
#ifndef BL_FEM_H
#define BL_FEM_H

#include "model/model.h"
#include "system/system.h"

/* The model must have solids and outlive the system. */
bl_status bl_fem_build(bl_context *ctx, const bl_model *model, bl_system **sys);
/* The start of the file at t = 0; modes as starts are set by whoever finds them (bl_fem_start_mode). */
bl_status bl_fem_initial(const bl_system *sys, bl_state *state);
/* Of the system's fields those named in `choice`, separated by commas, are kept; NULL or "all": all, "none". Before any evaluation. */
bl_status bl_fem_choose_fields(bl_system *sys, const char *choice);

/* ---- nodes and points one by one, for tables. full: values of all nodes of a solid, [nnode][components], prescribed ones included */

bl_index bl_fem_components(const bl_system *sys, bl_index solid);
/* Values and rates at the place of e. v may be NULL. */
bl_status bl_fem_nodes(const bl_system *sys, bl_eval *e, bl_index solid, double *u, double *v);
/* Inner forces of the nodes: what supports, loads and neighbors in ties exert on them where nothing accelerates. */
bl_status bl_fem_node_forces(const bl_system *sys, bl_eval *e, bl_index solid, double *f);
/* Unknowns of the state from values and rates (NULL: 0) of all nodes. */
void bl_fem_set_nodes(const bl_system *sys, bl_index solid, const double *u, const double *v, bl_state *state);

typedef struct bl_fem_point {
    double volume;         /* of the reference */
    double stress[6];      /* Cauchy's; of a field the flux */
    double strain[6];      /* small, or Green's; shear angles */
    double energy;         /* stored, per volume */
    const double *at;      /* reference coordinates */
    bool tensor;           /* the rule is a product over directions */
    const double *history; /* of strain and material; NULL: none */
} bl_fem_point;
/* The number of that name in the history of a point; 0 where the material has none. */
double bl_fem_shown(const bl_material *material, const bl_strain_kind *strain, const bl_fem_point *point, const char *name);
/* Where the histories of points begin in that of a state, in bytes; laws that switch stand before them. */
size_t bl_fem_points_history(const bl_system *sys);
/* item: of the set (NULL: of the mesh); material of the element */
typedef bl_status bl_fem_visit(void *user, bl_index item, const bl_material *material, bl_index n, const bl_fem_point *point);
/* The points of the elements of a set, kind after kind. */
bl_status bl_fem_points(const bl_system *sys, bl_eval *e, bl_index solid, const bl_mesh_set *set, bl_fem_visit *visit, void *user);

#endif
