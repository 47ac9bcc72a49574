/* orientation: how a body's axes follow from its parameters o.
 *
 *     axes  r = r(o)        r[9] components of the three axes one after the other; in the plane r[2], the first axis
 *     spin  w = E(o) o'     angular velocity in body axes; one number in the plane
 *     rows  h(o) = 0        what redundant parameters obey
 *
 * Tables of products say it for most; the slots say it for the others. Redundant parameters have a tangent view: `stored` numbers describe
 * the position, n = 3 small turns about the body's axes move it, their rates are the spin, and there are no rows.
 *
 * Three parameters cannot describe every position: such a kind has `room`, its axes stand on a rotation C kept beside the state,
 * r = C r(o), and where room is short C takes o in and o starts anew.
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
    const bl_bilinear *axes;                                 /* r_k; ends with coef 0. NULL: the slots */
    const bl_bilinear *spin;                                 /* w_k = sum coef o_a o'_b */
    const bl_bilinear *rows;                                 /* h_k = sum coef o_a o_b - row_value[k] */
    const double *row_value;                                 /* [nrow] */
    const char *const *row_names;                            /* what each says */
    const char *sequence;                                    /* of turns about body axes, "xyz" */
    void (*start_of)(const bl_orientation *kind, double *o); /* where start is NULL */
    void (*axes_of)(const bl_orientation *kind, const double *o, double *r);
    void (*axes_slope)(const bl_orientation *kind, const double *o, double *X); /* X[naxis][n] = dr/do */
    /* V[naxis][n] = d(X a)/do, which is symmetric in a and its column but for turns */
    void (*axes_turn)(const bl_orientation *kind, const double *o, const double *a, double *V);
    /* in place of the table spin: E[nspin][n], its slope D[n][nspin][n] = dE/do_j, its bend dD/do_j do_l u_j for a given u */
    void (*spin_of)(const bl_orientation *kind, const double *o, double *E);
    void (*spin_rate)(const bl_orientation *kind, const double *o, double *D);
    void (*spin_turn)(const bl_orientation *kind, const double *o, const double *u, double *D);
    const bl_orientation *tangent; /* the same numbers with turns as increments; NULL: none */
    /* of such a view; its axes_slope and axes_turn are derivatives along the turns x */
    void (*rate)(const double *o, double *T);                         /* T[stored][n]: o' = T w */
    void (*retract)(const double *o, const double *x, double *o_new); /* turned by the vector x; o_new may be o */
    void (*local)(const double *o, const double *o_new, double *x);   /* the shortest turn */
    void (*normalize)(double *o);                                     /* takes out what does not turn */
    double (*room)(const bl_orientation *kind, const double *o);      /* 1 at the start, 0 where the parameters fail; NULL: they never do */
};

#define BL_KIND(name) extern const bl_orientation bl_orientation_##name;
#include "coords/orientation_list.h"
#undef BL_KIND
extern const bl_orientation bl_orientation_quaternion_tangent, bl_orientation_matrix_tangent; /* orientation_tangent.c */

static inline int bl_orientation_stored(const bl_orientation *kind) { return kind->stored ? kind->stored : kind->n; }

const bl_orientation *bl_orientation_named(const char *name); /* NULL: the default in space */

void bl_orientation_axes(const bl_orientation *kind, const double *o, double *r);
void bl_orientation_slope(const bl_orientation *kind, const double *o, double *X);
void bl_orientation_turn(const bl_orientation *kind, const double *o, const double *a, double *V);
/* B[n][n] = d(X^T w)/do = sum_k w_k d2 r_k / do do, added */
void bl_orientation_bend(const bl_orientation *kind, const double *o, const double *w, double *B);
void bl_orientation_spin(const bl_orientation *kind, const double *o, double *E); /* E[nspin][n] */
/* S[nspin][n] = d(E(o) a)/do */
void bl_orientation_spin_slope(const bl_orientation *kind, const double *o, const double *a, double *S);
/* B[n][n] = d(E(o)^T w)/do, added */
void bl_orientation_spin_bend(const bl_orientation *kind, const double *o, const double *w, double *B);
/* s[nspin] = E' v for o' = v, which products do not have; its slopes [nspin][n] by o and v, NULL: not wanted */
void bl_orientation_spin_bias(const bl_orientation *kind, const double *o, const double *v, double *s, double *s_o, double *s_v);
void bl_orientation_keep(const double *C, int columns, double *r); /* r = C r for vectors one after the other; C by columns */
void bl_orientation_right(double *C);                              /* takes rounding out of a rotation */
void bl_orientation_rows(const bl_orientation *kind, const double *o, double *h);          /* h[nrow] */
void bl_orientation_row_slope(const bl_orientation *kind, const double *o, double *H);     /* H[nrow][n] */
void bl_orientation_row_bend(const bl_orientation *kind, const double *lambda, double *B); /* B[n][n], added */

#endif
