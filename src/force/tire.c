/* Tire: a wheel on a road fixed in the ground. Its center p is at the height z along the normal n of the road plane, the road at h(x), x
 * the distance along e. With s = sqrt(1 + h'^2), the road normal N = (n - h' e) / s, the spin axis a, u = N . a, c = sqrt(1 - u^2):
 *
 *     distance D = (z - h) / s,  compression x = R - D / c,  load f = k x + d x' while x > 0 and f > 0
 *
 * The load acts by the virtual work of x, forces of slip at the contact point p - D (N - u a) / c^2 (tire_slip.c). */
#include "force/tire.h"
#include "force/ops.h"
#include "force/rotation_vector.h"

#include "base/vector3.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const bl_param params[] = {
    {"body", BL_P_BODY, BL_REQUIRED, 0, NULL, NULL, "the wheel"},
    {"at", BL_P_POINT, 0, 0, NULL, "m", "its center (default: mass center)"},
    {"axis", BL_P_VECTOR, 0, 0, NULL, NULL,
     "its axis, required in space (default: across the plane; an axis in the plane: view from above)"},
    {"normal", BL_P_VECTOR, 0, 0, NULL, NULL, "of the road, upward (default: z, in the plane y)"},
    {"road", BL_P_LAW, 0, 0, NULL, "m", "height along the normal, a law of x (along the road) and t (default: 0)"},
    {"radius", BL_P_NUMBER, BL_POSITIVE, 0, NULL, "m", "of the unloaded tire (no default)"},
    {"stiffness", BL_P_NUMBER, BL_POSITIVE, 0, NULL, "N/m", "load per compression (no default)"},
    {"damping", BL_P_NUMBER, BL_NOT_NEGATIVE, 0, NULL, "N s/m", "load per rate of compression"},
    {"load", BL_P_NUMBER, BL_POSITIVE, 0, NULL, "N", "at which slip_stiffness is given; seen from above: the load itself (no default)"},
    {"model", BL_P_CHOICE, 0, 0, "linear|magic", NULL, "law of slip"},
    {"slip_stiffness", BL_P_NUMBERS, BL_NOT_NEGATIVE, 0, NULL, "N, N/rad", "linear: force per slip, [along, across] (default: no forces)"},
    {"friction", BL_P_NUMBERS, BL_POSITIVE, 0, NULL, NULL, "greatest force / load, [along, across] or one (default: 1); D of magic"},
    {"longitudinal", BL_P_NUMBERS, 0, 0, NULL, NULL, "magic: [B, C, E] along (default: rolls freely)"},
    {"lateral", BL_P_NUMBERS, 0, 0, NULL, "1/rad", "magic: [B, C, E] across (no default)"},
    {"rolling_resistance", BL_P_NUMBER, BL_NOT_NEGATIVE, 0, NULL, NULL, "resistance / load"},
    {"velocity", BL_P_NUMBER, BL_POSITIVE, 0.1, NULL, "m/s", "speed below which slips are smoothed"},
    {0},
};
enum {
    BODY,
    AT,
    AXIS,
    NORMAL,
    ROAD,
    RADIUS,
    STIFFNESS,
    DAMPING,
    LOAD,
    MODEL,
    SLIP_STIFFNESS,
    FRICTION,
    LONGITUDINAL,
    LATERAL,
    ROLLING_RESISTANCE,
    VELOCITY
};

static const double *center_of(const bl_model *model, const bl_value *value) {
    return value[AT].given ? value[AT].vector : model->body[value[BODY].ref].center;
}

/* seen from above: in the plane, with an axis in it */
static bool from_above(const bl_model *model, const bl_value *value) { return model->dim == 2 && value[AXIS].given; }

/* ---- parameters */

static bl_status refuse_key(const bl_record *r, int which, const char *text, const char *advice) {
    char what[96];
    snprintf(what, sizeof what, "%s %s", params[which].name, text);
    return bl_record_refuse(r, &r->def->value[which], what, advice);
}

