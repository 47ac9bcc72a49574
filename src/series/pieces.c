/* Piecewise laws: the branch of every operation that is not smooth becomes an input. */
#include "series/pieces.h"
#include "series/series_limits.h"

#include "series/tape_inner.h"

#include <float.h>
#include <string.h>

/* ---- recording the law with its branches as inputs */

typedef struct maker {
    bl_context *ctx;
    const bl_tape *from;
    bl_pieces *out;
    const uint8_t *role;
    uint8_t *reads;  /* [nnode] of `from`: the kinds of inputs that the value depends on; FLAT: piecewise constant */
    bl_index *map;   /* [nnode] */
    bl_index *owner; /* [count] node of `from` that owns the switch */
    bl_index room, knots, noutput;
    bool *needed;   /* [nnode] by the outputs in use */
    uint8_t *taint; /* [nnode] scratch */
    bool naming;    /* first pass: switches are counted */
    bool failed;    /* an allocation failed */
} maker;

enum { READS_STATE = 1, READS_TIME = 2, READS_UNKNOWN = 4, FLAT = 8 };

static void find_needed(maker *m) {
    const bl_tape *t = m->from;
    for (bl_index k = 0; k < m->noutput; k++)
        m->needed[t->output[k]] = true;
    for (bl_index i = t->nnode - 1; i >= 0; i--) {
        int arity = m->needed[i] ? bl_tape_arity(t->node[i].op) : 0;
        bl_index operand[3] = {t->node[i].a, t->node[i].b, t->node[i].c};
        for (int j = 0; j < arity; j++)
            m->needed[operand[j]] = true;
    }
}

/* which kinds of inputs a node depends on, and whether it is piecewise constant */
static void find_reads(maker *m) {
    const bl_tape *t = m->from;
    for (bl_index i = 0; i < t->nnode; i++) {
        const bl_tape_node *node = &t->node[i];
        uint8_t *r = &m->reads[i];
        if (node->op == BL_TAPE_CONST) {
            *r = FLAT;
            continue;
        }
        if (node->op == BL_TAPE_INPUT) {
            uint8_t role = node->a < m->out->ninput ? m->role[node->a] : BL_INPUT_CONSTANT;
            *r = role == BL_INPUT_STATE     ? READS_STATE
                 : role == BL_INPUT_TIME    ? READS_TIME
                 : role == BL_INPUT_UNKNOWN ? READS_UNKNOWN
                                            : FLAT;
            continue;
        }
        int arity = bl_tape_arity(node->op);
        bl_index operand[3] = {node->a, node->b, node->c};
        uint8_t flat = FLAT;
        for (int j = 0; j < arity; j++) {
            *r |= m->reads[operand[j]] & (READS_STATE | READS_TIME | READS_UNKNOWN);
            flat &= m->reads[operand[j]] & FLAT ? FLAT : node->op == BL_TAPE_IF && j == 0 ? FLAT : 0;
        }
        *r |= bl_tape_flat(node->op) ? FLAT : flat;
    }
}

/* Functions whose domain ends, or that have a branch point, where their operand is 0 or 1. */
static bool domain_ends(const maker *m, const bl_tape_node *node) {
    return node->op == BL_TAPE_SQRT || node->op == BL_TAPE_LOG || node->op == BL_TAPE_ASIN || node->op == BL_TAPE_ACOS ||
           (node->op == BL_TAPE_POW && bl_tape_chain(m->from, node) == 0);
}

/* Whether a piece of node i cannot be continued beyond its boundary: the continued root of |x| or max(x, 0)^1.5 is not a number there, nor
 * is the root of x guarded by x > 0. The branch of such a law is not held. */
