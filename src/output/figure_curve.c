/* Curves of one quantity of a result against another: histories of nodes, force against displacement. */
#include "output/chart.h"
#include "output/figure_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- drawing */

typedef struct curve {
    const char *title, *x_label, *y_label;
    bl_index n;
    const double *x, *y;
} curve;

static const bl_chart_page page = {.width = 760, .height = 500, .left = 86, .right = 28, .top = 46, .bottom = 62};

/* the range of the finite values, extended by the fraction `more` on both sides */
static bl_chart_axis span(bl_index n, const double *value, double more, int labels) {
    double low = INFINITY, high = -INFINITY;
    for (bl_index i = 0; i < n; i++)
        if (isfinite(value[i])) {
            low = fmin(low, value[i]);
            high = fmax(high, value[i]);
        }
    if (!(high > low)) { /* one value, or none */
        double size = isfinite(low) ? fmax(fabs(low), 1) : 1, middle = isfinite(low) ? low : 0;
        low = middle - 0.5 * size;
        high = middle + 0.5 * size;
    }
    more *= high - low;
    return (bl_chart_axis){.low = low - more, .high = high + more, .count = labels};
}

static void draw(bl_svg *svg, void *user) {
    const curve *c = user;
    bl_chart chart = bl_chart_begin(svg, &page, span(c->n, c->x, 0, 8), span(c->n, c->y, 0.04, 6), c->title);
    chart.grid = "stroke=\"" BL_CHART_FAINT "\"";
    bl_chart_grid(&chart, true);
    bl_chart_frame(&chart);
    bl_put(svg, "<path fill=\"none\" stroke=\"#134a86\" stroke-width=\"1.8\" stroke-linejoin=\"round\" d=\"");
    bool pen = false;
    for (bl_index i = 0; i < c->n; i++) {
        bool good = isfinite(c->x[i]) && isfinite(c->y[i]);
        if (good)
            bl_svg_point(svg, pen ? 'L' : 'M', bl_chart_x(&chart, c->x[i]), bl_chart_y(&chart, c->y[i]));
        pen = good;
    }
    bl_put(svg, "\"/>\n");
    for (bl_index i = 0; c->n <= 60 && i < c->n; i++)
        if (isfinite(c->x[i]) && isfinite(c->y[i]))
            bl_svg_circle(svg, bl_chart_x(&chart, c->x[i]), bl_chart_y(&chart, c->y[i]), 2.6, "fill=\"#134a86\"");
    bl_chart_name_x(&chart, page.height - 18, c->x_label);
    bl_chart_name_y(&chart, 20, c->y_label);
    bl_svg_end(svg);
}

bl_status bl_curve_draw(bl_context *ctx, const char *path, const char *title, const char *x_label, const char *y_label, bl_index n,
                        const double *x, const double *y) {
    curve c = {.title = title, .x_label = x_label, .y_label = y_label, .n = n, .x = x, .y = y};
    return bl_svg_write(ctx, path, draw, &c);
}

/* ---- quantities */

typedef struct term {
    const bl_quantity *q;
    int component; /* -1: magnitude */
    bl_index nitem;
    bl_index *item; /* NULL: item 0 */
    bool sum;       /* else the mean */
    char label[200];
} term;

typedef struct reading {
    bl_context *ctx;
    bl_result *result;
    const char *text;
} reading;

static bl_status refuse(const reading *in, const char *why) {
    bl_fail(in->ctx, BL_E_ARG, NULL, "'%s': %s", in->text, why);
    bl_advise(in->ctx, "quantities are time, FIELD.COMPONENT@SET (as displacement.y@right, reaction.x@left) or QUANTITY/ITEM.COMPONENT "
                       "of the result file (as probes/position/tip.y)");
    return BL_E_ARG;
}

/* cuts text at the last `mark` and returns the part after it; NULL: not found */
static char *cut(char *text, char mark) {
    char *at = strrchr(text, mark);
    if (!at)
        return NULL;
    *at = '\0';
    return at + 1;
}

/* nodes or cells of a field: a set, or a number */
static bl_status find_items(const reading *in, const char *where, term *t) {
    const char *const *names;
    const bl_run_mesh *mesh = NULL;
    bl_index n = bl_result_meshes(in->result, &names);
    for (bl_index m = 0; m < n; m++)
        if (strcmp(names[m], t->q->mesh) == 0)
            BL_TRY(bl_result_mesh(in->result, m, &mesh));
    for (bl_index s = 0; mesh && s < mesh->nset; s++)
        if (mesh->set[s].of_cells == t->q->on_cells && strcmp(mesh->set[s].name, where) == 0 && mesh->set[s].count > 0) {
            BL_TRY(BL_NEW(in->ctx, t->item, mesh->set[s].count));
            memcpy(t->item, mesh->set[s].item, (size_t)mesh->set[s].count * sizeof *t->item);
            t->nitem = mesh->set[s].count;
            return BL_OK;
        }
    char *end;
    long number = strtol(where, &end, 10);
    const bl_index *label = !mesh ? NULL : t->q->on_cells ? mesh->cell_label : mesh->node_label;
    if (end == where || *end)
        return refuse(in, t->q->on_cells ? "the mesh has no such set of cells" : "the mesh has no such set of nodes");
    BL_TRY(BL_NEW(in->ctx, t->item, 1));
    t->nitem = 1;
    t->item[0] = -1;
    for (bl_index i = 0; i < t->q->items && t->item[0] < 0; i++)
        if ((label ? label[i] : i + 1) == number)
            t->item[0] = i;
    return t->item[0] >= 0 ? BL_OK : refuse(in, "the mesh has no node or cell with that number");
}

