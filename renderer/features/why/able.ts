/** Ways of asking. A way that the engine does not answer is false, and has no control on the page. */
export const ABLE: Readonly<Record<'forward', boolean>> = { forward: false };
