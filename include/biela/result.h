/* result: result files read back. Files of every version look alike here: quantities [sample][item][component] with the names of their
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
    const char *unit;        /* NULL: that of the item (m or rad, N or N m) */
    const char *description; /* in words */
    bl_index items;          /* at least 1 */
    int components;          /* 1, 3, 4 or 6 */
    const char *const *item; /* names [items]; NULL: there is one, without a name, or it is a field: */
    const char *mesh;        /* of a field, "fields/BODY/displacement", ...: the body, whose nodes or cells are the items; else NULL */
    bool on_cells;           /* of a field */
    long rows;               /* that can be read: samples; of steps/...: steps */
} bl_quantity;

/* BL_E_FILE: no result of biela, or it cannot be read; BL_E_ABILITY: of a newer version, or the HDF5 library is missing. What a killed run
 * left (FILE~partial) is read as far as it goes. */
bl_status bl_result_open(bl_context *ctx, const char *path, bl_result **result);
void bl_result_close(bl_result *result); /* NULL is fine */

int bl_result_version(const bl_result *result);  /* of the format: 1 or 2 */
long bl_result_samples(const bl_result *result); /* that all quantities have */
/* All there are of samples; returns their number. They live as long as the result. */
bl_index bl_result_quantities(const bl_result *result, const bl_quantity **list);
/* The one of that name; BL_E_ARG when the file has none. Of steps, which are not in the list: steps/time, size, order, error. */
bl_status bl_result_quantity(bl_result *result, const char *name, const bl_quantity **quantity);
/* values[count][items][components] of rows first .. first + count - 1 and items item .. item + items - 1. */
bl_status bl_result_read(bl_result *result, const bl_quantity *quantity, long first, long count, bl_index item, bl_index items,
                         double *values);

/* Meshes of bodies and fields: their names, and how many there are. */
bl_index bl_result_meshes(const bl_result *result, const char *const **names);
/* One of them, read when it is first asked for; lives as long as the result. */
bl_status bl_result_mesh(bl_result *result, bl_index which, const bl_run_mesh **mesh);

/* What happened in the run, in that order; returns how many. Files without events: their warnings. */
typedef struct bl_result_event {
    double t;                       /* NaN: the whole run */
    const char *kind, *text, *part; /* as bl_event_kind_text has them, or a newer one; part may be empty */
} bl_result_event;
bl_status bl_result_events(bl_result *result, const bl_result_event **list, bl_index *n);
/* Numbers that belong to the items of a group, once for all rows: "variables/is_angle", "drivers/variable", "gears/ratio", "forces/body",
 * "springs/is_angle". BL_E_ARG when there is none of that name. values may be NULL; values[*n]. */
bl_status bl_result_facts(bl_result *result, const char *name, double *values, bl_index *n);

/* Attributes of the file ("status", "tolerance") and of its groups ("statistics/steps"). BL_E_ARG when there is none of that name and kind.
 * text is cut to fit. */
bl_status bl_result_number(bl_result *result, const char *name, double *value);
bl_status bl_result_text(bl_result *result, const char *name, char *text, size_t size);
/* The model file as it was read; lives as long as the result. */
bl_status bl_result_model(bl_result *result, const char **text, size_t *bytes);
/* What a picture needs, as JSON (docs/RESULT.md); NULL in files that have none. Lives as long as the result. */
bl_status bl_result_scene(bl_result *result, const char **text, size_t *bytes);

#ifdef __cplusplus
}
#endif

#endif
