import { PgClient } from "@effect/sql-pg"
import { TaskFailpoints, TaskStore, withTaskFailpoints } from "@tapeline/core/personal"
import { Effect, Layer } from "effect"
import { makeAside } from "../connection/SideSessions.ts"
import { unavailable } from "../errors.ts"
import { patiently } from "../patiently.ts"
import { BellChannel } from "./BellChannel.ts"
import { writeOnce } from "./changing.ts"
import { claimOnce } from "./claiming.ts"
import { endOnce, rehouseOnce } from "./ending.ts"
import { reading } from "./reading.ts"
import { leadOnce, observeOnce, takeOnce, touchOnce } from "./running.ts"
import { sweepOnce } from "./sweeping.ts"

/** `TaskStore` on PostgreSQL or PGlite, on a current schema. Times are the database's. */
export const PgTaskStore: Layer.Layer<never, never, PgClient.PgClient | BellChannel> = Layer.effect(
  TaskStore,
  Effect.gen(function*() {
    const [sql, { tell }, hook, aside] = yield* Effect.all([PgClient.PgClient, BellChannel, TaskFailpoints, makeAside])
    const guard = unavailable("TaskStore")
    const change = patiently("TaskStore")
    const named = withTaskFailpoints(hook)
    return {
      ...reading(sql),
      write: (account, callId, asked) =>
        Effect.flatMap(
          named("write", change(writeOnce(sql, account, callId, asked), { again: true })),
          (written) => Effect.fromResult(written)
        ),
      observe: (observed) => named("observe", Effect.asVoid(guard(observeOnce(sql, observed)))),
      claim: (claim) => named("claim", change(claimOnce(sql, claim, () => hook("within:claim")), { again: true })),
      take: (firing, staleMs) => named("take", change(takeOnce(sql, firing, staleMs))),
      renew: (fence) => named("renew", change(touchOnce(sql, fence, null))),
      rehouse: (fence) => named("rehouse", change(rehouseOnce(sql, fence))),
      asked: (fence, generation) =>
        named("asked", Effect.map(change(touchOnce(sql, fence, generation)), (touched) => touched !== null)),
      end: (fence, end) =>
        named("end", change(endOnce(sql, fence, end, () => hook("within:end")))).pipe(
          Effect.tap((ended) =>
            ended === null || ended.notification === null ? Effect.void : tell(ended.account, ended.notification.n)
          ),
          Effect.map((ended) => ended === null ? null : { notification: ended.notification })
        ),
      lead: (holder, leaseMs) => named("lead", guard(leadOnce(sql, holder, leaseMs))),
      sweep: (keepMs, limit) => named("sweep", guard(sweepOnce(aside.run, keepMs, limit)))
    }
  })
)
