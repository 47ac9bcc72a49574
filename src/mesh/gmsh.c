/* Gmsh files: the header, names of physical groups, and dispatch of sections. Sections may follow the header in any order; those without
 * relevance here ($Periodic, $NodeData, $Comments, ...) are skipped, from $NAME to $EndNAME. */
#include "mesh/gmsh.h"

#include <stdio.h>

enum { SECTION = 64 }; /* longest name of a section */

#define SAVE_AGAIN "convert the file: gmsh OLD.msh -save -format msh41 -o NEW.msh"

/* ---- sections: begin, end, skip */

static bool is_name_character(unsigned char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/* The word "$NAME" at the next line that is not blank; "" at the end of the file. */
static bl_status next_section(bl_gmsh *g, char name[SECTION]) {
    bl_scan *s = &g->scan;
    size_t n = 0;
    s->binary = false;
    bl_scan_record(s);
    name[0] = '\0';
    if (s->at >= s->count)
        return BL_OK;
    int64_t spot = bl_scan_spot(s);
    if (s->bytes[s->at] != '$')
        return bl_scan_fail(s, spot, "expected the beginning of a section, for example $Nodes");
    const unsigned char *start = s->bytes + ++s->at;
    while (s->at < s->count && is_name_character(s->bytes[s->at]))
        s->at++, n++;
    if (n == 0 || n >= SECTION)
        return bl_scan_fail(s, spot, "the name of a section has 1 to %d letters", SECTION - 1);
    memcpy(name, start, n);
    name[n] = '\0';
    return bl_scan_record_end(s);
}

/* whether the word "$EndNAME" is at this position */
static bool ends_here(const bl_scan *s, size_t at, const char *end, size_t length) {
    if (s->count - at < length || memcmp(s->bytes + at, end, length) != 0)
        return false;
    return at + length == s->count || !is_name_character(s->bytes[at + length]);
}

static bl_status section_end(bl_gmsh *g, const char *name) {
    bl_scan *s = &g->scan;
    char end[SECTION + 8];
    size_t length = (size_t)snprintf(end, sizeof end, "$End%s", name);
    s->binary = false;
    bl_scan_record(s);
    if (!ends_here(s, s->at, end, length))
        return bl_scan_fail(s, bl_scan_spot(s), "expected %s, found %s", end, s->at >= s->count ? "the end of the file" : "something else");
    s->at += length;
    return bl_scan_record_end(s);
}

static bl_status skip_section(bl_gmsh *g, const char *name, int64_t spot) {
    bl_scan *s = &g->scan;
    char end[SECTION + 8];
    size_t length = (size_t)snprintf(end, sizeof end, "$End%s", name);
    for (; s->at < s->count; s->at++) {
        if (s->bytes[s->at] == '$' && s->bytes[s->at - 1] == '\n' && ends_here(s, s->at, end, length))
            return section_end(g, name);
        s->line += s->bytes[s->at] == '\n';
    }
    return bl_scan_fail(s, spot, "the section $%s has no %s", name, end);
}

/* ---- the header */

/* The number 1 in the byte order of the machine that wrote the file. */
static bl_status check_byte_order(bl_gmsh *g) {
    bl_scan *s = &g->scan;
    int64_t spot = bl_scan_spot(s);
    bl_index one;
    s->binary = true;
    BL_TRY(bl_scan_int(s, "the mark of the byte order", INT32_MIN, INT32_MAX, &one));
    if (one == 1)
        return BL_OK;
    if (one == 0x01000000)
        bl_scan_fail(s, spot, "the file was written by a machine with the other byte order");
    else
        bl_scan_fail(s, spot, "the byte-order mark is %d, and must be 1", one);
    bl_advise(s->ctx, "%s", SAVE_AGAIN);
    return BL_E_MODEL;
}

static bl_status read_format(bl_gmsh *g) {
    bl_scan *s = &g->scan;
    double version;
    bl_index binary, bytes;
    bl_scan_record(s);
    int64_t spot = bl_scan_spot(s);
    BL_TRY(bl_scan_number(s, "the version of the format", &version));
    g->version = version == 2.2 ? 22 : version == 4.1 ? 41 : 0;
    if (g->version == 0) {
        bl_scan_fail(s, spot, "the file has version %.6g of Gmsh's format; versions 2.2 and 4.1 can be read", version);
        bl_advise(s->ctx, "%s", SAVE_AGAIN);
        return BL_E_MODEL;
    }
    BL_TRY(bl_scan_int(s, "the mark of binary files", 0, 1, &binary));
    BL_TRY(bl_scan_int(s, "the size of numbers", 1, 16, &bytes));
    BL_TRY(bl_scan_record_end(s));
    s->binary_file = binary == 1;
    if (binary && bytes != 8)
        return bl_scan_fail(s, (int64_t)s->at, "the numbers of this file have %d bytes; only 8 bytes can be read", bytes);
    if (binary)
        BL_TRY(check_byte_order(g));
    return section_end(g, "MeshFormat");
}

static bl_status read_head(bl_gmsh *g) {
    bl_scan *s = &g->scan;
    char name[SECTION] = "";
    bl_scan_record(s);
    if (s->at < s->count && s->bytes[s->at] == '$')
        BL_TRY(next_section(g, name));
    if (strcmp(name, "MeshFormat") == 0)
        return read_format(g);
    if (strcmp(name, "NOD") == 0) {
        bl_scan_fail(s, s->line, "the file has version 1 of Gmsh's format; versions 2.2 and 4.1 can be read");
        bl_advise(s->ctx, "%s", SAVE_AGAIN);
    } else {
        bl_scan_fail(s, s->line, "this is not a Gmsh mesh: the first line must be $MeshFormat");
    }
    return BL_E_MODEL;
}

/* ---- names of physical groups: text in binary files too */

/* text between the first and the last quote of the line; must be printable */
static bl_status read_quoted(bl_gmsh *g, const char **name) {
    bl_scan *s = &g->scan;
    int64_t spot = bl_scan_spot(s);
    size_t end = s->at, last = 0, first = 0;
    for (; end < s->count && s->bytes[end] != '\n'; end++)
        if (s->bytes[end] == '"') {
            first = first ? first : end + 1;
            last = end;
        }
    if (first == 0 || last < first)
        return bl_scan_fail(s, spot, "expected the name of a physical group between quotes");
    for (size_t at = s->at; at < first - 1; at++)
        if (s->bytes[at] != ' ' && s->bytes[at] != '\t')
            return bl_scan_fail(s, spot, "expected the name of a physical group between quotes, found something else before them");
    const char *text = (const char *)s->bytes + first;
    for (size_t at = 0, length; at < last - first; at += length) {
        bool control;
        length = bl_utf8(text + at, last - first - at, &control);
        if (length == 0 || control)
            return bl_scan_fail(s, spot, "the name of a physical group has a character that cannot be displayed: names must be UTF-8");
    }
    if (last > first) {
        *name = bl_arena_text(&g->arena, text, last - first);
        if (!*name)
            return BL_E_MEMORY;
    }
    s->at = last + 1;
    return bl_scan_record_end(s);
}

static bl_status read_names(bl_gmsh *g) {
    bl_scan *s = &g->scan;
    bl_index count, dim, tag, group;
    bl_scan_record(s);
    int64_t spot = bl_scan_spot(s);
    BL_TRY(bl_scan_int(s, "the number of names", 0, INT32_MAX, &count));
    BL_TRY(bl_scan_record_end(s));
    BL_TRY(bl_scan_fits(s, spot, count, 7, "names"));
    for (bl_index k = 0; k < count; k++) {
        bl_scan_record(s);
        spot = bl_scan_spot(s);
        BL_TRY(bl_scan_int(s, "the dimension of a physical group", 0, 3, &dim));
        BL_TRY(bl_scan_int(s, "the tag of a physical group", 1, INT32_MAX, &tag));
        BL_TRY(bl_gmsh_group_of(g, dim, tag, &group));
        if (g->group[group].name)
            return bl_scan_fail(s, spot, "physical group %d of dimension %d has two names", tag, dim);
        BL_TRY(read_quoted(g, &g->group[group].name));
    }
    return BL_OK;
}

/* ---- the file */

static bl_status once(bl_gmsh *g, bool *seen, const char *name, int64_t spot) {
    if (*seen)
        return bl_scan_fail(&g->scan, spot, "second section $%s: a mesh must have only one", name);
    *seen = true;
    return BL_OK;
}

static bl_status refuse_partitions(bl_gmsh *g, int64_t spot) {
    bl_scan_fail(&g->scan, spot, "the mesh is partitioned; only meshes without partitions can be read");
    bl_advise(g->scan.ctx, "save it without partitions (Mesh > Unpartition in Gmsh, or without -part)");
    return BL_E_MODEL;
}

static bl_status read_section(bl_gmsh *g, const char *name, int64_t spot) {
    bool version_4 = g->version == 41, parametric = strcmp(name, "ParametricNodes") == 0;
    if (strcmp(name, "PhysicalNames") == 0) {
        BL_TRY(once(g, &g->has_names, name, spot));
        BL_TRY(read_names(g));
    } else if (strcmp(name, "Nodes") == 0 || (parametric && !version_4)) {
        BL_TRY(once(g, &g->has_nodes, name, spot));
        BL_TRY(version_4 ? bl_gmsh_nodes4(g) : bl_gmsh_nodes2(g, parametric));
    } else if (strcmp(name, "Elements") == 0) {
        BL_TRY(once(g, &g->has_elements, name, spot));
        BL_TRY(version_4 ? bl_gmsh_elements4(g) : bl_gmsh_elements2(g));
    } else if (strcmp(name, "Entities") == 0 && version_4) {
        BL_TRY(once(g, &g->has_entities, name, spot));
        BL_TRY(bl_gmsh_entities4(g));
    } else if (strcmp(name, "PartitionedEntities") == 0) {
        return refuse_partitions(g, spot);
    } else {
        return skip_section(g, name, spot);
    }
    return section_end(g, name);
}

static bl_status read_file(bl_gmsh *g) {
    char name[SECTION];
    BL_TRY(read_head(g));
    for (;;) {
        bl_scan_record(&g->scan);
        int64_t spot = bl_scan_spot(&g->scan);
        BL_TRY(next_section(g, name));
        if (!name[0])
            break;
        BL_TRY(read_section(g, name, spot));
    }
    if (!g->has_nodes || !g->has_elements)
        return bl_scan_fail(&g->scan, bl_scan_spot(&g->scan), "the file ends without a section $%s", g->has_nodes ? "Elements" : "Nodes");
    return BL_OK;
}

bl_status bl_mesh_read_gmsh(bl_mesh_builder *b, const char *name, const unsigned char *bytes, size_t count) {
    bl_context *ctx = b->ctx;
    bl_gmsh g = {.scan = {.ctx = ctx, .name = name, .bytes = bytes, .count = count, .line = 1}, .arena = {.ctx = ctx}};
    bl_status status = read_file(&g);
    if (status == BL_OK)
        status = bl_gmsh_build(&g, b);
    bl_free(ctx, g.node);
    bl_free(ctx, g.element);
    bl_free(ctx, g.corner);
    bl_free(ctx, g.group);
    bl_free(ctx, g.owner);
    bl_free(ctx, g.member);
    bl_free(ctx, g.original);
    bl_hash_free(ctx, &g.groups);
    bl_hash_free(ctx, &g.owners);
    bl_arena_destroy(&g.arena);
    return status;
}
