/* Linearized mechanisms as tables (CSV, RFC 4180): frequency responses, with continuous phases; eigenvalues over a parameter. */
#include "base/linearized.h"
#include "base/sized.h"
#include "output/output_limits.h"
#include "output/text_file.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

static const double *value_at(const bl_linear_model *lin, const double *H, bl_index k, bl_index output, bl_index input) {
    size_t ni = (size_t)lin->ninput, pairs = ni * (size_t)lin->noutput;
    return H + 2 * ((size_t)k * pairs + (size_t)output * ni + (size_t)input);
}

/* Beyond a pole the phase falls, beyond a zero it rises; the magnitude rises toward a pole and falls toward a zero. */
static double phase_change(double change, double before, double last) {
    change -= 360 * floor((change + 180) / 360); /* [-180, 180) */
    if (180 - fabs(change) < output_half_turn)
        return last >= before ? -fabs(change) : fabs(change);
    return change;
}

void bl_linear_phase(const bl_linear_model *given, bl_index nomega, const double *H, bl_index output, bl_index input, double *phase) {
    bl_linear_model own, *lin = &own;
    bool fits = BL_TAKE(NULL, bl_linear_model, given, lin) == BL_OK;
    for (bl_index k = 0; k < nomega && !fits; k++)
        phase[k] = NAN;
    double last = NAN, size[2] = {0, 0}; /* magnitudes at the last two frequencies */
    for (bl_index k = 0; k < nomega && fits; k++) {
        const double *h = value_at(lin, H, k, output, input);
        double at = atan2(h[1], h[0]) * 180 / PI;
        phase[k] = at;
        bool vanished = hypot(h[0], h[1]) < output_response_vanished * size[1];
        if (vanished)
            phase[k] = last;
        if (vanished || isnan(at))
            continue;
        if (isnan(last))
            phase[k] = at > 180 - 1e-6 ? at - 360 : at; /* an initial minus sign counts as a lag */
        else
            phase[k] = last + phase_change(at - last, size[0], size[1]);
        last = phase[k];
        size[0] = size[1];
        size[1] = hypot(h[0], h[1]);
    }
}

typedef struct table {
    const bl_linear_model *lin;
    bl_index n;
    const double *omega, *H, *phase; /* [n], [n][noutput][ninput], [noutput][ninput][n] */
} table;

static void write_table(bl_text_file *to, void *user) {
    static const char *const part[] = {"magnitude", "phase_deg", "re", "im"};
    const table *t = user;
    const bl_linear_model *lin = t->lin;
    bl_put(to, "omega_rad_s,frequency_hz");
    for (bl_index o = 0; o < lin->noutput; o++)
        for (bl_index i = 0; i < lin->ninput; i++)
            for (int k = 0; k < 4; k++) {
                bl_put(to, ",");
                bl_put_field(to, (const char *const[]){lin->output[o], "/", lin->input[i], ".", part[k], NULL});
            }
    bl_put(to, "\n");
    for (bl_index k = 0; k < t->n; k++) {
        bl_put(to, "%g,%g", t->omega[k], t->omega[k] / (2 * PI));
        for (bl_index o = 0; o < lin->noutput; o++)
            for (bl_index i = 0; i < lin->ninput; i++) {
                const double *h = value_at(lin, t->H, k, o, i);
                double phase = t->phase[((size_t)o * (size_t)lin->ninput + (size_t)i) * (size_t)t->n + (size_t)k];
                bl_put(to, ",%g,%g,%g,%g", isnan(h[0]) ? INFINITY : hypot(h[0], h[1]), phase, h[0], h[1]);
            }
        bl_put(to, "\n");
    }
}

bl_status bl_linear_response_csv(bl_context *ctx, const bl_linear_model *given, bl_index nomega, const double *omega, const double *H,
                                 const char *path) {
    bl_linear_model own, *lin = given ? &own : NULL;
    BL_TRY(BL_TAKE(ctx, bl_linear_model, given, &own));
    BL_TRY(bl_linear_check(ctx, lin));
    BL_TRY(bl_linear_check_pairs(ctx, lin, path));
    if (nomega < 0 || (nomega > 0 && (!omega || !H)))
        return bl_fail(ctx, BL_E_ARG, NULL, "a table of responses needs frequencies and responses");
    double *phase;
    size_t n = (size_t)nomega;
    BL_TRY(BL_NEW(ctx, phase, (size_t)lin->noutput * (size_t)lin->ninput * n));
    for (bl_index o = 0; o < lin->noutput; o++)
        for (bl_index i = 0; i < lin->ninput; i++)
            bl_linear_phase(lin, nomega, H, o, i, phase + ((size_t)o * (size_t)lin->ninput + (size_t)i) * n);
    bl_status status = bl_text_file_write(ctx, path, true, write_table, &(table){lin, nomega, omega, H, phase});
    bl_free(ctx, phase);
    return status;
}

/* ---- eigenvalues over a parameter */

static void write_path(bl_text_file *to, void *user) {
    const bl_mode_path *path = user;
    bl_put_field(to, (const char *const[]){path->parameter ? path->parameter : "parameter", NULL});
    for (bl_index k = 0; k < path->nmode; k++)
        bl_put(to, ",re%d,im%d", (int)k + 1, (int)k + 1);
    bl_put(to, "\n");
    for (bl_index p = 0; p < path->npoint; p++) {
        bl_put(to, "%g", path->value[p]);
        for (bl_index k = 0; k < path->nmode; k++) {
            size_t at = (size_t)p * (size_t)path->nmode + (size_t)k;
            bl_put(to, ",%g,%g", path->re[at], path->im[at]);
        }
        bl_put(to, "\n");
    }
}

bl_status bl_mode_path_csv(bl_context *ctx, const bl_mode_path *path, const char *file) {
    bl_mode_path own;
    BL_TRY(BL_TAKE(ctx, bl_mode_path, path, &own));
    if (!path || !file || own.npoint < 0 || own.nmode < 0)
        return bl_fail(ctx, BL_E_ARG, NULL, "a table of modes needs a path and a file");
    return bl_text_file_write(ctx, file, true, write_path, &own);
}
