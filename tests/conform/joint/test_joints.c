/* Every joint kind of the list, with random geometry in random positions. The second body is moved along the degrees of freedom by rotation
 * matrices computed here; primitives are evaluated here from marks and poses. Allowed motions must not violate the constraints, variables
 * must have the values of the motion, and the number of independent gradients must be that of the kind. */
#include "support/handmade.h"

#include "joint/touch.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CASES = 200, MAX_ROWS = 3 * BL_MAX_PRIMS };

static const double pi = 3.14159265358979323846;

/* ---- independent evaluation of primitives */

static void at(const bl_mark *mark, const test_rigid *pose, double x[3]) { test_mark_motion(mark, &pose[mark->body], x, NULL); }

/* values of the joint's variables; angles in (-pi, pi] */
static void read_variables(bl_index n, const bl_prim *prim, const test_rigid *pose, double *variable) {
    for (bl_index i = 0; i < n; i++) {
        const bl_prim *p = &prim[i];
        double a[3], b[3], c[3], d[3], x[3];
        if (bl_prim_is_relation(p) || p->var[0] < 0)
            continue;
        at(&p->a, pose, a);
        at(&p->b, pose, b);
        at(&p->c, pose, c);
        at(&p->d, pose, d);
        for (int k = 0; k < 3; k++)
            x[k] = b[k] - a[k];
        if (p->what == BL_TRAVEL)
            variable[p->var[0]] = test_dot(x, c);
        if (p->what == BL_DISTANCE)
            variable[p->var[0]] = test_norm(x);
        if (p->what == BL_ANGLE) {
            test_cross(a, b, x);
            variable[p->var[0]] = atan2(test_dot(x, c), test_dot(a, b)) - p->zero;
        }
        if (p->what == BL_ANGLES) { /* r_B = cos b a' + sin b v, v_B = cos c v'' - sin c u' */
            double *v = a, *r = c, *vB = b, *rB = d, u[3], u1[3], v2[3];
            test_cross(v, r, u);
            double alpha = atan2(test_dot(rB, u), test_dot(rB, r)), beta = asin(fmax(-1, fmin(1, test_dot(rB, v))));
            for (int k = 0; k < 3; k++) {
                u1[k] = -sin(alpha) * r[k] + cos(alpha) * u[k];
                v2[k] = -sin(beta) * (cos(alpha) * r[k] + sin(alpha) * u[k]) + cos(beta) * v[k];
            }
            variable[p->var[0]] = alpha;
            variable[p->var[1]] = beta;
            variable[p->var[2]] = atan2(-test_dot(vB, u1), test_dot(vB, v2));
        }
    }
}

/* The least of |c - p| or -c . p over a curve, by many points of it and golden section between the neighbors of the best. */
static double least_of_curve(const bl_curve *curve, const double p[2], bool support, bool *outside) {
    enum { POINTS = 200 };
    double from, to, best = INFINITY, at = 0, c[3][2], shrink = 0.6180339887498949;
    bl_curve_range(curve, &from, &to);
    double width = (to - from) / POINTS;
    for (int i = 0; i <= POINTS; i++) {
        bl_curve_at(curve, from + width * i, c);
        double e = support ? -c[0][0] * p[0] - c[0][1] * p[1] : hypot(c[0][0] - p[0], c[0][1] - p[1]);
        if (e < best) {
            best = e;
            at = from + width * i;
        }
    }
    double low = at - width, high = at + width;
    for (int i = 0; i < 60; i++) {
        double s[2] = {high - shrink * (high - low), low + shrink * (high - low)}, e[2];
        for (int k = 0; k < 2; k++) {
            bl_curve_at(curve, s[k], c);
            e[k] = support ? -c[0][0] * p[0] - c[0][1] * p[1] : hypot(c[0][0] - p[0], c[0][1] - p[1]);
        }
        *(e[0] < e[1] ? &high : &low) = e[0] < e[1] ? s[1] : s[0];
        best = fmin(best, fmin(e[0], e[1]));
    }
    bl_curve_at(curve, (low + high) / 2, c);
    *outside = (p[0] - c[0][0]) * c[1][1] - (p[1] - c[0][1]) * c[1][0] > 0;
    return best;
}

