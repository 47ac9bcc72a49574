/* Random scenes with contacts in the plane: discs, boxes and rods, free or in chains, stops, a floor and walls, every restitution and
 * friction. Whatever happens: nothing enters anything, no energy is gained, the run ends in time, or early with a reason. */
#include "biela/biela.h"
#include "support/testing.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#ifndef CONTACT_SCENES
#define CONTACT_SCENES (TEST_SANITIZED ? 10 : 60)
#endif

enum { BODIES = 6, MOST_SECONDS = TEST_SANITIZED ? 100 : 5 };

static const double TOLERANCE = 1e-8, INSIDE = 1e-5, GAINED = 1e-5, WALL = 3;

typedef enum kind { DISC, BOX, ROD } kind;
typedef struct body {
    kind kind;
    double x, y, angle, size[2]; /* radius; edges; length, radius */
    bool free, walls;
} body;

typedef struct scene {
    char text[16384];
    size_t used;
    int n, stops;
    body body[BODIES];
    double lower[BODIES], upper[BODIES]; /* of the angle of joint i */
    const char *coordinates;
    /* of the run */
    bl_status status;
    bl_error error;
    double start, highest, deepest, deepest_at, t, highest_at;
    char deepest_part[64], warning[400];
} scene;

/* ---- the text */

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

static const char *coefficients(test_random *r) {
    static char text[128];
    static const double friction[] = {0, 0.3, 1};
    static const double restitution[] = {0, 0.5, 1};
    int e = test_random_below(r, 4), f = test_random_below(r, 3);
    int n = snprintf(text, sizeof text, "restitution: %.3f, friction: %g", e < 3 ? restitution[e] : test_random_unit(r), friction[f]);
    if (f > 0 && test_random_below(r, 3) == 0)
        snprintf(text + n, sizeof text - (size_t)n, ", static: %g", 1.2 * friction[f]);
    return text;
}

static void shape(scene *s, const body *b) {
    double c = 0.5 * b->size[0] * cos(b->angle), h = 0.5 * b->size[0] * sin(b->angle);
    if (b->kind == DISC)
        add(s, "{sphere: {at: [%.17g, %.17g], radius: %.17g}}", b->x, b->y, b->size[0]);
    else if (b->kind == BOX)
        add(s, "{box: {at: [%.17g, %.17g], size: [%.17g, %.17g], angle: %.17g}}", b->x, b->y, b->size[0], b->size[1], b->angle);
    else
        add(s, "{capsule: {from: [%.17g, %.17g], to: [%.17g, %.17g], radius: %.17g}}", b->x - c, b->y - h, b->x + c, b->y + h, b->size[1]);
}

static void add_body(scene *s, const body *b, int i) {
    double inertia = b->kind == DISC  ? 0.5 * b->size[0] * b->size[0]
                     : b->kind == BOX ? (b->size[0] * b->size[0] + b->size[1] * b->size[1]) / 12
                                      : b->size[0] * b->size[0] / 12;
    add(s, "  - {name: b%d, center: [%.17g, %.17g], mass: 1, inertia: %.17g}\n", i, b->x, b->y, inertia);
}

static void with_plane(scene *s, test_random *r, int i, const char *name, const char *at, const char *normal) {
    add(s, "  - {name: %s%d, between: [ground, b%d], %s,\n     shapes: [{plane: {at: %s, normal: %s}}, ", name, i, i, coefficients(r), at,
        normal);
    shape(s, &s->body[i]);
    add(s, "]}\n");
}

/* free bodies side by side */
static void make_free(scene *s, test_random *r) {
    for (int i = 0; i < s->n; i++) {
        body *b = &s->body[i];
        *b = (body){.kind = (kind)test_random_below(r, 3), .free = true, .walls = test_random_below(r, 2)};
        b->size[0] = b->kind == DISC ? between(r, 0.1, 0.25) : between(r, 0.2, 0.5);
        b->size[1] = b->kind == ROD ? 0.02 * test_random_below(r, 2) : between(r, 0.1, 0.4);
        b->x = 0.8 * (i - 0.5 * (s->n - 1));
        b->angle = b->kind == DISC ? 0 : test_random_below(r, 3) ? between(r, -1.5, 1.5) : 0;
        b->y = b->kind == DISC                   ? b->size[0]
               : b->kind == BOX && b->angle == 0 ? 0.5 * b->size[1]
               : b->kind == ROD && b->angle == 0 ? b->size[1]
                                                 : 0.4;
        b->y += test_random_below(r, 3) ? between(r, 0, 0.6) : 0;
    }
}

