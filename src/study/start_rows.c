/* Equations of a start: those of joints and drivers, of `initial:` and of kept variables, as equations on the twists of groups; and the
 * mass properties of groups. A body of a group has the velocity v = v_g + w_g x d, d from the center of the group. */
#include "study/start.h"

#include "base/vector3.h"
#include "study/study_limits.h"

#include <math.h>
#include <string.h>

/* ---- groups */

/* columns of the rotation of a body */
static void axes_of(const double q[4], double R[3][3]) {
    double w = q[0], x = q[1], y = q[2], z = q[3];
    double now[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                        {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                        {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    memcpy(R, now, sizeof now);
}

/* R A R^T */
static void rotate_tensor(const double q[4], const double A[3][3], double out[3][3]) {
    double R[3][3], half[3][3];
    axes_of(q, R);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            half[i][j] = R[i][0] * A[0][j] + R[i][1] * A[1][j] + R[i][2] * A[2][j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[i][j] = half[i][0] * R[j][0] + half[i][1] * R[j][1] + half[i][2] * R[j][2];
}

/* vector from the center of the group to the body, in units of length */
static void arm_of(const bl_start *s, bl_index body, double d[3]) {
    for (int k = 0; k < 3; k++)
        d[k] = (s->pose[body].position[k] - s->at[s->group[body]].center[k]) / s->length;
}

static void factor_inertia(const double A[6], double L[6]) {
    L[0] = sqrt(A[0]);
    L[1] = A[1] / L[0];
    L[2] = sqrt(fmax(A[2] - L[1] * L[1], 0.1 * study_start_least_mass));
    L[3] = A[3] / L[0];
    L[4] = (A[4] - L[3] * L[1]) / L[2];
    L[5] = sqrt(fmax(A[5] - L[3] * L[3] - L[4] * L[4], 0.1 * study_start_least_mass));
}

static void measure_groups(bl_start *s) {
    const bl_model *model = s->model;
    memset(s->at, 0, (size_t)s->ngroup * sizeof *s->at);
    for (bl_index b = 1; b < model->nbody; b++) {
        bl_start_group *g = &s->at[s->group[b]];
        g->mass += s->body_mass[b];
        for (int k = 0; k < 3; k++)
            g->center[k] += s->body_mass[b] * s->pose[b].position[k];
    }
    for (bl_index i = 1; i < s->ngroup; i++)
        for (int k = 0; k < 3; k++)
            s->at[i].center[k] /= s->at[i].mass;
    for (bl_index b = 1; b < model->nbody; b++) {
        bl_start_group *g = &s->at[s->group[b]];
        double I[3][3], d[3];
        rotate_tensor(s->pose[b].quaternion, s->inertia[b], I);
        arm_of(s, b, d);
        double square = dot3(d, d), m = s->body_mass[b];
        for (int i = 0, k = 0; i < 3; i++)
            for (int j = 0; j <= i; j++)
                g->inertia[k++] += I[i][j] + m * ((i == j ? square : 0) - d[i] * d[j]);
    }
    for (bl_index i = 1; i < s->ngroup; i++) {
        if (model->dim == 3)
            factor_inertia(s->at[i].inertia, s->at[i].factor);
        else
            s->at[i].factor[5] = sqrt(s->at[i].inertia[5]);
    }
}

/* ---- what is minimized */

/* second moments of mass of a body, integral of s s^T dm, from its inertia */
static void second_moments(const bl_start *s, const double J[3][3], double K[3][3]) {
    memset(K, 0, 9 * sizeof(double));
    if (s->model->dim == 2) {
        K[0][0] = K[1][1] = J[2][2] / 2;
        return;
    }
    double half = (J[0][0] + J[1][1] + J[2][2]) / 2;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            K[i][j] = (i == j ? half : 0) - J[i][j];
}

/* integral of s s0^T dm, s current and s0 carried along */
static void mixed_moments(const bl_start *s, bl_index b, double EK[3][3]) {
    double K[3][3], now[3][3], then[3][3], half[3][3];
    second_moments(s, s->inertia[b], K);
    axes_of(s->pose[b].quaternion, now);
    axes_of(s->carried[b].quaternion, then);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            half[i][j] = now[i][0] * K[0][j] + now[i][1] * K[1][j] + now[i][2] * K[2][j];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            EK[i][j] = half[i][0] * then[j][0] + half[i][1] * then[j][1] + half[i][2] * then[j][2];
}

double bl_start_change(const bl_start *s) {
    double sum = 0;
    for (bl_index b = 1; b < s->model->nbody; b++) {
        double EK[3][3], K[3][3], square = 0;
        if (s->group[b] == 0 || memcmp(&s->pose[b], &s->carried[b], sizeof s->pose[b]) == 0)
            continue;
        mixed_moments(s, b, EK);
        second_moments(s, s->inertia[b], K);
        for (int k = 0; k < 3; k++) {
            double moved = (s->pose[b].position[k] - s->carried[b].position[k]) / s->length;
            square += moved * moved;
            sum += K[k][k] - EK[k][k];
        }
        sum += s->body_mass[b] * square / 2;
    }
    return sum;
}

static void body_gradient(const bl_start *s, bl_index b, double p[3], double h[3]) {
    if (s->positions) {
        double EK[3][3];
        mixed_moments(s, b, EK);
        for (int k = 0; k < 3; k++) {
            int i = (k + 1) % 3, j = (k + 2) % 3;
            p[k] = s->body_mass[b] * (s->pose[b].position[k] - s->carried[b].position[k]) / s->length;
            h[k] = EK[j][i] - EK[i][j];
        }
        return;
    }
    double I[3][3];
    rotate_tensor(s->pose[b].quaternion, s->inertia[b], I);
    for (int k = 0; k < 3; k++) {
        p[k] = s->body_mass[b] * s->known_twist[b][k] / s->length;
        h[k] = dot3(I[k], s->known_twist[b] + 3);
    }
}

void bl_start_gradient(const bl_start *s, double *g) {
    memset(g, 0, (size_t)(s->ngroup - 1) * (size_t)s->per_body * sizeof *g);
    for (bl_index b = 1; b < s->model->nbody; b++) {
        if (s->group[b] == 0)
            continue;
        double p[3], h[3], d[3], m[3], *x = g + (size_t)(s->group[b] - 1) * (size_t)s->per_body;
        body_gradient(s, b, p, h);
        arm_of(s, b, d);
        cross3(d, p, m);
        for (int k = 0; k < s->model->dim; k++)
            x[k] += p[k];
        for (int k = 0; k < (s->per_body == 6 ? 3 : 1); k++)
            x[s->model->dim + k] += s->per_body == 6 ? h[k] + m[k] : h[2] + m[2];
    }
}

/* ---- equations */

/* adds coef[per_body] . (twist of a body) to the equation; the known part, due to the joints of its group, goes to *known */
static void put(bl_start *s, bl_index body, const double *coef, double *known) {
    bl_index g = s->group[body];
    int plane = s->per_body == 3, dim = plane ? 2 : 3;
    double f[3] = {coef[0], coef[1], plane ? 0 : coef[2]}, n[3] = {0, 0, 0}, d[3], m[3];
    for (int k = 0; k < (plane ? 1 : 3); k++)
        n[plane ? 2 : k] = coef[dim + k];
    if (!s->positions)
        *known += dot3(f, s->known_twist[body]) / s->length + dot3(n, s->known_twist[body] + 3);
    if (g == 0)
        return;
    arm_of(s, body, d);
    cross3(d, f, m);
    double *sum = s->sum + (size_t)g * 6, *size = s->size + (size_t)g * 6;
    bool fresh = true;
    for (bl_index i = 0; i < s->ntouched; i++)
        fresh = fresh && s->touched[i] != g;
    if (fresh)
        s->touched[s->ntouched++] = g;
    for (int k = 0; k < 3; k++) {
        sum[k] += f[k];
        size[k] += fabs(f[k]);
        sum[3 + k] += n[k] + m[k];
        size[3 + k] += fabs(n[k]) + fabs(d[(k + 1) % 3] * f[(k + 2) % 3]) + fabs(d[(k + 2) % 3] * f[(k + 1) % 3]);
    }
}

/* stores the equation collected so far, without coefficients that are only rounding */
static bl_status keep(bl_start *s, bl_start_row row) {
    BL_TRY(BL_RESERVE(s->ctx, s->row, s->row_room, s->nrow + 1));
    BL_TRY(BL_RESERVE(s->ctx, s->entry_col, s->entry_room, s->nentry + 6 * s->ntouched + 1));
    BL_TRY(BL_RESERVE(s->ctx, s->entry_coef, s->coef_room, s->nentry + 6 * s->ntouched + 1));
    row.first = s->nentry;
    for (bl_index i = 0; i < s->ntouched; i++) {
        bl_index g = s->touched[i];
        double *sum = s->sum + (size_t)g * 6, *size = s->size + (size_t)g * 6;
        for (int k = 0; k < s->per_body; k++) {
            int part = s->per_body == 6 || k < 2 ? k : 5;
            if (fabs(sum[part]) > study_start_canceled * size[part]) {
                s->entry_col[s->nentry] = (g - 1) * s->per_body + k;
                s->entry_coef[s->nentry++] = sum[part];
            }
        }
        memset(sum, 0, 6 * sizeof *sum);
        memset(size, 0, 6 * sizeof *size);
    }
    row.count = s->nentry - row.first;
    s->ntouched = 0;
    s->row[s->nrow++] = row;
    return BL_OK;
}

static void put_twist_row(bl_start *s, const bl_twist_row *from, double *known) {
    for (bl_index i = 0; i < from->n;) { /* entries of a body are consecutive */
        bl_index body = from->col[i] / s->per_body;
        double coef[6] = {0};
        for (; i < from->n && from->col[i] / s->per_body == body; i++)
            coef[from->col[i] % s->per_body] = from->coef[i];
        put(s, body + 1, coef, known);
    }
}

static double unit_of(const bl_start *s, bl_index variable) { return s->model->variable[variable].is_angle ? 1 : s->length; }

static bl_status variable_row(bl_start *s, bl_index variable, double value, bl_start_row row) {
    double known = 0;
    s->twists.nrow = 0; /* those of joints have been copied */
    BL_TRY(bl_twists_add_variable(&s->twists, s->pose, variable, 0));
    put_twist_row(s, &s->twists.row[0], &known);
    row.rhs = (s->positions ? value - s->variable[variable] : value) / unit_of(s, variable) - known;
    row.is_length = !s->model->variable[variable].is_angle;
    return keep(s, row);
}

static bl_status joint_rows(bl_start *s) {
    const bl_model *model = s->model;
    bl_index n = s->twists.nrow;
    for (bl_index i = 0; i < n; i++) {
        const bl_twist_row *from = &s->twists.row[i];
        bl_start_row row = {.owner = from->owner, .counts = true, .is_length = from->is_length, .says = from->meaning};
        double known = 0;
        if (from->owner < model->njoint && s->set[from->owner] &&
            (dot3(from->force, from->force) > 0 || dot3(from->moment, from->moment) > 0))
            continue;
        put_twist_row(s, from, &known);
        row.rhs = (s->positions ? -from->gap : 0) - known;
        if (from->owner >= model->njoint) {
            bl_index d = from->owner - model->njoint, v = model->driver[d].variable;
            row.rhs = (s->positions ? s->driven[d] - s->variable[v] : s->driven_rate[d]) / unit_of(s, v) - known;
            row.counts = bl_start_driver_counts(s, d);
            row.is_length = !model->variable[v].is_angle;
        }
        BL_TRY(keep(s, row));
    }
    return BL_OK;
}

/* kept variables of joints that are not set */
static bl_status kept_rows(bl_start *s) {
    for (bl_index v = 0; v < s->model->nvariable; v++) {
        bl_index j = s->model->variable[v].joint;
        if (s->bridge[j] && !s->set[j] && s->known[v] == BL_START_KEPT)
            BL_TRY(variable_row(s, v, s->value[v], (bl_start_row){.owner = j, .counts = true}));
        else if (s->bridge[j] && s->known[v] == BL_START_GIVEN) { /* by a guess: now an equation like others */
            bool guessed = false;
            for (bl_index i = 0; i < s->model->ninitial && !s->set[j]; i++) {
                const bl_initial *entry = &s->model->initial[i];
                guessed = guessed || (entry->guess && entry->ref == v && bl_start_entry_counts(s, i) &&
                                      (entry->what == BL_INITIAL_VARIABLE || entry->what == BL_INITIAL_RATE));
            }
            if (guessed)
                BL_TRY(variable_row(s, v, s->value[v], (bl_start_row){.owner = j, .counts = true}));
        }
    }
    return BL_OK;
}

/* rotation from orientation q to that of the rotation vector, in global axes */
static void missing_rotation(const double q[4], const double *vector, double out[3]) {
    double angle = sqrt(dot3(vector, vector)), half = angle > 0 ? sin(angle / 2) / angle : 0.5;
    double to[4] = {cos(angle / 2), half * vector[0], half * vector[1], half * vector[2]}, c[3];
    double w = to[0] * q[0] + dot3(to + 1, q + 1);
    cross3(to + 1, q + 1, c); /* to q^-1 = (w, -to0 q + q0 to - to x q) */
    for (int k = 0; k < 3; k++)
        out[k] = q[0] * to[k + 1] - to[0] * q[k + 1] - c[k];
    double sine = sqrt(dot3(out, out)), turn = 2 * atan2(sine, fabs(w)), factor = sine > 0 ? turn / sine : 2;
    for (int k = 0; k < 3; k++)
        out[k] *= w < 0 ? -factor : factor;
}

static bl_status body_rows(bl_start *s, bl_index i) {
    const bl_initial *entry = &s->model->initial[i];
    int plane = s->per_body == 3, dim = plane ? 2 : 3;
    bool turns = entry->what == BL_INITIAL_ORIENTATION || entry->what == BL_INITIAL_ANGULAR_VELOCITY;
    double arm[3], r[3], want[3];
    bl_mark_now(s->pose, &entry->mark, r);
    for (int k = 0; k < 3; k++)
        arm[k] = (r[k] - s->pose[entry->mark.body].position[k]) / s->length;
    memcpy(want, entry->value, sizeof want);
    if (turns && s->positions)
        missing_rotation(s->pose[entry->mark.body].quaternion, entry->value, want);
    for (int k = turns && plane ? 2 : 0; k < (turns ? 3 : dim); k++) {
        double coef[6] = {0}, e[3] = {k == 0, k == 1, k == 2}, m[3], known = 0;
        cross3(arm, e, m);
        if (turns)
            coef[plane ? 2 : 3 + k] = 1;
        for (int c = 0; !turns && c < dim; c++)
            coef[c] = e[c];
        for (int c = 0; !turns && c < (plane ? 1 : 3); c++)
            coef[dim + c] = m[plane ? 2 : c];
        put(s, entry->mark.body, coef, &known);
        double value = turns ? want[k] : (s->positions ? want[k] - r[k] : want[k]) / s->length;
        BL_TRY(keep(
            s,
            (bl_start_row){
                .owner = -1 - i, .rhs = value - known, .soft = entry->guess, .counts = bl_start_entry_counts(s, i), .is_length = !turns}));
    }
    return BL_OK;
}

bl_status bl_start_rows(bl_start *s) {
    s->nrow = s->nentry = 0;
    measure_groups(s);
    s->twists.velocities = !s->positions;
    BL_TRY(bl_twists_at(&s->twists, s->pose, s->variable));
    BL_TRY(joint_rows(s));
    BL_TRY(kept_rows(s));
    for (bl_index i = 0; i < s->model->ninitial; i++) {
        const bl_initial *entry = &s->model->initial[i];
        if (!bl_start_entry_counts(s, i))
            continue;
        if (entry->what == BL_INITIAL_VARIABLE || entry->what == BL_INITIAL_RATE)
            BL_TRY(variable_row(s, entry->ref, entry->value[0], (bl_start_row){.owner = -1 - i, .soft = entry->guess, .counts = true}));
        else
            BL_TRY(body_rows(s, i));
    }
    return BL_OK;
}
