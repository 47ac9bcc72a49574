/* Pose of a mesh: the mass center, and the rotation R that fits its nodes best: sum |r - mean(r) - R s|^2 is least, s the positions of
 * the nodes in the model configuration from their mean. With A = sum r s^T it is the rotation in the polar decomposition A = R H, and
 * R' = w x R follows from the antisymmetric part of A' R^T:
 *
 *     (tr B - B) w = axial vector of A' R^T - (A' R^T)^T,     B = A R^T. */
#include "base/vector3.h"
#include "coords/mechanism.h"

#include <math.h>
#include <string.h>

static void node_now(const bl_mechanism *m, const bl_mesh_body *mesh, bl_index node, const double *x, double out[3]) {
    bl_index dir = mesh->dir[node];
    for (int k = 0; k < 3; k++) {
        out[k] = 0;
        for (bl_index i = m->form_ptr[dir * m->dim + k]; k < m->dim && i < m->form_ptr[dir * m->dim + k + 1]; i++)
            out[k] += m->form_coef[i] * x[m->form_entry[i]];
    }
}

static void mean_of(const bl_mesh *mesh, double mean[3]) {
    memset(mean, 0, 3 * sizeof *mean);
    for (bl_index i = 0; i < mesh->nnode; i++)
        for (int k = 0; k < 3; k++)
            mean[k] += mesh->x[i][k] / mesh->nnode;
}

/* A = sum r s^T over the nodes, center = sum share r / mass */
static void sums(const bl_mechanism *m, const bl_mesh_body *mesh, const double *x, double A[3][3], double center[3]) {
    double mean[3];
    mean_of(&mesh->solid->mesh, mean);
    memset(A, 0, 9 * sizeof(double));
    memset(center, 0, 3 * sizeof *center);
    for (bl_index i = 0; i < mesh->solid->mesh.nnode; i++) {
        double r[3];
        node_now(m, mesh, i, x, r);
        for (int j = 0; j < 3; j++) {
            center[j] += mesh->share[i] / mesh->mass * r[j];
            for (int k = 0; k < 3; k++)
                A[j][k] += r[j] * (mesh->solid->mesh.x[i][k] - mean[k]);
        }
    }
}

static double size_of(const double A[3][3]) {
    double sum = 0;
    for (int j = 0; j < 3; j++)
        sum += dot3(A[j], A[j]);
    return sqrt(sum);
}

/* T w = a for symmetric positive definite T */
static void solve3(const double T[3][3], const double a[3], double w[3]) {
    double C[3][3], det = cofactors3(T, C);
    for (int k = 0; k < 3; k++)
        w[k] = det != 0 ? dot3(C[k], a) / det : 0;
}

static void spin_of(int dim, const double A[3][3], const double Ad[3][3], const double R[3][3], double w[3]) {
    double B[3][3], Bd[3][3], T[3][3];
    for (int j = 0; j < 3; j++)
        for (int k = 0; k < 3; k++) {
            B[j][k] = dot3(A[j], R[k]);
            Bd[j][k] = dot3(Ad[j], R[k]);
        }
    double trace = B[0][0] + B[1][1] + B[2][2];
    const double axial[3] = {Bd[2][1] - Bd[1][2], Bd[0][2] - Bd[2][0], Bd[1][0] - Bd[0][1]};
    for (int j = 0; j < 3; j++)
        for (int k = 0; k < 3; k++)
            T[j][k] = (j == k ? trace : 0) - B[j][k];
    memset(w, 0, 3 * sizeof *w);
    if (dim == 2)
        w[2] = trace > 0 ? axial[2] / trace : 0;
    else
        solve3((const double(*)[3])T, axial, w);
}

void bl_mesh_pose(const bl_mechanism *m, const bl_mech_work *w, bl_index body, bl_pose *pose, double R[3][3]) {
    const bl_mesh_body *mesh = bl_mesh_of(m, body);
    double A[3][3], Ad[3][3];
    sums(m, mesh, w->x, A, pose->position);
    sums(m, mesh, w->xd, Ad, pose->velocity);
    polar3(m->dim, (const double(*)[3])A, R);
    spin_of(m->dim, (const double(*)[3])A, (const double(*)[3])Ad, (const double(*)[3])R, pose->angular_velocity);
}

/* Bound of the rotation that nodes moving by dr cause, near the model configuration: with T = tr S - S, S = sum s s^T, it is at most
 * sqrt(2) |sum dr s^T| over the least eigenvalue of T, which |T^-1| bounds; in the plane T is the trace. */
double bl_mesh_change(const bl_mechanism *m, bl_index body, const double *last, const double *now) {
    const bl_mesh_body *mesh = bl_mesh_of(m, body);
    double mean[3], D[3][3] = {{0}}, S[3][3] = {{0}};
    mean_of(&mesh->solid->mesh, mean);
    for (bl_index i = 0; i < mesh->solid->mesh.nnode; i++) {
        double r[3] = {0, 0, 0}, s[3];
        bl_index dir = mesh->dir[i];
        for (int k = 0; k < 3; k++) {
            s[k] = mesh->solid->mesh.x[i][k] - mean[k];
            for (bl_index e = m->form_ptr[dir * m->dim + k]; k < m->dim && e < m->form_ptr[dir * m->dim + k + 1]; e++)
                if (m->form_entry[e] < m->nfree) /* others do not move */
                    r[k] += m->form_coef[e] * (now[m->form_entry[e]] - (last ? last[m->form_entry[e]] : 0));
        }
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) {
                D[j][k] += r[j] * s[k];
                S[j][k] += s[j] * s[k];
            }
    }
    double trace = S[0][0] + S[1][1] + S[2][2], T[3][3], C[3][3];
    if (m->dim == 2)
        return size_of((const double(*)[3])D) * sqrt(2) / trace;
    for (int j = 0; j < 3; j++)
        for (int k = 0; k < 3; k++)
            T[j][k] = (j == k ? trace : 0) - S[j][k];
    double det = cofactors3((const double(*)[3])T, C); /* |T^-1| is at least 1 / its least eigenvalue */
    return size_of((const double(*)[3])D) * sqrt(2) * size_of((const double(*)[3])C) / det;
}

void bl_mesh_mean_now(const bl_mech_work *w, const bl_mark *mark, double *at, double *rate) {
    bl_pose pose;
    double R[3][3], s[3];
    bl_mesh_pose(w->m, w, mark->body, &pose, R);
    for (int k = 0; k < 3; k++)
        s[k] = dot3(R[k], mark->s);
    cross3(pose.angular_velocity, s, rate);
    for (int k = 0; k < 3; k++) {
        at[k] = pose.position[k] + s[k];
        rate[k] += pose.velocity[k];
    }
}
