import { fileURLToPath } from 'node:url';
import { type AccessRule, type RuleType, decideAccess } from '#accounts';
import { type ConfiguredProvider, type Mapping, extendCatalogue, loadCatalogue } from '#catalogue';

const own = (id: string, models: NonNullable<ConfiguredProvider['models']>, more = {}) => ({
  id,
  format: 'chat' as const,
  baseUrl: 'http://a',
  models,
  ...more,
});
const expensive = { input: '5', output: '25' };
const cheap = { input: '0.5', output: '1' };
const free = { input: '0', output: '0' };
/**
 * The catalogue with models at three providers: one that meets every privacy rule, one that meets none, one without
 * known facts.
 */
export const catalogue = extendCatalogue(
  await loadCatalogue(fileURLToPath(new URL('../../catalogue', import.meta.url))),
  [
    own(
      'acme',
      [
        { id: 'big', price: { ...expensive, request: '0.02' }, quantization: 'bf16' },
        { id: 'small', price: cheap },
        { id: 'gift', price: free },
      ],
      {
        privacy: { trainsOnData: false, zeroRetention: true, regions: ['eu'] },
      },
    ),
    own('umbra', [{ id: 'big', price: cheap, quantization: 'fp8' }, { id: 'unpriced' }], {
      privacy: { trainsOnData: true, zeroRetention: false, regions: ['eu', 'us'] },
    }),
    own('blank', [{ id: 'big', price: { ...cheap, perImage: { '1024x1024': '0.04', default: '0.06' } } }]),
  ],
);
export const OWN = ['acme', 'umbra', 'blank'];
/** The mappings of those three. */
export const mappings = [...catalogue.models.values()]
  .flatMap((model) => model.mappings)
  .filter(({ providerId }) => OWN.includes(providerId));
export const nameOf = ({ providerId, modelId }: Mapping) => `${providerId}/${modelId}`;

export const rule = (layer: AccessRule['layer'], type: RuleType, ...values: string[]): AccessRule => ({
  layer,
  type,
  values,
});

/** The names that rules allow, or the layer and type of rule that left none. */
export function decide(
  rules: readonly AccessRule[],
  clientAddress = '192.0.2.1',
  offered = mappings,
): string[] | string {
  const decision = decideAccess(rules, { mappings: offered, catalogue, clientAddress });
  return 'allowed' in decision
    ? decision.allowed.map(nameOf)
    : `${decision.refusal.layer} ${decision.refusal.type}`;
}
