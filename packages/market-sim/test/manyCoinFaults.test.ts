// The checks for reads of many coins detect incorrect adapters: each adapter fails the check that is named with it.
import { CoinPrices } from "@tapeline/core/market"
import { coinPricesContract } from "@tapeline/testing/contracts/coinPrices"
import { assertFaultsDetected, makeFaultyAdapter, mapReadingValue } from "./support/faultyAdapters.ts"
import { makeStoredVenue, now, outage } from "./support/markets.ts"

const prices = makeFaultyAdapter(CoinPrices)
const { backfill } = makeStoredVenue("BTC")

assertFaultsDetected(coinPricesContract, {
  now,
  coins: ["BTC", "XRP"],
  delisted: "LTC",
  outage,
  backfill,
  takerless: "XRP"
}, [
  [
    "minute prices that are repeated through an outage",
    "an outage has no candle on any timeframe, and no price",
    prices((honest) => ({
      minutes: (query) =>
        mapReadingValue(
          honest.minutes(query),
          (all) =>
            new Map([...all].map(([coin, { knownUntil }]) => [
              coin,
              { knownUntil, points: [{ time: query.after, price: 1 }] }
            ]))
        )
    }))
  ],
  [
    "minutes with their opening price",
    "closed minutes of many coins have the prices at their ends",
    prices((honest) => ({
      minutes: (query) =>
        mapReadingValue(
          honest.minutes({ ...query, after: query.after - 60_000 }),
          (all) =>
            new Map(Array.from(all, ([coin, { knownUntil, points }]) => [
              coin,
              { knownUntil, points: points.slice(1).map(({ time }, i) => ({ time, price: points[i]!.price })) }
            ]))
        )
    }))
  ],
  [
    "candles of one coin for every coin",
    "candles of many coins equal the candles of each coin",
    prices((honest) => ({
      candlesByCoin: (query) =>
        mapReadingValue(
          honest.candlesByCoin(query),
          (all) => new Map(Array.from(all.keys(), (coin) => [coin, all.get("BTC")!]))
        )
    }))
  ]
])
