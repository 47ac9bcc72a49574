/* Plots: names, units of expressions, thinning that keeps peaks, files, texts that must not be interpreted, failed allocations. */
#include "synthetic.h"

#include "biela/plot.h"
#include "output/plot_private.h"

#include <sys/stat.h>

/* ---- points: the first, the last, the lowest and the highest sample of every bucket are kept */

static bool has_point(const bl_points *p, double x, double y) {
    for (bl_index i = 0; i < p->n; i++)
        if (p->xy[2 * i] == x && p->xy[2 * i + 1] == y)
            return true;
    return false;
}

static void points__keep_the_extremes_of_every_bucket(void **state) {
    enum { N = 20011, MOST = 400 };
    test_random random = {test_seed(5)};
    double *value = malloc(N * sizeof *value);
    assert_non_null(value);
    bl_points p;
    bl_points_begin(&p, *state, N, MOST, false);
    for (int i = 0; i < N; i++) {
        value[i] = test_random_symmetric(&random);
        assert_int_equal(bl_points_add(&p, i, value[i]), BL_OK);
    }
    assert_int_equal(bl_points_end(&p), BL_OK);
    assert_true(p.n <= MOST && p.n > MOST / 2);
    assert_int_equal(p.samples, N);
    const int size = (N + MOST / 4 - 1) / (MOST / 4);
    for (int first = 0; first < N; first += size) {
        int last = first + size < N ? first + size - 1 : N - 1, low = first, high = first;
        for (int i = first; i <= last; i++) {
            low = value[i] < value[low] ? i : low;
            high = value[i] > value[high] ? i : high;
        }
        assert_true(has_point(&p, first, value[first]) && has_point(&p, last, value[last]));
        assert_true(has_point(&p, low, value[low]) && has_point(&p, high, value[high]));
    }
    for (bl_index i = 1; i < p.n; i++)
        assert_true(p.xy[2 * i] > p.xy[2 * i - 2]);
    bl_points_destroy(&p);
    free(value);
}

static void points__of_the_plane_keep_extremes_of_both_axes_and_gaps(void **state) {
    bl_points p;
    double left = INFINITY, right = -INFINITY;
    bl_index gaps = 0;
    bl_points_begin(&p, *state, 5000, 600, true);
    for (int i = 0; i < 5000; i++) {
        double x = i == 777 ? -9 : i == 4001 ? 9 : cos(0.01 * i), y = i == 2500 ? NAN : sin(0.01 * i);
        assert_int_equal(bl_points_add(&p, x, y), BL_OK);
    }
    assert_int_equal(bl_points_end(&p), BL_OK);
    for (bl_index i = 0; i < p.n; i++) {
        gaps += isnan(p.xy[2 * i]);
        left = fmin(left, p.xy[2 * i]);
        right = fmax(right, p.xy[2 * i]);
    }
    assert_true(left == -9 && right == 9);
    assert_int_equal(gaps, 1);
    bl_points_destroy(&p);
}

static void points__that_are_few_stay_all(void **state) {
    bl_points p;
    bl_points_begin(&p, *state, 3, 400, false);
    for (int i = 0; i < 3; i++)
        assert_int_equal(bl_points_add(&p, i, i == 1 ? INFINITY : i), BL_OK);
    assert_int_equal(bl_points_end(&p), BL_OK);
    assert_int_equal(p.n, 3);
    assert_true(isnan(p.xy[3]) && p.xy[5] == 2);
    assert_true(p.low == 0 && p.high == 2);
    bl_points_destroy(&p);
}

/* ---- a result with a peak of one sample, and a body whose name contains commands */

enum { ROWS = 50000, PEAK = 31234 };
static const char nasty[] = "a'b`touch pwned`\"c\" %s $(touch pwned) {x}_1^2@\\n";
static const double peak = 1234.5;

static bl_status write_result(bl_context *ctx, const char *path, long rows) {
    const char *const bodies[] = {nasty, "rod"};
    bl_run_info info = synthetic_info;
    info.body = bodies;
    info.joint = (const char *const[]){"j1", "j2"};
    bl_sink sink = {0};
    synthetic_sample s;
    bl_status status = bl_sink_hdf5(ctx, path, &sink);
    if (status == BL_OK)
        status = sink.begin(sink.user, &info);
    for (long n = 0; n < rows && status == BL_OK; n++) {
        synthetic_row(&s, n);
        s.sample.t = 0.001 * (double)n;
        s.variable[0] = n == PEAK ? peak : sin(0.002 * (double)n);
        for (int k = 0; k < 3; k++)
            s.reaction[0].force[k] = k == 2 ? 0 : 3 + k; /* (3, 4, 0) */
        s.sample.kinetic = 2;
        s.sample.potential = cos(0.002 * (double)n);
        status = sink.sample(sink.user, &s.sample);
    }
    bl_status ended = status == BL_OK ? sink.end(sink.user, &synthetic_summary) : status;
    bl_sink_destroy(&sink);
    return ended;
}

