/* Motions named by variables and bodies (motion_names.h). */
#include "study/motion_names.h"
#include "study/linear_limits.h"

#include "study/equilibrium_private.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_WORDS = 3, PARTS = 6 };

double bl_model_size(const bl_model *model) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, most = 0;
    for (bl_index b = 1; b < model->nbody; b++) {
        const bl_body *body = &model->body[b];
        for (int k = 0; k < 3; k++) {
            double reach = body->mass > 0 ? sqrt(fabs(body->inertia[(k + 1) % 3][(k + 1) % 3]) / body->mass) : 0;
            low[k] = fmin(low[k], body->center[k] - reach);
            high[k] = fmax(high[k], body->center[k] + reach);
        }
    }
    for (bl_index i = 0; i < model->npoint; i++)
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], model->point[i].at[k]);
            high[k] = fmax(high[k], model->point[i].at[k]);
        }
    for (int k = 0; k < 3; k++)
        most = fmax(most, high[k] - low[k]);
    return most > 0 && most < INFINITY ? most : 1;
}

/* ---- candidates for names: variables, then positions and rotations of bodies, the heaviest first */

typedef struct words {
    const bl_model *model;
    double size;
    bl_index nvariable, nbody; /* candidates: variables, then PARTS of each body in `order` */
    bl_index *order;
    double *rates; /* [motions][candidates] */
    void *block;
} words;

static void sort_bodies(words *w) {
    const bl_body *body = w->model->body;
    for (bl_index i = 0; i < w->nbody; i++) {
        bl_index at = i;
        for (; at > 0 && body[w->order[at - 1]].mass < body[i + 1].mass; at--)
            w->order[at] = w->order[at - 1];
        w->order[at] = i + 1;
    }
}

static bl_index candidates(const words *w) { return w->nvariable + PARTS * w->nbody; }

static void name_of(const words *w, bl_index i, char *text, size_t size) {
    if (i < w->nvariable) {
        snprintf(text, size, "%s", w->model->variable[i].name);
        return;
    }
    bl_index part = (i - w->nvariable) % PARTS, body = w->order[(i - w->nvariable) / PARTS];
    snprintf(text, size, part < 3 ? "%s.%c" : "%s about %c", w->model->body[body].name, "xyz"[part % 3]);
}

/* rates[candidates] along x, in radians and model sizes */
static bl_status rates_of(const words *w, const bl_system *sys, bl_eval *eval, const double *x, double *rates) {
    const double *v = eval->v;
    eval->v = x;
    eval->have &= BL_OF_POSITION | eval->constant;
    bl_status status = bl_system_eval(sys, eval, BL_VARIABLES | BL_POSE);
    for (bl_index i = 0; status == BL_OK && i < w->nvariable; i++)
        rates[i] = eval->variable_rate[i] / (w->model->variable[i].is_angle ? 1 : w->size);
    for (bl_index b = 0; status == BL_OK && b < w->nbody; b++)
        for (int k = 0; k < 3; k++) {
            const bl_pose *pose = &eval->pose[w->order[b]];
            rates[w->nvariable + PARTS * b + k] = pose->velocity[k] / w->size;
            rates[w->nvariable + PARTS * b + 3 + k] = pose->angular_velocity[k];
        }
    eval->v = v;
    eval->have &= BL_OF_POSITION | eval->constant;
    return status;
}

/* for motions x[count][n]; the caller frees w->block, also after failure */
static bl_status words_create(const bl_model *model, const bl_system *sys, bl_eval *eval, bl_index count, const double *x, words *w) {
    *w = (words){.model = model, .size = bl_model_size(model), .nvariable = model->nvariable, .nbody = model->nbody - 1};
    size_t n = (size_t)(sys->nv + sys->nz), each = (size_t)candidates(w);
    BL_TRY(BL_NEW_ARRAYS(sys->ctx, w->block, BL_ARRAY(w->order, w->nbody), BL_ARRAY(w->rates, (size_t)count * each)));
    sort_bodies(w);
    for (size_t k = 0; k < (size_t)count; k++)
        BL_TRY(rates_of(w, sys, eval, x + k * n, w->rates + k * each));
    return BL_OK;
}

static double fastest(const double *rates, bl_index from, bl_index to, bl_index *which) {
    double most = 0;
    *which = from;
    for (bl_index i = from; i < to; i++)
        if (fabs(rates[i]) > most * (1 + 1e-6)) { /* the first of equal ones */
            most = fabs(rates[i]);
            *which = i;
        }
    return most;
}

/* range of candidates worth naming: variables, or components of the heaviest body that moves */
static void choose(const words *w, const double *rates, bl_index *from, bl_index *to) {
    bl_index which;
    double body = fastest(rates, w->nvariable, candidates(w), &which);
    *from = 0;
    *to = w->nvariable;
    if (fastest(rates, 0, w->nvariable, &which) >= study_names_by_variables * body)
        return;
    for (bl_index b = 0; b < w->nbody; b++) {
        *from = w->nvariable + PARTS * b;
        *to = *from + PARTS;
        if (fastest(rates, *from, *to, &which) >= 0.5 * body)
            return;
    }
}

