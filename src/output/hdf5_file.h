/* hdf5_file: HDF5 files on a bl_target. */
#ifndef BL_HDF5_FILE_H
#define BL_HDF5_FILE_H

#include "output/output.h"

#include <hdf5.h>

/* Creates a file in the open target; how, use: property lists (use gets a driver). The target must outlive the file. */
bl_status bl_hdf5_create(bl_target *target, hid_t how, hid_t use, hid_t *file);

#endif
