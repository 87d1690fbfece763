import { PgClient } from "@effect/sql-pg"
import { TaskFailpoints, TaskStore, withTaskFailpoints } from "@tapeline/core/personal"
import { Effect, Layer } from "effect"
import { makeBackgroundPool } from "../connection/sessions.ts"
import { mapSqlErrors } from "../errors.ts"
import { makeLockRetry } from "../rowLocks.ts"
import { attemptClaim } from "./claims.ts"
import { deleteOldRows } from "./deletions.ts"
import { attemptEnd, attemptMove } from "./firingEnd.ts"
import { NotificationChannel } from "./NotificationChannel.ts"
import { acquireLeadership, attemptRenew, attemptTake, storeObservations } from "./runnerWrites.ts"
import { attemptWrite } from "./taskChanges.ts"
import { makeReadMethods } from "./taskReads.ts"

/** Implements `TaskStore` with PostgreSQL or PGlite, and takes all times from the clock of the database. */
export const PgTaskStore: Layer.Layer<never, never, PgClient.PgClient | NotificationChannel> = Layer.effect(
  TaskStore,
  Effect.gen(function*() {
    const [sql, { notify }, failpoints, backgroundPool] = yield* Effect.all([
      PgClient.PgClient,
      NotificationChannel,
      TaskFailpoints,
      makeBackgroundPool
    ])
    const mapErrors = mapSqlErrors("TaskStore")
    const runChange = makeLockRetry("TaskStore")
    const withFailpointsOf = withTaskFailpoints(failpoints)
    return {
      ...makeReadMethods(sql),
      write: (account, callId, taskChange) =>
        Effect.flatMap(
          withFailpointsOf(
            "write",
            runChange(attemptWrite(sql, account, callId, taskChange), { retriesConflicts: true })
          ),
          ({ notified, result }) =>
            Effect.andThen(
              notified === null ? Effect.void : notify(account, notified),
              Effect.fromResult(result)
            )
        ),
      storeWatchStates: (observed) =>
        withFailpointsOf("observe", Effect.asVoid(mapErrors(storeObservations(sql, observed)))),
      claim: (claim) =>
        withFailpointsOf(
          "claim",
          runChange(attemptClaim(sql, claim, () => failpoints("within:claim")), { retriesConflicts: true })
        ),
      take: (firing, staleMs) => withFailpointsOf("take", runChange(attemptTake(sql, firing, staleMs))),
      renew: (fence) => withFailpointsOf("renew", runChange(attemptRenew(sql, fence, null))),
      assignNewConversation: (fence) => withFailpointsOf("rehouse", runChange(attemptMove(sql, fence))),
      recordGeneration: (fence, generation) =>
        withFailpointsOf(
          "asked",
          Effect.map(runChange(attemptRenew(sql, fence, generation)), (touched) => touched !== null)
        ),
      end: (fence, end) =>
        withFailpointsOf("end", runChange(attemptEnd(sql, fence, end, () => failpoints("within:end")))).pipe(
          Effect.tap((ended) =>
            ended === null || ended.notification === null ? Effect.void : notify(ended.account, ended.notification.n)
          ),
          Effect.map((ended) => ended === null ? null : { notification: ended.notification })
        ),
      acquireLeadership: (holder, leaseMs) =>
        withFailpointsOf("lead", mapErrors(acquireLeadership(sql, holder, leaseMs))),
      sweep: (keepMs, limit) => withFailpointsOf("sweep", mapErrors(deleteOldRows(backgroundPool.run, keepMs, limit)))
    }
  })
)
