/* Eigenvalues over a parameter: matching those of successive points into curves, and finding where they cross the imaginary axis. */
#include "output/linear_path.h"
#include "base/linearized.h"
#include "base/sized.h"
#include "output/output_limits.h"

#include <math.h>
#include <stdlib.h>

typedef struct link {
    double distance;
    bl_index from, to;
} link;

static int nearer(const void *a, const void *b) {
    const link *x = a, *y = b;
    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    return x->from != y->from ? (x->from < y->from ? -1 : 1) : (x->to > y->to) - (x->to < y->to);
}

static bool known(double re, double im) { return isfinite(re) && isfinite(im); }

/* extrapolates curve k to point p: linearly from the last two points, or constant */
static bool extrapolate(const bl_mode_path *path, const double *re, const double *im, bl_index p, bl_index k, double at[2]) {
    size_t n = (size_t)path->nmode, last = (size_t)(p - 1) * n + (size_t)k;
    if (!known(re[last], im[last]))
        return false;
    at[0] = re[last];
    at[1] = im[last];
    double before = p > 1 ? path->value[p - 1] - path->value[p - 2] : 0, now = path->value[p] - path->value[p - 1];
    if (p > 1 && before * now > 0 && known(re[last - n], im[last - n])) {
        double ratio = fmin(now / before, 4);
        at[0] += ratio * (re[last] - re[last - n]);
        at[1] += ratio * (im[last] - im[last - n]);
    }
    return true;
}

/* matches one point, nearest first; new eigenvalues get the remaining columns. used[2 nmode] */
static void join_point(const bl_mode_path *path, bl_index p, link *links, uint8_t *used, double *re, double *im) {
    bl_index n = path->nmode, count = 0;
    const double *to_re = path->re + (size_t)p * (size_t)n, *to_im = path->im + (size_t)p * (size_t)n;
    double *own_re = re + (size_t)p * (size_t)n, *own_im = im + (size_t)p * (size_t)n;
    for (bl_index k = 0; k < n; k++) {
        double at[2];
        used[k] = used[n + k] = 0;
        own_re[k] = own_im[k] = NAN;
        if (p > 0 && extrapolate(path, re, im, p, k, at))
            for (bl_index j = 0; j < n; j++)
                if (known(to_re[j], to_im[j]))
                    links[count++] = (link){hypot(to_re[j] - at[0], to_im[j] - at[1]), k, j};
    }
    qsort(links, (size_t)count, sizeof *links, nearer);
    for (bl_index l = 0; l < count; l++)
        if (!used[links[l].from] && !used[n + links[l].to]) {
            used[links[l].from] = used[n + links[l].to] = 1;
            own_re[links[l].from] = to_re[links[l].to];
            own_im[links[l].from] = to_im[links[l].to];
        }
    for (bl_index j = 0, k = 0; j < n; j++) {
        if (used[n + j] || !known(to_re[j], to_im[j]))
            continue;
        while (k < n && used[k])
            k++;
        own_re[k] = to_re[j];
        own_im[k] = to_im[j];
        used[k++] = 1;
    }
}

static bl_status check_path(bl_context *ctx, const bl_mode_path *path) {
    if (!ctx || !path || path->npoint < 1 || path->nmode < 1 || !path->value || !path->re || !path->im)
        return bl_fail(ctx, BL_E_ARG, NULL, "a path of eigenvalues needs points and modes");
    for (bl_index p = 0; p < path->npoint; p++)
        if (!isfinite(path->value[p]))
            return bl_fail(ctx, BL_E_ARG, NULL, "point %d of a path of eigenvalues has no finite parameter", (int)p + 1);
    return BL_OK;
}

