/* biela compare --report: the motions behind the table as result files in a temporary folder, then one page of them. */
#include "cli/browser.h"
#include "cli/compare_output.h"

#include "biela/report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH = 640, OTHERS = 2 * CLI_MOTIONS_EACH, MOST_RUNS = OTHERS + 2, COLUMNS = CLI_COMPARE_COLUMNS + 1, LABEL = 256 };

/* ---- files: "try" is being written, "done" is complete, numbers are entries; -1: the reference */

static void path_of(const cli_motions *m, const char *name, char path[PATH]) { snprintf(path, PATH, "%s/%s.h5", m->folder, name); }

static void path_of_entry(const cli_motions *m, bl_index entry, char path[PATH]) {
    snprintf(path, PATH, "%s/%d.h5", m->folder, (int)entry);
}

static bl_status begin(void *user, bl_context *ctx, const bl_run_options *options, bl_sink *sink) {
    cli_motions *m = user;
    char path[PATH];
    path_of(m, "try", path);
    bl_status status = bl_sink_hdf5(ctx, path, sink);
    return status == BL_OK ? cli_name_run(m->args, options, sink) : status;
}

static bl_status done(void *user) {
    char from[PATH], to[PATH];
    path_of(user, "try", from);
    path_of(user, "done", to);
    return rename(from, to) == 0 ? BL_OK : BL_E_FILE;
}

/* Keeps the nearest and the farthest so far: an entry between them can become neither, whatever follows. */
static void choose(cli_motions *m, bl_index entry, double distance) {
    bl_index at = m->n++;
    for (; at > 0 && m->distance[at - 1] > distance; at--) {
        m->distance[at] = m->distance[at - 1];
        m->entry[at] = m->entry[at - 1];
    }
    m->distance[at] = distance;
    m->entry[at] = entry;
    if (m->n <= OTHERS)
        return;
    char path[PATH];
    path_of_entry(m, m->entry[CLI_MOTIONS_EACH], path);
    unlink(path);
    m->n--;
    m->left_out++;
    memmove(m->entry + CLI_MOTIONS_EACH, m->entry + CLI_MOTIONS_EACH + 1, CLI_MOTIONS_EACH * sizeof *m->entry);
    memmove(m->distance + CLI_MOTIONS_EACH, m->distance + CLI_MOTIONS_EACH + 1, CLI_MOTIONS_EACH * sizeof *m->distance);
}

static bl_status keep(void *user, bl_index entry, const bl_compare_entry *of) {
    cli_motions *m = user;
    char from[PATH], to[PATH];
    path_of(m, "done", from);
    path_of_entry(m, entry, to);
    if (rename(from, to) != 0)
        return BL_E_FILE;
    if (entry < 0)
        m->reference = true;
    else if (entry == 0)
        m->own = true;
    else
        choose(m, entry, of->trajectory);
    return BL_OK;
}

bl_compare_motions cli_motions_hooks(cli_motions *m) {
    return (bl_compare_motions){.size = sizeof(bl_compare_motions), .user = m, .begin = begin, .done = done, .keep = keep};
}

int cli_motions_open(bl_context *ctx, const cli_args *args, const bl_model *model, cli_motions *m) {
    size_t bytes;
    char made[512];
    *m = (cli_motions){.args = args};
    cli_default_result(args->word, "-compare.html", m->page, sizeof m->page);
    if (args->report[0])
        snprintf(m->page, sizeof m->page, "%s", args->report);
    cli_page(&bytes);
    if (bytes == 0)
        return cli_refuse(args, "install node and npm and build again (make build)",
                          "this build of biela has no report page: Node.js was missing when it was built");
    const char *page = m->page;
    bl_status status = bl_check_outputs(ctx, model, NULL, 0, &page, 1);
    if (status != BL_OK)
        return cli_fail(ctx, args, status);
    if (!cli_folder_make(made, sizeof made)) {
        cli_mistake mistake;
        cli_mistaken(&mistake, "set TMPDIR to a writable folder", "cannot create a temporary folder: %s", strerror(errno));
        return cli_fail_system(args, &mistake);
    }
    snprintf(m->folder, sizeof m->folder, "%s", made);
    return EXIT_DONE;
}

void cli_motions_close(cli_motions *m) {
    if (m->folder[0])
        cli_folder_remove(m->folder);
    m->folder[0] = '\0';
}

/* ---- the page */

typedef struct page {
    const cli_motions *motions;
    const bl_compare_report *report;
    bl_index nrun;
    char path[MOST_RUNS][PATH], label[MOST_RUNS][LABEL];
    cli_table table;   /* names of columns, the reference, entries */
    const char **cell; /* [nentry + 1][COLUMNS] */
    bl_index *run;     /* [nentry + 1]; -1: none */
    char *note;
} page;

static int by_number(const void *a, const void *b) {
    bl_index x = *(const bl_index *)a, y = *(const bl_index *)b;
    return (x > y) - (x < y);
}

static void add_run(page *p, bl_index entry) {
    const bl_compare_entry *e = &p->report->entry[entry < 0 ? 0 : entry];
    path_of_entry(p->motions, entry, p->path[p->nrun]);
    if (entry < 0)
        snprintf(p->label[p->nrun], LABEL, "reference");
    else
        snprintf(p->label[p->nrun], LABEL, "%.80s, %.80s, %.80s", e->coordinates, e->formulation, e->integrator);
    p->run[entry + 1] = p->nrun++;
}

