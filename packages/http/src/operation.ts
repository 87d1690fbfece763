import type { CodeOf, Refusal, RefusalCode, RefusalOf } from "@tapeline/api"
import type { Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint, HttpApiMiddleware } from "effect/http-api"
import { respond } from "./refusal.ts"

type CodesOf<Problem> = Problem extends { readonly code: infer Code extends RefusalCode } ? Code : never

/** The refusals that a middleware declares. */
export type RefusalBy<Middleware> = RefusalOf<CodesOf<HttpApiMiddleware.Error<Middleware>>>

/** The refusals that an operation may fail with: what it declares itself, and what all that surrounds it does. */
type RefusalAt<Endpoint> = RefusalOf<CodesOf<HttpApiEndpoint.Errors<Endpoint>>>

/** What an operation declares itself, and its handler never fails with. */
type Unraised<Endpoint, E extends Refusal> = Exclude<CodesOf<HttpApiEndpoint.Error<Endpoint>["Type"]>, CodeOf<E>>

/**
 * The handler of an operation, whose refusals become the operation's answers. A handler that may fail with what its
 * operation does not declare does not compile, and neither does one that never fails with what it declares.
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
