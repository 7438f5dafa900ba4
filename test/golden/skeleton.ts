import { createHash } from 'node:crypto';
import { type SseMessage, isJsonObject, parseJson } from '#base';

/** Words of the formats themselves, shown as they are. */
const VERBATIM = new Set(['type', 'role', 'object', 'stop_reason', 'finish_reason', 'reason', 'raw', 'kind', 'code', 'param', 'format', 'issuer', 'ttl', 'status']);

/** How a text is shown. */
export type Ink = (text: string) => string;

/** As its length and the start of its SHA-256: enough to see a change, not enough to read a recording. */
export const digested: Ink = (text) => {
  if (text === '' || text === MADE_UP) return text;
  return `‹${text.length} ${createHash('sha256').update(text).digest('hex').slice(0, 10)}›`;
};

/** As it is: for the answers written here. */
export const plain: Ink = (text) => text;

const MADE_UP = '‹made-up id›';

/** Ids the gateway made up because the upstream gave none differ from run to run. */
function hideMadeUpId(text: string): string {
  return /^call_[0-9A-Za-z]{22}$/.test(text) ? MADE_UP : text;
}

function mapTexts(value: unknown, key: string, onText: (text: string) => string): unknown {
  if (typeof value === 'string') return VERBATIM.has(key) ? value : onText(hideMadeUpId(value));
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, key, onText));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, mapTexts(item, name, onText)]),
  );
}

export function drawJson(value: unknown, ink: Ink): string {
  return JSON.stringify(mapTexts(value, '', ink), null, 2);
}

interface Step {
  label: string;
  value: unknown;
}

interface Run extends Step {
  shape: string;
  texts: string[][];
}

/** Steps one per line; neighbours that differ in their texts only become one line with their texts joined. */
export function drawSteps(steps: Step[], ink: Ink): string {
  const runs: Run[] = [];
  for (const step of steps) {
    const texts: string[] = [];
    const shape = JSON.stringify(mapTexts([step.value], '', (text) => `§${texts.push(text)}`));
    const last = runs.at(-1);
    if (last?.label === step.label && last.shape === shape) last.texts.push(texts);
    else runs.push({ ...step, shape, texts: [texts] });
  }
  return runs.map((run) => drawRun(run, ink)).join('\n');
}

function drawRun(run: Run, ink: Ink): string {
  let slot = -1;
  const value = mapTexts(run.value, '', () => {
    slot += 1;
    return drawSlot(run.texts.map((texts) => texts[slot] ?? ''), ink);
  });
  const times = run.texts.length === 1 ? '' : ` ×${run.texts.length}`;
  return value === undefined ? `${run.label}${times}` : `${run.label}${times} ${JSON.stringify(value)}`;
}

function drawSlot(texts: string[], ink: Ink): string {
  const [first = ''] = texts;
  return texts.every((text) => text === first) ? ink(first) : `joined ${ink(texts.join(''))}`;
}

/** Server-sent events, labelled with their names. */
export function drawFrames(frames: SseMessage[], ink: Ink): string {
  return drawSteps(frames.map(({ event, data }, at) => toStep(event ?? 'data', data, at)), ink);
}

/** A number that is the place of its event says nothing; any other stays to be seen. */
function toStep(label: string, data: string, at: number): Step {
  const value = parseJson(data);
  if (value === undefined) return { label: `${label} ${data}`, value };
  if (isJsonObject(value) && value['sequence_number'] === at) delete value['sequence_number'];
  return { label, value };
}
