"""A tree as C99 source: tables, and functions that walk them in a loop; and the names that C keeps for itself."""

from collections.abc import Iterable, Iterator
from itertools import accumulate, pairwise
from typing import Any

from ftree._lib.arrays import NEARLY
from ftree._lib.faces import Text
from ftree.exchange.jumps import Jump, Program, program
from ftree.exchange.neutral_form import ExportNodes, export_nodes
from ftree.exchange.plain_values import check_distinct, check_identifier, plain_labels, plain_values, without_nul
from ftree.exchange.sums_of_nodes import Quotient
from ftree.routing.missing_rules import MissingRule
from ftree.tree.conditions import Between, OneOf, SumBetween, features_of
from ftree.tree.nodes import Tree, tree_of


def to_c(tree: Tree, *, name: str = "predict", missing: MissingRule | None = None) -> str:
    r"""A tree as C99 source: `int name(const double *row)`, `void name_counts(const double *row, double *counts)`.

    Of a regression tree, it is `double name(const double *row)`, and `name_counts` gives cases and their sum, in its own units;
    of events, exposure and events; of linear models a size, the constant and the coefficients, and the mean.

    The row has a double for each feature in the schema's order, NAN where it is missing: a number, seconds for a time, or, for
    any other value, the result of `name_code(feature, text)` for its text (for a number or a boolean, its text in Python), NULL
    where it is missing. The functions compute `predict` (the number of the class) and `predict_counts` by the rule `missing`,
    which may be any rule; None is the tree's own. Trees may be of any depth. `name_classes` has the classes, `name_features`
    the features. Sums of linear models have the same bits if the compiler fuses no product with a sum (`-ffp-contract=off`).

    Raises a TypeError for anything but a Tree. Raises a ValueError for a name that is not valid in C, or that C or its library
    has, such as `log`, for an opaque split, for values and classes other than texts without NUL, finite numbers, booleans and
    None, and for values of one text.

    >>> from ftree import Dataset, grow
    >>> source = to_c(grow(Dataset.from_rows([["sunny"], ["rainy"]], ["play", "stay"], features=["sky"])))
    >>> print(*[line for line in source.splitlines() if "sunny" in line or line.startswith("int")], sep="\n")
        {0, "sunny", 1},
    int predict(const double *row)
    """
    check_identifier(name, is_name_of_c, "C or its library has this name")
    listed = export_nodes(tree_of(tree), missing=missing)
    made = program(listed)
    tables = [_table(f"{declared} {name}_{table}", rows) for table, (declared, rows) in _tables(listed, made).items()]
    sizes = {"name": name, "most_parts": _most_parts(listed), "n_classes": len(listed.channels), "start": made.start}
    last = _LABEL.format(nearly=NEARLY, **sizes) if listed.quotient is None else _number(listed, listed.quotient, sizes)
    return Text("\n".join([_HEAD.format(name=name), *tables]) + _FUNCTIONS.format(**sizes) + last)


def _number(listed: ExportNodes, quotient: Quotient, sizes: dict[str, Any]) -> str:
    """The last function of a tree without classes, which answers by the size and the total."""
    n = len(listed.channels)
    total = listed.known_total([f"sums[{number}]" for number in range(n)], "row[{}]".format) if listed.regressors else ""
    size, answer, empty = quotient.texts("sums[0]", "sums[1]")
    lines = _TOTAL.format(total=total, last=n - 1) * bool(total)
    return _NUMBER.format(total=lines, size=size, answer=answer, empty=empty, **sizes)


def _table(declared: str, rows: Iterable[str]) -> str:
    """A constant array; its last row is 0, since C has no empty arrays."""
    last = "{0}" if "struct" in declared else "0"
    return f"{declared}[] = {{\n" + "".join(f"    {row},\n" for row in [*rows, last]) + "};\n"


