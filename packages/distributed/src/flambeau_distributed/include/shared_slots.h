/* Collectives and messages between processes that map the same memory.

   Every rank has a block of words and two buffers. A collective consists of *meetings*: each rank fills one of its
   buffers, posts the number of the meeting, and waits until all ranks have posted it; then it may read all buffers of
   this meeting. Meeting k uses buffer k & 1. A rank posts k only when it has finished reading the buffers of k - 1, so
   a rank that has completed meeting k may write into the buffer of k + 1. Each post includes the call of the rank, and
   all ranks compare them: calls that do not match raise an error on every rank instead of a deadlock.

   Messages use a ring for each ordered pair of ranks.

   A waiting rank spins for a while, if there are processors for all and spinning was recently successful, and then
   sleeps on the word until its writer wakes it. Every 50 ms it calls `look`, which raises errors for signals, deadlines
   and peers that have ended. */
#ifndef FLAMBEAU_SHARED_SLOTS_H
#define FLAMBEAU_SHARED_SLOTS_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include "halves.h"
#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

enum { FL_DONE = 0, FL_STOPPED = 1, FL_MISMATCH = 2 };
enum { FL_SUM, FL_PRODUCT, FL_MIN, FL_MAX, FL_BAND, FL_BOR, FL_BXOR };

typedef struct {      /* the call of a rank; all must be equal */
    uint32_t call;    /* the number of collectives called in this group */
    uint32_t kind;    /* the collective: an index on the Python side */
    int32_t dtype, op, root;
    uint32_t piece;
    int64_t count;
} fl_call;

typedef struct {
    uint32_t posted, sleepers;   /* the last meeting, and the number of ranks that sleep until the next */
    char pad0[56];
    uint32_t event, listeners;   /* incremented when a ring of this rank changes */
    char pad1[56];
    fl_call calls[2];
    int32_t state, pid;          /* see segment.pyx */
    uint64_t started;
    char pad2[48];
    char reason[256];            /* why it gave up */
} fl_block;

typedef struct {
    uint64_t head;               /* total bytes written, */
    char pad0[56];
    uint64_t tail;               /* and read */
    char pad1[56];
} fl_ring;

typedef struct { int64_t nbytes; int32_t tag, dtype; } fl_header;

typedef int (*fl_look)(void *owner, int peer);  /* nonzero: stop waiting */

typedef struct {
    char *base;
    int n, me;
    uint32_t met, calls;
    int64_t slot, ring;          /* bytes of a buffer and of a ring */
    int64_t spin, patience;      /* nanoseconds to spin: the maximum, and the current limit */
    fl_look look;
    void *owner;
} fl_group;

static inline int64_t fl_least(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t fl_aligned(int64_t bytes) { return (bytes + 127) & ~(int64_t)127; }
static inline int64_t fl_ring_stride(const fl_group *g) { return (int64_t)sizeof(fl_ring) + fl_aligned(g->ring); }
static inline int64_t fl_size(const fl_group *g) {
    return g->n * (int64_t)sizeof(fl_block) + 2 * g->n * g->slot + (int64_t)g->n * g->n * fl_ring_stride(g);
}
static inline fl_block *fl_block_of(const fl_group *g, int rank) { return (fl_block *)g->base + rank; }
static inline char *fl_buffer(const fl_group *g, int rank, uint32_t meeting) {
    return g->base + g->n * sizeof(fl_block) + (2 * (int64_t)rank + (meeting & 1)) * g->slot;
}
static inline fl_ring *fl_ring_of(const fl_group *g, int from, int to) {
    int64_t rings = g->n * (int64_t)sizeof(fl_block) + 2 * g->n * g->slot;
    return (fl_ring *)(g->base + rings + ((int64_t)from * g->n + to) * fl_ring_stride(g));
}

/* --- waiting ------------------------------------------------------------------------------------------------------ */

static inline int64_t fl_now(void) {
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline void fl_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield");
#endif
}

static inline void fl_wake(uint32_t *word, uint32_t *sleepers) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (__atomic_load_n(sleepers, __ATOMIC_RELAXED)) {
#ifdef __linux__
        syscall(SYS_futex, word, FUTEX_WAKE, 0x7fffffff, NULL, NULL, 0);
#endif
    }
}

