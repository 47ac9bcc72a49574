/* result_file: state of an open result file. Private to result.c, result_fields.c and result_journal.c. */
#ifndef BL_RESULT_FILE_H
#define BL_RESULT_FILE_H

#include "base/base.h"
#include "biela/result.h"
#include "output/hdf5_layout.h"

#include <hdf5.h>

/* functions only, no variables such as H5T_NATIVE_DOUBLE: a program that links the library has its own copy of them, which is in use */
#define BL_H5_FUNCTIONS(X)        \
    X(H5open)                     \
    X(H5Fopen)                    \
    X(H5Fclose)                   \
    X(H5Gopen2)                   \
    X(H5Gclose)                   \
    X(H5Gget_info)                \
    X(H5Lget_name_by_idx)         \
    X(H5Lexists)                  \
    X(H5Dopen2)                   \
    X(H5Dclose)                   \
    X(H5Dget_space)               \
    X(H5Dget_type)                \
    X(H5Dread)                    \
    X(H5Screate_simple)           \
    X(H5Sclose)                   \
    X(H5Sselect_hyperslab)        \
    X(H5Sget_simple_extent_ndims) \
    X(H5Sget_simple_extent_dims)  \
    X(H5Tget_size)                \
    X(H5Tget_class)               \
    X(H5Tclose)                   \
    X(H5Aexists)                  \
    X(H5Aopen)                    \
    X(H5Aread)                    \
    X(H5Aget_type)                \
    X(H5Aclose)                   \
    X(H5Eget_auto2)               \
    X(H5Eset_auto2)               \
    X(H5Tget_native_type)
#define BL_H5_DECLARE(name) __typeof__(&(name)) name;
typedef struct bl_h5_functions {
    BL_H5_FUNCTIONS(BL_H5_DECLARE)
} bl_h5_functions;

enum { BL_RESULT_PATH = 4096, BL_RESULT_DIMS = 3 };

typedef struct bl_item_list {
    bl_index n;
    const char **name; /* [n] */
    const char **link; /* [n] link names in the file, version 1 */
} bl_item_list;

struct bl_result {
    bl_context *ctx;
    char *path;
    bl_h5_functions h5;
    hid_t file;   /* < 0: not open */
    hid_t number; /* HDF5 type of double in memory; < 0: not known yet */
    int version;
    long samples;
    bl_arena arena;
    bl_item_list items[BL_RESULT_GROUPS];
    bl_index nquantity, room;
    bl_index nsampled; /* the first nsampled are of samples, the rest of steps and impacts */
    bl_quantity *quantity;
    struct bl_result_at {
        bl_result_what what;
        const char *path; /* of a field, of steps, of impacts; else NULL */
    } * at;
    bl_item_list meshes;
    bl_run_mesh *mesh; /* [meshes.n]; without a name: not read yet */
    char *model, *scene;
    size_t model_bytes, scene_bytes;
    bool events_known;
    bl_index nevent;
    bl_result_event *event;
};

bl_status bl_result_broken(const bl_result *r, const char *what);

/* Suppresses the error messages of HDF5 and restores the setting, which belongs to the program. */
typedef struct bl_quiet {
    H5E_auto2_t print;
    void *data;
} bl_quiet;
bl_quiet bl_quiet_start(const bl_result *r);
void bl_quiet_end(const bl_result *r, bl_quiet was);

bool bl_result_exists(const bl_result *r, const char *path);
/* Links of a group in creation order, with %2F etc. decoded. */
bl_status bl_result_links(bl_result *r, const char *group, bl_item_list *items);
/* A dataset of texts in one block from the arena: n texts of *bytes each; n < 0: a scalar. */
bl_status bl_result_texts(bl_result *r, const char *path, int64_t *n, size_t *bytes, char **all);
/* Reserves space for one more quantity, which is not counted yet. */
bl_status bl_result_more(bl_result *r);
/* Checks the shape [samples](items)(width) of a dataset of numbers and returns samples. */
bl_status bl_result_check_dataset(bl_result *r, const char *path, bl_index items, int width, long *samples);
/* to[count][stride]: `items` items from `item` on (items 0: a dataset without that dimension), width components each */
bl_status bl_result_read_part(bl_result *r, const char *path, long first, long count, bl_index item, bl_index items, int width,
                              size_t stride, double *to);

/* ---- result_fields.c */
bl_status bl_result_find_fields(bl_result *r);

/* ---- result_journal.c */
bl_status bl_result_find_steps(bl_result *r);
bl_status bl_result_find_impacts(bl_result *r);

#endif
