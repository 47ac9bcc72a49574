/* biela inverse: actuator forces for a known motion, and the reactions in the joints. */
#include "cli/cli.h"

#include <math.h>

/* values of the options of this command */
struct own {
    bool check;
    const char *noise;
};

static bl_status study(bl_context *ctx, const cli_args *args, const bl_model *model, bl_sink *sinks, bl_index nsink, cli_outcome *outcome) {
    bl_inverse_options options = {.size = sizeof options, .run = &args->run, .table = args->table, .check = cli_own(args)->check};
    options.noise_given = cli_own(args)->noise && cli_read_numbers(cli_own(args)->noise, ',', 1, &options.noise) == 1;
    return bl_inverse(ctx, model, &options, sinks, nsink, &outcome->summary, &outcome->inverse);
}

static void print_actuator(const bl_actuator_summary *a) {
    const char *unit = a->is_angle ? "N m" : "N";
    cli_out("  %-16s %.9g %s at %.6g s, rms %.6g %s, power up to %.6g W, energy %.6g J", a->name, a->largest, unit, a->largest_time, a->rms,
            unit, a->largest_power, a->energy);
    if (!isnan(a->energy_per_period))
        cli_out(", %.6g J per period", a->energy_per_period);
    if (isfinite(a->limit))
        cli_out(isnan(a->over_time) ? ", within its limit of %.6g %s" : ", beyond its limit of %.6g %s", a->limit, unit);
    cli_out("\n");
}

static void print_summary(const bl_context *ctx, const cli_outcome *outcome) {
    (void)ctx;
    const bl_inverse_summary *found = &outcome->inverse;
    cli_out("%s (inverse dynamics, %s)\n", outcome->model, outcome->combination);
    cli_print_reached(outcome);
    cli_line("samples", "%ld, residual %.2g of the largest force", found->samples, found->residual);
    if (found->singular > 0)
        cli_line("singular", "%ld samples, for which no forces are determined", found->singular);
    if (found->smoothed > 0)
        cli_line("table", "smoothing removed %.3g (rms), largest deviation of the mechanism from the curves %.3g", found->smoothed,
                 found->misfit);
    if (!isnan(found->period))
        cli_line("period", "%.9g s", found->period);
    for (bl_index i = 0; i < found->nactuator; i++)
        print_actuator(&found->actuator[i]);
    if (!found->checked)
        return;
    cli_out("  %-16s accelerations agree to %.2g; a run with these forces deviates by %.2g at %.6g s", "check", found->local,
            found->deviation, found->check_time);
    if (!isnan(found->deviation_rate))
        cli_out(", growing at %.3g 1/s", found->deviation_rate);
    cli_out("\n");
}

static int inverse(bl_context *ctx, cli_args *args) {
    double noise = 0;
    if (cli_own(args)->noise && (cli_read_numbers(cli_own(args)->noise, ',', 1, &noise) != 1 || noise < 0))
        return cli_refuse(args, "", "--noise takes zero or a positive number, not '%s'", cli_own(args)->noise);
    return cli_study_to_file(ctx, args, study, print_summary, NULL);
}

static const cli_option *const options[] = {
    &cli_opt_output,
    &cli_opt_csv,
    &cli_opt_report,
    &cli_opt_json,
    CLI_SHARED(table, 0, "from", "TABLE.csv", CLI_TEXT, "measured motion: columns time, variables or probe coordinates"),
    CLI_OWN(noise, 0, "noise", "NUMBER", CLI_TEXT, "standard deviation of the table's noise; 0: none (default: found by cross-validation)"),
    CLI_OWN(check, 0, "check", NULL, CLI_FLAG, "simulate the motion with the computed forces and print the deviation"),
    &cli_opt_until,
    &cli_opt_every,
    &cli_opt_at,
    CLI_MODEL_OPTIONS,
    &cli_opt_coordinates,
    &cli_opt_closure,
    &cli_opt_singular,
    CLI_SHARED(run.tolerance, 0, "tolerance", "NUMBER", CLI_POSITIVE, "tolerance of the --check run (default: 1e-10)"),
    CLI_MESSAGE_OPTIONS};

const cli_command cli_inverse = {
    .name = "inverse",
    .word = "MODEL",
    .help = "find the actuator forces that a known motion requires",
    .text = "Inverse dynamics: finds the forces that produce the motion of the drivers, or a measured motion (--from).\n"
            "Actuators are the drivers, or those listed under `inverse: {actuators: ...}`. If there are too few, the message\n"
            "names the motions without an actuator; in singular configurations no forces are determined. The result file is\n"
            "that of `biela run`, with force, power and energy of every actuator; with --json only -o writes it.",
    .options = options,
    .run = inverse,
    .own = sizeof(struct own)};
