/* Runs of decks against closed forms: patch tests, bars, beams, heat, motions, equations, steps that follow one another. */
#include "support/decks.h"
#include "support/meshes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

/* cmocka compares floats */
static void near(double got, double want, double tolerance) {
    if (!(fabs(got - want) <= tolerance))
        fail_msg("%.17g is not %.17g: %.3g apart, more than %.3g", got, want, fabs(got - want), tolerance);
}

static void box(bl_context *ctx, const char *element, double x, double y, double z, int nx, int ny, int nz, bl_mesh *mesh) {
    const test_value values[] = {{"size", {x, y, z}, 3}, {"n", {nx, ny, nz}, 3}, {0}};
    test_generated(ctx, "box", element, values, mesh);
}

#define STEEL "*MATERIAL, NAME=STEEL\n*ELASTIC\n210000., .3\n*DENSITY\n7.8E-9\n*SOLID SECTION, ELSET=EALL, MATERIAL=STEEL\n"
/* nothing across the axis: bars are bars to the last digit */
#define CORK "*MATERIAL, NAME=CORK\n*ELASTIC\n1000., 0.\n*DENSITY\n2.\n*SOLID SECTION, ELSET=EALL, MATERIAL=CORK\n"

/* the node at a point, by its number in the deck */
static bl_index node_at(const bl_mesh *mesh, double x, double y, double z) {
    for (bl_index i = 0; i < mesh->nnode; i++)
        if (fabs(mesh->x[i][0] - x) + fabs(mesh->x[i][1] - y) + fabs(mesh->x[i][2] - z) < 1e-9)
            return i + 1;
    fail_msg("no node at (%g, %g, %g)", x, y, z);
    return 0;
}

/* ---- patch test: a linear field on the surface is linear inside, with one stress */

static const struct {
    const char *type, *element;
} solids[] = {{"C3D4", "tetra4"},   {"C3D6", "wedge6"},  {"C3D8", "hexa8"},   {"C3D10", "tetra10"},
              {"C3D15", "wedge15"}, {"C3D20", "hexa20"}, {"C3D20R", "hexa20"}};

static void patch__linear_field_is_reproduced_by_every_type(void **state) {
    (void)state;
    static const double slope[3][3] = {{1e-4, 2e-4, -3e-5}, {-5e-5, 3e-4, 7e-5}, {2e-5, -1e-4, -2e-4}};
    for (size_t k = 0; k < sizeof solids / sizeof *solids; k++) {
        bl_context *ctx = test_context(NULL);
        bl_mesh mesh;
        test_deck d = {0};
        deck_tables t;
        bool boundary;
        box(ctx, solids[k].element, 2, 1, 1, 2, 2, 2, &mesh);
        assert_int_equal(bl_mesh_distort(&mesh, 0.2, 7), BL_OK);
        deck_mesh(&d, &mesh, solids[k].type);
        deck_add(&d, STEEL "*STEP\n*STATIC\n*BOUNDARY\n");
        for (bl_index i = 0; i < mesh.nnode; i++) {
            const double *x = mesh.x[i];
            boundary = x[0] < 1e-9 || x[0] > 2 - 1e-9 || x[1] < 1e-9 || x[1] > 1 - 1e-9 || x[2] < 1e-9 || x[2] > 1 - 1e-9;
            for (int c = 0; boundary && c < 3; c++)
                deck_add(&d, "%d, %d, %d, %.17g\n", (int)i + 1, c + 1, c + 1, slope[c][0] * x[0] + slope[c][1] * x[1] + slope[c][2] * x[2]);
        }
        deck_add(&d, "*NODE PRINT, NSET=NALL\nU\n*EL PRINT, ELSET=EALL\nS, E\n*END STEP\n");
        deck_run(ctx, d.text, &t);
        const deck_table *u = deck_find(&t, "U", 1, 1), *s = deck_find(&t, "S", 1, 1), *e = deck_find(&t, "E", 1, 1);
        assert_int_equal(u->nrow, mesh.nnode);
        for (bl_index i = 0; i < mesh.nnode; i++)
            for (int c = 0; c < 3; c++) {
                double want = slope[c][0] * mesh.x[i][0] + slope[c][1] * mesh.x[i][1] + slope[c][2] * mesh.x[i][2];
                double got = deck_row(u, i + 1, 0)[c];
                near(got, want, 1e-15);
            }
        double mu = 210000 / 2.6, lambda = 210000 * .3 / (1.3 * .4), trace = slope[0][0] + slope[1][1] + slope[2][2];
        for (bl_index i = 0; i < s->nrow; i++) {
            static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}}; /* as decks print them */
            for (int c = 0; c < 6; c++) {
                int a = at[c][0], b = at[c][1];
                double strain = 0.5 * (slope[a][b] + slope[b][a]), stress = 2 * mu * strain + (a == b ? lambda * trace : 0);
                near(e->value[6 * i + c], strain, 1e-15);
                near(s->value[6 * i + c], stress, 1e-9);
            }
        }
        deck_tables_free(&t);
        deck_free(&d);
        bl_mesh_destroy(&mesh);
        test_context_end(ctx);
    }
}

