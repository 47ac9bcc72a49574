/* Axes of beams: straight pieces or one arc, divided into elements, and the directors along them.
 *
 * d1 is the tangent. d2 begins along `up`, made perpendicular to d1, or along the global axis farthest from d1, and is carried along by the
 * smallest rotations that turn one tangent into the next; d3 = d1 x d2. At a corner the two elements share a frame, not their directors. */
#include "model/beam_reader.h"
#include "model/model_limits.h"

#include "base/vector3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double apart(const double a[3], const double b[3], double u[3]) {
    for (int k = 0; k < 3; k++)
        u[k] = b[k] - a[k];
    return hypot(hypot(u[0], u[1]), u[2]);
}

/* two points of the axis that coincide, in a model of the size of their coordinates */
static bool same(const double a[3], const double b[3]) {
    double u[3], size = 0;
    for (int k = 0; k < 3; k++)
        size = fmax(size, fmax(fabs(a[k]), fabs(b[k])));
    double distance = apart(a, b, u);
    return !(distance > model_same_point * size) || !isfinite(distance);
}

static bl_status no_length(bl_reader *r, const bl_place *place, const char *what, const double at[3]) {
    char where[96];
    bl_point_text(r, at, where, sizeof where);
    bl_fail(r->ctx, BL_E_MODEL, place, "%s has no length: two of its points in succession are the same, %s", what, where);
    bl_advise(r->ctx, "give it points that are apart");
    return BL_E_MODEL;
}

/* ---- straight pieces */

static void make_straight(const double from[3], const double to[3], bl_beam_piece *piece) {
    double u[3];
    *piece = (bl_beam_piece){.length = apart(from, to, u)};
    memcpy(piece->from, from, sizeof piece->from);
    memcpy(piece->to, to, sizeof piece->to);
    for (int k = 0; k < 3; k++)
        piece->tangent[k] = u[k] / piece->length;
}

static bl_status read_ends(bl_reader *r, const bl_item *map, const char *owner, double from[3], double to[3]) {
    const bl_item *a, *b;
    BL_TRY(bl_item_need(r, map, owner, "from", &a));
    BL_TRY(bl_item_need(r, map, owner, "to", &b));
    BL_TRY(bl_item_point(r, a, "from", from));
    return bl_item_point(r, b, "to", to);
}

static bl_status read_straight(bl_reader *r, const bl_item *beam, const char *what, bl_beam_axis *axis) {
    double from[3], to[3];
    BL_TRY(read_ends(r, beam, "beam", from, to));
    if (same(from, to))
        return no_length(r, &bl_item_get(beam, "to")->place, what, to);
    BL_TRY(BL_ARENA_NEW(&r->scratch, axis->piece, axis->npiece = 1));
    make_straight(from, to, axis->piece);
    return BL_OK;
}

typedef struct corners {
    const char *what;
    bl_beam_axis *axis;
    bl_index n;
    double last[3];
} corners;

static bl_status add_corner(bl_reader *r, const bl_item *entry, void *user) {
    corners *c = user;
    double at[3];
    BL_TRY(bl_item_point(r, entry, "along", at));
    if (c->n > 0) {
        if (same(c->last, at))
            return no_length(r, &entry->place, c->what, at);
        bl_beam_piece *piece = &c->axis->piece[c->n - 1];
        make_straight(c->last, at, piece);
        if (c->n > 1 && dot3(piece[-1].tangent, piece->tangent) < 0) {
            double across[3];
            cross3(piece[-1].tangent, piece->tangent, across);
            if (norm3(across) < model_axes_parallel) {
                char where[96];
                bl_point_text(r, c->last, where, sizeof where);
                bl_fail(r->ctx, BL_E_MODEL, &entry->place, "%s turns back upon itself at %s", c->what, where);
                bl_advise(r->ctx, "make two beams of it, joined by a fixed joint");
                return BL_E_MODEL;
            }
        }
    }
    c->n++;
    memcpy(c->last, at, sizeof at);
    return BL_OK;
}

static bl_status read_along(bl_reader *r, const bl_item *along, const char *what, bl_beam_axis *axis) {
    corners c = {.what = what, .axis = axis};
    bl_index count = 0;
    BL_TRY(bl_each_count(r, along, "along", &count));
    if (count < 2)
        return bl_fail(r->ctx, BL_E_MODEL, &along->place, "along must be a list of two points or more, found %d", (int)count);
    BL_TRY(BL_ARENA_NEW(&r->scratch, axis->piece, axis->npiece = count - 1));
    return bl_each(r, along, "along", add_corner, &c);
}

/* ---- arcs */

