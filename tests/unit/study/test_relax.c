/* Dynamic relaxation by itself: forces fall to a ten-thousandth, and Newton's method ends in a stable configuration. Motions are named. */
#include "study/equilibrium_private.h"
#include "study/motion_names.h"
#include "study/run.h"
#include "support/handmade.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const every_kind[] = {"natural", "mixed", "reference", "relative"};

typedef struct rest {
    bl_context *ctx;
    bl_model *model;
    bl_system *sys;
    bl_state start;
    bl_statics *s;
} rest;

static void prepare(const char *scene, const char *kind, rest *r) {
    char path[512];
    *r = (rest){.ctx = test_context(NULL)};
    snprintf(path, sizeof path, "%s/%s.yaml", SCENES, scene);
    assert_int_equal(bl_model_read(r->ctx, path, NULL, 0, &r->model), BL_OK);
    assert_int_equal(bl_run_prepare(r->ctx, r->model, kind, &r->sys, &r->start), BL_OK);
    assert_int_equal(bl_statics_create(r->sys, &r->start, &(bl_equilibrium_options){0}, &r->s), BL_OK);
    r->s->model = r->model;
}

static void end(rest *r) {
    bl_statics_destroy(r->s);
    bl_state_destroy(r->sys, &r->start);
    bl_system_destroy(r->sys);
    bl_model_destroy(r->model);
    test_context_end(r->ctx);
}

static void relaxation__leads_to_rest(void **unused) {
    (void)unused;
    static const char *const scenes[] = {"four_bar", "hanging_chain", "upright_rod", "slider_crank"};
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++)
        for (int c = 0; c < 4; c++) {
            rest r;
            prepare(scenes[k], every_kind[c], &r);
            assert_int_equal(bl_statics_evaluate(r.s), BL_OK);
            double before = r.s->merit;
            bl_status status = bl_statics_relax(r.s);
            if (status != BL_OK)
                fail_msg("%s, %s: status %d, forces from %g to %g", scenes[k], every_kind[c], status, before, r.s->merit);
            assert_true(r.s->merit <= 1e-4 * before);
            assert_int_equal(bl_statics_descend(r.s), BL_OK);
            assert_true(bl_statics_balanced(r.s));
            assert_int_equal(bl_statics_judge(r.s), BL_OK);
            assert_int_equal(r.s->unstable, 0);
            end(&r);
        }
}

/* the crank of a hanging four-bar linkage moves most, whatever the coordinates */
static void motions__have_the_same_words_in_all_coordinates(void **unused) {
    (void)unused;
    char first[128] = "";
    for (int c = 0; c < 4; c++) {
        rest r;
        bl_soft_motion soft[BL_MOST_SOFT];
        bl_index count;
        prepare("four_bar", every_kind[c], &r);
        assert_int_equal(bl_statics_first(r.s), BL_OK);
        assert_int_equal(bl_statics_softest(r.s, &count, soft), BL_OK);
        assert_int_equal(count, 1);
        assert_int_equal(strncmp(soft[0].motion, "A.angle (1), ", 13), 0);
        if (c == 0)
            snprintf(first, sizeof first, "%s", soft[0].motion);
        assert_string_equal(soft[0].motion, first);
        end(&r);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(relaxation__leads_to_rest),
        cmocka_unit_test(motions__have_the_same_words_in_all_coordinates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
