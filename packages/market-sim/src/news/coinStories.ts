import { dayMs, hourMs } from "@tapeline/core/market"
import type { CoinMarket, PriceMove } from "../coin/CoinMarket.ts"
import { deriveKey, drawUniform, type Key } from "../kernel/random.ts"
import { fillTemplate, pickRandom, type TemplateValues } from "../kernel/templates.ts"
import { getOperations } from "../token/supply.ts"
import type { World } from "../world.ts"
import {
  closeSentences,
  closeTitles,
  liquidationSentences,
  liquidationTitle,
  listing,
  moveBodies,
  moveTitles,
  treasury
} from "./phrases/coins.ts"
import { drawDelayMs, drawLanguage, formatPercent, formatPrice, formatUsd, type Story, toSentiment } from "./story.ts"

/**
 * The minimum size of a four-hour price move that causes a story. The unit is the standard deviation of a typical
 * four-hour move.
 */
const minMoveDeviations = 2.6
const moveWindowMs = 4 * hourMs

const formatClock = (time: number): string => new Date(time).toISOString().slice(11, 16)

const formatRoundPrice = (price: number): string => {
  const step = 10 ** Math.floor(Math.log10(price)) / 20
  return formatPrice(Number((Math.round(price / step) * step).toPrecision(8)))
}

const makeMoveStory = (world: World, market: CoinMarket, move: PriceMove, key: Key): Story => {
  const { coin, name, sector, dailySd, dailyVolumeUsd } = market.spec
  const language = drawLanguage(key, 1)
  const isUp = move.change > 0
  const size = move.to / move.from - 1
  const bitcoin = world.coin("BTC")!
  const btc = Math.exp(bitcoin.logPrice(move.endAt) - bitcoin.logPrice(move.time)) - 1
  const volume = market.totals(move.time, move.endAt)?.quoteVolume ?? 0
  const values: TemplateValues = {
    coin,
    name,
    sector,
    pct: formatPercent(size),
    before: formatPrice(move.from),
    price: formatPrice(move.to),
    level: formatRoundPrice(move.to),
    from: formatClock(move.time),
    to: formatClock(move.endAt),
    volume: formatUsd(volume),
    ratio: (volume / (dailyVolumeUsd / 6)).toFixed(1),
    btc: formatPercent(btc),
    went: isUp
      ? pickRandom(["rose", "gained", "rallied"], key, 2)
      : pickRandom(["fell", "dropped", "declined"], key, 2),
    moved: isUp ? "climbing" : "sliding",
    wentKo: isUp ? "상승했다" : "하락했다",
    wentRu: isUp ? "вырос" : "упал",
    btcWent: btc > 0 ? "gained" : "lost",
    btcKo: btc > 0 ? "올랐다" : "내렸다",
    btcRu: btc > 0 ? "вырос" : "снизился"
  }
  const bodies = moveBodies[language].filter((sentence) => coin !== "BTC" || !sentence.includes("{btc}"))
  return {
    time: move.endAt + drawDelayMs(key, 0),
    language,
    coins: [coin],
    symbols: [],
    sentiment: toSentiment(move.change / dailySd * 0.8),
    title: fillTemplate(pickRandom(moveTitles[language][isUp ? "up" : "down"], key, 3), values, key, 10),
    body: bodies.map((sentence, i) => fillTemplate(sentence, values, key, 20 + 8 * i)).join(" "),
    key
  }
}

/** Creates stories about large price moves that ended in `[from, to)`. */
export const makeMoveStories = (world: World, from: number, to: number): ReadonlyArray<Story> =>
  world.markets.flatMap((market) => {
    if (market.spec.isStablecoin) return []
    const typical = market.spec.dailySd / Math.sqrt(6)
    return market.findMoves("4h", from - moveWindowMs, to, minMoveDeviations * typical)
      .filter(({ endAt }) => endAt >= from && endAt < to)
      .map((move) =>
        makeMoveStory(
          world,
          market,
          move,
          deriveKey(world.getKey(`news moves ${market.spec.coin}`), Math.floor(move.time / hourMs), 0)
        )
      )
  })

/** Creates the story about a day's close, published shortly after midnight UTC. */
export const makeDailyCloseStory = (world: World, day: number): Story => {
  const key = deriveKey(world.getKey("news wrap"), day, 0)
  const end = day * dayMs
  const moves = world.markets
    .filter(({ spec, listedAt }) => !spec.isStablecoin && listedAt <= end - dayMs)
    .map((market) => ({
      name: market.spec.name,
      change: Math.exp(market.logPrice(end) - market.logPrice(end - dayMs)) - 1
    }))
    .sort((a, b) => b.change - a.change)
  const getDayReturn = (coin: string): number => {
    const market = world.coin(coin)!
    return Math.exp(market.logPrice(end) - market.logPrice(end - dayMs)) - 1
  }
  const btc = getDayReturn("BTC")
  const eth = getDayReturn("ETH")
  const formatSignedPercent = (x: number): string => `${x < 0 ? "-" : "+"}${formatPercent(x)}`
  const best = moves[0]!
  const worst = moves.at(-1)!
  const values: TemplateValues = {
    btc: formatPercent(btc),
    btcWent: btc > 0 ? "gained" : "lost",
    eth: formatPercent(eth),
    ethWent: eth > 0 ? "gained" : "lost",
    price: formatPrice(world.coin("BTC")!.price(end)),
    count: String(moves.length),
    rising: String(moves.filter(({ change }) => change > 0).length),
    best: best.name,
    bestPct: formatSignedPercent(best.change),
    worst: worst.name,
    worstPct: formatSignedPercent(worst.change),
    volume: formatUsd(world.coin("BTC")!.totals(end - dayMs, end)?.quoteVolume ?? 0)
  }
  return {
    time: end + drawDelayMs(key, 0),
    language: "en",
    coins: ["BTC", "ETH"],
    symbols: [],
    sentiment: toSentiment((btc + eth) / 0.06),
    title: fillTemplate(closeTitles[btc > 0 ? "up" : "down"], values, key, 10),
    body: closeSentences.map((sentence, i) => fillTemplate(sentence, values, key, 20 + 5 * i)).join(" "),
    key
  }
}