/* The shorter arc about a center, moved to the plane between the ends. */
static bl_status about_center(bl_reader *r, const bl_item *arc, const bl_item *center, bl_beam_piece *p) {
    double a[3], b[3], chord[3], to_middle[3], given[3], across[3];
    BL_TRY(bl_item_point(r, center, "center", given));
    double first = apart(given, p->from, a), second = apart(given, p->to, b), length = apart(p->from, p->to, chord), along = 0;
    if (!(fabs(first - second) <= model_arc_round * fmax(first, second))) {
        bl_fail(r->ctx, BL_E_MODEL, &center->place, "the center of the arc is %.9g m away from its beginning, but %.9g m from its end",
                first, second);
        bl_advise(r->ctx, "give its radius to both ends, or a third point of the arc with `through`");
        return BL_E_MODEL;
    }
    cross3(a, b, across);
    if (norm3(across) <= model_axes_parallel * first * second) {
        bl_fail(r->ctx, BL_E_MODEL, &arc->place, "the arc is ambiguous: its ends and its center are on one line");
        bl_advise(r->ctx, "give a third point of the arc, `through`, in place of the center");
        return BL_E_MODEL;
    }
    for (int k = 0; k < 3; k++) {
        to_middle[k] = (p->from[k] + p->to[k]) / 2 - given[k];
        chord[k] /= length;
    }
    along = dot3(to_middle, chord);
    double size = norm3(across);
    for (int k = 0; k < 3; k++) {
        p->center[k] = given[k] + along * chord[k];
        p->rotation[k] = across[k] / size;
        a[k] = p->from[k] - p->center[k];
        b[k] = p->to[k] - p->center[k];
    }
    cross3(a, b, across);
    p->angle = atan2(norm3(across), dot3(a, b));
    return BL_OK;
}

static bl_status through_point(bl_reader *r, const bl_item *through, const char *what, bl_beam_piece *p) {
    double middle[3], u[3], v[3], n[3], w[3], a[3], b[3];
    BL_TRY(bl_item_point(r, through, "through", middle));
    if (same(p->from, middle) || same(p->to, middle))
        return no_length(r, &through->place, what, middle);
    double lu = apart(p->from, middle, u), lv = apart(p->from, p->to, v);
    cross3(u, v, n);
    double size = norm3(n);
    if (size <= model_axes_parallel * lu * lv) {
        bl_fail(r->ctx, BL_E_MODEL, &through->place, "the three points of the arc are on one line");
        bl_advise(r->ctx, "a straight beam has only `from` and `to`");
        return BL_E_MODEL;
    }
    for (int k = 0; k < 3; k++)
        w[k] = lu * lu * v[k] - lv * lv * u[k];
    cross3(w, n, a);
    for (int k = 0; k < 3; k++) {
        a[k] /= 2 * size * size;
        p->center[k] = p->from[k] + a[k];
        p->rotation[k] = n[k] / size;
        a[k] = -a[k];
        b[k] = p->to[k] - p->center[k];
    }
    cross3(a, b, w);
    p->angle = atan2(dot3(w, p->rotation), dot3(a, b));
    p->angle += p->angle < 0 ? 2 * 3.14159265358979323846 : 0;
    return BL_OK;
}

static bl_status read_arc(bl_reader *r, const bl_item *arc, const char *what, bl_beam_axis *axis) {
    const bl_item *center = bl_item_get(arc, "center"), *through = bl_item_get(arc, "through");
    double a[3];
    BL_TRY(bl_item_map(r, arc, "arc"));
    BL_TRY(bl_item_keys(r, arc, "arc", (const char *const[]){"from", "to", "center", "through"}, 4, NULL));
    BL_TRY(BL_ARENA_NEW(&r->scratch, axis->piece, axis->npiece = 1));
    bl_beam_piece *p = axis->piece;
    BL_TRY(read_ends(r, arc, "arc", p->from, p->to));
    if (same(p->from, p->to))
        return no_length(r, &bl_item_get(arc, "to")->place, what, p->to);
    if (!center == !through) {
        bl_fail(r->ctx, BL_E_MODEL, &arc->place, "an arc needs either its 'center' or a third point 'through'%s",
                center ? ", not both" : "");
        bl_advise(r->ctx, "write arc: {from: A, to: B, center: C}, the shorter arc, or arc: {from: A, through: M, to: B}");
        return BL_E_MODEL;
    }
    BL_TRY(center ? about_center(r, arc, center, p) : through_point(r, through, what, p));
    p->arc = true;
    p->radius = apart(p->center, p->from, a);
    p->length = p->radius * p->angle;
    cross3(p->rotation, a, p->tangent);
    for (int k = 0; k < 3; k++)
        p->tangent[k] /= p->radius;
    return BL_OK;
}

