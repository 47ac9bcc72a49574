/* Axes of joints in one configuration: what they have in common, and which of them share a pin. */
#include "topology/exceptions.h"

#include "base/vector3.h"
#include "topology/topology_limits.h"

#include <math.h>
#include <string.h>

typedef bl_joint_axis axis;

typedef struct geometry {
    bl_arena *arena;
    const bl_model *model;
    const bl_pose *pose;
    double length;
} geometry;

void bl_joint_axis_now(const bl_model *model, const bl_pose *pose, bl_index joint, bl_joint_axis *out) {
    const bl_joint_def *def = &model->joint[joint];
    const bl_joint_dof *dof = def->dof;
    *out = (axis){0};
    for (bl_index i = 0; strchr("RPCH", def->kind->letter) && i < def->ndof; i++) {
        bl_mark along = {.body = def->body[0], .is_vector = true}, at = {.body = def->body[0]};
        memcpy(along.s, dof[i].axis, sizeof along.s);
        memcpy(at.s, dof[i].at, sizeof at.s);
        bl_mark_now(pose, &along, out->along);
        bl_mark_now(pose, &at, out->at);
        out->turns = out->turns || dof[i].what == BL_TURN;
        out->slides = out->slides || dof[i].what == BL_SLIDE;
    }
}

static double apart(const double *a, const double *b) { return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]); }

static bool is_parallel(const double *a, const double *b) {
    double c[3];
    cross3(a, b, c);
    return sqrt(dot3(c, c)) < topology_direction;
}

static bool on_line(const axis *a, const double *point, double length) {
    double arm[3] = {point[0] - a->at[0], point[1] - a->at[1], point[2] - a->at[2]}, c[3];
    cross3(a->along, arm, c);
    return sqrt(dot3(c, c)) < topology_direction * length;
}

/* point on the first line nearest to the second; they are not parallel */
static void nearest_point(const axis *a, const axis *b, double *point) {
    double d[3] = {b->at[0] - a->at[0], b->at[1] - a->at[1], b->at[2] - a->at[2]};
    double c = dot3(a->along, b->along), s = (dot3(d, a->along) - c * dot3(d, b->along)) / (1 - c * c);
    for (int k = 0; k < 3; k++)
        point[k] = a->at[k] + s * a->along[k];
}

/* common property of a loop of axes in space; NULL: none known */
static const char *name_axes(bl_index n, const axis *a, double length) {
    bool parallel = true, coaxial = true, concurrent = true, plane = true, sliding = true;
    const axis *first = NULL, *second = NULL;
    for (bl_index i = 0; i < n; i++) {
        if (!a[i].turns && !a[i].slides)
            return NULL;
        sliding = sliding && !a[i].turns;
        if (a[i].turns && !first)
            first = &a[i];
        else if (a[i].turns && !second && !is_parallel(first->along, a[i].along))
            second = &a[i];
    }
    if (sliding)
        return "prismatic joints only, so nothing rotates";
    double point[3] = {0, 0, 0};
    if (second)
        nearest_point(first, second, point);
    for (bl_index i = 0; i < n; i++) {
        if (a[i].turns) {
            parallel = parallel && is_parallel(first->along, a[i].along);
            coaxial = coaxial && on_line(first, a[i].at, length);
            concurrent = concurrent && second && !a[i].slides && on_line(&a[i], point, length);
        } else {
            plane = plane && fabs(dot3(first->along, a[i].along)) < topology_direction;
            coaxial = coaxial && is_parallel(first->along, a[i].along);
            concurrent = false;
        }
    }
    if (parallel && coaxial)
        return "all axes on one line";
    if (parallel && plane)
        return "parallel axes, a planar mechanism in space";
    return concurrent ? "axes through one point, a spherical mechanism" : NULL;
}

/* vector from one pin of a link to its other: links with two pins among the joints, and rods */
static bool bar_vector(const geometry *w, bl_index link, bl_index n, const bl_index *joint, double *out) {
    double at[2][3];
    bl_index pins = 0;
    for (bl_index i = 0; i < n && pins <= 2; i++) {
        const bl_joint_def *def = &w->model->joint[joint[i]];
        const bl_prim *pin = bl_joint_prim(def, BL_COINCIDE);
        if (!pin || (def->body[0] != link && def->body[1] != link))
            continue;
        if (pins < 2)
            bl_mark_now(w->pose, &pin->a, at[pins]);
        pins++;
    }
    for (int k = 0; pins == 2 && k < 3; k++)
        out[k] = at[1][k] - at[0][k];
    return pins == 2;
}

static bool rod_vector(const geometry *w, bl_index joint, double *out) {
    const bl_prim *distance = bl_joint_prim(&w->model->joint[joint], BL_DISTANCE);
    double a[3], b[3];
    if (!distance)
        return false;
    bl_mark_now(w->pose, &distance->a, a);
    bl_mark_now(w->pose, &distance->b, b);
    for (int k = 0; k < 3; k++)
        out[k] = b[k] - a[k];
    return true;
}

