/** Where things lie in the address space of the synthetic program. All sizes are powers of two. */

/** First instruction; the vectors lie at 0. */
export const CODE_BASE = 0x8000;
/** Where the same code lies for writers of variable-length instructions. */
export const CODE_BASE_X86 = 0x00400000;
/** Tables and variables that live as long as the program. */
export const STATIC_BASE = 0x00800000;
export const STATIC_BYTES = 0x00200000;
export const STACK_BASE = 0x07f00000;
export const STACK_BYTES = 0x00100000;
export const STACK_TOP = 0x07fff000;
export const IRQ_STACK_TOP = 0x07f10000;
/** The data region that moves: arenas are taken from here upwards. */
export const HEAP_BASE = 0x10000000;
export const HEAP_BYTES = 0x80000000;
/** How much of the heap is remembered: nothing further behind its top is touched again. */
export const HEAP_RING = 0x04000000;
/** Address range over which data without locality is scattered. */
export const STREWN_BASE = 0x40000000;
export const STREWN_BYTES = 0x40000000;
/** Every word of the strewn region is its address times FACTOR, or that with FLIP: one bit remembers which. */
export const STREWN_FACTOR = 0x2c9277b5;
export const STREWN_FLIP = 0x00ff0000;
