/* Results in, pages out: numbers to their precision, thinned ones with their extremes, results cut short, empty, damaged or none. */
#include "made_up.h"

#include <hdf5.h>

static void make(bl_context *ctx, const made_up *m) {
    assert_int_equal(made_up_write(ctx, scratch("r.h5"), m), BL_OK);
    assert_int_equal(report_of(ctx, scratch("r.h5"), scratch("r.html")), BL_OK);
}

/* ---- numbers */

static void poses__come_back_to_a_millionth_of_the_extent(void **state) {
    const made_up m = {.rows = 500, .until = 6, .turning_back = true};
    make(*state, &m);
    reading r = reading_open(scratch("r.html"));
    reading_frames f = read_frames(&r);
    assert_int_equal(f.n, m.rows);
    assert_int_equal(f.count, f.n * 7 * BODIES);
    assert_true(f.size > 7 && f.size < 7.6); /* from -2 up to 5.5 */
    for (size_t i = 0; i < f.n; i++)
        for (size_t b = 0; b < BODIES; b++) {
            double x[3], q[4], dot = 0, norm = 0;
            assert_true(f.time[i] == made_up_time(&m, (long)i));
            made_up_pose(f.time[i], (int)b, x, q);
            for (int k = 0; k < 3; k++) /* half a unit, and rounding */
                assert_true(fabs(frame_value(&f, b, k, i) - x[k]) <= f.size * (0.5 / 1048576 + 1e-15));
            for (int k = 0; k < 4; k++) {
                double value = frame_value(&f, b, 3 + k, i);
                dot += value * q[k];
                norm += value * value;
                if (i > 0) /* of one sign along the run: no jumps */
                    assert_true(fabs(value - frame_value(&f, b, 3 + k, i - 1)) < 0.01);
            }
            assert_true(fabs(fabs(dot) / sqrt(norm) - 1) < 1e-11); /* 4 roundings of 2^-20: angle below 2e-6 */
        }
    frames_free(&f);
    reading_close(&r);
}

static void curves__are_single_precision_with_their_names(void **state) {
    const made_up m = {.rows = 400, .until = 5};
    make(*state, &m);
    reading r = reading_open(scratch("r.html"));
    static const char *const wanted[][3] = {{"j1.angle", "angle", "rad"},
                                            {"j1.distance", "length", "m"},
                                            {"j1.angle_rate", "angular_velocity", "rad/s"},
                                            {"j1.distance_rate", "speed", "m/s"},
                                            {"j1.fx", "force", "N"},
                                            {"kinetic", "energy", "J"},
                                            {"drift", "drift", "1"},
                                            {"crank.vx", "velocity", "m/s"}};
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
        const char *curve = find_curve(&r, wanted[k][0]);
        assert_non_null(curve);
        assert_string_equal(member_text(curve, "quantity"), wanted[k][1]);
        assert_string_equal(member_text(curve, "unit"), wanted[k][2]);
    }
    assert_string_equal(member_text(find_curve(&r, "j1.angle"), "part"), "j1");
    assert_string_equal(member_text(find_curve(&r, "j1.fx"), "of"), "joint");
    /* zero throughout */
    assert_null(find_curve(&r, "j1.fz"));
    assert_null(find_curve(&r, "j1.mx"));
    assert_null(find_curve(&r, "potential"));
    double *time;
    size_t n;
    float *value = read_curve(&r, find_curve(&r, "j1.distance"), &time, &n);
    assert_int_equal(n, m.rows);
    for (size_t i = 0; i < n; i++)
        assert_true(time[i] == made_up_time(&m, (long)i) && value[i] == (float)made_up_variable(&m, (long)i, 1));
    free(value);
    free(time);
    value = read_curve(&r, find_curve(&r, "j1.fy"), &time, &n);
    for (size_t i = 0; i < n; i++)
        assert_true(i == 3 ? isnan(value[i]) : value[i] == 1);
    free(value);
    free(time);
    assert_null(bl_json_member(r.run, "thinned"));
    reading_close(&r);
}

static void names__stay_text(void **state) {
    make(*state, &(made_up){.rows = 3, .until = 1});
    char *page = read_all(scratch("r.html"), NULL);
    assert_null(strstr(page, "<img"));
    assert_non_null(strstr(page, "<title>&lt;/script&gt;&lt;img"));
    assert_non_null(strstr(page, "\"name\":\"\\u003c/script>\\u003cimg src=x onerror=alert(1)>\""));
    size_t scripts = 0;
    for (const char *at = page; (at = strstr(at, "</script>")); at++)
        scripts++;
    size_t open = 0;
    for (const char *at = page; (at = strstr(at, "<script type=\"application/")); at++)
        open++;
    assert_int_equal(scripts, open);
    free(page);
}

