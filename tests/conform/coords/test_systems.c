/* Every scene in every kind of coordinates: derivatives are compared with differences of the system's own lower quantities, energies with
 * rigid-body mechanics of the poses, and reactions with the Newton-Euler balance of each body. */
#include "coords/coords.h"
#include "dense/dense.h"
#include "joint/joint.h"
#include "sparse/sparse.h"
#include "study/study.h"
#include "topology/topology.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *const scenes[] = {
    "pendulum",       "double_pendulum", "four_bar", "slider_crank",     "five_bar_pendulum",    "tether",     "bricard",
    "bricard_cut",    "n_four_bar",      "andrews",  "flyball_governor", "spatial_slider_crank", "heavy_top",  "w3_chain",
    "cam_roller",     "tautochrone",     "sleigh",   "turntable_ball",   "rolling_disc",         "rattleback", "two_wheel_cart",
    "floating_crank", "floating_arm"};
static const char *const kinds[] = {"natural", "mixed", "mixed:angle=switching", "reference", "reference:matrix", "reference:angles",
                                    "reference:angles,sequence=zxz", "reference:view=tangent", "reference:matrix,view=tangent", "relative",
                                    /* mixtures: after the bar, coordinates assigned to the bodies in turn, see words[] */
                                    "reference|n.", "reference|aqm", "natural|r.", "mixed|.ra", "mixed:angle=switching|.r", "relative|.r",
                                    "relative|n..r", "natural|t.r", "natural|va.q"};
static const char *const words[] = {"nnatural",          "rreference",        "qreference:quaternion",
                                    "mreference:matrix", "areference:angles", "vreference:quaternion,view=tangent",
                                    "trelative"};
enum { NSCENE = sizeof scenes / sizeof *scenes, NKIND = sizeof kinds / sizeof *kinds };

typedef struct bench {
    bl_context *ctx;
    bl_model *model;
    bl_system *sys;
    bl_state state;
    bl_eval e, f;
    char label[96];
} bench;

static uint64_t seed;
static double uniform(void) {
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (double)(seed >> 11) / 9007199254740992.0 * 2 - 1;
}

static void expect(const bench *b, bl_status status) {
    if (status != BL_OK)
        fail_msg("%s: %s (%s)", b->label, bl_context_error(b->ctx)->what, bl_context_error(b->ctx)->advice);
}

/* coordinates of the bodies in turn; '.': none of its own */
static void say(bl_model *model, const char *letters) {
    for (bl_index i = 1; i < model->nbody; i++) {
        char letter = letters[(size_t)(i - 1) % strlen(letters)];
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            if (words[k][0] == letter && model->body[i].what == BL_BODY_RIGID) /* parts of elastic bodies are natural */
                model->body[i].coordinates = words[k] + 1;
    }
}

/* impossible coordinates are refused, with the name of the body: that body then gets none of its own */
static bl_status build_mixture(bench *b, const char *kind) {
    for (;;) {
        bl_status status = bl_coords_build(b->ctx, b->model, kind, &b->sys);
        char name[96];
        bl_index i = 1;
        if (status != BL_E_MODEL)
            return status;
        for (; i < b->model->nbody; i++) {
            snprintf(name, sizeof name, "body '%s'", b->model->body[i].name);
            if (b->model->body[i].coordinates && strncmp(bl_context_error(b->ctx)->what, name, strlen(name)) == 0)
                break;
        }
        if (i == b->model->nbody)
            return status;
        b->model->body[i].coordinates = NULL;
    }
}

/* text NULL: a scene by name */
static void set_up_text(bench *b, const char *scene, const char *text, const char *kind) {
    char file[512], plain[64];
    const char *bar = strchr(kind, '|');
    snprintf(plain, sizeof plain, "%.*s", bar ? (int)(bar - kind) : 60, kind);
    memset(b, 0, sizeof *b);
    snprintf(file, sizeof file, "%s/%s.yaml", SCENES, scene);
    snprintf(b->label, sizeof b->label, "%s in %s", scene, kind);
    assert_int_equal(bl_context_create(NULL, &b->ctx), BL_OK);
    if (text)
        expect(b, bl_model_read_text(b->ctx, scene, text, strlen(text), NULL, 0, &b->model));
    else
        expect(b, bl_model_read(b->ctx, file, NULL, 0, &b->model));
    if (bar)
        say(b->model, bar + 1);
    expect(b, build_mixture(b, plain));
    expect(b, bl_state_create(b->sys, 0, &b->state));
    expect(b, bl_coords_initial(b->sys, &b->state));
    expect(b, bl_assemble_positions(b->sys, b->model, &b->state));
    expect(b, bl_assemble_velocities(b->sys, b->model, &b->state));
    expect(b, bl_eval_create(b->sys, BL_ALL, &b->e));
    expect(b, bl_eval_create(b->sys, BL_ALL, &b->f));
}

static void set_up(bench *b, const char *scene, const char *kind) { set_up_text(b, scene, NULL, kind); }

static void tear_down(bench *b) {
    bl_eval_destroy(b->sys, &b->e);
    bl_eval_destroy(b->sys, &b->f);
    bl_state_destroy(b->sys, &b->state);
    bl_system_destroy(b->sys);
    bl_model_destroy(b->model);
    assert_int_equal(bl_context_memory(b->ctx).live_blocks, 0);
    bl_context_destroy(b->ctx);
}

static void near(const bench *b, const char *what, bl_index i, double got, double want, double tolerance) {
    if (!(fabs(got - want) <= tolerance))
        fail_msg("%s: %s [%d] is %.12g, expected %.12g, off by %.2g > %.2g", b->label, what, (int)i, got, want, got - want, tolerance);
}

