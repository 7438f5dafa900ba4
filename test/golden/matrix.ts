import { parseJsonObject } from '#base';
import { type ClientFormatId, type GenerationEvent, type GenerationResult, collect, toEvents } from '#canonical';
import { type UpstreamFailure, toCallerError } from '#errors';
import { isFailure } from '#wire';
import {
  CLIENTS,
  type Passage,
  createTarget,
  decodeStream,
  encodeStream,
  openPassage,
} from '../support/exchanges.ts';
import { type GoldenCase, isErrorBody } from './cases.ts';
import { type Ink, digested, drawFrames, drawJson, drawSteps, plain } from './skeleton.ts';

/** What an upstream's answer became on its way to one client. */
interface Crossing {
  client: ClientFormatId;
  passage: Passage;
  /** Absent where nothing but a failure came. */
  events?: GenerationEvent[];
  failure?: UpstreamFailure;
}

/** Takes a case through the upstream's format, for a client of the given one. */
export function cross(golden: GoldenCase, client: ClientFormatId): Crossing {
  const passage = openPassage(client, createTarget(golden.format, golden.dialect), golden.format);
  if (isErrorBody(golden)) {
    const failure = passage.outbound.decodeFailure({ status: 400, headers: {}, body: golden.text });
    return { client, passage, failure };
  }
  const answer =
    golden.kind === 'stream' ? decodeStream(passage.exchange, golden.messages) : decodeBody(golden, passage);
  if (!Array.isArray(answer)) return { client, passage, failure: answer };
  const [first] = answer;
  if (first?.type === 'generation-error') return { client, passage, failure: first.failure };
  return { client, passage, events: answer };
}

function decodeBody(golden: GoldenCase, passage: Passage): GenerationEvent[] | UpstreamFailure {
  const result = passage.exchange.decodeResult(parseJsonObject(golden.text) ?? {});
  return isFailure(result) ? result : toEvents(result);
}

/** The complete result of a crossing, or the failure it ended in. */
export function settle({ events = [], failure }: Crossing): GenerationResult | UpstreamFailure {
  if (failure) return failure;
  const last = events.at(-1);
  return last?.type === 'generation-error' ? last.failure : collect(events);
}

/** The golden text of a case: the neutral events, then what each client gets, JSON and streamed. */
export function drawCase(golden: GoldenCase): string {
  const ink = golden.own ? plain : digested;
  // No client speaks Converse.
  const native = golden.format === 'converse' ? 'messages' : golden.format;
  const canonical = cross(golden, native);
  const sections: [string, string][] = [['canonical', drawCanonical(canonical, ink)]];
  for (const client of CLIENTS) {
    const crossing = client === native ? canonical : cross(golden, client);
    sections.push([`${client} json`, drawJson(encodeJson(crossing), ink)]);
    if (crossing.events)
      sections.push([`${client} sse`, drawFrames(encodeFrames(crossing, crossing.events), ink)]);
  }
  return sections.map(([title, text]) => `== ${title}\n${text}\n`).join('\n');
}

function drawCanonical({ events, failure }: Crossing, ink: Ink): string {
  if (!events) return drawJson(failure, ink);
  // The frames of their own client show relayed events.
  const shown = events.filter(({ type }) => type !== 'relay');
  return drawSteps(shown.map(({ type, ...value }) => ({ label: type, value })), ink);
}

export function encodeJson(crossing: Crossing): ReturnType<Passage['inbound']['encodeResult']> {
  const { inbound, context } = crossing.passage;
  const result = settle(crossing);
  return isFailure(result)
    ? inbound.encodeError(toCallerError(result), 'req_golden')
    : inbound.encodeResult(result, context);
}

export function encodeFrames(
  { passage }: Crossing,
  events: GenerationEvent[],
): ReturnType<typeof encodeStream> {
  return encodeStream(passage.inbound, passage.context, events);
}
