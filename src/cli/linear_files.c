/* Files of linearized mechanisms: matrices, frequency response, figures of eigenvalues over a parameter. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool refuse(cli_mistake *mistake, const char *option, const char *takes, const char *path, const char *advice) {
    return cli_mistaken(mistake, advice, "--%s takes a file that ends in %s, not '%s'", option, takes, path);
}

/* "1:100", "1:100:500", ":100", "1:"; a missing number is 0 */
static bool read_range(const char *text, double *from, double *to, double *count) {
    double *const part[] = {from, to, count};
    const char *at = text;
    *from = *to = *count = 0;
    for (int k = 0; k < 3; k++) {
        char *end;
        if (*at != ':' && *at != '\0') {
            *part[k] = strtod(at, &end);
            if (end == at || !isfinite(*part[k]) || *part[k] <= 0)
                return false;
            at = end;
        }
        if (*at == '\0')
            return k > 0 && (*from == 0 || *to == 0 || *to > *from) &&
                   (*count == 0 || (*count >= 2 && *count <= 1e6 && *count == floor(*count)));
        if (*at++ != ':')
            return false;
    }
    return false;
}

bool cli_linear_options(const cli_linear *files, bool has_path, cli_mistake *mistake) {
    double from, to, count;
    char file[8];
    if (files->matrices && bl_linear_file(files->matrices, 0, file, sizeof file) == 0)
        return refuse(mistake, "matrices", ".m, .json or .mtx", files->matrices,
                      "a script for Octave and MATLAB, JSON, or Matrix Market with a file for each matrix");
    if (files->response && !cli_ends_with(files->response, ".csv") && !cli_ends_with(files->response, ".svg"))
        return refuse(mistake, "response", ".csv (a table) or .svg (a figure)", files->response, "");
    if (files->locus && !cli_ends_with(files->locus, ".svg"))
        return refuse(mistake, "locus", ".svg", files->locus, "");
    if (files->campbell && !cli_ends_with(files->campbell, ".svg"))
        return refuse(mistake, "campbell", ".svg", files->campbell, "");
    if ((files->locus || files->campbell) && !has_path)
        return cli_mistaken(mistake, "for example --path k=0:100", "--%s needs a parameter path", files->locus ? "locus" : "campbell");
    if (files->frequencies && !files->response)
        return cli_mistaken(mistake, "name the file of the response with --response FILE.csv or FILE.svg",
                            "--frequencies needs --response");
    if (files->frequencies && !read_range(files->frequencies, &from, &to, &count))
        return cli_mistaken(mistake, "for example --frequencies 0.1:100 or --frequencies 0.1:100:500",
                            "--frequencies takes FROM:TO or FROM:TO:NUMBER in rad/s, not '%s'", files->frequencies);
    return true;
}

bool cli_linear_wanted(const cli_linear *files) { return files->matrices || files->response; }

bl_index cli_linear_files(const cli_linear *files, char (*room)[CLI_PATH], const char **path) {
    bl_index n = files->matrices ? bl_linear_file(files->matrices, 0, room[0], CLI_PATH) : 0;
    for (bl_index k = 0; k < n; k++) {
        bl_linear_file(files->matrices, k, room[k], CLI_PATH);
        path[k] = room[k];
    }
    path[n++] = files->response;
    path[n++] = files->locus;
    path[n++] = files->campbell;
    return n;
}

static bl_status respond(bl_context *ctx, const cli_linear *files, const bl_linear_model *lin) {
    double from = 0, to = 0, count = 0, *H = NULL;
    bl_frequencies at = {0};
    size_t pairs = (size_t)lin->noutput * (size_t)lin->ninput;
    if (files->frequencies)
        (void)read_range(files->frequencies, &from, &to, &count);
    bl_status status = bl_linear_frequencies(ctx, lin, from, to, (bl_index)count, &at);
    if (status == BL_OK && !(H = calloc(2 * pairs * (size_t)at.n + 1, sizeof *H)))
        status = BL_E_MEMORY;
    if (status == BL_OK)
        status = bl_linear_response(ctx, lin, at.n, at.omega, H);
    if (status == BL_OK && cli_ends_with(files->response, ".csv"))
        status = bl_linear_response_csv(ctx, lin, at.n, at.omega, H, files->response);
    else if (status == BL_OK)
        status = bl_linear_bode(ctx, lin, at.n, at.omega, H, NULL, 0, files->response);
    free(H);
    bl_frequencies_destroy(ctx, &at);
    return status;
}

bl_status cli_linear_outputs(bl_context *ctx, const cli_linear *files, const bl_linear_model *lin, const bl_mode_path *path) {
    bl_status status = BL_OK;
    if (!cli_first_rank())
        return BL_OK;
    if (lin && files->matrices)
        status = bl_linear_write(ctx, lin, files->matrices);
    if (status == BL_OK && lin && files->response)
        status = respond(ctx, files, lin);
    if (status == BL_OK && path && files->locus)
        status = bl_linear_locus(ctx, path, files->locus);
    if (status == BL_OK && path && files->campbell)
        status = bl_linear_campbell(ctx, path, files->campbell);
    return status;
}

void cli_linear_print(const cli_linear *files) {
    char first[CLI_PATH], last[CLI_PATH];
    if (files->matrices) {
        bl_index n = bl_linear_file(files->matrices, 0, first, sizeof first);
        bl_linear_file(files->matrices, n - 1, last, sizeof last);
        cli_line("matrices", "%s%s%s", first, n > 1 ? " ... " : "", n > 1 ? last : "");
    }
    if (files->response)
        cli_line("response", "%s", files->response);
    if (files->locus)
        cli_line("root locus", "%s", files->locus);
    if (files->campbell)
        cli_line("Campbell diagram", "%s", files->campbell);
}
