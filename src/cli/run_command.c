/* biela run: simulate a model; result file and summary. */
#include "cli/cli.h"

#include <math.h>

struct own {
    bool hold; /* values of inputs between rows of their table */
};

static void print_warnings(const bl_context *ctx) {
    const bl_warning *warning;
    bl_index more, n = bl_context_warnings(ctx, &warning, &more);
    for (bl_index i = 0; i < n; i++)
        cli_line("warning", "%s", warning[i].text);
    if (more > 0)
        cli_line("warnings", "%d more", (int)more);
}

static void print_summary(const bl_context *ctx, const cli_outcome *outcome) {
    const bl_run_summary *sum = &outcome->summary;
    bool two = sum->sliding_method[0];
    cli_out("%s (%.*s%s%s%s)\n", outcome->model, outcome->integrator_end, outcome->combination, two ? " and " : "", sum->sliding_method,
            outcome->combination + outcome->integrator_end);
    cli_print_reached(outcome);
    cli_line("steps", "%ld, %ld rejected, %ld restarts, from %.3g s to %.3g s", sum->steps, sum->rejections, sum->restarts, sum->h_smallest,
             sum->h_largest);
    if (sum->bounded > 0)
        cli_line("limited orders", "%ld steps, because of stiff oscillations", sum->bounded);
    cli_line("evaluations", "%ld, %ld iterations, %ld tangents", sum->evaluations, sum->newton_iterations, sum->tangents);
    cli_line("factorizations", "%ld, %ld refactorizations, %ld solves", sum->factorizations, sum->refactorizations, sum->solves);
    cli_line("projections", "%ld, %ld repartitions", sum->projections, sum->repartitions);
    cli_line("for samples", "%ld evaluations, %ld factorizations, %ld solves", sum->sample_evaluations, sum->sample_factorizations,
             sum->sample_solves);
    if (sum->method_changes > 0)
        cli_line("method", "%s", sum->method);
    if (sum->handovers > 0)
        cli_line("handovers", "%ld, to another formulation near singular configurations", sum->handovers);
    cli_line("largest drift", "%.3g", sum->largest_drift);
    if (sum->largest_misfit > 0)
        cli_line("largest misfit", "%.3g, violation of constraints treated as redundant within the closure", sum->largest_misfit);
    if (sum->largest_energy_error != 0) /* equations may have no energies */
        cli_line("energy error", "%.3g J", sum->largest_energy_error);
    if (sum->dissipated > 0)
        cli_line("dissipated", "%.6g J, by materials", sum->dissipated);
    if (sum->impacts > 0 && sum->accumulations > 0)
        cli_line("impacts", "%ld, %.6g J lost; %ld times they accumulated to rest", sum->impacts, sum->lost_in_impacts, sum->accumulations);
    else if (sum->impacts > 0)
        cli_line("impacts", "%ld, %.6g J lost", sum->impacts, sum->lost_in_impacts);
    else if (fabs(sum->lost_in_impacts) > 0)
        cli_line("contacts", "%.6g J lost", sum->lost_in_impacts);
    if (isfinite(sum->real_time_factor))
        cli_line("wall time", "%.3g s, %.3g times real time", sum->wall_seconds, sum->real_time_factor);
    else
        cli_line("wall time", "%.3g s", sum->wall_seconds);
    print_warnings(ctx);
}

static bl_status simulate(bl_context *ctx, const cli_args *args, const bl_model *model, bl_sink *sinks, bl_index nsink,
                          cli_outcome *outcome) {
    bl_inputs inputs = {.size = sizeof inputs};
    bl_run_options options = args->run;
    bl_status status = BL_OK;
    if (args->table) {
        status = bl_inputs_read(ctx, model, args->table, &inputs);
        inputs.hold = cli_own(args)->hold;
        options.inputs = &inputs;
    }
    if (status == BL_OK)
        status = bl_simulate(ctx, model, &options, sinks, nsink, &outcome->summary);
    bl_inputs_destroy(ctx, &inputs);
    return status;
}

static int run(bl_context *ctx, cli_args *args) {
    if (cli_own(args)->hold && !args->table)
        return cli_refuse(args, "name the table with --input FILE.csv", "--input-hold needs a table of inputs");
    return cli_study_to_file(ctx, args, simulate, print_summary, cli_run_deck);
}

static const cli_option *const options[] = {
    &cli_opt_output,
    &cli_opt_csv,
    &cli_opt_vtk,
    &cli_opt_report,
    &cli_opt_fields,
    &cli_opt_json,
    &cli_opt_until,
    &cli_opt_every,
    CLI_SHARED(run.every_step, 0, "every-step", NULL, CLI_FLAG, "output at every step"),
    &cli_opt_at,
    CLI_SHARED(table, 0, "input", "FILE.csv", CLI_TEXT, "inputs of the model over time: columns t and names of inputs"),
    CLI_OWN(hold, 0, "input-hold", NULL, CLI_FLAG, "inputs keep the value of a row until the next one (default: linear between rows)"),
    CLI_SHARED(threads, 0, "threads", "NUMBER", CLI_COUNT, "number of threads for elements of meshes (default: 1)"),
    CLI_MODEL_OPTIONS,
    CLI_METHOD_OPTIONS,
    &cli_opt_contact,
    &cli_opt_singular,
    &cli_opt_tolerance,
    CLI_SHARED(run.absolute, 0, "absolute", "NUMBER", CLI_POSITIVE, "absolute tolerance of every component"),
    CLI_SHARED(run.step, 0, "step", "SECONDS", CLI_POSITIVE, "step of fixed-step methods, first step of others"),
    CLI_MESSAGE_OPTIONS};

const cli_command cli_run = {
    .name = "run",
    .word = "MODEL",
    .help = "simulate a model; summary and result file",
    .text = "Simulates a model (- reads standard input). Options override the model, which overrides the defaults. The\n"
            "result file is replaced at the end in one operation; a killed run leaves FILE~partial, which is readable.\n"
            "With --json only -o writes it. Ctrl-C ends the run and keeps the results so far (status \"stopped\", exit code 0);\n"
            "a second Ctrl-C kills it.",
    .options = options,
    .own = sizeof(struct own),
    .run = run,
    .parallel = true};
