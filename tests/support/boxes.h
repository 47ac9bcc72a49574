/* Matrices of meshes: lines, rectangles and boxes of linear elements, heat flow or elasticity, assembled as finite elements are. Used by
 * tests and benchmarks. */
#ifndef BL_TEST_BOXES_H
#define BL_TEST_BOXES_H

#include "system/system.h"

typedef struct test_box_input {
    int dim;      /* 1, 2, 3 */
    int side[3];  /* elements along each direction; 0: as along the first */
    bool elastic; /* `dim` unknowns per node, Young's modulus 1, Poisson's ratio 0.3; else one */
    bool rollers; /* the second component is fixed on the face y = 0, too: nodes of fewer unknowns */
    bool free;    /* nothing is fixed, else the face x = 0 */
    double mass;  /* so much of the consistent mass matrix (density 1) is added; elements have length 1 */
} test_box_input;

typedef struct test_box {
    bl_pattern pattern;
    bl_index *ptr, *idx;
    double *values;
} test_box;

/* Zeroed where memory is short. */
test_box test_box_make(const test_box_input *input);
void test_box_free(test_box *box);

#endif
