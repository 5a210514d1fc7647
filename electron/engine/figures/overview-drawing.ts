/** Queries for the figure of an overview: records per kind in each column, and what its tracks show. */
import { overviewFigure, type FigureTrack } from '../../../present/overview/overview-figure.ts';
import { emptyTrack, type TrackData } from '../../../present/overview/track-shapes.ts';
import { ok, type Result } from '../../../shared/base/result.ts';
import type { FigureRequest } from '../../../shared/report/plan.ts';
import { trackOf, trackTitle, type TimeTrack } from '../../../shared/report/time-tracks.ts';
import { toHex } from '../../../shared/base/units.ts';
import type { Overview } from '../../../shared/requests/requests.ts';
import type { FunctionTimeline } from '../../../shared/requests/flow.ts';
import type { ReportProgress } from '../../../shared/requests/reports.ts';
import { overview } from '../queries/heat/overview.ts';
import { values } from '../queries/memory/values.ts';
import { functionTimeline } from '../queries/time/timeline.ts';
import { withoutProgress, type Task } from '../threads/task.ts';
import type { Trace } from '../trace.ts';
import type { Drawing } from './drawing.ts';
import { recordsOf, walkTask } from './range.ts';

const COLUMNS = 430;
/** Columns of tracks about calls, and of values, each of which takes a search. */
const CALL_COLUMNS = 512;
const VALUE_COLUMNS = 256;

type OverviewRequest = Extract<FigureRequest, { readonly figure: 'overview' }>;

export async function overviewDrawing(
  trace: Trace,
  request: OverviewRequest,
  name: string,
  task: Task<ReportProgress>,
): Promise<Result<Drawing>> {
  const found = await overview(trace, { ...recordsOf(trace, request), columns: COLUMNS }, withoutProgress(task));
  if (!found.ok) return found;
  const tracks = await tracksOf(trace, request, found.value, task);
  if (!tracks.ok) return tracks;
  const data = { name, overview: found.value, tracks: tracks.value };
  return ok({ from: found.value.from, to: found.value.to, draw: (look) => overviewFigure(data, look) });
}

async function tracksOf(
  trace: Trace,
  { tracks = [], cpu, bigEndian = false }: OverviewRequest,
  shown: Overview,
  task: Task<ReportProgress>,
): Promise<Result<readonly FigureTrack[]>> {
  const { from, to } = shown;
  const found: FigureTrack[] = [];
  let timeline: FunctionTimeline | undefined;
  for (const track of tracks.flatMap((id) => trackOf(id) ?? [])) {
    let data: TrackData;
    if (track.kind === 'interrupts' || track.kind === 'accesses') data = { kind: track.kind, overview: shown };
    else if (track.kind === 'register' || track.kind === 'memory') {
      const query = { from, to, columns: VALUE_COLUMNS, bigEndian, ...subjectOf(track) };
      const sampled = await values(trace, query, walkTask(task, 'reading values'));
      if (!sampled.ok) return sampled;
      data = { kind: 'values', values: sampled.value };
    } else {
      if (timeline === undefined) {
        const query = { from, to, columns: CALL_COLUMNS, ...(cpu !== undefined && { cpu }) };
        const followed = await functionTimeline(trace, query, walkTask(task, 'following calls'));
        if (!followed.ok) return followed;
        timeline = followed.value;
      }
      data = { kind: track.kind, timeline };
    }
    const ofCpu = 'timeline' in data && data.timeline.cpus.length > 1 ? data.timeline.cpu : undefined;
    const title = ofCpu === undefined ? trackTitle(track) : `${trackTitle(track)} of CPU ${ofCpu}`;
    found.push({ title, kind: track.kind, data, missing: emptyTrack(data, trace.reader.decoder.format.name) });
  }
  return ok(found);
}

function subjectOf(track: Extract<TimeTrack, { readonly kind: 'register' | 'memory' }>) {
  if (track.kind === 'memory') return { address: toHex(track.address.low), length: track.address.bytes };
  const { name, cpu } = track.register;
  return { register: name, ...(cpu !== undefined && { cpu }) };
}
