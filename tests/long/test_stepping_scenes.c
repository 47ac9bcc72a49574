/* More scenes of tests/property/study/test_stepping_scenes.c. */
#define STEPPING_SCENES 1000
#include "../property/study/test_stepping_scenes.c"
