/**
 * The request `imagesBeside`: finds the program among the ELF files in the folder of a trace. An image is chosen only if it is proved: it
 * matches more of the executed code than any other.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { Answer, ImageMatch, ImagePlace, ImageProgress } from '../../../../shared/requests/requests.ts';
import { ok, type Result } from '../../../../shared/base/result.ts';
import { imagePlaceText } from '../../../../shared/requests/places/image-place.ts';
import type { Image } from '../../image/image.ts';
import { readImages } from '../../image/read-images.ts';
import { answerInSlices } from '../../threads/in-slices.ts';
import type { Task } from '../../threads/task.ts';
import type { Trace } from '../../trace.ts';
import { disassemblerFor } from './branch-matches.ts';
import { matchesOf } from './matches.ts';

/** Upper bounds on directory entries that are looked at, on ELF files that are compared, and on their size. */
const MOST_ENTRIES = 2000;
const MOST_IMAGES = 16;
const MOST_BYTES = 64 * 1024 * 1024;
/** Fewer distinct instructions, branch sources or paths prove nothing. */
const LEAST_CHECKED = 8;
const LEAST_SHARE = 0.9;
const PROVING: ReadonlySet<ImageMatch['evidence']> = new Set(['opcodes', 'branches', 'paths']);

interface Candidate {
  readonly image: Image;
  readonly place: ImagePlace;
  readonly match: ImageMatch;
  /** Number of distinct instructions, branch sources or paths that match. */
  readonly proof: number;
}

export async function imagesBeside(trace: Trace, task: Task<ImageProgress>): Promise<Result<Answer<'imagesBeside'>>> {
  const folder = path.dirname(trace.file.path);
  const images: Image[] = [];
  const places = elfFiles(folder, trace.file.path).map((file) => ({ path: file }));
  for await (const image of readImages(places, task)) {
    if (image.ok && image.value.segments.some(({ bytes }) => bytes.length > 0)) images.push(image.value);
  }
  if (task.cancelled()) return task.cancel();
  if (images.length === 0) return ok({ candidates: [], text: `No ELF program lies beside the trace, in ${folder}.` });
  const matches = await answerInSlices(matchesOf(trace, images, await disassemblerFor(trace)), task);
  if (!matches.ok) return matches;
  const found = images
    .map((image, i) => candidateOf(image, matches.value[i]!))
    .sort((a, b) => b.proof - a.proof || b.image.symbols.count - a.image.symbols.count);
  const candidates = found.map(({ place, match }) => ({ place, match }));
  const [best] = found;
  if (best === undefined || best.proof === 0) {
    const listed = found.map(({ match }) => match.text).join(' ');
    return ok({ candidates, text: `No ELF file beside the trace is proved to be its program. ${listed}` });
  }
  const equals = found.filter(({ proof }) => proof === best.proof);
  if (equals.some(({ image }) => !isSameCode(image, best.image))) {
    const names = equals.map(({ place }) => imagePlaceText({ ...place, path: path.basename(place.path) })).join(', ');
    return ok({
      candidates,
      text: `Several ELF files beside the trace match equally well: ${names}. Name one of them.`,
    });
  }
  const others = equals.length === 1 ? '' : ' Other files with the same code have fewer symbols.';
  return ok({ candidates, chosen: best.place, text: `${best.match.text}${others}` });
}

/** Returns the linked ELF files of a folder, in the order of their names. */
function elfFiles(folder: string, trace: string): readonly string[] {
  const found: string[] = [];
  for (const name of namesIn(folder)) {
    const file = path.join(folder, name);
    if (found.length < MOST_IMAGES && file !== trace && isProgram(file)) found.push(file);
  }
  return found;
}

function namesIn(folder: string): readonly string[] {
  try {
    return fs.readdirSync(folder).sort().slice(0, MOST_ENTRIES);
  } catch (error) {
    // A folder whose names cannot be read may still contain a readable trace.
    if (error instanceof Error && 'code' in error) return [];
    throw error;
  }
}

/** Returns true for executables and shared objects: `e_type` 2 and 3. */
function isProgram(file: string): boolean {
  try {
    const facts = fs.statSync(file);
    if (!facts.isFile() || facts.size > MOST_BYTES) return false;
    const head = Buffer.alloc(HEAD_BYTES);
    const handle = fs.openSync(file, 'r');
    try {
      if (fs.readSync(handle, head, 0, HEAD_BYTES, 0) < HEAD_BYTES) return false;
    } finally {
      fs.closeSync(handle);
    }
    const type = head[5] === 2 ? head.readUInt16BE(16) : head.readUInt16LE(16);
    return head.readUInt32BE(0) === 0x7f454c46 && (type === 2 || type === 3);
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false;
    throw error;
  }
}

/** Bytes of an ELF header up to `e_type`. */
const HEAD_BYTES = 18;

function candidateOf(image: Image, match: ImageMatch): Candidate {
  const { verdict, moved, distinct, evidence } = match;
  const isRight = verdict === 'match' || verdict === 'differs' || verdict === 'elsewhere';
  const at = verdict === 'elsewhere' ? moved : undefined;
  const { checked, matching } = at?.distinct ?? distinct ?? { checked: 0, matching: 0 };
  const isProved = isRight && PROVING.has(evidence) && checked >= LEAST_CHECKED && matching >= LEAST_SHARE * checked;
  return { image, place: at?.place ?? { path: image.path }, match, proof: isProved ? matching : 0 };
}

/** Stripped files have the code of the original. */
function isSameCode(a: Image, b: Image): boolean {
  return (
    a.segments.length === b.segments.length &&
    a.segments.every(({ address, bytes }, i) => {
      const other = b.segments[i]!;
      return address === other.address && Buffer.compare(bytes, other.bytes) === 0;
    })
  );
}
