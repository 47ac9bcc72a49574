/* Libraries loaded on demand. */
#include "base/library.h"

#include <dlfcn.h>
#include <string.h>

static bl_status missing(bl_context *ctx, const bl_library *library) {
    const char *why = dlerror();
    bl_fail(ctx, BL_E_ABILITY, NULL, "cannot load %s: %s", library->name, why ? why : library->file);
    bl_advise(ctx, "%s", library->advice);
    return BL_E_ABILITY;
}

bl_status bl_library_load(bl_context *ctx, const bl_library *library, void *table) {
    void *handle = dlopen(library->file, RTLD_LAZY | RTLD_LOCAL);
    if (!handle)
        return missing(ctx, library);
    for (size_t i = 0; library->function[i]; i++) {
        void *found = dlsym(handle, library->function[i]);
        if (!found)
            return missing(ctx, library);
        memcpy((char *)table + i * sizeof found, &found, sizeof found); /* POSIX: function pointers have the size of void * */
    }
    return BL_OK;
}
