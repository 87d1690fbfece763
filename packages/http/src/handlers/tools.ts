import { servedToolsGroup, type ToolAnswer } from "@tapeline/api"
import { type CallOutcome, type Issue, PublicAddress, say, ToolCaller } from "@tapeline/core"
import { Effect, Layer } from "effect"
import { HttpServerResponse } from "effect/http"
import { callBodyLimit, readBody } from "../body.ts"
import { layerCallerRoute } from "../callerRoute.ts"
import type { Exchange } from "../exchange.ts"
import { operation } from "../operation.ts"

/** An idempotency key that is sent twice, in the words of the caller's language. */
const keyIssues = ({ language, sent }: Exchange): ReadonlyArray<Issue> => {
  if (sent["idempotency-key"] < 2) return []
  const header = "Idempotency-Key"
  return [{ path: [header], message: say({ key: "repeated_header", params: { header } }, language) }]
}

/** An answer as `ToolAnswer` describes it; its `data` is of the tool's own schema, by which `ToolCaller` encoded it. */
const answerOf = ({ envelope, replayed }: CallOutcome): HttpServerResponse.HttpServerResponse => {
  const { credits_left, credits_used, data, took_ms, tool } = envelope
  // The account of a call over HTTP pays for it by itself.
  if (credits_left === undefined) throw new Error(`the call of ${tool} reserved nothing`)
  const answer = { tool, credits_used, credits_left, took_ms, data } satisfies typeof ToolAnswer.Encoded
  return HttpServerResponse.text(JSON.stringify(answer), {
    contentType: "application/json",
    headers: replayed ? { "idempotent-replayed": "true" } : undefined
  })
}

/**
 * Where this service is reached: as it was told, or as its caller reached it. Who stands behind a proxy that speaks TLS
 * has to tell it.
 */
const reachedAt = (publicUrl: string | undefined): (host: string | undefined) => string => {
  const told = publicUrl?.replace(/\/+$/, "")
  return (host) => told ?? (host === undefined ? "" : `http://${host}`)
}

/** One operation for every tool: the path's last segment names it, and `ToolCaller` judges everything else. */
export const layerTools = (publicUrl: string | undefined, addressOf = reachedAt(publicUrl)) =>
  Layer.unwrap(Effect.map(ToolCaller, (caller) =>
    layerCallerRoute(
      servedToolsGroup.endpoints.callTool,
      operation(({ exchange, params: { name = "" }, principal, request }) => {
        const { language } = exchange
        const repeated = keyIssues(exchange)
        // Node joins a header that is sent twice: what it joined is no key of anybody's.
        const idempotencyKey = repeated.length > 0 ? undefined : request.headers["idempotency-key"]
        const called = Effect.flatMap(readBody(request, callBodyLimit, exchange), ({ issues, value }) =>
          caller.call({
            principal,
            name,
            arguments: value,
            language,
            idempotencyKey,
            issues: repeated.length > 0 ? [...repeated, ...issues] : issues
          }))
        return Effect.provideService(Effect.map(called, answerOf), PublicAddress, addressOf(request.headers["host"]))
      })
    )))
