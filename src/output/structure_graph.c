/* Structural graph: links as circles, pairs as one line per degree of freedom, thick for inputs. Groups are boxes, later ones to the right
 * of those they are paired with. In a box each link has its own height, so that lines to other boxes leave horizontally without crossing a
 * circle; links paired with earlier groups are in the first column, the others in the second. */
#include "output/structure_figure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { EXACT = 7, CAREFUL = 14 }; /* links of a box up to which all orders are tried, or crossings are counted */
enum { NAME = 16 };               /* characters shown of a name */
static const double radius = 15, side = 34, column = 78, line_gap = 6;

typedef struct graph {
    bl_structure_figure f;
    bl_index *box_of;         /* [ncluster] -1: the frame, drawn as marks */
    bl_layout_end *at;        /* [nlink] */
    bl_index *index;          /* [nlink] in the list of its cluster */
    bool *second;             /* [nlink] in the second column */
    double *row;              /* [nlink] row in the box, before flipping */
    bool *leaves;             /* [nlink] paired with a later cluster */
    bl_index *edge_of;        /* [nbundle] edge of the layout; -1: none */
    bl_index *begin, *member; /* bundles inside the box of each cluster: member[begin[c]] .. */
    double pitch;             /* distance of links in a box */
} graph;

/* ---- order of links in a box */

typedef struct arrangement {
    const graph *g;
    bl_index n, nedge;
    bl_index *order;    /* of indices 0 .. n-1 in the cluster's list */
    bl_index *position; /* [n] of each in the order */
    bl_index *edge;     /* [2 nedge] */
    const bl_index *link;
} arrangement;

static bool in_second(const arrangement *a, bl_index i) { return a->g->second[a->link[i]]; }

/* penalty for lines around circles, long lines, crossings */
static long cost(const arrangement *a) {
    long sum = 0;
    for (bl_index k = 0; k < a->n; k++)
        a->position[a->order[k]] = k;
    for (bl_index e = 0; e < a->nedge; e++) {
        bl_index u = a->edge[2 * e], v = a->edge[2 * e + 1], low = a->position[u], high = a->position[v];
        if (low > high) {
            low = a->position[v];
            high = a->position[u];
        }
        sum += 2 * (high - low);
        for (bl_index k = low + 1; k < high && in_second(a, u) == in_second(a, v); k++)
            sum += in_second(a, a->order[k]) == in_second(a, u) ? 9 : 0;
        for (bl_index d = 0; d < e && a->n <= CAREFUL; d++) {
            bl_index x = a->position[a->edge[2 * d]], y = a->position[a->edge[2 * d + 1]];
            bool x_in = x > low && x < high, x_end = x == low || x == high;
            bool y_in = y > low && y < high, y_end = y == low || y == high;
            sum += x_in != y_in && !x_end && !y_end ? 4 : 0;
        }
    }
    return sum;
}

static void try_all(arrangement *a, bl_index k, bl_index *best, long *least) {
    if (k == a->n) {
        long now = cost(a);
        if (now < *least) {
            *least = now;
            memcpy(best, a->order, (size_t)a->n * sizeof *best);
        }
        return;
    }
    for (bl_index i = k; i < a->n; i++) { /* rotating keeps the rest in ascending order */
        bl_index chosen = a->order[i];
        memmove(a->order + k + 1, a->order + k, (size_t)(i - k) * sizeof *a->order);
        a->order[k] = chosen;
        try_all(a, k + 1, best, least);
        memmove(a->order + k, a->order + k + 1, (size_t)(i - k) * sizeof *a->order);
        a->order[i] = chosen;
    }
}

