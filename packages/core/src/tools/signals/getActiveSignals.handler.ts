import { Effect } from "effect"
import { MarketStore } from "../../market/MarketStore.ts"
import { hourMs } from "../../market/timeframe.ts"
import { DerivedStore } from "../../signals/DerivedStore.ts"
import { ruleText, signalRule, unknownRegime } from "../../signals/signal.ts"
import { handlerOf } from "../../tool/implement.ts"
import { instant } from "../../tool/result.ts"
import { getActiveSignals } from "./getActiveSignals.ts"

export const handler = handlerOf(
  getActiveSignals,
  Effect.gen(function*() {
    const market = yield* MarketStore
    const derived = yield* DerivedStore
    return Effect.fnUntraced(function*() {
      // Older ones have timed out.
      const { signals, until } = yield* derived.signals({ hours: signalRule.maxHours })
      const running = signals.filter(({ result }) => result === null)
      const tickers = running.length === 0 ? [] : yield* market.tickers
      const tickerOf = new Map(tickers.map((ticker) => [ticker.coin, ticker]))
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
      const newest = rows.length === 0 ? until : Math.max(...tickers.map(({ time }) => time))
      const notes = ["A signal whose take or stop the running hour has touched is listed until that hour closes."]
      if (rows.some(({ regime }) => regime === null)) notes.push(unknownRegime)
      return {
        signals: rows,
        rule: ruleText,
        notes,
        as_of: instant(newest),
        source: derived.source
      }
    })
  })
)
