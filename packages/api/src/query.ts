import { HttpApiMiddleware } from "effect/http-api"
import { refusedWith } from "./problem.ts"

/** Refuses query parameters that the endpoint does not declare, so that no typing error passes silently. */
export class KnownQuery extends HttpApiMiddleware.Service<KnownQuery>()("@tapeline/api/KnownQuery", {
  error: refusedWith("invalid_arguments")
}) {}
