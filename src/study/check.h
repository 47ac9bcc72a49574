/* check: data of the study `check`, from which the findings are written. Private to check.c, findings.c and structure_study.c. */
#ifndef BL_STUDY_CHECK_H
#define BL_STUDY_CHECK_H

#include "sparse/elimination.h"
#include "study/study.h"
#include "topology/topology.h"

typedef struct bl_checking {
    bl_context *ctx;
    const bl_model *model;
    const bl_system *sys;
    bl_system *own;          /* the same; NULL: owned by the caller */
    bl_state start, regular; /* assembled; near it where the start is singular, else the same */
    bl_eval eval;            /* at `regular` */
    double length;           /* typical size of a body */
    bl_elimination motions;  /* of the rows at `regular`: admissible motions, in scaled coordinates */
    bl_index dof;
    bool glance;                       /* option: compute only ranks, with one configuration near the start */
    bool leave;                        /* option: leave the start also where the rank is full there */
    bool stuck;                        /* there are redundant rows, and no motion was found that leaves the starting configuration */
    bl_index nmassless, more_massless; /* motions described; further ones, only counted */
    double *massless;                  /* [nv][nmassless] velocities that move no mass, each as local as possible */
    bl_twists twists;
    bl_dependencies dependencies;
    bl_check_report *report;
    bl_index room; /* for findings */
} bl_checking;

/* Call in this order, with context, model and report set. coordinates: NULL, those of the model. */
bl_status bl_checking_prepare(bl_checking *c, const char *coordinates, double closure);    /* system, start, length; 0: the model's */
bl_status bl_checking_borrow(bl_checking *c, const bl_system *sys, const bl_state *start); /* instead: those of a run */
bl_status bl_checking_rank(bl_checking *c);                                                /* `regular`, motions there */
bl_status bl_checking_massless(bl_checking *c);                                            /* massless motions at `regular` */
void bl_checking_destroy(bl_checking *c);
/* Typical size of a body. */
double bl_checking_length(const bl_system *sys);

/* "moving along x and y, turning about z": the motions that are constrained twice; false: none has a simple direction */
bool bl_check_directions(const bl_dependency *d, int dim, char *text, size_t size);
/* All findings, warnings first. */
bl_status bl_check_findings(bl_checking *c);

#endif
