/* fields: output fields of meshes. Private to this room. Reading order: fields.c (the list), field_values.c, smooth.c (from points to
 * nodes). */
#ifndef BL_FIELDS_PRIVATE_H
#define BL_FIELDS_PRIVATE_H

#include "fem/assembly.h"

enum { BL_SMOOTH_MOST = 16 }; /* variables that are smoothed together */

/* ---- smooth.c: values at integration points become nodal values by least squares over a body,
 *
 *     M c = int N c* dV,     M_ab = int N_a N_b dV      (E9)
 */
typedef struct bl_smooth {
    bl_pattern pattern; /* of all nodes of all parts; ptr NULL: not made */
    double *M;
} bl_smooth;

bl_status bl_smooth_make(const bl_fem *fem, bl_smooth *smooth, bl_element_work *w);
void bl_smooth_destroy(bl_context *ctx, bl_smooth *smooth);
/* Right-hand sides b[nnode][m] of one element from value[points][m] at the points of its rule; coordinates in w. center[m]: values at the
 * center of the element. */
void bl_smooth_element(const bl_fem_part *part, const bl_fem_group *group, const bl_element_work *w, int m,
                       const double (*value)[BL_SMOOTH_MOST], double *b, double *center);

/* Solves A X = B[n][m] in place by conjugate gradients preconditioned by the diagonal. A: the symmetric diagonal block first .. first + n -
 * 1 of a pattern, coupled with nothing else and positive definite except for zero rows, whose X are 0. work: bl_mass_work(n, m) numbers.
 * The condition of mass matrices scaled by their diagonals depends only on the element (Wathen 1987), about 10 in the plane and 30 in
 * space, so that 20 to 40 products reduce the residual to 1e-12 of the right-hand side: no factorization is needed. Returns 0, or the
 * largest residual, of its right-hand side, where that was not reached in fem_smooth_iterations. */
size_t bl_mass_work(bl_index n, int m);
double bl_mass_solve(const bl_pattern *A, const double *values, bl_index first, bl_index n, int m, double *B, double *work);

/* ---- fields.c: the list */

typedef enum bl_field_what {
    BL_FIELD_DISPLACEMENT,
    BL_FIELD_VELOCITY,
    BL_FIELD_ACCELERATION,
    BL_FIELD_VALUE,
    BL_FIELD_RATE,
    BL_FIELD_REACTION,
    BL_FIELD_FLOW,
    BL_FIELD_STRESS,
    BL_FIELD_VON_MISES,
    BL_FIELD_FLUX,
    BL_FIELD_FLUX_MODULUS,
    BL_FIELD_HISTORY,
    BL_FIELD_TEMPERATURE,
    BL_FIELD_CELL_STRESS,
    BL_FIELD_CELL_VON_MISES,
    BL_FIELD_CELL_FLUX
} bl_field_what;

typedef struct bl_fem_field {
    bl_field_what of;
    bl_index part;
    const bl_history_shown *shown; /* BL_FIELD_HISTORY */
} bl_fem_field;

typedef struct bl_fem_fields {
    bl_index n;
    bl_field *field;   /* [n] as listed by the system */
    bl_fem_field *own; /* [n] */
    bl_smooth smooth;
} bl_fem_fields;

bl_status bl_fem_fields_define(bl_fem *fem);                     /* lists them in fem->sys */
bl_status bl_fem_fields_make(bl_fem *fem, bl_fem_eval *p);       /* constant matrices */
bl_status bl_fem_fields_room(const bl_fem *fem, bl_fem_eval *p); /* of an evaluation */
void bl_fem_fields_destroy(bl_fem *fem);

bool bl_fem_has_field(const bl_fem_fields *f, bl_index part, bl_field_what of); /* part -1: any */
bool bl_fem_smooths(const bl_fem_fields *f, bl_index part);                     /* some of its fields are smoothed to nodes */
bool bl_fem_has_reactions(const bl_fem_fields *f);
bool bl_fem_needs_rates(const bl_fem_fields *f);
int bl_tensor_components(const bl_fem_part *part);
/* Whether the histories of a group have a variable of that name. */
bool bl_shows(const bl_fem_group *group, const char *name, const bl_history_shown **shown);
/* Storage for stresses or fluxes that were not requested but from which requested fields are derived; at nodes and in cells. */
size_t bl_fem_hidden_nodes(const bl_fem *fem, bl_index part);
size_t bl_fem_hidden_cells(const bl_fem *fem, bl_index part);

/* ---- field_values.c */
bl_status bl_fem_fields_eval(const bl_fem *fem, bl_eval *e);

/* Stresses at nodes (smoothed) and in cells, either may be NULL, from the displacements p->u of a part; work: bl_mass_work numbers of its
 * nodes for 6 components. */
bl_status bl_fem_stresses_at(const bl_fem *fem, bl_fem_eval *p, bl_index part, double *nodes, double *cells, double *work);

/* ---- moved_meshes.c */
bl_status bl_fem_moved_room(const bl_fem *fem, bl_fem_eval *p); /* of an evaluation */
bl_status bl_fem_moved_make(bl_fem *fem, bl_fem_eval *p);       /* stresses of all shapes */
void bl_fem_moved_destroy(bl_fem *fem);
/* Stresses of a part with shapes for the amplitudes of the evaluation, in global axes; nodes, cells: as above. */
void bl_fem_moved_stresses(const bl_fem *fem, const bl_fem_eval *p, bl_index part, double *nodes, double *cells);

#endif
