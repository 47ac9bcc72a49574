/* biela order: the orderings side by side on the matrix of a model or of a file; spy figures. */
#include "cli/cli.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the table */

enum { COLUMNS = 12 };

/* the texts of one line; columns that nobody fills are left out */
typedef struct line {
    char cell[COLUMNS][96];
    const char *note;
} line;

static void seconds(double value, char *text, size_t room) {
    if (isnan(value))
        snprintf(text, room, "-");
    else if (value < 1e-3)
        snprintf(text, room, "%.1f us", value * 1e6);
    else if (value < 1)
        snprintf(text, room, "%.2f ms", value * 1e3);
    else
        snprintf(text, room, "%.2f s", value);
}

static void whole(bl_index value, char *text, size_t room) {
    if (value < 0)
        snprintf(text, room, "-");
    else
        snprintf(text, room, "%d", (int)value);
}

static void blocks(const bl_order_entry *entry, char *text, size_t room) {
    size_t used = 0;
    snprintf(text, room, "-");
    for (bl_index k = 0; entry->block && k < entry->nsize && used + 24 < room; k++)
        used += (size_t)snprintf(text + used, room - used, "%s%dx%d", k ? " " : "", (int)entry->count[k], (int)entry->size[k]);
}

static void fill_line(const bl_order_entry *entry, line *l) {
    size_t room = sizeof l->cell[0];
    bool good = entry->status == BL_OK, found = good && entry->block;
    const bl_order_cost *cost = &entry->cost;
    snprintf(l->cell[0], room, "%s", entry->name);
    blocks(entry, l->cell[1], room);
    whole(found ? entry->border : -1, l->cell[2], room);
    whole(found ? entry->band : -1, l->cell[3], room);
    whole(good ? entry->bandwidth : -1, l->cell[4], room);
    whole(good ? cost->fill : -1, l->cell[5], room);
    snprintf(l->cell[6], room, "-");
    if (good && !isnan(cost->flops))
        snprintf(l->cell[6], room, cost->flops < 1e6 ? "%.0f" : "%.2e", cost->flops);
    seconds(cost->analyse, l->cell[7], room);
    seconds(cost->factor, l->cell[8], room);
    seconds(cost->refactor, l->cell[9], room);
    seconds(cost->solve, l->cell[10], room);
    snprintf(l->cell[11], room, "%s", cost->solver ? cost->solver : "-");
    l->note = entry->note;
}

static void print_table(const bl_order_report *report) {
    static const line head = {
        {"ordering", "blocks", "border", "band", "bandwidth", "fill", "flops", "analyse", "factor", "refactor", "solve", "by"}, NULL};
    line *lines = calloc((size_t)report->nentry + 1, sizeof *lines);
    if (!lines)
        return;
    lines[0] = head;
    for (bl_index k = 0; k < report->nentry; k++)
        fill_line(&report->entry[k], &lines[k + 1]);
    int width[COLUMNS] = {0};
    for (bl_index k = 0; k <= report->nentry; k++)
        for (int c = 0; c < COLUMNS; c++)
            width[c] = (int)strlen(lines[k].cell[c]) > width[c] ? (int)strlen(lines[k].cell[c]) : width[c];
    for (bl_index k = 0; k <= report->nentry; k++) {
        cli_out("  %-*s", width[0], lines[k].cell[0]);
        if (k > 0 && report->entry[k - 1].status != BL_OK) {
            cli_out("  refused: %s\n", lines[k].note);
            continue;
        }
        cli_out("  %-*s", width[1], lines[k].cell[1]);
        for (int c = 2; c < COLUMNS - 1; c++)
            cli_out("  %*s", width[c], lines[k].cell[c]);
        cli_out("  %s\n", lines[k].cell[COLUMNS - 1]);
    }
    for (bl_index k = 0; k < report->nentry; k++)
        if (report->entry[k].status == BL_OK && report->entry[k].note[0])
            cli_out("  note: %s: %s\n", report->entry[k].name, report->entry[k].note);
    free(lines);
}

static void print_report(const char *file, const bl_order_report *report) {
    bl_index n = report->columns - report->dependent_columns;
    cli_out("%s: %d x %d, %d nonzeros", file, (int)report->rows, (int)report->columns, (int)report->nonzeros);
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
        cli_out("; singular: nothing is factored");
    cli_out("\n");
    print_table(report);
}

/* ---- JSON */

