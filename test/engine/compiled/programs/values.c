/*
 * Moves and computes values in many ways: bytes to quadwords, with and without a sign, in registers, structures and on the stack; products,
 * quotients and shifts; conditions as branches and as selections; numbers with a point; calls, also through a table.
 */
typedef unsigned char u8;
typedef signed char s8;
typedef unsigned short u16;
typedef short s16;
typedef unsigned int u32;
typedef int s32;
typedef unsigned long long u64;
typedef long long s64;

#define NOINLINE __attribute__((noinline, noclone))

struct reading {
  u8 channel;
  s8 offset;
  u16 scale;
  s16 bias;
  u32 count;
  u64 total;
};

static const struct reading first = {3, -5, 700, -1200, 4, 0x1122334455667788ull};
static struct reading readings[3];
static u8 packet[24];
static u64 results[8];

NOINLINE static u32 sum_of(const u8 *bytes, u32 length) {
  u32 sum = 0xffff;
  for (u32 i = 0; i < length; i++) sum = (sum << 3 | sum >> 29) ^ bytes[i];
  return sum;
}

NOINLINE static void pack(u8 *to, const struct reading *from) {
  to[0] = from->channel;
  to[1] = (u8)from->offset;
  to[2] = (u8)from->scale;
  to[3] = (u8)(from->scale >> 8);
  *(u32 *)(to + 4) = from->count;
  *(u64 *)(to + 8) = from->total;
  *(s16 *)(to + 16) = from->bias;
}

NOINLINE static s64 calibrated(const struct reading *from) {
  s64 value = (s64)from->scale * from->offset + from->bias;
  s32 limited = value < -2000 ? -2000 : (s32)value;
  return (s64)from->total / limited + (s64)(from->total % from->count);
}

typedef u64 (*operation)(u64, u64);
NOINLINE static u64 product(u64 a, u64 b) { return a * b + (a >> 7); }
NOINLINE static u64 upper(u64 a, u64 b) { return (u64)(((unsigned __int128)a * b) >> 64); }
NOINLINE static u64 quotient(u64 a, u64 b) { return b == 0 ? ~a : a / b - (a & ~b); }
NOINLINE static u64 mask(u64 a, u64 b) { return (a | b << (a & 31)) ^ (u64)((s64)b >> 3); }
static const operation operations[] = {product, upper, quotient, mask};

NOINLINE static u32 smallest(const u32 *list, u32 length) {
  u32 best = list[0];
  for (u32 i = 1; i < length; i++) best = list[i] < best ? list[i] : best;
  return best;
}

NOINLINE static double mean(const u16 *list, u32 length) {
  double sum = 0;
  float weight = 0.5f;
  for (u32 i = 0; i < length; i++) {
    sum += list[i] * weight;
    weight = -weight + 1.25f;
  }
  return sum > 100 ? sum / length : sum;
}

NOINLINE static u32 depth(u32 left, u32 *deepest) {
  if (left > *deepest) *deepest = left;
  if (left < 2) return left;
  return depth(left - 1, deepest) + depth(left - 2, deepest);
}

u64 program(void) {
  u32 list[5] = {90, 17, 45, 12, 60}, deepest = 0;
  u16 samples[4] = {1000, 20, 65535, 7};
  u64 state = 0x0123456789abcdefull;
  readings[1] = first;
  readings[1].bias += 3;
  readings[2] = readings[1];
  readings[2].total -= readings[1].scale;
  pack(packet, &readings[2]);
  results[0] = sum_of(packet, 9);
  results[1] = (u64)calibrated(&readings[2]);
  for (u32 i = 0; i < 4; i++) state = operations[i](state, results[i & 1] | 1);
  results[2] = state;
  results[3] = smallest(list, 5);
  results[4] = (u64)(s64)(mean(samples, 4) * 16);
  results[5] = depth(3, &deepest) + deepest;
  results[6] = (results[2] >> 40 == results[3]) ? results[4] : results[5] ^ results[1];
  results[7] = results[6] + (u8)results[4];
  return results[7];
}

#if defined(__x86_64__)
/* A program of Linux, which ends when it has its value. */
__asm__(".globl _start\n_start: call program\n mov $60, %eax\n xor %edi, %edi\n syscall");
#endif
