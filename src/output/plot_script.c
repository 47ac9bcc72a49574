/* The gnuplot files of a plot: data, one block per curve, and a script, one panel below the other. Texts from models are in single quotes
 * and not enhanced, so that nothing in them is executed or interpreted as markup. */
#include "output/plot_private.h"

#include <math.h>
#include <string.h>

/* ---- data */

void bl_sheet_data(bl_text_file *to, void *sheet) {
    bl_sheet *s = sheet;
    s->to = to;
    for (bl_index k = 0; k < s->npanel; k++)
        for (bl_index c = 0; c < s->panel[k].ncurve; c++) {
            const bl_drawn *d = s->curve[s->panel[k].first + c];
            bl_put(s->to, "# ");
            bl_put_quoted(to, s->panel[k].against ? d->x.text : "time");
            bl_put(s->to, " %s, ", s->panel[k].x_unit);
            bl_put_quoted(to, d->label);
            bl_put(s->to, " %s\n", s->panel[k].unit);
            if (d->points.n == 0)
                bl_put(s->to, "NaN NaN\n");
            for (bl_index i = 0; i < d->points.n; i++) {
                bl_put(s->to, "%.9G %.9G\n", d->points.xy[2 * i] * s->panel[k].x_factor, d->points.xy[2 * i + 1] * s->panel[k].factor);
            }
            bl_put(s->to, "\n\n");
        }
}

/* smallest and largest value on an axis; false: none is finite */
static bool find_range(const bl_sheet *s, const bl_panel *p, int axis, double *low, double *high) {
    *low = INFINITY;
    *high = -INFINITY;
    for (bl_index c = 0; c < p->ncurve; c++) {
        const bl_points *points = &s->curve[p->first + c]->points;
        for (bl_index i = 0; i < points->n; i++)
            if (isfinite(points->xy[2 * i + axis])) {
                *low = fmin(*low, points->xy[2 * i + axis]);
                *high = fmax(*high, points->xy[2 * i + axis]);
            }
    }
    return *low <= *high;
}

/* ---- the page, in pixels */

enum {
    LABEL = 14,
    X_LABEL = 45,
    LEFT = 104,
    RIGHT = 24,
    TOP = 16,
    BOTTOM = 58,
    BETWEEN = 14,
    KEY_ROW = 18,
    TIC = 30,
    CHARACTER = 8,
    KEY_SAMPLE = 56
};

static size_t characters(const char *text) {
    size_t n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xC0) != 0x80;
    return n;
}

/* gnuplot makes all columns of a key as wide as the widest text */
static int key_columns(const bl_sheet *s, const bl_panel *p, int width) {
    size_t widest = 0;
    for (bl_index c = 0; c < p->ncurve; c++) {
        size_t n = characters(s->curve[p->first + c]->label);
        widest = n > widest ? n : widest;
    }
    int columns = (width - LEFT - RIGHT) / ((int)(widest > 200 ? 200 : widest) * CHARACTER + KEY_SAMPLE);
    return columns < 1 ? 1 : columns > p->ncurve ? (int)p->ncurve : columns;
}

static int key_height(const bl_sheet *s, const bl_panel *p, int width) {
    if (p->ncurve < 2)
        return 0;
    int columns = key_columns(s, p, width);
    return KEY_ROW * ((p->ncurve + columns - 1) / columns) + 6;
}

static bool has_x_axis(const bl_sheet *s, bl_index k) { return s->panel[k].against || k + 1 == s->npanel || s->panel[k + 1].against; }

typedef struct layout {
    int width, height;
    double stretch; /* of the panels, if the height is given */
} layout;

/* coupler curves get the height that follows from equal scales */
static int wanted_height(const bl_sheet *s, const bl_panel *p, int width) {
    int usual = s->npanel == 1 ? (p->against ? 520 : 340) : p->against ? 400 : 200;
    double x[2], y[2];
    if (!p->equal || !find_range(s, p, 0, &x[0], &x[1]) || !find_range(s, p, 1, &y[0], &y[1]) || !(x[1] > x[0]))
        return usual;
    double height = (width - LEFT - RIGHT) * (y[1] - y[0]) / (x[1] - x[0]) * 1.1;
    return (int)fmin(fmax(height, 180), usual + 120);
}

static int panel_height(const bl_sheet *s, bl_index k, const layout *l) {
    return (int)fmax(40, l->stretch * wanted_height(s, &s->panel[k], l->width));
}

static layout measure(const bl_sheet *s) {
    layout l = {.width = s->options->width ? s->options->width : 860, .stretch = 1};
    int around = TOP, panels = 0;
    for (bl_index k = 0; k < s->npanel; k++) {
        around += key_height(s, &s->panel[k], l.width) + (has_x_axis(s, k) ? BOTTOM : BETWEEN);
        panels += wanted_height(s, &s->panel[k], l.width);
    }
    l.height = s->options->height ? s->options->height : around + panels;
    l.stretch = s->options->height ? (double)(l.height - around) / panels : 1;
    return l;
}

