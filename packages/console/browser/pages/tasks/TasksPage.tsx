import { AlarmClock, Plus, Sparkles } from "lucide-react"
import { useMemo, useState } from "react"
import { useNumbers } from "../../i18n/numbers.ts"
import { useTexts } from "../../i18n/texts.ts"
import { usePrices } from "../../requests/catalogue.ts"
import { useToolQuery } from "../../requests/useToolQuery.ts"
import { setQuery, useLocation } from "../../router/location.ts"
import { Button } from "../../widgets/Button.tsx"
import { Chips } from "../../widgets/Chips.tsx"
import { actionsColumn, type DataColumn, DataTable } from "../../widgets/DataTable.tsx"
import { Link, PageHeader, Panel } from "../../widgets/layout.tsx"
import { RefreshButton } from "../../widgets/RefreshButton.tsx"
import { RequestView } from "../../widgets/RequestView.tsx"
import { EmptyState, Skeleton } from "../../widgets/states.tsx"
import { useTaskDescriber } from "./describe.ts"
import { taskHref } from "./links.ts"
import { type Task, tasksQuery } from "./queries.ts"
import { LastFiring, NextRun, RunCount, TaskStatusBadge } from "./status.tsx"
import { DeleteTaskDialog, TaskActions } from "./TaskActions.tsx"
import { TaskDialog } from "./TaskDialog.tsx"
import { draftFromQuery, toTaskDraft } from "./taskDraft.ts"
import styles from "./Tasks.module.css"
import { taskTexts } from "./texts.ts"

export interface OpenDialog {
  readonly kind: "change" | "delete"
  readonly task: Task
}

/** Returns the offset of the user's time zone from UTC, in hours. */
export const localUtcOffset = (): number => -new Date().getTimezoneOffset() / 60

export const TaskDialogs = ({ dialog: { task, kind }, onClose, onDeleted }: {
  readonly dialog: OpenDialog
  readonly onClose: () => void
  readonly onDeleted?: () => void
}) =>
  kind === "delete"
    ? <DeleteTaskDialog key={task.id} task={task} onClose={onClose} onDeleted={onDeleted} />
    : <TaskDialog key={task.id} existing={task} initial={toTaskDraft(task, localUtcOffset())} onClose={onClose} />

const TaskName = ({ task }: { readonly task: Task }) => {
  const texts = useTexts(taskTexts)
  const describe = useTaskDescriber()
  return (
    <span className={styles["named"]}>
      <span className={styles["title"]}>
        <Link href={taskHref(task.id)}>{task.title}</Link>
        {(task.prompt !== null || task.kind === "schedule") && (
          <Sparkles className={styles["asks"]} role="img" aria-label={texts.asks} />
        )}
      </span>
      <span className="soft small">{describe.spec(task.spec)}</span>
      <span className="narrow-only small">
        <NextRun task={task} />
      </span>
    </span>
  )
}

const idOf = ({ id }: Task): number => id

const TaskRows = ({ onOpenDialog, label, tasks }: {
  readonly tasks: ReadonlyArray<Task>
  readonly label: string
  readonly onOpenDialog: (dialog: OpenDialog) => void
}) => {
  const texts = useTexts(taskTexts)
  const canWrite = usePrices().has("update_task")
  const columns = useMemo((): ReadonlyArray<DataColumn<Task>> => [
    {
      id: "task",
      title: texts.task,
      isHead: true,
      order: ({ title }) => title,
      cell: (task) => <TaskName task={task} />
    },
    {
      id: "next",
      title: texts.next,
      isMinor: true,
      order: ({ held_until, next_at }) => Date.parse(held_until ?? next_at ?? "") || null,
      cell: (task) => <NextRun task={task} />
    },
    {
      id: "runs",
      title: texts.runs,
      isNumber: true,
      isMinor: true,
      order: ({ runs }) => runs,
      cell: (task) => <RunCount task={task} />
    },
    {
      id: "last",
      title: texts.last,
      isMinor: true,
      order: ({ last }) => last === null ? null : Date.parse(last.due_at),
      cell: ({ last }) => <LastFiring last={last} />
    },
    {
      id: "state",
      title: texts.state,
      order: ({ status }) => status,
      cell: ({ status }) => <TaskStatusBadge status={status} />
    },
    ...(canWrite
      ? [
        actionsColumn(
          texts.actions,
          (task: Task) => <TaskActions task={task} onAction={(kind) => onOpenDialog({ kind, task })} />
        )
      ]
      : [])
  ], [texts, canWrite, onOpenDialog])
  return <DataTable label={label} rows={tasks} columns={columns} rowId={idOf} />
}

