/* Patterns for tests of orderings: random ones, parts and relabellings of others, the Jacobian of a full vehicle; and the check that
 * an ordering has the form it claims. Patterns are freed with bl_pattern_free. */
#ifndef BL_TEST_PATTERNS_H
#define BL_TEST_PATTERNS_H

#include "order/order.h"
#include "sparse/sparse.h"
#include "support/testing.h"

/* About nnz entries anywhere; transversal: and one in every row or column, whichever are fewer. */
bl_pattern test_pattern_random(bl_context *ctx, test_random *random, bl_index nrow, bl_index ncol, bl_index nnz, bool transversal);
void test_shuffle(test_random *random, bl_index n, bl_index *x); /* a random permutation of 0 .. n-1 */
/* Rows and columns renumbered at random. row_of[nrow], col_of[ncol] (may be NULL): new numbers of the old ones. */
bl_pattern test_pattern_relabeled(bl_context *ctx, test_random *random, const bl_pattern *pattern, bl_index *row_of, bl_index *col_of);
/* Only columns with keep[col] != 0. */
bl_pattern test_pattern_columns(bl_context *ctx, const bl_pattern *pattern, const uint8_t *keep);

/* A car with two five-rod axles behind and two struts in front, natural coordinates: 202 columns, 192 rows. LEAN leaves out points
 * that only ride along (172 columns, 162 rows), OPENED the 18 rows that close loops. dependent: without the independent columns. */
typedef enum test_vehicle { VEHICLE_FULL, VEHICLE_LEAN, VEHICLE_OPENED } test_vehicle;
bl_pattern test_vehicle_pattern(bl_context *ctx, test_vehicle which, bool dependent);

void test_permutation(bl_index n, const bl_index *order);
/* Permutations; sizes of blocks, border and band; no entry above the diagonal blocks outside the border. */
void test_block_form(const bl_pattern *pattern, const bl_ordering *ordering);
bl_index test_blocks_of(const bl_ordering *ordering, bl_index size); /* how many */

#endif
