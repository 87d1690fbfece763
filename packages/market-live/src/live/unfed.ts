import { type MarketRead, SourceUnavailable } from "@tapeline/core/market"
import { type Context, Effect, Layer } from "effect"

/** The source that is missing, the reason, and the environment variable that enables it, if there is one. */
export interface NotFed {
  readonly source: string
  readonly reason: string
  readonly variable?: string
}

export const notConfigured = ({ reason, source, variable }: NotFed): SourceUnavailable =>
  new SourceUnavailable({
    source,
    failure: "not_configured",
    reason,
    retryable: false,
    ...(variable === undefined ? {} : { variable })
  })

/** Whether a member of a port is a read itself, or a function that returns one. */
type Unfed<S> = { readonly [K in keyof S]: S[K] extends MarketRead<infer _A> ? "read" : "question" }

/** A port without a source. Every read fails as `not_configured`, so that no caller receives an empty result. */
export const unfed = <I, S extends object>(
  port: Context.Key<I, S>,
  members: Unfed<NoInfer<S>>,
  why: NotFed
): Layer.Layer<I> => {
  const fails = Effect.fail(notConfigured(why))
  const service = Object.fromEntries(
    Object.entries(members).map(([name, kind]) => [name, kind === "read" ? fails : () => fails])
  )
  // A read that always fails can have any value type.
  return Layer.succeed(port, service as S)
}
