/* What a valid file means: names, numbers, expressions, repeats, includes, laws, initial state, settings. */
#include "support/testing.h"

#include "force/force.h"
#include "joint/joint.h"
#include "model/model.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bl_model *read_with(bl_context *ctx, const char *text, const bl_override *set, bl_index nset) {
    bl_model *model = NULL;
    bl_status status = bl_model_read_text(ctx, "good.yaml", text, strlen(text), set, nset, &model);
    const bl_error *e = bl_context_error(ctx);
    if (status != BL_OK)
        print_error("%s:%d:%d: %s (%s)\n", e->file, e->line, e->column, e->what, e->advice);
    assert_int_equal(status, BL_OK);
    return model;
}

static bl_model *read_good(bl_context *ctx, const char *text) { return read_with(ctx, text, NULL, 0); }

static void end(bl_context *ctx, bl_model *model) {
    bl_model_destroy(model);
    test_context_end(ctx);
}

static char *file_text(const char *path) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1, 1 << 16);
    size_t n = fread(text, 1, (1 << 16) - 1, file);
    assert_true(n > 0);
    fclose(file);
    return text;
}

static void write_file(const char *path, const char *text) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* value of a law, inputs by what they are: t, one value for all variables, one for all rates */
static double law_value(const bl_model *model, bl_index which, double t, double variable, double rate) {
    const bl_law *law = &model->law[which];
    double *in = calloc((size_t)law->ninput + 1, sizeof *in), *work = calloc(bl_tape_work(law->tape) + 1, sizeof *work), out;
    for (bl_index i = 0; i < law->ninput; i++)
        switch (law->input[i].what) {
        case BL_SYM_TIME: in[i] = t; break;
        case BL_SYM_PARAMETER: in[i] = model->parameter[law->input[i].ref].value; break;
        case BL_SYM_VARIABLE:
        case BL_SYM_X:
        case BL_SYM_PROBE: in[i] = variable; break;
        default: in[i] = rate; break;
        }
    bl_tape_eval(law->tape, in, &out, work);
    free(in);
    free(work);
    return out;
}

/* line and column of the first occurrence of a part of the text */
static void assert_place(const bl_place *place, const char *text, const char *part) {
    const char *at = strstr(text, part), *line = at;
    assert_non_null(at);
    int number = 1;
    while (line > text && line[-1] != '\n')
        line--;
    for (const char *s = text; s < line; s++)
        number += *s == '\n';
    assert_int_equal(place->line, number);
    assert_int_equal(place->column, at - line + 1);
}

/* the first example of docs/MODEL.md without its include */
static char *documented_example(void) {
    char *page = file_text(TESTS "/../docs/MODEL.md"), *text = strstr(page, "```yaml\n"), *stop;
    assert_non_null(text);
    text += 8;
    stop = strstr(text, "```");
    assert_non_null(stop);
    *stop = '\0';
    char *include = strstr(text, "include:"), *line = include ? strchr(include, '\n') : NULL;
    assert_non_null(line);
    memmove(include, line + 1, strlen(line + 1) + 1);
    char *copy = strdup(text);
    free(page);
    return copy;
}

