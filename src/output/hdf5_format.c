/* Bytes of the HDF5 format: superblock, object headers and their messages. */
#include "output/hdf5_format.h"

#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "series are written directly from memory, which must be little-endian"
#endif

enum {
    MESSAGE_SPACE = 1,
    MESSAGE_LINK_INFO = 2,
    MESSAGE_TYPE = 3,
    MESSAGE_FILL = 5,
    MESSAGE_LINK = 6,
    MESSAGE_LAYOUT = 8,
    MESSAGE_GROUP_INFO = 10,
    MESSAGE_FILTERS = 11,
    MESSAGE_ATTRIBUTE = 12,
    MESSAGE_ATTRIBUTES = 21
};
enum { CONSTANT = 1 };                                                  /* flag of a constant message */
enum { LAYOUT_CONTIGUOUS = 1, LAYOUT_CHUNKED = 2, LAYOUT_VIRTUAL = 3 }; /* classes of the layout message */
enum { FILTER_DEFLATE = 1, FILTER_SHUFFLE = 2, DEFLATE_LEVEL = 1 };     /* numbers of the filters */
enum { HEADER_START = 10, HEADER_SIZE_AT = 6, HEADER_CHECKSUM = 4 };    /* bytes of an object header around its messages */
enum { MOST_MESSAGE = 65535, MOST_TEXT = 60000 };                       /* sizes of messages have 16 bits */
static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};

/* ---- checksum: lookup3 of B. Jenkins (2006), public domain, byte by byte */

static uint32_t rotate_left(uint32_t x, int k) { return x << k | x >> (32 - k); }

static uint32_t lookup3(const unsigned char *k, size_t length) {
    uint32_t a = 0xdeadbeefU + (uint32_t)length, b = a, c = a, word[3];
    for (;; k += 12, length -= 12) {
        size_t n = length < 12 ? length : 12;
        memset(word, 0, sizeof word);
        for (size_t i = 0; i < n; i++)
            word[i / 4] += (uint32_t)k[i] << (8 * (i % 4));
        if (length == 0)
            return c;
        a += word[0], b += word[1], c += word[2];
        if (length <= 12)
            break;
        a -= c, a ^= rotate_left(c, 4), c += b;
        b -= a, b ^= rotate_left(a, 6), a += c;
        c -= b, c ^= rotate_left(b, 8), b += a;
        a -= c, a ^= rotate_left(c, 16), c += b;
        b -= a, b ^= rotate_left(a, 19), a += c;
        c -= b, c ^= rotate_left(b, 4), b += a;
    }
    c ^= b, c -= rotate_left(b, 14);
    a ^= c, a -= rotate_left(c, 11);
    b ^= a, b -= rotate_left(a, 25);
    c ^= b, c -= rotate_left(b, 16);
    a ^= c, a -= rotate_left(c, 4);
    b ^= a, b -= rotate_left(a, 14);
    c ^= b, c -= rotate_left(b, 24);
    return c;
}

uint32_t bl_h5_checksum(const unsigned char *bytes, size_t length) { return lookup3(bytes, length); }

/* ---- bytes */

void bl_h5_set_number(unsigned char *at, uint64_t value, int width) {
    for (int i = 0; i < width; i++)
        at[i] = (unsigned char)(value >> (8 * i));
}

void bl_h5_put(bl_h5_bytes *bytes, const void *from, size_t length) {
    if (bytes->status == BL_OK)
        bytes->status = BL_RESERVE(bytes->ctx, bytes->data, bytes->capacity, bytes->length + (bl_index)length);
    if (bytes->status != BL_OK || length == 0)
        return;
    memcpy(bytes->data + bytes->length, from, length);
    bytes->length += (bl_index)length;
}

void bl_h5_put_number(bl_h5_bytes *bytes, uint64_t value, int width) {
    unsigned char at[8];
    bl_h5_set_number(at, value, width);
    bl_h5_put(bytes, at, (size_t)width);
}

