/* Random mechanisms of the plane, built link by link and dyad by dyad: groups in closed form, Newton by groups and one Newton for all give
 * the same motion, and if one cannot continue, none can, at the same time. */
#include "support/driven.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MECHANISMS = 60, ROOM = 1 << 16, PLACES = 12 };

typedef struct growth {
    test_random *random;
    char bodies[ROOM / 2], joints[ROOM / 2], drivers[ROOM / 4], text[2 * ROOM];
    int nbody, njoint; /* ground included */
} growth;

static double coordinate(growth *g) { return 2 * test_random_symmetric(g->random); }

static void append(char *to, size_t room, const char *text) {
    assert_true(strlen(to) + strlen(text) < room);
    strcat(to, text);
}

static int add_body(growth *g) {
    char line[120];
    snprintf(line, sizeof line, "  - {name: b%d, mass: 1, center: [%.3f, %.3f], inertia: 1}\n", g->nbody, coordinate(g), coordinate(g));
    append(g->bodies, sizeof g->bodies, line);
    return g->nbody++;
}

static void name_body(int body, char out[16]) {
    if (body)
        snprintf(out, 16, "b%d", body);
    else
        snprintf(out, 16, "ground");
}

/* written in either direction */
static int add_joint(growth *g, char letter, int a, int b) {
    char line[200], one[16], two[16];
    bool turned = test_random_below(g->random, 2);
    name_body(turned ? b : a, one);
    name_body(turned ? a : b, two);
    double angle = 3 * test_random_symmetric(g->random);
    if (letter == 'R')
        snprintf(line, sizeof line, "  - {name: j%d, type: revolute, bodies: [%s, %s], at: [%.3f, %.3f]}\n", g->njoint, one, two,
                 coordinate(g), coordinate(g));
    else
        snprintf(line, sizeof line, "  - {name: j%d, type: prismatic, bodies: [%s, %s], at: [%.3f, %.3f], axis: [%.4f, %.4f]}\n", g->njoint,
                 one, two, coordinate(g), coordinate(g), cos(angle), sin(angle));
    append(g->joints, sizeof g->joints, line);
    return g->njoint++;
}

static void add_driven(growth *g) {
    char line[120];
    int on = test_random_below(g->random, g->nbody), body = add_body(g);
    char letter = test_random_below(g->random, 3) ? 'R' : 'P';
    int joint = add_joint(g, letter, on, body);
    snprintf(line, sizeof line, "  - {variable: j%d.%s, value: \"=%.3f*sin(%.2f*t)\"}\n", joint, letter == 'R' ? "angle" : "distance",
             0.3 * test_random_unit(g->random), 1 + 3 * test_random_unit(g->random));
    append(g->drivers, sizeof g->drivers, line);
}

static void add_dyad(growth *g) {
    static const char *const form[] = {"RRR", "RRP", "PRR", "RPR", "PRP", "RPP", "PPR"};
    const char *letters = form[test_random_below(g->random, 7)];
    int on1 = test_random_below(g->random, g->nbody), on2 = test_random_below(g->random, g->nbody);
    if (on1 == on2) /* otherwise it would move as one with that body: zero rates, which test less */
        on2 = (on1 + 1) % g->nbody;
    int first = add_body(g), second = add_body(g);
    add_joint(g, letters[0], on1, first);
    add_joint(g, letters[1], first, second);
    add_joint(g, letters[2], second, on2);
}

static const char *grow(growth *g, test_random *random, int parts) {
    memset(g, 0, sizeof *g);
    g->random = random;
    g->nbody = 1;
    add_driven(g);
    for (int i = 1; i < parts; i++)
        if (test_random_below(random, 3) == 0)
            add_driven(g);
        else
            add_dyad(g);
    snprintf(g->text, sizeof g->text, "model: random\ndimension: 2\nbodies:\n%sjoints:\n%sdrivers:\n%s", g->bodies, g->joints, g->drivers);
    return g->text;
}