static void documented_example__reads_as_the_page_says(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    char *text = documented_example();
    bl_model *m = read_good(ctx, text);
    assert_string_equal(m->name, "Slider-crank");
    assert_string_equal(m->file, "good.yaml");
    assert_int_equal(m->source_bytes, strlen(text));
    assert_memory_equal(m->source, text, strlen(text));
    assert_int_equal(m->dim, 2);
    assert_true(m->gravity[0] == 0 && m->gravity[1] == -9.81 && m->gravity[2] == 0);
    assert_int_equal(m->nbody, 3);
    assert_string_equal(m->body[0].name, "ground");
    bl_index crank = bl_model_body(m, "crank");
    assert_int_equal(crank, 1);
    assert_true(m->body[crank].mass == 2 * 0.4);
    assert_true(fabs(m->body[crank].inertia[2][2] - 0.8 * 0.16 / 12) < 1e-17);
    assert_true(m->body[crank].center[0] == 0.2 && m->body[crank].center[1] == 0);
    assert_int_equal(m->njoint, 1);
    assert_int_equal(bl_model_joint(m, "j1"), 0);
    assert_true(m->joint[0].kind == &bl_joint_revolute);
    assert_true(m->joint[0].body[0] == 0 && m->joint[0].body[1] == crank);
    assert_int_equal(bl_model_variable(m, "j1.angle"), 0);
    assert_true(m->variable[0].is_angle);
    assert_int_equal(m->ndriver, 1);
    assert_true(fabs(law_value(m, m->driver[0].law, 0.25, 0, 0) - 1.5707963267948966) < 1e-15);
    assert_int_equal(m->nforce, 1);
    assert_true(m->force[0].value[0].ref == 0 && m->force[0].value[1].ref == 2);
    assert_int_equal(bl_model_probe(m, "tip"), 0);
    assert_true(m->probe[0].mark.body == crank && m->probe[0].mark.s[0] == 0.2);
    assert_int_equal(m->nmeasure, 1);
    assert_int_equal(m->nindependent, 1);
    assert_string_equal(m->independent[0], "j1.angle");
    assert_int_equal(m->ninitial, 2);
    assert_true(m->initial[0].what == BL_INITIAL_RATE && m->initial[0].value[0] == 6 && !m->initial[0].guess);
    assert_true(m->initial[1].what == BL_INITIAL_VELOCITY && m->initial[1].value[1] == 1 && m->initial[1].guess);
    assert_true(m->settings.until == 10 && m->settings.tolerance == 1e-6 && isnan(m->settings.step) && !m->settings.integrator);
    assert_int_equal(m->nstop, 1);
    assert_string_equal(m->stop[0].name, "j1.angle - 3");
    assert_true(law_value(m, m->stop[0].law, 0, 5, 0) == 2);
    assert_place(&m->joint[0].place, text, "{name: j1");
    free(text);
    end(ctx, m);
}

static void scenes__all_read(void **state) {
    (void)state;
    static const struct {
        const char *file;
        int bodies, joints, dim;
    } scenes[] = {{"pendulum", 1, 1, 2},         {"four_bar", 3, 4, 2},         {"slider_crank", 3, 4, 2},
                  {"double_pendulum", 2, 2, 2},  {"andrews", 7, 10, 2},         {"bricard", 5, 6, 3},
                  {"heavy_top", 1, 1, 3},        {"flyball_governor", 4, 4, 3}, {"spatial_slider_crank", 3, 4, 3},
                  {"five_bar_pendulum", 5, 5, 3}};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        char path[512];
        snprintf(path, sizeof path, "%s/%s.yaml", SCENES, scenes[i].file);
        bl_context *ctx = test_context(NULL);
        bl_model *m = NULL;
        assert_int_equal(bl_model_read(ctx, path, NULL, 0, &m), BL_OK);
        assert_int_equal(m->nbody, scenes[i].bodies + 1);
        assert_int_equal(m->njoint, scenes[i].joints);
        assert_int_equal(m->dim, scenes[i].dim);
        end(ctx, m);
    }
}

static void chains__grow_with_their_parameter(void **state) {
    (void)state;
    for (int n = 1; n <= 10000; n *= 100) {
        bl_context *ctx = test_context(NULL);
        bl_model *m = NULL;
        assert_int_equal(bl_model_read(ctx, SCENES "/n_four_bar.yaml", &(bl_override){"N", n}, 1, &m), BL_OK);
        assert_int_equal(m->nbody, 1 + n + 1 + n);
        assert_int_equal(m->njoint, n + 1 + 2 * n);
        char name[32];
        snprintf(name, sizeof name, "coupler%d", n - 1);
        const bl_body *last = &m->body[bl_model_body(m, name)];
        assert_true(last->center[0] == n - 0.5 && last->center[1] == 1);
        const bl_joint_def *joint = &m->joint[m->njoint - 1];
        snprintf(name, sizeof name, "C%d", n);
        assert_string_equal(joint->name, name);
        assert_int_equal(joint->body[0], last - m->body);
        assert_int_equal(joint->body[1], n + 1); /* crank n */
        end(ctx, m);
    }
}

