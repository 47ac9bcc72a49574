/* A tape as the body of a C function: one statement per operation, `out[k] = ...` from `in[k]`. The text needs math.h and
 * computes what bl_tape_eval does, in the same order. */
#include "support/tape_print.h"

#include "series/tape_inner.h"

#include <stdio.h>
#include <string.h>

/* Text that grows; a failed allocation sticks. */
typedef struct writer {
    bl_context *ctx;
    char *text;
    bl_index length, room;
    bl_status status;
} writer;

static BL_PRINTF(2, 3) void put(writer *w, const char *format, ...) {
    char line[256];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (n <= 0 || n >= (int)sizeof line) /* an empty piece; longer ones are not written here */
        return;
    if (w->status == BL_OK)
        w->status = BL_RESERVE(w->ctx, w->text, w->room, w->length + n + 1);
    if (w->status != BL_OK)
        return;
    memcpy(w->text + w->length, line, (size_t)n + 1);
    w->length += n;
}

static void put_number(writer *w, double value) {
    char digits[40];
    if (!isfinite(value)) {
        put(w, value > 0 ? "INFINITY" : value < 0 ? "-INFINITY" : "NAN");
        return;
    }
    int n = snprintf(digits, sizeof digits, "%.17g", value);
    bool integer = true;
    for (int i = 0; i < n; i++) {
        if (digits[i] == ',') /* the point of the locale */
            digits[i] = '.';
        integer = integer && digits[i] != '.' && digits[i] != 'e';
    }
    put(w, value < 0 ? "(%s%s)" : "%s%s", digits, integer ? ".0" : "");
}

static void put_array(writer *w, const char *name, bl_index which, bl_index n, const double *values) {
    put(w, "static const double %s%d[%d] = {", name, (int)which, (int)n);
    for (bl_index i = 0; i < n; i++) {
        put(w, i ? i % 6 ? ", " : ",\n    " : "");
        put_number(w, values[i]);
    }
    put(w, "};\n");
}

static void put_node(writer *w, const bl_tape *tape, bl_index i) {
    const bl_tape_node *node = &tape->node[i];
    if (node->op == BL_TAPE_CONST)
        put_number(w, tape->value[node->a]);
    else if (node->op == BL_TAPE_INPUT)
        put(w, "in[%d]", (int)node->a);
    else
        put(w, "v%d", (int)i);
}

/* '#' and '@' stand for the operands */
static const char *pattern(bl_tape_op op) {
    switch (op) {
    case BL_TAPE_ADD: return "# + @";
    case BL_TAPE_SUB: return "# - @";
    case BL_TAPE_MUL: return "# * @";
    case BL_TAPE_DIV: return "# / @";
    case BL_TAPE_POW: return "pow(#, @)";
    case BL_TAPE_NEG: return "-#";
    case BL_TAPE_SQRT: return "sqrt(#)";
    case BL_TAPE_EXP: return "exp(#)";
    case BL_TAPE_LOG: return "log(#)";
    case BL_TAPE_SIN: return "sin(#)";
    case BL_TAPE_COS: return "cos(#)";
    case BL_TAPE_TAN: return "tan(#)";
    case BL_TAPE_ASIN: return "asin(#)";
    case BL_TAPE_ACOS: return "acos(#)";
    case BL_TAPE_ATAN: return "atan(#)";
    case BL_TAPE_ATAN2: return "atan2(#, @)";
    case BL_TAPE_SINH: return "sinh(#)";
    case BL_TAPE_COSH: return "cosh(#)";
    case BL_TAPE_TANH: return "tanh(#)";
    case BL_TAPE_ABS: return "fabs(#)";
    case BL_TAPE_SIGN: return "# > 0 ? 1.0 : # < 0 ? -1.0 : # == 0 ? 0.0 : #";
    case BL_TAPE_MIN: return "# <= @ || # != # ? # : @";
    case BL_TAPE_MAX: return "# >= @ || # != # ? # : @";
    case BL_TAPE_FLOOR: return "floor(#)";
    case BL_TAPE_LESS: return "# < @";
    case BL_TAPE_LESS_EQUAL: return "# <= @";
    case BL_TAPE_EQUAL: return "# == @";
    case BL_TAPE_AND: return "# != 0 && @ != 0";
    case BL_TAPE_OR: return "# != 0 || @ != 0";
    case BL_TAPE_NOT: return "# == 0";
    default: return "NAN";
    }
}

