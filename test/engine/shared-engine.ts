/**
 * Engines that the test files of a process share, one per block size. Starting an engine and its first answers take half a second of
 * processor time. Tests of start, end, index files or cancelling start their own (`startEngine`).
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startEngine, type Engine } from '../../electron/engine/engine.ts';
import type { Answer } from '../../shared/requests/requests.ts';

interface Shared {
  readonly engine: Engine;
  /** Exists only while a file uses the engine. */
  readonly indexDirectory: string;
  users: number;
}

const engines = new Map<number, Shared>();

/**
 * Returns the engine for blocks of this size, by default so large that a test's trace is one block. `close` closes the traces that were
 * opened through this object and removes their indexes, so that the next file finds nothing of this one.
 */
export function sharedEngine(blockBytes = 1_200_000): Engine {
  const shared = engines.get(blockBytes) ?? start(blockBytes);
  engines.set(blockBytes, shared);
  shared.users++;
  const traces = new Set<string>();
  let closed = false;
  return {
    async request(name, args, options) {
      const answer = await shared.engine.request(name, args, options);
      if (answer.ok && name === 'open') traces.add((answer.value as Answer<'open'>).trace);
      return answer;
    },
    async close() {
      if (closed) return;
      closed = true;
      for (const trace of traces) await shared.engine.request('close', { trace });
      if (--shared.users === 0) fs.rmSync(shared.indexDirectory, { recursive: true, force: true });
    },
  };
}

/** Small blocks have more workers, so that tests which compare block sizes compare numbers of workers too. */
function start(blockBytes: number): Shared {
  const jobs = blockBytes < 240 ? 3 : blockBytes < 1_000_000 ? 2 : 1;
  const indexDirectory = path.join(os.tmpdir(), `tracebench-shared-${process.pid}-${blockBytes}`);
  fs.rmSync(indexDirectory, { recursive: true, force: true });
  const engine = startEngine({ indexDirectory, jobs, blockBytes });
  return { engine, indexDirectory, users: 0 };
}
