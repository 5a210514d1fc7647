// Opens captures of a Pentium bus for the tests, and prints what the tests compare.
import type { Decoder, Settings } from '../../shared/format/format.ts';
import { btm } from '../../shared/formats/btm/btm.ts';
import { decodeAll, type Driven } from '../laws/drive.ts';

export const HEADER = 'time_ns,M/IO#,D/C#,W/R#,BE[7:0],A[31:3],D[63:0]';

export function opened(settings: Settings = {}): Decoder {
  const decoder = btm.open(settings);
  if (!decoder.ok) throw new Error(decoder.error.message);
  return decoder.value;
}

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Opens the capture with the settings that detection suggests. */
export function read(text: string, settings: Settings = {}): Driven {
  const bytes = bytesOf(text);
  const claim = btm.sniff({ bytes, size: bytes.length });
  return decodeAll(opened({ ...claim?.options, ...settings }), bytes, { describe: () => true });
}

export function refusal(settings: Settings): string {
  const decoder = btm.open(settings);
  return decoder.ok ? 'opened' : decoder.error.message;
}

/** Kind, source, target and marks of every record. */
export function reported({ records }: Driven): string[] {
  return records.map(({ fields }) =>
    [fields?.kind, fields?.native, fields?.source, fields?.target, fields?.address]
      .map((each) => each ?? '-')
      .join(' '),
  );
}

export function pairsOf({ records }: Driven): readonly string[] {
  return records
    .filter(({ kind }) => kind === 'branch')
    .map(({ time, cpu, address, target }) => `${String(time)} ${String(cpu)} ${address} ${target}`);
}
