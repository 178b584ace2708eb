/* Work memory: words of 64 bits that Python makes for a call, and C divides. The function that divides them tells Python
   how many it needs, too: without words it only counts them. What pieces hold is worth nothing once a call ends. */
#ifndef FTREE_MEMORY_H
#define FTREE_MEMORY_H
#include "native.h"

typedef struct {
    uint64_t *words; /* NULL to count */
    int64_t n_taken;
} Memory;

/* AddressSanitizer sees the memory as one block. So the word after each piece is for nobody, until the call gives back all
   words that it took. */
#if defined(__SANITIZE_ADDRESS__)
void __asan_poison_memory_region(const volatile void *from, size_t n_bytes);
void __asan_unpoison_memory_region(const volatile void *from, size_t n_bytes);
enum { WORDS_BETWEEN = 1 };
INLINE void close_word(const uint64_t *word) { __asan_poison_memory_region(word, 8); }
INLINE void give_back(const uint64_t *words, int64_t n_taken) { __asan_unpoison_memory_region(words, (size_t)n_taken * 8); }
#else
enum { WORDS_BETWEEN = 0 };
INLINE void close_word(const uint64_t *word) { (void)word; }
INLINE void give_back(const uint64_t *words, int64_t n_taken)
{
    (void)words;
    (void)n_taken;
}
#endif

/* Take a piece for n entries of a size. */
INLINE void *take(Memory *memory, int64_t n, size_t size)
{
    const int64_t n_words = (n * (int64_t)size + 7) / 8;
    uint64_t *piece = memory->words ? memory->words + memory->n_taken : NULL;
    memory->n_taken += n_words + WORDS_BETWEEN;
    if (piece) close_word(piece + n_words);
    return piece;
}
#endif
