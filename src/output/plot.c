/* Plots of results: requested quantities become curves, curves of the same unit share a panel, gnuplot draws the panels below each other.
 * */
#include "base/sized.h"
#include "output/plot_private.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_CURVES = 200, MOST_PANELS = 12, MOST_POINTS = 8000, ALL_POINTS = 160000, LEAST_POINTS = 600 };

typedef struct plot {
    bl_context *ctx;
    bl_arena arena;
    bl_plot_options options;
    bl_index nresult, made; /* made: catalogs */
    bl_catalog *catalog;
    bool mm;
    bl_drawn *curve[MOST_CURVES]; /* as requested; later sorted by panel */
    bl_index ncurve;
    bl_panel panel[MOST_PANELS];
    bl_index npanel;
    char axis[40]; /* name of the horizontal axis: time, load or mode */
    double *chunk; /* y, x, time */
} plot;

static void plot_destroy(plot *p) {
    for (bl_index c = 0; c < p->ncurve; c++) {
        bl_plot_value_destroy(&p->curve[c]->y);
        bl_plot_value_destroy(&p->curve[c]->x);
        bl_points_destroy(&p->curve[c]->points);
    }
    for (bl_index r = 0; r < p->made; r++)
        bl_catalog_destroy(&p->catalog[r]);
    bl_free(p->ctx, p->chunk);
    bl_arena_destroy(&p->arena);
}

/* ---- requested curves */

