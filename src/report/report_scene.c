/* The drawing: the scene of the result file; if it has none, that of its model; if that cannot be read, balls at the mass centers. */
#include "biela/biela.h"
#include "biela/json.h"
#include "report/report_private.h"

#include <math.h>
#include <string.h>

#define BALL_RADIUS 0.02 /* radius relative to the size */

static void find_bodies(bl_report_run *run) {
    const bl_quantity *list;
    bl_index n = bl_result_quantities(run->result, &list);
    bool has_rotation = false;
    for (bl_index k = 0; k < n; k++) {
        if (strcmp(list[k].name, "bodies/position") == 0 && list[k].item) {
            run->nbody = list[k].items;
            run->body = list[k].item;
        }
        has_rotation = has_rotation || strcmp(list[k].name, "bodies/quaternion") == 0;
    }
    if (!has_rotation)
        run->nbody = 0;
}

/* bodies of the scene and of the samples are matched by index */
static bool fits(const bl_report_run *run, const char *scene) {
    bl_index n = 0;
    for (const char *at = bl_json_first(bl_json_member(scene, "bodies")); at; at = bl_json_next(at))
        n++;
    return n == run->nbody;
}

/* the scene of the file if it is complete and fits; terminated, for the JSON functions */
static bl_status take_scene(bl_report_run *run) {
    const char *text = NULL;
    size_t bytes = 0;
    BL_TRY(bl_result_scene(run->result, &text, &bytes));
    if (!text || bytes == 0)
        return BL_OK;
    char *copy = bl_arena_text(&run->arena, text, bytes);
    if (!copy)
        return BL_E_MEMORY;
    if (bl_json_check(copy, bytes) && fits(run, copy))
        run->scene = copy;
    return run->scene ? BL_OK : bl_report_note(run, "the scene in the result file is damaged", "");
}

static bl_status scene_of_model(bl_report_run *run) {
    bl_json json = {.ctx = run->ctx};
    BL_TRY(bl_report_model(run));
    if (!run->model)
        return BL_OK;
    bl_status status = bl_model_scene(run->ctx, run->model, &json);
    if (status == BL_OK && json.status == BL_OK && bl_json_check(json.text, json.length) && fits(run, json.text) &&
        !(run->scene = bl_arena_text(&run->arena, json.text, json.length)))
        json.status = BL_E_MEMORY;
    status = json.status != BL_OK ? json.status : bl_report_harmless(run, status);
    bl_json_destroy(&json);
    return status;
}

bl_status bl_report_scene(bl_report_run *run) {
    double dim = 3;
    find_bodies(run);
    BL_TRY(take_scene(run));
    if (!run->scene)
        BL_TRY(scene_of_model(run));
    if (bl_result_number(run->result, "dimension", &dim) != BL_OK)
        bl_context_clear_error(run->ctx);
    run->dim = dim == 2 ? 2 : 3;
    double size = bl_json_value(bl_json_member(run->scene, "size"));
    run->size = size > 0 && isfinite(size) ? size : 0;
    return BL_OK;
}

/* every ball is at the origin of its body frame: x + R (p - 0) with p = 0 is the mass center */
static void put_balls(bl_report_run *run) {
    bl_json *json = run->header;
    double size = run->size > 0 ? run->size : 1;
    bl_json_open(json, "scene", '{');
    bl_json_integer(json, "dimension", run->dim);
    bl_json_numbers(json, "gravity", (const double[]){0, 0, 0}, 3);
    bl_json_number(json, "size", size);
    bl_json_open(json, "bodies", '[');
    for (bl_index b = 0; b < run->nbody; b++) {
        bl_json_open(json, NULL, '{');
        bl_json_text(json, "name", run->body[b]);
        bl_json_number(json, "mass", 0);
        bl_json_numbers(json, "center", (const double[]){0, 0, 0}, 3);
        bl_json_open(json, "points", '[');
        bl_json_close(json, ']');
        bl_json_open(json, "shapes", '[');
        bl_json_open(json, NULL, '{');
        bl_json_text(json, "kind", "sphere");
        bl_json_numbers(json, "center", (const double[]){0, 0, 0}, 3);
        bl_json_number(json, "radius", BALL_RADIUS * size);
        bl_json_close(json, '}');
        bl_json_close(json, ']');
        bl_json_close(json, '}');
    }
    bl_json_close(json, ']');
    static const char *const none[] = {"joints", "springs", "forces", "probes", "drivers"};
    for (size_t k = 0; k < sizeof none / sizeof *none; k++) {
        bl_json_open(json, none[k], '[');
        bl_json_close(json, ']');
    }
    bl_json_close(json, '}');
}

bl_status bl_report_put_scene(bl_report_run *run) {
    if (run->scene)
        return bl_report_put_shapes(run);
    put_balls(run);
    return run->header->status;
}
