/**
 * Large transfers between wallets, hour by hour.
 *
 * Flows follow past moves of the market modestly, as studies of on-chain flows report. Coins move to exchanges after
 * rises (profit taking) and leave after falls. Flows do not depend on future prices.
 */
import { dayMs, hourMs, type Interval, minuteMs, type TransferKind, type WhaleTransfer } from "@tapeline/core/market"
import type { CoinMarket } from "../coin/CoinMarket.ts"
import { momentum } from "../coin/momentum.ts"
import { derive, integer, type Key, poisson, uniform } from "../kernel/random.ts"
import type { World } from "../world.ts"
import { addressOn, shortened, transactionHash } from "./addresses.ts"
import { chainOf } from "./chains.ts"
import { operationsOf } from "./stablecoins.ts"

export const leastUsd = 100_000
/** The Pareto tail of the sizes, and the largest size as a share of a usual day's volume. */
const tail = 1.15
const largestShare = 0.02

const exchanges = ["Binance", "Coinbase", "Kraken", "OKX", "Bybit", "Upbit", "Bithumb", "Bitfinex", "KuCoin", "Gate"]
const holders = [
  "Marlin Capital",
  "Northgate OTC",
  "Halyard Trading",
  "Blue Heron Fund",
  "Quayside Custody",
  "Tern Market Making",
  "Foundation treasury",
  "Miner pool payout",
  "Bridge vault",
  "Staking vault",
  "Early holder",
  "Estuary Ventures"
]

/** A transfer without a price. */
export interface Draft {
  readonly time: number
  readonly kind: TransferKind
  readonly usd: number
  readonly key: Key
}

/** The expected number of transfers in an hour. */
const rateOf = (market: CoinMarket): number => Math.min(14, 0.6 * (market.spec.dailyVolumeUsd / 1e8) ** 0.55)

/** The direction of flows in an hour, from -1 (out of exchanges) to 1 (into them). */
const leanOf = (world: World, market: CoinMarket, time: number): number => {
  // Stablecoins move to exchanges for purchases, after rises of bitcoin.
  if (market.spec.isStablecoin) return 0.25 * momentum(world.coin("BTC")!, time, dayMs, 1.5)
  return 0.3 * momentum(market, time, dayMs, 1.5)
}

/** The treasury operations of an hour, as transfers. */
const treasury = (world: World, market: CoinMarket, hour: number): ReadonlyArray<Draft> => {
  if (!market.spec.isStablecoin) return []
  const key = derive(world.key(`treasury ${market.spec.coin}`), hour, 1)
  return operationsOf(world, market, Math.floor(hour / 24))
    .filter(({ time }) => Math.floor(time / hourMs) === hour)
    .map(({ time, amount }, i) => ({
      time,
      kind: amount > 0 ? "mint" : "burn",
      usd: Math.abs(amount),
      key: derive(key, i, 0)
    }))
}

/** The transfers of an hour (hours since 1970), by time. */
export const draftsOf = (world: World, market: CoinMarket, hour: number): ReadonlyArray<Draft> => {
  const time = hour * hourMs
  const key = derive(world.key(`transfers ${market.spec.coin}`), hour, 0)
  const lean = leanOf(world, market, time)
  const count = poisson(rateOf(market), key, 0)
  const most = largestShare * market.spec.dailyVolumeUsd
  const drafts: Array<Draft> = []
  for (let i = 0; i < count; i++) {
    const own = derive(key, i + 1, 0)
    const u = uniform(own, 0)
    const towards = 0.31 * (1 + 0.6 * lean)
    const away = 0.31 * (1 - 0.6 * lean)
    const kind: TransferKind = u < towards
      ? "exchange_in"
      : u < towards + away
      ? "exchange_out"
      : u < 0.9
      ? "wallet"
      : "exchange_internal"
    const usd = leastUsd * Math.min(Math.max(4, most / leastUsd), uniform(own, 1) ** (-1 / tail))
    drafts.push({ time: time + Math.floor(hourMs * uniform(own, 2)), kind, usd, key: own })
  }
  return [...drafts, ...treasury(world, market, hour)].sort((a, b) => a.time - b.time || a.key.a - b.key.a)
}

const wallet = (kind: "exchange" | "holder", chain: string, key: Key, slot: number): string => {
  if (kind === "exchange") {
    return `${exchanges[integer(key, slot, exchanges.length)]!} ${
      integer(key, slot + 1, 3) === 0 ? "cold" : "hot"
    } wallet ${1 + integer(key, slot + 2, 6)}`
  }
  return uniform(key, slot) < 0.4
    ? holders[integer(key, slot + 1, holders.length)]!
    : shortened(addressOn(chain, key, slot + 4))
}

const ends = (coin: string, kind: TransferKind, chain: string, key: Key): readonly [from: string, to: string] => {
  const exchange = wallet("exchange", chain, key, 10)
  const holder = wallet("holder", chain, key, 20)
  switch (kind) {
    case "exchange_in":
      return [holder, exchange]
    case "exchange_out":
      return [exchange, holder]
    case "exchange_internal":
      return [exchange, exchange.replace(/\d$/u, (digit) => String(Number(digit) % 6 + 1))]
    case "mint":
      return [`${coin} issuer`, `${coin} treasury`]
    case "burn":
      return [`${coin} treasury`, `${coin} issuer`]
    case "wallet": {
      const other = wallet("holder", chain, key, 80)
      return [holder, other === holder ? shortened(addressOn(chain, key, 84)) : other]
    }
    default:
      return kind satisfies never
  }
}

/** The newest `limit` transfers of an interval of at least `minUsd`, oldest first. */
export const transfersOf = (
  world: World,
  market: CoinMarket,
  { from, to }: Interval,
  limit: number,
  minUsd = leastUsd
): ReadonlyArray<WhaleTransfer> => {
  const { coin, isStablecoin } = market.spec
  const chain = chainOf(market.spec)
  const newest: Array<WhaleTransfer> = []
  for (let hour = Math.floor((to - 1) / hourMs); (hour + 1) * hourMs > from && newest.length < limit; hour--) {
    for (const { time, kind, usd, key } of draftsOf(world, market, hour).toReversed()) {
      if (time < from || time >= to || newest.length >= limit) continue
      const price = isStablecoin ? 1 : market.price(Math.max(market.listedAt, Math.floor(time / minuteMs) * minuteMs))
      // The amount is rounded up, so that no transfer is below the minimum size.
      const scale = 10 ** Math.max(0, 6 - Math.floor(Math.log10(usd / price)))
      const amount = Math.ceil(usd / price * scale) / scale
      const worth = Math.round(amount * price * 100) / 100
      if (worth < minUsd) continue
      const [sender, receiver] = ends(coin, kind, chain, key)
      newest.push({
        time,
        coin,
        hash: transactionHash(chain, key, 140),
        from: sender,
        to: receiver,
        amount,
        usd: worth,
        kind
      })
    }
  }
  return newest.toReversed()
}

/** The net value sent to exchanges in `[from, to)`, in USD. */
export const exchangeNetUsd = (world: World, market: CoinMarket, from: number, to: number): number => {
  let net = 0
  for (let hour = Math.floor(from / hourMs); hour * hourMs < to; hour++) {
    for (const { time, kind, usd } of draftsOf(world, market, hour)) {
      if (time < from || time >= to) continue
      if (kind === "exchange_in") net += usd
      else if (kind === "exchange_out") net -= usd
    }
  }
  return Math.round(net)
}
