/* Numbers that items of a result have once, not at every sample. */
#include "output/result_file.h"

#include <string.h>

bl_status bl_result_items(bl_result *r, const char *name, bl_index count, double *values) {
    bl_quiet was = bl_quiet_start(r);
    bl_status status = BL_OK;
    hid_t set = bl_result_exists(r, name) ? r->h5.H5Dopen2(r->file, name, H5P_DEFAULT) : -1;
    hid_t space = set >= 0 ? r->h5.H5Dget_space(set) : -1, type = set >= 0 ? r->h5.H5Dget_type(set) : -1;
    H5T_class_t class = type >= 0 ? r->h5.H5Tget_class(type) : H5T_NO_CLASS;
    hsize_t n = 0;
    bool good = (class == H5T_INTEGER || class == H5T_FLOAT) && r->h5.H5Sget_simple_extent_ndims(space) == 1 &&
                r->h5.H5Sget_simple_extent_dims(space, &n, NULL) > 0;
    if (!good)
        status = bl_fail(r->ctx, BL_E_ARG, NULL, "'%s' has no numbers '%s'", r->path, name);
    else if (n != (hsize_t)count)
        status = bl_result_broken(r, "there are not as many numbers as items");
    else if (count > 0 && r->h5.H5Dread(set, r->number, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
        status = bl_result_broken(r, "numbers of items are damaged");
    if (type >= 0)
        r->h5.H5Tclose(type);
    if (space >= 0)
        r->h5.H5Sclose(space);
    if (set >= 0)
        r->h5.H5Dclose(set);
    bl_quiet_end(r, was);
    return status;
}