static bool brittle(maker *m, bl_index i) {
    const bl_tape *t = m->from;
    bl_index a = t->node[i].a, b = bl_tape_arity(t->node[i].op) > 1 ? t->node[i].b : a;
    memset(m->taint, 0, (size_t)t->nnode);
    m->taint[i] = 1;
    for (bl_index j = 0; j < t->nnode; j++) {
        const bl_tape_node *node = &t->node[j];
        bl_index operand[3] = {node->a, node->b, node->c};
        if (!m->needed[j])
            continue;
        bool own = node->a == a || node->a == b, moves = bl_tape_arity(node->op) > 0 && !(m->reads[node->a] & FLAT);
        if (domain_ends(m, node) && moves && (own || m->taint[node->a]))
            return true;
        for (int k = 0; j != i && k < bl_tape_arity(node->op); k++)
            m->taint[j] |= m->taint[operand[k]];
    }
    return false;
}

/* marks all nodes that a node depends on */
static void mark_cone(const bl_tape *t, bl_index root, uint8_t bit, uint8_t *mark) {
    mark[root] |= bit;
    for (bl_index j = root; j >= 0; j--)
        if (mark[j] & bit) {
            bl_index operand[3] = {t->node[j].a, t->node[j].b, t->node[j].c};
            for (int k = 0; k < bl_tape_arity(t->node[j].op); k++)
                mark[operand[k]] |= bit;
        }
}

/* Whether a condition with node i guards such a function: its branch can be held, but has no power series up to its boundary. */
static bool guards(maker *m, bl_index i) {
    enum { TAINTED = 1, ARGUMENT = 2, BRANCH = 4 };
    const bl_tape *t = m->from;
    memset(m->taint, 0, (size_t)t->nnode);
    mark_cone(t, i, ARGUMENT, m->taint);
    m->taint[i] |= TAINTED;
    for (bl_index j = i + 1; j < t->nnode; j++) {
        bl_index operand[3] = {t->node[j].a, t->node[j].b, t->node[j].c};
        for (int k = 0; m->needed[j] && k < bl_tape_arity(t->node[j].op); k++)
            m->taint[j] |= m->taint[operand[k]] & TAINTED;
        if (m->needed[j] && t->node[j].op == BL_TAPE_IF && (m->taint[t->node[j].a] & TAINTED)) {
            mark_cone(t, t->node[j].b, BRANCH, m->taint);
            mark_cone(t, t->node[j].c, BRANCH, m->taint);
        }
    }
    for (bl_index j = 0; j < t->nnode; j++)
        if ((m->taint[j] & (BRANCH | ARGUMENT)) == BRANCH && domain_ends(m, &t->node[j]) && !(m->reads[t->node[j].a] & FLAT))
            return true;
    return false;
}

/* the switch of node i as an input of the new tape; -1: not held */
static bl_index switch_of(maker *m, bl_tape *tape, bl_index i, int what, uint8_t reads, bool kink, const bl_tape_lut *table) {
    bl_pieces *out = m->out;
    if (reads & READS_UNKNOWN) {
        out->analytic = false;
        return -1;
    }
    if (!(reads & (READS_STATE | READS_TIME)) || (reads & FLAT))
        return -1; /* constant, or changes only with other pieces */
    if ((reads & READS_STATE) && brittle(m, i)) {
        out->analytic = false;
        return -1;
    }
    out->analytic = out->analytic && !((reads & READS_STATE) && guards(m, i));
    bl_index k = 0;
    while (k < out->count && m->owner[k] != i)
        k++;
    if (k == out->count) {
        if (BL_RESERVE(m->ctx, m->owner, m->room, k + 1) != BL_OK) {
            m->failed = true;
            return -1;
        }
        m->owner[k] = i;
        out->count++;
        m->knots += table ? table->n : 0;
    }
    if (!m->naming && out->at)
        out->at[k] = (bl_switch){.what = (uint8_t)what, .kink = kink, .of_time = !(reads & READS_STATE), .nknot = table ? table->n : 0};
    return bl_tape_input(tape, out->ninput + k);
}

