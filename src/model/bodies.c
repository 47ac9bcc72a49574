/* Bodies: mass, center and inertia, and the check that such a body can exist:
 * principal moments not negative and none larger than the sum of the other two. */
#include "model/model_limits.h"
#include "model/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static const char *const shape_names[] = {"rod", "box", "cylinder", "sphere", "disc"};
enum { ROD, BOX, CYLINDER, SPHERE, DISC, NSHAPE }; /* as in bl_appearance_kind */

/* mass properties of a shape; volume: for use with density, NAN if it has none */
typedef struct shape {
    double center[3], local[3][3], axes[3][3], volume; /* local: inertia for unit mass in axes */
    double axial;                                      /* axial moment of inertia of a rod, for its total mass */
    bl_appearance appearance;
} shape;

static void unit_axes(double axes[3][3]) {
    memset(axes, 0, 9 * sizeof(double));
    for (int k = 0; k < 3; k++)
        axes[k][k] = 1;
}

static void cross(const double a[3], const double b[3], double c[3]) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

bl_status bl_read_axes(bl_reader *r, const bl_item *node, double axes[3][3]) {
    unit_axes(axes);
    if (!node)
        return BL_OK;
    if (r->model->dim == 2)
        return bl_fail(r->ctx, BL_E_MODEL, &node->place, "'axes' can only be used in spatial models (dimension: 3)");
    if (node->kind != BL_ITEM_LIST || node->count != 2)
        return bl_fail(r->ctx, BL_E_MODEL, &node->place, "axes must be a list of two directions: [x-direction, y-direction]");
    double y[3], length;
    BL_TRY(bl_item_direction(r, node->value[0], "axes", axes[0]));
    BL_TRY(bl_item_direction(r, node->value[1], "axes", y));
    cross(axes[0], y, axes[2]);
    length = hypot(hypot(axes[2][0], axes[2][1]), axes[2][2]);
    if (length < model_axes_parallel)
        return bl_fail(r->ctx, BL_E_MODEL, &node->place, "the two directions of axes are parallel");
    for (int k = 0; k < 3; k++)
        axes[2][k] /= length;
    cross(axes[2], axes[0], axes[1]);
    return BL_OK;
}

/* first axis along from -> to */
static bl_status read_line(bl_reader *r, const bl_item *node, const char *what, shape *out, double *length) {
    const bl_item *from, *to;
    double a[3], b[3], u[3];
    BL_TRY(bl_item_need(r, node, what, "from", &from));
    BL_TRY(bl_item_need(r, node, what, "to", &to));
    BL_TRY(bl_item_point(r, from, "from", a));
    BL_TRY(bl_item_point(r, to, "to", b));
    for (int k = 0; k < 3; k++) {
        u[k] = b[k] - a[k];
        out->center[k] = a[k] + u[k] / 2;
        out->appearance.at[0][k] = a[k];
        out->appearance.at[1][k] = b[k];
    }
    *length = hypot(hypot(u[0], u[1]), u[2]);
    if (!(*length > 0) || !isfinite(*length))
        return bl_fail(r->ctx, BL_E_MODEL, &node->place, "the %s has no length: 'from' and 'to' are the same point", what);
    int least = 0;
    for (int k = 0; k < 3; k++) {
        out->axes[0][k] = u[k] / *length;
        least = fabs(u[k]) < fabs(u[least]) ? k : least;
    }
    double e[3] = {0};
    e[least] = 1;
    cross(out->axes[0], e, out->axes[1]);
    double size = hypot(hypot(out->axes[1][0], out->axes[1][1]), out->axes[1][2]);
    for (int k = 0; k < 3; k++)
        out->axes[1][k] /= size;
    cross(out->axes[0], out->axes[1], out->axes[2]);
    return BL_OK;
}

static bl_status read_size(bl_reader *r, const bl_item *node, const char *what, const char *key, double *value) {
    const bl_item *number;
    BL_TRY(bl_item_need(r, node, what, key, &number));
    BL_TRY(bl_item_number(r, number, key, value));
    return bl_item_range(r, &number->place, key, BL_POSITIVE, *value);
}

