/* Output does not influence the motion: all methods, all kinds of coordinates, four formulations, longer. */
#define LONG
#include "../conform/study/test_output_times.c"
