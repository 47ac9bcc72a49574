/* Points of a scene, where joints, springs, forces and probes are attached to bodies, and the size of the scene. */
#include "study/scene.h"

#include "base/vector3.h"
#include "study/displacement_limits.h"

#include <math.h>
#include <string.h>

typedef struct box {
    double low[3], high[3];
} box;

static const box nothing = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void widen(box *b, const double at[3]) {
    for (int k = 0; k < 3; k++) {
        b->low[k] = fmin(b->low[k], at[k]);
        b->high[k] = fmax(b->high[k], at[k]);
    }
}

/* 0: no point, or one point up to rounding */
static double diagonal(const box *b) {
    double size = 0, far = 0;
    for (int k = 0; k < 3; k++) {
        if (!(b->high[k] >= b->low[k]))
            return 0;
        size = hypot(size, b->high[k] - b->low[k]);
        far = fmax(far, fmax(fabs(b->high[k]), fabs(b->low[k])));
    }
    return size > 1e-12 * far && isfinite(size) ? size : 0;
}

static bool has_bodies(const bl_scene *s, bl_index joint) { return !s->joint[joint].relation; }

/* ---- curves */

enum {
    CAM_POINTS = 180, /* every 2 degrees: a chord is within 2e-4 of the radius */
    PIECE_POINTS = 4, /* of each piece of a spline, */
    LEAST_POINTS = 128,
    MOST_POINTS = 1024 /* 40 kB of text */
};

bl_index bl_scene_curve(const bl_joint_picture *picture, bool *closed) {
    const bl_curve *curve = &picture->curve;
    *closed = curve->radius || (curve->x && curve->x->period > 0);
    if (curve->radius)
        return CAM_POINTS;
    if (!curve->x)
        return 0;
    return curve->x->npiece > MOST_POINTS / PIECE_POINTS ? MOST_POINTS
                                                         : (bl_index)fmax(LEAST_POINTS, PIECE_POINTS * (double)curve->x->npiece);
}

void bl_scene_curve_point(const bl_joint_picture *picture, bl_index i, double at[3]) {
    bool closed;
    bl_index n = bl_scene_curve(picture, &closed);
    double from, to, c[3][2], across[3];
    bl_curve_range(&picture->curve, &from, &to);
    bl_curve_at(&picture->curve, from + (to - from) * (double)i / (double)(closed ? n : n - 1), c);
    cross3(picture->axis[0], picture->reference[0], across);
    for (int k = 0; k < 3; k++)
        at[k] = picture->at[0][k] + c[0][0] * picture->reference[0][k] + c[0][1] * across[k];
}

/* Points where a joint holds its bodies, from the first body to the second: the origin of a curve is not one. */
static int first_side(const bl_scene *s, bl_index joint) {
    bool closed;
    return bl_scene_curve(&s->joint[joint], &closed) > 0 ? 1 : 0;
}

static void widen_curve(box *b, const bl_joint_picture *picture) {
    bool closed;
    for (bl_index i = 0, n = bl_scene_curve(picture, &closed); i < n; i++) {
        double at[3];
        bl_scene_curve_point(picture, i, at);
        widen(b, at);
    }
}

/* ---- the size */

/* a length for a single body: twice its radius of gyration */
static double gyration(const bl_body *body) {
    double trace = body->inertia[0][0] + body->inertia[1][1] + body->inertia[2][2];
    return body->mass > 0 && trace > 0 ? 2 * sqrt(trace / body->mass) : 0;
}

void bl_scene_measure(bl_scene *s) {
    const bl_model *model = s->model;
    box joints = nothing, all;
    for (bl_index j = 0; j < model->njoint; j++) {
        for (int side = first_side(s, j); side < 2 && has_bodies(s, j); side++)
            widen(&joints, s->joint[j].at[side]);
        widen_curve(&joints, &s->joint[j]);
    }
    if ((s->size = diagonal(&joints)) > 0)
        return;
    all = joints;
    for (bl_index i = 1; i < model->nbody; i++)
        widen(&all, model->body[i].center);
    for (bl_index i = 0; i < model->nforce; i++)
        for (int side = 0; side < 2 && s->drawn[i] && s->force[i].drawn == BL_DRAWN_SPRING; side++)
            widen(&all, s->force[i].at[side]);
    for (bl_index i = 0; i < model->nprobe; i++) {
        double at[3];
        bl_scene_probe_point(model, i, at);
        widen(&all, at);
    }
    for (bl_index i = 0; i < model->nsolid; i++)
        for (bl_index n = 0; n < model->solid[i].mesh.nnode; n++)
            widen(&all, model->solid[i].mesh.x[n]);
    s->size = diagonal(&all);
    for (bl_index i = 1; i < model->nbody && s->size == 0; i++)
        s->size = gyration(&model->body[i]);
    if (!(s->size > 0) || !isfinite(s->size))
        s->size = 1;
}

