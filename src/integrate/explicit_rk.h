/* explicit_rk: the engine of explicit Runge-Kutta methods. A method is a table of coefficients:
 *
 *     k_s = f(t + c_s h, y + h sum_{j<s} a_sj k_j),  c_s = sum_j a_sj,  s = 0 .. stages,  y_new is the argument of the last one
 *
 * so that the rate at the end of a step is the first of the next. A kind is its table, BL_RK_SLOTS and a line in integrator_list.h: copy
 * bs23.c. Order conditions of all tables, their estimates and dense outputs are checked by tests/unit/integrate/test_explicit.c. */
#ifndef BL_EXPLICIT_RK_H
#define BL_EXPLICIT_RK_H

#include "integrate/explicit.h"

enum { BL_RK_ERRORS = 2, BL_RK_BENDS = 4 };

/* The weights of the method minus those of a formula of lower order, given as differences or as those weights. */
typedef struct bl_rk_error {
    int order;                             /* of the other formula; 0: none */
    const long double *difference, *other; /* [stages + 1], one of them */
} bl_rk_error;

/* Orders of the method and its dense output are in the kind. Arrays are constants and not copied. */
typedef struct bl_rk_table {
    int stages, extra;    /* rates before the end of the step; additional ones for dense output, evaluated when it is requested */
    const long double *A; /* [stages + 1 + extra][stages + extra] row by row; row `stages`: the weights */
    bl_rk_error error[BL_RK_ERRORS]; /* none: fixed step. Two: |e_0|^2 / sqrt(|e_0|^2 + 0.01 |e_1|^2) */
    /* Dense output is the cubic of both ends and higher terms (bends): with d_i = sum_j D_ij k_j, s = (t - t_old) / h, r = 1 - s
     *     ... + h s^2 r^2 (d_0 + s (d_1 + r (d_2 + s d_3))) */
    int bends;
    const long double *D; /* [bends][stages + 1 + extra] */
    /* h |lambda| from which an oscillation, and a decaying mode, limit the step; below seen tolerance^(1 / order), or this, modes may be as
     * large as the solution, and are resolved */
    double held[2], seen;
} bl_rk_table;

/* ---- slots */
bl_status bl_rk_create(bl_integrator *integ);
bl_status bl_rk_start(bl_integrator *integ);
bl_status bl_rk_attempt(bl_integrator *integ, double h, double *error);
bl_status bl_rk_next_step(bl_integrator *integ, bool accepted, double error, int failures, bl_status status, double *h);
void bl_rk_accept(bl_integrator *integ);
bl_status bl_rk_dense(const bl_integrator *integ, double t, double *y);
bl_status bl_rk_formula(const bl_integrator_kind *kind, bl_context *ctx, const bl_value *value, bl_formula *formula);
bool bl_rk_fast(const bl_integrator *integ, double *w, double *Jw, bool *known, double limit[2]);

/* all except `rk`, the table, and `fast`, which is for methods with step control */
#define BL_RK_SLOTS                                                                                                               \
    .create = bl_rk_create, .start = bl_rk_start, .attempt = bl_rk_attempt, .next_step = bl_rk_next_step, .accept = bl_rk_accept, \
    .dense = bl_rk_dense, .formula = bl_rk_formula

#endif