/* the search and the cubic of bl_tape_piece_at, written out */
static void put_table(writer *w, const bl_tape *tape, bl_index i) {
    const bl_tape_node *node = &tape->node[i];
    int v = (int)i, k = (int)node->c, last = (int)tape->table[node->c].n - 1, order = tape->table[node->c].order;
    static const char *const polynomial[] = {"s * (m + s * (c2 + s * c3))", "m + s * (2 * c2 + 3 * s * c3)", "2 * c2 + 6 * s * c3",
                                             "6 * c3"};
    put(w, "double v%d = ", v);
    put_node(w, tape, node->a);
    if (order) { /* flat beyond the ends */
        put(w, ";\nif (v%d < x%d[0] || v%d >= x%d[%d])\n    v%d = 0;\n", v, k, v, k, last, v);
    } else {
        put(w, ";\nif (v%d < x%d[0])\n    v%d = y%d[0];\n", v, k, v, k);
        put(w, "else if (v%d >= x%d[%d])\n    v%d = y%d[%d];\n", v, k, last, v, k, last);
    }
    put(w, "else if (v%d == v%d) {\n    int low = 0, high = %d;\n", v, v, last);
    put(w, "    while (high - low > 1) {\n        int middle = low + (high - low) / 2;\n");
    put(w, "        if (v%d >= x%d[middle])\n            low = middle;\n        else\n            high = middle;\n    }\n", v, k);
    put(w, "    double h = x%d[high] - x%d[low], d = (y%d[high] - y%d[low]) / h;\n", k, k, k, k);
    if (tape->table[k].by == BL_TABLE_LINEAR) {
        put(w, "    double m = d, s = v%d - x%d[low], c2 = 0, c3 = 0;\n    v%d = ", v, k, v);
    } else {
        put(w, "    double m = m%d[low], n = m%d[high], s = v%d - x%d[low];\n", k, k, v, k);
        put(w, "    double c2 = (3 * d - 2 * m - n) / h, c3 = (m + n - 2 * d) / (h * h);\n    v%d = ", v);
    }
    if (order == 0)
        put(w, "y%d[low] + ", k);
    put(w, "%s;\n    (void)m;\n    (void)s;\n    (void)c2;\n    (void)c3;\n}\n", polynomial[order < 3 ? order : 3]);
}

static void put_pattern(writer *w, const bl_tape *tape, const bl_tape_node *node, const char *text) {
    for (const char *c = text; *c; c++) {
        if (*c == '#' || *c == '@')
            put_node(w, tape, *c == '#' ? node->a : node->b);
        else
            put(w, "%c", *c);
    }
}

static void put_operation(writer *w, const bl_tape *tape, bl_index i) {
    const bl_tape_node *node = &tape->node[i];
    if (node->op == BL_TAPE_PIECE) {
        static const char *const free_value[] = {"# > 0 ? 1.0 : # < 0 ? -1.0 : 0.0", "# > 0", "# >= 0", "floor(#)"};
        static const char *const held_value[] = {"@", "0.5 * @ + 0.5", "0.5 * @ + 0.5", "floor(@)"};
        put(w, "const double v%d = ", (int)i);
        put_pattern(w, tape, node, "@ == 0 ? ");
        put_pattern(w, tape, node, free_value[node->c]);
        put(w, " : ");
        put_pattern(w, tape, node, held_value[node->c]);
        put(w, ";\n");
        return;
    }
    if (node->op == BL_TAPE_TABLE || node->op == BL_TAPE_TABLE_PIECE) { /* no piece is held here */
        put_table(w, tape, i);
        return;
    }
    put(w, "const double v%d = ", (int)i);
    if (node->op == BL_TAPE_IF) {
        put_node(w, tape, node->a);
        put(w, " != 0 ? ");
        put_node(w, tape, node->b);
        put(w, " : ");
        put_node(w, tape, node->c);
    } else {
        put_pattern(w, tape, node, pattern(node->op));
    }
    put(w, ";\n");
}

bl_status test_tape_print(const bl_tape *tape, bl_arena *arena, char **text) {
    bl_context *ctx = arena->ctx;
    *text = NULL;
    if (!tape->finished)
        return bl_fail(ctx, BL_E_ARG, NULL, "only a finished tape can be printed");
    writer w = {.ctx = ctx};
    put(&w, "(void)in;\n");
    for (bl_index k = 0; k < tape->ntable; k++) {
        const bl_tape_lut *table = &tape->table[k];
        bool live = false;
        for (bl_index i = 0; i < tape->nnode; i++)
            live = live || (tape->node[i].op == BL_TAPE_TABLE && tape->node[i].c == k);
        if (!live)
            continue;
        put_array(&w, "x", k, table->n, table->x);
        put_array(&w, "y", k, table->n, table->y);
        if (table->by != BL_TABLE_LINEAR)
            put_array(&w, "m", k, table->n, table->slope);
    }
    for (bl_index i = tape->nconst + tape->nused; i < tape->nnode; i++)
        put_operation(&w, tape, i);
    for (bl_index k = 0; k < tape->noutput; k++) {
        put(&w, "out[%d] = ", (int)k);
        put_node(&w, tape, tape->output[k]);
        put(&w, ";\n");
    }
    if (w.status == BL_OK) {
        *text = bl_arena_text(arena, w.text, (size_t)w.length);
        w.status = *text ? BL_OK : BL_E_MEMORY;
    }
    bl_free(ctx, w.text);
    return w.status;
}
