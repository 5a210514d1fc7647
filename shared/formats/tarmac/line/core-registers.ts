/** Registers whose names alone show that a line is about a register: no other text has such words. */
const CORE =
  /^(?:[a-z]{1,2}\d{1,2}(?:_[a-z]{3})?|(?!M[RW])[a-z\d]+_\w+|[vqdszp]\d{1,2}(?:<\d+:\d+>)?|[acix]?psr(?:_\w+)?|spsr\w*|sp(?:_\w+)?|lr|pc|[mp]sp|fpcr|fpsc?r|control|primask|faultmask|basepri)$/i;

export function isCoreRegister(name: string): boolean {
  return CORE.test(name);
}
