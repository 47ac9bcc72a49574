/* orientation: how the axes of a body follow from its parameters o.
 *
 *     axes  r = r(o)        r[9] components of the three axes one after another; in the plane r[2], the first axis
 *     spin  w = E(o) o'     angular velocity in body axes; one number in the plane
 *     rows  h(o) = 0        equations between redundant parameters
 *
 * Most kinds are defined by tables of products, the others by the function slots. Redundant parameters have a tangent view: `stored`
 * numbers describe the position, n = 3 small rotations about the body's axes change it, their rates are the spin, and there are no
 * equations.
 *
 * Three parameters cannot describe every position: such a kind has `room`, and its axes are relative to a rotation C kept in the history, r
 * = C r(o); when room becomes small, o is absorbed into C and reset.
 *
 * To add one: copy quaternion.c, add a line to orientation_list.h. */
#ifndef BL_ORIENTATION_H
#define BL_ORIENTATION_H

#include "base/kind.h"

enum { BL_MOST_PARAMETERS = 9, BL_MOST_AXES = 9, BL_MOST_ORIENTATION_ROWS = 6 };

/* coef o_a o_b on entry k; b < 0: coef o_a */
typedef struct bl_bilinear {
    int8_t k, a, b;
    double coef;
} bl_bilinear;

typedef struct bl_orientation bl_orientation;

struct bl_orientation {
    const char *name, *help;
    const char *const *names; /* of the parameters */
    int n, naxis, nspin, nrow;
    int stored;                                              /* numbers in q; 0: the n parameters */
    const double *start;                                     /* [n] the model configuration, C = 1 */
    const bl_bilinear *axes;                                 /* r_k; ends with coef 0. NULL: the slots are used */
    const bl_bilinear *spin;                                 /* w_k = sum coef o_a o'_b */
    const bl_bilinear *rows;                                 /* h_k = sum coef o_a o_b - row_value[k] */
    const double *row_value;                                 /* [nrow] */
    const char *const *row_names;                            /* meaning of each */
    const char *sequence;                                    /* of rotations about body axes, "xyz" */
    void (*start_of)(const bl_orientation *kind, double *o); /* if start is NULL */
    void (*axes_of)(const bl_orientation *kind, const double *o, double *r);
    void (*axes_slope)(const bl_orientation *kind, const double *o, double *X); /* X[naxis][n] = dr/do */
    /* V[naxis][n] = d(X a)/do, symmetric in a and its column except for rotations */
    void (*axes_slope_along)(const bl_orientation *kind, const double *o, const double *a, double *V);
    /* instead of the table spin: E[nspin][n], its derivative D[n][nspin][n] = dE/do_j, its second derivative dD/do_j do_l u_j for given
     * u */
    void (*spin_of)(const bl_orientation *kind, const double *o, double *E);
    void (*spin_rate)(const bl_orientation *kind, const double *o, double *D);
    void (*spin_rate_along)(const bl_orientation *kind, const double *o, const double *u, double *D);
    const bl_orientation *tangent; /* the same numbers with rotations as increments; NULL: none */
    /* tangent view; its axes_slope and axes_slope_along are derivatives with respect to the rotations x */
    void (*rate)(const double *o, double *T);                         /* T[stored][n]: o' = T w */
    void (*retract)(const double *o, const double *x, double *o_new); /* rotated by the vector x; o_new may be o */
    void (*local)(const double *o, const double *o_new, double *x);   /* the shortest rotation */
    void (*normalize)(double *o);                                     /* removes the part that is no rotation */
    double (*room)(const bl_orientation *kind, const double *o);      /* 1 at the start, 0 where the parameters become singular; NULL:
                                                                         never singular */
};

#define BL_KIND(name) extern const bl_orientation bl_orientation_##name;
#include "coords/orientation_list.h"
#undef BL_KIND
extern const bl_orientation bl_orientation_quaternion_tangent, bl_orientation_matrix_tangent; /* orientation_tangent.c */

static inline int bl_orientation_stored(const bl_orientation *kind) { return kind->stored ? kind->stored : kind->n; }

const bl_orientation *bl_orientation_named(const char *name); /* NULL: the default in space */

void bl_orientation_axes(const bl_orientation *kind, const double *o, double *r);
void bl_orientation_slope(const bl_orientation *kind, const double *o, double *X);
void bl_orientation_slope_along(const bl_orientation *kind, const double *o, const double *a, double *V);
/* B[n][n] = d(X^T w)/do = sum_k w_k d2 r_k / do do, added */
void bl_orientation_curvature(const bl_orientation *kind, const double *o, const double *w, double *B);
void bl_orientation_spin(const bl_orientation *kind, const double *o, double *E); /* E[nspin][n] */
/* S[nspin][n] = d(E(o) a)/do */
void bl_orientation_spin_slope(const bl_orientation *kind, const double *o, const double *a, double *S);
/* B[n][n] = d(E(o)^T w)/do, added */
void bl_orientation_spin_curvature(const bl_orientation *kind, const double *o, const double *w, double *B);
/* s[nspin] = E' v for o' = v, zero for tables of products; its derivatives [nspin][n] by o and v, NULL: not requested */
void bl_orientation_spin_bias(const bl_orientation *kind, const double *o, const double *v, double *s, double *s_o, double *s_v);
void bl_orientation_rotate(const double *C, int columns, double *r);              /* r = C r for vectors one after another; C by columns */
void bl_orientation_orthonormalize(double *C);                                    /* removes rounding errors from a rotation */
void bl_orientation_rows(const bl_orientation *kind, const double *o, double *h); /* h[nrow] */
void bl_orientation_row_slope(const bl_orientation *kind, const double *o, double *H);          /* H[nrow][n] */
void bl_orientation_row_curvature(const bl_orientation *kind, const double *lambda, double *B); /* B[n][n], added */

#endif
