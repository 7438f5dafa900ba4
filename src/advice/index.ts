export { type Saving, findSavings } from './advise.ts';
export { encodeWhatIf } from './encode-what-if.ts';
export { type PricedUse, priceUsed } from './price-used.ts';
export { type WhatIf, type WhatIfLine, askWhatIf } from './what-if.ts';
