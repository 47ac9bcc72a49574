/* Every force kind at random states in the plane and in space: what the tape pushes against forces and moments worked out here
 * from rigid-body motion, balance of internal forces, potential against force, derivatives against differences. */
#include "support/all_forces.h"
#include "support/force_action.h"
#include "support/handmade.h"

#include "biela/biela.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CASES = 100 };

/* ---- building forces */

static bl_value *set(bl_force_def *def, const char *name) {
    int i = test_param(def->kind->kind.params, name);
    def->value[i] = (bl_value){.given = true, .law = {-1, -1, -1}, .place = {"model.yaml", 9, i + 1}};
    return &def->value[i];
}

static bl_force_def *start(test_model *made, bl_context *ctx, int dim, const bl_force_kind *kind, test_random *random) {
    test_model_init(made, ctx, dim, random);
    made->model.nforce = 1;
    made->model.nparameter = 4;
    made->model.nvariable = 16;
    made->model.nprobe = 4;
    for (int i = 0; i < 4; i++) {
        made->probe[i].mark.body = i;
        test_random_vector(random, dim, 1, made->probe[i].mark.s);
    }
    bl_force_def *def = &made->force[0];
    *def = (bl_force_def){.name = "f1", .kind = kind, .place = {"model.yaml", 8, 3}};
    for (int i = 0; kind->kind.params[i].type != BL_P_END; i++) { /* as a reader leaves what is not given */
        def->value[i].number = kind->kind.params[i].fallback;
        def->value[i].ref = def->value[i].law[0] = def->value[i].law[1] = def->value[i].law[2] = -1;
    }
    return def;
}

/* A law sum_i sin((i + 1) input_i), by tape and by hand. */
static bl_index add_law(test_model *made, bl_context *ctx, bl_index n, const bl_symbol *symbol) {
    bl_law *law = &made->law[made->model.nlaw];
    bl_symbol *own = made->symbol[made->model.nlaw];
    memcpy(own, symbol, (size_t)n * sizeof *symbol);
    *law = (bl_law){.ninput = n, .input = own, .text = "law", .place = {"model.yaml", 10, 5}};
    if (bl_tape_create(ctx, &law->tape) != BL_OK)
        return -1;
    made->model.nlaw++;
    bl_index sum = bl_tape_const(law->tape, 0);
    for (bl_index i = 0; i < n; i++) {
        bl_index scaled = bl_tape_op2(law->tape, BL_TAPE_MUL, bl_tape_const(law->tape, i + 1), bl_tape_input(law->tape, i));
        sum = bl_tape_op2(law->tape, BL_TAPE_ADD, sum, bl_tape_op1(law->tape, BL_TAPE_SIN, scaled));
    }
    if (bl_tape_output(law->tape, sum) != BL_OK || bl_tape_finish(law->tape) != BL_OK)
        return -1;
    return made->model.nlaw - 1;
}

static double law_value(const test_model *made, bl_index index, const test_force_state *s, double x, double xd) {
    const bl_law *law = &made->law[index];
    double sum = 0;
    for (bl_index i = 0; i < law->ninput; i++) {
        const bl_symbol *symbol = &law->input[i];
        bool probe = symbol->what == BL_SYM_PROBE || symbol->what == BL_SYM_PROBE_RATE;
        sum += sin((i + 1) * test_symbol_value(symbol, probe ? &made->probe[symbol->ref].mark : NULL, s, x, xd));
    }
    return sum;
}

static const bl_symbol everything[] = {{BL_SYM_TIME, 0, 0},  {BL_SYM_PARAMETER, 2, 0},  {BL_SYM_VARIABLE, 3, 0}, {BL_SYM_RATE, 4, 0},
                                       {BL_SYM_PROBE, 2, 1}, {BL_SYM_PROBE_RATE, 3, 0}, {BL_SYM_X, 0, 0},        {BL_SYM_XD, 0, 0}};

/* ---- spring */

typedef struct spring_case {
    int a, b;
    double at[3], to[3], k, c, l0;
    bl_index law;
} spring_case;

