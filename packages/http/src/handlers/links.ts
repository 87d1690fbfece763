import { LinkBody, servedLinksApi, signInPath } from "@tapeline/api"
import { Sessions } from "@tapeline/core"
import { Effect, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { answering } from "../answer.ts"
import { operation } from "../operation.ts"

const answerLink = answering(LinkBody)

/** Creates links that sign users in to the console: at `consoleUrl`, or at the address of the admin request. */
export const layerLinks = (consoleUrl: string | undefined) =>
  HttpApiBuilder.group(
    servedLinksApi,
    "links",
    Effect.fnUntraced(function*(handlers) {
      const sessions = yield* Sessions
      return handlers.handleRaw(
        "createLink",
        operation(Effect.fnUntraced(function*({ params, request }) {
          const { expiresAt, text } = yield* sessions.createLink(params.id)
          // Only the sender of the request sees the link, so the host of the request is safe to use.
          const address = consoleUrl?.replace(/\/+$/, "") ?? `http://${request.headers["host"]}`
          return yield* answerLink({
            url: `${address}${signInPath}#${Redacted.value(text)}`,
            expires_at: new Date(expiresAt).toISOString()
          })
        }))
      )
    })
  )
