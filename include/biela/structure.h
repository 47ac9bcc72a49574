/* structure: structural groups of a mechanism. Links and pairs alone, without dimensions, determine its smallest groups, the order in which
 * these can be solved, and what is missing if they cannot.
 *
 *     bl_chain chain = {0};  bl_structure_report report = {0};
 *     bl_chain_read(ctx, "four_bar.txt", NULL, &chain);
 *     bl_structure(ctx, &chain, NULL, &report);                 report.group[k].link: the links of the k-th group
 *
 * Links are numbered from 0 here, the frame; files and printed output number them from 1, as the literature does. */
#ifndef BIELA_STRUCTURE_H
#define BIELA_STRUCTURE_H

#include "biela/context.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bl_model;

/* ---- links and pairs */

enum { BL_PAIR_VIA = 4 };

/* Two connected links, or a relation between motions of links. It leaves `dof` of the 3 (in space 6) relative motions, `inputs` of which
 * are given: so it has 3 - dof + inputs equations, less those that follow from others in every position, plus those that hold passive
 * degrees of freedom. A pair that leaves all motions free and has no inputs does not count. */
typedef struct bl_chain_pair {
    bl_index link[2];
    bl_index via[BL_PAIR_VIA]; /* further links in its equations (the carrier of a gear pair); -1: none */
    int dof, inputs;
    int repeated;     /* equations that follow from those of other pairs, found by rank; 0 if only counts are known */
    int passive;      /* passive degrees of freedom (a rod with ball ends rotating about itself), found by rank: they are taken as given, so
                     they count as equations, though they are not inputs; 0 if only counts are known */
    char letter;      /* R revolute, P prismatic, C cylindrical, S spherical, U universal, E planar, H screw, F fixed, G relation, D
                     distance, N point on a line or plane; L lower (one degree of freedom), X higher (two), if no more is known */
    const char *name; /* of the joint; NULL: none */
    const char *type; /* its kind: "revolute"; NULL: not known */
} bl_chain_pair;

typedef struct bl_chain {
    size_t size;             /* sizeof this struct, or 0 (context.h) */
    int dim;                 /* 2 or 3 */
    bl_index nlink;          /* the frame included */
    const char *const *link; /* names; NULL: numbers only */
    bl_index npair;
    const bl_chain_pair *pair;
    const char *name, *file; /* for messages; may be NULL */
    void *own;               /* NULL if the caller built it */
} bl_chain;

/* Codes of a pair in a matrix: 0 none, 1 lower, 2 higher, 3 lower with an input, 4 higher with an input, 5 higher with two. -1: the pair
 * has no code. */
BL_API int bl_pair_code(int dim, const bl_chain_pair *pair);

/* A file with a coded adjacency matrix (rows of numbers, separated by blanks, commas or semicolons; or JSON, an array of rows), or with
 * pairs (lines `i j code`; or JSON {"links": N, "pairs": [[i, j, code], ...]}). `#` starts a comment. format: "matrix", "pairs", or
 * NULL: detected. "-" is standard input. Errors are reported with their location (BL_E_MODEL). Free with bl_chain_destroy. */
BL_API bl_status bl_chain_read(bl_context *ctx, const char *file, const char *format, bl_chain *chain);
BL_API bl_status bl_chain_read_text(bl_context *ctx, const char *name, const char *text, size_t bytes, const char *format, bl_chain *chain);
/* Bodies become links (ground the frame), joints become pairs, drivers inputs of their joint. */
BL_API bl_status bl_chain_of_model(bl_context *ctx, const struct bl_model *model, bl_chain *chain);
BL_API void bl_chain_destroy(bl_context *ctx, bl_chain *chain);

/* ---- groups */

typedef enum bl_structure_method {
    BL_STRUCTURE_FAST,  /* assignment of equations to links and strong components */
    BL_STRUCTURE_SEARCH /* all connected sets of links by size: exponential, for comparison */
} bl_structure_method;

