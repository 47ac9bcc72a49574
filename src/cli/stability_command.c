/* biela stability: order and stability of integration methods from their coefficients; tables, JSON, figures. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>

/* values of the options of this command */
struct own {
    double xi, count;
    bool region;
    const char *model;
};

/* ---- tables */

static void put_entry(cli_table *table, const bl_stability_entry *entry) {
    cli_cell(table, "%s", entry->name);
    cli_cell(table, "%s", entry->shape);
    if (entry->order < 0)
        cli_cell(table, "none");
    else
        cli_cell(table, "%d", entry->order);
    cli_cell_number(table, "%.6g", entry->error_constant);
    cli_cell(table, "%s", entry->zero_stable ? "yes" : "no");
    cli_cell_number(table, "%.2f", entry->angle);
    cli_cell_number(table, "%.6g", entry->rho_infinity);
    cli_cell_number(table, "%.6g", entry->real_interval);
    cli_cell_number(table, "%.6g", entry->imaginary_interval);
    cli_cell_number(table, "%.6g", entry->omega_critical);
}

static void print_summary(const bl_stability_report *report) {
    static const char *const head[] = {"method",   "shape",      "order",     "error constant", "zero-stable",
                                       "A(alpha)", "rho at inf", "real axis", "imaginary",      "Omega crit"};
    cli_table table = {.columns = sizeof head / sizeof *head};
    cli_cells(&table, head, table.columns);
    for (bl_index k = 0; k < report->nentry; k++)
        put_entry(&table, &report->entry[k]);
    cli_table_print(&table, 2);
}

static void print_notes(const bl_stability_entry *entry) {
    cli_out("  %s: zero-stable: %s", entry->name, entry->zero_words);
    if (entry->promised_order > 0 && entry->order != entry->promised_order)
        cli_out("; order %d, documented order %d", entry->order, entry->promised_order);
    if (!isnan(entry->omega_bifurcation))
        cli_out("; no oscillation for Omega >= %.6g", entry->omega_bifurcation);
    cli_out("\n");
}

/* hides rounding errors */
static double rounded(double value) { return fabs(value) < 1e-15 ? 0 : value; }

static void print_damping(const bl_stability_table *t, bl_index i) {
    if (isnan(t->damping[i]))
        cli_out("  %12s  %12s\n", "-", "-");
    else
        cli_out("  %12.6g  %12.6g\n", rounded(t->damping[i]), rounded(t->period_error[i]));
}

static void print_table(const bl_stability_entry *entry, double xi) {
    const bl_stability_table *t = &entry->at;
    cli_out("\n%s", entry->name);
    if (xi > 0)
        cli_out(", damping ratio %g", xi);
    cli_out("\n  %10s  %12s  %12s  %12s\n", "h/T", "rho", "damping", "period error");
    for (bl_index i = 0; i < t->n; i++) {
        cli_out("  %10g  %12.6g", t->h_over_T[i], t->rho[i]);
        print_damping(t, i);
    }
}

static void print_marks(const bl_stability_entry *entry, double step) {
    const bl_stability_table *t = &entry->marks;
    enum { MOST = 12 };
    if (t->n == 0)
        return;
    cli_out("\n%s at the frequencies of the model, step %g s\n  %14s  %10s  %12s  %12s  %12s\n", entry->name, step, "rad/s", "h/T", "rho",
            "damping", "period error");
    for (bl_index i = 0; i < t->n; i++) {
        if (t->n > MOST && i == MOST / 2) {
            cli_out("  %14s\n", "...");
            i = t->n - MOST / 2;
        }
        cli_out("  %14.9g  %10.4g  %12.6g", t->h_over_T[i] * 6.283185307179586 / step, t->h_over_T[i], t->rho[i]);
        print_damping(t, i);
    }
}

/* the report, and which parts to show */
typedef struct shown {
    bl_stability_report report;
    bool region;
    const char *figure;
} shown;

