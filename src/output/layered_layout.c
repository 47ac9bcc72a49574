/* Layered drawing (Sugiyama et al. 1981): lanes for long edges, orders in layers by the mean place of neighbors as long as crossings
 * become fewer, then heights: each item as near to its neighbors as the order lets it (pooled means, least squares under an order). */
#include "output/layered_layout.h"

#include <math.h>
#include <string.h>

enum { SWEEPS = 10, MOST_COUNTED = 160, MOST_SPREAD = 1000 }; /* segments between two layers up to which crossings are counted */
static const double lane_height = 11, gap_above = 16, stub = 16;

typedef struct item {
    bl_index layer, box; /* box -1: a lane */
    double above, below; /* room it takes around y */
    double height, y;
    bl_index place; /* in its layer */
} item;

typedef struct segment {
    bl_index item[2];
    double at[2];    /* below the top of the item */
    double shift[2]; /* so much lower on the page */
    bl_index edge;
} segment;

typedef struct bl_flow_private {
    bl_index nitem, nsegment, nlayer;
    item *item;
    segment *segment;      /* by layer of their first item */
    bl_index *first;       /* [nlayer + 1] segments that leave a layer */
    bl_index *begin, *who; /* items of a layer in their order: who[begin[l]] .. */
    bl_index *kept;        /* [nitem] best order */
    double *key, *want, *weight, *mean, *mass;
    bl_index *pool;
    double *left, *right; /* [nlayer] */
    double *down;         /* [nlayer] what is added to heights in its row */
    bool *starts;         /* [nlayer] it starts a row */
} work;

static double end_at(const work *w, const bl_flow *flow, const segment *s, int side) {
    const item *i = &w->item[s->item[side]];
    return (i->box >= 0 && flow->box[i->box].flipped ? i->height - s->at[side] : s->at[side]) + s->shift[side];
}

/* place in the layer with the port inside the item as fraction */
static double rank_of(const work *w, const bl_flow *flow, const segment *s, int side) {
    const item *i = &w->item[s->item[side]];
    return (double)i->place + (end_at(w, flow, s, side) + 1) / (i->height + 2);
}

/* ---- items and segments */

static void number_places(work *w) {
    for (bl_index l = 0; l < w->nlayer; l++)
        for (bl_index k = w->begin[l]; k < w->begin[l + 1]; k++)
            w->item[w->who[k]].place = k - w->begin[l];
}

static bl_status make(bl_arena *arena, bl_flow *flow, work *w) {
    bl_index nlane = 0;
    for (bl_index b = 0; b < flow->nbox; b++)
        w->nlayer = flow->box[b].layer >= w->nlayer ? flow->box[b].layer + 1 : w->nlayer;
    for (bl_index e = 0; e < flow->nedge; e++)
        nlane += flow->box[flow->edge[e].to.box].layer - flow->box[flow->edge[e].from.box].layer - 1;
    w->nitem = flow->nbox + nlane;
    w->nsegment = flow->nedge + nlane;
    bl_index n = w->nitem, layers = w->nlayer;
    return BL_ARENA_ARRAYS(arena, BL_ARRAY(w->item, n), BL_ARRAY(w->segment, w->nsegment), BL_ARRAY(w->first, layers + 2),
                           BL_ARRAY(w->begin, layers + 2), BL_ARRAY(w->who, n), BL_ARRAY(w->kept, n), BL_ARRAY(w->pool, n),
                           BL_ARRAY(w->key, n), BL_ARRAY(w->want, n), BL_ARRAY(w->weight, n), BL_ARRAY(w->mean, n), BL_ARRAY(w->mass, n),
                           BL_ARRAY(w->left, layers), BL_ARRAY(w->right, layers), BL_ARRAY(w->down, layers), BL_ARRAY(w->starts, layers));
}

