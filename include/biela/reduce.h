/* reduce: bodies with `coordinates: floating` as files, which models read without the mesh (`reduced: FILE`). */
#ifndef BIELA_REDUCE_H
#define BIELA_REDUCE_H

#include "biela/context.h"
#include "biela/json.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bl_model;

/* The reduced body as one JSON value: interfaces, shapes, masses, stiffness. body: its name; NULL: the only one. */
BL_API bl_status bl_reduced_json(bl_context *ctx, const struct bl_model *model, const char *body, bl_json *json);
/* The same as a file. */
BL_API bl_status bl_reduced_file(bl_context *ctx, const struct bl_model *model, const char *body, const char *path);

#ifdef __cplusplus
}
#endif

#endif
