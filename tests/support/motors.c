#include "support/motors.h"

#include "study/run.h"
#include "support/testing.h"

#include <math.h>
#include <string.h>

/* ---- the shaft: y = (angle, rate, current) */

static const double R = 1, L = 0.01, K = 0.1, FRICTION = 0.001, U = 12;

static void motor(double J, const double *y, double *rate) {
    rate[0] = y[1];
    rate[1] = (K * y[2] - FRICTION * y[1]) / J;
    rate[2] = (U - R * y[2] - K * y[1]) / L;
}

static void shaft_rate(double t, const double *y, double *rate) {
    (void)t;
    motor(0.01, y, rate);
}

static void shaft_show(double t, const double *y, motors_motion *m) {
    (void)t;
    m->q[0] = cos(y[0]);
    m->q[1] = sin(y[0]);
    m->v[0] = -m->q[1] * y[1];
    m->v[1] = m->q[0] * y[1];
    m->z[0] = y[2];
}

#define MOTOR_EXPRESSIONS               \
    "  expressions:\n"                  \
    "    speed: =x*y_rate - y*x_rate\n" \
    "    torque: =0.1*i - 0.001*speed\n"
#define MOTOR_STATE "    - {name: i, start: 0, rate: =(12 - i - 0.1*speed)/0.01}\n"

const motors motors_shaft = {
    .name = "shaft",
    .text = "model: shaft\n"
            "equations:\n" MOTOR_EXPRESSIONS "  states:\n"
            "    - {name: x, start: 1, mass: 0.01, force: =-y*torque}\n"
            "    - {name: y, start: 0, mass: 0.01, force: =x*torque}\n" MOTOR_STATE "  constraints:\n"
            "    - {name: circle, value: =x^2 + y^2 - 1}\n"
            "simulate: {until: 1}\n",
    .nq = 2,
    .nz = 1,
    .ny = 3,
    .rate = shaft_rate,
    .show = shaft_show,
};

static void advance(double J, double inductance, double voltage, double t, double *rate, double *current) {
    /* (rate, current)' = A (rate, current) + (0, voltage / L): both eigenvalues of A are real and differ */
    double a = -FRICTION / J, b = K / J, c = -K / inductance, d = -R / inductance, det = a * d - b * c,
           root = sqrt(0.25 * (a + d) * (a + d) - det);
    double w = b * voltage / inductance / det, i = -a * w / b; /* in the end: a w + b i = 0, c w + d i = -voltage / L */
    double l[2] = {0.5 * (a + d) + root, 0.5 * (a + d) - root}, e[2] = {exp(l[0] * t), exp(l[1] * t)};
    /* exp(A t) = (e0 (A - l1) - e1 (A - l0)) / (l0 - l1) */
    double by = 1 / (l[0] - l[1]), one = (e[1] * l[0] - e[0] * l[1]) * by, of_A = (e[0] - e[1]) * by, x = *rate - w, y = *current - i;
    *rate = w + one * x + of_A * (a * x + b * y);
    *current = i + one * y + of_A * (c * x + d * y);
}

void motors_exact(double J, double inductance, double t, double *rate, double *current) {
    *rate = *current = 0;
    advance(J, inductance, U, t, rate, current);
}

void motors_exact_from(double voltage, double t, double *rate, double *current) { advance(0.01, L, voltage, t, rate, current); }

/* ---- the pendulum: y = (angles from the vertical, rates, current, integral, filter) */

static const double GRAVITY = 9.81, DAMPING = 0.2, TARGET = 0.4;

static void pendulum_show(double t, const double *y, motors_motion *m) {
    (void)t;
    double s1 = sin(y[0]), c1 = cos(y[0]), s2 = sin(y[1]), c2 = cos(y[1]);
    const double q[] = {s1, -c1, s1 + s2, -c1 - c2}, v[] = {c1 * y[2], s1 * y[2], c1 * y[2] + c2 * y[3], s1 * y[2] + s2 * y[3]};
    memcpy(m->q, q, sizeof q);
    memcpy(m->v, v, sizeof v);
    memcpy(m->z, y + 4, 3 * sizeof *y);
}

