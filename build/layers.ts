// Who may import whom: judges the imports of one file by the table in layers.json.
//
// The first layer whose `files` match a path is the path's layer. An import is allowed when one of the layer's `imports`
// matches its target: a path in the project, or a package's name; `type ` before a pattern allows `import type` only.
// `but` narrows or widens the layer for some of its files. `apart` names a folder whose units (the next part of the path, up to a dot or
// a hyphen) know themselves, but not one another unless `imports` says so. `downwards` lists files from the bottom up:
// none may import one that stands later, not even its types.
import { readFileSync } from 'node:fs';
import { matchesGlob, posix } from 'node:path';
import ts from 'typescript';

interface Layer {
  readonly name: string;
  readonly files: readonly string[];
  readonly imports: readonly string[];
  readonly but?: Readonly<Record<string, readonly string[]>>;
  readonly apart?: string;
}

interface Import {
  /** A path relative to the project, or a package's name. */
  readonly target: string;
  readonly typeOnly: boolean;
}

const table = JSON.parse(readFileSync(new URL('layers.json', import.meta.url), 'utf8')) as {
  readonly downwards: readonly string[];
  readonly layers: readonly Layer[];
};

/**
 * What a file's imports break, one sentence each; empty when it keeps to its layer.
 * @param path relative to the project, with `/`
 * @param text the file's content: TypeScript, or a Svelte component
 */
export function violations(path: string, text: string): readonly string[] {
  const layer = table.layers.find((candidate) => candidate.files.some((pattern) => matchesGlob(path, pattern)));
  if (!layer) return [`${path} belongs to no layer`];
  return importsOf(path, text)
    .filter((found) => !isAllowed(path, found, layer))
    .map((found) => `${path} (${layer.name}) may not import ${found.target}`);
}

/**
 * The files of the project that a file needs when it runs (types are gone by then).
 * @param path relative to the project, with `/`
 */
export function needs(path: string, text: string): readonly string[] {
  const found = importsOf(path, text).filter((each) => !each.typeOnly && each.target.includes('/'));
  return found.map((each) => each.target);
}

function isAllowed(path: string, found: Import, layer: Layer): boolean {
  const { target } = found;
  if (rank(target) > rank(path) && rank(path) >= 0) return false;
  const unit = layer.apart && unitOf(layer.apart, path);
  if (unit && layer.apart && unit === unitOf(layer.apart, target)) return true;
  const but = Object.entries(layer.but ?? {}).find(([pattern]) => matchesGlob(path, pattern));
  const patterns = but?.[1] ?? layer.imports;
  return patterns.some((pattern) =>
    pattern.startsWith('type ') ? found.typeOnly && matches(target, pattern.slice(5)) : matches(target, pattern),
  );
}

/** How high a file stands in `downwards`; -1 for what is not listed. */
function rank(path: string): number {
  return table.downwards.findIndex((pattern) => matches(path, pattern));
}

function matches(target: string, pattern: string): boolean {
  return pattern === 'node:*' ? target.startsWith('node:') : target === pattern || matchesGlob(target, pattern);
}

/** The unit of a path below `folder`: `formats/tarmac.ts`, `formats/tarmac-es.ts` and `formats/tarmac/es.ts` are all `tarmac`. */
function unitOf(folder: string, path: string): string | undefined {
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1).split(/[./-]/)[0] : undefined;
}

function importsOf(path: string, text: string): readonly Import[] {
  const source = ts.createSourceFile(path, path.endsWith('.svelte') ? scriptsOf(text) : text, ts.ScriptTarget.Latest);
  const found: Import[] = [];
  const visit = (node: ts.Node): void => {
    const specifier = specifierOf(node);
    if (specifier !== undefined) found.push({ target: resolve(path, specifier), typeOnly: isTypeOnly(node) });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
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

function isTypeOnly(node: ts.Node): boolean {
  if (ts.isImportDeclaration(node)) return node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
  if (ts.isExportDeclaration(node)) return node.isTypeOnly;
  return ts.isImportTypeNode(node);
}

function resolve(from: string, specifier: string): string {
  return specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier) : specifier;
}
