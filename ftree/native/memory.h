/* Work memory: words of 64 bits that Python makes for a call, and C divides. The function that divides them tells Python
   how many it needs, too: without words it only counts them. What pieces hold is worth nothing once a call ends. */
#ifndef FTREE_MEMORY_H
#define FTREE_MEMORY_H
#include "native.h"

typedef struct {
    uint64_t *words; /* NULL to count */
    int64_t n_taken;
} Memory;

/* AddressSanitizer sees the memory as one block. So a word after each piece is for nobody. */
#if defined(__SANITIZE_ADDRESS__)
void __asan_poison_memory_region(const volatile void *from, size_t n_bytes);
void __asan_unpoison_memory_region(const volatile void *from, size_t n_bytes);

INLINE void begin_piece(Memory *memory, int64_t n_words)
{
    if (memory->words) __asan_unpoison_memory_region(memory->words + memory->n_taken, (size_t)n_words * 8);
}

INLINE void end_piece(Memory *memory)
{
    if (memory->words) __asan_poison_memory_region(memory->words + memory->n_taken, 8);
    memory->n_taken++;
}
#else
INLINE void begin_piece(Memory *memory, int64_t n_words)
{
    (void)memory;
    (void)n_words;
}

INLINE void end_piece(Memory *memory) { (void)memory; }
#endif

/* Take a piece for n entries of a size. */
INLINE void *take(Memory *memory, int64_t n, size_t size)
{
    const int64_t n_words = (n * (int64_t)size + 7) / 8;
    void *piece = memory->words ? memory->words + memory->n_taken : NULL;
    begin_piece(memory, n_words);
    memory->n_taken += n_words;
    end_piece(memory);
    return piece;
}
#endif
