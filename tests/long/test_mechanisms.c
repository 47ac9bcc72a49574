/* The same as tests/property/study/test_mechanisms.c over a longer span. */
#define MECHANISMS 2000
#define SPAN 0.5
#define END 1e-3
#define MOST_MICROSECONDS 3000000
#include "../property/study/test_mechanisms.c"
