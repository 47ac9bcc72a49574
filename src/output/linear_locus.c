/* Root locus: eigenvalues of a linearized mechanism in the complex plane while a parameter changes. */
#include "output/chart.h"
#include "output/linear_path.h"
#include "output/output_limits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const bl_chart_page page = {.width = 800, .height = 640, .left = 92, .right = 30, .top = 48, .bottom = 96};
/* Real eigenvalues beyond this factor times the largest oscillating one would compress the drawing: only their number is shown. */
static const double FAR_REAL = 2;

typedef struct locus {
    bl_joined joined;
    bl_index hidden; /* curves that leave the window */
    double low[2], high[2];
} locus;

/* ---- window */

static bool oscillates(const locus *f, double re, double im) {
    return fabs(im) > output_mode_oscillates * hypot(re, im) && fabs(im) > output_frequency_zero * f->joined.largest;
}

static void widen(locus *f, double re, double im) {
    f->low[0] = fmin(f->low[0], re);
    f->high[0] = fmax(f->high[0], re);
    f->low[1] = fmin(f->low[1], im);
    f->high[1] = fmax(f->high[1], im);
}

static void find_window(locus *f) {
    const bl_mode_path *path = &f->joined.path;
    double re, im, reach = 0;
    for (bl_index p = 0; p < path->npoint; p++)
        for (bl_index k = 0; k < path->nmode; k++)
            if (bl_joined_at(&f->joined, p, k, &re, &im) && oscillates(f, re, im))
                reach = fmax(reach, hypot(re, im));
    for (bl_index k = 0; k < path->nmode; k++) {
        bool outside = false;
        for (bl_index p = 0; p < path->npoint; p++)
            if (bl_joined_at(&f->joined, p, k, &re, &im)) {
                bool far = reach > 0 && !oscillates(f, re, im) && re < -FAR_REAL * reach;
                outside = outside || far;
                if (!far)
                    widen(f, re, im);
            }
        f->hidden += outside;
    }
    /* a path along one axis still needs some width, and part of the unstable side is always visible */
    double size = fmax(fmax(f->high[0] - f->low[0], f->high[1] - f->low[1]), 1e-300);
    const double least[2] = {0.02 * size, 0.3 * size};
    for (int axis = 0; axis < 2; axis++) {
        double more = fmax(0.08 * (f->high[axis] - f->low[axis]), (least[axis] - (f->high[axis] - f->low[axis])) / 2);
        f->low[axis] -= more;
        f->high[axis] += more;
    }
    f->high[0] = fmax(f->high[0], -0.14 * f->low[0]);
}

/* ---- marks */

static void put_cross(bl_svg *svg, double x, double y, const char *color) {
    char style[96];
    snprintf(style, sizeof style, "stroke=\"%s\" stroke-width=\"2\" stroke-linecap=\"round\"", color);
    bl_svg_line(svg, x - 5, y - 5, x + 5, y + 5, style);
    bl_svg_line(svg, x - 5, y + 5, x + 5, y - 5, style);
}

static void put_dot(bl_svg *svg, double x, double y, const char *color) {
    char style[96];
    snprintf(style, sizeof style, "fill=\"%s\" stroke=\"#ffffff\" stroke-width=\"1\"", color);
    bl_svg_circle(svg, x, y, 4.6, style);
}

static void put_ring(bl_svg *svg, double x, double y) {
    bl_svg_circle(svg, x, y, 6, "fill=\"#ffffff\" fill-opacity=\"0.6\" stroke=\"#c1121f\" stroke-width=\"2\"");
}