/* ---- script */

static void put_terminal(bl_sheet *s, const layout *p) {
    bool pdf = strcmp(s->ending, "pdf") == 0, png = strcmp(s->ending, "png") == 0;
    bl_put(s->to,
           "# to be run by gnuplot in this folder\nset encoding utf8\nset terminal %s noenhanced size %.7G%s%.7G%s%s\nset output './'.",
           pdf   ? "pdfcairo"
           : png ? "pngcairo"
                 : "svg",
           pdf ? p->width / 96.0 : p->width, pdf ? "in," : ",", pdf ? p->height / 96.0 : p->height, pdf ? "in" : "",
           pdf   ? " font 'Helvetica,10.5' linewidth 0.75 rounded"
           : png ? " font 'Helvetica,10.5' background '#ffffff'"
                 : " font 'Helvetica,Arial,sans-serif,14' background '#ffffff' rounded");
    bl_put_quoted(s->to, s->figure);
    bl_put(s->to, "\ndata = './'.");
    bl_put_quoted(s->to, s->data);
    bl_put(s->to, "\nif (GPVAL_VERSION >= 5.4) set minussign\n");
}

/* Six colors that are distinct with any color vision (CIELAB distance 30, also for protan, deutan and tritan vision), and dashes to
 * distinguish them in gray; combinations repeat after 30 curves. */
static void put_line_types(bl_sheet *s) {
    static const char *const color[] = {"#0b7285", "#d9480f", "#412d89", "#9b35f6", "#73241a", "#c77a67"};
    static const char *const dash[] = {"solid", "(16,7)", "(3,5)", "(16,5,3,5)", "(7,4)"};
    bl_index most = 0;
    for (bl_index k = 0; k < s->npanel; k++)
        most = s->panel[k].ncurve > most ? s->panel[k].ncurve : most;
    for (bl_index c = 0; c < most && c < 30; c++) {
        bl_put(s->to, "set linetype %d lw 2 lc rgb '%s' dt %s\n", (int)c + 1, color[c % 6], dash[c % 5]);
    }
}

static void put_margin(bl_sheet *s, const char *which, double at) { bl_put(s->to, "set %s at screen %.7G\n", which, at); }

static void put_range(bl_sheet *s, const char *axis, double low, double high) {
    bl_put(s->to, "set %srange [%.12G:%.12G]\n", axis, low, high);
}

/* gnuplot's default tics overlap in a low panel: use steps of 1, 2 or 5 that leave room for the numbers */
static void put_tics(bl_sheet *s, const bl_panel *p, int height) {
    double low, high;
    bool few = height < 6 * TIC && !s->options->log && find_range(s, p, 1, &low, &high) && high > low;
    bl_put(s->to, "%s", few ? "set ytics " : "set ytics autofreq\n");
    if (!few)
        return;
    double least = (high - low) * p->factor * TIC / height, step = pow(10, floor(log10(least)));
    bl_put(s->to, "%.7G\n", least <= step ? step : least <= 2 * step ? 2 * step : least <= 5 * step ? 5 * step : 10 * step);
}

/* the common range of all panels over time */
static bool find_time_range(const bl_sheet *s, double *low, double *high) {
    double a, b;
    *low = INFINITY;
    *high = -INFINITY;
    for (bl_index k = 0; k < s->npanel; k++)
        if (!s->panel[k].against && find_range(s, &s->panel[k], 0, &a, &b)) {
            *low = fmin(*low, a);
            *high = fmax(*high, b);
        }
    return *high > *low;
}

/* equal scales on both axes: centered on the curves, with a margin of 5 % on the tighter axis */
static void put_equal_ranges(bl_sheet *s, const bl_panel *p, double width, double height) {
    double x[2], y[2];
    if (!find_range(s, p, 0, &x[0], &x[1]) || !find_range(s, p, 1, &y[0], &y[1]))
        return;
    double unit = fmax((x[1] - x[0]) / width, (y[1] - y[0]) / height) * 1.1; /* length per pixel */
    if (unit == 0)
        unit = fmax(fmax(fabs(x[0]), fabs(y[0])), 1) / width;
    put_range(s, "x", (0.5 * (x[0] + x[1]) - 0.5 * unit * width) * p->x_factor, (0.5 * (x[0] + x[1]) + 0.5 * unit * width) * p->x_factor);
    put_range(s, "y", (0.5 * (y[0] + y[1]) - 0.5 * unit * height) * p->factor, (0.5 * (y[0] + y[1]) + 0.5 * unit * height) * p->factor);
}

