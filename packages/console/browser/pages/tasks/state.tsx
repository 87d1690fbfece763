import { Badge } from "../../widgets/parts.tsx"
import { useAgo } from "../../words/ago.ts"
import { useNumbers } from "../../words/numbers.ts"
import { useNow } from "../../words/useNow.ts"
import { useWords } from "../../words/words.ts"
import type { Task } from "./asks.ts"
import { useDescribe } from "./describe.ts"
import styles from "./Tasks.module.css"
import { taskWords } from "./words.ts"

/** The status of a task: active, paused or done. */
export const StateBadge = ({ status }: Pick<Task, "status">) => {
  const says = useWords(taskWords)
  return <Badge look={status === "active" ? "good" : status === "paused" ? "tape" : "plain"}>{says[status]}</Badge>
}

/** The next due time, or how far a watch is from firing. */
export const Next = ({ task }: { readonly task: Task }) => {
  const says = useWords(taskWords)
  const ago = useAgo()
  const now = useNow()
  const describe = useDescribe()
  if (task.status !== "active") return <span className={styles["soft"]}>–</span>
  const value = describe.value(task)
  return (
    <span className={styles["two"]}>
      <span>
        {task.held_until !== null
          ? says.rests(ago(task.held_until, now))
          : task.next_at !== null
          ? says.due(ago(task.next_at, now))
          : says.waits}
      </span>
      {task.watch !== null && (
        <span className={styles["soft"]}>
          {task.watch.armed ? value === undefined ? "" : says.now(value) : says.disarmed}
        </span>
      )}
    </span>
  )
}

export const RunsText = ({ task: { max_runs, runs } }: { readonly task: Task }) => {
  const says = useWords(taskWords)
  const { whole } = useNumbers()
  return max_runs === null ? whole(runs) : says.runsOf(whole(runs), whole(max_runs))
}

/** The outcome of the last firing, and its time. */
export const Last = ({ last }: Pick<Task, "last">) => {
  const says = useWords(taskWords)
  const ago = useAgo()
  const now = useNow()
  if (last === null) return <span className={styles["soft"]}>{says.never}</span>
  const isBad = last.outcome === "failed" || last.outcome === "refused" || last.outcome === "key_gone"
  return <span className={isBad ? styles["bad"] : ""}>{says.outcomeOf(says[last.outcome], ago(last.due_at, now))}</span>
}
