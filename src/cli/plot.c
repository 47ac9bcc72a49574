/* biela plot: curves of results through gnuplot. */
#include "cli/cli.h"

#include "biela/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct input {
    bl_index nresult, nwhat;
    const char **path, **what; /* in the order of the command line */
    char (*label)[128];        /* file names without ending */
    const char **label_text;   /* the same as texts; where two are equal, their paths */
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

/* a name that ends like one, or a file that begins like one: what else is a quantity, even if a file is called so */
static bool is_result(const char *word) {
    static const char signature[8] = {'\x89', 'H', 'D', 'F', '\r', '\n', '\x1A', '\n'}, *const endings[] = {".h5", ".h5~partial"};
    for (int i = 0; i < 2; i++) {
        size_t n = strlen(word), m = strlen(endings[i]);
        if (n > m && strcmp(word + n - m, endings[i]) == 0)
            return true;
    }
    char bytes[8];
    FILE *file = fopen(word, "rb");
    bool found = file && fread(bytes, 1, sizeof bytes, file) == sizeof bytes && memcmp(bytes, signature, sizeof bytes) == 0;
    if (file)
        fclose(file);
    return found;
}

static bool sort_words(const cli_args *args, input *in) {
    size_t n = (size_t)args->nword + 1;
    in->path = calloc(n, sizeof *in->path);
    in->what = calloc(n, sizeof *in->what);
    in->label = calloc(n, sizeof *in->label);
    in->label_text = calloc(n, sizeof *in->label_text);
    in->result = calloc(n, sizeof *in->result);
    if (!in->path || !in->what || !in->label || !in->label_text || !in->result)
        return false;
    for (bl_index i = 0; i < args->nword; i++) {
        if (i == 0 || is_result(args->words[i])) /* the first one always: a path that is wrong is no quantity */
            in->path[in->nresult++] = args->words[i];
        else
            in->what[in->nwhat++] = args->words[i];
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
        in->label_text[0] = in->path[0]; /* stands in messages alone */
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
        double *value = i ? to : from;
        char *end;
        if (!text)
            continue;
        *value = strtod(text, &end);
        if (end == text || *end != '\0' || !isfinite(*value)) {
            snprintf(mistake->what, sizeof mistake->what, "--%s takes a time in seconds, not '%s'", i ? "to" : "from", text);
            return false;
        }
    }
    return true;
}

static bool read_options(const cli_args *args, bl_plot_options *o, cli_mistake *mistake) {
    *o = (bl_plot_options){.against = args->against,
                           .limited = args->part_from || args->part_to,
                           .log = args->log,
                           .radians = args->radians,
                           .lengths = args->mm       ? BL_PLOT_MILLIMETERS
                                      : args->meters ? BL_PLOT_METERS
                                                     : BL_PLOT_BY_SIZE,
                           .keep = args->keep,
                           .folder = getenv("TMPDIR")};
    if (args->degrees && args->radians)
        snprintf(mistake->what, sizeof mistake->what, "--degrees and --radians exclude each other");
    else if (args->mm && args->meters)
        snprintf(mistake->what, sizeof mistake->what, "--mm and --meters exclude each other");
    else if (args->size && !cli_read_size(args->size, &o->width, &o->height))
        snprintf(mistake->what, sizeof mistake->what, "--size takes width and height in pixels, not '%s'", args->size);
    else
        return cli_read_window(args, &o->from, &o->to, mistake);
    snprintf(mistake->advice, sizeof mistake->advice, "%s", args->size ? "for example --size 900x400" : "");
    return false;
}

/* ---- what there is to draw */

static int list_names(bl_context *ctx, const cli_args *args, bl_result *result) {
    bl_plot_names names;
    bl_status status = bl_plot_list(ctx, result, &names);
    int code = EXIT_DONE;
    if (status != BL_OK) {
        code = cli_fail(ctx, args, status);
    } else if (args->json) {
        bl_json json = {.ctx = ctx};
        bl_json_open(&json, NULL, '{');
        bl_json_text(&json, "status", "done");
        bl_json_open(&json, "names", '[');
        for (bl_index i = 0; i < names.n; i++) {
            bl_json_open(&json, NULL, '{');
            bl_json_text(&json, "name", names.name[i]);
            bl_json_text(&json, "unit", names.unit[i]);
            bl_json_close(&json, '}');
        }
        bl_json_close(&json, ']');
        bl_json_close(&json, '}');
        code = cli_print_json(ctx, &json);
    } else {
        for (bl_index i = 0; i < names.n; i++)
            cli_out(names.unit[i][0] ? "  %-24s %s\n" : "  %s\n", names.name[i], names.unit[i]);
    }
    bl_plot_names_destroy(ctx, &names);
    return code;
}

