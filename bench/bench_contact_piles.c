/* The piles of contact_peers.hpp by time stepping: 1000 spheres in an open box, a wall of 500 bricks.
 *
 *     bench_contact_piles [spheres|wall [SWEEPS STEPS_PER_SECOND]]
 *
 * CSV as of the other programs (piles): CPU time of steps, penetration, momentum error, kinetic energy, creep, largest fall. */
#include "base/vector3.h"
#include "contact/contact.h"
#include "stepping/stepping.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 1001, SHAPES = MOST + 5 };
static const double GRAVITY = 9.81, UNTIL = 2, PI = 3.14159265358979323846;

typedef struct pile {
    const char *name;
    double friction;
    bl_index nbody, nshape;
    bl_stepping_body body[MOST]; /* the first is the ground */
    bl_contact_shape shape[SHAPES];
} pile;

static const bl_contact_frame same = {{0, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void begin(pile *p, const char *name, double friction) {
    memset(p, 0, sizeof *p);
    p->name = name;
    p->friction = friction;
    p->body[p->nbody++].turn[0] = 1;
}

static void add(pile *p, double mass, const double inertia[3], const double at[3], bl_contact_shape shape) {
    shape.body = p->nbody;
    shape.frame = same;
    p->shape[p->nshape++] = shape;
    p->body[p->nbody++] =
        (bl_stepping_body){.mass = mass, .inertia = {inertia[0], inertia[1], inertia[2]}, .at = {at[0], at[1], at[2]}, .turn = {1}};
}

/* through a point, normal along an axis */
static void add_plane(pile *p, int axis, double sign, double at) {
    bl_contact_shape s = {.what = BL_CONTACT_PLANE};
    double *e = s.frame.axes;
    e[6 + axis] = sign;
    e[(axis + 1) % 3] = 1;
    cross3(e + 6, e, e + 3);
    s.frame.at[axis] = at;
    p->shape[p->nshape++] = s;
}

static void make_spheres(pile *p) {
    const double r = 0.05, mass = 1000 * 4.0 / 3 * PI * r * r * r, J = 0.4 * mass * r * r;
    begin(p, "spheres", 0.3);
    for (int k = 0; k < 1000; k++) {
        const double at[3] = {0.11 * (k % 10 - 4.5) + 0.004 * sin(1.7 * (k + 1)), 0.06 + 0.11 * (k / 100),
                              0.11 * (k / 10 % 10 - 4.5) + 0.004 * sin(2.3 * (k + 1))};
        add(p, mass, (const double[3]){J, J, J}, at, (bl_contact_shape){.what = BL_CONTACT_SPHERE, .radius = r});
    }
    add_plane(p, 1, 1, 0);
    for (int side = -1; side <= 1; side += 2) {
        add_plane(p, 0, -side, 0.6 * side);
        add_plane(p, 2, -side, 0.6 * side);
    }
}

static void make_wall(pile *p) {
    const double h[3] = {0.2, 0.1, 0.1}, mass = 1000 * 8 * h[0] * h[1] * h[2];
    const double J[3] = {mass * (h[1] * h[1] + h[2] * h[2]) / 3, mass * (h[0] * h[0] + h[2] * h[2]) / 3,
                         mass * (h[0] * h[0] + h[1] * h[1]) / 3};
    begin(p, "wall", 0.5);
    for (int row = 0; row < 20; row++)
        for (int i = 0; i < 25; i++) {
            const double at[3] = {0.4 * (i - 12) + (row % 2 ? 0.1 : 0), 0.1 + 0.2 * row, 0};
            add(p, mass, J, at, (bl_contact_shape){.what = BL_CONTACT_BOX, .half = {h[0], h[1], h[2]}});
        }
    add_plane(p, 1, 1, 0);
}

/* of the present positions */
static double deepest(const bl_stepping *s) {
    double most = 0;
    for (bl_index k = 0; k < s->sweep.npair; k++) {
        bl_contact_solid solid[2];
        bl_contact_point point[BL_CONTACT_POINTS];
        const bl_index which[2] = {s->sweep.pair[k].one, s->sweep.pair[k].other};
        for (int i = 0; i < 2; i++) {
            const bl_contact_shape *shape = s->scene.shape + which[i];
            const double *q = s->turn[shape->body], w = q[0], x = q[1], y = q[2], z = q[3];
            const bl_contact_frame body = {{s->at[shape->body][0], s->at[shape->body][1], s->at[shape->body][2]},
                                           {1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y), 2 * (x * y - w * z),
                                            1 - 2 * (x * x + z * z), 2 * (y * z + w * x), 2 * (x * z + w * y), 2 * (y * z - w * x),
                                            1 - 2 * (x * x + y * y)}};
            solid[i].shape = shape;
            bl_contact_place(&body, &shape->frame, &solid[i].frame);
        }
        int n = bl_contact_points(&solid[0], &solid[1], 0, point);
        for (int i = 0; i < n; i++)
            most = fmax(most, -point[i].gap);
    }
    return most;
}

static void check(bl_context *ctx, bl_status status) {
    if (status == BL_OK)
        return;
    fprintf(stderr, "bench_contact_piles: %s\n", bl_context_error(ctx)->what);
    exit(1);
}

static void run(bl_context *ctx, const pile *p, int sweeps, double h) {
    static double before[MOST][3];
    const bl_stepping_law law = {.friction = p->friction};
    const bl_stepping_scene scene = {.gravity = {0, -GRAVITY, 0},
                                     .nbody = p->nbody,
                                     .nshape = p->nshape,
                                     .ngroup = 1,
                                     .nlaw = 1,
                                     .body = p->body,
                                     .shape = p->shape,
                                     .law = &law};
    bl_stepping s = {0};
    check(ctx, bl_stepping_create(ctx, &scene, &(bl_stepping_options){.sweeps = sweeps}, &s));
    long n = lround(UNTIL / h), from = lround(1.5 / h);
    double weight = 0, lifted = 0, penetration = 0, creep = 0, fallen = 0, momentum = 0, spent = 0, slowest = 0, kinetic;
    for (bl_index i = 1; i < p->nbody; i++)
        weight += GRAVITY * p->body[i].mass;
    for (long k = 1; k <= n; k++) {
        double start = now();
        check(ctx, bl_stepping_step(&s, h));
        double used = now() - start;
        spent += used;
        slowest = fmax(slowest, used);
        for (bl_index i = 0; i < s.ncontact; i++) {
            double impulse[3];
            if (s.contact[i].body[0] != 0 && s.contact[i].body[1] != 0)
                continue;
            bl_cone_contact_impulse(s.contact + i, s.P[i], impulse);
            lifted += s.contact[i].body[0] == 0 ? impulse[1] : -impulse[1];
        }
        if (k == from)
            memcpy(before, s.at, (size_t)p->nbody * sizeof *before);
        if (k > from && k % 8 == 0)
            penetration = fmax(penetration, deepest(&s));
    }
    for (bl_index i = 1; i < p->nbody; i++) {
        const double d[3] = {s.at[i][0] - before[i][0], s.at[i][1] - before[i][1], s.at[i][2] - before[i][2]};
        momentum += p->body[i].mass * s.v[i][1];
        creep = fmax(creep, norm3(d));
        fallen = fmax(fallen, p->body[i].at[1] - s.at[i][1]);
    }
    bl_stepping_energy(&s, &kinetic);
    double t = h * (double)n;
    printf("%s,biela,%d sweeps,%.4g,%.3g,%.3f,%.3f,%.3g,%.3g,%.3g,%.3g,%.3g\n", p->name, sweeps, h, t, 1e3 * spent / (double)n,
           1e3 * slowest, penetration, (lifted - momentum) / (weight * t) - 1, kinetic, creep, fallen);
    fflush(stdout);
    if (getenv("PILES_STATS"))
        fprintf(stderr, "sweeps per step %.1f, contacts %.0f, separated %ld, rebuilt %ld, largest overlap %.3g\n",
                (double)s.stats.sweeps / (double)n, (double)s.stats.contacts / (double)n, s.stats.separated, (long)s.sweep.rebuilt,
                s.stats.largest_overlap);
    bl_stepping_destroy(&s);
}

int main(int argc, char **argv) {
    static pile p;
    static const struct {
        int sweeps;
        double rate;
    } with[] = {{10, 240}, {20, 240}, {50, 240}, {10, 500}, {20, 500}, {10, 1000}, {20, 1000}};
    bl_context *ctx;
    if (bl_context_create(NULL, &ctx) != BL_OK)
        return 1;
    for (int which = 0; which < 2; which++) {
        if (argc > 1 && strcmp(argv[1], which ? "wall" : "spheres") != 0)
            continue;
        (which ? make_wall : make_spheres)(&p);
        if (argc > 3)
            run(ctx, &p, atoi(argv[2]), 1 / strtod(argv[3], NULL));
        for (size_t k = 0; k < sizeof with / sizeof *with && argc <= 3; k++)
            run(ctx, &p, with[k].sweeps, 1 / with[k].rate);
    }
    bl_context_destroy(ctx);
    return 0;
}
