import { type MarketRead, SourceUnavailable } from "@tapeline/core/market"
import { type Context, Effect, Layer } from "effect"

/** Who would tell, why nobody asks, and the variable that an operator sets for it, where there is one. */
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

/** What a member of a port without a source is: the read itself, or a function of a question. */
type Unfed<S> = { readonly [K in keyof S]: S[K] extends MarketRead<infer _A> ? "read" : "question" }

/** A port that nobody feeds: every question fails as not configured, none is answered with nothing. */
export const unfed = <I, S extends object>(
  port: Context.Key<I, S>,
  members: Unfed<NoInfer<S>>,
  why: NotFed
): Layer.Layer<I> => {
  const fails = Effect.fail(notConfigured(why))
  const service = Object.fromEntries(
    Object.entries(members).map(([name, kind]) => [name, kind === "read" ? fails : () => fails])
  )
  // A read that always fails is one of any value.
  return Layer.succeed(port, service as S)
}
