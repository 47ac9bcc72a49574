/* Mechanisms that move only because of special dimensions, one of which may have an error. */
#ifndef BL_TEST_OVERCONSTRAINED_H
#define BL_TEST_OVERCONSTRAINED_H

#include <stddef.h>

enum { TEST_OVERCONSTRAINED_TEXT = 8192 };

typedef struct test_overconstrained {
    const char *name;
    const char *last; /* joint reported according to the order of the file */
    double size;      /* of the mechanism, m: how far joints are from their middle, about */
    double until;     /* s; no singular configuration before it */
    void (*write)(double off, char *text, size_t size);
} test_overconstrained;

extern const test_overconstrained test_overconstrained_list[];
extern const int test_noverconstrained;

/* Model text with an error `off` in one dimension (m, or rad), a probe P on the coupler, falling from rest. */
void test_overconstrained_write(const test_overconstrained *mechanism, double off, char text[TEST_OVERCONSTRAINED_TEXT]);

#endif
