/* Frequency responses as numbers: phases that do not jump, and a table (CSV, RFC 4180). */
#include "base/linear.h"
#include "output/output.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
/* A turn within this of half a circle (degrees) is the jump at a pole or zero without damping: magnitudes say which way it goes. */
static const double HALF_TURN = 1;
/* What is left of a magnitude where a frequency hits a zero: rounding, without a phase. */
static const double VANISHED = 1e-10;

static const double *value_at(const bl_linear_model *lin, const double *H, bl_index k, bl_index output, bl_index input) {
    size_t ni = (size_t)lin->ninput, pairs = ni * (size_t)lin->noutput;
    return H + 2 * ((size_t)k * pairs + (size_t)output * ni + (size_t)input);
}

/* Behind a pole the phase falls, behind a zero it rises. Before a pole the magnitude rises, before a zero it falls. */
static double turn(double change, double before, double last) {
    change -= 360 * floor((change + 180) / 360); /* [-180, 180) */
    if (180 - fabs(change) < HALF_TURN)
        return last >= before ? -fabs(change) : fabs(change);
    return change;
}

void bl_linear_phase(const bl_linear_model *lin, bl_index nomega, const double *H, bl_index output, bl_index input, double *phase) {
    double last = NAN, size[2] = {0, 0}; /* magnitudes at the last two frequencies */
    for (bl_index k = 0; k < nomega; k++) {
        const double *h = value_at(lin, H, k, output, input);
        double at = atan2(h[1], h[0]) * 180 / PI;
        phase[k] = at;
        bool vanished = hypot(h[0], h[1]) < VANISHED * size[1];
        if (vanished)
            phase[k] = last;
        if (vanished || isnan(at))
            continue;
        if (isnan(last))
            phase[k] = at > 180 - 1e-6 ? at - 360 : at; /* a minus sign is a lag */
        else
            phase[k] = last + turn(at - last, size[0], size[1]);
        last = phase[k];
        size[0] = size[1];
        size[1] = hypot(h[0], h[1]);
    }
}

typedef struct writing {
    bl_target target;
    char *line;
    size_t length, room;
} writing;

static void put(writing *w, const char *text, size_t length) {
    if (length > w->room - w->length) {
        bl_target_append(&w->target, w->line, w->length);
        w->length = 0;
    }
    if (length > w->room) {
        bl_target_append(&w->target, text, length);
        return;
    }
    memcpy(w->line + w->length, text, length);
    w->length += length;
}

static void put_number(writing *w, double value) {
    char text[BL_NUMBER_BYTES];
    put(w, ",", 1);
    put(w, text, bl_number_text(value, text));
}

/* output/input.magnitude, between quotes where it needs them, those inside doubled */
static void put_heading(writing *w, const char *output, const char *input, const char *part) {
    const char *const words[] = {output, "/", input, ".", part};
    bool quote = strpbrk(output, ",\"") || strpbrk(input, ",\"");
    put(w, ",\"", quote ? 2 : 1);
    for (int k = 0; k < 5; k++)
        for (const char *c = words[k]; *c; c++) {
            if (*c == '"')
                put(w, "\"", 1);
            put(w, (unsigned char)*c < 0x20 ? "?" : c, 1);
        }
    put(w, "\"", quote ? 1 : 0);
}

static void write_table(writing *w, const bl_linear_model *lin, bl_index nomega, const double *omega, const double *H,
                        const double *phase) {
    static const char *const part[] = {"magnitude", "phase_deg", "re", "im"};
    static const char first[] = "omega_rad_s,frequency_hz";
    put(w, first, strlen(first));
    for (bl_index o = 0; o < lin->noutput; o++)
        for (bl_index i = 0; i < lin->ninput; i++)
            for (int k = 0; k < 4; k++)
                put_heading(w, lin->output[o], lin->input[i], part[k]);
    put(w, "\n", 1);
    for (bl_index k = 0; k < nomega; k++) {
        char text[BL_NUMBER_BYTES];
        put(w, text, bl_number_text(omega[k], text));
        put_number(w, omega[k] / (2 * PI));
        for (bl_index o = 0; o < lin->noutput; o++)
            for (bl_index i = 0; i < lin->ninput; i++) {
                const double *h = value_at(lin, H, k, o, i);
                put_number(w, isnan(h[0]) ? INFINITY : hypot(h[0], h[1]));
                put_number(w, phase[((size_t)o * (size_t)lin->ninput + (size_t)i) * (size_t)nomega + (size_t)k]);
                put_number(w, h[0]);
                put_number(w, h[1]);
            }
        put(w, "\n", 1);
    }
}

bl_status bl_linear_response_csv(bl_context *ctx, const bl_linear_model *lin, bl_index nomega, const double *omega, const double *H,
                                 const char *path) {
    enum { BYTES = 1 << 16 };
    BL_TRY(bl_linear_check(ctx, lin));
    BL_TRY(bl_linear_check_pairs(ctx, lin, path));
    size_t pairs = (size_t)lin->noutput * (size_t)lin->ninput;
    if (nomega < 0 || (nomega > 0 && (!omega || !H)))
        return bl_fail(ctx, BL_E_ARG, NULL, "a table of responses needs frequencies and responses");
    writing w = {.room = BYTES};
    double *phase = NULL;
    BL_TRY(bl_target_create(ctx, path, &w.target));
    bl_status status = BL_NEW(ctx, w.line, BYTES);
    if (status == BL_OK)
        status = BL_NEW(ctx, phase, pairs * (size_t)nomega);
    for (size_t p = 0; p < pairs && status == BL_OK; p++)
        bl_linear_phase(lin, nomega, H, (bl_index)(p / (size_t)lin->ninput), (bl_index)(p % (size_t)lin->ninput),
                        phase + p * (size_t)nomega);
    if (status == BL_OK)
        status = bl_target_open(&w.target, true);
    if (status == BL_OK) {
        write_table(&w, lin, nomega, omega, H, phase);
        bl_target_append(&w.target, w.line, w.length);
        status = bl_target_close(&w.target, true);
    }
    bl_target_destroy(&w.target);
    bl_free(ctx, w.line);
    bl_free(ctx, phase);
    return status;
}
