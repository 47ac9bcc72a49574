/* Creation, and one step. */
#include "stepping/stepping.h"
#include "stepping/stepping_limits.h"
#include "stepping/stepping_private.h"

#include "base/vector3.h"

#include <string.h>

/* sweeps in a step; times as many in a step in which no contact has an impulse of the last one to start from: what is not found there,
 * bodies at rest fall for a step, and piles sway for a long time */
enum { SWEEPS = 50, FROM_NOTHING = 20 };

static bl_status check(bl_context *ctx, const bl_stepping_scene *scene) {
    for (bl_index i = 0; i < scene->nbody; i++) {
        const bl_stepping_body *b = scene->body + i;
        if (!(b->mass >= 0) || !isfinite(b->mass)) {
            bl_fail(ctx, BL_E_ARG, NULL, "body %d: mass %g is not a number of 0 or more", (int)i, b->mass);
            bl_advise(ctx, "0 is a body whose motion is given");
            return BL_E_ARG;
        }
    }
    for (bl_index j = 0; j < scene->nshape; j++) {
        const bl_contact_shape *s = scene->shape + j;
        if (s->body < 0 || s->body >= scene->nbody || s->group < 0 || s->group >= scene->ngroup)
            return bl_fail(ctx, BL_E_ARG, NULL, "shape %d: body %d or group %d does not exist", (int)j, (int)s->body, (int)s->group);
        if (!(bl_contact_size(s) > 0)) {
            bl_fail(ctx, BL_E_ARG, NULL, "shape %d: a %s needs a size above 0", (int)j, bl_contact_name(s->what));
            bl_advise(ctx, "give its radius or half edges");
            return BL_E_ARG;
        }
    }
    for (bl_index i = 0; scene->pair && i < scene->ngroup * scene->ngroup; i++)
        if (scene->pair[i] >= scene->nlaw)
            return bl_fail(ctx, BL_E_ARG, NULL, "contact law %d does not exist: there are %d", (int)scene->pair[i], (int)scene->nlaw);
    return BL_OK;
}

/* whether two bodies of a group have shapes of these kinds; first, twice: [32] the first body that has the kind, whether others have it */
static bool of_two(const bl_index *first, uint32_t twice, int a, int b) {
    return first[a] != first[b] || (twice >> a & 1U) || (twice >> b & 1U);
}

/* every pair of kinds that can meet must be supported; by groups, so that many shapes are not compared with each other */
static bl_status check_kinds(bl_context *ctx, const bl_stepping *s) {
    const bl_stepping_scene *scene = &s->scene;
    bl_index n = scene->ngroup;
    uint32_t *kinds, *twice; /* of the shapes of each group, those that move in the upper half */
    bl_index(*first)[32];
    void *block = NULL;
    BL_TRY(BL_NEW_ARRAYS(ctx, block, BL_ARRAY(kinds, n), BL_ARRAY(twice, n), BL_ARRAY(first, n)));
    for (bl_index j = 0; j < scene->nshape; j++) {
        const bl_contact_shape *shape = scene->shape + j;
        int k = (int)shape->what + (s->fixed[shape->body] ? 0 : 16);
        if (!(kinds[shape->group] >> k & 1U))
            first[shape->group][k] = shape->body;
        else if (first[shape->group][k] != shape->body)
            twice[shape->group] |= 1U << k;
        kinds[shape->group] |= 1U << k;
    }
    bl_status status = BL_OK;
    for (bl_index i = 0; i < n && status == BL_OK; i++)
        for (bl_index j = i; j < n && status == BL_OK; j++)
            for (int a = 0; a < 32 && status == BL_OK && s->pair[n * i + j] >= 0; a++)
                for (int b = 0; b < 32 && status == BL_OK; b++) {
                    bool meet = (kinds[i] >> a & 1U) && (kinds[j] >> b & 1U) && (a >= 16 || b >= 16) &&
                                (i != j || of_two(first[i], twice[i], a, b));
                    bl_contact_what one = (bl_contact_what)(a & 15), other = (bl_contact_what)(b & 15);
                    if (meet && !bl_contact_can(one, other) && !(one == BL_CONTACT_PLANE && other == BL_CONTACT_PLANE)) {
                        status = bl_fail(ctx, BL_E_ABILITY, NULL, "contact of a %s with a %s is not supported", bl_contact_name(one),
                                         bl_contact_name(other));
                        bl_advise(ctx, "use capsules, boxes or spheres, or exclude this pair");
                    }
                }
    bl_free(ctx, block);
    return status;
}

