/* Details of the model of a run: it is read again from the text in the result file, and the public studies find mobility, findings and
 * structural groups. A part that fails is left out, and the page shows the reason. */
#include "biela/biela.h"
#include "biela/json.h"
#include "report/report_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OVERRIDES = 256, MOST_BODIES = 1000, MOST_MODEL = 4 << 20, MOST_NODES = 5000 }; /* larger models take too long */

bl_status bl_report_harmless(bl_report_run *run, bl_status status) {
    if (status == BL_OK || status == BL_E_MEMORY || status == BL_STOPPED)
        return status;
    bl_context_clear_error(run->ctx);
    return BL_OK;
}

/* ---- the model */

/* splits "a=1 b=2" in place; returns the count */
static bl_index read_overrides(char *text, bl_override *override) {
    bl_index n = 0;
    for (char *word = text; *word && n < MOST_OVERRIDES;) {
        size_t length = strcspn(word, " ");
        char *next = word + length + (word[length] == ' '), *equals;
        word[length] = '\0';
        if ((equals = strrchr(word, '='))) {
            *equals = '\0';
            override[n++] = (bl_override){word, strtod(equals + 1, NULL)};
        }
        word = next;
    }
    return n;
}

/* whether the model file still exists with the same text: then the files it includes are taken as those of the run */
static bool unchanged(bl_report_run *run, const char *file, const char *text, size_t bytes) {
    FILE *in = fopen(file, "rb");
    char *found = in ? bl_alloc(run->ctx, bytes + 1, 1) : NULL;
    run->status = in && !found ? BL_E_MEMORY : run->status;
    bool same = found && fread(found, 1, bytes + 1, in) == bytes && memcmp(found, text, bytes) == 0;
    bl_free(run->ctx, found);
    if (in)
        fclose(in);
    return same;
}

static long count_nodes(bl_report_run *run) {
    const bl_quantity *list;
    bl_index n = bl_result_quantities(run->result, &list);
    long nodes = 0;
    for (bl_index k = 0; k < n; k++)
        if (list[k].mesh && !list[k].on_cells && list[k].items > nodes)
            nodes = list[k].items;
    return nodes;
}

static bl_status set_missing(bl_report_run *run, const char *format, const char *why) {
    return (run->model_missing = bl_arena_printf(&run->arena, format, why)) ? BL_OK : BL_E_MEMORY;
}

static bl_status open_model(bl_report_run *run, const char *text, size_t bytes) {
    char file[4096], overrides[16384];
    bl_override *override;
    bl_read_options how = {.size = sizeof how, .files = BL_FILES_NONE};
    bl_report_text(run, "model_file", file, sizeof file);
    bl_report_text(run, "overrides", overrides, sizeof overrides);
    BL_TRY(BL_NEW(run->ctx, override, MOST_OVERRIDES));
    how.override = override;
    how.noverride = read_overrides(overrides, override);
    if (file[0] && strcmp(file, "-") != 0 && unchanged(run, file, text, bytes))
        how.files = BL_FILES_INSIDE;
    bl_status status = bl_model_open_text(run->ctx, file[0] ? file : "model", text, bytes, &how, &run->model);
    bl_free(run->ctx, override);
    return status;
}

bl_status bl_report_model(bl_report_run *run) {
    const char *text = NULL;
    size_t bytes = 0;
    if (run->tried)
        return BL_OK;
    run->tried = true;
    BL_TRY(bl_report_harmless(run, bl_result_model(run->result, &text, &bytes)));
    if (!text || bytes == 0)
        return set_missing(run, "The result file does not contain the model%s.", "");
    if (bytes > MOST_MODEL || run->nbody > MOST_BODIES || count_nodes(run) > MOST_NODES)
        return set_missing(
            run, "The model is too large to be analyzed for the report%s: use `biela check`, `biela structure` and `biela order`.", "");
    bl_log_pause(run->ctx, true);
    bl_status status = open_model(run, text, bytes);
    bl_log_pause(run->ctx, false);
    if (status == BL_OK)
        return BL_OK;
    BL_TRY(set_missing(run, "The model cannot be read again: %s.", bl_context_error(run->ctx)->what));
    return bl_report_harmless(run, status);
}

