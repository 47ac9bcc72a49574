/* Figures of fields: choice of field and sample, values from the result, color levels. */
#include "base/sized.h"
#include "base/vector3.h"
#include "output/figure_private.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names of fields and components */

int bl_component_of(const char *word, int components) {
    static const char *const tensor[] = {"11", "22", "33", "12", "23", "13"}, *const vector[] = {"x", "y", "z"};
    for (int k = 0; k < components && (components == 4 || components == 6); k++)
        if (strcmp(word, tensor[k]) == 0)
            return k;
    for (int k = 0; k < components && components == 3; k++)
        if (strcmp(word, vector[k]) == 0)
            return k;
    return word[0] >= '1' && word[0] < '1' + components && word[1] == '\0' ? word[0] - '1' : -1;
}

typedef struct choice {
    char field[64];
    char component[16]; /* "": none */
} choice;

/* "stress.11" */
static bool split_name(const char *show, choice *c) {
    const char *dot = strchr(show, '.');
    size_t n = dot ? (size_t)(dot - show) : strlen(show);
    if (n >= sizeof c->field || (dot && strlen(dot + 1) >= sizeof c->component))
        return false;
    snprintf(c->field, sizeof c->field, "%.*s", (int)n, show);
    snprintf(c->component, sizeof c->component, "%s", dot ? dot + 1 : "");
    return true;
}

/* the field with this name on a mesh; NULL: none */
static const bl_quantity *field_of(bl_result *result, const char *mesh, const char *name) {
    const bl_quantity *list;
    bl_index n = bl_result_quantities(result, &list);
    for (bl_index i = 0; i < n; i++)
        if (list[i].mesh && strcmp(list[i].mesh, mesh) == 0 && strcmp(strrchr(list[i].name, '/') + 1, name) == 0)
            return &list[i];
    return NULL;
}

static bl_status no_field(bl_context *ctx, bl_result *result, const char *show) {
    const bl_quantity *list;
    char all[400] = "";
    const char *names[64];
    size_t length = 0, count = 0;
    bl_index n = bl_result_quantities(result, &list);
    for (bl_index i = 0; i < n && count < 64; i++) {
        if (!list[i].mesh)
            continue;
        const char *name = strrchr(list[i].name, '/') + 1;
        bool before = false;
        for (size_t k = 0; k < count; k++)
            before = before || strcmp(names[k], name) == 0;
        if (before)
            continue;
        names[count++] = name;
        if (length < sizeof all)
            length += (size_t)snprintf(all + length, sizeof all - length, "%s%s", length ? ", " : "", name);
    }
    bl_fail(ctx, BL_E_ARG, NULL, "the result has no field '%s'", show);
    const char *nearest = bl_nearest(show, names, count);
    if (nearest)
        bl_advise(ctx, "did you mean '%s'? There are %s", nearest, all);
    else
        bl_advise(ctx, "there are %s; 'none' draws the mesh only", all);
    return BL_E_ARG;
}

static bl_status choose_field(bl_context *ctx, bl_result *result, const bl_figure_options *o, choice *c) {
    static const char *const first[] = {"von_mises", "value", "flux_modulus", "displacement"};
    const char *const *names;
    bl_index n = bl_result_meshes(result, &names);
    *c = (choice){0};
    if (o->show && strcmp(o->show, "none") == 0)
        return BL_OK;
    if (o->show && !split_name(o->show, c))
        return no_field(ctx, result, o->show);
    for (size_t k = 0; !o->show && k < sizeof first / sizeof *first && !c->field[0]; k++)
        for (bl_index m = 0; m < n; m++)
            if ((!o->body || strcmp(names[m], o->body) == 0) && field_of(result, names[m], first[k]))
                snprintf(c->field, sizeof c->field, "%s", first[k]);
    return BL_OK;
}

/* ---- samples */

static bl_status find_sample(bl_context *ctx, bl_result *result, double wanted, long *sample, double *t) {
    const bl_quantity *time;
    long n = bl_result_samples(result);
    double *all;
    BL_TRY(bl_result_quantity(result, "time", &time));
    if (n == 0)
        return bl_fail(ctx, BL_E_ARG, NULL, "the result has no samples");
    BL_TRY(BL_NEW(ctx, all, n));
    bl_status status = bl_result_read(result, time, 0, n, 0, 1, all);
    *sample = n - 1;
    for (long i = 0; status == BL_OK && !isnan(wanted) && i < n; i++)
        if (i == 0 || fabs(all[i] - wanted) <= fabs(all[*sample] - wanted))
            *sample = i;
    *t = status == BL_OK ? all[*sample] : NAN;
    bl_free(ctx, all);
    return status;
}

