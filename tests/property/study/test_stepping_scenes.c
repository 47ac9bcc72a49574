/* Random scenes by time stepping, in the plane and in space: free bodies and pendulums in a box with a floor and walls, every restitution
 * and friction, any step. Whatever happens: nothing enters anything by more than the step explains, no energy is gained, the balance
 * closes, the momentum changes by what the ground gives, the run ends in time. */
#include "biela/biela.h"
#include "support/testing.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#ifndef STEPPING_SCENES
#define STEPPING_SCENES (TEST_SANITIZED ? 10 : 50)
#endif

enum { BODIES = 8, MOST_SECONDS = TEST_SANITIZED ? 200 : 10 };
static const double G = 9.81, WALL = 1.2, UNTIL = 1;

typedef enum kind { BALL, BOX, ROD } kind;
typedef struct body {
    kind kind;
    double at[3], angle, size[3], mass; /* radius; edges; length */
} body;

typedef struct scene {
    char text[16384];
    size_t used;
    int dim, n;
    bool chain, gains; /* friction and restitution together may gain energy by Newton's law */
    double h;
    body body[BODIES];
    const char *coordinates;
    /* of the run */
    bl_status status;
    bl_error error;
    bl_run_summary summary;
    double start, highest, unbalanced, deepest, deepest_at, allowed, drift, fastest, spin, t, size;
    double momentum[3], given[3], begun[3], off;
    char part[64];
    long samples;
} scene;

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void
add(scene *s, const char *format, ...) {
    va_list args;
    va_start(args, format);
    s->used += (size_t)vsnprintf(s->text + s->used, sizeof s->text - s->used, format, args);
    va_end(args);
    assert_true(s->used < sizeof s->text);
}

static double between(test_random *r, double a, double b) { return a + (b - a) * test_random_unit(r); }

/* ---- the text */

static const char *point(const scene *s, const double x[3], char *to) {
    sprintf(to, s->dim == 2 ? "[%.17g, %.17g]" : "[%.17g, %.17g, %.17g]", x[0], x[1], x[2]);
    return to;
}

static void ends(const body *b, double from[3], double to[3]) {
    double c = 0.5 * b->size[0] * cos(b->angle), h = 0.5 * b->size[0] * sin(b->angle);
    for (int k = 0; k < 3; k++) {
        double by = k == 0 ? c : k == 1 ? h : 0;
        from[k] = b->at[k] - by;
        to[k] = b->at[k] + by;
    }
}

static void add_body(scene *s, const body *b, int i) {
    char x[128], y[128];
    double from[3], to[3];
    ends(b, from, to);
    add(s, "  - {name: b%d, mass: %.17g, ", i, b->mass);
    if (b->kind == BALL)
        add(s, "%s: {center: %s, radius: %.17g}}\n", s->dim == 2 ? "disc" : "sphere", point(s, b->at, x), b->size[0]);
    else if (b->kind == BOX)
        add(s, "box: {center: %s, size: %s}}\n", point(s, b->at, x), point(s, b->size, y));
    else if (s->dim == 2)
        add(s, "rod: {from: %s, to: %s}}\n", point(s, from, x), point(s, to, y));
    else
        add(s, "rod: {from: %s, to: %s, axial: %.17g}}\n", point(s, from, x), point(s, to, y), b->mass * b->size[0] * b->size[0] / 30);
}

/* on a grid, so that they are apart; in the plane boxes do not meet rods */
static void make_free(scene *s, test_random *r) {
    kind other = s->dim == 2 && test_random_below(r, 2) ? ROD : BOX;
    for (int i = 0; i < s->n; i++) {
        body *b = &s->body[i];
        *b = (body){.kind = test_random_below(r, 2) ? BALL : s->dim == 2 ? other : (kind)test_random_below(r, 3)};
        b->mass = between(r, 0.2, 2);
        b->at[0] = 0.6 * (i % 3 - 1);
        b->at[1] = 0.35 + 0.6 * (i / 3) + between(r, 0, 0.02);
        b->at[2] = s->dim == 3 ? 0.1 * test_random_symmetric(r) : 0;
        b->angle = b->kind == ROD ? between(r, -1.5, 1.5) : 0;
        b->size[0] = b->kind == BALL ? between(r, 0.05, 0.2) : between(r, 0.1, 0.35);
        b->size[1] = b->kind == BOX ? between(r, 0.1, 0.35) : 0;
        b->size[2] = between(r, 0.1, 0.35);
    }
}