/* ---- what is not whole */

static void frames__that_are_not_finite_are_left_out_with_an_event(void **state) {
    const made_up m = {.rows = 300, .until = 3, .bad_from = 100, .bad_to = 140};
    make(*state, &m);
    reading r = reading_open(scratch("r.html"));
    reading_frames f = read_frames(&r);
    assert_int_equal(f.n, 260);
    for (size_t i = 0; i < f.n; i++)
        assert_true(f.time[i] == made_up_time(&m, (long)i + (i >= 100 ? 40 : 0)));
    const char *event = bl_json_first(bl_json_member(r.run, "events"));
    assert_true(fabs(member_number(event, "t") - made_up_time(&m, 100)) < 1e-12);
    assert_non_null(strstr(member_text(event, "text"), "40 samples"));
    double *time;
    size_t n;
    float *value = read_curve(&r, find_curve(&r, "j1.angle"), &time, &n); /* curves go on */
    assert_int_equal(n, m.rows);
    free(value);
    free(time);
    frames_free(&f);
    reading_close(&r);
}

/* made by another program: no samples at all */
static void write_empty(const char *path) {
    hsize_t none = 0;
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), one = H5Screate(H5S_SCALAR),
          list = H5Screate_simple(1, &none, NULL);
    hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, 8);
    hid_t version = H5Acreate2(file, "biela_version", text, one, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(version, text, "0.1.0\0\0") >= 0);
    H5Aclose(version);
    H5Dclose(H5Dcreate2(file, "time", H5T_NATIVE_DOUBLE, list, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    hid_t model = H5Dcreate2(file, "model", text, one, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dwrite(model, text, H5S_ALL, H5S_ALL, H5P_DEFAULT, "model:\n") >= 0);
    H5Dclose(model);
    H5Tclose(text);
    H5Sclose(list);
    H5Sclose(one);
    H5Fclose(file);
}

static void report__of_nothing_or_one_sample_is_one(void **state) {
    for (long rows = 1; rows < 3; rows++) { /* killed early */
        const made_up m = {.rows = rows, .until = 1, .cut = true};
        assert_int_equal(made_up_write(*state, scratch("cut.h5"), &m), BL_OK);
        assert_int_equal(report_of(*state, scratch("cut.h5~partial"), scratch("r.html")), BL_OK);
        reading r = reading_open(scratch("r.html"));
        reading_frames f = read_frames(&r);
        assert_int_equal(f.n, rows);
        assert_string_equal(member_text(bl_json_member(r.run, "info"), "status"), "running");
        frames_free(&f);
        reading_close(&r);
    }
    write_empty(scratch("empty.h5"));
    assert_int_equal(report_of(*state, scratch("empty.h5"), scratch("r.html")), BL_OK);
    reading empty = reading_open(scratch("r.html"));
    reading_frames none = read_frames(&empty);
    assert_int_equal(none.n, 0);
    frames_free(&none);
    reading_close(&empty);
    made_up bad = {.rows = 5, .until = 1, .bad_from = 0, .bad_to = 5};
    make(*state, &bad);
    reading r = reading_open(scratch("r.html"));
    assert_true(member_number(bl_json_member(r.run, "frames"), "count") == 0);
    reading_close(&r);
}

static void report__of_what_is_no_result_says_so(void **state) {
    assert_int_equal(report_of(*state, scratch("absent.h5"), scratch("absent.html")), BL_E_FILE);
    assert_int_equal(report_of(*state, TESTS "/unit/report/test_report.c", scratch("absent.html")), BL_E_FILE);
    assert_true(access(scratch("absent.html"), F_OK) != 0);
    assert_int_equal(made_up_write(*state, scratch("r.h5"), &(made_up){.rows = 3, .until = 1}), BL_OK);
    assert_int_equal(report_of(*state, scratch("r.h5"), scratch("r.h5")), BL_E_ARG);
    const char *result = scratch("r.h5");
    assert_int_equal(bl_report_write(*state, &result, 1, &(bl_report_options){0}, scratch("x.html")), BL_E_ABILITY);
    assert_int_equal(bl_report_write(*state, &result, 0, &(bl_report_options){0}, scratch("x.html")), BL_E_ARG);
    bl_report_options part = reading_options();
    part.part = true;
    part.from = 5;
    part.to = INFINITY;
    assert_int_equal(bl_report_write(*state, &result, 1, &part, scratch("x.html")), BL_E_ARG);
    assert_int_equal(report_of(*state, result, scratch("no/such/folder.html")), BL_E_FILE);
}

static void set_version(const char *path, int version) {
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), attribute = H5Aopen(file, "format_version", H5P_DEFAULT);
    assert_true(H5Awrite(attribute, H5T_NATIVE_INT, &version) >= 0);
    H5Aclose(attribute);
    H5Fclose(file);
}