/** The minimum value of an hour's liquidations that causes a story, as a fraction of a typical day's volume. */
const minLiquidationShare = 0.004

/** Creates stories about large liquidations of BTC, ETH or SOL in an hour that ended in `[from, to)`. */
export const makeLiquidationStories = (world: World, from: number, to: number): ReadonlyArray<Story> =>
  ["BTC", "ETH", "SOL"].flatMap((coin) => {
    const market = world.coin(coin)!
    const stories: Array<Story> = []
    for (let end = Math.ceil(from / hourMs) * hourMs; end < to; end += hourMs) {
      if (end - hourMs < market.listedAt) continue
      const usd = world.liquidations.hourUsd(market, end - hourMs)
      if (usd < minLiquidationShare * market.spec.dailyVolumeUsd) continue
      const key = deriveKey(world.getKey(`news liquidations ${coin}`), Math.floor(end / hourMs), 0)
      const change = market.logPrice(end) - market.logPrice(end - hourMs)
      const side = change < 0 ? "long" : "short"
      const values: TemplateValues = {
        coin,
        name: market.spec.name,
        usd: formatUsd(usd),
        side,
        price: formatPrice(market.price(end)),
        pct: formatPercent(Math.expm1(change))
      }
      stories.push({
        time: end + drawDelayMs(key, 0),
        language: "en",
        coins: [coin],
        symbols: [],
        sentiment: toSentiment(change / market.spec.dailySd * 1.5),
        title: fillTemplate(liquidationTitle, values, key, 10),
        body: liquidationSentences.map((sentence, i) => fillTemplate(sentence, values, key, 20 + 5 * i)).join(" "),
        key
      })
    }
    return stories
  })

/** Creates stories about markets that Korean exchanges opened with `from <= listedAt < to`. */
export const makeListingStories = (world: World, from: number, to: number): ReadonlyArray<Story> =>
  world.korea.getListings(from, to).map(({ coin, exchange, listedAt }) => {
    const { name } = world.coin(coin)!.spec
    const key = deriveKey(world.getKey(`news listing ${coin}`), Math.floor(listedAt / hourMs), 0)
    const language = drawUniform(key, 1) < 0.6 ? "ko" : "en"
    const exchangeNames = exchange === "upbit"
      ? { en: "Upbit", ko: "업비트", subject: "업비트가" }
      : { en: "Bithumb", ko: "빗썸", subject: "빗썸이" }
    const values: TemplateValues = { coin, name, exchange: exchangeNames[language], subject: exchangeNames.subject }
    return {
      time: listedAt + drawDelayMs(key, 0),
      language,
      coins: [coin],
      symbols: [],
      sentiment: 0.45,
      title: fillTemplate(listing[language].title, values, key, 10),
      body: fillTemplate(listing[language].body, values, key, 20),
      key
    }
  })

/** The minimum size of a stablecoin mint or burn for a story, in USD. */
const minOperationUsd = 250e6

/** Creates stories about mints and burns of stablecoins in `[from, to)`. */
export const makeTreasuryStories = (world: World, from: number, to: number): ReadonlyArray<Story> =>
  ["USDT", "USDC"].flatMap((coin) => {
    const market = world.coin(coin)!
    const days = [Math.floor(from / dayMs), Math.floor((to - 1) / dayMs)]
    return [...new Set(days)]
      .flatMap((day) => getOperations(world, market, day))
      .filter(({ time, amount }) => time >= from && time < to && Math.abs(amount) >= minOperationUsd)
      .map(({ time, amount }): Story => {
        const key = deriveKey(world.getKey(`news treasury ${coin}`), Math.floor(time / 1000), 0)
        const templates = treasury[amount > 0 ? "minted" : "burned"]
        const values: TemplateValues = { coin, name: market.spec.name, usd: formatUsd(Math.abs(amount)) }
        return {
          time: time + drawDelayMs(key, 0),
          language: "en",
          coins: [coin],
          symbols: [],
          sentiment: amount > 0 ? 0.2 : -0.15,
          title: fillTemplate(templates.title, values, key, 10),
          body: fillTemplate(templates.body, values, key, 20),
          key
        }
      })
  })
