/* Fields of meshes. */
#include "fem/assembly.h"

bl_status bl_fem_choose_fields(bl_system *sys, const char *choice) {
    (void)sys, (void)choice;
    return BL_OK;
}