static bl_status check_keys(const bl_record *r) {
    const bl_value *value = r->def->value;
    bool above = from_above(r->model, value), magic = value[MODEL].number != 0;
    static const int contact[] = {NORMAL, ROAD, RADIUS, STIFFNESS, DAMPING};
    if (value[BODY].ref == 0)
        return bl_record_refuse(r, &value[BODY], "'body' is ground, which does not roll", "choose the body of the wheel");
    if (r->model->dim == 3 && !value[AXIS].given)
        return refuse_key(r, AXIS, "is missing", "give the axis of rotation of the wheel");
    for (size_t i = 0; above && i < sizeof contact / sizeof *contact; i++)
        if (value[contact[i]].given)
            return refuse_key(r, contact[i], "has no meaning in a view from above",
                              "leave it out; a wheel that rolls in the plane has no axis");
    if (!above && !value[RADIUS].given)
        return refuse_key(r, RADIUS, "is missing", "give the radius of the unloaded tire");
    if (!above && !value[STIFFNESS].given)
        return refuse_key(r, STIFFNESS, "is missing", "give the vertical stiffness of the tire");
    if (above && !value[LOAD].given)
        return refuse_key(r, LOAD, "is missing", "in a view from above give the load on the wheel");
    if (!above && !magic && value[SLIP_STIFFNESS].given && !value[LOAD].given)
        return refuse_key(r, LOAD, "is missing",
                          "give the load at which slip_stiffness was measured, for instance that of the wheel at rest");
    if (magic && value[SLIP_STIFFNESS].given)
        return refuse_key(r, SLIP_STIFFNESS, "belongs to the linear model", "the magic formula uses longitudinal and lateral");
    for (int k = LONGITUDINAL; k <= LATERAL; k++) {
        if (!magic && value[k].given)
            return refuse_key(r, k, "belongs to the magic formula", "write model: magic");
        if (value[k].given && value[k].number != 3)
            return refuse_key(r, k, "needs 3 numbers", "give B, C and E of the magic formula; D is the friction");
    }
    if (magic && !value[LATERAL].given && (above || r->model->dim == 3))
        return refuse_key(r, LATERAL, "is missing", "give B, C and E across the wheel");
    if (value[FRICTION].given && value[FRICTION].number > 2)
        return refuse_key(r, FRICTION, "needs one or two numbers", "give it along and across the wheel, or one number for both");
    if (value[SLIP_STIFFNESS].given && value[SLIP_STIFFNESS].number != 2 && r->model->dim == 3)
        return refuse_key(r, SLIP_STIFFNESS, "needs 2 numbers", "give those along and across the wheel: [C_x, C_y]");
    return BL_OK;
}

/* the laws of slip; in a side view nothing slides across the wheel, in a view from above nothing along it */
static void read_slip(const bl_record *r, bl_tire_slip *slip) {
    const bl_value *value = r->def->value;
    const double *C = value[SLIP_STIFFNESS].vector;
    bool above = from_above(r->model, value), given = value[SLIP_STIFFNESS].given;
    *slip = (bl_tire_slip){.magic = value[MODEL].number != 0, .speed = value[VELOCITY].number};
    for (int k = 0; k < 2; k++) {
        const bl_value *shape = &value[k == 0 ? LONGITUDINAL : LATERAL];
        slip->friction[k] = value[FRICTION].given ? value[FRICTION].vector[value[FRICTION].number > 1 ? k : 0] : 1;
        slip->B[k] = shape->given ? shape->vector[0] : 0;
        slip->C[k] = shape->given ? shape->vector[1] : 0;
        slip->E[k] = shape->given ? shape->vector[2] : 0;
    }
    bool one = value[SLIP_STIFFNESS].number == 1;
    slip->stiffness[0] = given && !above ? C[0] / value[LOAD].number : 0;
    slip->stiffness[1] = given ? C[one ? 0 : 1] / value[LOAD].number : 0;
    slip->rolls_freely = above || (slip->magic ? !value[LONGITUDINAL].given : slip->stiffness[0] == 0);
}

/* ---- seen from above: a constant load, a force across the wheel and the rolling resistance */

