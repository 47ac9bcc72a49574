/* primitive: the elements of joints, equations and measured variables between marks of two bodies. Their geometry is defined once, in
 * primitive.c: value, dependence on the motion of the bodies, degrees of freedom removed. Coordinates write them as equations of their
 * own (coords/constraint_rows.c); all other rooms use these functions. */
#ifndef BL_PRIMITIVE_H
#define BL_PRIMITIVE_H

#include "joint/curve.h"
#include "model/model.h"

typedef enum bl_prim_what {
    BL_COINCIDE, /* points a, b coincide */
    BL_SAME,     /* vectors a, b are equal */
    BL_DOT,      /* a . b = value */
    BL_PLANE,    /* (b - a) . c = value; a, b points, c a vector */
    BL_DISTANCE, /* |b - a| = value; var[0] >= 0: the variable is |b - a|, no constraint */
    BL_TRAVEL,   /* (b - a) . c = var[0] */
    BL_ANGLE,    /* var[0]: angle from vector a to vector b about vector c (all unit, a and b perpendicular to c when assembled) */
    BL_ANGLES,   /* var[0..2]: successive angles that rotate frame (a, c) of the first body into frame (b, d) of the second: about a,
                    then about the negative rotated second axis, then about the rotated c. a = v_A, c = r_A, b = v_B, d = r_B, each pair
                    perpendicular unit vectors (multibody theory, spherical joint with angles) */
    BL_TWIST,    /* (c . b - a . d) / 2 = value; a, c perpendicular unit vectors of the first body, b, d of the second: the sine of the
                    rotation from (a, c) to (b, d) about a x c, if that is an axis of both. Zero if the smallest rotation from a x c to
                    b x d takes (a, c) to (b, d) */
    BL_ON_CURVE, /* the point b has the distance `value` from the curve, on its outer side; a: origin, c, d: axes of the curve */
    BL_ON_FACE,  /* a plane through b with the normal c touches the curve from outside; a: origin, d, e: axes of the curve. c points away
                    from the curve */
    BL_TOUCH,  /* two surfaces touch: their gap = value (touch.h); a, b: points of the bodies; c ...: `axes` axes of the first body, then of
                    the second */
    BL_SLIP,   /* the bodies do not slip along tangent `tangent` where their surfaces touch; marks as TOUCH. It restricts velocities only:
                    its value is 0, its rate the speed */
    BL_LINEAR, /* coef[0] var[0] + coef[1] var[1] (+ coef[2] var[2]) = value */
    BL_RATE,   /* coef[0] var[0]' (+ ...) = 0, as LINEAR: it restricts velocities only, its value is 0 */
    BL_FUNCTION /* var[1] = profile(var[0]); coef is -1, 1 */
} bl_prim_what;

enum { BL_PRIM_MARKS = 8, BL_TOUCH_LOCAL = 8, BL_TOUCH_NUMBERS = BL_TOUCH_LOCAL + 9 };
struct bl_touch_kind;
struct bl_touch_form;
typedef struct bl_prim {
    bl_prim_what what;
    union {
        struct {
            bl_mark a, b, c, d, e;
        };
        bl_mark mark[BL_PRIM_MARKS];
    };
    double value, coef[3];
    bl_index var[3];           /* indices in the model's variables, -1: unused */
    double zero;               /* ANGLE: the variable is the geometric angle minus this (so that it is 0 when assembled) */
    bool one_sided;            /* of a contact: it holds only while that is closed, and is not an equation of the mechanism */
    const char *meaning;       /* the motion it prevents or the variable it defines, for messages: "moving along the axis" */
    bl_curve curve;            /* ON_CURVE, ON_FACE; TOUCH and SLIP with a profile */
    const bl_profile *profile; /* FUNCTION */
    /* TOUCH, SLIP */
    const struct bl_touch_kind *touch;
    const struct bl_touch_form *form; /* given by bl_touch_attach */
    double number[BL_TOUCH_NUMBERS];  /* radii, lengths, cones; from BL_TOUCH_LOCAL on: found at each position (touch.h) */
    int8_t axes, tangent;
} bl_prim;