static void json_cost(bl_json *json, const bl_order_cost *cost) {
    if (cost->fill >= 0)
        bl_json_integer(json, "fill", cost->fill);
    else
        bl_json_text(json, "fill", NULL);
    bl_json_number(json, "flops", cost->flops);
    bl_json_open(json, "times", '{');
    bl_json_number(json, "analyse", cost->analyse);
    bl_json_number(json, "factor", cost->factor);
    bl_json_number(json, "refactor", cost->refactor);
    bl_json_number(json, "solve", cost->solve);
    bl_json_close(json, '}');
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

static int print_json(bl_context *ctx, const char *file, const bl_order_report *report) {
    bl_json json = {.ctx = ctx};
    bl_json_open(&json, NULL, '{');
    bl_json_text(&json, "file", file);
    bl_json_text(&json, "status", bl_status_text(BL_OK));
    bl_json_integer(&json, "rows", report->rows);
    bl_json_integer(&json, "columns", report->columns);
    bl_json_integer(&json, "nonzeros", report->nonzeros);
    bl_json_integer(&json, "dependent_columns", report->dependent_columns);
    bl_json_integer(&json, "dependent_nonzeros", report->dependent_nonzeros);
    bl_json_integer(&json, "rank", report->rank);
    bl_json_integer(&json, "structural_rank", report->structural_rank);
    if (report->coordinates) {
        bl_json_text(&json, "coordinates", report->coordinates);
        bl_json_open(&json, "independent", '[');
        for (bl_index k = 0; k < report->columns - report->dependent_columns; k++)
            bl_json_text(&json, NULL, report->independent[k]);
        bl_json_close(&json, ']');
    }
    bl_json_open(&json, "orderings", '[');
    for (bl_index k = 0; k < report->nentry; k++)
        json_entry(&json, &report->entry[k]);
    bl_json_close(&json, ']');
    bl_json_close(&json, '}');
    return cli_print_json(ctx, &json);
}

/* ---- the command */

enum { PATH_BYTES = 1024 };

/* PREFIX-NAME.svg; what options add to a name becomes dashes */
static void figure_path(const char *prefix, const char *ordering, char path[PATH_BYTES]) {
    char name[96];
    snprintf(name, sizeof name, "%s", ordering);
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_')
            *c = '-';
    snprintf(path, PATH_BYTES, "%s-%s.svg", prefix, name);
}

static bl_status check_paths(bl_context *ctx, const cli_args *args, const bl_model *model, const bl_order_report *report) {
    bl_status status = BL_OK;
    for (bl_index k = 0; k < report->nentry && status == BL_OK; k++) {
        char path[PATH_BYTES];
        figure_path(args->figures, report->entry[k].name, path);
        status = bl_check_outputs(ctx, model, &args->matrix, 1, (const char *const[]){path}, 1);
    }
    return status;
}

static bl_status draw(bl_context *ctx, const char *prefix, const bl_order_report *report, bool say) {
    for (bl_index k = 0; k < report->nentry; k++) {
        char path[PATH_BYTES];
        if (report->entry[k].status != BL_OK)
            continue;
        figure_path(prefix, report->entry[k].name, path);
        bl_status status = bl_order_figure(ctx, report, k, path);
        if (status != BL_OK)
            return status;
        if (say)
            cli_out("  %s\n", path);
    }
    return BL_OK;
}

/* "a,b,c" cut in place; the list is the caller's to free */
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

static int study(bl_context *ctx, cli_args *args, const bl_order_options *options) {
    bl_model *model = NULL;
    bl_order_report report = {0};
    const char *file = args->matrix ? args->matrix : args->word;
    bl_status status;
    if (args->matrix) {
        status = bl_order_matrix(ctx, file, options, &report);
    } else {
        status = cli_read_model(ctx, args, &model);
        if (status == BL_OK)
            status = bl_order_study(ctx, model, options, &report);
    }
    if (status == BL_OK && args->figures)
        status = check_paths(ctx, args, model, &report);
    bool talk = !args->json && !args->quiet;
    if (status == BL_OK && talk)
        print_report(file, &report);
    if (status == BL_OK && args->figures)
        status = draw(ctx, args->figures, &report, talk);
    int code = EXIT_DONE;
    if (status != BL_OK)
        code = cli_fail(ctx, args, status);
    else if (args->json)
        code = print_json(ctx, file, &report);
    bl_order_report_destroy(ctx, &report);
    bl_model_destroy(model);
    return code;
}

static int order(bl_context *ctx, cli_args *args) {
    cli_mistake mistake = {0};
    if (!args->word == !args->matrix)
        snprintf(mistake.what, sizeof mistake.what, "biela order needs a MODEL or --matrix FILE%s", args->word ? ", not both" : "");
    else if (args->matrix && (args->run.coordinates || args->independent || args->nset))
        snprintf(mistake.what, sizeof mistake.what, "%s goes with a model, not with --matrix",
                 args->nset          ? "--set"
                 : args->independent ? "--independent"
                                     : "--coordinates");
    if (mistake.what[0])
        return cli_fail_usage(args, &mistake);
    bl_order_options options = {.coordinates = args->run.coordinates};
    char *text = args->independent ? strdup(args->independent) : NULL;
    const char **names = text ? cut_names(text, &options.nindependent) : NULL;
    options.independent = names;
    if (args->run.ordering) {
        options.ordering = &args->run.ordering;
        options.nordering = 1;
    }
    int code = EXIT_SYSTEM;
    if (args->independent && !names)
        cli_err("biela: out of memory\n");
    else
        code = study(ctx, args, &options);
    free(names);
    free(text);
    return code;
}

static const cli_option *const options_of_order[] = {&cli_opt_json,
                                                     &cli_opt_matrix,
                                                     &cli_opt_independent,
                                                     &cli_opt_coordinates,
                                                     &cli_opt_closure,
                                                     &cli_opt_ordering,
                                                     &cli_opt_figures,
                                                     &cli_opt_set,
                                                     &cli_opt_confined,
                                                     &cli_opt_quiet,
                                                     &cli_opt_verbose,
                                                     &cli_opt_help,
                                                     NULL};

const cli_command cli_order = {
    "order",
    "[MODEL]",
    "orderings side by side: blocks, border, fill, time; spy figures",
    "Orders the Jacobian of a model's constraints without its independent columns, or a matrix from a file, by\n"
    "every ordering (or the one asked for), and tells blocks, border and band, predicted fill and operations and\n"
    "measured times.",
    options_of_order,
    order};
