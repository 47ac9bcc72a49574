/* Every kind of controller, continuous and sampled, with random gains on a mass with spring and damper: the loop is linear, and its motion
 * is a matrix exponential, or a recursion between samples. The formulas stand here again, independent of the recorded ones. */
#include "controller/controller.h"
#include "support/signals.h"
#include "support/testing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 8 }; /* states: x, v, then the controller's, then 1 */

typedef struct loop {
    int n; /* without the 1 */
    double A[MOST][MOST], y[MOST];
} loop;

/* y = exp(A t) y: Taylor series with scaling; the last entry of y is 1 */
static void flow(loop *l, double t) {
    int n = l->n + 1, parts = 1;
    double size = 0;
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < n; j++)
            sum += fabs(l->A[i][j]);
        size = fmax(size, sum);
    }
    while (size * t / parts > 0.5)
        parts *= 2;
    for (int p = 0; p < parts; p++) {
        double term[MOST], sum[MOST];
        memcpy(term, l->y, sizeof term);
        memcpy(sum, l->y, sizeof sum);
        for (int k = 1; k < 25; k++) {
            double next[MOST] = {0};
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++)
                    next[i] += l->A[i][j] * term[j] * t / (parts * k);
            memcpy(term, next, sizeof term);
            for (int i = 0; i < n; i++)
                sum[i] += term[i];
        }
        memcpy(l->y, sum, sizeof sum);
    }
}

typedef struct gains {
    double k, c, x0, v0, kp, ki, kd, target, T, w, d, g[2], period, delay;
} gains;

static test_random generator;
static double between(double low, double high) { return low + (high - low) * test_random_unit(&generator); }

static gains draw(void) {
    return (gains){.k = between(5, 20),
                   .c = between(0.5, 2),
                   .x0 = between(-1, 1),
                   .v0 = between(-1, 1),
                   .kp = between(1, 20),
                   .ki = between(1, 10),
                   .kd = between(0.5, 3),
                   .target = between(-2, 2),
                   .T = between(0.05, 0.5),
                   .w = between(3, 15),
                   .d = between(0.3, 1.2),
                   .g = {between(-5, 5), between(-2, 2)},
                   .period = between(0.02, 0.1)};
}

/* the controller's line of the model */
static void describe(const char *kind, const gains *g, bool sampled, char *text, size_t n) {
    char every[96] = "";
    if (sampled)
        snprintf(every, sizeof every, ", every: %.17g, delay: %.17g", g->period, g->delay);
    if (strcmp(kind, "expression") == 0)
        snprintf(text, n, "{name: u, output: '=%.17g*m - j.distance', states: {m: 0.5}, %s: {m: '=%s'}%s}", g->kp,
                 sampled ? "update" : "rate", sampled ? "0.5*m + j.rate" : "j.distance - 2*m", every);
    else if (strcmp(kind, "pd") == 0)
        snprintf(text, n, "{name: u, type: pd, of: j.distance, target: %.17g, kp: %.17g, kd: %.17g%s}", g->target, g->kp, g->kd, every);
    else if (strcmp(kind, "pid") == 0)
        snprintf(text, n, "{name: u, type: pid, of: j.distance, target: %.17g, kp: %.17g, ki: %.17g, kd: %.17g%s}", g->target, g->kp, g->ki,
                 g->kd, every);
    else if (strcmp(kind, "low_pass") == 0)
        snprintf(text, n, "{name: u, type: low_pass, of: '=-%.17g*j.rate', time: %.17g%s}", g->kd, g->T, every);
    else if (strcmp(kind, "filter") == 0)
        snprintf(text, n, "{name: u, type: filter, of: '=-%.17g*j.distance', frequency: %.17g, damping: %.17g}", g->kp, g->w, g->d);
    else if (strcmp(kind, "feedback") == 0)
        snprintf(text, n, "{name: u, type: feedback, gains: {j.distance: %.17g, j.rate: %.17g}, reference: %.17g%s}", g->g[0], g->g[1],
                 g->target, every);
    else
        fail_msg("no formula for the kind %s: add it here", kind);
}

static void plant(const gains *g, loop *l) {
    *l = (loop){.n = 2, .y = {g->x0, g->v0}};
    l->A[0][1] = 1;
    l->A[1][0] = -g->k;
    l->A[1][1] = -g->c;
}