static const char *in_folder(char *to, size_t size, const char *name) {
    snprintf(to, size, "%s", scratch(name));
    return to;
}

static bl_status draw(bl_context *ctx, const char *from, const char *const *what, bl_index n, bl_plot_options o, const char *path,
                      bl_plot_report *report) {
    bl_result *result = NULL;
    *report = (bl_plot_report){0};
    bl_status status = bl_result_open(ctx, from, &result);
    o.what = what;
    o.nwhat = n;
    if (status == BL_OK)
        status = bl_plot(ctx, &result, (const char *const[]){"run.h5"}, 1, &o, path, report);
    bl_result_close(result);
    return status;
}

/* a gnuplot that draws nothing: everything else is tested */
static void use_stub(bool stub) {
    static char path[4096];
    if (!path[0]) {
        char folder[512], program[600];
        in_folder(folder, sizeof folder, "bin");
        mkdir(folder, 0700);
        snprintf(program, sizeof program, "%s/gnuplot", folder);
        FILE *file = fopen(program, "w");
        assert_non_null(file);
        fputs("#!/bin/sh\neval \"$3\"\necho figure >plot.svg\n", file);
        fclose(file);
        assert_int_equal(chmod(program, 0700), 0);
        snprintf(path, sizeof path, "%s:%s", folder, getenv("PATH"));
    }
    setenv("PATH", stub ? path : strchr(path, ':') + 1, 1);
}

static void plot__keeps_a_peak_of_one_sample(void **state) {
    char result[512], figure[512], data[512], line[200];
    bl_plot_report report = {0};
    use_stub(true);
    assert_int_equal(write_result(*state, in_folder(result, sizeof result, "run.h5"), ROWS), BL_OK);
    const bl_plot_options o = {.keep = true};
    assert_int_equal(draw(*state, result, (const char *const[]){"j1.angle"}, 1, o, in_folder(figure, sizeof figure, "peak.svg"), &report),
                     BL_OK);
    const double degrees = peak * 180 / 3.14159265358979323846;
    assert_int_equal(report.ncurve, 1);
    assert_string_equal(report.curve[0].unit, "°");
    assert_int_equal(report.curve[0].samples, ROWS);
    assert_true(report.curve[0].points <= 8000);
    assert_true(fabs(report.curve[0].largest - degrees) < 1e-10 * degrees); /* one product of doubles */
    FILE *file = fopen(in_folder(data, sizeof data, "peak.dat"), "r");
    assert_non_null(file);
    bool found = false;
    for (double x, y; fgets(line, sizeof line, file);)
        if (sscanf(line, "%lf %lf", &x, &y) == 2 && fabs(y - degrees) < 1e-8 * degrees) { /* nine digits */
            found = true;
            assert_true(fabs(x - 0.001 * PEAK) < 1e-7);
        }
    fclose(file);
    assert_true(found);
    bl_plot_report_destroy(*state, &report);
    use_stub(false);
}

static void plot__finds_units_of_expressions(void **state) {
    static const struct {
        const char *text, *unit;
    } set[] = {{"j1.angle", "°"},
               {"2*j1.angle - pi*j1.angle", "°"},
               {"j1.angle_rate", "°/s"},
               {"sin(j1.angle)", ""},
               {"sqrt(tip.x^2+tip.y^2)", "m"},
               {"tip.x*tip.y", "m²"},
               {"tip.x + 1", ""},
               {"kinetic+potential", "J"},
               {"j1.fx*tip.x", "N m"},
               {"|j1|", "N"},
               {"|j1| / 2", "N"},
               {"tip.vx^2/tip.x", "m/s²"},
               {"j1.distance_rate", "m/s"},
               {"kinetic/tip.x", "N"},
               {"tip.x/tip.y", ""},
               {"\"j1.fx\"", "N"},
               {"kinetic*j1.angle_rate", "N m rad s^-1"},
               {"drift", ""},
               {"max(tip.x, tip.y)", "m"}};
    bl_result *result;
    char path[512];
    assert_int_equal(write_result(*state, in_folder(path, sizeof path, "units.h5"), 5), BL_OK);
    assert_int_equal(bl_result_open(*state, path, &result), BL_OK);
    bl_catalog c;
    assert_int_equal(bl_catalog_create(*state, result, &c), BL_OK);
    c.label = "units.h5";
    for (size_t i = 0; i < sizeof set / sizeof *set; i++) {
        bl_plot_value v;
        char unit[40];
        assert_int_equal(bl_plot_value_create(&c, set[i].text, &v), BL_OK);
        bl_unit_shown(&v.unit, false, false, unit, sizeof unit);
        if (strcmp(unit, set[i].unit) != 0)
            fail_msg("%s has '%s', not '%s'", set[i].text, unit, set[i].unit);
        bl_plot_value_destroy(&v);
    }
    bl_plot_value v;
    double value[5];
    assert_int_equal(bl_plot_value_create(&c, "|j1|", &v), BL_OK);
    assert_int_equal(bl_plot_value_read(&v, 0, 5, value), BL_OK);
    assert_true(value[4] == 5); /* (3, 4, 0) */
    bl_plot_value_destroy(&v);
    bl_catalog_destroy(&c);
    bl_result_close(result);
}