static void record_above(bl_record *r) {
    const bl_value *value = r->def->value;
    bl_index body = value[BODY].ref;
    bl_index point = bl_record_mark(r, bl_model_mark_point(r->model, body, center_of(r->model, value)));
    bl_index across = bl_record_mark(r, bl_model_mark_vector(r->model, body, value[AXIS].vector));
    bl_index a[3], v[3], share[2], force[3] = {bl_node(r, 0), bl_node(r, 0), bl_node(r, 0)};
    bl_record_position(r, across, a);
    bl_record_velocity(r, point, v);
    bl_index ahead_of[3] = {a[1], bl_node_neg(r, a[0]), bl_node(r, 0)}; /* a x z */
    bl_index ahead = bl_node_dot(r, ahead_of, v), slide[2] = {bl_node(r, 0), bl_node_dot(r, a, v)};
    bl_tire_slip slip;
    read_slip(r, &slip);
    bl_tire_shares(r, &slip, ahead, slide, share);
    if (value[ROLLING_RESISTANCE].number != 0)
        share[0] = bl_node_scale(r, -value[ROLLING_RESISTANCE].number, bl_node_tanh(r, bl_node_scale(r, 1 / slip.speed, ahead)));
    bl_node_add3(r, bl_node_scale(r, value[LOAD].number, share[0]), ahead_of, force);
    bl_node_add3(r, bl_node_scale(r, value[LOAD].number, share[1]), a, force);
    bl_record_push(r, point, force);
}

/* ---- on a road */

typedef struct contact {
    bl_index point, mark;             /* marks: center, axis (in space) */
    bl_index p[3], v[3], a[3], ad[3]; /* center, axis, their rates */
    bl_index w[3];                    /* angular velocity */
    bl_index N[3], e[3], tangent[3];  /* normal of the road at x, direction of x, tangent */
    bl_index D, u, c;                 /* distance from the road; N . a; cosine of the camber angle */
    bl_index by_p[3], by_u;           /* -dx/dp and -dx/du: virtual work of the compression */
    bl_index x, rate;                 /* compression */
} contact;

static void constant3(bl_record *r, const double x[3], bl_index node[3]) {
    for (int k = 0; k < 3; k++)
        node[k] = bl_node(r, x[k]);
}

/* direction of x: that of global x in the road plane (in the plane, to the right of the normal) */
static bl_status road_axes(const bl_record *r, double n[3], double e[3]) {
    const bl_value *normal = &r->def->value[NORMAL];
    bool plane = r->model->dim == 2;
    double up[3] = {0, plane, !plane};
    memcpy(n, normal->given ? normal->vector : up, sizeof up);
    if (plane) {
        e[0] = n[1];
        e[1] = -n[0];
        e[2] = 0;
        return BL_OK;
    }
    int first = fabs(n[0]) < 0.9 ? 0 : 1;
    double along = n[first], size = sqrt(1 - along * along);
    for (int k = 0; k < 3; k++)
        e[k] = ((k == first) - along * n[k]) / size;
    return BL_OK;
}

/* center, axis and angular velocity of the wheel */
static void record_motion(bl_record *r, contact *t) {
    const bl_value *value = r->def->value;
    bl_index body = value[BODY].ref, u[3][3], ud[3][3];
    t->point = bl_record_mark(r, bl_model_mark_point(r->model, body, center_of(r->model, value)));
    bl_record_position(r, t->point, t->p);
    bl_record_velocity(r, t->point, t->v);
    for (int i = 0; i < r->model->dim; i++) {
        bl_mark mark = {.body = body, .is_vector = true};
        mark.s[i] = 1;
        bl_index own = bl_record_mark(r, mark);
        bl_record_position(r, own, u[i]);
        bl_record_velocity(r, own, ud[i]);
    }
    bl_node_angular_velocity(r, (const bl_index(*)[3])u, (const bl_index(*)[3])ud, t->w);
    t->mark = -1;
    constant3(r, (const double[3]){0, 0, 1}, t->a);
    constant3(r, (const double[3]){0, 0, 0}, t->ad);
    if (r->model->dim == 2)
        return;
    t->mark = bl_record_mark(r, bl_model_mark_vector(r->model, body, value[AXIS].vector));
    bl_record_position(r, t->mark, t->a);
    bl_record_velocity(r, t->mark, t->ad);
}