def _tables(listed: ExportNodes, made: Program) -> dict[str, tuple[str, Iterable[str]]]:
    """By the name of each table, its declaration and its rows; lists of several lengths are concatenated."""
    schema, codes, terms = listed.schema, list[str](), list[str]()
    tests = [_test(jump, codes, terms) for jump in made.jumps]
    ends = [listed.nodes[end.number] for end in made.ends]
    routes = [f"{{{target}, {share!r}}}" for end in made.ends for target, share in end.routes]
    spans = pairwise([0, *accumulate(len(end.routes) for end in made.ends)])
    rows = [f"{{{node.inherited:d}, {node.stays!r}, {first}, {last}}}" for node, (first, last) in zip(ends, spans, strict=True)]
    return {
        **({"classes": ("const char *const", map(_text, plain_labels(schema)))} if schema.has_classes else {}),
        "features": ("const char *const", [_text(feature.name) for feature in schema.features]),
        "values": ("static const struct { int feature; const char *text; double code; }", _values(listed)),
        "codes": ("static const int", codes),
        "terms": ("static const struct { int feature; double weight; }", terms),
        "tests": ("static const struct { int kind, feature; double at; int first, end, passes, fails; }", tests),
        "routes": ("static const struct { int target; double share; }", routes),
        "ends": ("static const struct { int inherited; double stays; int first, end; }", rows),
        "counts_of_ends": ("static const double", [", ".join(map(repr, map(float, node.counts))) for node in ends]),
    }


def _test(jump: Jump, codes: list[str], terms: list[str]) -> str:
    """A row of the table of tests; codes and terms are added to their tables."""
    asked, kind, at, first, end = jump.question, 2, 0.0, len(codes), len(codes)
    match asked:
        case Between(_, above):
            kind, at = 0, float(above)
        case OneOf(_, listed):
            kind, end = 1, first + len(listed)
            codes += map(str, listed)
        case SumBetween(features, weights, above):
            kind, at, first, end = 3, float(above), len(terms), len(terms) + len(features)
            terms += [f"{{{feature}, {weight!r}}}" for feature, weight in zip(features, weights, strict=True)]
    return f"{{{kind}, {features_of(asked)[0]}, {at!r}, {first}, {end}, {jump.passes}, {jump.fails}}}"


def _values(listed: ExportNodes) -> Iterator[str]:
    for feature, values in enumerate(plain_values(listed.schema, listed.used_features)):
        check_distinct(f"Values of {listed.schema.features[feature].name!r}", map(_text, values or ()))
        yield from (f"{{{feature}, {_text(value)}, {code}}}" for code, value in enumerate(values or ()))


def _text(value: Any) -> str:
    r"""A value's text as a string of C in ASCII; None is NULL.

    Raises a ValueError for a text with the character NUL, which ends strings in C.

    >>> print(_text("it's größe?"), _text(True), _text(None))
    "it's gr\303\266\303\237e\077" "True" 0
    """
    if value is None:
        return "0"
    text = without_nul(str(value), "C")
    safe = range(ord(" "), ord("~") + 1)
    return (
        '"' + "".join(chr(byte) if byte in safe and chr(byte) not in '"\\?' else f"\\{byte:03o}" for byte in text.encode()) + '"'
    )


def _most_parts(listed: ExportNodes) -> int:
    """The largest number of parts of a row that wait at one time, if the newest part continues first."""
    most = [1] * len(listed.nodes)
    for number in reversed(range(len(listed.nodes))):
        node = listed.nodes[number]
        waiting = [place + most[child] for place, (child, _) in enumerate(node.routes)]
        most[number] = max([1, *waiting, *(most[child] for child in node.children)])
    return max(most[0], 1)


