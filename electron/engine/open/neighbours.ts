/**
 * THE LIST of files that users open although no format reads them: traces of other tools, output of perf without branches, recordings,
 * programs, waveforms, pictures, documents, archives. Each is recognised by its content and named in a refusal that says what to do.
 *
 * A new neighbour is one entry. The first entry that fits wins. Entries see at most HEAD_TEXT bytes as short lines, so a test costs
 * microseconds on any input.
 */
import { latin1 } from '../../../shared/base/bytes.ts';
import { isText } from '../../../shared/format/heads.ts';

export interface Neighbour {
  /** Name in a sentence: `this is a PNG picture`. */
  readonly name: string;
  /** The way on, as an imperative phrase. */
  readonly advice: string;
  readonly fits: (look: Look) => boolean;
}

/** The start of a file as the tests see it. */
export interface Look {
  readonly bytes: Uint8Array;
  /** The first bytes, a character per byte. */
  readonly start: string;
  /** The first lines that are not blank, cut to LINE_TEXT characters; none if the file is binary. */
  readonly lines: readonly string[];
}

const HEAD_TEXT = 8192;
const LINE_TEXT = 240;
const MOST_LINES = 60;

/** Returns the first neighbour whose content the head has; undefined if there is none. */
export function neighbourOf(head: Uint8Array): Neighbour | undefined {
  const bytes = head.subarray(0, HEAD_TEXT);
  const start = latin1(bytes);
  const lines = isText(bytes)
    ? start
        .split(/[\r\n]+/, 4 * MOST_LINES)
        .filter((line) => line.trim() !== '')
        .slice(0, MOST_LINES)
        .map((line) => line.slice(0, LINE_TEXT))
    : [];
  return NEIGHBOURS.find(({ fits }) => fits({ bytes, start, lines }));
}

function begins(...magics: readonly string[]): Neighbour['fits'] {
  return ({ start }) => magics.some((magic) => start.startsWith(magic));
}

/** True if a line matches. For lines that no other program prints. */
function has(pattern: RegExp): Neighbour['fits'] {
  return ({ lines }) => lines.some((line) => pattern.test(line));
}

/** True if at least half of the lines match. */
function mostly(pattern: RegExp): Neighbour['fits'] {
  return ({ lines }) => lines.length > 0 && 2 * lines.filter((line) => pattern.test(line)).length >= lines.length;
}

function isElf(type: number): Neighbour['fits'] {
  // e_type, in the byte order that EI_DATA names (System V ABI, chapter 4).
  return ({ start, bytes }) => start.startsWith('\x7fELF') && bytes[bytes[5] === 2 ? 17 : 16] === type;
}

const BRANCH_FIELDS = 'perf script -F comm,pid,tid,cpu,time,event,ip,brstack';
const PRINT_BRANCHES = `print it with -F ip,brstack (${BRANCH_FIELDS}, of a recording made with perf record -b)`;
const TO_DIN = 'convert its accesses to din, a line each: 0 (read), 1 (write) or 2 (fetch) and the address';
const NO_WAVEFORM =
  'open a trace instead, such as a table of bus cycles that the simulator or logic analyser exports as CSV';
const GIVE_ELF = 'open the trace of its run, and give the ELF file that it was made from as the image';
const OPEN_TRACE = 'open the trace itself';