static void plot__puts_units_on_axes_of_their_own(void **state) {
    char result[512], figure[512];
    bl_plot_report report = {0};
    use_stub(true);
    assert_int_equal(write_result(*state, in_folder(result, sizeof result, "axes.h5"), 50), BL_OK);
    in_folder(figure, sizeof figure, "axes.svg");
    assert_int_equal(draw(*state, result, (const char *const[]){"j1.angle", "kinetic", "j1.fx", "potential", "tip.y:tip.x"}, 5,
                          (bl_plot_options){0}, figure, &report),
                     BL_OK);
    assert_int_equal(report.npanel, 4);
    static const bl_index panel[] = {0, 1, 1, 2, 3};
    for (bl_index c = 0; c < 5; c++)
        assert_int_equal(report.curve[c].panel, panel[c]);
    assert_string_equal(report.curve[2].name, "potential");
    assert_string_equal(report.curve[4].against, "tip.x");
    bl_plot_report_destroy(*state, &report);
    /* short forms: |j1| and |j2|; of j1 everything that is not always zero */
    assert_int_equal(draw(*state, result, (const char *const[]){"reactions"}, 1, (bl_plot_options){0}, figure, &report), BL_OK);
    assert_int_equal(report.ncurve, 2);
    bl_plot_report_destroy(*state, &report);
    assert_int_equal(draw(*state, result, (const char *const[]){"j1.f*"}, 1, (bl_plot_options){0}, figure, &report), BL_OK);
    assert_int_equal(report.ncurve, 2);
    bl_plot_report_destroy(*state, &report);
    assert_int_equal(draw(*state, result, (const char *const[]){"kinetic"}, 1,
                          (bl_plot_options){.limited = true, .from = 0.0095, .to = 0.0205}, figure, &report),
                     BL_OK);
    assert_int_equal(report.curve[0].samples, 11); /* 0.010 ... 0.020 */
    bl_plot_report_destroy(*state, &report);
    use_stub(false);
}

static void plot__says_what_is_wrong(void **state) {
    static const struct {
        const char *what, *path, *says, *advises;
    } set[] = {{"j1.angel", "x.svg", "no quantity 'j1.angel'", "j1.angle"},
               {"tip.x + tip.q", "x.svg", "unknown name 'tip.q'", "tip."},
               {"tip.x +", "x.svg", "found the end", ""},
               {"kinetic", "x.jpg", ".svg, .pdf or .png", ""},
               {":tip.x", "x.svg", "does not name a quantity", ""},
               {"tip.y:", "x.svg", "does not name a quantity", ""},
               {"tip.y:tip.q", "x.svg", "no quantity 'tip.q'", "tip."}};
    char result[512], figure[512];
    bl_plot_report report = {0};
    assert_int_equal(write_result(*state, in_folder(result, sizeof result, "wrong.h5"), 5), BL_OK);
    for (size_t i = 0; i < sizeof set / sizeof *set; i++) {
        assert_int_equal(
            draw(*state, result, &set[i].what, 1, (bl_plot_options){0}, in_folder(figure, sizeof figure, set[i].path), &report), BL_E_ARG);
        const bl_error *error = bl_context_error(*state);
        if (!strstr(error->what, set[i].says) || !strstr(error->advice, set[i].advises))
            fail_msg("%s: '%s' '%s'", set[i].what, error->what, error->advice);
        bl_plot_report_destroy(*state, &report);
        assert_false(exists(figure));
    }
}

