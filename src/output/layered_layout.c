/* Layered drawing (Sugiyama et al. 1981): lanes for long edges; layers sorted by the mean position of neighbors while that reduces
 * crossings; then heights, each item as near to its neighbors as the order allows (pooled means, least squares under an order). */
#include "output/layered_layout.h"

#include <math.h>
#include <string.h>

enum { SWEEPS = 10, MOST_COUNTED = 160, MOST_SPREAD = 1000 }; /* segments between two layers up to which crossings are counted */
static const double lane_height = 11, gap_above = 16, stub = 16;

typedef struct item {
    bl_index layer, box; /* box -1: a lane */
    double above, below; /* extent around y */
    double height, y;
    bl_index position; /* in its layer */
} item;

typedef struct segment {
    bl_index item[2];
    double at[2];    /* below the top of the item */
    double shift[2]; /* downward shift on the page */
    bl_index edge;
} segment;

typedef struct bl_layout_private {
    bl_index nitem, nsegment, nlayer;
    item *item;
    segment *segment;         /* by layer of their first item */
    bl_index *first;          /* [nlayer + 1] segments that leave a layer */
    bl_index *begin, *sorted; /* items of layer l in order: sorted[begin[l]] .. */
    bl_index *kept;           /* [nitem] best order */
    double *key, *desired, *weight, *mean, *mass;
    bl_index *pool;
    double *left, *right; /* [nlayer] */
    double *down;         /* [nlayer] offset of heights in its row */
    bool *starts;         /* [nlayer] it starts a row */
} work;

static double end_at(const work *w, const bl_layout *layout, const segment *s, int side) {
    const item *i = &w->item[s->item[side]];
    return (i->box >= 0 && layout->box[i->box].flipped ? i->height - s->at[side] : s->at[side]) + s->shift[side];
}

/* position in the layer, with the end point inside the item as fraction */
static double rank_of(const work *w, const bl_layout *layout, const segment *s, int side) {
    const item *i = &w->item[s->item[side]];
    return (double)i->position + (end_at(w, layout, s, side) + 1) / (i->height + 2);
}

/* ---- items and segments */

static void number_positions(work *w) {
    for (bl_index l = 0; l < w->nlayer; l++)
        for (bl_index k = w->begin[l]; k < w->begin[l + 1]; k++)
            w->item[w->sorted[k]].position = k - w->begin[l];
}

static bl_status make(bl_arena *arena, bl_layout *layout, work *w) {
    bl_index nlane = 0;
    for (bl_index b = 0; b < layout->nbox; b++)
        w->nlayer = layout->box[b].layer >= w->nlayer ? layout->box[b].layer + 1 : w->nlayer;
    for (bl_index e = 0; e < layout->nedge; e++)
        nlane += layout->box[layout->edge[e].to.box].layer - layout->box[layout->edge[e].from.box].layer - 1;
    w->nitem = layout->nbox + nlane;
    w->nsegment = layout->nedge + nlane;
    bl_index n = w->nitem, layers = w->nlayer;
    return BL_ARENA_ARRAYS(arena, BL_ARRAY(w->item, n), BL_ARRAY(w->segment, w->nsegment), BL_ARRAY(w->first, layers + 2),
                           BL_ARRAY(w->begin, layers + 2), BL_ARRAY(w->sorted, n), BL_ARRAY(w->kept, n), BL_ARRAY(w->pool, n),
                           BL_ARRAY(w->key, n), BL_ARRAY(w->desired, n), BL_ARRAY(w->weight, n), BL_ARRAY(w->mean, n), BL_ARRAY(w->mass, n),
                           BL_ARRAY(w->left, layers), BL_ARRAY(w->right, layers), BL_ARRAY(w->down, layers), BL_ARRAY(w->starts, layers));
}

