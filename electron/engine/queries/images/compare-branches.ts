/**
 * Compares branches of a trace with the instructions of an image: a branch instruction must be at each source, and a direct one must lead
 * to the target.
 *
 * Interrupts and exceptions may come at any instruction, so they are left out. Where messages do not name them, two signs do: the image
 * has a handler at the target (handler-code.ts), or the trace later returns to the source. All branches to the target of such a message
 * that the image does not explain are left out as well, and those to addresses outside the image.
 */
import { ok } from '../../../../shared/base/result.ts';
import { BRANCH, NO_BRANCH } from '../../../../shared/flow/events.ts';
import { createHandlerCode, HANDLER } from '../../flow/classify/handler-code.ts';
import { createImageCode, type ImageInstruction } from '../../flow/classify/image-code.ts';
import { createStraightRuns } from '../../flow/classify/straight-runs.ts';
import type { Disassembler } from '../../image/disassembler.ts';
import type { Image } from '../../image/image.ts';
import { createImages } from '../../image/images.ts';
import type { Isa } from '../../image/machine.ts';
import type { Steps } from '../../threads/in-slices.ts';
import type { BranchSample, TakenBranch } from './branch-sample.ts';
import { isInCode } from './code-segments.ts';

export interface BranchComparison {
  /** Number of distinct sources that were compared, and of those at which the image has the branch. */
  readonly checked: number;
  readonly matching: number;
  /** Number of branches whose source is outside the image, and of those that were left out because they may be interrupts. */
  readonly outside: number;
  readonly leftOut: number;
  /** Number of compared branches, and of those that the image explains: loops count each time. */
  readonly taken: { readonly checked: number; readonly matching: number };
  /** True if interrupts may be among the branches that the image does not explain. */
  readonly unsure: boolean;
  /** First branch that the image does not explain, and the instruction of the image at its source. */
  readonly first: { readonly branch: TakenBranch; readonly instruction: ImageInstruction | undefined } | undefined;
}

/** Kinds that may come at any instruction. */
const ANYWHERE: ReadonlySet<number> = new Set([BRANCH.exception, BRANCH.interrupt]);
/** Start of the upper half of 64-bit addresses, where kernels run. They patch the targets of their own branches. */
const KERNEL = 1n << 63n;

/** Branches that are compared before other requests are served. */
const STEP = 64;
/** Upper bound on targets that are checked for handlers, those of most sources first: an x86 processor has 256 vectors. */
const MOST_HANDLERS = 256;

/** Returns undefined if the instruction set of the image is not known. `pentium`: messages say the operand size. */
export function* compareBranches(
  image: Image,
  { branches, targets }: Pick<BranchSample, 'branches' | 'targets'>,
  disassembler: Disassembler,
  pentium: boolean,
): Steps<BranchComparison | undefined> {
  const images = createImages([image]);
  const code = createImageCode(images, disassembler);
  const handlers = createHandlerCode(images, code, createStraightRuns(images, code));
  const instructionAt = (address: bigint, isa: Isa | undefined): ImageInstruction | undefined =>
    code.at(Number(address & 0xffff_ffffn), Number(address >> 32n), isa);

  let outside = 0;
  const explained: TakenBranch[] = [];
  const others: TakenBranch[] = [];
  let isUnknown = false;
  let unsure = false;
  for (const [i, branch] of branches.entries()) {
    if (i % STEP === 0) yield branch.n;
    if (ANYWHERE.has(branch.kind)) continue;
    if (!isInCode(image, branch.source)) outside += branch.count;
    else if (!pentium && !isDecodable(branch.source)) isUnknown = true;
    else {
      unsure ||= branch.target === undefined || branch.source >= KERNEL;
      (isExplained(branch) ? explained : others).push(branch);
    }
  }
  if (isUnknown && explained.length + others.length === 0) return ok(undefined);

  const entries = new Set(others.flatMap(({ source, target }) => (targets.has(source) ? [target] : [])));
  for (const { n, target, operandSize } of commonTargets(others)) {
    if (!entries.has(target) && isHandler(target, operandSize)) entries.add(target);
    yield n;
  }
  const contradicting = others.filter(
    ({ target }) => target === undefined || (isInCode(image, target) && !entries.has(target)),
  );
  const matching = new Set(explained.map(({ source }) => source));
  const checked = new Set([...matching, ...contradicting.map(({ source }) => source)]);
  const [first] = contradicting.filter(({ source }) => !matching.has(source)).sort((a, b) => a.n - b.n);
  const takenMatching = countOf(explained);
  return ok({
    checked: checked.size,
    matching: matching.size,
    outside,
    leftOut: countOf(others) - countOf(contradicting),
    taken: { checked: takenMatching + countOf(contradicting), matching: takenMatching },
    unsure,
    first: first && { branch: first, instruction: instructionAt(first.source, isaOf(first)) },
  });

  /** Returns false if the image does not say which instruction set an address has. */
  function isDecodable(address: bigint): boolean {
    const there = images.codeAt(address);
    if (there?.machine.arm === true) return there.state === 'arm' || there.state === 'thumb';
    return there?.machine.isa !== undefined;
  }

  function isHandler(target: bigint, operandSize: number): boolean {
    const low = Number(target & 0xffff_ffffn);
    return isasOf(operandSize).some((isa) => handlers.at(low, Number(target >> 32n), isa) === HANDLER);
  }

  function isasOf(operandSize: number): readonly (Isa | undefined)[] {
    if (!pentium) return [undefined];
    if (operandSize === 0) return ['x86-32', 'x86-16'];
    return [operandSize === 16 ? 'x86-16' : 'x86-32'];
  }

  function isaOf({ operandSize }: TakenBranch): Isa | undefined {
    return isasOf(operandSize)[0];
  }

  /** Returns true if the instruction at the source may have made the branch, in one of the possible instruction sets. */
  function isExplained(branch: TakenBranch): boolean {
    return isasOf(branch.operandSize).some((isa) => {
      const own = instructionAt(branch.source, isa);
      if (own === undefined) return false;
      if (own.branch !== NO_BRANCH) return branch.source >= KERNEL || leads(own, branch);
      const next = branch.source + BigInt(own.size);
      if (own.serialises && pentium) return branch.target === undefined || branch.target === next;
      // A Pentium names the instruction before a direct branch in its v pipe, others the first of two fused instructions.
      const second = instructionAt(next, isa);
      return second?.target !== undefined && leads(second, branch);
    });
  }
}

/** Returns true unless a direct branch leads elsewhere. */
function leads({ target: direct }: ImageInstruction, { target }: TakenBranch): boolean {
  if (direct === undefined || target === undefined) return true;
  return target === (BigInt(direct.high) << 32n) + BigInt(direct.low);
}

type Entered = TakenBranch & { readonly target: bigint };

/** Returns a branch to each of the targets with the most branches. */
function commonTargets(branches: readonly TakenBranch[]): readonly Entered[] {
  const byTarget = Map.groupBy(
    branches.filter((branch): branch is Entered => branch.target !== undefined),
    ({ target }) => target,
  );
  return [...byTarget.values()]
    .sort((a, b) => b.length - a.length)
    .slice(0, MOST_HANDLERS)
    .map(([first]) => first!);
}

function countOf(branches: readonly TakenBranch[]): number {
  return branches.reduce((sum, { count }) => sum + count, 0);
}
