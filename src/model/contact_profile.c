/* Height profiles as shapes of contacts: y = f(x) in the plane, an expression of x, segments or a table (profiles.c). Circles and corners
 * touch it anywhere, flat faces its crests, the intervals where it is convex on the free side. */
#include "model/contact_shapes.h"

#include "base/vector3.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = 2000 }; /* of the interval, for crests and hollows */

static bl_status read_side(bl_reader *r, const bl_item *map, bl_curve *curve) {
    const bl_item *side = bl_item_get(map, "side");
    const char *word = "above";
    if (side)
        BL_TRY(bl_item_text(r, side, "side", &word));
    curve->below = strcmp(word, "below") == 0;
    if (curve->below || strcmp(word, "above") == 0)
        return BL_OK;
    return bl_fail(r->ctx, BL_E_MODEL, &side->place, "side of a profile must be 'above' or 'below', found '%s'", word);
}

/* from and to: required for what has no ends of its own */
static bl_status read_interval(bl_reader *r, const bl_item *map, bl_curve *curve) {
    static const char *const keys[] = {"from", "to"};
    double x[2];
    bl_profile_range(curve->height, &x[0], &x[1]);
    if (curve->height->period > 0) /* repeated */
        x[0] = -INFINITY, x[1] = INFINITY;
    for (int k = 0; k < 2; k++) {
        const bl_item *item = bl_item_get(map, keys[k]);
        if (item)
            BL_TRY(bl_item_number(r, item, keys[k], &x[k]));
        if (isfinite(x[k]))
            continue;
        bl_fail(r->ctx, BL_E_MODEL, &map->place, "a profile given by an expression or repeated needs '%s'", keys[k]);
        bl_advise(r->ctx, "from and to are the interval of x in which bodies meet it");
        return BL_E_MODEL;
    }
    if (!(x[0] < x[1]))
        return bl_fail(r->ctx, BL_E_MODEL, &map->place, "from = %g of a profile is not below to = %g", x[0], x[1]);
    curve->from = curve->below ? x[0] : -x[1];
    curve->to = curve->below ? x[1] : -x[0];
    return BL_OK;
}

bl_status bl_contact_profile_read(bl_reader *r, const bl_item *map, bl_touching_shape *s) {
    const bl_item *at = bl_item_get(map, "at"), *height, *angle = bl_item_get(map, "angle");
    double turn = 0;
    if (r->model->dim == 3)
        return bl_fail(r->ctx, BL_E_MODEL, &map->place, "a profile can only be used in planar models");
    BL_TRY(bl_item_need(r, map, "a profile", "height", &height));
    BL_TRY(bl_profile_read(r, height, "height", &s->curve.height));
    if (at)
        BL_TRY(bl_item_point(r, at, "at", s->at));
    if (angle)
        BL_TRY(bl_item_number(r, angle, "angle", &turn));
    s->axis[0][0] = cos(turn), s->axis[0][1] = sin(turn);
    bl_touching_axes(2, s->axis);
    BL_TRY(read_side(r, map, &s->curve));
    return read_interval(r, map, &s->curve);
}

/* a root of the curvature between two parameters */
static double turning_point(const bl_curve *curve, double a, double b) {
    double at_a = bl_curve_bend(curve, a);
    for (int i = 0; i < 60; i++) {
        double middle = 0.5 * (a + b), value = bl_curve_bend(curve, middle);
        if ((value > 0) == (at_a > 0))
            a = middle;
        else
            b = middle;
    }
    return 0.5 * (a + b);
}

bool bl_contact_profile_crest(const bl_curve *profile, double *first, bl_curve *crest) {
    double step = (profile->to - profile->from) / SAMPLES, s = *first, from = NAN;
    for (int i = 0; i <= SAMPLES; i++) {
        double next = profile->from + i * step;
        if (next < *first)
            continue;
        bool convex = bl_curve_bend(profile, next) > 0;
        if (convex && isnan(from))
            from = next > s ? turning_point(profile, s, next) : next;
        if (!isnan(from) && (!convex || i == SAMPLES)) {
            *crest = *profile;
            crest->from = from;
            crest->to = convex ? next : turning_point(profile, s, next);
            *first = next + (i == SAMPLES ? step : 0);
            return true;
        }
        s = next;
    }
    return false;
}

bl_status bl_contact_profile_fits(bl_reader *r, const bl_contact_pair *p, const bl_touching_shape *profile, double radius) {
    const bl_curve *curve = &profile->curve;
    double sharpest = 0, where = 0;
    for (int i = 0; i <= SAMPLES; i++) {
        double s = curve->from + (curve->to - curve->from) * i / SAMPLES, bend = -bl_curve_bend(curve, s);
        if (bend > sharpest)
            sharpest = bend, where = curve->below ? s : -s;
    }
    if (!(sharpest * radius >= 1))
        return BL_OK;
    bl_fail(r->ctx, BL_E_MODEL, p->place,
            "contact '%s': the profile has a hollow with a radius of %.3g m at x = %.3g, in which a circle of %.3g m touches both sides",
            p->name, 1 / sharpest, fabs(where) < 1e-12 ? 0 : where, radius);
    bl_advise(r->ctx, "use a polyline, or a smaller radius");
    return BL_E_MODEL;
}