static void fill(const bl_layout *layout, work *w) {
    bl_index lane = layout->nbox;
    for (bl_index b = 0; b < layout->nbox; b++) {
        const bl_layout_box *box = &layout->box[b];
        w->item[b] = (item){.layer = box->layer, .box = b, .above = box->head, .below = box->height + box->foot, .height = box->height};
    }
    for (bl_index e = 0; e < layout->nedge; e++) {
        bl_layout_edge *edge = &layout->edge[e];
        bl_index from = layout->box[edge->from.box].layer, to = layout->box[edge->to.box].layer;
        double height = lane_height + edge->thick;
        edge->lane = lane;
        edge->nsegment = to - from;
        for (bl_index l = from; l < to; l++) {
            w->first[l + 2]++;
            if (l > from)
                w->item[lane++] = (item){.layer = l, .box = -1, .below = height, .height = height};
        }
    }
    for (bl_index l = 0; l < w->nlayer; l++)
        w->first[l + 2] += w->first[l + 1];
    for (bl_index e = 0; e < layout->nedge; e++) {
        const bl_layout_edge *edge = &layout->edge[e];
        double middle = (lane_height + edge->thick) / 2;
        for (bl_index k = 0; k < edge->nsegment; k++) {
            bool last = k + 1 == edge->nsegment;
            segment *s = &w->segment[w->first[layout->box[edge->from.box].layer + k + 1]++];
            *s = (segment){.item = {k == 0 ? edge->from.box : edge->lane + k - 1, last ? edge->to.box : edge->lane + k},
                           .at = {k == 0 ? edge->from.y : middle, last ? edge->to.y : middle},
                           .edge = e};
        }
    }
    for (bl_index i = 0; i < w->nitem; i++)
        w->begin[w->item[i].layer + 2]++;
    for (bl_index l = 0; l < w->nlayer; l++)
        w->begin[l + 2] += w->begin[l + 1];
    for (bl_index i = 0; i < w->nitem; i++)
        w->sorted[w->begin[w->item[i].layer + 1]++] = i;
    number_positions(w);
}

/* ---- order */

static long crossings_after(const work *w, const bl_layout *layout, bl_index layer) {
    long sum = 0;
    if (layer < 0 || layer >= w->nlayer || w->first[layer + 1] - w->first[layer] > MOST_COUNTED)
        return 0;
    for (bl_index a = w->first[layer]; a < w->first[layer + 1]; a++)
        for (bl_index b = a + 1; b < w->first[layer + 1]; b++) {
            double before = rank_of(w, layout, &w->segment[a], 0) - rank_of(w, layout, &w->segment[b], 0);
            double after = rank_of(w, layout, &w->segment[a], 1) - rank_of(w, layout, &w->segment[b], 1);
            sum += before * after < -1e-12;
        }
    return sum;
}

static long crossings(const work *w, const bl_layout *layout) {
    long sum = 0;
    for (bl_index l = 0; l < w->nlayer; l++)
        sum += crossings_after(w, layout, l);
    return sum;
}

/* sorts a layer by the mean position of neighbors on one side; items without neighbors stay */
static void order_layer(work *w, const bl_layout *layout, bl_index layer, int side) {
    bl_index from = side == 0 ? layer - 1 : layer, own = side == 0 ? 1 : 0, other = 1 - own;
    bl_index *sorted = w->sorted + w->begin[layer], n = w->begin[layer + 1] - w->begin[layer];
    for (bl_index k = 0; k < n; k++)
        w->key[sorted[k]] = w->mass[sorted[k]] = 0;
    for (bl_index s = w->first[from]; s < w->first[from + 1]; s++) {
        const segment *one = &w->segment[s];
        w->key[one->item[own]] += rank_of(w, layout, one, other);
        w->mass[one->item[own]] += 1;
    }
    for (bl_index k = 0; k < n; k++)
        w->key[sorted[k]] = w->mass[sorted[k]] > 0 ? w->key[sorted[k]] / w->mass[sorted[k]] : k > 0 ? w->key[sorted[k - 1]] : -1;
    for (bl_index k = 1; k < n; k++)
        for (bl_index j = k; j > 0 && w->key[sorted[j - 1]] > w->key[sorted[j]] + 1e-9; j--) {
            bl_index keep = sorted[j];
            sorted[j] = sorted[j - 1];
            sorted[j - 1] = keep;
        }
    for (bl_index k = 0; k < n; k++)
        w->item[sorted[k]].position = k;
}

