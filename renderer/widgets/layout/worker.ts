/** Worker that lays out call graphs, so that the page stays responsive. It answers requests in order. */
import { arrange, type Wanted } from '../../../present/call-graph/arrange.ts';

addEventListener('message', (event: MessageEvent<Wanted>) => {
  postMessage(arrange(event.data));
});
