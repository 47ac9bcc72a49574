/* family, private: systems of one model for different values of one of its parameters, in the same configuration.
 *
 * A parameter that only laws of forces read is a held number (base/held.h): one system serves every value, and derivatives by it are exact.
 * A parameter of geometry, masses or stiffnesses gives another model for every value, which is read again (model/variant.h): all members of
 * a family have the same coordinates and equations, so that a state of one is a state of all, and derivatives come from neighboring
 * values. */
#ifndef BL_STUDY_FAMILY_H
#define BL_STUDY_FAMILY_H

#include "model/variant.h"
#include "system/system.h"

typedef struct bl_family_member {
    double value;
    bl_model *model, *varied; /* read again; the same with variables held constant, NULL: none are */
    bl_system *sys;
} bl_family_member;

typedef struct bl_family {
    bl_context *ctx;
    const bl_model *model;
    const char *coordinates;
    double closure;
    bl_index parameter;
    bool laws;              /* only laws read it: no members are needed */
    bl_held held;           /* the parameter: built into every member, so that laws use the value in the state */
    bl_variant_ask ask;     /* variables held constant; its arrays must outlive the family */
    const bl_system *first; /* members must match it */
    const char *fields;     /* of meshes, which members list if `first` does (bl_run_choose_fields) */
} bl_family;

/* BL_E_ARG: the model has no such parameter; BL_E_ABILITY: it cannot vary. place: of the name in a file, NULL: from a call. */
bl_status bl_family_open(bl_context *ctx, const bl_model *model, const char *parameter, const bl_place *place, bl_family *family);
/* The system at a value, for a state of the other members. BL_E_NUMERIC: its coordinates or equations are different there. */
bl_status bl_family_make(const bl_family *family, double value, bl_family_member *member);
void bl_family_free(const bl_family *family, bl_family_member *member); /* zeroed is fine */

#endif
