/* biela run: simulate, with a result file and a summary. */
#include "cli/cli.h"

#include <math.h>

static void line(const char *name, const char *format, double value, const char *rest) {
    cli_out("  %-16s ", name);
    cli_out(format, value);
    cli_out("%s\n", rest);
}

static void print_warnings(const bl_context *ctx) {
    const bl_warning *warning;
    bl_index more, n = bl_context_warnings(ctx, &warning, &more);
    for (bl_index i = 0; i < n; i++)
        cli_out("  %-16s %s\n", "warning", warning[i].text);
    if (more > 0)
        cli_out("  %-16s %d more\n", "warnings", (int)more);
}

static void print_summary(const bl_context *ctx, const cli_outcome *outcome) {
    const bl_run_summary *sum = &outcome->summary;
    char rest[256];
    cli_out("%s (%s)\n", outcome->model, outcome->combination);
    if (sum->status == BL_EVENT && outcome->stopped_by[0])
        snprintf(rest, sizeof rest, " s of %.9g s: %s", outcome->until, outcome->stopped_by);
    else
        snprintf(rest, sizeof rest, " s of %.9g s: %s", outcome->until, bl_status_text(outcome->status));
    line("reached", "%.9g", sum->t, rest);
    snprintf(rest, sizeof rest, ", %ld rejected, %ld restarts, from %.3g s to %.3g s", sum->rejections, sum->restarts, sum->h_smallest,
             sum->h_largest);
    line("steps", "%.0f", (double)sum->steps, rest);
    if (sum->bounded > 0)
        line("bounded orders", "%.0f", (double)sum->bounded, " steps, because of stiff oscillations");
    snprintf(rest, sizeof rest, ", %ld iterations, %ld tangents", sum->newton_iterations, sum->tangents);
    line("evaluations", "%.0f", (double)sum->evaluations, rest);
    snprintf(rest, sizeof rest, ", %ld refactorizations, %ld solves", sum->refactorizations, sum->solves);
    line("factorizations", "%.0f", (double)sum->factorizations, rest);
    snprintf(rest, sizeof rest, ", %ld repartitions", sum->repartitions);
    line("projections", "%.0f", (double)sum->projections, rest);
    if (sum->method_changes > 0)
        cli_out("  %-16s %s\n", "method", sum->method);
    if (sum->handovers > 0)
        line("handovers", "%.0f", (double)sum->handovers, ", by another formulation past singular positions");
    line("largest drift", "%.3g", sum->largest_drift, "");
    if (sum->largest_misfit > 0)
        line("largest misfit", "%.3g", sum->largest_misfit, ", of constraints taken as redundant within the closure");
    if (sum->largest_energy_error != 0) /* equations may have no energies */
        line("energy error", "%.3g", sum->largest_energy_error, " J");
    if (sum->dissipated > 0)
        line("dissipated", "%.6g", sum->dissipated, " J, by materials");
    snprintf(rest, sizeof rest, " s, %.3g times real time", sum->real_time_factor);
    line("wall time", "%.3g", sum->wall_seconds, isfinite(sum->real_time_factor) ? rest : " s");
    print_warnings(ctx);
}

static bl_status simulate(bl_context *ctx, const cli_args *args, const bl_model *model, bl_sink *sinks, bl_index nsink,
                          cli_outcome *outcome) {
    return bl_simulate(ctx, model, &args->run, sinks, nsink, &outcome->summary);
}

static int run(bl_context *ctx, cli_args *args) { return cli_study_to_file(ctx, args, simulate, print_summary, cli_run_deck); }

static const cli_option *const options[] = {&cli_opt_output,      &cli_opt_csv,         &cli_opt_vtk,
                                            &cli_opt_report,      &cli_opt_fields,      &cli_opt_json,
                                            &cli_opt_until,       &cli_opt_every,       &cli_opt_every_step,
                                            &cli_opt_at,          &cli_opt_threads,     &cli_opt_set,
                                            &cli_opt_confined,    &cli_opt_coordinates, &cli_opt_closure,
                                            &cli_opt_formulation, &cli_opt_integrator,  &cli_opt_linsol,
                                            &cli_opt_ordering,    &cli_opt_singular,    &cli_opt_tolerance,
                                            &cli_opt_absolute,    &cli_opt_step,        &cli_opt_quiet,
                                            &cli_opt_verbose,     &cli_opt_help,        NULL};

const cli_command cli_run = {"run",
                             "MODEL",
                             "simulate: progress bar, summary, result file",
                             "Simulates a model (- reads standard input). What an option does not say the model says, then the default.\n"
                             "The result file is replaced in one move at the end; a killed run leaves FILE~partial, which is readable.\n"
                             "Ctrl-C ends the run cleanly with what was computed (status \"stopped\", exit 0); a second one kills it.",
                             options,
                             run};
