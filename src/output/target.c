/* A file that grows under a temporary name and is renamed when complete (rename, POSIX), so that a reader finds the old file or the
 * complete new one, and a killed run leaves path~partial. A symbolic link is kept: its target is replaced. */
#include "output/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char suffix[] = "~partial";

static bl_status fail_on(const bl_target *target, const char *doing, int code) {
    bl_fail(target->ctx, BL_E_FILE, NULL, "cannot %s '%s': %s", doing, target->path, strerror(code));
    if (code == ENOENT || code == ENOTDIR)
        bl_advise(target->ctx, "create the folder first, or choose another path");
    else if (code == EACCES || code == EPERM || code == EROFS)
        bl_advise(target->ctx, "choose a path in a writable folder");
    else if (code == ENOSPC || code == EDQUOT)
        bl_advise(target->ctx, "free some space, or choose a path on another disk");
    return BL_E_FILE;
}

/* Follows symbolic links; the final target need not exist. The caller frees *real. */
static bl_status follow(bl_context *ctx, const char *path, char **real) {
    enum { MOST_LINKS = 40, MOST_BYTES = 4096 };
    if (!(*real = bl_strdup(ctx, path)))
        return BL_E_MEMORY;
    char to[MOST_BYTES];
    for (int links = 0; links < MOST_LINKS; links++) {
        ssize_t n = readlink(*real, to, sizeof to);
        if (n <= 0 || (size_t)n >= sizeof to)
            return BL_OK; /* not a link, or an error that opening will report */
        const char *slash = to[0] == '/' ? NULL : strrchr(*real, '/');
        size_t folder = slash ? (size_t)(slash - *real) + 1 : 0;
        char *next;
        BL_TRY(BL_NEW(ctx, next, folder + (size_t)n + 1));
        memcpy(next, *real, folder);
        memcpy(next + folder, to, (size_t)n);
        bl_free(ctx, *real);
        *real = next;
    }
    return BL_OK; /* a loop, which opening will report */
}

bl_status bl_target_create(bl_context *ctx, const char *path, bl_target *target) {
    *target = (bl_target){.ctx = ctx, .fd = -1};
    if (!path || !path[0])
        return bl_fail(ctx, BL_E_ARG, NULL, "an output file needs a path");
    if (!(target->path = bl_strdup(ctx, path)) || follow(ctx, path, &target->real) != BL_OK ||
        BL_NEW(ctx, target->partial, strlen(target->real) + sizeof suffix) != BL_OK) {
        bl_target_destroy(target);
        return BL_E_MEMORY;
    }
    size_t length = strlen(target->real);
    memcpy(target->partial, target->real, length);
    memcpy(target->partial + length, suffix, sizeof suffix);
    return BL_OK;
}

static bl_status open_direct(bl_target *target) {
    target->fd = open(target->path, O_WRONLY | O_CLOEXEC);
    target->direct = true;
    return target->fd < 0 ? fail_on(target, "write", errno) : BL_OK;
}

bl_status bl_target_open(bl_target *target, bool allow_direct) {
    struct stat at;
    target->direct = false;
    target->error = 0;
    target->length = 0;
    if (stat(target->path, &at) == 0 && !S_ISREG(at.st_mode)) {
        if (S_ISDIR(at.st_mode))
            return fail_on(target, "write", EISDIR);
        if (allow_direct)
            return open_direct(target);
        bl_fail(target->ctx, BL_E_FILE, NULL, "cannot write '%s': it is a pipe or a device", target->path);
        bl_advise(target->ctx, "a result file must be a regular file");
        return BL_E_FILE;
    }
    target->fd = open(target->partial, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (target->fd < 0)
        return fail_on(target, "write", errno);
    bl_status status = BL_OK;
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(target->fd, F_SETLK, &lock) != 0 && (errno == EACCES || errno == EAGAIN)) { /* file systems without locks are fine */
        status = bl_fail(target->ctx, BL_E_FILE, NULL, "cannot write '%s': another run is writing it now", target->path);
        bl_advise(target->ctx, "wait until it ends, or choose another path");
    } else if (ftruncate(target->fd, 0) != 0) {
        status = fail_on(target, "write", errno);
    }
    if (status != BL_OK) {
        close(target->fd);
        target->fd = -1;
    }
    return status;
}

void bl_target_append(bl_target *target, const char *bytes, size_t length) {
    while (length > 0 && !target->error) {
        ssize_t n = write(target->fd, bytes, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            target->error = n < 0 ? errno : EIO;
            return;
        }
        bytes += n;
        length -= (size_t)n;
    }
}

void bl_target_write_at(bl_target *target, uint64_t offset, const void *bytes, size_t length) {
    const char *at = bytes;
    while (length > 0 && !target->error) {
        ssize_t n = pwrite(target->fd, at, length, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            target->error = n < 0 ? errno : EIO;
            return;
        }
        at += n;
        offset += (uint64_t)n;
        length -= (size_t)n;
    }
    if (offset > target->length)
        target->length = offset;
}

void bl_target_extend(bl_target *target, uint64_t length) {
    if (target->error || length <= target->length)
        return;
    if (ftruncate(target->fd, (off_t)length) != 0)
        target->error = errno;
    else
        target->length = length;
}

bl_status bl_target_check(bl_target *target) { return target->error ? fail_on(target, "write", target->error) : BL_OK; }

bl_status bl_target_close(bl_target *target, bool keep) {
    if (target->fd < 0)
        return BL_OK;
    if (close(target->fd) != 0 && !target->error)
        target->error = errno;
    target->fd = -1;
    if (target->direct)
        return bl_target_check(target);
    if (!keep)
        unlink(target->partial);
    else if (!target->error && rename(target->partial, target->real) != 0)
        return fail_on(target, "replace", errno);
    bl_status status = bl_target_check(target);
    if (status != BL_OK && keep)
        bl_advise(target->ctx, "data written before the failure are in '%s'", target->partial);
    return status;
}

void bl_target_destroy(bl_target *target) {
    if (target->fd >= 0)
        close(target->fd);
    bl_free(target->ctx, target->path);
    bl_free(target->ctx, target->real);
    bl_free(target->ctx, target->partial);
    *target = (bl_target){.ctx = target->ctx, .fd = -1};
}
