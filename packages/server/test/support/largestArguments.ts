interface JsonSchema {
  readonly type?: string | ReadonlyArray<string>
  readonly maximum?: number
  readonly anyOf?: ReadonlyArray<JsonSchema>
  readonly properties?: Readonly<Record<string, JsonSchema>>
}

/** The parameters that determine the size of a result. */
const amountParameters = new Set([
  "bars",
  "days",
  "days_back",
  "folds",
  "hours",
  "paths",
  "since_hours",
  "strikes_around",
  "top"
])

/** Arguments that make a result larger although their own schema has no bound for the size. */
const widestArguments: Readonly<Record<string, object>> = {
  get_kimchi_premium: { coin: null, scan_all: true },
  get_latest_news: { coin: null, symbol: null },
  get_news_sentiment: { coin: null, symbol: null },
  get_options_positioning: { expiry: null },
  get_whale_transfers: { min_usd: 100_000 },
  search_tokens: { query: "a" }
}

const maximumOf = ({ anyOf = [], maximum }: JsonSchema): number | undefined =>
  maximum ?? anyOf.map(maximumOf).find((maximum) => maximum !== undefined)

export const largestArguments = (name: string, example: object, parameters: unknown): object => {
  // The cast is safe, because the parameters of each catalogue entry are the JSON Schema of an object.
  const { properties = {} } = parameters as JsonSchema
  const maximums = Object.entries(properties).flatMap(([key, schema]) => {
    const maximum = amountParameters.has(key) ? maximumOf(schema) : undefined
    return maximum === undefined ? [] : [[key, maximum]]
  })
  return { ...example, ...Object.fromEntries(maximums), ...widestArguments[name] }
}
