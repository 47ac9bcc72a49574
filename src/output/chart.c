/* Axes, grids and curves on a page. */
#include "output/chart.h"

#include "output/figure_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double FAR_OUTSIDE = 1e5; /* points of the page: clamp for numbers far outside the page */

static double part(const bl_chart_axis *axis, double value) {
    if (axis->log)
        return value > 0 ? log(value / axis->low) / log(axis->high / axis->low) : -FAR_OUTSIDE;
    return (value - axis->low) / (axis->high - axis->low);
}

static double within(double at) { return fmin(fmax(at, -FAR_OUTSIDE), FAR_OUTSIDE); }

double bl_chart_x(const bl_chart *chart, double x) { return within(chart->left + part(&chart->x, x) * chart->width); }
double bl_chart_y(const bl_chart *chart, double y) { return within(chart->top + (1 - part(&chart->y, y)) * chart->height); }

bool bl_chart_inside(const bl_chart *chart, double x, double y) {
    double px = part(&chart->x, x), py = part(&chart->y, y);
    return px >= -1e-9 && px <= 1 + 1e-9 && py >= -1e-9 && py <= 1 + 1e-9;
}

/* ---- ticks */

typedef struct tick {
    double value;
    bool labeled;
    char text[40]; /* the exponent for powers of ten: "-3" */
    bool power;
} tick;

enum { MOST_TICKS = 200 };

static int log_ticks(const bl_chart_axis *axis, double factor, tick *t) {
    double low = axis->low * factor, high = axis->high * factor, decades = log10(high / low);
    int n = 0, every = decades > 10 ? (int)ceil(decades / 8) : 1, first = (int)floor(log10(low) + 1e-9), last = (int)ceil(log10(high));
    for (int k = first; k <= last; k++)
        for (int digit = 1; digit < 10 && n < MOST_TICKS; digit++) {
            double value = digit * pow(10, k);
            if (value < low * (1 - 1e-9) || value > high * (1 + 1e-9) || (digit > 1 && every > 1))
                continue;
            tick *at = &t[n++];
            *at = (tick){.value = value / factor, .power = decades >= 1.5};
            at->labeled = at->power ? digit == 1 && (k - first) % every == 0 : digit == 1 || digit == 2 || digit == 5 || decades < 0.7;
            if (at->power)
                snprintf(at->text, sizeof at->text, "%d", k);
            else
                snprintf(at->text, sizeof at->text, "%.6g", value);
        }
    return n;
}

static int linear_ticks(const bl_chart_axis *axis, double factor, int count, tick *t) {
    double level[BL_LEVELS_MOST + 2], low = axis->low * factor, high = axis->high * factor;
    int n = 0;
    if (axis->step > 0)
        for (double k = ceil(low / axis->step - 1e-9); k * axis->step <= high + 1e-9 * axis->step && n < BL_LEVELS_MOST; k++)
            level[n++] = k * axis->step;
    else
        n = bl_round_levels(low, high, count, level);
    for (int i = 0; i < n; i++) {
        t[i] = (tick){.value = level[i] / factor, .labeled = true};
        snprintf(t[i].text, sizeof t[i].text, "%.6g", fabs(level[i]) < 1e-12 * (high - low) ? 0 : level[i]);
    }
    return n;
}

/* length: of the axis on the page; pitch: space per label */
static int ticks(const bl_chart_axis *axis, double factor, double length, double pitch, tick *t) {
    int count = axis->count > 0 ? axis->count : (int)fmax(length / pitch, 3);
    return axis->log ? log_ticks(axis, factor, t) : linear_ticks(axis, factor, count, t);
}

static void put_tick(bl_svg *svg, const tick *t, double x, double y, const char *anchor) {
    char style[96];
    snprintf(style, sizeof style, "font-size=\"12\" text-anchor=\"%s\" fill=\"" BL_CHART_INK "\"", anchor);
    if (!t->power) {
        bl_svg_text(svg, x, y, style, t->text);
        return;
    }
    bl_put(svg, "<text x=\"%f\" y=\"%f\" %s>10<tspan dy=\"-5\" font-size=\"9\">%s</tspan></text>\n", x, y, style, t->text);
}

