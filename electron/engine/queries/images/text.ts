/** Says in one to three sentences how well an image matches a trace. */
import { basename } from 'node:path';
import type { ImageMatch } from '../../../../shared/requests/requests.ts';
import { imagePlaceText } from '../../../../shared/requests/places/image-place.ts';
import { counted, group } from '../../../../shared/base/numbers.ts';
import type { Image } from '../../image/image.ts';
import type { Trace } from '../../trace.ts';

type Figures = Omit<ImageMatch, 'text'>;

export function matchText(image: Image, figures: Figures, { format, reader }: Trace): string {
  const name = basename(image.path);
  const { verdict, evidence, checked, outside } = figures;
  if (verdict === 'other-machine') {
    return `${name} is ${image.machine?.name ?? 'other'} code, and the trace is of another processor.`;
  }
  const { branches } = reader.decoder.format;
  const lacks =
    branches?.as === 'messages'
      ? 'No branch of the trace could be compared'
      : `The format (${format.name}) has no opcodes`;
  const unchecked = `${lacks}, so another build of ${name} would not be noticed.`;
  if (evidence === 'none') return hasCode(image) ? unchecked : `${name} contains no code that could be compared.`;
  if (evidence === 'addresses' || evidence === 'fetches') {
    return figures.matching === 0 ? noneText(name, figures) : `${addressText(name, figures)} ${unchecked}`;
  }
  if (verdict === 'elsewhere') return elsewhereText(name, figures);
  const lie =
    outside === 0
      ? ''
      : ` ${counted(outside, FACTS[evidence].one, FACTS[evidence].many)} outside it ${outside === 1 ? 'was' : 'were'} not compared.`;
  if (checked === 0) return noneText(name, figures);
  if (verdict === 'other-build') {
    return `${name} is probably another program or another build: it ${matches(figures)}. ${firstText(figures)}${lie}`;
  }
  if (verdict === 'match') return `${name} ${matches(figures)}.${lie}`;
  if (verdict === 'unknown') return `${name} ${matches(figures)}, too few to distinguish builds.${lie}`;
  const reservation = evidence === 'branches' ? ' Interrupts may cause such differences.' : '';
  return `${name} ${matches(figures)}. ${firstText(figures)}${reservation}${lie}`;
}

const FACTS = {
  opcodes: { one: 'executed opcode', many: 'executed opcodes' },
  branches: { one: 'branch', many: 'branches' },
  paths: { one: 'path', many: 'paths' },
  addresses: { one: 'executed address', many: 'executed addresses' },
  fetches: { one: 'fetched address', many: 'fetched addresses' },
  none: { one: 'record', many: 'records' },
} as const satisfies Record<ImageMatch['evidence'], { readonly one: string; readonly many: string }>;

/** `matches 99.8 % of 97,006 executed opcodes`; `matches 14.7 % of 210 branch sources`. */
function matches(figures: Figures): string {
  const { evidence, sampledOf, distinct = { checked: 0, matching: 0 } } = figures;
  const isByPlace = evidence === 'branches' || evidence === 'paths';
  const { checked, matching } = isByPlace ? distinct : figures;
  const { one, many } = isByPlace ? PLACES[evidence] : FACTS[evidence];
  const of = isByPlace ? PLACES[evidence].sampled : '';
  const sample = sampledOf === undefined ? '' : ` (a sample of ${group(sampledOf)}${of})`;
  return `matches ${percent(matching, checked)} of ${counted(checked, one, many)}${sample}`;
}

/** Facts that loops repeat: the share counts each place once. */
const PLACES = {
  branches: { one: 'branch source', many: 'branch sources', sampled: ' branches' },
  paths: { one: 'path between known addresses', many: 'paths between known addresses', sampled: ' records' },
} as const;

/** Rounds towards the middle: only all is 100 %, and only none is 0 %. */
export function percent(part: number, whole: number): string {
  const tenths = Math.floor((part / whole) * 1000);
  if (part === whole) return '100 %';
  if (part > 0 && tenths === 0) return 'less than 0.1 %';
  return `${(tenths / 10).toFixed(tenths === 0 ? 0 : 1)} %`;
}

function firstText({ first, evidence }: Figures): string {
  if (first === undefined) return '';
  const { n, address, trace, image, target, instruction } = first;
  const where = `record ${group(n)}${address === undefined ? '' : ` at ${address}`}`;
  if (evidence === 'branches') {
    const to = target === undefined ? '' : ` to ${target}`;
    const held = instruction === undefined ? 'no instruction' : `"${instruction}"`;
    return `First difference: record ${group(n)} branches from ${address}${to}, and the image has ${held} there.`;
  }
  if (evidence === 'paths') {
    return `First difference: the image does not allow the branches that begin with record ${group(n)} at ${address}.`;
  }
  if (trace === undefined || image === undefined) return `First difference: ${where}.`;
  return `First difference: ${where} executes ${trace}, and the image has ${image}.`;
}

function elsewhereText(name: string, figures: Figures): string {
  const { moved, checked } = figures;
  if (moved === undefined) return '';
  const here = checked === 0 ? 'contains no executed opcode at this address' : matches(figures);
  const there = `${percent(moved.matching, moved.checked)} of ${counted(moved.checked, 'executed opcode')}`;
  return `${name} was loaded at another address: it ${here}. As ${imagePlaceText({ ...moved.place, path: name })} it matches ${there}.`;
}

function addressText(name: string, { evidence, checked, matching }: Figures): string {
  const { one, many } = FACTS[evidence];
  const some = matching === checked ? 'All' : `${percent(matching, checked)} of`;
  return `${some} ${counted(checked, one, many)} ${checked === 1 ? 'lies' : 'lie'} in the code of ${name}.`;
}

function noneText(name: string, { evidence, sampledOf }: Figures): string {
  const { one, many } = FACTS[evidence];
  const sample = sampledOf === undefined ? '' : ` (in a sample of ${group(sampledOf)} ${many})`;
  return `No ${one} of the trace${sample} lies in ${name}: it is another program, or it was loaded at another address.`;
}

function hasCode({ segments }: Image): boolean {
  return segments.some(({ bytes }) => bytes.length > 0);
}