/* an arrowhead in the direction of increasing parameter, halfway along the visible part of a curve */
static void put_arrow(const bl_chart *chart, const locus *f, const char *color) {
    bl_index n = f->joined.path.npoint;
    double length = 0, half;
    for (int round = 0; round < 2; round++) {
        half = length / 2;
        length = 0;
        if (round == 1 && half < 20)
            return;
        for (bl_index i = 0; i + 1 < n; i++) {
            if (!isfinite(f->joined.x[i]) || !isfinite(f->joined.x[i + 1]) || !bl_chart_inside(chart, f->joined.x[i], f->joined.y[i]) ||
                !bl_chart_inside(chart, f->joined.x[i + 1], f->joined.y[i + 1]))
                continue;
            double x = bl_chart_x(chart, f->joined.x[i]), y = bl_chart_y(chart, f->joined.y[i]);
            double dx = bl_chart_x(chart, f->joined.x[i + 1]) - x, dy = bl_chart_y(chart, f->joined.y[i + 1]) - y, d = hypot(dx, dy);
            if (round == 1 && length + d >= half && d > 0) {
                double part = (half - length) / d, cx = x + part * dx, cy = y + part * dy, c = dx / d, s = dy / d;
                const double tip[3][2] = {{7, 0}, {-5, 5}, {-5, -5}};
                bl_put(chart->svg, "<path fill=\"%s\" d=\"", color);
                for (int k = 0; k < 3; k++)
                    bl_svg_point(chart->svg, k ? 'L' : 'M', cx + c * tip[k][0] - s * tip[k][1], cy + s * tip[k][0] + c * tip[k][1]);
                bl_put(chart->svg, "Z\"/>\n");
                return;
            }
            length += d;
        }
    }
}

/* the column whose color a curve has: conjugate pairs share a color */
static bl_index color_of(const locus *f, bl_index k) {
    const bl_mode_path *path = &f->joined.path;
    double re, im, other_re, other_im;
    for (bl_index p = 0; p < path->npoint; p++) {
        if (!bl_joined_at(&f->joined, p, k, &re, &im))
            continue;
        for (bl_index j = 0; j < path->nmode && im < 0; j++)
            if (bl_joined_at(&f->joined, p, j, &other_re, &other_im) && hypot(other_re - re, other_im + im) < 1e-9 * hypot(re, im))
                return j;
        break;
    }
    return k;
}

/* color number from 0: real columns and the upper ones of pairs are counted */
static bl_index color_number(const locus *f, bl_index k) {
    bl_index number = 0, own = color_of(f, k);
    for (bl_index j = 0; j < own; j++)
        number += color_of(f, j) == j;
    return number;
}

static void put_curves(const bl_chart *chart, locus *f) {
    const bl_mode_path *path = &f->joined.path;
    for (int layer = 0; layer < 2; layer++) /* marks above all curves */
        for (bl_index k = 0; k < path->nmode; k++) {
            char style[160];
            bl_index first = -1, last = -1;
            for (bl_index p = 0; p < path->npoint; p++) {
                bool there = bl_joined_at(&f->joined, p, k, &f->joined.x[p], &f->joined.y[p]);
                if (!there)
                    f->joined.x[p] = f->joined.y[p] = NAN;
                first = there && first < 0 ? p : first;
                last = there ? p : last;
            }
            if (last < 0)
                continue;
            bl_index number = color_number(f, k);
            const char *color = bl_chart_color(number);
            if (layer == 0) {
                bl_chart_line_style(number, 2, style, sizeof style);
                bl_chart_curve(chart, path->npoint, f->joined.x, f->joined.y, style);
                continue;
            }
            put_arrow(chart, f, color);
            if (bl_chart_inside(chart, f->joined.x[last], f->joined.y[last]) && last > first)
                put_dot(chart->svg, bl_chart_x(chart, f->joined.x[last]), bl_chart_y(chart, f->joined.y[last]), color);
            if (bl_chart_inside(chart, f->joined.x[first], f->joined.y[first]))
                put_cross(chart->svg, bl_chart_x(chart, f->joined.x[first]), bl_chart_y(chart, f->joined.y[first]), color);
        }
}

