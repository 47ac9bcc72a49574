/* Tables on standard output: columns as wide as their widest cell. */
#include "cli/cli.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* NULL: out of memory; the table is cut there */
static char *next_cell(cli_table *t) {
    if (t->n == t->room) {
        size_t room = t->room ? 2 * t->room : 64;
        void *more = realloc(t->cell, room * sizeof *t->cell);
        if (!more)
            return NULL;
        t->cell = more;
        t->room = room;
    }
    return t->cell[t->n++];
}

void cli_cell(cli_table *t, const char *format, ...) {
    va_list args;
    char *cell = next_cell(t);
    va_start(args, format);
    if (cell)
        vsnprintf(cell, CLI_CELL, format, args);
    va_end(args);
}

void cli_cells(cli_table *t, const char *const *text, int n) {
    for (int k = 0; k < n; k++)
        cli_cell(t, "%s", text[k]);
}

void cli_cell_number(cli_table *t, const char *format, double value) {
    char text[64] = "-";
    if (isinf(value))
        snprintf(text, sizeof text, "%s", value > 0 ? "unlimited" : "-unlimited");
    else if (!isnan(value))
        snprintf(text, sizeof text, format, value);
    cli_cell(t, "%s", text);
}

void cli_table_print(cli_table *t, int left) {
    size_t columns = (size_t)t->columns, rows = t->n / columns;
    int *width = calloc(columns, sizeof *width);
    for (size_t k = 0; width && k < rows * columns; k++) {
        int length = (int)strlen(t->cell[k]), c = (int)(k % columns);
        width[c] = length > width[c] ? length : width[c];
    }
    for (size_t k = 0; k < rows * columns; k++) {
        int c = (int)(k % columns);
        cli_out(c < left ? "  %-*s" : "  %*s", width && (c >= left || c + 1 < t->columns) ? width[c] : 0, t->cell[k]);
        if (c + 1 == t->columns)
            cli_out("\n");
    }
    free(width);
    free(t->cell);
    *t = (cli_table){.columns = t->columns};
}