static void swap_neighbors(work *w, bl_index at) {
    bl_index a = w->sorted[at], b = w->sorted[at + 1];
    w->sorted[at] = b;
    w->sorted[at + 1] = a;
    w->item[b].position--;
    w->item[a].position++;
}

/* swaps adjacent items and flips boxes while that reduces crossings */
static bool improve(work *w, bl_layout *layout) {
    bool better = false;
    for (bl_index l = 0; l < w->nlayer; l++)
        for (bl_index k = w->begin[l]; k < w->begin[l + 1]; k++)
            for (int flip = 0; flip < 2; flip++) {
                bl_index box = w->item[w->sorted[k]].box;
                if (flip ? box < 0 || w->item[w->sorted[k]].height < 60 : k + 1 == w->begin[l + 1])
                    continue;
                long before = crossings_after(w, layout, l - 1) + crossings_after(w, layout, l);
                if (flip)
                    layout->box[box].flipped = !layout->box[box].flipped;
                else
                    swap_neighbors(w, k);
                if (crossings_after(w, layout, l - 1) + crossings_after(w, layout, l) < before)
                    better = true;
                else if (flip)
                    layout->box[box].flipped = !layout->box[box].flipped;
                else
                    swap_neighbors(w, k);
            }
    return better;
}

static void order(work *w, bl_layout *layout) {
    long best = crossings(w, layout);
    memcpy(w->kept, w->sorted, (size_t)w->nitem * sizeof *w->kept);
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (bl_index l = 1; sweep % 2 == 0 && l < w->nlayer; l++)
            order_layer(w, layout, l, 0);
        for (bl_index l = w->nlayer - 1; sweep % 2 == 1 && l-- > 0;)
            order_layer(w, layout, l, 1);
        long now = crossings(w, layout);
        if (now < best || sweep == 0) {
            best = now;
            memcpy(w->kept, w->sorted, (size_t)w->nitem * sizeof *w->kept);
        }
    }
    memcpy(w->sorted, w->kept, (size_t)w->nitem * sizeof *w->kept);
    number_positions(w);
    for (int round = 0; round < 6 && improve(w, layout); round++) {
    }
}

/* ---- heights */

static void pull(work *w, const bl_layout *layout, bl_index channel, int own) {
    for (bl_index s = w->first[channel]; s < w->first[channel + 1]; s++) {
        const segment *one = &w->segment[s];
        const item *self = &w->item[one->item[own]], *other = &w->item[one->item[1 - own]];
        double strength = self->box < 0 && other->box < 0 ? 8 : self->box < 0 || other->box < 0 ? 2 : 1;
        w->desired[one->item[own]] += strength * (other->y + end_at(w, layout, one, 1 - own) - end_at(w, layout, one, own));
        w->weight[one->item[own]] += strength;
    }
}

