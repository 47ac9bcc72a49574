/* biela stability: what the coefficients of integration methods say about them; tables, JSON, figures. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- tables */

enum { COLUMNS = 10, CELL = 96 };
typedef char line[COLUMNS][CELL];

static void limit_text(double value, char *text) {
    if (isnan(value))
        snprintf(text, CELL, "-");
    else if (isinf(value))
        snprintf(text, CELL, "unlimited");
    else
        snprintf(text, CELL, "%.6g", value);
}

static void fill_line(const bl_stability_entry *entry, line l) {
    snprintf(l[0], CELL, "%s", entry->name);
    snprintf(l[1], CELL, "%s", entry->shape);
    if (entry->order < 0)
        snprintf(l[2], CELL, "none");
    else
        snprintf(l[2], CELL, "%d", entry->order);
    limit_text(entry->error_constant, l[3]);
    snprintf(l[4], CELL, "%s", entry->zero_stable ? "yes" : "no");
    if (isnan(entry->angle))
        snprintf(l[5], CELL, "-");
    else
        snprintf(l[5], CELL, "%.2f", entry->angle);
    limit_text(entry->rho_infinity, l[6]);
    limit_text(entry->real_interval, l[7]);
    limit_text(entry->imaginary_interval, l[8]);
    limit_text(entry->omega_critical, l[9]);
}

static void print_summary(const bl_stability_report *report) {
    static const line head = {"method",   "shape",      "order",     "error constant", "zero-stable",
                              "A(alpha)", "rho at inf", "real axis", "imaginary",      "Omega crit"};
    line *lines = calloc((size_t)report->nentry + 1, sizeof *lines);
    if (!lines)
        return;
    memcpy(lines[0], head, sizeof head);
    for (bl_index k = 0; k < report->nentry; k++)
        fill_line(&report->entry[k], lines[k + 1]);
    cli_print_table(lines[0][0], CELL, COLUMNS, report->nentry + 1, 2);
    free(lines);
}

static void print_notes(const bl_stability_entry *entry) {
    cli_out("  %s: zero-stable: %s", entry->name, entry->zero_words);
    if (entry->promised_order > 0 && entry->order != entry->promised_order)
        cli_out("; order %d, the method promises %d", entry->order, entry->promised_order);
    if (!isnan(entry->omega_bifurcation))
        cli_out("; no oscillation from Omega = %.6g on", entry->omega_bifurcation);
    cli_out("\n");
}

/* what only rounding has left is nothing */
static double rounded(double value) { return fabs(value) < 1e-15 ? 0 : value; }

static void print_table(const bl_stability_entry *entry, double xi) {
    const bl_stability_table *t = &entry->at;
    cli_out("\n%s", entry->name);
    if (xi > 0)
        cli_out(", damping ratio %g", xi);
    cli_out("\n  %10s  %12s  %12s  %12s\n", "h/T", "rho", "damping", "period error");
    for (bl_index i = 0; i < t->n; i++) {
        cli_out("  %10g  %12.6g", t->h_over_T[i], t->rho[i]);
        if (isnan(t->damping[i]))
            cli_out("  %12s  %12s\n", "-", "-");
        else
            cli_out("  %12.6g  %12.6g\n", rounded(t->damping[i]), rounded(t->period_error[i]));
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
        if (isnan(t->damping[i]))
            cli_out("  %12s  %12s\n", "-", "-");
        else
            cli_out("  %12.6g  %12.6g\n", rounded(t->damping[i]), rounded(t->period_error[i]));
    }
}

static void print_report(const bl_stability_report *report) {
    print_summary(report);
    cli_out("\n");
    for (bl_index k = 0; k < report->nentry; k++)
        print_notes(&report->entry[k]);
    for (bl_index k = 0; k < report->nentry; k++)
        print_table(&report->entry[k], report->xi);
    for (bl_index k = 0; k < report->nentry; k++)
        print_marks(&report->entry[k], report->step);
}

/* ---- JSON */

/* what has no limit is a word, what does not apply null */
static void json_limit(bl_json *json, const char *key, double value) {
    if (isinf(value))
        bl_json_text(json, key, "infinity");
    else
        bl_json_number(json, key, value);
}

