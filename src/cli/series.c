/* biela series: the motion of a model as a power series; table, JSON, C. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELL = 128 };

static void print_table(const bl_series_report *report) {
    int columns = 3 + report->order + 1;
    char *cells = calloc((size_t)columns * (size_t)(report->ncomponent + 1), CELL);
    if (!cells)
        return;
#define PUT(row, column, ...) snprintf(cells + ((size_t)(row) * (size_t)columns + (size_t)(column)) * CELL, CELL, __VA_ARGS__)
    PUT(0, 0, "what");
    PUT(0, 1, "of");
    PUT(0, 2, "radius");
    for (int k = 0; k <= report->order; k++)
        PUT(0, 3 + k, "s^%d", k);
    for (bl_index i = 0; i < report->ncomponent; i++) {
        const bl_series_component *c = &report->component[i];
        PUT(i + 1, 0, "%s", bl_series_what_text(c->what));
        PUT(i + 1, 1, "%s", c->name);
        if (isnan(c->radius))
            PUT(i + 1, 2, "-");
        else if (isinf(c->radius))
            PUT(i + 1, 2, "unlimited");
        else
            PUT(i + 1, 2, "%.3g", c->radius);
        for (int k = 0; k <= c->order; k++)
            PUT(i + 1, 3 + k, "%.9g", c->coefficient[k] + 0.0); /* not -0 */
    }
#undef PUT
    cli_print_table(cells, CELL, columns, report->ncomponent + 1, 2);
    free(cells);
}

static void print_report(const bl_series_report *report) {
    cli_out("%s (%s, %s): powers of s = t - %g\n\n", report->model_name, report->coordinates, report->formulation, report->t);
    print_table(report);
    if (isfinite(report->radius))
        cli_out("\n  converges to about s = %.3g\n", report->radius);
}

static void json_radius(bl_json *json, double radius) {
    if (isinf(radius))
        bl_json_text(json, "radius", "infinity");
    else
        bl_json_number(json, "radius", radius);
}

static int print_json(bl_context *ctx, const bl_series_report *report, const char *code) {
    bl_json json = {.ctx = ctx};
    bl_json_open(&json, NULL, '{');
    bl_json_text(&json, "status", bl_status_text(BL_OK));
    bl_json_text(&json, "model", report->model_name);
    bl_json_text(&json, "coordinates", report->coordinates);
    bl_json_text(&json, "formulation", report->formulation);
    bl_json_number(&json, "t", report->t);
    bl_json_integer(&json, "order", report->order);
    json_radius(&json, report->radius);
    bl_json_open(&json, "components", '[');
    for (bl_index i = 0; i < report->ncomponent; i++) {
        const bl_series_component *c = &report->component[i];
        bl_json_open(&json, NULL, '{');
        bl_json_text(&json, "what", bl_series_what_text(c->what));
        bl_json_text(&json, "name", c->name);
        json_radius(&json, c->radius);
        bl_json_numbers(&json, "coefficients", c->coefficient, c->order + 1);
        bl_json_close(&json, '}');
    }
    bl_json_close(&json, ']');
    if (code)
        bl_json_text(&json, "c", code);
    bl_json_close(&json, '}');
    return cli_print_json(ctx, &json);
}

static void to_memory(void *user, const char *text, size_t length) { fwrite(text, 1, length, user); }

static int tell(bl_context *ctx, const cli_args *args, const bl_series_report *report) {
    char *code = NULL;
    size_t length = 0;
    if (args->c_code) {
        FILE *memory = open_memstream(&code, &length);
        bl_status status = memory ? bl_series_write_c(ctx, report, to_memory, memory) : BL_E_MEMORY;
        if (memory && fclose(memory) != 0 && status == BL_OK)
            status = BL_E_MEMORY;
        if (status != BL_OK) {
            free(code);
            return cli_fail(ctx, args, status);
        }
    }
    int exit_class = EXIT_DONE;
    if (args->json)
        exit_class = print_json(ctx, report, code);
    else if (code)
        cli_write(NULL, code, length);
    else if (!args->quiet)
        print_report(report);
    free(code);
    return exit_class;
}

static int series(bl_context *ctx, cli_args *args) {
    if (args->order != floor(args->order) || args->order > 1e6) {
        cli_mistake mistake = {.advice = "for example --order 8"};
        snprintf(mistake.what, sizeof mistake.what, "--order takes a whole number from %d to %d, not %g", BL_SERIES_LEAST_ORDER,
                 BL_SERIES_MOST_ORDER, args->order);
        return cli_fail_usage(args, &mistake);
    }
    bl_model *model = NULL;
    bl_series_report report = {0};
    bl_series_options options = {.coordinates = args->run.coordinates,
                                 .formulation = args->run.formulation,
                                 .linsol = args->run.linsol,
                                 .ordering = args->run.ordering,
                                 .order = (int)args->order};
    bl_status status = cli_read_model(ctx, args, &model);
    if (status == BL_OK)
        status = bl_series_study(ctx, model, &options, &report);
    int exit_class = status == BL_OK ? tell(ctx, args, &report) : cli_fail(ctx, args, status);
    bl_series_report_destroy(ctx, &report);
    bl_model_destroy(model);
    return exit_class;
}

static const cli_option *const options_of_series[] = {&cli_opt_order,    &cli_opt_json,
                                                      &cli_opt_c,        &cli_opt_set,
                                                      &cli_opt_confined, &cli_opt_coordinates,
                                                      &cli_opt_closure,  &cli_opt_series_formulation,
                                                      &cli_opt_linsol,   &cli_opt_ordering,
                                                      &cli_opt_quiet,    &cli_opt_verbose,
                                                      &cli_opt_help,     NULL};

const cli_command cli_series = {
    "series",
    "MODEL",
    "the motion as a power series about its start",
    "Closes the model and expands its motion about the start: coefficients of every position, velocity, state and\n"
    "multiplier, one order after the other, with an estimate of how far they converge. Needs analytic forces and\n"
    "natural or mixed coordinates, equations or matrices. `--integrator series` steps with such series.",
    options_of_series,
    series};
