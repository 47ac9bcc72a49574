/* The mesh of a deck: nodes used by elements or equations, elements, and sets of both. Other nodes are left out, also from sets. */
#include "model/deck_reader.h"

static bl_status add_nodes(bl_deck_reader *d, bl_mesh_builder *b) {
    for (bl_index k = 0; k < d->ncorner; k++)
        d->node[d->corner[k]].mesh = 0;
    for (bl_index t = 0; t < d->ntie; t++)
        for (bl_index k = 0; k < d->tie[t].tie.nterm; k++)
            d->node[d->tie[t].tie.term[k].node].mesh = 0;
    bl_index n = 0;
    for (bl_index i = 0; i < d->nnode; i++)
        if (d->node[i].mesh >= 0) {
            d->node[i].mesh = n++;
            BL_TRY(bl_mesh_add_node(b, d->node[i].label, d->node[i].x));
        }
    return BL_OK;
}

static bl_status add_elements(bl_deck_reader *d, bl_mesh_builder *b) {
    for (bl_index e = 0; e < d->nelement; e++) {
        const bl_deck_element *element = &d->element[e];
        bl_index node[BL_ELEMENT_NODES];
        for (int a = 0; a < element->type->kind->nnode; a++)
            node[a] = d->node[d->corner[element->first + a]].mesh;
        BL_TRY(bl_mesh_add_element(b, element->type->kind, element->label, node));
    }
    return BL_OK;
}

static bl_status add_sets(bl_deck_reader *d, bl_mesh_builder *b) {
    for (bl_index s = 0; s < d->nset; s++) {
        const bl_deck_set *set = &d->set[s];
        for (bl_index i = 0; i < set->count; i++) {
            bl_index item = set->of_elements ? set->item[i] : d->node[set->item[i]].mesh;
            if (item >= 0)
                BL_TRY(bl_mesh_add_to_set(b, set->name, set->of_elements ? BL_SET_ELEMENTS : BL_SET_NODES, item, 0));
        }
    }
    return BL_OK;
}

/* elements sorted by kind, in their order within a kind, as in bl_mesh_finish */
static void number_elements(bl_deck_reader *d) {
    bl_index n = 0;
    for (size_t k = 0; k < bl_element_kind_count; k++)
        for (bl_index e = 0; e < d->nelement; e++)
            if (d->element[e].type->kind == bl_element_kinds[k])
                d->element[e].mesh = n++;
}

bl_status bl_deck_build(bl_deck_reader *d, bl_mesh_builder *b) {
    if (d->nelement == 0)
        return bl_fail(d->ctx, BL_E_MODEL, &b->place, "the deck has no elements");
    BL_TRY(bl_mesh_expect(b, d->nnode, d->nelement));
    BL_TRY(add_nodes(d, b));
    BL_TRY(add_elements(d, b));
    BL_TRY(add_sets(d, b));
    number_elements(d);
    return BL_OK;
}
