/* Dyads of the plane in closed form: two links, an inner pair between them and one outer pair each to links already solved. a is the point
 * of the first outer pin, b of the second, c of the inner one; u directions of sliding. Each form has two solutions at most; a sign selects
 * the branch:
 *
 *     RRR   c on two circles            RRP   c on a circle and a line         RPR   the line through b at a distance from a
 *     PRP   c on two lines              RPP   angles are known, one line equation is left
 *
 * Where the root is 0 both solutions meet. At a dead point there is none beyond; at a change point (flat parallelograms) the root
 * touches 0, and the smooth motion continues with the other sign. */
#include "kinematics/kinematics_limits.h"
#include "kinematics/plane.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct dyad_form dyad_form;

typedef struct dyad_kind {
    const char *letters; /* outer, inner, outer */
    void (*start)(const bl_kinematics *k, dyad_form *f);
    bl_status (*position)(bl_kinematics *k, dyad_form *f, double ahead);
    void (*velocity)(bl_kinematics *k, dyad_form *f);
    void (*acceleration)(bl_kinematics *k, dyad_form *f);
} dyad_kind;

struct dyad_form {
    const dyad_kind *kind;
    bl_index first, second;           /* the links */
    plane_pair outer1, inner, outer2; /* outer: x is the solved body; inner: x is the first link */
    vec2 arm1, arm2;                  /* from the outer pin to the inner one, in the link's own axes */
    double l1, l2, half_difference;   /* squared lengths of the arms, half their difference */
    bl_branch *branch;                /* of the group */
    vec2 a, b, u1, u2;                /* present values: arms from the outer pins to c, or directions of sliding */
    double s1, s2;                    /* rates of sliding */
};

static bl_body_motion *body(bl_kinematics *k, bl_index i) { return &k->body[i]; }

/* rotates the link so that its arm (squared length l) points along `arm`, with its outer pin at `pin` */
static void set_link(bl_body_motion *link, vec2 pin, vec2 own_pin, vec2 own_arm, double l, vec2 arm) {
    vec2 turn = mul2(1 / l, back2(own_arm, arm));
    put_body(link, sub2(pin, turn2(turn, own_pin)), turn);
}

static double sign_of(double x) { return x < 0 ? -1 : 1; }

/* minimum on (0, 1) of the cubic with these values and slopes at both ends, falling at the first and rising at the second */
static double least_between(double from, double fall, double to, double rise) {
    double c = fall, b = 3 * (to - from) - 2 * fall - rise, a = 2 * (from - to) + fall + rise;
    double under = sqrt(fmax(b * b - 3 * a * c, 0)), x = b >= 0 ? -c / (b + under) : (under - b) / (3 * a);
    x = isfinite(x) ? fmin(fmax(x, 0), 1) : 0.5;
    return from + x * (c + x * (b + x * a));
}

/* Selects the branch from the argument of the root at this position and its rate. In a continuous motion the argument may have a minimum
 * between the last position and this one. Clearly positive: no change. Zero compared with both end values, even close to it: it touches
 * zero, and the signed square root passes through it. Otherwise a shorter step decides; at dead points none does. */
static bl_status choose_branch(bl_kinematics *k, dyad_form *f, double ahead, double root, double rate, double scale) {
    bl_branch *b = f->branch;
    k->near_branch_point = k->near_branch_point || root < kinematics_dyad_near * scale;
    if (!(root >= 0) || (ahead != 0 && root < kinematics_dyad_singular * scale)) /* too close: rates would be only rounding errors */
        return BL_SINGULAR;
    if (ahead != 0 && b->rate * ahead < 0 && rate * ahead > 0) {
        double least = least_between(b->root, ahead * b->rate, root, ahead * rate);
        double larger = fmax(b->root, root);
        bool close = larger < kinematics_dyad_close * scale;
        bool turns = least > kinematics_dyad_turns * larger;
        bool touches = close && fabs(least) < kinematics_dyad_touches * fmin(b->root, root);
        if (!touches && !turns)
            return BL_SINGULAR;
        if (touches)
            b->sign = -b->sign;
    }
    b->root = root;
    b->rate = rate;
    b->scale = scale;
    return BL_OK;
}

