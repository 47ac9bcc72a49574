/* Meshes and fields for the sinks: meshes of the solids in the cell types of VTK, and fields of the system. */
#include "study/run.h"

#include "fem/fem.h"
#include "signal/signal.h"

#include <string.h>

static bl_status take_cells(const bl_mesh *mesh, bl_arena *arena, bl_run_mesh *out) {
    size_t nodes = 0;
    for (bl_index b = 0; b < mesh->nblock; b++)
        nodes += (size_t)mesh->block[b].count * mesh->block[b].kind->nnode;
    uint8_t *type;
    bl_index *offset, *node;
    BL_TRY(BL_ARENA_ARRAYS(arena, BL_ARRAY(type, mesh->nelement), BL_ARRAY(offset, mesh->nelement + 1), BL_ARRAY(node, nodes)));
    bl_index cell = 0;
    for (bl_index b = 0; b < mesh->nblock; b++) {
        const bl_mesh_block *block = &mesh->block[b];
        const uint8_t *order = block->kind->vtk_order;
        for (bl_index e = 0; e < block->count; e++, cell++) {
            const bl_index *own = block->node + (size_t)e * block->kind->nnode;
            bl_index *to = node + offset[cell];
            for (int k = 0; k < block->kind->nnode; k++)
                to[order ? order[k] : k] = own[k];
            type[cell] = block->kind->vtk;
            offset[cell + 1] = offset[cell] + block->kind->nnode;
        }
    }
    out->type = type;
    out->offset = offset;
    out->node = node;
    return BL_OK;
}

/* Material of each cell: the last section that contains it; sections with the same material are merged. name[]: of all meshes */
static bl_status take_materials(const bl_solid *solid, bl_arena *arena, const char **name, bl_index *nmaterial, bl_run_mesh *out) {
    bl_index *of;
    BL_TRY(BL_ARENA_NEW(arena, of, solid->mesh.nelement));
    for (bl_index s = 0; s < solid->nsection; s++) {
        const bl_section_def *section = &solid->section[s];
        bl_index which = 0;
        while (which < *nmaterial && strcmp(name[which], section->name) != 0)
            which++;
        if (which == *nmaterial)
            name[(*nmaterial)++] = section->name;
        for (bl_index k = 0; section->set && k < section->set->count; k++)
            of[section->set->item[k]] = which;
        for (bl_index e = 0; !section->set && e < solid->mesh.nelement; e++)
            of[e] = which;
    }
    out->material = of;
    return BL_OK;
}

static bl_status take_sets(const bl_mesh *mesh, bl_arena *arena, bl_run_mesh *out) {
    bl_run_set *set;
    BL_TRY(BL_ARENA_NEW(arena, set, mesh->nset));
    for (bl_index i = 0; i < mesh->nset; i++)
        if (mesh->set[i].what != BL_SET_FACES)
            set[out->nset++] = (bl_run_set){mesh->set[i].name, mesh->set[i].what == BL_SET_ELEMENTS, mesh->set[i].count, mesh->set[i].item};
    out->set = set;
    return BL_OK;
}

bl_status bl_run_choose_fields(const bl_run *run, bl_system *sys, const char *choice) {
    if (!(run->want & BL_WANT_FIELDS) || bl_model_meshes(run->model) == 0)
        return BL_OK;
    return bl_model_of_meshes(run->model) ? bl_fem_choose_fields(sys, choice) : bl_signal_choose_fields(sys, choice);
}

bl_status bl_run_fields(bl_run *run, const bl_system *sys) {
    const bl_model *model = run->model;
    bl_run_info *info = &run->info;
    bl_run_mesh *mesh;
    const char **material;
    size_t sections = 0;
    bl_index n = bl_model_meshes(model);
    if (!(run->want & BL_WANT_FIELDS) || sys->nfield == 0)
        return BL_OK;
    for (bl_index i = 0; i < n; i++)
        sections += (size_t)bl_model_mesh(model, i, NULL)->nsection;
    BL_TRY(BL_ARENA_ARRAYS(&run->arena, BL_ARRAY(mesh, n), BL_ARRAY(material, sections)));
    for (bl_index i = 0; i < n; i++) {
        const bl_solid *solid = bl_model_mesh(model, i, NULL);
        mesh[i] = (bl_run_mesh){.name = solid->name,
                                .dim = solid->mesh.dim,
                                .nnode = solid->mesh.nnode,
                                .ncell = solid->mesh.nelement,
                                .x = (const double(*)[3])solid->mesh.x,
                                .node_label = solid->mesh.label,
                                .cell_label = solid->mesh.element_label};
        BL_TRY(take_cells(&solid->mesh, &run->arena, &mesh[i]));
        BL_TRY(take_materials(solid, &run->arena, material, &info->nmaterial, &mesh[i]));
        BL_TRY(take_sets(&solid->mesh, &run->arena, &mesh[i]));
    }
    info->nmesh = n;
    info->mesh = mesh;
    info->material = material;
    info->nfield = sys->nfield;
    info->field = sys->field;
    return BL_OK;
}
