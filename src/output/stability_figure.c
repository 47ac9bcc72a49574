/* Figure of the stability laboratory: regions, spectral radius, algorithmic damping, period error. Data are written to NAME.dat, and
 * gnuplot runs the script NAME.gp in the folder of the figure; both are kept, so that the figure can be edited. */
#include "base/sized.h"
#include "biela/stability.h"
#include "output/chart.h"
#include "output/gnuplot.h"

#include <math.h>
#include <string.h>

typedef struct figure {
    bl_text_file *to; /* the file being written */
    bl_context *ctx;
    bl_arena arena;
    const bl_stability_report *report;
    const char *folder, *svg, *script, *data; /* svg, script, data: names in the folder */
    const char *script_path, *data_path;
} figure;

static void put_row(figure *f, const double *value, int n) {
    for (int i = 0; i < n; i++) {
        bl_put(f->to, "%s%.7G", i ? " " : "", value[i]);
    }
    bl_put(f->to, "\n");
}

/* ---- data: for every method a block of curves, one of boundary lines, one of marks */

static void write_data(bl_text_file *to, void *user) {
    figure *f = user;
    f->to = to;
    const bl_stability_report *report = f->report;
    for (bl_index e = 0; e < report->nentry; e++) {
        const bl_stability_entry *entry = &report->entry[e];
        const bl_stability_table *t = &entry->curve;
        bl_put(f->to, "# %s: h/T, spectral radius, algorithmic damping ratio, relative period error\n", entry->name);
        for (bl_index i = 0; i < t->n; i++)
            put_row(f, (const double[]){t->h_over_T[i], t->rho[i], t->damping[i], t->period_error[i]}, 4);
        bl_put(f->to, "\n\n# %s: boundary of the stability region, real and imaginary part of z\n", entry->name);
        if (entry->nline == 0)
            put_row(f, (const double[]){NAN, NAN}, 2);
        for (bl_index l = 0; l < entry->nline; l++) {
            bl_put(f->to, "%s", l ? "\n" : "");
            for (bl_index i = 0; i < entry->line[l].n; i++)
                put_row(f, (const double[]){entry->line[l].re[i], entry->line[l].im[i]}, 2);
        }
        bl_put(f->to, "\n\n# %s: the same as the curves at the frequencies of a model\n", entry->name);
        if (entry->marks.n == 0)
            put_row(f, (const double[]){NAN, NAN, NAN, NAN}, 4);
        for (bl_index i = 0; i < entry->marks.n; i++)
            put_row(f,
                    (const double[]){entry->marks.h_over_T[i], entry->marks.rho[i], entry->marks.damping[i], entry->marks.period_error[i]},
                    4);
        bl_put(f->to, "\n\n");
    }
}

/* ---- script */

typedef struct range {
    double low, high;
} range;

static void widen(range *r, double value) {
    if (!isfinite(value))
        return;
    r->low = fmin(r->low, value);
    r->high = fmax(r->high, value);
}

/* the range of a column up to h/T = 0.4, within the limits */
static range column_range(const figure *f, bool period, double low, double high) {
    range r = {0, 0};
    for (bl_index e = 0; e < f->report->nentry; e++) {
        const bl_stability_table *t = &f->report->entry[e].curve;
        for (bl_index i = 0; i < t->n && t->h_over_T[i] <= 0.4; i++)
            widen(&r, fmin(fmax(period ? t->period_error[i] : t->damping[i], low), high));
    }
    double margin = 0.05 * fmax(r.high - r.low, 0.02);
    return (range){r.low - (r.low < 0 ? margin : margin / 5), r.high + margin};
}

static void widen_by_line(const bl_stability_line *line, range *re, range *im) {
    for (bl_index i = 0; i < line->n; i++)
        if (hypot(line->re[i], line->im[i]) < 40) {
            widen(re, line->re[i]);
            widen(im, line->im[i]);
        }
}

static double extent(const bl_stability_line *line) {
    range re = {INFINITY, -INFINITY}, im = {INFINITY, -INFINITY};
    widen_by_line(line, &re, &im);
    return line->closed ? fmax(re.high - re.low, im.high - im.low) : 0;
}

/* a window of the z plane that shows closed boundaries completely, up to a size and except for tiny ones, and part of the others */
static void window(const figure *f, range *re, range *im) {
    double largest = 0;
    for (bl_index e = 0; e < f->report->nentry; e++)
        for (bl_index l = 0; l < f->report->entry[e].nline; l++)
            largest = fmax(largest, extent(&f->report->entry[e].line[l]));
    *re = (range){-3, 3};
    *im = (range){-3, 3};
    for (bl_index e = 0; e < f->report->nentry; e++)
        for (bl_index l = 0; l < f->report->entry[e].nline; l++)
            if (extent(&f->report->entry[e].line[l]) > 0.03 * largest)
                widen_by_line(&f->report->entry[e].line[l], re, im);
    const double shape = 1.24; /* width to height of the panel */
    double margin = 0.08 * fmax(re->high - re->low, im->high - im->low);
    double wide = re->high - re->low + 2 * margin, high = im->high - im->low + 2 * margin;
    double more = fmax(0, shape * high - wide) / 2;
    *re = (range){re->low - margin - more, re->high + margin + more};
    more = fmax(0, wide / shape - high) / 2;
    *im = (range){im->low - margin - more, im->high + margin + more};
}

