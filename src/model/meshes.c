/* Meshes of a model: generators by their parameter tables, files, distortion, sets by expression. */
#include "model/law_inputs.h"
#include "model/reader.h"

#include <math.h>
#include <string.h>

/* what: the region to be meshed, of dimension dim; bars: elements of dimension 1 are accepted too */
static bl_status read_element(bl_reader *r, const bl_item *mesh, const char *what, int dim, bool bars, const bl_element_kind **element) {
    const bl_item *item;
    const char *word, *names[32];
    size_t n = 0;
    BL_TRY(bl_item_need(r, mesh, "a mesh", "element", &item));
    BL_TRY(bl_item_text(r, item, "element", &word));
    *element = bl_element_kind_by_name(word);
    if (*element && ((*element)->dim == dim || (bars && (*element)->dim == 1)))
        return BL_OK;
    if (*element)
        return bl_fail(r->ctx, BL_E_MODEL, &item->place, "a %s cannot be meshed with elements of type %s, which have dimension %d", what,
                       word, (*element)->dim);
    for (; n < bl_element_kind_count && n < 32; n++)
        names[n] = bl_element_kinds[n]->kind.name;
    bl_fail(r->ctx, BL_E_MODEL, &item->place, "there is no element '%s'", word);
    const char *nearest = bl_nearest(word, names, n);
    if (nearest)
        bl_advise(r->ctx, "did you mean '%s'?", nearest);
    return BL_E_MODEL;
}

static bl_status read_file(bl_reader *r, const bl_item *item, bl_mesh_builder *b) {
    const char *name, *text;
    size_t bytes;
    uint64_t id[2];
    BL_TRY(bl_item_text(r, item, "file", &name));
    const char *path = bl_source_path(r, item->place.file, name);
    if (!path)
        return BL_E_MEMORY;
    BL_TRY(bl_source_load(r, &r->scratch, path, &item->place, &text, &bytes, id));
    if (bl_is_deck(path, text, bytes))
        return bl_read_deck_mesh(r, path, text, bytes, b);
    return bl_mesh_read_gmsh(b, path, (const unsigned char *)text, bytes);
}

/* nodes: [[0, 0], [1, 0], ...], elements: [[1, 2], ...] with node numbers from 1 */
static bl_status read_lists(bl_reader *r, const bl_item *mesh, const bl_item *nodes, bl_mesh_builder *b) {
    const bl_item *elements;
    const bl_element_kind *kind;
    BL_TRY(bl_item_need(r, mesh, "a mesh of nodes", "elements", &elements));
    BL_TRY(read_element(r, mesh, "mesh", b->dim, true, &kind));
    if (nodes->kind != BL_ITEM_LIST || elements->kind != BL_ITEM_LIST)
        return bl_fail(r->ctx, BL_E_MODEL, &(nodes->kind != BL_ITEM_LIST ? nodes : elements)->place,
                       "%s must be a list, for example `nodes: [[0, 0], [1, 0]], elements: [[1, 2]]`",
                       nodes->kind != BL_ITEM_LIST ? "nodes" : "elements");
    BL_TRY(bl_mesh_expect(b, nodes->count, elements->count));
    for (bl_index i = 0; i < nodes->count; i++) {
        double x[3] = {0};
        if (b->dim == 1 && nodes->value[i]->kind == BL_ITEM_TEXT)
            BL_TRY(bl_item_number(r, nodes->value[i], "a node", x));
        else
            BL_TRY(bl_item_numbers(r, nodes->value[i], "a node", b->dim, x));
        BL_TRY(bl_mesh_add_node(b, 0, x));
    }
    for (bl_index e = 0; e < elements->count; e++) {
        double number[BL_ELEMENT_NODES];
        bl_index node[BL_ELEMENT_NODES];
        BL_TRY(bl_item_numbers(r, elements->value[e], kind->kind.name, kind->nnode, number));
        for (int a = 0; a < kind->nnode; a++) {
            if (!(number[a] >= 1 && number[a] <= nodes->count) || number[a] != floor(number[a]))
                return bl_fail(r->ctx, BL_E_MODEL, &elements->value[e]->place, "element %d refers to node %g, but the nodes are 1 to %d",
                               (int)e + 1, number[a], (int)nodes->count);
            node[a] = (bl_index)number[a] - 1;
        }
        BL_TRY(bl_mesh_add_to_set(b, "all", BL_SET_ELEMENTS, b->nelement, 0));
        BL_TRY(bl_mesh_add_element(b, kind, 0, node));
    }
    return BL_OK;
}

