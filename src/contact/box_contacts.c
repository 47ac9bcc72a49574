/* Boxes against planes and each other. Two boxes: 15 possible separating axes (Gottschalk, Lin, Manocha 1996); if a face separates them
 * best, the opposite face is clipped by its sides; if two edges do, their nearest points. */
#include "contact/box_contacts.h"

#include "base/vector3.h"

#include <string.h>

int bl_box_plane(const bl_contact_solid *one, const bl_contact_solid *other, double margin, bl_contact_point *point) {
    const double *normal = other->frame.axes + 6, *half = one->shape->half;
    double center[3], step[3], reach = 0;
    bl_contact_point all[8];
    bl_contact_inside(&other->frame, one->frame.at, center);
    for (int k = 0; k < 3; k++) {
        step[k] = half[k] * dot3(one->frame.axes + 3 * k, normal);
        reach += fabs(step[k]);
    }
    if (center[2] - reach > margin)
        return 0;
    int n = 0;
    for (int corner = 0; corner < 8; corner++) {
        double gap = center[2];
        for (int k = 0; k < 3; k++)
            gap += corner >> k & 1 ? step[k] : -step[k];
        if (gap > margin)
            continue;
        double at[3] = {one->frame.at[0], one->frame.at[1], one->frame.at[2]};
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 3; i++)
                at[i] += (corner >> k & 1 ? half[k] : -half[k]) * one->frame.axes[3 * k + i];
        n += bl_ball_surface(at, 0, normal, gap, margin, (uint32_t)corner, all + n);
    }
    n = bl_contact_reduce(n, all);
    memcpy(point, all, (size_t)n * sizeof *all);
    return n;
}