/* pendulums of two rods with balls beside them */
static void make_chain(scene *s, test_random *r) {
    double x = -0.4, y = between(r, 0.9, 1.3);
    char p[128];
    add(s, "joints:\n");
    for (int i = 0; i < s->n; i++) {
        body *b = &s->body[i];
        *b = (body){.kind = i < 2 ? ROD : BALL, .mass = between(r, 0.2, 2), .size = {between(r, 0.2, 0.4), 0, 0}};
        if (i >= 2) {
            b->size[0] = between(r, 0.05, 0.15);
            b->at[0] = 0.75 - 0.35 * (i % 2);
            b->at[1] = 0.2 + 0.35 * (i / 2);
            continue;
        }
        b->angle = between(r, -2.8, -0.3);
        double at[3] = {x, y, 0};
        add(s, "  - {name: j%d, type: %s, bodies: [%s, b%d], at: %s}\n", i, s->dim == 2 ? "revolute" : "spherical", i ? "b0" : "ground", i,
            point(s, at, p));
        b->at[0] = x + 0.5 * b->size[0] * cos(b->angle);
        b->at[1] = y + 0.5 * b->size[0] * sin(b->angle);
        x += b->size[0] * cos(b->angle);
        y += b->size[0] * sin(b->angle);
    }
}

static void make_contacts(scene *s, test_random *r) {
    static const double friction[] = {0, 0.3, 1}, restitution[] = {0, 0.5, 1};
    double mu = friction[test_random_below(r, 3)], e = test_random_below(r, 4) ? restitution[test_random_below(r, 3)] : test_random_unit(r);
    const char *law = s->dim == 2 ? "[0, 0]" : "[0, 0, 0]", *z = s->dim == 2 ? "" : ", 0";
    s->gains = mu > 0 && e > 0;
    add(s, "contacts:\n  - {name: all, between: all, friction: %g, restitution: %.6f}\n", mu, e);
    add(s,
        "  - {name: room, between: [ground, all], friction: %g, restitution: %.6f, shapes: [{plane: {at: %s, normal: [0, "
        "1%s]}}",
        mu, e, law, z);
    add(s, ", {plane: {at: [%g, 0%s], normal: [1, 0%s]}}, {plane: {at: [%g, 0%s], normal: [-1, 0%s]}}", -WALL, z, z, WALL, z, z);
    if (s->dim == 3)
        add(s, ", {plane: {at: [0, 0, %g], normal: [0, 0, 1]}}, {plane: {at: [0, 0, %g], normal: [0, 0, -1]}}", -WALL, WALL);
    add(s, "]}\n");
}

static void make_scene(scene *s, test_random *r) {
    static const char *const kinds[] = {"natural", "mixed", "reference", "reference:view=tangent"};
    memset(s, 0, sizeof *s);
    s->dim = 2 + test_random_below(r, 2);
    s->chain = test_random_below(r, 3) == 0;
    s->coordinates = kinds[test_random_below(r, 4)];
    s->n = s->chain ? 2 + test_random_below(r, 3) : 1 + test_random_below(r, BODIES);
    s->h = 2e-4 * pow(10, test_random_unit(r));
    add(s, "dimension: %d\ngravity: [0, -9.81%s]\n", s->dim, s->dim == 3 ? ", 0" : "");
    if (s->chain)
        make_chain(s, r);
    else
        make_free(s, r);
    add(s, "bodies:\n");
    for (int i = 0; i < s->n; i++)
        add_body(s, &s->body[i], i);
    make_contacts(s, r);
    add(s, "initial:\n");
    for (int i = s->chain ? 2 : 0; i < s->n; i++)
        if (s->dim == 2)
            add(s, "  b%d: {velocity: [%.17g, %.17g], angular_velocity: %.17g}\n", i, between(r, -3, 3), between(r, -2, 2),
                between(r, -8, 8));
        else
            add(s, "  b%d: {velocity: [%.17g, %.17g, %.17g], angular_velocity: [%.17g, %.17g, %.17g]}\n", i, between(r, -3, 3),
                between(r, -2, 2), between(r, -2, 2), between(r, -5, 5), between(r, -5, 5), between(r, -5, 5));
    if (s->chain && s->dim == 2)
        add(s, "  j0.rate: %.17g\n  j1.rate: %.17g\n", between(r, -5, 5), between(r, -5, 5));
    else if (s->chain)
        add(s, "  b0: {angular_velocity: [0, 0, %.17g]}\n", between(r, -5, 5));
    add(s, "simulate: {until: %g, contact: stepping, step: %.17g}\n", UNTIL, s->h);
    s->size = INFINITY;
    for (int i = 0; i < s->n; i++)
        s->size = fmin(s->size, s->body[i].kind == BOX   ? 0.5 * fmin(s->body[i].size[0], s->body[i].size[1])
                                : s->body[i].kind == ROD ? 0.05 * s->body[i].size[0]
                                                         : s->body[i].size[0]);
}

/* ---- what happens */

