/* Elastic bodies in rigid motions: no strain with any formulation; and the equations that keep the frames of beams rigid, which
 * `reduce=nullspace` eliminates from the matrix of a step. */
#include "biela/biela.h"
#include "formulation/formulation.h"
#include "support/beam_answers.h"
#include "support/every_way.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Free bodies, turned by a large angle, that only translate: a rotation would stretch them. Energy of a strain of 1 is about 1e3 J. */
static const char *const bodies[] = {
    "dimension: 2\nbodies:\n  - {name: b, beam: {from: [0, 0], to: [0.6, 0.8], elements: 2}, stiffness: {EA: 1e3, GA: 4e2, EI: 1},\n"
    "     mass_per_length: {rhoA: 1, rhoI: 1e-2}}\n"
    "initial: {b.from: {velocity: [3, -2], angular_velocity: 0}}\n",
    "dimension: 2\nbodies:\n  - {name: b, beam: {from: [0, 0], to: [0.6, 0.8], elements: 2, interpolation: directors},\n"
    "     stiffness: {EA: 1e3, GA: 4e2, EI: 1}, mass_per_length: {rhoA: 1, rhoI: 1e-2}}\n"
    "initial: {b.from: {velocity: [3, -2], angular_velocity: 0}}\n",
    "bodies:\n  - {name: b, beam: {from: [0, 0, 0], to: [0.48, 0.64, 0.6], elements: 2}, stiffness: {EA: 1e3, GA: 4e2, EI: 1, GJ: 1},\n"
    "     mass_per_length: {rhoA: 1, rhoI: 1e-2}}\ninitial: {b.from: {velocity: [3, -2, 1], angular_velocity: [0, 0, 0]}}\n",
    "dimension: 2\nmaterials: {m: {type: st_venant_kirchhoff, E: 1e3, nu: 0.3, density: 1}}\nbodies:\n"
    "  - {name: b, mesh: {rectangle: {to: [1, 1], n: [2, 1]}, element: quad8}, material: m, plane: stress,\n"
    "     interfaces: [{name: l, set: left}]}\n"
    "initial: {b: {orientation: 2.1, velocity: [3, -2], angular_velocity: 0}}\n",
    "dimension: 2\nmaterials: {m: {type: st_venant_kirchhoff, E: 1e3, nu: 0.3, density: 1}}\nbodies:\n"
    "  - {name: b, mesh: {rectangle: {to: [1, 1], n: [2, 1]}, element: quad8}, material: m, plane: stress,\n"
    "     coordinates: floating, modes: 3, stiffening: linear, interfaces: [{name: l, set: left}, {name: r, set: right}]}\n"
    "initial: {b.l: {orientation: 2.1, velocity: [3, -2], angular_velocity: 0}}\n",
};

typedef struct motion {
    double potential, moved, speed;
} motion;

typedef struct final {
    double tip[3];
} final;

static bl_status take_last(void *user, const bl_sample *s) {
    memcpy(((final *)user)->tip, s->probe, 3 * sizeof(double));
    return BL_OK;
}

static bl_status take(void *user, const bl_sample *s) {
    motion *m = user;
    m->potential = fmax(m->potential, fabs(s->potential));
    m->moved = s->body[0].position[0];
    m->speed = s->body[0].velocity[0];
    return BL_OK;
}

/* By an implicit method: explicit ones let roundings grow up to their tolerance before they shorten the step. */
static void rigid_motions__cause_no_strain_with_any_formulation(void **unused) {
    (void)unused;
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        int taken = 0;
        for (size_t f = 0; f < bl_formulation_kind_count; f++) {
            const char *name = bl_formulation_kinds[f]->kind.name;
            bl_context *ctx = test_context(NULL);
            bl_model *model;
            motion m = {0};
            bl_sink sink = {.user = &m, .sample = take};
            bl_run_options options = {.until = 0.1, .every = 0.02, .formulation = name, .integrator = "trbdf2", .tolerance = 1e-6};
            if (bl_model_read_text(ctx, "text", bodies[i], strlen(bodies[i]), NULL, 0, &model) != BL_OK)
                fail_msg("%s\n%s", bodies[i], bl_context_error(ctx)->what);
            bl_status status = bl_simulate(ctx, model, &options, &sink, 1, NULL);
            if (status != BL_OK && status != BL_E_ABILITY && status != BL_E_MODEL)
                fail_msg("%s: %s\n%s", name, bodies[i], bl_context_error(ctx)->what);
            if (status == BL_OK) {
                taken++;
                if (!(m.potential <= 1e-26)) /* 1e3 J (1e-15)^2 times some */
                    fail_msg("%s: strain energy %.3g\n%s", name, m.potential, bodies[i]);
                assert_float_equal(m.speed, 3, 1e-12);
            }
            bl_model_destroy(model);
            test_context_end(ctx);
        }
        assert_int_equal(taken, 13); /* not: plain, direct (no constraints), index2 (power series) */
    }
}