static void repeats__nest_and_replace_their_indices_in_text(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *m = read_good(
        ctx,
        "points:\n"
        "- repeat: {count: 2, index: i, do: [{repeat: {count: 3, index: k, from: =10*i - 1, do: [{name: P$i_$k, at: [=i, =k, =i*k]}]}}]}\n"
        "- {name: cost$5, at: [0, 0, 0]}\n"
        "bodies:\n"
        "- repeat: {count: 2, do: {name: \"$i of $(i+1)/$(i/4)\", mass: =2*i, center: P$i_$(10*i + 1), inertia: [0, 0, 0]}}\n"
        "- repeat: {count: 0, do: [{name: never, mass: -1}]}\n");
    static const char *const names[] = {"P0_-1", "P0_0", "P0_1", "P1_9", "P1_10", "P1_11", "cost$5"};
    static const double at[][3] = {{0, -1, 0}, {0, 0, 0}, {0, 1, 0}, {1, 9, 9}, {1, 10, 10}, {1, 11, 11}, {0, 0, 0}};
    assert_int_equal(m->npoint, 7);
    for (int i = 0; i < 7; i++) {
        assert_string_equal(m->point[i].name, names[i]);
        for (int k = 0; k < 3; k++)
            assert_true(m->point[i].at[k] == at[i][k]);
    }
    assert_int_equal(m->nbody, 3);
    assert_string_equal(m->body[1].name, "0 of 1/0");
    assert_string_equal(m->body[2].name, "1 of 2/0.25");
    assert_true(m->body[2].mass == 2 && m->body[2].center[1] == 11);
    end(ctx, m);
}

static void parameters__may_stand_in_any_order_and_be_overridden(void **state) {
    (void)state;
    const char *text = "parameters: {d: =c*2, c: =b + a, a: 3, b: =a^2}\n"
                       "bodies: [{name: x, mass: =d, center: [0, 0, 0], inertia: [=a, =a, =a]}]\n";
    bl_context *ctx = test_context(NULL);
    bl_model *m = read_good(ctx, text);
    assert_true(m->body[1].mass == 24);
    assert_string_equal(m->parameter[0].name, "d");
    assert_true(m->parameter[0].value == 24 && m->parameter[3].value == 9);
    bl_model_destroy(m);
    m = read_with(ctx, text, (bl_override[]){{"a", 1}, {"c", 5}}, 2);
    assert_true(m->body[1].mass == 10 && m->body[1].inertia[1][1] == 1);
    assert_true(m->parameter[1].value == 5);
    end(ctx, m);
}

static void long_reverse_parameter_chains__do_not_exhaust_the_stack(void **state) {
    (void)state;
    enum { N = 20000 };
    const size_t size = N * 32;
    char *text = malloc(size);
    size_t n = (size_t)snprintf(text, size, "bodies: [{name: x, mass: =p0, center: [0, 0, 0], inertia: [0, 0, 0]}]\nparameters:\n");
    for (int i = 0; i < N; i++)
        n += (size_t)snprintf(text + n, size - n, "  p%d: =p%d + 1\n", i, i + 1);
    snprintf(text + n, size - n, "  p%d: 0\n", N);
    bl_context *ctx = test_context(NULL);
    bl_model *m = read_good(ctx, text);
    assert_true(m->body[1].mass == N);
    free(text);
    end(ctx, m);
}

static const char *const arm = "parameters: {k: 3}\n"
                               "bodies: [{name: a, mass: 1, center: [0, 0, 0], inertia: [1, 1, 1]}]\n"
                               "joints:\n"
                               "- {name: h, type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [0, 0, 2]}\n"
                               "probes: {p: {body: a, at: [1, 2, 3]}, c: {body: a}}\n";