static void deeper(scene *s, double t, double gap, const char *part, int i, int k) {
    if (!(-gap > s->deepest))
        return;
    s->deepest = -gap;
    s->deepest_at = t;
    snprintf(s->part, sizeof s->part, "%s %d %d", part, i, k);
}

static void point_inside(scene *s, double t, int i, const double x[3], double radius) {
    deeper(s, t, x[1] - radius, "floor", i, 0);
    deeper(s, t, WALL - radius - fabs(x[0]), "wall", i, 0);
    if (s->dim == 3)
        deeper(s, t, WALL - radius - fabs(x[2]), "wall", i, 1);
}

/* a point of a body whose coordinates along its axes are given */
static void place(const body *b, const bl_pose *p, const double local[3], double x[3]) {
    const double *q = p->quaternion, u[3] = {q[1], q[2], q[3]};
    double c = b->kind == ROD ? cos(b->angle) : 1, h = b->kind == ROD ? sin(b->angle) : 0;
    double v[3] = {c * local[0] - h * local[1], h * local[0] + c * local[1], local[2]}, t[3], w[3];
    t[0] = 2 * (u[1] * v[2] - u[2] * v[1]), t[1] = 2 * (u[2] * v[0] - u[0] * v[2]), t[2] = 2 * (u[0] * v[1] - u[1] * v[0]);
    w[0] = u[1] * t[2] - u[2] * t[1], w[1] = u[2] * t[0] - u[0] * t[2], w[2] = u[0] * t[1] - u[1] * t[0];
    for (int k = 0; k < 3; k++)
        x[k] = p->position[k] + v[k] + q[0] * t[k] + w[k];
}

static void body_inside(scene *s, const bl_sample *p, int i) {
    const body *b = &s->body[i];
    int corners = b->kind == BALL ? 1 : b->kind == ROD ? 2 : s->dim == 2 ? 4 : 8;
    for (int e = 0; e < corners; e++) {
        double x[3], local[3] = {0};
        for (int k = 0; k < 3; k++)
            local[k] = b->kind == BALL || (b->kind == ROD && k > 0) || (s->dim == 2 && k == 2) ? 0 : (e >> k & 1 ? 0.5 : -0.5) * b->size[k];
        place(b, &p->body[i], local, x);
        point_inside(s, p->t, i, x, b->kind == BALL ? b->size[0] : 0);
    }
    for (int k = 0; k < i && b->kind == BALL; k++) {
        if (s->body[k].kind != BALL)
            continue;
        double sum = 0;
        for (int m = 0; m < 3; m++)
            sum += pow(p->body[i].position[m] - p->body[k].position[m], 2);
        deeper(s, p->t, sqrt(sum) - b->size[0] - s->body[k].size[0], "balls", i, k);
    }
}

static double length(const double x[3]) { return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]); }

static bl_status on_sample(void *user, const bl_sample *p) {
    scene *s = user;
    double energy = p->kinetic + p->potential, momentum[3] = {0}, mass = 0;
    bool first = s->samples++ == 0;
    for (int i = 0; i < s->n; i++) {
        const body *b = &s->body[i];
        double reach = b->kind == BOX ? length(b->size) : b->size[0];
        s->fastest = fmax(s->fastest, length(p->body[i].velocity) + reach * length(p->body[i].angular_velocity));
        s->spin = fmax(s->spin, b->kind == BALL || s->dim == 2 ? 0 : length(p->body[i].angular_velocity));
        mass += b->mass;
        for (int k = 0; k < 3; k++)
            momentum[k] += b->mass * p->body[i].velocity[k];
    }
    if (first) {
        s->start = s->highest = energy;
        memcpy(s->begun, momentum, sizeof momentum);
    }
    for (int i = 0; i < s->n; i++)
        body_inside(s, p, i);
    s->highest = fmax(s->highest, energy);
    s->unbalanced = fmax(s->unbalanced, fabs(p->energy_error));
    s->drift = fmax(s->drift, p->drift);
    double step = p->t - s->t;
    for (int k = 0; k < 3; k++) { /* the force of the ground is the mean over the step that ends here; contact 1 is the room */
        s->given[k] += first ? 0 : step * p->contact[1].total[k];
        double off = momentum[k] - s->begun[k] - s->given[k] + (k == 1 ? mass * G * p->t : 0);
        s->off = fmax(s->off, fabs(off));
    }
    s->t = p->t;
    return BL_OK;
}

static bl_context *running;

static void on_alarm(int signal) {
    (void)signal;
    if (running)
        bl_context_stop(running);
}

