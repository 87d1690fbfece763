import { hashText, isStopWord, splitWords, type Word } from "@tapeline/core/analysis"
import { conceptsOf } from "./concepts.ts"

export const dimension = 512

/** The maximum number of characters of a text that are embedded. */
const mostCharacters = 4_000

/** The weights of the letter groups of a word, by length, relative to the weight of the word's stem. */
const gramWeights: ReadonlyArray<readonly [length: number, weight: number]> = [[2, 0.08], [3, 0.16], [4, 0.2]]
const stemWeight = 1
const conceptWeight = 2
/** The first line of a text is its title. */
const firstLineWeight = 2

/** Each feature has several hash positions, so that a collision in one position does not equate two features. */
const places = 4

type Features = Map<string, number>

/** The weight of a repeated feature, relative to its first occurrence. */
const repeated = 0.25

const add = (features: Features, name: string, weight: number): void => {
  const known = features.get(name)
  features.set(name, known === undefined ? weight : known + repeated * weight)
}

const addWords = (features: Features, words: ReadonlyArray<Word>, weight: number): void => {
  for (const word of words) {
    if (isStopWord(word)) continue
    add(features, word.stem, stemWeight * weight)
    const marked = Array.from(`<${word.text}>`)
    for (const [length, gramWeight] of gramWeights) {
      for (let i = 0; i + length <= marked.length; i++) {
        add(features, `${length}${marked.slice(i, i + length).join("")}`, gramWeight * weight)
      }
    }
  }
  for (const concept of conceptsOf(words)) add(features, concept, conceptWeight * weight)
}

/**
 * Embeds a text by feature hashing. The features are word stems, groups of two to four letters, and the concepts of
 * `concepts.ts`, each hashed to positions and signs.
 */
export const vectorOf = (text: string): Float32Array => {
  const read = text.slice(0, mostCharacters)
  const end = read.indexOf("\n")
  const features: Features = new Map()
  if (end >= 0) addWords(features, splitWords(read.slice(0, end)), firstLineWeight)
  addWords(features, splitWords(end >= 0 ? read.slice(end) : read), 1)
  const sums = new Float64Array(dimension)
  for (const [name, weight] of features) {
    for (let place = 0; place < places; place++) {
      const hash = hashText(`${place}${name}`)
      sums[(hash >>> 1) % dimension]! += (hash & 1) === 0 ? weight : -weight
    }
  }
  const length = Math.sqrt(sums.reduce((sum, x) => sum + x * x, 0))
  return length === 0 ? new Float32Array(dimension) : Float32Array.from(sums, (x) => x / length)
}
