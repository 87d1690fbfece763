import { EndedBody, servedAccountApi, type SessionBody, SessionList, SignedInCaller } from "@tapeline/api"
import { type Page, type SessionRecord, Sessions } from "@tapeline/core"
import { sessionExpiry } from "@tapeline/core/engine"
import { pauseUserTasks, TaskStore } from "@tapeline/core/personal"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { answering } from "../answer.ts"
import { SessionCookies } from "../callers/cookies.ts"
import { currentExchange } from "../exchange.ts"
import { operation } from "../operation.ts"
import { iso, isoOrNull, pageOf } from "./keyBodies.ts"

const answerSessions = answering(SessionList)
const answerEnded = answering(EndedBody)

/** A session in the response for its account. `current` is the session that sent the request. */
export const sessionBody = (session: SessionRecord, current: number): typeof SessionBody.Type => ({
  id: session.id,
  signed_in_by: session.by,
  device: session.device,
  created_at: iso(session.createdAt),
  last_used_at: iso(session.lastUsedAt),
  ends_at: iso(sessionExpiry(session)),
  ended_at: isoOrNull(session.ended?.at ?? null),
  ended_because: session.ended?.how ?? null,
  current: session.id === current
})

/** Ends a session of the signed-in account. If it is the session that sent the request, removes its cookie. */
export const makeEnd = Effect.gen(function*() {
  const [cookies, sessions] = yield* Effect.all([SessionCookies, Sessions])
  return Effect.fnUntraced(function*(request: HttpServerRequest.HttpServerRequest, id: number) {
    const { account, session } = yield* SignedInCaller
    const isOwn = id === session
    yield* sessions.end({ account, id }, isOwn ? "signed_out" : "revoked")
    if (isOwn) cookies.takeBack(request, yield* currentExchange)
    return HttpServerResponse.empty({ status: 204 })
  })
})

/** The sessions of the signed-in account. */
export const layerSessions = HttpApiBuilder.group(
  servedAccountApi,
  "sessions",
  Effect.fnUntraced(function*(handlers) {
    const [sessions, tasks] = yield* Effect.all([Sessions, Effect.service(TaskStore)])
    const end = yield* makeEnd
    return handlers
      .handleRaw(
        "sessions",
        operation(Effect.fnUntraced(function*({ query }) {
          const { account, session } = yield* SignedInCaller
          const { next_cursor, part } = yield* pageOf(
            (page: Page) => Effect.catchTag(sessions.sessions(account, page), "UnknownAccount", Effect.die),
            query
          )
          return yield* answerSessions({ sessions: part.map((one) => sessionBody(one, session)), next_cursor })
        }))
      )
      .handleRaw(
        "endOtherSessions",
        operation(Effect.fnUntraced(function*({ query }) {
          const { account, session } = yield* SignedInCaller
          const ended = yield* sessions.endAll(account, session)
          // An ended session creates no task from here on, so the list below has all of its tasks.
          const paused_tasks = query.tasks === "pause" ? yield* pauseUserTasks(tasks, account) : 0
          return yield* answerEnded({ ended, paused_tasks })
        }))
      )
      .handleRaw("endSession", operation(({ params: { id }, request }) => end(request, id)))
  })
)
