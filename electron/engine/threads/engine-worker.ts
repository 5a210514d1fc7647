/**
 * Entry module of the engine thread. It starts the decode workers, if they will soon be needed, before it loads the engine: both
 * then load at the same time.
 */
import os from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { assert } from '../../../shared/base/result.ts';
import { createPool } from './pool.ts';
import type * as EngineThread from './engine-thread.ts';
import { loadThread } from './load-thread.ts';
import type { EngineSettings } from '../settings.ts';

assert(parentPort !== null, 'the engine runs as a worker thread');

const settings = workerData as EngineSettings;
const pool = createPool(settings.jobs ?? os.availableParallelism());
if (settings.decodes === true) pool.start(pool.jobs);

const { serveRequests } = await loadThread<typeof EngineThread>('engine-thread');
serveRequests(parentPort, pool, settings);
