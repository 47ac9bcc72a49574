/* Checks of a linearized mechanism: sizes, names, finite numbers. */
#include "base/linearized.h"

#include <math.h>

static bl_status check_matrix(bl_context *ctx, char letter, const double *matrix, bl_index rows, bl_index columns, const char *const *row,
                              const char *const *column) {
    if (rows > 0 && columns > 0 && !matrix)
        return bl_fail(ctx, BL_E_ARG, NULL, "a linearized mechanism needs its matrix %c[%d][%d]", letter, (int)rows, (int)columns);
    for (bl_index j = 0; j < columns; j++)
        for (bl_index i = 0; i < rows; i++) {
            double value = matrix[(size_t)i + (size_t)rows * (size_t)j];
            if (isfinite(value))
                continue;
            bl_fail(ctx, BL_E_ARG, NULL, "matrix %c of the linearized mechanism has an entry that is %s: row '%s', column '%s'", letter,
                    isnan(value) ? "not a number" : "infinite", row[i], column[j]);
            bl_advise(ctx, "linearize about another configuration: this one may be singular");
            return BL_E_ARG;
        }
    return BL_OK;
}

static bl_status check_names(bl_context *ctx, const char *what, const char *const *name, bl_index count) {
    if (count < 0 || (count > 0 && !name))
        return bl_fail(ctx, BL_E_ARG, NULL, "a linearized mechanism needs the names of its %d %ss", (int)count, what);
    for (bl_index i = 0; i < count; i++)
        if (!name[i])
            return bl_fail(ctx, BL_E_ARG, NULL, "a linearized mechanism needs a name for %s %d", what, (int)i + 1);
    return BL_OK;
}

bl_status bl_linear_check(bl_context *ctx, const bl_linear_model *lin) {
    if (!ctx || !lin)
        return bl_fail(ctx, BL_E_ARG, NULL, "a context and a linearized mechanism are needed");
    BL_TRY(check_names(ctx, "state", lin->state, lin->nstate));
    BL_TRY(check_names(ctx, "input", lin->input, lin->ninput));
    BL_TRY(check_names(ctx, "output", lin->output, lin->noutput));
    BL_TRY(check_matrix(ctx, 'A', lin->A, lin->nstate, lin->nstate, lin->state, lin->state));
    BL_TRY(check_matrix(ctx, 'B', lin->B, lin->nstate, lin->ninput, lin->state, lin->input));
    BL_TRY(check_matrix(ctx, 'C', lin->C, lin->noutput, lin->nstate, lin->output, lin->state));
    return check_matrix(ctx, 'D', lin->D, lin->noutput, lin->ninput, lin->output, lin->input);
}

bl_status bl_linear_check_pairs(bl_context *ctx, const bl_linear_model *lin, const char *path) {
    if (!path || !path[0])
        return bl_fail(ctx, BL_E_ARG, NULL, "a response needs the path of its file");
    if (lin->noutput > 0 && lin->ninput > 0)
        return BL_OK;
    bl_fail(ctx, BL_E_ARG, NULL, "cannot write '%s': the linearized mechanism has %d inputs and %d outputs", path, (int)lin->ninput,
            (int)lin->noutput);
    bl_advise(ctx, "a response goes from an input to an output: name at least one of each (in the model: linearize: {inputs: [...], "
                   "outputs: [...]})");
    return BL_E_ARG;
}
