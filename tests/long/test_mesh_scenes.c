/* Every scene with meshes, larger ones as well, and more of them by all methods. */
#define LONG
#include "../conform/study/test_mesh_scenes.c"