/* a configuration off the constraints, every coordinate displaced and moving; parameters beyond velocities are not normalized either */
static void scatter(bench *b, double amount) {
    bool flat = b->sys->facts & BL_FLAT;
    double *x = calloc((size_t)b->sys->nv + 1, sizeof *x);
    for (bl_index j = 0; j < b->sys->nv; j++) {
        x[j] = amount * b->sys->col[j].scale * uniform();
        b->state.v[j] = b->sys->col[j].scale * uniform();
    }
    expect(b, bl_system_retract(b->sys, b->state.q, x, b->state.q));
    for (bl_index j = 0; j < b->sys->nq && !flat; j++)
        b->state.q[j] += 0.3 * amount * b->sys->q_scale[j] * uniform();
    free(x);
}

/* q_new = q moved by step along column j */
static void move_one(bench *b, const double *q, bl_index j, double step, double *q_new) {
    double *x = calloc((size_t)b->sys->nv + 1, sizeof *x);
    x[j] = step;
    expect(b, bl_system_retract(b->sys, q, x, q_new));
    free(x);
}

/* q_new = q moved by step v */
static void move_along(bench *b, const double *q, const double *v, double step, double *q_new) {
    double *x = calloc((size_t)b->sys->nv + 1, sizeof *x);
    for (bl_index j = 0; j < b->sys->nv; j++)
        x[j] = step * v[j];
    expect(b, bl_system_retract(b->sys, q, x, q_new));
    free(x);
}

static double value_at(const bl_pattern *p, const double *values, bl_index row, bl_index col) {
    bl_index k = bl_pattern_find(p, row, col);
    return k < 0 ? 0 : values[k];
}

static void at(bench *b, bl_eval *e, const double *q, const double *v, double t, uint32_t want) {
    bl_eval_at(e, &b->state);
    e->q = q;
    e->v = v;
    e->t = t;
    e->have = 0;
    expect(b, bl_system_eval(b->sys, e, want));
}

/* d(M a)/dq_j by differences of fourth order: M of a chain is large, and rounding errors would be visible with steps as small as those
 * below */
static void slope_of_Ma(bench *b, double *q, const double *v, double t, bl_index j, const double *a, double *slope) {
    static const double weight[4] = {1, -8, 8, -1};
    double h = 1e-3 * b->sys->col[j].scale;
    memset(slope, 0, (size_t)b->sys->nv * sizeof *slope);
    for (int k = 0; k < 4; k++) {
        move_one(b, b->state.q, j, h * (k < 2 ? k - 2 : k - 1), q);
        at(b, &b->f, q, v, t, BL_M);
        for (bl_index c = 0; c < b->sys->nv; c++)
            for (bl_index p = b->sys->pat_M.ptr[c]; p < b->sys->pat_M.ptr[c + 1]; p++)
                slope[b->sys->pat_M.idx[p]] += weight[k] / (12 * h) * b->f.M[p] * a[c];
    }
    memcpy(q, b->state.q, (size_t)b->sys->nq * sizeof *q);
    b->f.have = 0;
}

