/* Drawing of fields: projection, faces from back to front, color bands clipped from triangles, isolines, color scale.
 *
 * A face is a fan of triangles about its center. On a triangle the field is linear: the part of it between two levels is a polygon, an
 * isoline a straight line. */
#include "output/figure_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
static const double PAGE = 760, MARGIN = 30, HEAD = 64, SCALE = 130; /* pixels: side of the drawing, margins */
enum { FEW_FACES = 6000 };                                           /* edges are drawn up to this number of faces */

/* band colors, perceptually uniform from dark to light: nine points of viridis (S. van der Walt and N. Smith 2015, public domain) */
static const uint8_t color_map[9][3] = {{68, 1, 84},    {71, 45, 123}, {59, 82, 139},  {44, 114, 142}, {33, 145, 140},
                                        {40, 174, 128}, {94, 201, 98}, {173, 220, 48}, {253, 231, 37}};

typedef struct view_point {
    double x, y, depth; /* on the page; depth increases toward the viewer */
} view_point;

typedef struct drawn {
    const bl_shown *shown;
    const bl_face *face;
    double depth, light; /* light: 0 to 1, for faces in space */
} drawn;

typedef struct canvas {
    bl_figure *figure;
    bl_svg *svg;
    double rotation[3][3]; /* view rotation; rows: right, up, toward the viewer */
    double scale, left, top, low[2], high[2];
    double width, height;
    bool space; /* some mesh is spatial */
    bl_index ndrawn;
    drawn *drawn;
} canvas;

/* ---- positions */

