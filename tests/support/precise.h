/* Motions in long double by independent equations, as references for double precision. Nothing here uses the library.
 *
 * Points and axes in natural coordinates under quadratic rows (pendulums, linkages of slender rods, Bricard's mechanism), Andrews' squeezer
 * in its seven angles, linkages of one degree of freedom on a given branch; extrapolation of the modified mid-point rule (Gragg, Bulirsch,
 * Stoer). */
#ifndef TEST_PRECISE_H
#define TEST_PRECISE_H

typedef long double real;

/* y' = f(t, y), n <= PRECISE_MOST. The step size adapts; *h: the size to try next, 0: chosen here. Tolerance relative to |y| + 1. */
enum { PRECISE_MOST = 64 };
void precise_ode(int n, void (*f)(void *user, real t, const real *y, real *rate), void *user, real t0, real t1, real *y, real tolerance,
                 real *h);

/* Vectors x_0 .. x_{n-1} of `dim` parts; those from `moving` on are fixed. Rows (x_a - x_b) . (x_c - x_d) = value, b and d -1: zero.
 * Rods are slender and uniform, from a to b; a point mass has a = b. Gravity acts along -y. */
enum { PRECISE_VECTORS = 12, PRECISE_ROWS = 24 };
typedef struct precise_row {
    int a, b, c, d;
    real value;
} precise_row;
typedef struct precise_rod {
    int a, b;
    real mass;
} precise_rod;
typedef struct precise_points {
    int dim, n, moving, nrow, nrod;
    real x[PRECISE_VECTORS][3], v[PRECISE_VECTORS][3]; /* at time t */
    precise_row row[PRECISE_ROWS];
    precise_rod rod[6];
    real t, h;
} precise_points;
void precise_points_to(precise_points *p, real t);
real precise_points_drift(const precise_points *p); /* largest |row| */

precise_points precise_pendulum(void);
precise_points precise_double_pendulum(void);
precise_points precise_four_bar(void);
precise_points precise_bricard(void);

/* Andrews' squeezer: q = beta, Theta, gamma, Phi, delta, Omega, epsilon, then rates */
typedef struct precise_andrews {
    real t, h, y[14];
} precise_andrews;
precise_andrews precise_andrews_start(void);
void precise_andrews_to(precise_andrews *p, real t);
real precise_andrews_drift(const precise_andrews *p);

/* One degree of freedom s: the cranks of N four-bar loops (s = psi, from the upward vertical, clockwise) with N > 0, the change-point
 * four-bar on its smooth branch (s the crank angle from x) with N = 0. */
typedef struct precise_branch {
    int N;
    real t, h, y[2];
} precise_branch;
precise_branch precise_branch_start(int N);
void precise_branch_to(precise_branch *p, real t);
/* the probe of the scene, and its velocity */
void precise_branch_probe(const precise_branch *p, real *x, real *v);

#endif