/* distance and compression, and their virtual work:
 *     dD = (n / s - e (h' / s + (z - h) h' h'' / s^3)) . dp,  du = N . da - h'' / s^2 (a . tangent) e . dp
 *     dx = -dD / c - D u / c^3 du */
static void record_compression(bl_record *r, const double normal[3], const double along[3], contact *t) {
    const bl_value *value = r->def->value;
    bl_index n[3], h[BL_PROFILE_PARTS], one = bl_node(r, 1);
    constant3(r, normal, n);
    constant3(r, along, t->e);
    bl_record_profile(r, value[ROAD].given ? value[ROAD].law[0] : -1, value[ROAD].given ? value[ROAD].number : 0,
                      bl_node_dot(r, t->e, t->p), h);
    bl_index slope = h[BL_PROFILE_SLOPE], curve = h[BL_PROFILE_CURVE];
    bl_index s2 = bl_node_add(r, one, bl_node_mul(r, slope, slope)), s = bl_node_sqrt(r, s2);
    bl_index above = bl_node_sub(r, bl_node_dot(r, n, t->p), h[BL_PROFILE_VALUE]);
    for (int k = 0; k < 3; k++) {
        t->N[k] = bl_node_div(r, bl_node_sub(r, n[k], bl_node_mul(r, slope, t->e[k])), s);
        t->tangent[k] = bl_node_div(r, bl_node_add(r, t->e[k], bl_node_mul(r, slope, n[k])), s);
    }
    t->D = bl_node_div(r, above, s);
    t->u = bl_node_dot(r, t->N, t->a);
    t->c = bl_node_sqrt(r, bl_node_sub(r, one, bl_node_mul(r, t->u, t->u)));
    t->x = bl_node_sub(r, bl_node(r, value[RADIUS].number), bl_node_div(r, t->D, t->c));
    bl_index turned = bl_node_div(r, bl_node_mul(r, slope, t->D), s2); /* D changes by -turned h'' dx and -turned dh' */
    t->by_u = bl_node_div(r, bl_node_mul(r, t->D, t->u), bl_node_mul(r, t->c, bl_node_mul(r, t->c, t->c)));
    bl_index tilt = bl_node_neg(r, bl_node_div(r, bl_node_dot(r, t->a, t->tangent), s2)); /* u changes by tilt h'' dx and tilt dh' */
    bl_index through = bl_node_sub(r, bl_node_mul(r, t->by_u, tilt), bl_node_div(r, turned, t->c)); /* -dx by dh' */
    for (int k = 0; k < 3; k++) {
        bl_index straight = bl_node_div(r, t->N[k], t->c);
        t->by_p[k] = bl_node_add(r, straight, bl_node_mul(r, bl_node_mul(r, through, curve), t->e[k]));
    }
    bl_index minus = bl_node_add(r, bl_node_dot(r, t->by_p, t->v), bl_node_mul(r, t->by_u, bl_node_dot(r, t->N, t->ad)));
    bl_index lift = bl_node_sub(r, bl_node_mul(r, through, h[BL_PROFILE_SWING]),
                                bl_node_div(r, h[BL_PROFILE_RISE], bl_node_mul(r, s, t->c))); /* the road itself moves */
    t->rate = bl_node_neg(r, bl_node_add(r, minus, lift));
}

/* load while compressed; its potential */
static bl_index record_load(bl_record *r, const contact *t) {
    const bl_value *value = r->def->value;
    double k = value[STIFFNESS].number, c = value[DAMPING].number;
    bl_index zero = bl_node(r, 0), pressed = bl_tape_op2(r->tape, BL_TAPE_LESS, zero, t->x), load = bl_node_scale(r, k, t->x);
    if (c != 0)
        load = bl_tape_op2(r->tape, BL_TAPE_MAX, zero, bl_node_add(r, load, bl_node_scale(r, c, t->rate)));
    bl_record_potential(r, bl_tape_if(r->tape, pressed, bl_node_scale(r, 0.5 * k, bl_node_mul(r, t->x, t->x)), zero));
    return bl_tape_if(r->tape, pressed, load, zero);
}