/* inverse of a symmetric positive definite matrix of order 3 by its cofactors */
static bool invert(const double J[6], double by[6]) {
    double xx = J[1] * J[2] - J[5] * J[5], yy = J[0] * J[2] - J[4] * J[4], zz = J[0] * J[1] - J[3] * J[3];
    double xy = J[4] * J[5] - J[3] * J[2], xz = J[3] * J[5] - J[4] * J[1], yz = J[3] * J[4] - J[0] * J[5];
    double d = J[0] * xx + J[3] * xy + J[4] * xz;
    const double cofactor[6] = {xx, yy, zz, xy, xz, yz};
    for (int k = 0; k < 6; k++)
        by[k] = cofactor[k] / d;
    return J[0] > 0 && zz > 0 && d > 0 && isfinite(d);
}

static bl_status set_body(bl_stepping *s, bl_index i) {
    const bl_stepping_body *from = s->scene.body + i;
    bl_cone_body *b = s->body + i;
    memcpy(s->inertia[i], from->inertia, sizeof from->inertia);
    s->joined[i] = from->joined;
    s->fixed[i] = !from->joined && from->mass == 0 && norm3(from->velocity) == 0 && norm3(from->spin) == 0;
    if (from->mass > 0 && !from->joined) {
        const double *J = from->inertia;
        b->by_mass = 1 / from->mass;
        bool given = s->scene.plane ? J[2] > 0 : invert(J, s->inverse[i]);
        if (!given) {
            bl_fail(s->ctx, BL_E_ARG, NULL, "body %d: its moments of inertia are not those of a body", (int)i);
            bl_advise(s->ctx, "they are about the mass center, all above 0");
            return BL_E_ARG;
        }
        if (s->scene.plane)
            s->inverse[i][2] = 1 / J[2];
        else if (J[0] == J[1] && J[1] == J[2] && J[3] == 0 && J[4] == 0 && J[5] == 0)
            s->round[i] = J[0];
        b->by_inertia = s->round[i] > 0 ? 1 / s->round[i] : -1;
    }
    bl_stepping_set_body(s, i, from->at, from->turn, from->velocity, from->spin);
    return BL_OK;
}

void bl_stepping_set_body(bl_stepping *s, bl_index i, const double at[3], const double turn[4], const double v[3], const double w[3]) {
    bl_cone_body *b = s->body + i;
    double *e = s->frame[i].axes, local[3];
    const double *J = s->inertia[i];
    memcpy(s->at[i], at, sizeof s->at[i]);
    memcpy(s->turn[i], turn, sizeof s->turn[i]);
    memcpy(s->v[i], v, sizeof s->v[i]);
    memcpy(s->w[i], w, sizeof s->w[i]);
    memcpy(s->frame[i].at, at, sizeof s->at[i]);
    bl_stepping_axes(turn, e);
    for (int k = 0; k < 3; k++)
        local[k] = dot3(e + 3 * k, w);
    const double moment[3] = {J[0] * local[0] + J[3] * local[1] + J[4] * local[2], J[3] * local[0] + J[1] * local[1] + J[5] * local[2],
                              J[4] * local[0] + J[5] * local[1] + J[2] * local[2]};
    for (int k = 0; k < 3; k++)
        s->spin[i][k] = s->scene.plane ? (k == 2 ? J[2] * w[2] : 0) : e[k] * moment[0] + e[3 + k] * moment[1] + e[6 + k] * moment[2];
    if (b->by_mass > 0)
        bl_stepping_tensor(s, i, e, b->tensor);
}

