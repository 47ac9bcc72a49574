/* Every force kind, by the models with all of them (tests/support/all_forces.c): at random states its derivatives are those of its values,
 * what acts between two bodies is in balance, its potential belongs to its force at rest; in the model configuration at rest everything is
 * finite, where lengths, angles and speeds are often zero. */
#include "support/all_forces.h"
#include "support/force_action.h"

#include "biela/biela.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CASES = 30, WORK = 8192 };

static bool reads(const bl_record *r, bl_symbol_what what) {
    for (bl_index i = 0; i < r->ninput; i++)
        if (r->input[i].what == what)
            return true;
    return false;
}

/* whether it acts between two bodies, none of them ground, and names nothing else */
static bool internal(const bl_model *model, const bl_force_def *def) {
    bl_force_picture f;
    assert_int_equal(bl_force_draw(model, def, &f), BL_OK);
    return f.body[0] > 0 && f.body[1] > 0;
}

static void finite_at_rest(const bl_model *model, const bl_record *r) {
    double in[BL_MAX_FORCE_INPUTS], work[WORK];
    static double out[3 * BL_MAX_FORCE_MARKS + BL_MAX_FORCE_VARIABLES + 1];
    static double d_out[(3 * BL_MAX_FORCE_MARKS + BL_MAX_FORCE_VARIABLES + 1) * BL_MAX_FORCE_INPUTS];
    for (bl_index i = 0; i < r->ninput; i++) {
        const bl_symbol *s = &r->input[i];
        in[i] = 0;
        if (s->what == BL_SYM_MARK) {
            const bl_mark *mark = &r->mark[s->ref];
            in[i] = mark->s[s->part] + (mark->is_vector ? 0 : model->body[mark->body].center[s->part]);
        }
    }
    assert_true(bl_tape_work(r->tape) <= WORK);
    bl_tape_jacobian(r->tape, in, out, d_out, work);
    for (bl_index k = 0; k < bl_tape_outputs(r->tape); k++) {
        assert_true(isfinite(out[k]));
        for (bl_index i = 0; i < r->ninput; i++)
            assert_true(isfinite(d_out[k * r->ninput + i]));
    }
}

static void check(const bl_model *model, const bl_force_def *def, test_random *random) {
    bl_record r;
    test_action a;
    print_message("%s (%s)\n", def->kind->kind.name, def->name);
    assert_int_equal(bl_force_record(model->ctx, model, def, NULL, 0, -1, &r), BL_OK);
    assert_int_equal(r.status, BL_OK);
    assert_true(bl_param_count(def->kind->kind.params) <= BL_MAX_PARAMS);
    finite_at_rest(model, &r);
    for (int c = 0; c < CASES; c++) {
        test_force_state s;
        test_force_state_random(model, random, &s);
        for (int i = 1; i < TEST_BODIES; i++) { /* far from wheels that lie flat and rotations by 180 degrees, where differences fail */
            double axis[3] = {0, 0, 1};
            if (model->dim == 3)
                test_random_direction(random, 3, axis);
            test_turn(axis, 0.7 * test_random_symmetric(random), s.pose[i].R);
        }
        test_act(&r, &s, &a);
        double size = fabs(a.potential);
        for (int i = 1; i < TEST_BODIES; i++)
            size += test_norm(a.force[i]) + test_norm(a.moment[i]);
        if (internal(model, def))
            test_balanced(&a, 10 * size);
        test_force_jacobian(&r, &s);
        if (r.potential_node < 0 || reads(&r, BL_SYM_TIME))
            continue;
        memset(s.rate, 0, sizeof s.rate);
        for (int i = 1; i < TEST_BODIES; i++) {
            memset(s.pose[i].v, 0, sizeof s.pose[i].v);
            memset(s.pose[i].w, 0, sizeof s.pose[i].w);
        }
        test_force_gradient(&r, &s, 1e-5);
    }
    bl_tape_destroy(r.tape);
}

static void every_force__is_consistent(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    test_random random = {test_seed(20270105)};
    bool met[64] = {0};
    for (int m = 0; m < 2; m++) {
        bl_model *model;
        if (bl_model_read_text(ctx, "all", test_all_forces[m], strlen(test_all_forces[m]), NULL, 0, &model) != BL_OK)
            fail_msg("%s", bl_context_error(ctx)->what);
        assert_true(model->nbody <= TEST_BODIES && model->nvariable <= 16);
        for (bl_index i = 0; i < model->nforce; i++) {
            for (size_t k = 0; k < bl_force_kind_count; k++)
                met[k] = met[k] || model->force[i].kind == bl_force_kinds[k];
            check(model, &model->force[i], &random);
        }
        bl_model_destroy(model);
    }
    for (size_t k = 0; k < bl_force_kind_count; k++)
        if (!met[k])
            fail_msg("a force of kind %s is missing in tests/support/all_forces.c", bl_force_kinds[k]->kind.name);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_force__is_consistent)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