static void fill(const bl_flow *flow, work *w) {
    bl_index lane = flow->nbox;
    for (bl_index b = 0; b < flow->nbox; b++) {
        const bl_flow_box *box = &flow->box[b];
        w->item[b] = (item){.layer = box->layer, .box = b, .above = box->head, .below = box->height + box->foot, .height = box->height};
    }
    for (bl_index e = 0; e < flow->nedge; e++) {
        bl_flow_edge *edge = &flow->edge[e];
        bl_index from = flow->box[edge->from.box].layer, to = flow->box[edge->to.box].layer;
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
    for (bl_index e = 0; e < flow->nedge; e++) {
        const bl_flow_edge *edge = &flow->edge[e];
        double middle = (lane_height + edge->thick) / 2;
        for (bl_index k = 0; k < edge->nsegment; k++) {
            bool last = k + 1 == edge->nsegment;
            segment *s = &w->segment[w->first[flow->box[edge->from.box].layer + k + 1]++];
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
        w->who[w->begin[w->item[i].layer + 1]++] = i;
    number_places(w);
}

/* ---- order */

static long crossings_after(const work *w, const bl_flow *flow, bl_index layer) {
    long sum = 0;
    if (layer < 0 || layer >= w->nlayer || w->first[layer + 1] - w->first[layer] > MOST_COUNTED)
        return 0;
    for (bl_index a = w->first[layer]; a < w->first[layer + 1]; a++)
        for (bl_index b = a + 1; b < w->first[layer + 1]; b++) {
            double before = rank_of(w, flow, &w->segment[a], 0) - rank_of(w, flow, &w->segment[b], 0);
            double after = rank_of(w, flow, &w->segment[a], 1) - rank_of(w, flow, &w->segment[b], 1);
            sum += before * after < -1e-12;
        }
    return sum;
}

static long crossings(const work *w, const bl_flow *flow) {
    long sum = 0;
    for (bl_index l = 0; l < w->nlayer; l++)
        sum += crossings_after(w, flow, l);
    return sum;
}

/* a layer by the mean place of its neighbors on one side; those without stay where they are */
static void order_layer(work *w, const bl_flow *flow, bl_index layer, int side) {
    bl_index from = side == 0 ? layer - 1 : layer, own = side == 0 ? 1 : 0, other = 1 - own;
    bl_index *who = w->who + w->begin[layer], n = w->begin[layer + 1] - w->begin[layer];
    for (bl_index k = 0; k < n; k++)
        w->key[who[k]] = w->mass[who[k]] = 0;
    for (bl_index s = w->first[from]; s < w->first[from + 1]; s++) {
        const segment *one = &w->segment[s];
        w->key[one->item[own]] += rank_of(w, flow, one, other);
        w->mass[one->item[own]] += 1;
    }
    for (bl_index k = 0; k < n; k++)
        w->key[who[k]] = w->mass[who[k]] > 0 ? w->key[who[k]] / w->mass[who[k]] : k > 0 ? w->key[who[k - 1]] : -1;
    for (bl_index k = 1; k < n; k++)
        for (bl_index j = k; j > 0 && w->key[who[j - 1]] > w->key[who[j]] + 1e-9; j--) {
            bl_index keep = who[j];
            who[j] = who[j - 1];
            who[j - 1] = keep;
        }
    for (bl_index k = 0; k < n; k++)
        w->item[who[k]].place = k;
}

static void swap_neighbors(work *w, bl_index at) {
    bl_index a = w->who[at], b = w->who[at + 1];
    w->who[at] = b;
    w->who[at + 1] = a;
    w->item[b].place--;
    w->item[a].place++;
}

/* neighbors exchange positions, boxes turn over, as long as that takes crossings away */
static bool improve(work *w, bl_flow *flow) {
    bool better = false;
    for (bl_index l = 0; l < w->nlayer; l++)
        for (bl_index k = w->begin[l]; k < w->begin[l + 1]; k++)
            for (int turn = 0; turn < 2; turn++) {
                bl_index box = w->item[w->who[k]].box;
                if (turn ? box < 0 || w->item[w->who[k]].height < 60 : k + 1 == w->begin[l + 1])
                    continue;
                long before = crossings_after(w, flow, l - 1) + crossings_after(w, flow, l);
                if (turn)
                    flow->box[box].flipped = !flow->box[box].flipped;
                else
                    swap_neighbors(w, k);
                if (crossings_after(w, flow, l - 1) + crossings_after(w, flow, l) < before)
                    better = true;
                else if (turn)
                    flow->box[box].flipped = !flow->box[box].flipped;
                else
                    swap_neighbors(w, k);
            }
    return better;
}

static void order(work *w, bl_flow *flow) {
    long best = crossings(w, flow);
    memcpy(w->kept, w->who, (size_t)w->nitem * sizeof *w->kept);
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (bl_index l = 1; sweep % 2 == 0 && l < w->nlayer; l++)
            order_layer(w, flow, l, 0);
        for (bl_index l = w->nlayer - 1; sweep % 2 == 1 && l-- > 0;)
            order_layer(w, flow, l, 1);
        long now = crossings(w, flow);
        if (now < best || sweep == 0) {
            best = now;
            memcpy(w->kept, w->who, (size_t)w->nitem * sizeof *w->kept);
        }
    }
    memcpy(w->who, w->kept, (size_t)w->nitem * sizeof *w->kept);
    number_places(w);
    for (int round = 0; round < 6 && improve(w, flow); round++) {
    }
}

/* ---- heights */

static void pull(work *w, const bl_flow *flow, bl_index channel, int own) {
    for (bl_index s = w->first[channel]; s < w->first[channel + 1]; s++) {
        const segment *one = &w->segment[s];
        const item *self = &w->item[one->item[own]], *other = &w->item[one->item[1 - own]];
        double strength = self->box < 0 && other->box < 0 ? 8 : self->box < 0 || other->box < 0 ? 2 : 1;
        w->want[one->item[own]] += strength * (other->y + end_at(w, flow, one, 1 - own) - end_at(w, flow, one, own));
        w->weight[one->item[own]] += strength;
    }
}

/* sides: 1 neighbors before, 2 after, 3 both */
static void place_layer(work *w, const bl_flow *flow, bl_index layer, int sides) {
    const bl_index *who = w->who + w->begin[layer];
    bl_index n = w->begin[layer + 1] - w->begin[layer], npool = 0;
    for (bl_index k = 0; k < n; k++) {
        w->weight[who[k]] = 0.01;
        w->want[who[k]] = 0.01 * w->item[who[k]].y;
    }
    if (sides & 1 && layer > 0)
        pull(w, flow, layer - 1, 1);
    if (sides & 2 && layer + 1 < w->nlayer)
        pull(w, flow, layer, 0);
    double apart = 0; /* of the item from the first one, at least */
    for (bl_index k = 0; k < n; k++) {
        const item *self = &w->item[who[k]];
        if (k > 0)
            apart += w->item[who[k - 1]].below + self->above + (self->box < 0 && w->item[who[k - 1]].box < 0 ? 1 : gap_above);
        w->key[k] = apart;
        w->mean[npool] = w->want[who[k]] / w->weight[who[k]] - apart;
        w->mass[npool] = w->weight[who[k]];
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
        w->item[who[k]].y = w->mean[p] + w->key[k];
    }
}

/* the first layer around height 0 */
static void center(work *w) {
    const item *first = &w->item[w->who[w->begin[0]]], *last = &w->item[w->who[w->begin[1] - 1]];
    double middle = (first->y + last->y + last->height) / 2;
    for (bl_index k = w->begin[0]; k < w->begin[1]; k++)
        w->item[w->who[k]].y -= middle;
}

/* how far a box would lie from height 0 and from the boxes it hangs on, and what leaves it from height 0 */
static double unevenness(const work *w, const bl_flow *flow, bl_index layer, bl_index box) {
    double middle = 0, near = 0, n = 0, out = 0, nout = 0;
    for (bl_index s = w->first[layer - 1]; s < w->first[layer + 1]; s++) {
        const segment *one = &w->segment[s];
        const item *before = &w->item[one->item[0]];
        if (one->item[1] == box) {
            middle += before->y + end_at(w, flow, one, 0) - end_at(w, flow, one, 1) + w->item[box].height / 2;
            near += before->y + before->height / 2;
            n++;
        } else if (one->item[0] == box) {
            out += end_at(w, flow, one, 0) - w->item[box].height / 2;
            nout++;
        }
    }
    if (n == 0)
        return 0;
    return fabs(middle / n) + fabs(middle - near) / n + (nout > 0 ? 0.5 * fabs(middle / n + out / nout) : 0);
}

/* boxes turn over where that keeps the drawing flat and costs no crossings */
static void flatten(work *w, bl_flow *flow) {
    for (bl_index l = 0; l < w->nlayer; l++) {
        for (bl_index k = w->begin[l]; l > 0 && k < w->begin[l + 1]; k++) {
            bl_index box = w->item[w->who[k]].box;
            if (box < 0 || w->item[box].height < 60)
                continue;
            long cross = crossings_after(w, flow, l - 1) + crossings_after(w, flow, l);
            double before = unevenness(w, flow, l, box);
            flow->box[box].flipped = !flow->box[box].flipped;
            if (unevenness(w, flow, l, box) > before - 1 || crossings_after(w, flow, l - 1) + crossings_after(w, flow, l) > cross)
                flow->box[box].flipped = !flow->box[box].flipped;
        }
        place_layer(w, flow, l, 1);
        if (l == 0) /* the line everything is measured from */
            center(w);
    }
}

/* edges that end at the same place of a box come side by side, in the order of their other ends */
static void spread(work *w, bl_flow *flow, bl_index channel, int side) {
    for (bl_index s = w->first[channel]; s < w->first[channel + 1]; s++) {
        segment *one = &w->segment[s];
        const item *self = &w->item[one->item[side]];
        double before = 0, total = -flow->spread_gap, own = flow->edge[one->edge].thick;
        double height = w->item[one->item[1 - side]].y + end_at(w, flow, one, 1 - side);
        if (self->box < 0)
            continue;
        for (bl_index t = w->first[channel]; t < w->first[channel + 1]; t++) {
            const segment *two = &w->segment[t];
            if (two->item[side] != one->item[side] || two->at[side] != one->at[side])
                continue;
            double wide = flow->edge[two->edge].thick + flow->spread_gap,
                   other = w->item[two->item[1 - side]].y + end_at(w, flow, two, 1 - side);
            total += wide;
            before += t != s && (other < height - 1e-6 || (other < height + 1e-6 && t < s)) ? wide : 0;
        }
        double scale = total > flow->spread_room ? flow->spread_room / total : 1;
        flow->edge[one->edge].shift[side] = scale * (before + own / 2 - total / 2);
    }
}

static void spread_all(work *w, bl_flow *flow) {
    for (bl_index l = 0; l + 1 < w->nlayer; l++)
        for (int side = 0; side < 2 && w->first[l + 1] - w->first[l] < MOST_SPREAD; side++)
            spread(w, flow, l, side);
    for (bl_index s = 0; s < w->nsegment; s++)
        for (int side = 0; side < 2; side++)
            if (w->item[w->segment[s].item[side]].box >= 0)
                w->segment[s].shift[side] = flow->edge[w->segment[s].edge].shift[side];
}

static void place(work *w, bl_flow *flow, bool fresh) {
    if (fresh)
        flatten(w, flow);
    for (int sweep = 0; sweep < 2 * SWEEPS; sweep++) {
        int sides = sweep < SWEEPS ? 0 : 3;
        for (bl_index l = 0; l < w->nlayer; l++)
            place_layer(w, flow, l, sides ? sides : 1);
        for (bl_index l = w->nlayer; l-- > 0;)
            place_layer(w, flow, l, sides ? sides : 2);
    }
}

/* ---- the page */

/* wider where edges climb much */
static double channel_width(const work *w, const bl_flow *flow, bl_index layer) {
    double climb = 0;
    for (bl_index s = w->first[layer]; s < w->first[layer + 1]; s++) {
        const segment *one = &w->segment[s];
        climb = fmax(climb, fabs(w->item[one->item[0]].y + end_at(w, flow, one, 0) - w->item[one->item[1]].y - end_at(w, flow, one, 1)));
    }
    return fmin(fmax(38, 24 + 0.28 * climb), 120);
}

static double layer_width(const work *w, const bl_flow *flow, bl_index layer) {
    double width = 0;
    for (bl_index k = w->begin[layer]; k < w->begin[layer + 1]; k++)
        if (w->item[w->who[k]].box >= 0)
            width = fmax(width, flow->box[w->item[w->who[k]].box].width);
    return width;
}

static void set_page(work *w, bl_flow *flow) {
    double x = flow->left, top = flow->top, total = 0;
    flow->width = flow->nrow = 0;
    for (bl_index l = 0; l < w->nlayer; l++)
        total += layer_width(w, flow, l) + channel_width(w, flow, l);
    bool whole = total < 1.25 * flow->most_width; /* better a little wide than a row with next to nothing in it */
    for (bl_index l = 0; l < w->nlayer; l++) {
        double width = layer_width(w, flow, l);
        double channel = l > 0 ? channel_width(w, flow, l - 1) : 0;
        w->starts[l] = l == 0 || (!whole && x + channel + width > flow->left + flow->most_width);
        x = !w->starts[l] ? x + channel : l == 0 ? flow->left : flow->left + stub + 14;
        w->left[l] = x;
        w->right[l] = x += width;
        flow->width = fmax(flow->width, x);
        flow->nrow += w->starts[l];
    }
    for (bl_index l = 0, next; l < w->nlayer; l = next) {
        double low = INFINITY, high = -INFINITY;
        for (next = l; next == l || (next < w->nlayer && !w->starts[next]); next++)
            for (bl_index k = w->begin[next]; k < w->begin[next + 1]; k++) {
                const item *self = &w->item[w->who[k]];
                low = fmin(low, self->y - self->above);
                high = fmax(high, self->y + self->below);
            }
        for (bl_index i = l; i < next; i++)
            w->down[i] = top - low;
        top += high - low + 34;
    }
    flow->height = top - 34;
    if (flow->nrow > 1)
        flow->width += stub + 14;
    for (bl_index b = 0; b < flow->nbox; b++) {
        bl_index l = flow->box[b].layer;
        flow->box[b].x = (w->left[l] + w->right[l] - flow->box[b].width) / 2;
        flow->box[b].y = w->item[b].y + w->down[l];
    }
}

bl_status bl_flow_lay_out(bl_arena *arena, bl_flow *flow) {
    work *w;
    BL_TRY(BL_ARENA_NEW(arena, w, 1));
    flow->own = w;
    BL_TRY(make(arena, flow, w));
    fill(flow, w);
    order(w, flow);
    place(w, flow, true);
    spread_all(w, flow);
    place(w, flow, false);
    set_page(w, flow);
    return BL_OK;
}

void bl_layout_place(const bl_flow *flow, const bl_flow_end *end, double *x, double *y) {
    const bl_flow_box *box = &flow->box[end->box];
    *x = box->x + end->x;
    *y = box->y + (box->flipped ? box->height - end->y : end->y);
}

/* ---- the way of an edge */

static void find_ends(const bl_flow *flow, const bl_flow_edge *edge, double *x, double *y, double *end_x, double *end_y) {
    bl_layout_place(flow, &edge->from, x, y);
    bl_layout_place(flow, &edge->to, end_x, end_y);
    *y += edge->shift[0];
    *end_y += edge->shift[1];
}

static double lane_y(const work *w, bl_index lane) { return w->item[lane].y + w->item[lane].height / 2 + w->down[w->item[lane].layer]; }

void bl_flow_path(const bl_flow *flow, const bl_flow_edge *edge, double beside, double stop, bl_svg *svg) {
    const work *w = flow->own;
    bl_index layer = flow->box[edge->from.box].layer;
    double x, y, end_x, end_y;
    find_ends(flow, edge, &x, &y, &end_x, &end_y);
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

void bl_flow_breaks(const bl_flow *flow, const bl_flow_edge *edge, void (*visit)(void *user, bool enters, double x, double y), void *user) {
    const work *w = flow->own;
    bl_index layer = flow->box[edge->from.box].layer;
    double x, y, end_x, end_y; /* without shifts: edges at one position are named together */
    bl_layout_place(flow, &edge->from, &x, &y);
    bl_layout_place(flow, &edge->to, &end_x, &end_y);
    for (bl_index k = 0; k < edge->nsegment; k++, layer++) {
        double next = k + 1 == edge->nsegment ? end_y : lane_y(w, edge->lane + k);
        if (w->starts[layer + 1]) {
            visit(user, false, w->right[layer] + stub, y);
            visit(user, true, w->left[layer + 1] - stub, next);
        }
        y = next;
    }
}