static char *with(const char *more) {
    char *text = malloc(strlen(arm) + strlen(more) + 1);
    memcpy(text, arm, strlen(arm));
    memcpy(text + strlen(arm), more, strlen(more) + 1);
    return text;
}

static void laws__keep_parameters_as_inputs_and_constants_as_numbers(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    char *text = with("forces:\n"
                      "- {type: torque, body: a, torque: [2, =2*pi, =k]}\n"
                      "- {type: torque, body: a, torque: [=k*t^2, =h.angle + p.x, =h.rate - p.vx]}\n"
                      "- {type: torque, body: a, against: ground, torque: [0, 0, 1], frame: body}\n"
                      "- {name: s, type: spring, bodies: [ground, a], at: [0, 0, 0], to: [1, 0, 0], force: =k*x + xd}\n");
    bl_model *m = read_good(ctx, text);
    const bl_value *v = &m->force[0].value[2];
    assert_true(v->given && v->law[0] == -1 && v->vector[0] == 2);
    assert_true(v->law[1] == -1 && fabs(v->vector[1] - 6.283185307179586) < 1e-15);
    assert_true(v->law[2] >= 0 && v->vector[2] == 3); /* of a parameter: a law, and its value */
    assert_int_equal(m->law[v->law[2]].ninput, 1);
    assert_int_equal(m->law[v->law[2]].input[0].what, BL_SYM_PARAMETER);
    assert_string_equal(m->law[v->law[2]].text, "k");
    v = &m->force[1].value[2];
    assert_true(law_value(m, v->law[0], 2, 0, 0) == 12);
    assert_true(law_value(m, v->law[1], 0, 7, 0) == 14);
    assert_true(law_value(m, v->law[2], 0, 0, 5) == 0);
    const bl_law *law = &m->law[v->law[1]];
    assert_true(law->input[0].what == BL_SYM_VARIABLE && law->input[0].ref == 0);
    assert_true(law->input[1].what == BL_SYM_PROBE && law->input[1].ref == 0 && law->input[1].part == 0);
    v = m->force[0].value;
    assert_true(v[0].ref == 1 && !v[1].given && v[1].ref == -1 && !v[3].given && v[3].number == 0);
    assert_string_equal(v[3].text, "global"); /* the first choice */
    v = m->force[2].value;
    assert_true(v[1].given && v[1].ref == 0 && v[3].given && v[3].number == 1);
    assert_string_equal(v[3].text, "body");
    v = &m->force[3].value[7];
    assert_true(law_value(m, v->law[0], 0, 2, 5) == 11);
    assert_string_equal(m->force[0].name, "f1");
    assert_string_equal(m->force[3].name, "s");
    assert_place(&m->law[v->law[0]].place, text, "k*x");
    free(text);
    end(ctx, m);
}

