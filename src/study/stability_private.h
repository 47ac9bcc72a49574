/* stability: a method as one polynomial P(r, z) in the root r and z = h lambda; orders, roots and regions from it. */
#ifndef BL_STABILITY_PRIVATE_H
#define BL_STABILITY_PRIVATE_H

#include "biela/stability.h"
#include "integrate/method_coefficients.h"

#include <complex.h>

typedef long double complex bl_complex;

enum { BL_SYMBOL_ROOTS = BL_FORMULA_STEPS + 2, BL_SYMBOL_POWERS = BL_FORMULA_STAGES };

/* P(r, z) = sum_{i=0..n, m=0..d} c[i][m] r^i z^m: the powers of r represent y_n, y_{n+1}, ... on y' = lambda y. An OSCILLATOR has no
 * such polynomial in z: it stores the formula and computes the characteristic polynomial of its matrix for each (Omega, xi). */
typedef struct bl_symbol {
    int n, d;
    long double c[BL_SYMBOL_ROOTS + 1][BL_SYMBOL_POWERS + 1];
    bl_formula_shape shape;
    const bl_formula *oscillator; /* NULL: P */
} bl_symbol;

_Static_assert((int)BL_SYMBOL_POWERS >= (int)BL_SYMBOL_ROOTS, "roots in r and in z share their arrays");

/* The roots in r at one z (or in z at one r). error: bound of the rounding error of a root. lost: roots at infinity. */
typedef struct bl_roots {
    int n, lost;
    bl_complex r[BL_SYMBOL_POWERS];
    long double error[BL_SYMBOL_POWERS];
} bl_roots;

/* ---- stability_symbol.c */

/* BL_E_ARG when the formula makes no sense (no leading coefficient, too many steps). The formula must outlive the symbol. */
bl_status bl_symbol_create(bl_context *ctx, const bl_formula *formula, bl_symbol *symbol);
/* Order and error constant; order -1: not consistent. For an OSCILLATOR: of its recurrence. */
void bl_symbol_order(const bl_symbol *symbol, int *order, double *error_constant);
/* Roots of a polynomial p[0..degree] whose coefficients have the accuracy `precision` relative to the sum of the terms. */
void bl_polynomial_roots(const bl_complex *p, int degree, long double precision, bl_roots *roots);
/* Roots at z. Oscillators: Omega = |z|, xi = -Re z / |z|. */
void bl_symbol_roots(const bl_symbol *symbol, bl_complex z, bl_roots *roots);
/* Roots for z -> infinity. */
void bl_symbol_roots_at_infinity(const bl_symbol *symbol, bl_roots *roots);
long double bl_roots_radius(const bl_roots *roots); /* INFINITY when one was lost */
/* No root outside the unit circle by more than its error and `slack`. */
bool bl_roots_stable(const bl_roots *roots, long double slack);
/* All z with P(r, z) = 0; returns how many, at most BL_SYMBOL_POWERS. Not for oscillators. */
int bl_symbol_locus(const bl_symbol *symbol, bl_complex r, bl_complex *z);

/* ---- stability_trees.c */

enum { BL_TREE_ORDER = 8 };
/* The order of a Runge-Kutta method for all problems, at most BL_TREE_ORDER; *conditions: number checked. */
int bl_runge_kutta_order(const bl_formula *formula, int *conditions);

/* ---- stability_region.c */

bool bl_symbol_stable(const bl_symbol *symbol, bl_complex z);
/* Largest x such that (0, x] along the direction (unit modulus) is stable; INFINITY: the complete ray. */
double bl_symbol_interval(const bl_symbol *symbol, bl_complex direction);
/* A(alpha) in degrees, 90: A-stable, NaN: no sector. */
double bl_symbol_angle(const bl_symbol *symbol, double real_interval);
/* Boundary of the stability region. Lines and points live in the arena. */
bl_status bl_symbol_boundary(const bl_symbol *symbol, bl_arena *arena, bl_index *nline, const bl_stability_line **line);

/* ---- stability.c */

/* All results of one formula except tables and boundary. */
bl_status bl_stability_of(bl_context *ctx, const bl_formula *formula, double xi, bl_stability_entry *entry);
/* The principal root at the last Omega; zeroed: not started. */
typedef struct bl_track {
    double Omega;
    bl_complex r;
} bl_track;
/* Spectral radius, algorithmic damping and relative period error at Omega = h w with the damping ratio xi; cheap when Omega grows from
 * call to call. */
void bl_symbol_vibration(const bl_symbol *symbol, double Omega, double xi, bl_track *track, double *rho, double *damping,
                         double *period_error);

#endif
