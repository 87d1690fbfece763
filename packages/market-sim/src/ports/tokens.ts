/**
 * Tokens, pools and transfers behind core's `TokenMarkets`.
 */
import { dayMs, TokenMarkets, UnknownSymbol } from "@tapeline/core/market"
import { Clock, Effect } from "effect"
import { poolsOf } from "../token/pools.ts"
import { supplyAt } from "../token/stablecoins.ts"
import { allTokens, realToken, searchTokens } from "../token/tokens.ts"
import { exchangeNetUsd, transfersOf } from "../token/transfers.ts"
import type { World } from "../world.ts"
import { listedCoin } from "./lookup.ts"

const mostTransfers = 1_000

/** `TokenMarkets` of a world. */
export const tokenMarkets = (world: World, source: string): TokenMarkets["Service"] =>
  TokenMarkets.of({
    source,
    token: Effect.fnUntraced(function*(coinOrAddress) {
      if (world.coin(coinOrAddress) !== undefined) {
        const { market, now } = yield* listedCoin(world, coinOrAddress)
        return realToken(world, market, now)
      }
      const now = yield* Clock.currentTimeMillis
      const found = coinOrAddress === "native"
        ? undefined
        : allTokens(world, now).find(({ address }) => address === coinOrAddress)
      if (found === undefined) return yield* new UnknownSymbol({ symbol: coinOrAddress })
      return found
    }),
    search: ({ text, limit }) => Effect.map(Clock.currentTimeMillis, (now) => searchTokens(world, text, limit, now)),
    pools: ({ coin, limit }) =>
      Effect.map(listedCoin(world, coin), ({ market, now }) => poolsOf(world, market, now).slice(0, limit)),
    whaleTransfers: ({ coin, from, to }) =>
      Effect.map(listedCoin(world, coin), ({ market, now }) =>
        transfersOf(world, market, Math.max(from, market.listedAt), Math.min(to, now + 1), mostTransfers)),
    stablecoinFlows: (days) =>
      Effect.map(Clock.currentTimeMillis, (now) =>
        world.markets
          .filter(({ spec, listedAt }) =>
            spec.isStablecoin && listedAt <= now
          )
          .map((market) => {
            const from = Math.max(now - days * dayMs, market.listedAt)
            const supplyUsd = supplyAt(world, market, now)
            return {
              coin: market.spec.coin,
              supplyUsd,
              changeUsd: supplyUsd - supplyAt(world, market, from),
              exchangeNetUsd: exchangeNetUsd(world, market, from, now + 1)
            }
          })
          .sort((a, b) => b.supplyUsd - a.supplyUsd))
  })