/* whether a table is continuous at all its knots; derivatives of linear interpolation are not */
static bool continuous(const bl_tape *tape, bl_index i) {
    const bl_tape_lut *table = &tape->table[tape->node[i].c];
    for (bl_index k = 0; k < table->n; k++)
        if (bl_tape_knot_smooth(tape, i, k) < 0)
            return false;
    return true;
}

static bl_index held(maker *m, bl_tape *tape, bl_index i, bl_index s, int what, uint8_t reads, bool kink) {
    bl_index piece = switch_of(m, tape, i, what, reads, kink, NULL);
    return piece < 0 ? -1 : bl_tape_held(tape, (bl_tape_piece_what)what, s, piece);
}

/* node i with its branch held; -1: not held */
static bl_index by_pieces(maker *m, bl_tape *tape, bl_index i, bl_index *argument) {
    const bl_tape_node *node = &m->from->node[i];
    uint8_t reads = m->reads[node->a];
    bl_index a = m->map[node->a], b = bl_tape_arity(node->op) > 1 ? m->map[node->b] : -1, s, side;
    if (b >= 0) /* a difference is piecewise constant if both operands are */
        reads = (uint8_t)(((reads | m->reads[node->b]) & ~FLAT) | (reads & m->reads[node->b] & FLAT));
    *argument = a;
    switch (node->op) {
    case BL_TAPE_SIGN: return held(m, tape, i, a, BL_PIECE_SIGN, reads, false);
    case BL_TAPE_FLOOR: return held(m, tape, i, a, BL_PIECE_FLOOR, reads, false);
    case BL_TAPE_ABS:
        side = held(m, tape, i, a, BL_PIECE_SIGN, reads, true);
        return side < 0 ? -1 : bl_tape_op2(tape, BL_TAPE_MUL, a, side);
    case BL_TAPE_LESS:
    case BL_TAPE_LESS_EQUAL:
        *argument = s = bl_tape_op2(tape, BL_TAPE_SUB, b, a);
        return held(m, tape, i, s, node->op == BL_TAPE_LESS ? BL_PIECE_POSITIVE : BL_PIECE_NOT_NEGATIVE, reads, false);
    case BL_TAPE_MIN:
    case BL_TAPE_MAX:
        *argument = s = node->op == BL_TAPE_MIN ? bl_tape_op2(tape, BL_TAPE_SUB, b, a) : bl_tape_op2(tape, BL_TAPE_SUB, a, b);
        side = held(m, tape, i, s, BL_PIECE_NOT_NEGATIVE, reads, true);
        return side < 0 ? -1 : bl_tape_if(tape, side, a, b);
    case BL_TAPE_TABLE:
        side = switch_of(m, tape, i, BL_PIECE_TABLE, reads, continuous(m->from, i), &m->from->table[node->c]);
        return side < 0 ? -1 : bl_tape_table_held(tape, bl_tape_copy_node(tape, m->from, i, m->map), side);
    default: return -1;
    }
}

static bool switches(bl_tape_op op) { return (op >= BL_TAPE_ABS && op <= BL_TAPE_LESS_EQUAL) || op == BL_TAPE_TABLE; }

/* records the law on a new tape; sense: its outputs are the arguments of switches, else the outputs of the law */
static bl_status record(maker *m, bl_tape *tape, bool sense) {
    const bl_tape *from = m->from;
    bl_index *argument = NULL;
    BL_TRY(BL_NEW(m->ctx, argument, (size_t)from->nnode + 1));
    for (bl_index k = 0; k < m->out->ninput + (m->naming ? 0 : m->out->count); k++)
        bl_tape_input(tape, k);
    for (bl_index i = 0; i < from->nnode && bl_tape_status(tape) == BL_OK; i++) {
        if (!m->needed[i])
            continue;
        bl_index done = switches(from->node[i].op) ? by_pieces(m, tape, i, &argument[i]) : -1;
        m->map[i] = done >= 0 ? done : bl_tape_copy_node(tape, from, i, m->map);
    }
    bl_status status = m->failed ? BL_E_MEMORY : bl_tape_status(tape);
    for (bl_index k = 0; sense && k < m->out->count && status == BL_OK; k++)
        status = bl_tape_output(tape, argument[m->owner[k]]);
    for (bl_index k = 0; !sense && k < m->noutput && status == BL_OK; k++)
        status = bl_tape_output(tape, m->map[from->output[k]]);
    bl_free(m->ctx, argument);
    return status == BL_OK ? bl_tape_finish(tape) : status;
}

