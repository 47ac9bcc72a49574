/* spread: multipliers of all rows from those of the kept rows, with the least sum of squares of scaled ones (spread.c). */
#ifndef BL_KKT_SPREAD_H
#define BL_KKT_SPREAD_H

#include "base/base.h"

/* Entries of L up to which it is formed as a matrix. */
enum { BL_MOST_L = 50000 };

/* Multipliers x[first .. n) of kept rows and s[nd] of dropped ones with the least sum of squares that exert the same forces. L[nd][n]: each
 * dropped row as a combination of kept ones, at first .. n; LL[nd][nd]: work. */
bl_status bl_kkt_spread(bl_index nd, bl_index n, bl_index first, const double *L, double *LL, double *s, double *x);
/* The same where L is not formed: y[kept rows] = L x, x[nd]; transposed: y[nd] = L^T x. mu[r] of the kept rows in and out; work: 3 nd + r
 * numbers. */
typedef bl_status (*bl_dropped_product)(void *of, bool transposed, const double *x, double *y);
bl_status bl_kkt_spread_many(void *of, bl_index nd, bl_index r, bl_dropped_product product, double *s, double *mu, double *work);

#endif
