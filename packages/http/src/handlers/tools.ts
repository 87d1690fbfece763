import { servedToolsGroup, type ToolResponseBody } from "@tapeline/api"
import { type CallOutcome, PublicBaseUrl, ToolCaller } from "@tapeline/core"
import { Effect, Layer } from "effect"
import { HttpServerResponse } from "effect/http"
import { callBodyLimit, readCallerBody } from "../body.ts"
import { layerCallerRoute } from "../callerRoute.ts"
import { publicAddress } from "../publicAddress.ts"
import { readIdempotencyKey } from "../requestContext.ts"
import { callHeaders, makeOperation } from "../responses.ts"

/** Creates the response to a tool call. `data` must already be encoded with the schema of the tool. */
const toolResponse = ({ callId, envelope, replayed }: CallOutcome): HttpServerResponse.HttpServerResponse => {
  const { credits_left, credits_used, data, took_ms, tool } = envelope
  if (credits_left === undefined || callId === null) throw new Error(`the call of ${tool} has no reservation`)
  const answer = { tool, credits_used, credits_left, took_ms, data } satisfies typeof ToolResponseBody.Encoded
  return HttpServerResponse.text(JSON.stringify(answer), {
    contentType: "application/json",
    headers: callHeaders(callId, replayed)
  })
}

/** The route of all tool calls. `ToolCaller` validates the tool name in the path and the arguments. */
export const layerTools = (publicUrl: string | undefined) =>
  Layer.unwrap(Effect.map(Effect.all([ToolCaller, publicAddress(publicUrl)]), ([caller, address]) =>
    layerCallerRoute(
      servedToolsGroup.endpoints.callTool,
      makeOperation(({ requestContext, params: { name = "" }, request }) => {
        const { language } = requestContext
        const { idempotencyKey, issues: repeated } = readIdempotencyKey(request, requestContext)
        const outcome = Effect.flatMap(
          readCallerBody(request, callBodyLimit, requestContext),
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
        return Effect.provideService(Effect.map(outcome, toolResponse), PublicBaseUrl, address)
      })
    )))
