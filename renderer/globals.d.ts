import type { DesktopBridge } from '../shared/desktop-bridge.ts';

declare global {
  interface Window {
    /** Set by the desktop's preload; absent on localhost. */
    readonly tracebenchHost?: DesktopBridge;
  }
}
