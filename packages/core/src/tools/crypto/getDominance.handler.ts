import { Clock, Effect } from "effect"
import { makeOneByOne } from "../../analysis/signals/oneByOne.ts"
import { handlerOf } from "../../engine/tool/implement.ts"
import { parts } from "../../engine/tool/rounding.ts"
import { CoinPrices } from "../../market/CoinPrices.ts"
import { provenanceOf } from "../../market/provenance.ts"
import { dayMs } from "../../market/timeframe.ts"
import { valueOf } from "../../market/valueOf.ts"
import { getDominance } from "./getDominance.ts"

const altseasonDays = 90
const altseasonCoins = 50
/** The minimum number of coins for a share. */
const leastCoins = 10
const concurrency = 8

export const handler = handlerOf(
  getDominance,
  Effect.gen(function*() {
    const prices = yield* CoinPrices
    const oneByOne = makeOneByOne()
    /** Returns the ratio of a coin's current price to its price at a time; null if the old price is unknown. */
    const growth = (coin: string, price: number, time: number) =>
      oneByOne(prices.priceAt({ coin, time })).pipe(
        Effect.map((then): number | null => price / then.value.price),
        Effect.catchTag("NoData", () => Effect.succeed(null))
      )
    return Effect.fnUntraced(function*() {
      const time = (yield* Clock.currentTimeMillis) - altseasonDays * dayMs
      const total = yield* prices.totalMarket
      const tickers = yield* prices.tickers
      const stable = new Set((yield* valueOf(prices.coins)).filter((one) => one.isStablecoin).map(({ coin }) => coin))
      const cap = total.value.marketCapUsd
      const shareOf = (some: ReadonlyArray<string>): number | null => {
        const caps = tickers.value.filter(({ coin }) => some.includes(coin)).map(({ marketCapUsd }) => marketCapUsd)
        return caps.length === 0 || caps.includes(null)
          ? null
          : (100 * caps.reduce<number>((sum, one) => sum + (one ?? 0), 0)) / cap
      }
      const shares = [shareOf(["BTC"]), shareOf(["ETH"]), shareOf([...stable])]
      const known = shares.flatMap((share) => share ?? [])
      const whole = known.length === shares.length
      const rest = 100 - known.reduce((sum, share) => sum + share, 0)
      const written = whole ? parts([...known, rest], 100, 4) : shares
      const alts = tickers.value.filter(({ coin }) => coin !== "BTC" && !stable.has(coin)).slice(0, altseasonCoins)
      const btc = tickers.value.find(({ coin }) => coin === "BTC")
      const btcGrowth = btc === undefined ? null : yield* growth("BTC", btc.price, time)
      const growths = yield* Effect.forEach(alts, ({ coin, price }) => growth(coin, price, time), { concurrency })
      const counted = growths.flatMap((one) => one ?? [])
      const told = btcGrowth !== null && counted.length >= leastCoins
      const notes: Array<string> = []
      if (!whole) notes.push("A share is null where the supply of one of its coins is not known; so is other_pct.")
      if (!told) {
        notes.push(`altseason_index is null: fewer than ${leastCoins} coins have a price of ${altseasonDays} days ago.`)
      } else if (counted.length < altseasonCoins) {
        notes.push(`altseason_index counts the ${counted.length} tracked coins that have a price of then.`)
      }
      return {
        btc_pct: written[0]!,
        eth_pct: written[1]!,
        stable_pct: written[2]!,
        other_pct: whole ? written[3]! : null,
        altseason_index: told ? (100 * counted.filter((one) => one > btcGrowth).length) / counted.length : null,
        altseason_n: counted.length,
        total_cap_usd: cap,
        volume_24h_usd: total.value.volume24hUsd,
        notes,
        ...provenanceOf(total, tickers)
      }
    })
  })
)
