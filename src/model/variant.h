/* variant: a model that differs from another one in little: variables held by drivers of their own, drivers released, other values of
 * parameters. The model it was made from stays as it is and must outlive a variant. */
#ifndef BL_MODEL_VARIANT_H
#define BL_MODEL_VARIANT_H

#include "model/model.h"

typedef struct bl_variant_ask {
    const bl_index *hold; /* [nhold] variables that drivers hold at value[], beside the drivers of the model */
    const double *value;
    bl_index nhold;
    bool release;              /* without the drivers of the model */
    const bl_initial *initial; /* [ninitial] instead of the model's, where `begin` says so; must stay */
    bl_index ninitial;
    bool begin;
} bl_variant_ask;

/* Shares everything but drivers with `model`. BL_E_ARG: a variable is held twice, or driven already. */
bl_status bl_model_vary(const bl_model *model, const bl_variant_ask *ask, bl_model **variant);
void bl_model_unvary(bl_model *variant); /* NULL is fine */

/* The model read again from its own text with other values of parameters, on top of those that were given from outside when it was read.
 * A model of its own: bl_model_destroy. Refused: parameters that say how many of something there are, decks. */
bl_status bl_model_revalue(const bl_model *model, const bl_override *override, bl_index noverride, bl_model **out);
/* Index of a parameter, -1 when absent. */
bl_index bl_model_parameter(const bl_model *model, const char *name);

#endif