/* Sleep for at most 50 ms while the word is `seen`. */
static inline void fl_sleep(uint32_t *word, uint32_t *sleepers, uint32_t seen) {
    __atomic_fetch_add(sleepers, 1, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(word, __ATOMIC_SEQ_CST) == seen) {
#ifdef __linux__
        struct timespec slice = {0, 50000000};
        syscall(SYS_futex, word, FUTEX_WAIT, seen, &slice, NULL, 0);
#elif !defined(_WIN32)
        struct timespec slice = {0, 50000};
        nanosleep(&slice, NULL);
#endif
    }
    __atomic_fetch_sub(sleepers, 1, __ATOMIC_SEQ_CST);
}

/* Wait until the word is at least `wanted` (with `other`: until it differs from `wanted`). */
static int fl_wait(fl_group *g, uint32_t *word, uint32_t *sleepers, uint32_t wanted, int other, int peer) {
    int64_t began = 0, asked = 0;
    int slept = 0;
    for (unsigned turn = 0;; turn++) {
        uint32_t seen = __atomic_load_n(word, __ATOMIC_ACQUIRE);
        if (other ? seen != wanted : (int32_t)(seen - wanted) >= 0) {
            if (!slept && g->patience < g->spin) g->patience += g->patience / 4 + 200;
            return FL_DONE;
        }
        if (turn < 64 && g->spin) {
            fl_pause();
            continue;
        }
        int64_t now = fl_now();
        if (!began) began = asked = now;
        if (now - began < g->patience) {
            for (int i = 0; i < 16; i++) fl_pause();
            continue;
        }
        /* After sleeping, spin less the next time: the peer may share the processor, or another program may use it. */
        if (began == asked) g->patience = g->patience / 2;
        slept = 1;
        fl_sleep(word, sleepers, seen);
        if (fl_now() - asked > 45000000) {
            if (g->look(g->owner, peer)) return FL_STOPPED;
            asked = fl_now();
        }
    }
}

/* Post this rank's call, wait for all ranks, and compare. Calls stay in the blocks until the meeting after the next. */
static int fl_meet(fl_group *g, const fl_call *call) {
    fl_block *own = fl_block_of(g, g->me);
    uint32_t number = g->met + 1;
    int same = 1;
    own->calls[number & 1] = *call;
    __atomic_store_n(&own->posted, number, __ATOMIC_RELEASE);
    fl_wake(&own->posted, &own->sleepers);
    for (int rank = 0; rank < g->n; rank++) {
        fl_block *peer = fl_block_of(g, rank);
        if (rank == g->me) continue;
        if (fl_wait(g, &peer->posted, &peer->sleepers, number, 0, rank)) return FL_STOPPED;
        same &= !memcmp(&peer->calls[number & 1], call, sizeof *call);
    }
    g->met = number;
    return same ? FL_DONE : FL_MISMATCH;
}

/* --- reductions --------------------------------------------------------------------------------------------------- */

#define FL_TIMES(a, b) ((a) * (b))
#define FL_PLUS(a, b) ((a) + (b))
#define FL_LESS(a, b) ((b) < (a) || (b) != (b) ? (b) : (a))
#define FL_MORE(a, b) ((b) > (a) || (b) != (b) ? (b) : (a))
#define FL_AND(a, b) ((a) & (b))
#define FL_OR(a, b) ((a) | (b))
#define FL_XOR(a, b) ((a) ^ (b))
#define FL_LOOP(T, F) for (i = 0; i < n; i++) ((T *)to)[i] = (T)F(((const T *)a)[i], ((const T *)b)[i]); break;
#define FL_REALS(T) \
    switch (op) { case FL_SUM: FL_LOOP(T, FL_PLUS) case FL_PRODUCT: FL_LOOP(T, FL_TIMES) \
                  case FL_MIN: FL_LOOP(T, FL_LESS) case FL_MAX: FL_LOOP(T, FL_MORE) }
