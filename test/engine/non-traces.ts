/** Generated files of kinds that users have next to their traces, none of which is a trace. */
import { deflateSync } from 'node:zlib';
import { createRandom } from '../laws/random.ts';

export function nonTraces(): Readonly<Record<string, Uint8Array>> {
  return {
    'C source': text(C_SOURCE),
    'an assembler listing of objdump': text(
      repeat(
        60,
        (i) => `  ${(0x8000 + 4 * i).toString(16)}:\te59f${hex(i, 4)} \tldr\tr${String(i % 12)}, [pc, #${String(i)}]`,
      ),
    ),
    'a symbol table of nm': text(repeat(80, (i) => `${hex(0x8000 + 16 * i, 8)} T function_${String(i)}`)),
    'a linker map': text(
      repeat(60, (i) => ` .text          0x${hex(0x8000 + 64 * i, 16)}       0x${hex(16 + i, 2)} main.o`),
    ),
    'a CSV of measurements': text(
      `time,voltage,current\n${repeat(100, (i) => `${String(i * 10)},${(i / 7).toFixed(3)},${(i % 9).toFixed(2)}`)}`,
    ),
    'a CSV with addresses and data': text(
      `id,address,data,comment\n${repeat(80, (i) => `${String(i)},12 Main Street,ok,none`)}`,
    ),
    'a TSV of a spreadsheet': text(
      `a\tb\tc\td\n${repeat(80, (i) => `${String(i)}\t${String(i * i)}\t${(i / 3).toFixed(2)}\tx`)}`,
    ),
    'a table of numbers': text(repeat(100, (i) => `${String(i)} ${String(i * 37)} ${String(i % 5)}`)),
    'pairs of small numbers': text(repeat(200, (i) => `${String(i % 10)} ${String(1 + ((i * 7919) % 1000))}`)),
    'an edge list': text(repeat(200, (i) => `${String(i)} ${String((i * 31) % 500)}`)),
    'decimal numbers': text(repeat(300, (i) => String((i * 2654435761) % 100_000))),
    'a hex dump of xxd': text(
      repeat(
        80,
        (i) =>
          `${hex(16 * i, 8)}: ${repeat(8, (k) => hex((i * 8 + k) * 2711, 4))
            .replaceAll('\n', ' ')
            .trim()}  ................`,
      ),
    ),
    'a hex dump of hexdump -C': text(
      repeat(
        80,
        (i) =>
          `${hex(16 * i, 8)}  ${repeat(16, (k) => hex(i * 16 + k, 2))
            .replaceAll('\n', ' ')
            .trim()}  |................|`,
      ),
    ),
    'plain hexadecimal words': text(repeat(300, (i) => hex(i * 2654435761, 8))),
    'Intel HEX': text(repeat(100, (i) => `:10${hex(16 * i, 4).toUpperCase()}00214601360121470136007EFE09D2190140`)),
    'Motorola S-records': text(
      repeat(100, (i) => `S113${hex(16 * i, 4).toUpperCase()}285F245F2212226A000424290008237C2A`),
    ),
    'a value change dump': text(
      `$date today $end\n$timescale 1ns $end\n$var wire 1 ! clk $end\n$enddefinitions $end\n${repeat(200, (i) => `#${String(i * 5)}\n${String(i % 2)}!`)}`,
    ),
    JSON: text(
      JSON.stringify(
        Array.from({ length: 60 }, (_, i) => ({ id: i, address: `0x${hex(i * 64, 8)}`, kind: 'read' })),
        null,
        2,
      ),
    ),
    'JSON lines': text(
      repeat(80, (i) => JSON.stringify({ n: i, offset: i * 6, kind: 'read', address: `0x${hex(i * 64, 4)}` })),
    ),
    XML: text(
      `<?xml version="1.0"?>\n<list>\n${repeat(60, (i) => `  <item id="${String(i)}" address="0x${hex(i, 4)}"/>`)}</list>\n`,
    ),
    'a log of the system': text(
      repeat(
        80,
        (i) =>
          `Nov 21 03:${String(10 + (i % 50))}:11 host kernel: [${String(i)}.123456] usb 1-1: new device number ${String(i)}`,
      ),
    ),
    'a log with times and levels': text(
      repeat(
        80,
        (i) =>
          `2026-11-21T03:12:${String(10 + (i % 50))}.123Z INFO [worker-${String(i % 4)}] read ${String(i)} bytes from 0x${hex(i * 4096, 8)}`,
      ),
    ),
    'a log of a web server': text(
      repeat(
        80,
        (i) =>
          `10.0.0.${String(i)} - - [21/Nov/2026:03:12:11 +0000] "GET /a/${String(i)} HTTP/1.1" 200 ${String(i * 31)}`,
      ),
    ),
    'a log of strace': text(repeat(80, (i) => `[pid ${String(i)}] read(3, "\\177ELF"..., 832) = ${String(i)}`)),
    'a log of valgrind': text(
      repeat(
        80,
        (i) =>
          `==12345== Invalid read of size 4\n==12345==    at 0x${hex(0x400500 + i, 6).toUpperCase()}: main (a.c:${String(i)})`,
      ),
    ),
    'perf script without branches': text(
      repeat(
        60,
        (i) =>
          `a.out  1234 [000]  100.${String(100_000 + i)}:     250000 cycles:u:      ${hex(0x401000 + i, 6)} main+0x10 (/tmp/a.out)`,
      ),
    ),
    'a service table': text(SERVICES.concat(repeat(80, (i) => `service${String(i)}\t\t${String(1000 + i)}/tcp`))),
    'a table of file systems': text(repeat(20, (i) => `/dev/sda${String(i)} /mnt/${String(i)} ext4 defaults 0 2`)),
    'a table of users': text(
      repeat(40, (i) => `user${String(i)}:x:${String(1000 + i)}:1000::/home/user${String(i)}:/bin/sh`),
    ),
    'an INI file': text(repeat(30, (i) => `[section ${String(i)}]\nvalue=${String(i)}\naddress=0x${hex(i, 4)}`)),
    'a page of Markdown': text(`# A title\n\nSome words.\n\n${repeat(40, (i) => `- item ${String(i)} with \`code\``)}`),
    'prose of one line': text('It was the best of times, it was the worst of times. '.repeat(100)),
    'an e-mail': text(
      `From: a@example.org\nTo: b@example.org\nSubject: trace\n\nHello,\n${'here are the words of a letter.\n'.repeat(40)}`,
    ),
    'UTF-16 text, little end first': new Uint8Array(Buffer.from(`\ufeff${C_SOURCE}`, 'utf16le')),
    'UTF-16 text, big end first': new Uint8Array(Buffer.from(`\ufeff${C_SOURCE}`, 'utf16le').swap16()),
    'UTF-8 text that is not English': text('Das Gerät läuft. Ελληνικά. 日本語のテキスト。\n'.repeat(60)),
    'a PNG picture': png(),
    'a grey BMP picture': bmp(),
    'an ELF file of 32 bits': elf(1),
    'an ELF file of 64 bits': elf(2),
    'a Windows program': Uint8Array.from([
      0x4d,
      0x5a,
      0x90,
      0,
      3,
      0,
      0,
      0,
      4,
      0,
      0,
      0,
      0xff,
      0xff,
      ...createRandom(5).bytes(6000),
    ]),
    'a sound of samples of 16 bits': wave(),
    'numbers of 32 bits that count': words(3000, (i) => i),
    'addresses of 32 bits': words(3000, (i) => 0x0804_8000 + 4 * i),
    'floating-point numbers': new Uint8Array(Float64Array.from({ length: 1000 }, (_, i) => Math.sin(i / 10)).buffer),
    zeros: new Uint8Array(12_000),
    'an SQLite database': new Uint8Array(
      Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(4080), Buffer.from(createRandom(6).bytes(4096))]),
    ),
    'random bytes': createRandom(8).bytes(60_000),
  };
}

const SERVICES = `# Network services, Internet style\ntcpmux\t\t1/tcp\t\t\t\t# TCP port service multiplexer\necho\t\t7/tcp\necho\t\t7/udp\ndiscard\t\t9/tcp\t\tsink null\n`;

const C_SOURCE = `#include <stdint.h>
#define BASE 0x40001000u
/* Reads a word and writes it back. */
static uint32_t swap(volatile uint32_t *p, uint32_t value) {
  uint32_t old = *p;
  *p = value;
  return old;
}
int main(void) {
  for (int i = 0; i < 100; i++) {
    uint32_t r = swap((uint32_t *)(BASE + 4 * i), i);
    if (r == 0xdeadbeef) return 1;
  }
  return 0;
}
`.repeat(12);

function text(content: string): Uint8Array {
  return new TextEncoder().encode(content);
}

/** Lines with their ends. */
function repeat(count: number, line: (i: number) => string): string {
  return Array.from({ length: count }, (_, i) => `${line(i)}\n`).join('');
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0').slice(-digits);
}

function words(count: number, value: (i: number) => number): Uint8Array {
  return new Uint8Array(Uint32Array.from({ length: count }, (_, i) => value(i)).buffer);
}

function png(): Uint8Array {
  const pixels = Buffer.from(createRandom(9).bytes(9000));
  const chunk = (name: string, data: Buffer): Buffer => {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(data.length);
    head.write(name, 4, 'latin1');
    return Buffer.concat([head, data, Buffer.alloc(4, 0x5a)]);
  };
  const size = Buffer.from([0, 0, 0, 100, 0, 0, 0, 90, 8, 0, 0, 0, 0]);
  const mark = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return new Uint8Array(
    Buffer.concat([mark, chunk('IHDR', size), chunk('IDAT', deflateSync(pixels)), chunk('IEND', Buffer.alloc(0))]),
  );
}

function bmp(): Uint8Array {
  const head = Buffer.alloc(54);
  head.write('BM');
  head.writeUInt32LE(54 + 30_000, 2);
  const pixels = Buffer.from(Uint8Array.from({ length: 30_000 }, (_, i) => 120 + 30 * Math.sin(i / 90)));
  return new Uint8Array(Buffer.concat([head, pixels]));
}

/** A header, zeros, code that resembles ARM's, and a table of strings. */
function elf(bits: 1 | 2): Uint8Array {
  const head = Buffer.alloc(256);
  head.set([0x7f, 0x45, 0x4c, 0x46, bits, 1, 1]);
  const code = Buffer.from(words(1500, (i) => (0xe59f_0000 + ((i * 97) & 0xfff)) >>> 0));
  return new Uint8Array(Buffer.concat([head, code, Buffer.from('\0main\0printf\0_start\0'.repeat(40))]));
}

function wave(): Uint8Array {
  const head = Buffer.from('RIFF....WAVEfmt ', 'latin1');
  const samples = Int16Array.from({ length: 10_000 }, (_, i) => Math.round(12_000 * Math.sin(i / 20)));
  return new Uint8Array(Buffer.concat([head, Buffer.alloc(28), Buffer.from(samples.buffer)]));
}