/* the deepest; the one farthest from it; the ones farthest from their line on both sides. Earlier ones before equal ones. */
int bl_contact_reduce(int n, bl_contact_point *p) {
    int keep[4] = {0, -1, -1, -1};
    if (n <= BL_CONTACT_POINTS)
        return n;
    for (int i = 1; i < n; i++)
        if (p[i].gap < p[keep[0]].gap)
            keep[0] = i;
    const double *a = p[keep[0]].at;
    double most = -1, side[3], low = 0, high = 0, area[3];
    for (int i = 0; i < n; i++) {
        const double d[3] = {p[i].at[0] - a[0], p[i].at[1] - a[1], p[i].at[2] - a[2]};
        if (dot3(d, d) > most * (1 + 1e-9)) {
            most = dot3(d, d);
            keep[1] = i;
        }
    }
    const double *b = p[keep[1]].at, line[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    cross3(p[0].normal, line, side);
    for (int i = 0; i < n; i++) {
        const double d[3] = {p[i].at[0] - a[0], p[i].at[1] - a[1], p[i].at[2] - a[2]};
        area[0] = dot3(side, d);
        if (area[0] > high * (1 + 1e-9) && i != keep[0] && i != keep[1])
            high = area[0], keep[2] = i;
        if (area[0] < low * (1 + 1e-9) && i != keep[0] && i != keep[1])
            low = area[0], keep[3] = i;
    }
    bl_contact_point kept[4];
    int count = 0;
    for (int i = 0; i < n; i++) /* in the order they came in */
        if (i == keep[0] || i == keep[1] || i == keep[2] || i == keep[3])
            kept[count++] = p[i];
    memcpy(p, kept, (size_t)count * sizeof *p);
    return count;
}

/* ---- two boxes: R_ij = a_i . b_j, offset of the second in the axes of the first and of the second */
typedef struct pair {
    const bl_contact_solid *a, *b;
    double R[3][3], absolute[3][3], in_a[3], in_b[3], d[3];
} pair;

static void set_up(const bl_contact_solid *a, const bl_contact_solid *b, pair *p) {
    p->a = a, p->b = b;
    for (int k = 0; k < 3; k++)
        p->d[k] = b->frame.at[k] - a->frame.at[k];
    for (int i = 0; i < 3; i++) {
        p->in_a[i] = dot3(a->frame.axes + 3 * i, p->d);
        p->in_b[i] = dot3(b->frame.axes + 3 * i, p->d);
        for (int j = 0; j < 3; j++) {
            p->R[i][j] = dot3(a->frame.axes + 3 * i, b->frame.axes + 3 * j);
            p->absolute[i][j] = fabs(p->R[i][j]);
        }
    }
}

static double face_of_a(const pair *p, int i) {
    const double *h = p->b->shape->half;
    return fabs(p->in_a[i]) - (p->a->shape->half[i] + h[0] * p->absolute[i][0] + h[1] * p->absolute[i][1] + h[2] * p->absolute[i][2]);
}

static double face_of_b(const pair *p, int j) {
    const double *h = p->a->shape->half;
    return fabs(p->in_b[j]) - (p->b->shape->half[j] + h[0] * p->absolute[0][j] + h[1] * p->absolute[1][j] + h[2] * p->absolute[2][j]);
}

/* axis a_i x b_j; -INFINITY: parallel edges, which faces cover */
static double edges(const pair *p, int i, int j) {
    int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    double square = 1 - p->R[i][j] * p->R[i][j];
    if (square < 1e-6)
        return -INFINITY;
    const double *ha = p->a->shape->half, *hb = p->b->shape->half;
    double reach = ha[i1] * p->absolute[i2][j] + ha[i2] * p->absolute[i1][j] + hb[j1] * p->absolute[i][j2] + hb[j2] * p->absolute[i][j1];
    return (fabs(p->in_a[i2] * p->R[i1][j] - p->in_a[i1] * p->R[i2][j]) - reach) / sqrt(square);
}

/* ---- a face against a face */

typedef struct corner {
    double u, v, gap; /* in the axes of the reference face */
    uint32_t number;
} corner;

/* the part of the polygon with sign u <= most (or v): Sutherland and Hodgman */
static int cut(int n, const corner *from, bool second, double sign, double most, uint32_t side, corner *to) {
    int count = 0;
    for (int i = 0; i < n; i++) {
        const corner *a = from + i, *b = from + (i + 1 == n ? 0 : i + 1);
        double x = sign * (second ? a->v : a->u) - most, y = sign * (second ? b->v : b->u) - most;
        if (x <= 0)
            to[count++] = *a;
        if ((x <= 0) != (y <= 0)) {
            double s = x / (x - y);
            to[count++] = (corner){a->u + s * (b->u - a->u), a->v + s * (b->v - a->v), a->gap + s * (b->gap - a->gap),
                                   8 + 4 * (x <= 0 ? a->number : b->number) + side};
        }
    }
    return count;
}

/* the face of `other` that faces the face `axis` of `one` most, clipped by its sides. sign: of the normal along that axis */
static int face_points(const bl_contact_solid *one, int axis, double sign, const bl_contact_solid *other, bool swapped, double margin,
                       bl_contact_point *point) {
    const double *half = one->shape->half, *hb = other->shape->half, *e = one->frame.axes;
    const int iu = (axis + 1) % 3, iv = (axis + 2) % 3;
    const double n[3] = {sign * e[3 * axis], sign * e[3 * axis + 1], sign * e[3 * axis + 2]};
    int facing = 0;
    double most = -1, toward = 1, center[3];
    for (int k = 0; k < 3; k++) {
        double along = dot3(other->frame.axes + 3 * k, n);
        if (fabs(along) > most + 1e-9) {
            most = fabs(along);
            facing = k;
            toward = along > 0 ? -1 : 1;
        }
    }
    const int fu = (facing + 1) % 3, fv = (facing + 2) % 3;
    const double *b = other->frame.axes;
    for (int k = 0; k < 3; k++)
        center[k] = other->frame.at[k] + toward * hb[facing] * b[3 * facing + k] - one->frame.at[k];
    const double *eu = e + 3 * iu, *ev = e + 3 * iv, cu = dot3(center, eu), cv = dot3(center, ev), cn = dot3(center, n) - half[axis];
    const double uu = hb[fu] * dot3(b + 3 * fu, eu), uv = hb[fu] * dot3(b + 3 * fu, ev), un = hb[fu] * dot3(b + 3 * fu, n);
    const double vu = hb[fv] * dot3(b + 3 * fv, eu), vv = hb[fv] * dot3(b + 3 * fv, ev), vn = hb[fv] * dot3(b + 3 * fv, n);
    corner first[12], second[12];
    for (int k = 0; k < 4; k++) {
        double x = k == 1 || k == 2 ? 1 : -1, y = k >= 2 ? 1 : -1;
        first[k] = (corner){cu + x * uu + y * vu, cv + x * uv + y * vv, cn + x * un + y * vn, (uint32_t)k};
    }
    /* sides a trace outside: corners of boxes that are exactly aligned are not cut */
    const double most_u = half[iu] * (1 + 1e-9), most_v = half[iv] * (1 + 1e-9);
    int count = cut(4, first, false, 1, most_u, 0, second);
    count = cut(count, second, false, -1, most_u, 1, first);
    count = cut(count, first, true, 1, most_v, 2, second);
    count = cut(count, second, true, -1, most_v, 3, first);
    bl_contact_point all[12];
    int kept = 0;
    for (int k = 0; k < count; k++) {
        if (first[k].gap > margin)
            continue;
        bl_contact_point *p = all + kept++;
        p->gap = first[k].gap;
        p->number = first[k].number << 8 | (uint32_t)(facing << 4 | axis << 1 | swapped);
        for (int i = 0; i < 3; i++) {
            p->normal[i] = swapped ? -n[i] : n[i];
            p->at[i] = one->frame.at[i] + first[k].u * eu[i] + first[k].v * ev[i] + (half[axis] + 0.5 * first[k].gap) * n[i];
        }
    }
    kept = bl_contact_reduce(kept, all);
    memcpy(point, all, (size_t)kept * sizeof *all);
    return kept;
}

/* nearest points of the two edges that are farthest along the normal a_i x b_j */
static int edge_point(const pair *p, int i, int j, double margin, bl_contact_point *point) {
    double n[3], a[3], b[3], r[3];
    const double *ea = p->a->frame.axes + 3 * i, *eb = p->b->frame.axes + 3 * j;
    cross3(ea, eb, n);
    double length = norm3(n), sign = dot3(n, p->d) < 0 ? -1 : 1;
    for (int k = 0; k < 3; k++) {
        n[k] *= sign / length;
        a[k] = p->a->frame.at[k];
        b[k] = p->b->frame.at[k];
    }
    uint32_t number = 0;
    for (int axis = 0; axis < 3; axis++)
        for (int which = 0; which < 2; which++) {
            const bl_contact_solid *s = which ? p->b : p->a;
            const double *e = s->frame.axes + 3 * axis;
            if (axis == (which ? j : i))
                continue;
            double toward = (dot3(e, n) > 0) == (which == 0) ? s->shape->half[axis] : -s->shape->half[axis];
            number = number << 1 | (toward > 0);
            for (int k = 0; k < 3; k++)
                (which ? b : a)[k] += toward * e[k];
        }
    for (int k = 0; k < 3; k++)
        r[k] = b[k] - a[k];
    double across = dot3(ea, eb), s = (dot3(ea, r) - across * dot3(eb, r)) / (1 - across * across), t = across * s - dot3(eb, r);
    point->gap = dot3(r, n);
    if (point->gap > margin || fabs(s) > p->a->shape->half[i] * (1 + 1e-9) || fabs(t) > p->b->shape->half[j] * (1 + 1e-9))
        return 0;
    point->number = 1U << 31 | (uint32_t)(3 * i + j) << 8 | number;
    for (int k = 0; k < 3; k++) {
        point->normal[k] = n[k];
        point->at[k] = 0.5 * (a[k] + s * ea[k] + b[k] + t * eb[k]);
    }
    return 1;
}

int bl_box_box_hinted(const bl_contact_solid *one, const bl_contact_solid *other, double margin, uint8_t *hint, bl_contact_point *point) {
    pair p;
    set_up(one, other, &p);
    double best_a = -INFINITY, best_b = -INFINITY, best_e = -INFINITY;
    int face_a = 0, face_b = 0, edge = 0;
    /* the axis that separated them last probably does so again */
    if (*hint > 0 && (*hint <= 3 ? face_of_a(&p, *hint - 1) : *hint <= 6 ? face_of_b(&p, *hint - 4) : -INFINITY) > margin)
        return 0;
    for (int k = 0; k < 3; k++) {
        double s = face_of_a(&p, k), t = face_of_b(&p, k);
        if (s > margin || t > margin) {
            *hint = (uint8_t)(s > margin ? 1 + k : 4 + k);
            return 0;
        }
        if (s > best_a + 1e-9)
            best_a = s, face_a = k;
        if (t > best_b + 1e-9)
            best_b = t, face_b = k;
    }
    *hint = 0;
    for (int k = 0; k < 9; k++) {
        double s = edges(&p, k / 3, k % 3);
        if (s > margin)
            return 0;
        if (s > best_e)
            best_e = s, edge = k;
    }
    /* faces before edges and the first box before the second, unless they are clearly worse: numbers stay */
    const double least = 1e-3 * fmin(bl_contact_size(one->shape), bl_contact_size(other->shape));
    if (best_e > fmax(best_a, best_b) + least) {
        int n = edge_point(&p, edge / 3, edge % 3, margin, point);
        if (n > 0)
            return n;
    }
    if (best_b > best_a + least)
        return face_points(other, face_b, p.in_b[face_b] > 0 ? -1 : 1, one, true, margin, point);
    return face_points(one, face_a, p.in_a[face_a] < 0 ? -1 : 1, other, false, margin, point);
}

int bl_box_box(const bl_contact_solid *one, const bl_contact_solid *other, double margin, bl_contact_point *point) {
    uint8_t hint = 0;
    return bl_box_box_hinted(one, other, margin, &hint, point);
}
