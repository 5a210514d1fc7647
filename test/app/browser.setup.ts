// Starts one browser for all journeys and provides its address; each test file connects to it and opens its own contexts.
import { chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { findBrowser } from '../../build/setup/browser.mjs';

declare module 'vitest' {
  interface ProvidedContext {
    /** WebSocket address of the shared browser; undefined if this machine has no browser. */
    readonly browserEndpoint: string | undefined;
  }
}

const QUIET = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const found = findBrowser();
  if (!('path' in found)) {
    project.provide('browserEndpoint', undefined);
    return undefined;
  }
  const server = await chromium.launchServer({ executablePath: found.path, args: QUIET });
  project.provide('browserEndpoint', server.wsEndpoint());
  return () => server.close();
}