/* messages of cmocka are short */
static void tell(const char *text) { fprintf(stderr, "%s\n", text); }

/* Whether all methods reach the time; they must agree in that, and in the time at which they fail. Where two lines become parallel (PRP,
 * RPP) links move to infinity, and Newton fails a little earlier. */
static bool all_go(bl_context *ctx, bl_kinematics *k[DRIVEN_SOLVERS], double t, const char *text) {
    double time[DRIVEN_SOLVERS];
    bool goes[DRIVEN_SOLVERS];
    for (int w = 0; w < DRIVEN_SOLVERS; w++) {
        bl_status status = bl_kinematics_at(k[w], t, BL_ACCELERATIONS);
        goes[w] = status == BL_OK;
        time[w] = goes[w] ? t : bl_context_error(ctx)->time;
        assert_true(goes[w] || status == BL_E_NUMERIC);
    }
    for (int w = 1; w < DRIVEN_SOLVERS; w++)
        if (goes[w] != goes[0] || !(fabs(time[w] - time[0]) < 1e-3)) {
            tell(text);
            fail_msg("%s comes to %.12g, %s to %.12g", driven_solver[0], time[0], driven_solver[w], time[w]);
        }
    return goes[0];
}

static void random_mechanisms__go_the_same_way_by_groups_and_whole(void **state) {
    (void)state;
    test_random random = {test_seed(20260815)};
    growth *g = calloc(1, sizeof *g);
    assert_non_null(g);
    long places = 0, stopped = 0, largest = 0;
    driven_difference worst = {0};
    for (int n = 0; n < MECHANISMS; n++) {
        int parts = 2 + test_random_below(&random, 9);
        const char *text = grow(g, &random, parts);
        bl_context *ctx = test_context(NULL);
        bl_model *model = driven_text(ctx, text);
        bl_kinematics *k[DRIVEN_SOLVERS];
        for (int w = 0; w < DRIVEN_SOLVERS; w++)
            k[w] = driven_begin(ctx, model, driven_solver[w], true);
        bl_kinematics_summary summary = {0};
        bl_kinematics_summarize(k[0], &summary);
        assert_int_equal(summary.ngroup, parts);
        assert_int_equal(summary.nclosed, parts);
        largest = model->nbody > largest ? model->nbody : largest;
        for (int i = 1; i <= PLACES; i++, places++) {
            driven_difference apart = {0};
            if (!all_go(ctx, k, 0.1 * i, text)) {
                stopped++;
                break;
            }
            for (int w = 1; w < DRIVEN_SOLVERS; w++)
                driven_compare(k[0], k[w], &apart);
            /* near dead points everything is amplified: rates show how much */
            double fast = 1;
            for (bl_index b = 1; b < model->nbody; b++)
                for (int c = 0; c < 3; c++)
                    fast =
                        fmax(fast, fabs(bl_kinematics_body(k[0], b)->velocity[c]) + fabs(bl_kinematics_body(k[0], b)->angular_velocity[c]));
            if (apart.position > 1e-11 * fast * fast || apart.velocity > 1e-10 * fast * fast) {
                tell(text);
                fail_msg("apart by %g, %g at %g (rates %g)", apart.position, apart.velocity, 0.1 * i, fast);
            }
            worst.position = fmax(worst.position, apart.position / fast / fast);
            worst.velocity = fmax(worst.velocity, apart.velocity / fast / fast);
        }
        for (int w = 0; w < DRIVEN_SOLVERS; w++)
            bl_kinematics_destroy(k[w]);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
    print_message("%d mechanisms with up to %ld links: %ld places, %ld came to a dead point; apart by %.1e, %.1e\n", MECHANISMS, largest,
                  places, stopped, worst.position, worst.velocity);
    assert_true(places > 5 * MECHANISMS);
    free(g);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_mechanisms__go_the_same_way_by_groups_and_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
