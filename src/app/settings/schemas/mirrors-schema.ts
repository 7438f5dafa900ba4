import type { Mirror } from '#routing';
import { type Static, Type } from 'typebox';
import { SELECTION, SHARE } from './experiments-schema.ts';
import type { SettingsProblem } from '../settings-problem.ts';

const USUAL_CONCURRENCY = 10;

const mirrorSchema = Type.Object(
  {
    ...SELECTION,
    model: Type.Optional(SELECTION.model),
    ...SHARE,
    key: Type.String({
      pattern: '^key_[0-9A-Za-z]+$',
      description: 'The id of the key that pays for the copies.',
    }),
    concurrency: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000,
        description: `The most copies at a time; further ones are not sent. Default: ${USUAL_CONCURRENCY}.`,
      }),
    ),
  },
  { additionalProperties: false },
);

/** `routing.mirrors` of the configuration. */
export const mirrorsSchema = Type.Optional(
  Type.Array(mirrorSchema, {
    maxItems: 50,
    description:
      'Shares of requests that are copied to another model or provider; the answers are discarded.',
  }),
);

/** Validates mirrors for routing; contradictions are reported at their place. */
export function readMirrorSettings(
  written: readonly Static<typeof mirrorSchema>[],
  locate: (...path: string[]) => string,
  problems: SettingsProblem[],
): Mirror[] {
  const names = new Set<string>();
  return written.map((mirror, at) => {
    const { name, model, projects } = mirror;
    const place = locate('routing', 'mirrors', String(at));
    if (names.has(name)) problems.push({ place, message: `there is another mirror named ${name}` });
    names.add(name);
    if (model === undefined && projects === undefined)
      problems.push({ place, message: 'name the model or the projects whose requests are copied' });
    return { ...mirror, by: mirror.by ?? 'session', concurrency: mirror.concurrency ?? USUAL_CONCURRENCY };
  });
}
