import { EndedBody, servedAccountApi, type SessionBody, SessionList, SignedInCaller } from "@tapeline/api"
import { type PageAfter, type SessionRecord, Sessions } from "@tapeline/core"
import { sessionExpiry } from "@tapeline/core/engine"
import { pauseUserTasks, TaskStore } from "@tapeline/core/personal"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { SessionCookies } from "../callers/cookies.ts"
import { currentRequestContext } from "../requestContext.ts"
import { makeJsonResponder, makeOperation } from "../responses.ts"
import { iso, isoOrNull, readPage } from "./responseBodies.ts"

const respondSessions = makeJsonResponder(SessionList)
const respondEnded = makeJsonResponder(EndedBody)

export const sessionBody = (session: SessionRecord, currentId: number): typeof SessionBody.Type => ({
  id: session.id,
  signed_in_by: session.signInMethod,
  device: session.device,
  created_at: iso(session.createdAt),
  last_used_at: iso(session.lastUsedAt),
  ends_at: iso(sessionExpiry(session)),
  ended_at: isoOrNull(session.ended?.at ?? null),
  ended_because: session.ended?.reason ?? null,
  current: session.id === currentId
})

/** Ends a session of the signed-in account, and removes the session cookie if the ended session sent the request. */
export const makeEndSession = Effect.gen(function*() {
  const [cookies, sessions] = yield* Effect.all([SessionCookies, Sessions])
  return Effect.fnUntraced(function*(request: HttpServerRequest.HttpServerRequest, id: number) {
    const { account, session } = yield* SignedInCaller
    const isOwn = id === session
    yield* sessions.end({ account, id }, isOwn ? "signed_out" : "revoked")
    if (isOwn) cookies.clearToken(request, yield* currentRequestContext)
    return HttpServerResponse.empty({ status: 204 })
  })
})

export const layerSessions = HttpApiBuilder.group(
  servedAccountApi,
  "sessions",
  Effect.fnUntraced(function*(handlers) {
    const [sessions, tasks] = yield* Effect.all([Sessions, Effect.service(TaskStore)])
    const endSession = yield* makeEndSession
    return handlers
      .handleRaw(
        "sessions",
        makeOperation(Effect.fnUntraced(function*({ query }) {
          const { account, session } = yield* SignedInCaller
          const { next_cursor, part } = yield* readPage(
            (page: PageAfter) => Effect.catchTag(sessions.sessions(account, page), "UnknownAccount", Effect.die),
            query
          )
          return yield* respondSessions({ sessions: part.map((record) => sessionBody(record, session)), next_cursor })
        }))
      )
      .handleRaw(
        "endOtherSessions",
        makeOperation(Effect.fnUntraced(function*({ query }) {
          const { account, session } = yield* SignedInCaller
          const ended = yield* sessions.endAll(account, session)
          // An ended session can no longer create tasks, so the task list is complete.
          const paused_tasks = query.tasks === "pause" ? yield* pauseUserTasks(tasks, account) : 0
          return yield* respondEnded({ ended, paused_tasks })
        }))
      )
      .handleRaw("endSession", makeOperation(({ params: { id }, request }) => endSession(request, id)))
  })
)
