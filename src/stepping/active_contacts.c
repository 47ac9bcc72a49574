/* Which points act in a step. At a point with gap g at the mid point and velocity u- before:
 *
 *     g <= 0      u+ >= -e u-     (0 where bodies approach more slowly than a few times what gravity adds in a step)
 *     g > 0       u+ >= min(-2 g/h, -e u-), where the contact does not bounce: it closes at the end of the step at the earliest
 *
 * The second line is Moreau's law one step ahead. Energy does not grow: with s = target + e u- <= 0 and impulses P, P . u+ = P . target,
 * (1 + e) P . u- = P . s - P . D P <= 0, and the change of energy is P . (u- + u+) / 2 = ((1 - e) P . u- + P . s) / 2. All points within
 * reach are included: which of them carry load depends on the others. */
#include "stepping/stepping_limits.h"
#include "stepping/stepping_private.h"

#include "base/vector3.h"
#include "contact/box_contacts.h"

#include <string.h>

/* velocities at the contact before the step, along its normal */
static double approach(const bl_stepping *s, const bl_cone_contact *c) {
    double one[3], other[3], sum = 0;
    cross3(s->before[c->body[0]], c->r[0], one);
    cross3(s->before[c->body[1]], c->r[1], other);
    for (int k = 0; k < 3; k++)
        sum += c->n[k] * (s->old[c->body[1]][k] + other[k] - s->old[c->body[0]][k] - one[k]);
    return sum;
}

/* whether the point acts, and the velocity it demands */
static bool acts(const bl_stepping *s, double h, double resting, double restitution, double gap, bl_cone_contact *c, double *u) {
    *u = approach(s, c);
    c->target = *u < -resting || *u > 0 ? -restitution * *u : 0;
    if (gap <= 0)
        return true;
    bool bounces = c->target > 0;
    c->target = fmin(c->target, -2 * gap / h);
    return !bounces;
}

/* which impulse of the last step belongs to the point; -1: none */
static int guess_of(const bl_contact_pair *pair, uint32_t number) {
    for (int k = 0; k < pair->count; k++)
        if (pair->number[k] == number)
            return k;
    return -1;
}

static int points(bl_stepping *s, bl_contact_pair *pair, bl_contact_point *point) {
    const bl_contact_solid *one = s->solid + pair->one, *other = s->solid + pair->other;
    double margin = s->margin[pair->one] + s->margin[pair->other];
    if (one->shape->what == BL_CONTACT_BOX && other->shape->what == BL_CONTACT_BOX)
        return bl_box_box_hinted(one, other, margin, &pair->hint, point);
    return bl_contact_points(one, other, margin, point);
}

/* body indices, normal and arms */
static void place(const bl_stepping *s, const bl_contact_pair *pair, const bl_contact_point *point, bl_cone_contact *c) {
    c->body[0] = s->scene.shape[pair->one].body;
    c->body[1] = s->scene.shape[pair->other].body;
    for (int i = 0; i < 3; i++) {
        c->n[i] = point->normal[i];
        c->r[0][i] = point->at[i] - s->at[c->body[0]][i];
        c->r[1][i] = point->at[i] - s->at[c->body[1]][i];
    }
}

static void find_pair(bl_stepping *s, bl_index index, double h, double resting, double *fastest) {
    bl_contact_pair *pair = s->sweep.pair + index;
    bl_contact_point point[BL_CONTACT_POINTS];
    int n = points(s, pair, point), kept = 0;
    uint32_t number[BL_CONTACT_POINTS];
    for (int k = 0; k < n; k++) {
        bl_cone_contact c;
        double u;
        place(s, pair, point + k, &c);
        if (!acts(s, h, resting, s->law[pair->law].restitution, point[k].gap, &c, &u))
            continue;
        *fastest = fmin(*fastest, u);
        number[kept] = point[k].number;
        s->found[s->ncontact++] = (bl_stepping_found){point[k], c.target, index, (uint8_t)kept, (int8_t)guess_of(pair, point[k].number)};
        kept++;
    }
    pair->count = (uint8_t)kept;
    memcpy(pair->number, number, (size_t)kept * sizeof *number);
}

/* heights of points against gravity, in levels of equal size */
typedef struct levels {
    double low, by;
} levels;

static double height(const bl_stepping *s, bl_index i) { return -dot3(s->scene.gravity, s->found[i].at.at); }

static int level_of(const bl_stepping *s, const levels *l, bl_index i) {
    double level = l->by * (height(s, i) - l->low);
    return !(level > 0) ? 0 : level < BL_STEPPING_LEVELS - 1 ? (int)level : BL_STEPPING_LEVELS - 1;
}

/* how many points lie in each, and where the first of them goes */
static levels find_levels(bl_stepping *s) {
    double low = INFINITY, high = -INFINITY;
    for (bl_index i = 0; i < s->ncontact; i++) {
        low = fmin(low, height(s, i));
        high = fmax(high, height(s, i));
    }
    levels l = {low, high > low ? BL_STEPPING_LEVELS / (high - low) : 0};
    memset(s->bin, 0, sizeof s->bin);
    for (bl_index i = 0; i < s->ncontact; i++)
        s->bin[level_of(s, &l, i) + 1]++;
    for (int k = 0; k < BL_STEPPING_LEVELS; k++)
        s->bin[k + 1] += s->bin[k];
    return l;
}