/* before there were scenes: drawn from the model; of a newer version: refused */
static void report__of_other_versions(void **state) {
    char bytes[4096];
    gzFile in = gzopen(TESTS "/unit/output/results/version_1.h5.gz", "rb");
    FILE *out = fopen(scratch("old.h5"), "wb");
    for (int n; (n = gzread(in, bytes, sizeof bytes)) > 0;)
        assert_int_equal(fwrite(bytes, 1, (size_t)n, out), n);
    gzclose(in);
    fclose(out);
    assert_int_equal(report_of(*state, scratch("old.h5"), scratch("r.html")), BL_OK);
    reading r = reading_open(scratch("r.html"));
    const char *scene = bl_json_member(r.run, "scene");
    assert_true(member_number(bl_json_member(r.run, "frames"), "count") == 5);
    assert_true(bl_json_is(bl_json_member(bl_json_first(bl_json_member(scene, "bodies")), "name"), "wheel/left"));
    assert_true(bl_json_is(bl_json_member(bl_json_first(bl_json_member(scene, "joints")), "kind"), "revolute"));
    reading_close(&r);
    assert_int_equal(made_up_write(*state, scratch("new.h5"), &(made_up){.rows = 3, .until = 1}), BL_OK);
    set_version(scratch("new.h5"), 3);
    unlink(scratch("r.html"));
    assert_int_equal(report_of(*state, scratch("new.h5"), scratch("r.html")), BL_E_ABILITY);
    assert_true(access(scratch("r.html"), F_OK) != 0);
}

/* ---- parts, several results */

static void report__of_a_part_has_its_samples_in_full(void **state) {
    const made_up m = {.rows = 30001, .until = 30};
    bl_report_options o = reading_options();
    o.part = true;
    o.from = 10;
    o.to = 20;
    assert_int_equal(made_up_write(*state, scratch("r.h5"), &m), BL_OK);
    const char *result = scratch("r.h5");
    assert_int_equal(bl_report_write(*state, &result, 1, &o, scratch("r.html")), BL_OK);
    reading r = reading_open(scratch("r.html"));
    reading_frames f = read_frames(&r);
    assert_int_equal(f.n, 10001);
    assert_true(f.time[0] == made_up_time(&m, 10000) && f.time[f.n - 1] == made_up_time(&m, 20000));
    assert_null(bl_json_member(r.run, "thinned"));
    frames_free(&f);
    reading_close(&r);
}

static void label_is(const char *run, const char *wanted) { assert_string_equal(member_text(run, "label"), wanted); }

static void labels__say_what_differs(void **state) {
    assert_int_equal(made_up_write(*state, scratch("a.h5"), &(made_up){.rows = 3, .until = 1, .name = "four bar", .integrator = "radau"}),
                     BL_OK);
    assert_int_equal(made_up_write(*state, scratch("b.h5"), &(made_up){.rows = 3, .until = 1, .name = "four bar", .integrator = "series"}),
                     BL_OK);
    char a[512], b[512];
    snprintf(a, sizeof a, "%s", scratch("a.h5"));
    snprintf(b, sizeof b, "%s", scratch("b.h5"));
    static const char *const wanted[3][2] = {{"radau", "series"}, {"1: a", "2: a"}, {"one", "two"}};
    const char *const results[3][2] = {{a, b}, {a, a}, {a, b}}, *const given[] = {"one", "two"};
    for (int k = 0; k < 3; k++) {
        bl_report_options o = reading_options();
        o.label = k == 2 ? given : NULL;
        o.table = k == 2 ? &(bl_report_table){0, 2, 1, given, (const char *const[]){"1e-9", NULL}, "note", (const bl_index[]){1}} : NULL;
        assert_int_equal(bl_report_write(*state, results[k], 2, &o, scratch("r.html")), BL_OK);
        reading r = reading_open(scratch("r.html"));
        label_is(r.run, wanted[k][0]);
        label_is(bl_json_next(r.run), wanted[k][1]);
        assert_null(bl_json_next(bl_json_next(r.run)));
        const char *table = bl_json_member(r.header, "comparison");
        assert_int_equal(table != NULL, k == 2);
        if (table) {
            const char *row = bl_json_first(bl_json_first(bl_json_member(table, "rows")));
            assert_true(bl_json_is(row, "1e-9") && bl_json_is(bl_json_member(table, "note"), "note"));
            assert_true(bl_json_value(bl_json_first(bl_json_member(table, "runs"))) == 1);
        }
        reading_close(&r);
    }
}

