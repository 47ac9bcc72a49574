/* `equations:` is read as it is meant, and everything that is wrong with it is refused with position, reason and, where a word was wrong,
 * the nearest one. In the texts '~' marks the position to which the message must point (it is removed before reading). */
#include "model/model.h"
#include "support/testing.h"

#include <stdio.h>
#include <string.h>

typedef struct refusal {
    const char *text, *what, *advice;
} refusal;

#define EQ "equations:\n  states:\n"
#define Y "    - {name: y, start: 1, rate: =-y}\n"
#define X "    - {name: x, start: 1, rate_start: 0, acceleration: =-x}\n"
#define TH "    - {name: th, count: 3, start: 0, acceleration: \"=i > 1 ? th[i-1] : 0\"}\n"

#define BESIDE                                                                 \
    "dimension: 2\nbodies: [{name: c, mass: 1, center: [0, 0], inertia: 1}]\n" \
    "joints: [{name: j, type: revolute, bodies: [ground, c], at: [0, 0]}]\n"

static const refusal refusals[] = {
    /* the section */
    {"equations: ~3\n", "equations must be a map", NULL},
    {"equations:\n  ~state: []\n", "unknown key 'state' in equations", "'states'"},
    {"equations:\n  ~expressions: {a: 1}\n", "equations needs 'states'", NULL},
    {"equations:\n  states: ~[]\n", "at least one state", NULL},
    {"equations:\n  states: ~{y: 1}\n", "states must be a list", NULL},
    {EQ Y "joints: ~[]\n", "'joints' cannot be used together with 'equations'", "without bodies"},
    /* beside bodies */
    {BESIDE "equations: {states: [{name: h, start: 0, algebraic: ~=h - 1}]}\n", "an algebraic state cannot be used", "expressions"},
    {BESIDE "equations: {states: [{name: h, start: 0, rate: 1}], constraints: ~[{value: =h}]}\n", "'constraints' cannot be used", "joints"},
    {BESIDE "equations: {states: [{name: h, start: 0, rate: 1}], mass: ~[{row: h, column: h, value: 1}]}\n", "a list of masses",
     "acceleration"},
    {BESIDE "equations: {states: [{name: h, count: ~3, start: 0, rate: 1}]}\n", "an array cannot be used", "repeat"},
    {BESIDE "equations: {expressions: {~a: [1, 2]}}\n", "an array cannot be used", NULL},
    {BESIDE "equations: {states: [{name: h, start: 0, rate: 1, exact: ~=t}]}\n", "a known solution cannot be used", NULL},
    {BESIDE "equations: {states: [{name: h, start: 0, rate: =~reaction.j.fx}]}\n", "reads 'reaction.j.fx', which is not declared",
     "reactions: [j.fx]"},
    {BESIDE "equations: {states: [{name: h, start: 0, acceleration: 1}, {name: ~h_rate, start: 0, rate: 1}]}\n", "already the name of",
     NULL},
    {BESIDE "equations: {expressions: {~a: =b, b: =a}}\n", "algebraic loop: a -> b -> a", NULL},
    {BESIDE "equations: {states: [~{name: h, start: 0}]}\n", "state 'h' has no equation", "rate"},
    {BESIDE "equations: {states: [~{name: h, rate: 1}]}\n", "needs 'start'", "start: 0"},
    {BESIDE "equations: {states: [~{name: h, start: 0, force: 1}]}\n", "has 'force', but no 'mass'", NULL},
    {BESIDE "equations: {states: [{name: h, start: 0, rate: 1, mass: ~1}]}\n", "has 'mass', but no 'force'", NULL},
    {BESIDE "equations: {states: [{name: h, start: 0, force: 1, mass: ~0}]}\n", "mass must be positive", NULL},
    {BESIDE "equations: {states: [{name: h, start: 0, force: 1, mass: =~j.angle}]}\n", "'j.angle' cannot be used here", NULL},
    {BESIDE "equations: {states: [{name: h, start: 0, rate: 1, rate_start: ~1}]}\n", "not a second-order state", NULL},
    {BESIDE "equations: {states: [{name: h, start: 0, rate: 1, acceleration: ~1}]}\n", "both 'rate' and 'acceleration'", NULL},
    {BESIDE "equations: {states: [{name: h, start: 0, rate: 1, order: ~2}]}\n", "needs 'force'", NULL},
    /* alone */
    {EQ Y "initial: ~{y: 1}\n", "'initial' cannot be used together with 'equations'", "'start'"},
    {EQ Y "gravity: ~[0, 0, 1]\n", "'gravity' cannot be used together with 'equations'", NULL},
    {EQ Y "matrices: ~{M: 1}\n", "'matrices' cannot be used together with 'equations'", NULL},
    /* states */
    {EQ "    - ~y\n", "a state must be a map", NULL},
    {EQ "    - ~{start: 1, rate: 1}\n", "a state needs 'name'", NULL},
    {EQ "    - {name: y, start: 1, ~rat: 1}\n", "unknown key 'rat' in state 'y'", "'rate'"},
    {EQ "    - ~{name: y, rate: 1}\n", "state 'y' needs 'start'", NULL},
    {EQ "    - {name: y, ~start: , rate: 1}\n", "state 'y' needs 'start'", NULL},
    {EQ "    - ~{name: y, start: 1}\n", "state 'y' has no equation", "rate"},
    {EQ "    - {name: y, start: 1, rate: 1, acceleration: ~2}\n", "both 'rate' and 'acceleration'", NULL},
    {EQ "    - {name: y, start: 1, rate: 1, rate_start: ~0}\n", "not a second-order state", NULL},
    {EQ "    - {name: y, start: 1, rate: 1, scale: ~0}\n", "scale must be positive", NULL},
    {EQ "    - {name: y, start: ~=1/0, rate: 1}\n", "not a finite number", NULL},
    {EQ "    - {name: y, start: =~t, rate: 1}\n", "'t' cannot be used here", "fixed"},
    {EQ "    - {name: y, start: ~one, rate: 1}\n", "start of 'y' must be a number", NULL},
    {EQ "    - {name: ~9y, start: 1, rate: 1}\n", "cannot be the name of a state", NULL},
    {EQ "    - {name: ~t, start: 1, rate: 1}\n", "already has a meaning in expressions", NULL},
    {EQ "    - {name: ~sin, start: 1, rate: 1}\n", "already has a meaning in expressions", NULL},
    {"parameters: {k: 1}\n" EQ "    - {name: ~k, start: 1, rate: 1}\n", "there is already a parameter 'k'", NULL},
    {EQ Y "    - {name: ~y, start: 1, rate: 1}\n", "there is already a name 'y'", NULL},
    {EQ X "    - {name: ~x_rate, start: 1, rate: 1}\n", "there is already a name 'x_rate'", NULL},
    {EQ "    - {name: y, start: 1, rate: 1, order: ~1}\n", "can only be used with 'force'", NULL},
    {EQ "    - {name: y, start: 1, mass: 1, force: 1, order: ~3}\n", "order must be 1 or 2", NULL},
    /* expressions in them */
    {EQ "    - {name: speed, start: 1, rate: =-~sped}\n", "unknown name 'sped'", "'speed'"},
    {EQ "    - {name: y, start: 1, rate: =-~y_rate}\n", "unknown name 'y_rate'", NULL},
    {EQ "    - {name: y, start: 1, rate: =2 *~}\n", "expected a number", NULL},
    {EQ "    - {name: y, start: 1, rate: =~si(y)}\n", "unknown function 'si'", "'sin'"},
    {EQ "    - {name: y, start: 1, rate: \"=~y[1]\"}\n", "'y' is not an array", NULL},
    {EQ "    - {name: y, start: 1, exact: =~y, rate: 1}\n", "'y' cannot be used here", "known solution"},
    /* arrays */
    {EQ "    - {name: u, count: ~0, start: 1, rate: 1}\n", "at least 1", NULL},
    {EQ "    - {name: u, count: ~2.5, start: 1, rate: 1}\n", "integer", NULL},
    {EQ "    - {name: u, count: ~1e8, start: 1, rate: 1}\n", "too large", NULL},
    {EQ "    - {name: u, index: ~k, start: 1, rate: 1}\n", "has 'index' but no 'count'", NULL},
    {EQ "    - {name: u, count: 3, index: ~t, start: 1, rate: 1}\n", "cannot be the name of an index", NULL},
    {EQ Y "    - {name: ~u, count: 3, index: y, start: 1, rate: 1}\n", "the index 'y' of 'u' is already the name of a state or expression",
     NULL},
    {EQ "    - {name: u, count: 3, start: ~[1, 2], rate: 1}\n", "2 values, but there are 3 elements of 'u'", NULL},
    {EQ "    - {name: y, start: ~[1, 2], rate: 1}\n", "'y' is not an array", NULL},
    {EQ "    - {name: u, count: 3, start: 1, rate: =~u}\n", "'u' is an array", "u[1]"},
    {EQ "    - {name: u, count: 3, start: 1, rate: \"=u[~i-1]\"}\n", "u[0] does not exist: the index runs from 1 to 3", NULL},
    {EQ "    - {name: u, count: 3, start: 1, rate: \"=u[~i+1]\"}\n", "u[4] does not exist", NULL},
    {EQ "    - {name: u, count: 3, start: 1, rate: \"=u[~i/2]\"}\n", "must be an integer, found 0.5", NULL},
    {EQ "    - {name: u, count: 3, start: 1, rate: \"=u[~t]\"}\n", "must be known before the run", NULL},
    {EQ "    - {name: u, count: 3, start: 1, rate: \"=u[~u[1]]\"}\n", "must be known before the run", NULL},
    {EQ "    - {name: u, count: 3, start: 1, rate: \"=~v[1]\"}\n", "unknown name 'v'", NULL},
    {EQ "    - {name: u, count: 3, start: 1, rate: \"=i > 1 ? ~w[1] : 0\"}\n", "unknown name 'w'", NULL},
    {EQ "    - {name: u, count: 3, start: 1, rate: \"=u[1~\"}\n", "expected ']'", NULL},
    {EQ "    - {name: u, count: 3, start: 1, rate: \"=sum(~u, 1, 3, 2)\"}\n", "'u' cannot be an index", NULL},
    {EQ "    - {name: u, count: 3, start: 1, rate: \"=sum(j, 1, 3~)\"}\n", "expected ','", NULL},
    {EQ "    - {name: u, count: 3, start: 1, rate: \"=sum(j, 1, ~t, 1)\"}\n", "must be known before the run", NULL},
    {EQ "    - {name: u, count: 3, start: 1, rate: \"=sum(j, 1, ~1.5, 1)\"}\n", "must be an integer", NULL},
    {EQ "    - {name: u, count: 3, start: 1, rate: \"=sum(j, 1, 4, u[~j])\"}\n", "u[4] does not exist", NULL},
    {EQ "    - {name: u, count: 3, start: 1, rate: \"=sum(j, 1, 3, sum(~j, 1, 2, 1))\"}\n", "'j' cannot be an index", NULL},
    {EQ "    - {name: u, count: 3, start: 1, rate: \"=~sam(j, 1, 3, 1)\"}\n", "unknown function 'sam'", NULL},
    /* named expressions */
    {EQ Y "  expressions: ~[1]\n", "expressions must be a map", NULL},
    {EQ Y "  expressions: {~y: 1}\n", "there is already a name 'y'", NULL},
    {EQ Y "  expressions: {a: =b, b: ~=a}\n", "circular expression: a -> b -> a", NULL},
    {EQ Y "  expressions: {a: ~=a + 1}\n", "circular expression: a -> a", NULL},
    {EQ Y "  expressions: {a: {count: 3, value: ~\"=i < 3 ? a[i+1] : a[1]\"}}\n", "circular expression: a[1] -> a[2] -> a[3] -> a[1]",
     NULL},
    {EQ Y "  expressions: {a: ~{value: 1}}\n", "expression 'a' needs 'count'", NULL},
    {EQ Y "  expressions: {a: ~{count: 2}}\n", "expression 'a' needs 'value'", NULL},
    {EQ Y "  expressions: {a: ~[]}\n", "empty list", NULL},
    {EQ Y "  expressions: {a: [1, =~b]}\n", "unknown name 'b'", NULL},
    {EQ Y "  expressions: {a: {count: 2, ~inde: k, value: 1}}\n", "unknown key 'inde'", "'index'"},
    /* masses */
    {EQ "    - {name: y, start: 1, rate: 1, mass: ~2}\n", "has 'mass', but no 'force'", "order: 1"},
    {EQ "    - {name: ~x, start: 1, force: 1}\n", "state 'x' has 'force', but no 'mass'", NULL},
    {EQ "    - {name: x, start: 1, force: 1, mass: =~x_rate}\n", "a rate", "only on second-order states"},
    {EQ "    - {name: x, start: 1, force: 1, mass: =~t}\n", "'t' cannot be used here", NULL},
    {EQ "    - {name: y, start: 1, force: 1, order: 1, mass: =~y}\n", "first-order", "constant"},
    {EQ X "  mass: [~{row: x, value: 1}]\n", "an entry of mass needs 'column'", NULL},
    {EQ X "  mass: [{row: x, column: ~z, value: 1}]\n", "there is no state 'z'", NULL},
    {EQ X "  mass: [{row: x, column: ~\"x[1]\", value: 1}]\n", "'x' is not an array", NULL},
    {EQ TH "  mass: [{row: \"th[1]\", column: ~th, value: 1}]\n", "'th' is an array", NULL},
    {EQ TH "  mass: [{row: \"th[1]\", column: ~\"th[4]\", value: 1}]\n", "th[4] does not exist", NULL},
    {EQ X Y "  mass: [~{row: x, column: y, value: 1}]\n", "must couple two second-order or two first-order states", NULL},
    {EQ X "  mass: [~{row: x, column: x, value: 2}]\n", "given twice", NULL},
    {EQ "    - {name: a, start: 1, mass: 1, force: 1}\n    - {name: b, start: 1, mass: 1, force: 1}\n"
        "  mass: [{row: a, column: b, value: 2}, ~{row: b, column: a, value: 2}]\n",
     "given twice", NULL},
    /* constraints */
    {EQ X "  constraints: [~{name: c}]\n", "constraint 'c' needs 'value'", NULL},
    {EQ X "  constraints: [{name: c, value: =~x_rate}]\n", "a rate", "only second-order states and t"},
    {EQ X Y "  constraints: [{name: c, value: =x - ~y}]\n", "first-order", NULL},
    {EQ X "  constraints: [{name: c, value: ~=t}]\n", "must use at least one second-order state", "algebraic"},
    {EQ X "  expressions: {speed: =x_rate}\n  constraints: [{name: c, value: =x + ~speed}]\n", "'speed' cannot be used here", NULL},
    {EQ X "  constraints: [{name: c, value: =x}, {name: ~c, value: =x}]\n", "there is already a constraint 'c'", NULL},
    {EQ X "  constraints: [{name: c, value: =x, scale: ~0}]\n", "scale must be positive", NULL},
    /* stops */
    {EQ Y "simulate: {stop: ~z - 1}\n", "unknown name 'z'", NULL},
    {EQ Y "simulate: {stop: ~\"3\"}\n", "the stop expression is constant", NULL},
    {EQ TH "simulate: {stop: \"~th - 1\"}\n", "'th' is an array", NULL},
    {EQ TH "simulate: {stop: \"th[~4] - 1\"}\n", "th[4] does not exist", NULL},
    /* arrays elsewhere */
    {"parameters: {a: 1, b: \"=~a[1]\"}\nbodies: []\n", "arrays are only available in 'equations'", NULL},
    {"parameters: {a: 1, b: =a~[1]}\nbodies: []\n", "missing comma", "in quotes"},
    {"parameters: {b: \"=~sum(j, 1, 2, 3)\"}\nbodies: []\n", "it is only available in 'equations'", NULL},
};

