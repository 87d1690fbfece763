import {
  type DexActivity,
  type DexPool,
  minuteMs,
  type OnchainFlows,
  type TokenDetails,
  type TokenMarkets
} from "@tapeline/core/market"
import { Clock, Effect } from "effect"

/** A coin on a blockchain, with the coin's ID in CoinGecko's list. */
export interface DexCoin {
  readonly coin: string
  readonly id: string
  /**
   * The contract address that the pools of the coin use, if the port has a different contract address. For a native
   * coin, the pools trade the contract of the wrapped coin.
   */
  readonly contract?: string
}

export interface DexPorts {
  readonly tokens: TokenMarkets["Service"]
  readonly flows: OnchainFlows["Service"]
  readonly coins: ReadonlyArray<DexCoin>
}

export interface DexToken {
  readonly details: TokenDetails
  readonly symbol: string
  readonly name: string
  readonly chain: string
  readonly address: string
  readonly id: string | null
  readonly pools: ReadonlyArray<DexPool>
  readonly createdAt: number
}

const dayMs = 1_440 * minuteMs

const poolOf = ({ address, chain, liquidityUsd, symbol }: TokenDetails): DexPool => ({
  dex: "uniswap_v2",
  chain,
  address: `${address.slice(0, 2)}${address.slice(20)}${address.slice(2, 20)}`,
  pair: `${symbol}/USDC`,
  liquidityUsd,
  volume24hUsd: 1_234.5,
  feePct: 0.3
})

const tokenOf = Effect.fnUntraced(function*({ coins, tokens }: DexPorts, details: TokenDetails) {
  const known = coins.find(({ coin }) => coin === details.coin)
  const { value: pools } = details.coin === null
    ? { value: [poolOf(details)] }
    : yield* Effect.orDie(tokens.pools({ coin: details.coin, limit: 1_000 }))
  const now = yield* Clock.currentTimeMillis
  const isWrapped = details.address === "native"
  return {
    details,
    symbol: isWrapped ? `W${details.symbol}` : details.symbol,
    name: isWrapped ? `Wrapped ${details.name}` : details.name,
    chain: pools[0]?.chain ?? details.chain,
    address: isWrapped ? known?.contract ?? "0x0" : known?.contract ?? details.address,
    id: known === undefined ? null : isWrapped ? `wrapped-${known.id}` : known.id,
    pools,
    createdAt: Math.floor((now - (details.flags.includes("young") ? 20 : 900) * dayMs) / 1_000) * 1_000
  } satisfies DexToken
})

const valueOrNull = <A>(read: Effect.Effect<A, unknown>): Effect.Effect<A | null> =>
  Effect.catch(read, () => Effect.succeed(null))

const tokenOfCoin = (ports: DexPorts, coin: string): Effect.Effect<DexToken | null> =>
  Effect.flatMap(
    valueOrNull(ports.tokens.token({ coin })),
    (token) => token === null ? Effect.succeed(null) : tokenOf(ports, token.value)
  )

const isSameAddress = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

export const dexTokenAt = Effect.fnUntraced(function*(ports: DexPorts, chain: string, address: string) {
  const known = ports.coins.find(({ contract }) => contract !== undefined && isSameAddress(contract, address))
  if (known !== undefined) {
    const token = yield* tokenOfCoin(ports, known.coin)
    return token?.chain === chain ? token : null
  }
  const token = yield* valueOrNull(ports.tokens.token({ address, chain }))
  return token === null ? null : yield* tokenOf(ports, token.value)
})

/** Searches tokens by text, and finds a native coin only if its wrapped contract is known. */
export const dexTokensNamed = Effect.fnUntraced(function*(ports: DexPorts, text: string) {
  const { value } = yield* Effect.orDie(ports.tokens.search({ text, limit: 20 }))
  const isTraded = (coin: string | null) => ports.coins.some((one) => one.coin === coin && one.contract !== undefined)
  const traded = value.filter(({ address, coin }) => address !== "native" || isTraded(coin))
  return yield* Effect.forEach(traded, ({ address, chain, coin }) =>
    Effect.flatMap(
      Effect.orDie(ports.tokens.token(coin === null ? { address, chain } : { coin })),
      (details) => tokenOf(ports, details.value)
    ))
})

export const quoteOf = ({ chain, pair }: DexPool): { readonly symbol: string; readonly address: string } => {
  const symbol = pair.slice(pair.indexOf("/") + 1)
  const digits = Buffer.from(symbol).toString("hex")
  return { symbol, address: chain === "solana" ? `Quote${digits}` : `0x${digits.padEnd(40, "e")}` }
}

export interface DexTrade {
  readonly time: number
  readonly side: "buy" | "sell"
  readonly usd: number
}

const tradedPools = 3
const stepMs = 5 * minuteMs

interface CachedActivity {
  readonly until: number
  readonly points: ReadonlyArray<DexActivity>
}

const activityCache = new WeakMap<DexPorts, Map<string, CachedActivity>>()

const activityOf = Effect.fnUntraced(function*(ports: DexPorts, coin: string, now: number) {
  const until = Math.floor(now / stepMs) * stepMs
  const activities: Map<string, CachedActivity> = activityCache.get(ports) ?? new Map()
  activityCache.set(ports, activities)
  const known = activities.get(coin)
  if (known?.until === until) return known.points
  const read = yield* valueOrNull(ports.flows.dexActivity({ coin, from: until - dayMs, to: until, stepMs }))
  const points = read?.value.points ?? []
  activities.set(coin, { until, points })
  return points
})

/** Returns the newest trades of a pool within the last day, or null for an unknown pool. */
export const dexTradesOf = Effect.fnUntraced(function*(
  ports: DexPorts,
  pool: string,
  limit: number
): Effect.fn.Return<{ readonly token: DexToken; readonly trades: ReadonlyArray<DexTrade> } | null> {
  for (const { coin } of ports.coins) {
    const token = yield* tokenOfCoin(ports, coin)
    const poolIndex = token?.pools.findIndex(({ address }) => isSameAddress(address, pool)) ?? -1
    if (token === null || poolIndex < 0) continue
    if (poolIndex >= tradedPools) return { token, trades: [] }
    const now = yield* Clock.currentTimeMillis
    const buckets = (yield* activityOf(ports, coin, now)).filter(({ time }) => time >= now - dayMs)
    const count = Math.min(tradedPools, token.pools.length)
    const trades: Array<DexTrade> = []
    for (const { buyUsd, sellUsd, time, trades: all } of buckets.toReversed()) {
      if (trades.length >= limit) break
      const buys = Math.min(all - (sellUsd > 0 ? 1 : 0), Math.max(buyUsd > 0 ? 1 : 0, Math.round(all / 2)))
      for (let i = all - 1; i >= 0; i--) {
        if (i % count !== poolIndex) continue
        const side = i < buys ? "buy" : "sell"
        const usd = side === "buy" ? buyUsd / buys : sellUsd / (all - buys)
        const at = time + Math.floor(stepMs * i / all)
        trades.push({ time: Math.floor(at / 1_000) * 1_000, side, usd })
      }
    }
    return { token, trades: trades.slice(0, limit) }
  }
  return null
})
