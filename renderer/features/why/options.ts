import { cpu, flag, hex, object, optional, record, rule, text, whole } from '../../../shared/requests/schema.ts';
import { WHY_BYTES_MOST } from '../../../shared/requests/why.ts';
import { paneOptions } from '../../trace/pane-options.svelte.ts';
import type { WhySubject } from './subject.ts';

interface WhyOptions {
  /** The shown question; null if there is none. */
  subject: WhySubject | null;
  /** The question follows the cursor. */
  follows: boolean;
  addresses: boolean;
  control: boolean;
  allCopies: boolean;
}

const oneTrue = rule<true>((value) => value === true, 'must be true');

const subject = object({
  at: record,
  register: optional(text(200)),
  cpu: optional(cpu),
  address: optional(hex),
  length: optional(whole(1, WHY_BYTES_MOST)),
  pc: optional(oneTrue),
  forward: optional(oneTrue),
});

export const whyOptions = paneOptions<WhyOptions>(
  'why',
  { subject, follows: flag, addresses: flag, control: flag, allCopies: flag },
  () => ({ subject: null, follows: false, addresses: false, control: false, allCopies: false }),
);
