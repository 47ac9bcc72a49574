/* Time stepping of contacts as an object of a program: the same bits again, snapshots, copies, failing allocations. */
#include "biela/biela.h"
#include "support/failing.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const kinds[] = {"natural", "mixed", "reference", "reference:view=tangent"};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* boxes and discs that fall on a pendulum and a driven table: free bodies, mechanisms, stops, a spring, all that steps remember */
static const char heap[] =
    "dimension: 2\ngravity: [0, -9.81]\nbodies:\n"
    "  - {name: table, box: {center: [0, -0.1], size: [4, 0.2]}, mass: 5}\n"
    "  - {name: rod, box: {center: [0, 1.05], size: [2, 0.1]}, mass: 1}\n"
    "  - {repeat: {count: 3, index: i, do: [{name: d$i, disc: {center: ['=0.5*i - 0.6', '=1.4 + 0.1*i'], radius: 0.1}, mass: 0.3}]}}\n"
    "  - {repeat: {count: 3, index: i, do: [{name: b$i, box: {center: ['=0.5*i - 0.4', '=1.9 + 0.1*i'], size: [0.3, 0.2]}, "
    "mass: 0.5}]}}\n"
    "joints:\n  - {name: guide, type: prismatic, bodies: [ground, table], at: [0, -0.1], axis: [1, 0]}\n"
    "  - {name: pin, type: revolute, bodies: [ground, rod], at: [0, 1.05], lower: -0.4, upper: 0.4, restitution: 0.3}\n"
    "drivers: [{name: motor, variable: guide.distance, value: =0.1*sin(20*t)}]\n"
    "forces: [{name: s, type: spring, body_a: d0, body_b: b2, at: [-0.6, 1.4], to: [0.6, 2.1], stiffness: 5}]\n"
    "contacts:\n  - {name: heap, between: all, except: [table], friction: 0.4, restitution: 0.2}\n"
    "  - {name: top, between: [table, all], friction: 0.3, shapes: [{plane: {at: [0, 0], normal: [0, 1]}}]}\n"
    "simulate: {contact: stepping, step: 2e-3, until: 1.5}\n";
static const char bricks[] =
    "gravity: [0, 0, -9.81]\nbodies: [{repeat: {count: 12, index: i, do: [{name: b$i, "
    "box: {center: ['=0.15*(i - 3*floor(i/3))', '=0.02*i',\n"
    "  '=0.06 + 0.11*floor(i/3)'], size: [0.1, 0.1, 0.1]}, mass: 1}]}}]\n"
    "contacts:\n  - {name: heap, between: all, friction: 0.5}\n"
    "  - {name: floor, between: [ground, all], friction: 0.5, shapes: [{plane: {at: [0, 0, 0], normal: [0, 0, 1]}}]}\n"
    "simulate: {contact: stepping, step: 2e-3, until: 0.5}\n";

static bl_status read(bl_context *ctx, const char *text, bl_model **model) {
    return bl_model_read_text(ctx, "steps", text, strlen(text), NULL, 0, model);
}

/* poses, contacts, energies of a sample */
typedef struct picture {
    bl_pose body[16];
    bl_contact_sample contact[8];
    double kinetic, work;
} picture;

static void take(const bl_run_info *info, const bl_sample *s, picture *p) {
    memset(p, 0, sizeof *p);
    assert_true(info->nbody <= 16 && info->ncontact <= 8);
    memcpy(p->body, s->body, (size_t)info->nbody * sizeof *s->body);
    memcpy(p->contact, s->contact, (size_t)info->ncontact * sizeof *s->contact);
    p->kinetic = s->kinetic;
    p->work = s->work;
}

static bl_stepper *begin(bl_context *ctx, const char *text, const char *coordinates, bl_model **model) {
    bl_stepper *s = NULL;
    bl_status status = read(ctx, text, model);
    if (status == BL_OK)
        status = bl_stepper_create(ctx, *model, &(bl_run_options){.coordinates = coordinates}, &s);
    if (status != BL_OK)
        fail_msg("%s", bl_context_error(ctx)->what);
    return s;
}

static void look(bl_stepper *s, double t, picture *p) {
    const bl_sample *sample;
    assert_int_equal(bl_stepper_reach(s, t), BL_OK);
    assert_int_equal(bl_stepper_sample(s, BL_WANT_ALL, &sample), BL_OK);
    take(bl_stepper_info(s), sample, p);
}

static void same(const picture *a, const picture *b, const char *what) {
    if (memcmp(a, b, sizeof *a) != 0)
        fail_msg("%s: other bits, place of the first body %.17g and %.17g", what, a->body[0].position[0], b->body[0].position[0]);
}