/* closed loop of a continuous controller: u enters row 1; `one`: the column of the constant */
static void close_loop(const char *kind, const gains *g, loop *l) {
    plant(g, l);
    int m = 2, one;
    l->n += strcmp(kind, "pid") == 0 || strcmp(kind, "low_pass") == 0 || strcmp(kind, "expression") == 0 ? 1
            : strcmp(kind, "filter") == 0                                                                ? 2
                                                                                                         : 0;
    one = l->n;
    l->y[one] = 1;
    if (strcmp(kind, "expression") == 0) {
        l->y[m] = 0.5;
        l->A[1][m] = g->kp;
        l->A[1][0] -= 1;
        l->A[m][0] = 1;
        l->A[m][m] = -2;
    } else if (strcmp(kind, "pd") == 0 || strcmp(kind, "pid") == 0) {
        l->A[1][0] -= g->kp;
        l->A[1][1] -= g->kd;
        l->A[1][one] += g->kp * g->target;
        if (kind[1] == 'i') {
            l->A[1][m] = g->ki;
            l->A[m][0] = -1;
            l->A[m][one] = g->target;
        }
    } else if (strcmp(kind, "low_pass") == 0) {
        l->y[m] = -g->kd * g->v0;
        l->A[1][m] = 1;
        l->A[m][1] = -g->kd / g->T;
        l->A[m][m] = -1 / g->T;
    } else if (strcmp(kind, "filter") == 0) {
        l->y[m] = -g->kp * g->x0;
        l->A[1][m] = 1;
        l->A[m][m + 1] = 1;
        l->A[m + 1][m] = -g->w * g->w;
        l->A[m + 1][m + 1] = -2 * g->d * g->w;
        l->A[m + 1][0] = -g->w * g->w * g->kp;
    } else {
        l->A[1][0] -= g->g[0];
        l->A[1][1] -= g->g[1];
        l->A[1][one] += g->target;
    }
}

/* one sample: the output from the values before, and new states s[] */
static double sample(const char *kind, const gains *g, double x, double v, double *s) {
    double e = g->target - x, u;
    if (strcmp(kind, "expression") == 0) {
        u = g->kp * s[0] - x;
        s[0] = 0.5 * s[0] + v;
    } else if (strcmp(kind, "pd") == 0 || strcmp(kind, "pid") == 0) {
        bool i = kind[1] == 'i';
        double rate = s[2] != 0 ? (x - s[1]) / g->period : 0, integral = s[0] + g->period * e;
        u = g->kp * e + (i ? g->ki * integral : 0) - g->kd * rate;
        s[0] = integral;
        s[1] = x;
        s[2] = 1;
    } else if (strcmp(kind, "low_pass") == 0) {
        u = s[0] += (1 - exp(-g->period / g->T)) * (-g->kd * v - s[0]);
    } else {
        u = g->target - g->g[0] * x - g->g[1] * v;
    }
    return u;
}

/* the motion up to t under samples at k T, whose outputs take effect `delay` later */
static void run_samples(const char *kind, const gains *g, double t, loop *l) {
    double s[3] = {0}, pending[200], u = 0, now = 0;
    int taken = 0, used = 0;
    if (strcmp(kind, "expression") == 0)
        s[0] = 0.5;
    if (strcmp(kind, "low_pass") == 0)
        s[0] = -g->kd * g->v0;
    plant(g, l);
    l->y[2] = 1;
    for (;;) {
        double next_sample = taken * g->period, next_use = used < taken ? used * g->period + g->delay : INFINITY;
        double next = fmin(fmin(next_sample, next_use), t);
        l->A[1][2] = u;
        flow(l, next - now);
        now = next;
        if (now >= t)
            return;
        double x = l->y[0], v = l->y[1];
        if (next_use <= now)
            u = pending[used++];
        if (next_sample <= now) {
            pending[taken++] = sample(kind, g, x, v, s);
            if (g->delay == 0)
                u = pending[used++];
        }
    }
}

static const char *const coordinates[] = {"natural", "mixed", "reference", "relative"};

