/* Parts of a model that are not connected to the ground, and their momenta. */
#include "study/momentum.h"

#include "base/vector3.h"
#include "force/force.h"
#include "joint/joint.h"
#include "model/model.h"
#include "signal/signal.h"
#include "study/simulation.h"
#include "study/study_limits.h"

#include <math.h>
#include <stdio.h>

/* As for energy (balance.c): N steps within their tolerance change velocities by at most N tol of them and of their scales;
 * study_balance_many times that is a contradiction. A change by study_balance_large of the momentum involved, or by study_balance_coarse
 * tolerances where those are large, is reported whatever the number of steps. */
enum { SOON = 32, OFTEN = 8 }; /* checks after each of the first steps, then after every eighth */

/* ---- the graph */

static bl_index root(bl_index *of, bl_index i) {
    while (of[i] != i)
        i = of[i] = of[of[i]];
    return i;
}

static void connect(bl_index *of, bl_index a, bl_index b) {
    a = root(of, a);
    b = root(of, b);
    of[a > b ? a : b] = a > b ? b : a; /* the ground remains a root */
}

static void connect_joint(const bl_model *model, bl_index *of, bl_index joint) {
    const bl_joint_def *def = &model->joint[joint];
    if (def->body[0] >= 0 && def->body[1] >= 0)
        connect(of, def->body[0], def->body[1]);
}

/* a force acts between the bodies it names, with the ground for an optional body that is not given or if it names one body only (a fluid, a
 * road), or inside the joint it names */
static void connect_force(const bl_model *model, bl_index *of, const bl_force_def *def) {
    bl_index body = -1, named = 0;
    for (const bl_param *p = def->kind->kind.params; p->type != BL_P_END; p++) {
        const bl_value *value = &def->value[p - def->kind->kind.params];
        if (p->type == BL_P_BODY) {
            bl_index next = value->given ? value->ref : 0;
            if (body >= 0)
                connect(of, body, next);
            body = next;
            named++;
        } else if (p->type == BL_P_VARIABLE && value->given) {
            connect_joint(model, of, model->variable[value->ref].joint);
        } else if (p->type == BL_P_JOINT && value->given) {
            connect_joint(model, of, value->ref);
        }
    }
    if (named == 1)
        connect(of, body, 0);
    if (def->contact)
        connect(of, def->contact->body[0], def->contact->body[1]);
}

/* The frames of an elastic body belong together. Forces proportional to masses and velocities, and loads on meshes, act from outside. */
static void connect_elastic(const bl_model *model, bl_index *of, const bl_elastic_def *def) {
    bl_index body = bl_elastic_body(def);
    for (bl_index i = def->frame; i < def->frame + def->nframe; i++)
        connect(of, body, i);
    bool outside = def->beam ? def->beam->damping[0] != 0 : def->what == BL_ELASTIC_MESH && model->solid[def->solid].damping_mass != 0;
    for (bl_index l = 0; l < model->nsolid_load; l++)
        outside = outside || (def->what == BL_ELASTIC_MESH && model->solid_load[l].solid == def->solid);
    if (outside)
        connect(of, body, 0);
}

bl_status bl_momentum_find(bl_context *ctx, const bl_model *model, bl_momentum *momentum) {
    bl_index n = model->nbody, found = 0;
    momentum->model = model;
    if (n < 2)
        return BL_OK;
    BL_TRY(BL_NEW(ctx, momentum->of, 2 * (size_t)n));
    bl_index *of = momentum->of, *number = of + n;
    for (bl_index i = 0; i < n; i++)
        of[i] = i;
    for (bl_index j = 0; j < bl_model_joints(model); j++)
        connect_joint(model, of, j);
    for (bl_index f = 0; f < model->nforce; f++)
        connect_force(model, of, &model->force[f]);
    for (bl_index b = 0; b < model->nelastic; b++)
        connect_elastic(model, of, &model->elastic[b]);
    for (bl_index i = 0; i < n; i++) /* roots come before their members */
        number[i] = root(of, i) == i && i > 0 ? found++ : -1;
    for (bl_index i = n - 1; i >= 0; i--)
        of[i] = number[root(of, i)];
    if (found == 0)
        return BL_OK;
    BL_TRY(BL_NEW(ctx, momentum->part, found));
    momentum->n = found;
    for (bl_index i = n - 1; i > 0; i--)
        if (of[i] >= 0)
            momentum->part[of[i]].name =
                model->body[i].what == BL_BODY_FRAME ? model->elastic[model->body[i].elastic].name : model->body[i].name;
    return model->nelastic > 0 ? BL_NEW(ctx, momentum->elastic, model->nelastic) : BL_OK;
}