static size_t write_largest(const words *w, double *rates, bl_index from, bl_index to, char *text, size_t size) {
    bl_index which;
    double first = 0;
    size_t used = 0;
    for (int k = 0; k < MOST_WORDS && used < size; k++) {
        double most = fastest(rates, from, to, &which);
        if (!(most > 0) || (k > 0 && most < study_names_worth * fabs(first)))
            break;
        char name[96];
        name_of(w, which, name, sizeof name);
        first = k == 0 ? rates[which] : first;
        used += (size_t)snprintf(text + used, size - used, "%s%s (%.3g)", used ? ", " : "", name, rates[which] / first);
        rates[which] = 0;
    }
    return used;
}

bl_status bl_motion_of_bodies(const bl_model *model, const bl_system *sys, bl_eval *eval, const double *x, char *text, size_t size) {
    words w;
    bl_index from, to;
    text[0] = '\0';
    if (!model || model->nbody < 2) {
        bl_motion_words(sys, x, text, size);
        return BL_OK;
    }
    bl_status status = words_create(model, sys, eval, 1, x, &w);
    if (status == BL_OK) {
        choose(&w, w.rates, &from, &to);
        write_largest(&w, w.rates, from, to, text, size);
    }
    bl_free(sys->ctx, w.block);
    return status;
}

bl_status bl_motion_measure(const bl_model *model, const bl_system *sys, bl_eval *eval, const double *x, bl_motion_unit *unit) {
    words w;
    bl_index from, to, which;
    *unit = (bl_motion_unit){.rate = NAN};
    if (!model || model->nbody < 2)
        return BL_OK;
    bl_status status = words_create(model, sys, eval, 1, x, &w);
    if (status == BL_OK) {
        choose(&w, w.rates, &from, &to);
        if (fastest(w.rates, from, to, &which) > 0) {
            name_of(&w, which, unit->name, sizeof unit->name);
            unit->is_angle = which >= w.nvariable ? (which - w.nvariable) % PARTS >= 3 : model->variable[which].is_angle;
            unit->rate = w.rates[which] * (unit->is_angle ? 1 : w.size);
        }
    }
    bl_free(sys->ctx, w.block);
    return status;
}

/* ---- several motions: elimination of candidates, so that each motion is named by one that the later ones do not move */

static void eliminate(bl_index n, bl_index count, double *rates, bl_index k, bl_index pivot, bl_index row) {
    for (bl_index i = 0; i < n; i++) {
        double keep = rates[row * n + i];
        rates[row * n + i] = rates[k * n + i];
        rates[k * n + i] = keep;
    }
    for (bl_index m = k + 1; m < count; m++) {
        double by = rates[m * n + pivot] / rates[k * n + pivot];
        for (bl_index i = 0; i < n; i++)
            rates[m * n + i] -= by * rates[k * n + i];
        rates[m * n + pivot] = 0;
    }
}

static bl_index largest_of(const double *rates, bl_index n, bl_index from, bl_index to, bl_index k, bl_index count, bl_index *row) {
    double most = 0;
    bl_index pivot = -1;
    for (bl_index i = from; i < to; i++)
        for (bl_index m = k; m < count; m++)
            if (fabs(rates[m * n + i]) > most * (1 + 1e-6)) {
                most = fabs(rates[m * n + i]);
                pivot = i;
                *row = m;
            }
    return most > 0 ? pivot : -1;
}

static void write_apart(const words *w, bl_index count, double *rates, char *text, size_t size) {
    bl_index n = candidates(w), row = 0;
    size_t used = 0;
    double all = 0;
    for (bl_index i = 0; i < n * count; i++)
        all = fmax(all, fabs(rates[i]));
    for (bl_index k = 0; k < count && used < size; k++) {
        bl_index pivot = largest_of(rates, n, 0, w->nvariable, k, count, &row);
        if (pivot < 0 || fabs(rates[row * n + pivot]) < study_names_by_variables * all)
            for (bl_index b = 0; b < w->nbody; b++) { /* the heaviest body that distinguishes them */
                pivot = largest_of(rates, n, w->nvariable + PARTS * b, w->nvariable + PARTS * (b + 1), k, count, &row);
                if (pivot >= 0 && fabs(rates[row * n + pivot]) > study_names_by_variables * all)
                    break;
            }
        if (pivot < 0 || !(fabs(rates[row * n + pivot]) > study_names_zero * all))
            return;
        char name[96];
        name_of(w, pivot, name, sizeof name);
        used += (size_t)snprintf(text + used, size - used, "%s%s", used ? "; " : "", name);
        eliminate(n, count, rates, k, pivot, row);
    }
}

bl_status bl_motions_apart(const bl_model *model, const bl_system *sys, bl_eval *eval, bl_index count, const double *x, char *text,
                           size_t size) {
    words w;
    size_t n = (size_t)(sys->nv + sys->nz), used = 0;
    text[0] = '\0';
    if (!model || model->nbody < 2) {
        for (bl_index k = 0; k < count && used < size; k++) {
            char one[128];
            bl_motion_words(sys, x + (size_t)k * n, one, sizeof one);
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? "; " : "", one);
        }
        return BL_OK;
    }
    bl_status status = words_create(model, sys, eval, count, x, &w);
    if (status == BL_OK)
        write_apart(&w, count, w.rates, text, size);
    bl_free(sys->ctx, w.block);
    return status;
}
