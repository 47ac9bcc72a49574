/* Files and figures of linearized mechanisms, read back by another reader (check_linear.py); paths of eigenvalues of known columns. */
#include "base/base.h"
#include "biela/linear.h"
#include "synthetic.h"

#include <math.h>
#include <unistd.h>

static void python(const char *how, const char *file, const char *more) {
    char command[2500];
    snprintf(command, sizeof command, "python3 '%s/unit/output/check_linear.py' %s '%s' %s", TESTS, how, file, more);
    assert_int_equal(system(command), 0);
}

static const char *const state_name[] = {"j1.angle", "it's, \"odd\"", "\xC3\xA9paule.x", "z 4"};
static const char *const input_name[] = {"motor.torque", "F"};
static const char *const output_name[] = {"C.x", "C.y", "reaction.A.fx"};

typedef struct numbers {
    double A[16], B[8], C[12], D[6];
} numbers;

static bl_linear_model random_model(numbers *m, uint64_t seed) {
    test_random random = {seed};
    double *all = m->A;
    for (size_t k = 0; k < sizeof *m / sizeof *all; k++)
        all[k] = test_random_symmetric(&random) * pow(10, 200 * test_random_symmetric(&random));
    m->B[1] = m->C[2] = 0;
    m->D[3] = -0.1;
    return (bl_linear_model){0, 4, 2, 3, state_name, input_name, output_name, m->A, m->B, m->C, m->D};
}

static void write_all(bl_context *ctx, const bl_linear_model *lin, const char *prefix) {
    static const char *const ending[] = {".m", ".json", ".mtx"};
    char path[1200];
    for (int k = 0; k < 3; k++) {
        snprintf(path, sizeof path, "%s%s", prefix, ending[k]);
        if (bl_linear_write(ctx, lin, path) != BL_OK)
            fail_msg("%s", bl_context_error(ctx)->what);
    }
}

/* ---- matrices */

static void files__hold_the_same_bits(void **state) {
    numbers m;
    bl_linear_model lin = random_model(&m, test_seed(3));
    write_all(*state, &lin, scratch("arm"));
    python("matrices", scratch("arm"), "");
}

static void nothing__is_written_too(void **state) {
    double A[] = {-1, 2, 3, -4}, C[] = {1, 1}, D[] = {5};
    bl_linear_model lin = {0, 2, 0, 1, state_name, NULL, output_name, A, NULL, C, NULL};
    write_all(*state, &lin, scratch("deaf"));
    python("matrices", scratch("deaf"), "");
    lin = (bl_linear_model){0, 0, 1, 1, NULL, input_name, output_name, NULL, NULL, NULL, D};
    write_all(*state, &lin, scratch("gain"));
    python("matrices", scratch("gain"), "");
    lin = (bl_linear_model){0};
    write_all(*state, &lin, scratch("void"));
    python("matrices", scratch("void"), "");
}

static void names_of_files__follow_the_ending(void **state) {
    (void)state;
    char file[64];
    assert_int_equal(bl_linear_file("a/b.mtx", 2, file, sizeof file), 4);
    assert_string_equal(file, "a/b.C.mtx");
    assert_int_equal(bl_linear_file("a/b.m", 0, file, sizeof file), 1);
    assert_string_equal(file, "a/b.m");
    assert_int_equal(bl_linear_file("a.json", 1, file, sizeof file), 1);
    assert_string_equal(file, "");
    const char *const none[] = {"a.txt", "mtx", ".m", "folder/.mtx", "m", ""};
    for (int k = 0; k < 6; k++)
        assert_int_equal(bl_linear_file(none[k], 0, file, sizeof file), 0);
}

/* one of four files cannot be written: none is, and older ones remain */
static void market__is_all_or_none(void **state) {
    numbers m;
    bl_linear_model lin = random_model(&m, 5);
    char path[1200], command[1500];
    FILE *old;
    snprintf(path, sizeof path, "%s", scratch("part.A.mtx"));
    assert_non_null(old = fopen(path, "w"));
    fputs("old", old);
    fclose(old);
    snprintf(command, sizeof command, "mkdir -p '%s'", scratch("part.C.mtx"));
    assert_int_equal(system(command), 0);
    assert_int_equal(bl_linear_write(*state, &lin, scratch("part.mtx")), BL_E_FILE);
    assert_non_null(strstr(bl_context_error(*state)->what, "part.C.mtx"));
    char text[8] = "";
    assert_non_null(old = fopen(path, "r"));
    assert_non_null(fgets(text, sizeof text, old));
    fclose(old);
    assert_string_equal(text, "old");
    assert_int_not_equal(access(scratch("part.B.mtx"), F_OK), 0);
    assert_int_not_equal(access(scratch("part.B.mtx~partial"), F_OK), 0);
}