/* ---- RRR */

static void set_arms(dyad_form *f) {
    f->arm1 = sub2(f->inner.px, f->outer1.py);
    f->l1 = dot2(f->arm1, f->arm1);
    f->arm2 = sub2(f->inner.py, f->outer2.py);
    f->l2 = dot2(f->arm2, f->arm2);
    f->half_difference = (f->l1 - f->l2) / 2;
}

static void rrr_start(const bl_kinematics *k, dyad_form *f) {
    vec2 a = point_of(&k->body[f->first], f->outer1.py), b = point_of(&k->body[f->second], f->outer2.py);
    vec2 c = point_of(&k->body[f->first], f->inner.px);
    f->branch->sign = sign_of(cross2(sub2(b, a), sub2(c, a)));
}

static double rrr_rate(const bl_kinematics *k, const dyad_form *f, vec2 a, vec2 b) {
    vec2 d = sub2(b, a), relative = sub2(velocity_at(&k->body[f->outer2.x], b), velocity_at(&k->body[f->outer1.x], a));
    return (f->l1 - f->half_difference - dot2(d, d) / 2) * 2 * dot2(d, relative);
}

static bl_status rrr_position(bl_kinematics *k, dyad_form *f, double ahead) {
    vec2 a = point_of(&k->body[f->outer1.x], f->outer1.px), b = point_of(&k->body[f->outer2.x], f->outer2.px), d = sub2(b, a);
    double dd = dot2(d, d), along = f->half_difference + dd / 2, root = f->l1 * dd - along * along;
    if (dd == 0)
        return BL_SINGULAR;
    BL_TRY(choose_branch(k, f, ahead, root, ahead != 0 ? rrr_rate(k, f, a, b) : 0, f->l1 * dd));
    double across = f->branch->sign * sqrt(root), scale = 1 / dd;
    f->a = mul2(scale, add2(mul2(along, d), mul2(across, left2(d))));
    f->b = sub2(f->a, d);
    set_link(body(k, f->first), a, f->outer1.py, f->arm1, f->l1, f->a);
    set_link(body(k, f->second), b, f->outer2.py, f->arm2, f->l2, f->b);
    return BL_OK;
}

/* w1 z x a - w2 z x b = difference of the outer pins' velocities */
static void two_turns(vec2 a, vec2 b, vec2 difference, double *w1, double *w2) {
    double area = cross2(a, b);
    *w1 = dot2(b, difference) / area;
    *w2 = dot2(a, difference) / area;
}

static void rrr_velocity(bl_kinematics *k, dyad_form *f) {
    vec2 a = point_of(&k->body[f->outer1.x], f->outer1.px), b = point_of(&k->body[f->outer2.x], f->outer2.px);
    vec2 va = velocity_at(&k->body[f->outer1.x], a), vb = velocity_at(&k->body[f->outer2.x], b);
    double w1, w2;
    two_turns(f->a, f->b, sub2(vb, va), &w1, &w2);
    f->branch->rate = rrr_rate(k, f, a, b);
    put_velocity(body(k, f->first), a, va, w1);
    put_velocity(body(k, f->second), b, vb, w2);
}

static void rrr_acceleration(bl_kinematics *k, dyad_form *f) {
    vec2 a = point_of(&k->body[f->outer1.x], f->outer1.px), b = point_of(&k->body[f->outer2.x], f->outer2.px);
    vec2 aa = acceleration_at(&k->body[f->outer1.x], a), ab = acceleration_at(&k->body[f->outer2.x], b);
    double w1 = k->body[f->first].angular_velocity[2], w2 = k->body[f->second].angular_velocity[2], dw1, dw2;
    vec2 inward = sub2(mul2(w1 * w1, f->a), mul2(w2 * w2, f->b));
    two_turns(f->a, f->b, add2(sub2(ab, aa), inward), &dw1, &dw2);
    put_acceleration(body(k, f->first), a, aa, dw1);
    put_acceleration(body(k, f->second), b, ab, dw2);
}

