import { ArrowLeft, Bell } from "lucide-react"
import { useState } from "react"
import { useHeld, usePaid } from "../../asking/usePaid.ts"
import { usePriced } from "../../asking/usePriced.ts"
import { usePrices } from "../../asking/usePrices.ts"
import { navigate } from "../../router/location.ts"
import { Button } from "../../widgets/Button.tsx"
import { Link, PageHead, Panel } from "../../widgets/parts.tsx"
import { Refresh } from "../../widgets/Refresh.tsx"
import { Empty, Skeleton } from "../../widgets/states.tsx"
import { Told } from "../../widgets/Told.tsx"
import { useNumbers } from "../../words/numbers.ts"
import { useWords } from "../../words/words.ts"
import { mostRung, type Rung, rungAsk, type Task, tasksAsk } from "./asks.ts"
import { useDescribe } from "./describe.ts"
import { taskFormWords } from "./formWords.ts"
import { Last, Next, RunsText, StateBadge } from "./state.tsx"
import { TaskActions } from "./TaskActions.tsx"
import styles from "./Tasks.module.css"
import { type Act, Acting } from "./TasksPage.tsx"
import { taskWords } from "./words.ts"

const Facts = ({ task }: { readonly task: Task }) => {
  const says = useWords(taskFormWords)
  const told = useWords(taskWords)
  const { time } = useNumbers()
  const describe = useDescribe()
  const { created_at, held_until, key_id, kind, last, next_at, prompt, watch } = task
  const value = describe.value(task)
  const facts = [
    [says.waitsFor, describe.spec(task.spec)],
    [told.next, <Next key="next" task={task} />],
    [says.asks, prompt ?? (kind === "watch" ? says.asksNothing : says.asksTitle)],
    [told.runs, <RunsText key="runs" task={task} />],
    [told.last, <Last key="last" last={last} />],
    ...(value === undefined ? [] : [[says.lastValue, value] as const]),
    ...(watch === null ? [] : [[says.lookedTo, time(watch.checked_to)] as const]),
    ...(next_at === null ? [] : [[says.nextDue, time(next_at)] as const]),
    ...(held_until === null ? [] : [[says.held, time(held_until)] as const]),
    [says.runsAs, key_id === null ? says.user : says.keyOf(key_id)],
    [says.createdAt, time(created_at)]
  ] as const
  return (
    <Panel>
      <dl className={styles["facts"]}>
        {facts.map(([name, fact]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{fact}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  )
}

const Rows = ({ id, rung }: { readonly rung: Rung; readonly id: number }) => {
  const says = useWords(taskFormWords)
  const { time } = useNumbers()
  const rows = rung.notifications.filter(({ task_id }) => task_id === id)
  if (rows.length === 0) return <Empty icon={Bell} title={says.noRung}>{says.noRungMore(mostRung)}</Empty>
  return (
    <ul className={styles["rung"]}>
      {rows.map((row) => (
        <li key={row.id}>
          <p className={styles["rungHead"]}>
            {!row.read && <span className={styles["dot"]} role="img" aria-label={says.unread} />}
            <strong>{row.title}</strong>
            <time className={styles["soft"]} dateTime={row.time}>{time(row.time)}</time>
          </p>
          {row.body !== "" && <p className={styles["body"]}>{row.body}</p>}
          {row.conversation_id !== null && <Link href={`/analyst/${row.conversation_id}`}>{says.openConversation}
          </Link>}
        </li>
      ))}
    </ul>
  )
}

/** The notifications of a task among the newest ones, requested on demand. */
const WhatRang = ({ id }: { readonly id: number }) => {
  const says = useWords(taskFormWords)
  const priced = usePriced()
  const isHeld = useHeld()
  const [isOpen, setIsOpen] = useState(() => isHeld(rungAsk))
  const asked = usePaid(rungAsk, { isIdle: !isOpen })
  return (
    <Panel
      title={says.rung}
      aside={isOpen
        ? <Refresh look="quiet" of={asked} tool={rungAsk.tool} />
        : <Button onPress={() => setIsOpen(true)}>{priced(says.rungAsk, rungAsk.tool)}</Button>}
    >
      {isOpen
        ? <Told of={asked} waiting={<Skeleton lines={4} />}>{(rung) => <Rows rung={rung} id={id} />}</Told>
        : <p className={styles["soft"]}>{says.rungMore(mostRung)}</p>}
    </Panel>
  )
}

const Found = ({ task }: { readonly task: Task }) => {
  const [act, setAct] = useState<Act>()
  const canWrite = usePrices().has("update_task")
  return (
    <>
      <PageHead
        title={task.title}
        aside={
          <>
            <StateBadge status={task.status} />
            {canWrite && <TaskActions isLong task={task} act={(what) => setAct({ what, task })} />}
          </>
        }
      />
      <Facts task={task} />
      {act !== undefined && (
        <Acting
          act={act}
          onClose={() => setAct(undefined)}
          onDeleted={() => navigate("/tasks", { replace: true })}
        />
      )}
    </>
  )
}

/** The page of one task: its state and its notifications. */
export const TaskPage = ({ params }: { readonly params: { readonly task: string } }) => {
  const says = useWords(taskFormWords)
  const told = useWords(taskWords)
  const prices = usePrices()
  const id = Number(params.task)
  const asked = usePaid(tasksAsk)
  if (prices.size > 0 && !prices.has(tasksAsk.tool)) {
    return <Empty isPage title={told.closed}>{told.closedMore}</Empty>
  }
  return (
    <>
      <Link href="/tasks" look="block">
        <span className={styles["back"]}>
          <ArrowLeft aria-hidden />
          {says.all}
        </span>
      </Link>
      {asked.state !== "told" && <PageHead title={says.name} />}
      <Told of={asked} waiting={<Skeleton lines={8} />}>
        {({ tasks }) => {
          const task = tasks.find((one) => one.id === id)
          return task === undefined
            ? <Empty isPage title={says.unknown}>{says.unknownMore}</Empty>
            : <Found key={task.id} task={task} />
        }}
      </Told>
      <WhatRang key={id} id={id} />
    </>
  )
}
