import { AnyRequest, KnownAddress, KnownQuery } from "@tapeline/api"
import { firstIssues, InvalidArguments, type Language, say } from "@tapeline/core"
import { Effect, Layer, type Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { currentExchange } from "./exchange.ts"
import type { RefusalBy } from "./operation.ts"
import { respond } from "./refusal.ts"

type Refused = RefusalBy<KnownQuery>

/** Returns an error if the query has parameters that are not in `known`. */
export const queryFault = (
  params: HttpServerRequest.ParsedSearchParams["Service"],
  known: ReadonlyArray<string>,
  language: Language
): Refused | undefined => {
  const unknown = Object.keys(params).filter((name) => !known.includes(name))
  if (unknown.length === 0) return undefined
  const message = say({ key: "issue_unknown_query", params: { known: known.join(", ") } }, language)
  return new InvalidArguments({ issues: firstIssues(unknown.map((name) => ({ path: [name], message })), language) })
}

/** Fails if the query has parameters that are not in `known`. */
export const judgeQuery = (
  known: ReadonlyArray<string>
): Effect.Effect<void, Refused, HttpServerRequest.ParsedSearchParams> =>
  Effect.flatMap(HttpServerRequest.ParsedSearchParams, (params) =>
    Effect.flatMap(currentExchange, ({ language }) => {
      const fault = queryFault(params, known, language)
      return fault === undefined ? Effect.void : Effect.fail(fault)
    }))

const namesOf = (query: Schema.Top | undefined): ReadonlyArray<string> =>
  query?.ast._tag === "Objects" ? query.ast.propertySignatures.map(({ name }) => String(name)) : []

/** Checks the query of each endpoint against the parameters that its definition declares. */
export const layerKnownQuery: Layer.Layer<KnownQuery> = Layer.succeed(
  KnownQuery,
  (handler, { endpoint }) => respond(Effect.andThen(judgeQuery(namesOf(endpoint.query)), handler))
)

/**
 * Does nothing: the decoder of the path rejects wrong paths. The middleware declares the errors for the OpenAPI
 * document.
 */
export const layerKnownAddress: Layer.Layer<KnownAddress> = Layer.succeed(KnownAddress, (handler) => handler)

/** Converts each outcome of a request's handling to a response. */
export const layerAnyRequest: Layer.Layer<AnyRequest> = Layer.succeed(AnyRequest, respond)
