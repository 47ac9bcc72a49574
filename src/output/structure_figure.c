/* Links, lines and sets of links of a chain and its report, for both figures. */
#include "output/structure_figure.h"
#include "base/sized.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEFT = 24, TOP = 66 }; /* of the layout, below the heading */
enum { MOST_LAYERS = 5 };     /* with more, lines from a single frame would cross the entire page */
enum { CATEGORY_FRAME, CATEGORY_DRIVEN, CATEGORY_FOLLOWER, CATEGORY_DYAD, CATEGORY_TRIAD, CATEGORY_GROUP, CATEGORY_LEFT, NCATEGORY };

/* Okabe and Ito's colors, darkened where text has to be read in them */
static const struct {
    const char *ink, *paper, *name;
} categories[NCATEGORY] = {
    [CATEGORY_FRAME] = {"#1c2733", "#e3e7eb", "frame"},         [CATEGORY_DRIVEN] = {"#b04a00", "#fdeadb", "driven link"},
    [CATEGORY_FOLLOWER] = {"#00704f", "#dff3ec", "follower"},   [CATEGORY_DYAD] = {"#005c91", "#dcebf7", "dyad"},
    [CATEGORY_TRIAD] = {"#8f3a69", "#f8e6f0", "triad, tetrad"}, [CATEGORY_GROUP] = {"#6f5418", "#f6eed9", "larger or driven group"},
    [CATEGORY_LEFT] = {"#59636e", "#eef0f2", "not solved"},
};

const char *bl_structure_ink(int category) { return categories[category].ink; }
const char *bl_structure_paper(int category) { return categories[category].paper; }
double bl_structure_text_width(const char *text, double size) { return 0.56 * size * (double)strlen(text); }

/* ---- lines */

typedef struct line_entry {
    bl_index a, b, order;
    uint8_t line;
} line_entry;

static int compare_lines(const void *x, const void *y) {
    const line_entry *p = x, *q = y;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    if (p->b != q->b)
        return p->b < q->b ? -1 : 1;
    return p->order < q->order ? -1 : p->order > q->order;
}

static void add_line(line_entry *list, bl_index *n, bl_index a, bl_index b, bl_structure_line line) {
    list[*n] = (line_entry){.a = a < b ? a : b, .b = a < b ? b : a, .order = *n, .line = (uint8_t)line};
    ++*n;
}

static bl_index lines_of(const bl_chain *chain, bl_index p, line_entry *list, bl_index n) {
    const bl_chain_pair *pair = &chain->pair[p];
    int shown = pair->dof > pair->inputs ? pair->dof : pair->inputs;
    if (pair->inputs == 0 && pair->dof == (chain->dim == 3 ? 6 : 3))
        return n;
    for (int k = 0; k < shown; k++)
        add_line(list, &n, pair->link[0], pair->link[1], k < pair->inputs ? BL_LINE_INPUT : BL_LINE_DOF);
    if (shown == 0)
        add_line(list, &n, pair->link[0], pair->link[1], BL_LINE_FIXED);
    for (int k = 0; k < BL_PAIR_VIA; k++)
        if (pair->via[k] >= 0 && pair->via[k] != pair->link[0] && pair->via[k] != pair->link[1])
            add_line(list, &n, pair->via[k], pair->link[0], BL_LINE_VIA);
    return n;
}

static bl_status collect_lines(bl_structure_figure *f) {
    size_t most = 0;
    for (bl_index p = 0; p < f->chain->npair; p++)
        most += BL_PAIR_VIA + 7 + (size_t)f->chain->pair[p].inputs;
    line_entry *list;
    BL_TRY(BL_ARENA_NEW(&f->arena, list, most));
    for (bl_index p = 0; p < f->chain->npair; p++)
        f->nline = lines_of(f->chain, p, list, f->nline);
    qsort(list, (size_t)f->nline, sizeof *list, compare_lines);
    BL_TRY(BL_ARENA_ARRAYS(&f->arena, BL_ARRAY(f->line, f->nline), BL_ARRAY(f->bundle, f->nline)));
    for (bl_index i = 0; i < f->nline; i++) {
        if (i == 0 || list[i].a != list[i - 1].a || list[i].b != list[i - 1].b)
            f->bundle[f->nbundle++] = (bl_structure_bundle){.a = list[i].a, .b = list[i].b, .begin = i};
        f->bundle[f->nbundle - 1].end = i + 1;
        f->line[i] = list[i].line;
    }
    return BL_OK;
}

/* ---- sets of links */

static int category_of(const bl_structure_group *group) {
    if (strcmp(group->kind, "dyad") == 0)
        return CATEGORY_DYAD;
    if (strcmp(group->kind, "triad") == 0 || strcmp(group->kind, "tetrad") == 0)
        return CATEGORY_TRIAD;
    return group->nlink > 1 ? CATEGORY_GROUP : group->inputs > 0 ? CATEGORY_DRIVEN : CATEGORY_FOLLOWER;
}

