/** Features: one to five a day, on a topic of `phrases/topics.ts`. */
import { dayMs, hourMs } from "@tapeline/core/market"
import { fill, pick } from "../kernel/grammar.ts"
import { derive, integer, normal, uniform } from "../kernel/random.ts"
import type { World } from "../world.ts"
import { topics } from "./phrases/topics.ts"
import { sample, type Story, toneOf } from "./story.ts"

const mostPerDay = 5

/** The features of a day, written between 05:00 and 22:00 UTC. */
export const featureStories = (world: World, day: number): ReadonlyArray<Story> => {
  const draws = derive(world.key("news features"), day, 0)
  return Array.from({ length: 1 + integer(draws, 0, mostPerDay) }, (_, i): Story => {
    const key = derive(draws, i + 1, 1)
    const topic = pick(topics, key, 1)
    const time = day * dayMs + Math.floor((5 + 17 * uniform(key, 0)) * hourMs)
    const known = topic.coins.filter((coin) => (world.coin(coin)?.listedAt ?? Infinity) < time)
    const market = known.length === 0 ? undefined : world.coin(pick(known, key, 2))!
    const values = { name: market?.spec.name ?? "", coin: market?.spec.coin ?? "" }
    const sentences = sample(topic.sentences, topic.language === "en" ? 3 + integer(key, 3, 2) : 3, key, 4)
    // The sentences keep the order of the topic.
    const ordered = topic.sentences.filter((sentence) => sentences.includes(sentence))
    return {
      time,
      language: topic.language,
      coins: market === undefined ? [] : [market.spec.coin],
      symbols: [],
      sentiment: toneOf(topic.sentiment + 0.12 * normal(key, 8)),
      title: fill(pick(topic.titles, key, 9), values, key, 20),
      body: ordered.map((sentence, at) => fill(sentence, values, key, 30 + 6 * at)).join(" "),
      key
    }
  })
}