static void plot__without_gnuplot_is_one_line_and_keeps_what_it_should(void **state) {
    char result[512], figure[512], path[512], *was = strdup(getenv("PATH"));
    bl_plot_report report = {0};
    assert_int_equal(write_result(*state, in_folder(result, sizeof result, "none.h5"), 5), BL_OK);
    setenv("PATH", "/nowhere", 1);
    bl_status status = draw(*state, result, (const char *const[]){"kinetic"}, 1, (bl_plot_options){.keep = true},
                            in_folder(figure, sizeof figure, "none.svg"), &report);
    setenv("PATH", was, 1);
    free(was);
    assert_int_equal(status, BL_E_ABILITY);
    assert_non_null(strstr(bl_context_error(*state)->what, "gnuplot is not installed"));
    assert_false(exists(figure));
    assert_true(exists(in_folder(path, sizeof path, "none.gp")));
    assert_true(exists(in_folder(path, sizeof path, "none.dat")));
    bl_plot_report_destroy(*state, &report);
}

/* with the real gnuplot: names and paths are never interpreted */
static void plot__runs_nothing_that_stands_in_names_or_paths(void **state) {
    if (system("gnuplot --version >/dev/null 2>&1") != 0)
        skip();
    char result[512], figure[512], name[300], command[700], script[512];
    bl_plot_report report = {0};
    assert_int_equal(write_result(*state, in_folder(result, sizeof result, "nasty.h5"), 50), BL_OK);
    mkdir(in_folder(figure, sizeof figure, "it's `touch pwned`"), 0700);
    in_folder(figure, sizeof figure, "it's `touch pwned`/|touch pwned; 'x'%d {y}_.svg");
    snprintf(name, sizeof name, "%s.x", nasty);
    char folder[512];
    assert_non_null(getcwd(folder, sizeof folder));
    assert_int_equal(chdir(scratch("")), 0);
    assert_int_equal(draw(*state, result, (const char *const[]){name, "rod.x"}, 2, (bl_plot_options){.keep = true}, figure, &report),
                     BL_OK);
    assert_true(exists(figure));
    snprintf(script, sizeof script, "%s", report.script);
    bl_plot_report_destroy(*state, &report);
    /* the kept script draws the same figure again */
    assert_int_equal(unlink(figure), 0);
    snprintf(command, sizeof command, "cd \"$DIR\" && gnuplot \"$SCRIPT\" 2>&1");
    char *slash = strrchr(script, '/');
    *slash = '\0';
    setenv("DIR", script, 1);
    setenv("SCRIPT", slash + 1, 1);
    assert_int_equal(system(command), 0);
    assert_true(exists(figure));
    assert_int_equal(system("! find . -name pwned | grep -q ."), 0);
    assert_int_equal(chdir(folder), 0);
    FILE *file = fopen(figure, "r");
    assert_non_null(file);
    char *text = calloc(1, 1 << 20);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 1000);
    fclose(file);
    assert_non_null(strstr(text, "`touch pwned`")); /* the label, character by character */
    assert_non_null(strstr(text, "%s $(touch pwned) {x}_1^2@"));
    free(text);
}

static bl_status plot_all(bl_context *ctx, void *user) {
    char figure[512];
    bl_plot_report report = {0};
    bl_status status = draw(ctx, user, (const char *const[]){"j1.f*", "kinetic+potential", "tip.y:tip.x"}, 3,
                            (bl_plot_options){.keep = true}, in_folder(figure, sizeof figure, "memory.svg"), &report);
    bl_plot_report_destroy(ctx, &report);
    bl_plot_names names = {0};
    bl_result *result = NULL;
    if (status == BL_OK)
        status = bl_result_open(ctx, user, &result);
    if (status == BL_OK)
        status = bl_plot_list(ctx, result, &names);
    bl_plot_names_destroy(ctx, &names);
    bl_result_close(result);
    return status;
}

static void plot__survives_failing_allocations(void **state) {
    char result[512];
    use_stub(true);
    assert_int_equal(write_result(*state, in_folder(result, sizeof result, "memory.h5"), 5), BL_OK);
    test_failing_allocations(plot_all, result);
    test_failing_once(plot_all, result);
    use_stub(false);
}

static int setup(void **state) {
    *state = test_context(NULL);
    return 0;
}

static int teardown(void **state) {
    test_context_end(*state);
    return remove_scratch(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points__keep_the_extremes_of_every_bucket),
        cmocka_unit_test(points__of_the_plane_keep_extremes_of_both_axes_and_gaps),
        cmocka_unit_test(points__that_are_few_stay_all),
        cmocka_unit_test(plot__keeps_a_peak_of_one_sample),
        cmocka_unit_test(plot__finds_units_of_expressions),
        cmocka_unit_test(plot__puts_units_on_axes_of_their_own),
        cmocka_unit_test(plot__says_what_is_wrong),
        cmocka_unit_test(plot__without_gnuplot_is_one_line_and_keeps_what_it_should),
        cmocka_unit_test(plot__runs_nothing_that_stands_in_names_or_paths),
        cmocka_unit_test(plot__survives_failing_allocations),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
