/* Names, sizes, meshes and fields of a run, copied into an arena. */
#include "output/samples_info.h"

#include <string.h>

bl_status bl_keep_text(bl_arena *arena, const char **text) {
    if (!*text)
        return BL_OK;
    *text = bl_arena_text(arena, *text, strlen(*text));
    return *text ? BL_OK : BL_E_MEMORY;
}

/* replaces the array whose pointer is at `address` by its copy; NULL stays NULL */
static bl_status keep(bl_arena *arena, void *address, size_t count, size_t size) {
    const void *from;
    memcpy(&from, address, sizeof from);
    if (!from)
        return BL_OK;
    void *to = bl_arena_alloc(arena, count, size);
    if (!to)
        return BL_E_MEMORY;
    if (count > 0)
        memcpy(to, from, count * size);
    memcpy(address, &to, sizeof to);
    return BL_OK;
}
#define KEEP(arena, pointer, count) keep((arena), &(pointer), (size_t)(count), sizeof *(pointer))

static bl_status keep_names(bl_arena *arena, const char *const **names, bl_index n) {
    const char **copy;
    if (!*names)
        return BL_OK;
    BL_TRY(BL_ARENA_NEW(arena, copy, n));
    for (bl_index i = 0; i < n; i++) {
        copy[i] = (*names)[i];
        BL_TRY(bl_keep_text(arena, &copy[i]));
    }
    *names = copy;
    return BL_OK;
}

static bl_status keep_mesh(bl_arena *arena, bl_run_mesh *mesh) {
    bl_run_set *set;
    BL_TRY(bl_keep_text(arena, &mesh->name));
    BL_TRY(KEEP(arena, mesh->x, mesh->nnode));
    BL_TRY(KEEP(arena, mesh->type, mesh->ncell));
    BL_TRY(KEEP(arena, mesh->node, mesh->offset ? mesh->offset[mesh->ncell] : 0));
    BL_TRY(KEEP(arena, mesh->offset, mesh->ncell + 1));
    BL_TRY(KEEP(arena, mesh->node_label, mesh->nnode));
    BL_TRY(KEEP(arena, mesh->cell_label, mesh->ncell));
    BL_TRY(KEEP(arena, mesh->material, mesh->ncell));
    BL_TRY(BL_ARENA_NEW(arena, set, mesh->nset));
    for (bl_index i = 0; i < mesh->nset; i++) {
        set[i] = mesh->set[i];
        BL_TRY(bl_keep_text(arena, &set[i].name));
        BL_TRY(KEEP(arena, set[i].item, set[i].count));
    }
    mesh->set = set;
    return BL_OK;
}

static bl_status keep_fields(bl_arena *arena, bl_run_info *info) {
    bl_run_mesh *mesh;
    bl_field *field;
    BL_TRY(BL_ARENA_ARRAYS(arena, BL_ARRAY(mesh, info->nmesh), BL_ARRAY(field, info->nfield)));
    for (bl_index i = 0; i < info->nmesh; i++) {
        mesh[i] = info->mesh[i];
        BL_TRY(keep_mesh(arena, &mesh[i]));
    }
    for (bl_index i = 0; i < info->nfield; i++) {
        field[i] = info->field[i];
        BL_TRY(bl_keep_text(arena, &field[i].name));
        BL_TRY(bl_keep_text(arena, &field[i].unit));
        BL_TRY(bl_keep_text(arena, &field[i].description));
    }
    info->mesh = mesh;
    info->field = field;
    return BL_OK;
}

bl_status bl_run_info_copy(bl_arena *arena, const bl_run_info *from, bl_run_info *info) {
    *info = *from;
    const char **const text[] = {&info->model_name, &info->model_file, &info->coordinates, &info->formulation, &info->integrator,
                                 &info->linsol,     &info->ordering,   &info->load,        &info->scene};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        BL_TRY(bl_keep_text(arena, text[i]));
    if (info->model_source) {
        info->model_source = bl_arena_text(arena, info->model_source, info->model_source_bytes);
        if (!info->model_source)
            return BL_E_MEMORY;
    }
    const struct {
        const char *const **names;
        bl_index n;
    } list[] = {{&info->body, info->nbody},       {&info->variable, info->nvariable},  {&info->probe, info->nprobe},
                {&info->joint, info->njoint},     {&info->driver, info->ndriver},      {&info->push, info->npush},
                {&info->spring, info->nspring},   {&info->material, info->nmaterial},  {&info->actuator, info->nactuator},
                {&info->signal, info->nsignal},   {&info->signal_unit, info->nsignal}, {&info->contact, info->ncontact},
                {&info->elastic, info->nelastic}, {&info->section, info->nsection}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        BL_TRY(keep_names(arena, list[i].names, list[i].n));
    BL_TRY(KEEP(arena, info->is_angle, info->nvariable));
    BL_TRY(KEEP(arena, info->driver_variable, info->ndriver));
    BL_TRY(KEEP(arena, info->gear, info->ngear));
    BL_TRY(KEEP(arena, info->gear_ratio, info->ngear));
    BL_TRY(KEEP(arena, info->push_body, info->npush));
    BL_TRY(KEEP(arena, info->spring_is_angle, info->nspring));
    BL_TRY(KEEP(arena, info->actuator_is_angle, info->nactuator));
    BL_TRY(KEEP(arena, info->contact_is_angle, info->ncontact));
    BL_TRY(KEEP(arena, info->elastic_first, info->nelastic));
    BL_TRY(KEEP(arena, info->elastic_frames, info->nelastic));
    return keep_fields(arena, info);
}
