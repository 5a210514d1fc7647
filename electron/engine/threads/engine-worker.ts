/**
 * The engine thread. Before it loads what it does itself, which is a module of its own, it starts the decode workers where they
 * will be needed, so that all of them load at once.
 */
import os from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { assert } from '../../../shared/base/result.ts';
import { createPool } from './pool.ts';
import type * as EngineThread from './engine-thread.ts';
import type { EngineSettings } from '../settings.ts';
import { workerUrl } from './worker-url.ts';

assert(parentPort !== null, 'the engine runs as a worker thread');

const settings = workerData as EngineSettings;
const pool = createPool(settings.jobs ?? os.availableParallelism());
if (settings.decodes === true) pool.start();

const thread = workerUrl('engine-thread');
const { serveRequests } = (await import(thread.href)) as typeof EngineThread;
serveRequests(parentPort, pool, settings);
