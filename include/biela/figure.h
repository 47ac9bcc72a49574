/* figure: drawings of what a result file holds (SVG): meshes as they are deformed, with colors or isolines of a field, shapes of modes, and
 * curves of one quantity against another.
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

/* What is NULL or 0 takes the default. */
typedef struct bl_figure_options {
    /* A field with its component: "stress.11", "displacement.y", "flux.2" (from 1); of a vector without one its modulus. "none": meshes
     * alone. NULL: von_mises, value, flux_modulus or the modulus of the displacement, the first there is. */
    const char *show;
    const char *body; /* NULL: all that have it */
    double time;      /* the sample nearest to it (of modes: their number); NaN: the last */
    double factor;    /* of displacements; 0: 1 where they show, else one that makes them; negative: 0, the reference */
    int levels;       /* about so many; 0: 10, at most 40 */
    bool isolines;    /* instead of filled colors */
    bool seen_from;   /* of meshes in space: from `azimuth` and `elevation`, in degrees; else 30 and 25 */
    double azimuth, elevation;
} bl_figure_options;

/* BL_E_ARG: the result has no such field, in words; BL_E_ABILITY: it has no meshes, or too many cells for a drawing. */
bl_status bl_figure_fields(bl_context *ctx, bl_result *result, const bl_figure_options *options, const char *path);

/* One quantity against another over all samples. A quantity: "time"; "FIELD.COMPONENT@SET" or "FIELD.COMPONENT@NUMBER" of a node (with
 * several bodies "BODY/FIELD..."), of a set the sum for reactions and else the mean; "QUANTITY/ITEM.COMPONENT" of the result file, such as
 * "probes/position/tip.y" or "energy/kinetic". */
bl_status bl_figure_curve(bl_context *ctx, bl_result *result, const char *x, const char *y, const char *path);

#ifdef __cplusplus
}
#endif

#endif
