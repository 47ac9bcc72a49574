/* Where a method is stable: intervals along rays, the angle of A(alpha) (Widlund 1967), the boundary of the region. The boundary of P(r, z)
 * is part of its locus, all z with P(e^{i theta}, z) = 0: those points where no other root is outside the unit circle. Oscillators have no
 * locus: their boundary is found on a grid (marching squares), every crossing by bisection. */
#include "study/linear_limits.h"
#include "study/stability_private.h"

#include <math.h>
#include <string.h>

static const long double PI = 3.14159265358979323846264338327950288L;

bool bl_symbol_stable(const bl_symbol *s, bl_complex z) {
    bl_roots roots;
    bl_symbol_roots(s, z, &roots);
    return bl_roots_stable(&roots, study_stability_slack);
}

/* ---- rays */

enum { PER_E = 60 }; /* samples of a ray: this many while the distance grows by a factor of e */

static long double growth(const bl_symbol *s, bl_complex z) {
    bl_roots roots;
    bl_symbol_roots(s, z, &roots);
    return bl_roots_radius(&roots) - 1;
}

/* Growth like x^m from 0 on is visible only where it exceeds study_stability_slack: a limit found there is no limit. */
static bool grows_from_zero(const bl_symbol *s, bl_complex direction, double limit) {
    if (limit > 0.5)
        return false;
    long double near = growth(s, 2 * limit * direction), far = growth(s, 4 * limit * direction);
    return near > 0 && far > near && near * (near / far) < 100 * study_stability_slack;
}

double bl_symbol_interval(const bl_symbol *s, bl_complex direction) {
    double stable = 0;
    int n = (int)(PER_E * log(study_stability_far / study_stability_near));
    for (int i = 0; i <= n; i++) {
        double x = study_stability_near * exp((double)i / PER_E);
        if (bl_symbol_stable(s, x * direction)) {
            stable = x;
            continue;
        }
        if (i == 0)
            return 0;
        double unstable = x;
        while (unstable - stable > 1e-13 * unstable) {
            double middle = (stable + unstable) / 2;
            if (middle <= stable || middle >= unstable)
                break;
            if (bl_symbol_stable(s, middle * direction))
                stable = middle;
            else
                unstable = middle;
        }
        return grows_from_zero(s, direction, stable) ? 0 : stable;
    }
    return INFINITY;
}

/* ---- A(alpha) */

/* angle from the negative real axis, 0 .. pi */
static long double angle_of(bl_complex z) { return atan2l(fabsl(cimagl(z)), -creall(z)); }

static bl_complex at_angle(long double angle) { return -cosl(angle) + I * sinl(angle); }

/* the point of the locus at theta nearest to `near`; NaN: none */
static bl_complex nearest_locus(const bl_symbol *s, long double theta, bl_complex near) {
    bl_complex z[BL_SYMBOL_POWERS], best = NAN;
    int n = bl_symbol_locus(s, cexpl(I * theta), z);
    for (int i = 0; i < n; i++)
        if (i == 0 || cabsl(z[i] - near) < cabsl(best - near))
            best = z[i];
    return best;
}

/* the smallest angle of a branch of the locus between two thetas, by golden section */
static long double least_angle(const bl_symbol *s, long double from, long double to, bl_complex near) {
    const long double golden = 0.6180339887498948482L;
    long double a = to - golden * (to - from), b = from + golden * (to - from);
    long double at_a = angle_of(nearest_locus(s, a, near)), at_b = angle_of(nearest_locus(s, b, near));
    for (int round = 0; round < 60; round++) {
        if (at_a < at_b) {
            to = b, b = a, at_b = at_a;
            a = to - golden * (to - from);
            at_a = angle_of(nearest_locus(s, a, near));
        } else {
            from = a, a = b, at_a = at_b;
            b = from + golden * (to - from);
            at_b = angle_of(nearest_locus(s, b, near));
        }
    }
    return at_a < at_b ? at_a : at_b;
}

/* whether a point of the locus is on the boundary of the stability region */
static bool is_boundary(const bl_symbol *s, bl_complex z) {
    bl_roots roots;
    bl_symbol_roots(s, z, &roots);
    return bl_roots_stable(&roots, study_stability_boundary);
}

static double angle_by_rays(const bl_symbol *s) {
    long double stable = 0, unstable = PI / 2;
    while (unstable - stable > 1e-6L) {
        long double middle = (stable + unstable) / 2;
        if (isinf(bl_symbol_interval(s, at_angle(middle))))
            stable = middle;
        else
            unstable = middle;
    }
    return (double)(stable * 180 / PI);
}