/* component, or magnitude, of all items at a sample */
static bl_status read_values(bl_context *ctx, bl_result *result, const bl_quantity *q, const choice *c, long sample, double **out) {
    double *all;
    int w = q->components, which = c->component[0] ? bl_component_of(c->component, w) : w == 1 ? 0 : -1;
    if (which < 0 && (w != 3 || c->component[0])) {
        bl_fail(ctx, BL_E_ARG, NULL, "%s has no component '%s'", c->field, c->component);
        bl_advise(ctx,
                  w == 3   ? "its components are x, y, z"
                  : w == 1 ? "it is a scalar"
                           : "its components are 11, 22, 33, 12%s",
                  w == 6 ? ", 23, 13" : "");
        return BL_E_ARG;
    }
    BL_TRY(BL_NEW(ctx, all, (size_t)q->items * (size_t)w));
    bl_status status = bl_result_read(result, q, sample, 1, 0, q->items, all);
    for (bl_index i = 0; i < q->items; i++) {
        const double *v = all + (size_t)i * (size_t)w;
        all[i] = which >= 0 ? v[which] : sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
    *out = all;
    return status;
}

/* ---- meshes and levels */

static bool has_bodies(bl_result *result) {
    const bl_quantity *list;
    bl_index n = bl_result_quantities(result, &list);
    for (bl_index q = 0; q < n; q++)
        if (strcmp(list[q].name, "bodies/position") == 0)
            return true;
    return false;
}

/* The rigid motion x to p + R (x - mean(x)) that fits the nodes best; displacements are from there afterwards. */
static bl_status carry(const bl_figure *f, bl_shown *s) {
    const bl_run_mesh *mesh = s->mesh;
    double mean[2][3] = {{0}}, A[3][3] = {{0}}, R[3][3];
    BL_TRY(BL_NEW(f->ctx, s->rigid, mesh->nnode));
    for (bl_index i = 0; i < mesh->nnode; i++)
        for (int k = 0; k < 3; k++) {
            mean[0][k] += mesh->x[i][k] / mesh->nnode;
            mean[1][k] += (mesh->x[i][k] + s->displacement[3 * i + k]) / mesh->nnode;
        }
    for (bl_index i = 0; i < mesh->nnode; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                A[j][k] += (mesh->x[i][j] + s->displacement[3 * i + j] - mean[1][j]) * (mesh->x[i][k] - mean[0][k]);
    polar3(mesh->dim, (const double(*)[3])A, R);
    for (bl_index i = 0; i < mesh->nnode; i++) {
        const double d[3] = {mesh->x[i][0] - mean[0][0], mesh->x[i][1] - mean[0][1], mesh->x[i][2] - mean[0][2]};
        for (int k = 0; k < 3; k++) {
            s->rigid[i][k] = mean[1][k] + dot3(R[k], d);
            s->displacement[3 * i + k] += mesh->x[i][k] - s->rigid[i][k];
        }
    }
    return BL_OK;
}

static bl_status add_mesh(bl_figure *f, bl_result *result, bl_index m, const choice *c, long sample) {
    const char *const *names;
    bl_shown *s = &f->shown[f->nshown];
    bl_result_meshes(result, &names);
    const bl_quantity *u = field_of(result, names[m], "displacement"), *q = c->field[0] ? field_of(result, names[m], c->field) : NULL;
    if ((f->options->body && strcmp(names[m], f->options->body) != 0) || (c->field[0] && !q))
        return BL_OK;
    f->nshown++;
    BL_TRY(bl_result_mesh(result, m, &s->mesh));
    BL_TRY(bl_faces_find(f->ctx, s->mesh, &s->faces));
    if (u && u->components == 3) {
        BL_TRY(BL_NEW(f->ctx, s->displacement, 3 * (size_t)u->items));
        BL_TRY(bl_result_read(result, u, sample, 1, 0, u->items, s->displacement));
        if (has_bodies(result))
            BL_TRY(carry(f, s));
    }
    if (!q)
        return BL_OK;
    s->on_cells = q->on_cells;
    BL_TRY(read_values(f->ctx, result, q, c, sample, &s->value));
    for (bl_index i = 0; i < q->items; i++)
        if (isfinite(s->value[i])) {
            f->low = fmin(f->low, s->value[i]);
            f->high = fmax(f->high, s->value[i]);
        }
    const char *part = c->component[0] ? c->component : q->components == 3 ? "magnitude" : "";
    snprintf(f->label, sizeof f->label, "%s%s%s%s%s%s", c->field, part[0] ? " " : "", part, q->unit ? " (" : "", q->unit ? q->unit : "",
             q->unit ? ")" : "");
    return BL_OK;
}

/* size of the meshes, and the largest displacement */
static void measure(const bl_figure *f, double *size, double *largest) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, square = 0;
    *largest = 0;
    for (bl_index m = 0; m < f->nshown; m++)
        for (bl_index i = 0; i < f->shown[m].mesh->nnode; i++) {
            const double *u = f->shown[m].displacement ? f->shown[m].displacement + 3 * i : NULL;
            for (int k = 0; k < 3; k++) {
                low[k] = fmin(low[k], f->shown[m].mesh->x[i][k]);
                high[k] = fmax(high[k], f->shown[m].mesh->x[i][k]);
            }
            if (u)
                *largest = fmax(*largest, sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]));
        }
    for (int k = 0; k < 3; k++)
        square += (high[k] - low[k]) * (high[k] - low[k]);
    *size = sqrt(square);
}

