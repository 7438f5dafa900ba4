import type { Experiment } from '#routing';
import { ASSIGNMENT_UNITS } from '#routing';
import { type Static, Type } from 'typebox';
import type { SettingsProblem } from '../settings-problem.ts';

const MOST_PERCENT = 100;
const NAME = { pattern: '^[a-z0-9][a-z0-9-]*$', maxLength: 50 };
const MODEL = { minLength: 1, maxLength: 500 };

/** Which requests take part, and what stays together; also of mirrors. */
export const SELECTION = {
  name: Type.String({ ...NAME, description: 'Shown in the log; another name reassigns the requests.' }),
  model: Type.String({ ...MODEL, description: 'The requested model.' }),
  projects: Type.Optional(
    Type.Array(Type.String(), { minItems: 1, description: 'Ids of projects. Default: all.' }),
  ),
  by: Type.Optional(
    Type.Enum([...ASSIGNMENT_UNITS], {
      description: 'What stays together: a conversation (default), a key, an end user, or each request.',
    }),
  ),
};
/** The destination of a share of them. */
export const SHARE = {
  to: Type.String({ ...MODEL, description: 'A model, or provider/model.' }),
  percent: Type.Number({ minimum: 0, maximum: MOST_PERCENT, description: 'Of the requests.' }),
};

const experimentSchema = Type.Object(
  {
    ...SELECTION,
    variants: Type.Array(
      Type.Object({ name: Type.String(NAME), ...SHARE }, { additionalProperties: false }),
      { minItems: 1, maxItems: 10, description: 'Requests that no variant gets are the control group.' },
    ),
  },
  { additionalProperties: false },
);

/** `routing.experiments` of the configuration. */
export const experimentsSchema = Type.Optional(
  Type.Array(experimentSchema, {
    maxItems: 50,
    description: 'Shares of the requests for a model that another model or provider answers.',
  }),
);

type DeclaredExperiment = Static<typeof experimentSchema>;

/** The experiments as routing uses them; what contradicts itself becomes a problem at its place. */
export function readExperimentSettings(
  written: readonly DeclaredExperiment[],
  locate: (...path: string[]) => string,
  problems: SettingsProblem[],
): Experiment[] {
  const names = new Set<string>();
  return written.map((experiment, at) => {
    const { name, variants } = experiment;
    const place = locate('routing', 'experiments', String(at));
    const complain = (message: string): void => void problems.push({ place, message });
    if (names.has(name)) complain(`there is another experiment named ${name}`);
    names.add(name);
    if (new Set([...variants.map((variant) => variant.name), 'control']).size <= variants.length)
      complain('the names of variants must differ, also from control');
    const sum = variants.reduce((total, { percent }) => total + percent, 0);
    if (sum > MOST_PERCENT) complain(`the variants have ${sum} percent together`);
    return { ...experiment, by: experiment.by ?? 'session' };
  });
}