const NEIGHBOURS: readonly Neighbour[] = [
  // Output of perf.
  {
    name: 'perf.data, a recording of perf that is not printed yet',
    advice: `run perf script first, as in ${BRANCH_FIELDS}, and open its output`,
    fits: begins('PERFILE2', '2ELIFREP', 'PERFFILE'),
  },
  {
    name: 'perf script output without branch addresses (brstackinsn prints instructions in their place)',
    advice: PRINT_BRANCHES,
    fits: has(/^\s+[0-9a-f]{8,16}\s.*\binsn: [0-9a-f]{2}|^\s+[0-9a-f]{8,16}\s.*# (?:PRED|MISPRED)\b/),
  },
  {
    name: 'perf script output without branch addresses (brstacksym prints symbols in their place)',
    advice: PRINT_BRANCHES,
    fits: has(/[^\s/]\/[^\s/]+\/[PM-]N?\/[X-]\/[A-](?:\/|\s|$)/),
  },
  {
    name: 'perf script output without branch addresses',
    advice: PRINT_BRANCHES,
    fits: (look) =>
      has(/^\s*\S.*\s\d+(?:\/\d+)?\s+(?:\[\d+\]\s+)?\d+\.(?:\d{6}|\d{9}):\s/)(look) ||
      has(/^\t? {0,15}[0-9a-f]{4,16} \S.* \(\S+\)$/)(look) ||
      mostly(/^\s+[0-9a-f]{4,16} (?:\[unknown\]|[A-Za-z_]\S*)$/)(look) ||
      has(/(?:^|\s)PERF_RECORD_[A-Z]/)(look),
  },
  {
    name: 'perf script output of addresses alone (-F ip)',
    advice: PRINT_BRANCHES,
    // perf aligns addresses to 16 characters, in call chains after a tab. Only those of a kernel fill them.
    fits: mostly(/^(?:(?=.{16,18}$)\s+[0-9a-f]{4,16}\s?|ffff[0-9a-f]{12}\s?)$/),
  },
  {
    name: 'a summary of perf (perf report, perf annotate or perf stat), which has sums and no order of events',
    advice: `record the run with perf record -b, and open the output of ${BRANCH_FIELDS}`,
    fits: (look) =>
      has(
        /^# (?:Samples: \S+ +of events? '|Event count \(approx\.\): |Overhead\b)|^ *Percent *\|\s+Source code & Disassembly|^ Performance counter stats for /,
      )(look) || mostly(/^ *\d{1,3}\.\d\d% +\S/)(look),
  },
  // Traces of other tools.
  {
    name: 'the listing of a DynamoRIO memory trace (drmemtrace view), which Tracebench does not read',
    advice: TO_DIN,
    fits: has(
      /^\s*\d+\s+\d+:\s+\d+ (?:<marker: |(?:ifetch|non-fetched|read|write)\s+\d+ byte\(s\) @ 0x)|^<--record#->/,
    ),
  },
  {
    name: 'a log of the QEMU plugin execlog, which Tracebench does not read',
    advice:
      'trace with QEMU4V, or convert it to din, a line each: 2 and the address of an instruction, 0 or 1 and that of a load or store',
    fits: mostly(/^\d+, 0x[0-9a-f]+, (?:0x)?[0-9a-f]+, "/i),
  },
  {
    name: 'a gem5 Exec trace, which Tracebench does not read',
    advice: 'run gem5 with its Tarmac tracer (tracer = TarmacTracer() of the processor) and open its output',
    // Older versions print no colon after the processor, and a symbol in place of its address; the thread is optional.
    fits: has(/^\s*\d+: \w+\.[\w.[\]-]+:? (?:[AT]\d+ )*(?:: )?(?:0x[0-9a-f]|@\w)/),
  },
  {
    name: 'output of the OpenCSD Trace Packet Lister, a decoded CoreSight trace, which Tracebench does not read',
    advice: 'convert its instruction ranges (OCSD_GEN_TRC_ELEM_INSTR_RANGE) to din, a line each: 2 and the address',
    fits: has(/^Trace Packet Lister\b|^Idx:\d+; ID:|OCSD_GEN_TRC_ELEM_/),
  },
  {
    name: 'a Pin memory trace (pinatrace), which Tracebench does not read',
    advice: 'convert it to din, a line each: 0 for R or 1 for W, and the second address',
    fits: mostly(/^(?:0x[0-9a-f]+|\(nil\)): [RW] +(?:0x[0-9a-f]+|\(nil\))/),
  },
  {
    name: 'a log of QEMU (-d exec), which does not list every executed instruction',
    advice: 'trace with QEMU4V, which writes Tarmac text, and open that',
    fits: has(/^Trace \d+: 0x[0-9a-f]+ \[|^Linking TBs 0x/),
  },
  {
    name: 'a Spike commit log, which Tracebench does not read',
    advice: TO_DIN,
    fits: has(/^core\s+\d+: (?:\d )?0x[0-9a-f]{8,16} \(0x[0-9a-f]+\)/),
  },
  {
    name: 'an ftrace log of the Linux kernel, which Tracebench does not read',
    advice: 'record branches with perf record -b and open the output of perf script -F ip,brstack',
    fits: has(/^# tracer: |^\s*\S.*-\d+\s+(?:\(.{1,8}\)\s+)?\[\d+\]\s+\S{4,6}\s+\d+\.\d{6}: /),
  },
  {
    name: 'a trace.dat of trace-cmd',
    advice: 'record branches with perf record -b and open the output of perf script -F ip,brstack',
    fits: begins('\x17\x08Dtracing'),
  },
  {
    name: 'an strace log, which lists system calls',
    advice: 'trace instructions or memory accesses, for example with valgrind --tool=lackey --trace-mem=yes',
    fits: mostly(/^(?:\[pid +\d+\] |\d+ +)?(?:\d[\d:.]* )?[a-z]\w+\(.*\) += (?:-?\d|0x|\?)/),
  },
  {
    name: 'a profile of callgrind or cachegrind, which has sums and no order of events',
    advice: 'trace with valgrind --tool=lackey --trace-mem=yes',
    fits: (look) => begins('# callgrind format', 'desc: ')(look) || has(/^(?:creator: callgrind|events: Ir\b)/)(look),
  },
  // Waveforms.
  {
    name: 'a waveform (VCD)',
    advice: NO_WAVEFORM,
    fits: has(/^\s*\$(?:date|version|timescale|scope|var|enddefinitions)\b/),
  },
  {
    name: 'a waveform (FST)',
    advice: NO_WAVEFORM,
    // The header block has type 0 and a length of 329 bytes.
    fits: begins('\0\0\0\0\0\0\0\x01\x49'),
  },
  // Programs and what they leave.
  {
    name: 'a core dump',
    advice: 'open a trace of the run, and give the program that ran as the image',
    fits: isElf(4),
  },
  {
    name: 'an ELF object file',
    advice: 'open the trace of a run, and give the linked program as the image',
    fits: isElf(1),
  },
  {
    name: 'an ELF program',
    advice: 'open the trace of its run, and give it as the image',
    fits: begins('\x7fELF'),
  },
  {
    name: 'an ar archive, such as a static library',
    advice: 'open the trace of a run, and give the linked program as the image',
    fits: begins('!<arch>\n', '!<thin>\n'),
  },
  {
    name: 'a Windows program',
    advice: OPEN_TRACE,
    fits: ({ start }) => start.startsWith('MZ') && start.includes('PE\0\0'),
  },
  {
    name: 'a program of macOS',
    advice: OPEN_TRACE,
    fits: begins('\xcf\xfa\xed\xfe', '\xce\xfa\xed\xfe', '\xfe\xed\xfa\xcf', '\xfe\xed\xfa\xce'),
  },
  { name: 'a WebAssembly module', advice: OPEN_TRACE, fits: begins('\0asm') },
  { name: 'a Java class or a universal program of macOS', advice: OPEN_TRACE, fits: begins('\xca\xfe\xba\xbe') },
  {
    name: 'a program image in Intel HEX',
    advice: 'open the trace of its run, and give it as the image',
    fits: mostly(/^:(?:[0-9A-F]{2}){5,}$/i),
  },
  {
    name: 'a program image in S-records',
    advice: 'open the trace of its run, and give it as the image',
    fits: mostly(/^S[0-9](?:[0-9A-F]{2}){4,}$/i),
  },
  { name: 'a program image in UF2', advice: GIVE_ELF, fits: begins('UF2\nWQ]\x9e') },
  {
    name: 'a program image as text (TI-TXT, or for $readmemh of Verilog)',
    advice: GIVE_ELF,
    fits: has(/^@[0-9a-f]{1,16}(?:\s[\s0-9a-fxz_]*)?$/i),
  },
  // Files of this program and of others.
  {
    name: 'an SQLite database, as indexes and notebooks are',
    advice: 'open the trace that it belongs to',
    fits: begins('SQLite format 3\0'),
  },
  {
    name: 'a report of Tracebench or another web page',
    advice: 'open the trace itself; a page in place of a download means that the download failed',
    fits: ({ lines }) => lines.some((line) => /^\s*(?:<!doctype html|<html\b)/i.test(line)),
  },
  { name: 'a PNG picture', advice: OPEN_TRACE, fits: begins('\x89PNG') },
  { name: 'a JPEG picture', advice: OPEN_TRACE, fits: begins('\xff\xd8\xff') },
  { name: 'a GIF picture', advice: OPEN_TRACE, fits: begins('GIF87a', 'GIF89a') },
  { name: 'a TIFF picture', advice: OPEN_TRACE, fits: begins('II*\0', 'MM\0*') },
  {
    name: 'a WebP picture',
    advice: OPEN_TRACE,
    fits: ({ start }) => start.startsWith('RIFF') && start.startsWith('WEBP', 8),
  },
  {
    name: 'an SVG picture',
    advice: OPEN_TRACE,
    fits: ({ lines }) => lines.slice(0, 3).some((line) => line.includes('<svg')),
  },
  { name: 'a PDF document', advice: OPEN_TRACE, fits: begins('%PDF-') },
  { name: 'a PostScript document', advice: OPEN_TRACE, fits: begins('%!PS') },
  { name: 'an XML document', advice: OPEN_TRACE, fits: begins('<?xml') },
  {
    name: 'a capture of network packets',
    advice: OPEN_TRACE,
    fits: begins('\xd4\xc3\xb2\xa1', '\xa1\xb2\xc3\xd4', '\x0a\x0d\x0d\x0a'),
  },
  { name: 'a RAR archive', advice: 'unpack it and open the trace in it', fits: begins('Rar!\x1a\x07') },
  {
    name: 'a cpio archive',
    advice: 'unpack it with cpio -i and open the trace in it',
    fits: begins('070701', '070707'),
  },
  { name: 'an empty zip archive', advice: OPEN_TRACE, fits: begins('PK\x05\x06') },
];
