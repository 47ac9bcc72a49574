/* Files of linearized mechanisms for commands that have one: matrices, frequency response, figures of eigenvalues over a parameter. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool ends(const char *path, const char *ending) {
    size_t n = strlen(path), m = strlen(ending);
    return n > m && strcmp(path + n - m, ending) == 0;
}

static bool refuse(cli_mistake *mistake, const char *option, const char *takes, const char *path) {
    snprintf(mistake->what, sizeof mistake->what, "--%s takes a file that ends in %s, not '%s'", option, takes, path);
    return false;
}

/* "1:100", "1:100:500", ":100", "1:"; what is missing is 0 */
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

bool cli_linear_options(const cli_args *args, bool has_path, cli_mistake *mistake) {
    double from, to, count;
    char file[8];
    if (args->matrices && bl_linear_file(args->matrices, 0, file, sizeof file) == 0) {
        snprintf(mistake->advice, sizeof mistake->advice,
                 "a script for Octave and MATLAB, JSON, or Matrix Market with a file for each matrix");
        return refuse(mistake, "matrices", ".m, .json or .mtx", args->matrices);
    }
    if (args->response && !ends(args->response, ".csv") && !ends(args->response, ".svg"))
        return refuse(mistake, "response", ".csv (a table) or .svg (a figure)", args->response);
    if (args->locus && !ends(args->locus, ".svg"))
        return refuse(mistake, "locus", ".svg", args->locus);
    if (args->campbell && !ends(args->campbell, ".svg"))
        return refuse(mistake, "campbell", ".svg", args->campbell);
    if ((args->locus || args->campbell) && !has_path) {
        snprintf(mistake->what, sizeof mistake->what, "--%s needs a parameter to follow", args->locus ? "locus" : "campbell");
        snprintf(mistake->advice, sizeof mistake->advice, "for example --path k=0:100");
        return false;
    }
    if (args->frequencies && !args->response) {
        snprintf(mistake->what, sizeof mistake->what, "--frequencies needs --response");
        snprintf(mistake->advice, sizeof mistake->advice, "--response FILE.csv or FILE.svg says where the response goes");
        return false;
    }
    if (args->frequencies && !read_range(args->frequencies, &from, &to, &count)) {
        snprintf(mistake->what, sizeof mistake->what, "--frequencies takes FROM:TO or FROM:TO:NUMBER in rad/s, not '%s'",
                 args->frequencies);
        snprintf(mistake->advice, sizeof mistake->advice, "for example --frequencies 0.1:100 or --frequencies 0.1:100:500");
        return false;
    }
    return true;
}

bool cli_linear_wanted(const cli_args *args) { return args->matrices || args->response; }

bl_index cli_linear_files(const cli_args *args, char (*room)[CLI_PATH], const char **path) {
    bl_index n = args->matrices ? bl_linear_file(args->matrices, 0, room[0], CLI_PATH) : 0;
    for (bl_index k = 0; k < n; k++) {
        bl_linear_file(args->matrices, k, room[k], CLI_PATH);
        path[k] = room[k];
    }
    path[n++] = args->response;
    path[n++] = args->locus;
    path[n++] = args->campbell;
    return n;
}

static bl_status respond(bl_context *ctx, const cli_args *args, const bl_linear_model *lin) {
    double from = 0, to = 0, count = 0, *H = NULL;
    bl_frequencies at = {0};
    size_t pairs = (size_t)lin->noutput * (size_t)lin->ninput;
    if (args->frequencies)
        (void)read_range(args->frequencies, &from, &to, &count);
    bl_status status = bl_linear_frequencies(ctx, lin, from, to, (bl_index)count, &at);
    if (status == BL_OK && !(H = calloc(2 * pairs * (size_t)at.n + 1, sizeof *H)))
        status = BL_E_MEMORY;
    if (status == BL_OK)
        status = bl_linear_response(ctx, lin, at.n, at.omega, H);
    if (status == BL_OK && ends(args->response, ".csv"))
        status = bl_linear_response_csv(ctx, lin, at.n, at.omega, H, args->response);
    else if (status == BL_OK)
        status = bl_linear_bode(ctx, lin, at.n, at.omega, H, NULL, 0, args->response);
    free(H);
    bl_frequencies_destroy(ctx, &at);
    return status;
}

bl_status cli_linear_outputs(bl_context *ctx, const cli_args *args, const bl_linear_model *lin, const bl_mode_path *path) {
    bl_status status = BL_OK;
    if (!cli_first_rank())
        return BL_OK;
    if (lin && args->matrices)
        status = bl_linear_write(ctx, lin, args->matrices);
    if (status == BL_OK && lin && args->response)
        status = respond(ctx, args, lin);
    if (status == BL_OK && path && args->locus)
        status = bl_linear_locus(ctx, path, args->locus);
    if (status == BL_OK && path && args->campbell)
        status = bl_linear_campbell(ctx, path, args->campbell);
    return status;
}

void cli_linear_tell(const cli_args *args) {
    char first[CLI_PATH], last[CLI_PATH];
    if (args->matrices) {
        bl_index n = bl_linear_file(args->matrices, 0, first, sizeof first);
        bl_linear_file(args->matrices, n - 1, last, sizeof last);
        cli_out("  %-16s %s%s%s\n", "matrices", first, n > 1 ? " ... " : "", n > 1 ? last : "");
    }
    if (args->response)
        cli_out("  %-16s %s\n", "response", args->response);
    if (args->locus)
        cli_out("  %-16s %s\n", "root locus", args->locus);
    if (args->campbell)
        cli_out("  %-16s %s\n", "Campbell diagram", args->campbell);
}