/* sides: 1 neighbors before, 2 after, 3 both */
static void place_layer(work *w, const bl_layout *layout, bl_index layer, int sides) {
    const bl_index *sorted = w->sorted + w->begin[layer];
    bl_index n = w->begin[layer + 1] - w->begin[layer], npool = 0;
    for (bl_index k = 0; k < n; k++) {
        w->weight[sorted[k]] = 0.01;
        w->desired[sorted[k]] = 0.01 * w->item[sorted[k]].y;
    }
    if (sides & 1 && layer > 0)
        pull(w, layout, layer - 1, 1);
    if (sides & 2 && layer + 1 < w->nlayer)
        pull(w, layout, layer, 0);
    double apart = 0; /* least distance of the item from the first one */
    for (bl_index k = 0; k < n; k++) {
        const item *self = &w->item[sorted[k]];
        if (k > 0)
            apart += w->item[sorted[k - 1]].below + self->above + (self->box < 0 && w->item[sorted[k - 1]].box < 0 ? 1 : gap_above);
        w->key[k] = apart;
        w->mean[npool] = w->desired[sorted[k]] / w->weight[sorted[k]] - apart;
        w->mass[npool] = w->weight[sorted[k]];
        w->pool[npool++] = k + 1;
        while (npool > 1 && w->mean[npool - 2] > w->mean[npool - 1]) {
            double mass = w->mass[npool - 2] + w->mass[npool - 1];
            w->mean[npool - 2] = (w->mean[npool - 2] * w->mass[npool - 2] + w->mean[npool - 1] * w->mass[npool - 1]) / mass;
            w->mass[npool - 2] = mass;
            w->pool[npool - 2] = w->pool[npool - 1];
            npool--;
        }
    }
    for (bl_index k = 0, p = 0; k < n; k++) {
        if (k == w->pool[p])
            p++;
        w->item[sorted[k]].y = w->mean[p] + w->key[k];
    }
}

/* centers the first layer at height 0 */
static void center(work *w) {
    const item *first = &w->item[w->sorted[w->begin[0]]], *last = &w->item[w->sorted[w->begin[1] - 1]];
    double middle = (first->y + last->y + last->height) / 2;
    for (bl_index k = w->begin[0]; k < w->begin[1]; k++)
        w->item[w->sorted[k]].y -= middle;
}

/* distance of a box from height 0 and from its predecessors, and of its outgoing edges from height 0 */
static double unevenness(const work *w, const bl_layout *layout, bl_index layer, bl_index box) {
    double middle = 0, near = 0, n = 0, out = 0, nout = 0;
    for (bl_index s = w->first[layer - 1]; s < w->first[layer + 1]; s++) {
        const segment *one = &w->segment[s];
        const item *before = &w->item[one->item[0]];
        if (one->item[1] == box) {
            middle += before->y + end_at(w, layout, one, 0) - end_at(w, layout, one, 1) + w->item[box].height / 2;
            near += before->y + before->height / 2;
            n++;
        } else if (one->item[0] == box) {
            out += end_at(w, layout, one, 0) - w->item[box].height / 2;
            nout++;
        }
    }
    if (n == 0)
        return 0;
    return fabs(middle / n) + fabs(middle - near) / n + (nout > 0 ? 0.5 * fabs(middle / n + out / nout) : 0);
}

/* flips boxes if that makes the drawing flatter without more crossings */
static void flatten(work *w, bl_layout *layout) {
    for (bl_index l = 0; l < w->nlayer; l++) {
        for (bl_index k = w->begin[l]; l > 0 && k < w->begin[l + 1]; k++) {
            bl_index box = w->item[w->sorted[k]].box;
            if (box < 0 || w->item[box].height < 60)
                continue;
            long cross = crossings_after(w, layout, l - 1) + crossings_after(w, layout, l);
            double before = unevenness(w, layout, l, box);
            layout->box[box].flipped = !layout->box[box].flipped;
            if (unevenness(w, layout, l, box) > before - 1 || crossings_after(w, layout, l - 1) + crossings_after(w, layout, l) > cross)
                layout->box[box].flipped = !layout->box[box].flipped;
        }
        place_layer(w, layout, l, 1);
        if (l == 0) /* the reference for all others */
            center(w);
    }
}

/* edges that end at the same point of a box are drawn side by side, in the order of their other ends */
static void spread(work *w, bl_layout *layout, bl_index channel, int side) {
    for (bl_index s = w->first[channel]; s < w->first[channel + 1]; s++) {
        segment *one = &w->segment[s];
        const item *self = &w->item[one->item[side]];
        double before = 0, total = -layout->spread_gap, own = layout->edge[one->edge].thick;
        double height = w->item[one->item[1 - side]].y + end_at(w, layout, one, 1 - side);
        if (self->box < 0)
            continue;
        for (bl_index t = w->first[channel]; t < w->first[channel + 1]; t++) {
            const segment *two = &w->segment[t];
            if (two->item[side] != one->item[side] || two->at[side] != one->at[side])
                continue;
            double wide = layout->edge[two->edge].thick + layout->spread_gap,
                   other = w->item[two->item[1 - side]].y + end_at(w, layout, two, 1 - side);
            total += wide;
            before += t != s && (other < height - 1e-6 || (other < height + 1e-6 && t < s)) ? wide : 0;
        }
        double scale = total > layout->spread_room ? layout->spread_room / total : 1;
        layout->edge[one->edge].shift[side] = scale * (before + own / 2 - total / 2);
    }
}