static void print_report(const void *found) {
    const shown *show = found;
    const bl_stability_report *report = &show->report;
    print_summary(report);
    cli_out("\n");
    for (bl_index k = 0; k < report->nentry; k++)
        print_notes(&report->entry[k]);
    for (bl_index k = 0; k < report->nentry; k++)
        print_table(&report->entry[k], report->xi);
    for (bl_index k = 0; k < report->nentry; k++)
        print_marks(&report->entry[k], report->step);
    if (show->figure)
        cli_out("\n  figure  %s\n", show->figure);
}

/* ---- JSON */

/* "infinity" if unlimited, null if not applicable */
static void json_limit(bl_json *json, const char *key, double value) {
    if (isinf(value))
        bl_json_text(json, key, "infinity");
    else
        bl_json_number(json, key, value);
}

static void json_table(bl_json *json, const bl_stability_table *t) {
    bl_json_numbers(json, "h_over_T", t->h_over_T, t->n);
    bl_json_numbers(json, "rho", t->rho, t->n);
    bl_json_numbers(json, "damping", t->damping, t->n);
    bl_json_numbers(json, "period_error", t->period_error, t->n);
}

static void json_entry(bl_json *json, const bl_stability_entry *entry, bool region) {
    bl_json_open(json, NULL, '{');
    bl_json_text(json, "name", entry->name);
    bl_json_text(json, "shape", entry->shape);
    BL_JSON_NUMBERS(json, {"order", entry->order}, {"promised_order", entry->promised_order}, {"error_constant", entry->error_constant});
    bl_json_flag(json, "zero_stable", entry->zero_stable);
    bl_json_text(json, "root_condition", entry->zero_words);
    bl_json_flag(json, "a_stable", entry->a_stable);
    bl_json_number(json, "angle", entry->angle);
    json_limit(json, "rho_infinity", entry->rho_infinity);
    json_limit(json, "real_interval", entry->real_interval);
    json_limit(json, "imaginary_interval", entry->imaginary_interval);
    json_limit(json, "omega_critical", entry->omega_critical);
    bl_json_number(json, "omega_bifurcation", entry->omega_bifurcation);
    json_table(json, &entry->at);
    if (entry->marks.n > 0) {
        bl_json_open(json, "model", '{');
        json_table(json, &entry->marks);
        bl_json_close(json, '}');
    }
    if (region) {
        bl_json_open(json, "region", '[');
        for (bl_index l = 0; l < entry->nline; l++) {
            bl_json_open(json, NULL, '{');
            bl_json_flag(json, "closed", entry->line[l].closed);
            bl_json_numbers(json, "re", entry->line[l].re, entry->line[l].n);
            bl_json_numbers(json, "im", entry->line[l].im, entry->line[l].n);
            bl_json_close(json, '}');
        }
        bl_json_close(json, ']');
    }
    bl_json_close(json, '}');
}

static void json_report(bl_json *json, const void *found) {
    const shown *show = found;
    const bl_stability_report *report = &show->report;
    bl_json_text(json, "status", bl_status_text(BL_OK));
    bl_json_number(json, "xi", report->xi);
    if (report->step > 0)
        bl_json_number(json, "step", report->step);
    bl_json_open(json, "methods", '[');
    for (bl_index k = 0; k < report->nentry; k++)
        json_entry(json, &report->entry[k], show->region);
    bl_json_close(json, ']');
}

/* ---- the command */

/* nonzero frequencies of the model, ascending; the caller frees omega */
static bl_status find_frequencies(bl_context *ctx, cli_args *args, double **omega, bl_index *count) {
    bl_model *model = NULL;
    bl_modes_report modes = {.size = sizeof modes};
    bl_modes_options options = {.size = sizeof options,
                                .count = cli_own(args)->count > 0 ? (bl_index)cli_own(args)->count : -1,
                                .coordinates = args->run.coordinates};
    cli_args of_model = *args;
    of_model.word = cli_own(args)->model;
    bl_status status = cli_read_model(ctx, &of_model, &model);
    if (status == BL_OK)
        status = bl_modes(ctx, model, &options, NULL, 0, &modes);
    if (status == BL_E_ABILITY && cli_own(args)->count == 0) { /* too many to compute all */
        options.count = 0;
        status = bl_modes(ctx, model, &options, NULL, 0, &modes);
    }
    if (status == BL_OK && !(*omega = calloc((size_t)modes.nmode + 1, sizeof **omega)))
        status = BL_E_MEMORY;
    for (bl_index i = 0; status == BL_OK && i < modes.nmode; i++)
        if (modes.mode[i].omega > 0)
            (*omega)[(*count)++] = modes.mode[i].omega;
    bl_modes_report_destroy(ctx, &modes);
    bl_model_destroy(model);
    return status;
}

