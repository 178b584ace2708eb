"""The parts of C source that are the same for every tree: a loop over tables."""

# Words that cannot name a function.
RESERVED = frozenset(
    {
        "auto",
        "break",
        "case",
        "char",
        "const",
        "continue",
        "default",
        "do",
        "double",
        "else",
        "enum",
        "extern",
        "float",
        "for",
        "goto",
        "if",
        "inline",
        "int",
        "long",
        "main",
        "register",
        "restrict",
        "return",
        "short",
        "signed",
        "sizeof",
        "static",
        "struct",
        "switch",
        "typedef",
        "union",
        "unsigned",
        "void",
        "volatile",
        "while",
    }
)

HEAD = """\
/* A decision tree. A row is an array of doubles, one for each of these features; NAN is missing:
{features}
   {name}_code(feature, text) is the number of a text; that of a missing or unseen one is NAN. */

#include <math.h>
#include <stddef.h>
#include <string.h>
"""

FUNCTIONS = """
/* The number that stands for a feature's value, given as UTF-8; NULL is missing. */
double {name}_code(int feature, const char *text)
{{
    size_t i;
    for (i = 0; i + 1 < sizeof {name}_values / sizeof *{name}_values; i++) {{
        const char *known = {name}_values[i].text;
        if ({name}_values[i].feature == feature && (known && text ? !strcmp(known, text) : known == text))
            return {name}_values[i].code;
    }}
    return NAN;
}}

static int {name}_passes(int test, const double *row)
{{
    const double value = row[{name}_tests[test].feature], at = {name}_tests[test].at;
    const int first = {name}_tests[test].first, end = {name}_tests[test].end;
    double sum = 0;
    int i;
    switch ({name}_tests[test].kind) {{
    case 0:
        return value > at;
    case 1:
        for (i = first; i < end; i++)
            if (value == {name}_codes[i])
                return 1;
        return 0;
    case 2:
        return value != value;
    }}
    for (i = first; i < end; i++) {{
        volatile double term = {name}_terms[i].weight * row[{name}_terms[i].feature]; /* rounded before it is added */
        sum += term;
    }}
    return sum > at;
}}

/* The class counts that answer a row. */
void {name}_counts(const double *row, double *counts)
{{
    struct {{ int target; double part; }} parts[{most_parts}] = {{{{{start}, 1}}}};
    double inherited[{n_classes}] = {{0}}, total = 0;
    int n = 1, i;
    for (i = 0; i < {n_classes}; i++)
        counts[i] = 0;
    while (n--) {{
        int target = parts[n].target;
        const double part = parts[n].part;
        while (target >= 0)
            target = {name}_passes(target, row) ? {name}_tests[target].passes : {name}_tests[target].fails;
        target = ~target;
        for (i = 0; i < {n_classes}; i++) {{
            const double count = part * {name}_ends[target].stays * {name}_counts_of_ends[target * {n_classes} + i];
            if (!{name}_ends[target].inherited)
                counts[i] += count;
            else if (inherited[i] < count)
                inherited[i] = count;
        }}
        for (i = {name}_ends[target].first; i < {name}_ends[target].end; i++, n++) {{
            parts[n].target = {name}_routes[i].target;
            parts[n].part = part * {name}_routes[i].share;
        }}
    }}
    for (i = 0; i < {n_classes}; i++)
        total += counts[i];
    for (i = 0; i < {n_classes} && total == 0; i++)
        counts[i] = inherited[i];
}}

/* The number of the class that a row is labelled with; {name}_classes[number] is its name. */
int {name}(const double *row)
{{
    double counts[{n_classes}], most = 0;
    int i;
    {name}_counts(row, counts);
    for (i = 0; i < {n_classes}; i++)
        if (counts[i] > most)
            most = counts[i];
    for (i = 0; counts[i] < most * {nearly!r}; i++)
        ;
    return i;
}}
"""
