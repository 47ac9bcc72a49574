/* Bode plot: magnitude (logarithmic) and phase of responses over the logarithm of frequency. */
#include "base/linearized.h"
#include "base/sized.h"
#include "output/chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_PAIRS = 16 };

static const double PI = 3.14159265358979323846;
static const double WIDTH = 800, LEFT = 92, RIGHT = 30, TOP = 92, MAGNITUDE = 270, BETWEEN = 22, PHASE = 200, LEGEND_LINE = 20;
/* decades below the largest magnitude: smaller values are rounding, or notches too deep to measure */
static const double MOST_DECADES = 12;

typedef struct bode {
    const bl_linear_model *lin;
    bl_index n, npair;
    const double *omega, *H;
    const bl_index *pair;
    double *magnitude, *phase; /* [npair][n] */
    bl_index left_out;
    double low, high, phase_low, phase_high; /* ranges */
} bode;

static void legend_text(const bode *b, bl_index p, char *text, size_t size) {
    snprintf(text, size, "%s / %s", b->lin->output[b->pair[2 * p]], b->lin->input[b->pair[2 * p + 1]]);
}

/* positions of the legend, in columns; returns its height. svg NULL: only measured */
static double put_legend(bl_svg *svg, const bode *b, double top) {
    double x = LEFT, y = top;
    if (b->npair < 2)
        return 0;
    for (bl_index p = 0; p < b->npair; p++) {
        char text[160], style[160];
        legend_text(b, p, text, sizeof text);
        double wide = 58 + 6.6 * (double)strlen(text);
        if (x > LEFT && x + wide > WIDTH - RIGHT) {
            x = LEFT;
            y += LEGEND_LINE;
        }
        bl_chart_line_style(p, 2, style, sizeof style);
        if (svg) {
            bl_svg_line(svg, x, y - 4, x + 28, y - 4, style);
            bl_svg_text(svg, x + 35, y, "font-size=\"12.5\" fill=\"" BL_CHART_INK "\"", text);
        }
        x += wide;
    }
    return y - top + LEGEND_LINE;
}

static void draw(bl_svg *svg, void *user) {
    const bode *b = user;
    char title[300], style[160];
    double below = TOP + MAGNITUDE + BETWEEN + PHASE, legend = put_legend(NULL, b, 0);
    bl_chart upper = {.svg = svg,
                      .left = LEFT,
                      .top = TOP,
                      .width = WIDTH - LEFT - RIGHT,
                      .height = MAGNITUDE,
                      .x = {.low = b->omega[0], .high = b->omega[b->n - 1], .log = true},
                      .y = {.low = b->low, .high = b->high, .log = true}};
    double span = b->phase_high - b->phase_low;
    bl_chart lower = upper;
    lower.top = TOP + MAGNITUDE + BETWEEN;
    lower.height = PHASE;
    lower.y = (bl_chart_axis){.low = b->phase_low,
                              .high = b->phase_high,
                              .step = span <= 270    ? 45
                                      : span <= 720  ? 90
                                      : span <= 1440 ? 180
                                                     : 360};
    if (b->npair == 1)
        snprintf(title, sizeof title, "Response of %s to %s", b->lin->output[b->pair[0]], b->lin->input[b->pair[1]]);
    else if (b->left_out > 0)
        snprintf(title, sizeof title, "Frequency response: the first %d of %d pairs", (int)b->npair, (int)(b->npair + b->left_out));
    else
        snprintf(title, sizeof title, "Frequency response");
    bl_svg_begin(svg, WIDTH, below + 58 + legend, title);
    bl_chart_title(&upper, title);
    bl_chart_grid(&upper, false);
    bl_chart_grid(&lower, true);
    for (bl_index p = b->npair; p-- > 0;) {
        bl_chart_line_style(p, 2, style, sizeof style);
        bl_chart_curve(&upper, b->n, b->omega, b->magnitude + (size_t)p * (size_t)b->n, style);
        bl_chart_curve(&lower, b->n, b->omega, b->phase + (size_t)p * (size_t)b->n, style);
    }
    bl_chart_frame(&upper);
    bl_chart_frame(&lower);
    bl_chart_far_x(&upper, 1 / (2 * PI));
    bl_chart_name_x(&upper, TOP - 32, "frequency (Hz)");
    bl_chart_name_x(&lower, below + 40, "angular frequency (rad/s)");
    bl_chart_name_y(&upper, 24, "magnitude (SI units)");
    bl_chart_name_y(&lower, 24, "phase (degrees)");
    put_legend(svg, b, below + 68);
    bl_svg_end(svg);
}

/* The phase at an undamped pole: the mean of both sides, drawn as a vertical line. */
static void fill_phase_gaps(bl_index n, double *phase) {
    for (bl_index k = 1; k + 1 < n; k++)
        if (isnan(phase[k]) && isfinite(phase[k - 1]) && isfinite(phase[k + 1]))
            phase[k] = (phase[k - 1] + phase[k + 1]) / 2;
}

