/** A clock in the page: from an event to the frame in which a condition holds. */
import type { Page } from 'playwright-core';

/** Milliseconds from the next event of a type to the frame in which the condition holds and goes on holding. */
export async function timed(page: Page, type: string, condition: string, act: () => Promise<void>): Promise<number> {
  await page.evaluate(`bench.arm(${JSON.stringify(type)}, () => ${condition})`);
  await act();
  return page.evaluate<number>('bench.time()');
}

/** Runs in the page, before anything else. */
export function installClock(): void {
  /** Frames in a row for which a condition has to hold. */
  const HOLD = 5;
  let answer: Promise<number> = Promise.resolve(0);
  let gaps: number[] = [];
  let watching = false;
  const wait = (start: number, condition: () => boolean, done: (time: number) => void): void => {
    let since = 0;
    let held = 0;
    const look = (): void => {
      if (!condition()) held = 0;
      else if (held++ === 0) since = performance.now();
      if (held >= HOLD) done(since - start);
      else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  };
  Object.assign(globalThis, {
    bench: {
      arm(type: string, condition: () => boolean) {
        answer = new Promise((resolve) => {
          addEventListener(
            type,
            (event) => {
              wait(event.timeStamp, condition, resolve);
            },
            { capture: true, once: true },
          );
        });
      },
      armNow(condition: () => boolean) {
        answer = new Promise((resolve) => {
          wait(performance.now(), condition, resolve);
        });
      },
      time: () => answer,
      watchFrames() {
        gaps = [];
        watching = true;
        let last = performance.now();
        const look = (now: number): void => {
          gaps.push(now - last);
          last = now;
          if (watching) requestAnimationFrame(look);
        };
        requestAnimationFrame(look);
      },
      frames() {
        watching = false;
        return gaps.slice(1);
      },
    },
  });
}
