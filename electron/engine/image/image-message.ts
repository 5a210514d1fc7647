/** Messages between the engine and the thread that reads images. Bytes, symbols and lines are in shared memory, so that none is copied. */
import type { ImagePart, ImagePlace } from '../../../shared/requests/requests.ts';
import type { Failure } from '../../../shared/base/result.ts';
import type { DebugScopes } from './elf/dwarf-scopes.ts';
import type { DebugVariables } from './elf/dwarf-types.ts';
import { codeStatesOf, type StateColumns } from './code-states.ts';
import type { Image } from './image.ts';
import { lineTableOf, type LineColumns } from './line-table.ts';
import { symbolTableOf, type SymbolColumns } from './symbols.ts';

/**
 * The thread reads one image after another: progress, then a failure, or the content and, if `hasLines`, the lines. It reads the variables
 * or the scopes of an image only if they are requested, and only if the file is still the one with the digest.
 */
export type ToImageThread = ImagePlace | VariablesWanted | ScopesWanted;
export interface VariablesWanted {
  readonly variablesOf: string;
  readonly digest: string;
}
export interface ScopesWanted {
  readonly scopesOf: string;
  readonly digest: string;
}
export type FromImageThread =
  | { readonly type: 'progress'; readonly part: ImagePart; readonly bytes: number; readonly of: number }
  | { readonly type: 'failure'; readonly error: Failure }
  | { readonly type: 'content'; readonly image: SentImage; readonly hasLines: boolean }
  | { readonly type: 'lines'; readonly lines: LineColumns }
  | { readonly type: 'variables'; readonly variables: DebugVariables }
  | { readonly type: 'scopes'; readonly scopes: DebugScopes };

type Plain = Omit<Image, 'symbols' | 'states' | 'lines' | 'digest' | 'debug'>;

export interface SentImage extends Plain {
  readonly symbols: SymbolColumns;
  readonly states: StateColumns;
  readonly digest: string;
  readonly debug?: { readonly path: string; readonly digest: string };
}

export function sentImage(image: Image): SentImage {
  const { symbols, states, digest, debug } = image;
  // A function cannot be sent.
  const plain: Plain & { lines?: unknown; debug?: unknown } = { ...image };
  delete plain.lines;
  delete plain.debug;
  return {
    ...(plain as Plain),
    symbols: symbols.columns,
    states: states.columns,
    digest: digest(),
    ...(debug && { debug: { path: debug.path, digest: debug.digest() } }),
  };
}

export function receivedImage({ symbols, states, digest, debug, ...rest }: SentImage): Image {
  return {
    ...rest,
    symbols: symbolTableOf(symbols),
    states: codeStatesOf(states),
    digest: () => digest,
    ...(debug && { debug: { path: debug.path, digest: () => debug.digest } }),
  };
}

export function withLines(image: Image, columns: LineColumns): Image {
  const table = lineTableOf(columns);
  return { ...image, lines: () => table };
}