static void json_entry(bl_json *json, const bl_stability_entry *entry, bool region) {
    const bl_stability_table *t = &entry->at;
    bl_json_open(json, NULL, '{');
    bl_json_text(json, "name", entry->name);
    bl_json_text(json, "shape", entry->shape);
    bl_json_integer(json, "order", entry->order);
    bl_json_integer(json, "promised_order", entry->promised_order);
    bl_json_number(json, "error_constant", entry->error_constant);
    bl_json_flag(json, "zero_stable", entry->zero_stable);
    bl_json_text(json, "root_condition", entry->zero_words);
    bl_json_flag(json, "a_stable", entry->a_stable);
    bl_json_number(json, "angle", entry->angle);
    json_limit(json, "rho_infinity", entry->rho_infinity);
    json_limit(json, "real_interval", entry->real_interval);
    json_limit(json, "imaginary_interval", entry->imaginary_interval);
    json_limit(json, "omega_critical", entry->omega_critical);
    bl_json_number(json, "omega_bifurcation", entry->omega_bifurcation);
    bl_json_numbers(json, "h_over_T", t->h_over_T, t->n);
    bl_json_numbers(json, "rho", t->rho, t->n);
    bl_json_numbers(json, "damping", t->damping, t->n);
    bl_json_numbers(json, "period_error", t->period_error, t->n);
    if (entry->marks.n > 0) {
        const bl_stability_table *m = &entry->marks;
        bl_json_open(json, "model", '{');
        bl_json_numbers(json, "h_over_T", m->h_over_T, m->n);
        bl_json_numbers(json, "rho", m->rho, m->n);
        bl_json_numbers(json, "damping", m->damping, m->n);
        bl_json_numbers(json, "period_error", m->period_error, m->n);
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

static int print_json(bl_context *ctx, const bl_stability_report *report, bool region) {
    bl_json json = {.ctx = ctx};
    bl_json_open(&json, NULL, '{');
    bl_json_text(&json, "status", bl_status_text(BL_OK));
    bl_json_number(&json, "xi", report->xi);
    if (report->step > 0)
        bl_json_number(&json, "step", report->step);
    bl_json_open(&json, "methods", '[');
    for (bl_index k = 0; k < report->nentry; k++)
        json_entry(&json, &report->entry[k], region);
    bl_json_close(&json, ']');
    bl_json_close(&json, '}');
    return cli_print_json(ctx, &json);
}

/* ---- the command */

/* frequencies of the model that are not zero, ascending; omega is freed by the caller */
static bl_status find_frequencies(bl_context *ctx, cli_args *args, double **omega, bl_index *count) {
    bl_model *model = NULL;
    bl_modes_report modes = {0};
    bl_modes_options options = {.count = args->count > 0 ? (bl_index)args->count : -1, .coordinates = args->run.coordinates};
    cli_args of_model = *args;
    of_model.word = args->model;
    bl_status status = cli_read_model(ctx, &of_model, &model);
    if (status == BL_OK)
        status = bl_modes(ctx, model, &options, NULL, 0, &modes);
    if (status == BL_E_ABILITY && args->count == 0) { /* too many to find them all */
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
    bl_stability_report report = {0};
    double *omega = NULL;
    bl_index nomega = 0;
    if ((args->model != NULL) != (args->run.step > 0)) {
        cli_mistake mistake = {.advice = "a step h marks the frequencies w of the model at h w / 2 pi"};
        snprintf(mistake.what, sizeof mistake.what, "--model and --step need each other");
        return cli_fail_usage(args, &mistake);
    }
    if (args->model) {
        bl_status found = find_frequencies(ctx, args, &omega, &nomega);
        if (found != BL_OK) {
            free(omega);
            return cli_fail(ctx, args, found);
        }
    }
    bl_stability_options options = {.method = args->words,
                                    .nmethod = args->nword,
                                    .at = args->at,
                                    .nat = args->run.nat,
                                    .xi = args->xi,
                                    .omega = omega,
                                    .nomega = nomega,
                                    .step = args->run.step,
                                    .region = args->region || args->output};
    bl_status status = bl_stability_study(ctx, &options, &report);
    free(omega);
    if (status != BL_OK)
        return cli_fail(ctx, args, status);
    int code = EXIT_DONE;
    if (args->json)
        code = print_json(ctx, &report, args->region);
    else if (!args->quiet)
        print_report(&report);
    if (code == EXIT_DONE && args->output) {
        status = bl_stability_figure(ctx, &report, args->output);
        if (status != BL_OK) {
            code = cli_fail(ctx, args, status);
            if (status == BL_E_ABILITY) /* no gnuplot: what is missing is a program, not sense */
                code = EXIT_SYSTEM;
        } else if (!args->json && !args->quiet) {
            cli_out("\n  figure  %s\n", args->output);
        }
    }
    bl_stability_report_destroy(ctx, &report);
    return code;
}

static const cli_option *const options_of_stability[] = {
    &cli_opt_json, &cli_opt_ratios,   &cli_opt_xi,     &cli_opt_region, &cli_opt_model,   &cli_opt_model_step, &cli_opt_model_count,
    &cli_opt_set,  &cli_opt_confined, &cli_opt_figure, &cli_opt_quiet,  &cli_opt_verbose, &cli_opt_help,       NULL};

const cli_command cli_stability = {
    "stability",
    "METHOD...",
    "order, stability region, damping and period error of methods",
    "Studies integration methods by their coefficients alone: order and error constant, root condition, angle of\n"
    "A(alpha), stable intervals of the real and imaginary axis, and for a vibration of period T the spectral radius,\n"
    "the algorithmic damping ratio and the relative period error of steps h. Methods are integrators with their\n"
    "parameters: bdf:3, hht:0.3, multistep:a=1/2;-2;3/2,b=0;0;1 (`biela list integrators`).",
    options_of_stability,
    stability};
