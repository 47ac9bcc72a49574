/* Forces in samples compared with the mechanics of the bodies: Newton's and Euler's equations hold for every body with gravity, force
 * elements and reactions, and the power of the elements equals the increase of work minus the increase of potential. All kinds of forces,
 * joints and coordinates, the plane and space, scenes and random mechanisms. Accelerations come from the formulation, changes of momentum
 * from poses at neighboring times. */
#include "support/random_mechanism.h"
#include "support/testing.h"

#include "force/force.h"
#include "joint/joint.h"
#include "study/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const coordinates[] = {"natural", "mixed", "reference", "relative"};
enum { NCOORDINATES = sizeof coordinates / sizeof *coordinates, MOST_TEXT = 16384 };

typedef struct bench {
    bl_context *ctx;
    const bl_model *model;
    bl_system *sys;
    bl_simulation *sim;
    double h; /* of differences in time: a small part of a radian */
    char label[128];
} bench;

/* ---- small vectors */

static void cross(const double *a, const double *b, double *c) {
    for (int k = 0; k < 3; k++)
        c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static double size(const double *a) { return sqrt(dot(a, a)); }

static void rotate(const double *q, const double *s, double *out) {
    double c[3], d[3];
    cross(q + 1, s, c);
    for (int k = 0; k < 3; k++)
        c[k] *= 2;
    cross(q + 1, c, d);
    for (int k = 0; k < 3; k++)
        out[k] = s[k] + q[0] * c[k] + d[k];
}

static void spin(const bl_body *body, const bl_pose *pose, double L[3]) {
    double back[4] = {pose->quaternion[0], -pose->quaternion[1], -pose->quaternion[2], -pose->quaternion[3]}, w[3], h[3];
    rotate(back, pose->angular_velocity, w);
    for (int i = 0; i < 3; i++)
        h[i] = dot(body->inertia[i], w);
    rotate(pose->quaternion, h, L);
}

static void mark_at(const bl_pose *pose, const bl_mark *mark, double *at) {
    rotate(pose[mark->body].quaternion, mark->s, at);
    for (int k = 0; k < 3; k++)
        at[k] += pose[mark->body].position[k];
}

/* ---- neighboring configurations: q(t) = q + t v + t^2/2 a, which satisfies the constraints to third order in t */

static void look_beside(bench *b, double t, bl_eval *e, double *q, double *x) {
    const bl_system *sys = b->sys;
    const bl_state *at = &b->sim->at;
    double *v = x + sys->nv;
    for (bl_index j = 0; j < sys->nv; j++) {
        x[j] = t * (at->v[j] + t / 2 * b->sim->a[j]);
        v[j] = at->v[j] + t * b->sim->a[j];
    }
    assert_int_equal(bl_system_retract(sys, at->q, x, q), BL_OK);
    bl_eval_at(e, at);
    e->t = *at->t + t;
    e->q = q;
    e->v = v;
    assert_int_equal(bl_system_eval(sys, e, BL_POSE | BL_ENERGY), BL_OK);
}

/* ---- checks */

/* adds a force at a point, and a moment, to the load on a body; also the sum of their magnitudes */
static void act(const bl_pose *pose, const double *at, const double *force, const double *moment, double sign, double *sum, double *most) {
    double arm[3], turn[3];
    for (int k = 0; k < 3; k++)
        arm[k] = at[k] - pose->position[k];
    cross(arm, force, turn);
    for (int k = 0; k < 3; k++) {
        sum[k] += sign * force[k];
        sum[3 + k] += sign * (moment[k] + turn[k]);
    }
    *most += size(force) * (1 + size(arm)) + size(moment);
}

static void add_reactions(const bench *b, const bl_sample *sample, const bl_pose *pose, bl_index body, double *sum, double *most) {
    for (bl_index j = 0; j < b->model->njoint; j++) {
        const bl_joint_def *joint = &b->model->joint[j];
        double sign = joint->body[1] == body ? 1 : joint->body[0] == body ? -1 : 0, at[3];
        if (sign == 0)
            continue;
        const bl_prim *prim = joint->prim;
        bl_mark mark = {joint->body[1], false, {0}};
        for (bl_index p = 0; p < joint->nprim; p++)
            if (prim[p].what != BL_LINEAR && !prim[p].b.is_vector) {
                mark = prim[p].b;
                break;
            }
        mark_at(pose, &mark, at);
        act(&pose[body], at, sample->reaction[j].force, sample->reaction[j].moment, sign, sum, most);
    }
}

static void check_body(const bench *b, const bl_sample *sample, const bl_pose *pose, const bl_pose *before, const bl_pose *after,
                       bl_index i) {
    const bl_body *body = &b->model->body[i];
    double sum[6] = {0}, most = 0, L0[3], L1[3], weight[3], none[3] = {0, 0, 0};
    for (int k = 0; k < 3; k++)
        weight[k] = body->mass * b->model->gravity[k];
    act(&pose[i], pose[i].position, weight, none, 1, sum, &most);
    add_reactions(b, sample, pose, i, sum, &most);
    for (bl_index p = 0; p < b->sys->npush; p++)
        if (b->sys->push[p].body == i)
            act(&pose[i], sample->push[p].point, sample->push[p].force, sample->push[p].moment, 1, sum, &most);
    spin(body, &before[i], L0);
    spin(body, &after[i], L1);
    /* differences: rounding of velocities, and third derivatives of the path, which are those of rotations by h times the rates */
    double h = b->h,
           slack = 1e-7 * (most + body->mass) + 1e-14 / h * body->mass * (size(pose[i].velocity) + size(pose[i].angular_velocity));
    for (int k = 0; k < 3; k++) {
        double change = body->mass * (after[i].velocity[k] - before[i].velocity[k]) / (2 * h), turned = (L1[k] - L0[k]) / (2 * h);
        if (!(fabs(sum[k] - change) <= slack))
            fail_msg("%s: body %s: force [%d] %.10g, mass x acceleration %.10g, slack %.2g", b->label, body->name, k, sum[k], change,
                     slack);
        if (!(fabs(sum[3 + k] - turned) <= slack))
            fail_msg("%s: body %s: moment [%d] %.10g, rate of spin %.10g, slack %.2g", b->label, body->name, k, sum[3 + k], turned, slack);
    }
}

/* power of elements and weight = power of forces without potential - rate of the potential */
static void check_power(const bench *b, const bl_sample *sample, const bl_pose *pose, double lost, double power) {
    double sum = 0, most = 0;
    for (bl_index p = 0; p < b->sys->npush; p++) {
        const bl_push *push = &sample->push[p];
        const bl_pose *body = &pose[b->sys->push[p].body];
        double arm[3], v[3];
        for (int k = 0; k < 3; k++)
            arm[k] = push->point[k] - body->position[k];
        cross(body->angular_velocity, arm, v);
        for (int k = 0; k < 3; k++)
            v[k] += body->velocity[k];
        double part = dot(push->force, v) + dot(push->moment, body->angular_velocity);
        sum += part;
        most += size(push->force) * size(v) + size(push->moment) * size(body->angular_velocity) + fabs(part);
    }
    for (bl_index i = 1; i < b->model->nbody; i++) {
        double part = b->model->body[i].mass * dot(b->model->gravity, pose[i].velocity);
        sum += part;
        most += fabs(part);
    }
    double potential = fabs(sample->potential);
    if (!(fabs(sum - (power + lost)) <= 1e-6 * (1 + most) + 1e-10 * potential))
        fail_msg("%s: power %.10g of forces, %.10g of work and %.10g lost by the potential", b->label, sum, power, lost);
}

/* length and tension of springs between points from their parameters; laws are not examined */
static void check_springs(const bench *b, const bl_sample *sample, const bl_pose *before, const bl_pose *pose, const bl_pose *after) {
    for (bl_index s = 0; s < b->sys->nspring; s++) {
        const bl_force_def *def = &b->model->force[b->sys->spring[s].owner];
        const bl_value *value = def->value;
        /* parameters of spring.c: 0, 1 bodies, 2, 3 ends, ... */
        if (def->kind != &bl_force_spring || b->sys->spring[s].variable >= 0 || value[7].given)
            continue;
        const bl_pose *when[3] = {before, pose, after};
        double length[3], drawn = 0;
        for (int w = 0; w < 3; w++) {
            double end[2][3], d[3];
            for (int k = 0; k < 2; k++) {
                bl_mark mark = bl_model_mark_point(b->model, value[k].given ? value[k].ref : 0, value[2 + k].vector);
                mark_at(when[w], &mark, end[k]);
            }
            for (int k = 0; k < 3; k++)
                d[k] = end[1][k] - end[0][k];
            length[w] = size(d);
        }
        for (int k = 0; k < b->model->dim; k++)
            drawn = hypot(drawn, value[3].vector[k] - value[2].vector[k]);
        double rate = (length[2] - length[0]) / (2 * b->h), stretch = length[1] - (value[5].given ? value[5].number : drawn);
        double tension = value[4].number * stretch + value[6].number * rate;
        double slack = 1e-7 * (1 + value[4].number * length[1] + value[6].number * (1 + fabs(rate)));
        if (!(fabs(sample->spring_length[s] - length[1]) <= 1e-8 * (1 + length[1])))
            fail_msg("%s: spring %s has length %.10g, not %.10g", b->label, def->name, length[1], sample->spring_length[s]);
        if (!(fabs(sample->spring_tension[s] - tension) <= slack))
            fail_msg("%s: spring %s has tension %.10g, not %.10g", b->label, def->name, tension, sample->spring_tension[s]);
    }
}

static void check_place(bench *b) {
    bl_simulation *sim = b->sim;
    const bl_system *sys = b->sys;
    bl_sample sample;
    if (bl_simulation_sample(sim, *sim->state.t, &sample) != BL_OK)
        fail_msg("%s: %s", b->label, bl_context_error(b->ctx)->what);
    if (*sim->at.t != *sim->state.t) /* accelerations are not determined exactly there */
        return;
    double fast = 1;
    for (bl_index i = 0; i + 1 < sys->nbody; i++)
        fast = fmax(fast, size(sample.body[i].angular_velocity));
    for (bl_index j = 0; j < sys->nv; j++)
        fast = fmax(fast, sqrt(fabs(sim->a[j]) / sys->col[j].scale));
    double h = b->h = 1e-5 / fast;
    bl_eval side[3] = {{0}};
    bl_pose *pose = calloc(3 * (size_t)sys->nbody, sizeof *pose);
    double *q = calloc((size_t)sys->nq + 1, sizeof *q), *x = calloc(2 * (size_t)sys->nv + 1, sizeof *x), potential[3];
    for (int s = 0; s < 3; s++) {
        assert_int_equal(bl_eval_create(sys, BL_SEEN, &side[s]), BL_OK);
        look_beside(b, (s - 1) * h, &side[s], q, x);
        memcpy(pose + s * sys->nbody, side[s].pose, (size_t)sys->nbody * sizeof *pose);
        potential[s] = side[s].potential;
    }
    const bl_pose *before = pose, *now = pose + sys->nbody, *after = pose + 2 * sys->nbody;
    for (bl_index i = 1; i < sys->nbody; i++)
        check_body(b, &sample, now, before, after, i);
    if (sys->nload == 0 && b->model->ndriver == 0) {
        bl_eval_at(&side[1], &sim->at);
        assert_int_equal(bl_system_eval(sys, &side[1], BL_Q), BL_OK);
        check_power(b, &sample, now, -(potential[2] - potential[0]) / (2 * h), side[1].power);
    }
    check_springs(b, &sample, before, now, after);
    for (int s = 0; s < 3; s++)
        bl_eval_destroy(sys, &side[s]);
    free(pose), free(q), free(x);
}

/* Whether the model could be examined. */
static bool check_model(bl_context *ctx, const bl_model *model, const char *kind, const char *label, double until) {
    bench b = {.ctx = ctx, .model = model};
    bl_state state = {0};
    snprintf(b.label, sizeof b.label, "%s in %s", label, kind);
    bl_status status = bl_run_prepare(ctx, model, kind, &b.sys, &state);
    bl_simulation_setup setup = {.t_end = until, .tolerance = 1e-9};
    if (status == BL_OK)
        status = bl_simulation_create(b.sys, &state, &setup, &b.sim);
    bool looked = status == BL_OK;
    if (status == BL_OK)
        check_place(&b);
    for (int step = 0; status == BL_OK && *b.sim->state.t < until && step < 400; step++)
        status = bl_simulation_advance(b.sim);
    if (status == BL_OK)
        check_place(&b);
    bl_simulation_destroy(b.sim);
    if (b.sys) {
        bl_state_destroy(b.sys, &state);
        bl_system_destroy(b.sys);
    }
    return looked;
}

/* ---- scenes */

static void forces__balance_every_body_of_scenes(void **state) {
    static const char *const scene[] = {"slider_crank", "tether", "andrews", "flyball_governor", "vehicle", "rotating_spring"};
    (void)state;
    for (size_t s = 0; s < sizeof scene / sizeof *scene; s++)
        for (int k = 0; k < NCOORDINATES; k++) {
            bl_context *ctx = test_context(NULL);
            bl_model *model;
            char path[512];
            snprintf(path, sizeof path, "%s/%s.yaml", SCENES, scene[s]);
            assert_int_equal(bl_model_read(ctx, path, NULL, 0, &model), BL_OK);
            if (!check_model(ctx, model, coordinates[k], scene[s], 0.01))
                fail_msg("%s in %s: %s", scene[s], coordinates[k], bl_context_error(ctx)->what);
            bl_model_destroy(model);
            test_context_end(ctx);
        }
}

/* ---- all kinds of forces on every joint */

typedef struct writer {
    test_random *random;
    char *text;
    size_t used;
} writer;

static void put(writer *w, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(w->text + w->used, MOST_TEXT - w->used, format, args);
    va_end(args);
    assert_true(n >= 0 && w->used + (size_t)n < MOST_TEXT);
    w->used += (size_t)n;
}

static void put_vector(writer *w, int dim, double scale) {
    put(w, "[");
    for (int k = 0; k < dim; k++)
        put(w, "%s%.6f", k ? ", " : "", scale * test_random_symmetric(w->random));
    put(w, "]");
}

/* forces of every kind, appended to the text of a model */
static void put_forces(writer *w, const bl_model *model) {
    int dim = model->dim, nbody = (int)model->nbody;
    put(w, "\nforces:\n");
    for (int i = 0; i < 2; i++) {
        int a = test_random_below(w->random, nbody), c = test_random_below(w->random, nbody);
        if (a == c)
            c = (a + 1) % nbody;
        put(w, "  - {name: S%d, type: spring, bodies: [%s, %s], at: ", i, model->body[a].name, model->body[c].name);
        put_vector(w, dim, 1);
        put(w, ", to: ");
        put_vector(w, dim, 2);
        put(w, ", stiffness: 30, damping: %d%s}\n", 2 * i, i ? ", length: 0.3" : "");
        put(w, "  - {name: U%d, type: bushing, bodies: [%s, %s], at: ", i, model->body[a].name, model->body[c].name);
        put_vector(w, dim, 1);
        put(w, ", stiffness: %s, damping: 3, rotational_stiffness: 5, rotational_damping: 1}\n", dim == 2 ? "[10, 20]" : "[10, 20, 15]");
        if (i == 0)
            put(w, "  - {name: X%d, type: tire, body: %s, radius: 9, stiffness: 20, load: 100, velocity: 0.5, friction: 0.8, %s}\n", i,
                model->body[a ? a : c].name, dim == 2 ? "slip_stiffness: 200" : "axis: [0.1, 1, 0.2], slip_stiffness: [200, 300]");
        put(w, "  - {name: Y%d, type: drag, body: %s, coefficient: 1, area: 0.5, wind: ", i, model->body[a ? a : c].name);
        put_vector(w, dim, 3);
        put(w, "}\n");
        if (a == 0 || c == 0)
            continue;
        if (model->body[a].mass > 0 && model->body[c].mass > 0) {
            put(w, "  - {name: G%d, type: gravitation, bodies: [%s, %s], constant: 3, at: ", i, model->body[a].name, model->body[c].name);
            put_vector(w, dim, 1);
            put(w, ", to: ");
            put_vector(w, dim, 3);
            put(w, "}\n");
        }
        put(w, "  - {name: F%d, type: force, body: %s, against: %s, frame: body, at: ", i, model->body[a].name, model->body[c].name);
        put_vector(w, dim, 1);
        put(w, ", force: ");
        put_vector(w, dim, 10);
        put(w, "}\n  - {name: T%d, type: torque, body: %s, against: %s, torque: ", i, model->body[c].name, model->body[a].name);
        if (dim == 2)
            put(w, "\"=3*sin(5*t)+1\"}\n");
        else
            put(w, "[2, \"=sin(5*t)\", -1]}\n");
    }
    for (bl_index v = 0; v < model->nvariable; v++) {
        const char *name = model->variable[v].name;
        put(w, "  - {name: R%d, type: rotational_spring, variable: %s, stiffness: 7, angle: 0.2, damping: 0.3, torque: \"=0.5*x*xd\"}\n",
            (int)v, name);
        if (model->variable[v].is_angle && v > 0 && model->variable[0].is_angle)
            put(w, "  - {name: W%d, type: torsion_bar, first: %s, second: %s, stiffness: 3, damping: 0.1}\n", (int)v, name,
                model->variable[0].name);
        put(w, "  - {name: C%d, type: friction, variable: %s, viscous: 0.2, coulomb: 0.7, velocity: 0.5}\n", (int)v, name);
    }
    for (bl_index j = 0; j < model->njoint; j++) {
        bl_index first = model->joint[j].first_var, n = 0;
        while (first >= 0 && first + n < model->nvariable && model->variable[first + n].joint == j && model->variable[first + n].is_angle)
            n++;
        if (n == 3)
            put(w, "  - {name: B%d, type: spherical_spring, joint: %s, stiffness: [5, 6, 7], damping: [0.1, 0.2, 0.3]}\n", (int)j,
                model->joint[j].name);
        if ((model->joint[j].kind->kind.gives & BL_RUBS) && test_random_below(w->random, 4) == 0)
            put(w, "  - {name: D%d, type: joint_friction, joint: %s, coefficient: 0.2, radius: 0.1, arm: 0.5, velocity: 0.5}\n", (int)j,
                model->joint[j].name);
    }
}

/* models with relations or drivers, whose forces are reported separately, are skipped */
static bool suits(const bl_model *model) {
    for (bl_index j = 0; j < model->njoint; j++)
        if (model->joint[j].kind->nbody == 0)
            return false;
    return model->ndriver == 0 && model->nbody > 1;
}

static int check_random(test_random *random, uint64_t number) {
    bl_context *ctx = test_context(NULL);
    bl_model *model = NULL;
    char *text = malloc(MOST_TEXT), label[64];
    int looked = 0;
    writer w = {random, text, random_mechanism(random, text, MOST_TEXT / 2)};
    snprintf(label, sizeof label, "mechanism %llu", (unsigned long long)number);
    bl_status status = bl_model_read_text(ctx, "random", text, w.used, NULL, 0, &model);
    if (status == BL_OK && suits(model)) {
        put_forces(&w, model);
        bl_model_destroy(model);
        status = bl_model_read_text(ctx, "random", text, w.used, NULL, 0, &model);
        if (status != BL_OK)
            fail_msg("%s: %s\n%s", label, bl_context_error(ctx)->what, text);
        for (int k = 0; k < NCOORDINATES; k++)
            looked += check_model(ctx, model, coordinates[k], label, 0.05);
    }
    bl_model_destroy(model);
    free(text);
    test_context_end(ctx);
    return looked;
}

static void forces__balance_every_body_of_random_mechanisms(void **state) {
    (void)state;
    test_random random = {test_seed(20261117)};
    int looked = 0;
    for (uint64_t n = 0; n < 60; n++)
        looked += check_random(&random, n);
    printf("%d models looked at\n", looked);
    assert_true(looked > 60);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces__balance_every_body_of_scenes),
        cmocka_unit_test(forces__balance_every_body_of_random_mechanisms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
