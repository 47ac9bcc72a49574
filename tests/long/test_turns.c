/* The motions of tests/verify/study/test_turns.c over a longer time. */
#define TURNS_UNTIL 1.0
#include "../verify/study/test_turns.c"