/* central differences of phi, G^T lambda, G v and Q by each coordinate */
static void check_derivatives(bench *b) {
    bl_index n = b->sys->nv, np = b->sys->np, nq = b->sys->nq;
    double *q = malloc((size_t)nq * sizeof *q), *v = malloc((size_t)n * sizeof *v), *lambda = malloc((size_t)(np + 1) * sizeof *lambda);
    size_t size_out = (size_t)(2 * n + 2 * np + 4);
    double *plus = calloc(size_out, sizeof *plus), *minus = calloc(size_out, sizeof *minus), *a = malloc((size_t)n * sizeof *a);
    double *Ma_slope = malloc((size_t)n * sizeof *Ma_slope);
    for (bl_index j = 0; j < n; j++)
        a[j] = b->sys->col[j].scale * uniform();
    for (bl_index i = 0; i < np; i++)
        lambda[i] = uniform() / b->sys->row[i].scale;
    b->e.lambda = b->f.lambda = lambda;
    memcpy(q, b->state.q, (size_t)nq * sizeof *q);
    memcpy(v, b->state.v, (size_t)n * sizeof *v);
    double t = 0.3;
    at(b, &b->e, b->state.q, b->state.v, t, 0);
    b->e.lambda = lambda;
    b->e.a = a;
    bool tangent = b->sys->can & BL_CAN_TANGENT;
    expect(b, bl_system_eval(b->sys, &b->e,
                             BL_PHI | BL_G | BL_B | BL_C | BL_M | BL_Q | BL_ENERGY | (tangent ? BL_KC | BL_GTL_X | BL_GV_X | BL_MA_X : 0)));
    double scale_Q = 1e-9;
    for (bl_index i = 0; i < n; i++)
        scale_Q = fmax(scale_Q, fabs(b->e.Q[i]));
    for (bl_index j = 0; j < n; j++)
        for (int of_v = 0; of_v < 2; of_v++) {
            double h = 1e-5 * b->sys->col[j].scale;
            for (int side = 0; side < 2; side++) {
                double *out = side ? plus : minus, keep = v[j];
                if (of_v)
                    v[j] += side ? h : -h;
                else
                    move_one(b, b->state.q, j, side ? h : -h, q);
                at(b, &b->f, q, v, t, BL_PHI | BL_G | BL_Q);
                v[j] = keep;
                memcpy(q, b->state.q, (size_t)nq * sizeof *q);
                memset(out, 0, size_out * sizeof *out);
                memcpy(out, b->f.Q, (size_t)n * sizeof *out);
                bl_csc_multiply_transposed(&b->sys->pat_G, b->f.G, lambda, out + n);
                memcpy(out + 2 * n, b->f.phi, (size_t)np * sizeof *out);
                bl_csc_multiply(&b->sys->pat_G, b->f.G, v, out + 2 * n + np);
            }
            if (!of_v && tangent)
                slope_of_Ma(b, q, v, t, j, a, Ma_slope);
            for (bl_index i = 0; i < n && tangent; i++) {
                double slope = (plus[i] - minus[i]) / (2 * h), size = scale_Q / b->sys->col[j].scale;
                const bl_pattern *pattern = of_v ? &b->sys->pat_C : &b->sys->pat_K;
                near(b, of_v ? "C" : "K", i, value_at(pattern, of_v ? b->e.C : b->e.K, i, j), -slope, 1e-5 * size + 1e-5 * fabs(slope));
                if (!of_v) {
                    near(b, "d(M a)/dq", i, value_at(&b->sys->pat_K, b->e.Ma_x, i, j), Ma_slope[i], 1e-8 * (1 + fabs(Ma_slope[i])));
                    slope = (plus[n + i] - minus[n + i]) / (2 * h);
                    near(b, "d(G^T lambda)/dq", i, value_at(&b->sys->pat_K, b->e.GTl_x, i, j), slope,
                         (1e-8 + 1e-7 * fabs(slope)) / (b->sys->col[i].scale * b->sys->col[j].scale));
                }
            }
            for (bl_index i = 0; !of_v && i < np; i++) {
                double unit = b->sys->row[i].scale / b->sys->col[j].scale * fmax(1, b->sys->col[j].scale);
                if (b->sys->row[i].level == BL_AT_VELOCITY) /* it has no value: check_speeds */
                    assert_true(plus[2 * n + i] == 0 && minus[2 * n + i] == 0);
                else
                    near(b, "G", i, value_at(&b->sys->pat_G, b->e.G, i, j), (plus[2 * n + i] - minus[2 * n + i]) / (2 * h), 1e-8 * unit);
                if (tangent)
                    near(b, "d(G v)/dq", i, value_at(&b->sys->pat_G, b->e.Gv_x, i, j),
                         (plus[2 * n + np + i] - minus[2 * n + np + i]) / (2 * h), 1e-7 * unit);
            }
        }
    /* b = -phi_t; c = -(G v)_q v + (change of b in time) */
    double dt = 1e-5;
    at(b, &b->f, q, v, t + dt, BL_PHI | BL_B);
    memcpy(plus, b->f.phi, (size_t)np * sizeof *plus);
    memcpy(plus + np, b->f.b, (size_t)np * sizeof *plus);
    at(b, &b->f, q, v, t - dt, BL_PHI | BL_B);
    double *gv = calloc((size_t)np + 1, sizeof *gv);
    double *bt = calloc((size_t)np + 1, sizeof *bt);
    for (bl_index i = 0; i < np; i++) {
        bt[i] = (plus[np + i] - b->f.b[i]) / (2 * dt);
        near(b, "b", i, b->e.b[i], -(plus[i] - b->f.phi[i]) / (2 * dt), 1e-8);
    }
    for (int side = 0; side < 2 && !tangent; side++) { /* (G v)_q v by differences along the motion */
        move_along(b, b->state.q, v, side ? dt : -dt, q);
        at(b, &b->f, q, v, t, BL_G);
        memset(minus, 0, (size_t)np * sizeof *minus);
        bl_csc_multiply(&b->sys->pat_G, b->f.G, v, minus);
        for (bl_index i = 0; i < np; i++)
            gv[i] += (side ? 1 : -1) * minus[i] / (2 * dt);
    }
    memcpy(q, b->state.q, (size_t)nq * sizeof *q);
    if (tangent)
        bl_csc_multiply(&b->sys->pat_G, b->e.Gv_x, v, gv);
    for (bl_index i = 0; i < np; i++) {
        near(b, "c", i, b->e.c[i], -gv[i] + bt[i], (tangent ? 1e-7 : 1e-6) * (1 + fabs(gv[i])));
    }
    free(a);
    free(Ma_slope);
    b->e.a = NULL;
    free(gv);
    free(bt);
    /* power of forces without potential = Q.v + v.M'v/2 + dV/dt: the kinetic energy also changes with the mass matrix */
    double Qv = 0, dV[2], h = 1e-6;
    for (bl_index i = 0; i < n; i++)
        Qv += b->e.Q[i] * v[i];
    for (int side = 0; side < 2; side++) {
        move_along(b, b->state.q, v, side ? h : -h, q);
        at(b, &b->f, q, v, t + (side ? h : -h), BL_ENERGY);
        dV[side] = b->f.potential + b->f.kinetic;
    }
    near(b, "power", 0, b->e.power, Qv + (dV[1] - dV[0]) / (2 * h), 1e-6 * (1 + fabs(Qv)));
    for (bl_index j = 0; j < n; j++)
        for (bl_index p = b->sys->pat_M.ptr[j]; p < b->sys->pat_M.ptr[j + 1]; p++)
            near(b, "M symmetric", j, b->e.M[p], value_at(&b->sys->pat_M, b->e.M, j, b->sys->pat_M.idx[p]), 1e-14);
    free(q), free(v), free(lambda), free(plus), free(minus);
}