/* ---- bars: nodes of one-dimensional problems are exact */

typedef struct bar_case {
    const char *load; /* of *DLOAD on EALL */
    double end;       /* displacement at x = L = 4 */
} bar_case;

static void bar__gravity_and_rotation_stretch_it_by_closed_forms(void **state) {
    (void)state;
    /* rho g L^2 / (2 E); omega^2 rho L^3 / (3 E) about an axis through the clamped end; about one through x = -1: + rho omega^2 L^2/2E */
    const bar_case cases[] = {{"EALL, GRAV, 5., 3., 0., 0.", 2 * 5 * 16.0 / 2000},
                              {"EALL, CENTRIF, 9., 0., 0., 0., 0., 0., 2.", 9 * 2 * 64.0 / 3000},
                              {"EALL, CENTRIF, 9., -1., 7., 0., 0., 1., 0.", 9 * 2 * (64.0 / 3 + 8) / 1000}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        bl_context *ctx = test_context(NULL);
        bl_mesh mesh;
        test_deck d = {0};
        deck_tables t;
        box(ctx, "hexa20", 4, 1, 1, 4, 1, 1, &mesh);
        deck_mesh(&d, &mesh, "C3D20");
        deck_add(&d, CORK "*BOUNDARY\nLEFT,1,3\nNALL,2,3\n*STEP\n*STATIC\n*DLOAD\n%s\n*NODE PRINT, NSET=RIGHT\nU\n*END STEP\n",
                 cases[k].load);
        deck_run(ctx, d.text, &t);
        const deck_table *u = deck_find(&t, "U", 1, 1);
        for (bl_index i = 0; i < u->nrow; i++)
            near(u->value[3 * i], cases[k].end, 1e-12 * fabs(cases[k].end) * 100);
        deck_tables_free(&t);
        deck_free(&d);
        bl_mesh_destroy(&mesh);
        test_context_end(ctx);
    }
}

static void bar__pressure_in_a_large_deformation_is_on_the_deformed_face(void **state) {
    (void)state;
    /* nothing moves across: S = E (F^2 - 1)/2, Cauchy's stress F S (area unchanged) = p pulled */
    bl_context *ctx = test_context(NULL);
    bl_mesh mesh;
    test_deck d = {0};
    deck_tables t;
    box(ctx, "hexa8", 2, 1, 1, 2, 1, 1, &mesh);
    deck_mesh(&d, &mesh, "C3D8");
    deck_add(&d, CORK "*BOUNDARY\nLEFT,1,1\nNALL,2,3\n*STEP, NLGEOM\n*STATIC\n.25, 1.\n*DLOAD\n");
    deck_faces(&d, &mesh, "right", 'P', "-300.");
    deck_add(&d, "*NODE PRINT, NSET=RIGHT\nU, RF\n*EL PRINT, ELSET=EALL\nS\n*END STEP\n");
    deck_run(ctx, d.text, &t);
    const deck_table *u = deck_find(&t, "U", 1, 0), *s = deck_find(&t, "S", 1, 0);
    double F = 1 + u->value[0] / 2;
    near(500 * F * (F * F - 1), 300, 1e-4); /* equilibrium to 1e-8, 1.3e3 of stiffness */
    near(s->value[0], 300, 1e-4);
    near(t.table[0].t, 0.25, 1e-15); /* increments 1/4, 1/4, 3/8, then the rest */
    assert_int_equal(u->increment, 4);
    near(deck_find(&t, "U", 1, 3)->t, 0.875, 1e-15);
    deck_tables_free(&t);
    deck_free(&d);
    bl_mesh_destroy(&mesh);
    test_context_end(ctx);
}

