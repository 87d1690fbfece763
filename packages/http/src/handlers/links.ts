import { LinkBody, servedLinksApi, signInPath } from "@tapeline/api"
import { Sessions } from "@tapeline/core"
import { Effect, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { answering } from "../answer.ts"
import { operation } from "../operation.ts"
import { reachedAt } from "../reachedAt.ts"

const answerLink = answering(LinkBody)

/** Links that sign people in, to the console at `consoleUrl`, or at the address that the administration is asked at. */
export const layerLinks = (consoleUrl: string | undefined) => {
  const addressOf = reachedAt(consoleUrl)
  return HttpApiBuilder.group(
    servedLinksApi,
    "links",
    Effect.fnUntraced(function*(handlers) {
      const sessions = yield* Sessions
      return handlers.handleRaw(
        "createLink",
        operation(Effect.fnUntraced(function*({ params, request }) {
          const { expiresAt, text } = yield* sessions.createLink(params.id)
          return yield* answerLink({
            url: `${addressOf(request.headers["host"])}${signInPath}#${Redacted.value(text)}`,
            expires_at: new Date(expiresAt).toISOString()
          })
        }))
      )
    })
  )
}
