export { billsToEnd } from './bills-to-end.ts';
export { CatalogueError, buildCatalogue } from './build-catalogue.ts';
export {
  DEFAULT_CREDENTIAL,
  type Catalogue,
  type Mapping,
  type Model,
  type Provider,
  type Stability,
} from './catalogue.ts';
export { type DialectOverrides, dialectOverridesSchema } from './dialect-schema.ts';
export { type ConfiguredModel, type ConfiguredPrice } from './configure-mapping.ts';
export { type ConfiguredProvider, extendCatalogue } from './extend-catalogue.ts';
export {
  CLOUD_IDS,
  type CatalogueFiles,
  type Cancellation,
  type CloudId,
  MEDIA_OPERATIONS,
  type MediaOperation,
  type Operation,
  type OperationPlace,
  type ProtocolId,
  VIDEO_PROTOCOLS,
  cancellationSchema,
  type VideoAbility,
  type VideoProtocolId,
  operationsSchema,
  priceFields,
  privacySchema,
  protocolSchema,
  videoSchema,
} from './file-schema.ts';
export { type Feed, parseFeed, renderFeed } from './feed/feed-document.ts';
export { FEED_FAULTS, type FeedFault, FeedRefused } from './feed/feed-refused.ts';
export { type FeedState, composeFiles } from './feed/feed-state.ts';
export {
  type SigningKey,
  createSigningKey,
  isPublicKey,
  nameKey,
  readSigningKey,
  signFeed,
  verifyFeed,
} from './feed/sign-feed.ts';
export { type FeedChange, type StagedFeed, stageFeed } from './feed/stage-feed.ts';
export { type HostedToolEntry, hostedToolsSchema } from './hosted-tool-schema.ts';
export { type HostedTool, chooseToolKind, findHostedTool, findToolKind, toToolKey } from './hosted-tool.ts';
export { type ListOptions, describeListed, listModels } from './list-models.ts';
export { renderModels } from './list-models-text.ts';
export { loadCatalogue, loadCatalogueFiles, loadSourceFiles, renderSnapshot } from './load-catalogue.ts';
export { type MappingEntry, type ModelEntry, modelEntrySchema } from './model-entry.ts';
export { canDo, operationsOf } from './operation.ts';
export { type Modifiers, TOKEN_PRICES, modifiersSchema } from './modifier-schema.ts';
export {
  type AppliedFactor,
  type Rate,
  findRate,
  isPriced,
  limitsWith,
  listOwnPrices,
  listRates,
} from './modifier.ts';
export { type PricedPart, explainFactors, priceParts, worstCaseRate } from './priced-part.ts';
export { type PremiumRule, isPremium } from './premium.ts';
export {
  type Price,
  type PromptBound,
  encodePrice,
  explainPrice,
  isFree,
  parsePrice,
  priceUsage,
  restorePrice,
  worstCasePrice,
} from './price.ts';
export { type PriceDrift, comparePriceList } from './price-lists/compare-price-list.ts';
export { readPriceList } from './price-lists/price-list.ts';
export { KEPT_PARTS, type KeptBill, recountBill } from './recount.ts';
export { findMapping, isActive, resolveModel } from './resolve-model.ts';
export { type UnitCount, type UnitPrices, explainUnits, findUnitPrice, priceUnits } from './unit-price.ts';
