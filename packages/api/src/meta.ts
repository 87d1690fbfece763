import { areas, Scope } from "@tapeline/core/specifications"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { KeyAuthorization } from "./authorization.ts"
import { CommonErrors, RejectUnknownQuery } from "./middleware.ts"
import { problemSchemas } from "./problem.ts"

const JsonSchemaObject = Schema.Record(Schema.String, Schema.Unknown)

/** The schema of one tool in the catalogue that `GET /v1/tools` returns. */
export const CatalogueTool = Schema.Struct({
  name: Schema.String,
  area: Schema.Literals(areas),
  summary: Schema.String,
  scope: Schema.optionalKey(
    Scope.annotate({ description: "The scope that permits the tool; absent with `view=parameters`" })
  ),
  scopes_any: Schema.optionalKey(
    Schema.Array(Scope).annotate({
      description: "All scopes that permit the tool; a key needs one of them. Absent with `view=parameters`"
    })
  ),
  credits: Schema.Int,
  parameters: JsonSchemaObject.annotate({ description: "JSON Schema 2020-12 of the arguments" }),
  result: Schema.optionalKey(JsonSchemaObject.annotate({
    description: "JSON Schema 2020-12 of `data`; absent with `view=parameters`"
  }))
}).annotate({ identifier: "CatalogueTool" })

export const CatalogueBody = Schema.Struct({
  tools: Schema.Array(CatalogueTool),
  operations: Schema.Array(Schema.Struct({ name: Schema.String, scope: Scope, credits: Schema.Int }))
}).annotate({ identifier: "Catalogue", description: "The tools and operations that the key may call" })

/** The schema of a month from 2000-01 to 2999-12. */
export const Month = Schema.String.check(
  Schema.isPattern(/^2\d{3}-(0[1-9]|1[0-2])$/u, {
    expected: "a month written YYYY-MM",
    expectedMessage: { key: "expected_month" }
  })
)

/** The query parameter `month` of usage requests, written YYYY-MM; by default the current month. */
export const MonthQuery = { month: Schema.optionalKey(Month.annotate({ description: "YYYY-MM, UTC" })) }

/** The fields of a usage total: ended calls, calls without a charge, and charged credits. */
export const usageTotalFields = { calls: Schema.Int, failed: Schema.Int, credits: Schema.Int }

/** The schema of an account's credits of one month. */
export const MonthCreditsBody = Schema.Struct({
  allotted: Schema.Int.annotate({ description: "The credits of the plan for the month" }),
  adjusted: Schema.Int.annotate({
    description: "The sum of the month's grants, refunds and corrections; it may be negative"
  }),
  used: Schema.Int,
  reserved: Schema.Int,
  left: Schema.Int.annotate({ description: "`allotted` + `adjusted` - `used` - `reserved`, but at least 0" })
})

/** An adjustment as the account's user sees it, without the operator's reason. */
const UsageAdjustment = Schema.Struct({
  id: Schema.Int,
  kind: Schema.Literals(["grant", "refund", "correction"]),
  amount: Schema.Int,
  call_id: Schema.NullOr(Schema.String).annotate({ description: "The refunded call; null unless `kind` is `refund`" }),
  reference: Schema.NullOr(Schema.String),
  created_at: Schema.String
})

/** The fields of a month's balance: credits, adjustments, renewal time, and usage by tool. */
export const monthBalanceFields = {
  month: Schema.String.annotate({ description: "YYYY-MM, UTC" }),
  credits: MonthCreditsBody,
  adjustments: Schema.Array(UsageAdjustment).annotate({
    description: "The newest 100 adjustments of the month, newest first"
  }),
  renews_at: Schema.String,
  tools: Schema.Array(Schema.Struct({ name: Schema.String, ...usageTotalFields }))
}

export const UsageBody = Schema.Struct({
  plan: Schema.String,
  ...monthBalanceFields,
  key: Schema.NullOr(Schema.Struct({
    monthly_credits: Schema.Int,
    used: Schema.Int,
    reserved: Schema.Int,
    left: Schema.Int.annotate({ description: "`monthly_credits` - `used` - `reserved`, but at least 0" })
  })).annotate({
    description:
      "The credits of the key that sent the request, in the current month; null without monthly credits of its own"
  }),
  answers: Schema.Struct({ today: Schema.Int, quota: Schema.Int, renews_at: Schema.String })
}).annotate({ identifier: "Usage", description: "The account's usage of the month, and the remaining credits" })

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
}).annotate({ identifier: "Quote", description: "The price of the calls" })

export const HealthBody = Schema.Struct({ status: Schema.Literal("ok") }).annotate({
  identifier: "Health",
  description: "The process is running"
})
const instant = Schema.NullOr(Schema.String).annotate({ description: "ISO 8601, UTC" })

