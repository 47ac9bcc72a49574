/* More scenes of tests/property/study/test_contact_scenes.c. */
#define CONTACT_SCENES 1000
#include "../property/study/test_contact_scenes.c"
