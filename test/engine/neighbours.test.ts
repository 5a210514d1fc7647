/** Refusals of files of other kinds: each is named by its content, and the refusal says what to do. */
import { expect, test } from 'vitest';
import { judge, problemWith } from '../../electron/engine/open/detect.ts';
import { headOf } from '../laws/samples.ts';

const BRANCHLESS = /^x: this is perf script output without branch addresses.*, at byte 0; print it with -F ip,brstack/;
const ADDRESSES = /^x: this is perf script output of addresses alone \(-F ip\), .*; print it with -F ip,brstack/;
const SUMMARY =
  /^x: this is a summary of perf .*; record the run with perf record -b, and open the output of perf script -F .*,brstack$/;

const ELF = '\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0';

test.each<[string, string, RegExp]>([
  ['perf.data', 'PERFILE2h\0\0\0\0\0\0\0', /^x: this is perf\.data, .*; run perf script first/],
  [
    'perf.data that perf wrote to a pipe',
    'PERFILE2\x10\0\0\0\0\0\0\0',
    /^x: this is perf\.data, .*; run perf script first/,
  ],
  ['perf.data of the other byte order', '2ELIFREP\0\0\0\0\0\0\0h', /^x: this is perf\.data, .*; run perf script first/],
  [
    'brstackinsn',
    '            demo  4711 1234.500001:        100 cycles:u: \n\tmain+0:\n\t0000000000401136\tinsn: 55                    \n\t000000000040113a\tinsn: eb 04                     \t# PRED 1 cycles [1]\n',
    BRANCHLESS,
  ],
  [
    'brstackinsn with a disassembly',
    '\t0000000000401136\tpushq  %rbp\n\t000000000040113a\tjmp 0x401140\t# MISPRED 1 cycles [1]\n',
    BRANCHLESS,
  ],
  [
    'brstacksym',
    ' demo  4711 1234.500001:  main+0x12/f+0x0/P/-/-/3/CALL/-  f+0x22/main+0x17/P/-/-/1/RET/- \n',
    BRANCHLESS,
  ],
  ['brstacksym without a time', ' main+0x12/f+0x0/PN/X/-/3  f+0x22/[unknown]/M/-/A/1 \n', BRANCHLESS],
  [
    'perf samples with call chains',
    '            demo  4711 [002] 1234.500001:     250000 cycles:u: \n\t          401136 main+0x6 (/home/u/demo)\n',
    BRANCHLESS,
  ],
  ['perf samples of instructions', 'Web Content  4711/4712 1234.500001234:  cycles:u:  401136 main+0x6\n', BRANCHLESS],
  [
    'call chains without files',
    '          401136 main\n          401140 f+0x4\n          401150 [unknown]\n\n',
    BRANCHLESS,
  ],
  ['call chains alone', '\t          401136 main+0x6 (/home/u/demo)\n\n', BRANCHLESS],
  [
    'mappings, then samples without branches',
    ' demo 1 2.000001: PERF_RECORD_COMM exec: demo:1/1\n demo 1 2.000002: cycles:u:  401136\n',
    BRANCHLESS,
  ],
  ['perf script -F ip', '          401136\n    7f12a3b4c5d6\nffffffff81a00123\n          401140\n', ADDRESSES],
  ['perf script -F ip of call chains', '\t          401136\n\t    7f12a3b4c5d6\n\n\tffffffff81a00123\n\n', ADDRESSES],
  ['perf script -F ip of a kernel', 'ffffffff81a00123 \nffffffff81a00127 \n'.repeat(20), ADDRESSES],
  [
    'perf report',
    "# To display the perf.data header info, please use --header/--header-only options.\n#\n#\n# Total Lost Samples: 0\n#\n# Samples: 3K of event 'cycles:u'\n# Event count (approx.): 2467\n#\n# Overhead  Command  Shared Object  Symbol\n# ........  .......  .............  ......\n#\n    61.20%  demo     demo           [.] main\n",
    SUMMARY,
  ],
  [
    'perf report --header',
    "# ========\n# captured on    : Tue Jan  2 10:00:00 2024\n# cmdline : /usr/bin/perf record -b ./demo\n# ========\n#\n# Samples: 12  of event 'cycles:u'\n",
    SUMMARY,
  ],
  ['perf report without comments', '    61.20%  demo  demo  [.] main\n    38.80%  demo  demo  [.] f\n', SUMMARY],
  ['perf annotate', ' Percent |\tSource code & Disassembly of demo for cycles:u (12 samples)\n', SUMMARY],
  ['perf stat', " Performance counter stats for './demo':\n\n      1,234      cycles:u\n", SUMMARY],
  [
    'drmemtrace view',
    'Output format:\n<--record#-> <--instr#->: <---tid---> <record details>\n',
    /DynamoRIO memory trace .*; convert its accesses to din/,
  ],
  [
    'drmemtrace view without its head',
    '           5           2:     3256418 write        8 byte(s) @ 0x00007ffeb9c0a8b8 by PC 0x00007f6fdd3ec363\n',
    /DynamoRIO memory trace/,
  ],
  [
    'execlog',
    '0, 0xa12, 0xf8012400, "movs r4, #0"\n0, 0xa18, 0xfff94803, "ldr r0, [pc, #0xc]", load, 0x00010010, RAM\n',
    /QEMU plugin execlog/,
  ],
  [
    'execlog of a second processor, without accesses',
    '1, 0x80001000, 0x1141, "c.addi sp, -16"\n1, 0x80001002, 0xe406, "c.sdsp ra, 8(sp)"\n',
    /QEMU plugin execlog/,
  ],
  [
    'gem5 Exec',
    '  77000: system.cpu: T0 : 0x400120 @main    : stp x29, x30, [sp, #-16]! : IntAlu : D=0x00007fffffffff10\n',
    /gem5 Exec trace.*; run gem5 with its Tarmac tracer/,
  ],
  [
    'gem5 Exec of older versions',
    '2000: system.cpu T0 : @_start+36    : ldr r0, [r1] : MemRead :  D=0x0000000000000001 A=0x8000\n',
    /gem5 Exec trace/,
  ],
  [
    'gem5 Exec without threads',
    '   1000: board.processor.cores.core: 0x8000 @_start    : mov x0, #1\n',
    /gem5 Exec trace/,
  ],
  [
    'gem5 Exec of micro-operations',
    '  500: system.cpu0: A0 T0 : 0x8000.0 @_start :   movi : IntAlu :\n',
    /gem5 Exec trace/,
  ],
  [
    'OpenCSD',
    'Trace Packet Lister: CS Decode library testing\n-----\n\nTrace Packet Lister : reading snapshot\n',
    /OpenCSD/,
  ],
  ['OpenCSD packets', 'Idx:17980; ID:10; [0x00 0x80 ];\tI_ASYNC : Alignment Synchronisation.\n', /OpenCSD/],
  [
    'pinatrace',
    '0x7f3c2b4f1103: W 0x7ffd1c2b3e98\n0x7f3c2b4f1dd4: R 0x7f3c2b718e68\n#eof\n',
    /Pin memory trace.*; convert it to din/,
  ],
  ['pinatrace of 32 bits', '0x8048a10: R 0xbffff6a0\n0x8048a13: W 0xbffff6a4\n', /Pin memory trace/],
  [
    'QEMU -d exec',
    'Trace 1: 0x7f66d8000180 [0000000000000000/ffffffff81000000/0040c0b0/ff000201] startup_64\n',
    /log of QEMU \(-d exec\)/,
  ],
  [
    'QEMU -d in_asm,exec',
    'IN: main\n0x00401136:  55                       pushq    %rbp\n\nTrace 0: 0x7f1f48000100 [0000000000000000/0000000000401136/00000033/ff000000] main\n',
    /log of QEMU \(-d exec\)/,
  ],
  ['Spike --log', 'core   0: 0x0000000000001000 (0x00000297) auipc   t0, 0x0\n', /Spike commit log/],
  ['Spike --log-commits', 'core   0: 3 0x80000000 (0x00000297) x5  0x80000000\n', /Spike commit log/],
  ['ftrace', '# tracer: function\n#\n', /ftrace log/],
  ['strace', 'execve("/bin/ls", ["ls"], 0x7ffd /* 20 vars */) = 0\nbrk(NULL) = 0x5581\n', /strace log/],
  ['VCD', '$date\n  today\n$end\n$timescale 1ns $end\n', /waveform \(VCD\)/],
  ['FST', '\0\0\0\0\0\0\0\x01\x49\0\0\0\0', /waveform \(FST\)/],
  ['a core dump', `${ELF}\x04\0`, /^x: this is a core dump, at byte 0; /],
  ['a big-endian core dump', `${ELF.replace('\x02\x01', '\x02\x02')}\0\x04`, /^x: this is a core dump/],
  ['an object file', `${ELF}\x01\0`, /^x: this is an ELF object file/],
  ['a position-independent program', `${ELF}\x03\0`, /^x: this is an ELF program/],
  ['a static library', '!<arch>\n/               0           0     0', /ar archive/],
  [
    'Intel HEX',
    ':10010000214601360121470136007EFE09D2190140\n:00000001FF\n',
    /program image in Intel HEX.*give it as the image/,
  ],
  ['S-records', 'S00600004844521B\nS1130000285F245F2212226A000424290008237C2A\n', /program image in S-records/],
  ['UF2', 'UF2\nWQ]\x9e\0\0\0\0\0\0\0\x10\0\x01\0\0', /program image in UF2, .*; open the trace of its run/],
  ['TI-TXT', '@8000\n01 00 A0 E3 00 00 00 EB FE FF FF EA 04 10 9F E5\n00 10 80 E5\nq\n', /image as text \(TI-TXT/],
  [
    '$readmemh text',
    '// rom\n@00002000 0100A0E3 000000EB FEFFFFEA 04109FE5 \n001080E5\n',
    /image as text .*\$readmemh/,
  ],
  ['a PNG picture', '\x89PNG\r\n\x1a\n', /^x: this is a PNG picture, at byte 0; /],
  ['a JPEG picture', '\xff\xd8\xff\xe0\0\x10JFIF', /JPEG/],
  ['a PDF document', '%PDF-1.7\n%\xe2\xe3', /PDF/],
  ['a web page', '<!DOCTYPE html>\n<html><head>', /web page/],
  ['a zip archive', 'PK\x03\x04\x14\0', /zip archive.*; unpack it/],
  [
    'a text log',
    '2024-01-01 12:00:01 INFO started\n2024-01-01 12:00:02 INFO done\n',
    /this is text, but not a trace that Tracebench reads/,
  ],
])('%s: names the file and says what to do', (_, text, sentence) => {
  const head = headOf(Uint8Array.from(text, (letter) => letter.charCodeAt(0)));
  const message = problemWith('x', head, judge(head))?.message;
  expect(message).toMatch(sentence);
  expect(message).not.toContain('--format');
});

test('has no name of perf for words of memory', () => {
  for (const text of ['00000013\n00000093\n', '0000000000401136\n00000000deadbeef\n', ' 13\n 93\n']) {
    const head = headOf(new TextEncoder().encode(text));
    expect(problemWith('x', head, judge(head))?.message).not.toContain('perf');
  }
});

test('names a format only if the content suggests it', () => {
  const log = ['----------------', 'IN: main', '0x00008000:  e59f0060  ldr      r0, [pc, #96]', ''];
  const head = headOf(
    new TextEncoder().encode(
      Array.from({ length: 100 }, () => log)
        .flat()
        .join('\n'),
    ),
  );
  expect(problemWith('x', head, judge(head))?.message).toMatch(/trace lines may follow it\); if .*--format tarmac$/);
});
