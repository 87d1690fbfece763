import { Effect } from "effect"
import { someOf, unrecorded } from "../../analysis/signals/derivation.ts"
import { DerivedStore } from "../../analysis/signals/DerivedStore.ts"
import { rules } from "../../analysis/signals/rules.ts"
import { ruleText, signalRule, unknownRegime } from "../../analysis/signals/signal.ts"
import { isOld, silentNotes } from "../../analysis/stale.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { instant } from "../../engine/tool/result.ts"
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
      // Older signals have timed out.
      const read = yield* derived.signals({ hours: signalRule.maxHours })
      const { signals, silent, until } = read.value
      // If the last hours are missing, the running signals are unknown.
      if (silent.length > 0 && (yield* isOld(until))) return yield* unrecorded(someOf(silent), "signals now")
      const running = signals.filter(({ result }) => result === null)
      const tickers = running.length === 0 ? mapReading(read, () => []) : yield* prices.tickers
      const tickerOf = new Map(tickers.value.map((ticker) => [ticker.coin, ticker]))
      const rows = running.flatMap((signal) => {
        const ticker = tickerOf.get(signal.coin)
        if (ticker === undefined) return []
        const sign = signal.side === "long" ? 1 : -1
        return [{
          coin: signal.coin,
          side: signal.side,
          score: signal.score,
          entry: signal.entry,
          take: signal.take,
          stop: signal.stop,
          opened_at: instant(signal.openedAt),
          expires_at: instant(signal.openedAt + signalRule.maxHours * hourMs),
          price: ticker.price,
          unrealised_pct: sign * (ticker.price / signal.entry - 1) * 100,
          regime: signal.regime?.label ?? null
        }]
      })
      const notes = ["A signal whose take or stop the running hour has touched is listed until that hour closes."]
      if (rows.some(({ regime }) => regime === null)) notes.push(unknownRegime)
      const unwatched = running.filter(({ missingHours }) => missingHours > 0).map(({ coin }) => coin)
      if (unwatched.length > 0) {
        notes.push(`Hours of these were not recorded, so that they may have ended: ${unwatched.join(", ")}.`)
      }
      const unpriced = running.filter(({ coin }) => !tickerOf.has(coin)).map(({ coin }) => coin)
      if (unpriced.length > 0) notes.push(`Left out, since they have no price now: ${unpriced.join(", ")}.`)
      notes.push(...silentNotes(silent))
      return {
        signals: rows,
        rule: ruleText,
        rule_versions: [rules.signal, rules.score, rules.regime],
        notes,
        ...provenanceOf(read, tickers)
      }
    })
  })
)
