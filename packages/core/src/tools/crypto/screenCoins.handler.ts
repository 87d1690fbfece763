import { Effect } from "effect"
import { DerivedStore } from "../../analysis/signals/DerivedStore.ts"
import { makeOneByOne } from "../../analysis/signals/oneByOne.ts"
import { readOpenInterestChange } from "../../analysis/signals/openInterest.ts"
import { staleAmong, staleNotes } from "../../analysis/stale.ts"
import { counted } from "../../engine/text/counted.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { instant } from "../../engine/tool/result.ts"
import { CoinDerivatives } from "../../market/CoinDerivatives.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import type { CoinPerpetual } from "../../market/derivative.ts"
import { NoData } from "../../market/errors.ts"
import { provenanceOf, sourceOf } from "../../market/provenance.ts"
import type { Reading } from "../../market/reading.ts"
import { dayMs } from "../../market/timeframe.ts"
import { valueOf } from "../../market/valueOf.ts"
import { screenCoins, type ScreenField } from "./screenCoins.ts"
import { makeScreenedIndicators } from "./screenedIndicators.ts"

const concurrency = 8
const indicators = ["rsi", "atr_pct", "range_position_pct"] as const

type Filter = typeof screenCoins["parameters"]["Type"]["filters"][number]

const holds = (value: number, { op, value: bound }: Filter): boolean =>
  op === "gt" ? value > bound : op === "gte" ? value >= bound : op === "lt" ? value < bound : value <= bound

/** A field's values by coin. A missing coin has no value. */
type Column = ReadonlyMap<string, number | null>

/** The requested columns and the readings that they use. */
interface Columns {
  readonly of: ReadonlyMap<ScreenField, Column>
  readonly read: ReadonlyArray<Reading<unknown>>
  /** The oldest hour of the columns that use closed hours; undefined if there are no such columns. */
  readonly hourlyAt: number | undefined
}

/** Reads only the data that the fields need. */
const makeColumns = Effect.gen(function*() {
  const prices = yield* CoinPrices
  const derivatives = yield* CoinDerivatives
  const derived = yield* DerivedStore
  const screened = makeScreenedIndicators(prices)
  const oneByOne = makeOneByOne()

  const changesOf = (perpetuals: ReadonlyArray<CoinPerpetual>) =>
    Effect.map(
      Effect.forEach(
        perpetuals,
        (one) =>
          Effect.map(
            oneByOne(readOpenInterestChange(derivatives, one, dayMs)),
            ({ value }) => [one.coin, value.coinPct] as const
          ),
        { concurrency }
      ),
      (rows): Column => new Map(rows)
    )

  return Effect.fnUntraced(function*(coins: ReadonlyArray<string>, fields: ReadonlySet<ScreenField>) {
    const of = new Map<ScreenField, Column>()
    const read: Array<Reading<unknown>> = []
    const hourly: Array<number> = []
    if (indicators.some((name) => fields.has(name))) {
      const found = yield* screened(coins)
      read.push(found)
      hourly.push(found.asOf)
      for (const name of indicators) of.set(name, new Map([...found.value].map(([coin, one]) => [coin, one[name]])))
    }
    if (fields.has("score")) {
      const found = yield* derived.scores
      read.push(found)
      hourly.push(found.asOf)
      of.set("score", new Map(found.value.map(({ coin, score }) => [coin, score])))
    }
    if (fields.has("funding_rate_pct") || fields.has("oi_change_24h_coin_pct")) {
      const found = yield* derivatives.perpetuals
      read.push(found)
      const traded = found.value.filter(({ coin }) => coins.includes(coin))
      of.set(
        "funding_rate_pct",
        new Map(traded.map(({ coin, fundingRate }) => [coin, fundingRate === null ? null : 100 * fundingRate]))
      )
      if (fields.has("oi_change_24h_coin_pct")) of.set("oi_change_24h_coin_pct", yield* changesOf(traded))
    }
    return { of, read, hourlyAt: hourly.length === 0 ? undefined : Math.min(...hourly) } satisfies Columns
  })
})

export const handler = handlerOf(
  screenCoins,
  Effect.gen(function*() {
    const prices = yield* CoinPrices
    const columns = yield* makeColumns
    return Effect.fnUntraced(function*({ filters, sort, top }) {
      const ofTickers = yield* prices.tickers
      const stable = new Set((yield* valueOf(prices.coins)).filter((one) => one.isStablecoin).map(({ coin }) => coin))
      const tickers = ofTickers.value.filter(({ coin }) => !stable.has(coin))
      if (tickers.length === 0) return yield* new NoData({ subject: "the market", reason: { key: "none_priced" } })
      const tested = new Set(filters.map(({ field }) => field))
      const fields = new Set<ScreenField>(sort === undefined ? tested : [...tested, sort.field])
      const { hourlyAt, of, read } = yield* columns(tickers.map(({ coin }) => coin), fields)
      of.set("price", new Map(tickers.map(({ coin, price }) => [coin, price])))
      of.set("change_24h_pct", new Map(tickers.map(({ change24hPct, coin }) => [coin, change24hPct])))
      of.set("volume_24h_usd", new Map(tickers.map(({ coin, volume24hUsd }) => [coin, volume24hUsd])))
      const valueFor = (coin: string, field: ScreenField): number | null => of.get(field)?.get(coin) ?? null

      const told = (coin: string) => {
        const row: { [Field in ScreenField]?: number | null } = {}
        for (const field of fields) row[field] = valueFor(coin, field)
        return row
      }
      const excluded: { [Field in ScreenField]?: number } = {}
      for (const field of tested) excluded[field] = tickers.filter(({ coin }) => valueFor(coin, field) === null).length
      const matching = tickers.filter(({ coin }) =>
        filters.every((filter) => {
          const value = valueFor(coin, filter.field)
          return value !== null && holds(value, filter)
        })
      )
      if (sort !== undefined) {
        const sign = sort.order === "asc" ? 1 : -1
        // Coins without a value are last in both orders.
        const place = (coin: string): number => sign * (valueFor(coin, sort.field) ?? sign * Infinity)
        matching.sort((a, b) => place(a.coin) - place(b.coin) || 0)
      }
      const cut = matching.length - top
      return {
        matches: matching.slice(0, top).map(({ coin, price }) => ({ coin, price, ...told(coin) })),
        matched: matching.length,
        scanned: tickers.length,
        excluded_null: excluded,
        hourly_at: hourlyAt === undefined ? null : instant(hourlyAt),
        notes: [
          ...cut > 0 ? [`${counted(cut, "more coin")} matched; \`top\` cuts them.`] : [],
          ...staleNotes(staleAmong(tickers))
        ],
        ...provenanceOf(ofTickers),
        source: sourceOf(ofTickers, ...read)
      }
    })
  })
)
