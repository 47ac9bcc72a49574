/* sized: structs of callers that begin with their size (include/biela/context.h), copied to and from complete ones of the library.
 *
 *     bl_status bl_study(bl_context *ctx, const bl_study_options *given, bl_study_report *report) {
 *         bl_study_options options;
 *         bl_study_report made = {.size = sizeof made};
 *         BL_TRY(BL_TAKE(ctx, bl_study_options, given, &options));
 *         BL_TRY(BL_FITS(ctx, bl_study_report, report));
 *         bl_status status = study(ctx, &options, &made);
 *         BL_GIVE(bl_study_report, report, &made);
 *         return status;
 *     }
 *
 * Inside the library all structs are complete; one that is passed to a public function has its size set, or later fields are lost. To add
 * a field to such a struct: at its end; sized_list.h stays as it is. A new struct: a line there. */
#ifndef BL_SIZED_H
#define BL_SIZED_H

#include "base/base.h"
#include "biela/biela.h"
#include "biela/figure.h"
#include "biela/formula.h"
#include "biela/plot.h"
#include "biela/report.h"

/* sizes in version 0.1: BL_FIRST_bl_run_options, ... */
#define BL_SIZED(type, last, bytes) \
    BL_FIRST_##type = (offsetof(type, last) + sizeof(((type *)0)->last) + _Alignof(type) - 1) / _Alignof(type) * _Alignof(type),
enum {
#include "base/sized_list.h"
    BL_FIRST_END
};
#undef BL_SIZED

typedef struct bl_sized {
    const char *name;
    size_t first, size; /* in version 0.1; now */
} bl_sized;

#define BL_SIZED_TYPE(type) (&(const bl_sized){#type, BL_FIRST_##type, sizeof(type)})

/* Whether the size of a caller's struct is possible: 0, or from that of version 0.1 on. given NULL: BL_OK. BL_E_ARG names both sizes. */
bl_status bl_sized_fits(bl_context *ctx, const bl_sized *type, const void *given);
/* *own becomes a complete copy, its size that of the library; fields the caller does not have, and all for given NULL, are 0. BL_E_ARG:
 * the size is not possible, or the caller has fields that the library does not know and that are not 0; *own is then zeroed. */
bl_status bl_sized_take(bl_context *ctx, const bl_sized *type, const void *given, void *own);
/* The reverse: all fields that the caller has, except its size; those that the library does not know become 0. given NULL, or of a
 * size that does not fit: nothing. */
void bl_sized_give(const bl_sized *type, void *given, const void *own);
void bl_sized_clear(const bl_sized *type, void *given); /* all fields except the size become 0 */

#define BL_FITS(ctx, type, given) bl_sized_fits((ctx), BL_SIZED_TYPE(type), (given))
#define BL_TAKE(ctx, type, given, own) bl_sized_take((ctx), BL_SIZED_TYPE(type), (given), (own))
#define BL_GIVE(type, given, own) bl_sized_give(BL_SIZED_TYPE(type), (given), (own))
#define BL_CLEAR(type, given) bl_sized_clear(BL_SIZED_TYPE(type), (given))

/* sinks[n] of a caller, whose distance is the size of the first, as complete ones from the arena. */
bl_status bl_sized_sinks(bl_arena *arena, const bl_sink *sinks, bl_index n, bl_sink **own);

#endif