_HEAD = """\
/* A decision tree. A row is an array of doubles, one for each of {name}_features; NAN is missing.
   {name}_code(feature, text) is the number of a text; that of a missing one is NAN, that of an unseen one -1. */

#include <math.h>
#include <stddef.h>
#include <string.h>
"""
_FUNCTIONS = """
/* The number that stands for a feature's value, given as UTF-8; NULL is missing. */
double {name}_code(int feature, const char *text)
{{
    size_t i;
    for (i = 0; i + 1 < sizeof {name}_values / sizeof *{name}_values; i++) {{
        const char *known = {name}_values[i].text;
        if ({name}_values[i].feature == feature && (known && text ? !strcmp(known, text) : known == text))
            return {name}_values[i].code;
    }}
    return text ? -1 : NAN;
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
    double inherited[{n_classes}] = {{0}};
    int n = 1, owned = 0, i;
    for (i = 0; i < {n_classes}; i++)
        counts[i] = 0;
    while (n--) {{
        int target = parts[n].target;
        const double part = parts[n].part;
        while (target >= 0)
            target = {name}_passes(target, row) ? {name}_tests[target].passes : {name}_tests[target].fails;
        target = ~target;
        for (i = 0; i < {n_classes}; i++) {{
            volatile double count = part * {name}_ends[target].stays * {name}_counts_of_ends[target * {n_classes} + i];
            if (!{name}_ends[target].inherited) {{
                counts[i] += count;
                owned |= count != 0;
            }} else if (inherited[i] < count)
                inherited[i] = count;
        }}
        for (i = {name}_ends[target].first; i < {name}_ends[target].end; i++, n++) {{
            parts[n].target = {name}_routes[i].target;
            parts[n].part = part * {name}_routes[i].share;
        }}
    }}
    for (i = 0; i < {n_classes} && !owned; i++)
        counts[i] = inherited[i];
}}
"""
_LABEL = """
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
_TOTAL = """\
    sums[1] = {total};
    if (sums[1] != sums[1]) /* a feature is missing */
        sums[1] = sums[{last}];