/* knots of tables, after the switches are known */
static bl_status copy_knots(maker *m) {
    bl_pieces *out = m->out;
    BL_TRY(BL_NEW(m->ctx, out->knot, (size_t)m->knots + 1));
    double *to = out->knot;
    for (bl_index k = 0; k < out->count; k++) {
        if (out->at[k].what != BL_PIECE_TABLE)
            continue;
        const bl_tape_lut *table = &m->from->table[m->from->node[m->owner[k]].c];
        memcpy(to, table->x, (size_t)table->n * sizeof *to);
        out->at[k].knot = to;
        to += table->n;
    }
    return BL_OK;
}

static bl_status make(maker *m) {
    bl_pieces *out = m->out;
    size_t n = (size_t)m->from->nnode + 1;
    BL_TRY(BL_NEW(m->ctx, m->reads, n));
    BL_TRY(BL_NEW(m->ctx, m->map, n));
    BL_TRY(BL_NEW(m->ctx, m->needed, n));
    BL_TRY(BL_NEW(m->ctx, m->taint, n));
    find_needed(m);
    find_reads(m);
    bl_tape *counting;
    BL_TRY(bl_tape_create(m->ctx, &counting));
    m->naming = true;
    bl_status status = record(m, counting, false);
    bl_tape_destroy(counting);
    m->naming = false;
    BL_TRY(status);
    if (out->count == 0)
        return BL_OK;
    BL_TRY(BL_NEW(m->ctx, out->at, out->count));
    BL_TRY(bl_tape_create(m->ctx, &out->tape));
    BL_TRY(bl_tape_create(m->ctx, &out->sense));
    BL_TRY(record(m, out->tape, false));
    BL_TRY(record(m, out->sense, true));
    return copy_knots(m);
}

bl_status bl_pieces_create(bl_context *ctx, const bl_tape *tape, bl_index noutput, bl_index ninput, const uint8_t *role, bl_pieces *out) {
    out->ninput = ninput;
    out->analytic = true;
    out->time = -1;
    for (bl_index k = 0; k < ninput; k++)
        if (role[k] == BL_INPUT_TIME)
            out->time = k;
    if (bl_tape_smooth(tape))
        return BL_OK;
    maker m = {.ctx = ctx, .from = tape, .out = out, .role = role, .noutput = noutput < 0 ? tape->noutput : noutput};
    bl_status status = make(&m);
    bl_free(ctx, m.reads);
    bl_free(ctx, m.needed);
    bl_free(ctx, m.taint);
    bl_free(ctx, m.map);
    bl_free(ctx, m.owner);
    return status;
}

void bl_pieces_destroy(bl_context *ctx, bl_pieces *pieces) {
    bl_tape_destroy(pieces->tape);
    bl_tape_destroy(pieces->sense);
    bl_free(ctx, pieces->at);
    bl_free(ctx, pieces->knot);
    memset(pieces, 0, sizeof *pieces);
}

/* ---- boundaries of pieces */

static void boundaries(const bl_switch *sw, double piece, double *low, double *high) {
    double n = floor(piece);
    *low = *high = 0;
    if (sw->what == BL_PIECE_FLOOR) {
        *low = n;
        *high = n + 1;
    } else if (sw->what == BL_PIECE_TABLE) {
        *low = n >= 1 ? sw->knot[(bl_index)n - 1] : -INFINITY;
        *high = n < sw->nknot ? sw->knot[(bl_index)n] : INFINITY;
    } else if (piece > 0) {
        *high = INFINITY;
    } else {
        *low = -INFINITY;
    }
}