static bl_status make(bl_stepping *s) {
    const bl_stepping_scene *scene = &s->scene;
    size_t n = (size_t)scene->nbody, m = (size_t)scene->nshape, groups = (size_t)scene->ngroup;
    BL_TRY(BL_NEW_ARRAYS(s->ctx, s->block, BL_ARRAY(s->body, n), BL_ARRAY(s->at, n), BL_ARRAY(s->turn, n), BL_ARRAY(s->v, n),
                         BL_ARRAY(s->w, n), BL_ARRAY(s->spin, n), BL_ARRAY(s->force, n), BL_ARRAY(s->moment, n), BL_ARRAY(s->inertia, n),
                         BL_ARRAY(s->inverse, n), BL_ARRAY(s->round, n), BL_ARRAY(s->fixed, n), BL_ARRAY(s->joined, n),
                         BL_ARRAY(s->shift, n), BL_ARRAY(s->ball, m), BL_ARRAY(s->push, n), BL_ARRAY(s->frame, n), BL_ARRAY(s->solid, m),
                         BL_ARRAY(s->margin, m), BL_ARRAY(s->size, m), BL_ARRAY(s->reach, m), BL_ARRAY(s->old, n), BL_ARRAY(s->before, n),
                         BL_ARRAY(s->pair, groups * groups), BL_ARRAY(s->law, scene->nlaw), BL_ARRAY(s->bound, scene->nbound),
                         BL_ARRAY(s->apart, scene->napart)));
    s->nbound = scene->nbound;
    s->napart = scene->napart;
    if (scene->nbound)
        memcpy(s->bound, scene->bound, (size_t)scene->nbound * sizeof *s->bound);
    if (scene->napart)
        memcpy(s->apart, scene->apart, (size_t)scene->napart * sizeof *s->apart);
    memcpy(s->law, scene->law, (size_t)scene->nlaw * sizeof *s->law);
    if (scene->pair)
        memcpy(s->pair, scene->pair, groups * groups * sizeof *s->pair);
    for (bl_index i = 0; i < scene->nbody; i++)
        BL_TRY(set_body(s, i));
    for (bl_index j = 0; j < scene->nshape; j++) {
        const bl_contact_shape *shape = scene->shape + j;
        s->solid[j].shape = shape;
        s->size[j] = bl_contact_size(shape);
        s->reach[j] = bl_contact_reach(shape);
        s->ball[j] = s->round[shape->body] > 0 && shape->what == BL_CONTACT_SPHERE && norm3(shape->frame.at) == 0;
        bl_contact_place(s->frame + shape->body, &shape->frame, &s->solid[j].frame);
    }
    BL_TRY(check_kinds(s->ctx, s));
    return bl_sweep_create(s->ctx, scene->nshape, scene->shape, scene->ngroup, s->pair, s->fixed, &s->sweep);
}

bl_status bl_stepping_create(bl_context *ctx, const bl_stepping_scene *scene, const bl_stepping_options *options, bl_stepping *s) {
    *s = (bl_stepping){.ctx = ctx, .scene = *scene, .options = options ? *options : (bl_stepping_options){0}};
    BL_TRY(check(ctx, scene));
    bl_status status = make(s);
    s->scene.body = NULL, s->scene.pair = NULL, s->scene.law = NULL, s->scene.bound = NULL, s->scene.apart = NULL; /* the caller's */
    return status;
}

void bl_stepping_destroy(bl_stepping *s) {
    bl_sweep_destroy(&s->sweep);
    bl_free(s->ctx, s->found);
    bl_free(s->ctx, s->contact);
    bl_free(s->ctx, s->touch);
    bl_free(s->ctx, s->gap);
    bl_free(s->ctx, s->blocks.run);
    bl_free(s->ctx, s->blocks.block);
    bl_free(s->ctx, s->P);
    bl_free(s->ctx, s->work);
    bl_free(s->ctx, s->with.local);
    bl_free(s->ctx, s->block);
    *s = (bl_stepping){0};
}

void bl_stepping_forget(bl_stepping *s) {
    for (bl_index i = 0; i < s->sweep.npair; i++)
        s->sweep.pair[i].count = 0;
    for (bl_index k = 0; k < s->nbound; k++)
        s->bound[k].P = 0;
}

/* velocity at a contact before the step */
static void velocity_before(const bl_stepping *s, const bl_cone_contact *c, double u[3]) {
    double one[3], other[3];
    cross3(s->before[c->body[0]], c->r[0], one);
    cross3(s->before[c->body[1]], c->r[1], other);
    for (int k = 0; k < 3; k++)
        u[k] = s->old[c->body[1]][k] + other[k] - s->old[c->body[0]][k] - one[k];
}

