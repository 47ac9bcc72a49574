/* Meshes and fields in result files and in files for VTK: read back by our reader, by HDF5 and, if it is installed, by VTK for Python
 * (check_vtk.py). */
#include "base/base.h"
#include "mesh/element.h"
#include "synthetic.h"

#include <hdf5.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* ---- two strips of quadrilaterals */

enum { NMESH = 2, NFIELD = 6, MOST_CELLS = 40000 };

static const char *const mesh_names[NMESH] = {"a/b & %c", "a_b___c"}; /* the second name equals that of the files of the first */
static const char *const materials[2] = {"steel", "rubber"};

typedef struct strip {
    double x[2 * MOST_CELLS + 2][3];
    uint8_t type[MOST_CELLS];
    bl_index offset[MOST_CELLS + 1], node[4 * MOST_CELLS], material[MOST_CELLS];
    bl_index one[1], all[MOST_CELLS];
    bl_run_set set[3];
} strip;

typedef struct fields_run {
    bl_run_info info;
    bl_run_mesh mesh[NMESH];
    bl_field field[NFIELD];
    double *value[NFIELD];
    const double *shown[NFIELD];
    synthetic_sample row;
} fields_run;

static strip *strips;

static void make_strip(strip *s, bl_index m, bl_index cells, bl_run_mesh *mesh) {
    for (bl_index i = 0; i < 2 * (cells + 1); i++) {
        s->x[i][0] = i / 2;
        s->x[i][1] = i % 2;
        s->x[i][2] = 3 * m;
    }
    for (bl_index c = 0; c < cells; c++) {
        const bl_index node[4] = {2 * c, 2 * c + 2, 2 * c + 3, 2 * c + 1};
        memcpy(s->node + 4 * c, node, sizeof node);
        s->type[c] = 9;
        s->offset[c + 1] = 4 * (c + 1);
        s->material[c] = m;
        s->all[c] = c;
    }
    s->one[0] = 1;
    s->set[0] = (bl_run_set){"all", true, cells, s->all};
    s->set[1] = (bl_run_set){"first/two", false, 1, s->one};
    s->set[2] = (bl_run_set){"second", true, 1, s->one};
    *mesh = (bl_run_mesh){.name = mesh_names[m],
                          .dim = 2,
                          .nnode = 2 * (cells + 1),
                          .ncell = cells,
                          .x = (const double(*)[3])s->x,
                          .type = s->type,
                          .offset = s->offset,
                          .node = s->node,
                          .material = s->material,
                          .nset = 3,
                          .set = s->set};
}

static void fields_begin(fields_run *r, bl_index cells0, bl_index cells1) {
    const bl_index cells[NMESH] = {cells0, cells1};
    static const struct {
        const char *name;
        int mesh, components;
        bool on_cells;
    } about[NFIELD] = {{"displacement", 0, 3, false}, {"stress", 0, 4, false}, {"element_stress", 0, 6, true},
                       {"displacement", 1, 3, false}, {"value", 1, 1, false},  {"element_stress", 1, 6, true}};
    if (!strips)
        strips = calloc(NMESH, sizeof *strips);
    *r = (fields_run){.info = synthetic_info};
    for (bl_index m = 0; m < NMESH; m++)
        make_strip(&strips[m], m, cells[m], &r->mesh[m]);
    for (int f = 0; f < NFIELD; f++) {
        bl_index c = cells[about[f].mesh];
        r->field[f] = (bl_field){.name = about[f].name,
                                 .unit = "m",
                                 .description = "a field",
                                 .mesh = about[f].mesh,
                                 .on_cells = about[f].on_cells,
                                 .items = about[f].on_cells ? c : 2 * (c + 1),
                                 .components = about[f].components};
        r->value[f] = malloc((size_t)r->field[f].items * (size_t)r->field[f].components * sizeof(double));
        r->shown[f] = r->value[f];
    }
    r->info.nmesh = NMESH;
    r->info.mesh = r->mesh;
    r->info.nmaterial = 2;
    r->info.material = materials;
    r->info.nfield = NFIELD;
    r->info.field = r->field;
}

static void fields_end(fields_run *r) {
    for (int f = 0; f < NFIELD; f++)
        free(r->value[f]);
}

/* number of the formula of a field: of displacement 0, stress 1, value 2, element_stress 3; 10 more on the second mesh */
static double field_value(const bl_field *field, long n, bl_index i, int k) {
    int what = field->name[0] == 'd' ? 0 : field->name[0] == 's' ? 1 : field->name[0] == 'v' ? 2 : 3;
    return (double)(n * 1000 + (what + 10 * field->mesh) * 100 + (long)i * 10 + k) / 7;
}

