/* close, private: linear algebra of large assemblies. */
#ifndef BL_CLOSE_H
#define BL_CLOSE_H

#include "system/system.h"

/* Least-norm solution of A x = b, b[max(m, n)] in: right-hand side, out: x. *solved false, and b unchanged, where that takes more care:
 * a row that nearly depends on others, or depends on them and contradicts them. Cost follows the band of A A^T. */
bl_status bl_close_sparse(bl_context *ctx, const bl_pattern *pattern, const double *values, double *b, bool *solved);

#endif
