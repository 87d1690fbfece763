import { Caller, servedApi, TooManyStreams, UnknownAddress } from "@tapeline/api"
import { ScopeRequired } from "@tapeline/core"
import { NotificationStore, readNotificationCounts } from "@tapeline/core/personal"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { RequestAuthenticator } from "../callers/RequestAuthenticator.ts"
import { currentRequestContext } from "../requestContext.ts"
import { makeOperation } from "../responses.ts"
import { encodeUnreadCount, lastReadNotification } from "../streaming/eventEncoding.ts"
import { EventStreams } from "../streaming/EventStreams.ts"
import { makeStreamResponse, maxNotificationStreams, notificationLog } from "../streaming/streamResponse.ts"

const requiredScope = "read:personal"

/**
 * The handler of the notification stream. The stream ends when the reader disconnects, or when the key or session is no
 * longer valid.
 */
export const layerNotifications = HttpApiBuilder.group(
  servedApi,
  "notifications",
  Effect.fnUntraced(function*(handlers) {
    const [store, { isStillAuthorized }, eventStreams] = yield* Effect.all([
      NotificationStore,
      RequestAuthenticator,
      EventStreams
    ])
    const streamResponse = yield* makeStreamResponse
    return handlers.handleRaw(
      "notifications",
      makeOperation(Effect.fnUntraced(function*({ query, request }) {
        const { principal } = yield* Caller
        if (!principal.scopes.includes(requiredScope)) {
          return yield* new ScopeRequired({ required_scope: requiredScope })
        }
        const { language, rateLimit } = yield* currentRequestContext
        const source = notificationLog(store, principal.account, language)
        if (rateLimit !== undefined && eventStreams.isFull(source)) {
          const { limit, remaining, resetMs } = rateLimit
          return yield* new TooManyStreams({ max: maxNotificationStreams, limit, remaining, resetMs })
        }
        const { newest, unread } = yield* Effect.catchTag(
          readNotificationCounts(store, principal.account),
          "NoTaskStore",
          () => Effect.fail(new UnknownAddress())
        )
        const lastReadNumber = lastReadNotification(newest, request.headers["last-event-id"], query.after)
        return streamResponse(request, {
          source,
          after: lastReadNumber ?? newest,
          initialBytes: lastReadNumber === undefined ? encodeUnreadCount(newest, unread) : undefined,
          isStillAuthorized: isStillAuthorized(request, [requiredScope])
        })
      }))
    )
  })
)
