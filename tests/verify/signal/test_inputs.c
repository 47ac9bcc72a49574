/* Inputs that follow a table. A mass of 1 kg under a force that is linear between rows, or held: position and velocity are polynomials
 * between rows, so that an integrator whose steps end at the rows is exact up to its order. */
#include "support/signals.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MASS                                                                                \
    "dimension: 2\ninputs: {force: 7, brake: 0}\nheld: {F: 0}\n"                            \
    "bodies: [{name: c, mass: 1, center: [0, 0], inertia: 1}]\n"                            \
    "joints: [{name: j, type: prismatic, bodies: [ground, c], at: [0, 0], axis: [1, 0]}]\n" \
    "forces: [{type: force, body: c, at: [0, 0], force: [=force - brake, 0]}]\n"

static const char *const coordinates[] = {"natural", "mixed", "reference", "relative"};
enum { NCOORDINATES = 4, ROWS = 5 };
static const char *const force_name[] = {"force"};
static const double row_t[ROWS] = {-0.5, 1, 1.25, 3, 4};
static const double row_f[ROWS] = {1, 4, -2, 0.3, 0};

/* the force at t, and its rate after t */
static double force_at(bool hold, double t, double *rate) {
    *rate = 0;
    if (t < row_t[0])
        return row_f[0];
    int k = 0;
    while (k + 1 < ROWS && row_t[k + 1] <= t)
        k++;
    if (!hold && k + 1 < ROWS)
        *rate = (row_f[k + 1] - row_f[k]) / (row_t[k + 1] - row_t[k]);
    return row_f[k] + *rate * (t - row_t[k]);
}

/* x and v at t from rest: the sum of the polynomials of the intervals */
static void motion(bool hold, double t, double *x, double *v) {
    double from = 0;
    *x = *v = 0;
    while (from < t) {
        double to = t, rate, f = force_at(hold, from, &rate);
        for (int k = ROWS - 1; k >= 0; k--)
            if (row_t[k] > from && row_t[k] < to)
                to = row_t[k];
        double h = to - from;
        *x += *v * h + f * h * h / 2 + rate * h * h * h / 6;
        *v += f * h + rate * h * h / 2;
        from = to;
    }
}

static bl_inputs force_table(bool hold) {
    return (bl_inputs){.n = ROWS, .ninput = 1, .name = force_name, .t = row_t, .value = row_f, .hold = hold};
}

/* with every class of integrator; those of order 2 are exact for constant forces only */
static void a_mass_follows_its_force(void **unused) {
    (void)unused;
    static const struct {
        const char *integrator;
        double step, error;
    } method[] = {{NULL, 0, 1e-11},      {"dop853", 0, 1e-11}, {"abm", 0, 1e-8},           {"radau", 0, 1e-10},
                  {"ndf_auto", 0, 1e-6}, {"rk4", 0.07, 1e-11}, {"genalpha:1", 1e-3, 1e-5}, {"newmark", 1e-3, 1e-5}};
    for (int hold = 0; hold < 2; hold++)
        for (int c = 0; c < NCOORDINATES; c++)
            for (size_t m = 0; m < sizeof method / sizeof *method; m++) {
                bl_inputs table = force_table(hold);
                test_signal_run run = {.text = MASS,
                                       .coordinates = coordinates[c],
                                       .integrator = method[m].integrator,
                                       .step = method[m].step,
                                       .tolerance = method[m].step > 0 ? 0 : 1e-10,
                                       .inputs = &table,
                                       .name = {"j.distance", "j.distance_rate", "force"},
                                       .at = {0, 0.4, 1.1, 2.2, 3.5, 6},
                                       .nat = 6};
                test_signal_expect(&run);
                for (int i = 0; i < run.nat; i++) {
                    double x, v, rate;
                    motion(hold, run.at[i], &x, &v);
                    test_signal_near(&run, i, 0, x, 10 * method[m].error);
                    test_signal_near(&run, i, 1, v, 10 * method[m].error);
                    test_signal_near(&run, i, 2, force_at(hold, run.at[i], &rate), 1e-14);
                }
                if (m < 2 && !(run.largest_energy_error < 1e-9)) /* work is a polynomial of higher degree */
                    fail_msg("%s: energy error %g", run.label, run.largest_energy_error);
            }
}

/* ---- every row is the end of a step */

typedef struct ends {
    double t[256];
    int n;
} ends;

static bl_status note_step(void *user, const bl_step *step) {
    ends *e = user;
    assert_true(e->n < 256);
    e->t[e->n++] = step->t;
    return BL_OK;
}

static bl_model *read_mass(bl_context *ctx) {
    bl_model *model;
    assert_int_equal(bl_model_read_text(ctx, "mass", MASS, strlen(MASS), NULL, 0, &model), BL_OK);
    return model;
}