static void joints__get_bodies_unit_vectors_and_variables(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *m = read_good(ctx, "bodies: [{name: a, mass: 0}, {name: b, mass: 0}]\n"
                                 "joints:\n"
                                 "- {type: gear, first: c.angle, second: hinge.angle, ratio: -2}\n" /* of joints that come later */
                                 "- {name: hinge, type: revolute, bodies: [ground, a], at: [0, 0, 0], axis: [3, 0, 4], cut: true}\n"
                                 "- {name: c, type: cylindrical, bodies: [a, b], at: [0, 0, 0], axis: [0, 0, 1]}\n"
                                 "- {type: spherical, bodies: [b, ground], at: [0, 0, 0]}\n"
                                 "- {name: ball, type: spherical, bodies: [b, ground], at: [0, 0, 0], angles: true}\n"
                                 "initial: {hinge.rate: 1, c.distance_rate: 2, ball.angle2: 3}\n");
    assert_int_equal(m->njoint, 5);
    assert_string_equal(m->joint[0].name, "j1");
    assert_string_equal(m->joint[3].name, "j4");
    assert_true(m->joint[0].body[0] == -1 && m->joint[0].body[1] == -1 && m->joint[0].first_var == -1);
    assert_true(m->joint[1].cut && !m->joint[2].cut);
    const bl_value *axis = &m->joint[1].value[2];
    assert_true(axis->given && fabs(axis->vector[0] - 0.6) < 1e-15 && fabs(axis->vector[2] - 0.8) < 1e-15);
    static const char *const names[] = {"hinge.angle", "c.angle", "c.distance", "ball.angle1", "ball.angle2", "ball.angle3"};
    assert_int_equal(m->nvariable, 6);
    for (bl_index i = 0; i < 6; i++) {
        assert_string_equal(m->variable[i].name, names[i]);
        assert_int_equal(bl_model_variable(m, names[i]), i);
        assert_int_equal(m->variable[i].is_angle, i != 2);
    }
    assert_true(m->joint[3].first_var == -1 && m->joint[4].first_var == 3);
    assert_true(m->joint[0].value[0].ref == 1 && m->joint[0].value[1].ref == 0 && m->joint[0].value[2].number == -2);
    assert_true(m->initial[0].what == BL_INITIAL_RATE && m->initial[0].ref == 0);
    assert_true(m->initial[1].what == BL_INITIAL_RATE && m->initial[1].ref == 2);
    assert_true(m->initial[2].what == BL_INITIAL_VARIABLE && m->initial[2].ref == 4 && m->initial[2].value[0] == 3);
    end(ctx, m);
}

static void initial__finds_the_body_that_a_point_belongs_to(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *m =
        read_good(ctx, "points: {A: [1, 0, 0], B: [2, 0, 0], C: [3, 0, 0]}\n"
                       "bodies: [{name: a, mass: 1, center: [5, 0, 0], inertia: [0, 0, 0], carry: [{vector: [0, 2, 0]}, {point: C}]}]\n"
                       "joints: [{type: spherical, bodies: [ground, a], at: A}, {type: spherical, bodies: [a, ground], at: [2, 0, 0]}]\n"
                       "probes: {p: {body: a, at: [5, 1, 0]}}\n"
                       "initial:\n"
                       "- A: {velocity: [1, 2, 3]}\n"
                       "- {B: {position: A, guess: true}, C: {velocity: [0, 0, 1]}}\n"
                       "- a: {position: [1, 1, 1], velocity: [2, 2, 2], orientation: [0, 0, =90*deg], angular_velocity: [0, 0, 4]}\n"
                       "- repeat: {count: 1, do: [{p: {velocity: [=i, 0, 0]}}]}\n");
    assert_int_equal(m->ninitial, 8);
    for (int i = 0; i < 3; i++)
        assert_true(m->initial[i].mark.body == 1 && m->initial[i].mark.s[0] == -4 + i);
    assert_true(m->initial[0].what == BL_INITIAL_VELOCITY && m->initial[0].value[2] == 3 && !m->initial[0].guess);
    assert_true(m->initial[1].what == BL_INITIAL_POSITION && m->initial[1].value[0] == 1 && m->initial[1].guess);
    static const bl_initial_what what[] = {BL_INITIAL_POSITION, BL_INITIAL_VELOCITY, BL_INITIAL_ORIENTATION, BL_INITIAL_ANGULAR_VELOCITY};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(m->initial[3 + i].what, what[i]);
        assert_true(m->initial[3 + i].mark.body == 1 && m->initial[3 + i].mark.s[0] == 0);
    }
    assert_true(fabs(m->initial[5].value[2] - 1.5707963267948966) < 1e-15);
    assert_true(m->initial[7].mark.s[1] == 1);
    assert_true(m->body[1].carry[0].is_vector && m->body[1].carry[0].s[1] == 1); /* unit length */
    end(ctx, m);
}