"""
_NUMBER = """
/* The number that is predicted for a row. */
double {name}(const double *row)
{{
    double sums[{n_classes}];
    {name}_counts(row, sums);
{total}    return {size} > 0 ? {answer} : {empty};
}}
"""


# Names that a function in C source cannot have: words of C, and names of its library. They are those of C99 and C23, of all of
# C's library, since a program is linked with it, and in the headers that the written source includes also those of GNU. gcc
# checks the list in the tests.

# Words of C, and of C23 and GNU; `main` begins a program.
_WORDS = """
auto break case char const continue default do double else enum extern float for goto if inline int long main register restrict
return short signed sizeof static struct switch typedef union unsigned void volatile while
alignas alignof asm bool constexpr false linux nullptr static_assert thread_local true typeof typeof_unqual unix
"""
# Functions of numbers, each also with f and l at the end, for the other types of numbers.
_OF_NUMBERS = """
acos acosh asin asinh atan atan2 atanh cabs cacos cacosh canonicalize carg casin casinh catan catanh cbrt ccos ccosh ceil cexp
cimag clog conj copysign cos cosh cpow cproj creal csin csinh csqrt ctan ctanh drem erf erfc exp exp10 exp2 expm1 fabs fdim
finite floor fma fmax fmaximum fmaximum_mag fmaximum_mag_num fmaximum_num fmin fminimum fminimum_mag fminimum_mag_num
fminimum_num fmod frexp fromfp fromfpx gamma hypot ilogb isinf isnan j0 j1 jn ldexp lgamma llogb llrint llround log log10 log1p
log2 logb lrint lround modf nan nearbyint nextafter nextdown nexttoward nextup pow remainder remquo rint round roundeven scalb
scalbln scalbn significand sin sinh sqrt tan tanh tgamma trunc ufromfp ufromfpx y0 y1 yn
"""
# Constants and types in <math.h>, <stddef.h> and <string.h>.
_CONSTANTS = """
FP_ILOGB0 FP_ILOGBNAN FP_INFINITE FP_INT_DOWNWARD FP_INT_TONEAREST FP_INT_TONEARESTFROMZERO FP_INT_TOWARDZERO FP_INT_UPWARD
FP_LLOGB0 FP_LLOGBNAN FP_NAN FP_NORMAL FP_SUBNORMAL FP_ZERO HUGE_VAL HUGE_VALF HUGE_VALL INFINITY MATH_ERREXCEPT MATH_ERRNO
M_1_PI M_2_PI M_2_SQRTPI M_E M_LN10 M_LN2 M_LOG10E M_LOG2E M_PI M_PI_2 M_PI_4 M_SQRT1_2 M_SQRT2 NAN NULL double_t float_t
locale_t math_errhandling max_align_t offsetof ptrdiff_t signgam size_t wchar_t
"""
_OTHER_FUNCTIONS = """
abort abs aligned_alloc alloca asctime atexit atof atoi atol atoll bcmp bcopy bsearch btowc bzero calloc clearerr clock ctime
daddl ddivl dfmal difftime div dmull dsqrtl dsubl errno exit explicit_bzero fadd faddl fclose fdiv fdivl feclearexcept fegetenv
fegetexceptflag fegetround feholdexcept feof feraiseexcept ferror fesetenv fesetexceptflag fesetround fetestexcept feupdateenv
fflush ffma ffmal ffs ffsl ffsll fgetc fgetpos fgets fgetwc fgetws fmul fmull fopen fpclassify fprintf fputc fputc_unlocked
fputs fputwc fputws fread free freopen fscanf fseek fsetpos fsqrt fsqrtl fsub fsubl ftell fwide fwprintf fwrite fwrite_unlocked
fwscanf getc getchar getenv gets getwc getwchar gmtime imaxabs imaxdiv index isalnum isalpha isascii isblank iscanonical iscntrl
isdigit iseqsig isfinite isgraph isgreater isgreaterequal isless islessequal islessgreater islower isnormal isprint ispunct
issignaling isspace issubnormal isunordered isupper iswalnum iswalpha iswblank iswcntrl iswctype iswdigit iswgraph iswlower
iswprint iswpunct iswspace iswupper iswxdigit isxdigit iszero labs ldiv lgamma_r lgammaf_r lgammal_r llabs lldiv localeconv
localtime longjmp malloc mblen mbrlen mbrtowc mbsinit mbsrtowcs mbstowcs mbtowc memccpy memchr memcmp memcpy memmove memset
mktime perror posix_memalign printf putc putc_unlocked putchar putchar_unlocked puts putwc putwchar qsort raise rand realloc
remove rename rewind rindex scanf setbuf setjmp setlocale setvbuf signal signbit snprintf sprintf srand sscanf stpcpy stpncpy
strcasecmp strcasecmp_l strcat strchr strcmp strcoll strcoll_l strcpy strcspn strdup strerror strerror_l strerror_r strftime
strlen strncasecmp strncasecmp_l strncat strncmp strncpy strndup strnlen strpbrk strrchr strsep strsignal strspn strstr strtod
strtof strtoimax strtok strtok_r strtol strtold strtoll strtoul strtoull strtoumax strxfrm strxfrm_l swprintf swscanf system
time tmpfile tmpnam toascii tolower toupper towctrans towlower towupper ungetc ungetwc va_copy va_end vfprintf vfscanf vfwprintf
vfwscanf vprintf vscanf vsnprintf vsprintf vsscanf vswprintf vswscanf vwprintf vwscanf wcrtomb wcscat wcschr wcscmp wcscoll
wcscpy wcscspn wcsftime wcslen wcsncat wcsncmp wcsncpy wcspbrk wcsrchr wcsrtombs wcsspn wcsstr wcstod wcstof wcstoimax wcstok
wcstol wcstold wcstoll wcstombs wcstoul wcstoull wcstoumax wcsxfrm wctob wctomb wctrans wctype wmemchr wmemcmp wmemcpy wmemmove
wmemset wprintf wscanf
"""
_TYPES_OF_NUMBERS = ("", "f", "l")
NAMES_OF_C = frozenset(
    [
        *(_WORDS + _CONSTANTS + _OTHER_FUNCTIONS).split(),
        *(name + end for name in _OF_NUMBERS.split() for end in _TYPES_OF_NUMBERS),
    ]
)


def is_name_of_c(name: str) -> bool:
    """Whether C or its library has a name, or keeps it for itself: those that begin with an underscore.

    >>> is_name_of_c("log"), is_name_of_c("while"), is_name_of_c("_risk"), is_name_of_c("risk")
    (True, True, True, False)
    """
    return name.startswith("_") or name in NAMES_OF_C
