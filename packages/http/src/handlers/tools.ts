import { servedToolsGroup, type ToolAnswer } from "@tapeline/api"
import { type CallOutcome, PublicAddress, ToolCaller } from "@tapeline/core"
import { Effect, Layer } from "effect"
import { HttpServerResponse } from "effect/http"
import { callBodyLimit, readCallerBody } from "../body.ts"
import { layerCallerRoute } from "../callerRoute.ts"
import { idempotencyKeyOf } from "../idempotencyKey.ts"
import { operation } from "../operation.ts"
import { reachedAt } from "../reachedAt.ts"

/** Makes the response that `ToolAnswer` describes. `ToolCaller` has encoded its `data` with the tool's own schema. */
const answerOf = ({ envelope, replayed }: CallOutcome): HttpServerResponse.HttpServerResponse => {
  const { credits_left, credits_used, data, took_ms, tool } = envelope
  // A call over HTTP always has its own reservation.
  if (credits_left === undefined) throw new Error(`the call of ${tool} reserved nothing`)
  const answer = { tool, credits_used, credits_left, took_ms, data } satisfies typeof ToolAnswer.Encoded
  return HttpServerResponse.text(JSON.stringify(answer), {
    contentType: "application/json",
    headers: replayed ? { "idempotent-replayed": "true" } : undefined
  })
}

/**
 * One operation for all tools. The last segment of the path is the tool's name, and `ToolCaller` checks everything
 * else.
 */
export const layerTools = (publicUrl: string | undefined) =>
  Layer.unwrap(Effect.map(Effect.all([ToolCaller, reachedAt(publicUrl)]), ([caller, address]) =>
    layerCallerRoute(
      servedToolsGroup.endpoints.callTool,
      operation(({ exchange, params: { name = "" }, request }) => {
        const { language } = exchange
        const { idempotencyKey, issues: repeated } = idempotencyKeyOf(request, exchange)
        const called = Effect.flatMap(
          readCallerBody(request, callBodyLimit, exchange),
          ({ issues, principal, value }) =>
            caller.call({
              principal,
              name,
              arguments: value,
              language,
              idempotencyKey,
              issues: repeated.length > 0 ? [...repeated, ...issues] : issues
            })
        )
        return Effect.provideService(Effect.map(called, answerOf), PublicAddress, address)
      })
    )))
