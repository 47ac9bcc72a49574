/* Shapes from STL and OBJ files: their vertices and triangles go to blocks of the page instead of the text of the scene. A scene equal to
 * that of the previous run shares its blocks. */
#include "biela/json.h"
#include "report/report_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SHORT = 96 }; /* characters; shorter arrays stay in the text; longer than the name of a block */

/* a copy of a scene, with some values replaced by shorter ones */
typedef struct copying {
    bl_report_run *run;
    const char *from; /* not copied yet */
    char *to;
} copying;

static void copy_until(copying *c, const char *end) {
    size_t n = (size_t)(end - c->from);
    memcpy(c->to, c->from, n);
    c->to += n;
    c->from = end;
}

/* numbers of an array in 4 bytes each, as floats, or as integers below `below`; NULL: other numbers, or out of memory (*status) */
static void *read_numbers(bl_report_run *run, const char *array, double below, size_t *count, bl_status *status) {
    size_t n = 0;
    for (const char *at = bl_json_first(array); at; at = bl_json_next(at))
        n++;
    *count = n;
    union {
        float f;
        uint32_t u;
    } * number;
    *status = BL_NEW(run->ctx, number, n);
    if (*status != BL_OK)
        return NULL;
    n = 0;
    for (const char *at = bl_json_first(array); at; at = bl_json_next(at), n++) {
        double value = bl_json_value(at);
        bool good = below > 0 ? value >= 0 && value < below && value == floor(value) : fabs(value) <= 3.4e38;
        if (!good) {
            bl_free(run->ctx, number);
            return NULL;
        }
        if (below > 0)
            number[n].u = (uint32_t)value;
        else
            number[n].f = (float)value;
    }
    return number;
}

static bl_status put_block(copying *c, const char *array, const void *number, size_t count) {
    char block[BL_BLOCK_ID];
    BL_TRY(bl_page_block(c->run->page, number, count, 4, block));
    copy_until(c, array);
    c->to += snprintf(c->to, SHORT, "{\"block\":\"%s\",\"count\":%zu}", block, count / 3);
    c->from = bl_json_end(array);
    return BL_OK;
}

static bl_status put_mesh(copying *c, const char *shape) {
    const char *list[] = {bl_json_member(shape, "vertices"), bl_json_member(shape, "triangles")};
    void *number[2] = {NULL, NULL};
    size_t count[2] = {0, 0};
    bl_status status = BL_OK;
    bool good = list[0] && list[1] && list[0] < list[1]; /* replaced in the order of the text */
    for (int k = 0; k < 2 && good; k++) {
        number[k] = bl_json_end(list[k]) - list[k] > SHORT
                        ? read_numbers(c->run, list[k], k ? (double)(count[0] / 3) : 0, &count[k], &status)
                        : NULL;
        good = number[k] && count[k] > 0 && count[k] % 3 == 0;
    }
    for (int k = 0; k < 2 && good && status == BL_OK; k++)
        status = put_block(c, list[k], number[k], count[k]);
    bl_free(c->run->ctx, number[0]);
    bl_free(c->run->ctx, number[1]);
    return status;
}

static bl_status put_shapes(copying *c, const char *owner) {
    for (const char *shape = bl_json_first(bl_json_member(owner, "shapes")); shape; shape = bl_json_next(shape))
        if (bl_json_is(bl_json_member(shape, "kind"), "mesh"))
            BL_TRY(put_mesh(c, shape));
    return BL_OK;
}

/* bodies and ground occur in either order in the text, which is processed front to back */
static bl_status copy_scene(bl_report_run *run, char *to) {
    copying c = {.run = run, .from = run->scene, .to = to};
    const char *bodies = bl_json_member(run->scene, "bodies"), *ground = bl_json_member(run->scene, "ground");
    if (ground && ground < bodies)
        BL_TRY(put_shapes(&c, ground));
    for (const char *body = bl_json_first(bodies); body; body = bl_json_next(body))
        BL_TRY(put_shapes(&c, body));
    if (ground && ground > bodies)
        BL_TRY(put_shapes(&c, ground));
    copy_until(&c, run->scene + strlen(run->scene));
    *c.to = '\0';
    return BL_OK;
}

bl_status bl_report_put_shapes(bl_report_run *run) {
    bl_scene_copy *last = run->last;
    if (!last->from || strcmp(last->from, run->scene) != 0) {
        bl_scene_copy_destroy(run->ctx, last);
        last->from = bl_strdup(run->ctx, run->scene);
        last->to = bl_alloc(run->ctx, strlen(run->scene) + 1, 1);
        if (!last->from || !last->to)
            return BL_E_MEMORY;
        BL_TRY(copy_scene(run, last->to));
    }
    bl_json_raw(run->header, "scene", last->to);
    return run->header->status;
}

void bl_scene_copy_destroy(bl_context *ctx, bl_scene_copy *copy) {
    bl_free(ctx, copy->from);
    bl_free(ctx, copy->to);
    *copy = (bl_scene_copy){0};
}
