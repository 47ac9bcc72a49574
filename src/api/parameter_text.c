/* Parameters as text, for `biela list` and the reference. */
#include "api/rooms.h"

#include <stdio.h>
#include <string.h>

static const char *type_name(bl_param_type type) {
    static const char *const names[] = {
        [BL_P_NUMBER] = "number",
        [BL_P_INTEGER] = "integer",
        [BL_P_FLAG] = "true or false",
        [BL_P_TEXT] = "text",
        [BL_P_POINT] = "position",
        [BL_P_VECTOR] = "direction",
        [BL_P_LAW] = "law",
        [BL_P_LAW3] = "laws of the components",
        [BL_P_BODY] = "body",
        [BL_P_VARIABLE] = "variable",
        [BL_P_JOINT] = "joint",
        [BL_P_NUMBERS] = "number or list of numbers",
        [BL_P_TERMS] = "map from expressions to numbers",
        [BL_P_PROFILE] = "function of x",
        [BL_P_CURVE] = "list of points",
    };
    return (size_t)type < sizeof names / sizeof *names && names[type] ? names[type] : "value";
}

void bl_param_words(const bl_param *param, char *text, size_t size) {
    if (param->type == BL_P_CHOICE) {
        size_t length = 0;
        text[0] = '\0';
        for (const char *word = param->choices; word && *word && length < size;) {
            size_t n = strcspn(word, "|");
            length += (size_t)snprintf(text + length, size - length, "%s%.*s", word == param->choices ? "" : " or ", (int)n, word);
            word += n + (word[n] == '|');
        }
        return;
    }
    snprintf(text, size, "%s%s%s", type_name(param->type),
             param->flags & BL_POSITIVE       ? " > 0"
             : param->flags & BL_NOT_NEGATIVE ? " >= 0"
             : param->flags & BL_NOT_ZERO     ? " other than 0"
                                              : "",
             param->flags & BL_PLANE_ONLY      ? ", in the plane only"
             : param->flags & BL_SPACE_ONLY    ? ", in space only"
             : param->flags & BL_ABOUT_Z       ? ", in the plane one number"
             : param->flags & BL_ANGLE_ONLY    ? ", an angle"
             : param->flags & BL_DISTANCE_ONLY ? ", a distance"
                                               : "");
}

void bl_param_default(const bl_param *param, char *text, size_t size) {
    text[0] = '\0';
    if ((param->flags & BL_REQUIRED) || (param->help && strstr(param->help, "default")))
        return;
    if (param->type == BL_P_NUMBER || param->type == BL_P_INTEGER)
        snprintf(text, size, "%g", param->fallback);
    else if (param->type == BL_P_FLAG)
        snprintf(text, size, "%s", param->fallback != 0 ? "true" : "false");
    else if (param->type == BL_P_CHOICE && param->choices)
        snprintf(text, size, "%.*s", (int)strcspn(param->choices, "|"), param->choices);
}
