/* family, private: systems of one model over one of its parameters, at the same place.
 *
 * A parameter that laws of forces alone read is a held number (base/held.h): one system serves every value, derivatives by it are exact.
 * One that geometry, masses or stiffnesses are made of is another model for every value, read again (model/variant.h): members of a family
 * have the same coordinates and equations, so that a state of one is a state of all, and derivatives come from neighbors. */
#ifndef BL_STUDY_FAMILY_H
#define BL_STUDY_FAMILY_H

#include "model/variant.h"
#include "system/system.h"

typedef struct bl_family_member {
    double value;
    bl_model *model, *varied; /* read again; with variables held, NULL: none are */
    bl_system *sys;
} bl_family_member;

typedef struct bl_family {
    bl_context *ctx;
    const bl_model *model;
    const char *coordinates;
    double closure;
    bl_index parameter;
    bool laws;              /* only laws read it: no members are needed */
    bl_held held;           /* the parameter: built into every member, so that laws see the value of the state */
    bl_variant_ask ask;     /* variables that are held; its arrays must stay */
    const bl_system *first; /* what members are compared with */
} bl_family;

/* BL_E_ARG: the model has no such parameter; BL_E_ABILITY: it cannot change. place: where the name stands, NULL: in a call. */
bl_status bl_family_open(bl_context *ctx, const bl_model *model, const char *parameter, const bl_place *place, bl_family *family);
/* The system at a value, for a state of the others. BL_E_NUMERIC: it has other coordinates or equations there. */
bl_status bl_family_make(const bl_family *family, double value, bl_family_member *member);
void bl_family_free(const bl_family *family, bl_family_member *member); /* zeroed is fine */

#endif
