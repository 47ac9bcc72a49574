/* biela plot: curves of results through gnuplot. */
#include "cli/cli.h"

#include "biela/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* values of the options of this command */
struct own {
    const char *size, *against;
    bool meters, log, radians, mm, keep, degrees;
};

typedef struct input {
    bl_index nresult, nwhat;
    const char **path, **what; /* in command-line order */
    char (*label)[128];        /* file names without ending */
    const char **label_text;   /* pointers to them; to the paths if two names are equal */
    bl_result **result;
} input;

static void input_destroy(input *in) {
    for (bl_index r = 0; in->result && r < in->nresult; r++)
        bl_result_close(in->result[r]);
    free(in->path);
    free(in->what);
    free(in->label);
    free(in->label_text);
    free(in->result);
}

/* ends in .h5, or is a file with an HDF5 signature; any other word is a quantity, even if there is a file of that name */
static bool is_result(const char *word) {
    static const char signature[8] = {'\x89', 'H', 'D', 'F', '\r', '\n', '\x1A', '\n'};
    if (cli_ends_with(word, ".h5") || cli_ends_with(word, ".h5~partial"))
        return true;
    char bytes[8];
    FILE *file = fopen(word, "rb");
    bool found = file && fread(bytes, 1, sizeof bytes, file) == sizeof bytes && memcmp(bytes, signature, sizeof bytes) == 0;
    if (file)
        fclose(file);
    return found;
}

static bool sort_words(const cli_args *args, input *in) {
    size_t n = (size_t)args->words.n + 1;
    in->path = calloc(n, sizeof *in->path);
    in->what = calloc(n, sizeof *in->what);
    in->label = calloc(n, sizeof *in->label);
    in->label_text = calloc(n, sizeof *in->label_text);
    in->result = calloc(n, sizeof *in->result);
    if (!in->path || !in->what || !in->label || !in->label_text || !in->result)
        return false;
    for (bl_index i = 0; i < args->words.n; i++) {
        if (i == 0 || is_result(args->words.name[i])) /* the first word is always a file: a wrong path is not a quantity */
            in->path[in->nresult++] = args->words.name[i];
        else
            in->what[in->nwhat++] = args->words.name[i];
    }
    for (bl_index r = 0; r < in->nresult; r++) {
        cli_default_result(in->path[r], "", in->label[r], sizeof in->label[r]);
        in->label_text[r] = in->label[r];
    }
    for (bl_index r = 0; r < in->nresult; r++)
        for (bl_index k = 0; k < in->nresult; k++)
            if (k != r && strcmp(in->label[r], in->label[k]) == 0)
                in->label_text[r] = in->path[r];
    if (in->nresult == 1)
        in->label_text[0] = in->path[0]; /* used only in messages */
    return true;
}

bool cli_read_size(const char *text, int *width, int *height) {
    char rest;
    return sscanf(text, "%5d%*1[xX]%5d%c", width, height, &rest) == 2 && *width > 0 && *height > 0 && text[0] >= '0' && text[0] <= '9';
}

bool cli_read_window(const cli_args *args, double *from, double *to, cli_mistake *mistake) {
    *from = -INFINITY;
    *to = INFINITY;
    for (int i = 0; i < 2; i++) {
        const char *text = i ? args->part_to : args->part_from;
        if (text && cli_read_numbers(text, ',', 1, i ? to : from) != 1)
            return cli_mistaken(mistake, "for equilibria it is the load, for modes their number", "--%s takes a time in seconds, not '%s'",
                                i ? "to" : "from", text);
    }
    return true;
}