/* breadth-first order, then moves single links while that reduces the cost */
static void improve_order(arrangement *a, bl_index *best) {
    bl_index n = 0;
    for (bl_index i = 0; i < a->n; i++)
        a->position[i] = -1;
    for (bl_index root = 0; root < a->n; root++) {
        if (a->position[root] >= 0)
            continue;
        a->position[root] = n;
        best[n++] = root;
        for (bl_index head = a->position[root]; head < n; head++)
            for (bl_index e = 0; e < 2 * a->nedge; e++)
                if (a->edge[e] == best[head] && a->position[a->edge[e ^ 1]] < 0) {
                    a->position[a->edge[e ^ 1]] = n;
                    best[n++] = a->edge[e ^ 1];
                }
    }
    memcpy(a->order, best, (size_t)a->n * sizeof *best);
    long least = cost(a);
    for (int sweep = 0; sweep < 3 && a->n <= 120; sweep++)
        for (bl_index from = 0; from < a->n; from++)
            for (bl_index to = from > 8 ? from - 8 : 0; to < a->n && to <= from + 8; to++) {
                bl_index moved = a->order[from];
                memmove(a->order + from, a->order + from + 1, (size_t)(a->n - 1 - from) * sizeof *a->order);
                memmove(a->order + to + 1, a->order + to, (size_t)(a->n - 1 - to) * sizeof *a->order);
                a->order[to] = moved;
                long now = cost(a);
                if (now < least) {
                    least = now;
                    memcpy(best, a->order, (size_t)a->n * sizeof *best);
                } else
                    memcpy(a->order, best, (size_t)a->n * sizeof *best);
            }
}

/* One row per link; if nothing leaves the first column to the right, each column has its own rows. */
static void set_rows(graph *g, const bl_structure_cluster *cluster, const bl_index *order) {
    bl_index n[2] = {0, 0}, done[2] = {0, 0};
    bool shared = false;
    for (bl_index i = 0; i < cluster->nlink; i++) {
        n[g->second[cluster->link[i]]]++;
        shared = shared || (g->leaves[cluster->link[i]] && !g->second[cluster->link[i]]);
    }
    bl_index most = n[0] > n[1] ? n[0] : n[1];
    for (bl_index k = 0; k < cluster->nlink; k++) {
        bl_index link = cluster->link[order[k]];
        bool second = g->second[link];
        g->row[link] = shared ? k : done[second]++ + (double)(most - n[second]) / 2;
    }
}

static bl_status arrange(graph *g, bl_index c) {
    const bl_structure_cluster *cluster = &g->f.cluster[c];
    size_t n = (size_t)cluster->nlink, m = (size_t)(g->begin[c + 1] - g->begin[c]);
    arrangement a = {.g = g, .n = cluster->nlink, .link = cluster->link};
    bl_index *best;
    BL_TRY(BL_ARENA_ARRAYS(&g->f.arena, BL_ARRAY(a.order, n), BL_ARRAY(a.position, n), BL_ARRAY(best, n), BL_ARRAY(a.edge, 2 * m)));
    for (bl_index i = 0; i < a.n; i++) {
        a.order[i] = best[i] = i;
        g->index[cluster->link[i]] = i;
    }
    for (bl_index k = g->begin[c]; k < g->begin[c + 1]; k++) {
        const bl_structure_bundle *b = &g->f.bundle[g->member[k]];
        if (b->a == b->b)
            continue;
        a.edge[2 * a.nedge] = g->index[b->a];
        a.edge[2 * a.nedge++ + 1] = g->index[b->b];
    }
    long least = cost(&a);
    if (a.n <= EXACT)
        try_all(&a, 0, best, &least);
    else
        improve_order(&a, best);
    set_rows(g, cluster, best);
    return BL_OK;
}

/* ---- boxes */

/* how far a line around circles of its column extends beyond it */
static double bulge(const graph *g, const bl_structure_bundle *b) {
    if (b->a == b->b || g->second[b->a] != g->second[b->b])
        return 0;
    const bl_structure_cluster *cluster = &g->f.cluster[g->f.cluster_of[b->a]];
    double low = g->row[b->a], high = g->row[b->b];
    bl_index between = 0;
    if (low > high) {
        low = g->row[b->b];
        high = g->row[b->a];
    }
    for (bl_index i = 0; i < cluster->nlink; i++) {
        bl_index link = cluster->link[i];
        between += g->second[link] == g->second[b->a] && g->row[link] > low && g->row[link] < high;
    }
    return between > 0 ? 28 + 8 * fmin((double)between, 9) : 0;
}