/* ---- the equations of nodes, and as many multipliers, leave the matrix: of 41 frames with 12 coordinates and 6 equations each
 * (directors) or 9 and 3 (rotations); the joint shares 3 coordinates with the ground and adds an equation. Twice the 246 or 123
 * equations leave. */

static void note(void *user, bl_log_level level, const char *text) {
    char *kept = user;
    (void)level;
    if (strstr(text, "become"))
        snprintf(kept, 256, "%s", text);
}

static void leave_the_matrix(const char *interpolation, const char *const order[2]) {
    const char *text = beam_text("gravity: [0, 0, -9.81]\nbodies:\n"
                                 "  - {name: rod, beam: {from: [0, 0, 0], to: [1, 0, 0], elements: 20, interpolation: %s},\n"
                                 "     damping: {stiffness: 1e-4}, stiffness: {EA: 1e4, GA: 4e3, EI: 10, GJ: 8},\n"
                                 "     mass_per_length: {rhoA: 1, rhoI: 1e-4}}\n"
                                 "joints: [{type: universal, bodies: [ground, rod], at: [0, 0, 0], axis: [0, 0, 1], axis_b: [0, 1, 0]}]\n"
                                 "probes: {tip: {body: rod, at: [1, 0, 0]}}\n",
                                 interpolation);
    static const char *const form[2][2] = {{"index3", "index3:reduce=nullspace"}, {"ggl", "ggl:reduce=nullspace"}};
    for (int f = 0; f < 2; f++) {
        double tip[2][3];
        for (int reduced = 0; reduced < 2; reduced++) {
            char kept[256] = "";
            bl_context_options quiet = {.log = note, .log_user = kept, .log_level = BL_LOG_INFO};
            bl_context *ctx;
            bl_model *model;
            final last = {0};
            bl_sink sink = {.user = &last, .sample = take_last};
            bl_run_options options = {
                .until = 0.02, .every = 0.02, .step = 1e-3, .integrator = "bdf_alpha", .formulation = form[f][reduced]};
            assert_int_equal(bl_context_create(&quiet, &ctx), BL_OK);
            assert_int_equal(bl_model_read_text(ctx, "text", text, strlen(text), NULL, 0, &model), BL_OK);
            if (bl_simulate(ctx, model, &options, &sink, 1, NULL) != BL_OK)
                fail_msg("%s: %s", form[f][reduced], bl_context_error(ctx)->what);
            assert_int_equal(strstr(kept, order[f]) != NULL, reduced);
            memcpy(tip[reduced], last.tip, sizeof last.tip);
            bl_model_destroy(model);
            bl_context_destroy(ctx);
        }
        assert_true(tip[0][2] < -1e-3); /* it falls */
        for (int k = 0; k < 3; k++)
            assert_float_equal(tip[0][k], tip[1][k], 1e-9);
    }
}

static void frames_of_beams__leave_the_matrix_of_a_step(void **unused) {
    (void)unused;
    leave_the_matrix("directors", (const char *const[]){"736 unknowns become 244", "1472 unknowns become 488"});
    leave_the_matrix("rotations", (const char *const[]){"490 unknowns become 244", "980 unknowns become 488"});
}

/* The factors of [M G^T; G 0] of a long beam in space: pivots of KLU away from the diagonal would fill them (28 ms for each sample
 * instead of 0.6, 300 ms with 100 elements). */
static void count_klu(void *user, bl_log_level level, const char *text) {
    (void)level;
    *(int *)user += strstr(text, "auto: klu for a matrix of order 2176") != NULL;
}

static void long_beams__are_not_solved_with_filled_factors(void **unused) {
    (void)unused;
    static const char text[] = "gravity: [0, 0, -9.81]\nbodies:\n"
                               "  - {name: rod, beam: {from: [0, 0, 0], to: [3, 0, 0], elements: 60, interpolation: directors},\n"
                               "     stiffness: {EA: 1e5, GA: 4e4, EI: 10, GJ: 8}, mass_per_length: {rhoA: 1, rhoI: 1e-4}}\n"
                               "joints: [{type: universal, bodies: [ground, rod], at: [0, 0, 0], axis: [0, 0, 1], axis_b: [0, 1, 0]}]\n";
    int klu = 0;
    bl_context_options counting = {.log = count_klu, .log_user = &klu, .log_level = BL_LOG_INFO};
    bl_run_options options = {.until = 1e-4, .every = 1e-4, .step = 1e-4, .integrator = "genalpha", .formulation = "index3"};
    bl_context *ctx;
    bl_model *model;
    assert_int_equal(bl_context_create(&counting, &ctx), BL_OK);
    assert_int_equal(bl_model_read_text(ctx, "text", text, strlen(text), NULL, 0, &model), BL_OK);
    assert_int_equal(bl_simulate(ctx, model, &options, NULL, 0, NULL), BL_OK);
    assert_int_equal(klu, 0);
    bl_model_destroy(model);
    bl_context_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rigid_motions__cause_no_strain_with_any_formulation),
        cmocka_unit_test(frames_of_beams__leave_the_matrix_of_a_step),
        cmocka_unit_test(long_beams__are_not_solved_with_filled_factors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
