/* What a model costs in each kind of coordinates, before anything is built: sums over bodies, freedoms, joints that close loops and forces.
 * Constants are fitted to random mechanisms of 1 to 200 bodies by scripts/bench plan (bench/README.md): within 10 % in the plane, 30 % in
 * space, where bodies share more or fewer points. */
#include "coords/choice.h"
#include "joint/joint.h"

typedef struct share {
    double once, body, freedom, closing, force;
} share;

typedef struct prices {
    share rate, expand; /* ns */
    double entry[2], dependent[2];
} prices;

/* plane, space */
static const prices natural[] = {
    {{150, 160, 0, 0, 600}, {1500, 1200, 0, 500, 3900}, .entry = {57, 110}, .dependent = {0.8, 0.95}},
    {{0, 1150, 230, 0, 700}, {500, 11900, 1600, 0, 3000}, .entry = {278, 850}, .dependent = {0.5, 0.65}},
};
static const prices reference[] = {
    {{280, 400, 24, 420, 600}, .entry = {57}, .dependent = {0.8}},
    {{0, 2100, 0, 0, 950}, .entry = {100}, .dependent = {0.8}},
};
static const prices relative[] = {
    {{220, 155, 0, 1000, 800}, .entry = {15}, .dependent = {1}},
    {{100, 150, 95, 1500, 1000}, .entry = {30}, .dependent = {1}},
};

static double sum(const share *s, const bl_size *size) {
    return s->once + s->body * size->bodies + s->freedom * size->freedoms + s->closing * size->closings + s->force * size->forces;
}

void bl_coords_count(const bl_model *model, bl_size *size) {
    bl_index pairs = 0;
    *size = (bl_size){.dim = model->dim, .bodies = model->nbody > 0 ? model->nbody - 1 : 0, .forces = model->nforce};
    size->freedoms = (model->dim == 3 ? 6 : 3) * size->bodies - model->ndriver;
    for (bl_index j = 0; j < model->njoint; j++) {
        const bl_joint_kind *kind = model->joint[j].kind;
        size->freedoms -= model->dim == 3 ? kind->forbids_3d : kind->forbids_2d;
        pairs += kind->nbody == 2;
    }
    size->freedoms = size->freedoms > 0 ? size->freedoms : 0;
    size->closings = pairs > size->bodies ? pairs - size->bodies : 0;
}

void bl_coords_price(const bl_kind *kind, bl_size *size) {
    const prices *p = kind == &bl_coords_relative ? relative : kind == &bl_coords_reference ? reference : natural;
    p += size->dim == 3;
    size->rate = sum(&p->rate, size);
    size->expand = sum(&p->expand, size);
    for (int k = 0; k < 2; k++) {
        size->entry[k] = p->entry[k];
        size->dependent[k] = p->dependent[k];
    }
    size->full = kind == &bl_coords_relative;
}
