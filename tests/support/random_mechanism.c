/* See random_mechanism.h. */
#include "support/random_mechanism.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_BODIES = 5, MOST_VARIABLES = 24 };

typedef struct writer {
    test_random *random;
    char *text;
    size_t room, used;
    int dim, nbody, njoint, nvariable, nangle;
    double at[MOST_BODIES + 1][3];
    char variable[MOST_VARIABLES][24];
    bool angle[MOST_VARIABLES];
} writer;

static void put(writer *w, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(w->text + w->used, w->room - w->used, format, args);
    va_end(args);
    w->used += n > 0 ? (size_t)n : 0;
}

static bool chance(writer *w, double share) { return test_random_unit(w->random) < share; }

static void point(writer *w, const double *p) { put(w, w->dim == 3 ? "[%.6f, %.6f, %.6f]" : "[%.6f, %.6f]", p[0], p[1], p[2]); }

static void direction(writer *w) {
    double u[3];
    for (int k = 0; k < 3; k++)
        u[k] = test_random_symmetric(w->random);
    u[test_random_below(w->random, w->dim)] += 1.5;
    point(w, u);
}

static void variable(writer *w, int joint, const char *name, bool angle) {
    if (w->nvariable == MOST_VARIABLES)
        return;
    snprintf(w->variable[w->nvariable], sizeof w->variable[0], "j%d.%s", joint, name);
    w->angle[w->nvariable++] = angle;
}

static void body_name(writer *w, int body) { put(w, body ? "b%d" : "ground", body); }

/* a joint at a point between the two bodies, or near the second */
static void joint(writer *w, int a, int b, const char *type, bool apart) {
    int j = w->njoint++;
    double p[3], q[3];
    double share = test_random_unit(w->random);
    for (int k = 0; k < 3; k++) {
        p[k] = k < w->dim ? w->at[b][k] + (a ? share : 0.3) * (w->at[a][k] - w->at[b][k]) + 0.2 * test_random_symmetric(w->random) : 0;
        q[k] = p[k] + (k < w->dim ? 0.05 * test_random_symmetric(w->random) : 0);
    }
    put(w, "  - {name: j%d, type: %s, bodies: [", j, type);
    body_name(w, a);
    put(w, ", ");
    body_name(w, b);
    put(w, "], at: ");
    point(w, p);
    bool is_rod = !strcmp(type, "rod"), plain = !strcmp(type, "spherical") || !strcmp(type, "fixed");
    bool has_at_b = strncmp(type, "point_on", 8) != 0 && !is_rod;
    if (is_rod) {
        for (int k = 0; k < w->dim; k++)
            q[k] = w->at[b][k] + 0.2 * test_random_symmetric(w->random) + (k == 0);
        put(w, ", to: ");
        point(w, q);
    }
    if (apart && has_at_b) {
        put(w, ", at_b: ");
        point(w, q);
    }
    bool axis = !plain && !is_rod && (w->dim == 3 || strcmp(type, "revolute") != 0);
    if (axis) {
        put(w, ", axis: ");
        direction(w);
    }
    if (!strcmp(type, "screw"))
        put(w, ", pitch: %.3f", 0.1 + test_random_unit(w->random));
    if (!strcmp(type, "spherical") && chance(w, 0.3)) {
        put(w, ", angles: true");
        variable(w, j, "angle1", true), variable(w, j, "angle2", true), variable(w, j, "angle3", true);
    }
    put(w, "}\n");
    if (!strcmp(type, "universal"))
        variable(w, j, "angle1", true), variable(w, j, "angle2", true);
    if (!strcmp(type, "revolute") || !strcmp(type, "cylindrical") || !strcmp(type, "screw") || !strcmp(type, "planar"))
        variable(w, j, "angle", true);
    if (!strcmp(type, "prismatic") || !strcmp(type, "cylindrical") || !strcmp(type, "point_on_line"))
        variable(w, j, "distance", false);
}

static const char *pick(writer *w, const char *const *from, int n) { return from[test_random_below(w->random, n)]; }

static void bodies(writer *w) {
    put(w, "bodies:\n");
    for (int b = 1; b <= w->nbody; b++) {
        for (int k = 0; k < 3; k++)
            w->at[b][k] = k < w->dim ? 0.7 * b * (k == 0) + test_random_symmetric(w->random) : 0;
        put(w, "  - {name: b%d, mass: %.4f, box: {center: ", b, 0.2 + 2 * test_random_unit(w->random));
        point(w, w->at[b]);
        put(w, w->dim == 3 ? ", size: [%.3f, %.3f, %.3f]}}\n" : ", size: [%.3f, %.3f]}}\n", 0.2 + test_random_unit(w->random),
            0.2 + test_random_unit(w->random), 0.2 + test_random_unit(w->random));
    }
}