double bl_symbol_angle(const bl_symbol *s, double real_interval) {
    enum { SAMPLES = 2000 };
    const long double right = PI / 2 - 1e-9L, safe = 0.004L * PI / 180;
    bl_roots roots;
    bl_symbol_roots_at_infinity(s, &roots);
    if (isfinite(real_interval) || !bl_roots_stable(&roots, study_stability_boundary))
        return NAN;
    long double least = right, step = PI / SAMPLES, best_theta = 0;
    bl_complex best = 0;
    for (int j = 0; j <= SAMPLES; j++) {
        bl_complex z[BL_SYMBOL_POWERS];
        int n = bl_symbol_locus(s, cexpl(I * (j * step)), z);
        for (int i = 0; i < n; i++) {
            long double angle = angle_of(z[i]), size = cabsl(z[i]);
            if (angle < least && size > 1e-6L && size < 1e9L && is_boundary(s, z[i])) {
                least = angle;
                best = z[i];
                best_theta = j * step;
            }
        }
    }
    if (best != 0)
        least = fminl(least, least_angle(s, best_theta - step, best_theta + step, best));
    /* two rays must confirm the angle, otherwise it is found by rays alone */
    if (isfinite(bl_symbol_interval(s, at_angle(least - safe))))
        return angle_by_rays(s);
    if (least >= right)
        return 90;
    if (isinf(bl_symbol_interval(s, at_angle(least + safe))))
        return angle_by_rays(s);
    return (double)(least * 180 / PI);
}

/* ---- the boundary from the locus */

/* points of the line being drawn, and finished lines */
typedef struct pen {
    bl_arena *arena;
    bl_context *ctx;
    double *re, *im;
    bl_index n, capacity;
    bl_stability_line *line;
    bl_index nline, lines;
} pen;

static bl_status put(pen *p, bl_complex z) {
    bl_index room = p->capacity;
    BL_TRY(BL_RESERVE(p->ctx, p->re, room, p->n + 1));
    BL_TRY(BL_RESERVE(p->ctx, p->im, p->capacity, p->n + 1));
    p->re[p->n] = (double)creall(z);
    p->im[p->n++] = (double)cimagl(z);
    return BL_OK;
}

/* Removes points within 5e-4 (1 + |z|) of the chord between points that are kept (Douglas and Peucker 1973). The line is first divided at
 * its farthest point, so that closed lines have a chord. */
static bl_status thin(pen *p) {
    bl_index n = p->n, kept = 0, depth = 0;
    bl_index *todo = NULL;
    uint8_t *stays = NULL;
    bl_status status = BL_NEW(p->ctx, stays, n);
    if (status == BL_OK)
        status = BL_NEW(p->ctx, todo, 2 * (size_t)n);
    if (status == BL_OK) {
        stays[0] = stays[n - 1] = 1;
        todo[depth++] = 0;
        todo[depth++] = n - 1;
    }
    while (status == BL_OK && depth > 0) {
        bl_index b = todo[--depth], a = todo[--depth], worst = -1;
        double dx = p->re[b] - p->re[a], dy = p->im[b] - p->im[a], length = hypot(dx, dy), most = 0;
        for (bl_index i = a + 1; i < b; i++) {
            double x = p->re[i] - p->re[a], y = p->im[i] - p->im[a];
            double off = length > 1e-9 ? fabs(x * dy - y * dx) / length : hypot(x, y);
            off /= 1 + hypot(p->re[i], p->im[i]);
            if (off > most) {
                most = off;
                worst = i;
            }
        }
        if (most > 5e-4) {
            stays[worst] = 1;
            todo[depth++] = a;
            todo[depth++] = worst;
            todo[depth++] = worst;
            todo[depth++] = b;
        }
    }
    for (bl_index i = 0; status == BL_OK && i < n; i++)
        if (stays[i]) {
            p->re[kept] = p->re[i];
            p->im[kept++] = p->im[i];
        }
    p->n = status == BL_OK ? kept : 0;
    bl_free(p->ctx, todo);
    bl_free(p->ctx, stays);
    return status;
}

/* finishes the line: copies it to the arena */
static bl_status lift(pen *p, bool closed) {
    if (p->n >= 2)
        BL_TRY(thin(p));
    bl_index n = p->n;
    p->n = 0;
    if (n < 2)
        return BL_OK;
    BL_TRY(BL_RESERVE(p->ctx, p->line, p->lines, p->nline + 1));
    double *re, *im;
    BL_TRY(BL_ARENA_ARRAYS(p->arena, BL_ARRAY(re, n), BL_ARRAY(im, n)));
    memcpy(re, p->re, (size_t)n * sizeof *re);
    memcpy(im, p->im, (size_t)n * sizeof *im);
    p->line[p->nline++] = (bl_stability_line){.n = n, .re = re, .im = im, .closed = closed};
    return BL_OK;
}

enum { LOCUS = 1440 }; /* thetas of the locus */

