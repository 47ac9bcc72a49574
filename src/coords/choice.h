/* choice: the coordinates of each body, decided once from the model and the `coordinates` of its bodies.
 *
 * Natural bodies share points and vectors with each other. Reference and relative bodies share none: each has a mass center and axes
 * that follow from its own parameters or from a tree of joints. If any body is relative the system is a tree (relative.h), in which
 * reference bodies float; otherwise, if any body is a reference body, it is a system of mass centers (reference.h); otherwise it is the
 * mechanism itself. */
#ifndef BL_CHOICE_H
#define BL_CHOICE_H

#include "coords/coords.h"
#include "coords/orientation.h"

typedef struct bl_body_choice {
    bl_body_coords how;
    bool from_body; /* specified by the body itself: if it is not possible, the error refers to body->coordinates_at */
    bool chosen;    /* an orientation was specified */
    const bl_orientation *orientation;
    const char *sequence; /* of its angles, NULL: the default */
} bl_body_choice;

typedef struct bl_coords_choice {
    const bl_model *model;
    const bl_held *held; /* [nheld] of the system */
    bl_index nheld;
    const bl_index *signal; /* [nsignal] of the model, whose laws the system evaluates */
    bl_index nsignal;
    bl_arena arena;
    const bl_coords_kind *kind; /* of the model */
    bool mixed, switching;      /* options of the mechanism */
    bool inputs;                /* variables selected by the structural analysis become coordinates */
    bl_index count[BL_COORDS_COUNT];
    bl_body_choice *body; /* [nbody] */
} bl_coords_choice;

/* spec as in bl_coords_build. Destroy the choice also after a failure. */
bl_status bl_coords_choose(bl_context *ctx, const bl_model *model, const char *spec, bl_coords_choice *choice);
void bl_coords_choice_free(bl_coords_choice *choice);

/* size.c */
void bl_natural_price(bl_size *size);
void bl_reference_price(bl_size *size);
void bl_relative_price(bl_size *size);

#endif
