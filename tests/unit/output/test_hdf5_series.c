/* Growing datasets of the result file, read back by the HDF5 library: all shapes of chunks and trees, flushed anywhere, with zeros, and
 * numbers that compress well or not. */
#include "output/hdf5_series.h"
#include "synthetic.h"

#include <hdf5.h>
#include <sys/stat.h>

enum { MOST_SERIES = 3 };

static const uint64_t seed0 = 20240611;

static uint64_t next(uint64_t *seed) { /* xorshift */
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

typedef enum content { ZERO, LATE, COUNTING, RANDOM, NCONTENT } content;

/* element e of row n: zero; zero in the first half of the rows; small integers; noise */
static double value_of(content what, long n, long rows, size_t e) {
    uint64_t seed = (uint64_t)n * 7919 + e * 104729 + 12345;
    switch (what) {
    case ZERO: return 0;
    case LATE: return n < rows / 2 ? 0 : (double)n;
    case COUNTING: return (double)((long)e % 5 + n % 3);
    default: next(&seed), next(&seed); return (double)next(&seed) * 0x1p-64;
    }
}

typedef struct writing {
    bl_target target;
    bl_h5_file file;
    bl_h5_recorder r;
    content what[MOST_SERIES];
    long rows;
} writing;

static bl_status write_root(writing *w) {
    bl_h5_bytes header = {.ctx = w->r.ctx};
    char name[2] = "a";
    bl_h5_header_begin(&header);
    bl_h5_group(&header, w->r.nseries);
    for (bl_index i = 0; i < w->r.nseries; i++, name[0]++)
        bl_h5_link(&header, name, i, w->r.series[i].address);
    bl_status status = bl_h5_header_end(&w->file, &header, &w->file.root);
    bl_free(w->r.ctx, header.data);
    return status == BL_OK ? bl_h5_flush(&w->r) : status;
}

static void begin(bl_context *ctx, writing *w, const char *path, int nseries, const bl_index *items, const int *width,
                  bl_index block_rows) {
    w->file = (bl_h5_file){.target = &w->target};
    w->r = (bl_h5_recorder){.ctx = ctx, .file = &w->file, .block_rows = block_rows};
    assert_int_equal(bl_target_create(ctx, path, &w->target), BL_OK);
    assert_int_equal(bl_target_open(&w->target, false), BL_OK);
    bl_h5_take(&w->file, 48);
    for (int i = 0; i < nseries; i++)
        assert_int_equal(bl_h5_add_series(&w->r, items[i], width[i], "m", "numbers"), BL_OK);
    assert_int_equal(bl_h5_begin(&w->r), BL_OK);
    assert_int_equal(write_root(w), BL_OK);
}

static void put_row(writing *w, long n) {
    for (bl_index i = 0; i < w->r.nseries; i++)
        for (size_t e = 0; e < w->r.series[i].row; e++)
            w->r.series[i].block[(size_t)w->r.pending * w->r.series[i].row + e] = value_of(w->what[i], n, w->rows, e);
    assert_int_equal(bl_h5_end_row(&w->r), BL_OK);
}

static void end(writing *w) {
    assert_int_equal(bl_h5_flush(&w->r), BL_OK);
    bl_h5_recorder_destroy(&w->r);
    assert_int_equal(bl_target_close(&w->target, true), BL_OK);
    bl_target_destroy(&w->target);
}

/* the first `rows` rows of every series; *stored: bytes they take */
static void check(const writing *w, const char *path, int nseries, const size_t *row, long rows, hsize_t *stored) {
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0);
    char name[2] = "a";
    for (int i = 0; i < nseries; i++, name[0]++) {
        hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(set);
        hsize_t dims[3] = {0};
        assert_true(H5Sget_simple_extent_dims(space, dims, NULL) >= 1);
        assert_int_equal(dims[0], rows);
        double *value = malloc((size_t)rows * row[i] * sizeof *value + 1);
        assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0);
        for (long n = 0; n < rows; n++)
            for (size_t e = 0; e < row[i]; e++)
                assert_true(value[(size_t)n * row[i] + e] == value_of(w->what[i], n, w->rows, e));
        if (stored)
            stored[i] = H5Dget_storage_size(set);
        free(value);
        H5Sclose(space);
        H5Dclose(set);
    }
    H5Fclose(file);
}

