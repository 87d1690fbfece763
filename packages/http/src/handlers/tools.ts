import { Caller, type KeyAuthorization, type makeApi } from "@tapeline/api"
import { InvalidArguments, say, ToolCaller } from "@tapeline/core"
import { Effect } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { callBodyLimit, readObject } from "../body.ts"
import { respond } from "../refusal.ts"

const printable = /^[\x20-\x7e]{1,128}$/

/** The idempotency key that a request carries, if it carries one. */
const idempotencyKeyOf = Effect.fnUntraced(function*(request: HttpServerRequest.HttpServerRequest) {
  const key = request.headers["idempotency-key"]
  if (key === undefined || printable.test(key)) return key
  const { language } = yield* Caller
  return yield* new InvalidArguments({
    issues: [{ path: ["Idempotency-Key"], message: say({ key: "invalid_idempotency_key" }, language) }]
  })
})

const json = (body: unknown, headers?: Readonly<Record<string, string>>) =>
  HttpServerResponse.text(JSON.stringify(body), { contentType: "application/json", headers })

/** One handler for every tool: the path's last segment names it, and `ToolCaller` judges everything else. */
export const layerTools = (api: ReturnType<typeof makeApi>) =>
  HttpApiBuilder.group(
    api,
    "tools",
    Effect.fnUntraced(function*(handlers) {
      const caller = yield* ToolCaller
      const call = (name: string, request: HttpServerRequest.HttpServerRequest) =>
        respond(Effect.gen(function*() {
          const { language, principal } = yield* Caller
          const args = yield* readObject(request, callBodyLimit)
          const idempotencyKey = yield* idempotencyKeyOf(request)
          const { envelope, replayed } = yield* caller.call({
            principal,
            name,
            arguments: args,
            language,
            idempotencyKey
          })
          return json(envelope, replayed ? { "idempotent-replayed": "true" } : undefined)
        }))

      const unknown = handlers.handleRaw("unknownTool", ({ params, request }) => call(params.name, request))
      for (const name of Object.keys(api.groups.tools.endpoints)) {
        if (name !== "unknownTool") unknown.handleRaw(name as never, ({ request }) => call(name, request))
      }
      // Which endpoints there are is known only now, so the types cannot see that the loop handles them all.
      return unknown as unknown as HttpApiBuilder.Handlers<KeyAuthorization>
    })
  )
