import type { AdminAccount, AdminKey, AdminTask, RunningAnswer } from "@tapeline/client/admin"
import { Ban, Pause, Square } from "lucide-react"
import { type ReactNode, useMemo, useState } from "react"
import { useNow } from "../../i18n/clock.ts"
import { useNumbers } from "../../i18n/numbers.ts"
import { useRelativeTime } from "../../i18n/relativeTime.ts"
import { useTexts } from "../../i18n/texts.ts"
import { readAllPages } from "../../requests/readAllPages.ts"
import { Button } from "../../widgets/Button.tsx"
import { actionsColumn, type DataColumn, DataTable } from "../../widgets/DataTable.tsx"
import { Badge, Panel } from "../../widgets/layout.tsx"
import lists from "../../widgets/lists.module.css"
import { RequestView } from "../../widgets/RequestView.tsx"
import { EmptyState } from "../../widgets/states.tsx"
import { PauseTaskDialog, RevokeKeyDialog, StopAnswerDialog } from "./accountDialogs.tsx"
import { accountTexts } from "./accountTexts.ts"
import { useAdminRequest } from "./adminAccess.tsx"
import styles from "./AdminPage.module.css"

interface PanelProps {
  readonly account: AdminAccount
}

const When = ({ children }: { readonly children: ReactNode }) => <span className={lists["when"]}>{children}</span>

type KeyState = "live" | "expired" | "revoked"

/** Returns the state of a key by the clock of this computer. */
const keyStateOf = ({ expires_at, revoked_at }: AdminKey, now: number): KeyState =>
  revoked_at !== null ? "revoked" : expires_at !== null && Date.parse(expires_at) <= now ? "expired" : "live"

const KeyStateBadge = ({ state }: { readonly state: KeyState }) => {
  const texts = useTexts(accountTexts)
  return <Badge variant={state === "live" ? "good" : "plain"}>{texts[state]}</Badge>
}

const useKeyColumns = (revoke: (key: AdminKey) => void): ReadonlyArray<DataColumn<AdminKey>> => {
  const texts = useTexts(accountTexts)
  const ago = useRelativeTime()
  const { day } = useNumbers()
  const now = useNow()
  return useMemo(() => [
    {
      id: "key",
      title: texts.key,
      isHead: true,
      order: ({ name }) => name,
      cell: (key) => (
        <>
          <span className={`medium ${styles["breakable"]}`}>{key.name}</span>{" "}
          <code className="soft nowrap">{key.prefix}…</code>
          <span className={lists["under"]}>
            <KeyStateBadge state={keyStateOf(key, now)} />
            <code>{key.scopes.join(" ")}</code>
          </span>
        </>
      )
    },
    {
      id: "scopes",
      title: texts.scopes,
      isMinor: true,
      order: ({ scopes }) => scopes.join(" "),
      cell: ({ scopes }) => <code>{scopes.join(" ")}</code>
    },
    {
      id: "created",
      title: texts.created,
      isMinor: true,
      order: ({ created_at }) => created_at,
      cell: ({ created_at }) => <When>{day(created_at)}</When>
    },
    {
      id: "last use",
      title: texts.lastUse,
      isMinor: true,
      order: ({ last_used_at }) => last_used_at,
      cell: ({ last_used_at }) => <When>{last_used_at === null ? texts.never : ago(last_used_at, now)}</When>
    },
    {
      id: "expires",
      title: texts.expires,
      isMinor: true,
      order: ({ expires_at }) => expires_at,
      cell: ({ expires_at }) => <When>{expires_at === null ? texts.never : day(expires_at)}</When>
    },
    {
      id: "state",
      title: texts.state,
      isMinor: true,
      order: (key) => keyStateOf(key, now),
      cell: (key) => (
        <When>
          <KeyStateBadge state={keyStateOf(key, now)} />
        </When>
      )
    },
    actionsColumn(
      texts.actions,
      (key: AdminKey) =>
        key.revoked_at === null && (
          <Button
            variant="quiet"
            isSquare
            aria-label={texts.revokeKey(key.name)}
            onPress={() => revoke(key)}
          >
            <Ban aria-hidden />
          </Button>
        )
    )
  ], [texts, ago, day, now, revoke])
}

const idOf = ({ id }: { readonly id: number }): number => id

/** The keys of an account, newest first. */
export const KeysPanel = ({ account }: PanelProps) => {
  const texts = useTexts(accountTexts)
  const [keyToRevoke, setKeyToRevoke] = useState<AdminKey>()
  const keys = useAdminRequest(["account keys", account.id], async (client, options) => ({
    keys: (await readAllPages(async (cursor) => {
      const { keys, next_cursor } = await client.keys(account.id, { cursor, limit: 1000 }, options)
      return { items: keys, next: next_cursor }
    })).toReversed()
  }))
  const columns = useKeyColumns(setKeyToRevoke)
  return (
    <Panel isFlush>
      <RequestView request={keys}>
        {({ keys }) => (
          <DataTable
            label={texts.keys}
            rows={keys}
            columns={columns}
            rowId={idOf}
            empty={<EmptyState title={texts.noKeys} />}
          />
        )}
      </RequestView>
      {keyToRevoke !== undefined && (
        <RevokeKeyDialog
          account={account}
          apiKey={keyToRevoke}
          onClose={() => setKeyToRevoke(undefined)}
        />
      )}
    </Panel>
  )
}