static void bar__frequencies_are_those_of_waves(void **state) {
    (void)state;
    /* clamped and free end: omega_k = (2 k - 1) pi/2 sqrt(E/rho)/L; quadratic elements: relative error (q h)^4/1440, of C3D20 8e-6 */
    bl_context *ctx = test_context(NULL);
    bl_mesh mesh;
    test_deck d = {0};
    deck_tables t;
    box(ctx, "hexa20", 4, 1, 1, 4, 1, 1, &mesh);
    deck_mesh(&d, &mesh, "C3D20");
    deck_add(&d, CORK "*BOUNDARY\nLEFT,1,1\nNALL,2,3\n*STEP\n*FREQUENCY\n2\n*END STEP\n");
    deck_run(ctx, d.text, &t);
    const deck_table *f = deck_find(&t, "FREQUENCY", 1, 0);
    for (int k = 0; k < 2; k++) {
        double q = (2 * k + 1) * PI / 8, omega = q * sqrt(500), *row = &f->value[3 * k];
        double error = pow(q, 4) / 1440;
        near(row[1], omega, 2 * error * omega);
        near(row[0], row[1] * row[1], 1e-9 * row[0]);
        near(row[2], row[1] / (2 * PI), 1e-12 * row[2]);
    }
    /* e^T M phi of the first mode: sqrt(8 m)/pi, m = 8 the mass; consistent masses of the clamped nodes are left out of it: h/6 of 4 */
    const deck_table *p = deck_find(&t, "PARTICIPATION", 1, 0);
    near(fabs(p->value[0]), sqrt(8 * 8.0) / PI, 0.02);
    deck_tables_free(&t);
    deck_free(&d);
    bl_mesh_destroy(&mesh);
    test_context_end(ctx);
}

static void cantilever__bends_as_a_beam(void **state) {
    (void)state;
    /* Timoshenko: P L^3/(3 E I) + P L/(kappa G A), kappa = 10 (1 + nu)/(12 + 11 nu); a clamp that lets nothing widen
     * shortens it by less than a tenth of its height */
    bl_context *ctx = test_context(NULL);
    bl_mesh mesh;
    test_deck d = {0};
    deck_tables t;
    box(ctx, "hexa20", 20, 1, 1, 10, 2, 2, &mesh);
    deck_mesh(&d, &mesh, "C3D20R");
    deck_add(&d, STEEL "*BOUNDARY\nLEFT,1,3\n*EQUATION\n");
    bl_index tip = node_at(&mesh, 20, 0, 0);
    const bl_mesh_set *right = bl_mesh_set_of(&mesh, "right", BL_SET_NODES);
    for (bl_index k = 0; k < right->count; k++) /* the end moves down as one */
        if (right->item[k] + 1 != tip)
            deck_add(&d, "2\n%d, 2, 1., %d, 2, -1.\n", (int)right->item[k] + 1, (int)tip);
    deck_add(&d, "*STEP\n*STATIC\n*CLOAD\n%d, 2, -100.\n*NODE PRINT, NSET=RIGHT\nU\n*NODE PRINT, NSET=LEFT, TOTALS=YES\nRF\n*END STEP\n",
             (int)tip);
    deck_run(ctx, d.text, &t);
    double I = 1.0 / 12, G = 210000 / 2.6, kappa = 13.0 / 15.3, u = -100 * 8000 / (3 * 210000 * I) - 100 * 20 / (kappa * G);
    near(deck_row(deck_find(&t, "U", 1, 1), tip, 0)[1], u, 0.015 * fabs(u));
    const deck_table *f = deck_find(&t, "RF", 1, 1);
    assert_true(f->has_total);
    near(f->total[0], 0, 1e-6);
    near(f->total[1], 100, 1e-6);
    deck_tables_free(&t);
    deck_free(&d);
    bl_mesh_destroy(&mesh);
    test_context_end(ctx);
}

/* ---- one cube: a single unknown with a closed form */

static const char cube[] = "*NODE, NSET=NALL\n1\n2, 1\n3, 1, 1\n4, 0, 1\n5, , , 1\n6, 1, , 1\n7, 1, 1, 1\n8, , 1, 1\n"
                           "*ELEMENT, TYPE=C3D8, ELSET=EALL\n1, 1, 2, 3, 4, 5, 6, 7, 8\n"
                           "*NSET, NSET=ONE\n7\n*NSET, NSET=REST\n1,2,3,4,5,6,8\n"
                           "*MATERIAL, NAME=M\n*ELASTIC\n1000., .3\n*DENSITY\n1.\n*EXPANSION, ZERO=20.\n1.D-4\n"
                           "*SOLID SECTION, ELSET=EALL, MATERIAL=M\n";

static void run_cube(bl_context *ctx, const char *rest, deck_tables *t) {
    char text[4096];
    snprintf(text, sizeof text, "%s%s", cube, rest);
    deck_run(ctx, text, t);
}

