/**
 * The waiting tasks of the decode pool, and the order in which they are done. Urgent tasks come first; scans and surveys take turns. Within
 * a queue, the question on which the workers have spent least comes first, so that a short question does not wait for long ones. Of
 * questions that took about as long, the older one comes first: both would end late if they took turns.
 */
import type { Queue } from './pool-task.ts';

export interface Waiting {
  readonly queue: Queue;
  /** Tasks of one question have the same. */
  readonly question: object | undefined;
}

export interface Turns<Task extends Waiting> {
  add(task: Task): void;
  /** Puts a task before all others of its queue. */
  addFirst(task: Task): void;
  /** Returns false if the task does not wait. */
  remove(task: Task): boolean;
  isEmpty(): boolean;
  take(): Task | undefined;
  /** Notes the time that a worker has spent on a task. */
  spend(task: Waiting, milliseconds: number): void;
}

/** Questions count as alike if up to this was spent on each, or up to 3, 7, 15 ... times as much. */
const FIRST_LEVEL_MS = 50;
/** One of so many turns goes to the task that has waited longest, so that no question waits forever. */
const OLDEST_EVERY = 4;

export function createTurns<Task extends Waiting>(): Turns<Task> {
  const waiting: Record<Queue, Task[]> = { urgent: [], scan: [], survey: [] };
  /** Milliseconds spent on each question. */
  const spent = new WeakMap<object, number>();
  const arrivals = new WeakMap<object, number>();
  let arrived = 0;
  let surveyIsNext = true;
  let turn = 0;

  return {
    add(task) {
      if (task.question !== undefined && !arrivals.has(task.question)) arrivals.set(task.question, ++arrived);
      waiting[task.queue].push(task);
    },
    addFirst: (task) => void waiting[task.queue].unshift(task),
    remove(task) {
      const queue = waiting[task.queue];
      const at = queue.indexOf(task);
      if (at >= 0) queue.splice(at, 1);
      return at >= 0;
    },
    isEmpty: () => Object.values(waiting).every((queue) => queue.length === 0),
    take() {
      if (waiting.urgent.length > 0) return takeFrom(waiting.urgent);
      const isSurvey = waiting.survey.length > 0 && (surveyIsNext || waiting.scan.length === 0);
      surveyIsNext = !isSurvey;
      return takeFrom(isSurvey ? waiting.survey : waiting.scan);
    },
    spend(task, milliseconds) {
      if (task.question !== undefined) spent.set(task.question, spentOn(task) + milliseconds);
    },
  };

  function takeFrom(queue: Task[]): Task | undefined {
    turn = (turn + 1) % OLDEST_EVERY;
    let next = 0;
    if (turn > 0) for (let at = 1; at < queue.length; at++) if (isBefore(queue[at]!, queue[next]!)) next = at;
    return queue.splice(next, 1)[0];
  }

  function isBefore(a: Waiting, b: Waiting): boolean {
    const [levelOfA, levelOfB] = [levelOf(a), levelOf(b)];
    return levelOfA === levelOfB ? arrivalOf(a) < arrivalOf(b) : levelOfA < levelOfB;
  }

  function levelOf(task: Waiting): number {
    return Math.ceil(Math.log2(1 + spentOn(task) / FIRST_LEVEL_MS));
  }

  function arrivalOf({ question }: Waiting): number {
    return question === undefined ? 0 : (arrivals.get(question) ?? 0);
  }

  function spentOn({ question }: Waiting): number {
    return question === undefined ? 0 : (spent.get(question) ?? 0);
  }
}
