import { hashText, isStopWord, splitWords, type Word } from "@tapeline/core/analysis"
import { conceptsOf } from "./concepts.ts"

export const dimension = 512

/** As much of a text is looked at. */
const mostCharacters = 4_000

/** What a word's parts weigh beside its stem, by their length. */
const gramWeights: ReadonlyArray<readonly [length: number, weight: number]> = [[2, 0.08], [3, 0.16], [4, 0.2]]
const stemWeight = 1
const conceptWeight = 2
/** A first line says what the rest is about. */
const firstLineWeight = 2

/** Each feature has several places, so that one that falls on another's is not taken for it. */
const places = 4

type Features = Map<string, number>

/** What occurs again weighs so much of what it did first. */
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
 * A text's vector by rule: its words without endings, their parts of two to four letters, and what `concepts.ts` takes
 * them for, each hashed to places and signs; what occurs again weighs less each time. It knows words and no meaning:
 * texts are near when they use the same words, or names of the same line of the table.
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