/* are there two bars of equal length and direction among the links of the joints? */
static bl_status has_equal_bars(const geometry *w, bl_index n, const bl_index *joint, bool *equal) {
    double(*vector)[3];
    bl_index nvector = 0;
    *equal = false;
    BL_TRY(BL_ARENA_NEW(w->arena, vector, w->model->nbody + n));
    for (bl_index b = 1; b < w->model->nbody; b++)
        nvector += bar_vector(w, b, n, joint, vector[nvector]);
    for (bl_index i = 0; i < n; i++)
        nvector += rod_vector(w, joint[i], vector[nvector]);
    for (bl_index i = 0; i < nvector; i++)
        for (bl_index k = 0; k < i; k++) {
            double minus[3] = {-vector[k][0], -vector[k][1], -vector[k][2]}, tolerance = topology_direction * w->length;
            double size = sqrt(dot3(vector[i], vector[i]));
            *equal = *equal || (size > tolerance && (apart(vector[i], vector[k]) < tolerance || apart(vector[i], minus) < tolerance));
        }
    return BL_OK;
}

bl_status bl_geometry_name(bl_arena *arena, const bl_model *model, const bl_pose *pose, double length, bl_index n, const bl_index *joint,
                           const char **name) {
    geometry w = {arena, model, pose, length};
    axis *a;
    bool equal = false, hinges = false, guides = n > 0;
    *name = NULL;
    BL_TRY(BL_ARENA_NEW(arena, a, n));
    for (bl_index i = 0; i < n; i++) {
        bl_joint_axis_now(model, pose, joint[i], &a[i]);
        hinges = hinges || a[i].turns;
        guides = guides && a[i].slides && !a[i].turns && is_parallel(a[0].along, a[i].along);
    }
    if (guides)
        *name = "parallel guides";
    else if (model->dim == 3)
        *name = name_axes(n, a, length);
    if (*name || (model->dim == 3 && hinges))
        return BL_OK;
    BL_TRY(has_equal_bars(&w, n, joint, &equal));
    if (equal)
        *name = "equal and parallel links";
    return BL_OK;
}

/* ---- several links on one pin */

/* the pin of a revolute or spherical joint; false: another kind */
static bool find_pin(const geometry *w, bl_index joint, axis *pin) {
    const bl_joint_def *def = &w->model->joint[joint];
    const bl_prim *point = bl_joint_prim(def, BL_COINCIDE);
    if (!point || (def->kind->letter != 'R' && def->kind->letter != 'S'))
        return false;
    bl_joint_axis_now(w->model, w->pose, joint, pin);
    bl_mark_now(w->pose, &point->a, pin->at);
    return true;
}

/* one pin: the same point, or the same axis */
static bool is_one_pin(const geometry *w, bl_index i, bl_index k, const axis *pin) {
    if (w->model->joint[i].kind != w->model->joint[k].kind)
        return false;
    if (w->model->dim == 3 && pin[i].turns)
        return is_parallel(pin[i].along, pin[k].along) && on_line(&pin[i], pin[k].at, w->length);
    return apart(pin[i].at, pin[k].at) < topology_direction * w->length;
}

/* joint order[nth] and those before it: is one end reached from the other through the same pin? link[]: scratch */
static void examine_pin(const geometry *w, const bl_index *order, bl_index nth, const axis *at, const bool *is_pin, bl_index *link,
                        bl_pin *pin) {
    bl_index own = order[nth], nlink = 1, before = 0;
    const bl_index *ends = w->model->joint[own].body;
    link[0] = ends[0];
    pin->first = own;
    for (bl_index k = nth; k-- > 0;)
        if (is_pin[own] && is_pin[order[k]] && is_one_pin(w, own, order[k], at))
            pin->first = order[k];
    while (before < nlink && is_pin[own]) { /* until no more links are reached */
        before = nlink;
        for (bl_index k = 0; k < nth; k++) {
            const bl_index *other = w->model->joint[order[k]].body;
            bool known[2] = {false, false};
            if (!is_pin[order[k]] || !is_one_pin(w, own, order[k], at))
                continue;
            for (bl_index i = 0; i < nlink; i++)
                for (int side = 0; side < 2; side++)
                    known[side] = known[side] || link[i] == other[side];
            if (known[0] != known[1])
                link[nlink++] = other[known[0] ? 1 : 0];
            if ((other[0] == ends[0] && other[1] == ends[1]) || (other[0] == ends[1] && other[1] == ends[0]))
                pin->same_point = pin->same_point || apart(at[own].at, at[order[k]].at) < topology_direction * w->length;
        }
    }
    for (bl_index i = 1; i < nlink; i++)
        pin->surplus = pin->surplus || link[i] == ends[1];
    pin->nlink = nlink;
}

bl_status bl_pins_find(bl_arena *arena, const bl_model *model, const bl_pose *pose, double length, const bl_index *order, bl_pin *pin) {
    geometry w = {arena, model, pose, length};
    axis *at;
    bool *is_pin;
    bl_index *link;
    BL_TRY(BL_ARENA_ARRAYS(arena, BL_ARRAY(at, model->njoint), BL_ARRAY(is_pin, model->njoint), BL_ARRAY(link, model->nbody + 1)));
    for (bl_index j = 0; j < model->njoint; j++)
        is_pin[j] = find_pin(&w, j, &at[j]);
    for (bl_index k = 0; k < model->njoint; k++)
        examine_pin(&w, order, k, at, is_pin, link, &pin[order[k]]);
    return BL_OK;
}