static bl_status find_component(const reading *in, const char *word, term *t) {
    int w = t->q->components;
    t->component = w == 1 ? 0 : -1;
    if (word)
        t->component = bl_component_of(word, w);
    return t->component >= 0 || (!word && w == 3) ? BL_OK : refuse(in, "the quantity has no such component");
}

/* "stress.11@5", "beam/reaction.x@left" */
static bl_status find_field(const reading *in, char *text, term *t) {
    const bl_quantity *list;
    char *where = cut(text, '@'), *component = strchr(text, '.') && !strchr(strrchr(text, '.'), '/') ? cut(text, '.') : NULL;
    char *slash = strrchr(text, '/'), *name = slash ? slash + 1 : text;
    bl_index n = bl_result_quantities(in->result, &list), found = 0;
    if (slash)
        *slash = '\0';
    for (bl_index i = 0; i < n; i++)
        if (list[i].mesh && strcmp(strrchr(list[i].name, '/') + 1, name) == 0 && (!slash || strcmp(list[i].mesh, text) == 0)) {
            t->q = &list[i];
            found++;
        }
    if (found == 0)
        return refuse(in, "the result has no such field");
    if (found > 1)
        return refuse(in, "several bodies have this field: add the body, BODY/FIELD.COMPONENT@SET");
    t->sum = strncmp(name, "reaction", 8) == 0;
    BL_TRY(find_component(in, component, t));
    return find_items(in, where, t);
}

/* "time", "energy/kinetic", "probes/position/tip.y": the name of the quantity first */
static bl_status find_quantity(const reading *in, char *text, term *t) {
    const bl_quantity *list;
    bl_index n = bl_result_quantities(in->result, &list);
    for (bl_index i = 0; i < n; i++) {
        size_t length = strlen(list[i].name);
        if (list[i].mesh || strncmp(text, list[i].name, length) != 0 || (text[length] && text[length] != '/'))
            continue;
        t->q = &list[i];
        if (!list[i].item)
            return text[length] ? refuse(in, "the quantity has no items") : find_component(in, NULL, t);
        char *item = text + length + (text[length] == '/'), *component = list[i].components > 1 ? cut(item, '.') : NULL;
        for (bl_index k = 0; k < list[i].items; k++)
            if (strcmp(list[i].item[k], item) == 0) {
                BL_TRY(BL_NEW(in->ctx, t->item, 1));
                t->item[0] = k;
                t->nitem = 1;
                return find_component(in, component, t);
            }
        return refuse(in, "the quantity has no such item");
    }
    return refuse(in, "the result has no such quantity");
}

static bl_status read_term(const reading *in, term *t, double *out) {
    long samples = bl_result_samples(in->result);
    int w = t->q->components;
    double *all;
    BL_TRY(BL_NEW(in->ctx, all, (size_t)samples * (size_t)w));
    memset(out, 0, (size_t)samples * sizeof *out);
    bl_status status = BL_OK;
    for (bl_index k = 0; k < (t->item ? t->nitem : 1) && status == BL_OK; k++) {
        status = bl_result_read(in->result, t->q, 0, samples, t->item ? t->item[k] : 0, 1, all);
        for (long i = 0; i < samples && status == BL_OK; i++) {
            const double *v = all + (size_t)i * (size_t)w;
            double value = t->component >= 0 ? v[t->component] : sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
            out[i] += t->sum || !t->item ? value : value / t->nitem;
        }
    }
    bl_free(in->ctx, all);
    return status;
}

static bl_status read_values(const reading *in, term *t, double *out) {
    char text[512];
    if (strlen(in->text) >= sizeof text)
        return refuse(in, "the name is too long");
    snprintf(text, sizeof text, "%s", in->text);
    BL_TRY(strchr(text, '@') ? find_field(in, text, t) : find_quantity(in, text, t));
    snprintf(t->label, sizeof t->label, "%s%s%s%s", in->text, t->q->unit ? " (" : "", t->q->unit ? t->q->unit : "", t->q->unit ? ")" : "");
    return read_term(in, t, out);
}

bl_status bl_figure_curve(bl_context *ctx, bl_result *result, const char *x, const char *y, const char *path) {
    if (!ctx || !result || !x || !y || !path)
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_figure_curve needs a context, a result, two quantities and a path");
    long n = bl_result_samples(result);
    term tx = {0}, ty = {0};
    double *value;
    char title[128];
    BL_TRY(BL_NEW(ctx, value, 2 * (size_t)n + 1));
    bl_status status = read_values(&(reading){ctx, result, x}, &tx, value);
    if (status == BL_OK)
        status = read_values(&(reading){ctx, result, y}, &ty, value + n);
    if (status == BL_OK)
        status = bl_figure_title(ctx, result, title, sizeof title);
    if (status == BL_OK)
        status = bl_curve_draw(ctx, path, title, tx.label, ty.label, (bl_index)n, value, value + n);
    bl_free(ctx, tx.item);
    bl_free(ctx, ty.item);
    bl_free(ctx, value);
    return status;
}
