/**
 * Reads the file names in the header of a DWARF line table. A name includes its directory unless that is the compilation directory. Names
 * are built when a row needs them, because a hostile header can list millions.
 *
 * DWARF 5, sections 6.2.4 (header), 6.2.4.1 (entry formats), 7.5.6 (codes of forms); DWARF 4, section 6.2.4.
 */
import type { Cursor } from './cursor.ts';
import type { Data } from './data.ts';
import type { LineTableWriter } from '../line-table.ts';

export interface LineSections {
  /** `.debug_line`. */
  readonly lines: Data;
  /** `.debug_line_str` and `.debug_str`, if present. */
  readonly lineStrings?: Data;
  readonly strings?: Data;
}

export interface FileNames {
  /** Returns the table's number for a file of the header; -1 if the header does not list it. */
  number(file: number, table: Pick<LineTableWriter, 'file'>): number;
  /** Reads a file that DW_LNE_define_file adds. */
  define(cursor: Cursor): void;
}

/** A name in a section, with the number of its directory. */
interface Entry {
  readonly from: Data | undefined;
  readonly at: number;
  readonly directory: number;
}

const MOST_ENTRIES = 200_000;

/** Reads the lists of directories and files; undefined if they are malformed. */
export function readFileNames(
  sections: LineSections,
  cursor: Cursor,
  version: number,
  word: 4 | 8,
): FileNames | undefined {
  const old = version < 5;
  const directories = old ? oldDirectories(sections.lines, cursor) : readEntries(sections, cursor, word);
  if (directories === undefined) return undefined;
  const files = old ? oldFiles(sections.lines, cursor) : readEntries(sections, cursor, word);
  if (files === undefined) return undefined;
  const numbers = new Map<number, number>();
  return {
    number(file, table) {
      const known = numbers.get(file);
      if (known !== undefined) return known;
      const entry = files[old ? file - 1 : file];
      if (entry === undefined) return -1;
      const name = pathOf(entry, directories);
      const number = name === undefined ? -1 : table.file(name);
      numbers.set(file, number);
      return number;
    },
    define(at) {
      const entry = oldFile(sections.lines, at);
      if (files.length < MOST_ENTRIES) files.push(entry);
    },
  };
}

function pathOf({ from, at, directory }: Entry, directories: readonly Entry[]): string | undefined {
  const name = from?.name(at) ?? '';
  if (name === '') return undefined;
  const home = directories[directory];
  const folder = directory === 0 || home === undefined || isAbsolute(name) ? '' : (home.from?.name(home.at) ?? '');
  return folder === '' ? name : `${folder.replace(/[/\\]$/, '')}/${name}`;
}

function isAbsolute(name: string): boolean {
  return /^(?:[/\\]|[A-Za-z]:[/\\])/.test(name);
}

/** Directory 0 is the compilation directory and is not in the list. */
function oldDirectories(data: Data, cursor: Cursor): Entry[] | undefined {
  const entries: Entry[] = [{ from: undefined, at: 0, directory: 0 }];
  while (!atEndOfList(data, cursor)) {
    if (entries.length >= MOST_ENTRIES) return undefined;
    entries.push({ from: data, at: cursor.name(), directory: 0 });
  }
  return entries;
}

function oldFiles(data: Data, cursor: Cursor): Entry[] | undefined {
  const entries: Entry[] = [];
  while (!atEndOfList(data, cursor)) {
    if (entries.length >= MOST_ENTRIES) return undefined;
    entries.push(oldFile(data, cursor));
  }
  return entries;
}

function oldFile(data: Data, cursor: Cursor): Entry {
  const at = cursor.name();
  const directory = cursor.unsigned();
  // Modification time and length.
  cursor.unsigned();
  cursor.unsigned();
  return { from: data, at, directory };
}

/** Returns true at the empty name that ends a list, and skips it. */
function atEndOfList(data: Data, cursor: Cursor): boolean {
  if (cursor.broken || cursor.at >= cursor.end) {
    cursor.skip(1);
    return true;
  }
  if (data.u8(cursor.at) !== 0) return false;
  cursor.skip(1);
  return true;
}

const CONTENT = { path: 1, directory: 2 } as const;

/** Reads a list of version 5: the forms of its fields, then the entries. */
function readEntries(sections: LineSections, cursor: Cursor, word: 4 | 8): Entry[] | undefined {
  const fields = Array.from({ length: cursor.u8() }, () => ({ content: cursor.unsigned(), form: cursor.unsigned() }));
  const count = cursor.unsigned();
  if (count > MOST_ENTRIES || (fields.length === 0 && count > 0)) return undefined;
  const entries: Entry[] = [];
  for (let i = 0; i < count && !cursor.broken; i++) {
    let entry: Entry = { from: undefined, at: 0, directory: 0 };
    for (const { content, form } of fields) {
      const value = readForm(sections, cursor, form, word);
      if (value === undefined) return undefined;
      if (content === CONTENT.path) entry = { ...entry, from: value.from, at: value.number };
      if (content === CONTENT.directory) entry = { ...entry, directory: value.number };
    }
    entries.push(entry);
  }
  return entries;
}

interface FormValue {
  /** Section of a text that starts at `number`; absent for other values. */
  readonly from?: Data | undefined;
  readonly number: number;
}

/** Reads one field; undefined if the form is not allowed here. */
function readForm(sections: LineSections, cursor: Cursor, form: number, word: 4 | 8): FormValue | undefined {
  switch (form) {
    case 0x08: // DW_FORM_string
      return { from: sections.lines, number: cursor.name() };
    case 0x1f: // DW_FORM_line_strp
      return { from: sections.lineStrings, number: cursor.place(word) };
    case 0x0e: // DW_FORM_strp
      return { from: sections.strings, number: cursor.place(word) };
    case 0x0b: // DW_FORM_data1
      return { number: cursor.u8() };
    case 0x05: // DW_FORM_data2
      return { number: cursor.u16() };
    case 0x06: // DW_FORM_data4
      return { number: cursor.place(4) };
    case 0x07: // DW_FORM_data8
      return { number: cursor.place(8) };
    case 0x0f: // DW_FORM_udata
      return { number: cursor.unsigned() };
    case 0x1e: // DW_FORM_data16
      cursor.skip(16);
      return { number: 0 };
    case 0x09: // DW_FORM_block
      cursor.skip(cursor.unsigned());
      return { number: 0 };
    default:
      return undefined;
  }
}