static void put_zeros(bl_h5_bytes *bytes, size_t count) {
    static const unsigned char zero[64];
    for (; count > 0 && bytes->status == BL_OK; count -= count < sizeof zero ? count : sizeof zero)
        bl_h5_put(bytes, zero, count < sizeof zero ? count : sizeof zero);
}

/* ---- the file */

uint64_t bl_h5_take(bl_h5_file *file, uint64_t bytes) {
    uint64_t at = file->end;
    file->end += (bytes + 7) / 8 * 8;
    return at;
}

void bl_h5_write(const bl_h5_file *file, uint64_t address, const void *bytes, size_t length) {
    bl_target_write_at(file->target, address, bytes, length);
}

void bl_h5_write_superblock(const bl_h5_file *file) {
    unsigned char block[48] = {0};
    memcpy(block, signature, sizeof signature);
    block[8] = 2;                                   /* version */
    block[9] = block[10] = 8;                       /* bytes of addresses and of lengths */
    bl_h5_set_number(block + 20, BL_H5_NOWHERE, 8); /* no extension */
    bl_h5_set_number(block + 28, file->end, 8);
    bl_h5_set_number(block + 36, file->root, 8);
    bl_h5_set_number(block + 44, lookup3(block, 44), 4);
    bl_target_extend(file->target, file->end);
    bl_h5_write(file, 0, block, sizeof block);
}

/* ---- object headers */

/* A message: type, size, flags, then the bytes put until message_end. Returns its offset. */
static bl_index message_begin(bl_h5_bytes *header, int type, int flags) {
    bl_index at = header->length;
    bl_h5_put_number(header, (uint64_t)type, 1);
    bl_h5_put_number(header, 0, 2);
    bl_h5_put_number(header, (uint64_t)flags, 1);
    return at;
}

static void message_end(bl_h5_bytes *header, bl_index at) {
    if (header->status != BL_OK)
        return;
    bl_index size = header->length - at - 4;
    if (size > MOST_MESSAGE)
        header->status = bl_fail(header->ctx, BL_E_ARG, NULL, "a name or text of %d bytes is too long for a result file", (int)size);
    bl_h5_set_number(header->data + at + 1, (uint64_t)size, 2);
}

/* attributes are always stored in the header; this message is needed for readers to count them */
void bl_h5_header_begin(bl_h5_bytes *header) {
    header->length = 0;
    bl_h5_put(header, "OHDR\2\2", 6); /* version 2; four bytes of size */
    bl_h5_put_number(header, 0, 4);
    bl_index at = message_begin(header, MESSAGE_ATTRIBUTES, 0);
    bl_h5_put(header, "\0\0", 2);
    bl_h5_put_number(header, BL_H5_NOWHERE, 8);
    bl_h5_put_number(header, BL_H5_NOWHERE, 8);
    message_end(header, at);
}

void bl_h5_reseal(unsigned char *data, size_t length) {
    bl_h5_set_number(data + length - HEADER_CHECKSUM, lookup3(data, length - HEADER_CHECKSUM), HEADER_CHECKSUM);
}

void bl_h5_seal(bl_h5_bytes *header) {
    bl_h5_put_number(header, 0, HEADER_CHECKSUM);
    if (header->status != BL_OK)
        return;
    bl_h5_set_number(header->data + HEADER_SIZE_AT, (uint64_t)(header->length - HEADER_START - HEADER_CHECKSUM), 4);
    bl_h5_reseal(header->data, (size_t)header->length);
}

bl_status bl_h5_header_end(bl_h5_file *file, bl_h5_bytes *header, uint64_t *address) {
    bl_h5_seal(header);
    BL_TRY(header->status);
    *address = bl_h5_take(file, (uint64_t)header->length);
    bl_h5_write(file, *address, header->data, (size_t)header->length);
    return BL_OK;
}

/* ---- types and shapes, as encoded in messages */