static void mistakes__are_named(void **state) {
    numbers m;
    bl_linear_model lin = random_model(&m, 6);
    assert_int_equal(bl_linear_write(*state, &lin, "arm.txt"), BL_E_ARG);
    assert_non_null(strstr(bl_context_error(*state)->what, "arm.txt"));
    assert_non_null(strstr(bl_context_error(*state)->advice, ".mtx"));
    assert_int_equal(bl_linear_write(*state, &lin, "/no/such/folder/arm.m"), BL_E_FILE);
    m.C[7] = INFINITY;
    assert_int_equal(bl_linear_write(*state, &lin, scratch("arm.m")), BL_E_ARG);
    assert_non_null(strstr(bl_context_error(*state)->what, "row 'C.y', column '\xC3\xA9paule.x'"));
    bl_mode_path none = {0};
    assert_int_equal(bl_linear_locus(*state, &none, scratch("x.svg")), BL_E_ARG);
    double value[] = {1}, re[] = {NAN}, im[] = {0};
    none = (bl_mode_path){.parameter = "p", .npoint = 1, .nmode = 1, .value = value, .re = re, .im = im};
    assert_int_equal(bl_linear_locus(*state, &none, scratch("x.svg")), BL_E_ARG);
    assert_int_equal(bl_linear_campbell(*state, &none, scratch("x.svg")), BL_E_ARG);
    lin.ninput = 0;
    m.C[7] = 0;
    assert_int_equal(bl_linear_bode(*state, &lin, 1, value, NULL, NULL, 0, scratch("x.svg")), BL_E_ARG);
    assert_non_null(strstr(bl_context_error(*state)->advice, "input"));
}

/* ---- responses */

typedef struct car {
    double A[16], B[4], C[8], D[2];
    bl_linear_model lin;
    bl_frequencies at;
    double *H;
} car;

static void make_car(bl_context *ctx, car *c) {
    double M = 300, m = 40, k = 2e4, kt = 1.8e5, d = 1500;
    *c = (car){.B = {0, 0, 0, kt / m}, .C = {1, 0, 0, 1}};
    c->A[8] = c->A[13] = 1;
    c->A[2] = -k / M, c->A[6] = k / M, c->A[10] = -d / M, c->A[14] = d / M;
    c->A[3] = k / m, c->A[7] = -(k + kt) / m, c->A[11] = d / m, c->A[15] = -d / m;
    c->lin = (bl_linear_model){0, 4, 1, 2, state_name, input_name, output_name, c->A, c->B, c->C, c->D};
    assert_int_equal(bl_linear_frequencies(ctx, &c->lin, 0, 0, 0, &c->at), BL_OK);
    c->H = calloc((size_t)c->at.n, 4 * sizeof *c->H);
    assert_int_equal(bl_linear_response(ctx, &c->lin, c->at.n, c->at.omega, c->H), BL_OK);
}

static void end_car(bl_context *ctx, car *c) {
    free(c->H);
    bl_frequencies_destroy(ctx, &c->at);
}

