/** Simulates large transfers between wallets, which move coins to exchanges after price rises and back after falls. */
import { dayMs, hourMs, type Interval, minuteMs, type TransferKind, type WhaleTransfer } from "@tapeline/core/market"
import type { CoinMarket } from "../coin/CoinMarket.ts"
import { computeMomentum } from "../coin/momentum.ts"
import { deriveKey, drawInteger, drawPoisson, drawUniform, type Key } from "../kernel/random.ts"
import type { World } from "../world.ts"
import { makeAddress, makeTransactionHash, shortenAddress } from "./addresses.ts"
import { getChain } from "./chains.ts"
import { getOperations } from "./supply.ts"

export const minTransferUsd = 100_000
/** The exponent of the Pareto distribution of transfer sizes. */
const paretoExponent = 1.15
/** The size of the largest transfers, as a fraction of the coin's volume on a usual day. */
const maxSizeShare = 0.02

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

/** A transfer without a price and without wallets. */
export interface TransferDraft {
  readonly time: number
  readonly kind: TransferKind
  readonly usd: number
  readonly key: Key
}

const getHourlyRate = (market: CoinMarket): number => Math.min(14, 0.6 * (market.spec.dailyVolumeUsd / 1e8) ** 0.55)

/** Returns the direction of flows in an hour, from -1 (out of exchanges) to 1 (into exchanges). */
const getFlowDirection = (world: World, market: CoinMarket, time: number): number => {
  // Stablecoins move to exchanges for purchases after a rise of bitcoin.
  if (market.spec.isStablecoin) return 0.25 * computeMomentum(world.coin("BTC")!, time, dayMs, 1.5)
  return 0.3 * computeMomentum(market, time, dayMs, 1.5)
}

const getTreasuryTransfers = (world: World, market: CoinMarket, hour: number): ReadonlyArray<TransferDraft> => {
  if (!market.spec.isStablecoin) return []
  const key = deriveKey(world.getKey(`treasury ${market.spec.coin}`), hour, 1)
  return getOperations(world, market, Math.floor(hour / 24))
    .filter(({ time }) => Math.floor(time / hourMs) === hour)
    .map(({ time, amount }, i) => ({
      time,
      kind: amount > 0 ? "mint" : "burn",
      usd: Math.abs(amount),
      key: deriveKey(key, i, 0)
    }))
}

export const getTransferDrafts = (world: World, market: CoinMarket, hour: number): ReadonlyArray<TransferDraft> => {
  const time = hour * hourMs
  const key = deriveKey(world.getKey(`transfers ${market.spec.coin}`), hour, 0)
  const direction = getFlowDirection(world, market, time)
  const count = drawPoisson(getHourlyRate(market), key, 0)
  const maxUsd = maxSizeShare * market.spec.dailyVolumeUsd
  const drafts: Array<TransferDraft> = []
  for (let i = 0; i < count; i++) {
    const transferKey = deriveKey(key, i + 1, 0)
    const u = drawUniform(transferKey, 0)
    const inflowProbability = 0.31 * (1 + 0.6 * direction)
    const outflowProbability = 0.31 * (1 - 0.6 * direction)
    const kind: TransferKind = u < inflowProbability
      ? "exchange_in"
      : u < inflowProbability + outflowProbability
      ? "exchange_out"
      : u < 0.9
      ? "wallet"
      : "exchange_internal"
    const usd = minTransferUsd *
      Math.min(Math.max(4, maxUsd / minTransferUsd), drawUniform(transferKey, 1) ** (-1 / paretoExponent))
    drafts.push({ time: time + Math.floor(hourMs * drawUniform(transferKey, 2)), kind, usd, key: transferKey })
  }
  return [...drafts, ...getTreasuryTransfers(world, market, hour)].sort((a, b) => a.time - b.time || a.key.a - b.key.a)
}

const makeWalletName = (kind: "exchange" | "holder", chain: string, key: Key, slot: number): string => {
  if (kind === "exchange") {
    return `${exchanges[drawInteger(key, slot, exchanges.length)]!} ${
      drawInteger(key, slot + 1, 3) === 0 ? "cold" : "hot"
    } wallet ${1 + drawInteger(key, slot + 2, 6)}`
  }
  return drawUniform(key, slot) < 0.4
    ? holders[drawInteger(key, slot + 1, holders.length)]!
    : shortenAddress(makeAddress(chain, key, slot + 4))
}

const makeEndpoints = (
  coin: string,
  kind: TransferKind,
  chain: string,
  key: Key
): readonly [from: string, to: string] => {
  const exchange = makeWalletName("exchange", chain, key, 10)
  const holder = makeWalletName("holder", chain, key, 20)
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
      const other = makeWalletName("holder", chain, key, 80)
      return [holder, other === holder ? shortenAddress(makeAddress(chain, key, 84)) : other]
    }
    default:
      return kind satisfies never
  }
}

/** Returns the newest `limit` transfers of at least `minUsd` in an interval, oldest first. */
export const getTransfers = (
  world: World,
  market: CoinMarket,
  { from, to }: Interval,
  limit: number,
  minUsd = minTransferUsd
): ReadonlyArray<WhaleTransfer> => {
  const { coin, isStablecoin } = market.spec
  const chain = getChain(market.spec)
  const newest: Array<WhaleTransfer> = []
  for (let hour = Math.floor((to - 1) / hourMs); (hour + 1) * hourMs > from && newest.length < limit; hour--) {
    for (const { time, kind, usd, key } of getTransferDrafts(world, market, hour).toReversed()) {
      if (time < from || time >= to || newest.length >= limit) continue
      const price = isStablecoin ? 1 : market.price(Math.max(market.listedAt, Math.floor(time / minuteMs) * minuteMs))
      // The amount is rounded up, so that no transfer is below the minimum size.
      const scale = 10 ** Math.max(0, 6 - Math.floor(Math.log10(usd / price)))
      const amount = Math.ceil(usd / price * scale) / scale
      const valueUsd = Math.round(amount * price * 100) / 100
      if (valueUsd < minUsd) continue
      const [sender, receiver] = makeEndpoints(coin, kind, chain, key)
      newest.push({
        time,
        coin,
        hash: makeTransactionHash(chain, key, 140),
        from: sender,
        to: receiver,
        amount,
        usd: valueUsd,
        kind
      })
    }
  }
  return newest.toReversed()
}

/** Returns the net value that moved to exchanges in `[from, to)`, in USD. */
export const getExchangeNetUsd = (world: World, market: CoinMarket, from: number, to: number): number => {
  let netUsd = 0
  for (let hour = Math.floor(from / hourMs); hour * hourMs < to; hour++) {
    for (const { time, kind, usd } of getTransferDrafts(world, market, hour)) {
      if (time < from || time >= to) continue
      if (kind === "exchange_in") netUsd += usd
      else if (kind === "exchange_out") netUsd -= usd
    }
  }
  return Math.round(netUsd)
}
