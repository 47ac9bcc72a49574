/* Structural diagram: a circle per group with its number of links and its mobility, node 0 is the frame, arrows lead from groups to those
 * that depend on them. */
#include "output/structure_figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double radius = 26;

typedef struct diagram {
    bl_structure_figure f;
    bl_index *box_of; /* [ncluster] -1: the frame, drawn at each group */
    bool *on_frame;   /* [ncluster] */
} diagram;

static int compare_arrows(const void *a, const void *b) {
    const bl_index *x = a, *y = b;
    if (x[0] != y[0])
        return x[0] < y[0] ? -1 : 1;
    return (x[1] > y[1]) - (x[1] < y[1]);
}

/* "links 2, 3"; long lists are truncated */
static void list_links(const bl_structure_cluster *c, char *text, size_t room) {
    size_t used = (size_t)snprintf(text, room, c->nlink == 1 ? "link " : "links ");
    bl_index shown = c->nlink > 6 ? 5 : c->nlink;
    for (bl_index i = 0; i < shown && used < room; i++)
        used += (size_t)snprintf(text + used, room - used, "%s%d", i ? ", " : "", (int)c->link[i] + 1);
    if (shown < c->nlink && used < room)
        snprintf(text + used, room - used, ", ...");
}

static bl_status make_boxes(diagram *d) {
    bl_structure_figure *f = &d->f;
    bl_index n = f->ncluster;
    BL_TRY(BL_ARENA_ARRAYS(&f->arena, BL_ARRAY(f->layout.box, n), BL_ARRAY(d->box_of, n), BL_ARRAY(d->on_frame, n)));
    for (bl_index c = 0; c < f->ncluster; c++) {
        char text[80];
        d->box_of[c] = c == 0 && f->marks ? -1 : f->layout.nbox;
        if (d->box_of[c] < 0)
            continue;
        list_links(&f->cluster[c], text, sizeof text);
        double wide = fmax(bl_structure_text_width(f->cluster[c].label, 12), bl_structure_text_width(text, 11));
        f->layout.box[f->layout.nbox++] = (bl_layout_box){.layer = f->cluster[c].layer,
                                                          .width = fmax(wide + 6, 2 * radius + (f->marks ? 50 : 14)),
                                                          .height = 2 * radius,
                                                          .head = f->marks ? 12 : 6,
                                                          .foot = 36};
    }
    return BL_OK;
}

static bl_status make_arrows(diagram *d) {
    bl_structure_figure *f = &d->f;
    bl_index(*list)[2], n = 0;
    BL_TRY(BL_ARENA_ARRAYS(&f->arena, BL_ARRAY(list, f->nbundle), BL_ARRAY(f->layout.edge, f->nbundle)));
    for (bl_index k = 0; k < f->nbundle; k++) {
        bl_index a = f->cluster_of[f->bundle[k].a], b = f->cluster_of[f->bundle[k].b];
        if (a == b)
            continue;
        list[n][0] = a < b ? a : b;
        list[n++][1] = a < b ? b : a;
    }
    qsort(list, (size_t)n, sizeof *list, compare_arrows);
    for (bl_index k = 0; k < n; k++) {
        if (k > 0 && compare_arrows(list[k], list[k - 1]) == 0)
            continue;
        bl_index from = d->box_of[list[k][0]], to = d->box_of[list[k][1]];
        d->on_frame[list[k][1]] = d->on_frame[list[k][1]] || list[k][0] == 0;
        if (from < 0)
            continue;
        f->layout.edge[f->layout.nedge++] =
            (bl_layout_edge){.from = {from, f->layout.box[from].width / 2, radius}, .to = {to, f->layout.box[to].width / 2, radius}};
    }
    return BL_OK;
}

/* ---- drawing */

