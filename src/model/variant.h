/* variant: a modified copy of a model: variables held by extra drivers, drivers released, other parameter values. The original model is
 * not changed and must outlive its variants. */
#ifndef BL_MODEL_VARIANT_H
#define BL_MODEL_VARIANT_H

#include "model/model.h"

typedef struct bl_variant_ask {
    const bl_index *hold; /* [nhold] variables held at value[] by extra drivers */
    const double *value;
    bl_index nhold;
    bool release;              /* drop the drivers of the model */
    const bl_initial *initial; /* [ninitial] replaces the model's if `begin` is true; must remain valid */
    bl_index ninitial;
    bool begin;
} bl_variant_ask;

/* Shares everything except drivers with `model`. BL_E_ARG: a variable is held twice, or already driven. */
bl_status bl_model_vary(bl_context *ctx, const bl_model *model, const bl_variant_ask *ask, bl_model **variant);
void bl_model_unvary(bl_model *variant); /* NULL is fine */

/* Reads the model again from its text with other parameter values, in addition to the overrides of the first reading. The result is an
 * independent model: bl_model_destroy. Refused: parameters that set the number of bodies or joints (counts of repeats), decks. */
bl_status bl_model_revalue(bl_context *ctx, const bl_model *model, const bl_override *override, bl_index noverride, bl_model **out);
/* A rigid contact or stop made compliant: the law of force/compliant_law.c with its friction; velocity: that over which friction changes
 * its sign. The name is that in results: "floor", "floor.2", "A.angle.lower". */
typedef struct bl_yield {
    const char *name;
    double stiffness, exponent, damping, velocity;
} bl_yield;
/* Reads the model again from its text; its contacts and stops with a name in list[n] are compliant. An independent model: bl_model_destroy.
 * BL_E_MODEL: surfaces that end have no compliant law. */
bl_status bl_model_yield(bl_context *ctx, const bl_model *model, const bl_yield *list, bl_index n, bl_model **out);
/* Reads the model again from its text, with contacts for time stepping. An independent model: bl_model_destroy. */
bl_status bl_model_stepping(bl_context *ctx, const bl_model *model, bl_model **out);
/* Index of a parameter, -1 when absent. */
bl_index bl_model_parameter(const bl_model *model, const char *name);

#endif
