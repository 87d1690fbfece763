import { Clock, Effect } from "effect"
import { makeYieldingRunner } from "../../analysis/signals/scheduling.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { roundParts } from "../../engine/tool/rounding.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { readValue } from "../../market/readValue.ts"
import { dayMs } from "../../market/timeframe.ts"
import { getDominance } from "./getDominance.ts"

const altseasonDays = 90
const altseasonCoins = 50
/** The minimum number of coins from which the altseason index is computed. */
const minCoins = 10
const concurrency = 8

export const handler = handlerOf(
  getDominance,
  Effect.gen(function*() {
    const prices = yield* CoinPrices
    const runAfterYield = makeYieldingRunner()
    /** Returns the ratio of a coin's current price to an earlier price, or null if the earlier price is unknown. */
    const readGrowth = (coin: string, price: number, time: number) =>
      runAfterYield(prices.priceAt({ coin, time })).pipe(
        Effect.map((then): number | null => price / then.value.price),
        Effect.catchTag("NoData", () => Effect.succeed(null))
      )
    return Effect.fnUntraced(function*() {
      const time = (yield* Clock.currentTimeMillis) - altseasonDays * dayMs
      const total = yield* prices.totalMarket
      const tickers = yield* prices.tickers
      const stable = new Set((yield* readValue(prices.coins)).filter((one) => one.isStablecoin).map(({ coin }) => coin))
      const cap = total.value.marketCapUsd
      const computeShare = (coins: ReadonlyArray<string>): number | null => {
        const caps = tickers.value.filter(({ coin }) => coins.includes(coin)).map(({ marketCapUsd }) => marketCapUsd)
        return caps.length === 0 || caps.includes(null)
          ? null
          : (100 * caps.reduce<number>((sum, one) => sum + (one ?? 0), 0)) / cap
      }
      const shares = [computeShare(["BTC"]), computeShare(["ETH"]), computeShare([...stable])]
      const knownShares = shares.flatMap((share) => share ?? [])
      const isComplete = knownShares.length === shares.length
      const otherShare = 100 - knownShares.reduce((sum, share) => sum + share, 0)
      const roundedShares = isComplete ? roundParts([...knownShares, otherShare], 100, 4) : shares
      const alts = tickers.value.filter(({ coin }) => coin !== "BTC" && !stable.has(coin)).slice(0, altseasonCoins)
      const btc = tickers.value.find(({ coin }) => coin === "BTC")
      const btcGrowth = btc === undefined ? null : yield* readGrowth("BTC", btc.price, time)
      const growths = yield* Effect.forEach(alts, ({ coin, price }) => readGrowth(coin, price, time), { concurrency })
      const knownGrowths = growths.flatMap((one) => one ?? [])
      const isSufficient = btcGrowth !== null && knownGrowths.length >= minCoins
      const notes: Array<string> = []
      if (!isComplete) {
        notes.push("A share is null if the supply of one of its coins is unknown; other_pct is then null too.")
      }
      if (!isSufficient) {
        notes.push(`altseason_index is null: fewer than ${minCoins} coins have a price of ${altseasonDays} days ago.`)
      } else if (knownGrowths.length < altseasonCoins) {
        notes.push(`altseason_index counts the ${knownGrowths.length} tracked coins that have a price of that time.`)
      }
      return {
        btc_pct: roundedShares[0]!,
        eth_pct: roundedShares[1]!,
        stable_pct: roundedShares[2]!,
        other_pct: isComplete ? roundedShares[3]! : null,
        altseason_index: isSufficient
          ? (100 * knownGrowths.filter((one) => one > btcGrowth).length) / knownGrowths.length
          : null,
        altseason_n: knownGrowths.length,
        total_cap_usd: cap,
        volume_24h_usd: total.value.volume24hUsd,
        notes,
        ...provenanceOf(total, tickers)
      }
    })
  })
)
