/* Refuses outputs that would overwrite an input of the model or another output.
 *
 * An existing file is identified by device and inode; a new one by the device and inode of its folder and its name. */
#include "model/model.h"
#include "output/output.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

typedef struct identity {
    uint64_t device, number;
    const char *name; /* "": the inode is the file itself; else its folder */
    bool any;         /* false: a device, a pipe, or in a missing folder: nothing can be overwritten */
} identity;

static bool same(const identity *a, const identity *b) {
    return a->any && b->any && a->device == b->device && a->number == b->number && strcmp(a->name, b->name) == 0;
}

static identity identify(const char *path) {
    identity id = {.name = ""};
    struct stat facts;
    if (stat(path, &facts) == 0) {
        id.any = S_ISREG(facts.st_mode);
    } else {
        const char *slash = strrchr(path, '/');
        char folder[4096] = ".";
        if (slash && (size_t)(slash - path) + 2 < sizeof folder)
            snprintf(folder, sizeof folder, "%.*s", (int)(slash - path) + 1, path);
        id.any = stat(folder, &facts) == 0;
        id.name = slash ? slash + 1 : path;
    }
    id.device = (uint64_t)facts.st_dev;
    id.number = (uint64_t)facts.st_ino;
    return id;
}

typedef struct output {
    bl_target target;
    identity id[2]; /* of the file, of the partial one */
} output;

static bl_status replaces(bl_context *ctx, const output *out, const char *input) {
    bl_fail(ctx, BL_E_ARG, NULL, "writing '%s' would overwrite the input '%s'", out->target.path, input);
    bl_advise(ctx, "choose another name for the output");
    return BL_E_ARG;
}

static bl_status against_inputs(bl_context *ctx, const output *out, const bl_model *model, const char *const *inputs, bl_index ninput) {
    for (int k = 0; k < 2; k++) {
        for (const bl_input *in = model ? model->input : NULL; in; in = in->next)
            if (same(&out->id[k], &(identity){in->device, in->number, "", true}))
                return replaces(ctx, out, strcmp(in->path, "-") == 0 ? "standard input" : in->path);
        for (bl_index i = 0; i < ninput; i++) {
            identity id = {.name = ""};
            if (inputs[i] && strcmp(inputs[i], "-") != 0)
                id = identify(inputs[i]);
            if (same(&out->id[k], &id))
                return replaces(ctx, out, inputs[i]);
        }
    }
    return BL_OK;
}

static bl_status against_outputs(bl_context *ctx, const output *out, const output *before, bl_index n) {
    for (bl_index i = 0; i < n; i++)
        for (int k = 0; k < 4; k++)
            if (same(&out->id[k / 2], &before[i].id[k % 2])) {
                bl_fail(ctx, BL_E_ARG, NULL, "the outputs '%s' and '%s' are the same file", before[i].target.path, out->target.path);
                bl_advise(ctx, "choose different names for the outputs");
                return BL_E_ARG;
            }
    return BL_OK;
}

/* ---- folders for VTK files */

static bool is_folder(const char *path) { return path[0] && path[strlen(path) - 1] == '/'; }

/* whether VTK files written to the folder could replace the file at path */
static bool endangers(const char *folder, const char *path) {
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    struct stat own, other;
    char in[4096] = ".";
    if (!dot || (strcmp(dot, ".vtu") != 0 && strcmp(dot, ".pvd") != 0) || stat(folder, &own) != 0)
        return false;
    if (slash && (size_t)(slash - path) + 2 < sizeof in)
        snprintf(in, sizeof in, "%.*s", (int)(slash - path) + 1, path);
    return stat(in, &other) == 0 && own.st_dev == other.st_dev && own.st_ino == other.st_ino;
}

static bl_status check_folder(bl_context *ctx, const char *folder, const bl_model *model, const char *const *inputs, bl_index ninput,
                              const char *const *outputs, bl_index noutput) {
    const char *hit = NULL;
    for (const bl_input *in = model ? model->input : NULL; in && !hit; in = in->next)
        hit = endangers(folder, in->path) ? in->path : NULL;
    for (bl_index i = 0; i < ninput && !hit; i++)
        hit = inputs[i] && endangers(folder, inputs[i]) ? inputs[i] : NULL;
    for (bl_index i = 0; i < noutput && !hit; i++)
        hit = outputs[i] && !is_folder(outputs[i]) && endangers(folder, outputs[i]) ? outputs[i] : NULL;
    if (!hit)
        return BL_OK;
    bl_fail(ctx, BL_E_ARG, NULL, "VTK files written to '%s' could overwrite '%s'", folder, hit);
    bl_advise(ctx, "choose another folder for VTK files");
    return BL_E_ARG;
}

bl_status bl_check_outputs(bl_context *ctx, const bl_model *model, const char *const *inputs, bl_index ninput, const char *const *outputs,
                           bl_index noutput) {
    if (!ctx || ninput < 0 || noutput < 0 || (ninput && !inputs) || (noutput && !outputs))
        return bl_fail(ctx, BL_E_ARG, NULL, "bl_check_outputs: a pointer is missing");
    output *out;
    bl_index n = 0;
    BL_TRY(BL_NEW(ctx, out, noutput));
    bl_status status = BL_OK;
    for (bl_index i = 0; i < noutput && status == BL_OK; i++) {
        if (!outputs[i])
            continue;
        if (is_folder(outputs[i])) {
            status = check_folder(ctx, outputs[i], model, inputs, ninput, outputs, noutput);
            continue;
        }
        status = bl_target_create(ctx, outputs[i], &out[n].target);
        if (status != BL_OK)
            break;
        out[n].id[0] = identify(out[n].target.real);
        if (out[n].id[0].any) /* devices and pipes are written in place */
            out[n].id[1] = identify(out[n].target.partial);
        status = against_inputs(ctx, &out[n], model, inputs, ninput);
        if (status == BL_OK)
            status = against_outputs(ctx, &out[n], out, n);
        n++;
    }
    for (bl_index i = 0; i < n; i++)
        bl_target_destroy(&out[i].target);
    bl_free(ctx, out);
    return status;
}
