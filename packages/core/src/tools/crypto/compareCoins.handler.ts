import { maxDrawdown, sharpe } from "@tapeline/quant/performance"
import { simpleReturns } from "@tapeline/quant/volatility"
import { Clock, Effect } from "effect"
import { getGapAdjustedCloses } from "../../analysis/signals/candleColumns.ts"
import { readClosedBars } from "../../analysis/signals/closedBars.ts"
import type { DerivedError } from "../../analysis/signals/derivedError.ts"
import { DerivedStore } from "../../analysis/signals/DerivedStore.ts"
import { minPresentShare } from "../../analysis/signals/grid.ts"
import { makeYieldingRunner } from "../../analysis/signals/scheduling.ts"
import { classifyBias } from "../../analysis/signals/score.ts"
import { barsPerYear, readRealised30d } from "../../analysis/signals/volatility.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { CoinDerivatives } from "../../market/CoinDerivatives.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import type { MarketError } from "../../market/errors.ts"
import { sourceText } from "../../market/provenance.ts"
import type { Reading } from "../../market/reading.ts"
import { dayMs, durationMs } from "../../market/timeframe.ts"
import { compareCoins } from "./compareCoins.ts"
import { computeChangePct } from "./priceHistory.ts"

const performanceDays = 90

type Row = Omit<typeof compareCoins["result"]["Type"]["rows"][number], "coin">
type Sourced = Pick<Reading<unknown>, "sources">

export const handler = handlerOf(
  compareCoins,
  Effect.gen(function*() {
    const prices = yield* CoinPrices
    const derivatives = yield* CoinDerivatives
    const derived = yield* DerivedStore
    const runAfterYield = makeYieldingRunner()

    const nullIfNoData = <A, E extends MarketError | DerivedError>(read: Effect.Effect<A, E>) =>
      Effect.catchIf(runAfterYield(read), (error) => error._tag === "NoData", () => Effect.succeed(null))

    const readPerformance = Effect.fnUntraced(function*(coin: string) {
      const bars = yield* nullIfNoData(readClosedBars(prices, coin, "1d", performanceDays + 1))
      const closes = bars === null ? [] : getGapAdjustedCloses(bars.candles, durationMs["1d"])
      const returns = simpleReturns(closes)
      const isSufficient = returns.length >= minPresentShare * performanceDays
      return {
        sources: bars === null ? [] : [bars],
        sharpe_90d: isSufficient ? sharpe(returns, barsPerYear("1d")) : null,
        max_drawdown_90d_pct: isSufficient ? 100 * maxDrawdown(returns) : null
      }
    })

    const readRow = Effect.fnUntraced(function*(coin: string, now: number) {
      const facts = yield* prices.coin(coin)
      const readPriceAt = (days: number) => nullIfNoData(prices.priceAt({ coin, time: now - days * dayMs }))
      const newest = yield* readPriceAt(0)
      const [day, week, month] = [yield* readPriceAt(1), yield* readPriceAt(7), yield* readPriceAt(30)]
      const changeSince = (then: typeof newest): number | null =>
        newest === null || then === null ? null : computeChangePct(then.value.price, newest.value.price)
      const volatility = yield* nullIfNoData(readRealised30d(prices, coin))
      const { sources, ...performance } = yield* readPerformance(coin)
      const score = yield* nullIfNoData(derived.score(coin))
      const perpetual = yield* nullIfNoData(derivatives.perpetual(coin))
      const funding = perpetual?.value.fundingRate ?? null
      const row: Row = {
        price: newest?.value.price ?? null,
        return_1d_pct: changeSince(day),
        return_7d_pct: changeSince(week),
        return_30d_pct: changeSince(month),
        realised_30d_pct: volatility?.value.pct ?? null,
        ...performance,
        score: score?.value.score ?? null,
        bias: score === null ? null : classifyBias(score.value.score),
        funding_rate_pct: funding === null ? null : 100 * funding,
        funding_interval_hours: perpetual?.value.fundingIntervalHours ?? null
      }
      const readings: ReadonlyArray<Sourced> = [facts, newest, day, week, month, volatility, score, perpetual]
        .filter((entry) => entry !== null)
      return { row: { coin, ...row }, asOf: newest?.asOf ?? now, sources: [...readings, ...sources] }
    })

    return Effect.fnUntraced(function*({ coins }) {
      const now = yield* Clock.currentTimeMillis
      const coinRows = yield* Effect.forEach(coins, (coin) => readRow(coin, now), { concurrency: 4 })
      const rows = coinRows.map(({ row }) => row)
      const missingFields = rows.flatMap(({ coin, ...row }) => {
        const names = Object.entries(row).flatMap(([name, value]) => value === null && name !== "bias" ? [name] : [])
        return names.length === 0 ? [] : [`${coin}: ${names.join(", ")}`]
      })
      return {
        rows,
        notes: missingFields.length === 0
          ? []
          : [`Null because the history, a perpetual or a current value is missing (${missingFields.join("; ")}).`],
        as_of: formatInstant(Math.min(...coinRows.map(({ asOf }) => asOf))),
        source: sourceText(...coinRows.flatMap(({ sources }) => sources))
      }
    })
  })
)
