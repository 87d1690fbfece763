import { Effect } from "effect"
import { DerivedStore } from "../../analysis/signals/DerivedStore.ts"
import { rules } from "../../analysis/signals/rules.ts"
import { classifyBias } from "../../analysis/signals/score.ts"
import { findStaleCoins, staleNotes } from "../../analysis/staleness.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { formatInstant } from "../../engine/tool/result.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { NoData } from "../../market/errors.ts"
import { provenanceOf, sourceText } from "../../market/provenance.ts"
import { getMarketOverview } from "./getMarketOverview.ts"

/**
 * The maximum number of coins in the result, which contains the largest coins. The counts of rising and falling coins
 * include coins that the result omits.
 */
const maxCoins = 60

export const handler = handlerOf(
  getMarketOverview,
  Effect.gen(function*() {
    const prices = yield* CoinPrices
    const derived = yield* DerivedStore
    return Effect.fnUntraced(function*() {
      const tickerReading = yield* prices.tickers
      const tickers = tickerReading.value
      if (tickers.length === 0) return yield* new NoData({ subject: "the market", reason: { key: "none_priced" } })
      const stable = new Set((yield* prices.coins).value.filter((coin) => coin.isStablecoin).map(({ coin }) => coin))
      const scoreReading = yield* derived.scores
      const scores = scoreReading.value
      const scoreByCoin = new Map(scores.map(({ coin, score }) => [coin, score]))

      const coins = tickers.map((ticker) => {
        const score = scoreByCoin.get(ticker.coin) ?? null
        return {
          coin: ticker.coin,
          price: ticker.price,
          change_24h_pct: ticker.change24hPct,
          volume_24h_usd: ticker.volume24hUsd,
          market_cap_usd: ticker.marketCapUsd,
          score,
          bias: score === null ? null : classifyBias(score)
        }
      })
      const traded = coins.filter(({ coin }) => !stable.has(coin))
      const changes = traded.flatMap(({ change_24h_pct }) => change_24h_pct ?? [])
      const advancing = changes.filter((change) => change > 0).length
      const declining = changes.filter((change) => change < 0).length
      const knownScores = traded.flatMap(({ score }) => score ?? [])
      const coinsWithoutScore = traded.filter(({ score }) => score === null).map(({ coin }) => coin)
      const notes = ["Scores are null for stablecoins: they follow a peg."]
      const coinsWithoutChange = coins.filter(({ change_24h_pct }) => change_24h_pct === null).map(({ coin }) => coin)
      if (coinsWithoutChange.length > 0) {
        notes.push(`No change because the price of 24 hours ago is unknown: ${coinsWithoutChange.join(", ")}.`)
      }
      if (coinsWithoutScore.length > 0) notes.push(`Without a score: ${coinsWithoutScore.join(", ")}.`)
      if (coins.some(({ market_cap_usd }) => market_cap_usd === null)) {
        notes.push("market_cap_usd is null if the circulating supply is unknown.")
      }
      const coinsWithoutVolume = coins.filter(({ volume_24h_usd }) => volume_24h_usd === null).map(({ coin }) => coin)
      if (coinsWithoutVolume.length > 0) {
        notes.push(
          `No volume because the last 24 hours were not recorded completely: ${coinsWithoutVolume.join(", ")}.`
        )
      }
      notes.push(...staleNotes(findStaleCoins(tickers)))
      if (coins.length > maxCoins) {
        notes.push(
          `The ${maxCoins} largest of ${coins.length} coins are listed; breadth counts all coins except stablecoins. ` +
            "For other coins use screen_coins."
        )
      }
      return {
        coins: coins.slice(0, maxCoins),
        breadth: {
          advancing,
          declining,
          unchanged: changes.length - advancing - declining,
          advancing_pct: changes.length === 0 ? null : (advancing / changes.length) * 100,
          bullish: traded.filter(({ bias }) => bias === "bullish").length,
          neutral: traded.filter(({ bias }) => bias === "neutral").length,
          bearish: traded.filter(({ bias }) => bias === "bearish").length,
          mean_score: knownScores.length === 0
            ? null
            : knownScores.reduce((sum, score) => sum + score, 0) / knownScores.length
        },
        scored_at: scores[0] === undefined ? null : formatInstant(scores[0].hour.time),
        rule_versions: [rules.score],
        notes,
        ...provenanceOf(tickerReading),
        source: sourceText(tickerReading, scoreReading)
      }
    })
  })
)
