/* Result files read back: of version 1 (a stored file and its table), of the current version, damaged, and without memory. */
#include "synthetic.h"

#include "base/base.h"

#include <hdf5.h>
#include <sys/stat.h>
#include <zlib.h>

static const char *const table = TESTS "/unit/output/results/version_1.csv";

static void unpack(const char *from, const char *to) {
    char bytes[4096];
    gzFile in = gzopen(from, "rb");
    FILE *out = fopen(to, "wb");
    assert_true(in && out);
    for (int n; (n = gzread(in, bytes, sizeof bytes)) > 0;)
        assert_int_equal(fwrite(bytes, 1, (size_t)n, out), n);
    gzclose(in);
    assert_int_equal(fclose(out), 0);
}

static bl_status write_synthetic(bl_context *ctx, const char *path, long rows) {
    bl_sink sink = {0};
    bl_status status = bl_sink_hdf5(ctx, path, &sink);
    if (status == BL_OK)
        status = synthetic_run(&sink, rows, synthetic_summary);
    bl_sink_destroy(&sink);
    return status;
}

/* ---- version 1 */

enum { OLD_ROWS = 5, MOST_COLUMNS = 80 };

/* the column of the table and all its numbers */
static bool column(const char *name, double value[OLD_ROWS]) {
    char line[8192], *at;
    FILE *file = fopen(table, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    int wanted = -1, k = 0;
    for (at = strtok(line, ",\n"); at; at = strtok(NULL, ",\n"), k++)
        if (strcmp(at, name) == 0)
            wanted = k;
    for (int n = 0; n < OLD_ROWS; n++) {
        assert_non_null(fgets(line, sizeof line, file));
        at = line;
        for (k = 0; k <= wanted; k++, at += *at == ',')
            value[n] = strtod(at, &at);
    }
    fclose(file);
    return wanted >= 0;
}

static void result__of_version_1_reads_as_its_table(void **state) {
    static const struct {
        const char *quantity, *item, *columns; /* suffixes of the table, after the item and a point; separated by blanks */
        const char *joined;                    /* instead: suffixes directly after the item */
    } set[] = {{"bodies/position", "wheel/left", "x y z", NULL},
               {"bodies/quaternion", "50% wheel", "qw qx qy qz", NULL},
               {"bodies/velocity", "50% wheel", "vx vy vz", NULL},
               {"bodies/angular_velocity", "wheel/left", "wx wy wz", NULL},
               {"variables/value", "j2.angle", NULL, ""},
               {"variables/rate", "j/1.angle", NULL, "_rate"},
               {"probes/position", "tip", "x y z", NULL},
               {"probes/velocity", "tip", "vx vy vz", NULL},
               {"reactions/force", "j/1", "fx fy fz", NULL},
               {"reactions/moment", "j2", "mx my mz", NULL},
               {"drivers/force", "motor", "force", NULL},
               {"drivers/power", "motor", "power", NULL},
               {"gears/first", "teeth", "first", NULL},
               {"gears/second", "teeth", "second", NULL},
               {"time", "t", NULL, ""},
               {"energy/kinetic", "kinetic", NULL, ""},
               {"energy/error", "energy_error", NULL, ""},
               {"drift", "drift", NULL, ""}};
    bl_result *r;
    double value[OLD_ROWS * 4 * 4], wanted[OLD_ROWS];
    unpack(TESTS "/unit/output/results/version_1.h5.gz", scratch("version_1.h5"));
    assert_int_equal(bl_result_open(*state, scratch("version_1.h5"), &r), BL_OK);
    assert_int_equal(bl_result_version(r), 1);
    assert_int_equal(bl_result_samples(r), OLD_ROWS);
    for (size_t i = 0; i < sizeof set / sizeof *set; i++) {
        const bl_quantity *q;
        assert_int_equal(bl_result_quantity(r, set[i].quantity, &q), BL_OK);
        bl_index item = 0;
        while (q->item && strcmp(q->item[item], set[i].item) != 0)
            assert_true(++item < q->items);
        assert_int_equal(bl_result_read(r, q, 0, OLD_ROWS, 0, q->items, value), BL_OK);
        const char *part = set[i].columns;
        for (int c = 0; c < q->components; c++) {
            char name[200];
            int length = part ? (int)strcspn(part, " ") : 0;
            snprintf(name, sizeof name, "%s%s%.*s%s", set[i].item, part ? "." : "", length, part ? part : "", part ? "" : set[i].joined);
            if (!column(name, wanted))
                fail_msg("the table has no '%s'", name);
            for (int n = 0; n < OLD_ROWS; n++)
                assert_true(value[(n * q->items + item) * q->components + c] == wanted[n]);
            part = part ? part + length + (part[length] == ' ') : NULL;
        }
    }
    double steps;
    char text[100];
    assert_int_equal(bl_result_number(r, "statistics/steps", &steps), BL_OK);
    assert_true(steps == 10);
    assert_int_equal(bl_result_text(r, "status", text, sizeof text), BL_OK);
    assert_string_equal(text, "done");
    const char *model;
    size_t bytes;
    assert_int_equal(bl_result_model(r, &model, &bytes), BL_OK);
    assert_true(bytes > 100 && strncmp(model, "model: Two wheels\n", 18) == 0);
    const char *scene = "";
    assert_int_equal(bl_result_scene(r, &scene, &bytes), BL_OK); /* that version had none */
    assert_true(scene == NULL && bytes == 0);
    bl_result_close(r);
}

/* ---- current version */

static void check_all(bl_result *r, long rows) {
    static const char *const what[] = {
        "time",           "bodies/position", "bodies/quaternion", "bodies/velocity",  "bodies/angular_velocity", "variables/value",
        "variables/rate", "reactions/force", "reactions/moment",  "probes/position",  "probes/velocity",         "energy/kinetic",
        "drift",          "contacts/gap",    "contacts/force",    "contacts/sliding", "contacts/point",          "contacts/total"};
    assert_int_equal(bl_result_version(r), 2);
    assert_int_equal(bl_result_samples(r), rows);
    for (int w = 0; w < 18; w++) {
        const bl_quantity *q;
        assert_int_equal(bl_result_quantity(r, what[w], &q), BL_OK);
        double *value = malloc((size_t)rows * (size_t)q->items * (size_t)q->components * sizeof *value + 1);
        for (long first = 0; first < rows; first += 1 + rows / 3) /* in parts, also item by item */
            for (bl_index item = 0; item < q->items; item++) {
                long count = rows - first < 1 + rows / 3 ? rows - first : 1 + rows / 3;
                assert_int_equal(bl_result_read(r, q, first, count, item, 1, value), BL_OK);
                for (long n = 0; n < count; n++)
                    for (int c = 0; c < q->components; c++)
                        assert_true(value[n * q->components + c] == synthetic_value(first + n, w, item, c));
            }
        free(value);
    }
}

static void result__of_today_reads_back_in_parts(void **state) {
    static const long rows[] = {1, 100, 1000};
    for (int i = 0; i < 3; i++) {
        bl_result *r;
        const bl_quantity *q, *list;
        double x[64];
        assert_int_equal(write_synthetic(*state, scratch("new.h5"), rows[i]), BL_OK);
        assert_int_equal(bl_result_open(*state, scratch("new.h5"), &r), BL_OK);
        check_all(r, rows[i]);
        assert_int_equal(bl_result_quantities(r, &list), 25);
        assert_string_equal(list[0].name, "time");
        assert_string_equal(list[0].unit, "s");
        assert_int_equal(bl_result_quantity(r, "bodies/position", &q), BL_OK);
        assert_int_equal(q->items, NBODY);
        for (int k = 0; k < NBODY; k++)
            assert_string_equal(q->item[k], body_names[k]);
        assert_int_equal(bl_result_quantity(r, "bodies/acceleration", &list), BL_E_ARG);
        assert_int_equal(bl_result_read(r, q, rows[i], 1, 0, 1, x), BL_E_ARG);
        assert_int_equal(bl_result_read(r, q, -1, 1, 0, 1, x), BL_E_ARG);
        assert_int_equal(bl_result_read(r, q, 0, 1, 1, 2, x), BL_E_ARG);
        assert_int_equal(bl_result_read(r, q, rows[i], 0, 0, 1, x), BL_OK);
        assert_int_equal(bl_result_read(r, &(bl_quantity){0}, 0, 1, 0, 1, x), BL_E_ARG);
        assert_int_equal(bl_result_number(r, "tolerance", x), BL_OK);
        assert_true(x[0] == 1e-6);
        assert_int_equal(bl_result_number(r, "status", x), BL_E_ARG);
        assert_int_equal(bl_result_number(r, "statistics/none", x), BL_E_ARG);
        assert_int_equal(bl_result_number(r, "none/steps", x), BL_E_ARG);
        char text[4];
        assert_int_equal(bl_result_text(r, "coordinates", text, sizeof text), BL_OK);
        assert_string_equal(text, "nat");
        const char *model;
        size_t bytes;
        assert_int_equal(bl_result_model(r, &model, &bytes), BL_OK);
        assert_int_equal(bytes, sizeof model_source - 1);
        assert_memory_equal(model, model_source, bytes);
        for (int again = 0; again < 2; again++) {
            assert_int_equal(bl_result_scene(r, &model, &bytes), BL_OK);
            assert_int_equal(bytes, sizeof scene_text - 1);
            assert_memory_equal(model, scene_text, bytes);
        }
        bl_result_close(r);
    }
}

/* a run that was not ended */
static void result__of_a_run_that_was_cut_off_reads(void **state) {
    bl_sink sink = {0};
    synthetic_sample s;
    bl_result *r;
    char path[600], text[32];
    snprintf(path, sizeof path, "%s~partial", scratch("cut.h5"));
    assert_int_equal(bl_sink_hdf5(*state, scratch("cut.h5"), &sink), BL_OK);
    assert_int_equal(sink.begin(sink.user, &synthetic_info), BL_OK);
    for (long n = 0; n < 77; n++)
        assert_int_equal(sink.sample(sink.user, synthetic_row(&s, n)), BL_OK);
    bl_sink_destroy(&sink);
    assert_int_equal(bl_result_open(*state, path, &r), BL_OK);
    check_all(r, 77);
    assert_int_equal(bl_result_text(r, "status", text, sizeof text), BL_OK);
    assert_string_equal(text, "running");
    bl_result_close(r);
}

/* ---- files that are not results */

static void expect(bl_context *ctx, const char *path, bl_status status, const char *word) {
    bl_result *r;
    assert_int_equal(bl_result_open(ctx, path, &r), status);
    assert_null(r);
    assert_non_null(strstr(bl_context_error(ctx)->what, word));
}

static void foreign(const char *path, int version) {
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), space = H5Screate(H5S_SCALAR);
    static const char *const name[] = {"biela_version", "format_version"};
    for (int i = 0; i < 2 && version > 0; i++) {
        hid_t attribute = H5Acreate2(file, name[i], H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
        assert_true(H5Awrite(attribute, H5T_NATIVE_INT, &version) >= 0);
        H5Aclose(attribute);
    }
    H5Dclose(H5Dcreate2(file, "time", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Dclose(H5Dcreate2(file, "model", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Sclose(space);
    H5Fclose(file);
}

static herr_t own_printer(hid_t stack, void *data) {
    (void)stack;
    ++*(int *)data;
    return 0;
}

static void result__what_is_none_is_refused_in_silence(void **state) {
    int printed = 0;
    H5E_auto2_t was, now;
    void *was_data, *now_data;
    assert_true(H5Eget_auto2(H5E_DEFAULT, &was, &was_data) >= 0);
    assert_true(H5Eset_auto2(H5E_DEFAULT, own_printer, &printed) >= 0);
    expect(*state, scratch("absent.h5"), BL_E_FILE, "absent.h5");
    expect(*state, table, BL_E_FILE, "not an HDF5 file");
    foreign(scratch("foreign.h5"), 0);
    expect(*state, scratch("foreign.h5"), BL_E_FILE, "not a result of biela");
    foreign(scratch("foreign.h5"), 3);
    expect(*state, scratch("foreign.h5"), BL_E_ABILITY, "format version 3");
    foreign(scratch("foreign.h5"), 2); /* times without a dimension */
    expect(*state, scratch("foreign.h5"), BL_E_FILE, "shape");
    /* truncated anywhere: refused, or the file contains its intended length */
    struct stat at;
    assert_int_equal(write_synthetic(*state, scratch("whole.h5"), 50), BL_OK);
    assert_int_equal(stat(scratch("whole.h5"), &at), 0);
    for (off_t length = 0; length < at.st_size; length += 1 + at.st_size / 40) {
        assert_int_equal(truncate(scratch("whole.h5"), length), 0);
        expect(*state, scratch("whole.h5"), BL_E_FILE, "whole.h5");
        assert_int_equal(write_synthetic(*state, scratch("whole.h5"), 50), BL_OK);
    }
    assert_true(H5Eget_auto2(H5E_DEFAULT, &now, &now_data) >= 0);
    assert_true(now == own_printer && now_data == &printed);
    assert_int_equal(printed, 0);
    H5Eset_auto2(H5E_DEFAULT, was, was_data);
}

static bl_status read_once(bl_context *ctx, void *user) {
    bl_result *r;
    const bl_quantity *q;
    const char *model;
    size_t bytes;
    char text[40];
    double x[3];
    BL_TRY(bl_result_open(ctx, user, &r));
    bl_status status = bl_result_quantity(r, "bodies/position", &q);
    if (status == BL_OK)
        status = bl_result_read(r, q, 0, 1, 0, 1, x);
    if (status == BL_OK)
        status = bl_result_text(r, "status", text, sizeof text);
    if (status == BL_OK)
        status = bl_result_model(r, &model, &bytes);
    if (status == BL_OK)
        status = bl_result_scene(r, &model, &bytes);
    bl_result_close(r);
    return status;
}

static void result__failing_memory_is_survived(void **state) {
    char path[600];
    snprintf(path, sizeof path, "%s", scratch("memory.h5"));
    assert_int_equal(write_synthetic(*state, path, 3), BL_OK);
    assert_true(test_failing_allocations(read_once, path) > 3);
    unpack(TESTS "/unit/output/results/version_1.h5.gz", path);
    assert_true(test_failing_allocations(read_once, path) > 3);
}

static int setup(void **state) {
    bl_context *ctx;
    bl_status status = bl_context_create(NULL, &ctx);
    *state = ctx;
    return status;
}

static int teardown(void **state) {
    int leaks = bl_context_memory(*state).live_blocks != 0;
    bl_context_destroy(*state);
    return leaks;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(result__of_version_1_reads_as_its_table, setup, teardown),
        cmocka_unit_test_setup_teardown(result__of_today_reads_back_in_parts, setup, teardown),
        cmocka_unit_test_setup_teardown(result__of_a_run_that_was_cut_off_reads, setup, teardown),
        cmocka_unit_test_setup_teardown(result__what_is_none_is_refused_in_silence, setup, teardown),
        cmocka_unit_test_setup_teardown(result__failing_memory_is_survived, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, remove_scratch);
}
