/* Spy figure: the entries of an ordered matrix as an SVG with its diagonal blocks, border columns and band rows.
 * One path per category of entries in units of one cell, scaled to the page, so that figures of any size stay sharp and small;
 * matrices of more than MOST_CELLS rows or columns are drawn in cells of several rows and columns. */
#include "base/sized.h"
#include "output/svg.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_CELLS = 1200 };
enum { INSIDE, BESIDE, BORDER, BAND, CORNER, NCATEGORY }; /* of entries */

static const struct {
    const char *color, *paper, *name;
} categories[NCATEGORY] = {
    [INSIDE] = {"#134a86", "#d6e5f7", "diagonal blocks"}, [BESIDE] = {"#59636e", NULL, "left of the blocks"},
    [BORDER] = {"#b4570b", "#fdeedd", "border columns"},  [BAND] = {"#23743c", "#e4f3e6", "band rows"},
    [CORNER] = {"#7d2a6b", "#f5e6f2", "corner"},
};

typedef struct spy {
    bl_context *ctx;
    bl_svg *svg;
    const bl_order_report *report;
    const bl_order_entry *entry;
    bl_index *row_position, *block_of; /* [rows] position, -1: none; [inner] */
    uint8_t *seen;                     /* [cells] bits of categories, only if cells hold several entries */
    bl_index inner;                    /* positions in diagonal blocks; -1: no blocks */
    bl_index cell, nrow, ncol;         /* rows and columns per cell; cells */
    double unit;                       /* pixels per cell */
    double left, top, width, height;
} spy;

/* ---- entries and areas */

static int category_of(const spy *s, bl_index row, bl_index col) {
    if (s->inner < 0)
        return BESIDE;
    if (row >= s->inner)
        return col >= s->inner ? CORNER : BAND;
    if (col >= s->inner)
        return BORDER;
    return s->block_of[row] == s->block_of[col] ? INSIDE : BESIDE;
}

/* all entries of one category as one path */
static void put_entries(spy *s, int category) {
    double inset = s->cell == 1 && s->unit >= 4 ? 0.08 : 0,
           side = fmax(1, 1.6 / s->unit); /* dots smaller than 1.5 pixels are hard to see */
    char square[160];
    long hundredths = lround((side - 2 * inset) * 100);
    snprintf(square, sizeof square, "h%ld.%02ldv%ld.%02ldh-%ld.%02ldz", hundredths / 100, hundredths % 100, hundredths / 100,
             hundredths % 100, hundredths / 100, hundredths % 100);
    bool open = false;
    for (bl_index c = 0; c < s->entry->ncol; c++) {
        bl_index column = s->entry->col[c];
        for (bl_index e = s->report->ptr[column]; e < s->report->ptr[column + 1]; e++) {
            bl_index r = s->row_position[s->report->idx[e]];
            if (r < 0 || category_of(s, r, c) != category)
                continue;
            if (s->seen) {
                uint8_t *seen = &s->seen[(size_t)(r / s->cell) * (size_t)s->ncol + (size_t)(c / s->cell)];
                if (*seen & 1 << category)
                    continue;
                *seen |= (uint8_t)(1 << category);
            }
            if (!open) {
                bl_put(s->svg, "<path fill=\"%s\" d=\"", s->inner < 0 ? categories[INSIDE].color : categories[category].color);
                open = true;
            }
            bl_put(s->svg, "M%f %f%s", c / s->cell + inset, r / s->cell + inset, square);
        }
    }
    if (open)
        bl_put(s->svg, "\"/>\n");
}

/* backgrounds of border, band and corner; then the blocks */
static void put_areas(spy *s) {
    if (s->inner < 0)
        return;
    char style[64];
    double cell = s->cell, at = s->inner / cell, right = s->entry->ncol / cell, below = s->entry->nrow / cell;
    const double area[][5] = {{BORDER, at, 0, right - at, at}, {BAND, 0, at, at, below - at}, {CORNER, at, at, right - at, below - at}};
    for (int k = 0; k < 3; k++)
        if (area[k][3] > 0 && area[k][4] > 0) {
            snprintf(style, sizeof style, "fill=\"%s\"", categories[(int)area[k][0]].paper);
            bl_svg_rect(s->svg, area[k][1], area[k][2], area[k][3], area[k][4], style);
        }
    bl_put(s->svg, "<g fill=\"%s\" stroke=\"#2f6fb5\" stroke-width=\"0.8\">\n", categories[INSIDE].paper);
    for (bl_index k = 0; k < s->entry->nblock; k++) {
        double from = s->entry->block[k] / cell, size = (s->entry->block[k + 1] - s->entry->block[k]) / cell;
        if (size * s->unit >= 2)
            bl_svg_rect(s->svg, from, from, size, size, "vector-effect=\"non-scaling-stroke\"");
    }
    bl_put(s->svg, "</g>\n");
}

