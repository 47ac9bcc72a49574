/* biela reduce: write a body that is reduced to a few shapes to a file, which models read without its mesh. */
#include "cli/cli.h"

#include "biela/reduce.h"

/* values of the options of this command */
struct own {
    const char *body;
};

static int reduce(bl_context *ctx, cli_args *args) {
    bl_model *model = NULL;
    char path[512];
    cli_default_result(args->word, ".json", path, sizeof path);
    const char *to = args->output ? args->output : path;
    bl_status status = cli_read_model(ctx, args, &model);
    if (status == BL_OK)
        status = bl_check_outputs(ctx, model, &args->word, 1, &to, 1);
    if (status == BL_OK)
        status = bl_reduced_file(ctx, model, cli_own(args)->body, to);
    bl_model_destroy(model);
    return cli_show_file(ctx, args, status, "body", to);
}

static const cli_option *const options[] = {
    CLI_OWN(body, 0, "body", "NAME", CLI_TEXT, "the body (default: the only one with `coordinates: floating`)"),
    CLI_SHARED(output, 'o', "output", "FILE", CLI_TEXT, "the file (default MODEL.json in the current folder)"), &cli_opt_json,
    CLI_MODEL_OPTIONS, CLI_MESSAGE_OPTIONS};

const cli_command cli_reduce = {
    .name = "reduce",
    .word = "MODEL",
    .help = "write a reduced body to a file that models read without its mesh",
    .text = "Writes a meshed body with `coordinates: floating`, which is reduced to the motions of its interfaces and its lowest\n"
            "modes with fixed interfaces when its model is read, to a file. Other models use it with `reduced: FILE` in place of\n"
            "the mesh and its material; the motion is the same, bit by bit.",
    .options = options,
    .run = reduce,
    .own = sizeof(struct own)};
