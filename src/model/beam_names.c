/* Names of bodies with a place: the name of a beam stands for its frame at a point, others for themselves. */
#include "model/beam_reader.h"
#include "model/model_limits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void bl_point_text(const bl_reader *r, const double at[3], char *text, size_t size) {
    if (r->model->dim == 2)
        snprintf(text, size, "(%.6g, %.6g)", at[0] + 0.0, at[1] + 0.0);
    else
        snprintf(text, size, "(%.6g, %.6g, %.6g)", at[0] + 0.0, at[1] + 0.0, at[2] + 0.0);
}

/* the box about points and the bodies so far, extended by those that are new */
double bl_reader_extent(bl_reader *r) {
    const bl_model *model = r->model;
    for (bl_index i = r->boxed; i < model->nbody + model->npoint; i++) {
        const double *at = i < model->npoint ? model->point[i].at : model->body[i - model->npoint].center;
        for (int k = 0; k < 3; k++) {
            r->low[k] = fmin(r->low[k], at[k]);
            r->high[k] = fmax(r->high[k], at[k]);
        }
    }
    r->boxed = model->nbody + model->npoint;
    return hypot(hypot(r->high[0] - r->low[0], r->high[1] - r->low[1]), r->high[2] - r->low[2]);
}

/* the two frames nearest to a point; near[1] -1: there is only one */
static void nearest_frames(const bl_model *model, const bl_elastic_def *beam, const double at[3], bl_index near[2], double distance[2]) {
    near[0] = near[1] = -1;
    distance[0] = distance[1] = INFINITY;
    for (bl_index i = beam->frame; i < beam->frame + beam->nframe; i++) {
        const double *c = model->body[i].center;
        double d = hypot(hypot(c[0] - at[0], c[1] - at[1]), c[2] - at[2]);
        int rank = d < distance[0] ? 0 : d < distance[1] ? 1 : 2;
        if (rank == 0) {
            near[1] = near[0];
            distance[1] = distance[0];
        }
        if (rank < 2) {
            near[rank] = i;
            distance[rank] = d;
        }
    }
}

bl_status bl_beam_frame_at(bl_reader *r, bl_index elastic, const double at[3], const bl_place *place, bl_index *body) {
    const bl_model *model = r->model;
    const bl_elastic_def *beam = &model->elastic[elastic];
    bl_index near[2];
    double distance[2], close = model_same_point * bl_reader_extent(r);
    char where[96], there[96];
    nearest_frames(model, beam, at, near, distance);
    if (distance[0] <= close && !(distance[1] <= close)) {
        *body = near[0];
        return BL_OK;
    }
    bl_point_text(r, at, where, sizeof where);
    const char *first = model->body[near[0]].name, *second = model->body[near[1]].name;
    if (distance[0] <= close) {
        bl_fail(r->ctx, BL_E_MODEL, place, "beam '%s' has two nodes at %s: %s and %s", beam->name, where, first, second);
        bl_advise(r->ctx, "name one of them in place of the beam");
        return BL_E_MODEL;
    }
    bl_point_text(r, model->body[near[0]].center, there, sizeof there);
    bl_fail(r->ctx, BL_E_MODEL, place, "beam '%s' has no node at %s: the nearest are %s at %s, %.3g m away, and %s", beam->name, where,
            first, there, distance[0], second);
    bl_advise(
        r->ctx,
        "choose the number of elements so that a node lies there, split the beam with `along`, or name a node (%s): the point is then "
        "fixed rigidly to it",
        first);
    return BL_E_MODEL;
}

static bl_status need_node(bl_reader *r, const bl_item *node, const char *what, bl_index elastic) {
    const bl_elastic_def *beam = &r->model->elastic[elastic];
    bl_fail(r->ctx, BL_E_MODEL, &node->place, "%s: '%s' is a beam, and no point says which of its nodes is meant", what, beam->name);
    bl_advise(r->ctx, "name a node: %s.0 to %s.%d, of which the ends are also called %s.from and %s.to", beam->name, beam->name,
              (int)beam->nframe - 1, beam->name, beam->name);
    return BL_E_MODEL;
}

bl_status bl_item_body_at(bl_reader *r, const bl_item *node, const char *what, const double *at, bl_index *body) {
    const char *name;
    BL_TRY(bl_item_text(r, node, what, &name));
    *body = bl_names_find(&r->bodies, name);
    if (*body >= 0)
        return BL_OK;
    bl_index elastic = bl_names_find(&r->beams, name);
    if (elastic >= 0 && r->model->elastic[elastic].floating) {
        bl_fail(r->ctx, BL_E_MODEL, &node->place, "%s: '%s' is reduced to the motions of its interfaces: name one of them", what, name);
        bl_advise(r->ctx, "the first one is '%s'", r->model->body[r->model->elastic[elastic].frame].name);
        return BL_E_MODEL;
    }
    if (elastic >= 0)
        return at ? bl_beam_frame_at(r, elastic, at, &node->place, body) : need_node(r, node, what, elastic);
    bl_fail(r->ctx, BL_E_MODEL, &node->place, "%s: there is no body '%s'", what, name);
    bl_names_advise(r, name, (const bl_names *const[]){&r->bodies, &r->beams, NULL});
    return BL_E_MODEL;
}

bl_status bl_item_body(bl_reader *r, const bl_item *node, const char *what, bl_index *body) {
    return bl_item_body_at(r, node, what, NULL, body);
}