/* dense [M G^T; G 0], least norm */
static void accelerations(bench *b, double *a, double *lambda) {
    const bl_system *sys = b->sys;
    bl_index n = sys->nv, m = sys->np, N = n + m, rank;
    double *A = calloc((size_t)N * (size_t)N, sizeof *A), *r = calloc((size_t)N, sizeof *r),
           *work = malloc(bl_least_norm_work(N, N) * sizeof *work);
    bl_eval_at(&b->e, &b->state);
    expect(b, bl_system_eval(sys, &b->e, BL_M | BL_G | BL_Q | BL_C));
    double mass = 0;
    for (bl_index i = 0; i < sys->pat_M.ptr[n]; i++)
        mass = fmax(mass, fabs(b->e.M[i]));
    for (bl_index j = 0; j < n; j++) {
        for (bl_index p = sys->pat_M.ptr[j]; p < sys->pat_M.ptr[j + 1]; p++)
            A[j * N + sys->pat_M.idx[p]] = b->e.M[p] / mass;
        for (bl_index p = sys->pat_G.ptr[j]; p < sys->pat_G.ptr[j + 1]; p++)
            A[j * N + n + sys->pat_G.idx[p]] = A[(n + sys->pat_G.idx[p]) * N + j] = b->e.G[p] / sys->row[sys->pat_G.idx[p]].scale;
        r[j] = b->e.Q[j] / mass;
    }
    for (bl_index i = 0; i < m; i++)
        r[n + i] = b->e.c[i] / sys->row[i].scale;
    expect(b, bl_least_norm(b->ctx, N, N, A, 1e-10, r, &rank, work));
    memcpy(a, r, (size_t)n * sizeof *a);
    for (bl_index i = 0; i < m; i++)
        lambda[i] = r[n + i] * mass / sys->row[i].scale;
    free(A), free(r), free(work);
}

/* velocities that satisfy G v = b: the projection of random ones */
static void consistent_velocity(bench *b) {
    const bl_system *sys = b->sys;
    bl_index n = sys->nv, m = sys->np, rank, big = n > m ? n : m;
    double *A = calloc((size_t)(m + 1) * (size_t)n, sizeof *A), *r = calloc((size_t)big + 1, sizeof *r),
           *work = malloc((bl_least_norm_work(m, n) + 1) * sizeof *work);
    for (bl_index j = 0; j < n; j++)
        b->state.v[j] = sys->col[j].scale * uniform();
    bl_eval_at(&b->e, &b->state);
    expect(b, bl_system_eval(sys, &b->e, BL_G | BL_B));
    for (bl_index i = 0; i < m; i++)
        r[i] = b->e.b[i];
    for (bl_index j = 0; j < n; j++)
        for (bl_index p = sys->pat_G.ptr[j]; p < sys->pat_G.ptr[j + 1]; p++) {
            A[j * m + sys->pat_G.idx[p]] = b->e.G[p];
            r[sys->pat_G.idx[p]] -= b->e.G[p] * b->state.v[j];
        }
    expect(b, bl_least_norm(b->ctx, m, n, A, 1e-9, r, &rank, work));
    for (bl_index j = 0; j < n; j++)
        b->state.v[j] += r[j];
    free(A), free(r), free(work);
}

/* body quantities along q(t) = q + t v + t^2/2 a, which satisfies the constraints to third order in t */
static void place_at(bench *b, bl_eval *e, const double *a, double t, double *q, double *v, uint32_t want) {
    for (bl_index j = 0; j < b->sys->nv; j++)
        v[j] = b->state.v[j] + t / 2 * a[j];
    move_along(b, b->state.q, v, t, q);
    for (bl_index j = 0; j < b->sys->nv; j++)
        v[j] = b->state.v[j] + t * a[j];
    at(b, e, q, v, *b->state.t + t, want);
}

static void rotate(const double *q, const double *s, double *out) {
    double u[3] = {q[1], q[2], q[3]}, c[3];
    for (int i = 0; i < 3; i++)
        c[i] = 2 * (u[(i + 1) % 3] * s[(i + 2) % 3] - u[(i + 2) % 3] * s[(i + 1) % 3]);
    for (int i = 0; i < 3; i++)
        out[i] = s[i] + q[0] * c[i] + u[(i + 1) % 3] * c[(i + 2) % 3] - u[(i + 2) % 3] * c[(i + 1) % 3];
}

static void momentum(const bl_body *body, const bl_pose *pose, double L[3]) {
    double back[4] = {pose->quaternion[0], -pose->quaternion[1], -pose->quaternion[2], -pose->quaternion[3]}, w[3], h[3];
    rotate(back, pose->angular_velocity, w);
    for (int i = 0; i < 3; i++)
        h[i] = body->inertia[i][0] * w[0] + body->inertia[i][1] * w[1] + body->inertia[i][2] * w[2];
    rotate(pose->quaternion, h, L);
}

/* rows that restrict velocities only: the bodies do not slip */
static void check_speeds(bench *b) {
    bl_index rows = 0;
    expect(b, bl_system_eval(b->sys, &b->e, BL_POSE));
    for (bl_index i = 0; i < b->sys->np; i++)
        rows += b->sys->row[i].level == BL_AT_VELOCITY;
    for (const bl_prim *prim = b->model->prim; prim < b->model->prim + b->model->nprim; prim++)
        if (bl_prim_is_slip(prim)) {
            bl_prim_motion at = {0};
            bl_prim_reading reading;
            for (int k = 0; k < bl_prim_marks(prim); k++) {
                const bl_mark *mark = &prim->mark[k];
                const bl_pose *pose = &b->e.pose[mark->body];
                const double *w = pose->angular_velocity;
                double arm[3];
                rotate(pose->quaternion, mark->s, arm);
                for (int c = 0; c < 3; c++) {
                    at.mark[k].r[c] = arm[c] + (mark->is_vector ? 0 : pose->position[c]);
                    at.mark[k].rate[c] =
                        w[(c + 1) % 3] * arm[(c + 2) % 3] - w[(c + 2) % 3] * arm[(c + 1) % 3] + (mark->is_vector ? 0 : pose->velocity[c]);
                }
            }
            at.turning[0] = b->e.pose[prim->a.body].angular_velocity;
            at.turning[1] = b->e.pose[prim->b.body].angular_velocity;
            bl_prim_read(prim, 0, &at, &reading);
            near(b, "slip", rows--, reading.rate, 0, 1e-11 * (1 + fabs(b->e.pose[prim->b.body].angular_velocity[0])));
        }
    assert_int_equal(rows, 0);
    assert_true(!(b->sys->facts & BL_VELOCITY_ROWS) == !(bl_topology_count_velocities(b->model) < bl_topology_count(b->model)));
}