/* a chain of rods from the ground */
static void make_chain(scene *s, test_random *r) {
    double x = 0, y = between(r, 0.5, 1.5);
    add(s, "joints:\n");
    for (int i = 0; i < s->n; i++) {
        body *b = &s->body[i];
        *b = (body){.kind = ROD, .size = {between(r, 0.3, 0.8), 0}};
        do
            b->angle = between(r, -3.1, 3.1);
        while (y + b->size[0] * sin(b->angle) < 0.05);
        char before[16] = "ground";
        if (i > 0)
            snprintf(before, sizeof before, "b%d", i - 1);
        add(s, "  - {name: j%d, type: revolute, bodies: [%s, b%d], at: [%.17g, %.17g]", i, before, i, x, y);
        s->lower[i] = -INFINITY, s->upper[i] = INFINITY;
        if (test_random_below(r, 3) == 0) {
            s->lower[i] = -between(r, 0, 1);
            s->upper[i] = between(r, 0, 1);
            add(s, ", lower: %.17g, upper: %.17g, restitution: %.3f", s->lower[i], s->upper[i],
                test_random_below(r, 2) ? test_random_unit(r) : 0.5 * test_random_below(r, 3));
        }
        add(s, "}\n");
        b->x = x + 0.5 * b->size[0] * cos(b->angle);
        b->y = y + 0.5 * b->size[0] * sin(b->angle);
        x += b->size[0] * cos(b->angle);
        y += b->size[0] * sin(b->angle);
    }
}

static void make_contacts(scene *s, test_random *r) {
    char left[32], right[32];
    snprintf(left, sizeof left, "[%g, 0]", -WALL);
    snprintf(right, sizeof right, "[%g, 0]", WALL);
    add(s, "contacts:\n");
    for (int i = 0; i < s->n; i++) {
        with_plane(s, r, i, "floor", "[0, 0]", "[0, 1]");
        if (s->body[i].walls) {
            with_plane(s, r, i, "left", left, "[1, 0]");
            with_plane(s, r, i, "right", right, "[-1, 0]");
        }
        for (int k = 0; k < i; k++)
            if (s->body[i].kind == DISC && s->body[k].kind == DISC) {
                add(s, "  - {name: d%d%d, between: [b%d, b%d], %s, shapes: [", k, i, k, i, coefficients(r));
                shape(s, &s->body[k]);
                add(s, ", ");
                shape(s, &s->body[i]);
                add(s, "]}\n");
            }
    }
}

static void make_scene(scene *s, test_random *r) {
    static const char *const kinds[] = {"natural", "mixed", "reference", "relative"};
    memset(s, 0, sizeof *s);
    bool chain = test_random_below(r, 3) == 0;
    s->coordinates = kinds[test_random_below(r, 4)];
    s->n = 1 + test_random_below(r, chain ? 3 : 4);
    add(s, "dimension: 2\ngravity: [0, -9.81]\n");
    if (chain)
        make_chain(s, r);
    else
        make_free(s, r);
    add(s, "bodies:\n");
    for (int i = 0; i < s->n; i++)
        add_body(s, &s->body[i], i);
    make_contacts(s, r);
    add(s, "initial:\n");
    for (int i = 0; i < s->n; i++)
        if (chain)
            add(s, "  j%d.rate: %.17g\n", i, between(r, -5, 5));
        else
            add(s, "  b%d: {velocity: [%.17g, %.17g], angular_velocity: %.17g}\n", i, between(r, -3, 3), between(r, -2, 2),
                between(r, -5, 5));
    add(s, "simulate: {until: 1}\n");
}

/* ---- what happens */

static void deeper(scene *s, double t, double gap, const char *part, int i, int k) {
    if (!(-gap > s->deepest))
        return;
    s->deepest = -gap;
    s->deepest_at = t;
    snprintf(s->deepest_part, sizeof s->deepest_part, "%s %d %d", part, i, k);
}

static void point_inside(scene *s, double t, int i, double x, double y, double radius) {
    deeper(s, t, y - radius, "floor", i, 0);
    if (s->body[i].walls)
        deeper(s, t, WALL - radius - fabs(x), "wall", i, 0);
}