static void random_file(bl_context *ctx, uint64_t *seed) {
    int nseries = 1 + (int)(next(seed) % MOST_SERIES), width[MOST_SERIES];
    bl_index items[MOST_SERIES];
    size_t row[MOST_SERIES];
    bl_index block_rows = 1 + (bl_index)(next(seed) % 3);
    bool wide = next(seed) % 8 == 0;                                                     /* several chunks side by side */
    writing w = {.rows = wide ? 1 + (long)(next(seed) % 9) : (long)(next(seed) % 5000)}; /* from 4096 chunks on: three levels of nodes */
    for (int i = 0; i < nseries; i++) {
        items[i] = wide ? (bl_index)(next(seed) % 150000) : (bl_index)(next(seed) % 4);
        width[i] = 1 + (int)(next(seed) % 4);
        row[i] = (size_t)(items[i] > 0 ? items[i] : 1) * (size_t)width[i];
        w.what[i] = (content)(next(seed) % NCONTENT);
    }
    char path[600], partial[620];
    snprintf(path, sizeof path, "%s", scratch("random.h5"));
    snprintf(partial, sizeof partial, "%s~partial", path);
    begin(ctx, &w, path, nseries, items, width, block_rows);
    for (long n = 0; n < w.rows; n++) {
        put_row(&w, n);
        uint64_t dice = next(seed) % 1000;
        if (dice < 30)
            assert_int_equal(bl_h5_flush(&w.r), BL_OK);
        if (dice == 0 && n < 3000)
            check(&w, partial, nseries, row, n + 1, NULL);
    }
    end(&w);
    check(&w, path, nseries, row, w.rows, NULL);
}

static void hdf5_series__random_files_read_back(void **state) {
    uint64_t seed = seed0;
    print_message("seed %llu\n", (unsigned long long)seed);
    for (int i = 0; i < 20; i++)
        random_file(*state, &seed);
}

/* The library takes microseconds for every chunk it reads: one row of every leaf, including those at both ends of nodes of all levels. */
static void check_leaves(const writing *w, const char *path, long rows) {
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), set = H5Dopen2(file, "a", H5P_DEFAULT), space = H5Dget_space(set);
    hsize_t dims[3] = {0}, count = 0, *at = malloc((size_t)(rows / BL_H5_FANOUT + 2) * 3 * sizeof *at);
    assert_true(H5Sget_simple_extent_dims(space, dims, NULL) == 1);
    assert_int_equal(dims[0], rows);
    for (long leaf = 0; leaf * BL_H5_FANOUT < rows; leaf++) {
        long first = leaf * BL_H5_FANOUT, last = first + BL_H5_FANOUT - 1 < rows ? first + BL_H5_FANOUT - 1 : rows - 1;
        bool edge = leaf % BL_H5_FANOUT == 0 || leaf % BL_H5_FANOUT == BL_H5_FANOUT - 1 || last == rows - 1;
        if (edge)
            at[count++] = (hsize_t)first;
        at[count++] = (hsize_t)(edge ? last : first + leaf % (last - first + 1));
    }
    double *value = malloc((size_t)count * sizeof *value);
    hid_t memory = H5Screate_simple(1, &count, NULL);
    assert_true(H5Sselect_elements(space, H5S_SELECT_SET, (size_t)count, at) >= 0);
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, value) >= 0);
    for (hsize_t i = 0; i < count; i++)
        assert_true(value[i] == value_of(w->what[0], (long)at[i], w->rows, 0));
    free(value);
    free(at);
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(set);
    H5Fclose(file);
}

/* 263 000 chunks: four levels of nodes */
static void hdf5_series__trees_of_many_levels_read_back(void **state) {
    writing w = {.rows = 263000, .what = {RANDOM}};
    begin(*state, &w, scratch("deep.h5"), 1, (bl_index[]){0}, (int[]){1}, 1);
    for (long n = 0; n < w.rows; n++)
        put_row(&w, n);
    assert_int_equal(w.r.series[0].index.depth, 4);
    end(&w);
    check_leaves(&w, scratch("deep.h5"), w.rows);
}