/* ---- sliding links: they rotate with the body they slide on */

/* positions y with its sliding point at `at` */
static void slide_to(bl_kinematics *k, const plane_pair *p, vec2 at) {
    vec2 turn = turn2(turn_of(&k->body[p->x]), p->turn);
    put_body(body(k, p->y), sub2(at, turn2(turn, p->py)), turn);
}

static void slide_velocity(bl_kinematics *k, const plane_pair *p, vec2 direction, double rate) {
    const bl_body_motion *x = &k->body[p->x];
    bl_body_motion *y = body(k, p->y);
    put_velocity(y, center_of(y), add2(velocity_at(x, center_of(y)), mul2(rate, direction)), x->angular_velocity[2]);
}

/* acceleration of a point at r of a sliding body without the second rate of sliding: transport and Coriolis terms */
static vec2 carried(const bl_body_motion *x, vec2 r, vec2 direction, double rate) {
    return add2(acceleration_at(x, r), mul2(2 * x->angular_velocity[2] * rate, left2(direction)));
}

static void slide_acceleration(bl_kinematics *k, const plane_pair *p, vec2 direction, double rate, double rate2) {
    const bl_body_motion *x = &k->body[p->x];
    bl_body_motion *y = body(k, p->y);
    put_acceleration(y, center_of(y), add2(carried(x, center_of(y), direction, rate), mul2(rate2, direction)), x->angular_acceleration[2]);
}

/* position of the inner pin of the second link if its outer slider is at 0 */
static vec2 pin_on_line(const bl_kinematics *k, const plane_pair *slider, vec2 own_pin, vec2 *direction, vec2 *start) {
    slide_line(k, slider, start, direction);
    vec2 turn = turn2(turn_of(&k->body[slider->x]), slider->turn);
    return add2(*start, turn2(turn, sub2(own_pin, slider->py)));
}

/* ---- RRP: the first link is pinned at a, the second slides on the body of outer2 */

static void rrp_start(const bl_kinematics *k, dyad_form *f) {
    vec2 start, u;
    pin_on_line(k, &f->outer2, f->inner.py, &u, &start);
    f->branch->sign = sign_of(dot2(u, sub2(point_of(&k->body[f->first], f->inner.px), point_of(&k->body[f->first], f->outer1.py))));
}

/* of l1 - beside^2, beside = u x from; `from` may be any point of the line */
static double rrp_rate(const bl_kinematics *k, const dyad_form *f, vec2 a, vec2 u, vec2 from) {
    const bl_body_motion *x = &k->body[f->outer2.x];
    vec2 relative = sub2(velocity_at(x, add2(a, from)), velocity_at(&k->body[f->outer1.x], a));
    return -2 * cross2(u, from) * (x->angular_velocity[2] * cross2(left2(u), from) + cross2(u, relative));
}

static bl_status rrp_position(bl_kinematics *k, dyad_form *f, double ahead) {
    vec2 a = point_of(&k->body[f->outer1.x], f->outer1.px), start, u;
    vec2 from = sub2(pin_on_line(k, &f->outer2, f->inner.py, &u, &start), a); /* from a to c, without sliding */
    double along = dot2(u, from), beside = cross2(u, from), root = f->l1 - beside * beside;
    BL_TRY(choose_branch(k, f, ahead, root, ahead != 0 ? rrp_rate(k, f, a, u, from) : 0, f->l1));
    double s = f->branch->sign * sqrt(root) - along;
    f->a = add2(from, mul2(s, u));
    f->u2 = u;
    slide_to(k, &f->outer2, add2(start, mul2(s, u)));
    set_link(body(k, f->first), a, f->outer1.py, f->arm1, f->l1, f->a);
    return BL_OK;
}