static const bl_sample *fields_row(fields_run *r, long n) {
    (void)synthetic_row(&r->row, n);
    for (int f = 0; f < NFIELD; f++)
        for (bl_index i = 0; i < r->field[f].items; i++)
            for (int k = 0; k < r->field[f].components; k++)
                r->value[f][i * r->field[f].components + k] = field_value(&r->field[f], n, i, k);
    r->row.sample.field = r->shown;
    return &r->row.sample;
}

static bl_status write_rows(fields_run *r, bl_sink *sink, long rows) {
    bl_status status = sink->begin(sink->user, &r->info);
    for (long n = 0; n < rows && status == BL_OK; n++)
        status = sink->sample(sink->user, fields_row(r, n));
    bl_run_summary summary = synthetic_summary;
    summary.status = status;
    bl_status ended = sink->end(sink->user, &summary);
    return status != BL_OK ? status : ended;
}

static bl_status write_hdf5(bl_context *ctx, fields_run *r, const char *path, long rows) {
    bl_sink sink = {0};
    bl_status status = bl_sink_hdf5(ctx, path, &sink);
    if (status == BL_OK)
        status = write_rows(r, &sink, rows);
    bl_sink_destroy(&sink);
    return status;
}

static bl_status write_vtk(bl_context *ctx, fields_run *r, const char *folder, long rows) {
    bl_sink sink = {0};
    bl_status status = bl_sink_vtk(ctx, folder, &sink);
    if (status == BL_OK)
        status = write_rows(r, &sink, rows);
    bl_sink_destroy(&sink);
    return status;
}

/* ---- through HDF5 */

static hid_t open_set(hid_t file, const char *path, int rank, const hsize_t *size) {
    hsize_t found[3];
    hid_t set = H5Dopen2(file, path, H5P_DEFAULT);
    if (set < 0)
        fail_msg("%s is missing", path);
    hid_t space = H5Dget_space(set);
    assert_int_equal(H5Sget_simple_extent_dims(space, found, NULL), rank);
    for (int k = 0; k < rank; k++)
        if (found[k] != size[k])
            fail_msg("%s: size %d is %llu, expected %llu", path, k, (unsigned long long)found[k], (unsigned long long)size[k]);
    H5Sclose(space);
    return set;
}

/* integers that are first + step n */
static void check_steps(hid_t file, const char *path, int rank, long rows, long step, long first) {
    const hsize_t size[2] = {(hsize_t)rows, 1};
    hid_t set = open_set(file, path, rank, size);
    long long *value = malloc((size_t)rows * sizeof *value);
    assert_true(H5Dread(set, H5T_NATIVE_LLONG, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0);
    for (long n = 0; n < rows; n++)
        assert_int_equal(value[n], first + step * n);
    free(value);
    H5Dclose(set);
}

/* an array of the grid: for each time the fields of that name one after another; meshes without it have `missing` */
static void check_array(hid_t file, const fields_run *r, const char *name, bool on_cells, long rows) {
    char path[128];
    bl_index items[NMESH], all = 0;
    int width = 0;
    for (int m = 0; m < NMESH; m++)
        all += items[m] = on_cells ? r->mesh[m].ncell : r->mesh[m].nnode;
    for (int f = 0; f < NFIELD; f++)
        width = strcmp(r->field[f].name, name) == 0 ? r->field[f].components : width;
    snprintf(path, sizeof path, "VTKHDF/%s/%s", on_cells ? "CellData" : "PointData", name);
    const hsize_t size[2] = {(hsize_t)rows * (hsize_t)all, (hsize_t)width};
    hid_t set = open_set(file, path, width > 1 ? 2 : 1, size);
    const hsize_t one[2] = {(hsize_t)all, (hsize_t)width};
    double *value = malloc((size_t)all * (size_t)width * sizeof *value);
    hid_t space = H5Dget_space(set), room = H5Screate_simple(width > 1 ? 2 : 1, one, NULL);
    for (long n = 0; n < rows; n++) { /* one time after another, as in VTK */
        const hsize_t start[2] = {(hsize_t)n * (hsize_t)all, 0};
        double *at = value;
        assert_true(H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, one, NULL) >= 0);
        assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, room, space, H5P_DEFAULT, value) >= 0);
        for (int m = 0; m < NMESH; m++) {
            const bl_field *field = NULL;
            for (int f = 0; f < NFIELD; f++)
                if (strcmp(r->field[f].name, name) == 0 && r->field[f].mesh == m)
                    field = &r->field[f];
            for (bl_index i = 0; i < items[m]; i++)
                for (int k = 0; k < width; k++, at++)
                    if (field)
                        assert_true(*at == field_value(field, n, i, k));
                    else
                        assert_true(isnan(*at));
        }
    }
    H5Sclose(room);
    H5Sclose(space);
    free(value);
    H5Dclose(set);
    snprintf(path, sizeof path, "VTKHDF/Steps/%sDataOffsets/%s", on_cells ? "Cell" : "Point", name);
    check_steps(file, path, 1, rows, all, 0);
}