/* compressible data are compressed, also if every block was flushed before it was full; noise and zeros are not */
static void hdf5_series__deflates_what_pays(void **state) {
    for (int often = 0; often < 2; often++) {
        writing w = {.rows = 400, .what = {COUNTING, RANDOM, ZERO}};
        const bl_index items[] = {500, 500, 500};
        const size_t row[] = {1500, 1500, 1500};
        hsize_t stored[3];
        begin(*state, &w, scratch("deflated.h5"), 3, items, (int[]){3, 3, 3}, 20); /* chunks of 80 kB */
        for (long n = 0; n < w.rows; n++) {
            put_row(&w, n);
            if (often && n % 7 == 3)
                assert_int_equal(bl_h5_flush(&w.r), BL_OK);
        }
        end(&w);
        check(&w, scratch("deflated.h5"), 3, row, w.rows, stored);
        hsize_t raw = 400 * 1500 * sizeof(double);
        assert_true(stored[0] < raw / 5); /* all of 20 blocks except the first */
        assert_int_equal(stored[1], raw);
        assert_int_equal(stored[2], 0);
        struct stat at;
        assert_int_equal(stat(scratch("deflated.h5"), &at), 0);
        assert_true((hsize_t)at.st_size <
                    raw + raw / 5 + 3 * 20 * 1500 * sizeof(double) + 20000); /* two slots for growing blocks, and the first block */
    }
}

/* Between flushes the file is readable up to the last one, also if a partially flushed chunk has since moved, deflated, and its leaf, now
 * full, was written: block 20 is flushed at row 1210, full at 1260, its leaf is full at 1320. */
static void hdf5_series__a_kill_between_flushes_leaves_what_was_flushed(void **state) {
    writing w = {.rows = 1800, .what = {COUNTING}};
    char partial[620];
    snprintf(partial, sizeof partial, "%s~partial", scratch("between.h5"));
    begin(*state, &w, scratch("between.h5"), 1, (bl_index[]){70}, (int[]){3}, 60);
    for (long n = 0, flushed = 0; n < w.rows; n++) {
        put_row(&w, n);
        if (n % 150 == 10) {
            assert_int_equal(bl_h5_flush(&w.r), BL_OK);
            flushed = n + 1;
        }
        if (n % 40 == 5)
            check(&w, partial, 1, (size_t[]){210}, flushed, NULL);
    }
    end(&w);
    check(&w, scratch("between.h5"), 1, (size_t[]){210}, w.rows, NULL);
}

static void hdf5_series__blocks_stay_small(void **state) {
    (void)state;
    assert_int_equal(bl_h5_block_rows(130, 201), 201); /* a mechanism with 200 outputs: one chunk for each series */
    assert_int_equal(bl_h5_block_rows(130, 0), 64);    /* unknown number of samples */
    assert_int_equal(bl_h5_block_rows(10, 1000000), 4096);
    assert_int_equal(bl_h5_block_rows(2100000, 1000), 1);                      /* 100 000 bodies */
    assert_true((size_t)bl_h5_block_rows(40400, 1000) * 40400 * 8 <= 4 << 20); /* 20 200 unknowns */
}

static int setup(void **state) {
    bl_context *ctx;
    bl_status status = bl_context_create(NULL, &ctx);
    *state = ctx;
    return status;
}

static int teardown(void **state) {
    int leaks = bl_context_memory(*state).live_blocks != 0;
    bl_context_destroy(*state);
    return leaks;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(hdf5_series__random_files_read_back, setup, teardown),
        cmocka_unit_test_setup_teardown(hdf5_series__trees_of_many_levels_read_back, setup, teardown),
        cmocka_unit_test_setup_teardown(hdf5_series__deflates_what_pays, setup, teardown),
        cmocka_unit_test_setup_teardown(hdf5_series__a_kill_between_flushes_leaves_what_was_flushed, setup, teardown),
        cmocka_unit_test_setup_teardown(hdf5_series__blocks_stay_small, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, remove_scratch);
}