static void controllers__move_a_linear_loop_like_its_exponential(void **unused) {
    (void)unused;
    for (size_t i = 0; i < bl_controller_kind_count; i++)
        for (int sampled = 0; sampled < 2; sampled++)
            for (int trial = 0; trial < 6; trial++) {
                const bl_kind *kind = &bl_controller_kinds[i]->kind;
                gains g = draw();
                char text[1200], line[600];
                loop l;
                if (!(kind->gives & (sampled ? BL_SAMPLED : BL_CONTINUOUS)))
                    continue;
                g.delay = sampled && trial % 3 ? g.period * between(0.1, 2.7) : 0; /* up to two more samples under way */
                describe(kind->name, &g, sampled, line, sizeof line);
                snprintf(text, sizeof text,
                         "dimension: 2\nbodies: [{name: c, mass: 1, center: [0, 0], inertia: 1}]\n"
                         "joints: [{name: j, type: prismatic, bodies: [ground, c], at: [0, 0], axis: [1, 0]}]\n"
                         "controllers: [%s]\n"
                         "forces: [{type: force, body: c, at: [0, 0], force: ['=u - %.17g*j.distance - %.17g*j.rate', 0]}]\n"
                         "initial: {j.distance: %.17g, j.rate: %.17g}\n",
                         line, g.k, g.c, g.x0, g.v0);
                test_signal_run run = {.text = text,
                                       .coordinates = coordinates[trial % 4],
                                       .tolerance = 1e-11,
                                       .name = {"j.distance", "j.distance_rate"},
                                       .at = {0.77, 1.51},
                                       .nat = 2};
                test_signal_expect(&run);
                snprintf(run.label, sizeof run.label, "%s %s in %s", sampled ? "sampled" : "continuous", kind->name, run.coordinates);
                for (int k = 0; k < 2; k++) {
                    if (sampled) {
                        run_samples(kind->name, &g, run.at[k], &l);
                    } else {
                        close_loop(kind->name, &g, &l);
                        flow(&l, run.at[k]);
                    }
                    double size = fmax(1, hypot(l.y[0], l.y[1])); /* some loops are unstable */
                    test_signal_near(&run, k, 0, l.y[0], 1e-8 * size);
                    test_signal_near(&run, k, 1, l.y[1], 1e-7 * size);
                    assert_true(run.largest_energy_error < 1e-6 * size * size);
                }
            }
}

/* u saturates at 2; without anti-windup the integral would grow on, with it u leaves the limit soon after the error changes its sign */
static void limits__stop_the_integral(void **unused) {
    (void)unused;
    for (int sampled = 0; sampled < 2; sampled++)
        for (int c = 0; c < 4; c++) {
            char text[900];
            snprintf(text, sizeof text,
                     "dimension: 2\nbodies: [{name: c, mass: 1, center: [0, 0], inertia: 1}]\n"
                     "joints: [{name: j, type: prismatic, bodies: [ground, c], at: [0, 0], axis: [1, 0]}]\n"
                     "controllers: [{name: u, type: pid, of: j.distance, target: 10, kp: 4, ki: 2, kd: 4, limit: 2, tracking: 0.2%s}]\n"
                     "forces: [{type: force, body: c, at: [0, 0], force: [=u, 0]}]\n",
                     sampled ? ", every: 0.01" : "");
            test_signal_run run = {.text = text,
                                   .coordinates = coordinates[c],
                                   .tolerance = 1e-9,
                                   .name = {"u", "u.integral", "j.distance"},
                                   .at = {0.5, 1, 20},
                                   .nat = 3};
            test_signal_expect(&run);
            /* saturated: w = 4 e + 2 I - 4 v with e near 10; the integral falls until w is near the limit */
            test_signal_near(&run, 0, 0, 2, 1e-12);
            assert_true(run.value[1][1] < -5);
            test_signal_near(&run, 2, 2, 10, 0.05);
            test_signal_near(&run, 2, 0, 0, 0.05);
        }
}

static bl_status read_and_free(bl_context *ctx, void *user) {
    bl_model *model = NULL;
    const char *text = user;
    bl_status status = bl_model_read_text(ctx, "controllers", text, strlen(text), NULL, 0, &model);
    bl_model_destroy(model);
    return status;
}

static void failing_allocations__leave_nothing_behind(void **unused) {
    (void)unused;
    char text[] = "dimension: 2\nbodies: [{name: c, mass: 1, center: [0, 0], inertia: 1}]\n"
                  "joints: [{name: j, type: prismatic, bodies: [ground, c], at: [0, 0], axis: [1, 0]}]\n"
                  "held: {F: 0}\nstates: [{name: s, start: 0, rate: '=hysteresis(j.distance + F, -1, 1) - s'}]\n"
                  "controllers:\n"
                  "  - {name: f, type: low_pass, of: j.distance, time: 0.1}\n"
                  "  - {name: u, type: pid, of: f, target: 1, kp: 1, ki: 2, kd: 3, limit: 4}\n"
                  "  - {name: w, type: feedback, gains: {j.distance: 1, u: 2}, every: 0.1, delay: 0.25}\n"
                  "  - {name: e, states: {a: 1}, every: 0.2, update: {a: '=a/2'}, output: '=clamp(a, 0, 1) + deadzone(w, 0.1)'}\n"
                  "events: [{when: e - 0.5, direction: down, set: {F: =u}}, {every: 0.3, set: {u.integral: 0}}]\n"
                  "forces: [{type: force, body: c, at: [0, 0], force: ['=u + w + e + s', 0]}]\n";
    test_failing_allocations(read_and_free, text);
    test_failing_once(read_and_free, text);
}

int main(void) {
    generator.state = test_seed(7301);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(controllers__move_a_linear_loop_like_its_exponential),
        cmocka_unit_test(limits__stop_the_integral),
        cmocka_unit_test(failing_allocations__leave_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