/* ---- what was drawn */

static int print_json(bl_context *ctx, const input *in, const bl_plot_report *report, const char *path) {
    bl_json json = {.ctx = ctx};
    bl_json_open(&json, NULL, '{');
    bl_json_text(&json, "status", "done");
    bl_json_text(&json, "figure", path);
    if (report->script) {
        bl_json_text(&json, "script", report->script);
        bl_json_text(&json, "data", report->data);
    }
    bl_json_open(&json, "curves", '[');
    for (bl_index c = 0; c < report->ncurve; c++) {
        const bl_plot_curve *curve = &report->curve[c];
        bl_json_open(&json, NULL, '{');
        bl_json_text(&json, "result", in->path[curve->result]);
        bl_json_text(&json, "name", curve->name);
        if (curve->against)
            bl_json_text(&json, "against", curve->against);
        bl_json_text(&json, "unit", curve->unit);
        bl_json_number(&json, "panel", curve->panel + 1);
        bl_json_number(&json, "samples", (double)curve->samples);
        bl_json_number(&json, "points", (double)curve->points);
        bl_json_number(&json, "smallest", curve->smallest);
        bl_json_number(&json, "largest", curve->largest);
        bl_json_close(&json, '}');
    }
    bl_json_close(&json, ']');
    bl_json_close(&json, '}');
    return cli_print_json(ctx, &json);
}

static int tell(bl_context *ctx, const cli_args *args, const input *in, const bl_plot_report *report, const char *path) {
    if (args->json)
        return print_json(ctx, in, report, path);
    if (args->quiet)
        return EXIT_DONE;
    cli_out("  %-16s %s\n", "figure", path);
    if (report->script)
        cli_out("  %-16s %s, %s\n", "script, data", report->script, report->data);
    return EXIT_DONE;
}

/* script and data are overwritten as the figure is: none of them may be a result */
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
    bl_plot_report report = {0};
    bl_status status = BL_OK;
    for (bl_index r = 0; r < in->nresult && status == BL_OK; r++)
        status = bl_result_open(ctx, in->path[r], &in->result[r]);
    if (status == BL_OK && in->nwhat == 0)
        return list_names(ctx, args, in->result[0]);
    if (status == BL_OK)
        status = check_outputs(ctx, in, o, to);
    if (status == BL_OK)
        status = bl_plot(ctx, in->result, in->label_text, in->nresult, o, to, &report);
    int code = status == BL_OK ? tell(ctx, args, in, &report, to) : cli_fail(ctx, args, status);
    if (status == BL_E_ABILITY) /* no gnuplot, no HDF5: what is missing is a program, not sense */
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

static const cli_option *const options[] = {&cli_opt_output_plot, &cli_opt_against, &cli_opt_log,    &cli_opt_degrees,
                                            &cli_opt_radians,     &cli_opt_mm,      &cli_opt_meters, &cli_opt_part_from,
                                            &cli_opt_part_to,     &cli_opt_size,    &cli_opt_keep,   &cli_opt_json,
                                            &cli_opt_quiet,       &cli_opt_verbose, &cli_opt_help,   NULL};

const cli_command cli_plot = {
    "plot",
    "RESULT... WHAT...",
    "draws curves of results: variables, reactions, energies, expressions",
    "Draws curves through gnuplot, over time or one against another. WHAT is a quantity (j1.angle, P3.x, j1.fx, kinetic), a part (j1),\n"
    "energy, reactions, a pattern (*.angle), an expression (\"kinetic + potential\"), or Y:X, one against the other (P3.y:P3.x).\n"
    "Several curves share a plot when they have the same unit; others stand below it. RESULT alone lists the names.\n"
    "Several results are laid over one another: words that end in .h5, and files of HDF5, are results.",
    options,
    plot};
