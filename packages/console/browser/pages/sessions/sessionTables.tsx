import { Monitor, Smartphone } from "lucide-react"
import { type ReactNode, useMemo } from "react"
import { Button } from "../../widgets/Button.tsx"
import { type DataColumn, DataTable } from "../../widgets/DataTable.tsx"
import lists from "../../widgets/lists.module.css"
import { Badge } from "../../widgets/parts.tsx"
import { useAgo } from "../../words/ago.ts"
import { useNumbers } from "../../words/numbers.ts"
import { useWords } from "../../words/words.ts"
import { deviceOf } from "./device.ts"
import type { Session } from "./list.ts"
import styles from "./SessionsPage.module.css"
import { sessionsWords } from "./words.ts"

const useNameOf = (): (session: Session) => string => {
  const says = useWords(sessionsWords)
  return useMemo(() => ({ device }) => {
    const { machine, program } = deviceOf(device)
    return [program, machine].filter((part) => part !== undefined).join(" · ") || says.unknown
  }, [says])
}

/** A session's device. On a narrow screen, the other properties are shown below it. */
const Device = ({ name, of: session, under }: {
  readonly of: Session
  readonly name: string
  readonly under: ReactNode
}) => {
  const says = useWords(sessionsWords)
  const Icon = deviceOf(session.device).isHandheld ? Smartphone : Monitor
  return (
    <span className={styles["device"]} title={session.device}>
      <Icon aria-hidden />
      <span>{name}</span>
      {session.current && <Badge look="tape">{says.this}</Badge>}
      <span className={`${lists["under"]} ${styles["underDevice"]}`}>{under}</span>
    </span>
  )
}

const useBecause = (): (session: Session) => string => {
  const says = useWords(sessionsWords)
  return useMemo(() => {
    const reasons = {
      signed_out: says.signedOut,
      revoked: says.revoked,
      replaced: says.replaced,
      stolen: says.stolen
    }
    return ({ ended_because }) => ended_because === null ? says.expired : reasons[ended_because]
  }, [says])
}

type Column = DataColumn<Session>

const useShared = (under: (session: Session) => ReactNode): { readonly device: Column; readonly began: Column } => {
  const says = useWords(sessionsWords)
  const { time } = useNumbers()
  const nameOf = useNameOf()
  return {
    device: {
      id: "device",
      title: says.device,
      isHead: true,
      order: nameOf,
      cell: (session) => <Device of={session} name={nameOf(session)} under={under(session)} />
    },
    began: {
      id: "began",
      title: says.began,
      isMinor: true,
      order: ({ created_at }) => Date.parse(created_at),
      cell: ({ created_at, signed_in_by }) => (
        <span className={lists["when"]}>
          {time(created_at)} <span className={lists["soft"]}>{says[signed_in_by]}</span>
        </span>
      )
    }
  }
}

const idOf = ({ id }: Session): number => id

/** The live sessions, each with a button that ends it. */
export const LiveSessions = ({ end, isBusy, now, sessions }: {
  readonly sessions: ReadonlyArray<Session>
  readonly now: number
  readonly end: (session: Session) => void
  readonly isBusy: boolean
}) => {
  const says = useWords(sessionsWords)
  const ago = useAgo()
  const nameOf = useNameOf()
  const used = ({ current, last_used_at }: Session): string => current ? says.now : ago(last_used_at, now)
  const { began, device } = useShared((session) => used(session))
  const columns: ReadonlyArray<Column> = [
    device,
    began,
    {
      id: "lastUse",
      title: says.lastUse,
      isMinor: true,
      order: ({ last_used_at }) => Date.parse(last_used_at),
      cell: (session) => <span className={lists["when"]}>{used(session)}</span>
    },
    {
      id: "ends",
      title: says.ends,
      isMinor: true,
      order: ({ ends_at }) => Date.parse(ends_at),
      cell: ({ ends_at }) => (
        <span className={lists["when"]}>
          {ago(ends_at, now)} <span className={lists["soft"]}>{says.endsHint}</span>
        </span>
      )
    },
    {
      id: "actions",
      title: says.actions,
      isNumber: true,
      cell: (session) =>
        session.current
          ? <Button look="quiet" onPress={() => end(session)}>{says.out}</Button>
          : (
            <Button isBusy={isBusy} aria-label={says.endOf(nameOf(session))} onPress={() => end(session)}>
              {says.end}
            </Button>
          )
    }
  ]
  return <DataTable label={says.live} rows={sessions} columns={columns} rowId={idOf} />
}

/** The ended sessions, with the time and the reason. */
export const PastSessions = ({ sessions }: { readonly sessions: ReadonlyArray<Session> }) => {
  const says = useWords(sessionsWords)
  const { time } = useNumbers()
  const because = useBecause()
  const over = ({ ended_at, ends_at }: Session): string => ended_at ?? ends_at
  const why = (session: Session) => (
    <Badge look={session.ended_because === "stolen" ? "bad" : "plain"}>{because(session)}</Badge>
  )
  const { began, device } = useShared((session) => <>{time(over(session))} {why(session)}</>)
  const columns: ReadonlyArray<Column> = [
    device,
    began,
    {
      id: "ended",
      title: says.ended,
      isMinor: true,
      order: (session) => Date.parse(over(session)),
      cell: (session) => <span className={lists["when"]}>{time(over(session))}</span>
    },
    { id: "why", title: says.why, isMinor: true, order: because, cell: why }
  ]
  return <DataTable label={says.past} rows={sessions} columns={columns} rowId={idOf} />
}