#define FL_INTS(T) \
    switch (op) { case FL_SUM: FL_LOOP(T, FL_PLUS) case FL_PRODUCT: FL_LOOP(T, FL_TIMES) \
                  case FL_MIN: FL_LOOP(T, FL_LESS) case FL_MAX: FL_LOOP(T, FL_MORE) \
                  case FL_BAND: FL_LOOP(T, FL_AND) case FL_BOR: FL_LOOP(T, FL_OR) case FL_BXOR: FL_LOOP(T, FL_XOR) }
#define FL_BLOCK 512

/* to = op(a, b) for n elements; `to` may be `a`. The dtypes are those of compute.pxd. */
static void fl_combine(char *to, const char *a, const char *b, int64_t n, int dtype, int op) {
    int64_t i;
    switch (dtype) {
        case 0:  /* bool: sums and maxima are "or", products and minima "and" */
            op = op == FL_SUM || op == FL_MAX ? FL_BOR : op == FL_PRODUCT || op == FL_MIN ? FL_BAND : op;
            FL_INTS(uint8_t) break;
        case 1: FL_INTS(uint8_t) break;
        case 2: FL_INTS(int8_t) break;
        case 3: FL_INTS(int16_t) break;
        case 4: FL_INTS(int32_t) break;
        case 5: FL_INTS(int64_t) break;
        case 6: FL_INTS(uint16_t) break;
        case 7: FL_INTS(uint32_t) break;
        case 8: FL_INTS(uint64_t) break;
        case 11: FL_REALS(float) break;
        case 12: FL_REALS(double) break;
    }
}

static void fl_floats(float *to, const uint16_t *from, int64_t n, int dtype) {
    if (dtype == 9) fl_halves_to_floats(from, to, n);
    else for (int64_t i = 0; i < n; i++) to[i] = fl_bf16_to_float(from[i]);
}

/* a /= divisor */
static void fl_divide(char *a, int64_t n, int dtype, double divisor) {
    int64_t i;
    float single = (float)divisor;
    if (dtype == 11) for (i = 0; i < n; i++) ((float *)a)[i] /= single;
    if (dtype == 12) for (i = 0; i < n; i++) ((double *)a)[i] /= divisor;
}

typedef struct { int dtype, op, itemsize; double divisor; } fl_reduction;

/* The address of a rank's elements: in its buffer, or, for this rank, at `own` unless it is NULL. */
static inline const char *fl_source(const fl_group *g, int rank, int64_t offset, const char *own) {
    return rank == g->me && own ? own : fl_buffer(g, rank, g->met) + offset;
}

