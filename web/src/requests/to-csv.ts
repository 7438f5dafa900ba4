import type { LogLine } from '../api/log-line.ts';
import { type Cell, toCsv } from '../parts/csv.ts';

const PLAIN = [
  ...(['id', 'started_at', 'organization_id', 'project_id', 'key_id', 'member_id'] as const),
  ...(['session_token_id', 'end_user_id', 'endpoint', 'format', 'stream'] as const),
  ...(['requested_model', 'model_id', 'provider_id'] as const),
  ...(['finish_reason', 'status', 'error_code', 'error_message', 'cached', 'estimated'] as const),
  ...(['cost', 'provider_cost', 'price_version', 'first_event_ms', 'duration_ms'] as const),
  ...(['client_name', 'client_version', 'user_agent', 'client_request_id'] as const),
  ...(['session_id', 'agent_id', 'parent_agent_id', 'run_id', 'turn_id', 'upstream_id'] as const),
  ...(['input_tokens', 'cached_tokens', 'cache_write_tokens', 'output_tokens', 'reasoning_tokens'] as const),
] as const satisfies readonly (keyof LogLine)[];

/** Disjoint parts of the tokens. */
const PARTS = [
  'input_uncached',
  'input_cache_read',
  'input_cache_write_5m',
  'input_cache_write_1h',
  'input_audio',
  'input_image',
  'output_text',
  'output_reasoning',
  'output_audio',
  'output_image',
  'web_searches',
];

/** Left out: what is a list of its own. */
type Unlisted = 'object' | 'usage' | 'units' | 'modifiers';
/** Every other member of a row. */
type Composed = Exclude<keyof LogLine, (typeof PLAIN)[number] | Unlisted>;

const COMPOSED: Readonly<Record<Composed | 'cache_miss_tokens' | 'cache_miss_cost', (row: LogLine) => Cell>> =
  {
    tags: ({ tags }) =>
      Object.entries(tags)
        .map(([name, value]) => `${name}=${value}`)
        .join('; '),
    attempts: ({ attempts }) => attempts.length,
    cache_miss: ({ cache_miss: miss }) => miss?.text,
    cache_miss_tokens: ({ cache_miss: miss }) => miss?.tokens,
    cache_miss_cost: ({ cache_miss: miss }) => miss?.cost,
    cache_saved: ({ cache_saved: saved }) => saved,
  };

/** The names of the columns. */
export const CSV_HEAD = toCsv([...PLAIN, ...PARTS, ...Object.keys(COMPOSED)]);

export function toCsvLine(row: LogLine): string {
  return toCsv([
    ...PLAIN.map((name) => row[name]),
    ...PARTS.map((part) => row.usage[part]),
    ...Object.values(COMPOSED).map((read) => read(row)),
  ]);
}