/* 1, 2 or 5 times a power of ten, not above x */
static double round_down(double x) {
    double power = pow(10, floor(log10(x))), digit = x / power;
    return power * (digit >= 5 ? 5 : digit >= 2 ? 2 : 1);
}

/* 1 if deformations are visible without scaling: between a twentieth of the size and the size */
static void choose_factor(bl_figure *f) {
    double size, largest;
    measure(f, &size, &largest);
    f->factor = f->options->factor < 0 ? 0 : f->options->factor;
    if (f->options->factor == 0)
        f->factor = largest > 0.05 * size && largest < size ? 1 : largest > 1e-12 * size ? round_down(0.12 * size / largest) : 0;
}

int bl_round_levels(double low, double high, int count, double *level) {
    double span = high - low, power, step;
    int n = 0;
    if (!(span > 0) || !isfinite(span)) {
        level[0] = low;
        return 1;
    }
    power = pow(10, floor(log10(span / count)));
    step = span / count / power;
    step = power * (step < 1.5 ? 1 : step < 3.5 ? 2 : step < 7.5 ? 5 : 10);
    for (double k = ceil(low / step - 1e-9); k * step <= high + 1e-9 * step && n < BL_LEVELS_MOST + 2; k++)
        level[n++] = k * step;
    return n;
}

/* colors change at levels inside the range */
static void choose_levels(bl_figure *f) {
    int count = f->options->levels > 0 ? f->options->levels : 10, n;
    double all[BL_LEVELS_MOST + 2];
    double size = fmax(fabs(f->low), fabs(f->high));
    if (!(f->high - f->low > 1e-9 * size)) /* one color: the field is constant except for rounding */
        return;
    n = bl_round_levels(f->low, f->high, count < BL_LEVELS_MOST / 2 ? count : BL_LEVELS_MOST / 2, all);
    for (int k = 0; k < n; k++)
        if (all[k] > f->low && all[k] < f->high)
            f->level[f->nlevel++] = all[k];
}

/* an attribute of the file, which may be missing */
static bl_status text_of(bl_context *ctx, bl_result *result, const char *name, char *text, size_t size) {
    text[0] = '\0';
    bl_status status = bl_result_text(result, name, text, size);
    if (status == BL_E_ARG)
        bl_context_clear_error(ctx);
    return status == BL_E_ARG ? BL_OK : status;
}

bl_status bl_figure_title(bl_context *ctx, bl_result *result, char *title, size_t size) {
    BL_TRY(text_of(ctx, result, "model_name", title, size));
    if (!title[0])
        snprintf(title, size, "result");
    return BL_OK;
}

