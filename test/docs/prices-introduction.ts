/** What `docs/prices.md` says above its table. */
export const PRICES_INTRODUCTION = `# Prices that a request changes

Some request fields change what a request costs: \`service_tier\` (Gemini: \`serviceTier\`), \`speed\`, \`inference_geo\`, and
values of \`anthropic-beta\` that open a longer context. The [table](#the-catalogue) says what the catalogue knows; the files
in [catalogue/providers](../catalogue/providers) name the page and the date of each figure.

- **Hold.** A request is held for at the most expensive value it may be served with. \`flex\` is held at the standard price.
- **Bill.** The value that the answer reports is billed. Where it reports none, the requested value is.
- **Factors** multiply the price of every token. Searches, prices per request and units are not multiplied. The cost of a
  request is rounded once, up to a pico-USD.
- **Other models.** With \`fallbacks\` or an advisor each model is billed at its own price, from \`usage.iterations\` of the
  answer. A turn that was declined before any output costs nothing. Set \`max_uses\` and \`max_tokens\` of the advisor to bound
  its hold; without them three uses of 8,192 tokens are held for.
- **No known price.** The request is refused with \`unpriced_option\`, unless the provider key is the organization's own or
  \`allowUnpriced\` is set: then the value costs what the standard does, and the row marks it.
- **Media.** Embeddings, images, audio and the like have no prices by tier: a \`service_tier\` other than \`auto\` or \`default\`
  is refused in the same way.

\`npx sluice ledger explain REQUEST\` and the \`modifiers\` of a log row show each factor with its amount.

## Your own table

\`modifiers\` in \`sluice.yaml\` goes over the catalogue's, value by value, for a provider or for one model:

\`\`\`yaml
providers:
  - id: openai
    modifiers:
      service_tier:
        values:
          auto: { becomes: [priority, default] }   # a project that defaults to priority
  - id: anthropic
    modifiers:
      inference_geo: { absent: us }                # a workspace that defaults to us
  - id: acme
    format: chat
    baseUrl: http://127.0.0.1:9001/v1
    modifiers:
      service_tier:
        values:
          turbo: { factor: "3" }
          gold: { price: { input: "4", output: "20" } }   # USD per million tokens
          slow: { refuse: true }
\`\`\`

\`absent\` is the value that counts where a request has none. \`becomes\` lists the values that the answer may report instead.

## The catalogue
`;
