import { HttpApiMiddleware } from "effect/http-api"
import { refusedWith } from "./problem.ts"

/** Refuses query parameters that the endpoint does not declare, so that no typing error passes silently. */
export class KnownQuery extends HttpApiMiddleware.Service<KnownQuery>()("@tapeline/api/KnownQuery", {
  error: refusedWith("invalid_arguments")
}) {}

/** Refuses a path in which an id is none, as it does any other address of nothing. */
export class KnownAddress extends HttpApiMiddleware.Service<KnownAddress>()("@tapeline/api/KnownAddress", {
  error: refusedWith("not_found")
}) {}

/**
 * What any request may be refused with, whichever operation it asks for: a rule of HTTP that it breaks, patience that
 * runs out, a fault of the service, a store that is away. Declared here once, and by no operation.
 */
export class AnyRequest extends HttpApiMiddleware.Service<AnyRequest>()("@tapeline/api/AnyRequest", {
  error: refusedWith("invalid_request", "request_timeout", "headers_too_large", "internal", "unavailable")
}) {}