static void make_spring(test_model *made, bl_context *ctx, int dim, test_random *random, bool damped, spring_case *sc) {
    bl_force_def *def = start(made, ctx, dim, &bl_force_spring, random);
    *sc = (spring_case){.a = test_random_below(random, 3), .b = 3, .k = 5 + test_random_unit(random), .law = -1};
    test_random_vector(random, dim, 2, sc->at);
    test_random_vector(random, dim, 2, sc->to);
    set(def, "body_a")->ref = sc->a;
    set(def, "body_b")->ref = sc->b;
    memcpy(set(def, "at")->vector, sc->at, sizeof sc->at);
    memcpy(set(def, "to")->vector, sc->to, sizeof sc->to);
    set(def, "stiffness")->number = sc->k;
    double d[3] = {sc->to[0] - sc->at[0], sc->to[1] - sc->at[1], sc->to[2] - sc->at[2]};
    sc->l0 = test_norm(d);
    if (test_random_below(random, 2)) {
        sc->l0 = test_random_below(random, 3) ? test_random_unit(random) : 0;
        set(def, "length")->number = sc->l0;
    }
    if (damped) {
        set(def, "damping")->number = sc->c = test_random_unit(random);
        if (test_random_below(random, 2))
            set(def, "force")->law[0] = sc->law = add_law(made, ctx, 8, everything);
    }
}

static void spring__pulls_along_its_line(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    test_random random = {test_seed(11)};
    for (int c = 0; c < 2 * CASES; c++) {
        test_model made;
        spring_case sc;
        test_force_state s;
        bl_record r;
        test_action got, want = {0};
        make_spring(&made, ctx, 2 + c % 2, &random, c % 4 < 2, &sc);
        test_force_state_random(&made.model, &random, &s);
        assert_int_equal(bl_force_record(made.model.ctx, &made.model, &made.force[0], NULL, 0, -1, &r), BL_OK);
        test_act(&r, &s, &got);

        bl_mark a = {.body = sc.a}, b = {.body = sc.b};
        double pa[3], pb[3], va[3], vb[3], d[3], u[3], f[3];
        for (int k = 0; k < 3; k++) {
            a.s[k] = sc.at[k] - made.body[sc.a].center[k];
            b.s[k] = sc.to[k] - made.body[sc.b].center[k];
        }
        test_mark_motion(&a, &s.pose[sc.a], pa, va);
        test_mark_motion(&b, &s.pose[sc.b], pb, vb);
        for (int k = 0; k < 3; k++)
            d[k] = pb[k] - pa[k];
        double x = test_norm(d), xd = 0;
        for (int k = 0; k < 3; k++) {
            u[k] = d[k] / x;
            xd += u[k] * (vb[k] - va[k]);
        }
        double tension = sc.k * (x - sc.l0) + sc.c * xd + (sc.law >= 0 ? law_value(&made, sc.law, &s, x, xd) : 0);
        for (int k = 0; k < 3; k++)
            f[k] = tension * u[k];
        test_add_force(&want, sc.a, pa, f, 1);
        test_add_force(&want, sc.b, pb, f, -1);
        want.potential = 0.5 * sc.k * (x - sc.l0) * (x - sc.l0);
        test_same_action(&got, &want, fabs(tension) * 4 + want.potential);
        if (sc.a > 0)
            test_balanced(&got, fabs(tension) * 4);
        test_force_jacobian(&r, &s);
        bl_tape_destroy(r.tape);
        test_model_end(&made);
    }
    test_context_end(ctx);
}

static void spring__force_is_minus_the_gradient_of_its_potential(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    test_random random = {test_seed(12)};
    for (int c = 0; c < CASES; c++) {
        test_model made;
        spring_case sc;
        test_force_state s;
        bl_record r;
        make_spring(&made, ctx, 2 + c % 2, &random, false, &sc);
        test_force_state_random(&made.model, &random, &s);
        assert_int_equal(bl_force_record(made.model.ctx, &made.model, &made.force[0], NULL, 0, -1, &r), BL_OK);
        test_force_gradient(&r, &s, 1e-7);
        bl_tape_destroy(r.tape);
        test_model_end(&made);
    }
    test_context_end(ctx);
}

/* ---- on variables */

