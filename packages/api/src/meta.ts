import { areas, Scope } from "@tapeline/core/specifications"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { KeyAuthorization } from "./authorization.ts"
import { CommonErrors, RejectUnknownQuery } from "./middleware.ts"
import { problemSchemas } from "./problem.ts"

const JsonSchemaObject = Schema.Record(Schema.String, Schema.Unknown)

/** One tool of the catalogue that `GET /v1/tools` returns. */
export const CatalogueTool = Schema.Struct({
  name: Schema.String,
  area: Schema.Literals(areas),
  summary: Schema.String,
  scope: Schema.optionalKey(
    Scope.annotate({ description: "The scope that the tool requires; left out by `view=parameters`" })
  ),
  scopes_any: Schema.optionalKey(
    Schema.Array(Scope).annotate({
      description: "Every scope that opens the tool; left out by `view=parameters`"
    })
  ),
  credits: Schema.Int,
  parameters: JsonSchemaObject.annotate({ description: "JSON Schema 2020-12 of the arguments" }),
  result: Schema.optionalKey(JsonSchemaObject.annotate({
    description: "JSON Schema 2020-12 of `data`; left out by `view=parameters`"
  }))
}).annotate({ identifier: "CatalogueTool" })

export const CatalogueBody = Schema.Struct({
  tools: Schema.Array(CatalogueTool),
  operations: Schema.Array(Schema.Struct({ name: Schema.String, scope: Scope, credits: Schema.Int }))
}).annotate({ identifier: "Catalogue", description: "What the key may call" })

/** The query parameter `month` of usage requests, written YYYY-MM; by default the current month. */
export const MonthQuery = {
  month: Schema.optionalKey(
    Schema.String.annotate({ description: "YYYY-MM, UTC" }).check(
      Schema.isPattern(/^2\d{3}-(0[1-9]|1[0-2])$/u, {
        expected: "a month written YYYY-MM",
        expectedMessage: { key: "expected_month" }
      })
    )
  )
}

/** The fields of a usage total: ended calls, calls without a charge, and charged credits. */
export const usageTotalFields = { calls: Schema.Int, failed: Schema.Int, credits: Schema.Int }

/** The fields of a month's balance: credits, renewal time, and usage by tool. */
export const monthBalanceFields = {
  month: Schema.String.annotate({ description: "YYYY-MM, UTC" }),
  credits: Schema.Struct({ allotted: Schema.Int, used: Schema.Int, reserved: Schema.Int, left: Schema.Int }),
  renews_at: Schema.String,
  tools: Schema.Array(Schema.Struct({ name: Schema.String, ...usageTotalFields }))
}

export const UsageBody = Schema.Struct({
  plan: Schema.String,
  ...monthBalanceFields,
  answers: Schema.Struct({ today: Schema.Int, quota: Schema.Int, renews_at: Schema.String })
}).annotate({ identifier: "Usage", description: "What the account has used, and what is left" })

export const QuoteRequest = Schema.Struct({
  calls: Schema.Array(
    Schema.Struct({
      name: Schema.String.annotate({ description: "A tool, or `agent.answer`" }),
      count: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 }))
    })
  ).check(Schema.isBetweenLength(1, 100))
}).annotate({ identifier: "QuoteRequest" })

export const QuoteBody = Schema.Struct({
  total: Schema.Int,
  credits_left: Schema.Int,
  affordable: Schema.Boolean,
  lines: Schema.Array(
    Schema.Struct({ name: Schema.String, count: Schema.Int, credits: Schema.Int, total: Schema.Int })
  )
}).annotate({ identifier: "Quote", description: "What the calls would cost" })

export const HealthBody = Schema.Struct({ status: Schema.Literal("ok") }).annotate({
  identifier: "Health",
  description: "It lives"
})
const instant = Schema.NullOr(Schema.String).annotate({ description: "ISO 8601, UTC" })

