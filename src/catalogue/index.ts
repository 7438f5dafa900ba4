export { billsToEnd } from './bills-to-end.ts';
export { CatalogueError, buildCatalogue, buildInSteps } from './build-catalogue.ts';
export { DEFAULT_CREDENTIAL, type Catalogue, type Mapping, type Model, type Provider } from './catalogue.ts';
export { dialectOverridesSchema } from './dialect-schema.ts';
export { type ConfiguredPrice } from './configure-mapping.ts';
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
export { CUSTOM_FORMATS, type CustomFormat, FORMAT_DEFAULTS } from './format-defaults.ts';
export { parseFeed, renderFeed } from './feed/feed-document.ts';
export { type FeedFault, FeedRefused } from './feed/feed-refused.ts';
export { type FilesAt, datePrices } from './dated-price.ts';
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
export { type FeedChange, type StagedFeed, stageFeed, stageInSteps } from './feed/stage-feed.ts';
export { type HostedToolEntry, hostedToolsSchema } from './hosted-tool-schema.ts';
export { type HostedTool, chooseToolKind, findHostedTool, findToolKind, toToolKey } from './hosted-tool.ts';
export { requestPriceOf } from './describe-pricing.ts';
export { listParameters } from './list-parameters.ts';
export { describeListed, listModels, selectListed } from './list-models.ts';
export { renderModels } from './list-models-text.ts';
export { loadCatalogue, loadCatalogueFiles, loadSourceFiles, renderSnapshot } from './load-catalogue.ts';
export { type ModelEntry, modelEntrySchema } from './model-entry.ts';
export { supportsOperation, operationsOf } from './operation.ts';
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
export { type PricedPart, explainFactors, mergeParts, priceParts, worstCaseRate } from './priced-part.ts';
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
} from './price.ts';
export { comparePriceList } from './price-lists/compare-price-list.ts';
export { NAMED_QUANTIZATIONS, quantizationSchema } from './quantization.ts';
export { readPriceList } from './price-lists/price-list.ts';
export { KEPT_PARTS, type KeptBill, recountBill } from './recount.ts';
export { type Resolution, findMapping, isActive, resolveModel } from './resolve-model.ts';
export { createUnresolved, describeUnresolved, quote } from './unresolved.ts';
export { nameUnit } from './unit.ts';
export { type UnitCount, explainUnits, findUnitPrice, priceUnits } from './unit-price.ts';
