/**
 * Tracks below the overview: what they show, and the names by which the view of a trace keeps them: `phases`, `register 0 r1`,
 * `memory 0x1000 4`.
 */
import { toHex } from '../base/units.ts';

interface AddressSpan {
  readonly low: bigint;
  readonly bytes: number;
}

interface RegisterName {
  readonly name: string;
  readonly cpu?: number;
}

export type TimeTrack = { readonly id: string } & (
  | { readonly kind: 'phases' | 'functions' | 'depth' | 'interrupts' | 'accesses' }
  | { readonly kind: 'register'; readonly register: RegisterName }
  | { readonly kind: 'memory'; readonly address: AddressSpan }
);

/** The tracks that every trace has. */
export const PLAIN_TRACKS = ['phases', 'functions', 'depth', 'interrupts', 'accesses'] as const;
/** The tracks about the calls of one CPU. */
export const CALL_TRACKS: readonly TimeTrack['kind'][] = ['phases', 'functions', 'depth'];
/** The tracks of a trace that nobody has chosen. */
export const FIRST_TRACKS: readonly string[] = ['phases'];
/** Upper bound on the tracks of a trace. */
export const MOST_TRACKS = 12;
/** Longest value of memory that a curve shows, in bytes. */
export const MOST_BYTES = 8;
/** Processor of a register in a trace that names none. */
const NO_CPU = '-';

export function registerTrack({ name, cpu }: RegisterName): string {
  return `register ${cpu ?? NO_CPU} ${name}`;
}

export function memoryTrack({ low, bytes }: AddressSpan): string {
  return `memory ${toHex(low)} ${bytes}`;
}

/** Returns the track of a name; undefined if it is not one. */
export function trackOf(id: string): TimeTrack | undefined {
  const plain = PLAIN_TRACKS.find((kind) => kind === id);
  if (plain !== undefined) return { id, kind: plain };
  const register = /^register (\d{1,5}|-) (\S.*)$/.exec(id);
  if (register) {
    const [, cpu = NO_CPU, name = ''] = register;
    return { id, kind: 'register', register: { name, ...(cpu !== NO_CPU && { cpu: Number(cpu) }) } };
  }
  const memory = /^memory (0x[0-9a-f]{1,16}) ([1-8])$/.exec(id);
  if (!memory) return undefined;
  return { id, kind: 'memory', address: { low: BigInt(memory[1]!), bytes: Number(memory[2]) } };
}

/** Returns the title of a track. */
export function trackTitle(track: TimeTrack): string {
  switch (track.kind) {
    case 'phases':
      return 'Phases';
    case 'functions':
      return 'Function';
    case 'depth':
      return 'Call depth';
    case 'interrupts':
      return 'Interrupts';
    case 'accesses':
      return 'Accesses';
    case 'register':
      return `${track.register.name}${track.register.cpu === undefined ? '' : ` of CPU ${track.register.cpu}`}`;
    case 'memory':
      return `${toHex(track.address.low)}, ${track.address.bytes === 1 ? '1 byte' : `${track.address.bytes} bytes`}`;
  }
}
