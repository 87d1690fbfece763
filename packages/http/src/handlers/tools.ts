import { Caller, servedApi, ToolAnswer } from "@tapeline/api"
import {
  type Envelope,
  grants,
  InvalidArguments,
  type Issue,
  type Language,
  say,
  ScopeRequired,
  scopesAny,
  Toolbox,
  ToolCaller,
  UnknownTool
} from "@tapeline/core"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { answering } from "../answer.ts"
import { callBodyLimit, readBody } from "../body.ts"
import { timesSent } from "../exchange.ts"
import { respond } from "../refusal.ts"

const printable = /^[\x20-\x7e]{1,128}$/
const header = "Idempotency-Key"

/** What is wrong with the idempotency key of a request, if anything is. */
const keyIssues = (request: HttpServerRequest.HttpServerRequest, language: Language): ReadonlyArray<Issue> => {
  const key = request.headers["idempotency-key"]
  if (timesSent(request, "idempotency-key") > 1) {
    return [{ path: [header], message: say({ key: "repeated_header", params: { header } }, language) }]
  }
  return key === undefined || printable.test(key)
    ? []
    : [{ path: [header], message: say({ key: "invalid_idempotency_key" }, language) }]
}

// `data` is unknown here: it is of the tool's own schema, by which `ToolCaller` encoded it.
const answer = answering(ToolAnswer)

/** The envelope of a call that its own account pays for, as every call over HTTP is. */
const paidFor = (envelope: Envelope) =>
  envelope.credits_left === undefined
    ? Effect.die(new Error(`the call of ${envelope.tool} reserved nothing`))
    : Effect.succeed({ ...envelope, credits_left: envelope.credits_left })

/** One handler for every tool: the path's last segment names it, and `ToolCaller` judges everything else. */
export const layerTools = HttpApiBuilder.group(
  servedApi,
  "tools",
  Effect.fnUntraced(function*(handlers) {
    const caller = yield* ToolCaller
    const toolbox = yield* Toolbox

    /** Refuses a call for `issues` that were found before it, unless something comes first that `ToolCaller` judges. */
    const refuse = Effect.fnUntraced(function*(name: string, issues: ReadonlyArray<Issue>) {
      const { principal } = yield* Caller
      const tool = toolbox.find(name)
      if (tool === undefined) return yield* new UnknownTool({ tool: name })
      const { area, scope } = tool.specification
      return yield* grants(principal.scopes, scopesAny(scope, area))
        ? new InvalidArguments({ issues })
        : new ScopeRequired({ required_scope: scope })
    })

    return handlers.handleRaw("callTool", ({ params: { name }, request }) =>
      respond(Effect.gen(function*() {
        const { language, principal } = yield* Caller
        const body = yield* readBody(request, callBodyLimit)
        const issues = [...keyIssues(request, language), ...body.issues]
        if (issues.length > 0) return yield* refuse(name, issues)
        const outcome = yield* caller.call({
          principal,
          name,
          arguments: body.value,
          language,
          idempotencyKey: request.headers["idempotency-key"]
        })
        return yield* answer(
          yield* paidFor(outcome.envelope),
          outcome.replayed ? { "idempotent-replayed": "true" } : undefined
        )
      })))
  })
)
