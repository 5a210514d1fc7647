/**
 * Which samples are there? test/samples/<format>/<case>/ holds
 * - `trace.*`: the input;
 * - `golden.txt`: what golden.ts prints for it; rewritten by running the laws with UPDATE_GOLDENS=1;
 * - `settings.json`, optional: `{"options": {name: value}, "claimed": false}`: settings to decode with (they win over
 *   what `sniff` suggests), and whether `sniff` cannot know this input as its own (it is broken beyond that);
 *   `"claimed": "guess"`: it is known as its own, but is too short or too broken to be sure, so that a person is asked.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { HEAD_BYTES } from '../../shared/format/format.ts';
import type { Claim, Decoder, Format, Head, Settings } from '../../shared/format/format.ts';

export interface Sample {
  readonly format: string;
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly goldenPath: string;
  readonly options: Settings;
  readonly claimed: boolean;
  readonly guessed: boolean;
}

const ROOT = fileURLToPath(new URL('../samples/', import.meta.url));

export function findSamples(): readonly Sample[] {
  return folders(ROOT).flatMap((format) => folders(`${ROOT}${format}/`).map((name) => readSample(format, name)));
}

/** The decoder that detection would open: the claim's options and dialect, under the sample's own settings. */
export function openSample(format: Format, sample: Sample): Decoder {
  const claim = format.sniff(headOf(sample.bytes));
  const opened = format.open({ ...settingsOf(claim), ...sample.options });
  if (!opened.ok) throw new Error(`${sample.format}/${sample.name}: ${opened.error.message}`);
  return opened.value;
}

/** Returns a decoder for each value of each option, the defaults first. */
export function openEach(format: Format): readonly Decoder[] {
  return eachSettings(format).flatMap((settings) => openWith(format, settings));
}

/** Returns the settings with each value of each option, the defaults first. */
export function eachSettings(format: Format): readonly Settings[] {
  return [{}, ...format.options.flatMap(({ name, values }) => values.map((value) => ({ [name]: value })))];
}

/** Returns the decoder with these settings; none if a setting needs another one. */
export function openWith(format: Format, settings: Settings): readonly Decoder[] {
  const opened = format.open(settings);
  return opened.ok ? [opened.value] : [];
}

export function headOf(bytes: Uint8Array): Head {
  return { bytes: bytes.slice(0, HEAD_BYTES), size: bytes.length };
}

function settingsOf(claim: Claim | undefined): Settings {
  if (claim === undefined) return {};
  return claim.dialect === undefined ? claim.options : { ...claim.options, dialect: claim.dialect };
}

function readSample(format: string, name: string): Sample {
  const folder = `${ROOT}${format}/${name}/`;
  const inputs = readdirSync(folder).filter((file) => file.startsWith('trace.'));
  if (inputs.length !== 1) throw new Error(`test/samples/${format}/${name} must hold one file trace.*`);
  const settings = readSettings(`${folder}settings.json`);
  return {
    format,
    name,
    bytes: new Uint8Array(readFileSync(folder + inputs[0]!)),
    goldenPath: `${folder}golden.txt`,
    options: settings.options ?? {},
    claimed: settings.claimed !== false,
    guessed: settings.claimed === 'guess',
  };
}

interface SampleSettings {
  readonly options?: Settings;
  readonly claimed?: boolean | 'guess';
}

function readSettings(path: string): SampleSettings {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as SampleSettings) : {};
}

function folders(path: string): readonly string[] {
  if (!existsSync(path)) return [];
  const entries = readdirSync(path, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
}
