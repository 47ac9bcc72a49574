/* mebdf_auto that recognizes stiff oscillations and then uses A-stable members only, up to order 4.
 *
 * Beyond order 4 the formulas amplify oscillations y' = i w y with h w from 0.3 to 9 (order 5: 0.3 .. 2, order 8: 1.2 .. 6.3): one that is
 * hardly damped, and too small to matter, is sustained by the method itself and limits the step to a fraction of its period forever.
 *
 * Recognition: such an oscillation shows in the difference d of degree order + 1, which limits the step: it exceeds the smooth
 * parts by (h w)^(order + 1). With F = (I - c f_y)^-1, the present iteration matrix, d, F d and F^2 d span the plane of an eigenpair if
 * there is one: F^2 d = p1 F d + p0 d in least squares, mu^2 = p1 mu + p0, h lambda = (h / c) (1 - 1 / mu). Two solves, now and then; no
 * evaluation of the equations where they are y' = f.
 *
 * Decision: with lambda near the imaginary axis, h |lambda| in the doubtful range and an amplitude of at most some thousand tolerances the
 * order is limited to 4, or to 3, which damps more, while the amplitude is large. After some steps it searches again. If the oscillation is
 * gone, all orders are allowed. If it is smaller, the limit remains. Otherwise it pauses, twice as long each time, since then the
 * oscillation is part of the solution.
 *
 * Addresses a question of E. Alberdi Celaya's thesis (Universidad del Pais Vasco), section 8.2: an adaptive method that finds a suitable
 * order for vibrations. Spectral radii: docs/theory/adaptive.md. */
#include "integrate/integrate_limits.h"
#include "integrate/mebdf_auto.h"

#include <math.h>
#include <string.h>

enum { A_STABLE = 4, DAMPING = 3 };                                /* highest orders while an oscillation is being damped */
enum { EVERY = 4, SHORT_HOLD = 32, LONG_HOLD = 4096, PAUSE = 64 }; /* steps */

static const double SLOW = 0.3, FAST = 9; /* h |lambda| that orders above 4 amplify */

typedef struct stiff_auto {
    bl_mebdf mebdf; /* first */
    int allowed;    /* highest order when nothing oscillates */
    bool holding;
    long left;                         /* steps to the next search while holding */
    long hold, pause, paused;          /* length of a hold; of the next pause; steps left of the present one */
    long since;                        /* steps since the last hold ended */
    double h_before, amplitude_before; /* at the last search while holding */
    int until_search;
} stiff_auto;

typedef struct oscillation {
    double z, angle;  /* h |lambda|, degrees */
    bool clear;       /* nothing else in the error: the angle is reliable */
    double amplitude; /* in tolerances */
} oscillation;

/* The eigenpair of x0, x1 = F x0, x2 = F x1, by least squares over all components in the norm of errors, or over those that participate,
 * each relative to its own size: positions besides velocities, which are w times as large. Writes h lambda. */
static bool find_pair(const bl_backward *backward, const double *x0, const double *x1, const double *x2, bool own_measure, double *re,
                      double *im, bool *clear) {
    double a00 = 0, a01 = 0, a11 = 0, b0 = 0, b1 = 0, b2 = 0, takes_part = integrate_stiff_takes_part * bl_backward_norm(backward, x0);
    for (bl_index i = 0; i < backward->ny; i++) {
        double weight = backward->inverse[i];
        if (own_measure) {
            double most = fmax(fabs(x0[i]), fmax(fabs(x1[i]), fabs(x2[i])));
            if (!(most * weight > takes_part))
                continue;
            weight = 1 / most;
        }
        double u0 = weight * x0[i], u1 = weight * x1[i], u2 = weight * x2[i];
        a00 += u0 * u0;
        a01 += u0 * u1;
        a11 += u1 * u1;
        b0 += u0 * u2;
        b1 += u1 * u2;
        b2 += u2 * u2;
    }
    double det = a00 * a11 - a01 * a01;
    if (!(det > integrate_stiff_direction * a00 * a11))
        return false; /* one direction: real */
    double p0 = (b0 * a11 - b1 * a01) / det, p1 = (a00 * b1 - a01 * b0) / det, half = p1 / 2, across = -half * half - p0;
    double unexplained = (b2 - p0 * b0 - p1 * b1) / b2;
    if (!(across > 0) || unexplained > (own_measure ? integrate_stiff_unexplained_own : integrate_stiff_unexplained))
        return false;
    *clear = unexplained < integrate_stiff_clear;
    double h_over_c = backward->h / backward->implicit.c, size = half * half + across; /* |mu|^2 */
    *re = h_over_c * (1 - half / size);
    *im = h_over_c * sqrt(across) / size;
    return true;
}

