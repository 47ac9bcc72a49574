/* biela order: matrix orderings compared on the matrix of a model or of a file; spy plots. */
#include "cli/cli.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* values of the options of this command */
struct own {
    const char *figures, *matrix, *independent;
};

/* ---- figures */

enum { PATH_BYTES = 1024 };

/* PREFIX-NAME.svg; punctuation of options in the name becomes dashes */
static void figure_path(const char *prefix, const char *ordering, char path[PATH_BYTES]) {
    char name[96];
    snprintf(name, sizeof name, "%s", ordering);
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            *c = '-';
    snprintf(path, PATH_BYTES, "%s-%s.svg", prefix, name);
}

/* ---- the table */

static void put_seconds(cli_table *table, double value) {
    double factor = value < 1e-3 ? 1e6 : value < 1 ? 1e3 : 1;
    cli_cell_number(table, value < 1e-3 ? "%.1f us" : value < 1 ? "%.2f ms" : "%.2f s", value * factor);
}

static void put_count(cli_table *table, bl_index value) { cli_cell_number(table, "%.0f", value < 0 ? NAN : value); }

static void put_blocks(cli_table *table, const bl_order_entry *entry) {
    char text[96] = "-";
    size_t used = 0;
    for (bl_index k = 0; entry->block && k < entry->nsize && used + 24 < sizeof text; k++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%dx%d", k ? " " : "", (int)entry->count[k], (int)entry->size[k]);
    cli_cell(table, "%s", text);
}

static void put_entry(cli_table *table, const bl_order_entry *entry) {
    bool good = entry->status == BL_OK, found = good && entry->block;
    const bl_order_cost *cost = &entry->cost;
    cli_cell(table, "%s", entry->name);
    put_blocks(table, entry);
    put_count(table, found ? entry->border : -1);
    put_count(table, found ? entry->band : -1);
    put_count(table, good ? entry->bandwidth : -1);
    put_count(table, good ? cost->fill : -1);
    cli_cell_number(table, cost->flops < 1e6 ? "%.0f" : "%.2e", good ? cost->flops : NAN);
    put_seconds(table, cost->analyze);
    put_seconds(table, cost->factor);
    put_seconds(table, cost->refactor);
    put_seconds(table, cost->solve);
    cli_cell(table, "%s", cost->solver ? cost->solver : "-");
}

static void print_table(const bl_order_report *report) {
    static const char *const head[] = {"ordering", "blocks",  "border", "band",     "bandwidth", "fill",
                                       "flops",    "analyze", "factor", "refactor", "solve",     "solver"};
    cli_table table = {.columns = sizeof head / sizeof *head};
    cli_cells(&table, head, table.columns);
    for (bl_index k = 0; k < report->nentry; k++)
        put_entry(&table, &report->entry[k]);
    cli_table_print(&table, 2);
    for (bl_index k = 0; k < report->nentry; k++)
        if (report->entry[k].note[0])
            cli_out("  %s: %s: %s\n", report->entry[k].status == BL_OK ? "note" : "refused", report->entry[k].name, report->entry[k].note);
}

/* the report, and the file it describes */
typedef struct ordered {
    const char *file, *figures;
    bl_order_report report;
} ordered;

static void print_report(const void *found) {
    const ordered *o = found;
    const bl_order_report *report = &o->report;
    bl_index n = report->columns - report->dependent_columns;
    cli_out("%s: %d x %d, %d nonzeros", o->file, (int)report->rows, (int)report->columns, (int)report->nonzeros);
    if (report->coordinates) {
        cli_out(" (%s coordinates)\n  dependent    %d columns, %d nonzeros\n", report->coordinates, (int)report->dependent_columns,
                (int)report->dependent_nonzeros);
        cli_out("  independent  ");
        size_t used = 0;
        bl_index k = 0;
        for (; k < n && used < 90; k++) {
            cli_out("%s%s", k ? ", " : "", report->independent[k]);
            used += strlen(report->independent[k]) + 2;
        }
        if (k < n)
            cli_out(" and %d more", (int)(n - k));
        cli_out("%s\n", n == 0 ? "none" : "");
    } else {
        cli_out("\n");
    }
    cli_out("  rank         %d", (int)report->rank);
    if (report->structural_rank < report->rows && report->structural_rank < report->dependent_columns)
        cli_out("; structurally singular: structural rank %d", (int)report->structural_rank);
    else if (report->rank < report->dependent_columns && report->rank < report->rows)
        cli_out("; singular, not factored");
    cli_out("\n");
    print_table(report);
    for (bl_index k = 0; o->figures && k < report->nentry; k++) {
        char path[PATH_BYTES];
        figure_path(o->figures, report->entry[k].name, path);
        if (report->entry[k].status == BL_OK)
            cli_out("  %s\n", path);
    }
}

/* ---- JSON */

static void json_cost(bl_json *json, const bl_order_cost *cost) {
    bl_json_index(json, "fill", cost->fill);
    bl_json_number(json, "flops", cost->flops);
    BL_JSON_OBJECT(json, "times", {"analyze", cost->analyze}, {"factor", cost->factor}, {"refactor", cost->refactor},
                   {"solve", cost->solve});
    bl_json_text(json, "solver", cost->solver);
}

static void json_entry(bl_json *json, const bl_order_entry *entry) {
    bl_json_open(json, NULL, '{');
    bl_json_text(json, "name", entry->name);
    if (entry->status != BL_OK) {
        bl_json_text(json, "error", entry->note);
        bl_json_close(json, '}');
        return;
    }
    bl_json_open(json, "blocks", '{');
    for (bl_index k = 0; k < entry->nsize; k++) {
        char size[16];
        snprintf(size, sizeof size, "%d", (int)entry->size[k]);
        bl_json_integer(json, size, entry->count[k]);
    }
    bl_json_close(json, '}');
    bl_json_integer(json, "border", entry->border);
    bl_json_integer(json, "band", entry->band);
    if (entry->bandwidth >= 0)
        bl_json_integer(json, "bandwidth", entry->bandwidth);
    if (entry->spikes > 0)
        bl_json_integer(json, "spikes", entry->spikes);
    json_cost(json, &entry->cost);
    if (entry->cost.solver && strcmp(entry->cost.solver, "klu") != 0) {
        bl_json_open(json, "klu", '{');
        json_cost(json, &entry->klu);
        bl_json_close(json, '}');
    }
    if (entry->note[0])
        bl_json_text(json, "note", entry->note);
    bl_json_close(json, '}');
}

static void json_report(bl_json *json, const void *found) {
    const ordered *o = found;
    const bl_order_report *report = &o->report;
    bl_json_text(json, "file", o->file);
    bl_json_text(json, "status", bl_status_text(BL_OK));
    BL_JSON_NUMBERS(json, {"rows", report->rows}, {"columns", report->columns}, {"nonzeros", report->nonzeros},
                    {"dependent_columns", report->dependent_columns}, {"dependent_nonzeros", report->dependent_nonzeros},
                    {"rank", report->rank}, {"structural_rank", report->structural_rank});
    if (report->coordinates) {
        bl_json_text(json, "coordinates", report->coordinates);
        bl_json_texts(json, "independent", report->independent, report->columns - report->dependent_columns);
    }
    bl_json_open(json, "orderings", '[');
    for (bl_index k = 0; k < report->nentry; k++)
        json_entry(json, &report->entry[k]);
    bl_json_close(json, ']');
}

/* ---- the command */

/* checks the paths of all figures, then draws them */
static bl_status draw(bl_context *ctx, const cli_args *args, const bl_model *model, const bl_order_report *report) {
    bl_status status = BL_OK;
    char path[PATH_BYTES];
    for (bl_index k = 0; k < report->nentry && status == BL_OK; k++) {
        figure_path(cli_own(args)->figures, report->entry[k].name, path);
        status = bl_check_outputs(ctx, model, &cli_own(args)->matrix, 1, (const char *const[]){path}, 1);
    }
    for (bl_index k = 0; k < report->nentry && status == BL_OK; k++) {
        figure_path(cli_own(args)->figures, report->entry[k].name, path);
        if (report->entry[k].status == BL_OK)
            status = bl_order_figure(ctx, report, k, path);
    }
    return status;
}

/* splits "a,b,c" in place; the caller frees the list */
static const char **cut_names(char *text, bl_index *n) {
    *n = 1;
    for (const char *c = text; *c; c++)
        *n += *c == ',';
    const char **names = calloc((size_t)*n, sizeof *names);
    bl_index used = 0;
    for (char *at = text; names && at; used++) {
        names[used] = at;
        at = strchr(at, ',');
        if (at)
            *at++ = '\0';
    }
    return names;
}

static int study(bl_context *ctx, const cli_args *args, const bl_order_options *options) {
    bl_model *model = NULL;
    ordered found = {.report.size = sizeof found.report,
                     .file = cli_own(args)->matrix ? cli_own(args)->matrix : args->word,
                     .figures = cli_own(args)->figures};
    bl_status status;
    if (cli_own(args)->matrix) {
        status = bl_order_matrix(ctx, found.file, options, &found.report);
    } else {
        status = cli_read_model(ctx, args, &model);
        if (status == BL_OK)
            status = bl_order_study(ctx, model, options, &found.report);
    }
    if (status == BL_OK && found.figures)
        status = draw(ctx, args, model, &found.report);
    int code = cli_show(ctx, args, status, print_report, json_report, &found);
    bl_order_report_destroy(ctx, &found.report);
    bl_model_destroy(model);
    return code;
}

static int order(bl_context *ctx, cli_args *args) {
    const char *matrix = cli_own(args)->matrix, *independent = cli_own(args)->independent;
    if (!args->word == !matrix)
        return cli_refuse(args, "", "biela order needs a MODEL or --matrix FILE%s", args->word ? ", not both" : "");
    if (matrix && (args->run.coordinates || independent || args->nset))
        return cli_refuse(args, "", "%s needs a model; it cannot be used with --matrix",
                          args->nset    ? "--set"
                          : independent ? "--independent"
                                        : "--coordinates");
    bl_order_options options = {.size = sizeof options, .coordinates = args->run.coordinates};
    char *text = independent ? strdup(independent) : NULL;
    const char **names = text ? cut_names(text, &options.nindependent) : NULL;
    options.independent = names;
    if (args->run.ordering) {
        options.ordering = &args->run.ordering;
        options.nordering = 1;
    }
    int code = EXIT_SYSTEM;
    if (independent && !names)
        cli_err("biela: out of memory\n");
    else
        code = study(ctx, args, &options);
    free(names);
    free(text);
    return code;
}

static const cli_option *const options_of_order[] = {
    &cli_opt_json,
    CLI_OWN(matrix, 0, "matrix", "FILE", CLI_TEXT, "Matrix Market file instead of a model"),
    CLI_OWN(independent, 0, "independent", "NAME,...", CLI_TEXT, "independent columns: j1.angle, B.x (default: the model's)"),
    &cli_opt_coordinates,
    &cli_opt_closure,
    &cli_opt_ordering,
    CLI_OWN(figures, 0, "figures", "PREFIX", CLI_TEXT, "draw the ordered matrices: PREFIX-NAME.svg"),
    CLI_MODEL_OPTIONS,
    CLI_MESSAGE_OPTIONS};

const cli_command cli_order = {
    .name = "order",
    .word = "[MODEL]",
    .help = "compare matrix orderings: blocks, border, fill, time; spy plots",
    .text = "Orders the constraint Jacobian of a model without its independent columns, or a matrix from a file, by every\n"
            "ordering (or the given one), and prints blocks, border and band, predicted fill and operations, and measured\n"
            "times.",
    .options = options_of_order,
    .run = order,
    .own = sizeof(struct own)};