static void runs__have_the_same_bits(void **state) {
    (void)state;
    static picture p[2][10];
    const char *const text[] = {heap, bricks};
    for (int scene = 0; scene < 2; scene++)
        for (int k = 0; k < KINDS; k++) {
            for (int time = 0; time < 2; time++) {
                bl_context *ctx = test_context(NULL);
                bl_model *model;
                bl_stepper *s = begin(ctx, text[scene], kinds[k], &model);
                for (int i = 0; i < 10; i++)
                    look(s, 0.05 * (i + 1) - 0.0007, &p[time][i]);
                bl_stepper_destroy(s);
                bl_model_destroy(model);
                test_context_end(ctx);
            }
            for (int i = 0; i < 10; i++)
                same(&p[0][i], &p[1][i], kinds[k]);
        }
}

static void snapshots__continue_with_the_same_bits(void **state) {
    (void)state;
    static char bytes[1 << 16];
    const char *const text[] = {heap, bricks};
    for (int scene = 0; scene < 2; scene++)
        for (int k = 0; k < KINDS; k++) {
            bl_context *ctx = test_context(NULL);
            bl_model *model, *other_model;
            bl_stepper *s = begin(ctx, text[scene], kinds[k], &model), *other = begin(ctx, text[scene], kinds[k], &other_model), *copy;
            picture own, restored, copied;
            size_t count = sizeof bytes;
            look(s, 0.3003, &own); /* inside a step, in the middle of impacts */
            assert_int_equal(bl_stepper_save(s, bytes, &count), BL_OK);
            assert_int_equal(bl_stepper_restore(other, bytes, count), BL_OK);
            assert_int_equal(bl_stepper_copy(s, ctx, &copy), BL_OK);
            look(s, 0.4501, &own);
            look(other, 0.4501, &restored);
            look(copy, 0.4501, &copied);
            same(&own, &restored, kinds[k]);
            same(&own, &copied, kinds[k]);
            bl_stepper_destroy(s);
            bl_stepper_destroy(other);
            bl_stepper_destroy(copy);
            bl_model_destroy(model);
            bl_model_destroy(other_model);
            test_context_end(ctx);
        }
}

/* a disc that has turned more than half a revolution, also between steps after a restart */
static void turned_bodies__go_on_turning(void **state) {
    (void)state;
    static const char text[] =
        "dimension: 2\ngravity: [0, 0]\nbodies: [{name: b, disc: {center: [0, 1], radius: 0.1}, mass: 1}]\n"
        "contacts: [{name: floor, between: [ground, b], shapes: [{plane: {at: [0, 0], normal: [0, 1]}}, {sphere: {at: [0, 1], "
        "radius: 0.1}}]}]\n"
        "initial: {b: {angular_velocity: 4}}\nprobes: {P: {body: b, at: [0.1, 1]}}\nsimulate: {contact: stepping, step: 1e-3, "
        "until: 9}\n";
    static char bytes[1 << 14];
    for (int k = 0; k < KINDS; k++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model;
        bl_stepper *s = begin(ctx, text, kinds[k], &model);
        for (int i = 1; i <= 8; i++) {
            const bl_sample *sample;
            size_t count = sizeof bytes;
            assert_int_equal(bl_stepper_reach(s, i), BL_OK);
            assert_int_equal(bl_stepper_save(s, bytes, &count), BL_OK);
            assert_int_equal(bl_stepper_reach(s, i + 0.0004), BL_OK);
            assert_int_equal(bl_stepper_sample(s, BL_WANT_ALL, &sample), BL_OK);
            double x = 0.1 * cos(4 * (i + 0.0004));
            if (!(fabs(sample->probe[0] - x) < 1e-6)) /* natural coordinates: points move along straight lines in a step */
                fail_msg("%s, after %d s: P.x is %.9g, should be %.9g", kinds[k], i, sample->probe[0], x);
        }
        bl_stepper_destroy(s);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

static bl_status few_steps(bl_context *ctx, void *user) {
    const char *const *of = user;
    bl_model *model = NULL;
    bl_stepper *s = NULL;
    const bl_sample *sample;
    bl_status status = read(ctx, of[0], &model);
    if (status == BL_OK)
        status = bl_stepper_create(ctx, model, &(bl_run_options){.coordinates = of[1]}, &s);
    if (status == BL_OK)
        status = bl_stepper_reach(s, 0.25);
    if (status == BL_OK)
        status = bl_stepper_sample(s, BL_WANT_ALL, &sample);
    if (status == BL_OK)
        status = bl_stepper_reset(s);
    bl_stepper_destroy(s);
    bl_model_destroy(model);
    return status;
}

static void failing_allocations__leave_nothing_behind(void **state) {
    (void)state;
    static test_paths paths;
    const char *const tasks[][2] = {{heap, "natural"}, {heap, "reference"}, {bricks, "reference:view=tangent"}};
    for (size_t i = 0; i < sizeof tasks / sizeof *tasks; i++)
        assert_true(test_failing_paths(&paths, few_steps, (void *)tasks[i], 5) > 20);
    test_paths_print(&paths);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs__have_the_same_bits),
        cmocka_unit_test(snapshots__continue_with_the_same_bits),
        cmocka_unit_test(turned_bodies__go_on_turning),
        cmocka_unit_test(failing_allocations__leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
