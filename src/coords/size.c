/* Estimated cost of a model in each kind of coordinates, before anything is built: sums over bodies, degrees of freedom, loop-closing
 * joints and forces. Constants are fitted to random mechanisms of 1 to 200 bodies by scripts/bench plan (bench/README.md): within 10 %
 * in the plane, 30 % in space, where bodies cost more or fewer points. */
#include "coords/choice.h"
#include "joint/joint.h"

typedef struct cost {
    double once, body, dof, closing, force;
    double fill; /* per degree of freedom and body, in loops: fill-in of the factors of large matrices */
} cost;

typedef struct prices { /* ns; [0]: with all equations, [1]: with dependent coordinates eliminated */
    cost rate[2], expand[2];
    double entry[2];
    cost setup;
} prices;

/* plane, space */
static const prices natural[] = {
    {.rate = {{110, 0, 188, 291, 550, 0}, {790, 0, 95, 121, 600, 0}},
     .expand = {{2150, 110, 1210, 2340, 3450, 0}, {3000, 0, 1900, 1370, 4390, 0}},
     .entry = {57, 130},
     .setup = {.once = 45e3, .body = 38e3}},
    {.rate = {{300, 1400, 250, 0, 1000, 40}, {800, 1000, 150, 0, 800, 0}},
     .expand = {{500, 11500, 700, 0, 5000, 350}, {500, 7500, 1000, 0, 4000, 0}},
     .entry = {230, 800},
     .setup = {.once = 50e3, .body = 30e3}},
};
static const prices reference[] = {
    {.rate = {{210, 300, 110, 540, 580, 0}, {1000, 300, 110, 540, 580, 0}}, .entry = {57}, .setup = {.once = 70e3, .body = 90e3}},
    {.rate = {{0, 2150, 0, 800, 700, 0}, {400, 1500, 0, 800, 700, 0}}, .entry = {100}, .setup = {.body = 235e3}},
};
static const prices relative[] = {
    {.rate = {{170, 165, 0, 0, 760, 0}, {1000, 165, 0, 200, 760, 0}}, .entry = {27}, .setup = {.once = 20e3, .body = 18e3}},
    {.rate = {{80, 80, 80, 500, 900, 0}, {1300, 400, 80, 900, 600, 0}}, .entry = {30}, .setup = {.once = 20e3, .body = 60e3}},
};
/* trees of revolute and spherical joints with gravity only (relative_fast.h), and others */
static const prices relative_plain_tree[] = {
    {.rate = {{170, 70, 0, 0, 0, 0}, {1000, 70, 0, 0, 0, 0}}, .entry = {27}, .setup = {.once = 20e3, .body = 18e3}},
    {.rate = {{80, 65, 22, 0, 0, 0}, {1300, 65, 22, 0, 0, 0}}, .entry = {30}, .setup = {.once = 20e3, .body = 60e3}},
};
static const prices relative_tree[] = {
    {.rate = {{170, 215, 0, 0, 440, 0}, {1000, 215, 0, 0, 440, 0}}, .entry = {27}, .setup = {.once = 20e3, .body = 18e3}},
    {.rate = {{80, 240, 20, 0, 850, 0}, {1300, 240, 20, 0, 850, 0}}, .entry = {30}, .setup = {.once = 20e3, .body = 60e3}},
};

static double sum(const cost *s, const bl_size *size) {
    double fill = size->loops > 0 ? s->fill * size->dof * size->bodies : 0;
    return s->once + s->body * size->bodies + s->dof * size->dof + s->closing * size->loops + s->force * size->forces + fill;
}

/* The joints with the fewest equations close the loops; the others form the tree, so that few equations remain. forbids[n]: joints by
 * number of equations. */
static bl_index equations_of_least(bl_index count, int n, const bl_index *forbids) {
    bl_index rows = 0;
    for (int k = 0; k < n && count > 0; k++) {
        bl_index taken = forbids[k] < count ? forbids[k] : count;
        rows += k * taken;
        count -= taken;
    }
    return rows;
}

void bl_coords_count(const bl_model *model, bl_size *size) {
    enum { MOST_FORBIDDEN = 6 };
    bl_index pairs = 0, forbids[MOST_FORBIDDEN + 1] = {0};
    *size = (bl_size){
        .dim = model->dim, .bodies = model->nbody > 0 ? model->nbody - 1 : 0, .forces = model->nforce, .rotary_joints_only = true};
    size->dof = (model->dim == 3 ? 6 : 3) * size->bodies - model->ndriver;
    for (bl_index j = 0; j < model->njoint; j++) {
        const bl_joint_kind *kind = model->joint[j].kind;
        int forbidden = model->dim == 3 ? kind->forbids_3d : kind->forbids_2d;
        size->dof -= forbidden;
        size->rotary_joints_only = size->rotary_joints_only && (kind == &bl_joint_revolute || kind == &bl_joint_spherical);
        pairs += kind->nbody == 2;
        if (kind->nbody == 2)
            forbids[forbidden < MOST_FORBIDDEN ? forbidden : MOST_FORBIDDEN]++;
    }
    size->dof = size->dof > 0 ? size->dof : 0;
    size->loops = pairs > size->bodies ? pairs - size->bodies : 0;
    size->loop_equations = equations_of_least(size->loops, MOST_FORBIDDEN + 1, forbids);
}

static void price(const prices *in_dim, bl_size *size) {
    const prices *p = in_dim + (size->dim == 3);
    for (int k = 0; k < 2; k++) {
        size->rate[k] = sum(&p->rate[k], size);
        size->expand[k] = sum(&p->expand[k], size);
        size->entry[k] = p->entry[k];
    }
    size->setup = sum(&p->setup, size);
    size->full = false;
}

void bl_natural_price(bl_size *size) { price(natural, size); }
void bl_reference_price(bl_size *size) { price(reference, size); }
void bl_relative_price(bl_size *size) {
    price(size->loops > 0 ? relative : size->forces == 0 && size->rotary_joints_only ? relative_plain_tree : relative_tree, size);
    size->full = true;
}
