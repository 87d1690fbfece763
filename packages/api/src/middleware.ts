import { HttpApiMiddleware } from "effect/http-api"
import { refusedWith } from "./problem.ts"

/** Rejects query parameters that the endpoint does not declare, so that typing errors are noticed. */
export class KnownQuery extends HttpApiMiddleware.Service<KnownQuery>()("@tapeline/api/KnownQuery", {
  error: refusedWith("invalid_arguments")
}) {}

/** Rejects a path with a malformed id as `not_found`, like any other unknown address. */
export class KnownAddress extends HttpApiMiddleware.Service<KnownAddress>()("@tapeline/api/KnownAddress", {
  error: refusedWith("not_found")
}) {}

/**
 * Declares the errors that a request for any operation can get: a violation of HTTP, a timeout, a bug of the service,
 * an unavailable store. Operations do not declare them again.
 */
export class AnyRequest extends HttpApiMiddleware.Service<AnyRequest>()("@tapeline/api/AnyRequest", {
  error: refusedWith("invalid_request", "request_timeout", "headers_too_large", "internal", "unavailable")
}) {}
