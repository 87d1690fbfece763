/** Stories about coins: past moves, the day's close, liquidations, listings, treasuries. */
import { dayMs, hourMs } from "@tapeline/core/market"
import type { CoinMarket, Move } from "../coin/CoinMarket.ts"
import { fill, pick, type Values } from "../kernel/grammar.ts"
import { derive, type Key, uniform } from "../kernel/random.ts"
import { operationsOf } from "../token/stablecoins.ts"
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
import { delayMs, money, percent, priceText, type Story, toneOf, worldLanguage } from "./story.ts"

/** The minimum four-hour move for a story, in usual deviations. */
const newsworthy = 2.6
const spanMs = 4 * hourMs

const clock = (time: number): string => new Date(time).toISOString().slice(11, 16)

/** A round price near another price. */
const levelText = (price: number): string => {
  const step = 10 ** Math.floor(Math.log10(price)) / 20
  return priceText(Number((Math.round(price / step) * step).toPrecision(8)))
}

const moveStory = (world: World, market: CoinMarket, move: Move, key: Key): Story => {
  const { coin, name, sector, dailySd, dailyVolumeUsd } = market.spec
  const language = worldLanguage(key, 1)
  const up = move.change > 0
  const size = move.to / move.from - 1
  const bitcoin = world.coin("BTC")!
  const btc = Math.exp(bitcoin.logPrice(move.endAt) - bitcoin.logPrice(move.time)) - 1
  const volume = market.totals(move.time, move.endAt)?.quoteVolume ?? 0
  const values: Values = {
    coin,
    name,
    sector,
    pct: percent(size),
    before: priceText(move.from),
    price: priceText(move.to),
    level: levelText(move.to),
    from: clock(move.time),
    to: clock(move.endAt),
    volume: money(volume),
    ratio: (volume / (dailyVolumeUsd / 6)).toFixed(1),
    btc: percent(btc),
    went: up ? pick(["rose", "gained", "rallied"], key, 2) : pick(["fell", "dropped", "declined"], key, 2),
    moved: up ? "climbing" : "sliding",
    wentKo: up ? "상승했다" : "하락했다",
    wentRu: up ? "вырос" : "упал",
    btcWent: btc > 0 ? "gained" : "lost",
    btcKo: btc > 0 ? "올랐다" : "내렸다",
    btcRu: btc > 0 ? "вырос" : "снизился"
  }
  const bodies = moveBodies[language].filter((sentence) => coin !== "BTC" || !sentence.includes("{btc}"))
  return {
    time: move.endAt + delayMs(key, 0),
    language,
    coins: [coin],
    symbols: [],
    sentiment: toneOf(move.change / dailySd * 0.8),
    title: fill(pick(moveTitles[language][up ? "up" : "down"], key, 3), values, key, 10),
    body: bodies.map((sentence, i) => fill(sentence, values, key, 20 + 8 * i)).join(" "),
    key
  }
}

/** Stories about moves whose windows closed with `from <= end < to`. */
export const moveStories = (world: World, from: number, to: number): ReadonlyArray<Story> =>
  world.markets.flatMap((market) => {
    if (market.spec.isStablecoin) return []
    const typical = market.spec.dailySd / Math.sqrt(6)
    return market.moves("4h", from - spanMs, to, newsworthy * typical)
      .filter(({ endAt }) => endAt >= from && endAt < to)
      .map((move) =>
        moveStory(
          world,
          market,
          move,
          derive(world.key(`news moves ${market.spec.coin}`), Math.floor(move.time / hourMs), 0)
        )
      )
  })

/** The story of a day's close, shortly after midnight UTC. */
export const wrapStory = (world: World, day: number): Story => {
  const key = derive(world.key("news wrap"), day, 0)
  const end = day * dayMs
  const moves = world.markets
    .filter(({ spec, listedAt }) => !spec.isStablecoin && listedAt <= end - dayMs)
    .map((market) => ({
      name: market.spec.name,
      change: Math.exp(market.logPrice(end) - market.logPrice(end - dayMs)) - 1
    }))
    .sort((a, b) => b.change - a.change)
  const of = (coin: string): number => {
    const market = world.coin(coin)!
    return Math.exp(market.logPrice(end) - market.logPrice(end - dayMs)) - 1
  }
  const btc = of("BTC")
  const eth = of("ETH")
  const signed = (x: number): string => `${x < 0 ? "-" : "+"}${percent(x)}`
  const best = moves[0]!
  const worst = moves.at(-1)!
  const values: Values = {
    btc: percent(btc),
    btcWent: btc > 0 ? "gained" : "lost",
    eth: percent(eth),
    ethWent: eth > 0 ? "gained" : "lost",
    price: priceText(world.coin("BTC")!.price(end)),
    count: String(moves.length),
    rising: String(moves.filter(({ change }) => change > 0).length),
    best: best.name,
    bestPct: signed(best.change),
    worst: worst.name,
    worstPct: signed(worst.change),
    volume: money(world.coin("BTC")!.totals(end - dayMs, end)?.quoteVolume ?? 0)
  }
  return {
    time: end + delayMs(key, 0),
    language: "en",
    coins: ["BTC", "ETH"],
    symbols: [],
    sentiment: toneOf((btc + eth) / 0.06),
    title: fill(closeTitles[btc > 0 ? "up" : "down"], values, key, 10),
    body: closeSentences.map((sentence, i) => fill(sentence, values, key, 20 + 5 * i)).join(" "),
    key
  }
}

