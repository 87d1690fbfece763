import { dayMs, hourMs } from "@tapeline/core/market"
import type { CoinMarket } from "../coin/CoinMarket.ts"
import { drawInteger, drawUniform, type Key } from "../kernel/random.ts"
import { fillTemplate, pickRandom, type TemplateValues } from "../kernel/templates.ts"
import type { Campaign } from "./campaigns.ts"
import { campaignScripts, headlines, phrases, type PostLanguage, type Tone } from "./phrases.ts"

/**
 * The fraction of posts that repeat a headline. `base` applies to usual attention, and `perAttention` is added for each
 * unit of additional attention.
 */
const headlineShare = { base: 0.03, perAttention: 0.025 }

const formatPrice = (price: number): string =>
  price >= 1000 ? `$${Math.round(price).toLocaleString("en-US")}` : `$${Number(price.toPrecision(4))}`

const formatRoundPrice = (price: number): string => {
  const step = 10 ** Math.floor(Math.log10(price)) / 20
  return formatPrice(Number((Math.round(price / step) * step).toPrecision(8)))
}

const pickTag = (market: CoinMarket, key: Key, slot: number): string => {
  const { coin, name } = market.spec
  return pickRandom([`$${coin}`, coin, name, name.toLowerCase(), `#${coin}`, `$${coin}`], key, slot)
}

const getTemplateValues = (market: CoinMarket, time: number): TemplateValues => {
  const at = Math.max(time, market.listedAt)
  const price = market.price(at)
  const before = market.price(Math.max(market.listedAt, at - dayMs))
  const change = 100 * (price / before - 1)
  return {
    name: market.spec.name,
    price: formatPrice(price),
    level: formatRoundPrice(price),
    pct: `${Math.abs(change).toFixed(1)}%`
  }
}

/** Returns the text of a person's post about a coin. The usual `attention` is 1. */
export const makePersonalText = (
  market: CoinMarket,
  hour: number,
  attention: number,
  tone: Tone,
  language: PostLanguage,
  key: Key
): string => {
  const values = getTemplateValues(market, hour * hourMs)
  if (drawUniform(key, 8) < headlineShare.base + headlineShare.perAttention * (attention - 1)) {
    return fillTemplate(headlines[language][drawInteger(key, 9, 2)]!, values, key, 40)
  }
  const { openers, statements, endings } = phrases[language]
  const opener = drawUniform(key, 10) < 0.35 ? `${pickRandom(openers, key, 11)} ` : ""
  const statement = pickRandom(statements[tone], key, 12)
  const ending = pickRandom(endings, key, 13)
  const text = fillTemplate(
    `${opener}${statement}${ending === "" ? "" : ` ${ending}`}`,
    { ...values, tag: pickTag(market, key, 14) },
    key,
    40
  )
  return drawUniform(key, 15) < 0.4 ? text : `${text.charAt(0).toUpperCase()}${text.slice(1)}`
}

const decorations = ["", "", " 🚀", " 🔥🔥", "!!", "!", " 👀", " ✅", "...", " 💯"]

/** Returns one copy of a campaign's script, which differs from other copies in a few words. */
export const makeCampaignText = (
  market: CoinMarket,
  { key: campaignKey, goal, language, concealment }: Campaign,
  key: Key
): string => {
  const scripts = campaignScripts[language][goal]
  // A campaign uses a few scripts, and makes the choices in square brackets once per script.
  const variant = Math.floor((2 + 6 * concealment) * drawUniform(key, 10) ** 1.6)
  const script = pickRandom(scripts, campaignKey, 20 + variant)
  const { coin } = market.spec
  const scriptText = fillTemplate(
    script,
    { tag: pickRandom([`$${coin}`, `#${coin}`, coin], key, 11) },
    campaignKey,
    60 + 20 * variant
  )
  let slot = 40
  // Most copies use the first word of each choice, and the other copies use different words.
  const editedText = scriptText.replace(/<([^>]*)>/gu, (_, options: string) => {
    const words = options.split("/")
    return drawUniform(key, slot++) < 0.6 ? words[0]! : pickRandom(words, key, slot++)
  })
  const prefix = drawUniform(key, 12) < 0.15 ? pickRandom(["🚨 ", "ATTN: ", ">> "], key, 13) : ""
  return `${prefix}${editedText}${pickRandom(decorations, key, 14)}${drawUniform(key, 15) < 0.3 ? ` #${coin}` : ""}`
}
