/* More scenes of tests/property/study/test_stepping_events.c. */
#define STEPPING_PAIRS 600
#include "../property/study/test_stepping_events.c"