static void size_box(graph *g, bl_index c, bl_layout_box *box) {
    const bl_structure_cluster *cluster = &g->f.cluster[c];
    double left = side, right = side, middle = 0, names = 0, rows = 0;
    bool two = false;
    for (bl_index i = 0; i < cluster->nlink; i++) {
        bl_index link = cluster->link[i];
        two = two || g->second[link];
        rows = fmax(rows, g->row[link] + 1);
        if (c > 0 && g->f.chain->link && g->f.chain->link[link])
            names = fmax(names, 6.1 * fmin((double)strlen(g->f.chain->link[link]), NAME + 2));
    }
    right = fmax(right, names + 20);
    for (bl_index k = g->begin[c]; k < g->begin[c + 1]; k++) {
        const bl_structure_bundle *b = &g->f.bundle[g->member[k]];
        double out = bulge(g, b);
        if (out > 0 && two && !g->second[b->a])
            left = fmax(left, out + 12);
        else if (out > 0)
            right = fmax(right, out + 12);
    }
    if (two)
        middle = fmax(column, names + 40);
    double least = c == 0 ? 0 : bl_structure_text_width(cluster->label, 12) + 14, more = fmax(0, least - left - middle - right) / 2;
    *box = (bl_layout_box){.layer = cluster->layer, .width = left + middle + right + 2 * more, .height = g->pitch * rows};
    box->head = c == 0 ? 0 : 21;
    box->foot = c == 0 ? 16 : 0;
    for (bl_index i = 0; i < cluster->nlink; i++) {
        bl_index link = cluster->link[i];
        g->at[link] = (bl_layout_end){g->box_of[c], left + more + (g->second[link] ? middle : 0), g->pitch * (g->row[link] + 0.5)};
    }
}

static bl_status make_boxes(graph *g) {
    bl_structure_figure *f = &g->f;
    BL_TRY(BL_ARENA_NEW(&f->arena, f->layout.box, f->ncluster));
    for (bl_index c = 0; c < f->ncluster; c++) {
        g->box_of[c] = c == 0 && f->marks ? -1 : f->layout.nbox;
        if (g->box_of[c] < 0)
            continue;
        BL_TRY(arrange(g, c));
        size_box(g, c, &f->layout.box[f->layout.nbox++]);
    }
    return BL_OK;
}

/* ---- lines inside and between boxes */

static bl_status sort_bundles(graph *g) {
    bl_structure_figure *f = &g->f;
    for (bl_index i = 0; i < f->chain->nlink; i++)
        g->second[i] = i > 0;
    for (int pass = 0; pass < 2; pass++) {
        for (bl_index k = 0; k < f->nbundle; k++) {
            const bl_structure_bundle *b = &f->bundle[k];
            bl_index a = f->cluster_of[b->a], c = f->cluster_of[b->b];
            g->edge_of[k] = -1;
            if (a == c && pass == 0)
                g->begin[a + 2]++;
            else if (a == c)
                g->member[g->begin[a + 1]++] = k;
            else { /* the later link depends on a solved one */
                g->second[a > c ? b->a : b->b] = false;
                g->leaves[a > c ? b->b : b->a] = true;
            }
        }
        for (bl_index c = 0; pass == 0 && c < f->ncluster; c++)
            g->begin[c + 2] += g->begin[c + 1];
    }
    for (bl_index c = 0; c < f->ncluster; c++) { /* a single column is the first */
        bool first = false;
        for (bl_index i = 0; i < f->cluster[c].nlink; i++)
            first = first || !g->second[f->cluster[c].link[i]];
        for (bl_index i = 0; i < f->cluster[c].nlink && !first; i++)
            g->second[f->cluster[c].link[i]] = false;
    }
    return BL_OK;
}