/* residual of contact with a curve */
static double contact(const bl_prim *p, const double x[3], const test_rigid *pose) {
    double axis[3][3], at_curve[2];
    bool outside;
    for (int k = 0; k < 3; k++)
        at(&p->mark[2 + k], pose, axis[k]);
    if (p->what == BL_ON_FACE) {
        at_curve[0] = test_dot(axis[0], axis[1]);
        at_curve[1] = test_dot(axis[0], axis[2]);
        return test_dot(x, axis[0]) + least_of_curve(&p->curve, at_curve, true, &outside);
    }
    at_curve[0] = test_dot(x, axis[0]);
    at_curve[1] = test_dot(x, axis[1]);
    double distance = least_of_curve(&p->curve, at_curve, false, &outside);
    return (outside ? distance : -distance) - p->value;
}

/* A plane and a surface: the height of the center less that of the lowest point of the surface, by its own formula. */
static double gap_of(const bl_prim *p, const double x[3], const test_rigid *pose) {
    double n[3], axis[3], reach = p->number[0], square = 0;
    int first = 2 + p->axes;
    at(&p->mark[2], pose, n);
    at(&p->mark[first], pose, axis);
    if (p->touch == &bl_touch_plane_disc)
        reach = p->number[0] * sin(acos(fmax(-1, fmin(1, test_dot(n, axis))))) + p->number[1];
    for (int k = 0; p->touch == &bl_touch_plane_ellipsoid && k < p->axes; k++) {
        at(&p->mark[first + k], pose, axis);
        square += pow(p->number[k] * test_dot(n, axis), 2);
    }
    if (p->touch == &bl_touch_plane_ellipsoid && p->axes == 1)
        square += pow(p->number[1], 2) * (1 - pow(test_dot(n, axis), 2));
    if (p->touch == &bl_touch_plane_ellipsoid)
        reach = sqrt(square);
    return test_dot(x, n) - reach - p->value;
}

/* residuals of all constraints; returns their number */
static int residuals(bl_index n, const bl_prim *prim, const test_rigid *pose, int dim, double *row) {
    double variable[16] = {0};
    int m = 0;
    read_variables(n, prim, pose, variable);
    for (bl_index i = 0; i < n; i++) {
        const bl_prim *p = &prim[i];
        double a[3], b[3], c[3], d[3], x[3], sum = -p->value;
        at(&p->a, pose, a);
        at(&p->b, pose, b);
        at(&p->c, pose, c);
        at(&p->d, pose, d);
        for (int k = 0; k < 3; k++)
            x[k] = b[k] - a[k];
        switch (p->what) {
        case BL_COINCIDE:
        case BL_SAME:
            for (int k = 0; k < dim; k++)
                row[m++] = x[k];
            break;
        case BL_DOT: row[m++] = test_dot(a, b) - p->value; break;
        case BL_PLANE: row[m++] = test_dot(x, c) - p->value; break;
        case BL_TWIST: row[m++] = (test_dot(c, b) - test_dot(a, d)) / 2 - p->value; break;
        case BL_DISTANCE:
            if (p->var[0] < 0)
                row[m++] = test_norm(x) - p->value;
            break;
        case BL_ON_CURVE:
        case BL_ON_FACE: row[m++] = contact(p, x, pose); break;
        case BL_TOUCH: row[m++] = gap_of(p, x, pose); break;
        case BL_LINEAR:
            for (int k = 0; k < 3; k++)
                sum += p->var[k] >= 0 ? p->coef[k] * variable[p->var[k]] : 0;
            row[m++] = sum;
            break;
        default: break;
        }
    }
    return m;
}

static double largest(int m, const double *row) {
    double size = 0;
    for (int i = 0; i < m; i++)
        size = fmax(size, fabs(row[i]));
    return size;
}

/* ---- motions of the second body relative to the first: x -> R x + p in the first body's axes */

typedef struct motion {
    double R[3][3], p[3];
} motion;

static void follow(motion *total, const motion *next) { /* total = total o next */
    double moved[3];
    test_apply(total->R, next->p, moved);
    for (int k = 0; k < 3; k++)
        total->p[k] += moved[k];
    test_multiply(total->R, next->R, total->R);
}

static void turn_about(const double axis[3], const double point[3], double angle, motion *m) {
    double moved[3];
    test_turn(axis, angle, m->R);
    test_apply(m->R, point, moved);
    for (int k = 0; k < 3; k++)
        m->p[k] = point[k] - moved[k];
}