double bl_piece_of(const bl_switch *sw, double s) {
    switch (sw->what) {
    case BL_PIECE_FLOOR: return floor(s) + 0.5;
    case BL_PIECE_NOT_NEGATIVE: return s >= 0 ? 1 : -1;
    case BL_PIECE_TABLE: {
        bl_index low = 0, high = sw->nknot; /* number of knots that are <= s */
        while (low < high) {
            bl_index middle = low + (high - low) / 2;
            if (s >= sw->knot[middle])
                low = middle + 1;
            else
                high = middle;
        }
        return low + 0.5;
    }
    default: return s > 0 ? 1 : -1;
    }
}

double bl_piece_inside(const bl_switch *sw, double piece, double s, double *slope) {
    double low, high, value, rate;
    boundaries(sw, piece, &low, &high);
    if (low == -INFINITY || high == INFINITY) {
        rate = high == INFINITY ? 1 : -1;
        value = high == INFINITY ? s - low : high - s;
        if (low == -INFINITY && high == INFINITY) {
            value = 1;
            rate = 0;
        }
    } else {
        value = (s - low) * (high - s) / (high - low);
        rate = (high - s - (s - low)) / (high - low);
    }
    if (slope)
        *slope = rate;
    return value;
}

double bl_piece_next(const bl_switch *sw, double piece, double s) {
    double low, high;
    boundaries(sw, piece, &low, &high);
    if (sw->what != BL_PIECE_FLOOR && sw->what != BL_PIECE_TABLE)
        return piece > 0 ? -1 : 1;
    return fabs(s - low) < fabs(high - s) ? piece - 1 : piece + 1;
}

/* ---- changes at times known in advance */

enum { ORDER = 12, SAMPLES = 24, MOST_STRETCHES = 256, POLISH = 6 };

size_t bl_pieces_time_work(const bl_pieces *p) {
    if (!p->sense)
        return 0;
    size_t nin = (size_t)bl_tape_inputs(p->sense), series = bl_tape_series_work(p->sense, ORDER), values = bl_tape_work(p->sense);
    return (nin + (size_t)p->count + 1) * (ORDER + 1) + (series > values ? series : values);
}

typedef struct seeker {
    const bl_pieces *p;
    const double *given; /* inputs */
    bl_index nin, k;
    double *in, *out, *work;
    double low, high;
} seeker;

/* series coefficients of s about t */
static const double *expand(seeker *f, double t) {
    for (bl_index i = 0; i < f->nin; i++) {
        double *c = f->in + i * (ORDER + 1);
        memset(c, 0, (ORDER + 1) * sizeof *c);
        c[0] = i == f->p->time ? t : f->given[i];
        c[1] = i == f->p->time;
    }
    bl_tape_series(f->p->sense, ORDER, f->in, f->out, f->work);
    return f->out + f->k * (ORDER + 1);
}

static double argument_at(seeker *f, double t) {
    for (bl_index i = 0; i < f->nin; i++)
        f->in[i] = i == f->p->time ? t : f->given[i];
    bl_tape_eval(f->p->sense, f->in, f->out, f->work);
    return f->out[f->k];
}

static double polynomial(const double *c, double x) {
    double sum = c[ORDER];
    for (int j = ORDER; j-- > 0;)
        sum = sum * x + c[j];
    return sum;
}

/* distance to the nearest boundary; negative outside */
static double inside(const seeker *f, double s) { return fmin(s - f->low, f->high - s); }

/* Distance within which the polynomial represents the function; for an exact polynomial, a bound of all its roots. *exact: no further
 * search is needed. */
