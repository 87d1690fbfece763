import { Effect } from "effect"
import { DerivedStore } from "../../analysis/signals/DerivedStore.ts"
import { readOpenInterestChange } from "../../analysis/signals/openInterest.ts"
import { makeYieldingRunner } from "../../analysis/signals/scheduling.ts"
import { findStaleCoins, staleNotes } from "../../analysis/staleness.ts"
import { formatCount } from "../../engine/text/formatting.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { CoinDerivatives } from "../../market/CoinDerivatives.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import type { CoinPerpetual } from "../../market/derivative.ts"
import { NoData } from "../../market/errors.ts"
import { provenanceOf, sourceText } from "../../market/provenance.ts"
import type { Reading } from "../../market/reading.ts"
import { readValue } from "../../market/readValue.ts"
import { dayMs } from "../../market/timeframe.ts"
import { screenCoins, type ScreenField } from "./screenCoins.ts"
import { makeScreenedIndicators } from "./screenedIndicators.ts"

const concurrency = 8
const indicatorFields = ["rsi", "atr_pct", "range_position_pct"] as const

type Filter = typeof screenCoins["parameters"]["Type"]["filters"][number]

const isFilterMet = (value: number, { op, value: bound }: Filter): boolean =>
  op === "gt" ? value > bound : op === "gte" ? value >= bound : op === "lt" ? value < bound : value <= bound

/** The values of one screened field by coin. A coin without a value is absent or has the value null. */
type Column = ReadonlyMap<string, number | null>

interface Columns {
  readonly byField: ReadonlyMap<ScreenField, Column>
  readonly readings: ReadonlyArray<Reading<unknown>>
  /** The time of the oldest hourly data in the columns, or undefined if no column uses hourly data. */
  readonly hourlyAt: number | undefined
}

const makeColumnReader = Effect.gen(function*() {
  const prices = yield* CoinPrices
  const derivatives = yield* CoinDerivatives
  const derived = yield* DerivedStore
  const readScreened = makeScreenedIndicators(prices)
  const runAfterYield = makeYieldingRunner()

  const readChanges = (perpetuals: ReadonlyArray<CoinPerpetual>) =>
    Effect.map(
      Effect.forEach(
        perpetuals,
        (perpetual) =>
          Effect.map(
            runAfterYield(readOpenInterestChange(derivatives, perpetual, dayMs)),
            ({ value }) => [perpetual.coin, value.coinPct] as const
          ),
        { concurrency }
      ),
      (rows): Column => new Map(rows)
    )

  return Effect.fnUntraced(function*(coins: ReadonlyArray<string>, fields: ReadonlySet<ScreenField>) {
    const byField = new Map<ScreenField, Column>()
    const readings: Array<Reading<unknown>> = []
    const hourlyTimes: Array<number> = []
    if (indicatorFields.some((name) => fields.has(name))) {
      const indicatorReading = yield* readScreened(coins)
      readings.push(indicatorReading)
      hourlyTimes.push(indicatorReading.asOf)
      for (const name of indicatorFields) {
        byField.set(name, new Map([...indicatorReading.value].map(([coin, values]) => [coin, values[name]])))
      }
    }
    if (fields.has("score")) {
      const scoreReading = yield* derived.scores
      readings.push(scoreReading)
      hourlyTimes.push(scoreReading.asOf)
      byField.set("score", new Map(scoreReading.value.map(({ coin, score }) => [coin, score])))
    }
    if (fields.has("funding_rate_pct") || fields.has("oi_change_24h_coin_pct")) {
      const perpetualReading = yield* derivatives.perpetuals
      readings.push(perpetualReading)
      const traded = perpetualReading.value.filter(({ coin }) => coins.includes(coin))
      byField.set(
        "funding_rate_pct",
        new Map(traded.map(({ coin, fundingRate }) => [coin, fundingRate === null ? null : 100 * fundingRate]))
      )
      if (fields.has("oi_change_24h_coin_pct")) byField.set("oi_change_24h_coin_pct", yield* readChanges(traded))
    }
    return {
      byField,
      readings,
      hourlyAt: hourlyTimes.length === 0 ? undefined : Math.min(...hourlyTimes)
    } satisfies Columns
  })
})

export const handler = handlerOf(
  screenCoins,
  Effect.gen(function*() {
    const prices = yield* CoinPrices
    const readColumns = yield* makeColumnReader
    return Effect.fnUntraced(function*({ filters, sort, top }) {
      const tickerReading = yield* prices.tickers
      const stable = new Set((yield* readValue(prices.coins)).filter((one) => one.isStablecoin).map(({ coin }) => coin))
      const tickers = tickerReading.value.filter(({ coin }) => !stable.has(coin))
      if (tickers.length === 0) return yield* new NoData({ subject: "the market", reason: { key: "none_priced" } })
      const testedFields = new Set(filters.map(({ field }) => field))
      const fields = new Set<ScreenField>(sort === undefined ? testedFields : [...testedFields, sort.field])
      const { hourlyAt, byField: of, readings: read } = yield* readColumns(tickers.map(({ coin }) => coin), fields)
      of.set("price", new Map(tickers.map(({ coin, price }) => [coin, price])))
      of.set("change_24h_pct", new Map(tickers.map(({ change24hPct, coin }) => [coin, change24hPct])))
      of.set("volume_24h_usd", new Map(tickers.map(({ coin, volume24hUsd }) => [coin, volume24hUsd])))
      const valueFor = (coin: string, field: ScreenField): number | null => of.get(field)?.get(coin) ?? null

      const toRow = (coin: string) => {
        const row: { [Field in ScreenField]?: number | null } = {}
        for (const field of fields) row[field] = valueFor(coin, field)
        return row
      }
      const excluded: { [Field in ScreenField]?: number } = {}
      for (const field of testedFields) {
        excluded[field] = tickers.filter(({ coin }) => valueFor(coin, field) === null).length
      }
      const matching = tickers.filter(({ coin }) =>
        filters.every((filter) => {
          const value = valueFor(coin, filter.field)
          return value !== null && isFilterMet(value, filter)
        })
      )
      if (sort !== undefined) {
        const sign = sort.order === "asc" ? 1 : -1
        // Coins without a value are last in ascending and descending order.
        const sortKey = (coin: string): number => sign * (valueFor(coin, sort.field) ?? sign * Infinity)
        matching.sort((a, b) => sortKey(a.coin) - sortKey(b.coin) || 0)
      }
      const leftOutCount = matching.length - top
      return {
        matches: matching.slice(0, top).map(({ coin, price }) => ({ coin, price, ...toRow(coin) })),
        matched: matching.length,
        scanned: tickers.length,
        excluded_null: excluded,
        hourly_at: hourlyAt === undefined ? null : formatInstant(hourlyAt),
        notes: [
          ...leftOutCount > 0 ? [`${formatCount(leftOutCount, "more coin")} matched but exceed \`top\`.`] : [],
          ...staleNotes(findStaleCoins(tickers))
        ],
        ...provenanceOf(tickerReading),
        source: sourceText(tickerReading, ...read)
      }
    })
  })
)