static void plane__has_two_components_and_turns_about_z(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *m = read_good(ctx, "dimension: 2\n"
                                 "bodies: [{name: a, mass: 1, center: [1, 2], inertia: 3}]\n"
                                 "joints: [{type: prismatic, bodies: [ground, a], at: [0, 0], axis: [0, -5]}]\n"
                                 "forces: [{type: torque, body: a, torque: =2*t}, {type: force, body: a, force: [1, =t]}]\n"
                                 "initial: {a: {orientation: 0.5, angular_velocity: 2, velocity: [1, 0]}}\n");
    assert_true(m->body[1].inertia[2][2] == 3 && m->body[1].inertia[0][0] == 0 && m->body[1].center[2] == 0);
    const bl_value *v = &m->force[0].value[2];
    assert_true(v->law[0] == -1 && v->law[1] == -1 && law_value(m, v->law[2], 4, 0, 0) == 8);
    v = &m->force[1].value[3];
    assert_true(v->vector[0] == 1 && v->law[1] >= 0 && v->law[2] == -1 && v->vector[2] == 0);
    assert_int_equal(m->ninitial, 3);
    for (int i = 0; i < 3; i++)
        if (m->initial[i].what == BL_INITIAL_ORIENTATION)
            assert_true(m->initial[i].value[2] == 0.5 && m->initial[i].value[0] == 0);
    end(ctx, m);
}

static void json__reads_like_yaml(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *m = read_good(ctx, "{\"model\": \"x \\u00e9\", \"dimension\": 2,\r\n\t\"parameters\": {\"m\": 2e0},\n"
                                 "\"bodies\": [{\"name\": \"a\", \"mass\": \"=m\",\n \"center\": [0, 1.5], \"inertia\": 0}]}");
    assert_string_equal(m->name, "x \xc3\xa9");
    assert_true(m->dim == 2 && m->body[1].mass == 2 && m->body[1].center[1] == 1.5);
    assert_int_equal(m->body[1].place.line, 3);
    end(ctx, m);
}

static void line_ends_byte_order_mark_and_anchors__are_understood(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *m = read_good(ctx, "\xef\xbb\xbfmodel: x\r\nbodies:\r\n- &b\r\n  name: a\r\n  mass: &m 1\r\n"
                                 "  center: &c [0, 0, 0]\r\n  inertia: [*m, *m, *m]\r\n"
                                 "- {name: b, mass: *m, center: *c, inertia: [0, 0, 0]}\r\n");
    assert_int_equal(m->nbody, 3);
    assert_true(m->body[1].inertia[2][2] == 1 && m->body[2].mass == 1);
    assert_string_equal(m->name, "x");
    end(ctx, m);
}

static void includes__come_first_once_and_yield_to_the_including_file(void **state) {
    (void)state;
    char a[64], b[64], c[64], text[512];
    snprintf(a, sizeof a, "reading_%ld_a.yaml", (long)getpid());
    snprintf(b, sizeof b, "reading_%ld_b.yaml", (long)getpid());
    snprintf(c, sizeof c, "reading_%ld_c.yaml", (long)getpid());
    write_file(c, "gravity: [0, 0, -1]\nparameters: {m: 1, n: =2*m}\n"
                  "bodies: [{name: c, mass: =n, center: [0, 0, 0], inertia: [0, 0, 0]}]\n");
    snprintf(text, sizeof text, "include: %s\nbodies: [{name: b, mass: 0}]\n", c);
    write_file(b, text);
    snprintf(text, sizeof text, "include: [%s, %s]\nparameters: {m: 10}\nbodies: [{name: a, mass: 0}]\ngravity: [0, 0, -2]\n", b, c);
    write_file(a, text);
    bl_context *ctx = test_context(NULL);
    bl_model *m = NULL;
    assert_int_equal(bl_model_read(ctx, a, NULL, 0, &m), BL_OK);
    assert_int_equal(m->nbody, 4);
    assert_string_equal(m->body[1].name, "c");
    assert_string_equal(m->body[2].name, "b");
    assert_string_equal(m->body[3].name, "a");
    assert_true(m->body[1].mass == 20 && m->gravity[2] == -2);
    assert_string_equal(m->body[1].place.file, c);
    assert_int_equal(m->source_bytes, strlen(text)); /* of the main file */
    remove(a);
    remove(b);
    remove(c);
    end(ctx, m);
}

