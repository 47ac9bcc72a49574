/* close, private: linear algebra of large assemblies. */
#ifndef BL_ASSEMBLY_PRIVATE_H
#define BL_ASSEMBLY_PRIVATE_H

#include "system/system.h"

/* Takes rounding out of velocities that meet the rows. */
bl_status bl_close_polish(const bl_system *sys, bl_state *state);

/* Least-norm solution of A x = b, b[max(m, n)] in: right-hand side, out: x. *solved false, and b unchanged, where that takes more care:
 * a row that nearly depends on others, or depends on them and contradicts them. Cost follows the band of A A^T. */
bl_status bl_close_sparse(bl_context *ctx, const bl_pattern *pattern, const double *values, double *b, bool *solved);

/* The same of rows that are independent alone: pivots up to tolerance x the larger of the largest entry and system_rank_least x size count
 * as zero. Off the constraints redundant rows contradict each other by what is still open; on them they are met with the others. */
bl_status bl_close_independent(bl_context *ctx, const bl_pattern *pattern, const double *values, double tolerance, double size, double *b,
                               bool *solved);

/* The same where rows leave their columns no choice, group by group: the rows of a group follow each other, group[i] being the first of
 * row i, and fix at most a few columns once those fixed by other groups are taken in (turns of one body after the other along a
 * chain). Columns without rows are 0. *solved false, and b unchanged, where a row is left over, or not met. Cost follows the entries. */
bl_status bl_close_determined(bl_context *ctx, const bl_pattern *pattern, const double *values, const bl_index *group, double *b,
                              bool *solved);

#endif