static const unsigned char type_double[20] = {0x11, 0x20, 0x3f, 0, 8, 0, 0, 0, 0, 0, 64, 0, 52, 11, 0, 52, 0xff, 3, 0, 0};
static const unsigned char type_integer[12] = {0x10, 8, 0, 0, 8, 0, 0, 0, 0, 0, 64, 0}; /* signed */
static const unsigned char type_index[12] = {0x10, 8, 0, 0, 4, 0, 0, 0, 0, 0, 32, 0};
static const unsigned char type_byte[12] = {0x10, 0, 0, 0, 1, 0, 0, 0, 0, 0, 8, 0};
enum { TYPE_TEXT_BYTES = 8 };

size_t bl_h5_type_bytes(bl_h5_type type) {
    static const size_t bytes[] = {[BL_H5_TEXT] = 0, [BL_H5_INTEGER] = 8, [BL_H5_NUMBER] = 8, [BL_H5_INDEX] = 4, [BL_H5_BYTE] = 1};
    return bytes[type];
}

/* fixed length, padded with zeros, UTF-8 */
static void put_text_type(bl_h5_bytes *bytes, size_t length) {
    bl_h5_put(bytes, "\x13\x11\0\0", 4);
    bl_h5_put_number(bytes, length, 4);
}

/* length: of a text */
static void put_type(bl_h5_bytes *bytes, bl_h5_type type, size_t length) {
    switch (type) {
    case BL_H5_TEXT: put_text_type(bytes, length); break;
    case BL_H5_INTEGER: bl_h5_put(bytes, type_integer, sizeof type_integer); break;
    case BL_H5_NUMBER: bl_h5_put(bytes, type_double, sizeof type_double); break;
    case BL_H5_INDEX: bl_h5_put(bytes, type_index, sizeof type_index); break;
    case BL_H5_BYTE: bl_h5_put(bytes, type_byte, sizeof type_byte); break;
    }
}

enum { SCALAR_BYTES = 4, LIST_BYTES = 12 };

static void put_scalar_space(bl_h5_bytes *bytes) { bl_h5_put(bytes, "\2\0\0\0", SCALAR_BYTES); }

/* ---- attributes */

static bl_index attribute_begin(bl_h5_bytes *header, const char *name, size_t type_bytes, size_t space_bytes) {
    bl_index at = message_begin(header, MESSAGE_ATTRIBUTE, 0);
    bl_h5_put(header, "\3\0", 2); /* version, flags */
    bl_h5_put_number(header, strlen(name) + 1, 2);
    bl_h5_put_number(header, type_bytes, 2);
    bl_h5_put_number(header, space_bytes, 2);
    bl_h5_put_number(header, 1, 1); /* UTF-8 */
    bl_h5_put(header, name, strlen(name) + 1);
    return at;
}

void bl_h5_attribute_number(bl_h5_bytes *header, const char *name, double value) {
    bl_index at = attribute_begin(header, name, sizeof type_double, SCALAR_BYTES);
    bl_h5_put(header, type_double, sizeof type_double);
    put_scalar_space(header);
    bl_h5_put(header, &value, sizeof value);
    message_end(header, at);
}

void bl_h5_attribute_integer(bl_h5_bytes *header, const char *name, int64_t value) {
    bl_index at = attribute_begin(header, name, sizeof type_integer, SCALAR_BYTES);
    bl_h5_put(header, type_integer, sizeof type_integer);
    put_scalar_space(header);
    bl_h5_put_number(header, (uint64_t)value, 8);
    message_end(header, at);
}

void bl_h5_attribute_integers(bl_h5_bytes *header, const char *name, int64_t count, const int64_t *value) {
    bl_index at = attribute_begin(header, name, sizeof type_integer, LIST_BYTES);
    bl_h5_put(header, type_integer, sizeof type_integer);
    bl_h5_put(header, "\2\1\0\1", 4); /* version, dimensions, no limits, simple */
    bl_h5_put_number(header, (uint64_t)count, 8);
    for (int64_t i = 0; i < count; i++)
        bl_h5_put_number(header, (uint64_t)value[i], 8);
    message_end(header, at);
}