/* Number of its marks: a, b, then c, d, e, ...; none for a relation between variables. */
int bl_prim_marks(const bl_prim *prim);
/* Whether its value is in m; otherwise it is an angle, or a number. */
bool bl_prim_is_length(const bl_prim *prim);
/* Degrees of freedom of position it removes by itself; 0 if it only defines a variable, or restricts velocities only. */
bl_index bl_prim_forbids(const bl_prim *prim, int dim);
/* Whether it restricts velocities only: SLIP, RATE. */
static inline bool bl_prim_is_slip(const bl_prim *prim) { return prim->what == BL_SLIP || prim->what == BL_RATE; }

/* Whether it is a relation between variables, or of one: LINEAR, RATE, FUNCTION. */
bool bl_prim_is_relation(const bl_prim *prim);
/* A relation at given values of its variables: gap = 0 is its equation, coef the derivatives of gap by them, and bend the second
 * derivative by var[0], the only one that is not zero. */
typedef struct bl_prim_relation {
    double gap, coef[3], bend;
} bl_prim_relation;
void bl_prim_relate(const bl_prim *prim, const double value[3], bl_prim_relation *out);

/* The function of vectors that an ON_CURVE or ON_FACE equation is, x[vector][dim]: the vector from a to b, then c, d (, e). grad [n], hess
 * [n][n], n = dim times the number of vectors; NULL: not requested. */
void bl_prim_contact(const bl_prim *prim, int dim, const double *x, double *value, double *grad, double *hess);

/* Its equation as a sum of scalar products of two vectors, sum weight (to - from) . (to - from) = value^degree, or that power of its
 * variable. */
enum { BL_PRIM_PRODUCTS = 2 };
typedef struct bl_prim_product {
    int8_t degree; /* 1 or 2; of the second only one product */
    int8_t n;
    struct bl_prim_term {
        int8_t factor[2][2]; /* marks {from, to} of both vectors; from -1: the mark itself */
        double weight;
    } term[BL_PRIM_PRODUCTS];
} bl_prim_product;
const bl_prim_product *bl_prim_product_of(const bl_prim *prim); /* NULL: it is not of this form */

/* ---- value of a primitive, and its rates */

/* Its marks at the present positions of their bodies. Rates and accelerations are global; accelerations of the bodies count as zero in
 * `centripetal`. */
typedef struct bl_mark_motion {
    double r[3]; /* position of a point, or the vector itself */
    double rate[3], centripetal[3];
} bl_mark_motion;

typedef struct bl_prim_motion {
    bl_mark_motion mark[BL_PRIM_MARKS];
    const double *turning[2]; /* angular velocities of the bodies of a and b; NULL: only r is known, rates are left out */
} bl_prim_motion;

/* A number measured from the marks, with
 *
 *     rate = force . (v_b - v_a) + moment . (w_b - w_a) + carried . w_c,
 *
 * v the velocities of the points a and b, w the angular velocities of the bodies of the marks. */
typedef struct bl_prim_reading {
    double value, rate;
    double centripetal; /* second rate if the accelerations of all bodies are zero */
    bool is_length;     /* in m, from force and carried (ON_FACE, TOUCH, SLIP: and moment); otherwise an angle or a number, from moment */
    double force[3], moment[3], carried[3];
} bl_prim_reading;

/* COINCIDE: part is the component. ANGLES: which angle. SAME and LINEAR are not a single number of the marks: zero. */
void bl_prim_read(const bl_prim *prim, int part, const bl_prim_motion *at, bl_prim_reading *out);
/* Violation of its equation, in m or in rad; 0 if it has no equation. */
double bl_prim_gap(const bl_prim *prim, const bl_prim_motion *at, bool *is_length);
/* The equation `same vector` as dot products: out[dim - 1] with vectors perpendicular to the first one, to which b is perpendicular. */
void bl_prim_same_as_dots(const bl_prim *prim, int dim, bl_prim *out);

/* The rate as a sum over bodies of weight (force . velocity of the body at the mark + moment . angular velocity); one of the two is
 * NULL. */
enum { BL_PRIM_PUSHES = 5 };
typedef struct bl_prim_push {
    bl_index body;
    int mark; /* 0: a, 1: b; point of application of the force */
    double weight;
    const double *force, *moment; /* of the reading */
} bl_prim_push;
int bl_prim_pushes(const bl_prim *prim, const bl_prim_reading *reading, bl_prim_push out[BL_PRIM_PUSHES]);

/* The angle that differs by full revolutions and is nearest to `near`. */
double bl_nearest_turn(double angle, double near);

#endif
