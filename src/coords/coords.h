/* coords: model -> constrained system. Coordinates of bodies determine the points and vectors fixed in them (marks); joints and forces
 * are written in terms of these marks, never of coordinates. */
#ifndef BL_COORDS_H
#define BL_COORDS_H

#include "model/model.h"
#include "system/system.h"

/* spec: "natural", "mixed", "mixed:angle=switching"; NULL: the model's own choice, otherwise natural. The model must outlive the system. */
bl_status bl_coords_build(bl_context *ctx, const bl_model *model, const char *spec, bl_system **sys);

/* The same with held numbers, which are copied: forces of actuators, parameters and signals that laws read. */
bl_status bl_coords_build_held(bl_context *ctx, const bl_model *model, const char *spec, const bl_held *held, bl_index nheld,
                               bl_system **sys);
/* The same with laws of the model as signals of the system (bl_system.nsignal): signal[nsignal] are those whose `law` is meant. */
bl_status bl_coords_build_signals(bl_context *ctx, const bl_model *model, const char *spec, const bl_held *held, bl_index nheld,
                                  const bl_index *signal, bl_index nsignal, bl_system **sys);

/* Counts of a model; its cost in one kind of coordinates: bl_coords_kind.price. For automatic choices (system/size.h). */
void bl_coords_count(const bl_model *model, bl_size *size);

/* The model configuration as a state: positions of the file, zero velocities. Not yet assembled. */
bl_status bl_coords_initial(const bl_system *sys, bl_state *state);

/* Positions and velocities of all bodies, without coordinates. */
typedef struct bl_body_states {
    const bl_pose *pose;    /* [nbody], ground first; bodies without an orientation of their own have the one that follows from their
                               points */
    const double *angle;    /* [nbody] in the plane: rotation of each body, full revolutions included */
    const double *variable; /* [nvariable] joint variables, full revolutions included; must agree with the poses */
} bl_body_states;
/* The state for these positions: revolutions, zero velocities; and the velocities for a state set in this way. Joints that are closed
 * only to rounding in `at` are closed exactly. */
bl_status bl_coords_set_positions(const bl_system *sys, const bl_body_states *at, bl_state *state);
bl_status bl_coords_set_velocities(const bl_system *sys, const bl_body_states *at, bl_state *state);

/* Free bodies, whose coordinates follow from their pose alone: writes those of chosen[nbody] into q[nq] and v[nv]; angle[nbody]: rotations
 * in the plane, full revolutions included. Allocates nothing. bl_coords_can_write: the first chosen body whose coordinates cannot be
 * written, -1: none. */
bl_index bl_coords_can_write(const bl_system *sys, const uint8_t *chosen);
void bl_coords_write(const bl_system *sys, const uint8_t *chosen, const bl_pose *pose, const double *angle, double *q, double *v);
/* The coordinate that a column of velocities is the rate of, in q; -1: none (orientations). sys: as below. */
bl_index bl_coords_place(const bl_system *sys, bl_index column);
/* A mark where its body is, and its rate, in global axes; after BL_POSE. Smooth also off the constraints, where a quaternion would jump.
 * sys: a mechanism, not one with signals around it. */
void bl_coords_mark(const bl_system *sys, const bl_eval *eval, const bl_mark *mark, double at[3], double rate[3]);

/* Momenta of elastic bodies, of[model->nelastic], after BL_POSE. sys: likewise. spin: angular momentum about the mass center, inertia: sum
 * of the moments of inertia about the three axes there; size, size_spin: sums of the magnitudes over nodes or vectors. Masses of frames are
 * not included. */
typedef struct bl_elastic_momenta {
    double mass, center[3], p[3], spin[3], size, size_spin, inertia;
} bl_elastic_momenta;
void bl_coords_momenta(const bl_system *sys, const bl_eval *eval, bl_elastic_momenta *of);

/* Fields of meshed bodies: lists those named in `choice` in sys->field, as bl_fem_choose_fields does (fem.h); bl_field.mesh counts
 * bl_model_mesh. To be called before any evaluation; without it there are none. sys: a mechanism. */
bl_status bl_coords_choose_fields(bl_system *sys, const char *choice);

/* ---- kinds of coordinates */

/* Coordinates of a body (choice.h). */
typedef enum bl_body_coords { BL_COORDS_NATURAL, BL_COORDS_REFERENCE, BL_COORDS_RELATIVE, BL_COORDS_COUNT } bl_body_coords;

struct bl_coords_choice;
struct bl_body_choice;

/* One file and one line in coords_list.h; sys->own starts with a pointer to the kind. The last kind in the list that describes a body
 * builds the system. */
typedef struct bl_coords_kind {
    bl_kind kind;
    bl_body_coords bodies;  /* bodies it describes */
    const bl_kind *of_body; /* as it is named by a body; NULL: not available for single bodies */
    /* Stores the values of its parameters in the choice of the model and of a body. */
    bl_status (*choose)(bl_context *, const bl_value *, struct bl_coords_choice *, struct bl_body_choice *);
    bl_status (*build)(bl_context *, const struct bl_coords_choice *, bl_system **);
    void (*price)(bl_size *); /* after bl_coords_count */
    /* for a system that it built: bl_coords_initial, ... */
    bl_status (*initial)(const bl_system *, bl_state *);
    bl_status (*set_positions)(const bl_system *, const bl_body_states *, bl_state *);
    bl_status (*set_velocities)(const bl_system *, const bl_body_states *, bl_state *);
    bl_index (*can_write)(const bl_system *, const uint8_t *chosen); /* NULL: no body */
    void (*write)(const bl_system *, const uint8_t *chosen, const bl_pose *, const double *angle, double *q, double *v);
} bl_coords_kind;

#define BL_KIND(name) extern const bl_coords_kind bl_coords_##name;
#include "coords/coords_list.h"
#undef BL_KIND

extern const bl_coords_kind *const bl_coords_kinds[];
extern const size_t bl_coords_kind_count;

#endif
