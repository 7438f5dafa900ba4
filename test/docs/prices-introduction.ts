import { PRICE_FIELDS } from '#canonical';

/** The fields of requests; `cache_type` is only reported. */
const FIELDS = PRICE_FIELDS.filter((field) => field !== 'cache_type').map((field) =>
  field === 'service_tier' ? '`service_tier` (Gemini: `serviceTier`)' : `\`${field}\``,
);

/** The text of `docs/prices.md` above its table. */
export const PRICES_INTRODUCTION = `# Price modifiers and hosted tools

Some request fields change the price of a request: ${FIELDS.join(', ')}, and values
of \`anthropic-beta\` that enable a longer context. The [table](#the-catalogue) lists the prices in the catalogue. The files in
[catalogue/providers](../catalogue/providers) give the source page and date of each figure.

- **Hold.** The hold uses the most expensive value with which the request may be served. \`flex\` is held at the standard price.
- **Bill.** The bill uses the value that the response reports, or else the requested value.
- **Factors** multiply the price of every token. Searches, prices per request and units are not multiplied. The cost of a request is
  rounded once, up to a pico-USD.
- **Other models.** With \`fallbacks\` or an advisor, each model is billed at its own price, from \`usage.iterations\` of the response.
  A turn that was declined before any output costs nothing. To limit the hold, set \`max_uses\` and \`max_tokens\` of the advisor;
  without them, the hold includes three uses of 8,192 tokens.
- **Long context.** The length of each reading of a prompt decides whether it has the price of long prompts, where the response
  reports the readings (\`usage.iterations\`) or is cut; else their sum does.
- **Two caches.** Alibaba bills hits of the cache that a prompt's marks create (\`cache_type: ephemeral\` in the response) at half the price of
  those that it finds by itself. The hold uses the higher price. \`cacheReadFactor\` of a value multiplies the price of reading the cache alone.
- **Compaction.** If the prompt may reach the trigger of Anthropic's \`compact_…\`, the hold includes reading it a second time and a
  summary of 8,192 tokens.
- **No known price.** The request is refused with \`unpriced_option\`, unless the provider key is the organization's own or
  \`allowUnpriced\` is set. In these cases the value costs the same as the standard value, and the log row marks it.
- **Media.** Embeddings, images, audio and other media have no prices per tier: a \`service_tier\` other than \`auto\` or \`default\` is
  refused in the same way.

\`npx sluice ledger explain REQUEST\` and the \`modifiers\` of a log row show each factor with its amount.

## Your own modifiers

\`modifiers\` in \`sluice.yaml\` override the catalogue's, value by value, for a provider or for one model:

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
          turbo: { factor: 3 }
          gold: { price: { input: 4, output: 20 } }   # USD per million tokens
          slow: { refuse: true }
\`\`\`

\`absent\` is the value of a request that sets none. \`becomes\` lists the values that the response may report instead.

Amounts and factors in \`sluice.yaml\` are plain decimals, with or without quotes: \`3\`, \`0.25\` or \`"0.25"\`. They are read digit by digit and never
rounded; \`3e-1\` or more decimals than an amount can have are errors.

## The catalogue
`;

/** The text on tools that run at the provider, above their table. */
export const HOSTED_TOOLS_INTRODUCTION = `## Hosted tools

Tools that run at the provider (web search, code execution, file search, maps, images) have the
[prices below](#prices-of-hosted-tools), in addition to the tokens that they read and write.

- **Hold.** The hold includes the limit of the tool: \`max_uses\` in Messages, \`max_tool_calls\` in Responses. Without a limit, it
  includes ten calls, or one response, container or hour, or the number \`most\` of the entry. If the entry is \`bound\`, that number is
  sent to the provider as the limit.
- **Bill.** The bill uses the provider's count, or else the uses seen in the response. A stream that ends early is billed for the uses
  seen until then. Gemini reports most searches and maps at the end of a stream; one that ends before is billed for those it had reported.
  Free quotas of the operator are not passed on.
- **No known price.** Only mappings with a price for every hosted tool of the request are used. If there is none, the request is refused
  with \`unpriced_option\`, which names the tool. With \`allowUnpriced\` or an organization's own provider key, the request is sent,
  and the gateway charges nothing for the tool.
- **Omitted.** Agents offer \`web_search\` in the Responses format to every model. If the request also has the agent's own tools and would
  be refused because of \`web_search\`, the gateway omits it, unless \`tool_choice\` forces it.
- **Client tools** (functions, shells, editors, a computer) cost nothing. Neither do MCP, \`web_fetch\` and the other entries marked
  "tokens alone".
- **Images** of the tool \`image_generation\` are billed by the tokens of the image model (\`image_tokens\`, a price per token) if the
  response reports them, or else by model, quality and size.

\`npx sluice ledger explain REQUEST\` shows each tool with its count, price and amount; the \`units\` of a log row count them.

\`hostedTools\` in \`sluice.yaml\` take precedence over the catalogue's, for a provider or for one model. The first entry that matches
the tool and the model applies:

\`\`\`yaml
providers:
  - id: acme
    format: responses
    baseUrl: http://127.0.0.1:9001/v1
    hostedTools:
      - { tool: web_search, per: call, usd: 0.01, most: 5, bound: true }
      - { tool: code_interpreter, per: container, usd: { 1g: 0.03, 4g: 0.12 }, default: 1g }
      - { tool: code_execution, models: ["acme-*"], per: hour, usd: 0.05, leastMinutes: 5 }
      - { tool: mcp }                                           # tokens alone
      - { tool: image_generation, refused: "images are made elsewhere" }
\`\`\`

\`per\` is \`call\`, \`prompt\` (once per response that used it), \`container\`, \`hour\` or \`tokens\`. \`default\` is the kind of a request
that names none. With one of the tools in \`freeWith\`, the tool is free. \`always\` is for models that use it without being asked.

### Prices of hosted tools
`;