static const motion rest = {.R = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

static void place(const bl_model *model, const bl_joint_def *def, const motion *m, test_rigid *pose) {
    const test_rigid *A = &pose[def->body[0]];
    test_rigid *B = &pose[def->body[1]];
    double x[3], y[3];
    for (int k = 0; k < 3; k++)
        x[k] = model->body[def->body[1]].center[k] - model->body[def->body[0]].center[k];
    test_apply(m->R, x, y);
    for (int k = 0; k < 3; k++)
        y[k] += m->p[k];
    test_apply(A->R, y, x);
    for (int k = 0; k < 3; k++)
        B->p[k] = A->p[k] + x[k];
    test_multiply(A->R, m->R, B->R);
}

/* amount[6]: one per rotation and sliding axis; spherical joints take three (successive rotations about x, y, z) */
static int move_along(bl_index n, const bl_joint_dof *freedom, const double *amount, motion *total) {
    int used = 0;
    *total = rest;
    for (bl_index i = 0; i < n; i++) {
        motion next = rest;
        const bl_joint_dof *f = &freedom[i];
        if (f->what == BL_TURN) {
            turn_about(f->axis, f->at, amount[used++], &next);
        } else if (f->what == BL_SLIDE) {
            for (int k = 0; k < 3; k++)
                next.p[k] = amount[used] * f->axis[k];
            used++;
        } else {
            for (int k = 0; k < 3; k++) {
                double axis[3] = {k == 0, k == 1, k == 2};
                turn_about(axis, f->at, amount[used++], &next);
                if (k < 2)
                    follow(total, &next);
            }
        }
        follow(total, &next);
    }
    return used;
}

/* a small motion along one of the 6 (3) relative degrees of freedom, about the second body's mass center */
static void nudge(int dim, int which, double amount, const double center[3], motion *m) {
    motion next = rest;
    if (which < dim) {
        next.p[which] = amount;
    } else {
        double axis[3] = {0};
        axis[dim == 2 ? 2 : which - dim] = 1;
        turn_about(axis, center, amount, &next);
    }
    motion before = *m;
    *m = next;
    follow(m, &before);
}

/* mass center of the second body, in the axes of the first */
static void second_center(const test_model *made, const motion *m, double center[3]) {
    const bl_index *body = made->joint[0].body;
    for (int k = 0; k < 3; k++)
        center[k] = made->body[body[1]].center[k] - made->body[body[0]].center[k];
    test_apply(m->R, center, center);
    for (int k = 0; k < 3; k++)
        center[k] += m->p[k];
}

/* ---- a random joint of a kind, by its parameter table alone */

/* The lift of a cam: up and down by 0.03 with rests; a closed curve: an oval of 0.5 by 0.3. */
static const bl_profile *lift(void) {
    static bl_profile_piece piece[4];
    static const bl_profile made = {.npiece = 4, .piece = piece, .period = 2 * 3.14159265358979323846};
    static const double rise[4] = {0.03, 0, -0.03, 0};
    double value = 0;
    for (int i = 0; i < 4; i++) {
        bl_profile_rise(i % 3, i * pi / 2, pi / 2, value, rise[i], &piece[i]);
        value += rise[i];
    }
    return &made;
}

static const bl_profile *oval(int part) {
    enum { POINTS = 17 };
    static bl_profile_piece piece[2][POINTS - 1];
    static bl_profile made[2] = {{.npiece = POINTS - 1, .piece = piece[0], .period = POINTS - 1},
                                 {.npiece = POINTS - 1, .piece = piece[1], .period = POINTS - 1}};
    double s[POINTS], y[POINTS], work[5 * POINTS];
    for (int i = 0; i < POINTS; i++) {
        s[i] = i;
        y[i] = part ? 0.3 * sin(2 * pi * (i % (POINTS - 1)) / (POINTS - 1)) : 0.5 * cos(2 * pi * (i % (POINTS - 1)) / (POINTS - 1));
    }
    bl_profile_spline(POINTS, s, y, true, work, piece[part]);
    return &made[part];
}

/* a joint with a shape of its own is not closed in the model configuration, whatever its dimensions */
static bool has_shape(const bl_joint_kind *kind) {
    bool found = false;
    for (int i = 0; kind->kind.params && kind->kind.params[i].type != BL_P_END; i++)
        found = found || kind->kind.params[i].type == BL_P_PROFILE || kind->kind.params[i].type == BL_P_CURVE;
    return found;
}

static bl_value *value_of(bl_joint_def *def, const char *name) {
    const bl_param *params = def->kind->kind.params;
    for (int i = 0; params && params[i].type != BL_P_END; i++)
        if (!strcmp(params[i].name, name))
            return &def->value[i];
    return NULL;
}

/* gap of the joint in the model configuration; infinite: it is refused */
static double misfit(const test_model *made, const bl_joint_def *def) {
    bl_joint_parts parts;
    test_rigid pose[4];
    double row[MAX_ROWS];
    if (bl_joint_make(&made->model, def, &parts) != BL_OK)
        return INFINITY;
    for (int i = 0; i < 4; i++)
        test_rigid_identity(&made->body[i], &pose[i]);
    return largest(residuals(parts.nprim, parts.prim, pose, made->model.dim, row), row);
}

/* Candidates for a value; points and directions may have to be along the axis or perpendicular to it. */
enum { GUESSES = 3 };
static void guess(const bl_param *param, int attempt, const double at[3], const double axis[3], int dim, test_random *random,
                  bl_value *value) {
    double shift[3], along;
    value->given = true;
    if (param->type == BL_P_POINT) {
        test_random_vector(random, dim, attempt ? 1 : 2, shift);
        along = test_dot(shift, axis);
        for (int k = 0; k < 3; k++)
            value->vector[k] = attempt == 0 ? shift[k] : at[k] + (attempt == 1 ? along * axis[k] : shift[k] - along * axis[k]);
    } else if (param->type == BL_P_VECTOR) {
        test_random_direction(random, dim, shift);
        test_cross(axis, shift, value->vector);
        double size = test_norm(value->vector);
        for (int k = 0; k < 3; k++)
            value->vector[k] = attempt == 0 ? shift[k] : attempt == 1 ? value->vector[k] / size : axis[k];
    } else if (param->type == BL_P_FLAG) {
        value->number = test_random_below(random, 2);
    } else if (param->type == BL_P_PROFILE) {
        value->profile[0] = lift();
    } else if (param->type == BL_P_CURVE) {
        value->profile[0] = oval(0);
        value->profile[1] = oval(1);
    } else {
        value->number = 0.2 + test_random_unit(random);
    }
}

/* Required parameters have any value; optional ones are sometimes given, with a candidate that keeps the joint closed. */
static void fill(test_model *made, const bl_joint_kind *kind, int dim, test_random *random) {
    static const double z[3] = {0, 0, 1};
    bl_joint_def *def = &made->joint[0];
    *def = (bl_joint_def){.name = "j", .kind = kind, .body = {1, 2}, .first_var = 1};
    made->model.njoint = 1;
    made->model.nvariable = 8;
    if (test_random_below(random, 4) == 0)
        def->body[test_random_below(random, 2)] = 0;
    bl_value *disc = value_of(def, "disc"); /* one of the shapes that roll, on a plane across z */
    if (disc) {
        static const char *const shape[] = {"disc", "ball", "ellipsoid"};
        bl_value *chosen = value_of(def, shape[test_random_below(random, 3)]);
        *chosen = (bl_value){.given = true, .number = 0.7 + 0.5 * test_random_symmetric(random)};
        if (chosen == value_of(def, "ellipsoid"))
            *chosen = (bl_value){.given = true, .number = dim, .vector = {0.7, 0.4, 0.3 + 0.2 * test_random_unit(random)}};
        if (dim == 3)
            *value_of(def, "axis") = (bl_value){.given = true, .vector = {1, test_random_symmetric(random), test_random_symmetric(random)}};
    }
    for (int optional = 0; optional < 2; optional++)
        for (int i = 0; kind->kind.params && kind->kind.params[i].type != BL_P_END; i++) {
            const bl_param *param = &kind->kind.params[i];
            const bl_value *at = value_of(def, "at"), *axis = value_of(def, "axis");
            bool space = dim == 2 && (param->flags & BL_SPACE_ONLY);
            if (!optional && !def->value[i].given)
                def->value[i].number = param->fallback;
            if (space || optional != !(param->flags & BL_REQUIRED) || (optional && test_random_below(random, 2)) ||
                (disc && def->value[i].given))
                continue;
            for (int attempt = 0; attempt < (optional ? GUESSES : 1); attempt++) {
                guess(param, attempt, at && at->given ? at->vector : z, axis && axis->given ? axis->vector : z, dim, random,
                      &def->value[i]);
                double gap = optional ? misfit(made, def) : 0;
                if (gap < 1e-12 || (has_shape(kind) && gap < INFINITY))
                    break;
                def->value[i] = (bl_value){.number = param->fallback};
            }
        }
}

/* Amounts allowed by the joint's own relations of variables: the last variable of a LINEAR primitive follows from the others. */
static void obey(bl_index n, const bl_prim *prim, bl_index nf, const bl_joint_dof *freedom, double *amount) {
    for (bl_index i = 0; i < n; i++)
        if (prim[i].what == BL_LINEAR) {
            int last = prim[i].var[2] >= 0 ? 2 : 1;
            double sum = 0; /* amounts are changes, so the constant of the relation cancels */
            for (int k = 0; k < last; k++)
                for (bl_index j = 0; j < nf; j++)
                    if (freedom[j].var == prim[i].var[k])
                        sum += prim[i].coef[k] * amount[j];
            for (bl_index j = 0; j < nf; j++)
                if (freedom[j].var == prim[i].var[last])
                    amount[j] = -sum / prim[i].coef[last];
        }
}

/* ---- gradients by central differences over the 6 (3) relative motions of the second body */

static const double step = 1e-5;

static void gradients(const test_model *made, bl_index n, const bl_prim *prim, const motion *m, test_rigid *pose, double *gradient) {
    const bl_joint_def *def = &made->joint[0];
    int dim = made->model.dim, full = dim == 3 ? 6 : 3;
    double plus[MAX_ROWS], minus[MAX_ROWS], center[3];
    second_center(made, m, center);
    for (int j = 0; j < full; j++) {
        motion up = *m, down = *m;
        nudge(dim, j, step, center, &up);
        nudge(dim, j, -step, center, &down);
        place(&made->model, def, &up, pose);
        int rows = residuals(n, prim, pose, dim, plus);
        place(&made->model, def, &down, pose);
        residuals(n, prim, pose, dim, minus);
        for (int i = 0; i < rows; i++)
            gradient[i * full + j] = (plus[i] - minus[i]) / (2 * step);
    }
}

/* least change that makes all linearized rows vanish, by one row at a time (Kaczmarz) */
static void least_change(int rows, int full, const double *gradient, const double *row, double *change) {
    memset(change, 0, 6 * sizeof *change);
    for (int k = 0; k < 2000 * rows; k++) {
        const double *g = gradient + k % rows * full;
        double square = 0, open = row[k % rows];
        for (int j = 0; j < full; j++) {
            square += g[j] * g[j];
            open += g[j] * change[j];
        }
        for (int j = 0; j < full && square > 0; j++)
            change[j] -= open * g[j] / square;
    }
}

/* A motion of a joint that has no degrees of freedom in a tree: a random displacement, then back along the gradients until nothing is
 * violated. */
static void settle(const test_model *made, bl_index n, const bl_prim *prim, const double *amount, test_rigid *pose, motion *m) {
    int dim = made->model.dim, full = dim == 3 ? 6 : 3;
    double row[MAX_ROWS], gradient[MAX_ROWS * 6], center[3], change[6];
    second_center(made, m, center);
    for (int j = 0; j < full; j++)
        nudge(dim, j, amount[j], center, m);
    for (int sweep = 0; sweep < 60; sweep++) {
        place(&made->model, &made->joint[0], m, pose);
        int rows = residuals(n, prim, pose, dim, row);
        if (rows == 0 || largest(rows, row) < 1e-14)
            return;
        gradients(made, n, prim, m, pose, gradient);
        least_change(rows, full, gradient, row, change);
        second_center(made, m, center);
        double size = largest(full, change);
        for (int j = 0; j < full; j++)
            nudge(dim, j, size > 0.5 ? 0.5 * change[j] / size : change[j], center, m);
    }
}

static void rotation_is_proper(const test_rigid *rigid) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            assert_true(fabs(test_dot(rigid->R[i], rigid->R[j]) - (i == j)) < 1e-13);
}

