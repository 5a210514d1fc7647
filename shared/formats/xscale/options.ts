/** Options of the format: what the bytes of a trace do not contain. Invalid values fail with one sentence. */
import type { FormatOption, Settings } from '../../format/format.ts';
import { fail, ok, type Result } from '../../base/result.ts';
import { parseAddress } from '../../base/units.ts';
import type { Choices } from './decode.ts';

export const DIALECTS = ['raw', 'checkpoints', 'words', 'words-checkpoints', 'openocd', 'hex'] as const;
export type Dialect = (typeof DIALECTS)[number];

const ALL = 'all';

export const OPTIONS: readonly FormatOption[] = [
  {
    name: 'dialect',
    values: DIALECTS,
    default: 'raw',
    text: 'How the buffers were stored: 256 bytes each, followed by the checkpoint registers or not, as 32-bit words, by OpenOCD, as hexadecimal text',
  },
  {
    name: 'endian',
    values: ['auto', 'big', 'little'],
    default: 'auto',
    text: 'Byte order of words and checkpoint registers; auto judges the content',
  },
  {
    name: 'base',
    values: ['0', '0xffff0000'],
    default: '0',
    text: 'Address of the exception vectors, which the buffer does not contain',
  },
  {
    name: 'state',
    values: ['auto', 'arm', 'thumb'],
    default: 'auto',
    text: 'Instruction set at the first known address of a capture, for following the flow; auto decides from the image and the addresses',
  },
  {
    name: 'enable-pc',
    values: [],
    default: '',
    text: 'Address at which tracing was enabled, for following the flow from the first entry of a buffer that has not wrapped',
  },
  {
    name: 'checkpoints',
    values: [],
    default: '',
    text: 'CHKPT0,CHKPT1 of the first capture (or of the chosen one), then those of the following captures',
  },
  { name: 'capture', values: [], default: ALL, text: 'The only capture to read, counted from 0; all reads every one' },
];

export function readChoices(settings: Settings): Result<Choices> {
  const capture = readCapture(settings['capture'] ?? ALL);
  if (!capture.ok) return capture;
  const checkpoints = readCheckpoints(settings['checkpoints'] ?? '');
  if (!checkpoints.ok) return checkpoints;
  const start = settings['enable-pc'] ?? '';
  if (start !== '' && address(start) === undefined) {
    return fail(
      'unknown-value',
      `xscale cannot read enable-pc=${start}: write a 32-bit address with 0x, such as 0x8000`,
    );
  }
  return ok({
    base: settings['base'] === '0xffff0000' ? 0xffff0000 : 0,
    capture: capture.value,
    checkpoints: checkpoints.value,
  });
}

function readCapture(text: string): Result<number | undefined> {
  if (text === ALL) return ok(undefined);
  if (/^[0-9]{1,15}$/.test(text)) return ok(Number(text));
  return fail('unknown-value', `xscale cannot read capture=${text}: write a number (0 is the first), or ${ALL}`);
}

function readCheckpoints(text: string): Result<Choices['checkpoints']> {
  if (text === '') return ok([]);
  const pairs: (readonly [number, number | undefined])[] = [];
  const words = text.split(',');
  for (let i = 0; i < words.length; i += 2) {
    const first = address(words[i]!);
    const second = i + 1 < words.length ? address(words[i + 1]!) : undefined;
    if (first === undefined || (second === undefined && i + 1 < words.length)) {
      const how = 'write 32-bit addresses with 0x, such as 0x8540,0x81e4';
      return fail('unknown-value', `xscale cannot read checkpoints=${text}: ${how}`);
    }
    pairs.push([first, second]);
  }
  return ok(pairs);
}

/** Parses an address with 0x. Digits without it, such as 00008160 from a dump, would be a different address as a decimal number. */
function address(text: string): number | undefined {
  const value = /^\s*0x/i.test(text) ? parseAddress(text) : undefined;
  return value === undefined || value > 0xffffffffn ? undefined : Number(value);
}
