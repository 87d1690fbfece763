import type { CodeOf, Refusal, RefusalCode, RefusalOf } from "@tapeline/api"
import type { Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint, HttpApiMiddleware } from "effect/http-api"
import { respond } from "./refusal.ts"

type CodesOf<Problem> = Problem extends { readonly code: infer Code extends RefusalCode } ? Code : never

/** The errors that a middleware declares. */
export type RefusalBy<Middleware> = RefusalOf<CodesOf<HttpApiMiddleware.Error<Middleware>>>

/** The errors with which an operation may fail: those that it declares, and those of its middlewares. */
type RefusalAt<Endpoint> = RefusalOf<CodesOf<HttpApiEndpoint.Errors<Endpoint>>>

/** The errors that an operation declares but its handler never returns. */
type Unraised<Endpoint, E extends Refusal> = Exclude<CodesOf<HttpApiEndpoint.Error<Endpoint>["Type"]>, CodeOf<E>>

/**
 * Makes the handler of an operation, and converts its errors to responses. Does not compile if the handler can fail
 * with an undeclared error, or never fails with a declared one.
 */
export const operation = <
  Request extends { readonly endpoint: HttpApiEndpoint.Constraint },
  E extends RefusalAt<Request["endpoint"]>,
  R
>(
  handler:
    & ((request: Request) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>)
    & ([Unraised<Request["endpoint"], E>] extends [never] ? unknown
      : { readonly "declared, but never raised": Unraised<Request["endpoint"], E> })
) =>
(request: Request): Effect.Effect<HttpServerResponse.HttpServerResponse, never, R> => respond(handler(request))