static const char *state_name(bl_link_state state) {
    switch (state) {
    case BL_LINK_UNDER: return "inputs missing";
    case BL_LINK_OVER: return "too many equations";
    case BL_LINK_LOOSE: return "not connected";
    default: return "depends on these";
    }
}

static bl_status collect_clusters(bl_structure_figure *f) {
    static const bl_index frame = 0;
    const bl_structure_report *r = f->report;
    BL_TRY(BL_ARENA_ARRAYS(&f->arena, BL_ARRAY(f->cluster, 1 + r->ngroup + r->nremain), BL_ARRAY(f->cluster_of, f->chain->nlink)));
    f->cluster[f->ncluster++] = (bl_structure_cluster){.link = &frame, .nlink = 1, .category = CATEGORY_FRAME, .label = "frame"};
    for (bl_index g = 0; g < r->ngroup; g++) {
        const bl_structure_group *group = &r->group[g];
        bl_structure_cluster *c = &f->cluster[f->ncluster++];
        *c = (bl_structure_cluster){.link = group->link, .nlink = group->nlink, .category = category_of(group)};
        snprintf(c->label, sizeof c->label, "%d: %s%s%s", (int)g + 1, group->kind, group->form[0] ? " " : "", group->form);
    }
    for (bl_index k = 0; k < r->nremain; k++) {
        bl_structure_cluster *c = &f->cluster[f->ncluster++];
        *c = (bl_structure_cluster){.link = r->remain[k].link, .nlink = r->remain[k].nlink, .category = CATEGORY_LEFT};
        snprintf(c->label, sizeof c->label, "%s", state_name(r->remain[k].state));
    }
    for (bl_index c = 0; c < f->ncluster; c++)
        for (bl_index i = 0; i < f->cluster[c].nlink; i++)
            f->cluster_of[f->cluster[c].link[i]] = c;
    return BL_OK;
}

/* each set is to the right of all earlier sets that it is paired with. Bundles are visited by their later set. */
static bl_status set_layers(bl_structure_figure *f) {
    bl_index *begin, *list, most = 0;
    BL_TRY(BL_ARENA_ARRAYS(&f->arena, BL_ARRAY(begin, f->ncluster + 2), BL_ARRAY(list, f->nbundle)));
    for (int pass = 0; pass < 2; pass++) {
        for (bl_index k = 0; k < f->nbundle; k++) {
            bl_index a = f->cluster_of[f->bundle[k].a], b = f->cluster_of[f->bundle[k].b], late = a > b ? a : b;
            if (pass == 0)
                begin[late + 2]++;
            else
                list[begin[late + 1]++] = a + b - late;
        }
        for (bl_index c = 0; pass == 0 && c < f->ncluster; c++)
            begin[c + 2] += begin[c + 1];
    }
    for (bl_index c = 1; c < f->ncluster; c++) {
        f->cluster[c].layer = 1;
        for (bl_index k = begin[c]; k < begin[c + 1]; k++)
            if (list[k] != c && f->cluster[list[k]].layer >= f->cluster[c].layer)
                f->cluster[c].layer = f->cluster[list[k]].layer + 1;
        most = f->cluster[c].layer > most ? f->cluster[c].layer : most;
    }
    f->marks = most > MOST_LAYERS;
    for (bl_index c = 1; c < f->ncluster && f->marks; c++)
        f->cluster[c].layer--;
    return BL_OK;
}

/* ---- where lines continue in another row */

static void note_stop(void *user, bool enters, double x, double y) {
    bl_structure_figure *f = user;
    if (f->status == BL_OK)
        f->status = BL_RESERVE(f->ctx, f->stop, f->stop_room, f->nstop + 1);
    if (f->status == BL_OK)
        f->stop[f->nstop++] = (struct bl_structure_stop){.x = x, .y = y, .number = f->other[enters ? 0 : 1], .enters = enters};
}

bl_status bl_structure_note_stops(bl_structure_figure *f, const bl_layout_edge *edge, bl_index from_number, bl_index to_number) {
    f->other[0] = from_number;
    f->other[1] = to_number;
    bl_layout_breaks(&f->layout, edge, note_stop, f);
    return f->status;
}

/* numbers at one point side by side */
static void put_stops(const bl_structure_figure *f, bl_svg *svg) {
    for (bl_index i = 0; i < f->nstop; i++) {
        const struct bl_structure_stop *one = &f->stop[i];
        char text[64];
        size_t used = 0;
        bool first = true;
        for (bl_index j = 0; j < f->nstop; j++) {
            const struct bl_structure_stop *other = &f->stop[j];
            if (other->enters != one->enters || other->x != one->x || fabs(other->y - one->y) > 1)
                continue;
            first = first && j >= i;
            if (used < sizeof text - 16)
                used += (size_t)snprintf(text + used, sizeof text - used, "%s%d", used ? ", " : "", (int)other->number);
        }
        if (first)
            bl_svg_text(svg, one->x + (one->enters ? -3 : 3), one->y + 4,
                        one->enters ? "text-anchor=\"end\" font-size=\"11\" fill=\"#4a5562\"" : "font-size=\"11\" fill=\"#4a5562\"", text);
    }
}

