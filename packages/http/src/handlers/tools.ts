import { Caller, servedApi, ToolAnswer } from "@tapeline/api"
import { type Envelope, type Issue, say, ToolCaller } from "@tapeline/core"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { answering } from "../answer.ts"
import { callBodyLimit, readBody } from "../body.ts"
import { currentExchange, type Exchange } from "../exchange.ts"
import { operation } from "../operation.ts"

/** An idempotency key that is sent twice, in the words of the caller's language. */
const keyIssues = ({ language, sent }: Exchange): ReadonlyArray<Issue> => {
  if (sent["idempotency-key"] < 2) return []
  const header = "Idempotency-Key"
  return [{ path: [header], message: say({ key: "repeated_header", params: { header } }, language) }]
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

    return handlers.handleRaw(
      "callTool",
      operation(Effect.fnUntraced(function*({ params: { name }, request }) {
        const { language, principal } = yield* Caller
        const body = yield* readBody(request, callBodyLimit)
        const repeated = keyIssues(yield* currentExchange)
        const outcome = yield* caller.call({
          principal,
          name,
          arguments: body.value,
          language,
          // Node joins a header that is sent twice: what it joined is no key of anybody's.
          idempotencyKey: repeated.length > 0 ? undefined : request.headers["idempotency-key"],
          issues: [...repeated, ...body.issues]
        })
        return yield* answer(
          yield* paidFor(outcome.envelope),
          outcome.replayed ? { "idempotent-replayed": "true" } : undefined
        )
      }))
    )
  })
)