static bool read_options(const cli_args *args, bl_plot_options *o, cli_mistake *mistake) {
    *o = (bl_plot_options){.size = sizeof *o,
                           .against = cli_own(args)->against,
                           .limited = args->part_from || args->part_to,
                           .log = cli_own(args)->log,
                           .radians = cli_own(args)->radians,
                           .lengths = cli_own(args)->mm       ? BL_PLOT_MILLIMETERS
                                      : cli_own(args)->meters ? BL_PLOT_METERS
                                                              : BL_PLOT_BY_SIZE,
                           .keep = cli_own(args)->keep,
                           .folder = getenv("TMPDIR")};
    if (cli_own(args)->degrees && cli_own(args)->radians)
        return cli_mistaken(mistake, "", "--degrees and --radians cannot be used together");
    if (cli_own(args)->mm && cli_own(args)->meters)
        return cli_mistaken(mistake, "", "--mm and --meters cannot be used together");
    if (cli_own(args)->size && !cli_read_size(cli_own(args)->size, &o->width, &o->height))
        return cli_mistaken(mistake, "for example --size 900x400", "--size takes width and height in pixels, not '%s'",
                            cli_own(args)->size);
    return cli_read_window(args, &o->from, &o->to, mistake);
}

/* ---- list of quantities */

static void print_names(const void *found) {
    const bl_plot_names *names = found;
    for (bl_index i = 0; i < names->n; i++)
        cli_out(names->unit[i][0] ? "  %-24s %s\n" : "  %s\n", names->name[i], names->unit[i]);
}

static void json_names(bl_json *json, const void *found) {
    const bl_plot_names *names = found;
    bl_json_text(json, "status", "done");
    bl_json_open(json, "names", '[');
    for (bl_index i = 0; i < names->n; i++) {
        bl_json_open(json, NULL, '{');
        bl_json_text(json, "name", names->name[i]);
        bl_json_text(json, "unit", names->unit[i]);
        bl_json_close(json, '}');
    }
    bl_json_close(json, ']');
}

static int list_names(bl_context *ctx, const cli_args *args, bl_result *result) {
    bl_plot_names names = {.size = sizeof names};
    bl_status status = bl_plot_list(ctx, result, &names);
    int code = cli_show(ctx, args, status, print_names, json_names, &names);
    bl_plot_names_destroy(ctx, &names);
    return code;
}

/* ---- the plot */

typedef struct drawn {
    const input *in;
    const bl_plot_report *report;
    const char *path;
} drawn;

static void json_drawn(bl_json *json, const void *found) {
    const drawn *d = found;
    const bl_plot_report *report = d->report;
    bl_json_text(json, "status", "done");
    bl_json_text(json, "figure", d->path);
    if (report->script) {
        bl_json_text(json, "script", report->script);
        bl_json_text(json, "data", report->data);
    }
    bl_json_open(json, "curves", '[');
    for (bl_index c = 0; c < report->ncurve; c++) {
        const bl_plot_curve *curve = &report->curve[c];
        bl_json_open(json, NULL, '{');
        bl_json_text(json, "result", d->in->path[curve->result]);
        bl_json_text(json, "name", curve->name);
        if (curve->against)
            bl_json_text(json, "against", curve->against);
        bl_json_text(json, "unit", curve->unit);
        BL_JSON_NUMBERS(json, {"panel", curve->panel + 1}, {"samples", (double)curve->samples}, {"points", (double)curve->points},
                        {"smallest", curve->smallest}, {"largest", curve->largest});
        bl_json_close(json, '}');
    }
    bl_json_close(json, ']');
}

static void print_drawn(const void *found) {
    const drawn *d = found;
    cli_line("figure", "%s", d->path);
    if (d->report->script)
        cli_line("script, data", "%s, %s", d->report->script, d->report->data);
}

/* script and data are overwritten like the figure, so none of them may be a result */
static bl_status check_outputs(bl_context *ctx, const input *in, const bl_plot_options *o, const char *path) {
    char script[1024], data[1024];
    const char *outputs[3] = {path, script, data};
    int stem = strlen(path) > 4 ? (int)strlen(path) - 4 : (int)strlen(path);
    snprintf(script, sizeof script, "%.*s.gp", stem, path);
    snprintf(data, sizeof data, "%.*s.dat", stem, path);
    return bl_check_outputs(ctx, NULL, in->path, in->nresult, outputs, o->keep ? 3 : 1);
}