/* ---- drawings: points and directions positioned by the poses alone agree with the primitives, also after a motion */

static void shown(const test_model *made, bl_index body, const test_rigid *pose, const double p[3], bool direction, double x[3]) {
    double from[3];
    for (int k = 0; k < 3; k++) {
        assert_true(isfinite(p[k]));
        from[k] = direction ? p[k] : p[k] - made->body[body].center[k];
    }
    test_apply(pose[body].R, from, x);
    for (int k = 0; k < 3 && !direction; k++)
        x[k] += pose[body].p[k];
}

static void same_place(const char *kind, const char *what, const bl_mark *mark, const test_rigid *pose, const double x[3]) {
    double y[3], d[3];
    at(mark, pose, y);
    for (int k = 0; k < 3; k++)
        d[k] = y[k] - x[k];
    if (!(test_norm(d) < 1e-12))
        fail_msg("%s: its picture shows the %s %g away", kind, what, test_norm(d));
}

static void check_picture(const test_model *made, const bl_joint_def *def, bl_index n, const bl_prim *prim, const test_rigid *pose,
                          const double *variable) {
    const char *name = def->kind->kind.name;
    bl_joint_picture p;
    double point[2][3], axis[2][3], reference[2][3];
    assert_int_equal(bl_joint_draw(&made->model, def, &p), BL_OK);
    assert_false(p.relation);
    for (int side = 0; side < 2; side++) {
        shown(made, def->body[side], pose, p.at[side], false, point[side]);
        shown(made, def->body[side], pose, p.axis[side], true, axis[side]);
        shown(made, def->body[side], pose, p.reference[side], true, reference[side]);
        if (p.has & (side ? BL_PICTURE_AXIS_B : BL_PICTURE_AXIS))
            assert_near(test_norm(axis[side]), 1, 1e-12);
    }
    for (bl_index i = 0; i < n; i++) {
        const bl_prim *one = &prim[i];
        bool points = one->what == BL_COINCIDE || one->what == BL_PLANE || one->what == BL_TRAVEL || one->what == BL_DISTANCE;
        if (points) {
            same_place(name, "first point", &one->a, pose, point[0]);
            same_place(name, "second point", &one->b, pose, point[1]);
        }
        if (one->what == BL_SAME && (p.has & BL_PICTURE_AXIS_B)) {
            same_place(name, "axis", &one->a, pose, axis[0]);
            same_place(name, "second axis", &one->b, pose, axis[1]);
        }
        if (one->what == BL_ANGLE && (p.has & BL_PICTURE_REFERENCE_B)) {
            same_place(name, "reference", &one->a, pose, reference[0]);
            same_place(name, "second reference", &one->b, pose, reference[1]);
            same_place(name, "axis", &one->c, pose, axis[0]);
        }
        if (one->what == BL_ANGLE && !(p.has & BL_PICTURE_REFERENCE) && !p.pitch) /* two arms: one axis for each angle */
            same_place(name, "arm", &one->c, pose, axis[one->c.body == def->body[1]]);
        if (one->what == BL_TRAVEL && !(p.has & BL_PICTURE_PLANE))
            same_place(name, "axis", &one->c, pose, axis[0]);
        if (one->what == BL_PLANE && (p.has & BL_PICTURE_PLANE))
            same_place(name, "normal", &one->c, pose, axis[0]);
        if (one->what == BL_LINEAR) /* an angle is known up to full revolutions */
            assert_near(remainder(variable[one->var[1]] - p.pitch * variable[one->var[0]] / (2 * pi), p.pitch), 0, 1e-11);
    }
    double d[3] = {point[1][0] - point[0][0], point[1][1] - point[0][1], point[1][2] - point[0][2]};
    int distances = 0, relations = 0;
    for (bl_index i = 0; i < n; i++) {
        distances += prim[i].what == BL_DISTANCE;
        relations += prim[i].what == BL_LINEAR;
    }
    assert_int_equal(p.bar, distances > 0);
    if (p.bar && !p.free)
        assert_near(test_norm(d), p.length, 1e-12);
    assert_int_equal(p.pitch != 0, relations > 0);
}