bl_status bl_mode_path_join(bl_context *ctx, const bl_mode_path *given, double *re, double *im) {
    bl_mode_path own, *path = &own;
    BL_TRY(BL_TAKE(ctx, bl_mode_path, given, path));
    BL_TRY(check_path(ctx, path));
    if (!re || !im)
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_mode_path_join needs arrays for the curves");
    link *links;
    uint8_t *used = NULL;
    BL_TRY(BL_NEW(ctx, links, (size_t)path->nmode * (size_t)path->nmode));
    bl_status status = BL_NEW(ctx, used, 2 * (size_t)path->nmode);
    for (bl_index p = 0; p < path->npoint && status == BL_OK; p++) {
        join_point(path, p, links, used, re, im);
        status = bl_go_on(ctx);
    }
    bl_free(ctx, links);
    bl_free(ctx, used);
    return status;
}

/* ---- stability */

/* largest |eigenvalue|; negative: none */
static double largest_of(const bl_mode_path *path) {
    double largest = -INFINITY;
    for (size_t k = 0; k < (size_t)path->npoint * (size_t)path->nmode; k++)
        if (known(path->re[k], path->im[k]))
            largest = fmax(largest, hypot(path->re[k], path->im[k]));
    return largest;
}

int bl_mode_side(double re, double im, double largest) {
    double margin = fmax(output_mode_margin * hypot(re, im), output_mode_margin_largest * largest);
    return re > margin ? 1 : re < -margin ? -1 : 0;
}

/* The zero of the cubic through four points, or of the line through the middle two, whose signs differ; it is between these. */
static double root_between(const double value[4], const double re[4]) {
    bool cubic = isfinite(re[0]) && isfinite(re[3]) && (value[1] - value[0]) * (value[2] - value[1]) > 0 &&
                 (value[2] - value[1]) * (value[3] - value[2]) > 0;
    double low = value[1], high = value[2];
    for (int round = 0; round < 60 && cubic; round++) {
        double middle = (low + high) / 2, sum = 0;
        for (int i = 0; i < 4; i++) {
            double term = re[i];
            for (int j = 0; j < 4; j++)
                term *= j == i ? 1 : (middle - value[j]) / (value[i] - value[j]);
            sum += term;
        }
        if ((sum > 0) == (re[1] > 0))
            low = middle;
        else
            high = middle;
    }
    return cubic ? (low + high) / 2 : value[1] + (value[2] - value[1]) * re[1] / (re[1] - re[2]);
}

/* Points in order toward the unstable side, 1 before and 2 beyond the axis, 0 and 3 next to them (NaN: none). A curve that crosses the axis
 * is a polynomial; one that leaves it where two poles meet is a square root. */
static double locate(const double value[4], const double re[4], bool on_axis) {
    double found = (value[1] + value[2]) / 2;
    if (!on_axis)
        found = re[1] < 0 ? root_between(value, re) : value[1];
    else if (re[3] > re[2])
        found = value[2] - re[2] * re[2] * (value[3] - value[2]) / (re[3] * re[3] - re[2] * re[2]);
    return fmin(fmax(found, fmin(value[1], value[2])), fmax(value[1], value[2]));
}

/* |Im| at a value, extrapolated linearly from two points of the unstable side */
static double extrapolated_frequency(const bl_mode_path *path, size_t in, size_t c, double value, bl_index point, bl_index beyond) {
    double slope = (path->im[c] - path->im[in]) / (path->value[beyond] - path->value[point]);
    return fabs(path->im[in] + slope * (value - path->value[point]));
}