static bl_status read_center(bl_reader *r, const bl_item *node, const char *what, double center[3]) {
    const bl_item *point;
    BL_TRY(bl_item_need(r, node, what, "center", &point));
    return bl_item_point(r, point, "center", center);
}

static void set_diagonal(shape *out, double a, double b, double c) {
    out->local[0][0] = a;
    out->local[1][1] = b;
    out->local[2][2] = c;
}

static bl_status read_rod(bl_reader *r, const bl_item *node, shape *out) {
    double length;
    const bl_item *axial = bl_item_get(node, "axial");
    BL_TRY(bl_item_keys(r, node, "rod", (const char *const[]){"from", "to", "axial"}, 3, NULL));
    BL_TRY(read_line(r, node, "rod", out, &length));
    set_diagonal(out, 0, length * length / 12, length * length / 12);
    out->volume = NAN;
    if (axial && r->model->dim == 2)
        return bl_fail(r->ctx, BL_E_MODEL, &axial->place, "'axial' of a rod can only be used in spatial models (dimension: 3)");
    if (axial) {
        BL_TRY(bl_item_number(r, axial, "axial", &out->axial));
        BL_TRY(bl_item_range(r, &axial->place, "axial", BL_NOT_NEGATIVE, out->axial));
    }
    return BL_OK;
}

static bl_status read_box(bl_reader *r, const bl_item *node, shape *out) {
    double size[3] = {0};
    const bl_item *sizes;
    BL_TRY(bl_item_keys(r, node, "box", (const char *const[]){"center", "size", "axes"}, 3, NULL));
    BL_TRY(read_center(r, node, "box", out->center));
    BL_TRY(bl_item_need(r, node, "box", "size", &sizes));
    BL_TRY(bl_item_vector(r, sizes, "size", size));
    for (int k = 0; k < r->model->dim; k++)
        BL_TRY(bl_item_range(r, &sizes->value[k]->place, "size", BL_POSITIVE, size[k]));
    BL_TRY(bl_read_axes(r, bl_item_get(node, "axes"), out->axes));
    double x = size[0] * size[0], y = size[1] * size[1], z = size[2] * size[2];
    set_diagonal(out, (y + z) / 12, (z + x) / 12, (x + y) / 12);
    out->volume = size[0] * size[1] * size[2];
    out->appearance.turned = bl_item_get(node, "axes") != NULL;
    memcpy(out->appearance.at[0], out->center, sizeof out->center);
    memcpy(out->appearance.size, size, sizeof size);
    memcpy(out->appearance.axes, out->axes, sizeof out->axes);
    return BL_OK;
}

static bl_status read_cylinder(bl_reader *r, const bl_item *node, shape *out) {
    double length, radius;
    BL_TRY(bl_item_keys(r, node, "cylinder", (const char *const[]){"from", "to", "radius"}, 3, NULL));
    BL_TRY(read_line(r, node, "cylinder", out, &length));
    BL_TRY(read_size(r, node, "cylinder", "radius", &radius));
    double across = (3 * radius * radius + length * length) / 12;
    set_diagonal(out, radius * radius / 2, across, across);
    out->volume = pi * radius * radius * length;
    out->appearance.radius = radius;
    return BL_OK;
}

static bl_status read_round(bl_reader *r, const bl_item *node, bool sphere, shape *out) {
    const char *what = sphere ? "sphere" : "disc";
    double radius;
    BL_TRY(bl_item_keys(r, node, what, (const char *const[]){"center", "radius"}, 2, NULL));
    BL_TRY(read_center(r, node, what, out->center));
    BL_TRY(read_size(r, node, what, "radius", &radius));
    double square = radius * radius;
    if (sphere)
        set_diagonal(out, 0.4 * square, 0.4 * square, 0.4 * square);
    else
        set_diagonal(out, square / 4, square / 4, square / 2);
    out->volume = 4 * pi / 3 * square * radius;
    out->appearance.radius = radius;
    memcpy(out->appearance.at[0], out->center, sizeof out->center);
    return BL_OK;
}

