import { HttpApiMiddleware } from "effect/http-api"

/** Refuses query parameters that the endpoint does not declare, so that no typing error passes silently. */
export class KnownQuery extends HttpApiMiddleware.Service<KnownQuery>()("@tapeline/api/KnownQuery") {}