static double reach_of(const double *c, bool *exact) {
    double reach = INFINITY, far = 0;
    int degree = ORDER;
    while (degree > 0 && c[degree] == 0)
        degree--;
    *exact = degree <= ORDER - 4;
    if (degree <= 1)
        return INFINITY;
    for (int j = 0; *exact && j < degree; j++) /* Fujiwara's bound */
        far = fmax(far, 2 * pow(fabs(c[j] / c[degree]), 1.0 / (degree - j)));
    if (*exact)
        return far;
    for (int tail = ORDER - 1; tail <= ORDER; tail++) {
        double best = 0; /* |c_tail| r^tail <= series_piece_reach |c_j| r^j for some j <= ORDER / 2 */
        for (int j = 0; j <= ORDER / 2 && c[tail] != 0; j++)
            best = fmax(best, pow(series_piece_reach * fabs(c[j] / c[tail]), 1.0 / (tail - j)));
        if (c[tail] != 0)
            reach = fmin(reach, best);
    }
    return reach;
}

/* refines t so that s equals the boundary to rounding: Newton with the given slope */
static double polish(seeker *f, double t, double boundary, double slope, double from) {
    for (int i = 0; i < POLISH && slope != 0; i++) {
        double off = argument_at(f, t) - boundary, next = t - off / slope;
        if (off == 0 || !(next > from) || next == t)
            break;
        t = next;
    }
    return t;
}

/* the first change within `reach` after t; INFINITY: none */
static double first_in(seeker *f, const double *c, double t, double reach, bool *was_inside) {
    if (reach == INFINITY) { /* s = c0 + c1 x */
        double boundary = c[1] > 0 ? f->high : f->low, x = (boundary - c[0]) / c[1];
        bool leaves = c[1] != 0 && isfinite(boundary) && (x > 0 || (x == 0 && *was_inside));
        return leaves ? polish(f, t + x, boundary, c[1], t) : INFINITY;
    }
    double before = 0;
    for (int i = 1; i <= SAMPLES; i++) {
        double x = reach * i / SAMPLES, s = polynomial(c, x);
        if (inside(f, s) > 0) {
            *was_inside = true;
            before = x;
            continue;
        }
        if (!*was_inside)
            continue;
        double a = before, b = x;
        for (int j = 0; j < 60; j++) {
            double middle = 0.5 * (a + b);
            *(inside(f, polynomial(c, middle)) > 0 ? &a : &b) = middle;
        }
        double slope = 0, boundary = s <= f->low ? f->low : f->high;
        for (int j = ORDER; j > 0; j--)
            slope = slope * b + j * c[j];
        return polish(f, t + b, boundary, slope, t);
    }
    return INFINITY;
}

static double next_time(seeker *f, double t) {
    double from = t;
    bool was_inside = false;
    for (int i = 0; i < MOST_STRETCHES; i++) {
        const double *c = expand(f, from);
        was_inside = was_inside || inside(f, c[0]) > 0;
        bool exact;
        double reach = reach_of(c, &exact), found = first_in(f, c, from, reach, &was_inside);
        if (found > t && found < INFINITY)
            return found;
        if (exact || !(reach < INFINITY))
            return INFINITY;
        if (!(from + reach > from))
            return INFINITY; /* a singularity of the argument: left to the integrator */
        from += reach;
    }
    return -from;
}

void bl_pieces_next_times(const bl_pieces *p, const double *in, double t, double *next, double *work) {
    seeker f = {.p = p, .given = in};
    f.nin = p->sense ? bl_tape_inputs(p->sense) : 0;
    f.in = work;
    f.out = f.in + f.nin * (ORDER + 1);
    f.work = f.out + (p->count + 1) * (ORDER + 1);
    for (f.k = 0; f.k < p->count; f.k++) {
        next[f.k] = NAN;
        if (!p->at[f.k].of_time)
            continue;
        boundaries(&p->at[f.k], in[p->ninput + f.k], &f.low, &f.high);
        next[f.k] = next_time(&f, t);
    }
}