static bl_status read_shape(bl_reader *r, const bl_item *node, int which, shape *out) {
    unit_axes(out->axes);
    out->appearance.kind = (bl_appearance_kind)which;
    bool plane = r->model->dim == 2;
    BL_TRY(bl_item_map(r, node, shape_names[which]));
    if (plane ? which == CYLINDER || which == SPHERE : which == DISC) {
        bl_fail(r->ctx, BL_E_MODEL, &node->place, "a %s can only be used in %s", shape_names[which],
                plane ? "spatial models (dimension: 3)" : "planar models (dimension: 2)");
        bl_advise(r->ctx, plane ? "planar models have rod, box and disc" : "spatial models have rod, box, cylinder and sphere");
        return BL_E_MODEL;
    }
    switch (which) {
    case ROD: return read_rod(r, node, out);
    case BOX: return read_box(r, node, out);
    case CYLINDER: return read_cylinder(r, node, out);
    default: return read_round(r, node, which == SPHERE, out);
    }
}

/* ---- mass and inertia given as numbers */

static bl_status read_mass(bl_reader *r, const bl_item *body, double volume, const char *what, double *mass) {
    const bl_item *node = bl_item_get(body, "mass"), *density = bl_item_get(body, "density");
    if (node && density)
        return bl_fail(r->ctx, BL_E_MODEL, &density->place, "%s has both mass and density; give only one of them", what);
    if (density) {
        double value;
        if (!isfinite(volume) || r->model->dim == 2)
            return bl_fail(r->ctx, BL_E_MODEL, &density->place,
                           "density needs a shape with a volume (box, cylinder or sphere in a spatial model); give the mass instead");
        BL_TRY(bl_item_number(r, density, "density", &value));
        BL_TRY(bl_item_range(r, &density->place, "density", BL_NOT_NEGATIVE, value));
        *mass = value * volume;
        return BL_OK;
    }
    BL_TRY(bl_item_need(r, body, what, "mass", &node));
    BL_TRY(bl_item_number(r, node, "mass", mass));
    return bl_item_range(r, &node->place, "mass", BL_NOT_NEGATIVE, *mass);
}

static bl_status read_matrix(bl_reader *r, const bl_item *node, double local[3][3]) {
    static const int index[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};
    if (r->model->dim == 2)
        return bl_item_number(r, node, "inertia", &local[2][2]);
    if (node->kind == BL_ITEM_LIST && node->count == 3 && node->value[0]->kind == BL_ITEM_LIST) {
        double largest = 0;
        for (int i = 0; i < 3; i++) {
            BL_TRY(bl_item_numbers(r, node->value[i], "a row of inertia", 3, local[i]));
            for (int j = 0; j < 3; j++)
                largest = fmax(largest, fabs(local[i][j]));
        }
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < i; j++) {
                if (fabs(local[i][j] - local[j][i]) > model_inertia_digits * largest)
                    return bl_fail(r->ctx, BL_E_MODEL, &node->place, "inertia is not symmetric: I%c%c = %g, I%c%c = %g", 'x' + j, 'x' + i,
                                   local[j][i], 'x' + i, 'x' + j, local[i][j]);
                local[i][j] = local[j][i] = (local[i][j] + local[j][i]) / 2;
            }
        return BL_OK;
    }
    double entry[6] = {0};
    if (node->kind != BL_ITEM_LIST || (node->count != 3 && node->count != 6))
        return bl_fail(r->ctx, BL_E_MODEL, &node->place,
                       "inertia must be [Ixx, Iyy, Izz], [Ixx, Iyy, Izz, Ixy, Ixz, Iyz] or three rows of three numbers");
    BL_TRY(bl_item_numbers(r, node, "inertia", node->count, entry));
    for (int k = 0; k < 6; k++)
        local[index[k][0]][index[k][1]] = local[index[k][1]][index[k][0]] = entry[k];
    return BL_OK;
}

