/* The rotation vector a u (angle a < pi, unit axis u) without a singularity at a = 0. From R: sin(a) u is its axial vector, and
 * a / sin(a) = (y / sin(y)) / (c_1 ... c_5) with y = a / 32, c_k = cos(a / 2^k), c_1 = sqrt(1 + trace R) / 2, c_k+1 = sqrt((1 + c_k) / 2).
 * Where y < 0.0982 the power series of y / sin(y) in sin(y)^2 is exact to rounding after eight terms. The coefficient of the rate,
 * K(x) = (1 - x cot x) / x^2, follows from K(x) = (K(x/2) + tan(x/2) / (x/2)) / 4, sums without cancellation. */
#include "force/rotation_vector.h"
#include "force/ops.h"

enum { HALVES = 5 };

/* sum of coef[k] x^k, n terms */
static bl_index polynomial(bl_record *r, int n, const double *coef, bl_index x) {
    bl_index sum = bl_node(r, coef[n - 1]);
    for (int k = n - 2; k >= 0; k--)
        sum = bl_node_add(r, bl_node(r, coef[k]), bl_node_mul(r, x, sum));
    return sum;
}

/* arcsin(s) / s in powers of s^2 */
static const double arc[] = {1, 1.0 / 6, 3.0 / 40, 5.0 / 112, 35.0 / 1152, 63.0 / 2816, 231.0 / 13312, 143.0 / 10240};
/* (1 - x cot x) / x^2 in powers of x^2 */
static const double cotangent[] = {1.0 / 3, 1.0 / 45, 2.0 / 945, 1.0 / 4725, 2.0 / 93555, 1382.0 / 638512875, 4.0 / 18243225};

/* From cos(a / 2): *ratio = a / sin(a), *curve = K(a / 2) / 4. */
static void angle_ratios(bl_record *r, bl_index half_cosine, bl_index *ratio, bl_index *curve) {
    bl_index c[HALVES + 1], one = bl_node(r, 1);
    c[1] = half_cosine;
    for (int k = 2; k <= HALVES; k++)
        c[k] = bl_node_sqrt(r, bl_node_scale(r, 0.5, bl_node_add(r, one, c[k - 1])));
    bl_index square = bl_node_sub(r, one, bl_node_mul(r, c[HALVES], c[HALVES])); /* sin(y)^2 */
    bl_index part = polynomial(r, sizeof arc / sizeof *arc, arc, square);        /* y / sin(y) */
    bl_index y2 = bl_node_mul(r, bl_node_mul(r, part, part), square);
    bl_index K = polynomial(r, sizeof cotangent / sizeof *cotangent, cotangent, y2);
    for (int k = HALVES; k >= 1; k--) {
        /* now part = x / sin(x) and K = K(x), x = a / 2^k */
        if (k > 1) {
            bl_index tangent = bl_node_div(r, one, bl_node_mul(r, part, c[k])); /* tan(x) / x */
            K = bl_node_scale(r, 0.25, bl_node_add(r, K, tangent));
        }
        part = bl_node_div(r, part, c[k]);
    }
    *ratio = part;
    *curve = bl_node_scale(r, 0.25, K);
}

void bl_node_turn_between(bl_record *r, const bl_index e[3][3], const bl_index f[3][3], bl_node_turn *turn) {
    bl_index R[3][3];
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            turn->axis[i][k] = e[i][k];
    if (r->model->dim == 2) {
        turn->angle[0] = turn->angle[1] = turn->curve = bl_node(r, 0);
        turn->angle[2] = bl_tape_op2(r->tape, BL_TAPE_ATAN2, bl_node_dot(r, e[1], f[0]), bl_node_dot(r, e[0], f[0]));
        return;
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            R[i][j] = bl_node_dot(r, e[i], f[j]);
    bl_index trace = bl_node_add(r, bl_node_add(r, R[0][0], R[1][1]), R[2][2]), ratio;
    angle_ratios(r, bl_node_scale(r, 0.5, bl_node_sqrt(r, bl_node_add(r, bl_node(r, 1), trace))), &ratio, &turn->curve);
    for (int k = 0; k < 3; k++) {
        bl_index sine = bl_node_scale(r, 0.5, bl_node_sub(r, R[(k + 2) % 3][(k + 1) % 3], R[(k + 1) % 3][(k + 2) % 3]));
        turn->angle[k] = bl_node_mul(r, ratio, sine);
    }
}

/* x + half angle x x + curve angle x (angle x x) */
static void carry(bl_record *r, const bl_node_turn *turn, double half, const bl_index x[3], bl_index out[3]) {
    bl_index once[3], twice[3];
    if (r->model->dim == 2) { /* all about z */
        out[0] = out[1] = bl_node(r, 0);
        out[2] = x[2];
        return;
    }
    bl_node_cross(r, turn->angle, x, once);
    bl_node_cross(r, turn->angle, once, twice);
    for (int k = 0; k < 3; k++)
        out[k] = bl_node_add(r, bl_node_add(r, x[k], bl_node_scale(r, half, once[k])), bl_node_mul(r, turn->curve, twice[k]));
}

void bl_node_turn_rate(bl_record *r, const bl_node_turn *turn, const bl_index w[3], bl_index rate[3]) {
    bl_index own[3] = {w[0], w[1], w[2]};
    for (int k = 0; k < 3 && r->model->dim == 3; k++)
        own[k] = bl_node_dot(r, turn->axis[k], w);
    carry(r, turn, -0.5, own, rate);
}

void bl_node_turn_moment(bl_record *r, const bl_node_turn *turn, const bl_index f[3], bl_index moment[3]) {
    bl_index own[3];
    carry(r, turn, 0.5, f, own);
    for (int k = 0; k < 3; k++) {
        moment[k] = own[k];
        if (r->model->dim == 3) {
            moment[k] = bl_node_mul(r, own[0], turn->axis[0][k]);
            for (int i = 1; i < 3; i++)
                moment[k] = bl_node_add(r, moment[k], bl_node_mul(r, own[i], turn->axis[i][k]));
        }
    }
}

void bl_node_angular_velocity(bl_record *r, const bl_index u[3][3], const bl_index ud[3][3], bl_index w[3]) {
    bool plane = r->model->dim == 2;
    w[0] = w[1] = w[2] = bl_node(r, 0);
    for (int i = 0; i < (plane ? 1 : 3); i++) {
        bl_index part[3];
        bl_node_cross(r, u[i], ud[i], part);
        for (int k = 0; k < 3; k++)
            w[k] = bl_node_add(r, w[k], plane ? part[k] : bl_node_scale(r, 0.5, part[k]));
    }
}
