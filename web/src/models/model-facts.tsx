import { type Fact, FactList } from '../parts/fact-list.tsx';
import { countOf } from '../parts/format.ts';
import { ABILITY_NAMES, type Model, describeAbilities, endOf } from './catalogue.ts';

/** The properties of a model that do not depend on the provider. */
export function ModelFacts({ model }: { model: Model }) {
  return <FactList of={listFacts(model)} className="settings figures" />;
}

function listFacts(model: Model): Fact[] {
  const { input_modalities: takes, output_modalities: gives } = model.architecture;
  const efforts = [...new Set(model.providers.flatMap((offer) => offer.reasoning_efforts))];
  return [
    ['Model id', model.id],
    ...(model.aliases.length > 0 ? [['Also called', model.aliases.join(', ')] as const] : []),
    ['Family', model.family],
    ['Input modalities', takes.join(', ')],
    ['Output modalities', gives.join(', ')],
    ['Context', countTokens(model.context_length)],
    ['Max output', countTokens(model.max_output)],
    ['Capabilities', describeAbilities(model) || `none of ${Object.values(ABILITY_NAMES).join(', ')}`],
    ...(efforts.length > 0 ? [['Reasoning effort', efforts.join(', ')] as const] : []),
    ['Lifecycle', describeLifecycle(model)],
  ];
}

const countTokens = (count: number): string => (count === 0 ? 'not known' : countOf(count, 'token'));

function describeLifecycle(model: Model): string {
  const end = endOf(model)?.slice(0, 10);
  if (model.lifecycle === 'retired') return end === undefined ? 'has ended' : `ended on ${end}`;
  const state = model.stability === 'stable' ? 'in service' : `in service, ${model.stability}`;
  return end === undefined ? state : `${state}; ends on ${end}`;
}
