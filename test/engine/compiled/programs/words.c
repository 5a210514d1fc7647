/* Switches through tables, a machine of functions that jump to one another, variable arguments, calls through tables. */
#include "support.h"

#include <stdarg.h>

static char text[96];
static u32 length;

NOINLINE static void put(char c) {
  if (length < sizeof text) text[length++] = c;
}

NOINLINE static void put_number(u32 value, u32 base) {
  if (value >= base) put_number(value / base, base);
  put("0123456789abcdef"[value % base]);
}

NOINLINE static void print(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  for (; *format; format++) {
    if (*format != '%') {
      put(*format);
      continue;
    }
    switch (*++format) {
    case 'd': {
      s32 value = va_arg(arguments, s32);
      if (value < 0) put('-');
      put_number(value < 0 ? 0u - (u32)value : (u32)value, 10);
      break;
    }
    case 'x':
      put_number(va_arg(arguments, u32), 16);
      break;
    case 'c':
      put((char)va_arg(arguments, int));
      break;
    case 's': {
      const char *string = va_arg(arguments, const char *);
      while (*string) put(*string++);
      break;
    }
    default:
      put('?');
    }
  }
  va_end(arguments);
}

NOINLINE static u32 add(u32 a, u32 b) { return a + b; }
NOINLINE static u32 subtract(u32 a, u32 b) { return a - b; }
NOINLINE static u32 multiply(u32 a, u32 b) { return a * b; }
NOINLINE static u32 divide(u32 a, u32 b) { return b == 0 ? 0 : a / b; }
NOINLINE static u32 rest(u32 a, u32 b) { return b == 0 ? 0 : a % b; }

typedef u32 (*operation)(u32, u32);
static const operation operations[] = {add, subtract, multiply, divide, rest};

/* A calculator: bytes of code, each of which a switch explains. */
NOINLINE static u32 calculate(const u8 *code) {
  u32 stack[8], top = 0;
  for (;;) {
    u8 op = *code++;
    switch (op) {
    case 0:
      return stack[0];
    case 1:
      stack[top++] = *code++;
      break;
    case 2:
    case 3:
    case 4:
    case 5:
    case 6:
      top--;
      stack[top - 1] = operations[op - 2](stack[top - 1], stack[top]);
      break;
    case 7:
      stack[top] = stack[top - 1];
      top++;
      break;
    case 8:
      stack[top - 1] = ~stack[top - 1];
      break;
    case 9:
      if (stack[top - 1] != 0) code -= *code;
      else code++;
      break;
    case 10: {
      u32 kept = stack[top - 1];
      stack[top - 1] = stack[top - 2];
      stack[top - 2] = kept;
      break;
    }
    default:
      return 0xdead;
    }
  }
}

/* States that hand on to one another: tail calls, direct and through a table. */
typedef u32 (*state)(const char *, u32);
NOINLINE static u32 in_word(const char *, u32);
NOINLINE static u32 in_number(const char *, u32);
NOINLINE static u32 between(const char *, u32);
NOINLINE static u32 at_end(const char *, u32 found) { return found * 3 + 1; }
static const state states[] = {at_end, between, in_word, in_number};

NOINLINE static u32 kind_of(char c) {
  if (c == 0) return 0;
  if (c >= '0' && c <= '9') return 3;
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ? 2 : 1;
}
NOINLINE static u32 between(const char *at, u32 found) { return states[kind_of(*at)](at + (*at != 0), found); }
NOINLINE static u32 in_word(const char *at, u32 found) {
  if (kind_of(*at) == 2) return in_word(at + 1, found);
  return between(at, found + 1);
}
NOINLINE static u32 in_number(const char *at, u32 found) {
  while (kind_of(*at) == 3) found += 16 * (u32)(*at++ - '0');
  return between(at, found);
}

NOINLINE static u32 parity(u32 value) {
  switch (value % 12) {
  case 0: return add(value, 3);
  case 1: return subtract(value, 5);
  case 2: return multiply(value, 7);
  case 3: return divide(value, 3);
  case 4: return rest(value, 9);
  case 5: return value ^ 0x55;
  case 6: return value << 3;
  case 7: return add(value, value);
  case 8: return 8;
  case 9: return rest(value, 4) + 1;
  default: return value;
  }
}

u32 program(void) {
  /* 7, then down from 6: the factorial of 5, times 7. */
  static const u8 code[] = {1, 7, 1, 5, 7, 1, 1, 3, 10, 7, 1, 1, 3, 4, 4, 2, 1, 9, 6, 8, 1, 3, 5, 0};
  static const u8 loop[] = {1, 9, 1, 1, 3, 9, 4, 7, 1, 6, 2, 0};
  u32 sum = 7, i;
  length = 0;
  print("%s %d and %d, %x%c", "numbers:", -1203, 45, 0xbeef, '.');
  for (i = 0; i < length; i++) sum = mixed(sum, (u8)text[i]);
  sum = mixed(sum, calculate(code));
  sum = mixed(sum, calculate(loop));
  sum = mixed(sum, between("one 22 three4five, 678 nine", 0));
  for (i = 0; i < 25; i++) sum = mixed(sum, parity(i * 5 + 3));
  return sum;
}
