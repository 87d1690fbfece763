/**
 * The stock that an argument `symbol` means: a ticker, or a company's name in English or Korean.
 */
import { Effect } from "effect"
import { ToolFailure } from "../../engine/tool/failure.ts"
import type { EquityMarkets } from "../../market/EquityMarkets.ts"
import { type MarketError, NoData, type SourceUnavailable, UnknownSymbol } from "../../market/errors.ts"
import type { EquityCountry, Stock } from "../../market/instrument.ts"
import type { MarketRead } from "../../market/reading.ts"
import { matchName } from "./matchName.ts"

export interface FoundStock {
  readonly stock: Stock
  /** Says which stock was taken, for who wrote no ticker. */
  readonly notes: ReadonlyArray<string>
}

/** More candidates than these are no help. */
const mostCandidates = 20

const isTicker = /^[A-Z0-9][A-Z0-9.-]{0,19}$/u

/** What may be meant, by ticker. */
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
  /** Asked of the stock afterwards: where nobody can say which one is meant, it knows what it lacks itself. */
  readonly next?: (symbol: string) => MarketRead<unknown>
}

/** Why a stock of the other country is not told here. */
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

/** A stock of whichever country that a name means, or a ticker written another way. */
export const findNamed: (
  equities: EquityMarkets["Service"],
  asked: string
) => Effect.Effect<FoundStock, MarketError | ToolFailure> = (equities, asked) =>
  Effect.map(named(equities, asked, "US"), (stock) => foundAs(asked, stock))

/** A source that is away matters less than one that the answer itself lacks. */
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
 * A stock of one country, by its ticker or else by name. Fails with the stocks that an ambiguous name may mean, of one
 * of the other country with the tool to use instead, and where stocks cannot be known as what is asked `next` does.
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