static void every_row_ends_a_step(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_mass(ctx);
    for (int c = 0; c < NCOORDINATES; c++) {
        ends e = {.n = 0};
        bl_sink sink = {.user = &e, .step = note_step, .want = BL_WANT_TIME};
        bl_inputs table = force_table(false);
        bl_run_options o = {.until = 6, .coordinates = coordinates[c], .inputs = &table};
        assert_int_equal(bl_simulate(ctx, model, &o, &sink, 1, NULL), BL_OK);
        for (int k = 1; k < ROWS; k++) {
            bool met = false;
            for (int i = 0; i < e.n; i++)
                met = met || e.t[i] == row_t[k]; /* exactly */
            assert_true(met);
        }
    }
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* ---- the stepper follows the same table */

static double read_one(bl_stepper *s, const char *name) {
    bl_index output;
    double value;
    assert_int_equal(bl_stepper_output(s, name, &output), BL_OK);
    assert_int_equal(bl_stepper_read(s, 1, &output, &value), BL_OK);
    return value;
}

static bl_status note_last(void *user, const bl_sample *sample) {
    ((double *)user)[0] = sample->variable[0];
    ((double *)user)[1] = sample->variable_rate[0];
    return BL_OK;
}

static void stepping__equals_the_run_and_snapshots_go_on(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_mass(ctx);
    static const double saved_at[] = {0.7, 1, 1.25, 2, 5}; /* between rows, at rows, behind the last */
    for (int c = 0; c < NCOORDINATES; c++)
        for (int hold = 0; hold < 2; hold++) {
            double end[2], x, v;
            bl_sink sink = {.user = end, .sample = note_last};
            bl_inputs table = force_table(hold);
            bl_run_options o = {.until = 6, .coordinates = coordinates[c], .inputs = &table};
            bl_stepper *s;
            assert_int_equal(bl_simulate(ctx, model, &o, &sink, 1, NULL), BL_OK);
            assert_int_equal(bl_stepper_create(ctx, model, &o, &s), BL_OK);
            table = (bl_inputs){0}; /* the stepper has a copy */
            for (int k = 1; k <= 600; k++)
                assert_int_equal(bl_stepper_reach(s, 0.01 * k), BL_OK);
            assert_true(read_one(s, "j.distance") == end[0] && read_one(s, "j.rate") == end[1]);
            for (size_t i = 0; i < sizeof saved_at / sizeof *saved_at; i++) {
                unsigned char bytes[8192];
                size_t count = sizeof bytes;
                assert_int_equal(bl_stepper_reset(s), BL_OK);
                assert_int_equal(bl_stepper_reach(s, saved_at[i]), BL_OK);
                assert_int_equal(bl_stepper_save(s, bytes, &count), BL_OK);
                assert_int_equal(bl_stepper_reach(s, 6), BL_OK);
                double first = read_one(s, "j.distance");
                assert_int_equal(bl_stepper_restore(s, bytes, count), BL_OK);
                assert_int_equal(bl_stepper_reach(s, 6), BL_OK);
                assert_true(read_one(s, "j.distance") == first);
                motion(hold, 6, &x, &v);
                assert_true(fabs(first - x) < 1e-8);
            }
            /* the table rules its inputs; others are free */
            assert_int_equal(bl_stepper_set_input(s, bl_stepper_input(s, "force"), 3, 0), BL_E_ARG);
            assert_non_null(strstr(bl_context_error(ctx)->what, "follows a table"));
            assert_int_equal(bl_stepper_set_input(s, bl_stepper_input(s, "brake"), 3, 0), BL_OK);
            bl_stepper_destroy(s);
        }
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* A driver follows the table: positions are those of the table, velocities its slopes, from the first row on; at rows they jump, and the
 * work of the percussions keeps the balance. The second body hangs on a spring across and is not disturbed. */
static void drivers__follow_the_table(void **unused) {
    (void)unused;
    static const char text[] = "dimension: 2\ninputs: {a: 0.5}\n"
                               "bodies: [{name: c, mass: 1, center: [0, 0], inertia: 1}, {name: d, mass: 2, center: [0, 0], inertia: 1}]\n"
                               "joints:\n"
                               "  - {name: j, type: prismatic, bodies: [ground, c], at: [0, 0], axis: [1, 0]}\n"
                               "  - {name: k, type: prismatic, bodies: [c, d], at: [0, 0], axis: [0, 1]}\n"
                               "drivers: [{variable: j.distance, value: =a}]\n"
                               "forces: [{type: force, body: d, at: [0, 0], force: [0, =-8*k.distance]}]\n"
                               "initial: {k.distance: 1}\n";
    static const char *const name[] = {"a"};
    static const double t[] = {0, 1, 2}, value[] = {0.5, 2, 1.5}, other[] = {0.6, 2, 1.5};
    bl_inputs table = {.n = 3, .ninput = 1, .name = name, .t = t, .value = value};
    for (int c = 0; c < NCOORDINATES; c++) {
        test_signal_run run = {.text = text,
                               .coordinates = coordinates[c],
                               .tolerance = 1e-10,
                               .inputs = &table,
                               .name = {"j.distance", "j.distance_rate", "k.distance"},
                               .at = {0, 0.5, 1.2, 1.9, 2.5},
                               .nat = 5};
        static const double x[] = {0.5, 1.25, 1.9, 1.55, 1.5}, v[] = {1.5, 1.5, -0.5, -0.5, 0};
        test_signal_expect(&run);
        for (int i = 0; i < run.nat; i++) {
            test_signal_near(&run, i, 0, x[i], 1e-12);
            test_signal_near(&run, i, 1, v[i], 1e-12);
            test_signal_near(&run, i, 2, cos(2 * run.at[i]), 1e-8);
        }
        assert_true(run.largest_energy_error < 1e-8);
    }
    test_signal_run run = {.text = text, .inputs = &table, .at = {1}, .nat = 1};
    table.hold = true;
    assert_int_equal(test_signal_execute(&run), BL_E_ARG);
    assert_non_null(strstr(run.message, "cannot be held between rows: the driver of j.distance"));
    table.hold = false;
    table.value = other;
    assert_int_equal(test_signal_execute(&run), BL_E_ARG);
    assert_non_null(strstr(run.message, "begins with 0.6, but the driver of j.distance"));
}

/* ---- files and refusals */

static void write_file(char *path, const char *text) {
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void a_file__gives_the_motion_of_its_numbers(void **unused) {
    (void)unused;
    static const char *const text[] = {"t, force\n-0.5, 1\n1, 4\n1.25, -2\n3, 0.3\n4, 0\n",
                                       "\xef\xbb\xbf# newtons\n\"time\";\"force\"\r\n-0.5;1\r\n1;4\r\n\r\n1.25;-2\r\n3;.3\r\n4;0",
                                       "time force\n-5e-1 1\n1 4\n1.25 -2\n3 3e-1\n4 0\n"};
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_mass(ctx);
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        char file[] = "/tmp/biela_inputs_XXXXXX";
        write_file(file, text[i]);
        bl_inputs table = {.size = sizeof table};
        assert_int_equal(bl_inputs_read(ctx, model, file, &table), BL_OK);
        remove(file);
        assert_int_equal(table.n, ROWS);
        assert_int_equal(table.ninput, 1);
        assert_string_equal(table.name[0], "force");
        assert_memory_equal(table.t, row_t, sizeof row_t);
        assert_memory_equal(table.value, row_f, sizeof row_f);
        double end[2], x, v;
        bl_sink sink = {.user = end, .sample = note_last};
        assert_int_equal(bl_simulate(ctx, model, &(bl_run_options){.until = 6, .inputs = &table}, &sink, 1, NULL), BL_OK);
        motion(false, 6, &x, &v);
        assert_true(fabs(end[0] - x) < 1e-10 && fabs(end[1] - v) < 1e-10);
        bl_inputs_destroy(ctx, &table);
    }
    bl_model_destroy(model);
    test_context_end(ctx);
}

static bl_status everything(bl_context *ctx, void *user) {
    bl_model *model = NULL;
    bl_inputs table = {.size = sizeof table};
    bl_stepper *s = NULL;
    bl_status status = bl_model_read_text(ctx, "mass", MASS, strlen(MASS), NULL, 0, &model);
    if (status == BL_OK)
        status = bl_inputs_read(ctx, model, user, &table);
    if (status == BL_OK)
        status = bl_simulate(ctx, model, &(bl_run_options){.until = 2, .inputs = &table}, NULL, 0, NULL);
    if (status == BL_OK)
        status = bl_stepper_create(ctx, model, &(bl_run_options){.until = 2, .inputs = &table}, &s);
    bl_inputs_destroy(ctx, &table);
    if (status == BL_OK)
        status = bl_stepper_reach(s, 1.1);
    bl_stepper_destroy(s);
    bl_model_destroy(model);
    return status;
}

static void failing_allocations__leave_nothing_behind(void **unused) {
    (void)unused;
    char file[] = "/tmp/biela_inputs_XXXXXX";
    write_file(file, "t, force\n0, 1\n1, 4\n");
    test_failing_allocations(everything, file);
    remove(file);
}

static void refuse(bl_context *ctx, const bl_model *model, const char *text, int line, const char *what) {
    char file[] = "/tmp/biela_inputs_XXXXXX";
    write_file(file, text);
    bl_inputs table = {.size = sizeof table};
    bl_status status = bl_inputs_read(ctx, model, file, &table);
    remove(file);
    const bl_error *e = bl_context_error(ctx);
    if (status != BL_E_MODEL || e->line != line || !(strstr(e->what, what) || strstr(e->advice, what)))
        fail_msg("%s: status %d, line %d: %s (%s)", text, status, e->line, e->what, e->advice);
    assert_null(table.own);
}

static void bad_tables__are_refused_with_their_line(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_mass(ctx);
    refuse(ctx, model, "0, 1\n1, 2\n", 1, "headings");
    refuse(ctx, model, "t, forse\n0, 1\n", 1, "did you mean 'force'");
    refuse(ctx, model, "t, F\n0, 1\n", 1, "not an input");
    refuse(ctx, model, "force, t\n0, 1\n", 1, "t or time");
    refuse(ctx, model, "t\n0\n", 1, "no column");
    refuse(ctx, model, "t, force, force\n0, 1, 1\n", 1, "two columns");
    refuse(ctx, model, "t, force\n0, 1\n\n# pause\n2, 1\n2, 3\n", 6, "time must increase");
    refuse(ctx, model, "t, force\n0, 1\n1, x\n", 3, "not a finite number");
    refuse(ctx, model, "t, force\n0, 1\n1, nan\n", 3, "not a finite number");
    refuse(ctx, model, "t; force\n0; 1\n1; 1,5\n", 3, "decimals with a point");
    refuse(ctx, model, "t, force, brake\n0, 1, 0\n1, , 0\n", 3, "empty");
    refuse(ctx, model, "t, force\n0, 1\n1\n", 3, "1 of 2 fields");
    refuse(ctx, model, "t, force\n0, 1\n1, 2, 3\n", 3, "more fields");
    refuse(ctx, model, "t, force\n", 0, "no numbers");
    refuse(ctx, model, "", 0, "empty");
    bl_inputs table = {.size = sizeof table};
    assert_int_equal(bl_inputs_read(ctx, model, "no_such_file.csv", &table), BL_E_FILE);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void bad_arrays__are_refused(void **unused) {
    (void)unused;
    bl_context *ctx = test_context(NULL);
    bl_model *model = read_mass(ctx);
    static const double backwards[] = {0, 2, 1, 3, 4}, hole[] = {1, NAN, 1, 1, 1};
    static const char *const wrong[] = {"forse"}, *const twice[] = {"force", "force"};
    bl_inputs t = force_table(false);
    const struct {
        bl_inputs table;
        const char *what;
    } bad[] = {{{.n = ROWS, .ninput = 1, .name = wrong, .t = row_t, .value = row_f}, "no input 'forse'"},
               {{.n = 2, .ninput = 2, .name = twice, .t = row_t, .value = row_f}, "two columns"},
               {{.n = ROWS, .ninput = 1, .name = force_name, .t = backwards, .value = row_f}, "must increase"},
               {{.n = ROWS, .ninput = 1, .name = force_name, .t = row_t, .value = hole}, "not finite"},
               {{.n = 0, .ninput = 1, .name = force_name, .t = row_t, .value = row_f}, "at least one row"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bl_stepper *s;
        bl_run_options o = {.until = 1, .inputs = &bad[i].table};
        assert_int_equal(bl_simulate(ctx, model, &o, NULL, 0, NULL), BL_E_ARG);
        if (!strstr(bl_context_error(ctx)->what, bad[i].what))
            fail_msg("%s: %s", bad[i].what, bl_context_error(ctx)->what);
        assert_int_equal(bl_stepper_create(ctx, model, &o, &s), BL_E_ARG);
    }
    assert_int_equal(bl_assemble(ctx, model, &(bl_run_options){.inputs = &t}, NULL, 0, NULL), BL_E_ARG);
    assert_non_null(strstr(bl_context_error(ctx)->what, "table of inputs"));
    bl_model_destroy(model);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_mass_follows_its_force),
                                       cmocka_unit_test(every_row_ends_a_step),
                                       cmocka_unit_test(drivers__follow_the_table),
                                       cmocka_unit_test(stepping__equals_the_run_and_snapshots_go_on),
                                       cmocka_unit_test(bad_tables__are_refused_with_their_line),
                                       cmocka_unit_test(bad_arrays__are_refused),
                                       cmocka_unit_test(a_file__gives_the_motion_of_its_numbers),
                                       cmocka_unit_test(failing_allocations__leave_nothing_behind)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
