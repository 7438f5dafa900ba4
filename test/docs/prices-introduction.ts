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

/** What it says of tools that run at the provider, above their table. */
export const HOSTED_TOOLS_INTRODUCTION = `## Hosted tools

Tools that run at the provider (a search of the web, code in a container, file search, maps, images) cost what the
[table below](#prices-of-hosted-tools) says, on top of the tokens they read and write.

- **Hold.** A request is held for at the tool's own limit: \`max_uses\` of Messages, \`max_tool_calls\` of Responses. Where it
  sets none, ten calls are held for, or one answer, container or hour; where an entry has another number (\`most\`), so many.
  Tools whose entry is \`bound\` are then sent with that number as their limit.
- **Bill.** The uses that the provider reports are billed, else those that are seen in the answer. A stream that is cut is
  billed for what was seen until then; a stream of Gemini tells its searches and maps at its end, so one that is cut is not
  billed for them. Free quotas of the operator are not passed on.
- **No known price.** Only mappings that know a price for every hosted tool of a request are used. Where there is none, the
  request is refused with \`unpriced_option\`, which names the tool. With \`allowUnpriced\` or an organization's own provider
  key it passes, and the tool costs nothing here.
- **Left out.** Agents offer \`web_search\` in the Responses format to every model. Beside tools of their own it is left out
  where the request would be refused for it, unless \`tool_choice\` forces it.
- **Tools of the client** (functions, shells, editors, a computer) have no charge. Neither have MCP, \`web_fetch\` and the
  other entries marked "tokens alone".
- **Images** of the tool \`image_generation\` are billed by the tokens of the image model (\`image_tokens\`, a price per token)
  where the answer reports them, else by model, quality and size.

\`npx sluice ledger explain REQUEST\` shows each tool with its count, price and amount; the \`units\` of a log row count them.

\`hostedTools\` in \`sluice.yaml\` goes before the catalogue's, for a provider or for one model. The first entry that fits the
tool and the model counts:

\`\`\`yaml
providers:
  - id: acme
    format: responses
    baseUrl: http://127.0.0.1:9001/v1
    hostedTools:
      - { tool: web_search, per: call, usd: "0.01", most: 5, bound: true }
      - { tool: code_interpreter, per: container, usd: { 1g: "0.03", 4g: "0.12" }, default: 1g }
      - { tool: code_execution, models: ["acme-*"], per: hour, usd: "0.05", leastMinutes: 5 }
      - { tool: mcp }                                           # tokens alone
      - { tool: image_generation, refused: "images are made elsewhere" }
\`\`\`

\`per\` is \`call\`, \`prompt\` (once for an answer that used it), \`container\`, \`hour\` or \`tokens\`. \`default\` is the kind of a request
that names none. \`freeWith\` lists tools beside which it costs nothing. \`always\` is for models that use it unasked.

### Prices of hosted tools
`;
