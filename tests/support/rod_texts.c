#include "support/rod_texts.h"

#include "support/every_way.h"
#include "support/testing.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const double rod_slider_crank[4][2] = {{0.48984, 1.7906e-3}, {0.40005, -2.170e-4}, {0.48989, -1.364e-3}, {0.60001, -3.289e-4}};

double rod_deflection(const double *a, const double *m, const double *b) {
    return ((b[0] - a[0]) * (m[1] - a[1]) - (b[1] - a[1]) * (m[0] - a[0])) / hypot(b[0] - a[0], b[1] - a[1]);
}

static void append(char *text, size_t size, const char *format, ...) {
    size_t used = strlen(text);
    va_list list;
    va_start(list, format);
    int length = vsnprintf(text + used, size - used, format, list);
    va_end(list);
    assert_true(length >= 0 && used + (size_t)length < size);
}

static const char solids[] = "dimension: 2\ngravity: [0, -9.81]\nparameters: {h: =sqrt(12e-4), b: 0.01}\n"
                             "materials: {m: {type: st_venant_kirchhoff, E: =1e5/(b*h), nu: =1/24, density: =1/(b*h)}}\nbodies:\n";

void rod_pendulum_of_beams(int count, char *text, size_t size) {
    text[0] = '\0';
    append(text, size, "dimension: 2\ngravity: [0, -9.81]\nbodies:\n");
    for (int r = 0; r < 2; r++)
        append(text, size,
               "  - {name: r%d, beam: {from: [%d, 0], to: [%d, 0], elements: %d}, stiffness: {EA: 1e5, GA: 4e4, EI: 10},"
               " mass_per_length: {rhoA: 1, rhoI: 1e-4}}\n",
               r, r, r + 1, count);
    append(text, size,
           "joints: [{type: revolute, bodies: [ground, r0], at: [0, 0]}, {type: revolute, bodies: [r0, r1], at: [1, 0]}]\n"
           "probes: {hinge: {body: r0, at: [1, 0]}, tip: {body: r1, at: [2, 0]}, m: {body: r0, at: [0.5, 0]},"
           " n: {body: r1, at: [1.5, 0]}}\n");
}

void rod_pendulum_of_solids(int count, char *text, size_t size) {
    text[0] = '\0';
    append(text, size, "%s", solids);
    for (int r = 0; r < 2; r++)
        append(text, size,
               "  - {name: r%d, mesh: {rectangle: {from: [%d, =-h/2], to: [%d, =h/2], n: [%d, 1]}, element: quad8}, material: m,"
               " plane: stress, thickness: =b, interfaces: [{name: l, set: left}, {name: r, set: right}]}\n",
               r, r, r + 1, count);
    append(text, size,
           "joints: [{type: revolute, bodies: [ground, r0.l], at: [0, 0]}, {type: revolute, bodies: [r0.r, r1.l], at: [1, 0]}]\n"
           "probes: {hinge: {body: r0.r, at: [1, 0]}, tip: {body: r1.r, at: [2, 0]}, m: {body: r0, at: [0.5, 0]},"
           " n: {body: r1, at: [1.5, 0]}}\n");
}

void rod_pendulum_of_frames(int pieces, int count, int modes, char *text, size_t size) {
    text[0] = '\0';
    append(text, size, "%s", solids);
    for (int p = 0; p < 2 * pieces; p++)
        append(text, size,
               "  - {name: p%d, mesh: {rectangle: {from: [%.12g, =-h/2], to: [%.12g, =h/2], n: [%d, 1]}, element: quad8,"
               " sets: {c: \"abs(x - %.12g) < 1e-6\"}}, material: m, plane: stress, thickness: =b, coordinates: floating, modes: %d,"
               " stiffening: linear, interfaces: [{name: l, set: left}, {name: r, set: right}, {name: c, set: c}]}\n",
               p, (double)p / pieces, (p + 1.0) / pieces, count, (p + 0.5) / pieces, modes);
    append(text, size, "joints:\n  - {type: revolute, bodies: [ground, p0.l], at: [0, 0]}\n");
    for (int p = 1; p < 2 * pieces; p++)
        append(text, size, "  - {type: %s, bodies: [p%d.r, p%d.l], at: [%.12g, 0]}\n", p == pieces ? "revolute" : "fixed", p - 1, p,
               (double)p / pieces);
    append(text, size,
           "probes: {hinge: {body: p%d.r, at: [1, 0]}, tip: {body: p%d.r, at: [2, 0]}, m: {body: p%d.r, at: [0.5, 0]},"
           " n: {body: p%d.r, at: [1.5, 0]}}\n",
           pieces - 1, 2 * pieces - 1, pieces / 2 - 1, pieces + pieces / 2 - 1);
}

void rod_take_pendulum(const bl_sample *s, const test_ending *run, void *record) {
    rod_record *r = record;
    (void)run;
    int k = (int)lround(20 * s->t);
    if (fabs(s->t - k / 20.0) > 1e-9 || k >= 32)
        return;
    const double *p = s->probe, origin[3] = {0, 0, 0};
    r->across[k][0] = rod_deflection(origin, p + 6, p);
    r->across[k][1] = rod_deflection(p, p + 9, p + 3);
    for (int i = 0; i < 4; i++)
        r->end[k][i] = p[3 * (i / 2) + i % 2];
    r->count = k + 1;
}

double rod_difference(const rod_record *of, const rod_record *by) {
    double worst = 0;
    assert_int_equal(of->count, by->count);
    for (int r = 0; r < 2; r++) {
        double off = 0, most = 0;
        for (int k = 0; k < of->count; k++) {
            off = fmax(off, fabs(of->across[k][r] - by->across[k][r]));
            most = fmax(most, fabs(by->across[k][r]));
        }
        worst = fmax(worst, off / most);
    }
    return worst;
}