static bl_status make_edges(graph *g) {
    bl_structure_figure *f = &g->f;
    BL_TRY(BL_ARENA_NEW(&f->arena, f->layout.edge, f->nbundle));
    for (bl_index k = 0; k < f->nbundle; k++) {
        const bl_structure_bundle *b = &f->bundle[k];
        bl_index a = f->cluster_of[b->a], c = f->cluster_of[b->b];
        if (a == c || (f->marks && (a == 0 || c == 0)))
            continue;
        g->edge_of[k] = f->layout.nedge;
        f->layout.edge[f->layout.nedge++] = (bl_layout_edge){
            .from = g->at[a < c ? b->a : b->b], .to = g->at[a < c ? b->b : b->a], .thick = line_gap * (double)(b->end - b->begin - 1)};
    }
    return BL_OK;
}

/* ---- drawing */

static const char *line_style(uint8_t line) {
    switch (line) {
    case BL_LINE_INPUT: return "class=\"input\" stroke-width=\"4\"";
    case BL_LINE_FIXED: return "class=\"fixed\" stroke-width=\"1.3\" stroke-dasharray=\"7 4\"";
    case BL_LINE_VIA: return "class=\"via\" stroke-width=\"1.3\" stroke-dasharray=\"1.5 4\" stroke-linecap=\"round\"";
    default: return "class=\"freedom\" stroke-width=\"1.3\"";
    }
}

static void put_curve(bl_svg *svg, const double *xy, const char *command) {
    for (int k = 0; command[k]; k++)
        bl_svg_point(svg, command[k], xy[2 * k], xy[2 * k + 1]);
}

static void put_inner(const graph *g, bl_svg *svg, const bl_structure_bundle *b, double beside) {
    static const char straight[] = "ML", curved[] = "MC  ";
    double x0, y0, x1, y1;
    bl_layout_end_point(&g->f.layout, &g->at[b->a], &x0, &y0);
    bl_layout_end_point(&g->f.layout, &g->at[b->b], &x1, &y1);
    double out = bulge(g, b) / 0.75;
    if (b->a == b->b) { /* a relation of a link with itself */
        double wide = 16 + beside;
        put_curve(svg, (const double[]){x0 + 4, y0 - 12, x0 + wide, y0 - 40, x0 + 40, y0 - wide, x0 + 12, y0 - 4}, curved);
    } else if (out > 0) {
        bool two = g->second[b->a];
        const bl_structure_cluster *cluster = &g->f.cluster[g->f.cluster_of[b->a]];
        for (bl_index i = 0; i < cluster->nlink; i++)
            two = two || g->second[cluster->link[i]];
        out = (two && !g->second[b->a] ? -out : out) + beside;
        put_curve(svg, (const double[]){x0, y0, x0 + out, y0, x1 + out, y1, x1, y1}, curved);
    } else if (x0 != x1 && fabs(y1 - y0) > 3.5 * g->pitch) {
        double middle = (x0 + x1) / 2 + ((y1 > y0) == (x1 > x0) ? -beside : beside);
        put_curve(svg, (const double[]){x0, y0 + beside, middle, y0 + beside, middle, y1 + beside, x1, y1 + beside}, curved);
    } else {
        double length = hypot(x1 - x0, y1 - y0), dx = -(y1 - y0) / length * beside, dy = (x1 - x0) / length * beside;
        put_curve(svg, (const double[]){x0 + dx, y0 + dy, x1 + dx, y1 + dy}, straight);
    }
}

/* a short line to a frame symbol at the lower left, where there are no other lines */
static void put_mark(const graph *g, bl_svg *svg, const bl_structure_bundle *b) {
    double x, y;
    bl_layout_end_point(&g->f.layout, &g->at[b->b], &x, &y);
    bl_put(svg, "<g transform=\"translate(%f %f) rotate(135)\">", x, y);
    bl_put(svg, "<path class=\"ground\" stroke-width=\"1.3\" d=\"M23 -7L23 7M23 -3l4 -4M23 2l4 -4M23 7l4 -4\"/>");
}

