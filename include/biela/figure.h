/* figure: drawings from result files (SVG): deformed meshes with colors or isolines of a field, mode shapes, and curves of one quantity
 * against another.
 *
 *     bl_figure_fields(ctx, result, &(bl_figure_options){.show = "stress.11", .time = NAN}, "plate.svg");
 *     bl_figure_curve(ctx, result, "displacement.x@right", "reaction.x@left", "pull.svg");
 */
#ifndef BIELA_FIGURE_H
#define BIELA_FIGURE_H

#include "biela/result.h"

#ifdef __cplusplus
extern "C" {
#endif

/* NULL or 0: default. */
typedef struct bl_figure_options {
    size_t size; /* sizeof this struct, or 0 (context.h) */
    /* A field with its component: "stress.11", "displacement.y", "flux.2" (from 1); a vector without a component: its magnitude. "none":
     * only meshes. NULL: the first available of von_mises, value, flux_modulus and the magnitude of the displacement. */
    const char *show;
    const char *body; /* NULL: all that have the field */
    double time;      /* draws the nearest sample (modes: their number); NaN: the last */
    double factor;    /* of displacements; 0: 1 if they are visible, else larger; negative: undeformed */
    int levels;       /* approximate number of levels; 0: 10, at most 40 */
    bool isolines;    /* instead of filled colors */
    bool seen_from;   /* spatial meshes: view from `azimuth` and `elevation`, in degrees; else 30 and 25 */
    double azimuth, elevation;
} bl_figure_options;

/* BL_E_ARG: the result has no such field; BL_E_ABILITY: it has no meshes, or too many cells for a drawing. */
BL_API bl_status bl_figure_fields(bl_context *ctx, bl_result *result, const bl_figure_options *options, const char *path);

/* One quantity against another over all samples. A quantity is "time"; "FIELD.COMPONENT@SET", the mean over a set (for reactions the sum),
 * or "FIELD.COMPONENT@NUMBER" at a node (with several bodies "BODY/FIELD..."); or "QUANTITY/ITEM.COMPONENT" of the result file, such as
 * "probes/position/tip.y" or "energy/kinetic". */
BL_API bl_status bl_figure_curve(bl_context *ctx, bl_result *result, const char *x, const char *y, const char *path);

#ifdef __cplusplus
}
#endif

#endif
