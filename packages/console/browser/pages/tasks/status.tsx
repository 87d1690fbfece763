import { useNow } from "../../i18n/clock.ts"
import { useNumbers } from "../../i18n/numbers.ts"
import { useRelativeTime } from "../../i18n/relativeTime.ts"
import { useTexts } from "../../i18n/texts.ts"
import { Badge } from "../../widgets/layout.tsx"
import { useTaskDescriber } from "./describe.ts"
import type { Task } from "./queries.ts"
import styles from "./Tasks.module.css"
import { taskTexts } from "./texts.ts"

export const TaskStatusBadge = ({ status }: Pick<Task, "status">) => {
  const texts = useTexts(taskTexts)
  return <Badge variant={status === "active" ? "good" : status === "paused" ? "tape" : "plain"}>{texts[status]}</Badge>
}

/** The next due time of a task, or the last value that a watch task has observed. */
export const NextRun = ({ task }: { readonly task: Task }) => {
  const texts = useTexts(taskTexts)
  const ago = useRelativeTime()
  const now = useNow()
  const describe = useTaskDescriber()
  if (task.status !== "active") return <span className="soft small">–</span>
  const value = describe.value(task)
  return (
    <span className={styles["two"]}>
      <span>
        {task.held_until !== null
          ? texts.heldUntil(ago(task.held_until, now))
          : task.next_at !== null
          ? texts.due(ago(task.next_at, now))
          : texts.waits}
      </span>
      {task.watch !== null && (
        <span className="soft small">
          {task.watch.armed ? value === undefined ? "" : texts.now(value) : texts.disarmed}
        </span>
      )}
    </span>
  )
}

export const RunCount = ({ task: { max_runs, runs } }: { readonly task: Task }) => {
  const texts = useTexts(taskTexts)
  const { integer } = useNumbers()
  return max_runs === null ? integer(runs) : texts.runsOf(integer(runs), integer(max_runs))
}

export const LastFiring = ({ last }: Pick<Task, "last">) => {
  const texts = useTexts(taskTexts)
  const ago = useRelativeTime()
  const now = useNow()
  if (last === null) return <span className="soft small">{texts.never}</span>
  const isFailure = last.outcome === "failed" || last.outcome === "refused" || last.outcome === "key_gone"
  return (
    <span className={isFailure ? "bad" : ""}>
      {texts.outcomeOf(texts[last.outcome], ago(last.due_at, now))}
    </span>
  )
}