static void check_grid(const fields_run *r, const char *path, long rows) {
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    hid_t steps = H5Gopen2(file, "VTKHDF/Steps", H5P_DEFAULT), count = H5Aopen(steps, "NSteps", H5P_DEFAULT);
    long long found;
    assert_true(H5Aread(count, H5T_NATIVE_LLONG, &found) >= 0);
    assert_int_equal(found, rows);
    H5Aclose(count);
    H5Gclose(steps);
    check_array(file, r, "displacement", false, rows);
    check_array(file, r, "stress", false, rows);
    check_array(file, r, "value", false, rows);
    check_array(file, r, "element_stress", true, rows);
    check_steps(file, "VTKHDF/Steps/PartOffsets", 1, rows, 0, 0);
    check_steps(file, "VTKHDF/Steps/PointOffsets", 1, rows, 0, 0);
    check_steps(file, "VTKHDF/Steps/CellOffsets", 2, rows, 0, 0);
    check_steps(file, "VTKHDF/Steps/ConnectivityIdOffsets", 2, rows, 0, 0);
    check_steps(file, "VTKHDF/Steps/NumberOfParts", 1, rows, 0, NMESH);
    bl_index nodes = r->mesh[0].nnode + r->mesh[1].nnode, cells = r->mesh[0].ncell + r->mesh[1].ncell;
    hid_t set = open_set(file, "VTKHDF/Points", 2, (const hsize_t[]){(hsize_t)nodes, 3});
    double(*x)[3] = malloc((size_t)nodes * sizeof *x);
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x) >= 0);
    assert_memory_equal(x, r->mesh[0].x, (size_t)r->mesh[0].nnode * sizeof *x);
    assert_memory_equal(x + r->mesh[0].nnode, r->mesh[1].x, (size_t)r->mesh[1].nnode * sizeof *x);
    free(x);
    H5Dclose(set);
    set = open_set(file, "VTKHDF/Offsets", 1, (const hsize_t[]){(hsize_t)cells + 2});
    H5Dclose(set);
    set = open_set(file, "VTKHDF/Connectivity", 1, (const hsize_t[]){4 * (hsize_t)cells});
    H5Dclose(set);
    set = open_set(file, "VTKHDF/CellData/body", 1, (const hsize_t[]){(hsize_t)cells});
    H5Dclose(set);
    H5Fclose(file);
}

/* ---- through our reader */

static void check_read(bl_context *ctx, const fields_run *r, const char *path, long rows) {
    bl_result *result;
    const char *const *names;
    assert_int_equal(bl_result_open(ctx, path, &result), BL_OK);
    assert_int_equal(bl_result_samples(result), rows);
    assert_int_equal(bl_result_meshes(result, &names), NMESH);
    for (int m = 0; m < NMESH; m++) {
        const bl_run_mesh *mesh, *given = &r->mesh[m];
        assert_string_equal(names[m], mesh_names[m]);
        assert_int_equal(bl_result_mesh(result, m, &mesh), BL_OK);
        assert_int_equal(mesh->nnode, given->nnode);
        assert_int_equal(mesh->ncell, given->ncell);
        assert_int_equal(mesh->dim, 2);
        assert_memory_equal(mesh->x, given->x, (size_t)mesh->nnode * sizeof *mesh->x);
        assert_memory_equal(mesh->type, given->type, (size_t)mesh->ncell);
        assert_memory_equal(mesh->offset, given->offset, ((size_t)mesh->ncell + 1) * sizeof *mesh->offset);
        assert_memory_equal(mesh->node, given->node, 4 * (size_t)mesh->ncell * sizeof *mesh->node);
        assert_memory_equal(mesh->material, given->material, (size_t)mesh->ncell * sizeof *mesh->material);
        assert_null(mesh->node_label);
        assert_int_equal(mesh->nset, 3);
        assert_string_equal(mesh->set[0].name, "first/two");
        assert_true(!mesh->set[0].of_cells && mesh->set[0].count == 1 && mesh->set[0].item[0] == 1);
        assert_true(mesh->set[1].of_cells && mesh->set[1].count == mesh->ncell);
    }
    for (int f = 0; f < NFIELD; f++) {
        const bl_field *field = &r->field[f];
        const bl_quantity *q;
        char name[128];
        snprintf(name, sizeof name, "fields/%s/%s", mesh_names[field->mesh], field->name);
        assert_int_equal(bl_result_quantity(result, name, &q), BL_OK);
        assert_int_equal(q->items, field->items);
        assert_int_equal(q->components, field->components);
        assert_int_equal(q->on_cells, field->on_cells);
        assert_string_equal(q->mesh, mesh_names[field->mesh]);
        assert_string_equal(q->unit, "m");
        assert_string_equal(q->description, "a field");
        double *value = malloc((size_t)q->items * (size_t)q->components * sizeof *value);
        for (long n = 0; n < rows; n += 1 + rows / 5) {
            assert_int_equal(bl_result_read(result, q, n, 1, 0, q->items, value), BL_OK);
            for (bl_index i = 0; i < q->items; i++)
                for (int k = 0; k < q->components; k++)
                    assert_true(value[i * q->components + k] == field_value(field, n, i, k));
        }
        double *history = malloc((size_t)rows * (size_t)q->components * sizeof *history); /* of one node */
        assert_int_equal(bl_result_read(result, q, 0, rows, 1, 1, history), BL_OK);
        for (long n = 0; n < rows; n++)
            for (int k = 0; k < q->components; k++)
                assert_true(history[n * q->components + k] == field_value(field, n, 1, k));
        free(history);
        free(value);
    }
    bl_result_close(result);
}