/* ---- text */

static void put_heading(const bl_structure_figure *f, bl_svg *svg, const char *what) {
    char text[200];
    const bl_structure_report *r = f->report;
    bl_svg_text(svg, LEFT, 28, "font-size=\"17\" font-weight=\"600\" fill=\"#1c2733\"", f->chain->name ? f->chain->name : what);
    size_t n = 0;
    if (f->chain->name)
        n = (size_t)snprintf(text, sizeof text, "%s: ", what);
    n += (size_t)snprintf(text + n, sizeof text - n, "%d links, mobility %d, inputs %d, groups %d", (int)f->chain->nlink, r->mobility,
                          r->inputs, (int)r->ngroup);
    if (!r->complete)
        snprintf(text + n, sizeof text - n, "; links not solved: %d", (int)r->nremaining);
    bl_svg_text(svg, LEFT, 47, "font-size=\"13\" fill=\"#4a5562\"", text);
}

static double page_width(const bl_structure_figure *f) {
    double words = fmax(f->chain->name ? bl_structure_text_width(f->chain->name, 17) : 0, 500);
    return fmax(f->layout.width, LEFT + words) + LEFT;
}

void bl_structure_legend_entry(bl_structure_legend *l, const char *text, double *x, double *y) {
    double wide = 34 + bl_structure_text_width(text, 12) + 18;
    if (l->x > l->left && l->x + wide - 18 > l->right) {
        l->x = l->left;
        l->y += 20;
    }
    *x = l->x;
    *y = l->y;
    if (l->svg)
        bl_svg_text(l->svg, l->x + 33, l->y + 4, "font-size=\"12\" fill=\"#4a5562\"", text);
    l->x += wide;
}

void bl_structure_legend_categories(const bl_structure_figure *f, bl_structure_legend *l) {
    for (int category = CATEGORY_DRIVEN; category < NCATEGORY; category++) {
        bool there = false;
        for (bl_index c = 0; c < f->ncluster; c++)
            there = there || f->cluster[c].category == category;
        if (!there)
            continue;
        char style[160];
        double x, y;
        bl_structure_legend_entry(l, categories[category].name, &x, &y);
        snprintf(style, sizeof style, "rx=\"3\" fill=\"%s\" stroke=\"%s\" stroke-dasharray=\"4 3\"", categories[category].paper,
                 categories[category].ink);
        if (l->svg)
            bl_svg_rect(l->svg, x + 2, y - 6, 22, 12, style);
    }
}

/* ---- the page */

static bl_structure_legend legend_at(const bl_structure_figure *f, bl_svg *svg) {
    return (bl_structure_legend){.svg = svg, .left = LEFT, .right = page_width(f) - LEFT, .x = LEFT, .y = f->layout.height + 36};
}

static void draw(bl_svg *svg, void *figure) {
    const bl_structure_figure *f = figure;
    bl_structure_legend legend = legend_at(f, NULL);
    f->drawing->legend(f, &legend);
    bl_svg_begin(svg, page_width(f), legend.y + 26, f->chain->name ? f->chain->name : f->drawing->name);
    bl_put(svg, "%s", f->drawing->defs);
    put_heading(f, svg, f->drawing->name);
    f->drawing->draw(f, svg);
    put_stops(f, svg);
    legend = legend_at(f, svg);
    f->drawing->legend(f, &legend);
    bl_svg_end(svg);
}

static bl_status lay_out(bl_structure_figure *f) {
    BL_TRY(collect_lines(f));
    BL_TRY(collect_clusters(f));
    BL_TRY(set_layers(f));
    BL_TRY(f->drawing->make(f));
    f->layout.left = LEFT;
    f->layout.top = TOP;
    f->layout.most_width = f->drawing->most_width;
    f->layout.spread_gap = f->drawing->spread_gap;
    f->layout.spread_room = f->drawing->spread_room;
    BL_TRY(bl_layout_make(&f->arena, &f->layout));
    return f->drawing->note_stops(f);
}

bl_status bl_structure_write(bl_context *ctx, const bl_chain *chain, const bl_structure_report *report, const char *path,
                             bl_structure_figure *f) {
    bl_chain own_chain;
    bl_structure_report own_report;
    BL_TRY(BL_TAKE(ctx, bl_chain, chain, &own_chain));
    BL_TRY(BL_TAKE(ctx, bl_structure_report, report, &own_report));
    if (!ctx || !chain || !own_report.group_of)
        return bl_fail(ctx, BL_E_ARG, NULL, "there is no structure to draw");
    f->ctx = f->arena.ctx = ctx;
    f->chain = &own_chain;
    f->report = &own_report;
    bl_status status = lay_out(f);
    if (status == BL_OK)
        status = bl_svg_write(ctx, path, draw, f);
    bl_arena_destroy(&f->arena);
    bl_free(ctx, f->stop);
    return status;
}
