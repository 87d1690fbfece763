import { Fault, isRefusal, problemOf, type Refusal, UnknownAddress, warningOf } from "@tapeline/api"
import { InvalidArguments, say, sayIssues } from "@tapeline/core"
import { Cause, Effect, Predicate, Result } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiError } from "effect/http-api"
import { currentExchange, type Exchange } from "./exchange.ts"

/** Returns the schema error of a path parameter or a query. Security middleware wraps the error. */
const schemaErrorOf = (error: unknown): HttpApiError.HttpApiSchemaError | undefined =>
  HttpApiError.HttpApiSchemaError.is(error)
    ? error
    : Predicate.hasProperty(error, "error") && HttpApiError.HttpApiSchemaError.is(error.error)
    ? error.error
    : undefined

/** The response to a refusal: RFC 9457 problem details, in the exchange's language. */
export const refusalResponse = (exchange: Exchange, refusal: Refusal): HttpServerResponse.HttpServerResponse => {
  const { headers, problem } = problemOf(refusal, exchange.requestId, (message) => say(message, exchange.language))
  exchange.rejectedWith = problem.code
  return HttpServerResponse.text(JSON.stringify(problem), {
    status: problem.status,
    contentType: "application/problem+json",
    headers: { "cache-control": "no-store", ...headers }
  })
}

/** The refusal for a wrong parameter of the path or the query. */
const refusalOf = (error: HttpApiError.HttpApiSchemaError, exchange: Exchange): Refusal | undefined => {
  switch (error.kind) {
    case "Params":
      return new UnknownAddress()
    case "Query":
      return new InvalidArguments({ issues: sayIssues(error.cause.issue, exchange.language) })
    default:
      return undefined
  }
}

/** Logs a refusal that concerns the operator, with the status of its response. */
export const logRefusal = (refusal: Refusal, status: number, cause: Cause.Cause<unknown>): Effect.Effect<void> => {
  const warning = warningOf(refusal)
  return warning === undefined ? Effect.void : Effect.annotateLogs(Effect.logWarning(warning, cause), "status", status)
}

/** Logs an unexpected failure. */
export const logFault = (cause: Cause.Cause<unknown>): Effect.Effect<void> =>
  Effect.annotateLogs(Effect.logError("unexpected failure", cause), "status", 500)

/** Returns the refusal that an effect failed with; undefined if the failure was unexpected. */
export const refusalIn = (cause: Cause.Cause<unknown>): Refusal | undefined => {
  const failure = Cause.findError(cause)
  return Result.isSuccess(failure) && isRefusal(failure.success) ? failure.success : undefined
}

/**
 * The response to a failure of a handler: the problem of a refusal, or else a 500 that does not reveal the cause. The
 * log contains the cause. An interruption is not converted.
 */
export const answerTo = <E>(
  exchange: Exchange,
  cause: Cause.Cause<E>
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  if (Cause.hasInterrupts(cause)) return Effect.interrupt
  const known = refusalIn(cause)
  if (known !== undefined) {
    const response = refusalResponse(exchange, known)
    return Effect.as(logRefusal(known, response.status, cause), response)
  }
  const error = schemaErrorOf(Cause.squash(cause))
  const refusal = error === undefined ? undefined : refusalOf(error, exchange)
  return refusal === undefined
    ? Effect.as(logFault(cause), refusalResponse(exchange, new Fault()))
    : Effect.succeed(refusalResponse(exchange, refusal))
}

/** Makes a handler that never fails: its failures become responses. */
export const respond = <E, R>(
  handler: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, never, R> =>
  Effect.catchCause(handler, (cause) => Effect.flatMap(currentExchange, (exchange) => answerTo(exchange, cause)))
