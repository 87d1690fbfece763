/** Tokens: those of the listed coins, and impostors that use their names for a few months. */
import { dayMs, type Token, type TokenDetails, weekMs } from "@tapeline/core/market"
import type { CoinMarket } from "../coin/CoinMarket.ts"
import { stationaryNoise } from "../kernel/noise.ts"
import { derive, integer, normal, uniform } from "../kernel/random.ts"
import type { World } from "../world.ts"
import { addressOn, sameAddress } from "./addresses.ts"
import { chainOf, dexesOf, isMined, isNative } from "./chains.ts"
import { liquidityUsd } from "./pools.ts"
import { supplyAt } from "./stablecoins.ts"

const yearMs = 365 * dayMs
const from2026 = Date.UTC(2026, 0, 1)
/** Limits of flags: tokens below this age, and tokens with less liquidity than this, are flagged. */
const youngMs = 60 * dayMs
const lowLiquidityUsd = 250_000
const concentratedPct = 40

const digits = (x: number, count: number): number => Number(x.toPrecision(count))

/** The share of the ten largest wallets of a typical token by sector, in percent. */
const usualTop10: Readonly<Record<string, number>> = {
  layer1: 14,
  payments: 22,
  meme: 24,
  stablecoin: 18,
  defi: 33,
  layer2: 42,
  ai: 30,
  gaming: 38,
  infrastructure: 28,
  exchange: 45
}

const flagsOf = (facts: {
  readonly mintable: boolean
  readonly freezable: boolean
  readonly top10: number
  readonly liquidity: number
  readonly ageMs: number
  readonly impostor: boolean
}): ReadonlyArray<string> => {
  const flags: Array<string> = []
  if (facts.mintable) flags.push("mintable")
  if (facts.freezable) flags.push("freezable")
  if (facts.top10 > concentratedPct) flags.push("concentrated")
  if (facts.liquidity < lowLiquidityUsd) flags.push("low_liquidity")
  if (facts.ageMs < youngMs) flags.push("young")
  if (facts.impostor) flags.push("impostor")
  return flags
}

/** The real token of a coin. */
export const realToken = (world: World, market: CoinMarket, time: number): TokenDetails => {
  const { spec } = market
  const key = world.key(`token ${spec.coin}`)
  const priceUsd = market.price(time)
  const years = (time - from2026) / yearMs
  const locked = spec.maxSupply === null ? 0.03 + 0.1 * uniform(key, 0) : 1 - spec.supply / spec.maxSupply
  const circulatingSupply = supplyAt(world, market, time)
  const totalSupply = digits(
    spec.isStablecoin || isMined(spec)
      ? circulatingSupply
      : spec.maxSupply === null
      ? circulatingSupply * (isNative(spec) ? 1 : 1 + locked)
      : circulatingSupply + 0.5 * locked * spec.maxSupply,
    12
  )
  const chain = chainOf(spec)
  const liquidity = Math.round(liquidityUsd(world, market, time))
  const popularity = 900 * (spec.supply * spec.price / 1e6) ** 0.72 * (spec.sector === "meme" ? 2.2 : 1)
  const top10 = (usualTop10[spec.sector] ?? 30) * Math.exp(0.25 * normal(key, 2))
    * Math.exp(-0.04 * years + 0.03 * stationaryNoise(key, time, dayMs, 128 * dayMs))
  const top10SharePct = Math.round(100 * Math.min(85, top10)) / 100
  return {
    symbol: spec.coin,
    coin: spec.coin,
    name: spec.name,
    chain,
    address: isNative(spec) ? "native" : addressOn(chain, key, 8),
    liquidityUsd: liquidity,
    time,
    priceUsd,
    circulatingSupply,
    totalSupply,
    maxSupply: spec.maxSupply,
    fdvUsd: Math.round(priceUsd * (spec.maxSupply ?? totalSupply)),
    holders: Math.round(
      popularity * Math.exp(0.4 * normal(key, 1) + 0.16 * years + 0.01 * stationaryNoise(key, time, dayMs, 64 * dayMs))
    ),
    top10SharePct,
    flags: flagsOf({
      mintable: !isNative(spec) && spec.maxSupply === null,
      freezable: spec.coin === "USDT" || spec.coin === "USDC",
      top10: top10SharePct,
      liquidity,
      ageMs: time - market.listedAt,
      impostor: false
    }),
    unchecked: []
  }
}

/** The number of weeks that an impostor trades, and the probability of a new one per coin and week. */
const lifeWeeks = 16
const chanceOf = (sector: string): number => sector === "meme" ? 0.5 : sector === "stablecoin" ? 0.08 : 0.14