static void motion__alpha_method_is_that_of_a_single_mass(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    deck_tables t;
    run_cube(ctx,
             "*BOUNDARY\nREST,1,3\nONE,2,3\n*AMPLITUDE, NAME=A\n0., 1., 1., 3.\n"
             "*STEP\n*STATIC\n*CLOAD\n7, 1, 1.\n*NODE PRINT, NSET=ONE\nU\n*END STEP\n"
             "*STEP\n*DYNAMIC, DIRECT, ALPHA=-.2\n.02, .1\n*CLOAD, AMPLITUDE=A\n7, 1, 2.\n*NODE PRINT, NSET=ONE\nU, V\n*END STEP\n",
             &t);
    double K = 1 / deck_find(&t, "U", 1, 1)->value[0], M = 1 / 27.0, h = 0.02, alpha = -0.2, beta = 0.36, gamma = 0.7;
    double u = 1 / K, v = 0, Q = 2 - 1, a = Q / (M + beta * (1 + alpha) * h * h / 100 * K);
    for (int n = 1; n <= 5; n++) {
        double F = 2 * (1 + 2 * n * h), ahead = u + h * v + h * h * (0.5 - beta) * a;
        double a1 = ((1 + alpha) * (F - K * ahead) - alpha * Q) / (M + (1 + alpha) * beta * h * h * K);
        u = ahead + h * h * beta * a1;
        v += h * ((1 - gamma) * a + gamma * a1);
        a = a1;
        Q = F - K * u;
        near(deck_find(&t, "U", 2, n)->t, 1 + n * h, 1e-15); /* behind the static step */
        near(deck_find(&t, "U", 2, n)->value[0], u, 1e-12 * fabs(u));
        near(deck_find(&t, "V", 2, n)->value[0], v, 1e-12 * fabs(v) + 1e-13);
    }
    assert_int_equal(t.summary.steps, 2);
    assert_int_equal(t.summary.increments, 6);
    deck_tables_free(&t);
    test_context_end(ctx);
}

static void temperature__strains_by_its_difference_to_the_beginning(void **state) {
    (void)state;
    /* free: alpha dT; blocked in three directions: -E alpha dT/(1 - 2 nu) */
    bl_context *ctx = test_context(NULL);
    deck_tables t;
    run_cube(ctx,
             "*INITIAL CONDITIONS, TYPE=TEMPERATURE\nNALL, 30.\n*BOUNDARY\n1,1,3\n2,2,3\n4,3,3\n"
             "*STEP\n*STATIC\n*TEMPERATURE\nNALL, 80.\n*NODE PRINT, NSET=ONE\nU\n*EL PRINT, ELSET=EALL\nS\n*END STEP\n"
             "*STEP\n*STATIC\n*BOUNDARY, FIXED\nNALL,1,3\n*TEMPERATURE\nNALL, 180.\n*END STEP\n",
             &t);
    const double *u = deck_find(&t, "U", 1, 1)->value;
    for (int c = 0; c < 3; c++)
        near(u[c], 1e-4 * 50, 1e-14);
    near(deck_find(&t, "S", 1, 1)->value[0], 0, 1e-10);
    near(deck_find(&t, "U", 2, 1)->value[1], 1e-4 * 50, 1e-14); /* held where it was, and printed again */
    for (int c = 0; c < 3; c++)
        near(deck_find(&t, "S", 2, 1)->value[c], -1000 * 1e-4 * 100 / 0.4, 1e-9);
    deck_tables_free(&t);
    test_context_end(ctx);
}

/* E, nu and the coefficient of expansion by rows; blocked along the bar: stress -E(T) (a(T) (T - Tz) - a(T0) (T0 - Tz)), free across */
static void temperature__changes_elasticity_and_expansion(void **state) {
    (void)state;
    static const double T0 = 30, Tz = 10, T[2] = {150, 450}; /* inside of rows, and behind the last */
    bl_context *ctx = test_context(NULL);
    deck_tables t;
    bl_mesh mesh;
    test_deck d = {0};
    box(ctx, "hexa8", 2, 1, 1, 2, 1, 1, &mesh);
    deck_mesh(&d, &mesh, "C3D8");
    deck_add(&d, "*MATERIAL, NAME=M\n*ELASTIC\n1000., .2, 0.\n800., .3, 100.\n600., .3, 200.\n*EXPANSION, ZERO=10.\n1E-4, 0.\n3E-4, 200.\n"
                 "*SOLID SECTION, ELSET=EALL, MATERIAL=M\n*INITIAL CONDITIONS, TYPE=TEMPERATURE\nNALL, 30.\n"
                 "*BOUNDARY\nLEFT,1,1\nRIGHT,1,1\nBOTTOM,2,2\nBACK,3,3\n");
    for (int k = 0; k < 2; k++)
        deck_add(&d, "*STEP\n*STATIC\n*TEMPERATURE\nNALL, %g\n*NODE PRINT, NSET=TOP\nU\n*EL PRINT, ELSET=EALL\nS\n*END STEP\n", T[k]);
    deck_run(ctx, d.text, &t);
    for (int k = 0; k < 2; k++) {
        double E = k ? 600 : 700, a = k ? 3e-4 : 2.5e-4, a0 = 1.3e-4, strain = a * (T[k] - Tz) - a0 * (T0 - Tz), nu = 0.3;
        for (bl_index i = 0; i < deck_find(&t, "S", k + 1, 1)->nrow; i++) {
            near(deck_find(&t, "S", k + 1, 1)->value[6 * i], -E * strain, 1e-9);
            near(deck_find(&t, "S", k + 1, 1)->value[6 * i + 1], 0, 1e-9);
        }
        near(deck_find(&t, "U", k + 1, 1)->value[1], strain * (1 + nu), 1e-12);
    }
    deck_tables_free(&t);
    deck_free(&d);
    bl_mesh_destroy(&mesh);
    test_context_end(ctx);
}

