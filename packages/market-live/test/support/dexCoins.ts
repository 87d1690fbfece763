import { CoinPrices, type MarketPorts, OnchainFlows, TokenMarkets } from "@tapeline/core/market"
import { makeWorld, SimMarket } from "@tapeline/market-sim"
import { AutoAdvancingClock, type DexCoin, type DexPorts } from "@tapeline/wire"
import { Clock, Context, Effect } from "effect"
import type { CoinToken } from "../../src/index.ts"

export interface DexWorld {
  readonly ports: DexPorts
  readonly all: Context.Context<MarketPorts>
  readonly prices: CoinPrices["Service"]
  readonly coinTokens: ReadonlyArray<CoinToken>
}

/** A simulated market in which PEPE trades often. */
const ports = SimMarket.makePorts(makeWorld("dex"))

export const dexWorld = (coins: ReadonlyArray<string>, now: number): DexWorld => {
  const tokens = Context.get(ports, TokenMarkets)
  const known = coins.map((coin, i) => {
    const readToken = Effect.all([tokens.token({ coin }), tokens.pools({ coin, limit: 1 })])
    const [token, pools] = Effect.runSync(
      Effect.provideService(readToken, Clock.Clock, new AutoAdvancingClock(now, []))
    )
    const { address, chain } = token.value
    const id = `id-of-${coin.toLowerCase()}`
    const wrappedToken = address === "native"
      ? { chain: pools.value[0]!.chain, address: `0x${String(i).padStart(40, "c")}` }
      : undefined
    const dexCoin: DexCoin = { coin, id, ...(wrappedToken === undefined ? {} : { contract: wrappedToken.address }) }
    const coinToken: CoinToken = {
      coin,
      coinId: id,
      chain,
      address,
      ...(wrappedToken === undefined ? {} : { wrapped: wrappedToken })
    }
    return { dexCoin, coinToken }
  })
  return {
    ports: { tokens, flows: Context.get(ports, OnchainFlows), coins: known.map(({ dexCoin }) => dexCoin) },
    all: ports,
    prices: Context.get(ports, CoinPrices),
    coinTokens: known.map(({ coinToken }) => coinToken)
  }
}
