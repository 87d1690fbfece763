import { AlarmClock, Plus, Sparkles } from "lucide-react"
import { useMemo, useState } from "react"
import { usePaid } from "../../asking/usePaid.ts"
import { usePrices } from "../../asking/usePrices.ts"
import { setQuery, useLocation } from "../../router/location.ts"
import { Button } from "../../widgets/Button.tsx"
import { Chips } from "../../widgets/Chips.tsx"
import { type DataColumn, DataTable } from "../../widgets/DataTable.tsx"
import { Link, PageHead, Panel } from "../../widgets/parts.tsx"
import { Refresh } from "../../widgets/Refresh.tsx"
import { Empty, Skeleton } from "../../widgets/states.tsx"
import { Told } from "../../widgets/Told.tsx"
import { useNumbers } from "../../words/numbers.ts"
import { useWords } from "../../words/words.ts"
import { type Task, tasksAsk } from "./asks.ts"
import { useDescribe } from "./describe.ts"
import { taskHref } from "./links.ts"
import { Last, Next, RunsText, StateBadge } from "./state.tsx"
import { DeleteDialog, TaskActions } from "./TaskActions.tsx"
import { TaskDialog } from "./TaskDialog.tsx"
import styles from "./Tasks.module.css"
import { begunBy, typedTask } from "./typedTask.ts"
import { taskWords } from "./words.ts"

/** The open dialog, and its task. */
export interface Act {
  readonly what: "change" | "delete"
  readonly task: Task
}

/** The user's offset from UTC, in hours. */
export const ownOffset = (): number => -new Date().getTimezoneOffset() / 60

/** The dialog of an action on a task. */
export const Acting = ({ act: { task, what }, onClose, onDeleted }: {
  readonly act: Act
  readonly onClose: () => void
  readonly onDeleted?: () => void
}) =>
  what === "delete"
    ? <DeleteDialog key={task.id} of={task} onClose={onClose} onDeleted={onDeleted} />
    : <TaskDialog key={task.id} of={task} begin={typedTask(task, ownOffset())} onClose={onClose} />

const Name = ({ task }: { readonly task: Task }) => {
  const says = useWords(taskWords)
  const describe = useDescribe()
  return (
    <span className={styles["named"]}>
      <span className={styles["title"]}>
        <Link href={taskHref(task.id)}>{task.title}</Link>
        {(task.prompt !== null || task.kind === "schedule") && (
          <Sparkles className={styles["asks"]} role="img" aria-label={says.asks} />
        )}
      </span>
      <span className={styles["soft"]}>{describe.spec(task.spec)}</span>
      <span className={styles["under"]}>
        <Next task={task} />
      </span>
    </span>
  )
}

const idOf = ({ id }: Task): number => id

const Rows = ({ act, label, tasks }: {
  readonly tasks: ReadonlyArray<Task>
  readonly label: string
  readonly act: (act: Act) => void
}) => {
  const says = useWords(taskWords)
  const canWrite = usePrices().has("update_task")
  const columns = useMemo((): ReadonlyArray<DataColumn<Task>> => [
    { id: "task", title: says.task, isHead: true, order: ({ title }) => title, cell: (task) => <Name task={task} /> },
    {
      id: "next",
      title: says.next,
      isMinor: true,
      order: ({ held_until, next_at }) => Date.parse(held_until ?? next_at ?? "") || null,
      cell: (task) => <Next task={task} />
    },
    {
      id: "runs",
      title: says.runs,
      isNumber: true,
      isMinor: true,
      order: ({ runs }) => runs,
      cell: (task) => <RunsText task={task} />
    },
    {
      id: "last",
      title: says.last,
      isMinor: true,
      order: ({ last }) => last === null ? null : Date.parse(last.due_at),
      cell: ({ last }) => <Last last={last} />
    },
    {
      id: "state",
      title: says.state,
      order: ({ status }) => status,
      cell: ({ status }) => <StateBadge status={status} />
    },
    ...(canWrite
      ? [{
        id: "actions",
        title: says.actions,
        isNumber: true,
        cell: (task: Task) => (
          <span className={styles["actions"]}>
            <TaskActions task={task} act={(what) => act({ what, task })} />
          </span>
        )
      }]
      : [])
  ], [says, canWrite, act])
  return <DataTable label={label} rows={tasks} columns={columns} rowId={idOf} />
}

const states = ["active", "paused", "done"] as const

const List = ({ make, tasks }: { readonly tasks: ReadonlyArray<Task>; readonly make: (() => void) | undefined }) => {
  const says = useWords(taskWords)
  const { whole } = useNumbers()
  const { query } = useLocation()
  const [act, setAct] = useState<Act>()
  const shown = states.find((state) => state === query.get("state")) ?? "active"
  const found = useMemo(() => tasks.filter(({ status }) => status === shown), [tasks, shown])
  if (tasks.length === 0) {
    return (
      <Panel>
        <Empty
          icon={AlarmClock}
          title={says.none}
          action={make !== undefined && <Button onPress={make}>{says.make}</Button>}
        >
          {says.noneMore}
        </Empty>
      </Panel>
    )
  }
  return (
    <>
      <Chips
        label={says.which}
        chosen={shown}
        onChange={(state) => setQuery({ state: state === "active" ? undefined : state })}
        options={states.map((value) => ({
          value,
          label: `${says[value]} ${whole(tasks.filter(({ status }) => status === value).length)}`
        }))}
      />
      <Panel isFlush>
        {found.length === 0
          ? <Empty icon={AlarmClock} title={says.noneOf}>{says.noneOfMore}</Empty>
          : <Rows label={says[shown]} tasks={found} act={setAct} />}
      </Panel>
      {act !== undefined && <Acting act={act} onClose={() => setAct(undefined)} />}
    </>
  )
}

/** The page of the account's tasks. */
export const TasksPage = () => {
  const says = useWords(taskWords)
  const prices = usePrices()
  const { query } = useLocation()
  const asked = usePaid(tasksAsk)
  const begun = begunBy(query, ownOffset())
  if (prices.size > 0 && !prices.has(tasksAsk.tool)) {
    return (
      <>
        <PageHead title={says.title} />
        <Empty title={says.closed}>{says.closedMore}</Empty>
      </>
    )
  }
  const make = prices.has("create_task") ? () => setQuery({ new: "watch" }) : undefined
  const forget = () => setQuery({ new: undefined, symbol: undefined, op: undefined, value: undefined })
  return (
    <>
      <PageHead
        title={says.title}
        aside={
          <>
            <Refresh of={asked} tool={tasksAsk.tool} />
            {make !== undefined && (
              <Button look="primary" onPress={make}>
                <Plus aria-hidden />
                {says.make}
              </Button>
            )}
          </>
        }
      >
        {says.lead}
      </PageHead>
      <Told of={asked} waiting={<Skeleton lines={8} />}>{({ tasks }) => <List tasks={tasks} make={make} />}</Told>
      {make !== undefined && begun !== undefined && <TaskDialog begin={begun} onClose={forget} />}
    </>
  )
}
