/* Which points act in a step. At a point with gap g at the mid point and velocity u- before:
 *
 *     g <= 0      u+ >= -e u-     (0 where bodies approach more slowly than a few times what gravity adds in a step)
 *     g > 0       u+ >= min(-2 g/h, -e u-), where no impact is ahead: it closes at the end of the step at the earliest
 *
 * Impacts with restitution wait until g <= 0, when they have their velocity; with friction, too: an impact whose sliding reverses, divided
 * over two steps, ends with other velocities for every position in the step.
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
static bool acts(const bl_stepping *s, double h, double resting, const bl_stepping_law *law, double gap, bl_cone_contact *c, double *u) {
    *u = approach(s, c);
    c->target = *u < -resting || *u > 0 ? -law->restitution * *u : 0;
    if (gap <= 0)
        return true;
    bool whole = *u < -resting && (law->restitution > 0 || law->friction > 0);
    c->target = fmin(c->target, -2 * gap / h);
    return !whole;
}

/* The memory of a pair passes to its points of this step: an impulse to the point of the same number; those of numbers that are no more to
 * the nearest points that have none. Numbers change where edges lie above each other, and a load that is forgotten falls for a step. */
static void hand_over(bl_contact_pair *pair, int n, const uint32_t *number, double (*at)[3]) {
    double impulse[BL_CONTACT_POINTS][3] = {{0}};
    bool had[BL_CONTACT_POINTS] = {false}, gone[BL_CONTACT_POINTS] = {false};
    for (int k = 0; k < pair->count; k++) {
        int i = 0;
        while (i < n && number[i] != pair->number[k])
            i++;
        gone[k] = i == n;
        if (i < n) {
            had[i] = true;
            memcpy(impulse[i], pair->impulse[k], sizeof *impulse);
        }
    }
    for (int k = 0; k < pair->count; k++) {
        int nearest = -1;
        double least = INFINITY;
        for (int i = 0; i < n && gone[k]; i++) {
            const double d[3] = {at[i][0] - pair->at[k][0], at[i][1] - pair->at[k][1], at[i][2] - pair->at[k][2]};
            if (!had[i] && dot3(d, d) < least)
                least = dot3(d, d), nearest = i;
        }
        if (nearest < 0)
            continue;
        had[nearest] = true;
        memcpy(impulse[nearest], pair->impulse[k], sizeof *impulse);
    }
    pair->count = (uint8_t)n;
    memcpy(pair->number, number, (size_t)n * sizeof *number);
    memcpy(pair->at, at, (size_t)n * sizeof *at);
    memcpy(pair->impulse, impulse, (size_t)n * sizeof *impulse);
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

/* bodies of a mechanism that are kept apart by its joints overlap there */
static bool kept_apart(const bl_stepping *s, const bl_contact_pair *pair) {
    bl_index one = s->scene.shape[pair->one].body, other = s->scene.shape[pair->other].body;
    bl_index low = one < other ? one : other, high = one < other ? other : one, from = 0, to = s->napart;
    while (from < to) {
        bl_index at = (from + to) / 2, a = s->apart[at][0], b = s->apart[at][1];
        if (a == low && b == high)
            return true;
        if (a < low || (a == low && b < high))
            from = at + 1;
        else
            to = at;
    }
    return false;
}

static void find_bound(bl_stepping *s, bl_index index, double h, double resting, double *fastest) {
    const bl_stepping_bound *bound = s->bound + index;
    bl_cone_contact c = {.body = {0, bound->body}, .n = {bound->side}};
    double u;
    if (!acts(s, h, resting, &(bl_stepping_law){.restitution = bound->restitution}, bound->gap, &c, &u))
        return;
    *fastest = fmin(*fastest, u);
    s->found[s->ncontact++] =
        (bl_stepping_found){.at = {.normal = {bound->side}, .gap = bound->gap}, .target = c.target, .pair = -1 - index, .joined = true};
}

static void find_pair(bl_stepping *s, bl_index index, double h, double resting, double *fastest) {
    bl_contact_pair *pair = s->sweep.pair + index;
    bl_contact_point point[BL_CONTACT_POINTS];
    bool apart = s->law[pair->law].apart && s->napart > 0 && kept_apart(s, pair);
    int n = apart ? 0 : points(s, pair, point), kept = 0;
    uint32_t number[BL_CONTACT_POINTS];
    double at[BL_CONTACT_POINTS][3];
    for (int k = 0; k < n; k++) {
        bl_cone_contact c;
        double u;
        place(s, pair, point + k, &c);
        if (!acts(s, h, resting, &s->law[pair->law], point[k].gap, &c, &u))
            continue;
        *fastest = fmin(*fastest, u);
        number[kept] = point[k].number;
        for (int i = 0; i < 3; i++)
            at[kept][i] = c.r[0][i] + c.r[1][i];
        bool joined = s->joined[c.body[0]] || s->joined[c.body[1]];
        s->found[s->ncontact++] = (bl_stepping_found){point[k], c.target, index, (uint8_t)kept, joined};
        kept++;
    }
    hand_over(pair, kept, number, at);
}

static void arrange_bound(bl_stepping *s, const bl_stepping_found *f, bl_cone_contact *c, double local[9], bl_index at) {
    const bl_stepping_bound *bound = s->bound + (-1 - f->pair);
    *c = (bl_cone_contact){.body = {0, bound->body}, .n = {bound->side}, .target = f->target};
    bl_cone_joined_prepare(&s->with, s->body, c, local);
    s->P[at][0] = bound->P;
    s->P[at][1] = s->P[at][2] = 0;
    s->touch[at] = (bl_stepping_touch){f->pair, 0, f->at.gap};
}

/* heights of points against gravity, in levels of equal size; one more, the last, for those with a side in a mechanism */
typedef struct levels {
    double low, by;
} levels;

static double height(const bl_stepping *s, bl_index i) {
    bl_index first = i - s->found[i].point, count = s->found[i].pair < 0 ? 1 : s->sweep.pair[s->found[i].pair].count;
    double sum = 0;
    for (bl_index k = first; k < first + count; k++)
        sum -= dot3(s->scene.gravity, s->found[k].at.at);
    return sum / count;
}

static int level_of(const bl_stepping *s, const levels *l, bl_index i) {
    double level = l->by * (height(s, i) - l->low);
    if (s->found[i].joined)
        return BL_STEPPING_LEVELS;
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
    for (int k = 0; k <= BL_STEPPING_LEVELS; k++)
        s->bin[k + 1] += s->bin[k];
    return l;
}

/* Contacts from the lowest to the highest: sweeps forward and back carry the load of a pile through all of it, and few are enough. In
 * another order, as by colors without common bodies, each carries it some layers far, and walls fall. */
static void arrange(bl_stepping *s) {
    levels l = find_levels(s);
    bl_index alone = s->ncontact - s->njoined;
    for (bl_index i = 0; i < s->ncontact; i++) {
        const bl_stepping_found *f = s->found + i;
        bl_index at = s->bin[level_of(s, &l, i)]++;
        bl_cone_contact *c = s->contact + at;
        if (f->pair < 0) {
            arrange_bound(s, f, c, s->with.local[at - alone], at);
            continue;
        }
        const bl_contact_pair *pair = s->sweep.pair + f->pair;
        place(s, pair, &f->at, c);
        c->mu = s->law[pair->law].friction;
        c->target = f->target;
        if (f->joined)
            bl_cone_joined_prepare(&s->with, s->body, c, s->with.local[at - alone]);
        else
            bl_cone_contact_prepare(s->body, c);
        bl_cone_contact_guess(c, pair->impulse[f->point], s->P[at]);
        s->touch[at] = (bl_stepping_touch){f->pair, f->point, f->at.gap};
    }
}

static bl_status count_joined(bl_stepping *s) {
    s->njoined = 0;
    for (bl_index i = 0; i < s->ncontact; i++)
        s->njoined += s->found[i].joined;
    if (s->njoined == 0)
        return BL_OK;
    double(*local)[9] = s->with.local;
    BL_TRY(BL_RESERVE(s->ctx, local, s->local_room, s->njoined));
    s->with = *s->groups;
    s->with.local = local;
    return BL_OK;
}

bl_status bl_stepping_find(bl_stepping *s, double h, double *scale) {
    bl_index most = BL_CONTACT_POINTS * s->sweep.npair + s->nbound;
    double pull = h * norm3(s->scene.gravity), fastest = 0;
    BL_TRY(BL_RESERVE(s->ctx, s->found, s->found_room, most));
    BL_TRY(BL_RESERVE(s->ctx, s->contact, s->contact_room, most));
    BL_TRY(BL_RESERVE(s->ctx, s->touch, s->touch_room, most));
    BL_TRY(BL_RESERVE(s->ctx, s->gap, s->gap_room, most));
    BL_TRY(BL_RESERVE(s->ctx, s->blocks.run, s->run_room, most));
    BL_TRY(BL_RESERVE(s->ctx, s->blocks.block, s->block_room, most / 2));
    BL_TRY(BL_RESERVE(s->ctx, s->P, s->P_room, most));
    BL_TRY(BL_RESERVE(s->ctx, s->work, s->work_room, 6 * most + 12 * s->scene.nbody));
    s->ncontact = 0;
    for (bl_index i = 0; i < s->sweep.npair; i++)
        find_pair(s, i, h, s->options.resting > 0 ? s->options.resting : stepping_resting * pull, &fastest);
    for (bl_index k = 0; k < s->nbound; k++)
        find_bound(s, k, h, s->options.resting > 0 ? s->options.resting : stepping_resting * pull, &fastest);
    BL_TRY(count_joined(s));
    arrange(s);
    bl_cone_blocks_prepare(s->body, s->ncontact - s->njoined, s->contact, &s->blocks);
    *scale = fmax(pull, -stepping_speed * fastest);
    return BL_OK;
}

void bl_stepping_remember(bl_stepping *s) {
    for (bl_index k = 0; k < s->nbound; k++)
        s->bound[k].P = 0;
    for (bl_index i = 0; i < s->ncontact; i++)
        if (s->touch[i].pair < 0)
            s->bound[-1 - s->touch[i].pair].P = s->P[i][0];
        else
            bl_cone_contact_impulse(s->contact + i, s->P[i], s->sweep.pair[s->touch[i].pair].impulse[s->touch[i].point]);
}

/* of the smaller shape; of a bound that of its variable */
static double size_of(const bl_stepping *s, const bl_stepping_touch *touch) {
    if (touch->pair < 0)
        return s->bound[-1 - touch->pair].size;
    const bl_contact_pair *pair = s->sweep.pair + touch->pair;
    return fmin(s->size[pair->one], s->size[pair->other]);
}

bl_index bl_stepping_deepest(const bl_stepping *s, double h, double *share, double *depth) {
    bl_index deepest = -1;
    *share = *depth = 0;
    for (bl_index i = 0; i < s->ncontact; i++) {
        double inside = 0.5 * h * approach(s, s->contact + i) - s->touch[i].gap, size = size_of(s, s->touch + i);
        if (!(inside > *share * size))
            continue;
        deepest = i;
        *depth = inside;
        *share = inside / size;
    }
    return deepest;
}

/* sweeps: no load holds bodies down in them, so that more of them lift what rests */
enum { SEPARATING = 4 };

/* gaps at the end from those at the mid point; points that open are left alone */
static double end_gaps(bl_stepping *s, double h, double most) {
    double pull = h * norm3(s->scene.gravity), worst = 0;
    for (bl_index i = 0; i < s->ncontact; i++) {
        double u[3], size = size_of(s, s->touch + i);
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

/* what displaces bodies of mechanisms */
static void collect_shifts(bl_stepping *s, double (*P)[3]) {
    memset(s->shift, 0, (size_t)s->scene.nbody * sizeof *s->shift);
    s->shifted = true;
    for (bl_index i = s->ncontact - s->njoined; i < s->ncontact; i++) {
        const bl_cone_contact *c = s->contact + i;
        for (int side = 0; side < 2; side++) {
            double *shift = s->shift[c->body[side]], length = side ? P[i][0] : -P[i][0], moment[3];
            cross3(c->r[side], c->n, moment);
            for (int k = 0; k < 3; k++) {
                shift[k] += length * c->n[k];
                shift[3 + k] += length * moment[k];
            }
        }
    }
}

void bl_stepping_separate(bl_stepping *s, double h) {
    s->shifted = false;
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
    for (bl_index i = 0; i < s->ncontact; i++)
        s->contact[i].target = -s->gap[i];
    bl_cone_sweeps sweeps = {.most = SEPARATING, .blocks = &s->blocks, .groups = s->njoined ? &s->with : NULL, .njoined = s->njoined};
    double(*length)[3] = (double(*)[3])s->work;
    bl_cone_bodies_separate(s->ctx, s->body, s->ncontact, s->contact, length, &sweeps);
    if (s->njoined)
        collect_shifts(s, length);
    for (bl_index i = 0; i < s->scene.nbody; i++) {
        const bl_cone_body *b = s->body + i;
        if (b->by_mass == 0 || s->joined[i] || (norm3(b->v) == 0 && norm3(b->w) == 0))
            continue;
        for (int k = 0; k < 3; k++)
            s->at[i][k] += b->v[k];
        s->lift_work -= dot3(s->scene.gravity, b->v) / b->by_mass;
        bl_stepping_turn(s->turn[i], b->w);
        if (s->round[i] > 0)
            continue;
        bl_stepping_axes(s->turn[i], s->frame[i].axes);
        bl_stepping_tensor(s, i, s->frame[i].axes, s->body[i].tensor);
        s->lift_work -= 0.5 * dot3(s->w[i], s->spin[i]); /* the momentum stays, its velocity turns with the body */
        bl_stepping_spin_of(s->body[i].tensor, s->spin[i], s->w[i]);
        s->lift_work += 0.5 * dot3(s->w[i], s->spin[i]);
    }
}
