/* biela modes --path: eigenvalues over a parameter. */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* NAME=FROM:TO or NAME=FROM:TO:POINTS */
static bool read_path(const char *text, char *parameter, size_t size, bl_modes_path_options *o) {
    const char *equals = strchr(text, '=');
    char *end, *last;
    if (!equals || equals == text || (size_t)(equals - text) >= size)
        return false;
    memcpy(parameter, text, (size_t)(equals - text));
    parameter[equals - text] = '\0';
    o->parameter = parameter;
    o->from = strtod(equals + 1, &end);
    if (end == equals + 1 || *end != ':')
        return false;
    o->to = strtod(end + 1, &last);
    if (last == end + 1 || !isfinite(o->from) || !isfinite(o->to) || o->from == o->to)
        return false;
    if (*last == '\0')
        return true;
    double points = strtod(last + 1, &end);
    o->points = (bl_index)points;
    return *last == ':' && end != last + 1 && *end == '\0' && points >= 2 && points <= 1e5 && points == floor(points);
}

bool cli_modes_path_options(const cli_args *args, char parameter[CLI_PARAMETER], bl_modes_path_options *o, cli_mistake *mistake) {
    *o = (bl_modes_path_options){0};
    if (!args->path || read_path(args->path, parameter, CLI_PARAMETER, o))
        return true;
    snprintf(mistake->what, sizeof mistake->what, "--path takes NAME=FROM:TO or NAME=FROM:TO:POINTS, not '%s'", args->path);
    snprintf(mistake->advice, sizeof mistake->advice, "for example --path speed=0:20 or --path P=0:3:301");
    return false;
}

void cli_modes_path_tell(const bl_modes_path_report *report) {
    const bl_mode_path *path = &report->path;
    if (path->npoint == 0)
        return;
    cli_out("  %-16s %s from %.9g to %.9g, %d points\n", "path", path->parameter, path->value[0], path->value[path->npoint - 1],
            (int)path->npoint);
    for (bl_index k = 0; k < report->ncrossing; k++) {
        const bl_mode_crossing *c = &report->crossing[k];
        cli_out("  %-16s at %s = %.11g by %s", c->unstable ? "becomes unstable" : "becomes stable", path->parameter, c->value,
                c->omega > 0 ? "flutter" : "divergence");
        if (c->omega > 0)
            cli_out(" at %.9g rad/s", c->omega);
        cli_out("\n");
    }
    if (report->ncrossing == 0)
        cli_out("  %-16s does not change along it\n", "stability");
}

void cli_modes_path_json(bl_json *json, const bl_modes_path_report *report) {
    const bl_mode_path *path = &report->path;
    if (path->npoint == 0)
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
