import { dayMs, hourMs } from "@tapeline/core/market"
import { deriveKey, drawInteger, drawNormal, drawUniform } from "../kernel/random.ts"
import { fillTemplate, pickRandom } from "../kernel/templates.ts"
import type { World } from "../world.ts"
import { topics } from "./phrases/topics.ts"
import { drawSample, type Story, toSentiment } from "./story.ts"

const maxPerDay = 5

/** Creates the feature stories of a day, published between 05:00 and 22:00 UTC. */
export const makeFeatureStories = (world: World, day: number): ReadonlyArray<Story> => {
  const draws = deriveKey(world.getKey("news features"), day, 0)
  return Array.from({ length: 1 + drawInteger(draws, 0, maxPerDay) }, (_, i): Story => {
    const key = deriveKey(draws, i + 1, 1)
    const topic = pickRandom(topics, key, 1)
    const time = day * dayMs + Math.floor((5 + 17 * drawUniform(key, 0)) * hourMs)
    const listedCoins = topic.coins.filter((coin) => (world.coin(coin)?.listedAt ?? Infinity) < time)
    const market = listedCoins.length === 0 ? undefined : world.coin(pickRandom(listedCoins, key, 2))!
    const values = { name: market?.spec.name ?? "", coin: market?.spec.coin ?? "" }
    const sentences = drawSample(topic.sentences, topic.language === "en" ? 3 + drawInteger(key, 3, 2) : 3, key, 4)
    // The selected sentences have the same order as in the topic.
    const sentencesInOrder = topic.sentences.filter((sentence) => sentences.includes(sentence))
    return {
      time,
      language: topic.language,
      coins: market === undefined ? [] : [market.spec.coin],
      symbols: [],
      sentiment: toSentiment(topic.sentiment + 0.12 * drawNormal(key, 8)),
      title: fillTemplate(pickRandom(topic.titles, key, 9), values, key, 20),
      body: sentencesInOrder.map((sentence, at) => fillTemplate(sentence, values, key, 30 + 6 * at)).join(" "),
      key
    }
  })
}
