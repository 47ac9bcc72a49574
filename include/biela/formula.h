/* formula: an arithmetic expression such as "sqrt(P3.x^2 + P3.y^2)", parsed once and evaluated many times. Operators, functions and
 * constants are those of expressions in models (docs/MODEL.md); the caller defines the names. */
#ifndef BIELA_FORMULA_H
#define BIELA_FORMULA_H

#include "biela/context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bl_formula bl_formula;

typedef struct bl_formula_scope {
    size_t size; /* sizeof this struct, or 0 (context.h) */
    void *user;
    /* The caller's number for a name, not negative; -1: unknown name, *nearest may be set to a suggestion. Names begin with a letter or an
     * underscore and may contain digits and periods. */
    bl_index (*find)(void *user, const char *name, const char **nearest);
} bl_formula_scope;

/* BL_E_ARG: the text is not an expression or contains an unknown name. On failure *formula is NULL. */
BL_API bl_status bl_formula_create(bl_context *ctx, const char *text, const bl_formula_scope *scope, bl_formula **formula);
BL_API void bl_formula_destroy(bl_formula *formula); /* NULL is fine */

/* The numbers of the names used, each once; returns their count. */
BL_API bl_index bl_formula_inputs(const bl_formula *formula, const bl_index **name);
/* The value, from one value per input. Does not allocate; one thread at a time. */
BL_API double bl_formula_value(bl_formula *formula, const double *input);

#ifdef __cplusplus
}
#endif
#endif
