/* Decks as models: what is read of them, what is refused and where, prefixes and damage, meshes for YAML, included files. */
#include "support/decks.h"
#include "support/testing.h"

#include "model/deck_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MESH                                                                                                           \
    "*NODE, NSET=NALL\n1, 0., 0., 0.\n2, 1.D0, 0, 0\n3, 1, 1\n 4 , 0 , +.1E+1 , -0.\n5,,,1\n6,1,,1\n7,1,1,1\n8,,1,1\n" \
    "*ELEMENT, TYPE=C3D8, ELSET=EALL\n10, 1, 2, 3, 4,\n5, 6, 7, 8\n"
#define MATERIAL "*MATERIAL, NAME=M\n*ELASTIC\n210000., .3\n*DENSITY\n7.8E-9\n"
#define SECTION "*SOLID SECTION, ELSET=EALL, MATERIAL=M\n"
#define HELD "*BOUNDARY\n1, 1, 3\n2, 2, 3\n4, 3\n"
#define MODEL MESH MATERIAL SECTION HELD
#define STEP "*STEP\n*STATIC\n*CLOAD\n7, 1, 2.\n*NODE PRINT, NSET=NALL\nU\n*END STEP\n"

/* a bit of everything */
static const char everything[] =
    "** a comment\n*HEADING\nanything, \xe4 here\n\n" MESH
    "*nset , nset = Top\n5, 6,\n7,8\n*NSET, NSET=odd, GENERATE\n1, 99, 2\n*NSET, NSET=BOTH\ntop, ODD\n*ELSET, ELSET=E2, GENERATE\n10,\n"
    "*AMPLITUDE, NAME=A1\n0., 0., .5, 1., 1., .25,\n2., 0.\n" MATERIAL
    "*PLASTIC\n200., 0.\n400., .1\n*EXPANSION, ZERO=20.\n1.E-5, 20.\n1.E-5, 99.\n" SECTION HELD
    "*INITIAL CONDITIONS, TYPE=TEMPERATURE\nNALL, 20.\n"
    "*EQUATION\n3\n6, 1, 1., 7, 1, -.5, 3, 1, -.5\n"
    "*STEP, INC=20\n*STATIC\n.5, 1., 1.E-3, .5\n*CLOAD, AMPLITUDE=A1, TIME DELAY=.1\n7, 1, 2.\n8, 2, 1.\n"
    "*DLOAD\nEALL, P2, 3.\n10, GRAV, 9810., 0., 0., -1.\nE2, CENTRIF, 4., 0., 0., 0., 0., 0., 1.\n*TEMPERATURE\nTOP, 50.\n"
    "*NODE PRINT, NSET=both, TOTALS=YES\nU, RF\n*EL PRINT, ELSET=EALL, FREQUENCY=2\nS, PEEQ\n*NODE FILE\nU\n*END STEP\n"
    "*STEP\n*STATIC, DIRECT\n.5, 1.\n*BOUNDARY\n7, 3, 3, .01\n*END STEP\n";

static bl_status read_deck(bl_context *ctx, const char *text, bl_model **model) {
    return bl_model_read_text(ctx, "deck.inp", text, strlen(text), NULL, 0, model);
}

static bl_model *must_read(bl_context *ctx, const char *text) {
    bl_model *model;
    if (read_deck(ctx, text, &model) != BL_OK)
        fail_msg("line %d: %s", bl_context_error(ctx)->line, bl_context_error(ctx)->what);
    return model;
}

/* ---- what is read */