/* ---- the tests, for one kind in one dimension */

/* a flag may make a joint measure a variable instead of constraining it */
static bool only_measures(const bl_joint_def *def) {
    bool flagged = false;
    for (int i = 0; def->kind->kind.params[i].type != BL_P_END; i++)
        flagged = flagged || (def->kind->kind.params[i].type == BL_P_FLAG && def->value[i].number != 0);
    return flagged;
}

static void check_kind(const bl_joint_kind *kind, int dim, test_random *random) {
    bl_context *ctx = test_context(NULL);
    int full = dim == 3 ? 6 : 3;
    for (int c = 0; c < CASES; c++) {
        test_model made;
        bl_joint_def *def = &made.joint[0];
        bl_joint_parts parts;
        bl_index forbids = 0;
        test_model_init(&made, ctx, dim, random);
        fill(&made, kind, dim, random);
        assert_int_equal(bl_joint_make(&made.model, def, &parts), BL_OK);
        const bl_prim *prim = parts.prim;
        const bl_joint_dof *freedom = parts.dof;
        bl_index n = parts.nprim, nf = parts.ndof;
        assert_in_range(n, 1, BL_MAX_PRIMS);
        for (bl_index i = 0; i < n; i++)
            forbids += bl_prim_forbids(&prim[i], dim);
        bl_index slips = 0;
        for (bl_index i = 0; i < n; i++)
            slips += bl_prim_is_slip(&prim[i]);
        assert_int_equal(slips, dim == 3 ? kind->slips_3d : kind->slips_2d);
        if (!(only_measures(def) && forbids == 0))
            assert_int_equal(forbids, dim == 3 ? kind->forbids_3d : kind->forbids_2d);
        for (bl_index i = 0; i < n; i++)
            assert_true(prim[i].meaning && prim[i].meaning[0]);

        test_rigid pose[4];
        for (int i = 0; i < 4; i++)
            test_rigid_identity(&made.body[i], &pose[i]);
        if (def->body[0] > 0)
            test_rigid_random(random, dim, &pose[def->body[0]]);
        else
            assert_int_equal(def->body[0], 0);
        /* the model configuration closes the joint, and variables are zero unless the table specifies otherwise */
        double row[MAX_ROWS], before[16] = {0}, after[16] = {0}, amount[6];
        motion m = rest;
        place(&made.model, def, &m, pose);
        int rows = residuals(n, prim, pose, dim, row);
        assert_true(largest(rows, row) < 1e-12 || has_shape(kind));
        read_variables(n, prim, pose, before);

        /* motions along degrees of freedom do not change the primitives, and the variables have the values of the motion */
        for (int k = 0; k < 6; k++)
            amount[k] = 1.4 * test_random_symmetric(random); /* the second of three successive angles stays within +-pi/2 */
        int used = 0;
        if (!kind->closes_only) {
            assert_in_range(nf, 0, BL_MAX_JOINT_DOF);
            obey(n, prim, nf, freedom, amount);
            used = move_along(nf, freedom, amount, &m);
        } else {
            settle(&made, n, prim, amount, pose, &m);
        }
        place(&made.model, def, &m, pose);
        rotation_is_proper(&pose[def->body[1]]);
        residuals(n, prim, pose, dim, row);
        if (largest(rows, row) > 1e-12)
            fail_msg("%s in %dD, case %d: moving along its degrees of freedom changes a primitive by %g", kind->kind.name, dim, c,
                     largest(rows, row));
        read_variables(n, prim, pose, after);
        check_picture(&made, def, n, prim, pose, after);
        for (bl_index i = 0, k = 0; i < nf; i++) {
            if (freedom[i].var >= 0) {
                double error = after[freedom[i].var] - before[freedom[i].var] - amount[k];
                error -= freedom[i].what == BL_TURN ? 2 * pi * round(error / (2 * pi)) : 0;
                if (fabs(error) > 1e-11)
                    fail_msg("%s in %dD, case %d: variable %d is off by %g", kind->kind.name, dim, c, (int)freedom[i].var, error);
            }
            k += freedom[i].what == BL_BALL ? 3 : 1;
        }

        /* as many independent gradients as constrained degrees of freedom */
        double gradient[MAX_ROWS * 6], h = step, center[3];
        second_center(&made, &m, center);
        gradients(&made, n, prim, &m, pose, gradient);
        assert_int_equal(test_rank(rows, full, gradient, 1e-5), forbids);

        /* all other motions are degrees of freedom: changes of the pose along them are independent and complete the space */
        if (!kind->closes_only) {
            double change[6 * 12];
            int relations = 0;
            for (bl_index i = 0; i < n; i++)
                relations += prim[i].what == BL_LINEAR;
            for (int j = 0; j < used; j++) {
                double more[6], less[6];
                test_rigid high, low;
                memcpy(more, amount, sizeof more);
                memcpy(less, amount, sizeof less);
                more[j] += h;
                less[j] -= h;
                move_along(nf, freedom, more, &m);
                place(&made.model, def, &m, pose);
                high = pose[def->body[1]];
                move_along(nf, freedom, less, &m);
                place(&made.model, def, &m, pose);
                low = pose[def->body[1]];
                for (int k = 0; k < 3; k++)
                    change[j * 12 + k] = (high.p[k] - low.p[k]) / (2 * h);
                for (int k = 0; k < 9; k++)
                    change[j * 12 + 3 + k] = (high.R[k / 3][k % 3] - low.R[k / 3][k % 3]) / (2 * h);
            }
            assert_int_equal(used - relations, full - forbids);
            if (used)
                assert_int_equal(test_rank(used, 12, change, 1e-5), used);
        }

        /* a random motion in another direction violates a constraint */
        if (forbids > 0) {
            double size = 0;
            for (int attempt = 0; attempt < 3; attempt++) {
                m = rest;
                for (int j = 0; j < full; j++)
                    nudge(dim, j, test_random_symmetric(random), center, &m);
                place(&made.model, def, &m, pose);
                residuals(n, prim, pose, dim, row);
                size = fmax(size, largest(rows, row));
            }
            assert_true(size > 1e-4);
        }
        test_model_end(&made);
    }
    test_context_end(ctx);
}