/* rates of all but the current */
static void pendulum_driven(const double *y, double current, double *rate) {
    motors_motion m;
    pendulum_show(0, y, &m);
    double apart = y[0] - y[1], torque = 1.5 * current;
    /* forces on the points along the derivatives of their positions by the angles */
    double f[4];
    for (int i = 0; i < 4; i++)
        f[i] = -DAMPING * m.v[i] - (i % 2 ? GRAVITY : 0);
    double s1 = sin(y[0]), c1 = cos(y[0]), s2 = sin(y[1]), c2 = cos(y[1]);
    double Q1 = c1 * (f[0] + f[2]) + s1 * (f[1] + f[3]) + torque - sin(apart) * y[3] * y[3];
    double Q2 = c2 * f[2] + s2 * f[3] + sin(apart) * y[2] * y[2];
    double couple = cos(apart), det = 2 - couple * couple; /* M = [2 cos; cos 1] */
    rate[0] = y[2];
    rate[1] = y[3];
    rate[2] = (Q1 - couple * Q2) / det;
    rate[3] = (2 * Q2 - couple * Q1) / det;
    rate[5] = TARGET - m.q[2];
    rate[6] = (m.v[2] - y[6]) / 0.05;
}

static double volt(const double *y) { return 8 * (TARGET - sin(y[0]) - sin(y[1])) + 5 * y[5] - 2 * y[6]; }

static void pendulum_rate(double t, const double *y, double *rate) {
    (void)t;
    pendulum_driven(y, y[4], rate);
    rate[4] = (volt(y) - 2 * y[4] - 1.5 * y[2]) / 0.1;
}

static double algebraic_current(const double *y) { return (volt(y) - 1.5 * y[2]) / 2; }

static void algebraic_rate(double t, const double *y, double *rate) {
    (void)t;
    pendulum_driven(y, algebraic_current(y), rate);
    rate[4] = 0;
}

static void algebraic_show(double t, const double *y, motors_motion *m) {
    pendulum_show(t, y, m);
    m->z[0] = algebraic_current(y);
}

#define PENDULUM(current)                                                                   \
    "model: two masses on rods, motor and PID controller\n"                                 \
    "equations:\n"                                                                          \
    "  expressions:\n"                                                                      \
    "    torque: =1.5*i\n"                                                                  \
    "    volt: =8*(0.4 - x2) + 5*e - 2*w\n"                                                 \
    "    left: =volt - 2*i - 1.5*(x1*y1_rate - y1*x1_rate)\n"                               \
    "  states:\n"                                                                           \
    "    - {name: x1, start: =sin(0.3), acceleration: =-0.2*x1_rate - y1*torque}\n"         \
    "    - {name: y1, start: =-cos(0.3), acceleration: =-0.2*y1_rate - 9.81 + x1*torque}\n" \
    "    - {name: x2, start: =sin(0.3) + sin(-0.5), acceleration: =-0.2*x2_rate}\n"         \
    "    - {name: y2, start: =-cos(0.3) - cos(-0.5), acceleration: =-0.2*y2_rate - 9.81}\n" \
    "    - {name: i, start: 0.5, " current "}\n"                                            \
    "    - {name: e, start: 0, rate: =0.4 - x2}\n"                                          \
    "    - {name: w, start: 0, rate: =(x2_rate - w)/0.05}\n"                                \
    "  constraints:\n"                                                                      \
    "    - {name: first, value: =x1^2 + y1^2 - 1}\n"                                        \
    "    - {name: second, value: =(x2 - x1)^2 + (y2 - y1)^2 - 1}\n"                         \
    "    - {name: again, value: =(x1^2 + y1^2 - 1)/3}\n"                                    \
    "simulate: {until: 1}\n"

const motors motors_pendulum = {
    .name = "pendulum",
    .text = PENDULUM("rate: =left/0.1"),
    .nq = 4,
    .nz = 3,
    .ny = 7,
    .redundant = 1,
    .start = {0.3, -0.5, 0, 0, 0.5, 0, 0},
    .rate = pendulum_rate,
    .show = pendulum_show,
};

const motors motors_algebraic = {
    .name = "pendulum with an algebraic state",
    .text = PENDULUM("algebraic: =left"),
    .nq = 4,
    .nz = 3,
    .ny = 7,
    .redundant = 1,
    .start = {0.3, -0.5, 0, 0, 0, 0, 0},
    .rate = algebraic_rate,
    .show = algebraic_show,
};

/* ---- in angles */

static void angles_show(double t, const double *y, motors_motion *m) {
    (void)t;
    memcpy(m->q, y, 2 * sizeof *y);
    memcpy(m->v, y + 2, 2 * sizeof *y);
    memcpy(m->z, y + 4, 3 * sizeof *y);
}