static void tables__are_read_at_t_or_at_the_own_length(void **state) {
    (void)state;
    char path[64], text[512];
    snprintf(path, sizeof path, "reading_%ld.txt", (long)getpid());
    write_file(path, "# t  f\n0 1\n1, 3\n\n 2;5\n");
    snprintf(text, sizeof text,
             "forces:\n- {type: torque, body: a, torque: [0, 0, \"=2*table(%s)\"]}\n"
             "- {type: spring, bodies: [ground, a], at: [0, 0, 0], to: [1, 0, 0], force: =table(%s)}\n"
             "drivers: [{variable: h.angle, value: =table(%s)}]\n",
             path, path, path);
    char *complete = with(text);
    bl_context *ctx = test_context(NULL);
    bl_model *m = read_good(ctx, complete);
    /* points on a line: any monotone cubic through them is that line */
    assert_true(fabs(law_value(m, m->force[0].value[2].law[2], 0.5, 9, 9) - 4) < 1e-14);
    assert_true(fabs(law_value(m, m->force[1].value[7].law[0], 9, 1.5, 9) - 4) < 1e-14);
    assert_true(fabs(law_value(m, m->driver[0].law, 1.5, 9, 9) - 4) < 1e-14);
    bl_model_destroy(m);
    static const struct {
        const char *text, *what;
        int line;
    } bad[] = {{"0 1\n1 2\n1 3\n", "must increase", 3},
               {"0 1\n1 x\n", "must contain only numbers", 2},
               {"0 1\n1\n", "two columns", 2},
               {"0 1 2\n", "two columns", 1},
               {"0 1\n2 .nan\n", "must contain only numbers", 2},
               {"t v\n0 1\n1 x\n", "column 2", 3},
               {"t v\ns m\n0 1\n1 2\n", "column 1", 2},
               {"t 1\n0 1\n1 2\n", "column 1", 1},
               {"nan nan\n0 1\n1 2\n", "column 1", 1},
               {"secret\n0 1\n1 2\n", "column 1", 1},
               {"0,5;1,5\n1,0;2,0\n", "two columns", 1},
               {"0 1\n1 secret\n", "column 2", 2},
               {"0 1\n", "at least two lines", 9},
               {"", "at least two", 9}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_file(path, bad[i].text);
        assert_int_equal(bl_model_read_text(ctx, "good.yaml", complete, strlen(complete), NULL, 0, &m), BL_E_MODEL);
        assert_non_null(strstr(bl_context_error(ctx)->what, bad[i].what));
        assert_int_equal(bl_context_error(ctx)->line, bad[i].line);
        assert_string_equal(bl_context_error(ctx)->file, bad[i].line == 9 ? "good.yaml" : path);
        assert_null(strstr(bl_context_error(ctx)->what, "secret")); /* a file that is no table is not quoted */
    }
    static const char *const good[] = {"t,f\n0,1\n1,3\n2,5\n", "\"time (s)\";\"2nd, in N\"\r\n0;1\r\n1;3\r\n2;5\r\n",
                                       "# made by hand\n\ntime [s]\tforce 2\n0\t1\n1\t3\n2\t5\n",
                                       "\xef\xbb\xbftime force\n0 1\n\"1\" \"3\"\n2 5", "'t' 'f' 'of a machine'\n0 1 # start\n1 3\n2 5\n"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        write_file(path, good[i]);
        m = read_good(ctx, complete);
        assert_true(fabs(law_value(m, m->driver[0].law, 1.5, 9, 9) - 4) < 1e-14);
        bl_model_destroy(m);
    }
    remove(path);
    free(complete);
    end(ctx, NULL);
}

