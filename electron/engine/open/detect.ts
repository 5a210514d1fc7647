/**
 * Detection of a file's format: every format rates the head of the file. A file that no format recognizes is named in one sentence, if it
 * is of a common type.
 */
import type { Candidate, Detection } from '../../../shared/requests/requests.ts';
import { BUNDLE } from '../../../shared/requests/failures.ts';
import { MANIFEST } from '../../../shared/requests/bundle/manifest.ts';
import { latin1 } from '../../../shared/base/bytes.ts';
import { CR, LF } from '../../../shared/base/characters.ts';
import type { Claim, Format, Head, Settings } from '../../../shared/format/format.ts';
import { isText } from '../../../shared/format/heads.ts';
import { FORMATS } from '../../../shared/formats/index.ts';
import type { RecordView } from '../../../shared/records/record.ts';
import { fail, ok, type Failure, type Result } from '../../../shared/base/result.ts';
import { packingOf } from './expand/packing.ts';
import { firstRecords } from './first-records.ts';
import { look } from './file-head.ts';
import { neighbourOf } from './neighbours.ts';
import type { Source } from '../platform/source.ts';

/** Confidence from which a claim is accepted without asking the user. */
export const CONFIDENT = 0.5;

/** Fails only if the file cannot be read. For a file of no known format the answer has a `problem`. */
export async function detect(path: string): Promise<Result<Detection>> {
  const looked = await look(path);
  if (!looked.ok) return looked;
  const { fileBytes, content } = looked.value;
  const file = { path, bytes: fileBytes };
  if (!content.ok) return ok({ file, candidates: [], problem: content.error });
  const { where, head, source } = content.value;
  try {
    return ok({ file, ...candidates(where, head, source) });
  } finally {
    source.close();
  }
}

function candidates(path: string, head: Head, source: Source): Omit<Detection, 'file'> {
  const claims = judge(head);
  const problem = problemWith(path, head, claims);
  return {
    candidates: claims.map(({ format, claim }) => candidate(source, format, claim)),
    ...(problem === undefined ? {} : { problem }),
  };
}

export interface Judged {
  readonly format: Format;
  readonly claim: Claim;
}

/**
 * Returns the formats that claim the head, best first. Of equal claims the format that is earlier in the list comes first. If the user named
 * a format, only that one is asked.
 */
export function judge(head: Head, named?: Format): Judged[] {
  return (named === undefined ? FORMATS : [named])
    .flatMap((format) => {
      const claim = format.sniff(head, named !== undefined);
      return claim === undefined ? [] : [{ format, claim }];
    })
    .sort((a, b) => b.claim.confidence - a.claim.confidence);
}

/** Returns the reason why the file should not be opened as it is; undefined if its best claim is good. */
export function problemWith(path: string, head: Head, claims: readonly Judged[]): Failure | undefined {
  if (head.size === 0)
    return failure(
      'empty',
      `${path}: the file is empty, so there is nothing to show; check what should have written it`,
    );
  if (isBundle(head.bytes))
    return failure(
      BUNDLE,
      `${path}: this is an evidence bundle, not a trace; \`tracebench serve\` opens it, and \`tracebench info\` lists what it holds`,
    );
  const packed = packingOf(head.bytes);
  if (packed !== undefined) {
    return failure(
      'compressed',
      `${path}: this is ${packed.name}, at byte ${String(packed.at)}; unpack it with ${packed.tool} and open the result`,
    );
  }
  if (isPartedByReturns(head, claims)) {
    return failure(
      'returns',
      `${path}: its lines end in CR alone, starting at byte ${String(head.bytes.indexOf(CR))}; convert them to LF (tr '\\r' '\\n') and open the result`,
    );
  }
  const best = claims[0]?.claim;
  if (best !== undefined && best.confidence >= CONFIDENT) return undefined;
  if (isUtf16(head.bytes)) {
    return failure(
      'utf-16',
      `${path}: this is UTF-16 text, at byte 0; convert it to UTF-8 (iconv, or an editor that saves as UTF-8) and open the result`,
    );
  }
  const other = neighbourOf(head.bytes);
  if (other !== undefined) return failure('no-trace', `${path}: this is ${other.name}, at byte 0; ${other.advice}`);
  return failure('unknown-format', `${path}: ${noFormat(head, claims[0])}`);
}

