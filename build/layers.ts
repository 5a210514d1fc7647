// Judges imports by the table of layers in layers.json: every file has a rank, and imports lead downwards.
//
// The table lists layers from the bottom up. The first layer with a matching `files` pattern is the layer of a file. A file may import
// files of its own layer and of lower layers that match the layer's `imports`, and the packages that the layer lists. `apart` names a
// folder whose entries (the next part of the path) may not import one another. Cycles are refused, including those of types alone.
import { readFileSync } from 'node:fs';
import { matchesGlob, posix } from 'node:path';
import ts from 'typescript';

interface Layer {
  readonly name: string;
  readonly files: readonly string[];
  /** Project files that the layer may import besides its own, as patterns; they must have a lower rank. */
  readonly imports?: readonly string[];
  /** Packages, with `node:*` for every module of Node. */
  readonly packages?: readonly string[];
  readonly apart?: string;
}

const layers = JSON.parse(readFileSync(new URL('layers.json', import.meta.url), 'utf8')) as readonly Layer[];

/**
 * Returns one sentence for each import of a file that breaks the table; empty if the file keeps to its layer.
 * @param path relative to the project, with `/`
 * @param text content of the file: TypeScript, or a Svelte component
 */
export function violations(path: string, text: string): readonly string[] {
  const rank = rankOf(path);
  const layer = layers[rank];
  if (!layer) return [`${path} belongs to no layer`];
  return importsOf(path, text)
    .filter((target) => !isAllowed(path, target, layer, rank))
    .map((target) => `${path} (${layer.name}) may not import ${target}`);
}

/**
 * Returns the project files that a file imports, including those that it imports types from.
 * @param path relative to the project, with `/`
 */
export function projectImports(path: string, text: string): readonly string[] {
  return importsOf(path, text).filter((target) => target.includes('/') && rankOf(target) >= 0);
}

/** Every pattern of the table, for a test that none is stale. */
export function filePatterns(): readonly string[] {
  return layers.flatMap((layer) => layer.files);
}

function isAllowed(path: string, target: string, layer: Layer, rank: number): boolean {
  const targetRank = rankOf(target);
  if (targetRank < 0) return [...(layer.packages ?? []), ...(layer.imports ?? [])].some((one) => matches(target, one));
  if (targetRank === rank) return !layer.apart || entryOf(layer.apart, path) === entryOf(layer.apart, target);
  return targetRank < rank && (layer.imports ?? []).some((pattern) => matches(target, pattern));
}

/** Position of a file's layer from the bottom; -1 for a file outside the table and for packages. */
function rankOf(path: string): number {
  return layers.findIndex((layer) => layer.files.some((pattern) => matchesGlob(path, pattern)));
}

function matches(target: string, pattern: string): boolean {
  return pattern === 'node:*' ? target.startsWith('node:') : target === pattern || matchesGlob(target, pattern);
}

/** The entry of a path below `folder`: `formats/tarmac/line/scan.ts` and `formats/tarmac/tarmac.ts` belong to `tarmac`. */
function entryOf(folder: string, path: string): string | undefined {
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1).split('/')[0] : undefined;
}

function importsOf(path: string, text: string): readonly string[] {
  const source = ts.createSourceFile(path, path.endsWith('.svelte') ? scriptsOf(text) : text, ts.ScriptTarget.Latest);
  const found = new Set<string>();
  const visit = (node: ts.Node): void => {
    const specifier = specifierOf(node);
    if (specifier !== undefined) found.add(resolve(path, specifier));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...found];
}

function scriptsOf(component: string): string {
  return [...component.matchAll(/<script[^>]*>([^]*?)<\/script>/g)].map((match) => match[1]).join('\n');
}

function specifierOf(node: ts.Node): string | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return textOf(node.moduleSpecifier);
  if (ts.isImportTypeNode(node)) return ts.isLiteralTypeNode(node.argument) ? textOf(node.argument.literal) : undefined;
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
    return textOf(node.arguments[0]);
  return undefined;
}

function textOf(node: ts.Node | undefined): string | undefined {
  return node && ts.isStringLiteral(node) ? node.text : undefined;
}

function resolve(from: string, specifier: string): string {
  return specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier) : specifier;
}