/** The schema of the live market data's state, as seen by the process that answers the readiness check. */
export const MarketReadiness = Schema.Struct({
  network: Schema.Literals(["reachable", "unknown", "unreachable"]).annotate({
    description: "`unreachable` if the service cannot reach any source, because it has no network or its proxy fails"
  }),
  sources: Schema.Array(Schema.Struct({
    source: Schema.String,
    state: Schema.Literals(["unknown", "up", "failing", "limited", "blocked"]),
    failure: Schema.NullOr(Schema.String),
    reason: Schema.NullOr(Schema.String).annotate({
      description: "The reason why the source is not `up`; null if it is"
    }),
    last_success_at: instant,
    blocked_until: instant,
    next: Schema.NullOr(Schema.String).annotate({
      description: "The source that replaces this source while it is blocked; null without a replacement"
    })
  })),
  collected: Schema.Array(Schema.Struct({
    source: Schema.String,
    lead: Schema.Literals(["leads", "follows", "asks"]).annotate({
      description:
        "`leads`: this process collects from the source; `follows`: another process does; `asks`: the collecting process is unknown"
    }),
    holder: Schema.NullOr(Schema.String).annotate({
      description:
        "The id of the process that collects: host, process number and a random part. If the collecting process is unknown, the last known one"
    }),
    series: Schema.Array(Schema.Struct({
      name: Schema.String,
      lag_ms: Schema.NullOr(Schema.Finite).annotate({
        description: "Age of the latest recorded data, of the subject that is furthest behind; null if unknown"
      }),
      missing_ms: Schema.Finite.annotate({
        description: "Total length of the gaps that can still be filled, of all subjects together"
      }),
      lost_ms: Schema.Finite.annotate({ description: "Total length of the gaps that can no longer be filled" }),
      whole_at: Schema.NullOr(Schema.String).annotate({
        description: "The last time at which all due data was recorded. ISO 8601, UTC"
      }),
      unlisted: Schema.Array(Schema.String).annotate({
        description: "Configured instruments that no source lists; empty until all sources have responded"
      }),
      last_fault_at: instant,
      reason: Schema.NullOr(Schema.String).annotate({
        description: "The reason of the last fault. The fault is over if `whole_at` is later than `last_fault_at`"
      })
    }))
  }))
}).annotate({ identifier: "MarketReadiness", description: "The state of a live market's sources and collectors" })

export const ReadinessBody = Schema.Struct({
  status: Schema.Literal("ready"),
  market: Schema.optionalKey(MarketReadiness)
}).annotate({
  identifier: "Readiness",
  description: "The process is ready, even if market sources are unavailable"
})

export const metaGroup = HttpApiGroup.make("meta", { topLevel: true })
  .add(
    HttpApiEndpoint.get("catalogue", "/v1/tools", {
      query: {
        area: Schema.optionalKey(Schema.Literals(areas).annotate({ description: "Only the tools of this area" })),
        view: Schema.optionalKey(
          Schema.Literals(["full", "parameters"]).annotate({
            description: "`parameters` omits result schemas and scopes, which a call does not need"
          })
        )
      },
      success: CatalogueBody
    }).annotateMerge(OpenApi.annotations({
      identifier: "catalogue",
      summary: "List tools",
      description:
        "Returns the tools that this key may call, with schemas, scopes and prices. Returns 304 if `if-none-match` contains the current `etag`."
    })),
    HttpApiEndpoint.get("usage", "/v1/usage", {
      query: MonthQuery,
      success: UsageBody
    }).annotateMerge(OpenApi.annotations({
      identifier: "usage",
      summary: "Get the usage of a month",
      description:
        "Returns the account's credits of a month, and the usage by tool. Without `month`, the current month."
    })),
    HttpApiEndpoint.post("quote", "/v1/quote", {
      payload: QuoteRequest,
      success: QuoteBody,
      error: problemSchemas("invalid_body", "user_id_not_accepted", "payload_too_large", "unsupported_media_type")
    })
      .annotateMerge(OpenApi.annotations({
        identifier: "quote",
        summary: "Price calls",
        description: "Returns the price of a list of calls. Costs no credits."
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
      .annotateMerge(
        OpenApi.annotations({
          identifier: "openapi",
          summary: "Get the OpenAPI document",
          description: "Returns this document."
        })
      ),
    HttpApiEndpoint.get("health", "/healthz", { success: HealthBody })
      .annotateMerge(
        OpenApi.annotations({
          identifier: "health",
          summary: "Check liveness",
          description: "Succeeds while the process runs."
        })
      ),
    HttpApiEndpoint.get("readiness", "/readyz", {
      success: ReadinessBody
    }).annotateMerge(OpenApi.annotations({
      identifier: "readiness",
      summary: "Check readiness",
      description:
        "Succeeds if the database responds and its migrations are applied. `market` contains the state of a live market's sources."
    }))
  )
  .middleware(RejectUnknownQuery)
  .middleware(CommonErrors)
  .annotate(OpenApi.Description, "The OpenAPI document and health checks. These need no key.")
