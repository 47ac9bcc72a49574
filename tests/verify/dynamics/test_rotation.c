/* Bodies that rotate past every orientation where some set of angles fails, in every kind of orientation: free symmetric bodies compared
 * with the closed form R(t) = Exp(t L/A) R0 Exp(t (1 - C/A) w3 e3), a free body with three different moments of inertia with Jacobi's
 * elliptic functions, and the heavy top with published digits. */
#include "support/testing.h"

#include "biela/biela.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const kinds[] = {"natural",
                                    "relative",
                                    "reference",
                                    "reference:matrix",
                                    "reference:view=tangent",
                                    "reference:matrix,view=tangent",
                                    "reference:angles",
                                    "reference:angles,sequence=xzy",
                                    "reference:angles,sequence=yxz",
                                    "reference:angles,sequence=yzx",
                                    "reference:angles,sequence=zxy",
                                    "reference:angles,sequence=zyx",
                                    "reference:angles,sequence=xyx",
                                    "reference:angles,sequence=xzx",
                                    "reference:angles,sequence=yxy",
                                    "reference:angles,sequence=yzy",
                                    "reference:angles,sequence=zxz",
                                    "reference:angles,sequence=zyz"};
enum { NKIND = sizeof kinds / sizeof *kinds, RELATIVE = 1, ANGLES = 6, FEW = 7 };

/* ---- quaternions, w first */

static void product(const double *a, const double *b, double *out) {
    double r[4] = {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                   a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
    memcpy(out, r, sizeof r);
}

static void turned(const double *q, const double *s, double *out) {
    double back[4] = {q[0], -q[1], -q[2], -q[3]}, v[4] = {0, s[0], s[1], s[2]};
    product(q, v, v);
    product(v, back, v);
    memcpy(out, v + 1, 3 * sizeof *out);
}

static void turn_by(const double *w, double t, double *q) {
    double size = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]), s = size > 0 ? sin(size * t / 2) / size : 0;
    q[0] = cos(size * t / 2);
    for (int c = 0; c < 3; c++)
        q[1 + c] = s * w[c];
}

/* ---- a free body with moments I about its axes, spinning with w (body axes, which are the global ones at t = 0) */

typedef struct freely {
    const char *kind;
    double I[3], w[3];
    void (*exact)(struct freely *f, double t, double *q, double *w); /* orientation, spin in body axes */
    double last[4], jump, norm, error, spin_error, momentum, energy;
    double t, q[4]; /* of an exact solution computed in parallel */
    long restarts;
} freely;

static void symmetric(freely *f, double t, double *q, double *w) {
    double A = f->I[0], C = f->I[2], W = f->w[2] * (1 - C / A), own[3] = {0, 0, W};
    double along[3] = {f->w[0], f->w[1], C / A * f->w[2]}, precess[4], spin[4];
    turn_by(along, t, precess);
    turn_by(own, t, spin);
    product(precess, spin, q);
    double c = cos(W * t), s = sin(W * t); /* the spin rotates about the body's axis, opposite to it */
    w[0] = c * f->w[0] + s * f->w[1];
    w[1] = c * f->w[1] - s * f->w[0];
    w[2] = f->w[2];
}

/* sn, cn, dn by the arithmetic-geometric mean (Abramowitz and Stegun 16.4) */
static void jacobi(double u, double m, double *sn, double *cn, double *dn) {
    double a[16] = {1}, c[16] = {sqrt(m)}, b = sqrt(1 - m);
    int n = 0;
    while (fabs(c[n]) > 1e-16 && n < 14) {
        a[n + 1] = (a[n] + b) / 2;
        c[n + 1] = (a[n] - b) / 2;
        b = sqrt(a[n] * b);
        n++;
    }
    double phi = ldexp(a[n] * u, n);
    for (; n > 0; n--)
        phi = (phi + asin(c[n] / a[n] * sin(phi))) / 2;
    *sn = sin(phi);
    *cn = cos(phi);
    *dn = sqrt(1 - m * *sn * *sn);
}

/* I1 < I2 < I3, w2 = 0 at the start, M^2 > 2 E I2 (Landau and Lifshitz, Mechanics, 37) */
static void tumbling_spin(const freely *f, double t, double *w) {
    const double *I = f->I;
    double E2 = I[0] * f->w[0] * f->w[0] + I[2] * f->w[2] * f->w[2];
    double M2 = I[0] * I[0] * f->w[0] * f->w[0] + I[2] * I[2] * f->w[2] * f->w[2], sn, cn, dn;
    double tau = t * sqrt((I[2] - I[1]) * (M2 - E2 * I[0]) / (I[0] * I[1] * I[2]));
    double m = (I[1] - I[0]) * (E2 * I[2] - M2) / ((I[2] - I[1]) * (M2 - E2 * I[0]));
    jacobi(tau, m, &sn, &cn, &dn);
    w[0] = sqrt((E2 * I[2] - M2) / (I[0] * (I[2] - I[0]))) * cn;
    w[1] = sqrt((E2 * I[2] - M2) / (I[1] * (I[2] - I[1]))) * sn;
    w[2] = sqrt((M2 - E2 * I[0]) / (I[2] * (I[2] - I[0]))) * dn;
}