const useAnswerColumns = (stop: (answer: RunningAnswer) => void): ReadonlyArray<DataColumn<RunningAnswer>> => {
  const texts = useTexts(accountTexts)
  const { integer, time } = useNumbers()
  return useMemo(() => [
    {
      id: "answer",
      title: texts.answer,
      isHead: true,
      cell: ({ actor, id, started_at }) => (
        <>
          <span className="medium">{texts.answerId(id)}</span>
          <span className={lists["under"]}>
            <code>{actor}</code>
            <span>{time(started_at)}</span>
          </span>
        </>
      )
    },
    { id: "caller", title: texts.caller, isMinor: true, cell: ({ actor }) => <code>{actor}</code> },
    { id: "credits", title: texts.credits, isNumber: true, cell: ({ credits }) => integer(credits) },
    { id: "started", title: texts.started, isMinor: true, cell: ({ started_at }) => <When>{time(started_at)}</When> },
    actionsColumn(
      texts.actions,
      (answer: RunningAnswer) => (
        <Button
          variant="quiet"
          isSquare
          aria-label={texts.stopAnswer(answer.id)}
          onPress={() => stop(answer)}
        >
          <Square aria-hidden />
        </Button>
      )
    )
  ], [texts, integer, time, stop])
}

/** The running answers of an account, requested again every ten seconds. */
export const AnswersPanel = ({ account }: PanelProps) => {
  const texts = useTexts(accountTexts)
  const [answerToStop, setAnswerToStop] = useState<RunningAnswer>()
  const answers = useAdminRequest(
    ["account answers", account.id],
    (client, options) => client.answers(account.id, options),
    { refreshMs: 10_000, freshMs: 2_000 }
  )
  const columns = useAnswerColumns(setAnswerToStop)
  return (
    <Panel isFlush>
      <RequestView request={answers}>
        {({ answers }) => (
          <DataTable
            label={texts.answers}
            rows={answers}
            columns={columns}
            rowId={idOf}
            empty={<EmptyState title={texts.noAnswers} />}
          />
        )}
      </RequestView>
      {answerToStop !== undefined && (
        <StopAnswerDialog
          account={account}
          answer={answerToStop}
          onClose={() => setAnswerToStop(undefined)}
        />
      )}
    </Panel>
  )
}

const TaskStateBadge = ({ status }: Pick<AdminTask, "status">) => {
  const texts = useTexts(accountTexts)
  const names = { active: texts.taskActive, paused: texts.taskPaused, done: texts.taskDone }
  const variant = status === "active" ? "good" : status === "paused" ? "tape" : "plain"
  return <Badge variant={variant}>{names[status]}</Badge>
}

const useTaskColumns = (pause: (task: AdminTask) => void): ReadonlyArray<DataColumn<AdminTask>> => {
  const texts = useTexts(accountTexts)
  const { integer, time } = useNumbers()
  return useMemo(() => [
    {
      id: "task",
      title: texts.task,
      isHead: true,
      order: ({ title }) => title,
      cell: ({ next_at, runs, status, title }) => (
        <>
          <span className={`medium ${styles["breakable"]}`}>{title}</span>
          <span className={lists["under"]}>
            <TaskStateBadge status={status} />
            <span>{texts.runs}: {integer(runs)}</span>
            {next_at !== null && <span>{time(next_at)}</span>}
          </span>
        </>
      )
    },
    {
      id: "state",
      title: texts.state,
      isMinor: true,
      order: ({ status }) => status,
      cell: ({ status }) => <TaskStateBadge status={status} />
    },
    {
      id: "runs",
      title: texts.runs,
      isNumber: true,
      isMinor: true,
      order: ({ runs }) => runs,
      cell: ({ runs }) => integer(runs)
    },
    {
      id: "next",
      title: texts.next,
      isMinor: true,
      order: ({ next_at }) => next_at,
      cell: ({ next_at }) => <When>{next_at === null ? "–" : time(next_at)}</When>
    },
    actionsColumn(
      texts.actions,
      (task: AdminTask) =>
        task.status === "active" && (
          <Button
            variant="quiet"
            isSquare
            aria-label={texts.pauseTask(task.title)}
            onPress={() => pause(task)}
          >
            <Pause aria-hidden />
          </Button>
        )
    )
  ], [texts, integer, time, pause])
}

/** The tasks of an account, newest first. */
export const TasksPanel = ({ account }: PanelProps) => {
  const texts = useTexts(accountTexts)
  const [taskToPause, setTaskToPause] = useState<AdminTask>()
  const tasks = useAdminRequest(
    ["account tasks", account.id],
    (client, options) => client.tasks(account.id, options)
  )
  const columns = useTaskColumns(setTaskToPause)
  return (
    <Panel isFlush>
      <RequestView request={tasks}>
        {({ tasks }) => (
          <DataTable
            label={texts.tasks}
            rows={tasks}
            columns={columns}
            rowId={idOf}
            empty={<EmptyState title={texts.noTasks} />}
          />
        )}
      </RequestView>
      {taskToPause !== undefined && (
        <PauseTaskDialog
          account={account}
          task={taskToPause}
          onClose={() => setTaskToPause(undefined)}
        />
      )}
    </Panel>
  )
}
