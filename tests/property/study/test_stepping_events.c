/* Random models by time stepping and from event to event: the same text, positions after the first impact and before the second (later
 * ones depend on it more and more), which converge to each other with the step. */
#include "support/contact_run.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef STEPPING_PAIRS
#define STEPPING_PAIRS (TEST_SANITIZED ? 6 : 40)
#endif

enum { LEVELS = 4 };
static const double FIRST = 1e-3; /* the largest step; the others halve it */

typedef struct scene {
    char text[8192];
    size_t used;
    int n;
    bool chain;
    const char *coordinates;
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

static void coefficients(scene *s, test_random *r) {
    static const double friction[] = {0, 0.2, 0.5}, restitution[] = {0, 0.5, 0.9};
    add(s, "friction: %g, restitution: %g, ", friction[test_random_below(r, 3)], restitution[test_random_below(r, 3)]);
}

/* a ball or a tilted box above the floor, or two balls that fly toward each other */
static void make_free(scene *s, test_random *r) {
    s->n = 1 + test_random_below(r, 2);
    double y = between(r, 0.4, 0.8), radius = between(r, 0.05, 0.2), size[2] = {between(r, 0.1, 0.4), between(r, 0.1, 0.4)};
    bool box = s->n == 1 && test_random_below(r, 2);
    add(s, "bodies:\n");
    for (int i = 0; i < s->n; i++)
        add(s, "  - {name: b%d, center: [%.17g, %.17g], mass: %.17g, inertia: %.17g}\n", i, 0.6 * i, y + 0.1 * i, between(r, 0.5, 2),
            between(r, 0.005, 0.02));
    add(s, "contacts:\n");
    for (int i = 0; i < s->n; i++) {
        add(s, "  - {name: floor%d, between: [ground, b%d], ", i, i);
        coefficients(s, r);
        add(s, "shapes: [{plane: {at: [0, 0], normal: [0, 1]}}, ");
        if (box)
            add(s, "{box: {at: [0, %.17g], size: [%.17g, %.17g], angle: %.17g}}]}\n", y, size[0], size[1], between(r, 0.1, 1.4));
        else
            add(s, "{sphere: {at: [%.17g, %.17g], radius: %.17g}}]}\n", 0.6 * i, y + 0.1 * i, radius);
    }
    if (s->n == 2) {
        add(s, "  - {name: both, between: [b0, b1], ");
        coefficients(s, r);
        add(s, "shapes: [{sphere: {at: [0, %.17g], radius: %.17g}}, {sphere: {at: [0.6, %.17g], radius: %.17g}}]}\n", y, radius, y + 0.1,
            radius);
    }
    add(s, "initial:\n");
    for (int i = 0; i < s->n; i++)
        add(s, "  b%d: {velocity: [%.17g, %.17g], angular_velocity: %.17g}\n", i, between(r, 0, 2) * (i ? -1 : 1), between(r, -2, 0.5),
            between(r, -5, 5));
}

/* a double pendulum whose tip meets the floor, or whose first joint meets a stop */
static void make_chain(scene *s, test_random *r) {
    double angle[2] = {between(r, -1, 0.3), between(r, -1.2, 0.3)}, length[2] = {between(r, 0.4, 0.7), between(r, 0.3, 0.6)}, x = 0, y = 0;
    static const double restitution[] = {0, 0.5, 0.9};
    bool stop = test_random_below(r, 3) == 0;
    s->n = 2;
    add(s, "bodies:\n");
    for (int i = 0; i < 2; i++) {
        add(s, "  - {name: b%d, rod: {from: [%.17g, %.17g], to: [%.17g, %.17g]}, mass: %.17g}\n", i, x, y, x + length[i] * cos(angle[i]),
            y + length[i] * sin(angle[i]), between(r, 0.5, 2));
        x += length[i] * cos(angle[i]);
        y += length[i] * sin(angle[i]);
    }
    add(s, "joints:\n  - {name: j0, type: revolute, bodies: [ground, b0], at: [0, 0]");
    if (stop)
        add(s, ", lower: %.17g, restitution: %g", -between(r, 0.1, 0.5), restitution[test_random_below(r, 3)]);
    add(s, "}\n  - {name: j1, type: revolute, bodies: [b0, b1], at: [%.17g, %.17g]}\n", length[0] * cos(angle[0]),
        length[0] * sin(angle[0]));
    add(s, "contacts:\n  - {name: floor, between: [ground, b1], ");
    coefficients(s, r);
    add(s, "shapes: [{plane: {at: [0, %.17g], normal: [0, 1]}}, {point: {at: [%.17g, %.17g]}}]}\n", y - between(r, 0.05, 0.4), x, y);
    add(s, "initial:\n  j0.rate: %.17g\n  j1.rate: %.17g\n", between(r, -2, 1), between(r, -2, 2));
}

static void make_scene(scene *s, test_random *r) {
    static const char *const kinds[] = {"natural", "mixed", "reference", "reference:view=tangent", "relative"};
    memset(s, 0, sizeof *s);
    s->chain = test_random_below(r, 2);
    s->coordinates = kinds[test_random_below(r, s->chain ? 5 : 4)];
    add(s, "dimension: 2\ngravity: [0, -9.81]\n");
    if (s->chain)
        make_chain(s, r);
    else
        make_free(s, r);
}

/* "contact: events" or stepping, in the text itself */
static void go(const scene *s, bool stepping, double step, const double *at, contact_run *run) {
    static char text[10000];
    snprintf(text, sizeof text, "%ssimulate: {contact: %s, until: 1%s}\n", s->text, stepping ? "stepping" : "events",
             stepping ? "" : ", impact: newton");
    bl_run_options options = {.coordinates = stepping ? s->coordinates : NULL,
                              .tolerance = stepping ? 0 : 1e-11,
                              .step = stepping ? step : 0,
                              .at = at,
                              .nat = at ? 1 : 0,
                              .until = at ? *at : 1};
    contact_run_text(text, NULL, &options, run);
    if (run->status != BL_OK && (stepping || at))
        fail_msg("%s, %s: %s\n%s", run->label, stepping ? "steps" : "events", run->error.what, text);
}

/* between the first impact and the second; < 0: there is none */
static double time_to_compare(const contact_run *run) {
    double first = -1;
    for (int k = 0; k < run->nevent; k++) {
        if (!strstr(run->what[k], "impact"))
            continue;
        if (first >= 0 && run->event[k] > first + 0.02)
            return 0.5 * (first + run->event[k]);
        if (first >= 0 && run->event[k] > first + 1e-9)
            return -1; /* two at almost the same time: their order may change */
        first = run->event[k];
    }
    return first < 0 ? -1 : fmin(1, first + 0.2);
}

static void positions__converge_to_those_of_events(void **state) {
    (void)state;
    static contact_run exact, run;
    static scene s;
    uint64_t seed = test_seed(22);
    const char *count = getenv("BIELA_SCENES"), *only = getenv("BIELA_SCENE");
    int n = count ? atoi(count) : STEPPING_PAIRS, compared = 0, bad = 0, early = 0, gained = 0;
    double sum[LEVELS] = {0}, worst = 0;
    for (int k = 0; k < (only ? 1 : n); k++) {
        uint64_t own = only ? strtoull(only, NULL, 10) : seed * 100000 + (uint64_t)k;
        test_random r = {own};
        make_scene(&s, &r);
        go(&s, false, 0, NULL, &exact);
        early += exact.status != BL_OK; /* friction on a rod that jams (Painleve), or endless bounces */
        bool gains =
            strstr(exact.warning, "gains") != NULL; /* Newton's law with friction in a special configuration: errors grow as well */
        gained += gains;
        double t = exact.status == BL_OK && !gains ? time_to_compare(&exact) : -1, error[LEVELS], speed = 0;
        if (t < 0)
            continue;
        go(&s, false, 0, &t, &exact);
        const contact_sample *wanted = &exact.sample[exact.nsample - 1];
        for (int b = 0; b < s.n; b++)
            speed = fmax(speed, sqrt(2 * (exact.highest - exact.start + exact.sample[0].kinetic + 10)));
        for (int level = 0; level < LEVELS; level++) {
            error[level] = 0;
            go(&s, true, FIRST / (1 << level), &t, &run);
            const contact_sample *found = &run.sample[run.nsample - 1];
            for (int b = 0; b < s.n; b++)
                error[level] = fmax(error[level], hypot(found->body[b].position[0] - wanted->body[b].position[0],
                                                        found->body[b].position[1] - wanted->body[b].position[1]));
            sum[level] += error[level];
        }
        compared++;
        /* An impact is late by a step at most, and changes velocities by twice the speed (of a body of 0.5 kg with 10 J more than at
         * first). Where the motion enlarges that, or impulses of joints do, an eighth of the step leaves a third of the error: errors jump
         * with the position of the impact in a step. */
        double allowed = 2 * speed * FIRST, fine = fmax(allowed / (1 << (LEVELS - 1)), error[0] / 3);
        worst = fmax(worst, error[LEVELS - 1] / fine);
        if (only || !(error[LEVELS - 1] <= fine)) {
            bad += !only;
            printf("scene of seed %llu, %s, compared at %g: errors %.2e %.2e %.2e %.2e, allowed %.2e\n%s\n", (unsigned long long)own,
                   s.coordinates, t, error[0], error[1], error[2], error[3], allowed, bad < 4 || only ? s.text : "");
        }
    }
    printf("%d of %d scenes compared, of %d events end early, %d gain energy, %d bad, "
           "%.2g of what is allowed; mean errors %.2e %.2e %.2e %.2e\n",
           compared, n, early, gained, bad, worst, sum[0] / compared, sum[1] / compared, sum[2] / compared, sum[3] / compared);
    fflush(stdout);
    assert_int_equal(bad, 0);
    if (only)
        return;
    assert_true(2 * compared >= n);
    /* The first order, in the mean: halved from level to level. Means of a few scenes scatter by their largest ones (30 scenes by up to a
     * third, seen with two compilers), those of hundreds do not; over all levels both have to fall by at least 0.6 each time. */
    for (int level = 1; level < LEVELS; level++)
        assert_true(sum[level] < (compared < 200 ? 0.85 : 0.65) * sum[level - 1]);
    assert_true(sum[LEVELS - 1] < pow(0.6, LEVELS - 1) * sum[0]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(positions__converge_to_those_of_events)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