/* w z x a = difference + rate u: one angular velocity and one sliding rate */
static void turn_and_slide(vec2 a, vec2 u, vec2 difference, double *w, double *rate) {
    *w = cross2(u, difference) / dot2(u, a);
    *rate = dot2(u, sub2(mul2(*w, left2(a)), difference));
}

static void rrp_velocity(bl_kinematics *k, dyad_form *f) {
    vec2 a = point_of(&k->body[f->outer1.x], f->outer1.px), c = add2(a, f->a), va = velocity_at(&k->body[f->outer1.x], a);
    double w;
    turn_and_slide(f->a, f->u2, sub2(velocity_at(&k->body[f->outer2.x], c), va), &w, &f->s2);
    f->branch->rate = rrp_rate(k, f, a, f->u2, f->a);
    put_velocity(body(k, f->first), a, va, w);
    slide_velocity(k, &f->outer2, f->u2, f->s2);
}

static void rrp_acceleration(bl_kinematics *k, dyad_form *f) {
    vec2 a = point_of(&k->body[f->outer1.x], f->outer1.px), c = add2(a, f->a), aa = acceleration_at(&k->body[f->outer1.x], a);
    double w = k->body[f->first].angular_velocity[2], dw, rate2;
    vec2 difference = sub2(carried(&k->body[f->outer2.x], c, f->u2, f->s2), sub2(aa, mul2(w * w, f->a)));
    turn_and_slide(f->a, f->u2, difference, &dw, &rate2);
    put_acceleration(body(k, f->first), a, aa, dw);
    slide_acceleration(k, &f->outer2, f->u2, f->s2, rate2);
}

/* ---- RPR: both links rotate together; in the axes of the first, b is on a line at a distance from a */

/* from a to b in the first link's axes, if the second is at sliding distance 0 */
static vec2 rpr_offset(const dyad_form *f) {
    vec2 foot = add2(f->inner.px, mul2(f->inner.offset, f->inner.n));
    return sub2(add2(foot, turn2(f->inner.turn, sub2(f->outer2.py, f->inner.py))), f->outer1.py);
}

static vec2 rpr_direction(const dyad_form *f) { return (vec2){f->inner.n.y, -f->inner.n.x}; }

static void rpr_start(const bl_kinematics *k, dyad_form *f) {
    const bl_body_motion *first = &k->body[f->first];
    vec2 d = sub2(point_of(&k->body[f->second], f->outer2.py), point_of(first, f->outer1.py));
    f->branch->sign = sign_of(dot2(back2(turn_of(first), d), rpr_direction(f)));
}

static double rpr_rate(const bl_kinematics *k, const dyad_form *f, vec2 a, vec2 b) {
    return 2 * dot2(sub2(b, a), sub2(velocity_at(&k->body[f->outer2.x], b), velocity_at(&k->body[f->outer1.x], a)));
}

static bl_status rpr_position(bl_kinematics *k, dyad_form *f, double ahead) {
    vec2 a = point_of(&k->body[f->outer1.x], f->outer1.px), b = point_of(&k->body[f->outer2.x], f->outer2.px), d = sub2(b, a);
    vec2 u = rpr_direction(f), from = rpr_offset(f);
    double dd = dot2(d, d), along = dot2(u, from), beside = cross2(u, from), root = dd - beside * beside;
    if (dd == 0)
        return BL_SINGULAR;
    BL_TRY(choose_branch(k, f, ahead, root, ahead != 0 ? rpr_rate(k, f, a, b) : 0, dd));
    double s = f->branch->sign * sqrt(root) - along;
    set_link(body(k, f->first), a, f->outer1.py, add2(from, mul2(s, u)), dd, d);
    vec2 turn = turn2(turn_of(&k->body[f->first]), f->inner.turn);
    put_body(body(k, f->second), sub2(b, turn2(turn, f->outer2.py)), turn);
    f->a = d;
    f->u1 = turn2(turn_of(&k->body[f->first]), u);
    return BL_OK;
}