static void check_bodies(bench *b, bool no_forces) {
    const bl_system *sys = b->sys;
    bl_index n = sys->nv;
    double *a = malloc((size_t)(n + 1) * sizeof *a), *lambda = malloc((size_t)(sys->np + 1) * sizeof *lambda);
    double *q = malloc((size_t)(sys->nq + 1) * sizeof *q), *v = malloc((size_t)(n + 1) * sizeof *v);
    consistent_velocity(b);
    accelerations(b, a, lambda);
    bl_eval_at(&b->e, &b->state);
    b->e.a = a;
    b->e.lambda = lambda;
    expect(b, bl_system_eval(sys, &b->e, BL_POSE | BL_WRENCH | BL_ENERGY | BL_VARIABLES | BL_PROBES));
    check_speeds(b);
    /* kinetic and gravitational energy by bodies */
    double kinetic = 0;
    for (bl_index i = 1; i < sys->nbody; i++) {
        const bl_body *body = &b->model->body[i];
        const bl_pose *pose = &b->e.pose[i];
        double L[3];
        momentum(body, pose, L);
        for (int k = 0; k < 3; k++)
            kinetic += 0.5 * body->mass * pose->velocity[k] * pose->velocity[k] + 0.5 * L[k] * pose->angular_velocity[k];
    }
    near(b, "kinetic energy", 0, b->e.kinetic, kinetic, 1e-10 * (1 + kinetic));
    /* rates compared with differences in time: error h^2, and rounding eps / h */
    double h = 1e-5;
    bl_pose *before = malloc((size_t)sys->nbody * sizeof *before);
    double *variable = malloc((size_t)(sys->nvariable + 1) * sizeof *variable);
    place_at(b, &b->f, a, -h, q, v, BL_POSE | BL_VARIABLES);
    memcpy(before, b->f.pose, (size_t)sys->nbody * sizeof *before);
    memcpy(variable, b->f.variable, (size_t)sys->nvariable * sizeof *variable);
    place_at(b, &b->f, a, h, q, v, BL_POSE | BL_VARIABLES);
    for (bl_index i = 0; i < sys->nvariable; i++)
        near(b, "rate of a variable", i, b->e.variable_rate[i], (b->f.variable[i] - variable[i]) / (2 * h),
             1e-7 * (1 + fabs(b->e.variable_rate[i])));
    double force_size = 1, fast = 1, alpha = 0;
    for (bl_index i = 1; i < sys->nbody; i++)
        for (int k = 0; k < 3; k++) {
            force_size = fmax(force_size, b->model->body[i].mass * fabs(b->f.pose[i].velocity[k] - before[i].velocity[k]) / (2 * h));
            fast = fmax(fast, fabs(b->e.pose[i].angular_velocity[k]));
            alpha = fmax(alpha, fabs(b->f.pose[i].angular_velocity[k] - before[i].angular_velocity[k]) / (2 * h));
        }
    /* third derivatives along the path are products of rates and accelerations */
    double third = 10 * h * h * (fast * fast * fast + fast * alpha);
    for (bl_index i = 1; i < sys->nbody; i++) {
        const bl_body *body = &b->model->body[i];
        double L0[3], L1[3], force[3], moment[3];
        momentum(body, &before[i], L0);
        momentum(body, &b->f.pose[i], L1);
        for (int k = 0; k < 3; k++) {
            near(b, "velocity", i, b->e.pose[i].velocity[k], (b->f.pose[i].position[k] - before[i].position[k]) / (2 * h),
                 1e-9 * fast + third * b->sys->col[0].scale);
            force[k] = body->mass * ((b->f.pose[i].velocity[k] - before[i].velocity[k]) / (2 * h) - b->model->gravity[k]);
            moment[k] = (L1[k] - L0[k]) / (2 * h);
        }
        /* q' = 1/2 (0, omega) q */
        const double *now = b->e.pose[i].quaternion, *w = b->e.pose[i].angular_velocity;
        double rate[4] = {-0.5 * (w[0] * now[1] + w[1] * now[2] + w[2] * now[3]), 0.5 * (now[0] * w[0] + w[1] * now[3] - w[2] * now[2]),
                          0.5 * (now[0] * w[1] + w[2] * now[1] - w[0] * now[3]), 0.5 * (now[0] * w[2] + w[0] * now[2] - w[1] * now[1])};
        for (int k = 0; k < 4; k++)
            near(b, "quaternion rate", i, rate[k], (b->f.pose[i].quaternion[k] - before[i].quaternion[k]) / (2 * h), 1e-9 * fast + third);
        if (!no_forces)
            continue;
        /* Newton-Euler: load of the joints on this body */
        double reach = 1;
        for (bl_index j = 0; j < sys->njoint; j++) {
            const bl_joint_def *joint = &b->model->joint[j];
            const bl_prim *prim = joint->prim;
            double sign = joint->body[1] == i ? -1 : joint->body[0] == i ? 1 : 0, s[3], arm[3];
            if (sign == 0)
                continue;
            bl_mark mark = {joint->body[1], false, {0}};
            for (bl_index p = 0; p < joint->nprim; p++)
                if (prim[p].what != BL_LINEAR && !prim[p].b.is_vector) {
                    mark = prim[p].b;
                    break;
                }
            rotate(b->e.pose[mark.body].quaternion, mark.s, s);
            for (int k = 0; k < 3; k++) {
                arm[k] = b->e.pose[mark.body].position[k] + s[k] - b->e.pose[i].position[k];
                reach = fmax(reach, fabs(arm[k]));
            }
            const double *F = b->e.wrench[j].force, *M = b->e.wrench[j].moment;
            for (int k = 0; k < 3; k++) {
                force[k] += sign * F[k];
                moment[k] += sign * (M[k] + arm[(k + 1) % 3] * F[(k + 2) % 3] - arm[(k + 2) % 3] * F[(k + 1) % 3]);
            }
        }
        for (int k = 0; k < 3; k++) {
            near(b, "force balance", i, force[k], 0, 1e-8 * force_size + third * force_size * fast);
            near(b, "moment balance", i, moment[k], 0, reach * (1e-8 * force_size + third * force_size * fast));
        }
    }
    free(a), free(lambda), free(q), free(v), free(before), free(variable);
}