static bl_status make_mesh(bl_reader *r, const bl_item *mesh, bl_mesh_builder *b) {
    const bl_item *file = bl_item_get(mesh, "file");
    const bl_item *nodes = bl_item_get(mesh, "nodes");
    const char *keys[24] = {"file", "element", "sets", "distort", "nodes", "elements"};
    size_t nkey = 6;
    const bl_generator_kind *generator = NULL;
    const bl_item *given = NULL;
    for (size_t k = 0; k < bl_generator_kind_count; k++) {
        const bl_item *item = bl_item_get(mesh, bl_generator_kinds[k]->kind.name);
        if (nkey < 24)
            keys[nkey++] = bl_generator_kinds[k]->kind.name;
        if (item && (given || file || nodes))
            return bl_fail(r->ctx, BL_E_MODEL, &item->place,
                           "a mesh can have only one source: '%s' cannot be used together with another generator, file or nodes",
                           bl_generator_kinds[k]->kind.name);
        if (item) {
            generator = bl_generator_kinds[k];
            given = item;
        }
    }
    BL_TRY(bl_item_keys(r, mesh, "a mesh", keys, nkey, NULL));
    if (file && nodes)
        return bl_fail(r->ctx, BL_E_MODEL, &nodes->place, "a mesh can have only one source, found both 'nodes' and 'file'");
    if (file)
        return read_file(r, file, b);
    if (nodes)
        return read_lists(r, mesh, nodes, b);
    if (!generator) {
        bl_fail(r->ctx, BL_E_MODEL, &mesh->place, "a mesh needs a generator (rectangle, box, ...), a file, or nodes and elements");
        bl_advise(r->ctx, "write `mesh: {rectangle: {to: [10, 1], n: [20, 2]}, element: quad4}` or `mesh: {file: plate.msh}`");
        return BL_E_MODEL;
    }
    if (generator->dim != r->model->dim && generator->dim != 1)
        return bl_fail(r->ctx, BL_E_MODEL, &given->place, "a %s has dimension %d, but the model has dimension %d", generator->kind.name,
                       generator->dim, r->model->dim);
    bl_value value[BL_MAX_PARAMS] = {{0}};
    const bl_element_kind *element;
    BL_TRY(bl_item_map(r, given, generator->kind.name));
    BL_TRY(read_element(r, mesh, generator->kind.name, generator->dim, false, &element));
    BL_TRY(bl_params_read(r, given, &generator->kind, "mesh", NULL, 0, 0, value));
    BL_TRY(bl_params_required(r, given, &generator->kind, "mesh", value));
    return generator->generate(b, value, element);
}

/* ---- sets by expression */

typedef struct test {
    const bl_law *law;
    double *in, *work;
    const bl_model *model;
} test;

static bool holds(const test *t, const double x[3]) {
    double out;
    bl_law_read(t->model, t->law, &(bl_instant){.place = x}, t->in);
    bl_tape_eval(t->law->tape, t->in, &out, t->work);
    return out != 0;
}

