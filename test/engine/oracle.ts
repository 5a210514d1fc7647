/**
 * The slow oracle: every answer from a walk over all records with big integers. Its records come from decoding the whole file as one
 * block (test/laws/drive.ts), never from the engine.
 */
import fs from 'node:fs';
import type { Settings } from '../../shared/format/format.ts';
import { formatById } from '../../shared/formats/index.ts';
import { FLAG } from '../../shared/records/batch.ts';
import { byCode } from '../../shared/format/diagnostics.ts';
import { assert } from '../../shared/base/result.ts';
import { decodeAll } from '../laws/drive.ts';

export interface OracleRecord {
  readonly n: number;
  readonly offset: number;
  readonly kind: string;
  readonly native: string;
  /** Undefined if the record has no address. */
  readonly low: bigint | undefined;
  /** Last byte touched; an access of unknown size touches one byte, and none extends beyond the top of the address space. */
  readonly high: bigint | undefined;
  readonly time: number;
}

export interface OracleAnswers {
  readonly records: readonly OracleRecord[];
  readonly diagnostics: Readonly<Record<string, number>>;
}

const TOP = (1n << 64n) - 1n;

export function readAll(file: string, format: string, settings: Settings): OracleAnswers {
  const opened = formatById(format)?.open(settings);
  assert(opened?.ok === true, 'the oracle knows the format');
  const driven = decodeAll(opened.value, new Uint8Array(fs.readFileSync(file)));
  return {
    records: driven.records.map(({ n, start, kind, native, address, size, flags, time }) => {
      const low = (flags & FLAG.address) === 0 ? undefined : BigInt(address);
      const end = low === undefined ? undefined : low + BigInt(Math.max(1, size)) - 1n;
      return { n, offset: start, kind, native, low, high: end === undefined || end <= TOP ? end : TOP, time };
    }),
    diagnostics: Object.fromEntries(byCode(driven.diagnostics).map(({ code, count }) => [code, count])),
  };
}

export interface OracleQuestion {
  readonly low?: bigint;
  readonly high?: bigint;
  readonly kinds?: readonly string[];
}

export function matches(record: OracleRecord, { low, high, kinds }: OracleQuestion): boolean {
  if (kinds !== undefined && !kinds.includes(record.kind)) return false;
  if (low === undefined || high === undefined) return true;
  return record.low !== undefined && record.high !== undefined && record.low <= high && record.high >= low;
}

/** Accesses per 4096-byte page and kind, counted at their start, with the first and last record. */
export function pagesOf(
  records: readonly OracleRecord[],
  size: bigint,
): { page: string; kinds: Record<string, number>; first: number; last: number }[] {
  const pages = new Map<bigint, { kinds: Record<string, number>; first: number; last: number }>();
  for (const { n, kind, low } of records) {
    if (low === undefined) continue;
    const page = (low / size) * size;
    const known = pages.get(page) ?? { kinds: {}, first: n, last: n };
    known.kinds[kind] = (known.kinds[kind] ?? 0) + 1;
    known.last = n;
    pages.set(page, known);
  }
  return [...pages]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([page, { kinds, first, last }]) => ({ page: `0x${page.toString(16)}`, kinds, first, last }));
}