static int by_value(const void *a, const void *b) {
    const bl_mode_crossing *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

bl_index bl_mode_path_crossings(const bl_mode_path *given, bl_index most, bl_mode_crossing *crossing) {
    bl_mode_path own, *path = &own;
    if (BL_TAKE(NULL, bl_mode_path, given, path) != BL_OK)
        return 0;
    size_t n = (size_t)path->nmode;
    double largest = largest_of(path);
    bl_index count = 0;
    for (bl_index p = 0; p + 1 < path->npoint; p++)
        for (bl_index k = 0; k < path->nmode; k++) {
            size_t a = (size_t)p * n + (size_t)k, b = a + n;
            if (!known(path->re[a], path->im[a]) || !known(path->re[b], path->im[b]))
                continue;
            int from = bl_mode_side(path->re[a], path->im[a], largest), to = bl_mode_side(path->re[b], path->im[b], largest);
            bool up = from <= 0 && to > 0, down = from > 0 && to <= 0;
            size_t in = up ? b : a; /* the unstable side */
            if ((!up && !down) || path->im[in] < -output_mode_margin_largest * largest)
                continue;
            bl_index beyond = up ? p + 2 : p - 1;
            bool more = beyond >= 0 && beyond < path->npoint;
            size_t c = more ? (size_t)beyond * n + (size_t)k : 0;
            double values[4], res[4];
            for (bl_index i = 0; i < 4; i++) {
                bl_index q = up ? p - 1 + i : p + 2 - i;
                bool there = q >= 0 && q < path->npoint;
                values[i] = there ? path->value[q] : NAN;
                res[i] = there ? path->re[(size_t)q * n + (size_t)k] : NAN;
            }
            /* a single point on the axis has a point off it before; undamped poles move along the axis */
            bool on_axis = (up ? from : to) == 0 && !(isfinite(res[0]) && bl_mode_side(res[0], 0, largest) != 0);
            double value = locate(values, res, on_axis);
            double part = path->value[p + 1] != path->value[p] ? (value - path->value[p]) / (path->value[p + 1] - path->value[p]) : 0;
            double omega = fabs(path->im[a] + part * (path->im[b] - path->im[a]));
            if (on_axis) /* two poles met: the curve is smooth only on this side */
                omega =
                    more && isfinite(path->im[c]) ? extrapolated_frequency(path, in, c, value, up ? p + 1 : p, beyond) : fabs(path->im[in]);
            if (fabs(path->im[in]) <= output_mode_margin_largest * largest)
                omega = 0;
            if (count < most)
                crossing[count] = (bl_mode_crossing){k, value, omega, up};
            count++;
        }
    qsort(crossing, (size_t)(count < most ? count : most), sizeof *crossing, by_value);
    return count;
}

/* ---- curves for figures */

/* Column k at a crossing inside the interval that ends at point p: on the axis if it leaves the axis together with the crossing curve, else
 * interpolated linearly. */
static void insert(const bl_mode_path *path, const bl_mode_crossing *c, bl_index p, bl_index k, double largest, double *re, double *im) {
    size_t n = (size_t)path->nmode, b = (size_t)p * n + (size_t)k, a = b - n;
    size_t of[2] = {(size_t)(p - 1) * n + (size_t)c->mode, (size_t)p * n + (size_t)c->mode};
    size_t in = of[c->unstable], own = c->unstable ? b : a, other = c->unstable ? a : b;
    double part = (c->value - path->value[p - 1]) / (path->value[p] - path->value[p - 1]),
           near = output_mode_together * hypot(path->re[in], path->im[in]);
    *re = path->re[a] + part * (path->re[b] - path->re[a]);
    *im = path->im[a] + part * (path->im[b] - path->im[a]);
    bool together = fabs(fabs(path->re[own]) - fabs(path->re[in])) < near && fabs(fabs(path->im[own]) - fabs(path->im[in])) < near;
    if (together && known(path->re[other], path->im[other]) && bl_mode_side(path->re[other], path->im[other], largest) == 0) {
        *re = 0;
        *im = path->im[own] < 0 ? -c->omega : c->omega;
    }
}

/* inserts the points where stability changes into the joined curves; arrays for npoint + ncrossing */
static void fill(const bl_mode_path *from, bl_joined *joined, double *value, double *re, double *im) {
    size_t n = (size_t)from->nmode, count = 0;
    for (bl_index p = 0; p < from->npoint; p++) {
        for (bl_index c = 0; c < joined->ncrossing && p > 0; c++) {
            const bl_mode_crossing *at = &joined->crossing[c];
            if ((at->value - from->value[p - 1]) * (at->value - from->value[p]) >= 0 || (count > 0 && value[count - 1] == at->value))
                continue;
            value[count] = at->value;
            for (bl_index k = 0; k < from->nmode; k++)
                insert(from, at, p, k, joined->largest, &re[count * n + (size_t)k], &im[count * n + (size_t)k]);
            count++;
        }
        value[count] = from->value[p];
        for (size_t k = 0; k < n; k++) {
            re[count * n + k] = from->re[(size_t)p * n + k];
            im[count * n + k] = from->im[(size_t)p * n + k];
        }
        count++;
    }
    joined->path = *from;
    joined->path.npoint = (bl_index)count;
    joined->path.value = value;
    joined->path.re = re;
    joined->path.im = im;
}

/* the given crossings, or those found on the joined curves */
static bl_status take_crossings(bl_context *ctx, const bl_mode_path *given, const bl_mode_path *plain, bl_joined *joined) {
    bl_index count = given->ncrossing;
    if (!given->crossing)
        count = bl_mode_path_crossings(plain, BL_CROSSINGS_MOST, joined->crossing);
    joined->ncrossing = count < BL_CROSSINGS_MOST ? count : BL_CROSSINGS_MOST;
    for (bl_index k = 0; k < joined->ncrossing && given->crossing; k++) {
        const bl_mode_crossing *c = &given->crossing[k];
        joined->crossing[k] = *c;
        if (c->mode < 0 || c->mode >= given->nmode || !isfinite(c->value))
            return bl_fail(ctx, BL_E_ARG, NULL, "the change of stability at '%s' = %g does not belong to a mode", plain->parameter,
                           c->value);
    }
    return BL_OK;
}

/* re, im: arrays for the joined curves */
static bl_status join(bl_context *ctx, const bl_mode_path *path, const char *file, double *re, double *im, bl_joined *joined) {
    bl_mode_path plain = *path;
    if (!path->parameter)
        plain.parameter = "parameter";
    if (!path->crossing) {
        BL_TRY(bl_mode_path_join(ctx, path, re, im));
        plain.re = re;
        plain.im = im;
    }
    joined->largest = largest_of(&plain);
    if (!(joined->largest >= 0))
        return bl_fail(ctx, BL_E_ARG, NULL, "cannot draw '%s': the path over '%s' has no finite eigenvalue", file, plain.parameter);
    BL_TRY(take_crossings(ctx, path, &plain, joined));
    size_t room = (size_t)path->npoint + (size_t)joined->ncrossing, n = (size_t)path->nmode;
    double *value, *own_re, *own_im;
    BL_TRY(BL_NEW_ARRAYS(ctx, joined->block, BL_ARRAY(value, room), BL_ARRAY(own_re, room * n), BL_ARRAY(own_im, room * n),
                         BL_ARRAY(joined->x, room), BL_ARRAY(joined->y, room)));
    fill(&plain, joined, value, own_re, own_im);
    return BL_OK;
}

bool bl_joined_at(const bl_joined *joined, bl_index p, bl_index k, double *re, double *im) {
    size_t i = (size_t)p * (size_t)joined->path.nmode + (size_t)k;
    *re = joined->path.re[i];
    *im = joined->path.im[i];
    return known(*re, *im);
}

bl_status bl_joined_draw(bl_context *ctx, const bl_mode_path *given, const char *file, bl_joined *joined, bl_text_writer *draw,
                         void *figure) {
    bl_mode_path own, *path = &own;
    BL_TRY(BL_TAKE(ctx, bl_mode_path, given, path));
    BL_TRY(check_path(ctx, path));
    if (!file || !file[0])
        return bl_fail(ctx, BL_E_ARG, NULL, "a figure needs a path");
    size_t size = (size_t)path->npoint * (size_t)path->nmode;
    void *block = NULL;
    double *re, *im;
    BL_TRY(BL_NEW_ARRAYS(ctx, block, BL_ARRAY(re, size), BL_ARRAY(im, size)));
    bl_status status = join(ctx, path, file, re, im, joined);
    bl_free(ctx, block);
    if (status == BL_OK)
        status = bl_svg_write(ctx, file, draw, figure);
    bl_free(ctx, joined->block);
    return status;
}