static void table__has_every_pair(void **state) {
    car c;
    make_car(*state, &c);
    c.H[0] = c.H[1] = NAN; /* a pole at the first frequency */
    assert_int_equal(bl_linear_response_csv(*state, &c.lin, c.at.n, c.at.omega, c.H, scratch("car.csv")), BL_OK);
    FILE *in = fopen(scratch("car.csv"), "r");
    char line[1000];
    assert_non_null(in);
    assert_non_null(fgets(line, sizeof line, in));
    assert_string_equal(line, "omega_rad_s,frequency_hz,C.x/motor.torque.magnitude,C.x/motor.torque.phase_deg,C.x/motor.torque.re,"
                              "C.x/motor.torque.im,C.y/motor.torque.magnitude,C.y/motor.torque.phase_deg,C.y/motor.torque.re,"
                              "C.y/motor.torque.im\n");
    double last = 0;
    for (bl_index k = 0; k < c.at.n; k++) {
        double v[10];
        assert_non_null(fgets(line, sizeof line, in));
        char *at = line;
        for (int j = 0; j < 10; j++) {
            v[j] = strtod(at, &at);
            assert_int_equal(*at++, j < 9 ? ',' : '\n');
        }
        assert_true(v[0] == c.at.omega[k] && fabs(v[1] * 6.283185307179586 - v[0]) < 1e-14 * v[0]);
        if (k == 0) {
            assert_true(isinf(v[2]) && isnan(v[3]) && isnan(v[4]));
            continue;
        }
        assert_true(v[4] == c.H[4 * k] && v[5] == c.H[4 * k + 1] && v[2] == hypot(v[4], v[5]));
        assert_true(fabs(v[2] * cos(v[3] * 0.017453292519943295) - v[4]) < 1e-13 * v[2] + 1e-300);
        assert_true(k < 2 || fabs(v[3] - last) < 30); /* no jumps: three poles more than zeros, down to -270 degrees */
        last = v[3];
    }
    assert_true(fabs(last + 270) < 3);
    fclose(in);
    end_car(*state, &c);
}

static void bode__shows_pairs(void **state) {
    car c;
    make_car(*state, &c);
    assert_int_equal(bl_linear_bode(*state, &c.lin, c.at.n, c.at.omega, c.H, NULL, 0, scratch("bode.svg")), BL_OK);
    python("figure", scratch("bode.svg"), "4 'C.x / motor.torque' 'C.y / motor.torque' rad/s Hz 'phase (degrees)' 102 -270");
    const bl_index one[] = {1, 0};
    assert_int_equal(bl_linear_bode(*state, &c.lin, c.at.n, c.at.omega, c.H, one, 1, scratch("bode.svg")), BL_OK);
    python("figure", scratch("bode.svg"), "2 'Response of C.y to motor.torque'");
    const bl_index wrong[] = {2, 0};
    assert_int_equal(bl_linear_bode(*state, &c.lin, c.at.n, c.at.omega, c.H, wrong, 1, scratch("bode.svg")), BL_E_ARG);
    memset(c.H, 0, (size_t)c.at.n * 4 * sizeof *c.H); /* nothing moves: axes are drawn nevertheless */
    assert_int_equal(bl_linear_bode(*state, &c.lin, c.at.n, c.at.omega, c.H, NULL, 0, scratch("bode.svg")), BL_OK);
    python("figure", scratch("bode.svg"), "2");
    end_car(*state, &c);
}

/* ---- paths */

enum { POINTS = 61, MODES = 4 };
typedef struct points {
    double value[POINTS], re[POINTS * MODES], im[POINTS * MODES];
} points;

/* Ziegler's column without dampers: s^4 + (7/2 - P) s^2 + 1/2 = 0, modes shuffled at every point */
static bl_mode_path ziegler(points *z, double to, uint64_t seed) {
    test_random random = {seed};
    for (int p = 0; p < POINTS; p++) {
        double P = z->value[p] = to * p / (POINTS - 1), b = (3.5 - P) / 2, disc = b * b - 0.5, root[4][2];
        if (disc >= 0) {
            double w[2] = {sqrt(b - sqrt(disc)), sqrt(b + sqrt(disc))};
            for (int k = 0; k < 4; k++) {
                root[k][0] = 0;
                root[k][1] = (k % 2 ? -1 : 1) * w[k / 2];
            }
        } else { /* s^2 = -b +- i sqrt(-disc) */
            double size = sqrt(sqrt(0.5)), half = atan2(sqrt(-disc), -b) / 2;
            for (int k = 0; k < 4; k++) {
                root[k][0] = (k / 2 ? -1 : 1) * size * cos(half);
                root[k][1] = (k % 2 ? -1 : 1) * size * sin(half);
            }
        }
        for (int k = 3; k >= 0; k--) {
            int pick = test_random_below(&random, k + 1);
            z->re[MODES * p + k] = root[pick][0];
            z->im[MODES * p + k] = root[pick][1];
            root[pick][0] = root[k][0];
            root[pick][1] = root[k][1];
        }
    }
    return (bl_mode_path){.parameter = "P", .npoint = POINTS, .nmode = MODES, .value = z->value, .re = z->re, .im = z->im};
}