/* rings on the imaginary axis, labeled with the value of the parameter; overlapping labels are moved */
static void put_crossings(const bl_chart *chart, const locus *f) {
    bl_chart_labels labels = {0};
    double x = bl_chart_x(chart, 0);
    for (bl_index k = 0; k < f->joined.ncrossing; k++) {
        const bl_mode_crossing *c = &f->joined.crossing[k];
        char text[160];
        double y = bl_chart_y(chart, c->omega), label = y - 9;
        if (!bl_chart_inside(chart, 0, c->omega))
            continue;
        put_ring(chart->svg, x, y);
        if (f->low[1] < -c->omega && c->omega > 0)
            put_ring(chart->svg, x, bl_chart_y(chart, -c->omega));
        if (!bl_chart_place(&labels, x, &label, 1, -15))
            continue;
        snprintf(text, sizeof text, "%s = %.5g", f->joined.path.parameter, c->value);
        bool left = x > chart->left + 40 + 6.8 * (double)strlen(text); /* on the side away from the unstable half-plane */
        bl_chart_note(chart->svg, left ? x - 10 : x + 10, label, left ? "end" : "start", "#c1121f", text);
    }
}

static void put_legend(const bl_chart *chart, const locus *f) {
    const bl_mode_path *path = &f->joined.path;
    static const char words[] = "font-size=\"12.5\" fill=\"" BL_CHART_INK "\"";
    char text[200];
    double x = page.left + 6, y = page.height - 24;
    put_cross(chart->svg, x, y - 4, BL_CHART_INK);
    snprintf(text, sizeof text, "%s = %.5g", path->parameter, path->value[0]);
    bl_svg_text(chart->svg, x + 13, y, words, text);
    x += 40 + 6.8 * (double)strlen(text);
    if (path->npoint > 1) {
        put_dot(chart->svg, x, y - 4, BL_CHART_INK);
        snprintf(text, sizeof text, "%s = %.5g", path->parameter, path->value[path->npoint - 1]);
        bl_svg_text(chart->svg, x + 13, y, words, text);
        x += 40 + 6.8 * (double)strlen(text);
    }
    if (f->joined.ncrossing > 0) {
        put_ring(chart->svg, x, y - 4);
        bl_svg_text(chart->svg, x + 13, y, words, "stability changes");
        x += 150;
    }
    if (f->hidden > 0) {
        snprintf(text, sizeof text, "%d fast real eigenvalue%s farther left", (int)f->hidden, f->hidden == 1 ? "" : "s");
        bl_svg_text(chart->svg, x, y, "font-size=\"12.5\" fill=\"#5b6670\" font-style=\"italic\"", text);
    }
}

static void draw(bl_svg *svg, void *user) {
    locus *f = user;
    char title[200];
    find_window(f);
    snprintf(title, sizeof title, "Root locus over %s", f->joined.path.parameter);
    bl_chart chart = bl_chart_begin(svg, &page, (bl_chart_axis){.low = f->low[0], .high = f->high[0]},
                                    (bl_chart_axis){.low = f->low[1], .high = f->high[1]}, title);
    double x = fmax(bl_chart_x(&chart, 0), page.left), y = bl_chart_y(&chart, 0);
    if (x < page.width - page.right)
        bl_svg_rect(svg, x, page.top, page.width - page.right - x, chart.height, "fill=\"#fdeeee\"");
    bl_chart_grid(&chart, true);
    if (bl_chart_inside(&chart, 0, f->low[1]))
        bl_svg_line(svg, x, page.top, x, page.top + chart.height, "stroke=\"#5b6670\" stroke-width=\"1.2\"");
    if (bl_chart_inside(&chart, f->low[0], 0))
        bl_svg_line(svg, page.left, y, page.width - page.right, y, "stroke=\"#5b6670\" stroke-width=\"1.2\"");
    put_curves(&chart, f);
    put_crossings(&chart, f);
    bl_chart_frame(&chart);
    if (page.width - page.right - x > 70)
        bl_chart_note(svg, page.width - page.right - 8, page.top + 18, "end", "#c1121f", "unstable");
    bl_chart_name_x(&chart, page.height - page.bottom + 40, "real part (1/s)");
    bl_chart_name_y(&chart, 24, "imaginary part (rad/s)");
    put_legend(&chart, f);
    bl_svg_end(svg);
}

bl_status bl_linear_locus(bl_context *ctx, const bl_mode_path *modes, const char *path) {
    locus f = {0};
    return bl_joined_draw(ctx, modes, path, &f.joined, draw, &f);
}