/* ---- scene */

static void scene__of_the_file_is_that_of_the_page(void **state) {
    static const char scene[] = "{\"dimension\":2,\"size\":3,\"bodies\":[{\"name\":\"<b>\"},{}],\"joints\":[]}";
    make(*state, &(made_up){.rows = 3, .until = 1, .scene = scene});
    reading r = reading_open(scratch("r.html"));
    const char *found = bl_json_member(r.run, "scene");
    assert_true(member_number(found, "size") == 3);
    assert_true(bl_json_is(bl_json_member(bl_json_first(bl_json_member(found, "bodies")), "name"), "\\u003cb>"));
    reading_close(&r);
    /* damaged, or of other bodies: balls */
    static const char *const bad[] = {"{\"size\":", "{\"size\":3,\"bodies\":[{}]}", "[]", "\x01"};
    for (int k = 0; k < 4; k++) {
        make(*state, &(made_up){.rows = 3, .until = 1, .scene = bad[k]});
        r = reading_open(scratch("r.html"));
        const char *body = bl_json_first(bl_json_member(bl_json_member(r.run, "scene"), "bodies"));
        assert_true(bl_json_is(bl_json_member(body, "name"), "crank"));
        assert_true(bl_json_is(bl_json_member(bl_json_first(bl_json_member(body, "shapes")), "kind"), "sphere"));
        reading_close(&r);
    }
}

/* ---- shapes */

enum { CORNERS = 40 };

static double corner(int i) { return sin(1.7 * i) / 3; }

/* a strip of triangles for the first body and for ground, which stands before or behind the bodies */
static char *mesh_scene(bool ground_first, const char *bad_index) {
    char *text;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    fprintf(out, "{\"size\":3,");
    for (int part = 0; part < 2; part++) {
        bool ground = (part == 0) == ground_first;
        fprintf(out,
                ground ? "\"ground\": {\"shapes\" : [" : "\"bodies\":[{\"name\":\"a [1, 2] \\\" b\",\"shapes\":[{\"kind\":\"sphere\"},");
        fprintf(out, "{\"kind\":\"mesh\",\"vertices\": [");
        for (int i = 0; i < 3 * CORNERS; i++)
            fprintf(out, "%s%.17g", i ? " , " : "", corner(i) + (ground ? 1 : 0));
        fprintf(out, "] , \"triangles\":[");
        for (int i = 0; i < CORNERS - 2; i++)
            fprintf(out, "%s%d,%d,%d", i ? "," : "", i, i + 1, i + 2);
        fprintf(out, "%s],\"color\":\"#112233\"}]%s", ground ? bad_index : "", ground ? "}" : "},{\"name\":\"last\"}]");
        fprintf(out, part == 0 ? "," : ",\"joints\":[7]}");
    }
    fclose(out);
    return text;
}

static void expect_mesh(const reading *r, const char *shape, double shift) {
    const char *vertices = bl_json_member(shape, "vertices"), *triangles = bl_json_member(shape, "triangles");
    assert_true(bl_json_is(bl_json_member(shape, "color"), "#112233"));
    assert_int_equal((int)member_number(vertices, "count"), CORNERS);
    assert_int_equal((int)member_number(triangles, "count"), CORNERS - 2);
    char block[32];
    size_t nx, nt;
    snprintf(block, sizeof block, "%s", member_text(vertices, "block"));
    float *x = read_elements(r->page, block, 4, &nx);
    snprintf(block, sizeof block, "%s", member_text(triangles, "block"));
    uint32_t *t = read_elements(r->page, block, 4, &nt);
    assert_true(nx == 3 * CORNERS && nt == 3 * (CORNERS - 2));
    for (int i = 0; i < 3 * CORNERS; i++)
        assert_true(x[i] == (float)(corner(i) + shift));
    for (uint32_t i = 0; i < CORNERS - 2; i++)
        assert_true(t[3 * i] == i && t[3 * i + 1] == i + 1 && t[3 * i + 2] == i + 2);
    free(x);
    free(t);
}

