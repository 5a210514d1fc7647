/**
 * Text in which nothing is hidden: what a screen would obey or swallow stands as its name, `[U+202E]`.
 *
 * Traces and images bring text from anywhere: a name must not be able to look like another one, turn the direction of what stands
 * beside it, or steer a terminal. What people write keeps what their scripts and pictures need.
 */

/** One line of text of a trace or an image, or a path. */
export function visible(text: string): string {
  return OTHER.test(text) ? text.toWellFormed().replaceAll(UNSEEN, named) : text;
}

/** Text that a person wrote. Line ends and tabs stay where `lines` says so, else they are blanks. */
export function steady(text: string, lines = false): string {
  return text
    .toWellFormed()
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll(/[\t\n]/g, (blank) => (lines ? blank : ' '))
    .replaceAll(STEERING, named);
}

/** More than printed ASCII and tabs: nearly no text of a trace has any of it, and this tells so five times as fast. */
const OTHER = /[^\t -~]/;

/** Controls but the tab, which is a gap wherever it is shown; formats, among them all that turn directions; what no font draws; blanks that are none. */
const UNSEEN = /(?![\t ])[\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\ufffe\uffff]/gu;

/** Controls; embeddings, overrides and isolates of direction; line and paragraph separators; the byte order mark; what is no character. */
const STEERING = /(?![\t\n])[\p{Cc}\u202a-\u202e\u2066-\u2069\u2028\u2029\ufeff\ufffe\uffff]/gu;

function named(character: string): string {
  return `[U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}]`;
}
