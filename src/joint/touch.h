/* touch: two touching surfaces, one on each body: their distance, and how fast the bodies slip past each other where they touch. A kind is
 * one file that draws the geometry (touch_plane_ball.c) and one line in touch_list.h; gap, slip and their derivatives follow from the
 * drawing and are recorded once (docs/theory/rolling.md).
 *
 *     d        from point a of the first body A to point b of the second body B
 *     A, B     right-handed unit vectors fixed in the bodies
 *     n, t_k   normal, from A to B, and tangents
 *     p        the contact: d + p_b from a, p_b from b
 *
 * A surface that ends, as the face of a box does, also draws its reach: positive where the contact lies on it and, of a corner, where the
 * normal lies between those of its faces. A contact opens where it leaves its reach; the next part of the surface takes over.
 *
 *     slip  s_k = t_k . d' + sum_j (p_b . B_j) t_k . B_j' - sum_j (p_a . A_j) t_k . A_j',     p_a = d + p_b                       (1) */
#ifndef BL_TOUCH_H
#define BL_TOUCH_H

#include "joint/primitive.h"
#include "series/tape.h"

typedef struct bl_touch_vector {
    bl_index k[3]; /* nodes; in the plane the third is 0 */
} bl_touch_vector;

/* The vectors of a contact: 0 is d, 1 + i the axis of mark 2 + i. */
enum { BL_TOUCH_VECTORS = 7 };

/* A drawing: what is given, then what the kind fills. */
typedef struct bl_touch_drawing {
    bl_tape *tape;
    int dim;
    bl_touch_vector d, A[3], B[3];     /* in the plane [1] is [0] turned by 90 degrees; there is no [2] */
    bl_index number[BL_TOUCH_NUMBERS]; /* radii, lengths, cones */
    int8_t input[BL_TOUCH_VECTORS];    /* number of each vector, d, A, B, among the inputs; -1: not needed */
    bl_index rates, time;              /* > 0: inputs, each vector is x + time times its rate */

    bl_index gap, reach;          /* reach: a length; -1: everywhere */
    bl_touch_vector n, t[2], p_b; /* in the plane one tangent; all of unit length except p_b */
} bl_touch_drawing;

typedef struct bl_touch_kind {
    const char *name, *help;
    void (*draw)(bl_touch_drawing *);
    /* In the plane, for surfaces without a closed form: numbers of the drawing from BL_TOUCH_LOCAL on, constant in its derivatives, for the
     * vectors d, A_1, B_1 in x[3][2]. NULL: none. With it there are no power series. */
    void (*locate)(const bl_prim *prim, const double *x, double *local);
} bl_touch_kind;

#define BL_KIND(name) extern const bl_touch_kind bl_touch_##name;
#include "joint/touch_list.h"
#undef BL_KIND

/* All kinds, in list order. */
extern const bl_touch_kind *const bl_touch_kinds[];
extern const size_t bl_touch_kind_count;

/* ---- for drawings */

bl_index bl_touch_dot(bl_touch_drawing *w, const bl_touch_vector *a, const bl_touch_vector *b);
bl_touch_vector bl_touch_times(bl_touch_drawing *w, bl_index factor, const bl_touch_vector *a);
bl_touch_vector bl_touch_plus(bl_touch_drawing *w, const bl_touch_vector *a, bl_index factor, const bl_touch_vector *b); /* a + factor b */
bl_touch_vector bl_touch_cross(bl_touch_drawing *w, const bl_touch_vector *a, const bl_touch_vector *b);
bl_touch_vector bl_touch_turned(bl_touch_drawing *w, const bl_touch_vector *a, double sign); /* in the plane, by sign 90 degrees */
/* Normal and tangents of a plane of A: its axes. Returns n . d. */
bl_index bl_touch_on_plane(bl_touch_drawing *w);

/* The normal sign v / |v|, and tangents perpendicular to it. Returns |v|. */
bl_index bl_touch_normal_along(bl_touch_drawing *w, const bl_touch_vector *v, double sign);
/* |v|, but not less than a size too small to matter: |v| > 0 where the line of an edge is met outside its reach, too. */
bl_index bl_touch_length(bl_touch_drawing *w, const bl_touch_vector *v, bl_index size);
/* The least v . X_j + c_j |v|, j = 1 ... `axes`, positive within a cone about these axes; c_j: number[first + j - 1], 2: no bound. */
bl_index bl_touch_cone(bl_touch_drawing *w, const bl_touch_vector *v, bl_index length, const bl_touch_vector *axis, int first, int axes);
bl_index bl_touch_least(bl_touch_drawing *w, bl_index a, bl_index b);

/* ---- primitives: BL_TOUCH, value = gap; BL_SLIP, speed `tangent` */

/* Sets the kind and the marks of a primitive: points a and b; axes of the bodies, one in the plane, three in space. */
void bl_touch_fill(bl_prim *prim, int dim, const bl_touch_kind *kind, const double number[BL_TOUCH_NUMBERS], const bl_mark *point,
                   const bl_mark (*axis)[3]);
/* Gives it its recorded form, shared by all of its kind and owned by the model; then the primitive can be evaluated. */
bl_status bl_touch_attach(bl_model *model, bl_prim *prim);
void bl_touch_forget(bl_model *model); /* frees all forms */

/* The vectors that its equation depends on, ascending. */
int bl_touch_vectors(const bl_prim *prim, const int8_t **which);
/* Of the equation as a function of these vectors, x[vector][dim], n = dim times their number:
 *     TOUCH: value = gap, grad[n] its derivatives, hess[n][n] symmetric
 *     SLIP:  value = 0, grad[n] the coefficients of the rates of x in the speed, hess[r][c] the derivative of coefficient r by x_c.
 * NULL: not requested. Allocates nothing. */
void bl_touch_eval(const bl_prim *prim, const double *x, double *value, double *grad, double *hess);

/* The second derivative of the gap, the first of the speed of slip, where x moves at constant rates. */
double bl_touch_gamma(const bl_prim *prim, const double *x, const double *rate);

/* The contact at given positions of the marks. */
typedef struct bl_touch_place {
    double gap, n[3], t[2][3], from_b[3]; /* from_b: the contact from point b */
    double reach;
} bl_touch_place;
bool bl_touch_ends(const bl_prim *prim); /* whether its reach has an end */
/* Values of the reach alone; INFINITY: everywhere. */
double bl_touch_reach(const bl_prim *prim, const bl_prim_motion *at);
void bl_touch_at(const bl_prim *prim, const bl_prim_motion *at, bl_touch_place *out);

/* Records the equation on a tape whose inputs are x as above. grad: of all dim * vectors coefficients; -1: zero. SLIP: *value is 0. */
bl_status bl_touch_record(const bl_prim *prim, bl_tape *tape, bl_index *value, bl_index *grad);

/* A contact that is no primitive, on a tape whose inputs are all vectors, x[vector][dim]: its gap, its reach (-1: everywhere), and the
 * coefficients of the rates of all vectors in the rate of the gap, row[0], and in the speeds of slip; -1: zero. In the plane there is one
 * slip. */
bl_status bl_touch_record_rows(const bl_touch_kind *kind, int dim, const double number[BL_TOUCH_NUMBERS], bl_tape *tape, bl_index *gap,
                               bl_index *reach, bl_index row[3][3 * BL_TOUCH_VECTORS]);

/* The table entries of primitive.c. */
void bl_touch_read(const bl_prim *prim, int part, const bl_prim_motion *at, bl_prim_reading *out);

#endif