static int draw(bl_context *ctx, const cli_args *args, input *in, const bl_plot_options *o) {
    char path[512], name[500];
    cli_default_result(in->path[0], "", name, sizeof name);
    snprintf(path, sizeof path, "%s-plot.svg", name);
    const char *to = args->output ? args->output : path;
    bl_plot_report report = {.size = sizeof report};
    bl_status status = BL_OK;
    for (bl_index r = 0; r < in->nresult && status == BL_OK; r++)
        status = bl_result_open(ctx, in->path[r], &in->result[r]);
    if (status == BL_OK && in->nwhat == 0)
        return list_names(ctx, args, in->result[0]);
    if (status == BL_OK)
        status = check_outputs(ctx, in, o, to);
    if (status == BL_OK)
        status = bl_plot(ctx, in->result, in->label_text, in->nresult, o, to, &report);
    int code = cli_show(ctx, args, status, print_drawn, json_drawn, &(drawn){in, &report, to});
    if (status == BL_E_ABILITY) /* gnuplot or HDF5 is missing: a system failure, not a usage error */
        code = EXIT_SYSTEM;
    bl_plot_report_destroy(ctx, &report);
    return code;
}

static int plot(bl_context *ctx, cli_args *args) {
    input in = {0};
    bl_plot_options o;
    cli_mistake mistake = {0};
    if (!read_options(args, &o, &mistake))
        return cli_fail_usage(args, &mistake);
    int code = EXIT_SYSTEM;
    if (sort_words(args, &in)) {
        o.what = in.what;
        o.nwhat = in.nwhat;
        code = draw(ctx, args, &in, &o);
    } else {
        cli_err("biela: out of memory\n");
    }
    input_destroy(&in);
    return code;
}

static const cli_option *const options[] = {
    CLI_SHARED(output, 'o', "output", "FILE", CLI_TEXT, "the figure: .svg, .pdf or .png (default RESULT-plot.svg in the current folder)"),
    CLI_OWN(against, 0, "against", "X", CLI_TEXT, "horizontal axis: a name or an expression instead of time"),
    CLI_OWN(log, 0, "log", NULL, CLI_FLAG, "logarithmic axis of magnitudes"),
    CLI_OWN(degrees, 0, "degrees", NULL, CLI_FLAG, "angles in degrees (the default)"),
    CLI_OWN(radians, 0, "radians", NULL, CLI_FLAG, "angles in radians"),
    CLI_OWN(mm, 0, "mm", NULL, CLI_FLAG, "lengths in mm (the default if all lengths are below 0.5 m)"),
    CLI_OWN(meters, 0, "meters", NULL, CLI_FLAG, "lengths in m"),
    &cli_opt_part_from,
    &cli_opt_part_to,
    CLI_OWN(size, 0, "size", "WxH", CLI_TEXT, "size in pixels, for example 900x400 (default: depends on the panels)"),
    CLI_OWN(keep, 0, "keep", NULL, CLI_FLAG, "keep the script (.gp) and the data (.dat) beside the figure"),
    &cli_opt_json,
    CLI_MESSAGE_OPTIONS};

const cli_command cli_plot = {
    .name = "plot",
    .word = "RESULT... WHAT...",
    .help = "plot curves of results: variables, reactions, energies, expressions",
    .text = "Plots curves with gnuplot, over time or one against another. WHAT is a quantity (j1.angle, P3.x, j1.fx,\n"
            "kinetic), a part (j1), energy, reactions, a pattern (*.angle), an expression (\"kinetic + potential\"), or\n"
            "Y:X, one against the other (P3.y:P3.x). Curves of the same unit share a panel; other units get panels below\n"
            "it. RESULT alone lists the names. Several results are drawn into the same panels: words that end in .h5, and\n"
            "HDF5 files, are results.",
    .options = options,
    .run = plot,
    .own = sizeof(struct own)};
