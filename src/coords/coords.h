/* coords: model -> constrained system. A carrier holds the coordinates of some bodies and moves points and
 * vectors fixed in them; joints and forces are written on those marks, never on coordinates. */
#ifndef BL_COORDS_H
#define BL_COORDS_H

#include "model/model.h"
#include "system/system.h"

/* natural, mixed: for `biela list` and the reference */
extern const bl_kind *const bl_coords_kinds[];
extern const size_t bl_coords_kind_count;

/* spec: "natural", "mixed", "mixed:angle=switching"; NULL: the model's own choice, else natural. The model
 * must outlive the system. */
bl_status bl_coords_build(bl_context *ctx, const bl_model *model, const char *spec, bl_system **sys);

/* The same with held numbers, copied: forces of actuators, parameters that laws of forces read. */
bl_status bl_coords_build_held(bl_context *ctx, const bl_model *model, const char *spec, const bl_held *held, bl_index nheld,
                               bl_system **sys);

/* Counts of a model, and what it costs in coordinates of this kind. For choices (system/size.h). */
void bl_coords_count(const bl_model *model, bl_size *size);
void bl_coords_price(const bl_kind *kind, bl_size *size);

/* The model configuration as a state: positions of the file, zero velocities. Not yet assembled. */
bl_status bl_coords_initial(const bl_system *sys, bl_state *state);

/* Where all bodies stand and how they move, apart from coordinates. */
typedef struct bl_placement {
    const bl_pose *pose;    /* [nbody], ground first; bodies without orientation of their own take what their points show */
    const double *angle;    /* [nbody] in the plane: how far each body has turned, whole turns counted */
    const double *variable; /* [nvariable] what joints read, whole turns counted; agrees with the poses */
} bl_placement;
/* The state there: positions, turns, zero velocities; and velocities at a state so placed. Joints that hold only to rounding are closed to
 * rounding. */
bl_status bl_coords_place(const bl_system *sys, const bl_placement *at, bl_state *state);
bl_status bl_coords_move(const bl_system *sys, const bl_placement *at, bl_state *state);

#endif
