/* assembly, private: linear algebra of large assemblies. */
#ifndef BL_ASSEMBLY_PRIVATE_H
#define BL_ASSEMBLY_PRIVATE_H

#include "system/system.h"

/* Removes rounding errors from velocities that already satisfy G v = b. */
bl_status bl_assembly_polish(const bl_system *sys, bl_state *state);

/* Velocities on G v = b and on n further equations, row[n][nv] v = value[n], with the least change in the norm of masses (start_sudden.c).
 * BL_NO_CONVERGENCE, with no error recorded: there are none. */
bl_status bl_assembly_sudden(const bl_system *sys, bl_state *state, bl_index n, const double *row, const double *value);

/* Least-norm solution of A x = b, b[max(m, n)] in: right-hand side, out: x. *solved is false, and b unchanged, where a more careful method
 * is needed: a row nearly depends on others, or depends on them and contradicts them. The cost grows with the bandwidth of A A^T. */
bl_status bl_assembly_sparse(bl_context *ctx, const bl_pattern *pattern, const double *values, double *b, bool *solved);

/* The same for the independent rows alone: pivots up to tolerance x the larger of the largest entry and system_rank_least x size count as
 * zero. While gaps are open, redundant rows contradict each other by these gaps; when all are closed they are satisfied with the others. */
bl_status bl_assembly_independent(bl_context *ctx, const bl_pattern *pattern, const double *values, double tolerance, double size,
                                  double *b, bool *solved);

/* The same where the rows determine all columns, group by group: the rows of a group are consecutive, group[i] is the first row of the
 * group of row i, and a group determines at most a few columns once those determined by other groups are substituted (rotations of one
 * body after the other along a chain). Columns without rows are 0. *solved is false, and b unchanged, where a row is left over or not
 * satisfied. The cost is proportional to the number of entries. */
bl_status bl_assembly_determined(bl_context *ctx, const bl_pattern *pattern, const double *values, const bl_index *group, double *b,
                                 bool *solved);

#endif