static void spread_all(work *w, bl_layout *layout) {
    for (bl_index l = 0; l + 1 < w->nlayer; l++)
        for (int side = 0; side < 2 && w->first[l + 1] - w->first[l] < MOST_SPREAD; side++)
            spread(w, layout, l, side);
    for (bl_index s = 0; s < w->nsegment; s++)
        for (int side = 0; side < 2; side++)
            if (w->item[w->segment[s].item[side]].box >= 0)
                w->segment[s].shift[side] = layout->edge[w->segment[s].edge].shift[side];
}

static void set_heights(work *w, bl_layout *layout, bool fresh) {
    if (fresh)
        flatten(w, layout);
    for (int sweep = 0; sweep < 2 * SWEEPS; sweep++) {
        int sides = sweep < SWEEPS ? 0 : 3;
        for (bl_index l = 0; l < w->nlayer; l++)
            place_layer(w, layout, l, sides ? sides : 1);
        for (bl_index l = w->nlayer; l-- > 0;)
            place_layer(w, layout, l, sides ? sides : 2);
    }
}

/* ---- the page */

/* wider for steep edges */
static double channel_width(const work *w, const bl_layout *layout, bl_index layer) {
    double climb = 0;
    for (bl_index s = w->first[layer]; s < w->first[layer + 1]; s++) {
        const segment *one = &w->segment[s];
        climb =
            fmax(climb, fabs(w->item[one->item[0]].y + end_at(w, layout, one, 0) - w->item[one->item[1]].y - end_at(w, layout, one, 1)));
    }
    return fmin(fmax(38, 24 + 0.28 * climb), 120);
}

static double layer_width(const work *w, const bl_layout *layout, bl_index layer) {
    double width = 0;
    for (bl_index k = w->begin[layer]; k < w->begin[layer + 1]; k++)
        if (w->item[w->sorted[k]].box >= 0)
            width = fmax(width, layout->box[w->item[w->sorted[k]].box].width);
    return width;
}

static void set_page(work *w, bl_layout *layout) {
    double x = layout->left, top = layout->top, total = 0;
    layout->width = layout->nrow = 0;
    for (bl_index l = 0; l < w->nlayer; l++)
        total += layer_width(w, layout, l) + channel_width(w, layout, l);
    bool single_row = total < 1.25 * layout->most_width; /* a slightly wider page is better than an almost empty row */
    for (bl_index l = 0; l < w->nlayer; l++) {
        double width = layer_width(w, layout, l);
        double channel = l > 0 ? channel_width(w, layout, l - 1) : 0;
        w->starts[l] = l == 0 || (!single_row && x + channel + width > layout->left + layout->most_width);
        x = !w->starts[l] ? x + channel : l == 0 ? layout->left : layout->left + stub + 14;
        w->left[l] = x;
        w->right[l] = x += width;
        layout->width = fmax(layout->width, x);
        layout->nrow += w->starts[l];
    }
    for (bl_index l = 0, next; l < w->nlayer; l = next) {
        double low = INFINITY, high = -INFINITY;
        for (next = l; next == l || (next < w->nlayer && !w->starts[next]); next++)
            for (bl_index k = w->begin[next]; k < w->begin[next + 1]; k++) {
                const item *self = &w->item[w->sorted[k]];
                low = fmin(low, self->y - self->above);
                high = fmax(high, self->y + self->below);
            }
        for (bl_index i = l; i < next; i++)
            w->down[i] = top - low;
        top += high - low + 34;
    }
    layout->height = top - 34;
    if (layout->nrow > 1)
        layout->width += stub + 14;
    for (bl_index b = 0; b < layout->nbox; b++) {
        bl_index l = layout->box[b].layer;
        layout->box[b].x = (w->left[l] + w->right[l] - layout->box[b].width) / 2;
        layout->box[b].y = w->item[b].y + w->down[l];
    }
}