const states = ["active", "paused", "done"] as const

const TaskList = (
  { onCreate, tasks }: { readonly tasks: ReadonlyArray<Task>; readonly onCreate: (() => void) | undefined }
) => {
  const texts = useTexts(taskTexts)
  const { integer } = useNumbers()
  const { query } = useLocation()
  const [dialog, setDialog] = useState<OpenDialog>()
  const shownState = states.find((state) => state === query.get("state")) ?? "active"
  const shownTasks = useMemo(() => tasks.filter(({ status }) => status === shownState), [tasks, shownState])
  if (tasks.length === 0) {
    return (
      <Panel>
        <EmptyState
          icon={AlarmClock}
          title={texts.none}
          action={onCreate !== undefined && <Button onPress={onCreate}>{texts.create}</Button>}
        >
          {texts.noneDetail}
        </EmptyState>
      </Panel>
    )
  }
  return (
    <>
      <Chips
        label={texts.which}
        selected={shownState}
        onChange={(state) => setQuery({ state: state === "active" ? undefined : state })}
        options={states.map((value) => ({
          value,
          label: `${texts[value]} ${integer(tasks.filter(({ status }) => status === value).length)}`
        }))}
      />
      <Panel isFlush>
        {shownTasks.length === 0
          ? <EmptyState icon={AlarmClock} title={texts.noneOf}>{texts.noneOfDetail}</EmptyState>
          : <TaskRows label={texts[shownState]} tasks={shownTasks} onOpenDialog={setDialog} />}
      </Panel>
      {dialog !== undefined && <TaskDialogs dialog={dialog} onClose={() => setDialog(undefined)} />}
    </>
  )
}

export const TasksPage = () => {
  const texts = useTexts(taskTexts)
  const prices = usePrices()
  const { query } = useLocation()
  const request = useToolQuery(tasksQuery)
  const initialDraft = draftFromQuery(query, localUtcOffset())
  if (prices.size > 0 && !prices.has(tasksQuery.tool)) {
    return (
      <>
        <PageHeader title={texts.title} />
        <EmptyState title={texts.closed}>{texts.closedDetail}</EmptyState>
      </>
    )
  }
  const onCreate = prices.has("create_task") ? () => setQuery({ new: "watch" }) : undefined
  const closeForm = () => setQuery({ new: undefined, symbol: undefined, op: undefined, value: undefined })
  return (
    <>
      <PageHeader
        title={texts.title}
        aside={
          <>
            <RefreshButton request={request} tool={tasksQuery.tool} />
            {onCreate !== undefined && (
              <Button variant="primary" onPress={onCreate}>
                <Plus aria-hidden />
                {texts.create}
              </Button>
            )}
          </>
        }
      >
        {texts.lead}
      </PageHeader>
      <RequestView request={request} placeholder={<Skeleton lines={8} />}>
        {({ tasks }) => <TaskList tasks={tasks} onCreate={onCreate} />}
      </RequestView>
      {onCreate !== undefined && initialDraft !== undefined && (
        <TaskDialog
          initial={initialDraft}
          onClose={closeForm}
        />
      )}
    </>
  )
}