void bl_scene_probe_point(const bl_model *model, bl_index probe, double at[3]) {
    const bl_mark *mark = &model->probe[probe].mark;
    if (!model->solid_probe) {
        for (int k = 0; k < 3; k++)
            at[k] = mark->s[k] + (model->body ? model->body[mark->body].center[k] : 0);
        return;
    }
    const bl_solid_probe *where = &model->solid_probe[probe];
    const bl_mesh *mesh = &model->solid[where->solid].mesh;
    if (where->node >= 0) {
        memcpy(at, mesh->x[where->node], sizeof mesh->x[0]);
        return;
    }
    bl_index e;
    const bl_mesh_block *block = bl_mesh_block_of(mesh, where->element, &e);
    double N[BL_ELEMENT_NODES], dN[BL_ELEMENT_NODES][3];
    block->kind->functions(where->xi, N, dN);
    memset(at, 0, 3 * sizeof *at);
    for (int a = 0; a < block->kind->nnode; a++)
        for (int k = 0; k < 3; k++)
            at[k] += N[a] * mesh->x[block->node[(size_t)e * block->kind->nnode + (size_t)a]][k];
}

/* ---- points of bodies */

static bl_status add_point(bl_scene *s, bl_index body, const double at[3]) {
    if (body <= 0) /* points of the ground are not listed */
        return BL_OK;
    uint64_t key = bl_hash_mix(BL_HASH_START, (uint64_t)body);
    for (int k = 0; k < 3; k++)
        key = bl_hash_number(key, rint(at[k] / (study_scene_same * s->size)));
    for (bl_index i = bl_hash_find(&s->known, key); i >= 0; i = bl_hash_next(&s->known, i)) {
        const double *there = s->point[i].at, d[3] = {there[0] - at[0], there[1] - at[1], there[2] - at[2]};
        if (s->point[i].body == body && dot3(d, d) <= 4 * study_scene_same * study_scene_same * s->size * s->size)
            return BL_OK;
    }
    BL_TRY(bl_hash_put(s->ctx, &s->known, key));
    bl_scene_point *point = &s->point[s->npoint];
    *point = (bl_scene_point){.body = body, .next = -1};
    memcpy(point->at, at, sizeof point->at);
    *(s->first[body] < 0 ? &s->first[body] : &s->point[s->last[body]].next) = s->npoint;
    s->last[body] = s->npoint++;
    return BL_OK;
}

bl_status bl_scene_collect(bl_scene *s) {
    const bl_model *model = s->model;
    size_t most = 2 * (size_t)model->njoint + 2 * (size_t)model->nforce + (size_t)model->nprobe;
    BL_TRY(BL_ARENA_ARRAYS(&s->arena, BL_ARRAY(s->point, most), BL_ARRAY(s->first, model->nbody), BL_ARRAY(s->last, model->nbody)));
    for (bl_index i = 0; i < model->nbody; i++)
        s->first[i] = s->last[i] = -1;
    for (bl_index j = 0; j < model->njoint; j++)
        for (int side = first_side(s, j); side < 2 && has_bodies(s, j); side++)
            BL_TRY(add_point(s, model->joint[j].body[side], s->joint[j].at[side]));
    for (bl_index i = 0; i < model->nforce; i++) {
        const bl_force_picture *f = &s->force[i];
        if (!s->drawn[i] || f->joint >= 0) /* points of joints were added above */
            continue;
        bool both = f->drawn == BL_DRAWN_SPRING || f->drawn == BL_DRAWN_BUSHING;
        if (both)
            BL_TRY(add_point(s, f->body[0], f->at[0]));
        if (both || f->drawn == BL_DRAWN_FORCE)
            BL_TRY(add_point(s, f->body[1], f->at[1]));
    }
    for (bl_index i = 0; i < model->nprobe && !model->solid_probe; i++) {
        double at[3];
        bl_scene_probe_point(model, i, at);
        BL_TRY(add_point(s, model->probe[i].mark.body, at));
    }
    return BL_OK;
}
