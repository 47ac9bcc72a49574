/* Bricard's mechanism of stiff elastic rods tends to that of rigid ones: motion and reactions differ in proportion to the compliance. One
 * constraint of the rigid mechanism is redundant, so its reactions are known up to one state of self-stress; they are distributed by a
 * convention. Those of the elastic mechanism are unique. */
#include "base/vector3.h"
#include "biela/biela.h"
#include "support/every_way.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { JOINTS = 6, SAMPLES = 8, NUMBERS = 6 * JOINTS };

static const double P[JOINTS][3] = {{0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
static const double AXIS[JOINTS][3] = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}};

/* Rods of mass 1 and length 1 with rhoI = 1e-4, whose rotary inertia the rigid ones have too (without it P3 after 1 s differs by 1.3e-4).
 * stiffness 0: rigid; 1: EI = 30 N m^2, a tenth of that of steel of 12 mm square, whose mass this is.
 * The damping brakes the vibrations that begin with the motion. */
static void write_model(double stiffness, char *text, size_t size) {
    size_t n = (size_t)snprintf(text, size, "gravity: [0, -9.81, 0]\nbodies:\n");
    for (int i = 0; i < 5; i++) {
        const double *a = P[i], *b = P[i + 1];
        if (stiffness > 0)
            n += (size_t)snprintf(
                text + n, size - n,
                "  - {name: rod%d, beam: {from: [%g, %g, %g], to: [%g, %g, %g], elements: 1}, damping: {stiffness: 0.01},\n"
                "     stiffness: {EA: %g, GA: %g, EI: %g, GJ: %g}, mass_per_length: {rhoA: 1, rhoI: 1e-4}}\n",
                i + 1, a[0], a[1], a[2], b[0], b[1], b[2], 3e5 * stiffness, 1.2e5 * stiffness, 30 * stiffness, 24 * stiffness);
        else
            n += (size_t)snprintf(text + n, size - n, "  - {name: rod%d, mass: 1, center: [%g, %g, %g], inertia: [%s, %s, %s]}\n", i + 1,
                                  (a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2, a[0] != b[0] ? "2e-4" : "=1/12 + 1e-4",
                                  a[1] != b[1] ? "2e-4" : "=1/12 + 1e-4", a[2] != b[2] ? "2e-4" : "=1/12 + 1e-4");
    }
    n += (size_t)snprintf(text + n, size - n, "joints:\n");
    for (int j = 0; j < JOINTS; j++) {
        char first[16] = "ground", second[16] = "ground";
        if (j > 0)
            snprintf(first, sizeof first, "rod%d", j);
        if (j < 5)
            snprintf(second, sizeof second, "rod%d", j + 1);
        n += (size_t)snprintf(text + n, size - n,
                              "  - {name: j%d, type: revolute, bodies: [%s, %s], at: [%g, %g, %g], axis: [%g, %g, %g]}\n", j + 1, first,
                              second, P[j][0], P[j][1], P[j][2], AXIS[j][0], AXIS[j][1], AXIS[j][2]);
    }
    n += (size_t)snprintf(text + n, size - n, "probes: {P3: {body: rod2, at: [1, -1, 0]}}\n");
    assert_true(n < size);
}

typedef struct motion {
    int count;
    double reaction[SAMPLES][NUMBERS], angle[SAMPLES][JOINTS], P3[SAMPLES][3], self[SAMPLES][NUMBERS];
} motion;

/* ---- the state of self-stress: every joint transmits the same wrench, f and the moment m about the origin, whose moment about each of the
 * six axes vanishes: axis . (m - p x f) = 0 */

/* x[6] with A x = 0 for A of rank 5, by elimination with complete pivoting */
static void null_vector(double A[6][6], double *x) {
    int column[6] = {0, 1, 2, 3, 4, 5};
    for (int k = 0; k < 5; k++) {
        int row = k, col = k;
        for (int i = k; i < 6; i++)
            for (int j = k; j < 6; j++)
                if (fabs(A[i][j]) > fabs(A[row][col]))
                    row = i, col = j;
        for (int j = 0; j < 6; j++) {
            double keep = A[k][j];
            A[k][j] = A[row][j], A[row][j] = keep;
        }
        for (int i = 0; i < 6; i++) {
            double keep = A[i][k];
            A[i][k] = A[i][col], A[i][col] = keep;
        }
        int name = column[k];
        column[k] = column[col], column[col] = name;
        for (int i = 0; i < 6; i++)
            for (int j = 5; i != k && j >= k; j--)
                A[i][j] -= A[i][k] / A[k][k] * A[k][j];
    }
    assert_true(fabs(A[5][5]) < 1e-9);
    x[column[5]] = 1;
    for (int k = 0; k < 5; k++)
        x[column[k]] = -A[k][5] / A[k][k];
}

static void find_self_stress(const bl_pose *body, double *self) {
    double p[JOINTS][3], axis[JOINTS][3], A[6][6], x[6], arm[3];
    for (int j = 0; j < JOINTS; j++) {
        memcpy(p[j], P[j], sizeof p[j]);
        memcpy(axis[j], AXIS[j], sizeof axis[j]);
        if (j > 0) { /* at the end of rod j */
            for (int k = 0; k < 3; k++)
                arm[k] = (P[j][k] - P[j - 1][k]) / 2;
            turn3(body[j - 1].quaternion, arm, p[j]);
            for (int k = 0; k < 3; k++)
                p[j][k] += body[j - 1].position[k];
            turn3(body[j - 1].quaternion, AXIS[j], axis[j]);
        }
        cross3(p[j], axis[j], A[j]); /* - axis . (p x f) = (p x axis) . f */
        memcpy(A[j] + 3, axis[j], 3 * sizeof(double));
    }
    null_vector(A, x);
    for (int j = 0; j < JOINTS; j++) {
        cross3(p[j], x, arm);
        for (int k = 0; k < 3; k++) {
            self[6 * j + k] = x[k];
            self[6 * j + 3 + k] = x[3 + k] - arm[k];
        }
    }
}

static void take(const bl_sample *s, const test_ending *run, void *user) {
    motion *m = user;
    (void)run;
    int k = (int)lround(10 * s->t) - 3; /* from 0.3 s on: the vibrations of the beginning are gone */
    if (k < 0 || fabs(s->t - 0.1 * (k + 3)) > 1e-9)
        return;
    assert_true(k == m->count && k < SAMPLES);
    for (int j = 0; j < JOINTS; j++) {
        memcpy(m->reaction[k] + 6 * j, s->reaction[j].force, 3 * sizeof(double));
        memcpy(m->reaction[k] + 6 * j + 3, s->reaction[j].moment, 3 * sizeof(double));
        m->angle[k][j] = s->variable[j];
    }
    memcpy(m->P3[k], s->probe, 3 * sizeof(double));
    if (run->nbody == 5)
        find_self_stress(s->body, m->self[k]); /* of rigid rods */
    m->count++;
}

static void move(double stiffness, motion *m) {
    static const bl_run_options rigid = {.until = 1, .every = 0.1, .tolerance = 1e-10};
    static const bl_run_options elastic = {.until = 1, .every = 0.1, .step = 5e-4, .formulation = "ggl", .integrator = "bdf_alpha"};
    char text[4000];
    test_ending end;
    *m = (motion){0};
    write_model(stiffness, text, sizeof text);
    test_one_way(text, stiffness > 0 ? &elastic : &rigid, take, &end, m);
    assert_int_equal(m->count, SAMPLES);
}

static double dot(const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < NUMBERS; i++)
        sum += a[i] * b[i];
    return sum;
}

