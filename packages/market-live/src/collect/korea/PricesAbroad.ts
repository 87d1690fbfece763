/** What coins cost abroad, for who tells what they cost in Korea. */
import { type Interval, minuteMs, type SourceUnavailable } from "@tapeline/core/market"
import { Array as Arr, Effect } from "effect"
import type { BinanceSpot } from "../../sources/binance/spot.ts"

const fineMs = 5 * minuteMs

/** A venue that quotes coins against USDT. */
export interface PricesAbroad {
  /** As rows name it. */
  readonly source: string
  /** What every coin that it quotes costs now. */
  readonly now: Effect.Effect<ReadonlyMap<string, number>, SourceUnavailable>
  /** What a coin cost at instants of five minutes in an interval, at most a thousand of them; none of one it lacks. */
  readonly past: (coin: string, interval: Interval) => Effect.Effect<ReadonlyMap<number, number>, SourceUnavailable>
}

/** Symbols that are asked for at once: more make an address that is longer than some way there takes. */
const asked = 100

/** Two exchanges in Korea ask for the same prices within seconds. */
const keptMs = 15_000

const quote = "USDT"

/** Binance's spot market. */
export const binanceAbroad = (spot: BinanceSpot["Service"]): Effect.Effect<PricesAbroad> => {
  const prices = Effect.gen(function*() {
    const { value: markets } = yield* spot.markets(quote)
    const pages = Arr.chunksOf(markets.filter(({ trades }) => trades), asked)
    const answers = yield* Effect.forEach(pages, (page) => spot.tickers(page), { concurrency: 2 })
    return new Map(answers.flatMap(({ value }) => value.map(({ coin, price }) => [coin, price] as const)))
  })
  return Effect.map(Effect.cachedWithTTL(prices, keptMs), (now): PricesAbroad => ({
    source: "binance",
    now,
    past: (coin, { from, to }) =>
      Effect.map(
        spot.candles({ symbol: `${coin}${quote}`, interval: "5m", from: from - fineMs, to: to - fineMs }),
        ({ value }) =>
          new Map((value ?? []).flatMap(({ close, closed, time }) => closed ? [[time + fineMs, close]] : []))
      )
  }))
}

/** A dollar has cost no less and no more won than that for long, premiums of fresh listings included. */
const wonPerDollar = { least: 300, most: 6_000 }

/**
 * What a coin costs abroad where that is the same coin: two that have one name do not cost the same. A USDT costs a
 * USDT.
 */
export const abroadOf = (coin: string, krwPrice: number, price: number | undefined): number | null => {
  if (coin === quote) return 1
  if (price === undefined || price <= 0) return null
  const won = krwPrice / price
  return won >= wonPerDollar.least && won <= wonPerDollar.most ? price : null
}