/* Combine n elements of all ranks, in rank order, and divide. Halves are rounded once, at the end. */
static void fl_reduce(const fl_group *g, char *to, int64_t offset, const char *own, int64_t n, const fl_reduction *r) {
    int itemsize = r->itemsize;
    const char *first = fl_source(g, 0, offset, own);
    if (r->dtype == 9 || r->dtype == 10) {
        float sum[FL_BLOCK], next[FL_BLOCK];
        for (int64_t i = 0; i < n; i += FL_BLOCK) {
            int64_t part = fl_least(n - i, FL_BLOCK);
            fl_floats(sum, (const uint16_t *)first + i, part, r->dtype);
            for (int rank = 1; rank < g->n; rank++) {
                fl_floats(next, (const uint16_t *)fl_source(g, rank, offset, own) + i, part, r->dtype);
                fl_combine((char *)sum, (const char *)sum, (const char *)next, part, 11, r->op);
            }
            if (r->divisor != 1) fl_divide((char *)sum, part, 11, r->divisor);
            uint16_t *half = (uint16_t *)to + i;
            if (r->dtype == 9) fl_floats_to_halves(sum, half, part);
            else for (int64_t j = 0; j < part; j++) half[j] = fl_float_to_bf16(sum[j]);
        }
        return;
    }
    int64_t block = 8192 / itemsize;  /* further operands find the partial result in the first-level cache */
    for (int64_t i = 0; i < n; i += block) {
        int64_t part = fl_least(n - i, block), at = i * itemsize;
        char *target = to + at;
        if (g->n == 1) memmove(target, first + at, part * itemsize);
        else fl_combine(target, first + at, fl_source(g, 1, offset, own) + at, part, r->dtype, r->op);
        for (int rank = 2; rank < g->n; rank++) {
            fl_combine(target, target, fl_source(g, rank, offset, own) + at, part, r->dtype, r->op);
        }
        if (r->divisor != 1) fl_divide(target, part, r->dtype, r->divisor);
    }
}

/* --- collectives -------------------------------------------------------------------------------------------------- */

#define FL_MEET(call) do { int fl_r = fl_meet(g, call); if (fl_r) return fl_r; (call)->piece++; } while (0)

/* Several memory ranges that are exchanged as one, and the current position. */
typedef struct { char *data; int64_t bytes; } fl_part;
typedef struct { const fl_part *part; int64_t at; } fl_place;

/* Return the next contiguous bytes, at most `most`. */
static inline char *fl_next(fl_place *p, int64_t most, int64_t *run) {
    while (p->at == p->part->bytes) { p->part++; p->at = 0; }
    char *data = p->part->data + p->at;
    *run = fl_least(most, p->part->bytes - p->at);
    p->at += *run;
    return data;
}
#define FL_RUNS(place, bytes, done, run, data) \
    for (int64_t done = 0, run; done < (bytes) && ((data = fl_next(place, (bytes) - done, &run)), 1); done += run)

/* Loop over the shares of a piece that each rank reduces. */
#define FL_SHARES(rank, first, size) \
    for (int64_t rank = 0, first = 0, size; \
         rank < g->n && (size = fl_least(share, piece - first), 1); first += size, rank++)

/* Reduce all parts in place on all ranks; with a root, only there. */
static int fl_all_reduce(fl_group *g, const fl_part *parts, int64_t bytes, const fl_reduction *r, fl_call *call) {
    fl_place from = {parts, 0}, mine = {parts, 0}, to = {parts, 0};
    int64_t left = bytes;
    int alone = call->root >= 0;
    char *data;
    if (g->n == 1 && r->divisor == 1) left = 0;
    do {
        int64_t piece = fl_least(left, g->slot);
        char *own = fl_buffer(g, g->me, g->met + 1);
        if (alone || piece * g->n <= 65536) {  /* each rank reduces everything */
            FL_RUNS(&from, piece, at, run, data) memcpy(own + at, data, run);
            FL_MEET(call);
            if (!alone || call->root == g->me) {
                FL_RUNS(&to, piece, at, run, data) fl_reduce(g, data, at, NULL, run / r->itemsize, r);
            }
        } else {  /* each rank reduces its share, and copies those of the others */
            int64_t share = (piece / r->itemsize + g->n - 1) / g->n * r->itemsize;
            FL_SHARES(rank, first, size) {
                FL_RUNS(&from, size, at, run, data) if (rank != g->me) memcpy(own + first + at, data, run);
            }
            FL_MEET(call);
            own = fl_buffer(g, g->me, g->met + 1);
            FL_SHARES(rank, first, size) FL_RUNS(&mine, size, at, run, data) if (rank == g->me) {
                fl_reduce(g, own + first + at, first + at, data, run / r->itemsize, r);
                memcpy(data, own + first + at, run);
            }
            FL_MEET(call);
            FL_SHARES(rank, first, size) {
                const char *theirs = fl_buffer(g, rank, g->met) + first;
                FL_RUNS(&to, size, at, run, data) if (rank != g->me) memcpy(data, theirs + at, run);
            }
        }
        left -= piece;
    } while (left);
    return FL_DONE;
}

