import { assert, it } from "@effect/vitest"
import fc from "fast-check"
import { getConceptWeights } from "../../src/analysis/news/coverage.ts"
import { toConceptTerm } from "../../src/analysis/news/terms.ts"

const concepts = ["fall", "rise", "hack", "tax"]
const words = ["slump", "surge", "exploit", "levy", "miners"]

const article = fc.record({ words: fc.subarray(words), concepts: fc.subarray(concepts) })

it("weighs a word of a question by the most frequent of the word and its concepts", () => {
  fc.assert(fc.property(
    fc.array(article, { maxLength: 40 }),
    fc.array(fc.subarray(concepts), { minLength: words.length, maxLength: words.length }),
    fc.subarray(concepts),
    (articles, named, indexed) => {
      const having = (kind: "concepts" | "words", name: string) =>
        articles.filter((one) => one[kind].includes(name)).length
      const weightFor = (count: number) => Math.round(1_000 * Math.log(1 + articles.length / Math.max(1, count)))
      const queryTerms = words.map((stem, index) => ({ stem, index: index, concepts: new Set(named[index]) }))
      const matching = {
        articles: articles.length,
        groups: articles.map((one) => ({
          mask: indexed.reduce((mask, concept, i) => one.concepts.includes(concept) ? mask + 2 ** i : mask, 0),
          count: 1,
          newest: []
        }))
      }
      const byWord = words.map((word) => weightFor(having("words", word)))
      const weights = getConceptWeights(queryTerms, byWord, indexed.map(toConceptTerm), matching)
      const expected = queryTerms.map(({ concepts, stem }) => {
        const counts = indexed.filter((concept) => concepts.has(concept)).map((concept) => having("concepts", concept))
        return weightFor(Math.max(having("words", stem), ...counts))
      })
      assert.deepStrictEqual(weights, expected)
    }
  ))
})
