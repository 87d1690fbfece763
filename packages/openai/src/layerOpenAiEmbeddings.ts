import { Embeddings } from "@tapeline/core/analysis"
import { SourceUnavailable } from "@tapeline/core/market"
import { Clock, Effect, Layer } from "effect"
import { createHash } from "node:crypto"
import { makeMalformed, toSourceUnavailable } from "./embeddings/sourceErrors.ts"
import { hasContent, makeBatches, truncateText } from "./embeddings/texts.ts"
import { readUnitVectors } from "./embeddings/vectors.ts"
import { publishCost, recordRequest } from "./metrics.ts"
import { findDimension, InvalidOpenAiOptions, nativeDimensions, type Prices, type ProviderOptions } from "./options.ts"
import { readUsage } from "./usage.ts"
import { makeProvider, type Provider } from "./wire/client.ts"
import { toFailure } from "./wire/failure.ts"

export interface OpenAiEmbeddingsOptions extends ProviderOptions {
  readonly model: string
  /** The number of components of a vector, required for models of providers other than OpenAI. */
  readonly dimension?: number | undefined
  /** The maximum number of UTF-8 bytes that are read of a text; 8,000 by default, which all models of OpenAI accept. */
  readonly maxTextBytes?: number | undefined
  /** The minimum inner product of the vectors of related texts; 0.2 by default. */
  readonly unrelatedBelow?: number | undefined
  readonly prices?: Pick<Prices, "inputUsd"> | undefined
}

const maxNameLength = 64

/** Makes a value of `Embeddings.model`. A long or non-ASCII name is shortened to 64 ASCII characters with a hash. */
const makeName = (model: string, rule: string): string => {
  const plain = `${model.replace(/[^\x21-\x7e]/gu, "_")}/${rule}`
  if (plain.length <= maxNameLength && !/[^\x21-\x7e]/u.test(model)) return plain
  const digest = createHash("sha256").update(model).digest("hex").slice(0, 12)
  return `${plain.slice(0, maxNameLength - rule.length - digest.length - 2)}~${digest}/${rule}`
}

const concurrency = 3

interface EmbeddingContext {
  readonly provider: Provider
  readonly options: OpenAiEmbeddingsOptions
  readonly dimension: number
}

const embedBatch = Effect.fn("embeddings", { kind: "client" })(function*(
  { dimension, options, provider }: EmbeddingContext,
  texts: ReadonlyArray<string>
) {
  yield* Effect.annotateCurrentSpan({
    "gen_ai.operation.name": "embeddings",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": options.model,
    "server.address": provider.address.host,
    "server.port": provider.address.port
  })
  const { client } = provider
  const startedAt = yield* Clock.currentTimeMillis
  const isNative = (nativeDimensions[options.model] ?? dimension) === dimension
  const response = yield* Effect.tryPromise({
    try: (signal) =>
      client.embeddings.create({
        model: options.model,
        input: [...texts],
        // Without `encoding_format`, the `openai` package would request base64, which not all servers support.
        encoding_format: "float",
        ...(isNative ? {} : { dimensions: dimension })
      }, { signal }),
    catch: (error) => error
  }).pipe(
    Effect.catch((error) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const failure = toFailure(error, provider, now)
        const seconds = (now - startedAt) / 1_000
        return recordRequest("embeddings", options.model, undefined, { failed: failure._tag, seconds, usage: null })
          .pipe(
            Effect.andThen(Effect.fail(toSourceUnavailable(failure)))
          )
      })
    )
  )
  const seconds = ((yield* Clock.currentTimeMillis) - startedAt) / 1_000
  const { inputUsd } = options.prices ?? {}
  const usage = readUsage({ completion_tokens: 0, ...response.usage })
  const prices = inputUsd === undefined ? undefined : { inputUsd, outputUsd: 0 }
  yield* recordRequest("embeddings", options.model, prices, { failed: undefined, seconds, usage })
  const vectors = readUnitVectors(response, texts.length, dimension)
  return typeof vectors === "string" ? yield* makeMalformed(vectors) : vectors
})

const makeEmbed = (context: EmbeddingContext) =>
  Effect.fnUntraced(function*(texts: ReadonlyArray<string>): Effect.fn.Return<
    ReadonlyArray<Float32Array>,
    SourceUnavailable
  > {
    const truncatedTexts = texts.map((text) => truncateText(text, context.options.maxTextBytes ?? 8_000))
    const textIndexes = truncatedTexts.flatMap((text, i) => hasContent(text) ? [i] : [])
    const batches = makeBatches(textIndexes, (i) => truncatedTexts[i]!)
    const batchVectors = yield* Effect.forEach(
      batches,
      (batch) => embedBatch(context, batch.map((i) => truncatedTexts[i]!)),
      { concurrency }
    )
    const vectors: Array<Float32Array> = truncatedTexts.map(() => new Float32Array(context.dimension))
    for (const [b, batch] of batches.entries()) {
      for (const [i, textIndex] of batch.entries()) vectors[textIndex] = batchVectors[b]![i]!
    }
    return vectors
  })

/** Provides `Embeddings` with the `openai` package, for OpenAI's own service and servers with a compatible API. */
export const layerOpenAiEmbeddings = (
  options: OpenAiEmbeddingsOptions
): Layer.Layer<Embeddings, InvalidOpenAiOptions> =>
  Layer.effect(
    Embeddings,
    Effect.gen(function*() {
      const dimension = options.dimension ?? findDimension(options.model)
      if (dimension === undefined) {
        return yield* new InvalidOpenAiOptions({
          problem: "the dimension of this embedding model is unknown: set `dimension`"
        })
      }
      if (!Number.isInteger(dimension) || dimension < 1 || dimension > 4_096) {
        return yield* new InvalidOpenAiOptions({ problem: "the dimension must be an integer from 1 to 4096" })
      }
      const provider = yield* makeProvider(options)
      yield* publishCost(options.model, options.prices)
      return {
        model: makeName(options.model, `${dimension}/${options.maxTextBytes ?? 8_000}`),
        dimension,
        minSimilarity: options.unrelatedBelow ?? 0.2,
        embed: makeEmbed({ provider, options, dimension })
      }
    })
  )
