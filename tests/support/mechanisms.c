#include "support/mechanisms.h"

#include "support/testing.h"

#include <stdio.h>
#include <string.h>

const test_mechanism test_mechanisms[] = {
    {"four-bar", "1,2,3 2,3,1 3,4,1 4,1,1", "2|3,4"},
    {"four-bar driven at the coupler", "1,2,1 2,3,3 3,4,1 4,1,1", "2,3,4"},
    {"slider-crank driven at the piston", "1,2,1 2,3,1 3,4,1 4,1,3", "4|2,3"},
    {"epicyclic train, cam and open link", "1,2,4 1,3,1 1,4,1 2,3,1 3,4,2 4,5,3", "2,3|4|5"},
    {"Watt I", "1,2,3 2,3,1 3,4,1 4,1,1 3,5,1 5,6,1 6,4,1", "2|3,4|5,6"},
    {"Watt I driven at 5-6", "1,2,1 2,3,1 3,4,1 4,1,1 3,5,1 5,6,3 6,4,1", "2,3,4,5,6"},
    {"Watt II", "1,2,3 2,3,1 3,4,1 4,1,1 4,5,1 5,6,1 6,1,1", "2|3,4|5,6"},
    {"Watt II driven at 1-6", "1,2,1 2,3,1 3,4,1 4,1,1 4,5,1 5,6,1 6,1,3", "6|4,5|2,3"},
    {"Stephenson I", "1,2,3 1,3,1 2,4,1 4,3,1 2,5,1 5,6,1 6,3,1", "2|3,4|5,6"},
    {"Stephenson II", "1,2,3 1,3,1 3,4,1 2,5,1 5,4,1 2,6,1 6,4,1", "2|3,4,5,6"},
    {"Stephenson II driven at 1-3", "1,2,1 1,3,3 3,4,1 2,5,1 5,4,1 2,6,1 6,4,1", "3|2,4,5,6"},
    {"Stephenson III", "1,2,3 2,3,1 3,4,1 4,1,1 3,5,1 5,6,1 6,1,1", "2|3,4|5,6"},
    {"Stephenson III driven at 1-6", "1,2,1 2,3,1 3,4,1 4,1,1 3,5,1 5,6,1 6,1,3", "6|2,3,4,5"},
    {"Jansen leg", "1,2,3 2,3,1 3,5,1 5,1,1 2,4,1 4,6,1 6,1,1 5,7,1 7,8,1 6,8,1", "2|3,5|4,6|7,8"},
    {"Klann leg", "1,2,3 2,3,1 3,4,1 4,1,1 3,6,1 6,5,1 5,1,1", "2|3,4|5,6"},
    {"3-RRR", "1,2,3 1,3,3 1,4,3 2,5,1 3,6,1 4,7,1 5,8,1 6,8,1 7,8,1", "2|3|4|5,6,7,8"},
    {"five-bar driven twice from the frame", "1,2,3 2,3,1 3,4,1 4,5,1 5,1,3", "2|5|3,4"},
    {"five-bar driven in series", "1,2,3 2,3,3 3,4,1 4,5,1 5,1,1", "2|3|4,5"},
    {"geared five-bar", "1,2,3 2,3,1 3,4,1 4,5,1 5,1,1 2,5,2", "2|5|3,4"},
    {"cam and follower", "1,2,3 2,3,2 1,3,1", "2|3"},
    {"Whitworth quick return", "1,2,3 2,3,1 3,4,1 4,1,1 4,5,1 5,6,1 6,1,1", "2|3,4|5,6"},
    {"excavator", "1,2,1 1,3,1 3,4,3 4,2,1 2,5,1 2,6,1 6,7,3 7,5,1 5,8,1 5,9,1 9,10,3 10,8,1", "2,3,4|5,6,7|8,9,10"},
    {"planetary train", "1,2,3 1,3,1 3,4,1 2,4,2 1,4,2", "2|3,4"},
    {"Peaucellier", "1,2,3 1,3,1 1,4,1 2,5,1 2,6,1 3,5,1 3,7,1 4,6,1 4,8,1 7,8,1", "2|3,5|4,6|7,8"},
    {"higher pair driven twice", "1,2,5 2,3,3", "2|3"},
    {"open 3R arm", "1,2,3 2,3,3 3,4,3", "2|3|4"},
};
const int test_nmechanism = sizeof test_mechanisms / sizeof *test_mechanisms;

const test_mechanism *test_mechanism_find(const char *name) {
    for (int k = 0; k < test_nmechanism; k++)
        if (strcmp(test_mechanisms[k].name, name) == 0)
            return &test_mechanisms[k];
    fail_msg("no mechanism '%s'", name);
    return NULL;
}

void test_chain_start(test_chain *c, const char *name) {
    memset(c, 0, sizeof *c);
    c->chain = (bl_chain){.dim = 2, .nlink = 1, .pair = c->pair, .name = name};
}

void test_chain_pair(test_chain *c, int i, int j, int code) {
    assert_true(c->chain.npair < TEST_MOST_PAIRS && i > 0 && j > 0 && code > 0 && code <= 5);
    bl_chain_pair *pair = &c->pair[c->chain.npair++];
    *pair = (bl_chain_pair){.link = {i - 1, j - 1}, .via = {-1, -1, -1, -1}};
    pair->dof = code == 1 || code == 3 ? 1 : 2;
    pair->inputs = code == 5 ? 2 : code >= 3;
    pair->letter = pair->dof == 1 ? 'L' : 'X';
    int last = i > j ? i : j;
    c->chain.nlink = last > c->chain.nlink ? last : c->chain.nlink;
}

void test_chain_make(test_chain *c, const char *name, const char *pairs) {
    int i, j, code, used;
    test_chain_start(c, name);
    for (; sscanf(pairs, "%d,%d,%d%n", &i, &j, &code, &used) == 3; pairs += used)
        test_chain_pair(c, i, j, code);
}

void test_chain_dyads(test_chain *c, int ndyad) {
    test_chain_start(c, "chain of dyads");
    test_chain_pair(c, 1, 2, 3);
    for (int k = 0; k < ndyad; k++) {
        test_chain_pair(c, 2 + 2 * k, 3 + 2 * k, 1);
        test_chain_pair(c, 3 + 2 * k, 4 + 2 * k, 1);
        test_chain_pair(c, 4 + 2 * k, 1, 1);
    }
}