bl_status bl_layout_make(bl_arena *arena, bl_layout *layout) {
    work *w;
    BL_TRY(BL_ARENA_NEW(arena, w, 1));
    layout->own = w;
    BL_TRY(make(arena, layout, w));
    fill(layout, w);
    order(w, layout);
    set_heights(w, layout, true);
    spread_all(w, layout);
    set_heights(w, layout, false);
    set_page(w, layout);
    return BL_OK;
}

void bl_layout_end_point(const bl_layout *layout, const bl_layout_end *end, double *x, double *y) {
    const bl_layout_box *box = &layout->box[end->box];
    *x = box->x + end->x;
    *y = box->y + (box->flipped ? box->height - end->y : end->y);
}

/* ---- the path of an edge */

static void find_ends(const bl_layout *layout, const bl_layout_edge *edge, double *x, double *y, double *end_x, double *end_y) {
    bl_layout_end_point(layout, &edge->from, x, y);
    bl_layout_end_point(layout, &edge->to, end_x, end_y);
    *y += edge->shift[0];
    *end_y += edge->shift[1];
}

static double lane_y(const work *w, bl_index lane) { return w->item[lane].y + w->item[lane].height / 2 + w->down[w->item[lane].layer]; }

void bl_layout_path(const bl_layout *layout, const bl_layout_edge *edge, double beside, double stop, bl_svg *svg) {
    const work *w = layout->own;
    bl_index layer = layout->box[edge->from.box].layer;
    double x, y, end_x, end_y;
    find_ends(layout, edge, &x, &y, &end_x, &end_y);
    bl_svg_point(svg, 'M', x, y + beside);
    for (bl_index k = 0; k < edge->nsegment; k++, layer++) {
        bool last = k + 1 == edge->nsegment;
        double next = last ? end_y : lane_y(w, edge->lane + k), right = w->right[layer], left = w->left[layer + 1];
        if (w->starts[layer + 1]) {
            bl_svg_point(svg, 'L', right + stub, y + beside);
            bl_svg_point(svg, 'M', left - stub, next + beside);
        } else {
            double aside = fabs(next - y) < 2 ? 0 : next > y ? -beside : beside, middle = (right + left) / 2;
            bl_svg_point(svg, 'L', right + aside, y + beside);
            bl_svg_point(svg, 'C', middle + aside, y + beside);
            bl_svg_point(svg, ' ', middle + aside, next + beside);
            bl_svg_point(svg, ' ', left + aside, next + beside);
        }
        y = next;
    }
    bl_svg_point(svg, 'L', end_x - (stop > 0 ? sqrt(stop * stop - edge->shift[1] * edge->shift[1]) : 0), end_y + beside);
}

void bl_layout_breaks(const bl_layout *layout, const bl_layout_edge *edge, void (*visit)(void *user, bool enters, double x, double y),
                      void *user) {
    const work *w = layout->own;
    bl_index layer = layout->box[edge->from.box].layer;
    double x, y, end_x, end_y; /* without shifts: edges at one point share a label */
    bl_layout_end_point(layout, &edge->from, &x, &y);
    bl_layout_end_point(layout, &edge->to, &end_x, &end_y);
    for (bl_index k = 0; k < edge->nsegment; k++, layer++) {
        double next = k + 1 == edge->nsegment ? end_y : lane_y(w, edge->lane + k);
        if (w->starts[layer + 1]) {
            visit(user, false, w->right[layer] + stub, y);
            visit(user, true, w->left[layer + 1] - stub, next);
        }
        y = next;
    }
}
