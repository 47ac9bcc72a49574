/* What bodies look like: shapes of the mass and `shape:`, which changes no mechanics; STL and OBJ files against volumes known beforehand;
 * damaged and huge ones refused with a reason. */
#include "support/handmade.h"

#include "biela/biela.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BODY "name: a, mass: 2, center: [1, 0, 0], inertia: [1, 2, 3]"

static char folder[64];

static const char *path_of(const char *name) {
    static char path[4][128];
    static int next;
    char *out = path[next++ % 4];
    snprintf(out, 128, "%s/%s", folder, name);
    return out;
}

static void write_bytes(const char *name, const void *bytes, size_t count) {
    FILE *f = fopen(path_of(name), "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, count, f), count);
    assert_int_equal(fclose(f), 0);
}

static void write_file(const char *name, const char *text) { write_bytes(name, text, strlen(text)); }

/* ---- a tetrahedron of volume 1/6, outward normals */

static const double corner[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const int face[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};

static size_t stl_text(char *out, size_t room) {
    size_t n = (size_t)snprintf(out, room, "solid tetra hedron\n");
    for (int f = 0; f < 4; f++) {
        n += (size_t)snprintf(out + n, room - n, " facet normal 0 0 0\n  outer loop\n");
        for (int k = 0; k < 3; k++)
            n += (size_t)snprintf(out + n, room - n, "   vertex %g %g %g\n", corner[face[f][k]][0], corner[face[f][k]][1],
                                  corner[face[f][k]][2]);
        n += (size_t)snprintf(out + n, room - n, "  endloop\n endfacet\n");
    }
    return n + (size_t)snprintf(out + n, room - n, "endsolid tetra hedron\n");
}

enum { BINARY = 84 + 4 * 50 };
static void stl_bytes(unsigned char out[BINARY]) {
    memset(out, 0, BINARY);
    memcpy(out, "solid by name, binary by size", 29); /* some writers do that */
    out[80] = 4;
    for (int f = 0; f < 4; f++)
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < 3; j++) {
                float value = (float)corner[face[f][k]][j];
                memcpy(out + 84 + 50 * f + 12 + 12 * k + 4 * j, &value, 4); /* these machines write the low end first */
            }
}

/* a unit cube of quads, the first point counted back, with what other programs use */
static const char obj[] =
    "# cube\nmtllib x.mtl\no cube\nv 0 0 0\nv 1 0 0 1.0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\r\nv 1 1 1\nv 0 1 1\nvt 0 0\nvn 0 0 1\n"
    "g sides\nusemtl red\ns off\nf -8 4 3 2\nf 5/1 6/1 7/1 8/1\nf 1//1 2//1 6//1 5//1\nf 2/1/1 3/1/1 \\\n 7/1/1 6/1/1\n"
    "  f 3 4 8 7\nl 1 2\nf 4 1 5 8";

static int make_folder(void **state) {
    (void)state;
    char text[4096];
    unsigned char bytes[BINARY];
    snprintf(folder, sizeof folder, "/tmp/biela_looks_XXXXXX");
    assert_non_null(mkdtemp(folder));
    stl_text(text, sizeof text);
    write_file("text.stl", text);
    stl_bytes(bytes);
    write_bytes("bytes.STL", bytes, sizeof bytes);
    write_file("cube.obj", obj);
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

/* ---- reading */

static bl_status read_options(bl_context *ctx, const bl_read_options *options, const char *text, bl_model **model) {
    write_file("m.yaml", text);
    return bl_model_open(ctx, path_of("m.yaml"), options, model);
}

/* a model of one body in space with this shape */
static bl_status read_shape(bl_context *ctx, const bl_read_options *options, const char *shape, bl_model **model) {
    char text[2048];
    snprintf(text, sizeof text, "bodies:\n  - {" BODY ",\n     shape: %s}\n", shape);
    return read_options(ctx, options, text, model);
}

static bl_model *model_of(bl_context *ctx, const char *text) {
    bl_model *model;
    if (read_options(ctx, NULL, text, &model) != BL_OK)
        fail_msg("%s", bl_context_error(ctx)->what);
    return model;
}

/* by the divergence theorem: positive where normals point outward */
static double volume(const bl_appearance *look) {
    double sum = 0;
    for (bl_index i = 0; i < look->ntriangle; i++) {
        double normal[3];
        const bl_index *t = look->triangle[i];
        for (int k = 0; k < 3; k++)
            assert_in_range(t[k], 0, look->npoint - 1);
        test_cross(look->point[t[0]], look->point[t[1]], normal);
        sum += test_dot(normal, look->point[t[2]]) / 6;
    }
    return sum;
}

static void files__give_closed_surfaces_of_known_volume(void **state) {
    static const struct {
        const char *shape;
        bl_index npoint, ntriangle;
        double volume;
    } set[] = {{"{file: text.stl}", 4, 4, 1.0 / 6},
               {"{file: bytes.STL}", 4, 4, 1.0 / 6},
               {"{file: cube.obj}", 8, 12, 1},
               {"{file: text.stl, scale: 2, at: [5, -3, 2]}", 4, 4, 8.0 / 6},
               {"{file: bytes.STL, scale: 0.5, at: [1, 2, 3], axes: [[0, 1, 0], [1, 1, 1]]}", 4, 4, 1.0 / 48},
               {"[{file: cube.obj, axes: [[0, 0, 1], [1, 0, 0]], color: \"#a0B1c2\"}]", 8, 12, 1}};
    (void)state;
    bl_context *ctx = test_context(NULL);
    for (size_t i = 0; i < sizeof set / sizeof *set; i++) {
        bl_model *model;
        if (read_shape(ctx, NULL, set[i].shape, &model) != BL_OK)
            fail_msg("%s: %s", set[i].shape, bl_context_error(ctx)->what);
        const bl_appearance *look = model->body[1].appearance;
        assert_int_equal(model->body[1].nappearance, 1);
        assert_int_equal(look->kind, BL_APPEARANCE_MESH);
        assert_true(look->picture);
        assert_int_equal(look->npoint, set[i].npoint);
        assert_int_equal(look->ntriangle, set[i].ntriangle);
        assert_near(volume(look), set[i].volume, 1e-13);
        /* outputs do not replace it */
        assert_int_equal(bl_check_outputs(ctx, model, NULL, 0, (const char *const[]){path_of("text.stl")}, 1),
                         strstr(set[i].shape, "text.stl") ? BL_E_ARG : BL_OK);
        bl_model_destroy(model);
    }
    test_context_end(ctx);
}

static void a_file__stands_where_the_shape_places_it(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    assert_int_equal(read_shape(ctx, NULL, "{file: text.stl, scale: 0.5, at: [1, 2, 3], axes: [[0, 2, 0], [1, 1, 0]]}", &model), BL_OK);
    /* axes: x along y, y along x, z along -z */
    static const double wanted[4][3] = {{1, 2, 3}, {1, 2.5, 3}, {1.5, 2, 3}, {1, 2, 2.5}};
    for (int w = 0; w < 4; w++) {
        double nearest = INFINITY;
        for (bl_index i = 0; i < model->body[1].appearance->npoint; i++) {
            const double *p = model->body[1].appearance->point[i], d[3] = {p[0] - wanted[w][0], p[1] - wanted[w][1], p[2] - wanted[w][2]};
            nearest = fmin(nearest, test_norm(d));
        }
        assert_near(nearest, 0, 1e-15);
    }
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void shape__changes_no_mechanics(void **state) {
    (void)state;
    static const char form[] =
        "bodies:\n"
        "  - {name: r, rod: {from: [0, 0, 0], to: [1, 0, 0]}, mass: 2%s}\n"
        "  - {name: b, box: {center: [1, 2, 3], size: [1, 2, 3], axes: [[1, 1, 0], [0, 1, 0]]}, density: 5%s}\n"
        "  - {name: c, cylinder: {from: [0, 0, 0], to: [0, 1, 0], radius: 0.5}, mass: 1, points: [{mass: 1, at: [1, 1, 1]}]%s}\n"
        "  - {name: s, sphere: {center: [0, 0, 1], radius: 0.25}, mass: 1%s}\n"
        "  - {name: p, points: [{mass: 1, at: [0, 0, 0]}, {mass: 3, at: [1, 0, 0]}]%s}\n"
        "  - {name: i, mass: 1, center: [0, 0, 0], inertia: [1, 1, 1]%s}\n%s";
    const char *extra = ", shape: [{wheel: {from: [0, 0, 0], to: [0, 0, 1], radius: 3}}, {polygon: {points: [[0,0,0], [1,0,0], [0,1,0]]}}]";
    char plain[2048], shaped[4096];
    snprintf(plain, sizeof plain, form, "", "", "", "", "", "", "");
    snprintf(shaped, sizeof shaped, form, extra, extra, extra, extra, extra, extra,
             "ground: {shape: {box: {center: [0, 0, 0], size: [1, 1, 1]}}}\n");
    bl_context *ctx = test_context(NULL);
    bl_model *a = model_of(ctx, plain), *b = model_of(ctx, shaped);
    static const int own[] = {1, 1, 2, 1, 1, 0};
    for (bl_index i = 1; i < a->nbody; i++) {
        const bl_body *x = &a->body[i], *y = &b->body[i];
        assert_memory_equal(&x->mass, &y->mass, sizeof x->mass);
        assert_memory_equal(x->center, y->center, sizeof x->center);
        assert_memory_equal(x->inertia, y->inertia, sizeof x->inertia);
        assert_int_equal(x->nappearance, own[i - 1]);
        assert_int_equal(y->nappearance, own[i - 1] + 2);
        for (bl_index k = 0; k < y->nappearance; k++)
            assert_int_equal(y->appearance[k].picture, k >= own[i - 1]);
    }
    const bl_appearance *rod = a->body[1].appearance, *box = a->body[2].appearance, *cylinder = a->body[3].appearance,
                        *masses = &a->body[3].appearance[1];
    assert_true(rod->kind == BL_APPEARANCE_ROD && rod->at[1][0] == 1 && rod->radius == 0);
    assert_true(box->kind == BL_APPEARANCE_BOX && box->turned && box->size[2] == 3 && box->at[0][1] == 2);
    assert_near(box->axes[0][0], sqrt(0.5), 1e-15);
    assert_true(cylinder->kind == BL_APPEARANCE_CYLINDER && cylinder->radius == 0.5 && cylinder->at[1][1] == 1);
    assert_true(masses->kind == BL_APPEARANCE_POINTS && masses->npoint == 1 && masses->mass[0] == 1);
    assert_true(a->body[4].appearance->kind == BL_APPEARANCE_SPHERE && a->body[4].appearance->radius == 0.25);
    assert_true(a->body[5].appearance->npoint == 2 && a->body[5].appearance->mass[1] == 3 && a->body[5].appearance->point[1][0] == 1);
    assert_int_equal(a->body[0].nappearance, 0);
    assert_int_equal(b->body[0].nappearance, 1);
    bl_model_destroy(a);
    bl_model_destroy(b);
    test_context_end(ctx);
}

static void shape__repeats_and_names_points(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model = model_of(ctx, "dimension: 2\npoints: {P: [1, 2], Q: [3, 4]}\nparameters: {r: 0.5}\n"
                                    "bodies: [{name: a, mass: 1, center: P, inertia: 1, shape: [{rod: {from: P, to: Q, radius: =r/2}},\n"
                                    "  {repeat: {count: 3, index: i, do: [{disc: {center: [=i, 0], radius: =i+1, thickness: 2}}]}},\n"
                                    "  {polygon: {points: [P, Q, [0, 0]]}, color: \"#010203\"}, {box: {center: Q, size: [1, 2]}}]}]\n");
    const bl_body *body = &model->body[1];
    assert_int_equal(body->nappearance, 6);
    assert_near(body->appearance[0].radius, 0.25, 0);
    assert_near(body->appearance[3].radius, 3, 0);
    assert_near(body->appearance[3].at[0][0], 2, 0);
    assert_string_equal(body->appearance[4].color, "#010203");
    assert_int_equal(body->appearance[4].npoint, 3);
    assert_near(body->appearance[4].point[1][1], 4, 0);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* ---- refusals */

static void refuses(const char *shape, const char *word, const char *other) {
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    bl_status status = read_shape(ctx, NULL, shape, &model);
    const bl_error *error = bl_context_error(ctx);
    if (status != BL_E_MODEL && status != BL_E_FILE)
        fail_msg("%s: status %d", shape, status);
    assert_null(model);
    if (!strstr(error->what, word) || (other && !strstr(error->advice, other)))
        fail_msg("%s says '%s' (%s)", shape, error->what, error->advice);
    assert_true(error->line > 0 || strstr(error->what, "line"));
    test_context_end(ctx);
}

static void mistakes__are_reported_with_a_reason(void **state) {
    (void)state;
    refuses("wheel", "map", NULL);
    refuses("{}", "needs a primitive", "wheel");
    refuses("{rad: {from: [0, 0, 0], to: [1, 0, 0]}}", "rad", "rod");
    refuses("{rod: {from: [0, 0, 0], to: [0, 0, 0]}}", "no length", NULL);
    refuses("{rod: {from: [0, 0, 0]}}", "to", NULL);
    refuses("{sphere: {center: [0, 0, 0], radius: -1}}", "radius", NULL);
    refuses("{sphere: {center: [0, 0, 0]}}", "radius", NULL);
    refuses("{box: {center: [0, 0, 0], size: [1, 0, 1]}}", "size", NULL);
    refuses("{disc: {center: [0, 0, 0], radius: 1, axis: [0, 0, 0]}}", "axis", NULL);
    refuses("{polygon: {points: [[0, 0, 0], [1, 0, 0]]}}", "three points", NULL);
    refuses("{rod: {from: [0, 0, 0], to: [1, 0, 0]}, disc: {center: [0, 0, 0], radius: 1}}", "only one form", "list");
    refuses("{rod: {from: [0, 0, 0], to: [1, 0, 0]}, scale: 2}", "can only be used with 'file'", NULL);
    refuses("{rod: {from: [0, 0, 0], to: [1, 0, 0]}, color: red}", "#rrggbb", "quotes");
    refuses("{rod: {from: [0, 0, 0], to: [1, 0, 0]}, color: \"#12345g\"}", "#rrggbb", NULL);
    refuses("{rod: {from: [0, 0, 0], to: [1, 0, 0]}, color: }", "#rrggbb", "quotes");
    refuses("{file: part.step}", ".stl or .obj", NULL);
    refuses("{file: missing.stl}", "missing.stl", NULL);
    refuses("{file: text.stl, scale: 0}", "scale", NULL);
    refuses("{file: text.stl, axes: [[1, 0, 0], [2, 0, 0]]}", "parallel", NULL);
    refuses("{file: text.stl, rod: {from: [0, 0, 0], to: [1, 0, 0]}}", "only one form", NULL);
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    static const char *const in_plane[] = {"{wheel: {from: [0, 0], to: [1, 0], radius: 1}}", "{file: text.stl}",
                                           "{sphere: {center: [0, 0], radius: 1}}", "{disc: {center: [0, 0], radius: 1, axis: [1, 0]}}"};
    for (int i = 0; i < 4; i++) {
        char text[512];
        snprintf(text, sizeof text, "dimension: 2\nbodies: [{name: a, mass: 1, center: [0, 0], inertia: 1, shape: %s}]\n", in_plane[i]);
        assert_int_equal(read_options(ctx, NULL, text, &model), BL_E_MODEL);
        assert_non_null(strstr(bl_context_error(ctx)->what, "in spatial models (dimension: 3)"));
    }
    assert_int_equal(read_options(ctx, NULL, "equations: {}\nground: {shape: {}}\n", &model), BL_E_MODEL);
    assert_int_equal(read_options(ctx, NULL, "bodies: [{" BODY "}]\nground: {form: {}}\n", &model), BL_E_MODEL);
    assert_int_equal(read_options(ctx, NULL, "bodies: [{" BODY "}]\nground: 3\n", &model), BL_E_MODEL);
    test_context_end(ctx);
}

static void damaged_files__are_refused_with_a_reason(void **state) {
    (void)state;
    static const struct {
        const char *name, *text, *word;
    } set[] = {{"a.stl", "", "shorter than the header"},
               {"b.stl", "solid x\n", "endsolid"},
               {"c.stl", "solid x\nendsolid x\n", "no triangles"},
               {"d.stl", "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nendloop\nendfacet\nendsolid", "vertex"},
               {"e.stl", "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 nan\n", "finite"},
               {"f.stl", "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nvertex 1 1 1\n", "endloop"},
               {"g.stl", "solid x\nrubbish\n", "facet"},
               {"h.stl", "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 0 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid\n",
                "no triangles"},
               {"i.obj", "", "no triangles"},
               {"j.obj", "v 0 0 0\nv 1 0\n", "three finite"},
               {"k.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n", "not defined before"},
               {"l.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 0\n", "not defined before"},
               {"m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 -4\n", "not defined before"},
               {"n.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 99999999999999999999\n", "not defined before"},
               {"o.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2\n", "three points"},
               {"p.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1x 2 3\n", "not defined before"},
               {"q.obj", "v 0 0 1e400\n", "three finite"}};
    char shape[64];
    for (size_t i = 0; i < sizeof set / sizeof *set; i++) {
        write_file(set[i].name, set[i].text);
        snprintf(shape, sizeof shape, "{file: %s}", set[i].name);
        refuses(shape, set[i].word, "export it again");
    }
    unsigned char bytes[BINARY];
    stl_bytes(bytes);
    bytes[0] = 'x';
    bytes[83] = 255; /* four thousand million triangles */
    write_bytes("many.stl", bytes, sizeof bytes);
    refuses("{file: many.stl}", "4278190084 triangles", "truncated");
    stl_bytes(bytes);
    memset(bytes + 84 + 12, 255, 4);
    write_bytes("nan.stl", bytes, sizeof bytes);
    refuses("{file: nan.stl}", "not finite", NULL);
    refuses("{file: cube.obj, scale: 1e308, at: [1e308, 0, 0]}", "not finite after applying", NULL);
}

/* cut at every third byte, and with every third byte changed: words, or a surface whose triangles name points it has */
static void cut_and_spoilt_files__never_do_harm(void **state) {
    (void)state;
    static char text[4096];
    static unsigned char bytes[BINARY], spoilt[4096];
    size_t lengths[3] = {stl_text(text, sizeof text), BINARY, sizeof obj - 1};
    stl_bytes(bytes);
    bytes[0] = 'x';
    const void *whole[3] = {text, bytes, obj};
    static const char *const name[3] = {"cut.stl", "cut.stl", "cut.obj"};
    test_random random = {test_seed(20261117)};
    bl_context *ctx = test_context(NULL);
    long good = 0, bad = 0;
    for (int w = 0; w < 3; w++)
        for (size_t n = lengths[w] % 3; n <= 2 * lengths[w]; n += 3) { /* also the whole */
            bool cut = n <= lengths[w];
            size_t length = cut ? n : lengths[w];
            bl_model *model;
            memcpy(spoilt, whole[w], length);
            if (!cut)
                spoilt[n - lengths[w] - 1] = (unsigned char)test_random_bits(&random);
            write_bytes(name[w], spoilt, length);
            bl_status status = read_shape(ctx, NULL, w < 2 ? "{file: cut.stl}" : "{file: cut.obj}", &model);
            if (status == BL_OK) {
                volume(model->body[1].appearance);
                good++;
            } else {
                assert_int_equal(status, BL_E_MODEL);
                assert_true(bl_context_error(ctx)->what[0] && bl_context_error(ctx)->line > 0);
                bad++;
            }
            if (cut && w == 1)
                assert_int_equal(status == BL_OK, n == lengths[w]);
            bl_model_destroy(model);
        }
    assert_true(good > 50 && bad > 200);
    test_context_end(ctx);
}

static void limits__hold_over_all_files_of_a_model(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    /* of 500000 triangles: 20 and 19 */
    assert_int_equal(
        read_shape(ctx, &(bl_read_options){.share = 4.01e-5}, "[{file: cube.obj}, {file: text.stl}, {file: text.stl}]", &model), BL_OK);
    bl_model_destroy(model);
    assert_int_equal(read_shape(ctx, &(bl_read_options){.share = 3.9e-5}, "[{file: cube.obj}, {file: text.stl}, {file: text.stl}]", &model),
                     BL_E_MODEL);
    assert_non_null(strstr(bl_context_error(ctx)->what, "more than 19 triangles"));
    /* of 1500000 points: 7 */
    assert_int_equal(read_shape(ctx, &(bl_read_options){.share = 5e-6}, "{file: cube.obj}", &model), BL_E_MODEL);
    assert_non_null(strstr(bl_context_error(ctx)->what, "more than 7 points"));
    assert_int_equal(read_shape(ctx, &(bl_read_options){.files = BL_FILES_NONE}, "{file: cube.obj}", &model), BL_E_MODEL);
    assert_int_equal(read_shape(ctx, &(bl_read_options){.files = BL_FILES_INSIDE}, "{file: cube.obj}", &model), BL_OK);
    bl_model_destroy(model);
    assert_int_equal(read_shape(ctx, &(bl_read_options){.files = BL_FILES_INSIDE}, "{file: ../cube.obj}", &model), BL_E_MODEL);
    test_context_end(ctx);
}

static bl_status read_all(bl_context *ctx, void *user) {
    (void)user;
    bl_model *model;
    bl_status status = bl_model_read(ctx, path_of("all.yaml"), NULL, 0, &model);
    bl_model_destroy(model);
    return status;
}

static void looks__survive_failing_allocations(void **state) {
    (void)state;
    write_file("all.yaml",
               "ground: {shape: {file: bytes.STL}}\nbodies:\n  - {" BODY ", shape: [{file: text.stl}, {file: cube.obj},\n"
               "     {polygon: {points: [[0, 0, 0], [1, 0, 0], [0, 1, 0]]}}]}\n  - {name: p, points: [{mass: 1, at: [0, 0, 0]}]}\n");
    assert_true(test_failing_allocations(read_all, NULL) > 10);
    assert_true(test_failing_once(read_all, NULL) > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files__give_closed_surfaces_of_known_volume),
        cmocka_unit_test(a_file__stands_where_the_shape_places_it),
        cmocka_unit_test(shape__changes_no_mechanics),
        cmocka_unit_test(shape__repeats_and_names_points),
        cmocka_unit_test(mistakes__are_reported_with_a_reason),
        cmocka_unit_test(damaged_files__are_refused_with_a_reason),
        cmocka_unit_test(cut_and_spoilt_files__never_do_harm),
        cmocka_unit_test(limits__hold_over_all_files_of_a_model),
        cmocka_unit_test(looks__survive_failing_allocations),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