static void result_file__holds_fields_and_shows_them_to_vtk(void **state) {
    static const long rows[] = {1, 2, 63, 300};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fields_run r;
        fields_begin(&r, 3, 5);
        assert_int_equal(write_hdf5(*state, &r, scratch("fields.h5"), rows[i]), BL_OK);
        check_grid(&r, scratch("fields.h5"), rows[i]);
        check_read(*state, &r, scratch("fields.h5"), rows[i]);
        fields_end(&r);
    }
}

/* a row of 5 MB is a block of its own, and is written directly from the caller's memory */
static void result_file__takes_large_meshes(void **state) {
    fields_run r;
    fields_begin(&r, MOST_CELLS, 20000);
    assert_int_equal(write_hdf5(*state, &r, scratch("large.h5"), 3), BL_OK);
    check_grid(&r, scratch("large.h5"), 3);
    check_read(*state, &r, scratch("large.h5"), 3);
    fields_end(&r);
}

static void result_file__of_a_run_cut_off_shows_what_there_is(void **state) {
    bl_sink sink = {0};
    fields_run r;
    char path[600];
    fields_begin(&r, 3, 5);
    assert_int_equal(bl_sink_hdf5(*state, scratch("cut.h5"), &sink), BL_OK);
    assert_int_equal(sink.begin(sink.user, &r.info), BL_OK);
    size_t calls = bl_context_memory(*state).calls;
    for (long n = 0; n < 100; n++)
        assert_int_equal(sink.sample(sink.user, fields_row(&r, n)), BL_OK);
    assert_int_equal(bl_context_memory(*state).calls, calls); /* samples allocate no memory */
    bl_sink_destroy(&sink);
    snprintf(path, sizeof path, "%s~partial", scratch("cut.h5"));
    check_grid(&r, path, 100);
    check_read(*state, &r, path, 100);
    fields_end(&r);
}

static bl_status write_without_memory(bl_context *ctx, void *user) {
    fields_run r;
    fields_begin(&r, 3, 5);
    bl_status status = user ? write_vtk(ctx, &r, scratch("memory"), 3) : write_hdf5(ctx, &r, scratch("memory.h5"), 3);
    fields_end(&r);
    return status;
}

static bl_status read_without_memory(bl_context *ctx, void *user) {
    bl_result *result;
    const bl_run_mesh *mesh;
    BL_TRY(bl_result_open(ctx, user, &result));
    bl_status status = bl_result_mesh(result, 0, &mesh);
    bl_result_close(result);
    return status;
}

static void failing_memory__is_survived(void **state) {
    static int any;
    (void)state;
    assert_true(test_failing_allocations(write_without_memory, NULL) > 20);
    test_failing_once(write_without_memory, NULL);
    assert_true(test_failing_allocations(write_without_memory, &any) > 5);
    test_failing_once(write_without_memory, &any);
    assert_true(test_failing_allocations(read_without_memory, (void *)(uintptr_t)scratch("memory.h5")) > 2);
}

/* ---- files for VTK */

