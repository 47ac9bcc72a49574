/* biela figure: drawings of what a result file holds. */
#include "cli/cli.h"

#include "biela/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool read_view(const char *text, bl_figure_options *o) {
    char *end;
    o->seen_from = true;
    o->azimuth = strtod(text, &end);
    if (end == text || *end != ',')
        return false;
    const char *second = end + 1;
    o->elevation = strtod(second, &end);
    return end != second && *end == '\0' && isfinite(o->azimuth) && isfinite(o->elevation);
}

static bool read_time(const char *text, double *time) {
    char *end;
    *time = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*time);
}

static int mistake(const cli_args *args, const char *what, const char *found, const char *advice) {
    cli_mistake m = {0};
    snprintf(m.what, sizeof m.what, "%s, not '%s'", what, found);
    snprintf(m.advice, sizeof m.advice, "%s", advice);
    return cli_fail_usage(args, &m);
}

static bl_status draw(bl_context *ctx, const cli_args *args, const bl_figure_options *o, const char *path) {
    bl_result *result = NULL;
    bl_status status = bl_check_outputs(ctx, NULL, &args->word, 1, &path, 1);
    if (status == BL_OK)
        status = bl_result_open(ctx, args->word, &result);
    if (status != BL_OK)
        return status;
    if (args->curve) {
        char x[512];
        const char *comma = strchr(args->curve, ',');
        snprintf(x, sizeof x, "%.*s", (int)(comma - args->curve), args->curve);
        status = bl_figure_curve(ctx, result, x, comma + 1, path);
    } else {
        status = bl_figure_fields(ctx, result, o, path);
    }
    bl_result_close(result);
    return status;
}

static int figure(bl_context *ctx, cli_args *args) {
    bl_figure_options o = {.show = args->show,
                           .body = args->body,
                           .time = NAN,
                           .factor = args->reference ? -1 : args->factor,
                           .levels = (int)fmin(args->levels, 40),
                           .isolines = args->isolines};
    char path[512];
    if (args->moment && !read_time(args->moment, &o.time))
        return mistake(args, "--time takes a number", args->moment, "of modes it is their number, of equilibria the load");
    if (args->view && !read_view(args->view, &o))
        return mistake(args, "--view takes two angles in degrees", args->view, "azimuth and elevation, for example --view 30,25");
    if (args->curve && (!strchr(args->curve, ',') || strchr(args->curve, ',') - args->curve > 500))
        return mistake(args, "--curve takes two quantities X,Y", args->curve, "for example --curve displacement.x@right,reaction.x@left");
    cli_default_result(args->word, ".svg", path, sizeof path);
    const char *to = args->output ? args->output : path;
    bl_status status = draw(ctx, args, &o, to);
    if (status != BL_OK)
        return cli_fail(ctx, args, status);
    return cli_tell_file(ctx, args, "figure", to);
}

static const cli_option *const options[] = {&cli_opt_output_figure, &cli_opt_show,   &cli_opt_body,     &cli_opt_moment, &cli_opt_factor,
                                            &cli_opt_reference,     &cli_opt_levels, &cli_opt_isolines, &cli_opt_view,   &cli_opt_curve,
                                            &cli_opt_json,          &cli_opt_quiet,  &cli_opt_verbose,  &cli_opt_help,   NULL};

const cli_command cli_figure = {
    "figure",
    "RESULT",
    "draws deformed meshes, fields, mode shapes and curves (SVG)",
    "Draws what a result file of a model with meshes holds: the mesh as it is deformed with colors or isolines of a field, at the last\n"
    "time or another one; shapes of modes are samples 1, 2, ... of a file of `biela modes -o`. --curve draws one quantity against another\n"
    "over all times: FIELD.COMPONENT@SET is the mean over a set of nodes, of reactions the sum, FIELD.COMPONENT@NUMBER that of a node;\n"
    "others are named as in the result file: time, energy/kinetic, probes/position/tip.y.",
    options,
    figure};
