/* random_mechanism: models as text, plane and space, trees and loops, all joints, with random entries of `initial:`. */
#ifndef BL_TEST_RANDOM_MECHANISM_H
#define BL_TEST_RANDOM_MECHANISM_H

#include "support/testing.h"

/* Writes a model; returns its length. Joints of the tree are given assembled, or sometimes with a gap; those that close loops assembled. */
size_t random_mechanism(test_random *random, char *text, size_t room);

#endif