static void variable_forces__follow_their_laws(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    test_random random = {test_seed(13)};
    for (int c = 0; c < CASES; c++) {
        test_model made;
        test_force_state s;
        bl_record r;
        test_action got, want = {0};
        int which = test_random_below(&random, 16), dim = 2 + c % 2;
        double k = test_random_unit(&random), x0 = test_random_symmetric(&random), d = test_random_unit(&random);
        bl_force_def *def = start(&made, ctx, dim, &bl_force_rotational_spring, &random);
        set(def, "variable")->ref = which;
        set(def, "stiffness")->number = k;
        set(def, "angle")->number = x0;
        set(def, "damping")->number = d;
        bl_index law = add_law(&made, ctx, 8, everything);
        set(def, "torque")->law[0] = law;
        test_force_state_random(&made.model, &random, &s);
        assert_int_equal(bl_force_record(made.model.ctx, &made.model, def, NULL, 0, -1, &r), BL_OK);
        test_act(&r, &s, &got);
        double x = s.variable[which], xd = s.rate[which];
        want.variable[which] = -k * (x - x0) - d * xd + law_value(&made, law, &s, x, xd);
        want.potential = 0.5 * k * (x - x0) * (x - x0);
        test_same_action(&got, &want, 10);
        test_force_jacobian(&r, &s);
        bl_tape_destroy(r.tape);

        def->kind = &bl_force_friction;
        memset(def->value, 0, sizeof def->value);
        set(def, "variable")->ref = which;
        set(def, "viscous")->number = d;
        set(def, "coulomb")->number = k;
        set(def, "velocity")->number = 0.3;
        assert_int_equal(bl_force_record(made.model.ctx, &made.model, def, NULL, 0, -1, &r), BL_OK);
        test_act(&r, &s, &got);
        memset(&want, 0, sizeof want);
        want.variable[which] = -d * xd - k * tanh(xd / 0.3);
        test_same_action(&got, &want, 10);
        assert_true(got.variable[which] * xd <= 0); /* takes energy, never gives */
        assert_int_equal(r.potential_node, -1);
        test_force_jacobian(&r, &s);
        bl_tape_destroy(r.tape);
        test_model_end(&made);
    }
    test_context_end(ctx);
}

/* the surface moves with the speed s: mu N tanh(s / v) + c s against it */
static void joint_friction__rubs_at_its_surface(void **unused) {
    (void)unused;
    static const bl_joint_kind *const kinds[] = {&bl_joint_revolute, &bl_joint_prismatic, &bl_joint_cylindrical};
    bl_context *ctx = test_context(NULL);
    test_random random = {test_seed(21)};
    for (int c = 0; c < CASES; c++) {
        test_model made;
        test_force_state s;
        bl_record r;
        test_action got, want = {0};
        int which = c % 3;
        bool turns = which != 1, slides = which != 0;
        bl_force_def *def = start(&made, ctx, which == 2 ? 3 : 2 + c % 2, &bl_force_joint_friction, &random);
        for (int i = 0; i < 16; i++)
            made.variable[i] = (bl_variable){.joint = 2, .is_angle = true};
        made.joint[1] = (bl_joint_def){.name = "j", .kind = kinds[which]};
        if (turns)
            made.variable[4] = (bl_variable){.joint = 1, .is_angle = true};
        if (slides)
            made.variable[5] = (bl_variable){.joint = 1, .is_angle = false};
        double mu = test_random_unit(&random), radius = turns ? test_random_unit(&random) + 0.1 : 0, viscous = test_random_unit(&random);
        double arm = test_random_unit(&random) + 0.1;
        set(def, "joint")->ref = 1;
        set(def, "coefficient")->number = mu;
        if (turns)
            set(def, "radius")->number = radius;
        set(def, "arm")->number = arm;
        set(def, "velocity")->number = 0.3;
        set(def, "viscous")->number = viscous;
        test_force_state_random(&made.model, &random, &s);
        assert_int_equal(bl_force_record(made.model.ctx, &made.model, def, NULL, 0, -1, &r), BL_OK);
        test_act(&r, &s, &got);
        double turning = turns ? radius * s.rate[4] : 0, sliding = slides ? s.rate[5] : 0, speed = hypot(turning, sliding);
        double force = mu * s.load * tanh(speed / 0.3) + viscous * speed;
        want.variable[4] = -force * radius * turning / speed;
        want.variable[5] = -force * sliding / speed;
        test_same_action(&got, &want, 100);
        assert_true(r.normal.arm == arm && r.normal.variable == (slides ? 5 : 4) && r.normal.whole_moment == !turns);
        assert_int_equal(r.potential_node, -1);
        test_force_jacobian(&r, &s);
        bl_tape_destroy(r.tape);
        set(def, "coefficient")->number = 0; /* nothing left that reads the reaction */
        assert_int_equal(bl_force_record(made.model.ctx, &made.model, def, NULL, 0, -1, &r), BL_OK);
        for (bl_index i = 0; i < r.ninput; i++)
            assert_int_not_equal(r.input[i].what, BL_SYM_LOAD);
        bl_tape_destroy(r.tape);
        test_model_end(&made);
    }
    test_context_end(ctx);
}