static bl_status name_figure(bl_figure *f, bl_result *result, double t, long sample) {
    char formulation[32];
    BL_TRY(bl_figure_title(f->ctx, result, f->title, sizeof f->title));
    BL_TRY(text_of(f->ctx, result, "formulation", formulation, sizeof formulation));
    const char *when = strcmp(formulation, "modes") == 0 && t == sample + 1 ? "mode"
                       : strcmp(formulation, "equilibrium") == 0            ? "load"
                                                                            : "t =";
    int n = snprintf(f->note, sizeof f->note, "%s %.6g", when, t);
    if (f->factor != 0 && n > 0)
        snprintf(f->note + n, sizeof f->note - (size_t)n, ", %s times %.4g", f->shown[0].rigid ? "deformation" : "displacements",
                 f->factor);
    return BL_OK;
}

/* ---- meshes of line elements: the field along the line */

typedef struct station {
    double x, value;
} station;

static int compare(const void *a, const void *b) {
    double x = ((const station *)a)->x, y = ((const station *)b)->x;
    return x < y ? -1 : x > y;
}

static bl_status draw_profile(const bl_figure *f, const char *path) {
    const bl_shown *s = &f->shown[0];
    bl_index n = s->mesh->nnode;
    station *at;
    double *x;
    char title[440];
    BL_TRY(BL_NEW(f->ctx, at, n));
    bl_status status = BL_NEW(f->ctx, x, 2 * (size_t)n);
    for (bl_index i = 0; status == BL_OK && i < n; i++)
        at[i] = (station){s->mesh->x[i][0], s->value[i]};
    if (status == BL_OK) {
        qsort(at, (size_t)n, sizeof *at, compare);
        for (bl_index i = 0; i < n; i++) {
            x[i] = at[i].x;
            x[n + i] = at[i].value;
        }
        snprintf(title, sizeof title, "%s, %s", f->title, f->note);
        status = bl_curve_draw(f->ctx, path, title, "x (m)", f->label, n, x, x + n);
    }
    bl_free(f->ctx, at);
    bl_free(f->ctx, x);
    return status;
}

static bl_status make_figure(bl_figure *f, bl_result *result, const char *path) {
    const char *const *names;
    bl_index n = bl_result_meshes(result, &names);
    choice c;
    long sample = 0;
    double t = NAN;
    if (n == 0) {
        bl_fail(f->ctx, BL_E_ABILITY, NULL, "the result has no meshes to draw");
        bl_advise(f->ctx, "field figures need a model with meshes; --curve draws any quantity");
        return BL_E_ABILITY;
    }
    if (f->options->body) {
        const char *nearest = bl_nearest(f->options->body, names, (size_t)n);
        bool known = false;
        for (bl_index m = 0; m < n; m++)
            known = known || strcmp(names[m], f->options->body) == 0;
        if (!known) {
            bl_fail(f->ctx, BL_E_ARG, NULL, "the result has no mesh '%s'", f->options->body);
            bl_advise(f->ctx, nearest ? "did you mean '%s'?" : "the first one is '%s'", nearest ? nearest : names[0]);
            return BL_E_ARG;
        }
    }
    BL_TRY(choose_field(f->ctx, result, f->options, &c));
    BL_TRY(find_sample(f->ctx, result, f->options->time, &sample, &t));
    BL_TRY(BL_NEW(f->ctx, f->shown, n));
    for (bl_index m = 0; m < n; m++)
        BL_TRY(add_mesh(f, result, m, &c, sample));
    if (f->nshown == 0)
        return no_field(f->ctx, result, c.field);
    choose_factor(f);
    choose_levels(f);
    BL_TRY(name_figure(f, result, t, sample));
    bool line = f->nshown == 1 && f->shown[0].mesh->dim == 1 && f->shown[0].value && !f->shown[0].on_cells;
    return line ? draw_profile(f, path) : bl_figure_draw(f, path);
}

bl_status bl_figure_fields(bl_context *ctx, bl_result *result, const bl_figure_options *options, const char *path) {
    bl_figure_options own;
    if (!ctx || !result || !path)
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_figure_fields needs a context, a result and a path");
    BL_TRY(BL_TAKE(ctx, bl_figure_options, options, &own));
    if (!options)
        own.time = NAN;
    bl_figure f = {.ctx = ctx, .options = &own, .low = INFINITY, .high = -INFINITY};
    bl_status status = make_figure(&f, result, path);
    for (bl_index m = 0; m < f.nshown; m++) {
        bl_faces_destroy(ctx, &f.shown[m].faces);
        bl_free(ctx, f.shown[m].displacement);
        bl_free(ctx, f.shown[m].rigid);
        bl_free(ctx, f.shown[m].value);
    }
    bl_free(ctx, f.shown);
    return status;
}