typedef struct bl_structure_options {
    size_t size; /* sizeof this struct, or 0 (context.h) */
    bl_structure_method method;
} bl_structure_options;

typedef struct bl_structure_group {
    bl_index nlink;
    const bl_index *link; /* ascending */
    bl_index npair;
    const bl_index *pair; /* between its links, and to links solved before */
    int mobility, inputs; /* L_C = 3 N_m - sum (3 - f); equal, unless equations are redundant or degrees of freedom passive */
    bl_index nfrom;
    const bl_index *from; /* numbers of groups (from 1; 0 the frame) it is paired with and that are solved before it, ascending */
    char kind[48];        /* "driven link", "dyad", "triad", "group of 5 links" */
    char form[16];        /* letters of a dyad's pairs, "RRP"; empty: not known, or no dyad */
    bl_index nlocked;
    const bl_index *locked; /* links with more equations among themselves than 3 (k - 1), in space 6 (k - 1): the count of the group is
                               right, but it moves for special dimensions only; not searched for in groups of more than 300 links */
    int excess;             /* number of excess equations */
} bl_structure_group;

typedef enum bl_link_state { BL_LINK_SOLVED, BL_LINK_UNDER, BL_LINK_OVER, BL_LINK_BLOCKED, BL_LINK_LOOSE } bl_link_state;

/* Why a set of links is left over. */
typedef struct bl_structure_remain {
    bl_link_state state; /* UNDER: degrees of freedom without inputs; OVER: more equations than degrees of freedom; BLOCKED: depends on
                            such links; LOOSE: no pairs lead to the frame */
    int amount;          /* missing inputs, or excess equations */
    bl_index nlink;
    const bl_index *link; /* ascending */
    char text[256];       /* explanation */
} bl_structure_remain;

typedef struct bl_structure_report {
    size_t size;          /* sizeof this struct, or 0 (context.h) */
    int mobility, inputs; /* of the complete chain, by counting */
    bool complete;        /* all links are solved */
    bl_index ngroup;
    const bl_structure_group *group; /* in order of solution */
    const bl_index *group_of;        /* [nlink] number of its group from 1; 0: the frame, -1: left over */
    bl_index nremaining;
    const bl_index *remaining; /* links left over, ascending */
    bl_index nremain;
    const bl_structure_remain *remain;
    const bl_index *result; /* [nlink][nlink] row by row: group of a link; 1 where the frame provides a degree of freedom; then, after
                               each group, which of its links provided one to links not yet solved (counted from 1). NULL for more than
                               1000 links */
    bl_index npiece;        /* of links connected by pairs; 1: all are connected */
    const bl_index *piece;  /* [nlink], that of the frame is 0 */
    bl_index nloop;         /* independent loops, npair - nlink + npiece */
    /* pairs of loop k: loop[loop_ptr[k]] .. loop[loop_ptr[k+1]-1], in order around it; NULL: more than 16 million in total */
    const bl_index *loop_ptr, *loop;
    const bl_index *parent;     /* [nlink] pair that leads toward the frame in the spanning tree; -1: none */
    bl_structure_method method; /* the method used: not the search if it exceeded its budget */
    void *own;
} bl_structure_report;

/* options may be NULL. Too few or too many inputs are a result (complete is false), not an error. */
BL_API bl_status bl_structure(bl_context *ctx, const bl_chain *chain, const bl_structure_options *options, bl_structure_report *report);
BL_API void bl_structure_report_destroy(bl_context *ctx, bl_structure_report *report);

/* ---- what counting cannot find: the equations of an assembled model */

