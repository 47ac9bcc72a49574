/* biela figure: drawings of meshes, fields and curves from a result file. */
#include "cli/cli.h"

#include "biela/figure.h"

#include <math.h>
#include <string.h>

/* values of the options of this command */
struct own {
    const char *view, *curve, *body, *moment, *show;
    double levels, factor;
    bool reference, isolines;
};

static bl_status draw(bl_context *ctx, const cli_args *args, const bl_figure_options *o, const char *path) {
    bl_result *result = NULL;
    bl_status status = bl_check_outputs(ctx, NULL, &args->word, 1, &path, 1);
    if (status == BL_OK)
        status = bl_result_open(ctx, args->word, &result);
    if (status != BL_OK)
        return status;
    if (cli_own(args)->curve) {
        char x[512];
        const char *comma = strchr(cli_own(args)->curve, ',');
        snprintf(x, sizeof x, "%.*s", (int)(comma - cli_own(args)->curve), cli_own(args)->curve);
        status = bl_figure_curve(ctx, result, x, comma + 1, path);
    } else {
        status = bl_figure_fields(ctx, result, o, path);
    }
    bl_result_close(result);
    return status;
}

static int figure(bl_context *ctx, cli_args *args) {
    bl_figure_options o = {.size = sizeof o,
                           .show = cli_own(args)->show,
                           .body = cli_own(args)->body,
                           .time = NAN,
                           .factor = cli_own(args)->reference ? -1 : cli_own(args)->factor,
                           .levels = (int)fmin(cli_own(args)->levels, 40),
                           .isolines = cli_own(args)->isolines};
    char path[512];
    double eye[2];
    const char *curve = cli_own(args)->curve, *comma = curve ? strchr(curve, ',') : NULL;
    if (cli_own(args)->moment && cli_read_numbers(cli_own(args)->moment, ',', 1, &o.time) != 1)
        return cli_refuse(args, "for modes it is their number, for equilibria the load", "--time takes a number, not '%s'",
                          cli_own(args)->moment);
    if (cli_own(args)->view) {
        if (cli_read_numbers(cli_own(args)->view, ',', 2, eye) != 2)
            return cli_refuse(args, "azimuth and elevation, for example --view 30,25", "--view takes two angles in degrees, not '%s'",
                              cli_own(args)->view);
        o.seen_from = true;
        o.azimuth = eye[0];
        o.elevation = eye[1];
    }
    if (curve && (!comma || comma - curve > 500))
        return cli_refuse(args, "for example --curve displacement.x@right,reaction.x@left", "--curve takes two quantities X,Y, not '%s'",
                          curve);
    cli_default_result(args->word, ".svg", path, sizeof path);
    const char *to = args->output ? args->output : path;
    return cli_show_file(ctx, args, draw(ctx, args, &o, to), "figure", to);
}

static const cli_option *const options[] = {
    CLI_SHARED(output, 'o', "output", "FILE", CLI_TEXT, "the figure (default RESULT.svg in the current folder)"),
    CLI_OWN(show, 0, "show", "FIELD", CLI_TEXT,
            "field and component: stress.11, displacement.y, von_mises, none, ...; without a component the magnitude"),
    CLI_OWN(body, 0, "body", "NAME", CLI_TEXT, "draw this body only"),
    CLI_OWN(moment, 0, "time", "T", CLI_TEXT, "draw the sample nearest to this time, load or mode number (default: the last)"),
    CLI_OWN(factor, 0, "factor", "F", CLI_POSITIVE, "scale of displacements (default: 1, or one that makes them visible)"),
    CLI_OWN(reference, 0, "reference", NULL, CLI_FLAG, "draw the undeformed mesh"),
    CLI_OWN(levels, 0, "levels", "N", CLI_POSITIVE, "approximate number of color levels or isolines (default 10)"),
    CLI_OWN(isolines, 0, "isolines", NULL, CLI_FLAG, "isolines instead of colors"),
    CLI_OWN(view, 0, "view", "A,E", CLI_TEXT, "spatial meshes: azimuth and elevation of the viewpoint in degrees (default 30,25)"),
    CLI_OWN(curve, 0, "curve", "X,Y", CLI_TEXT, "draw quantity Y over X instead of a mesh"),
    &cli_opt_json,
    CLI_MESSAGE_OPTIONS};

const cli_command cli_figure = {
    .name = "figure",
    .word = "RESULT",
    .help = "draw deformed meshes, fields, mode shapes and curves (SVG)",
    .text = "Draws the deformed mesh from a result file, with colors or isolines of a field, at the last time or another\n"
            "one; mode shapes are samples 1, 2, ... of a file of `biela modes -o`. --curve draws one quantity against\n"
            "another over all times: FIELD.COMPONENT@SET is the mean over a set of nodes (of reactions the sum),\n"
            "FIELD.COMPONENT@NUMBER the value at a node; other quantities are named as in the result file: time,\n"
            "energy/kinetic, probes/position/tip.y.",
    .options = options,
    .run = figure,
    .own = sizeof(struct own)};
