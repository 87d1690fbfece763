/** Simulates the tokens of the listed coins, and impostor tokens that use similar names for a few months. */
import { dayMs, type Token, type TokenDetails, weekMs } from "@tapeline/core/market"
import type { CoinMarket } from "../coin/CoinMarket.ts"
import { stationaryNoise } from "../kernel/noise.ts"
import { deriveKey, drawInteger, drawNormal, drawUniform } from "../kernel/random.ts"
import type { World } from "../world.ts"
import { isSameAddress, makeAddress } from "./addresses.ts"
import { getChain, getDexes, isMined, isNative } from "./chains.ts"
import { getLiquidityUsd } from "./pools.ts"
import { getSupply } from "./supply.ts"

const yearMs = 365 * dayMs
const startOf2026 = Date.UTC(2026, 0, 1)
/** The age below which a token has the flag `young`. */
const youngTokenMs = 60 * dayMs
const lowLiquidityUsd = 250_000
const concentratedThresholdPct = 40

const toSignificantDigits = (x: number, count: number): number => Number(x.toPrecision(count))

/** The percentage of a typical token that the ten largest wallets hold, by sector. */
const usualTop10SharePct: Readonly<Record<string, number>> = {
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

const makeFlags = (facts: {
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
  if (facts.top10 > concentratedThresholdPct) flags.push("concentrated")
  if (facts.liquidity < lowLiquidityUsd) flags.push("low_liquidity")
  if (facts.ageMs < youngTokenMs) flags.push("young")
  if (facts.impostor) flags.push("impostor")
  return flags
}

export const makeRealToken = (world: World, market: CoinMarket, time: number): TokenDetails => {
  const { spec } = market
  const key = world.getKey(`token ${spec.coin}`)
  const priceUsd = market.price(time)
  const years = (time - startOf2026) / yearMs
  const lockedShare = spec.maxSupply === null ? 0.03 + 0.1 * drawUniform(key, 0) : 1 - spec.supply / spec.maxSupply
  const circulatingSupply = getSupply(world, market, time)
  const totalSupply = toSignificantDigits(
    spec.isStablecoin || isMined(spec)
      ? circulatingSupply
      : spec.maxSupply === null
      ? circulatingSupply * (isNative(spec) ? 1 : 1 + lockedShare)
      : circulatingSupply + 0.5 * lockedShare * spec.maxSupply,
    12
  )
  const chain = getChain(spec)
  const liquidity = Math.round(getLiquidityUsd(world, market, time))
  const popularity = 900 * (spec.supply * spec.price / 1e6) ** 0.72 * (spec.sector === "meme" ? 2.2 : 1)
  const top10 = (usualTop10SharePct[spec.sector] ?? 30) * Math.exp(0.25 * drawNormal(key, 2))
    * Math.exp(-0.04 * years + 0.03 * stationaryNoise(key, time, dayMs, 128 * dayMs))
  const top10SharePct = Math.round(100 * Math.min(85, top10)) / 100
  return {
    symbol: spec.coin,
    coin: spec.coin,
    name: spec.name,
    chain,
    address: isNative(spec) ? "native" : makeAddress(chain, key, 8),
    liquidityUsd: liquidity,
    time,
    priceUsd,
    circulatingSupply,
    totalSupply,
    maxSupply: spec.maxSupply,
    fdvUsd: Math.round(priceUsd * (spec.maxSupply ?? totalSupply)),
    holders: Math.round(
      popularity *
        Math.exp(0.4 * drawNormal(key, 1) + 0.16 * years + 0.01 * stationaryNoise(key, time, dayMs, 64 * dayMs))
    ),
    top10SharePct,
    flags: makeFlags({
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

/** The number of weeks for which an impostor token exists. */
const impostorLifeWeeks = 16
const getImpostorProbability = (sector: string): number =>
  sector === "meme" ? 0.5 : sector === "stablecoin" ? 0.08 : 0.14

const nameSuffixes = [" 2.0", " Classic", " Inu", " AI", " Gold", " Pro", " X", " Official", " DAO", " Reborn"]
const namePrefixes = ["Baby ", "Mini ", "Wrapped ", "New ", "Real ", "Super "]

/** Returns the impostor token that appeared in a given week, or undefined if no impostor exists at `time`. */
const impostor = (world: World, market: CoinMarket, week: number, time: number): TokenDetails | undefined => {
  const { spec } = market
  const key = deriveKey(world.getKey(`impostors ${spec.coin}`), week, 0)
  if (drawUniform(key, 0) >= getImpostorProbability(spec.sector)) return undefined
  const createdAt = week * weekMs + Math.floor(weekMs * drawUniform(key, 1))
  if (createdAt > time || createdAt < market.listedAt) return undefined
  const ageMs = time - createdAt
  const chain = drawInteger(key, 2, 3) === 0
    ? "bsc"
    : getChain(spec) === "solana" || drawInteger(key, 3, 2) === 0
    ? "solana"
    : getDexes(spec).chain
  const usesExactName = drawUniform(key, 4) < 0.55
  const name = usesExactName
    ? spec.name
    : drawUniform(key, 5) < 0.5
    ? `${namePrefixes[drawInteger(key, 6, namePrefixes.length)]!}${spec.name}`
    : `${spec.name}${nameSuffixes[drawInteger(key, 6, nameSuffixes.length)]!}`
  const symbol = usesExactName || drawUniform(key, 7) < 0.3
    ? spec.coin
    : `${spec.coin}${["2", "X", "AI", "INU"][drawInteger(key, 8, 4)]!}`
  // An impostor token begins with little liquidity, which decreases over weeks.
  const liquidity = Math.round(
    40_000 * Math.exp(
      1.2 * drawNormal(key, 9) - ageMs / (5 * weekMs)
        + 0.2 * stationaryNoise(key, time, dayMs / 4, 16 * dayMs)
    )
  )
  const totalSupply = 10 ** (8 + drawInteger(key, 10, 5))
  const priceUsd = toSignificantDigits(
    250_000 / totalSupply *
      Math.exp(
        1.4 * drawNormal(key, 11) - ageMs / (6 * weekMs) +
          0.5 * stationaryNoise(deriveKey(key, 1, 0), time, 60_000, 32 * dayMs)
      ),
    6
  )
  const top10SharePct = Math.round(100 * (35 + 55 * drawUniform(key, 12))) / 100
  return {
    symbol,
    coin: null,
    name,
    chain,
    address: makeAddress(chain, key, 32),
    liquidityUsd: liquidity,
    time,
    priceUsd,
    circulatingSupply: totalSupply,
    totalSupply,
    maxSupply: drawUniform(key, 13) < 0.5 ? totalSupply : null,
    fdvUsd: Math.round(priceUsd * totalSupply),
    holders: Math.round(40 + 900 * drawUniform(key, 14) * (1 - Math.exp(-ageMs / (2 * weekMs)))),
    top10SharePct,
    flags: makeFlags({
      mintable: drawUniform(key, 15) < 0.4,
      freezable: drawUniform(key, 16) < 0.3,
      top10: top10SharePct,
      liquidity,
      ageMs,
      impostor: true
    }),
    unchecked: []
  }
}

/** Returns all tokens at a time: the tokens of the listed coins, then the impostor tokens. */
export const getAllTokens = (world: World, time: number): ReadonlyArray<TokenDetails> => {
  const markets = world.markets.filter((market) => market.listedAt <= time)
  const week = Math.floor(time / weekMs)
  return [
    ...markets.map((market) => makeRealToken(world, market, time)),
    ...markets.flatMap((market) =>
      Array.from({ length: impostorLifeWeeks }, (_, i) => impostor(world, market, week - i, time)).filter((found) =>
        found !== undefined
      )
    )
  ]
}

const toToken = ({ symbol, coin, name, chain, address, liquidityUsd: liquidity }: TokenDetails): Token => ({
  symbol,
  coin,
  name,
  chain,
  address,
  liquidityUsd: liquidity
})

/** Returns tokens whose name or symbol contains the text, or whose address equals the text, most liquid first. */
export const searchTokens = (world: World, text: string, limit: number, time: number): ReadonlyArray<Token> => {
  const searchText = text.trim().toLowerCase()
  if (searchText === "") return []
  return getAllTokens(world, time)
    .filter(({ symbol, name, address }) =>
      symbol.toLowerCase().includes(searchText) || name.toLowerCase().includes(searchText) ||
      isSameAddress(address, text.trim())
    )
    .sort((a, b) => (b.liquidityUsd ?? -1) - (a.liquidityUsd ?? -1))
    .slice(0, limit)
    .map(toToken)
}
