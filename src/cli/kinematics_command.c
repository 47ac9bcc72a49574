/* biela kinematics: positions, velocities and accelerations of a driven mechanism, without masses and forces. */
#include "cli/cli.h"

/* values of the options of this command */
struct own {
    const char *solver;
};

static bl_status study(bl_context *ctx, const cli_args *args, const bl_model *model, bl_sink *sinks, bl_index nsink, cli_outcome *outcome) {
    bl_kinematics_options how = {.size = sizeof how, .solver = cli_own(args)->solver};
    return bl_kinematics_study(ctx, model, &how, &args->run, sinks, nsink, &outcome->summary, &outcome->kinematics);
}

static void print_time(double seconds) {
    if (seconds < 1e-6)
        cli_out("%.3g ns", seconds * 1e9);
    else if (seconds < 1e-3)
        cli_out("%.3g us", seconds * 1e6);
    else
        cli_out("%.3g ms", seconds * 1e3);
}

static void print_summary(const bl_context *ctx, const cli_outcome *outcome) {
    (void)ctx;
    const bl_kinematics_summary *k = &outcome->kinematics;
    cli_out("%s (kinematics by %s)\n", outcome->model, outcome->solver);
    cli_print_reached(outcome);
    cli_line("groups", "%d, %d in closed form, the largest of %d link%s", (int)k->ngroup, (int)k->nclosed, (int)k->largest,
             k->largest == 1 ? "" : "s");
    cli_out("  %-16s %ld", "positions", k->positions);
    if (k->iterations > 0)
        cli_out(", %ld iterations, %ld factorizations", k->iterations, k->factorizations);
    cli_out("\n  %-16s ", "per position");
    print_time(k->seconds / (double)(k->positions > 0 ? k->positions : 1));
    cli_out(", with velocities and accelerations\n  %-16s %.3g\n", "largest drift", outcome->summary.largest_drift);
}

static int kinematics(bl_context *ctx, cli_args *args) { return cli_study_to_file(ctx, args, study, print_summary, NULL); }

static const cli_option *const options[] = {
    &cli_opt_output,
    &cli_opt_csv,
    &cli_opt_report,
    &cli_opt_json,
    &cli_opt_until,
    &cli_opt_every,
    &cli_opt_at,
    CLI_MODEL_OPTIONS,
    &cli_opt_closure,
    CLI_OWN(solver, 0, "solver", "METHOD", CLI_TEXT, "groups, newton (no closed forms) or whole (all links at once by Newton)"),
    CLI_MESSAGE_OPTIONS};

const cli_command cli_kinematics = {
    .name = "kinematics",
    .word = "MODEL",
    .help = "positions, velocities and accelerations of a driven mechanism",
    .text = "Moves a mechanism whose drivers determine its motion; masses and forces are ignored. Structural groups are\n"
            "solved one after the other, dyads in closed form (`biela structure MODEL` shows them). If a group cannot be\n"
            "assembled, the results up to that time are kept and the message names the group, the joint and the time.",
    .options = options,
    .run = kinematics,
    .own = sizeof(struct own),
    .parallel = true};
