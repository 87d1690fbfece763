import { Effect } from "effect"
import { NoData } from "../../market/errors.ts"
import { MarketStore } from "../../market/MarketStore.ts"
import { DerivedStore } from "../../signals/DerivedStore.ts"
import { biasOf } from "../../signals/score.ts"
import { handlerOf } from "../../tool/implement.ts"
import { instant } from "../../tool/result.ts"
import { getMarketOverview } from "./getMarketOverview.ts"

export const handler = handlerOf(
  getMarketOverview,
  Effect.gen(function*() {
    const market = yield* MarketStore
    const derived = yield* DerivedStore
    return Effect.fnUntraced(function*() {
      const tickers = yield* market.tickers
      const newest = tickers.reduce((time, ticker) => Math.max(time, ticker.time), -Infinity)
      if (tickers.length === 0) return yield* new NoData({ subject: "the market", reason: { key: "none_listed" } })
      const stable = new Set((yield* market.coins).filter((coin) => coin.isStablecoin).map(({ coin }) => coin))
      const scores = yield* derived.scores
      const scoreOf = new Map(scores.map(({ coin, score }) => [coin, score]))

      const coins = tickers.map((ticker) => {
        const score = scoreOf.get(ticker.coin) ?? null
        return {
          coin: ticker.coin,
          price: ticker.price,
          change_24h_pct: ticker.change24hPct,
          volume_24h_usd: ticker.volume24hUsd,
          market_cap_usd: ticker.marketCapUsd,
          score,
          bias: score === null ? null : biasOf(score)
        }
      })
      const traded = coins.filter(({ coin }) => !stable.has(coin))
      const changes = traded.flatMap(({ change_24h_pct }) => change_24h_pct ?? [])
      const advancing = changes.filter((change) => change > 0).length
      const declining = changes.filter((change) => change < 0).length
      const scored = traded.flatMap(({ score }) => score ?? [])
      const young = traded.filter(({ score }) => score === null).map(({ coin }) => coin)
      const notes = ["Scores are null for stablecoins: they follow a peg."]
      const fresh = coins.filter(({ change_24h_pct }) => change_24h_pct === null).map(({ coin }) => coin)
      if (fresh.length > 0) notes.push(`Younger than 24 hours, so without a change: ${fresh.join(", ")}.`)
      if (young.length > 0) notes.push(`Without a score yet: ${young.join(", ")}.`)
      return {
        coins,
        breadth: {
          advancing,
          declining,
          unchanged: changes.length - advancing - declining,
          advancing_pct: changes.length === 0 ? null : (advancing / changes.length) * 100,
          bullish: traded.filter(({ bias }) => bias === "bullish").length,
          neutral: traded.filter(({ bias }) => bias === "neutral").length,
          bearish: traded.filter(({ bias }) => bias === "bearish").length,
          mean_score: scored.length === 0 ? null : scored.reduce((sum, score) => sum + score, 0) / scored.length
        },
        scored_at: scores[0] === undefined ? null : instant(scores[0].hour.time),
        notes,
        as_of: instant(newest),
        source: market.source
      }
    })
  })
)
