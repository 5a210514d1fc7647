/** Compares images with the branches of a trace of branch messages, and judges whether they are the program that ran. */
import type { ImageMatch } from '../../../../shared/requests/requests.ts';
import { assert, ok } from '../../../../shared/base/result.ts';
import { toHex } from '../../../../shared/base/units.ts';
import { loadDisassembler, type Disassembler } from '../../image/disassembler.ts';
import type { Image } from '../../image/image.ts';
import type { Steps } from '../../threads/in-slices.ts';
import type { Trace } from '../../trace.ts';
import { branchSampleOf } from './branch-sample.ts';
import { compareBranches, type BranchComparison } from './compare-branches.ts';
import { comparePaths, type PathComparison } from './compare-paths.ts';

/**
 * Below this share of distinct branch sources an image is probably of another build. Measured on two compiled x86 programs (normal and fast
 * messages, sources in the u pipe, branch stacks) and on generated programs with many interrupts: the right image has 100 %, the other
 * program's image 14 to 47 %.
 */
const LEAST_SHARE = 0.9;
/**
 * If interrupts cannot be left out, this share of the branches themselves decides too, because interrupts are rare. In fast messages of the
 * same programs, the right image has at least 92 %, although one of 40 instructions is interrupted, the other image 11 to 44 %.
 */
const LEAST_UNSURE_SHARE = 0.75;
/** Fewer distinct sources are no evidence for or against an image. */
const LEAST_SOURCES = 8;
/**
 * The same for the addresses at which paths through trace buffers begin. Measured on 154 files of two compiled ARM programs and on 240 of
 * generated programs: the right image allows all paths, the other program's image those from 0 to 42 % of the addresses. The
 * threshold is lower, because a path contains several branches: one patched instruction contradicts all paths through it.
 */
const LEAST_PATH_SHARE = 0.75;
/** Fewer contradicted addresses, or fewer distinct branches on paths that the image allows, are no evidence. */
const LEAST_PATHS = 3;

type Figures = Omit<ImageMatch, 'text'>;

/** Loads the disassembler if comparing branches of this trace needs it. */
export function disassemblerFor(trace: Pick<Trace, 'reader'>): Promise<Disassembler | undefined> {
  return needsBranches(trace) ? loadDisassembler() : Promise.resolve(undefined);
}

function needsBranches({ reader }: Pick<Trace, 'reader'>): boolean {
  const { branches } = reader.decoder.format;
  return branches?.as === 'messages' && branches.followed !== true;
}

/** Reads the branches with which images are compared, if the trace has any that are compared one by one. */
export function* branchesAhead(trace: Trace): Steps<unknown> {
  return needsBranches(trace) ? yield* branchSampleOf(trace) : ok(undefined);
}

/** Returns by image the figures of its branches; undefined if nothing could be compared. */
export function* branchFigures(
  trace: Trace,
  images: readonly Image[],
  disassembler: Disassembler | undefined,
): Steps<readonly (Figures | undefined)[]> {
  const { branches } = trace.reader.decoder.format;
  if (branches?.as !== 'messages') return ok(images.map(() => undefined));
  if (branches.followed === true) {
    const found = yield* comparePaths(trace, images);
    if (!found.ok) return found;
    const { records, of } = found.value;
    const sampled = records < of ? { sampledOf: of } : {};
    return ok(found.value.images.map((comparison) => ofPaths(comparison, sampled)));
  }
  assert(disassembler !== undefined, 'the disassembler is loaded before branches are compared');
  const sample = yield* branchSampleOf(trace);
  if (!sample.ok) return sample;
  const { records, of } = sample.value;
  const sampled = records < of ? { sampledOf: of } : {};
  const found: (Figures | undefined)[] = [];
  for (const image of images) {
    const comparison = yield* compareBranches(image, sample.value, disassembler, branches.pentium === true);
    if (!comparison.ok) return comparison;
    found.push(comparison.value && ofBranches(comparison.value, sampled));
  }
  return ok(found);
}

type Sampled = Pick<Figures, 'sampledOf'>;

function ofBranches(
  { checked, matching, outside, leftOut, taken, unsure, first }: BranchComparison,
  sampled: Sampled,
): Figures | undefined {
  if (checked === 0 && (outside === 0 || leftOut > 0)) return undefined;
  const isLow = matching < LEAST_SHARE * checked && (!unsure || taken.matching < LEAST_UNSURE_SHARE * taken.checked);
  const isEnough = checked >= LEAST_SOURCES;
  return {
    evidence: 'branches',
    verdict: matching < checked ? (isLow && isEnough ? 'other-build' : 'differs') : isEnough ? 'match' : 'unknown',
    checked: taken.checked,
    matching: taken.matching,
    ...(checked === 0 ? {} : { share: taken.matching / taken.checked }),
    outside,
    ...sampled,
    distinct: { checked, matching },
    ...(first && {
      first: {
        n: first.branch.n,
        address: toHex(first.branch.source),
        ...(first.branch.target !== undefined && { target: toHex(first.branch.target) }),
        ...(first.instruction && { instruction: first.instruction.text }),
      },
    }),
  };
}

function ofPaths(
  { checked, matching, distinct, branches, first }: PathComparison,
  sampled: Sampled,
): Figures | undefined {
  if (checked === 0) return undefined;
  const contradicted = distinct.checked - distinct.matching;
  const isLow = contradicted >= LEAST_PATHS && distinct.matching < LEAST_PATH_SHARE * distinct.checked;
  return {
    evidence: 'paths',
    verdict: contradicted > 0 ? (isLow ? 'other-build' : 'differs') : branches >= LEAST_PATHS ? 'match' : 'unknown',
    checked,
    matching,
    share: matching / checked,
    outside: 0,
    ...sampled,
    distinct,
    ...(first && { first: { n: first.n, address: toHex(first.from) } }),
  };
}