static void put_group(const diagram *d, bl_svg *svg, bl_index c) {
    const bl_structure_figure *f = &d->f;
    const bl_structure_cluster *cluster = &f->cluster[c];
    const bl_layout_box *box = &f->layout.box[d->box_of[c]];
    double x = box->x + box->width / 2, y = box->y + radius;
    char text[200];
    bool group = c > 0 && c <= f->report->ngroup;
    snprintf(text, sizeof text, "class=\"%s\" fill=\"%s\" stroke=\"%s\" stroke-width=\"1.6\"%s",
             c == 0  ? "frame"
             : group ? "group"
                     : "left",
             bl_structure_paper(cluster->category), bl_structure_ink(cluster->category),
             c == 0 || group ? "" : " stroke-dasharray=\"6 4\"");
    bl_svg_circle(svg, x, y, radius, text);
    if (group)
        snprintf(text, sizeof text, "(%d, %d)", (int)cluster->nlink, f->report->group[c - 1].mobility);
    else
        snprintf(text, sizeof text, "%s", c == 0 ? "0" : "?");
    bl_svg_text(svg, x, y + 5, "text-anchor=\"middle\" font-size=\"14\" fill=\"#1c2733\"", text);
    snprintf(text, sizeof text, "text-anchor=\"middle\" font-size=\"12\" fill=\"%s\"", bl_structure_ink(cluster->category));
    bl_svg_text(svg, x, y + radius + 15, text, cluster->label);
    if (c > 0) {
        list_links(cluster, text, sizeof text);
        bl_svg_text(svg, x, y + radius + 30, "text-anchor=\"middle\" font-size=\"11\" fill=\"#4a5562\"", text);
    }
    if (f->marks && d->on_frame[c]) { /* a copy of the frame at the upper left */
        bl_svg_line(svg, x - 42, y - 27, x - radius * 0.84 - 1, y - radius * 0.54 - 1,
                    "class=\"arrow\" stroke=\"#1c2733\" stroke-width=\"1.3\" marker-end=\"url(#arrow)\"");
        bl_svg_circle(svg, x - 46, y - 29, 8, "fill=\"#e3e7eb\" stroke=\"#1c2733\" stroke-width=\"1.2\"");
        bl_svg_text(svg, x - 46, y - 25.5, "text-anchor=\"middle\" font-size=\"10\" fill=\"#1c2733\"", "0");
    }
}

static void put_legend(const bl_structure_figure *f, bl_structure_legend *l) {
    double x, y;
    bl_structure_legend_entry(l, "N: links, L: mobility", &x, &y);
    if (l->svg)
        bl_svg_text(l->svg, x - 2, y + 4, "font-size=\"10\" fill=\"#1c2733\"", "(N, L)");
    bl_structure_legend_categories(f, l);
}

static void draw(const bl_structure_figure *f, bl_svg *svg) {
    bl_put(svg, "<g fill=\"none\" stroke=\"#1c2733\" stroke-width=\"1.3\">\n");
    for (bl_index e = 0; e < f->layout.nedge; e++) {
        bl_put(svg, "<path class=\"arrow\" marker-end=\"url(#arrow)\" d=\"");
        bl_layout_path(&f->layout, &f->layout.edge[e], 0, radius, svg);
        bl_put(svg, "\"/>\n");
    }
    bl_put(svg, "</g>\n");
    for (bl_index c = f->marks; c < f->ncluster; c++)
        put_group((const diagram *)f, svg, c);
}

static bl_status make(bl_structure_figure *f) {
    BL_TRY(make_boxes((diagram *)f));
    return make_arrows((diagram *)f);
}

static bl_status note_stops(bl_structure_figure *f) {
    for (bl_index e = 0; e < f->layout.nedge; e++) {
        const bl_layout_edge *edge = &f->layout.edge[e];
        BL_TRY(bl_structure_note_stops(f, edge, edge->from.box + f->marks, edge->to.box + f->marks));
    }
    return BL_OK;
}

static const bl_structure_drawing drawing = {
    .name = "structural diagram",
    .defs = "<defs><marker id=\"arrow\" viewBox=\"0 0 10 8\" refX=\"9\" refY=\"4\" markerWidth=\"10\" markerHeight=\"8\" "
            "markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0 0L10 4L0 8z\" fill=\"#1c2733\"/></marker></defs>\n",
    .most_width = 1300,
    .spread_gap = 9,
    .spread_room = 36,
    .make = make,
    .note_stops = note_stops,
    .draw = draw,
    .legend = put_legend};

bl_status bl_structure_diagram(bl_context *ctx, const bl_chain *chain, const bl_structure_report *report, const char *path) {
    diagram d = {.f = {.drawing = &drawing}};
    return bl_structure_write(ctx, chain, report, path, &d.f);
}