static void put_bundle(const graph *g, bl_svg *svg, bl_index k) {
    const bl_structure_figure *f = &g->f;
    const bl_structure_bundle *b = &f->bundle[k];
    bool mark = f->marks && f->cluster_of[b->a] == 0 && b->b > 0;
    if (f->marks && b->b == 0) /* a relation of the frame with itself has no meaning */
        return;
    if (mark)
        put_mark(g, svg, b);
    for (bl_index i = b->begin; i < b->end; i++) {
        double beside = line_gap * ((double)(i - b->begin) - (double)(b->end - b->begin - 1) / 2);
        bl_put(svg, "<path %s d=\"", line_style(f->line[i]));
        if (mark)
            put_curve(svg, (const double[]){0, beside, 23, beside}, "ML");
        else if (g->edge_of[k] >= 0)
            bl_layout_path(&f->layout, &f->layout.edge[g->edge_of[k]], beside, 0, svg);
        else
            put_inner(g, svg, b, beside);
        bl_put(svg, "\"/>\n");
    }
    if (mark)
        bl_put(svg, "</g>\n");
}

static void put_box(const graph *g, bl_svg *svg, bl_index c) {
    const bl_structure_cluster *cluster = &g->f.cluster[c];
    const bl_layout_box *box = &g->f.layout.box[g->box_of[c]];
    char style[200];
    snprintf(style, sizeof style, "class=\"group\" rx=\"12\" fill=\"%s\" stroke=\"%s\" stroke-width=\"1.2\" stroke-dasharray=\"6 4\"",
             bl_structure_paper(cluster->category), bl_structure_ink(cluster->category));
    bl_svg_rect(svg, box->x, box->y, box->width, box->height, style);
    snprintf(style, sizeof style, "font-size=\"12\" fill=\"%s\"", bl_structure_ink(cluster->category));
    bl_svg_text(svg, box->x + 7, box->y - 7, style, cluster->label);
}

static void put_link(const graph *g, bl_svg *svg, bl_index link) {
    char text[64];
    double x, y;
    const char *ink = bl_structure_ink(g->f.cluster[g->f.cluster_of[link]].category);
    bl_layout_end_point(&g->f.layout, &g->at[link], &x, &y);
    if (link == 0) {
        bl_svg_circle(svg, x, y, radius + 5, "class=\"frame\" fill=\"url(#frame)\" stroke=\"#1c2733\" stroke-width=\"1.3\"");
        bl_svg_text(svg, x, y + radius + 20, "text-anchor=\"middle\" font-size=\"12\" fill=\"#1c2733\"", "frame");
    }
    snprintf(text, sizeof text, "class=\"link\" fill=\"#ffffff\" stroke=\"%s\" stroke-width=\"1.6\"", ink);
    bl_svg_circle(svg, x, y, radius, text);
    snprintf(text, sizeof text, "%d", (int)link + 1);
    bl_svg_text(svg, x, y + 4.5, "text-anchor=\"middle\" font-size=\"13\" fill=\"#1c2733\"", text);
    if (g->f.chain->link && link > 0 && g->f.chain->link[link]) {
        snprintf(text, sizeof text, "%.*s%s", NAME, g->f.chain->link[link], strlen(g->f.chain->link[link]) > NAME ? ".." : "");
        bl_svg_text(svg, x + 13, y - 13,
                    "class=\"name\" font-size=\"11\" fill=\"#4a5562\" stroke=\"#ffffff\" stroke-width=\"3\" paint-order=\"stroke\"", text);
    }
}

/* ---- the page */

