import { Caller, servedApi, TooManyStreams, UnknownAddress } from "@tapeline/api"
import { ScopeRequired } from "@tapeline/core"
import { bellNow, NotificationStore } from "@tapeline/core/personal"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { WhoCalls } from "../callers/WhoCalls.ts"
import { currentExchange } from "../exchange.ts"
import { operation } from "../operation.ts"
import { lastRung, unreadBytes } from "../streaming/eventBytes.ts"
import { bellSource, bellsPerAccount, makeStreamResponse } from "../streaming/streamResponse.ts"
import { Streams } from "../streaming/Streams.ts"

const scope = "read:personal"

/** The stream of notifications. It lasts until the reader disconnects, or its key or session is no longer valid. */
export const layerNotifications = HttpApiBuilder.group(
  servedApi,
  "notifications",
  Effect.fnUntraced(function*(handlers) {
    const [store, { stillOpens }, streams] = yield* Effect.all([NotificationStore, WhoCalls, Streams])
    const streamResponse = yield* makeStreamResponse
    return handlers.handleRaw(
      "notifications",
      operation(Effect.fnUntraced(function*({ query, request }) {
        const { principal } = yield* Caller
        if (!principal.scopes.includes(scope)) return yield* new ScopeRequired({ required_scope: scope })
        const { language, window } = yield* currentExchange
        const source = bellSource(store, principal.account, language)
        if (window !== undefined && streams.isFull(source)) {
          const { limit, remaining, resetMs } = window
          return yield* new TooManyStreams({ most: bellsPerAccount, limit, remaining, resetMs })
        }
        // Without a store there are no notifications.
        const { newest, unread } = yield* Effect.catchTag(
          bellNow(store, principal.account),
          "NoTaskStore",
          () => Effect.fail(new UnknownAddress())
        )
        const read = lastRung(newest, request.headers["last-event-id"], query.after)
        return streamResponse(request, {
          source,
          after: read ?? newest,
          opening: read === undefined ? unreadBytes(newest, unread) : undefined,
          mayGoOn: stillOpens(request, [scope])
        })
      }))
    )
  })
)
