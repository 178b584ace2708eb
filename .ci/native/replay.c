/* replay LIBRARY CALLS: repeat stored calls by a library, and compare results, written arrays and read ones bit for bit.

   calls.h is made of the table of signatures by replay.py: NAMES, KINDS, VARIANTS, and `called`, which casts each function as C
   declares it. Every variant that the processor can run repeats all calls. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <windows.h>
#define OPEN(path) ((void *)LoadLibraryA(path))
#define FIND(library, name) ((void *)GetProcAddress((HMODULE)(library), name))
#else
#include <dlfcn.h>
#define OPEN(path) dlopen(path, RTLD_NOW)
#define FIND(library, name) dlsym(library, name)
#endif

typedef union {
    int64_t i;
    double f;
    void *p;
} Value;
#include "calls.h"

#define MOST 64

static void take(FILE *file, void *into, int64_t bytes)
{
    if (bytes && fread(into, 1, (size_t)bytes, file) != (size_t)bytes) {
        puts("the file of calls ends early");
        exit(2);
    }
}

static void *taken(FILE *file, int64_t bytes)
{
    void *made = malloc((size_t)bytes + 1);
    take(file, made, bytes);
    return made;
}

/* Whether a stored call of a function gives the same bits. */
static int same(FILE *file, void *function, int64_t which)
{
    const char *kinds = KINDS[which]; /* of each argument: r an array that is read, w one that is written, m memory, d, i */
    Value values[MOST];
    int64_t bytes[MOST], expected, n = (int64_t)strlen(kinds), bad = 0;
    void *before[MOST];
    for (int64_t i = 0; i < n; i++) {
        take(file, &values[i], 8);
        if (!strchr("rwm", kinds[i])) continue;
        bytes[i] = values[i].i;
        before[i] = taken(file, bytes[i]);
        values[i].p = bytes[i] ? malloc((size_t)bytes[i]) : NULL;
        if (bytes[i]) memcpy(values[i].p, before[i], (size_t)bytes[i]);
    }
    take(file, &expected, 8);
    bad = called(which, function, values) != expected;
    for (int64_t i = 0; i < n; i++) {
        if (kinds[i] == 'w') take(file, before[i], bytes[i]);
        if (!strchr("rwm", kinds[i])) continue;
        bad |= bytes[i] && kinds[i] != 'm' && memcmp(values[i].p, before[i], (size_t)bytes[i]) != 0;
        free(values[i].p), free(before[i]);
    }
    return !bad;
}

/* How many of the stored calls a variant of the library does not repeat; -1 without one of its functions or any call. */
static int64_t repeat(void *library, FILE *file, const char *variant)
{
    void *functions[N_FUNCTIONS];
    int64_t which, calls[N_FUNCTIONS] = {0}, others[N_FUNCTIONS] = {0}, all = 0, bad = 0;
    char name[128];
    for (int i = 0; i < N_FUNCTIONS; i++) {
        snprintf(name, sizeof name, "%s%s", NAMES[i], variant);
        if ((functions[i] = FIND(library, name))) continue;
        printf("no function %s\n", name);
        return -1;
    }
    for (rewind(file); fread(&which, 8, 1, file) == 1;) {
        int fails = !same(file, functions[which], which);
        calls[which]++, others[which] += fails, all++, bad += fails;
    }
    for (int i = 0; i < N_FUNCTIONS; i++)
        if (others[i]) printf("%s: %d of %d differ; ", NAMES[i], (int)others[i], (int)calls[i]);
    printf("%s %d calls, %d differ; ", *variant ? variant + 1 : "baseline", (int)all, (int)bad);
    return all ? bad : -1;
}

int main(int argc, char **argv)
{
    if (argc != 3) return 2;
    void *library = OPEN(argv[1]), *processor = library ? FIND(library, "ftree_processor") : NULL;
    FILE *file = fopen(argv[2], "rb");
    if (!processor || !file) {
        puts("no library or no calls");
        return 2;
    }
    int newest = ((int (*)(void))processor)(), bad = 0;
    for (int variant = 0; variant <= newest; variant++) bad += repeat(library, file, VARIANTS[variant]) != 0;
    return bad != 0;
}
