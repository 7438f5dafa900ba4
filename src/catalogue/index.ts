export { billsToEnd } from './pricing/bills-to-end.ts';
export { CatalogueError, buildCatalogue, buildInSteps } from './build/build-catalogue.ts';
export { DEFAULT_CREDENTIAL, type Catalogue, type Mapping, type Model, type Provider } from './catalogue.ts';
export { dialectOverridesSchema } from './schema/dialect-schema.ts';
export { type ConfiguredPrice } from './build/configure-mapping.ts';
export { type ConfiguredProvider, extendCatalogue } from './build/extend-catalogue.ts';
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
} from './schema/file-schema.ts';
export { CUSTOM_FORMATS, type CustomFormat, FORMAT_DEFAULTS } from './build/format-defaults.ts';
export { parseFeed, renderFeed } from './feed/feed-document.ts';
export { type FeedFault, FeedRefused } from './feed/feed-refused.ts';
export { type FilesAt, datePrices } from './pricing/dated-price.ts';
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
export { type HostedToolEntry, hostedToolsSchema } from './schema/hosted-tool-schema.ts';
export { type HostedTool, chooseToolKind, findHostedTool, findToolKind, toToolKey } from './hosted-tool.ts';
export { requestPriceOf } from './list/describe-pricing.ts';
export { listParameters } from './list/list-parameters.ts';
export { describeListed, listModels, selectListed } from './list/list-models.ts';
export { renderModels } from './list/list-models-text.ts';
export {
  loadCatalogue,
  loadCatalogueFiles,
  loadSourceFiles,
  renderSnapshot,
} from './build/load-catalogue.ts';
export { type ModelEntry, modelEntrySchema } from './list/model-entry.ts';
export { supportsOperation, operationsOf } from './operation.ts';
export { type Modifiers, TOKEN_PRICES, modifiersSchema } from './schema/modifier-schema.ts';
export {
  type AppliedFactor,
  type Rate,
  findRate,
  isPriced,
  limitsWith,
  listOwnPrices,
  listRates,
} from './pricing/modifier.ts';
export {
  type PricedPart,
  explainFactors,
  mergeParts,
  priceParts,
  worstCaseRate,
} from './pricing/priced-part.ts';
export { type PremiumRule, isPremium } from './pricing/premium.ts';
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
export { NAMED_QUANTIZATIONS, quantizationSchema } from './schema/quantization.ts';
export { readPriceList } from './price-lists/price-list.ts';
export { KEPT_PARTS, type KeptBill, recountBill } from './pricing/recount.ts';
export { type Resolution, findMapping, isActive, resolveModel } from './names/resolve-model.ts';
export { createUnresolved, describeUnresolved, quote } from './names/unresolved.ts';
export { nameUnit } from './schema/unit.ts';
export { type UnitCount, explainUnits, findUnitPrice, priceUnits } from './unit-price.ts';