static bl_status read_plain(bl_reader *r, const bl_item *body, const char *what, bl_inertia *out) {
    const bl_item *center = bl_item_get(body, "center"), *inertia = bl_item_get(body, "inertia");
    double local[3][3] = {{0}}, axes[3][3];
    BL_TRY(read_mass(r, body, NAN, what, &out->mass));
    for (int k = 0; k < 2 && out->mass > 0; k++) {
        bl_status status = bl_item_need(r, body, what, k ? "inertia" : "center", k ? &inertia : &center);
        if (status == BL_E_MODEL && !bl_context_error(r->ctx)->advice[0])
            bl_advise(r->ctx, "give 'center' and 'inertia', or a shape that defines them: rod, box, %s",
                      r->model->dim == 2 ? "disc" : "cylinder, sphere");
        BL_TRY(status);
    }
    if (center)
        BL_TRY(bl_item_point(r, center, "center", out->center));
    BL_TRY(bl_read_axes(r, bl_item_get(body, "axes"), axes));
    if (inertia)
        BL_TRY(read_matrix(r, inertia, local));
    bl_inertia_turn(local, axes, out->about);
    return BL_OK;
}

/* ---- point masses */

typedef struct point_masses {
    bl_inertia *sum;
    bl_index n;
    double (*point)[3], *mass;
} point_masses;

static bl_status add_mass(bl_reader *r, const bl_item *entry, void *user) {
    point_masses *all = user;
    bl_inertia *sum = all->sum, part = {0};
    const bl_item *mass, *at;
    BL_TRY(bl_item_map(r, entry, "a point mass"));
    BL_TRY(bl_item_keys(r, entry, "a point mass", (const char *const[]){"mass", "at"}, 2, NULL));
    BL_TRY(bl_item_need(r, entry, "a point mass", "mass", &mass));
    BL_TRY(bl_item_need(r, entry, "a point mass", "at", &at));
    BL_TRY(bl_item_number(r, mass, "mass", &part.mass));
    BL_TRY(bl_item_range(r, &mass->place, "mass", BL_NOT_NEGATIVE, part.mass));
    BL_TRY(bl_item_point(r, at, "at", part.center));
    if (sum->mass < 0) /* no mass so far */
        *sum = part;
    else
        bl_inertia_add(sum, &part);
    memcpy(all->point[all->n], part.center, sizeof part.center);
    all->mass[all->n++] = part.mass;
    return BL_OK;
}

static bl_status read_masses(bl_reader *r, const bl_item *points, bl_inertia *it, bl_appearance *appearance) {
    point_masses all = {.sum = it};
    bl_index count = 0;
    BL_TRY(bl_each_count(r, points, "points", &count));
    BL_TRY(BL_ARENA_ARRAYS(&r->model->arena, BL_ARRAY(all.point, count), BL_ARRAY(all.mass, count)));
    BL_TRY(bl_each(r, points, "points", add_mass, &all));
    *appearance = (bl_appearance){.kind = BL_APPEARANCE_POINTS, .npoint = all.n, .point = (const double(*)[3])all.point, .mass = all.mass};
    return BL_OK;
}

/* ---- check */

static bl_status check_inertia(bl_reader *r, const bl_item *body, const char *what, const bl_inertia *it) {
    const bl_item *node = bl_item_get(body, "inertia");
    const bl_place *place = node ? &node->place : &body->place;
    double sum = it->mass;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            sum += fabs(it->about[i][j]) + fabs(it->center[j]);
    if (!isfinite(sum))
        return bl_fail(r->ctx, BL_E_MODEL, place, "%s: mass, center or inertia is not finite", what);
    if (r->model->dim == 2) {
        if (it->about[2][2] < 0)
            return bl_fail(r->ctx, BL_E_MODEL, place, "%s: inertia must not be negative, found %g", what, it->about[2][2]);
        return BL_OK;
    }
    double moment[3];
    bl_inertia_principal(it->about, moment);
    double slack = model_inertia_digits * fmax(fabs(moment[0]), fabs(moment[2]));
    if (moment[0] < -slack)
        return bl_fail(r->ctx, BL_E_MODEL, place, "%s: inertia must not be negative, but a principal moment is %g", what, moment[0]);
    if (moment[0] + moment[1] < moment[2] - slack) {
        bl_fail(r->ctx, BL_E_MODEL, place,
                "%s: no body can have the principal moments of inertia %g, %g, %g: one is larger than the sum of the other two", what,
                moment[0], moment[1], moment[2]);
        bl_advise(r->ctx, "give inertia about the mass center, and products of inertia as off-diagonal matrix entries, with their sign");
        return BL_E_MODEL;
    }
    return BL_OK;
}

