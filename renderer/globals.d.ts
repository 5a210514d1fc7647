import type { DesktopBridge } from '../shared/api.ts';

declare global {
  interface Window {
    /** Set by the desktop's preload; absent on localhost. */
    readonly tracebenchHost?: DesktopBridge;
  }
}
