/* coords: model -> constrained system. A carrier holds the coordinates of some bodies and moves points and
 * vectors fixed in them; joints and forces are written on those marks, never on coordinates. */
#ifndef BL_COORDS_H
#define BL_COORDS_H

#include "model/model.h"
#include "system/system.h"

/* spec: "natural", "mixed", "mixed:angle=switching"; NULL: the model's own choice, else natural. The model
 * must outlive the system. */
bl_status bl_coords_build(bl_context *ctx, const bl_model *model, const char *spec, bl_system **sys);

/* The same with held numbers, copied: forces of actuators, parameters that laws of forces read. */
bl_status bl_coords_build_held(bl_context *ctx, const bl_model *model, const char *spec, const bl_held *held, bl_index nheld,
                               bl_system **sys);

/* Counts of a model; what it costs in coordinates of a kind: bl_coords_kind.price. For choices (system/size.h). */
void bl_coords_count(const bl_model *model, bl_size *size);

/* The model configuration as a state: positions of the file, zero velocities. Not yet assembled. */
bl_status bl_coords_initial(const bl_system *sys, bl_state *state);

/* Where all bodies stand and how they move, apart from coordinates. */
typedef struct bl_body_states {
    const bl_pose *pose;    /* [nbody], ground first; bodies without orientation of their own take what their points show */
    const double *angle;    /* [nbody] in the plane: how far each body has turned, whole turns counted */
    const double *variable; /* [nvariable] what joints read, whole turns counted; agrees with the poses */
} bl_body_states;
/* The state there: positions, turns, zero velocities; and velocities at a state so placed. Joints that hold only to rounding are closed to
 * rounding. */
bl_status bl_coords_set_positions(const bl_system *sys, const bl_body_states *at, bl_state *state);
bl_status bl_coords_set_velocities(const bl_system *sys, const bl_body_states *at, bl_state *state);

/* ---- kinds of coordinates */

/* How a body is held (choice.h). */
typedef enum bl_body_coords { BL_COORDS_NATURAL, BL_COORDS_REFERENCE, BL_COORDS_RELATIVE, BL_COORDS_COUNT } bl_body_coords;

struct bl_coords_choice;
struct bl_body_choice;

/* One file and one line in coords_list.h; what sys->own points to begins with a pointer to the kind. The last kind in the list that holds a
 * body builds the system. */
typedef struct bl_coords_kind {
    bl_kind kind;
    bl_body_coords bodies;  /* how it describes them */
    const bl_kind *of_body; /* as a body names it for itself; NULL: it cannot */
    /* Takes the values of its parameters into the choice of the model and of a body. */
    bl_status (*choose)(bl_context *, const bl_value *, struct bl_coords_choice *, struct bl_body_choice *);
    bl_status (*build)(bl_context *, const struct bl_coords_choice *, bl_system **);
    void (*price)(bl_size *); /* after bl_coords_count */
    /* of a system that it built: bl_coords_initial, ... */
    bl_status (*initial)(const bl_system *, bl_state *);
    bl_status (*place)(const bl_system *, const bl_body_states *, bl_state *);
    bl_status (*move)(const bl_system *, const bl_body_states *, bl_state *);
} bl_coords_kind;

#define BL_KIND(name) extern const bl_coords_kind bl_coords_##name;
#include "coords/coords_list.h"
#undef BL_KIND

extern const bl_coords_kind *const bl_coords_kinds[];
extern const size_t bl_coords_kind_count;

#endif