static void deck__numbers_names_and_lines_are_those_of_the_text(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model = must_read(ctx, everything);
    const bl_mesh *mesh = &model->solid[0].mesh;
    assert_int_equal(model->dim, 3);
    assert_int_equal(mesh->nnode, 8);
    assert_int_equal(mesh->label[6], 7);
    assert_int_equal(mesh->nelement, 1);
    assert_int_equal(mesh->element_label[0], 10);
    assert_true(mesh->x[1][0] == 1 && mesh->x[3][1] == 1 && mesh->x[4][2] == 1);
    const bl_mesh_set *both = bl_mesh_set_of(mesh, "BOTH", BL_SET_NODES), *odd = bl_mesh_set_of(mesh, "odd", BL_SET_NODES);
    assert_int_equal(odd->count, 4);
    assert_int_equal(both->count, 6); /* 5 6 7 8 and 1 3 */
    assert_non_null(bl_mesh_set_of(mesh, "E2", BL_SET_ELEMENTS));
    const bl_deck *deck = model->deck;
    assert_int_equal(deck->nstep, 2);
    const bl_deck_step *step = &deck->step[0];
    assert_true(step->what == BL_DECK_STATIC && !step->large && !step->direct && deck->step[1].direct);
    assert_true(step->increment == .5 && step->time == 1 && step->shortest == 1e-3 && step->longest == .5);
    assert_int_equal(step->increments, 20);
    assert_int_equal(step->nprint, 4);
    assert_int_equal(deck->step[1].nprint, 4); /* they go on */
    assert_true(step->print[0].totals && step->print[2].what == BL_PRINT_S && step->print[2].every == 2);
    assert_true(deck->step[1].begins == 1);
    assert_int_equal(step->ntie, 1);
    assert_true(step->tie[0].term[2].by == -.5 && step->tie[0].term[2].node == 2);
    assert_string_equal(step->solid.section[0].material.kind->kind.name, "plastic");
    assert_true(step->solid.section[0].material.density == 7.8e-9);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void deck__a_text_is_one_by_its_asterisk_or_its_name(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model = must_read(ctx, "\n  \n** hello\n" MODEL STEP);
    assert_true(bl_model_is_deck(model));
    bl_model_destroy(model);
    assert_int_equal(bl_model_read_text(ctx, "beam.INP", "dimension: 2\n", 13, NULL, 0, &model), BL_E_MODEL);
    assert_non_null(strstr(bl_context_error(ctx)->what, "must begin with a keyword"));
    assert_int_equal(bl_model_read_text(ctx, "model", "dimension: 2\n", 13, NULL, 0, &model), BL_E_MODEL); /* YAML */
    assert_non_null(strstr(bl_context_error(ctx)->what, "no bodies"));
    test_context_end(ctx);
}

static void loads__keep_a_number_for_every_node_and_face(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model = must_read(ctx, MODEL "*STEP\n*STATIC\n*CLOAD\n7,1,2.\n8,1,3.\n7,1,1.\n6,2,1.\n*DLOAD\n10,P2,4.\n10,P1,5.\n*END STEP\n"
                                           "*STEP\n*STATIC\n.1,2.\n*CLOAD\n8,1,9.\n*END STEP\n");
    const bl_deck_step *step = model->deck->step;
    assert_int_equal(step[0].nload, 3); /* forces along x, along y, pressures */
    const bl_solid_load *x = &step[0].load[0], *p = &step[0].load[2];
    assert_true(x->what == BL_LOAD_NODE && x->set->count == 2 && x->set->item[0] == 6 && x->set->item[1] == 7);
    assert_true(x->base[0] == 0 && x->by[0] == 3 && x->by[1] == 3 && x->value[0].law >= 0);
    assert_true(p->what == BL_LOAD_NORMAL && p->set->count == 2 && p->set->face[0] == 0 && p->set->face[1] == 1);
    assert_true(p->by[0] == -5 && p->by[1] == -4);
    x = &step[1].load[0]; /* from what they were */
    assert_true(x->base[0] == 3 && x->by[0] == 0 && x->base[1] == 3 && x->by[1] == 6);
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* ---- what is refused, and where */

typedef struct refusal {
    const char *text;
    int line;
    const char *what;
} refusal;

#define BARS "*NODE, NSET=NALL\n1, 0.\n2, 1.\n*ELEMENT, TYPE=T3D2, ELSET=EALL\n1, 1, 2\n"

static const refusal refusals[] = {
    {BARS MATERIAL SECTION "*STEP\n*STATIC\n*END STEP\n", 11, "needs a data line with their area"},
    {BARS MATERIAL SECTION "3.\n*STEP\n*STATIC\n*DLOAD\n1, P1, 1.\n*END STEP\n", 16, "is a bar, which has no faces"},
    {"*", 1, "keyword"},
    {"1, 2\n*NODE\n", 1, "must begin with a keyword"},
    {"*NODE\n1,0,0\n*CONTACT PAIR\n*TIE\n", 3, "the keyword *CONTACT PAIR is not supported"},
    {"*NODE, SYSTEM=R\n", 1, "the parameter SYSTEM of *NODE is not supported"},
    {"*NODE, NSET\n", 1, "NSET of *NODE needs a value"},
    {"*NODE, NSET=A, NSET=B\n", 1, "twice"},
    {"*NSET, NSET=A, GENERATE=3\n", 1, "takes no value"},
    {"*NODE\n1, 0., 0.\n1, 2., 0.\n", 3, "node 1 is defined twice: the first time in line 2"},
    {"*NODE\n1, 0., zero\n", 2, "y must be a number, found 'zero'"},
    {"*NODE\n1, 1.E999\n", 2, "x must be a number"},
    {"*NODE\n1.5, 0.\n", 2, "must be an integer, found '1.5'"},
    {"*NODE\n0, 0.\n", 2, "must be from 1 to"},
    {"*NODE\n99999999999999999999, 0.\n", 2, "must be from 1 to"},
    {"*NODE\n, 1.\n", 2, "entry 1 of the line"},
    {"*NODE\n1, 2., 3., 4., 5., 6., 7., 8.\n", 2, "at most 7 entries"},
    {"*NODE\n1, 2\x01\n", 2, "byte 0x01"},
    {"*NO\xc3\xb6"
     "DE\n",
     1, "byte 0xc3"},
    {"*ELEMENT, ELSET=E\n", 1, "needs the parameter TYPE"},
    {"*ELEMENT, TYPE=S8R\n", 1, "elements of type S8R are not supported"},
    {"*ELEMENT, TYPE=C3D8R\n", 1, "C3D8R are not supported"},
    {"*ELEMENT, TYPE=C3D8\n1, 1, 2, 3\n", 2, "node 4 of 8 of element 1"},
    {"*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4, 5\n", 2, "at most 5 entries"},
    {"*NODE\n1\n*ELEMENT, TYPE=C3D4\n1, 1, 2, 3, 4\n", 4, "element 1 refers to node 2, which is not defined"},
    {"*NODE\n1\n*NSET, NSET=A\n2\n", 4, "there is no node 2"},
    {"*NODE\n1\n*NSET, NSET=A\nB\n", 4, "no set of nodes 'B'"},
    {"*NODE\n1\n*NSET, NSET=7\n1\n", 3, "a set cannot be named 7"},
    {"*NODE\n1\n*NSET, NSET=A, GENERATE\n5, 1\n", 4, "below the first"},
    {MESH, 1, "no *STEP"},
    {"*HEADING\n", 1, "no elements"},
    {MESH "*ELASTIC\n1., .3\n" STEP, 13, "must follow the *MATERIAL"},
    {MESH "*MATERIAL, NAME=M\n*ELASTIC, TYPE=ORTHO\n1.\n" SECTION STEP, 14, "TYPE=ORTHO is not supported"},
    {MESH "*MATERIAL, NAME=M\n*ELASTIC\n1., .3, 0.\n2., .3, 9.\n" SECTION STEP, 14,
     "depends on temperature, but node 1 has no initial temperature"},
    {MESH "*MATERIAL, NAME=M\n*ELASTIC\n1., .3, 9.\n2., .3, 0.\n" SECTION STEP, 16, "temperatures must increase"},
    {MESH "*MATERIAL, NAME=M\n*ELASTIC\n1., .3, 0.\n2., .6, 9.\n" SECTION "*INITIAL CONDITIONS, TYPE=TEMPERATURE\nNALL, 3.\n" STEP, 14,
     "Poisson's ratio must be"},
    {MESH "*MATERIAL, NAME=M\n*ELASTIC\n1., .3, 0.\n2., .3, 9.\n" SECTION "*INITIAL CONDITIONS, TYPE=TEMPERATURE\nNALL, 3.\n4, 5.\n" STEP,
     14, "initial temperatures must be equal, found 3 at node 1 and 5 at node 4"},
    {MESH "*MATERIAL, NAME=M\n*DENSITY\n1., 0.\n2., 9.\n" SECTION STEP, 16, "*DENSITY depends on temperature, which is not supported"},
    {MESH "*MATERIAL, NAME=M\n*DAMPING, ALPHA=-1.\n" SECTION STEP, 14, "must be a number that is not negative"},
    {MODEL "*RESTART, READ\n" STEP, 23, "the parameter READ of *RESTART"},
    {MESH "*MATERIAL, NAME=M\n*ELASTIC\n1., .7\n" SECTION STEP, 14, "nu = 0.7"},
    {MESH "*MATERIAL, NAME=M\n*DENSITY\n1.\n" SECTION STEP, 13, "needs *ELASTIC"},
    {MESH "*MATERIAL, NAME=M\n*ELASTIC\n1.,.3\n*ELASTIC\n1.,.3\n", 16, "*ELASTIC twice"},
    {MESH MATERIAL "*PLASTIC\n1., .1\n" SECTION STEP, 19, "must begin with 0"},
    {MESH MATERIAL "*SOLID SECTION, ELSET=EALL, MATERIAL=X\n", 18, "no material X"},
    {MESH MATERIAL "*SOLID SECTION, ELSET=EAL, MATERIAL=M\n", 18, "no set of elements 'EAL'"},
    {MESH MATERIAL STEP, 11, "element 10 has no *SOLID SECTION"},
    {MESH "*NODE\n9, 2\n*ELEMENT, TYPE=CPS3\n3, 1, 2, 3\n" STEP, 16, "cannot contain elements of both types C3D8 and CPS3"},
    {MODEL "*STEP\n*STATIC\n", 23, "has no *END STEP"},
    {MODEL "*STEP\n*STEP\n", 24, "begins inside the step of line 23"},
    {MODEL "*STEP\n*END STEP\n", 23, "no analysis"},
    {MODEL "*STEP\n*STATIC\n*FREQUENCY\n1\n*END STEP\n", 25, "only one analysis"},
    {MODEL "*STEP\n*STATIC\n*HEAT TRANSFER\n*END STEP\n", 25, "either temperatures or displacements"},
    {MODEL "*STATIC\n", 23, "cannot be used outside a step"},
    {MODEL "*STEP\n*STATIC\n*NODE\n9\n*END STEP\n", 25, "cannot be used in a step"},
    {MODEL "*STEP\n*STATIC, EXPLICIT\n*END STEP\n", 24, "the parameter EXPLICIT of *STATIC is not supported"},
    {MODEL "*STEP\n*STATIC\n0., 1.\n*END STEP\n", 25, "must be positive"},
    {MODEL "*STEP\n*STATIC\n2., 1.\n*END STEP\n", 25, "larger than the duration of the step"},
    {MODEL "*STEP\n*STATIC\n1.E-12, 1.\n*END STEP\n", 25, "more than 1e+09 increments"},
    {MODEL "*STEP\n*DYNAMIC\n*END STEP\n", 24, "needs a data line"},
    {MODEL "*STEP\n*DYNAMIC, ALPHA=.1\n1.,1.\n*END STEP\n", 24, "from -1/3 to 0"},
    {MODEL "*STEP\n*FREQUENCY\n0\n*END STEP\n", 25, "must be from 1"},
    {MODEL "*STEP, PERTURBATION\n*FREQUENCY\n1\n*END STEP\n", 23, "needs a static step"},
    {MODEL "*STEP\n*STATIC\n*CLOAD\n7, 4, 1.\n*END STEP\n", 26, "component 4 does not exist"},
    {MODEL "*STEP\n*STATIC\n*CLOAD\n7, 1\n*END STEP\n", 26, "the force, is missing"},
    {MODEL "*STEP\n*STATIC\n*CLOAD, AMPLITUDE=B\n7, 1, 1.\n*END STEP\n", 25, "no amplitude B"},
    {MODEL "*STEP\n*STATIC\n*CLOAD, TIME DELAY=1.\n7, 1, 1.\n*END STEP\n", 25, "only be used together with AMPLITUDE"},
    {MODEL "*STEP\n*STATIC\n*CLOAD\n7, 1, 1.\n*CLOAD, OP=NEW\n7, 1, 1.\n*END STEP\n", 27, "first *CLOAD of a step"},
    {MODEL "*STEP\n*STATIC\n*DLOAD\n10, P7, 1.\n*END STEP\n", 26, "has no face 7"},
    {MODEL "*STEP\n*STATIC\n*DLOAD\n10, PX, 1.\n*END STEP\n", 26, "type PX are not supported"},
    {MODEL "*STEP\n*STATIC\n*DLOAD\n10, EDNOR1, 1.\n*END STEP\n", 26, "type 'EDNOR1' are not supported"},
    {MODEL "*STEP\n*STATIC\n*DLOAD\n10, GRAV, 1., 0., 0., 0.\n*END STEP\n", 26, "must not be zero"},
    {MODEL "*STEP\n*STATIC\n*FILM\n10, F1, 1., 2.\n*END STEP\n", 26, "cannot be used in a mechanical analysis"},
    {MODEL "*STEP\n*STATIC\n*TEMPERATURE\nNALL, 3.\n*END STEP\n", 26, "has no initial temperature"},
    {MODEL "*STEP\n*STATIC\n*NODE PRINT, NSET=NALL\nXYZ\n*END STEP\n", 26, "the quantity XYZ is not supported"},
    {MODEL "*STEP\n*STATIC\n*NODE PRINT, NSET=NALL\nNT\n*END STEP\n", 26, "NT is not available in a mechanical analysis"},
    {MODEL "*STEP\n*STATIC\n*NODE PRINT\nU\n*END STEP\n", 25, "needs the parameter NSET"},
    {MESH MATERIAL SECTION "*BOUNDARY\n1, 1, 1, .5\n" STEP, 20, "must have the value 0, found 0.5"},
    {MESH MATERIAL SECTION "*BOUNDARY, FIXED\n1, 1, 1\n" STEP, 19, "FIXED can only be used in a step"},
    {MODEL "*INITIAL CONDITIONS, TYPE=STRESS\n" STEP, 23, "TYPE=STRESS is not supported"},
    {MODEL "*AMPLITUDE, NAME=A\n0., 1., 0., 2.\n", 24, "times must increase"},
    {MODEL "*AMPLITUDE, NAME=A\n0., 1., 1.\n", 24, "a factor, is missing"},
    {MODEL "*EQUATION\n1\n", 24, "must be from 2"},
    {MODEL "*EQUATION\n99999\n1,1,1.\n", 24, "but the data lines contain fewer"},
    {MODEL "*EQUATION\n2\n1,1,1.\n", 24, "2 terms are announced"},
    {MODEL "*EQUATION\n2\n1,1,1.00000000000\n", 25, "needs a data line"},
    {MODEL "*EQUATION\n2\n1,1,1.,2,5,1.\n", 25, "component 5 does not exist"},
    {MODEL "*EQUATION, REMOVE\n1,1\n" STEP, 23, "can only be used in a step"},
    {MESH "*BOUNDARY\nLATE, 1\n*NSET, NSET=LATE\n1\n" MATERIAL SECTION STEP, 14, "used here, but line 15 adds to it later"},
    {MODEL "*INCLUDE, INPUT=nothing.inp\n", 23, "nothing.inp"},
    {MESH "*NSET, NSET=NONE\n*BOUNDARY\nNONE, 1\n" MATERIAL SECTION STEP, 15, "the set 'NONE' is empty"},
};

static void deck__refuses_with_line_and_reason(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof refusals / sizeof *refusals; k++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model;
        bl_status status = read_deck(ctx, refusals[k].text, &model);
        const bl_error *error = bl_context_error(ctx);
        if (status == BL_OK || error->line != refusals[k].line || !strstr(error->what, refusals[k].what))
            fail_msg("case %zu: wanted line %d '%s', got line %d '%s'", k, refusals[k].line, refusals[k].what,
                     status == BL_OK ? -1 : error->line, status == BL_OK ? "no refusal" : error->what);
        test_context_end(ctx);
    }
}

/* ---- prefixes and damage */

static void try_bytes(const char *text, size_t bytes) {
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    bl_status status = bl_model_read_text(ctx, "deck.inp", text, bytes, NULL, 0, &model);
    if (status != BL_OK) {
        assert_true(status == BL_E_MODEL || status == BL_E_FILE);
        assert_true(bl_context_error(ctx)->what[0]);
        assert_null(model);
    }
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void deck__every_prefix_is_refused_or_read(void **state) {
    (void)state;
    for (size_t n = 0; n <= strlen(everything); n++)
        try_bytes(everything, n);
}

static void deck__damaged_bytes_are_refused_or_read(void **state) {
    (void)state;
    test_random random = {test_seed(20240607)};
    static const char bytes[] = "*,\n=.-+0123456789EDAN \t\r\0\x80\xff";
    char text[sizeof everything];
    for (int k = 0; k < 4000; k++) {
        memcpy(text, everything, sizeof everything);
        for (int n = 1 + test_random_below(&random, 3); n > 0; n--) {
            int at = test_random_below(&random, (int)sizeof everything - 1), from = test_random_below(&random, (int)sizeof everything - 1);
            int length = test_random_below(&random, 30);
            switch (test_random_below(&random, 3)) {
            case 0: text[at] = bytes[test_random_below(&random, (int)sizeof bytes - 1)]; break;
            case 1: text[at] = (char)test_random_below(&random, 256); break;
            default:
                if (at + length < (int)sizeof text && from + length < (int)sizeof text)
                    memmove(text + at, text + from, (size_t)length);
                break;
            }
        }
        try_bytes(text, sizeof everything - 1);
    }
}

static void sets__that_take_each_other_stay_small(void **state) {
    (void)state;
    /* 16^40 items if each were counted */
    test_deck d = {0};
    bl_context *ctx = test_context(NULL);
    deck_add(&d, MODEL "*NSET, NSET=A\nNALL\n*NSET, NSET=B\nNALL\n");
    for (int k = 0; k < 40; k++)
        deck_add(&d, "*NSET, NSET=%s\nA,B,A,B,A,B,A,B,A,B,A,B,A,B,A,B\n", k % 2 ? "A" : "B");
    deck_add(&d, STEP);
    bl_model *model = must_read(ctx, d.text);
    assert_int_equal(bl_mesh_set_of(&model->solid[0].mesh, "A", BL_SET_NODES)->count, 8);
    bl_model_destroy(model);
    deck_free(&d);
    test_context_end(ctx);
}

/* ---- files */

static char folder[64];

static void write_file(const char *name, const char *text) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void deck__included_files_go_on_where_they_are_named(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    char path[128];
    write_file("nodes.txt", "1, 0., 0., 0.\n2, 1.D0, 0, 0\n3, 1, 1\n4, 0, 1\n5,,,1\n*INCLUDE, INPUT=more.txt\n");
    write_file("more.txt", "6,1,,1\n7,1,1,1\n8,,1,1\n");
    write_file("whole.inp",
               "*NODE, NSET=NALL\n*INCLUDE, INPUT=nodes.txt\n*ELEMENT, TYPE=C3D8, ELSET=EALL\n10, 1, 2, 3, 4, 5, 6, 7, 8\n" MATERIAL SECTION
                   HELD STEP);
    write_file("loop.inp", "*INCLUDE, INPUT=loop.inp\n");
    write_file("bad.inp", "*INCLUDE, INPUT=worse.inp\n");
    write_file("worse.inp", "*NODE\n\n1, x\n");
    snprintf(path, sizeof path, "%s/whole.inp", folder);
    assert_int_equal(bl_model_read(ctx, path, NULL, 0, &model), BL_OK);
    assert_int_equal(model->solid[0].mesh.nnode, 8);
    bl_model_destroy(model);
    snprintf(path, sizeof path, "%s/loop.inp", folder);
    assert_int_equal(bl_model_read(ctx, path, NULL, 0, &model), BL_E_MODEL);
    assert_non_null(strstr(bl_context_error(ctx)->what, "more than 8 deep"));
    snprintf(path, sizeof path, "%s/bad.inp", folder);
    assert_int_equal(bl_model_read(ctx, path, NULL, 0, &model), BL_E_MODEL);
    assert_non_null(strstr(bl_context_error(ctx)->file, "worse.inp"));
    assert_int_equal(bl_context_error(ctx)->line, 3);
    test_context_end(ctx);
}

static void deck__is_a_mesh_for_a_model_whatever_else_it_holds(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    char path[128];
    write_file("mesh.inp", "*CONTACT PAIR\nanything\n" MESH "*NSET, NSET=Top\n5,6,7,8\n*SURFACE INTERACTION, NAME=X\n*STEP\n");
    write_file("model.yaml", "dimension: 3\nmaterials: {m: {type: elastic, E: 1, nu: 0.3}}\n"
                             "bodies: [{name: b, mesh: {file: mesh.inp}, material: m}]\nsupports: [{set: Top, all: 0}]\n");
    snprintf(path, sizeof path, "%s/model.yaml", folder);
    if (bl_model_read(ctx, path, NULL, 0, &model) != BL_OK)
        fail_msg("%s", bl_context_error(ctx)->what);
    assert_int_equal(model->solid[0].mesh.nnode, 8);
    assert_int_equal(model->solid[0].mesh.element_label[0], 10);
    assert_false(bl_model_is_deck(model));
    bl_model_destroy(model);
    test_context_end(ctx);
}

static int make_folder(void **state) {
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/biela_decks_XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    static const char *const names[] = {"nodes.txt", "more.txt", "whole.inp", "loop.inp", "bad.inp", "worse.inp", "mesh.inp", "model.yaml"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char path[128];
        snprintf(path, sizeof path, "%s/%s", folder, names[k]);
        unlink(path);
    }
    return rmdir(folder);
}

/* ---- memory */

static bl_status run_everything(bl_context *ctx, void *user) {
    bl_model *model;
    BL_TRY(read_deck(ctx, user, &model));
    bl_status status = bl_run_deck(ctx, model, NULL, NULL, NULL);
    bl_model_destroy(model);
    return status;
}

static void memory__comes_back_when_any_of_it_is_missing(void **state) {
    (void)state;
    static char linear[] = MODEL STEP "*STEP\n*FREQUENCY\n2\n*END STEP\n*STEP\n*DYNAMIC\n1.E-6, 2.E-6\n*DLOAD\nEALL,P1,2.\n*END STEP\n";
    test_failing_allocations(run_everything, linear);
    static char ties[] = MODEL "*AMPLITUDE, NAME=A\n0.,1.,1.,2.\n*EQUATION\n2\n6,1,1.,7,1,-1.\n2\n3,1,1.,6,1,-1.\n"
                               "*STEP, NLGEOM\n*STATIC\n*CLOAD, AMPLITUDE=A\n7,1,3.\n*DLOAD\nEALL,CENTRIF,1.,0.,0.,0.,0.,0.,1.\n"
                               "*EL PRINT, ELSET=EALL\nS\n*END STEP\n";
    test_failing_once(run_everything, ties);
    static char bars[] =
        "*NODE, NSET=NALL\n1, 0, 0, 0\n2, 5, 0, 5\n3, 0, 0, 10\n*ELEMENT, TYPE=T3D2, ELSET=EALL\n1, 1, 2\n2, 2, 3\n"
        "*BOUNDARY\n1, 1, 3\n3, 1, 3\n*MATERIAL, NAME=M\n*ELASTIC\n1E7, .3, 0.\n2E7, .3, 9.\n*EXPANSION\n1E-5, 0.\n2E-5, 9.\n"
        "*SOLID SECTION, ELSET=EALL, MATERIAL=M\n.0625\n*INITIAL CONDITIONS, TYPE=TEMPERATURE\nNALL, 1.\n"
        "*STEP\n*STATIC\n*CLOAD\n2, 1, 1.\n*TEMPERATURE\nNALL, 5.\n*EL PRINT, ELSET=EALL\nS\n*END STEP\n";
    test_failing_once(run_everything, bars);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deck__numbers_names_and_lines_are_those_of_the_text),
        cmocka_unit_test(deck__a_text_is_one_by_its_asterisk_or_its_name),
        cmocka_unit_test(loads__keep_a_number_for_every_node_and_face),
        cmocka_unit_test(deck__refuses_with_line_and_reason),
        cmocka_unit_test(deck__every_prefix_is_refused_or_read),
        cmocka_unit_test(deck__damaged_bytes_are_refused_or_read),
        cmocka_unit_test(sets__that_take_each_other_stay_small),
        cmocka_unit_test(deck__included_files_go_on_where_they_are_named),
        cmocka_unit_test(deck__is_a_mesh_for_a_model_whatever_else_it_holds),
        cmocka_unit_test(memory__comes_back_when_any_of_it_is_missing),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