/* the reference, then in the order of the table */
static void add_runs(page *p) {
    const cli_motions *m = p->motions;
    bl_index order[OTHERS + 1];
    memcpy(order, m->entry, (size_t)m->n * sizeof *order);
    qsort(order, (size_t)m->n, sizeof *order, by_number);
    for (bl_index r = 0; r <= p->report->nentry; r++)
        p->run[r] = -1;
    if (m->reference)
        add_run(p, -1);
    if (m->own)
        add_run(p, 0);
    for (bl_index k = 0; k < m->n; k++)
        add_run(p, order[k]);
}

static bool add_rows(page *p) {
    bl_index rows = p->report->nentry + 1;
    cli_compare_head(&p->table);
    for (bl_index r = 0; r < rows; r++)
        cli_compare_cells(&p->table, r == 0 ? &p->report->reference_run : &p->report->entry[r - 1]);
    if (p->table.n < (size_t)(rows + 1) * CLI_COMPARE_COLUMNS)
        return false;
    snprintf(p->table.cell[CLI_COMPARE_COLUMNS + 3], CLI_CELL, "reference");
    for (bl_index r = 0; r < rows; r++) {
        const char *reason = r == 0 ? p->report->reference_run.reason : p->report->entry[r - 1].reason;
        for (int k = 0; k < CLI_COMPARE_COLUMNS; k++) {
            const char *cell = p->table.cell[(r + 1) * CLI_COMPARE_COLUMNS + k];
            p->cell[r * COLUMNS + k] = strcmp(cell, "-") == 0 ? NULL : cell;
        }
        p->cell[r * COLUMNS + CLI_COMPARE_COLUMNS] = reason[0] ? reason : NULL;
    }
    return true;
}

static void put_note(FILE *out, const cli_motions *m, const bl_compare_report *r) {
    fprintf(out, "Until %.9g s at tolerance %g. The reference is %s at tolerance %g", r->until, r->tolerance, r->reference,
            r->reference_tolerance);
    if (r->check)
        fprintf(out, ", checked by %s, which differs by %.2g", r->check, r->reference_trajectory);
    fprintf(out, ". The motion may differ by %.2g", r->allowed);
    if (!isnan(r->allowed_reactions))
        fprintf(out, ", reactions by %.2g", r->allowed_reactions);
    else if (r->joints > 0)
        fprintf(out, "; reactions are not compared, since those of the reference and its check differ by %.2g", r->reference_reactions);
    fprintf(out, "; fixed-step methods by twice their own error more.\n%d agreed, %d disagreed, %d skipped, %d refused, %d failed.\n",
            (int)r->agreed, (int)r->disagreed, (int)r->skipped, (int)r->refused, (int)r->failed);
    if (m->left_out > 0)
        fprintf(out,
                "The page has the motions of the reference, of the combination in the first row, and of the others the %d nearest to the "
                "reference and the %d farthest. %d more were completed and are in the table only.",
                CLI_MOTIONS_EACH, CLI_MOTIONS_EACH, (int)m->left_out);
    else
        fprintf(out, "The page has the motions of the reference and of all completed combinations.");
}

static bool make(page *p) {
    size_t rows = (size_t)p->report->nentry + 1, length;
    FILE *out = open_memstream(&p->note, &length);
    if (!out)
        return false;
    put_note(out, p->motions, p->report);
    if (fclose(out) != 0)
        return false;
    p->cell = calloc(rows * COLUMNS, sizeof *p->cell);
    p->run = calloc(rows, sizeof *p->run);
    if (!p->cell || !p->run)
        return false;
    add_runs(p);
    return add_rows(p);
}

static bl_status write_page(bl_context *ctx, const page *p) {
    const char *column[COLUMNS], *path[MOST_RUNS], *label[MOST_RUNS];
    for (int k = 0; k < CLI_COMPARE_COLUMNS; k++)
        column[k] = p->table.cell[k];
    column[CLI_COMPARE_COLUMNS] = "remark";
    for (bl_index i = 0; i < p->nrun; i++) {
        path[i] = p->path[i];
        label[i] = p->label[i];
    }
    bl_report_table table = {.size = sizeof table,
                             .ncolumn = COLUMNS,
                             .nrow = p->report->nentry + 1,
                             .column = column,
                             .cell = p->cell,
                             .run = p->run,
                             .note = p->note};
    bl_report_options options = {.size = sizeof options, .title = p->report->model_name, .label = label, .table = &table};
    return cli_write_report(ctx, path, p->nrun, &options, p->motions->page);
}

int cli_motions_page(const cli_motions *m, const bl_compare_report *report) {
    page p = {.motions = m, .report = report};
    bl_context *ctx = NULL; /* a separate one: the study's context may have been asked to stop */
    int code = EXIT_SYSTEM;
    if (!m->reference) /* stopped before the first result */
        return EXIT_DONE;
    if (bl_context_create(NULL, &ctx) == BL_OK) {
        bl_status status = make(&p) ? write_page(ctx, &p) : BL_E_MEMORY;
        code = status == BL_OK ? EXIT_DONE : cli_fail(ctx, m->args, status);
        if (status == BL_OK && !m->args->json && !m->args->quiet)
            cli_out("  %-11s %s\n", "report", m->page);
    }
    bl_context_destroy(ctx);
    free(p.note);
    free(p.table.cell);
    free(p.cell);
    free(p.run);
    return code;
}
