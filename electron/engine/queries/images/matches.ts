/** Compares images with what a trace shows of the program, and judges whether they are the program that ran. */
import type { ImageMatch, ImageVerdict } from '../../../../shared/requests/requests.ts';
import { ok } from '../../../../shared/base/result.ts';
import { toHex } from '../../../../shared/base/units.ts';
import type { Disassembler } from '../../image/disassembler.ts';
import type { Image } from '../../image/image.ts';
import type { Steps } from '../../threads/in-slices.ts';
import type { Trace } from '../../trace.ts';
import { branchesAhead, branchFigures } from './branch-matches.ts';
import { isInCode } from './code-segments.ts';
import { compareOpcodes, opcodeInImage, type Comparison } from './compare.ts';
import { findMove, type Move } from './moved.ts';
import { sampleOf, type Sample } from './sample.ts';
import { matchText } from './text.ts';

/**
 * Below this share of distinct executed instructions an image is probably of another build. Measured on two compiled ARM programs: the
 * right image has 100 %, the other program's image 28 and 32 %, and the image with one more instruction before a function 0 to 80 %
 * (98 % before the last function, which is then reported as a difference only). A right image loses single instructions: breakpoints,
 * patched code, and in kernels that patch themselves (tracing, alternatives) a few percent.
 */
const LEAST_SHARE = 0.9;
/** Fewer distinct instructions are no evidence of another build: a few may have been patched. */
const LEAST_CHECKED = 8;

export type Figures = Omit<ImageMatch, 'text'>;

/** Compares images, which need not be the trace's own. `disassembler`: see `disassemblerFor`. */
export function* matchesOf(
  trace: Trace,
  images: readonly Image[],
  disassembler: Disassembler | undefined,
): Steps<readonly ImageMatch[]> {
  const sample = yield* sampleOf(trace);
  if (!sample.ok) return sample;
  const isOfOther = images.map((image) => otherMachine(trace, image, sample.value));
  const sameMachine = images.filter((_, i) => !isOfOther[i]);
  const branches = yield* branchFigures(trace, sameMachine, disassembler);
  if (!branches.ok) return branches;
  return ok(
    images.map((image, i) => {
      const figures = branches.value[sameMachine.indexOf(image)] ?? figuresOf(image, sample.value, isOfOther[i]!);
      return { ...figures, text: matchText(image, figures, trace) };
    }),
  );
}

/** Reads the records with which images are compared, so that the index has them before there is an image. */
export function* matchesAhead(trace: Trace): Steps<undefined> {
  const sample = yield* sampleOf(trace);
  if (!sample.ok) return sample;
  const branches = yield* branchesAhead(trace);
  return branches.ok ? ok(undefined) : branches;
}

function figuresOf(image: Image, sample: Sample, machine: boolean): Figures {
  const { instructions } = sample;
  const sampled = sample.records < sample.of ? { sampledOf: sample.of } : {};
  if (image.segments.every(({ bytes }) => bytes.length === 0)) return NOTHING;
  if (instructions.length === 0) return { ...NOTHING, ...(machine ? { verdict: 'other-machine' } : {}) };
  if (!instructions.some(({ opcode }) => opcode !== undefined)) {
    return { ...addressFigures(image, sample), ...sampled, ...(machine ? { verdict: 'other-machine' } : {}) };
  }
  const found = compareOpcodes(image, image.shift, instructions);
  const { checked, matching, outside, distinct, first } = found;
  const isDoubtful = distinct.checked === 0 || distinct.matching < LEAST_SHARE * distinct.checked;
  const move = isDoubtful ? findMove(image, instructions, found) : undefined;
  const verdict = machine ? 'other-machine' : move !== undefined ? 'elsewhere' : verdictOf(found);
  return {
    evidence: 'opcodes',
    verdict,
    checked,
    matching,
    ...(checked === 0 ? {} : { share: matching / checked }),
    outside,
    ...sampled,
    distinct,
    ...(first === undefined ? {} : { first: difference(image, first) }),
    ...(move === undefined ? {} : { moved: movedTo(image, move) }),
  };
}

const NOTHING: Figures = { evidence: 'none', verdict: 'unknown', checked: 0, matching: 0, outside: 0 };

function verdictOf({ distinct: { checked, matching } }: Comparison): ImageVerdict {
  if (checked === 0) return 'unknown';
  if (matching === checked) return 'match';
  return checked >= LEAST_CHECKED && matching < LEAST_SHARE * checked ? 'other-build' : 'differs';
}

function difference(image: Image, first: Sample['instructions'][number]): NonNullable<ImageMatch['first']> {
  const held = opcodeInImage(image, image.shift, first);
  return {
    n: first.n,
    address: toHex(first.address),
    ...(first.opcode === undefined ? {} : { trace: first.opcode }),
    ...(held === undefined ? {} : { image: held }),
  };
}

/** Returns the place of an image as `--image` names it: the lowest address that it loads. */
function movedTo({ path, segments }: Image, { shift, comparison }: Move): NonNullable<ImageMatch['moved']> {
  const lowest = segments.reduce((least, { address }) => (address < least ? address : least), segments[0]!.address);
  const base = toHex(BigInt.asUintN(64, lowest + shift));
  const { checked, matching, distinct } = comparison;
  return { place: { path, base }, checked, matching, distinct };
}

/** Addresses show no more than whether the program ran in the image's code. */
function addressFigures(image: Image, { instructions, executed }: Sample): Figures {
  const inside = countOf(instructions.filter(({ address }) => isInCode(image, address)));
  const outside = countOf(instructions) - inside;
  return {
    evidence: executed ? 'addresses' : 'fetches',
    verdict: 'unknown',
    checked: inside + outside,
    matching: inside,
    share: inside / (inside + outside),
    outside,
  };
}

function countOf(instructions: Sample['instructions']): number {
  return instructions.reduce((sum, { count }) => sum + count, 0);
}

/** Returns true if the image is code of a processor that the trace cannot be of. */
function otherMachine({ reader: { decoder } }: Trace, { machine }: Image, { instructions }: Sample): boolean {
  if (machine === undefined) return false;
  const { format, armIsa } = decoder;
  if (format.processor === 'x86') return machine.isa?.startsWith('x86') !== true;
  if (format.processor === 'arm') return !machine.arm;
  if (armIsa !== true) return false;
  const is64 = (isa: string | undefined): boolean => isa === 'O';
  if (machine.isa === 'aarch64') return instructions.length > 0 && !instructions.some(({ isa }) => is64(isa));
  return !machine.arm || (instructions.length > 0 && instructions.every(({ isa }) => is64(isa)));
}
