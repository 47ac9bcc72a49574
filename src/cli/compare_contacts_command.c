/* biela compare --contacts: a motion with rigid contacts against motions whose contacts yield, as their stiffness grows. */
#include "cli/compare_output.h"

#include <math.h>

/* the report of a file, and the status of the study */
typedef struct compared {
    const char *file;
    bl_status status;
    bl_compare_contacts_report report;
} compared;

enum { SPRING_COLUMNS = 7, COLUMNS = 9 };

static void print_springs(const bl_compare_contacts_report *r) {
    static const char *const head[SPRING_COLUMNS] = {"contact", "restitution", "impacts", "mass", "at speed", "stiffness", "damping"};
    cli_table table = {.columns = SPRING_COLUMNS};
    cli_cells(&table, head, SPRING_COLUMNS);
    for (bl_index i = 0; i < r->nspring; i++) {
        const bl_contact_spring *s = &r->spring[i];
        cli_cell(&table, "%s", s->name);
        cli_cell_number(&table, "%.6g", s->restitution);
        cli_cell(&table, "%ld", s->impacts);
        cli_cell_number(&table, s->is_angle ? "%.4g kg m^2" : "%.4g kg", s->mass);
        cli_cell_number(&table, s->is_angle ? "%.4g rad/s" : "%.4g m/s", s->speed);
        cli_cell_number(&table, "%.3g", s->stiffness);
        cli_cell_number(&table, s->is_angle ? "%.6g s/rad" : "%.6g s/m", s->damping);
    }
    cli_table_print(&table, 1);
}

static void print_entries(const bl_compare_contacts_report *r) {
    static const char *const head[COLUMNS] = {"contacts", "stiffness", "depth", "distance", "order", "steps", "time", "farthest", "at"};
    cli_table table = {.columns = COLUMNS};
    cli_cells(&table, head, COLUMNS);
    cli_cells(&table, (const char *const[]){"rigid", "-", "-", "0", "-"}, 5);
    cli_cell(&table, "%ld", r->reference_steps);
    cli_cell(&table, "%.3f s", r->reference_seconds);
    cli_cells(&table, (const char *const[]){"", ""}, 2);
    for (bl_index k = 0; k < r->nentry; k++) {
        const bl_contacts_entry *e = &r->entry[k];
        cli_cell(&table, "%s", bl_contact_treatment_text(e->treatment));
        cli_cell_number(&table, "%.3g", e->stiffness);
        cli_cell_number(&table, "%.2g", e->depth);
        cli_cell_number(&table, "%.3g", e->distance);
        cli_cell_number(&table, "%.2f", e->order);
        cli_cell(&table, "%ld", e->steps);
        cli_cell(&table, "%.3f s", e->wall_seconds);
        cli_cell(&table, "%s", e->worst);
        cli_cell_number(&table, "%.4g s", e->worst[0] ? e->worst_time : NAN);
    }
    for (bl_index k = 0; k < r->nstepped; k++) {
        const bl_contacts_stepped *e = &r->stepped[k];
        if (e->step == 0)
            continue;
        cli_cell(&table, "steps of %.3g s", e->step);
        cli_cells(&table, (const char *const[]){"-", "-"}, 2);
        cli_cell_number(&table, "%.3g", e->distance);
        cli_cell_number(&table, "%.2f", e->order);
        cli_cell(&table, "%ld", e->steps);
        cli_cell(&table, "%.3f s", e->wall_seconds);
        cli_cell(&table, "%s", e->worst);
        cli_cell_number(&table, "%.4g s", e->worst[0] ? e->worst_time : NAN);
    }
    cli_table_print(&table, 1);
}

static void print_report(const void *found) {
    const bl_compare_contacts_report *r = &((const compared *)found)->report;
    if (!r->model_name)
        return;
    cli_out("%s, rigid contacts against contacts that yield, until %.9g s at tolerance %g\n", r->model_name, r->until, r->tolerance);
    if (r->reason[0])
        cli_out("  compared    until %.6g s: then %s\n", r->compared, r->reason);
    cli_out("  distances   of bodies in extents of the motion (%.3g m), of rotations in rad; expected order %.3g for impacts\n", r->length,
            r->order);
    for (bl_index i = 0; i < r->nnote; i++)
        cli_out("  note        %s\n", r->note[i]);
    print_springs(r);
    print_entries(r);
    for (bl_index k = 0; k < r->nentry; k++)
        if (r->entry[k].reason[0])
            cli_out("  left out: stiffness %.3g: %s\n", r->entry[k].stiffness, r->entry[k].reason);
    for (bl_index k = 0; k < r->nstepped; k++)
        if (r->stepped[k].reason[0])
            cli_out("  no time steps: %s\n", r->stepped[k].reason);
    if (r->nstepped > 0 && r->stepped[0].step > 0)
        cli_out("  %s\n", r->steps_converge ? "time steps converge to that of events" : "time steps do not converge to that of events");
    if (r->nentry > 0)
        cli_out("  %s\n",
                r->converges ? "the motions converge to that of rigid contacts" : "the motions do not converge to that of rigid contacts");
}

