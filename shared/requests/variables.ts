/** Requests about variables with fixed addresses, and their types, from the debug information (DWARF) of images. */
import { request, type } from './request.ts';
import { object, optional, record, text, whole } from './schema.ts';
import { ofTrace, type ImageProgress } from './trace.ts';
import type { Hex } from '../base/units.ts';

export const VARIABLE_REQUESTS = {
  /** Variables whose names contain `text` in any case: exact matches first, then prefixes. `left` counts those beyond `most`. */
  variables: request({
    arguments: object({ ...ofTrace, text: text(1000), most: whole(1, 1000) }),
    answer: type<VariablesFound>(),
    event: type<ImageProgress>(),
  }),
  /**
   * The variable of exactly this name in the first image that has it, or a part of it in the notation of C (places/variable-path.ts), with its
   * types. Pointers are read as they are after record `at`. Fails with `no-such-part` if the variable has no such part, or a pointer
   * is unknown.
   */
  variable: request({
    arguments: object({ ...ofTrace, name: text(1000), at: optional(record) }),
    answer: type<VariableFound>(),
    event: type<ImageProgress>(),
  }),
} as const;

export interface VariablesFound {
  readonly variables: readonly NamedVariable[];
  readonly left: number;
  /** Sentences about what the debug information does not contain, or what was left out. */
  readonly notes: readonly string[];
}

export interface VariableFound {
  /** Null if no image has the variable. */
  readonly variable: TypedVariable | null;
  /** Name of the variable itself, without steps to a part. */
  readonly whole: string;
  /** The pointers that lead to the part, as text, with their values after record `at`. */
  readonly followed: readonly { readonly pointer: string; readonly value: Hex }[];
  readonly notes: readonly string[];
}

export interface NamedVariable {
  /** With namespaces, structures and functions around it: `main::count`. */
  readonly name: string;
  readonly address: Hex;
  /** Type as in C: `struct node *[4]`. */
  readonly type: string;
  readonly bytes: number;
}

export interface TypedVariable extends NamedVariable {
  readonly endian: 'little' | 'big';
  readonly root: TypeId;
  /** The part is a bit-field. */
  readonly field?: Member['field'];
  /** The type of the variable and those that it refers to, by their ids. A type that is absent was left out because there are too many. */
  readonly types: Readonly<Record<TypeId, DataType>>;
}

/** Number of a type within its image. */
export type TypeId = number;

export type DataType =
  | { readonly kind: 'base'; readonly name: string; readonly bytes: number; readonly form: BaseForm }
  | { readonly kind: 'pointer'; readonly bytes: number; readonly target: TypeId | null; readonly name: string }
  | {
      readonly kind: 'structure';
      readonly name: string;
      readonly bytes: number;
      readonly members: readonly Member[];
    }
  | {
      readonly kind: 'array';
      readonly name: string;
      readonly bytes: number;
      readonly element: TypeId;
      readonly elementBytes: number;
      readonly count: number;
    }
  | {
      readonly kind: 'enumeration';
      readonly name: string;
      readonly bytes: number;
      readonly signed: boolean;
      /** Values as decimal numbers. */
      readonly values: readonly { readonly name: string; readonly value: string }[];
    }
  /** A type without a layout: a declaration, a function, or a type that is not supported. */
  | { readonly kind: 'opaque'; readonly name: string; readonly bytes: number };

export type BaseForm = 'signed' | 'unsigned' | 'float' | 'boolean' | 'signed-character' | 'unsigned-character';

export interface Member {
  readonly name: string;
  readonly type: TypeId;
  /** Bytes from the start of the structure. */
  readonly offset: number;
  /** Bit-field: the bytes that contain it, and its lowest bit and its number of bits in their number. */
  readonly field?: { readonly bytes: number; readonly shift: number; readonly bits: number };
}