static int fl_broadcast(fl_group *g, char *data, int64_t bytes, fl_call *call) {
    int64_t at = 0;
    do {
        int64_t piece = fl_least(bytes - at, g->slot);
        if (call->root == g->me) memcpy(fl_buffer(g, g->me, g->met + 1), data + at, piece);
        FL_MEET(call);
        if (call->root != g->me) memcpy(data + at, fl_buffer(g, call->root, g->met), piece);
        at += piece;
    } while (at < bytes);
    return FL_DONE;
}

/* `out` has one row of `bytes` for each rank; with a root, only there. */
static int fl_all_gather(fl_group *g, char *out, const char *in, int64_t bytes, fl_call *call) {
    int64_t at = 0;
    do {
        int64_t piece = fl_least(bytes - at, g->slot);
        memcpy(fl_buffer(g, g->me, g->met + 1), in + at, piece);
        FL_MEET(call);
        if (call->root < 0 || call->root == g->me) {
            for (int rank = 0; rank < g->n; rank++) memcpy(out + rank * bytes + at, fl_buffer(g, rank, g->met), piece);
        }
        at += piece;
    } while (at < bytes);
    return FL_DONE;
}

/* The part of a buffer for each rank, if all ranks receive different data. */
static inline int64_t fl_share(const fl_group *g) { return g->slot / g->n & ~(int64_t)63; }

static int fl_scatter(fl_group *g, char *out, const char *in, int64_t bytes, fl_call *call) {
    int64_t at = 0, share = fl_share(g);
    do {
        int64_t piece = fl_least(bytes - at, share);
        if (call->root == g->me) {
            char *own = fl_buffer(g, g->me, g->met + 1);
            for (int rank = 0; rank < g->n; rank++) memcpy(own + rank * share, in + rank * bytes + at, piece);
        }
        FL_MEET(call);
        memcpy(out + at, fl_buffer(g, call->root, g->met) + g->me * share, piece);
        at += piece;
    } while (at < bytes);
    return FL_DONE;
}

static int fl_reduce_scatter(fl_group *g, char *out, const char *in, int64_t bytes, const fl_reduction *r,
                             fl_call *call) {
    int64_t at = 0, share = fl_share(g);
    do {
        int64_t piece = fl_least(bytes - at, share);
        char *own = fl_buffer(g, g->me, g->met + 1);
        for (int rank = 0; rank < g->n; rank++) memcpy(own + rank * share, in + rank * bytes + at, piece);
        FL_MEET(call);
        fl_reduce(g, out + at, g->me * share, NULL, piece / r->itemsize, r);
        at += piece;
    } while (at < bytes);
    return FL_DONE;
}

/* Send `sends[r]` bytes to rank r and receive `receives[r]` from it, concatenated. If rank `*peer` sends another number
   than expected, return FL_MISMATCH with peer >= 0. */
static int fl_all_to_all(fl_group *g, char *out, const char *in, const int64_t *sends, const int64_t *receives,
                         fl_call *call, int *peer) {
    int64_t most = 0, share = fl_share(g);
    *peer = -1;
    memcpy(fl_buffer(g, g->me, g->met + 1), sends, g->n * sizeof *sends);
    FL_MEET(call);
    for (int from = 0; from < g->n; from++) {
        const int64_t *row = (const int64_t *)fl_buffer(g, from, g->met);
        if (row[g->me] != receives[from]) *peer = from;
        for (int to = 0; to < g->n; to++) if (row[to] > most) most = row[to];
    }
    call->root = *peer;  /* a rank that found a difference announces it in the next meeting */
    FL_MEET(call);
    if (*peer >= 0) return FL_MISMATCH;
    for (int64_t at = 0; at < most; at += share) {
        char *own = fl_buffer(g, g->me, g->met + 1);
        const char *row = in;
        char *target = out;
        for (int rank = 0; rank < g->n; row += sends[rank++]) {
            if (at < sends[rank]) memcpy(own + rank * share, row + at, fl_least(sends[rank] - at, share));
        }
        FL_MEET(call);
        for (int rank = 0; rank < g->n; target += receives[rank++]) {
            if (at < receives[rank]) {
                memcpy(target + at, fl_buffer(g, rank, g->met) + g->me * share, fl_least(receives[rank] - at, share));
            }
        }
    }
    return FL_DONE;
}