/* k from 1 at 0 to 3 at 50, 3 beyond; 100 and 0 at the sides of a wall of thickness 4: q 4 = int k dT = 100 + 150. Linear elements meet the
 * exact temperatures of nodes as long as their kinks lie at nodes: q x = int_0^T k. */
static void heat__conductivity_follows_its_rows(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    deck_tables t;
    bl_mesh mesh;
    test_deck d = {0};
    box(ctx, "hexa8", 4, 1, 1, 5, 1, 1, &mesh); /* 50 at q x = 100: x = 1.6, the second node */
    deck_mesh(&d, &mesh, "C3D8");
    deck_add(&d,
             "*MATERIAL, NAME=M\n*CONDUCTIVITY\n1., 0.\n3., 50.\n*SOLID SECTION, ELSET=EALL, MATERIAL=M\n"
             "*STEP\n*HEAT TRANSFER, STEADY STATE\n*BOUNDARY\nLEFT,11,11,0.\nRIGHT,11,11,100.\n*NODE PRINT, NSET=NALL\nNT\n*END STEP\n");
    deck_run(ctx, d.text, &t);
    for (bl_index i = 0; i < mesh.nnode; i++) {
        double flow = 250.0 / 4 * mesh.x[i][0], T = flow <= 100 ? 25 * (sqrt(1 + flow * 2 / 25) - 1) : 50 + (flow - 100) / 3;
        near(deck_row(deck_find(&t, "NT", 1, 0), i + 1, 0)[0], T, 1e-6); /* 1e-8 of flows of 60 */
    }
    deck_tables_free(&t);
    deck_free(&d);
    bl_mesh_destroy(&mesh);
    test_context_end(ctx);
}

/* a free body under its weight with damping c M: one number, a1 = (1 + alpha) (g - c v1) - alpha (g - c v0) */
static void motion__damping_in_proportion_to_mass(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    deck_tables t;
    bl_mesh mesh;
    test_deck d = {0};
    const double g = 5, c = 3, h = 0.1, alpha = -0.1, beta = 0.3025, gamma = 0.6;
    double u = 0, v = 0, a = g;
    box(ctx, "hexa8", 1, 1, 1, 1, 1, 1, &mesh);
    deck_mesh(&d, &mesh, "C3D8");
    deck_add(&d, "*MATERIAL, NAME=M\n*ELASTIC\n1000., .2\n*DENSITY\n2.\n*DAMPING, ALPHA=3.\n*SOLID SECTION, ELSET=EALL, MATERIAL=M\n"
                 "*STEP\n*DYNAMIC, DIRECT, ALPHA=-.1\n.1, .5\n*DLOAD\nEALL, GRAV, 5., 0., 0., 1.\n*NODE PRINT, NSET=TOP\nU\n*END STEP\n");
    deck_run(ctx, d.text, &t);
    for (int n = 1; n <= 5; n++) {
        double ahead = v + h * (1 - gamma) * a;
        double a1 = (g - (1 + alpha) * c * ahead + alpha * c * v) / (1 + (1 + alpha) * c * h * gamma);
        u += h * v + h * h * ((0.5 - beta) * a + beta * a1);
        v = ahead + h * gamma * a1;
        a = a1;
        for (int i = 0; i < 4; i++)
            near(deck_find(&t, "U", 1, n)->value[3 * i + 2], u, 1e-12);
    }
    deck_tables_free(&t);
    deck_free(&d);
    bl_mesh_destroy(&mesh);
    test_context_end(ctx);
}

