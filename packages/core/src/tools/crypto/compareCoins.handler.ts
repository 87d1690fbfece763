import { maxDrawdown, sharpe } from "@tapeline/quant/performance"
import { simpleReturns } from "@tapeline/quant/volatility"
import { Clock, Effect } from "effect"
import { readClosedBars } from "../../analysis/signals/closedBars.ts"
import { closesWithoutHoles } from "../../analysis/signals/columns.ts"
import type { DerivedError } from "../../analysis/signals/derivedError.ts"
import { DerivedStore } from "../../analysis/signals/DerivedStore.ts"
import { leastShare } from "../../analysis/signals/grid.ts"
import { makeOneByOne } from "../../analysis/signals/oneByOne.ts"
import { biasOf } from "../../analysis/signals/score.ts"
import { barsPerYear, readRealised30d } from "../../analysis/signals/volatility.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { instant } from "../../engine/tool/result.ts"
import { CoinDerivatives } from "../../market/CoinDerivatives.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import type { MarketError } from "../../market/errors.ts"
import { sourceOf } from "../../market/provenance.ts"
import type { Reading } from "../../market/reading.ts"
import { dayMs, durationMs } from "../../market/timeframe.ts"
import { compareCoins } from "./compareCoins.ts"
import { changePct } from "./priceChange.ts"

const performanceDays = 90

type Row = Omit<typeof compareCoins["result"]["Type"]["rows"][number], "coin">
type Sourced = Pick<Reading<unknown>, "sources">

export const handler = handlerOf(
  compareCoins,
  Effect.gen(function*() {
    const prices = yield* CoinPrices
    const derivatives = yield* CoinDerivatives
    const derived = yield* DerivedStore
    const oneByOne = makeOneByOne()

    /** Returns null instead of failing with `NoData`. */
    const orNull = <A, E extends MarketError | DerivedError>(read: Effect.Effect<A, E>) =>
      Effect.catchIf(oneByOne(read), (error) => error._tag === "NoData", () => Effect.succeed(null))

    const performanceOf = Effect.fnUntraced(function*(coin: string) {
      const bars = yield* orNull(readClosedBars(prices, coin, "1d", performanceDays + 1))
      const closes = bars === null ? [] : closesWithoutHoles(bars.candles, durationMs["1d"])
      const returns = simpleReturns(closes)
      const told = returns.length >= leastShare * performanceDays
      return {
        sources: bars === null ? [] : [bars],
        sharpe_90d: told ? sharpe(returns, barsPerYear("1d")) : null,
        max_drawdown_90d_pct: told ? 100 * maxDrawdown(returns) : null
      }
    })

    const rowOf = Effect.fnUntraced(function*(coin: string, now: number) {
      const facts = yield* prices.coin(coin)
      const priceAt = (days: number) => orNull(prices.priceAt({ coin, time: now - days * dayMs }))
      const newest = yield* priceAt(0)
      const [day, week, month] = [yield* priceAt(1), yield* priceAt(7), yield* priceAt(30)]
      const since = (then: typeof newest): number | null =>
        newest === null || then === null ? null : changePct(then.value.price, newest.value.price)
      const volatility = yield* orNull(readRealised30d(prices, coin))
      const { sources, ...performance } = yield* performanceOf(coin)
      const score = yield* orNull(derived.score(coin))
      const perpetual = yield* orNull(derivatives.perpetual(coin))
      const funding = perpetual?.value.fundingRate ?? null
      const row: Row = {
        price: newest?.value.price ?? null,
        return_1d_pct: since(day),
        return_7d_pct: since(week),
        return_30d_pct: since(month),
        realised_30d_pct: volatility?.value.pct ?? null,
        ...performance,
        score: score?.value.score ?? null,
        bias: score === null ? null : biasOf(score.value.score),
        funding_rate_pct: funding === null ? null : 100 * funding,
        funding_interval_hours: perpetual?.value.fundingIntervalHours ?? null
      }
      const read: ReadonlyArray<Sourced> = [facts, newest, day, week, month, volatility, score, perpetual]
        .filter((one) => one !== null)
      return { row: { coin, ...row }, asOf: newest?.asOf ?? now, sources: [...read, ...sources] }
    })

    return Effect.fnUntraced(function*({ coins }) {
      const now = yield* Clock.currentTimeMillis
      const found = yield* Effect.forEach(coins, (coin) => rowOf(coin, now), { concurrency: 4 })
      const rows = found.map(({ row }) => row)
      const lacking = rows.flatMap(({ coin, ...row }) => {
        const names = Object.entries(row).flatMap(([name, value]) => value === null && name !== "bias" ? [name] : [])
        return names.length === 0 ? [] : [`${coin}: ${names.join(", ")}`]
      })
      return {
        rows,
        notes: lacking.length === 0
          ? []
          : [`Null for want of history, a perpetual, or a present (${lacking.join("; ")}).`],
        as_of: instant(Math.min(...found.map(({ asOf }) => asOf))),
        source: sourceOf(...found.flatMap(({ sources }) => sources))
      }
    })
  })
)
