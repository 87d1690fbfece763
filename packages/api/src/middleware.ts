import { HttpApiMiddleware } from "effect/http-api"
import { problemSchemas } from "./problem.ts"

/** Rejects query parameters that the endpoint does not declare, so that callers notice misspelled parameters. */
export class RejectUnknownQuery
  extends HttpApiMiddleware.Service<RejectUnknownQuery>()("@tapeline/api/RejectUnknownQuery", {
    error: problemSchemas("invalid_arguments")
  })
{}

/** Rejects a path with a malformed id as `not_found`, like an unknown path. */
export class RejectMalformedPath
  extends HttpApiMiddleware.Service<RejectMalformedPath>()("@tapeline/api/RejectMalformedPath", {
    error: problemSchemas("not_found")
  })
{}

/** Declares the errors with which any request can fail, such as malformed HTTP, timeouts, and unavailable stores. */
export class CommonErrors extends HttpApiMiddleware.Service<CommonErrors>()("@tapeline/api/CommonErrors", {
  error: problemSchemas("invalid_request", "request_timeout", "headers_too_large", "internal", "unavailable")
}) {}
