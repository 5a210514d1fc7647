/* Shared by the programs: names for fixed sizes, functions that are never inlined, and traps for each processor. */
typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef int s32;

#define NOINLINE __attribute__((noinline, noclone))
#define USED __attribute__((used))

/* Answers a number that says whether everything that was computed is right. */
u32 program(void);

/* As setjmp and longjmp, written in assembly. */
struct place {
  u32 saved[10];
};
int mark_place(struct place *) __attribute__((returns_twice));
void go_back(struct place *, int) __attribute__((noreturn));

/* Counted by the handlers. */
extern volatile u32 interrupts, software_interrupts, faults;

#if defined(__arm__)
#define SOFTWARE_INTERRUPT() __asm__ volatile("swi 0x42" ::: "memory")
/* There is no memory; the handler goes on four bytes behind the load, in Thumb code too. */
#define FAULT() \
  do { \
    u32 there = 0x80000000u; \
    __asm__ volatile("ldr %0, [%0]\n\tmov %0, %0\n\tmov %0, %0" : "+l"(there)::"memory"); \
  } while (0)
#else
#define SOFTWARE_INTERRUPT() __asm__ volatile("int $0x80" ::: "memory")
/* Serialising: the processor sends a message although nothing branches. */
#define FAULT() __asm__ volatile("cpuid" ::: "eax", "ebx", "ecx", "edx", "memory")
#endif

static inline u32 mixed(u32 sum, u32 value) { return (sum << 5 | sum >> 27) ^ (value * 2654435761u); }
