import { Effect } from "effect"
import type { StoreUnavailable } from "../../../engine/store/errors.ts"
import type { NoTaskStore } from "../errors.ts"
import type { Firing } from "../firing.ts"
import { collapseMissed } from "../scheduleTimes.ts"
import type { ScheduleTask } from "../task.ts"
import type { Claim, TaskStore } from "../TaskStore.ts"
import { forEachIsolated } from "./forEachIsolated.ts"

const [pageSize, maxConcurrentClaims] = [200, 4]

const makeScheduleClaim = ({ id, nextAt, prompt, spec, title, version }: ScheduleTask, now: number): Claim | null => {
  const collapsed = collapseMissed(spec, nextAt, now)
  return collapsed === null ? null : {
    task: id,
    version,
    due: `at:${collapsed.dueAt}`,
    dueAt: collapsed.dueAt,
    missed: collapsed.missed,
    observed: null,
    question: prompt ?? title,
    next: { kind: "schedule", from: nextAt, nextAt: collapsed.nextAt }
  }
}

/** Claims due schedules and runs one firing of each schedule, however many due times have passed. */
export const sweepSchedules = Effect.fnUntraced(function*(
  tasks: typeof TaskStore["Service"],
  run: (firing: Firing) => Effect.Effect<void>
): Effect.fn.Return<void, StoreUnavailable | NoTaskStore> {
  for (;;) {
    const dueSchedules = yield* tasks.listDueSchedules(pageSize)
    const now = yield* tasks.currentTime
    const claims = dueSchedules.flatMap((task) => makeScheduleClaim(task, now) ?? [])
    const claimedFirings = yield* forEachIsolated(
      claims,
      (claim) =>
        Effect.flatMap(tasks.claim(claim), (firing) => Effect.as(firing === null ? Effect.void : run(firing), firing)),
      maxConcurrentClaims
    )
    // If no claim of a page succeeded, other processes have claimed the schedules, and the sweep stops.
    if (dueSchedules.length < pageSize || claimedFirings.every((firing) => firing === null)) return
  }
})
