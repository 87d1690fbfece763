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
import { formatIssues, formatMessage, toInvalidArguments } from "@tapeline/core"
import { Cause, Effect, Predicate, Result, Schema } from "effect"
import { HttpServerResponse } from "effect/http"
import { type HttpApiEndpoint, HttpApiError, type HttpApiMiddleware } from "effect/http-api"
import { currentRequestContext, type RequestContext } from "./requestContext.ts"

const schemaErrorOf = (error: unknown): HttpApiError.HttpApiSchemaError | undefined =>
  HttpApiError.HttpApiSchemaError.is(error)
    ? error
    : Predicate.hasProperty(error, "error") && HttpApiError.HttpApiSchemaError.is(error.error)
    ? error.error
    : undefined

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

const rejectionOfSchemaError = (
  error: HttpApiError.HttpApiSchemaError,
  requestContext: RequestContext
): Rejection | undefined => {
  switch (error.kind) {
    case "Params":
      return new UnknownAddress()
    case "Headers":
    case "Query":
      return toInvalidArguments(formatIssues(error.cause.issue, requestContext.language), requestContext.language)
    default:
      return undefined
  }
}

/** Logs a rejected request, with the status of the response, if the rejection concerns the operator. */
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
 * Responds to a failed handler with the problem details of a rejected request, or with a 500 for any other failure. A
 * 500 does not reveal the logged cause. For an interrupted handler, the returned effect is interrupted.
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

export const catchToResponse = <E, R>(
  handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, R> =>
  Effect.catchCause(
    handler,
    (cause) => Effect.flatMap(currentRequestContext, (requestContext) => failureResponse(requestContext, cause))
  )

type CodesOf<Problem> = Problem extends { readonly code: infer Code extends ProblemCode } ? Code : never

export type MiddlewareRejection<Middleware> = RejectionOf<CodesOf<HttpApiMiddleware.Error<Middleware>>>

type EndpointRejection<Endpoint> = RejectionOf<CodesOf<HttpApiEndpoint.Errors<Endpoint>>>

type UnusedError<Endpoint, E extends Rejection> = Exclude<CodesOf<HttpApiEndpoint.Error<Endpoint>["Type"]>, CodeOf<E>>

/**
 * Creates the handler of an operation, and converts the handler's errors to responses. A handler does not compile if
 * the handler can fail with an undeclared error, or never fails with a declared error.
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

/** Returns the headers of the response to a call or question: the call's id, and whether the response is a replay. */
export const callHeaders = (callId: string, replayed: boolean): Readonly<Record<string, string>> => ({
  "tapeline-call-id": callId,
  ...(replayed ? { "idempotent-replayed": "true" } : {})
})

/**
 * Creates a function that encodes a response body with a schema, so that responses match the OpenAPI document. A body
 * that violates the schema is a defect.
 */
export const makeJsonResponder = <A, I>(schema: Schema.Codec<A, I>) => {
  const respond = HttpServerResponse.schemaJson(schema)
  return (
    body: A,
    headers: Readonly<Record<string, string>> = {}
  ): Effect.Effect<HttpServerResponse.HttpServerResponse> => Effect.orDie(respond(body, { headers }))
}