/** The first member of a bundle has its name 30 bytes after the start of the archive (APPNOTE.TXT of PKWARE, section 4.3.7). */
function isBundle(head: Uint8Array): boolean {
  return (
    latin1(head.subarray(0, 30 + MANIFEST.length)).startsWith('PK\x03\x04') &&
    latin1(head.subarray(30, 30 + MANIFEST.length)) === MANIFEST
  );
}

/** Claims below this rest on coincidence. */
const LEAST_GUESS = 0.1;

/** Says why no format reads the file. Only a guess with reasons of its own is worth naming its format. */
function noFormat({ bytes }: Head, best: Judged | undefined): string {
  if (best !== undefined && best.claim.confidence >= LEAST_GUESS) {
    const { format, claim } = best;
    return `no known trace format fits, at byte 0 (${claim.reasons.join(', ')}); if this is ${nameInSentence(format)}, open it with --format ${format.id}`;
  }
  const kind = isText(bytes)
    ? 'this is text, but not a trace that Tracebench reads'
    : 'this is no file that Tracebench knows';
  return `no known trace format fits, at byte 0 (it starts with ${startOf(bytes)}); ${kind}: tracebench formats lists what it reads`;
}

function nameInSentence({ name }: Format): string {
  return `a file of the format ${name}`;
}

function failure(code: string, message: string): Failure {
  return fail(code, message).error;
}

/**
 * Returns true for text without any LF that is a trace of lines if each CR is read as LF. The claims of the unchanged text do not
 * count, because they saw only one line.
 */
function isPartedByReturns({ bytes, size }: Head, claims: readonly Judged[]): boolean {
  if (bytes.includes(LF) || !bytes.subarray(0, -1).includes(CR)) return false;
  const converted = judge({ bytes: bytes.map((byte) => (byte === CR ? LF : byte)), size });
  const best = [...converted, ...claims].sort((a, b) => b.claim.confidence - a.claim.confidence)[0];
  return best !== undefined && best.claim.confidence >= CONFIDENT && readsLines(best);
}

function readsLines({ format, claim }: Judged): boolean {
  const decoder = format.open(settingsOf(claim));
  return decoder.ok && decoder.value.framing.kind === 'lines';
}

function settingsOf({ options, dialect }: Claim): Settings {
  return { ...options, ...(dialect === undefined ? {} : { dialect }) };
}

/** Recognizes text of two bytes per character, by its byte order mark or by NUL in every second byte of Western text. */
function isUtf16(bytes: Uint8Array): boolean {
  const [first, second] = bytes;
  const start = bytes.subarray(0, 64);
  const plain = (byte: number): boolean => byte >= 9 && byte < 127;
  const half = (odd: number): boolean => start.every((byte, i) => (i % 2 === odd ? byte === 0 : plain(byte)));
  const marked = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  return (marked && start.includes(0)) || (start.length >= 8 && (half(0) || half(1)));
}

/** Shows the first bytes: the start of the first line if it is printable, else hexadecimal digits. */
function startOf(bytes: Uint8Array): string {
  const lineEnd = bytes.findIndex((byte) => byte === LF || byte === CR);
  const line = bytes.subarray(0, lineEnd < 0 ? 16 : Math.min(16, lineEnd));
  const printable = line.length > 0 && line.every((byte) => byte >= 32 && byte < 127);
  const start = printable ? line : bytes.subarray(0, 16);
  return printable
    ? `'${String.fromCharCode(...start)}'`
    : Array.from(start, (byte) => byte.toString(16).padStart(2, '0')).join(' ');
}

function candidate(source: Source, format: Format, claim: Claim): Candidate {
  return {
    format: format.id,
    name: format.name,
    ...(claim.dialect === undefined ? {} : { dialect: claim.dialect }),
    confidence: claim.confidence,
    reasons: claim.reasons,
    options: claim.options,
    preview: preview(source, format, claim),
  };
}

/** Returns no records if they cannot be read. */
function preview(source: Source, format: Format, claim: Claim): readonly RecordView[] {
  const decoder = format.open(settingsOf(claim));
  if (!decoder.ok) return [];
  const first = firstRecords(source, decoder.value);
  return first.ok ? first.value.records : [];
}
