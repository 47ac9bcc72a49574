/* See random_model.h. */
#include "random_model.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

const char *const shape_name[SHAPES] = {"chain", "tree", "ladder", "loops"};

enum { MOST = 400 };

typedef struct writer {
    uint64_t state;
    random_model *m;
    char *text;
    size_t room, used;
    double from[MOST][3], to[MOST][3]; /* ends of the rods */
    int njoint;
    bool turns; /* the first joint is a hinge */
} writer;

/* splitmix64: Steele, Lea and Flood, Fast splittable pseudorandom number generators, OOPSLA 2014 */
static uint64_t draw(writer *w) {
    uint64_t z = w->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static double unit(writer *w) { return (double)(draw(w) >> 11) * 0x1p-53; }
static double symmetric(writer *w) { return 2 * unit(w) - 1; }
static int below(writer *w, int n) { return (int)(draw(w) % (uint64_t)n); }

static void put(writer *w, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int n = vsnprintf(w->text + w->used, w->used < w->room ? w->room - w->used : 0, format, args);
    va_end(args);
    w->used += n > 0 ? (size_t)n : 0;
}

static void point(writer *w, const double *p) { put(w, w->m->dim == 3 ? "[%.6f, %.6f, %.6f]" : "[%.6f, %.6f]", p[0], p[1], p[2]); }

static void direction(writer *w, double *u) {
    double size = 0;
    for (int k = 0; k < 3; k++) {
        u[k] = k < w->m->dim ? symmetric(w) : 0;
        size += u[k] * u[k];
    }
    size = sqrt(size);
    u[0] += size < 0.1;
    for (int k = 0; k < 3; k++)
        u[k] /= size < 0.1 ? 1 : size;
}

static void body(writer *w, int b) {
    const double *p = w->from[b], *q = w->to[b];
    put(w, "  - {name: b%d, mass: %.4f, box: {center: ", b, 0.3 + unit(w));
    point(w, (double[3]){(p[0] + q[0]) / 2, (p[1] + q[1]) / 2, (p[2] + q[2]) / 2});
    double length = sqrt((q[0] - p[0]) * (q[0] - p[0]) + (q[1] - p[1]) * (q[1] - p[1]) + (q[2] - p[2]) * (q[2] - p[2]));
    if (w->m->dim == 3)
        put(w, ", size: [%.4f, %.4f, %.4f]}}\n", length * (0.3 + 0.7 * unit(w)), length * (0.1 + 0.4 * unit(w)),
            length * (0.1 + 0.4 * unit(w)));
    else
        put(w, ", size: [%.4f, %.4f]}}\n", length * (0.3 + 0.7 * unit(w)), length * (0.1 + 0.4 * unit(w)));
}

static void name(writer *w, int b) { put(w, b ? "b%d" : "ground", b); }

static void joint(writer *w, const char *type, int a, int b, const double *at, bool axis) {
    w->turns = w->turns || (w->njoint == 0 && type[0] == 'r');
    put(w, "  - {name: j%d, type: %s, bodies: [", w->njoint++, type);
    name(w, a);
    put(w, ", ");
    name(w, b);
    put(w, "], at: ");
    point(w, at);
    if (axis && w->m->dim == 3) {
        double u[3];
        direction(w, u);
        put(w, ", axis: ");
        point(w, u);
    }
    put(w, "}\n");
}

/* rods, each connected to its parent: parent[b] < b, 0 is the ground */
static void tree(writer *w, int *parent) {
    random_model *m = w->m;
    bool same_kind = below(w, 2) == 0, balls = below(w, 4) == 0;
    put(w, "bodies:\n");
    for (int b = 1; b <= m->nbody; b++) {
        double u[3], length = 0.3 + 0.7 * unit(w);
        direction(w, u);
        parent[b] = m->shape == CHAIN ? b - 1 : b == 1 ? 0 : below(w, b > 6 ? 6 : b) + (b > 6 ? b - 6 : 0);
        for (int k = 0; k < 3; k++) {
            w->from[b][k] = parent[b] ? w->to[parent[b]][k] : (k < m->dim ? 0.1 * symmetric(w) : 0);
            w->to[b][k] = w->from[b][k] + length * u[k];
        }
        body(w, b);
    }
    put(w, "joints:\n");
    for (int b = 1; b <= m->nbody; b++) {
        int kind = same_kind ? (balls ? 9 : 0) : below(w, 12);
        const char *type = m->dim == 2 || kind < 7 ? "revolute" : kind < 9 ? "universal" : kind < 11 ? "spherical" : "cylindrical";
        joint(w, type, parent[b], b, w->from[b], kind < 9 || kind == 11);
    }
}

/* four-bars side by side between cranks on the ground; in space either all hinges are parallel, which makes constraints redundant, or
 * couplers have spherical and universal joints */
static void ladder(writer *w) {
    random_model *m = w->m;
    int n = (m->nbody - 1) / 2;
    n = n < 1 ? 1 : n;
    m->nbody = 2 * n + 1;
    m->nclosing = n;
    bool redundant = below(w, 3) == 0;
    put(w, "bodies:\n");
    for (int i = 0; i <= n; i++) { /* cranks are the bodies 1 .. n + 1 */
        double *p = w->from[1 + i], *q = w->to[1 + i];
        p[0] = i, p[1] = p[2] = 0;
        q[0] = i + 0.2 * symmetric(w), q[1] = 0.6 + 0.4 * unit(w), q[2] = 0;
        body(w, 1 + i);
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++) {
            w->from[n + 2 + i][k] = w->to[1 + i][k];
            w->to[n + 2 + i][k] = w->to[2 + i][k];
        }
        body(w, n + 2 + i);
    }
    put(w, "joints:\n");
    w->turns = true;
    const char *hinge = m->dim == 3 ? ", axis: [0, 0, 1]" : "";
    for (int i = 0; i <= n; i++) {
        put(w, "  - {name: j%d, type: revolute, bodies: [ground, b%d], at: ", w->njoint++, 1 + i);
        point(w, w->from[1 + i]);
        put(w, "%s}\n", hinge);
    }
    for (int i = 0; i < n; i++)
        for (int end = 0; end < 2; end++) {
            bool ball = m->dim == 3 && !redundant;
            put(w, "  - {name: j%d, type: %s, bodies: [b%d, b%d], at: ", w->njoint++,
                !ball ? "revolute"
                : end ? "spherical"
                      : "universal",
                end ? n + 2 + i : 1 + i, end ? 2 + i : n + 2 + i);
            point(w, end ? w->to[n + 2 + i] : w->from[n + 2 + i]);
            put(w, "%s}\n", ball && end ? "" : hinge);
        }
}

