import { Effect } from "effect"
import type { StoreUnavailable } from "../../../engine/store/StoreUnavailable.ts"
import type { NoTaskStore } from "../errors.ts"
import type { Firing } from "../firing.ts"
import { collapse } from "../nextDue.ts"
import type { ScheduleTask } from "../task.ts"
import type { Claim, TaskStore } from "../TaskStore.ts"
import { eachAlone } from "./eachAlone.ts"

/** Schedules per read, and concurrent claims. */
const [page, claimsAtOnce] = [200, 4]

const claimOf = ({ id, nextAt, prompt, spec, title, version }: ScheduleTask, now: number): Claim | null => {
  const due = collapse(spec, nextAt, now)
  return due === null ? null : {
    task: id,
    version,
    due: `at:${due.dueAt}`,
    dueAt: due.dueAt,
    missed: due.missed,
    observed: null,
    question: prompt ?? title,
    next: { kind: "schedule", from: nextAt, nextAt: due.nextAt }
  }
}

/** Claims due schedules and runs their firings. Each schedule gets one firing, however many due times have passed. */
export const sweepSchedules = Effect.fnUntraced(function*(
  tasks: typeof TaskStore["Service"],
  run: (firing: Firing) => Effect.Effect<void>
): Effect.fn.Return<void, StoreUnavailable | NoTaskStore> {
  for (;;) {
    const due = yield* tasks.due(page)
    const now = yield* tasks.time
    const claims = due.flatMap((task) => claimOf(task, now) ?? [])
    const claimed = yield* eachAlone(
      claims,
      (claim) =>
        Effect.flatMap(tasks.claim(claim), (firing) => Effect.as(firing === null ? Effect.void : run(firing), firing)),
      claimsAtOnce
    )
    // Other processes may have claimed some of them. If no claim of a page succeeded, the sweep stops.
    if (due.length < page || claimed.every((firing) => firing === null)) return
  }
})