/* what gravity and other forces add to velocities in the step, at the contacts */
static double pull_of(const bl_stepping *s, double h) {
    double most = h * norm3(s->scene.gravity);
    for (bl_index i = 0; i < s->ncontact; i++) {
        double before[3], now[3];
        velocity_before(s, s->contact + i, before);
        bl_cone_contact_velocity(s->body, s->contact + i, now);
        for (int k = 0; k < 3; k++)
            most = fmax(most, fabs(now[k] - before[k]));
    }
    return most;
}

/* impulses on bodies, and their work */
static void collect(bl_stepping *s, double pull) {
    memset(s->push, 0, (size_t)s->scene.nbody * sizeof *s->push);
    s->contact_work = s->contact_scale = s->lift_work = 0;
    for (bl_index i = 0; i < s->ncontact; i++) {
        const bl_cone_contact *c = s->contact + i;
        double impulse[3], moment[3], before[3], after[3];
        bl_cone_contact_impulse(c, s->P[i], impulse);
        velocity_before(s, c, before);
        bl_cone_contact_velocity(s->body, c, after);
        s->contact_scale += fabs(dot3(impulse, before)) + norm3(impulse) * pull;
        s->contact_work += 0.5 * (dot3(impulse, before) + dot3(impulse, after));
        for (int side = 0; side < 2; side++) {
            double *push = s->push[c->body[side]], sign = side ? 1 : -1;
            cross3(c->r[side], impulse, moment);
            for (int k = 0; k < 3; k++) {
                push[k] += sign * impulse[k];
                push[3 + k] += sign * moment[k];
            }
        }
    }
}

static bool know_impulses(const bl_stepping *s) {
    for (bl_index i = 0; i < s->ncontact; i++)
        if (s->P[i][0] > 0)
            return true;
    return false;
}

void bl_stepping_begin(bl_stepping *s, double h) { bl_stepping_to_middle(s, h); }

bl_status bl_stepping_impulses(bl_stepping *s, double h) {
    bl_stepping_place_shapes(s, h);
    BL_TRY(bl_sweep_update(&s->sweep, s->solid, s->margin));
    double scale;
    BL_TRY(bl_stepping_find(s, h, &scale));
    double pull = pull_of(s, h);
    int most = (s->options.sweeps > 0 ? s->options.sweeps : SWEEPS) * (know_impulses(s) ? 1 : FROM_NOTHING);
    bl_cone_sweeps sweeps = {.most = most,
                             .normal = 2 * (most / 3),
                             .blocks = &s->blocks,
                             .tolerance = s->options.tolerance > 0 ? s->options.tolerance : stepping_tolerance * scale,
                             .work = s->options.plain ? NULL : s->work,
                             .groups = s->njoined ? &s->with : NULL,
                             .njoined = s->njoined};
    s->stats.unfinished += bl_cone_bodies_solve(s->ctx, s->scene.nbody, s->body, s->ncontact, s->contact, s->P, &sweeps) != BL_OK;
    if (!isfinite(sweeps.change))
        return BL_NOT_FINITE;
    bl_stepping_remember(s);
    collect(s, pull);
    s->stats.sweeps += sweeps.done;
    s->stats.contacts += s->ncontact;
    return BL_OK;
}

void bl_stepping_end(bl_stepping *s, double h) {
    bl_stepping_to_end(s, h);
    bl_stepping_separate(s, h);
    s->t += h;
    s->stats.steps++;
}

bl_status bl_stepping_step(bl_stepping *s, double h) {
    bl_stepping_begin(s, h);
    BL_TRY(bl_stepping_impulses(s, h));
    bl_stepping_end(s, h);
    return BL_OK;
}

double bl_stepping_energy(const bl_stepping *s, double *kinetic) {
    double moving = 0, high = 0;
    for (bl_index i = 0; i < s->scene.nbody; i++) {
        if (s->body[i].by_mass == 0)
            continue;
        double mass = 1 / s->body[i].by_mass;
        moving += 0.5 * (mass * dot3(s->v[i], s->v[i]) + dot3(s->w[i], s->spin[i]));
        high -= mass * dot3(s->scene.gravity, s->at[i]);
    }
    if (kinetic)
        *kinetic = moving;
    return moving + high;
}