void bl_chart_grid(const bl_chart *chart, bool numbers_below) {
    const char *const line[] = {"stroke=\"#f0f2f4\" stroke-width=\"0.8\"",
                                chart->grid ? chart->grid : "stroke=\"#dde1e6\" stroke-width=\"1\""};
    tick t[MOST_TICKS];
    double right = chart->left + chart->width, bottom = chart->top + chart->height;
    int n = ticks(&chart->x, 1, chart->width, 90, t);
    for (int i = 0; i < n; i++) {
        double at = bl_chart_x(chart, t[i].value);
        bl_svg_line(chart->svg, at, chart->top, at, bottom, line[t[i].labeled]);
        if (numbers_below && t[i].labeled)
            put_tick(chart->svg, &t[i], at, bottom + 18, "middle");
    }
    n = ticks(&chart->y, 1, chart->height, 60, t);
    for (int i = 0; i < n; i++) {
        double at = bl_chart_y(chart, t[i].value);
        bl_svg_line(chart->svg, chart->left, at, right, at, line[t[i].labeled]);
        if (t[i].labeled)
            put_tick(chart->svg, &t[i], chart->left - 8, at + 4, "end");
    }
}

void bl_chart_far_x(const bl_chart *chart, double factor) {
    tick t[MOST_TICKS];
    int n = ticks(&chart->x, factor, chart->width, 90, t);
    for (int i = 0; i < n; i++) {
        double at = bl_chart_x(chart, t[i].value);
        bl_svg_line(chart->svg, at, chart->top, at, chart->top - (t[i].labeled ? 6 : 3), "stroke=\"#8b949e\"");
        if (t[i].labeled)
            put_tick(chart->svg, &t[i], at, chart->top - 10, "middle");
    }
}

void bl_chart_far_y(const bl_chart *chart, double factor) {
    tick t[MOST_TICKS];
    double right = chart->left + chart->width;
    int n = ticks(&chart->y, factor, chart->height, 60, t);
    for (int i = 0; i < n; i++) {
        double at = bl_chart_y(chart, t[i].value);
        bl_svg_line(chart->svg, right, at, right + 5, at, "stroke=\"#8b949e\"");
        if (t[i].labeled)
            put_tick(chart->svg, &t[i], right + 9, at + 4, "start");
    }
}

void bl_chart_title(const bl_chart *chart, const char *title) {
    bl_svg_text(chart->svg, chart->left, 28, "font-size=\"17\" fill=\"" BL_CHART_INK "\"", title);
}

bl_chart bl_chart_begin(bl_svg *svg, const bl_chart_page *page, bl_chart_axis x, bl_chart_axis y, const char *title) {
    bl_chart chart = {.svg = svg,
                      .left = page->left,
                      .top = page->top,
                      .width = page->width - page->left - page->right,
                      .height = page->height - page->top - page->bottom,
                      .x = x,
                      .y = y};
    bl_svg_begin(svg, page->width, page->height, title);
    bl_chart_title(&chart, title);
    return chart;
}

void bl_chart_frame(const bl_chart *chart) {
    bl_svg_rect(chart->svg, chart->left, chart->top, chart->width, chart->height, "fill=\"none\" stroke=\"#8b949e\"");
}

static const char name_style[] = "font-size=\"13\" text-anchor=\"middle\" fill=\"" BL_CHART_INK "\"";

void bl_chart_name_x(const bl_chart *chart, double at, const char *name) {
    bl_svg_text(chart->svg, chart->left + chart->width / 2, at, name_style, name);
}

void bl_chart_name_y(const bl_chart *chart, double at, const char *name) {
    bl_put(chart->svg, "<g transform=\"translate(%f %f) rotate(-90)\">", at, chart->top + chart->height / 2);
    bl_svg_text(chart->svg, 0, 0, name_style, name);
    bl_put(chart->svg, "</g>\n");
}

