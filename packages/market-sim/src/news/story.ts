/** A story is an article without a publisher. */
import { drawInteger, drawUniform, type Key } from "../kernel/random.ts"

export type NewsLanguage = "en" | "ko" | "ru"

export interface Story {
  readonly time: number
  readonly language: NewsLanguage
  readonly coins: ReadonlyArray<string>
  readonly symbols: ReadonlyArray<string>
  readonly sentiment: number
  readonly title: string
  readonly body: string
  /** The key of the random numbers that choose the publisher and the wording of the story. */
  readonly key: Key
}

/** Returns the delay from an event to its story in milliseconds: 3 to 53 minutes, mostly short. */
export const drawDelayMs = (key: Key, slot: number): number =>
  Math.floor(60_000 * (3 + 50 * drawUniform(key, slot) ** 2.5))

/** Returns the language of a story about world markets, which is English for two in three stories. */
export const drawLanguage = (key: Key, slot: number): NewsLanguage => {
  const u = drawUniform(key, slot)
  return u < 0.66 ? "en" : u < 0.87 ? "ko" : "ru"
}

export const toSentiment = (x: number): number => Math.round(1000 * Math.tanh(x)) / 1000

export const formatUsd = (x: number): string =>
  x >= 1e12
    ? `$${(x / 1e12).toFixed(2)} trillion`
    : x >= 1e9
    ? `$${(x / 1e9).toFixed(1)} billion`
    : `$${(x / 1e6).toFixed(1)} million`

export const formatPrice = (price: number): string =>
  price >= 1000 ? `$${Math.round(price).toLocaleString("en-US")}` : `$${Number(price.toPrecision(4))}`

export const formatPercent = (fraction: number): string => `${Math.abs(100 * fraction).toFixed(1)}%`

export const drawSample = <A>(list: ReadonlyArray<A>, count: number, key: Key, slot: number): ReadonlyArray<A> => {
  const remaining = [...list]
  const drawn: Array<A> = []
  while (drawn.length < count && remaining.length > 0) {
    drawn.push(...remaining.splice(drawInteger(key, slot + drawn.length, remaining.length), 1))
  }
  return drawn
}
