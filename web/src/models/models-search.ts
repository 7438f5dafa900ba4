import { readTexts } from '../parts/read-texts.ts';

export const ABILITIES = ['tools', 'vision', 'reasoning', 'structured'] as const;
export type Ability = (typeof ABILITIES)[number];
export const ORDERS = ['name', 'context', 'input', 'cached', 'output'] as const;
export type Order = (typeof ORDERS)[number];

export interface ModelsSearch {
  find?: string;
  provider?: string;
  /** What the model must be able to do. */
  can?: Ability;
  /** The highest prices, in USD per million tokens. */
  input?: number;
  output?: number;
  /** The smallest context window, in tokens. */
  context?: number;
  /** By name, if absent. */
  sort?: Order;
  /** Include deprecated models. */
  ended?: boolean;
  /** Only models that can be called here. */
  available?: boolean;
}

export function readModelsSearch(search: Record<string, unknown>): ModelsSearch {
  const { can, sort, ended, available } = search;
  const ability = ABILITIES.find((name) => name === can);
  const order = ORDERS.find((name) => name === sort);
  const amounts = (['input', 'output', 'context'] as const).flatMap((name) => {
    const amount = Number(search[name] ?? NaN);
    return search[name] !== '' && amount >= 0 ? [[name, amount] as const] : [];
  });
  return {
    ...Object.fromEntries(amounts),
    ...readTexts(search, 'find', 'provider'),
    ...(ability && { can: ability }),
    ...(order && order !== 'name' && { sort: order }),
    ...(ended === true && { ended }),
    ...(available === true && { available }),
  };
}