static void steps__loads_go_on_until_they_are_said_anew(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    deck_tables t;
    run_cube(ctx,
             "*BOUNDARY\nREST,1,3\nONE,2,3\n*AMPLITUDE, NAME=A, TIME=TOTAL TIME\n0.,0.,10.,10.\n"
             "*STEP\n*STATIC\n*CLOAD\n7,1,1.\n7,1,2.\n*NODE PRINT, NSET=ONE\nU\n*END STEP\n" /* 1 + 2 */
             "*STEP\n*STATIC\n*END STEP\n"                                                   /* still 3 */
             "*STEP\n*STATIC\n*CLOAD\n7,1,5.\n*END STEP\n"                                   /* 5 */
             "*STEP\n*STATIC\n*CLOAD, OP=NEW\n7,2,1.\n*END STEP\n"                           /* none along x */
             "*STEP\n*STATIC\n*CLOAD, AMPLITUDE=A, TIME DELAY=.5\n7,1,2.\n*END STEP\n"       /* 2 (5 - .5) */
             "*STEP\n*STATIC\n*BOUNDARY\n7,1,1,.25\n*END STEP\n"
             "*STEP\n*STATIC\n*BOUNDARY, OP=NEW\nREST,1,3\nONE,2,3\n*END STEP\n", /* the load goes on: 2 (7 - .5) */
             &t);
    double one = deck_find(&t, "U", 1, 1)->value[0] / 3;
    const double loads[] = {3, 3, 5, 0, 9, 0.25 / one, 13};
    for (int k = 0; k < 7; k++)
        near(deck_find(&t, "U", k + 1, 1)->value[0], loads[k] * one, 1e-13);
    deck_tables_free(&t);
    test_context_end(ctx);
}

/* ---- equations */

static void equations__chains_and_prescribed_ends_are_eliminated(void **state) {
    (void)state;
    /* x of the right face: 2 = 3 = 6 = 7 through a chain, pushed by one force: E A = 1000 for nu = 0 along x alone */
    bl_context *ctx = test_context(NULL);
    deck_tables t;
    char text[4096];
    snprintf(text, sizeof text, "%s%s", cube,
             "*BOUNDARY\n1,1,3\n4,1,3\n5,1,3\n8,1,3\nNALL,2,3\n"
             "*EQUATION\n2\n2,1,1.,3,1,-1.\n3\n3,1,2.,6,1,-1.,\n7,1,-1.\n2\n6,1,3.,7,1,-3.\n"
             "2\n2,1,1.,7,1,-1.\n" /* follows from the others */
             "*STEP\n*STATIC\n*CLOAD\n3,1,8.\n*NODE PRINT, NSET=NALL\nU\n*END STEP\n"
             "*STEP\n*STATIC\n*BOUNDARY\n7,1,1,.5\n*END STEP\n"
             "*STEP\n*STATIC\n*EQUATION, REMOVE\n2,1\n3,1,1\n*BOUNDARY\n2,1,1,.25\n3,1,1,.125\n*END STEP\n");
    char *poisson = strstr(text, "1000., .3");
    memcpy(poisson, "1000., .0", 9);
    deck_run(ctx, text, &t);
    for (int k = 0; k < 4; k++) {
        static const int node[] = {2, 3, 6, 7};
        near(deck_row(deck_find(&t, "U", 1, 1), node[k], 0)[0], 8.0 / 1000, 1e-14);
        near(deck_row(deck_find(&t, "U", 2, 1), node[k], 0)[0], 0.5, 1e-14);
    }
    const deck_table *u = deck_find(&t, "U", 3, 1);
    near(deck_row(u, 2, 0)[0], 0.25, 1e-14);
    near(deck_row(u, 3, 0)[0], 0.125, 1e-14);
    near(deck_row(u, 6, 0)[0], 0.5, 1e-14); /* 3 u6 - 3 u7 = 0 is left */
    deck_tables_free(&t);
    test_context_end(ctx);
}

static void equations__masses_move_with_what_they_follow(void **state) {
    (void)state;
    /* all of the right face as one: M = m/3 (consistent, linear along x), K = E A/L */
    bl_context *ctx = test_context(NULL);
    deck_tables t;
    char text[4096];
    snprintf(text, sizeof text, "%s%s", cube,
             "*BOUNDARY\n1,1,3\n4,1,3\n5,1,3\n8,1,3\nNALL,2,3\n*EQUATION\n2\n2,1,1.,7,1,-1.\n2\n3,1,1.,7,1,-1.\n2\n6,1,1.,7,1,-1.\n"
             "*STEP\n*FREQUENCY\n1\n*END STEP\n");
    memcpy(strstr(text, "1000., .3"), "1000., .0", 9);
    deck_run(ctx, text, &t);
    near(deck_find(&t, "FREQUENCY", 1, 0)->value[0], 3000, 1e-8);
    deck_tables_free(&t);
    test_context_end(ctx);
}

