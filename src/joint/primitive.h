/* primitive: what joints are made of, equations and measures between marks of two bodies. Their geometry is described once, in
 * primitive.c: what each reads, how fast that changes with the motion of the bodies, how often it counts. Coordinates write them as rows
 * of their own (coords/constraint_rows.c); everybody else asks here. */
#ifndef BL_PRIMITIVE_H
#define BL_PRIMITIVE_H

#include "model/model.h"

typedef enum bl_prim_what {
    BL_COINCIDE, /* points a, b coincide */
    BL_SAME,     /* vectors a, b are equal */
    BL_DOT,      /* a . b = value */
    BL_PLANE,    /* (b - a) . c = value; a, b points, c a vector */
    BL_DISTANCE, /* |b - a| = value; var[0] >= 0: the variable is |b - a| and nothing is forbidden */
    BL_TRAVEL,   /* (b - a) . c = var[0] */
    BL_ANGLE,    /* var[0]: angle from vector a to vector b about vector c (all unit, a and b perpendicular to c when assembled) */
    BL_ANGLES,   /* var[0..2]: successive angles that turn frame (a, c) of the first body into frame (b, d) of the second:
                    about a, then about the negative carried second axis, then about the carried c. a = v_A, c = r_A, b = v_B, d = r_B,
                    each pair perpendicular unit vectors (multibody theory, spherical joint with angles) */
    BL_LINEAR    /* coef[0] var[0] + coef[1] var[1] (+ coef[2] var[2]) = value */
} bl_prim_what;

typedef struct bl_prim {
    bl_prim_what what;
    union {
        struct {
            bl_mark a, b, c, d;
        };
        bl_mark mark[4];
    };
    double value, coef[3];
    bl_index var[3];  /* indices in the model's variables, -1 when unused */
    double zero;      /* ANGLE: the variable's value is the geometric angle minus this (so that it reads 0 when assembled) */
    const char *says; /* what the equation forbids, for messages: "along the axis" */
} bl_prim;

/* Marks it is made of: a, b, then c, then d; none for a relation of variables. */
int bl_prim_marks(const bl_prim *prim);
/* Degrees of freedom it takes away on its own; 0 for those that only define a variable. */
bl_index bl_prim_forbids(const bl_prim *prim, int dim);

/* ---- what a primitive reads, and how that changes */

/* Its marks where their bodies are. Rates and accelerations are global; those of the bodies count as zero in `centripetal`. */
typedef struct bl_mark_motion {
    double r[3]; /* position of a point, or the vector itself */
    double rate[3], centripetal[3];
} bl_mark_motion;

typedef struct bl_prim_motion {
    bl_mark_motion mark[4];
    const double *turning[2]; /* angular velocities of the bodies of a and b; NULL: nothing but r is known, rates are left out */
} bl_prim_motion;

/* A number read from the marks, with
 *
 *     rate = force . (v_b - v_a) + moment . (w_b - w_a) + carried . w_c,
 *
 * v the velocities of the points a and b, w the angular velocities of the bodies of the marks. */
typedef struct bl_prim_reading {
    double value, rate;
    double centripetal; /* second rate where the accelerations of all bodies are zero */
    bool is_length;     /* in m, by force and carried; else an angle or a number, by moment */
    double force[3], moment[3], carried[3];
} bl_prim_reading;

/* COINCIDE: part is the component. ANGLES: which of them. SAME and LINEAR are no single number of marks: nothing is read. */
void bl_prim_read(const bl_prim *prim, int part, const bl_prim_motion *at, bl_prim_reading *out);
/* How far from what it demands, in m, else in rad; 0 where nothing is demanded. */
double bl_prim_gap(const bl_prim *prim, const bl_prim_motion *at, bool *is_length);
/* The equation `same vector` as dot products: out[dim - 1] across the first vector, which b is perpendicular to. */
void bl_prim_same_as_dots(const bl_prim *prim, int dim, bl_prim *out);

/* The rate as a sum over bodies of weight (force . velocity of the body at the mark + moment . angular velocity); one of them is NULL. */
enum { BL_PRIM_PUSHES = 3 };
typedef struct bl_prim_push {
    bl_index body;
    int mark; /* 0: a, 1: b; where the force acts */
    double weight;
    const double *force, *moment; /* of the reading */
} bl_prim_push;
int bl_prim_pushes(const bl_prim *prim, const bl_prim_reading *reading, bl_prim_push out[BL_PRIM_PUSHES]);

/* The angle that differs by whole turns and is nearest to `near`. */
double bl_nearest_turn(double angle, double near);

#endif