static void system__derivatives_match_differences(void **unused) {
    (void)unused;
    seed = 20240517;
    printf("seed %llu\n", (unsigned long long)seed);
    for (int s = 0; s < NSCENE; s++)
        for (int k = 0; k < NKIND; k++) {
            bench b;
            set_up(&b, scenes[s], kinds[k]);
            scatter(&b, 0.1);
            check_derivatives(&b);
            tear_down(&b);
        }
}

/* x -> q (+) x -> x for rotations of less than 180 degrees; q' = T v along retract */
static void check_retraction(bench *b) {
    const bl_system *sys = b->sys;
    double *q = calloc((size_t)(3 * sys->nq + 2 * sys->nv), sizeof *q), *minus = q + sys->nq, *rate = minus + sys->nq, h = 1e-5;
    double *x = rate + sys->nq, *back = x + sys->nv;
    for (bl_index j = 0; j < sys->nv; j++)
        x[j] = 1.7 * sys->col[j].scale * uniform();
    expect(b, bl_system_retract(sys, b->state.q, x, q));
    expect(b, bl_system_local(sys, b->state.q, q, back));
    for (bl_index j = 0; j < sys->nv; j++)
        near(b, "local of retract", j, back[j], x[j], 1e-13 * sys->col[j].scale);
    expect(b, bl_system_local(sys, q, b->state.q, back));
    for (bl_index j = 0; j < sys->nv; j++)
        near(b, "local back", j, back[j], -x[j], 1e-13 * sys->col[j].scale);
    bl_eval_at(&b->e, &b->state);
    if (!(sys->facts & BL_FLAT))
        expect(b, bl_system_apply(sys, &b->e, BL_OP_T, 1, b->state.v, rate));
    move_along(b, b->state.q, b->state.v, h, q);
    move_along(b, b->state.q, b->state.v, -h, minus);
    for (bl_index i = 0; i < sys->nq && !(sys->facts & BL_FLAT); i++)
        near(b, "T v", i, rate[i], (q[i] - minus[i]) / (2 * h), 1e-9 * sys->q_scale[i]);
    free(q);
}

static void system__increments_and_their_rates_belong_together(void **unused) {
    (void)unused;
    seed = 1812;
    printf("seed %llu\n", (unsigned long long)seed);
    for (int s = 0; s < NSCENE; s++)
        for (int k = 0; k < NKIND; k++) {
            bench b;
            set_up(&b, scenes[s], kinds[k]);
            scatter(&b, 0.1);
            check_retraction(&b);
            tear_down(&b);
        }
}

static void system__bodies_obey_newton_and_euler(void **unused) {
    (void)unused;
    seed = 42424242;
    printf("seed %llu\n", (unsigned long long)seed);
    for (int s = 0; s < NSCENE - 2; s++) /* of the last ones bodies deform */
        for (int k = 0; k < NKIND; k++) {
            bench b;
            set_up(&b, scenes[s], kinds[k]);
            check_bodies(&b, b.model->nforce == 0);
            tear_down(&b);
        }
}

/* sizes and non-zero counts of the symbolic Jacobians: tables of chapter 5 of the thesis in tests/verify/order/test_thesis.c, as corrected
 * by recounting */
static void system__jacobians_have_the_published_sizes(void **unused) {
    (void)unused;
    static const struct {
        const char *scene, *kind;
        bl_index cols, rows, nonzeros, dependent, rank;
    } want[] = {
        {"five_bar_pendulum", "mixed", 35, 30, 203, 198, 30},
        {"tether", "mixed", 112, 84, 661, 615, 84},
        {"bricard_cut", "mixed", 35, 36, 209, 208, 34},
        {"bricard", "mixed", 29, 30, 182, 181, 28},
        {"bricard", "mixed:angle=switching", 29, 30, 182, 181, 28},
    };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        bench b;
        set_up(&b, want[i].scene, want[i].kind);
        const bl_system *sys = b.sys;
        bl_index nnz = sys->pat_G.ptr[sys->nv], dependent = nnz, rank = 0;
        for (bl_index k = 0; k < sys->nindependent; k++)
            dependent -= sys->pat_G.ptr[sys->independent[k] + 1] - sys->pat_G.ptr[sys->independent[k]];
        double *a = calloc((size_t)sys->np * (size_t)sys->nv, sizeof *a);
        bl_index *order = calloc((size_t)(sys->np + sys->nv), sizeof *order);
        bl_eval_at(&b.e, &b.state);
        expect(&b, bl_system_eval(sys, &b.e, BL_G));
        for (bl_index j = 0; j < sys->nv; j++)
            for (bl_index p = sys->pat_G.ptr[j]; p < sys->pat_G.ptr[j + 1]; p++)
                a[j * sys->np + sys->pat_G.idx[p]] = b.e.G[p];
        bl_rank_reveal(sys->np, sys->nv, a, NULL, NULL, NULL, 1e-9, order, order + sys->np, &rank, NULL);
        assert_int_equal(sys->nv, want[i].cols);
        assert_int_equal(sys->np, want[i].rows);
        assert_int_equal(nnz, want[i].nonzeros);
        assert_int_equal(dependent, want[i].dependent);
        assert_int_equal(rank, want[i].rank);
        free(a), free(order);
        tear_down(&b);
    }
}

