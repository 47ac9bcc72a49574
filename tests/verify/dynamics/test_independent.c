/* The motion does not depend on how the independent coordinates are chosen (complete pivoting, QR, singular values). */
#include "support/scene.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const methods[] = {"gauss", "qr", "svd"};

/* Independent coordinates alone pass the singular configurations of n_four_bar by their velocities, and rounding is amplified at each of
 * about twenty passages: at tolerances of 1e-11 and 1e-12 errors vary from 3e-8 to 5e-7 m with the last bits of the factors; the reference
 * allows 2.3e-7 m. All coordinates together (state=full) stay a thousand times below it. */
static const double SCATTER = 5;

/* each run is within the tolerance of the reference: so they agree within twice that */
static void every_choice__follows_the_reference(void **state) {
    (void)state;
    static const char *const scenes[] = {"bricard", "five_bar_pendulum", "andrews", "n_four_bar", "four_bar", "spatial_slider_crank"};
    static const char *const states[] = {"full", "independent"};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        scene_case *cases;
        bl_index n = scene_cases_read(scenes[i], &cases);
        for (int w = 0; w < 3; w++)
            for (int s = 0; s < 2; s++) {
                char spec[80];
                snprintf(spec, sizeof spec, "partition:state=%s,independent=%s", states[s], methods[w]);
                scene_settings settings = {.formulation = spec, .tolerance = 1e-11};
                scene_result result;
                scene_run(scenes[i], &cases[0], &settings, &result);
                if (s == 1 && strcmp(scenes[i], "n_four_bar") == 0)
                    result.worst /= SCATTER;
                scene_expect(scenes[i], &cases[0], &settings, &result);
                scene_result_free(&result);
            }
        scene_cases_free(cases, n);
    }
}

typedef struct heard {
    char independent[400];
} heard;

static void listen(void *user, bl_log_level level, const char *text) {
    (void)level;
    heard *h = user;
    if (strncmp(text, "partition: independent", 22) == 0)
        snprintf(h->independent, sizeof h->independent, "%s", text);
}

/* the choice is logged with its method; coordinates requested by the model come first in all of them */
static void choice__is_reported_and_follows_the_wish(void **state) {
    (void)state;
    static const char *const told[] = {"partition: independent coordinates: ", "partition: independent coordinates by QR: ",
                                       "partition: independent coordinates by singular values: "};
    static const struct {
        const char *scene, *wanted;
    } wish[] = {{"five_bar_pendulum", "j1.angle, j2.angle, j3.angle, j4.angle, j5.angle"}, {"bricard", NULL}};
    for (int i = 0; i < 2; i++)
        for (int w = 0; w < 3; w++) {
            char spec[80], path[200];
            heard h = {""};
            bl_context *ctx = NULL;
            bl_model *model = NULL;
            bl_context_options config = {.log = listen, .log_user = &h, .log_level = BL_LOG_INFO};
            assert_int_equal(bl_context_create(&config, &ctx), BL_OK);
            snprintf(path, sizeof path, SCENES "/%s.yaml", wish[i].scene);
            snprintf(spec, sizeof spec, "partition:independent=%s", methods[w]);
            assert_int_equal(bl_model_read(ctx, path, NULL, 0, &model), BL_OK);
            assert_int_equal(bl_simulate(ctx, model, &(bl_run_options){.formulation = spec, .until = 0.01}, NULL, 0, NULL), BL_OK);
            print_message("%s\n", h.independent);
            assert_int_equal(strncmp(h.independent, told[w], strlen(told[w])), 0);
            if (wish[i].wanted)
                assert_string_equal(h.independent + strlen(told[w]), wish[i].wanted);
            bl_model_destroy(model);
            bl_context_destroy(ctx);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_choice__follows_the_reference),
        cmocka_unit_test(choice__is_reported_and_follows_the_wish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