static void find_ranges(bode *b) {
    size_t count = (size_t)b->npair * (size_t)b->n;
    double low = INFINITY, high = 0, phase_low = INFINITY, phase_high = -INFINITY;
    for (size_t k = 0; k < count; k++)
        if (b->magnitude[k] > 0 && isfinite(b->magnitude[k])) {
            low = fmin(low, b->magnitude[k]);
            high = fmax(high, b->magnitude[k]);
        }
    for (size_t k = 0; k < count; k++) {
        if (b->magnitude[k] > 0 && b->magnitude[k] < high * pow(10, -MOST_DECADES))
            b->phase[k] = NAN; /* magnitude not shown */
        if (isfinite(b->phase[k])) {
            phase_low = fmin(phase_low, b->phase[k]);
            phase_high = fmax(phase_high, b->phase[k]);
        }
    }
    if (!(high > 0))
        low = high = 1;
    low = fmax(low, high * pow(10, -MOST_DECADES));
    b->low = pow(10, floor(log10(low) + 1e-6));
    b->high = pow(10, ceil(log10(high) - 1e-6));
    if (b->high < 9 * b->low)
        b->high = 10 * b->low;
    if (!(phase_high >= phase_low))
        phase_low = phase_high = 0;
    b->phase_low = 45 * floor(phase_low / 45 - 0.02);
    b->phase_high = 45 * ceil(phase_high / 45 + 0.02);
}

static bl_status check(bl_context *ctx, const bl_linear_model *lin, bl_index nomega, const double *omega, const double *H,
                       const bl_index *pair, bl_index npair, const char *path) {
    BL_TRY(bl_linear_check(ctx, lin));
    BL_TRY(bl_linear_check_pairs(ctx, lin, path));
    if (nomega < 2 || !omega || !H || npair < 0)
        return bl_fail(ctx, BL_E_ARG, NULL, "cannot draw '%s': a curve needs two frequencies or more", path);
    for (bl_index k = 0; k < nomega; k++)
        if (!(omega[k] > (k ? omega[k - 1] : 0)) || !isfinite(omega[k]))
            return bl_fail(ctx, BL_E_ARG, NULL, "cannot draw '%s': frequencies must be positive and ascending, found %g rad/s", path,
                           omega[k]);
    for (bl_index p = 0; pair && p < npair; p++)
        if (pair[2 * p] < 0 || pair[2 * p] >= lin->noutput || pair[2 * p + 1] < 0 || pair[2 * p + 1] >= lin->ninput)
            return bl_fail(ctx, BL_E_ARG, NULL, "cannot draw '%s': there is no output %d with input %d", path, (int)pair[2 * p],
                           (int)pair[2 * p + 1]);
    return BL_OK;
}

bl_status bl_linear_bode(bl_context *ctx, const bl_linear_model *given, bl_index nomega, const double *omega, const double *H,
                         const bl_index *pair, bl_index npair, const char *path) {
    bl_linear_model own, *lin = given ? &own : NULL;
    BL_TRY(BL_TAKE(ctx, bl_linear_model, given, &own));
    BL_TRY(check(ctx, lin, nomega, omega, H, pair, npair, path));
    bl_index all[2 * MOST_PAIRS];
    size_t ni = (size_t)lin->ninput, pairs = ni * (size_t)lin->noutput, wanted = pair && npair > 0 ? (size_t)npair : pairs;
    bode b = {.lin = lin, .n = nomega, .omega = omega, .H = H, .npair = (bl_index)(wanted < MOST_PAIRS ? wanted : MOST_PAIRS)};
    b.left_out = (bl_index)wanted - b.npair;
    for (bl_index p = 0; p < b.npair; p++) {
        all[2 * p] = pair && npair > 0 ? pair[2 * p] : (bl_index)((size_t)p / ni);
        all[2 * p + 1] = pair && npair > 0 ? pair[2 * p + 1] : (bl_index)((size_t)p % ni);
    }
    b.pair = all;
    size_t n = (size_t)nomega;
    void *block = NULL;
    BL_TRY(BL_NEW_ARRAYS(ctx, block, BL_ARRAY(b.magnitude, (size_t)b.npair * n), BL_ARRAY(b.phase, (size_t)b.npair * n)));
    for (bl_index p = 0; p < b.npair; p++) {
        for (size_t k = 0; k < n; k++) {
            const double *h = H + 2 * (k * pairs + (size_t)all[2 * p] * ni + (size_t)all[2 * p + 1]);
            b.magnitude[(size_t)p * n + k] = hypot(h[0], h[1]);
        }
        bl_linear_phase(lin, nomega, H, all[2 * p], all[2 * p + 1], b.phase + (size_t)p * n);
    }
    find_ranges(&b);
    for (bl_index p = 0; p < b.npair; p++)
        fill_phase_gaps(nomega, b.phase + (size_t)p * n);
    bl_status status = bl_svg_write(ctx, path, draw, &b);
    bl_free(ctx, block);
    return status;
}