/** The minimum liquidated value in an hour for a story, as a share of a usual day's volume. */
const cascadeShare = 0.004

/** Stories about hours of large liquidations that ended with `from <= end < to`, for the three largest markets. */
export const liquidationStories = (world: World, from: number, to: number): ReadonlyArray<Story> =>
  ["BTC", "ETH", "SOL"].flatMap((coin) => {
    const market = world.coin(coin)!
    const stories: Array<Story> = []
    for (let end = Math.ceil(from / hourMs) * hourMs; end < to; end += hourMs) {
      if (end - hourMs < market.listedAt) continue
      const usd = world.liquidations.hourUsd(market, end - hourMs)
      if (usd < cascadeShare * market.spec.dailyVolumeUsd) continue
      const key = derive(world.key(`news liquidations ${coin}`), Math.floor(end / hourMs), 0)
      const change = market.logPrice(end) - market.logPrice(end - hourMs)
      const side = change < 0 ? "long" : "short"
      const values: Values = {
        coin,
        name: market.spec.name,
        usd: money(usd),
        side,
        price: priceText(market.price(end)),
        pct: percent(Math.expm1(change))
      }
      stories.push({
        time: end + delayMs(key, 0),
        language: "en",
        coins: [coin],
        symbols: [],
        sentiment: toneOf(change / market.spec.dailySd * 1.5),
        title: fill(liquidationTitle, values, key, 10),
        body: liquidationSentences.map((sentence, i) => fill(sentence, values, key, 20 + 5 * i)).join(" "),
        key
      })
    }
    return stories
  })

/** Stories about markets that Korean exchanges opened with `from <= time < to`. */
export const listingStories = (world: World, from: number, to: number): ReadonlyArray<Story> =>
  world.korea.listings(from, to).map(({ coin, exchange, listedAt }) => {
    const { name } = world.coin(coin)!.spec
    const key = derive(world.key(`news listing ${coin}`), Math.floor(listedAt / hourMs), 0)
    const language = uniform(key, 1) < 0.6 ? "ko" : "en"
    const shown = exchange === "upbit"
      ? { en: "Upbit", ko: "업비트", subject: "업비트가" }
      : { en: "Bithumb", ko: "빗썸", subject: "빗썸이" }
    const values: Values = { coin, name, exchange: shown[language], subject: shown.subject }
    return {
      time: listedAt + delayMs(key, 0),
      language,
      coins: [coin],
      symbols: [],
      sentiment: 0.45,
      title: fill(listing[language].title, values, key, 10),
      body: fill(listing[language].body, values, key, 20),
      key
    }
  })

/** The minimum size of a mint or burn for a story. */
const leastOperationUsd = 250e6

/** Stories about the operations of stablecoin treasuries in `[from, to)`. */
export const treasuryStories = (world: World, from: number, to: number): ReadonlyArray<Story> =>
  ["USDT", "USDC"].flatMap((coin) => {
    const market = world.coin(coin)!
    const days = [Math.floor(from / dayMs), Math.floor((to - 1) / dayMs)]
    return [...new Set(days)]
      .flatMap((day) => operationsOf(world, market, day))
      .filter(({ time, amount }) => time >= from && time < to && Math.abs(amount) >= leastOperationUsd)
      .map(({ time, amount }): Story => {
        const key = derive(world.key(`news treasury ${coin}`), Math.floor(time / 1000), 0)
        const told = treasury[amount > 0 ? "minted" : "burned"]
        const values: Values = { coin, name: market.spec.name, usd: money(Math.abs(amount)) }
        return {
          time: time + delayMs(key, 0),
          language: "en",
          coins: [coin],
          symbols: [],
          sentiment: amount > 0 ? 0.2 : -0.15,
          title: fill(told.title, values, key, 10),
          body: fill(told.body, values, key, 20),
          key
        }
      })
  })