static void rpr_velocity(bl_kinematics *k, dyad_form *f) {
    vec2 a = point_of(&k->body[f->outer1.x], f->outer1.px), b = add2(a, f->a);
    vec2 va = velocity_at(&k->body[f->outer1.x], a), vb = velocity_at(&k->body[f->outer2.x], b);
    double w, slide;
    turn_and_slide(f->a, f->u1, sub2(vb, va), &w, &slide); /* w z x d + s u = vb - va, so the rate is the negative one */
    f->s1 = -slide;
    f->branch->rate = rpr_rate(k, f, a, b);
    put_velocity(body(k, f->first), a, va, w);
    put_velocity(body(k, f->second), b, vb, w);
}

static void rpr_acceleration(bl_kinematics *k, dyad_form *f) {
    vec2 a = point_of(&k->body[f->outer1.x], f->outer1.px), b = add2(a, f->a);
    vec2 aa = acceleration_at(&k->body[f->outer1.x], a), ab = acceleration_at(&k->body[f->outer2.x], b);
    double w = k->body[f->first].angular_velocity[2], dw, slide;
    vec2 known = sub2(mul2(2 * w * f->s1, left2(f->u1)), mul2(w * w, f->a));
    turn_and_slide(f->a, f->u1, sub2(sub2(ab, aa), known), &dw, &slide);
    put_acceleration(body(k, f->first), a, aa, dw);
    put_acceleration(body(k, f->second), b, ab, dw);
}

/* ---- PRP: c on two lines */

static vec2 sliding(const bl_kinematics *k, const plane_pair *p) {
    vec2 start, direction;
    slide_line(k, p, &start, &direction);
    return direction;
}

/* lines that became parallel in between now intersect on the other side */
static void prp_start(const bl_kinematics *k, dyad_form *f) {
    f->branch->sign = sign_of(cross2(sliding(k, &f->outer1), sliding(k, &f->outer2)));
}

static void rpp_start(const bl_kinematics *k, dyad_form *f) {
    f->branch->sign = sign_of(cross2(sliding(k, &f->inner), sliding(k, &f->outer2)));
}

/* s1 u1 - s2 u2 = difference */
static void two_slides(vec2 u1, vec2 u2, vec2 difference, double *s1, double *s2) {
    double area = cross2(u1, u2);
    *s1 = cross2(difference, u2) / area;
    *s2 = cross2(difference, u1) / area;
}

static bl_status prp_position(bl_kinematics *k, dyad_form *f, double ahead) {
    (void)ahead;
    vec2 start1, start2, c1 = pin_on_line(k, &f->outer1, f->inner.px, &f->u1, &start1);
    vec2 c2 = pin_on_line(k, &f->outer2, f->inner.py, &f->u2, &start2);
    double s1, s2;
    two_slides(f->u1, f->u2, sub2(c2, c1), &s1, &s2);
    if (!isfinite(s1) || !isfinite(s2) || f->branch->sign * cross2(f->u1, f->u2) < 0)
        return BL_SINGULAR;
    f->a = add2(c1, mul2(s1, f->u1)); /* c itself */
    slide_to(k, &f->outer1, add2(start1, mul2(s1, f->u1)));
    slide_to(k, &f->outer2, add2(start2, mul2(s2, f->u2)));
    return BL_OK;
}

static void prp_velocity(bl_kinematics *k, dyad_form *f) {
    two_slides(f->u1, f->u2, sub2(velocity_at(&k->body[f->outer2.x], f->a), velocity_at(&k->body[f->outer1.x], f->a)), &f->s1, &f->s2);
    slide_velocity(k, &f->outer1, f->u1, f->s1);
    slide_velocity(k, &f->outer2, f->u2, f->s2);
}

