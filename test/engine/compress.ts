/**
 * Writes files as `compress` does (LZW, .Z), from the description of its codes and independently of the decoder: a dictionary of texts,
 * and the bits as a list.
 */
export interface CompressOptions {
  /** Maximum bits of a code. */
  readonly bits?: number;
  /** True if code 256 clears the table; then it is written every `clearEvery` codes. */
  readonly clearEvery?: number;
}

export function compress(content: Uint8Array, { bits = 16, clearEvery }: CompressOptions = {}): Uint8Array {
  const firstFree = clearEvery === undefined ? 256 : 257;
  const out: number[] = [];
  let dictionary = new Map<string, number>();
  let entries = firstFree;
  let width = 9;
  let written = 0;
  let group: number[] = [];
  let since = 0;

  const flush = (whole: boolean): void => {
    const used = group.flatMap((code) => Array.from({ length: width }, (_, bit) => Math.floor(code / 2 ** bit) % 2));
    const length = whole ? 8 * width : Math.ceil(used.length / 8) * 8;
    if (used.length === 0) return;
    while (used.length < length) used.push(0);
    for (let at = 0; at < used.length; at += 8) {
      out.push(used.slice(at, at + 8).reduce((byte, bit, place) => byte + bit * 2 ** place, 0));
    }
    group = [];
  };
  const emit = (code: number): void => {
    group.push(code);
    written++;
    since++;
    if (group.length === 8) flush(true);
    // The reader has one entry less than the writer, since it learns an entry from the following code.
    const known = firstFree + Math.max(0, written - 1);
    // Also if the maximum is nine bits: compress of 4.3BSD checks the maximum only after the first growth.
    if (known === 2 ** width && width < Math.max(bits, 10)) {
      flush(true);
      width++;
    }
  };

  let text = '';
  const codeOf = (of: string): number => (of.length === 1 ? of.charCodeAt(0) : dictionary.get(of)!);
  for (const byte of content) {
    const longer = text + String.fromCharCode(byte);
    if (longer.length === 1 || dictionary.has(longer)) {
      text = longer;
      continue;
    }
    emit(codeOf(text));
    if (entries < 2 ** bits) dictionary.set(longer, entries++);
    text = String.fromCharCode(byte);
    if (clearEvery !== undefined && since >= clearEvery) {
      emit(256);
      flush(true);
      dictionary = new Map();
      entries = firstFree;
      width = 9;
      written = 0;
      since = 0;
    }
  }
  if (text !== '') emit(codeOf(text));
  flush(false);
  return Uint8Array.from([0x1f, 0x9d, bits + (clearEvery === undefined ? 0 : 128), ...out]);
}