/* ---- two bodies, each joint kind between them, in a random configuration */

static void add_numbers(char *text, size_t room, const char *before, int n, double low, double high, const char *after) {
    size_t used = strlen(text);
    used += (size_t)snprintf(text + used, room - used, "%s[", before);
    for (int i = 0; i < n; i++)
        used += (size_t)snprintf(text + used, room - used, "%s%.17g", i ? ", " : "", low + (high - low) * (uniform() + 1) / 2);
    snprintf(text + used, room - used, "]%s", after);
}

static void two_bodies(char *text, size_t room, const char *kind, int dim) {
    snprintf(text, room, "dimension: %d\ngravity: %s\nbodies:\n", dim, dim == 2 ? "[0.3, -9.81]" : "[0.3, -9.81, 0.7]");
    for (int b = 0; b < 2; b++) {
        size_t used = strlen(text);
        snprintf(text + used, room - used, "  - {name: %s, mass: %.17g, ", b ? "B" : "A", 2 + uniform());
        add_numbers(text, room, "center: ", dim, -1, 1, ", ");
        used = strlen(text);
        if (dim == 2)
            snprintf(text + used, room - used, "inertia: %.17g}\n", 1.5 + uniform());
        else
            add_numbers(text, room, "inertia: ", 3, 1, 1.9, "}\n");
    }
    add_numbers(text, room, "joints:\n  - {name: base, cut: CUT, type: revolute, bodies: [ground, A], at: ", dim, -1, 1, "");
    if (dim == 3)
        add_numbers(text, room, ", axis: ", 3, -1, 1, "");
    size_t used = strlen(text);
    snprintf(text + used, room - used, "}\n  - {name: k, cut: CUT, type: %s, bodies: [A, B], ", kind);
    if (strcmp(kind, "rolling") != 0)
        add_numbers(text, room, "at: ", dim, -1, 1, "");
    if (strcmp(kind, "rolling") == 0) {
        add_numbers(text, room, "ellipsoid: ", dim, 0.2, 0.7, "");
        add_numbers(text, room, ", normal: ", dim, -1, 1, "");
    } else if (strcmp(kind, "blade") == 0)
        add_numbers(text, room, ", along: ", dim, -1, 1, "");
    else if (strcmp(kind, "rod") == 0)
        add_numbers(text, room, ", to: ", dim, 1, 2, "");
    else if (strcmp(kind, "cam") == 0)
        add_numbers(text, room, ", base: 0.5, lift: \"=0.05*sin(2*x)\", roller: 0.1, center: ", dim, -1, 1, "");
    else if (strcmp(kind, "point_on_curve") == 0)
        strncat(text, ", points: [[0, 0], [1, 0.2], [1.5, 1], [0.3, 0.8], [0, 0]]", room - strlen(text) - 1);
    else if (strcmp(kind, "universal") == 0)
        strncat(text, ", axis: [0.6, 0.8, 0], axis_b: [-0.8, 0.6, 0]", room - strlen(text) - 1);
    else if (strcmp(kind, "spherical") && strcmp(kind, "fixed") && (dim == 3 || strcmp(kind, "revolute")))
        add_numbers(text, room, ", axis: ", dim, -1, 1, "");
    if (strcmp(kind, "screw") == 0)
        strncat(text, ", pitch: 0.4", room - strlen(text) - 1);
    strncat(text, "}\n", room - strlen(text) - 1);
}

static void replace_cut(const char *text, const char *word, char *out, size_t room) {
    out[0] = '\0';
    for (const char *p; (p = strstr(text, "CUT")); text = p + 3) {
        strncat(out, text, (size_t)(p - text));
        strncat(out, word, room - strlen(out) - 1);
    }
    strncat(out, text, room - strlen(out) - 1);
}

/* accelerations from rest and the reaction of joint k depend neither on how joints are closed nor on the coordinates */
static void joints__shared_or_cut_move_alike(void **unused) {
    (void)unused;
    seed = 777123;
    printf("seed %llu\n", (unsigned long long)seed);
    for (size_t k = 0; k < bl_joint_kind_count; k++)
        for (int dim = 2; dim <= 3; dim++)
            for (int trial = 0; trial < 25; trial++) {
                const bl_joint_kind *kind = bl_joint_kinds[k];
                if (kind->nbody != 2 || !(kind->kind.gives & (dim == 2 ? BL_IN_PLANE : BL_IN_SPACE)))
                    continue;
                char text[4096], model[4096];
                two_bodies(text, sizeof text, kind->kind.name, dim);
                double first[24] = {0};
                for (int variant = 0; variant < 3; variant++) {
                    bench b;
                    replace_cut(text, variant == 1 ? "true" : "false", model, sizeof model);
                    set_up_text(&b, kind->kind.name, model, variant == 2 ? "mixed" : "natural");
                    double *a = malloc((size_t)(b.sys->nv + 1) * sizeof *a), *lambda = malloc((size_t)(b.sys->np + 1) * sizeof *lambda),
                           *q = malloc((size_t)(b.sys->nv + 1) * sizeof *q);
                    accelerations(&b, a, lambda);
                    bl_eval_at(&b.e, &b.state);
                    b.e.a = a;
                    b.e.lambda = lambda;
                    expect(&b, bl_system_eval(b.sys, &b.e, BL_WRENCH));
                    /* from rest, the velocity after a unit of time of acceleration is the acceleration */
                    at(&b, &b.f, b.state.q, a, 0, BL_POSE);
                    double got[24];
                    for (int i = 0; i < 12; i++)
                        got[i] = (i % 6 < 3 ? b.f.pose[1 + i / 6].velocity : b.f.pose[1 + i / 6].angular_velocity)[i % 3];
                    for (int i = 0; i < 12; i++)
                        got[12 + i] = (i % 6 < 3 ? b.e.wrench[i / 6].force : b.e.wrench[i / 6].moment)[i % 3];
                    for (int i = 0; i < 24; i++) {
                        if (variant == 0)
                            first[i] = got[i];
                        near(&b, variant == 1 ? "cut" : "mixed", i, got[i], first[i], 1e-8 * (20 + fabs(first[i])));
                    }
                    check_bodies(&b, true);
                    free(a), free(lambda), free(q);
                    tear_down(&b);
                }
            }
}