/* Examines the step just accepted; true: its error is that of a stiff oscillation. */
static bool search(stiff_auto *own, oscillation *found) {
    bl_backward *backward = &own->mebdf.backward;
    double *x1 = backward->extra[0], *x2 = backward->extra[1], re, im,
           tolerance = backward->integ->control.tolerance; /* stages are not in use */
    size_t bytes = (size_t)backward->ny * sizeof(double);
    memcpy(x1, backward->d, bytes);
    if (bl_implicit_filter(&backward->implicit, x1) != BL_OK)
        return false;
    memcpy(x2, x1, bytes);
    if (bl_implicit_filter(&backward->implicit, x2) != BL_OK)
        return false;
    if (!find_pair(backward, backward->d, x1, x2, false, &re, &im, &found->clear) &&
        !find_pair(backward, backward->d, x1, x2, true, &re, &im, &found->clear))
        return false;
    const double pi = 3.14159265358979323846;
    found->z = hypot(re, im);
    found->angle = atan2(im, -re) * 180 / pi;
    /* a difference of degree m multiplies an oscillation by (2 sin(h w / 2))^m */
    found->amplitude =
        bl_backward_norm(backward, backward->d) / tolerance / pow(2 * sin(fmin(found->z, pi) / 2), backward->order_dense + 1);
    if (!(found->z > SLOW && found->z < FAST && found->angle > 90 - integrate_stiff_steep && found->angle < 90 + integrate_stiff_growing &&
          found->amplitude < integrate_stiff_largest))
        return false;
    /* a large oscillation without any damping is part of the desired solution */
    bool damped = found->clear && found->angle < 90 - integrate_stiff_damped;
    return damped || (found->amplitude < integrate_stiff_undamped && found->amplitude * tolerance < integrate_stiff_part);
}

static void bind(stiff_auto *own, const oscillation *found) {
    bl_backward *backward = &own->mebdf.backward;
    int bound = found->amplitude > integrate_stiff_large ? DAMPING : A_STABLE;
    backward->highest = own->allowed < bound ? own->allowed : bound;
    own->left = own->hold;
    own->h_before = backward->h;
    own->amplitude_before = found->amplitude;
}

static void begin(stiff_auto *own, const oscillation *found) {
    const bl_integrator *integ = own->mebdf.backward.integ;
    /* it returned soon: limit the order for longer */
    own->hold = own->since < own->hold ? (own->hold < LONG_HOLD ? 2 * own->hold : LONG_HOLD) : SHORT_HOLD;
    own->holding = true;
    bind(own, found);
    bl_log(integ->ctx, BL_LOG_INFO, "t = %.6g: stiff oscillation of period %.3g s, amplitude %.0f times the tolerance: orders up to %d",
           integ->t, 2 * 3.14159265358979323846 * own->mebdf.backward.h / found->z, found->amplitude, own->mebdf.backward.highest);
}

static void release(stiff_auto *own, bool gone) {
    bl_backward *backward = &own->mebdf.backward;
    own->holding = false;
    own->since = 0;
    own->paused = gone ? 0 : own->pause;
    own->pause = gone ? PAUSE : 2 * own->pause;
    backward->highest = own->allowed;
    bl_log(backward->integ->ctx, BL_LOG_INFO, "t = %.6g: %s: orders up to %d", backward->integ->t,
           gone ? "the stiff oscillation is gone" : "the oscillation persists, it is part of the solution", own->allowed);
}

static void stiff_watch(bl_backward *backward) {
    stiff_auto *own = (stiff_auto *)backward;
    oscillation found;
    own->since++;
    own->paused -= own->paused > 0;
    if (own->holding) {
        backward->integ->stats.bounded++;
        if (--own->left <= 0) {
            if (!search(own, &found))
                release(own, true);
            else if (backward->h > 1.2 * own->h_before || found.amplitude < 0.7 * own->amplitude_before)
                bind(own, &found);
            else
                release(own, false);
        }
    } else if (--own->until_search <= 0) {
        own->until_search = EVERY;
        double error = bl_backward_norm(backward, backward->d) * backward->error_constant[backward->order_dense];
        if (error > integrate_stiff_error * backward->integ->control.tolerance && own->paused == 0 && search(own, &found))
            begin(own, &found);
    }
    if (backward->order > backward->highest) {
        backward->order = backward->highest;
        backward->order_changed = true;
    }
}

static bl_status stiff_auto_create(bl_integrator *integ) {
    BL_TRY(bl_mebdf_create(integ, sizeof(stiff_auto)));
    stiff_auto *own = integ->own;
    own->allowed = own->mebdf.backward.highest;
    own->hold = SHORT_HOLD;
    own->since = LONG_HOLD;
    own->pause = PAUSE;
    own->mebdf.backward.watch = stiff_watch;
    return BL_OK;
}

static const bl_param params[] =
    BL_BACKWARD_PARAMS("1 to 9; default: 8, with elastic bodies 3, up to which the formulas damp all vibrations");

const bl_integrator_kind bl_integrator_stiff_auto = {
    .kind = {.name = "stiff_auto",
             .help = "mebdf_auto that recognizes stiff oscillations and uses A-stable orders for them",
             .params = params,
             .needs = BL_CAN_STAGE,
             .gives = BL_ADAPTIVE | BL_DENSE | BL_VARIABLE_ORDER},
    .create = stiff_auto_create,
    BL_BACKWARD_SLOTS(BL_BACKWARD_ORDER),
};
