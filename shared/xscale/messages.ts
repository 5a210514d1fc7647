/**
 * Messages of the Intel XScale trace buffer, one byte each.
 *
 * Message bytes (80200 Developer's Manual, table 13-17; the low half CCCC counts instructions since the previous message):
 *
 *     0VVV CCCC  exception with the vector VVV       1000 CCCC  direct branch      1100 CCCC  the same, checkpointed
 *     1111 1111  roll-over: 16 instructions, none    1001 CCCC  indirect branch    1101 CCCC  the same, checkpointed
 *                of them a branch                               with its target in the four bytes before, highest first
 *
 * All others are reserved, and so are the vectors 0 (a reset is never traced) and 5 (ARM has none).
 */

/** Bytes in a trace buffer. */
export const BUFFER_BYTES = 256;
/** Bytes of a target address before the message of an indirect branch. */
export const ADDRESS_BYTES = 4;

/** Kinds of messages: codes of the `native` column. An exception has the number of its vector, a branch the upper half of its byte. */
export const MESSAGE = {
  reserved: 0,
  undefinedInstruction: 1,
  softwareInterrupt: 2,
  prefetchAbort: 3,
  dataAbort: 4,
  irq: 6,
  fiq: 7,
  direct: 8,
  indirect: 9,
  directCheckpointed: 12,
  indirectCheckpointed: 13,
  rollOver: 15,
  /** No message: a whole buffer whose last byte is no message, so its entries cannot be separated. */
  buffer: 16,
} as const;

const NAMES: Readonly<Record<number, readonly [native: string, text: string]>> = {
  [MESSAGE.reserved]: ['RESERVED', 'reserved message'],
  [MESSAGE.undefinedInstruction]: ['UNDEFINED', 'undefined instruction'],
  [MESSAGE.softwareInterrupt]: ['SWI', 'software interrupt'],
  [MESSAGE.prefetchAbort]: ['PREFETCH_ABORT', 'prefetch abort'],
  [MESSAGE.dataAbort]: ['DATA_ABORT', 'data abort'],
  [MESSAGE.irq]: ['IRQ', 'interrupt (IRQ)'],
  [MESSAGE.fiq]: ['FIQ', 'fast interrupt (FIQ)'],
  [MESSAGE.direct]: ['DIRECT', 'direct branch'],
  [MESSAGE.indirect]: ['INDIRECT', 'indirect branch'],
  [MESSAGE.directCheckpointed]: ['DIRECT_CHECKPOINTED', 'checkpointed direct branch'],
  [MESSAGE.indirectCheckpointed]: ['INDIRECT_CHECKPOINTED', 'checkpointed indirect branch'],
  [MESSAGE.rollOver]: ['ROLL_OVER', 'roll-over'],
  [MESSAGE.buffer]: ['BUFFER', 'buffer without a last message'],
};

/** Message byte to its MESSAGE. */
export const MESSAGE_OF: Uint8Array = new Uint8Array(256).map((_, byte) => messageOf(byte));
/** Message byte to the number of bytes in its entry: the message and a target before it. */
export const ENTRY_BYTES: Uint8Array = MESSAGE_OF.map((message) => (isIndirect(message) ? 1 + ADDRESS_BYTES : 1));

/** Weight in YOUNGER of a byte that is no message and may have been the message of a checkpointed branch. */
export const MAYBE_YOUNGER = BUFFER_BYTES;
/**
 * By message byte: contribution to the number of younger checkpointed entries, which decides the checkpoint register of older entries. The
 * registers hold the targets of the two newest checkpointed branches (80200 manual, 13.12).
 */
export const YOUNGER: Uint16Array = Uint16Array.from(MESSAGE_OF, (message) =>
  isCheckpointed(message) ? 1 : message === MESSAGE.reserved ? MAYBE_YOUNGER : 0,
);

export function nativeName(message: number): string {
  return (NAMES[message] ?? NAMES[MESSAGE.reserved]!)[0];
}

/** Returns the name of a message for sentences. */
export function messageText(message: number): string {
  return (NAMES[message] ?? NAMES[MESSAGE.reserved]!)[1];
}

export function isIndirect(message: number): boolean {
  return message === MESSAGE.indirect || message === MESSAGE.indirectCheckpointed;
}

export function isCheckpointed(message: number): boolean {
  return message === MESSAGE.directCheckpointed || message === MESSAGE.indirectCheckpointed;
}

export function isException(message: number): boolean {
  return message >= MESSAGE.undefinedInstruction && message <= MESSAGE.fiq;
}

export function isBranch(message: number): boolean {
  return message === MESSAGE.direct || message === MESSAGE.directCheckpointed || isIndirect(message);
}

/**
 * Returns the number of instructions since the previous message, including those whose condition failed. The branch, software interrupt,
 * undefined instruction or aborted prefetch that made the message is not counted. A roll-over is made by its sixteenth instruction.
 */
export function instructionsOf(byte: number): number {
  return MESSAGE_OF[byte] === MESSAGE.rollOver ? 16 : byte & 15;
}

/** Returns the offset of an exception's vector from the base of the vectors. */
export function vectorOf(message: number): number {
  return 4 * message;
}

function messageOf(byte: number): number {
  if (byte === 0xff) return MESSAGE.rollOver;
  const high = byte >>> 4;
  if (high < 8) return high === 5 ? MESSAGE.reserved : high;
  if (high === 8 || high === 9 || high === 12 || high === 13) return high;
  return MESSAGE.reserved;
}
