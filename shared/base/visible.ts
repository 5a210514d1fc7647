/**
 * Makes hidden characters visible: a character that a screen obeys or does not draw is replaced by its code point, `[U+202E]`.
 *
 * Traces and images contain text of unknown origin. A name must not look like another name, reverse the direction of the text
 * beside it, or control a terminal. Text that a person wrote keeps the characters that scripts and emoji need.
 */

/** Escapes one line of text from a trace or an image, or a path. */
export function visible(text: string): string {
  return OTHER.test(text) ? text.toWellFormed().replaceAll(UNSEEN, named) : text;
}

/** Escapes text that a person wrote. Line ends and tabs are kept if `lines` is true; otherwise they become blanks. */
export function steady(text: string, lines = false): string {
  return text
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[\t\n]/g, (blank) => (lines ? blank : ' '))
    .replaceAll(STEERING, named);
}

/** Matches anything but printable ASCII and tabs. Nearly no trace text matches, and this test is five times faster than UNSEEN. */
const OTHER = /[^\t -~]/;

/**
 * Controls except the tab, which is drawn as a gap; format characters, which include all changes of direction; characters that no
 * font draws; separators other than the blank.
 */
const UNSEEN = /(?![\t ])[\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\ufffe\uffff]/gu;

/** Controls; embeddings, overrides and isolates of direction; line and paragraph separators; the byte order mark; noncharacters. */
const STEERING = /(?![\t\n])[\p{Cc}\u202a-\u202e\u2066-\u2069\u2028\u2029\ufeff\ufffe\uffff]/gu;

/**
 * Returns a value as JSON in which controls and changes of direction stand as escapes, so that it can be printed on a terminal. Parsing it
 * gives the same value.
 */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replaceAll(
    ESCAPED,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Characters that a screen obeys and JSON.stringify leaves as they are: DEL, C1 controls, marks and changes of direction, separators. */
const ESCAPED = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

function named(character: string): string {
  return `[U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}]`;
}
