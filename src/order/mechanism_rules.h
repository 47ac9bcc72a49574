/* Common part of mechanism and mechanism_robust: the rules, and the evaluation of candidate blocks. */
#ifndef BL_MECHANISM_RULES_H
#define BL_MECHANISM_RULES_H

#include "order/order.h"

typedef struct bl_mechanism_rules {
    bool angles, closures; /* relative coordinates start in the border, loop-closure equations in the band */
    bool literal;          /* a pair of rows with the same three columns gives one 1x1 block instead of a 2x2 block */
    /* Worth of a candidate block, size <= 3; NULL: all are equal. The best rows and columns within a candidate are used, but never if the
     * worth is below the threshold. */
    double (*worth)(void *user, bl_index size, const bl_index *row, const bl_index *col);
    void *user;
    double threshold;
} bl_mechanism_rules;

bl_status bl_mechanism_order(const bl_order_input *in, const bl_mechanism_rules *rules, bl_ordering *out);

#endif