static void bad_equations__are_refused_with_position_reason_and_nearest_word(void **state) {
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const refusal *r = &refusals[i];
        const char *mark = strchr(r->text, '~');
        assert_non_null(mark);
        char text[4096];
        int line = 1, column = 1;
        for (const char *s = r->text; s < mark; s++) {
            column = *s == '\n' ? 1 : column + 1;
            line += *s == '\n';
        }
        snprintf(text, sizeof text, "%.*s%s", (int)(mark - r->text), r->text, mark + 1);
        bl_context *ctx = test_context(NULL);
        bl_model *model = NULL;
        bl_status status = bl_model_read_text(ctx, "bad.yaml", text, strlen(text), NULL, 0, &model);
        const bl_error *e = bl_context_error(ctx);
        bool fine = status == BL_E_MODEL && e->line == line && e->column == column && strstr(e->what, r->what) &&
                    (!r->advice || strstr(e->advice, r->advice));
        if (!fine)
            print_error("%s\n    wanted %d:%d '%s' (%s)\n    found  %d:%d [%d] '%s' (%s)\n", text, line, column, r->what,
                        r->advice ? r->advice : "any", e->line, e->column, status, e->what, e->advice);
        wrong += !fine;
        bl_model_destroy(model);
        test_context_end(ctx);
    }
    assert_int_equal(wrong, 0);
}

