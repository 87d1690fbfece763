/** The texts of posts. */
import { dayMs, hourMs } from "@tapeline/core/market"
import type { CoinMarket } from "../coin/CoinMarket.ts"
import { fill, pick, type Values } from "../kernel/grammar.ts"
import { integer, type Key, uniform } from "../kernel/random.ts"
import type { Campaign } from "./campaigns.ts"
import { campaigns, headlines, phrases, type PostLanguage, type Tone } from "./phrases.ts"

/** The share of posts that repeat a headline word for word, and its increase per unit of additional attention. */
const headlineShare = { usual: 0.03, excited: 0.025 }

const priceText = (price: number): string =>
  price >= 1000 ? `$${Math.round(price).toLocaleString("en-US")}` : `$${Number(price.toPrecision(4))}`

/** A round price near another price. */
const levelText = (price: number): string => {
  const step = 10 ** Math.floor(Math.log10(price)) / 20
  return priceText(Number((Math.round(price / step) * step).toPrecision(8)))
}

const tagOf = (market: CoinMarket, key: Key, slot: number): string => {
  const { coin, name } = market.spec
  return pick([`$${coin}`, coin, name, name.toLowerCase(), `#${coin}`, `$${coin}`], key, slot)
}

const valuesAt = (market: CoinMarket, time: number): Values => {
  const at = Math.max(time, market.listedAt)
  const price = market.price(at)
  const before = market.price(Math.max(market.listedAt, at - dayMs))
  const change = 100 * (price / before - 1)
  return {
    name: market.spec.name,
    price: priceText(price),
    level: levelText(price),
    pct: `${Math.abs(change).toFixed(1)}%`
  }
}

/** The text that a person writes in an hour. An attention of 1 is usual. */
export const personalText = (
  market: CoinMarket,
  hour: number,
  attention: number,
  tone: Tone,
  language: PostLanguage,
  key: Key
): string => {
  const values = valuesAt(market, hour * hourMs)
  if (uniform(key, 8) < headlineShare.usual + headlineShare.excited * (attention - 1)) {
    return fill(headlines[language][integer(key, 9, 2)]!, values, key, 40)
  }
  const { openers, cores, tails } = phrases[language]
  const opener = uniform(key, 10) < 0.35 ? `${pick(openers, key, 11)} ` : ""
  const core = pick(cores[tone], key, 12)
  const tail = pick(tails, key, 13)
  const text = fill(
    `${opener}${core}${tail === "" ? "" : ` ${tail}`}`,
    { ...values, tag: tagOf(market, key, 14) },
    key,
    40
  )
  return uniform(key, 15) < 0.4 ? text : `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

const decorations = ["", "", " 🚀", " 🔥🔥", "!!", "!", " 👀", " ✅", "...", " 💯"]

/** One copy of a campaign's script. Only a few words differ between copies. */
export const campaignText = (
  market: CoinMarket,
  { key: campaign, aim, language, care }: Campaign,
  key: Key
): string => {
  const scripts = campaigns[language][aim]
  // A campaign uses a few scripts, whose main alternatives are chosen once.
  const variant = Math.floor((2 + 6 * care) * uniform(key, 10) ** 1.6)
  const script = pick(scripts, campaign, 20 + variant)
  const { coin } = market.spec
  const fixed = fill(script, { tag: pick([`$${coin}`, `#${coin}`, coin], key, 11) }, campaign, 60 + 20 * variant)
  let slot = 40
  // Most copies keep the first wording. In others some words are replaced.
  const edited = fixed.replace(/<([^>]*)>/gu, (_, options: string) => {
    const words = options.split("/")
    return uniform(key, slot++) < 0.6 ? words[0]! : pick(words, key, slot++)
  })
  const lead = uniform(key, 12) < 0.15 ? pick(["🚨 ", "ATTN: ", ">> "], key, 13) : ""
  return `${lead}${edited}${pick(decorations, key, 14)}${uniform(key, 15) < 0.3 ? ` #${coin}` : ""}`
}