/* ---- elements */

static bl_status read_integer(bl_reader *r, const bl_item *node, const char *what, double low, double high, bl_index *value) {
    double number;
    BL_TRY(bl_item_number(r, node, what, &number));
    if (number != floor(number))
        return bl_fail(r->ctx, BL_E_MODEL, &node->place, "%s must be an integer, found %g", what, number);
    if (number < low || number > high)
        return bl_fail(r->ctx, BL_E_MODEL, &node->place, "%s must be from %.0f to %.0f, found %.0f", what, low, high, number);
    *value = (bl_index)number;
    return BL_OK;
}

/* n elements for all pieces, by length, at least one each */
static void distribute(bl_beam_axis *axis, bl_index n) {
    double all = 0, sum = 0;
    bl_index used = 0;
    for (bl_index i = 0; i < axis->npiece; i++)
        all += axis->piece[i].length;
    for (bl_index i = 0; i < axis->npiece; i++) {
        bl_index left = axis->npiece - 1 - i, end;
        sum += axis->piece[i].length;
        end = left ? (bl_index)floor(n * (sum / all) + 0.5) : n;
        end = end > n - left ? n - left : end;
        end = end < used + 1 ? used + 1 : end;
        axis->piece[i].nelement = end - used;
        used = end;
    }
}

static bl_status read_elements(bl_reader *r, const bl_item *beam, const char *what, bl_beam_axis *axis) {
    const bl_item *elements, *degree = bl_item_get(beam, "degree");
    bl_index order = 2;
    if (degree)
        BL_TRY(read_integer(r, degree, "degree", 1, 3, &order));
    axis->degree = (int)order;
    BL_TRY(bl_item_need(r, beam, "beam", "elements", &elements));
    double most = floor((model_beam_nodes - 1) / axis->degree);
    if (elements->kind != BL_ITEM_LIST) {
        BL_TRY(read_integer(r, elements, "elements", 1, most, &axis->nelement));
        if (axis->nelement < axis->npiece)
            return bl_fail(r->ctx, BL_E_MODEL, &elements->place,
                           "%s has %d straight pieces, so it needs at least as many elements, found %d", what, (int)axis->npiece,
                           (int)axis->nelement);
        distribute(axis, axis->nelement);
        return BL_OK;
    }
    if (elements->count != axis->npiece)
        return bl_fail(r->ctx, BL_E_MODEL, &elements->place, "%s has %d piece%s: elements must be one number, or a list of %d, found %d",
                       what, (int)axis->npiece, axis->npiece == 1 ? "" : "s", (int)axis->npiece, (int)elements->count);
    for (bl_index i = 0; i < axis->npiece; i++) {
        BL_TRY(read_integer(r, elements->value[i], "elements", 1, most, &axis->piece[i].nelement));
        axis->nelement += axis->piece[i].nelement;
        if (axis->nelement > most)
            return bl_fail(r->ctx, BL_E_MODEL, &elements->value[i]->place, "%s has more than %.0f elements", what, most);
    }
    return BL_OK;
}

/* ---- directors */

/* s rotated about the unit vector n */
static void turn_about(const double n[3], double angle, double s[3]) {
    double across[3], along = dot3(n, s), c = cos(angle), sine = sin(angle);
    cross3(n, s, across);
    for (int k = 0; k < 3; k++)
        s[k] = c * s[k] + sine * across[k] + (1 - c) * along * n[k];
}

/* d2 made perpendicular to the tangent, of unit length */
static double straighten(const double tangent[3], double d2[3]) {
    double along = dot3(tangent, d2), size;
    for (int k = 0; k < 3; k++)
        d2[k] -= along * tangent[k];
    size = norm3(d2);
    for (int k = 0; k < 3 && size > 0; k++)
        d2[k] /= size;
    return size;
}

static bl_status read_up(bl_reader *r, const bl_item *beam, const char *what, bl_beam_axis *axis) {
    const bl_item *up = bl_item_get(beam, "up"), *twist = bl_item_get(beam, "twist");
    const double *tangent = axis->piece[0].tangent;
    double angle = 0;
    int best = 2;
    if (r->model->dim == 2) {
        if (up || twist)
            return bl_fail(r->ctx, BL_E_MODEL, up ? &up->place : &twist->place, "'%s' can only be used in spatial models (dimension: 3)",
                           up ? "up" : "twist");
        axis->d2[0] = -tangent[1];
        axis->d2[1] = tangent[0];
        return BL_OK;
    }
    for (int k = 1; k >= 0; k--) /* of axes at the same angle the last one; the margin is for rounding */
        best = fabs(tangent[k]) < fabs(tangent[best]) - 1e-9 ? k : best;
    axis->d2[best] = 1;
    if (up)
        BL_TRY(bl_item_direction(r, up, "up", axis->d2));
    if (straighten(tangent, axis->d2) < model_axes_parallel) {
        bl_fail(r->ctx, BL_E_MODEL, &up->place, "up is parallel to the axis of %s, so it does not say how the section is turned", what);
        bl_advise(r->ctx, "choose a direction across the beam; its height is measured along it");
        return BL_E_MODEL;
    }
    if (twist)
        BL_TRY(bl_item_number(r, twist, "twist", &angle));
    turn_about(tangent, angle, axis->d2);
    return BL_OK;
}

