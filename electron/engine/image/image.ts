/** A program image of any file kind: bytes at addresses, symbols, code states and source lines; and the contract of its readers. */
import type { ImageForm, ImagePart, ImagePlace } from '../../../shared/requests/requests.ts';
import type { Result } from '../../../shared/base/result.ts';
import type { CodeStates } from './code-states.ts';
import type { SegmentFlags } from './elf/elf.ts';
import type { LineTable } from './line-table.ts';
import type { Machine } from './machine.ts';
import type { SymbolTable } from './symbols.ts';

/** Reads image files of one kind. */
export interface ImageReader {
  /** Judges by content alone. */
  recognises(bytes: Uint8Array): boolean;
  /** Fails with BAD_IMAGE and a sentence. */
  read(bytes: Uint8Array, place: ImagePlace, report?: Report): Result<ImageContent>;
}

/** Receives the progress of reading: so many bytes of a part are read. */
export type Report = (part: ImagePart, bytes: number, of: number) => void;

export const UNREPORTED: Report = () => undefined;

/** The content that a reader finds. All addresses are link-time addresses; `images.ts` applies the load address. */
export interface ImageContent {
  readonly form: ImageForm;
  /** Added to every address, modulo 2^64. */
  readonly shift: bigint;
  /** True if the system chooses the load address and the user gave none. */
  readonly movable?: boolean;
  /** Absent if the file does not name one. */
  readonly machine?: Machine;
  /** In file order. */
  readonly segments: readonly Segment[];
  readonly symbols: SymbolTable;
  readonly states: CodeStates;
  /** Returns the line table, read on first use; absent if the file has none. */
  readonly lines?: () => LineTable;
  /** Separate debug file that symbols, states or lines come from. */
  readonly debug?: { readonly path: string; readonly digest: () => string };
  /** Sentences about parts that could not be read. */
  readonly notices: readonly string[];
}

/** An image with its file. */
export interface Image extends ImageContent {
  readonly path: string;
  /** True if its symbols are shown as they are in the image instead of demangled. */
  readonly rawNames?: true;
  /** Size of the file in bytes. */
  readonly size: number;
  /** Returns the SHA-256 of the file, computed on first use. */
  readonly digest: () => string;
  /** Offset of the line of the trace that gave the load address. */
  readonly mappedBy?: number;
}

export interface Segment {
  readonly address: bigint;
  /** Bytes of the segment in the file. */
  readonly bytes: Uint8Array;
  /** Offset of the segment in the file; absent if the file does not say. */
  readonly fileOffset?: number;
  /** Size in memory, in bytes; at least the number of bytes in the file. */
  readonly memory: bigint;
  /** Reason why memory may have other bytes when the program starts; absent if it has these. */
  readonly notInitial?: string;
  /** Absent if the file does not state permissions. */
  readonly flags?: SegmentFlags;
}