const motors motors_angles = {
    .name = "pendulum in angles",
    .text = "model: two masses on rods in angles, motor and PID controller\n"
            "equations:\n"
            "  expressions:\n"
            "    x2: =sin(a) + sin(b)\n"
            "    vx1: =cos(a)*a_rate\n"
            "    vy1: =sin(a)*a_rate\n"
            "    vx2: =vx1 + cos(b)*b_rate\n"
            "    vy2: =vy1 + sin(b)*b_rate\n"
            "    volt: =8*(0.4 - x2) + 5*e - 2*w\n"
            "  states:\n"
            "    - {name: a, start: 0.3, mass: 2, force: '=-0.2*(cos(a)*(vx1 + vx2) + sin(a)*(vy1 + vy2)) - 2*9.81*sin(a) + 1.5*i"
            " - sin(a - b)*b_rate^2'}\n"
            "    - {name: b, start: -0.5, mass: 1, force: '=-0.2*(cos(b)*vx2 + sin(b)*vy2) - 9.81*sin(b) + sin(a - b)*a_rate^2'}\n"
            "    - {name: i, start: 0.5, rate: =(volt - 2*i - 1.5*a_rate)/0.1}\n"
            "    - {name: e, start: 0, rate: =0.4 - x2}\n"
            "    - {name: w, start: 0, rate: =(vx2 - w)/0.05}\n"
            "  mass: [{row: a, column: b, value: =cos(a - b)}]\n"
            "simulate: {until: 1}\n",
    .nq = 2,
    .nz = 3,
    .ny = 7,
    .start = {0.3, -0.5, 0, 0, 0.5, 0, 0},
    .rate = pendulum_rate,
    .show = angles_show,
};

/* ---- the bead: y = (radius, its rate, current); the rod is at the angle t + t^2 / 4 */

static void bead_rate(double t, const double *y, double *rate) {
    double turning = 1 + 0.5 * t;
    rate[0] = y[1];
    rate[1] = y[0] * turning * turning - 0.3 * y[1] + 2 * y[2];
    rate[2] = (1 - y[2] - 2 * y[1] - y[0]) / 0.2;
}

static void bead_show(double t, const double *y, motors_motion *m) {
    double angle = t + 0.25 * t * t, turning = 1 + 0.5 * t, c = cos(angle), s = sin(angle);
    m->q[0] = y[0] * c;
    m->q[1] = y[0] * s;
    m->v[0] = y[1] * c - y[0] * turning * s;
    m->v[1] = y[1] * s + y[0] * turning * c;
    m->z[0] = y[2];
}

const motors motors_bead = {
    .name = "bead",
    .text = "model: bead on a turning rod\n"
            "equations:\n"
            "  expressions:\n"
            "    c: =cos(t + t^2/4)\n"
            "    s: =sin(t + t^2/4)\n"
            "    out: =x_rate*c + y_rate*s\n"
            "  states:\n"
            "    - {name: x, start: 1, rate_start: 0, acceleration: =(2*i - 0.3*out)*c}\n"
            "    - {name: y, start: 0, rate_start: 1, acceleration: =(2*i - 0.3*out)*s}\n"
            "    - {name: i, start: 0, rate: =(1 - i - 2*out - x*c - y*s)/0.2}\n"
            "  constraints:\n"
            "    - {name: rod, value: =x*s - y*c}\n"
            "simulate: {until: 1}\n",
    .nq = 2,
    .nz = 1,
    .ny = 3,
    .start = {1, 0, 0},
    .rate = bead_rate,
    .show = bead_show,
};

/* ---- the coil: y = (position, rate, current, integral) */

static void coil_rate(double t, const double *y, double *rate) {
    (void)t;
    rate[0] = y[1];
    rate[1] = (-50 * y[0] - 0.4 * y[1] + 3 * y[2]) / 2;
    rate[2] = (4 * y[3] - y[2] - 3 * y[1]) / 0.2;
    rate[3] = 0.3 - y[0];
}

static void coil_show(double t, const double *y, motors_motion *m) {
    (void)t;
    m->q[0] = y[0];
    m->v[0] = y[1];
    m->z[0] = y[2];
    m->z[1] = y[3];
}

const motors motors_coil = {
    .name = "coil",
    .text = "model: mass on a spring with a voice coil\n"
            "equations:\n"
            "  states:\n"
            "    - {name: x, start: 0.1, mass: 2, force: =-50*x - 0.4*x_rate + 3*i}\n"
            "    - {name: i, start: 0, order: 1, mass: 0.2, force: =4*e - i - 3*x_rate}\n"
            "    - {name: e, start: 0.5, rate: =0.3 - x}\n"
            "simulate: {until: 1}\n",
    .nq = 1,
    .nz = 2,
    .ny = 4,
    .start = {0.1, 0, 0, 0.5},
    .rate = coil_rate,
    .show = coil_show,
};

/* ---- the parallelogram: y = (angle, rate, current) */

static void parallelogram_rate(double t, const double *y, double *rate) {
    (void)t;
    motor(0.03, y, rate);
}