bl_status bl_beam_axis_read(bl_reader *r, const bl_item *beam, const char *what, bl_beam_axis *axis) {
    static const char *const keys[] = {"from", "to", "along", "arc", "elements", "degree", "interpolation", "up", "twist", "section"};
    const bl_item *along, *arc;
    *axis = (bl_beam_axis){0};
    BL_TRY(bl_item_map(r, beam, "beam"));
    BL_TRY(bl_item_keys(r, beam, "beam", keys, sizeof keys / sizeof *keys, NULL));
    along = bl_item_get(beam, "along");
    arc = bl_item_get(beam, "arc");
    bool ends = bl_item_get(beam, "from") || bl_item_get(beam, "to");
    if ((along && arc) || (ends && (along || arc)))
        return bl_fail(r->ctx, BL_E_MODEL, arc ? &arc->place : &along->place, "the axis of %s is described twice: by '%s' and by '%s'",
                       what, ends ? "from, to" : "along", arc ? "arc" : "along");
    if (!along && !arc && !ends) {
        bl_fail(r->ctx, BL_E_MODEL, &beam->place, "%s has no axis", what);
        bl_advise(r->ctx, "give 'from' and 'to', or 'along' (a list of points), or 'arc'");
        return BL_E_MODEL;
    }
    BL_TRY(arc ? read_arc(r, arc, what, axis) : along ? read_along(r, along, what, axis) : read_straight(r, beam, what, axis));
    BL_TRY(read_elements(r, beam, what, axis));
    return read_up(r, beam, what, axis);
}

/* ---- nodes */

/* at the fraction s of a piece that begins with the director d2 */
static void node_at(const bl_beam_piece *p, double s, const double d2[3], bool plane, bl_beam_node *node) {
    double a[3], *d1 = node->axes[0];
    memcpy(d1, p->tangent, sizeof p->tangent);
    memcpy(node->axes[1], d2, 3 * sizeof *d2);
    for (int k = 0; k < 3; k++) {
        node->at[k] = p->from[k] + s * (p->to[k] - p->from[k]);
        a[k] = p->from[k] - p->center[k];
    }
    if (p->arc) {
        turn_about(p->rotation, s * p->angle, a);
        turn_about(p->rotation, s * p->angle, d1);
        turn_about(p->rotation, s * p->angle, node->axes[1]);
        for (int k = 0; k < 3; k++)
            node->at[k] = p->center[k] + a[k];
        if (plane)
            node->at[2] = 0;
    }
    if (s == 0 || s == 1)
        memcpy(node->at, s == 0 ? p->from : p->to, sizeof node->at);
    cross3(d1, node->axes[1], node->axes[2]);
}

/* by the smallest rotation that turns a into b */
static void carry(const double a[3], const double b[3], double d2[3]) {
    double v[3], across[3], c = dot3(a, b), along;
    cross3(a, b, v);
    cross3(v, d2, across);
    along = dot3(v, d2) / (1 + c);
    for (int k = 0; k < 3; k++)
        d2[k] = c * d2[k] + across[k] + along * v[k];
    straighten(b, d2);
}

void bl_beam_axis_nodes(const bl_beam_axis *axis, bool plane, bl_beam_node *node) {
    /* nodes within an element: those of Gauss and Lobatto, (1 -+ 1/sqrt(5))/2 for degree 3 (docs/theory/beams.md) */
    static const double place[4][4] = {{0}, {0, 1}, {0, 0.5, 1}, {0, 0.27639320225002103036, 0.72360679774997896964, 1}};
    double d2[3];
    memcpy(d2, axis->d2, sizeof d2);
    for (bl_index i = 0; i < axis->npiece; i++) {
        const bl_beam_piece *p = &axis->piece[i];
        if (i > 0)
            carry(p[-1].tangent, p->tangent, d2);
        for (bl_index e = 0; e < p->nelement; e++)
            for (int k = 0; k <= axis->degree; k++)
                node_at(p, ((double)e + place[axis->degree][k]) / (double)p->nelement, d2, plane, node++);
    }
}