/* the orientation follows from the spin, known in closed form, by rotations of fourth order (Magnus) in steps of 1e-3: error 1e-13 */
static void tumbling(freely *f, double t, double *q, double *w) {
    int n = (int)ceil((t - f->t) / 1e-3);
    double h = n ? (t - f->t) / n : 0;
    for (int i = 0; i < n; i++) {
        double a[3], b[3], omega[3], step[4], at = f->t + i * h;
        tumbling_spin(f, at + h * (0.5 - sqrt(3) / 6), a);
        tumbling_spin(f, at + h * (0.5 + sqrt(3) / 6), b);
        for (int c = 0; c < 3; c++) { /* in body axes the later rotation is on the right: + a x b */
            int x = (c + 1) % 3, y = (c + 2) % 3;
            omega[c] = (a[c] + b[c]) / 2 + sqrt(3) / 12 * h * (a[x] * b[y] - a[y] * b[x]);
        }
        turn_by(omega, h, step);
        product(f->q, step, f->q);
    }
    f->t = t;
    memcpy(q, f->q, 4 * sizeof *q);
    tumbling_spin(f, t, w);
}

static bl_status look(void *user, const bl_sample *sample) {
    freely *f = user;
    const double *q = sample->body[0].quaternion;
    double exact[4], w[3], spin[3], L[3], now[3], L0[3] = {f->I[0] * f->w[0], f->I[1] * f->w[1], f->I[2] * f->w[2]};
    f->exact(f, sample->t, exact, w);
    turned(exact, w, spin);
    double back[4] = {q[0], -q[1], -q[2], -q[3]}, size = 0, jump = 0;
    turned(back, sample->body[0].angular_velocity, now);
    for (int c = 0; c < 3; c++)
        now[c] *= f->I[c];
    turned(q, now, L);
    for (int c = 0; c < 4; c++) {
        f->error = fmax(f->error, fabs(q[c] - exact[c]));
        size += q[c] * q[c];
        jump += (q[c] - f->last[c]) * (q[c] - f->last[c]);
        f->last[c] = q[c];
    }
    for (int c = 0; c < 3; c++) {
        f->spin_error = fmax(f->spin_error, fabs(sample->body[0].angular_velocity[c] - spin[c]));
        f->momentum = fmax(f->momentum, fabs(L[c] - L0[c]));
    }
    f->jump = fmax(f->jump, sqrt(jump));
    f->norm = fmax(f->norm, fabs(size - 1));
    f->energy = fmax(f->energy, fabs(sample->energy_error));
    return BL_OK;
}

static void spin_freely(freely *f, double until, double every) {
    char text[512];
    bl_context *ctx = test_context(NULL);
    bl_model *model;
    bl_run_summary summary = {0};
    bl_sink sink = {.user = f, .sample = look};
    snprintf(text, sizeof text,
             "model: free\nbodies:\n  - {name: b, mass: 2, center: [1, 2, 3], inertia: [%.17g, %.17g, %.17g]}\n"
             "initial:\n  b: {angular_velocity: [%.17g, %.17g, %.17g], velocity: [0.1, 0, 0]}\n",
             f->I[0], f->I[1], f->I[2], f->w[0], f->w[1], f->w[2]);
    f->last[0] = f->q[0] = 1;
    assert_int_equal(bl_model_read_text(ctx, "free", text, strlen(text), NULL, 0, &model), BL_OK);
    bl_run_options options = {.coordinates = f->kind, .until = until, .every = every, .tolerance = 1e-10};
    bl_status status = bl_simulate(ctx, model, &options, &sink, 1, &summary);
    if (status != BL_OK)
        fail_msg("%s: %s", f->kind, bl_context_error(ctx)->what);
    f->restarts = summary.restarts;
    bl_model_destroy(model);
    test_context_end(ctx);
}

/* A tolerance of 1e-10 in about a thousand steps: errors may accumulate, but not more. Between outputs 0.05 s apart a quaternion changes by
 * |w| dt / 2. */
static void expect_exact(const freely *f, double size) {
    const double allowed = 2e-7;
    if (f->error > allowed || f->spin_error > size * allowed || f->momentum > 3 * size * allowed || f->energy > size * size * 3 * allowed ||
        f->norm > 1e-12 || f->jump > 0.03 * size)
        fail_msg("%s: orientation %.2g, spin %.2g, momentum %.2g, energy %.2g, norm %.2g, jump %.2g", f->kind, f->error, f->spin_error,
                 f->momentum, f->energy, f->norm, f->jump);
}

/* two revolutions about each axis, in both directions, with a small amount about the others: each passes +-90 degrees of any angle in the
 * middle, and 0 and 180 */
