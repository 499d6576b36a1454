/* Writing around the caches: a result larger than they are would only push out what is still needed, and a plain
 * store reads each line before it overwrites it. */
#ifndef FLAMBEAU_STREAM_H
#define FLAMBEAU_STREAM_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#define FL_STREAMS 1
static inline void fl_stream(char *to, const char *from, ptrdiff_t n) {
    ptrdiff_t head = (ptrdiff_t)(-(uintptr_t)to & 63);
    if (head > n) head = n;
    memcpy(to, from, (size_t)head);
    to += head, from += head, n -= head;
    for (; n >= 64; n -= 64, to += 64, from += 64)
        for (int i = 0; i < 4; i++)
            _mm_stream_si128((__m128i *)to + i, _mm_loadu_si128((const __m128i *)from + i));
    memcpy(to, from, (size_t)n);
}
static inline void fl_stream_end(void) { _mm_sfence(); }
#else
#define FL_STREAMS 0
static inline void fl_stream(char *to, const char *from, ptrdiff_t n) { memcpy(to, from, (size_t)n); }
static inline void fl_stream_end(void) {}
#endif
#endif