/* --- messages ----------------------------------------------------------------------------------------------------- */

static inline void fl_notify(fl_group *g, int rank) {
    fl_block *block = fl_block_of(g, rank);
    __atomic_fetch_add(&block->event, 1, __ATOMIC_RELEASE);
    fl_wake(&block->event, &block->listeners);
}

/* Sleep until a ring of this rank changes after `seen`. */
static int fl_listen(fl_group *g, uint32_t seen, int peer) {
    fl_block *own = fl_block_of(g, g->me);
    return fl_wait(g, &own->event, &own->listeners, seen, 1, peer);
}
static inline uint32_t fl_events(fl_group *g) {
    return __atomic_load_n(&fl_block_of(g, g->me)->event, __ATOMIC_ACQUIRE);
}

/* Copy bytes between the ring and memory, as many as there is space or data for, and return the number. */
static int64_t fl_put(fl_group *g, int to, const char *data, int64_t n) {
    fl_ring *ring = fl_ring_of(g, g->me, to);
    char *bytes = (char *)(ring + 1);
    uint64_t head = ring->head, used = head - __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);
    int64_t at = (int64_t)(head % (uint64_t)g->ring), first;
    n = fl_least(n, g->ring - (int64_t)used);
    if (n <= 0) return 0;
    first = fl_least(n, g->ring - at);
    memcpy(bytes + at, data, first);
    memcpy(bytes, data + first, n - first);
    __atomic_store_n(&ring->head, head + n, __ATOMIC_RELEASE);
    fl_notify(g, to);
    return n;
}
static inline int64_t fl_waiting(fl_group *g, int from) {
    fl_ring *ring = fl_ring_of(g, from, g->me);
    return (int64_t)(__atomic_load_n(&ring->head, __ATOMIC_ACQUIRE) - ring->tail);
}
static inline int64_t fl_room(fl_group *g, int to) {
    fl_ring *ring = fl_ring_of(g, g->me, to);
    return g->ring - (int64_t)(ring->head - __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE));
}
static int64_t fl_take(fl_group *g, int from, char *data, int64_t n) {
    fl_ring *ring = fl_ring_of(g, from, g->me);
    const char *bytes = (const char *)(ring + 1);
    uint64_t tail = ring->tail;
    int64_t at = (int64_t)(tail % (uint64_t)g->ring), first;
    n = fl_least(n, fl_waiting(g, from));
    if (n <= 0) return 0;
    first = fl_least(n, g->ring - at);
    memcpy(data, bytes + at, first);
    memcpy(data + first, bytes, n - first);
    __atomic_store_n(&ring->tail, tail + n, __ATOMIC_RELEASE);
    fl_notify(g, from);
    return n;
}

/* Copy all bytes, waiting as needed. */
static int fl_transfer(fl_group *g, int peer, char *data, int64_t n, int sends) {
    while (n) {
        uint32_t seen = fl_events(g);
        int64_t done = sends ? fl_put(g, peer, data, n) : fl_take(g, peer, data, n);
        if (!done && fl_listen(g, seen, peer)) return FL_STOPPED;
        data += done;
        n -= done;
    }
    return FL_DONE;
}
#endif