/** The state of live market data, as seen by the process that answers the readiness check. */
export const MarketReadiness = Schema.Struct({
  network: Schema.Literals(["reachable", "unknown", "unreachable"]).annotate({
    description: "`unreachable` if no source can be reached: the service has no network, or its proxy fails"
  }),
  sources: Schema.Array(Schema.Struct({
    source: Schema.String,
    state: Schema.Literals(["unknown", "up", "failing", "limited", "blocked"]),
    failure: Schema.NullOr(Schema.String),
    reason: Schema.NullOr(Schema.String).annotate({ description: "Why it is not up" }),
    last_success_at: instant,
    blocked_until: instant,
    next: Schema.NullOr(Schema.String).annotate({ description: "Who tells the same while it is blocked" })
  })),
  collected: Schema.Array(Schema.Struct({
    source: Schema.String,
    lead: Schema.Literals(["leads", "follows", "asks"]).annotate({
      description: "Whether this process collects from it, another one does, or it is not known who does"
    }),
    holder: Schema.NullOr(Schema.String).annotate({
      description: "The process that collects, by its host, its number and a mark of its own, or the last one known to"
    }),
    series: Schema.Array(Schema.Struct({
      name: Schema.String,
      lag_ms: Schema.NullOr(Schema.Finite).annotate({
        description: "How long ago its record ends; null while nothing of it is known"
      }),
      missing_ms: Schema.Finite.annotate({ description: "What may still be filled, of all subjects together" }),
      lost_ms: Schema.Finite.annotate({ description: "What nothing can fill any more" }),
      whole_at: instant,
      unlisted: Schema.Array(Schema.String).annotate({
        description: "What is to be collected and no source lists, once all of them have answered"
      }),
      last_fault_at: instant,
      reason: Schema.NullOr(Schema.String).annotate({
        description: "Why it failed then: over, if `whole_at` is later"
      })
    }))
  }))
}).annotate({ identifier: "MarketReadiness", description: "How a live market's sources and collectors do" })

export const ReadinessBody = Schema.Struct({
  status: Schema.Literal("ready"),
  market: Schema.optionalKey(MarketReadiness)
}).annotate({
  identifier: "Readiness",
  description: "It is ready; a source that is away does not change that"
})

export const metaGroup = HttpApiGroup.make("meta", { topLevel: true })
  .add(
    HttpApiEndpoint.get("catalogue", "/v1/tools", {
      query: {
        area: Schema.optionalKey(Schema.Literals(areas).annotate({ description: "Only the tools of this area" })),
        view: Schema.optionalKey(
          Schema.Literals(["full", "parameters"]).annotate({
            description: "`parameters` leaves out what a call does not need: result schemas and scopes"
          })
        )
      },
      success: CatalogueBody
    }).annotateMerge(OpenApi.annotations({
      identifier: "catalogue",
      summary: "Catalogue",
      description: "The tools that this key may call, with schemas, scopes and prices. Answers 304 to its own `etag`."
    })),
    HttpApiEndpoint.get("usage", "/v1/usage", {
      query: MonthQuery,
      success: UsageBody
    }).annotateMerge(OpenApi.annotations({
      identifier: "usage",
      summary: "Usage",
      description: "Credits of the month, by tool. `month` asks for an earlier one."
    })),
    HttpApiEndpoint.post("quote", "/v1/quote", {
      payload: QuoteRequest,
      success: QuoteBody,
      error: problemSchemas("invalid_body", "user_id_not_accepted", "payload_too_large", "unsupported_media_type")
    })
      .annotateMerge(OpenApi.annotations({
        identifier: "quote",
        summary: "Quote",
        description: "What a sequence of calls would cost. Costs nothing itself."
      }))
  )
  .middleware(RejectUnknownQuery)
  .middleware(KeyAuthorization)
  .middleware(CommonErrors)
  .annotate(OpenApi.Description, "Catalogue, usage and prices.")

/** The endpoints that need no key: the OpenAPI document, health and readiness. */
export const publicGroup = HttpApiGroup.make("public", { topLevel: true })
  .add(
    HttpApiEndpoint.get("openapi", "/v1/openapi.json", { success: JsonSchemaObject })
      .annotateMerge(OpenApi.annotations({ identifier: "openapi", summary: "OpenAPI", description: "This document." })),
    HttpApiEndpoint.get("health", "/healthz", { success: HealthBody })
      .annotateMerge(
        OpenApi.annotations({ identifier: "health", summary: "Health", description: "The process lives." })
      ),
    HttpApiEndpoint.get("readiness", "/readyz", {
      success: ReadinessBody
    }).annotateMerge(OpenApi.annotations({
      identifier: "readiness",
      summary: "Readiness",
      description: "The database answers and its migrations are done. `market` says how a live market's sources do."
    }))
  )
  .middleware(RejectUnknownQuery)
  .middleware(CommonErrors)
  .annotate(OpenApi.Description, "What needs no key.")
