/* choice: in which coordinates each body is held, decided once from what the model and its bodies say.
 *
 * Natural bodies share points and vectors with each other. Reference and relative ones stand apart: a mass centre and axes that somebody
 * moves, by parameters of the body's own or along a tree of joints. One body by a joint makes the system a tree (relative.h), in which
 * reference bodies float; else one by parameters makes it a system of centres (reference.h); else it is the mechanism itself. */
#ifndef BL_CHOICE_H
#define BL_CHOICE_H

#include "coords/coords.h"
#include "coords/orientation.h"

typedef struct bl_body_choice {
    bl_held_way how;
    bool said;   /* by the body itself: where that cannot be, it is an error at body->coordinates_at */
    bool chosen; /* somebody says how it turns */
    const bl_orientation *turns;
    const char *sequence; /* of its angles, NULL: the usual one */
} bl_body_choice;

typedef struct bl_coords_choice {
    const bl_model *model;
    const bl_held *held; /* [nheld] of the system */
    bl_index nheld;
    bl_arena arena;
    const bl_coords_kind *kind; /* of the model */
    bool mixed, switching;      /* of the mechanism */
    bool inputs;                /* variables chosen by the structure become coordinates */
    bl_index count[BL_WAYS];
    bl_body_choice *body; /* [nbody] */
} bl_coords_choice;

/* spec as in bl_coords_build. The choice must be destroyed also where this fails. */
bl_status bl_coords_choose(bl_context *ctx, const bl_model *model, const char *spec, bl_coords_choice *choice);
void bl_coords_choice_free(bl_coords_choice *choice);

/* size.c */
void bl_natural_price(bl_size *size);
void bl_reference_price(bl_size *size);
void bl_relative_price(bl_size *size);

#endif