/* ---- what is read */

static bl_model *read_text(bl_context *ctx, const char *text) {
    bl_model *model = NULL;
    bl_status status = bl_model_read_text(ctx, "good.yaml", text, strlen(text), NULL, 0, &model);
    if (status != BL_OK)
        fail_msg("%s:%d: %s", text, bl_context_error(ctx)->line, bl_context_error(ctx)->what);
    return model;
}

static void states__become_variables_in_the_order_of_the_file(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_text(ctx, "parameters: {n: 2}\n" EQ "    - {name: a, start: 3, rate: =-a, scale: 10}\n"
                                     "    - {name: b, count: =n, index: k, start: =k^2, rate_start: [7, 8], acceleration: \"=-b[k]\"}\n"
                                     "    - {repeat: {count: 2, index: k, do: [{name: c$k, start: =k, rate: =c$k}]}}\n"
                                     "    - {name: w, algebraic: =w - a}\n");
    static const char *const names[] = {"a", "b[1]", "b[2]", "c0", "c1", "w"};
    static const double start[] = {3, 1, 4, 0, 1, 0}, rate[] = {0, 7, 8, 0, 0, 0}, scale[] = {10, 1, 1, 1, 1, 1};
    static const int order[] = {1, 2, 2, 1, 1, 0};
    const bl_equations *e = model->equations;
    assert_int_equal(model->nvariable, 6);
    for (int i = 0; i < 6; i++) {
        assert_string_equal(model->variable[i].name, names[i]);
        assert_int_equal(e->order[i], order[i]);
        assert_true(e->start[i] == start[i] && e->rate_start[i] == rate[i] && e->scale[i] == scale[i]);
    }
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* value of the equation of variable i at t = 1, variables 10, 11, ... and rates 20, 21, ... */
static double side_of(const bl_model *model, bl_index i) {
    bl_tape *tape;
    bl_context *ctx = model->ctx;
    bl_index n = model->nvariable, inputs[64], out[64];
    double in[64], work[4096], value[64];
    assert_true(2 * n + 1 <= 64 && bl_tape_outputs(model->equations->tape) <= 64);
    assert_int_equal(bl_tape_create(ctx, &tape), BL_OK);
    for (bl_index k = 0; k < 2 * n + 1; k++) {
        inputs[k] = bl_tape_input(tape, k);
        in[k] = k == 0 ? 1 : k <= n ? 9 + k : 19 + k - n;
    }
    assert_int_equal(bl_tape_splice(tape, model->equations->tape, inputs, out), BL_OK);
    assert_int_equal(bl_tape_output(tape, out[i]), BL_OK);
    assert_int_equal(bl_tape_finish(tape), BL_OK);
    assert_true(bl_tape_work(tape) <= 4096);
    bl_tape_eval(tape, in, value, work);
    bl_tape_destroy(tape);
    return value[0];
}

static void expressions__mean_what_they_say(void **state) {
    (void)state;
    static const struct {
        const char *text; /* of u[2], in u[1..3] = 10, 11, 12 with rates 20, 21, 22 */
        double value;
    } cases[] = {
        {"u[i]", 11},
        {"u[i-1] + u[i+1]", 22},
        {"u_rate[i] - u.rate[1]", 1},
        {"sum(j, 1, 3, u[j])", 33},
        {"sum(j, 1, 3, j == i ? 0 : u[j])", 22},
        {"sum(j, 2, 1, u[99])", 0},
        {"prod(j, 1, n, j)", 6},
        {"prod(j, 3, 2, j)", 1},
        {"sum(j, 1, 3, sum(k, 1, j, u[k]))", 10 + 21 + 33},
        {"i > 5 ? u[i+5] : 7", 7},
        {"if(i > 5, u[i+5], 7)", 7},
        {"i > 5 and u[i+5] > 0", 0},
        {"i < 5 or u[i+5] > 0", 1},
        {"i == 2 ? (i == 1 ? u[-1] : 3) : u[100]", 3},
        {"twice[i] + twice[3]", 22 + 24},
        {"table_[i]", 5},
        {"fib[6]", 8},
        {"late", 34},
        {"u[n - mod(i, 2)]", 12},
        {"2*u[ 1 ]^2", 200},
        {"sum(j, 1, n, u[j]) + t", 34},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "parameters: {n: 3}\nequations:\n  states:\n    - {name: u, count: =n, start: 0, acceleration: \"=i == 2 ? %s : 0\"}\n"
                 "  expressions:\n    late: =early + 1\n    early: \"=sum(j, 1, n, u[j])\"\n"
                 "    twice: {count: =n, index: k, value: \"=2*u[k]\"}\n"
                 "    table_: [4, 5, =n]\n    fib: {count: 6, value: \"=i > 2 ? fib[i-1] + fib[i-2] : 1\"}\n",
                 cases[k].text);
        bl_context *ctx = test_context(NULL);
        bl_model *model = read_text(ctx, text);
        double value = side_of(model, 1);
        if (value != cases[k].value)
            fail_msg("%s is %g, wanted %g", cases[k].text, value, cases[k].value);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

/* thousands of elements that wait for each other backwards need no C stack */
static void long_chains__of_expressions_are_read(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_text(ctx, EQ "    - {name: y, start: 1, rate: \"=e[1]\"}\n"
                                        "  expressions: {e: {count: 20000, value: \"=i < 20000 ? e[i+1] + y : 0\"}}\n");
    assert_int_equal(model->equations->nexpression, 20000);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static bl_status read_rich(bl_context *ctx, void *user) {
    (void)user;
    static const char text[] =
        "parameters: {n: 3}\n" EQ "    - {name: u, count: =n, start: [1, 2, 3], acceleration: \"=sum(j, 1, n, late[j])\"}\n" X
        "    - {name: p, start: 1, mass: =1 + p^2, force: =-p, exact: =cos(t)}\n    - {name: w, count: 2, algebraic: \"=w[i] - u[i]\"}\n"
        "  expressions: {late: {count: =n, value: \"=early*u[i]\"}, early: =x + t}\n"
        "  mass: [{row: x, column: p, value: =x}]\n  constraints: [{value: =x*p - 1}, {name: c, count: 2, value: \"=u[i] - u[3]\"}]\n"
        "simulate: {until: 1, stop: [\"u[2] - early\", \"w[1]\"]}\n";
    bl_model *model = NULL;
    bl_status status = bl_model_read_text(ctx, "rich.yaml", text, sizeof text - 1, NULL, 0, &model);
    bl_model_destroy(model);
    return status;
}

static bl_status read_beside(bl_context *ctx, void *user) {
    (void)user;
    static const char text[] =
        BESIDE "equations:\n  expressions: {pull: =y - j.angle}\n"
               "  states: [{name: y, start: 0, mass: 2, force: =-pull}, {name: z, start: 1, rate: =-y_rate, unit: m}]\n"
               "forces: [{type: torque, body: c, torque: =pull}]\n";
    bl_model *model = NULL;
    bl_status status = bl_model_read_text(ctx, "beside.yaml", text, sizeof text - 1, NULL, 0, &model);
    bl_model_destroy(model);
    return status;
}

static void reading__survives_failing_memory(void **state) {
    (void)state;
    test_failing_allocations(read_beside, NULL);
    print_message("%ld allocations\n", test_failing_allocations(read_rich, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_equations__are_refused_with_position_reason_and_nearest_word),
        cmocka_unit_test(states__become_variables_in_the_order_of_the_file),
        cmocka_unit_test(expressions__mean_what_they_say),
        cmocka_unit_test(long_chains__of_expressions_are_read),
        cmocka_unit_test(reading__survives_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