static void standard_input__is_called_minus(void **state) {
    (void)state;
    char path[64];
    snprintf(path, sizeof path, "reading_%ld_stdin.yaml", (long)getpid());
    write_file(path, "bodies: [{name: a, mass: 0}]\n");
    assert_non_null(freopen(path, "rb", stdin));
    bl_context *ctx = test_context(NULL);
    bl_model *m = NULL;
    assert_int_equal(bl_model_read(ctx, "-", NULL, 0, &m), BL_OK);
    assert_int_equal(m->nbody, 2);
    assert_string_equal(m->file, "standard input");
    bl_model_destroy(m);
    assert_int_equal(bl_model_read(ctx, "-", NULL, 0, &m), BL_E_MODEL); /* nothing is left */
    assert_string_equal(bl_context_error(ctx)->file, "standard input");
    remove(path);
    end(ctx, NULL);
}

static void numbers__do_not_depend_on_the_locale(void **state) {
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "es_ES.UTF-8"};
    const char *found = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++)
        found = setlocale(LC_NUMERIC, names[i]);
    if (!found)
        skip(); /* no locale with a decimal comma is installed */
    bl_context *ctx = test_context(NULL);
    bl_model *m = read_good(ctx, "bodies: [{name: a, mass: 0.5, center: [=1.5*2, -.25e1, 3.], inertia: [0, 0, 0]}]\n");
    setlocale(LC_NUMERIC, "C");
    assert_true(m->body[1].mass == 0.5 && m->body[1].center[0] == 3 && m->body[1].center[1] == -2.5 && m->body[1].center[2] == 3);
    end(ctx, m);
}

static bl_status read_for_memory(bl_context *ctx, void *user) {
    bl_model *model;
    bl_status status = bl_model_read_text(ctx, "good.yaml", user, strlen(user), NULL, 0, &model);
    bl_model_destroy(model);
    return status;
}

static void failing_allocations__leave_nothing_behind(void **state) {
    (void)state;
    char *text = documented_example();
    long calls = test_failing_allocations(read_for_memory, text);
    assert_true(calls > 20);
    free(text);
    char *repeat = with("points: [{repeat: {count: 30, do: [{name: P$i, at: [=i, 0, 0]}]}}]\n"
                        "forces: [{type: torque, body: a, torque: [=k, =t, &x =sin(t)*k]},\n"
                        "         {name: n, type: torque, body: a, torque: [0, 0, *x]}]\n");
    test_failing_allocations(read_for_memory, repeat);
    free(repeat);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documented_example__reads_as_the_page_says),
        cmocka_unit_test(scenes__all_read),
        cmocka_unit_test(chains__grow_with_their_parameter),
        cmocka_unit_test(repeats__nest_and_replace_their_indices_in_text),
        cmocka_unit_test(parameters__may_stand_in_any_order_and_be_overridden),
        cmocka_unit_test(long_reverse_parameter_chains__do_not_exhaust_the_stack),
        cmocka_unit_test(laws__keep_parameters_as_inputs_and_constants_as_numbers),
        cmocka_unit_test(joints__get_bodies_unit_vectors_and_variables),
        cmocka_unit_test(initial__finds_the_body_that_a_point_belongs_to),
        cmocka_unit_test(plane__has_two_components_and_turns_about_z),
        cmocka_unit_test(json__reads_like_yaml),
        cmocka_unit_test(line_ends_byte_order_mark_and_anchors__are_understood),
        cmocka_unit_test(includes__come_first_once_and_yield_to_the_including_file),
        cmocka_unit_test(tables__are_read_at_t_or_at_the_own_length),
        cmocka_unit_test(standard_input__is_called_minus),
        cmocka_unit_test(numbers__do_not_depend_on_the_locale),
        cmocka_unit_test(failing_allocations__leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