static bool bounded(const bl_stability_entry *entry) { return entry->rho_infinity > 1 + 1e-9; }

static void put_range(figure *f, const char *axis, range r) { bl_put(f->to, "set %srange [%.7G:%.7G]\n", axis, r.low, r.high); }

enum { BLOCKS = 3, MARKS = 2 };

/* the model's frequencies as points on the curves */
static void put_marks(figure *f, const char *using_columns) {
    for (bl_index e = 0; e < f->report->nentry; e++) {
        if (f->report->entry[e].marks.n == 0)
            continue;
        bl_put(f->to, ", \\\n     data index %d using %s with points pt 6 ps 0.6 lt %d", BLOCKS * (int)e + MARKS, using_columns,
               (int)e + 1);
    }
}

/* one item of a plot command per method; block: curves 0, lines 1; half: every second point is enough */
static void put_items(figure *f, int block, bool half, const char *using_columns, bool first) {
    for (bl_index e = 0; e < f->report->nentry; e++) {
        bl_put(f->to, "%sdata index %d%s%s with lines lt %d", first && e == 0 ? "plot " : ", \\\n     ", BLOCKS * (int)e + block,
               half ? " every 2 using " : " using ", using_columns, (int)e + 1);
    }
}

static void put_regions(figure *f) {
    range re, im;
    bl_index filled = 0;
    for (bl_index e = 0; e < f->report->nentry; e++)
        filled += bounded(&f->report->entry[e]);
    window(f, &re, &im);
    bl_put(f->to,
           "\nset title '(a) stability regions'\nset xlabel 'Re z'\nset ylabel 'Im z'\nset size ratio -1\n"
           "set xzeroaxis\nset yzeroaxis\nset label 1 at graph 0.03, 0.05 front boxed font ',11' '%s'\n",
           filled == f->report->nentry ? "stable inside"
           : filled                    ? "stable inside where shaded, outside elsewhere"
                                       : "stable outside closed curves, left of open ones");
    put_range(f, "x", re);
    put_range(f, "y", im);
    bl_index done = 0;
    for (bl_index e = 0; e < f->report->nentry; e++)
        if (bounded(&f->report->entry[e])) {
            bl_put(f->to, "%sdata index %d using 1:2 with filledcurves closed fs transparent solid 0.12 noborder lt %d",
                   done++ ? ", \\\n     " : "plot ", BLOCKS * (int)e + 1, (int)e + 1);
        }
    put_items(f, 1, false, "1:2", filled == 0);
    bl_put(f->to, "\nunset label 1\nset size noratio\nunset xzeroaxis\nunset yzeroaxis\n");
}

static void put_radius(figure *f) {
    range r = {0, 1};
    for (bl_index e = 0; e < f->report->nentry; e++)
        for (bl_index i = 0; i < f->report->entry[e].curve.n; i++)
            widen(&r, fmin(f->report->entry[e].curve.rho[i], 1.4));
    bl_put(f->to, "\nset title '(b) spectral radius'\nset xlabel 'h / T'\nset ylabel 'ρ'\nset logscale x\n"
                  "set format x '10^{%%L}'\nset mxtics 1\n"
                  "set arrow 1 from graph 0, first 1 to graph 1, first 1 nohead dt 3 lc rgb '#808080'\n");
    put_range(f, "x", (range){0.01, 100});
    put_range(f, "y", (range){0, r.high + 0.05});
    put_items(f, 0, true, "1:2", true);
    put_marks(f, "1:2");
    bl_put(f->to, "\nunset logscale x\nset mxtics default\nset format x '%%g'\nunset arrow 1\n");
}

static void put_column(figure *f, bool period) {
    bl_put(f->to, "%sset xlabel 'h / T'\nset xzeroaxis\n",
           period ? "\nset title '(d) relative period error'\nset ylabel '(T_h − T) / T'\n"
                  : "\nset title '(c) algorithmic damping ratio'\nset ylabel 'ξ'\n");
    put_range(f, "x", (range){0, 0.4});
    put_range(f, "y", period ? column_range(f, true, -0.25, 0.5) : column_range(f, false, -0.1, 0.4));
    put_items(f, 0, false, period ? "1:4" : "1:3", true);
    put_marks(f, period ? "1:4" : "1:3");
    bl_put(f->to, "\nunset xzeroaxis\n");
}