static void joints(writer *w) {
    static const char *const plane[] = {"revolute", "revolute", "prismatic", "point_on_line", "fixed"};
    static const char *const space[] = {"revolute", "revolute",      "prismatic",      "cylindrical", "universal", "planar",
                                        "screw",    "point_on_line", "point_on_plane", "spherical",   "fixed"};
    /* the first ones leave most of the degrees of freedom, and are taken more often */
    static const char *const plane_loop[] = {"rod", "point_on_line", "revolute", "fixed", "prismatic"};
    static const char *const space_loop[] = {"rod",   "point_on_plane", "point_on_line", "spherical",   "fixed",    "revolute",
                                             "screw", "universal",      "planar",        "cylindrical", "prismatic"};
    int loops = test_random_below(w->random, 3);
    put(w, "joints:\n");
    for (int b = 1; b <= w->nbody; b++) {
        int a = test_random_below(w->random, b);
        bool swap = a > 0 && chance(w, 0.3);
        const char *type = w->dim == 2 ? pick(w, plane, 5) : pick(w, space, 11);
        joint(w, swap ? b : a, swap ? a : b, type, chance(w, 0.08));
    }
    for (; loops > 0 && w->nbody > 1; loops--) {
        int b = 1 + test_random_below(w->random, w->nbody), a = test_random_below(w->random, w->nbody + 1);
        if (a != b)
            joint(w, a, b, w->dim == 2 ? pick(w, plane_loop, chance(w, 0.7) ? 3 : 5) : pick(w, space_loop, chance(w, 0.7) ? 4 : 11), false);
    }
    if (w->nvariable > 1 && chance(w, 0.15)) {
        int a = test_random_below(w->random, w->nvariable), b = test_random_below(w->random, w->nvariable);
        if (a != b)
            put(w, "  - {name: g, type: gear, first: %s, second: %s, ratio: %.3f}\n", w->variable[a], w->variable[b],
                1.5 * test_random_symmetric(w->random) + 0.01);
    }
}

static void number(writer *w, double value) { put(w, chance(w, 0.25) ? "{value: %.4f, guess: true}" : "%.4f", value); }

static void initial(writer *w) {
    int driven = w->nvariable && chance(w, 0.12) ? test_random_below(w->random, w->nvariable) : -1;
    if (driven >= 0)
        put(w, "drivers: [{variable: %s, value: \"=%.3f*t\"}]\n", w->variable[driven], 2 * test_random_symmetric(w->random));
    put(w, "initial:\n");
    size_t begin = w->used;
    for (int v = 0; v < w->nvariable; v++) {
        if (v == driven)
            continue;
        if (chance(w, 0.2)) {
            put(w, "  %s: ", w->variable[v]);
            number(w, w->angle[v] && chance(w, 0.3) ? 9 * test_random_symmetric(w->random) : 0.25 * test_random_symmetric(w->random));
            put(w, "\n");
        }
        if (chance(w, 0.3)) {
            put(w, "  %s_rate: ", w->variable[v]);
            number(w, 3 * test_random_symmetric(w->random));
            put(w, "\n");
        }
    }
    int body = 1 + test_random_below(w->random, w->nbody);
    if (chance(w, 0.2)) {
        double u[3] = {test_random_symmetric(w->random), test_random_symmetric(w->random), test_random_symmetric(w->random)};
        put(w, "  b%d: {velocity: ", body);
        point(w, u);
        put(w, chance(w, 0.5) ? ", guess: true}\n" : "}\n");
    }
    if (w->used == begin)
        put(w, "  {}\n");
}

size_t random_mechanism(test_random *random, char *text, size_t room) {
    writer w = {.random = random, .text = text, .room = room, .dim = 2 + test_random_below(random, 2)};
    w.nbody = 1 + test_random_below(random, MOST_BODIES);
    put(&w, w.dim == 2 ? "dimension: 2\ngravity: [0, -9.81]\n" : "gravity: [0, 0, -9.81]\n");
    bodies(&w);
    joints(&w);
    initial(&w);
    return w.used;
}
