// Checks the subjects of commits: at most 72 characters, in the imperative, one plain sentence without a full stop.
//
// `node build/commit-message.mjs FILE` checks one message (for git's commit-msg hook). Without a file it checks every commit since this
// check was added, so `npm run check` refuses what a machine without the hook let through.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { root } from './setup/project.mjs';

const LONGEST = 72;
/** Verbs in the imperative that end like a past tense, a gerund or a third person. */
const IMPERATIVES = /^(?:Embed|Exceed|Feed|Need|Proceed|Seed|Shed|Speed|Spread|Succeed|Bring|Ping|Ring|Bias|Focus)$/;

/**
 * Returns what is wrong with the subject of a message, one sentence each.
 * @param {string} message
 * @returns {string[]}
 */
export function problemsOf(message) {
  const subject = message.split('\n', 1)[0] ?? '';
  const verb = subject.split(' ', 1)[0] ?? '';
  const problems = [];
  if (/^(?:Merge|Revert) /.test(subject)) return [];
  if (subject.length > LONGEST) problems.push(`the subject has ${subject.length} characters; ${LONGEST} is the limit`);
  if (!/^[A-Z]/.test(subject)) problems.push('the subject starts with a verb and a capital letter');
  if (!IMPERATIVES.test(verb) && /(?:ed|ing|[^su]s)$/.test(verb))
    problems.push(`"${verb}" is not in the imperative: write "Fix", not "Fixed", "Fixes" or "Fixing"`);
  if (/[.;]$|; /.test(subject)) problems.push('the subject is one sentence without a full stop or a semicolon');
  return problems;
}

/** Subjects of the commits after the one that added this file; empty outside a git checkout or in a shallow clone without it. */
function subjects() {
  const git = (/** @type {string[]} */ ...args) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const [first] = git('log', '--diff-filter=A', '--format=%H', '--', 'build/commit-message.mjs').trim().split('\n');
    return first ? git('log', '--no-merges', '--format=%s', `${first}..HEAD`).split('\n').filter(Boolean) : [];
  } catch (error) {
    process.stdout.write(`commit messages were not checked: ${error instanceof Error ? error.message : error}\n`);
    return [];
  }
}

if (process.argv[1] && import.meta.filename === process.argv[1]) {
  const file = process.argv[2];
  const messages = file ? [readFileSync(file, 'utf8')] : subjects();
  const failed = messages.flatMap((message) =>
    problemsOf(message).map((problem) => `${message.split('\n', 1)[0]}\n  ${problem}`),
  );
  for (const text of failed) process.stdout.write(`${text}\n`);
  process.exitCode = failed.length > 0 ? 1 : 0;
}
