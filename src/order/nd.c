/* Nested dissection of the graph of A + A^T by multilevel separators (METIS_NodeND): for large symmetric patterns. Karypis and Kumar,
 * SIAM J. Sci. Comput. 20 (1998). Without METIS at build time the kind is listed and refuses. METIS seeds the C library's rand() at
 * each call and draws from it: one thread at a time, or orders would not repeat. */
#include "base/library.h"
#include "order/graph.h"

#ifdef BIELA_METIS
#include <metis.h>

enum { SEED = 1 };

static bl_status nd_order(const bl_order_input *in, bl_ordering *out) {
    bl_context *ctx = in->ctx;
    bl_graph graph;
    BL_TRY(bl_graph_build(in->arena, in->pattern, &graph));
    bl_index n = graph.n, links = graph.ptr[n];
    if (links == 0)
        return BL_OK; /* any order is valid */
    idx_t *perm, *inverse, *ptr, *to, nodes = n, options[METIS_NOPTIONS];
    BL_TRY(BL_ARENA_ARRAYS(in->arena, BL_ARRAY(perm, n), BL_ARRAY(inverse, n), BL_ARRAY(ptr, n + 1), BL_ARRAY(to, links)));
    for (bl_index k = 0; k <= n; k++)
        ptr[k] = graph.ptr[k];
    for (bl_index k = 0; k < links; k++)
        to[k] = graph.to[k];
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_NUMBERING] = 0;
    options[METIS_OPTION_SEED] = SEED;
    bl_library_enter(BL_SOLE_METIS);
    int status = METIS_NodeND(&nodes, ptr, to, NULL, options, perm, inverse);
    bl_library_leave(BL_SOLE_METIS);
    if (status == METIS_ERROR_MEMORY)
        return bl_fail(ctx, BL_E_MEMORY, NULL, "nd: not enough memory for a graph of %d nodes", n);
    if (status != METIS_OK)
        return bl_fail(ctx, BL_E_NUMERIC, NULL, "nd: METIS failed with status %d", status);
    for (bl_index k = 0; k < n; k++)
        out->row[k] = out->col[k] = (bl_index)perm[k];
    return BL_OK;
}
#else
static bl_status nd_order(const bl_order_input *in, bl_ordering *out) {
    (void)out;
    bl_fail(in->ctx, BL_E_ABILITY, NULL, "nd: this build has no METIS");
    bl_advise(in->ctx, "install libmetis-dev and build again, or choose amd");
    return BL_E_ABILITY;
}
#endif

const bl_order_kind bl_order_nd = {
    .kind = {.name = "nd", .help = "nested dissection of A + A^T (METIS, where the build found it)", .gives = BL_ORDER_SYMMETRIC},
    .order = nd_order,
};
