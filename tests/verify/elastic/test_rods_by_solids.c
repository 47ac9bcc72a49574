/* The elastic slider-crank by solids in space and the elastic double pendulum by floating frames, against the references and by beams: 1 %
 * of the deflections. */
#include "support/every_way.h"
#include "support/rod_texts.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

/* ---- in space: axes of hinges along z, a square section of the same EA, GA, EI, which moves in its plane */

#define ROD "mesh: {box: {from: [0.1, =-h/2, =-h/2], to: [0.6, =h/2, =h/2], n: [8, 1, 1]}, element: hexa20"
#define IN_SPACE(rod, middle)                                                                           \
    "parameters: {h: =sqrt(12e-4)}\n"                                                                   \
    "materials: {m: {type: st_venant_kirchhoff, E: =2e5/h^2, nu: =1/24, density: =0.5/h^2}}\nbodies:\n" \
    "  - {name: crank, rod: {from: [0, 0, 0], to: [0.1, 0, 0]}, mass: 0.1}\n"                           \
    "  - {name: rod, " rod "}\n"                                                                        \
    "  - {name: slider, mass: 0.25, center: [0.6, 0, 0], inertia: [0.001, 0.001, 0.001]}\njoints:\n"    \
    "  - {name: A, type: revolute, bodies: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}\n"          \
    "  - {name: B, type: revolute, bodies: [crank, rod.a], at: [0.1, 0, 0], axis: [0, 0, 1]}\n"         \
    "  - {name: C, type: revolute, bodies: [rod.b, slider], at: [0.6, 0, 0], axis: [0, 0, 1]}\n"        \
    "  - {name: D, type: prismatic, bodies: [ground, slider], at: [0.6, 0, 0], axis: [1, 0, 0]}\n"      \
    "drivers: [{variable: A.angle, value: =40*t}]\n"                                                    \
    "probes: {pin: {body: rod.a, at: [0.1, 0, 0]}, middle: {body: " middle ", at: [0.35, 0, 0]}, end: {body: rod.b, at: [0.6, 0, 0]}}\n"

typedef struct turn {
    int seen;
    double slider, across, aside; /* largest errors; largest displacement out of the plane */
} turn;

static void take_turn(const bl_sample *s, const test_ending *run, void *user) {
    turn *t = user;
    int quarter = (int)lround(s->t * 80 / PI);
    (void)run;
    if (quarter < 1 || quarter > 4 || fabs(s->t - quarter * PI / 80) > 1e-9)
        return;
    const double *a = s->probe, *m = s->probe + 3, *b = s->probe + 6, *exact = rod_slider_crank[quarter - 1];
    t->slider = fmax(t->slider, fabs(b[0] - exact[0]));
    t->across = fmax(t->across, fabs(rod_deflection(a, m, b) - exact[1]) / rod_slider_crank[0][1]);
    t->aside = fmax(t->aside, fmax(fabs(a[2]), fmax(fabs(m[2]), fabs(b[2]))));
    t->seen++;
}

static void slider_crank_in_space__deflects_as_its_reference(void **unused) {
    (void)unused;
    static const char *const ways[] = {
        IN_SPACE(ROD "}, material: m, interfaces: [{name: a, set: left}, {name: b, set: right}]", "rod"),
        IN_SPACE(ROD ", sets: {middle: \"abs(x - 0.35) < 1e-6\"}}, material: m, coordinates: floating, modes: 6, stiffening: linear,"
                     " interfaces: [{name: a, set: left}, {name: b, set: right}, {name: m, set: middle}]",
                 "rod.m")};
    for (int i = 0; i < 2; i++) {
        turn t = {0};
        test_ending end;
        test_one_way(ways[i], &(bl_run_options){.until = PI / 20, .every = PI / 80}, take_turn, &end, &t);
        test_no_warning(&end);
        assert_int_equal(t.seen, 4);
        test_close(&end, "the deflection, of the largest", t.across, 0, 0.01);
        test_close(&end, "the slider", t.slider, 0, 2e-4); /* at the default tolerance */
        test_close(&end, "out of the plane", t.aside, 0, 1e-6);
    }
}

/* ---- double pendulum: deflections up to 13 mm of 1 m, slopes of 0.05 */

static void run(const char *text, double tolerance, rod_record *record) {
    test_ending end;
    *record = (rod_record){0};
    test_one_way(text, &(bl_run_options){.until = 1, .every = 0.05, .tolerance = tolerance}, rod_take_pendulum, &end, record);
    test_no_warning(&end);
    assert_int_equal(record->count, 21);
}

/* Relative to one frame the slopes are not small: 4 % with eight modes (17 % with none). Four frames per rod keep them below 0.03. */
static void double_pendulum__needs_four_frames_for_each_rod(void **unused) {
    (void)unused;
    static char text[16000];
    rod_record beams, frames;
    rod_pendulum_of_beams(12, text, sizeof text);
    run(text, 1e-5, &beams);
    rod_pendulum_of_frames(4, 16, 0, text, sizeof text);
    run(text, 1e-4, &frames);
    double off = rod_difference(&frames, &beams);
    if (!(off <= 0.01))
        fail_msg("the deflections differ by %.3g of the largest", off);
    for (int k = 0; k < 21; k++)
        for (int i = 0; i < 4; i++)
            test_close(&(test_ending){.label = "frames"}, "hinge and tip", frames.end[k][i], beams.end[k][i], 2e-4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slider_crank_in_space__deflects_as_its_reference),
        cmocka_unit_test(double_pendulum__needs_four_frames_for_each_rod),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