const suffixes = [" 2.0", " Classic", " Inu", " AI", " Gold", " Pro", " X", " Official", " DAO", " Reborn"]
const prefixes = ["Baby ", "Mini ", "Wrapped ", "New ", "Real ", "Super "]

/** The impostor that appeared in one week. Undefined if no such impostor exists at `time`. */
const impostor = (world: World, market: CoinMarket, week: number, time: number): TokenDetails | undefined => {
  const { spec } = market
  const key = derive(world.key(`impostors ${spec.coin}`), week, 0)
  if (uniform(key, 0) >= chanceOf(spec.sector)) return undefined
  const createdAt = week * weekMs + Math.floor(weekMs * uniform(key, 1))
  if (createdAt > time || createdAt < market.listedAt) return undefined
  const ageMs = time - createdAt
  const chain = integer(key, 2, 3) === 0
    ? "bsc"
    : chainOf(spec) === "solana" || integer(key, 3, 2) === 0
    ? "solana"
    : dexesOf(spec).chain
  const same = uniform(key, 4) < 0.55
  const name = same
    ? spec.name
    : uniform(key, 5) < 0.5
    ? `${prefixes[integer(key, 6, prefixes.length)]!}${spec.name}`
    : `${spec.name}${suffixes[integer(key, 6, suffixes.length)]!}`
  const symbol = same || uniform(key, 7) < 0.3
    ? spec.coin
    : `${spec.coin}${["2", "X", "AI", "INU"][integer(key, 8, 4)]!}`
  // An impostor begins with little liquidity, which decreases over the weeks.
  const liquidity = Math.round(
    40_000 * Math.exp(
      1.2 * normal(key, 9) - ageMs / (5 * weekMs)
        + 0.2 * stationaryNoise(key, time, dayMs / 4, 16 * dayMs)
    )
  )
  const totalSupply = 10 ** (8 + integer(key, 10, 5))
  const priceUsd = digits(
    250_000 / totalSupply *
      Math.exp(
        1.4 * normal(key, 11) - ageMs / (6 * weekMs) +
          0.5 * stationaryNoise(derive(key, 1, 0), time, 60_000, 32 * dayMs)
      ),
    6
  )
  const top10SharePct = Math.round(100 * (35 + 55 * uniform(key, 12))) / 100
  return {
    symbol,
    coin: null,
    name,
    chain,
    address: addressOn(chain, key, 32),
    liquidityUsd: liquidity,
    time,
    priceUsd,
    circulatingSupply: totalSupply,
    totalSupply,
    maxSupply: uniform(key, 13) < 0.5 ? totalSupply : null,
    fdvUsd: Math.round(priceUsd * totalSupply),
    holders: Math.round(40 + 900 * uniform(key, 14) * (1 - Math.exp(-ageMs / (2 * weekMs)))),
    top10SharePct,
    flags: flagsOf({
      mintable: uniform(key, 15) < 0.4,
      freezable: uniform(key, 16) < 0.3,
      top10: top10SharePct,
      liquidity,
      ageMs,
      impostor: true
    }),
    unchecked: []
  }
}

/** All tokens at a time: those of the listed coins, then impostors. */
export const allTokens = (world: World, time: number): ReadonlyArray<TokenDetails> => {
  const markets = world.markets.filter((market) => market.listedAt <= time)
  const week = Math.floor(time / weekMs)
  return [
    ...markets.map((market) => realToken(world, market, time)),
    ...markets.flatMap((market) =>
      Array.from({ length: lifeWeeks }, (_, i) => impostor(world, market, week - i, time)).filter((found) =>
        found !== undefined
      )
    )
  ]
}

const asToken = ({ symbol, coin, name, chain, address, liquidityUsd: liquidity }: TokenDetails): Token => ({
  symbol,
  coin,
  name,
  chain,
  address,
  liquidityUsd: liquidity
})

/**
 * The tokens whose name or ticker contains the text, without regard to case, or whose address equals it. The most
 * liquid token is first.
 */
export const searchTokens = (world: World, text: string, limit: number, time: number): ReadonlyArray<Token> => {
  const wanted = text.trim().toLowerCase()
  if (wanted === "") return []
  return allTokens(world, time)
    .filter(({ symbol, name, address }) =>
      symbol.toLowerCase().includes(wanted) || name.toLowerCase().includes(wanted) || sameAddress(address, text.trim())
    )
    .sort((a, b) => (b.liquidityUsd ?? -1) - (a.liquidityUsd ?? -1))
    .slice(0, limit)
    .map(asToken)
}
