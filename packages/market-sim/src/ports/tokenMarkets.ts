import { dayMs, type StablecoinFlow, TokenMarkets, UnknownSymbol } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import type { CoinMarket } from "../coin/CoinMarket.ts"
import { isSameAddress } from "../token/addresses.ts"
import { getPools } from "../token/pools.ts"
import { getSupply } from "../token/supply.ts"
import { getAllTokens, makeRealToken, searchTokens } from "../token/tokens.ts"
import { getExchangeNetUsd, getTransfers } from "../token/transfers.ts"
import type { World } from "../world.ts"
import { findListedCoin } from "./lookup.ts"
import { getNewestTime, simulatedReading } from "./source.ts"

const maxTransfers = 1_000

export const makeTokenMarkets = (world: World): TokenMarkets["Service"] =>
  TokenMarkets.of({
    token: Effect.fnUntraced(function*(query) {
      if ("coin" in query) {
        const { market, now } = yield* findListedCoin(world, query.coin)
        return simulatedReading(makeRealToken(world, market, now), now)
      }
      const now = yield* Clock.currentTimeMillis
      const { address, chain } = query
      const found = address === "native"
        ? undefined
        : getAllTokens(world, now).find((token) => token.chain === chain && isSameAddress(token.address, address))
      if (found === undefined) return yield* new UnknownSymbol({ symbol: address })
      return simulatedReading(found, now)
    }),
    search: ({ text, limit }) =>
      Effect.map(Clock.currentTimeMillis, (now) => simulatedReading(searchTokens(world, text, limit, now), now)),
    pools: ({ coin, limit }) =>
      Effect.map(
        findListedCoin(world, coin),
        ({ market, now }) => simulatedReading(getPools(world, market, now).slice(0, limit), now)
      ),
    whaleTransfers: ({ coin, from, to, minUsd }) =>
      Effect.map(findListedCoin(world, coin), ({ market, now }) => {
        const end = Math.min(to, now + 1)
        const interval = { from: Math.max(from, market.listedAt), to: end }
        const transfers = getTransfers(world, market, interval, maxTransfers, minUsd)
        return simulatedReading(transfers, getNewestTime(transfers, now))
      }),
    stablecoinFlows: (days) =>
      Effect.map(Clock.currentTimeMillis, (now) =>
        simulatedReading(
          world.markets
            .filter(({ spec, listedAt }) => spec.isStablecoin && listedAt <= now)
            .map((market) => makeStablecoinFlow(world, market, days, now))
            .sort((a, b) => b.supplyUsd - a.supplyUsd),
          now
        ))
  })

const makeStablecoinFlow = (world: World, market: CoinMarket, days: number, now: number): StablecoinFlow => {
  const from = Math.max(now - days * dayMs, market.listedAt)
  const supplyUsd = getSupply(world, market, now)
  return {
    coin: market.spec.coin,
    supplyUsd,
    changeUsd: supplyUsd - getSupply(world, market, from),
    exchangeNetUsd: getExchangeNetUsd(world, market, from, now + 1)
  }
}
