import { Effect } from "effect"
import { DerivedStore } from "../../analysis/signals/DerivedStore.ts"
import { rules } from "../../analysis/signals/rules.ts"
import { biasOf } from "../../analysis/signals/score.ts"
import { staleAmong, staleNotes } from "../../analysis/stale.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { instant } from "../../engine/tool/result.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { NoData } from "../../market/errors.ts"
import { provenanceOf, sourceOf } from "../../market/provenance.ts"
import { getMarketOverview } from "./getMarketOverview.ts"

/** The maximum number of coins in the result, largest first. Breadth counts all coins. */
const told = 60

export const handler = handlerOf(
  getMarketOverview,
  Effect.gen(function*() {
    const prices = yield* CoinPrices
    const derived = yield* DerivedStore
    return Effect.fnUntraced(function*() {
      const ofTickers = yield* prices.tickers
      const tickers = ofTickers.value
      if (tickers.length === 0) return yield* new NoData({ subject: "the market", reason: { key: "none_priced" } })
      const stable = new Set((yield* prices.coins).value.filter((coin) => coin.isStablecoin).map(({ coin }) => coin))
      const ofScores = yield* derived.scores
      const scores = ofScores.value
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
      if (fresh.length > 0) {
        notes.push(`Without a known price of 24 hours ago, so without a change: ${fresh.join(", ")}.`)
      }
      if (young.length > 0) notes.push(`Without a score: ${young.join(", ")}.`)
      if (coins.some(({ market_cap_usd }) => market_cap_usd === null)) {
        notes.push("market_cap_usd is null where the circulating supply is not known.")
      }
      const holed = coins.filter(({ volume_24h_usd }) => volume_24h_usd === null).map(({ coin }) => coin)
      if (holed.length > 0) {
        notes.push(`Without a volume, since their last 24 hours were not recorded whole: ${holed.join(", ")}.`)
      }
      notes.push(...staleNotes(staleAmong(tickers)))
      if (coins.length > told) {
        notes.push(
          `The ${told} largest of ${coins.length} coins are told; breadth counts all. For others use screen_coins.`
        )
      }
      return {
        coins: coins.slice(0, told),
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
        rule_versions: [rules.score],
        notes,
        ...provenanceOf(ofTickers),
        source: sourceOf(ofTickers, ofScores)
      }
    })
  })
)
