/* Mechanisms whose structural groups are known, as links and pairs. */
#ifndef BL_TEST_MECHANISMS_H
#define BL_TEST_MECHANISMS_H

#include "biela/structure.h"

typedef struct test_mechanism {
    const char *name;
    const char *pairs;  /* "1,2,3 2,3,1": links from 1, and the code of the pair */
    const char *groups; /* "2|3,4" in order of solution */
} test_mechanism;

extern const test_mechanism test_mechanisms[];
extern const int test_nmechanism;
const test_mechanism *test_mechanism_find(const char *name); /* asserts that it is there */

/* A chain with its storage. */
enum { TEST_MOST_PAIRS = 400 };
typedef struct test_chain {
    bl_chain chain;
    bl_chain_pair pair[TEST_MOST_PAIRS];
} test_chain;

void test_chain_start(test_chain *c, const char *name);
void test_chain_pair(test_chain *c, int i, int j, int code); /* links from 1 */
void test_chain_make(test_chain *c, const char *name, const char *pairs);
void test_chain_dyads(test_chain *c, int ndyad); /* a crank and dyads, each on the last one and the frame */

#endif