static void spherical_spring__acts_on_three_angles(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    test_random random = {test_seed(14)};
    for (int c = 0; c < CASES; c++) {
        test_model made;
        test_force_state s;
        bl_record r;
        test_action got, want = {0};
        double k[3], d[3];
        bl_force_def *def = start(&made, ctx, 3, &bl_force_spherical_spring, &random);
        for (int i = 0; i < 16; i++)
            made.variable[i] = (bl_variable){.joint = i < 5 ? 0 : i < 8 ? 1 : 2, .is_angle = true};
        set(def, "joint")->ref = 1; /* variables 5, 6, 7 */
        test_random_vector(&random, 3, 3, k);
        test_random_vector(&random, 3, 3, d);
        memcpy(set(def, "stiffness")->vector, k, sizeof k);
        memcpy(set(def, "damping")->vector, d, sizeof d);
        test_force_state_random(&made.model, &random, &s);
        if (c % 2) { /* a stiffness that is an expression of a parameter */
            def->value[1].law[2] = add_law(&made, ctx, 1, &(bl_symbol){BL_SYM_PARAMETER, 1, 0});
            k[2] = law_value(&made, def->value[1].law[2], &s, NAN, NAN);
        }
        assert_int_equal(bl_force_record(made.model.ctx, &made.model, def, NULL, 0, -1, &r), BL_OK);
        test_act(&r, &s, &got);
        for (int i = 0; i < 3; i++) {
            want.variable[5 + i] = -k[i] * s.variable[5 + i] - d[i] * s.rate[5 + i];
            want.potential += 0.5 * k[i] * s.variable[5 + i] * s.variable[5 + i];
        }
        test_same_action(&got, &want, 10);
        test_force_jacobian(&r, &s);
        /* without velocity the generalized forces are minus the gradient of the potential */
        test_force_state still = s;
        memset(still.rate, 0, sizeof still.rate);
        test_act(&r, &still, &got);
        for (int i = 5; i < 8; i++) {
            test_action up, down;
            test_force_state moved = still;
            moved.variable[i] += 1e-5;
            test_act(&r, &moved, &up);
            moved.variable[i] -= 2e-5;
            test_act(&r, &moved, &down);
            assert_near(-(up.potential - down.potential) / 2e-5, got.variable[i], 1e-9);
        }
        bl_tape_destroy(r.tape);
        test_model_end(&made);
    }
    test_context_end(ctx);
}

/* ---- forces and moments on bodies */

static void body_forces__act_where_they_say(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    test_random random = {test_seed(15)};
    for (int c = 0; c < 4 * CASES; c++) {
        test_model made;
        test_force_state s;
        bl_record r;
        test_action got, want = {0};
        int dim = 2 + c % 2, body = 1 + test_random_below(&random, 3), against = body == 3 ? 1 : test_random_below(&random, body);
        bool torque = c % 4 >= 2, turned = test_random_below(&random, 2);
        bl_force_def *def = start(&made, ctx, dim, torque ? &bl_force_torque : &bl_force_force, &random);
        set(def, "body")->ref = body;
        if (against > 0)
            set(def, "against")->ref = against;
        bl_mark mark = {.body = body};
        if (!torque && test_random_below(&random, 2)) {
            double *at = set(def, "at")->vector;
            test_random_vector(&random, dim, 2, at);
            for (int k = 0; k < 3; k++)
                mark.s[k] = at[k] - made.body[body].center[k];
        }
        test_force_state_random(&made.model, &random, &s);
        double f[3] = {0}, p[3];
        bl_value *value = set(def, torque ? "torque" : "force");
        for (int k = 0; k < 3; k++) {
            bool counts = dim == 3 || (k == 2) == torque;
            value->vector[k] = test_random_symmetric(&random); /* what does not count in the plane must not matter */
            if (counts && test_random_below(&random, 2))
                value->law[k] = add_law(&made, ctx, 6, everything);
            if (counts)
                f[k] = value->law[k] >= 0 ? law_value(&made, value->law[k], &s, NAN, NAN) : value->vector[k];
        }
        if (turned) {
            set(def, "frame")->number = 1;
            test_apply(s.pose[body].R, f, f);
        }
        assert_int_equal(bl_force_record(made.model.ctx, &made.model, def, NULL, 0, -1, &r), BL_OK);
        test_act(&r, &s, &got);
        test_mark_motion(&mark, &s.pose[body], p, (double[3]){0});
        for (int k = 0; k < 3 && torque; k++) {
            want.moment[body][k] += f[k];
            want.moment[against][k] -= f[k];
        }
        if (!torque) {
            test_add_force(&want, body, p, f, 1);
            test_add_force(&want, against, p, f, -1); /* the reaction acts at the same place in space */
        }
        test_same_action(&got, &want, 50);
        if (against > 0)
            test_balanced(&got, 50);
        test_force_jacobian(&r, &s);
        bl_tape_destroy(r.tape);
        test_model_end(&made);
    }
    test_context_end(ctx);
}