bl_status bl_read_inertia(bl_reader *r, const bl_item *node, const char *what, double about[3][3]) {
    bl_inertia it = {0};
    BL_TRY(read_matrix(r, node, it.about));
    BL_TRY(check_inertia(r, node, what, &it));
    memcpy(about, it.about, sizeof it.about);
    return BL_OK;
}

/* ---- points and vectors that the body carries */

static bl_status add_carry(bl_reader *r, const bl_item *entry, void *user) {
    bl_body *body = user;
    BL_TRY(bl_item_map(r, entry, "an entry of carry"));
    BL_TRY(bl_item_keys(r, entry, "carry", (const char *const[]){"point", "vector"}, 2, NULL));
    if (entry->count != 1)
        return bl_fail(r->ctx, BL_E_MODEL, &entry->place, "an entry of carry must be {point: ...} or {vector: ...}");
    bool vector = strcmp(entry->key[0]->text, "vector") == 0;
    double value[3];
    if (vector)
        BL_TRY(bl_item_direction(r, entry->value[0], "vector", value));
    else
        BL_TRY(bl_item_point(r, entry->value[0], "point", value));
    bl_index which = (bl_index)(body - r->model->body);
    body->carry[body->ncarry++] = vector ? bl_model_mark_vector(r->model, which, value) : bl_model_mark_point(r->model, which, value);
    return BL_OK;
}

static bl_status read_carry(bl_reader *r, const bl_item *node, bl_body *body) {
    bl_index count = 0;
    BL_TRY(bl_each_count(r, node, "carry", &count));
    body->carry = bl_arena_alloc(&r->model->arena, (size_t)count, sizeof *body->carry);
    return body->carry ? bl_each(r, node, "carry", add_carry, body) : BL_E_MEMORY;
}

/* ---- one body */

/* appearance[2]: of the shapes that define the mass */
static bl_status read_properties(bl_reader *r, const bl_item *entry, const char *what, bl_inertia *it, bl_appearance *appearance,
                                 bl_index *nappearance) {
    static const char *const plain_keys[] = {"center", "inertia", "axes"};
    const bl_item *points = bl_item_get(entry, "points"), *shape_node = NULL;
    int which = -1;
    for (int k = 0; k < NSHAPE; k++) {
        const bl_item *node = bl_item_get(entry, shape_names[k]);
        if (node && which >= 0)
            return bl_fail(r->ctx, BL_E_MODEL, &node->place, "%s is described twice, as %s and as %s", what, shape_names[which],
                           shape_names[k]);
        if (node) {
            which = k;
            shape_node = node;
        }
    }
    it->mass = -1;
    if (which >= 0) {
        for (int k = 0; k < 3; k++) {
            const bl_item *node = bl_item_get(entry, plain_keys[k]);
            if (node)
                return bl_fail(r->ctx, BL_E_MODEL, &node->place, "%s is described twice, as %s and by '%s'", what, shape_names[which],
                               plain_keys[k]);
        }
        shape solid = {0};
        BL_TRY(read_shape(r, shape_node, which, &solid));
        BL_TRY(read_mass(r, entry, solid.volume, what, &it->mass));
        for (int k = 0; k < 3; k++)
            solid.local[k][k] *= it->mass;
        solid.local[0][0] += solid.axial;
        bl_inertia_turn(solid.local, solid.axes, it->about);
        memcpy(it->center, solid.center, sizeof it->center);
        appearance[(*nappearance)++] = solid.appearance;
    } else if (!points || bl_item_get(entry, "mass") || bl_item_get(entry, "density") || bl_item_get(entry, "center") ||
               bl_item_get(entry, "inertia")) {
        BL_TRY(read_plain(r, entry, what, it));
    }
    if (points)
        BL_TRY(read_masses(r, points, it, &appearance[(*nappearance)++]));
    if (it->mass < 0)
        return bl_fail(r->ctx, BL_E_MODEL, &points->place, "%s has no mass: 'points' is empty", what);
    return check_inertia(r, entry, what, it);
}

