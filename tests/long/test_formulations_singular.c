/* The same claims with 40 loops too. */
#define NLOOP 2
#include "../verify/dynamics/test_formulations_singular.c"