/* ---- heat */

static void heat__steady_wall_between_a_film_and_a_held_side(void **state) {
    (void)state;
    /* k = 5, L = 2: q = (T0 - Tf)/(L/k + 1/h), plus a source s: T = a + b x - s x^2/(2 k) */
    bl_context *ctx = test_context(NULL);
    bl_mesh mesh;
    test_deck d = {0};
    deck_tables t;
    box(ctx, "hexa20", 2, 1, 1, 3, 1, 1, &mesh);
    deck_mesh(&d, &mesh, "C3D20R");
    deck_add(&d, "*MATERIAL, NAME=M\n*CONDUCTIVITY\n5.\n*SOLID SECTION, ELSET=EALL, MATERIAL=M\n"
                 "*STEP\n*HEAT TRANSFER, STEADY STATE\n*BOUNDARY\nLEFT,11,11,100.\n*FILM\n");
    deck_faces(&d, &mesh, "right", 'F', "20., 4.");
    deck_add(&d, "*DFLUX\nEALL, BF, 10.\n*NODE PRINT, NSET=NALL\nNT\n*NODE PRINT, NSET=LEFT, TOTALS=ONLY\nRFL\n"
                 "*EL PRINT, ELSET=EALL\nHFL\n*END STEP\n");
    deck_run(ctx, d.text, &t);
    double k = 5, h = 4, s = 10, L = 2, b = -(h * (100 - s * L * L / (2 * k) - 20) - s * L) / (k + h * L);
    const deck_table *T = deck_find(&t, "NT", 1, 1);
    for (bl_index i = 0; i < mesh.nnode; i++) {
        double x = mesh.x[i][0];
        near(deck_row(T, i + 1, 0)[0], 100 + b * x - s * x * x / (2 * k), 1e-9);
    }
    /* flows in at the held side, there through the face and by the share of the source that its nodes get: a sixth of an element's */
    near(deck_find(&t, "RFL", 1, 1)->total[0], -k * b + s * L / 3 / 6, 1e-8);
    const double *q = deck_row(deck_find(&t, "HFL", 1, 1), 1, 1);
    double x1 = (1 - 1 / sqrt(3)) / 3; /* first of two points in [0, 2/3] */
    near(q[0], -k * b + s * x1, 1e-8);
    deck_tables_free(&t);
    deck_free(&d);
    bl_mesh_destroy(&mesh);
    test_context_end(ctx);
}

static void heat__a_body_cools_by_backward_euler(void **state) {
    (void)state;
    /* conducts so well that it has one temperature: c T' = -h A (T - Tf), T1 - Tf = (T0 - Tf)/(1 + dt h A/c). What conducts better still
     * has larger rounding errors: here k T = 1e8 x 90 W, rounded eight times, over c/dt + h A = 18 W/K and four steps, is 2e-6 K. */
    bl_context *ctx = test_context(NULL);
    deck_tables t;
    deck_run(ctx,
             "*NODE, NSET=NALL\n1\n2, 1\n3, 1, 1\n4, 0, 1\n*ELEMENT, TYPE=CPS4, ELSET=EALL\n1, 1, 2, 3, 4\n"
             "*MATERIAL, NAME=M\n*CONDUCTIVITY\n1.E8\n*DENSITY\n2.\n*SPECIFIC HEAT\n3.\n"
             "*SOLID SECTION, ELSET=EALL, MATERIAL=M\n.5\n*INITIAL CONDITIONS, TYPE=TEMPERATURE\nNALL, 90.\n"
             "*STEP\n*HEAT TRANSFER, DIRECT\n.25, 1.\n*FILM\n1, F2, 10., 8.\n1, F4, 10., 4.\n*NODE PRINT, NSET=NALL, FREQUENCY=2\nNT\n"
             "*END STEP\n"
             "*STEP\n*HEAT TRANSFER\n.25, 10.\n*FILM, OP=NEW\n*END STEP\n",
             &t);
    double by = 1 + 0.25 * (8 + 4) * 0.5 / (2 * 3 * 0.5);
    for (int n = 2; n <= 4; n += 2)
        for (int i = 0; i < 4; i++)
            near(deck_find(&t, "NT", 1, n)->value[i], 10 + 80 / pow(by, n), 80 * 1e-7); /* 4 x 80/1e8 of unevenness */
    const deck_table *after = deck_find(&t, "NT", 2, 0); /* nothing flows any more; 1/4, 1/4, 3/8, 9/16, ... */
    near(after->value[0], 10 + 80 / pow(by, 4), 80 * 1e-7);
    near(deck_find(&t, "NT", 2, 4)->t, 1 + 0.25 + 0.25 + 0.375 + 0.5625, 1e-14);
    deck_tables_free(&t);
    test_context_end(ctx);
}