static void prp_acceleration(bl_kinematics *k, dyad_form *f) {
    double rate1, rate2;
    vec2 a1 = carried(&k->body[f->outer1.x], f->a, f->u1, f->s1), a2 = carried(&k->body[f->outer2.x], f->a, f->u2, f->s2);
    two_slides(f->u1, f->u2, sub2(a2, a1), &rate1, &rate2);
    slide_acceleration(k, &f->outer1, f->u1, f->s1, rate1);
    slide_acceleration(k, &f->outer2, f->u2, f->s2, rate2);
}

/* ---- RPP: the second link slides on a solved body, the first on the second and is pinned at a; all angles are known */

static bl_status rpp_position(bl_kinematics *k, dyad_form *f, double ahead) {
    (void)ahead;
    vec2 a = point_of(&k->body[f->outer1.x], f->outer1.px), start, u2;
    bl_body_motion *first = body(k, f->first), *second = body(k, f->second);
    slide_line(k, &f->outer2, &start, &u2);
    slide_to(k, &f->outer2, start);
    /* rotation of the first link from that of the second: the inner pair gives the inverse */
    vec2 turn = back2(f->inner.turn, turn_of(second));
    put_body(first, sub2(a, turn2(turn, f->outer1.py)), turn);
    vec2 foot, u1;
    slide_line(k, &f->inner, &foot, &u1);
    double s1, s2;
    two_slides(u1, u2, sub2(point_of(second, f->inner.py), foot), &s1, &s2);
    if (!isfinite(s1) || !isfinite(s2) || f->branch->sign * cross2(u1, u2) < 0)
        return BL_SINGULAR;
    slide_to(k, &f->outer2, add2(start, mul2(s2, u2)));
    f->u1 = u1;
    f->u2 = u2;
    return BL_OK;
}

static void rpp_velocity(bl_kinematics *k, dyad_form *f) {
    vec2 a = point_of(&k->body[f->outer1.x], f->outer1.px), at = center_of(&k->body[f->second]);
    const bl_body_motion *ground = &k->body[f->outer2.x];
    put_velocity(body(k, f->first), a, velocity_at(&k->body[f->outer1.x], a), ground->angular_velocity[2]);
    two_slides(f->u1, f->u2, sub2(velocity_at(ground, at), velocity_at(&k->body[f->first], at)), &f->s1, &f->s2);
    slide_velocity(k, &f->outer2, f->u2, f->s2);
}

static void rpp_acceleration(bl_kinematics *k, dyad_form *f) {
    vec2 a = point_of(&k->body[f->outer1.x], f->outer1.px), at = center_of(&k->body[f->second]);
    const bl_body_motion *ground = &k->body[f->outer2.x];
    double rate1, rate2;
    put_acceleration(body(k, f->first), a, acceleration_at(&k->body[f->outer1.x], a), ground->angular_acceleration[2]);
    vec2 on_first = carried(&k->body[f->first], at, f->u1, f->s1);
    two_slides(f->u1, f->u2, sub2(carried(ground, at, f->u2, f->s2), on_first), &rate1, &rate2);
    slide_acceleration(k, &f->outer2, f->u2, f->s2, rate2);
}

/* ---- the solver */

static const dyad_kind kinds[] = {
    {"RRR", rrr_start, rrr_position, rrr_velocity, rrr_acceleration}, {"RRP", rrp_start, rrp_position, rrp_velocity, rrp_acceleration},
    {"RPR", rpr_start, rpr_position, rpr_velocity, rpr_acceleration}, {"PRP", prp_start, prp_position, prp_velocity, prp_acceleration},
    {"RPP", rpp_start, rpp_position, rpp_velocity, rpp_acceleration},
};

static bl_status position(bl_kinematics *k, bl_link_group *group, double ahead) {
    dyad_form *f = group->form;
    bl_status status = f->kind->position(k, f, ahead);
    if (status != BL_OK) {
        const bl_joint_def *joint = k->model->joint;
        snprintf(k->failure, sizeof k->failure, "dead point of %.24s, joints %.24s, %.24s and %.24s", k->model->body[f->first].name,
                 joint[f->outer1.joint].name, joint[f->inner.joint].name, joint[f->outer2.joint].name);
        k->failed_joint = f->inner.joint;
    }
    return status;
}

