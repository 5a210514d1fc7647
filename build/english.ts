// Finds words and openings that readers of this project should not have to decode: in comments, texts, test titles, names, documents.
//
// The rules are data (english.json), with the reason for each; `npm run check` runs them over every tracked file. They catch the
// habits that made earlier texts hard to read. They do not replace a reader: a sentence can pass and still be unclear.
import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** A refused habit. `pattern` is a regular expression; `instead` says what to write. */
interface Rule {
  readonly pattern: string;
  readonly instead: string;
}

interface Rules {
  /** Openings of comments. */
  readonly openings: readonly Rule[];
  /** Words and phrases in prose: comments, messages, titles of tests, documents. */
  readonly phrases: readonly Rule[];
  /** Words inside identifiers, in lower case. */
  readonly nameParts: readonly Rule[];
}

/** One finding: a 1-based line, the text that was matched, and the advice. */
export interface Finding {
  readonly line: number;
  readonly found: string;
  readonly instead: string;
}

const rules = JSON.parse(readFileSync(new URL('english.json', import.meta.url), 'utf8')) as Rules;
const openings = compile(rules.openings, (pattern) => new RegExp(`^(?:${pattern})`));
const phrases = compile(rules.phrases, (pattern) => new RegExp(`\\b(?:${pattern})\\b`, 'gi'));
const nameParts = compile(rules.nameParts, (pattern) => new RegExp(`^(?:${pattern})$`));

/**
 * Returns the findings in one file, in the order of its lines.
 * @param path decides how the file is read: TypeScript, JavaScript, Svelte, C, CSS or Markdown
 */
export function findingsIn(path: string, text: string): readonly Finding[] {
  if (path.endsWith('.md')) return prose(proseOfMarkdown(text), 0, text);
  const markup = path.endsWith('.svelte') ? prose(markupText(text), 0, text) : [];
  const found = commentsOf(path, text).flatMap(({ at, words }) => [
    ...opening(words, at, text),
    ...prose(words, at, text),
  ]);
  for (const { code, at } of codeOf(path, text)) found.push(...textsAndNames(code, at, text));
  return [...found, ...markup].sort((a, b) => a.line - b.line);
}

interface Comment {
  readonly at: number;
  readonly words: string;
}

/** Comments with their marks replaced by spaces, so that offsets stay true. Consecutive line comments count as one. */
function commentsOf(path: string, text: string): readonly Comment[] {
  const pattern = path.endsWith('.svelte')
    ? /<!--[^]*?-->|\/\*[^]*?\*\/|(?:(?<=^|\n)[ \t]*\/\/[^\n]*\n?)+/g
    : /\/\*[^]*?\*\/|(?:(?<=^|\n)[ \t]*\/\/[^\n]*\n?)+/g;
  return [...text.matchAll(pattern)].map((match) => ({
    at: match.index,
    words: match[0]
      .replaceAll(/<!--|-->|\/\*\*?|\*\/|^[ \t]*\/\/+|(?<=\n)[ \t]*(?:\/\/+|\*)/g, (mark) => ' '.repeat(mark.length))
      .replaceAll(/`[^`\n]*`/g, (code) => ' '.repeat(code.length)),
  }));
}

/** Document text without code blocks, inline code and link targets. */
function proseOfMarkdown(text: string): string {
  return text.replaceAll(/```[^]*?```|`[^`\n]*`|\]\([^)]*\)/g, (code) => code.replaceAll(/[^\n]/g, ' '));
}

function opening(words: string, at: number, text: string): readonly Finding[] {
  const start = words.search(/\S/);
  if (start < 0) return [];
  const first = words.slice(start);
  for (const { expression, instead } of openings) {
    const match = expression.exec(first);
    if (match) return [{ line: lineOf(text, at + start), found: match[0], instead }];
  }
  return [];
}

function prose(words: string, at: number, text: string): readonly Finding[] {
  return phrases.flatMap(({ expression, instead }) =>
    [...words.matchAll(expression)].map((match) => ({
      line: lineOf(text, at + match.index),
      found: match[0].replaceAll(/\s+/g, ' '),
      instead,
    })),
  );
}

function codeOf(path: string, text: string): readonly { readonly code: string; readonly at: number }[] {
  if (/\.(ts|mjs|js)$/.test(path)) return [{ code: text, at: 0 }];
  if (!path.endsWith('.svelte')) return [];
  return [...text.matchAll(/<script[^>]*>([^]*?)<\/script>/g)].map((match) => ({
    code: match[1] ?? '',
    at: match.index + match[0].indexOf('>') + 1,
  }));
}

/** The text that a component shows: its markup without scripts, styles, tags and expressions. Offsets stay true. */
function markupText(text: string): string {
  const blank = (part: string): string => part.replaceAll(/[^\n]/g, ' ');
  return text
    .replaceAll(/<(script|style)[^>]*>[^]*?<\/\1>|<!--[^]*?-->/g, blank)
    .replaceAll(/\{[^{}]*\}/g, blank)
    .replaceAll(/<\/?[a-zA-Z][^<>]*>/g, blank);
}

/** Findings in declared names and in texts of two words or more: messages, labels, titles of tests. */
function textsAndNames(code: string, at: number, text: string): readonly Finding[] {
  const found: Finding[] = [];
  const source = ts.createSourceFile('code.ts', code, ts.ScriptTarget.Latest, true);
  const visit = (node: ts.Node): void => {
    if (isText(node) && /\w \w/.test(node.text)) found.push(...prose(node.text, at + node.getStart(source), text));
    const name = declaredName(node);
    if (name) found.push(...partsOf(name.text, lineOf(text, at + name.getStart(source))));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function isText(node: ts.Node): node is ts.StringLiteralLike | ts.TemplateLiteralToken {
  return (
    ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddle(node) || ts.isTemplateTail(node)
  );
}

function declaredName(node: ts.Node): ts.Identifier | undefined {
  const isDeclaration =
    ts.isVariableDeclaration(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isParameter(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isPropertySignature(node) ||
    ts.isMethodSignature(node);
  return isDeclaration && node.name && ts.isIdentifier(node.name) ? node.name : undefined;
}

function partsOf(name: string, line: number): readonly Finding[] {
  const parts = name.split(/(?=[A-Z])|_/).map((part) => part.toLowerCase());
  return nameParts.flatMap(({ expression, instead }) =>
    parts.some((part) => expression.test(part)) ? [{ line, found: name, instead }] : [],
  );
}

function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

function compile(
  from: readonly Rule[],
  make: (pattern: string) => RegExp,
): readonly { readonly expression: RegExp; readonly instead: string }[] {
  return from.map(({ pattern, instead }) => ({ expression: make(pattern), instead }));
}