typedef enum bl_exception_kind {
    BL_EXCEPTION_REDUNDANT, /* equations follow from others for any dimensions */
    BL_EXCEPTION_GEOMETRY,  /* ... for these dimensions only: parallel axes, equal lengths */
    BL_EXCEPTION_MULTIPLE,  /* k links joined at one point or axis by more than k - 1 pairs */
    BL_EXCEPTION_ROLLING,   /* a relation between motions: how it is counted, or that it is redundant */
    BL_EXCEPTION_PASSIVE,   /* a passive degree of freedom: it moves nothing else */
    BL_EXCEPTION_SINGULAR,  /* only the starting position has these degrees of freedom */
    BL_EXCEPTION_INPUT,     /* the value that a driver prescribes is determined already */
    BL_EXCEPTION_OPEN       /* the model cannot be assembled: only counts are known */
} bl_exception_kind;

typedef struct bl_structure_exception {
    bl_exception_kind kind;
    int amount;           /* equations, or degrees of freedom */
    bl_index pair;        /* pair of the equations; -1: none */
    bl_index link;        /* link that moves; -1: none */
    bl_index nwith;       /* pairs that take part */
    const bl_index *with; /* ascending, without the pair itself */
    char text[320];       /* explanation, with names */
} bl_structure_exception;

/* Mobilities are degrees of freedom before inputs are given: mobility_count + repeated = mobility_rank, `passive` of which move nothing
 * else. */
typedef struct bl_structure_exceptions {
    size_t size;        /* sizeof this struct, or 0 (context.h) */
    bool closed;        /* false: ranks are not known, all else is by counting */
    int mobility_count; /* sum over links and pairs */
    int mobility_rank;  /* by rank, near the starting position if that is singular */
    int mobility_start; /* by rank in the starting position */
    int repeated, passive;
    bl_index n;
    const bl_structure_exception *exception;
    void *own;
} bl_structure_exceptions;

/* The structure of the independent equations. The model is assembled, and rank determines which equations follow from others (`repeated`
 * of the chain's pairs; of several choices one with small groups) and which degrees of freedom are passive (`passive`: links are solved
 * up to them). If it cannot be assembled, the structure is that of bl_chain_of_model. options and exceptions may be NULL; destroy all
 * three. */
BL_API bl_status bl_structure_of_model(bl_context *ctx, const struct bl_model *model, const bl_structure_options *options, bl_chain *chain,
                                       bl_structure_report *report, bl_structure_exceptions *exceptions);
BL_API const char *bl_exception_name(bl_exception_kind kind); /* "special geometry" */
BL_API void bl_structure_exceptions_destroy(bl_context *ctx, bl_structure_exceptions *exceptions);

/* ---- the same mechanism driven elsewhere */

typedef struct bl_structure_choice {
    bl_index ninput;
    const bl_index *pair;             /* [ninput] ascending; twice: both degrees of freedom of a higher pair */
    bool complete, sound;             /* sound: complete, and no group has links that lock each other */
    bl_index ngroup, largest;         /* links in the largest group */
    const bl_index *group_ptr, *link; /* links of group k: link[group_ptr[k]] .. */
} bl_structure_choice;

typedef struct bl_structure_choices {
    size_t size; /* sizeof this struct, or 0 (context.h) */
    bl_index nchoice;
    const bl_structure_choice
        *choice;    /* sound ones first, then complete ones, then those with the smallest largest group, the most groups, the first pairs */
    bl_index given; /* index of the chain's own inputs; -1: not in the list */
    bool all;       /* false: too many; only those that move one input */
    void *own;
} bl_structure_choices;

/* As many inputs as the mobility, for every choice of pairs. */
BL_API bl_status bl_structure_inputs(bl_context *ctx, const bl_chain *chain, bl_structure_choices *choices);
BL_API void bl_structure_choices_destroy(bl_context *ctx, bl_structure_choices *choices);

/* ---- figures (SVG): links and pairs, one line per degree of freedom, thick for inputs; groups as circles (N_m, L_C) */
BL_API bl_status bl_structure_graph(bl_context *ctx, const bl_chain *chain, const bl_structure_report *report, const char *path);
BL_API bl_status bl_structure_diagram(bl_context *ctx, const bl_chain *chain, const bl_structure_report *report, const char *path);

#ifdef __cplusplus
}
#endif
#endif
