/* formula: arithmetic text such as "sqrt(P3.x^2 + P3.y^2)", read once and evaluated for many values. Operators, functions and constants
 * are those of expressions in models (docs/MODEL.md); what names mean is up to the caller. */
#ifndef BIELA_FORMULA_H
#define BIELA_FORMULA_H

#include "biela/context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bl_formula bl_formula;

typedef struct bl_formula_scope {
    void *user;
    /* The caller's number of a name, not negative; -1: there is none, *nearest may be set to what was meant. Names begin with a letter or
     * an underscore and may contain digits and points. */
    bl_index (*find)(void *user, const char *name, const char **nearest);
} bl_formula_scope;

/* BL_E_ARG: the text is no expression, or has an unknown name. On failure *formula is NULL. */
bl_status bl_formula_create(bl_context *ctx, const char *text, const bl_formula_scope *scope, bl_formula **formula);
void bl_formula_destroy(bl_formula *formula); /* NULL is fine */

/* The numbers of the names that it reads, each once; returns how many. */
bl_index bl_formula_inputs(const bl_formula *formula, const bl_index **name);
/* The value, from one value for each input. Allocates nothing; one thread at a time. */
double bl_formula_value(bl_formula *formula, const double *input);

#ifdef __cplusplus
}
#endif
#endif
