import type { Catalogue, Model } from '../catalogue.ts';
import type { ListOptions, ListedModel } from './list-models.ts';
import { describeListed, isDeprecated, pinName, selectListed } from './list-models.ts';
import { isActive } from '../names/resolve-model.ts';

/** The response of `GET /v1/models` as JSON text: the models of several catalogues in order. */
export function renderModels(catalogues: readonly Catalogue[], options: ListOptions): string {
  const listed = catalogues.flatMap((catalogue) => selectListed(catalogue, options));
  const data = listed.map((one) => renderEntry(one, options));
  const edges = `"first_id":${nameOf(listed[0], options)},"last_id":${nameOf(listed.at(-1), options)}`;
  return `{"object":"list","data":[${data.join(',')}],"has_more":false,${edges}}`;
}

function nameOf(listed: ListedModel | undefined, { mapped }: ListOptions): string {
  if (!listed) return 'null';
  const { id } = listed.model;
  return JSON.stringify(mapped ? pinName(listed, id) : id);
}

/** Serialized entries by model and by the mappings they show: a model never changes, a new one replaces it. */
const entries = new WeakMap<Model, Map<string, string>>();
const MOST_VIEWS = 8;

function renderEntry(listed: ListedModel, options: ListOptions): string {
  const known = entries.get(listed.model) ?? new Map<string, string>();
  entries.set(listed.model, known);
  const view = nameView(listed, options);
  const found = known.get(view);
  if (found !== undefined) return found;
  if (known.size >= MOST_VIEWS) known.clear();
  const text = JSON.stringify(describeListed(listed, options));
  known.set(view, text);
  return text;
}

/** A key of everything an entry depends on besides its model: time only decides which mappings are active or deprecated. */
function nameView({ model, mappings }: ListedModel, { mapped, now }: ListOptions): string {
  let name = mapped ? 'mapped' : '';
  for (const mapping of mappings)
    name += ` ${model.mappings.indexOf(mapping)}${isActive(mapping, now) ? '' : '!'}${isDeprecated(mapping, now) ? '-' : ''}`;
  return name;
}