static void put_ranges(bl_sheet *s, const bl_panel *p) {
    double low, high;
    if (!p->against && find_time_range(s, &low, &high))
        put_range(s, "x", low * p->x_factor, high * p->x_factor);
    if (!find_range(s, p, 1, &low, &high))
        put_range(s, "y", s->options->log ? 0.1 : -1, 1);                             /* nothing finite: an empty frame */
    else if (high - low <= 1e-13 * fmax(fabs(low), fabs(high)) && !s->options->log) { /* constant: do not magnify rounding errors */
        double middle = 0.5 * (low + high), half = middle != 0 ? 0.5 * fabs(middle) : 1;
        put_range(s, "y", (middle - half) * p->factor, (middle + half) * p->factor);
    } else if (high == low)
        put_range(s, "y", 0.1 * low * p->factor, 10 * low * p->factor);
}

static const char label_style[] = " center noenhanced textcolor rgb '#1c2733'";

/* at the same position in all panels, independent of the width of the numbers; in a low panel only the unit */
static void put_y_label(bl_sheet *s, const bl_panel *p, int width, int height) {
    bool fits = (int)characters(p->y_label) * CHARACTER < height + BETWEEN;
    bl_put(s->to, "set label 1 ");
    bl_put_quoted(s->to, fits ? p->y_label : p->unit);
    bl_put(s->to, " at screen %.7G, graph 0.5 rotate by 90%s\n", (double)LABEL / width, label_style);
}

/* at: height of its middle on the page. gnuplot omits its own axis labels if the given margins seem too narrow */
static void put_x_label(bl_sheet *s, const bl_panel *p, bool shown, double at) {
    bl_put(s->to, "set label 2 ");
    bl_put_quoted(s->to, shown ? p->x_label : "");
    bl_put(s->to, " at graph 0.5, screen %.7G%s\n", at, label_style);
}

/* above the frame, left-aligned */
static void put_key(bl_sheet *s, const bl_panel *p, int width) {
    if (p->ncurve < 2) {
        bl_put(s->to, "unset key\n");
        return;
    }
    bl_put(s->to, "set key at graph 0, graph 1 left bottom Left reverse horizontal noenhanced samplen 3 maxcols %d\n",
           key_columns(s, p, width));
}

static void put_panel(bl_sheet *s, const layout *page, bl_index k, int *down) {
    const bl_panel *p = &s->panel[k];
    int height = panel_height(s, k, page);
    *down += key_height(s, p, page->width);
    bl_put(s->to, "\n");
    put_margin(s, "lmargin", (double)LEFT / page->width);
    put_margin(s, "rmargin", 1 - (double)RIGHT / page->width);
    put_margin(s, "tmargin", 1 - (double)*down / page->height);
    put_margin(s, "bmargin", 1 - (double)(*down + height) / page->height);
    put_x_label(s, p, has_x_axis(s, k), 1 - (double)(*down + height + X_LABEL) / page->height);
    *down += height + (has_x_axis(s, k) ? BOTTOM : BETWEEN);
    put_y_label(s, p, page->width, height);
    bl_put(s->to, "%s%s", has_x_axis(s, k) ? "set format x '%g'\n" : "set format x ''\n",
           s->options->log ? "set logscale y\nset format y '1e%T'\n" : "set offsets graph 0, graph 0, graph 0.03, graph 0.03\n");
    put_key(s, p, page->width);
    bl_put(s->to, "set autoscale\n");
    put_tics(s, p, height);
    if (p->equal)
        put_equal_ranges(s, p, page->width - LEFT - RIGHT, height);
    else
        put_ranges(s, p);
    for (bl_index c = 0; c < p->ncurve; c++) {
        bl_put(s->to, "%s%d using 1:2 with lines lt %d title ", c ? ", \\\n     data index " : "plot data index ", (int)(p->first + c),
               (int)(c % 30) + 1);
        bl_put_quoted(s->to, s->curve[p->first + c]->label);
    }
    bl_put(s->to, "\n");
}

void bl_sheet_script(bl_text_file *to, void *sheet) {
    bl_sheet *s = sheet;
    s->to = to;
    layout p = measure(s);
    int down = TOP;
    put_terminal(s, &p);
    put_line_types(s);
    bl_put(s->to, "set border 3 lc rgb '#8794a1'\nset tics nomirror out scale 0.6 textcolor rgb '#1c2733'\n"
                  "set grid lc rgb '#e4e9ee' lt 1 lw 0.8 dt solid\nset key textcolor rgb '#1c2733'\nset multiplot\n");
    for (bl_index k = 0; k < s->npanel; k++)
        put_panel(s, &p, k, &down);
    bl_put(s->to, "unset multiplot\nset output\n");
}