static void flutter__is_found_where_poles_meet(void **state) {
    static points z;
    double re[POINTS * MODES], im[POINTS * MODES];
    bl_mode_crossing c[4];
    bl_mode_path path = ziegler(&z, 3, test_seed(2));
    assert_int_equal(bl_mode_path_join(*state, &path, re, im), BL_OK);
    path.re = re;
    path.im = im;
    assert_int_equal(bl_mode_path_crossings(&path, 4, c), 1);
    assert_true(c[0].unstable);
    assert_true(fabs(c[0].value - 2.0857864376) < 2e-4); /* re^2 is linear up to h^2 of the step 0.05 */
    assert_true(fabs(c[0].omega - sqrt(sqrt(0.5))) < 1e-3);
    for (int p = 1; p < POINTS; p++) /* curves are continuous: steps are small except where they meet */
        for (int k = 0; k < MODES; k++)
            assert_true(hypot(re[MODES * p + k] - re[MODES * (p - 1) + k], im[MODES * p + k] - im[MODES * (p - 1) + k]) < 0.35);
    path = ziegler(&z, 3, 9);
    assert_int_equal(bl_linear_locus(*state, &path, scratch("locus.svg")), BL_OK);
    python("figure", scratch("locus.svg"), "4 'P = 2.08' 'P = 0' 'P = 3' 'Root locus over P' 'real part (1/s)' unstable");
    python("rings", scratch("locus.svg"), "3"); /* both of the pair, and the legend */
    assert_int_equal(bl_linear_campbell(*state, &path, scratch("campbell.svg")), BL_OK);
    /* two without damping, one unstable, and the other of its pair through three bands up to a damping ratio of 0.57 */
    python("figure", scratch("campbell.svg"), "6 'P = 2.08' 'Campbell diagram over P' unstable Hz");
    python("rings", scratch("campbell.svg"), "1");
    path = ziegler(&z, 2, 9);
    assert_int_equal(bl_linear_locus(*state, &path, scratch("locus.svg")), BL_OK);
    python("rings", scratch("locus.svg"), "0");
}

/* two straight lines that cross in the plane: joined straight, not at an angle; one crosses the axis at 0.3 and the other returns */
static void crossing_curves__go_straight_on(void **state) {
    enum { N = 41 };
    double value[N], re[2 * N], im[2 * N], joined_re[2 * N], joined_im[2 * N];
    for (int p = 0; p < N; p++) {
        double t = value[p] = p / (N - 1.);
        bool flip = p % 3 == 1;
        re[2 * p + flip] = t - 0.3;
        im[2 * p + flip] = 1 + t;
        re[2 * p + !flip] = 0.45 - t;
        im[2 * p + !flip] = 2 - t;
    }
    bl_mode_path path = {.parameter = "t", .npoint = N, .nmode = 2, .value = value, .re = re, .im = im, .speed = true};
    bl_mode_crossing c[4];
    assert_int_equal(bl_mode_path_join(*state, &path, joined_re, joined_im), BL_OK);
    for (int p = 0; p < N; p++)
        assert_true(joined_re[2 * p] == value[p] - 0.3 && joined_re[2 * p + 1] == 0.45 - value[p]);
    path.re = joined_re;
    path.im = joined_im;
    assert_int_equal(bl_mode_path_crossings(&path, 4, c), 2);
    assert_true(c[0].unstable && fabs(c[0].value - 0.3) < 1e-14 && fabs(c[0].omega - 1.3) < 1e-14 && c[0].mode == 0);
    path.crossing = &(bl_mode_crossing){.mode = 0, .value = 0.304, .omega = 1.304, .unstable = true};
    path.ncrossing = 1; /* given crossings are shown instead of those found */
    assert_int_equal(bl_linear_locus(*state, &path, scratch("given.svg")), BL_OK);
    python("figure", scratch("given.svg"), "2 't = 0.304'");
    python("rings", scratch("given.svg"), "2");
    path.crossing = &(bl_mode_crossing){.mode = 2};
    assert_int_equal(bl_linear_locus(*state, &path, scratch("given.svg")), BL_E_ARG);
    assert_true(!c[1].unstable && fabs(c[1].value - 0.45) < 1e-14 && fabs(c[1].omega - 1.55) < 1e-14 && c[1].mode == 1);
}