static bl_status check_finite(bl_kinematics *k, const dyad_form *f, double x) {
    if (isfinite(x))
        return BL_OK;
    snprintf(k->failure, sizeof k->failure, "dead point of %.24s, rates are unbounded", k->model->body[f->first].name);
    k->failed_joint = f->inner.joint;
    return BL_SINGULAR;
}

static bl_status velocity(bl_kinematics *k, bl_link_group *group) {
    dyad_form *f = group->form;
    f->kind->velocity(k, f);
    const double *v = k->body[f->second].velocity;
    return check_finite(k, f, v[0] + v[1] + k->body[f->second].angular_velocity[2]);
}

static bl_status acceleration(bl_kinematics *k, bl_link_group *group) {
    dyad_form *f = group->form;
    f->kind->acceleration(k, f);
    const double *a = k->body[f->second].acceleration;
    return check_finite(k, f, a[0] + a[1] + k->body[f->second].angular_acceleration[2]);
}

static bl_index other_end(const bl_kinematics *k, bl_index joint, bl_index link) {
    const bl_index *ends = k->model->joint[joint].body;
    return ends[0] == link ? ends[1] : ends[0];
}

static bool has_end(const bl_kinematics *k, bl_index joint, bl_index link) {
    const bl_index *ends = k->model->joint[joint].body;
    return ends[0] == link || ends[1] == link;
}

/* the pairs in order: outer of `first`, inner, outer of `second`; false: not a dyad */
static bool arrange(const bl_kinematics *k, const bl_link_group *group, bl_index first, bl_index second, dyad_form *f) {
    bl_index outer1 = -1, inner = -1, outer2 = -1;
    for (bl_index i = 0; i < group->npair; i++) {
        bl_index j = group->joint[i];
        bool one = has_end(k, j, first), two = has_end(k, j, second);
        *(one && two ? &inner : one ? &outer1 : &outer2) = j;
    }
    if (outer1 < 0 || inner < 0 || outer2 < 0)
        return false;
    *f = (dyad_form){.first = first, .second = second};
    return bl_plane_pair(k, outer1, other_end(k, outer1, first), &f->outer1) && bl_plane_pair(k, inner, first, &f->inner) &&
           bl_plane_pair(k, outer2, other_end(k, outer2, second), &f->outer2);
}

static const dyad_kind *find_kind(const dyad_form *f) {
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (f->outer1.letter == kinds[i].letters[0] && f->inner.letter == kinds[i].letters[1] && f->outer2.letter == kinds[i].letters[2])
            return &kinds[i];
    return NULL;
}

static bl_status fit(bl_kinematics *k, bl_link_group *group, bool *fits) {
    dyad_form f = {0};
    *fits = false;
    if (k->model->dim != 2 || group->nbody != 2 || group->npair != 3 || group->nrow != 6)
        return BL_OK;
    for (bl_index i = 0; i < group->nrow; i++)
        if (bl_prim_is_relation(&group->row[i].prim))
            return BL_OK;
    for (int reversed = 0; reversed < 2 && !f.kind; reversed++) {
        if (!arrange(k, group, group->body[reversed], group->body[1 - reversed], &f))
            return BL_OK;
        f.kind = find_kind(&f);
    }
    *fits = f.kind != NULL;
    if (!*fits)
        return BL_OK;
    set_arms(&f);
    f.branch = &group->branch;
    f.kind->start(k, &f);
    dyad_form *own;
    BL_TRY(BL_ARENA_NEW(&k->arena, own, 1));
    *own = f;
    group->form = own;
    return BL_OK;
}

const bl_group_solver bl_group_plane_dyad = {
    .name = "dyad", .fit = fit, .position = position, .velocity = velocity, .acceleration = acceleration};
