import {
  type CodeOf,
  Fault,
  isRejection,
  logWarningOf,
  makeProblem,
  type ProblemCode,
  type Rejection,
  type RejectionOf,
  UnknownAddress
} from "@tapeline/api"
import { formatIssues, formatMessage, InvalidArguments } from "@tapeline/core"
import { Cause, Effect, Predicate, Result, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { type HttpApiEndpoint, HttpApiError, type HttpApiMiddleware } from "effect/http-api"
import { currentRequestContext, type RequestContext } from "./requestContext.ts"

/** Returns the schema error of a path parameter or a query. Security middleware wraps the schema error. */
const schemaErrorOf = (error: unknown): HttpApiError.HttpApiSchemaError | undefined =>
  HttpApiError.HttpApiSchemaError.is(error)
    ? error
    : Predicate.hasProperty(error, "error") && HttpApiError.HttpApiSchemaError.is(error.error)
    ? error.error
    : undefined

/** Responds to a rejected request with RFC 9457 problem details, in the language of the request. */
export const problemResponse = (
  requestContext: RequestContext,
  rejection: Rejection
): HttpServerResponse.HttpServerResponse => {
  const { headers, problem } = makeProblem(
    rejection,
    requestContext.requestId,
    (message) => formatMessage(message, requestContext.language)
  )
  requestContext.rejectionCode = problem.code
  return HttpServerResponse.text(JSON.stringify(problem), {
    status: problem.status,
    contentType: "application/problem+json",
    headers: { "cache-control": "no-store", ...headers }
  })
}

/** Returns the rejection for an invalid parameter of the path or the query. */
const rejectionOfSchemaError = (
  error: HttpApiError.HttpApiSchemaError,
  requestContext: RequestContext
): Rejection | undefined => {
  switch (error.kind) {
    case "Params":
      return new UnknownAddress()
    case "Query":
      return new InvalidArguments({ issues: formatIssues(error.cause.issue, requestContext.language) })
    default:
      return undefined
  }
}

/** Logs a rejected request that concerns the operator, with the status of the response. */
export const logRejection = (
  rejection: Rejection,
  status: number,
  cause: Cause.Cause<unknown>
): Effect.Effect<void> => {
  const warning = logWarningOf(rejection)
  return warning === undefined ? Effect.void : Effect.annotateLogs(Effect.logWarning(warning, cause), "status", status)
}

export const logFault = (cause: Cause.Cause<unknown>): Effect.Effect<void> =>
  Effect.annotateLogs(Effect.logError("unexpected failure", cause), "status", 500)

/** Returns the rejection with which an effect failed, or undefined if the failure was unexpected. */
export const findRejection = (cause: Cause.Cause<unknown>): Rejection | undefined => {
  const failure = Cause.findError(cause)
  return Result.isSuccess(failure) && isRejection(failure.success) ? failure.success : undefined
}

/**
 * Responds to a failure of a handler: with the problem details of a rejection, or else with a 500 that does not reveal
 * the cause. The cause of a 500 is logged. An interruption is not converted to a response.
 */
export const failureResponse = <E>(
  requestContext: RequestContext,
  cause: Cause.Cause<E>
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  if (Cause.hasInterrupts(cause)) return Effect.interrupt
  const rejection = findRejection(cause)
  if (rejection !== undefined) {
    const response = problemResponse(requestContext, rejection)
    return Effect.as(logRejection(rejection, response.status, cause), response)
  }
  const error = schemaErrorOf(Cause.squash(cause))
  const schemaRejection = error === undefined ? undefined : rejectionOfSchemaError(error, requestContext)
  return schemaRejection === undefined
    ? Effect.as(logFault(cause), problemResponse(requestContext, new Fault()))
    : Effect.succeed(problemResponse(requestContext, schemaRejection))
}

/** Converts the failures of a handler to responses. */
export const catchToResponse = <E, R>(
  handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, R> =>
  Effect.catchCause(
    handler,
    (cause) => Effect.flatMap(currentRequestContext, (requestContext) => failureResponse(requestContext, cause))
  )

type CodesOf<Problem> = Problem extends { readonly code: infer Code extends ProblemCode } ? Code : never

/** The errors that a middleware declares. */
export type MiddlewareRejection<Middleware> = RejectionOf<CodesOf<HttpApiMiddleware.Error<Middleware>>>

/** The errors that an operation and its middlewares declare. */
type EndpointRejection<Endpoint> = RejectionOf<CodesOf<HttpApiEndpoint.Errors<Endpoint>>>

/** The errors that an operation declares but its handler never returns. */
type UnusedError<Endpoint, E extends Rejection> = Exclude<CodesOf<HttpApiEndpoint.Error<Endpoint>["Type"]>, CodeOf<E>>

/**
 * Creates the handler of an operation, and converts the handler's errors to responses. A handler that can fail with an
 * undeclared error does not compile. A handler that never fails with a declared error does not compile either.
 */
export const makeOperation = <
  Request extends { readonly endpoint: HttpApiEndpoint.Constraint },
  E extends EndpointRejection<Request["endpoint"]>,
  R
>(
  handler:
    & ((request: Request) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>)
    & ([UnusedError<Request["endpoint"], E>] extends [never] ? unknown
      : { readonly "declared, but never raised": UnusedError<Request["endpoint"], E> })
) =>
(request: Request): Effect.Effect<HttpServerResponse.HttpServerResponse, never, R> => catchToResponse(handler(request))

/**
 * Creates a function that encodes a response with a schema, so that responses always match the OpenAPI document. A
 * value that breaks a check of the schema is a defect.
 */
export const makeJsonResponder = <A, I>(schema: Schema.Codec<A, I>) => {
  const respond = HttpServerResponse.schemaJson(schema)
  return (
    body: A,
    headers: Readonly<Record<string, string>> = {}
  ): Effect.Effect<HttpServerResponse.HttpServerResponse> => Effect.orDie(respond(body, { headers }))
}