static void parallelogram_show(double t, const double *y, motors_motion *m) {
    (void)t;
    for (int k = 0; k < 3; k++) {
        m->q[2 * k] = 2 * k + cos(y[0]);
        m->q[2 * k + 1] = sin(y[0]);
        m->v[2 * k] = -sin(y[0]) * y[1];
        m->v[2 * k + 1] = cos(y[0]) * y[1];
    }
    m->z[0] = y[2];
}

const motors motors_parallelogram = {
    .name = "parallelogram",
    .text = "model: three equal cranks on two rods\n"
            "equations:\n" MOTOR_EXPRESSIONS "  states:\n"
            "    - {name: x, start: =cos(0.5), mass: 0.01, force: =-y*torque}\n"
            "    - {name: y, start: =sin(0.5), mass: 0.01, force: =x*torque}\n"
            "    - {name: x2, start: =2 + cos(0.5), mass: 0.01, force: 0}\n"
            "    - {name: y2, start: =sin(0.5), mass: 0.01, force: 0}\n"
            "    - {name: x3, start: =4 + cos(0.5), mass: 0.01, force: 0}\n"
            "    - {name: y3, start: =sin(0.5), mass: 0.01, force: 0}\n" MOTOR_STATE "  constraints:\n"
            "    - {name: crank1, value: =x^2 + y^2 - 1}\n"
            "    - {name: crank2, value: =(x2 - 2)^2 + y2^2 - 1}\n"
            "    - {name: crank3, value: =(x3 - 4)^2 + y3^2 - 1}\n"
            "    - {name: rod12, value: =(x2 - x)^2 + (y2 - y)^2 - 4}\n"
            "    - {name: rod23, value: =(x3 - x2)^2 + (y3 - y2)^2 - 4}\n"
            "    - {name: rod13, value: =(x3 - x)^2 + (y3 - y)^2 - 16}\n"
            "simulate: {until: 1}\n",
    .nq = 6,
    .nz = 1,
    .ny = 3,
    .redundant = 1,
    .start = {0.5, 0, 0},
    .rate = parallelogram_rate,
    .show = parallelogram_show,
};

/* ---- reference */

void motors_reference(const motors *m, double t, int steps, motors_motion *motion) {
    double y[MOTORS_Y], at[MOTORS_Y], k[4][MOTORS_Y], h = t / steps;
    memcpy(y, m->start, sizeof y);
    for (int s = 0; s < steps; s++) {
        for (int stage = 0; stage < 4; stage++) {
            double share = stage == 0 ? 0 : stage == 3 ? 1 : 0.5;
            for (int i = 0; i < m->ny; i++)
                at[i] = y[i] + (stage ? share * h * k[stage - 1][i] : 0);
            m->rate((s + share) * h, at, k[stage]);
        }
        for (int i = 0; i < m->ny; i++)
            y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
    m->show(t, y, motion);
}

static double apart(int n, const double *a, const double *b) {
    double most = 0;
    for (int i = 0; i < n; i++)
        most = fmax(most, isnan(b[i]) ? INFINITY : fabs(a[i] - b[i]));
    return most;
}

motors_error motors_compare(const motors *m, const motors_motion *a, const bl_state *b) {
    return (motors_error){apart(m->nq, a->q, b->q), apart(m->nq, a->v, b->v), apart(m->nz, a->z, b->z)};
}

/* ---- runs */

void motors_open(const motors *m, motors_run *run) {
    memset(run, 0, sizeof *run);
    run->ctx = test_context(NULL);
    bl_status status = bl_model_read_text(run->ctx, m->name, m->text, strlen(m->text), NULL, 0, &run->model);
    if (status == BL_OK)
        status = bl_run_prepare(run->ctx, run->model, NULL, &run->sys, &run->start);
    if (status != BL_OK)
        fail_msg("%s: %s", m->name, bl_context_error(run->ctx)->what);
    assert_int_equal(run->sys->nq, m->nq);
    assert_int_equal(run->sys->nz, m->nz);
}

bl_status motors_begin(motors_run *run, const bl_simulation_setup *setup) {
    bl_simulation_destroy(run->sim);
    run->sim = NULL;
    return bl_simulation_create(run->sys, &run->start, setup, &run->sim);
}

bl_status motors_advance(motors_run *run) {
    bl_simulation *sim = run->sim;
    bl_status status = BL_OK;
    while (status == BL_OK && *sim->state.t < sim->integ->control.t_end)
        status = bl_simulation_advance(sim);
    return status;
}

void motors_close(motors_run *run) {
    bl_simulation_destroy(run->sim);
    bl_state_destroy(run->sys, &run->start);
    bl_system_destroy(run->sys);
    bl_model_destroy(run->model);
    test_context_end(run->ctx);
}
