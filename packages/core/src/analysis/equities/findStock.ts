/** Finds the stock that an argument `symbol` means: a ticker, or a company's name in English or Korean. */
import { Effect } from "effect"
import { ToolFailure } from "../../engine/tool/failure.ts"
import type { EquityMarkets } from "../../market/EquityMarkets.ts"
import { type MarketError, NoData, type SourceUnavailable, UnknownSymbol } from "../../market/errors.ts"
import type { EquityCountry, Stock } from "../../market/instrument.ts"
import type { MarketRead } from "../../market/reading.ts"
import { matchName } from "./matchName.ts"

export interface FoundStock {
  readonly stock: Stock
  /** States which stock was chosen, if the argument was not its ticker. */
  readonly notes: ReadonlyArray<string>
}

/** The maximum number of candidates in an error. */
const mostCandidates = 20

const isTicker = /^[A-Z0-9][A-Z0-9.-]{0,19}$/u

/** The error for a name that may mean several stocks. Contains the candidates. */
const ambiguous = (asked: string, stocks: ReadonlyArray<Stock>): ToolFailure => {
  const candidates = stocks.slice(0, mostCandidates).map(({ exchange, name, symbol }) => ({ symbol, name, exchange }))
  const listed = candidates.map(({ name, symbol }) => `${symbol} (${name})`).join(", ")
  return new ToolFailure({
    code: "unknown_symbol",
    says: { key: "ambiguous_symbol", params: { name: asked, candidates: listed } },
    retryable: false,
    candidates
  })
}

interface Asked {
  readonly country: EquityCountry
  /** The tool of the other country. */
  readonly instead: string
  /**
   * The next read of the stock. If the stock markets are unavailable, its error is reported if it is unavailable too.
   */
  readonly next?: (symbol: string) => MarketRead<unknown>
}

/** The error for a stock of the other country. */
export const listedElsewhere = (
  { exchange, name, symbol }: Pick<Stock, "exchange" | "name" | "symbol">,
  { country, instead }: Pick<Asked, "country" | "instead">
): NoData => {
  const params = { symbol: `${symbol} (${name})`, exchange, tool: instead }
  return new NoData({
    subject: `${symbol} in ${country}`,
    reason: country === "US" ? { key: "none_in_us", params } : { key: "none_in_korea", params }
  })
}

const named = Effect.fnUntraced(function*(equities: EquityMarkets["Service"], asked: string, first: EquityCountry) {
  const other = first === "US" ? "KR" : "US"
  for (const country of [first, other] as const) {
    const { value: stocks } = yield* equities.stocks(country)
    const found = matchName(asked, stocks)
    const [stock] = found
    if (stock === undefined) continue
    if (found.length > 1) return yield* ambiguous(asked, found)
    return stock
  }
  return yield* new UnknownSymbol({ symbol: asked })
})

const foundAs = (asked: string, stock: Stock): FoundStock => ({
  stock,
  notes: stock.symbol === asked ? [] : [`\`${asked}\` is taken for ${stock.symbol}, ${stock.name}.`]
})

/** Finds a stock of any country by name, or by a ticker in another spelling. */
export const findNamed: (
  equities: EquityMarkets["Service"],
  asked: string
) => Effect.Effect<FoundStock, MarketError | ToolFailure> = (equities, asked) =>
  Effect.map(named(equities, asked, "US"), (stock) => foundAs(asked, stock))

/** The caller's own source matters more: if it is also unavailable, reports that error. */
const failsAs = (
  asked: string,
  next: Asked["next"],
  error: SourceUnavailable
): Effect.Effect<never, MarketError> =>
  next === undefined ? Effect.fail(error) : Effect.matchEffect(next(asked), {
    onFailure: (own) => Effect.fail(own._tag === "SourceUnavailable" ? own : error),
    onSuccess: () => Effect.fail(error)
  })

/**
 * Finds a stock of one country by ticker, or else by name. Fails with the candidates of an ambiguous name. Fails with
 * the tool of the other country if the stock is listed there. If the stock markets are unavailable and `next` is too,
 * fails with the error of `next`.
 */
export const findStock: (
  equities: EquityMarkets["Service"],
  asked: string,
  from: Asked
) => Effect.Effect<FoundStock, MarketError | ToolFailure> = Effect.fnUntraced(
  function*(equities, asked, from) {
    const { country } = from
    const found = isTicker.test(asked)
      ? equities.stock(asked).pipe(
        Effect.map(({ value }) => value),
        Effect.catchTag("UnknownSymbol", () => named(equities, asked, country))
      )
      : named(equities, asked, country)
    const stock = yield* Effect.catchTag(found, "SourceUnavailable", (error) => failsAs(asked, from.next, error))
    if (stock.country !== country) return yield* listedElsewhere(stock, from)
    return foundAs(asked, stock)
  }
)
