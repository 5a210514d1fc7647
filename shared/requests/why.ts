/** Requests about the origin of values: which instructions made a value of which others. */
import { request, type, type ArgumentsOf } from './request.ts';
import { check, cpu, flag, hex, object, optional, record, text, where, whole, type Checked } from './schema.ts';
import { ofTrace, type Reach } from './trace.ts';
import type { SearchProgress } from './records.ts';
import type { Hex, RecordNumber } from '../base/units.ts';

/** Most steps of one answer, and those by default. */
export const WHY_STEPS_MOST = 10_000;
export const WHY_STEPS = 200;
/** Longest stretch of memory whose origin can be requested, in bytes. */
export const WHY_BYTES_MOST = 256;

const question = {
  at: record,
  register: optional(text(200)),
  cpu: optional(cpu),
  address: optional(hex),
  /** Bytes of memory; 1 by default. */
  length: optional(whole(1, WHY_BYTES_MOST)),
  /** Also follow the registers that formed addresses, and what decided that instructions executed. */
  addresses: optional(flag),
  control: optional(flag),
  /** Why the instruction at the record was reached: the branches that decided it, and their values. In place of a register or memory. */
  pc: optional(flag),
  /**
   * Where the value went after the record. `addresses` also follows uses that formed an address, and `control` those as a condition; a
   * branch that used a value is a step, but what executed because of it is not.
   */
  forward: optional(flag),
  /** Most steps. */
  steps: optional(whole(1, WHY_STEPS_MOST)),
  /** Show every copy as a step of its own. */
  allCopies: optional(flag),
} as const;

interface WhyPlace {
  readonly register?: string;
  readonly address?: Hex;
  readonly length?: number;
  readonly pc?: boolean;
  readonly forward?: boolean;
}

const onePlace = check<WhyPlace>(
  'address',
  ({ address, register, pc }) =>
    [address, register, pc === true ? pc : undefined].filter((one) => one !== undefined).length === 1,
  'or register or pc must be given, and only one of them',
);
const notForwardToPc = check<WhyPlace>(
  'forward',
  ({ forward, pc }) => forward !== true || pc !== true,
  'has no answer with pc',
);
const withinMemory = check<WhyPlace>(
  'length',
  ({ address = '0x0', length = 1 }) => BigInt(address) + BigInt(length) <= 2n ** 64n,
  'must not reach past the last address',
);

/** A name that the sender of a request makes up, so that `stopWhy` can refer to it. */
const run = text(100);

/** A question without its trace. */
export const whyQuestionSchema = where(object(question), onePlace, notForwardToPc, withinMemory);
export type WhyQuestion = Checked<typeof whyQuestionSchema>;

export const WHY_REQUESTS = {
  /**
   * The instructions that made the value that a register or memory has after record `at`, youngest first. With fewer steps the same question
   * is answered sooner, and with more steps an answer continues where the shorter one ended. With `forward`, the instructions that used the
   * value, and those that used what these made of it, oldest first.
   */
  why: request({
    arguments: where(object({ ...ofTrace, ...question, run: optional(run) }), onePlace, notForwardToPc, withinMemory),
    answer: type<Why>(),
    event: type<SearchProgress>(),
  }),
  /** Ends the request `why` of this `run`, also one that arrives later: it answers with the steps that it has, and ends with `cancelled`. */
  stopWhy: request({ arguments: object({ ...ofTrace, run }), answer: type<object>() }),
} as const;

export type WhyArguments = ArgumentsOf<typeof WHY_REQUESTS.why>;
export type StopWhyArguments = ArgumentsOf<typeof WHY_REQUESTS.stopWhy>;

/** Bytes of a register, or of memory, with their value: null if it is not known. */
export type Bytes = RegisterValue | MemoryValue;

export interface RegisterValue {
  /** `r0`, `cpsr.z`, `x0`, `V0<127:64>`. */
  readonly register: string;
  /** Null for records without a CPU. */
  readonly cpu: number | null;
  readonly value: Hex | null;
}

