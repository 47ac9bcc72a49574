/* More loops than the fast test. */
#define LOOPS 2, 10, 40, 160
#include "../verify/series/test_singular.c"
