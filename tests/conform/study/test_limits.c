/* Every threshold of src/ROOM/ROOM_limits.h times 3 and times 1/3: scenes keep their answers. Files that include one of these headers
 * are compiled for this test with BIELA_MOVED_LIMITS, where a threshold is a variable (tests/CMakeLists.txt). An answer: how the study
 * ends, the start, the motion within a few times its tolerance, mobility and redundant rows. A threshold whose value decides an answer
 * is too sharp: it wants a better rule. BIELA_ALL_SCENES: every scene with bodies instead of small ones. */
#include "support/scene.h"
#include "support/testing.h"

#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the table: limits_all.h, made by cmake, includes every ROOM_limits.h */

typedef struct limit_row {
    double *value;
    const char *name;
} limit_row;

#define BL_LIMIT_H /* base/limit.h stays out: here a limit is a variable and a row */
#define BL_LIMIT(limit, number, unit, trade, test)            \
    double limit = number;                                    \
    static const limit_row row_of_##limit = {&limit, #limit}; \
    static const limit_row *const in_table_##limit __attribute__((used, section("limit_rows"))) = &row_of_##limit;
#include "limits_all.h"
extern const limit_row *const __start_limit_rows[], *const __stop_limit_rows[];

/* ---- answers */

enum { MOST_SCENES = 100, MOST_BODIES = 200, MOST_SAMPLES = 8 };
static const double TOLERANCE = 1e-5; /* of the runs */
static const double FACTOR = 30;      /* between errors of runs that took other steps: where motions diverge, they vary */

typedef struct answer {
    bl_status ran, checked;
    bl_index mobility, redundant, nsample, nbody;
    double (*position)[MOST_BODIES][3]; /* [MOST_SAMPLES] */
} answer;

static bl_status keep_sample(void *user, const bl_sample *sample) {
    answer *a = user;
    for (bl_index i = 0; i < a->nbody && a->nsample < MOST_SAMPLES; i++)
        memcpy(a->position[a->nsample][i], sample->body[i].position, sizeof a->position[0][0]);
    a->nsample++;
    return BL_OK;
}

static void ask(bl_context *ctx, const bl_model *model, const char *formulation, double until, double tolerance, answer *a) {
    bl_check_report report = {0};
    bl_sink sink = {.user = a, .sample = keep_sample, .want = BL_WANT_BODIES};
    bl_run_options options = {.formulation = formulation, .until = until, .every = until / (MOST_SAMPLES - 1), .tolerance = tolerance};
    a->nbody = model->nbody - 1;
    a->nsample = 0;
    a->ran = bl_simulate(ctx, model, &options, &sink, 1, NULL);
    a->checked = bl_check(ctx, model, NULL, &report);
    a->mobility = report.mobility_rank;
    a->redundant = report.redundant;
    bl_check_report_destroy(ctx, &report);
    bl_context_clear_error(ctx);
}

/* the largest distance between two runs */
static double apart(const answer *a, const answer *b) {
    double worst = 0;
    for (bl_index s = 0; s < a->nsample && s < MOST_SAMPLES; s++)
        for (bl_index i = 0; i < a->nbody; i++)
            for (int k = 0; k < 3; k++)
                worst = fmax(worst, fabs(a->position[s][i][k] - b->position[s][i][k]));
    return worst;
}

static answer new_answer(void) { return (answer){.position = calloc(MOST_SAMPLES, sizeof(double[MOST_BODIES][3]))}; }

/* ---- scenes */

/* loops and trees in the plane and in space, overconstrained, singular on the way, driven, with friction; quick */
static const char *const chosen[] = {
    "bricard",      "change_point_four_bar", "double_pendulum",      "four_bar",   "n_four_bar", "point_pendulums", "quick_return",
    "slider_crank", "slider_crank_motor",    "spatial_slider_crank", "jansen_leg", "andrews",    "inclined_block"};
static const char *const formulations[] = {NULL, "lagrange", "index3"};
enum { FORMULATIONS = sizeof formulations / sizeof *formulations };

typedef struct suite {
    bool all;
    int broken;
    long asked;
} suite;

static bool takes(const suite *s, const bl_model *model, const char *name) {
    if (!scene_has_bodies(model) || scene_has_meshes(model) || model->nbody > MOST_BODIES)
        return false;
    for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++)
        if (strcmp(chosen[i], name) == 0)
            return true;
    return s->all;
}

static bool same_answer(const answer *was, const answer *now, const answer *exact, double floor) {
    if (was->ran != now->ran || was->checked != now->checked || was->mobility != now->mobility || was->redundant != now->redundant ||
        was->nsample != now->nsample)
        return false;
    return apart(now, exact) <= FACTOR * fmax(apart(was, exact), floor);
}

static void visit(bl_context *ctx, const bl_model *model, const char *name, void *user) {
    suite *s = user;
    if (!takes(s, model, name))
        return;
    double until = fmin(isnan(model->settings.until) ? 1 : model->settings.until, 2);
    for (int f = 0; f < FORMULATIONS; f++) {
        answer was = new_answer(), now = new_answer(), exact = new_answer();
        ask(ctx, model, formulations[f], until, TOLERANCE / 1000, &exact);
        ask(ctx, model, formulations[f], until, TOLERANCE, &was);
        for (const limit_row *const *row = __start_limit_rows; row < __stop_limit_rows; row++)
            for (int up = 0; up < 2; up++) {
                double kept = *(*row)->value;
                *(*row)->value = up ? 3 * kept : kept / 3;
                ask(ctx, model, formulations[f], until, TOLERANCE, &now);
                *(*row)->value = kept;
                s->asked++;
                if (same_answer(&was, &now, &exact, TOLERANCE))
                    continue;
                s->broken++;
                print_message("%s, %s: %s x %s: ends with %d (was %d), mobility %d (%d), redundant %d (%d), error %.1e (%.1e)\n", name,
                              formulations[f] ? formulations[f] : "default", (*row)->name, up ? "3" : "1/3", (int)now.ran, (int)was.ran,
                              (int)now.mobility, (int)was.mobility, (int)now.redundant, (int)was.redundant, apart(&now, &exact),
                              apart(&was, &exact));
            }
        free(was.position);
        free(now.position);
        free(exact.position);
    }
}

static void limits__may_be_three_times_as_large_or_small(void **unused) {
    (void)unused;
    suite s = {.all = getenv("BIELA_ALL_SCENES") != NULL};
    scene_each(visit, &s);
    print_message("%ld limits, %ld runs with one of them moved, %d changed an answer\n", (long)(__stop_limit_rows - __start_limit_rows),
                  s.asked, s.broken);
    assert_int_equal(s.broken, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(limits__may_be_three_times_as_large_or_small)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
