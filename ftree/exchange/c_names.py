"""Names that a function in C source cannot have: words of C, and names of its library.

They are those of C99 and C23, of all of C's library, since a program is linked with it, and in the headers that the written
source includes also those of GNU. gcc checks the list in the tests.
"""

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
_FUNCTIONS = """
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
    [*(_WORDS + _CONSTANTS + _FUNCTIONS).split(), *(name + end for name in _OF_NUMBERS.split() for end in _TYPES_OF_NUMBERS)]
)


def is_name_of_c(name: str) -> bool:
    """Whether C or its library has a name, or keeps it for itself: those that begin with an underscore.

    >>> is_name_of_c("log"), is_name_of_c("while"), is_name_of_c("_risk"), is_name_of_c("risk")
    (True, True, True, False)
    """
    return name.startswith("_") or name in NAMES_OF_C