/* ---- mobility and findings */

static const char *plural(bl_index n) { return n == 1 ? "" : "s"; }

/* a sentence from the arena; NULL: out of memory */
static void put_line(bl_json *json, const char *text) {
    if (text)
        bl_json_text(json, NULL, text);
    else
        json->status = BL_E_MEMORY;
}

static void put_mobility(bl_report_run *run, const bl_check_report *r) {
    bl_json *json = &run->mobility;
    bl_arena *a = &run->arena;
    bl_json_open(json, NULL, '[');
    if (r->bodies == 0) {
        put_line(json, bl_arena_printf(a, "%d unknown%s, %d constraint%s.", (int)r->coordinates, plural(r->coordinates), (int)r->rows,
                                       plural(r->rows)));
        bl_json_close(json, ']');
        return;
    }
    put_line(json, bl_arena_printf(a, "%d degree%s of freedom by the rank of the constraints, %d by counting (Gruebler-Kutzbach).",
                                   (int)r->mobility_rank, plural(r->mobility_rank), (int)r->mobility_count));
    put_line(json, bl_arena_printf(a, "%d coordinate%s, %d constraint equation%s of rank %d, %d of them redundant.", (int)r->coordinates,
                                   plural(r->coordinates), (int)r->rows, plural(r->rows), (int)r->rank, (int)r->redundant));
    if (r->mobility_position != r->mobility_rank)
        put_line(json, bl_arena_printf(a, "%d degree%s of freedom of positions, %d of velocities.", (int)r->mobility_position,
                                       plural(r->mobility_position), (int)r->mobility_rank));
    if (r->mobility_start != r->mobility_rank)
        put_line(json, bl_arena_printf(a, "The initial configuration is singular: its rank leaves %d degree%s of freedom.",
                                       (int)r->mobility_start, plural(r->mobility_start)));
    bl_json_close(json, ']');
}

static bl_status check(bl_report_run *run) {
    bl_check_report report = {.size = sizeof report};
    char coordinates[64];
    bl_report_text(run, "coordinates", coordinates, sizeof coordinates);
    bool plain = strcmp(coordinates, "bodies") == 0 || strcmp(coordinates, "nodes") == 0 || strcmp(coordinates, "equations") == 0 ||
                 strcmp(coordinates, "matrices") == 0 || !coordinates[0];
    bl_run_options how = {.size = sizeof how, .coordinates = plain ? NULL : coordinates};
    bl_status status = bl_check(run->ctx, run->model, &how, &report);
    if (status == BL_OK) {
        put_mobility(run, &report);
        bl_json_open(&run->findings, NULL, '[');
        for (bl_index i = 0; i < report.nfinding; i++) {
            bl_json_open(&run->findings, NULL, '{');
            bl_json_text(&run->findings, "level", report.finding[i].level == BL_FINDING_WARNING ? "warning" : "note");
            bl_json_text(&run->findings, "part", report.finding[i].part);
            bl_json_text(&run->findings, "text", report.finding[i].text);
            bl_json_close(&run->findings, '}');
        }
        bl_json_close(&run->findings, ']');
    } else {
        BL_TRY(set_missing(run, "The mobility cannot be determined: %s.", bl_context_error(run->ctx)->what));
    }
    bl_check_report_destroy(run->ctx, &report);
    if (run->mobility.status != BL_OK || run->findings.status != BL_OK)
        return BL_E_MEMORY;
    return bl_report_harmless(run, status);
}

/* ---- groups */

/* body with the name of a link; -1: ground, or not in the file */
static bl_index body_of(const bl_report_run *run, const bl_chain *chain, bl_index link) {
    for (bl_index b = 0; chain->link && link > 0 && b < run->nbody; b++)
        if (strcmp(run->body[b], chain->link[link]) == 0)
            return b;
    return -1;
}

