/** Arguments by which a tool answers the most: its published bounds. */

interface Published {
  readonly type?: string | ReadonlyArray<string>
  readonly maximum?: number
  readonly anyOf?: ReadonlyArray<Published>
  readonly properties?: Readonly<Record<string, Published>>
}

/** Of how much there is: other arguments say what is asked, and their bounds are no more of it. */
const amounts = new Set([
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

/** What no single bound says. */
const wider: Readonly<Record<string, object>> = {
  get_kimchi_premium: { coin: null, scan_all: true },
  get_latest_news: { coin: null, symbol: null },
  get_news_sentiment: { coin: null, symbol: null },
  get_options_positioning: { expiry: null },
  get_whale_transfers: { min_usd: 100_000 },
  search_tokens: { query: "a" }
}

const maximumOf = ({ anyOf = [], maximum }: Published): number | undefined =>
  maximum ?? anyOf.map(maximumOf).find((found) => found !== undefined)

/** The example with as much as may be asked for. */
export const largestArguments = (name: string, example: object, parameters: unknown): object => {
  // Of a catalogue, whose entries are JSON Schemas of objects.
  const { properties = {} } = parameters as Published
  const most = Object.entries(properties).flatMap(([key, schema]) => {
    const maximum = amounts.has(key) ? maximumOf(schema) : undefined
    return maximum === undefined ? [] : [[key, maximum]]
  })
  return { ...example, ...Object.fromEntries(most), ...wider[name] }
}
