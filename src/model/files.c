/* Files of a model: which other files it may read, and which it has read.
 *
 * A file is identified by its device and inode number. It is inside the model's folder if its path is, after following all symbolic links;
 * the path is checked again after opening, so that changing a link in between does not circumvent the check. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "model/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bl_status bl_files_note(bl_reader *r, const char *path, const uint64_t id[2]) {
    if (!r->model)
        return BL_OK;
    bl_input *input = bl_arena_alloc(&r->model->arena, 1, sizeof *input);
    if (!input || !(input->path = bl_arena_text(&r->model->arena, path, strlen(path))))
        return BL_E_MEMORY;
    input->device = id[0];
    input->number = id[1];
    input->next = r->model->input;
    r->model->input = input;
    return BL_OK;
}

/* whether path, links followed, is inside the folder of the model; found: the file there */
static bool is_inside(const bl_reader *r, const char *path, struct stat *found) {
    const char *slash = strrchr(r->model->file, '/');
    char folder[4096];
    int length = snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - r->model->file + 1) : 2, slash ? r->model->file : "./");
    if (length < 0 || (size_t)length >= sizeof folder)
        return false;
    char *root = realpath(folder, NULL), *real = realpath(path, NULL);
    bool inside = false;
    if (root && real) {
        size_t n = strlen(root);
        n -= n == 1; /* "/" contains everything */
        inside = strncmp(real, root, n) == 0 && real[n] == '/' && stat(real, found) == 0;
    }
    free(root); /* foreign: realpath */
    free(real); /* foreign: realpath */
    return inside;
}

/* one message for all reasons, so that it does not reveal which files exist elsewhere */
static bl_status refuse(bl_reader *r, const char *path, const bl_place *place) {
    bl_fail(r->ctx, BL_E_MODEL, place, "'%s' is not a file in the folder of the model, and the model may not read files elsewhere", path);
    bl_advise(r->ctx, "if you trust the model, read it without --confined");
    return BL_E_MODEL;
}

bl_status bl_files_open(bl_reader *r, const char *path, const bl_place *place, FILE **stream, struct stat *facts) {
    bool confined = r->files == BL_FILES_INSIDE;
    *stream = NULL;
    if (r->files == BL_FILES_NONE)
        return bl_fail(r->ctx, BL_E_MODEL, place, "'%s' cannot be read: a model from this source may not read other files", path);
    struct stat there, again = {0};
    bool inside = is_inside(r, path, &again);
    if (confined && (!inside || !S_ISREG(again.st_mode)))
        return refuse(r, path, place);
    if (stat(path, &there) != 0)
        return bl_fail(r->ctx, BL_E_FILE, place, "%s cannot be opened: %s", path, strerror(errno));
    if (S_ISDIR(there.st_mode))
        return bl_fail(r->ctx, BL_E_FILE, place, "%s is a directory", path);
    int fd = open(path, O_RDONLY | O_CLOEXEC | (confined ? O_NONBLOCK : 0)); /* do not block if the file was replaced by a pipe */
    if (fd < 0 || fstat(fd, facts) != 0 || !(*stream = fdopen(fd, "rb"))) {
        int reason = errno;
        if (fd >= 0)
            close(fd);
        return bl_fail(r->ctx, BL_E_FILE, place, "%s cannot be opened: %s", path, strerror(reason));
    }
    inside = is_inside(r, path, &again) && again.st_dev == facts->st_dev && again.st_ino == facts->st_ino;
    bl_status status = confined && !inside ? refuse(r, path, place)
                                           : bl_files_note(r, path, (uint64_t[2]){(uint64_t)facts->st_dev, (uint64_t)facts->st_ino});
    if (status == BL_OK && !inside)
        bl_log(r->ctx, BL_LOG_INFO, "the model reads '%s', which is outside its folder", path);
    if (status != BL_OK) {
        fclose(*stream);
        *stream = NULL;
    }
    return status;
}