/* 0: done; 77: VTK for Python is not installed */
static int python(const char *how, const char *path, long number) {
    static const char *const interpreter[] = {"python3", "/usr/bin/python3"}; /* Debian's Python has Debian's modules */
    int code = 77;
    for (int k = 0; k < 2 && code == 77; k++) {
        char command[1500];
        snprintf(command, sizeof command, "%s '%s/unit/output/check_vtk.py' %s '%s' %ld 2>&1", interpreter[k], TESTS, how, path, number);
        int status = system(command);
        code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
        code = code == 127 ? 77 : code;
    }
    if (code == 77)
        print_message("    VTK for Python is not installed (Debian: python3-vtk9): not compared\n");
    return code;
}

static void vtk_files__are_read_by_vtk(void **state) {
    fields_run r;
    fields_begin(&r, 3, 5);
    assert_int_equal(write_vtk(*state, &r, scratch("folder"), 4), BL_OK);
    assert_int_equal(write_hdf5(*state, &r, scratch("vtk.h5"), 4), BL_OK);
    fields_end(&r);
    int code = python("files", scratch("folder"), 4);
    if (code == 77)
        skip();
    assert_int_equal(code, 0);
    assert_int_equal(python("hdf", scratch("vtk.h5"), 4), 0);
}

/* every element in a run: volumes and nodes of edges and faces show whether their order is that of VTK */
static void every_element__has_its_nodes_where_vtk_wants_them(void **state) {
    static const char *const shape[] = {"segment: {to: 6, n: 2}", "rectangle: {to: [3, 2], n: [2, 2]}",
                                        "box: {to: [3, 2, 1], n: [2, 1, 1]}"};
    assert_true(mkdir(scratch("elements"), 0777) == 0);
    for (size_t i = 0; i < bl_element_kind_count; i++) {
        const bl_element_kind *kind = bl_element_kinds[i];
        char text[600];
        bl_model *model;
        bl_sink sink = {0};
        snprintf(text, sizeof text,
                 "dimension: %d\nmaterials: {m: {type: %s, density: 1}}\n%s: [{name: %s, mesh: {%s, element: %s%s}, material: m%s}]\n"
                 "simulate: {until: 1e-3, step: 1e-3, integrator: newmark}\n",
                 kind->dim, kind->dim == 1 ? "conducting, conductivity: 1" : "elastic, E: 1", kind->dim == 1 ? "fields" : "bodies",
                 kind->kind.name, shape[kind->dim - 1], kind->kind.name, kind->dim == 1 ? "" : ", distort: [0.2, 3]",
                 kind->dim == 1   ? ", equation: wave"
                 : kind->dim == 2 ? ", plane: strain"
                                  : "");
        bl_status status = bl_model_read_text(*state, "element", text, strlen(text), NULL, 0, &model);
        if (status == BL_OK)
            status = bl_sink_vtk(*state, scratch("elements"), &sink);
        if (status == BL_OK)
            status = bl_simulate(*state, model, &(bl_run_options){.at = (const double[]){0}, .nat = 1}, &sink, 1, NULL);
        if (status != BL_OK)
            fail_msg("%s: %s", kind->kind.name, bl_context_error(*state)->what);
        bl_sink_destroy(&sink);
        bl_model_destroy(model);
    }
    int code = python("nodes", scratch("elements"), (long)bl_element_kind_count);
    if (code == 77)
        skip();
    assert_int_equal(code, 0);
}

static void mechanism__has_no_files_for_vtk(void **state) {
    bl_sink sink = {0};
    assert_int_equal(bl_sink_vtk(*state, scratch("none"), &sink), BL_OK);
    assert_int_equal(sink.begin(sink.user, &synthetic_info), BL_E_ABILITY);
    assert_non_null(strstr(bl_context_error(*state)->what, "no fields"));
    bl_sink_destroy(&sink);
    assert_int_not_equal(access(scratch("none"), F_OK), 0);
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
        cmocka_unit_test_setup_teardown(result_file__holds_fields_and_shows_them_to_vtk, setup, teardown),
        cmocka_unit_test_setup_teardown(result_file__takes_large_meshes, setup, teardown),
        cmocka_unit_test_setup_teardown(result_file__of_a_run_cut_off_shows_what_there_is, setup, teardown),
        cmocka_unit_test(failing_memory__is_survived),
        cmocka_unit_test_setup_teardown(vtk_files__are_read_by_vtk, setup, teardown),
        cmocka_unit_test_setup_teardown(every_element__has_its_nodes_where_vtk_wants_them, setup, teardown),
        cmocka_unit_test_setup_teardown(mechanism__has_no_files_for_vtk, setup, teardown),
    };
    int failed = cmocka_run_group_tests(tests, NULL, remove_scratch);
    free(strips);
    return failed;
}