/* matches each branch of `now` with the branch of `next` that continues it, nearest first */
static void follow(const bl_complex *now, const bl_complex *next, int n, int *to) {
    bool used_now[BL_SYMBOL_POWERS] = {0}, used_next[BL_SYMBOL_POWERS] = {0};
    for (int round = 0; round < n; round++) {
        int a = -1, b = -1;
        long double best = INFINITY;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                if (!used_now[i] && !used_next[j] && (a < 0 || cabsl(now[i] - next[j]) < best)) {
                    best = cabsl(now[i] - next[j]);
                    a = i, b = j;
                }
        to[a] = b;
        used_now[a] = used_next[b] = true;
    }
}

/* Follows branch m around the circle of theta until it returns to its start; this may take several revolutions. */
static bl_status draw_branch(const bl_symbol *s, const bl_complex *z, int d, const int *turn, int m, bool *done, pen *p) {
    bool unbroken = true;
    int at = m;
    do {
        done[at] = true;
        for (int j = 0; j < LOCUS; j++) {
            bl_complex here = z[j * d + at];
            bool good = isfinite((double)creall(here)) && cabsl(here) < 1e4L && is_boundary(s, here);
            if (good && p->n > 0) { /* no chord across the plane where a branch jumps */
                bl_complex before = p->re[p->n - 1] + I * p->im[p->n - 1];
                good = cabsl(here - before) < 0.5L + 0.5L * cabsl(here);
                if (!good)
                    BL_TRY(lift(p, false));
                unbroken = unbroken && good;
                good = true;
            }
            if (good)
                BL_TRY(put(p, here));
            else {
                BL_TRY(lift(p, false));
                unbroken = false;
            }
        }
        at = turn[at];
    } while (at != m && !done[at]);
    if (p->n > 0 && unbroken && at == m) {
        BL_TRY(put(p, p->re[0] + I * p->im[0]));
        return lift(p, true);
    }
    return lift(p, false);
}

static bl_status draw_locus(const bl_symbol *s, pen *p) {
    int d = s->d, turn[BL_SYMBOL_POWERS] = {0};
    bool done[BL_SYMBOL_POWERS] = {0};
    bl_complex *z;
    BL_TRY(BL_ARENA_NEW(p->arena, z, (size_t)LOCUS * (size_t)d));
    for (int j = 0; j < LOCUS; j++) { /* shifted by half a step to avoid poles at r = 1 and r = -1 */
        bl_complex roots[BL_SYMBOL_POWERS];
        BL_TRY(bl_go_on(p->arena->ctx));
        int n = bl_symbol_locus(s, cexpl(I * ((j + 0.5L) * 2 * PI / LOCUS)), roots), to[BL_SYMBOL_POWERS];
        for (int i = n; i < d; i++)
            roots[i] = 1e30L; /* infinite */
        if (j > 0)
            follow(&z[(j - 1) * d], roots, d, to);
        for (int i = 0; i < d; i++)
            z[j * d + i] = roots[j > 0 ? to[i] : i];
    }
    follow(&z[(LOCUS - 1) * d], z, d, turn);
    for (int m = 0; m < d; m++)
        if (!done[m])
            BL_TRY(draw_branch(s, z, d, turn, m, done, p));
    return BL_OK;
}

/* ---- the boundary on a grid, for oscillators: the upper half plane, then its image below */

enum { WIDE = 121, HIGH = 61 };

typedef struct grid {
    const bl_symbol *s;
    bool stable[HIGH][WIDE];
} grid;

/* fine at the origin, coarse far away: up to 36, slightly beside the axes */
static bl_complex node(int i, int j) { return 0.6L * sinhl(0.08L * (j - WIDE / 2) - 0.01L) + I * (0.003L + 0.6L * sinhl(0.08L * i)); }

/* the crossing on the edge between a stable and an unstable node */
static bl_complex crossing(const grid *g, bl_complex a, bl_complex b, bool a_stable) {
    for (int round = 0; round < 40; round++) {
        bl_complex middle = (a + b) / 2;
        if (bl_symbol_stable(g->s, middle) == a_stable)
            a = middle;
        else
            b = middle;
    }
    return (a + b) / 2;
}

/* edges: horizontal (i, j)-(i, j+1), vertical (i, j)-(i+1, j); a line enters a cell by one edge and leaves by another */
typedef struct edge {
    int i, j;
    bool vertical;
} edge;

static bool cut(const grid *g, edge e) {
    int i = e.i + e.vertical, j = e.j + !e.vertical;
    return e.i >= 0 && e.j >= 0 && i < HIGH && j < WIDE && g->stable[e.i][e.j] != g->stable[i][j];
}

static bl_complex cut_at(const grid *g, edge e) {
    return crossing(g, node(e.i, e.j), node(e.i + e.vertical, e.j + !e.vertical), g->stable[e.i][e.j]);
}

