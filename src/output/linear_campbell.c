/* Campbell diagram: frequencies of a linearized mechanism over a parameter, colored by damping; if it is a speed, with its multiples. */
#include "output/chart.h"
#include "output/linear_path.h"
#include "output/output_limits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
static const bl_chart_page page = {.width = 820, .height = 600, .left = 92, .right = 92, .top = 48, .bottom = 98};
enum { MULTIPLES = 2 };

/* Bands of the damping ratio. Above 0.2 a response hardly has a peak. */
static const struct band {
    double below;
    const char *name, *style;
} bands[] = {{-1, "unstable", "stroke=\"#c1121f\" stroke-width=\"3\""},
             {0.005, "below 0.005", "stroke=\"#08306b\" stroke-width=\"2.2\""},
             {0.05, "0.005 to 0.05", "stroke=\"#2171b5\" stroke-width=\"2.2\""},
             {0.2, "0.05 to 0.2", "stroke=\"#5fa8d3\" stroke-width=\"2.2\""},
             {INFINITY, "above 0.2", "stroke=\"#7d97ab\" stroke-width=\"2\" stroke-dasharray=\"6 5\""}};
enum { NBAND = sizeof bands / sizeof *bands };

typedef struct campbell {
    bl_joined joined;
    bool seen[NBAND];
    double low, high, top; /* range of the parameter, highest frequency */
} campbell;

static bool unstable_at(const campbell *f, bl_index p) {
    double re, im;
    for (bl_index k = 0; k < f->joined.path.nmode; k++)
        if (bl_joined_at(&f->joined, p, k, &re, &im) && bl_mode_side(re, im, f->joined.largest) > 0)
            return true;
    return false;
}

/* the band of a piece between two points; -1: nothing to draw (missing, the lower of a pair, real and stable) */
static int band_of(const campbell *f, bl_index p, bl_index k) {
    double re[2], im[2], small = output_frequency_zero * f->joined.largest;
    if (!bl_joined_at(&f->joined, p, k, &re[0], &im[0]) || !bl_joined_at(&f->joined, p + 1, k, &re[1], &im[1]) || im[0] + im[1] < -small)
        return -1;
    double mean = (re[0] + re[1]) / 2, size = hypot(mean, (fabs(im[0]) + fabs(im[1])) / 2);
    if (bl_mode_side(re[0], im[0], f->joined.largest) + bl_mode_side(re[1], im[1], f->joined.largest) > 0)
        return 0;
    if (im[0] + im[1] <= small)
        return -1;
    int band = 1;
    while (size > 0 && -mean / size >= bands[band].below && band + 1 < NBAND)
        band++;
    return band;
}

static void find_range(campbell *f) {
    const bl_mode_path *path = &f->joined.path;
    double re, im;
    f->low = f->high = path->value[0];
    for (bl_index p = 0; p < path->npoint; p++) {
        f->low = fmin(f->low, path->value[p]);
        f->high = fmax(f->high, path->value[p]);
        for (bl_index k = 0; k < path->nmode; k++)
            if (bl_joined_at(&f->joined, p, k, &re, &im))
                f->top = fmax(f->top, fabs(im));
    }
    if (!(f->high > f->low)) {
        double size = fmax(fabs(f->low), 1);
        f->low -= size / 2;
        f->high += size / 2;
    }
    f->top = f->top > 0 ? 1.08 * f->top : 1;
}

/* ---- drawing */

/* shades unstable ranges; the path has points where they begin and end */
static void put_unstable(const bl_chart *chart, const campbell *f) {
    const bl_mode_path *path = &f->joined.path;
    for (bl_index p = 0; p + 1 < path->npoint; p++) {
        double from = path->value[p], to = path->value[p + 1];
        double a = bl_chart_x(chart, fmin(from, to)), b = bl_chart_x(chart, fmax(from, to));
        if (unstable_at(f, p) || unstable_at(f, p + 1))
            bl_svg_rect(chart->svg, a, chart->top, b - a + 0.3, chart->height, "fill=\"#fdeeee\"");
    }
}

/* lines of 1x and 2x the speed, labeled where they leave the frame */
static void put_multiples(const bl_chart *chart, const campbell *f) {
    for (int m = 1; m <= MULTIPLES && f->joined.path.speed; m++) {
        double from = fmax(f->low, 0), to = fmin(f->high, f->top / m);
        const double x[2] = {from, to}, y[2] = {m * from, m * to};
        char text[16];
        if (to <= from)
            continue;
        snprintf(text, sizeof text, "%dx", m);
        bl_chart_curve(chart, 2, x, y, "stroke=\"#5b6670\" stroke-width=\"1.3\" stroke-dasharray=\"2 4\"");
        bool above = to < f->high;
        bl_chart_note(chart->svg, bl_chart_x(chart, to) - (above ? 10 : 8), bl_chart_y(chart, m * to) + (above ? 16 : -8), "end", "#5b6670",
                      text);
    }
}

static void put_curves(const bl_chart *chart, campbell *f) {
    const bl_mode_path *path = &f->joined.path;
    for (int band = NBAND; band-- > 0;) /* the most important bands on top */
        for (bl_index k = 0; k < path->nmode; k++) {
            bool last = false, any = false;
            for (bl_index p = 0; p < path->npoint; p++) {
                double re, im;
                bool next = p + 1 < path->npoint && band_of(f, p, k) == band,
                     there = bl_joined_at(&f->joined, p, k, &re, &im) && (next || last);
                f->joined.x[p] = there ? path->value[p] : NAN;
                f->joined.y[p] = there ? fabs(im) : NAN;
                any = any || next;
                last = next;
            }
            if (any)
                bl_chart_curve(chart, path->npoint, f->joined.x, f->joined.y, bands[band].style);
            f->seen[band] = f->seen[band] || any;
        }
}

