/* HDF5 file driver on a bl_target. A write that fails (full disk) is kept in the target and hidden from HDF5, whose
 * caches do not survive one: it would crash when the program ends. From then on nothing is written, so that the file
 * stays as it was flushed last. */
#include "output/hdf5_file.h"

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif
#include <errno.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

typedef struct driver_file {
    H5FD_t base;
    bl_target *target;
    haddr_t eoa, eof; /* end of the allocated space; of the file */
    bool opened;      /* HDF5 has it and will close it */
} driver_file;

static H5FD_t *driver_open(const char *name, unsigned flags, hid_t use, haddr_t max) {
    (void)name, (void)flags, (void)max;
    driver_file *const *file = H5Pget_driver_info(use);
    if (!file || !*file)
        return NULL;
    (*file)->opened = true;
    return &(*file)->base;
}

static herr_t driver_close(H5FD_t *base) {
    driver_file *file = (driver_file *)base;
    bl_free(file->target->ctx, file);
    return 0;
}

static herr_t driver_query(const H5FD_t *base, unsigned long *flags) {
    (void)base;
    if (flags)
        *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA |
                 H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

static haddr_t driver_get_eoa(const H5FD_t *base, H5FD_mem_t type) {
    (void)type;
    return ((const driver_file *)base)->eoa;
}

static herr_t driver_set_eoa(H5FD_t *base, H5FD_mem_t type, haddr_t address) {
    (void)type;
    ((driver_file *)base)->eoa = address;
    return 0;
}

static haddr_t driver_get_eof(const H5FD_t *base, H5FD_mem_t type) {
    (void)type;
    return ((const driver_file *)base)->eof;
}

static herr_t driver_read(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size, void *buffer) {
    (void)type, (void)transfer;
    const driver_file *file = (const driver_file *)base;
    char *at = buffer;
    while (size > 0) {
        ssize_t n = pread(file->target->fd, at, size, (off_t)address);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) { /* behind the end, or lost with a failed write */
            memset(at, 0, size);
            break;
        }
        at += n;
        address += (haddr_t)n;
        size -= (size_t)n;
    }
    return 0;
}

static herr_t driver_write(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size, const void *buffer) {
    (void)type, (void)transfer;
    driver_file *file = (driver_file *)base;
    bl_target_write_at(file->target, address, buffer, size);
    if (address + size > file->eof)
        file->eof = address + size;
    return 0;
}

static herr_t driver_truncate(H5FD_t *base, hid_t transfer, hbool_t closing) {
    (void)transfer, (void)closing;
    driver_file *file = (driver_file *)base;
    if (file->eoa != file->eof && !file->target->error && ftruncate(file->target->fd, (off_t)file->eoa) != 0)
        file->target->error = errno;
    file->eof = file->eoa;
    return 0;
}

static const H5FD_class_t driver = {
#if H5_VERSION_GE(1, 13, 0)
    .version = H5FD_CLASS_VERSION,
    .value = 600, /* of the range free for use in house */
#endif
    .name = "biela",
    .maxaddr = (haddr_t)INT64_MAX,
    .fc_degree = H5F_CLOSE_STRONG,
    .fapl_size = sizeof(driver_file *),
    .open = driver_open,
    .close = driver_close,
    .query = driver_query,
    .get_eoa = driver_get_eoa,
    .set_eoa = driver_set_eoa,
    .get_eof = driver_get_eof,
    .read = driver_read,
    .write = driver_write,
    .truncate = driver_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

bl_status bl_hdf5_create(bl_target *target, hid_t how, hid_t use, hid_t *out) {
    *out = -1;
    driver_file *file;
    BL_TRY(BL_NEW(target->ctx, file, 1));
    file->target = target;
    hid_t id = H5FDregister(&driver);
    if (id >= 0 && H5Pset_driver(use, id, &file) >= 0)
        *out = H5Fcreate(target->partial, H5F_ACC_TRUNC, how, use);
    if (*out < 0 && !file->opened)
        bl_free(target->ctx, file);
    if (id >= 0)
        H5FDunregister(id);
    return *out < 0 ? bl_fail(target->ctx, BL_E_FILE, NULL, "cannot write '%s': HDF5 cannot create the file", target->path) : BL_OK;
}
