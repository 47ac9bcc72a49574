/* Two models, in space and in the plane, with forces of every kind. */
#ifndef BL_TEST_ALL_FORCES_H
#define BL_TEST_ALL_FORCES_H

extern const char *const test_all_forces[2];

#endif