/* nodes where the expression is true; boundary faces and elements all of whose nodes are among them */
static bl_status fill_set(bl_reader *r, bl_mesh *mesh, const char *name, const test *t, bl_mesh_set *set) {
    uint8_t *in;
    bl_index nface, count[3] = {0};
    const bl_index *element;
    const uint8_t *face;
    BL_TRY(bl_mesh_boundary(mesh, &nface, &element, &face));
    if (!(in = bl_arena_alloc(&r->scratch, (size_t)mesh->nnode, 1)))
        return BL_E_MEMORY;
    for (bl_index i = 0; i < mesh->nnode; i++)
        count[0] += in[i] = holds(t, mesh->x[i]);
    bl_index *item[3];
    uint8_t *which = bl_arena_alloc(&mesh->arena, (size_t)nface, 1);
    item[0] = bl_arena_alloc(&mesh->arena, (size_t)count[0], sizeof **item);
    item[1] = bl_arena_alloc(&mesh->arena, (size_t)nface, sizeof **item);
    item[2] = bl_arena_alloc(&mesh->arena, (size_t)mesh->nelement, sizeof **item);
    if (!which || !item[0] || !item[1] || !item[2])
        return BL_E_MEMORY;
    count[0] = 0;
    for (bl_index i = 0; i < mesh->nnode; i++)
        if (in[i])
            item[0][count[0]++] = i;
    for (bl_index k = 0; k < nface; k++) {
        bl_index at;
        const bl_mesh_block *block = bl_mesh_block_of(mesh, element[k], &at);
        const bl_element_face *f = &block->kind->face[face[k]];
        int n = f->kind ? f->kind->nnode : 1;
        bool all = true;
        for (int a = 0; a < n; a++)
            all = all && in[block->node[(size_t)at * block->kind->nnode + f->node[a]]];
        if (all) {
            item[1][count[1]] = element[k];
            which[count[1]++] = face[k];
        }
    }
    for (bl_index b = 0; b < mesh->nblock; b++)
        for (bl_index e = 0; e < mesh->block[b].count; e++) {
            bool all = true;
            for (int a = 0; a < mesh->block[b].kind->nnode; a++)
                all = all && in[mesh->block[b].node[(size_t)e * mesh->block[b].kind->nnode + (size_t)a]];
            if (all)
                item[2][count[2]++] = mesh->block[b].first + e;
        }
    set[0] = (bl_mesh_set){name, BL_SET_NODES, count[0], item[0], NULL};
    set[1] = (bl_mesh_set){name, BL_SET_FACES, count[1], item[1], which};
    set[2] = (bl_mesh_set){name, BL_SET_ELEMENTS, count[2], item[2], NULL};
    return BL_OK;
}

static bl_status add_sets(bl_reader *r, const bl_item *sets, bl_mesh *mesh) {
    if (!sets)
        return BL_OK;
    BL_TRY(bl_item_map(r, sets, "sets"));
    bl_mesh_set *all;
    BL_TRY(BL_ARENA_NEW(&mesh->arena, all, mesh->nset + 3 * sets->count));
    if (mesh->nset)
        memcpy(all, mesh->set, (size_t)mesh->nset * sizeof *all);
    mesh->set = all;
    for (bl_index i = 0; i < sets->count; i++) {
        const char *name = bl_arena_text(&mesh->arena, sets->key[i]->text, sets->key[i]->length);
        bl_index law;
        double number;
        if (!name)
            return BL_E_MEMORY;
        BL_TRY(bl_laws_read(r, sets->value[i], name, BL_USE_POSITION | BL_USE_ALWAYS | BL_USE_BARE, &law, &number));
        test t = {.law = &r->model->law[law], .model = r->model};
        BL_TRY(BL_ARENA_NEW(&r->scratch, t.in, (size_t)t.law->ninput + 1 + bl_tape_work(t.law->tape)));
        t.work = t.in + t.law->ninput + 1;
        BL_TRY(fill_set(r, mesh, name, &t, mesh->set + mesh->nset));
        if (mesh->set[mesh->nset].count == 0)
            return bl_fail(r->ctx, BL_E_MODEL, &sets->value[i]->place, "the set '%s' is empty: no node satisfies %s", name, t.law->text);
        mesh->nset += 3;
    }
    return BL_OK;
}

bl_status bl_read_mesh(bl_reader *r, const bl_item *item, bl_mesh *mesh) {
    bl_mesh_builder b = {.ctx = r->ctx, .place = item->place, .dim = r->model->dim};
    BL_TRY(bl_item_map(r, item, "mesh"));
    bl_status status = make_mesh(r, item, &b);
    if (status == BL_OK)
        status = bl_mesh_finish(&b, mesh);
    bl_mesh_builder_destroy(&b);
    BL_TRY(status);
    const bl_item *distort = bl_item_get(item, "distort");
    if (distort) {
        double values[2];
        BL_TRY(bl_item_numbers(r, distort, "distort: [fraction, seed]", 2, values));
        if (!(values[0] >= 0 && values[0] <= 0.5))
            return bl_fail(r->ctx, BL_E_MODEL, &distort->place,
                           "distort: the fraction of the distance between nodes must be from 0 to 0.5, found %g", values[0]);
        if (!(values[1] >= 0 && values[1] <= 1e15 && values[1] == floor(values[1])))
            return bl_fail(r->ctx, BL_E_MODEL, &distort->place, "distort: the seed must be an integer, at least 0, found %g", values[1]);
        BL_TRY(bl_mesh_distort(mesh, values[0], (uint64_t)values[1]));
    }
    return add_sets(r, bl_item_get(item, "sets"), mesh);
}