void bl_h5_attribute_ascii(bl_h5_bytes *header, const char *name, const char *value) {
    bl_index at = attribute_begin(header, name, TYPE_TEXT_BYTES, SCALAR_BYTES);
    bl_h5_put(header, "\x13\1\0\0", 4); /* padded with zeros */
    bl_h5_put_number(header, strlen(value), 4);
    put_scalar_space(header);
    bl_h5_put(header, value, strlen(value));
    message_end(header, at);
}

void bl_h5_attribute_text(bl_h5_bytes *header, const char *name, const char *value, size_t bytes) {
    size_t length = value ? strlen(value) : 0;
    length = length > MOST_TEXT ? MOST_TEXT : length;
    if (bytes == 0)
        bytes = length > 0 ? length : 1;
    if (length > bytes)
        length = bytes;
    bl_index at = attribute_begin(header, name, TYPE_TEXT_BYTES, SCALAR_BYTES);
    put_text_type(header, bytes);
    put_scalar_space(header);
    bl_h5_put(header, value, length);
    put_zeros(header, bytes - length);
    message_end(header, at);
}

/* ---- groups: all links in the header, with their creation order */

void bl_h5_group(bl_h5_bytes *header, int64_t members) {
    bl_index at = message_begin(header, MESSAGE_LINK_INFO, 0);
    bl_h5_put(header, "\0\3", 2); /* version; order tracked and indexed */
    bl_h5_put_number(header, (uint64_t)members, 8);
    for (int i = 0; i < 3; i++) /* no heap, no name index, no order index: not needed for few links */
        bl_h5_put_number(header, BL_H5_NOWHERE, 8);
    message_end(header, at);
    at = message_begin(header, MESSAGE_GROUP_INFO, CONSTANT);
    bl_h5_put(header, "\0\0", 2);
    message_end(header, at);
}

void bl_h5_link(bl_h5_bytes *header, const char *name, int64_t order, uint64_t address) {
    bl_index at = message_begin(header, MESSAGE_LINK, 0);
    bl_h5_put_number(header, 1, 1);    /* version */
    bl_h5_put_number(header, 0x15, 1); /* two bytes of length; an order; a character set */
    bl_h5_put_number(header, (uint64_t)order, 8);
    bl_h5_put_number(header, 1, 1); /* UTF-8 */
    bl_h5_put_number(header, strlen(name), 2);
    bl_h5_put(header, name, strlen(name));
    bl_h5_put_number(header, address, 8);
    message_end(header, at);
}

/* ---- datasets */

/* growing: the first dimension is unlimited */
static bl_index put_space(bl_h5_bytes *header, int rank, const uint64_t *size, bool growing) {
    bl_index at = message_begin(header, MESSAGE_SPACE, 0);
    bl_h5_put_number(header, 2, 1);
    bl_h5_put_number(header, (uint64_t)rank, 1);
    bl_h5_put_number(header, growing, 1);
    bl_h5_put_number(header, rank > 0, 1); /* 0: a scalar */
    bl_index first = header->length;
    for (int k = 0; k < rank; k++)
        bl_h5_put_number(header, size[k], 8);
    for (int k = 0; k < rank && growing; k++)
        bl_h5_put_number(header, k == 0 ? UINT64_MAX : size[k], 8);
    message_end(header, at);
    return first;
}

/* numbers that were not written are zero */
static void put_fill(bl_h5_bytes *header, int when) {
    bl_index at = message_begin(header, MESSAGE_FILL, CONSTANT);
    bl_h5_put_number(header, 3, 1);
    bl_h5_put_number(header, (uint64_t)(when | 2 << 2), 1); /* write the fill value if one is set; none is, so zeros */
    message_end(header, at);
}