void bl_momentum_free(bl_context *ctx, bl_momentum *momentum) {
    bl_free(ctx, momentum->of);
    bl_free(ctx, momentum->part);
    bl_free(ctx, momentum->elastic);
    *momentum = (bl_momentum){0};
}

/* ---- the momenta */

static void cross(const double a[3], const double b[3], double c[3]) {
    for (int k = 0; k < 3; k++)
        c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* x rotated by the quaternion q, or by its inverse */
static void rotate(const double q[4], bool back, const double x[3], double y[3]) {
    double s = back ? -1 : 1, u[3] = {s * q[1], s * q[2], s * q[3]}, c[3], d[3];
    cross(u, x, c);
    cross(u, c, d);
    for (int k = 0; k < 3; k++)
        y[k] = x[k] + 2 * (q[0] * c[k] + d[k]);
}

/* I w, with the inertia given in the model configuration */
static void spin_of(const bl_body *body, int dim, const bl_pose *pose, double L[3]) {
    double w[3], own[3] = {0};
    if (dim == 2) {
        L[0] = L[1] = 0;
        L[2] = body->inertia[2][2] * pose->angular_velocity[2];
        return;
    }
    rotate(pose->quaternion, true, pose->angular_velocity, w);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            own[i] += body->inertia[i][j] * w[j];
    rotate(pose->quaternion, false, own, L);
}

typedef struct momenta {
    double p[3], spin[3];
    double size, size_spin;   /* sums of magnitudes */
    double inertia;           /* about the mass center, sum over the axes */
    double floor, floor_spin; /* rounding errors */
} momenta;

/* a body with the mass center at `at` */
static void add_body(const double center[3], double mass, const double at[3], const double p[3], const double spin[3], double size,
                     double size_spin, double inertia, momenta *now) {
    double r[3], L[3];
    for (int k = 0; k < 3; k++)
        r[k] = at[k] - center[k];
    cross(r, p, L);
    for (int k = 0; k < 3; k++) {
        now->p[k] += p[k];
        now->spin[k] += L[k] + spin[k];
    }
    now->size += size;
    now->size_spin += norm3(L) + size_spin;
    now->inertia += mass * norm3(r) * norm3(r) + inertia;
    now->floor += study_balance_rounding * size;
    now->floor_spin += study_balance_rounding * ((norm3(at) + norm3(r)) * size + size_spin);
}

/* mass of a body that moves with its pose: that of a mesh deforms, and is counted among the elastic bodies */
static double rigid_mass(const bl_body *body) { return body->what == BL_BODY_MESH ? 0 : body->mass; }

static bl_index part_of(const bl_momentum *m, bl_index elastic) { return m->of[bl_elastic_body(&m->model->elastic[elastic])]; }

static momenta measure(const bl_simulation *sim, bl_index part) {
    const bl_momentum *m = sim->momentum;
    const bl_model *model = m->model;
    const bl_pose *pose = sim->eval.pose;
    double center[3] = {0}, mass = 0;
    momenta now = {{0}, {0}, 0, 0, 0, 0, 0};
    for (bl_index i = 1; i < model->nbody; i++)
        if (m->of[i] == part) {
            mass += rigid_mass(&model->body[i]);
            for (int k = 0; k < 3; k++)
                center[k] += rigid_mass(&model->body[i]) * pose[i].position[k];
        }
    for (bl_index b = 0; b < model->nelastic; b++)
        if (part_of(m, b) == part) {
            mass += m->elastic[b].mass;
            for (int k = 0; k < 3; k++)
                center[k] += m->elastic[b].mass * m->elastic[b].center[k];
        }
    for (int k = 0; k < 3; k++)
        center[k] = mass > 0 ? center[k] / mass : 0;
    m->part[part].mass = mass;
    for (bl_index i = 1; i < model->nbody; i++) {
        const bl_body *body = &model->body[i];
        if (m->of[i] != part || body->what == BL_BODY_MESH)
            continue;
        double p[3], spin[3];
        for (int k = 0; k < 3; k++)
            p[k] = body->mass * pose[i].velocity[k];
        spin_of(body, model->dim, &pose[i], spin);
        add_body(center, body->mass, pose[i].position, p, spin, norm3(p), norm3(spin),
                 body->inertia[0][0] + body->inertia[1][1] + body->inertia[2][2], &now);
    }
    for (bl_index b = 0; b < model->nelastic; b++) {
        const bl_elastic_momenta *e = &m->elastic[b];
        if (part_of(m, b) == part)
            add_body(center, e->mass, e->center, e->p, e->spin, e->size, e->size_spin, e->inertia, &now);
    }
    return now;
}

static void judge(bl_simulation *sim, bl_part *part, int which, double off, double allowed, double size) {
    bl_momentum *m = sim->momentum;
    if (off <= allowed) {
        part->began[which] = NAN;
        return;
    }
    if (isnan(part->began[which])) { /* a single violation may be due to small values after a start at rest */
        part->began[which] = m->last;
        if (*sim->state.t < sim->integ->control.t_end)
            return;
    }
    if (part->warned)
        return;
    part->warned = true;
    char limit[64];
    if (isnan(sim->balance.tolerance))
        snprintf(limit, sizeof limit, "steps of %.3g s are too long", sim->integ->control.step);
    else
        snprintf(limit, sizeof limit, "more than the tolerance of %.2g explains", sim->balance.tolerance);
    bl_warn(sim->ctx, part->began[which], part->name,
            "'%s' is not connected to the ground, but its %s changed by %.3g %s, %.2g of the largest: %s; compare with a smaller %s",
            part->name, which ? "angular momentum" : "momentum", off, which ? "kg m2/s" : "kg m/s", off / size, limit,
            isnan(sim->balance.tolerance) ? "step" : "tolerance");
}

static void compare(bl_simulation *sim, bl_index k) {
    const bl_momentum *m = sim->momentum;
    bl_part *part = &m->part[k];
    momenta now = measure(sim, k);
    double t = *sim->state.t, tolerance = sim->balance.tolerance, d[3], e[3];
    part->most = fmax(part->most, now.size);
    part->most_spin = fmax(part->most_spin, now.size_spin);
    if (!m->begun) {
        for (int i = 0; i < 3; i++) {
            part->first[i] = now.p[i];
            part->spin[i] = now.spin[i];
        }
        part->began[0] = part->began[1] = NAN;
        return;
    }
    for (int i = 0; i < 3; i++) {
        d[i] = now.p[i] - part->first[i] - part->mass * m->model->gravity[i] * (t - m->start);
        e[i] = now.spin[i] - part->spin[i];
    }
    bool fixed = isnan(tolerance);
    double many = fixed ? INFINITY : study_balance_many * tolerance * (double)sim->integ->stats.steps,
           share = fmin(many, fmax(study_balance_large, study_balance_coarse * tolerance));
    double slow = fixed ? 0 : share * sqrt(2 * sim->balance.moving); /* velocities are accurate relative to their scales */
    judge(sim, part, 0, norm3(d), share * part->most + slow * sqrt(part->mass) + now.floor, part->most);
    judge(sim, part, 1, norm3(e), share * part->most_spin + slow * sqrt(now.inertia) + now.floor_spin, part->most_spin);
}

bl_status bl_momentum_step(bl_simulation *sim) {
    bl_momentum *m = sim->momentum;
    long steps = sim->integ->stats.steps;
    bool due =
        !m || m->n == 0 ? false : !m->begun || steps <= SOON || steps >= m->checked + OFTEN || *sim->state.t >= sim->integ->control.t_end;
    if (!due)
        return BL_OK;
    bl_eval_at(&sim->eval, &sim->state);
    BL_TRY(bl_system_eval(sim->sys, &sim->eval, BL_POSE));
    if (m->elastic)
        bl_coords_momenta(bl_signal_inner(sim->sys), bl_signal_inner_eval(sim->sys, &sim->eval), m->elastic);
    if (!m->begun)
        m->start = *sim->state.t;
    for (bl_index k = 0; k < m->n; k++)
        compare(sim, k);
    m->begun = true;
    m->last = *sim->state.t;
    m->checked = steps;
    return BL_OK;
}
