/**
 * Collects the text of a demangled name. Substitutions and back references let a short symbol stand for an exponentially long name, so the
 * printer counts its work and gives up.
 */

/** Longest demangled name, in characters. The longest names of the Rust compiler have about 14,000. */
const MOST_TEXT = 16_384;
/** Upper bound on the nodes printed for one name: some nodes print nothing. */
const MOST_STEPS = 65_536;
/** Deepest nesting of productions, for parsers and printers: their stack must not overflow. */
const MOST_DEPTH = 300;

/** Thrown by parsers and printers of this folder: the symbol stays as it is. */
export class NotUnderstood extends Error {}

/** Gives up on a symbol. */
export function giveUp(): never {
  throw new NotUnderstood('the symbol is not understood');
}

/** Template arguments that template parameters stand for, and those of the enclosing name. */
export interface Scope<T> {
  readonly args: readonly T[];
  readonly outer: Scope<T> | undefined;
}

/** `Argument`: a part of the name that can be a template argument. */
export interface Printer<Argument = unknown> {
  text: string;
  scope: Scope<Argument> | undefined;
  /** True in the parameters of a lambda, whose template parameters are `auto`. */
  isLambda: boolean;
  /** Element of parameter packs that is printed, and number of elements; undefined outside pack expansions. */
  pack: { index: number; size: number | undefined } | undefined;
  /** True if template arguments are left out. */
  readonly bare: boolean;
  write(text: string): void;
  /** Runs one production or node, within the limits. */
  step<T>(run: () => T): T;
}

export function createPrinter<Argument = unknown>(bare = false): Printer<Argument> {
  let [steps, depth] = [0, 0];
  const own: Printer<Argument> = {
    text: '',
    scope: undefined,
    isLambda: false,
    pack: undefined,
    bare,
    write(text) {
      own.text += text;
      if (own.text.length > MOST_TEXT) giveUp();
    },
    step(run) {
      if (++steps > MOST_STEPS || ++depth > MOST_DEPTH) giveUp();
      const result = run();
      depth--;
      return result;
    },
  };
  return own;
}
