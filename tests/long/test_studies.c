/* The studies of lines, string and block with the finest lines and the most steps. */
#define LONG
#include "../verify/fem/test_studies.c"