static bl_status on_sample(void *user, const bl_sample *p) {
    scene *s = user;
    double energy = p->kinetic + p->potential;
    if (p->t == 0)
        s->start = s->highest = energy;
    if (energy > s->highest) {
        s->highest = energy;
        s->highest_at = p->t;
    }
    s->t = p->t;
    for (int i = 0; i < s->n; i++) {
        const body *b = &s->body[i];
        const bl_pose *q = &p->body[i];
        double angle = b->angle + 2 * atan2(q->quaternion[3], q->quaternion[0]), c = cos(angle), h = sin(angle);
        for (int e = 0; e < (b->kind == DISC ? 1 : b->kind == BOX ? 4 : 2); e++) {
            double along = b->kind == DISC ? 0 : (e & 1 ? 0.5 : -0.5) * b->size[0];
            double across = b->kind == BOX ? (e & 2 ? 0.5 : -0.5) * b->size[1] : 0;
            double radius = b->kind == DISC ? b->size[0] : b->kind == ROD ? b->size[1] : 0;
            point_inside(s, p->t, i, q->position[0] + c * along - h * across, q->position[1] + h * along + c * across, radius);
        }
        for (int k = 0; k < i && b->kind == DISC; k++)
            if (s->body[k].kind == DISC)
                deeper(s, p->t,
                       hypot(q->position[0] - p->body[k].position[0], q->position[1] - p->body[k].position[1]) - b->size[0] -
                           s->body[k].size[0],
                       "discs", i, k);
        if (s->lower[i] < s->upper[i]) {
            deeper(s, p->t, p->variable[i] - s->lower[i], "lower", i, 0);
            deeper(s, p->t, s->upper[i] - p->variable[i], "upper", i, 0);
        }
    }
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
    signal(SIGVTALRM, on_alarm); /* it may be reset by each signal */
    setitimer(ITIMER_VIRTUAL, &timer, NULL);
    if (s->status == BL_OK)
        s->status = bl_simulate(ctx, model, &(bl_run_options){.coordinates = s->coordinates, .tolerance = TOLERANCE, .every = 0.01}, &sink,
                                1, NULL);
    setitimer(ITIMER_VIRTUAL, &none, NULL);
    running = NULL;
    s->error = *bl_context_error(ctx);
    const bl_warning *warning;
    if (bl_context_warnings(ctx, &warning, NULL) > 0)
        snprintf(s->warning, sizeof s->warning, "%s", warning[0].text);
    bl_model_destroy(model);
    test_context_end(ctx);
}

typedef struct counts {
    int bad, early, painleve, slow;
} counts;

static void complain(const scene *s, const char *what, double much, uint64_t seed, counts *c) {
    if (c->bad++ < 5 || getenv("BIELA_VERBOSE"))
        printf("%s: %.3g (scene of seed %llu, %s)\n%s\n", what, much, (unsigned long long)seed, s->coordinates,
               getenv("BIELA_VERBOSE") ? "" : s->text);
    fflush(stdout);
}

static void judge(const scene *s, uint64_t seed, counts *c) {
    char text[512];
    double size = 1 + fabs(s->start);
    if (s->status == BL_STOPPED && strstr(s->text, "restitution: 1.000"))
        c->slow++; /* what loses nothing may bounce in ever shorter flights */
    else if (s->status == BL_STOPPED)
        complain(s, "the run hangs", s->t, seed, c);
    else if (s->status == BL_E_NUMERIC && s->error.what[0] && s->error.advice[0]) {
        c->early++;
        c->painleve += strstr(s->error.what, "Painleve") != NULL;
        if (!strstr(s->error.what, "Painleve")) {
            snprintf(text, sizeof text, "ends early: %.400s", s->error.what);
            complain(s, text, s->t, seed, c);
        }
    } else if (s->status != BL_OK) {
        snprintf(text, sizeof text, "status %d: %.400s", (int)s->status, s->error.what);
        complain(s, text, s->t, seed, c);
    }
    if (s->deepest > INSIDE) {
        snprintf(text, sizeof text, "%s enter at %.4f", s->deepest_part, s->deepest_at);
        complain(s, text, s->deepest, seed, c);
    } else if (s->highest > s->start + GAINED * size) {
        snprintf(text, sizeof text, "energy gained until %.4f (%s)", s->highest_at, s->warning);
        complain(s, text, s->highest - s->start, seed, c);
    }
}

static void scenes__keep_apart_and_gain_no_energy(void **state) {
    (void)state;
    counts c = {0, 0, 0, 0};
    static scene s;
    uint64_t seed = test_seed(20);
    const char *count = getenv("BIELA_SCENES"), *only = getenv("BIELA_SCENE");
    int n = count ? atoi(count) : CONTACT_SCENES;
    for (int k = 0; k < (only ? 1 : n); k++) {
        uint64_t own = only ? strtoull(only, NULL, 10) : seed * 100000 + (uint64_t)k;
        test_random r = {own};
        make_scene(&s, &r);
        if (only)
            printf("%s", s.text);
        run(&s);
        judge(&s, own, &c);
    }
    printf("%d scenes, %d ended early, %d of them because nothing can slide so; %d slow, %d bad\n", n, c.early, c.painleve, c.slow, c.bad);
    assert_int_equal(c.bad, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(scenes__keep_apart_and_gain_no_energy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