/* a rotor without damping, kx = ky = 100: frequencies 10 - Omega and 10 + Omega; 1x at 5. A third eigenvalue is missing at some points. */
static void campbell__marks_critical_speeds(void **state) {
    enum { N = 32 };
    double value[N], re[3 * N], im[3 * N];
    for (int p = 0; p < N; p++) {
        value[p] = 8. * p / (N - 1);
        re[3 * p] = re[3 * p + 1] = 0;
        im[3 * p] = 10 + value[p];
        im[3 * p + 1] = 10 - value[p];
        re[3 * p + 2] = p % 5 ? NAN : -1000;
        im[3 * p + 2] = p % 5 ? NAN : 0;
    }
    bl_mode_path path = {.parameter = "Omega <&>", .npoint = N, .nmode = 3, .value = value, .re = re, .im = im, .speed = true};
    assert_int_equal(bl_linear_campbell(*state, &path, scratch("c.svg")), BL_OK);
    python("figure", scratch("c.svg"), "4 1x 2x 5 'Omega <&> (rad/s)' 'below 0.005'");
    path.speed = false;
    assert_int_equal(bl_linear_campbell(*state, &path, scratch("c.svg")), BL_OK);
    python("figure", scratch("c.svg"), "2");
    assert_int_equal(bl_linear_locus(*state, &path, scratch("c.svg")), BL_OK);
    python("figure", scratch("c.svg"), "2 '1 fast real eigenvalue farther left'");
    path.npoint = 1; /* a single point is not a curve, and not a failure */
    assert_int_equal(bl_linear_locus(*state, &path, scratch("c.svg")), BL_OK);
    assert_int_equal(bl_linear_campbell(*state, &path, scratch("c.svg")), BL_OK);
}

/* ---- memory */

static bl_status everything(bl_context *ctx, void *unused) {
    static points z;
    (void)unused;
    numbers m;
    bl_linear_model lin = random_model(&m, 1);
    const double omega[] = {1, 2, 4};
    double H[3 * 6 * 2];
    for (int k = 0; k < 36; k++)
        H[k] = k - 9;
    bl_mode_path path = ziegler(&z, 3, 4);
    BL_TRY(bl_linear_write(ctx, &lin, scratch("memory.mtx")));
    BL_TRY(bl_linear_write(ctx, &lin, scratch("memory.json")));
    BL_TRY(bl_linear_write(ctx, &lin, scratch("memory.m")));
    BL_TRY(bl_linear_response_csv(ctx, &lin, 3, omega, H, scratch("memory.csv")));
    BL_TRY(bl_linear_bode(ctx, &lin, 3, omega, H, NULL, 0, scratch("memory.svg")));
    BL_TRY(bl_linear_locus(ctx, &path, scratch("memory.svg")));
    return bl_linear_campbell(ctx, &path, scratch("memory.svg"));
}

static void failing_allocations__are_clean(void **unused) {
    (void)unused;
    assert_true(test_failing_allocations(everything, NULL) > 20);
    test_failing_once(everything, NULL);
}

static int begin(void **state) { return (*state = test_context(NULL)) ? 0 : -1; }
static int end(void **state) {
    test_context_end(*state);
    return 0;
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {TEST(files__hold_the_same_bits),
                                       TEST(nothing__is_written_too),
                                       TEST(names_of_files__follow_the_ending),
                                       TEST(market__is_all_or_none),
                                       TEST(mistakes__are_named),
                                       TEST(table__has_every_pair),
                                       TEST(bode__shows_pairs),
                                       TEST(flutter__is_found_where_poles_meet),
                                       TEST(crossing_curves__go_straight_on),
                                       TEST(campbell__marks_critical_speeds),
                                       cmocka_unit_test(failing_allocations__are_clean)};
    return cmocka_run_group_tests(tests, NULL, remove_scratch);
}
