/* reduction: a mesh with rigid interfaces reduced to a few shapes relative to the first of them (docs/theory/floating_frame.md). */
#ifndef BL_REDUCTION_H
#define BL_REDUCTION_H

#include "model/model.h"

typedef struct bl_reduction {
    bl_index nframe;
    const bl_interface_def *interface; /* [nframe], all rigid */
    const double (*center)[3];         /* [nframe] of their frames */
    const char *const *name;           /* [nframe] */
    bl_index nmode;
    bool stiffening; /* by stress */
} bl_reduction;

/* Shapes: unit displacements and small rotations of the interfaces after the first, in the axes of the model, then the modes, each with a
 * largest displacement of 1. The result is in the arena; errors at the place of the solid. */
bl_status bl_reduce_mesh(bl_context *ctx, bl_arena *arena, const bl_model *model, const bl_solid *solid, const bl_reduction *ask,
                         bl_floating_def **out);

/* B[n][n][n] = int sigma_j : grad Psi_m^T grad Psi_n of shape[n][unknowns of the mesh], sigma_j the stress of shape j at rest. */
struct bl_fem_part;
bl_status bl_reduction_stiffening(bl_context *ctx, const struct bl_fem_part *part, bl_index n, const double *shape, double *B);

#endif
