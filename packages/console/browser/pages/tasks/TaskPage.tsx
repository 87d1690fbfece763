import { Bell } from "lucide-react"
import { useState } from "react"
import { useNumbers } from "../../i18n/numbers.ts"
import { useTexts } from "../../i18n/texts.ts"
import { usePricedLabel, usePrices } from "../../requests/catalogue.ts"
import { useIsCached, useToolQuery } from "../../requests/useToolQuery.ts"
import { navigate } from "../../router/location.ts"
import { Button } from "../../widgets/Button.tsx"
import { BackLink, Link, PageHeader, Panel } from "../../widgets/layout.tsx"
import { RefreshButton } from "../../widgets/RefreshButton.tsx"
import { RequestView } from "../../widgets/RequestView.tsx"
import { EmptyState, Skeleton } from "../../widgets/states.tsx"
import { useTaskDescriber } from "./describe.ts"
import { taskFormTexts } from "./formTexts.ts"
import { maxNotifications, type Notifications, notificationsQuery, type Task, tasksQuery } from "./queries.ts"
import { LastFiring, NextRun, RunCount, TaskStatusBadge } from "./status.tsx"
import { TaskActions } from "./TaskActions.tsx"
import styles from "./Tasks.module.css"
import { type OpenDialog, TaskDialogs } from "./TasksPage.tsx"
import { taskTexts } from "./texts.ts"

const TaskFacts = ({ task }: { readonly task: Task }) => {
  const texts = useTexts(taskFormTexts)
  const overviewTexts = useTexts(taskTexts)
  const { time } = useNumbers()
  const describe = useTaskDescriber()
  const { created_at, held_until, key_id, kind, last, next_at, prompt, watch } = task
  const value = describe.value(task)
  const facts = [
    [texts.waitsFor, describe.spec(task.spec)],
    [overviewTexts.next, <NextRun key="next" task={task} />],
    [texts.asks, prompt ?? (kind === "watch" ? texts.asksNothing : texts.asksTitle)],
    [overviewTexts.runs, <RunCount key="runs" task={task} />],
    [overviewTexts.last, <LastFiring key="last" last={last} />],
    ...(value === undefined ? [] : [[texts.lastValue, value] as const]),
    ...(watch === null ? [] : [[texts.checkedUntil, time(watch.checked_to)] as const]),
    ...(next_at === null ? [] : [[texts.nextDue, time(next_at)] as const]),
    ...(held_until === null ? [] : [[texts.heldUntil, time(held_until)] as const]),
    [texts.runsAs, key_id === null ? texts.user : texts.keyOf(key_id)],
    [texts.createdAt, time(created_at)]
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

const TaskNotifications = ({ id, notifications }: { readonly notifications: Notifications; readonly id: number }) => {
  const texts = useTexts(taskFormTexts)
  const { time } = useNumbers()
  const rows = notifications.notifications.filter(({ task_id }) => task_id === id)
  if (rows.length === 0) {
    return (
      <EmptyState icon={Bell} title={texts.noNotifications}>{texts.noNotificationsDetail(maxNotifications)}</EmptyState>
    )
  }
  return (
    <ul className={styles["rung"]}>
      {rows.map((row) => (
        <li key={row.id}>
          <p className="row baseline wrap gap-x-2">
            {!row.read && <span className={styles["dot"]} role="img" aria-label={texts.unread} />}
            <strong>{row.title}</strong>
            <time className="soft small" dateTime={row.time}>{time(row.time)}</time>
          </p>
          {row.body !== "" && <p className={styles["body"]}>{row.body}</p>}
          {row.conversation_id !== null && (
            <Link href={`/analyst/${row.conversation_id}`}>{texts.openConversation}</Link>
          )}
        </li>
      ))}
    </ul>
  )
}

/** The panel that shows a task's notifications. The panel searches only the newest notifications. */
const NotificationsPanel = ({ id }: { readonly id: number }) => {
  const texts = useTexts(taskFormTexts)
  const pricedLabel = usePricedLabel()
  const isCached = useIsCached()
  const [isOpen, setIsOpen] = useState(() => isCached(notificationsQuery))
  const request = useToolQuery(notificationsQuery, { isDisabled: !isOpen })
  return (
    <Panel
      title={texts.notifications}
      aside={isOpen
        ? <RefreshButton variant="quiet" request={request} tool={notificationsQuery.tool} />
        : (
          <Button onPress={() => setIsOpen(true)}>
            {pricedLabel(texts.showNotifications, notificationsQuery.tool)}
          </Button>
        )}
    >
      {isOpen
        ? (
          <RequestView request={request} placeholder={<Skeleton lines={4} />}>
            {(notifications) => <TaskNotifications notifications={notifications} id={id} />}
          </RequestView>
        )
        : <p className="soft small">{texts.notificationsDetail(maxNotifications)}</p>}
    </Panel>
  )
}

const TaskContent = ({ task }: { readonly task: Task }) => {
  const [dialog, setDialog] = useState<OpenDialog>()
  const canWrite = usePrices().has("update_task")
  return (
    <>
      <PageHeader
        title={task.title}
        aside={
          <>
            <TaskStatusBadge status={task.status} />
            {canWrite && <TaskActions hasLabels task={task} onAction={(kind) => setDialog({ kind, task })} />}
          </>
        }
      />
      <TaskFacts task={task} />
      {dialog !== undefined && (
        <TaskDialogs
          dialog={dialog}
          onClose={() => setDialog(undefined)}
          onDeleted={() => navigate("/tasks", { replace: true })}
        />
      )}
    </>
  )
}

export const TaskPage = ({ params }: { readonly params: { readonly task: string } }) => {
  const texts = useTexts(taskFormTexts)
  const overviewTexts = useTexts(taskTexts)
  const prices = usePrices()
  const id = Number(params.task)
  const request = useToolQuery(tasksQuery)
  if (prices.size > 0 && !prices.has(tasksQuery.tool)) {
    return <EmptyState isPage title={overviewTexts.closed}>{overviewTexts.closedDetail}</EmptyState>
  }
  return (
    <>
      <BackLink href="/tasks">{texts.all}</BackLink>
      {request.state !== "loaded" && <PageHeader title={texts.name} />}
      <RequestView request={request} placeholder={<Skeleton lines={8} />}>
        {({ tasks }) => {
          const task = tasks.find((one) => one.id === id)
          return task === undefined
            ? <EmptyState isPage title={texts.unknown}>{texts.unknownDetail}</EmptyState>
            : <TaskContent key={task.id} task={task} />
        }}
      </RequestView>
      <NotificationsPanel key={id} id={id} />
    </>
  )
}
