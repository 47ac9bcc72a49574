/* The drawing of every force kind compared with the recorded force: its points are the loaded marks, or the points whose distance is the
 * variable, its axis is that of the variable, its free length that of the potential. */
#include "support/all_forces.h"
#include "support/handmade.h"

#include "biela/biela.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_at(const bl_model *model, const bl_mark *mark, bl_index body, const double at[3]) {
    double d[3];
    for (int k = 0; k < 3; k++)
        d[k] = mark->s[k] + model->body[mark->body].center[k] - at[k];
    return mark->body == body && test_norm(d) < 1e-12;
}

static double angle_between(const double a[3], const double b[3]) {
    double c[3];
    test_cross(a, b, c);
    return test_norm(c) + fabs(test_norm(a) - 1) + fabs(test_norm(b) - 1);
}

/* points and axis of a force on a variable: those of the primitive that defines it */
static void check_variable(const bl_model *model, const bl_force_def *def, const bl_force_picture *f) {
    const bl_joint_def *joint = &model->joint[f->joint];
    const bl_prim *prim = joint->prim;
    bl_index defined = 0;
    assert_int_equal(model->variable[f->variable].joint, f->joint);
    for (bl_index i = 0; i < joint->nprim; i++) {
        bl_index part = -1;
        for (bl_index k = 0; k < 3; k++)
            part = prim[i].what != BL_LINEAR && prim[i].var[k] == f->variable ? k : part;
        if (part < 0)
            continue;
        defined++;
        bool turns = prim[i].what == BL_ANGLE || prim[i].what == BL_ANGLES;
        assert_int_equal(turns, f->drawn == BL_DRAWN_TURNING || f->drawn == BL_DRAWN_MOMENT);
        assert_int_equal(f->has_axis, prim[i].what != BL_DISTANCE);
        if (!turns)
            assert_true(is_at(model, &prim[i].a, f->body[0], f->at[0]) && is_at(model, &prim[i].b, f->body[1], f->at[1]));
        if (prim[i].what == BL_ANGLE || prim[i].what == BL_TRAVEL)
            assert_true(angle_between(f->axis, prim[i].c.s) < 1e-12);
        if (prim[i].what == BL_ANGLES) { /* about v, -v x r, r */
            double second[3];
            test_cross(prim[i].a.s, prim[i].c.s, second);
            assert_true(angle_between(f->axis, part == 0 ? prim[i].a.s : part == 1 ? second : prim[i].c.s) < 1e-12);
        }
    }
    if (defined != 1)
        fail_msg("force %s: no primitive defines its variable", def->name);
}

static void check_force(const bl_model *model, const bl_force_def *def) {
    bl_force_picture f;
    bl_record r;
    assert_int_equal(bl_force_draw(model, def, &f), BL_OK);
    assert_int_equal(bl_force_record(model->ctx, model, def, NULL, 0, -1, &r), BL_OK);
    assert_true(f.body[0] >= 0 && f.body[0] < model->nbody && f.body[1] >= 0 && f.body[1] < model->nbody && f.body[0] != f.body[1]);
    for (int k = 0; k < 6; k++)
        assert_true(isfinite(f.at[k / 3][k % 3]));
    bl_index pushed = 0, on_picture = 0;
    for (bl_index i = 0; i < r.nmark; i++) {
        if (r.push_node[i][0] < 0)
            continue;
        assert_true(r.mark[i].body == f.body[0] || r.mark[i].body == f.body[1]);
        pushed += !r.mark[i].is_vector;
        for (int side = 0; side < 2 && !r.mark[i].is_vector; side++)
            on_picture += is_at(model, &r.mark[i], f.body[side], f.at[side]);
    }
    if (f.joint >= 0) {
        check_variable(model, def, &f);
        bool own = false;
        for (bl_index i = 0; i < r.nvar; i++)
            own = own || r.var[i] == f.variable;
        assert_true(own && pushed == 0);
    } else if (f.drawn == BL_DRAWN_SPRING || f.drawn == BL_DRAWN_BUSHING) {
        assert_int_equal(on_picture, pushed);
        assert_int_equal(pushed, (f.body[0] > 0) + (f.body[1] > 0));
    } else if (f.drawn == BL_DRAWN_FORCE) { /* the reaction acts at its own point, or is reported at the mass center */
        assert_in_range(on_picture, 1, 2);
    } else {
        assert_int_equal(pushed, 0);
    }
    bool rates = false;
    for (bl_index i = 0; i < r.ninput; i++)
        rates = rates || r.input[i].what == BL_SYM_MARK_RATE || r.input[i].what == BL_SYM_RATE;
    bool spring = f.drawn == BL_DRAWN_SPRING || f.drawn == BL_DRAWN_BUSHING || f.drawn == BL_DRAWN_TURNING;
    if (spring) {
        assert_int_equal(f.damped, rates);
        assert_int_equal(isnan(f.free), r.potential_node < 0);
    }
    if (r.spring.whole)
        assert_near(f.free, r.spring.length, 1e-15);
    bl_tape_destroy(r.tape);
}

static void every_force__is_drawn_where_it_acts(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    const char *const *text = test_all_forces;
    bool met[64] = {0};
    for (int m = 0; m < 2; m++) {
        bl_model *model;
        if (bl_model_read_text(ctx, "all", text[m], strlen(text[m]), NULL, 0, &model) != BL_OK)
            fail_msg("%s", bl_context_error(ctx)->what);
        for (bl_index i = 0; i < model->nforce; i++) {
            for (size_t k = 0; k < bl_force_kind_count; k++)
                met[k] = met[k] || model->force[i].kind == bl_force_kinds[k];
            check_force(model, &model->force[i]);
        }
        bl_model_destroy(model);
    }
    for (size_t k = 0; k < bl_force_kind_count; k++)
        if (!met[k])
            fail_msg("a force of kind %s is missing here", bl_force_kinds[k]->kind.name);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_force__is_drawn_where_it_acts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