static void put_legend(const bl_structure_figure *f, bl_structure_legend *l) {
    static const struct {
        const char *text;
        uint8_t line;
    } lines[] = {
        {"degree of freedom", BL_LINE_DOF}, {"input", BL_LINE_INPUT}, {"fixed", BL_LINE_FIXED}, {"coupled by a relation", BL_LINE_VIA}};
    double x, y;
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) {
        bool there = false;
        for (bl_index i = 0; i < f->nline; i++)
            there = there || f->line[i] == lines[k].line;
        if (!there)
            continue;
        bl_structure_legend_entry(l, lines[k].text, &x, &y);
        if (l->svg) {
            char style[160];
            snprintf(style, sizeof style, "stroke=\"#1c2733\" %s", strchr(line_style(lines[k].line), ' ') + 1);
            bl_svg_line(l->svg, x, y, x + 26, y, style);
        }
    }
    if (f->marks) {
        bl_structure_legend_entry(l, "frame, link 1", &x, &y);
        if (l->svg) {
            bl_put(l->svg,
                   "<g fill=\"none\" stroke=\"#1c2733\" stroke-width=\"1.3\" transform=\"translate(%f %f)\"><path d=\"M2 0L14 0M14 "
                   "-8L14 8M14 -5l5 -4M14 0l5 -4M14 5l5 -4\"/></g>\n",
                   x, y);
        }
    }
    bl_structure_legend_categories(f, l);
}

static void draw(const bl_structure_figure *f, bl_svg *svg) {
    const graph *g = (const graph *)f;
    for (bl_index c = 1; c < f->ncluster; c++)
        put_box(g, svg, c);
    bl_put(svg, "<g fill=\"none\" stroke=\"#1c2733\">\n");
    for (bl_index k = 0; k < f->nbundle; k++)
        put_bundle(g, svg, k);
    bl_put(svg, "</g>\n");
    for (bl_index i = f->marks; i < f->chain->nlink; i++)
        put_link(g, svg, i);
}

static bl_status make(bl_structure_figure *f) {
    graph *g = (graph *)f;
    bl_index n = f->chain->nlink;
    BL_TRY(BL_ARENA_ARRAYS(&f->arena, BL_ARRAY(g->box_of, f->ncluster), BL_ARRAY(g->at, n), BL_ARRAY(g->second, n), BL_ARRAY(g->row, n),
                           BL_ARRAY(g->index, n), BL_ARRAY(g->leaves, n), BL_ARRAY(g->edge_of, f->nbundle),
                           BL_ARRAY(g->begin, f->ncluster + 2), BL_ARRAY(g->member, f->nbundle)));
    g->pitch = f->chain->link ? 56 : 50;
    BL_TRY(sort_bundles(g));
    BL_TRY(make_boxes(g));
    return make_edges(g);
}

static bl_status note_stops(bl_structure_figure *f) {
    const graph *g = (const graph *)f;
    for (bl_index k = 0; k < f->nbundle; k++) {
        const bl_structure_bundle *b = &f->bundle[k];
        bool forward = f->cluster_of[b->a] < f->cluster_of[b->b];
        if (g->edge_of[k] >= 0)
            BL_TRY(bl_structure_note_stops(f, &f->layout.edge[g->edge_of[k]], (forward ? b->a : b->b) + 1, (forward ? b->b : b->a) + 1));
    }
    return BL_OK;
}

static const bl_structure_drawing drawing = {
    .name = "structural graph",
    .defs = "<defs><pattern id=\"frame\" width=\"4\" height=\"4\" patternUnits=\"userSpaceOnUse\" "
            "patternTransform=\"rotate(45)\"><rect width=\"4\" height=\"4\" fill=\"#ffffff\"/><rect width=\"1.3\" height=\"4\" "
            "fill=\"#1c2733\"/></pattern></defs>\n",
    .most_width = 1500,
    .spread_gap = 7,
    .spread_room = 20,
    .make = make,
    .note_stops = note_stops,
    .draw = draw,
    .legend = put_legend};

bl_status bl_structure_graph(bl_context *ctx, const bl_chain *chain, const bl_structure_report *report, const char *path) {
    graph g = {.f = {.drawing = &drawing}};
    return bl_structure_write(ctx, chain, report, path, &g.f);
}