/* joint of the scene with the name of a pair; -1: none */
static bl_index joint_of(const bl_report_run *run, const bl_chain *chain, bl_index pair) {
    bl_index number = 0;
    if (!chain->pair[pair].name)
        return -1;
    for (const char *at = bl_json_first(bl_json_member(run->scene, "joints")); at; at = bl_json_next(at), number++)
        if (bl_json_is(bl_json_member(at, "name"), chain->pair[pair].name))
            return number;
    return -1;
}

static void put_group(bl_report_run *run, const bl_chain *chain, const bl_structure_group *group, const bl_index *joint) {
    bl_json *json = run->header;
    bl_json_open(json, NULL, '{');
    bl_json_text(json, "name", group->form[0] ? group->form : group->kind);
    bl_json_integer(json, "class", group->nlink);
    bl_json_open(json, "bodies", '[');
    for (bl_index k = 0; k < group->nlink; k++) {
        bl_index body = body_of(run, chain, group->link[k]);
        if (body >= 0)
            bl_json_integer(json, NULL, body);
    }
    bl_json_close(json, ']');
    bl_json_open(json, "joints", '[');
    for (bl_index k = 0; k < group->npair; k++)
        if (joint[group->pair[k]] >= 0)
            bl_json_integer(json, NULL, joint[group->pair[k]]);
    bl_json_close(json, ']');
    bl_json_open(json, "inputs", '[');
    for (bl_index k = 0; k < group->npair; k++)
        if (chain->pair[group->pair[k]].inputs > 0 && chain->pair[group->pair[k]].name)
            bl_json_text(json, NULL, chain->pair[group->pair[k]].name);
    bl_json_close(json, ']');
    bl_json_close(json, '}');
}

static bl_status put_groups(bl_report_run *run, const bl_chain *chain, const bl_structure_report *report,
                            const bl_structure_exceptions *found) {
    bl_json *json = run->header;
    bl_index *joint;
    BL_TRY(BL_ARENA_NEW(&run->arena, joint, chain->npair));
    for (bl_index k = 0; k < chain->npair; k++)
        joint[k] = joint_of(run, chain, k);
    bl_json_open(json, "groups", '{');
    bl_json_open(json, "order", '[');
    for (bl_index k = 0; k < report->ngroup; k++)
        put_group(run, chain, &report->group[k], joint);
    bl_json_close(json, ']');
    bl_json_open(json, "text", '[');
    for (bl_index k = 0; k < report->nremain; k++)
        bl_json_text(json, NULL, report->remain[k].text);
    for (bl_index k = 0; k < found->n; k++)
        bl_json_text(json, NULL, found->exception[k].text);
    bl_json_close(json, ']');
    bl_json_close(json, '}');
    return json->status;
}

static bl_status structure(bl_report_run *run) {
    bl_chain chain = {.size = sizeof chain};
    bl_structure_report report = {.size = sizeof report};
    bl_structure_exceptions found = {.size = sizeof found};
    bl_status status = bl_structure_of_model(run->ctx, run->model, NULL, &chain, &report, &found);
    status = status == BL_OK ? put_groups(run, &chain, &report, &found) : bl_report_harmless(run, status);
    bl_structure_exceptions_destroy(run->ctx, &found);
    bl_structure_report_destroy(run->ctx, &report);
    bl_chain_destroy(run->ctx, &chain);
    return status;
}

static bl_status run_studies(bl_report_run *run) {
    BL_TRY(check(run));
    if (run->nbody == 0)
        return BL_OK;
    BL_TRY(structure(run));
    return bl_report_pattern(run);
}

bl_status bl_report_details(bl_report_run *run) {
    BL_TRY(bl_report_model(run));
    if (!run->model)
        return BL_OK;
    bl_log_pause(run->ctx, true);
    bl_status status = run_studies(run);
    bl_log_pause(run->ctx, false);
    return status;
}