static void rods(writer *w) {
    random_model *m = w->m;
    double share = 0.05 + 0.3 * unit(w);
    for (int b = 4; b <= m->nbody; b++) {
        if (unit(w) > share && !(m->nclosing == 0 && b == m->nbody))
            continue;
        int a = b - 3 - below(w, b - 3 > 4 ? 4 : b - 2);
        if (a < 0)
            a = 0;
        put(w, "  - {name: j%d, type: rod, bodies: [", w->njoint++);
        name(w, a);
        put(w, ", b%d], at: ", b);
        double p[3], q[3];
        for (int k = 0; k < 3; k++) {
            p[k] = k < m->dim ? (a ? (w->from[a][k] + w->to[a][k]) / 2 : symmetric(w)) : 0;
            q[k] = w->to[b][k];
        }
        point(w, p);
        put(w, ", to: ");
        point(w, q);
        put(w, "}\n");
        m->nclosing++;
    }
}

static void springs(writer *w) {
    random_model *m = w->m;
    double share = below(w, 2) ? 0 : unit(w) * 0.5;
    bool begun = false;
    for (int b = 2; b <= m->nbody; b++) {
        if (unit(w) >= share)
            continue;
        if (!begun)
            put(w, "forces:\n");
        begun = true;
        put(w, "  - {name: s%d, type: spring, bodies: [ground, b%d], at: ", b, b);
        double p[3];
        for (int k = 0; k < 3; k++)
            p[k] = k < m->dim ? w->to[b][k] + (k == 1) * (0.5 + unit(w)) : 0;
        point(w, p);
        put(w, ", to: ");
        point(w, w->to[b]);
        put(w, ", stiffness: %.3f, damping: %.4f}\n", 5 + 50 * unit(w), 0.5 * unit(w));
        m->nspring++;
    }
}

size_t random_model_write(uint64_t seed, int most_bodies, random_model *m, char *text, size_t room) {
    writer w = {.state = seed, .m = m, .text = text, .room = room};
    int parent[MOST];
    most_bodies = most_bodies < MOST - 2 ? most_bodies : MOST - 2;
    *m = (random_model){.seed = seed};
    m->shape = (shape)below(&w, SHAPES);
    m->dim = 2 + below(&w, 2);
    m->nbody = (int)floor(exp(unit(&w) * log(most_bodies + 0.999)));
    if (m->shape == LOOPS && m->nbody < 4)
        m->nbody = 4;
    put(&w, m->dim == 2 ? "dimension: 2\ngravity: [0, -9.81]\n" : "gravity: [0, 0, -9.81]\n");
    if (m->shape == LADDER)
        ladder(&w);
    else
        tree(&w, parent);
    if (m->shape == LOOPS)
        rods(&w);
    springs(&w);
    if (w.turns)
        put(&w, "initial: {j0.angle_rate: %.4f}\n", 2 * symmetric(&w));
    return w.used < room ? w.used : 0;
}