static void put_caption(spy *s) {
    const bl_order_entry *e = s->entry;
    char text[320];
    size_t n = (size_t)snprintf(text, sizeof text, "%d x %d", (int)e->nrow, (int)e->ncol);
    bl_svg_text(s->svg, s->left, 26, "font-size=\"17\" font-weight=\"600\" fill=\"#1c2733\"", e->name);
    bl_index entries = 0;
    for (bl_index c = 0; c < e->ncol; c++)
        for (bl_index k = s->report->ptr[e->col[c]]; k < s->report->ptr[e->col[c] + 1]; k++)
            entries += s->row_position[s->report->idx[k]] >= 0;
    n += (size_t)snprintf(text + n, sizeof text - n, ", %d entries", (int)entries);
    if (s->inner >= 0)
        n += (size_t)snprintf(text + n, sizeof text - n, "; border %d, band %d", (int)e->border, (int)e->band);
    if (e->bandwidth >= 0)
        n += (size_t)snprintf(text + n, sizeof text - n, "; bandwidth %d", (int)e->bandwidth);
    bl_svg_text(s->svg, s->left, 46, "font-size=\"13\" fill=\"#4a5562\"", text);
    n = 0;
    for (bl_index k = 0; s->inner >= 0 && k < e->nsize && n < 90; k++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%d block%s of %d", k ? ", " : "", (int)e->count[k], e->count[k] == 1 ? "" : "s",
                              (int)e->size[k]);
    if (n >= 90)
        snprintf(text + n, sizeof text - n, ", ...");
    if (n > 0)
        bl_svg_text(s->svg, s->left, 63, "font-size=\"13\" fill=\"#4a5562\"", text);
}

static void put_legend(spy *s) {
    if (s->inner < 0)
        return;
    double x = s->left, y = s->top + s->height + 18;
    for (int category = 0; category < NCATEGORY; category++) {
        if ((category == BORDER && !s->entry->border) || (category == BAND && !s->entry->band) ||
            (category == CORNER && !(s->entry->border && s->entry->band)))
            continue;
        double wide = 34 + 5.7 * (double)strlen(categories[category].name);
        if (x > s->left && x + wide > s->left + s->width + 20) {
            x = s->left;
            y += 18;
        }
        char style[64];
        snprintf(style, sizeof style, "fill=\"%s\"", categories[category].color);
        bl_svg_rect(s->svg, x, y, 9, 9, style);
        bl_svg_text(s->svg, x + 14, y + 9, "font-size=\"12\" fill=\"#4a5562\"", categories[category].name);
        x += wide;
    }
}

static void draw(bl_svg *svg, void *figure) {
    spy *s = figure;
    s->svg = svg;
    bl_svg_begin(svg, fmax(s->width + 2 * s->left, 460), s->top + s->height + (s->inner < 0 ? 20 : 60), s->entry->name);
    put_caption(s);
    bl_put(s->svg, "<g transform=\"translate(%f %f", s->left, s->top);
    char scale[48];
    long millionths = lround(s->unit * 1e6); /* two decimals are too coarse for large matrices */
    snprintf(scale, sizeof scale, ") scale(%ld.%06ld)\">\n", millionths / 1000000, millionths % 1000000);
    bl_put(s->svg, "%s", scale);
    put_areas(s);
    for (int category = 0; category < NCATEGORY; category++)
        put_entries(s, category);
    bl_put(s->svg, "</g>\n");
    bl_svg_rect(s->svg, s->left, s->top, s->width, s->height, "fill=\"none\" stroke=\"#7b8794\"");
    put_legend(s);
    bl_svg_end(svg);
}

/* ---- the figure */

static bl_status prepare(spy *s) {
    const bl_order_entry *e = s->entry;
    bl_index most = e->nrow > e->ncol ? e->nrow : e->ncol;
    BL_TRY(BL_NEW(s->ctx, s->row_position, s->report->rows));
    BL_TRY(BL_NEW(s->ctx, s->block_of, most));
    for (bl_index i = 0; i < s->report->rows; i++)
        s->row_position[i] = -1;
    for (bl_index k = 0; k < e->nrow; k++)
        s->row_position[e->row[k]] = k;
    s->inner = e->block ? e->block[e->nblock] : -1;
    for (bl_index k = 0; e->block && k < e->nblock; k++)
        for (bl_index p = e->block[k]; p < e->block[k + 1]; p++)
            s->block_of[p] = k;
    s->cell = most > MOST_CELLS ? (most + MOST_CELLS - 1) / MOST_CELLS : 1;
    s->nrow = (e->nrow + s->cell - 1) / s->cell;
    s->ncol = (e->ncol + s->cell - 1) / s->cell;
    if (s->cell > 1)
        BL_TRY(BL_NEW(s->ctx, s->seen, (size_t)s->nrow * (size_t)s->ncol));
    s->unit = fmin(26, 720.0 / fmax(1, s->nrow > s->ncol ? s->nrow : s->ncol));
    s->left = 20;
    s->top = s->inner >= 0 && e->nsize > 0 ? 76 : 59;
    s->width = s->unit * e->ncol / s->cell;
    s->height = s->unit * e->nrow / s->cell;
    return BL_OK;
}

bl_status bl_order_figure(bl_context *ctx, const bl_order_report *given, bl_index entry, const char *path) {
    bl_order_report own, *report = &own;
    BL_TRY(BL_TAKE(ctx, bl_order_report, given, report));
    if (!ctx || entry < 0 || entry >= report->nentry)
        return bl_fail(ctx, BL_E_ARG, NULL, "there is no ordering to draw");
    spy s = {.ctx = ctx, .report = report, .entry = &report->entry[entry]};
    if (s.entry->status != BL_OK)
        return bl_fail(ctx, BL_E_ARG, NULL, "%s did not order the matrix, so there is nothing to draw", s.entry->name);
    bl_status status = prepare(&s);
    if (status == BL_OK)
        status = bl_svg_write(ctx, path, draw, &s);
    bl_free(ctx, s.row_position);
    bl_free(ctx, s.block_of);
    bl_free(ctx, s.seen);
    return status;
}
