/** A profile as JSON of speedscope (file-format-schema.json): each call path with its own cost, as one weighted sample. */
import type { CallTree } from '../../../../shared/requests/flow.ts';
import { framesOf, stacksOf, timeUnit, type Frame } from './stacks.ts';

export interface StackSettings {
  /** Name of the trace. */
  readonly name: string;
  readonly version: string;
  placeOf(id: string): Pick<Frame, 'file' | 'line'>;
}

export function speedscopeOf({ roots, unit }: CallTree, { name, version, placeOf }: StackSettings): string {
  const frames = framesOf(roots, placeOf);
  const numbers = new Map([...frames.keys()].map((id, at) => [id, at]));
  const stacks = [...stacksOf(roots)].filter(({ self }) => self > 0);
  const document = {
    $schema: 'https://www.speedscope.app/file-format-schema.json',
    exporter: `Tracebench ${version}`,
    name,
    activeProfileIndex: 0,
    shared: {
      frames: [...frames.values()].map(({ name: own, file, line }) => ({
        name: own,
        ...(file !== undefined && { file }),
        ...(line !== undefined && { line }),
      })),
    },
    profiles: [
      {
        type: 'sampled',
        name: `${name} (${unit})`,
        unit: timeUnit(unit) ?? 'none',
        startValue: 0,
        endValue: stacks.reduce((sum, { self }) => sum + self, 0),
        samples: stacks.map(({ path }) => path.map((id) => numbers.get(id)!)),
        weights: stacks.map(({ self }) => self),
      },
    ],
  };
  return `${JSON.stringify(document)}\n`;
}
