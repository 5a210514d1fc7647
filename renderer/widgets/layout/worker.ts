/** Lays out call graphs beside the page, which stays free for typing and scrolling. One question, one answer, in order. */
import { arrange, type Wanted } from '../../../present/call-graph/arrange.ts';

addEventListener('message', (event: MessageEvent<Wanted>) => {
  postMessage(arrange(event.data));
});