/* ---- economy, limits, refusals, memory */

static void record__asks_only_for_what_matters(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    test_random random = {16};
    test_model made;
    bl_record r;
    bl_force_def *def = start(&made, ctx, 3, &bl_force_force, &random);
    set(def, "body")->ref = 1;
    set(def, "frame")->number = 1;
    set(def, "force")->vector[0] = 7; /* along the body's x axis only */
    assert_int_equal(bl_force_record(made.model.ctx, &made.model, def, NULL, 0, -1, &r), BL_OK);
    assert_int_equal(r.ninput, 3);
    assert_int_equal(r.nmark, 2); /* the point and one axis */
    for (bl_index i = 0; i < r.ninput; i++) {
        assert_int_equal(r.input[i].what, BL_SYM_MARK);
        assert_true(r.mark[r.input[i].ref].is_vector && r.mark[r.input[i].ref].s[0] == 1);
    }
    bl_tape_destroy(r.tape);

    /* a planar spring to ground: two coordinates of one point */
    def = start(&made, ctx, 2, &bl_force_spring, &random);
    set(def, "body_b")->ref = 2;
    set(def, "at")->vector[0] = 3;
    set(def, "to")->vector[0] = 1;
    set(def, "stiffness")->number = 2;
    assert_int_equal(bl_force_record(made.model.ctx, &made.model, def, NULL, 0, -1, &r), BL_OK);
    assert_int_equal(r.ninput, 2);
    assert_int_equal(r.nmark, 1);
    assert_int_equal(r.mark[0].body, 2);
    bl_tape_destroy(r.tape);
    test_context_end(ctx);
}

static void refused(bl_context *ctx, test_model *made, const char *words) {
    bl_record r;
    bl_context_clear_error(ctx);
    assert_int_equal(bl_force_record(made->model.ctx, &made->model, &made->force[0], NULL, 0, -1, &r), BL_E_MODEL);
    bl_tape_destroy(r.tape);
    const bl_error *error = bl_context_error(ctx);
    if (!strstr(error->what, words))
        fail_msg("'%s' should say '%s'", error->what, words);
    assert_string_equal(error->file, "model.yaml");
    assert_true(error->line > 0 && error->column > 0 && error->advice[0]);
    assert_string_equal(error->part, "f1");
}

static void bad_forces__are_refused_with_place_and_advice(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    test_random random = {17};
    test_model made;
    bl_force_def *def = start(&made, ctx, 3, &bl_force_spring, &random);
    set(def, "at");
    set(def, "to")->vector[0] = 1;
    set(def, "stiffness")->number = 1;
    refused(ctx, &made, "same body");
    set(def, "body_a")->ref = 1;
    set(def, "to")->vector[0] = 0;
    set(def, "damping")->number = 1;
    refused(ctx, &made, "no direction");

    def = start(&made, ctx, 3, &bl_force_force, &random);
    set(def, "body")->ref = 0;
    set(def, "force");
    refused(ctx, &made, "'body' and 'against' are the same body");
    set(def, "body")->ref = 1;
    set(def, "force")->law[1] = add_law(&made, ctx, 1, &everything[6]);
    refused(ctx, &made, "x or xd");
    test_model_end(&made);

    def = start(&made, ctx, 3, &bl_force_spherical_spring, &random);
    made.variable[0] = (bl_variable){.joint = 1, .is_angle = true};
    set(def, "joint")->ref = 1;
    refused(ctx, &made, "three angles");
    for (int i = 0; i < 16; i++)
        made.variable[i] = (bl_variable){.joint = i < 3, .is_angle = true};
    set(def, "stiffness")->law[0] = add_law(&made, ctx, 1, &everything[0]);
    refused(ctx, &made, "constants");
    test_model_end(&made);

    def = start(&made, ctx, 3, &bl_force_joint_friction, &random);
    made.variable[0] = (bl_variable){.joint = 1, .is_angle = true};
    made.joint[1] = (bl_joint_def){.name = "ball", .kind = &bl_joint_spherical};
    set(def, "joint")->ref = 1;
    set(def, "coefficient")->number = 0.1;
    refused(ctx, &made, "'ball' is of type spherical");
    assert_string_equal(bl_context_error(ctx)->advice, "joint types that can have friction: revolute, prismatic, cylindrical");
    made.joint[1].kind = &bl_joint_revolute;
    refused(ctx, &made, "needs 'radius'");
    test_model_end(&made);
    test_context_end(ctx);
}

