import { CommonErrors, RejectMalformedPath, RejectUnknownQuery } from "@tapeline/api"
import { formatMessage, type Language, toInvalidArguments } from "@tapeline/core"
import { Effect, Layer, type Schema } from "effect"
import { HttpServerRequest } from "effect/http"
import { currentRequestContext } from "./requestContext.ts"
import { catchToResponse, type MiddlewareRejection } from "./responses.ts"

type QueryError = MiddlewareRejection<RejectUnknownQuery>

/** Returns an error if the query has parameters that are not in `knownNames`. */
export const checkQueryParameters = (
  params: HttpServerRequest.ParsedSearchParams["Service"],
  knownNames: ReadonlyArray<string>,
  language: Language
): QueryError | undefined => {
  const unknownNames = Object.keys(params).filter((name) => !knownNames.includes(name))
  if (unknownNames.length === 0) return undefined
  const message = formatMessage({ key: "issue_unknown_query", params: { known: knownNames.join(", ") } }, language)
  return toInvalidArguments(unknownNames.map((name) => ({ path: [name], message })), language)
}

export const rejectUnknownQuery = (
  knownNames: ReadonlyArray<string>
): Effect.Effect<void, QueryError, HttpServerRequest.ParsedSearchParams> =>
  Effect.flatMap(
    HttpServerRequest.ParsedSearchParams,
    (params) =>
      Effect.flatMap(currentRequestContext, ({ language }) => {
        const error = checkQueryParameters(params, knownNames, language)
        return error === undefined ? Effect.void : Effect.fail(error)
      })
  )

const parameterNamesOf = (query: Schema.Top | undefined): ReadonlyArray<string> =>
  query?.ast._tag === "Objects" ? query.ast.propertySignatures.map(({ name }) => String(name)) : []

export const layerRejectUnknownQuery: Layer.Layer<RejectUnknownQuery> = Layer.succeed(
  RejectUnknownQuery,
  (handler, { endpoint }) =>
    catchToResponse(Effect.andThen(rejectUnknownQuery(parameterNamesOf(endpoint.query)), handler))
)

/**
 * A middleware that declares the errors of invalid paths for the OpenAPI document. The middleware does nothing at run
 * time, because the path decoder already rejects invalid paths.
 */
export const layerRejectMalformedPath: Layer.Layer<RejectMalformedPath> = Layer.succeed(
  RejectMalformedPath,
  (handler) => handler
)

/** Converts each failure of a handler to a response. */
export const layerCommonErrors: Layer.Layer<CommonErrors> = Layer.succeed(CommonErrors, catchToResponse)