/* With 1e4 times the stiffness moments M of up to 29 N m bend rods by slopes of M L/(2 EI) = 5e-5, which angles of hinges contain; with 1e5
 * times everything differs by a tenth of that. */
static void bricard__of_stiff_rods_moves_as_of_rigid_ones(void **unused) {
    (void)unused;
    motion rigid, stiff[2];
    double part[2][SAMPLES], largest = 0;
    move(0, &rigid);
    for (int s = 0; s < 2; s++) {
        const double within = s == 0 ? 1e-4 : 1e-5;
        double most = 0;
        move(s == 0 ? 1e4 : 1e5, &stiff[s]);
        for (int k = 0; k < SAMPLES; k++) {
            double off = 0, difference[NUMBERS];
            for (int i = 0; i < 3; i++)
                off = fmax(off, fabs(stiff[s].P3[k][i] - rigid.P3[k][i]));
            for (int j = 0; j < JOINTS; j++)
                off = fmax(off, fabs(stiff[s].angle[k][j] - rigid.angle[k][j]));
            if (!(off <= within))
                fail_msg("stiffness %d: P3 or an angle differs by %.3g at sample %d", s, off, k);
            for (int i = 0; i < NUMBERS; i++) {
                difference[i] = stiff[s].reaction[k][i] - rigid.reaction[k][i];
                largest = fmax(largest, fabs(rigid.reaction[k][i]));
            }
            part[s][k] = dot(difference, rigid.self[k]) / dot(rigid.self[k], rigid.self[k]);
            for (int i = 0; i < NUMBERS; i++)
                most = fmax(most, fabs(difference[i] - part[s][k] * rigid.self[k][i]));
        }
        if (!(most <= within * largest))
            fail_msg("stiffness %d: reactions differ by %.3g N, of %.3g N, besides the self-stress", s, most, largest);
    }
    double between = 0, shared = 0;
    for (int k = 0; k < SAMPLES; k++)
        for (int i = 0; i < NUMBERS; i++) {
            between = fmax(between, fabs((part[0][k] - part[1][k]) * rigid.self[k][i]));
            shared = fmax(shared, fabs(part[1][k] * rigid.self[k][i]));
        }
    assert_true(between <= 1e-4 * largest); /* unique */
    assert_true(shared > 1e-3 * largest);   /* and not those of the convention */
}

static void look(double stiffness, bl_index *overconstraint, bl_index *of_mechanism) {
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    bl_check_report report = {.size = sizeof report};
    char text[4000];
    write_model(stiffness, text, sizeof text);
    assert_int_equal(bl_model_read_text(ctx, "text", text, strlen(text), NULL, 0, &model), BL_OK);
    assert_int_equal(bl_check(ctx, model, NULL, &report), BL_OK);
    *overconstraint = report.overconstraint;
    *of_mechanism = report.mobility_rank - report.mobility_elastic;
    assert_int_equal(report.nfinding > 0, stiffness == 0); /* the redundant joint is named */
    bl_check_report_destroy(ctx, &report);
    bl_model_destroy(model);
    test_context_end(ctx);
}

static void bricard__of_elastic_rods_has_no_redundant_joint(void **unused) {
    (void)unused;
    bl_index over, mobility;
    look(0, &over, &mobility);
    assert_int_equal(over, 1);
    assert_int_equal(mobility, 1);
    look(1e4, &over, &mobility);
    assert_int_equal(over, 0);
    assert_int_equal(mobility, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bricard__of_stiff_rods_moves_as_of_rigid_ones),
        cmocka_unit_test(bricard__of_elastic_rods_has_no_redundant_joint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