/* ---- curves */

/* The part of a line inside the frame (Liang and Barsky, 1984); false: none. */
static bool clip(const bl_chart *chart, double a[2], double b[2]) {
    const double low[2] = {chart->left, chart->top}, high[2] = {chart->left + chart->width, chart->top + chart->height};
    double from = 0, to = 1, d[2] = {b[0] - a[0], b[1] - a[1]}, begin[2] = {a[0], a[1]};
    for (int k = 0; k < 2; k++)
        for (int side = 0; side < 2; side++) {
            double p = side ? d[k] : -d[k], q = side ? high[k] - begin[k] : begin[k] - low[k];
            if (p == 0 && q < 0)
                return false;
            if (p < 0)
                from = fmax(from, q / p);
            else if (p > 0)
                to = fmin(to, q / p);
        }
    for (int k = 0; k < 2; k++) {
        a[k] = begin[k] + from * d[k];
        b[k] = begin[k] + to * d[k];
    }
    return from <= to;
}

void bl_chart_curve(const bl_chart *chart, bl_index n, const double *x, const double *y, const char *style) {
    bool open = false, joined = false;
    for (bl_index i = 0; i + 1 < n; i++) {
        bool good = isfinite(x[i]) && isfinite(y[i]) && isfinite(x[i + 1]) && isfinite(y[i + 1]);
        double a[2], b[2], end[2];
        if (good) {
            a[0] = bl_chart_x(chart, x[i]), a[1] = bl_chart_y(chart, y[i]);
            b[0] = end[0] = bl_chart_x(chart, x[i + 1]), b[1] = end[1] = bl_chart_y(chart, y[i + 1]);
            good = clip(chart, a, b);
        }
        if (!good) {
            joined = false;
            continue;
        }
        if (!open)
            bl_put(chart->svg, "<path fill=\"none\" stroke-linejoin=\"round\" stroke-linecap=\"round\" %s d=\"", style);
        open = true;
        if (!joined)
            bl_svg_point(chart->svg, 'M', a[0], a[1]);
        bl_svg_point(chart->svg, 'L', b[0], b[1]);
        joined = b[0] == end[0] && b[1] == end[1];
    }
    if (open)
        bl_put(chart->svg, "\"/>\n");
}

bool bl_chart_place(bl_chart_labels *labels, double x, double *y, double wide, double step) {
    static const double line = 15; /* of text */
    if (labels->n == BL_CHART_LABELS)
        return false;
    for (int round = 0; round < labels->n; round++)
        for (int i = 0; i < labels->n; i++)
            if (fabs(labels->at[i][0] - x) < wide && fabs(labels->at[i][1] - *y) < line)
                *y = labels->at[i][1] + step;
    labels->at[labels->n][0] = x;
    labels->at[labels->n++][1] = *y;
    return true;
}

void bl_chart_note(bl_svg *svg, double x, double y, const char *anchor, const char *color, const char *text) {
    char style[200];
    snprintf(style, sizeof style,
             "font-size=\"12\" text-anchor=\"%s\" fill=\"%s\" stroke=\"#ffffff\" stroke-width=\"3.5\" stroke-linejoin=\"round\" "
             "paint-order=\"stroke\"",
             anchor, color);
    bl_svg_text(svg, x, y, style, text);
}

static const char *const colors[BL_CHART_COLORS] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#8c6d31"};

const char *bl_chart_color(bl_index k) { return colors[k % BL_CHART_COLORS]; }

void bl_chart_line_style(bl_index k, double width, char *style, size_t size) {
    static const char *const dash[] = {"", " stroke-dasharray=\"7 4\"", " stroke-dasharray=\"2 4\"", " stroke-dasharray=\"9 3 2 3\""};
    snprintf(style, size, "stroke=\"%s\" stroke-width=\"%d.%d\"%s", bl_chart_color(k), (int)width, (int)(width * 10) % 10,
             dash[k / BL_CHART_COLORS % 4]);
}
