import { Effect } from "effect"
import { formatCoins, makeUnrecordedError } from "../../analysis/signals/derivation.ts"
import { DerivedStore } from "../../analysis/signals/DerivedStore.ts"
import { rules } from "../../analysis/signals/rules.ts"
import { signalRule, signalRuleText, unknownRegimeNote } from "../../analysis/signals/signal.ts"
import { isLagging, missingHoursNotes } from "../../analysis/staleness.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { mapReading } from "../../market/reading.ts"
import { hourMs } from "../../market/timeframe.ts"
import { getActiveSignals } from "./getActiveSignals.ts"

export const handler = handlerOf(
  getActiveSignals,
  Effect.gen(function*() {
    const prices = yield* CoinPrices
    const derived = yield* DerivedStore
    return Effect.fnUntraced(function*() {
      // Signals that are older than `maxHours` have timed out.
      const reading = yield* derived.signals({ hours: signalRule.maxHours })
      const { signals, coinsWithoutData, until } = reading.value
      // If data of the last hours is missing, some running signals may be unknown.
      if (coinsWithoutData.length > 0 && (yield* isLagging(until))) {
        return yield* makeUnrecordedError(formatCoins(coinsWithoutData), "signals now")
      }
      const runningSignals = signals.filter(({ result }) => result === null)
      const tickers = runningSignals.length === 0 ? mapReading(reading, () => []) : yield* prices.tickers
      const tickerByCoin = new Map(tickers.value.map((ticker) => [ticker.coin, ticker]))
      const rows = runningSignals.flatMap((signal) => {
        const ticker = tickerByCoin.get(signal.coin)
        if (ticker === undefined) return []
        const sign = signal.side === "long" ? 1 : -1
        return [{
          coin: signal.coin,
          side: signal.side,
          score: signal.score,
          entry: signal.entry,
          take: signal.take,
          stop: signal.stop,
          opened_at: formatInstant(signal.openedAt),
          expires_at: formatInstant(signal.openedAt + signalRule.maxHours * hourMs),
          price: ticker.price,
          unrealised_pct: sign * (ticker.price / signal.entry - 1) * 100,
          regime: signal.regime?.label ?? null
        }]
      })
      const notes = [
        "A signal whose target or stop was touched in the current hour stays listed until the hour closes."
      ]
      if (rows.some(({ regime }) => regime === null)) notes.push(unknownRegimeNote)
      const coinsWithMissingHours = runningSignals.filter(({ missingHours }) => missingHours > 0).map(({ coin }) =>
        coin
      )
      if (coinsWithMissingHours.length > 0) {
        notes.push(
          `Signals that may have ended because hours were not recorded: ${coinsWithMissingHours.join(", ")}.`
        )
      }
      const unpricedCoins = runningSignals.filter(({ coin }) => !tickerByCoin.has(coin)).map(({ coin }) => coin)
      if (unpricedCoins.length > 0) notes.push(`Omitted because there is no price now: ${unpricedCoins.join(", ")}.`)
      notes.push(...missingHoursNotes(coinsWithoutData))
      return {
        signals: rows,
        rule: signalRuleText,
        rule_versions: [rules.signal, rules.score, rules.regime],
        notes,
        ...provenanceOf(reading, tickers)
      }
    })
  })
)