static bl_status read_body(bl_reader *r, const bl_item *entry, void *user) {
    static const char *const keys[] = {"name", "mass", "density",  "center", "inertia", "axes",        "points", "carry",
                                       "rod",  "box",  "cylinder", "sphere", "disc",    "coordinates", "shape",  "beam"};
    (void)user;
    bl_model *model = r->model;
    if (entry->kind == BL_ITEM_MAP && bl_item_get(entry, "mesh"))
        return bl_mesh_body_read(r, entry);
    if (entry->kind == BL_ITEM_MAP && bl_item_get(entry, "reduced"))
        return bl_reduced_body_read(r, entry);
    BL_TRY(bl_bodies_reserve(r, model->nbody + 1));
    bl_body *body = &model->body[model->nbody];
    const bl_item *name, *carry = bl_item_get(entry, "carry"), *coordinates = bl_item_get(entry, "coordinates");
    char what[128];
    BL_TRY(bl_item_map(r, entry, "a body"));
    if (bl_item_get(entry, "beam"))
        return bl_read_beam(r, entry);
    BL_TRY(bl_item_keys(r, entry, "a body", keys, sizeof keys / sizeof *keys, NULL));
    BL_TRY(bl_item_need(r, entry, "a body", "name", &name));
    BL_TRY(bl_item_keep(r, name, "name", &body->name));
    body->place = entry->place;
    r->part = body->name;
    snprintf(what, sizeof what, "body '%.80s'", body->name);
    if (bl_names_find(&r->beams, body->name) >= 0)
        return bl_fail(r->ctx, BL_E_MODEL, &name->place, "duplicate name: there is already a beam '%s'", body->name);
    BL_TRY(bl_names_add(r, &r->bodies, "body", body->name, model->nbody, &name->place));
    bl_inertia it = {0};
    bl_appearance appearance[2];
    bl_index nappearance = 0;
    BL_TRY(read_properties(r, entry, what, &it, appearance, &nappearance));
    BL_TRY(bl_read_appearance(r, bl_item_get(entry, "shape"), nappearance, appearance, body));
    model->nbody++;
    body->mass = it.mass;
    memcpy(body->center, it.center, sizeof body->center);
    memcpy(body->inertia, it.about, sizeof body->inertia);
    if (model->dim == 2) { /* planar bodies have one moment of inertia */
        memset(body->inertia, 0, sizeof body->inertia);
        body->inertia[2][2] = it.about[2][2];
    }
    if (carry)
        BL_TRY(read_carry(r, carry, body));
    if (coordinates) {
        body->coordinates_at = coordinates->place;
        BL_TRY(bl_item_keep(r, coordinates, "coordinates", &body->coordinates));
    }
    r->part = NULL;
    return BL_OK;
}

bl_status bl_read_bodies(bl_reader *r) {
    bl_model *model = r->model;
    const bl_place *place = &r->document[r->order[r->norder - 1]].root->place;
    bl_index count;
    BL_TRY(bl_section_count(r, "bodies", &count));
    if (count == 0) {
        bl_fail(r->ctx, BL_E_MODEL, place, "the model has no bodies");
        bl_advise(r->ctx, "add a section 'bodies:'; models without bodies have 'equations:', 'matrices:' or 'fields:'");
        return BL_E_MODEL;
    }
    BL_TRY(bl_bodies_reserve(r, count + 1));
    model->body[0].name = "ground";
    model->body[0].place = *place;
    BL_TRY(bl_names_reserve(r, &r->bodies, count + 1));
    BL_TRY(bl_names_put(r, &r->bodies, "ground", 0));
    model->nbody = 1;
    if (bl_has_solids(r))
        BL_TRY(bl_mesh_bodies_begin(r));
    return bl_section_each(r, "bodies", read_body, NULL);
}
