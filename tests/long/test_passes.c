/* The same claims with 40 and 160 loops. */
#define LOOPS 40, 160
#include "../verify/dynamics/test_passes.c"