/* Two bars in the plane x z from (0, 0, 0) and (0, 0, 10) to (5, 0, 5), pulled along x: no bar holds y, nothing moves it. Stress P/(sqrt 2
 * A), its components half of it; the strain across is -nu of that along. */
static void bars__bear_along_themselves(void **state) {
    (void)state;
    bl_context *ctx = test_context(NULL);
    deck_tables t;
    deck_run(ctx,
             "*NODE, NSET=NALL\n1, 0, 0, 0\n2, 5, 0, 5\n3, 0, 0, 10\n*ELEMENT, TYPE=T3D2, ELSET=EALL\n1, 1, 2\n2, 2, 3\n"
             "*BOUNDARY\n1, 1, 3\n3, 1, 3\n*MATERIAL, NAME=M\n*ELASTIC\n1E7, .3\n*SOLID SECTION, ELSET=EALL, MATERIAL=M\n.0625\n"
             "*STEP\n*STATIC\n*CLOAD\n2, 1, 100.\n*NODE PRINT, NSET=NALL\nU\n*EL PRINT, ELSET=EALL\nS, E, EVOL\n*END STEP\n"
             "*STEP, NLGEOM\n*STATIC\n*CLOAD\n2, 1, 1E5\n*END STEP\n",
             &t);
    double stress = 100 / (sqrt(2) * .0625), strain = stress / 1e7, L = sqrt(50);
    near(deck_row(deck_find(&t, "U", 1, 1), 2, 0)[0], strain * L * sqrt(2), 1e-16);
    near(deck_row(deck_find(&t, "U", 1, 1), 2, 0)[1], 0, 0);
    for (int e = 1; e <= 2; e++) {
        const double *s = deck_row(deck_find(&t, "S", 1, 1), e, 1), *E = deck_row(deck_find(&t, "E", 1, 1), e, 1);
        const double want[6] = {0.5, 0, 0.5, 0, e == 1 ? 0.5 : -0.5, 0}; /* xx yy zz xy xz yz */
        for (int k = 0; k < 6; k++) {
            near(s[k], stress * want[k], 1e-11);
            near(E[k], strain * (1.3 * want[k] - (k < 3 ? .3 : 0)), 1e-18);
        }
        near(deck_row(deck_find(&t, "EVOL", 1, 1), e, 0)[0], L * .0625, 1e-15);
    }
    /* Green's strain of x = 5 + u: E = ((5 + u)^2 - 25)/(2 L^2), P = 2 E A E (5 + u)/L */
    double x = 5 + deck_row(deck_find(&t, "U", 2, 0), 2, 0)[0], green = (x * x - 25) / (2 * L * L);
    near(2 * 1e7 * .0625 * green * x / L, 1e5, 1e-2); /* forces to 1e-8 of some 1e5 */
    deck_tables_free(&t);
    test_context_end(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patch__linear_field_is_reproduced_by_every_type),
        cmocka_unit_test(bar__gravity_and_rotation_stretch_it_by_closed_forms),
        cmocka_unit_test(bar__pressure_in_a_large_deformation_is_on_the_deformed_face),
        cmocka_unit_test(bar__frequencies_are_those_of_waves),
        cmocka_unit_test(bars__bear_along_themselves),
        cmocka_unit_test(cantilever__bends_as_a_beam),
        cmocka_unit_test(motion__alpha_method_is_that_of_a_single_mass),
        cmocka_unit_test(temperature__strains_by_its_difference_to_the_beginning),
        cmocka_unit_test(temperature__changes_elasticity_and_expansion),
        cmocka_unit_test(heat__conductivity_follows_its_rows),
        cmocka_unit_test(motion__damping_in_proportion_to_mass),
        cmocka_unit_test(steps__loads_go_on_until_they_are_said_anew),
        cmocka_unit_test(equations__chains_and_prescribed_ends_are_eliminated),
        cmocka_unit_test(equations__masses_move_with_what_they_follow),
        cmocka_unit_test(heat__steady_wall_between_a_film_and_a_held_side),
        cmocka_unit_test(heat__a_body_cools_by_backward_euler),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