static void json_report(bl_json *json, const void *found) {
    const compared *c = found;
    const bl_compare_contacts_report *r = &c->report;
    bl_json_text(json, "file", c->file);
    bl_json_text(json, "model", r->model_name);
    bl_json_text(json, "status", c->status == BL_STOPPED ? "stopped" : r->converges ? "done" : "disagreement");
    BL_JSON_NUMBERS(json, {"until", r->until}, {"tolerance", r->tolerance}, {"compared", r->compared});
    bl_json_text(json, "reason", r->reason[0] ? r->reason : NULL);
    BL_JSON_NUMBERS(json, {"length", r->length}, {"exponent", r->exponent}, {"order", r->order});
    bl_json_flag(json, "converges", r->converges);
    BL_JSON_OBJECT(json, "reference", {"steps", r->reference_steps}, {"wall_seconds", r->reference_seconds});
    bl_json_texts(json, "notes", r->note, r->nnote);
    bl_json_open(json, "contacts", '[');
    for (bl_index i = 0; i < r->nspring; i++) {
        const bl_contact_spring *s = &r->spring[i];
        bl_json_open(json, NULL, '{');
        bl_json_text(json, "name", s->name);
        bl_json_flag(json, "is_angle", s->is_angle);
        BL_JSON_NUMBERS(json, {"restitution", s->restitution}, {"impacts", s->impacts}, {"speed", s->speed}, {"mass", s->mass},
                        {"stiffness", s->stiffness}, {"damping", s->damping});
        bl_json_close(json, '}');
    }
    bl_json_close(json, ']');
    bl_json_open(json, "entries", '[');
    for (bl_index k = 0; k < r->nentry; k++) {
        const bl_contacts_entry *e = &r->entry[k];
        bl_json_open(json, NULL, '{');
        bl_json_text(json, "contacts", bl_contact_treatment_text(e->treatment));
        BL_JSON_NUMBERS(json, {"stiffness", e->stiffness}, {"depth", e->depth}, {"distance", e->distance}, {"order", e->order},
                        {"worst_time", e->worst_time}, {"steps", e->steps}, {"wall_seconds", e->wall_seconds});
        bl_json_text(json, "worst", e->worst[0] ? e->worst : NULL);
        bl_json_text(json, "reason", e->reason[0] ? e->reason : NULL);
        bl_json_close(json, '}');
    }
    bl_json_close(json, ']');
    bl_json_flag(json, "steps_converge", r->steps_converge);
    bl_json_open(json, "time_steps", '[');
    for (bl_index k = 0; k < r->nstepped; k++) {
        const bl_contacts_stepped *e = &r->stepped[k];
        bl_json_open(json, NULL, '{');
        BL_JSON_NUMBERS(json, {"step", e->step}, {"distance", e->distance}, {"order", e->order}, {"worst_time", e->worst_time},
                        {"steps", e->steps}, {"wall_seconds", e->wall_seconds});
        bl_json_text(json, "worst", e->worst[0] ? e->worst : NULL);
        bl_json_text(json, "reason", e->reason[0] ? e->reason : NULL);
        bl_json_close(json, '}');
    }
    bl_json_close(json, ']');
}

int cli_compare_contacts(bl_context *ctx, cli_args *args, bl_compare_contacts_options *options) {
    bl_model *model = NULL;
    compared found = {.file = args->word, .report.size = sizeof found.report};
    found.status = cli_read_model(ctx, args, &model);
    if (found.status == BL_OK)
        found.status = bl_compare_contacts(ctx, model, options, &found.report);
    bool stopped = found.status == BL_STOPPED;
    cli_progress_clear();
    int code = cli_show(ctx, args, stopped ? BL_OK : found.status, print_report, json_report, &found);
    if (stopped)
        cli_err("biela: stopped on request after %d motions\n", (int)found.report.nentry);
    if (found.status == BL_OK && !found.report.converges) {
        cli_err("biela: the motions do not converge to that of rigid contacts\n");
        code = EXIT_NUMERIC;
    }
    bl_compare_contacts_report_destroy(ctx, &found.report);
    bl_model_destroy(model);
    return code;
}