static const char *body_mesh(const char *scene) {
    return bl_json_next(bl_json_first(bl_json_member(bl_json_first(bl_json_member(scene, "bodies")), "shapes")));
}

static const char *ground_mesh(const char *scene) { return bl_json_first(bl_json_member(bl_json_member(scene, "ground"), "shapes")); }

static void meshes__of_shapes_stand_in_blocks_once_for_runs_that_share_them(void **state) {
    for (int k = 0; k < 2; k++) {
        char *text = mesh_scene(k == 0, ""), path[512];
        snprintf(path, sizeof path, "%s", scratch("m.h5"));
        assert_int_equal(made_up_write(*state, path, &(made_up){.rows = 3, .until = 1, .scene = text}), BL_OK);
        bl_report_options o = reading_options();
        assert_int_equal(bl_report_write(*state, (const char *const[]){path, path}, 2, &o, scratch("r.html")), BL_OK);
        reading r = reading_open(scratch("r.html"));
        const char *first = bl_json_member(r.run, "scene"), *second = bl_json_member(bl_json_next(r.run), "scene");
        expect_mesh(&r, body_mesh(first), 0);
        expect_mesh(&r, ground_mesh(first), 1);
        assert_true(bl_json_value(bl_json_first(bl_json_member(first, "joints"))) == 7);
        assert_true(bl_json_is(bl_json_member(bl_json_next(bl_json_first(bl_json_member(first, "bodies"))), "name"), "last"));
        char block[32];
        snprintf(block, sizeof block, "%s", member_text(bl_json_member(body_mesh(first), "vertices"), "block"));
        assert_string_equal(member_text(bl_json_member(body_mesh(second), "vertices"), "block"), block);
        reading_close(&r);
        free(text);
    }
}

/* what is no triangle of its vertices stays as it came */
static void meshes__that_are_none_stay_text(void **state) {
    static const char *const bad[] = {",0,1", ",0,1,40", ",0,1,-1", ",0,1,0.5", ",0,1,null"};
    for (int k = 0; k < 5; k++) {
        char *text = mesh_scene(true, bad[k]);
        make(*state, &(made_up){.rows = 3, .until = 1, .scene = text});
        reading r = reading_open(scratch("r.html"));
        const char *scene = bl_json_member(r.run, "scene");
        assert_non_null(bl_json_first(bl_json_member(ground_mesh(scene), "triangles")));
        assert_non_null(bl_json_first(bl_json_member(ground_mesh(scene), "vertices")));
        expect_mesh(&r, body_mesh(scene), 0);
        reading_close(&r);
        free(text);
    }
}

static void inside__that_cannot_be_known_is_explained(void **state) {
    make(*state, &(made_up){.rows = 3, .until = 1});
    reading r = reading_open(scratch("r.html"));
    assert_non_null(bl_json_member(bl_json_member(r.run, "info"), "inside_missing"));
    assert_null(bl_json_member(r.run, "pattern"));
    reading_close(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(poses__come_back_to_a_millionth_of_the_extent, setup, teardown),
        cmocka_unit_test_setup_teardown(curves__are_single_precision_with_their_names, setup, teardown),
        cmocka_unit_test_setup_teardown(names__stay_text, setup, teardown),
        cmocka_unit_test_setup_teardown(frames__that_are_not_finite_are_left_out_with_an_event, setup, teardown),
        cmocka_unit_test_setup_teardown(report__of_nothing_or_one_sample_is_one, setup, teardown),
        cmocka_unit_test_setup_teardown(report__of_what_is_no_result_says_so, setup, teardown),
        cmocka_unit_test_setup_teardown(report__of_other_versions, setup, teardown),
        cmocka_unit_test_setup_teardown(report__of_a_part_has_its_samples_in_full, setup, teardown),
        cmocka_unit_test_setup_teardown(labels__say_what_differs, setup, teardown),
        cmocka_unit_test_setup_teardown(scene__of_the_file_is_that_of_the_page, setup, teardown),
        cmocka_unit_test_setup_teardown(meshes__of_shapes_stand_in_blocks_once_for_runs_that_share_them, setup, teardown),
        cmocka_unit_test_setup_teardown(meshes__that_are_none_stay_text, setup, teardown),
        cmocka_unit_test_setup_teardown(inside__that_cannot_be_known_is_explained, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, remove_scratch);
}