static void put_key(figure *f) {
    bl_put(f->to, "\nunset title\nunset xlabel\nunset ylabel\nunset tics\nunset border\nset margins 0, 0, 0, 0\n"
                  "set origin 0, 0\nset size 1, 0.08\nset xrange [0:1]\nset yrange [0:1]\n"
                  "set key center center horizontal noenhanced samplen 3 width 2\n");
    for (bl_index e = 0; e < f->report->nentry; e++) {
        bl_put(f->to, "%sNaN with lines lt %d title ", e ? ", \\\n     " : "plot ", (int)e + 1);
        bl_put_quoted(f->to, f->report->entry[e].name);
    }
    bl_put(f->to, "\n");
}

static void put_line_types(figure *f) {
    for (bl_index e = 0; e < f->report->nentry; e++)
        bl_put(f->to, "set linetype %d lw 1.8 lc rgb '%s' dt %d\n", (int)e + 1, bl_chart_color(e), (int)(e / BL_CHART_COLORS) % 5 + 1);
}

static void write_script(bl_text_file *to, void *user) {
    figure *f = user;
    f->to = to;
    bl_put(f->to, "# to be run by gnuplot in this folder\nset encoding utf8\n"
                  "set terminal svg size 1000,940 enhanced font 'Helvetica,Arial,sans-serif,14' background '#ffffff'\n"
                  "set output './'.");
    bl_put_quoted(f->to, f->svg);
    bl_put(f->to, "\ndata = './'.");
    bl_put_quoted(f->to, f->data);
    bl_put(f->to, "\n");
    put_line_types(f);
    bl_put(f->to, "set multiplot layout 2,2 margins 0.085, 0.985, 0.145, 0.955 spacing 0.1, 0.115\nunset key\n"
                  "set border lc rgb '#404040'\nset title font ',14'\nset style textbox opaque noborder margins 0.5, 0.5\n");
    put_regions(f);
    put_radius(f);
    put_column(f, false);
    put_column(f, true);
    put_key(f);
    bl_put(f->to, "unset multiplot\n");
}

/* ---- gnuplot */

static bl_status run_gnuplot(figure *f) {
    bl_status status = bl_gnuplot_run(f->ctx, f->folder, f->script, f->svg);
    if (status == BL_E_ABILITY) {
        bl_fail(f->ctx, BL_E_ABILITY, NULL, "cannot draw '%s': gnuplot is not installed; its data and script were written", f->svg);
        bl_advise(f->ctx, "install gnuplot (Debian: gnuplot-nox), then in its folder: gnuplot %s", f->script);
    } else if (status == BL_E_FILE) {
        bl_advise(f->ctx, "the script is '%s'", f->script_path);
    }
    return status;
}

/* folder and names from the path of the figure */
static bl_status name_files(figure *f, const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = strlen(name), folder = (size_t)(name - path);
    if (length > 4 && strcmp(name + length - 4, ".svg") == 0)
        length -= 4;
    if (strcmp(path, "-") == 0)
        return bl_fail(f->ctx, BL_E_ARG, NULL, "a figure needs a file, since its data and script are written beside it");
    if (length == 0 || strchr(path, '\n'))
        return bl_fail(f->ctx, BL_E_ARG, NULL, "the path of a figure cannot contain newlines: '%s'", path);
    f->folder = slash ? bl_arena_text(&f->arena, path, folder) : bl_arena_text(&f->arena, ".", 1);
    f->svg = bl_arena_text(&f->arena, name, strlen(name));
    f->script = bl_arena_printf(&f->arena, "%.*s.gp", (int)length, name);
    f->data = bl_arena_printf(&f->arena, "%.*s.dat", (int)length, name);
    f->script_path = bl_arena_printf(&f->arena, "%.*s%s", (int)folder, path, f->script ? f->script : "");
    f->data_path = bl_arena_printf(&f->arena, "%.*s%s", (int)folder, path, f->data ? f->data : "");
    return f->folder && f->svg && f->script && f->data && f->script_path && f->data_path ? BL_OK : BL_E_MEMORY;
}

bl_status bl_stability_figure(bl_context *ctx, const bl_stability_report *given, const char *path) {
    bl_stability_report own, *report = &own;
    BL_TRY(BL_TAKE(ctx, bl_stability_report, given, report));
    if (report->nentry < 1 || !path || !path[0])
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_stability_figure needs a report with methods and a path");
    figure f = {.ctx = ctx, .arena = {.ctx = ctx}, .report = report};
    bl_status status = name_files(&f, path);
    if (status == BL_OK)
        status = bl_text_file_write(ctx, f.data_path, false, write_data, &f);
    if (status == BL_OK)
        status = bl_text_file_write(ctx, f.script_path, false, write_script, &f);
    if (status == BL_OK)
        status = run_gnuplot(&f);
    bl_arena_destroy(&f.arena);
    return status;
}