static void every_joint__forbids_and_allows_what_it_says(void **unused) {
    (void)unused;
    test_random random = {test_seed(20240601)};
    int checked = 0;
    for (size_t i = 0; i < bl_joint_kind_count; i++) {
        const bl_joint_kind *kind = bl_joint_kinds[i];
        assert_true((kind->kind.gives & BL_IN_PLANE) ? kind->forbids_2d + kind->slips_2d > 0 : kind->forbids_2d + kind->slips_2d == 0);
        assert_true((kind->kind.gives & BL_IN_SPACE) ? kind->forbids_3d + kind->slips_3d > 0 : kind->forbids_3d + kind->slips_3d == 0);
        assert_true(bl_param_count(kind->kind.params) <= BL_MAX_PARAMS);
        for (int dim = 2; dim <= 3 && kind->nbody == 2; dim++)
            if (kind->kind.gives & (dim == 2 ? BL_IN_PLANE : BL_IN_SPACE)) {
                check_kind(kind, dim, &random);
                checked++;
            }
    }
    printf("%d kinds and dimensions, %d cases each\n", checked, CASES);
}

/* whether its ratio can be left out */
static bool has_alternative(const bl_joint_kind *kind) {
    return !(kind->kind.params[test_param(kind->kind.params, "ratio")].flags & BL_REQUIRED);
}