static void free_body__turns_past_the_limits_of_all_angles(void **state) {
    (void)state;
    for (int k = 0; k < NKIND; k++) {
        long restarts = 0;
        for (int about = 0; about < 6; about++) {
            freely f = {.kind = kinds[k], .I = {2, 2, 3}, .w = {0.1, 0.05, -0.08}, .exact = symmetric};
            f.w[about % 3] = about < 3 ? 2 : -2;
            spin_freely(&f, 6.4, 0.05);
            expect_exact(&f, 2);
            restarts += f.restarts;
        }
        assert_int_equal(restarts > 0, k == RELATIVE || k >= ANGLES); /* these reached their limits, and continued */
    }
}

/* near the separatrix the body turns over repeatedly (the intermediate axis): 3 w3^2 > w1^2 by little */
static void free_body__tumbles_as_jacobi_says(void **state) {
    (void)state;
    for (int k = 0; k < NKIND; k++) {
        freely f = {.kind = kinds[k], .I = {1, 2, 3}, .w = {1.7, 0, 1}, .exact = tumbling};
        spin_freely(&f, 20, 0.05);
        expect_exact(&f, 2);
    }
}

/* ---- the heavy top: its source is in scenes/heavy_top.yaml */

typedef struct top {
    double q[4], center[3];
} top;

static bl_status look_at_top(void *user, const bl_sample *sample) {
    top *seen = user;
    if (fabs(sample->t - 0.2) < 1e-9)
        memcpy(seen->q, sample->body[0].quaternion, sizeof seen->q);
    memcpy(seen->center, sample->body[0].position, sizeof seen->center);
    return BL_OK;
}

static void heavy_top__reaches_the_published_place(void **state) {
    (void)state;
    static const double at_02[4] = {-0.7082791530, 0.4387810881, 0.5457283961, 0.0893997528},
                        at_1[3] = {0.173343964, 0.640088592, -0.748490791};
    for (int k = 0; k < FEW; k++) {
        bl_context *ctx = test_context(NULL);
        bl_model *model;
        top seen = {.center = {0}};
        bl_sink sink = {.user = &seen, .sample = look_at_top};
        assert_int_equal(bl_model_read(ctx, SCENES "/heavy_top.yaml", NULL, 0, &model), BL_OK);
        bl_run_options options = {.coordinates = kinds[k], .until = 1, .every = 0.2, .tolerance = 1e-9};
        assert_int_equal(bl_simulate(ctx, model, &options, &sink, 1, NULL), BL_OK);
        double sign = seen.q[0] < 0 ? 1 : -1;
        for (int c = 0; c < 4; c++)
            if (fabs(sign * seen.q[c] - at_02[c]) > 1e-6)
                fail_msg("%s: quaternion %d is %.10f", kinds[k], c, seen.q[c]);
        for (int c = 0; c < 3; c++)
            if (fabs(seen.center[c] - at_1[c]) > 1e-6)
                fail_msg("%s: center %d is %.10f", kinds[k], c, seen.center[c]);
        bl_model_destroy(model);
        test_context_end(ctx);
    }
}

/* a body that starts where angles fail, rotated by 90 degrees about each axis */
static void start__may_be_where_angles_fail(void **state) {
    (void)state;
    for (int k = 0; k < NKIND; k++)
        for (int about = 0; about < 3; about++) {
            char text[512];
            bl_context *ctx = test_context(NULL);
            bl_model *model;
            top seen = {.center = {0}};
            bl_sink sink = {.user = &seen, .sample = look_at_top};
            snprintf(text, sizeof text,
                     "model: quarter\nbodies:\n  - {name: b, mass: 1, center: [0, 0, 0], inertia: [1, 1, 1]}\n"
                     "initial:\n  b: {orientation: [%s], angular_velocity: [1, 2, 3]}\n",
                     about == 0   ? "=pi/2, 0, 0"
                     : about == 1 ? "0, =pi/2, 0"
                                  : "0, 0, =pi/2");
            assert_int_equal(bl_model_read_text(ctx, "quarter", text, strlen(text), NULL, 0, &model), BL_OK);
            bl_run_options options = {.coordinates = kinds[k], .until = 0.2, .every = 0.2, .tolerance = 1e-10};
            bl_status status = bl_simulate(ctx, model, &options, &sink, 1, NULL);
            if (status != BL_OK)
                fail_msg("%s: %s", kinds[k], bl_context_error(ctx)->what);
            /* a sphere keeps its spin: Exp(w t) R0 */
            double w[3] = {1, 2, 3}, turn[4], start[4] = {sqrt(0.5)}, exact[4];
            start[1 + about] = sqrt(0.5);
            turn_by(w, 0.2, turn);
            product(turn, start, exact);
            for (int c = 0; c < 4; c++)
                if (fabs(seen.q[c] - exact[c]) > 1e-8)
                    fail_msg("%s about %d: quaternion %d is %.10f, not %.10f", kinds[k], about, c, seen.q[c], exact[c]);
            bl_model_destroy(model);
            test_context_end(ctx);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_body__turns_past_the_limits_of_all_angles),
        cmocka_unit_test(free_body__tumbles_as_jacobi_says),
        cmocka_unit_test(heavy_top__reaches_the_published_place),
        cmocka_unit_test(start__may_be_where_angles_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
