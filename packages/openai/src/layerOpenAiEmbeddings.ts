import { Embeddings } from "@tapeline/core/analysis"
import { SourceUnavailable } from "@tapeline/core/market"
import { Clock, Effect, Layer } from "effect"
import { createHash } from "node:crypto"
import { batchesOf, beginningOf, saysSomething } from "./embeddings/texts.ts"
import { malformed, unavailable } from "./embeddings/unavailable.ts"
import { unitVectors } from "./embeddings/vectors.ts"
import { measure } from "./measures.ts"
import {
  fixedDimensionOf,
  InvalidOpenAiOptions,
  nativeDimensions,
  type Prices,
  type ProviderOptions
} from "./options.ts"
import { usageOf } from "./usage.ts"
import { makeProvider, type Provider } from "./wire/client.ts"
import { failureOf } from "./wire/failure.ts"

export interface OpenAiEmbeddingsOptions extends ProviderOptions {
  readonly model: string
  /** The number of components of a vector. Required for models of other providers than OpenAI. */
  readonly dimension?: number | undefined
  /** Maximum UTF-8 bytes that are read of a text; 8,000 by default, which all models of OpenAI accept. */
  readonly maxTextBytes?: number | undefined
  /** Texts are unrelated if their inner product is below this value; 0.2 by default. */
  readonly unrelatedBelow?: number | undefined
  readonly prices?: Pick<Prices, "inputUsd"> | undefined
}

const longestName = 64

/**
 * Makes the name of the vectors, within the limits of the port. If the name is too long or not ASCII, it contains a
 * hash of the model's name.
 */
const nameOf = (model: string, rule: string): string => {
  const plain = `${model.replace(/[^\x21-\x7e]/gu, "_")}/${rule}`
  if (plain.length <= longestName && !/[^\x21-\x7e]/u.test(model)) return plain
  const digest = createHash("sha256").update(model).digest("hex").slice(0, 12)
  return `${plain.slice(0, longestName - rule.length - digest.length - 2)}~${digest}/${rule}`
}

/** Maximum number of concurrent requests. */
const concurrency = 3

interface Asked {
  readonly provider: Provider
  readonly options: OpenAiEmbeddingsOptions
  readonly dimension: number
}

/** Sends one request. Returns the vectors of its texts, in their order. */
const ask = Effect.fn("embeddings", { kind: "client" })(function*(
  { dimension, options, provider }: Asked,
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
  const begun = yield* Clock.currentTimeMillis
  const isNative = (nativeDimensions[options.model] ?? dimension) === dimension
  const told = yield* Effect.tryPromise({
    try: (signal) =>
      client.embeddings.create({
        model: options.model,
        input: [...texts],
        // The client would request base64, which not all servers support.
        encoding_format: "float",
        ...(isNative ? {} : { dimensions: dimension })
      }, { signal }),
    catch: (error) => error
  }).pipe(
    Effect.catch((error) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const failure = failureOf(error, provider, now)
        const seconds = (now - begun) / 1_000
        return measure("embeddings", options.model, undefined, { failed: failure._tag, seconds, usage: null }).pipe(
          Effect.andThen(Effect.fail(unavailable(failure)))
        )
      })
    )
  )
  const seconds = ((yield* Clock.currentTimeMillis) - begun) / 1_000
  const { inputUsd } = options.prices ?? {}
  const usage = usageOf({ completion_tokens: 0, ...told.usage })
  const prices = inputUsd === undefined ? undefined : { inputUsd, outputUsd: 0 }
  yield* measure("embeddings", options.model, prices, { failed: undefined, seconds, usage })
  const vectors = unitVectors(told, texts.length, dimension)
  return typeof vectors === "string" ? yield* malformed(vectors) : vectors
})

const embedAll = (asked: Asked) =>
  Effect.fnUntraced(function*(texts: ReadonlyArray<string>): Effect.fn.Return<
    ReadonlyArray<Float32Array>,
    SourceUnavailable
  > {
    const given = texts.map((text) => beginningOf(text, asked.options.maxTextBytes ?? 8_000))
    const places = given.flatMap((text, i) => saysSomething(text) ? [i] : [])
    const batches = batchesOf(places, (i) => given[i]!)
    const all = yield* Effect.forEach(batches, (batch) => ask(asked, batch.map((i) => given[i]!)), { concurrency })
    const vectors: Array<Float32Array> = given.map(() => new Float32Array(asked.dimension))
    for (const [b, batch] of batches.entries()) for (const [i, place] of batch.entries()) vectors[place] = all[b]![i]!
    return vectors
  })

/** `Embeddings` over the `openai` package: OpenAI's own service, and all servers with its API. */
export const layerOpenAiEmbeddings = (
  options: OpenAiEmbeddingsOptions
): Layer.Layer<Embeddings, InvalidOpenAiOptions> =>
  Layer.effect(
    Embeddings,
    Effect.gen(function*() {
      const dimension = options.dimension ?? fixedDimensionOf(options.model)
      if (dimension === undefined) {
        return yield* new InvalidOpenAiOptions({
          problem: "the dimension of this embedding model is not known: give it"
        })
      }
      if (!Number.isInteger(dimension) || dimension < 1 || dimension > 4_096) {
        return yield* new InvalidOpenAiOptions({ problem: "the dimension must be an integer from 1 to 4096" })
      }
      const provider = yield* makeProvider(options)
      return {
        model: nameOf(options.model, `${dimension}/${options.maxTextBytes ?? 8_000}`),
        dimension,
        unrelatedBelow: options.unrelatedBelow ?? 0.2,
        embed: embedAll({ provider, options, dimension })
      }
    })
  )
