/* hdf5_format: the subset of the HDF5 file format used for results. Groups and attributes are in object headers, series in chunks indexed
 * by a B-tree, numbers are little-endian. Written without the HDF5 library, which takes longer to load than most runs last.
 * The HDF Group, HDF5 File Format Specification 3.0 (II.A superblock 2; III.A.1 B-tree 1; IV object headers 2). */
#ifndef BL_HDF5_FORMAT_H
#define BL_HDF5_FORMAT_H

#include "output/output.h"

#define BL_H5_NOWHERE UINT64_MAX /* the undefined address */

typedef struct bl_h5_file {
    bl_target *target; /* open */
    uint64_t end;      /* of the allocated space */
    uint64_t root;     /* header of the root group */
} bl_h5_file;

/* Allocates space at the end of the file. */
uint64_t bl_h5_take(bl_h5_file *file, uint64_t bytes);
void bl_h5_write(const bl_h5_file *file, uint64_t address, const void *bytes, size_t length);
/* Extends the file to the allocated space and records its length in the superblock; required before anything refers to that space. */
void bl_h5_write_superblock(const bl_h5_file *file);

/* ---- growing byte buffer; after a failed allocation it ignores further bytes and status holds the error */

typedef struct bl_h5_bytes {
    bl_context *ctx;
    unsigned char *data;
    bl_index length, capacity;
    bl_status status;
} bl_h5_bytes;

void bl_h5_put(bl_h5_bytes *bytes, const void *from, size_t length);
void bl_h5_put_number(bl_h5_bytes *bytes, uint64_t value, int width); /* width bytes, lowest first */
void bl_h5_set_number(unsigned char *at, uint64_t value, int width);

/* ---- object headers: begin, messages, seal (or write) */

void bl_h5_header_begin(bl_h5_bytes *header); /* discards the previous content */
void bl_h5_attribute_number(bl_h5_bytes *header, const char *name, double value);
void bl_h5_attribute_integer(bl_h5_bytes *header, const char *name, int64_t value);
void bl_h5_attribute_integers(bl_h5_bytes *header, const char *name, int64_t count, const int64_t *value); /* an array */
void bl_h5_attribute_ascii(bl_h5_bytes *header, const char *name, const char *value); /* for readers that refuse UTF-8 */
/* bytes: length in the file, padded with zeros; 0: that of the text. value NULL: empty. */
void bl_h5_attribute_text(bl_h5_bytes *header, const char *name, const char *value, size_t bytes);
/* A group is a header with bl_h5_group and one link per member, in order. */
void bl_h5_group(bl_h5_bytes *header, int64_t members);
void bl_h5_link(bl_h5_bytes *header, const char *name, int64_t order, uint64_t address);

/* Sets sizes and checksum; then data[0 .. length) can be written. */
void bl_h5_seal(bl_h5_bytes *header);
/* Updates the checksum after a change of a sealed header. */
void bl_h5_reseal(unsigned char *data, size_t length);
/* Seals the header and writes it to new space. */
bl_status bl_h5_header_end(bl_h5_file *file, bl_h5_bytes *header, uint64_t *address);

/* ---- datasets */

typedef enum bl_h5_type { BL_H5_TEXT, BL_H5_INTEGER, BL_H5_NUMBER, BL_H5_INDEX, BL_H5_BYTE } bl_h5_type; /* INDEX: 32 bits */
size_t bl_h5_type_bytes(bl_h5_type type);                                                                /* TEXT: 0 */
/* n elements (n < 0: a scalar) of `bytes` bytes each, contiguous at `data`. */
void bl_h5_dataset_contiguous(bl_h5_bytes *header, bl_h5_type type, int64_t n, size_t bytes, uint64_t data);
/* The same with up to three dimensions. */
void bl_h5_dataset_array(bl_h5_bytes *header, bl_h5_type type, int rank, const uint64_t *size, uint64_t data);

/* A dataset that grows along the first dimension. offsets: returns where the header holds the current length and the B-tree address. */
typedef struct bl_h5_shape {
    bl_h5_type type;   /* a type of eight bytes */
    int rank;          /* 1 to 3 */
    uint64_t size[3];  /* size[0]: current */
    uint64_t chunk[3]; /* of one chunk */
} bl_h5_shape;
typedef struct bl_h5_offsets {
    bl_index size, index;
} bl_h5_offsets;
void bl_h5_dataset_growing(bl_h5_bytes *header, const bl_h5_shape *shape, bl_h5_offsets *offsets);
/* A virtual dataset of elements of others, mapped by object `index` of the global heap at `heap` (hdf5_virtual.c); unmapped elements are
 * `missing`, for integers 0. Returns the offset of the sizes in the header. */
bl_index bl_h5_dataset_virtual(bl_h5_bytes *header, bl_h5_type type, int rank, const uint64_t *size, double missing, uint64_t heap,
                               uint32_t index);
uint32_t bl_h5_checksum(const unsigned char *bytes, size_t length);
enum { BL_H5_RAW = 3 }; /* filter mask of a chunk that skips both filters, shuffle and deflate */

#endif
