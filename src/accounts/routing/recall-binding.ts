import { Type } from 'typebox';
import { createLru, fitsSchema, parseJson } from '#base';
import { recallRules } from '../rules/recall-rules.ts';
import type { AccessRule } from '../rules/rule.ts';
import {
  CHOICE_MEMBERS,
  FALLBACK_MODELS,
  type RoutingChoice,
  type RoutingPreferences,
  mergePreferences,
  toRules,
} from './routing-choice.ts';

const MOST_RECALLED = 2_000;

/** The rules and routing that bind the requests of a key, as JSON texts of the database; null where there are none. */
interface BindingTexts {
  rules: string | null;
  projectRouting: string | null;
  keyRouting: string | null;
}

/** The same for the request path. */
interface Binding {
  /** Includes the exclusions of its routing; absent if there are none. */
  rules?: readonly AccessRule[];
  routing?: RoutingPreferences;
}

const storedSchema = Type.Partial(Type.Object({ ...CHOICE_MEMBERS, fallback_models: FALLBACK_MODELS }));
const known = createLru<string, Binding>(MOST_RECALLED);

/** Parses what binds a key; the same texts yield the same rules, and so the same compiled checks. */
export function recallBinding({ rules, projectRouting, keyRouting }: BindingTexts): Binding {
  if (projectRouting === null && keyRouting === null)
    return rules === null ? {} : { rules: recallRules(rules) };
  const name = JSON.stringify([rules, projectRouting, keyRouting]);
  const recalled = known.get(name);
  if (recalled) return recalled;
  const layers = [
    { layer: 'project-routing', choice: parse(projectRouting) },
    { layer: 'key-routing', choice: parse(keyRouting) },
  ] as const;
  const all = [
    ...(rules === null ? [] : recallRules(rules)),
    ...layers.flatMap(({ layer, choice }) =>
      choice === undefined ? [{ layer, type: 'unreadable', values: [] }] : toRules(layer, choice),
    ),
  ];
  const choices = layers.map(({ choice = {} }) => choice).filter(hasPreference);
  const routing = choices.reduce<RoutingPreferences | undefined>(mergePreferences, undefined);
  const binding = { ...(all.length > 0 && { rules: all }), ...(routing && { routing }) };
  known.set(name, binding);
  return binding;
}

/** Undefined for what another version of this program has written: it may exclude what this one cannot know. */
function parse(text: string | null): RoutingChoice | undefined {
  const choice = text === null ? {} : parseJson(text);
  return isChoice(choice) ? choice : undefined;
}

function isChoice(value: unknown): value is RoutingChoice {
  if (!fitsSchema(storedSchema, value)) return false;
  return Object.keys(value).every(
    (member) => member === 'fallback_models' || Object.hasOwn(CHOICE_MEMBERS, member),
  );
}

function hasPreference({ order, allow_fallbacks, weights, sort, fallback_models }: RoutingChoice): boolean {
  return Boolean(order ?? weights ?? sort ?? fallback_models) || allow_fallbacks === false;
}
