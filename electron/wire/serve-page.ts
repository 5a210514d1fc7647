/** The page's own files: only regular files inside the page folder, under strict rules for what the page may load. */
import { createHash } from 'node:crypto';
import { readFile, realpath, stat } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { previewStyles } from '../../present/text/report-preview.ts';
import { STYLE as REPORT_STYLE } from '../engine/report/html/style.ts';

/** The preview of a report takes over the page's policy: its style sheet, in both themes, and no other inline style. */
const PREVIEWS = previewStyles(REPORT_STYLE).map(
  (style) => `'sha256-${createHash('sha256').update(style).digest('base64')}'`,
);

/** Of every response. */
const COMMON_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' ${PREVIEWS.join(' ')}`,
    "img-src 'self' data: blob:",
    "font-src 'self'",
    "connect-src 'self'",
    "worker-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; '),
} as const;

/** Of everything that may differ the next time. */
export const UNCACHED_HEADERS = { ...COMMON_HEADERS, 'Cache-Control': 'no-store' } as const;
/** Of short texts. */
export const PLAIN_HEADERS = { ...UNCACHED_HEADERS, 'Content-Type': 'text/plain; charset=utf-8' } as const;

export async function servePage(directory: string, path: string, method: 'GET' | 'HEAD'): Promise<Response> {
  const file = await findFile(directory, path === '/' ? '/index.html' : path);
  if (file === undefined) return new Response('There is no such page.\n', { status: 404, headers: PLAIN_HEADERS });
  const bytes = await readFile(file);
  return new Response(method === 'HEAD' ? null : bytes, {
    headers: {
      ...COMMON_HEADERS,
      'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream',
      'Content-Length': bytes.length.toString(),
      'Cache-Control': HASHED_NAME.test(file) ? 'private, max-age=31536000, immutable' : 'no-cache',
    },
  });
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
  '.txt': 'text/plain; charset=utf-8',
};

/** Names that the bundler makes from the content. */
const HASHED_NAME = /[\\/]assets[\\/][^\\/]+-[\w-]{8}\.\w+$/;

/** The real path of a regular file inside the folder; undefined for anything else, also for a link that leads out of it. */
async function findFile(directory: string, path: string): Promise<string | undefined> {
  const names = decode(path)?.split('/').slice(1);
  if (
    names === undefined ||
    names.some((name) => name === '' || name === '.' || name === '..' || /[\\:\0]/.test(name))
  ) {
    return undefined;
  }
  try {
    const root = await realpath(directory);
    const file = await realpath(join(root, ...names));
    return file.startsWith(root + sep) && (await stat(file)).isFile() ? file : undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error && ABSENT.has(error.code)) return undefined;
    throw error;
  }
}

const ABSENT: ReadonlySet<unknown> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'EACCES', 'ELOOP']);

function decode(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