/* '*' matches any characters */
static bool matches(const char *pattern, const char *text) {
    const char *star = NULL, *again = NULL;
    while (*text) {
        if (*pattern == '*') {
            star = pattern++;
            again = text;
        } else if (*pattern == *text) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star + 1;
            text = ++again;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

/* the colon of Y:X outside of parentheses, not that of a ? b : c */
static const char *find_colon(const char *text) {
    int depth = 0;
    char quote = '\0';
    for (const char *c = text; *c; c++) {
        if (quote)
            quote = *c == quote ? '\0' : quote;
        else if (*c == '"' || *c == '|')
            quote = *c;
        else if (*c == '?')
            return NULL;
        else if (*c == ':' && depth == 0)
            return c;
        depth += (*c == '(') - (*c == ')');
    }
    return NULL;
}

static bool is_requested(const plot *p, const bl_catalog *of, const char *y, const char *x) {
    for (bl_index c = 0; c < p->ncurve; c++) {
        const char *against = p->curve[c]->x.of ? p->curve[c]->x.text : NULL;
        if (p->curve[c]->y.of == of && strcmp(p->curve[c]->y.text, y) == 0 && (against == x || (against && x && strcmp(against, x) == 0)))
            return true;
    }
    return false;
}

static bl_status add_curve(plot *p, bl_catalog *of, const char *y, const char *x, const char *label, bool optional) {
    if (is_requested(p, of, y, x))
        return BL_OK;
    if (p->ncurve == MOST_CURVES) {
        bl_fail(p->ctx, BL_E_ARG, NULL, "more than %d curves are requested", MOST_CURVES);
        bl_advise(p->ctx, "name fewer quantities, or make several figures");
        return BL_E_ARG;
    }
    bl_drawn *d;
    BL_TRY(BL_ARENA_NEW(&p->arena, d, 1));
    p->curve[p->ncurve++] = d;
    d->label = label ? label : y;
    d->optional = optional;
    d->about = (bl_plot_curve){.name = y, .against = x, .result = (bl_index)(of - p->catalog), .unit = ""};
    BL_TRY(bl_plot_value_create(of, y, &d->y));
    return x ? bl_plot_value_create(of, x, &d->x) : BL_OK;
}

/* all quantities of a part, or all whose names match; *found: their number */
static bl_status add_many(plot *p, bl_catalog *of, const char *what, const char *x, bl_index *found) {
    bool pattern = strchr(what, '*') != NULL, reactions = strcmp(what, "reactions") == 0;
    for (bl_index i = 0; i < of->n; i++) {
        const bl_plot_name *e = &of->entry[i];
        bool magnitude = e->component < 0;
        if (!(reactions ? magnitude : pattern ? matches(what, e->name) : e->part && strcmp(e->part, what) == 0 && !magnitude))
            continue;
        (*found)++;
        BL_TRY(add_curve(p, of, e->name, x, NULL, true));
    }
    return BL_OK;
}

static bl_status add_energies(plot *p, bl_catalog *of, const char *x) {
    if (bl_catalog_find(of, "kinetic") < 0)
        return bl_catalog_refuse(of, "energy");
    BL_TRY(add_curve(p, of, "kinetic", x, NULL, false));
    BL_TRY(add_curve(p, of, "potential", x, NULL, false));
    BL_TRY(add_curve(p, of, "kinetic + potential", x, "total", true));
    BL_TRY(add_curve(p, of, "work", x, NULL, true));
    return bl_catalog_find(of, "dissipated") < 0 ? BL_OK : add_curve(p, of, "dissipated", x, NULL, true);
}

/* one text for one result: tried as a name, a short form, an expression */
static bl_status add_quantity(plot *p, bl_catalog *of, const char *y, const char *x) {
    bl_index found = 0;
    if (bl_catalog_find(of, y) >= 0)
        return add_curve(p, of, y, x, NULL, false);
    if (strcmp(y, "energy") == 0)
        return add_energies(p, of, x);
    BL_TRY(add_many(p, of, y, x, &found));
    return found > 0 ? BL_OK : add_curve(p, of, y, x, NULL, false);
}

static bl_status add_requested(plot *p) {
    for (bl_index w = 0; w < p->options.nwhat; w++) {
        const char *what = p->options.what[w], *colon = find_colon(what), *y = what, *x = p->options.against;
        if (colon && bl_catalog_find(&p->catalog[0], what) < 0) {
            y = bl_arena_text(&p->arena, what, (size_t)(colon - what));
            x = bl_arena_text(&p->arena, colon + 1, strlen(colon + 1));
            if (!y || !x)
                return BL_E_MEMORY;
        }
        if (x && (strcmp(x, "t") == 0 || strcmp(x, "time") == 0))
            x = NULL;
        if (!*y || (x && !*x))
            return bl_fail(p->ctx, BL_E_ARG, NULL, "'%s' does not name a quantity; write Y:X to plot Y against X", what);
        for (bl_index r = 0; r < p->nresult; r++)
            BL_TRY(add_quantity(p, &p->catalog[r], y, x));
    }
    return BL_OK;
}

/* ---- reading */

/* the number of samples between --from and --to */
static bl_status count_samples(plot *p, bl_plot_value *when, long n, long *inside) {
    double *t = p->chunk;
    *inside = p->options.limited ? 0 : n;
    for (long first = 0; first < n && p->options.limited; first += BL_PLOT_CHUNK) {
        long count = n - first < BL_PLOT_CHUNK ? n - first : BL_PLOT_CHUNK;
        BL_TRY(bl_plot_value_read(when, first, count, t));
        for (long i = 0; i < count; i++)
            *inside += t[i] >= p->options.from && t[i] <= p->options.to;
    }
    return BL_OK;
}

static bl_status read_curve(plot *p, bl_drawn *d, long most) {
    const bl_plot_options *o = &p->options;
    long n, m, inside = 0;
    const char *time, *x_time;
    bl_plot_value when = {0};
    BL_TRY(bl_plot_value_samples(&d->y, &n, &time));
    if (d->x.of) {
        BL_TRY(bl_plot_value_samples(&d->x, &m, &x_time));
        if (strcmp(time, x_time) != 0)
            return bl_fail(p->ctx, BL_E_ARG, NULL, "'%.100s' and '%.100s' have different sample times", d->y.text, d->x.text);
    }
    BL_TRY(bl_plot_value_create(d->y.of, time, &when));
    bl_status status = count_samples(p, &when, n, &inside);
    double *y = p->chunk, *x = y + BL_PLOT_CHUNK, *t = x + BL_PLOT_CHUNK;
    bl_points_begin(&d->points, p->ctx, inside, most, d->x.of != NULL);
    for (long first = 0; first < n && status == BL_OK; first += BL_PLOT_CHUNK) {
        long count = n - first < BL_PLOT_CHUNK ? n - first : BL_PLOT_CHUNK;
        status = bl_go_on(p->ctx);
        if (status == BL_OK)
            status = bl_plot_value_read(&when, first, count, t);
        if (status == BL_OK)
            status = bl_plot_value_read(&d->y, first, count, y);
        if (status == BL_OK && d->x.of)
            status = bl_plot_value_read(&d->x, first, count, x);
        for (long i = 0; i < count && status == BL_OK; i++) {
            if (o->limited && !(t[i] >= o->from && t[i] <= o->to))
                continue;
            double value = o->log ? (y[i] == 0 ? NAN : fabs(y[i])) : y[i];
            status = bl_points_add(&d->points, d->x.of ? x[i] : t[i], value);
        }
    }
    if (status == BL_OK)
        status = bl_points_end(&d->points);
    bl_plot_value_destroy(&when);
    return status;
}

static bool is_zero(const bl_drawn *d) { return !(d->points.low < 0) && !(d->points.high > 0); }

/* drops curves of short forms that are always zero, such as components out of the plane; one curve is kept */
static void drop_zeros(plot *p) {
    bl_index kept = 0, shown = 0;
    for (bl_index c = 0; c < p->ncurve; c++)
        shown += !p->curve[c]->optional || !is_zero(p->curve[c]);
    for (bl_index c = 0; c < p->ncurve; c++) {
        bl_drawn *d = p->curve[c];
        if (d->optional && is_zero(d) && (shown > 0 || kept > 0)) {
            bl_plot_value_destroy(&d->y);
            bl_plot_value_destroy(&d->x);
            bl_points_destroy(&d->points);
        } else {
            p->curve[kept++] = d;
        }
    }
    p->ncurve = kept;
}

static bl_status read_curves(plot *p) {
    long most = ALL_POINTS / (p->ncurve > 0 ? p->ncurve : 1), samples = 0;
    most = most > MOST_POINTS ? MOST_POINTS : most < LEAST_POINTS ? LEAST_POINTS : most;
    BL_TRY(BL_NEW(p->ctx, p->chunk, 3 * BL_PLOT_CHUNK));
    for (bl_index c = 0; c < p->ncurve; c++) {
        BL_TRY(read_curve(p, p->curve[c], most));
        samples = p->curve[c]->points.samples > samples ? p->curve[c]->points.samples : samples;
    }
    if (samples == 0) {
        bl_fail(p->ctx, BL_E_ARG, NULL, "there is no sample to draw%s", p->options.limited ? " between --from and --to" : "");
        return BL_E_ARG;
    }
    drop_zeros(p);
    return BL_OK;
}

/* ---- panels */

/* whether both belong on one axis: same unit; for plain numbers and unknown units also the same kind of quantity */
static bool same_axis(const bl_plot_value *a, const bl_plot_value *b) {
    if (!a->of || !b->of)
        return !a->of && !b->of; /* both time */
    if (!bl_unit_same(&a->unit, &b->unit))
        return false;
    char text[40];
    bl_unit_text(&a->unit, text, sizeof text);
    if (text[0])
        return true;
    return a->word && b->word ? strcmp(a->word, b->word) == 0 : !a->word && !b->word;
}

/* sorts curves by panel, panels in the order of their first curve */
static bl_status sort_panels(plot *p) {
    bl_drawn *sorted[MOST_CURVES];
    bool taken[MOST_CURVES] = {false};
    bl_index n = 0;
    for (bl_index c = 0; c < p->ncurve; c++) {
        if (taken[c])
            continue;
        if (p->npanel == MOST_PANELS) {
            bl_fail(p->ctx, BL_E_ARG, NULL, "more than %d panels would be needed", MOST_PANELS);
            bl_advise(p->ctx, "name fewer quantities, or make several figures");
            return BL_E_ARG;
        }
        bl_panel *panel = &p->panel[p->npanel++];
        *panel = (bl_panel){.first = n, .against = p->curve[c]->x.of != NULL};
        for (bl_index d = c; d < p->ncurve; d++)
            if (!taken[d] && same_axis(&p->curve[d]->y, &p->curve[c]->y) && same_axis(&p->curve[d]->x, &p->curve[c]->x)) {
                taken[d] = true;
                p->curve[d]->about.panel = p->npanel - 1;
                sorted[n++] = p->curve[d];
            }
        panel->ncurve = n - panel->first;
    }
    memcpy(p->curve, sorted, (size_t)n * sizeof *sorted);
    return BL_OK;
}

/* the axis title: the name of a single curve, else the common kind of quantity */
static void name_axis(const plot *p, const bl_panel *panel, bool horizontal, const char *unit, char *label, size_t size) {
    const bl_plot_value *first = NULL;
    bool same_name = true, same_word = true;
    for (bl_index c = 0; c < panel->ncurve; c++) {
        const bl_drawn *d = p->curve[panel->first + c];
        const bl_plot_value *v = horizontal ? &d->x : &d->y;
        first = first ? first : v;
        same_name = same_name && strcmp(v->text, first->text) == 0;
        same_word = same_word && v->word && first->word && strcmp(v->word, first->word) == 0;
    }
    const char *word = bl_unit_word(&first->unit), *text = same_name ? first->text : same_word ? first->word : word ? word : "";
    const char *bar = p->options.log && !horizontal && text[0] != '|' ? "|" : "";
    snprintf(label, size, "%s%.120s%s%s%s%s", text[0] ? bar : "", text, text[0] ? bar : "", unit[0] ? " (" : "", unit, unit[0] ? ")" : "");
}

/* kN, kJ, kW, kN m if values have five digits before the decimal point */
static void use_thousands(const plot *p, bl_panel *panel) {
    static const char *const units[] = {"N", "J", "W", "N m"};
    double largest = 0;
    for (bl_index c = 0; c < panel->ncurve; c++) {
        const bl_points *points = &p->curve[panel->first + c]->points;
        if (points->low <= points->high)
            largest = fmax(largest, fmax(fabs(points->low), fabs(points->high)));
    }
    for (int i = 0; i < 4 && largest >= 1e4; i++)
        if (strcmp(panel->unit, units[i]) == 0) {
            snprintf(panel->unit, sizeof panel->unit, "k%s", units[i]);
            panel->factor = 1e-3;
            return;
        }
}

static void finish_panel(plot *p, bl_panel *panel) {
    bl_drawn *d = p->curve[panel->first];
    panel->factor = bl_unit_shown(&d->y.unit, p->options.radians, p->mm, panel->unit, sizeof panel->unit);
    panel->x_factor = 1;
    snprintf(panel->x_unit, sizeof panel->x_unit, "%s", strcmp(p->axis, "time") == 0 ? "s" : "");
    if (!p->options.log)
        use_thousands(p, panel);
    name_axis(p, panel, false, panel->unit, panel->y_label, sizeof panel->y_label);
    if (!panel->against) {
        snprintf(panel->x_label, sizeof panel->x_label, "%s%s", p->axis, panel->x_unit[0] ? " (s)" : "");
    } else {
        panel->x_factor = bl_unit_shown(&d->x.unit, p->options.radians, p->mm, panel->x_unit, sizeof panel->x_unit);
        name_axis(p, panel, true, panel->x_unit, panel->x_label, sizeof panel->x_label);
        bl_unit meter = bl_unit_of("m");
        panel->equal = bl_unit_same(&d->x.unit, &meter) && bl_unit_same(&d->y.unit, &meter) && !p->options.log;
    }
    for (bl_index c = 0; c < panel->ncurve; c++) {
        d = p->curve[panel->first + c];
        d->about.unit = panel->unit;
        d->about.samples = d->points.samples;
        d->about.points = d->points.n;
        bool any = d->points.low <= d->points.high;
        d->about.smallest = any ? d->points.low * panel->factor : NAN;
        d->about.largest = any ? d->points.high * panel->factor : NAN;
    }
}

/* adds the result to the label if there are several; if all curves have one name, the result alone */
static bl_status name_curves(plot *p) {
    for (bl_index c = 0; c < p->ncurve; c++) {
        bl_drawn *d = p->curve[c];
        const bl_panel *panel = &p->panel[d->about.panel];
        bool one_name = true, one_axis = true;
        for (bl_index k = 0; k < panel->ncurve; k++) {
            const bl_drawn *other = p->curve[panel->first + k];
            one_name = one_name && strcmp(other->y.text, d->y.text) == 0;
            one_axis = one_axis && (!panel->against || strcmp(other->x.text, d->x.text) == 0);
        }
        if (!one_axis && !(d->label = bl_arena_printf(&p->arena, "%s : %s", d->label, d->x.text)))
            return BL_E_MEMORY;
        if (p->nresult > 1) {
            d->label = one_name && one_axis ? d->y.of->label : bl_arena_printf(&p->arena, "%s, %s", d->label, d->y.of->label);
            if (!d->label)
                return BL_E_MEMORY;
        }
    }
    return BL_OK;
}

static bl_status arrange(plot *p) {
    char formulation[32] = "", load[sizeof p->axis] = "";
    bl_status found = bl_result_text(p->catalog[0].result, "formulation", formulation, sizeof formulation);
    if (found == BL_OK && strcmp(formulation, "equilibrium") == 0)
        found = bl_result_text(p->catalog[0].result, "load", load, sizeof load);
    if (found == BL_E_MEMORY)
        return found;
    if (found != BL_OK)
        bl_context_clear_error(p->ctx); /* missing in older files, where the axis is time, or if the load is t */
    snprintf(p->axis, sizeof p->axis, "%s",
             strcmp(formulation, "equilibrium") == 0 ? (load[0] ? load : "load")
             : strcmp(formulation, "modes") == 0     ? "mode"
                                                     : "time");
    p->mm = p->options.lengths == BL_PLOT_MILLIMETERS;
    for (bl_index r = 0; r < p->nresult && p->options.lengths == BL_PLOT_BY_SIZE; r++) {
        bool small;
        BL_TRY(bl_catalog_is_small(&p->catalog[r], &small));
        p->mm = small && (r == 0 || p->mm);
    }
    BL_TRY(sort_panels(p));
    for (bl_index k = 0; k < p->npanel; k++)
        finish_panel(p, &p->panel[k]);
    return name_curves(p);
}

/* ---- files */

static const char *ending_of(const char *path) {
    static const char *const endings[] = {"svg", "pdf", "png"};
    size_t length = strlen(path);
    for (int i = 0; i < 3; i++)
        if (length > 4 && path[length - 4] == '.' && strcmp(path + length - 3, endings[i]) == 0 && path[length - 5] != '/')
            return endings[i];
    return NULL;
}

static bl_status copy(bl_context *ctx, const char *from, const char *to) {
    bl_target target;
    char bytes[1 << 14];
    ssize_t n = 0;
    int fd = open(from, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return bl_fail(ctx, BL_E_FILE, NULL, "gnuplot drew nothing for '%s'", to);
    bl_status status = bl_target_create(ctx, to, &target);
    if (status == BL_OK) {
        status = bl_target_open(&target, true);
        while (status == BL_OK && ((n = read(fd, bytes, sizeof bytes)) > 0 || (n < 0 && errno == EINTR)))
            if (n > 0)
                bl_target_append(&target, bytes, (size_t)n);
        if (status == BL_OK)
            status = bl_target_close(&target, n == 0 && !target.error);
        if (status == BL_OK && n < 0)
            status = bl_fail(ctx, BL_E_FILE, NULL, "cannot read the drawing of gnuplot for '%s'", to);
        bl_target_destroy(&target);
    }
    close(fd);
    return status;
}

static void remove_folder(const char *folder) {
    DIR *dir = opendir(folder);
    char path[4096 + 300];
    for (const struct dirent *e; dir && (e = readdir(dir));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 &&
            snprintf(path, sizeof path, "%s/%s", folder, e->d_name) < (int)sizeof path)
            unlink(path);
    if (dir)
        closedir(dir);
    rmdir(folder);
}

/* draws in a temporary folder, under names that need no quoting */
static bl_status draw(plot *p, bl_sheet *sheet, const char *path) {
    const char *in = p->options.folder;
    char *folder = bl_arena_printf(&p->arena, "%s/biela-plot-XXXXXX", in && in[0] ? in : "/tmp");
    if (!folder)
        return BL_E_MEMORY;
    if (!mkdtemp(folder))
        return bl_fail(p->ctx, BL_E_FILE, NULL, "cannot create a temporary folder '%s': %s", folder, strerror(errno));
    char *data = bl_arena_printf(&p->arena, "%s/plot.dat", folder), *script = bl_arena_printf(&p->arena, "%s/plot.gp", folder);
    char *figure = bl_arena_printf(&p->arena, "%s/plot.%s", folder, sheet->ending);
    char *name = bl_arena_printf(&p->arena, "plot.%s", sheet->ending);
    sheet->data = "plot.dat";
    sheet->figure = name;
    bl_status status = data && script && figure && name ? bl_text_file_write(p->ctx, data, false, bl_sheet_data, sheet) : BL_E_MEMORY;
    if (status == BL_OK)
        status = bl_text_file_write(p->ctx, script, false, bl_sheet_script, sheet);
    if (status == BL_OK)
        status = bl_gnuplot_run(p->ctx, folder, "plot.gp", path);
    if (status == BL_OK)
        status = copy(p->ctx, figure, path);
    if (status == BL_E_ABILITY)
        bl_advise(p->ctx, "install gnuplot (Debian: gnuplot-nox)%s",
                  p->options.keep ? "" : "; --keep writes script and data even without it");
    remove_folder(folder);
    return status;
}

/* FIGURE.gp and FIGURE.dat beside FIGURE.svg */
static bl_status write_kept_files(plot *p, bl_sheet *sheet, const char *path, bl_plot_report *report) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    int stem = (int)strlen(path) - 4, short_stem = (int)strlen(name) - 4;
    report->script = bl_arena_printf(&p->arena, "%.*s.gp", stem, path);
    report->data = bl_arena_printf(&p->arena, "%.*s.dat", stem, path);
    sheet->figure = name;
    sheet->data = bl_arena_printf(&p->arena, "%.*s.dat", short_stem, name);
    if (!report->script || !report->data || !sheet->data)
        return BL_E_MEMORY;
    BL_TRY(bl_text_file_write(p->ctx, report->data, false, bl_sheet_data, sheet));
    return bl_text_file_write(p->ctx, report->script, false, bl_sheet_script, sheet);
}

static bl_status write_all(plot *p, const char *path, bl_plot_report *report) {
    bl_sheet sheet = {.ctx = p->ctx,
                      .options = &p->options,
                      .ncurve = p->ncurve,
                      .npanel = p->npanel,
                      .curve = p->curve,
                      .panel = p->panel,
                      .ending = ending_of(path)};
    bl_status status = p->options.keep ? write_kept_files(p, &sheet, path, report) : BL_OK;
    if (status == BL_OK)
        status = draw(p, &sheet, path);
    return status;
}

/* ---- the call */

static bl_status make_report(plot *p, bl_plot_report *report) {
    bl_plot_curve *curve;
    BL_TRY(BL_ARENA_NEW(&p->arena, curve, p->ncurve + 1));
    for (bl_index c = 0; c < p->ncurve; c++)
        curve[c] = p->curve[c]->about;
    report->curve = curve;
    report->ncurve = p->ncurve;
    report->npanel = p->npanel;
    return BL_OK;
}

static bl_status prepare(plot *p, bl_result *const *results, const char *const *label) {
    BL_TRY(BL_ARENA_NEW(&p->arena, p->catalog, p->nresult));
    for (bl_index r = 0; r < p->nresult; r++) {
        p->made = r + 1;
        BL_TRY(bl_catalog_create(p->ctx, results[r], &p->catalog[r]));
        p->catalog[r].label = label[r];
    }
    BL_TRY(add_requested(p));
    BL_TRY(read_curves(p));
    return arrange(p);
}

static bl_status check(bl_context *ctx, bl_index n, const bl_plot_options *o, const char *path) {
    if (n < 1 || !path || o->nwhat < 1)
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_plot needs results, something to draw and a path");
    if (!ending_of(path)) {
        bl_fail(ctx, BL_E_ARG, NULL, "the file of a plot must end in .svg, .pdf or .png, not '%s'", path);
        return BL_E_ARG;
    }
    if ((o->width && (o->width < 200 || o->width > 10000)) || (o->height && (o->height < 150 || o->height > 20000)))
        return bl_fail(ctx, BL_E_ARG, NULL, "a plot must be 200 to 10000 pixels wide and 150 to 20000 high, not %d x %d", o->width,
                       o->height);
    if (o->limited && !(o->from <= o->to))
        return bl_fail(ctx, BL_E_ARG, NULL, "the time range from %g to %g is empty", o->to, o->from);
    return BL_OK;
}

bl_status bl_plot(bl_context *ctx, bl_result *const *results, const char *const *label, bl_index n, const bl_plot_options *options,
                  const char *path, bl_plot_report *report) {
    bl_plot_options own;
    bl_plot_report made = {.size = sizeof made};
    BL_TRY(BL_TAKE(ctx, bl_plot_options, options, &own));
    BL_TRY(BL_FITS(ctx, bl_plot_report, report));
    BL_GIVE(bl_plot_report, report, &made);
    BL_TRY(check(ctx, n, &own, path));
    plot *p;
    BL_TRY(BL_NEW(ctx, p, 1));
    *p = (plot){.ctx = ctx, .arena = {.ctx = ctx}, .options = own, .nresult = n};
    made.own = p;
    bl_status status = prepare(p, results, label);
    if (status == BL_OK)
        status = write_all(p, path, &made);
    if (status == BL_OK)
        status = make_report(p, &made);
    BL_GIVE(bl_plot_report, report, &made);
    return status;
}

void bl_plot_report_destroy(bl_context *ctx, bl_plot_report *report) {
    if (report->own) {
        plot_destroy(report->own);
        bl_free(ctx, report->own);
    }
    BL_CLEAR(bl_plot_report, report);
}

/* ---- names */

static bl_status list(bl_context *ctx, bl_result *result, bl_plot_names *names) {
    bl_catalog *c;
    BL_TRY(BL_NEW(ctx, c, 1));
    names->own = c;
    BL_TRY(bl_catalog_create(ctx, result, c));
    const char **name, **unit;
    BL_TRY(BL_ARENA_ARRAYS(&c->arena, BL_ARRAY(name, c->n), BL_ARRAY(unit, c->n)));
    for (bl_index i = 0; i < c->n; i++) {
        char text[40];
        bl_unit_text(&c->entry[i].unit, text, sizeof text);
        name[i] = c->entry[i].name;
        if (!(unit[i] = bl_arena_text(&c->arena, text, strlen(text))))
            return BL_E_MEMORY;
    }
    names->n = c->n;
    names->name = name;
    names->unit = unit;
    return BL_OK;
}

bl_status bl_plot_list(bl_context *ctx, bl_result *result, bl_plot_names *names) {
    bl_plot_names made = {.size = sizeof made};
    BL_TRY(BL_FITS(ctx, bl_plot_names, names));
    bl_status status = list(ctx, result, &made);
    BL_GIVE(bl_plot_names, names, &made);
    return status;
}

void bl_plot_names_destroy(bl_context *ctx, bl_plot_names *names) {
    if (names->own) {
        bl_catalog_destroy(names->own);
        bl_free(ctx, names->own);
    }
    BL_CLEAR(bl_plot_names, names);
}
