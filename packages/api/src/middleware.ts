import { HttpApiMiddleware } from "effect/http-api"
import { problemSchemas } from "./problem.ts"

/** Rejects query parameters that the endpoint does not declare, so that typing errors are noticed. */
export class RejectUnknownQuery extends HttpApiMiddleware.Service<RejectUnknownQuery>()("@tapeline/api/KnownQuery", {
  error: problemSchemas("invalid_arguments")
}) {}

/** Rejects a path with a malformed id as `not_found`, like any other unknown address. */
export class RejectMalformedPath
  extends HttpApiMiddleware.Service<RejectMalformedPath>()("@tapeline/api/KnownAddress", {
    error: problemSchemas("not_found")
  })
{}

/**
 * Declares the errors that a request for any operation can get: a violation of HTTP, a timeout, a bug of the service,
 * an unavailable store. Operations do not declare them again.
 */
export class CommonErrors extends HttpApiMiddleware.Service<CommonErrors>()("@tapeline/api/AnyRequest", {
  error: problemSchemas("invalid_request", "request_timeout", "headers_too_large", "internal", "unavailable")
}) {}