static void set_view(canvas *c) {
    const bl_figure_options *o = c->figure->options;
    double az = (o->seen_from ? o->azimuth : 30) * pi / 180, el = (o->seen_from ? o->elevation : 25) * pi / 180;
    const double flat[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    /* z is up; azimuth rotates about z, elevation raises the viewpoint */
    const double to_view[3][3] = {
        {cos(az), sin(az), 0}, {-sin(el) * sin(az), sin(el) * cos(az), cos(el)}, {cos(el) * sin(az), -cos(el) * cos(az), sin(el)}};
    memcpy(c->rotation, c->space ? to_view : flat, sizeof c->rotation);
}

static void node_position(const bl_shown *s, double factor, bl_index node, double x[3]) {
    for (int k = 0; k < 3; k++)
        x[k] = (s->rigid ? s->rigid[node][k] : s->mesh->x[node][k]) + (s->displacement ? factor * s->displacement[3 * node + k] : 0);
}

static view_point to_view(const canvas *c, const double x[3]) {
    double at[3];
    for (int k = 0; k < 3; k++)
        at[k] = c->rotation[k][0] * x[0] + c->rotation[k][1] * x[1] + c->rotation[k][2] * x[2];
    return (view_point){at[0], at[1], at[2]};
}

static view_point on_page(const canvas *c, const bl_shown *s, double factor, bl_index node) {
    double x[3];
    node_position(s, factor, node, x);
    view_point p = to_view(c, x);
    return (view_point){c->left + (p.x - c->low[0]) * c->scale, c->top + (c->high[1] - p.y) * c->scale, p.depth};
}

/* scales the drawing so that the deformed and the undeformed mesh fit the page */
static void fit(canvas *c) {
    const bl_figure *f = c->figure;
    for (int k = 0; k < 2; k++) {
        c->low[k] = INFINITY;
        c->high[k] = -INFINITY;
    }
    for (bl_index m = 0; m < f->nshown; m++)
        for (bl_index i = 0; i < f->shown[m].mesh->nnode; i++)
            for (int undeformed = 0; undeformed < 2; undeformed++) {
                double x[3];
                node_position(&f->shown[m], undeformed ? 0 : f->factor, i, x);
                view_point p = to_view(c, x);
                c->low[0] = fmin(c->low[0], p.x);
                c->high[0] = fmax(c->high[0], p.x);
                c->low[1] = fmin(c->low[1], p.y);
                c->high[1] = fmax(c->high[1], p.y);
            }
    double side = fmax(fmax(c->high[0] - c->low[0], 1.4 * (c->high[1] - c->low[1])), 1e-300);
    c->scale = PAGE / side;
    c->left = MARGIN;
    c->top = HEAD;
    double tall = (c->high[1] - c->low[1]) * c->scale, least = f->label[0] ? 260 : 40;
    if (tall < least) {
        c->top += (least - tall) / 2;
        tall = least;
    }
    c->width = 2 * MARGIN + (c->high[0] - c->low[0]) * c->scale + (f->label[0] ? SCALE : 0);
    c->width = fmax(c->width, 420);
    c->height = HEAD + tall + MARGIN;
}

/* ---- faces */

static int compare(const void *a, const void *b) {
    const drawn *x = a, *y = b;
    if (x->depth != y->depth)
        return x->depth < y->depth ? -1 : 1;
    return x->face < y->face ? -1 : x->face > y->face;
}

static view_point middle(const canvas *c, const bl_shown *s, int n, const bl_index *node) {
    view_point sum = {0};
    for (int k = 0; k < n; k++) {
        double x[3];
        node_position(s, c->figure->factor, node[k], x);
        view_point p = to_view(c, x);
        sum.x += p.x / n;
        sum.y += p.y / n;
        sum.depth += p.depth / n;
    }
    return sum;
}

/* Depth of the middle; light from the upper left. False: a face of a solid cell that points away from the viewer, hidden by others. */
static bool set_depth_and_light(const canvas *c, drawn *d) {
    const bl_face *face = d->face;
    const bl_run_mesh *mesh = d->shown->mesh;
    view_point p[BL_FACE_MOST], center = middle(c, d->shown, face->n, face->node);
    double nx = 0, ny = 0, nz = 0;
    for (int k = 0; k < face->n; k++) {
        double x[3];
        node_position(d->shown, c->figure->factor, face->node[k], x);
        p[k] = to_view(c, x);
    }
    for (int k = 0; k < face->n; k++) { /* area vector of the polygon */
        const view_point *a = &p[k], *b = &p[(k + 1) % face->n];
        nx += (a->y - b->y) * (a->depth + b->depth);
        ny += (a->depth - b->depth) * (a->x + b->x);
        nz += (a->x - b->x) * (a->y + b->y);
    }
    d->depth = center.depth;
    double size = sqrt(nx * nx + ny * ny + nz * nz);
    if (mesh->dim == 3) { /* orient it outward, away from the center of the cell */
        bl_index first = mesh->offset[face->cell], count = mesh->offset[face->cell + 1] - first;
        view_point cell = middle(c, d->shown, count, mesh->node + first);
        if (nx * (center.x - cell.x) + ny * (center.y - cell.y) + nz * (center.depth - cell.depth) < 0) {
            nx = -nx;
            ny = -ny;
            nz = -nz;
        }
        if (nz <= 1e-9 * size)
            return false;
    }
    size *= nz < 0 ? -1 : 1;
    d->light = size != 0 ? fmax(0, (-0.3 * nx + 0.55 * ny + 0.78 * nz) / size) : 1;
    return true;
}

static bl_status list_faces(canvas *c) {
    const bl_figure *f = c->figure;
    bl_index n = 0;
    for (bl_index m = 0; m < f->nshown; m++) {
        n += f->shown[m].faces.n;
        c->space = c->space || f->shown[m].mesh->dim == 3;
    }
    set_view(c);
    BL_TRY(BL_NEW(f->ctx, c->drawn, n));
    for (bl_index m = 0; m < f->nshown; m++)
        for (bl_index i = 0; i < f->shown[m].faces.n; i++) {
            drawn *d = &c->drawn[c->ndrawn];
            *d = (drawn){.shown = &f->shown[m], .face = &f->shown[m].faces.face[i], .light = 1};
            c->ndrawn += !c->space || set_depth_and_light(c, d);
        }
    if (c->space)
        qsort(c->drawn, (size_t)c->ndrawn, sizeof *c->drawn, compare);
    return BL_OK;
}

/* ---- colors */

static int band_of(const bl_figure *f, double value) {
    int k = 0;
    while (k < f->nlevel && value >= f->level[k])
        k++;
    return k;
}

/* "fill" or "stroke" and its color; light below 1 darkens */
static void color(const bl_figure *f, int band, double light, char text[8]) {
    double at = f->nlevel > 0 ? 8.0 * band / f->nlevel : 4, part = at - floor(at);
    int k = at >= 8 ? 7 : (int)at;
    uint8_t rgb[3];
    if (at >= 8)
        part = 1;
    for (int i = 0; i < 3; i++)
        rgb[i] = (uint8_t)lround((color_map[k][i] + part * (color_map[k + 1][i] - color_map[k][i])) * (0.62 + 0.38 * light));
    snprintf(text, 8, "#%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
}

static void begin_path(bl_svg *svg, const char *fill) { bl_put(svg, "<path fill=\"%s\" stroke=\"%s\" d=\"", fill, fill); }

/* ---- one face */

typedef struct corner {
    double x, y, value;
} corner;

/* the part of a convex polygon where sign (value - level) >= 0; returns its corners */
static int clip(int n, const corner *from, double level, double sign, corner *to) {
    int count = 0;
    for (int k = 0; k < n; k++) {
        const corner *a = &from[k], *b = &from[(k + 1) % n];
        bool in = sign * (a->value - level) >= 0, next = sign * (b->value - level) >= 0;
        if (in)
            to[count++] = *a;
        if (in != next) {
            double s = (level - a->value) / (b->value - a->value);
            to[count++] = (corner){a->x + s * (b->x - a->x), a->y + s * (b->y - a->y), level};
        }
    }
    return count;
}

static void put_polygon(bl_svg *svg, int n, const corner *p) {
    for (int k = 0; k < n; k++)
        bl_svg_point(svg, k ? 'L' : 'M', p[k].x, p[k].y);
    bl_put(svg, "Z");
}

/* boundary corners and the center; returns whether all values are finite */
static bool corners_of(const canvas *c, const drawn *d, corner *around, corner *center) {
    const bl_face *face = d->face;
    double x[BL_FACE_MOST], y[BL_FACE_MOST], value[BL_FACE_MOST];
    bool good = true;
    for (int k = 0; k < face->n; k++) {
        view_point p = on_page(c, d->shown, c->figure->factor, face->node[k]);
        x[k] = p.x;
        y[k] = p.y;
        value[k] = !d->shown->value ? 0 : d->shown->value[d->shown->on_cells ? face->cell : face->node[k]];
        good = good && isfinite(value[k]);
        around[k] = (corner){x[k], y[k], value[k]};
    }
    *center = (corner){bl_face_center(face, x), bl_face_center(face, y), bl_face_center(face, value)};
    if (face->center >= 0) {
        view_point p = on_page(c, d->shown, c->figure->factor, face->center);
        *center = (corner){p.x, p.y, d->shown->value && !d->shown->on_cells ? d->shown->value[face->center] : value[0]};
    }
    if (d->shown->on_cells)
        center->value = value[0];
    return good;
}

static void fill_bands(const canvas *c, const drawn *d, const corner *around, corner center) {
    const bl_figure *f = c->figure;
    int n = d->face->n, low = band_of(f, center.value), high = low;
    char fill[8];
    for (int k = 0; k < n; k++) {
        int band = band_of(f, around[k].value);
        low = band < low ? band : low;
        high = band > high ? band : high;
    }
    for (int band = low; band <= high; band++) {
        color(f, band, d->light, fill);
        begin_path(c->svg, fill);
        if (low == high) {
            put_polygon(c->svg, n, around);
        } else {
            for (int k = 0; k < n; k++) {
                corner piece[3] = {center, around[k], around[(k + 1) % n]}, above[8], inside[10];
                int m = 3;
                memcpy(above, piece, sizeof piece);
                if (band > 0)
                    m = clip(3, piece, f->level[band - 1], 1, above);
                memcpy(inside, above, (size_t)m * sizeof *above);
                if (band < f->nlevel)
                    m = clip(m, above, f->level[band], -1, inside);
                if (m > 2)
                    put_polygon(c->svg, m, inside);
            }
        }
        bl_put(c->svg, "\"/>\n");
    }
}

static void draw_isolines(const canvas *c, const drawn *d, const corner *around, corner center) {
    const bl_figure *f = c->figure;
    int n = d->face->n;
    for (int l = 0; l < f->nlevel; l++) {
        bool open = false;
        for (int k = 0; k < n; k++) {
            const corner piece[3] = {center, around[k], around[(k + 1) % n]};
            corner cut[3];
            int count = 0;
            for (int e = 0; e < 3; e++) {
                const corner *a = &piece[e], *b = &piece[(e + 1) % 3];
                if ((a->value < f->level[l]) != (b->value < f->level[l])) {
                    double s = (f->level[l] - a->value) / (b->value - a->value);
                    cut[count++] = (corner){a->x + s * (b->x - a->x), a->y + s * (b->y - a->y), 0};
                }
            }
            if (count != 2)
                continue;
            if (!open) {
                char stroke[8];
                color(f, l + 1, 1, stroke);
                bl_put(c->svg, "<path fill=\"none\" stroke-width=\"1.6\" stroke=\"%s\" d=\"", stroke);
                open = true;
            }
            bl_svg_point(c->svg, 'M', cut[0].x, cut[0].y);
            bl_svg_point(c->svg, 'L', cut[1].x, cut[1].y);
        }
        if (open)
            bl_put(c->svg, "\"/>\n");
    }
}

static void draw_face(const canvas *c, const drawn *d) {
    const bl_figure *f = c->figure;
    corner around[BL_FACE_MOST], center;
    bool known = corners_of(c, d, around, &center) && d->shown->value;
    if (d->face->n == 2 || (d->face->n == 3 && d->face->curved)) { /* a line */
        char stroke[8] = "#59636e";
        if (known)
            color(f, band_of(f, center.value), 1, stroke);
        bl_put(c->svg, "<path fill=\"none\" stroke-width=\"4\" stroke=\"%s\" d=\"", stroke);
        for (int k = 0; k < d->face->n; k++)
            bl_svg_point(c->svg, k ? 'L' : 'M', around[k].x, around[k].y);
        bl_put(c->svg, "\"/>\n");
        return;
    }
    if (!known || f->options->isolines) {
        char gray[8];
        int tone = (int)lround((known ? 246 : 226) * (0.62 + 0.38 * d->light));
        snprintf(gray, sizeof gray, "#%02x%02x%02x", tone, tone, tone);
        begin_path(c->svg, gray);
        put_polygon(c->svg, d->face->n, around);
        bl_put(c->svg, "\"/>\n");
    } else {
        fill_bands(c, d, around, center);
    }
    if (c->ndrawn <= FEW_FACES) {
        bl_put(c->svg, "<path fill=\"none\" stroke=\"%s\" d=\"", f->options->isolines ? "#c9ced4" : "#20262c\" stroke-opacity=\"0.35");
        put_polygon(c->svg, d->face->n, around);
        bl_put(c->svg, "\"/>\n");
    }
    if (known && f->options->isolines)
        draw_isolines(c, d, around, center);
}

/* ---- outlines and scale */

/* outlines of plane meshes; also for the undeformed mesh when displacements are drawn, but not in space, where they would hide it */
static void draw_outlines(const canvas *c, double factor, const char *style) {
    const bl_figure *f = c->figure;
    bl_put(c->svg, "<path fill=\"none\" %s d=\"", style);
    for (bl_index m = 0; m < f->nshown; m++)
        for (bl_index e = 0; e < f->shown[m].faces.nedge; e++) {
            const bl_index *edge = f->shown[m].faces.edge[e];
            view_point a = on_page(c, &f->shown[m], factor, edge[0]), b = on_page(c, &f->shown[m], factor, edge[1]);
            bl_svg_point(c->svg, 'M', a.x, a.y);
            if (edge[2] >= 0) {
                view_point mid = on_page(c, &f->shown[m], factor, edge[2]);
                bl_svg_point(c->svg, 'L', mid.x, mid.y);
            }
            bl_svg_point(c->svg, 'L', b.x, b.y);
        }
    bl_put(c->svg, "\"/>\n");
}

static void draw_scale(const canvas *c) {
    const bl_figure *f = c->figure;
    int bands = f->nlevel + 1;
    double height = fmin(c->height - HEAD - MARGIN - 40, 340), step = height / bands, x = c->width - SCALE + 24, top = HEAD + 8;
    char text[64];
    step = fmin(step, 26);
    height = step * bands;
    for (int k = 0; k < bands; k++) {
        char fill[8], style[64];
        color(f, k, 1, fill);
        snprintf(style, sizeof style, "fill=\"%s\"", fill);
        double y = top + height - (k + 1) * step;
        if (!f->options->isolines)
            bl_svg_rect(c->svg, x, y, 18, step, style);
        if (k == 0)
            continue;
        if (f->options->isolines) {
            snprintf(style, sizeof style, "stroke=\"%s\" stroke-width=\"2.5\"", fill);
            bl_svg_line(c->svg, x, y + step, x + 18, y + step, style);
        }
        snprintf(text, sizeof text, "%.5g", fabs(f->level[k - 1]) < 1e-12 * (f->high - f->low) ? 0 : f->level[k - 1]);
        bl_svg_text(c->svg, x + 24, y + step + 4, "font-size=\"12\" fill=\"#20262c\"", text);
    }
    if (f->nlevel == 0) {
        snprintf(text, sizeof text, "%.5g", f->high);
        bl_svg_text(c->svg, x + 24, top + step / 2 + 4, "font-size=\"12\" fill=\"#20262c\"", text);
    }
    snprintf(text, sizeof text, "max %.4g", f->high);
    bl_svg_text(c->svg, x, top + height + 18, "font-size=\"11\" fill=\"#59636e\"", text);
    snprintf(text, sizeof text, "min %.4g", f->low);
    bl_svg_text(c->svg, x, top + height + 33, "font-size=\"11\" fill=\"#59636e\"", text);
}

static void draw(bl_svg *svg, void *user) {
    canvas *c = user;
    bl_figure *f = c->figure;
    c->svg = svg;
    bl_svg_begin(svg, c->width, c->height, f->title);
    bl_svg_text(svg, MARGIN, 28, "font-size=\"17\" fill=\"#20262c\"", f->title);
    char line[360];
    snprintf(line, sizeof line, "%s%s%s", f->label, f->label[0] ? ", " : "", f->note);
    bl_svg_text(svg, MARGIN, 47, "font-size=\"12.5\" fill=\"#59636e\"", line);
    bl_put(svg, "<g stroke-width=\"0.5\" stroke-linejoin=\"round\">\n");
    if (f->factor != 0 && !c->space)
        draw_outlines(c, 0, "stroke=\"#8b949e\" stroke-width=\"1\" stroke-dasharray=\"4 3\"");
    for (bl_index i = 0; i < c->ndrawn; i++)
        draw_face(c, &c->drawn[i]);
    if (!c->space)
        draw_outlines(c, f->factor, "stroke=\"#20262c\" stroke-width=\"1\"");
    bl_put(svg, "</g>\n");
    if (f->label[0])
        draw_scale(c);
    bl_svg_end(svg);
}

bl_status bl_figure_draw(bl_figure *figure, const char *path) {
    canvas c = {.figure = figure};
    bl_status status = list_faces(&c);
    if (status == BL_OK) {
        fit(&c);
        status = bl_svg_write(figure->ctx, path, draw, &c);
    }
    bl_free(figure->ctx, c.drawn);
    return status;
}