static void relations__tie_their_variables(void **unused) {
    (void)unused;
    test_random random = {test_seed(20240602)};
    for (size_t i = 0; i < bl_joint_kind_count; i++) {
        const bl_joint_kind *kind = bl_joint_kinds[i];
        for (int c = 0; c < CASES && kind->nbody == 0; c++) {
            test_model made;
            test_model_init(&made, NULL, 3, &random);
            bl_joint_def def = {.name = "j", .kind = kind, .body = {-1, -1}};
            made.joint[0] = (bl_joint_def){.name = "hinge", .kind = &bl_joint_revolute, .body = {0, 1}, .first_var = 3};
            made.joint[0].value[test_param(bl_joint_revolute.kind.params, "axis")] = (bl_value){.given = true, .vector = {0, 0, 1}};
            for (int k = 0, ref = 3; kind->kind.params[k].type != BL_P_END; k++) {
                const bl_param *param = &kind->kind.params[k];
                bool variable = param->type == BL_P_VARIABLE, flag = param->type == BL_P_FLAG;
                /* one of two ways to give the ratio: by itself, or by radii and teeth */
                bool own = strcmp(param->name, "ratio") == 0, alternative = !own && !variable && strcmp(param->name, "offset") != 0;
                bool other_way = !(param->flags & BL_REQUIRED) && (c % 2 ? alternative : own) && has_alternative(kind);
                def.value[k] = (bl_value){.given = !other_way, .ref = variable ? ref++ : 0, .number = test_random_symmetric(&random) + 2};
                if (flag)
                    def.value[k].number = test_random_below(&random, 2);
                if (param->type == BL_P_PROFILE)
                    def.value[k].profile[0] = lift();
                if (param->type == BL_P_NUMBERS) {
                    def.value[k].vector[0] = def.value[k].number;
                    def.value[k].vector[1] = test_random_unit(&random) + 1;
                    def.value[k].number = 2;
                }
            }
            bl_joint_parts parts;
            bl_index relations = 0;
            assert_int_equal(bl_joint_make(&made.model, &def, &parts), BL_OK);
            for (bl_index p = 0; p < parts.nprim; p++) {
                assert_true(bl_prim_is_relation(&parts.prim[p]));
                assert_true(parts.prim[p].coef[0] != 0 && parts.prim[p].coef[1] != 0);
                relations += bl_prim_forbids(&parts.prim[p], 3);
            }
            assert_int_equal(relations, kind->forbids_3d);
            /* a change of the variables as in the drawing satisfies the relation */
            const bl_joint_picture *shown = &parts.picture;
            double sum = 0;
            assert_true(shown->relation);
            for (int k = 0; k < 3; k++) {
                sum += parts.prim[0].var[k] == shown->variable[0] ? parts.prim[0].coef[k] : 0;
                sum += parts.prim[0].var[k] == shown->variable[1] ? parts.prim[0].coef[k] * shown->ratio : 0;
            }
            assert_true(fabs(sum) < 1e-14);
            /* one of three is what the other two are measured from: all may rotate together */
            const double *coef = parts.prim[0].coef;
            assert_int_equal(shown->variable[2] >= 0, parts.prim[0].var[2] >= 0);
            if (shown->variable[2] >= 0)
                assert_true(fabs(coef[0] + coef[1] + coef[2]) < 1e-14);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_joint__forbids_and_allows_what_it_says),
        cmocka_unit_test(relations__tie_their_variables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
