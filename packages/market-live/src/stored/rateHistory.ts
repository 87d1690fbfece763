import { dayMs, type FxPair, type FxRate, type Gap, type Interval, type SourceUnavailable } from "@tapeline/core/market"
import { type MarketStore, pointsKinds } from "@tapeline/core/market/store"
import { Effect } from "effect"
import { maxRecordDelayMs, splitGaps, wholeIntervalMissing } from "./gaps.ts"
import { withReadErrors } from "./storeReads.ts"

const kind = pointsKinds.fxRates

/**
 * The maximum time for which a quoted rate remains valid, because the interbank market pauses on weekends and holidays.
 */
export const rateValidityMs: Readonly<Record<FxPair, number>> = { usd_krw: 7 * dayMs, usdt_krw: dayMs }

/** The rates of a currency pair in an interval. */
export interface RateHistory {
  readonly rateAt: (time: number) => (FxRate & { readonly source: string }) | undefined
  readonly gaps: ReadonlyArray<Gap>
}

/** Exchange rates have no listing time, because they are older than every market that uses them. */
const alwaysExisting = { listedAt: -Infinity, delistedAt: null }

/** Reads the valid rates of an interval: the quotes in the interval, and the last quote before the interval. */
export const readRateHistory = (
  store: MarketStore["Service"],
  pair: FxPair,
  { from, to }: Interval,
  now: number
): Effect.Effect<RateHistory, SourceUnavailable> => {
  const interval = { from: from - rateValidityMs[pair], to: Math.max(from, Math.min(to, now + 1)) }
  return Effect.map(withReadErrors(store.points({ kind, subjects: [pair], ...interval })), (all) => {
    const read = all.get(pair)
    const quotes = (read?.points ?? []).filter(({ rate }) => rate !== null)
    const { gaps } = splitGaps(
      read?.gaps ?? wholeIntervalMissing(interval),
      { from, to },
      alwaysExisting,
      now,
      maxRecordDelayMs
    )
    return {
      gaps,
      rateAt: (time) => {
        let [low, high] = [0, quotes.length]
        while (low < high) {
          const middle = (low + high) >> 1
          if (quotes[middle]!.time <= time) low = middle + 1
          else high = middle
        }
        const quote = quotes[low - 1]
        if (quote === undefined || quote.rate === null || time - quote.time > rateValidityMs[pair]) return undefined
        return { time, quotedAt: quote.time, pair, rate: quote.rate, source: quote.source }
      }
    }
  })
}

/** Returns the multiples of `stepMs` in `[from, to)`, up to `now`, that are outside of all gaps. */
export const recordedInstants = (
  { from, stepMs, to }: Interval & { readonly stepMs: number },
  gaps: ReadonlyArray<Gap>,
  now: number
): ReadonlyArray<number> => {
  const times: Array<number> = []
  for (let time = Math.ceil(from / stepMs) * stepMs; time < to && time <= now; time += stepMs) {
    if (!gaps.some((gap) => gap.from <= time && time < gap.to)) times.push(time)
  }
  return times
}
