/* biela assemble: assemble the mechanism from an approximate configuration and print its positions. */
#include "cli/cli.h"

static bl_status begin(void *user, const bl_run_info *info) {
    *(bl_run_info *)user = *info;
    return BL_OK;
}

static bl_status take_sample(void *user, const bl_sample *sample) {
    const bl_run_info *info = user;
    bl_index unknowns = info->nvariable ? info->nvariable : info->dof; /* unknowns of meshes have no names */
    if (info->nbody == 0 && unknowns == 0)
        cli_out("%s: drift %.3g, velocity drift %.3g\n", info->model_name, sample->drift, sample->velocity_drift);
    else if (info->nbody == 0)
        cli_out("%s: %d unknowns, %d constraints, drift %.3g, velocity drift %.3g\n", info->model_name, (int)unknowns, (int)info->np,
                sample->drift, sample->velocity_drift);
    else
        cli_out("%s: %d coordinates, %d equations, %d degree%s of freedom, drift %.3g, velocity drift %.3g\n", info->model_name,
                (int)info->nq, (int)info->np, (int)info->dof, info->dof == 1 ? "" : "s", sample->drift, sample->velocity_drift);
    cli_print_bodies(info, sample->body);
    for (bl_index i = 0; i < info->nvariable; i++)
        cli_line(info->variable[i], "%.9g%s, rate %.9g", sample->variable[i],
                 info->nbody == 0    ? ""
                 : info->is_angle[i] ? " rad"
                                     : " m",
                 sample->variable_rate[i]);
    for (bl_index i = 0; i < info->nprobe; i++)
        cli_print_point(info->probe[i], sample->probe + 3 * i);
    return BL_OK;
}

static bl_status assemble_model(bl_context *ctx, const cli_args *args, const bl_model *model, bl_sink *sinks, bl_index nsink,
                                cli_outcome *outcome) {
    return bl_assemble(ctx, model, &args->run, sinks, nsink, &outcome->summary);
}

static int assemble(bl_context *ctx, cli_args *args) {
    if (args->move.n > 0)
        return cli_move(ctx, args);
    bl_run_info info = {0};
    bl_sink table = {.size = sizeof table, .user = &info, .begin = begin, .sample = take_sample};
    cli_outcome outcome;
    bool silent = args->json || args->quiet;
    cli_do_study(ctx, args, assemble_model, args->output, silent ? (bl_sink){0} : table, &outcome);
    return outcome.status == BL_OK ? EXIT_DONE : cli_fail(ctx, args, outcome.status);
}

static const cli_option *const options[] = {&cli_opt_json,        &cli_opt_optional_output, &cli_opt_csv,  CLI_MODEL_OPTIONS,
                                            &cli_opt_coordinates, &cli_opt_closure,         &cli_opt_move, CLI_MESSAGE_OPTIONS};

const cli_command cli_assemble = {
    .name = "assemble",
    .word = "MODEL",
    .help = "assemble the mechanism; positions and orientations",
    .text = "Assembles the mechanism: changes the given configuration as little as possible until all joints fit, keeps\n"
            "the values given under `initial:`, and prints positions, orientations and variables. Files are written only\n"
            "with -o or --csv. With --move the mechanism then moves step by step, without changing its assembly mode, until\n"
            "variables have the given values, or to where it cannot move further, with the reason. Files then contain this\n"
            "displacement, with \"times\" from 0 to 1.",
    .options = options,
    .run = assemble,
    .parallel = true};