static void put_contiguous(bl_h5_bytes *header, bl_h5_type type, int rank, const uint64_t *size, size_t bytes, uint64_t data) {
    uint64_t count = 1;
    for (int k = 0; k < rank; k++)
        count *= size[k];
    put_space(header, rank, size, false);
    bl_index at = message_begin(header, MESSAGE_TYPE, CONSTANT);
    put_type(header, type, bytes);
    message_end(header, at);
    put_fill(header, 2); /* late space allocation */
    at = message_begin(header, MESSAGE_LAYOUT, 0);
    bl_h5_put_number(header, 3, 1);
    bl_h5_put_number(header, LAYOUT_CONTIGUOUS, 1);
    bl_h5_put_number(header, count > 0 ? data : BL_H5_NOWHERE, 8);
    bl_h5_put_number(header, count * bytes, 8);
    message_end(header, at);
}

void bl_h5_dataset_contiguous(bl_h5_bytes *header, bl_h5_type type, int64_t n, size_t bytes, uint64_t data) {
    uint64_t size = (uint64_t)n;
    put_contiguous(header, type, n >= 0 ? 1 : 0, &size, bytes, data);
}

void bl_h5_dataset_array(bl_h5_bytes *header, bl_h5_type type, int rank, const uint64_t *size, uint64_t data) {
    put_contiguous(header, type, rank, size, bl_h5_type_bytes(type), data);
}

bl_index bl_h5_dataset_virtual(bl_h5_bytes *header, bl_h5_type type, int rank, const uint64_t *size, double missing, uint64_t heap,
                               uint32_t index) {
    bl_index sizes = put_space(header, rank, size, false);
    bl_index at = message_begin(header, MESSAGE_TYPE, CONSTANT);
    put_type(header, type, 0);
    message_end(header, at);
    if (type == BL_H5_NUMBER) {
        at = message_begin(header, MESSAGE_FILL, CONSTANT);
        bl_h5_put_number(header, 3, 1);
        bl_h5_put_number(header, 3 | 2 << 2 | 1 << 5, 1); /* a fill value is set */
        bl_h5_put_number(header, 8, 4);
        bl_h5_put(header, &missing, 8);
        message_end(header, at);
    } else {
        put_fill(header, 3);
    }
    at = message_begin(header, MESSAGE_LAYOUT, 0);
    bl_h5_put_number(header, 4, 1);
    bl_h5_put_number(header, LAYOUT_VIRTUAL, 1);
    bl_h5_put_number(header, heap, 8);
    bl_h5_put_number(header, index, 4);
    message_end(header, at);
    return sizes;
}

static void put_filters(bl_h5_bytes *header) {
    static const unsigned filter[2][2] = {{FILTER_SHUFFLE, 8}, {FILTER_DEFLATE, DEFLATE_LEVEL}};
    bl_index at = message_begin(header, MESSAGE_FILTERS, CONSTANT);
    bl_h5_put(header, "\2\2", 2); /* version, number */
    for (int k = 0; k < 2; k++) {
        bl_h5_put_number(header, filter[k][0], 2);
        bl_h5_put_number(header, 1, 2); /* optional: chunks may skip the filter */
        bl_h5_put_number(header, 1, 2); /* one parameter: bytes of an element; level */
        bl_h5_put_number(header, filter[k][1], 4);
    }
    message_end(header, at);
}

void bl_h5_dataset_growing(bl_h5_bytes *header, const bl_h5_shape *shape, bl_h5_offsets *offsets) {
    offsets->size = put_space(header, shape->rank, shape->size, true);
    bl_index at = message_begin(header, MESSAGE_TYPE, CONSTANT);
    put_type(header, shape->type, 0);
    message_end(header, at);
    put_fill(header, 3); /* incremental space allocation */
    at = message_begin(header, MESSAGE_LAYOUT, 0);
    bl_h5_put_number(header, 3, 1);
    bl_h5_put_number(header, LAYOUT_CHUNKED, 1);
    bl_h5_put_number(header, (uint64_t)shape->rank + 1, 1);
    offsets->index = header->length;
    bl_h5_put_number(header, BL_H5_NOWHERE, 8);
    for (int k = 0; k < shape->rank; k++)
        bl_h5_put_number(header, shape->chunk[k], 4);
    bl_h5_put_number(header, sizeof(double), 4);
    message_end(header, at);
    put_filters(header);
}
