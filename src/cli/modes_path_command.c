/* biela modes --path: eigenvalues over a parameter. */
#include "cli/cli.h"

#include <math.h>

bool cli_modes_path_options(const char *text, cli_assignment *path, bl_modes_path_options *o, cli_mistake *mistake) {
    const double *value = path->value;
    *o = (bl_modes_path_options){.size = sizeof *o};
    if (!text)
        return true;
    bool good = cli_read_assignment(text, ':', 3, path) && path->n >= 2 && value[0] != value[1];
    if (good && path->n == 3)
        good = value[2] >= 2 && value[2] <= 1e5 && value[2] == floor(value[2]);
    *o = (bl_modes_path_options){
        .size = sizeof *o, .parameter = path->name, .from = value[0], .to = value[1], .points = path->n == 3 ? (bl_index)value[2] : 0};
    return good || cli_mistaken(mistake, "for example --path speed=0:20 or --path P=0:3:301",
                                "--path takes NAME=FROM:TO or NAME=FROM:TO:POINTS, not '%s'", text);
}

void cli_modes_path_print(const bl_modes_path_report *report) {
    const bl_mode_path *path = report->path;
    if (!path)
        return;
    cli_line("path", "%s from %.9g to %.9g, %d points", path->parameter, path->value[0], path->value[path->npoint - 1], (int)path->npoint);
    for (bl_index k = 0; k < report->ncrossing; k++) {
        const bl_mode_crossing *c = &report->crossing[k];
        cli_out("  %-16s at %s = %.11g by %s", c->unstable ? "becomes unstable" : "becomes stable", path->parameter, c->value,
                c->omega > 0 ? "flutter" : "divergence");
        if (c->omega > 0)
            cli_out(" at %.9g rad/s", c->omega);
        cli_out("\n");
    }
    if (report->ncrossing == 0)
        cli_line("stability", "does not change along it");
}

void cli_modes_path_json(bl_json *json, const bl_modes_path_report *report) {
    const bl_mode_path *path = report->path;
    if (!path)
        return;
    bl_json_open(json, "path", '{');
    bl_json_text(json, "parameter", path->parameter);
    bl_json_numbers(json, "values", path->value, path->npoint);
    for (int part = 0; part < 2; part++) {
        bl_json_open(json, part ? "im" : "re", '[');
        for (bl_index p = 0; p < path->npoint; p++)
            bl_json_numbers(json, NULL, (part ? path->im : path->re) + (size_t)p * (size_t)path->nmode, path->nmode);
        bl_json_close(json, ']');
    }
    bl_json_open(json, "crossings", '[');
    for (bl_index k = 0; k < report->ncrossing; k++) {
        bl_json_open(json, NULL, '{');
        bl_json_number(json, "value", report->crossing[k].value);
        bl_json_number(json, "omega", report->crossing[k].omega);
        bl_json_text(json, "becomes", report->crossing[k].unstable ? "unstable" : "stable");
        bl_json_close(json, '}');
    }
    bl_json_close(json, ']');
    bl_json_close(json, '}');
}