/* K x compared with central differences: the midpoint moves by x, the end by 2 x, also with dissipation */
static void check_discrete_tangent(bench *b, const double *from, const double *to, const double *middle, const double *v) {
    bl_index n = b->sys->nv;
    double *x = calloc((size_t)(5 * n), sizeof *x), *q = x + n, *far = q + n, *slope = far + n, *Kx = slope + n, step = 1e-6, size = 0;
    for (bl_index i = 0; i < n; i++)
        x[i] = b->sys->col[i].scale * uniform();
    b->f.q_from = from;
    b->f.dissipation = 0.3;
    for (int side = -1; side < 2; side++) {
        for (bl_index i = 0; i < n; i++) {
            q[i] = middle[i] + side * step * x[i];
            far[i] = to[i] + 2 * side * step * x[i];
        }
        b->f.q_to = far;
        at(b, &b->f, q, v, 0.3, side ? BL_Q : BL_KC);
        for (bl_index i = 0; i < n && side; i++)
            slope[i] += side * b->f.Q[i] / (2 * step);
        if (side == 0)
            bl_csc_multiply(&b->sys->pat_K, b->f.K, x, Kx);
    }
    for (bl_index i = 0; i < n; i++)
        size = fmax(size, fabs(Kx[i]));
    for (bl_index i = 0; i < n; i++)
        near(b, "K between two places", i, -Kx[i], slope[i], 1e-6 * (1 + size));
    b->f.q_from = b->f.q_to = NULL;
    b->f.dissipation = 0;
    free(x);
}

/* Between two configurations the forces of a potential do the work that it loses, and constraints of second degree do none. Forces without
 * potential act at the midpoint; their work is the power there, with the displacement as velocity. */
static void discrete_gradients__do_the_work_the_potential_loses(void **state) {
    (void)state;
    seed = 0x5bd1e995;
    int checked = 0, springs = 0;
    for (int s = 0; s < NSCENE; s++)
        for (int k = 0; k < NKIND; k++) {
            bench b;
            set_up(&b, scenes[s], kinds[k]);
            bl_index n = b.sys->nv, np = b.sys->np;
            if (b.sys->can & BL_CAN_DISCRETE) {
                double *from = calloc((size_t)(4 * n), sizeof *from), *to = from + n, *middle = to + n, *way = middle + n;
                double *phi = calloc((size_t)(np + 1), sizeof *phi);
                for (bl_index i = 0; i < n; i++) {
                    from[i] = b.state.q[i] + 0.1 * b.sys->col[i].scale * uniform();
                    to[i] = b.state.q[i] + 0.1 * b.sys->col[i].scale * uniform();
                    middle[i] = 0.5 * (from[i] + to[i]);
                    way[i] = to[i] - from[i];
                }
                at(&b, &b.e, from, way, 0.3, BL_ENERGY | BL_PHI);
                double potential = b.e.potential;
                memcpy(phi, b.e.phi, (size_t)np * sizeof *phi);
                at(&b, &b.e, to, way, 0.3, BL_ENERGY | BL_PHI);
                double lost = potential - b.e.potential, size = fabs(potential) + fabs(b.e.potential) + 1;
                for (bl_index i = 0; i < np; i++)
                    phi[i] = b.e.phi[i] - phi[i];
                at(&b, &b.f, middle, way, 0.3, BL_Q | BL_G);
                double at_middle = 0, other = b.f.power, work = 0;
                for (bl_index i = 0; i < n; i++)
                    at_middle += b.f.Q[i] * way[i];
                if (b.sys->facts & BL_PHI_QUADRATIC)
                    for (bl_index j = 0; j < n; j++)
                        for (bl_index p = b.sys->pat_G.ptr[j]; p < b.sys->pat_G.ptr[j + 1]; p++)
                            phi[b.sys->pat_G.idx[p]] -= b.f.G[p] * way[j];
                for (bl_index i = 0; (b.sys->facts & BL_PHI_QUADRATIC) && i < np; i++)
                    near(&b, "work of a constraint", i, phi[i], 0, 1e-12 * (1 + b.sys->row[i].scale));
                b.f.q_from = from;
                b.f.q_to = to;
                at(&b, &b.f, middle, way, 0.3, BL_Q);
                b.f.q_from = b.f.q_to = NULL;
                for (bl_index i = 0; i < n; i++)
                    work += b.f.Q[i] * way[i];
                near(&b, "work of forces", 0, work, lost + other, 1e-11 * (size + fabs(other)));
                checked++;
                springs += fabs(work - at_middle) > 1e-9 * size;
                check_discrete_tangent(&b, from, to, middle, way);
                free(from);
                free(phi);
            }
            tear_down(&b);
        }
    print_message("%d systems, in %d of them the midpoint alone would not do\n", checked, springs);
    assert_true(checked > NSCENE);
    assert_true(springs > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(system__derivatives_match_differences), cmocka_unit_test(system__increments_and_their_rates_belong_together),
        cmocka_unit_test(system__bodies_obey_newton_and_euler),  cmocka_unit_test(system__jacobians_have_the_published_sizes),
        cmocka_unit_test(joints__shared_or_cut_move_alike),      cmocka_unit_test(discrete_gradients__do_the_work_the_potential_loses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
