/**
 * Is this head Tarmac text, of which dialect, and why? Judged by the lines that can be read, above all by instruction lines:
 * a bare cpu number after the unit is QEMU4V, `ES (` a cycle model. Text of an emulator's log in between is normal and may
 * fill most of the head.
 */
import type { Claim, Head } from '../../format/format.ts';
import { LF, TAB } from '../../base/characters.ts';
import { trimLineEnd } from '../../format/lines.ts';
import type { Dialect } from './line/dialect.ts';
import { chooseDialect } from './choose.ts';
import { createEvidence, type Evidence, weigh } from './evidence.ts';

export function sniffTarmac(head: Head): Claim | undefined {
  const { bytes } = head;
  if (bytes.length === 0) return undefined;
  const seen = look(head);
  // A hole of NULs in a log that was not closed properly does not make text of many records binary.
  if (seen.instructions <= MANY_RECORDS && isBinary(bytes)) return undefined;
  if (seen.timed === 0 && seen.headers === 0) return seen.logMarks >= MANY_LOG_MARKS ? logClaim(seen) : undefined;
  const { dialect, reason } = chooseDialect(seen);
  return {
    confidence: confidence(seen),
    dialect,
    options: {
      ...(seen.unit !== '' && seen.unit !== 'clk' && { unit: seen.unit }),
      ...(!areCounts(seen, dialect) && { numbers: 'any' }),
    },
    reasons: reasons(seen, reason),
  };
}

/** Share of control bytes from which a file is taken for binary: text may hold a few NULs in its disassembly. */
const BINARY_SHARE = 0.02;
const MANY_LOG_MARKS = 4;
/** More recognised lines than this prove the format whatever else is in the head. */
const MANY_RECORDS = 4;

function look({ bytes, size }: Head): Evidence {
  const seen = createEvidence();
  let at = 0;
  while (at < bytes.length) {
    const found = bytes.indexOf(LF, at);
    // A last line that the head cuts off says nothing, unless it is all there is.
    if (found < 0 && bytes.length < size && seen.lines > 0) break;
    const end = found < 0 ? bytes.length : found + 1;
    weigh(bytes, at, trimLineEnd(bytes, at, end), end, seen);
    at = end;
  }
  return seen;
}

/**
 * Whether numbers count instructions. QEMU4V says that they do, unless they go down or stand still: what they leave out is missing.
 * Of other writers they must be seen to.
 */
function areCounts({ steps, singles, rises }: Evidence, dialect: Dialect): boolean {
  return dialect === 'qemu4v' ? rises * 2 >= steps : singles * 10 >= steps * 9;
}

function confidence(seen: Evidence): number {
  // Share of the records among the lines that are no emulator log.
  const share = seen.records / Math.max(1, seen.lines - seen.logMarks);
  if (seen.headers > 0 && seen.timed === 0) return 0.6;
  if (seen.instructions > 0) {
    if (share >= 0.9) return seen.records > MANY_RECORDS ? 0.98 : 0.9;
    return seen.records > MANY_RECORDS || share >= 0.5 ? 0.85 : 0.45;
  }
  return share >= 0.5 ? 0.7 : 0.4;
}

function reasons(seen: Evidence, reason: string): readonly string[] {
  const found = [
    `${seen.records} of the first ${seen.lines} lines are instruction, memory or register records`,
    reason,
  ];
  if (seen.logMarks > 0) found.push('emulator log text lies in between');
  return found;
}

function logClaim(seen: Evidence): Claim {
  return {
    confidence: 0.2,
    dialect: 'qemu4v',
    options: {},
    reasons: [`the head is emulator log text (${seen.logMarks} such lines), in which trace lines may follow`],
  };
}

/** Many control bytes other than tab, line end, form feed and escape. */
function isBinary(bytes: Uint8Array): boolean {
  let control = 0;
  for (const byte of bytes) if (byte < 32 && (byte < TAB || byte > 13) && byte !== 27) control++;
  return control > Math.max(1, bytes.length * BINARY_SHARE);
}