static int stability(bl_context *ctx, cli_args *args) {
    shown show = {.report.size = sizeof show.report, .region = cli_own(args)->region, .figure = args->output};
    double *omega = NULL;
    bl_index nomega = 0;
    if ((cli_own(args)->model != NULL) != (args->run.step > 0))
        return cli_refuse(args, "frequencies w of the model are marked at h w / (2 pi), which needs the step h",
                          "--model and --step must be given together");
    bl_status status = cli_own(args)->model ? find_frequencies(ctx, args, &omega, &nomega) : BL_OK;
    bl_stability_options options = {.size = sizeof options,
                                    .method = args->words.name,
                                    .nmethod = args->words.n,
                                    .at = args->at,
                                    .nat = args->run.nat,
                                    .xi = cli_own(args)->xi,
                                    .omega = omega,
                                    .nomega = nomega,
                                    .step = args->run.step,
                                    .region = show.region || show.figure};
    if (status == BL_OK)
        status = bl_stability_study(ctx, &options, &show.report);
    bl_status drawn = status == BL_OK && show.figure ? bl_stability_figure(ctx, &show.report, show.figure) : BL_OK;
    if (drawn != BL_OK)
        show.figure = NULL;
    int code = cli_show(ctx, args, status, print_report, json_report, &show);
    if (drawn != BL_OK)
        code = cli_fail(ctx, args, drawn);
    if (drawn == BL_E_ABILITY) /* gnuplot is missing: a system failure, not a usage error */
        code = EXIT_SYSTEM;
    free(omega);
    bl_stability_report_destroy(ctx, &show.report);
    return code;
}

static const cli_option *const options_of_stability[] = {
    &cli_opt_json,
    CLI_SHARED(at, 0, "at", "R1,R2,...", CLI_TIMES, "values of h/T in the tables (default: 0.01 to 1)"),
    CLI_OWN(xi, 0, "xi", "NUMBER", CLI_NOT_NEGATIVE, "physical damping ratio of the tables, below 1 (default: 0)"),
    CLI_OWN(region, 0, "region", NULL, CLI_FLAG, "with --json: the boundary of the stability region as polylines"),
    CLI_OWN(model, 0, "model", "MODEL", CLI_TEXT, "mark the frequencies of a model on the curves; needs --step"),
    CLI_SHARED(run.step, 0, "step", "SECONDS", CLI_POSITIVE, "step for which the model's frequencies are marked"),
    CLI_OWN(count, 0, "count", "NUMBER", CLI_COUNT, "number of the model's lowest frequencies (default: all; large models 10)"),
    CLI_MODEL_OPTIONS,
    CLI_SHARED(output, 'o', "figure", "FILE.svg", CLI_TEXT, "draw regions, radius, damping and period error (gnuplot)"),
    CLI_MESSAGE_OPTIONS};

const cli_command cli_stability = {
    .name = "stability",
    .word = "METHOD...",
    .help = "analyze integration methods: order, stability, damping, period error",
    .text = "Analyzes integration methods from their coefficients alone: order and error constant, root condition, angle\n"
            "of A(alpha)-stability, stable intervals of the real and imaginary axes, and for a vibration of period T the\n"
            "spectral radius, the algorithmic damping ratio and the relative period error for steps h. Methods are\n"
            "integrators with their parameters: bdf:3, hht:0.3, multistep:a=1/2;-2;3/2,b=0;0;1 (`biela list\n"
            "integrators`).",
    .options = options_of_stability,
    .run = stability,
    .own = sizeof(struct own)};
