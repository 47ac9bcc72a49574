/* result: reads result files. Files of every version look the same here: quantities [sample][item][component] with the names of their
 * items. docs/RESULT.md lists them.
 *
 *     bl_result *result;  const bl_quantity *position;
 *     bl_result_open(ctx, "bricard.h5", &result);
 *     bl_result_quantity(result, "bodies/position", &position);
 *     bl_result_read(result, position, 0, bl_result_samples(result), 2, 1, values);   (third body, all samples: values[samples][1][3])
 *     bl_result_close(result);
 *
 * The HDF5 library is loaded by bl_result_open. A context and its results belong to one thread. */
#ifndef BIELA_RESULT_H
#define BIELA_RESULT_H

#include "biela/context.h"
#include "biela/fields.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bl_result bl_result;

typedef struct bl_quantity {
    const char *name;        /* "time", "bodies/position", "variables/value", ... */
    const char *unit;        /* NULL: depends on the item (m or rad, N or N m) */
    const char *description; /* a short text */
    bl_index items;          /* at least 1 */
    int components;          /* 1, 2, 3, 4 or 6 */
    const char *const *item; /* names [items]; NULL: a single item without a name, or a field */
    const char *mesh;        /* of a field "fields/BODY/displacement", ...: the body, whose nodes or cells are the items; else NULL */
    bool on_cells;           /* of a field */
    long rows;               /* number of samples; for steps/..., impacts/...: of steps, of impacts and percussions */
} bl_quantity;

/* BL_E_FILE: not a result of biela, or not readable; BL_E_ABILITY: of a newer version, or the HDF5 library is missing. The file of a killed
 * run (FILE~partial) is read as far as it was written. */
BL_API bl_status bl_result_open(bl_context *ctx, const char *path, bl_result **result);
BL_API void bl_result_close(bl_result *result); /* NULL is fine */

BL_API int bl_result_version(const bl_result *result);  /* of the format: 1 or 2 */
BL_API long bl_result_samples(const bl_result *result); /* of all quantities */
/* All quantities of samples; returns their number. They are valid as long as the result. */
BL_API bl_index bl_result_quantities(const bl_result *result, const bl_quantity **list);
/* The quantity of that name; BL_E_ARG if the file has none. Also those of steps and impacts, which are not in the list: steps/time,
 * size, order, error; impacts/event, time, impulse, speed, lost, kinetic, joint_force, joint_moment. */
BL_API bl_status bl_result_quantity(bl_result *result, const char *name, const bl_quantity **quantity);
/* values[count][items][components] of rows first .. first + count - 1 and items item .. item + items - 1. */
BL_API bl_status bl_result_read(bl_result *result, const bl_quantity *quantity, long first, long count, bl_index item, bl_index items,
                                double *values);

/* Meshes of bodies and fields: their names; returns their number. */
BL_API bl_index bl_result_meshes(const bl_result *result, const char *const **names);
/* One of them, read at the first request; valid as long as the result. */
BL_API bl_status bl_result_mesh(bl_result *result, bl_index which, const bl_run_mesh **mesh);

/* Events of the run, in order. For files without events: their warnings. */
typedef struct bl_result_event {
    double t;                       /* NaN: concerns the entire run */
    const char *kind, *text, *part; /* kind: a text of bl_event_kind_text, or a newer one; part may be empty */
} bl_result_event;
BL_API bl_status bl_result_events(bl_result *result, const bl_result_event **list, bl_index *n);
/* Constants of the items of a group: "variables/is_angle", "drivers/variable", "gears/ratio", "forces/body",
 * "springs/is_angle". BL_E_ARG: no such name. values[*n] may be NULL. */
BL_API bl_status bl_result_facts(bl_result *result, const char *name, double *values, bl_index *n);

/* Attributes of the file ("status", "tolerance") and of its groups ("statistics/steps"). BL_E_ARG: none of that name and type.
 * text is truncated to size. */
BL_API bl_status bl_result_number(bl_result *result, const char *name, double *value);
BL_API bl_status bl_result_text(bl_result *result, const char *name, char *text, size_t size);
/* The text of the model file; valid as long as the result. */
BL_API bl_status bl_result_model(bl_result *result, const char **text, size_t *bytes);
/* The scene: geometry for drawings, as JSON (docs/RESULT.md); NULL if the file has none. Valid as long as the result. */
BL_API bl_status bl_result_scene(bl_result *result, const char **text, size_t *bytes);

#ifdef __cplusplus
}
#endif

#endif