/* Contacts from the lowest to the highest: sweeps forward and back carry the load of a pile through all of it, and few are enough. In
 * another order, as by colors without common bodies, each carries it some layers far, and walls fall. */
static void arrange(bl_stepping *s) {
    levels l = find_levels(s);
    for (bl_index i = 0; i < s->ncontact; i++) {
        const bl_stepping_found *f = s->found + i;
        const bl_contact_pair *pair = s->sweep.pair + f->pair;
        static const double none[3] = {0};
        bl_index at = s->bin[level_of(s, &l, i)]++;
        bl_cone_contact *c = s->contact + at;
        place(s, pair, &f->at, c);
        c->mu = s->law[pair->law].friction;
        c->target = f->target;
        bl_cone_contact_prepare(s->body, c);
        bl_cone_contact_guess(c, f->guess < 0 ? none : pair->impulse[f->guess], s->P[at]);
        s->touch[at] = (bl_stepping_touch){f->pair, f->point, f->at.gap};
    }
}

bl_status bl_stepping_find(bl_stepping *s, double h, double *scale) {
    bl_index most = BL_CONTACT_POINTS * s->sweep.npair;
    double pull = h * norm3(s->scene.gravity), fastest = 0;
    BL_TRY(BL_RESERVE(s->ctx, s->found, s->found_room, most));
    BL_TRY(BL_RESERVE(s->ctx, s->contact, s->contact_room, most));
    BL_TRY(BL_RESERVE(s->ctx, s->touch, s->touch_room, most));
    BL_TRY(BL_RESERVE(s->ctx, s->gap, s->gap_room, most));
    BL_TRY(BL_RESERVE(s->ctx, s->length, s->length_room, most));
    BL_TRY(BL_RESERVE(s->ctx, s->P, s->P_room, most));
    BL_TRY(BL_RESERVE(s->ctx, s->work, s->work_room, 6 * most + 12 * s->scene.nbody));
    s->ncontact = 0;
    for (bl_index i = 0; i < s->sweep.npair; i++)
        find_pair(s, i, h, s->options.resting > 0 ? s->options.resting : stepping_resting * pull, &fastest);
    arrange(s);
    *scale = fmax(pull, -stepping_speed * fastest);
    return BL_OK;
}

void bl_stepping_remember(bl_stepping *s) {
    for (bl_index i = 0; i < s->ncontact; i++)
        bl_cone_contact_impulse(s->contact + i, s->P[i], s->sweep.pair[s->touch[i].pair].impulse[s->touch[i].point]);
}

/* gaps at the end from those at the mid point; points that open are left alone */
static double end_gaps(bl_stepping *s, double h, double most) {
    double pull = h * norm3(s->scene.gravity), worst = 0;
    for (bl_index i = 0; i < s->ncontact; i++) {
        const bl_contact_pair *pair = s->sweep.pair + s->touch[i].pair;
        double u[3], size = fmin(s->size[pair->one], s->size[pair->other]);
        bl_cone_contact_velocity(s->body, s->contact + i, u);
        double opening = dot3(s->contact[i].n, u);
        s->gap[i] = s->touch[i].gap + 0.5 * h * opening;
        if (opening > stepping_resting * pull && s->gap[i] < 0)
            s->gap[i] = 0;
        worst = fmin(worst, s->gap[i] / size);
        s->gap[i] += most * size; /* only what is beyond is removed: bodies at rest stay on each other */
    }
    return -worst;
}

void bl_stepping_separate(bl_stepping *s, double h) {
    const double most = s->options.overlap > 0 ? s->options.overlap : stepping_overlap;
    double overlap = end_gaps(s, h, most);
    s->stats.largest_overlap = fmax(s->stats.largest_overlap, overlap);
    if (!(overlap > 2 * most)) /* down to the half of what makes it necessary: not in every step */
        return;
    s->stats.separated++;
    for (bl_index i = 0; i < s->scene.nbody; i++) {
        memset(s->body[i].v, 0, sizeof s->body[i].v);
        memset(s->body[i].w, 0, sizeof s->body[i].w);
    }
    bl_cone_bodies_separate(s->body, s->ncontact, s->contact, s->gap, s->length, 10, 0);
    for (bl_index i = 0; i < s->scene.nbody; i++) {
        const bl_cone_body *b = s->body + i;
        if (b->by_mass == 0 || (norm3(b->v) == 0 && norm3(b->w) == 0))
            continue;
        for (int k = 0; k < 3; k++)
            s->at[i][k] += b->v[k];
        bl_stepping_turn(s->turn[i], b->w);
        if (s->round[i] > 0)
            continue;
        bl_stepping_axes(s->turn[i], s->frame[i].axes);
        bl_stepping_tensor(s, i, s->frame[i].axes, s->body[i].tensor);
        bl_stepping_spin_of(s->body[i].tensor, s->spin[i], s->w[i]);
    }
}
