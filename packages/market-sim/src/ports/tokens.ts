/** Implements core's `TokenMarkets`: tokens, pools and transfers. */
import { dayMs, type StablecoinFlow, TokenMarkets, UnknownSymbol } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import type { CoinMarket } from "../coin/CoinMarket.ts"
import { sameAddress } from "../token/addresses.ts"
import { poolsOf } from "../token/pools.ts"
import { supplyAt } from "../token/stablecoins.ts"
import { allTokens, realToken, searchTokens } from "../token/tokens.ts"
import { exchangeNetUsd, transfersOf } from "../token/transfers.ts"
import type { World } from "../world.ts"
import { listedCoin } from "./lookup.ts"
import { newestOf, simulated } from "./source.ts"

const mostTransfers = 1_000

/** The `TokenMarkets` port of a world. */
export const tokenMarkets = (world: World): TokenMarkets["Service"] =>
  TokenMarkets.of({
    token: Effect.fnUntraced(function*(query) {
      if ("coin" in query) {
        const { market, now } = yield* listedCoin(world, query.coin)
        return simulated(realToken(world, market, now), now)
      }
      const now = yield* Clock.currentTimeMillis
      const { address, chain } = query
      const found = address === "native"
        ? undefined
        : allTokens(world, now).find((token) => token.chain === chain && sameAddress(token.address, address))
      if (found === undefined) return yield* new UnknownSymbol({ symbol: address })
      return simulated(found, now)
    }),
    search: ({ text, limit }) =>
      Effect.map(Clock.currentTimeMillis, (now) => simulated(searchTokens(world, text, limit, now), now)),
    pools: ({ coin, limit }) =>
      Effect.map(
        listedCoin(world, coin),
        ({ market, now }) => simulated(poolsOf(world, market, now).slice(0, limit), now)
      ),
    whaleTransfers: ({ coin, from, to, minUsd }) =>
      Effect.map(listedCoin(world, coin), ({ market, now }) => {
        const end = Math.min(to, now + 1)
        const interval = { from: Math.max(from, market.listedAt), to: end }
        const transfers = transfersOf(world, market, interval, mostTransfers, minUsd)
        return simulated(transfers, newestOf(transfers, now))
      }),
    stablecoinFlows: (days) =>
      Effect.map(Clock.currentTimeMillis, (now) =>
        simulated(
          world.markets
            .filter(({ spec, listedAt }) => spec.isStablecoin && listedAt <= now)
            .map((market) => flowOf(world, market, days, now))
            .sort((a, b) => b.supplyUsd - a.supplyUsd),
          now
        ))
  })

const flowOf = (world: World, market: CoinMarket, days: number, now: number): StablecoinFlow => {
  const from = Math.max(now - days * dayMs, market.listedAt)
  const supplyUsd = supplyAt(world, market, now)
  return {
    coin: market.spec.coin,
    supplyUsd,
    changeUsd: supplyUsd - supplyAt(world, market, from),
    exchangeNetUsd: exchangeNetUsd(world, market, from, now + 1)
  }
}
