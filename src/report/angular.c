/* Which quantities are angular and which linear: from the flags of the variables, for gears from the scene. */
#include "biela/json.h"
#include "report/curves.h"

#include <stdio.h>
#include <string.h>

/* *numbers stays NULL if the file does not have them, or a different count */
static bl_status find_numbers(bl_report_run *run, const char *name, double **numbers, bl_index *n) {
    bl_status status = bl_result_facts(run->result, name, NULL, n);
    if (status == BL_OK && *n > 0) {
        BL_TRY(BL_NEW(run->ctx, *numbers, *n));
        return bl_result_facts(run->result, name, *numbers, n);
    }
    *n = 0;
    return bl_report_harmless(run, status);
}

bl_status bl_angular_find(bl_report_run *run, bl_angular *t) {
    char coordinates[32] = "";
    *t = (bl_angular){.scene = run->scene, .body = run->body, .nbody = run->nbody};
    bl_report_text(run, "coordinates", coordinates, sizeof coordinates);
    t->equations = strcmp(coordinates, "equations") == 0 || strcmp(coordinates, "matrices") == 0 || strcmp(coordinates, "nodes") == 0;
    BL_TRY(find_numbers(run, "variables/is_angle", &t->is_angle, &t->nvariable));
    BL_TRY(find_numbers(run, "drivers/variable", &t->driven, &t->ndriver));
    BL_TRY(find_numbers(run, "springs/is_angle", &t->spring_is_angle, &t->nspring));
    BL_TRY(find_numbers(run, "contacts/is_angle", &t->contact_is_angle, &t->ncontact));
    return find_numbers(run, "forces/body", &t->force_body, &t->nforce);
}

void bl_angular_destroy(bl_context *ctx, bl_angular *t) {
    bl_free(ctx, t->is_angle);
    bl_free(ctx, t->driven);
    bl_free(ctx, t->spring_is_angle);
    bl_free(ctx, t->contact_is_angle);
    bl_free(ctx, t->force_body);
    *t = (bl_angular){0};
}

static bool named_angle(const char *name) {
    const char *dot = strrchr(name, '.');
    return strncmp(dot ? dot + 1 : name, "angle", 5) == 0;
}

bool bl_angular_variable(const bl_angular *t, bl_index variable, const char *name) {
    return variable < t->nvariable ? t->is_angle[variable] != 0 : named_angle(name);
}

bool bl_angular_driver(const bl_angular *t, bl_index driver) {
    if (!t->driven || !t->is_angle || driver >= t->ndriver)
        return true;
    double variable = t->driven[driver];
    return !(variable >= 0 && variable < t->nvariable) || t->is_angle[(bl_index)variable] != 0;
}

bool bl_angular_gear(const bl_angular *t, const char *joint, bool second) {
    for (const char *at = bl_json_first(bl_json_member(t->scene, "joints")); at; at = bl_json_next(at)) {
        const char *gear = bl_json_member(at, "gear"), *variable = bl_json_first(bl_json_member(gear, "variables"));
        if (!variable || !bl_json_is(bl_json_member(at, "name"), joint))
            continue;
        variable = second ? bl_json_next(variable) : variable;
        size_t n = variable && *variable == '"' ? strcspn(variable + 1, "\"") : 0;
        char name[256];
        snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), variable ? variable + 1 : "");
        return named_angle(name);
    }
    return true;
}

bool bl_angular_spring(const bl_angular *t, bl_index spring) { return spring < t->nspring && t->spring_is_angle[spring] != 0; }

bool bl_angular_contact(const bl_angular *t, bl_index contact) { return contact < t->ncontact && t->contact_is_angle[contact] != 0; }

void bl_angular_force_body(const bl_angular *t, bl_index item, const bl_quantity *forces, char *text, size_t size) {
    text[0] = '\0';
    bool again = false;
    for (bl_index k = 0; k < item && !again; k++)
        again = strcmp(forces->item[k], forces->item[item]) == 0;
    if (!again || item >= t->nforce)
        return;
    double body = t->force_body[item];
    snprintf(text, size, "@%s", body >= 0 && body < t->nbody ? t->body[(bl_index)body] : "ground");
}