/* forces of slip at the contact point and rolling resistance, for the normal force */
static void record_slip(bl_record *r, const contact *t, bl_index normal) {
    const bl_value *value = r->def->value;
    bl_tire_slip slip;
    read_slip(r, &slip);
    bl_index ahead_of[3], across[3], arm[3], v[3], moved[3], moment[3], share[2], force[3] = {bl_node(r, 0), bl_node(r, 0), bl_node(r, 0)};
    bl_node_cross(r, t->a, t->N, ahead_of);
    for (int k = 0; k < 3; k++)
        ahead_of[k] = bl_node_div(r, ahead_of[k], t->c);
    bl_node_cross(r, t->N, ahead_of, across);
    bl_index reach = bl_node_div(r, t->D, bl_node_mul(r, t->c, t->c));
    for (int k = 0; k < 3; k++)
        arm[k] = bl_node_mul(r, reach, bl_node_sub(r, bl_node_mul(r, t->u, t->a[k]), t->N[k]));
    bl_node_cross(r, t->w, arm, moved);
    for (int k = 0; k < 3; k++)
        v[k] = bl_node_add(r, t->v[k], moved[k]);
    bl_index slide[2] = {bl_node_dot(r, ahead_of, v), r->model->dim == 3 ? bl_node_dot(r, across, v) : bl_node(r, 0)};
    bl_tire_shares(r, &slip, bl_node_dot(r, ahead_of, t->v), slide, share);
    bl_node_add3(r, bl_node_mul(r, normal, share[0]), ahead_of, force);
    bl_node_add3(r, bl_node_mul(r, normal, share[1]), across, force);
    bl_record_push(r, t->point, force);
    bl_node_cross(r, arm, force, moment);
    if (value[ROLLING_RESISTANCE].number != 0) {
        bl_index loaded = bl_node_div(r, t->D, t->c), rim = bl_node_mul(r, loaded, bl_node_dot(r, t->w, t->a));
        bl_index against = bl_node_scale(r, -value[ROLLING_RESISTANCE].number, bl_node_tanh(r, bl_node_scale(r, 1 / slip.speed, rim)));
        bl_node_add3(r, bl_node_mul(r, bl_node_mul(r, normal, loaded), against), t->a, moment);
    }
    bl_record_torque(r, value[BODY].ref, moment);
}

static bl_status tire_record(bl_record *r) {
    const bl_value *value = r->def->value;
    double normal[3], along[3];
    BL_TRY(check_keys(r));
    if (from_above(r->model, value)) {
        record_above(r);
        return BL_OK;
    }
    BL_TRY(road_axes(r, normal, along));
    contact t = {0};
    record_motion(r, &t);
    record_compression(r, normal, along, &t);
    bl_index load = record_load(r, &t), force[3], on_axis[3], tilting = bl_node_mul(r, load, t.by_u);
    for (int k = 0; k < 3; k++) {
        force[k] = bl_node_mul(r, load, t.by_p[k]);
        on_axis[k] = bl_node_mul(r, tilting, t.N[k]);
    }
    bl_record_push(r, t.point, force);
    if (t.mark >= 0)
        bl_record_push(r, t.mark, on_axis);
    record_slip(r, &t, bl_node_div(r, load, t.c));
    return BL_OK;
}

static bl_status tire_picture(const bl_model *model, const bl_force_def *def, bl_force_picture *out) {
    out->drawn = BL_DRAWN_FORCE;
    out->body[1] = def->value[BODY].ref;
    for (int side = 0; side < 2; side++)
        memcpy(out->at[side], center_of(model, def->value), sizeof out->at[side]);
    return BL_OK;
}

const bl_force_kind bl_force_tire = {
    .kind = {"tire", "a wheel on a road: load, slip along and across, friction limit", params, 0, 0},
    .record = tire_record,
    .picture = tire_picture,
};
