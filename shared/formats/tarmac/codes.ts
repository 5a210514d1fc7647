/**
 * What the `native` column holds for Tarmac text: the record's own word in the line, `IT`, `R`, `MR4`, as a number.
 * Memory accesses have a code per direction and stated size, so every size up to MOST_BYTES has its name.
 */
export const OTHER = 0;
export const TAKEN = 1;
export const SKIPPED = 2;
export const REGISTER = 3;

/** The largest size an access can state and still have a code of its own. */
export const MOST_BYTES = 32765;

const FIRST_READ = 4;
const FIRST_WRITE = 5;

export function readCode(size: number): number {
  return FIRST_READ + 2 * size;
}

export function writeCode(size: number): number {
  return FIRST_WRITE + 2 * size;
}

export function nativeName(code: number): string {
  if (code === OTHER) return 'OTHER';
  if (code === TAKEN) return 'IT';
  if (code === SKIPPED) return 'IS';
  if (code === REGISTER) return 'R';
  const write = code % 2 === 1;
  return write ? `MW${(code - FIRST_WRITE) / 2}` : `MR${(code - FIRST_READ) / 2}`;
}