/* a ring on the curve, and a line up to the value of the parameter */
static void put_crossings(const bl_chart *chart, const campbell *f) {
    bl_chart_labels labels = {0};
    for (bl_index k = 0; k < f->joined.ncrossing; k++) {
        const bl_mode_crossing *c = &f->joined.crossing[k];
        char text[160];
        double x = bl_chart_x(chart, c->value), y = bl_chart_y(chart, c->omega), label = chart->top + 18;
        snprintf(text, sizeof text, "%s = %.5g", f->joined.path.parameter, c->value);
        double wide = 12 + 6.6 * (double)strlen(text);
        bl_svg_line(chart->svg, x, chart->top, x, y, "stroke=\"#c1121f\" stroke-dasharray=\"3 3\"");
        bl_svg_circle(chart->svg, x, y, 5.5, "fill=\"#ffffff\" stroke=\"#c1121f\" stroke-width=\"2\"");
        bool left = x + wide > chart->left + chart->width;
        if (bl_chart_place(&labels, x, &label, wide, 16))
            bl_chart_note(chart->svg, left ? x - 6 : x + 6, label, left ? "end" : "start", "#c1121f", text);
    }
}

/* critical speeds: a frequency equals the speed */
static void put_critical(const bl_chart *chart, const campbell *f) {
    const bl_mode_path *path = &f->joined.path;
    bl_chart_labels labels = {0};
    for (bl_index p = 0; p + 1 < path->npoint && path->speed; p++)
        for (bl_index k = 0; k < path->nmode; k++) {
            double re[2], im[2], v = path->value[p], w = path->value[p + 1];
            if (band_of(f, p, k) < 1 || !bl_joined_at(&f->joined, p, k, &re[0], &im[0]) ||
                !bl_joined_at(&f->joined, p + 1, k, &re[1], &im[1]))
                continue;
            double a = fabs(im[0]) - v, b = fabs(im[1]) - w;
            if (v <= 0 || w <= 0 || a * b > 0 || a == b)
                continue;
            double at = v + (w - v) * a / (a - b), x = bl_chart_x(chart, at), y = bl_chart_y(chart, at);
            char text[40];
            bl_put(chart->svg, "<g transform=\"translate(%f %f) rotate(45)\">", x, y);
            bl_svg_rect(chart->svg, -4, -4, 8, 8, "fill=\"#ffffff\" stroke=\"" BL_CHART_INK "\" stroke-width=\"1.5\"");
            bl_put(chart->svg, "</g>\n");
            snprintf(text, sizeof text, "%.5g", at);
            y += 16;
            if (bl_chart_place(&labels, x, &y, 50, 15))
                bl_chart_note(chart->svg, x + 9, y, "start", BL_CHART_INK, text);
        }
}

static void put_legend(bl_svg *svg, const campbell *f) {
    double x = page.left, y = page.height - 22;
    static const char before[] = "damping ratio";
    bool named = false;
    for (int band = 0; band < NBAND; band++) {
        if (!f->seen[band])
            continue;
        if (band > 0 && !named) {
            bl_svg_text(svg, x, y, "font-size=\"12.5\" fill=\"" BL_CHART_INK "\"", before);
            x += 14 + 6.6 * (double)strlen(before);
            named = true;
        }
        const char *name = bands[band].name;
        bl_svg_line(svg, x, y - 4, x + 26, y - 4, bands[band].style);
        bl_svg_text(svg, x + 32, y, "font-size=\"12.5\" fill=\"" BL_CHART_INK "\"", name);
        x += 54 + 6.3 * (double)strlen(name);
    }
}

static void draw(bl_svg *svg, void *user) {
    campbell *f = user;
    char title[200], name[200];
    find_range(f);
    snprintf(title, sizeof title, "Campbell diagram over %s", f->joined.path.parameter);
    snprintf(name, sizeof name, f->joined.path.speed ? "%s (rad/s)" : "%s", f->joined.path.parameter);
    bl_chart chart = bl_chart_begin(svg, &page, (bl_chart_axis){.low = f->low, .high = f->high}, (bl_chart_axis){.high = f->top}, title);
    put_unstable(&chart, f);
    bl_chart_grid(&chart, true);
    put_multiples(&chart, f);
    put_curves(&chart, f);
    bl_chart_frame(&chart);
    bl_chart_far_y(&chart, 1 / (2 * PI));
    put_critical(&chart, f);
    put_crossings(&chart, f);
    bl_chart_name_x(&chart, page.height - page.bottom + 40, name);
    bl_chart_name_y(&chart, 24, "angular frequency (rad/s)");
    bl_chart_name_y(&chart, page.width - 18, "frequency (Hz)");
    put_legend(svg, f);
    bl_svg_end(svg);
}

bl_status bl_linear_campbell(bl_context *ctx, const bl_mode_path *modes, const char *path) {
    campbell f = {0};
    return bl_joined_draw(ctx, modes, path, &f.joined, draw, &f);
}
