/* Fuzz target: any bytes as a mesh of Gmsh. Whatever they are, a mesh comes out or an error with words that a terminal may show, and all
 * memory comes back. */
#include "fuzz/fuzz.h"

#include "mesh/mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    bl_context *ctx = fuzz_context();
    bl_mesh_builder builder = {.ctx = ctx}; /* of whatever dimension they say */
    bl_mesh mesh = {0};
    bl_status status = bl_mesh_read_gmsh(&builder, "fuzz.msh", data, size);
    if (status == BL_OK)
        status = bl_mesh_finish(&builder, &mesh);
    if (status == BL_OK)
        fuzz_expect(mesh.nnode > 0 && mesh.nelement > 0 && bl_mesh_volume(&mesh) > 0);
    else
        fuzz_check_error(ctx, status);
    bl_mesh_builder_destroy(&builder);
    bl_mesh_destroy(&mesh);
    fuzz_context_end(ctx);
    return 0;
}
