#include "support/gmsh_files.h"
#include "support/testing.h"
#include <stdio.h>
#include <stdlib.h>
static void try_all(void **unused) {
    (void)unused;
    for (size_t k = 0; k < gmsh_file_count; k++) {
        size_t n; unsigned char *bytes = gmsh_load(gmsh_files[k].name, &n);
        bl_context *ctx = test_context(NULL); bl_mesh m = {0};
        bl_status s = gmsh_read(ctx, gmsh_files[k].dim, bytes, n, &m);
        const bl_error *e = bl_context_error(ctx);
        printf("%s: %d %s:%d: %s\n", gmsh_files[k].name, s, e->file, e->line, e->what);
        if (s == 0) {
            printf("  nodes %d elements %d volume %.15g\n", m.nnode, m.nelement, bl_mesh_volume(&m));
            for (int i = 0; i < m.nblock; i++) printf("  %s %d\n", m.block[i].kind->kind.name, m.block[i].count);
            for (int i = 0; i < m.nset; i++) printf("  set %s %d: %d\n", m.set[i].name, m.set[i].what, m.set[i].count);
            bl_mesh_destroy(&m);
        }
        test_context_end(ctx); free(bytes);
    }
}
int main(void) { const struct CMUnitTest t[] = {cmocka_unit_test(try_all)}; return cmocka_run_group_tests(t, NULL, NULL); }