export interface MemoryValue {
  readonly address: Hex;
  readonly length: number;
  /** Two hexadecimal digits for each byte, lowest address first; `??` for a byte that is not known. */
  readonly value: string | null;
}

/**
 * - `copy`: the value was moved, `computed`: made of others, `constant`: in the instruction.
 * - `input`: read from memory that nothing in the trace wrote before, `image`: the same, and a program image has the bytes.
 * - `unknown`: nothing says what made the value.
 */
export const WHY_KINDS = ['copy', 'computed', 'constant', 'input', 'image', 'unknown'] as const;
export type WhyKind = (typeof WHY_KINDS)[number];

export type WhyEdge = 'data' | 'address' | 'control';

export type WhyUse = Bytes & {
  readonly edge: WhyEdge;
  /**
   * Index of the step that defined the bytes; null if `reason` says why there is none. In a forward answer null without a reason is the value
   * of the question.
   */
  readonly step: number | null;
  readonly reason?: string;
  /** True if an instruction that set the same value again could be newer than the step. */
  readonly inferred?: boolean;
};

export interface WhyStep {
  /** The instruction, or the record that belongs to none. */
  readonly n: RecordNumber;
  readonly time?: number | string;
  readonly cpu?: number;
  readonly address?: Hex;
  readonly symbol?: string;
  readonly line?: string;
  readonly text?: string;
  readonly kind: WhyKind;
  readonly reason?: string;
  readonly defines: readonly Bytes[];
  readonly uses: readonly WhyUse[];
  /** True if the opcode is not modelled, so that some of the uses can be none. */
  readonly inferred: boolean;
  /** Records of copies that are left out between this step and those that use it, youngest first. */
  readonly copies?: readonly RecordNumber[];
  /** Bytes that the instruction and `copies` moved, if they are copies of adjacent bytes by one loop. The instruction is the youngest. */
  readonly moved?: number;
  /** In a forward answer: how the values that it defined ended. Those of `ended.open` did not end. */
  readonly ends?: readonly WhyEnd[];
}

/**
 * - `overwritten`: instruction `n` defined the bytes, so that they no longer had the value.
 * - `kept`: they had the value when the trace ended.
 * - `unknown`: they were not followed further; `reason` says why.
 */
export const WHY_ENDS = ['overwritten', 'kept', 'unknown'] as const;

export type WhyEnd = Bytes & {
  readonly how: (typeof WHY_ENDS)[number];
  /** Of bytes that the instruction of the question itself overwrote after the record: the record that shows it. */
  readonly n?: RecordNumber;
  /** Disassembly of the instruction that overwrote the bytes. */
  readonly text?: string;
  /** Also of bytes that were overwritten or kept: why they may have been used where no step shows it. */
  readonly reason?: string;
};

export interface Why {
  readonly at: RecordNumber;
  readonly of: Bytes;
  /**
   * In descending order of records. Step 0 is the youngest that defined bytes of `of`. In a forward answer they are in ascending order, and step 0
   * is the first that used the value.
   */
  readonly steps: readonly WhyStep[];
  /** Steps that defined bytes of `of`, and bytes of it that none did; empty in a forward answer. */
  readonly origin: readonly WhyUse[];
  /** True if the steps are those that used the value. */
  readonly forward?: true;
  /** In a forward answer: how the value itself ended, and records of copies that are left out between it and the steps that use it. */
  readonly ends?: readonly WhyEnd[];
  readonly copies?: readonly RecordNumber[];
  readonly ended: {
    /**
     * `origins`: every value is followed to constants, inputs and images; `ends`: in a forward answer, every value is followed until it was
     * overwritten or the trace ended. `cancelled`: `stopWhy` ended the search.
     */
    readonly reason: 'origins' | 'ends' | 'unknown' | 'steps' | 'cancelled';
    /** Bytes that are not followed further although they have an origin, or in a forward answer still have their value. */
    readonly open: readonly Bytes[];
  };
  readonly reach: Reach;
}
