/* The picture of every force kind against what the force is recorded to push: its points are the marks that are pushed or the points whose
 * distance is the variable, its axis is that of the variable, its rest the one of the potential. */
#include "support/handmade.h"

#include "biela/biela.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char space[] =
    "bodies:\n"
    "  - {name: A, mass: 1, center: [1, 0.2, 0.1], inertia: [1, 1, 1]}\n"
    "  - {name: B, mass: 1, center: [2, -0.3, 0.4], inertia: [1, 1, 1]}\n"
    "  - {name: C, mass: 1, center: [3, 0.7, -0.2], inertia: [1, 1, 1]}\n"
    "  - {name: D, mass: 1, center: [3.5, 0.1, 0.6], inertia: [1, 1, 1]}\n"
    "joints:\n"
    "  - {name: hinge, type: revolute, bodies: [ground, A], at: [0.1, 0.2, 0.3], axis: [1, 2, 3]}\n"
    "  - {name: rail, type: prismatic, bodies: [A, B], at: [1.5, 0, 0], axis: [0, 1, 1]}\n"
    "  - {name: sleeve, type: cylindrical, bodies: [B, C], at: [2.5, 0, 0], at_b: [2.5, 0.4, 0], axis: [0, 1, 0]}\n"
    "  - {name: ball, type: spherical, bodies: [C, D], at: [3.2, 0, 0], angles: true, axis: [0, 0, 1]}\n"
    "  - {name: gauge, type: rod, bodies: [A, C], at: [0.9, 0.1, 0], to: [2.7, 0.6, 0.3], free: true}\n"
    "  - {name: slot, type: point_on_line, bodies: [A, D], at: [3.4, 0.2, 0.3], axis: [1, 0, 0], through: [3, 0.2, 0.3]}\n"
    "forces:\n"
    "  - {name: s1, type: spring, bodies: [A, B], at: [1, 1, 0], to: [2, 1, 0], stiffness: 3, length: 0.7}\n"
    "  - {name: s2, type: spring, bodies: [ground, B], at: [1, 1, 5], to: [2, 1, 0], stiffness: 3, damping: 2}\n"
    "  - {name: s3, type: spring, bodies: [C, ground], at: [1, 1, 5], to: [2, 1, 0], damping: 2}\n"
    "  - {name: r1, type: rotational_spring, variable: hinge.angle, stiffness: 2, angle: 0.3}\n"
    "  - {name: r2, type: rotational_spring, variable: rail.distance, stiffness: 2, damping: 1}\n"
    "  - {name: r3, type: rotational_spring, variable: sleeve.distance, stiffness: 2, angle: 0.2}\n"
    "  - {name: r4, type: rotational_spring, variable: sleeve.angle, damping: 2}\n"
    "  - {name: r5, type: rotational_spring, variable: gauge.distance, stiffness: 2, damping: 1, angle: 1.8}\n"
    "  - {name: r6, type: rotational_spring, variable: slot.distance, stiffness: 2}\n"
    "  - {name: r7, type: rotational_spring, variable: ball.angle2, stiffness: 2}\n"
    "  - {name: b1, type: spherical_spring, joint: ball, stiffness: [1, 2, 3], damping: [1, 1, 1]}\n"
    "  - {name: f1, type: force, body: A, at: [1, 2, 3], force: [1, 0, 0]}\n"
    "  - {name: f2, type: force, body: A, against: B, force: [1, =t, 0]}\n"
    "  - {name: t1, type: torque, body: C, against: A, torque: [1, 0, 0]}\n"
    "  - {name: c1, type: friction, variable: hinge.angle, viscous: 1}\n"
    "  - {name: c2, type: friction, variable: rail.distance, coulomb: 1}\n"
    "  - {name: j1, type: joint_friction, joint: hinge, coefficient: 0.1, radius: 0.01}\n"
    "  - {name: j2, type: joint_friction, joint: rail, coefficient: 0.1}\n"
    "  - {name: j3, type: joint_friction, joint: sleeve, coefficient: 0.1, radius: 0.01}\n";

static const char plane[] = "dimension: 2\n"
                            "bodies:\n"
                            "  - {name: A, mass: 1, center: [1, 0.2], inertia: 1}\n"
                            "  - {name: B, mass: 1, center: [2, -0.3], inertia: 1}\n"
                            "joints:\n"
                            "  - {name: hinge, type: revolute, bodies: [ground, A], at: [0.1, 0.2]}\n"
                            "  - {name: rail, type: prismatic, bodies: [A, B], at: [1.5, 0], axis: [1, 1]}\n"
                            "forces:\n"
                            "  - {name: s, type: spring, bodies: [A, B], at: [1, 1], to: [2, 1], stiffness: 3}\n"
                            "  - {name: r, type: rotational_spring, variable: hinge.angle, stiffness: 2}\n"
                            "  - {name: d, type: rotational_spring, variable: rail.distance, stiffness: 2}\n"
                            "  - {name: f, type: force, body: A, at: [1, 2], force: [1, 0]}\n"
                            "  - {name: t, type: torque, body: A, torque: 1}\n"
                            "  - {name: c, type: friction, variable: rail.distance, viscous: 1}\n";

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
    assert_int_equal(bl_force_record(model, def, NULL, 0, -1, &r), BL_OK);
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
    } else if (f.drawn == BL_DRAWN_SPRING) {
        assert_int_equal(on_picture, pushed);
        assert_int_equal(pushed, (f.body[0] > 0) + (f.body[1] > 0));
    } else if (f.drawn == BL_DRAWN_FORCE) { /* the reaction is reported at the mass center */
        assert_int_equal(on_picture, 1);
    } else {
        assert_int_equal(pushed, 0);
    }
    bool rates = false;
    for (bl_index i = 0; i < r.ninput; i++)
        rates = rates || r.input[i].what == BL_SYM_MARK_RATE || r.input[i].what == BL_SYM_RATE;
    bool spring = f.drawn == BL_DRAWN_SPRING || f.drawn == BL_DRAWN_TURNING;
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
    const char *const text[] = {space, plane};
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