static void run(scene *s) {
    bl_context *ctx = running = test_context(NULL);
    bl_model *model = NULL;
    bl_sink sink = {.user = s, .sample = on_sample};
    struct itimerval timer = {.it_value = {.tv_sec = MOST_SECONDS}}, none = {.it_value = {.tv_sec = 0}};
    s->status = bl_model_read_text(ctx, "scene.yaml", s->text, s->used, NULL, 0, &model);
    signal(SIGVTALRM, on_alarm);
    setitimer(ITIMER_VIRTUAL, &timer, NULL);
    if (s->status == BL_OK)
        s->status = bl_simulate(ctx, model, &(bl_run_options){.coordinates = s->coordinates, .every_step = true}, &sink, 1, &s->summary);
    setitimer(ITIMER_VIRTUAL, &none, NULL);
    running = NULL;
    s->error = *bl_context_error(ctx);
    bl_model_destroy(model);
    test_context_end(ctx);
}

typedef struct counts {
    int bad;
    double inside, gained, balance, turning, mechanism, momentum, drift;
} counts;

static void complain(const scene *s, const char *what, double much, uint64_t seed, counts *c) {
    if (c->bad++ < 5 || getenv("BIELA_VERBOSE"))
        printf("%s: %.3g (scene of seed %llu, %s, h = %g)\n%s\n", what, much, (unsigned long long)seed, s->coordinates, s->h,
               getenv("BIELA_VERBOSE") ? "" : s->text);
    fflush(stdout);
}

/* Overlap at the end of a step: a contact that bounces is found inside at a mid point, after a step with the velocity of approach at most,
 * of two bodies at 2 v; one that does not closes at the end. Turning bends the way of a corner by w^2 h^2 r / 2, less than that. What is
 * left is removed beyond twice the limit of overlap. */
static void judge(const scene *s, uint64_t seed, counts *c) {
    double allowed = 2 * s->h * s->fastest + 3e-4 * s->size, size = 1 + fabs(s->start), lift = 0;
    if (s->status != BL_OK) {
        char text[400];
        snprintf(text, sizeof text, s->status == BL_STOPPED ? "the run hangs" : "ends early: %.300s", s->error.what);
        complain(s, text, s->t, seed, c);
        return;
    }
    for (int i = 0; i < s->n; i++)
        lift += s->body[i].mass * G * allowed; /* what is inside is lifted out */
    c->inside = fmax(c->inside, s->deepest / allowed);
    if (!(s->deepest <= allowed))
        complain(s, s->part, s->deepest / allowed, seed, c);
    /* free bodies: exact, but for what separation lifts, and turning in space; mechanisms: the first order of the step */
    double more = (s->highest - s->start) / size, most = s->chain ? 20 * s->h : 1e-9 + lift / size + 0.5 * s->h * s->h * s->spin * s->spin;
    if (!s->gains)
        c->gained = fmax(c->gained, more / most);
    if (!s->gains && !(more <= most))
        complain(s, "energy gained", more, seed, c);
    /* in space the rotation of a box by itself keeps its energy to the second order */
    double by = s->chain ? s->h : s->spin > 0 ? s->h * s->h * s->spin * s->spin : 1, error = s->unbalanced / size / by;
    double *balance = s->chain ? &c->mechanism : s->spin > 0 ? &c->turning : &c->balance;
    *balance = fmax(*balance, error);
    if (!(error < (s->chain ? 50 : s->spin > 0 ? 0.5 : 1e-9)))
        complain(s, "balance of energy", s->unbalanced, seed, c);
    if (!s->chain) {
        c->momentum = fmax(c->momentum, s->off);
        if (!(s->off < 1e-9))
            complain(s, "momentum", s->off, seed, c);
    }
    c->drift = fmax(c->drift, s->drift);
    if (!(s->drift < 1e-7))
        complain(s, "drift", s->drift, seed, c);
}

static void scenes__keep_apart_and_gain_no_energy(void **state) {
    (void)state;
    counts c = {0};
    static scene s;
    uint64_t seed = test_seed(21);
    const char *count = getenv("BIELA_SCENES"), *only = getenv("BIELA_SCENE");
    int n = count ? atoi(count) : STEPPING_SCENES;
    for (int k = 0; k < (only ? 1 : n); k++) {
        uint64_t own = only ? strtoull(only, NULL, 10) : seed * 100000 + (uint64_t)k;
        test_random r = {own};
        make_scene(&s, &r);
        if (only)
            printf("%s", s.text);
        run(&s);
        judge(&s, own, &c);
    }
    printf("%d scenes, %d bad; of what is allowed: overlap %.2g, energy %.2g; balance %.2g, of boxes in space %.2g (h w)^2, "
           "with mechanisms %.2g h, momentum %.2g, drift %.2g\n",
           n, c.bad, c.inside, c.gained, c.balance, c.turning, c.mechanism, c.momentum, c.drift);
    assert_int_equal(c.bad, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(scenes__keep_apart_and_gain_no_energy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