/* more probes than a force can hold: a message, not an overrun */
static void too_many_marks__are_refused(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    test_random random = {18};
    test_model made;
    bl_force_def *def = start(&made, ctx, 3, &bl_force_rotational_spring, &random);
    enum { MANY = 300 };
    static bl_probe probe[MANY];
    static bl_symbol symbol[MANY];
    for (int i = 0; i < MANY; i++) {
        probe[i] = (bl_probe){.mark = {.body = 1, .s = {i, 0, 0}}};
        symbol[i] = (bl_symbol){BL_SYM_PROBE, i, 0};
    }
    made.model.probe = probe;
    set(def, "variable");
    set(def, "torque")->law[0] = add_law(&made, ctx, 1, symbol);
    bl_law *law = &made.law[0];
    bl_tape_destroy(law->tape);
    law->input = symbol;
    for (int n = BL_MAX_FORCE_MARKS; n <= MANY; n += n == BL_MAX_FORCE_MARKS ? 1 : MANY - BL_MAX_FORCE_MARKS - 1) {
        assert_int_equal(bl_tape_create(ctx, &law->tape), BL_OK);
        bl_index sum = bl_tape_const(law->tape, 0);
        for (int i = 0; i < n; i++)
            sum = bl_tape_op2(law->tape, BL_TAPE_ADD, sum, bl_tape_input(law->tape, i));
        assert_int_equal(bl_tape_output(law->tape, sum), BL_OK);
        assert_int_equal(bl_tape_finish(law->tape), BL_OK);
        law->ninput = n;
        if (n == BL_MAX_FORCE_MARKS) {
            bl_record r;
            assert_int_equal(bl_force_record(made.model.ctx, &made.model, def, NULL, 0, -1, &r), BL_OK);
            assert_int_equal(r.nmark, n);
            bl_tape_destroy(r.tape);
        } else {
            refused(ctx, &made, "more than");
        }
        bl_tape_destroy(law->tape);
    }
    made.model.nlaw = 0;
    test_context_end(ctx);
}

/* every force of the models with all kinds, recorded with an allocator of its own */
static bl_status record_all(bl_context *ctx, void *user) {
    bl_model *const *model = user;
    bl_status status = BL_OK;
    for (int m = 0; m < 2; m++) {
        bl_model own = *model[m];
        own.ctx = ctx;
        for (bl_index i = 0; i < own.nforce && status == BL_OK; i++) {
            bl_record r = {0};
            status = bl_force_record(ctx, &own, &own.force[i], NULL, 0, -1, &r);
            bl_tape_destroy(r.tape);
        }
    }
    return status;
}

static void failing_allocations__leak_nothing(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_model *model[2] = {NULL, NULL};
    for (int m = 0; m < 2; m++)
        assert_int_equal(bl_model_read_text(ctx, "all", test_all_forces[m], strlen(test_all_forces[m]), NULL, 0, &model[m]), BL_OK);
    assert_true(test_failing_allocations(record_all, model) > 20);
    for (int m = 0; m < 2; m++)
        bl_model_destroy(model[m]);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spring__pulls_along_its_line),
        cmocka_unit_test(spring__force_is_minus_the_gradient_of_its_potential),
        cmocka_unit_test(variable_forces__follow_their_laws),
        cmocka_unit_test(joint_friction__rubs_at_its_surface),
        cmocka_unit_test(spherical_spring__acts_on_three_angles),
        cmocka_unit_test(body_forces__act_where_they_say),
        cmocka_unit_test(record__asks_only_for_what_matters),
        cmocka_unit_test(bad_forces__are_refused_with_place_and_advice),
        cmocka_unit_test(too_many_marks__are_refused),
        cmocka_unit_test(failing_allocations__leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
