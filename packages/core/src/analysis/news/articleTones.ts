import { sentiment } from "@tapeline/quant/sentiment"
import { Effect, Schema } from "effect"
import { Compute, type ComputeError } from "../../engine/compute/Compute.ts"
import type { Job } from "../../engine/compute/job.ts"
import type { Article } from "../../market/news.ts"

const maxToneCharacters = 600

const Texts = Schema.Array(Schema.String)
const Tones = Schema.Array(Schema.NullOr(Schema.Finite))

/**
 * Returns the tone of a text in English, Korean or Russian, from -1 to 1. The tone is null if no word of the text has a
 * tone.
 */
export const getTone = (text: string): number | null => {
  const { hits, score } = sentiment(text)
  return hits === 0 ? null : score
}

export const tonesJob: Job<typeof Texts.Type, typeof Tones.Type> = {
  name: "tones of texts",
  input: Texts,
  output: Tones,
  run: (texts) => texts.map(getTone)
}

/** An article with its tone, from -1 to 1. The tone is null if it is unknown. */
export interface ArticleWithTone {
  readonly article: Article
  readonly tone: number | null
  /** Whether the tone was computed from the article's words instead of being reported by the source. */
  readonly isComputed: boolean
}

/**
 * Adds the tone to each article. If the source reports no tone, the tone is computed from the article's title and body.
 */
export const addTones = (
  { run }: typeof Compute["Service"],
  articles: ReadonlyArray<Article>
): Effect.Effect<ReadonlyArray<ArticleWithTone>, ComputeError> => {
  const withoutTone = articles.filter(({ sentiment }) => sentiment === null)
  const texts = withoutTone.map(({ body, title }) => `${title}. ${body.slice(0, maxToneCharacters)}`)
  return Effect.map(withoutTone.length === 0 ? Effect.succeed([]) : run(tonesJob, texts), (tones) => {
    const computedTones = new Map(withoutTone.map((article, i) => [article, tones[i] ?? null]))
    return articles.map((article) =>
      article.sentiment !== null
        ? { article, tone: article.sentiment, isComputed: false }
        : { article, tone: computedTones.get(article) ?? null, isComputed: true }
    )
  })
}
