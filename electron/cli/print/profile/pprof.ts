/** A profile as pprof reads it: profile.proto, gzipped. Each call path is a sample with the number of its calls and its own cost. */
import { gzipSync } from 'node:zlib';
import type { CallTree } from '../../../../shared/requests/flow.ts';
import { createMessage } from './proto.ts';
import { framesOf, stacksOf, timeUnit } from './stacks.ts';
import type { StackSettings } from './speedscope.ts';

/** Numbers of fields (github.com/google/pprof, proto/profile.proto). */
const PROFILE = { sampleType: 1, sample: 2, location: 4, function: 5, strings: 6, comment: 13, defaultType: 14 };
const VALUE_TYPE = { type: 1, unit: 2 };
const SAMPLE = { locations: 1, values: 2 };
const LOCATION = { id: 1, address: 3, line: 4 };
const LINE = { function: 1, line: 2 };
const FUNCTION = { id: 1, name: 2, systemName: 3, file: 4, startLine: 5 };

export function pprofOf({ roots, unit }: CallTree, { name, version, placeOf }: StackSettings): Uint8Array {
  const strings = new Map([['', 0]]);
  const text = (own: string): number => {
    if (!strings.has(own)) strings.set(own, strings.size);
    return strings.get(own)!;
  };
  const profile = createMessage();
  const time = timeUnit(unit);
  const type = time === undefined ? unit : 'time';
  for (const [own, its] of [
    ['calls', 'count'],
    [type, time ?? 'count'],
  ] as const) {
    const valueType = createMessage().number(VALUE_TYPE.type, text(own)).number(VALUE_TYPE.unit, text(its));
    profile.bytes(PROFILE.sampleType, valueType.done());
  }
  const frames = framesOf(roots, placeOf);
  // Numbers begin with 1.
  const numbers = new Map([...frames.keys()].map((id, at) => [id, at + 1]));
  for (const { path, self, calls } of stacksOf(roots)) {
    const locations = path.toReversed().map((id) => numbers.get(id)!);
    const sample = createMessage()
      .packed(SAMPLE.locations, locations)
      .packed(SAMPLE.values, [calls, Math.round(self)]);
    profile.bytes(PROFILE.sample, sample.done());
  }
  for (const { id, name: own, symbol = own, file = '', line = 0 } of frames.values()) {
    const number = numbers.get(id)!;
    const place = createMessage().number(LINE.function, number).number(LINE.line, line);
    const location = createMessage()
      .number(LOCATION.id, number)
      .number(LOCATION.address, /^0x[0-9a-f]+$/.test(id) ? BigInt(id) : 0)
      .bytes(LOCATION.line, place.done());
    const fn = createMessage()
      .number(FUNCTION.id, number)
      .number(FUNCTION.name, text(own))
      .number(FUNCTION.systemName, text(symbol))
      .number(FUNCTION.file, text(file))
      .number(FUNCTION.startLine, line);
    profile.bytes(PROFILE.location, location.done()).bytes(PROFILE.function, fn.done());
  }
  profile.packed(PROFILE.comment, [text(`Tracebench ${version}: ${name}`)]);
  profile.number(PROFILE.defaultType, text(type));
  for (const string of strings.keys()) profile.bytes(PROFILE.strings, string);
  return gzipSync(profile.done());
}