/* side: the cell entered is (e.i - side, e.j) for horizontal edges, (e.i, e.j - side) for vertical ones */
static bl_status trace(grid *g, bool (*seen)[HIGH][WIDE], edge e, int side, pen *p, bool *closed) {
    edge first = e;
    *closed = false;
    for (;;) {
        BL_TRY(put(p, cut_at(g, e)));
        seen[e.vertical][e.i][e.j] = true;
        int i = e.vertical ? e.i : e.i - side, j = e.vertical ? e.j - side : e.j;
        if (i < 0 || j < 0 || i >= HIGH - 1 || j >= WIDE - 1)
            return BL_OK;
        const edge around[4] = {{i, j, false}, {i, j + 1, true}, {i + 1, j, false}, {i, j, true}};
        int next = -1;
        for (int k = 0; k < 4; k++) {
            if (around[k].i == first.i && around[k].j == first.j && around[k].vertical == first.vertical && p->n > 2)
                *closed = true;
            if (cut(g, around[k]) && !seen[around[k].vertical][around[k].i][around[k].j])
                next = k;
        }
        if (next < 0)
            return *closed ? put(p, p->re[0] + I * p->im[0]) : BL_OK;
        *closed = false;
        e = around[next];
        side = next == 0 || next == 3; /* leaves downwards or to the left */
    }
}

/* The mirror image of a line below the real axis, joined with the line if that starts or ends at the axis. */
static bl_status reflect(pen *p, bl_index which) {
    bl_stability_line upper = p->line[which];
    bl_index n = upper.n;
    bool begins = upper.im[0] < 0.01, ends = upper.im[n - 1] < 0.01;
    if (upper.closed || (!begins && !ends)) {
        for (bl_index i = 0; i < n; i++)
            BL_TRY(put(p, upper.re[i] - I * upper.im[i]));
        return lift(p, upper.closed);
    }
    for (bl_index i = 0; i < n; i++) { /* toward the axis */
        bl_index from = ends ? i : n - 1 - i;
        BL_TRY(put(p, upper.re[from] + I * upper.im[from]));
    }
    for (bl_index i = 0; i < n; i++) { /* and away from it */
        bl_index from = ends ? n - 1 - i : i;
        BL_TRY(put(p, upper.re[from] - I * upper.im[from]));
    }
    if (begins && ends)
        BL_TRY(put(p, p->re[0] + I * p->im[0]));
    BL_TRY(lift(p, begins && ends));
    p->line[which] = p->line[--p->nline]; /* replaces its upper half */
    return BL_OK;
}

static bl_status draw_grid(const bl_symbol *s, pen *p) {
    grid *g = bl_arena_alloc(p->arena, 1, sizeof *g);
    bool(*seen)[HIGH][WIDE] = bl_arena_alloc(p->arena, 2, sizeof *seen);
    if (!g || !seen)
        return BL_E_MEMORY;
    g->s = s;
    for (int i = 0; i < HIGH; i++)
        for (int j = 0; j < WIDE; j++)
            g->stable[i][j] = bl_symbol_stable(s, node(i, j));
    /* lines that start at the rim first, then closed ones */
    for (int rim = 1; rim >= 0; rim--)
        for (int i = 0; i < HIGH; i++)
            for (int j = 0; j < WIDE; j++)
                for (int vertical = 0; vertical < 2; vertical++) {
                    edge e = {i, j, vertical};
                    bool at_low = vertical ? j == 0 : i == 0, at_high = vertical ? j == WIDE - 1 : i == HIGH - 1;
                    if (seen[vertical][i][j] || !cut(g, e) || (rim && !at_low && !at_high))
                        continue;
                    bool closed;
                    BL_TRY(trace(g, seen, e, at_high, p, &closed));
                    BL_TRY(lift(p, closed));
                }
    bl_index upper = p->nline;
    for (bl_index l = 0; l < upper; l++)
        BL_TRY(reflect(p, l));
    return BL_OK;
}

bl_status bl_symbol_boundary(const bl_symbol *s, bl_arena *arena, bl_index *nline, const bl_stability_line **line) {
    pen p = {.arena = arena, .ctx = arena->ctx};
    *nline = 0;
    *line = NULL;
    bl_status status = s->oscillator ? draw_grid(s, &p) : draw_locus(s, &p);
    if (status == BL_OK && p.nline > 0) {
        bl_stability_line *kept = bl_arena_alloc(arena, (size_t)p.nline, sizeof *kept);
        if (kept) {
            memcpy(kept, p.line, (size_t)p.nline * sizeof *kept);
            *line = kept;
            *nline = p.nline;
        } else {
            status = BL_E_MEMORY;
        }
    }
    bl_free(arena->ctx, p.re);
    bl_free(arena->ctx, p.im);
    bl_free(arena->ctx, p.line);
    return status;
}
