import { HealthBody, type MarketReadiness, ReadinessBody, servedApi } from "@tapeline/api"
import type { StoreUnavailable } from "@tapeline/core"
import { Context, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { answering } from "../answer.ts"
import { type Kept, keptResponse } from "../kept.ts"
import { operation } from "../operation.ts"

/** Whether what the service stands on is there: the database answers and its migrations are done. */
export class Readiness extends Context.Service<Readiness, {
  readonly check: Effect.Effect<void, StoreUnavailable>
  /** How the market does where it is a live one; what of it is away makes nothing else unready. */
  readonly market?: Effect.Effect<typeof MarketReadiness.Type> | undefined
}>()("@tapeline/http/Readiness") {}

const answerHealth = answering(HealthBody)
const answerReadiness = answering(ReadinessBody)

/** What holds now says nothing of later. */
const now = { "cache-control": "no-store" }

/** What needs no key; `document` is the OpenAPI document. */
export const layerPublic = (document: Kept) =>
  HttpApiBuilder.group(
    servedApi,
    "public",
    Effect.fnUntraced(function*(handlers) {
      const { check, market } = yield* Readiness
      const told = market === undefined ? Effect.succeed({}) : Effect.map(market, (market) => ({ market }))
      return handlers
        .handleRaw("openapi", ({ request }) =>
          Effect.succeed(
            keptResponse(request, document, "application/json", { "cache-control": "public, max-age=300" })
          ))
        .handleRaw("health", () => answerHealth({ status: "ok" }, now))
        .handleRaw(
          "readiness",
          operation(() =>
            Effect.andThen(
              check,
              Effect.flatMap(told, (detail) => answerReadiness({ status: "ready", ...detail }, now))
            )
          )
        )
    })
  )
