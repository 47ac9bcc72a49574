/* Integration methods implemented again, independent of the library's tables: multistep rows from differences, correctors by solving
 * their order conditions, second-order methods by solving the equations of one step. */
#ifndef BL_TEST_FORMULAS_H
#define BL_TEST_FORMULAS_H

#include "integrate/method_coefficients.h"

void test_bdf(int k, bl_formula *f);
void test_ndf(int k, bl_formula *f); /* k = 1..4 */
void test_extended(int k, bool ndf1, bool ndf2, bool modified, bl_formula *f);
void test_bdf_alpha(double alpha, bl_formula *f);
void test_trapezoidal(bl_formula *f);
void test_park(bl_formula *f);

void test_generalized_alpha(double am, double af, double beta, double gamma, bl_formula *f);
void test_newmark(double beta, double gamma, bl_formula *f);
void test_hht(double alpha, bl_formula *f);
void test_wbz(double alpha, bl_formula *f);
void test_chung_hulbert(double rho, bl_formula *f);
void test_houbolt(bl_formula *f);
void test_collocation(double beta, double gamma, double theta, bl_formula *f);
void test_edmc1(double chi, bl_formula *f);
void test_edmc2(double alpha, bl_formula *f);

#endif
