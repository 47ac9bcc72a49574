/* biela series: the motion of a model as a power series; table, JSON, C. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* values of the options of this command */
struct own {
    double order;
    bool c_code;
};

/* the result, and the code of --c */
typedef struct expansion {
    bl_series_report report;
    char *code;
    size_t length;
} expansion;

static void print_report(const void *found) {
    const expansion *e = found;
    const bl_series_report *report = &e->report;
    if (e->code) {
        cli_write(NULL, e->code, e->length);
        return;
    }
    cli_out("%s (%s, %s): powers of s = t - %g\n\n", report->model_name, report->coordinates, report->formulation, report->t);
    cli_table table = {.columns = 3 + report->order + 1};
    cli_cells(&table, (const char *const[]){"what", "of", "radius"}, 3);
    for (int k = 0; k <= report->order; k++)
        cli_cell(&table, "s^%d", k);
    for (bl_index i = 0; i < report->ncomponent; i++) {
        const bl_series_component *c = &report->component[i];
        cli_cell(&table, "%s", bl_series_what_text(c->what));
        cli_cell(&table, "%s", c->name);
        cli_cell_number(&table, "%.3g", c->radius);
        for (int k = 0; k <= report->order; k++)
            if (k <= c->order)
                cli_cell(&table, "%.9g", c->coefficient[k] + 0.0); /* not -0 */
            else
                cli_cell(&table, "%s", "");
    }
    cli_table_print(&table, 2);
    if (isfinite(report->radius))
        cli_out("\n  converges to about s = %.3g\n", report->radius);
}

static void json_radius(bl_json *json, double radius) {
    if (isinf(radius))
        bl_json_text(json, "radius", "infinity");
    else
        bl_json_number(json, "radius", radius);
}

static void json_report(bl_json *json, const void *found) {
    const expansion *e = found;
    const bl_series_report *report = &e->report;
    bl_json_text(json, "status", bl_status_text(BL_OK));
    bl_json_text(json, "model", report->model_name);
    bl_json_text(json, "coordinates", report->coordinates);
    bl_json_text(json, "formulation", report->formulation);
    bl_json_number(json, "t", report->t);
    bl_json_integer(json, "order", report->order);
    json_radius(json, report->radius);
    bl_json_open(json, "components", '[');
    for (bl_index i = 0; i < report->ncomponent; i++) {
        const bl_series_component *c = &report->component[i];
        bl_json_open(json, NULL, '{');
        bl_json_text(json, "what", bl_series_what_text(c->what));
        bl_json_text(json, "name", c->name);
        json_radius(json, c->radius);
        bl_json_numbers(json, "coefficients", c->coefficient, c->order + 1);
        bl_json_close(json, '}');
    }
    bl_json_close(json, ']');
    if (e->code)
        bl_json_text(json, "c", e->code);
}

static void to_memory(void *user, const char *text, size_t length) { fwrite(text, 1, length, user); }

static bl_status write_code(bl_context *ctx, expansion *e) {
    FILE *memory = open_memstream(&e->code, &e->length);
    bl_status status = memory ? bl_series_write_c(ctx, &e->report, to_memory, memory) : BL_E_MEMORY;
    if (memory && fclose(memory) != 0 && status == BL_OK)
        status = BL_E_MEMORY;
    return status;
}

static int series(bl_context *ctx, cli_args *args) {
    if (cli_own(args)->order != floor(cli_own(args)->order) || cli_own(args)->order > 1e6)
        return cli_refuse(args, "for example --order 8", "--order takes an integer from %d to %d, not %g", BL_SERIES_LEAST_ORDER,
                          BL_SERIES_MOST_ORDER, cli_own(args)->order);
    bl_model *model = NULL;
    expansion e = {.report.size = sizeof e.report};
    bl_series_options options = {.size = sizeof options,
                                 .coordinates = args->run.coordinates,
                                 .formulation = args->run.formulation,
                                 .linsol = args->run.linsol,
                                 .ordering = args->run.ordering,
                                 .order = (int)cli_own(args)->order};
    bl_status status = cli_read_model(ctx, args, &model);
    if (status == BL_OK)
        status = bl_series_study(ctx, model, &options, &e.report);
    if (status == BL_OK && cli_own(args)->c_code)
        status = write_code(ctx, &e);
    args->quiet = args->quiet && !e.code; /* --quiet does not suppress the requested code */
    int code = cli_show(ctx, args, status, print_report, json_report, &e);
    free(e.code);
    bl_series_report_destroy(ctx, &e.report);
    bl_model_destroy(model);
    return code;
}

static const cli_option *const options_of_series[] = {
    CLI_OWN(order, 0, "order", "NUMBER", CLI_POSITIVE, "highest power, 2 to 60 (default: 8)"),
    &cli_opt_json,
    CLI_OWN(c_code, 0, "c", NULL, CLI_FLAG, "print a C function; with --json: in addition to the coefficients"),
    CLI_MODEL_OPTIONS,
    &cli_opt_coordinates,
    &cli_opt_closure,
    CLI_SHARED(run.formulation, 0, "formulation", "KIND", CLI_TEXT, "index2, partition, lagrange or plain (default: index2)"),
    &cli_opt_linsol,
    &cli_opt_ordering,
    CLI_MESSAGE_OPTIONS};

const cli_command cli_series = {
    .name = "series",
    .word = "MODEL",
    .help = "expand the motion in a power series about its start",
    .text = "Assembles the model and expands its motion about the start: coefficients of every position, velocity, state\n"
            "and multiplier, order by order, with an estimate of the radius of convergence. Needs analytic forces and\n"
            "natural or mixed coordinates, equations or matrices. `--integrator series` takes steps with such series.",
    .options = options_of_series,
    .run = series,
    .own = sizeof(struct own)};
