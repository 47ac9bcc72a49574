/* plane: common part of the closed forms of the plane. A body is at p, rotated by an angle whose cosine and sine are c and s; z x (x, y)
 * is (-y, x). */
#ifndef BL_KINEMATICS_PLANE_H
#define BL_KINEMATICS_PLANE_H

#include "kinematics/kinematics_private.h"

typedef struct vec2 {
    double x, y;
} vec2;

static inline vec2 add2(vec2 a, vec2 b) { return (vec2){a.x + b.x, a.y + b.y}; }
static inline vec2 sub2(vec2 a, vec2 b) { return (vec2){a.x - b.x, a.y - b.y}; }
static inline vec2 mul2(double k, vec2 a) { return (vec2){k * a.x, k * a.y}; }
static inline double dot2(vec2 a, vec2 b) { return a.x * b.x + a.y * b.y; }
static inline double cross2(vec2 a, vec2 b) { return a.x * b.y - a.y * b.x; }
static inline vec2 left2(vec2 a) { return (vec2){-a.y, a.x}; }
/* a rotated by the angle with cosine r.x and sine r.y; and its inverse */
static inline vec2 turn2(vec2 r, vec2 a) { return (vec2){r.x * a.x - r.y * a.y, r.y * a.x + r.x * a.y}; }
static inline vec2 back2(vec2 r, vec2 a) { return (vec2){r.x * a.x + r.y * a.y, r.x * a.y - r.y * a.x}; }
static inline vec2 of_mark(const bl_mark *mark) { return (vec2){mark->s[0], mark->s[1]}; }

static inline vec2 center_of(const bl_body_motion *b) { return (vec2){b->position[0], b->position[1]}; }
static inline vec2 turn_of(const bl_body_motion *b) { return (vec2){b->rotation[0], b->rotation[3]}; }
static inline vec2 point_of(const bl_body_motion *b, vec2 s) { return add2(center_of(b), turn2(turn_of(b), s)); }
static inline void put_body(bl_body_motion *b, vec2 at, vec2 turn) {
    b->position[0] = at.x;
    b->position[1] = at.y;
    b->rotation[0] = b->rotation[4] = turn.x;
    b->rotation[3] = turn.y;
    b->rotation[1] = -turn.y;
}

/* velocity and acceleration of the point of a body that is at the global position r */
static inline vec2 velocity_at(const bl_body_motion *b, vec2 r) {
    vec2 arm = sub2(r, center_of(b));
    return add2((vec2){b->velocity[0], b->velocity[1]}, mul2(b->angular_velocity[2], left2(arm)));
}
static inline vec2 acceleration_at(const bl_body_motion *b, vec2 r) {
    vec2 arm = sub2(r, center_of(b));
    double w = b->angular_velocity[2];
    vec2 turning = sub2(mul2(b->angular_acceleration[2], left2(arm)), mul2(w * w, arm));
    return add2((vec2){b->acceleration[0], b->acceleration[1]}, turning);
}
/* sets them from those of the point at r */
static inline void put_velocity(bl_body_motion *b, vec2 r, vec2 v, double w) {
    vec2 own = sub2(v, mul2(w, left2(sub2(r, center_of(b)))));
    b->velocity[0] = own.x;
    b->velocity[1] = own.y;
    b->angular_velocity[2] = w;
}
static inline void put_acceleration(bl_body_motion *b, vec2 r, vec2 a, double dw) {
    vec2 arm = sub2(r, center_of(b));
    double w = b->angular_velocity[2];
    vec2 own = add2(sub2(a, mul2(dw, left2(arm))), mul2(w * w, arm));
    b->acceleration[0] = own.x;
    b->acceleration[1] = own.y;
    b->angular_acceleration[2] = dw;
}

/* A lower pair between bodies x and y. R: point px of x is on point py of y. P: y is rotated by `turn` relative to x, and n . (point py
 * of y - point px of x) = offset, n a unit vector of x; it slides along the line perpendicular to n. */
typedef struct plane_pair {
    char letter; /* R, P, F (P without sliding: along is the distance) */
    bl_index joint, x, y;
    vec2 px, py, turn, n;
    double offset, along;
} plane_pair;

/* A revolute, prismatic or fixed joint between two bodies, seen from body x; false: none of these. */
bool bl_plane_pair(const bl_kinematics *k, bl_index joint, bl_index x, plane_pair *out);

/* p slides: position of py of y for a sliding distance of 0, and the direction of sliding, for the present position of x */
static inline void slide_line(const bl_kinematics *k, const plane_pair *p, vec2 *start, vec2 *direction) {
    const bl_body_motion *x = &k->body[p->x];
    *start = point_of(x, add2(p->px, mul2(p->offset, p->n)));
    *direction = turn2(turn_of(x), (vec2){p->n.y, -p->n.x});
}

#endif
